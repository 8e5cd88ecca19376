"""A trait over all its cells: how instructions are answered, how measures are spread."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from appellate.core.kind import Measure
from appellate.core.totals import SIGNED_OFF, AnswerStats, aside_list
from appellate.store.database import Database, reading

_ASKED = "SELECT of, instruction, overruled, cells FROM instructions WHERE trait = ?"


def answer_stats(file: Database, trait: str, limit: int = 1000) -> list[AnswerStats]:
    """How a trait's instructions are answered, most overruled first, then by list and words.

    Those that no cell answers are left out.
    """
    file.sums.keep(file.db)
    return kept_stats(file.db, trait, limit)


def kept_stats(db: sqlite3.Connection, trait: str, limit: int) -> list[AnswerStats]:
    """The same as of the last transaction, by any connection."""
    overruled = db.execute(
        f"{_ASKED} AND overruled > 0 ORDER BY overruled DESC LIMIT ?",
        (trait, limit),
    ).fetchall()
    rest = db.execute(
        f"{_ASKED} AND overruled = 0 AND cells > 0 ORDER BY of, instruction LIMIT ?",
        (trait, limit - len(overruled)),
    )
    return list(_with_answers(db, trait, [*overruled, *rest]))


def worst(file: Database, traits: Iterable[str], limit: int) -> list[tuple[str, AnswerStats]]:
    """The instructions of some traits, each behind its trait's name: most overruled first, at most
    `limit` of them.
    """
    found: list[tuple[str, AnswerStats]] = []
    for name in traits:
        found += [(name, one) for one in answer_stats(file, name, limit)]
    found.sort(key=lambda pair: -pair[1].overruled)
    return found[:limit]


def changed_since(file: Database, n: int) -> set[str]:
    """The traits of which anything happened to a cell after the fact of this number."""
    found = file.db.execute(
        "SELECT DISTINCT c.trait FROM facts f JOIN cells c ON c.no = f.cell WHERE f.n > ?", (n,)
    )
    return {name for (name,) in found}


def is_blind(file: Database) -> bool:
    """Whether any cell was drawn to be ruled before its judge is seen."""
    sql = "SELECT 1 FROM cells WHERE sampled > 0 AND sampled >= 2 LIMIT 1"
    return file.db.execute(sql).fetchone() is not None


def question_ids(path: Path) -> set[str]:
    """The ids of the questions that traces answer; for a thread."""
    with reading(path) as db:
        found = db.execute("SELECT DISTINCT question_id FROM heads WHERE question_id <> ''")
        return {name for (name,) in found}


def _with_answers(
    db: sqlite3.Connection, trait: str, rows: list[tuple[str, str, int, int]]
) -> Iterator[AnswerStats]:
    sql = (
        "SELECT answer, cells FROM answers"
        " WHERE trait = ? AND of = ? AND instruction = ? AND cells > 0"
    )
    for of, instruction, overruled, cells in rows:
        given = db.execute(sql, (trait, of, instruction)).fetchall()
        asides = db.execute(sql, (trait, aside_list(of), instruction)).fetchall()
        yield AnswerStats(of, instruction, dict(given), overruled, cells, dict(asides))


def distribution(path: Path, trait: str, measure: Measure, side: str, bins: int) -> list[int]:
    """How many cells of a side (`totals.SIDES`) are in each of `bins` equal parts of a measure's
    scale.

    0/0 is left out, the upper bound is in the last part. Reads every cell of the trait, in SQL and
    by a connection of its own, so that a thread that asks holds up no other.
    """
    counts = [0] * bins
    state = "reviewed" if side in SIGNED_OFF else "*"
    sql = (
        "SELECT max(min(CAST((value - ?2) * ?1 / ?3 AS INTEGER), ?1 - 1), 0) AS bin, count(*) FROM"
        " (SELECT json_extract(iif(?7, judge, standing), ?4) AS value FROM cells"
        " WHERE trait = ?5 AND state GLOB ?6)"
        " WHERE value IS NOT NULL GROUP BY bin"
    )
    scale = (bins, measure.low, measure.high - measure.low or 1)
    values = (*scale, f'$."{measure.name}"', trait, state, side.startswith("judge"))
    with reading(path) as db:
        for place, count in db.execute(sql, values):
            counts[place] = count
    return counts
