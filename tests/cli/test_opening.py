"""What stands in the way of opening an audit is told in a sentence, by every command that opens one."""

import errno
import json
import os
from pathlib import Path

import pytest

from appellate import load_audit
from appellate.cli import main
from appellate.cli.demo import open_demo
from appellate.core.deciding import Flag
from appellate.store.audits.open_audit import AuditFiles, making
from appellate.store.workspace import Workspace
from cells import bench, place, process, proposal, rubric, trace
from store.test_rebuilding import aged

ON_A_FULL_DISK = """
import resource, sys
from appellate.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(main(sys.argv[2:]))
"""
RUBRIC = """
[[metric_traits]]
name = "Facts"
metrics = ["f1"]
tp_instructions = ["Says that water boils at 100 degrees"]
"""
LONG = "long " * 2000

OPENING = [
    ["review"],
    ["judge"],
    ["judge", "--dry-run"],
    ["batch", "export", "--model", "m", "-o", "asked.jsonl"],
    ["batch", "status"],
    ["batch", "fetch"],
    ["serve", "--port", "0"],
]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def by_somebody_else(audit) -> None:
    audit.write_text(
        audit.read_text().replace("\n[rubric]", "theirs = true\n\n[rubric]", 1),
    )


def test_the_demo_says_that_somebody_else_changed_its_file(tmp_path, cli):
    at = AuditFiles.of(tmp_path / "demo.audit.toml")
    open_demo(at).workspace.close()
    at.audit.write_text('format = "appellate-audit/1"\n')
    told = cli("demo --folder", tmp_path, code=2).err
    assert "audit.toml: was changed by someone else" in told
    assert "--take workspace" in told


@pytest.mark.parametrize("command", ["review", "judge"])
def test_a_file_that_cannot_be_read_is_not_called_no_audit(
    tmp_path,
    cli,
    monkeypatch,
    command,
):
    with bench(tmp_path) as at:
        at.save()
    path_open = Path.open

    def refuse(path, *how):
        if path.name == at.audit.name:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return path_open(path, *how)

    monkeypatch.setattr(Path, "open", refuse)
    told = cli(command, "x.audit.toml", code=2).err
    assert "no permission to read it" in told


@pytest.mark.parametrize("command", OPENING, ids=" ".join)
def test_who_opens_an_audit_is_told_that_somebody_else_changed_it(
    tmp_path,
    cli,
    command,
):
    with bench(tmp_path) as at:
        at.do(1, Flag(True))
        at.save()
    by_somebody_else(place(tmp_path).audit)
    name, *more = command
    action = [more.pop(0)] if name == "batch" else []
    assert (
        "was changed by someone else"
        in cli(name, *action, "x.audit.toml", *more, code=2).err
    )


@pytest.mark.parametrize("command", ["review", "judge"])
def test_who_comes_while_it_is_being_made_is_told(tmp_path, capsys, command):
    (tmp_path / "r.toml").write_text(RUBRIC)
    (tmp_path / "t.jsonl").write_text('{"id": "t1", "response": "Ice floats."}')
    with making(place(tmp_path).workspace, rubric(), "0.1.0") as workspace:
        workspace.add_all([trace()])
        assert main([command, "r.toml", "t.jsonl", "-o", "x.audit.toml"]) == 2
    workspace.close()
    assert "is busy: another process has it open" in capsys.readouterr().err


# -- a full disk ----------------------------------------------------------------------------------


def refused(room: int, *command: str) -> None:
    """The command ends with a sentence where no file may grow beyond so many bytes."""
    with process(ON_A_FULL_DISK, room, *command) as child:
        _, told = child.communicate()
    assert child.returncode == 2, told
    assert "the disk refuses" in told
    assert "Traceback" not in told


def names(folder) -> list[str]:
    return sorted(
        path.name for path in folder.iterdir() if not path.name.endswith(".lock")
    )


def test_a_full_disk_leaves_nothing_of_a_new_audit(tmp_path, cli):
    (tmp_path / "r.toml").write_text(RUBRIC)
    lines = [
        json.dumps({"id": number, "response": LONG}) + "\n" for number in range(30)
    ]
    (tmp_path / "t.jsonl").write_text("".join(lines))
    command = ["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml", "--judge", "lexical"]
    refused(200_000, *command)
    assert names(tmp_path) == ["r.toml", "t.jsonl"]
    assert "30 cells" in cli(*command).err


def test_a_full_disk_leaves_the_file_that_a_workspace_is_rebuilt_from(tmp_path, capsys):
    with bench(tmp_path, *(trace(f"t{number}", LONG) for number in range(30))) as at:
        at.do(1, Flag(True))
        at.save()
    place(tmp_path).workspace.unlink()
    refused(200_000, "judge", "x.audit.toml", "--judge", "lexical")
    assert names(tmp_path) == ["x.audit.toml"]
    assert main(["judge", "x.audit.toml", "--judge", "lexical"]) == 0
    with Workspace(place(tmp_path).workspace) as workspace:
        assert workspace.cell(1)[1].flag


@pytest.mark.slow
def test_a_full_disk_leaves_the_workspace_that_a_file_is_taken_instead_of(tmp_path):
    with bench(tmp_path, *(trace(f"t{number}", LONG) for number in range(30))) as at:
        at.save()
        at.do(1, Flag(True))
    by_somebody_else(place(tmp_path).audit)
    refused(200_000, "judge", "x.audit.toml", "--take", "file")
    assert not [name for name in names(tmp_path) if ".old" in name or ".new" in name]
    with Workspace(place(tmp_path).workspace) as workspace:
        assert workspace.cell(1)[1].flag


@pytest.mark.slow
def test_a_full_disk_leaves_an_older_workspace_as_it_was(tmp_path):
    with bench(tmp_path, *(trace(f"t{number}") for number in range(50))) as at:
        at.do(1, Flag(True))
        at.save()
    aged(place(tmp_path).workspace)
    room = place(tmp_path).workspace.stat().st_size // 3
    refused(room, "judge", "x.audit.toml", "--judge", "lexical")
    assert main(["judge", "x.audit.toml", "--judge", "lexical"]) == 0
    with Workspace(place(tmp_path).workspace) as workspace:
        assert workspace.cells.count() == 50
        assert workspace.cell(1)[1].flag


def test_an_audit_whose_folder_only_reads_is_to_be_copied(tmp_path, cli, monkeypatch):
    with bench(tmp_path) as at:
        at.save()
    place(tmp_path).audit.rename("x.audit.toml")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    told = cli("sample x.audit.toml -n 1", code=2).err
    assert "cannot be written to; copy the audit to another folder" in told


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (
            "r.toml",
            "r.toml: is not the audit that -o names; give RUBRIC and TRACES, or one",
        ),
        ("nowhere.toml", "nowhere.toml: is not the audit that -o names"),
        ("y.audit.toml", "y.audit.toml: is not the audit that -o names"),
    ],
)
def test_one_file_beside_another_audit_is_not_left_unread(tmp_path, cli, named, told):
    (tmp_path / "r.toml").write_text(RUBRIC)
    (tmp_path / "t.jsonl").write_text(
        json.dumps({"id": "t", "response": "Ice floats."}),
    )
    for audit in ("x.audit.toml", "y.audit.toml"):
        cli("judge r.toml t.jsonl --judge lexical -o", audit)
    assert told in cli("judge", named, "-o", "x.audit.toml", code=2).err
    cli("judge x.audit.toml -o x.audit.toml")
    cli("judge x.audit.db -o", tmp_path / "x.audit.toml")


def test_the_audit_file_is_not_taken_for_the_workspace(tmp_path, cli):
    (tmp_path / "r.toml").write_text(RUBRIC)
    (tmp_path / "t.jsonl").write_text(
        json.dumps({"id": "t", "response": "Ice floats."}),
    )
    judging = "judge r.toml t.jsonl --judge lexical -o x.audit.toml --workspace"
    told = cli(judging, f"../{tmp_path.name}/x.audit.toml", code=2).err
    assert told == "--workspace: is the audit itself; name another file\n"
    assert not (tmp_path / "x.audit.toml").exists()
    cli("judge r.toml t.jsonl --judge lexical -o x.audit.toml")
    looking = "judge x.audit.toml --dry-run --workspace x.audit.toml"
    assert cli(looking, code=2).err == told


def test_more_traces_beside_an_audit_are_added_to_it_and_said(tmp_path, cli):
    (tmp_path / "r.toml").write_text(RUBRIC)
    for traces in ("t.jsonl", "u.jsonl"):
        (tmp_path / traces).write_text(
            json.dumps({"id": traces, "response": "Ice floats."}),
        )
    cli("judge r.toml t.jsonl --judge lexical -o x.audit.toml")
    assert "1 new trace added" in cli("judge u.jsonl -o x.audit.toml").err
    assert [trace.id for trace in load_audit(tmp_path / "x.audit.toml").traces] == [
        "t.jsonl",
        "u.jsonl",
    ]


@pytest.mark.parametrize("command", ["log", "metrics", "report", "export --to rows"])
def test_who_reads_an_audit_reads_what_is_not_exported_yet(tmp_path, cli, command):
    with bench(tmp_path) as at:
        at.receive(1, proposal())
        at.save()
        before = cli(command, "x.audit.toml")
        at.sign_off(1)
        after = cli(command, "x.audit.toml")
        assert after.out != before.out
        assert "note:" not in after.err
        at.save()
    there = set(tmp_path.iterdir())
    assert cli(command, "x.audit.toml").out == after.out
    assert cli(command, "x.audit.db").out == after.out
    assert set(tmp_path.iterdir()) == there
    place(tmp_path).workspace.write_text("no workspace")
    told = cli(command, "x.audit.toml")
    assert told.out == after.out
    assert "note: x.audit.db cannot be read" in told.err


def test_sign_offs_that_are_not_exported_are_in_metrics_in_the_report_and_in_the_log(
    tmp_path,
    cli,
):
    with bench(tmp_path, trace("a"), trace("b"), trace("c")) as at:
        for number in (1, 2, 3):
            at.receive(number, proposal())
        at.save()
        at.sign_off(1)
        at.sign_off(2)
        (trait,) = json.loads(cli("metrics x.audit.toml --json").out)["traits"]
        assert (trait["reviewed"], trait["metrics"]["f1"]["signed"]["n"]) == (2, 2)
        report = json.loads(cli("report x.audit.toml --format json").out)
        assert report["signed_off"] == {"cells": 2, "of": 3}
        assert cli("log x.audit.toml").out.count("signed") == 2
        assert len(cli("export x.audit.toml --to rows").out.splitlines()) == 2


@pytest.mark.parametrize("command", ["log", "metrics", "report", "export --to rows"])
def test_a_file_that_somebody_changed_is_read_and_the_workspace_is_said_not_to_be(
    tmp_path,
    cli,
    command,
):
    with bench(tmp_path) as at:
        at.receive(1, proposal())
        at.save()
        before = cli(command, "x.audit.toml").out
        at.sign_off(1)
    files = place(tmp_path)
    files.audit.write_text(files.audit.read_text() + "# looked at\n")
    told = cli(command, "x.audit.toml")
    assert told.out == before
    assert (
        "x.audit.toml was changed since its workspace wrote it, so it is read"
        in told.err
    )
    assert "x.audit.db is not, which has 1 fact more" in told.err
    assert cli(command, "x.audit.db").out != before


@pytest.mark.parametrize("folder", [".", "/", ""])
@pytest.mark.parametrize(
    "command",
    [["status"], ["gate", "--history"], ["compare", "x.audit.toml"]],
)
def test_a_folder_without_a_name_is_no_audit(tmp_path, cli, command, folder):
    with bench(tmp_path, trace()) as at:
        at.save()
    told = cli(" ".join(command), folder, code=2).err
    assert told.endswith("this is a folder; name a file in it\n")


def test_a_cell_that_is_named_in_another_encoding_is_told(tmp_path, cli):
    with bench(tmp_path, trace()) as at:
        at.save()
    told = cli("review x.audit.toml --lines --at", "\udcff", code=2).err
    assert "there is no trace “\ufffd”" in told
