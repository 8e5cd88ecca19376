"""The line at the top: the cell, who answered and judged, how far one is, what is kept."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from appellate.core.cell import Cell, reason_of
from appellate.core.deciding import standing_verdict
from appellate.core.describe import describe_moved, describe_unsettled
from appellate.core.problem import many
from appellate.core.trace import epoch_text, name_of
from appellate.session.review_session import roughly, span
from appellate.store.cells import CellRow
from appellate.store.fact_rows import SamplePlace
from appellate.ui.bar import Part
from appellate.ui.marks import Marks, progress, spelt
from appellate.ui.text import clip

if TYPE_CHECKING:
    from appellate.judging.progress import Progress


def done(cell: Cell, marks: Marks) -> str:
    """What was done to a cell: its corrections that count, and who signed it off."""
    text = f"{getattr(marks, cell.state)} "
    standing = [fact for fact in cell.corrections if fact.n in cell.edits]
    if cell.ruled:  # those that made the verdict are it
        standing = [fact for fact in standing if fact.n > cell.ruled.n]
    corrections = many(len(standing), "correction") if standing else ""
    reasons = sum(bool(reason_of(cell, fact)) for fact in standing)
    if reasons:
        corrections += f", {many(reasons, 'reason')}"
    if cell.hidden:
        return text + "blind"
    if cell.unsettled:
        return text + ", ".join(filter(None, (describe_unsettled(cell), corrections)))
    if not cell.signed:
        return text + (corrections or cell.state)
    signed = f"signed off by {cell.signed.by}"
    if cell.signed is cell.ruled:
        how = "ruled blind" if cell.ruled_blind else "ruled"
        signed = f"{how} by {cell.signed.by}"
    return text + ", ".join(filter(None, (signed, corrections)))


class PaneTitle:
    """The title of the cell in sight; what is said of it is looked up once for each."""

    def __init__(self) -> None:
        self._of: Cell | None = None
        self._said = ""

    def of(self, cell: Cell, pane: str) -> str:
        """The title, after what the pane calls itself."""
        title = f"{pane} · {cell.subject.trait.name}"
        if cell.hidden:
            return f"Blind · {title}"
        if self._of is not cell:
            self._of = cell
            self._said = describe_moved(cell)
            if not self._said and cell.ruled:
                self._said = standing_verdict(cell)
        return " · ".join(filter(None, (title, self._said)))


_QUEUE = 24  # cells for what the queue is narrowed to
_MODEL = 20  # cells for who answered
_NAME = 36  # cells for who judged: a panel names every member
STATES = (
    ("reviewed", "signed off"),
    ("corrected", "edited, not signed off"),
    ("proposed", "judged, untouched"),
    ("failed", "the judge gave nothing"),
    ("pending", "not judged yet"),
)


class Overview(NamedTuple):
    """How far the session is as a whole, and what could not be kept or written."""

    audit: Path
    readonly: bool
    refused: str
    unwritten: str
    trace: int
    traces: int
    reviewed: int
    cells: int
    each: timedelta | None = None
    left: timedelta | None = None
    queue: str = ""
    place: str = ""
    sample: SamplePlace | None = None
    trait: str = ""
    """Which of several traits of one answer the cell is of: "trait 1/2"."""


Line = tuple[Sequence[Part], Sequence[Part]]


def header_line(
    overview: Overview,
    row: CellRow,
    cell: Cell,
    tally: "Progress | None",
    reviewer: str,
    marks: Marks,
) -> Line:
    """Which cell this is, who answered and judged, what was done to it, how far one is. Trace,
    trait and what went wrong stay longest as the screen narrows.
    """
    trait = cell.subject.trait
    model = cell.subject.trace.model or ""
    left = [
        Part(name_of(row.trace_id, row.epoch), "strong", 1),
        Part(epoch_text(row.epoch), "muted", 2),
        Part(trait.name, "", 1),
        Part(overview.trait, "muted", 3),
        Part(f"answered by {clip(model, _MODEL, marks)}" if model else "", "muted", 3),
    ]
    right = [*running(tally, marks)]
    if cell.judge and tally is None:
        record = cell.judge.judge
        judge = str(record.get("model") or record.get("name", ""))
        if record.get("model") and record.get("name") == "recorded":
            judge += " (recorded)"  # by labels that came with the traces
        right.append(Part(f"judge {clip(judge, _NAME, marks)}", "muted", 5))
    right += [Part(done(cell, marks), _STYLES[cell.state], 2), *_unusual(row, cell, marks)]
    sample = overview.sample
    if sample and sample.unit is None:
        right.append(Part(sample.describe, "muted", 3))
    elif sample:
        right.append(Part(sample.describe, "busy", 2))
    right += _how_far(overview, marks)
    right.append(Part(overview.audit.name, "muted", 8))
    return left, [*right, Part(reviewer, "muted", 9), kept(overview, marks)]


def _unusual(row: CellRow, cell: Cell, marks: Marks) -> list[Part]:
    """What is true of few cells."""
    found = []
    if cell.flag:
        found.append(Part(f"{marks.flag} flagged", "busy", 2))
    if cell.comments:
        found.append(Part(f"{marks.comment} {many(len(cell.comments), 'comment')}", "busy", 2))
    if cell.contest and cell.hidden:
        found.append(Part("two reviewers differ: V", "busy", 1))
    if cell.orphaned:  # of a changed trait they wait for new labels
        where = "fit no instruction now" if cell.judge else "wait for new labels"
        found.append(Part(f"{many(len(cell.orphaned), 'correction')} {where}", "busy", 3))
    if cell.round > 1:
        found.append(Part(f"round {cell.round}", "muted", 4))
    if cell.lapsed and cell.signed:
        found.append(Part(describe_unsettled(cell), "busy", 3))
    if cell.outdated:
        found.append(Part("signed off under an earlier trait", "busy", 4))
    if row.example:
        found.append(Part("shown to a judge as an example", "muted", 5))
    return found


def _how_far(overview: Overview, marks: Marks) -> list[Part]:
    """The place in the queue, sign-offs, and how long they take."""
    found = []
    if overview.place:
        found.append(Part(clip(overview.queue, _QUEUE, marks), "busy", 6))
        found.append(Part(f"queue {overview.place}", "busy", 4))
    found.append(Part(f"trace {overview.trace}/{overview.traces}", "muted", 6))
    bar = progress(overview.reviewed, overview.cells, 6, marks)
    found.append(Part(f"reviewed {overview.reviewed}/{overview.cells}", "", 2))
    found.append(Part(bar, "", 4))
    if overview.left:
        found.append(Part(f"{roughly(overview.left)} left", "muted", 7))
    if overview.each:
        found.append(Part(f"{span(overview.each)} each", "muted", 8))
    return found


def running(tally: "Progress | None", marks: Marks) -> list[Part]:
    """The run's progress in a few words; how far it is stays longest."""
    if tally is None:
        return []
    far = [f"judging {tally.done}/{tally.done + (tally.left or 0)}"]
    if tally.failed:
        far.append(f"{tally.failed} failed")
    if tally.absent:
        far.append(f"{tally.absent} without all judges")
    going = []
    if tally.rate >= 1:
        going.append(f"{tally.rate:.0f}/s")
    elif tally.rate:
        going.append(f"{tally.rate * 60:.0f}/min")
    if tally.seconds_left and tally.seconds_left >= 1:
        minutes, seconds = divmod(round(tally.seconds_left), 60)
        going.append(f"{minutes}:{seconds:02} left")
    if tally.stalled:
        going = [tally.silence_text]
        if tally.waiting is None:
            far = [*far, *going]
            going = []
        else:
            far.append(tally.end_text)
    return [
        Part(spelt(" · ".join(far), marks), "busy", 1),
        Part(spelt(" · ".join(going), marks), "busy", 3),
        Part(_cost(tally), "busy", 2),
    ]


def _cost(tally: "Progress") -> str:
    """What was spent, of what all will be: in the currency that the prices are in."""
    if not tally.cost:
        return ""
    if tally.left and tally.expected_cost:
        return f"cost {tally.cost:.2f}/{tally.expected_cost:.2f}"
    return f"cost {tally.cost:.2f}"


def describe(marks: Marks) -> str:
    """What the line says, for a tooltip: a sentence to a line."""
    return "\n".join(
        (
            f"{marks.reviewed} saved: everything done is safe in the workspace",
            "not exported: the audit file could not be written; Ctrl+S says why",
            "reviewed: cells signed off, of all cells",
            "sample 7/60: the seventh of the 60 that were drawn at random, in the order drawn",
            "outside the sample: reviewed like any other, and in no estimate",
            "trait 1/2: each answer has a cell for each trait of the rubric; this is its first",
            "epoch 2: the same question, answered a second time",
            "left, each: at your pace over the last sign-offs, pauses left out",
            *(f"{getattr(marks, state)} {state}: {what}" for state, what in STATES),
            f"{marks.flag} flagged, to come back to",
            f"{marks.comment} somebody commented; C shows what",
        )
    )


def kept(overview: Overview, marks: Marks) -> Part:
    """Whether everything is kept; the audit file is spoken of where it could not be written."""
    if overview.refused:
        return Part(f"{marks.failed} NOT SAVED", "bad")
    if overview.readonly:
        return Part("read only", "bad")
    if overview.unwritten:
        return Part(f"{marks.reviewed} saved, not exported", "bad")
    return Part(f"{marks.reviewed} saved", "good", 1)


_STYLES = {
    "reviewed": "good",
    "proposed": "",
    "corrected": "busy",
    "failed": "bad",
    "pending": "muted",
}
