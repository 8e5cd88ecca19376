"""What reviewers did, read back from the workspace: undo, the history screen, pace and the session's summary."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from appellate.core.facts import Corrected, Flagged, What, from_row


class ActRow(NamedTuple):
    """One act as the history shows it; `undone` is whether it was taken back and not done again."""

    n: int
    at: str
    cell: int
    trace_id: str
    epoch: int
    trait: str
    kind: str
    undone: bool
    what: What


def acts(db: sqlite3.Connection, by: str, start: int, count: int) -> list[ActRow]:
    """What a reviewer did, newest first."""
    found = db.execute(
        "SELECT a.n, f.at, a.cell, t.id, t.epoch, c.trait, c.kind, a.undone IS NOT NULL, f.name, f.body FROM acts a"
        " JOIN facts f ON f.n = a.n JOIN cells c ON c.no = a.cell JOIN traces t ON t.no = c.trace"
        " WHERE a.by = ? ORDER BY a.n DESC LIMIT ? OFFSET ?",
        (by, count, start),
    )
    return [
        ActRow(n, at, cell, trace_id, epoch, trait, kind, bool(undone), from_row(name, json.loads(body)))
        for n, at, cell, trace_id, epoch, trait, kind, undone, name, body in found
    ]


def count_acts(db: sqlite3.Connection, by: str) -> int:
    """How many acts a reviewer ever did, undone ones among them."""
    return int(db.execute("SELECT count(*) FROM acts WHERE by = ?", (by,)).fetchone()[0])


def tally_since(db: sqlite3.Connection, n: int, by: str) -> dict[str, int]:
    """How often a reviewer did what after fact `n`, of what still stands; "undone" is what was taken back since.

    Acts are counted by name ("corrected", "signed_off", "flagged", "unflagged", "commented"), corrections
    also by kind ("move:tp→fp", "drop:fn", …), and "cells" is how many cells they touched.
    """
    tally: Counter[str] = Counter()
    cells: set[int] = set()
    for cell, name, what in _standing_since(db, n, by):
        cells.add(cell)
        tally.update(_told(name, what))
    (undone,) = db.execute("SELECT count(*) FROM acts WHERE by = ? AND undone > ?", (by, n)).fetchone()
    counted = {"cells": len(cells), **tally, "undone": int(undone)}
    return {name: times for name, times in counted.items() if times}


def _standing_since(db: sqlite3.Connection, n: int, by: str) -> Iterator[tuple[int, str, What]]:
    found = db.execute(
        "SELECT a.cell, f.name, f.body FROM acts a JOIN facts f ON f.n = a.n"
        " WHERE a.by = ? AND a.n > ? AND a.undone IS NULL ORDER BY a.n",
        (by, n),
    )
    for cell, name, body in found:
        yield cell, name, from_row(name, json.loads(body))


def _told(name: str, what: What) -> list[str]:
    match what:
        case Corrected(edit):
            to = f"→{edit.get('to', '')}" if edit.get("action") == "move" else ""
            return [name, f"{edit.get('action', '')}:{edit.get('bucket', '')}{to}"]
        case Flagged(on):
            return [name if on else "unflagged"]
        case _:
            return [name]


def sign_offs(db: sqlite3.Connection, by: str, limit: int) -> list[str]:
    """When a reviewer signed off last, newest first, ISO 8601; undone sign-offs are left out."""
    found = db.execute(
        "SELECT f.at FROM acts a JOIN facts f ON f.n = a.n"
        " WHERE a.name = 'signed_off' AND a.by = ? AND a.undone IS NULL ORDER BY a.n DESC LIMIT ?",
        (by, limit),
    )
    return [at for (at,) in found]
