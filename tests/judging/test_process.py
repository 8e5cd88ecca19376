"""A judge in a process of its own: it hands out every answer, ends when told to, and with whoever began it."""

import asyncio
import os
import pickle
import re
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest
from msgspec.structs import replace

from appellate.core.deciding import Comment
from appellate.judges.proposal import Answered, JudgeRecord, Proposal
from appellate.judging.choice import JudgeChoice, choose
from appellate.judging.process import (
    MOST_UNSAVED,
    ProcessWork,
    RunSpec,
    Sender,
    ask_and_send,
    started_ahead,
    take_messages,
)
from appellate.judging.questions import CellScope, PendingCells
from appellate.judging.run import BrokenDown, Run, run
from appellate.session.workbench import Round
from cells import RESPONSE, bench, trace
from loopback import Answer, Loopback, completion, served, truthful, until


def chosen(at, url, **more):
    return choose(
        {"model": "m", "base_url": url, "no_cache": True, **more},
        at.workspace.meta,
    )


async def heard_out(work):
    """What a work hands over from its beginning to its end."""
    news, kept = asyncio.Event(), []
    work.start(news.set)
    while not work.is_over:
        await news.wait()
        news.clear()
        kept += work.take(100)
    return kept


@pytest.mark.slow
async def test_every_answer_comes_once_without_what_was_asked_and_the_process_ends_in_peace(
    tmp_path,
):
    many = [trace(str(n), response="So it is. " * 5000) for n in range(6)]
    with bench(tmp_path, *many) as at, served(truthful) as server:
        work = ProcessWork(
            RunSpec(at.workspace.path, chosen(at, server.url).plan, CellScope()),
        )
        kept = await heard_out(work)
        assert work.error == ""
    assert sorted((one.cell, one.round) for one in kept) == [
        (n, 1) for n in range(1, 7)
    ]
    assert {one.outcome.record.model for one in kept} == {"m"}
    assert len(server.asked) == 6
    assert all(len(pickle.dumps(one)) < 1200 for one in kept)
    assert work._process.returncode == 0, "who waits for our last word holds up no end"


async def test_cells_are_drawn_ahead_no_more_are_asked_at_once_than_allowed_and_stopping_ends_it(
    tmp_path,
):
    with bench(tmp_path, *(trace(str(n)) for n in range(6))) as at:
        async with Loopback(lambda asked: Answer("", delay=60)) as server:
            async with Run(at, chosen(at, server.url, concurrency=2)) as running:
                await server.came(2)
                await until(lambda: running.progress.under_way == 4)
                running.stop()
                assert [group async for group in running if group] == []
            assert server.most_at_once == 2


async def test_a_process_is_stopped_that_reads_nothing_yet(tmp_path):
    with bench(tmp_path, trace()) as at:
        found = CellScope(Round(2, cells=tuple(range(1, 200_000))))
        plan = chosen(at, "http://127.0.0.1:9/v1").plan
        work = ProcessWork(RunSpec(at.workspace.path, plan, found))
        work.start(asyncio.Event().set)
        assert len(work._unsent) > 2**16, "beginning it holds up nothing"
        work.stop()
        work.wait_for_process()
        assert (work.take_all(), work.error) == ([], "")


class Pipe:
    """A pipe that nobody reads until all is written, and what was written then."""

    def __init__(self):
        self.end, self.into = os.pipe()

    async def handed_over(self):
        """Each message: cells under way, answers, and who is waited for."""
        read = await asyncio.to_thread(self._read)
        return take_messages(bytearray(read))

    def _read(self):
        with os.fdopen(self.end, "rb") as file:
            return file.read()


async def test_stopping_takes_back_no_answer_that_waits_for_its_turn():
    pipe = Pipe()
    sender = await Sender.to_pipe(pipe.into)
    answers = [
        Answered(n, 1, Proposal({"words": "So it is. " * 9000}, JudgeRecord("m")))
        for n in range(3)
    ]
    for answer in answers:
        waiting = asyncio.create_task(sender.put(answer))
        await asyncio.sleep(0)
        waiting.cancel()
    _, handed_over = await asyncio.gather(sender.close(), pipe.handed_over())
    assert [answer for _, group, _ in handed_over for answer in group] == answers


class Handing:
    """A judge that answers at once, with much, and takes some turns of the loop to close."""

    name = "handing"

    def __init__(self, *, is_failing):
        self.answers = []
        self._is_failing = is_failing

    async def judge(self, question):
        await asyncio.sleep(0)
        labels = {"words": "So it is. " * 1500}
        self.answers.append(question.cell)
        return Proposal(labels, JudgeRecord(self.name))

    async def close(self):
        for _ in range(5):
            await asyncio.sleep(0)
        if self._is_failing:
            raise OSError("the connection is gone")


async def cells_that_come(pipe, work):
    """The cells of all answers that are in a pipe until some work has ended, and are left then."""
    os.set_blocking(pipe.end, False)
    read = bytearray()
    with os.fdopen(pipe.end, "rb", buffering=0) as file:
        while True:
            is_over = work.done()
            while piece := file.read(2**18):
                read += piece
            if is_over:
                break
            await asyncio.sleep(0)
    return [answer.cell for _, group, _ in take_messages(read) for answer in group]


TURNS = 80
"""Turns of the event loop after which nothing more happens until somebody reads the pipe."""


@pytest.mark.parametrize("is_failing", [False, True])
async def test_a_stop_at_any_turn_loses_no_answer_that_the_judge_gave(
    tmp_path,
    is_failing,
):
    with bench(tmp_path, *(trace(str(n)) for n in range(8))) as at:
        pending = PendingCells(at.workspace, JudgeChoice("", None), CellScope())
        questions = list(pending.questions())
    lost = {}
    for turns in range(TURNS):
        pipe = Pipe()
        judge = Handing(is_failing=is_failing)
        sender = await Sender.to_pipe(pipe.into)
        work = asyncio.create_task(ask_and_send(judge, questions, 2, sender))
        for _ in range(turns):
            await asyncio.sleep(0)
        work.cancel()
        came = await cells_that_come(pipe, work)
        await sender.close()
        await asyncio.gather(work, return_exceptions=True)
        if came != judge.answers:
            lost[turns] = (judge.answers, came)
    assert lost == {}
    assert len(judge.answers) == 8, "the last stop came while the judge closed"


async def test_who_brings_more_than_the_pipe_takes_waits_and_each_message_tells_what_is_under_way():
    pipe = Pipe()
    sender = await Sender.to_pipe(pipe.into)
    putting = []
    for n in sender.counting(range(40)):
        answer = Answered(
            n,
            1,
            Proposal({"words": "So it is. " * 900}, JudgeRecord("m")),
        )
        putting.append(asyncio.create_task(sender.put(answer)))
        await asyncio.sleep(0)
    assert 0 < sum(not one.done() for one in putting) < 40
    _, handed_over, *_ = await asyncio.gather(
        sender.close(),
        pipe.handed_over(),
        *putting,
        return_exceptions=True,
    )
    assert [answer.cell for _, group, _ in handed_over for answer in group] == list(
        range(40),
    )
    assert {(len(group), under_way) for under_way, group, _ in handed_over} == {
        (0, 1),
        (1, 0),
    }


@pytest.mark.parametrize("is_full", [False, True], ids=["empty pipe", "full pipe"])
async def test_a_parent_that_is_gone_is_told_alike_whether_or_not_anything_waits(
    is_full,
):
    pipe = Pipe()
    sender = await Sender.to_pipe(pipe.into)
    answer = Answered(
        1,
        1,
        Proposal({"words": "So it is. " * 90_000}, JudgeRecord("m")),
    )
    putting = []
    if is_full:
        putting.append(asyncio.create_task(sender.put(answer)))
        await asyncio.sleep(0)
    os.close(pipe.end)
    await asyncio.sleep(0)
    putting.append(asyncio.create_task(sender.put(answer)))
    errors = await asyncio.gather(*putting, return_exceptions=True)
    assert {type(error) for error in errors} == {BrokenPipeError}
    await sender.close()


async def test_while_too_many_results_wait_to_be_kept_no_more_are_read(tmp_path):
    many = [trace(str(n)) for n in range(MOST_UNSAVED + 20)]
    with bench(tmp_path, *many) as at:
        async with Loopback(truthful) as server:
            work = ProcessWork(
                RunSpec(at.workspace.path, chosen(at, server.url).plan, CellScope()),
            )
            work.start(lambda: None)
            await until(lambda: len(work.came) >= MOST_UNSAVED)
            loop = asyncio.get_running_loop()
            assert not loop.remove_reader(work._out), (
                "nobody listens to the process by now"
            )
            first = work.take(MOST_UNSAVED)
            assert loop.remove_reader(work._out), "somebody does again"
            work.stop()
            work.wait_for_process()
            rest = work.take_all()
    cells = [one.cell for one in first + rest]
    assert len(cells) == len(set(cells)) >= MOST_UNSAVED


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
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    monkeypatch.setenv("MY_KEY", "sk-mine-0123456789")
    config = tmp_path / "config.toml"
    with bench(tmp_path, trace()) as at:
        async with Loopback(truthful) as confirmed, Loopback(truthful) as other:
            words = "You check one response against a list."
            config.write_text(
                CONFIG.format(
                    url=confirmed.url,
                    model="one",
                    temperature=0.25,
                    words=words,
                ),
            )
            choice = choose({"judge": "mine", "no_cache": True}, at.workspace.meta)
            config.write_text(
                CONFIG.format(
                    url=other.url,
                    model="two",
                    temperature=1,
                    words="Be kind.",
                ),
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
        assert b"0123456789" not in pickle.dumps(
            RunSpec(at.workspace.path, plan, CellScope()),
        )


# -- how it may end ---------------------------------------------------------------------------------


def child():
    """The process that was begun last: the one of an earlier test may be on its way out, and one
    that was just forked has no command line of its own yet.
    """
    found, until = [], time.monotonic() + 60
    while not found and time.monotonic() < until:
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


SAVE_LOG = r"""
import sys
from pathlib import Path
from appellate.judging.process import ProcessWork, RunSpec
ProcessWork(RunSpec(Path(sys.argv[1]), None, None))._save_log("It broke \u2026")
"""


def test_a_log_is_saved_whatever_the_languages_letters_are(tmp_path):
    subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", SAVE_LOG, tmp_path / "x.audit"],
        env={**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
        check=True,
    )
    [log] = tmp_path.iterdir()
    assert log.read_text("utf-8") == "It broke …"


KILLING = {signal.SIGKILL: "SIGKILL"}
if hasattr(signal, "SIGRTMIN"):  # signals without a name of their own
    KILLING[signal.SIGRTMIN + 1] = f"signal {signal.SIGRTMIN + 1}"


@pytest.mark.parametrize(("number", "name"), KILLING.items())
async def test_a_killed_process_is_told_by_its_signal_and_takes_no_listener_away(
    tmp_path,
    number,
    name,
):
    heard = []
    with bench(tmp_path, trace()) as at:
        at.listeners.append(heard.append)
        async with Loopback(lambda asked: Answer("", delay=60)) as server:

            async def kill():
                await server.came()
                child().send_signal(number)

            killing = asyncio.create_task(kill())
            said, log = await broken_run(at, chosen(at, server.url))
            await killing
        assert (
            said
            == f"The judge stopped with an error (its process was killed by {name})."
        )
        assert not log
        at.do(1, Comment("Nobody answered."))
        assert [change.after.comments[0].what.text for change in heard] == [
            "Nobody answered.",
        ]


async def test_a_killed_process_has_no_cell_in_progress_and_waits_for_no_server(
    tmp_path,
):
    with bench(tmp_path, trace()) as at:
        async with Loopback(lambda asked: Answer("", status=503)) as server:
            plan = chosen(at, server.url).plan
            work = ProcessWork(RunSpec(at.workspace.path, plan, CellScope()))
            work.start(lambda: None)
            await until(lambda: work.under_way and work.waiting)
            child().kill()
            await until(lambda: work.is_over)
    assert (work.under_way, work.waiting) == (0, None)
    assert work.error == "its process was killed by SIGKILL"


async def test_a_process_that_cannot_be_begun_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with bench(tmp_path, trace()) as at, started_ahead(wanted=True):
        said, log = await broken_run(at, chosen(at, "http://127.0.0.1:9/v1"))
    assert "FileNotFoundError" in said
    assert not log


async def test_a_process_that_cannot_import_says_what(tmp_path, monkeypatch):
    (tmp_path / "sqlite3.py").write_text("raise ImportError('there is no SQLite here')")
    monkeypatch.syspath_prepend(tmp_path)
    with bench(tmp_path, trace()) as at:
        said, log = await broken_run(at, chosen(at, "http://127.0.0.1:9/v1"))
    assert (
        "ended too early, with exit code 1: ImportError: there is no SQLite here; more in"
        in said
    )
    assert "Traceback" in log
    assert log.endswith("ImportError: there is no SQLite here\n")


async def test_a_process_that_fails_at_its_start_says_why(tmp_path):
    with bench(tmp_path, trace()) as at:
        plan = chosen(at, "http://127.0.0.1:9/v1").plan
    work = ProcessWork(RunSpec(tmp_path / "elsewhere.db", plan, CellScope()))
    assert await heard_out(work) == []
    assert re.search(r"WorkspaceUnknown: .*elsewhere\.db cannot be opened", work.error)


async def test_an_error_in_the_middle_is_told_by_its_place_without_text_or_key(
    tmp_path,
    monkeypatch,
):
    key = "sk-mine-0123456789"
    (tmp_path / "json_repair.py").write_text(
        "import os, sys\ndef loads(text, **_):\n"
        "    print('the key is', os.environ['MY_KEY'], file=sys.stderr)\n    raise LookupError(text)",
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
import asyncio
import sys
from pathlib import Path
from appellate.judging.choice import choose
from appellate.judging.questions import CellScope
from appellate.judging.process import ProcessWork, RunSpec
plan = choose({"model": "m", "base_url": sys.argv[2], "no_cache": True}, {}.get).plan

async def begin():
    ProcessWork(RunSpec(Path(sys.argv[1]), plan, CellScope())).start(print)
    await asyncio.sleep(60)
asyncio.run(begin())
"""


@pytest.mark.slow
def test_it_does_not_outlive_whoever_began_it(tmp_path):
    with (
        bench(tmp_path, trace()) as at,
        served(lambda asked: Answer("", delay=60)) as server,
    ):
        path = os.pathsep.join(part for part in sys.path if part)
        command = [sys.executable, "-c", HOST, str(at.workspace.path), server.url]
        with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}) as host:
            asyncio.run(until(lambda: server.asked or host.poll() is not None))
            (child,) = psutil.Process(host.pid).children()
            host.send_signal(signal.SIGKILL)
            host.wait()
            assert psutil.wait_procs([child], timeout=10)[1] == []


@pytest.mark.slow
async def test_a_run_through_it_keeps_what_a_run_in_the_loop_keeps(tmp_path):
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
            kept.append(
                [(at.open(n)[1].labels, at.open(n)[1].judge.table) for n in (1, 2)],
            )
    assert kept[0] == kept[1]


# -- begun ahead ------------------------------------------------------------------------------------


async def test_a_process_begun_ahead_is_the_one_that_the_next_run_asks_by_however_much(
    tmp_path,
):
    """A query may find more cells than a pipe has room for their numbers."""
    with started_ahead(wanted=True), bench(tmp_path, trace()) as at:
        ahead = child()
        found = CellScope(Round(2, cells=tuple(range(1, 200_000))))
        async with (
            Loopback(truthful) as server,
            Run(at, chosen(at, server.url), found) as running,
        ):
            await server.came()
            assert child() == ahead
            async for _ in running:
                pass
        assert at.workspace.totals()["state:proposed"] == 1
    assert not ahead.is_running()


def test_a_process_begun_ahead_that_no_run_takes_is_ended():
    with started_ahead(wanted=True):
        ahead = child()
    assert not ahead.is_running()
