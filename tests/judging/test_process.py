"""A judge in a process of its own: it hands out every answer, ends when told to, and with whoever began it."""

import asyncio
import io
import os
import pickle
import re
import signal
import stat
import subprocess
import sys
import threading
from contextlib import suppress

import psutil
import pytest
from msgspec.structs import replace

from appellate.core.deciding import Comment
from appellate.judges.proposal import JudgeRecord, Proposal
from appellate.judging.choice import choose
from appellate.judging.jobs import JobResult
from appellate.judging.pending import CellScope
from appellate.judging.process import ProcessWork, RunSpec, Sender
from appellate.judging.run import BrokenDown, Run, run
from cells import RESPONSE, bench, trace
from loopback import Answer, Loopback, completion, served, truthful, until


def chosen(at, url, **more):
    return choose({"model": "m", "base_url": url, "no_cache": True, **more}, at.workspace.meta)


@pytest.mark.slow
def test_every_answer_comes_once_without_what_was_asked_and_the_process_ends_in_peace(tmp_path):
    many = [trace(str(n), response="So it is. " * 5000) for n in range(6)]
    kept = []
    with bench(tmp_path, *many) as at, served(truthful) as server:
        work = ProcessWork(RunSpec(at.workspace.path, chosen(at, server.url).plan, CellScope()))
        assert work.do(lambda begun, results, waiting: kept.extend(results)) == ""
    assert sorted((one.cell, one.round) for one in kept) == [(n, 1) for n in range(1, 7)]
    assert {one.outcome.record.model for one in kept} == {"m"}
    assert len(server.asked) == 6
    assert all(len(pickle.dumps(one)) < 1200 for one in kept)
    assert work._process.returncode == 0, "who waits for our last word holds up no end"


async def test_cells_are_drawn_ahead_no_more_are_asked_at_once_than_allowed_and_stopping_ends_it(
    tmp_path,
):
    with bench(tmp_path, *(trace(str(n)) for n in range(6))) as at:
        async with Loopback(lambda asked: Answer("", delay=60)) as server:
            with Run(at, chosen(at, server.url, concurrency=2)) as running:
                await server.came(2)
                await until(lambda: running.progress.under_way == 4)
                running.stop()
                assert [group async for group in running if group] == []
            assert server.most_at_once == 2


class Slow(io.BytesIO):
    """Takes nothing until it is let."""

    def __init__(self):
        super().__init__()
        self.let = threading.Event()

    def write(self, what):
        self.let.wait()
        return super().write(what)

    def handed_over(self):
        """The groups of answers, each with how many cells were drawn by then."""
        self.seek(0)
        groups = []
        while self.tell() < len(self.getvalue()):
            groups.append(pickle.load(self))  # noqa: S301 - our own
        return groups


async def test_stopping_takes_back_no_answer_that_waits_for_its_turn():
    out = Slow()
    sender = Sender(out)
    sending = asyncio.create_task(sender.send())
    answers = [JobResult(n, 1, Proposal({}, JudgeRecord("m"))) for n in range(3)]
    for answer in answers:
        waiting = asyncio.create_task(sender.put(answer))
        await asyncio.sleep(0)
        waiting.cancel()
    sender.close()
    out.let.set()
    await sending
    assert [answer for _, group, _ in out.handed_over() for answer in group] == answers


async def test_answers_that_wait_are_handed_over_together():
    out = Slow()
    sender = Sender(out)
    sending = asyncio.create_task(sender.send())
    for n in range(40):
        sender.count()
        await sender.put(JobResult(n, 1, Proposal({}, JudgeRecord("m"))))
        await asyncio.sleep(0)
    out.let.set()
    sender.close()
    await sending
    handed_over = out.handed_over()
    assert len(handed_over) <= 2
    assert sum(len(group) for _, group, _ in handed_over) == handed_over[-1][0] == 40


# -- whom it asks -----------------------------------------------------------------------------------

CONFIG = """\
[judges.mine]
base_url = "{url}"
model = "{model}"
api_key_env = "MY_KEY"
params = {{temperature = {temperature}}}
[prompts.metric]
system = "{words}"
"""


@pytest.mark.slow
async def test_it_asks_the_judge_that_was_confirmed_whatever_becomes_of_the_config(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    monkeypatch.setenv("MY_KEY", "sk-mine-0123456789")
    config = tmp_path / "config.toml"
    with bench(tmp_path, trace()) as at:
        async with Loopback(truthful) as confirmed, Loopback(truthful) as other:
            words = "You check one response against a list."
            config.write_text(
                CONFIG.format(url=confirmed.url, model="one", temperature=0.25, words=words)
            )
            choice = choose({"judge": "mine", "no_cache": True}, at.workspace.meta)
            config.write_text(
                CONFIG.format(url=other.url, model="two", temperature=1, words="Be kind.")
            )
            await run(at, choice)
            (asked,) = confirmed.asked
            assert other.asked == []
    assert (asked.body["model"], asked.body["temperature"]) == ("one", 0.25)
    assert asked.body["messages"][0]["content"].startswith(words)
    assert asked.headers["authorization"] == "Bearer sk-mine-0123456789"


async def test_no_key_is_in_what_the_process_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-mine-0123456789")
    with bench(tmp_path, trace()) as at:
        plan = chosen(at, "http://127.0.0.1:9/v1", api_key_env="MY_KEY").plan
        assert b"0123456789" not in pickle.dumps(RunSpec(at.workspace.path, plan, CellScope()))


# -- how it may end ---------------------------------------------------------------------------------


def child():
    """The process that was begun last: the one of an earlier test may be on its way out."""
    found = []
    for one in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            if "appellate.judging.process" in " ".join(one.cmdline()):
                found.append(one)
    return max(found, key=psutil.Process.create_time)


async def broken_run(at, choice):
    """What a run says that breaks down, and what its log holds."""
    with pytest.raises(BrokenDown) as broken:
        await run(at, choice)
    log = at.workspace.path.with_suffix(".judge.log")
    if not log.exists():
        return str(broken.value), ""
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert str(log) in str(broken.value)
    return str(broken.value), log.read_text()


async def test_a_killed_process_is_told_by_its_signal_and_takes_no_listener_away(tmp_path):
    heard = []
    with bench(tmp_path, trace()) as at:
        at.listeners.append(heard.append)
        async with Loopback(lambda asked: Answer("", delay=60)) as server:

            async def kill():
                await server.came()
                child().kill()

            killing = asyncio.create_task(kill())
            said, log = await broken_run(at, chosen(at, server.url))
            await killing
        assert said == "The judge broke down (its process was killed by SIGKILL)."
        assert not log
        at.do(1, Comment("Nobody answered."))
        assert [change.after.comments[0].what.text for change in heard] == ["Nobody answered."]


async def test_a_process_that_cannot_import_says_what(tmp_path, monkeypatch):
    (tmp_path / "sqlite3.py").write_text("raise ImportError('there is no SQLite here')")
    monkeypatch.syspath_prepend(tmp_path)
    with bench(tmp_path, trace()) as at:
        said, log = await broken_run(at, chosen(at, "http://127.0.0.1:9/v1"))
    assert "ended too early, with 1: ImportError: there is no SQLite here; more in" in said
    assert "Traceback" in log
    assert log.endswith("ImportError: there is no SQLite here\n")


def test_a_process_that_fails_at_its_start_says_why(tmp_path):
    with bench(tmp_path, trace()) as at:
        plan = chosen(at, "http://127.0.0.1:9/v1").plan
    said = ProcessWork(RunSpec(tmp_path / "elsewhere.db", plan, CellScope())).do(print)
    assert re.search(r"WorkspaceUnknown: .*elsewhere\.db cannot be opened", said)


async def test_an_error_in_the_middle_is_told_by_its_place_without_text_or_key(
    tmp_path, monkeypatch
):
    key = "sk-mine-0123456789"
    (tmp_path / "json_repair.py").write_text(
        "import os, sys\ndef loads(text, **_):\n"
        "    print('the key is', os.environ['MY_KEY'], file=sys.stderr)\n    raise LookupError(text)"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MY_KEY", key)

    def script(asked):
        return truthful(asked) if asked.n == 1 else completion("{" + RESPONSE + " []}")

    with bench(tmp_path, trace("a"), trace("b")) as at, served(script) as server:
        choice = chosen(at, server.url, api_key_env="MY_KEY", concurrency=1)
        said, log = await broken_run(at, choice)
        assert at.workspace.totals()["state:proposed"] == 1, "what came before is kept"
    assert "(LookupError in json_repair.py, line 4; more in " in said
    assert "in loads" in log
    assert RESPONSE not in said + log
    assert key not in said + log
    assert "the key is [key]" in log


HOST = """
import sys
from pathlib import Path
from appellate.judging.choice import choose
from appellate.judging.pending import CellScope
from appellate.judging.process import ProcessWork, RunSpec
plan = choose({"model": "m", "base_url": sys.argv[2], "no_cache": True}, {}.get).plan
ProcessWork(RunSpec(Path(sys.argv[1]), plan, CellScope())).do(lambda begun, results, waiting: None)
"""


@pytest.mark.slow
def test_it_does_not_outlive_whoever_began_it(tmp_path):
    with bench(tmp_path, trace()) as at, served(lambda asked: Answer("", delay=60)) as server:
        path = os.pathsep.join(part for part in sys.path if part)
        command = [sys.executable, "-c", HOST, str(at.workspace.path), server.url]
        with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}) as host:
            asyncio.run(until(lambda: server.asked or host.poll() is not None))
            (child,) = psutil.Process(host.pid).children()
            host.send_signal(signal.SIGKILL)
            host.wait()
            assert psutil.wait_procs([child], timeout=10)[1] == []


@pytest.mark.slow
async def test_a_run_through_it_keeps_what_a_run_in_a_thread_keeps(tmp_path):
    kept = []
    for folder, apart in ((tmp_path / "a", True), (tmp_path / "b", False)):
        folder.mkdir()
        with bench(folder, trace("x"), trace("y")) as at:
            async with Loopback(truthful) as server:
                choice = choose(
                    {"model": "m", "base_url": server.url},
                    at.workspace.meta,
                    workspace=at.workspace.path,
                )
                await run(at, choice if apart else replace(choice, plan=None))
            kept.append([(at.open(n)[1].labels, at.open(n)[1].judge.table) for n in (1, 2)])
    assert kept[0] == kept[1]
