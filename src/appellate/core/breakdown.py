"""A trait over all its cells and over groups of them: its measures, and the judge beside people.

It also has the answers by instruction, and epochs reduced to one value for each trace. Errors take
into account which values depend on each other (`cluster_of`). `BreakdownSums` takes the cells one
after the other; `numbers/` and `session/` show the `Breakdown`.
"""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from math import inf, nan, sqrt
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.agreement import (
    Agreement,
    Answers,
    PairCounts,
    answer_pairs,
    cluster_of,
)
from appellate.core.cell import Cell
from appellate.core.kind import AnyKind, Figures, Measure, Trait, read_name
from appellate.core.only_counts import SHOWN, Reasons
from appellate.core.panel_agreement import PanelAgreement, PanelCounts
from appellate.core.scale import part_of, parts
from appellate.core.totals import (
    SIDES,
    AnswerKey,
    AnswerStats,
    Side,
    answer_keys,
    answer_stats,
    by_side,
    counts,
    measures_over,
    overruled,
    side_numbers,
    summary,
)
from appellate.core.trace import TraceKey
from appellate.stats.aggregates import (
    NamedReducer,
    clustered_stderr,
    is_scored,
    mean,
    reduce_epochs,
    value_to_float,
    variance,
)

_FROM = re.compile(
    r"((?:at_least|pass_at|pass_k)_\d+)>=(-?\d{1,9}(?:\.\d{1,9})?|-?\.\d{1,9})",
)
Reducer = str | NamedReducer
"""How epochs become one value: the name of a built-in reducer, or one of another package."""
_NUMBER = re.compile(r"[+-]?\d{1,300}(\.\d{1,300})?")
PARTS = 10
"""Number of parts of a scale in a histogram."""


class SideFigures(Struct, frozen=True):
    """One measure on one side (`totals.SIDES`) over some cells."""

    micro: float | None
    """The measure of the pooled counts; None if there is none."""
    macro: float | None
    """The mean over the `n` cells, or reduced traces, for which the measure is defined; None for n
    = 0.
    """
    n: int
    undefined: int
    """Cells for which the measure is 0/0."""
    unscored: int
    """Cells that got no score."""
    std: float | None
    """The standard deviation of the values; 0 for one value, None for none."""
    stderr: float | None
    """The standard error of the mean by clusters; 0 for one value, None for several in one
    cluster.
    """
    clusters: int
    """How many clusters the values are of."""
    cannot_tell: int = 0
    """Cells with the verdict that it cannot be told."""


BySide = Mapping[str, SideFigures]
"""The figures of one measure, by side."""


class ReducedEpochs(Struct, frozen=True):
    """What `reducer` makes of the epochs of each trace, by measure and side.

    Each `n` counts traces. A trace without a value, as with too few epochs, is unscored.
    """

    reducer: str
    sides: Mapping[str, BySide]


class GroupFigures(Struct, frozen=True):
    """The numbers of those cells of a trait whose traces have the same value of a field."""

    name: str
    """That value; "" for traces without one."""
    traces: int
    cells: int
    signed: int
    overruled: int
    """Answers in which the current labels differ from the judge's."""
    sides: Mapping[str, BySide]
    """The figures by measure and side."""
    agreement: Agreement
    """The judge against what people signed off with the judge in sight."""
    between: BySide
    """Numbers made of both the judge's and the signed labels of a cell, by name
    (`TraitKind.between`).
    """
    epochs: tuple[ReducedEpochs, ...]
    """Empty if no trace has a second epoch."""
    counts: Mapping[str, Mapping[str, int]]
    """The pooled counts, by side."""
    blind: Agreement
    """The judge against what people ruled before they saw the judge."""
    claimed: int = 0
    """How many of the signed cells the importer of their sign-offs claims to be ruled blind."""


class InstructionFigures(Struct, frozen=True):
    """How one instruction was answered over all cells, and the judge beside people."""

    stats: AnswerStats
    agreement: Agreement
    blind: Agreement


class Breakdown(Struct, frozen=True):
    """The numbers of the traits of one name over their cells, as a whole and by groups."""

    trait: str
    kind: AnyKind
    measures: tuple[Measure, ...]
    vocabulary: tuple[str, ...]
    """All answers, in the order in which they are listed."""
    by: str
    """The field by whose values cells are grouped; "" for no groups."""
    whole: GroupFigures
    groups: tuple[GroupFigures, ...]
    instructions: tuple[InstructionFigures, ...]
    """Those that people overruled most come first."""
    panel: PanelAgreement | None
    """Of the cells that were added one by one; None if no panel judged any."""
    read: tuple[str, ...] = ()
    """What the traits of the name read: "response", "conversation", or both for several traits."""

    spread: Mapping[str, Mapping[str, Sequence[int]]] = {}
    """How many cells are in each part of a measure's scale, by measure and side, where the measure
    is defined. Without steps a scale has `PARTS` parts.
    """

    @property
    def epochs(self) -> tuple[ReducedEpochs, ...]:
        """The epochs of all cells, reduced."""
        return self.whole.epochs


class _Value(NamedTuple):
    """A cell's value of a measure, NaN if there is none."""

    value: float
    cluster: Hashable
    """What the value depends on."""
    trace: Hashable
    words: Mapping[str, str]
    """The cell's words, by their names in `Figures.words`."""

    def score(self, word_name: str) -> float | str:
        """Return this value as a reducer of epochs gets it: as a word, or as the number.

        `word_name` is the key of that word in `words`, "" for none. The word is returned only if it
        counts as this value, as "C" counts as 1. A cell without a value gives NaN.
        """
        text = self.words.get(word_name, "")
        if text and value_to_float(text) == self.value:
            return text
        return self.value


_Source = tuple[Hashable, Hashable, Mapping[str, str]]
"""Where a value is from: the cluster, the trace with its model, and the cell's words by name."""


class _Column:
    """The values of one measure on one side, cell by cell."""

    def __init__(self) -> None:
        """Begin a column without values."""
        self.numbers = array("d")
        """NaN for a cell that has no value."""
        self._sources: list[_Source] = []
        """Cluster, trace and words of each, which the columns of a cell share."""

    def add(self, number: float, source: _Source) -> None:
        """Add the value of one more cell, NaN for none, with what it depends on.

        The source is the cluster, the trace and the words of the cell.
        """
        self.numbers.append(number)
        self._sources.append(source)

    def scored(self) -> tuple[list[float], list[Hashable]]:
        """Return the values that are not NaN, in the order of the cells, and the cluster of each.

        Both lists are equally long, and empty for a column without values.
        """
        numbers: list[float] = []
        clusters: list[Hashable] = []
        for number, (cluster, _, _) in zip(self.numbers, self._sources, strict=True):
            if is_scored(number):
                numbers.append(number)
                clusters.append(cluster)
        return numbers, clusters

    def __iter__(self) -> Iterator[_Value]:
        for number, source in zip(self.numbers, self._sources, strict=True):
            yield _Value(number, *source)


_NO_VALUES = _Column()


class CellFigures(NamedTuple):
    """What one cell adds to the numbers over cells."""

    trace: TraceKey
    model: str
    cluster: str
    signed: bool
    overruled: int
    sides: Mapping[Side, Figures]
    """Its figures on each of the `totals.SIDES` that it belongs to."""
    answers: Sequence[Answers] = ()
    """Pairs of answers: the judge's, and those of the person who signed off or ruled."""
    between: Mapping[str, float] = {}
    """Numbers made of the labels of both."""
    blind: bool = False
    """Whether the person ruled blind."""
    claimed: bool = False
    """Whether the importer of the sign-off claims that the person ruled blind."""

    @property
    def belongs(self) -> Hashable:
        """What the cell's errors depend on: its cluster, or else the epochs of its trace."""
        return cluster_of(self.cluster, self.trace[0])


class _GroupSums:
    """What some cells of a trait add up to."""

    def __init__(self) -> None:
        """Begin with the sums of no cell."""
        self.totals: Counter[str] = Counter()
        self._side_totals: dict[str, dict[str, int]] = {}
        """The totals of each side by `totals.side_numbers`, beside those in `totals`."""
        self.overruled = 0
        self._claimed = 0
        """Signed cells of which the importer claims that they were ruled blind."""
        self._traces: set[Hashable] = set()
        self._answers = PairCounts()
        """Pairs of answers with the judge in sight."""
        self._blind = PairCounts()
        """Pairs of answers given blind."""
        self._values: dict[str, defaultdict[str, _Column]] = {
            side: defaultdict(_Column) for side in SIDES
        }
        """The values by side and measure."""
        self._between: defaultdict[str, _Column] = defaultdict(_Column)
        """The numbers made of the labels of both, by name."""
        self._again = False
        """Whether any trace has a second epoch."""
        self._epochs: dict[Hashable, Hashable] = {}
        """The first epoch that was added of each trace, by its id and model."""

    def add(self, cell: CellFigures, totals: Mapping[str, Mapping[str, int]]) -> None:
        """Add what one cell contributes to these sums.

        `totals` has for each of the cell's sides what its figures add to that side: counts and sums
        by their keys, such as "f1:sum", without the side. They are those of `cell.sides` by
        `side_numbers`.
        """
        self.totals["cells"] += 1
        self.totals["reviewed"] += cell.signed
        for side, side_sums in totals.items():
            side_totals = self._side_totals.setdefault(side, {})
            for key, count in side_sums.items():
                side_totals[key] = side_totals.get(key, 0) + count
        self.overruled += cell.overruled
        self._claimed += cell.claimed
        counts = self._blind if cell.blind else self._answers
        for pair in cell.answers:
            counts.add(cell.belongs, pair)
        self._traces.add(cell.trace)
        trace_id, epoch = cell.trace
        trace_of_model = (trace_id, cell.model)
        if not self._again:
            first_epoch = self._epochs.setdefault(trace_of_model, epoch)
            self._again = epoch != first_epoch
        cluster = cell.belongs

        for side, figures in cell.sides.items():
            source = cluster, trace_of_model, figures.words
            columns = self._values[side]
            for measure, value in figures.values.items():
                number = nan if measure in figures.undefined else value
                columns[measure].add(number, source)

        for name, number in cell.between.items():
            self._between[name].add(number, (cluster, trace_of_model, {}))

    def figures(
        self,
        name: str,
        measures: Sequence[Measure],
        reducers: Sequence[Reducer],
        compare: "_Pairing",
    ) -> GroupFigures:
        """Return the numbers of the cells added so far, as a group called `name`.

        They have each of `measures` on every side of `SIDES`. `compare` makes agreements of the
        pairs given with the judge in sight and of the blind ones. Only if a trace has several
        epochs, they are reduced by each of `reducers`; a reducer that does not exist or makes no
        value then raises ValueError.
        """
        agreement, blind = compare(self._answers, self._blind)
        totals = self._all_totals()
        figures_by_measure: dict[str, BySide] = {}
        for measure in measures:
            sides: dict[str, SideFigures] = {}
            for side in SIDES:
                column = self._values[side].get(measure.name, _NO_VALUES)
                of_values = _mean_figures(*column.scored())
                sides[side] = replace(of_values, **summary(totals, side, measure))
            figures_by_measure[measure.name] = sides
        between: dict[str, SideFigures] = {}
        for number_name, column in self._between.items():
            between[number_name] = _mean_figures(*column.scored())
        epochs: tuple[ReducedEpochs, ...] = ()
        if self._again:
            epochs = tuple(self._epochs_by(reducers, measures))
        return GroupFigures(
            name=name,
            traces=len(self._traces),
            cells=totals["cells"],
            signed=totals["reviewed"],
            overruled=self.overruled,
            sides=figures_by_measure,
            agreement=agreement,
            between=between,
            epochs=epochs,
            counts={side: counts(totals, side) for side in SIDES},
            blind=blind,
            claimed=self._claimed,
        )

    def _all_totals(self) -> Counter[str]:
        """Return the totals of all cells and of each side in one new counter.

        Keys of all cells are such as "cells" and "reviewed". Keys of a side begin with its name:
        "standing:f1:sum".
        """
        totals = Counter(self.totals)
        for side, side_totals in self._side_totals.items():
            for key, count in side_totals.items():
                totals[f"{side}:{key}"] += count
        return totals

    def spread(self, measure: Measure) -> dict[str, list[int]]:
        """Return by side how many cells are in each part of a measure's scale, from its low end.

        Every side of `SIDES` is there, with a 0 for a part without cells. The parts are equal: one
        for each step of the measure, or `PARTS` without steps. Cells without a value are in no
        part.
        """
        part_count = parts(measure, PARTS)
        spread: dict[str, list[int]] = {}
        for side in SIDES:
            cell_counts = [0] * part_count
            column = self._values[side].get(measure.name, _NO_VALUES)
            scored_numbers = filter(is_scored, column.numbers)
            for number, count in Counter(scored_numbers).items():
                part = part_of(measure, number, part_count)
                cell_counts[part] += count
            spread[side] = cell_counts
        return spread

    def _epochs_by(
        self,
        reducers: Sequence[Reducer],
        measures: Sequence[Measure],
    ) -> Iterable[ReducedEpochs]:
        """Yield for each reducer, in order, the figures of all traces with their epochs reduced.

        They are by measure and side, every side of `SIDES` included. Raises ValueError, once it
        comes to it, for a reducer that does not exist or returns anything but a value. What a
        reducer of another package raises itself passes through.
        """
        for reducer in reducers:
            sides: dict[str, dict[str, SideFigures]] = {}
            for measure in measures:
                for side in SIDES:
                    values = self._values[side].get(measure.name, _NO_VALUES)
                    sides.setdefault(measure.name, {})[side] = _reduced(
                        reducer,
                        values,
                        measure.word,
                    )
            yield ReducedEpochs(reducer_name(reducer), sides)


_Pairing = Callable[[PairCounts, PairCounts], tuple[Agreement, Agreement]]
"""Returns the agreements of pairs with the judge in sight, and of blind pairs."""


def _mean_figures(
    numbers: Sequence[float],
    clusters: Sequence[Hashable],
    unscored: int = 0,
) -> SideFigures:
    """Return the mean of numbers as `macro`, with their standard deviation and standard error.

    None of the numbers is NaN, and `clusters` has the cluster of each. The standard error takes
    numbers of one cluster as depending on each other: it is None for several in a single cluster.
    For one number both are 0, for none all three are None. `micro` is None, `undefined` 0, and
    `unscored` as given.
    """
    count = len(set(clusters))
    macro = None
    std = None
    stderr = None
    if numbers:
        macro = mean(numbers)
        std = sqrt(variance(numbers))
    if count > 1 or len(numbers) == 1:
        stderr = clustered_stderr(numbers, clusters)
    return SideFigures(None, macro, len(numbers), 0, unscored, std, stderr, count)


def _reduced(
    reducer: Reducer,
    values: Iterable[_Value],
    word_name: str,
) -> SideFigures:
    """Return the figures of one value for each trace, which `reducer` makes of the trace's epochs.

    `word_name` is the key of the words to reduce where a cell has them, "" for numbers; a word that
    comes out is counted as its number. Traces for which no value comes out are `unscored`. Raises
    ValueError for a reducer that does not exist or returns anything but a value. What a reducer of
    another package raises itself passes through.
    """
    epochs: dict[Hashable, list[_Value]] = {}
    for cell_value in values:
        epochs.setdefault(cell_value.trace, []).append(cell_value)

    numbers: list[float] = []
    clusters: list[Hashable] = []
    unscored = 0
    for trace_values in epochs.values():
        scores = [cell_value.score(word_name) for cell_value in trace_values]
        value = reduced(reducer, scores)
        if not is_scored(value):
            unscored += 1
            continue
        numbers.append(value_to_float(value))
        clusters.append(trace_values[0].cluster)
    return _mean_figures(numbers, clusters, unscored)


def reducer_name(reducer: Reducer) -> str:
    """Return the name of a reducer.

    That of a built-in reducer is the text itself, with a threshold such as ">=0.5" if it has one.
    """
    if isinstance(reducer, str):
        return reducer
    return reducer.name


def reduced(reducer: Reducer, values: Sequence[float | str]) -> Any:
    """Return the scores of a trace's epochs reduced to one: a number, or one of the words.

    NaN if no epoch has a score, or too few for the reducer. The name of a reducer that counts may
    say from which value on: "pass_at_2>=0.5", else from 1. Raises ValueError for an unknown
    reducer, even without values, and for one of another package that returns anything else. What
    such a one raises itself passes through.
    """
    if not isinstance(reducer, str):
        return reduce_epochs(reducer.reduce, values)
    with_threshold = _FROM.fullmatch(reducer)
    if not with_threshold:
        return reduce_epochs(reducer, values)
    reducer_name = with_threshold[1]
    threshold = float(with_threshold[2])
    return reduce_epochs(reducer_name, values, threshold)


class BreakdownSums:
    """Adds up the cells of a trait name one after the other, and keeps none of them.

    The `reducers` are applied to epochs, the `reasons` say why agreement is not shown. Raises
    ValueError for an unknown reducer.
    """

    def __init__(
        self,
        kind: AnyKind,
        by: str = "",
        reducers: Sequence[Reducer] = ("mean",),
        reasons: Reasons = SHOWN,
    ) -> None:
        """Begin with no cell; raises ValueError for a reducer that does not exist.

        `kind` is that of the trait. `by` names the field by which cells are grouped, "" for no
        groups. `reducers` say how the epochs of a trace become one value. `reasons` say why nothing
        but counts is shown of agreements, for blind answers and for others.
        """
        for reducer in reducers:
            reduced(reducer, ())  # raises ValueError for an unknown one
        self._kind = kind
        self._by = by
        self._reducers = reducers
        self._reasons = reasons
        self._whole = _GroupSums()
        self._groups: dict[str, _GroupSums] = {}
        self._traits: dict[int, Trait] = {}
        self._counts: Counter[AnswerKey] = Counter()
        self._panels = PanelCounts()
        self._pairs: dict[tuple[str, str, bool], PairCounts] = {}

    def add(self, cell: Cell, groups: Iterable[str] = ()) -> None:
        """Add a cell to the sums of all cells, and to those of the groups with these names.

        Its trait is made known, too, and its answers to single instructions and its panel are
        counted. Groups are kept only if the sums are made by a field. A cell without names then
        belongs to the group "".
        """
        trace = cell.subject.trace
        sides = by_side(cell)
        blind = cell.ruled_blind
        self.know(cell.subject.trait)
        self._panels.add(cell)
        self._counts.update(answer_keys(cell))

        cluster = cluster_of(trace.cluster, trace.id)
        answers: list[Answers] = []
        for instruction, pair in answer_pairs(cell):
            if not self._kind.compared or instruction.of in self._kind.compared:
                answers.append(pair)
            counts = self._pairs.setdefault(
                (instruction.of, instruction.text, blind),
                PairCounts(),
            )
            counts.add(cluster, pair)

        between_numbers: Mapping[str, float] = {}
        if "judge" in sides and not cell.example:  # a judge's own example says nothing
            between_numbers = self._kind.between(sides["judge"], sides["signed"])
        cell_figures = CellFigures(
            trace.key,
            trace.model or "",
            trace.cluster or "",
            cell.signed is not None,
            overruled(cell),
            sides,
            answers,
            between_numbers,
            blind,
            cell.is_claimed_blind,
        )
        self.take(cell_figures, groups)

    def know(self, trait: Trait) -> None:
        """Note that some of the cells are of this trait; `add` does so itself."""
        self._traits[id(trait)] = trait

    def add_totals(self, totals: Mapping[str, int]) -> None:
        """Add cells by their totals alone, keyed as by `totals.contribution`, and to no group.

        Of these cells only counts and means are known: they have no answers, and no values for
        spreads, standard deviations and epochs. Their trait must be made known by `know` before
        `breakdown` is called.
        """
        self._whole.totals.update(totals)
        self._whole.totals["reviewed"] += totals.get("state:reviewed", 0)

    def take(self, cell: CellFigures, groups: Iterable[str] = ()) -> None:
        """Add a cell's figures to the sums of all cells and of the groups with these names.

        Groups are kept only if the sums are made by a field. A cell without names then belongs to
        the group "". The cell's answers to single instructions and its panel are not counted, and
        its trait is not made known: `know` must do so before `breakdown` is called, which raises
        IndexError if no trait is known.
        """
        by_figures: dict[int, Mapping[str, int]] = {}
        totals: dict[str, Mapping[str, int]] = {}
        for side, figures in cell.sides.items():
            # sides share their figures where nobody changed a label
            figures_id = id(figures)
            side_sums = by_figures.get(figures_id)
            if side_sums is None:
                side_sums = side_numbers(figures)
                by_figures[figures_id] = side_sums
            totals[side] = side_sums
        self._whole.add(cell, totals)
        if not self._by:
            return

        group_names = tuple(groups)
        if not group_names:
            group_names = ("",)
        for group_name in group_names:
            group = self._groups.setdefault(group_name, _GroupSums())
            group.add(cell, totals)

    def breakdown(self, counted: Sequence[AnswerStats] = ()) -> Breakdown:
        """Return the numbers of all cells added so far; raises IndexError if no trait is known.

        Groups are in the order of numbers, then of words, and traces without a value come last.
        Instructions that people overruled most come first, equal ones in the traits' order.
        `counted`, if not empty, replaces the counts of answers by instruction, which are otherwise
        those of the cells that `add` got. If a trace has several epochs, a reducer that makes no
        value raises ValueError, and what one of another package raises passes through.
        """
        kind = self._kind
        traits = list(self._traits.values())
        stats = counted or answer_stats(self._counts)
        measures = measures_over(kind, traits)
        words: dict[str, None] = {}
        for trait in traits:
            words |= dict.fromkeys(kind.vocabulary(trait))
        occurring: set[str] = set()
        for instruction_stats in stats:
            occurring.update(instruction_stats.answers)
        words |= dict.fromkeys(sorted(occurring))

        def compare(
            sighted: PairCounts,
            blind: PairCounts,
        ) -> tuple[Agreement, Agreement]:
            """Return the agreement of pairs given with the judge in sight, then of blind pairs.

            Each has the reason, if there is one, why only counts of it are shown.
            """
            return (
                sighted.agreement(kind.positives, words, self._reasons.sighted),
                blind.agreement(kind.positives, words, self._reasons.blind),
            )

        groups = [
            self._groups[name].figures(name, measures, self._reducers, compare)
            for name in sorted(self._groups, key=_group_order)
        ]

        instructions = []
        for instruction_stats in stats:
            sighted = self._pairs.get(
                (instruction_stats.of, instruction_stats.instruction, False),
                PairCounts(),
            )
            blind = self._pairs.get(
                (instruction_stats.of, instruction_stats.instruction, True),
                PairCounts(),
            )
            instructions.append(
                InstructionFigures(instruction_stats, *compare(sighted, blind)),
            )

        return Breakdown(
            traits[0].name,
            kind,
            tuple(measures),
            tuple(words),
            self._by,
            self._whole.figures("", measures, self._reducers, compare),
            tuple(groups),
            tuple(self._most_overruled_first(instructions)),
            self._panels.agreement(self._reasons),
            tuple(sorted({read_name(trait) for trait in traits})),
            {measure.name: self._whole.spread(measure) for measure in measures},
        )

    def _most_overruled_first(
        self,
        instructions: Iterable[InstructionFigures],
    ) -> list[InstructionFigures]:
        """Return instructions with those first that people overruled most.

        Equal ones are in the order of the traits, which is that of `know`. Those that no trait has
        come last, by list and words.
        """
        positions: dict[tuple[str, str], int] = {}
        for trait in self._traits.values():
            for instruction in self._kind.answers(trait, self._kind.blank):
                question = instruction.of, instruction.text
                positions.setdefault(question, len(positions))

        def order(figures: InstructionFigures) -> tuple[int, int, str, str]:
            """Return the sort key: answers overruled, position in the traits, then question."""
            stats = figures.stats
            question = stats.of, stats.instruction
            position = positions.get(question, len(positions))
            return -stats.overruled, position, *question

        return sorted(instructions, key=order)


def _group_order(name: str) -> tuple[bool, float, str]:
    """Return the sort key of a group: numbers by size, then words by letter in any case.

    A number is written with digits, a sign and a decimal point only. The group without a value, "",
    comes last.
    """
    if _NUMBER.fullmatch(name):
        return not name, float(name), ""
    return not name, inf, name.casefold()
