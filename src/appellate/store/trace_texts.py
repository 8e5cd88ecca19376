"""What traces say, kept a second time: as queries look for words in it, and as the queue shows it.

A row of `texts` holds the columns of `query.words` of many traces that follow one another: to look
through all of them reads nothing else, and parses nothing. A row of `heads` is of one trace.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from appellate.core.turns import asked, parted
from appellate.query.words import END, WordsTest, columns

BLOCK = 256
"""Traces to a row."""
_HEAD = 160  # characters of a question that a line of the queue may have room for
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
    fields = columns(traces)
    names = ", ".join(fields)
    marks = ", ".join("?" * len(fields))
    # the names are those of COLUMNS
    sql = f"INSERT INTO texts (first, last, {names}) VALUES (?, ?, {marks})"  # noqa: S608
    db.execute(sql, (first, first + len(traces) - 1, *fields.values()))


def keep_heads(db: sqlite3.Connection, first: int, traces: Iterable[Mapping[str, Any]]) -> None:
    """Keeps what the queue says of some new traces."""
    heads = map(_head, count(first), traces)
    db.executemany("INSERT INTO heads VALUES (?, ?, ?, ?)", heads)


def _head(number: int, trace: Mapping[str, Any]) -> tuple[int, str, str, str]:
    """Who answered and what was asked, in one line; else the rubric's question that it was."""
    model, question = trace.get("model") or "", trace.get("question")
    if question is None:
        return number, model, "", trace.get("question_id") or ""
    return number, model, beginning(question), ""


def beginning(question: str) -> str:
    """What was asked, of a conversation what was asked last, in one line and not to its end."""
    prompt = asked(parted(question))
    text = prompt.newest.text if prompt else ""
    return " ".join(text[: 2 * _HEAD].split())[:_HEAD]


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
    (newest,) = db.execute("SELECT ifnull(max(last), 0) FROM texts").fetchone()
    known: bytearray = bytearray([_UNKNOWN]) * (newest + 1)
    names = ", ".join(test.columns)
    holding = "first <= ? ORDER BY first DESC LIMIT 1"
    row = f"SELECT first, last, {names} FROM texts WHERE {holding}"  # noqa: S608 - as above

    def answer(trace: int) -> bool:
        if known[trace] != _UNKNOWN:
            return known[trace] == 1
        first, last, *value = db.execute(row, (trace,)).fetchone()
        found = test(last + 1 - first, dict(zip(test.columns, value, strict=True)))
        known[first : last + 1] = found
        return known[trace] == 1

    return answer
