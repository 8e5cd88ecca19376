"""Whether a bar is reached, from a sample as far as it is audited: by the responses, as people
would rule on them, or by the judge; and planning the looks at it.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.design_facts import Looked, LookedUnplanned, LooksPlanned, of_this_sample
from appellate.core.kind import Measure
from appellate.core.problem import Refused
from appellate.numbers.bars import (
    AskedBar,
    BarPlan,
    BarStanding,
    as_asked,
    asked_bars,
    drawn_before,
    hold_in_range,
    number_of,
    of_same_number,
    plan_for,
    plans,
    standing,
)
from appellate.numbers.estimates import (
    AuditedSample,
    ChosenCells,
    EstimatedTrait,
    Worth,
    audited_part,
    estimated_traits,
    worth,
)
from appellate.numbers.judge_numbers import SIGHTED, JudgeNumber, judge_number
from appellate.session.workbench import Workbench
from appellate.stats.estimates import Interval
from appellate.stats.looks import LEVEL, MOST_LOOKS, TrustBar
from appellate.store.samples.sample_frame import read_frame
from appellate.store.samples.sample_plans import draw_command
from appellate.store.samples.sampling import first_verdict
from appellate.store.workspace import Workspace


def no_sample(path: Path) -> Refused:
    """Why nothing is decided in the workspace at a path, and the command that helps."""
    command = draw_command(len(read_frame(path).units))
    text = f"There is no random sample, and an interval needs one: `{command}` draws it."
    return Refused(text)


class Gate(Struct, frozen=True):
    """A bar, how far it is decided, and the number as it is now with the interval of a look.

    `more` audits would about decide, were the number to stay as it is; None where that cannot be
    told. `planned` looks were planned before the first verdict. `beside` are the planned bars on
    the same number, where this one was not. `wanting` is why the sample decides nothing at all.
    """

    trait: EstimatedTrait
    measure: Measure
    standing: BarStanding
    now: Worth | JudgeNumber
    more: int | None
    beside: Sequence[BarPlan] = ()
    wanting: str = ""

    @property
    def bar(self) -> TrustBar:
        return self.standing.plan.bar

    @property
    def planned(self) -> bool:
        return self.standing.plan.of is not None


def gate(at: AuditedSample, bar: TrustBar) -> Gate:
    """How far a bar is decided; raises Refused for one that the audit has no number for."""
    trait, measure = number_of(at.traits, bar)
    same = of_same_number(at.traits, plans(at.facts), bar)
    plan = plan_for(bar, same, _drawn(at, trait))
    asked: Sequence[AskedBar] = ()
    if plan.of is None and not same:
        asked = of_same_number(at.traits, asked_bars(at.facts), bar)
    if asked:
        plan = replace(plan, looks=(asked[0].seen.units,))
    if at.faults:
        part = audited_part(at.units, ChosenCells(trait.names, trait.measures[0]))
        nothing = Worth(trait, measure, None, part, None, at.wanting)
        return Gate(trait, measure, BarStanding(plan, (), part.n), nothing, None, (), at.wanting)
    number = judge_number if bar.is_on_judge else worth
    if bar.is_on_judge and not at.sample.last.blind:
        raise Refused(SIGHTED)
    now = number(at.units, trait, measure, coverage=plan.coverage)

    def estimated(n: int, coverage: float) -> Interval | None:
        return number(at.units, trait, measure, first=n, coverage=coverage).deciding

    decided = standing(plan, at.facts, now.part.n, estimated)
    if asked:
        decided = as_asked(plan, asked, now.part.n)
    beside: Sequence[BarPlan] = ()
    if plan.of is None:
        beside = same
    more = None if beside else _more(now, bar)
    return Gate(trait, measure, decided, now, more, beside)


def _more(now: Worth | JudgeNumber, bar: TrustBar) -> int | None:
    """About how many audits more would decide, were the number to stay as it is."""
    if now.interval is None or now.interval.value == bar.value:
        return None
    return now.needed(abs(now.interval.value - bar.value))


def _drawn(at: AuditedSample, trait: EstimatedTrait) -> int:
    """How many units of a trait were drawn before the first verdict."""
    limit, size = drawn_before(at.facts, at.verdict), 0
    for unit in at.units:
        if unit.place is not None and unit.place < limit:
            size += any(name in unit.cells for name in trait.names)
    return size


class LookPlanning(Struct, frozen=True):
    """A plan of looks at a bar, after how many audits it was to be decided until now (none: never),
    and how many more units have to be drawn for the last look. `plan` is how it stands among the
    other plans for the same number.
    """

    bar: TrustBar
    what: LooksPlanned
    before: Sequence[int]
    wanting: int
    plan: BarPlan

    @property
    def is_new(self) -> bool:
        """Whether it is not what is planned already."""
        return list(self.before) != list(self.what.looks)


def planned(workspace: Workspace, bar: TrustBar, looks: Sequence[int]) -> LookPlanning:
    """The fact that plans looks at a bar; raises Refused where it is too late, or none of them can
    be.
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
        bar,
        LooksPlanned(bar.trait, bar.condition, list(looks), LEVEL),
        before.looks if before.of is not None else (),
        max(looks[-1] - len(sample), 0),
        plan,
    )


def keep_looks(bench: Workbench, gates: Iterable[Gate]) -> int:
    """Keeps the looks that were taken and that no fact tells of; how many. None where this process
    only reads.
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
    """What a look is kept under, once."""
    if isinstance(look, Looked):
        return look.of, look.look
    return look.trait, look.bar
