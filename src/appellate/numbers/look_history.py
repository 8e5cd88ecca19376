"""Every look that was ever taken in an audit, in the order of time: how bars came to be decided."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from appellate.core.design_facts import DesignFact, Looked, LookedUnplanned, LooksPlanned, Withdrawn
from appellate.numbers.blocks import ReportTable
from appellate.numbers.formatting import between, cut, figure, when


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


def look_history(facts: Sequence[DesignFact]) -> list[TakenLook]:
    """Return every look that the facts of an audit tell, in their order.

    They are told as they were saved; `gate` says which of them is computed otherwise today.
    """
    plans: dict[int, LooksPlanned] = {}
    withdrawals = [fact.n for fact in facts if isinstance(fact.what, Withdrawn)]
    looks: list[TakenLook] = []
    for fact in facts:
        event = fact.what
        if isinstance(event, LooksPlanned):
            plans[fact.n] = event
        if not isinstance(event, Looked | LookedUnplanned):
            continue
        look_or_plan: LooksPlanned | LookedUnplanned | None = (
            event if isinstance(event, LookedUnplanned) else None
        )
        if isinstance(event, Looked):
            look_or_plan = plans.get(event.of)
        name = ""
        if look_or_plan is not None:
            name = f"{look_or_plan.trait}:{look_or_plan.bar}".removeprefix(":")
        looks.append(
            TakenLook(
                fact.at,
                fact.by,
                name,
                event.units,
                event.value,
                event.low,
                event.high,
                event.decision,
                isinstance(event, Looked),
                any(number > fact.n for number in withdrawals),
            )
        )
    return looks


def history_table(looks: Iterable[TakenLook]) -> ReportTable:
    """Return a row for each look, in their order, which should be that of time.

    A row has when, the bar, the audits, the number, its interval, and the decision. The decision
    says, too, if the look was not planned or its sample was withdrawn. Without looks it has no row.
    """
    rows: list[tuple[str, ...]] = []
    for look in looks:
        decision = look.decision
        if not look.is_planned:
            decision += ", not planned"
        if look.is_withdrawn:
            decision += ", withdrawn since"
        interval = between(look.low, look.high)
        row = (when(look.at), cut(look.bar), f"{look.units:,}", figure(look.value), interval)
        rows.append((*row, decision))
    return ReportTable(("when", "bar", "audits", "number", "interval", "decision"), rows, 2)


def history_rows(looks: Iterable[TakenLook]) -> Iterator[Mapping[str, Any]]:
    """Yield each look as a row for JSON, in their order; a name or a bar that is "" is None."""
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
        }
