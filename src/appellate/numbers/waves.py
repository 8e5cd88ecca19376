"""A sample in waves: each wave's numbers by its own draw, and how each differs from the one before.

A team adds traces week by week and draws from the new ones. Each wave has its own frame, order,
plans and looks, so its number has the interval that decides, whatever the other waves are like.
"""

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Measure, headline
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.numbers.bars import rule_for
from appellate.numbers.estimates import AuditedSample, EstimatedTrait, Worth, worth
from appellate.stats.estimates import Interval


class WaveNumber(Struct, frozen=True):
    """The headline of a trait over one wave, by the wave's own draw."""

    wave: AuditedSample
    worth: Worth
    """With the interval that decides a bar on it."""
    before: str = ""
    """The name of the wave before; "" for the first."""
    change: Interval | None = None
    """By how much it is above the wave before; None for the first, and without two intervals.

    Both waves have their interval at half of what the change may be wrong in. So it is right as
    often as they are, however the draws and rulings of the two went.
    """

    @property
    def has_shifted(self) -> bool:
        """Whether it is shown to be another than in the wave before: 0 is no possible change."""
        return self.change is not None and not self.change.low <= 0 <= self.change.high


def wave_numbers(
    audit: AuditedSample, on_progress: OnProgress = ignore_progress
) -> list[WaveNumber]:
    """Return the headline of each named trait in each wave, trait by trait, waves in order.

    Empty for a sample of a single wave, and for one with faults. `on_progress` is called every so
    often, and may raise to stop it.
    """
    numbers: list[WaveNumber] = []
    if audit.faults:
        return numbers
    for trait in audit.traits:
        if not trait.name or not trait.measures:
            continue
        measure = headline(trait.measures)
        before: AuditedSample | None = None
        for wave in audit.waves:
            on_progress(0, None)
            number = worth(wave.units, trait, measure, rule=rule_for(wave, trait, measure))
            if before is None:
                numbers.append(WaveNumber(wave, number))
            else:
                change = _change(before, wave, trait, measure)
                numbers.append(WaveNumber(wave, number, before.sample.name, change))
            before = wave
    return numbers


def _change(
    before: AuditedSample, wave: AuditedSample, trait: EstimatedTrait, measure: Measure
) -> Interval | None:
    """Return by how much a number of a wave is above that of the wave before, with its interval.

    None if either has no interval that decides.
    """
    intervals: list[Interval] = []
    for audit in (before, wave):
        rule = rule_for(audit, trait, measure)
        halved_rule = replace(
            rule,
            coverage=(1 + rule.coverage) / 2,
            betting_coverage=(1 + rule.betting_coverage) / 2,
        )
        number = worth(audit.units, trait, measure, rule=halved_rule)
        if number.deciding is None or number.undecided:
            return None
        intervals.append(number.deciding)
    earlier, later = intervals
    return Interval(later.value - earlier.value, later.low - earlier.high, later.high - earlier.low)
