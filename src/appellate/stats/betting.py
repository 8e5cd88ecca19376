"""Exact intervals for a number over a finite frame, from units drawn at random: betting audits.

An `Audit` holds what people have ruled so far. It refuses some supposed values of the number. In at
most `1 - level` of all audits it ever refuses the true value, whatever the responses are like and
however often somebody looks. So its interval is right at any n, in a frame of any size.

**Game.** A supposed value f is bet against, unit by unit, in the order of the draw. If f is true,
the mean of what is left to draw is known, so no bet gains on average. By Ville's inequality the
capital then reaches `2 / (1 - level)` times what it began with in at most half of `1 - level`. From
the side `UP` the game asks if the number is larger than f, from `DOWN` if it is smaller.

**Corners.** The game must know how far a unit can still move the number: the extreme pairs that
people could give it. A ruling outside of its corners raises `OutsideCorners`.

**Components.** The capital is divided among ways to use the judge's labels: not at all, by half, in
full. So nobody has to guess how good the judge is.

**Rounds.** Draws from strata are grouped into rounds that have some of each stratum: `in_rounds()`.

Sources: Waudby-Smith and Ramdas (arXiv 2010.09686, 2006.04347), Stark (2201.02707), Voráček and
Orabona (2505.22422); for rounds Joag-Dev and Proschan (1983). `numbers/exact.py` calls this.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, combinations, cycle, product
from math import copysign, floor, inf, isfinite, log, sqrt
from typing import Literal, NamedTuple

from appellate.stats.estimates import Pair

Side = Literal[1, -1]
"""From which side a supposed value is doubted."""
UP: Side = 1
"""Doubts that the number is as small as was supposed."""
DOWN: Side = -1
"""Doubts that the number is as large as was supposed."""
LARGEST_HORIZON = 0.7
"""The largest share of a frame that bets are planned for."""
USUAL_HORIZON = 60
"""Audits that bets are planned for if nothing else was planned."""
HALVINGS = 24
"""How often the ends of an interval are halved; a share then has seven right digits."""
_LEAST_NEED = 0.25
"""The least logarithm of the capital that a bet aims at."""
_PRIOR_VARIANCE = 0.25
"""The variance before the first draw, as a part of the mean's square."""
_LEAST_VARIANCE = 1e-6
"""The least variance, as a part of the mean's square."""
_TRUNCATION = 0.2
"""How far from the crossing the search looks, as Oliveira and Takahashi recommend."""
_SLACK = 1e-10
"""What is off by less than this part of the mean is off by rounding."""
_ROUNDING = 1e-13
"""Gains below this part of the largest possible one come from rounding."""


class UnitPrior(NamedTuple):
    """What is known of a unit before people rule on it."""

    corners: tuple[Pair, ...]
    """The extreme pairs that people could give it."""
    judge: Pair | None = None
    """What the judge gave it; None for all units if no judge is used."""


class RuledUnit(NamedTuple):
    """A drawn unit that people ruled on."""

    prior: UnitPrior
    person: Pair
    stratum: int = 0


class Component(NamedTuple):
    """One way to bet."""

    weight: float
    """Of the judge's labels, from 0 to 1."""
    cap: float
    """The largest part of the capital that one draw can lose."""
    clip: float
    """How many times the mean one unit counts at most."""
    share: float
    """The part of the capital that it begins with."""


WITH_JUDGE = (
    Component(0.0, 0.7, 1.5, 0.2),
    Component(0.5, 0.8, 1.5, 0.2),
    Component(1.0, 0.98, 1.5, 0.6),
)
WITHOUT_JUDGE = (
    Component(0.0, 0.7, 1.5, 0.5),
    Component(0.0, 0.98, 1.5, 0.5),
)


class OutsideCorners(ValueError):
    """A ruling lies outside of the corners of its unit, so no interval holds."""

    def __init__(self, index: int) -> None:
        """Say which ruling it is: `index` is its place, from 0, among all that were given.

        The message counts from 1. `index` stays an attribute.
        """
        super().__init__(f"ruling {index + 1} lies outside of the corners of its unit")
        self.index = index


class Evidence(NamedTuple):
    """How far the capital against a supposed value has grown."""

    capital: float
    """How many times the first capital there is; infinite for a value that cannot be true."""
    needed: float
    """At how many times the first capital the value is refused."""

    @property
    def is_enough(self) -> bool:
        """Whether the value is refused."""
        return self.capital >= self.needed


class Bounds(NamedTuple):
    """The lowest and the highest value that are not refused."""

    low: float
    high: float


class Audit:
    """What people ruled on a frame, and which values of a number it refuses."""

    def __init__(
        self,
        frame: Sequence[Mapping[UnitPrior, int]],
        rounds: Sequence[Sequence[RuledUnit]],
        *,
        level: float = 0.95,
        horizon: int = USUAL_HORIZON,
        low: float = 0.0,
        high: float = 1.0,
        certain: Pair | None = None,
    ) -> None:
        """Take a frame and what was ruled of it.

        - `frame`: how many units there are of each prior, stratum by stratum. A prior is what is
          known of a unit before people rule.
        - `rounds`: the ruled units in the order of the draw (`in_rounds`).
        - `level`: of the interval; values are refused at 2 / (1 - `level`) times the first capital.
        - `horizon`: how many audits were planned, written down before the first ruling. A number
          below 1 or above `LARGEST_HORIZON` of the frame is replaced by the nearest that is not.
        - `low`, `high`: the finite bounds of the measure.
        - `certain`: the sum over further units, which were not drawn but all ruled on.

        Raises OutsideCorners, a ValueError, for a ruling beyond what its prior allows. Raises
        ValueError for a level not between 0 and 1, bounds that are infinite or not in order, more
        rulings than units, and a ruled unit whose prior is not in the frame. The arguments do not
        change.
        """
        if not 0 < level < 1:
            raise ValueError(
                f"a level must be between 0 and 1, as .95 is, not {level!r}",
            )
        are_finite = isfinite(low) and isfinite(high)
        if not are_finite or low >= high:
            raise ValueError(
                f"the bounds must be finite and in order, not {low!r} and {high!r}",
            )
        self.low = low
        self.high = high
        self.level = level
        self._frame = frame
        self._sizes = [sum(stratum.values()) for stratum in frame]
        self.frame = sum(self._sizes)
        self._rounds = rounds
        self._ruled = [unit for units in rounds for unit in units]
        self.n = len(self._ruled)
        if self.n > self.frame:
            raise ValueError(
                f"{self.n:,} units are ruled on, of {self.frame:,} in the frame",
            )
        counts = Counter[UnitPrior]()
        for stratum in frame:
            counts.update(stratum)
        self._priors = list(counts)
        self._counts = list(counts.values())
        self._prior_indexes = {prior: index for index, prior in enumerate(self._priors)}
        _check_rulings(self._ruled, self._prior_indexes, low, high)
        self._needed = 2 / (1 - level)
        largest_horizon = floor(LARGEST_HORIZON * self.frame)
        self._horizon = max(1, min(horizon, largest_horizon))
        self._certain = certain or Pair(0.0, 0.0)
        uses_judge = any(prior.judge is not None for prior in self._priors)
        self._components = WITH_JUDGE if uses_judge else WITHOUT_JUDGE
        self._is_mean = _is_mean(self._priors)

    def interval(self, halvings: int = HALVINGS) -> Bounds | None:
        """Return the interval of the number: the lowest and the highest value that are not refused.

        Both are rounded outwards. In at most 1 - `level` of all audits the true value ever lies
        outside, however often somebody looks. `halvings` is how often the stretch in which a bound
        must lie is halved. Without rulings it has all values that the corners and `certain` leave
        possible. Once every unit is ruled on, both bounds are the number itself. Returns None for
        0/0 then, and in the rare audit in which every value is refused.
        """
        if self.n == self.frame:
            number = self._ratio_of_rulings()
            if number is None:
                return None
            return Bounds(number, number)

        low = self._end_of_interval(
            UP,
            outer=self.low,
            inner=self.high,
            halvings=halvings,
        )
        high = self._end_of_interval(
            DOWN,
            outer=self.high,
            inner=self.low,
            halvings=halvings,
        )
        if low is None or high is None:
            return None
        if low > high:
            return None
        return Bounds(low, high)

    def _ratio_of_rulings(self) -> float | None:
        """Return the ratio over all that was ruled on: what is above the line by what is below.

        `certain` is included; units without a ruling are not. None if nothing is below the line.
        """
        pairs = [self._certain]
        for unit in self._ruled:
            pairs.append(unit.person)
        above = sum(pair.a for pair in pairs)
        below = sum(pair.b for pair in pairs)
        if not below:
            return None
        return above / below

    def _end_of_interval(
        self,
        side: Side,
        *,
        outer: float,
        inner: float,
        halvings: int,
    ) -> float | None:
        """Return the end of the interval on one side: the outermost value that is not refused.

        `outer` is the end of the scale that is refused first from that side (`low` from `UP`,
        `high` from `DOWN`), `inner` the other. Only values on a grid of 2 to the power of
        `halvings` steps from `outer` to `inner` are tested, so that more rulings never move an end
        outwards. What is returned is the last step that is refused. Returns `outer` itself if not
        even that is refused, and None if `inner` is refused, too.
        """
        steps = 2**halvings
        refused = _TestedStep(0, self._excess(outer, side))
        if refused.excess < 0:
            return outer
        allowed = _TestedStep(steps, self._excess(inner, side))
        if allowed.excess >= 0:
            return None

        tests_left = halvings + 1
        end = outer
        while allowed.step - refused.step > 1:
            reach = (2.0**tests_left - (allowed.step - refused.step)) / 2
            tests_left -= 1
            step = _step_to_test(refused, allowed, steps=steps, reach=reach)
            value = outer + (inner - outer) * (step / steps)
            tested = _TestedStep(step, self._excess(value, side))
            if tested.excess >= 0:
                refused = tested
                end = value
            else:
                allowed = tested
        return end

    def _excess(self, value: float, side: Side) -> float:
        """Return how far the capital of bets against a value went beyond what refuses the value.

        It is the logarithm of a quotient: the largest capital after any round by the capital that
        refuses. From 0 on the value is refused, below 0 it is not. Infinite for a value that cannot
        be true.
        """
        capital = self._outcome(value, side, to_the_end=True).largest
        if capital == inf:
            return inf
        return log(capital / self._needed)

    def refused_after(self, value: float, side: Side) -> int | None:
        """Return after how many draws a supposed value is refused from one side; None if it is not.

        From `UP` it is refused for being too small, from `DOWN` for being too large. It is looked
        at after each round only, so the result is the number of draws at the end of a round. It is
        0 for a value that no rulings could give, and the end of the round in which rulings proved
        it impossible.
        """
        return self._outcome(value, side).refused_after

    def evidence(self, value: float, side: Side) -> Evidence:
        """Return how far a supposed value is doubted from one side, by the capital of bets.

        From `UP` it is doubted for being too small, from `DOWN` for being too large. The result has
        the capital against the value and at how much the value is refused, both as multiples of the
        first capital. The capital is that after the last round, or after the first at whose end the
        value is refused. It is infinite for a value that cannot be true, and 1 without rulings.
        """
        outcome = self._outcome(value, side)
        return Evidence(outcome.capital, self._needed)

    def without_judge(self) -> "Audit":
        """Return the audit of somebody who does not know the judge's labels, with the same rulings.

        Its priors have the same corners and no judge's pair; level, horizon, bounds and what is
        certain are the same. This audit stays as it is.
        """
        frame: list[Counter[UnitPrior]] = []
        for stratum in self._frame:
            counts = Counter[UnitPrior]()
            for prior, count in stratum.items():
                counts[UnitPrior(prior.corners)] += count
            frame.append(counts)

        rounds: list[list[RuledUnit]] = []
        for units in self._rounds:
            units_without_judge: list[RuledUnit] = []
            for unit in units:
                prior = UnitPrior(unit.prior.corners)
                units_without_judge.append(unit._replace(prior=prior))
            rounds.append(units_without_judge)
        return self._with_rulings(frame, rounds)

    def continued(self, extra: int) -> "Audit":
        """Return the audit as it would be after more rulings, should they be as those so far.

        The rounds so far are repeated whole and in their order, again and again from the first. It
        ends before the round that would make more than `extra` more rulings, or of which a stratum
        has too few units left. So it may have fewer more, or none. Raises ValueError for an audit
        without rulings. This audit stays as it is.
        """
        if not self._rounds:
            raise ValueError("nothing is ruled on, so nothing can be repeated")
        left = Counter(dict(enumerate(self._sizes)))
        for unit in self._ruled:
            left[unit.stratum] -= 1

        rounds = list(self._rounds)
        missing = extra
        for units in cycle(self._rounds):
            if missing < len(units):
                break
            needed = Counter(unit.stratum for unit in units)
            if any(left[stratum] < count for stratum, count in needed.items()):
                break
            rounds.append(units)
            left.subtract(needed)
            missing -= len(units)
        return self._with_rulings(self._frame, rounds)

    def _with_rulings(
        self,
        frame: Sequence[Mapping[UnitPrior, int]],
        rounds: Sequence[Sequence[RuledUnit]],
    ) -> "Audit":
        """Return a new audit with another frame and other rulings, and else the same plan.

        Level, horizon, bounds and what is certain stay. Raises OutsideCorners for a ruling beyond
        what people could give its unit, and ValueError for one that is not in the frame or more
        rulings than units.
        """
        return Audit(
            frame,
            rounds,
            level=self.level,
            horizon=self._horizon,
            low=self.low,
            high=self.high,
            certain=self._certain,
        )

    # -- the game ---------------------------------------------------------------------------------

    def _outcome(
        self,
        value: float,
        side: Side,
        *,
        to_the_end: bool = False,
    ) -> "_Outcome":
        """Play the games against a supposed value, and return how they ended.

        In a game a part of the capital is bet that rulings come out otherwise than the value has
        it. The result has the draws at the end of the first round that refused the value, or None
        if none did, the last capital and the largest; both begin at 1. The games end after the
        round that refuses the value, or with `to_the_end` after the last. They always end after a
        round that proves the value impossible: it is refused then, if it was not before, and both
        capitals are infinite. So it is after 0 draws, without a game, for a value that no rulings
        could give.
        """
        players: list[_Player] = []
        for component, game in zip(
            self._components,
            self._games(value, side),
            strict=True,
        ):
            gains = self._gains_of_rulings(game, value, side)
            largest_gain = max(gains, default=0.0)
            rounding = _SLACK * self.frame * largest_gain + game.rounding
            if game.total < -rounding:
                return _Outcome(0, inf, inf)
            players.append(
                _Player(
                    component,
                    gains,
                    total=max(game.total, 0.0),
                    rounding=game.rounding,
                    frame=self.frame,
                    needed=self._needed,
                ),
            )

        capital = 1.0
        largest = 1.0
        refused_after: int | None = None
        for plan in self._plans:
            is_impossible = False
            for player in players:
                is_impossible |= player.play(plan)
            drawn = plan.first + len(plan.factors)
            if is_impossible:
                if refused_after is None:
                    refused_after = drawn
                return _Outcome(refused_after, inf, inf)
            capital = sum(player.capital for player in players)
            largest = max(largest, capital)
            if capital >= self._needed and refused_after is None:
                refused_after = drawn
                if not to_the_end:
                    break
        return _Outcome(refused_after, capital, largest)

    @cached_property
    def _plans(self) -> list["_RoundPlan"]:
        """The plan of each round of draws, fixed before its units are seen, in order of the rounds.

        It has how many units were drawn before and how many were left, and for each draw the factor
        by which its bet is multiplied. That is above 1 for a stratum of which the round draws less
        than its share of what is left, else at most 1. It also has the largest factor, and how many
        draws' variance is to come until the planned end.
        """
        left = list(self._sizes)
        plans: list[_RoundPlan] = []
        drawn = 0
        for units in self._rounds:
            counts = Counter(unit.stratum for unit in units)
            remaining = self.frame - drawn
            factors: list[float] = []
            for unit in units:
                left_for_each = left[unit.stratum] / counts[unit.stratum]
                factors.append(left_for_each * len(units) / remaining)
            end = self._planned_end(drawn)
            squares_to_end = self._square_sums[end] - self._square_sums[drawn]
            spread = remaining**2 * squares_to_end
            plans.append(_RoundPlan(drawn, remaining, factors, max(factors), spread))
            for stratum, count in counts.items():
                left[stratum] -= count
            drawn += len(units)
        return plans

    @cached_property
    def _square_sums(self) -> list[float]:
        """The sum of 1 / (N - t)² over all t below r, for each r from 0 to N.

        N is how many units the frame has, so there are N + 1 sums. The difference of two of them
        says how much variance the draws between them have.
        """
        terms: list[float] = []
        for drawn in range(self.frame):
            remaining = self.frame - drawn
            terms.append(1 / remaining**2)
        return list(accumulate(terms, initial=0.0))

    def _planned_end(self, drawn: int) -> int:
        """Return the number of draws that bets aim at once `drawn` units are drawn.

        It is above `drawn`: the horizon, doubled as often as it takes. Before the horizon is
        reached it is at most the frame. After it, it is at most `drawn` and half of what is left to
        draw, rounded up. There must be units left to draw.
        """
        horizon = self._horizon
        if drawn < horizon:
            return min(horizon, self.frame)
        while horizon <= drawn:
            horizon *= 2
        remaining = self.frame - drawn
        half_of_remaining = (remaining + 1) // 2
        return min(horizon, drawn + half_of_remaining)

    def _games(self, value: float, side: Side) -> list["_Game"]:
        """Return the game against a supposed value for each component, in their order.

        A component has a part of the capital and a way of betting of its own. A game says what is
        added to each unit so that no gain is below 0, what all gains come to if the value is true,
        and by how much that may be off by rounding. `side` says whether the value is doubted for
        being too small (`UP`) or too large (`DOWN`). The games of a mean are computed once for each
        side, those of another ratio at each call.
        """
        if not self._is_mean:
            return self._games_of_ratio(value, side)
        # a value moves the totals of a mean, and nothing else
        total = side * value * (self.frame + self._certain.b)
        return [
            game._replace(total=game.total + total)
            for game in self._games_of_mean[side]
        ]

    @cached_property
    def _games_of_mean(self) -> dict[Side, list["_Game"]]:
        """The games against the value 0 of a mean, by side."""
        return {side: self._games_of_ratio(0.0, side) for side in (UP, DOWN)}

    def _games_of_ratio(self, value: float, side: Side) -> list["_Game"]:
        """Compute the game against a supposed value for each component, in their order.

        It is done anew from what is known of all units, for a mean as for any other ratio. A game
        says what is added to each unit so that no gain is below 0, what all gains come to if the
        value is true, and by how much that may be off by rounding. `side` says whether the value is
        doubted for being too small (`UP`) or too large (`DOWN`).
        """
        lowest: list[float] = []
        from_judge: list[float] = []
        largest = 0.0
        for prior in self._priors:
            reached = [side * (corner.a - value * corner.b) for corner in prior.corners]
            lowest.append(min(reached))
            largest = max(largest, *map(abs, reached))
            judge = prior.judge or Pair(0.0, 0.0)
            from_judge.append(side * (judge.a - value * judge.b))

        certain = side * (self._certain.a - value * self._certain.b)
        rounding = _ROUNDING * largest * self.frame
        games: list[_Game] = []
        for component in self._components:
            reaches: list[float] = []
            for judge_value, least in zip(from_judge, lowest, strict=True):
                if self._is_mean:
                    reach = component.weight * (judge_value - least)
                else:
                    reach = component.weight * judge_value - least
                reaches.append(reach)
            mean = _weighted_sum(reaches, self._counts) / self.frame
            limit = min(max(reaches), component.clip * mean)

            offsets: list[float] = []
            for reach, least in zip(reaches, lowest, strict=True):
                clipped_reach = min(reach, limit)
                offsets.append(limit - least - clipped_reach)
            total = _weighted_sum(offsets, self._counts) - certain
            games.append(_Game(offsets, total, rounding))
        return games

    def _gains_of_rulings(self, game: "_Game", value: float, side: Side) -> list[float]:
        """Return what each ruled unit gains in a game, in the order of the draw.

        That is what it adds above the line less `value` times what it adds below, with the sign of
        `side`, and what the game adds to such a unit. `value` is the one that the game is against;
        the gains of a mean do not depend on it.
        """
        if self._is_mean:  # a value moves the totals of a mean, and no gain
            value = 0.0
        gains: list[float] = []
        for unit in self._ruled:
            offset = game.offsets[self._prior_indexes[unit.prior]]
            gains.append(side * (unit.person.a - value * unit.person.b) + offset)
        return gains


class _TestedStep(NamedTuple):
    """A supposed value on the grid of a search, and how far the bets against it went."""

    step: int
    """How many steps of the grid it is from the outer end of the scale."""
    excess: float
    """From 0 on the value is refused, see `Audit._excess`."""


def _step_to_test(
    refused: _TestedStep,
    allowed: _TestedStep,
    *,
    steps: int,
    reach: float,
) -> int:
    """Return the step to test next, between one that is refused and a later one that is not.

    It is about `reach` steps from the middle of the two at most, and otherwise near where a
    straight line through their excesses is 0. It is the middle if `reach` is not above 0, or the
    excess of `refused` is infinite. The two must be at least two steps apart. `steps` is how many
    the grid has. Source: the ITP method of Oliveira and Takahashi (2020), which needs at most one
    value more than halving would.
    """
    width = allowed.step - refused.step
    middle = (refused.step + allowed.step) / 2
    step = middle
    if refused.excess != inf and reach > 0:
        part = refused.excess / (refused.excess - allowed.excess)
        crossing = refused.step + part * width
        distance = middle - crossing
        truncation = _TRUNCATION * width**2 / steps
        if truncation <= abs(distance):
            step = crossing + copysign(truncation, distance)
        if abs(step - middle) > reach:
            step = middle - copysign(reach, distance)
    return min(max(round(step), refused.step + 1), allowed.step - 1)


class _Game(NamedTuple):
    """What a component bets on, with one supposed value."""

    offsets: Sequence[float]
    """What is added to each unit, by its prior, so that no gain is below 0."""
    total: float
    """What all gains of the frame come to if the supposed value is true."""
    rounding: float
    """What the total may be off by rounding."""


class _Outcome(NamedTuple):
    """How the games against a supposed value ended."""

    refused_after: int | None
    """Draws until it was refused; None if it was not, 0 for a value that cannot be true."""
    capital: float
    """At the end, as a multiple of the first; infinite if the value cannot be true."""
    largest: float
    """The largest capital that there was."""


class _RoundPlan(NamedTuple):
    """What is fixed at the start of a round."""

    first: int
    """How many units were drawn before."""
    remaining: int
    """How many units were left to draw."""
    factors: Sequence[float]
    """By what the bet on each draw is multiplied, so that strata count by what is left of them."""
    largest_factor: float
    spread: float
    """How many draws' variance is still to come until the planned end."""


class _Player:
    """One component as it plays: its capital, and what it has seen."""

    def __init__(
        self,
        component: Component,
        gains: Sequence[float],
        *,
        total: float,
        rounding: float,
        frame: int,
        needed: float,
    ) -> None:
        """Start with the component's share of the capital, before the first draw.

        - `gains`: what each ruled unit gains, in the order of the draw.
        - `total`: what all gains of the frame come to if the supposed value is true, 0 or more.
        - `rounding`: by how much `total` may be off by rounding.
        - `frame`: how many units the frame has.
        - `needed`: the capital of all players at which the value is refused; bets aim at it.
        """
        self.capital = component.share
        self._cap = component.cap
        self._gains = gains
        self._left = total
        self._first_mean = total / frame
        self._seen = self._first_mean
        self._squares = _PRIOR_VARIANCE * self._first_mean**2
        self._least_gain = max(_SLACK * self._first_mean, rounding / frame)
        self._slack = -_SLACK * total - rounding
        self._needed = needed

    def play(self, plan: _RoundPlan) -> bool:
        """Bet on the draws of a round; return whether they prove the supposed value impossible.

        They do if they gain more than the value leaves for them; the draws after the one that shows
        it are not played. The rounds of an audit must be played in their order. Each draw changes
        the capital, what was seen and what is left to gain. Whether the capital refuses the value
        is not told: the caller looks at `capital`.
        """
        mean = self._left / plan.remaining
        bet = 0.0
        if mean > self._least_gain and self.capital > 0:
            # as much as would refuse the value by the planned end, should gains vary as so far
            factor_needed = self._needed / self.capital
            need = max(log(factor_needed), _LEAST_NEED)
            seen_variance = self._squares / (plan.first + 1)
            least_variance = _LEAST_VARIANCE * self._first_mean**2
            variance = max(seen_variance, least_variance)
            wanted = sqrt(2 * need / (plan.spread * variance))
            largest = self._cap / (mean * plan.largest_factor)
            bet = min(wanted, largest)

        for position, factor in enumerate(plan.factors):
            drawn = plan.first + position
            gain = self._gains[drawn]
            if mean > self._least_gain:
                self.capital *= 1 + bet * factor * (gain - mean)
            elif gain > self._least_gain:
                return True
            self._squares += (gain - self._seen / (drawn + 1)) ** 2
            self._seen += gain
            self._left -= gain
        return self._left < self._slack


def _is_mean(priors: Sequence[UnitPrior]) -> bool:
    """Return whether every unit counts once on the same scale, so that a ratio is a mean.

    `priors` are what is known of each unit before people rule: the extreme pairs that people could
    give it (corners), and the judge's pair. A ratio is a mean if all units have the same corners,
    in the same order, and every corner and every judge's pair has 1 below the line. Units without a
    judge's pair do not count against it. False without any priors.
    """
    if not priors:
        return False
    corners = priors[0].corners
    for prior in priors:
        if prior.corners != corners:
            return False
        if prior.judge is not None and prior.judge.b != 1:
            return False
    return all(corner.b == 1 for corner in corners)


def _check_rulings(
    ruled: Sequence[RuledUnit],
    priors: Collection[UnitPrior],
    low: float,
    high: float,
) -> None:
    """Raise OutsideCorners for the first ruling outside of what people could give its unit.

    That is outside of the corners of its prior, see `is_within`, which `low` and `high` are for.
    `priors` are those of the frame. Raises ValueError for a unit whose prior is not among them, if
    such a unit comes first.
    """
    possible: set[tuple[UnitPrior, Pair]] = set()
    for index, unit in enumerate(ruled):
        if unit.prior not in priors:
            raise ValueError(
                f"ruling {index + 1} is on a unit that is not in the frame",
            )
        ruling = (unit.prior, unit.person)
        if ruling in possible:
            continue
        if not is_within(unit.person, unit.prior.corners, low, high):
            raise OutsideCorners(index)
        possible.add(ruling)


def is_within(person: Pair, corners: Sequence[Pair], low: float, high: float) -> bool:
    """Return whether a pair lies between the corners of its unit, rounding apart.

    With a supposed value f, a pair counts `a - f * b`. The pair of the person must be neither below
    the least corner nor above the largest, at every f from `low` to `high`. Only the ends, and the
    values where two corners change places, need to be tried: between them everything is linear.
    There must be a corner.
    """
    values = [low, high]
    for first, second in combinations(corners, 2):
        if first.b == second.b:
            continue
        value = (first.a - second.a) / (first.b - second.b)
        if low < value < high:
            values.append(value)

    scale = max(abs(part) for pair in (person, *corners) for part in pair)
    largest_value = max(1.0, abs(low), abs(high))
    rounding = _SLACK * scale * largest_value
    for value in values:
        reached = [corner.a - value * corner.b for corner in corners]
        least = min(reached) - rounding
        most = max(reached) + rounding
        own = person.a - value * person.b
        if not least <= own <= most:
            return False
    return True


def corners_of_sum(parts: Sequence[Sequence[Pair]]) -> tuple[Pair, ...]:
    """Return the corners of a unit that adds up parts, each with corners of its own.

    They are those of the convex hull of all sums of a corner of each part, so a cluster of many
    traces has few. Without parts there is one corner, (0, 0). () if any part has none.
    """
    total: Sequence[Pair] = (Pair(0.0, 0.0),)
    for corners in parts:
        sums: set[Pair] = set()
        for first, second in product(total, corners):
            above = first.a + second.a
            below = first.b + second.b
            sums.add(Pair(above, below))
        total = _convex_hull(sums)
    return tuple(total)


def _convex_hull(points: Collection[Pair]) -> Sequence[Pair]:
    """Return the corners of the convex hull of points that differ, in any order (Andrew 1979).

    They go round once against the clock, from the point with the least `a`. Points on a line
    between two corners are left out. Fewer than three points are returned as they are, sorted.
    """
    in_order = sorted(points)
    if len(in_order) < 3:  # noqa: PLR2004 - the ends of a line
        return in_order
    lower = _side_of_hull(in_order)
    upper = _side_of_hull(in_order[::-1])
    return lower[:-1] + upper[:-1]


def _side_of_hull(points: Sequence[Pair]) -> list[Pair]:
    """Return the corners of one side of the convex hull of sorted points, from first to last.

    Going through them one always turns left: points in ascending order give the lower side, points
    in descending order the upper one. The first and the last point are among them.
    """
    half: list[Pair] = []
    for point in points:
        while len(half) > 1 and _direction_of_turn(half[-2], half[-1], point) <= 0:
            half.pop()
        half.append(point)
    return half


def _direction_of_turn(first: Pair, second: Pair, third: Pair) -> float:
    """Return above 0 where the way over three points turns left, below 0 where it turns right.

    It is 0 if they lie on a line. `a` of a pair is drawn to the right, and `b` upwards.
    """
    second_a = second.a - first.a
    second_b = second.b - first.b
    third_a = third.a - first.a
    third_b = third.b - first.b
    return second_a * third_b - second_b * third_a


def in_rounds(
    ruled: Sequence[RuledUnit],
    drawn: Mapping[int, int],
) -> list[list[RuledUnit]]:
    """Return the rounds of a draw that are complete, in order.

    `ruled` are the units that people ruled on, in the order of the draw, without a gap. `drawn` is
    how many units the draw took of each stratum, ruled on or not. A draw has as many rounds as it
    took units of the stratum of which it took fewest, and each has its part of every stratum,
    sorted by stratum. So without strata each unit is a round of its own. The first round of which a
    unit is not ruled on is left out, and all after it. If nothing was drawn of one of the strata,
    there is no round. Raises KeyError for a unit of a stratum that is not in `drawn`.
    """
    own_units: dict[int, list[RuledUnit]] = {stratum: [] for stratum in drawn}
    for unit in ruled:
        own_units[unit.stratum].append(unit)

    round_count = min(drawn.values(), default=0)
    rounds: list[list[RuledUnit]] = []
    for number in range(round_count):
        units: list[RuledUnit] = []
        for stratum, size in sorted(drawn.items()):
            first = number * size // round_count
            end = (number + 1) * size // round_count
            ruled_of_stratum = own_units[stratum]
            if end > len(ruled_of_stratum):
                return rounds
            units += ruled_of_stratum[first:end]
        rounds.append(units)
    return rounds


def _weighted_sum(values: Sequence[float], counts: Sequence[int]) -> float:
    """Return the sum of each value times its count, added one after the other.

    Raises ValueError if there are not as many of both.
    """
    return sum(value * count for value, count in zip(values, counts, strict=True))
