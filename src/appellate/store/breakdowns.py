"""A trait in numbers, by groups, and how far its judge agrees with people; for a thread.

Labels that are as a judge proposed them have their figures in their row; a cell that a person
corrected or signed off is folded.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.agreement import (
    FULL_NAMES,
    SHOWN,
    Agreement,
    Answers,
    PairCounts,
    Rates,
    Reasons,
    cluster_of,
)
from appellate.core.breakdown import Breakdown, BreakdownSums, CellFigures, Reducer
from appellate.core.kind import CANNOT_TELL_COUNT, AnyKind, Figures, KnownTrait, Measure
from appellate.core.panel_agreement import PanelAgreement, PanelCounts
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF, AnswerStats, aside_list
from appellate.core.trace import Trace
from appellate.query.language import META
from appellate.store import answered, trace_rows
from appellate.store.database import Database, reading
from appellate.store.fact_rows import cell_reader, reasons_in
from appellate.store.tables import rubric_of
from appellate.traits.kinds import kinds

NO_LIMIT = -1
"""A limit that SQLite takes for none."""
MOST = 1_000
"""Panel cells of a trait that a screen reads, by lot: the figures hardly change with more."""
_PANEL_TRAITS = (
    "SELECT c.trait, c.kind FROM cells c JOIN measured m ON m.cell = c.no"
    " WHERE m.members IS NOT NULL GROUP BY c.trait, c.kind ORDER BY min(c.no)"
)
_PANEL_CELLS = (
    "SELECT c.no, t.body FROM cells c JOIN traces t ON t.no = c.trace WHERE c.no IN"
    " (SELECT l.no FROM cells l JOIN measured m ON m.cell = l.no WHERE l.trait = ?1"
    " AND l.kind = ?2 AND m.members IS NOT NULL AND NOT l.example ORDER BY l.lot, l.no LIMIT ?3)"
    " ORDER BY c.trace, c.no"
)


def panels(path: Path, on_progress: OnProgress = ignore_progress) -> dict[str, PanelAgreement]:
    """Return the agreement of each trait's panel over at most `MOST` cells, for a thread.

    Traits that no panel judged are left out. Of several kinds of one name the first counts.
    """
    agreements_by_trait: dict[str, PanelAgreement] = {}
    with reading(path) as db:
        for trait, kind in db.execute(_PANEL_TRAITS).fetchall():
            agreement = panel_in(db, trait, kind, MOST, on_progress)
            if agreement is not None:
                agreements_by_trait.setdefault(trait, agreement)
    return agreements_by_trait


def panel_in(
    db: sqlite3.Connection,
    trait: str,
    kind: str,
    limit: int = NO_LIMIT,
    on_progress: OnProgress = ignore_progress,
) -> PanelAgreement | None:
    """Return how the panel of a trait agrees; None if no panel judged it.

    At most `limit` cells are read, drawn by lot. Hidden cells and examples are not counted.
    """
    folded_cell = cell_reader(db)
    counts = PanelCounts()
    rows = db.execute(_PANEL_CELLS, (trait, kind, limit))
    for done, (number, body) in enumerate(rows, 1):
        counts.add(folded_cell(number, trait, body))
        on_progress(done, None)
    return counts.agreement(reasons_in(db))


Asked = tuple[str, str]
"""The list and the words of an instruction."""
_ANSWERED = (
    "SELECT c.no, c.trait, c.sampled = 3, c.trace, t.id FROM cells c JOIN traces t"
    " ON t.no = c.trace WHERE NOT c.example"
    " AND (c.sampled = 3 OR (c.sampled <> 2 AND c.state = 'reviewed')) ORDER BY c.no"
)
_GIVEN = (
    "SELECT question, judged, iif(?, ruled, answer) AS person FROM given"
    " WHERE cell = ? AND judged IS NOT NULL AND person IS NOT NULL ORDER BY question"
)


class TraitAgreement(Struct, frozen=True):
    """A trait, and its instructions that were compared: in sight of the judge, and `blind`."""

    whole: Agreement
    instructions: Mapping[Asked, Agreement]
    blind: Agreement
    blind_instructions: Mapping[Asked, Agreement]


def agreements(
    path: Path,
    traits: Mapping[str, Sequence[KnownTrait]],
    on_progress: OnProgress = ignore_progress,
) -> dict[str, TraitAgreement]:
    """Of traits whose cells share instructions, over the cells signed off or ruled."""
    found: dict[str, TraitAgreement] = {}
    with reading(path) as db:
        counted = _counted(db, traits, on_progress)
    for name, known in traits.items():
        kind = known[0].kind
        if kind.standings(known[0].trait, kind.blank):
            counts = counted.get(name) or _TraitCounts(known, SHOWN)
            found[name] = counts.agreement(on_progress)
    return found


class ComparedAnswers:
    """Turns the words of rows into pairs of answers, for the traits of a name and kind."""

    def __init__(
        self, kind: AnyKind, known: Iterable[KnownTrait], words: Mapping[int, str]
    ) -> None:
        called_as = {word: answer for answer, texts in kind.called_as.items() for word in texts}
        self._answers = {number: called_as.get(word, word) for number, word in words.items()}
        self._unanswered = kind.unanswered
        self._untold = frozenset[str]()
        for one in known:
            self._untold |= kind.untold(one.trait)

    def pair(self, judge: int, person: int) -> Answers | None:
        """The answers to one question; None where the person did not answer it, or where either
        of the two cannot tell.
        """
        pair = self._answers[judge], self._answers[person]
        if pair[1] in self._unanswered or not self._untold.isdisjoint(pair):
            return None
        return pair


class _TraitCounts:
    """The pairs of answers under the traits of a name, as they come."""

    def __init__(self, known: Sequence[KnownTrait], reasons: Reasons) -> None:
        self._kind = known[0].kind
        self._reasons = reasons
        self._vocabulary: dict[str, None] = {}
        for one in known:
            self._vocabulary |= dict.fromkeys(self._kind.vocabulary(one.trait))
        self._whole = PairCounts(), PairCounts()
        self._instructions: tuple[defaultdict[Asked, PairCounts], ...] = (
            defaultdict(PairCounts),
            defaultdict(PairCounts),
        )

    def add(self, pairs: Iterable[tuple[Asked, Answers]], cluster: Hashable, blind: int) -> None:
        """`blind` is 1 for a verdict, 0 for labels that were signed off."""
        whole, instructions = self._whole[blind], self._instructions[blind]
        for asked, pair in pairs:
            whole.add(cluster, pair)
            instructions[asked].add(cluster, pair)

    def agreement(self, on_progress: OnProgress) -> TraitAgreement:
        wholes: list[Agreement] = []
        ones: list[dict[Asked, Agreement]] = []
        for blind, reason in enumerate(self._reasons):
            wholes.append(self._describe(self._whole[blind], reason, on_progress))
            every = self._instructions[blind].items()
            ones.append(
                {asked: self._describe(counts, reason, on_progress) for asked, counts in every}
            )
        return TraitAgreement(wholes[0], ones[0], wholes[1], ones[1])

    def _describe(self, counts: PairCounts, reason: str, on_progress: OnProgress) -> Agreement:
        """With its intervals worked out, which nobody waits for here."""
        found = counts.agreement(self._kind.positives, self._vocabulary, reason)
        for name in (*FULL_NAMES, *Rates._fields):
            found.known(name)
            on_progress(found.n, None)
        return found


def _counted(
    db: sqlite3.Connection, traits: Mapping[str, Sequence[KnownTrait]], on_progress: OnProgress
) -> dict[str, _TraitCounts]:
    """The pairs under each trait that has any."""
    words, questions = answered.words(db), answered.questions(db)
    clusters = dict(trace_rows.by_trace(db, "cluster"))
    reasons = reasons_in(db)
    found: dict[str, tuple[ComparedAnswers, _TraitCounts]] = {}
    for done, (cell, trait, blind, trace, name) in enumerate(db.execute(_ANSWERED)):
        on_progress(done, None)
        if trait not in traits:
            continue
        if trait not in found:
            known = traits[trait]
            found[trait] = (
                ComparedAnswers(known[0].kind, known, words),
                _TraitCounts(known, reasons),
            )
        answers, counts = found[trait]
        cluster = cluster_of(clusters.get(trace), name)
        pairs: list[tuple[Asked, Answers]] = []
        for question, judge, person in db.execute(_GIVEN, (blind, cell)):
            if pair := answers.pair(judge, person):
                pairs.append((questions[question], pair))
        counts.add(pairs, cluster, blind)
    return {trait: counts for trait, (_, counts) in found.items()}


_ASKED = "SELECT of, instruction, overruled, cells FROM instructions WHERE trait = ?"


def answer_stats(file: Database, trait: str, limit: int = 1000) -> list[AnswerStats]:
    """How a trait's instructions are answered, most overruled first, then by list and words."""
    file.sums.keep(file.db)
    return kept_stats(file.db, trait, limit)


def kept_stats(db: sqlite3.Connection, trait: str, limit: int) -> list[AnswerStats]:
    """The same as of the last transaction, by any connection."""
    overruled = db.execute(
        f"{_ASKED} AND overruled > 0 ORDER BY overruled DESC LIMIT ?",
        (trait, limit),
    ).fetchall()
    rest = db.execute(
        f"{_ASKED} AND overruled = 0 AND cells > 0 ORDER BY of, instruction LIMIT ?",
        (trait, limit - len(overruled)),
    )
    sql = (
        "SELECT answer, cells FROM answers"
        " WHERE trait = ? AND of = ? AND instruction = ? AND cells > 0"
    )
    found: list[AnswerStats] = []
    for of, instruction, times, cells in [*overruled, *rest]:
        given = db.execute(sql, (trait, of, instruction)).fetchall()
        asides = db.execute(sql, (trait, aside_list(of), instruction)).fetchall()
        found.append(AnswerStats(of, instruction, dict(given), times, cells, dict(asides)))
    return found


def worst(file: Database, traits: Iterable[str], limit: int) -> list[tuple[str, AnswerStats]]:
    """At most `limit` instructions of some traits, most overruled first, each with its trait."""
    found: list[tuple[str, AnswerStats]] = []
    for name in traits:
        found += [(name, one) for one in answer_stats(file, name, limit)]
    found.sort(key=lambda pair: -pair[1].overruled)
    return found[:limit]


def changed_since(file: Database, n: int) -> set[str]:
    """The traits with a cell that changed after the fact of this number."""
    found = file.db.execute(
        "SELECT DISTINCT c.trait FROM facts f JOIN cells c ON c.no = f.cell WHERE f.n > ?", (n,)
    )
    return {name for (name,) in found}


def is_blind(file: Database) -> bool:
    """Whether any cell was drawn to be ruled before its judge is seen."""
    sql = "SELECT 1 FROM cells WHERE sampled > 0 AND sampled >= 2 LIMIT 1"
    return file.db.execute(sql).fetchone() is not None


def question_ids(path: Path) -> set[str]:
    """The ids of the questions that traces answer; for a thread."""
    with reading(path) as db:
        found = db.execute("SELECT DISTINCT question_id FROM heads WHERE question_id <> ''")
        return {name for (name,) in found}


def distribution(
    db: sqlite3.Connection, trait: str, measure: Measure, side: str, bins: int, kind: str = "*"
) -> list[int]:
    """Return how many cells of a side (`totals.SIDES`) are in each of `bins` parts of a scale.

    A value at the border of two parts is in the upper one, the upper bound in the last part, as
    `scale.part_of` says. Cells for which the measure is 0/0 are left out.
    """
    counts = [0] * bins
    state = "reviewed" if side in SIGNED_OFF else "*"
    sql = (
        "SELECT max(min(CAST((value - ?2) * ?1 / ?3 AS INTEGER), ?1 - 1), 0) AS bin, count(*) FROM"
        " (SELECT json_extract(iif(?7, judge, standing), ?4) AS value FROM cells"
        " WHERE trait = ?5 AND state GLOB ?6 AND kind GLOB ?8)"
        " WHERE value IS NOT NULL GROUP BY bin"
    )
    scale = (bins, measure.low, measure.high - measure.low or 1)
    is_judges = side.startswith("judge")
    values = (*scale, f'$."{measure.name}"', trait, state, is_judges, kind)
    for part, count in db.execute(sql, values):
        counts[part] = count
    return counts


BY = ("model", "question", "cluster", "epoch")
"""What traces are grouped by, beside the keys of their metadata: `meta.site`."""
MOST_INSTRUCTIONS = 10_000


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
            found = [
                one.value
                for one in trace_rows.parts({"metadata": trace.metadata})
                if one.name == by
            ]
            return tuple(dict.fromkeys(map(trace_rows.in_words, found)))


def _wording(word: str | None) -> Sequence[str]:
    return (word,) if word else ()


# -- from a workspace -----------------------------------------------------------------------------


_KINDS = (
    "SELECT kind, count(*) FROM cells WHERE trait = ? GROUP BY kind ORDER BY min(trace), min(no)"
)
_TRAITS = "SELECT trait, kind, min(trace) FROM cells GROUP BY trait, kind"


def breakdown(
    path: Path,
    trait: str,
    by: str = "",
    reducers: Sequence[Reducer] = ("mean",),
    on_progress: OnProgress = ignore_progress,
) -> Breakdown | None:
    """Return the numbers of a trait as a screen shows them, for a thread; None without cells.

    At most `MOST_INSTRUCTIONS` instructions are counted, and `MOST` cells of a panel.
    """
    with reading(path) as db:
        return breakdown_in(
            db,
            trait,
            by,
            reducers,
            on_progress,
            most_instructions=MOST_INSTRUCTIONS,
            most_panel_cells=MOST,
        )


def every_breakdown(
    db: sqlite3.Connection, by: str = "", reducers: Sequence[Reducer] = ("mean",)
) -> list[Breakdown]:
    """Return the numbers of each trait name and kind, in the order of an audit file."""
    positions: dict[tuple[str, str], int] = {}
    for known in rubric_of(db).every_trait():
        positions.setdefault((known.trait.name, known.kind.name), len(positions))
    places: list[tuple[int, int, str, str]] = []
    for trait, kind, first_trace in db.execute(_TRAITS):
        places.append((first_trace, positions.get((trait, kind), len(positions)), trait, kind))

    breakdowns: list[Breakdown] = []
    for _, _, trait, kind in sorted(places):
        numbers = breakdown_in(db, trait, by, reducers, kind=kind)
        if numbers is not None:
            breakdowns.append(numbers)
    return breakdowns


def breakdown_in(
    db: sqlite3.Connection,
    trait: str,
    by: str = "",
    reducers: Sequence[Reducer] = ("mean",),
    on_progress: OnProgress = ignore_progress,
    *,
    kind: str = "",
    most_instructions: int = NO_LIMIT,
    most_panel_cells: int = NO_LIMIT,
) -> Breakdown | None:
    """Return the numbers of the traits of one name and kind; None if no cell is of them.

    Without a `kind` it is the first that the cells of the name have.
    """
    cells_by_kind = dict(db.execute(_KINDS, (trait,)).fetchall())
    kind_name = kind or next(iter(cells_by_kind), "")
    cell_count = cells_by_kind.get(kind_name, 0)
    if not cell_count:
        return None

    # answers are kept by the name of the trait: kinds that share one are counted cell by cell
    is_shared = len(cells_by_kind) > 1
    sums = BreakdownSums(kinds()[kind_name], by, reducers, reasons_in(db))
    cells = _TraitCells(db, trait, kind_name, sums, by, is_folding_all=is_shared)
    for done in cells.add_all():
        on_progress(done, done / cell_count)
    stats: Sequence[AnswerStats] = ()
    if not is_shared:
        stats = kept_stats(db, trait, most_instructions)
    panel = panel_in(db, trait, kind_name, most_panel_cells, on_progress)
    return replace(sums.breakdown(stats), panel=panel)


class TraceGroups:
    """Tells by a trace's number the groups that it is in, as `words_of` does by the trace."""

    def __init__(self, db: sqlite3.Connection, by: str) -> None:
        self._db = db
        self._by = by
        self._words: Mapping[int, Sequence[str]] = {}
        if by not in ("", "question"):
            self._words = trace_rows.words_by(db, by)

    def of(self, trace_no: int) -> Sequence[str]:
        """Return the groups of a trace; the trace is read only for its question."""
        if self._by == "question":
            trace = Trace.model_validate(json.loads(trace_body(self._db, trace_no)))
            return words_of(trace, self._by)
        return self._words.get(trace_no, ())


def trace_body(db: sqlite3.Connection, trace_no: int) -> str:
    """Return the trace of a number, as JSON."""
    (body,) = db.execute("SELECT body FROM traces WHERE no = ?", (trace_no,)).fetchone()
    return str(body)


class _TraitCells:
    """Reads the cells of a trait one after the other and adds them up.

    Cells are folded only where their row does not have the figures, unless `is_folding_all`.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        trait: str,
        kind: str,
        sums: BreakdownSums,
        by: str,
        *,
        is_folding_all: bool,
    ) -> None:
        self._db = db
        self._trait = trait
        self._kind = kind
        self._by = by
        self._cell = cell_reader(db)
        self._clusters = dict(trace_rows.by_trace(db, "cluster"))
        self._groups = TraceGroups(db, by)
        self._sums = sums
        self._is_folding_all = is_folding_all
        for known in rubric_of(db).every_trait():
            if (known.trait.name, known.kind.name) == (trait, kind):
                sums.know(known.trait)

    def add_all(self) -> Iterator[int]:
        """Add every cell, and yield after each how many there were."""
        cells = self._db.execute(
            "SELECT c.no, c.trace, t.id, t.epoch, h.model, c.overruled, c.state, c.standing,"
            " c.judge, c.figures FROM cells c JOIN traces t ON t.no = c.trace"
            " JOIN heads h ON h.trace = c.trace WHERE c.trait = ? AND c.kind = ?"
            " ORDER BY c.trace, c.no",
            (self._trait, self._kind),
        )
        for done, (number, trace_no, name, epoch, model, overruled, *row) in enumerate(cells, 1):
            sides = None
            if not self._is_folding_all:
                sides = _sides(*row)
            if sides is None:
                cell = self._cell(number, self._trait, trace_body(self._db, trace_no))
                groups = words_of(cell.subject.trace, self._by)
                self._sums.add(cell, groups, counted=not self._is_folding_all)
            else:
                cluster = self._clusters.get(trace_no, "")
                figures = CellFigures((name, epoch), model, cluster, False, overruled, sides)
                self._sums.take(figures, self._groups.of(trace_no))
            yield done


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
    found = Figures.of(
        json.loads(standing),
        beside.get("counts", {}),
        words=beside.get("words", {}),
        unscored=frozenset(beside.get("unscored", ())),
        cannot_tell=frozenset(beside.get(CANNOT_TELL_COUNT, ())),
    )
    return dict.fromkeys(AS_THEY_STAND, found)


def groupings(path: Path) -> list[str]:
    """By what the traces of a workspace can be told apart: those of `BY`, then `meta.KEY`."""
    with reading(path) as db:
        clustered = sorted(trace_rows.by_trace(db, "cluster"))
        (count,) = db.execute("SELECT count(*) FROM traces").fetchone()
        one_word = len({word for _, word in clustered}) == 1 and len(clustered) == count
        apart = {"cluster": bool(clustered) and not one_word}
        for by, sql in _TOLD_APART.items():
            (apart[by],) = db.execute(sql).fetchone()
        keys = trace_rows.names(db).keys
    return [*filter(apart.__getitem__, BY), *map(META.__add__, keys)]


_TOLD_APART = {
    "model": "SELECT count(DISTINCT model) > 1 FROM heads",
    "question": "SELECT count(DISTINCT question_id || char(0) || question) > 1 FROM heads",
    "epoch": "SELECT count(DISTINCT epoch) > 1 FROM traces",
}
