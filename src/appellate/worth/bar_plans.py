"""At which looks a bar is decided, and what was decided.

A bar that was planned before any verdict is decided at its looks. All looks that are planned at one
number share the level, whichever bar they are for: each has its part of it, or two bars at looks of
their own would be wrong twice as often. A bar that nobody planned has one look, at the end of the
sample as it was drawn before the first verdict: a size that no number could have a part in; and
none where another bar on the same number was planned, since the level is spent on the looks at
that. What was drawn later decides nothing then, since whoever draws more until an interval clears a
bar looks after every draw. All bars on a number that nobody planned rest on the one interval that
the first of them was held against. Either way the first decision stands.
"""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.design_facts import (
    DesignFact,
    Looked,
    LookedUnplanned,
    LooksPlanned,
    Sampled,
)
from appellate.stats.estimates import Interval
from appellate.stats.looks import (
    FEWEST,
    LEVEL,
    Decision,
    TrustBar,
    coverage,
    read_bar,
    read_decision,
)


class BarPlan(Struct, frozen=True):
    """The looks at a bar. `of` is the number of the fact that planned them, None where nobody did
    before the first verdict; without looks it is not decided at all. `others` are looks planned at
    other bars on the same number, which have their part of the level.
    """

    bar: TrustBar
    looks: Sequence[int]
    level: float = LEVEL
    of: int | None = None
    others: Sequence[int] = ()

    @property
    def sharing(self) -> list[int]:
        """All looks at the number, among which the level is divided."""
        return sorted({*self.looks, *self.others})

    @property
    def part(self) -> float:
        """What each look may be wrong."""
        return self.level / len(self.sharing)

    @property
    def coverage(self) -> float:
        """What the interval of each look covers."""
        return coverage(self.level, len(self.sharing))


class AskedBar(Struct, frozen=True):
    """A bar that nobody planned, and what its one look saw."""

    bar: TrustBar
    seen: LookedUnplanned

    @property
    def interval(self) -> Interval:
        return Interval(self.seen.value, self.seen.low, self.seen.high)


class LookTaken(Struct, frozen=True):
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


class BarStanding(Struct, frozen=True):
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
    def new(self) -> list[Looked | LookedUnplanned]:
        """The looks that no fact tells of yet; of a bar that nobody planned where it has a
        number.
        """
        plan, found = self.plan, list[Looked | LookedUnplanned]()
        for one in self.taken:
            if one.is_kept:
                continue
            if plan.of is not None:
                figures = (one.value, one.low, one.high)
                found.append(Looked(plan.of, one.look, one.n, *figures, one.decision))
            elif one.value is not None and one.low is not None and one.high is not None:
                of = plan.bar.trait, plan.bar.condition
                seen = (one.value, one.low, one.high)
                found.append(LookedUnplanned(*of, one.n, *seen, one.decision))
        return found


def plans(facts: Iterable[DesignFact]) -> list[BarPlan]:
    """The planned bars; the last plan for a bar counts."""
    found: dict[str, BarPlan] = {}
    for fact in facts:
        if isinstance(fact.what, LooksPlanned):
            plan = _read(fact.n, fact.what)
            found[str(plan.bar)] = plan
    return list(found.values())


def asked_bars(facts: Iterable[DesignFact]) -> list[AskedBar]:
    """The bars that nobody planned and that were decided at the end, as it was kept."""
    found: dict[str, AskedBar] = {}
    for fact in facts:
        seen = fact.what
        if isinstance(seen, LookedUnplanned) and _is_sound(seen):
            bar = _bar(seen)
            found.setdefault(str(bar), AskedBar(bar, seen))
    return list(found.values())


def _is_sound(seen: LookedUnplanned) -> bool:
    """Whether a look is decided as its bar and its interval say; a file may tell anything."""
    try:
        bar = _bar(seen)
    except ValueError:
        return False
    if None in (seen.value, seen.low, seen.high) or seen.units < FEWEST or seen.low > seen.high:
        return False
    return bar.decide(seen.low, seen.high) == read_decision(seen.decision)


def _read(n: int, planned: LooksPlanned) -> BarPlan:
    return BarPlan(_bar(planned), tuple(planned.looks), planned.level, n)


def _bar(of: LooksPlanned | LookedUnplanned) -> TrustBar:
    return replace(read_bar(of.bar), trait=of.trait)


def plan_for(bar: TrustBar, same: Sequence[BarPlan], drawn: int) -> BarPlan:
    """The looks at a bar, of the plans for the same number: its own, none where only others are
    there, else one at the end, after so many units.
    """
    last: dict[TrustBar, BarPlan] = {}
    for plan in sorted(same, key=_made):
        last[replace(plan.bar, trait=bar.trait)] = plan
    own = last.pop(bar, None)
    if own is not None:
        others: set[int] = set()
        for plan in last.values():
            others.update(plan.looks)
        return replace(own, bar=bar, others=tuple(sorted(others.difference(own.looks))))
    if same:
        return BarPlan(bar, ())
    return BarPlan(bar, (drawn,))


def _made(plan: BarPlan) -> int:
    return plan.of or 0


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


def as_asked(plan: BarPlan, asked: Sequence[AskedBar], audited: int) -> BarStanding:
    """A bar that nobody planned, held against the interval that others on its number were held
    against before; or as it was kept.
    """
    units, seen = asked[0].seen.units, asked[0].interval
    decision, is_kept = plan.bar.decide(seen.low, seen.high), False
    for one in asked:
        if replace(one.bar, trait=plan.bar.trait) == plan.bar:
            is_kept = True
    look = LookTaken(1, units, *seen, decision, is_kept)
    return BarStanding(plan, [look], audited)


def _as_kept(looked: Looked) -> LookTaken:
    decision = read_decision(looked.decision) or "undecided"
    figures = (looked.value, looked.low, looked.high)
    return LookTaken(looked.look, looked.units, *figures, decision, is_kept=True)


def _looked(plan: BarPlan, look: int, n: int, estimated: Estimated) -> LookTaken:
    found = None
    if n >= FEWEST:
        found = estimated(n, plan.coverage)
    if found is None:
        return LookTaken(look, n, None, None, None, "undecided")
    return LookTaken(look, n, *found, plan.bar.decide(found.low, found.high))
