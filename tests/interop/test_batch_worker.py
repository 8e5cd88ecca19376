"""A worker of a batch: every request answered once, whatever happens to some, and on after a kill."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from appellate.cli import main
from appellate.interop import batch_worker
from appellate.interop.batches import JOBS, BatchJob, script
from appellate.store.audits.audit import load_audit
from batch_stage import CELLS, written
from loopback import Answer, error, in_order, served, truthful

REQUESTS, ANSWERS = "requests.jsonl", "answers"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Six exported requests."""
    monkeypatch.chdir(written(tmp_path))
    assert main(["batch", "export", "r.toml", "t.jsonl", "-o", REQUESTS, "--model", "m"]) == 0
    (tmp_path / ANSWERS).mkdir()
    return tmp_path


def lines():
    return Path(REQUESTS).read_text("utf-8").splitlines()


def ids(rows):
    return sorted(json.loads(row)["custom_id"] for row in rows)


def worked(url, part=f"{ANSWERS}/part-0.jsonl"):
    todo = [line for some in batch_worker.shards(REQUESTS, ANSWERS, 2) for line in some]
    return batch_worker.work(todo, part, url, "", 2, 10.0)


def test_bodies_arrive_untouched_and_answers_are_taken_in(folder, capsys):
    with served() as server:
        assert worked(server.url) == CELLS
        sent = [asked.body for asked in server.asked]
    assert sorted(map(json.dumps, sent)) == sorted(
        json.dumps(json.loads(line)["body"]) for line in lines()
    )
    assert main(["batch", "import", "t.audit.toml", ANSWERS]) == 0
    states = [one.cell.state for one in load_audit("t.audit.toml").cells]
    assert states == ["proposed"] * CELLS


def test_what_is_answered_is_not_asked_again_and_a_cut_line_is(folder):
    part = folder / ANSWERS / "part-0.jsonl"
    with served() as server:
        worked(server.url)
        part.write_bytes(part.read_bytes()[:-20])  # killed while it wrote the last line
        assert batch_worker.shards(REQUESTS, ANSWERS, 2) != []
        assert worked(server.url) == 1
        assert len(server.asked) == CELLS + 1
    assert ids(part.read_text("utf-8").splitlines()) == ids(lines())


def test_no_row_ends_the_others(folder):
    bad = error(400, "no such thing")
    with served(in_order(bad, Answer(b"no JSON"), then=truthful)) as server:
        assert worked(server.url) == CELLS
    rows = [json.loads(row) for row in (folder / ANSWERS / "part-0.jsonl").read_text().splitlines()]
    statuses = sorted((row["response"] or {}).get("status_code", 0) for row in rows)
    assert statuses == [0, 200, 200, 200, 200, 400]


def test_a_full_server_is_asked_again(folder):
    with served(in_order(error(503, "full"), error(429, "slowly"), then=truthful)) as server:
        answer = batch_worker.ask(lines()[0], server.url, "", 10.0, 0.0)
        assert len(server.asked) == 3
    assert answer["response"]["status_code"] == 200


def test_a_server_that_stays_full_is_given_up(folder):
    with served(lambda _: error(503, "full")) as server:
        answer = batch_worker.ask(lines()[0], server.url, "", 10.0, 0.0)
        assert len(server.asked) == batch_worker.TRIES
    assert answer["response"]["status_code"] == 503


def test_a_key_is_in_no_error(folder):
    line = json.dumps({"custom_id": "a", "url": "/v1/x", "body": {}})
    answer = batch_worker.ask(line, "http://[broken sk-1", "sk-1", 1.0)
    assert "sk-1" not in json.dumps(answer)
    assert answer["error"]["message"]


@pytest.mark.parametrize("engine", JOBS)
def test_a_printed_script_is_whole_and_has_no_key(engine, capsys):
    given = ["batch", "job", "q.jsonl", "-o", "out", "--for", engine, "--address", "ray://h:1"]
    assert main(given) == 0
    text = capsys.readouterr().out
    assert "q.jsonl" in text
    assert "out" in text
    if engine in ("ray", "daft"):
        compile(text, engine, "exec")
        assert f"import {engine}" in text
    else:
        assert text.startswith("#!/bin/sh")


def test_a_printed_script_answers_by_itself(folder):
    """The part of it that is not the engine's, in a process that does not know us."""
    with served() as server:
        text = script("ray", BatchJob(REQUESTS, ANSWERS, server.url))
        head = text.partition('if __name__ == "__main__":')[0]
        asked = f'run(shards("{REQUESTS}", "{ANSWERS}", 1)[0], "{ANSWERS}/part-0.jsonl")'
        subprocess.run([sys.executable, "-I", "-c", f"{head}\nprint({asked})"], check=True)
    assert ids((folder / ANSWERS / "part-0.jsonl").read_text().splitlines()) == ids(lines())


def test_a_run_that_has_every_answer_asks_nothing(folder, capsys):
    with served() as server:
        worked(server.url)
    assert main(["batch", "run", REQUESTS, "-o", ANSWERS, "--engine", "daft"]) == 0
    assert "has an answer" in capsys.readouterr().err


def test_bad_input_is_refused_in_a_sentence(folder, capsys):
    assert main(["batch", "run", "none.jsonl", "-o", ANSWERS, "--engine", "ray"]) == 2
    assert "there is no such file of requests" in capsys.readouterr().err
    given = ["batch", "run", REQUESTS, "-o", ANSWERS, "--engine", "ray"]
    assert main([*given, "--base-url", "file:///etc"]) == 2
    assert "is no http address" in capsys.readouterr().err
    assert main([*given, "--api-key-env", "NO_SUCH_KEY"]) == 2
    assert "the environment has no NO_SUCH_KEY" in capsys.readouterr().err


@pytest.mark.slow
def test_killed_in_the_middle_it_goes_on_and_asks_nothing_twice(folder):
    """Kill -9 once half of it is answered: only what was under way is asked again."""
    with served() as server:
        code = (
            "import sys; from appellate.interop.batch_worker import shards, work\n"
            f"todo = shards({REQUESTS!r}, {ANSWERS!r}, 1)[0]\n"
            f"work(todo, '{ANSWERS}/part-0.jsonl', {server.url!r}, '', 1, 10.0)"
        )
        part = folder / ANSWERS / "part-0.jsonl"
        process = subprocess.Popen([sys.executable, "-c", code])
        while not part.exists() or part.read_bytes().count(b"\n") < CELLS // 2:
            assert process.poll() in (None, 0)
            if process.poll() == 0:
                break
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = len(server.asked)
        done = part.read_bytes().count(b"\n")
        worked(server.url)
        assert len(server.asked) - before == CELLS - done
    assert ids(part.read_text("utf-8").splitlines()) == ids(lines())


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["daft", "ray"])
def test_an_engine_answers_every_request(folder, engine, capsys):
    pytest.importorskip(engine, reason=f"the extra {engine} is not installed")
    with served() as server:
        given = ["batch", "run", REQUESTS, "-o", ANSWERS, "--engine", engine]
        assert main([*given, "--base-url", server.url]) == 0
        assert len(server.asked) == CELLS
    assert main(["batch", "import", "t.audit.toml", ANSWERS]) == 0
