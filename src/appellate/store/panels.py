"""How the members of panels agree, from the workspace: cells drawn by lot are folded, for their
tables are in the facts alone. By a connection of its own: for a thread.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from appellate.core.cell import Cell, fold
from appellate.core.kind import Subject
from appellate.core.panel_agreement import PanelAgreement, PanelCounts
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace
from appellate.store import meta
from appellate.store.database import reading
from appellate.store.fact_rows import fact_of
from appellate.store.samples.design_rows import reasons_in
from appellate.store.tables import earlier_traits
from appellate.traits.rubric import Rubric

MOST = 1_000
"""Cells of a trait that are read: what they come to hardly changes with more."""
_BY_LOT = (
    "SELECT c.no, t.body FROM cells c JOIN traces t ON t.no = c.trace WHERE c.trait = ?"
    " AND c.disagreement IS NOT NULL AND NOT c.example ORDER BY c.lot, c.no LIMIT ?"
)


def panels(path: Path, on_progress: OnProgress = ignore_progress) -> dict[str, PanelAgreement]:
    """Of each trait that a panel judged; hidden cells are in none. `on_progress` is called after
    every cell, and may raise to have it stop.
    """
    found: dict[str, PanelAgreement] = {}
    with reading(path) as db:
        judged = "SELECT DISTINCT trait FROM cells WHERE disagreement IS NOT NULL"
        for (trait,) in db.execute(judged).fetchall():
            counts = PanelCounts()
            for done, cell in enumerate(_cells(db, trait), 1):
                counts.add(cell)
                on_progress(done, None)
            agreement = counts.agreement(reasons_in(db))
            if agreement is not None:
                found[trait] = agreement
    return found


def _cells(db: sqlite3.Connection, trait: str) -> Iterator[Cell]:
    (value,) = db.execute("SELECT value FROM meta WHERE key = ?", (meta.RUBRIC,)).fetchone()
    rubric, earlier = Rubric.model_validate_json(value), earlier_traits(db)
    for number, body in db.execute(_BY_LOT, (trait, MOST)):
        trace = Trace.model_validate(json.loads(body))
        known = rubric.traits_of(trace)[trait]
        sql = "SELECT n, at, by, name, body, part_of FROM facts WHERE cell = ? ORDER BY n"
        facts = [fact_of(*row) for row in db.execute(sql, (number,))]
        yield fold(Subject(known.kind, known.trait, trace, earlier), facts)
