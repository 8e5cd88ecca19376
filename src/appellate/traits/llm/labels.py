"""Defines the labels of an LLM cell, and reads, writes and checks them as tables."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import CANNOT_TELL, Fault, Table
from appellate.core.problem import describe_value
from appellate.core.trace import Trace
from appellate.traits.evidence import (
    Finder,
    item_faults,
    position_fault,
    span_faults,
    text_faults,
)
from appellate.traits.verdict.kind import Verdict

_OFFSET = {"type": "integer"}
_ITEM = {
    "index": _OFFSET,
    "start": _OFFSET,
    "end": _OFFSET,
    "step": _OFFSET,
    "named_step": _OFFSET,
}
LABEL_SCHEMA = {
    "value": {"anyOf": [{"type": ["boolean", "integer"]}, {"const": CANNOT_TELL}]},
    "class": {"type": "string"},
    "evidence": {"type": "array", "items": {"type": "string"}},
    "rationale": {"type": "string"},
    "items": {"type": "array", "items": {"type": "object", "properties": _ITEM}},
}


class Excerpt(Struct, frozen=True):
    """Words that support a verdict."""

    text: str
    span: tuple[int, int] | None = None
    """Their offsets in code points; None if they are not in the response."""
    named_step: int | None = None
    """The step of a conversation that the judge named for them, unless they are there."""

    def row(self, index: int) -> dict[str, int]:
        """Return what files have of the excerpt besides its text.

        It is such as {"index": 0, "start": 3, "end": 8, "named_step": 2}. `index` is its position
        (from 0). Offsets and step are left out if there are none.
        """
        row = {"index": index}
        if self.span is not None:
            row["start"], row["end"] = self.span
        if self.named_step is not None:
            row["named_step"] = self.named_step
        return row


class Labels(Verdict, frozen=True):
    """A verdict and what supports it."""

    name: str = ""
    """The name of the class, or "" if the verdict is no class."""
    evidence: tuple[Excerpt, ...] = ()
    rationale: str = ""
    """The judge's reason, or ""."""


def placed(trace: Trace, table: Table) -> Iterator[dict[str, int]]:
    """Yield a row with offsets for each excerpt of a table, as {"index": 0, "start": 3, "end": 8}.

    They are in order. Offsets in the table are kept if the words are there. Otherwise the excerpt
    is found where no other one is, in a conversation first in the step that the table names. "A …
    B" may have two rows. A row names the judge's step only if the words are in another one. An
    excerpt that is nowhere has a row only if it names a step.
    """
    texts = table.get("evidence", ())
    if not texts:
        return

    finder = Finder.of(trace)
    spans_by_index = _places(table)
    steps_by_index = named_steps(table)
    valid_spans = []
    used_spans: list[tuple[int, int]] = []
    for index, text in enumerate(texts):
        valid_spans.append(
            [span for span in spans_by_index.get(index, ()) if finder.has(text, span)],
        )
        used_spans += valid_spans[index]
    for index, text in enumerate(texts):
        spans = valid_spans[index]
        if not spans:
            spans = finder.find_parts(text, used_spans, steps_by_index.get(index))
            used_spans += spans
        if not spans and index in steps_by_index:
            yield {"index": index, "named_step": steps_by_index[index]}
        for span in spans:
            named_step = steps_by_index.get(index)
            if finder.step_no(span) == named_step:
                named_step = None
            yield Excerpt(text, span, named_step).row(index)


def named_steps(table: Table) -> dict[int, int]:
    """Return the numbers of the steps that a table names for its excerpts, by position (from 0).

    The table is such as {"items": [{"index": 0, "named_step": 4}]}, for which it is {0: 4}. An
    excerpt without a step is left out.
    """
    rows = table.get("items", ())
    return {row["index"]: row["named_step"] for row in rows if "named_step" in row}


def _places(table: Table) -> dict[int, list[tuple[int, int]]]:
    """Return the offsets that a table gives for its excerpts, by position (from 0).

    The table is such as {"items": [{"index": 0, "start": 3, "end": 8}]}, for which it is {0: [(3,
    8)]}. An excerpt without any is left out.
    """
    spans_by_index: dict[int, list[tuple[int, int]]] = {}
    for row in table.get("items", ()):
        if "start" in row and "end" in row:
            spans = spans_by_index.setdefault(row["index"], [])
            spans.append((row["start"], row["end"]))
    return spans_by_index


def excerpts(trace: Trace, table: Table) -> tuple[Excerpt, ...]:
    """Return the excerpts of a table that `placed` has completed, in order.

    One with offsets has the exact slice of the judged text. One with several pairs of offsets
    becomes several excerpts, and one without keeps its words. Empty for a table without any.
    """
    texts = table.get("evidence", ())
    if not texts:
        return ()

    spans_by_index = _places(table)
    steps_by_index = named_steps(table)
    excerpt_list: list[Excerpt] = []
    for index, text in enumerate(texts):
        named_step = steps_by_index.get(index)
        if index not in spans_by_index:
            excerpt_list.append(Excerpt(text, named_step=named_step))
        for start, end in spans_by_index.get(index, ()):
            excerpt_list.append(
                Excerpt(trace.text[start:end], (start, end), named_step),
            )
    return tuple(excerpt_list)


def with_steps(labels: Labels, trace: Trace) -> Labels:
    """Return labels in which each excerpt with a span names the step that it is in.

    Outside of a conversation it names None. Excerpts without a span keep the step that they name.
    The labels are for an example, which shows a judge of a conversation which step to name.
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
    """Return the labels as a judgment of an audit file has them, by key.

    "audited" has "value", "class", "evidence" (the excerpts' words) and "rationale", without those
    that are None or "". "items" has a row for each excerpt with offsets or a step, such as
    {"index": 0, "start": 3, "end": 8, "named_step": 2}, and is left out if there are none.
    """
    fields = {
        "value": labels.value,
        "class": labels.name,
        "evidence": [excerpt.text for excerpt in labels.evidence],
        "rationale": labels.rationale,
    }
    audited = {
        key: value for key, value in fields.items() if value is not None and value != ""
    }
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
    """Yield what is wrong with the excerpts of a table, their offsets and the judge's reason.

    `evidence` is a list of texts, `rationale` a text, and each row of `items` has an `index` into
    `evidence` and offsets within the text of the trace. Whether an excerpt stands at its offsets is
    not checked. Yields nothing if all is right; each of the three may be missing.
    """
    yield from text_faults(table, "evidence")
    rationale = table.get("rationale", "")
    texts = table.get("evidence", [])
    if not isinstance(rationale, str):
        shown_value = describe_value(rationale)
        yield Fault(("rationale",), f"must be text, not {shown_value}")
    size = len(texts) if isinstance(texts, list) else 0

    def check(item: Table) -> Iterator[Fault]:
        """Yield what is wrong with one row of `items`: its position and its offsets."""
        fault = position_fault(item, size)
        if fault is not None:
            yield fault
        yield from span_faults(item, trace)

    yield from item_faults(table, _ITEM, check)
