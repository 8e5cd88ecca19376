"""The one owner of exit codes and of standard error."""

import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from errno import EIO, EPIPE
from typing import Any, ClassVar, TextIO

from appellate.cli import narrow_output
from appellate.core.inert import escaped, inert_json, visible
from appellate.core.step_progress import OnProgress, Progress, ignore_progress


class Exit(IntEnum):
    """How a command ends."""

    DONE = 0
    FAILED = 1  # done, but something failed
    UNUSABLE = 2
    UNDECIDED = 3  # of a bar: it takes more audits
    HUNG_UP = 129  # 128 + SIGHUP
    INTERRUPTED = 130
    TERMINATED = 143  # 128 + SIGTERM


class Ended(Exception):
    """Ends a command, once all is said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def say(*lines: object) -> None:
    """Talks to whoever listens on standard error, with control characters shown inert."""
    try:
        for line in lines:
            sys.stderr.write(visible(str(line)) + "\n")
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def show(text: str) -> None:
    """Data, on standard output, with a line's end behind it."""
    deliver(text.removesuffix("\n") + "\n")


def deliver(text: str = "") -> None:
    """Text on standard output. Where its reader is gone, the command is done; it has failed where
    a disk is full.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        _abandon(sys.stdout)
        if error.errno in (EPIPE, EIO):  # the reader, or the terminal, is gone
            raise Ended(Exit.DONE) from None
        say(f"standard output could not be written: {error.strerror}")
        raise Ended(Exit.FAILED) from error


def _abandon(stream: TextIO) -> None:
    """What is left of a stream goes nowhere: Python would try again, and complain, at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show_lines(lines: Iterable[str]) -> None:
    """Lines for a person, on standard output, with control characters shown inert."""
    show(visible("\n".join(lines).rstrip("\n")))


def show_json(value: Any) -> None:
    show_json_text(inert_json(value, 2))


def show_json_text(text: str) -> None:
    """JSON, or lines of it, on standard output; escaped where that is not in UTF-8."""
    show(narrow_output.json_to_write(text))


def show_html(text: str) -> None:
    """HTML on standard output, with character references where that is not in UTF-8."""
    show(narrow_output.html_to_write(text))


def called() -> str:
    """What starts the program here, so that a printed command can be pasted."""
    if shutil.which("appellate"):
        return "appellate"
    program = sys.argv[0]
    if program.endswith("__main__.py"):
        return shlex.join([sys.executable, "-m", "appellate"])
    return shlex.quote(program)


def command(*words: object) -> str:
    """Return a command of this program as a shell takes it: names with blanks are quoted."""
    return f"appellate {shlex.join(map(str, words))}"


@contextmanager
def telling(
    what: str, total: int | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[OnProgress]:
    """Shows how far a step has come on one line of a terminal, where it takes over a second."""
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    if ProgressLine.in_lines:
        yield Progress(what, ProgressLine(what).once, clock, total).received
        return
    progress = Progress(what, _over_and_over, clock, total)
    try:
        yield progress.received
    finally:
        if progress.was_shown:
            _over_and_over("")


class ProgressLine:
    """How far a step has come where nothing is written over: that it takes a while, once."""

    in_lines: ClassVar[bool] = False

    def __init__(self, what: str) -> None:
        self._what = what

    def once(self, _: str) -> None:
        if self._what:
            say(f"{self._what} …")
            self._what = ""


def _over_and_over(line: str) -> None:
    room = shutil.get_terminal_size().columns - 1
    sys.stderr.write(f"\r\x1b[K{escaped(line)[:room]}")
    sys.stderr.flush()


def notes(lines: Iterable[str]) -> None:
    say(*(f"note: {line}" for line in lines))
