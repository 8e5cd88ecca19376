"""The one owner of exit codes and of standard error."""

import sys
from collections.abc import Iterable
from enum import IntEnum

from appellate.core.problem import Unusable


class Exit(IntEnum):
    """How a command ends."""

    DONE = 0
    FAILED = 1  # done, but something failed
    UNUSABLE = 2
    HUNG_UP = 129  # 128 + SIGHUP
    INTERRUPTED = 130
    TERMINATED = 143  # 128 + SIGTERM


def say(*lines: object) -> None:
    """Talks to the person, on standard error, with control characters shown inert."""
    for line in lines:
        sys.stderr.write(visible(str(line)) + "\n")
    sys.stderr.flush()


def show(text: str) -> None:
    """Data, on standard output."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def visible(text: str) -> str:
    """The text with whatever a terminal would obey replaced by its escape."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def unusable(error: Unusable) -> Exit:
    """Every problem, then how many."""
    say(*error.problems)
    count = len(error.problems)
    if count > 1:
        say(f"{count} problems.")
    return Exit.UNUSABLE


def notes(lines: Iterable[str]) -> None:
    say(*(f"note: {line}" for line in lines))
