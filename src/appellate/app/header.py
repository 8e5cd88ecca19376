"""What the two lines at the top say: the file and whether it is safe, the cell, who judged, how far one is."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from appellate.core.cell import Cell
from appellate.judges.assigner import Progress
from appellate.store.workspace import CellRow
from appellate.ui.bar import Part
from appellate.ui.marks import Marks, progress


class Standing(NamedTuple):
    """Where the session stands as a whole."""

    audit: Path
    behind: int
    exists: bool
    readonly: bool
    refused: str
    trace: int
    traces: int
    reviewed: int
    cells: int


Line = tuple[Sequence[Part], Sequence[Part]]


def file_line(standing: Standing, marks: Marks) -> Line:
    """The audit and whether everything is safe; trace and sign-offs."""
    bar = progress(standing.reviewed, standing.cells, 6, marks)
    left = [Part(standing.audit.name, "strong", 1), kept(standing, marks)]
    right = [
        Part(f"trace {standing.trace}/{standing.traces}", "", 3),
        Part(f"reviewed {standing.reviewed}/{standing.cells} {bar}", "", 2),
    ]
    return left, right


def kept(standing: Standing, marks: Marks) -> Part:
    """Whether everything is kept, and how far the audit file is behind."""
    if standing.refused:
        return Part(f"{marks.failed} NOT KEPT", "bad")
    if standing.readonly:
        return Part("read only", "bad")
    whole = f"audit {marks.reviewed}" if standing.exists else "no audit yet"
    behind = f"audit {standing.behind} behind" if standing.behind else whole
    return Part(f"{marks.reviewed} kept {marks.dot} {behind}", "good")


_STYLES = {"reviewed": "good", "proposed": "", "corrected": "busy", "failed": "bad", "pending": "muted"}


def cell_line(row: CellRow, cell: Cell, running: str, reviewer: str, marks: Marks) -> Line:
    """The cell: its trait, mode, state and judge; how the judge's run goes, and who reviews."""
    trait = cell.subject.trait
    signed = f" by {cell.signed.by}" if cell.signed else ""
    epoch = f" epoch {row.epoch}" if row.epoch != 1 else ""
    left = [
        Part(trait.name, "strong"),
        Part(f"{getattr(marks, cell.state)} {cell.state}{signed}", _STYLES[cell.state]),
        Part(f"{marks.flag} flagged" if cell.flag else "", "busy", 2),
        Part(f"by {judge_name(cell)}" if cell.judge else "", "muted", 3),
        Part(trait.evaluation_mode.replace("_", " "), "muted", 5),
    ]
    right = [Part(running, "busy", 1), Part(f"{row.trace_id}{epoch}", "muted", 6), Part(reviewer, "muted", 4)]
    return left, right


def judge_name(cell: Cell) -> str:
    """Who judged: the model where there is one, and that its labels were recorded."""
    judge = cell.judge.judge if cell.judge else {}
    name, model = str(judge.get("name", "")), str(judge.get("model") or "")
    return f"{model} ({name})" if model and name == "recorded" else model or name


def running(tally: Progress | None) -> str:
    """The run's progress in a few words."""
    if tally is None:
        return ""
    seconds = tally.seconds_left
    total = tally.done + (tally.left or 0)
    clock = f" · {round(seconds) // 60}:{round(seconds) % 60:02} left" if seconds and seconds >= 1 else ""
    failed = f" · {tally.failed} failed" if tally.failed else ""
    return f"judging {tally.done}/{total}{failed} · {tally.rate:.0f}/s{clock}"
