"""The difference of two models in one number, with an exact interval: `f1[a]-f1[b]>=0`.

A model is a group of the sample, as `[a]` in a bar. Where each drawn unit has a response of both,
and the number is a mean, the units are compared with each other: what they have in common cancels
out. Else each model has an interval of its own, at half the chance to be wrong, and the ends are
subtracted. Both hold at any look.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace as changed

from appellate.core.kind import Measure
from appellate.numbers.estimates import (
    AuditUnit,
    EstimatedTrait,
    UnitCell,
    Worth,
    audited_part,
    judge_pair,
    person_pair,
    worth,
)
from appellate.numbers.exact import IntervalRule, OpenUnit, horizon_of, rounds_of
from appellate.stats.betting import Audit, RuledUnit, UnitPrior
from appellate.stats.estimates import Interval, Pair

_DIFFERENCE = re.compile(
    r"(?P<measure>[^][]+?)\[(?P<first>[^][]*)\]\s*[-−]\s*(?P<again>[^][]+?)\[(?P<second>[^][]*)\]"
)


class Difference(NamedTuple):
    """A number of one group less that of another."""

    measure: str
    first: str
    second: str


def read_difference(name: str) -> Difference | None:
    """Return the difference that the measure of a bar names, as `f1[a]-f1[b]`; None for others.

    Both sides must name one measure, else it is None. Whether there is such a measure or group is
    not looked up. A group may be "".
    """
    parts = _DIFFERENCE.fullmatch(name)
    if parts is None or parts["measure"] != parts["again"]:
        return None
    return Difference(parts["measure"], parts["first"], parts["second"])


def difference_measure(measure: Measure, name: str) -> Measure:
    """Return the measure of a difference, by the name that a bar has for it."""
    reach = measure.high - measure.low
    return Measure(name, name, -reach, reach, higher_is_better=None)


def base_measure(trait: EstimatedTrait, measure: Measure) -> Measure:
    """Return the measure of which a measure is the difference; other measures unchanged."""
    difference = read_difference(measure.name)
    if difference is None:
        return measure
    return next(one for one in trait.measures if one.name == difference.measure)


def difference_number(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    *,
    first: int | None = None,
    rule: IntervalRule,
) -> Worth:
    """Return by how much more one group measures than another, as people would rule.

    Only units with responses of either group count, at most the `first` that are audited. Without
    an interval `wanting` says why.
    """
    difference = read_difference(measure.name)
    if difference is None:
        raise ValueError(f"{measure.name} is no difference of two groups")
    base = base_measure(trait, measure)
    both = (difference.first, difference.second)
    compared = _only_groups(units, trait, both)
    part = audited_part(compared, trait.names, base, first=first)
    for group in both:
        if not audited_part(compared, trait.names, base, group).frame:
            return Worth(trait, measure, None, part, None, f"nothing is of {group or 'no name'}")

    interval = _paired(compared, trait, base, both, part.n, rule)
    if interval is None:
        half_rule = changed(rule, betting_coverage=(1 + rule.betting_coverage) / 2, name="any")
        counted = _ruled_only(compared, trait, part.n)
        ends: list[Worth] = [worth(counted, trait, base, group, rule=half_rule) for group in both]
        for end in ends:
            if end.interval is None or not (end.is_by_betting or end.part.n == end.part.frame):
                why = end.wanting or f"its interval is not exact: {end.inexact}"
                return Worth(trait, measure, None, part, None, f"of {end.group}, {why}")
        interval = _subtracted(*(end.interval for end in ends if end.interval is not None))
    return Worth(trait, measure, None, part, interval, rule=rule, is_by_betting=True)


def _subtracted(first: Interval, second: Interval) -> Interval:
    """Return the difference of two numbers, with the ends of their intervals subtracted."""
    return Interval(first.value - second.value, first.low - second.high, first.high - second.low)


def _only_groups(
    units: Sequence[AuditUnit], trait: EstimatedTrait, groups: Sequence[str]
) -> list[AuditUnit]:
    """Return the units that have cells of some groups, with these cells alone."""
    compared: list[AuditUnit] = []
    for unit in units:
        cells: dict[str, list[UnitCell]] = {}
        for name in trait.names:
            own = [cell for cell in unit.cells.get(name, ()) if cell.group in groups]
            if own:
                cells[name] = own
        if cells:
            compared.append(changed(unit, cells=cells))
    return compared


def _ruled_only(units: Sequence[AuditUnit], trait: EstimatedTrait, n: int) -> list[AuditUnit]:
    """Return units of which only the first `n` of the draw have what people said."""
    places = sorted(unit.place for unit in units if unit.place is not None)
    end = places[n] if n < len(places) else None
    kept: list[AuditUnit] = []
    for unit in units:
        if end is None or unit.place is None or unit.place < end:
            kept.append(unit)
            continue
        cells: dict[str, list[UnitCell]] = {}
        for name in trait.names:
            if name in unit.cells:
                cells[name] = [cell._replace(person=None) for cell in unit.cells[name]]
        kept.append(changed(unit, cells=cells))
    return kept


def _paired(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    groups: tuple[str, str],
    n: int,
    rule: IntervalRule,
) -> Interval | None:
    """Return the mean difference, unit by unit, over the first `n` of the draw.

    None for a number that is no mean, if not every unit has one response of each group, and if the
    judge or a person gave no number.
    """
    if measure.ratio is not None or not n:
        return None
    pairs: list[_PairedUnit] = []
    for unit in units:
        paired = _paired_unit(unit, trait, measure, groups)
        if paired is None:
            return None
        pairs.append(paired)
    drawn = sorted((pair for pair in pairs if pair.unit.place is not None), key=_place)
    if any(pair.person is None for pair in drawn[:n]):
        return None
    return _bet(pairs, drawn, measure, n, rule)


class _PairedUnit(NamedTuple):
    """A unit with one response of each group."""

    unit: AuditUnit
    judge: Pair
    """By how much more the first group has, by the judge's labels."""
    person: Pair | None
    """The same by people's labels; None if these give no number."""


def _paired_unit(
    unit: AuditUnit, trait: EstimatedTrait, measure: Measure, groups: tuple[str, str]
) -> _PairedUnit | None:
    """Return a unit as a pair; None if it has not exactly one judged response of each group."""
    by_group = {cell.group: cell for cell in unit.chosen(trait.names, None)}
    cells = [by_group[group] for group in groups if group in by_group]
    if len(cells) < len(groups) or len(unit.chosen(trait.names, None)) > len(groups):
        return None
    judge = _less(*(judge_pair(measure, [cell]) for cell in cells))
    if judge is None or unit.chance is not None:
        return None
    return _PairedUnit(unit, judge, _less(*(person_pair(measure, [cell]) for cell in cells)))


def _less(first: Pair, second: Pair) -> Pair | None:
    """Return one value less another, as a pair; None if either is missing."""
    if not (first.b and second.b):
        return None
    return Pair(first.a - second.a, 1.0)


def _place(pair: _PairedUnit) -> int:
    """Return the place of a drawn unit in the order of the draw."""
    return pair.unit.place or 0


def _bet(
    pairs: Sequence[_PairedUnit],
    drawn: Sequence[_PairedUnit],
    measure: Measure,
    n: int,
    rule: IntervalRule,
) -> Interval | None:
    """Return the mean of paired differences by betting; None if every value is refused.

    `drawn` are the drawn pairs in order, of which people ruled on the first `n`.
    """
    reach = measure.high - measure.low
    corners = (Pair(-reach, 1.0), Pair(reach, 1.0))
    strata = sorted({pair.unit.stratum for pair in pairs})
    frame = [Counter[UnitPrior]() for _ in strata]
    for pair in pairs:
        frame[strata.index(pair.unit.stratum)][UnitPrior(corners, pair.judge)] += 1
    in_order: list[OpenUnit] = []
    ruled: list[RuledUnit] = []
    for pair in drawn:
        unit = pair.unit
        stratum = strata.index(unit.stratum)
        in_order.append(OpenUnit(stratum, pair.judge, (), unit.place, unit.draw, unit.name))
        if len(ruled) < n and pair.person is not None:
            ruled.append(RuledUnit(UnitPrior(corners, pair.judge), pair.person, stratum))
    sizes = {stratum: counts.total() for stratum, counts in enumerate(frame)}
    audit = Audit(
        frame,
        rounds_of(in_order, ruled, sizes),
        level=rule.betting_coverage,
        horizon=horizon_of(in_order, rule),
        low=-reach,
        high=reach,
    )
    bounds = audit.interval()
    if bounds is None:
        return None
    value = sum(unit.person.a for unit in ruled) / len(ruled)
    return Interval(min(max(value, bounds.low), bounds.high), bounds.low, bounds.high)
