"""A trait over all its cells and by groups of their traces, read from the workspace.

Labels that are as a judge proposed them have their figures in their row; a cell that a person
corrected or signed off is folded. By a connection of its own: for a thread, and for nobody who
waits at a key.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from appellate.core.breakdown import Breakdown, BreakdownSums, CellFigures
from appellate.core.cell import Cell, fold
from appellate.core.kind import Figures, Subject
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.totals import AS_THEY_STAND
from appellate.core.trace import Trace
from appellate.query.language import META
from appellate.query.metadata import columns_for, in_words, values
from appellate.store import meta, metadata_rows
from appellate.store.database import reading
from appellate.store.fact_rows import fact_of
from appellate.store.samples.design_rows import reasons_in
from appellate.store.tables import earlier_traits
from appellate.store.trait_stats import kept_stats
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric

BY = ("model", "question", "cluster", "epoch")
"""What traces are grouped by, beside the keys of their metadata: `meta.site`."""
MOST_INSTRUCTIONS = 10_000


def is_grouping(by: str) -> bool:
    """Whether traces can be grouped so."""
    return by in BY or (by.startswith(META) and by != META)


def words_of(trace: Trace, by: str) -> Sequence[str]:
    """The groups that a trace is in: none where it says nothing, several where it has a list."""
    match by:
        case "":
            return ()
        case "model":
            return _wording(trace.model)
        case "question":
            return _wording(trace.question_id or trace.question)
        case "cluster":
            return _wording(trace.cluster)
        case "epoch":
            return (str(trace.epoch),)
        case _:
            return _in_metadata(trace, by)


def _wording(word: str | None) -> Sequence[str]:
    return (word,) if word else ()


def _in_metadata(trace: Trace, name: str) -> Sequence[str]:
    """As `metadata_rows.by_trace` tells it."""
    metadata, found = trace.metadata or {}, dict[str, None]()
    for column in columns_for(name):
        key = column.removeprefix(META)
        if key in metadata:
            found |= dict.fromkeys(map(in_words, values(name, column, metadata[key])))
    return tuple(found)


# -- from a workspace -----------------------------------------------------------------------------


def breakdown(
    path: Path,
    trait: str,
    by: str = "",
    reducers: Sequence[str] = ("mean",),
    on_progress: OnProgress = ignore_progress,
) -> Breakdown | None:
    """The numbers of a trait as it is now; None where no cell is of it.

    `on_progress` is called after every cell, and may raise to have it stop.
    """
    with reading(path) as db:
        of = "SELECT kind, count(*) FROM cells WHERE trait = ? GROUP BY kind ORDER BY min(no)"
        row = db.execute(of, (trait,)).fetchone()
        if row is None:
            return None
        kind, count = row
        sums = BreakdownSums(kinds()[kind], by, reducers, reasons_in(db))
        cells = _TraitCells(db, trait, kind, sums, by)
        for done in cells.add_all():
            on_progress(done, done / count)
        stats = kept_stats(db, trait, MOST_INSTRUCTIONS)
    return cells.sums.breakdown(stats)


class _TraitCells:
    """Reads the cells of a trait one after the other and adds them up."""

    def __init__(
        self, db: sqlite3.Connection, trait: str, kind: str, sums: BreakdownSums, by: str
    ) -> None:
        (value,) = db.execute("SELECT value FROM meta WHERE key = ?", (meta.RUBRIC,)).fetchone()
        self._db, self._trait, self._kind, self._by = db, trait, kind, by
        self._rubric, self._earlier = Rubric.model_validate_json(value), earlier_traits(db)
        self._clusters = dict(metadata_rows.by_trace(db, "cluster"))
        self._words: dict[int, list[str]] = {}
        if by.startswith(META):
            for trace_no, word in metadata_rows.by_trace(db, by):
                self._words.setdefault(trace_no, []).append(word)
        self.sums = sums
        for known in self._rubric.every_trait():
            if (known.trait.name, known.kind.name) == (trait, kind):
                sums.know(known.trait)

    def add_all(self) -> Iterator[int]:
        """Adds every cell, and tells after each how many there were."""
        cells = self._db.execute(
            "SELECT c.no, c.trace, t.id, t.epoch, h.model, c.overruled, c.state, c.standing,"
            " c.judge, c.figures FROM cells c JOIN traces t ON t.no = c.trace"
            " JOIN heads h ON h.trace = c.trace WHERE c.trait = ? AND c.kind = ? ORDER BY c.no",
            (self._trait, self._kind),
        )
        for done, (number, trace_no, name, epoch, model, overruled, *row) in enumerate(cells, 1):
            sides = _sides(*row)
            if sides is None:
                cell = self._folded(number, self._trace(trace_no))
                self.sums.add(cell, words_of(cell.subject.trace, self._by), counted=True)
            else:
                cluster, key = self._clusters.get(trace_no, ""), (name, epoch)
                brought = CellFigures(key, model, cluster, False, overruled, sides)
                self.sums.take(brought, self._groups(trace_no, brought))
            yield done

    def _groups(self, trace_no: int, cell: CellFigures) -> Sequence[str]:
        """As `words_of`, and the trace is read only where nothing else tells."""
        match self._by:
            case "":
                return ()
            case "model":
                return _wording(cell.model)
            case "cluster":
                return _wording(cell.cluster)
            case "epoch":
                return (str(cell.trace[1]),)
            case "question":
                return words_of(self._trace(trace_no), self._by)
            case _:
                return self._words.get(trace_no, ())

    def _trace(self, number: int) -> Trace:
        sql = "SELECT body FROM traces WHERE no = ?"
        (body,) = self._db.execute(sql, (number,)).fetchone()
        return Trace.model_validate(json.loads(body))

    def _folded(self, number: int, trace: Trace) -> Cell:
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
    known = json.loads(standing)
    undefined = frozenset(name for name, value in known.items() if value is None)
    found = Figures(
        {name: value or 0.0 for name, value in known.items()},
        undefined,
        beside.get("counts", {}),
        beside.get("words", {}),
        unscored=frozenset(beside.get("unscored", ())),
    )
    return dict.fromkeys(AS_THEY_STAND, found)


def groupings(path: Path) -> list[str]:
    """By what the traces of a workspace can be told apart: those of `BY`, then `meta.KEY`."""
    with reading(path) as db:
        clustered = sorted(metadata_rows.by_trace(db, "cluster"))
        (count,) = db.execute("SELECT count(*) FROM traces").fetchone()
        one_word = len({word for _, word in clustered}) == 1 and len(clustered) == count
        apart = {"cluster": bool(clustered) and not one_word}
        for by, sql in _TOLD_APART.items():
            (apart[by],) = db.execute(sql).fetchone()
        keys = metadata_rows.names(db).keys
    return [*filter(apart.__getitem__, BY), *map(META.__add__, keys)]


_TOLD_APART = {
    "model": "SELECT count(DISTINCT model) > 1 FROM heads",
    "question": "SELECT count(DISTINCT question_id || char(0) || question) > 1 FROM heads",
    "epoch": "SELECT count(DISTINCT epoch) > 1 FROM traces",
}
