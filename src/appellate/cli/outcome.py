"""Ends commands and writes for them: exit codes, sentences on standard error, data on output.

Every command says sentences with `say` and `notes`, and prints results with the `show` functions.
Text of other people passes one of these, which make control characters visible.
"""

import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from errno import EIO, EPIPE
from io import TextIOWrapper
from typing import Any, ClassVar, TextIO

from appellate.cli import narrow_output
from appellate.core.inert import escaped, inert_json, inert_json_parts, visible
from appellate.core.step_progress import OnProgress, Progress, ignore_progress


class Exit(IntEnum):
    """The exit code of a command."""

    DONE = 0
    FAILED = 1
    """The command ran to its end, but something in it failed."""
    UNUSABLE = 2
    """The command line, or a file that it names, cannot be used."""
    UNDECIDED = 3
    """A bar is not decided yet: more audits are needed."""
    HUNG_UP = 129
    """128 + SIGHUP: the terminal was closed."""
    INTERRUPTED = 130
    TERMINATED = 143
    """128 + SIGTERM."""


class Ended(Exception):
    """Ends a command with an exit code, after everything was said that is to be said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def say(*lines: object) -> None:
    """Write each of these as a line on standard error, with control characters made visible.

    Line breaks and tabs in them are kept. Without any nothing is written. If standard error cannot
    be written, the rest is dropped, now and later, and nothing is raised.
    """
    try:
        for line in lines:
            sys.stderr.write(visible(str(line)) + "\n")
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def show(text: str) -> None:
    """Write a text as it is on standard output, with one line break after it.

    A line break at its end is not doubled. Raises Ended if that fails: with DONE if the reader has
    gone, else with FAILED, which is said on standard error.
    """
    deliver(text.removesuffix("\n") + "\n")


def deliver(text: str = "") -> None:
    """Write a text as it is on standard output at once, with all that was written before.

    No line break is added, and "" writes only what waits. Raises Ended if that fails: with DONE if
    the reader or the terminal has gone, else with FAILED, as for a full disk, which is said on
    standard error. Later output is dropped in both cases.
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
    """Send the remaining output of a stream nowhere, else Python would complain when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show_lines(lines: Iterable[str]) -> None:
    """Write lines for a person on standard output, with control characters made visible.

    A line may hold line breaks and tabs, which are kept. Empty lines at the end are left out;
    without any line one empty line is written. Raises Ended if that fails: with DONE if the reader
    has gone, else with FAILED.
    """
    show(visible("\n".join(lines).rstrip("\n")))


def show_json(value: Any) -> None:
    """Write a value as JSON on standard output, indented and with a line break after it.

    What a terminal would obey is escaped, and all beyond ASCII if the output is in no Unicode
    encoding. Raises Ended if that fails: with DONE if the reader has gone, else with FAILED. Raises
    TypeError or ValueError for a value that JSON cannot have, but NaN and infinities are written as
    Python writes them.
    """
    show_json_text(inert_json(value, 2))


def show_json_parts(table: Mapping[str, object]) -> None:
    """Write a table as `show_json` does, but part by part, with iterators in it as lists.

    It is the text that the table with such lists would have. Entries of an iterator are taken when
    they are written. Raises Ended if that fails: with DONE if the reader has gone, else with
    FAILED. Raises TypeError or ValueError for a value that JSON cannot have, after what stands
    before it was written.
    """
    for part in inert_json_parts(table, 2):
        deliver(narrow_output.json_to_write(part))
    deliver("\n")


def show_json_text(text: str) -> None:
    """Write JSON or JSON Lines on standard output, with one line break at the end.

    If the output is in no Unicode encoding, what is beyond ASCII is escaped. Raises Ended if that
    fails: with DONE if the reader has gone, else with FAILED.
    """
    show(narrow_output.json_to_write(text))


def called() -> str:
    """Return how the program is started here, to be printed as the beginning of a command.

    It is `appellate` if a shell finds that. Else it is the path of the program, or of Python with
    `-m appellate`, quoted as a shell needs it.
    """
    if shutil.which("appellate"):
        return "appellate"
    program = sys.argv[0]
    if program.endswith("__main__.py"):
        return shlex.join([sys.executable, "-m", "appellate"])
    return shlex.quote(program)


def command(*words: object) -> str:
    """Return a command of this program as a shell takes it: "appellate" and the words.

    Words with blanks or other signs of the shell are quoted. It is "appellate" however the program
    was started.
    """
    return f"appellate {shlex.join(map(str, words))}"


def can_ask() -> bool:
    """Return whether a person can be asked: standard input and error are terminals."""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stderr.isatty())


def is_confirmed(question: str) -> bool:
    """Ask a question, with " [y/N] " after it, on standard error; return whether the typed answer
    is yes.

    It is read from standard input. Yes is `y` or `yes`, in any case. All else is no, as is the end
    of the input. It does not look if there is a terminal: see `can_ask`.
    """
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return typed_line().lower() in {"y", "yes"}


def typed_line() -> str:
    """Return the next line of standard input without white space around it; "" at its end.

    An empty line is "", too, as is a standard input that was closed before the program began. Bytes
    that are no text are replaced.
    """
    if sys.stdin is None:
        return ""
    if isinstance(sys.stdin, TextIOWrapper) and sys.stdin.errors != "replace":
        sys.stdin.reconfigure(errors="replace")
    return sys.stdin.readline().strip()


@contextmanager
def telling(
    step: str,
    total: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[OnProgress]:
    """Show on one line of a terminal how far a step is, if it takes more than a second.

    Yields the function to call with how many things are done, and with the part of the whole from 0
    to 1 or None. `step` names the step and `total` is how many things it goes through, if that is
    known. `clock` gives seconds. The line is on standard error and is removed after the block; in
    line mode a line says once that the step runs, and stays. Nothing is shown, in line mode
    neither, if standard error is no terminal.
    """
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    if ProgressLine.in_lines:
        yield Progress(step, ProgressLine(step).once, clock, total).received
        return
    progress = Progress(step, overwrite_line, clock, total)
    try:
        yield progress.received
    finally:
        if progress.was_shown:
            overwrite_line("")


class ProgressLine:
    """The progress of a step where no line may be overwritten: it is said once that it runs."""

    in_lines: ClassVar[bool] = False
    """Whether this process runs in line mode, where no line is overwritten."""

    def __init__(self, step: str) -> None:
        self._unsaid_step = step

    def once(self, _: str) -> None:
        """Say on standard error that the step runs, as "Asking …", at the first call only.

        Later calls do nothing. The progress that it is called with is not told.
        """
        if self._unsaid_step:
            say(f"{self._unsaid_step} …")
            self._unsaid_step = ""


def overwrite_line(line: str) -> None:
    """Replace the line of standard error that the terminal's cursor is on.

    `line` is cut to fit into the terminal's width, with control characters escaped; "" empties the
    line. No line break is written. If the terminal is gone, the rest is dropped and nothing is
    raised.
    """
    width = shutil.get_terminal_size().columns - 1
    try:
        sys.stderr.write(f"\r\x1b[K{escaped(line)[:width]}")
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def notes(lines: Iterable[str]) -> None:
    """Write lines on standard error as `say` does, each after "note: "."""
    say(*(f"note: {line}" for line in lines))
