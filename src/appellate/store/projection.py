"""What is derived from a cell's facts and kept beside them: its row, its part of the sums."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from appellate.core.cell import Cell, round_of
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Figures
from appellate.core.members import answered, missing
from appellate.core.totals import SIGNED_OFF, Sides, contribution, difference, hits, sides


def add_cells(db: sqlite3.Connection, cells: Sequence[tuple[int, Cell]]) -> None:
    """Cells to which nothing has happened yet, each with the number of its trace."""
    db.executemany(
        "INSERT INTO cells (trace, trait, kind, state, flag, breaches, unverified, figures, suspect)"
        " VALUES (?, ?, ?, 'pending', 0, 0, 0, '', -1)",
        [(trace_no, cell.subject.trait.name, cell.subject.kind.name) for trace_no, cell in cells],
    )
    sums: dict[str, Counter[str]] = {}
    for _, cell in cells:
        sums.setdefault(cell.subject.trait.name, Counter()).update(contribution(cell))
    for trait, added in sums.items():
        _total(db, trait, added)


def project(db: sqlite3.Connection, number: int, before: Cell, after: Cell) -> None:
    """Everything derived from a cell, after it changed."""
    db.execute(
        "UPDATE cells SET state = ?, flag = ?, outdated = ?, example = ? WHERE no = ?",
        (after.state, after.flag, after.outdated, after.example, number),
    )
    if after.labels is not before.labels:
        _keep_checks(db, number, after)
    if after.judged is not before.judged:
        _keep_judged(db, number, after)
    _total(db, after.subject.trait.name, difference(contribution(before), contribution(after)))
    if _moved(before, after):
        keep_figures(db, number, after, sides(after))
        keep_hits(db, before, after)


def _moved(before: Cell, after: Cell) -> bool:
    """Whether anything changed that figures and the hit list are made of."""
    told = ("labels", "judged", "failure", "example")
    return any(getattr(after, name) is not getattr(before, name) for name in told)


def _keep_checks(db: sqlite3.Connection, number: int, cell: Cell) -> None:
    """How many instructions are amiss in the ledger, and excerpts not found in the response."""
    unverified = 0 if cell.labels is None else cell.subject.kind.unverified(cell.labels)
    values = (len(cell.breaches()), unverified, number)
    db.execute("UPDATE cells SET breaches = ?, unverified = ? WHERE no = ?", values)


def _keep_judged(db: sqlite3.Connection, number: int, cell: Cell) -> None:
    """The round of the latest proposal, and how much its panel disagreed."""
    subject, judge = cell.subject, cell.judge.judge if cell.judge else {}
    tables = [member.table for member in answered(judge)]
    disagreement = subject.kind.disagreement(subject.trait, subject.response, tables) if tables else None
    values = (max(cell.round, *map(_round_of, cell.rounds), 0), disagreement, number)
    db.execute("UPDATE cells SET round = ?, disagreement = ? WHERE no = ?", values)


def _round_of(fact: Fact) -> int:
    return round_of(fact.what) if isinstance(fact.what, Proposed) else 0


def add_signed(db: sqlite3.Connection, cell: Cell) -> None:
    """What a cell adds to the sides of signed cells, to totals that have the other sides already."""
    added = difference(Counter(), contribution(cell))
    own = {key: by for key, by in added.items() if key.partition(":")[0] in SIGNED_OFF}
    _total(db, cell.subject.trait.name, own)


def _total(db: sqlite3.Connection, trait: str, difference: Mapping[str, int]) -> None:
    everywhere = {key: by for key, by in difference.items() if ":" not in key or key.startswith("state:")}
    rows = [(trait, key, by) for key, by in difference.items()] + [("", k, v) for k, v in everywhere.items()]
    db.executemany(
        "INSERT INTO totals VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value",
        rows,
    )


def keep_figures(db: sqlite3.Connection, number: int, cell: Cell, measured: Sides) -> None:
    """The figures of a cell that queries and plots read, and its last requested metric."""
    values = (_headline(measured[0]), _figures(cell, measured), number)
    db.execute("UPDATE cells SET headline = ?, figures = ? WHERE no = ?", values)


def _figures(cell: Cell, measured: Sides) -> str:
    """As JSON: "standing" and "judge" metrics (null: 0/0), "counts" of the labels, "by", the judge's
    names, and how many judges of its panel are "absent".
    """
    told: dict[str, Any] = {}
    for side, found in zip(("standing", "judge"), measured, strict=True):
        if found:
            told[side] = {name: None if name in found.undefined else value for name, value in found.values.items()}
    if measured[0]:
        told["counts"] = measured[0].counts
    last = cell.judge or cell.error
    names = [last.judge[key] for key in ("name", "model") if last.judge.get(key)] if last else []
    absent = missing(cell.judge.judge) if cell.judge else 0
    told |= {"absent": absent} if absent else {}
    return json.dumps(told | ({"by": names} if names else {}), ensure_ascii=False)


def _headline(figures: Figures | None) -> float | None:
    name = next(reversed(figures.values), None) if figures else None
    return None if figures is None or name is None or name in figures.undefined else figures.values[name]


def keep_hits(db: sqlite3.Connection, before: Cell, after: Cell) -> None:
    """The hit list, by the difference that a change of one cell makes."""
    rows: dict[tuple[str, str], dict[str, int]] = {}
    for (of, instruction, column), by in difference(hits(before), hits(after)).items():
        rows.setdefault((of, instruction), {})[column] = by
    columns = ("found", "missing", "overruled", "cells")
    trait = after.subject.trait.name
    db.executemany(
        "INSERT INTO hits VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " found = found + excluded.found, missing = missing + excluded.missing,"
        " overruled = overruled + excluded.overruled, cells = cells + excluded.cells",
        [(trait, *key, *(by.get(column, 0) for column in columns)) for key, by in rows.items()],
    )
