"""A trait over all its cells and over groups of them: each measure on every side with its spread,
the judge beside the person, every instruction, and epochs reduced to one value for each trace.

Means over cells are those of `totals`. Errors heed what belongs together: the traces of one
`cluster`, else the epochs of one trace.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any, NamedTuple

from appellate.core.aggregates import (
    clustered_stderr,
    is_scored,
    mean,
    reduce_epochs,
    value_to_float,
    variance,
)
from appellate.core.agreement import Agreement, Answers, agreement, compared
from appellate.core.cell import Cell
from appellate.core.kind import AnyKind, Figures, Measure, Trait
from appellate.core.totals import (
    SIDES,
    AnswerKey,
    AnswerStats,
    answer_counts,
    answer_stats,
    by_side,
    counts,
    is_aside,
    measures_over,
    numbers,
    overruled,
    summary,
)

_FROM = re.compile(r"((?:at_least|pass_at|pass_k)_\d+)>=(-?\d{1,9}(?:\.\d{1,9})?|-?\.\d{1,9})")
_NUMBER = re.compile(r"[+-]?\d{1,300}(\.\d{1,300})?")


@dataclass(frozen=True, slots=True)
class SideFigures:
    """One measure on one side (`totals.SIDES`) over some cells.

    `micro` is of pooled counts, `macro` the mean of the `n` cells (or reduced traces) where it is
    defined; None where there is none. `std` is theirs, `stderr` that of the mean by `clusters` of
    them, None of fewer than two. `undefined` cells are 0/0, `unscored` ones nobody gave a score.
    """

    micro: float | None
    macro: float | None
    n: int
    undefined: int
    unscored: int
    std: float | None
    stderr: float | None
    clusters: int


BySide = Mapping[str, SideFigures]


@dataclass(frozen=True, slots=True)
class ReducedEpochs:
    """Each trace's epochs reduced to one value by `reducer`, then measured, by measure and side.

    The n are of traces; a trace with no value, as where it has too few epochs, is unscored.
    """

    reducer: str
    sides: Mapping[str, BySide]


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """The cells of a trait whose traces say the same; `name` is what, "" where they say nothing.

    `sides` are the figures by measure and side; `epochs` are empty where no trace has a second one.
    `between` are numbers that take the judge's labels and the signed ones of the same cell
    (`TraitKind.between`), by name.
    `counts` are what is pooled, by side.
    """

    name: str
    traces: int
    cells: int
    signed: int
    overruled: int
    sides: Mapping[str, BySide]
    agreement: Agreement
    between: BySide
    epochs: tuple[ReducedEpochs, ...]
    counts: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class InstructionFigures:
    """How one instruction was answered over all cells, and the judge beside the person."""

    stats: AnswerStats
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A trait name over its cells, whole and by groups; `by` is what groups are of, "" for none.

    `instructions` begin with those that a person overruled most.
    """

    trait: str
    kind: AnyKind
    measures: tuple[Measure, ...]
    vocabulary: tuple[str, ...]
    by: str
    whole: GroupFigures
    groups: tuple[GroupFigures, ...]
    instructions: tuple[InstructionFigures, ...]

    @property
    def epochs(self) -> tuple[ReducedEpochs, ...]:
        """The epochs of all cells, reduced."""
        return self.whole.epochs


class _Value(NamedTuple):
    """A cell's value of a measure, NaN where there is none; what it belongs to, and its trace."""

    value: float
    cluster: Hashable
    trace: Hashable


class _GroupSums:
    """What some cells of a trait add up to."""

    def __init__(self) -> None:
        self.totals: Counter[str] = Counter()
        self.overruled = 0
        self._traces: set[Hashable] = set()
        self._answers: Counter[Answers] = Counter()
        self._values: dict[tuple[str, str], list[_Value]] = {}
        self._between: dict[str, list[_Value]] = {}
        self._again = False
        self._epochs: dict[Hashable, Hashable] = {}

    def add(self, cell: Cell, sides: Mapping[str, Figures], answers: Iterable[Answers]) -> None:
        trace = cell.subject.trace
        self.totals["cells"] += 1
        self.totals["reviewed"] += cell.signed is not None
        self.overruled += overruled(cell)
        self._answers.update(answers)
        self._traces.add(trace.key)
        named = (trace.id, trace.model)
        self._again = self._again or self._epochs.setdefault(named, trace.epoch) != trace.epoch
        cluster: Hashable = (trace.cluster,) if trace.cluster else trace.id
        for side, figures in sides.items():
            self.totals.update(numbers(side, figures))
            for measure, value in figures.values.items():
                told = nan if measure in figures.undefined else value
                values = self._values.setdefault((measure, side), [])
                values.append(_Value(told, cluster, named))
        for name, value in _between(cell, sides).items():
            self._between.setdefault(name, []).append(_Value(value, cluster, named))

    def figures(
        self, name: str, measures: Sequence[Measure], reducers: Sequence[str], told: "_Told"
    ) -> GroupFigures:
        return GroupFigures(
            name,
            len(self._traces),
            self.totals["cells"],
            self.totals["reviewed"],
            self.overruled,
            {one.name: {side: self._side(one, side) for side in SIDES} for one in measures},
            told(self._answers),
            {name: _mean_of(values) for name, values in self._between.items()},
            tuple(self._epochs_by(reducers, measures)) if self._again else (),
            {side: counts(self.totals, side) for side in SIDES},
        )

    def _side(self, measure: Measure, side: str) -> SideFigures:
        values = [one for one in self._values.get((measure.name, side), ()) if is_scored(one.value)]
        spread = _spread([one.value for one in values], [one.cluster for one in values])
        told = summary(self.totals, side, measure)
        return SideFigures(
            told["micro"], told["macro"], told["n"], told["undefined"], told["unscored"], *spread
        )

    def _epochs_by(
        self, reducers: Sequence[str], measures: Sequence[Measure]
    ) -> Iterable[ReducedEpochs]:
        for reducer in reducers:
            sides: dict[str, dict[str, SideFigures]] = {}
            for measure in measures:
                for side in SIDES:
                    values = self._values.get((measure.name, side), ())
                    sides.setdefault(measure.name, {})[side] = _reduced(reducer, values)
            yield ReducedEpochs(reducer, sides)


def _between(cell: Cell, sides: Mapping[str, Figures]) -> Mapping[str, float]:
    """The numbers that take both label sets of a cell; a judge's own example says nothing."""
    between = cell.subject.kind.between
    if between is None or cell.example or "judge" not in sides:
        return {}
    return between(sides["judge"], sides["signed"])


def _mean_of(values: Sequence[_Value]) -> SideFigures:
    found = [one.value for one in values]
    spread = _spread(found, [one.cluster for one in values])
    return SideFigures(None, mean(found), len(found), 0, 0, *spread)


_Told = Callable[[Mapping[Answers, int]], Agreement]


def _spread(
    values: Sequence[float], clusters: Sequence[Hashable]
) -> tuple[float | None, float | None, int]:
    """How far values lie apart, how far off their mean may be, and how many clusters they are."""
    count = len(set(clusters))
    std = stderr = None
    if values:
        std = sqrt(variance(values))
    if count > 1:
        stderr = clustered_stderr(values, clusters)
    return std, stderr, count


def _reduced(reducer: str, values: Iterable[_Value]) -> SideFigures:
    """One value for each trace, and what these come to."""
    epochs: dict[Hashable, list[_Value]] = {}
    for one in values:
        epochs.setdefault(one.trace, []).append(one)
    found: list[float] = []
    clusters: list[Hashable] = []
    for own in epochs.values():
        value = reduced(reducer, [one.value for one in own])
        if is_scored(value):
            found.append(value_to_float(value))
            clusters.append(own[0].cluster)
    macro = mean(found) if found else None
    missing = len(epochs) - len(found)
    return SideFigures(None, macro, len(found), 0, missing, *_spread(found, clusters))


def reduced(reducer: str, values: Sequence[float]) -> Any:
    """As `reduce_epochs`; a reducer that counts may say from which value on: `pass_at_2>=0.5`."""
    found = _FROM.fullmatch(reducer)
    if found:
        return reduce_epochs(found[1], values, float(found[2]))
    return reduce_epochs(reducer, values)


class BreakdownSums:
    """Takes the cells of a trait name one after the other, and keeps none of them."""

    def __init__(self, by: str = "", reducers: Sequence[str] = ("mean",)) -> None:
        for reducer in reducers:
            reduced(reducer, ())  # raises ValueError for what is none
        self._by, self._reducers = by, reducers
        self._whole = _GroupSums()
        self._groups: dict[str, _GroupSums] = {}
        self._traits: dict[int, Trait] = {}
        self._kind: AnyKind | None = None
        self._counts: Counter[AnswerKey] = Counter()
        self._pairs: dict[tuple[str, str], Counter[Answers]] = {}

    def add(self, cell: Cell, words: Iterable[str] = ()) -> None:
        """Adds a cell; `words` are the groups that it is in, where there are groups."""
        self._kind = cell.subject.kind
        self._traits[id(cell.subject.trait)] = cell.subject.trait
        sides = by_side(cell)
        answers: list[Answers] = []
        for one, pair in compared(cell):
            answers.append(pair)
            self._pairs.setdefault((one.of, one.text), Counter())[pair] += 1
        self._counts.update(answer_counts(cell))
        self._whole.add(cell, sides, answers)
        if self._by:
            for word in tuple(words) or ("",):
                self._groups.setdefault(word, _GroupSums()).add(cell, sides, answers)

    def breakdown(self) -> Breakdown | None:
        """What the cells come to; None where there was none."""
        if self._kind is None:
            return None
        kind, traits = self._kind, list(self._traits.values())
        measures = measures_over(kind, traits)
        words: dict[str, None] = {}
        for trait in traits:
            words |= dict.fromkeys(kind.vocabulary(trait))
        given = set()
        for of, _, answer in self._counts:
            if answer is not None and not is_aside(of):
                given.add(answer)
        words |= dict.fromkeys(sorted(given))

        def told(pairs: Mapping[Answers, int]) -> Agreement:
            return agreement(pairs, kind.positives, words)

        groups = [
            (name, sums.figures(name, measures, self._reducers, told))
            for name, sums in self._groups.items()
        ]
        instructions = [
            InstructionFigures(one, told(self._pairs.get((one.of, one.instruction), {})))
            for one in answer_stats(self._counts)
        ]
        return Breakdown(
            traits[0].name,
            kind,
            tuple(measures),
            tuple(words),
            self._by,
            self._whole.figures("", measures, self._reducers, told),
            tuple(figures for _, figures in sorted(groups, key=lambda one: _place(one[0]))),
            tuple(sorted(instructions, key=lambda one: -one.stats.overruled)),
        )


def _place(name: str) -> tuple[bool, float, str]:
    """Where a group stands: numbers by their size, then words, those that say nothing last."""
    if _NUMBER.fullmatch(name):
        return not name, float(name), ""
    return not name, inf, name.casefold()
