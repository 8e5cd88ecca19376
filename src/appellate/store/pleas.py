"""How many passages of a trace seem to speak to the judge: looked for where a model is asked, or a person looks.

It takes a while for each text, and most audits never ask: so it is no part of reading the traces.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping

from appellate.core.suspicion import attempts


def unseen(db: sqlite3.Connection, after: int = 0, count: int = -1) -> list[int]:
    """The next traces that nobody has looked at yet; all of them where no count is given."""
    sql = "SELECT DISTINCT trace FROM cells WHERE suspect < 0 AND trace > ? ORDER BY trace LIMIT ?"
    return [trace for (trace,) in db.execute(sql, (after, count))]


def unseen_of(db: sqlite3.Connection, cells: Iterable[int]) -> list[int]:
    """The traces of these cells that nobody has looked at yet."""
    wanted = list(cells)
    marks = ", ".join("?" * len(wanted))
    found = db.execute(f"SELECT DISTINCT trace FROM cells WHERE no IN ({marks}) AND suspect < 0", wanted)  # noqa: S608
    return [trace for (trace,) in found]


def counted(db: sqlite3.Connection, traces: Iterable[int]) -> dict[int, int]:
    """How many passages of each of these traces speak to the judge."""
    found = {}
    for trace in traces:
        (told,) = db.execute("SELECT body FROM traces WHERE no = ?", (trace,)).fetchone()
        body = json.loads(told)
        found[trace] = len(attempts(body.get("response", ""))) + len(attempts(body.get("question", "")))
    return found


def keep(db: sqlite3.Connection, found: Mapping[int, int]) -> None:
    db.executemany("UPDATE cells SET suspect = ? WHERE trace = ?", [(count, trace) for trace, count in found.items()])
