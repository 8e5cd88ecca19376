"""One instruction of a metric trait in any cell: how it stands, and the edits that answer it.

They are those of its line on the checklist, so that going by instruction and going by cell come to
the same facts.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import Grounds, Instruction
from appellate.core.problem import Refused
from appellate.traits.metric import rows, wanted_edits
from appellate.traits.metric.edits import Edit, shows_omission
from appellate.traits.metric.labels import Bucket, Labels, List
from appellate.traits.metric.ledger import MARKS, STANDS, buckets_of
from appellate.traits.metric.rows import ChecklistEntry
from appellate.traits.metric.spec import MetricRubricTrait

_OPEN = {"open": "open", "both": "both"}


def grounds(trait: MetricRubricTrait, labels: Labels, asked: Instruction) -> Grounds:
    """Found, missing, present, absent; both, or open where it is nowhere. What is missing or
    absent rests on the words that deny it, where there are any.
    """
    entry = _entry(trait, labels, asked)
    spans = tuple(row.item.span for row in entry.excerpts if row.item.span)
    shown = [row for row in entry.excerpts if not row.item.omission]
    loose = tuple(row.item.text for row in shown if not row.item.span)
    if loose == (entry.text,):  # taken on without words of the response
        loose = ()
    reasons = [row.item.rationale for row in entry.items if row.item.rationale]
    omission = len(shown) < len(entry.excerpts)
    style: str = "" if entry.standing in _OPEN else entry.items[0].bucket
    if entry.is_denied and not entry.excerpts:
        item, style = next(row.item for row in entry.held if row.item.denied), "denied"
        if item.span:
            spans = (item.span,)
        else:
            loose = (item.denied,)
    return Grounds(entry.standing, style, spans, loose, " ".join(reasons), omission)


def _entry(trait: MetricRubricTrait, labels: Labels, asked: Instruction) -> ChecklistEntry:
    of: List = asked.of  # type: ignore[assignment]
    held = {bucket: rows.rows(trait, labels, bucket) for bucket in buckets_of(asked.of)}
    return rows.entries(trait, held, of)[asked.number - 1]


def sayable(trait: MetricRubricTrait, asked: Instruction) -> Mapping[str, str]:  # noqa: ARG001
    """The two buckets that answer an instruction of this list."""
    return {bucket: STANDS[bucket] for bucket in buckets_of(asked.of)}


def edits(
    trait: MetricRubricTrait, labels: Labels, asked: Instruction, answer: str
) -> Sequence[Edit]:
    """Those of the checklist, by omission where they may be; raises Refused for a bucket that does
    not answer the instruction.
    """
    to: Bucket = answer  # type: ignore[assignment]
    yes, no = buckets_of(asked.of)
    if to not in (yes, no):
        raise Refused(
            f"This is a {asked.of.upper()} instruction: it goes into {MARKS[yes]} or {MARKS[no]}."
        )
    entry = _entry(trait, labels, asked)
    if entry.standing == STANDS[to]:
        return ()
    return [
        replace(edit, omission=True) if shows_omission(trait, labels, edit) else edit
        for edit in wanted_edits.turned(entry, to)
    ]


def takes_words(wanted: Sequence[Edit]) -> bool:
    return wanted_edits.lacks_evidence(tuple(wanted))


def bear_out(wanted: Sequence[Edit], span: tuple[int, int] | None) -> Sequence[Edit]:
    return wanted_edits.with_evidence(tuple(wanted), span)


def likely(cell: Cell, asked: Instruction) -> Sequence[tuple[int, int]]:
    from appellate.traits.metric.likely_evidence import likely_evidence  # only here: 30 ms

    of: List = asked.of  # type: ignore[assignment]
    return likely_evidence(cell, (of, asked.number), asked.text)
