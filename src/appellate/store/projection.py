"""What is derived from a cell's facts and kept beside them: its row, its part of the sums."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence

import msgspec

from appellate.core import describe
from appellate.core.cell import Cell, fold, round_of
from appellate.core.describe import answered, missing
from appellate.core.facts import (
    Commented,
    Corrected,
    Fact,
    Proposed,
    Reasoned,
    SignedOff,
)
from appellate.core.kind import (
    CANNOT_TELL,
    CANNOT_TELL_COUNT,
    Figures,
    Subject,
    TraitKey,
    in_queue,
)
from appellate.core.scale import goodness
from appellate.core.totals import (
    AnswerKey,
    BothFigures,
    answer_counts,
    changes,
    contribution,
    is_aside,
    overruled,
    standing_and_judge,
)
from appellate.query.sql import lot
from appellate.store.answered import Answered

Row = dict[str, object]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


class Sums:
    """What cells add to the running totals and the answers, gathered until `keep` writes it."""

    def __init__(self) -> None:
        self._totals: defaultdict[TraitKey, Counter[str]] = defaultdict(Counter)
        self._answers: defaultdict[TraitKey, Counter[AnswerKey]] = defaultdict(Counter)
        self.answered = Answered()

    def add(
        self,
        trait: TraitKey,
        numbers: Mapping[str, int],
        times: int = 1,
    ) -> None:
        """Add numbers to a trait's running totals, or with `times` -1 subtract them.

        They are written by `keep`.
        """
        totals = self._totals[trait]
        for key, amount in numbers.items():
            totals[key] += times * amount

    def add_answers(
        self,
        trait: TraitKey,
        counts: Mapping[AnswerKey, int],
        times: int = 1,
    ) -> None:
        """Add how cells of a trait answer its instructions, or with `times` -1 subtract it.

        It is written by `keep`.
        """
        gathered = self._answers[trait]
        for key, amount in counts.items():
            gathered[key] += times * amount

    def keep(self, db: sqlite3.Connection) -> None:
        """Write what was gathered, in the caller's transaction, and start again from nothing.

        States, flags and the number of cells are also added to the totals of all cells.
        """
        rows: Counter[tuple[str, str, str]] = Counter()
        for (kind, trait), totals in self._totals.items():
            for key, amount in totals.items():
                rows[trait, kind, key] += amount
                if ":" not in key or key.startswith("state:"):
                    rows["", "", key] += amount
        db.executemany(
            "INSERT INTO totals VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET value = value + excluded.value",
            [(*key, amount) for key, amount in rows.items() if amount],
        )
        answered: list[tuple[str, str, str, str, str, int]] = []
        instruction_sums: dict[tuple[str, str, str, str], list[int]] = {}
        for (kind, trait), counts in self._answers.items():
            for (list_name, instruction, answer), amount in counts.items():
                if not amount:
                    continue
                if answer is not None:
                    answered.append(
                        (trait, kind, list_name, instruction, answer, amount),
                    )
                if not is_aside(list_name):
                    sums = instruction_sums.setdefault(
                        (trait, kind, list_name, instruction),
                        [0, 0],
                    )
                    sums[answer is not None] += amount
        db.executemany(
            "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET cells = cells + excluded.cells",
            answered,
        )
        db.executemany(
            "INSERT INTO instructions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " overruled = overruled + excluded.overruled, cells = cells + excluded.cells",
            [(*key, *sums) for key, sums in instruction_sums.items()],
        )
        self._totals.clear()
        self._answers.clear()


_NEW: Row = {
    **dict.fromkeys(("source", "checklist")),
    **dict.fromkeys(
        ("flag", "breaches", "unverified", "round", "example", "outdated"),
        0,
    ),
    **dict.fromkeys(("overruled", "hasty", "sampled", "unsettled", "flipped"), 0),
    **dict.fromkeys(("headline", "disagreement", "goodness", "standing", "judge")),
    "state": "pending",
    "figures": "",
    "judged_by": "",
    "suspect": -1,
}
_COLUMNS = ("no", "trace", "trait", "kind", "lot", "heading", *_NEW)
_INSERT = (
    f"INSERT INTO cells ({', '.join(_COLUMNS)})"  # noqa: S608 - the names above
    f" VALUES ({', '.join('?' * len(_COLUMNS))})"
)


NewCell = tuple[int, Subject, Sequence[Fact]]
"""A cell that comes in: the number of its trace, what it is about, and all that happened to it."""


_Derived = tuple[
    Cell,
    Sequence[object],
    Sequence[tuple[int | None, ...]],
    Sequence[str | None],
]
"""What is kept of new cells that are alike: one of them, its columns, answers, and measures."""


def add_cells(db: sqlite3.Connection, sums: Sums, cells: Sequence[NewCell]) -> None:
    """Add cells after the last one, as their facts make them, in the caller's transaction.

    What is derived from the facts is computed once for cells that are alike. Their facts are
    written by the caller, and their sums by `Sums.keep`.
    """
    last = db.execute(
        "SELECT no, trace, heading FROM cells ORDER BY no DESC LIMIT 1",
    ).fetchone()
    last_no, last_trace, heading = last or (0, 0, 0)
    derived_by_likeness: dict[Hashable, _Derived] = {}
    times: Counter[Hashable] = Counter()
    rows: list[tuple[object, ...]] = []
    answer_rows: list[tuple[int | None, ...]] = []
    measured: list[tuple[int | str | None, ...]] = []
    for number, (trace_no, subject, facts) in enumerate(cells, last_no + 1):
        trace = subject.trace
        trait = subject.trait.name
        heading += trace_no != last_trace
        last_trace = trace_no
        alike, cell = _likeness(subject, facts)
        if alike not in derived_by_likeness:
            derived_by_likeness[alike] = _derived(
                db,
                sums,
                cell or fold(subject, facts),
            )
        times[alike] += 1
        _, row, answers, measures = derived_by_likeness[alike]
        draw_key = lot(trace.id, trace.epoch, trait)
        rows.append(
            (number, trace_no, trait, subject.kind.name, draw_key, heading, *row),
        )
        answer_rows += [(number, *words) for words in answers]
        if measures:
            measured.append((number, *measures))
    db.executemany(_INSERT, rows)
    db.executemany("INSERT INTO given VALUES (?, ?, ?, ?, ?)", answer_rows)
    db.executemany("INSERT INTO measured VALUES (?, ?, ?, ?)", measured)
    for alike, (cell, *_) in derived_by_likeness.items():
        trait = cell.subject.trait_key
        sums.add(trait, contribution(cell), times[alike])
        sums.add_answers(trait, answer_counts(cell), times[alike])


_OF_CELLS = ("given", "measured", "facts", "bookmarks", "seen", "extras")
"""The tables that have rows of a cell, by its number in `cell`."""


def remove_cells(
    db: sqlite3.Connection,
    sums: Sums,
    cells: Sequence[tuple[int, Cell]],
) -> None:
    """Remove the last cells and all that is kept of them, and subtract them from the sums.

    Of a trait that has no cells then the sums are removed, too.
    """
    for _, cell in cells:
        trait = cell.subject.trait_key
        sums.add(trait, contribution(cell), -1)
        sums.add_answers(trait, answer_counts(cell), -1)
    sums.keep(db)
    numbers = [(number,) for number, _ in cells]
    for table in _OF_CELLS:
        db.executemany(f"DELETE FROM {table} WHERE cell = ?", numbers)  # noqa: S608
    db.executemany("DELETE FROM cells WHERE no = ?", numbers)
    for kind_name, trait_name in {cell.subject.trait_key for _, cell in cells}:
        its_rows = "WHERE trait = ? AND kind = ?"
        sql = f"SELECT 1 FROM cells {its_rows} LIMIT 1"  # noqa: S608
        has_cells = db.execute(sql, (trait_name, kind_name)).fetchone() is not None
        if not has_cells:
            for table in ("totals", "answers", "instructions"):
                db.execute(f"DELETE FROM {table} {its_rows}", (trait_name, kind_name))  # noqa: S608


def _likeness(subject: Subject, facts: Sequence[Fact]) -> tuple[Hashable, Cell | None]:
    """Return a key that new cells share if their rows are alike, and the cell if it was folded.

    Only a cell without facts, with one proposal of a single judge, or with such a proposal and what
    people corrected, said and signed off after it can share its key.
    """
    if not facts:
        return id(subject.trait), None
    event = facts[0].what
    if not isinstance(event, Proposed) or "members" in event.judge:
        return ("", facts[0].n), None
    if len(facts) > 1:
        return _likeness_of_ruled(fold(subject, facts))
    labels = subject.labels(event.table)
    shared = subject.kind.likeness(labels)
    if shared is None:
        return ("", facts[0].n), None
    return (
        id(subject.trait),
        shared,
        subject.count_in_context(labels),
        _judge_key(event),
    ), None


_OF_PEOPLE = (Corrected, Commented, SignedOff)


def _likeness_of_ruled(cell: Cell) -> tuple[Hashable, Cell]:
    """Return the key of a new cell whose first fact is a proposal of a single judge, and the cell.

    Cells share it in which the judge's labels are alike, and those that people made of them, and
    the same marks follow from their sign-offs.
    """
    subject = cell.subject
    unshared = ("", cell.facts[0].n)
    if cell.judge is None:
        return unshared, cell
    for fact in cell.facts[1:]:
        if not isinstance(fact.what, _OF_PEOPLE):
            return unshared, cell
    shared = subject.kind.likeness(cell.labels)
    shared_judge = subject.kind.likeness(cell.judge_labels)
    if shared is None or shared_judge is None:
        return unshared, cell
    contexts = (cell.count_in_context, subject.count_in_context(cell.judge_labels))
    marks = (cell.state, bool(cell.edits), bool(cell.signed), cell.hasty, cell.outdated)
    labels = (id(subject.trait), shared, shared_judge, _judge_key(cell.judge))
    return (labels, contexts, marks, _unsettled(cell)), cell


def _judge_key(proposed: Proposed) -> str:
    """Return a judge's record as JSON, without the fingerprint of the text that it read."""
    judge = proposed.judge
    if "text_sha256" in judge:
        judge = {key: value for key, value in judge.items() if key != "text_sha256"}
    return _json(judge)


def _derived(db: sqlite3.Connection, sums: Sums, cell: Cell) -> _Derived:
    """Return what is to be written of a new cell, and of all that are like it."""
    changed = _changed(Cell(cell.subject), cell)
    row = _NEW | _of_subject(db, sums, cell) | changed
    answer_rows = [
        (question_no, *words)
        for question_no, words in sums.answered.given(db, cell).items()
    ]
    measured: Sequence[str | None] = ()
    if "round" in changed:
        measured = _measured(cell)
    return cell, tuple(row.values()), answer_rows, measured


def project(
    db: sqlite3.Connection,
    sums: Sums,
    number: int,
    old_cell: Cell,
    new_cell: Cell,
) -> None:
    """Write everything derived from a cell, after it changed from `old_cell` to `new_cell`.

    What it adds to totals and answers is gathered in `sums`, which the caller keeps.
    """
    new = new_cell.facts[len(old_cell.facts) :]
    if new and all(isinstance(fact.what, Commented | Reasoned) for fact in new):
        return  # nothing derived tells of them
    trait = new_cell.subject.trait_key
    for old_part, new_part in changes(old_cell, new_cell):
        sums.add(trait, old_part, -1)
        sums.add(trait, new_part)
    row = _changed(old_cell, new_cell)
    if _differs(old_cell, new_cell, "subject"):
        row |= _of_subject(db, sums, new_cell)
    if "figures" in row:
        sums.add_answers(trait, answer_counts(old_cell), -1)
        sums.add_answers(trait, answer_counts(new_cell))
        sums.answered.keep(db, number, old_cell, new_cell)
    if "round" in row or _differs(old_cell, new_cell, "subject"):
        sql = "INSERT OR REPLACE INTO measured VALUES (?, ?, ?, ?)"
        db.execute(sql, (number, *_measured(new_cell)))
    update(db, number, row)


def _of_subject(db: sqlite3.Connection, sums: Sums, cell: Cell) -> Row:
    """Return the columns of a cell that follow from its trait alone: `source` and `checklist`.

    Questions that are new are written.
    """
    checklist = sums.answered.checklist(db, cell.subject).number
    return {"source": cell.subject.source_name, "checklist": checklist}


def _changed(old_cell: Cell, new_cell: Cell) -> Row:
    """Return the columns that a change of a cell may touch, with their new values.

    Columns that are costly to find are left out if what they are made of is the same object.
    """
    row: Row = {
        "state": new_cell.state,
        "flag": new_cell.flag,
        "outdated": new_cell.outdated,
        "example": new_cell.example,
        "hasty": new_cell.hasty,
        "unsettled": _unsettled(new_cell),
    }
    if _differs(old_cell, new_cell, "labels"):
        row |= {"breaches": len(new_cell.breaches()), "unverified": new_cell.unverified}
    is_resampled = (
        _sampled(old_cell) != _sampled(new_cell) or new_cell.hidden != old_cell.hidden
    )
    if is_resampled:
        row["sampled"] = _sampled(new_cell)
    if is_resampled or _differs(old_cell, new_cell, "judged", "rounds"):
        row |= _judged(new_cell)
    if is_resampled or _differs(
        old_cell,
        new_cell,
        "subject",
        "labels",
        "judged",
        "failure",
        "example",
    ):
        row |= figures(new_cell, standing_and_judge(new_cell)) | {
            "overruled": overruled(new_cell),
        }
    return row


def _differs(old_cell: Cell, new_cell: Cell, *names: str) -> bool:
    """Return whether an attribute of these names is another object in the two cells."""
    for name in names:  # noqa: SIM110 - a generator takes twice as long
        if getattr(new_cell, name) is not getattr(old_cell, name):
            return True
    return False


def update(db: sqlite3.Connection, number: int, row: Row) -> None:
    """Write the columns of a cell's row that `row` has, of which there must be one at least."""
    columns = ", ".join(f"{name} = ?" for name in row)
    sql = f"UPDATE cells SET {columns} WHERE no = ?"  # noqa: S608 - the names are those below
    db.execute(sql, (*row.values(), number))


def _sampled(cell: Cell) -> int:
    """Return whether a cell is in the sample, as a number.

    It is 0 outside the sample, 1 if the judge is visible, 2 blind and not ruled on, 3 ruled on
    blind, and 4 ruled on before something changed.
    """
    if cell.drawn is None:
        return 0
    if not cell.is_blind:
        return 1
    if cell.lapsed:
        return 4
    return 3 if cell.ruled else 2


def _unsettled(cell: Cell) -> int:
    """Return, as a number, whether something changed since a cell was signed off or ruled on.

    0 for no, 1 if it is to be signed off again, 2 if it was after a ruling that counts no more.
    """
    if cell.unsettled:
        return 1
    return 2 if cell.lapsed else 0


def _measured(cell: Cell) -> tuple[str | None, str | None, str | None]:
    """Return the figures of judge, panel members and verdict, even hidden ones, as JSON or None.

    Only estimates may use them.
    """
    judge = cell.judge_figures
    judge_json = None if judge is None else _come_to(judge)
    verdict = cell.verdict_figures
    verdict_json = None if verdict is None else _come_to(verdict)
    members_json = None
    if cell.judge is not None:
        members: list[str] = []
        for voice in answered(cell.judge.judge):
            figures = cell.subject.measure_table(voice.table)
            members.append(_come_to(figures))
        if members:
            members_json = f"[{','.join(members)}]"
    return judge_json, members_json, verdict_json


def _come_to(figures: Figures) -> str:
    """Return counts and values of figures as JSON; a value of 0/0 is null."""
    values = figures.values | dict.fromkeys(figures.undefined)
    return _json({"counts": figures.counts, "values": values})


def _judged(cell: Cell) -> Row:
    """Return the round of a cell's latest proposal, how much its panel disagreed, and its flips.

    The disagreement is None for a single judge, and while the judge is hidden; flips are 0 then.
    """
    latest = max(cell.round, 0)
    for fact in cell.rounds:
        if isinstance(fact.what, Proposed):
            latest = max(latest, round_of(fact.what))
    disagreement = None
    flipped = 0
    if not cell.hidden:
        if cell.judge:
            disagreement = _disagreement(cell, cell.judge)
        if cell.rounds:
            flipped = len(cell.flips)
    return {"round": latest, "disagreement": disagreement, "flipped": flipped}


def _disagreement(cell: Cell, proposed: Proposed) -> float | None:
    """Return how much the members of a panel disagree on a cell, from 0 to 1.

    None for a single judge, and if no member gave labels. 0 if only one member did.
    """
    members = answered(proposed.judge)
    if not members:
        return None
    tables = [member.table for member in members]
    votes = describe.votes(cell.subject, tables)
    return describe.disagreement(votes)


def figures(cell: Cell, measured: BothFigures) -> Row:
    """Return the columns that queries, orders and plots read of a cell's figures.

    `headline` is the measure that cells have in the queue, `goodness` how near it is to its best
    (1); both are None for 0/0. `standing` and `judge` are measures, `judged_by` names, all as JSON;
    they are apart from other `figures`, since SQLite reads a JSON text whole. `measured` has the
    figures of the current labels and of the judge.
    """
    judged_by = ""
    cell = cell.shown
    if last := cell.judge or cell.error:
        names = [last.judge[key] for key in ("name", "model") if last.judge.get(key)]
        if names:
            judged_by = _json(names)
    return {
        **_headline(cell, measured[0]),
        "standing": _measures(measured[0]),
        "judge": _measures(measured[1]),
        "judged_by": judged_by,
        "figures": _figures(cell, *measured),
    }


def _headline(cell: Cell, figures: Figures | None) -> Row:
    """Return `headline`, a cell's measure in the queue, and `goodness`, how good it is, as a table.

    Both are None for 0/0, without labels and without measures.
    """
    measures = cell.subject.kind.measures(cell.subject.trait)
    nothing: Row = {"headline": None, "goodness": None}
    if figures is None or not measures:
        return nothing
    measure = in_queue(measures)
    if measure.name in figures.undefined:
        return nothing
    value = figures.values[measure.name]
    return {"headline": value, "goodness": goodness(measure, value)}


def _measures(figures: Figures | None) -> str | None:
    """Return the measures of figures by name, as JSON with null for 0/0; None without figures."""
    if figures is None:
        return None
    return _json(figures.values | dict.fromkeys(figures.undefined))


def _figures(cell: Cell, figures: Figures | None, judge: Figures | None) -> str:
    """Return counts and words of a cell as JSON, for queries and the queue.

    "counts" and "words" are of the labels, "word" is of the headline. "absent" counts judges
    without labels, "unscored" are measures nobody scored, "cannot_tell" those that nobody could
    tell. "differs" is there if the judge's labels do not give its own figures. "context" counts the
    evidence in the words of a user or of the system. What is not so is left out.
    """
    row: Row = {}
    if figures:
        row["counts"] = figures.counts
        if figures.unscored:
            row["unscored"] = sorted(figures.unscored)
        if figures.cannot_tell:
            row[CANNOT_TELL_COUNT] = sorted(figures.cannot_tell)
        if judge and cell.state == "proposed" and figures != judge:
            row["differs"] = 1
        if figures.words:
            row["words"] = dict(figures.words)
            word = in_queue(cell.subject.kind.measures(cell.subject.trait)).word
            if word in figures.words:
                row["word"] = figures.words[word]
            elif figures.cannot_tell:
                row["word"] = CANNOT_TELL
    if cell.judge and (absent := missing(cell.judge.judge)):
        row["absent"] = absent
    if cell.count_in_context:
        row["context"] = cell.count_in_context
    return _json(row)
