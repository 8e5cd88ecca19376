"""The SQLite file an audit is worked on in: traces, append-only facts, and projections.

One transaction keeps a fact and all derived from it. The audit's text is made when written.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby, repeat
from pathlib import Path
from typing import Any, NamedTuple

import tomli
from filelock import FileLock

from appellate.core.cell import Cell, fold
from appellate.core.facts import Fact
from appellate.core.kind import KnownTrait, Subject, TraitKey
from appellate.core.step_progress import OnProgress
from appellate.core.trace import Trace, TraceKey
from appellate.store import meta, projection, tables, trace_rows
from appellate.store.audits.audit import AuditedCell, cell_text, trace_text
from appellate.store.cells import Cells
from appellate.store.database import Database, from_json, to_json
from appellate.store.fact_rows import (
    DesignFacts,
    Facts,
    cell_reader,
    design_in,
    fact_of,
    keep_drawn,
)
from appellate.store.files.toml import emit
from appellate.store.trace_rows import Traces
from appellate.traits.rubric import Rubric


class Workspace(Database):
    """An open workspace: its rubric, its traces, its cells, and what happened to them."""

    _rubric_text = ""
    """The JSON that `rubric` was read from; "" before it was."""

    def _prepare(self, db: sqlite3.Connection, path: Path) -> None:
        """Make a blank file a workspace, else see that it is one.

        A workspace of an earlier version is rebuilt. Raises WorkspaceUnknown for a file that is
        none.
        """
        super()._prepare(db, path)
        if self.was_version < tables.VERSION:
            rebuild(db, self._on_progress)

    def attach(self, path: Path, lock: FileLock | None) -> None:
        """Open the file at a path, whose lock is held if it is to be written, and read its rubric.

        What is known of the file before is forgotten, but that file is left open. Raises
        WorkspaceUnknown, WorkspaceLocked or NotKept, and Unusable as `read_rubric` does.
        """
        super().attach(path, lock)
        self.traces = Traces(self)
        self.cells = Cells(self)
        self.facts = Facts(self)
        self.design = DesignFacts(self)
        try:
            self.read_rubric()
        except BaseException:
            self.db.close()
            raise

    # -- the rubric -------------------------------------------------------------------------------

    def read_rubric(self) -> None:
        """Set `rubric` and `earlier`, the earlier versions of its traits, to what the file keeps.

        The rubric is empty if the file keeps none, and stays the same object while its text does.
        Raises Unusable if it has traits of a kind that is not installed.
        """
        text = self.meta(meta.RUBRIC) or "{}"
        if text != self._rubric_text:
            self.rubric = Rubric.kept(json.loads(text))
            self._rubric_text = text
        self._revision = self.meta(meta.REVISION)
        self.earlier = tables.earlier_traits(self.db)

    def replace_rubric(self, rubric: Rubric) -> None:
        """Keep another rubric, but leave the cells as they are; follow it with `read_rubric`.

        Raises NotKept, with nothing changed, if the disk refuses.
        """
        rubric_json = json.dumps(rubric.to_file(), ensure_ascii=False)
        with self.transaction():
            self.set_meta(meta.RUBRIC, rubric_json)
            revision = int(self.meta(meta.REVISION) or 0) + 1
            self.set_meta(meta.REVISION, str(revision))

    def keep_earlier(self, known_trait: KnownTrait) -> None:
        """Keep a version of a trait that facts were made under, in the caller's transaction.

        Nothing changes if it is kept already.
        """
        kind, trait = known_trait
        row = (
            trait.sha256(),
            kind.name,
            json.dumps(trait.to_file(), ensure_ascii=False),
        )
        self.db.execute("INSERT OR IGNORE INTO earlier VALUES (?, ?, ?)", row)
        self.earlier[trait.sha256()] = known_trait

    def subject(self, known_trait: KnownTrait, trace: Trace) -> Subject:
        """Return a trait and a trace as what a cell is about, under this workspace's rubric.

        The subject knows the traits that the workspace had earlier, too.
        """
        return Subject(*known_trait, self.rubric.asked(trace), self.earlier)

    # -- cells ------------------------------------------------------------------------------------

    def cell(self, number: int) -> tuple[Trace, Cell]:
        """Return a cell's trace, as its trait reads it, and the cell, made of its facts.

        That takes as long for any number of traces. Raises TypeError if there is no such cell. A
        workspace that is only read goes by the rubric that its writer took since.
        """
        if self.readonly and self.meta(meta.REVISION) != self._revision:
            self.read_rubric()  # the writer took a changed rubric
        sql = "SELECT c.trait, t.body FROM cells c JOIN traces t ON t.no = c.trace WHERE c.no = ?"
        trait_name, body = self.db.execute(sql, (number,)).fetchone()
        trace = Trace.kept(from_json(body))
        known_trait = self.rubric.traits_of(trace)[trait_name]
        cell = fold(self.subject(known_trait, trace), self.facts.of(number))
        return cell.subject.trace, cell

    def totals(self, trait: TraitKey = ("", "")) -> dict[str, int]:
        """Return the running totals of the traits of one kind and name; by default of all cells.

        Of all cells these are only states, flags and cells. What is gathered is added to them
        first. Empty for traits that no cell is of.
        """
        self.sums.keep(self.db)
        sql = "SELECT key, value FROM totals WHERE kind = ? AND trait = ?"
        return dict(self.db.execute(sql, trait).fetchall())

    def count_missing(self) -> int:
        """Return how many cells no judge has judged, also those that a person ruled on first."""
        totals = self.totals()
        missing = totals.get("state:pending", 0) + totals.get("state:failed", 0)
        return missing + self.number(
            "SELECT count(*) FROM cells WHERE sampled > 0 AND round = 0"
            " AND state NOT IN ('pending', 'failed')",
        )

    def trait_names(self) -> list[str]:
        return self.column("SELECT DISTINCT trait FROM totals WHERE trait <> ''")

    # -- filling ----------------------------------------------------------------------------------

    def add_all(
        self,
        traces: Iterable[Trace],
        extras: Mapping[TraceKey, Mapping[str, Any]] | None = None,
    ) -> int:
        """Add traces with pending cells; return how many traces were added.

        `extras` has the keys of traces that this version does not know. All are added or none;
        raises NotKept if the disk refuses.
        """
        return self.add_known(zip(traces, repeat({})), extras)

    def add_known(
        self,
        traces_with_facts: Iterable[tuple[Trace, Mapping[str, Sequence[Fact]]]],
        extras: Mapping[TraceKey, Mapping[str, Any]] | None = None,
    ) -> int:
        """Add traces with their cells and these cells' facts, by trait; return how many traces.

        A cell without facts is pending. `extras` has the keys of traces that this version does not
        know. All are added or none; raises NotKept if the disk refuses.
        """
        next_no = self.traces.count() + 1
        added_count = 0
        with self.transaction():
            for batch in _batches(traces_with_facts):
                self._add_batch(next_no + added_count, batch, extras)
                added_count += len(batch)
        return added_count

    def _add_batch(
        self,
        first: int,
        batch: "Sequence[_NewTrace]",
        extras: Mapping[TraceKey, Mapping[str, Any]] | None,
    ) -> None:
        """Write new traces and their cells, in the caller's transaction.

        `first` is the number of the first trace; the others follow it.
        """
        rows: list[tuple[int, str, int, str]] = []
        cells: list[projection.NewCell] = []
        is_recorded = False
        for no, (trace, happened, _, text) in enumerate(batch, first):
            rows.append((no, trace.id, trace.epoch, text))
            for name, trait in self.rubric.traits_of(trace).items():
                cells.append((no, self.subject(trait, trace), happened.get(name, ())))
            if extras:
                self._keep_extra(no, 0, extras.get(trace.key, {}))
            is_recorded = is_recorded or bool(trace.judgments)
        if is_recorded:
            self.set_meta(meta.RECORDED, "yes")
        self.db.executemany(
            "INSERT INTO traces (no, id, epoch, body) VALUES (?, ?, ?, ?)",
            rows,
        )
        trace_rows.keep(self.db, first, [new_trace.body for new_trace in batch])
        numbered_facts: list[tuple[int, Fact]] = []
        for no, (_, _, facts) in enumerate(cells, self.cells.count() + 1):
            for fact in facts:
                numbered_facts.append((no, fact))
        self.facts.insert_all(numbered_facts)
        projection.add_cells(self.db, self.sums, cells)

    def add_cell(self, trace_no: int, trace: Trace, known_trait: KnownTrait) -> None:
        """Add a pending cell of a trait, as the last one, to a trace that is there.

        The caller has a transaction open.
        """
        projection.add_cells(
            self.db,
            self.sums,
            [(trace_no, self.subject(known_trait, trace), ())],
        )

    def remove_cells(self, cells: Sequence[tuple[int, Cell]]) -> None:
        """Remove the last cells, with their facts, in the caller's transaction.

        Nothing may have happened to them but draws.
        """
        projection.remove_cells(self.db, self.sums, cells)

    def restore(self, number: int, cell: Cell, extra: Mapping[str, Any]) -> None:
        """Write the facts of a cell as an audit file tells them, under their own numbers.

        `extra` has the cell's keys that this version does not know. The caller has a transaction
        open, and the cell has no facts yet.
        """
        for fact in cell.facts:
            self.facts.insert(number, fact)
        row = self.cells.row(number)
        self._keep_extra(row.trace_no, number, extra)
        empty_cell = fold(cell.subject, ())
        self.facts.project(number, empty_cell, cell)

    def _keep_extra(self, trace_no: int, cell: int, extra: Mapping[str, Any]) -> None:
        """Keep the unknown keys of a trace, or of one of its cells, in the caller's transaction.

        `cell` is 0 for those of the trace itself. Nothing is written without any.
        """
        if extra:
            row = (trace_no, cell, "".join(emit(extra)))
            self.db.execute("INSERT INTO extras VALUES (?, ?, ?)", row)

    # -- the audit's text -------------------------------------------------------------------------

    def texts(self, first: int, last: int) -> Iterator[str]:
        """Yield the text of each trace from number `first` to `last` in the audit file.

        Each has the trace's cells below it.
        """
        traces = self.db.execute(
            "SELECT t.no, t.body, ifnull(x.toml, '') FROM traces t"
            " LEFT JOIN extras x ON x.trace = t.no AND x.cell = 0"
            " WHERE t.no BETWEEN ? AND ? ORDER BY t.no",
            (first, last),
        )
        cells = self.db.execute(
            "SELECT c.trace, c.no, c.trait, ifnull(x.toml, ''),"
            " f.n, f.at, f.by, f.name, f.body, f.part_of, f.as_agent"
            " FROM cells c"
            " LEFT JOIN extras x ON x.trace = c.trace AND x.cell = c.no"
            " LEFT JOIN facts f ON f.cell = c.no"
            " WHERE c.trace BETWEEN ? AND ? ORDER BY c.trace, c.no, f.n",
            (first, last),
        )
        by_trace = groupby(cells, key=lambda row: row[0])
        trace_no, rows = next(by_trace, (0, iter(())))
        for number, body, extra in traces:
            trace = Trace.model_validate(from_json(body))
            text = trace_text(trace, tomli.loads(extra) if extra else {})
            if trace_no == number:
                text += "".join(self._cell_texts(trace, rows))
                trace_no, rows = next(by_trace, (0, iter(())))
            yield text

    def _cell_texts(self, trace: Trace, rows: Iterator[tuple[Any, ...]]) -> list[str]:
        """Return the texts of a trace's cells in the audit file, in the order of the rubric.

        It is the rubric's order whatever the order of `rows`, and of the file of which the
        workspace was made. `rows` are the rows of this trace alone, of those that `texts` reads;
        all are consumed.
        """
        traits = self.rubric.traits_of(trace)
        texts = {}
        for (_, name, extra), happened in groupby(rows, key=lambda row: row[1:4]):
            facts = [fact_of(*row[4:]) for row in happened if row[4] is not None]
            cell = fold(self.subject(traits[name], trace), facts)
            extra_keys = tomli.loads(extra) if extra else {}
            texts[name] = cell_text(AuditedCell(trace, cell, extra_keys))
        return [texts[name] for name in traits if name in texts]


# -- what comes in --------------------------------------------------------------------------------

_OF_A_CELL = 50
"""Characters that a cell with facts counts for."""


class _NewTrace(NamedTuple):
    """A trace that is to be added."""

    trace: Trace
    happened: Mapping[str, Sequence[Fact]]
    """The facts of its cells, by trait."""
    body: dict[str, Any]
    """Its fields, as they are kept."""
    text: str
    """Its fields in JSON."""


def _batches(
    traces_with_facts: Iterable[tuple[Trace, Mapping[str, Sequence[Fact]]]],
) -> Iterator[list[_NewTrace]]:
    """Yield new traces in lists of bounded size, each prepared to be written."""
    new_traces = (_new_trace(trace, happened) for trace, happened in traces_with_facts)
    return trace_rows.bounded(new_traces, _size_of_new_trace)


def _new_trace(trace: Trace, happened: Mapping[str, Sequence[Fact]]) -> _NewTrace:
    body = trace.model_dump(exclude_none=True)
    return _NewTrace(trace, happened, body, to_json(body))


def _size_of_new_trace(new_trace: _NewTrace) -> int:
    """Return how many characters a trace and its cells count for."""
    return len(new_trace.text) + _OF_A_CELL * len(new_trace.happened)


def _size_of_row(row: tuple[Any, ...]) -> int:
    """Return how many characters a row counts for whose last column is a trace's JSON."""
    return len(row[-1]) + _OF_A_CELL


# -- one of an earlier version --------------------------------------------------------------------

KEPT = {"meta", "traces", "earlier", "extras", "facts", "acts", "bookmarks", "seen"}
"""The tables that are made of nothing else; of `cells`, which these are and their numbers."""
_CELLS = (
    "SELECT c.no, c.trace, c.trait, t.body FROM old_cells c JOIN traces t ON t.no = c.trace"
    " ORDER BY c.no"
)
_EXTRAS = {
    ("traces", "toml"): "SELECT no, 0, toml FROM old_traces",
    ("cells", "extra"): "SELECT trace, no, extra FROM old_cells",
    ("judgments", "extra"): (
        "SELECT trace, cell, extra FROM old_judgments JOIN old_cells ON no = cell"
    ),
}
"""Where unknown keys were before there were `extras`, by table and column."""


def rebuild(db: sqlite3.Connection, on_progress: OnProgress) -> None:
    """Make a workspace of an earlier version one of today, in one transaction.

    `on_progress` gets the number of a trace or cell that is done, and the share of all from 0 to 1.
    If anything is raised, also by it, the file is as it was.
    """
    try:
        db.execute("BEGIN IMMEDIATE")
        _take_over(db)
        (count,) = db.execute("SELECT count(*) FROM traces").fetchone()
        rows = db.execute("SELECT no, body FROM traces ORDER BY no")
        for batch in trace_rows.bounded(rows, _size_of_row):
            first_no, _ = batch[0]
            last_no, _ = batch[-1]
            traces = [json.loads(body) for _, body in batch]
            trace_rows.keep(db, first_no, traces)
            on_progress(last_no, last_no / count / 2)
        _fill_cells(db, lambda done, part: on_progress(done, part and (1 + part) / 2))
        db.execute("DROP TABLE old_cells")
        db.execute("COMMIT")
    except BaseException:
        db.rollback()
        raise


def _take_over(db: sqlite3.Connection) -> None:
    """Give the database of an earlier version the tables of today, within the open transaction.

    Rows of the tables in `KEPT` are taken over, in the columns that both versions have. Keys
    unknown to Appellate go into `extras`. The table of cells is renamed to `old_cells` and the new
    one stays empty, for `_fill_cells` to write. All other old tables and all old indexes are
    dropped.
    """
    sql = "SELECT name FROM sqlite_master WHERE type = ? AND sql IS NOT NULL"
    for (name,) in db.execute(sql, ("index",)).fetchall():
        db.execute(f"DROP INDEX {name}")
    old_columns = {
        name: _columns(db, name) for (name,) in db.execute(sql, ("table",)).fetchall()
    }
    with closing(sqlite3.connect(":memory:")) as today:
        tables.create_tables(today)
        stay = {name for name in KEPT if _columns(today, name) == old_columns.get(name)}
    for name in old_columns.keys() - stay:
        db.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
    tables.create_tables(db)
    for name in (old_columns.keys() & KEPT) - stay:
        columns = [each for each in _columns(db, name) if each in old_columns[name]]
        shared = ", ".join(columns)
        db.execute(f"INSERT INTO {name} ({shared}) SELECT {shared} FROM old_{name}")  # noqa: S608
    if "name" not in old_columns["acts"]:
        db.execute(
            "UPDATE acts SET name = (SELECT name FROM facts WHERE facts.n = acts.n)",
        )
    for (name, column), rows in _EXTRAS.items():
        if column in old_columns.get(name, ()):
            _keep_unknown(db, db.execute(rows))
    for name in old_columns.keys() - stay - {"cells"}:
        db.execute(f"DROP TABLE old_{name}")


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    """Return the names of a table's columns, in order; empty if there is no such table."""
    return [
        name
        for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))
    ]


def _keep_unknown(db: sqlite3.Connection, rows: Iterable[tuple[int, int, str]]) -> None:
    """Write the unknown keys of traces and of cells.

    Each row is a trace, a cell (0 for the trace itself) and TOML. That of a trace has its known
    keys, too.
    """
    for trace_no, cell, text in rows:
        keys = tomli.loads(text)
        if cell == 0 and keys.get("traces"):
            table = keys["traces"][-1]
            keys = {key: table[key] for key in table if key not in Trace.model_fields}
        if keys:
            toml = "".join(emit(keys))
            db.execute("INSERT INTO extras VALUES (?, ?, ?)", (trace_no, cell, toml))


def _fill_cells(db: sqlite3.Connection, on_progress: OnProgress) -> None:
    """Write all that is derived from the facts of the cells, which `old_cells` names.

    The traces of the sample are written, too, and running totals. It is done in the open
    transaction. `on_progress` gets the number of a trace, and the share of the cells that are done.
    """
    (count,) = db.execute("SELECT count(*) FROM old_cells").fetchone()
    sums = projection.Sums()
    for fact in design_in(db):
        keep_drawn(db, fact)
    folded = cell_reader(db)
    rows = db.execute(_CELLS)
    for batch in trace_rows.bounded(rows, _size_of_row):
        cells: list[projection.NewCell] = []
        for number, trace_no, trait, body in batch:
            cell = folded(number, trait, body)
            cells.append((trace_no, cell.subject, cell.facts))
            on_progress(trace_no, number / count)
        projection.add_cells(db, sums, cells)
    sums.keep(db)
