"""The traces of a workspace, finding one by a part of its name, and others that answer the same
question.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from appellate.core.trace import Trace
from appellate.store.database import Database, from_json
from appellate.store.trace_rows import fingerprint
from appellate.traits.rubric import Rubric

_LAST = "\U0010ffff"
_DIGITS = 18  # of the longest number that SQLite surely holds
NEAR = 12
"""Traces on either side, in the order loaded, that are looked at for other answers; and epochs."""
_OTHERS = """
SELECT c.no, t.no, t.body FROM cells c INDEXED BY cells_by_trace JOIN traces t ON t.no = c.trace
WHERE c.trace IN (
    SELECT * FROM (SELECT trace FROM asked WHERE question = :question AND trace > :trace
      ORDER BY trace LIMIT :near)
    UNION SELECT * FROM (SELECT trace FROM asked WHERE question = :question AND trace < :trace
      ORDER BY trace DESC LIMIT :near)
    UNION SELECT * FROM (SELECT no FROM traces WHERE id = :id ORDER BY epoch LIMIT :near))
  AND c.no <> :cell
  AND (c.trait, c.checklist) = (SELECT trait, checklist FROM cells WHERE no = :cell)
"""


class TracePlace(NamedTuple):
    """A trace one may go to, and what was asked there, if that is known."""

    no: int
    id: str
    epoch: int
    question: str | None


class OtherAnswer(NamedTuple):
    """A cell whose trace answers the same question under the same trait, and that trace."""

    cell: int
    trace_no: int
    trace: Trace


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

    def keys(self) -> list[tuple[int, str, int]]:
        """The number, id and epoch of each."""
        return self._file.db.execute("SELECT no, id, epoch FROM traces ORDER BY no").fetchall()

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

    def other_answers(self, cell: int, trace_no: int, trace: Trace) -> list[OtherAnswer]:
        """Other answers to the question of a cell, under its trait with the same instructions.

        Another model's come first, of them those of the same epoch; then the next epochs.
        """
        wanted = {
            "question": fingerprint(trace.question_id, trace.question),
            "trace": trace_no,
            "id": trace.id,
            "cell": cell,
            "near": NEAR,
        }
        found: list[OtherAnswer] = []
        for number, no, body in self._file.db.execute(_OTHERS, wanted).fetchall():
            found.append(OtherAnswer(number, no, Trace.model_validate(json.loads(body))))

        def distance(one: OtherAnswer) -> tuple[bool, bool, bool, int]:
            other = one.trace
            again = other.model == trace.model, other.epoch != trace.epoch
            return *again, one.trace_no < trace_no, one.trace_no

        return sorted(found, key=distance)

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
        body: dict[str, Any] = from_json(text)
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
