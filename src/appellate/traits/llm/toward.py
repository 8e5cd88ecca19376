"""Finds the corrections that lead from some labels of an LLM cell to others, for imports."""

from typing import Any

from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.verdict.scale import same


def edits_toward(labels: Labels, target: Labels) -> list[Edit]:
    """Return edits that lead from labels to a target, in order: its verdict, then its excerpts.

    The target must have a verdict; its reason is not carried over. An excerpt that is not in the
    text can only be another one's new wording. Where there is none left to reword, it is left out,
    and so are all excerpts after it. Empty if the labels have all that already.
    """
    edits: list[Edit] = []
    if not same(labels.value, target.value):
        value: Any = target.value
        edits.append(Edit("set", value, target.name or None))
    excerpts = [_identity(excerpt) for excerpt in labels.evidence]
    wanted_excerpts = [_identity(excerpt) for excerpt in target.evidence]
    for index, wanted in enumerate(wanted_excerpts):
        while wanted in excerpts[index:] and excerpts[index] != wanted:
            edits.append(Edit("drop", index=index, seen=excerpts.pop(index)[0]))
        if index < len(excerpts) and excerpts[index] == wanted:
            continue
        text, span = wanted
        if span is None and index < len(excerpts):
            edits.append(Edit("reword", index=index, text=text))
            excerpts[index] = wanted
        elif span is not None and index < len(excerpts):
            edits.append(Edit("replace", index=index, start=span[0], end=span[1]))
            excerpts[index] = wanted
        elif span is not None:
            edits.append(Edit("add", start=span[0], end=span[1]))
            excerpts.append(wanted)
        else:
            break  # the next ones would get its place
    surplus = max(0, len(excerpts) - len(wanted_excerpts))
    edits += [Edit("drop", index=len(excerpts) - 1 - count) for count in range(surplus)]
    return edits


def _identity(excerpt: Excerpt) -> tuple[str, tuple[int, int] | None]:
    """Return the words and the span of an excerpt, by which two are the same for an edit."""
    return excerpt.text, excerpt.span
