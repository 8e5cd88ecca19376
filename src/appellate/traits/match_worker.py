"""The program of the process that matches: Python's `re`, and a timer that ends the process.

It is run as a script, not imported. Each line of its input is one request, a JSON list: the
pattern, the flags of `re`, the text, how many matches to count at most, and the seconds of
computing until the first match (or until it is known that there is none) and for the others. Its
answer is one line where nothing matches (`null`), else two: the offsets of the first match and of
its groups (`null` for one that took no part) at once, then how many there are, the offsets of those
that are listed, and whether counting ended before the text did. The kernel's timer ends it in the
midst of a match, as no thread of Python could: whoever reads its output finds the end of it.
Windows has no such timer: whoever waits ends it there.
"""

import json
import re
import signal
import sys
from itertools import islice
from typing import IO

LISTED = 100
"""The largest number of matches that are listed with their offsets; more are only counted."""


def answer(line: bytes, out: IO[bytes]) -> None:
    """Answer one request, a JSON list, by writing one or two JSON lines to `out`.

    The request is [pattern, flags of `re`, text, most matches, limit, limit for the others], with
    limits in seconds. The first line is null without a match, and then the only one. Otherwise it
    has the first match's [start, end], then that of each group, null for one that took no part. It
    is written at once; the second line is [count, at most `LISTED` spans, whether the count is the
    most].

    The kernel ends the process if a limit is passed. Raises re.error for a pattern that does not
    compile.
    """
    pattern, flags, text, most, limit, counting = json.loads(line)
    _end_after(limit)
    matches = re.compile(pattern, flags).finditer(text)
    first = next(matches, None)
    if first is None:
        _end_after(0)
        _say(None, out)
        return
    _end_after(counting)
    # of the whole, then of each group
    groups: list[tuple[int, int] | None] = [first.span()]
    for number, group_text in enumerate(first.groups(), 1):
        groups.append(None if group_text is None else first.span(number))
    _say(groups, out)
    spans = [first.span()]
    hits = 1
    for match in islice(matches, most - 1):
        hits += 1
        if len(spans) < LISTED:
            spans.append(match.span())
    _end_after(0)
    _say([hits, spans, hits == most], out)


def _end_after(seconds: float) -> None:
    """Let the kernel end the process after so many seconds of computing; 0 takes that back.

    On Windows nothing is done.
    """
    if sys.platform != "win32":  # pragma: no branch - Windows has no such timer
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _say(value: object, out: IO[bytes]) -> None:
    """Write a value as a line of JSON, at once."""
    out.write(json.dumps(value).encode() + b"\n")
    out.flush()


if __name__ == "__main__":  # pragma: no cover - in a process of its own
    if sys.platform != "win32":
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for request in sys.stdin.buffer:
        answer(request, sys.stdout.buffer)
