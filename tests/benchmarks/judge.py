"""Requests per second of a judging run, beside a bare `AsyncOpenAI` loop that sends the same bodies.

The server is tests/loopback.py in a process of its own. Run: python tests/benchmarks/judge.py [--cells 200]
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from figures import seconds

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from openai import AsyncOpenAI  # noqa: E402
from workspace import RESPONSE, RUBRIC  # noqa: E402

from appellate import Trace  # noqa: E402
from appellate.choosing import choose
from appellate.judging import run# noqa: E402
from appellate.store.session import Place, create  # noqa: E402
from appellate.workbench import Workbench  # noqa: E402
from loopback import served  # noqa: E402 - found by the line above

SERVER = """
import asyncio, sys
from loopback import Loopback, truthful
from dataclasses import replace
async def serve():
    script = lambda asked: replace(truthful(asked), delay=float(sys.argv[1]))
    async with Loopback(script, keeping=False) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()
asyncio.run(serve())
"""
AT_ONCE = (8, 32)


@contextmanager
def server(delay: float) -> Iterator[str]:
    """The server's address."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(delay)], cwd=TESTS, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def appellate(url: str, cells: int, at_once: int) -> float:
    """Seconds in which a new workspace is judged to the end, every reply kept durably."""
    given = {"model": "loopback-1", "base_url": url, "api_key_env": None, "timeout": 60, "concurrency": at_once}
    with tempfile.TemporaryDirectory() as folder:
        place = Place.of(Path(folder) / "x.audit.toml")
        traces = [Trace(id=str(n), question="What?", response=f"{n}. {RESPONSE}") for n in range(cells)]
        bench = Workbench(create(place, RUBRIC, traces, "0").workspace, place.audit, "")
        choice = choose(given, bench.workspace.meta)

        async def judged() -> None:
            done = await run(bench, choice)
            await choice.judge.close()
            assert (done.done, done.failed) == (cells, 0), done

        taken = seconds(lambda: asyncio.run(judged()))
        bench.workspace.close()
        return taken


def bodies(cells: int) -> list[dict[str, Any]]:
    """What a run asks, as it went over the wire."""
    with served() as seen:
        appellate(seen.url, cells, 8)
    return [dict(asked.body) for asked in seen.asked if asked.path.endswith("/chat/completions")]


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


def rates(url: str, asked: list[dict[str, Any]], cells: int, at_once: int, times: int) -> tuple[float, float]:
    """Requests per second, bare and with everything; in turn, so that a noisy moment hits both alike."""
    taken = [(bare(url, asked, at_once), appellate(url, cells, at_once)) for _ in range(times)]
    alone, whole = (statistics.median(column) for column in zip(*taken, strict=True))
    return len(asked) / alone, len(asked) / whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=200)
    parser.add_argument("--times", type=int, default=5)
    arguments = parser.parse_args()
    asked = bodies(arguments.cells)
    print(f"{arguments.cells} cells of {len(RUBRIC.metric_traits[0].tp_instructions)} TP and 4 TN instructions,")
    print(f"{len(asked)} requests; medians of {arguments.times} interleaved runs\n")
    print(f"{'reply after':>12} {'at once':>8} {'bare/s':>9} {'appellate/s':>12} {'ratio':>7}")
    for delay in (0.0, 0.2):
        with server(delay) as url:
            for at_once in AT_ONCE:
                alone, whole = rates(url, asked, arguments.cells, at_once, arguments.times)
                print(f"{delay * 1000:9.0f} ms {at_once:8} {alone:9.0f} {whole:12.0f} {whole / alone:7.2f}")


if __name__ == "__main__":
    main()
