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
        """Whether the number of a wave is shown to be another than in the wave before.

        It is if 0 is not in the interval of the change. False for the first wave, and without a
        change.
        """
        return self.change is not None and not self.change.low <= 0 <= self.change.high


def wave_numbers(
    audit: AuditedSample,
    on_progress: OnProgress = ignore_progress,
) -> list[WaveNumber]:
    """Return the headline of each named trait in each wave, trait by trait, waves in order.

    Each has its interval, or says why it has none. From the second wave on it has its change
    against the wave before, None where either lacks an interval that decides. Empty for a sample of
    a single wave, and for one with faults. `on_progress` is called before each number with 0, and
    may raise to stop it. Raises ValueError for a plan whose bar cannot be read.
    """
    numbers: list[WaveNumber] = []
    if audit.faults:
        return numbers
    for trait in audit.traits:
        if not trait.name or not trait.measures:
            continue
        measure = headline(trait.measures)
        before: WaveNumber | None = None
        before_interval: Interval | None = None
        for wave in audit.waves:
            on_progress(0, None)
            number = worth(
                wave.units,
                trait,
                measure,
                rule=rule_for(wave, trait, measure),
            )
            interval = _interval_of_half(wave, trait, measure)
            if before is None:
                wave_number = WaveNumber(wave, number)
            else:
                change = _change(before_interval, interval)
                wave_number = WaveNumber(wave, number, before.wave.sample.name, change)
            numbers.append(wave_number)
            before = wave_number
            before_interval = interval
    return numbers


def _interval_of_half(
    wave: AuditedSample,
    trait: EstimatedTrait,
    measure: Measure,
) -> Interval | None:
    """Return the interval of a number of a wave that is wrong half as often as the shown one.

    At .95 it is that of level .975. None if the wave has no interval by which a bar could be
    decided.
    """
    rule = rule_for(wave, trait, measure)
    halved_rule = replace(
        rule,
        coverage=(1 + rule.coverage) / 2,
        betting_coverage=(1 + rule.betting_coverage) / 2,
    )
    number = worth(wave.units, trait, measure, rule=halved_rule)
    return None if number.undecided else number.deciding


def _change(before: Interval | None, after: Interval | None) -> Interval | None:
    """Return by how much a number is above the one before, with its interval.

    The ends of the two intervals are subtracted crosswise. None without both.
    """
    if before is None or after is None:
        return None
    return Interval(
        after.value - before.value,
        after.low - before.high,
        after.high - before.low,
    )
