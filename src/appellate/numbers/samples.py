"""A sample as an audit file has it, and as a workspace keeps it; and all numbers of it."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec import Struct

from appellate.core.agreement import Answers, compared
from appellate.core.cell import Cell
from appellate.core.describe import answered, describe_unsettled
from appellate.core.design_facts import Sampled, of_this_sample, sample_of
from appellate.core.facts import Ruled, SignedOff
from appellate.core.kind import Figures, KnownTrait, headline
from appellate.core.problem import Refused
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import TraceKey, name_of
from appellate.numbers.bars import Gate, asked_bars, gate, hold_in_range, plans
from appellate.numbers.estimates import (
    AuditedSample,
    GroupDifference,
    JudgeErrors,
    UnitCell,
    Worth,
    differences,
    estimated_traits,
    frame_units,
    judge_errors,
    worth,
)
from appellate.stats.looks import TrustBar
from appellate.store import trace_rows
from appellate.store.answered import words
from appellate.store.audits.audit import Audit
from appellate.store.audits.hand_edits import (
    HistoryFaults,
    changed_since,
    history_faults,
    history_in,
    history_of,
)
from appellate.store.breakdowns import ComparedAnswers, TraceGroups, words_of
from appellate.store.database import reading
from appellate.store.fact_rows import cell_reader, design_in
from appellate.store.samples.design_faults import BLIND, IN_SIGHT, OUT, FramedTrace, sample_faults
from appellate.store.samples.drawn_over import DrawnOver, drawn_over_in, drawn_over_of
from appellate.store.samples.sample_plans import judged_figures
from appellate.store.samples.sampling import first_verdict
from appellate.store.tables import rubric_of
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric

MOST_GROUPS = 20


class SampleNumbers(Struct, frozen=True):
    """All numbers of a sample: of each trait and of several together, of groups of the headlines,
    where the judge goes wrong, and the bars.
    """

    at: AuditedSample
    worths: Sequence[Worth]
    by_group: Sequence[Worth]
    differences: Sequence[GroupDifference]
    errors: Sequence[JudgeErrors]
    gates: Sequence[Gate]


def sample_numbers(at: AuditedSample, on_progress: OnProgress = ignore_progress) -> SampleNumbers:
    """Counts them all; `on_progress` is called every so often, and may raise to have it stop."""
    worths: list[Worth] = []
    by_group: list[Worth] = []
    compared: list[GroupDifference] = []
    errors: list[JudgeErrors] = []
    groups = at.groups[:MOST_GROUPS]
    if at.faults:
        return SampleNumbers(at, [], [], [], [], gates(at))
    every = [(one, measure) for one in at.traits for measure in one.measures]
    for trait, measure in every:
        is_headline = measure is headline(trait.measures)
        on_progress(0, None)
        found = worth(at.units, trait, measure)
        worths.append(found)
        if is_headline and trait.name:
            errors.append(judge_errors(found))
        if is_headline and len(groups) > 1:
            having: list[Worth] = []
            for group in groups:
                on_progress(0, None)
                one = worth(at.units, trait, measure, group)
                if one.part.frame:
                    having.append(one)
            by_group += having
            compared += differences(having)
    return SampleNumbers(at, worths, by_group, compared, errors, gates(at))


def gates(at: AuditedSample, bars: Sequence[TrustBar] = ()) -> list[Gate]:
    """Some bars, else those planned or decided; raises Refused for one that cannot be decided."""
    for bar in bars:
        hold_in_range(at.traits, bar)
    if bars:
        return list(map(partial(gate, at), bars))
    known = [plan.bar for plan in plans(at.facts)]
    known += [asked.bar for asked in asked_bars(at.facts)]
    found: list[Gate] = []
    for bar in known:
        with suppress(Refused):  # the rubric has this number no more
            found.append(gate(at, bar))
    return found


# -- the sample of an audit or a workspace --------------------------------------------------------


def sampled_in(audit: Audit, by: str = "model") -> SampleNumbers | None:
    """The numbers of an audit's sample, "" for those of no groups."""
    at = sample_in(audit, by)
    if at is None:
        return None
    return sample_numbers(at)


def sample_in(audit: Audit, by: str = "") -> AuditedSample | None:
    """The sample of an audit, None where it has none; `by` is what cells are grouped by."""
    sample = sample_of(audit.design)
    if sample is None:
        return None
    places = {trace.key: place for place, trace in enumerate(audit.traces, 1)}
    placed: list[tuple[int, TraceKey, str, UnitCell]] = []
    known: dict[int, KnownTrait] = {}
    verdicts: list[int] = []
    unsettled: list[str] = []
    for audited in audit.cells:
        cell, trace = audited.cell, audited.trace
        subject = cell.subject
        known.setdefault(id(subject.trait), KnownTrait(subject.kind, subject.trait))
        person, pairs = _person(cell), Counter[Answers]()
        if person is not None:
            pairs.update(pair for _, pair in compared(cell))
        group = " + ".join(words_of(trace, by))
        found = UnitCell(subject.trait.name, group, _judges(cell), person, pairs)
        placed.append((places[trace.key], trace.key, trace.cluster or "", found))
        verdicts += _verdicts(cell)
        unsettled += _unsettled(cell)
    first = min(verdicts, default=None)
    facts, traits = of_this_sample(audit.design), estimated_traits(known.values())
    faults, units = list(sample_faults_in(audit)), frame_units(sample, placed)
    edits = hand_edits_in(audit)
    faults += edits.faults
    return AuditedSample(sample, facts, traits, units, first, by, faults, unsettled, edits.doubts)


def hand_edits_in(audit: Audit) -> HistoryFaults:
    """Return what the histories and the draws of an audit file tell of edits by hand."""

    def over(sampled: Sampled, fact_no: int) -> DrawnOver:
        histories = ((*one.key, one.cell.facts) for one in audit.cells)
        return drawn_over_of(audit.traces, histories, sampled, fact_no)

    history = history_of(one.cell for one in audit.cells)
    found = history_faults(history, audit.design)
    return found.beside(changed_since(audit.design, audit.rubric.sha256(), over))


def hand_edits_at(db: sqlite3.Connection) -> HistoryFaults:
    """Return what the histories and the draws of a workspace tell of edits by hand."""
    design = design_in(db)
    found = history_faults(history_in(db), design)
    drawn_over = partial(drawn_over_in, db)
    return found.beside(changed_since(design, rubric_of(db).sha256(), drawn_over))


def drawable_units(audit: Audit) -> int:
    """How many units could be drawn, by the rules of `store.sample_frame`."""
    shown: dict[TraceKey, bool] = {}
    for audited in audit.cells:
        key = audited.trace.key
        shown[key] = audited.cell.example or shown.get(key, False)
    units: dict[str | TraceKey, list[bool]] = {}
    for trace in audit.traces:
        examples = units.setdefault(trace.cluster or trace.key, [])
        if trace.key in shown:
            examples.append(shown[trace.key])
    return sum(bool(examples) and not any(examples) for examples in units.values())


def sample_faults_in(audit: Audit) -> Iterator[str]:
    """Why the sample of an audit does not agree with itself."""
    marks: dict[TraceKey, dict[str, int]] = {}
    for audited in audit.cells:
        cell = audited.cell
        mark = OUT
        if cell.drawn is not None:
            mark = BLIND if cell.is_blind else IN_SIGHT
        marks.setdefault(audited.trace.key, {})[cell.subject.trait.name] = mark
    traces: list[FramedTrace] = []
    for trace in audit.traces:
        # a cell that is gone from the file is one that no draw marked
        expected = dict.fromkeys(audit.rubric.traits_of(trace), OUT)
        known = {*(expected | marks.get(trace.key, {})).values()}
        traces.append(FramedTrace(trace.key, trace.cluster or "", known))
    return sample_faults(audit.design, traces)


def _judges(cell: Cell) -> list[Figures]:
    if cell.judge is None:
        return []
    subject = cell.subject
    members = answered(cell.judge.judge)
    if members:
        return [subject.measure_table(member.table) for member in members]
    return list(filter(None, [cell.judge_figures]))


def _person(cell: Cell) -> Figures | None:
    """What a sampled cell measures by its verdict, or in sight of the judge by its sign-off."""
    if cell.drawn is None:
        return None
    if cell.is_blind:
        return cell.verdict_figures
    if cell.signed is None:
        return None
    return cell.figures


def _unsettled(cell: Cell) -> list[str]:
    """Return what was changed after a sampled cell was settled, with its name; [] for nothing."""
    text = describe_unsettled(cell)
    if cell.drawn is None or not text:
        return []
    return [f"{name_of(*cell.subject.trace.key)} · {cell.subject.trait.name}: {text}"]


def _verdicts(cell: Cell) -> list[int]:
    """The facts by which a sampled cell was ruled, or signed off since it was drawn."""
    if cell.drawn is None:
        return []
    since = cell.drawn.n
    return [
        fact.n for fact in cell.facts if fact.n > since and isinstance(fact.what, Ruled | SignedOff)
    ]


_CELLS = (
    "SELECT c.no, c.trace, t.id, t.epoch, c.trait, m.judge, m.members,"
    " c.sampled, c.state, m.verdict, c.standing, c.figures"
    " FROM cells c JOIN traces t ON t.no = c.trace"
    " LEFT JOIN measured m ON m.cell = c.no ORDER BY c.trace, c.no"
)
_ANSWERS = (
    "SELECT g.cell, c.kind, c.trait, g.judged, iif(c.sampled = 3, g.ruled, g.answer) AS person"
    " FROM cells c CROSS JOIN given g ON g.cell = c.no WHERE c.sampled > 0"
    " AND g.judged IS NOT NULL AND person IS NOT NULL"
)
_UNSETTLED = (
    "SELECT c.no, c.trait, t.body FROM cells c JOIN traces t ON t.no = c.trace"
    " WHERE c.unsettled > 0 AND c.sampled > 0 ORDER BY c.no"
)
SIGHTED, RULED = 1, 3


def sample_at(path: Path, on_progress: OnProgress = ignore_progress) -> AuditedSample | None:
    """Return the sample of a workspace, by model, for a thread; None without one.

    `on_progress` may raise to stop the count.
    """
    with reading(path) as db:
        return sample_of_audit(db, "model", on_progress)


def sample_of_audit(
    db: sqlite3.Connection, by: str = "", on_progress: OnProgress = ignore_progress
) -> AuditedSample | None:
    """Return the sample of an audit, its cells grouped by `by` ("" for no groups).

    None for an audit without a sample. `on_progress` may raise to stop the count.
    """
    facts = of_this_sample(design_in(db))
    sample = sample_of(facts)
    if sample is None:
        return None
    rubric = rubric_of(db)
    clusters = dict(trace_rows.by_trace(db, "cluster"))
    groups = TraceGroups(db, by)
    pairs_by_cell = _answer_pairs(db, rubric)
    placed: list[tuple[int, TraceKey, str, UnitCell]] = []
    rows = db.execute(_CELLS)
    for done, (no, trace, trace_id, epoch, trait, judge, members, *labels) in enumerate(rows):
        person = _person_figures(*labels)
        answers: Mapping[Answers, int] = {}
        if person is not None:
            answers = pairs_by_cell.get(no, answers)
        group = " + ".join(groups.of(trace))
        cell = UnitCell(trait, group, judged_figures(judge, members), person, answers)
        placed.append((trace, (trace_id, epoch), clusters.get(trace, ""), cell))
        on_progress(done, None)

    faults = list(sample_faults(facts, list(_framed(db, clusters))))
    folded_cell = cell_reader(db)
    unsettled: list[str] = []
    for row in db.execute(_UNSETTLED).fetchall():
        unsettled += _unsettled(folded_cell(*row))
    traits = estimated_traits(rubric.every_trait())
    units = frame_units(sample, placed)
    first = first_verdict(db)
    edits = hand_edits_at(db)
    faults += edits.faults
    return AuditedSample(sample, facts, traits, units, first, by, faults, unsettled, edits.doubts)


def _person_figures(
    sampled: int, state: str, verdict: str | None, standing: str | None, figures: str
) -> Figures | None:
    """Return what a row's labels of a person measure to; None where no person's labels count."""
    if sampled == RULED and verdict:
        return Figures.of(**json.loads(verdict))
    if sampled == SIGHTED and state == "reviewed" and standing:
        counts = json.loads(figures).get("counts", {})
        return Figures.of(json.loads(standing), counts)
    return None


def _framed(db: sqlite3.Connection, clusters: Mapping[int, str]) -> Iterator[FramedTrace]:
    """The traces, and how their cells were drawn."""
    marks: dict[int, set[int]] = {}
    for trace, mark in db.execute("SELECT DISTINCT trace, min(sampled, 2) FROM cells"):
        marks.setdefault(trace, set()).add((OUT, IN_SIGHT, BLIND)[mark])
    for no, trace_id, epoch in db.execute("SELECT no, id, epoch FROM traces ORDER BY no"):
        yield FramedTrace((trace_id, epoch), clusters.get(no, ""), marks.get(no, ()))


def _answer_pairs(db: sqlite3.Connection, rubric: Rubric) -> Mapping[int, Counter[Answers]]:
    """How often judge and person give which answers, in each cell of the sample."""
    traits: dict[tuple[str, str], list[KnownTrait]] = defaultdict(list)
    for one in rubric.every_trait():
        traits[one.kind.name, one.trait.name].append(one)
    known: dict[tuple[str, str], ComparedAnswers] = {}
    found: dict[int, Counter[Answers]] = defaultdict(Counter)
    for cell, kind, trait, judge, person in db.execute(_ANSWERS):
        of = kind, trait
        if of not in known:
            known[of] = ComparedAnswers(kinds()[kind], traits[of], words(db))
        if pair := known[of].pair(judge, person):
            found[cell][pair] += 1
    return found
