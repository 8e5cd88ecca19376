"""What traces say, kept a second time as queries look for words in it: many traces to a row.

A row holds the columns of `query.words` of some traces that follow one another. To look through all
of them reads nothing else, and parses nothing.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from appellate.query.words import END, WordsTest, columns

BLOCK = 256
"""Traces to a row."""
_LARGE = 1 << 20  # characters after which a row ends though it has fewer
_UNKNOWN = 2


def keep(db: sqlite3.Connection, first: int, traces: Iterable[Mapping[str, Any]]) -> None:
    """Keeps what some new traces say, as their JSON has it; `first` is the number of the first."""
    block: list[Mapping[str, Any]] = []
    size = 0
    for trace in traces:
        block.append(trace)
        size += len(trace.get("response", "")) + len(trace.get("question") or "")
        if len(block) == BLOCK or size > _LARGE:
            _keep(db, first, block)
            first, block, size = first + len(block), [], 0
    if block:
        _keep(db, first, block)


def _keep(db: sqlite3.Connection, first: int, traces: Sequence[Mapping[str, Any]]) -> None:
    said = columns(traces)
    names = ", ".join(said)
    marks = ", ".join("?" * len(said))
    # the names are those of COLUMNS
    sql = f"INSERT INTO texts (first, last, {names}) VALUES (?, ?, {marks})"  # noqa: S608
    db.execute(sql, (first, first + len(traces) - 1, *said.values()))


def models(db: sqlite3.Connection) -> set[str]:
    """Everybody who wrote a response."""
    found: set[bytes] = set()
    for (names,) in db.execute("SELECT models FROM texts"):
        found.update(names.split(END))
    return {name.decode(errors="surrogatepass") for name in found if name}


def answers(db: sqlite3.Connection, test: WordsTest) -> Callable[[int], bool]:
    """Whether a trace, by its number, says what a query asks for.

    A row is looked through when the first of its traces is asked for.
    """
    (count,) = db.execute("SELECT ifnull(max(last), 0) FROM texts").fetchone()
    known: bytearray = bytearray([_UNKNOWN]) * (count + 1)
    names = ", ".join(test.columns)
    newest = "first <= ? ORDER BY first DESC LIMIT 1"
    row = f"SELECT first, last, {names} FROM texts WHERE {newest}"  # noqa: S608 - as above

    def answer(trace: int) -> bool:
        if known[trace] != _UNKNOWN:
            return known[trace] == 1
        first, last, *said = db.execute(row, (trace,)).fetchone()
        found = test(last + 1 - first, dict(zip(test.columns, said, strict=True)))
        known[first : last + 1] = found
        return known[trace] == 1

    return answer
