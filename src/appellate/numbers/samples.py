"""A sample as an audit file has it, and as a workspace keeps it; and all numbers of it."""

import sqlite3
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.agreement import Answers, answer_pairs
from appellate.core.cell import Cell
from appellate.core.describe import answered, describe_unsettled
from appellate.core.design_facts import (
    DesignFact,
    Looked,
    LookedUnplanned,
    LooksPlanned,
    Sample,
    Sampled,
    of_this_sample,
    sample_of,
    waves_of,
)
from appellate.core.facts import Ruled, SignedOff
from appellate.core.kind import Figures, KnownTrait, Measure, headline
from appellate.core.problem import Refused
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace, TraceKey, name_of
from appellate.numbers.bars import (
    Gate,
    bars_of,
    gate,
    hold_in_range,
    rule_for,
    unplanned_rule,
)
from appellate.numbers.differences import group_differences
from appellate.numbers.estimates import (
    AuditedSample,
    EstimatedTrait,
    GroupDifference,
    JudgeErrors,
    PlacedTrace,
    UnitCell,
    Worth,
    estimated_traits,
    frame_units,
    judge_errors,
    judge_measures,
    judge_number,
    judges_of,
    worth,
)
from appellate.numbers.exact_judge import AnswerCounts
from appellate.numbers.sharing import SharedValues
from appellate.numbers.waves import WaveNumber, wave_numbers
from appellate.stats import designs
from appellate.stats.looks import TrustBar
from appellate.store.audits.any_audit import AnyAudit, WorkspaceAudit
from appellate.store.audits.audit import AuditedCell
from appellate.store.audits.hand_edits import (
    RecordedFact,
    changed_since,
    history_faults,
    history_in,
    history_of,
)
from appellate.store.breakdowns import words_of
from appellate.store.database import reading
from appellate.store.fact_rows import design_in
from appellate.store.samples.design_faults import (
    BLIND,
    IN_SIGHT,
    OUT,
    FramedTrace,
    sample_faults,
)
from appellate.store.samples.drawn_as import SampleDigest, sample_digests
from appellate.store.samples.drawn_over import (
    DrawnOver,
    drawn_over_by_draw,
    drawn_over_in,
    drawn_over_of,
)
from appellate.store.tables import earlier_traits, rubric_of
from appellate.traits.rubric import Rubric

MOST_GROUPS = 20


class SampleNumbers(Struct, frozen=True):
    """All numbers of a sample: of each trait and of several together, of groups of the headlines,
    where the judge goes wrong, and the bars.
    """

    audit: AuditedSample
    worths: Sequence[Worth]
    by_group: Sequence[Worth]
    differences: Sequence[GroupDifference]
    errors: Sequence[JudgeErrors]
    gates: Sequence[Gate]
    rates: Sequence[Worth] = ()
    """The judge's own numbers, of each trait."""
    by_wave: Sequence[WaveNumber] = ()
    """The headline of each trait in each wave, trait by trait; empty for a sample of a single one.
    """


def sample_numbers(
    audit: AuditedSample,
    on_progress: OnProgress = ignore_progress,
) -> SampleNumbers:
    """Return all numbers of a sample; of one with faults only the bars, which are not decided then.

    The first `MOST_GROUPS` groups by name have the headline of each trait, and no other measure; a
    single group has none. Groups, differences and the judge's errors are of headlines only. Errors
    and the judge's own numbers are of single traits, not of several together. The bars are those
    planned or decided before. `on_progress` is called with 0 before each number, and may raise to
    stop it. Raises ValueError for a plan whose bar cannot be read.
    """
    worths: list[Worth] = []
    by_group: list[Worth] = []
    compared: list[GroupDifference] = []
    errors: list[JudgeErrors] = []
    groups = audit.groups[:MOST_GROUPS]
    if audit.faults:
        return SampleNumbers(audit, [], [], [], [], gates(audit))
    all_measures = [
        (measured_trait, measure)
        for measured_trait in audit.traits
        for measure in measured_trait.measures
    ]
    for trait, measure in all_measures:
        is_headline = measure is headline(trait.measures)
        on_progress(0, None)
        number = worth(
            audit.units,
            trait,
            measure,
            rule=rule_for(audit, trait, measure),
        )
        worths.append(number)
        if is_headline and trait.name:
            errors.append(judge_errors(number, is_raw=audit.sample.is_unequal))
        if is_headline and len(groups) > 1:
            having = _worths_of_groups(audit, trait, measure, groups, on_progress)
            by_group += having
            compared += group_differences(audit.units, having, unplanned_rule(audit))
    rates: list[Worth] = []
    for trait in audit.traits:
        if not trait.name:
            continue
        for measure in judge_measures(trait):
            on_progress(0, None)
            rule = rule_for(audit, trait, measure)
            rates.append(judge_number(audit.units, trait, measure, rule=rule))
    by_wave = wave_numbers(audit, on_progress)
    return SampleNumbers(
        audit,
        worths,
        by_group,
        compared,
        errors,
        gates(audit),
        rates,
        by_wave,
    )


def _worths_of_groups(
    audit: AuditedSample,
    trait: EstimatedTrait,
    measure: Measure,
    groups: Sequence[str],
    on_progress: OnProgress,
) -> list[Worth]:
    """Return a number of each group, in the order of `groups`.

    Groups without a unit that has cells of the trait are left out. A group of which too few are
    audited is in it, without an interval. The intervals are those of numbers that nobody planned.
    `on_progress` is called with 0 before each group, and may raise to stop it.
    """
    worths = []
    for group in groups:
        on_progress(0, None)
        rule = unplanned_rule(audit)
        group_worth = worth(audit.units, trait, measure, group, rule=rule)
        if group_worth.part.frame:
            worths.append(group_worth)
    return worths


def gates(audit: AuditedSample, bars: Sequence[TrustBar] = ()) -> list[Gate]:
    """Return how far `bars` are decided, or without any those that were planned or decided before.

    They are in the order of `bars`; of those saved before, planned ones come first. A sample in
    waves decides by the last wave. Nothing is saved. Raises Refused for one of `bars` that has no
    number, that can decide nothing, or that is on the judge of a sample not drawn blind. Raises it,
    too, for an unplanned bar on a difference that can have no exact interval. Bars saved before for
    which it would be raised are left out. Raises ValueError for a plan whose bar cannot be read.
    """
    audit = audit.last_wave
    for bar in bars:
        hold_in_range(audit.traits, bar)
    if bars:
        return list(map(partial(gate, audit), bars))
    decided: list[Gate] = []
    for bar in bars_of(audit.facts):
        with suppress(Refused):  # the rubric has this number no more
            decided.append(gate(audit, bar))
    return decided


# -- the sample of an audit or a workspace --------------------------------------------------------


def sample_at(
    path: Path,
    on_progress: OnProgress = ignore_progress,
) -> AuditedSample | None:
    """Return the sample of a workspace, its cells grouped by model; None if none was drawn.

    `path` is that of the workspace's file. It is opened here, only to be read, so that this may run
    in a thread. `on_progress` is called after each cell with how many were done before it, and may
    raise to stop the count. Raises sqlite3.Error if the file cannot be read.
    """
    with reading(path) as db:
        return sample_in(WorkspaceAudit(db), "model", on_progress)


def sample_in(
    audit: AnyAudit,
    group_by: str = "",
    on_progress: OnProgress = ignore_progress,
) -> AuditedSample | None:
    """Return the sample of an audit, its cells grouped by `group_by` ("" for no groups).

    None for an audit without a sample. Faults of a sample are not raised, but are in the result.
    `on_progress` is called after each cell with how many were done before it, from 0, and may raise
    to stop the count.
    """
    count = SampleCount(audit, group_by)
    if not count.has_sample:
        return None
    for done, audited in enumerate(audit.cells):
        count.add(audited)
        on_progress(done, None)
    return count.audited_sample()


class SampleCount:
    """Gathers the sample of an audit, one cell after the other.

    Cells of one trace must come one after the other. What is kept of the cells of a trace that was
    not drawn is shared by all traces whose judge says the same.
    """

    def __init__(self, audit: AnyAudit, by: str) -> None:
        """Begin without cells. `by` names what cells are grouped by, "" for no groups.

        What was drawn is read from the audit's design, and its cells only as they are added.
        """
        self._audit = audit
        self._group_by = by
        self._sample = sample_of(audit.design)
        self._by_trace: dict[TraceKey, _GatheredTrace] = {}
        """What is kept of each trace that was gathered whole, in their order."""
        self._trace: Trace | None = None
        """The trace whose cells are being gathered."""
        self._cells: list[UnitCell] = []
        self._marks: dict[str, int] = {}
        """How each of its cells was drawn, by trait."""
        self._alike_cells = SharedValues[UnitCell]()
        self._alike_traces = SharedValues[tuple[UnitCell, ...]]()
        """The cells of traces of which others have the same."""
        self._alike_marks: dict[frozenset[int], frozenset[int]] = {}
        """Each set of marks that a trace has, once."""
        self._verdicts: dict[TraceKey, list[int]] = {}
        """The verdicts on each trace that has any, by their fact numbers."""
        self._unsettled: list[str] = []
        self._answer_counts: dict[AnswerCounts, AnswerCounts] = {}

    @property
    def has_sample(self) -> bool:
        """Whether anything was drawn at random."""
        return self._sample is not None

    def add(self, audited: AuditedCell) -> None:
        """Gather what one cell says of the sample: its labels, its verdicts and how it was drawn.

        Cells of one trace must come one after the other. A cell of another trace than the one
        before ends that trace. Nothing is gathered if the audit has no sample.
        """
        if self._sample is None:
            return
        cell = audited.cell
        trace = audited.trace
        if self._trace is None or trace.key != self._trace.key:
            self._finish_trace()
            self._trace = trace
        person = _person(cell)
        answers: Mapping[Answers, int] = {}
        if person is not None:
            answers = Counter(pair for _, pair in answer_pairs(cell))
        group = " + ".join(words_of(trace, self._group_by))
        unit_cell = UnitCell(
            cell.subject.trait.name,
            group,
            judges_of(cell),
            person,
            answers,
            KnownTrait(cell.subject.kind, cell.subject.trait),
            self._judge_answers(cell),
            _panel(cell),
        )
        if cell.drawn is None:
            unit_cell = self._alike_cells.shared(_content(unit_cell), unit_cell)
        self._cells.append(unit_cell)
        self._marks[cell.subject.trait.name] = _drawn_how(cell)
        verdicts = _verdicts(cell)
        if verdicts:
            self._verdicts.setdefault(trace.key, []).extend(verdicts)
        self._unsettled += _unsettled(cell)

    def _finish_trace(self) -> None:
        """Keep what was gathered of the trace that is being read, and begin with none.

        Called when all of its cells have come; nothing happens if no trace is being read.
        """
        if self._trace is None:
            return
        cells = tuple(self._cells)
        # cells that say the same are one object, which what is kept of the trace holds
        cells = self._alike_traces.shared(tuple(map(id, cells)), cells)
        framed = self._framed_trace(self._trace, self._marks)
        self._by_trace[self._trace.key] = _GatheredTrace(framed, cells)
        self._trace = None
        self._cells = []
        self._marks = {}

    def _judge_answers(self, cell: Cell) -> AnswerCounts:
        """Return how often the judge gave each answer in a cell, as pairs sorted by answer.

        Answers that say that it cannot be told are left out. Empty if the cell was not judged.
        Equal counts are one object, since most cells of a large audit have the same.
        """
        untold = cell.subject.kind.untold(cell.subject.trait)
        counts: list[tuple[str, int]] = []
        for answer, count in Counter(cell.judge_answers.values()).items():
            if answer not in untold:
                counts.append((answer, count))
        answers = tuple(sorted(counts))
        return self._answer_counts.setdefault(answers, answers)

    def audited_sample(self) -> AuditedSample | None:
        """Return the sample with what all cells have said of it; None if there is none.

        What was gathered of the last trace is kept first, so no more of its cells may come. Faults
        of the sample are in the result and not raised. A sample of several waves has each in
        `waves` with its own units; then plans and looks are in the waves' facts only.
        """
        if self._sample is None:
            return None
        self._finish_trace()
        framed = self._framed()
        traits = estimated_traits(self._audit.rubric.every_trait())
        edits = hand_edits_in(self._audit)
        audited = AuditedSample(
            self._sample,
            of_this_sample(self._audit.design),
            traits,
            frame_units(self._sample, self._placed(framed)),
            self._first_verdict(self._sample),
            self._group_by,
            [*sample_faults(self._audit.design, framed), *edits.faults],
            self._unsettled,
            edits.doubts,
            edits.digests,
        )
        if not self._sample.several:
            return audited
        not_of_a_wave: list[DesignFact] = []
        for fact in audited.facts:
            if not isinstance(fact.what, LooksPlanned | Looked | LookedUnplanned):
                not_of_a_wave.append(fact)
        waves = self._waves(self._sample.several, audited, framed)
        return replace(audited, facts=not_of_a_wave, waves=waves)

    def _waves(
        self,
        samples: Sequence[Sample],
        audited: AuditedSample,
        framed: Iterable[FramedTrace],
    ) -> list[AuditedSample]:
        """Return each wave of a sample as a sample of its own, in the order of their draws.

        `samples` are those of the waves, and `audited` is the sample of all together. A wave has
        its own facts, units and first verdict, and else what `audited` has.
        """
        placed = list(self._placed(framed))
        numbers = [trace.number for trace in placed]
        waves: list[AuditedSample] = []
        start = 0
        for sample, wave in zip(
            samples,
            waves_of(self._audit.design),
            strict=True,
        ):
            end = bisect_right(numbers, len(designs.read(sample.last.frame_strata)))
            # the frame of a wave has none of the traces of those before
            units = frame_units(sample, placed[start:end])
            start = end
            verdict = self._first_verdict(sample)
            waves.append(
                replace(
                    audited,
                    sample=sample,
                    facts=wave.facts,
                    units=units,
                    verdict=verdict,
                ),
            )
        return waves

    def _first_verdict(self, sample: Sample) -> int | None:
        """Return the number of the fact that is the first verdict on a sample; None before one.

        Verdicts are rulings and sign-offs of a drawn trace since the draw, undone ones too.
        """
        verdicts: list[int] = []
        for unit in sample.units:
            for key in unit.traces:
                verdicts += self._verdicts.get(key, ())
        return min(verdicts, default=None)

    def _framed(self) -> list[FramedTrace]:
        """Return all traces of the audit, in its order, each with the ways its cells were drawn.

        Traces without cells are in it, too. A cell that the rubric has and the audit lacks counts
        as not drawn.
        """
        if len(self._by_trace) == len(self._audit.traces):
            return [gathered.framed for gathered in self._by_trace.values()]

        # some traces have no cells
        all_traces: list[FramedTrace] = []
        for trace in self._audit.traces:
            gathered = self._by_trace.get(trace.key)
            if gathered is None:
                all_traces.append(self._framed_trace(trace, {}))
            else:
                all_traces.append(gathered.framed)
        return all_traces

    def _framed_trace(self, trace: Trace, marks: dict[str, int]) -> FramedTrace:
        """Return a trace with the ways in which its cells were drawn, each way once.

        `marks` has how the trait's cell was drawn, by trait. A cell of the rubric without a mark
        counts as not drawn. Equal sets of marks are one object.
        """
        all_traits = self._audit.rubric.traits_of(trace)
        mark_by_trait = dict.fromkeys(all_traits, OUT)
        mark_by_trait.update(marks)
        distinct_marks = frozenset(mark_by_trait.values())
        shared_marks = self._alike_marks.setdefault(distinct_marks, distinct_marks)
        cluster = trace.cluster or ""
        return FramedTrace(trace.key, cluster, shared_marks)

    def _placed(self, framed: Iterable[FramedTrace]) -> Iterator[PlacedTrace]:
        """Yield the cells of each trace that has any, with the number of the trace from 1.

        Traces without cells are counted in these numbers, too.
        """
        for number, trace in enumerate(framed, 1):
            gathered = self._by_trace.get(trace.key)
            if gathered is None:
                continue
            yield PlacedTrace(number, trace.key, trace.cluster, gathered.cells)


class _GatheredTrace(NamedTuple):
    """What is kept of a trace that has cells."""

    framed: FramedTrace
    cells: Sequence[UnitCell]


def _content(cell: UnitCell) -> Hashable:
    """Return a key that two cells without people's labels share if they say the same.

    It holds the identity of the trait, so that the cell must be kept as long as the key.
    """
    trait_id = None
    if cell.known is not None:
        # the trait by its id: the cell that is kept holds it
        trait_id = id(cell.known.trait)
    judges = tuple(map(_content_of_figures, cell.judges))
    panel = None
    if cell.panel is not None:
        panel = _content_of_figures(cell.panel)
    return (cell.trait, cell.group, trait_id, judges, cell.judge_answers, panel)


def _content_of_figures(figures: Figures) -> Hashable:
    """Return a key that two figures share only if they are equal, with names in the same order.

    Two figures with equal values in another order have different keys.
    """
    values, undefined, counts, words, unscored, cannot_tell = figures
    return (
        tuple(values.items()),
        undefined,
        tuple(counts.items()),
        tuple(words.items()),
        unscored,
        cannot_tell,
    )


def _drawn_how(cell: Cell) -> int:
    """Return how a cell was drawn: BLIND, IN_SIGHT of the judge, or OUT of the sample."""
    if cell.drawn is None:
        return OUT
    return BLIND if cell.is_blind else IN_SIGHT


class HandEdits(NamedTuple):
    """What histories and draws tell of edits by hand, and the digests of the sample."""

    faults: Sequence[str]
    doubts: Sequence[str]
    digests: Sequence[SampleDigest]


def hand_edits_in(audit: AnyAudit) -> HandEdits:
    """Return what the histories and the draws of an audit tell of edits by hand, if anything.

    Faults are what cannot be without an edit, and doubts what may have been changed. The digests of
    its sample come with it; they are empty without a sample. Nothing is raised or changed for a
    fault.
    """
    if isinstance(audit, WorkspaceAudit):
        return hand_edits_at(audit.db)

    def drawn_over(sampled: Sampled, fact_no: int) -> DrawnOver:
        """Return the present fingerprints of what a draw was made over.

        `fact_no` is the number of the draw's fact: judgments from it on are only counted, as later
        ones. Nothing is raised, also if traces were removed since.
        """
        histories = (
            (*audited_cell.key, audited_cell.cell.facts) for audited_cell in audit.cells
        )
        return drawn_over_of(list(audit.traces), histories, sampled, fact_no)

    history = history_of(audited_cell.cell for audited_cell in audit.cells)
    return _hand_edits(history, audit.design, audit.rubric, audit.earlier, drawn_over)


def hand_edits_at(db: sqlite3.Connection) -> HandEdits:
    """Return what the histories and the draws of a workspace tell of edits by hand, if anything.

    Faults are what cannot be without an edit, and doubts what may have been changed. The digests of
    its sample come with it; they are empty without a sample. The database is only read.
    """
    rubric = rubric_of(db)
    earlier = earlier_traits(db)
    return _hand_edits(
        history_in(db),
        design_in(db),
        rubric,
        earlier,
        partial(drawn_over_in, db),
    )


def _hand_edits(
    history: Iterable[RecordedFact],
    design: Sequence[DesignFact],
    rubric: Rubric,
    earlier: Iterable[str],
    drawn_over: Callable[[Sampled, int], DrawnOver],
) -> HandEdits:
    """Return what a history and the draws tell of edits by hand, and the digests of the sample.

    Faults are what cannot be without an edit, and doubts what may have been changed; either may be
    empty. `history` and `design` are in the order of their numbers. `earlier` are the hashes of the
    traits' earlier versions. `drawn_over` gives, for a draw and its fact's number, the present
    fingerprints of what was drawn over.
    """
    by_draw = drawn_over_by_draw(of_this_sample(design), drawn_over)
    traits = {known_trait.trait.sha256() for known_trait in rubric.every_trait()}
    of_history = history_faults(history, design, traits.union(earlier))
    since = changed_since(design, rubric.sha256(), by_draw)
    return HandEdits(
        [*of_history.faults, *since.faults],
        [*of_history.doubts, *since.doubts],
        sample_digests(design, by_draw),
    )


def _panel(cell: Cell) -> Figures | None:
    """Return the figures of what most members of a panel say of a cell.

    None if no panel judged it, or no member of the panel answered. So it is None for a single
    judge.
    """
    if cell.judge is None or not answered(cell.judge.judge):
        return None
    return cell.judge_figures


def _person(cell: Cell) -> Figures | None:
    """Return what a sampled cell measures by the person; None if no person settled it.

    That is by the verdict if it was drawn blind, else by the labels that are signed off. None, too,
    for a cell that was not drawn.
    """
    if cell.drawn is None:
        return None
    if cell.is_blind:
        return cell.verdict_figures
    if cell.signed is None:
        return None
    return cell.figures


def _unsettled(cell: Cell) -> list[str]:
    """Return a list of one text on what was changed after a sampled cell was settled.

    The cell's name is in it. [] for a cell without a change, and for one that was not drawn.
    """
    text = describe_unsettled(cell)
    if cell.drawn is None or not text:
        return []
    trace_name = name_of(*cell.subject.trace.key)
    trait_name = cell.subject.trait.name
    return [f"{trace_name} · {trait_name}: {text}"]


def _verdicts(cell: Cell) -> list[int]:
    """Return the fact numbers of rulings and sign-offs of a sampled cell since it was drawn.

    They are in order, and those that were undone are among them. [] for a cell that was not drawn.
    """
    if cell.drawn is None:
        return []
    fact_numbers: list[int] = []
    for fact in cell.facts:
        is_verdict = isinstance(fact.what, Ruled | SignedOff)
        if is_verdict and fact.n > cell.drawn.n:
            fact_numbers.append(fact.n)
    return fact_numbers
