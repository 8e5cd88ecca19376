"""A trait over all its cells and by groups of their traces, read from the workspace.

Labels that are as a judge proposed them have their figures in their row; a cell that a person
corrected or signed off is folded. By a connection of its own: for a thread, and for nobody who
waits at a key.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from appellate.core.breakdown import Breakdown, BreakdownSums, CellFigures
from appellate.core.cell import Cell, fold
from appellate.core.headway import Heard, deaf
from appellate.core.kind import Figures, Subject, Table
from appellate.core.totals import AS_THEY_STAND
from appellate.core.trace import Trace
from appellate.store import meta
from appellate.store.database import reading
from appellate.store.fact_rows import fact_of
from appellate.store.tables import earlier_traits
from appellate.store.trait_stats import kept_stats
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric

META = "meta."
BY = ("model", "question", "cluster", "epoch")
"""What traces are grouped by, beside the keys of their metadata: `meta.site`."""
MOST_KEYS = 300
MOST_INSTRUCTIONS = 10_000


def is_grouping(by: str) -> bool:
    """Whether traces can be grouped so."""
    return by in BY or (by.startswith(META) and by != META)


def words_of(trace: Trace, by: str) -> Iterable[str]:
    """The groups that a trace is in: none where it says nothing, several where it has a list."""
    return _words(trace.model_dump(include=_SAID), by)


_SAID = {"model", "question_id", "question", "cluster", "epoch", "metadata"}


def _words(said: Table, by: str) -> Iterable[str]:
    """The same of a trace as its JSON has it."""
    match by:
        case "":
            return ()
        case "question":
            return filter(None, (said.get("question_id") or said.get("question"),))
        case "model" | "cluster" | "epoch":
            return [str(value) for value in (said.get(by),) if value is not None and value != ""]
        case _:
            return dict.fromkeys(_in_metadata(said, by.removeprefix(META)))


def _in_metadata(said: Table, key: str) -> list[str]:
    value = (said.get("metadata") or {}).get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        return [_told(value)]
    return list(map(_told, value))


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# -- from a workspace -----------------------------------------------------------------------------


def breakdown(
    path: Path, trait: str, by: str = "", reducers: Sequence[str] = ("mean",), heard: Heard = deaf
) -> Breakdown | None:
    """The numbers of a trait as it is now; None where no cell is of it.

    `heard` is told after every cell, and may raise to have it stop.
    """
    with reading(path) as db:
        of = "SELECT kind, count(*) FROM cells WHERE trait = ? GROUP BY kind ORDER BY min(no)"
        row = db.execute(of, (trait,)).fetchone()
        if row is None:
            return None
        kind, count = row
        cells = _TraitCells(db, trait, kind, BreakdownSums(kinds()[kind], by, reducers), by)
        for done in cells.add_all():
            heard(done, done / count)
        stats = kept_stats(db, trait, MOST_INSTRUCTIONS)
    return cells.sums.breakdown(stats)


class _TraitCells:
    """Reads the cells of a trait one after the other and adds them up."""

    def __init__(self, db: sqlite3.Connection, trait: str, kind: str, sums: BreakdownSums, by: str):
        (told,) = db.execute("SELECT value FROM meta WHERE key = ?", (meta.RUBRIC,)).fetchone()
        self._db, self._trait, self._kind, self._by = db, trait, kind, by
        self._rubric, self._earlier = Rubric.model_validate_json(told), earlier_traits(db)
        self.sums = sums
        for known in self._rubric.every_trait():
            if (known.trait.name, known.kind.name) == (trait, kind):
                sums.know(known.trait)

    def add_all(self) -> Iterator[int]:
        """Adds every cell, and tells after each how many there were."""
        cells = self._db.execute(
            "SELECT c.no, t.id, t.epoch, t.body, c.state, c.standing, c.judge, c.figures,"
            " c.overruled FROM cells c JOIN traces t ON t.no = c.trace"
            " WHERE c.trait = ? AND c.kind = ? ORDER BY c.no",
            (self._trait, self._kind),
        )
        for done, (number, name, epoch, body, state, *measured, overruled) in enumerate(cells, 1):
            said = json.loads(body)
            words = _words(said, self._by)
            sides = _sides(state, *measured)
            if sides is None:
                self.sums.add(self._folded(number, said), words, counted=True)
            else:
                model, cluster = said.get("model") or "", said.get("cluster") or ""
                key = name, epoch
                self.sums.take(CellFigures(key, model, cluster, False, overruled, sides), words)
            yield done

    def _folded(self, number: int, said: Table) -> Cell:
        trace = Trace.model_validate(said)
        known = self._rubric.traits_of(trace)[self._trait]
        sql = "SELECT n, at, by, name, body, part_of FROM facts WHERE cell = ? ORDER BY n"
        facts = [fact_of(*row) for row in self._db.execute(sql, (number,))]
        return fold(Subject(known.kind, known.trait, trace, self._earlier), facts)


def _sides(
    state: str, standing: str | None, judge: str | None, figures: str
) -> dict[str, Figures] | None:
    """The figures of a cell as its row has them; None where it has to be folded."""
    if state in ("pending", "failed") and standing is None and judge is None:
        return {}
    if state != "proposed" or standing is None or standing != judge:
        return None
    beside = json.loads(figures)
    if "differs" in beside:
        return None
    values = json.loads(standing)
    undefined = frozenset(name for name, value in values.items() if value is None)
    told = Figures(
        {name: value or 0.0 for name, value in values.items()},
        undefined,
        beside.get("counts", {}),
        unscored=frozenset(beside.get("unscored", ())),
    )
    return dict.fromkeys(AS_THEY_STAND, told)


def groupings(path: Path) -> list[str]:
    """By what the traces of a workspace can be told apart: those of `BY`, then `meta.KEY`."""
    found: dict[str, set[str]] = {by: set() for by in BY}
    keys: dict[str, None] = {}
    with reading(path) as db:
        for (body,) in db.execute("SELECT body FROM traces ORDER BY no"):
            said = json.loads(body)
            for by, words in found.items():
                if len(words) < 2:  # noqa: PLR2004 - enough to tell apart
                    words.update(tuple(_words(said, by)) or ("",))
            keys |= dict.fromkeys(said.get("metadata") or {})
    told_apart = [by for by, words in found.items() if len(words) > 1]
    return [*told_apart, *(META + key for key in sorted(keys)[:MOST_KEYS])]
