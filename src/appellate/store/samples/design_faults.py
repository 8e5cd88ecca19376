"""What is wrong with the design in an audit file, beyond the shape of its tables.

A draw follows from its frame and its seed, and every cell of a drawn trace tells of it: a draw
that was edited by hand does not agree with itself (`sample_faults`). Such a file can be read,
and its sample decides nothing.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import isclose
from typing import Annotated, TypeVar

from msgspec import Meta, Struct, ValidationError, convert

from appellate.core.design_facts import (
    DESIGNS,
    FIRST_WAVE,
    GIANTS,
    DesignFact,
    Looked,
    LooksPlanned,
    RubricTaken,
    RubricTakenAgain,
    RubricTakenBack,
    Sampled,
    WaveSampled,
    Withdrawn,
    wave_name,
    waves_of,
)
from appellate.core.problem import many
from appellate.core.trace import TraceKey, name_of
from appellate.stats import designs, looks
from appellate.stats.designs import CannotDraw, FrameUnit

NOT_ITS_DECISION = "its decision is not what its plan, its bar and its interval come to"


def design_faults(  # noqa: C901, PLR0912 - a case for each fact
    facts: Sequence[DesignFact],
    traces: Collection[TraceKey],
) -> Iterator[tuple[int, str]]:
    """Yield the number of each fact that contradicts those before it, and why.

    `traces` are the keys of all traces of the file.
    """
    drawn_traces: set[TraceKey] = set()
    waves: list[_DrawnWave] = []
    plans: dict[int, LooksPlanned] = {}
    rubrics: dict[int, bool] = {}  # the acts that took one, and whether it is in force
    for fact in facts:
        match fact.what:
            case Sampled():
                if wrong := _wave_fault(fact.what, waves):
                    yield fact.n, wrong
                    continue
                if not waves or waves[-1].name != wave_name(fact.what):
                    waves.append(_DrawnWave(wave_name(fact.what), 0, set(drawn_traces)))
                waves[-1].units += len(fact.what.drawn)
                for wrong in _sample_faults(fact.what, traces, drawn_traces):
                    yield fact.n, wrong
            case Withdrawn():
                units = waves[-1].units if waves else 0
                if not drawn_traces or fact.what.units != units:
                    wrong = (
                        f"it withdrew {fact.what.units} units, and {units} were drawn"
                    )
                    yield fact.n, wrong
                drawn_traces = waves.pop().traces_before if waves else set()
                if not waves:
                    plans = {}
            case LooksPlanned():
                plans[fact.n] = fact.what
                if wrong := _plan_fault(fact.what):
                    yield fact.n, wrong
            case Looked(fact_no) if fact_no not in plans or _plan_fault(plans[fact_no]):
                wrong = (
                    f"it looked by a plan n = {fact_no}, and there is none before it"
                )
                yield fact.n, wrong
            case RubricTaken():
                rubrics[fact.n] = True
            case RubricTakenBack(fact_no) if not rubrics.get(fact_no):
                wrong = f"it took back a rubric n = {fact_no}, which is not in force"
                yield fact.n, wrong
            case RubricTakenAgain(fact_no) if rubrics.get(fact_no) is not False:
                yield (
                    fact.n,
                    f"it took a rubric n = {fact_no} again, and none had been taken back",
                )
            case RubricTakenBack(fact_no):
                rubrics[fact_no] = False
            case RubricTakenAgain(fact_no):
                rubrics[fact_no] = True
            case Looked(fact_no) if not _is_look(fact.what, plans[fact_no]):
                yield fact.n, NOT_ITS_DECISION


class _DrawnWave(Struct):
    """A wave that was drawn: its units, and the traces that were drawn before it."""

    name: str
    units: int
    traces_before: set[TraceKey]


def _wave_fault(sampled: Sampled, waves: Sequence[_DrawnWave]) -> str:
    """Return why a draw cannot follow some waves, as a clause; "" if it can.

    It can begin a wave with a name that none has, or add to the last one. A draw of a wave has a
    name; a draw without one can only be of the first wave.
    """
    name = wave_name(sampled)
    if isinstance(sampled, WaveSampled) and not name.strip():
        return "a wave has a name"
    if not waves or waves[-1].name == name:
        return ""
    if not name:
        return "it adds to a first draw, and a wave was drawn since"
    if any(wave.name == name for wave in waves):
        return f"it adds to the wave {name}, and another was drawn since"
    return ""


def _plan_fault(plan: LooksPlanned) -> str:
    """Return what is wrong with a plan of looks, a clause; "" if it is right.

    Only the first fault is told.
    """
    try:
        looks.read_bar(plan.bar)
    except ValueError as error:
        return f"bar = {plan.bar!r}: {error}"
    if plan.rule not in (None, "any", "looks"):
        return f"rule = {plan.rule!r} is none that this version knows"
    if not 0 < plan.level < 1:
        return "looks are planned at numbers of audits, with a level between 0 and 1"
    if plan.rule == "any":
        horizon = plan.horizon
        is_horizon = horizon is None or 0 < horizon <= designs.MOST
        if plan.looks or not is_horizon:
            return "a plan for any look has no looks, and is for one or more audits"
        return ""
    numbers = plan.looks
    last = 0
    for number in numbers:
        if type(number) is not int or not last < number <= designs.MOST:
            return "looks are planned at growing numbers of audits"
        last = number
    if not last:
        return "looks are planned at numbers of audits, with a level between 0 and 1"
    return ""


def _is_look(looked: Looked, plan: LooksPlanned) -> bool:
    """Return whether a look is one of its plan, and decided as its interval says.

    It may also be undecided whatever its interval: not every interval decides.
    """
    if not _is_at_look(looked, plan):
        return False
    decision = looks.read_decision(looked.decision)
    if decision == "undecided":
        return True
    if looked.low is None or looked.high is None or looked.value is None:
        return False
    if looked.low > looked.high:
        return False
    bar = looks.read_bar(plan.bar)
    return bar.decide(looked.low, looked.high) == decision


def _is_at_look(looked: Looked, plan: LooksPlanned) -> bool:
    """Return whether a look has a number of its plan, and the units that the plan has for it.

    By the rule "any" there is one look, at any number of units from 1.
    """
    if plan.rule == "any":
        return looked.look == 1 and looked.units >= 1
    if not 0 < looked.look <= len(plan.looks):
        return False
    return looked.units == plan.looks[looked.look - 1]


def _sample_faults(
    sampled: Sampled,
    traces: Collection[TraceKey],
    drawn_traces: set[TraceKey],
) -> Iterator[str]:
    """Yield in clauses what is wrong with one draw, and add its traces to `drawn_traces`.

    Nothing is added from the first unit of a wrong form on.
    """
    wrong = _frame_fault(sampled)
    if wrong:
        yield wrong
        return
    names = {stratum["name"] for stratum in sampled.strata}
    for unit_table in sampled.drawn:
        unit = _fits(unit_table, _Unit)
        if unit is None or unit.stratum not in names:
            yield "what is drawn has traces, each an id and an epoch, and one of the strata"
            return
        for key in unit.traces:
            if key not in traces:
                yield f"there is no trace {name_of(*key)}, which it drew"
            if key in drawn_traces:
                yield f"trace {name_of(*key)} is drawn twice"
            drawn_traces.add(key)


def _frame_fault(sampled: Sampled) -> str:
    """Return in a clause what is wrong with a draw's design, strata or frame; "" if nothing is.

    Only the first fault is told.
    """
    if sampled.design not in DESIGNS:
        return f"there is no design {sampled.design!r}"
    wrong_stratum = "a stratum has a name, its units, and how many of them are drawn"
    if not sampled.strata:
        return wrong_stratum
    for table in sampled.strata:
        stratum = _fits(table, _Stratum)
        if stratum is None or stratum.drawn > stratum.units:
            return wrong_stratum
    if sampled.design == GIANTS:
        giants_fault = _giants_fault(sampled)
        if giants_fault:
            return giants_fault
    units = sum(table["units"] for table in sampled.strata)
    if sampled.frame != units:
        return f"frame = {sampled.frame} is not the sum of the strata's units"
    try:
        values = set(designs.read(sampled.frame_strata))
    except ValueError as error:
        return f"frame_strata tells no strata ({error})"
    if not values <= {None, *range(len(sampled.strata))}:
        return "frame_strata has more strata than there are"
    return ""


def _giants_fault(sampled: Sampled) -> str:
    """Return in a clause why a draw cannot be of the design "giants"; "" if it can.

    The strata must have their form already. Which units are the largest is not checked: any that
    were chosen before the first verdict leave the others' numbers right.
    """
    if len(sampled.strata) != 2 or sampled.strata_by:  # noqa: PLR2004 - the largest, the others
        return "a draw beside the largest has two strata, the largest and the others"
    largest = sampled.strata[0]
    if largest["drawn"] != largest["units"]:
        return f"of the {largest['units']} largest it drew {largest['drawn']}, where all are drawn"
    return ""


class _Stratum(Struct):
    name: str
    units: Annotated[int, Meta(gt=0)]
    drawn: Annotated[int, Meta(ge=0)]
    chance: Annotated[float, Meta(gt=0, le=1)] | None = None


class _Unit(Struct):
    traces: Annotated[list[TraceKey], Meta(min_length=1)]
    stratum: str


_Shape = TypeVar("_Shape", _Stratum, _Unit)


def _fits(table: object, shape: type[_Shape]) -> _Shape | None:
    """Return a table of a file as a `shape`; None if it is of another form."""
    try:
        return convert(table, shape)
    except ValidationError:
        return None


# -- a sample that does not agree with itself ------------------------------------------------------

OUT, IN_SIGHT, BLIND = range(3)
"""What a cell says of the draw: nothing, that it was drawn in sight of the judge, or blind."""
_FRAME = (
    "design",
    "strata_by",
    "seed",
    "blind",
    "frame",
    "frame_sha256",
    "frame_strata",
)


class FramedTrace(Struct, frozen=True):
    """A trace of the file, and what its cells tell of the draw."""

    key: TraceKey
    cluster: str
    """The name of its cluster, or ""."""
    known: Collection[int]
    """For its cells, each once: `OUT` of the sample, drawn `IN_SIGHT` of the judge, or `BLIND`."""


def sample_faults(
    facts: Sequence[DesignFact],
    traces: Sequence[FramedTrace],
) -> Iterator[str]:
    """Yield in clauses how the sample of an audit contradicts itself.

    `traces` are all traces of the file, in order. Of each wave only the first fault is told, with
    the wave's name before it if there are several. What the cells tell of the draws comes last.
    Yields nothing without a sample.
    """
    waves = waves_of(facts)
    if not waves:
        return
    before: list[Sampled] = []
    for wave in waves:
        draws = wave.draws
        wrong = _wave_frame_fault(draws[0], before)
        if not wrong:
            members = _members(draws[0].frame_strata, traces)
            wrong = _other_frame(draws, list(members))
        if not wrong:
            keys = {unit.name: trace_keys for unit, trace_keys in members.items()}
            wrong = _other_draw(draws, list(members), keys)
        if wrong and len(waves) > 1:
            wrong = f"{wave.name or FIRST_WAVE}: {wrong}"
        if wrong:
            yield wrong
        before.append(draws[0])
    all_draws: list[Sampled] = []
    for wave in waves:
        all_draws.extend(wave.draws)
    yield from _other_histories(all_draws, traces)


def _wave_frame_fault(draw: Sampled, before: Sequence[Sampled]) -> str:
    """Return why a draw cannot be the first of a wave after the first draws `before`, a clause.

    It must have a seed that none of them has, and be blind if and only if they are. Its frame must
    have no trace that existed at the last of them. The clause is "" if it can, and without earlier
    draws; only the first fault is told.
    """
    if not before:
        return ""
    if any(earlier.seed == draw.seed for earlier in before):
        return f"it has the seed {draw.seed} of an earlier wave"
    if any(earlier.blind != draw.blind for earlier in before):
        return "it is blind, or not, where an earlier wave is otherwise"
    known = len(designs.read(before[-1].frame_strata))
    if any(stratum is not None for stratum in designs.read(draw.frame_strata)[:known]):
        return "its frame has traces that there were at the draw before it"
    return ""


def _members(
    written: str,
    traces: Sequence[FramedTrace],
) -> dict[FrameUnit, list[TraceKey]]:
    """Return the units that could be drawn, each with its traces.

    `written` is the `frame_strata` of a draw. Traces without a stratum are left out, and those that
    were added after it. Those of one cluster are one unit, in the stratum of its first trace.
    """
    strata: dict[str, int] = {}
    keys_by_name: dict[str, list[TraceKey]] = {}
    for stratum, trace in zip(designs.read(written), traces, strict=False):
        if stratum is None:
            continue
        name = name_of(*trace.key)
        if trace.cluster:
            name = f"cluster {trace.cluster}"
        strata.setdefault(name, stratum)
        keys = keys_by_name.setdefault(name, [])
        keys.append(trace.key)
    members: dict[FrameUnit, list[TraceKey]] = {}
    for name, stratum in strata.items():
        unit = FrameUnit(name, stratum)
        members[unit] = keys_by_name[name]
    return members


def _other_frame(draws: Sequence[Sampled], units: Sequence[FrameUnit]) -> str:
    """Return in a clause why the draws of a wave are not from one frame of these units, or "".

    All must be of one design, seed and frame. `units` are those of the file, whose fingerprint and
    number in each stratum must be what the draws say. Only the first fault is told.
    """
    first, *later = draws
    for draw in later:
        if [getattr(draw, name) for name in _FRAME] != [
            getattr(first, name) for name in _FRAME
        ]:
            return "what was added to it was drawn by another design, seed or frame than the rest"
    if designs.fingerprint(units) != first.frame_sha256:
        return "its traces are not those that it was drawn from: their fingerprint is another"
    sizes = Counter(unit.stratum for unit in units)
    for draw in draws:
        if [stratum["units"] for stratum in draw.strata] != [
            sizes[stratum_no] for stratum_no in range(len(sizes))
        ]:
            return "its strata are not of as many traces as they tell"
    return ""


def _other_draw(
    draws: Sequence[Sampled],
    units: Sequence[FrameUnit],
    keys: Mapping[str, Sequence[TraceKey]],
) -> str:
    """Return where the draws are not what their seed draws from these units; "" if they are.

    `draws` are those of one wave, in order, and `keys` has the traces of each unit by its name.
    Only the first difference is told, by its number in the wave (from 1). A draw that cannot be
    made is told, too.
    """
    counts_before = [0] * len(draws[0].strata)
    place = 0
    for draw in draws:
        counts_after = [stratum["drawn"] for stratum in draw.strata]
        try:
            expected = _drawn_anew(draw, units, counts_after, counts_before)
        except (CannotDraw, ValueError) as error:
            return f"it cannot be drawn: {error}"
        names = [stratum["name"] for stratum in draw.strata]
        for due, fields in zip_longest(expected, draw.drawn):
            place += 1
            expected_row = None
            if due is not None:
                expected_keys = [list(key) for key in keys[due.name]]
                expected_row = (expected_keys, names[due.stratum])
            row = None
            if fields is not None:
                row = (fields["traces"], fields["stratum"])
            if row == expected_row:
                continue
            name = "nothing" if fields is None else name_of(*fields["traces"][0])
            expected_name = "nothing" if due is None else due.name
            return (
                f"number {place} of the draw is {name}, where seed {draw.seed} draws"
                f" {expected_name}"
            )
        counts_before = counts_after
    return ""


def _drawn_anew(
    draw: Sampled,
    units: Sequence[FrameUnit],
    counts_after: Sequence[int],
    counts_before: Sequence[int],
) -> list[FrameUnit]:
    """Return the units that a draw draws by its seed, in order.

    `counts_after` and `counts_before` are how many units of each stratum are drawn after it and
    before it. Raises ValueError if the chances in the file differ, and CannotDraw if it cannot be
    drawn.
    """
    if draw.design == GIANTS:
        return designs.draw_after_whole(units, draw.seed, counts_after, counts_before)
    if draw.design != "active":
        return designs.draw(units, draw.seed, counts_after, counts_before)
    sizes = [stratum["units"] for stratum in draw.strata]
    share = designs.shares([stratum["name"] for stratum in draw.strata], sizes)
    units_drawn, chances = designs.drawn_by_chance(
        units,
        draw.seed,
        share,
        sum(counts_after),
        sum(counts_before),
    )
    for stratum, chance in zip(draw.strata, chances, strict=True):
        if not isclose(stratum.get("chance") or 0, chance, rel_tol=1e-9):
            raise ValueError(f"the chance of {stratum['name']} is another")
    return units_drawn


def _other_histories(
    draws: Sequence[Sampled],
    traces: Sequence[FramedTrace],
) -> Iterator[str]:
    """Yield in clauses which traces have cells whose history does not fit the draws.

    There is one clause for traces that only their cells say were drawn. Another is for drawn traces
    whose cells say that they were not, or are wrong on whether the draw is blind. Each names the
    first of its traces, and says how many others there are.
    """
    drawn_traces: set[TraceKey] = set()
    for draw in draws:
        for row in draw.drawn:
            for trace_id, epoch in row["traces"]:
                drawn_traces.add((trace_id, epoch))
    drawn_mark = BLIND if draws[0].blind else IN_SIGHT
    names_by_fault: dict[str, list[str]] = {}
    for trace in traces:
        due = drawn_mark if trace.key in drawn_traces else OUT
        if all(mark == due for mark in trace.known):
            continue
        wrong = "drawn, by the history of its cells, and not by the draw"
        if due != OUT:
            wrong = "in the draw, and the history of its cells tells otherwise"
        names = names_by_fault.setdefault(wrong, [])
        names.append(name_of(*trace.key))
    for wrong, names in names_by_fault.items():
        first_name, *others = names
        subject = f"{first_name} is"
        if others:
            others_text = many(len(others), "other")
            subject = f"{first_name} and {others_text} are"
        yield f"{subject} {wrong}"
