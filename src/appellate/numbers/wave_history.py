"""The history of a sample in waves: how every wave stands in every bar, for `gate --history`."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct

from appellate.core.design_facts import Sampled
from appellate.core.kind import headline
from appellate.core.problem import Refused
from appellate.numbers.bars import bars_of, gate, rule_for
from appellate.numbers.blocks import ReportTable
from appellate.numbers.estimates import AuditedSample, Worth, worth
from appellate.numbers.formatting import between, cut, figure, when
from appellate.stats.looks import Decision, TrustBar


class WaveStanding(Struct, frozen=True):
    """How one wave stands in a number: what is audited, its interval, and whether a bar decides."""

    wave: str
    """The name of the wave."""
    drawn_at: str
    """When it was drawn first, in UTC and ISO 8601."""
    name: str
    """The bar with its trait, "Safety:recall>=.95"; without a bar the trait and the measure."""
    worth: Worth
    """The number by the draw of this wave, with the interval that decides."""
    decision: Decision | None = None
    """Whether the bar is reached in this wave, at a level of its own; None without a bar."""


def wave_standings(audit: AuditedSample) -> list[WaveStanding]:
    """Return how each wave stands in each bar that was planned or decided in any, waves in order.

    A sample that is no wave counts as one. In a wave the bars come in the order in which they were
    first planned. Without any bar it is the headline of each named trait, and no decision. A bar
    for which a wave has no number is left out. Nothing is saved. Empty for a sample with faults.
    Raises ValueError for a plan whose bar cannot be read.
    """
    waves = audit.waves or (audit,)
    standings: list[WaveStanding] = []
    if audit.faults:
        return standings
    bars: dict[TrustBar, None] = {}
    for wave in waves:
        bars |= dict.fromkeys(bars_of(wave.facts))
    for wave in waves:
        drawn_at = next(
            fact.at for fact in wave.facts if isinstance(fact.what, Sampled)
        )
        place = wave.sample.name, drawn_at
        for bar in bars:
            with suppress(Refused):  # the rubric has this number no more
                decided = gate(wave, bar)
                standing = decided.standing
                standings.append(
                    WaveStanding(*place, str(bar), decided.worth, standing.decision),
                )
        for trait in audit.traits if not bars else ():
            if trait.name and trait.measures:
                measure = headline(trait.measures)
                number = worth(
                    wave.units,
                    trait,
                    measure,
                    rule=rule_for(wave, trait, measure),
                )
                standings.append(
                    WaveStanding(*place, f"{trait.name}:{measure.name}", number),
                )
    return standings


def standings_table(standings: Iterable[WaveStanding]) -> ReportTable:
    """Return a row for each standing, in their order: its wave, bar, number and decision.

    A row has the wave, when it was drawn, the bar, the audits, the number, its interval and the
    decision. The audits are how many count of how many are drawn. Without an interval the number
    and the interval are dashes, and so is a decision that is None.
    """
    rows: list[tuple[str, ...]] = []
    for standing in standings:
        interval = standing.worth.deciding
        value = figure(interval.value if interval else None)
        bounds = between(interval.low, interval.high) if interval else "–"
        audits = f"{standing.worth.part.n:,} of {standing.worth.part.drawn:,}"
        row = (
            cut(standing.wave),
            when(standing.drawn_at),
            cut(standing.name),
            audits,
            value,
        )
        rows.append((*row, bounds, standing.decision or "–"))
    heads = ("wave", "drawn", "bar", "audits", "number", "interval", "decision")
    return ReportTable(heads, rows, 3)


def standing_rows(standings: Iterable[WaveStanding]) -> Iterator[Mapping[str, Any]]:
    """Yield each standing as a row for JSON, in their order; `wanting` says why it has no number.

    The keys are wave, drawn_at, bar, units, drawn, frame, value, low, high, decision and wanting.
    "units" counts those audited. The decision is None without a bar.
    """
    for standing in standings:
        interval = standing.worth.deciding
        part = standing.worth.part
        yield {
            "wave": standing.wave,
            "drawn_at": standing.drawn_at,
            "bar": standing.name,
            "units": part.n,
            "drawn": part.drawn,
            "frame": part.frame,
            "value": interval.value if interval else None,
            "low": interval.low if interval else None,
            "high": interval.high if interval else None,
            "decision": standing.decision,
            "wanting": standing.worth.wanting or None,
        }
