"""How far a sample is worked through. Read by a connection of its own, for any thread."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from appellate.core.trace import name_of
from appellate.store.database import reading

_COUNTS = "c.sampled = 3 OR (c.sampled = 1 AND c.state = 'reviewed')"
"""Of a cell of the sample: whether what a person says of it counts."""
_DONE = f"""
SELECT stratum, count(*) FROM (
  SELECT d.stratum, min({_COUNTS}) AS done
  FROM drawn d JOIN cells c ON c.trace = d.trace GROUP BY d.unit)
WHERE done GROUP BY stratum
"""  # noqa: S608 - made of the text above alone
_NEXT = f"""
SELECT t.id, t.epoch, c.no FROM drawn d JOIN traces t ON t.no = d.trace
  JOIN cells c ON c.trace = d.trace
WHERE NOT ({_COUNTS}) ORDER BY d.place, c.no LIMIT 1
"""  # noqa: S608 - likewise


class SampleProgress(NamedTuple):
    """How many units of each stratum count, and the name of the trace that is next in the order of
    the draw, "" where all do.
    """

    done: Sequence[int]
    next: str


def progress(path: Path, strata: int) -> SampleProgress:
    """How far the sample of so many strata is."""
    with reading(path) as db:
        done = dict(db.execute(_DONE).fetchall())
        row = db.execute(_NEXT).fetchone()
    name = name_of(row[0], row[1]) if row else ""
    return SampleProgress(list(map(Counter(done).__getitem__, range(strata))), name)


def next_cell(path: Path) -> int | None:
    """The first cell, in the order of the draw, that does not count yet; None where there is
    none.
    """
    with reading(path) as db:
        row = db.execute(_NEXT).fetchone()
    return row[2] if row else None
