"""All that a sample says at once: estimates, groups, where the judge goes wrong, planned bars."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from msgspec import Struct

from appellate.core.kind import HEADLINE, Measure
from appellate.core.problem import Refused
from appellate.stats.looks import TrustBar
from appellate.worth.audited_sample import AuditedSample
from appellate.worth.bar_numbers import hold_in_range
from appellate.worth.bar_plans import asked_bars, plans
from appellate.worth.gates import Gate, gate
from appellate.worth.worths import (
    EstimatedTrait,
    GroupDifference,
    JudgeErrors,
    Worth,
    differences,
    judge_errors,
    worth,
)

MOST_GROUPS = 20


class SampleNumbers(Struct, frozen=True):
    """The numbers of a sample: of each trait, all traits of a kind together before them; of each
    group of the headline of each; where the judge goes wrong in that; the planned bars.
    """

    at: AuditedSample
    worths: Sequence[Worth]
    by_group: Sequence[Worth]
    differences: Sequence[GroupDifference]
    errors: Sequence[JudgeErrors]
    gates: Sequence[Gate]


def no_rest() -> None:
    """Nobody else waits."""


def sample_numbers(at: AuditedSample, rest: Callable[[], None] = no_rest) -> SampleNumbers:
    """Counts them all; `rest` is called every so often, and may raise to have it stop."""
    worths: list[Worth] = []
    by_group: list[Worth] = []
    compared: list[GroupDifference] = []
    errors: list[JudgeErrors] = []
    groups = at.groups[:MOST_GROUPS]
    if at.faults:
        return SampleNumbers(at, [], [], [], [], gates(at))
    for trait, measure, is_headline in _every(at):
        rest()
        found = worth(at.units, trait, measure)
        worths.append(found)
        if is_headline and trait.name:
            errors.append(judge_errors(found))
        if is_headline and len(groups) > 1:
            having: list[Worth] = []
            for group in groups:
                rest()
                one = worth(at.units, trait, measure, group)
                if one.part.frame:
                    having.append(one)
            by_group += having
            compared += differences(having)
    return SampleNumbers(at, worths, by_group, compared, errors, gates(at))


def _every(at: AuditedSample) -> Iterator[tuple[EstimatedTrait, Measure, bool]]:
    for trait in at.traits:
        for measure in trait.measures:
            yield trait, measure, measure is trait.measures[HEADLINE]


def gates(at: AuditedSample, bars: Sequence[TrustBar] = ()) -> list[Gate]:
    """Some bars, else those that were planned, and those that were decided without, but for those
    on numbers that are no more; raises Refused for a bar that nothing can decide.
    """
    for bar in bars:
        hold_in_range(at.traits, bar)
    if bars:
        return list(map(partial(gate, at), bars))
    known = [plan.bar for plan in plans(at.facts)]
    known += [asked.bar for asked in asked_bars(at.facts)]
    found: list[Gate] = []
    for bar in known:
        with suppress(Refused):  # the rubric has no such number any more
            found.append(gate(at, bar))
    return found
