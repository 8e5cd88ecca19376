"""`appellate judge` over a network: told as it goes, and stopped without losing what came."""

import json
import os
import signal
import subprocess
import sys

import pytest

from appellate.cli import main
from appellate.cli.judge import Bar, Events, Log
from appellate.cli.outcome import Ended, Exit
from appellate.judges.rate_limiter import Waiting
from appellate.judging.progress import Progress
from appellate.store import injection
from appellate.store.audits.audit import load_audit
from appellate.store.workspace import Workspace
from loopback import FAULTS, every, served, slowly, truthful

RUBRIC = '[[metric_traits]]\nname = "Gene"\nmetrics = ["recall"]\ntp_instructions = ["It is a gene named"]\n'


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "r.toml").write_text(RUBRIC)
    lines = [
        json.dumps({"id": f"t{n}", "response": f"It is a gene named {n}."})
        for n in range(40)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    return tmp_path


def command(server, *more):
    files = ["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml"]
    return [*files, "--model", "m", "--base-url", server.url, *more]


def states(files):
    cells = [one.cell.state for one in load_audit(files / "x.audit.toml").cells]
    return {state: cells.count(state) for state in cells}


@pytest.mark.slow
def test_looking_at_what_would_be_done_leaves_nothing_nor_does_a_command_that_is_refused(
    files,
    capsys,
    cli,
):
    with served(truthful) as server:
        assert main(command(server, "--dry-run")) == 0
        assert main(command(server, "--show-prompt")) == 0
        assert main(command(server, "--judge", "nosuch")) == 2
        assert main(command(server, "--where", "f1<1")) == 2
        assert main(command(server, "--again", "--where", "f1<")) == 2
        assert main([*command(server)[:5], "--again", "--judge", "recorded"]) == 2
        assert not list(files.glob("x.audit.*"))
        (files / "r.toml").write_text(RUBRIC.replace("named", "called"))
        assert main(command(server)) == 0
        before = (
            (files / "x.audit.db").read_bytes(),
            (files / "x.audit.toml").read_bytes(),
        )
        (files / "new.toml").write_text(RUBRIC)
        capsys.readouterr()
        more = [
            "--revise",
            "new.toml",
            "--dry-run",
            "--model",
            "m",
            "--base-url",
            server.url,
        ]
        assert cli("judge x.audit.toml", *more).out.startswith("40 cells, 40 requests.")
    assert (
        (files / "x.audit.db").read_bytes(),
        (files / "x.audit.toml").read_bytes(),
    ) == before


@pytest.mark.slow
def test_a_panel_member_that_is_dead_throughout_is_told_with_its_cause_and_is_no_success(
    files,
    capsys,
):
    def script(asked):
        return (
            FAULTS["no-model"](asked) if asked.body["model"] == "n" else truthful(asked)
        )

    with served(script) as server:
        assert main(command(server, "--model", "n")) == 1
        asked_in_vain = [asked for asked in server.asked if asked.body["model"] == "n"]
    told = capsys.readouterr().err
    assert "n gave no labels for any of 40 cells: " in told
    assert "answered 404: The model does not exist." in told
    assert states(files) == {"proposed": 40}
    assert len(asked_in_vain) < 30


@pytest.mark.slow
def test_a_server_that_is_not_there_ends_the_run_and_the_cause_is_told(files, capsys):
    with served(truthful) as server:
        pass
    host = server.url.split("/")[2]
    assert main(command(server, "--patience", "6s")) == 1
    told = capsys.readouterr().err
    cause = f"{host} cannot be reached: nothing listens on this port (is the server running?)."
    assert f"\n{cause}\n" in told, "while it is waited for"
    assert f"40 failed: {cause} It was tried for 6s" in told
    assert states(files) == {"failed": 40}


def test_what_a_server_does_in_place_of_answering_is_told_below_the_progress(capsys):
    waiting = Waiting(
        "x:1",
        silent=6.0,
        left=9.0,
        trouble="answered 503: Overloaded.",
        status=503,
    )
    for log in (Log(), Bar()):
        log.progressed(Progress(left=40, waiting=waiting))
        told = capsys.readouterr().err
        assert told.endswith("\nx:1 answered 503: Overloaded.\n")
    Events().progressed(Progress(left=40, waiting=waiting))
    (stalled, *_) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (stalled["event"], stalled["cause"]) == (
        "stalled",
        "x:1 answered 503: Overloaded.",
    )


@pytest.mark.slow
def test_a_workspace_deleted_under_a_run_ends_it_and_nothing_is_claimed(files, capsys):
    def deleting(asked):
        (files / "x.audit.db").unlink(missing_ok=True)
        return truthful(asked)

    with served(deleting) as server:
        assert main(command(server)) == 1
    told = capsys.readouterr().err
    assert (
        "The judge was stopped: x.audit.db was deleted, moved or replaced while it was open."
        in told
    )
    assert "x.audit.toml could not be written" in told
    assert "may be in no file" in told
    assert "kept" not in told
    assert not (files / "x.audit.toml").exists()


@pytest.mark.slow
def test_a_run_is_told_in_lines_where_there_is_no_terminal_and_a_query_that_finds_nothing_opens_no_round(
    files,
    capsys,
    cli,
):
    with served(truthful) as server:
        told = cli(*command(server)).err.splitlines()
        assert told[0] == f"Judging 40 cells by m at {server.url.split('/')[2]}."
        *_, done, other_model, last = told
        assert done.startswith("40 done · 0 left")
        assert "4800 tokens" in done
        assert other_model.startswith(
            "m was asked, and loopback-1 answered, in 40 cells",
        )
        assert last == "x.audit.toml: 40 cells: 40 proposed."
        before = (files / "x.audit.toml").read_bytes()
        assert main(command(server, "--again", "--where", "id:nowhere")) == 2
    told = capsys.readouterr().err
    assert '--where: no judged cell fits "id:nowhere"' in told
    assert "Round" not in told
    assert (files / "x.audit.toml").read_bytes() == before
    with Workspace(files / "x.audit.db") as workspace:
        assert injection.unseen(workspace.db) == [], (
            "words to the model were looked for"
        )


@pytest.mark.slow
def test_why_cells_failed_is_told_and_going_on_asks_only_what_is_missing(files, capsys):
    with served(every(4, FAULTS["refusal"])) as server:
        assert main(command(server, "--json")) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    cells = [row for row in rows if row["event"] == "cell"]
    assert sorted(row["cell"] for row in cells) == list(range(1, 41))
    failed = [row for row in cells if row["state"] == "failed"]
    assert {row["reason"] for row in failed} == {
        "The model refused: I cannot help with that.",
    }
    assert (rows[0]["event"], rows[0]["cells"], rows[-1]["event"]) == (
        "started",
        40,
        "ended",
    )
    assert rows[-1]["failed"] == len(failed) == 10
    with served(every(2, FAULTS["refusal"])) as server:
        assert main(command(server)) == 1
        assert len(server.asked) == 10
    assert (
        "5 failed: The model refused: I cannot help with that.\n"
        in capsys.readouterr().err
    )
    with served(truthful) as server:
        assert main(command(server)) == 0
        assert len(server.asked) == 5
    assert states(files) == {"proposed": 40}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143)],
)
def test_a_signal_ends_the_run_and_keeps_what_came(files, number, code):
    answers = slowly(truthful, 3600)
    with served(
        lambda asked: truthful(asked) if asked.n <= 10 else answers(asked),
    ) as server:
        program = [sys.executable, "-m", "appellate", *command(server, "--json")]
        with subprocess.Popen(
            program,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            told = 0
            while told < 10:
                told += json.loads(process.stdout.readline())["event"] == "cell"
            os.kill(process.pid, number)
            out, err = process.communicate()
    assert process.returncode == code
    assert (
        "Stopped; what has arrived is saved." in json.loads(out.splitlines()[-1])["why"]
    )
    assert "Traceback" not in err
    assert states(files) == {"proposed": 10, "pending": 30}


def test_what_was_judged_is_saved_though_the_reader_leaves_before_the_last_event(
    files,
    monkeypatch,
):
    def printed(text):
        if '"ended"' in text:
            raise Ended(Exit.DONE)

    monkeypatch.setattr("appellate.cli.judge.show", printed)
    line = ["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml", "--judge", "lexical"]
    assert main([*line, "--json"]) == 0
    assert states(files) == {"proposed": 40}
