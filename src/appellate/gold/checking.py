"""Holds what judges say of a gold set against the labels of people: numbers, bars, flips, verdict.

All numbers are those of `numbers`. A bar is decided by the interval over traces like these,
clustered by trace. A judge *passes* if it answered every cell and reaches every bar.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.agreement import Agreement, Answers, PairCounts
from appellate.core.cell import Cell
from appellate.core.describe import PanelVoice, asking_cost, members
from appellate.core.facts import Drawn, Fact, Proposed, Ruled
from appellate.core.kind import AnyKind, Instruction, Table
from appellate.core.problem import counted_names
from appellate.gold.asking import JudgeAnswers, Stale
from appellate.gold.gold_file import Gold, GoldCell
from appellate.judges.proposal import (
    JudgeRecord,
    JudgmentFailure,
    NoLabels,
    Outcome,
    Proposal,
)
from appellate.numbers.estimates import (
    AuditUnit,
    EstimatedTrait,
    Worth,
    estimated_traits,
    judge_measures,
)
from appellate.numbers.judges import answers_in_common
from appellate.numbers.such_traces import (
    BarResult,
    bar_result,
    judge_help,
    judge_number_of_such,
    least_help,
    unit_cell,
)
from appellate.numbers.which_judge import Verdict, verdict_of
from appellate.stats.aggregates import known_mean
from appellate.stats.agreement_tables import Pattern
from appellate.stats.clustered import clustered
from appellate.stats.estimates import Estimate, Interval
from appellate.stats.looks import FEWEST, TrustBar
from appellate.stats.paired import mcnemar, paired_difference
from appellate.store.audits.audit import CellKey
from appellate.store.judgment import proposal_in

FlipSort = Literal["gained", "lost", "moved"]
GAINED: Final = "gained"
"""The judge is right where the gold's own judge was wrong."""
LOST: Final = "lost"
"""The judge is wrong where the gold's own judge was right."""
MOVED: Final = "moved"
"""Both are wrong, in different ways."""


class Flip(Struct, frozen=True):
    """An answer that a judge gives otherwise than the gold's own judge did."""

    cell: GoldCell
    instruction: Instruction
    own: str
    """What the gold's own judge answered."""
    new: str
    """What the judge that is checked answers."""
    person: str

    @property
    def sort(self) -> FlipSort:
        """How the answer changed: `GAINED`, `LOST` or `MOVED`.

        `GAINED` if this judge agrees with people and the gold's own judge does not, `LOST` if only
        the own judge agrees. `MOVED` if neither agrees with people.
        """
        if self.new == self.person:
            return GAINED
        if self.own == self.person:
            return LOST
        return MOVED


class Flips(Struct, frozen=True):
    """All flips of a judge, and what they say together."""

    flips: Sequence[Flip]
    n: int
    """Answers that people, the gold's own judge and this one gave."""
    traces: int
    """Traces, or clusters of traces, that these are of."""
    by: Interval | None
    """By how much more often this judge is right, as a share of `n`, with the paired interval.

    Below 0 if it is right less often; None if no interval is known, as without answers.
    """
    p: float | None
    """McNemar's exact p-value.

    None where a trace or cluster has several answers, which hang together, and without answers.
    """

    def count(self, sort: FlipSort) -> int:
        """Return how many of the flips are of a sort."""
        return sum(flip.sort == sort for flip in self.flips)


class TraitNumbers(Struct, frozen=True):
    """The numbers of a judge under one trait."""

    trait: EstimatedTrait
    numbers: Sequence[Worth]
    help: Estimate | None
    """The estimate of the headline, which says what the judge saves in audits; None for too few."""


class JudgeCheck(Struct, frozen=True):
    """How one judge does on a gold set."""

    name: str
    answers: JudgeAnswers
    counted: Sequence[GoldCell]
    """The cells that numbers are of: by people, not stale, answered."""
    failures: Mapping[str, str]
    """Why a cell got no answer, by the cell's name."""
    unasked: Mapping[str, str]
    """Why a cell was not asked about, by the cell's name."""
    agreement: Agreement
    """All answers of the judge beside those of people."""
    of_agents: Agreement
    """The same beside labels of agents, which no bar counts."""
    traits: Sequence[TraitNumbers]
    bars: Sequence[BarResult]
    flips: Flips
    cost: float | None
    """What it costs to ask about a cell on average, also where the reply came from a cache.

    None if it is known of no cell.
    """
    costed: int
    """Cells whose cost is known."""
    seconds: float | None
    """The mean seconds of a cell; None if they are known of none."""
    timed: int
    """Cells whose seconds are known: those that were asked about, not answered from a cache."""
    judged: int
    """Cells that it gave labels to, with those by agents."""
    failed_members: Mapping[str, int] = field(default_factory=dict)
    """The cells that members of a panel gave no labels to, where the others decided, by member."""
    has_own_prompt: bool | None = None
    """Whether it is asked by the prompt of the gold's own judge; None if that is not known."""
    clusters: Mapping[str, Mapping[tuple[Instruction, str], Answers]] = field(
        default_factory=dict,
    )
    """The answers by cluster, then by question and cell: the judge's, then the person's."""

    @property
    def stale(self) -> Sequence[Stale]:
        """The cells that decide nothing."""
        return self.answers.stale

    @property
    def verdict(self) -> Verdict:
        """Whether the judge passed: every cell answered, none stale, and every bar reached.

        It is "not passed" if a bar is not reached or a reply is missing, and "passed" if all holds
        and there is a bar. Otherwise it is "undecided": without any bar, with an undecided one, a
        stale cell or one without an answer. Cells that it was not asked about do not hinder it.
        """
        if self.answers.missing:
            return "not passed"
        return verdict_of(self.bars, is_complete=not (self.stale or self.failures))

    @property
    def reasons(self) -> list[str]:
        """Why the judge did not pass, as far as that is not in its bars; whole sentences.

        They are on missing replies, failures, stale cells, and a gold set without a bar, in this
        order. Of several reasons for failures the most common one is told, and of cells the first
        three names. Empty for a judge that passed, and for one that only a bar keeps from passing.
        """
        sentences: list[str] = []
        if self.answers.missing:
            cells = counted_names(self.answers.missing, "cell")
            sentences.append(
                f"No reply is recorded about {cells}: record them (--record).",
            )
        if self.failures:
            cells = counted_names(list(self.failures), "cell")
            text = f"It gave no answer to {cells}"
            [(reason, _)] = Counter(self.failures.values()).most_common(1)
            sentences.append(f"{text}: {reason}")
        if self.stale:
            cells = counted_names([stale.cell.name for stale in self.stale], "cell")
            sentences.append(f"Stale, so that nothing is decided: {cells}.")
        if not self.bars:
            sentences.append(
                "The gold set has no bar, so nothing is decided: --bar sets one.",
            )
        return sentences

    def disagreements(self, cell_name: str) -> list[Answers]:
        """Return the answers to a cell that differ: each a pair of the judge's and the person's.

        The cell is found by its name, as in `GoldCell.name`. The list is empty if all answers are
        alike, or if the cell is not among `counted`. A cell of several questions may have several.
        """
        differing: list[Answers] = []
        for answers in self.clusters.values():
            for (_, name), (judge, person) in answers.items():
                if name == cell_name and judge != person:
                    differing.append((judge, person))
        return differing

    @property
    def saves(self) -> float | None:
        """The share of audits that the judge saves in a sample, 0 to 1, the least of its traits.

        Traits with too few traces, or without a number, do not count; None if no trait is left.
        """
        least = least_help(numbers.help for numbers in self.traits)
        return None if least is None else least.judge_share

    @property
    def weight(self) -> float | None:
        """The judge's weight λ in estimates, from 0 to 1, of the trait for which it saves least.

        That is the trait of `saves`, so another one may have a lower weight. Traits with too few
        traces, or without a number, do not count; None if no trait is left.
        """
        least = least_help(numbers.help for numbers in self.traits)
        return None if least is None else least.weight


class _JudgedCell(Struct, frozen=True):
    """A cell of a gold set, and the same cell with the labels of a judge."""

    gold: GoldCell
    judged: Cell
    """The judge's labels beside those of the gold set."""


class _SortedCells(Struct):
    """The cells of a gold set by what came of asking a judge about them."""

    counted: list[_JudgedCell] = field(default_factory=list)
    """Answered cells by people, in the order of the gold set."""
    of_agents: PairCounts = field(default_factory=PairCounts)
    """The judge's answers beside those of agents."""
    failures: dict[str, str] = field(default_factory=dict)
    """Why a cell got no answer, by the cell's name."""
    unasked: dict[str, str] = field(default_factory=dict)
    """Why a cell was not asked about, by the cell's name."""


def _sorted_cells(gold: Gold, answers: JudgeAnswers) -> _SortedCells:
    """Return the cells of a gold set by what came of them; stale and missing ones are left out.

    Answered cells by people are `counted`, and those by agents count only as answers in
    `of_agents`. Failures and cells that the judge was not asked about are named with the reason,
    also those by agents. If no cell by people was answered, all that the judge was not asked about
    are moved to the failures. Raises Refused, ValueError or TypeError if the gold set's table gives
    no labels.
    """
    result = _SortedCells()
    stale = {stale_cell.cell.key for stale_cell in answers.stale}
    for cell in gold.cells:
        outcome = answers.outcomes.get(cell.key)
        if outcome is None:
            continue
        if cell.key in stale or cell.name in answers.missing:
            continue
        if isinstance(outcome, NoLabels):
            result.unasked[cell.name] = outcome.reason
            continue
        if isinstance(outcome, JudgmentFailure):
            result.failures[cell.name] = outcome.full_reason
            continue
        judged = judged_cell(cell, outcome)
        if cell.is_by_agent:
            for pair in answers_in_common(judged).values():
                result.of_agents.add(cell.cluster, pair)
        else:
            result.counted.append(_JudgedCell(cell, judged))
    if not result.counted:
        result.failures |= result.unasked
        result.unasked = {}
    return result


def check(gold: Gold, answers: JudgeAnswers, bars: Sequence[TrustBar]) -> JudgeCheck:
    """Return how a judge does on a gold set, by what it answered; nothing is asked.

    Cells that are stale, missing, not asked about or without an answer are in no number of
    agreement, traits, bars or flips. Those by agents are only in `of_agents`. Only `bars` are
    decided, whatever bars the gold set has. Mean cost and seconds are of all answered cells of
    which they are known, also those by agents. Failures and cells not asked about are in `failures`
    and `unasked`. If no cell by people was answered, those that were not asked about count as
    failures. Raises Refused for a bar that the gold set has no number for, and Refused, ValueError
    or TypeError if its tables give no labels.
    """
    sorted_cells = _sorted_cells(gold, answers)
    counted = sorted_cells.counted
    failures = sorted_cells.failures
    pairs = PairCounts()
    by_cluster: dict[str, dict[tuple[Instruction, str], Answers]] = {}
    for cell in counted:
        for instruction, pair in answers_in_common(cell.judged).items():
            pairs.add(cell.gold.cluster, pair)
            of_cluster = by_cluster.setdefault(repr(cell.gold.cluster), {})
            of_cluster[instruction, cell.gold.name] = pair
    units = _units(counted)
    stale_traits = {stale_cell.cell.trait for stale_cell in answers.stale}
    unanswered_traits = {cell.trait for cell in gold.cells if cell.name in failures}
    traits = estimated_traits(gold.known_traits)
    positives, words = _vocabulary(gold)
    bar_results = [
        bar_result(traits, units, bar, stale=stale_traits, unanswered=unanswered_traits)
        for bar in bars
    ]
    records: list[JudgeRecord] = []
    for outcome in answers.outcomes.values():
        if isinstance(outcome, Proposal):
            records.append(outcome.record)
    cost = known_mean(asking_cost(record.to_file()) for record in records)
    seconds = known_mean(record.latency for record in records)
    return JudgeCheck(
        answers.name,
        answers,
        [cell.gold for cell in counted],
        failures,
        sorted_cells.unasked,
        pairs.agreement(positives, words),
        sorted_cells.of_agents.agreement(positives, words),
        [_trait_numbers(units, trait) for trait in traits if trait.name],
        bar_results,
        _flips(counted),
        cost.mean,
        cost.n,
        seconds.mean,
        seconds.n,
        len(records),
        _failed_members(records),
        _has_own_prompt(gold, answers),
        by_cluster,
    )


def member_checks(gold: Gold, panel: JudgeCheck) -> list[JudgeCheck]:
    """Return how each member of a panel does by itself on a gold set; [] for a single judge.

    They are in the order in which the answers name them. A member is held against the same cells
    and bars as its panel, and has the panel's stale and missing cells, which count for neither. A
    cell to which it gave no labels counts as a failure of its own. A cell that the panel was not
    asked about, or of which its failure has no record, is in no count of a member. Nothing is
    asked, and `panel` is not changed.
    """
    kinds: dict[CellKey, AnyKind] = {}
    for cell in gold.cells:
        kinds[cell.key] = cell.subject.kind
    outcomes_by_name: dict[str, dict[CellKey, Outcome]] = {}
    for key, outcome in panel.answers.outcomes.items():
        if isinstance(outcome, NoLabels) or outcome.record is None:
            continue
        record = outcome.record.to_file()
        for member in members(record):
            outcomes = outcomes_by_name.setdefault(member.name, {})
            outcomes[key] = _member_outcome(member, kinds[key])
    checks: list[JudgeCheck] = []
    bars = [result.bar for result in panel.bars]
    for name, outcomes in outcomes_by_name.items():
        answers = replace(panel.answers, name=name, outcomes=outcomes, notes=())
        checks.append(check(gold, answers, bars))
    return checks


def _member_outcome(member: PanelVoice, kind: AnyKind) -> Outcome:
    """Return what a member of a panel answered to one cell, as a judge by itself would have.

    It is a failure with the member's reason if it gave no labels, else its labels and its own
    record. `kind` is that of the cell's trait.
    """
    if member.error:
        return JudgmentFailure(member.error)
    labels: dict[str, Any] = {}
    for key in (*kind.label_keys, "items"):
        if key in member.table:
            labels[key] = member.table[key]
    fields: dict[str, Any] = {"name": member.name}
    for name in JudgeRecord.__struct_fields__:
        if name in member.table:
            fields[name] = member.table[name]
    return Proposal(labels, JudgeRecord(**fields))


def _failed_members(records: Sequence[JudgeRecord]) -> dict[str, int]:
    """Return of how many cells each member of a panel gave no labels, by the member's name.

    `records` are those of the cells that the panel gave labels to. Members that always gave some
    are left out; {} for a single judge.
    """
    counts: Counter[str] = Counter()
    for record in records:
        for member in members(record.to_file()):
            if member.error:
                counts[member.name] += 1
    return dict(counts)


def _has_own_prompt(gold: Gold, answers: JudgeAnswers) -> bool | None:
    """Return whether all answers came by the template that the gold's own judge was asked by.

    Templates are compared by hash, cell by cell. A cell counts only if both judges answered it and
    both have the hash of their template there; stale cells do not count. None if no cell counts.
    """
    comparisons: list[bool] = []
    for cell in gold.cells:
        outcome = answers.outcomes.get(cell.key)
        if cell.judge is None or not isinstance(outcome, Proposal):
            continue
        own_template = cell.judge.get("template_sha256")
        template = outcome.record.template_sha256
        if own_template and template:
            comparisons.append(template == own_template)
    if not comparisons:
        return None
    return all(comparisons)


def judged_cell(cell: GoldCell, outcome: Proposal) -> Cell:
    """Return a cell with a judge's labels, on which people have ruled blind as in the gold set.

    `outcome` has the judge's record, and labels that the trait can have, as a judge gave them;
    their offsets are found here. It is a new cell of three facts: the proposal, the draw and the
    ruling. Raises Refused, ValueError or TypeError if the gold set's table gives no labels.
    """
    subject = cell.subject
    table = subject.kind.locate(subject.trait, subject.trace, outcome.labels)
    return _ruled_blind(cell, table, outcome.record.to_file())


def own_cell(cell: GoldCell) -> Cell | None:
    """Return a cell with the labels of the gold's own judge, ruled on blind as in the gold set.

    It is None if that judge gave no labels. Raises Refused, ValueError or TypeError if the gold
    set's table gives no labels.
    """
    if cell.judge is None:
        return None
    proposal = proposal_in(cell.subject.kind, cell.judge)
    return _ruled_blind(cell, proposal.table, proposal.judge)


def _ruled_blind(cell: GoldCell, judge_labels: Table, judge_record: Table) -> Cell:
    """Return a cell of a gold set with a judge's labels, on which people then ruled blind.

    It is a new cell of three facts: the judge's labels with its record, a draw, and a blind ruling
    with the gold's labels. The ruling has all who gave them in one text, as "ada, bob". Raises
    Refused, ValueError or TypeError if the gold set's table gives no labels.
    """
    labels = cell.labels
    ruled = Fact(3, cell.at, ", ".join(cell.by), Ruled(cell.trait_sha256))
    return Cell(
        cell.subject,
        labels=labels,
        judged=Fact(1, cell.at, "", Proposed(judge_labels, judge_record)),
        drawn=Fact(2, cell.at, "", Drawn(blind=True)),
        signed=ruled,
        ruled=ruled,
        verdict=labels,
    )


def _units(cells: Sequence[_JudgedCell]) -> list[AuditUnit]:
    """Return one unit for each cluster of traces, with the figures of judge and people on it.

    A trace without a cluster is one by itself. Units are in the order of their first cell and have
    the name of its trace. All cells in them count as ruled on.
    """
    units: dict[object, AuditUnit] = {}
    for cell in cells:
        unit = units.get(cell.gold.cluster)
        if unit is None:
            unit = AuditUnit(place=len(units), name=cell.gold.trace.id)
            units[cell.gold.cluster] = unit
        unit.add([unit_cell(cell.judged)])
    return list(units.values())


def _vocabulary(gold: Gold) -> tuple[frozenset[str], list[str]]:
    """Return the positive answers of all traits, and all answers that they can have, each once.

    The second are in the order of the traits, and of each trait's own answers. Only traits count
    that the gold set has cells of.
    """
    positives: set[str] = set()
    words: dict[str, None] = {}
    for kind, trait in gold.known_traits:
        positives.update(kind.positives)
        for word in kind.vocabulary(trait):
            words[word] = None
    return frozenset(positives), list(words)


def _trait_numbers(units: Sequence[AuditUnit], trait: EstimatedTrait) -> TraitNumbers:
    """Return all numbers of a judge under a trait, and the estimate of how much it would help.

    Numbers are of traces like those in `units`. A number without an interval is there, too, with
    what it lacks. `help` is None below `FEWEST` units, and where people's number is 0/0.
    """
    numbers = [
        judge_number_of_such(units, trait, measure) for measure in judge_measures(trait)
    ]
    return TraitNumbers(trait, numbers, judge_help(units, trait))


def _flips(cells: Sequence[_JudgedCell]) -> Flips:
    """Return the answers that differ from those of the gold's own judge, and what they say.

    Only questions count that people, the judge and the gold's own judge all answered. Flips are in
    the order of the cells. What is None without enough answers is told at the fields of `Flips`.
    Raises Refused, ValueError or TypeError if a gold set's table gives no labels.
    """
    flips: list[Flip] = []
    tables: dict[object, dict[Pattern, int]] = {}
    for cell in cells:
        cell_of_own_judge = own_cell(cell.gold)
        if cell_of_own_judge is None:
            continue
        own_pairs = answers_in_common(cell_of_own_judge)
        new_pairs = answers_in_common(cell.judged)
        for instruction, (new, person) in new_pairs.items():
            if instruction not in own_pairs:
                continue
            own_answer, _ = own_pairs[instruction]
            table = tables.setdefault(cell.gold.cluster, {})
            pattern = (person, own_answer, new)
            table[pattern] = table.get(pattern, 0) + 1
            if own_answer != new:
                flips.append(Flip(cell.gold, instruction, own_answer, new, person))
    n = sum(sum(table.values()) for table in tables.values())
    difference = paired_difference(clustered(tables.values()))
    p = None
    if n and n == len(tables):
        sorts = Counter(flip.sort for flip in flips)
        p = mcnemar(sorts[GAINED], sorts[LOST])
    return Flips(flips, n, len(tables), difference, p)


def has_few_traces(gold: Gold) -> bool:
    """Return whether people ruled on fewer than `FEWEST` traces of a gold set.

    Traces of one cluster count once. Cells by agents do not count. With so few no bar is decided.
    """
    clusters = {cell.cluster for cell in gold.by_people}
    return len(clusters) < FEWEST
