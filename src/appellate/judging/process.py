"""The judge in a process of its own: what it takes to ask a model holds up neither a screen nor a disk.

The process opens the workspace to read, asks, and hands out each answer as it comes. It asks exactly the judge
that was chosen where it was begun, and looks nothing up again but keys, which are handed to nobody. It ends when
it is told to, and when whoever began it is gone; what it writes where errors go is kept if it breaks down.
"""

import asyncio
import logging
import os
import pickle
import subprocess
import sys
import threading
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import IO, Any

from appellate.core.refused import Refused
from appellate.judges.coerce import short
from appellate.judges.endpoint import access, secretless
from appellate.judging.choice import Choice, Plan, planned
from appellate.judging.jobs import Job, JobResult, do_jobs
from appellate.judging.outbox import UNTAKEN, Outbox, broken
from appellate.judging.pending import PendingCells
from appellate.store.workspace import Workspace
from appellate.workbench import Round

LOG = ".judge.log"
"""What the log of a judge that broke down is called, in place of the workspace's own ending."""
_LONGEST_LOG = 2**16
_NICE = 5
"""By how much it stands back where the screen, too, has something to do."""
_AHEAD = 2
"""Cells in hand for each request that may be under way: while the reply about one is kept, another is asked about."""
_PATIENCE = 10.0
"""Seconds for the process to end by itself."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Which cells a run is about (`Docket`)."""

    round: Round
    start: int = 1
    only: int | None = None
    alone: bool = False

    def jobs(self, workspace: Workspace, choice: Choice) -> AsyncIterator[Job]:
        """Those cells, as this judge is asked about them."""
        return self._docket(workspace, choice).drawn(self.start, self.only)

    def each(self, workspace: Workspace, choice: Choice) -> Iterator[Job]:
        """The same for who waits for nobody in between."""
        return self._docket(workspace, choice).each(self.start, self.only)

    def _docket(self, workspace: Workspace, choice: Choice) -> PendingCells:
        return PendingCells(workspace, choice, self.round, alone=self.alone)


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What the process is to do: whom to ask, and about which cells of a workspace."""

    path: Path
    plan: Plan
    cells: Cells


@dataclass(frozen=True, slots=True)
class _Over:
    """The last thing that the process says; `error` is empty where it did what it was to do, or was stopped."""

    error: str = ""


class Apart(Outbox):
    """One run of a judge in a process of its own: started, listened to, ended."""

    def __init__(self, spec: RunSpec) -> None:
        super().__init__()
        self._order = spec
        self._room = threading.Event()
        self._ending = False
        self._thread = threading.Thread(target=self._listen, name="judge", daemon=True)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        imports = (
            "import gc; gc.disable(); from appellate.judging.process import main; gc.enable()"  # none of it is garbage
        )
        command = [sys.executable, "-P", "-c", f"{imports}; main()"]
        path = os.pathsep.join(part for part in sys.path if part)
        self._process = subprocess.Popen(  # noqa: S603 - this very program
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl+C is for us to answer
        )
        self._thread.start()

    def take(self, most: int) -> list[JobResult]:
        taken = super().take(most)
        self._room.set()
        return taken

    def stop(self) -> None:
        """Ends what is under way; `news` goes on until everything was taken."""
        if self._process and self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()

    def ended(self) -> list[JobResult]:
        """Stops the judge, waits for its process and takes the rest."""
        self.stop()
        self._ending = True
        self._room.set()
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
        if process is None or process.stdout is None or process.stderr is None:
            return
        errors = _Errors(process.stderr)
        with suppress(OSError, ValueError):  # it was stopped, or is gone
            _put(process.stdin, self._order)
        over = self._heard_out(process.stdout)
        if over == _Over():
            self.end()
        self.stop()
        code, text = process.wait(), _without_keys(self._order.plan, errors.text())
        process.stdout.close()
        if not self.is_over:
            self.end((over.error if over else _death(code, text)) + self._kept(text))

    def _heard_out(self, says: IO[bytes]) -> _Over | None:
        """Takes in what the process says, to its last word; None where it went without one."""
        with suppress(EOFError, pickle.UnpicklingError):
            while True:
                what = pickle.load(says)  # noqa: S301 - our own process says it
                if isinstance(what, _Over):
                    return what
                self.drawn, results = what
                self.put(*results)
                self._wait_for_room()
        return None

    def _wait_for_room(self) -> None:
        while not self._ending:
            self._room.clear()
            if not self.is_full:
                return
            self._room.wait()

    def _kept(self, text: str) -> str:
        """Keeps what the process wrote where errors go, and says where that is."""
        log = self._order.path.with_suffix(LOG)
        if not text:
            return ""
        try:
            with os.fdopen(os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
                file.write(text)
        except OSError:
            return ""
        return f"; more in {log}"


class _Errors:
    """The end of what a process writes where errors go; it is read all the time, so that nobody waits."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._end = b""
        self._thread = threading.Thread(target=self._read, name="judge's errors", daemon=True)
        self._thread.start()

    def text(self) -> str:
        """All there is, once the process is gone."""
        self._thread.join(_PATIENCE)
        return self._end.decode("utf-8", "replace")

    def _read(self) -> None:
        with self._stream:
            while part := os.read(self._stream.fileno(), _LONGEST_LOG):
                self._end = (self._end + part)[-_LONGEST_LOG:]


def _death(code: int, text: str) -> str:
    """How a process ended that had no last word."""
    if code < 0:
        return f"its process was killed by {Signals(-code).name}"
    said = text.strip().rpartition("\n")[2]
    return f"its process ended too early, with {code}" + (f": {short(said)}" if said else "")


def _without_keys(plan: Plan, text: str) -> str:
    for seat in plan.seats:
        with suppress(Refused):  # there is no key
            text = secretless(text, access(seat.endpoint).key if seat.endpoint else None)
    return text


def _put(to: IO[bytes] | None, what: Any) -> None:
    if to is not None:
        to.write(pickle.dumps(what))
        to.flush()


# -- in the process -------------------------------------------------------------------------------


def main() -> None:
    """What the process does: reads its order, judges, says that it is over."""
    with suppress(OSError):
        os.nice(_NICE)
    logging.disable()  # a log may hold anybody's text
    threading.excepthook = lambda raised: _confess(raised.exc_value)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is no answer
    spec: RunSpec = pickle.load(sys.stdin.buffer)  # noqa: S301 - who began us says it
    with suppress(BrokenPipeError):
        _put(out, _judged(spec, out))


def _judged(spec: RunSpec, out: IO[bytes]) -> _Over:
    try:
        asyncio.run(_judge(spec, out))
    except (asyncio.CancelledError, BrokenPipeError):
        return _Over()
    except Refused as refusal:
        return _Over(str(refusal))
    except BaseException as error:  # noqa: BLE001 - who listens is told
        _confess(error)
        return _Over(broken(error))
    return _Over()


def _confess(error: BaseException | None) -> None:
    """Writes where it broke where errors go: lines of the program, and no values."""
    if error is not None:
        sys.stderr.write("".join(traceback.format_tb(error.__traceback__)) + broken(error) + "\n")


async def _judge(spec: RunSpec, out: IO[bytes]) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    stop: Callable[[], object] = task.cancel if task else loop.stop
    threading.Thread(target=_heed, args=(loop, stop), daemon=True).start()
    choice, sender = planned(spec.plan), Sender(out)
    if choice.judge is None:
        return
    sending = asyncio.create_task(sender.send())
    try:
        with Workspace(spec.path, readonly=True) as workspace:
            async with aclosing(_counted(spec.cells.jobs(workspace, choice), sender)) as jobs:
                await do_jobs(choice.judge, jobs, _AHEAD * choice.concurrency, sender.put)
    finally:
        await choice.judge.close()
        sender.close()
        await sending


def _heed(loop: asyncio.AbstractEventLoop, stop: Callable[[], object]) -> None:
    """Stops the judge once nobody has anything to say to it any more."""
    sys.stdin.buffer.read()
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(stop)


async def _counted(jobs: AsyncIterator[Job], sender: "Sender") -> AsyncGenerator[Job, None]:
    async for job in jobs:
        sender.count()
        yield job


class Sender:
    """Hands answers over, in their order and also where the judge is stopped meanwhile: they are paid for.

    Those that come while others are on their way go together; who brings more than can wait, waits.
    """

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._drawn = 0
        self._waiting: list[JobResult] = []
        self._closed = False
        self._news, self._room = asyncio.Event(), asyncio.Event()

    def count(self) -> None:
        """One more cell is asked about."""
        self._drawn += 1
        self._news.set()

    async def put(self, result: JobResult) -> None:
        self._waiting.append(result)
        self._news.set()
        while len(self._waiting) >= UNTAKEN:
            self._room.clear()
            await self._room.wait()

    def close(self) -> None:
        """There is nothing more to come."""
        self._closed = True
        self._news.set()

    async def send(self) -> None:
        """Goes on until it is closed and has handed over everything."""
        while self._waiting or not self._closed:
            await self._news.wait()
            self._news.clear()
            group, self._waiting = self._waiting, []
            self._room.set()
            await asyncio.to_thread(_put, self._out, (self._drawn, group))
