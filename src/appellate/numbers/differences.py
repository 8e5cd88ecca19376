"""The difference of two models in one number, with an exact interval: `f1[a]-f1[b]>=0`.

A model is a group of the sample, as `[a]` in a bar. Where the denominators are known beforehand, as
those of a mean and of recall are, the difference is one mean over units: what responses of one unit
have in common cancels out. Else each model has an interval of its own, at half the chance to be
wrong, and the ends are subtracted. Both hold at any look.
"""

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from msgspec.structs import replace as changed

from appellate.core.kind import Measure
from appellate.numbers.estimates import (
    AuditUnit,
    EstimatedTrait,
    GroupDifference,
    UnitCell,
    Worth,
    audited_part,
    compared_groups,
    differences_by_residuals,
    judge_pair,
    person_pair,
    worth,
)
from appellate.numbers.exact import (
    NO_CHANCES,
    CornersOfUnits,
    IntervalRule,
    NotExact,
    OpenUnit,
    betting_audit,
)
from appellate.stats.betting import Bounds, corners_of_sum
from appellate.stats.estimates import Interval, Pair

_DIFFERENCE = re.compile(
    r"(?P<measure>[^][]+?)\[(?P<first>[^][]*)\]\s*[-−]\s*(?P<again>[^][]+?)\[(?P<second>[^][]*)\]",
)


class Difference(NamedTuple):
    """A number of one group less that of another."""

    measure: str
    first: str
    second: str


def read_difference(name: str) -> Difference | None:
    """Return the difference that the measure of a bar names, as `f1[a]-f1[b]`; None for others.

    Both sides must name one measure and two groups, else it is None. Whether there is such a
    measure or group is not looked up. A group may be "".
    """
    parts = _DIFFERENCE.fullmatch(name)
    if parts is None or parts["measure"] != parts["again"]:
        return None
    if parts["first"] == parts["second"]:
        return None
    return Difference(parts["measure"], parts["first"], parts["second"])


def difference_measure(measure: Measure, name: str) -> Measure:
    """Return a measure for the difference of two groups in a measure, called `name` as in a bar.

    It goes from minus the width of the measure's scale to plus that, and neither way is better.
    """
    reach = measure.high - measure.low
    return Measure(name, name, -reach, reach, higher_is_better=None)


def base_measure(trait: EstimatedTrait, measure: Measure) -> Measure:
    """Return the measure of `trait` that a difference of two groups is of; any other measure
    unchanged.

    For `f1[a]-f1[b]` that is the trait's f1. Raises StopIteration if the trait has no measure of
    that name.
    """
    difference = read_difference(measure.name)
    if difference is None:
        return measure
    return next(
        candidate
        for candidate in trait.measures
        if candidate.name == difference.measure
    )


def difference_number(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    *,
    first: int | None = None,
    rule: IntervalRule,
) -> Worth:
    """Return by how much more one group measures than another, as people would rule.

    The measure's name says which groups, as in `f1[a]-f1[b]`: it is the first less the second. Only
    units with responses of either group count, at most the `first` that are audited. The interval
    is by betting, at the level of `rule`, and holds at any look; there never is an estimate.
    Without an interval `wanting` says why, as if a group has no unit. Raises ValueError for a
    measure that is no difference.
    """
    difference = read_difference(measure.name)
    if difference is None:
        raise ValueError(f"{measure.name} is no difference of two groups")
    both = (difference.first, difference.second)
    return _difference_of(units, trait, measure, both, first, rule)


def _difference_of(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    both: tuple[str, str],
    first: int | None,
    rule: IntervalRule,
) -> Worth:
    """Return by how much more the first of two groups measures than the second.

    `measure` is that of the difference, or the one that is compared; `both` has the two groups. At
    most the `first` audited units count, all for None. The interval is by betting at the level of
    `rule`. If the denominators are known beforehand, it is that of one mean over units; else the
    ends of two intervals are subtracted, each at half the chance to be wrong. There is none if
    either group has no unit or no exact interval; `wanting` then says of which group and why. The
    result never has an estimate.
    """
    base = base_measure(trait, measure)
    compared = _only_groups(units, trait, both)
    part = audited_part(compared, trait, base, first=first)
    for group in both:
        if not audited_part(compared, trait, base, group).frame:
            return Worth(
                trait,
                measure,
                None,
                part,
                None,
                f"nothing is of {group or 'no name'}",
            )

    counted = _ruled_only(compared, trait, part.n)
    bounds = _with_known_denominators(counted, trait, base, both, part.n, rule)
    level = rule.betting_coverage
    if bounds is None:
        level = (1 + rule.betting_coverage) / 2
    rule_of_groups = changed(rule, betting_coverage=level, name="any")
    intervals: list[Interval] = []
    for group in both:
        number = worth(counted, trait, base, group, rule=rule_of_groups)
        is_exact = number.is_by_betting or number.part.n == number.part.frame
        if number.interval is None or not is_exact:
            reason = number.wanting or f"its interval is not exact: {number.inexact}"
            wanting = f"of {group or 'no name'}, {reason}"
            return Worth(trait, measure, None, part, None, wanting)
        intervals.append(number.interval)
    interval = _subtracted(intervals[0], intervals[1])
    if bounds is not None:
        value = min(max(interval.value, bounds.low), bounds.high)
        interval = Interval(value, bounds.low, bounds.high)
    return Worth(trait, measure, None, part, interval, rule=rule, is_by_betting=True)


def group_differences(
    units: Sequence[AuditUnit],
    worths: Sequence[Worth],
    rule: IntervalRule,
) -> list[GroupDifference]:
    """Return by how much groups differ in one number, the higher group of each two first.

    `worths` has that number of each group. Groups with fewer than 20 audits, or without an
    estimate, are left out. Of up to four groups each is compared with each; of more, the highest
    with each other one. Intervals are by betting over the units that are of either group, and hold
    at any look, each at the level of `rule` alone. If betting knows none for one of the pairs, all
    are by residuals. `is_shown` is tested for all differences together (Holm): by betting at the
    level of `rule`, by residuals with 5 % that any is wrong. Empty for fewer than two groups.
    """
    pairs = compared_groups(worths)
    numbers: list[Interval] = []
    for high, low in pairs:
        both = (high.group or "", low.group or "")
        number = _difference_of(units, high.trait, high.measure, both, None, rule)
        if number.interval is None:
            return list(differences_by_residuals(worths))
        numbers.append(number.interval)

    unsure = [
        index
        for index, interval in enumerate(numbers)
        if not interval.low <= 0 <= interval.high
    ]
    shown_indexes: set[int] = set()
    remaining = len(pairs)
    while unsure:
        level = 1 - (1 - rule.betting_coverage) / remaining
        stricter = changed(rule, betting_coverage=level)
        sure: set[int] = set()
        for index in unsure:
            high, low = pairs[index]
            both = (high.group or "", low.group or "")
            number = _difference_of(
                units,
                high.trait,
                high.measure,
                both,
                None,
                stricter,
            )
            interval = number.interval
            if interval is not None and not interval.low <= 0 <= interval.high:
                sure.add(index)
        if not sure:
            break
        shown_indexes |= sure
        unsure = [index for index in unsure if index not in sure]
        remaining -= len(sure)

    differences: list[GroupDifference] = []
    for index, ((high, low), interval) in enumerate(zip(pairs, numbers, strict=True)):
        group_difference = GroupDifference(
            high.trait,
            high.measure,
            high.group or "",
            low.group or "",
            interval,
            len(pairs),
            index in shown_indexes,
        )
        differences.append(group_difference)
    return differences


def _subtracted(first: Interval, second: Interval) -> Interval:
    """Return the difference of two numbers, with the ends of their intervals subtracted crosswise.

    So it holds if both intervals do.
    """
    return Interval(
        first.value - second.value,
        first.low - second.high,
        first.high - second.low,
    )


def _only_groups(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    groups: Sequence[str],
) -> list[AuditUnit]:
    """Return the units with the cells of a trait that are in some groups, and no other cells.

    Units without such a cell are left out. The order stays, and `units` are not changed.
    """
    compared: list[AuditUnit] = []
    for unit in units:
        cells: dict[str, list[UnitCell]] = {}
        for cell in unit.chosen(trait, None):
            if cell.group in groups:
                cells.setdefault(cell.trait, []).append(cell)
        if cells:
            compared.append(changed(unit, cells=cells))
    return compared


def _ruled_only(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    n: int,
) -> list[AuditUnit]:
    """Return the units, of which only the first `n` of the draw keep what people said.

    Later drawn units are copies whose cells of the trait have no person's labels; their cells of
    other traits are left out. Units that were not drawn stay as they are. All units are returned as
    they are if at most `n` were drawn. The order stays, and `units` do not change.
    """
    places = sorted(unit.place for unit in units if unit.place is not None)
    end = places[n] if n < len(places) else None
    ruled_units: list[AuditUnit] = []
    for unit in units:
        if end is None or unit.place is None or unit.place < end:
            ruled_units.append(unit)
            continue
        cells: dict[str, list[UnitCell]] = {}
        for cell in unit.chosen(trait, None):
            cells.setdefault(cell.trait, []).append(cell._replace(person=None))
        ruled_units.append(changed(unit, cells=cells))
    return ruled_units


def _with_known_denominators(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    groups: tuple[str, str],
    n: int,
    rule: IntervalRule,
) -> Bounds | None:
    """Return the ends of the difference as one mean over units, from the first `n` of the draw.

    That takes denominators that are known before anybody rules, as those of a mean and of recall
    are: then each unit adds what it has of the first group, less what it has of the second, each as
    a share of its group. So what the responses of a unit have in common cancels out. None for other
    numbers, for units of several waves, if the denominators of a group add up to 0, and if fewer
    than `n` units are ruled on. None, too, if betting knows no interval: with unequal chances,
    without a complete round, for a ruling beyond what was thought possible, and if every value is
    refused.
    """
    try:
        possible = CornersOfUnits(measure, 0)
        weighed = [
            _weighed_unit(unit, trait, measure, groups, possible) for unit in units
        ]
    except NotExact:
        return None
    if len({unit.wave for unit in units}) > 1:  # no rounds of all strata
        return None
    first_total = sum(unit.below[0] for unit in weighed)
    second_total = sum(unit.below[1] for unit in weighed)
    if not first_total or not second_total:
        return None
    scales = (len(units) / first_total, -len(units) / second_total)

    open_units: list[OpenUnit] = []
    corners: dict[int, tuple[Pair, ...]] = {}
    persons: list[tuple[int, Pair]] = []
    strata = sorted({unit.stratum for unit in units})
    for unit, parts in zip(units, weighed, strict=True):
        judge = Pair(_scaled(parts.judge, scales), 1.0)
        stratum = strata.index(unit.stratum)
        open_units.append(
            OpenUnit(
                stratum,
                judge,
                (),
                unit.place,
                unit.draw,
                unit.name,
                unit.is_whole,
            ),
        )
        corners[id(open_units[-1])] = _scaled_corners(parts, scales)
        if unit.place is not None and parts.person is not None:
            persons.append((unit.place, Pair(_scaled(parts.person, scales), 1.0)))
    persons.sort(key=itemgetter(0))
    if len(persons) < n:
        return None

    reach = measure.high - measure.low
    people = [pair for _, pair in persons[:n]]
    try:
        audit = betting_audit(open_units, corners, people, rule, -reach, reach)
    except NotExact:
        return None
    return audit.interval() if audit.n else None


class _WeighedUnit(NamedTuple):
    """What a unit has of each of two groups."""

    below: tuple[float, float]
    """The known denominators."""
    corners: tuple[list[list[float]], list[list[float]]]
    """The extreme numerators that people could give each of its cells."""
    judge: tuple[float, float]
    """The numerators by the judge's labels."""
    person: tuple[float, float] | None
    """The numerators by people's labels; None without them."""


def _weighed_unit(
    unit: AuditUnit,
    trait: EstimatedTrait,
    measure: Measure,
    groups: tuple[str, str],
    possible: CornersOfUnits,
) -> _WeighedUnit:
    """Return what a unit adds to each of two groups: by the judge, by people, and at the extremes.

    Only its cells under the trait that are in one of `groups` count. What people add is None if one
    of these cells waits for a ruling. `possible` keeps what it computes. Raises NotExact for a unit
    with a chance of its own, and if a denominator is not known or another than was known.
    """
    if unit.chance is not None:
        raise NotExact(NO_CHANCES)
    below = [0.0, 0.0]
    judge = [0.0, 0.0]
    person = [0.0, 0.0]
    corners: tuple[list[list[float]], list[list[float]]] = ([], [])
    is_ruled = True
    for group_index, group in enumerate(groups):
        for cell in unit.chosen(trait, group):
            of_cell = possible.of([cell.known])
            denominators = {corner.b for corner in of_cell}
            if len(denominators) > 1 or possible.depend_on_most_items:
                raise NotExact("its denominator is not known before people rule")
            (denominator,) = denominators
            below[group_index] += denominator
            judge[group_index] += judge_pair(measure, [cell]).a
            corners[group_index].append([corner.a for corner in of_cell])
            if cell.person is None:
                is_ruled = False
                continue
            pair = person_pair(measure, [cell])
            if pair.b != denominator:
                raise NotExact("a ruling has another denominator than was known")
            person[group_index] += pair.a
    return _WeighedUnit(
        (below[0], below[1]),
        corners,
        (judge[0], judge[1]),
        (person[0], person[1]) if is_ruled else None,
    )


def _scaled_corners(
    parts: _WeighedUnit,
    scales: tuple[float, float],
) -> tuple[Pair, ...]:
    """Return the extremes that people could say of a unit in a difference of two groups, as pairs.

    A pair is what the unit adds to the difference, and 1 as its weight. `scales` is by what the
    values of either group are multiplied. They are the corners of a convex hull.
    """
    ends: list[list[Pair]] = []
    for scale, cells_of_group in zip(scales, parts.corners, strict=True):
        for ends_of_cell in cells_of_group:
            ends.append([Pair(scale * end, 0.0) for end in ends_of_cell])
    return tuple(corner._replace(b=1.0) for corner in corners_of_sum(ends))


def _scaled(values: tuple[float, float], scales: tuple[float, float]) -> float:
    """Return the sum of what a unit has of each group, each times its scale."""
    return values[0] * scales[0] + values[1] * scales[1]
