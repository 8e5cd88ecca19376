"""What is wrong with the design in an audit file, beyond the shape of its tables: a sample must be
of the traces that are there.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from appellate.core.design_facts import DesignFact, Looked, LooksPlanned, Sampled, Withdrawn
from appellate.core.samples import DESIGNS
from appellate.core.trace import TraceKey, name_of
from appellate.stats import designs, looks


def design_faults(
    facts: Sequence[DesignFact], traces: Collection[TraceKey]
) -> Iterator[tuple[int, str]]:
    """The number of each fact that cannot be, and why."""
    drawn: set[TraceKey] = set()
    units = 0
    plans: dict[int, LooksPlanned] = {}
    for fact in facts:
        match fact.what:
            case Sampled():
                units += len(fact.what.drawn)
                for wrong in _sample_faults(fact.what, traces, drawn):
                    yield fact.n, wrong
            case Withdrawn():
                if not drawn or fact.what.units != units:
                    yield fact.n, f"it withdrew {fact.what.units} units, and {units} were drawn"
                drawn, units, plans = set(), 0, {}
            case LooksPlanned():
                plans[fact.n] = fact.what
                if wrong := _plan_fault(fact.what):
                    yield fact.n, wrong
            case Looked(of) if of not in plans or _plan_fault(plans[of]):
                yield fact.n, f"it looked by a plan n = {of}, and there is none before it"
            case Looked(of) if not _is_look(fact.what, plans[of]):
                yield fact.n, "its decision is not what its plan, its bar and its interval come to"


def _plan_fault(plan: LooksPlanned) -> str:
    try:
        looks.read_bar(plan.bar)
    except ValueError as error:
        return f"bar = {plan.bar!r}: {error}"
    numbers = plan.looks
    last = 0
    for number in numbers:
        if type(number) is not int or not last < number <= designs.MOST:
            return "looks are planned at growing numbers of audits"
        last = number
    if not last or not 0 < plan.level < 1:
        return "looks are planned at numbers of audits, with a level between 0 and 1"
    return ""


def _is_look(looked: Looked, plan: LooksPlanned) -> bool:
    """Whether a look is one of its plan, and decided as its interval says."""
    if not 0 < looked.look <= len(plan.looks) or looked.units != plan.looks[looked.look - 1]:
        return False
    decision = looks.read_decision(looked.decision)
    if looked.low is None or looked.high is None or looked.value is None:
        return decision == "undecided"
    if looked.low > looked.high:
        return False
    return looks.read_bar(plan.bar).decide(looked.low, looked.high) == decision


def _sample_faults(
    sampled: Sampled, traces: Collection[TraceKey], drawn: set[TraceKey]
) -> Iterator[str]:
    """What is wrong with one draw; `drawn` are the traces drawn before, and comes to hold its
    own.
    """
    wrong = _frame_fault(sampled)
    if wrong:
        yield wrong
        return
    names = {stratum["name"] for stratum in sampled.strata}
    for one in sampled.drawn:
        keys = _keys(one)
        if keys is None or one.get("stratum") not in names:
            yield "what is drawn has traces, each an id and an epoch, and one of the strata"
            return
        for key in keys:
            if key not in traces:
                yield f"there is no trace {name_of(*key)}, which it drew"
            if key in drawn:
                yield f"trace {name_of(*key)} is drawn twice"
            drawn.add(key)


def _frame_fault(sampled: Sampled) -> str:
    """What is wrong with what a draw is from; "" for nothing."""
    if sampled.design not in DESIGNS:
        return f"there is no design {sampled.design!r}"
    if not sampled.strata or not all(map(_is_stratum, sampled.strata)):
        return "a stratum has a name, its units, and how many of them are drawn"
    units = 0
    for stratum in sampled.strata:
        units += stratum["units"]
    if sampled.frame != units:
        return f"frame = {sampled.frame} is not the sum of the strata's units"
    try:
        told = set(designs.read(sampled.frame_strata))
    except ValueError as error:
        return f"frame_strata tells no strata ({error})"
    if not told <= {None, *range(len(sampled.strata))}:
        return "frame_strata has more strata than there are"
    return ""


def _is_stratum(stratum: object) -> bool:
    if not isinstance(stratum, Mapping) or not isinstance(stratum.get("name"), str):
        return False
    units, drawn, chance = (stratum.get(key) for key in ("units", "drawn", "chance"))
    if chance is not None and not (type(chance) in (int, float) and 0 < chance <= 1):
        return False
    return type(units) is int and type(drawn) is int and 0 <= drawn <= units and units > 0


def _keys(one: Any) -> list[TraceKey] | None:
    """The traces of a drawn unit; None where it tells none."""
    if not isinstance(one, Mapping) or not isinstance(one.get("traces"), list):
        return None
    keys: list[TraceKey] = []
    for key in one["traces"]:
        if not (isinstance(key, list) and [type(part) for part in key] == [str, int]):
            return None
        keys.append((key[0], key[1]))
    return keys or None
