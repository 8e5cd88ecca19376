"""The queue: cells in the order one goes through them, all of them or those that a query found.

What was found is a snapshot in arrays. It never reorders under one's hands, and a key press on it
costs the same for any number of cells.
"""

import json
import sqlite3
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from appellate.core.cell import STATES
from appellate.query.language import Query, Term, Vocabulary
from appellate.query.matching import DEEP, Page, Row, page_tests, row_test
from appellate.store import injection
from appellate.store.cells import CellRow
from appellate.store.database import reading
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Rubric

_OPEN = tuple(state for state in STATES if state != "reviewed")
_SAMPLE = 1000  # traces looked through for the names of models and judges


class Order(NamedTuple):
    """One order of the queue."""

    id: str
    told: str


ORDERS = (
    Order("loaded", "as loaded"),
    Order("unreviewed", "unreviewed first"),
    Order("failed", "failed first"),
    Order("flagged", "flagged first"),
    Order("lowest", "lowest first"),
    Order("unverified", "most unverified evidence first"),
    Order("disagreement", "most disagreement first"),
    Order("random", "random"),
)


class Queue(Protocol):
    """Cells in an order; positions are 0-based, cells have their workspace's numbers.

    From a cell that is not in the queue, a step forward leads to its first cell and a step back to its last.
    """

    def __len__(self) -> int: ...

    @property
    def told(self) -> str:
        """What this queue is, in words."""

    def number(self, position: int) -> int:
        """The cell at a position."""

    def position(self, no: int) -> int | None:
        """Where a cell stands; None where it is not in the queue."""

    def rows(self, start: int, count: int) -> list[CellRow]:
        """The cells at `start` and after, as they are now."""

    def step(self, no: int, by: int) -> int | None:
        """The cell `by` places further; None beyond either end."""

    def step_trace(self, no: int, by: int) -> int | None:
        """The first cell of the next or previous trace."""

    def next_open(self, no: int, by: int) -> int | None:
        """The nearest cell after (before) this one that is not signed off; never around the end."""

    def note(self, no: int, state: str) -> None:
        """To call when a cell changed."""


class LoadedQueue:
    """All cells as they were loaded, read from the workspace in windows."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    told = ORDERS[0].told

    def __len__(self) -> int:
        return self._workspace.cells.count()

    def number(self, position: int) -> int:
        return position + 1

    def position(self, no: int) -> int | None:
        return no - 1 if 1 <= no <= len(self) else None

    def rows(self, start: int, count: int) -> list[CellRow]:
        return self._workspace.cells.rows(start, count)

    def step(self, no: int, by: int) -> int | None:
        return no + by if 1 <= no + by <= len(self) else None

    def step_trace(self, no: int, by: int) -> int | None:
        return self._workspace.cells.first_of_next(self._workspace.cells.row(no).trace_no, by)

    def next_open(self, no: int, by: int) -> int | None:
        return self._workspace.cells.next_in(_OPEN, no, backwards=by < 0)

    def note(self, no: int, state: str) -> None:
        """Nothing to note: every question is put to the workspace."""


@dataclass(frozen=True, slots=True)
class Found:
    """What `look_up` found: cells and their traces by position, which are open, and of how many cells."""

    query: str
    order: str
    seed: int
    numbers: "array[int]"
    traces: "array[int]"
    open: bytearray
    of: int

    @property
    def told(self) -> str:
        order = next(order.told for order in ORDERS if order.id == self.order)
        seed = f" (seed {self.seed})" if self.order == "random" else ""
        how_many = f"{len(self.numbers)} of {self.of}"
        return " · ".join([*([self.query] if self.query else []), order + seed, how_many])


class FoundQueue:
    """The cells that were found, in the order they were found in."""

    def __init__(self, workspace: Workspace, found: Found) -> None:
        self._workspace = workspace
        self.found = found
        self._position = array("q", repeat(-1, max(found.numbers, default=0) + 1))
        for position, no in enumerate(found.numbers):
            self._position[no] = position

    @property
    def told(self) -> str:
        return self.found.told

    def __len__(self) -> int:
        return len(self.found.numbers)

    def number(self, position: int) -> int:
        return self.found.numbers[position]

    def position(self, no: int) -> int | None:
        known = 0 <= no < len(self._position) and self._position[no] >= 0
        return self._position[no] if known else None

    def rows(self, start: int, count: int) -> list[CellRow]:
        return self._workspace.cells.rows_of(self.found.numbers[start : start + count])

    def step(self, no: int, by: int) -> int | None:
        return self._at(self._from(no, by) + by)

    def step_trace(self, no: int, by: int) -> int | None:
        here = self.position(no)
        if here is None:
            return self.step(no, by)
        beyond = self._edge(here, by) + (1 if by > 0 else -1)
        return self._at(beyond if by > 0 else self._edge(beyond, by))

    def _edge(self, position: int, by: int) -> int:
        """The last position on the way that is still of the same trace."""
        way = 1 if by > 0 else -1
        traces = self.found.traces
        while 0 <= position < len(traces) and self._at(position + way) and traces[position + way] == traces[position]:
            position += way
        return position

    def next_open(self, no: int, by: int) -> int | None:
        here, state = self._from(no, by), self.found.open
        found = state.find(1, here + 1) if by > 0 else state.rfind(1, 0, max(here, 0))
        return self._at(found)

    def note(self, no: int, state: str) -> None:
        position = self.position(no)
        if position is not None:
            self.found.open[position] = state != "reviewed"

    def _from(self, no: int, by: int) -> int:
        """Where a step begins: from a cell that is not in the queue, before its beginning or behind its end."""
        here = self.position(no)
        return here if here is not None else -1 if by > 0 else len(self)

    def _at(self, position: int) -> int | None:
        return self.found.numbers[position] if 0 <= position < len(self) else None


# -- looking up -----------------------------------------------------------------------------------


def look_up(path: Path, query: Query, order: str = "loaded", seed: int = 0, by: str = "") -> Found:
    """The cells that a query asks for, in an order, at this moment; safe in a thread. `by` is whose bookmarks count."""
    with reading(path) as db:
        (of,) = db.execute("SELECT ifnull(max(no), 0) FROM cells").fetchone()
        cells = _of_rows(db, query, by) if _asks_rows(query) else _all(db)
        cells = _of_pages(db, query, cells)
        if order != "loaded":
            cells = _ordered(db, cells, order, seed)
        return Found(
            str(query),
            order,
            seed,
            array("q", [cell.no for cell in cells]),
            array("q", [cell.trace for cell in cells]),
            bytearray(cell.state != "reviewed" for cell in cells),
            of,
        )


class _Cell(NamedTuple):
    """What filtering and ordering know of a cell."""

    no: int
    trace: int
    trait: str
    state: str
    flag: int
    unverified: int
    headline: float | None
    disagreement: float | None


_ALL = "SELECT no, trace, trait, state, flag, unverified, headline, disagreement FROM cells ORDER BY no"
_ROWS = (
    "SELECT no, trace, trait, state, flag, unverified, headline, disagreement,"
    " breaches, suspect, example, outdated, round, figures FROM cells ORDER BY no"
)


def _asks_rows(query: Query) -> bool:
    return any(term.field not in DEEP for term in query.terms)


def _all(db: sqlite3.Connection) -> list[_Cell]:
    return list(map(_Cell._make, db.execute(_ALL)))


def _of_rows(db: sqlite3.Connection, query: Query, by: str) -> list[_Cell]:
    """The cells whose rows answer every term that rows can answer."""
    asked = {term.field for term in query.terms}
    marks = query.marks
    names = _trace_names(db) if asked & {"id", "epoch"} else {}
    bookmarked = _bookmarked(db, by) if "bookmarked" in marks else set()
    commented = _commented(db) if "commented" in marks else set()
    acted = _acted(db) if "by" in asked else {}
    suspects = injection.unseen_counts(db) if "suspicious" in marks else {}
    test, kept = row_test(query), []
    for *known, breaches, suspect, example, outdated, judged_in, told in db.execute(_ROWS):
        cell = _Cell(*known)
        no, name = cell.no, names.get(cell.trace, ("", 0))
        marked = (no in bookmarked, no in commented)
        row = Row(no, *name, cell.trait, cell.state, bool(cell.flag), breaches, cell.unverified, told, *marked)
        row.suspicious = suspects.get(cell.trace, suspect) > 0
        row.example, row.outdated, row.round = bool(example), bool(outdated), judged_in
        row.disputed = bool(cell.disagreement)
        row.by = acted.get(no, ())
        if test(row):
            kept.append(cell)
    return kept


def _trace_names(db: sqlite3.Connection) -> dict[int, tuple[str, int]]:
    return {no: (name, epoch) for no, name, epoch in db.execute("SELECT no, id, epoch FROM traces")}


def _bookmarked(db: sqlite3.Connection, by: str) -> set[int]:
    return {no for (no,) in db.execute("SELECT cell FROM bookmarks WHERE by = ?", (by,))}


def _commented(db: sqlite3.Connection) -> set[int]:
    return {no for (no,) in db.execute("SELECT cell FROM acts WHERE name = 'commented' AND undone IS NULL")}


def _acted(db: sqlite3.Connection) -> dict[int, set[str]]:
    """Who did anything that stands, by cell."""
    acted: dict[int, set[str]] = {}
    for no, by in db.execute("SELECT cell, by FROM acts WHERE undone IS NULL"):
        acted.setdefault(no, set()).add(by)
    return acted


# -- words ----------------------------------------------------------------------------------------


def _of_pages(db: sqlite3.Connection, query: Query, cells: list[_Cell]) -> list[_Cell]:
    """The cells whose traces answer the terms that ask for words; each trace is read once."""
    tests = page_tests(query)
    if not tests:
        return cells
    asked = json.loads(db.execute("SELECT value FROM meta WHERE key = 'rubric'").fetchone()[0])
    questions = _Questions(Rubric.model_validate(asked))
    terms = [(_may_hold(term, questions), test) for term, test in tests]
    wanted = {cell.trace for cell in cells}
    held = {no for no, name, body in _bodies(db, wanted) if _holds(terms, questions, name, body)}
    return [cell for cell in cells if cell.trace in held]


def _bodies(db: sqlite3.Connection, wanted: set[int]) -> Iterator[tuple[int, str, str]]:
    (count,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    if len(wanted) == count:
        yield from db.execute("SELECT no, id, body FROM traces")
        return
    for no in sorted(wanted):
        yield from db.execute("SELECT no, id, body FROM traces WHERE no = ?", (no,))


@dataclass
class _Questions:
    """The rubric's questions, which traces need not repeat."""

    rubric: Rubric
    texts: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.texts = [question.question or "" for question in self.rubric.questions]

    def page(self, name: str, body: dict[str, Any]) -> Page:
        asked = body.get("question")
        if asked is None:
            question = self.rubric.questions_by_id.get(body.get("question_id", ""))
            asked = question.question if question else None
        return Page(name, asked or "", body.get("response", ""), body.get("model", ""))


_Test = tuple[Callable[[str], bool], Callable[[Page], bool]]


def _holds(terms: list[_Test], questions: _Questions, name: str, body: str) -> bool:
    """Whether every term holds; a trace is only taken apart where its JSON, as it stands, leaves that open."""
    folded = body.casefold()
    if not all(may_hold(folded) for may_hold, _ in terms):
        return False
    page = questions.page(name, json.loads(body))
    return all(test(page) for _, test in terms)


def _may_hold(term: Term, questions: _Questions) -> Callable[[str], bool]:
    """A quick look at folded JSON that never says no where the term holds."""
    words = [value.casefold() for value in term.values]
    elsewhere = term.field != "text" and any(word in text.casefold() for text in questions.texts for word in words)
    if term.negated or term.field == "model" or elsewhere:
        return lambda _: True
    written = [json.dumps(word, ensure_ascii=False)[1:-1] for word in words]
    return lambda folded: any(word in folded for word in written)


# -- ordering -------------------------------------------------------------------------------------


def _ordered(db: sqlite3.Connection, cells: list[_Cell], order: str, seed: int) -> list[_Cell]:
    """The cells in an order; those that stand equal stay as loaded."""
    match order:
        case "unreviewed":
            return sorted(cells, key=lambda cell: cell.state == "reviewed")
        case "failed":
            return sorted(cells, key=lambda cell: cell.state != "failed")
        case "flagged":
            return sorted(cells, key=lambda cell: not cell.flag)
        case "lowest":
            return sorted(cells, key=lambda cell: 2.0 if cell.headline is None else cell.headline)
        case "unverified":
            return sorted(cells, key=lambda cell: -cell.unverified)
        case "disagreement":
            return sorted(cells, key=lambda cell: -(cell.disagreement or 0.0))
        case "random":
            return _shuffled(db, cells, seed)
    raise KeyError(order)


def _shuffled(db: sqlite3.Connection, cells: list[_Cell], seed: int) -> list[_Cell]:
    """By a hash of what each cell is, so that cells added later fall between and move none."""
    names = _trace_names(db)
    return sorted(cells, key=lambda cell: _lot(seed, *names[cell.trace], cell.trait))


def _lot(*what: object) -> bytes:
    return blake2b(repr(what).encode(), digest_size=8).digest()


# -- names ----------------------------------------------------------------------------------------


def vocabulary(path: Path) -> Vocabulary:
    """The names that queries may use; models and judges from the first traces only. Safe in a thread."""
    with reading(path) as db:
        told = db.execute("SELECT value FROM meta WHERE key = 'rubric'").fetchone()[0]
        rubric = Rubric.model_validate_json(told)
        metrics = dict.fromkeys(one.name for kind, trait in rubric.every_trait() for one in kind.measures(trait))
        reviewers = [by for (by,) in db.execute("SELECT DISTINCT by FROM acts ORDER BY by")]
        bodies = db.execute("SELECT body FROM traces LIMIT ?", (_SAMPLE,))
        models = {json.loads(body).get("model") for (body,) in bodies}
        figures = db.execute("SELECT figures FROM cells WHERE figures <> '' LIMIT ?", (_SAMPLE,))
        judges = {name for (told,) in figures for name in json.loads(told).get("by", ())}
    names = tuple(rubric.trait_names())
    return Vocabulary(names, tuple(metrics), tuple(reviewers), _sorted(models), _sorted(judges))


def _sorted(names: set[Any]) -> tuple[str, ...]:
    return tuple(sorted(name for name in names if name))
