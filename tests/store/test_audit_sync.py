"""The audit file beside its workspace: what is in it, and whether it is still ours."""

import errno
import os
import sqlite3
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.deciding import Comment, Flag
from appellate.core.problem import Refused
from appellate.installed import running
from appellate.store import database
from appellate.store.audits.audit import cell_text, load_audit
from appellate.store.audits.audit_sync import (
    NotWritten,
    _parts,
    is_foreign,
    remembered,
    text_digest,
    workspace_path,
    write_audit,
)
from appellate.store.audits.open_audit import resume
from appellate.store.files import atomic
from cells import bench, commands, matrix, opened, place, proposal, rubric, seat, trace
from killing import Deed, stands


def test_an_audit_and_its_workspace_are_named_alike(tmp_path):
    assert workspace_path(tmp_path / "x.audit.toml") == tmp_path / "x.audit.db"
    assert workspace_path(tmp_path / "x") == tmp_path / "x.db"


def test_a_file_that_is_not_there_or_was_only_touched_is_not_foreign(tmp_path):
    with bench(tmp_path) as at:
        assert not is_foreign(at.workspace, at.audit)
        at.save()
        assert not is_foreign(at.workspace, at.audit)
        os.utime(at.audit, ns=(1, 1))
        assert not is_foreign(at.workspace, at.audit)


def test_a_file_that_says_something_else_is_foreign(tmp_path):
    with bench(tmp_path) as at:
        at.audit.write_text("x = 1")
        assert remembered(at.workspace) is None
        assert is_foreign(at.workspace, at.audit)
        with pytest.raises(NotWritten, match="someone else"):
            at.save()
        assert at.audit.read_text() == "x = 1"


def test_an_audit_of_before_with_raw_controls_keeps_its_meaning_and_is_escaped_once(
    tmp_path,
):
    """The first file that is written anew differs in bytes, and in nothing that it says."""
    with bench(tmp_path, trace("a", response="a\x9bb\u202ec")) as at:
        at.save()
        escaped = at.audit.read_text()
    place(tmp_path).workspace.unlink()
    raw = escaped.replace("\\u009b", "\x9b").replace("\\u202e", "\u202e")
    assert raw != escaped
    place(tmp_path).audit.write_text(raw)
    assert tomllib.loads(raw) == tomllib.loads(escaped)
    with resume(place(tmp_path)).workspace as workspace:
        assert workspace.traces.get(1).response == "a\x9bb\u202ec"
        assert not is_foreign(workspace, place(tmp_path).audit)
        write_audit(workspace.path, place(tmp_path).audit)
    assert place(tmp_path).audit.read_text() == escaped


def test_an_audit_of_one_moment_may_be_written_beside_the_writer(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.do(1, Flag(True))
        text = at.write()
        assert (text.written.n, text.written.sha256) == (1, text_digest(at.workspace))
        at.do(2, Comment("later"))
        at.wrote(text)
        assert at.unexported_count == 1
        document = tomllib.loads(at.audit.read_text())
        assert [one["id"] for one in document["traces"]] == ["a", "b"]
        assert document["saved"].isoformat() == "2026-11-21T12:00:00.123456+00:00"


def test_a_file_that_cannot_be_written_is_said_and_all_stays_kept(tmp_path):
    with bench(tmp_path) as at:
        at.audit = tmp_path / "no such folder" / "x.audit.toml"
        at.do(1, Flag(True))
        with pytest.raises(NotWritten, match="could not be written: No such"):
            at.save()
        assert at.unexported_count == 1
        assert at.open(1)[1].flag


# -- killed on the way ------------------------------------------------------------------------------


def saved_before(folder) -> None:
    with bench(folder) as at:
        at.do(1, Flag(True))
        at.save()


def saving(folder) -> None:
    """A correction, a save of it, and one more correction before the save is noted."""
    again = resume(place(folder)) if place(folder).exists else opened(folder)
    at = seat(again, folder)
    at.do(1, Comment("in the file"))
    text = at.write()
    at.do(1, Comment("kept while it was written"))
    at.wrote(text)


def saving_twice(folder) -> None:
    """A save that is left off and goes on in its thread, so that only the one after it is noted."""
    at = seat(resume(place(folder)), folder)
    at.do(1, Comment("in the file"))
    at.write()
    at.do(1, Comment("in the file after it"))
    at.wrote(at.write())


def going_on(folder) -> list[object]:
    """How many facts are kept, how many of them the file has, and whether all is well after one more save."""
    again = resume(place(folder))
    with again.workspace as workspace:
        at = seat(again, folder)
        told = [workspace.facts.last_n(), at.unexported_count]
        at.save()
        assert at.is_written
    assert len(load_audit(place(folder).audit).cells[0].cell.facts) == told[0]
    assert not [path for path in folder.iterdir() if path.name.endswith(".tmp")]
    return told


DEEDS = {
    "save": Deed(saved_before, saving, going_on),
    "save behind another": Deed(saved_before, saving_twice, going_on),
    "first save": Deed(
        lambda folder: opened(folder).workspace.close(),
        saving,
        going_on,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("deed", "before"), [("save", 1), ("first save", 0)])
def test_a_save_that_is_killed_leaves_a_file_that_is_known_as_our_own(
    tmp_path,
    deed,
    before,
):
    found = [tuple(one) for one in stands(__file__, deed, tmp_path)]
    assert len(found) > 10
    assert {kept for kept, _ in found} == {before, before + 1, before + 2}
    assert (before + 2, 1) in found, "renamed, noted before, and a correction after it"


@pytest.mark.slow
def test_a_save_behind_one_that_was_not_noted_may_be_killed_too(tmp_path):
    found = [tuple(one) for one in stands(__file__, "save behind another", tmp_path)]
    assert found[0] == (1, 0)
    assert found[-1] == (3, 0)
    assert (3, 1) in found, "the first of them is in the file, known as our own"


def test_two_saves_at_once_follow_one_another(tmp_path):
    with bench(tmp_path) as at, ThreadPoolExecutor(4) as threads:
        at.do(1, Flag(True))
        texts = [one.result() for one in [threads.submit(at.write) for _ in range(8)]]
        for text in texts:
            at.wrote(text)
        assert at.is_written


def test_a_save_that_is_noted_after_a_later_one_is_forgotten(tmp_path):
    with bench(tmp_path) as at:
        at.do(1, Flag(True))
        left_off = at.write()
        at.do(1, Comment("later"))
        at.save()
        at.wrote(left_off)
        assert (at.unexported_count, at.is_written) == (0, True)


def test_a_save_that_fails_behind_one_that_was_not_noted_leaves_a_file_of_our_own(
    tmp_path,
    monkeypatch,
):
    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with bench(tmp_path) as at:
        at.do(1, Flag(True))
        at.write()
        at.do(1, Comment("later"))
        with monkeypatch.context() as patched:
            patched.setattr(atomic, "_keep_backup", full)
            with pytest.raises(NotWritten, match="No space"):
                at.write()
        at.save()
        assert at.is_written


def test_a_file_that_was_renamed_and_not_noted_is_ours_without_being_read(tmp_path):
    with bench(tmp_path) as at:
        at.do(1, Flag(True))
        at.write()
        at.do(1, Comment("later"))
    stat = at.audit.stat()
    at.audit.write_bytes(at.audit.read_bytes()[::-1])
    os.utime(at.audit, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    again = resume(place(tmp_path))
    with again.workspace:
        assert seat(again, tmp_path).unexported_count == 1


def test_an_audit_of_a_workspace_that_is_gone_is_not_written(tmp_path):
    with pytest.raises(NotWritten, match="could not be written"):
        write_audit(tmp_path / "none.db", tmp_path / "x.audit.toml")


def test_an_audit_whose_workspace_another_program_locks_is_not_written(
    tmp_path,
    monkeypatch,
):
    monkeypatch.setattr(database, "connected", partial(database.connected, wait=0))
    with bench(tmp_path) as at:
        at.do(1, Flag(True))
    with closing(sqlite3.connect(place(tmp_path).workspace)) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(NotWritten, match=r"could not be written: .* is busy"):
            write_audit(place(tmp_path).workspace, place(tmp_path).audit)


def test_an_audit_file_is_as_the_workspace_of_its_own_text_writes_it(tmp_path):
    with bench(tmp_path) as at:
        at.save()
        assert at.audit.read_bytes().startswith(
            b'format = "appellate-audit/1"\nappellate = "0.1.0"\n',
        )
        assert place(tmp_path).audit == at.audit


# -- what is copied of what was written before ------------------------------------------------------


def from_nothing(at):
    return b"".join(_parts(at.workspace, None, []))


def texts_made(act):
    """How many cells an act made the text of."""
    made = []
    sys.setprofile(
        lambda frame, event, _: (
            event == "call" and frame.f_code is cell_text.__code__ and made.append(1)
        ),
    )
    try:
        act()
    finally:
        sys.setprofile(None)
    return len(made)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(1, 3), commands) | st.none(), max_size=12))
@settings(deadline=None, max_examples=20)
def test_what_is_written_again_is_what_would_be_written_from_nothing(life):
    with (
        TemporaryDirectory() as folder,
        bench(Path(folder), trace("a"), trace("é", "BCL2\n…"), trace("c")) as at,
    ):
        at.save()
        for step in (*life, None):
            if step is None:
                at.save()
                assert at.audit.read_bytes() == from_nothing(at)
                continue
            with suppress(Refused):
                at.do(*step)


def test_only_the_texts_of_traces_to_which_something_happened_are_made_anew(tmp_path):
    with bench(tmp_path, *(trace(str(n)) for n in range(9))) as at:
        assert texts_made(at.save) == 9
        assert texts_made(at.save) == 0
        at.do(4, Flag(True))
        at.do(4, Comment("hm"))
        at.do(5, Flag(True))
        assert texts_made(at.save) == 2
        assert at.audit.read_bytes() == from_nothing(at)


def test_added_traces_are_written_behind_what_was_copied(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.save()
        at.workspace.add_all([trace("b")])
        assert texts_made(at.save) == 1
        assert at.audit.read_bytes() == from_nothing(at)


def test_a_revised_rubric_changes_texts_without_a_fact_so_that_all_are_made_anew(
    tmp_path,
):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.receive(1, proposal())
        at.save()
        at.revise(rubric(matrix(metrics=["recall"])))
        assert texts_made(at.save) == 2
        assert at.audit.read_bytes() == from_nothing(at)


@pytest.mark.parametrize("named", ["x.audit.toml", "touched"])
def test_what_another_program_wrote_is_never_copied(tmp_path, named):
    """Nor what another version of this one did."""
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.save()
        if named == "touched":
            os.utime(at.audit, ns=(1, 1))
        else:
            told = at.workspace.meta("parts").replace(running(), "0.0.0")
            at.workspace.set_meta("parts", told)
        assert texts_made(at.save) == 2


def test_how_far_the_writing_has_come_is_told_by_traces(tmp_path):
    heard = []
    with bench(tmp_path, *(trace(str(n)) for n in range(3))) as at:
        at.save(lambda done, part: heard.append((done, round(part, 2))))
    assert heard == [(0, 0), (1, 0.33), (2, 0.67), (3, 1)]
