"""What all units of a frame would measure to, had people audited every one: from the judge's word
on all of them and people's on those drawn at random.

The estimate is a ratio of two means over units: TP of a trace over its TP and half its FP and FN is
F1; a value over 1 is a mean. Each mean is a difference estimate: λ times what the judge says of all
units, plus what people say beyond λ times the judge where both answered. λ is the weight that
makes the variance smallest, from 0 (people only) to 1; see Särndal, Swensson & Wretman (1992) ch. 6
and Angelopoulos, Duchi & Zrnic (2023, arXiv 2311.01453). Units are what is drawn (a trace, or all
traces of a cluster), so that items of one trace are never taken for independent.

The interval is that of the ratio's residuals, with three additions that few or one-sided
corrections need. *Guard*: pseudo-residuals of an item at either bound are added, as Agresti & Coull
(1998) add successes and failures, so that agreement throughout is no proof of perfection. They
shrink with what the residuals have shown of their size. An item has the share of the heaviest
unit, and so have residuals where that shows more: errors of light units say little of those that a
heavy one may hide. *Skewness*: the interval
is moved by the third moment (Johnson 1978), for rare corrections on one side can only be
undercounted. *People*: where the judge would not narrow the interval, the weight is 0.
"""

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import fsum, inf, isfinite, sqrt
from statistics import fmean
from typing import NamedTuple

from appellate.stats.distributions import t_quantile

GUARD = 0.5
GUARD_OF_WEIGHT = 0.35
"""How many pairs of pseudo-residuals are added, and how many more at full weight of the judge, for
the weight is chosen to fit the sample. With fewer a good judge's rare errors are missed too often,
with more pass rates near 1 have intervals that are too wide (simulated: tests/benchmarks).
"""
_UNSEEN = 0.5  # for how many residuals the bound counts in how large they are
FEWEST = 2
"""Audited units from which there is an interval at all."""
FEW_RESIDUALS = 5
"""A correction that fewer audited units carry, counted by how much each adds to its variance, may
miss the rare unit in which the judge is all wrong: then a decision takes people's own interval.
"""
_MOST_MOVED = 0.9
_ROUNDING = 1e-12


class Pair(NamedTuple):
    """What one unit adds above and below the line of a ratio; 0, 0 for nothing."""

    a: float
    b: float


class Audited(NamedTuple):
    """A drawn unit that people have ruled on, and what the judge says of the same.

    `chance` is its chance of being drawn, where chances are unequal. By `unit` the estimates of two
    models know the units that they have in common.
    """

    person: Pair
    judge: Pair
    chance: float | None = None
    unit: Hashable = None


class Stratum(NamedTuple):
    """All units of a stratum as the judge has them, and those of them that were audited."""

    judge: Sequence[Pair]
    audited: Sequence[Audited]


class Interval(NamedTuple):
    """A number and between which it lies."""

    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """How far it goes to either side, on average."""
        return (self.high - self.low) / 2


class Moments(NamedTuple):
    """The variance of an estimate, its third moment, and what each unit adds to the error."""

    variance: float
    third: float
    errors: Mapping[Hashable, float]
    df: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """The corrected estimate and its interval at `level`, from `n` of `frame` units.

    `weight` is λ; `judge_share` how much of the variance of people's answers alone the judge took
    away: with .6, 40 audits say as much as 100 would without a judge. `judge_only` is None for 0/0.
    `units` are as many of one size as know as much as the audited ones (Kish, Survey Sampling,
    1965).
    """

    value: float
    low: float
    high: float
    level: float
    weight: float
    judge_share: float
    n: int
    frame: int
    judge_only: float | None
    people_only: Interval
    moments: Moments = field(repr=False, compare=False)
    units: float = inf

    @property
    def residuals(self) -> float:
        """As many units that err alike as carry the variance."""
        return effective_count([error**2 for error in self.moments.errors.values()])

    @property
    def has_few_residuals(self) -> bool:
        """Whether the correction rests on too few units in which the judge was seen to err."""
        return self.helps and self.n < self.frame and self.residuals < FEW_RESIDUALS

    @property
    def has_few_units(self) -> bool:
        """Whether some units are so large, or weigh so much, that they carry the number."""
        return self.n < self.frame and self.units < self.n / 2

    @property
    def deciding(self) -> Interval:
        """The interval that a decision goes by: people's own where few carry the correction."""
        if self.has_few_residuals or self.has_few_units:
            return self.people_only
        return self.interval

    @property
    def interval(self) -> Interval:
        return Interval(self.value, self.low, self.high)

    @property
    def half(self) -> float:
        """How far the interval goes to either side, on average."""
        return self.interval.half

    @property
    def helps(self) -> bool:
        """Whether the judge narrows the interval at all."""
        return self.weight > 0

    def further(self, more: int) -> float:
        """About the half width after so many audits more; raises ValueError for fewer than none."""
        if not more >= 0:
            raise ValueError(f"further audits are 0 or more, not {more!r}")
        n = min(self.n + more, self.frame)
        left = _left(n, self.frame) / (_left(self.n, self.frame) or inf)
        spent = self.n - self.moments.df
        wider = _t(self.level, max(n - spent, 1)) / _t(self.level, self.moments.df)
        return self.half * sqrt(left) * wider

    def needed(self, half: float) -> int:
        """About how many audits more bring the interval to ± half; raises ValueError for ± 0."""
        if not half > 0:
            raise ValueError(f"an interval has a width above 0, not ±{half!r}")
        left = range(self.frame - self.n)
        return bisect_left(left, True, key=lambda more: self.further(more) <= half)


def estimate_ratio(
    strata: Sequence[Stratum], *, low: float = 0.0, high: float = 1.0, level: float = 0.95
) -> Estimate | None:
    """The ratio over all units of the strata; `low` and `high` are its bounds, infinite for none.

    None where there is nothing to go by: fewer than two audited units, a stratum without any, or
    people's own 0/0. Raises ValueError for a level that is not between 0 and 1.
    """
    if not 0 < level < (1 + level) / 2 < 1:
        raise ValueError(f"a level is between 0 and 1, as .95 is: not {level!r}")
    drawn = [stratum for stratum in strata if stratum.judge]
    if sum(len(one.audited) for one in drawn) < FEWEST or not all(one.audited for one in drawn):
        return None
    sample = _AuditedUnits(drawn, low, high)
    people = sample.read(0.0)
    if people is None:
        return None
    alone = people.interval(level)
    corrected = alone
    reading = people
    weight = sample.weight(people.value)
    if weight > 0:
        helped = sample.read(weight)
        weight = 0.0
        if helped is not None and helped.interval(level).half < alone.half:
            corrected = helped.interval(level)
            reading = helped
            weight = helped.weight
    share = 0.0
    if people.moments.variance > 0:
        share = 1 - min(reading.moments.variance / people.moments.variance, 1.0)
    return Estimate(
        *corrected,
        level,
        weight,
        share,
        sample.n,
        sample.frame,
        sample.judge_only,
        alone,
        reading.moments,
        sample.units,
    )


def difference(one: Estimate, other: Estimate) -> Interval:
    """How much more one measures than the other, units in both paired, at the first's level."""
    units = dict.fromkeys((*one.moments.errors, *other.moments.errors))
    mine = one.moments.errors
    its = other.moments.errors
    own = [mine.get(unit, 0.0) - its.get(unit, 0.0) for unit in units]
    guards = 0.0
    for moments in (one.moments, other.moments):
        guards += moments.variance - fsum(error**2 for error in moments.errors.values())
    variance = fsum(error**2 for error in own) + max(guards, 0.0)
    third = fsum(error**3 for error in own)
    moments = Moments(variance, third, {}, max(len(units) - 2, 1))
    return _interval(one.value - other.value, moments, one.level)


class _Weighed(NamedTuple):
    """The ratio under one weight of the judge, and its moments."""

    value: float
    weight: float
    moments: Moments
    low: float
    high: float

    def interval(self, level: float) -> Interval:
        found = _interval(self.value, self.moments, level)
        return Interval(self.value, max(found.low, self.low), min(found.high, self.high))


class _Unit(NamedTuple):
    """An audited unit: its share of the mean, by how much its error counts for the few of its
    stratum and for what of it is not left to chance, and how skewed that leaves it.
    """

    audited: Audited
    share: float
    scale: float
    skewed: float
    stratum: int


class _AuditedUnits:
    """The audited units of all strata, weighted for the frame."""

    def __init__(self, strata: Sequence[Stratum], low: float, high: float) -> None:
        self.frame = sum(len(stratum.judge) for stratum in strata)
        self.n = sum(len(stratum.audited) for stratum in strata)
        self._df = max(self.n - len(strata), 1)
        pairs = [pair for stratum in strata for pair in stratum.judge]
        self._judge = Pair(fmean(pair.a for pair in pairs), fmean(pair.b for pair in pairs))
        self._units: list[_Unit] = []
        for place, stratum in enumerate(strata):
            self._add(place, stratum)
        self._within = low, high
        self._heaviest = max(unit.share for unit in self._units)
        self._low, self._high = self._bounds(low, high)

    def _add(self, place: int, stratum: Stratum) -> None:
        units = len(stratum.judge)
        n = len(stratum.audited)
        weights = [1 / (one.chance or 1.0) for one in stratum.audited]
        whole = fsum(weights)
        left = max(1 - n / units, 0.0)
        scale = sqrt(left * n / max(n - 1, 1))
        for one, weight in zip(stratum.audited, weights, strict=True):
            share = units / self.frame * weight / whole
            self._units.append(_Unit(one, share, scale, _skewed(left), place))

    def _bounds(self, low: float, high: float) -> tuple[float, float]:
        """The bounds; where infinite, what was met, widened where that is one number."""
        if isfinite(low) and isfinite(high):
            return low, high
        pairs = [unit.audited.person for unit in self._units]
        pairs += [unit.audited.judge for unit in self._units]
        met = [pair.a / pair.b for pair in pairs if pair.b]
        least = min(met, default=0.0)
        most = max(met, default=1.0)
        if least == most:
            size = abs(most) or 1.0
            least = least - size
            most = most + size
        return max(low, least), min(high, most)

    @property
    def units(self) -> float:
        """As many of one size and weight as know as much."""
        return effective_count([unit.share * unit.audited.person.b for unit in self._units])

    @property
    def judge_only(self) -> float | None:
        if not self._judge.b:
            return None
        return self._judge.a / self._judge.b

    def weight(self, value: float) -> float:
        """The weight of the judge that makes the variance smallest, at this value of the ratio."""
        person = self._residuals([unit.audited.person for unit in self._units], value)
        judge = self._residuals([unit.audited.judge for unit in self._units], value)
        spread = fsum(error**2 for error in judge)
        if spread <= 0:
            return 0.0
        together = fsum(mine * its for mine, its in zip(person, judge, strict=True))
        return min(max(together / spread, 0.0), 1.0)

    def read(self, weight: float) -> _Weighed | None:
        """The ratio with the judge at this weight; None for 0/0 and where it leaves no ratio."""
        beyond: list[Pair] = []
        for unit in self._units:
            person = unit.audited.person
            judge = unit.audited.judge
            beyond.append(Pair(person.a - weight * judge.a, person.b - weight * judge.b))
        shares = [unit.share for unit in self._units]
        above = weight * self._judge.a + _weighted(shares, [pair.a for pair in beyond])
        below = weight * self._judge.b + _weighted(shares, [pair.b for pair in beyond])
        if below <= 0:
            return None
        low, high = self._within
        value = min(max(above / below, low), high)
        errors = [error / below for error in self._residuals(beyond, value)]
        return _Weighed(value, weight, self._moments(errors, value, weight, below), low, high)

    def _residuals(self, pairs: Sequence[Pair], value: float) -> list[float]:
        """What each unit adds to the error of the mean, about the mean of its stratum; about 0, the
        mean of all, where it is alone in it. What only rounding leaves is 0: the guard goes by how
        large residuals are.
        """
        rounding = _ROUNDING * max(abs(pair.a) + abs(value * pair.b) for pair in pairs)
        found: list[float] = []
        of_strata = zip(self._units, pairs, strict=True)
        for _, members in groupby(of_strata, key=lambda one: one[0].stratum):
            own = [(unit, pair.a - value * pair.b) for unit, pair in members]
            mean = 0.0
            if len(own) > 1:
                shares = [unit.share for unit, _ in own]
                mean = _weighted(shares, [residual for _, residual in own]) / fsum(shares)
            for unit, residual in own:
                apart = residual - mean
                if abs(apart) <= rounding:
                    apart = 0.0
                found.append(unit.share * unit.scale * apart)
        return found

    def _moments(
        self, errors: Sequence[float], value: float, weight: float, below: float
    ) -> Moments:
        squares: list[float] = []
        cubes: list[float] = []
        hidden: list[float] = []
        units: dict[Hashable, float] = {}
        for place, (error, unit) in enumerate(zip(errors, self._units, strict=True)):
            squares.append(error**2)
            cubes.append(unit.skewed * error**3)
            hidden.append((error * self._heaviest / unit.share) ** 2)
            units[_key(unit.audited, place)] = error
        second = fsum(squares)
        third = fsum(cubes)
        up = self._high - value + weight * (value - self._low)
        down = value - self._low + weight * (self._high - value)
        left = 1 - self.n / self.frame
        item = sqrt(left) * self._heaviest / below
        square = item**2 * (up**2 + down**2) / 2
        if square > 0:
            size = sqrt(max(_size(squares, square), _size(hidden, square)))
            guard = GUARD + GUARD_OF_WEIGHT * weight
            second += guard * size**2 * 2 * square
            third += guard * (size * item) ** 3 * (up**3 - down**3) * _skewed(left)
        return Moments(second, third, units, max(self._df - (weight > 0), 1))


def _size(squares: Sequence[float], bound: float) -> float:
    """How large residuals have been, squared, as a part of the bound's square."""
    shown = fsum(squares)
    seen = effective_count(squares)
    return (shown + _UNSEEN * bound) / (seen + _UNSEEN) / bound


def effective_count(sizes: Sequence[float]) -> float:
    """Return how many parts of one size would vary a sum as much as these; 0 where all are 0.

    Source: Kish, Survey Sampling, 1965.
    """
    squares = _weighted(sizes, sizes)
    return fsum(sizes) ** 2 / squares if squares else 0.0


def _key(audited: Audited, place: int) -> Hashable:
    """The unit; an object of its own where it is not known."""
    return ("unit", audited.unit) if audited.unit is not None else (object(), place)


def _interval(value: float, moments: Moments, level: float) -> Interval:
    t = _t(level, moments.df)
    reach = t * sqrt(moments.variance)
    moved = 0.0
    if moments.variance > 0:
        moved = moments.third / moments.variance * (1 + 2 * t * t) / 6
        moved = min(max(moved, -_MOST_MOVED * reach), _MOST_MOVED * reach)
    return Interval(value, value - reach + moved, value + reach + moved)


def _t(level: float, df: int) -> float:
    return t_quantile((1 + level) / 2, df)


def _left(n: int, frame: int) -> float:
    """The part of the variance that so many of so many units leave."""
    return 1 / n - 1 / frame


def _skewed(left: float) -> float:
    """Return by what the skewness of units is multiplied for a mean of a part of them, 0 or more.

    `left` is the share of the frame that was not drawn, from 0 to 1. Below one half the formula is
    negative, and intervals shifted by it were impossibly narrow: with 0 wrong in 40 of 57 they
    ended at .4 %, where the exact interval ends at 3.5 %. So 0 is returned there.
    """
    if left <= 0.5:  # noqa: PLR2004 - half of the frame
        return 0.0
    return (2 * left - 1) / sqrt(left)


def _weighted(shares: Sequence[float], values: Sequence[float]) -> float:
    return fsum(share * value for share, value in zip(shares, values, strict=True))


# -- what audits are expected to come to, before they are made -------------------------------------


def expected_half_width(n: int, frame: int, deviation: float, guard: float) -> float:
    """Half the width of the 95 % interval that n of a frame's units are expected to give, drawn
    with equal chances: `deviation` is that of one unit's part in the number, `guard` the size of
    the pseudo-residuals.
    """
    if n < 2:  # noqa: PLR2004 - one unit has no spread
        return inf
    added = 2 * GUARD
    variance = ((n - 1) * deviation**2 + added * guard**2) / (n - 1 + added)
    left = max(0.0, 1 - n / frame)
    return _t(0.95, n - 1) * sqrt(left * variance / n)
