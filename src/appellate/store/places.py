"""Places in a workspace that one goes to: bookmarks, and traces by a part of their id."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from appellate.traits.rubric import Rubric

_LAST = "\U0010ffff"
_DIGITS = 18  # of the longest number that SQLite surely holds


class TracePlace(NamedTuple):
    """A trace one may go to, and what was asked there, if that is known."""

    no: int
    id: str
    epoch: int
    question: str | None


def bookmarks(db: sqlite3.Connection, by: str) -> list[int]:
    """The cells a reviewer bookmarked, by number."""
    return [cell for (cell,) in db.execute("SELECT cell FROM bookmarks WHERE by = ? ORDER BY cell", (by,))]


def set_bookmark(db: sqlite3.Connection, by: str, cell: int, on: bool) -> None:
    sql = "INSERT OR IGNORE INTO bookmarks VALUES (?, ?)" if on else "DELETE FROM bookmarks WHERE by = ? AND cell = ?"
    db.execute(sql, (by, cell))


def traces_like(db: sqlite3.Connection, rubric: Rubric, text: str, limit: int) -> list[TracePlace]:
    """Traces for what was typed: the one of that number, id or name, then ids that begin with it, then that hold it."""
    found: dict[int, TracePlace] = {}
    for sql, values in _looks(text.strip()):
        if len(found) < limit:
            rows = db.execute(f"SELECT no, id, epoch FROM traces WHERE {sql} LIMIT ?", (*values, limit))  # noqa: S608
            found |= {no: TracePlace(no, name, epoch, None) for no, name, epoch in rows.fetchall() if no not in found}
    return [place._replace(question=_question(db, rubric, place.no)) for place in list(found.values())[:limit]]


def _looks(text: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Conditions, the closest first; a name is an id with its epoch, `#2` the second trace."""
    if not text:
        yield "no > 0 ORDER BY no", ()
        return
    number = text.removeprefix("#")
    if number.isdecimal() and len(number) <= _DIGITS:
        yield "no = ?", (int(number),)
    yield "id = ? ORDER BY epoch", (text,)
    name, mark, epoch = text.rpartition("#")
    if mark:
        yield "id = ? AND instr(epoch, ?) = 1 ORDER BY epoch", (name, epoch)
    yield "id >= ?1 AND id < ?2 ORDER BY id, epoch", (text, text + _LAST)
    yield "instr(lower(id), lower(?))", (text,)


def _question(db: sqlite3.Connection, rubric: Rubric, no: int) -> str | None:
    (told,) = db.execute("SELECT body FROM traces WHERE no = ?", (no,)).fetchone()
    body = json.loads(told)
    question = rubric.questions_by_id.get(body.get("question_id"))
    asked: str | None = body.get("question", question and question.question)
    return asked
