"""Plan when a bar is decided, before the first verdict: at looks, or at any look.

`planned()` makes the fact that `gate --plan` and the screen record. Which intervals the bar will
have is decided here, by what is known before anybody rules.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.design_facts import LooksPlanned, Sample, of_this_sample
from appellate.core.kind import Measure
from appellate.core.problem import Refused
from appellate.numbers.bars import (
    BarPlan,
    count_numbers,
    hold_in_range,
    no_sample,
    number_of,
    of_same_number,
    plan_for,
    rule_name,
    shared_plans,
)
from appellate.numbers.differences import base_measure, read_difference
from appellate.numbers.estimates import (
    BIAS,
    MOST_DECIDED,
    SIGHTED,
    AuditedSample,
    AuditUnit,
    EstimatedTrait,
    UnitCell,
    estimated_traits,
    never_exact,
)
from appellate.numbers.exact import CornersOfUnits, RuleName
from appellate.numbers.formatting import percent
from appellate.numbers.samples import sample_at
from appellate.stats.designs import TOO_LARGE
from appellate.stats.look_plans import LookPlan
from appellate.stats.looks import LEVEL, MOST_LOOKS, TrustBar
from appellate.store.samples.sampling import first_verdict
from appellate.store.workspace import Workspace


class LookPlanning(Struct, frozen=True):
    """A plan for a bar, beside what was planned before."""

    what: LooksPlanned
    before: Sequence[int]
    """The looks that it replaces."""
    wanting: int
    """How many units must still be drawn for the last look."""
    plan: BarPlan
    """The plan, with what shares its level."""
    is_new: bool = True
    """Whether it differs from what is planned already."""
    became_any: str = ""
    """Why planned looks became a plan for any look; "" if they did not."""


def planned(
    workspace: Workspace,
    bar: TrustBar,
    wish: LookPlan,
    read_sample: Callable[[Path], AuditedSample | None] = sample_at,
) -> LookPlanning:
    """Return a plan of when a bar is decided, with the fact to record for it; nothing is saved.

    It says what it replaces, and how many units must still be drawn. Looks become a plan for any
    look where intervals by residuals would be too narrow; `became_any` says why. Looks at a
    difference, and at the judge's numbers but bias, always do. `wish` is what a person asked for.
    `read_sample` reads the sample of a workspace; a caller that asks at every key keeps what it
    read.

    Raises Refused, with a sentence, if that cannot be planned:

    - There is no sample, or its first verdict was given already.
    - The bar has no number, is out of its range, or is on the judge where people do not rule blind.
    - A look or the horizon is beyond what can be drawn.
    - There are more than `MOST_LOOKS` looks at one number.
    - No interval of the number follows the rule.
    - Of the plan and that of another bar on the number, one is for any look, and the other is not.
    """
    sample = workspace.design.sample()
    if sample is None:
        raise no_sample(workspace.path)
    if first_verdict(workspace.db) is not None:
        raise Refused(
            f"It is too late to plan looks: something is {sample.done_word} already, and whoever"
            " has seen a number may choose looks that suit it. Where no look was planned for a"
            " number, its interval holds at every look, so the bar can be tested without a plan.",
        )
    traits = estimated_traits(workspace.rubric.every_trait())
    hold_in_range(traits, bar)
    trait, measure = number_of(traits, bar)
    if bar.is_on_judge and not sample.last.blind:
        raise Refused(SIGHTED)
    last = wish.looks[-1] if wish.looks else wish.horizon or 0
    _check_reach(sample.waves[-1], last)
    sampled = read_sample(workspace.path)
    if sampled is None:
        raise no_sample(workspace.path)
    audit = sampled.last_wave
    base = base_measure(trait, measure)
    impossible = never_exact(audit.units, trait, base)
    became_any = ""
    if wish.is_any and impossible:
        raise Refused(
            f"{bar} cannot be decided at any look: {impossible}. "
            "Plan looks, as in --plan 40,60,80.",
        )
    if impossible and base is not measure:
        raise Refused(f"{bar} cannot be decided: {impossible}.")
    if not wish.is_any and not impossible:
        became_any = _why_any(audit.units, bar, trait, measure, last)

    rule: RuleName = "any" if wish.is_any or became_any else "looks"
    horizon = wish.horizon if wish.is_any else last
    looks_planned = LooksPlanned(
        bar.trait,
        bar.condition,
        list(wish.looks),
        LEVEL,
        rule,
    )
    if rule == "any":
        looks_planned = LooksPlanned(bar.trait, bar.condition, [], LEVEL, rule, horizon)
    return _with_other_plans(workspace, audit, bar, looks_planned, became_any)


def _check_reach(sample: Sample, last: int) -> None:
    """Raise Refused for a last look or a horizon, in audited units, that can never be reached.

    That is one beyond all that could be drawn, and for a sample with unequal chances one beyond
    what is drawn. Else return None, also for a look at which more must be drawn first.
    """
    if sample.has_own_chances and last > len(sample):
        raise Refused(
            f"No look can be at {last:,}: {len(sample):,} are drawn, and nothing can be added"
            " to this sample.",
        )
    if last > sample.last.frame:
        raise Refused(
            f"No look can be at {last:,}: {sample.last.frame:,} could be drawn in all.",
        )


SMALL_FRAME = 100
"""Units of a frame in which half is soon drawn."""


def _why_any(
    units: Sequence[AuditUnit],
    bar: TrustBar,
    trait: EstimatedTrait,
    measure: Measure,
    last: int,
) -> str:
    """Return as a clause why looks up to the `last` become a plan for any look; "" if they do not.

    They do for a difference of groups, for numbers of the judge but bias, and where intervals at
    planned looks would be too narrow. It depends on nothing but what is known before the first
    verdict.
    """
    if read_difference(bar.measure) is not None:
        return "it is a difference"
    if bar.is_on_judge and measure.name != BIAS:
        return "numbers of the judge have an interval that holds at any look"
    why_narrow = _why_too_narrow(units, trait, measure, last)
    if why_narrow:
        return f"{why_narrow}: intervals that hold at planned looks would be too narrow"
    return ""


def _why_too_narrow(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    last: int,
) -> str:
    """Return in a clause why intervals by residuals are too narrow by the `last` look, or "".

    `last` counts audited units. The reasons in order: a frame of at most `SMALL_FRAME` units, a
    last look at more than `MOST_DECIDED` of it, and a few units with many more items than most.
    Only units with cells of the trait count. Units that were drawn whole are not among the few
    large ones, unless all were drawn whole: then they are as any units. Raises NeverExact if
    nothing bounds what people could say of a unit.
    """
    chosen: list[Sequence[UnitCell]] = []
    left_to_chance: list[Sequence[UnitCell]] = []
    for unit in units:
        cells = unit.chosen(trait, None)
        if cells:
            chosen.append(cells)
            if not unit.is_whole:
                left_to_chance.append(cells)
    frame = len(chosen)
    if frame <= SMALL_FRAME:
        return f"only {frame:,} could be drawn"
    if last > MOST_DECIDED * frame:
        return f"the last look is at more than {percent(MOST_DECIDED)} of the {frame:,}"
    corners = CornersOfUnits(measure, 0)
    items: list[float] = []
    for unit_cells in left_to_chance or chosen:
        known_traits = [cell.known for cell in unit_cells]
        items.append(max(corner.b for corner in corners.of(known_traits)))
    if max(items) > TOO_LARGE * fmean(items):
        return "a few units have many more items than most"
    return ""


def _refuse_another_rule(new: BarPlan, other_plans: Iterable[BarPlan]) -> None:
    """Raise Refused if one plan is for any look and another for the same number is not.

    `new` is the plan to be made, and `other_plans` those for its number that there are. The
    sentence is on the first of them that differs. Else return None.
    """
    for other_plan in other_plans:
        if other_plan.is_any == new.is_any:
            continue
        kind = "any look"
        if not other_plan.is_any:
            kind = f"looks at {', '.join(map(str, other_plan.looks))}"
        raise Refused(
            f"{other_plan.bar} is planned for {kind}, and bars on one number share its interval:"
            f" plan {new.bar.condition} the same way.",
        )


def _with_other_plans(
    workspace: Workspace,
    audit: AuditedSample,
    bar: TrustBar,
    looks_planned: LooksPlanned,
    became_any: str,
) -> LookPlanning:
    """Return a plan of looks at a bar, with the other plans for its number taken into
    account.

    It has what is to be recorded, which looks of the bar it replaces, how many units must
    still be drawn for the last look, and whether it differs from what is planned.
    `became_any`, why looks became a plan for any look, is only passed on. All looks at the
    number, or all numbers with a plan for any look, share its level. Nothing is saved.

    Raises Refused for a plan for any look if another bar on the number has given looks, and
    the other way round. Raises Refused, too, for more than `MOST_LOOKS` looks at the number
    in all, and for a bar that has no number; ValueError for a plan whose bar cannot be
    read.
    """
    facts = of_this_sample(workspace.design.facts())
    all_plans = shared_plans(audit)
    same_number = of_same_number(audit.traits, all_plans, bar)
    unplanned = BarPlan(bar)
    previous = plan_for(bar, same_number, unplanned)
    rule = rule_name(looks_planned.rule)
    new = BarPlan(
        bar,
        tuple(looks_planned.looks),
        LEVEL,
        facts[-1].n + 1,
        rule=rule,
        horizon=looks_planned.horizon,
    )
    other_plans = [
        plan for plan in same_number if replace(plan.bar, trait=bar.trait) != bar
    ]
    _refuse_another_rule(new, other_plans)
    plan = plan_for(bar, [*same_number, new], unplanned)
    if new.is_any:
        plan = replace(plan, numbers=count_numbers(audit, [*all_plans, new]))
    if len(plan.sharing) > MOST_LOOKS:
        text = ", ".join(map(str, plan.sharing))
        raise Refused(
            f"These would be {len(plan.sharing)} looks at one number ({text}), which share one"
            f" level: plan {MOST_LOOKS} at the most, or several bars at the same looks.",
        )
    is_planned = (
        previous.of is not None and replace(previous.bar, trait=bar.trait) == bar
    )
    same_as_before = (previous.rule, list(previous.looks), previous.horizon)
    last = (
        looks_planned.looks[-1] if looks_planned.looks else looks_planned.horizon or 0
    )
    return LookPlanning(
        looks_planned,
        previous.looks if is_planned else (),
        max(last - len(audit.sample), 0),
        plan,
        not is_planned
        or same_as_before != (rule, list(looks_planned.looks), looks_planned.horizon),
        became_any,
    )
