"""The cells of a workspace as rows, and what a reviewer marked or has seen."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from appellate.core.cell import Cell, State
from appellate.core.facts import NOT_ASKED
from appellate.core.kind import Source
from appellate.core.trace import name_of
from appellate.query.sql import STATE_SEEN
from appellate.store.database import Database, reading

StepDirection = Literal[1, -1]
"""Which way one goes: to what comes next, or back to what comes before."""


class CellRow(Struct, frozen=True):
    """A cell as the queue shows it."""

    no: int
    trace_no: int
    trace_id: str
    epoch: int
    trait: str
    state: str
    flag: bool
    breaches: int
    """How many things in the labels are inconsistent."""
    unverified: int
    """How many excerpts are not found in the text."""
    headline: float | None
    """The measure that cells have in the queue; None for 0/0 and without labels."""
    disagreement: float | None
    """How much the members of a panel disagree, from 0 to 1; None if that is not known."""
    suspect: int | None
    """How many passages of the trace speak to the judge; None if nobody looked."""
    example: int
    """Whether a judge was shown the cell as an example; 0 is no."""
    outdated: int
    """Whether the cell was signed off under another version of its trait; 0 is no."""
    hasty: int
    """Whether the cell was signed off by somebody who had hardly seen it; 0 is no."""
    word: str
    """What people call the value of `headline`, or ""."""
    model: str
    question: str
    """The beginning of the trace's own question, or ""."""
    question_id: str
    """The id of the rubric's question, if the trace has no question of its own; else ""."""
    commented: int
    """Whether a comment is about the cell; 0 is no."""

    @property
    def name(self) -> str:
        """The name of the cell: its trace with the epoch, and its trait."""
        return f"{name_of(self.trace_id, self.epoch)} · {self.trait}"


_ROW = f"""SELECT c.no, c.trace, t.id, t.epoch, c.trait, {STATE_SEEN},
c.flag, c.breaches, c.unverified, c.headline, c.disagreement,
nullif(c.suspect, -1), c.example, c.outdated, c.hasty,
CASE c.figures WHEN '' THEN '' ELSE ifnull(json_extract(c.figures, '$.word'), '') END,
h.model, h.question, h.question_id,
EXISTS (SELECT 1 FROM facts f JOIN acts a ON a.n = f.n
  WHERE f.cell = c.no AND f.name = 'commented' AND a.undone IS NULL)
FROM cells c JOIN traces t ON t.no = c.trace JOIN heads h ON h.trace = c.trace"""  # noqa: S608
_MISSING = (
    "cells INDEXED BY cells_missing"
    " WHERE (state IN ('pending', 'failed') OR (sampled > 0 AND round = 0))"
)
_FROM = "source IN (SELECT value FROM json_each(?)) AND kind IN (SELECT value FROM json_each(?))"
_JUDGED_BEFORE = (
    "round < ? AND state NOT IN ('pending', 'failed') AND NOT (sampled > 0 AND round"
    " = 0)"
)
"""Cells with labels, a judge's or a person's, that are not missing."""


class Sources(Struct, frozen=True):
    """Which cells count: those whose labels come from some sources, of traits of some kinds."""

    sources: Sequence[Source]
    kinds: Sequence[str]

    @property
    def bound(self) -> tuple[str, str]:
        return json.dumps(self.sources), json.dumps(self.kinds)


class Cells:
    """The cells of an open workspace, numbered from 1 in the order they were loaded."""

    def __init__(self, file: Database) -> None:
        self._file = file

    def count(self) -> int:
        return self._file.number("SELECT ifnull(max(no), 0) FROM cells")

    def rows(self, start: int, count: int) -> list[CellRow]:
        """Return at most `count` cells from index `start` (0-based) on, in the order loaded.

        There are fewer at the end, and none beyond it.
        """
        rows = self._file.db.execute(
            f"{_ROW} WHERE c.no > ? ORDER BY c.no LIMIT ?",
            (start, count),
        )
        return [CellRow(*row) for row in rows]

    def rows_of(self, numbers: Iterable[int]) -> list[CellRow]:
        """Return the cells with these numbers, in the order in which the numbers are given.

        A number that comes twice gives its cell twice. Raises KeyError if there is no cell with one
        of them.
        """
        cell_nos = list(numbers)
        marks = ", ".join("?" * len(cell_nos))
        sql = f"{_ROW} WHERE c.no IN ({marks})"
        rows: dict[int, CellRow] = {}
        for values in self._file.db.execute(sql, cell_nos):
            row = CellRow(*values)
            rows[row.no] = row
        return [rows[number] for number in cell_nos]

    def row(self, number: int) -> CellRow:
        """Return the cell with this number. Raises KeyError if there is none."""
        [row] = self.rows_of([number])
        return row

    def trace_of(self, number: int) -> int:
        return self._file.number("SELECT trace FROM cells WHERE no = ?", number)

    def headings(self, number: int) -> int:
        """Return how many traces begin among the cells up to this one, it included."""
        return self._file.number("SELECT heading FROM cells WHERE no = ?", number)

    def in_states(
        self,
        states: Sequence[State],
        among: Sequence[int] | None = None,
    ) -> set[int]:
        """Return the numbers of the cells whose state is one of these.

        With `among`, only cells with these numbers count; none do if it is empty.
        """
        marks = ", ".join("?" * len(states))
        sql = f"SELECT no FROM cells WHERE state IN ({marks})"  # noqa: S608
        if among is None:
            return set(self._file.column(sql, *states))
        marks = ", ".join("?" * len(among))
        sql += f" AND no IN ({marks})"
        return set(self._file.column(sql, *states, *among))

    # -- finding one ------------------------------------------------------------------------------

    def next_in(
        self,
        states: Iterable[State],
        after: int,
        *,
        backwards: bool = False,
    ) -> int | None:
        """Return the number of the nearest cell after cell `after` whose state is one of these.

        Cells are in the order of their numbers, from 1. Cell `after` itself is passed over, and
        need not exist. With `backwards` the nearest cell before it is returned. Returns None if
        there is none: it does not begin again at the other end.
        """
        sql = "SELECT min(no) FROM cells WHERE state = ? AND no > ?"
        if backwards:
            sql = "SELECT max(no) FROM cells WHERE state = ? AND no < ?"
        near: list[int] = []
        for state in states:
            (number,) = self._file.db.execute(sql, (state, after)).fetchone()
            if number is not None:
                near.append(number)
        if backwards:
            return max(near, default=None)
        return min(near, default=None)

    def number(self, key: tuple[str, int], trait: str) -> int:
        """Return the number of the cell of a trace, by id and epoch, under a trait.

        Raises TypeError if there is no such cell.
        """
        return self._file.number(
            "SELECT c.no FROM cells c JOIN traces t ON t.no = c.trace"
            " WHERE t.id = ? AND t.epoch = ? AND c.trait = ?",
            *key,
            trait,
        )

    def first_of_next(self, trace_no: int, direction: StepDirection) -> int | None:
        """Return the number of the first cell of the next trace that has cells, or of the previous.

        `direction` 1 means the traces after trace `trace_no`, and -1 those before it. Returns None
        if there is none in that direction.
        """
        sql = "SELECT trace FROM cells WHERE trace < ? ORDER BY trace DESC LIMIT 1"
        if direction > 0:
            sql = "SELECT trace FROM cells WHERE trace > ? ORDER BY trace ASC LIMIT 1"
        row = self._file.db.execute(sql, (trace_no,)).fetchone()
        if row is None:
            return None
        (next_trace_no,) = row
        sql = "SELECT min(no) FROM cells WHERE trace = ?"
        return self._file.number(sql, next_trace_no)

    def of_trace(self, trace_no: int) -> dict[str, int]:
        """Return the numbers of a trace's cells by the names of their traits, in ascending order.

        Empty for a trace without cells, or a number that no trace has.
        """
        sql = "SELECT trait, no FROM cells WHERE trace = ? ORDER BY no"
        return dict(self._file.db.execute(sql, (trace_no,)))

    def has_hidden(self, trace_no: int) -> bool:
        """Return whether the judge of some cell of a trace is hidden until a person has ruled.

        False once all of them are ruled on, and for a trace without cells.
        """
        sql = "SELECT EXISTS (SELECT 1 FROM cells WHERE trace = ? AND sampled = 2)"
        ((is_hidden,),) = self._file.db.execute(sql, (trace_no,))
        return bool(is_hidden)

    # -- to be judged -----------------------------------------------------------------------------

    def missing(self, sources: Sources, after: int, count: int) -> list[int]:
        """Return the numbers of the next cells that no judge has judged, in ascending order.

        Only cells count whose labels come from one of `sources`, of the kinds of traits that these
        name. Cells on which a judge failed are among them, and those that a person ruled on first.
        At most `count` are returned, with numbers above `after`; 0 begins with the first.
        """
        missing = f"SELECT no FROM {_MISSING} AND {_FROM}"  # noqa: S608
        sql = f"{missing} AND no > ? ORDER BY no LIMIT ?"
        return self._file.column(sql, *sources.bound, after, count)

    def count_missing(self, sources: Sources) -> int:
        sql = f"SELECT count(*) FROM {_MISSING} AND {_FROM}"  # noqa: S608
        return self._file.number(sql, *sources.bound)

    def judged_before(
        self,
        round_no: int,
        sources: Sources,
        after: int,
        count: int,
    ) -> list[int]:
        """Return the numbers of the next cells that were judged last before this round, ascending.

        Only cells count whose labels come from one of `sources`, of the kinds of traits that these
        name. Cells that only a person labelled are among them. Cells without labels, and those on
        which a judge failed since, are left out. At most `count` are returned, with numbers above
        `after`.
        """
        select_cells = f"SELECT no FROM cells WHERE {_JUDGED_BEFORE} AND {_FROM}"  # noqa: S608
        sql = f"{select_cells} AND no > ? ORDER BY no LIMIT ?"
        return self._file.column(sql, round_no, *sources.bound, after, count)

    def count_judged_before(self, round_no: int, sources: Sources) -> int:
        sql = f"SELECT count(*) FROM cells WHERE {_JUDGED_BEFORE} AND {_FROM}"  # noqa: S608
        return self._file.number(sql, round_no, *sources.bound)

    def failures(self, round_no: int, sources: Sources) -> dict[int, int]:
        """Return how often judges failed on each cell that is yet to be judged in a round.

        The counts are by the cell's number. Such cells are those that are `missing` and, after the
        first round, those that were `judged_before`, of the same `sources`. A failure counts only
        if the judge was asked. Cells without any failure are left out.
        """
        times = (
            "SELECT no, (SELECT count(*) FROM facts WHERE cell = no AND name = 'failed'"
            " AND instr(json_extract(body, '$.error'), ?) = 0) AS times"
        )
        sql = f"{times} FROM {_MISSING} AND {_FROM} AND times > 0"
        failure_counts = dict(self._file.db.execute(sql, (NOT_ASKED, *sources.bound)))
        if round_no > 1:
            sql = f"{times} FROM cells WHERE {_JUDGED_BEFORE} AND {_FROM} AND times > 0"
            failure_counts |= self._file.db.execute(
                sql,
                (NOT_ASKED, round_no, *sources.bound),
            )
        return failure_counts

    def of_longest_traces(self, numbers: Sequence[int], count: int) -> list[int]:
        """Return at most `count` of these cells, those of the largest traces first.

        A trace is as large as what is stored of it. Of cells of one size the lower number comes
        first. Numbers of no cell are left out.
        """
        sql = (
            "SELECT c.no FROM json_each(?) AS wanted JOIN cells c ON c.no = wanted.value"
            " JOIN traces t ON t.no = c.trace ORDER BY length(t.body) DESC, c.no LIMIT ?"
        )
        return self._file.column(sql, json.dumps(numbers), count)

    def count_of_kind(self, numbers: Sequence[int], kind: str) -> int:
        """Return how many of the cells with these numbers are of traits of one kind.

        `kind` is the kind's name.
        """
        sql = "SELECT count(*) FROM cells WHERE kind = ? AND no IN (SELECT value FROM json_each(?))"
        return self._file.number(sql, kind, json.dumps(numbers))

    def count_judged_by(self, names: Sequence[str], sources: Sources) -> int:
        """Return how many cells were judged last by one of these judges alone, not on a panel.

        `names` are the names of judges as audits keep them. Only cells count whose labels come from
        one of `sources`, of the kinds of traits that these name.
        """
        condition = "judged_by IN (SELECT json_array(value) FROM json_each(?))"
        sql = f"SELECT count(*) FROM cells WHERE {condition} AND {_FROM}"  # noqa: S608
        return self._file.number(sql, json.dumps(names), *sources.bound)

    def last_round(self) -> int:
        """Return the number of the latest round in which any cell was judged; 0 if none was."""
        return self._file.number("SELECT ifnull(max(round), 0) FROM cells")

    # -- bookmarks --------------------------------------------------------------------------------

    def bookmarks(self, by: str) -> list[int]:
        sql = "SELECT cell FROM bookmarks WHERE by = ? ORDER BY cell"
        return self._file.column(sql, by)

    def set_bookmark(self, by: str, number: int, on: bool) -> None:
        """Set a reviewer's bookmark on a cell, or remove it if `on` is False.

        Nothing changes if it is so already. Raises NotKept if the disk refuses.
        """
        sql = "DELETE FROM bookmarks WHERE by = ? AND cell = ?"
        if on:
            sql = "INSERT OR IGNORE INTO bookmarks VALUES (?, ?)"
        with self._file.transaction():
            self._file.db.execute(sql, (by, number))


class SeenItems:
    """The items of each cell that a reviewer has seen, by name.

    They are written when the reviewer's position is, not at every key. A new proposal, or another
    version of the trait, makes them unseen.
    """

    def __init__(self, file: Database, by: str) -> None:
        """Begin with nothing noted, for a workspace and a reviewer's name; nothing is read yet."""
        self._file = file
        self._reviewer = by
        self._seen: dict[int, tuple[int, frozenset[str]]] = {}
        self._unwritten: set[int] = set()

    def of(self, number: int, cell: Cell) -> frozenset[str]:
        """Return the names of a cell's items that the reviewer has seen as they are now.

        `number` is the cell's number. They are read from the workspace once, and what was noted
        since is among them. Empty if the cell was proposed anew, or its trait changed, since they
        were seen.
        """
        if number not in self._seen:
            sql = "SELECT since, items FROM seen WHERE by = ? AND cell = ?"
            row = self._file.db.execute(sql, (self._reviewer, number)).fetchone()
            seen_since, items = row or (0, "[]")
            self._seen[number] = (seen_since, frozenset(json.loads(items)))
        seen_since, names = self._seen[number]
        if seen_since != _since(cell):
            return frozenset()
        return names

    def note(self, number: int, cell: Cell, names: frozenset[str]) -> None:
        """Note that these items of a cell were seen, as well as those that were seen before.

        `number` is the cell's number. Nothing is written until `write`, and nothing is noted if all
        of them were seen.
        """
        seen_names = self.of(number, cell)
        if names <= seen_names:
            return
        self._seen[number] = (_since(cell), seen_names | names)
        self._unwritten.add(number)

    @property
    def unwritten(self) -> bool:
        """Whether `write` has something to do."""
        return bool(self._unwritten)

    def write(self) -> None:
        """Write what was noted, in the caller's transaction; do nothing if nothing was.

        It stays noted until `written`, which is to be called once the transaction is kept.
        """
        for number in self._unwritten:
            since, names = self._seen[number]
            row = (
                self._reviewer,
                number,
                since,
                json.dumps(sorted(names), ensure_ascii=False),
            )
            self._file.db.execute(
                "INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)",
                row,
            )

    def written(self) -> None:
        self._unwritten.clear()


def _since(cell: Cell) -> int:
    """Return the number of the last fact that changed which items a cell has, corrections aside.

    That is the proposal that its labels began with, or a later change of its trait; 0 without
    either.
    """
    if cell.base is None:
        return cell.revised
    return max(cell.base.n, cell.revised)


def signed_off(path: Path, trait: str) -> list[tuple[int, str, int]]:
    """Return the cells of a trait that can be examples: number, trace id and epoch, in order.

    They are signed off under the trait as it is now, contradict nothing, have every excerpt found,
    and are outside of the sample, which measures the judge. The workspace is opened to be read, so
    any thread may call this. Raises sqlite3.Error if it cannot be read.
    """
    with reading(path) as db:
        rows = db.execute(
            "SELECT c.no, t.id, t.epoch FROM cells c JOIN traces t ON t.no = c.trace"
            " WHERE c.state = 'reviewed' AND c.sampled = 0 AND c.trait = ?"
            " AND c.breaches = 0 AND c.unverified = 0 AND c.outdated = 0 ORDER BY c.no",
            (trait,),
        )
        return rows.fetchall()
