"""What the two lines at the top say: the file and whether it is safe, the cell, who judged, how far
one is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from appellate.core.cell import Cell
from appellate.core.kind import Figures, Measure
from appellate.core.scale import bounds
from appellate.core.trace import name_of
from appellate.core.wordforms import many
from appellate.judging.progress import Progress
from appellate.review_session import roughly, span
from appellate.store.cells import CellRow
from appellate.ui.bar import Part
from appellate.ui.marks import Marks, progress, spelt
from appellate.ui.measures_bar import MeasureLine, MeasureValue
from appellate.ui.text import clip

_QUEUE = 24  # cells for what the queue is narrowed to
_JUDGE = 36  # cells for who judged: a panel names every member
STATES = (
    ("reviewed", "signed off"),
    ("corrected", "edited, not signed off"),
    ("proposed", "judged, untouched"),
    ("failed", "the judge gave nothing"),
    ("pending", "not judged yet"),
)


class Overview(NamedTuple):
    """How far the session is as a whole, and whether all is kept."""

    audit: Path
    behind: int
    exists: bool
    readonly: bool
    refused: str
    trace: int
    traces: int
    reviewed: int
    cells: int
    each: timedelta | None = None
    left: timedelta | None = None
    queue: str = ""
    place: str = ""


Line = tuple[Sequence[Part], Sequence[Part]]


def file_line(overview: Overview, marks: Marks) -> Line:
    """The audit and whether everything is safe; trace and sign-offs."""
    left = [Part(overview.audit.name, "strong", 1), kept(overview, marks)]
    right = [Part(clip(overview.queue, _QUEUE, marks), "busy", 4)]
    trace = f"trace {overview.trace}/{overview.traces}"
    if overview.place:
        right += [Part(f"queue {overview.place}", "busy", 2), Part(trace, "", 5)]
    else:
        right.append(Part(trace, "", 3))
    bar = progress(overview.reviewed, overview.cells, 6, marks)
    right.append(Part(f"reviewed {overview.reviewed}/{overview.cells} {bar}".rstrip(), "", 2))
    if overview.left:
        right.append(Part(f"{roughly(overview.left)} left", "muted", 7))
    if overview.each:
        right.append(Part(f"{span(overview.each)} each", "muted", 8))
    return left, right


def told(marks: Marks) -> str:
    """What the two lines say, for a tooltip: a sentence to a line."""
    return "\n".join(
        (
            f"{marks.reviewed} kept: everything done is safe in the workspace",
            "audit … behind: what the audit file does not hold yet; Ctrl+S writes it",
            "reviewed: cells signed off, of all cells",
            "left, each: at your pace over the last sign-offs, pauses left out",
            *(f"{getattr(marks, state)} {state}: {what}" for state, what in STATES),
            f"{marks.flag} flagged, to come back to",
        )
    )


def kept(overview: Overview, marks: Marks) -> Part:
    """Whether everything is kept, and how far the audit file is behind."""
    if overview.refused:
        return Part(f"{marks.failed} NOT KEPT", "bad")
    if overview.readonly:
        return Part("read only", "bad")
    if overview.behind:
        audit = f"audit {overview.behind} behind"
    elif overview.exists:
        audit = f"audit {marks.reviewed}"
    else:
        audit = "no audit yet"
    return Part(f"{marks.reviewed} kept {marks.dot} {audit}", "good")


_STYLES = {
    "reviewed": "good",
    "proposed": "",
    "corrected": "busy",
    "failed": "bad",
    "pending": "muted",
}


def cell_line(
    row: CellRow, cell: Cell, tally: Progress | None, reviewer: str, marks: Marks
) -> Line:
    """The cell: its trait, mode, state and judge; how the judge's run goes, and who reviews."""
    trait = cell.subject.trait
    state = f"{getattr(marks, cell.state)} {cell.state}"
    if cell.signed:
        state += f" by {cell.signed.by}"
    left = [Part(trait.name, "strong"), Part(state, _STYLES[cell.state])]
    if cell.flag:
        left.append(Part(f"{marks.flag} flagged", "busy", 2))
    if cell.orphaned:  # of a changed trait they wait for new labels
        where = "without a place" if cell.judge else "kept for new labels"
        left.append(Part(f"{many(len(cell.orphaned), 'correction')} {where}", "busy", 2))
    if cell.round > 1:
        left.append(Part(f"round {cell.round}", "muted", 3))
    if cell.judge:
        judge = judge_and_source(cell.judge.judge)
        left.append(Part(f"by {clip(judge, _JUDGE, marks)}", "muted", 4))
    if cell.outdated:
        left.append(Part("signed off under an earlier trait", "busy", 4))
    if row.example:
        left.append(Part("shown to a judge as an example", "muted", 5))
    left.append(Part(cell.subject.kind.form(trait), "muted", 5))
    name = Part(name_of(row.trace_id, row.epoch), "muted", 6)
    return left, [*running(tally, marks), name, Part(reviewer, "muted", 4)]


def judge_and_source(judge: Mapping[str, Any]) -> str:
    """Who judged, of a judge's record: the model where there is one, and whether labels came with
    the traces.
    """
    name, model = str(judge.get("name", "")), str(judge.get("model") or "")
    if model and name == "recorded":
        return f"{model} ({name})"
    return model or name


def running(progress: Progress | None, marks: Marks) -> list[Part]:
    """The run's progress in a few words; how far it is stays longest."""
    if progress is None:
        return []
    far = [f"judging {progress.done}/{progress.done + (progress.left or 0)}"]
    if progress.failed:
        far.append(f"{progress.failed} failed")
    if progress.absent:
        far.append(f"{progress.absent} without all judges")
    going = _going(progress)
    if progress.stalled:
        far.append(f"no answer for {progress.silent:.0f} s")
        going = []
    return [
        Part(spelt(" · ".join(far), marks), "busy", 1),
        Part(spelt(" · ".join(going), marks), "busy", 3),
        Part(_cost(progress), "busy", 2),
    ]


def _going(progress: Progress) -> list[str]:
    """How fast, and how long it will take."""
    told = []
    if progress.rate >= 1:
        told.append(f"{progress.rate:.0f}/s")
    elif progress.rate:
        told.append(f"{progress.rate * 60:.0f}/min")
    if progress.seconds_left and progress.seconds_left >= 1:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        told.append(f"{minutes}:{seconds:02} left")
    return told


def _cost(progress: Progress) -> str:
    """What was spent, of what all will be: in the currency that the prices are in."""
    if not progress.cost:
        return ""
    if progress.left and progress.expected_cost:
        return f"cost {progress.cost:.2f}/{progress.expected_cost:.2f}"
    return f"cost {progress.cost:.2f}"


# -- numbers -----------------------------------------------------------------------------------


def measure_line(before: Cell | None, cell: Cell, note: str) -> MeasureLine:
    """A cell's numbers for the bar: now, the judge's own, and what stood `before` where given."""
    subject = cell.subject
    now, judged = cell.measure(), cell.measure_judge()
    was = before.measure() if before else None
    values = []
    for measure in subject.kind.measures(subject.trait):
        value = _value(measure, now)
        if value:
            judge = _value(measure, judged)
            values.append(replace(value, before=_value(measure, was), judge=judge))
    return MeasureLine(values, note)


def _value(measure: Measure, measured: Figures | None) -> MeasureValue | None:
    if measured is None or measure.name not in measured.values:
        return None
    return MeasureValue(
        measure.word or measure.name,
        measure.word or measure.short,
        measured.values[measure.name],
        measure.name in measured.undefined,
        scale=bounds(measure),
        lower_is_better=measure.higher_is_better is False,
        word=measured.words.get(measure.word, ""),
    )
