"""What is labelled of an LLM trait: a verdict, the excerpts it rests on, a reason; their shape in
files, and what can be wrong with such a table.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from appellate.core.kind import Fault, Table
from appellate.core.problem import describe_value, unknown_key
from appellate.core.trace import Trace
from appellate.traits.evidence import Finder, describe_given, item_faults, span_faults, text_faults
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.labels import table_of, value_faults, value_of
from appellate.traits.verdict.scale import Value

KEYS = ("value", "class", "evidence", "rationale")
"""The keys of a table of labels, beside `items`."""


class Excerpt(Struct, frozen=True):
    """Words that a verdict rests on; `start` and `end` are codepoint offsets where they stand in
    the response.
    """

    text: str
    start: int | None = None
    end: int | None = None

    @property
    def span(self) -> tuple[int, int] | None:
        if self.start is None or self.end is None:
            return None
        return self.start, self.end


class Labels(Struct, frozen=True):
    """A verdict (None while there is none), the name of its class where it is one, and what speaks
    for it.
    """

    value: Value | None = None
    name: str = ""
    evidence: tuple[Excerpt, ...] = ()
    rationale: str = ""


def located(trait: LLMRubricTrait, trace: Trace, table: Table) -> dict[str, Any]:
    """A judge's table with its value and class, and the offsets of its excerpts; its words stay."""
    value = value_of(trait, table)
    found: dict[str, Any] = {}
    if value is not None:
        found = table_of(trait, value)
    found["evidence"] = list(table.get("evidence", ()))
    if table.get("rationale"):
        found["rationale"] = table["rationale"]
    return {**found, "items": list(_rows(trace, table))}


def _rows(trace: Trace, table: Table) -> Iterator[dict[str, int]]:
    """Where the excerpts stand: where the table says so and they do, else at their first free
    place.
    """
    finder = Finder(trace.response)
    texts, given = table.get("evidence", ()), _places(table)
    kept = []
    taken: list[tuple[int, int]] = []
    for index, text in enumerate(texts):
        kept.append([span for span in given.get(index, ()) if finder.has(text, span)])
        taken += kept[index]
    for index, text in enumerate(texts):
        spans = kept[index]
        if not spans:
            spans = finder.find_parts(text, taken)
            taken += spans
        for start, end in spans:
            yield {"index": index, "start": start, "end": end}


def _places(table: Table) -> dict[int, list[tuple[int, int]]]:
    """The offsets that a table gives for its excerpts, by position."""
    places: dict[int, list[tuple[int, int]]] = {}
    for row in table.get("items", ()):
        if "start" in row and "end" in row:
            places.setdefault(row["index"], []).append((row["start"], row["end"]))
    return places


def from_table(trait: LLMRubricTrait, trace: Trace, table: Table) -> Labels:
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
    name = ""
    if trait.kind == "literal":
        name = trait.describe(value)
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
    rows = []
    for index, excerpt in enumerate(labels.evidence):
        if excerpt.span:
            rows.append({"index": index, "start": excerpt.start, "end": excerpt.end})
    if not rows:
        return {"audited": audited}
    return {"audited": audited, "items": rows}


# -- what is wrong with a table --------------------------------------------------------------------


ITEM_KEYS = ("index", "start", "end")


def faults(trait: LLMRubricTrait | None, trace: Trace, table: Table) -> Iterator[Fault]:
    """Everything wrong with one table; its verdict is held to the trait where that is known."""
    yield from _verdict(trait, table)
    yield from text_faults(table, "evidence")
    rationale = table.get("rationale", "")
    if not isinstance(rationale, str):
        yield Fault(("rationale",), f"must be text, not {describe_value(rationale)}")
    yield from item_faults(table, lambda item: _item(item, table, trace.response))


def _verdict(trait: LLMRubricTrait | None, table: Table) -> Iterator[Fault]:
    wanted = _wanted(trait)
    if table.get("value") is None and table.get("class") is None:
        yield Fault((), "has no value", f"value is {wanted}")
        return
    yield from value_faults(trait, table, wanted, (bool, int))


def _wanted(trait: LLMRubricTrait | None) -> str:
    return trait.wanted() if trait else "true, false or a whole number"


def _item(item: Table, table: Table, response: str) -> Iterator[Fault]:
    texts = table.get("evidence", [])
    size = len(texts) if isinstance(texts, list) else 0
    index = item.get("index")
    if type(index) is not int or not 0 <= index < size:
        wrong = (
            f"must be a position in evidence, which has {size} items, not {describe_given(index)}"
        )
        yield Fault(("index",), wrong)
    yield from span_faults(item, response)
    for key in item:
        if key not in ITEM_KEYS:
            yield Fault((key,), *unknown_key(key, ITEM_KEYS), newer=True)
