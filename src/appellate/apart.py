"""The judge in a process of its own: what it takes to ask a model holds up neither a screen nor a disk.

The process opens the workspace to read, asks, and hands out each answer as it comes. It ends when it is told
to, and when whoever began it is gone.
"""

import asyncio
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from appellate.choosing import Choice, choose
from appellate.core.refused import Refused
from appellate.docket import Docket
from appellate.judges.assigner import Arrival, Ask, assign
from appellate.judges.outbox import UNTAKEN, Outbox
from appellate.store.workspace import Workspace
from appellate.workbench import Round

_EVERYTHING = 2**16
_NICE = 5
"""By how much it stands back where the screen, too, has something to do."""
_PATIENCE = 10.0
"""Seconds for the process to end by itself."""


@dataclass(frozen=True, slots=True)
class Order:
    """What the process is to do: whom to ask (`choose`'s options), and about which cells (`Docket`)."""

    path: Path
    given: Mapping[str, Any]
    round: Round
    start: int
    only: int | None
    alone: bool = False

    def asks(self, workspace: Workspace, choice: Choice) -> AsyncIterator[Ask]:
        """Those cells, as this judge is asked about them."""
        return Docket(workspace, choice, self.round, alone=self.alone).drawn(self.start, self.only)


@dataclass(frozen=True, slots=True)
class _Over:
    """The last thing that the process says; `error` is empty where it did what it was to do, or was stopped."""

    error: str = ""


class Apart(Outbox):
    """One run of a judge in a process of its own: started, listened to, ended."""

    def __init__(self, order: Order) -> None:
        super().__init__()
        self._order = order
        self._room = threading.Semaphore(UNTAKEN)
        self._thread = threading.Thread(target=self._listen, name="judge", daemon=True)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-P", "-c", "from appellate.apart import main; main()"]
        path = os.pathsep.join(part for part in sys.path if part)
        self._process = subprocess.Popen(  # noqa: S603 - this very program
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl+C is for us to answer
        )
        self._thread.start()

    def take(self, most: int) -> list[Arrival]:
        taken = super().take(most)
        if taken:
            self._room.release(len(taken))
        return taken

    def stop(self) -> None:
        """Ends what is under way; `news` goes on until everything was taken."""
        if self._process and self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()

    def ended(self) -> list[Arrival]:
        """Stops the judge, waits for its process and takes the rest."""
        self.stop()
        self._room.release(_EVERYTHING)
        if self._process is not None and not self.is_over:
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
            self._thread.join()
        return self.rest()

    # -- in the thread that listens ---------------------------------------------------------------

    def _listen(self) -> None:
        process = self._process
        if process is None or process.stdout is None:
            return
        with suppress(OSError, ValueError):  # it was stopped, or is gone
            _put(process.stdin, self._order)
        with suppress(EOFError, pickle.UnpicklingError):
            while not self.is_over:
                self._heard(pickle.load(process.stdout))  # noqa: S301 - our own process says it
        if not self.is_over:
            self.end("its process ended too early")
        self.stop()
        process.wait()
        process.stdout.close()

    def _heard(self, what: Any) -> None:
        match what:
            case int(drawn):
                self.drawn = drawn
            case _Over(error):
                self.end(error)
            case arrival:
                self._room.acquire()
                self.put(arrival)


def _put(to: IO[bytes] | None, what: Any) -> None:
    if to is not None:
        to.write(pickle.dumps(what))
        to.flush()


# -- in the process -------------------------------------------------------------------------------


def main() -> None:
    """What the process does: reads its order, judges, says that it is over."""
    with suppress(OSError):
        os.nice(_NICE)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed goes nowhere
    order: Order = pickle.load(sys.stdin.buffer)  # noqa: S301 - who began us says it
    with suppress(BrokenPipeError):
        _put(out, _judged(order, out))


def _judged(order: Order, out: IO[bytes]) -> _Over:
    try:
        asyncio.run(_judge(order, out))
    except (asyncio.CancelledError, BrokenPipeError):
        return _Over()
    except Refused as refusal:
        return _Over(str(refusal))
    except BaseException as error:  # noqa: BLE001 - who listens is told
        return _Over(f"{type(error).__name__}: {error}")
    return _Over()


async def _judge(order: Order, out: IO[bytes]) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    stop: Callable[[], object] = task.cancel if task else loop.stop
    threading.Thread(target=_heed, args=(loop, stop), daemon=True).start()
    with Workspace(order.path, readonly=True) as workspace, ThreadPoolExecutor(1) as voice:
        choice = choose(order.given, workspace.meta, workspace=order.path)
        if choice.judge is None:
            return

        say = partial(_said, voice, out)
        asks = _told(order.asks(workspace, choice), say)
        try:
            async with aclosing(asks):
                await assign(choice.judge, asks, choice.concurrency, say)
        finally:
            await choice.judge.close()


def _heed(loop: asyncio.AbstractEventLoop, stop: Callable[[], object]) -> None:
    """Stops the judge once nobody has anything to say to it any more."""
    sys.stdin.buffer.read()
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(stop)


async def _said(voice: ThreadPoolExecutor, out: IO[bytes], what: object) -> None:
    """Says it when its turn comes, also where the judge is stopped meanwhile: an answer is paid for."""
    await asyncio.shield(asyncio.get_running_loop().run_in_executor(voice, _put, out, what))


async def _told(asks: AsyncIterator[Ask], say: Callable[[object], Any]) -> AsyncGenerator[Ask, None]:
    """The asks, each counted aloud."""
    count = 0
    async for ask in asks:
        count += 1
        await say(count)
        yield ask
