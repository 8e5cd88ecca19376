r"""Matching under a time limit: Python's own `re`, in a process that ends when a match takes long.

`re` has no limit, holds the interpreter's lock while it matches and cannot be stopped from another
thread, so it runs in a process of its own (`worker`). The package `regex` has a limit, but reads
patterns differently (`\w` in Hindi, `\s`, `{e<=1}`, look-behinds), so that a rubric would mean
something else here than in Karenina, and took twice its limit on 50 kB. A round trip takes about
0.1 ms, another process about 25 ms.

What is limited is the time that the process computes, so that no sound pattern fails where the
machine is busy with something else. A clock is read only for a process that is stuck, and on
Windows, which has no timer of that kind.
"""

import atexit
import json
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from appellate.core.problem import quoted
from appellate.traits.worker_process import WorkerProcess

COUNTED = 10_000
"""The largest number of matches of one text that are counted."""
STRIKES = 5
"""Texts on which a pattern may take too long before it is given up."""
REST = 60.0
"""Seconds after which a pattern that was given up is tried again."""
_ENDLESS = "Repeats within repeats, as in (a+)+, can take for ever"
_ADVICE = f"{_ENDLESS}: make the pattern simpler, or rule by hand."
_SHOWN = 20
"""Characters of a pattern that are shown from where it is wrong."""
_WORKER = Path(__file__).with_name("match_worker.py")
_TIMER = getattr(signal, "SIGPROF", None)
"""The signal that ends the process when a match takes too long; None on Windows."""

Offsets = tuple[int, int]


class Matches(NamedTuple):
    """The matches of one text."""

    hits: int = 0
    """How many matches were counted."""
    matches: tuple[Offsets, ...] = ()
    """The offsets of the first of them."""
    more: bool = False
    """Whether counting stopped at its limit, so that there may be others."""
    groups: tuple[Offsets | None, ...] = ()
    """The offsets of the first match's groups; None for a group that took no part."""


class Unmatched(Exception):
    """Raised for a text that was not matched, with a sentence that says why."""


_SlowPart = tuple[str, bool, Literal["first", "others"]]
"""A pattern, whether it heeds case, and which of its matches took too long: the first, or others.
"""


class Matcher:
    """Matches one text at a time, from any thread, in a process of its own.

    The process begins with the first text, and again after it ended. `limit` and `counting` are
    seconds of computing: for the first match of a text, and for all others. `patience` is the
    seconds by the clock after which a silent process is given up.
    """

    def __init__(
        self,
        limit: float = 0.6,
        counting: float = 0.2,
        patience: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the limits for one text, in seconds; the process begins later.

        `limit` is the computing time for the first match, and `counting` that for all others.
        `patience` is how long the process may be silent. By `clock`, in seconds, a pattern that was
        too slow on several texts is left out for a while.
        """
        self._limit = limit
        self._counting = counting
        self.patience = patience
        self._clock = clock
        self._lock = threading.Lock()
        self._process: WorkerProcess | None = None
        self._slow: dict[_SlowPart, tuple[int, float]] = {}  # how often, and when last

    def find(
        self,
        pattern: str,
        text: str,
        *,
        case_sensitive: bool = True,
        max_matches: int = COUNTED,
    ) -> Matches:
        """Return the matches in a text of a pattern that compiles, at most `max_matches` (from 1).

        All are counted, but only the first 100 have offsets, and only the first has groups. `more`
        is True as soon as `max_matches` are counted, even if these are all. If the others are not
        counted in time, the first match is returned alone with `more`. Without a match, an empty
        `Matches` is returned. Raises Unmatched if the first takes too long, or if the process
        breaks off, as it does for a pattern that does not compile.

        A pattern that took too long on `STRIKES` texts is refused at once with Unmatched for a
        while. One whose other matches took too long on as many texts gets its first match only.
        Waits for calls of other threads.
        """
        first: _SlowPart = pattern, case_sensitive, "first"
        others: _SlowPart = pattern, case_sensitive, "others"
        with self._lock:
            if self._is_given_up(first):
                raise Unmatched(
                    f"The pattern took longer than {self._limit:g} s on {STRIKES} other responses,"
                    f" so it was not tried on this one. {_ADVICE}",
                )
            max_matches = 1 if self._is_given_up(others) else max_matches
            flags = 0 if case_sensitive else re.IGNORECASE
            process = self._running()
            request = [pattern, flags, text, max_matches, self._limit, self._counting]
            line = process.line(self.patience, json.dumps(request).encode() + b"\n")
            if not line:
                self._ended(process, first)
                limit = self.patience if process.is_stuck else self._limit
                raise Unmatched(
                    f"The pattern took longer than {limit:g} s on this response, which has"
                    f" {len(text):,} characters. {_ADVICE}",
                )
            first_offsets = json.loads(line)
            if first_offsets is None:
                return Matches()
            groups = tuple(
                tuple(group) if group else None for group in first_offsets[1:]
            )
            line = process.line(self.patience)
            if not line:
                self._ended(process, others)
                return Matches(1, (tuple(first_offsets[0]),), more=True, groups=groups)
            hits, spans, more = json.loads(line)
            return Matches(hits, tuple(tuple(span) for span in spans), more, groups)

    @property
    def process_id(self) -> int | None:
        """The id of the process that matches, or None if there is none."""
        return None if self._process is None else self._process.id

    def close(self) -> None:
        """End the process, after a call that is running; the next text begins another."""
        with self._lock:
            if self._process is not None:
                self._process.end()
            self._process = None

    def _is_given_up(self, key: _SlowPart) -> bool:
        """Return whether a pattern took too long on `STRIKES` texts, and the last time lately.

        `key` is the pattern and which of its matches took too long. `REST` seconds after the last
        time it is tried again, and given up at once if it fails.
        """
        strikes, last_time = self._slow.get(key, (0, 0.0))
        return strikes >= STRIKES and self._clock() < last_time + REST

    def _running(self) -> WorkerProcess:
        """Return the process that matches, which is begun if there is none."""
        if self._process is None:
            command = [sys.executable, "-I", "-S", str(_WORKER)]
            self._process = WorkerProcess(*command, name="matches")
        return self._process

    def _ended(self, process: WorkerProcess, key: _SlowPart) -> None:
        """Forget a process that ended, and count that a pattern took too long.

        `key` is the pattern and which of its matches took too long. Raises Unmatched if the process
        ended for another reason.
        """
        self._process = None
        code = process.end()
        if not process.is_stuck and -code != _TIMER:
            raise Unmatched(
                f"The process that matches patterns broke off (code {code}).",
            )
        strikes, _ = self._slow.get(key, (0, 0.0))
        self._slow[key] = strikes + 1, self._clock()


@cache
def matcher() -> Matcher:
    """Return the one matcher that all cells share; its process ends with the program."""
    shared = Matcher()
    atexit.register(shared.close)
    return shared


def fault(pattern: str) -> str:
    """Return why `re` refuses a pattern, as a predicate without its subject; "" if it does not.

    For example 'is no regular expression: missing ), unterminated subpattern, at character 3,
    "(b"'. Characters count from 1, and "at its end" is possible. Warnings are ignored.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except re.error as error:
        if error.pos is None:
            return f"is no regular expression: {error.msg}"
        place = "at its end"
        if error.pos < len(pattern):
            place = (
                f"at character {error.pos + 1}, {quoted(pattern[error.pos :], _SHOWN)}"
            )
        return f"is no regular expression: {error.msg}, {place}"
    except OverflowError as error:
        return f"is no regular expression: {error}"
    except RecursionError:
        return "is no regular expression that can be read: its groups are nested too deeply"
    return ""
