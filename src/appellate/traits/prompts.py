"""Combines parts of prompts that replace shipped ones: of a rubric, of config.toml or of a file."""

from collections.abc import Iterator, Mapping
from typing import Any

from appellate.core.kind import Asked
from appellate.core.problem import quoted
from appellate.traits.kinds import kinds

Prompts = Mapping[str, Mapping[str, str]]
"""Parts of prompts, by the name of the kind of trait."""


def asked() -> dict[str, Asked[Any]]:
    """Return the kinds that a model is asked about, by name, each with its template."""
    return {name: kind.asked for name, kind in kinds().items() if kind.asked}


def faults(prompts: object) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with `[prompts]`: the place below it, and the fault.

    A place is "metric.response", "metric", or "" for the whole. Yields nothing if it is right.
    """
    if not isinstance(prompts, Mapping):
        yield "", "must be a table with a table for each kind of trait"
        return
    asked_kinds = asked()
    for kind, parts in prompts.items():
        if kind not in asked_kinds:
            wrong = f"there is no kind of trait {quoted(kind)} with a prompt"
            kind_names = ", ".join(asked_kinds)
            yield kind, f"{wrong}; kinds are {kind_names}"
        elif not isinstance(parts, Mapping):
            yield kind, "must be a table of the prompt's parts"
        else:
            for part, wrong in asked_kinds[kind].prompt_faults(parts):
                yield f"{kind}.{part}", wrong


def over(*layers: Prompts) -> dict[str, dict[str, str]]:
    """Return the parts of several layers in one; a later layer's part replaces an earlier one's.

    The layers stay as they are.
    """
    together: dict[str, dict[str, str]] = {}
    for layer in layers:
        for kind, parts in layer.items():
            parts_of_kind = together.setdefault(kind, {})
            parts_of_kind.update(parts)
    return together
