"""A workspace is made whole or not at all: killed at every step, on a full disk, by two at once."""

import sqlite3
from contextlib import closing

import pytest

from appellate.core.deciding import Flag
from appellate.store import tables
from appellate.store.audits.open_audit import add_traces, create, resume
from appellate.store.database import WorkspaceLocked
from appellate.store.workspace import Workspace
from cells import bench, opened, place, process, rubric, seat, trace
from killing import Deed, stands
from store.test_rebuilding import aged

TRACES = [trace(f"t{number}") for number in range(3)]

MAKE = """
import sys
from pathlib import Path
from appellate.store.audits.open_audit import making
from cells import place, rubric, trace
with making(place(Path(sys.argv[1])).workspace, rubric(), "0.1.0") as workspace:
    workspace.add_all([trace()])
    print("filling", flush=True)
    sys.stdin.readline()
print("made", flush=True)
sys.stdin.readline()
"""

BREAK_OFF = """
import os, signal, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.executescript("PRAGMA cache_size = 1; BEGIN; PRAGMA application_id = 1095783493; CREATE TABLE meta (x);")
for _ in range(20):
    db.execute("INSERT INTO meta VALUES (randomblob(100000))")
os.kill(os.getpid(), signal.SIGKILL)
"""


# -- killed at every step -------------------------------------------------------------------------


def new(folder) -> None:
    create(place(folder), rubric(), TRACES, "0.1.0")


def gone_on(folder) -> list[object]:
    """Cells and facts of who goes on, what they are told, and what lies about after them."""
    again = resume(place(folder))
    with again.workspace as workspace:
        told = [workspace.cells.count(), workspace.facts.last_n(), again.notes]
        sound = workspace.db.execute("PRAGMA integrity_check").fetchone()
    assert sound == ("ok",)
    return [
        *told,
        sorted(
            path.name for path in folder.iterdir() if not path.name.endswith(".lock")
        ),
    ]


def begun_again(folder) -> list[object]:
    if not place(folder).exists:
        opened(folder, *TRACES).workspace.close()
    return gone_on(folder)


def written(folder) -> None:
    with bench(folder, *TRACES) as at:
        at.do(1, Flag(True))
        at.save()


def alone(folder) -> None:
    """The file of an audit without its workspace."""
    written(folder)
    place(folder).workspace.unlink()


def changed(folder) -> None:
    """Somebody else's file beside a workspace that is ahead of it by a fact."""
    written(folder)
    again = resume(place(folder))
    with again.workspace:
        seat(again, folder).do(2, Flag(True))
    audit = place(folder).audit
    audit.write_text(
        audit.read_text().replace("\n[rubric]", "theirs = true\n\n[rubric]", 1),
    )


def taken(folder) -> list[object]:
    """Nobody is asked again once the workspace was set aside; it is never lost."""
    is_done = (folder / "x.audit.db.old").exists()
    with resume(place(folder), None if is_done else "file").workspace as workspace:
        told = [workspace.cells.count(), workspace.facts.last_n()]
    with Workspace(folder / "x.audit.db.old") as aside:
        return [*told, aside.cells.count(), aside.facts.last_n()]


def more(folder) -> None:
    again = resume(place(folder))
    add_traces(again, rubric(), [*TRACES, trace("t3"), trace("t4")])


def old(folder) -> None:
    """The same as an earlier version kept it."""
    written(folder)
    aged(place(folder).workspace)


DEEDS = {
    "bring up": Deed(
        old,
        lambda folder: resume(place(folder)),
        lambda folder: gone_on(folder)[:2],
    ),
    "create": Deed(lambda folder: None, new, begun_again),
    "rebuild": Deed(alone, lambda folder: resume(place(folder)), gone_on),
    "take": Deed(changed, lambda folder: resume(place(folder), "file"), taken),
    "add": Deed(written, more, lambda folder: gone_on(folder)[:2]),
}


@pytest.mark.parametrize(
    ("deed", "left"),
    [
        pytest.param("create", [[3, 0, [], ["x.audit.db"]]], marks=pytest.mark.slow),
        pytest.param(
            "rebuild",
            [[3, 1, [], ["x.audit.db", "x.audit.toml"]]],
            marks=pytest.mark.slow,
        ),
        pytest.param("take", [[3, 1, 3, 2]], marks=pytest.mark.slow),
        pytest.param("bring up", [[3, 1]], marks=pytest.mark.slow),
        ("add", [[3, 1], [5, 1]]),
    ],
)
def test_what_is_killed_at_any_step_is_gone_on_with_without_a_question_and_loses_nothing(
    tmp_path,
    deed,
    left,
):
    found = stands(__file__, deed, tmp_path)
    assert len(found) > 10
    assert [one for at, one in enumerate(found) if one not in found[:at]] == left


# -- what an older version left half made ---------------------------------------------------------


def half_made(folder) -> None:
    """The tables and no trace in them."""
    with closing(sqlite3.connect(place(folder).workspace, isolation_level=None)) as db:
        tables.create(db, rubric(), "0.1.0")
        db.execute("PRAGMA journal_mode = WAL")


def broken_off(folder) -> None:
    """A file that was written to before its first transaction was over."""
    with process(BREAK_OFF, place(folder).workspace) as child:
        child.wait()
    assert place(folder).workspace.stat().st_size > 0
    assert place(folder).workspace.with_name("x.audit.db-journal").exists()


@pytest.mark.parametrize("left", [half_made, broken_off])
def test_what_was_left_half_made_is_begun_anew(tmp_path, left):
    left(tmp_path)
    assert not place(tmp_path).exists
    with opened(tmp_path, *TRACES).workspace as workspace:
        assert workspace.cells.count() == 3
    assert gone_on(tmp_path) == [3, 0, [], ["x.audit.db"]]


@pytest.mark.parametrize("left", [half_made, broken_off])
def test_what_was_left_half_made_is_rebuilt_from_the_file(tmp_path, left):
    alone(tmp_path)
    left(tmp_path)
    assert gone_on(tmp_path) == [3, 1, [], ["x.audit.db", "x.audit.toml"]]


def test_an_older_workspace_without_a_trace_is_rebuilt_from_the_file(tmp_path):
    alone(tmp_path)
    half_made(tmp_path)
    with closing(sqlite3.connect(place(tmp_path).workspace)) as db:
        db.execute("PRAGMA user_version = 1")
    assert gone_on(tmp_path)[:2] == [3, 1]


def test_what_never_became_whole_is_cleared_away_by_who_opens_the_workspace(tmp_path):
    opened(tmp_path, *TRACES).workspace.close()
    (tmp_path / ".x.audit.db.new").write_text("half")
    assert gone_on(tmp_path) == [3, 0, [], ["x.audit.db"]]


# -- two at once ----------------------------------------------------------------------------------


def test_while_one_makes_it_nobody_else_does_and_nobody_sees_a_half_of_it(tmp_path):
    with process(MAKE, tmp_path) as child:
        assert child.stdout.readline() == "filling\n", child.stderr.read()
        assert not place(tmp_path).exists
        with pytest.raises(WorkspaceLocked):
            opened(tmp_path)
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline() == "made\n"
        with Workspace(place(tmp_path).workspace, readonly=True) as reader:
            assert reader.cells.count() == 1
        child.stdin.close()


def test_one_that_was_made_meanwhile_is_left_alone(tmp_path):
    opened(tmp_path, *TRACES).workspace.close()
    with pytest.raises(WorkspaceLocked, match="made by another process"):
        opened(tmp_path, trace("other"))
    assert gone_on(tmp_path) == [3, 0, [], ["x.audit.db"]]


@pytest.mark.slow
def test_a_workspace_that_somebody_is_reading_is_not_set_aside_without_its_log(
    tmp_path,
):
    changed(tmp_path)
    at = resume(place(tmp_path), "workspace").workspace
    with (
        Workspace(place(tmp_path).workspace, readonly=True) as reader,
        reader.snapshot(),
    ):
        reader.facts.last_n()
        at.set_meta("x", "only in the log")
        at.close()
        place(tmp_path).audit.write_text(
            place(tmp_path).audit.read_text() + "\n# more\n",
        )
        with pytest.raises(WorkspaceLocked, match="is being read"):
            resume(place(tmp_path), "file")
    assert taken(tmp_path) == [3, 1, 3, 2]
