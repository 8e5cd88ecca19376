"""The judge in a process of its own, so that asking holds up neither the screen nor the disk.

`ProcessWork` starts the process for a run, and `main()` is what the process runs. It opens the
workspace for reading, asks the chosen judge, looks up keys by itself, and sends each answer as it
comes. It ends on request, or when its parent is gone. Its standard error is saved if it breaks
down.

Both sides send pickles, each after its length, without threads. The parent reads what is there when
the event loop says so, and reads the rest when the run is left.
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
from tempfile import TemporaryFile
from typing import IO, Any, Self

from msgspec import Struct

from appellate.core.problem import Refused, signal_name
from appellate.judges import client
from appellate.judges.closing import to_the_end
from appellate.judges.completion import short
from appellate.judges.endpoint import access, secretless
from appellate.judges.proposal import Answered, Judge, Question, answer_all
from appellate.judges.rate_limiter import Waiting
from appellate.judging.choice import JudgeChoice
from appellate.judging.planning import Plan, choice_of_plan
from appellate.judging.questions import CellScope, PendingCells, describe_error
from appellate.store.workspace import Workspace

LOG = ".judge.log"
"""Ending of the log of a judge that broke down, which replaces that of the workspace."""
MOST_UNSAVED = 64
"""Results that may wait to be saved. While there are more, none are accepted."""
_LONGEST_STOP = 10.0
"""Seconds without a message after which a stopped process is killed."""
_LONGEST_LOG = 2**16
"""Bytes of standard error that are saved, from its end."""
_READ_SIZE = 2**18
"""Bytes that one read takes at most."""
_NICENESS = 5
"""The niceness of the process, so that the screen goes first."""
_CELLS_PER_REQUEST = 2
"""Cells in progress for each request: one is asked about while the reply to another is saved."""
_REPORT_INTERVAL = 1.0
"""Seconds between two reports of the server that is waited for."""
_LENGTH = struct.Struct("!I")
"""The length of a message, which goes before it."""


class RunSpec(Struct, frozen=True):
    """What the process has to do: whom to ask, about which cells of which workspace."""

    path: Path
    """The file of the workspace."""
    plan: Plan
    cells: CellScope


class Finished(Struct, frozen=True):
    """The last message of the process."""

    error: str = ""
    """Why it broke down, or "" if it did its work or was stopped."""


class Work(ABC):
    """One part of a run, which gives results about cells."""

    came: list[Answered]
    """Results that were not taken yet, in the order in which they came."""
    under_way: int
    """Cells in progress; 0 before the start and once the work ended."""
    waiting: Waiting | None
    """The state of the server that is waited for; None if none is, or once the work ended."""
    error: str
    """Why it broke down; "" until then, and if it did all its work or was stopped."""
    has_ended: bool
    """Whether no more results will come. Those in `came` can still be taken."""

    def __init__(self) -> None:
        """Begin the work of a subclass, not started: nothing came, is in progress or went wrong."""
        self.came = []
        self.under_way = 0
        self.waiting = None
        self.error = ""
        self.has_ended = False

    @property
    def is_over(self) -> bool:
        """Whether all results were taken and none will come."""
        return self.has_ended and not self.came

    @abstractmethod
    def start(self, news: Callable[[], object]) -> None:
        """Start the work; `news` is called in this event loop when results came or it ended.

        It may be called before `start` returns. The caller has to `take` the results meanwhile. A
        judge's work stands still, and does not end, while about `MOST_UNSAVED` of them are in
        `came`.
        """

    def take(self, most: int) -> list[Answered]:
        """Remove the next results from `came`, at most `most`, and return them in their order.

        It does not wait: the list is empty if none came. A work that stood still goes on if few
        enough results are left.
        """
        taken = self.came[:most]
        self.came = self.came[most:]
        return taken

    @abstractmethod
    def stop(self) -> None:
        """Stop the work; results that came are kept."""

    def set_ended(self, error: str = "") -> None:
        """Note that no more results will come, and why if the work broke down.

        It sets `has_ended`, and `error` in place of an earlier one. No cell is in progress any
        more, and no server is waited for. Results in `came` stay. `news` is not called.
        """
        self.has_ended = True
        self.under_way = 0
        self.waiting = None
        self.error = error

    def take_all(self) -> list[Answered]:
        """Remove all results from `came`, and return them in their order; waits for nothing.

        Results that come later are not among them, nor recorded labels that were not looked up yet.
        It is for a work that is stopped: one that stands still does not go on.
        """
        came = self.came
        self.came = []
        return came

    def wait_for_process(self) -> None:  # noqa: B027 - most works have none
        """Wait, after `stop()`, for the work's process; `take_all()` then has its last results.

        The event loop stands still meanwhile. Returns at once for a work in this event loop, which
        `wait_for_task()` waits for.
        """

    async def wait_for_task(self) -> None:  # noqa: B027 - most works have none
        """Wait, after `stop()`, until the work's task in this event loop has closed its judge.

        Raises nothing that the task raised. Returns at once for a work in another process, which
        `wait_for_process()` waits for.
        """


class ProcessWork(Work):
    """The part of a run that asks models, in a process."""

    def __init__(self, spec: RunSpec) -> None:
        """Keep what the process has to do; no process is started before `start()`."""
        super().__init__()
        self._spec = spec
        self._unread = bytearray()
        self._unsent = bytearray()
        self._last_message: Finished | None = None
        self._process: subprocess.Popen[bytes]
        self._errors: IO[bytes]
        self._loop: asyncio.AbstractEventLoop
        self._news: Callable[[], object]

    def start(self, news: Callable[[], object]) -> None:
        """Start the process, or take the one that was started ahead, and send it the RunSpec.

        `news` is called in this event loop when results came or the process ended. The caller has
        to `take` the results: with `MOST_UNSAVED` of them in `came`, the process is not read any
        more. If no process can be started, `error` says why, the work has ended, and `news` is
        called at once. Nothing is raised.
        """
        self._news = news
        self._loop = asyncio.get_running_loop()
        try:
            if _ahead:
                self._process, self._errors = _ahead.pop()
            else:
                self._process, self._errors = _start_process(ahead=False)
        except OSError as error:
            self.set_ended(describe_error(error))
            news()
            return
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._unsent += _message(self._spec)
        os.set_blocking(self._in, False)
        self._loop.add_writer(self._in, self._write)
        self._loop.add_reader(self._out, self._read)

    def take(self, most: int) -> list[Answered]:
        """Remove the next results from `came`, at most `most`, and return them in their order.

        It does not wait: the list is empty if none came. If fewer than `MOST_UNSAVED` are left, the
        event loop reads from the process again.
        """
        taken = super().take(most)
        if not self.has_ended and len(self.came) < MOST_UNSAVED:
            self._loop.add_reader(self._out, self._read)
        return taken

    def stop(self) -> None:
        """Ask the process to end, by closing its standard input; it is not waited for.

        The work must have been started. A process that did not get its whole RunSpec yet judges
        nothing. Does nothing if the process was asked before or has ended. Results that it still
        sends are kept.
        """
        if (
            not self.has_ended
            and self._process.stdin
            and not self._process.stdin.closed
        ):
            self._loop.remove_writer(self._in)
            self._process.stdin.close()

    def wait_for_process(self) -> None:
        """Read, after `stop()`, all that the process still sends, until it has ended.

        The event loop stands still meanwhile. Then the work has ended, and `take_all()` has the
        last results. If nothing comes for `_LONGEST_STOP` seconds, the process is killed, and
        `error` says so unless its last message had come. What it had sent is kept, also where
        Ctrl+C interrupts the call. Returns at once if the work has ended.
        """
        if self.has_ended:
            return
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            timeout: float | None = _LONGEST_STOP
            while not self.has_ended:
                if selector.select(timeout):
                    self._read()
                else:
                    self._process.kill()
                    timeout = None

    def _write(self) -> None:
        """Send as much of the RunSpec as the process takes now, since it may still be importing.

        What is sent is removed from `_unsent`. The event loop calls this again until that is empty;
        it is emptied as well if the process ended. Raises nothing.
        """
        try:
            del self._unsent[: os.write(self._in, self._unsent)]
        except BlockingIOError:
            return
        except OSError:  # the process ended
            self._unsent.clear()
        if not self._unsent:
            self._loop.remove_writer(self._in)

    def _read(self) -> None:
        """Read once from the process, take in the messages that are whole now, and call `news`.

        It blocks until the process sent something or closed its output. Results are added to
        `came`, and `under_way` and `waiting` become those of the latest message. The last message
        is kept for `_end`, which is called at the end of the output. With `MOST_UNSAVED` results in
        `came`, the event loop calls this no more until `take` leaves fewer.
        """
        piece = os.read(self._out, _READ_SIZE)
        self._unread += piece
        for message in take_messages(self._unread):
            if isinstance(message, Finished):
                self._last_message = message
            else:
                self.under_way, new_results, self.waiting = message
                self.came += new_results
        if not piece:
            self._end()
        elif len(self.came) >= MOST_UNSAVED:
            self._loop.remove_reader(self._out)
        self._news()

    def _end(self) -> None:
        """Wait for the process, which closed its output, and end the work; `news` is not called.

        It is a breakdown if the process sent no last message, or one with an error. Then `error`
        says why and where the log of standard error was saved: `its process ended too early, with
        exit code 1: MemoryError; more in x.audit.judge.log`. Otherwise `error` is "", and no log is
        saved. Keys are taken out of the log. The pipes and the log are closed, and the event loop
        calls this work no more.
        """
        self._loop.remove_reader(self._out)
        self.stop()
        code = self._process.wait()
        self.set_ended()
        if self._process.stdout:
            self._process.stdout.close()

        with self._errors:
            size = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, size - _LONGEST_LOG))
            log = self._errors.read().decode("utf-8", "replace")

        for member in self._spec.plan.members:
            key = None
            if member.endpoint:
                with suppress(Refused):  # there is no key
                    key = access(member.endpoint).key
            log = secretless(log, key)

        if self._last_message is not None:
            self.error = self._last_message.error
        elif code < 0:
            self.error = f"its process was killed by {signal_name(-code)}"
        else:
            self.error = f"its process ended too early, with exit code {code}"
            last_line = log.strip().rpartition("\n")[2]
            if last_line:
                self.error += f": {short(last_line)}"
        if self.error:
            log_path = self._save_log(log)
            if log_path:
                self.error += f"; more in {log_path}"

    def _save_log(self, log: str) -> Path | None:
        """Save the standard error of the process beside the workspace, and return the file's path.

        The file of `x.audit.db` is `x.audit.judge.log`, which only its owner can read; one of an
        earlier run is replaced. None if `log` is "", or it cannot be saved.
        """
        if not log:
            return None
        path = self._spec.path.with_suffix(LOG)
        try:
            flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
            with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
                file.write(log)
        except OSError:
            return None
        return path


_Started = tuple[subprocess.Popen[bytes], IO[bytes]]
"""A process, and the file of its standard error."""
_ahead: list[_Started] = []
"""The process that was started ahead, if it was not taken."""


@contextmanager
def started_ahead(*, wanted: bool) -> Iterator[None]:
    """Start a process that imports while the caller does other work, and waits for a run.

    The next ProcessWork that starts within the context takes it. If none took it, it is killed when
    the context is left. Nothing is started unless `wanted`, or if the system refuses; the run then
    starts its own process.
    """
    if wanted:
        with suppress(OSError):  # the run reports it
            _ahead.append(_start_process(ahead=True))
    try:
        yield
    finally:
        while _ahead:
            process, errors = _ahead.pop()
            process.kill()
            with errors, process:
                pass


def _start_process(*, ahead: bool) -> _Started:
    """Start the process and return it, with the file of its standard error; raises OSError.

    It runs `main()`, which waits for a RunSpec on standard input, and is told whether it is
    `ahead`. Only messages come on its standard output: what is printed in it goes to standard
    error. Ctrl+C at the terminal does not reach the process.
    """
    program = (  # the garbage collector is off during the imports, which make no garbage
        "import gc, os; gc.disable(); out = os.dup(1); os.dup2(2, 1); "
        f"from appellate.judging.process import main; gc.enable(); main(out, ahead={ahead})"
    )
    error_file = TemporaryFile()  # noqa: SIM115 - is closed once the process is gone
    try:
        process = subprocess.Popen(  # noqa: S603 - this very program
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=error_file,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(part for part in sys.path if part),
            },
            start_new_session=True,  # so that Ctrl+C reaches only its parent
        )
    except OSError:
        error_file.close()
        raise
    return process, error_file


def _message(value: object) -> bytes:
    """Return a value as a message: the length of its pickle, and the pickle.

    `take_messages` reads it.
    """
    pickled = pickle.dumps(value)
    return _LENGTH.pack(len(pickled)) + pickled


def take_messages(unread: bytearray) -> list[Any]:
    """Remove all complete messages from the start of `unread`, and return their values in order.

    A message is what `_message` makes. The beginning of one that has not come whole stays in
    `unread`, and is no part of the list, which may be empty.
    """
    values: list[Any] = []
    start = 0
    while len(unread) >= start + _LENGTH.size:
        message_start = start + _LENGTH.size
        [length] = _LENGTH.unpack_from(unread, start)
        end = message_start + length
        if len(unread) < end:
            break
        pickled = unread[message_start:end]
        values.append(pickle.loads(pickled))  # noqa: S301 - our own process sends it
        start = end
    del unread[:start]
    return values


# -- in the process -------------------------------------------------------------------------------


def main(out: int, *, ahead: bool) -> None:
    """Receive a RunSpec on standard input, judge, and write a Finished to the descriptor `out`.

    The Finished is the last message, after those of the results. It has the error of the judging,
    which is not raised, and is also written if standard input was closed without a RunSpec; then
    nothing is judged. A parent that is gone is no error. A process that was started `ahead` imports
    the client while it waits for the RunSpec. Logging is turned off, errors of threads go to
    standard error, and the process gets a lower priority.
    """
    with suppress(OSError):
        os.nice(_NICENESS)
    logging.disable()  # a log could contain texts of traces and replies
    threading.excepthook = lambda raised: _write_traceback(raised.exc_value)
    if ahead:
        with suppress(ImportError):  # the judge reports it
            client.load()
    last_message = Finished()
    spec = _receive_spec()
    if spec:
        last_message = _run(spec, out)
    os.set_blocking(out, True)
    with suppress(BrokenPipeError), os.fdopen(out, "wb", closefd=False) as file:
        file.write(_message(last_message))


def _receive_spec() -> RunSpec | None:
    """Wait for a RunSpec on standard input and return it.

    None if standard input was closed before all of it arrived, because the run was stopped.
    """
    unread = bytearray()
    while part := os.read(0, _READ_SIZE):
        unread += part
        for spec in take_messages(unread):
            return spec  # type: ignore[no-any-return]
    return None


def _run(spec: RunSpec, out: int) -> Finished:
    """Judge the cells of a RunSpec, and return the last message for the parent; raises nothing.

    The results are sent to `out`. The message has no error if all was done, the run was stopped, or
    the parent is gone. The error of a Refused is its sentence. Any other error is as
    `describe_error` has it, such as `KeyError in run.py, line 40`, and its traceback is written to
    standard error.
    """
    try:
        asyncio.run(_judge(spec, out))
    except (asyncio.CancelledError, BrokenPipeError):
        return Finished()
    except Refused as refusal:
        return Finished(str(refusal))
    except BaseException as error:  # noqa: BLE001 - is reported
        _write_traceback(error)
        return Finished(describe_error(error))
    return Finished()


def _write_traceback(error: BaseException | None) -> None:
    """Write to standard error where an error arose, and what `describe_error` says of it.

    The lines of code are those of Appellate and of libraries, without values of variables. None
    writes nothing.
    """
    if error is not None:
        frames = "".join(traceback.format_tb(error.__traceback__))
        sys.stderr.write(frames + describe_error(error) + "\n")


async def _judge(spec: RunSpec, out: int) -> None:
    """Ask the judge about all cells of a run, and send each result to the descriptor `out`.

    After several failures in a row that every further cell would have, too, the cells that are left
    are not asked about and get the same failure. The judge is cancelled once standard input is
    closed; what it gave before is sent. The judge is closed also after an error; `out` stays open.
    Raises Refused if the judge cannot be asked, CancelledError or BrokenPipeError if the parent
    stopped it or is gone, and any error of the judge or the workspace.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def stop_when_closed() -> None:
        """Read from standard input; if it is closed, cancel the judging, and watch it no more.

        The parent closes it to stop the run, or by its own end. Bytes that come before are dropped.
        """
        if not os.read(0, 1024):
            loop.remove_reader(0)
            if task:
                task.cancel()

    loop.add_reader(0, stop_when_closed)
    choice = choice_of_plan(spec.plan)
    assert choice.judge is not None  # noqa: S101 - each plan has one
    with Workspace(spec.path, readonly=True) as workspace:
        sender = await Sender.to_pipe(
            os.dup(out),
            partial(_first_to_give_up, choice),
        )
        await ask_and_send(
            choice.judge,
            PendingCells(workspace, choice, spec.cells).questions(),
            _CELLS_PER_REQUEST * choice.concurrency,
            sender,
        )


async def ask_and_send(
    judge: Judge,
    questions: Iterable[Question],
    concurrency: int,
    sender: "Sender",
) -> None:
    """Ask all questions, `concurrency` at once, and send each result as it comes.

    After several failures in a row that every further cell would have, too, the judge is not asked
    any more. The questions that are left get the same failure as their result. The judge and the
    sender are closed at the end, also after an error or a cancellation. Neither loses a result that
    the judge gave: all are sent before either is raised, however often the call is cancelled.
    Raises what the judge, its closing or `questions` raise, and BrokenPipeError if the parent is
    gone.
    """
    watching = asyncio.create_task(sender.watch())
    try:
        await answer_all(judge, sender.counting(questions), concurrency, sender.put)
    finally:
        watching.cancel()
        try:
            await to_the_end(judge.close())
        finally:
            await to_the_end(sender.close())


def _first_to_give_up(choice: JudgeChoice) -> Waiting | None:
    """Return the state of the server that will be given up first, of those that are waited for.

    It is None if no request waits for a server.
    """
    states = [member.waiting for member in choice.members]
    return min(filter(None, states), key=lambda waiting: waiting.left, default=None)


class Sender:
    """Sends results to the parent in order, and waits while the pipe is full."""

    def __init__(
        self,
        writer: asyncio.StreamWriter,
        waiting: Callable[[], Waiting | None],
    ) -> None:
        """Take the writer to the parent; no cell is in progress, and nothing is sent yet.

        `waiting` is called for each message, and returns the server that requests wait for then, or
        None.
        """
        self._writer = writer
        self._waiting = waiting
        self._under_way = 0

    @classmethod
    async def to_pipe(
        cls,
        pipe: int,
        waiting: Callable[[], Waiting | None] = lambda: None,
    ) -> Self:
        """Return a sender to a pipe, given as its file descriptor, which closing the sender closes.

        `waiting` is called for each message, and returns the server that requests wait for then, or
        None.
        """
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
            os.fdopen(pipe, "wb"),
        )
        return cls(asyncio.StreamWriter(transport, protocol, None, loop), waiting)

    def counting(self, questions: Iterable[Question]) -> Iterator[Question]:
        """Yield the questions; each adds one to the cells in progress when it is asked for.

        The new number is sent before the question is yielded, without waiting for room in the pipe.
        `put` takes one away again.
        """
        for question in questions:
            self._under_way += 1
            self._send()
            yield question

    async def put(self, result: Answered) -> None:
        """Send a result with one cell less in progress, and wait until there is room in the pipe.

        The result must belong to a question that `counting` yielded. Raises BrokenPipeError if the
        parent is gone.
        """
        self._under_way -= 1
        self._send(result)
        try:
            await self._writer.drain()
        except ConnectionResetError as error:  # asyncio's own, once it is closed
            raise BrokenPipeError(*error.args) from error

    async def watch(self) -> None:
        """Send a message without results once a second until cancelled, also if the parent is gone.

        The first is sent after a second. Like each message it has the number of cells in progress,
        and the server that is waited for or None, so that the parent learns that a wait is over.
        """
        while True:
            await asyncio.sleep(_REPORT_INTERVAL)
            self._send()

    async def close(self) -> None:
        """Send what is left, and close the pipe; a parent that is gone is no error."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()

    def _send(self, *results: Answered) -> None:
        """Write a message: cells in progress, results, and the server that is waited for now.

        It is the tuple of these three, such as `(2, (result,), None)`. Without results it reports
        only the other two. It changes no number, and does not wait until the message is sent.
        """
        self._writer.write(_message((self._under_way, results, self._waiting())))
