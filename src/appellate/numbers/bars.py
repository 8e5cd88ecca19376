"""Bars on the numbers of an audit: planning looks at them, and how far each is decided."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from math import isclose
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.design_facts import (
    DesignFact,
    Looked,
    LookedUnplanned,
    LooksPlanned,
    Sampled,
    waves_of,
)
from appellate.core.kind import Measure, TraitKey
from appellate.core.problem import Refused, closest, first_texts, listing, quoted
from appellate.core.scale import NO_BOUND, bound_text
from appellate.numbers.differences import (
    base_measure,
    difference_measure,
    difference_number,
    read_difference,
)
from appellate.numbers.estimates import (
    COVERAGE,
    SIGHTED,
    AuditedSample,
    EstimatedTrait,
    Worth,
    audited_part,
    judge_measures,
    judge_number,
    never_exact,
    whole_traits,
    worth,
)
from appellate.numbers.exact import BettingEstimate, IntervalRule, RuleName
from appellate.session.workbench import Workbench
from appellate.stats.betting import DOWN, UP, Evidence
from appellate.stats.estimates import Interval
from appellate.stats.looks import (
    FEWEST,
    LEVEL,
    Decision,
    TrustBar,
    read_bar,
    read_decision,
)
from appellate.store.database import reading
from appellate.store.samples.sample_plans import draw_command, is_census, read_frame


class BarPlan(Struct, frozen=True):
    """When a bar is decided, and by which intervals."""

    bar: TrustBar
    looks: Sequence[int] = ()
    """The looks at the bar; under the rule "any" none, and else without any it is not decided."""
    level: float = LEVEL
    of: int | None = None
    """The number of the fact that planned it; None for a bar that nobody planned."""
    others: Sequence[int] = ()
    """Looks at other bars on the number, which share the level."""
    seen: LookedUnplanned | None = None
    """The look that was saved of a bar that nobody planned."""
    rule: RuleName = "residuals"
    horizon: int | None = None
    """Audits that bets are planned for; None for the units drawn before the first verdict."""
    numbers: int = 1
    """How many numbers share the level under the rule "any"."""

    @property
    def is_any(self) -> bool:
        """Whether it may be decided after any number of audits, and not at planned looks."""
        return self.rule == "any"

    @property
    def sharing(self) -> list[int]:
        """All looks at the number, among which the level is divided."""
        return sorted({*self.looks, *self.others})

    @property
    def part(self) -> float:
        """The share of the level that each look may use up, as 0.0125; there must be a look."""
        return self.level / len(self.sharing)

    @property
    def coverage(self) -> float:
        """The coverage, from 0 to 1, of each look's interval.

        All looks together are wrong with at most the chance `level`. Under the rule "any" that
        chance is divided among the numbers that share it. Under other rules it is divided among all
        looks at the number, also those at other bars.
        """
        if self.is_any:
            return 1 - self.level / self.numbers
        return 1 - self.level / max(len(self.sharing), 1)

    def interval_rule(self, first_drawn: int) -> IntervalRule:
        """Return the rule of the number's intervals: their coverage, and what bets are planned for.

        Under "any" an interval by betting is at `coverage`, and one by residuals at .95. Under
        other rules looks share the level: an interval by residuals is at `coverage`. One by betting
        holds at all looks together, at 1 less the whole level. Bets are planned for the plan's
        horizon under "any", else up to the last look. Without either they are planned for the
        `first_drawn` units, which were drawn before the first verdict.
        """
        if self.is_any:
            return IntervalRule(
                "any",
                COVERAGE,
                self.coverage,
                self.horizon,
                first_drawn,
            )
        horizon = self.looks[-1] if self.looks else None
        betting_coverage = 1 - self.level
        return IntervalRule(
            self.rule,
            self.coverage,
            betting_coverage,
            horizon,
            first_drawn,
        )


class LookTaken(Struct, frozen=True):
    """What a look sees over the first `n` units, from the verdicts there are.

    `undecided` is why it decides nothing, "" where it does or the bar is in its interval.
    """

    look: int
    n: int
    value: float | None
    low: float | None
    high: float | None
    decision: Decision
    undecided: str = ""
    saved: "SavedLook | None" = None
    """The look as it was saved when it was taken, None where it was not saved yet."""

    @property
    def differs(self) -> bool:
        """Whether the look was saved with another decision, interval or count than it has now.

        Numbers that are equal within a millionth are the same. False if it was not saved.
        """
        saved = self.saved
        if saved is None:
            return False
        if saved.n != self.n or saved.decision != self.decision:
            return True
        are_figures_same = (
            _is_same(self.value, saved.value)
            and _is_same(self.low, saved.low)
            and _is_same(self.high, saved.high)
        )
        return not are_figures_same


class SavedLook(Struct, frozen=True):
    """What an audit file says that a look saw, over the first `n` units."""

    n: int
    value: float | None
    low: float | None
    high: float | None
    decision: Decision


def _is_same(figure: float | None, saved: float | None) -> bool:
    """Return whether two figures are equal within a millionth, or both None.

    The millionth is of the larger figure, and of 1 for small ones.
    """
    if figure is None or saved is None:
        return figure is saved
    return isclose(figure, saved, rel_tol=1e-6, abs_tol=1e-6)


class BarStanding(Struct, frozen=True):
    """How far a bar is decided: the looks taken so far, and how many units are audited."""

    plan: BarPlan
    taken: Sequence[LookTaken]
    audited: int

    @property
    def decision(self) -> Decision:
        """What the last look that was taken decides about the bar; "undecided" before the first."""
        if not self.taken:
            return "undecided"
        return self.taken[-1].decision

    @property
    def next_look(self) -> int | None:
        """The number of audited units at which the next planned look is, all audits counted.

        None if a look has decided the bar, or all looks were taken. None, too, for a bar without
        planned looks, which may be decided after any number of audits.
        """
        taken_count = len(self.taken)
        if self.decision != "undecided" or taken_count >= len(self.plan.looks):
            return None
        return self.plan.looks[taken_count]

    @property
    def unsaved_looks(self) -> list[Looked | LookedUnplanned]:
        """The looks that are not saved yet, as facts to save, in order.

        A look at a planned bar has the number of its plan. A look at a bar that was not planned has
        trait and bar instead, and is left out if it has no number or no interval. Nothing is saved
        here.
        """
        plan = self.plan
        facts = list[Looked | LookedUnplanned]()
        for look in self.taken:
            if look.saved is not None:
                continue
            if plan.of is not None:
                planned_look = Looked(
                    plan.of,
                    look.look,
                    look.n,
                    look.value,
                    look.low,
                    look.high,
                    look.decision,
                )
                facts.append(planned_look)
                continue
            if look.value is None or look.low is None or look.high is None:
                continue
            unplanned_look = LookedUnplanned(
                plan.bar.trait,
                plan.bar.condition,
                look.n,
                look.value,
                look.low,
                look.high,
                look.decision,
                "any" if plan.is_any else None,
            )
            facts.append(unplanned_look)
        return facts


def plans(facts: Iterable[DesignFact]) -> list[BarPlan]:
    """Return the planned bars, in the order in which each was first planned.

    Of several plans for one bar the last counts, at the place of the first. A bar that may be
    decided after any number of audits has no looks. Facts of other kinds are passed over. The plans
    do not know of each other yet: `others` is empty and `numbers` 1. Raises ValueError for a plan
    whose bar cannot be read.
    """
    by_bar: dict[str, BarPlan] = {}
    for fact in facts:
        if isinstance(fact.what, LooksPlanned):
            planned = fact.what
            bar = _bar(planned)
            rule = rule_name(planned.rule)
            looks = () if rule == "any" else tuple(planned.looks)
            by_bar[str(bar)] = BarPlan(
                bar,
                looks,
                planned.level,
                fact.n,
                rule=rule,
                horizon=planned.horizon,
            )
    return list(by_bar.values())


def rule_name(text: str | None) -> RuleName:
    """Return the rule that a fact names.

    "residuals" for None, since a fact without one is of an earlier version, and for an unknown
    name.
    """
    match text:
        case "any":
            return "any"
        case "looks":
            return "looks"
        case _:
            return "residuals"


def asked_bars(facts: Iterable[DesignFact]) -> list[BarPlan]:
    """Return the bars that were looked at though nobody planned them, in the order of saving.

    Each comes once, and has in `seen` its look as it was saved first. Its plan has that look only,
    or none under the rule "any", by which it may be decided at any look. Bars that cannot be read
    are left out.
    """
    by_bar: dict[str, BarPlan] = {}
    for fact in facts:
        seen = fact.what
        if isinstance(seen, LookedUnplanned):
            try:
                bar = _bar(seen)
            except ValueError:  # a file may say anything
                continue
            rule = rule_name(seen.rule)
            looks = () if rule == "any" else (seen.units,)
            by_bar.setdefault(str(bar), BarPlan(bar, looks, seen=seen, rule=rule))
    return list(by_bar.values())


def bars_of(facts: Iterable[DesignFact]) -> list[TrustBar]:
    """Return the bars that were planned, then those that were decided without a plan.

    Each list is in its own order, so a bar may be in both. Raises ValueError for a plan whose bar
    cannot be read; a bar without a plan that cannot be read is left out.
    """
    known_facts = list(facts)
    all_plans = plans(known_facts) + asked_bars(known_facts)
    return [plan.bar for plan in all_plans]


def _bar(fact: LooksPlanned | LookedUnplanned) -> TrustBar:
    """Return the bar of a fact, with the fact's trait; raises ValueError if it cannot be read."""
    return replace(read_bar(fact.bar), trait=fact.trait)


def plan_for(
    bar: TrustBar,
    same_number: Sequence[BarPlan],
    unplanned: BarPlan,
) -> BarPlan:
    """Return the plan for a bar, by the plans for its number.

    - If the bar itself was planned, it is that plan, with the looks at other bars in `others`.
    - If others on the number were planned for any look, it is such a plan without a fact's number,
      since they share the interval.
    - If only other looks at the number were planned, it is a plan without looks, so that the bar is
      never decided.
    - If nothing was planned on the number, it is `unplanned`.

    Of several plans for one bar the last counts. `same_number` are the plans for the number of
    `bar`.
    """
    latest_by_bar: dict[TrustBar, BarPlan] = {}
    for plan in sorted(same_number, key=lambda plan: plan.of or 0):
        latest_by_bar[replace(plan.bar, trait=bar.trait)] = plan
    own_plan = latest_by_bar.pop(bar, None)
    if own_plan is not None:
        other_looks: set[int] = set()
        for plan in latest_by_bar.values():
            other_looks.update(plan.looks)
        return replace(
            own_plan,
            bar=bar,
            others=tuple(sorted(other_looks.difference(own_plan.looks))),
        )
    for plan in latest_by_bar.values():
        if plan.is_any:
            return replace(plan, bar=bar, of=None)
    if same_number:
        return BarPlan(bar, ())
    return unplanned


class LookReading(NamedTuple):
    """A number with its interval, None where there is none, and why it decides nothing, or ""."""

    interval: Interval | None
    undecided: str = ""


Estimated = Callable[[int], LookReading]
"""Reads a number over the first so many units."""


def standing(
    plan: BarPlan,
    facts: Iterable[DesignFact],
    audited: int,
    estimated: Estimated,
) -> BarStanding:
    """Return how far a bar with planned looks is decided: the looks reached, up to the first that
    decides.

    A look is reached if as many units are `audited`, or if it was saved. Each is computed anew by
    `estimated` from the current verdicts, also if it was saved, since a file may say anything.
    `facts` have the saved looks of a planned bar; that of one that nobody planned is in `plan`.
    Nothing is saved here.
    """
    saved_looks = {}
    if plan.seen is not None:
        saved_looks[1] = _saved_look(plan.seen)
    for fact in facts:
        if isinstance(fact.what, Looked) and fact.what.of == plan.of:
            saved_looks[fact.what.look] = _saved_look(fact.what)
    looks_taken: list[LookTaken] = []
    for look, n in enumerate(plan.looks, 1):
        saved = saved_looks.get(look)
        if n > audited and saved is None:
            break
        looks_taken.append(_take_look(plan, look, n, audited, estimated, saved))
        if looks_taken[-1].decision != "undecided":
            break
    return BarStanding(plan, looks_taken, audited)


def standing_at_any(
    plan: BarPlan,
    facts: Iterable[DesignFact],
    current: Worth,
    estimated: Estimated,
) -> BarStanding:
    """Return whether betting has decided a bar, and after how many units it did so first.

    The result has one look, after those units, or none if the bar is not decided and no look was
    saved. A saved look that decides no longer is taken after all units that are audited now. What
    was decided once stays decided, since more rulings never widen an interval by betting. `current`
    is the number now, and `estimated` computes it after so many units. Nothing is saved here.
    """
    saved: SavedLook | None = None
    if plan.seen is not None:
        saved = _saved_look(plan.seen)
    for fact in facts:
        if plan.of is None or not isinstance(fact.what, Looked):
            continue
        if fact.what.of == plan.of:
            saved = _saved_look(fact.what)
    audited = current.part.n
    first = _first_decided(plan.bar, current, estimated)
    if first is None and saved is None:
        return BarStanding(plan, (), audited)
    look_after = first or audited
    look = _take_look(plan, 1, look_after, audited, estimated, saved)
    return BarStanding(plan, [look], audited)


def _first_decided(bar: TrustBar, current: Worth, estimated: Estimated) -> int | None:
    """Return after how many units, from 1, a bar was decided first; None if it is not decided now.

    `current` is the number now, and `estimated` computes it after so many units. The search halves,
    so it takes for granted that a bar stays decided.
    """
    interval = current.interval
    if interval is None or current.undecided:
        return None
    if bar.decide(interval.low, interval.high) == "undecided":
        return None

    def is_decided(n: int) -> bool:
        """Return whether the bar is decided after `n` units; False without a deciding interval."""
        reading = estimated(n)
        if reading.interval is None or reading.undecided:
            return False
        return bar.decide(reading.interval.low, reading.interval.high) != "undecided"

    return bisect_left(range(current.part.n), True, 1, key=is_decided)


def _saved_look(seen: Looked | LookedUnplanned) -> SavedLook:
    """Return a look as a fact has it; an unknown decision counts as "undecided".

    Decisions of earlier versions, "trusted" and "not trusted", are read as those of today.
    """
    decision = read_decision(seen.decision) or "undecided"
    return SavedLook(seen.units, seen.value, seen.low, seen.high, decision)


def _take_look(
    plan: BarPlan,
    look: int,
    n: int,
    audited: int,
    estimated: Estimated,
    saved: SavedLook | None,
) -> LookTaken:
    """Return what look number `look`, from 1, sees over the first `n` units.

    It has the number and its decision. The decision is "undecided" if `estimated` says that the
    number decides nothing, with that reason as `undecided`. Value, low and high are None, and the
    look is undecided, in three cases: fewer than `n` units are audited now, which `undecided` says;
    `n` is below `FEWEST` and looks were planned, with "" as `undecided`; and `estimated` has no
    interval. `saved` is only passed on.
    """
    reading = LookReading(None)
    if n > audited:
        reading = LookReading(None, f"only {audited:,} are ruled on now")
    elif n >= FEWEST or plan.is_any:
        reading = estimated(n)
    interval = reading.interval
    if interval is None:
        return LookTaken(
            look,
            n,
            None,
            None,
            None,
            "undecided",
            reading.undecided,
            saved,
        )
    decision: Decision = "undecided"
    if not reading.undecided:
        decision = plan.bar.decide(interval.low, interval.high)
    value, low, high = interval
    return LookTaken(look, n, value, low, high, decision, reading.undecided, saved)


MOST_LISTED = 12


def number_of(
    traits: Sequence[EstimatedTrait],
    bar: TrustBar,
) -> tuple[EstimatedTrait, Measure]:
    """Return the trait, or traits together, and the measure that a bar is about.

    A bar without a trait means the number of several traits together if one covers them, and not
    that of each. For a bar on a difference of groups the measure is that of the difference. Raises
    Refused with a sentence for an unknown trait or measure, and if several numbers may be meant.
    The bar's value is not looked at.
    """
    meant = _traits_of_bar(traits, bar)
    if bar.is_on_judge:
        meant = whole_traits(meant)
    candidates: list[tuple[EstimatedTrait, Measure]] = []
    for trait in meant:
        for measure in _measures_of_bar(trait, bar):
            if measure.name == bar.measure:
                candidates.append((trait, measure))
    if not candidates:
        raise Refused(_unknown(meant, bar))
    together: set[TraitKey] = set()
    for trait, _ in candidates:
        if not trait.name:
            together.update(trait.keys)
    candidates = [
        (trait, measure) for trait, measure in candidates if trait.key not in together
    ]
    if len(candidates) > 1 and bar.trait:
        kinds = listing([trait.kind.name for trait, _ in candidates])
        raise Refused(
            f"{bar} means several numbers: the rubric has traits {quoted(bar.trait)} of the kinds"
            f" {kinds}; rename one.",
        )
    if len(candidates) > 1:
        whose = first_texts([trait.describe for trait, _ in candidates], MOST_LISTED)
        text = f"{bar.measure} means several numbers here, of {whose}"
        raise Refused(f"{text}: write TRAIT:{bar.condition}.")
    return candidates[0]


def _measures_of_bar(trait: EstimatedTrait, bar: TrustBar) -> Sequence[Measure]:
    """Return the measures of a trait that a bar may name.

    For a bar on the judge they are the judge's own. For one on the difference of two groups it is
    the difference of the measure that the bar names. Else, and if the trait has no such measure,
    they are those of the responses.
    """
    if bar.is_on_judge:
        return judge_measures(trait)
    difference = read_difference(bar.measure)
    if difference is None:
        return trait.measures
    measures: list[Measure] = []
    for measure in trait.measures:
        if measure.name == difference.measure:
            measures.append(difference_measure(measure, bar.measure))
    return measures or trait.measures


def hold_in_range(traits: Sequence[EstimatedTrait], bar: TrustBar) -> None:
    """Raise Refused for a bar that could decide nothing; else return None.

    That is a bar whose value is outside of its measure's bounds; one at a bound passes. It is also
    a bar without a number: its trait or measure is not known, or several numbers may be meant.
    """
    trait, measure = number_of(traits, bar)
    if not measure.low <= bar.value <= measure.high:
        low = f"from {bound_text(measure.low)}"
        high = f"to {bound_text(measure.high)}"
        if measure.low <= -NO_BOUND:
            low = ""
        if measure.high >= NO_BOUND:
            high = "upwards"
        reach = f"{low} {high}".strip()
        text = (
            f"{bar} can decide nothing: {measure.name} of {trait.describe} goes {reach}"
        )
        raise Refused(f"{text}; write a bar within that.")


def of_same_number(
    traits: Sequence[EstimatedTrait],
    plans: Sequence[BarPlan],
    bar: TrustBar,
) -> list[BarPlan]:
    """Return the plans whose bar is about the same number as this bar, in their order.

    A number is a trait, or traits together, and a measure. Plans for a number that the rubric does
    not have any more are left out. Raises Refused if `bar` itself has no number.
    """
    meant = number_of(traits, bar)
    matching: list[BarPlan] = []
    for plan in plans:
        try:
            if number_of(traits, plan.bar) == meant:
                matching.append(plan)
        except Refused:  # the rubric has this number no more
            continue
    return matching


def _traits_of_bar(
    traits: Sequence[EstimatedTrait],
    bar: TrustBar,
) -> Sequence[EstimatedTrait]:
    """Return the entries of `traits` that are called by the bar's trait; all if it names none.

    Raises Refused, with the nearest name or all names, for a trait that is not there.
    """
    if not bar.trait:
        return traits
    matching = [trait for trait in traits if trait.name == bar.trait]
    if not matching:
        names = [trait.name for trait in traits if trait.name]
        right = f"there are {first_texts(names, MOST_LISTED)}."
        meant = closest(bar.trait, names)
        if meant:
            right = f"did you mean {quoted(meant)}?"
        raise Refused(f"There is no trait {quoted(bar.trait)}; {right}")
    return matching


def _unknown(meant: Sequence[EstimatedTrait], bar: TrustBar) -> str:
    """Return a sentence that a bar's measure is unknown, with the names of those that there are.

    It speaks of the bar's trait, or of the rubric for a bar without a trait. `meant` are the traits
    that the bar may be on. After `MOST_LISTED` names the others are only counted.
    """
    names: dict[str, None] = {}
    for trait in meant:
        for measure in _measures_of_bar(trait, bar):
            names[measure.name] = None
    whose = "The rubric"
    if bar.trait:
        whose = f"Trait {quoted(bar.trait)}"
    measure_name = quoted(bar.measure)
    return f"{whose} has no measure {measure_name}; it has {first_texts(list(names), MOST_LISTED)}."


NO_BAR_ON_CENSUS = (
    "All cells are signed off, without a random sample: the numbers of these responses are known,"
    " and `appellate metrics` has them. Only bars on how the judge agrees with people, as"
    " judge.kappa>=.6, are decided here, for further responses like these."
)


def no_sample(path: Path) -> Refused:
    """Return a Refused that says why nothing is decided without a sample; it is not raised here.

    It has the command that draws a sample. If all cells are signed off, it says instead where their
    numbers are. `path` is that of the workspace, which is only read. Raises sqlite3.Error if it
    cannot be read.
    """
    with reading(path) as db:
        if is_census(db):
            return Refused(NO_BAR_ON_CENSUS)
    command = draw_command(len(read_frame(path).units))
    text = (
        f"There is no random sample, and an interval needs one: `{command}` draws it."
    )
    return Refused(text)


class Gate(Struct, frozen=True):
    """How far a bar is decided, and the number as it is now with the interval of a look.

    `planned` looks were planned before the first verdict. `beside` are the planned bars on the same
    number, where this one was not. `wanting` is why the sample decides nothing at all.
    """

    standing: BarStanding
    worth: Worth
    beside: Sequence[BarPlan] = ()
    wanting: str = ""

    @property
    def bar(self) -> TrustBar:
        """The bar that this is about."""
        return self.standing.plan.bar

    @property
    def planned(self) -> bool:
        """Whether its looks were planned before the first verdict."""
        return self.standing.plan.of is not None

    @property
    def evidence(self) -> Mapping[str, Evidence]:
        """How far betting has come towards "reached" and "not reached", by these two words.

        Each has the capital of the bets and how much is needed, as multiples of the first capital.
        Empty for a bar that is decided at planned looks only, and for a number without an interval
        by betting.
        """
        estimate = self.worth.estimate
        value = self.bar.value
        if not self.standing.plan.is_any:
            return {}
        if self.worth.judge_bets is not None:
            above, below = self.worth.judge_bets.evidence(value)
        elif isinstance(estimate, BettingEstimate):
            above = estimate.audit.evidence(value, UP)
            below = estimate.audit.evidence(value, DOWN)
        else:
            return {}
        if self.bar.at_least:
            return {"reached": above, "not reached": below}
        return {"reached": below, "not reached": above}

    @property
    def more_audits(self) -> int | None:
        """About how many more audits would decide the bar if rulings go on as they are.

        It counts units, and is 0 for a bar that is decided. None without an interval, if the number
        equals the bar, and if only other bars at the number have plans. By betting it is at least
        1, and None if neither the next 2,000 audits nor all that remain would decide. By residuals
        it is at most all that remain, and 0 if the interval is narrow enough.
        """
        worth = self.worth
        interval = worth.interval
        bar_value = self.bar.value
        if self.standing.decision != "undecided":
            return 0
        if self.beside or interval is None or interval.value == bar_value:
            return None
        if worth.judge_bets is not None:
            return worth.judge_bets.decided_after(bar_value)
        if self.standing.plan.is_any and isinstance(worth.estimate, BettingEstimate):
            return worth.estimate.decided_after(bar_value)
        distance = abs(interval.value - bar_value)
        return worth.needed(distance)


def gate(audit: AuditedSample, bar: TrustBar) -> Gate:
    """Return how far a bar is decided; nothing is saved.

    The number is computed now and at each look that was reached. A bar that nobody planned, and
    that was decided before, keeps the rule of that look. If the sample has faults, nothing is
    decided and no number estimated, and `wanting` says why. Raises Refused for a bar that the audit
    has no number for, and for one on the judge if the sample was not drawn blind. Raises Refused,
    too, for an unplanned bar on a difference that can have no exact interval. Raises ValueError if
    a plan has a bar that cannot be read.
    """
    trait, measure = number_of(audit.traits, bar)
    same_number = of_same_number(audit.traits, shared_plans(audit), bar)
    asked_plans: Sequence[BarPlan] = ()
    if not same_number:
        asked_plans = of_same_number(audit.traits, asked_bars(audit.facts), bar)
    plan = plan_for(bar, same_number, _unplanned(audit, trait, measure, bar))
    for asked_plan in asked_plans:
        asked_bar = replace(asked_plan.bar, trait=bar.trait)
        if asked_plan.seen is None or asked_bar != bar:
            continue
        looks = () if asked_plan.is_any else (_units_drawn_first(audit, trait),)
        plan = replace(plan, seen=asked_plan.seen, rule=asked_plan.rule, looks=looks)
    if audit.faults:
        part = audited_part(audit.units, trait, trait.measures[0])
        nothing = Worth(trait, measure, None, part, None, audit.wanting)
        return Gate(BarStanding(plan, (), part.n), nothing, wanting=audit.wanting)
    if bar.is_on_judge and not audit.sample.last.blind:
        raise Refused(SIGHTED)
    number = _number_function(bar)
    rule = plan.interval_rule(_first_drawn(audit))
    current = number(audit.units, trait, measure, rule=rule)

    @cache  # the look that decides first was read when it was sought
    def estimated(n: int) -> LookReading:
        """Return the number over the first `n` units with the interval by which a look decides.

        The interval is None if there is none. If it may not decide, a clause says why. Nothing is
        saved.
        """
        reading = number(audit.units, trait, measure, first=n, rule=rule)
        return LookReading(reading.deciding, reading.undecided)

    if plan.is_any:
        decided = standing_at_any(plan, audit.facts, current, estimated)
    else:
        decided = standing(plan, audit.facts, current.part.n, estimated)
    other_plans = same_number if plan.of is None and not plan.is_any else ()
    return Gate(decided, current, beside=other_plans)


def _number_function(bar: TrustBar) -> Callable[..., Worth]:
    """Return the function that computes the number of a bar, for the bar's kind.

    That is `judge_number` for a bar on the judge, `difference_number` for one on a difference of
    groups, and else `worth`. Each is called with all units, the trait and the measure; `rule` says
    which interval, and `first` after how many audited units, None for all.
    """
    if bar.is_on_judge:
        return judge_number
    if read_difference(bar.measure) is not None:
        return difference_number
    return worth


def shared_plans(audit: AuditedSample) -> list[BarPlan]:
    """Return the plans of a sample, one for each bar; those for any look share the level.

    In each of these `numbers` is how many numbers have such plans. Of several plans for one bar the
    last counts. Raises ValueError for a plan whose bar cannot be read.
    """
    all_plans = plans(audit.facts)
    numbers = count_numbers(audit, all_plans)
    shared: list[BarPlan] = []
    for plan in all_plans:
        shared.append(replace(plan, numbers=numbers) if plan.is_any else plan)
    return shared


def count_numbers(audit: AuditedSample, all_plans: Iterable[BarPlan]) -> int:
    """Return how many different numbers have plans for any look, at least 1.

    Several bars on one number count once. Plans on a number that the rubric has no more do not
    count.
    """
    numbers: set[tuple[str, str]] = set()
    for plan in all_plans:
        if plan.is_any:
            with suppress(Refused):  # the rubric has this number no more
                trait, measure = number_of(audit.traits, plan.bar)
                numbers.add((trait.describe, measure.name))
    return max(len(numbers), 1)


def rule_for(
    audit: AuditedSample,
    trait: EstimatedTrait,
    measure: Measure,
) -> IntervalRule:
    """Return which interval a number has: that of the bars planned on it, else `unplanned_rule`.

    If several bars are planned on it, it is the interval of the first, whose looks share the level
    with those of the others. Without one it is by betting, holds after any number of audits, and
    bets for the units that were drawn before the first verdict. Bars on a number that the rubric no
    longer has are passed over. Raises ValueError for a plan whose bar cannot be read.
    """
    for plan in shared_plans(audit):
        with suppress(Refused):  # the rubric has this number no more
            if number_of(audit.traits, plan.bar) == (trait, measure):
                bar = replace(plan.bar, trait=trait.name)
                same_number = of_same_number(audit.traits, shared_plans(audit), bar)
                plan_of_number = plan_for(plan.bar, same_number, plan)
                return plan_of_number.interval_rule(_first_drawn(audit))
    return unplanned_rule(audit)


def unplanned_rule(audit: AuditedSample) -> IntervalRule:
    """Return which interval a number has for which nothing was planned.

    It is by betting, and holds after any number of audits. Its bets are for the units that were
    drawn before the first verdict.
    """
    return IntervalRule(first_drawn=_first_drawn(audit))


def _unplanned(
    audit: AuditedSample,
    trait: EstimatedTrait,
    measure: Measure,
    bar: TrustBar,
) -> BarPlan:
    """Return the plan for a bar that was not planned; its `of` is None.

    If an exact interval of its number is possible, the bar may be decided after any number of
    audits. If not, it is decided once, by the rule "looks": when all units with the trait are ruled
    on that were drawn before the first verdict. Raises Refused if no exact interval is possible and
    the number is a difference of two groups.
    """
    impossible = never_exact(audit.units, trait, base_measure(trait, measure))
    if impossible and read_difference(bar.measure) is not None:
        raise Refused(f"{bar} cannot be decided: {impossible}.")
    if impossible:
        return BarPlan(bar, (_units_drawn_first(audit, trait),), rule="looks")
    return BarPlan(bar, rule="any")


def _first_drawn(audit: AuditedSample) -> int:
    """Return how many units were drawn before the first verdict, in all draws of the sample.

    If there is no verdict yet, it is all that were drawn.
    """
    count = 0
    for fact in audit.facts:
        if not isinstance(fact.what, Sampled):
            continue
        if audit.verdict is None or fact.n < audit.verdict:
            count += len(fact.what.drawn)
    return count


def _units_drawn_first(audit: AuditedSample, trait: EstimatedTrait) -> int:
    """Return how many units that have a cell of a trait were drawn before the first verdict.

    If there is no verdict yet, all drawn units count.
    """
    first_drawn = _first_drawn(audit)
    count = 0
    for unit in audit.units:
        if unit.place is None or unit.place >= first_drawn:
            continue
        if unit.chosen(trait, None):
            count += 1
    return count


def keep_looks(bench: Workbench, gates: Iterable[Gate]) -> int:
    """Save the looks of these gates that are not saved yet, and return how many were saved.

    The gates must be of the last wave, which has looks of its own. A look that is in two gates is
    saved once. A look at a bar that nobody planned is saved only if it has an interval. Nothing is
    saved in a session that only reads; returns 0. Raises NotKept if the workspace cannot be
    written; looks before that are saved.
    """
    if bench.readonly:
        return 0
    saved_looks: set[tuple[str | int, ...]] = set()
    for wave in waves_of(bench.workspace.design.facts())[-1:]:
        for fact in wave.facts:
            if isinstance(fact.what, Looked | LookedUnplanned):
                saved_looks.add(_look_identity(fact.what))
    count = 0
    for gate_of_bar in gates:
        for look in gate_of_bar.standing.unsaved_looks:
            if _look_identity(look) not in saved_looks:
                saved_looks.add(_look_identity(look))
                bench.record(look)
                count += 1
    return count


def _look_identity(look: Looked | LookedUnplanned) -> tuple[str | int, ...]:
    """Return what tells a look from others, to find out whether it is saved.

    That is the number of its plan's fact, and of the look, from 1. For a look without a plan it is
    the trait and the bar, so that only the first look at such a bar is saved.
    """
    if isinstance(look, Looked):
        return look.of, look.look
    return look.trait, look.bar
