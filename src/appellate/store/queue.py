"""The queue: cells in the order one goes through them, all or those that a query found.

What was found is a snapshot that never reorders; rows are read in windows.
"""

import json
import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, compress, count, repeat
from operator import attrgetter, ne
from pathlib import Path

from msgspec import Struct

from appellate.core.cell import STATES
from appellate.core.kind import Measure, QueryField, reads_conversation
from appellate.core.problem import many
from appellate.core.totals import widest
from appellate.query import sql
from appellate.query.language import Query, Vocabulary, values_text
from appellate.store import answered, injection, trace_rows
from appellate.store.cells import CellRow, StepDirection
from appellate.store.database import reading
from appellate.store.fact_rows import drawn_waves
from appellate.store.tables import rubric_of
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Rubric

_OPEN = tuple(state for state in STATES if state != "reviewed")
_SAMPLE = 1000  # cells looked through for the words of their labels
_TOOLS = 100  # that are offered to ask for


class LoadedQueue:
    """All cells in the order loaded; positions count from 0, cells have their numbers."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def description(self) -> str:
        """What this queue is, in words."""
        return f"All {many(len(self), 'cell')}, {sql.order_name('loaded')}"

    @property
    def has_one_trait(self) -> bool:
        """Whether all its cells are of one trait, or it has none."""
        return len(self._workspace.trait_names()) <= 1

    def __len__(self) -> int:
        return self._workspace.cells.count()

    def number(self, position: int) -> int:
        """Return the number, from 1, of the cell at a position, from 0; beyond the end, too."""
        return position + 1

    def position(self, no: int) -> int | None:
        """Return the position of a cell, from 0; None if it is not in the queue."""
        return no - 1 if 1 <= no <= len(self) else None

    def rows(self, start: int, count: int) -> list[CellRow]:
        return self._workspace.cells.rows(start, count)

    def step(self, no: int, delta: int) -> int | None:
        """Return the number of the cell `delta` places further, or back; None beyond either end."""
        return no + delta if 1 <= no + delta <= len(self) else None

    def step_trace(self, no: int, direction: StepDirection) -> int | None:
        """Return the number of the first cell of the next trace with cells, or of the one before.

        `no` is a cell's number. Returns None if there is none in that direction.
        """
        return self._workspace.cells.first_of_next(
            self._workspace.cells.row(no).trace_no,
            direction,
        )

    def next_open(self, no: int, direction: StepDirection) -> int | None:
        """Return the number of the nearest cell after this one, or before it, still to sign off.

        `no` is a cell's number, and does not count itself. Returns None if there is none up to the
        end of the queue in that direction.
        """
        return self._workspace.cells.next_in(_OPEN, no, backwards=direction < 0)

    def headings(self, position: int) -> int:
        """Return how many traces begin from the first position up to this one, it included."""
        return self._workspace.cells.headings(position + 1)


class SearchResult(Struct, frozen=True):
    """The cells that a query found, in an order."""

    query: str
    order: str
    seed: int
    numbers: "array[int]"
    """The numbers of the cells found, in order."""
    firsts: "array[int]"
    """The indexes in `numbers` at which another trace begins."""
    of: int
    """How many cells the audit has."""
    has_one_trait: bool = False

    @property
    def description(self) -> str:
        """How many cells of all were found, by which query and in which order, in a few words."""
        order = sql.order_name(self.order)
        if self.order == "random":
            order += f" (seed {self.seed})"
        cells = many(self.of, "cell")
        count = f"{len(self.numbers)} of {cells}"
        if self.query:
            return f"{count}: {self.query}, {order}"
        return f"{count}, {order}"


class FoundQueue:
    """The cells that a query found, in that order; has the methods of a `LoadedQueue`.

    From a cell that is not in it, a step leads to its first cell, or back to its last.
    """

    def __init__(
        self,
        workspace: Workspace,
        result: SearchResult,
        near: int = 200,
    ) -> None:
        """Take the cells that were found in a workspace as the queue.

        `near` is how many cells are looked at for the next open one, before all open cells
        are read.
        """
        self._workspace = workspace
        self._near = near
        self.found = result
        self._position = array("q", repeat(-1, max(result.numbers, default=0) + 1))
        for position, no in enumerate(result.numbers):
            self._position[no] = position

    @property
    def description(self) -> str:
        return self.found.description

    @property
    def has_one_trait(self) -> bool:
        return self.found.has_one_trait

    def __len__(self) -> int:
        return len(self.found.numbers)

    def number(self, position: int) -> int:
        return self.found.numbers[position]

    def position(self, no: int) -> int | None:
        """Return the index (from 0) of a cell in the queue; None if it is not in it."""
        if not 0 <= no < len(self._position):
            return None
        position = self._position[no]
        if position < 0:
            return None
        return position

    def rows(self, start: int, count: int) -> list[CellRow]:
        return self._workspace.cells.rows_of(self.found.numbers[start : start + count])

    def step(self, no: int, delta: int) -> int | None:
        return self._cell_at(self._from(no, delta) + delta)

    def step_trace(self, no: int, direction: StepDirection) -> int | None:
        """Return the number of the first cell of the next trace in the queue, or of the one before.

        Returns None beyond either end. A trace that comes again later counts as another one. From a
        cell that is not in the queue, it is a step to its first cell, or back to its last. `no` is
        a cell's number.
        """
        position = self.position(no)
        if position is None:
            return self.step(no, direction)
        trace = self.headings(position) - 1 + direction
        if not 0 <= trace < len(self.found.firsts):
            return None
        return self._cell_at(self.found.firsts[trace])

    def headings(self, position: int) -> int:
        return bisect_right(self.found.firsts, position)

    def next_open(self, no: int, direction: StepDirection) -> int | None:
        """Return the number of the nearest cell after this one, or before it, still to sign off.

        `no` is a cell's number, and does not count itself. Returns None if there is none up to the
        end of the queue in that direction. A cell that is not in the queue counts as before its
        first one, or, going back, as after its last.
        """
        start = self._from(no, direction)
        if direction > 0:
            ahead = self.found.numbers[start + 1 : start + 1 + self._near]
        else:
            ahead = self.found.numbers[max(start - self._near, 0) : max(start, 0)][::-1]
        near = self._workspace.cells.in_states(_OPEN, ahead)
        for number in ahead:
            if number in near:
                return number
        if len(ahead) < self._near:
            return None
        positions: list[int] = []
        for number in self._workspace.cells.in_states(_OPEN):
            position = self.position(number)
            if position is None:
                continue
            is_ahead = position > start if direction > 0 else position < start
            if is_ahead:
                positions.append(position)
        if not positions:
            return None
        nearest = min(positions) if direction > 0 else max(positions)
        return self.found.numbers[nearest]

    def _from(self, no: int, delta: int) -> int:
        """Return the position that a step begins from.

        For a cell that is not in the queue it is before the first one, or, going back, after the
        last.
        """
        position = self.position(no)
        if position is not None:
            return position
        return -1 if delta > 0 else len(self)

    def _cell_at(self, position: int) -> int | None:
        return self.found.numbers[position] if 0 <= position < len(self) else None


Queue = LoadedQueue | FoundQueue


def first_open(queue: Queue, direction: StepDirection) -> int | None:
    """Return the number, from 1, of the first cell in a queue's order that is not signed off.

    With -1 as direction it is the last such cell. The number is the cell's in the audit, not its
    position in the queue. Returns None if all are signed off, and for an empty queue.
    """
    position = 0
    if direction < 0 and len(queue) > 0:
        position = len(queue) - 1
    rows = list(queue.rows(position, 1))
    if not rows:
        return None
    [row] = rows
    if row.state != "reviewed":
        return row.no
    return queue.next_open(row.no, direction)


# -- looking up -----------------------------------------------------------------------------------


def unsearchable(error: sqlite3.Error) -> str:
    """Return a sentence on an error of `look_up` or `vocabulary`: the file may be away, or busy."""
    return f"The workspace cannot be searched now ({error})."


def look_up(
    path: Path,
    query: Query,
    order: str = "loaded",
    seed: int = 0,
    by: str = "",
) -> SearchResult:
    """Return the cells that a query asks for, in an order; `by` is whose bookmarks count.

    `seed` is for the order "random". The workspace is opened anew, so any thread may call this.
    Traces that nobody looked through for passages to the judge are looked through if the query asks
    for that; nothing is kept. Raises KeyError for an unknown order, and sqlite3.Error for the
    workspace.
    """
    with reading(path) as db:
        for name, (arguments, function) in sql.FUNCTIONS.items():
            db.create_function(name, arguments, function, deterministic=True)
        suspicious: tuple[int, ...] = ()
        if "suspicious" in query.marks:
            unseen = injection.unseen(db)
            suspicious = tuple(no for no in unseen if injection.passages_in(db, no))
        rubric = rubric_of(db)
        if any(term.field.shape == "meta" for term in query.terms):
            # not before any query asks for metadata
            from appellate.core.verdict_like import PossibleVerdicts

            verdicts = PossibleVerdicts(rubric.every_trait())
            may_hold_one = verdicts.may_hold_one
            db.create_function("may_hold_verdict", 2, may_hold_one, deterministic=True)
        questions: dict[str, str] = {}
        for question in rubric.questions:
            questions[question.id] = question.question or ""
        conversation_traits: list[str] = []
        for _, trait in rubric.every_trait():
            if reads_conversation(trait):
                conversation_traits.append(trait.name)
        waves: tuple[tuple[str, int, int], ...] = ()
        if any(term.field.name == "wave" for term in query.terms):
            waves = tuple(drawn_waves(db))
        trait_names = tuple(dict.fromkeys(conversation_traits))
        reader = sql.Reader(by, suspicious, questions, trait_names, waves)
        statement = sql.statement(query, reader, order, seed)
        trait_rows = db.execute(*sql.traits(query)).fetchall()
        one_trait = len(trait_rows) <= 1
        rows = array("q", chain.from_iterable(db.execute(*statement)))
        (of,) = db.execute("SELECT ifnull(max(no), 0) FROM cells").fetchone()
    numbers = rows[::2]
    traces = rows[1::2]
    begins = map(ne, traces, chain((0,), traces))
    firsts = array("q", compress(count(), begins))
    return SearchResult(str(query), order, seed, numbers, firsts, of, one_trait)


# -- names ----------------------------------------------------------------------------------------


_JUDGES = """
SELECT DISTINCT one.value FROM (SELECT DISTINCT judged_by FROM cells WHERE judged_by <> ''),
  json_each(judged_by) AS one"""


def _askable(measures: Iterable[Measure]) -> Iterator[Measure]:
    """Yield the measures that a query can name: one word each, with the widest bounds.

    The share of a class is called by that class, which may be any text: queries ask for `class:`.
    """
    for measure in widest(measures):
        if " " not in measure.name:
            yield measure


def vocabulary(path: Path) -> Vocabulary:
    """Return the names that queries may use, and values to offer for them.

    Words of labels, and instructions, are only those of the first `_SAMPLE`. The workspace is
    opened anew, so any thread may call this.
    """
    with reading(path) as db:
        rubric = rubric_of(db)
        reviewers = [
            by for (by,) in db.execute("SELECT DISTINCT by FROM acts ORDER BY by")
        ]
        models = trace_rows.models(db)
        judges = db.execute(_JUDGES).fetchall()
        figure_rows = db.execute(
            "SELECT figures FROM cells WHERE figures <> '' LIMIT ?",
            (_SAMPLE,),
        )
        figures = [json.loads(text) for (text,) in figure_rows]
        instructions = answered.instructions(db, _SAMPLE)
        answer_words = answered.words(db).values()
        trace_names = trace_rows.names(db)
        tools = trace_rows.tools(db, _TOOLS)
        wave_names = [name for name, _, _ in drawn_waves(db)]
    all_traits = list(rubric.every_trait())
    fields_by_name: dict[str, QueryField] = {}
    for kind, _ in all_traits:
        for field in kind.fields:
            fields_by_name[field.name] = field
    fields = tuple(fields_by_name.values())
    words = {**trace_names.words, "calls": tuple(tools), "wave": tuple(wave_names)}
    for field in fields:
        part, _, name = field.path.partition(".")
        texts = {row.get(part, {}).get(name, "") for row in figures}
        if field.shape == "values":
            texts = set(chain.from_iterable(map(values_text, texts)))
        if field.shape in ("text", "values"):
            words[field.name] = _sorted(texts)
    return Vocabulary(
        tuple(rubric.trait_names()),
        tuple(
            _askable(
                chain.from_iterable(kind.measures(trait) for kind, trait in all_traits),
            ),
        ),
        fields,
        tuple(reviewers),
        _sorted(models),
        _sorted(name for (name,) in judges),
        words,
        instructions,
        _answers(rubric, answer_words),
        trace_names.keys,
        trace_names.more,
        _counted(rubric),
        tuple(dict.fromkeys(map(attrgetter("kind.name"), all_traits))),
    )


def _answers(rubric: Rubric, other_words: Iterable[str]) -> tuple[str, ...]:
    """Return the words that answers may have, in their kinds' order, then others that were given.

    Kinds whose cells share no instructions are left out.
    """
    words: list[str] = []
    for kind, trait in rubric.every_trait():
        if kind.standings(trait, kind.blank):
            words.extend(kind.words_of(trait))
    words.extend(sorted(other_words))
    return tuple(dict.fromkeys(words))


def _counted(rubric: Rubric) -> dict[str, tuple[str, ...]]:
    """Return the names of the counts that queries may ask for, by kind of trait.

    Kinds whose cells share instructions are left out, and so are kinds that count nothing.
    """
    counts_by_kind: dict[str, tuple[str, ...]] = {}
    for kind, trait in rubric.every_trait():
        if kind.standings(trait, kind.blank):
            continue
        counts = tuple(field.name for field in kind.fields if field.shape == "count")
        if counts:
            counts_by_kind[kind.name] = counts
    return counts_by_kind


def _sorted(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted(filter(None, names)))
