"""Makes the workspace that `demo` copies: `python tests/demo_workspace.py` after a change of a sample,
or of what is kept of one.
"""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from appellate.core.trace import Trace
from appellate.installed import PACKAGE, running, shipped
from appellate.store import injection, meta
from appellate.store.audits.open_audit import AuditFiles, create
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.trace_file import read_traces
from appellate.traits.rubric import Rubric

READY = PACKAGE / "demo.db"
FIRST = "BCL2 Accuracy"
RUN, RUN_PLACE = "order-1", 3
"""The agent's run that a new user meets among the first ten cells, and its place among the traces."""


def samples() -> tuple[Rubric, list[Trace]]:
    """All samples as one rubric and its traces: BCL2 first, with one agent's run amid it."""
    folder = shipped("sample_rubrics")
    files = sorted(folder.glob("*.rubric.toml"), key=lambda path: path.name)
    files.sort(key=lambda path: not path.name.startswith("bcl2"))
    questions, traces = [], []
    for file in files:
        questions += load_rubric(file).questions
        stem = file.name.removesuffix(".rubric.toml")
        traces.append(min(folder.glob(f"{stem}.traces.*")))
    rubric = Rubric(name="Appellate samples", questions=questions)
    read = read_traces(traces, rubric).usable()
    run = next(trace for trace in read if trace.id == RUN)
    read.remove(run)
    read.insert(RUN_PLACE, run)
    return rubric, read


def make(folder: Path) -> Path:
    """The demo's workspace, which opens on the cell that the manual walks through; nobody holds it."""
    place = AuditFiles.of(folder / "demo.audit.toml")
    with create(place, *samples(), running()).workspace as workspace:
        rows = workspace.cells.rows(0, workspace.cells.count())
        first = next(row.no for row in rows if row.trait == FIRST)
        workspace.set_meta(meta.START, str(first))
        # kept, since looking for the first passage takes longer than the rest of the first screen
        injection.look_through(workspace, injection.unseen(workspace.db))
    with closing(sqlite3.connect(place.workspace, isolation_level=None)) as db:
        db.execute("DELETE FROM meta WHERE key = ?", (meta.HOLDER,))
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("VACUUM")
    return place.workspace


def content(workspace: Path) -> Iterator[object]:
    """Everything that a workspace holds."""
    with closing(sqlite3.connect(workspace)) as db:
        for name in ("application_id", "user_version", "journal_mode"):
            yield db.execute(f"PRAGMA {name}").fetchone()
        yield from db.iterdump()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        READY.write_bytes(make(Path(name)).read_bytes())
