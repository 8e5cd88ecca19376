"""A person at a session line by line: lines in, all that was printed out."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from msgspec.structs import replace

from app.review_stage import NOBODY, Scene, bcl2, played
from appellate.core.facts import SignedOff
from appellate.core.trace import Trace
from appellate.judging.choice import JudgeChoice
from appellate.linear.console import Console
from appellate.linear.linear_review import LinearReview
from appellate.linear.linear_session import LinearSession
from appellate.session.review_session import ReviewSession
from appellate.session.settings import Settings
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import create, resume
from appellate.ui.marks import UNICODE, Marks
from cells import TRACE, place


@contextmanager
def bench_of(
    folder: Path,
    scene: Scene | None = None,
    *,
    at: int = 1,
    readonly: bool = False,
) -> Iterator[Workbench]:
    """The bench of a scene in which so much has happened; it opens on cell `at`."""
    where = place(folder)
    of, traces, happened = scene or bcl2()
    opened = create(where, of, traces, "0.1.0")
    played(opened.workspace, folder, happened)
    opened.workspace.set_meta("start", str(at))
    opened.workspace.close()
    with resume(where, readonly=readonly).workspace as workspace:
        yield Workbench(workspace, where.audit, "ada")


def told(
    bench: Workbench,
    *lines: str,
    marks: Marks = UNICODE,
    code: int = 0,
    choice: JudgeChoice = NOBODY,
    overrides: Mapping[str, str] | None = None,
    order: str = "loaded",
) -> str:
    """What a session prints whose keys are these lines, from a pipe; it ends with `code`."""
    out = StringIO()
    given = StringIO("".join(f"{line}\n" for line in lines))
    console = Console(marks, colours=True, given=given, out=out)
    settings = Settings(reviewer="ada", order=order)
    session = LinearSession(
        bench,
        ReviewSession(bench),
        settings,
        console,
        choice,
        overrides,
    )
    assert session.run([]) == code
    return out.getvalue()


def review_at(
    console: Console,
    cell_no: Callable[[], int] = lambda: 1,
    of: Trace = TRACE,
) -> LinearReview:
    """What asks a person at a console about a cell of a trace, outside of any session."""
    return LinearReview(
        console,
        readonly=False,
        correct=lambda *_: True,
        cell_no=cell_no,
        trace=lambda: of,
    )


def facts(bench: Workbench, no: int) -> list[object]:
    """What happened to a cell, without when and how fast."""
    found = []
    for fact in bench.workspace.cell(no)[1].facts:
        what = fact.what
        found.append(
            replace(what, seconds=None) if isinstance(what, SignedOff) else what,
        )
    return found
