"""The traces of a workspace, and finding one by a part of its name."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from appellate.core.trace import Trace
from appellate.store.database import Database
from appellate.traits.rubric import Rubric

_LAST = "\U0010ffff"
_DIGITS = 18  # of the longest number that SQLite surely holds


class TracePlace(NamedTuple):
    """A trace one may go to, and what was asked there, if that is known."""

    no: int
    id: str
    epoch: int
    question: str | None


class Traces:
    """The traces of an open workspace, numbered from 1 in the order they were loaded."""

    def __init__(self, file: Database) -> None:
        self._file = file

    def count(self) -> int:
        return self._file.number("SELECT ifnull(max(no), 0) FROM traces")

    def get(self, number: int) -> Trace:
        return Trace.model_validate(self._body(number))

    def number(self, key: tuple[str, int]) -> int | None:
        """The trace of an id and an epoch."""
        sql = "SELECT no FROM traces WHERE id = ? AND epoch = ?"
        row = self._file.db.execute(sql, key).fetchone()
        return row[0] if row else None

    def epochs(self, name: str) -> list[int]:
        """The traces of an id, by their epochs."""
        return self._file.column("SELECT no FROM traces WHERE id = ? ORDER BY epoch", name)

    def like(self, rubric: Rubric, text: str, limit: int = 20) -> list[TracePlace]:
        """Traces for what was typed.

        First the one of that number, id or name, then ids that begin with it, then that hold it.
        """
        found: dict[int, TracePlace] = {}
        for condition, values in _conditions(text.strip()):
            if len(found) >= limit:
                break
            sql = f"SELECT no, id, epoch FROM traces WHERE {condition} LIMIT ?"  # noqa: S608
            for no, name, epoch in self._file.db.execute(sql, (*values, limit)).fetchall():
                found.setdefault(no, TracePlace(no, name, epoch, None))
        places = list(found.values())[:limit]
        return [place._replace(question=self._question(rubric, place.no)) for place in places]

    def _question(self, rubric: Rubric, number: int) -> str | None:
        body = self._body(number)
        asked: str | None = body.get("question")
        question = rubric.questions_by_id.get(body.get("question_id", ""))
        if asked is None and question is not None:
            asked = question.question
        return asked

    def _body(self, number: int) -> dict[str, Any]:
        sql = "SELECT body FROM traces WHERE no = ?"
        (text,) = self._file.db.execute(sql, (number,)).fetchone()
        body: dict[str, Any] = json.loads(text)
        return body


def _conditions(text: str) -> Iterator[tuple[str, tuple[object, ...]]]:
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
