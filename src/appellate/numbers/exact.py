"""Which interval a number of a sample has: by betting, or by residuals.

The interval that is shown is the one that decides. An `IntervalRule` says which one that is. It
is written down with the plan, or follows from the draw, so that nothing seen afterwards changes it:

| rule | interval |
| --- | --- |
| `any` | by betting, at every n and at any look; also where nothing was planned |
| `looks` | by residuals at planned looks, by betting where few residuals or units carry it |
| `residuals` | as before there was betting: for the looks of audits that were planned then |

`estimates.worth()` collects what is known of the units and calls `exact_audit()`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import sqrt
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import KnownTrait, Measure
from appellate.core.scale import is_bounded
from appellate.stats.betting import (
    DOWN,
    UP,
    Audit,
    OutsideCorners,
    RuledUnit,
    UnitPrior,
    corners_of_sum,
    in_rounds,
)
from appellate.stats.estimates import Estimate, Interval, Moments, Pair

RuleName = Literal["any", "looks", "residuals"]


class IntervalRule(Struct, frozen=True):
    """Which interval a number has, as was written down before the first verdict."""

    name: RuleName = "any"
    coverage: float = 0.95
    """Of an interval by residuals: looks divide what they may be wrong."""
    betting_coverage: float = 0.95
    """Of an interval by betting, which holds at all looks together."""
    horizon: int | None = None
    """Audits that bets are planned for; None for the units drawn before the first verdict."""
    first_drawn: int | None = None
    """How many units were drawn before the first verdict; None for all that are drawn."""


ANY_LOOK = IntervalRule()
"""The rule where nothing was planned."""


class OpenUnit(NamedTuple):
    """A unit of a frame, as it is known before anybody rules on it."""

    stratum: int
    """The index of its stratum."""
    judge: Pair | None
    """What the judge's labels add; None where no unit of the frame has labels of a judge."""
    traits: tuple[KnownTrait | None, ...]
    """The trait of each of its cells; None if it is not known."""
    place: int | None
    """Its place in the order of the draw, from 0; None if it was not drawn."""
    draw: int
    """By which draw it came in, from 0."""
    name: str
    is_whole: bool = False
    """Whether its stratum was drawn whole, so that chance did not choose it."""


class NotExact(Exception):
    """Raised if no interval by betting holds; the message says why, without a full stop."""


class NeverExact(NotExact):
    """Raised if no interval by betting can hold, as is known before anybody rules."""


NO_CHANCES = "it was drawn by unequal chances, for which no exact interval is known"
NO_ENDS = "its scale has no ends, so one response could move it by anything"
NO_ROUND = "not every stratum has a ruling yet"
NONE_BY_CHANCE = "none of those that chance chose has a ruling yet"
NO_CORNERS = "nothing bounds what one response can add to it"


LARGER = 1_000
"""So many items more show whether corners depend on how many are thought possible."""


class CornersOfUnits:
    """The corners of units under one measure; those of equal units are computed once."""

    def __init__(self, measure: Measure, most_items: int) -> None:
        """Take a measure, and how many items are thought possible in a list that nothing bounds.

        Raises NeverExact for a measure without bounds.
        """
        if not is_bounded(measure):
            raise NeverExact(NO_ENDS)
        self._measure = measure
        self._most_items = most_items
        self._by_traits: dict[tuple[int, ...], tuple[Pair, ...]] = {}
        self.depend_on_most_items = False
        """Whether any corners would be others if more items were thought possible."""

    def of(self, traits: Sequence[KnownTrait | None]) -> tuple[Pair, ...]:
        """Return the corners of a unit whose cells have these traits, in any order.

        Corners are the extreme pairs that people could give the unit: what it adds to the numerator
        of the measure, and what to its denominator. Raises NeverExact if a trait is not known, or
        if nothing bounds what a response can add to it. Keeps what it returns, for units with equal
        traits.
        """
        key = tuple(id(known_trait and known_trait.trait) for known_trait in traits)
        corners = self._by_traits.get(key)
        if corners is None:
            corners = corners_of_sum(
                [self._of_cell(known_trait) for known_trait in traits],
            )
            self._by_traits[key] = corners
        return corners

    def _of_cell(self, known_trait: KnownTrait | None) -> Sequence[Pair]:
        """Return the corners of a cell with this trait.

        Corners are the extreme pairs that people could give it: what it adds to the numerator of
        the measure, and what to its denominator. Sets `depend_on_most_items` if they would differ
        for longer lists. Raises NeverExact for None, a trait that is not known, and for a trait of
        which nothing bounds what a cell can add.
        """
        if known_trait is None:
            raise NeverExact(NO_CORNERS)
        corners = known_trait.kind.corners(
            known_trait.trait,
            self._measure,
            self._most_items,
        )
        if corners is None:
            raise NeverExact(NO_CORNERS)
        more = known_trait.kind.corners(
            known_trait.trait,
            self._measure,
            self._most_items + LARGER,
        )
        if more != corners:
            self.depend_on_most_items = True
        return [Pair(above, below) for above, below in corners]


class ExactAudit(Struct, frozen=True):
    """An audit by betting, and what it takes for granted."""

    audit: Audit
    most_items: int | None = None
    """How many items are thought possible in a list that nothing bounds; None for bounded lists."""
    whole: int = 0
    """Units that were not left to chance and are all ruled on; `audit` is of the others."""


def exact_audit(
    units: Sequence[OpenUnit],
    people: Sequence[Pair],
    measure: Measure,
    rule: IntervalRule,
    most_items: int,
) -> ExactAudit:
    """Return the betting audit of a number, with what it takes for granted.

    `units` is the whole frame, in which many may be the same object. `people` is what people ruled
    on the first drawn units, in the order of the draw; there may be none. `most_items` is the
    largest number of items that the judge has in a list; people are thought to find no more. The
    level and the horizon are those of `rule`.

    Raises NotExact with a reason if there can be none: if the measure or a trait has no bounds
    (NeverExact), and if a ruling is more than was thought possible. If some units were drawn whole,
    it also raises it while one of these, or every round of the others, waits for rulings.
    """
    corners = CornersOfUnits(measure, most_items)
    of_units = {id(unit): corners.of(unit.traits) for unit in each_once(units)}
    audit = betting_audit(units, of_units, people, rule, measure.low, measure.high)
    whole = len(units) - audit.frame
    if corners.depend_on_most_items:
        return ExactAudit(audit, most_items, whole)
    return ExactAudit(audit, whole=whole)


def each_once(units: Iterable[OpenUnit]) -> Iterable[OpenUnit]:
    """Return the units, of which many may be the same object, each object once."""
    return {id(unit): unit for unit in units}.values()


def _priors_by_stratum(
    units: Sequence[OpenUnit],
    corners: Mapping[int, tuple[Pair, ...]],
) -> dict[int, Counter[UnitPrior]]:
    """Return how many units of each stratum have which prior, by the stratum's number.

    A prior is what is known of a unit before people rule: its corners, which are the extremes that
    people could say, and what the judge's labels add. `corners` has those of each unit by its id. A
    unit that is in `units` several times counts as often. A stratum without units has no key.
    """
    counts_by_id = Counter(map(id, units))
    priors: dict[int, Counter[UnitPrior]] = {}
    for unit in each_once(units):
        unit_id = id(unit)
        prior = UnitPrior(corners[unit_id], unit.judge)
        priors_of_stratum = priors.setdefault(unit.stratum, Counter())
        priors_of_stratum[prior] += counts_by_id[unit_id]
    return priors


def betting_audit(
    units: Sequence[OpenUnit],
    corners: Mapping[int, tuple[Pair, ...]],
    people: Sequence[Pair],
    rule: IntervalRule,
    low: float,
    high: float,
) -> Audit:
    """Return the betting audit of a ratio between `low` and `high`; raises NotExact.

    `units` is the whole frame, in which many may be the same object. `corners` has the extremes
    that people could say of each unit, by its `id`. `people` is what people ruled on the first
    drawn units, in the order of the draw. Only complete rounds, which have some of each stratum,
    are in the audit; without one it is an audit of no rulings.

    Units that were drawn whole come first in that order, and must be all ruled on: what people said
    of them is certain, and the audit is of the other units. If all units are whole, they are as any
    units.

    NotExact is raised for a ruling that has more than its corners allow. If there are whole units,
    it is also raised while one of them waits for a ruling, and while no round of the others is
    complete. Its text is a clause.
    """
    whole_count = sum(unit.is_whole for unit in units)
    certain: Pair | None = None
    if 0 < whole_count < len(units):
        waiting = whole_count - len(people)
        if waiting > 0:
            raise NotExact(
                f"{waiting:,} of the largest, which are ruled first, are not ruled yet",
            )
        certain = _sum_of(people[:whole_count])
        units = [unit for unit in units if not unit.is_whole]
        people = people[whole_count:]
        if rule.horizon is not None:
            rule = replace(rule, horizon=max(1, rule.horizon - whole_count))
    frame = _priors_by_stratum(units, corners)
    in_order = sorted(
        (unit for unit in units if unit.place is not None),
        key=_place_in_draw,
    )
    ruled: list[RuledUnit] = []
    names: dict[int, str] = {}
    # later units wait for rulings
    for unit, person in zip(in_order, people, strict=False):
        prior = UnitPrior(corners[id(unit)], unit.judge)
        ruled_unit = RuledUnit(prior, person, unit.stratum)
        ruled.append(ruled_unit)
        names[id(ruled_unit)] = unit.name
    sizes = {stratum: counts.total() for stratum, counts in frame.items()}
    rounds = rounds_of(in_order, ruled, sizes)
    if certain is not None and not rounds:
        raise NotExact(NONE_BY_CHANCE)
    strata = range(max(frame, default=-1) + 1)
    try:
        return Audit(
            [frame.get(stratum, Counter()) for stratum in strata],
            rounds,
            level=rule.betting_coverage,
            horizon=horizon_of(in_order, rule),
            low=low,
            high=high,
            certain=certain,
        )
    except OutsideCorners as outside:
        counted = [unit for units_of_round in rounds for unit in units_of_round]
        name = names[id(counted[outside.index])]
        raise NotExact(
            f"the ruling on {name} has more than was thought possible",
        ) from outside


def _sum_of(pairs: Iterable[Pair]) -> Pair:
    """Return the sum of pairs, numerators and denominators each added up; (0, 0) for none."""
    above = 0.0
    below = 0.0
    for pair in pairs:
        above += pair.a
        below += pair.b
    return Pair(above, below)


def _place_in_draw(unit: OpenUnit) -> int:
    """Return the place of a unit in the order of the draw, from 0; -1 if it was not drawn."""
    return -1 if unit.place is None else unit.place


def horizon_of(drawn_units: Sequence[OpenUnit], rule: IntervalRule) -> int:
    """Return for how many audits the bets are planned.

    It is the rule's horizon. Without one it is how many of these units have a place in the draw
    below `rule.first_drawn`, which are those drawn before the first verdict. If the rule does not
    say that, either, it is all of them. `drawn_units` are without those that were drawn whole.
    """
    if rule.horizon is not None:
        return rule.horizon
    if rule.first_drawn is None:
        return len(drawn_units)
    return sum(_place_in_draw(unit) < rule.first_drawn for unit in drawn_units)


def rounds_of(
    drawn_units: Sequence[OpenUnit],
    ruled: Sequence[RuledUnit],
    sizes: Mapping[int, int],
) -> list[list[RuledUnit]]:
    """Return the complete rounds of all draws, each of which makes rounds of its own.

    A round has some of each stratum that has units left. `drawn_units` and `ruled` are in the order
    of the draw, `sizes` are the units of each stratum. A draw that has nothing of a stratum in
    which units are left has no round. After such a draw, and after one that is not ruled on to its
    end, later draws have none, either.
    """
    remaining = dict(sizes)
    rounds: list[list[RuledUnit]] = []
    first = 0
    for number in sorted({unit.draw for unit in drawn_units}):
        counts = Counter(unit.stratum for unit in drawn_units if unit.draw == number)
        for stratum, size in remaining.items():
            if size > 0:
                counts.setdefault(stratum, 0)
        own_ruled = ruled[first : first + counts.total()]
        complete = in_rounds(own_ruled, counts)
        rounds += complete
        if sum(map(len, complete)) < counts.total():
            break
        for stratum, count in counts.items():
            remaining[stratum] -= count
        first += counts.total()
    return rounds


@dataclass(frozen=True, slots=True)
class BettingEstimate(Estimate):
    """An estimate whose interval is by betting; what the judge saves is as by residuals."""

    exact: ExactAudit | None = None
    by_residuals: Interval | None = None
    """The estimate with its interval by residuals, for comparison; None below 20 audits."""

    @property
    def audit(self) -> Audit:
        """The betting audit; raises ValueError for an interval that has none."""
        if self.exact is None:
            raise ValueError("an interval by betting has an audit")
        return self.exact.audit

    @property
    def whole(self) -> int:
        """How many units were drawn whole, so that the betting audit is of the others."""
        return 0 if self.exact is None else self.exact.whole

    @property
    def knows_help(self) -> bool:
        """Whether enough are audited to say how much the judge helps."""
        return self.by_residuals is not None

    @property
    def has_few_residuals(self) -> bool:
        """Never: betting needs no residuals."""
        return False

    @property
    def has_few_units(self) -> bool:
        """Never: betting holds for units of any size."""
        return False

    def further(self, extra_audits: int) -> float:
        """Return about half of the interval's width after more audits with rulings as so far.

        It is in the unit of the number. Audits beyond the frame do not count: it is 0 once every
        unit is audited. If then every value would be refused, it is today's half width. Raises
        ValueError for a negative number of audits, and for an interval that has no audit.
        """
        if not extra_audits >= 0:
            raise ValueError(f"further audits must be 0 or more, not {extra_audits!r}")
        audit = self.audit
        n = min(self.n + extra_audits, self.frame) - self.whole
        if n == audit.frame:
            return 0.0
        later = audit.continued(n - audit.n)
        bounds = later.interval(COARSE)
        if bounds is None:
            return self.half
        # rounds of strata may be incomplete; the rest is as if errors were independent
        variance_after_all = 1 / n - 1 / audit.frame
        variance_after_rounds = 1 / later.n - 1 / audit.frame
        missing = variance_after_all / variance_after_rounds
        return (bounds.high - bounds.low) / 2 * sqrt(missing)

    def decided_after(self, value: float) -> int | None:
        """Return after how many more audits a value is refused, should rulings go on as they are.

        It is at least 1, even for a value that is refused already. None if neither the next
        `MOST_FORECAST` audits nor all that remain refuse it, or if none remains. Raises ValueError
        for an interval that has no audit.
        """
        return refused_in(self.audit, value, self.frame - self.n)


def refused_in(audit: Audit, value: float, remaining: int) -> int | None:
    """Return after how many more audits a value would be refused, should rulings go on as so far.

    It is refused as too small or too large, whichever comes first. It is at least 1, even for a
    value that is refused already. `remaining` is how many units are not ruled on. None if neither
    the next `MOST_FORECAST` audits nor all that remain refuse it, or if none remains. Raises
    ValueError for an audit without rulings.
    """
    extra = min(remaining, MOST_FORECAST)
    if extra <= 0:
        return None
    later = audit.continued(extra)
    refusals = [later.refused_after(value, side) for side in (UP, DOWN)]
    known_refusals = [count for count in refusals if count is not None]
    if not known_refusals:
        return None
    return max(min(known_refusals) - audit.n, 1)


MOST_FORECAST = 2_000
"""Further audits that a forecast looks at."""
COARSE = 14
"""Halvings of intervals that are forecasts or for comparison: four digits of a share."""


def betting_estimate(
    exact: ExactAudit,
    people: float,
    judge_only: float | None,
    n: int,
    by_residuals: Estimate | None,
) -> BettingEstimate | None:
    """Return the estimate with an interval by betting; None if all values are refused.

    `people` is what people say on average. `by_residuals` is the estimate with the judge's help,
    None where so few are audited that the judge does not count yet; weight and the judge's share
    are 0 then. The value is that of `by_residuals`, or else `people`, moved into the interval if it
    is outside. `judge_only` is what the judge measures on all units; it is taken from
    `by_residuals` if there is one. `n` counts the audited units, those drawn whole among them.
    Raises NotExact where no round of all strata is complete.
    """
    audit = exact.audit
    if not audit.n:
        raise NotExact(NO_ROUND)
    bounds = audit.interval()
    if bounds is None:
        return None
    value = people if by_residuals is None else by_residuals.value
    values: dict[str, Any] = {
        "value": min(max(value, bounds.low), bounds.high),
        "low": bounds.low,
        "high": bounds.high,
        "level": audit.level,
        "people_only": _people_only(audit, people),
    }
    if by_residuals is None:
        return BettingEstimate(
            weight=0.0,
            judge_share=0.0,
            n=n,
            frame=audit.frame + exact.whole,
            judge_only=judge_only,
            moments=Moments(0.0, 0.0, {}, 1),
            exact=exact,
            **values,
        )
    unchanged = {
        estimate_field.name: getattr(by_residuals, estimate_field.name)
        for estimate_field in fields(Estimate)
    }
    return BettingEstimate(
        **unchanged | values,
        exact=exact,
        by_residuals=by_residuals.interval,
    )


def _people_only(audit: Audit, value: float) -> Interval:
    """Return what people say on average, with the interval of an audit without the judge's labels.

    It is widened to hold that value, which bets on an unlucky order may exclude. If every value is
    refused, it is the whole scale.
    """
    bounds = audit.without_judge().interval(COARSE)
    if bounds is None:
        return Interval(value, audit.low, audit.high)
    low = min(bounds.low, value)
    high = max(bounds.high, value)
    return Interval(value, low, high)
