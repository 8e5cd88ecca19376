"""A workspace that another program keeps locked, and file systems that lock nothing."""

import errno
import fcntl
import os

import pytest

from appellate.cli import main
from appellate.core.deciding import Flag
from appellate.store.workspace import Workspace
from cells import bench, place, process

LOCKED = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
if sys.argv[2] == "whole":
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
db.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()
"""
OPENING = (
    ["judge", "x.audit.toml"],
    ["gate", "x.audit.toml", "f1>=.5"],
    ["sample", "x.audit.toml"],
    ["second-pass", "x.audit.toml", "--reviewer", "ada"],
    ["probe", "x.audit.toml", "--probe", "order"],
    ["batch", "export", "x.audit.toml", "-o", "requests.jsonl"],
    ["review", "x.audit.toml", "--lines"],
)
NO_LOCKS = [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL]


@pytest.fixture
def audit(tmp_path, monkeypatch):
    """The folder of an audit with a fact that its TOML lacks."""
    monkeypatch.chdir(tmp_path)
    with bench(tmp_path) as at:
        at.save()
        at.do(1, Flag(True))
    return place(tmp_path)


@pytest.mark.slow  # each waits as long as SQLite waits for a lock
@pytest.mark.parametrize("how", ["writes", "whole"])
def test_a_workspace_that_another_program_locks_is_busy_and_loses_nothing(
    audit,
    cli,
    how,
):
    before = audit.workspace.read_bytes()
    with process(LOCKED, audit.workspace, how) as child:
        assert child.stdout.readline() == "locked\n"
        printed = cli("judge x.audit.toml", code=2)
    assert "x.audit.db is busy: another program has it open" in printed.err
    assert "move it away" not in printed.err
    assert "not a workspace" not in printed.err
    assert audit.workspace.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("command", OPENING, ids=" ".join)
def test_every_command_that_opens_a_busy_workspace_says_so(audit, cli, command):
    with process(LOCKED, audit.workspace, "whole") as child:
        assert child.stdout.readline() == "locked\n"
        printed = cli(" ".join(command), code=2)
    assert "is busy: another program has it open" in printed.err


@pytest.mark.parametrize("number", NO_LOCKS, ids=errno.errorcode.get)
@pytest.mark.parametrize("command", OPENING[:3], ids=" ".join)
def test_a_file_system_without_locks_gets_a_sentence(
    audit,
    cli,
    monkeypatch,
    number,
    command,
):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    printed = cli(" ".join(command), code=2)
    assert "has no file locks" in printed.err
    assert "--workspace PATH" in printed.err
    assert audit.workspace.exists()


def test_without_shared_memory_it_cannot_be_opened_and_another_place_is_named(
    audit,
    cli,
):
    audit.workspace.with_name("x.audit.db-shm").mkdir()
    printed = cli("judge x.audit.toml", code=2)
    assert "--workspace PATH" in printed.err
    assert "move it away" not in printed.err


def test_the_lock_file_of_a_process_that_is_gone_is_no_lock(audit):
    lock = audit.workspace.with_name(".x.audit.db.lock")
    lock.write_text(f"999999\n{os.uname().nodename}\n")
    Workspace(audit.workspace).close()
    assert main(["sample", "x.audit.toml"]) == 0
