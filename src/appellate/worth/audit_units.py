"""The units of a sample's frame, and what the judge's labels and a person's come to in each.

What a person says counts from the units that were audited one after the other in the order of the
draw: the first n of a random order are themselves drawn at random, whatever n is. A unit that was
passed over ends them, since whoever chooses what to pass over chooses the number.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct, field

from appellate.core.agreement import Answers
from appellate.core.kind import Figures, Measure
from appellate.stats.estimates import Audited, Pair, Stratum

NOTHING = Pair(0.0, 0.0)


class UnitCell(NamedTuple):
    """A cell of a unit.

    `judges` are the figures of the judge's labels, of each member of a panel; none where nobody
    judged it. `person` are those of the person's labels, where there are any, and `answers` how
    often the two gave which, then.
    """

    trait: str
    group: str
    judges: Sequence[Figures]
    person: Figures | None
    answers: Mapping[Answers, int] = {}


class AuditUnit(Struct):
    """What is drawn at once: a trace, or all traces of a cluster.

    `place` is where it is in the order of the draw, None where it was not drawn. `chance` is
    that of having been drawn, where it is not the same for all of the stratum. `cells` are by
    trait.
    """

    stratum: int = 0
    place: int | None = None
    chance: float | None = None
    cells: dict[str, list[UnitCell]] = field(default_factory=dict)


class ChosenCells(Struct, frozen=True):
    """The cells that one number is of: those of some traits, of all groups (None) or of one."""

    traits: Sequence[str]
    measure: Measure
    group: str | None = None

    def of(self, unit: AuditUnit) -> list[UnitCell]:
        """Those of a unit."""
        found: list[UnitCell] = []
        for trait in self.traits:
            found += unit.cells.get(trait, ())
        if self.group is None:
            return found
        return [cell for cell in found if cell.group == self.group]


class CountedUnit(NamedTuple):
    """A unit whose audit counts: the place of its stratum, its chance and its cells."""

    stratum: int
    chance: float | None
    cells: Sequence[UnitCell]

    @property
    def answers(self) -> Counter[Answers]:
        """How often judge and person gave which answers in it."""
        found: Counter[Answers] = Counter()
        for cell in self.cells:
            found.update(cell.answers)
        return found


class AuditedPart(Struct, frozen=True):
    """What there is to estimate a number from.

    `drawn` units have such cells, of `frame` that could be drawn, and `n` of them count, the
    `counted`. `passed` is the number of the first that was passed over (1-based), where
    `later` ones were audited all the same. `unjudged` cells nobody judged.
    """

    strata: Sequence[Stratum]
    n: int
    drawn: int
    frame: int
    passed: int | None
    later: int
    unjudged: int
    counted: Sequence[CountedUnit]

    @property
    def judge_only(self) -> float | None:
        """What the judge says of all that could be drawn; None for 0/0."""
        whole = _sum(pair for stratum in self.strata for pair in stratum.judge)
        if not whole.b:
            return None
        return whole.a / whole.b


def audited_part(
    units: Iterable[AuditUnit], chosen: ChosenCells, first: int | None = None
) -> AuditedPart:
    """The units that have such cells; of those audited the `first` ones, where no more are asked
    for.
    """
    measure, frame, unjudged = chosen.measure, 0, 0
    judge: dict[int, list[Pair]] = {}
    order: list[tuple[int, AuditUnit, list[UnitCell]]] = []
    for unit in units:
        cells = chosen.of(unit)
        if not cells:
            continue
        frame += 1
        for cell in cells:
            unjudged += not cell.judges
        judge.setdefault(unit.stratum, []).append(judge_pair(measure, cells))
        if unit.place is not None:
            order.append((unit.place, unit, cells))
    order.sort(key=itemgetter(0))
    audited = [all(cell.person for cell in cells) for *_, cells in order]
    n = [*audited, False].index(False)
    later, passed = sum(audited[n:]), None
    if later:
        passed = order[n][0] + 1
    n = min(n, first or n)
    people: dict[int, list[Audited]] = {}
    places = {stratum: place for place, stratum in enumerate(sorted(judge))}
    counted: list[CountedUnit] = []
    for place, unit, cells in order[:n]:
        pairs = person_pair(measure, cells), judge_pair(measure, cells)
        one = Audited(*pairs, unit.chance, place)
        people.setdefault(unit.stratum, []).append(one)
        counted.append(CountedUnit(places[unit.stratum], unit.chance, cells))
    strata = [Stratum(pairs, people.get(one, [])) for one, pairs in sorted(judge.items())]
    return AuditedPart(strata, n, len(order), frame, passed, later, unjudged, counted)


def person_pair(measure: Measure, cells: Iterable[UnitCell]) -> Pair:
    """What the person's labels of a unit add above and below the line of a number."""
    return _sum(pair_of(measure, cell.person) for cell in cells if cell.person)


def judge_pair(measure: Measure, cells: Iterable[UnitCell]) -> Pair:
    """The same of the judge's; of a panel the mean of its members'."""
    return _sum(_mean([pair_of(measure, one) for one in cell.judges]) for cell in cells)


def pair_of(measure: Measure, figures: Figures) -> Pair:
    """What labels add above and below the line of a number; nothing where that is 0/0."""
    if measure.ratio is not None:
        above, below = measure.ratio
        return Pair(_weighed(above, figures.counts), _weighed(below, figures.counts))
    if measure.name not in figures.values or measure.name in figures.undefined:
        return NOTHING
    return Pair(figures.values[measure.name], 1.0)


def _weighed(part: Mapping[str, float], counts: Mapping[str, int]) -> float:
    return sum(much * counts.get(name, 0) for name, much in part.items())


def _sum(pairs: Iterable[Pair]) -> Pair:
    a = b = 0.0
    for pair in pairs:
        a, b = a + pair.a, b + pair.b
    return Pair(a, b)


def _mean(pairs: Sequence[Pair]) -> Pair:
    whole = _sum(pairs)
    count = max(len(pairs), 1)
    return Pair(whole.a / count, whole.b / count)
