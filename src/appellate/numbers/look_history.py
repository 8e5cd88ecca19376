"""Every look that was ever taken in an audit, in the order of time: how bars came to be decided."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from appellate.core.design_facts import (
    FIRST_WAVE,
    DesignFact,
    Looked,
    LookedUnplanned,
    LooksPlanned,
    Sampled,
    WaveSampled,
    Withdrawn,
    of_this_sample,
    waves_of,
)
from appellate.numbers.blocks import ReportTable
from appellate.numbers.formatting import between, cut, figure, when
from appellate.stats.looks import read_decision


class TakenLook(Struct, frozen=True):
    """One look: when, by whom, at how many audits, and what it came to."""

    at: str
    """When, in UTC and ISO 8601."""
    by: str
    bar: str
    """The trait, if it is of one, and the bar: "Safety:recall>=.95"."""
    units: int
    """How many units were audited."""
    value: float | None
    low: float | None
    high: float | None
    decision: str
    is_planned: bool
    is_withdrawn: bool = False
    """Whether the sample that it was of was withdrawn afterwards."""
    wave: str = ""
    """The name of the wave that it was of; "" for a sample of a single one without a name."""


def look_history(facts: Sequence[DesignFact]) -> list[TakenLook]:
    """Return every look that the facts of an audit tell, in their order, withdrawn ones too.

    Their numbers are those that were saved; nothing is computed again. A decision of an earlier
    version, as "trusted", is told by today's word, and an unknown one as it is. A planned look
    whose plan is not among the facts has no bar, "". A look in the first wave of a sample in waves
    has a name for that wave, too.
    """
    plans: dict[int, LooksPlanned] = {}
    standing = {fact.n for fact in of_this_sample(facts)}
    looks: list[TakenLook] = []
    are_in_waves = any(isinstance(fact.what, WaveSampled) for fact in facts)
    wave = ""
    for index, fact in enumerate(facts):
        event = fact.what
        if isinstance(event, Sampled | Withdrawn):
            drawn = waves_of(facts[: index + 1])
            wave = ""
            if drawn and are_in_waves:
                wave = drawn[-1].name or FIRST_WAVE
        if isinstance(event, LooksPlanned):
            plans[fact.n] = event
        if not isinstance(event, Looked | LookedUnplanned):
            continue
        looks.append(
            TakenLook(
                fact.at,
                fact.by,
                _bar_name(event, plans),
                event.units,
                event.value,
                event.low,
                event.high,
                read_decision(event.decision) or event.decision,
                isinstance(event, Looked),
                fact.n not in standing,
                wave,
            ),
        )
    return looks


def _bar_name(
    look: Looked | LookedUnplanned,
    plans: Mapping[int, LooksPlanned],
) -> str:
    """Return the trait, if it is of one, and the bar of a look: "Safety:recall>=.95".

    `plans` has those made so far, by the number of their fact. "" for a look at a plan that is not
    among them.
    """
    if isinstance(look, LookedUnplanned):
        return f"{look.trait}:{look.bar}".removeprefix(":")
    plan = plans.get(look.of)
    if plan is None:
        return ""
    return f"{plan.trait}:{plan.bar}".removeprefix(":")


def history_table(looks: Iterable[TakenLook]) -> ReportTable:
    """Return a row for each look, in their order, which should be that of time.

    A row has when, the bar, the audits, the number, its interval, and the decision, all inert; a
    number that is None is a dash. The decision says, too, if the look was not planned or its sample
    was withdrawn, and of which wave it was. Without looks it has no row.
    """
    rows: list[tuple[str, ...]] = []
    for look in looks:
        decision = cut(look.decision)
        if not look.is_planned:
            decision += ", not planned"
        if look.is_withdrawn:
            decision += ", withdrawn since"
        if look.wave:
            decision += f"; {cut(look.wave)}"
        interval = between(look.low, look.high)
        row = (
            when(look.at),
            cut(look.bar),
            f"{look.units:,}",
            figure(look.value),
            interval,
        )
        rows.append((*row, decision))
    return ReportTable(
        ("when", "bar", "audits", "number", "interval", "decision"),
        rows,
        2,
    )


def history_rows(looks: Iterable[TakenLook]) -> Iterator[Mapping[str, Any]]:
    """Yield each look as a row for JSON, in their order.

    The keys are at, by, bar, units, value, low, high, decision, planned, withdrawn and wave.
    "units" counts audited ones. A name, a bar or a wave that is "" is None.
    """
    for look in looks:
        yield {
            "at": look.at,
            "by": look.by or None,
            "bar": look.bar or None,
            "units": look.units,
            "value": look.value,
            "low": look.low,
            "high": look.high,
            "decision": look.decision,
            "planned": look.is_planned,
            "withdrawn": look.is_withdrawn,
            "wave": look.wave or None,
        }
