"""The header of the review screen, as parts of one line.

It says which cell is open, who answered and judged, how far the review is, and what is saved.
`CellView` calls `header_line` and shows the parts.
"""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from appellate.core.cell import Cell, reason_of
from appellate.core.deciding import standing_verdict
from appellate.core.describe import describe_moved, describe_unsettled
from appellate.core.problem import USUAL, KeyNames, many, with_keys
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
    """Return the mark of a cell's state and what was done to it, for the header.

    That is who signed it off or ruled on it, and how many corrections are in force, with how many
    reasons. Of a blind cell it is only that it is blind. Corrections before a ruling are part of
    the verdict, and are not counted. What unsettled a sign-off takes its place. If nothing was
    done, it is the name of the state.
    """
    mark = getattr(marks, cell.state)
    if cell.hidden:
        return f"{mark} blind"
    acts: list[str] = []
    if cell.unsettled:
        acts.append(describe_unsettled(cell))
    elif cell.signed:
        verb = "signed off"
        if cell.signed is cell.ruled:
            verb = "ruled blind" if cell.ruled_blind else "ruled"
        acts.append(f"{verb} by {cell.signed.by}")
    corrections = _corrections(cell)
    if corrections:
        acts.append(corrections)
    if not acts:
        acts.append(cell.state)
    text = ", ".join(acts)
    return f"{mark} {text}"


def _corrections(cell: Cell) -> str:
    """Return how many corrections of a cell are in force, as "3 corrections, 2 reasons".

    Only those after the cell's ruling count, if it has one. The reasons are the number of these
    corrections that have one, and are left out if that is 0. "" if there are no corrections.
    """
    ruled_n = cell.ruled.n if cell.ruled else 0
    count = 0
    reasons = 0
    for fact in cell.corrections:
        if fact.n not in cell.edits or fact.n <= ruled_n:
            continue
        count += 1
        if reason_of(cell, fact):
            reasons += 1
    if not count:
        return ""
    text = many(count, "correction")
    if reasons:
        text += ", " + many(reasons, "reason")
    return text


class PaneTitle:
    """Makes the title of the items' frame; the description of a cell is worked out once."""

    def __init__(self) -> None:
        self._cell: Cell | None = None
        """The cell that `_description` describes."""
        self._description = ""

    def text(self, cell: Cell, pane: str) -> str:
        """Return the title for a cell: the name of its pane, its trait, and a remark if there is
        one.

        The remark is that its text changed after the judge's proposal, or else how its blind
        verdict compares with the judge. Of a blind cell the title says that it is blind, and
        nothing more.
        """
        title = f"{pane} · {cell.subject.trait.name}"
        if cell.hidden:
            return f"Blind · {title}"
        if self._cell is not cell:
            self._cell = cell
            self._description = describe_moved(cell)
            if not self._description and cell.ruled:
                self._description = standing_verdict(cell)
        return " · ".join(filter(None, (title, self._description)))


_QUEUE = 24
"""Columns for the filter and order of the queue."""
_MODEL = 20
"""Columns for the model that answered."""
_NAME = 36
"""Columns for the judge; a panel names every member."""
STATES = (
    ("reviewed", "signed off"),
    ("corrected", "edited, not signed off"),
    ("proposed", "judged, untouched"),
    ("failed", "the judge gave nothing"),
    ("pending", "not judged yet"),
)


class Overview(NamedTuple):
    """How far the review is as a whole, and what could not be saved or written."""

    audit: Path
    readonly: bool
    refused: str
    """Why the latest act could not be saved; "" if it was."""
    unwritten: str
    """Why the audit file could not be written; "" if it was."""
    trace: int
    """Number of the open cell's trace, from 1."""
    traces: int
    """Number of all traces."""
    reviewed: int
    """Number of cells that are signed off."""
    cells: int
    """Number of all cells."""
    time_each: timedelta | None = None
    """The usual time for a cell; None if too few were signed off to know it."""
    time_left: timedelta | None = None
    """The time that the remaining cells will take at that pace; None if it is not known."""
    queue: str = ""
    """The filter and order of the queue."""
    place: str = ""
    """The open cell's position in a queue of some cells, as "3/12"; "" in the full queue."""
    sample: SamplePlace | None = None
    """The open cell's place in the sample; None if no sample was drawn."""
    trait: str = ""
    """Which of several traits of one answer the cell judges: "trait 1/2"; "" if it has one."""
    key_names: KeyNames = USUAL
    """What the reviewer calls the keys, by their ids."""


Line = tuple[Sequence[Part], Sequence[Part]]


def header_line(
    overview: Overview,
    row: CellRow,
    cell: Cell,
    tally: "Progress | None",
    reviewer: str,
    marks: Marks,
) -> Line:
    """Return the left and the right parts of the header for an open cell.

    `tally` is the progress of a run, or None; during a run the judge is not named. The model that
    answered is left out where names are hidden. As the screen narrows, parts with a high priority
    number go first: trace, trait and errors stay longest.
    """
    trait = cell.subject.trait
    model = ""
    if not cell.hides_names:
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
            judge += " (recorded)"  # its labels came with the traces
        right.append(Part(f"judge {clip(judge, _NAME, marks)}", "muted", 5))
    right += [
        Part(done(cell, marks), _STYLES[cell.state], 2),
        *_unusual(row, cell, marks, overview.key_names),
    ]
    sample = overview.sample
    if sample and sample.unit is None:
        right.append(Part(sample.describe, "muted", 3))
    elif sample:
        right.append(Part(sample.describe, "busy", 2))
    right += _how_far(overview, marks)
    right.append(Part(overview.audit.name, "muted", 8))
    return left, [*right, Part(reviewer, "muted", 9), saved_part(overview, marks)]


def _unusual(row: CellRow, cell: Cell, marks: Marks, names: KeyNames) -> list[Part]:
    """Return parts of the header for what is true of few cells; empty for an ordinary one.

    They are a flag, comments, reviewers who differ, corrections that lost their instruction, a
    later round, a sign-off that is unsettled or under an earlier trait, and use as an example.
    """
    parts: list[Part] = []
    if cell.flag:
        parts.append(Part(f"{marks.flag} flagged", "busy", 2))
    if cell.comments:
        comments = many(len(cell.comments), "comment")
        parts.append(Part(f"{marks.comment} {comments}", "busy", 2))
    if cell.contest and cell.hidden:
        shows = with_keys(": {cell.proposals:V}", names)
        parts.append(Part(f"two reviewers differ{shows}", "busy", 1))
    if cell.orphaned:  # of a changed trait they wait for new labels
        corrections = many(len(cell.orphaned), "correction")
        state = "fit no instruction now" if cell.judge else "wait for new labels"
        parts.append(Part(f"{corrections} {state}", "busy", 3))
    if cell.round > 1:
        parts.append(Part(f"round {cell.round}", "muted", 4))
    if cell.lapsed and cell.signed:
        parts.append(Part(describe_unsettled(cell), "busy", 3))
    if cell.outdated:
        parts.append(Part("signed off under an earlier trait", "busy", 4))
    if row.example:
        parts.append(Part("shown to a judge as an example", "muted", 5))
    return parts


def _how_far(overview: Overview, marks: Marks) -> list[Part]:
    """Return parts of the header: place in the queue, trace, sign-offs, and their pace.

    The place in the queue is left out in a queue of all cells, and times until they are known.
    """
    parts: list[Part] = []
    if overview.place:
        queue_name = clip(overview.queue, _QUEUE, marks)
        parts.append(Part(queue_name, "busy", 6))
        parts.append(Part(f"queue {overview.place}", "busy", 4))
    parts.append(Part(f"trace {overview.trace}/{overview.traces}", "muted", 6))
    parts.append(Part(f"reviewed {overview.reviewed}/{overview.cells}", "", 2))
    bar = progress(overview.reviewed, overview.cells, 6, marks)
    parts.append(Part(bar, "", 4))
    if overview.time_left:
        time_left = roughly(overview.time_left)
        parts.append(Part(f"{time_left} left", "muted", 7))
    if overview.time_each:
        time_each = span(overview.time_each)
        parts.append(Part(f"{time_each} each", "muted", 8))
    return parts


def running(tally: "Progress | None", marks: Marks) -> list[Part]:
    """Return three parts for a run: how far it is, its pace, its cost; none if no run is on.

    While no answers arrive, how long that has lasted takes the place of the pace. A part may have
    no text.
    """
    if tally is None:
        return []

    counts = [f"judging {tally.done}/{tally.done + (tally.left or 0)}"]
    if tally.failed:
        counts.append(f"{tally.failed} failed")
    if tally.absent:
        counts.append(f"{tally.absent} without all judges")

    pace: list[str] = []
    if tally.stalled and tally.waiting is None:
        counts.append(tally.silence_text)
    elif tally.stalled:
        counts.append(tally.end_text)
        pace.append(tally.silence_text)
    else:
        pace = _pace(tally)
    return [
        Part(spelt(" · ".join(counts), marks), "busy", 1),
        Part(spelt(" · ".join(pace), marks), "busy", 3),
        Part(_cost(tally), "busy", 2),
    ]


def _pace(tally: "Progress") -> list[str]:
    """Return the answers a second, or a minute if below 1, and the time left as minutes:seconds.

    Each is left out until it is known. A time of less than a second is left out, too.
    """
    texts: list[str] = []
    if tally.rate >= 1:
        texts.append(f"{tally.rate:.0f}/s")
    elif tally.rate:
        rate_a_minute = tally.rate * 60
        texts.append(f"{rate_a_minute:.0f}/min")
    if tally.seconds_left and tally.seconds_left >= 1:
        whole_seconds = round(tally.seconds_left)
        minutes, seconds = divmod(whole_seconds, 60)
        texts.append(f"{minutes}:{seconds:02} left")
    return texts


def _cost(tally: "Progress") -> str:
    """Return what a run has cost, and what it will cost in all if known, as "cost 0.12/0.40".

    It is in the currency of the prices. Returns "" if it has cost nothing or has no prices.
    """
    if not tally.cost:
        return ""
    if tally.left and tally.expected_cost:
        return f"cost {tally.cost:.2f}/{tally.expected_cost:.2f}"
    return f"cost {tally.cost:.2f}"


def describe(marks: Marks, names: KeyNames) -> str:
    """Return the tooltip of the header: what its words and marks mean, a line for each.

    `names` has what the reviewer calls the keys, by their ids.
    """
    saves = with_keys("; {save:Ctrl+S} says why", names)
    shows = with_keys("; {cell.comments:C} shows what", names)
    return "\n".join(
        (
            f"{marks.reviewed} saved: everything done is safe in the workspace",
            f"not exported: the audit file could not be written{saves}",
            "reviewed: cells signed off, of all cells",
            "sample 7/60: the seventh of the 60 that were drawn at random, in the order drawn",
            "outside the sample: reviewed like any other, and in no estimate",
            "trait 1/2: each answer has a cell for each trait of the rubric; this is its first",
            "epoch 2: the same question, answered a second time",
            "left, each: at your pace over the last sign-offs, pauses left out",
            *(
                f"{getattr(marks, state)} {state}: {meaning}"
                for state, meaning in STATES
            ),
            f"{marks.flag} flagged, to come back to",
            f"{marks.comment} somebody commented{shows}",
        ),
    )


def saved_part(overview: Overview, marks: Marks) -> Part:
    """Return the last part of the header: whether everything is saved.

    That the workspace cannot be written comes first, then that the session only reads. The audit
    file is only mentioned if it could not be written.
    """
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
