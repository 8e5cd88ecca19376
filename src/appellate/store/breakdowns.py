"""A trait in numbers, by groups of traces, and how its instructions are answered.

Breakdowns are counted from the facts of an audit, cell by cell. What a screen shows at once is read
from the running totals of a workspace instead.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from appellate.core.breakdown import Breakdown, BreakdownSums, Reducer
from appellate.core.design_facts import reasons_of, sample_of
from appellate.core.kind import TraitKey
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.totals import AnswerStats, aside_list
from appellate.core.trace import Trace
from appellate.query.language import META
from appellate.store import trace_rows
from appellate.store.database import Database, reading

if TYPE_CHECKING:
    from appellate.store.audits.any_audit import AnyAudit
    from appellate.store.audits.audit import AuditedCell

_ASKED = (
    "SELECT of, instruction, overruled, cells FROM instructions"
    " WHERE kind = ? AND trait = ?"
)


def answer_stats(
    file: Database,
    trait: TraitKey,
    limit: int = 1000,
) -> list[AnswerStats]:
    """Return how the instructions of a trait are answered, most overruled first.

    Those that nobody overruled come after, by list and words; those that no cell has are left out.
    At most `limit` are returned. Empty for a trait that does not exist. What was gathered of
    answers is written to the workspace first, without a transaction of its own.
    """
    db = file.db
    file.sums.keep(db)
    overruled = db.execute(
        f"{_ASKED} AND overruled > 0 ORDER BY overruled DESC LIMIT ?",
        (*trait, limit),
    ).fetchall()
    rest = db.execute(
        f"{_ASKED} AND overruled = 0 AND cells > 0 ORDER BY of, instruction LIMIT ?",
        (*trait, limit - len(overruled)),
    )
    sql = (
        "SELECT answer, cells FROM answers"
        " WHERE kind = ? AND trait = ? AND of = ? AND instruction = ? AND cells > 0"
    )
    stats: list[AnswerStats] = []
    for list_name, instruction, times, cells in [*overruled, *rest]:
        answer_counts = db.execute(sql, (*trait, list_name, instruction)).fetchall()
        asides = db.execute(
            sql,
            (*trait, aside_list(list_name), instruction),
        ).fetchall()
        stats.append(
            AnswerStats(
                list_name,
                instruction,
                dict(answer_counts),
                times,
                cells,
                dict(asides),
            ),
        )
    return stats


def worst(
    file: Database,
    traits: Iterable[TraitKey],
    limit: int,
) -> list[tuple[TraitKey, AnswerStats]]:
    """Return at most `limit` instructions of some traits with their trait, most overruled first.

    Equal ones are in the order of `traits`. Those that nobody overruled come last,
    and those that no cell has are left out. What was gathered of answers is written to the
    workspace first.
    """
    rows: list[tuple[TraitKey, AnswerStats]] = []
    for trait in traits:
        rows += [(trait, stats) for stats in answer_stats(file, trait, limit)]
    rows.sort(key=lambda pair: -pair[1].overruled)
    return rows[:limit]


def changed_since(file: Database, n: int) -> set[TraitKey]:
    """Return the traits with a cell that has any fact after fact `n`."""
    rows = file.db.execute(
        "SELECT DISTINCT c.kind, c.trait FROM facts f JOIN cells c ON c.no = f.cell"
        " WHERE f.n > ?",
        (n,),
    )
    return set(rows)


def is_blind(file: Database) -> bool:
    """Return whether any cell was drawn to be ruled on before its judge is seen.

    True also after those cells are ruled on.
    """
    sql = "SELECT 1 FROM cells WHERE sampled > 0 AND sampled >= 2 LIMIT 1"
    return file.db.execute(sql).fetchone() is not None


def has_several_judges(file: Database) -> bool:
    """Return whether several judges labelled cells: in rounds, as a panel, or each its own cells.

    A second round by the same judge counts as another. Judges that are hidden, of cells drawn blind
    and not ruled on yet, do not count. Judges without a name count together as one.
    """
    sql = (
        "SELECT 1 FROM cells"
        " WHERE (round > 1 OR disagreement IS NOT NULL) AND sampled <> 2 LIMIT 1"
    )
    if file.db.execute(sql).fetchone() is not None:
        return True
    sql = "SELECT count(DISTINCT judged_by) FROM cells WHERE round > 0 AND sampled <> 2"
    (names,) = file.db.execute(sql).fetchone()
    return bool(names > 1)


def question_ids(path: Path) -> set[str]:
    """Return the ids of questions that traces name, whether they have the question's words or not.

    The workspace at `path` is opened to be read, so any thread may call this. Raises sqlite3.Error
    if it cannot be read.
    """
    with reading(path) as db:
        return {name for _, name in trace_rows.by_trace(db, "question_id")}


BY = ("model", "question", "cluster", "epoch")
"""What traces are grouped by, beside the keys of their metadata: `meta.site`."""


def words_of(trace: Trace, grouping: str) -> Sequence[str]:
    """Return the groups that a trace is in under a grouping, each once.

    The grouping is "model", "question", "cluster", "epoch" or the name of a metadata key, as
    queries write it: "meta.site". Values of metadata are written as in queries, and each value of a
    list is a group. Empty if the trace says nothing of it, for an unknown grouping, and for "". The
    group by question is its id or, without one, its words.
    """
    match grouping:
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
            words: list[str] = []
            for part in trace_rows.parts({"metadata": trace.metadata}):
                if part.name == grouping:
                    words.append(trace_rows.in_words(part.value))
            return tuple(dict.fromkeys(words))


def _wording(word: str | None) -> Sequence[str]:
    return (word,) if word else ()


# -- traits ---------------------------------------------------------------------------------------


class BreakdownCount:
    """Counts the numbers of the traits of an audit, one cell after the other."""

    def __init__(
        self,
        audit: "AnyAudit",
        grouping: str = "",
        reducers: Sequence[Reducer] = ("mean",),
    ) -> None:
        """Begin with no cell counted, for an audit and its sample.

        With a `grouping`, as `words_of` has it, cells are counted by group as well; "" counts them
        by trait alone. A grouping is not checked. `reducers` make one number of the epochs of a
        trace.
        """
        self._by = grouping
        self._reducers = reducers
        self._reasons = reasons_of(sample_of(audit.design))
        self._sums: dict[TraitKey, BreakdownSums] = {}

    def add(self, audited: "AuditedCell") -> None:
        """Add a cell to the numbers of its trait, and to those of the groups of its trace.

        A cell must be added once only. Traits of one name and different kinds are counted apart.
        """
        subject = audited.cell.subject
        key = subject.trait_key
        if key not in self._sums:
            self._sums[key] = BreakdownSums(
                subject.kind,
                self._by,
                self._reducers,
                self._reasons,
            )
        self._sums[key].add(audited.cell, words_of(audited.trace, self._by))

    def breakdowns(self) -> list[Breakdown]:
        """Return the numbers by the name and kind of the traits, in the order of their cells."""
        return [sums.breakdown() for sums in self._sums.values()]


def breakdown(
    path: Path,
    trait: TraitKey,
    grouping: str = "",
    on_progress: OnProgress = ignore_progress,
) -> Breakdown | None:
    """Return the numbers of a trait of a workspace; None if no cell is of it.

    With a `grouping`, as `words_of` has it, they are also by group. The workspace is opened to be
    read, so any thread may call this. `on_progress` may raise to stop the count; that leaves.
    Raises sqlite3.Error if the workspace cannot be read.
    """
    # not before the first paint
    from appellate.store.audits.any_audit import WorkspaceAudit

    with reading(path) as db:
        audit = WorkspaceAudit(db)
        _, name = trait
        cells = audit.cells_of(name)
        cell_count = len(cells)
        count = BreakdownCount(audit, grouping)
        for done, audited in enumerate(cells, 1):
            if audited.cell.subject.trait_key == trait:
                count.add(audited)
            on_progress(done, done / cell_count)
    return next(iter(count.breakdowns()), None)


def groupings(path: Path) -> list[str]:
    """Return the groupings by which traces of a workspace differ: some of `BY`, then `meta.KEY`.

    Those of `BY` in which all traces are alike are left out; every key of metadata is in it. Any
    thread may call this. Raises sqlite3.Error if the workspace cannot be read.
    """
    with reading(path) as db:
        tells_apart = {"cluster": _has_several_clusters(db)}
        for grouping, sql in _TOLD_APART.items():
            (tells_apart[grouping],) = db.execute(sql).fetchone()
        keys = trace_rows.names(db).keys
    names = [grouping for grouping in BY if tells_apart[grouping]]
    for key in keys:
        names.append(META + key)
    return names


def _has_several_clusters(db: sqlite3.Connection) -> bool:
    """Return whether clusters tell traces of a workspace apart.

    They do not if no trace has one, or if every trace is in the same one. They do if some traces
    have one and others none.
    """
    words = [word for _, word in trace_rows.by_trace(db, "cluster")]
    if not words:
        return False
    (trace_count,) = db.execute("SELECT count(*) FROM traces").fetchone()
    is_one_cluster = len(set(words)) == 1
    is_complete = len(words) == trace_count
    return not (is_one_cluster and is_complete)


_TOLD_APART = {
    "model": "SELECT count(DISTINCT model) > 1 FROM heads",
    "question": "SELECT count(DISTINCT question_id || char(0) || question) > 1 FROM heads",
    "epoch": "SELECT count(DISTINCT epoch) > 1 FROM traces",
}
