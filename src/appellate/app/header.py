"""What the two lines at the top say: the file and whether it is safe, the cell, who judged, how far one is."""

from pathlib import Path
from typing import NamedTuple

from appellate.core.cell import Cell
from appellate.judges.assigner import Progress
from appellate.store.workspace import CellRow
from appellate.ui.marks import Marks, progress


class Standing(NamedTuple):
    """Where the session stands as a whole."""

    audit: Path
    behind: int
    written: bool
    readonly: bool
    refused: str
    trace: int
    traces: int
    reviewed: int
    cells: int
    reviewer: str


def kept(standing: Standing, marks: Marks) -> tuple[str, str]:
    """Whether everything is kept, and how far the audit file is behind; a text and its style."""
    if standing.refused:
        return f"{marks.failed} NOT KEPT", "failed"
    if standing.readonly:
        return "read only", "failed"
    if not standing.written:
        return f"{marks.reviewed} kept {marks.dot} audit not written yet", "reviewed"
    behind = f"audit {standing.behind} behind" if standing.behind else f"audit {marks.reviewed}"
    return f"{marks.reviewed} kept {marks.dot} {behind}", "reviewed"


def far(standing: Standing, marks: Marks, width: int = 6) -> list[str]:
    """Trace, sign-offs and reviewer, the first to give way last."""
    bar = progress(standing.reviewed, standing.cells, width, marks)
    return [
        standing.reviewer,
        f"reviewed {standing.reviewed}/{standing.cells} {bar}",
        f"trace {standing.trace}/{standing.traces}",
    ]


def cell_line(row: CellRow, cell: Cell, marks: Marks) -> list[tuple[str, str]]:
    """The cell: its trait, mode, state and judge; texts and their styles."""
    trait = cell.subject.trait
    mode = trait.evaluation_mode.replace("_", " ") if hasattr(trait, "evaluation_mode") else ""
    signed = f" by {cell.signed.by}" if cell.signed else ""
    parts = [(trait.name, "key"), (mode, "muted")]
    parts.append((f"{getattr(marks, cell.state)} {cell.state}{signed}", cell.state))
    parts += [(f"{marks.flag} flagged", "flag")] if cell.flag else []
    parts.append((judge_name(cell), "muted"))
    parts.append((f"{row.trace_id}" + (f" epoch {row.epoch}" if row.epoch != 1 else ""), "muted"))
    return [(text, style) for text, style in parts if text]


def judge_name(cell: Cell) -> str:
    """Who judged: the model where there is one, else the judge."""
    judge = cell.judge.judge if cell.judge else {}
    name, model = str(judge.get("name", "")), str(judge.get("model") or "")
    return f"{model} ({name})" if model and name == "recorded" else model or name


def running(tally: Progress | None, asked_at: str) -> str:
    """The run's progress in a few words."""
    if tally is None:
        return ""
    seconds = tally.seconds_left
    total = tally.done + (tally.left or 0)
    left = f" · {round(seconds) // 60}:{round(seconds) % 60:02} left" if seconds and seconds >= 1 else ""
    failed = f" · {tally.failed} failed" if tally.failed else ""
    return f"judging {tally.done}/{total}{failed} · {tally.rate:.0f}/s{left}{asked_at}"
