"""All numbers of a sample, and as JSON has them: under `worth` in `metrics --json`, and of
`gate --json`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from msgspec import Struct, to_builtins

from appellate.core.kind import HEADLINE, Measure
from appellate.core.problem import Refused
from appellate.numbers.bars import asked_bars, hold_in_range, plans
from appellate.numbers.estimates import (
    AuditedSample,
    EstimatedTrait,
    GroupDifference,
    JudgeErrors,
    Worth,
    differences,
    judge_errors,
    worth,
)
from appellate.numbers.gates import Gate, gate
from appellate.numbers.judge_numbers import JudgeNumber
from appellate.numbers.sentences import has_sides, wrongly
from appellate.stats.estimates import Interval
from appellate.stats.looks import TrustBar

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


Table = dict[str, Any]
FURTHER = (20, 40, 80)
"""Audits more, whose interval is told."""


def sample_table(at: AuditedSample) -> Table:
    """The design of a sample."""
    sample = at.sample
    return {
        "design": sample.last.design,
        "by": list(sample.last.strata_by),
        "seed": sample.last.seed,
        "blind": sample.last.blind,
        "unit": at.unit,
        "frame": sample.last.frame,
        "frame_sha256": sample.last.frame_sha256,
        "drawn": len(sample),
        "strata": list(map(to_builtins, sample.strata)),
        "faults": list(at.faults),
    }


def worth_table(found: Worth) -> Table:
    """One number; null where it cannot be told, and then `wanting` says why."""
    one = found.estimate
    table = _head(found)
    if one is None:
        empty = dict.fromkeys(("judge_only", "people_only", "corrected", "weight", "judge_share"))
        empty |= dict.fromkeys(("effective_residuals", "effective_units", "decided_by"))
        return table | empty | {"further": []}
    possible = [more for more in FURTHER if one.n + more <= one.frame]
    further = [{"audits": more, "half_width": one.further(more)} for more in possible]
    return table | {
        "judge_only": one.judge_only,
        "people_only": _interval(one.people_only),
        "corrected": _interval(one.interval) | {"level": one.level},
        "weight": one.weight,
        "judge_share": one.judge_share,
        "effective_residuals": one.residuals,
        "effective_units": one.units,
        "decided_by": "corrected" if one.deciding == one.interval else "people_only",
        "further": further,
    }


def _head(found: Worth | JudgeNumber) -> Table:
    """Which number it is, and what it rests on."""
    part = found.part
    return {
        "trait": found.trait.name or None,
        "kind": found.trait.kind.name,
        "metric": found.measure.name,
        "group": found.group if isinstance(found, Worth) else None,
        "n": part.n,
        "drawn": part.drawn,
        "frame": part.frame,
        "passed_over": part.passed,
        "after_it": part.later,
        "unjudged": part.unjudged,
        "wanting": found.wanting or None,
    }


def _interval(found: Interval) -> Table:
    return {"value": found.value, "low": found.low, "high": found.high}


def difference_table(found: GroupDifference) -> Table:
    """The difference of two groups."""
    return {
        "trait": found.trait.name or None,
        "kind": found.trait.kind.name,
        "metric": found.measure.name,
        "group": found.one,
        "less": found.other,
        **_interval(found.by),
    }


def errors_table(found: JudgeErrors) -> Table:
    """On which side the judge goes wrong."""
    too_many, too_few = wrongly(found.agreement)
    sides: tuple[int | None, int | None] = (too_many, too_few)
    if not has_sides(found.agreement):
        sides = None, None
    return {
        "trait": found.trait.name or None,
        "kind": found.trait.kind.name,
        "metric": found.measure.name,
        "n": found.n,
        "judge_by": found.by,
        "answers": found.agreement.n,
        "positive": sorted(found.agreement.positives),
        "too_often": sides[0],
        "too_seldom": sides[1],
        "cells": found.cells,
        "higher": found.higher,
        "lower": found.lower,
    }


def gate_table(found: Gate) -> Table:
    """A bar and the looks at it."""
    standing = found.standing
    return {
        "bar": str(found.bar),
        "of": "judge" if found.bar.is_on_judge else "responses",
        "trait": found.trait.name or None,
        "metric": found.measure.name,
        "decision": standing.decision,
        "planned": found.planned,
        "planned_beside": [str(plan.bar) for plan in found.beside],
        "level": standing.plan.level,
        "looks": list(standing.plan.looks),
        "sharing_the_level": standing.plan.sharing,
        "taken": list(map(_look, standing.taken)),
        "audited": standing.audited,
        "next_look": standing.next_look,
        "more_audits": found.more,
        "judge_only": None if found.bar.is_on_judge else found.now.part.judge_only,
        "now": _now(found),
    }


def _now(found: Gate) -> Table:
    if isinstance(found.now, Worth):
        return worth_table(found.now)
    now = found.now
    table = _head(now) | {"judge": None}
    if now.interval is not None:
        level = found.standing.plan.coverage
        table["judge"] = _interval(now.interval) | {"level": level}
    return table


def _look(taken: Any) -> Table:
    table: Table = to_builtins(taken)
    del table["is_kept"]
    return table


def numbers_table(found: SampleNumbers) -> Table:
    """Everything, as in `metrics --json`."""
    return {
        "sample": sample_table(found.at),
        "estimates": list(map(worth_table, found.worths)),
        "by": found.at.by or None,
        "groups": list(map(worth_table, found.by_group)),
        "differences": list(map(difference_table, found.differences)),
        "judge": list(map(errors_table, found.errors)),
        "bars": list(map(gate_table, found.gates)),
    }


def gates_table(at: AuditedSample, gates: Sequence[Gate]) -> Table:
    """The document of `gate --json`."""
    return {
        "format": "appellate-gate/1",
        "sample": sample_table(at),
        "bars": list(map(gate_table, gates)),
        "looked_unplanned": [to_builtins(asked.seen) for asked in asked_bars(at.facts)],
    }
