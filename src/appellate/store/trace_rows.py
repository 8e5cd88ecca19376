"""What traces say, kept a second time: as queries look for words in it, as the queue shows it, and
as others that answer the same question are found.

A row of `texts` holds the columns of `query.words` of many traces that follow one another: to look
through all of them reads nothing else, and parses nothing. A row of `heads` is of one trace, a row
of `asked` the fingerprint of what it was asked.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import count
from typing import Any

from appellate.core import messages
from appellate.query.words import END, WordsTest, columns
from appellate.store import metadata_rows

BLOCK = 256
"""Traces to a row."""
_HEAD = 160  # characters of a question that a line of the queue may have room for
_LARGE = 1 << 20  # characters after which a row ends though it has fewer
_UNKNOWN = 2


def keep(db: sqlite3.Connection, first: int, traces: Sequence[Mapping[str, Any]]) -> None:
    """Keeps all that is looked for in some new traces, as their JSON has it; `first` is the number
    of the first.
    """
    _keep_texts(db, first, traces)
    db.executemany("INSERT INTO heads VALUES (?, ?, ?, ?)", map(_head, count(first), traces))
    asked: list[tuple[bytes, int]] = []
    for number, trace in enumerate(traces, first):
        if question := fingerprint(trace.get("question_id"), trace.get("question")):
            asked.append((question, number))
    db.executemany("INSERT INTO asked VALUES (?, ?)", asked)
    metadata_rows.keep(db, first, traces)


def _keep_texts(db: sqlite3.Connection, first: int, traces: Iterable[Mapping[str, Any]]) -> None:
    block: list[Mapping[str, Any]] = []
    size = 0
    for trace in traces:
        block.append(trace)
        size += len(trace.get("response", "")) + len(trace.get("question") or "")
        if len(block) == BLOCK or size > _LARGE:
            _keep_block(db, first, block)
            first, block, size = first + len(block), [], 0
    if block:
        _keep_block(db, first, block)


def _keep_block(db: sqlite3.Connection, first: int, traces: Sequence[Mapping[str, Any]]) -> None:
    fields = columns(traces)
    names = ", ".join(fields)
    marks = ", ".join("?" * len(fields))
    # the names are those of COLUMNS
    sql = f"INSERT INTO texts (first, last, {names}) VALUES (?, ?, {marks})"  # noqa: S608
    db.execute(sql, (first, first + len(traces) - 1, *fields.values()))


def _head(number: int, trace: Mapping[str, Any]) -> tuple[int, str, str, str]:
    """Who answered and what was asked, in one line; else the rubric's question that it was."""
    model, question = trace.get("model") or "", trace.get("question")
    if question is None:
        return number, model, "", trace.get("question_id") or ""
    return number, model, beginning(question), ""


def beginning(question: str) -> str:
    """What was asked, of a conversation what was asked last, in one line and not to its end."""
    prompt = messages.asked(messages.parted(question))
    text = prompt.newest.text if prompt else ""
    return " ".join(text[: 2 * _HEAD].split())[:_HEAD]


def fingerprint(question_id: str | None, question: str | None) -> bytes | None:
    """Of the question that a trace answers; None where it says nothing of it."""
    if question_id is not None:
        text = f"id {question_id}"
    elif question:
        text = f"words {question}"
    else:
        return None
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


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
