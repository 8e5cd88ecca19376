"""An audit read by a command: from its workspace or its file, and from nothing but its facts."""

import json
import os
import shutil
import sqlite3
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from all_kinds import bench_of_all_kinds
from appellate.core.deciding import Flag
from appellate.core.inert import inert_json_parts
from appellate.core.problem import Unusable
from appellate.numbers.data import document, json_parts, numbers_table
from appellate.numbers.report import report
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.audit import load_audit
from appellate.store.audits.audit_reading import read_audit
from appellate.store.audits.file_audit import FileAudit, file_audit
from appellate.store.tables import VERSION
from cells import bench, breakdowns_of, panel, place, proposal, trace
from sampled import sampled, sampled_in

needs_modes = pytest.mark.skipif(
    sys.platform == "win32",
    reason="whether a folder can be written goes by its mode",
)


def figures(audit):
    """All numbers of an audit, for programs, and its report."""
    sampled = sampled_in(audit)
    worth = sampled and numbers_table(sampled)
    return [
        "".join(
            inert_json_parts(document("model", breakdowns_of(audit, "model"), ()), 2),
        ),
        worth,
        "".join(json_parts(report(audit))),
        sorted(audit.cell_keys),
    ]


def all_ways(files):
    """The numbers of an audit as its workspace has them, as its file alone does, and in memory."""
    with read_audit(files) as read:
        assert not isinstance(read.audit, FileAudit)
        yield figures(read.audit)
    with closing(file_audit(files.audit)) as audit:
        yield figures(audit)
    yield figures(load_audit(files.audit))


def signed_off(files, **named):
    with read_audit(files, **named) as read:
        return sum(one.whole.signed for one in breakdowns_of(read.audit)), read.notes


def test_every_kind_comes_to_the_same_from_its_workspace_and_from_its_file(tmp_path):
    with bench_of_all_kinds(tmp_path) as at:
        at.save()
    of_workspace, of_file, in_memory = all_ways(place(tmp_path))
    assert of_workspace == of_file == in_memory
    assert len(of_workspace[0]) > 8
    assert len(of_workspace[3]) > 8


def test_a_sample_comes_to_the_same_from_its_workspace_and_from_its_file(tmp_path):
    with sampled(tmp_path, ruled=25, bars=[("yes>=.5", [20, 30])]) as at:
        at.save()
    of_workspace, of_file, in_memory = all_ways(place(tmp_path))
    assert of_workspace == of_file == in_memory
    assert of_workspace[1]["sample"]["blind"]
    assert [row["n"] for row in of_workspace[1]["estimates"]] == [25] * 3


def test_the_numbers_of_a_sample_in_sight_of_the_judge_are_the_same_in_both(tmp_path):
    with sampled(tmp_path, ruled=25, blind=False) as at:
        at.save()
        of_workspace = numbers_table(sampled_in(WorkspaceAudit(at.workspace.db)))
    assert of_workspace == numbers_table(sampled_in(load_audit(place(tmp_path).audit)))
    assert not of_workspace["sample"]["blind"]


def test_a_panel_comes_to_the_same_from_its_workspace_and_from_its_file(tmp_path):
    with bench(tmp_path, *map(trace, "abcd")) as at:
        for number in (1, 2, 3):
            at.receive(number, panel())
        at.sign_off(2)
        at.save()
    of_workspace, of_file, in_memory = all_ways(place(tmp_path))
    assert of_workspace == of_file == in_memory
    (trait,) = json.loads(of_workspace[0])["traits"]
    assert trait["panel"]["answers"] == 18


def test_what_is_not_exported_yet_is_read_and_nothing_is_left_beside_the_audit(
    tmp_path,
):
    with bench(tmp_path, *map(trace, "abc")) as at:
        for number in (1, 2, 3):
            at.receive(number, proposal())
        at.save()
        at.sign_off(1)
        at.sign_off(2)
        assert signed_off(place(tmp_path)) == (2, [])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert signed_off(place(tmp_path)) == (2, [])
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_workspace_that_was_never_exported_is_read(tmp_path):
    with bench(tmp_path, trace()) as at:
        at.receive(1, proposal())
        at.sign_off(1)
        assert not place(tmp_path).audit.exists()
        assert signed_off(place(tmp_path)) == (1, [])


def test_a_file_that_somebody_else_changed_is_read_with_a_note(tmp_path):
    with bench(tmp_path, trace()) as at:
        at.receive(1, proposal())
        at.save()
        files = place(tmp_path)
        files.audit.write_text(files.audit.read_text() + "# by hand\n")
        note = f"{files.audit} was changed since its workspace wrote it, so it is read, and"
        assert signed_off(files) == (0, [f"{note} {files.workspace} is not."])
        at.sign_off(1)
        assert signed_off(files) == (
            0,
            [f"{note} {files.workspace} is not, which has 1 fact more."],
        )
        assert signed_off(files, is_file_named=False) == (1, [])


def test_a_file_that_was_changed_by_hand_is_checked_whole(tmp_path):
    with bench(tmp_path, trace()) as at:
        at.receive(1, proposal())
        at.save()
    files = place(tmp_path)
    text = files.audit.read_text()
    assert "f1 = 0." in text
    files.audit.write_text(text.replace("f1 = 0.", "f1 = 0.1", 1))
    with pytest.raises(Unusable, match="changed by hand"), read_audit(files):
        pass


def test_a_workspace_that_cannot_be_read_is_told_and_the_file_is_read(tmp_path):
    with bench(tmp_path, trace()) as at:
        at.receive(1, proposal())
        at.save()
    files = place(tmp_path)
    files.workspace.write_text("no workspace")
    note = (
        f"{files.workspace} cannot be read: it may have facts that {files.audit} lacks."
    )
    assert signed_off(files) == (0, [note])


def test_a_workspace_of_an_earlier_version_is_read_and_stays_what_it_is(tmp_path):
    with bench(tmp_path, trace()) as at:
        at.receive(1, proposal())
        at.sign_off(1)
    files = place(tmp_path)
    with closing(sqlite3.connect(files.workspace)) as db:
        db.execute("DROP TABLE measured")
        db.execute(f"PRAGMA user_version = {VERSION - 1}")
    before = files.workspace.read_bytes()
    assert signed_off(files) == (1, [])
    assert files.workspace.read_bytes() == before


def test_no_number_is_of_a_forged_row(tmp_path):
    with sampled(tmp_path, ruled=25, bars=[("yes>=.5", [20, 30])]) as at:
        at.save()
    files = place(tmp_path)
    with read_audit(files) as read:
        honest = figures(read.audit)
    with closing(sqlite3.connect(files.workspace)) as db:
        db.execute("UPDATE measured SET verdict = judge WHERE verdict IS NOT NULL")
        db.execute("UPDATE measured SET judge = NULL")
        db.execute("UPDATE cells SET state = 'reviewed', standing = judge, sampled = 3")
        db.execute("UPDATE given SET ruled = judged")
        db.execute("UPDATE heads SET model = 'forged'")
        for table in ("totals", "answers", "instructions", "drawn", "metadata"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608 - the names above
        db.commit()
    with read_audit(files) as read:
        assert figures(read.audit) == honest


@contextmanager
def without_write_access(folder):
    """Runs a block as somebody who may read a folder and not write in it."""
    user = os.geteuid()
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    try:
        os.seteuid(65534 if user == 0 else user)  # root writes everywhere
        assert not os.access(folder, os.W_OK, effective_ids=True)
        yield
    finally:
        os.seteuid(user)
        folder.chmod(0o755)


@needs_modes
@pytest.mark.parametrize("has_log", [False, True])
def test_an_audit_in_a_folder_that_cannot_be_written_is_read_with_all_that_was_kept(
    tmp_path,
    has_log,
):
    with TemporaryDirectory() as outer, bench(tmp_path, *map(trace, "ab")) as at:
        Path(outer).chmod(0o755)
        folder = Path(outer, "copy")
        folder.mkdir()
        at.receive(1, proposal())
        at.save()
        at.do(2, Flag(True))
        at.sign_off(1)
        for path in (at.audit, at.workspace.path, tmp_path / "x.audit.db-wal"):
            # as a crash leaves them, without an index
            shutil.copy2(path, folder / path.name)
        if not has_log:
            with closing(sqlite3.connect(folder / "x.audit.db")) as db:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert (folder / "x.audit.db-wal").exists() == has_log
        with without_write_access(folder):
            assert signed_off(place(folder)) == (1, [])
