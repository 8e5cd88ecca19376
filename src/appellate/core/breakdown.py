"""A trait over all its cells and over groups of them: measures, judge beside people, instructions,
and epochs reduced to one value for each trace. Errors heed what belongs together (`cluster_of`).
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from math import inf, nan, sqrt
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.agreement import (
    SHOWN,
    Agreement,
    Answers,
    PairCounts,
    Reasons,
    cluster_of,
    compared,
)
from appellate.core.cell import Cell
from appellate.core.kind import AnyKind, Figures, Measure, Trait, read_name
from appellate.core.panel_agreement import PanelAgreement, PanelCounts
from appellate.core.totals import (
    SIDES,
    AnswerKey,
    AnswerStats,
    answer_counts,
    answer_stats,
    by_side,
    counts,
    measures_over,
    numbers,
    overruled,
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

_FROM = re.compile(r"((?:at_least|pass_at|pass_k)_\d+)>=(-?\d{1,9}(?:\.\d{1,9})?|-?\.\d{1,9})")
Reducer = str | NamedReducer
"""How epochs become one value: the name of a built-in reducer, or one of another package."""
_NUMBER = re.compile(r"[+-]?\d{1,300}(\.\d{1,300})?")


class SideFigures(Struct, frozen=True):
    """One measure on one side (`totals.SIDES`) over some cells.

    `micro` is of pooled counts, `macro` the mean of the `n` cells (or reduced traces) where it is
    defined; None where there is none. `std` is theirs, `stderr` that of the mean by `clusters` of
    them: 0 of one value, None of none, and `stderr` of several in one cluster. `undefined` cells
    are 0/0, `unscored` ones nobody gave a score, and `cannot_tell` are those whose verdict is that
    it cannot be told.
    """

    micro: float | None
    macro: float | None
    n: int
    undefined: int
    unscored: int
    std: float | None
    stderr: float | None
    clusters: int
    cannot_tell: int = 0


BySide = Mapping[str, SideFigures]


class ReducedEpochs(Struct, frozen=True):
    """Each trace's epochs reduced to one value by `reducer`, then measured, by measure and side.

    The n are of traces; a trace with no value, as where it has too few epochs, is unscored.
    """

    reducer: str
    sides: Mapping[str, BySide]


class GroupFigures(Struct, frozen=True):
    """The cells of a trait whose traces say the same; `name` is what, "" where they say nothing.

    `sides` are the figures by measure and side; `epochs` are empty where no trace has a second one.
    `between` are numbers that take the judge's labels and the signed ones of the same cell
    (`TraitKind.between`), by name.
    `counts` are what is pooled, by side. `agreement` is of what people signed off with the judge in
    sight, `blind` of what they ruled before.
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
    blind: Agreement


class InstructionFigures(Struct, frozen=True):
    """How one instruction was answered over all cells, and the judge beside people."""

    stats: AnswerStats
    agreement: Agreement
    blind: Agreement


class Breakdown(Struct, frozen=True):
    """A trait name over its cells, whole and by groups; `by` is what groups are of, "" for none.

    `instructions` begin with those that a person overruled most; `panel` is of the cells that were
    added whole, None where no panel judged any.
    """

    trait: str
    kind: AnyKind
    measures: tuple[Measure, ...]
    vocabulary: tuple[str, ...]
    by: str
    whole: GroupFigures
    groups: tuple[GroupFigures, ...]
    instructions: tuple[InstructionFigures, ...]
    panel: PanelAgreement | None
    read: tuple[str, ...] = ()
    """What the traits of the name read: "response", "conversation" or, of several, both."""

    @property
    def epochs(self) -> tuple[ReducedEpochs, ...]:
        """The epochs of all cells, reduced."""
        return self.whole.epochs


class _Value(NamedTuple):
    """A cell's value of a measure, NaN where there is none; what it belongs to, and its trace."""

    value: float
    cluster: Hashable
    trace: Hashable
    words: Mapping[str, str] = {}

    def score(self, word: str) -> float | str:
        """What epochs are compared by: the letter or word for this number, else the number."""
        text = self.words.get(word, "")
        if text and value_to_float(text) == self.value:
            return text
        return self.value


class CellFigures(NamedTuple):
    """What a cell brings to numbers over cells.

    `sides` are its figures on each of the `totals.SIDES` that it belongs to, `answers` those that a
    judge and the person who signed it off gave, or who ruled it `blind`, `between` the numbers that
    take the labels of both.
    """

    trace: TraceKey
    model: str
    cluster: str
    signed: bool
    overruled: int
    sides: Mapping[str, Figures]
    answers: Sequence[Answers] = ()
    between: Mapping[str, float] = {}
    blind: bool = False

    @property
    def belongs(self) -> Hashable:
        """What its errors are not independent of: its cluster, else the epochs of its trace."""
        return cluster_of(self.cluster, self.trace[0])


class _GroupSums:
    """What some cells of a trait add up to."""

    def __init__(self) -> None:
        self.totals: Counter[str] = Counter()
        self.overruled = 0
        self._traces: set[Hashable] = set()
        self._answers, self._blind = PairCounts(), PairCounts()
        self._values: dict[tuple[str, str], list[_Value]] = {}
        self._between: dict[str, list[_Value]] = {}
        self._again = False
        self._epochs: dict[Hashable, Hashable] = {}

    def add(self, cell: CellFigures, totals: Mapping[str, int]) -> None:
        """Adds a cell; `totals` are its figures as `totals.numbers` has them."""
        self.totals["cells"] += 1
        self.totals["reviewed"] += cell.signed
        self.totals.update(totals)
        self.overruled += cell.overruled
        counts = self._blind if cell.blind else self._answers
        for pair in cell.answers:
            counts.add(cell.belongs, pair)
        self._traces.add(cell.trace)
        name, epoch = cell.trace
        named = (name, cell.model)
        self._again = self._again or self._epochs.setdefault(named, epoch) != epoch
        cluster = cell.belongs
        for side, figures in cell.sides.items():
            for measure, value in figures.values.items():
                number = nan if measure in figures.undefined else value
                values = self._values.setdefault((measure, side), [])
                values.append(_Value(number, cluster, named, figures.words))
        for name, value in cell.between.items():
            self._between.setdefault(name, []).append(_Value(value, cluster, named))

    def figures(
        self,
        name: str,
        measures: Sequence[Measure],
        reducers: Sequence[Reducer],
        compare: "_Pairing",
    ) -> GroupFigures:
        agreement, blind = compare(self._answers, self._blind)
        return GroupFigures(
            name,
            len(self._traces),
            self.totals["cells"],
            self.totals["reviewed"],
            self.overruled,
            {one.name: {side: self._side(one, side) for side in SIDES} for one in measures},
            agreement,
            {of: _of_values(values) for of, values in self._between.items()},
            tuple(self._epochs_by(reducers, measures)) if self._again else (),
            {side: counts(self.totals, side) for side in SIDES},
            blind,
        )

    def _side(self, measure: Measure, side: str) -> SideFigures:
        values = [one for one in self._values.get((measure.name, side), ()) if is_scored(one.value)]
        return replace(_of_values(values), **summary(self.totals, side, measure))

    def _epochs_by(
        self, reducers: Sequence[Reducer], measures: Sequence[Measure]
    ) -> Iterable[ReducedEpochs]:
        for reducer in reducers:
            sides: dict[str, dict[str, SideFigures]] = {}
            for measure in measures:
                for side in SIDES:
                    values = self._values.get((measure.name, side), ())
                    sides.setdefault(measure.name, {})[side] = _reduced(
                        reducer, values, measure.word
                    )
            yield ReducedEpochs(name_of(reducer), sides)


_Pairing = Callable[[PairCounts, PairCounts], tuple[Agreement, Agreement]]
"""What pairs come to: those of people with the judge in sight, and blind ones."""


def _of_values(values: Sequence[_Value], unscored: int = 0) -> SideFigures:
    """The mean of values, how far they lie apart, and how far off it may be by their clusters."""
    numbers = [one.value for one in values]
    clusters = [one.cluster for one in values]
    count = len(set(clusters))
    macro = std = stderr = None
    if values:
        macro = mean(numbers)
        std = sqrt(variance(numbers))
    if count > 1 or len(values) == 1:
        stderr = clustered_stderr(numbers, clusters)
    return SideFigures(None, macro, len(values), 0, unscored, std, stderr, count)


def _reduced(reducer: Reducer, values: Iterable[_Value], word: str) -> SideFigures:
    """One value for each trace, and their figures; `word` is set where the values are words."""
    epochs: dict[Hashable, list[_Value]] = {}
    for one in values:
        epochs.setdefault(one.trace, []).append(one)
    found: list[_Value] = []
    for own in epochs.values():
        value = reduced(reducer, [one.score(word) for one in own])
        if is_scored(value):
            found.append(own[0]._replace(value=value_to_float(value)))
    return _of_values(found, len(epochs) - len(found))


def name_of(reducer: Reducer) -> str:
    """What a reducer is called."""
    if isinstance(reducer, str):
        return reducer
    return reducer.name


def reduced(reducer: Reducer, values: Sequence[float | str]) -> Any:
    """As `reduce_epochs`; a reducer that counts may say from which value on: `pass_at_2>=0.5`."""
    if not isinstance(reducer, str):
        return reduce_epochs(reducer.reduce, values)
    found = _FROM.fullmatch(reducer)
    if found:
        return reduce_epochs(found[1], values, float(found[2]))
    return reduce_epochs(reducer, values)


class BreakdownSums:
    """Takes the cells of a trait name one after the other, and keeps none of them."""

    def __init__(
        self,
        kind: AnyKind,
        by: str = "",
        reducers: Sequence[Reducer] = ("mean",),
        reasons: Reasons = SHOWN,
    ) -> None:
        for reducer in reducers:
            reduced(reducer, ())  # raises ValueError for what is none
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

    def add(self, cell: Cell, words: Iterable[str] = (), *, counted: bool = False) -> None:
        """Adds a cell, in the groups `words`; `counted` if `breakdown` is given its answers."""
        trace = cell.subject.trace
        sides = by_side(cell)
        blind = cell.ruled_blind
        self.know(cell.subject.trait)
        self._panels.add(cell)
        if not counted:
            self._counts.update(answer_counts(cell))
        answers: list[Answers] = []
        for one, pair in compared(cell):
            if not self._kind.compared or one.of in self._kind.compared:
                answers.append(pair)
            counts = self._pairs.setdefault((one.of, one.text, blind), PairCounts())
            counts.add(cluster_of(trace.cluster, trace.id), pair)
        between: Mapping[str, float] = {}
        if "judge" in sides and not cell.example:  # a judge's own example says nothing
            between = self._kind.between(sides["judge"], sides["signed"])
        brought = CellFigures(
            trace.key,
            trace.model or "",
            trace.cluster or "",
            cell.signed is not None,
            overruled(cell),
            sides,
            answers,
            between,
            blind,
        )
        self.take(brought, words)

    def know(self, trait: Trait) -> None:
        """Takes in that cells are of this trait of the name."""
        self._traits[id(trait)] = trait

    def add_totals(self, totals: Mapping[str, int]) -> None:
        """Adds cells by their totals alone: without answers, and values to spread."""
        self._whole.totals.update(totals)
        self._whole.totals["reviewed"] += totals.get("state:reviewed", 0)

    def take(self, cell: CellFigures, words: Iterable[str] = ()) -> None:
        """Adds what a cell brings, without its answers to single instructions."""
        totals: dict[str, int] = {}
        for side, figures in cell.sides.items():
            totals |= numbers(side, figures)
        self._whole.add(cell, totals)
        if self._by:
            for word in tuple(words) or ("",):
                group = self._groups.setdefault(word, _GroupSums())
                group.add(cell, totals)

    def breakdown(self, counted: Sequence[AnswerStats] = ()) -> Breakdown:
        """What the cells come to; `counted` are the answers of cells that were taken without."""
        kind = self._kind
        traits = list(self._traits.values())
        stats = counted or answer_stats(self._counts)
        measures = measures_over(kind, traits)
        words: dict[str, None] = {}
        for trait in traits:
            words |= dict.fromkeys(kind.vocabulary(trait))
        given: set[str] = set()
        for one in stats:
            given.update(one.answers)
        words |= dict.fromkeys(sorted(given))

        def compare(sighted: PairCounts, blind: PairCounts) -> tuple[Agreement, Agreement]:
            return (
                sighted.agreement(kind.positives, words, self._reasons.sighted),
                blind.agreement(kind.positives, words, self._reasons.blind),
            )

        groups = [
            self._groups[name].figures(name, measures, self._reducers, compare)
            for name in sorted(self._groups, key=_place)
        ]
        instructions = []
        for one in stats:
            sighted, blind = [
                self._pairs.get((one.of, one.instruction, apart), PairCounts())
                for apart in (False, True)
            ]
            instructions.append(InstructionFigures(one, *compare(sighted, blind)))
        return Breakdown(
            traits[0].name,
            kind,
            tuple(measures),
            tuple(words),
            self._by,
            self._whole.figures("", measures, self._reducers, compare),
            tuple(groups),
            tuple(sorted(instructions, key=partial(_rank, self._places()))),
            self._panels.agreement(self._reasons),
            tuple(sorted({read_name(trait) for trait in traits})),
        )

    def _places(self) -> dict[tuple[str, str], int]:
        """Where an instruction is in the traits that have it, by its list and its words."""
        places: dict[tuple[str, str], int] = {}
        for trait in self._traits.values():
            for one in self._kind.answers(trait, self._kind.blank):
                places.setdefault((one.of, one.text), len(places))
        return places


def _rank(
    places: Mapping[tuple[str, str], int], one: InstructionFigures
) -> tuple[int, int, str, str]:
    """Those overruled most come first, the others in the order of the traits, then by words."""
    of = one.stats.of
    words = one.stats.instruction
    return -one.stats.overruled, places.get((of, words), len(places)), of, words


def _place(name: str) -> tuple[bool, float, str]:
    """Where a group stands: numbers by their size, then words, those that say nothing last."""
    if _NUMBER.fullmatch(name):
        return not name, float(name), ""
    return not name, inf, name.casefold()
