"""Bars on the numbers of an audit: planning looks at them, and how far each is decided."""

from collections.abc import Callable, Iterable, Sequence
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
    of_this_sample,
)
from appellate.core.kind import Measure
from appellate.core.problem import Refused, closest, quoted
from appellate.core.scale import NO_BOUND
from appellate.numbers.estimates import (
    SIGHTED,
    AuditedSample,
    EstimatedTrait,
    Worth,
    audited_part,
    estimated_traits,
    judge_measures,
    judge_number,
    whole_traits,
    worth,
)
from appellate.session.workbench import Workbench
from appellate.stats.estimates import Interval
from appellate.stats.looks import (
    FEWEST,
    LEVEL,
    MOST_LOOKS,
    Decision,
    TrustBar,
    read_bar,
    read_decision,
)
from appellate.store.samples.sample_plans import draw_command, read_frame
from appellate.store.samples.sampling import first_verdict
from appellate.store.workspace import Workspace


class BarPlan(Struct, frozen=True):
    """The looks at a bar; without any it is not decided. `of` is the fact that planned them, if
    any, `others` are looks at other bars on the number, which share the level, `seen` is the look
    that was saved of a bar that nobody planned.
    """

    bar: TrustBar
    looks: Sequence[int]
    level: float = LEVEL
    of: int | None = None
    others: Sequence[int] = ()
    seen: LookedUnplanned | None = None

    @property
    def sharing(self) -> list[int]:
        """All looks at the number, among which the level is divided."""
        return sorted({*self.looks, *self.others})

    @property
    def part(self) -> float:
        """The share of the level that each look may use up; there must be a look."""
        return self.level / len(self.sharing)

    @property
    def coverage(self) -> float:
        """The coverage, from 0 to 1, of each look's interval.

        At it, all looks together are wrong with at most the chance `level`.
        """
        return 1 - self.level / max(len(self.sharing), 1)


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

        False if it was not saved.
        """
        if self.saved is None:
            return False
        if (self.saved.n, self.saved.decision) != (self.n, self.decision):
            return True
        figures = (self.value, self.low, self.high)
        saved_figures = (self.saved.value, self.saved.low, self.saved.high)
        return not all(map(_is_same, figures, saved_figures))


class SavedLook(Struct, frozen=True):
    """What an audit file says that a look saw, over the first `n` units."""

    n: int
    value: float | None
    low: float | None
    high: float | None
    decision: Decision


def _is_same(figure: float | None, saved: float | None) -> bool:
    """Return whether two figures are equal but for rounding, or both None."""
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
        """What the last look that was taken decides; "undecided" before the first."""
        if not self.taken:
            return "undecided"
        return self.taken[-1].decision

    @property
    def next_look(self) -> int | None:
        """After how many audited units the next look is.

        None if a look has decided the bar, or all looks were taken.
        """
        taken = len(self.taken)
        if self.decision != "undecided" or taken == len(self.plan.looks):
            return None
        return self.plan.looks[taken]

    @property
    def new(self) -> list[Looked | LookedUnplanned]:
        """The looks that are not saved yet, as facts to save, in order.

        Of a bar that nobody planned, only those with a number and an interval.
        """
        plan, found = self.plan, list[Looked | LookedUnplanned]()
        for one in self.taken:
            if one.saved is not None:
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
    """Return the planned bars, in the order in which each was first planned.

    Of several plans for one bar the last counts. Raises ValueError for a plan whose bar cannot be
    read.
    """
    found: dict[str, BarPlan] = {}
    for fact in facts:
        if isinstance(fact.what, LooksPlanned):
            what = fact.what
            bar = _bar(what)
            found[str(bar)] = BarPlan(bar, tuple(what.looks), what.level, fact.n)
    return list(found.values())


def asked_bars(facts: Iterable[DesignFact]) -> list[BarPlan]:
    """Return the bars that nobody planned and that were decided at the end, in the order of saving.

    Each has its one look as it was first saved. Bars that cannot be read are left out.
    """
    found: dict[str, BarPlan] = {}
    for fact in facts:
        seen = fact.what
        if isinstance(seen, LookedUnplanned):
            try:
                bar = _bar(seen)
            except ValueError:  # a file may say anything
                continue
            found.setdefault(str(bar), BarPlan(bar, (seen.units,), seen=seen))
    return list(found.values())


def _bar(of: LooksPlanned | LookedUnplanned) -> TrustBar:
    """Return the bar of a fact, with the fact's trait; raises ValueError if it cannot be read."""
    return replace(read_bar(of.bar), trait=of.trait)


def plan_for(bar: TrustBar, same: Sequence[BarPlan], drawn: int) -> BarPlan:
    """Return the looks at a bar by `same`, the plans for its number, also those of other bars.

    They are those of the bar's own latest plan, with the looks of other bars at the number as
    `others`. If only other bars have plans, there are none. Without any plan there is one look at
    the end, after the `drawn` units.
    """
    last: dict[TrustBar, BarPlan] = {}
    for plan in sorted(same, key=lambda plan: plan.of or 0):
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


class LookReading(NamedTuple):
    """A number with its interval, None where there is none, and why it decides nothing, or ""."""

    interval: Interval | None
    undecided: str = ""


Estimated = Callable[[int, float], LookReading]
"""Reads a number over the first so many units, with such a coverage of its interval."""


def standing(
    plan: BarPlan, facts: Iterable[DesignFact], audited: int, estimated: Estimated
) -> BarStanding:
    """Return how far a bar is decided: the looks that were reached, up to the first that decides.

    A look is reached if so many units are `audited`, or if it was saved. Each is computed anew by
    `estimated` from the verdicts there are, also if it was saved, since a file may say anything.
    `facts` have the saved looks.
    """
    saved_looks = {}
    if plan.seen is not None:
        saved_looks[1] = _saved(plan.seen)
    for fact in facts:
        if isinstance(fact.what, Looked) and fact.what.of == plan.of:
            saved_looks[fact.what.look] = _saved(fact.what)
    taken: list[LookTaken] = []
    for look, n in enumerate(plan.looks, 1):
        saved = saved_looks.get(look)
        if n > audited and saved is None:
            break
        taken.append(_looked(plan, look, n, audited, estimated, saved))
        if taken[-1].decision != "undecided":
            break
    return BarStanding(plan, taken, audited)


def _saved(seen: Looked | LookedUnplanned) -> SavedLook:
    """Return a look as a fact has it; a decision that is not known counts as "undecided"."""
    decision = read_decision(seen.decision) or "undecided"
    return SavedLook(seen.units, seen.value, seen.low, seen.high, decision)


def _looked(
    plan: BarPlan, look: int, n: int, audited: int, estimated: Estimated, saved: SavedLook | None
) -> LookTaken:
    """Return what look number `look`, from 1, sees over the first `n` units.

    Without a number, and with one that decides nothing, it is undecided. There is no number if
    fewer than `n` units are audited now, or for an `n` below `FEWEST`.
    """
    reading = LookReading(None)
    if n > audited:
        reading = LookReading(None, f"only {audited:,} are ruled on now")
    elif n >= FEWEST:
        reading = estimated(n, plan.coverage)
    interval = reading.interval
    if interval is None:
        return LookTaken(look, n, None, None, None, "undecided", reading.undecided, saved)
    decision: Decision = "undecided"
    if not reading.undecided:
        decision = plan.bar.decide(interval.low, interval.high)
    return LookTaken(look, n, *interval, decision, reading.undecided, saved)


MOST_LISTED = 12


def number_of(traits: Sequence[EstimatedTrait], bar: TrustBar) -> tuple[EstimatedTrait, Measure]:
    """Return the trait, or traits together, and the measure that a bar is about.

    If a number of several traits together covers that of a single one, the former is meant. Raises
    Refused for an unknown trait or measure, and if several numbers may be meant.
    """
    meant = _meant(traits, bar)
    if bar.is_on_judge:
        meant = whole_traits(meant)
    found: list[tuple[EstimatedTrait, Measure]] = []
    for one in meant:
        found += [(one, measure) for measure in _named(one, bar) if measure.name == bar.measure]
    if not found:
        raise Refused(_unknown(meant, bar))
    together: set[str] = set()
    for one, _ in found:
        if not one.name:
            together.update(one.names)
    found = [pair for pair in found if pair[0].name not in together]
    if len(found) > 1:
        whose = _listed(one.describe for one, _ in found)
        text = f"{bar.measure} means several numbers here, of {whose}"
        raise Refused(f"{text}: write TRAIT:{bar.condition}.")
    return found[0]


def _named(trait: EstimatedTrait, bar: TrustBar) -> Sequence[Measure]:
    """Return the measures of a trait that a bar may name: of the judge's own, or of the answers."""
    return judge_measures(trait) if bar.is_on_judge else trait.measures


def hold_in_range(traits: Sequence[EstimatedTrait], bar: TrustBar) -> None:
    """Raise Refused for a bar outside of its measure's bounds, or without a number.

    A value at a bound passes. Raises Refused for all that `number_of` does.
    """
    trait, measure = number_of(traits, bar)
    if not measure.low <= bar.value <= measure.high:
        low, high = f"from {measure.low:g}", f"to {measure.high:g}"
        if measure.low <= -NO_BOUND:
            low = ""
        if measure.high >= NO_BOUND:
            high = "upwards"
        reach = f"{low} {high}".strip()
        text = f"{bar} can decide nothing: {measure.name} of {trait.describe} goes {reach}"
        raise Refused(f"{text}; write a bar within that.")


def of_same_number(
    traits: Sequence[EstimatedTrait], plans: Sequence[BarPlan], bar: TrustBar
) -> list[BarPlan]:
    """Return the plans whose bar is about the same number as this bar, in their order.

    Plans for a number that the rubric does not have any more are left out. Raises Refused if `bar`
    itself has no number.
    """
    meant = number_of(traits, bar)
    found: list[BarPlan] = []
    for plan in plans:
        try:
            if number_of(traits, plan.bar) == meant:
                found.append(plan)
        except Refused:  # the rubric has this number no more
            continue
    return found


def _meant(traits: Sequence[EstimatedTrait], bar: TrustBar) -> Sequence[EstimatedTrait]:
    """Return the traits of the name that a bar has, all traits if it has none.

    Raises Refused, with the nearest name or all names, for a trait that is not there.
    """
    if not bar.trait:
        return traits
    found = [one for one in traits if one.name == bar.trait]
    if not found:
        names = [one.name for one in traits if one.name]
        right = f"there are {_listed(names)}."
        meant = closest(bar.trait, names)
        if meant:
            right = f"did you mean {quoted(meant)}?"
        raise Refused(f"There is no trait {quoted(bar.trait)}; {right}")
    return found


def _unknown(meant: Sequence[EstimatedTrait], bar: TrustBar) -> str:
    """Return a sentence that a measure is unknown, with the names of those that there are."""
    names: dict[str, None] = {}
    for one in meant:
        names |= dict.fromkeys(measure.name for measure in _named(one, bar))
    whose = "The rubric"
    if bar.trait:
        whose = f"Trait {quoted(bar.trait)}"
    return f"{whose} has no measure {quoted(bar.measure)}; it has {_listed(names)}."


def _listed(names: Iterable[str]) -> str:
    """Return names with commas between; after `MOST_LISTED` the others are only counted."""
    known = list(names)
    text = ", ".join(known[:MOST_LISTED])
    rest = len(known) - MOST_LISTED
    if rest > 0:
        text += f" and {rest} more"
    return text


def no_sample(path: Path) -> Refused:
    """Return why nothing is decided without a sample, with the command that draws one.

    `path` is that of the workspace. Nothing is raised here.
    """
    command = draw_command(len(read_frame(path).units))
    text = f"There is no random sample, and an interval needs one: `{command}` draws it."
    return Refused(text)


class Gate(Struct, frozen=True):
    """How far a bar is decided, and the number as it is now with the interval of a look.

    `planned` looks were planned before the first verdict. `beside` are the planned bars on the same
    number, where this one was not. `wanting` is why the sample decides nothing at all.
    """

    standing: BarStanding
    now: Worth
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
    def more(self) -> int | None:
        """About how many more audits would decide the bar if the number stays as it is.

        None without an interval, if the number equals the bar, and if only other bars at the number
        have plans.
        """
        now = self.now.interval
        if self.beside or now is None or now.value == self.bar.value:
            return None
        return self.now.needed(abs(now.value - self.bar.value))


def gate(at: AuditedSample, bar: TrustBar) -> Gate:
    """Return how far a bar is decided; nothing is saved.

    If the sample has faults, nothing is decided and no number estimated. Raises Refused for a bar
    that the audit has no number for, and for one on the judge if the sample was not drawn blind.
    """
    trait, measure = number_of(at.traits, bar)
    same = of_same_number(at.traits, plans(at.facts), bar)
    plan = plan_for(bar, same, _drawn(at, trait))
    asked: Sequence[BarPlan] = ()
    if not same:
        asked = of_same_number(at.traits, asked_bars(at.facts), bar)
    for one in asked:
        if one.seen is not None and replace(one.bar, trait=bar.trait) == bar:
            plan = replace(plan, seen=one.seen)
    if at.faults:
        part = audited_part(at.units, trait.names, trait.measures[0])
        nothing = Worth(trait, measure, None, part, None, at.wanting)
        return Gate(BarStanding(plan, (), part.n), nothing, wanting=at.wanting)
    number = judge_number if bar.is_on_judge else worth
    if bar.is_on_judge and not at.sample.last.blind:
        raise Refused(SIGHTED)
    now = number(at.units, trait, measure, coverage=plan.coverage)

    def estimated(n: int, coverage: float) -> LookReading:
        """Return the number over the first `n` units with the interval by which a look decides."""
        reading = number(at.units, trait, measure, first=n, coverage=coverage)
        return LookReading(reading.deciding, reading.undecided)

    decided = standing(plan, at.facts, now.part.n, estimated)
    if plan.of is None:
        return Gate(decided, now, beside=same)
    return Gate(decided, now)


def _drawn(at: AuditedSample, trait: EstimatedTrait) -> int:
    """Return how many units that have a trait were drawn before the first verdict."""
    limit = size = 0
    for fact in at.facts:
        if isinstance(fact.what, Sampled) and (at.verdict is None or fact.n < at.verdict):
            limit += len(fact.what.drawn)
    for unit in at.units:
        if unit.place is not None and unit.place < limit:
            size += any(name in unit.cells for name in trait.names)
    return size


class LookPlanning(Struct, frozen=True):
    """A plan of looks: after how many audits the bar was decided `before` (none: never), how many
    units are `wanting` for the last look, and the `plan` beside others for the number.
    """

    what: LooksPlanned
    before: Sequence[int]
    wanting: int
    plan: BarPlan

    @property
    def is_new(self) -> bool:
        """Whether other looks are planned than before."""
        return list(self.before) != list(self.what.looks)


def planned(workspace: Workspace, bar: TrustBar, looks: Sequence[int]) -> LookPlanning:
    """Return a plan of looks at a bar, as a fact that is not saved yet.

    `looks` are numbers of audits, in order. Raises Refused without a sample, after the first
    verdict, for a bar without a number or out of range, for a bar on the judge if the sample is not
    blind, for a look that the sample can never reach, and for more than `MOST_LOOKS` looks at one
    number.
    """
    sample = workspace.design.sample()
    if sample is None:
        raise no_sample(workspace.path)
    if first_verdict(workspace.db) is not None:
        raise Refused(
            f"It is too late to plan looks: something is {sample.done_word} already, and whoever"
            " has seen a number may choose looks that suit it. Where no look was planned for a"
            " number, the complete sample is the one look at it, whatever the bar."
        )
    traits = estimated_traits(workspace.rubric.every_trait())
    hold_in_range(traits, bar)
    if bar.is_on_judge and not sample.last.blind:
        raise Refused(SIGHTED)
    if sample.has_own_chances and looks[-1] > len(sample):
        raise Refused(
            f"No look can be at {looks[-1]:,}: {len(sample):,} are drawn, and nothing can be added"
            " to this sample."
        )
    if looks[-1] > sample.last.frame:
        raise Refused(
            f"No look can be at {looks[-1]:,}: {sample.last.frame:,} could be drawn in all."
        )
    facts = of_this_sample(workspace.design.facts())
    same = of_same_number(traits, plans(facts), bar)
    before = plan_for(bar, same, 0)
    new = BarPlan(bar, looks, LEVEL, facts[-1].n + 1)
    plan = plan_for(bar, [*same, new], 0)
    if len(plan.sharing) > MOST_LOOKS:
        text = ", ".join(map(str, plan.sharing))
        raise Refused(
            f"These would be {len(plan.sharing)} looks at one number ({text}), which share one"
            f" level: plan {MOST_LOOKS} at the most, or several bars at the same looks."
        )
    return LookPlanning(
        LooksPlanned(bar.trait, bar.condition, list(looks), LEVEL),
        before.looks if before.of is not None else (),
        max(looks[-1] - len(sample), 0),
        plan,
    )


def keep_looks(bench: Workbench, gates: Iterable[Gate]) -> int:
    """Save the looks that are not saved yet, and return how many these are.

    Nothing is saved in a session that only reads; returns 0.
    """
    if bench.readonly:
        return 0
    kept: set[tuple[str | int, ...]] = set()
    for fact in bench.workspace.design.facts():
        if isinstance(fact.what, Looked | LookedUnplanned):
            kept.add(_of(fact.what))
    count = 0
    for one in gates:
        for look in one.standing.new:
            if _of(look) not in kept:
                kept.add(_of(look))
                bench.record(look)
                count += 1
    return count


def _of(look: Looked | LookedUnplanned) -> tuple[str | int, ...]:
    """Return what tells a look from others: plan and number, or without a plan trait and bar."""
    if isinstance(look, Looked):
        return look.of, look.look
    return look.trait, look.bar
