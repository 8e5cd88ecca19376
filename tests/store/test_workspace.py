"""The workspace: what was kept is kept, one writes, and nothing costs more for more traces."""

import sqlite3
import stat
import tracemalloc
from contextlib import closing

import pytest

from appellate.core.deciding import Comment, Flag
from appellate.core.facts import Failed
from appellate.core.problem import Refused
from appellate.store import breakdowns
from appellate.store.audits.open_audit import making
from appellate.store.cells import Sources
from appellate.store.database import NotKept, WorkspaceLocked, holder, locked
from appellate.store.tables import WorkspaceUnknown
from appellate.store.workspace import Workspace
from cells import (
    GENE,
    bench,
    checklist,
    corrects,
    everything,
    kept_before,
    link,
    matrix,
    opened,
    place,
    process,
    proposal,
    rubric,
    said,
    seat,
    select,
    sums,
    trace,
)
from left_open import open_files

METRIC = Sources(["model"], ["metric"])
HOLD = """
import sys, time
from pathlib import Path
from appellate.store.workspace import Workspace
workspace = Workspace(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""

CORRECT_FOR_EVER = """
import sys
from pathlib import Path
from cells import place, seat
from appellate.core.deciding import Comment
from appellate.store.audits.open_audit import resume
folder = Path(sys.argv[1])
at = seat(resume(place(folder)), folder)
for number in range(100_000):
    change = at.do(1, Comment(f"{number} " + "long " * 500))
    print(change.after.facts[-1].n, flush=True)
"""

FULL_DISK = """
import json, resource, sys
from pathlib import Path
from cells import place, seat
from appellate.core.deciding import Comment
from appellate.store.audits.open_audit import resume
from appellate.store.cells import Sources
from appellate.store.database import NotKept
folder = Path(sys.argv[1])
at = seat(resume(place(folder)), folder)
room = 300_000
resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
kept = 0
try:
    while True:
        at.do(1, Comment("x" * 3000))
        kept += 1
except NotKept as refusal:
    told = str(refusal)
shown = len(at.open(1)[1].facts)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
read = len(at.workspace.cell(1)[1].facts)
at.do(1, Comment("there is room again"))
totals = at.workspace.totals()["cells"]
print(json.dumps([kept, shown, read, told, at.workspace.facts.last_n(), totals]))
"""


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# -- kept -----------------------------------------------------------------------------------------


def test_what_was_kept_is_there_when_it_is_opened_again(tmp_path):
    with bench(tmp_path) as at:
        at.receive(1, proposal())
        change = at.do(
            1,
            corrects({"action": "drop", "bucket": "tp", "index": 2}, "why"),
        )
        before = at.workspace.totals(("metric", "Accuracy"))
    with Workspace(place(tmp_path).workspace) as again:
        assert again.cell(1) == (trace(), change.after)
        assert again.totals(("metric", "Accuracy")) == before
        assert again.rubric == rubric()


def test_what_is_kept_is_flushed_to_the_disk(tmp_path):
    with bench(tmp_path) as at:
        told = [
            at.workspace.db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
        assert told == ["wal", 2]


def synchronous(at) -> int:
    """How long SQLite waits for the disk: 2 in full, 1 at checkpoints alone."""
    return at.workspace.db.execute("PRAGMA synchronous").fetchone()[0]


def test_what_is_swift_waits_for_no_disk_and_everything_after_it_does_again(tmp_path):
    with bench(tmp_path) as at:
        with at.workspace.swift_transaction():
            assert synchronous(at) == 1
        assert synchronous(at) == 2
        with pytest.raises(ZeroDivisionError), at.workspace.swift_transaction():
            raise ZeroDivisionError
        assert synchronous(at) == 2
        at.receive_many([(1, proposal())])
        assert synchronous(at) == 2


def test_a_log_that_the_disk_failed_to_sync_is_folded_and_begun_anew_before_the_next_act(
    tmp_path,
):
    """What it may have lost without a word would end it after a power cut."""
    with bench(tmp_path) as at:
        at.do(1, Flag(True))
        with at.workspace.swift_transaction():
            at.workspace.db.execute("UPDATE cells SET suspect = 3")
        log = place(tmp_path).workspace.with_name("x.audit.db-wal")
        before = log.read_bytes()
        at.workspace.distrust_log()
        at.do(1, Comment("kept"))
        begun_anew = log.read_bytes()
        assert len(begun_anew) < len(before)
        assert begun_anew[16:24] != before[16:24]  # its salts
        assert at.lost == ""
        at.do(1, Flag(False))
        assert log.stat().st_size > len(begun_anew)
    with Workspace(place(tmp_path).workspace) as again:
        assert len(again.cell(1)[1].facts) == 3
        assert again.cells.row(1).suspect == 3


def test_a_log_that_the_disk_failed_to_sync_does_not_stay_when_the_workspace_is_left(
    tmp_path,
):
    with (
        bench(tmp_path) as at,
        closing(sqlite3.connect(place(tmp_path).workspace)) as reader,
    ):
        reader.execute(
            "SELECT count(*) FROM facts",
        ).fetchone()  # who leaves last deletes the log
        at.do(1, Flag(True))
        at.workspace.distrust_log()
        at.workspace.close()
        assert place(tmp_path).workspace.with_name("x.audit.db-wal").stat().st_size == 0


def test_files_are_private_to_their_owner(tmp_path):
    with bench(tmp_path) as at:
        at.do(1, Flag(True))
        at.save()
        at.do(1, Flag(False))
        at.save()
        names = {path.name: mode(path) for path in tmp_path.iterdir()}
        assert set(names.values()) == {0o600}
        assert {
            "x.audit.db",
            "x.audit.db-wal",
            "x.audit.toml",
            "x.audit.toml.bak",
        } <= names.keys()


def test_metadata_that_json_has_no_word_for_is_the_same_when_it_is_opened_again(
    tmp_path,
):
    odd = {"inf": float("inf"), "null": None, "huge": 10**400, "deep": [{"null": None}]}
    one = trace(
        metadata=odd,
        messages=[{"content": None}],
        documents=["a", {"text": "b"}],
    )
    with bench(tmp_path, one) as at:
        assert at.workspace.traces.get(1) == one
        at.save()
        assert "Infinity" in place(tmp_path).audit.read_text()


def test_a_refused_correction_keeps_nothing(tmp_path):
    with bench(tmp_path) as at:
        with pytest.raises(Refused):
            at.do(1, corrects({"action": "drop", "bucket": "tp"}))
        assert at.workspace.facts.last_n() == 0


def test_a_failure_on_the_way_takes_everything_back(tmp_path):
    with bench(tmp_path) as at:
        with pytest.raises(sqlite3.IntegrityError), at.workspace.transaction():
            at.workspace.add_all([trace("t2"), trace("t2")])
        assert at.workspace.traces.count() == 1
        assert at.workspace.totals()["cells"] == 1


def test_a_full_disk_refuses_the_correction_and_changes_nothing(tmp_path):
    opened(tmp_path).workspace.close()
    kept, shown, read, told, last, cells = said(FULL_DISK, tmp_path)
    assert kept == shown == read
    assert kept > 3
    assert told
    assert last == kept + 1
    assert cells == 1


def test_a_disk_that_refuses_says_not_kept(tmp_path):
    opened(tmp_path).workspace.close()
    with (
        Workspace(place(tmp_path).workspace, readonly=True) as reader,
        pytest.raises(NotKept),
    ):
        reader.set_meta("x", "1")


def test_a_workspace_that_something_else_writes_to_refuses_the_correction(tmp_path):
    with bench(tmp_path) as at, closing(sqlite3.connect(at.workspace.path)) as other:
        at.workspace.db.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(NotKept):
            at.do(1, Flag(True))
        other.rollback()
        assert not at.open(1)[1].flag
        assert at.do(1, Flag(True)).after.facts[-1].n == 1


def test_kill_9_loses_nothing_that_was_shown_as_done(tmp_path):
    opened(tmp_path).workspace.close()
    with process(CORRECT_FOR_EVER, tmp_path) as child:
        told = [int(child.stdout.readline()) for _ in range(25)]
        child.kill()
        told += [
            int(line)
            for line in child.stdout.read().splitlines(keepends=True)
            if line.endswith("\n")
        ]
    with Workspace(place(tmp_path).workspace) as again:
        _, cell = again.cell(1)
        assert [fact.n for fact in cell.facts][: len(told)] == told
        assert again.facts.last_n() == cell.facts[-1].n
        assert again.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


# -- one writer -----------------------------------------------------------------------------------


def test_a_second_process_is_locked_out_may_read_and_is_told_who_holds_it_until_kill_9(
    tmp_path,
):
    opened(tmp_path).workspace.close()
    path = place(tmp_path).workspace
    with process(HOLD, path) as child:
        assert child.stdout.readline() == "open\n", child.stderr.read()
        with pytest.raises(WorkspaceLocked, match=rf"process {child.pid} on \S+"):
            Workspace(path)
        with Workspace(path, readonly=True) as reader:
            assert reader.cells.count() == 1
        child.kill()
    Workspace(path).close()


def test_a_workspace_is_locked_within_one_process_too_and_free_once_closed(tmp_path):
    with bench(tmp_path), pytest.raises(WorkspaceLocked):
        Workspace(place(tmp_path).workspace)
    Workspace(place(tmp_path).workspace).close()


def test_two_names_of_one_workspace_are_one_lock(tmp_path):
    with bench(tmp_path):
        (tmp_path / "alias.db").symlink_to(place(tmp_path).workspace)
        with pytest.raises(WorkspaceLocked):
            Workspace(tmp_path / "alias.db")


def test_a_holder_that_left_no_word_is_another_process(tmp_path):
    assert "another process" in holder(tmp_path / "none.db")
    (tmp_path / "text.db").write_text(
        "no database at all, but long enough to be looked at",
    )
    assert "another process" in holder(tmp_path / "text.db")


@pytest.mark.parametrize("spoilt", ["{", "[]", "{}", "null", '{"pid": 1}'])
def test_a_holder_whose_word_is_spoilt_is_another_process(tmp_path, spoilt):
    with bench(tmp_path, trace("a")):
        pass
    path = place(tmp_path).workspace
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE meta SET value = ? WHERE key = 'holder'", (spoilt,))
    assert holder(path) == f"{path} is busy: another process has it open."


def test_a_reader_sees_one_moment_while_a_writer_goes_on(tmp_path):
    with (
        bench(tmp_path) as at,
        Workspace(place(tmp_path).workspace, readonly=True) as reader,
    ):
        with reader.snapshot():
            assert reader.facts.last_n() == 0
            at.do(1, Flag(True))
            assert reader.facts.last_n() == 0
        assert reader.facts.last_n() == 1


# -- what is no workspace -------------------------------------------------------------------------


def test_what_is_no_workspace_of_this_version_is_refused_and_left_unlocked(tmp_path):
    text, other, newer = (
        tmp_path / name for name in ("text.db", "other.db", "newer.db")
    )
    text.write_text("no database at all, but long enough to be looked at " * 20)
    sqlite3.connect(other).close()
    other_db = sqlite3.connect(other)
    other_db.execute("CREATE TABLE x (y)")
    other_db.close()
    opened(tmp_path).workspace.close()
    place(tmp_path).workspace.rename(newer)
    newer_db = sqlite3.connect(newer)
    newer_db.execute("PRAGMA user_version = 99")
    newer_db.close()
    for path, told in (
        (text, "not a workspace"),
        (other, "not an Appellate"),
        (newer, "version 99"),
    ):
        for _ in range(2):
            with pytest.raises(WorkspaceUnknown, match=told):
                Workspace(path)
    with pytest.raises(WorkspaceUnknown, match="cannot be opened"):
        Workspace(tmp_path / "none.db")


# -- finding one's way ----------------------------------------------------------------------------


def test_cells_stand_in_the_order_loaded_trace_by_trace(tmp_path):
    with bench(
        tmp_path,
        trace("a"),
        trace("b", epoch=2),
        of=rubric(matrix(), checklist()),
    ) as at:
        workspace = at.workspace
        rows = workspace.cells.rows(0, 10)
        assert [(r.no, r.trace_id, r.epoch, r.trait, r.state) for r in rows] == [
            (1, "a", 1, "Accuracy", "pending"),
            (2, "a", 1, "Coverage", "pending"),
            (3, "b", 2, "Accuracy", "pending"),
            (4, "b", 2, "Coverage", "pending"),
        ]
        assert workspace.cells.rows(1, 2) == rows[1:3]
        assert workspace.cells.row(3) == rows[2]
        assert workspace.cells.number(("b", 2), "Coverage") == 4
        assert (
            workspace.traces.number(("b", 2)),
            workspace.traces.number(("b", 1)),
        ) == (2, None)
        assert (workspace.cells.count(), workspace.traces.count()) == (4, 2)
        assert sorted(workspace.trait_names()) == ["Accuracy", "Coverage"]


def test_a_row_shows_state_flag_breaches_unverified_and_the_last_metric(tmp_path):
    with bench(tmp_path) as at:
        at.receive(1, proposal())
        at.do(1, Flag(True))
        at.do(
            1,
            corrects({"action": "reword", "bucket": "tp", "index": 0, "text": "BCL3"}),
        )
        kept_before(tmp_path, at, action="drop", bucket="fn")
        row = at.workspace.cells.row(1)
        assert (row.state, row.flag, row.breaches, row.unverified, row.headline) == (
            "corrected",
            1,
            1,
            1,
            6 / 7,
        )


def test_the_headline_of_what_is_0_over_0_is_none(tmp_path):
    with bench(tmp_path) as at:
        at.do(1, corrects({"action": "add", "bucket": "tn", **link(-1)}))
        assert at.workspace.cells.row(1).headline is None


def test_the_nearest_cell_in_a_state_is_found_both_ways(tmp_path):
    with bench(tmp_path, *(trace(f"t{n}") for n in range(5))) as at:
        at.receive(2, Failed("no"))
        at.receive(4, proposal())
        at.sign_off(4)
        find = at.workspace.cells.next_in
        assert find(["failed", "pending"], 1) == 2
        assert find(["pending"], 1) == 3
        assert find(["pending"], 3, backwards=True) == 1
        assert find(["reviewed"], 0) == 4
        assert find(["corrected"], 0) is None
        assert find([], 0) is None
        assert at.workspace.cells.missing(METRIC, 0, 10) == [1, 2, 3, 5]
        assert at.workspace.cells.missing(METRIC, 1, 2) == [2, 3]


def test_undo_and_redo_are_found_for_each_reviewer(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        bob = seat(at, tmp_path, "bob")
        at.do(1, Flag(True))
        bob.do(2, Comment("hm"))
        assert at.workspace.facts.undoable("ada") == [(1, 1)]
        assert at.workspace.facts.undoable("bob") == [(2, 2)]
        assert at.workspace.facts.undoable("eve") == []
        at.undo()
        assert at.workspace.facts.undoable("ada") == []
        assert at.workspace.facts.redoable("ada") == [(1, 1)]
        assert at.workspace.facts.redoable("bob") == []
        assert at.workspace.facts.reviewers() == ["ada", "bob"]


def test_an_act_of_several_facts_is_undone_and_redone_whole(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.do(1, Flag(True))
        at.do_together(
            lambda act: [
                act.do(number, [Flag(False), Comment("hm")]) for number in (2, 1)
            ],
        )
        whole = [(2, 2), (3, 2), (4, 1), (5, 1)]
        assert at.workspace.facts.undoable("ada") == whole[::-1]
        at.undo()
        assert at.workspace.facts.undoable("ada") == [(1, 1)]
        assert at.workspace.facts.redoable("ada") == whole
        assert at.workspace.facts.of(1)[-1].part_of == 6  # undone together, too


# -- cost -----------------------------------------------------------------------------------------


def everyday(at) -> None:
    """What a key press does."""
    at.workspace.cells.rows(0, 20)
    at.workspace.cells.row(1)
    at.open(1)
    at.do(1, corrects({"action": "add", "bucket": "tp", **link(1), **select(GENE)}))
    at.do(1, Flag(True))
    at.undo()
    at.redo()
    at.sign_off(1)
    at.workspace.cells.next_in(["pending", "failed", "proposed", "corrected"], 1)
    at.workspace.cells.next_in(["failed"], 1, backwards=True)
    at.workspace.cells.missing(METRIC, 0, 10)
    at.workspace.totals()
    at.workspace.totals(("metric", "Accuracy"))
    at.workspace.cells.count()
    at.workspace.traces.count()
    at.workspace.cells.first_of_next(1, 1)
    at.workspace.cells.first_of_next(1, -1)
    at.workspace.traces.number(("t1", 1))
    at.position()
    at.set_bookmark(1, True)
    at.bookmarks()
    at.set_bookmark(1, False)
    at.workspace.cells.rows_of([1])
    breakdowns.answer_stats(at.workspace, ("metric", "Accuracy"))
    at.workspace.facts.acts("ada", 0, 20)
    at.workspace.facts.count_acts("ada")
    at.workspace.facts.done_since(at.began_n, "ada")
    at.workspace.facts.sign_offs("ada")


def test_no_query_of_a_key_press_scans_a_table(tmp_path):
    asked: list[str] = []
    with bench(tmp_path) as at:
        at.workspace.db.set_trace_callback(asked.append)
        everyday(at)
        at.workspace.db.set_trace_callback(None)
        for sql in asked:
            if sql.split()[0] in {"SELECT", "UPDATE"}:
                plan = [
                    row[3]
                    for row in at.workspace.db.execute(f"EXPLAIN QUERY PLAN {sql}")
                ]
                # a few names of kinds
                plan = [step for step in plan if "json_each" not in step]
                assert not [
                    step for step in plan if step.startswith(("SCAN", "USE TEMP"))
                ], (
                    sql,
                    plan,
                )


def steps(folder, traces: int) -> int:
    """How many steps SQLite takes to open a workspace and to answer a key press."""
    folder.mkdir()
    at = opened(folder, *(trace(f"t{n}") for n in range(traces)))
    at.workspace.close()
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    with Workspace(place(folder).workspace) as workspace:
        workspace.db.set_progress_handler(count, 1)
        at.workspace = workspace
        everyday(seat(at, folder))
    return taken


def test_opening_and_a_key_press_take_the_same_for_any_number_of_traces(tmp_path):
    few, many = steps(tmp_path / "few", 30), steps(tmp_path / "many", 600)
    assert many < few * 1.1


def test_totals_of_all_traits_hold_states_and_flags(tmp_path):
    with bench(
        tmp_path,
        trace("a"),
        trace("b"),
        of=rubric(matrix(), checklist()),
    ) as at:
        at.receive(1, proposal())
        at.do(2, Flag(True))
        assert sums(at.workspace.totals()) == {
            "cells": 4,
            "flagged": 1,
            "state:pending": 3,
            "state:proposed": 1,
        }
        assert at.workspace.totals(("metric", "Accuracy"))["standing:tp"] == 3
        assert at.workspace.totals(("metric", "none")) == {}


def test_traces_that_come_in_together_are_kept_as_when_they_come_one_by_one(tmp_path):
    many = [trace(str(n), question="q" if n % 3 else "Other?") for n in range(300)]
    asked = rubric(
        matrix(),
        questions=[{"id": "q", "question": "q", "metric_traits": [checklist()]}],
    )
    for name in ("one", "all"):
        (tmp_path / name).mkdir()
    with (
        opened(tmp_path / "one", many[0], of=asked).workspace as one,
        opened(tmp_path / "all", *many, of=asked).workspace as together,
    ):
        for single in many[1:]:
            one.add_all([single])
        assert everything(one) == everything(together)
        assert together.cells.count() == 300 + 200


def test_a_few_long_traces_that_come_in_are_held_at_once_and_not_all_of_them(tmp_path):
    """Of plain ones hundreds are written in one go."""
    letters = 100_000
    texts = (f"{number} " * (letters // 4) for number in range(1000, 1100))
    traces = (trace(text[:4], response=text) for text in texts)
    tracemalloc.start()
    with making(place(tmp_path).workspace, rubric(), "0.1.0") as workspace:
        assert workspace.add_all(traces) == 100
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 80 * letters
    numbers = [workspace.traces.number((str(name), 1)) for name in range(1000, 1100)]
    assert numbers == list(range(1, 101))
    workspace.close()


def test_a_workspace_whose_rubric_cannot_be_read_is_closed_again(tmp_path):
    with bench(tmp_path, trace("a")):
        pass
    path = place(tmp_path).workspace
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE meta SET value = 'x' WHERE key = 'rubric'")
    for readonly in (True, False):
        before = open_files()
        # the error has the frames, and so all that they hold
        with pytest.raises(ValueError, match="Expecting value") as _:
            Workspace(path, readonly=readonly)
        assert open_files() == before


def test_a_move_to_a_file_that_cannot_be_read_goes_on_where_it_was(tmp_path):
    (tmp_path / "spoilt").mkdir()
    with bench(tmp_path / "spoilt", trace("a")):
        pass
    spoilt = place(tmp_path / "spoilt").workspace
    with closing(sqlite3.connect(spoilt)) as db, db:
        db.execute("UPDATE meta SET value = 'x' WHERE key = 'rubric'")
    with bench(tmp_path, trace("a")) as at:
        before = open_files()
        lock = locked(spoilt)
        with pytest.raises(ValueError, match="Expecting value") as _:
            at.workspace.move(spoilt, lock)
        lock.release()
        assert open_files() == before
        at.do(1, Comment("goes on"))
    with closing(sqlite3.connect(place(tmp_path).workspace)) as db:
        (body,) = db.execute("SELECT body FROM facts ORDER BY n DESC").fetchone()
    assert "goes on" in body
