"""Which number of an audit a bar is about."""

from collections.abc import Iterable, Sequence

from appellate.core.kind import Measure
from appellate.core.problem import Refused, closest, quoted
from appellate.stats.looks import TrustBar
from appellate.worth.worths import EstimatedTrait

MOST_LISTED = 12


def number_of(traits: Sequence[EstimatedTrait], bar: TrustBar) -> tuple[EstimatedTrait, Measure]:
    """The traits and the measure that a bar is about; raises Refused."""
    meant = _meant(traits, bar)
    found: list[tuple[EstimatedTrait, Measure]] = []
    for one in meant:
        found += [(one, measure) for measure in one.measures if measure.name == bar.measure]
    if not found:
        raise Refused(_unknown(meant, bar))
    together: set[str] = set()
    for one, _ in found:
        if not one.name:
            together.update(one.names)
    found = [pair for pair in found if pair[0].name not in together]
    if len(found) > 1:
        whose = _listed(one.told for one, _ in found)
        told = f"{bar.measure} means several numbers here, of {whose}"
        raise Refused(f"{told}: write TRAIT:{bar.condition}.")
    return found[0]


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
        names |= dict.fromkeys(measure.name for measure in one.measures)
    whose = "The rubric"
    if bar.trait:
        whose = f"Trait {quoted(bar.trait)}"
    return f"{whose} has no measure {quoted(bar.measure)}; it has {_listed(names)}."


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    told = ", ".join(known[:MOST_LISTED])
    rest = len(known) - MOST_LISTED
    if rest > 0:
        told += f" and {rest} more"
    return told
