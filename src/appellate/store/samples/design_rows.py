"""The facts of an audit as a whole: rows of `facts` that belong to cell 0."""

import json
import sqlite3
from typing import NamedTuple

from appellate.core.agreement import Reasons
from appellate.core.design_facts import (
    DesignEvent,
    DesignFact,
    Sample,
    Sampled,
    Withdrawn,
    from_body,
    reasons_of,
    sample_of,
    to_body,
)
from appellate.store.database import Database, to_json

WHOLE = 0
"""The cell of a fact that is about none."""


class SamplePlace(NamedTuple):
    """Which of the units drawn a trace is of, in the order of the draw, 1-based; None for one
    outside the sample.
    """

    unit: int | None
    of: int

    @property
    def describe(self) -> str:
        if self.unit is None:
            return "outside the sample"
        return f"sample {self.unit}/{self.of}"


class DesignFacts:
    """What happened to the audit of an open workspace as a whole."""

    def __init__(self, file: Database) -> None:
        self._file = file

    def facts(self) -> list[DesignFact]:
        """All of it, in order."""
        return facts_in(self._file.db)

    def sample(self) -> Sample | None:
        """All that is drawn at random, if anything is."""
        return sample_of(self.facts())

    def place(self, trace_no: int) -> SamplePlace | None:
        """Where a trace stands in the sample; None where there is no sample."""
        last = "SELECT unit FROM drawn ORDER BY place DESC LIMIT 1"  # numbered as they are drawn
        sql = f"SELECT ({last}), (SELECT unit FROM drawn WHERE trace = ?)"  # noqa: S608
        of, unit = self._file.db.execute(sql, (trace_no,)).fetchone()
        if of is None:
            return None
        return SamplePlace(unit, of)

    def append(self, what: DesignEvent, at: str, by: str) -> DesignFact:
        """Keeps one more, durably; `at` is UTC, ISO 8601."""
        with self._file.transaction():
            n = self._file.number("SELECT ifnull(max(n), 0) + 1 FROM facts")
            fact = DesignFact(n, at, by, what)
            self.insert(fact)
        return fact

    def insert(self, fact: DesignFact) -> None:
        """Keeps a fact under its own number."""
        name, body = to_body(fact.what)
        row = (fact.n, WHOLE, fact.at, fact.by, name, to_json(body))
        self._file.db.execute("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, NULL)", row)
        keep_drawn(self._file.db, fact.what)

    def drawn(self) -> list[int]:
        """The traces of the sample, by number, in the order drawn."""
        return self._file.column("SELECT trace FROM drawn ORDER BY place")


def keep_drawn(db: sqlite3.Connection, what: DesignEvent) -> None:
    """Keeps the traces that were drawn, after those drawn before; or that none is any more."""
    if isinstance(what, Withdrawn):
        db.execute("DELETE FROM drawn")
    if not isinstance(what, Sampled):
        return
    strata = [stratum["name"] for stratum in what.strata]
    (last,) = db.execute("SELECT ifnull(max(unit), 0) FROM drawn").fetchone()
    sql = (
        "INSERT INTO drawn (trace, unit, stratum)"
        " SELECT no, ?, ? FROM traces WHERE id = ? AND epoch = ?"
    )
    for unit, one in enumerate(what.drawn, last + 1):
        stratum = strata.index(one["stratum"])
        for trace_id, epoch in one["traces"]:
            db.execute(sql, (unit, stratum, trace_id, epoch))


def facts_in(db: sqlite3.Connection) -> list[DesignFact]:
    """What happened to an audit as a whole, by any connection."""
    sql = "SELECT n, at, by, name, body FROM facts WHERE cell = ? ORDER BY n"
    return [
        DesignFact(n, at, by, from_body(name, json.loads(body)))
        for n, at, by, name, body in db.execute(sql, (WHOLE,))
    ]


def reasons_in(db: sqlite3.Connection) -> Reasons:
    """Why nothing but counts is shown of answers to the cells of the sample, if so."""
    return reasons_of(sample_of(facts_in(db)))
