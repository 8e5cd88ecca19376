"""At which looks a bar is decided, and what was decided.

A bar that was planned before any verdict is decided at its looks, each with its part of the level.
A bar that nobody planned has one look, at the end of the sample as it was drawn before the first
verdict: a size that no number could have a part in. What was drawn later decides nothing then,
since whoever draws more until an interval clears a bar looks after every draw. Either way the first
decision stands.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from appellate.core.design_facts import DesignFact, Looked, LooksPlanned, Sampled
from appellate.stats.estimates import Interval
from appellate.stats.looks import FEWEST, LEVEL, Decision, TrustBar, coverage, read_bar


@dataclass(frozen=True, slots=True)
class BarPlan:
    """The looks at a bar. `of` is the number of the fact that planned them, None where nobody did
    before the first verdict.
    """

    bar: TrustBar
    looks: Sequence[int]
    level: float = LEVEL
    of: int | None = None

    @property
    def coverage(self) -> float:
        """What the interval of each look covers."""
        return coverage(self.level, len(self.looks))


@dataclass(frozen=True, slots=True)
class LookTaken:
    """What a look saw: the number over the first `n` units, and what that says of the bar.

    `is_kept` is whether a fact tells of it.
    """

    look: int
    n: int
    value: float | None
    low: float | None
    high: float | None
    decision: Decision
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class BarStanding:
    """How far a bar is decided: the looks that were taken of those in the plan, and how many units
    are audited.
    """

    plan: BarPlan
    taken: Sequence[LookTaken]
    audited: int

    @property
    def decision(self) -> Decision:
        if not self.taken:
            return "undecided"
        return self.taken[-1].decision

    @property
    def next_look(self) -> int | None:
        """After how many units the next look is; None where there is none."""
        taken = len(self.taken)
        if self.decision != "undecided" or taken == len(self.plan.looks):
            return None
        return self.plan.looks[taken]

    @property
    def new(self) -> list[Looked]:
        """The looks at a planned bar that no fact tells of yet."""
        of = self.plan.of
        found: list[Looked] = []
        for one in self.taken:
            if of is not None and not one.is_kept:
                figures = (one.value, one.low, one.high)
                found.append(Looked(of, one.look, one.n, *figures, one.decision))
        return found


def plans(facts: Iterable[DesignFact]) -> list[BarPlan]:
    """The planned bars; the last plan for a bar counts."""
    found: dict[str, BarPlan] = {}
    for fact in facts:
        if isinstance(fact.what, LooksPlanned):
            plan = _read(fact.n, fact.what)
            found[str(plan.bar)] = plan
    return list(found.values())


def _read(n: int, planned: LooksPlanned) -> BarPlan:
    told = planned.bar
    if planned.trait:
        told = f"{planned.trait}:{told}"
    return BarPlan(read_bar(told), tuple(planned.looks), planned.level, n)


def plan_for(bar: TrustBar, facts: Sequence[DesignFact], drawn: int) -> BarPlan:
    """The looks at a bar: those planned, else one at the end, after so many units."""
    for plan in plans(facts):
        if plan.bar == bar:
            return plan
    return BarPlan(bar, (drawn,))


def drawn_before(facts: Iterable[DesignFact], verdict: int | None) -> int:
    """How many units were drawn before the fact that is the first verdict, all where there is
    none.
    """
    return sum(
        len(fact.what.drawn)
        for fact in facts
        if isinstance(fact.what, Sampled) and (verdict is None or fact.n < verdict)
    )


Estimated = Callable[[int, float], Interval | None]
"""A number and its interval, over the first so many units and with such a coverage; None where it
cannot be told.
"""


def standing(
    plan: BarPlan, facts: Iterable[DesignFact], audited: int, estimated: Estimated
) -> BarStanding:
    """The looks that were reached, one after the other until one decides: as they were kept, else
    as they are now.
    """
    kept = {}
    for fact in facts:
        if isinstance(fact.what, Looked) and fact.what.of == plan.of:
            kept[fact.what.look] = fact.what
    taken: list[LookTaken] = []
    for look, n in enumerate(plan.looks, 1):
        if look in kept:
            taken.append(_as_kept(kept[look]))
        elif n <= audited:
            taken.append(_looked(plan, look, n, estimated))
        else:
            break
        if taken[-1].decision != "undecided":
            break
    return BarStanding(plan, taken, audited)


def _as_kept(looked: Looked) -> LookTaken:
    decision: Decision = "undecided"
    if looked.decision in ("trusted", "not trusted"):
        decision = looked.decision  # type: ignore[assignment]
    figures = (looked.value, looked.low, looked.high)
    return LookTaken(looked.look, looked.units, *figures, decision, is_kept=True)


def _looked(plan: BarPlan, look: int, n: int, estimated: Estimated) -> LookTaken:
    found = None
    if n >= FEWEST:
        found = estimated(n, plan.coverage)
    if found is None:
        return LookTaken(look, n, None, None, None, "undecided")
    return LookTaken(look, n, *found, plan.bar.decide(found.low, found.high))
