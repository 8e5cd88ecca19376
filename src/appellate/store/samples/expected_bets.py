"""Expect how wide an interval by betting will be, before anything is ruled on.

`ExpectedBets` simulates a sample: people say what the judge says, or something else in some units.
So what is expected before a draw is the interval that `betting.py` will give. The page of the draw
and `sample --power` show it (`store/samples/sample_plans.py`).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import cycle, islice
from random import Random
from statistics import fmean
from typing import NamedTuple

from appellate.stats.betting import DOWN, UP, Audit, RuledUnit, UnitPrior, is_within
from appellate.stats.estimates import Pair

MOST_KINDS = 400
"""Units of a frame that are looked at: more make what is expected hardly more certain."""
HALVINGS = 12
"""Halvings of an interval that is only expected."""
OTHERWISE = 0.3
"""The share of units in which people say something else than a judge that explains half of it."""
SIMULATIONS = 3
"""Samples that are simulated for the mean of their intervals."""
BAR_SIMULATIONS = 200
"""Samples that are simulated for the chance that a bar is decided."""
_SEED = 1


class Decided(NamedTuple):
    """In which share of samples a bar is decided, from 0 to 1."""

    above: float
    """The number turns out to be above the bar."""
    below: float


class ExpectedBets:
    """A frame as the judge sees it, of which samples are simulated."""

    def __init__(
        self,
        units: Sequence[UnitPrior],
        low: float,
        high: float,
        whole: Sequence[UnitPrior] = (),
    ) -> None:
        """Take the units with the judge's labels, and the measure's bounds `low` and `high`.

        `whole` are further units, which are all ruled on; there must be other units, too. At most
        `MOST_KINDS` units are kept, drawn at random by a fixed seed.
        """
        self._low = low
        self._high = high
        self.whole = len(whole)  # units that are all ruled on
        self.frame = len(units) + len(whole)
        self._left_to_chance = len(units)
        self._halves: dict[tuple[int, bool], float] = {}
        chance = Random(_SEED)  # noqa: S311 - no secret
        shuffled = chance.sample(list(units), len(units))
        self._units = [self._within(unit) for unit in shuffled[:MOST_KINDS]]
        self._certain = _judged(Counter(map(self._within, whole)))

    def _within(self, unit: UnitPrior) -> UnitPrior:
        """Return the unit with the judge's labels moved to what people could say of it.

        A unit whose labels lie within its corners is returned as it is. Otherwise they become the
        nearest corner, and of equally near ones the first. Missing labels are taken as two zeros.
        """
        judge = unit.judge or Pair(0.0, 0.0)
        if is_within(judge, unit.corners, self._low, self._high):
            return unit

        def distance(corner: Pair) -> float:
            """Return how far a corner is from what the judge says."""
            return abs(corner.a - judge.a) + abs(corner.b - judge.b)

        return UnitPrior(unit.corners, min(unit.corners, key=distance))

    @cached_property
    def _counts(self) -> Counter[UnitPrior]:
        """How many units of the frame each kept unit stands for.

        They share the frame as evenly as whole numbers allow: the first ones stand for one more.
        Equal units are counted together. Units that are all ruled on are not in it.
        """
        counts = Counter[UnitPrior]()
        least_count, more = divmod(self._left_to_chance, len(self._units))
        for index, unit in enumerate(self._units):
            counts[unit] += least_count
            if index < more:
                counts[unit] += 1
        return counts

    @cached_property
    def _judge_pairs_by_corners(self) -> dict[tuple[Pair, ...], list[Pair]]:
        """The judge's labels of the kept units, by the corners of the units.

        Units with the same corners are together, in their order. Units without the judge's labels
        are left out.
        """
        judge_pairs: dict[tuple[Pair, ...], list[Pair]] = defaultdict(list)
        for unit in self._units:
            if unit.judge is not None:
                judge_pairs[unit.corners].append(unit.judge)
        return judge_pairs

    @property
    def judge_only(self) -> float | None:
        """The measure over the whole frame by the judge's labels alone; None for 0/0."""
        of_others = _judged(self._counts)
        below = of_others.b + self._certain.b
        if not below:
            return None
        return (of_others.a + self._certain.a) / below

    def half(self, n: int, *, helped: bool) -> float:
        """Return half the width of the interval that `n` audits are expected to give.

        It is 0 if these are all units, and half the measure's range if they are only units that are
        all ruled on anyway. `helped` is for a judge that explains half of what people say. Else
        what people say is as likely for a unit as for any other, whatever the judge says of it.
        """
        if n >= self.frame:
            return 0.0
        if n <= self.whole:
            return (self._high - self._low) / 2
        if (n, helped) not in self._halves:
            halves = [
                self._simulated_half(n, seed, helped=helped)
                for seed in range(SIMULATIONS)
            ]
            self._halves[n, helped] = fmean(halves)
        return self._halves[n, helped]

    def _simulated_half(self, n: int, seed: int, *, helped: bool) -> float:
        """Return half the width of the interval that one simulated sample gives.

        It is half the measure's range if the sample gives no interval. `seed` is the number
        of the simulation, from 0, and with `helped` people mostly rule as the judge does.
        """
        audit = self._simulated(n, n, seed, SIMULATIONS, helped=helped)
        bounds = audit.interval(HALVINGS)
        if bounds is None:
            return (self._high - self._low) / 2
        return (bounds.high - bounds.low) / 2

    def _simulated(
        self,
        n: int,
        horizon: int,
        seed: int,
        simulations: int,
        *,
        helped: bool,
    ) -> Audit:
        """Return a simulated sample of `n` units, one of `simulations` that differ by their `seed`.

        Bets are planned for `horizon` units. Units that are all ruled on are among them, and people
        say of those what the judge says. `seed` is from 0, and decides where among the units the
        sample begins. With `helped` people rule as the judge does on most units, as `OTHERWISE`
        tells; without, at random.
        """
        chance = Random(seed)  # noqa: S311 - no secret
        otherwise = OTHERWISE if helped else 1.0
        first = seed * len(self._units) // simulations
        rounds: list[list[RuledUnit]] = []
        for unit in islice(cycle(self._units), first, first + n - self.whole):
            person = unit.judge or Pair(0.0, 0.0)
            if chance.random() < otherwise:
                person = chance.choice(self._judge_pairs_by_corners[unit.corners])
            rounds.append([RuledUnit(unit, person)])
        return Audit(
            [self._counts],
            rounds,
            horizon=horizon - self.whole,
            low=self._low,
            high=self._high,
            certain=self._certain,
        )

    def decided(
        self,
        value: float,
        looks: Sequence[int],
        *,
        helped: bool,
    ) -> list[Decided]:
        """Return for each look in which shares of simulated samples a bar is decided by then.

        The bar is at `value`. `looks` are numbers of audits in ascending order; bets are planned
        for the last. Units that are all ruled on are counted in, and come first. With `helped` the
        judge explains half of what people say; without, nothing of it.
        """
        last = min(max(looks[-1], self.whole + 1), self.frame)
        above = Counter[int]()
        below = Counter[int]()
        for seed in range(BAR_SIMULATIONS):
            audit = self._simulated(last, last, seed, BAR_SIMULATIONS, helped=helped)
            refused_up = audit.refused_after(value, UP)
            refused_down = audit.refused_after(value, DOWN)
            for look in looks:
                drawn = look - self.whole
                above[look] += refused_up is not None and refused_up <= drawn
                below[look] += refused_down is not None and refused_down <= drawn
        return [
            Decided(above[look] / BAR_SIMULATIONS, below[look] / BAR_SIMULATIONS)
            for look in looks
        ]


def _judged(counts: Mapping[UnitPrior, int]) -> Pair:
    """Return what the judge's labels of units add to a measure's numerator and denominator, in sum.

    Each unit is counted as often as `counts` says. Units without the judge's labels add nothing.
    """
    above = 0.0
    below = 0.0
    for unit, count in counts.items():
        if unit.judge is not None:
            above += count * unit.judge.a
            below += count * unit.judge.b
    return Pair(above, below)
