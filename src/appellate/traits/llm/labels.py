"""What is labelled of an LLM trait: a verdict, the excerpts it rests on, a reason; and their shape
in files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from appellate.core.trace import Trace
from appellate.traits.evidence import Finder
from appellate.traits.llm.spec import LLMRubricTrait, Value

KEYS = ("value", "class", "evidence", "rationale")
"""The keys of a table of labels, beside `items`."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words that a verdict rests on; `start` and `end` are codepoint offsets where they stand in
    the response.
    """

    text: str
    start: int | None = None
    end: int | None = None

    @property
    def span(self) -> tuple[int, int] | None:
        return None if self.start is None or self.end is None else (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Labels:
    """A verdict (None while there is none), the name of its class where it is one, and what speaks
    for it.
    """

    value: Value | None = None
    name: str = ""
    evidence: tuple[Excerpt, ...] = ()
    rationale: str = ""


def value_of(trait: LLMRubricTrait, table: Mapping[str, Any]) -> Value | None:
    """The verdict of a table: its `value`, else the index of its `class`; None where it has
    neither.
    """
    value: Value | None = table.get("value")
    if value is None and "class" in table:
        value = trait.get_class_index(table["class"])
    return value


def located(trait: LLMRubricTrait, trace: Trace, table: Mapping[str, Any]) -> dict[str, Any]:
    """A judge's table with its value and class, and the offsets of its excerpts; its words stay."""
    value = value_of(trait, table)
    found: dict[str, Any] = {}
    if value is not None:
        found["value"] = value
    if value is not None and trait.kind == "literal":
        found["class"] = trait.told(value)
    found["evidence"] = list(table.get("evidence", ()))
    if table.get("rationale"):
        found["rationale"] = table["rationale"]
    return {**found, "items": list(_rows(trace, table))}


def _rows(trace: Trace, table: Mapping[str, Any]) -> Iterator[dict[str, int]]:
    """Where the excerpts stand: where the table says so and they do, else at their first free
    place.
    """
    finder = Finder(trace.response)
    texts, given = table.get("evidence", ()), _places(table)
    kept = []
    for index, text in enumerate(texts):
        kept.append([span for span in given.get(index, ()) if finder.has(text, span)])
    taken = [span for spans in kept for span in spans]
    for index, text in enumerate(texts):
        spans = kept[index]
        if not spans:
            spans = finder.find_parts(text, taken)
            taken += spans
        for start, end in spans:
            yield {"index": index, "start": start, "end": end}


def _places(table: Mapping[str, Any]) -> dict[int, list[tuple[int, int]]]:
    """The offsets that a table gives for its excerpts, by position."""
    places: dict[int, list[tuple[int, int]]] = {}
    for row in table.get("items", ()):
        if "start" in row and "end" in row:
            places.setdefault(row["index"], []).append((row["start"], row["end"]))
    return places


def from_table(trait: LLMRubricTrait, trace: Trace, table: Mapping[str, Any]) -> Labels:
    """The labels of a located table: an excerpt with offsets becomes the exact slice of the
    response.
    """
    value, places = value_of(trait, table), _places(table)
    evidence: list[Excerpt] = []
    for index, text in enumerate(table.get("evidence", ())):
        if index not in places:
            evidence.append(Excerpt(text))
        for start, end in places.get(index, ()):
            evidence.append(Excerpt(trace.response[start:end], start, end))
    name = trait.told(value) if trait.kind == "literal" else ""
    return Labels(value, name, tuple(evidence), table.get("rationale", ""))


def write(labels: Labels) -> dict[str, Any]:
    """The labels' part of a judgment in the audit file (its `audited` and `items`)."""
    audited: dict[str, Any] = {}
    if labels.value is not None:
        audited["value"] = labels.value
    if labels.name:
        audited["class"] = labels.name
    audited["evidence"] = [excerpt.text for excerpt in labels.evidence]
    if labels.rationale:
        audited["rationale"] = labels.rationale
    rows = [
        {"index": index, "start": excerpt.start, "end": excerpt.end}
        for index, excerpt in enumerate(labels.evidence)
        if excerpt.span
    ]
    return {"audited": audited, "items": rows} if rows else {"audited": audited}
