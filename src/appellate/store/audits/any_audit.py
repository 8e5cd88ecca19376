"""An audit as its facts tell it, wherever they are read: what all numbers are computed from.

`WorkspaceAudit` folds the facts of a workspace trace by trace, and reads no derived row.
`FileAudit` is the same of a file alone, `Audit` of a file with all its cells in memory. Each
is an `AnyAudit`.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Protocol, TypeVar

import tomli

from appellate.core.cell import fold
from appellate.core.design_facts import DesignFact
from appellate.core.kind import KnownTrait, Subject, Table
from appellate.core.trace import Trace, TraceKey
from appellate.store import meta
from appellate.store.audits.audit import AuditedCell, CellKey
from appellate.store.database import from_json
from appellate.store.fact_rows import design_in, fact_of
from appellate.store.tables import earlier_traits, rubric_of
from appellate.traits.rubric import Rubric

_Entry_co = TypeVar("_Entry_co", covariant=True)


class Entries(Protocol[_Entry_co]):
    """Entries that can be counted and gone through several times, in memory or not."""

    def __len__(self) -> int:
        """Return how many there are."""

    def __iter__(self) -> Iterator[_Entry_co]:
        """Yield them in order."""


class AnyAudit(Protocol):
    """An audit as its facts tell it, of a file or of a workspace.

    All numbers are computed from one of these.
    """

    @property
    def rubric(self) -> Rubric:
        """The rubric that is in force."""

    @property
    def traces(self) -> Entries[Trace]:
        """All traces in the order loaded."""

    @property
    def cells(self) -> Entries[AuditedCell]:
        """All cells, those of a trace in the order of the rubric."""

    @property
    def cell_keys(self) -> Iterable[CellKey]:
        """The trace's key and the trait of every cell, each cell once, in no order."""

    @property
    def design(self) -> Sequence[DesignFact]:
        """What happened to the audit as a whole, in order."""

    @property
    def saved(self) -> str | None:
        """When the last thing happened, ISO 8601; None before anything did."""

    @property
    def version(self) -> str:
        """The version of the program that made the audit."""

    @property
    def reviewers(self) -> Sequence[str]:
        """The names of all who ever acted, each once, sorted."""

    @property
    def earlier(self) -> Mapping[str, KnownTrait]:
        """The versions of traits that facts were made under, by their hash."""

    @property
    def trace_extra(self) -> Mapping[TraceKey, Table]:
        """The keys of traces that this version does not know, by trace."""


_FACTS = (
    "SELECT c.trace, c.no, c.trait, f.n, f.at, f.by, f.name, f.body, f.part_of, f.as_agent"
    " FROM cells c"
    " LEFT JOIN facts f ON f.cell = c.no"
)
_IN_ORDER = " ORDER BY c.trace, c.no, f.n"


class WorkspaceAudit:
    """The audit of an open workspace, by a connection that sees it as of one moment."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    @cached_property
    def rubric(self) -> Rubric:
        """The rubric that is in force."""
        return rubric_of(self.db)

    @property
    def design(self) -> Sequence[DesignFact]:
        """What happened to the audit as a whole, in order."""
        return design_in(self.db)

    @property
    def saved(self) -> str | None:
        """When the last thing happened, ISO 8601; None before anything did."""
        row = self.db.execute("SELECT at FROM facts ORDER BY n DESC LIMIT 1").fetchone()
        return row[0] if row else None

    @property
    def version(self) -> str:
        """The version of the program that made the workspace; "" if it is not known."""
        sql = "SELECT value FROM meta WHERE key = ?"
        row = self.db.execute(sql, (meta.VERSION,)).fetchone()
        return row[0] if row else ""

    @property
    def reviewers(self) -> list[str]:
        """The names of all who ever acted, each once, sorted."""
        rows = self.db.execute("SELECT DISTINCT by FROM acts ORDER BY by")
        return [name for (name,) in rows]

    @cached_property
    def earlier(self) -> Mapping[str, KnownTrait]:
        """The versions of traits that facts were made under, by their hash."""
        return earlier_traits(self.db)

    @property
    def trace_extra(self) -> Mapping[TraceKey, Table]:
        """The keys with their values that this version does not know, of each trace with any."""
        rows = self.db.execute(
            "SELECT t.id, t.epoch, x.toml FROM extras x JOIN traces t ON t.no = x.trace"
            " WHERE x.cell = 0 ORDER BY x.trace",
        )
        return {(trace_id, epoch): tomli.loads(text) for trace_id, epoch, text in rows}

    @property
    def traces(self) -> "TraceStream":
        """All traces in the order loaded, read whenever they are gone through."""
        return TraceStream(self.db)

    @property
    def cells(self) -> "CellStream":
        """All cells in the order of an audit file, folded whenever they are gone through."""
        return CellStream(self)

    @property
    def cell_keys(self) -> Iterator[CellKey]:
        """The trace's key and the trait of every cell, once each, in no order; none is folded."""
        sql = (
            "SELECT t.id, t.epoch, c.trait FROM cells c JOIN traces t ON t.no = c.trace"
        )
        for trace_id, epoch, trait in self.db.execute(sql):
            yield (trace_id, epoch), trait

    def cells_of(self, trait: str) -> "CellStream":
        """Return the cells of the traits of one name."""
        return CellStream(self, trait)


class TraceStream:
    """The traces of a workspace, of which one is in memory at a time."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __len__(self) -> int:
        """Return how many traces there are, counted by the database."""
        (count,) = self._db.execute("SELECT count(*) FROM traces").fetchone()
        return int(count)

    def __iter__(self) -> Iterator[Trace]:
        """Yield the traces in the order loaded."""
        for (body,) in self._db.execute("SELECT body FROM traces ORDER BY no"):
            yield Trace.model_validate(from_json(body))


class CellStream:
    """The cells of a workspace, or those of one trait, of which one trace's are in memory."""

    def __init__(self, audit: WorkspaceAudit, trait: str = "") -> None:
        """Take an audit, and the name of the trait whose cells are meant; "" means all cells."""
        self._audit = audit
        self._db = audit.db
        self._trait = trait

    def __len__(self) -> int:
        """Return how many cells will be yielded, counted by the database."""
        sql = "SELECT count(*) FROM cells WHERE ?1 IN ('', trait)"
        (count,) = self._db.execute(sql, (self._trait,)).fetchone()
        return int(count)

    def __iter__(self) -> Iterator[AuditedCell]:
        """Yield the cells, or those of the one trait, each folded from its facts.

        They come trace by trace, in the order loaded, and within a trace in the order of its traits
        in the rubric. A cell to which nothing happened is among them. They have no unknown keys
        (`extra`).
        """
        rubric = self._audit.rubric
        earlier = self._audit.earlier
        if self._trait:
            rows = self._db.execute(
                f"{_FACTS} WHERE c.trait = ?{_IN_ORDER}",
                (self._trait,),
            )
        else:
            rows = self._db.execute(f"{_FACTS}{_IN_ORDER}")
        for trace_no, rows_of_trace in groupby(rows, itemgetter(0)):
            sql = "SELECT body FROM traces WHERE no = ?"
            (body,) = self._db.execute(sql, (trace_no,)).fetchone()
            trace = Trace.model_validate(from_json(body))
            traits = rubric.traits_of(trace)
            cells: dict[str, AuditedCell] = {}
            for (_, name), rows_of_cell in groupby(rows_of_trace, itemgetter(1, 2)):
                facts = [
                    fact_of(*row[3:]) for row in rows_of_cell if row[3] is not None
                ]
                subject = Subject(*traits[name], rubric.asked(trace), earlier)
                cells[name] = AuditedCell(trace, fold(subject, facts))
            for name in traits:
                if name in cells:
                    yield cells[name]
