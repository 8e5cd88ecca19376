"""The audit file beside its workspace: what is in it, and whether it is still ours."""

import os
import tomllib

import pytest

from appellate.core.commands import Comment, Flag
from appellate.store.written import NotWritten, is_foreign, remembered, text_digest, workspace_path, write_audit
from cells import bench, place, trace


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


def test_an_audit_of_one_moment_may_be_written_beside_the_writer(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.do(1, Flag(True))
        n, sha256 = write_audit(at.workspace.path, at.audit)
        assert (n, sha256) == (1, text_digest(at.workspace))
        at.do(2, Comment("later"))
        at.wrote((n, sha256))
        assert at.behind == 1
        document = tomllib.loads(at.audit.read_text())
        assert [one["id"] for one in document["traces"]] == ["a", "b"]
        assert document["saved"].isoformat() == "2026-11-21T12:00:00.123456+00:00"


def test_a_file_that_cannot_be_written_is_said_and_all_stays_kept(tmp_path):
    with bench(tmp_path) as at:
        at.audit = tmp_path / "no such folder" / "x.audit.toml"
        at.do(1, Flag(True))
        with pytest.raises(NotWritten, match="could not be written: No such"):
            at.save()
        assert at.behind == 1
        assert at.open(1)[1].flag


def test_an_audit_of_a_workspace_that_is_gone_is_not_written(tmp_path):
    with pytest.raises(NotWritten, match="could not be written"):
        write_audit(tmp_path / "none.db", tmp_path / "x.audit.toml")


def test_an_audit_file_is_as_the_workspace_of_its_own_text_writes_it(tmp_path):
    with bench(tmp_path) as at:
        at.save()
        assert at.audit.read_bytes().startswith(b'format = "appellate-audit/1"\nappellate = "0.1.0"\n')
        assert place(tmp_path).audit == at.audit
