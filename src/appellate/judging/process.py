"""The judge in a process of its own.

What it takes to ask a model holds up neither a screen nor a disk.

The process opens the workspace to read, asks, and hands out each answer as it comes. It asks
exactly the judge that was chosen where it was begun, and looks nothing up again but keys, which are
handed to nobody. It ends when it is told to, and when whoever began it is gone; what it writes
where errors go is kept if it breaks down.
"""

import asyncio
import logging
import os
import pickle
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from signal import Signals
from typing import IO

from msgspec import Struct

from appellate.core.problem import Refused
from appellate.judges.coerce import short
from appellate.judges.endpoint import access, secretless
from appellate.judges.patience import Waiting
from appellate.judging.choice import JudgeChoice
from appellate.judging.jobs import Job, JobResult, describe_error, do_jobs
from appellate.judging.pending import CellScope, PendingCells
from appellate.judging.planning import Plan, planned
from appellate.store.workspace import Workspace

LOG = ".judge.log"
"""What the log of a judge that broke down is called, in place of the workspace's own ending."""
UNSENT = 64
"""Answers that may wait to be handed out before the judge waits too."""
_LONGEST_LOG = 2**16
_NICE = 5
"""By how much it stands back where the screen, too, has something to do."""
_AHEAD = 2
"""Cells in hand for each request that may be under way.

While the reply about one is kept, another is asked about.
"""
_LOOKED_AT = 1.0
"""Seconds between two looks at who is waited for."""
_PATIENCE = 10.0
"""Seconds for the process to end by itself."""

HandOver = Callable[[int, Sequence[JobResult], Waiting | None], None]
"""Hears how many cells were begun so far, the latest results, and who is waited for.

Returns when there is room for more.
"""


class RunSpec(Struct, frozen=True):
    """What the process is to do: whom to ask, and about which cells of a workspace."""

    path: Path
    plan: Plan
    cells: CellScope


class Over(Struct, frozen=True):
    """The last thing the process says; `error` is empty where it did its work, or was stopped."""

    error: str = ""


class ProcessWork:
    """The asking of one run, done in a process."""

    def __init__(self, spec: RunSpec) -> None:
        self._spec = spec
        self._is_stopped = False
        self._process: subprocess.Popen[bytes] | None = None

    def do(self, hand_over: HandOver) -> str:
        """Begins the process and hears it out; returns what broke, or nothing."""
        process = self._process = _begun()
        if self._is_stopped:
            self.stop()
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        assert process.stderr is not None  # noqa: S101 - it is a pipe
        errors = _Errors(process.stderr)
        with process.stdout:
            with suppress(OSError, ValueError):  # it was stopped, or is gone
                _put(process.stdin, self._spec)
            try:
                over = _read_to_end(process.stdout, hand_over)
            finally:
                self.stop()
                code = process.wait()
        text = _without_keys(self._spec.plan, errors.text())
        if over is None:
            return _death(code, text) + self._kept(text)
        if over.error:
            return over.error + self._kept(text)
        return ""

    def stop(self) -> None:
        """Ends what is under way; what has come by then is still handed over."""
        self._is_stopped = True
        if self._process and self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()

    def kill(self) -> None:
        """For a process that does not stop."""
        if self._process:
            self._process.kill()

    def _kept(self, text: str) -> str:
        """Keeps what the process wrote where errors go, and says where that is."""
        if not text:
            return ""
        log = self._spec.path.with_suffix(LOG)
        try:
            flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
            with os.fdopen(os.open(log, flags, 0o600), "w") as file:
                file.write(text)
        except OSError:
            return ""
        return f"; more in {log}"


def _begun() -> subprocess.Popen[bytes]:
    imports = "from appellate.judging.process import main"
    program = f"import gc; gc.disable(); {imports}; gc.enable(); main()"  # none of it is garbage
    return subprocess.Popen(  # noqa: S603 - this very program
        [sys.executable, "-P", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)},
        start_new_session=True,  # Ctrl+C is for us to answer
    )


def _read_to_end(says: IO[bytes], hand_over: HandOver) -> Over | None:
    """Takes in what the process says, to its last word; None where it went without one."""
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            message = pickle.load(says)  # noqa: S301 - our own process says it
            if isinstance(message, Over):
                return message
            hand_over(*message)
    return None


class _Errors:
    """The end of what a process writes where errors go; read all the time, so that nobody waits."""

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
    wording = f"its process ended too early, with {code}"
    last = text.strip().rpartition("\n")[2]
    if not last:
        return wording
    return f"{wording}: {short(last)}"


def _without_keys(plan: Plan, text: str) -> str:
    for seat in plan.seats:
        key = None
        if seat.endpoint:
            with suppress(Refused):  # there is no key
                key = access(seat.endpoint).key
        text = secretless(text, key)
    return text


def _put(to: IO[bytes] | None, what: object) -> None:
    if to is not None:
        to.write(pickle.dumps(what))
        to.flush()


# -- in the process -------------------------------------------------------------------------------


def main() -> None:
    """What the process does: reads what it is to do, judges, says that it is over."""
    with suppress(OSError):
        os.nice(_NICE)
    logging.disable()  # a log may hold anybody's text
    threading.excepthook = lambda raised: _confess(raised.exc_value)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is no answer
    spec: RunSpec = pickle.load(sys.stdin.buffer)  # noqa: S301 - who began us says it
    with suppress(BrokenPipeError):
        _put(out, _judged(spec, out))


def _judged(spec: RunSpec, out: IO[bytes]) -> Over:
    try:
        asyncio.run(_judge(spec, out))
    except (asyncio.CancelledError, BrokenPipeError):
        return Over()
    except Refused as refusal:
        return Over(str(refusal))
    except BaseException as error:  # noqa: BLE001 - who listens is told
        _confess(error)
        return Over(describe_error(error))
    return Over()


def _confess(error: BaseException | None) -> None:
    """Writes where it broke where errors go: lines of the program, and no values."""
    if error is not None:
        frames = "".join(traceback.format_tb(error.__traceback__))
        sys.stderr.write(frames + describe_error(error) + "\n")


async def _judge(spec: RunSpec, out: IO[bytes]) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    stop: Callable[[], object] = task.cancel if task else loop.stop
    threading.Thread(target=_heed, args=(loop, stop), daemon=True).start()
    choice = planned(spec.plan)
    sender = Sender(out, partial(_waiting, choice))
    if choice.judge is None:
        return
    sending = asyncio.create_task(sender.send())
    try:
        with Workspace(spec.path, readonly=True) as workspace:
            jobs = _counted(PendingCells(workspace, choice, spec.cells).jobs(), sender)
            await do_jobs(choice.judge, jobs, _AHEAD * choice.concurrency, sender.put)
    finally:
        await choice.judge.close()
        sender.close()
        await sending


def _waiting(choice: JudgeChoice) -> Waiting | None:
    """The server that will be given up next, of those that answer nobody."""
    found = [member.judge.waiting for member in choice.members]
    return min(filter(None, found), key=lambda one: one.left, default=None)


def _heed(loop: asyncio.AbstractEventLoop, stop: Callable[[], object]) -> None:
    """Stops the judge once nobody has anything to say to it any more."""
    while os.read(0, 1024):  # without Python's buffer: its lock would hold up our end for a second
        pass
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(stop)


def _counted(jobs: Iterator[Job], sender: "Sender") -> Iterator[Job]:
    for job in jobs:
        sender.count()
        yield job


class Sender:
    """Hands results over, in their order and also where the judge is stopped meanwhile.

    They are paid for.

    Those that come while others are on their way go together; who brings more than can wait, waits.
    """

    def __init__(
        self, out: IO[bytes], waiting: Callable[[], Waiting | None] = lambda: None
    ) -> None:
        self._out = out
        self._waiting_for = waiting
        self._begun = 0
        self._waiting: list[JobResult] = []
        self._is_closed = False
        self._news, self._room = asyncio.Event(), asyncio.Event()

    def count(self) -> None:
        """One more cell is asked about."""
        self._begun += 1
        self._news.set()

    async def put(self, result: JobResult) -> None:
        """Takes a result at once, and waits for room for the next one."""
        self._waiting.append(result)
        self._news.set()
        while len(self._waiting) >= UNSENT:
            self._room.clear()
            await self._room.wait()

    def close(self) -> None:
        """There is nothing more to come."""
        self._is_closed = True
        self._news.set()

    async def send(self) -> None:
        """Goes on until it is closed and has handed over everything."""
        while self._waiting or not self._is_closed:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOKED_AT):
                    await self._news.wait()
            self._news.clear()
            group, self._waiting = self._waiting, []
            self._room.set()
            message = self._begun, group, self._waiting_for()
            await asyncio.to_thread(_put, self._out, message)
