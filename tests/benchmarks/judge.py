"""A judge at full strength: pace, throughput, quiet screen, and what is left after faults and a kill.

The server is tests/loopback.py in a process of its own; the baseline is a bare `AsyncOpenAI` loop that sends
the same bodies. Run: python tests/benchmarks/judge.py [pace] [share] [effort] [screen] [faults]
(all of them take a quarter of an hour)
"""

import argparse
import asyncio
import itertools
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import tomli_w
from figures import seconds

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
sys.path.insert(0, str(TESTS))

from openai import AsyncOpenAI  # noqa: E402
from textual import events  # noqa: E402
from workspace import RESPONSE, RUBRIC  # noqa: E402

from appellate import Trace  # noqa: E402
from appellate.app.application import AppellateApp  # noqa: E402
from appellate.judging.choice import JudgeChoice, choose  # noqa: E402
from appellate.judging.process import started_ahead  # noqa: E402
from appellate.judging.run import run  # noqa: E402
from appellate.session.workbench import Workbench  # noqa: E402
from appellate.store.audits.open_audit import AuditFiles, create  # noqa: E402
from loopback import served  # noqa: E402 - found by the line above

SERVER = """
import asyncio, hashlib, itertools, json, math, os, signal, sys, time
from collections import Counter
from dataclasses import replace
from loopback import FAULTS, Loopback, error, truthful

mode, delay = sys.argv[1], float(sys.argv[2])
os.nice(int(sys.argv[3]))
said, answered, turns = Counter(), set(), itertools.cycle(sorted(FAULTS))
room, at = 600.0, time.monotonic()

def told(asked):
    return hashlib.sha256(json.dumps(asked.body["messages"]).encode()).hexdigest()

def limited(asked):
    global room, at
    now = time.monotonic()
    room, at = min(600.0, room + (now - at) * 10), now
    if room < 1:
        said["refused"] += 1
        return error(429, "Rate limit reached.", {"Retry-After": str(math.ceil((1 - room) / 10))})
    room -= 1
    return truthful(asked)

def faulty(asked):
    if told(asked) in answered:
        said["asked after an answer"] += 1
    if asked.n % 10 < 3:
        name = next(turns)
        said["faults"] += 1
        answer = FAULTS[name](asked)
        if "Retry-After" in answer.headers:
            return replace(answer, headers={"Retry-After": "0.2"})
        return replace(answer, delay=min(answer.delay, 20))
    answered.add(told(asked))
    return truthful(asked)

def script(asked):
    said["asked"] += 1
    answer = {"limited": limited, "faulty": faulty, "plain": truthful}[mode](asked)
    return replace(answer, delay=max(delay, answer.delay))

async def serve():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with Loopback(script, keeping=False) as server:
        print(server.url, flush=True)
        await stop.wait()
        said["most at once"] = server.most_at_once
    print(json.dumps(said), flush=True)
asyncio.run(serve())
"""

BARE = """
import asyncio, json, sys
from openai import AsyncOpenAI

async def worker(client, left):
    for body in left:
        await client.chat.completions.create(**body)

async def everything(url, asked, at_once):
    left = iter(asked)
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        await asyncio.gather(*(worker(client, left) for _ in range(at_once)))

asyncio.run(everything(*json.load(sys.stdin)))
"""


class Server:
    """The server in its process: its address, and what it saw once it has ended."""

    def __init__(self, mode: str = "plain", delay: float = 0.0, nice: int = 0) -> None:
        command = [sys.executable, "-c", SERVER, mode, str(delay), str(nice)]
        self.process = subprocess.Popen(
            command,
            cwd=TESTS,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.url = self.process.stdout.readline().strip()

    def ended(self) -> Counter[str]:
        self.process.terminate()
        return Counter(json.loads(self.process.communicate()[0]))

    def __enter__(self) -> str:
        return self.url

    def __exit__(self, *_: object) -> None:
        self.ended()


def traces(count: int) -> list[Trace]:
    return [
        Trace(id=str(n), question="What?", response=f"{n}. {RESPONSE}")
        for n in range(count)
    ]


@contextmanager
def workbench(cells: int) -> Iterator[Workbench]:
    with tempfile.TemporaryDirectory() as folder:
        place = AuditFiles.of(Path(folder) / "x.audit.toml")
        bench = Workbench(
            create(place, RUBRIC, traces(cells), "0").workspace,
            place.audit,
            "ada",
        )
        yield bench
        bench.workspace.close()


def chosen(bench: Workbench, url: str, at_once: int, **more: Any) -> JudgeChoice:
    given = {
        "model": ["loopback-1"],
        "base_url": url,
        "timeout": 60,
        "concurrency": at_once,
        **more,
    }
    return choose(given, bench.workspace.meta, workspace=bench.workspace.path)


def appellate(
    url: str,
    cells: int,
    at_once: int,
    clock: Callable[[], float] = time.perf_counter,
    **more: Any,
) -> float:
    """Seconds in which a new workspace is judged to the end, every reply kept durably.

    Its process is begun while the traces are taken in, as `appellate judge` does it.
    """
    with started_ahead(wanted=True), workbench(cells) as bench:
        choice = chosen(bench, url, at_once, **more)
        started = clock()
        done = asyncio.run(run(bench, choice))
        assert (done.done, done.failed) == (cells, 0), done
        return clock() - started


# -- pace -------------------------------------------------------------------------------------------


def pace() -> None:
    """900 requests, 64 workers, a server of 600 a minute (600 at once, then ten a second): 30 s at least."""
    print(
        "900 requests, 64 workers, a server that takes 600 at once and ten a second then: 30.0 s at least",
    )
    for name, more in (("not told", {}), ("told --rpm 600", {"rpm": 600})):
        running = Server("limited")
        taken = appellate(running.url, 900, 64, **more)
        seen = running.ended()
        print(
            f"  {name:16} {taken:6.1f} s ({taken / 30 - 1:+.1%}), 0 lost, {seen['refused']} answers 429",
        )


# -- share ------------------------------------------------------------------------------------------


def bodies(cells: int) -> list[dict[str, Any]]:
    """What a run asks, as it went over the wire."""
    with served() as seen:
        appellate(seen.url, cells, 8)
    return [
        dict(asked.body)
        for asked in seen.asked
        if asked.path.endswith("/chat/completions")
    ]


def bare(url: str, asked: list[dict[str, Any]], at_once: int) -> float:
    """Seconds in which the same bodies are sent, the replies thrown away."""

    async def worker(client: AsyncOpenAI, left: Iterator[dict[str, Any]]) -> None:
        for body in left:
            await client.chat.completions.create(**body)

    async def everything() -> None:
        left = iter(asked)
        async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            await asyncio.gather(*(worker(client, left) for _ in range(at_once)))

    return seconds(lambda: asyncio.run(everything()))


def bare_program(url: str, asked: list[dict[str, Any]], at_once: int) -> float:
    """Seconds of the bare loop as a program of its own, which starts Python and imports openai as ours does."""
    given = json.dumps([url, asked, at_once])
    command = [sys.executable, "-c", BARE]
    return seconds(lambda: subprocess.run(command, input=given, text=True, check=True))


def taken(
    url: str,
    asked: list[dict[str, Any]],
    at_once: int,
    times: int,
) -> list[float]:
    """Seconds for all requests bare, bare as a program, and with everything, and for one.

    In turn, so that noise hits all alike.
    """
    rows = [
        (
            bare(url, asked, at_once),
            bare_program(url, asked, at_once),
            appellate(url, len(asked), at_once),
            appellate(url, 1, at_once),
        )
        for _ in range(times)
    ]
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def share(cells: int, times: int) -> None:
    asked = bodies(cells)
    print(
        f"{cells} cells of 8 TP and 4 TN instructions, {len(asked)} requests; medians of {times} interleaved runs",
    )
    print(
        "share: of the pace of a bare create() loop whose openai is imported already;"
        " as a program: of one that is started and imports it, as a run's process is;"
        " once begun: without what a run of one cell takes",
    )
    print(
        f"  {'reply after':>11} {'at once':>8} {'bare/s':>8} {'appellate/s':>12} {'share':>6}"
        f" {'as a program':>13} {'once begun':>11}",
    )
    for delay in (0.0, 0.5):
        with Server("plain", delay) as url:
            for at_once in (8, 64, 256):
                if not (delay and at_once == 8):
                    alone, program, whole, one = taken(url, asked, at_once, times)
                    begun = whole - (one - delay)
                    print(
                        f"  {delay * 1000:8.0f} ms {at_once:8} {cells / alone:8.0f} {cells / whole:12.0f}",
                        end=" ",
                    )
                    print(
                        f"{alone / whole:6.2f} {program / whole:13.2f} {alone / begun:11.2f}",
                        flush=True,
                    )


def effort(cells: int) -> None:
    """Processor time of each part for one request, and memory; less those of a run of one cell, which are the start."""
    asked = list(itertools.islice(itertools.cycle(bodies(32)), cells))
    running = Server()
    serving = psutil.Process(running.process.pid)
    loop, served_bare = _during(lambda: bare(running.url, asked, 64), serving)
    started = time.process_time()
    bare(running.url, asked[:1], 64)
    loop -= time.process_time() - started
    none = _spent(running.url, 1)
    before = _times(serving)
    whole = _spent(running.url, cells)
    served_whole = _times(serving) - before
    running.ended()
    keeping, asking, memory = (
        (after - at_first) for after, at_first in zip(whole, none, strict=True)
    )
    parts = {
        "bare loop": loop,
        "its server": served_bare,
        "keeping": keeping,
        "asking": asking,
        "server": served_whole,
    }
    print(f"  {cells} requests at 64 at once, ms of processor time for each:", end=" ")
    print(
        ", ".join(
            f"{name} {seconds * 1000 / cells:.2f}" for name, seconds in parts.items()
        ),
    )
    print(
        f"  the start: keeping {none[0]:.2f} s, asking {none[1]:.2f} s; memory {none[2]:.0f} MB,",
        end=" ",
    )
    print(f"{memory * 1000 / cells:.1f} MB more for 1,000 cells")


def _during(act: Callable[[], object], serving: psutil.Process) -> tuple[float, float]:
    """Processor time that an act takes here and in the server."""
    here, there = time.process_time(), _times(serving)
    act()
    return time.process_time() - here, _times(serving) - there


def _times(process: psutil.Process) -> float:
    told = process.cpu_times()
    return told.user + told.system


def _spent(url: str, cells: int) -> list[float]:
    program = f"import judge; print(*judge.spent({url!r}, {cells}))"
    told = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parent,
        capture_output=True,
        check=True,
    )
    return [float(figure) for figure in told.stdout.split()]


def spent(url: str, cells: int) -> tuple[float, float, float]:
    """Processor time of the process that keeps and of the one that asks, and the memory of both."""
    with workbench(cells) as bench:
        choice = chosen(bench, url, 64)
        started = time.process_time()
        asyncio.run(run(bench, choice))
        keeping = time.process_time() - started
    while psutil.Process().children():
        time.sleep(0.1)  # until the one that asked has ended and is counted
    own, other = (
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    told = os.times()
    return keeping, told.children_user + told.children_system, (own + other) / 1024


# -- the screen -------------------------------------------------------------------------------------


async def _heartbeat(stalls: list[float]) -> None:
    last = time.perf_counter()
    while True:
        await asyncio.sleep(0.002)
        now = time.perf_counter()
        stalls.append(now - last - 0.002)
        last = now


async def _watched(
    bench: Workbench,
    choice: JudgeChoice,
) -> tuple[list[float], list[float]]:
    """How late the screen's loop came to its heartbeat, and how long a key took to act, while the judge is at work."""
    app, stalls, keys = AppellateApp(bench, choice), [], []
    async with app.run_test(size=(140, 45)) as pilot:
        # what the screen does once it is idle belongs to neither
        await pilot.pause(2.0)
        if choice.sends:
            await pilot.press("y")
        beating = asyncio.create_task(_heartbeat(stalls))
        ends = time.monotonic() + 12
        while time.monotonic() < ends:
            keys.append(await _key(app))
            await asyncio.sleep(0.05)
        beating.cancel()
        await pilot.press("X")
    return stalls, keys


async def _key(app: AppellateApp) -> float:
    """Seconds from a key to the next cell in sight."""
    start, before = time.perf_counter(), app.screen_of_review.objects.view.no
    app.post_message(events.Key("full_stop", "."))
    while app.screen_of_review.objects.view.no == before:  # noqa: ASYNC110 - what is looked at has no event
        await asyncio.sleep(0.001)
    return time.perf_counter() - start


def screen() -> None:
    """200 in flight behind the screen, a server that takes a second; beside it the same screen without a judge."""
    print(
        "the screen's loop, 140 × 45, `.` pressed all the time: how late a heartbeat comes, how long a key takes",
    )
    at_work = (
        ("no judge", 0, False),
        ("200 in flight", 200, False),
        ("200, --no-cache", 200, True),
    )
    for name, at_once, anew in at_work:
        # it stands for another machine
        with Server("plain", 1.0, nice=10) as url, workbench(3000) as bench:
            choice = (
                chosen(bench, url, at_once, no_cache=anew)
                if at_once
                else JudgeChoice("recorded", None)
            )
            stalls, keys = asyncio.run(_watched(bench, choice))
            done = bench.workspace.totals().get("state:proposed", 0)
        late, slow = sorted(stalls), sorted(keys)
        print(
            f"  {name:16} late: p50 {_ms(late, 0.5)}, p99 {_ms(late, 0.99)}, longest {late[-1] * 1000:.0f} ms;"
            f" key: p50 {_ms(slow, 0.5)}, p99 {_ms(slow, 0.99)}; {done} cells judged meanwhile",
        )


def _ms(ordered: list[float], part: float) -> str:
    return f"{ordered[int(part * (len(ordered) - 1))] * 1000:.1f} ms"


# -- faults and a kill ------------------------------------------------------------------------------


def faults(cells: int = 2000) -> None:
    """A server failing 30 % of requests in every way; killed half-way by kill -9, and gone on with."""
    print(
        f"{cells} cells against a server that fails 30 % of requests in every way of tests/loopback.py, 64 at once",
    )
    running = Server("faulty")
    with tempfile.TemporaryDirectory() as folder:
        files = _files(Path(folder), cells)
        started = time.monotonic()
        reached = _killed(files, running.url, cells // 2)
        print(
            f"  killed by SIGKILL after {reached} cells were told as kept ({time.monotonic() - started:.0f} s)",
        )
        ended = subprocess.run(
            _command(files, running.url),
            capture_output=True,
            text=True,
            check=False,
            env=_env(),
        )
        events = [json.loads(line) for line in ended.stdout.splitlines()]
        last = events[-1]
        asked = sum(event["event"] == "cell" for event in events)
        print(
            f"  gone on with: {asked} cells asked, exit code {ended.returncode}, {time.monotonic() - started:.0f} s",
        )
        print(
            f"  {last['proposed']} proposed, {last['failed']} failed, {last['pending']} pending of {last['cells']}",
        )
        why = Counter(
            _kind(event["reason"]) for event in events if event.get("state") == "failed"
        )
        print(f"  reasons after the kill: {dict(why.most_common(8))}")
    print(f"  the server: {dict(running.ended())}")


def _kind(reason: str) -> str:
    """The reason without what differs from cell to cell."""
    return " ".join(
        word for word in reason.split()[:9] if not any(c.isdigit() for c in word)
    )


def _files(folder: Path, cells: int) -> list[str]:
    rubric, lines = folder / "r.toml", folder / "t.jsonl"
    rubric.write_text(
        tomli_w.dumps(
            {"metric_traits": RUBRIC.model_dump(exclude_none=True)["metric_traits"]},
        ),
    )
    lines.write_text(
        "\n".join(trace.model_dump_json(exclude_none=True) for trace in traces(cells)),
    )
    return [str(rubric), str(lines), "-o", str(folder / "x.audit.toml")]


def _command(files: list[str], url: str) -> list[str]:
    model = [
        "--model",
        "loopback-1",
        "--base-url",
        url,
        "--concurrency",
        "64",
        "--timeout",
        "3",
        "--json",
    ]
    return [sys.executable, "-m", "appellate", "judge", *files, *model]


def _env() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT / "src")}


def _killed(files: list[str], url: str, at: int) -> int:
    """How many cells were told as kept before the process was killed."""
    told = 0
    with subprocess.Popen(
        _command(files, url),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_env(),
    ) as process:
        for line in process.stdout:
            told += json.loads(line)["event"] == "cell"
            if told >= at:
                process.send_signal(signal.SIGKILL)
                break
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what",
        nargs="*",
        default=["pace", "share", "effort", "screen", "faults"],
    )
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--times", type=int, default=3)
    arguments = parser.parse_args()
    works = {
        "pace": pace,
        "share": lambda: share(arguments.cells, arguments.times),
        "effort": lambda: effort(arguments.cells),
        "screen": screen,
        "faults": faults,
    }
    for what in arguments.what:
        works[what]()


if __name__ == "__main__":
    main()
