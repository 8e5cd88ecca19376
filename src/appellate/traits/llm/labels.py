"""What is labelled of an LLM trait: a verdict, its excerpts and a reason; as files have them."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import CANNOT_TELL, Fault, Table
from appellate.core.problem import describe_value
from appellate.core.trace import Trace
from appellate.traits.evidence import Finder, describe_given, item_faults, span_faults, text_faults
from appellate.traits.verdict.kind import Verdict

_OFFSET = {"type": "integer"}
_ITEM = {"index": _OFFSET, "start": _OFFSET, "end": _OFFSET, "step": _OFFSET, "named_step": _OFFSET}
LABEL_SCHEMA = {
    "value": {"anyOf": [{"type": ["boolean", "integer"]}, {"const": CANNOT_TELL}]},
    "class": {"type": "string"},
    "evidence": {"type": "array", "items": {"type": "string"}},
    "rationale": {"type": "string"},
    "items": {"type": "array", "items": {"type": "object", "properties": _ITEM}},
}


class Excerpt(Struct, frozen=True):
    """Words that a verdict rests on, and their codepoint offsets where they are in the response.

    `named_step` is the step of a conversation that the judge named, unless they were found there.
    """

    text: str
    span: tuple[int, int] | None = None
    named_step: int | None = None

    def row(self, index: int) -> dict[str, int]:
        """Return what is known of the excerpt at a position beside its text, as files have it."""
        row = {"index": index}
        if self.span is not None:
            row["start"], row["end"] = self.span
        if self.named_step is not None:
            row["named_step"] = self.named_step
        return row


class Labels(Verdict, frozen=True):
    """A verdict, the name of its class where it is one, and what speaks for it."""

    name: str = ""
    evidence: tuple[Excerpt, ...] = ()
    rationale: str = ""


def placed(trace: Trace, table: Table) -> Iterator[dict[str, int]]:
    """Where the excerpts stand: as the table says if they do, else at their first free place.

    Of a conversation that is one in the step that the table names, if there is any; the name of
    another step stays.
    """
    finder = Finder.of(trace)
    texts = table.get("evidence", ())
    given = _places(table)
    named = named_steps(table)
    kept = []
    taken: list[tuple[int, int]] = []
    for index, text in enumerate(texts):
        kept.append([span for span in given.get(index, ()) if finder.has(text, span)])
        taken += kept[index]
    for index, text in enumerate(texts):
        spans = kept[index]
        if not spans:
            spans = finder.find_parts(text, taken, named.get(index))
            taken += spans
        if not spans and index in named:
            yield {"index": index, "named_step": named[index]}
        for span in spans:
            named_step = named.get(index)
            if finder.step_no(span) == named_step:
                named_step = None
            yield Excerpt(text, span, named_step).row(index)


def named_steps(table: Table) -> dict[int, int]:
    """Return the steps that a table names for its excerpts, by position."""
    rows = table.get("items", ())
    return {row["index"]: row["named_step"] for row in rows if "named_step" in row}


def _places(table: Table) -> dict[int, list[tuple[int, int]]]:
    """The offsets that a table gives for its excerpts, by position."""
    places: dict[int, list[tuple[int, int]]] = {}
    for row in table.get("items", ()):
        if "start" in row and "end" in row:
            places.setdefault(row["index"], []).append((row["start"], row["end"]))
    return places


def excerpts(trace: Trace, table: Table) -> tuple[Excerpt, ...]:
    """The excerpts of a located table: one with offsets is the exact slice of the response."""
    places = _places(table)
    named = named_steps(table)
    found: list[Excerpt] = []
    for index, text in enumerate(table.get("evidence", ())):
        named_step = named.get(index)
        if index not in places:
            found.append(Excerpt(text, named_step=named_step))
        for start, end in places.get(index, ()):
            found.append(Excerpt(trace.text[start:end], (start, end), named_step))
    return tuple(found)


def with_steps(labels: Labels, trace: Trace) -> Labels:
    """Return labels in which an excerpt that is found has the number of its step as the named one.

    So an example shows a judge of a conversation which step to name.
    """
    finder = Finder.of(trace)
    evidence: list[Excerpt] = []
    for excerpt in labels.evidence:
        if excerpt.span:
            evidence.append(replace(excerpt, named_step=finder.step_no(excerpt.span)))
        else:
            evidence.append(excerpt)
    return replace(labels, evidence=tuple(evidence))


def write(labels: Labels) -> dict[str, Any]:
    """The labels' part of a judgment in the audit file (its `audited` and `items`)."""
    whole = {
        "value": labels.value,
        "class": labels.name,
        "evidence": [excerpt.text for excerpt in labels.evidence],
        "rationale": labels.rationale,
    }
    audited = {key: known for key, known in whole.items() if known is not None and known != ""}
    rows = []
    for index, excerpt in enumerate(labels.evidence):
        row = excerpt.row(index)
        if len(row) > 1:
            rows.append(row)
    if not rows:
        return {"audited": audited}
    return {"audited": audited, "items": rows}


# -- what is wrong with a table --------------------------------------------------------------------


def excerpt_faults(trace: Trace, table: Table) -> Iterator[Fault]:
    """What is wrong with the excerpts of a table, and with the judge's reason."""
    yield from text_faults(table, "evidence")
    rationale = table.get("rationale", "")
    texts = table.get("evidence", [])
    if not isinstance(rationale, str):
        yield Fault(("rationale",), f"must be text, not {describe_value(rationale)}")
    size = len(texts) if isinstance(texts, list) else 0

    def check(item: Table) -> Iterator[Fault]:
        index = item.get("index")
        if type(index) is not int or not 0 <= index < size:
            wrong = f"must be a position in evidence, which has {size} items, not"
            yield Fault(("index",), f"{wrong} {describe_given(index)}")
        yield from span_faults(item, trace)

    yield from item_faults(table, _ITEM, check)
