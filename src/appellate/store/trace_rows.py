"""What traces say, kept a second time: as queries look for words in it, as the queue shows it, and
as others that answer the same question are found.

A row of `texts` is of many traces that follow one another. What they say stands in columns, in
folded case, one text behind another, so that looking for a word is one search in a long string of
bytes. A row of `heads` is of one trace, a row of `asked` the fingerprint of what it was asked.
"""

import re
import sqlite3
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import blake2b
from itertools import count
from typing import Any

from appellate.core import messages
from appellate.query.language import Query, Term, like
from appellate.store import metadata_rows

BLOCK = 256
"""Traces to a row."""
_HEAD = 160  # characters of a question that a line of the queue may have room for
_LARGE = 1 << 20  # characters after which a row ends though it has fewer
_UNKNOWN = 2
END = b"\xff"
"""Stands behind each text of a column, and in no text: UTF-8 has no such byte."""
COLUMNS = ("ids", "models", "question_ids", "questions", "responses")
Columns = Mapping[str, bytes]
"""Texts of the same traces by what they are; `question_ids` are of those whose question is the
rubric's, and empty for others."""
_READ = {
    "": ("ids", "question_ids", "questions", "responses"),
    "text": ("responses",),
    "question": ("question_ids", "questions"),
    "model": ("models",),
}
_Look = Callable[[bytes, bytes], Iterator[int]]
_SHORT = 6  # bytes: CPython looks for longer words faster than a pattern does, for shorter ones not


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


# -- words -----------------------------------------------------------------------------------------


def columns(traces: Iterable[Mapping[str, Any]]) -> dict[str, bytes]:
    """What some traces say, by the names of `COLUMNS`."""
    values = [_wording(trace) for trace in traces]
    return {name: b"".join(texts[at] + END for texts in values) for at, name in enumerate(COLUMNS)}


def _wording(trace: Mapping[str, Any]) -> tuple[bytes, ...]:
    question, question_id = trace.get("question"), None
    if question is None:
        question_id = trace.get("question_id")
    return (
        folded(trace["id"]),
        _bytes(trace.get("model") or ""),
        _bytes(question_id or ""),
        folded(question or ""),
        folded(trace.get("response", "")),
    )


def folded(text: str) -> bytes:
    """A text as words are looked for in it: in any case."""
    return _bytes(text.casefold())


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def models(db: sqlite3.Connection) -> set[str]:
    """Everybody who wrote a response."""
    found: set[bytes] = set()
    for (names,) in db.execute("SELECT models FROM texts"):
        found.update(names.split(END))
    return {name.decode(errors="surrogatepass") for name in found if name}


class WordsTest:
    """Which traces say what a query asks for."""

    def __init__(self, query: Query, questions: Mapping[str, str]) -> None:
        """`questions` are the rubric's, by id, which traces need not repeat."""
        terms = [term for term in query.terms if term.field.name in _READ]
        self._terms = sorted(terms, key=_effort)
        self._questions = {_bytes(name): folded(text) for name, text in questions.items()}
        asked: set[str] = set()
        for term in terms:
            asked.update(_READ[term.field.name])
        self.columns = sorted(asked, key=COLUMNS.index)
        """What it reads; nothing where the query asks for nothing that a trace says."""

    def __call__(self, count: int, fields: Columns) -> bytes:
        """For each of so many traces, in order, 1 where all terms hold and 0 elsewhere."""
        left = set(range(count))
        for term in self._terms:
            look: _Look = _holding
            if len(left) < count:
                look = partial(_holding_among, left)
            found = set(self._places(term, fields, look))
            if term.negated:
                left -= found
            else:
                left &= found
            if not left:
                break
        mask = bytearray(count)
        for place in left:
            mask[place] = 1
        return bytes(mask)

    def _places(self, term: Term, fields: Columns, look: _Look) -> Iterator[int]:
        """The traces for which a term holds, its sign left aside, counted from 0."""
        name = term.field.name
        if name == "model":
            yield from _named(term.values, fields["models"])
            return
        for word in map(folded, term.values):
            for column in ("ids", "questions", "responses"):
                if column in _READ[name]:
                    yield from look(fields[column], word)
            if name != "text":
                yield from self._asked(word, fields["question_ids"])

    def _asked(self, word: bytes, question_ids: bytes) -> Iterator[int]:
        """Those whose question, in the rubric, holds a word."""
        names = {name for name, text in self._questions.items() if word in text}
        if names:
            for place, name in enumerate(question_ids.split(END)):
                if name in names:
                    yield place


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


def _effort(term: Term) -> tuple[bool, int]:
    """What is read fast comes before responses, and long words, which fewer say, before short."""
    return "responses" in _READ[term.field.name], -min(map(len, term.values))


def _named(patterns: Iterable[str], models: bytes) -> Iterator[int]:
    known = list(map(_name_test, patterns))
    for place, model in enumerate(models.split(END)):
        if model and any(is_so(model) for is_so in known):
            yield place


@cache
def _name_test(pattern: str) -> Callable[[bytes], bool]:
    is_like = like(pattern)
    return cache(lambda name: is_like(name.decode(errors="surrogatepass")))


def _holding(column: bytes, word: bytes) -> Iterator[int]:
    """The places of the texts that hold a word."""
    find = _finder(word)
    found = find(column, 0)
    if found < 0:
        return
    ends = _ends(column)
    while found >= 0:
        place = bisect(ends, found)
        yield place
        found = find(column, ends[place])


def _holding_among(places: Iterable[int], column: bytes, word: bytes) -> Iterator[int]:
    """The same, of these places; no other text is looked at."""
    ends = [*_ends(column), -1]
    for place in places:
        if column.find(word, ends[place - 1] + 1, ends[place]) >= 0:
            yield place


def _ends(column: bytes) -> list[int]:
    found = [column.find(END)]
    while found[-1] >= 0:
        found.append(column.find(END, found[-1] + 1))
    return found[:-1]


@cache
def _finder(word: bytes) -> Callable[[bytes, int], int]:
    """Where a word begins in a column, from a place on; -1 where it is not there."""
    if len(word) >= _SHORT:
        return lambda column, start: column.find(word, start)
    search = re.compile(re.escape(word)).search

    def found(column: bytes, start: int) -> int:
        if match := search(column, start):
            return match.start()
        return -1

    return found
