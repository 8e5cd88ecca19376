"""A workspace of an earlier version keeps what is made of nothing else; the rest is made anew."""

import json
import sqlite3
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby

from appellate.core.cell import Cell, fold
from appellate.core.kind import Subject
from appellate.core.step_progress import OnProgress
from appellate.core.trace import Trace
from appellate.store import projection, tables, trace_rows
from appellate.store.fact_rows import fact_of
from appellate.store.files.toml import emit
from appellate.store.samples.design_rows import facts_in, keep_drawn
from appellate.traits.kinds import kinds

KEPT = {"meta", "traces", "earlier", "extras", "facts", "acts", "bookmarks", "seen"}
"""The tables that are made of nothing else; of `cells`, which these are and their numbers."""
_CELLS = """
SELECT c.no, c.trace, t.body, c.trait, c.kind, f.n, f.at, f.by, f.name, f.body, f.part_of
FROM old_cells c JOIN traces t ON t.no = c.trace LEFT JOIN facts f ON f.cell = c.no
ORDER BY c.no, f.n
"""
_EXTRAS = {
    ("traces", "toml"): "SELECT no, 0, toml FROM old_traces",
    ("cells", "extra"): "SELECT trace, no, extra FROM old_cells",
    ("judgments", "extra"): (
        "SELECT trace, cell, extra FROM old_judgments JOIN old_cells ON no = cell"
    ),
}
"""Where the keys stood that no version knew, before there were `extras`: table and column."""


def rebuild(db: sqlite3.Connection, on_progress: OnProgress) -> None:
    """One transaction: the file is as it was until all of it is done."""
    try:
        db.execute("BEGIN IMMEDIATE")
        _take_over(db)
        (count,) = db.execute("SELECT count(*) FROM traces").fetchone()
        rows = db.execute("SELECT no, body FROM traces ORDER BY no")
        while batch := rows.fetchmany(trace_rows.AT_ONCE):
            trace_rows.keep(db, batch[0][0], [json.loads(body) for _, body in batch])
            on_progress(batch[-1][0], batch[-1][0] / count / 2)
        _fill_cells(db, lambda done, part: on_progress(done, part and (1 + part) / 2))
        db.execute("DROP TABLE old_cells")
        db.execute("COMMIT")
    except BaseException:
        db.rollback()
        raise


def _take_over(db: sqlite3.Connection) -> None:
    """Makes the tables of today, holding what is kept; `old_cells` stays beside them."""
    sql = "SELECT name FROM sqlite_master WHERE type = ? AND sql IS NOT NULL"
    for (name,) in db.execute(sql, ("index",)).fetchall():
        db.execute(f"DROP INDEX {name}")
    before = {name: _columns(db, name) for (name,) in db.execute(sql, ("table",)).fetchall()}
    with closing(sqlite3.connect(":memory:")) as today:
        tables.create_tables(today)
        stay = {name for name in KEPT if _columns(today, name) == before.get(name)}
    for name in before.keys() - stay:
        db.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
    tables.create_tables(db)
    for name in (before.keys() & KEPT) - stay:
        same = ", ".join(column for column in _columns(db, name) if column in before[name])
        db.execute(f"INSERT INTO {name} ({same}) SELECT {same} FROM old_{name}")  # noqa: S608
    if "name" not in before["acts"]:
        db.execute("UPDATE acts SET name = (SELECT name FROM facts WHERE facts.n = acts.n)")
    for (name, column), rows in _EXTRAS.items():
        if column in before.get(name, ()):
            _keep_unknown(db, db.execute(rows))
    for name in before.keys() - stay - {"cells"}:
        db.execute(f"DROP TABLE old_{name}")


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _keep_unknown(db: sqlite3.Connection, rows: Iterable[tuple[int, int, str]]) -> None:
    """Keeps the unknown keys of traces, among the others in their TOML, or of cells."""
    for trace_no, cell, text in rows:
        keys = tomllib.loads(text)
        for table in keys.get("traces", ()) if cell == 0 else ():
            keys = {key: table[key] for key in table if key not in Trace.model_fields}
        if keys:
            db.execute("INSERT INTO extras VALUES (?, ?, ?)", (trace_no, cell, "".join(emit(keys))))


def _fill_cells(db: sqlite3.Connection, on_progress: OnProgress) -> None:
    (count,) = db.execute("SELECT count(*) FROM old_cells").fetchone()
    sums = projection.Sums()
    for fact in facts_in(db):
        keep_drawn(db, fact.what)
    for number, trace_no, cell in _cells(db):
        projection.add_cells(db, sums, [(trace_no, cell.subject)])
        if cell.facts:
            projection.project(db, sums, number, fold(cell.subject, ()), cell)
        on_progress(trace_no, number / count)
    sums.keep(db)


def _cells(db: sqlite3.Connection) -> Iterator[tuple[int, int, Cell]]:
    """Every cell folded from its facts, behind its number and that of its trace."""
    rubric, earlier = tables.rubric_of(db), tables.earlier_traits(db)
    for number, rows in groupby(db.execute(_CELLS), key=lambda row: row[0]):
        happened = list(rows)
        _, trace_no, body, name, kind = happened[0][:5]
        trace = Trace.model_validate(json.loads(body))
        subject = Subject(kinds()[kind], rubric.traits_of(trace)[name].trait, trace, earlier)
        facts = [fact_of(*row[5:]) for row in happened if row[5] is not None]
        yield number, trace_no, fold(subject, facts)
