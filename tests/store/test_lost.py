"""A workspace that is deleted or replaced under an open session: nothing is called kept that is not."""

import os
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from appellate.core.deciding import Comment, Flag
from appellate.core.problem import Refused
from appellate.judges.reply_cache import Cache
from appellate.store.audits.audit_sync import NotWritten
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.database import NotKept, WorkspaceLost
from appellate.store.tables import WorkspaceUnknown
from appellate.store.workspace import Workspace
from cells import bench, opened, place, proposal, trace


def deleted(folder) -> None:
    place(folder).workspace.unlink()


def theirs(folder) -> Path:
    """Another workspace, in a folder of its own."""
    other = folder / "other"
    other.mkdir()
    opened(other, trace("theirs")).workspace.close()
    return place(other).workspace


def replaced(folder) -> None:
    theirs(folder).replace(place(folder).workspace)


def folder_gone(folder) -> None:
    shutil.rmtree(folder)


def log_deleted(folder) -> None:
    (folder / "x.audit.db-wal").unlink()


def log_replaced(folder) -> None:
    log = folder / "x.audit.db-wal"
    shutil.copy(log, folder / "copy")
    (folder / "copy").replace(log)


def index_deleted(folder) -> None:
    (folder / "x.audit.db-shm").unlink()


def overwritten(folder) -> None:
    shutil.copyfile(theirs(folder), place(folder).workspace)


def truncated(folder) -> None:
    os.truncate(place(folder).workspace, 0)


def log_truncated(folder) -> None:
    os.truncate(folder / "x.audit.db-wal", 0)


OVERWRITTEN = [overwritten, truncated, log_truncated]
LOSSES = [deleted, replaced, folder_gone, log_deleted, log_replaced, index_deleted]


@pytest.fixture
def at(tmp_path):
    """A session with one fact, in a folder of its own."""
    folder = tmp_path / "work"
    folder.mkdir()
    with bench(folder) as made:
        made.do(1, Flag(True))
        yield made


@pytest.mark.parametrize("happened", OVERWRITTEN)
def test_what_is_overwritten_in_place_is_not_written_on_and_all_is_saved_elsewhere(
    at,
    tmp_path,
    happened,
):
    at.save()
    at.do(1, Comment("after the audit was written"))
    happened(at.audit.parent)
    with pytest.raises(
        WorkspaceLost,
        match=r"x\.audit\.db was overwritten while it was open",
    ):
        at.do(1, Comment("to nowhere"))
    assert "may be in no file" in at.where_saved
    at.move(tmp_path / "y.audit.toml")
    assert at.lost == ""
    at.do(1, Comment("kept"))
    at.save()
    at.workspace.close()
    with resume(AuditFiles.of(tmp_path / "y.audit.toml")).workspace as workspace:
        cell = workspace.cell(1)[1]
        assert [fact.n for fact in cell.facts] == [1, 2, 3]
        assert (cell.flag, len(cell.comments)) == (True, 2)


@pytest.mark.parametrize("happened", LOSSES)
def test_a_loss_while_something_is_being_kept_is_noticed_after_it(at, happened):
    happen = [happened]

    def committing(sql: str) -> None:
        if sql == "COMMIT" and happen:
            happen.pop()(at.audit.parent)

    at.workspace.db.set_trace_callback(committing)
    at.do(1, Comment("while it goes"))
    assert "x.audit.db" in at.lost
    with pytest.raises(WorkspaceLost):
        at.do(1, Comment("to nowhere"))


def test_a_workspace_that_is_folded_into_its_file_is_not_taken_for_overwritten(
    at,
    monkeypatch,
):
    monkeypatch.setattr("appellate.store.database.LOG_PAGES", 0)
    for number in range(20):
        at.do(1, Comment(f"{number}"))
        at.save()
    assert at.lost == ""


def test_a_log_that_was_folded_is_cut_and_grows_again_before_the_next_time(
    at,
    monkeypatch,
):
    monkeypatch.setattr("appellate.store.database.LOG_PAGES", 60)
    log, sizes = at.workspace.path.with_name("x.audit.db-wal"), []
    for number in range(60):
        at.do(1, Comment(f"{number}"))
        sizes.append(log.stat().st_size)
    assert at.lost == ""
    folded = sum(after < before for before, after in pairwise(sizes))
    assert 1 < folded < 30


def test_replies_that_are_kept_in_the_workspace_are_not_taken_for_a_stranger(
    at,
    monkeypatch,
):
    monkeypatch.setattr("appellate.judges.reply_cache._CACHE_LOG_PAGES", 10)
    cache = Cache(at.workspace.path)
    for number in range(3):
        cache.put({f"{number} {n}": bytes(4096) for n in range(50)})
        at.do(1, Comment(f"{number}"))
    assert at.lost == ""
    del cache
    at.do(1, Comment("after it closed"))


def test_cells_that_a_run_changes_are_not_held_in_memory(tmp_path):
    with bench(tmp_path, *(trace(f"t{number}") for number in range(202))) as at:
        at.save()
        at.receive_many((number, proposal()) for number in range(1, 203))
        assert at._unwritten is None
        at.save()
        at.do(1, Flag(True))
        assert list(at._unwritten) == [1]


def test_where_no_file_has_it_all_that_is_said(at, tmp_path):
    overwritten(at.audit.parent)
    with pytest.raises(NotKept, match="was overwritten, and no file has it all"):
        at.move(tmp_path / "y.audit.toml")


@pytest.mark.parametrize("happened", LOSSES)
def test_what_would_not_be_found_again_is_not_kept(at, happened):
    happened(at.audit.parent)
    with pytest.raises(WorkspaceLost, match="deleted, moved or replaced"):
        at.do(1, Comment("to nowhere"))
    assert at.open(1)[1].comments == []
    assert at.workspace.facts.last_n() == 1
    with pytest.raises(NotWritten, match=r"could not be written: x\.audit\.db"):
        at.save()
    assert not at.audit.exists()
    assert "may be in no file" in at.where_saved


@pytest.mark.parametrize("happened", LOSSES)
def test_everything_can_be_saved_elsewhere_and_gone_on_with_there(
    at,
    tmp_path,
    happened,
):
    happened(at.audit.parent)
    with pytest.raises(NotKept):
        at.do(1, Comment("to nowhere"))
    elsewhere = tmp_path / "y.audit.toml"
    at.move(elsewhere)
    assert at.lost == ""
    assert at.unexported_count == 1
    at.do(1, Comment("kept"))
    at.save()
    assert at.is_written
    at.workspace.close()
    again = resume(AuditFiles.of(elsewhere))
    with again.workspace as workspace:
        assert workspace.traces.get(1).id == "t1"
        cell = workspace.cell(1)[1]
        assert (cell.flag, len(cell.comments)) == (True, 1)
        assert workspace.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert sorted(
        path.name
        for path in tmp_path.iterdir()
        if "lock" not in path.name and path.is_file()
    ) == [
        "y.audit.db",
        "y.audit.toml",
    ]


def test_the_name_under_which_everything_is_saved_is_not_said_to_have_been_deleted(
    at,
    tmp_path,
):
    at.save()
    deleted(at.audit.parent)
    assert not at.is_deleted
    at.move(tmp_path / "y.audit.toml")
    assert not at.is_deleted


@pytest.mark.parametrize(
    ("happened", "saved"),
    [(replaced, True), (replaced, False), (overwritten, False)],
)
def test_the_workspace_that_took_its_place_is_left_as_it_is(
    at,
    tmp_path,
    happened,
    saved,
):
    there = at.workspace.path
    happened(at.audit.parent)
    if saved:
        at.move(tmp_path / "y.audit.toml")
    at.workspace.close()
    with Workspace(there) as found:
        assert (found.traces.get(1).id, found.facts.last_n()) == ("theirs", 0)
        assert found.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_nothing_is_saved_over_what_is_there(at, tmp_path):
    deleted(at.audit.parent)
    for name in ("y.audit.toml", "z.audit.db"):
        (tmp_path / name).write_text("mine")
    for name, told in (("y", "already"), ("z", "already"), ("nowhere/y", "no folder")):
        with pytest.raises(Refused, match=told):
            at.move(tmp_path / f"{name}.audit.toml")
    assert at.lost
    assert at.audit == tmp_path / "work" / "x.audit.toml"


def test_a_free_name_is_suggested_where_there_is_a_folder(at, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = at.audit.parent
    assert at.free_audit_path == folder / "x-2.audit.toml"
    (folder / "x-2.audit.db").touch()
    assert at.free_audit_path == folder / "x-3.audit.toml"
    folder_gone(folder)
    assert at.free_audit_path == tmp_path / "x-2.audit.toml"


def test_a_deleted_audit_file_is_written_again(at):
    at.save()
    assert not at.is_deleted
    at.audit.unlink()
    assert at.is_deleted
    assert not at.is_written
    at.save()
    assert at.is_written
    assert not at.is_deleted


# -- one writer -----------------------------------------------------------------------------------


def test_who_lost_the_lock_by_its_file_keeps_nothing_more_once_another_writes(at):
    (at.audit.parent / ".x.audit.db.lock").unlink()
    at.do(1, Comment("still the only one"))
    with Workspace(at.workspace.path) as taken:
        with pytest.raises(WorkspaceLost, match="taken over by another process"):
            at.do(1, Comment("too late"))
        with pytest.raises(WorkspaceLost):
            at.receive_many([])
        other = type(at)(taken, at.audit, "bob")
        other.do(1, Comment("the one writer"))
        cell = taken.cell(1)[1]
    assert [comment.what.text for comment in cell.comments] == [
        "still the only one",
        "the one writer",
    ]


def test_who_cannot_go_on_elsewhere_goes_on_where_they_were(at, tmp_path):
    """Nobody took the file over: the token of the other one was never kept."""
    at.workspace.db.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON meta WHEN new.key = 'holder'"
        " BEGIN SELECT raise(FAIL, 'no'); END",
    )
    with pytest.raises(WorkspaceUnknown):
        at.move(tmp_path / "y.audit.toml")
    assert at.lost == ""
    at.do(1, Comment("kept"))
    assert at.audit == place(at.audit.parent).audit
