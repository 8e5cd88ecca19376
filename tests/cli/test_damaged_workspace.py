"""A workspace whose pages, tables or rows are spoilt ends every command in a sentence."""

import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from appellate.cli import main
from appellate.core.deciding import Comment, Flag
from appellate.store.audits.open_audit import unexported
from appellate.store.damage import damage
from appellate.store.workspace import Workspace
from cells import bench, place, trace
from partly import partly_quick

COMMANDS = [
    "review x.audit.toml --lines",
    "judge x.audit.toml --judge lexical",
    "judge x.audit.toml --judge lexical --again --dry-run",
    "sample x.audit.toml",
    "sample x.audit.toml -n 2",
    "gate x.audit.toml f1>=.5",
    "second-pass x.audit.toml",
    "probe x.audit.toml --probe order",
    "batch export x.audit.toml --model m -o requests.jsonl",
    "metrics x.audit.toml",
    "log x.audit.toml",
    "report x.audit.toml",
    "check x.audit.toml",
    "export x.audit.toml --to rows",
]
ROWS = [
    "DROP TABLE facts",
    "DROP TABLE cells",
    "DROP TABLE earlier",
    "ALTER TABLE facts DROP COLUMN part_of",
    "UPDATE facts SET body = '5'",
    "UPDATE facts SET body = '{'",
    "UPDATE facts SET body = x'ff00'",
    "UPDATE facts SET name = 'nosuch'",
    "UPDATE facts SET at = 'yesterday'",
    "UPDATE traces SET body = '[]'",
    "UPDATE cells SET trait = 'nosuch'",
    "UPDATE totals SET value = 'many'",
    "UPDATE meta SET value = 'x'",
    "UPDATE meta SET value = '{}'",
    "UPDATE meta SET value = 'null'",
    "INSERT INTO earlier VALUES ('a', 'nosuch', '{}')",
    "INSERT INTO extras VALUES (1, 0, 'no TOML')",
    "PRAGMA user_version = 0",
    "PRAGMA application_id = 5",
]
PAGE = 4096


@pytest.fixture
def audit(tmp_path, monkeypatch):
    """An audit whose workspace has three facts that its TOML lacks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    with bench(tmp_path, *(trace(str(number)) for number in range(4))) as at:
        at.do(1, Comment("Look again"))
        at.save()
        for number in (2, 3, 4):
            at.do(number, Flag(True))
    return place(tmp_path)


def zeroed(data, chance):
    for _ in range(3):
        start = chance.randrange(len(data) // PAGE) * PAGE
        data[start : start + PAGE] = bytes(PAGE)


def flipped(data, chance):
    for _ in range(20):
        data[chance.randrange(len(data))] ^= 0xFF


def noise(data, chance):
    start = chance.randrange(1, len(data) // PAGE) * PAGE
    data[start : start + PAGE] = chance.randbytes(PAGE)


def cut(data, chance):
    del data[chance.randrange(len(data)) :]


def ends_well(command, before, path, capsys):
    """Runs a command on a spoilt workspace, which it may only have read; returns what it said."""
    path.with_name("x.audit.db-wal").unlink(missing_ok=True)
    path.with_name("x.audit.db-shm").unlink(missing_ok=True)
    path.write_bytes(before)
    capsys.readouterr()
    code = main(command.split())
    told = capsys.readouterr().err
    assert code in (0, 1, 2, 3), command
    assert "Traceback" not in told, command
    return told


@pytest.mark.parametrize("spoil", partly_quick([zeroed, flipped, noise, cut], 2))
def test_a_file_with_spoilt_bytes_ends_no_command_in_a_traceback(audit, spoil, capsys):
    for seed in range(2):
        data = bytearray(audit.workspace.read_bytes())
        spoil(data, random.Random(seed))
        text = audit.audit.read_bytes()
        for command in COMMANDS:
            ends_well(command, bytes(data), audit.workspace, capsys)
            audit.audit.write_bytes(text)


@pytest.mark.slow
@pytest.mark.parametrize("spoil", [zeroed, flipped, noise, cut])
@pytest.mark.parametrize("seed", range(10, 40))
def test_no_seed_of_spoilt_bytes_ends_a_command_in_a_traceback(
    audit,
    spoil,
    seed,
    capsys,
):
    data = bytearray(audit.workspace.read_bytes())
    spoil(data, random.Random(seed))
    for command in COMMANDS:
        ends_well(command, bytes(data), audit.workspace, capsys)


@pytest.mark.parametrize("sql", partly_quick(ROWS, 3))
def test_a_spoilt_table_or_row_is_told_with_the_audit_that_has_everything(
    audit,
    sql,
    capsys,
):
    with closing(sqlite3.connect(audit.workspace, isolation_level=None)) as db:
        db.execute(sql)
    data = audit.workspace.read_bytes()
    assert damage(audit.workspace)
    told = ""
    for command in COMMANDS[:3] + COMMANDS[4:8] + COMMANDS[9:10]:
        told += ends_well(command, data, audit.workspace, capsys)
    assert "damaged" in told
    assert "x.audit.toml has" in told
    assert "move x.audit.db away, and x.audit.db-wal if there is one, keep both" in told


def test_how_far_the_audit_lags_is_told_if_the_workspace_still_tells(audit, cli):
    assert unexported(audit) == 3
    with closing(sqlite3.connect(audit.workspace, isolation_level=None)) as db:
        db.execute("UPDATE traces SET body = '['")
    assert "has all but the last 3 facts" in cli("sample x.audit.toml -n 2", code=2).err


def test_where_it_does_not_tell_nothing_is_claimed(audit, cli):
    audit.workspace.write_bytes(b"\0" * PAGE * 3)
    assert unexported(audit) is None
    told = cli("sample x.audit.toml", code=2).err
    assert "has all that was exported, the workspace may have more" in told
    note = "x.audit.db cannot be read: it may have facts that x.audit.toml lacks"
    assert note in cli("metrics x.audit.toml").err


def test_the_advice_brings_the_audit_back(audit, cli):
    audit.workspace.write_bytes(audit.workspace.read_bytes()[: PAGE * 5])
    cli("sample x.audit.toml", code=2)
    shutil.move(audit.workspace, "kept.db")
    cli("sample x.audit.toml")
    with Workspace(audit.workspace) as workspace:
        assert workspace.cells.count() == 4
        assert not damage(audit.workspace)


def test_a_workspace_without_its_audit_is_not_to_be_moved_away(audit, cli):
    audit.audit.unlink()
    with closing(sqlite3.connect(audit.workspace, isolation_level=None)) as db:
        db.execute("UPDATE traces SET body = '['")
    told = cli("sample x.audit.toml -n 2", code=2).err
    assert "there is no x.audit.toml to rebuild it from" in told
    assert "away" not in told


def test_one_of_a_later_version_is_left_where_it_is(audit, cli):
    with closing(sqlite3.connect(audit.workspace, isolation_level=None)) as db:
        db.execute("PRAGMA user_version = 99")
    told = cli("sample x.audit.toml", code=2).err
    assert "update Appellate" in told
    assert "away" not in told


def test_an_error_that_is_no_damage_stays_what_it_is(audit):
    assert damage(audit.workspace) == ""
