"""A judge in a process of its own: it hands out every answer, ends when told to, and with whoever began it."""

import asyncio
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psutil
import pytest

from appellate.apart import Apart, Order, _said
from appellate.choosing import choose
from appellate.judges.outbox import BrokenDown
from appellate.judging import run
from appellate.workbench import Round
from cells import bench, trace
from loopback import Answer, Loopback, served, truthful, until


def order(at, url, only=None):
    given = {"model": "m", "base_url": url, "no_cache": True}
    return Order(at.workspace.path, given, Round(), 1, only)


async def everything(apart):
    taken = []
    while await apart.news(within=10):
        taken += apart.take(3)
    return taken


async def test_every_answer_comes_once_over_the_pipe(tmp_path):
    with bench(tmp_path, *(trace(str(n)) for n in range(6))) as at:
        async with Loopback(truthful) as server:
            apart = Apart(order(at, server.url))
            apart.start()
            taken = await everything(apart)
            apart.check()
            assert sorted(one.ask.cell for one in taken) == [1, 2, 3, 4, 5, 6]
            assert {one.outcome.record.model for one in taken} == {"m"}
            assert apart.ended() == []
            assert len(server.asked) == 6


async def test_stopping_ends_the_process_and_what_it_had_under_way(tmp_path):
    with bench(tmp_path, trace()) as at:
        async with Loopback(lambda asked: Answer("", delay=60)) as server:
            apart = Apart(order(at, server.url))
            apart.start()
            await until(lambda: server.asked)
            assert apart.under_way == 1
            apart.stop()
            assert await everything(apart) == []
            apart.check()


class Slow(io.BytesIO):
    """Takes nothing until it is let."""

    def __init__(self):
        super().__init__()
        self.let = threading.Event()

    def write(self, what):
        self.let.wait()
        return super().write(what)


async def test_stopping_takes_back_no_answer_that_waits_for_its_turn():
    out = Slow()
    with ThreadPoolExecutor(1) as voice:
        waiting = [asyncio.create_task(_said(voice, out, answer)) for answer in range(3)]
        await asyncio.sleep(0)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        out.let.set()
    out.seek(0)
    assert [pickle.load(out) for _ in range(3)] == [0, 1, 2]  # noqa: S301 - our own


async def test_a_process_that_dies_is_told_of(tmp_path):
    with bench(tmp_path, trace()) as at:
        async with Loopback(lambda asked: Answer("", delay=60)) as server:
            apart = Apart(order(at, server.url))
            apart.start()
            await until(lambda: server.asked)
            (child,) = [one for one in psutil.Process().children() if "appellate.apart" in " ".join(one.cmdline())]
            child.kill()
            assert await everything(apart) == []
            with pytest.raises(BrokenDown, match="ended too early"):
                apart.check()


HOST = """
import asyncio, sys
from pathlib import Path
from appellate.apart import Apart, Order
from appellate.workbench import Round
async def go():
    apart = Apart(Order(Path(sys.argv[1]), {"model": "m", "base_url": sys.argv[2], "no_cache": True}, Round(), 1, None))
    apart.start()
    while await apart.news(within=60):
        apart.take(1)
asyncio.run(go())
"""


def test_it_does_not_outlive_whoever_began_it(tmp_path):
    with bench(tmp_path, trace()) as at, served(lambda asked: Answer("", delay=60)) as server:
        path = os.pathsep.join(part for part in sys.path if part)
        command = [sys.executable, "-c", HOST, str(at.workspace.path), server.url]
        with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}) as host:
            asyncio.run(until(lambda: server.asked))
            (child,) = psutil.Process(host.pid).children()
            host.send_signal(signal.SIGKILL)
            host.wait()
            assert psutil.wait_procs([child], timeout=10)[1] == []


async def test_a_run_through_it_keeps_what_a_run_in_a_thread_keeps(tmp_path):
    kept = []
    for folder, apart in ((tmp_path / "a", True), (tmp_path / "b", False)):
        folder.mkdir()
        with bench(folder, trace("x"), trace("y")) as at:
            async with Loopback(truthful) as server:
                choice = choose({"model": "m", "base_url": server.url}, at.workspace.meta, workspace=at.workspace.path)
                await run(at, choice if apart else replace(choice, given=None))
            kept.append([(at.open(n)[1].labels, at.open(n)[1].judge.table) for n in (1, 2)])
    assert kept[0] == kept[1]
