"""Defines the labels of a pairwise cell: the verdict, and excerpts for it, each of one answer.

In tables `evidence` has the words of each excerpt, and `items` says by its position from which
answer it is and where it is in the text of the pair.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Fault, Table
from appellate.core.problem import quoted
from appellate.traits.evidence import (
    Finder,
    describe_given,
    item_faults,
    position_fault,
    span_faults,
    text_faults,
)
from appellate.traits.pairwise.spec import ANSWERS, PairTrace, Side
from appellate.traits.verdict.kind import Overrulable

_OFFSET = {"type": "integer"}
ITEM_SCHEMA = {
    "index": _OFFSET,
    "answer": {"enum": [*ANSWERS]},
    "start": _OFFSET,
    "end": _OFFSET,
}


class Excerpt(Struct, frozen=True):
    """Words of one of the two answers that speak for a verdict."""

    text: str
    answer: str
    """The answer that it is from, as files name it: `response` or `other`."""
    span: tuple[int, int] | None = None
    """Its offsets in the text of the pair; None if it is not in that answer."""

    def row(self, index: int) -> dict[str, Any]:
        """Return what files have of the excerpt besides its text, by key.

        It is such as {"index": 0, "answer": "other", "start": 40, "end": 45}. `index` is its
        position (from 0), and `answer` the response that it is said to be from. Its offsets in the
        pair's text are left out if it is not in that response.
        """
        row: dict[str, Any] = {"index": index, "answer": self.answer}
        if self.span is not None:
            row["start"], row["end"] = self.span
        return row


class Labels(Overrulable, frozen=True):
    """A verdict, the judge's own, and what the judge said with either response first."""

    is_swapped: bool | None = None
    """Whether side A is the trace's `other` response; None before labels know their trace."""
    orders: tuple[str, ...] = ()
    """The judge's verdict with the trace's response first, then with the other first.

    Each is `response`, `other`, `tie` or "cannot tell". Empty if the orders are not known, as of
    labels that came with the traces or from a person.
    """
    evidence: tuple[Excerpt, ...] = ()
    """The excerpts for the judge's own verdict: the judge's, as a person corrected them."""
    own_evidence: tuple[Excerpt, ...] = ()
    """A person's excerpts for a verdict that is not the judge's."""

    @property
    def is_turned(self) -> bool:
        """Whether the judge's verdict changed when the responses changed places."""
        return len(set(self.orders)) > 1

    @property
    def is_judges_verdict(self) -> bool:
        """Whether the current verdict is the one that the judge gave."""
        return self.found is not None and not self.is_overruled

    @property
    def supporting(self) -> tuple[Excerpt, ...]:
        """The excerpts that speak for the current verdict."""
        return self.evidence if self.is_judges_verdict else self.own_evidence

    def with_supporting(self, excerpts: tuple[Excerpt, ...]) -> "Labels":
        """Return the labels with other excerpts for the current verdict.

        They replace the judge's excerpts if the verdict is the judge's, else the person's.
        """
        if self.is_judges_verdict:
            return replace(self, evidence=excerpts)
        return replace(self, own_evidence=excerpts)


def placed(pair: PairTrace, table: Table) -> Iterator[dict[str, Any]]:
    """Yield a row with answer and offsets for each excerpt of a table, in order.

    For {"evidence": ["Paris"], "items": [{"index": 0, "answer": "other"}]} it is {"index": 0,
    "answer": "other", "start": 40, "end": 45}. Offsets in the table are kept if the excerpt's words
    are there. Otherwise the excerpt is looked for in its own answer only, first where no other
    excerpt is. "A … B" may have two rows, and an excerpt that is not in its answer has a row
    without offsets. The table must be free of faults: raises KeyError for an excerpt without an
    answer.
    """
    answers_by_index: dict[int, str] = {}
    spans_by_index: dict[int, list[tuple[int, int]]] = {}
    for row in table.get("items", ()):
        index = row["index"]
        answers_by_index[index] = row["answer"]
        if "start" in row and "end" in row:
            spans_of_excerpt = spans_by_index.setdefault(index, [])
            spans_of_excerpt.append((row["start"], row["end"]))
    used_spans: list[tuple[int, int]] = []
    for index, text in enumerate(table.get("evidence", ())):
        side = pair.side_of(answers_by_index[index])
        spans = []
        for span in spans_by_index.get(index, ()):
            if is_there(side, text, span):
                spans.append(span)
        spans = spans or find_in_side(side, text, used_spans)
        used_spans += spans
        if not spans:
            yield Excerpt(text, side.answer).row(index)
        for span in spans:
            yield Excerpt(text, side.answer, span).row(index)


def is_there(side: Side, text: str, span: tuple[int, int]) -> bool:
    """Return whether an excerpt is at `span` of the pair's text, and that span within this side.

    The words there may differ from `text` by folding, such as case.
    """
    start, end = span
    if start < side.start or end > side.end:
        return False
    return Finder(side.text).has(text, (start - side.start, end - side.start))


def find_in_side(
    side: Side,
    text: str,
    used_spans: list[tuple[int, int]],
) -> list[tuple[int, int]]:
    """Return where an excerpt is in a side, as offsets in the pair's text; [] if it is not there.

    There are two for a text "A … B" whose parts are apart, else one. Words are compared folded, so
    case makes no difference. Spans that overlap `used_spans` are taken only if there are no others;
    these are offsets in the pair's text, too, and are not changed.
    """
    used_here: list[tuple[int, int]] = []
    for start, end in used_spans:
        is_in_side = side.start <= start and end <= side.end
        if is_in_side:
            used_here.append((start - side.start, end - side.start))
    return [
        (side.start + start, side.start + end)
        for start, end in Finder(side.text).find_parts(text, used_here)
    ]


def excerpts(pair: PairTrace, table: Table) -> tuple[Excerpt, ...]:
    """Return the excerpts of a judgment's table, in order; () for a table without any.

    The table's "evidence" has the words, its "items" the answers and the offsets in the text of the
    pair. An excerpt with offsets gets the exact words that are there. A text "A … B" may be two.
    One that is not in its answer keeps the table's words, and its span is None.
    """
    texts = table.get("evidence", ())
    if not texts:
        return ()
    excerpts: list[Excerpt] = []
    for row in placed(pair, table):
        answer = row["answer"]
        if "start" in row:
            start = row["start"]
            end = row["end"]
            excerpts.append(Excerpt(pair.text[start:end], answer, (start, end)))
        else:
            text = texts[row["index"]]
            excerpts.append(Excerpt(text, answer))
    return tuple(excerpts)


def excerpt_faults(pair: PairTrace, table: Table) -> Iterator[Fault]:
    """Yield what is wrong with the excerpts of a table, their answers and their offsets.

    Each must have a row in `items` that says which answer it is from. Yields nothing if all is
    right, or if the table has no excerpts.
    """
    yield from text_faults(table, "evidence")
    texts = table.get("evidence", [])
    size = len(texts) if isinstance(texts, list) else 0
    answers_by_index: dict[int, str] = {}

    def check(item: Table) -> Iterator[Fault]:
        """Yield what is wrong with one row of `items`: its position, its answer, its offsets.

        An answer is wrong, too, if another row says that the same excerpt is from the other one.
        """
        answer = item.get("answer")
        fault = position_fault(item, size)
        if fault is not None:
            yield fault
        elif not isinstance(answer, str) or answer not in ANSWERS:
            right = " or ".join(map(quoted, ANSWERS))
            shown_answer = describe_given(answer)
            wrong = f"must be {right}, not {shown_answer}"
            yield Fault(("answer",), wrong)
        elif answers_by_index.setdefault(item["index"], answer) != answer:
            wrong = f"is {quoted(answer)}, and another row says that this excerpt is from the other"
            yield Fault(("answer",), wrong)
        yield from span_faults(item, pair)

    yield from item_faults(table, ITEM_SCHEMA, check)
    for index in range(size):
        if index not in answers_by_index:
            right = f'{{index = {index}, answer = "response"}} in items says it'
            yield Fault(("evidence", index), "is from neither answer", right)
