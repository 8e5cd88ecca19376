"""The judge in a process of its own, so that asking holds up neither a screen nor a disk.

It opens the workspace to read, asks exactly the judge that was chosen, looks up keys alone, and
hands out each answer as it comes. It ends on request, and when its parent is gone. What it
writes where errors go is kept if it breaks down. Both sides send pickles after their lengths. No
thread reads or writes them: the parent reads what has come when the event loop says so, and the
rest when the run is left.
"""

import asyncio
import logging
import os
import pickle
import selectors
import struct
import subprocess
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from signal import Signals
from tempfile import TemporaryFile
from typing import IO, Any, Self

from msgspec import Struct

from appellate.core.problem import Refused
from appellate.judges import client
from appellate.judges.completion import short
from appellate.judges.endpoint import access, secretless
from appellate.judges.proposal import Answered, Question, answer_all
from appellate.judges.rate_limiter import Waiting
from appellate.judging.choice import JudgeChoice
from appellate.judging.planning import Plan, planned
from appellate.judging.questions import CellScope, PendingCells, describe_error
from appellate.store.workspace import Workspace

LOG = ".judge.log"
"""What the log of a judge that broke down is called, in place of the workspace's own ending."""
UNKEPT = 64
"""Results that may wait to be kept before those who bring more wait too."""
_PATIENCE = 10.0
"""Seconds for the work of a run to end once it was stopped."""
_LONGEST_LOG = 2**16
_PART = 2**18
"""Bytes that are read at once."""
_NICE = 5
"""By how much it stands back where the screen, too, has something to do."""
_AHEAD = 2
"""Cells in hand for each request: while one reply is kept, another cell is asked about."""
_LOOKED_AT = 1.0
"""Seconds between two looks at who is waited for."""
_LENGTH = struct.Struct("!I")


class RunSpec(Struct, frozen=True):
    """What the process is to do: whom to ask, and about which cells of a workspace."""

    path: Path
    plan: Plan
    cells: CellScope


class Over(Struct, frozen=True):
    """The last message of the process; `error` is empty where it did its work, or was stopped."""

    error: str = ""


class Work(ABC):
    """A part of a run: what `came` of it, cells `under_way`, the server `waiting`, its `error`."""

    def __init__(self) -> None:
        self.came: list[Answered] = []
        self.under_way = 0
        self.waiting: Waiting | None = None
        self.error = ""
        self.has_ended = False

    @property
    def is_over(self) -> bool:
        """Whether everything was taken, and nothing will come."""
        return self.has_ended and not self.came

    @abstractmethod
    def start(self, news: Callable[[], object]) -> None:
        """Begins; `news` is called in this event loop when something has come, or it has ended."""

    def take(self, most: int) -> list[Answered]:
        """What has come, in its order; there is room for more then."""
        taken = self.came[:most]
        self.came = self.came[most:]
        return taken

    @abstractmethod
    def stop(self) -> None:
        """Ends what is under way; nothing that has come is lost."""

    def rest(self) -> list[Answered]:
        """Everything that came before it was stopped."""
        return self.take(len(self.came))


class ProcessWork(Work):
    """The asking of one run, done in a process."""

    def __init__(self, spec: RunSpec) -> None:
        super().__init__()
        self._spec = spec
        self._unread, self._unsent = bytearray(), bytearray()
        self._over: Over | None = None
        self._process: subprocess.Popen[bytes]
        self._errors: IO[bytes]
        self._loop: asyncio.AbstractEventLoop
        self._news: Callable[[], object]

    def start(self, news: Callable[[], object]) -> None:
        """Begins the process, or takes the one that was begun ahead."""
        self._news, self._loop = news, asyncio.get_running_loop()
        try:
            self._process, self._errors = _ahead.pop() if _ahead else _begun()
        except OSError as error:
            self.error = describe_error(error)
            self.has_ended = True
            news()
            return
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._unsent += _message(self._spec)
        os.set_blocking(self._in, False)
        self._loop.add_writer(self._in, self._write)
        self._loop.add_reader(self._out, self._read)

    def take(self, most: int) -> list[Answered]:
        taken = super().take(most)
        if not self.has_ended and len(self.came) < UNKEPT:
            self._loop.add_reader(self._out, self._read)
        return taken

    def stop(self) -> None:
        if not self.has_ended and self._process.stdin and not self._process.stdin.closed:
            self._loop.remove_writer(self._in)
            self._process.stdin.close()

    def rest(self) -> list[Answered]:
        """Waits for the end, and takes everything; a process that does not stop is killed."""
        with selectors.DefaultSelector() as selector:
            if not self.has_ended:
                selector.register(self._out, selectors.EVENT_READ)
            patience: float | None = _PATIENCE
            while not self.has_ended:
                if selector.select(patience):
                    self._read()
                else:
                    self._process.kill()
                    patience = None
        return super().rest()

    def _write(self) -> None:
        """Sends as much of what it is to do as the process takes: it may be busy importing."""
        try:
            del self._unsent[: os.write(self._in, self._unsent)]
        except BlockingIOError:
            return
        except OSError:  # it is gone already
            self._unsent.clear()
        if not self._unsent:
            self._loop.remove_writer(self._in)

    def _read(self) -> None:
        """Takes in what is there; while too much waits to be kept, no more is read."""
        part = os.read(self._out, _PART)
        self._unread += part
        for message in messages(self._unread):
            if isinstance(message, Over):
                self._over = message
            else:
                self.under_way, came, self.waiting = message
                self.came += came
        if not part:
            self._end()
        elif len(self.came) >= UNKEPT:
            self._loop.remove_reader(self._out)
        self._news()

    def _end(self) -> None:
        """Notes how the process ended, which is gone."""
        self._loop.remove_reader(self._out)
        self.stop()
        code = self._process.wait()
        self.has_ended = True
        if self._process.stdout:
            self._process.stdout.close()
        with self._errors:
            self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _LONGEST_LOG))
            text = self._errors.read().decode("utf-8", "replace")
        for member in self._spec.plan.members:
            key = None
            if member.endpoint:
                with suppress(Refused):  # there is no key
                    key = access(member.endpoint).key
            text = secretless(text, key)
        if self._over is None:
            wording = f"its process ended too early, with {code}"
            last = text.strip().rpartition("\n")[2]
            if code < 0:
                wording = f"its process was killed by {Signals(-code).name}"
            elif last:
                wording += f": {short(last)}"
            self.error = wording + self._kept(text)
        elif self._over.error:
            self.error = self._over.error + self._kept(text)

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


_Begun = tuple[subprocess.Popen[bytes], IO[bytes]]
"""A process, and the file of its errors."""
_ahead: list[_Begun] = []


@contextmanager
def begun_ahead(*, wanted: bool) -> Iterator[None]:
    """Begins a process that imports meanwhile, for the next run; ends it if no run took it."""
    if wanted:
        with suppress(OSError):  # the run reports it
            _ahead.append(_begun("ahead=True"))
    try:
        yield
    finally:
        while _ahead:
            process, errors = _ahead.pop()
            process.kill()
            with errors, process:
                pass


def _begun(how: str = "") -> _Begun:
    """The process; nothing that is printed while it imports gets among its messages."""
    program = (  # none of what is imported is garbage
        "import gc, os; gc.disable(); out = os.dup(1); os.dup2(2, 1); "
        f"from appellate.judging.process import main; gc.enable(); main(out, {how})"
    )
    errors = TemporaryFile()  # noqa: SIM115 - is closed once the process is gone
    try:
        process = subprocess.Popen(  # noqa: S603 - this very program
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)},
            start_new_session=True,  # Ctrl+C is for us to answer
        )
    except OSError:
        errors.close()
        raise
    return process, errors


def _message(what: object) -> bytes:
    """What is sent for a value: a pickle after its length."""
    pickled = pickle.dumps(what)
    return _LENGTH.pack(len(pickled)) + pickled


def messages(unread: bytearray) -> Iterator[Any]:
    """Takes whole messages out of what has come."""
    at = 0
    while len(unread) >= at + _LENGTH.size:
        end = at + _LENGTH.size + _LENGTH.unpack_from(unread, at)[0]
        if len(unread) < end:
            break
        yield pickle.loads(unread[at + _LENGTH.size : end])  # noqa: S301 - our own process sends it
        at = end
    del unread[:at]


# -- in the process -------------------------------------------------------------------------------


def main(out: int, *, ahead: bool = False) -> None:
    """Reads what to do, judges, and says it is over; one begun `ahead` imports the client first."""
    with suppress(OSError):
        os.nice(_NICE)
    logging.disable()  # a log may hold anybody's text
    threading.excepthook = lambda raised: _confess(raised.exc_value)
    if ahead:
        with suppress(ImportError):  # who asks reports it
            client.load()
    over = Over()
    spec = _received()
    if spec:
        over = _judged(spec, out)
    os.set_blocking(out, True)
    with suppress(BrokenPipeError), os.fdopen(out, "wb", closefd=False) as file:
        file.write(_message(over))


def _received() -> RunSpec | None:
    """What it is to do; None where it was stopped before all of that had come."""
    unread = bytearray()
    while part := os.read(0, _PART):
        unread += part
        for spec in messages(unread):
            return spec  # type: ignore[no-any-return]
    return None


def _judged(spec: RunSpec, out: int) -> Over:
    try:
        asyncio.run(_judge(spec, out))
    except (asyncio.CancelledError, BrokenPipeError):
        return Over()
    except Refused as refusal:
        return Over(str(refusal))
    except BaseException as error:  # noqa: BLE001 - is reported
        _confess(error)
        return Over(describe_error(error))
    return Over()


def _confess(error: BaseException | None) -> None:
    """Writes where it broke where errors go: lines of the program, and no values."""
    if error is not None:
        frames = "".join(traceback.format_tb(error.__traceback__))
        sys.stderr.write(frames + describe_error(error) + "\n")


async def _judge(spec: RunSpec, out: int) -> None:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def heed() -> None:
        """Stops the judge once nobody has anything to say to it any more."""
        if not os.read(0, 1024):
            loop.remove_reader(0)
            if task:
                task.cancel()

    loop.add_reader(0, heed)
    choice = planned(spec.plan)
    if choice.judge is None:
        return
    sender = await Sender.on(os.dup(out), partial(_waiting, choice))
    watching = asyncio.create_task(sender.watch())
    try:
        with Workspace(spec.path, readonly=True) as workspace:
            questions = sender.counted(PendingCells(workspace, choice, spec.cells).questions())
            await answer_all(choice.judge, questions, _AHEAD * choice.concurrency, sender.put)
    finally:
        watching.cancel()
        await choice.judge.close()
        await sender.close()


def _waiting(choice: JudgeChoice) -> Waiting | None:
    """The server that will be given up next, of those that answer nobody."""
    found = [member.waiting for member in choice.members]
    return min(filter(None, found), key=lambda one: one.left, default=None)


class Sender:
    """Hands results over in order, also when stopped; waits while the pipe is full."""

    def __init__(
        self, writer: asyncio.StreamWriter, waiting: Callable[[], Waiting | None] = lambda: None
    ) -> None:
        self._writer = writer
        self._waiting = waiting
        self._under_way = 0

    @classmethod
    async def on(cls, pipe: int, waiting: Callable[[], Waiting | None] = lambda: None) -> Self:
        """One that writes to the end of a pipe, and closes that."""
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(pipe, "wb")
        )
        return cls(asyncio.StreamWriter(transport, protocol, None, loop), waiting)

    def counted(self, questions: Iterable[Question]) -> Iterator[Question]:
        """The cells, each counted when it is asked about."""
        for question in questions:
            self._under_way += 1
            self._send()
            yield question

    async def put(self, result: Answered) -> None:
        """Takes a result at once, and waits for room for the next one."""
        self._under_way -= 1
        self._send(result)
        await self._writer.drain()

    async def watch(self) -> None:
        """Reports every so often who is waited for."""
        while True:
            await asyncio.sleep(_LOOKED_AT)
            self._send()

    async def close(self) -> None:
        """Hands over everything; there is nothing more to come."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()

    def _send(self, *results: Answered) -> None:
        self._writer.write(_message((self._under_way, results, self._waiting())))
