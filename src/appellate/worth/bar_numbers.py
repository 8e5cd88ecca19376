"""Which number of an audit a bar is about."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from appellate.core.kind import Measure
from appellate.core.problem import Refused, closest, quoted
from appellate.core.scale import NO_BOUND
from appellate.stats.looks import TrustBar
from appellate.worth.bar_plans import AskedBar, BarPlan
from appellate.worth.judge_numbers import judge_measures, whole_traits
from appellate.worth.worths import EstimatedTrait

MOST_LISTED = 12
AnyBar = TypeVar("AnyBar", BarPlan, AskedBar)


def number_of(traits: Sequence[EstimatedTrait], bar: TrustBar) -> tuple[EstimatedTrait, Measure]:
    """The traits and the measure that a bar is about; raises Refused."""
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
    """What a bar of this sort may be on."""
    return judge_measures(trait) if bar.is_on_judge else trait.measures


def hold_in_range(traits: Sequence[EstimatedTrait], bar: TrustBar) -> None:
    """Raises Refused for a bar that its measure can never be on one side of, or has no number."""
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
    traits: Sequence[EstimatedTrait], plans: Sequence[AnyBar], bar: TrustBar
) -> list[AnyBar]:
    """Those whose bar is about the same number as this one."""
    meant = _identity(traits, bar)
    found: list[AnyBar] = []
    for plan in plans:
        try:
            if _identity(traits, plan.bar) == meant:
                found.append(plan)
        except Refused:  # the rubric has no such number any more
            continue
    return found


def _identity(traits: Sequence[EstimatedTrait], bar: TrustBar) -> tuple[str, str, str]:
    trait, measure = number_of(traits, bar)
    return trait.kind.name, trait.name, measure.name


def _meant(traits: Sequence[EstimatedTrait], bar: TrustBar) -> Sequence[EstimatedTrait]:
    """The traits of the bar's name, all where it has none."""
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
    names: dict[str, None] = {}
    for one in meant:
        names |= dict.fromkeys(measure.name for measure in _named(one, bar))
    whose = "The rubric"
    if bar.trait:
        whose = f"Trait {quoted(bar.trait)}"
    return f"{whose} has no measure {quoted(bar.measure)}; it has {_listed(names)}."


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    text = ", ".join(known[:MOST_LISTED])
    rest = len(known) - MOST_LISTED
    if rest > 0:
        text += f" and {rest} more"
    return text
