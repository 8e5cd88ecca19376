"""A disk that refuses, whenever it does, ends a command with a sentence."""

import csv
import json
import sys

import pytest

from appellate.cli import main
from batch_stage import written
from cells import bench, proposal, said, trace
from partly import partly_quick

AUDIT = "x.audit.toml"
OF_TEXTS = [10, 300]
OF_WORKSPACES = [20_000, 33_500, 60_000, 100_000]
"""Bytes above which no file may grow: that is how a disk is full at one step or another."""
ENDS = """
import json, os, resource, shutil, sys
from pathlib import Path
from appellate.cli import main
import appellate.cli.judge
folder, limits, command = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
ends = []
for number, limit in enumerate(limits):
    there = f"{folder}-{number}"
    shutil.copytree(folder, there)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(write, 2)
        os.chdir(there)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        ended = 70
        try:
            ended = main(command)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
        os._exit(ended)
    os.close(write)
    told = os.fdopen(read).read()
    ends.append([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), told])
print(json.dumps(ends))
"""


@pytest.fixture
def given(tmp_path):
    """An audit of three judged cells, the first signed off, and files for a new one."""
    folder = tmp_path / "given"
    folder.mkdir()
    written(folder)
    with bench(folder, *[trace(name) for name in "abc"]) as at:
        for number in (1, 2, 3):
            at.receive(number, proposal())
        at.sign_off(1)
        at.save()
    return folder


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="limits of file sizes are Linux's here",
)
@pytest.mark.parametrize(
    ("command", "limits"),
    partly_quick(
        [
            (f"judge {AUDIT} --again --judge lexical", OF_WORKSPACES),
            ("judge r.toml t.jsonl -o new.audit.toml --judge lexical", OF_WORKSPACES),
            (f"sample {AUDIT} -n 2", OF_WORKSPACES),
            ("batch export r.toml t.jsonl --model m -o requests.jsonl", OF_WORKSPACES),
            (f"export {AUDIT} --to rows -o rows.jsonl", OF_TEXTS),
            (f"export {AUDIT} --to csv -o csv", OF_TEXTS),
            (f"report {AUDIT} -o report.html", OF_TEXTS),
            ("new rubrics/first --criterion Floats", OF_TEXTS),
            ("config reviewer ada", OF_TEXTS),
        ],
        4,
    ),
)
def test_a_disk_that_is_full_at_some_step_is_told_in_a_sentence(
    given,
    monkeypatch,
    command,
    limits,
):
    monkeypatch.setenv("APPELLATE_CONFIG", "settings")
    ends = said(ENDS, given, json.dumps(limits), json.dumps(command.split()))
    for limit, (code, told) in zip(limits, ends, strict=True):
        assert code in (0, 1, 2), (limit, told)
        assert "Traceback" not in told
        assert "shared memory" not in told
        assert code == 0 or told.strip(), limit
    assert any(code for code, _ in ends)


@pytest.fixture
def exported(given):
    """The folder of an audit and of its tables, whose reasons are longer than a small disk."""
    assert (
        main(["export", str(given / AUDIT), "--to", "csv", "-o", str(given / "csv")])
        == 0
    )
    path = given / "csv" / "cells.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    row["judge_reason"] = "word " * 50_000
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, row)
        table.writeheader()
        for number in range(16):
            table.writerow(row | {"trace": f"{row['trace']}{number}"})
    return given


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="limits of file sizes are Linux's here",
)
@pytest.mark.parametrize(
    "limit",
    [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)],
)
def test_no_room_for_the_cells_of_an_export_that_is_read_is_told_in_a_sentence(
    exported,
    monkeypatch,
    limit,
):
    monkeypatch.setenv("APPELLATE_CONFIG", "settings")
    command = ["import", "csv/cells.csv", "-o", "again.audit.toml"]
    ((code, told),) = said(ENDS, exported, json.dumps([limit]), json.dumps(command))
    assert code == 2
    assert told.startswith("csv/cells.csv: there is no room for temporary files")
    assert "TMPDIR" in told
    assert "Traceback" not in told
    left_behind = {
        path.name for path in exported.with_name(f"{exported.name}-0").iterdir()
    }
    assert left_behind - {path.name for path in exported.iterdir()} <= {
        ".again.audit.db.lock",
    }


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="limits of file sizes are Linux's here",
)
def test_no_room_for_the_lines_of_an_export_is_told_in_a_sentence(
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("APPELLATE_CONFIG", "settings")
    folder = tmp_path / "given"
    folder.mkdir()
    with bench(folder, trace(metadata={"note": "word " * 50_000})) as at:
        at.receive(1, proposal())
        at.sign_off(1)
        at.save()
    command = ["export", AUDIT, "--to", "csv", "-o", "csv"]
    ((code, told),) = said(ENDS, folder, json.dumps([100_000]), json.dumps(command))
    assert code == 2
    assert told.startswith("csv: there is no room for temporary files")
