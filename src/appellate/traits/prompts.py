"""Templates in place of the shipped ones, by kind and part: of rubric, config.toml or a file."""

from collections.abc import Iterator, Mapping
from typing import Any

from appellate.core.kind import Asked
from appellate.core.problem import quoted
from appellate.traits.kinds import kinds

Prompts = Mapping[str, Mapping[str, str]]
"""Parts by the name of the trait kind."""


def asked() -> dict[str, Asked[Any]]:
    """The kinds that a model is asked about, by name, each with its template."""
    return {name: kind.asked for name, kind in kinds().items() if kind.asked}


def faults(prompts: object) -> Iterator[tuple[str, str]]:
    """What is wrong with `[prompts]`: the place below it ("metric.response" or ""), and what."""
    if not isinstance(prompts, Mapping):
        yield "", "must be a table with a table for each kind of trait"
        return
    known = asked()
    for kind, parts in prompts.items():
        if kind not in known:
            wrong = f"there is no kind of trait {quoted(kind)} with a prompt"
            yield kind, f"{wrong}; kinds are {', '.join(known)}"
        elif not isinstance(parts, Mapping):
            yield kind, "must be a table of the prompt's parts"
        else:
            for part, wrong in known[kind].prompt_faults(parts):
                yield f"{kind}.{part}", wrong


def over(*layers: Prompts) -> dict[str, dict[str, str]]:
    """One set of parts from several: a later one's parts go before an earlier one's."""
    together: dict[str, dict[str, str]] = {}
    for layer in layers:
        for kind, parts in layer.items():
            together[kind] = {**together.get(kind, {}), **parts}
    return together
