r"""Matching under a time limit: Python's own `re`, in a process that ends when a match takes long.

`re` has no limit, holds the interpreter's lock while it matches and cannot be stopped from another
thread, so it runs in a process of its own (`worker`). The package `regex` has a limit, but reads
patterns differently (`\w` in Hindi, `\s`, `{e<=1}`, look-behinds), so that a rubric would mean
something else here than in Karenina, and took twice its limit on 50 kB. A round trip takes about
0.1 ms, another process about 25 ms.
"""

import atexit
import json
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, cast

COUNTED = 10_000
"""So many matches of one text are counted."""
STRIKES = 5
"""Texts on which a pattern may take too long before it is given up."""
REST = 60.0
"""Seconds after which a pattern that was given up is tried again."""
_ENDLESS = "Repeats within repeats, as in (a+)+, can take for ever"
_ADVICE = f"{_ENDLESS}: make the pattern simpler, or rule by hand."
_WORKER = Path(__file__).with_name("worker.py")

Span = tuple[int, int]


class Found(NamedTuple):
    """The matches of one text: how many were counted, and the offsets of the first of them.

    `more` is whether counting ended before the text did.
    """

    hits: int = 0
    matches: tuple[Span, ...] = ()
    more: bool = False


class Unmatched(Exception):
    """A text was not matched; says why in a sentence."""


class _Key(NamedTuple):
    """What may take too long: the first match of a pattern, or all the others."""

    pattern: str
    case_sensitive: bool
    stage: Literal["first", "others"]


class _Slow(NamedTuple):
    """How often something took too long, and when it last did (`time.monotonic`)."""

    times: int = 0
    at: float = 0.0


class Matcher:
    """Matches one text at a time, from any thread.

    Its process begins with the first text, and again after it ended. `limit` and `counting` are the
    seconds that the first match of a text may take, and the others together.
    """

    def __init__(self, limit: float = 0.6, counting: float = 0.2) -> None:
        self._limit = limit
        self._counting = counting
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._slow: dict[_Key, _Slow] = {}

    def find(
        self,
        pattern: str,
        text: str,
        *,
        case_sensitive: bool = True,
        most: int = COUNTED,
    ) -> Found:
        """The matches in the text, at most so many; raises Unmatched where that takes too long.

        A pattern that took too long on `STRIKES` texts is refused at once for a while. Where a
        first match is found in time and the others are not, the first is what is found, and there
        may be `more`.
        """
        first = _Key(pattern, case_sensitive, "first")
        others = _Key(pattern, case_sensitive, "others")
        with self._lock:
            if self._is_given_up(first):
                raise Unmatched(
                    f"The pattern took longer than {self._limit:g} s on {STRIKES} other responses,"
                    f" so it was not tried on this one. {_ADVICE}"
                )
            most = 1 if self._is_given_up(others) else most
            flags = 0 if case_sensitive else re.IGNORECASE
            process = self._running()
            _send(process, [pattern, flags, text, most, self._limit, self._counting])
            line = _line(process)
            if not line:
                self._ended(process, first)
                raise Unmatched(
                    f"The pattern took longer than {self._limit:g} s on this response, which has"
                    f" {len(text):,} characters. {_ADVICE}"
                )
            span = json.loads(line)
            if span is None:
                return Found()
            line = _line(process)
            if not line:
                self._ended(process, others)
                return Found(1, (tuple(span),), more=True)
            hits, spans, more = json.loads(line)
            return Found(hits, tuple(tuple(span) for span in spans), more)

    def close(self) -> None:
        """Ends the process; the next text begins another."""
        with self._lock:
            if self._process is not None:
                _end(self._process)
            self._process = None

    def _is_given_up(self, key: _Key) -> bool:
        slow = self._slow.get(key, _Slow())
        return slow.times >= STRIKES and time.monotonic() < slow.at + REST

    def _running(self) -> "subprocess.Popen[bytes]":
        """The process that matches; its own standard library and nothing of this program."""
        if self._process is None:
            command = [sys.executable, "-I", "-S", str(_WORKER)]
            self._process = subprocess.Popen(  # noqa: S603 - a program of ours
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl+C is not for it
            )
        return self._process

    def _ended(self, process: "subprocess.Popen[bytes]", key: _Key) -> None:
        """Counts that the process ended; raises Unmatched where its timer was not the reason."""
        self._process = None
        _end(process)
        if process.returncode != -signal.SIGALRM:
            code = process.returncode
            raise Unmatched(f"The process that matches patterns broke off (code {code}).")
        self._slow[key] = _Slow(self._slow.get(key, _Slow()).times + 1, time.monotonic())


def _send(process: "subprocess.Popen[bytes]", request: list[Any]) -> None:
    stdin = cast("IO[bytes]", process.stdin)
    with suppress(BrokenPipeError):  # it has ended, as reading from it will tell
        stdin.write(json.dumps(request).encode() + b"\n")
        stdin.flush()


def _line(process: "subprocess.Popen[bytes]") -> bytes:
    """The next line that it says; nothing once it has ended."""
    line = cast("IO[bytes]", process.stdout).readline()
    return line if line.endswith(b"\n") else b""


def _end(process: "subprocess.Popen[bytes]") -> None:
    with suppress(BrokenPipeError), process:
        pass  # leaving closes its pipes, at which it ends, and waits for that


@cache
def matcher() -> Matcher:
    """The one that all cells of this program are matched by; its process ends with the program."""
    shared = Matcher()
    atexit.register(shared.close)
    return shared
