"""How many passages of a trace seem to speak to the judge, kept once looked for.

That takes a while: it is done where a model is asked, or a person looks.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from appellate.store.database import Database


def look(file: Database, cells: Iterable[int]) -> None:
    """Look through the traces of these cells for passages to the judge, unless somebody did.

    How many each has is kept, without waiting for the disk. Raises NotKept if the disk refuses.
    """
    cell_nos = list(cells)
    marks = ", ".join("?" * len(cell_nos))
    sql = f"SELECT DISTINCT trace FROM cells WHERE no IN ({marks}) AND suspect < 0"  # noqa: S608
    look_through(file, file.column(sql, *cell_nos))


def look_through(file: Database, traces: Sequence[int]) -> None:
    """Look through traces for passages to the judge, and keep how many each has.

    The disk is not waited for. Raises NotKept, with nothing changed, if it refuses.
    """
    with file.swift_transaction():
        counts = [(passages_in(file.db, trace), trace) for trace in traces]
        file.db.executemany("UPDATE cells SET suspect = ? WHERE trace = ?", counts)


def unseen(db: sqlite3.Connection) -> list[int]:
    """Return the numbers of the traces that nobody has looked through yet, in order."""
    sql = "SELECT DISTINCT trace FROM cells WHERE suspect < 0 ORDER BY trace"
    return [trace for (trace,) in db.execute(sql)]


def addressing(file: Database) -> list[tuple[str, int, str]]:
    """Return the cells whose traces speak to the judge, by trace id, epoch and trait, in order.

    Traces that nobody looked through yet are not among them.
    """
    sql = (
        "SELECT t.id, t.epoch, c.trait FROM cells c JOIN traces t ON t.no = c.trace"
        " WHERE c.suspect > 0 ORDER BY c.no"
    )
    return [(trace, epoch, trait) for trace, epoch, trait in file.db.execute(sql)]


def passages(file: Database, cell: int) -> int:
    """Return how many passages of a cell's trace speak to the judge.

    If nobody looked yet, they are counted now, and the number is not kept.
    """
    sql = "SELECT trace, suspect FROM cells WHERE no = ?"
    trace, count = file.db.execute(sql, (cell,)).fetchone()
    if count < 0:
        return passages_in(file.db, trace)
    return int(count)


def passages_in(db: sqlite3.Connection, trace: int) -> int:
    """Return how many passages of a trace speak to the judge; nothing is kept.

    Both responses of a pair are looked through, the question and the messages.
    """
    from appellate.injection import passages_in_trace  # few traces are looked through

    (text,) = db.execute("SELECT body FROM traces WHERE no = ?", (trace,)).fetchone()
    body = json.loads(text)
    responses = [body.get("response", "")]
    other = body.get("other") or {}
    responses.append(other.get("response", ""))
    question = body.get("question") or ""
    messages = body.get("messages") or ()
    return passages_in_trace("\n\n".join(responses), question, messages)
