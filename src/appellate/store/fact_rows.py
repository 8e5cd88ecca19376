"""Everything that happened, in order: to cells, by reviewers and, as cell 0, to the audit."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.cell import Cell, evolve, fold, set_aside, undone, was_hidden
from appellate.core.describe import describe_design, describe_event
from appellate.core.design_facts import (
    DesignEvent,
    DesignFact,
    RubricTaken,
    RubricTakenAgain,
    RubricTakenBack,
    Sample,
    Sampled,
    Withdrawn,
    from_body,
    sample_of,
    to_body,
)
from appellate.core.facts import (
    NAMES,
    Adopted,
    Corrected,
    Drawn,
    Fact,
    Flagged,
    Redone,
    Ruled,
    Undone,
    Undrawn,
    What,
    Withheld,
    from_row,
    to_row,
)
from appellate.core.kind import Subject
from appellate.core.trace import Trace, name_of
from appellate.store import projection
from appellate.store.database import Database, from_json, reading, to_json
from appellate.store.tables import earlier_traits, rubric_of
from appellate.traits.kinds import kinds

WHOLE_AUDIT = 0
"""The cell of a fact that is about the audit as a whole."""
_LOOKED_THROUGH = 5_000
REVISED = (
    "(r.name = 'revised' AND (SELECT turn.name FROM facts turn WHERE turn.cell = r.cell"
    " AND turn.name IN ('undone', 'redone') AND json_extract(turn.body, '$.of') = r.n"
    " ORDER BY turn.n DESC LIMIT 1) IS NOT 'undone')"
)
"""Whether a fact `r` is a change of its cell's trait that was not taken back."""
_HIDDEN_SINCE = (
    "(SELECT max(r.n) FROM facts r WHERE r.cell = c.no"  # noqa: S608
    f" AND (r.name IN ('drawn', 'contested') OR {REVISED}))"
)
_WITHHELD = f"(c.sampled = 2 AND a.name <> 'flagged' AND a.n < {_HIDDEN_SINCE})"
"""Whether an act is not told, since it may quote a judge that is hidden (`Cell.withholds`)."""
_ACTS = (
    " FROM acts a JOIN facts f ON f.n = a.n"  # noqa: S608
    " LEFT JOIN cells c ON c.no = a.cell LEFT JOIN traces t ON t.no = c.trace"
    f" WHERE a.by = ? AND NOT ({_WITHHELD} AND EXISTS"
    " (SELECT 1 FROM facts later JOIN acts USING (n) WHERE later.cell = c.no AND later.by = a.by"
    f" AND n > a.n AND n < {_HIDDEN_SINCE} AND acts.name <> 'flagged'))"
)
"""The acts of a reviewer; of those in one cell that are not told, the last stands for all."""


_TURNING = frozenset(NAMES[kind] for kind in (Undone, Redone, Undrawn))
"""The names of facts that take acts out of force, or put them back."""


class ActRow(Struct, frozen=True):
    """One act as the history shows it."""

    n: int
    """The number of its fact."""
    at: str
    cell: int
    """The cell's number; `WHOLE_AUDIT`, with no trace, for one that is about all of the audit."""
    trace_id: str
    epoch: int
    trait: str
    kind: str
    undone: bool
    """Whether it was undone, and not redone since."""
    what: What | DesignEvent

    @property
    def text(self) -> str:
        """What was done, in words without the cell's name.

        An act that is withheld says only that the cell was worked on.
        """
        if isinstance(self.what, DesignEvent):
            return describe_design(self.what)
        return describe_event(kinds()[self.kind], self.what)

    @property
    def place(self) -> str:
        """The name of the cell it was done in, as "trace-1 · clarity", or "the whole audit"."""
        if self.cell == WHOLE_AUDIT:
            return "the whole audit"
        return f"{name_of(self.trace_id, self.epoch)} · {self.trait}"


class Done(Struct, frozen=True):
    """What a reviewer did, in counts."""

    acts: Mapping[str, int]
    """How many acts there were, by name: "corrected", "signed_off", "unflagged" and so on.

    "begun" counts the cells with a blind verdict that is not locked.
    """
    edits: Mapping[str, int]
    """How many corrections there were, by what their kind calls them."""
    cells: int = 0
    """In how many cells something was done."""
    undone: int = 0
    """How many acts were undone since."""


class Facts:
    """The facts of an open workspace; what is derived from a fact is saved with it."""

    def __init__(self, file: Database) -> None:
        self._file = file

    # -- keeping ----------------------------------------------------------------------------------

    def append(
        self,
        number: int,
        cell: Cell,
        event: What,
        at: str,
        by: str,
        *,
        as_agent: bool = False,
    ) -> Cell:
        """Add a fact that says `event` to a cell, keep it durably, and return the cell after it.

        `number` is the cell's. What follows from the fact is kept with it. `at` is UTC in ISO 8601,
        `by` the name of who acted, and `as_agent` whether that is an agent. Raises Refused if the
        event does not fit the cell, and NotKept if the disk refuses; either way nothing is changed.
        """
        changed = evolve(
            cell,
            Fact(self.last_n() + 1, at, by, event, as_agent=as_agent),
        )
        self.keep(number, cell, changed)
        return changed

    def keep(self, number: int, old_cell: Cell, new_cell: Cell) -> None:
        """Keep the facts that `new_cell` has beyond those of `old_cell`, with all that follows.

        Both are the same cell, with this number. Raises NotKept, with nothing changed, if the disk
        refuses.
        """
        with self._file.transaction():
            for fact in new_cell.facts[len(old_cell.facts) :]:
                self.insert(number, fact)
            self.project(number, old_cell, new_cell)

    def insert(self, number: int, fact: Fact) -> None:
        """Write one fact of a cell under its own number, as `insert_all` does with several.

        Call `project` for the cell in the same transaction.
        """
        self.insert_all([(number, fact)])

    def insert_all(self, happened: Sequence[tuple[int, Fact]]) -> None:
        """Write facts of cells, each given after its cell's number, in the caller's transaction.

        They keep their own numbers. Acts are also written to the table `acts`; an undo, a redo, and
        a cell that leaves the sample change which of those count as undone. Call `project` for each
        cell in the same transaction.
        """
        facts: list[tuple[object, ...]] = []
        acts: list[tuple[object, ...]] = []
        turning: list[tuple[int, Fact]] = []
        """Facts after which other acts count as undone, or do so no more."""
        for number, fact in happened:
            name, body = to_row(fact.what)
            text = to_json(body)
            row = (
                fact.n,
                number,
                fact.at,
                fact.by,
                name,
                text,
                fact.part_of,
                fact.as_agent,
            )
            facts.append(row)
            if fact.is_act:
                acts.append((fact.n, number, fact.by, name))
            elif name in _TURNING:
                turning.append((number, fact))
        db = self._file.db
        db.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", facts)
        db.executemany("INSERT INTO acts VALUES (?, ?, ?, NULL, ?)", acts)
        for number, fact in turning:
            if isinstance(fact.what, Undone):
                db.execute(
                    "UPDATE acts SET undone = ? WHERE n = ?",
                    (fact.n, fact.what.of),
                )
            if isinstance(fact.what, Redone):
                db.execute("UPDATE acts SET undone = NULL WHERE n = ?", (fact.what.of,))
            # what was done blind is not undone or redone
            if isinstance(fact.what, Undrawn):
                gone = set_aside(tuple(self.of(number)))
                db.executemany(
                    "UPDATE acts SET undone = 0 WHERE n = ?",
                    [(n,) for n in gone],
                )

    def project(self, number: int, old_cell: Cell, new_cell: Cell) -> None:
        """Write what follows from the facts of a cell, once it is `new_cell` and not `old_cell`."""
        projection.project(self._file.db, self._file.sums, number, old_cell, new_cell)

    # -- reading ----------------------------------------------------------------------------------

    def of(self, number: int) -> list[Fact]:
        """Return everything that happened to a cell, in order."""
        return facts_of(self._file.db, number)

    def last_n(self) -> int:
        """Return the number of the newest fact of all cells; 0 without facts."""
        return self._file.number("SELECT ifnull(max(n), 0) FROM facts")

    def last_at(self) -> str | None:
        """Return the moment of the newest fact, as "2026-01-31T09:05:00Z"; None without facts."""
        row = self._file.db.execute(
            "SELECT at FROM facts ORDER BY n DESC LIMIT 1",
        ).fetchone()
        return row[0] if row else None

    def traces_since(self, n: int) -> list[int]:
        """Return the numbers of the traces that have facts after fact `n`, ascending, each once.

        Facts about the audit as a whole do not count.
        """
        sql = (
            "SELECT DISTINCT c.trace FROM facts f JOIN cells c ON c.no = f.cell"
            " WHERE f.n > ? ORDER BY c.trace"
        )
        return self._file.column(sql, n)

    # -- what reviewers did -----------------------------------------------------------------------

    def reviewers(self) -> list[str]:
        """Return the names of all who ever acted, each once, sorted."""
        return self._file.column("SELECT DISTINCT by FROM acts ORDER BY by")

    def undoable(self, by: str) -> list[tuple[int, int]]:
        """Return the number and the cell of each fact of a reviewer's last act that is not undone.

        The newest fact is first, as facts are undone in this order; an act may have facts in
        several cells. Empty if there is nothing to undo.
        """
        last = (
            "SELECT n FROM acts WHERE by = ? AND undone IS NULL ORDER BY n DESC LIMIT 1"
        )
        return list(reversed(self._whole_act(last, by)))

    def redoable(self, by: str) -> list[tuple[int, int]]:
        """Return the number and the cell of each fact of the act that a reviewer undid last.

        The oldest fact is first. Empty if nothing is undone, or if the reviewer did anything since
        the undo.
        """
        last = (
            "SELECT n FROM acts WHERE by = ?1 AND undone >"
            " (SELECT max(n) FROM acts WHERE by = ?1) ORDER BY undone DESC LIMIT 1"
        )
        return self._whole_act(last, by)

    def _whole_act(self, query: str, by: str) -> list[tuple[int, int]]:
        """Return the number and the cell of each fact of one act, the oldest first.

        `query` is SQL that takes `by` and gives the number of any fact of the act; if it gives
        none, the list is empty. Facts that were set aside as their sample was withdrawn are left
        out.
        """
        db = self._file.db
        row = db.execute(query, (by,)).fetchone()
        if row is None:
            return []
        first = self._file.number(
            "SELECT ifnull(part_of, n) FROM facts WHERE n = ?",
            row[0],
        )
        sql = (
            "SELECT a.n, a.cell FROM acts a JOIN facts f ON f.n = a.n"
            " WHERE a.by = ?1 AND a.n >= ?2 AND ?2 IN (f.n, f.part_of)"
            " AND a.undone IS NOT 0 ORDER BY a.n"
        )
        return db.execute(sql, (by, first)).fetchall()

    def acts(self, by: str, start: int, count: int) -> list[ActRow]:
        """Return at most `count` acts of a reviewer from index `start` on (from 0), newest first.

        Undone acts are among them. Of acts that might quote a judge who is hidden in their cell,
        only the last is there, and tells no more than that the cell was worked on.
        """
        text = "a.n, f.at, a.cell, t.id, t.epoch, c.trait, c.kind, a.undone IS NOT NULL"
        sql = (
            f"SELECT {text}, f.name, f.body, {_WITHHELD}{_ACTS} ORDER BY a.n DESC"
            " LIMIT ? OFFSET ?"
        )
        act_rows = self._file.db.execute(sql, (by, count, start))
        rows = []
        for (
            n,
            at,
            cell,
            trace,
            epoch,
            trait,
            kind,
            is_undone,
            name,
            body,
            withheld,
        ) in act_rows:
            if cell == WHOLE_AUDIT:
                taken = from_body(name, from_json(body))
                rows.append(ActRow(n, at, cell, "", 0, "", "", bool(is_undone), taken))
                continue
            event = _event(name, body)
            if withheld:
                event = Withheld()
            gone = bool(is_undone and not withheld)
            rows.append(ActRow(n, at, cell, trace, epoch, trait, kind, gone, event))
        return rows

    def count_acts(self, by: str) -> int:
        """Return how many rows `acts` has: what a reviewer ever did, undone acts among it."""
        return self._file.number(f"SELECT count(*){_ACTS}", by)

    def done_since(self, n: int, by: str) -> Done:
        """Return counts of what the reviewer `by` did, and of what they undid, after fact `n`.

        Acts are counted by the names of their facts, a flag that was taken off as "unflagged", and
        corrections also by their brief words; acts that are undone do not count. Edits made while
        the judge was hidden are part of a ruling: they count only as the number of cells that are
        "begun", those without a ruling since. The acts undone since count whenever they were done.
        """
        act_rows = self._file.db.execute(
            "SELECT a.cell, c.kind, f.n, f.name, f.body FROM acts a JOIN facts f ON f.n = a.n"
            " LEFT JOIN cells c ON c.no = a.cell"
            " WHERE a.by = ? AND a.n > ? AND a.undone IS NULL ORDER BY a.n",
            (by, n),
        ).fetchall()
        acts: Counter[str] = Counter()
        edits: Counter[str] = Counter()
        cells: set[int] = set()
        begun: set[int] = set()
        for cell, kind_name, fact_no, name, body in act_rows:
            if cell == WHOLE_AUDIT:
                acts[name] += 1
                continue
            cells.add(cell)
            event = _event(name, body)
            kind = kinds()[kind_name]
            is_edit = isinstance(event, Corrected | Adopted)
            if is_edit and _was_blind(self._file.db, cell, fact_no):
                begun.add(cell)
                continue
            if isinstance(event, Ruled):
                begun.discard(cell)
            if isinstance(event, Corrected):
                edits[kind.brief(kind.edit(event.edit))] += 1
            if event == Flagged(False):
                acts["unflagged"] += 1
            else:
                acts[name] += 1
        if begun:
            acts["begun"] = len(begun)
        sql = "SELECT count(*) FROM acts WHERE by = ? AND undone > ?"
        return Done(dict(acts), dict(edits), len(cells), self._file.number(sql, by, n))

    def sign_offs(self, by: str, limit: int = 50) -> list[str]:
        """Return the moments of a reviewer's last sign-offs and rulings, the newest first.

        They are texts as "2026-01-31T09:05:00Z", at most `limit`. What was undone does not count.
        """
        sql = (
            "SELECT f.at FROM acts a JOIN facts f ON f.n = a.n WHERE a.name = ?"
            " AND a.by = ? AND a.undone IS NULL ORDER BY a.n DESC LIMIT ?"
        )
        signed = self._file.column(sql, "signed_off", by, limit)
        ruled = self._file.column(sql, "ruled", by, limit)
        return sorted([*signed, *ruled], reverse=True)[:limit]


def _was_blind(db: sqlite3.Connection, cell: int, fact_no: int) -> bool:
    """Return whether a cell's judge was hidden when the fact with this number happened."""
    facts = tuple(facts_of(db, cell))
    out_of_force = undone(facts)
    is_blind = False
    for fact in facts:
        if isinstance(fact.what, Drawn) and fact.n not in out_of_force:
            is_blind = fact.what.blind
    return was_hidden(facts, fact_no, undone=out_of_force, is_blind=is_blind)


def facts_of(db: sqlite3.Connection, number: int) -> list[Fact]:
    """Return all facts of the cell with this number, the oldest first; an empty list without any.

    Any connection to a workspace can read them. Undone facts are among them.
    """
    sql = "SELECT n, at, by, name, body, part_of, as_agent FROM facts WHERE cell = ? ORDER BY n"
    return [fact_of(*row) for row in db.execute(sql, (number,))]


def cell_reader(db: sqlite3.Connection) -> Callable[[int, str, str], Cell]:
    """Return a function that reads a cell, as it is now, from a workspace by any connection.

    It takes the cell's number, its trait's name and the JSON text of its trace, and raises KeyError
    for a trait that the trace does not have. The rubric is read once, when this is called.
    """
    rubric = rubric_of(db)
    earlier = earlier_traits(db)

    def cell(number: int, trait: str, body: str) -> Cell:
        """Return the cell; raise KeyError for a trait that its trace does not have."""
        fields = json.loads(body)
        trace = Trace.model_validate(fields)
        traits = rubric.traits_of(trace)
        subject = Subject(*traits[trait], rubric.asked(trace), earlier)
        return fold(subject, facts_of(db, number))

    return cell


def fact_of(
    n: int,
    at: str,
    by: str,
    name: str,
    body: str,
    part_of: int | None,
    as_agent: int,
) -> Fact:
    """Return the fact in a row of the table `facts`; the arguments are its columns in order.

    The column `cell` is left out. `body` is JSON, and `as_agent` is 0 or 1.
    """
    return Fact(n, at, by, _event(name, body), part_of, bool(as_agent))


def _event(name: str, body: str) -> What:
    return from_row(name, from_json(body))


# -- of the audit as a whole ----------------------------------------------------------------------


class SamplePlace(NamedTuple):
    """Where a trace is in the sample."""

    unit: int | None
    """The number of its unit in the order of the draw, from 1; None outside of the sample."""
    of: int
    """How many units are drawn."""

    @property
    def describe(self) -> str:
        """The place in words: "sample 3/40", or "outside the sample" if `unit` is None."""
        if self.unit is None:
            return "outside the sample"
        return f"sample {self.unit}/{self.of}"


class DesignFacts:
    """What happened to the audit of an open workspace as a whole."""

    def __init__(self, file: Database) -> None:
        self._file = file

    def facts(self) -> list[DesignFact]:
        return design_in(self._file.db)

    def sample(self) -> Sample | None:
        """Return all that is drawn at random, or None if nothing is."""
        return sample_of(self.facts())

    def place(self, trace_no: int) -> SamplePlace | None:
        """Return where a trace is in the sample; None if nothing is drawn.

        A trace outside the sample has a place whose `unit` is None. `trace_no` is the trace's
        number.
        """
        last = "SELECT unit FROM drawn ORDER BY place DESC LIMIT 1"  # numbered as they are drawn
        sql = f"SELECT ({last}), (SELECT unit FROM drawn WHERE trace = ?)"  # noqa: S608
        last_unit, unit = self._file.db.execute(sql, (trace_no,)).fetchone()
        if last_unit is None:
            return None
        return SamplePlace(unit, last_unit)

    def append(
        self,
        event: DesignEvent,
        at: str,
        by: str,
        *,
        as_agent: bool = False,
    ) -> DesignFact:
        """Add a fact about the audit as a whole, keep it durably, and return it with its number.

        What follows from it, as the traces of a draw, is kept with it. `at` is UTC in ISO 8601,
        `by` the name of who acted, and `as_agent` whether that is an agent. Raises NotKept, with
        nothing changed, if the disk refuses.
        """
        with self._file.transaction():
            n = self._file.number("SELECT ifnull(max(n), 0) + 1 FROM facts")
            fact = DesignFact(n, at, by, event, as_agent)
            self.insert(fact)
        return fact

    def insert(self, fact: DesignFact) -> None:
        """Write a fact under its own number, in the caller's transaction.

        A draw also adds to the traces of the sample, or removes them. Taking a rubric is also
        written as an act, and taking it back or again marks that act.
        """
        name, body = to_body(fact.what)
        row = (
            fact.n,
            WHOLE_AUDIT,
            fact.at,
            fact.by,
            name,
            to_json(body),
            fact.as_agent,
        )
        db = self._file.db
        db.execute("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, NULL, ?)", row)
        keep_drawn(db, fact)
        match fact.what:
            case RubricTaken():
                act = (fact.n, WHOLE_AUDIT, fact.by, name)
                db.execute("INSERT INTO acts VALUES (?, ?, ?, NULL, ?)", act)
            case RubricTakenBack(act_no):
                db.execute("UPDATE acts SET undone = ? WHERE n = ?", (fact.n, act_no))
            case RubricTakenAgain(act_no):
                db.execute("UPDATE acts SET undone = NULL WHERE n = ?", (act_no,))
            case _:
                pass

    def drawn(self) -> list[int]:
        """Return the numbers of the sampled traces, in the order drawn; [] without a sample."""
        return self._file.column("SELECT trace FROM drawn ORDER BY place")

    def drawn_in_last_wave(self) -> list[int]:
        """Return the numbers of the traces in the sample's last wave, in the order drawn.

        Without a sample the list is empty.
        """
        sql = "SELECT trace FROM drawn WHERE unit > ? ORDER BY place"
        return self._file.column(sql, units_of_earlier_waves(self.sample()))


def drawn_waves(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """Return the waves of the sample, in order; empty without one and for a sample of no wave.

    Each is its name and the numbers of its first and last unit, from 1 through all waves, in the
    order of the draw.
    """
    sample = sample_of(design_in(db))
    if sample is None or not sample.is_in_waves:
        return []
    waves: list[tuple[str, int, int]] = []
    earlier_units = 0
    for wave in sample.waves:
        last_unit = earlier_units + len(wave)
        waves.append((wave.name, earlier_units + 1, last_unit))
        earlier_units = last_unit
    return waves


def units_of_earlier_waves(sample: Sample | None) -> int:
    """Return how many units were drawn before the last wave of a sample.

    It is 0 for a sample of one wave, and for None, which is no sample.
    """
    if sample is None:
        return 0
    return len(sample) - len(sample.waves[-1])


def keep_drawn(db: sqlite3.Connection, fact: DesignFact) -> None:
    """Add the traces that `fact` draws to the table `drawn`, or remove a withdrawn wave's from it.

    The last wave is the one withdrawn. New rows get the next numbers of units, and strata are
    counted from 0 through all waves. Any other event changes nothing. `fact` and all before it must
    be in the workspace already.
    """
    what = fact.what
    if not isinstance(what, Sampled | Withdrawn):
        return
    facts = design_in(db)
    if isinstance(what, Withdrawn):
        sample = sample_of([earlier for earlier in facts if earlier.n < fact.n])
        staying_count = units_of_earlier_waves(sample)
        db.execute("DELETE FROM drawn WHERE unit > ?", (staying_count,))
        return
    sample = sample_of([earlier for earlier in facts if earlier.n <= fact.n])
    earlier_strata = 0
    if sample is not None:
        earlier_strata = len(sample.strata) - len(sample.waves[-1].strata)
    strata = [stratum["name"] for stratum in what.strata]
    (last,) = db.execute("SELECT ifnull(max(unit), 0) FROM drawn").fetchone()
    sql = (
        "INSERT INTO drawn (trace, unit, stratum)"
        " SELECT no, ?, ? FROM traces WHERE id = ? AND epoch = ?"
    )
    for unit_no, unit in enumerate(what.drawn, last + 1):
        stratum = earlier_strata + strata.index(unit["stratum"])
        for trace_id, epoch in unit["traces"]:
            db.execute(sql, (unit_no, stratum, trace_id, epoch))


def design_in(db: sqlite3.Connection) -> list[DesignFact]:
    """Return the facts about the audit as a whole, the oldest first; an empty list without any.

    Any connection to a workspace can read them.
    """
    sql = "SELECT n, at, by, name, body, as_agent FROM facts WHERE cell = ? ORDER BY n"
    facts: list[DesignFact] = []
    for n, at, by, name, body, as_agent in db.execute(sql, (WHOLE_AUDIT,)):
        event = from_body(name, json.loads(body))
        facts.append(DesignFact(n, at, by, event, bool(as_agent)))
    return facts


# -- what judgments took --------------------------------------------------------------------------


class JudgmentUsage(Struct, frozen=True):
    """One judgment of one model: its cell, template, how many examples it was shown, its tokens."""

    cell: int
    template_sha256: str
    examples: int
    tokens_in: int
    tokens_out: int


def usage(path: Path, model: str, limit: int = 50) -> list[JudgmentUsage]:
    """Return the latest judgments of a model that say how many tokens they took, at most `limit`.

    The newest is first; those on panels count, too. Only the last `_LOOKED_THROUGH` facts are
    looked through. The workspace at `path` is opened for it and closed again.
    """
    latest = "SELECT cell, name, body FROM facts ORDER BY n DESC LIMIT ?"
    sql = f"SELECT cell, body FROM ({latest}) WHERE name = 'proposed'"  # noqa: S608 - the one above
    usages: list[JudgmentUsage] = []
    with reading(path) as db:
        for cell, body in db.execute(sql, (_LOOKED_THROUGH,)):
            judge = json.loads(body)["judge"]
            records = [judge]
            records.extend(judge.get("members", ()))
            for record in records:
                judgment_usage = _usage_in(record, cell)
                if judgment_usage is not None and record.get("model") == model:
                    usages.append(judgment_usage)
            if len(usages) >= limit:
                break
    return usages[:limit]


def _usage_in(record: Mapping[str, Any], cell: int) -> JudgmentUsage | None:
    """Return the tokens that a judge's record says it took about a cell, given by its number.

    None if the hash of the template, the tokens of the request or those of the reply are missing,
    empty or 0.
    """
    template = record.get("template_sha256")
    tokens_in = record.get("tokens_in")
    tokens_out = record.get("tokens_out")
    if not template or not tokens_in or not tokens_out:
        return None
    example_count = len(record.get("examples", ()))
    return JudgmentUsage(cell, template, example_count, tokens_in, tokens_out)
