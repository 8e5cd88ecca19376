"""A worker of a batch: every request answered once, whatever happens to some, and on after a kill."""

import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from filelock import FileLock

import loopback
from appellate.cli import main
from appellate.interop import batch_worker
from appellate.interop.batch_worker import Terms
from appellate.interop.batches import JOBS, script
from appellate.store.audits.audit import load_audit
from batch_stage import CELLS, written
from loopback import PATIENCE, Answer, completion, error, in_order, served, truthful

REQUESTS, ANSWERS = "requests.jsonl", "answers"
TO = ["-o", REQUESTS, "--model", "m"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Six exported requests."""
    monkeypatch.chdir(written(tmp_path))
    assert main(["batch", "export", "r.toml", "t.jsonl", *TO]) == 0
    (tmp_path / ANSWERS).mkdir()
    return tmp_path


def lines():
    return Path(REQUESTS).read_text("utf-8").splitlines()


def ids(rows):
    return sorted(json.loads(row)["custom_id"] for row in rows)


def todo():
    return batch_worker.parts(REQUESTS, ANSWERS, 1)


def worked(url, key_env=""):
    """How many requests a worker asked of those that have no answer."""
    return sum(batch_worker.work(part, Terms(url, key_env, 2, 10.0)) for part in todo())


def rows():
    part = Path(ANSWERS, "part-0.jsonl")
    return [json.loads(row) for row in part.read_text("utf-8").splitlines()]


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="names of open files are asked of /proc",
)
def test_answers_are_on_the_disk_before_a_part_is_told_as_done(folder, monkeypatch):
    recorded = []
    sync = os.fsync

    def fsync(handle):
        recorded.append(Path(f"/proc/self/fd/{handle}").resolve().name)
        sync(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with served() as server:
        worked(server.url)
    assert recorded[-2:] == ["part-0.jsonl", ANSWERS]
    with Path(ANSWERS, "part-0.jsonl").open("a") as part:
        part.write('{"custom_id": "cut by a power')
    recorded.clear()
    assert todo() == []
    assert recorded == ["part-0.kept", ANSWERS]


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
        assert worked(server.url) == 1
        assert len(server.asked) == CELLS + 1
    assert ids(part.read_text("utf-8").splitlines()) == ids(lines())


def test_a_line_that_a_kill_cut_stays_in_no_part_though_nobody_goes_on_with_it(folder):
    with served() as server:
        worked(server.url)
    (folder / ANSWERS / "part-7.jsonl").write_bytes(b'{"custom_id": "1-')
    assert todo() == []
    assert (folder / ANSWERS / "part-7.jsonl").read_bytes() == b""
    assert {one.name for one in (folder / ANSWERS).iterdir()} == {
        "part-0.jsonl",
        "part-7.jsonl",
    }


def test_requests_and_answers_hold_texts_of_patients_and_are_private(folder):
    with served() as server:
        worked(server.url)
        with Path(ANSWERS, "part-0.jsonl").open("a") as part:
            part.write("cut")
        worked(server.url)
    written_files = [Path(REQUESTS), *Path(ANSWERS).iterdir()]
    assert {oct(file.stat().st_mode & 0o777) for file in written_files} == {"0o600"}


def test_a_part_that_an_engine_starts_again_asks_only_what_is_left(folder):
    first = todo()
    with served() as server:
        assert [batch_worker.work(first[0], Terms(server.url)) for _ in range(2)] == [
            CELLS,
            0,
        ]
        assert len(server.asked) == CELLS


def test_an_answer_with_a_line_separator_is_one_line(folder):
    said = completion("one\u2028two\x85three")
    with served(lambda _: said) as server:
        assert worked(server.url) == CELLS
    assert todo() == []


def test_no_row_ends_the_others_and_what_failed_is_asked_again(folder):
    bad = error(400, "no such thing")
    with served(in_order(bad, Answer(b"no JSON"), then=truthful)) as server:
        assert worked(server.url) == CELLS
        statuses = sorted(
            (row["response"] or {}).get("status_code", 0) for row in rows()
        )
        assert statuses == [0, 200, 200, 200, 200, 400]
        assert worked(server.url) == 2
    assert [row["response"]["status_code"] for row in rows()] == [200] * CELLS


def test_a_worker_leaves_the_rest_to_a_server_that_answers_nobody(folder):
    line = json.loads(lines()[0])
    many = [
        json.dumps(line | {"custom_id": str(n)})
        for n in range(batch_worker.HOPELESS * 3)
    ]
    part = batch_worker.Part(many, f"{ANSWERS}/part-0.jsonl")
    with served(lambda _: error(401, "who are you?")) as server:
        assert batch_worker.work(part, Terms(server.url)) < len(many)
    with served(lambda _: error(400, "too long")) as server:
        assert batch_worker.work(part, Terms(server.url)) == len(many)


def test_a_full_server_is_asked_again(folder):
    with served(
        in_order(error(503, "full"), error(429, "slowly"), then=truthful),
    ) as server:
        answer = batch_worker.ask(lines()[0], server.url, "", 10.0, 0.0)
        assert len(server.asked) == 3
    assert answer["response"]["status_code"] == 200


def test_a_server_that_stays_full_is_given_up(folder):
    with served(lambda _: error(503, "full")) as server:
        answer = batch_worker.ask(lines()[0], server.url, "", 10.0, 0.0)
        assert len(server.asked) == batch_worker.TRIES
    assert answer["response"]["status_code"] == 503


@pytest.mark.parametrize("wished", ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_server_may_say_when_to_ask_again(folder, wished):
    full = error(429, "slowly", {"Retry-After": wished})
    with served(in_order(full, then=truthful)) as server:
        answer = batch_worker.ask(lines()[0], server.url, "", 10.0, 0.0)
    assert answer["response"]["status_code"] == 200


def test_nobody_waits_an_hour():
    assert batch_worker._pause("3600", 1.0) == batch_worker.LONGEST


def test_the_key_is_read_where_the_worker_is_and_is_in_no_answer(folder, monkeypatch):
    key = "sk-0123456789abcdefghij"
    monkeypatch.setenv("JUDGE_TEST_KEY", key)
    quoting = error(401, f"{key} is no key, nor is {key[4:18]}")
    with served(lambda _: quoting) as server:
        worked(server.url, "JUDGE_TEST_KEY")
        assert server.asked[0].headers["authorization"] == f"Bearer {key}"
    text = (folder / ANSWERS / "part-0.jsonl").read_text("utf-8")
    assert "[key] is no key, nor is [key]" in text


def test_a_key_is_in_no_error_of_our_own(folder, monkeypatch):
    monkeypatch.setenv("JUDGE_TEST_KEY", "sk-0123456789abcdefghij")
    terms = Terms("http://[sk-0123456789abcdefghij", "JUDGE_TEST_KEY")
    assert batch_worker.work(todo()[0], terms) == CELLS
    assert all(row["error"]["message"] for row in rows())
    assert "0123456789" not in (folder / ANSWERS / "part-0.jsonl").read_text("utf-8")


@pytest.mark.parametrize("engine", JOBS)
def test_a_printed_script_is_whole_and_has_no_key(engine, capsys):
    files = ["it's $(rm -r x).jsonl", "a {folder}"]
    given = ["batch", "job", files[0], "-o", files[1], "--for", engine]
    assert main([*given, "--address", "ray://h:1"]) == 0
    text = capsys.readouterr().out
    assert all(repr(name) in text for name in files)
    if engine in ("ray", "daft"):
        compile(text, engine, "exec")
        assert f"on_{engine}(todo, terms, 'ray://h:1')" in text
    else:
        assert text.startswith("#!/bin/sh")
        assert (
            subprocess.run(["sh", "-n"], input=text.encode(), check=False).returncode
            == 0
        )


@pytest.mark.parametrize(
    "engine",
    [pytest.param("vllm", marks=pytest.mark.slow), "slurm"],
)
def test_a_shell_script_waits_for_its_server_asks_it_and_ends_it(
    folder,
    engine,
    capsys,
):
    """With a `vllm` in the path that is our server."""
    (folder / "bin").mkdir()
    vllm = folder / "bin/vllm"
    vllm.write_text(
        f"#!/bin/sh\necho $$ $* > asked\nexec {sys.executable} server.py $4\n",
    )
    vllm.chmod(0o700)
    tests = str(Path(loopback.__file__).parent)
    (folder / "server.py").write_text(
        f"import asyncio, sys\nsys.path.insert(0, {tests!r})\n"
        "from loopback import Answer, Loopback, truthful\n"
        "class Healthy(Loopback):\n"
        "    def _answer(self, asked):\n"
        "        return Answer(b'') if asked.path == '/health' else truthful(asked)\n"
        "async def serve():\n"
        "    async with Healthy(port=int(sys.argv[1])):\n"
        "        await asyncio.Event().wait()\n"
        "asyncio.run(serve())\n",
    )
    assert main(["batch", "job", REQUESTS, "-o", ANSWERS, "--for", engine]) == 0
    (folder / "job.sh").write_text(capsys.readouterr().out)
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {
        "PATH": path,
        "MODEL": "m",
        "SLURM_JOB_ID": str(os.getpid()),
        "PORT": str(free_port()),
    }
    subprocess.run(["sh", "job.sh"], env=env, check=True, cwd=folder, timeout=PATIENCE)
    number, *words = (folder / "asked").read_text().split()
    assert words == ["serve", "m", "--port", env["PORT"]]
    assert not psutil.pid_exists(int(number))
    assert ids((folder / ANSWERS / "part-0.jsonl").read_text().splitlines()) == ids(
        lines(),
    )


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_a_printed_script_answers_by_itself(folder):
    """The part of it that is not the engine's, in a process that does not know us."""
    with served() as server:
        text = script("ray", REQUESTS, ANSWERS, 1, Terms(server.url))
        head = text.partition('if __name__ == "__main__":')[0]
        asked = f'work(parts("{REQUESTS}", "{ANSWERS}", 1)[0], Terms({server.url!r}))'
        subprocess.run(
            [sys.executable, "-I", "-c", f"{head}\nprint({asked})"],
            check=True,
        )
    assert ids((folder / ANSWERS / "part-0.jsonl").read_text().splitlines()) == ids(
        lines(),
    )


def test_a_run_that_has_every_answer_asks_nothing(folder, capsys):
    with served() as server:
        worked(server.url)
    assert main(["batch", "run", REQUESTS, "-o", ANSWERS, "--engine", "daft"]) == 0
    assert "has an answer" in capsys.readouterr().err


def test_two_runs_never_write_answers_to_one_folder(folder, capsys):
    """The second would clean the files that the first appends to."""
    command = ["batch", "run", REQUESTS, "-o", ANSWERS, "--engine", "daft"]
    with served() as server:
        worked(server.url)
    with FileLock(Path(ANSWERS, ".lock")):
        assert main(command) == 2
    assert "Another batch run is writing answers" in capsys.readouterr().err
    assert main(command) == 0, "once the first has ended, it goes on"


def test_bad_input_is_refused_in_a_sentence(folder, capsys):
    assert main(["batch", "run", "none.jsonl", "-o", ANSWERS, "--engine", "ray"]) == 2
    assert "there is no such file of requests" in capsys.readouterr().err
    given = ["batch", "run", REQUESTS, "-o", ANSWERS, "--engine", "ray"]
    assert main([*given, "--base-url", "file:///etc"]) == 2
    assert "is not an http address" in capsys.readouterr().err
    assert main([*given, "--api-key-env", "NO_SUCH_KEY"]) == 2
    assert "the environment has no NO_SUCH_KEY" in capsys.readouterr().err


def test_requests_that_an_engine_cannot_send_are_refused_with_their_lines(
    folder,
    capsys,
):
    given = ["batch", "run", "bad.jsonl", "-o", ANSWERS, "--engine", "daft"]
    Path("bad.jsonl").write_text('not json\n\n{"a": 1}\n[]\n')
    assert main(given) == 2
    told = capsys.readouterr().err
    assert "bad.jsonl: line 1: is not JSON" in told
    assert "bad.jsonl: line 3: has no custom_id, url and body" in told
    assert "3 problems" in told
    Path("bad.jsonl").write_text('{"custom_id": "1", "params": {}}\n' * 2)
    assert main(given) == 2
    assert capsys.readouterr().err.count("is a request to Anthropic") == 1
    assert list((folder / ANSWERS).iterdir()) == []


def test_an_engine_that_is_not_installed_is_named_with_its_extra(
    folder,
    capsys,
    monkeypatch,
):
    monkeypatch.setitem(sys.modules, "daft", None)
    assert main(["batch", "run", REQUESTS, "-o", ANSWERS, "--engine", "daft"]) == 2
    assert "Daft is not installed: install appellate[daft]" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["daft", "ray"])
def test_an_engine_answers_every_request_and_after_a_kill_only_what_is_left(
    folder,
    engine,
    capsys,
):
    """Kill -9 once half is answered, while two workers have two requests each under way."""
    pytest.importorskip(engine, reason=f"the extra {engine} is not installed")
    trace = '{{"id": "{}", "question": "Water?", "response": "Ice floats."}}\n'
    Path("t.jsonl").write_text("".join(map(trace.format, range(20))))
    Path(REQUESTS).unlink()
    assert (
        main(["batch", "export", "r.toml", "t.jsonl", "--audit", "k.audit.toml", *TO])
        == 0
    )
    count, half = len(lines()), len(lines()) // 2
    given = [
        "batch",
        "run",
        REQUESTS,
        "-o",
        ANSWERS,
        "--engine",
        engine,
        "--concurrency",
        "2",
    ]

    def stalling(asked):
        return replace(truthful(asked), delay=PATIENCE * (asked.n > half))

    with served(stalling) as server:
        command = [sys.executable, "-m", "appellate", *given, "--base-url", server.url]
        with subprocess.Popen(command) as process:
            while answered() < half:
                with suppress(subprocess.TimeoutExpired):
                    assert process.wait(0.05) is None
            process.kill()
        assert half <= len(server.asked) <= half + 4
    with served() as server:
        subprocess.run([*command[:-1], server.url], check=True)
        assert len(server.asked) == count - half
    assert main(["batch", "import", "k.audit.toml", ANSWERS]) == 0
    assert f"{count} judged" in capsys.readouterr().err


def answered():
    return sum(
        part.read_bytes().count(b"\n") for part in Path(ANSWERS).glob("part-*.jsonl")
    )


def test_a_byte_order_mark_is_no_part_of_the_first_request(folder):
    before = ids(lines())
    requests = Path(REQUESTS)
    requests.write_bytes(b"\xef\xbb\xbf" + requests.read_bytes())
    with served(truthful) as url:
        worked(url)
    assert sorted(row["custom_id"] for row in rows()) == before


def test_a_wait_that_is_no_number_of_seconds_is_our_own():
    assert batch_worker._pause("nan", 2.0) == 2.0
