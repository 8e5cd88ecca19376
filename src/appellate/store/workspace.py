"""The SQLite file an audit is worked on in: traces, append-only facts, and projections of them.

One transaction keeps a fact and everything derived from it: the cell's row and the running totals. Whatever was
kept survives a crash; opening costs the same for any number of traces. The audit's text is made when it is written.
"""

import json
import os
import socket
import sqlite3
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

from filelock import FileLock, Timeout

from appellate.core.cell import Cell, evolve, fold
from appellate.core.facts import Fact, What, from_row, to_row
from appellate.core.headway import Heard, deaf
from appellate.core.kind import Subject
from appellate.core.totals import AnswerStats
from appellate.core.trace import Trace
from appellate.store import acts, places, pleas, projection, schema, trait_stats
from appellate.store.acts import ActRow
from appellate.store.audit import AuditedCell, cell_text, trace_text
from appellate.store.places import TracePlace
from appellate.store.schema import WorkspaceUnknown
from appellate.store.toml import emit
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric

_BATCH = 256
_LONGEST_EPOCH = 18
_PRIMARY = 0xFF
"""The part of SQLite's error codes that says what sort of error it is."""
_PAGES = 10_000
"""Pages of the log that are folded into the file at once; that takes a while, so not too often."""


class NotKept(Exception):
    """Nothing was changed; the message is a clause that says why."""

    standing = "What was kept before is kept."

    @classmethod
    def by_disk(cls, error: Exception) -> Self:
        return cls(f"the disk refuses ({getattr(error, 'strerror', None) or error})")


class WorkspaceLost(NotKept):
    """What is written here nobody would find again: the file is not where it was opened, or another process's now."""

    standing = "What was done since it was opened may be in no file."


class WorkspaceLocked(Exception):
    """Another process writes this workspace; the message says who."""


@dataclass(frozen=True, slots=True)
class CellRow:
    """A cell as the queue shows it; `headline` is its last requested metric's value, None if 0/0 or none.

    `disagreement` is a panel's (0 … 1), `suspect` counts passages that speak to the judge, None where nobody has
    looked for them yet, `example` is whether a judge was shown the cell, `outdated` whether it was last signed off
    under another version of its trait.
    """

    no: int
    trace_no: int
    trace_id: str
    epoch: int
    trait: str
    state: str
    flag: bool
    breaches: int
    unverified: int
    headline: float | None
    disagreement: float | None
    suspect: int | None
    example: int
    outdated: int


_ROW = """SELECT c.no, c.trace, t.id, t.epoch, c.trait, c.state, c.flag, c.breaches, c.unverified, c.headline,
c.disagreement, nullif(c.suspect, -1), c.example, c.outdated FROM cells c JOIN traces t ON t.no = c.trace"""


class Workspace:
    """An open workspace; the only writer, or a reader."""

    def __init__(
        self, path: Path, *, readonly: bool = False, blank: tuple[Rubric, str] | None = None, heard: Heard = deaf
    ) -> None:
        """`blank` is for `making` alone: what a file begins with (rubric, version) that nobody else sees.

        `heard` hears how an older one is brought up to date.
        """
        self.readonly = readonly
        self._heard = heard
        self._blank = blank
        lock = None if readonly or blank else locked(path)
        try:
            self.attach(path, lock)
        except BaseException:
            if lock:
                lock.release()
            raise

    # -- opening and closing ----------------------------------------------------------------------

    def attach(self, path: Path, lock: FileLock | None) -> None:
        """Opens the file that there is, under a lock that is held, and goes by what it says."""
        self._db = self._connect(path)
        self.path, self._lock = path, lock
        self._opened = [] if self.readonly or self._blank else _files(path)
        self._sums = projection.Sums()
        self.read_rubric()

    def move(self, path: Path, lock: FileLock) -> None:
        """Goes on in another file that holds the same, and leaves this one."""
        before, held, opened = self._db, self._lock, self._opened
        self.attach(path, lock)
        before.close()
        _set_log_aside(opened)
        if held:
            held.release()

    def copy_to(self, there: sqlite3.Connection) -> None:
        """Copies everything that is kept, also where the file has no name any more."""
        self._db.backup(there)

    def detach(self) -> None:
        """Closes the file; the lock is left to who holds it."""
        self._db.close()
        self._blank = None

    def _connect(self, path: Path) -> sqlite3.Connection:
        mode = "ro" if self.readonly else "rw"
        try:
            db = _connected(path, mode)
        except sqlite3.OperationalError as error:
            raise WorkspaceUnknown(f"{path} cannot be opened ({error}).") from error
        try:
            self._prepare(db, path)
        except sqlite3.DatabaseError as error:
            db.close()
            if _is_of_disk(error):
                raise NotKept.by_disk(error) from error
            raise WorkspaceUnknown(f"{path} is not a workspace ({error})") from error
        except BaseException:
            db.close()
            raise
        return db

    def _prepare(self, db: sqlite3.Connection, path: Path) -> None:
        db.execute("PRAGMA busy_timeout = 5000")
        if self._blank:  # nobody else sees the file, and one that is not finished is thrown away
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            schema.create(db, *self._blank)
        self.was_version = schema.recognise(db, path, readonly=self.readonly, heard=self._heard)
        if not self.readonly and not self._blank:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute(f"PRAGMA wal_autocheckpoint = {_PAGES}")
            self._holder = _say_holder(db)

    def close(self) -> None:
        self._db.close()
        _set_log_aside(self._opened)
        if self._lock:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; raises NotKept where the disk refuses, with nothing changed."""
        if self._db.in_transaction:
            yield
            return
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._sums.keep(self._db)
            self._commit()
        except sqlite3.OperationalError as error:
            self._roll_back()
            raise NotKept.by_disk(error) from error
        except BaseException:
            self._roll_back()
            raise

    def _commit(self) -> None:
        if why := self.lost():
            raise WorkspaceLost(why)
        self._db.execute("COMMIT")

    def lost(self) -> str:
        """Why nothing more can be kept here, if so."""
        if not self._opened:
            return ""
        return self.displaced() or ("" if self.meta("holder") == self._holder else self._taken_over())

    def displaced(self) -> str:
        """Why what is written here would not be found again, if so; for any thread."""
        for path, opened in self._opened:
            if _identity(path) != opened:
                return f"{path.name} was deleted, moved or replaced while it was open"
        return ""

    def _taken_over(self) -> str:
        return f"{self.path.name} was taken over by another process (its lock file was deleted)"

    def read_rubric(self) -> None:
        """Goes by the rubric, and the earlier versions of its traits, that are kept."""
        self.rubric = Rubric.model_validate_json(self.meta("rubric") or "{}")
        self._revision = self.meta("revision")
        self.earlier = schema.earlier_traits(self._db)

    def _roll_back(self) -> None:
        self._sums = projection.Sums()
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    @contextmanager
    def swift_transaction(self) -> Iterator[None]:
        """The same without waiting for the disk: it outlives the program, and a power cut only once `settle` ran."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("PRAGMA synchronous = NORMAL")
        try:
            with self.transaction():
                yield
        finally:
            self._db.execute("PRAGMA synchronous = FULL")

    def settle(self) -> None:
        """Waits until the disk has everything; raises NotKept."""
        self.set_meta("settled", str(self.last_n()))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads in it see one moment, whatever a writer does meanwhile."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("ROLLBACK")

    # -- small values -----------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        with self.transaction():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    # -- traces -----------------------------------------------------------------------------------

    def add(self, trace: Trace, extra: Mapping[str, Any] | None = None) -> int:
        """Adds a trace and its cells, all pending; returns the trace's number."""
        self.add_all([trace])
        number = self.count_traces()
        self._keep_extra(number, 0, extra or {})
        return number

    def add_all(self, traces: Iterable[Trace]) -> int:
        """Adds traces and their cells, all pending, however many there are; returns how many."""
        first = number = self.count_traces() + 1
        coming = iter(traces)
        with self.transaction():
            while batch := list(enumerate(islice(coming, _BATCH), number)):
                rows = [(no, trace.id, trace.epoch, _body(trace)) for no, trace in batch]
                self._db.executemany("INSERT INTO traces (no, id, epoch, body) VALUES (?, ?, ?, ?)", rows)
                projection.add_cells(
                    self._db, self._sums, [(no, cell) for no, trace in batch for cell in self._pending(trace)]
                )
                if any(trace.judgments for _, trace in batch):
                    self.set_meta("recorded", "yes")
                number += len(batch)
        return number - first

    def _pending(self, trace: Trace) -> list[Cell]:
        """The cells of a trace to which nothing has happened yet."""
        traits = self.rubric.traits_for(self.rubric.question_of(trace))
        return [fold(self.subject(trait, trace), ()) for trait in traits]

    def _keep_extra(self, trace_no: int, cell: int, extra: Mapping[str, Any]) -> None:
        if extra:
            self._db.execute("INSERT INTO extras VALUES (?, ?, ?)", (trace_no, cell, "".join(emit(extra))))

    def add_cell(self, trace_no: int, trace: Trace, trait: Any) -> None:
        """Adds a cell to a trace that is there, pending."""
        projection.add_cells(self._db, self._sums, [(trace_no, fold(self.subject(trait, trace), ()))])

    def subject(self, trait: Any, trace: Trace) -> Subject:
        """What a cell of a trait is about."""
        return Subject(kinds()["metric"], trait, trace, self.earlier)

    def trace_no(self, key: tuple[str, int]) -> int | None:
        row = self._db.execute("SELECT no FROM traces WHERE id = ? AND epoch = ?", key).fetchone()
        return row[0] if row else None

    def trace(self, number: int) -> Trace:
        (body,) = self._db.execute("SELECT body FROM traces WHERE no = ?", (number,)).fetchone()
        return Trace.model_validate(json.loads(body))

    def count_traces(self) -> int:
        return self._number("SELECT ifnull(max(no), 0) FROM traces")

    def _number(self, sql: str) -> int:
        return int(self._db.execute(sql).fetchone()[0])

    # -- cells ------------------------------------------------------------------------------------

    def count(self) -> int:
        return self._number("SELECT ifnull(max(no), 0) FROM cells")

    def rows(self, start: int, count: int) -> list[CellRow]:
        """Cells `start` (0-based) and following, in the order loaded."""
        found = self._db.execute(f"{_ROW} WHERE c.no > ? ORDER BY c.no LIMIT ?", (start, count))
        return [CellRow(*row) for row in found]

    def rows_of(self, numbers: Iterable[int]) -> list[CellRow]:
        """These cells, in this order."""
        wanted = list(numbers)
        marks = ", ".join("?" * len(wanted))
        found = {row[0]: CellRow(*row) for row in self._db.execute(f"{_ROW} WHERE c.no IN ({marks})", wanted)}
        return [found[number] for number in wanted]

    def row(self, number: int) -> CellRow:
        return CellRow(*self._db.execute(f"{_ROW} WHERE c.no = ?", (number,)).fetchone())

    def cell(self, number: int) -> tuple[Trace, Cell]:
        """A cell folded from its facts, and its trace; the same for any number of traces."""
        if self.readonly and self.meta("revision") != self._revision:
            self.read_rubric()  # the writer took a changed rubric
        trace_no, trait_name = self._db.execute("SELECT trace, trait FROM cells WHERE no = ?", (number,)).fetchone()
        trace = self.trace(trace_no)
        traits = self.rubric.traits_for(self.rubric.question_of(trace))
        trait = next(trait for trait in traits if trait.name == trait_name)
        return trace, fold(self.subject(trait, trace), self.facts(number))

    def facts(self, number: int) -> list[Fact]:
        """Everything that happened to a cell, in order."""
        sql = "SELECT n, at, by, name, body, part_of FROM facts WHERE cell = ? ORDER BY n"
        found = self._db.execute(sql, (number,))
        return [_fact(*row) for row in found]

    def next_in(self, states: Iterable[str], after: int, *, backwards: bool = False) -> int | None:
        """The nearest cell after (before) a number whose state is one of these."""
        sql = "SELECT min(no) FROM cells WHERE state = ? AND no > ?"
        if backwards:
            sql = "SELECT max(no) FROM cells WHERE state = ? AND no < ?"
        found = (self._db.execute(sql, (state, after)).fetchone()[0] for state in states)
        near = [no for no in found if no is not None]
        return (max if backwards else min)(near, default=None)

    def cell_no(self, key: tuple[str, int], trait: str) -> int:
        found = self._db.execute(
            "SELECT c.no FROM cells c JOIN traces t ON t.no = c.trace WHERE t.id = ? AND t.epoch = ? AND c.trait = ?",
            (*key, trait),
        ).fetchone()
        return int(found[0])

    def cell_named(self, name: str, trait: str) -> int | None:
        """The cell of a trace by what it is called (`id`, `id#2` in its second epoch)."""
        found = self._db.execute(
            "SELECT c.no FROM traces t JOIN cells c ON c.trace = t.no WHERE c.trait = ?1 AND"
            " (t.id = ?2 AND t.epoch = 1 OR t.id = ?3 AND t.epoch = ?4) ORDER BY t.epoch LIMIT 1",
            (trait, name, *_apart(name)),
        ).fetchone()
        return found and int(found[0])

    def missing(self, after: int, count: int) -> list[int]:
        """The next cells that no judge has judged: pending and failed."""
        found = self._db.execute(
            "SELECT no FROM cells INDEXED BY cells_missing"
            " WHERE state IN ('pending', 'failed') AND no > ? ORDER BY no LIMIT ?",
            (after, count),
        )
        return [no for (no,) in found]

    def count_missing(self) -> int:
        """How many `missing` there are in all."""
        totals = self.totals()
        return totals.get("state:pending", 0) + totals.get("state:failed", 0)

    def judged_before(self, round_no: int, after: int, count: int) -> list[int]:
        """The next cells that were judged, but not in this round."""
        found = self._db.execute(
            "SELECT no FROM cells WHERE round > 0 AND round < ? AND state NOT IN ('pending', 'failed') AND no > ?"
            " ORDER BY no LIMIT ?",
            (round_no, after, count),
        )
        return [no for (no,) in found]

    def count_judged_before(self, round_no: int) -> int:
        """How many `judged_before` there are."""
        sql = "SELECT count(*) FROM cells WHERE round > 0 AND round < ? AND state NOT IN ('pending', 'failed')"
        return self._number_of(sql, round_no)

    def last_round(self) -> int:
        """The latest round that any cell was judged in."""
        return self._number("SELECT ifnull(max(round), 0) FROM cells")

    def first_cell_of(self, trace_no: int, by: int) -> int | None:
        """The first cell of the next (or previous) trace that has any."""
        side, order = (">", "ASC") if by > 0 else ("<", "DESC")
        row = self._db.execute(
            f"SELECT trace FROM cells WHERE trace {side} ? ORDER BY trace {order} LIMIT 1",  # noqa: S608
            (trace_no,),
        ).fetchone()
        return row and self._number_of("SELECT min(no) FROM cells WHERE trace = ?", row[0])

    def _number_of(self, sql: str, value: int) -> int:
        return int(self._db.execute(sql, (value,)).fetchone()[0])

    # -- facts ------------------------------------------------------------------------------------

    def append(self, number: int, cell: Cell, what: What, at: str, by: str) -> Cell:
        """Keeps a fact, durably, with all that follows from it; returns the cell after it."""
        after = evolve(cell, Fact(self.last_n() + 1, at, by, what))
        self.keep(number, cell, after)
        return after

    def keep(self, number: int, before: Cell, after: Cell) -> None:
        """Keeps the facts that a cell has beyond those it had, durably, with all that follows from them."""
        with self.transaction():
            for fact in after.facts[len(before.facts) :]:
                self._insert(number, fact)
            projection.project(self._db, self._sums, number, before, after)

    def restore(self, number: int, cell: Cell, extra: Mapping[str, Any]) -> None:
        """Keeps the facts of a cell as an audit file tells them, under their own numbers."""
        pending = fold(cell.subject, ())
        for fact in cell.facts:
            self._insert(number, fact)
        self._keep_extra(self.row(number).trace_no, number, extra)
        projection.project(self._db, self._sums, number, pending, cell)

    def replace_rubric(self, rubric: Rubric) -> None:
        """Keeps another rubric; the cells are the caller's matter, and `read_rubric` once all of it is kept."""
        with self.transaction():
            self.set_meta("rubric", json.dumps(rubric.to_file(), ensure_ascii=False))
            self.set_meta("revision", str(int(self.meta("revision") or 0) + 1))

    def keep_earlier(self, trait: Any) -> None:
        """Keeps a version of a trait that facts were made under."""
        row = (trait.sha256(), "metric", json.dumps(trait.to_file(), ensure_ascii=False))
        self._db.execute("INSERT OR IGNORE INTO earlier VALUES (?, ?, ?)", row)
        self.earlier[trait.sha256()] = trait

    def redo_cell(self, number: int, before: Cell, after: Cell, fact: Fact | None = None) -> None:
        """Keeps what a cell is under a changed trait, with the fact that says so."""
        if fact:
            self._insert(number, fact)
        projection.project(self._db, self._sums, number, before, after)

    def cells_of(self, trace_no: int) -> dict[str, int]:
        """The cells of a trace, by trait."""
        return dict(self._db.execute("SELECT trait, no FROM cells WHERE trace = ? ORDER BY no", (trace_no,)))

    def _insert(self, number: int, fact: Fact) -> None:
        name, body = to_row(fact.what)
        self._db.execute(
            "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)",
            (fact.n, number, fact.at, fact.by, name, json.dumps(body, ensure_ascii=False), fact.part_of),
        )
        if fact.is_act:
            self._db.execute("INSERT INTO acts VALUES (?, ?, ?, NULL, ?)", (fact.n, number, fact.by, name))
        of = body.get("of")
        if name == "undone":
            self._db.execute("UPDATE acts SET undone = ? WHERE n = ?", (fact.n, of))
        if name == "redone":
            self._db.execute("UPDATE acts SET undone = NULL WHERE n = ?", (of,))

    def last_n(self) -> int:
        return self._number("SELECT ifnull(max(n), 0) FROM facts")

    def last_at(self) -> str | None:
        row = self._db.execute("SELECT at FROM facts ORDER BY n DESC LIMIT 1").fetchone()
        return row[0] if row else None

    def undoable(self, by: str) -> list[tuple[int, int]]:
        """The last standing act of this reviewer: the number and the cell of each of its facts, the last first."""
        last = "SELECT n FROM acts WHERE by = ? AND undone IS NULL ORDER BY n DESC LIMIT 1"
        return list(reversed(self._whole_act(last, by)))

    def redoable(self, by: str) -> list[tuple[int, int]]:
        """The act that this reviewer undid last, unless they have acted since: its facts in order."""
        last = (
            "SELECT n FROM acts WHERE by = ?1 AND undone >"
            " (SELECT max(n) FROM acts WHERE by = ?1) ORDER BY undone DESC LIMIT 1"
        )
        return self._whole_act(last, by)

    def _whole_act(self, one: str, by: str) -> list[tuple[int, int]]:
        """All facts of the act to which the fact belongs that a query finds."""
        row = self._db.execute(one, (by,)).fetchone()
        if row is None:
            return []
        (first,) = self._db.execute("SELECT ifnull(part_of, n) FROM facts WHERE n = ?", (row[0],)).fetchone()
        sql = (
            "SELECT a.n, a.cell FROM acts a JOIN facts f ON f.n = a.n"
            " WHERE a.by = ?1 AND a.n >= ?2 AND ?2 IN (f.n, f.part_of) ORDER BY a.n"
        )
        return self._db.execute(sql, (by, first)).fetchall()

    def reviewers(self) -> list[str]:
        """Everybody who ever acted, by name."""
        return [by for (by,) in self._db.execute("SELECT DISTINCT by FROM acts ORDER BY by")]

    # -- totals -----------------------------------------------------------------------------------

    def totals(self, trait: str = "") -> dict[str, int]:
        """The running totals of a trait; of all cells ("" as the trait) only states, flags and cells."""
        self._sums.keep(self._db)
        return dict(self._db.execute("SELECT key, value FROM totals WHERE trait = ?", (trait,)).fetchall())

    def traits(self) -> list[str]:
        return [trait for (trait,) in self._db.execute("SELECT DISTINCT trait FROM totals WHERE trait <> ''")]

    def answer_stats(self, trait: str, limit: int = 1000) -> list[AnswerStats]:
        """How the instructions of a trait are answered, most overruled first."""
        self._sums.keep(self._db)
        return trait_stats.answer_stats(self._db, trait, limit)

    def distribution(self, trait: str, metric: str, side: str, bins: int = 20) -> list[int]:
        """How many cells fall into each part of 0 … 1; reads all cells, by a connection of its own (for a thread)."""
        with reading(self.path) as db:
            return trait_stats.distribution(db, trait, metric, side, bins)

    # -- what reviewers did, and their places -----------------------------------------------------

    def acts(self, by: str, start: int, count: int) -> list[ActRow]:
        """What a reviewer did, newest first."""
        return acts.acts(self._db, by, start, count)

    def count_acts(self, by: str) -> int:
        return acts.count_acts(self._db, by)

    def tally_since(self, n: int, by: str) -> dict[str, int]:
        """How often a reviewer did what after fact `n`, of what still stands (`acts.tally_since`)."""
        return acts.tally_since(self._db, n, by)

    def sign_offs(self, by: str, limit: int = 50) -> list[str]:
        """When a reviewer signed off last, newest first, ISO 8601."""
        return acts.sign_offs(self._db, by, limit)

    def bookmarks(self, by: str) -> list[int]:
        """The cells a reviewer bookmarked, by number."""
        return places.bookmarks(self._db, by)

    def set_bookmark(self, by: str, number: int, on: bool) -> None:
        with self.transaction():
            places.set_bookmark(self._db, by, number, on)

    def traces_like(self, text: str, limit: int = 20) -> list[TracePlace]:
        """Traces for what was typed: by number, by id, by the beginning of an id, by a part of one."""
        return places.traces_like(self._db, self.rubric, text, limit)

    # -- passages that speak to the judge -----------------------------------------------------------

    def look_for_pleas(self, cells: Iterable[int]) -> None:
        """Counts the passages of these cells' traces that speak to the judge, where nobody did yet, and keeps that."""
        with self.swift_transaction():
            pleas.keep(self._db, pleas.counted(self._db, pleas.unseen_of(self._db, cells)))

    def count_pleas(self, number: int) -> int:
        """How many passages of a cell's trace speak to the judge."""
        row = self.row(number)
        return pleas.counted(self._db, [row.trace_no])[row.trace_no] if row.suspect is None else row.suspect

    def look_for_more_pleas(self, after: int, count: int) -> int:
        """The same for the next traces; returns the last of them, 0 where all were looked at."""
        unseen = pleas.unseen(self._db, after, count)
        with self.swift_transaction():
            pleas.keep(self._db, pleas.counted(self._db, unseen))
        return max(unseen, default=0)

    def count_unseen(self) -> int:
        """How many traces nobody has looked at yet for passages that speak to the judge."""
        return self._number("SELECT count(DISTINCT trace) FROM cells WHERE suspect < 0")

    # -- the audit's text -------------------------------------------------------------------------

    def texts(self, first: int, last: int) -> Iterator[str]:
        """The parts of the audit file that traces `first` to `last` are, one text each."""
        traces = self._db.execute(
            "SELECT t.no, t.body, ifnull(x.toml, '') FROM traces t LEFT JOIN extras x ON x.trace = t.no AND x.cell = 0"
            " WHERE t.no BETWEEN ? AND ? ORDER BY t.no",
            (first, last),
        )
        cells = self._db.execute(
            "SELECT c.trace, c.no, c.trait, ifnull(x.toml, ''), f.n, f.at, f.by, f.name, f.body, f.part_of"
            " FROM cells c"
            " LEFT JOIN extras x ON x.trace = c.trace AND x.cell = c.no LEFT JOIN facts f ON f.cell = c.no"
            " WHERE c.trace BETWEEN ? AND ? ORDER BY c.trace, c.no, f.n",
            (first, last),
        )
        by_trace = groupby(cells, key=lambda row: row[0])
        at, rows = next(by_trace, (0, iter(())))
        for number, body, extra in traces:
            trace = Trace.model_validate(json.loads(body))
            text = trace_text(trace, tomllib.loads(extra))
            if at == number:
                text += "".join(self._cell_texts(trace, rows))
                at, rows = next(by_trace, (0, iter(())))
            yield text

    def _cell_texts(self, trace: Trace, rows: Iterator[tuple[Any, ...]]) -> Iterator[str]:
        traits = {trait.name: trait for trait in self.rubric.traits_for(self.rubric.question_of(trace))}
        for (_, name, extra), happened in groupby(rows, key=lambda row: row[1:4]):
            facts = [_fact(*row[4:]) for row in happened if row[4] is not None]
            cell = fold(self.subject(traits[name], trace), facts)
            yield cell_text(AuditedCell(trace, cell, tomllib.loads(extra)))

    def traces_since(self, n: int) -> list[int]:
        """The traces to whose cells anything happened after fact `n`, in order."""
        sql = "SELECT DISTINCT c.trace FROM facts f JOIN cells c ON c.no = f.cell WHERE f.n > ? ORDER BY c.trace"
        return [number for (number,) in self._db.execute(sql, (n,))]


def _body(trace: Trace) -> str:
    return json.dumps(trace.model_dump(exclude_none=True), ensure_ascii=False)  # NaN stays NaN


def _fact(n: int, at: str, by: str, name: str, body: str, part_of: int | None) -> Fact:
    return Fact(n, at, by, from_row(name, json.loads(body)), part_of)


def _apart(name: str) -> tuple[str, int]:
    """The id and the epoch in a trace's name, if it has one."""
    named, _, epoch = name.rpartition("#")
    return named, int(epoch) if epoch.isdecimal() and len(epoch) < _LONGEST_EPOCH else 1


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A reader's connection of its own that sees one moment; for a thread."""
    with closing(_connected(path, "ro")) as db:
        db.execute("PRAGMA busy_timeout = 5000")
        db.execute("BEGIN")
        yield db


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection of its own to note something durably beside the writer; for a thread."""
    with closing(_connected(path, "rw")) as db:
        db.execute("PRAGMA busy_timeout = 60000")
        db.execute("PRAGMA synchronous = FULL")
        yield db


def is_begun(path: Path) -> bool:
    """Whether there is a workspace; a file without a trace is what a crash left before there was one."""
    if not path.exists() or path.stat().st_size == 0:
        return False
    broken_off = path.with_name(f"{path.name}-journal").exists()  # only a writer can take it back
    try:
        with closing(_connected(path, "rw" if broken_off else "ro")) as db:
            return not schema.is_blank(db)
    except sqlite3.Error:
        return True  # what it is, opening it tells


def growing(path: Path) -> Path:
    """Where a workspace grows until it is whole."""
    real = path.resolve()
    return real.with_name(f".{real.name}.new")


def locked(path: Path) -> FileLock:
    """The right to write a workspace, free of what another left unfinished; raises WorkspaceLocked."""
    real = path.resolve()  # two names of one file are one workspace
    lock = FileLock(real.with_name(f".{real.name}.lock"), mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise WorkspaceLocked(holder(path)) from None
    growing(path).unlink(missing_ok=True)
    return lock


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)


def _is_of_disk(error: sqlite3.Error) -> bool:
    """Whether the disk refused, rather than that the file is wrong."""
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
    return code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


_Files = list[tuple[Path, tuple[int, int] | None]]


def _files(path: Path) -> _Files:
    """What an open workspace consists of (file, log, the log's index), and what these names lead to now."""
    real = path.resolve()
    names = (path, real.with_name(f"{real.name}-wal"), real.with_name(f"{real.name}-shm"))
    return [(name, _identity(name)) for name in names]


def _set_log_aside(opened: _Files) -> None:
    """Where another file took the place of a workspace, its log would be taken for that one's."""
    if not opened or _identity(opened[0][0]) in {None, opened[0][1]}:
        return
    for path, was in opened[1:]:
        if _identity(path) == was is not None:
            path.replace(path.with_name(f"{path.name}.old"))


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file a name leads to."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _say_holder(db: sqlite3.Connection) -> str:
    """Notes who writes from now on; `token` tells one opening from another."""
    told = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "token": token_hex(8)})
    db.execute("INSERT OR REPLACE INTO meta VALUES ('holder', ?)", (told,))
    return told


def holder(path: Path) -> str:
    """Who writes a workspace, in words."""
    try:
        with closing(_connected(path, "ro")) as db:
            row = db.execute("SELECT value FROM meta WHERE key = 'holder'").fetchone()
        told = json.loads(row[0])
    except (sqlite3.Error, TypeError, ValueError):
        return f"{path} is in use by another process."
    return f"{path} is being reviewed by process {told['pid']} on {told['host']}."
