"""How a trait stands over all its cells: the hit list of its instructions, and how its metrics spread."""

import sqlite3

from appellate.core.totals import SIGNED_OFF, Hit

_HIT = "SELECT of, instruction, found, missing, overruled, cells FROM hits"


def hits(db: sqlite3.Connection, trait: str, limit: int) -> list[Hit]:
    """The instructions of a trait, most overruled first, then by list and words; those of no cell are left out."""
    overruled = db.execute(
        f"{_HIT} WHERE trait = ? AND overruled > 0 ORDER BY overruled DESC LIMIT ?",
        (trait, limit),
    ).fetchall()
    rest = db.execute(
        f"{_HIT} WHERE trait = ? AND overruled = 0 AND cells > 0 ORDER BY of, instruction LIMIT ?",
        (trait, limit - len(overruled)),
    )
    return [Hit(*row) for row in (*overruled, *rest)]


def distribution(db: sqlite3.Connection, trait: str, metric: str, side: str, bins: int) -> list[int]:
    """How many cells of a side (`totals.SIDES`) fall into each of `bins` equal parts of 0 … 1.

    0/0 is left out, 1 is in the last.

    Reads every cell of the trait, in SQL, so that a thread that asks holds up no other.
    """
    counts = [0] * bins
    labels = "judge" if side.startswith("judge") else "standing"
    state = "reviewed" if side in SIGNED_OFF else "*"
    found = db.execute(
        "SELECT min(CAST(value * ?1 AS INTEGER), ?1 - 1) AS bin, count(*) FROM"
        " (SELECT json_extract(figures, ?2) AS value FROM cells"
        " WHERE trait = ?3 AND figures <> '' AND state GLOB ?4) WHERE value IS NOT NULL GROUP BY bin",
        (bins, f"$.{labels}.{metric}", trait, state),
    )
    for place, count in found:
        counts[place] = count
    return counts
