"""Numbers of a judge over traces like those that people ruled on, of which there is no end.

A sample's numbers are of a frame: once all of it is ruled on, nothing is left open. A gold set
stands for traces to come, so its intervals stay open however much of it is ruled on. `gold` calls
these for the judges that it checks.
"""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from appellate.core.kind import Measure, headline
from appellate.numbers.estimates import (
    BIAS,
    COVERAGE,
    AuditedPart,
    AuditUnit,
    EstimatedTrait,
    JackknifeWords,
    Worth,
    audited_part,
    drawn_clusters,
    jackknifed,
    scale_bounds,
)
from appellate.stats.clustered import Clusters
from appellate.stats.estimates import (
    Audited,
    Estimate,
    Interval,
    Pair,
    Stratum,
    difference,
    estimate_ratio,
)
from appellate.stats.looks import FEWEST

_TIMES = 100
"""How many times as many traces the frame has that stands for one without end."""


def judge_number_of_such(
    units: Sequence[AuditUnit], trait: EstimatedTrait, measure: Measure
) -> Worth:
    """Return a measure of the judge, one of `judge_measures`, over traces like these.

    All units are ruled on. Without an interval `wanting` says why: fewer than `FEWEST` units, too
    few answers, 0/0, or a number that one unit decides.
    """
    part = audited_part(units, trait.names, trait.measures[0])
    number = partial(Worth, trait, measure, None, part)
    if part.n < FEWEST:
        return number(None, f"an interval takes {FEWEST} traces, and there are {part.n}")
    if measure.name == BIAS:
        interval = _bias(trait, part)
        return number(interval, "" if interval else f"the {trait.measures[0].name} is 0/0")
    words = JackknifeWords("the gold set", "a single trace decides it")
    jackknife = jackknifed(trait, measure, part, _of_such(part), COVERAGE, words)
    if isinstance(jackknife, str):
        return number(None, jackknife)
    return number(jackknife, units=part.answered_units)


def _of_such(part: AuditedPart) -> Clusters:
    """Return the answers of each unit as a cluster, of a frame without end."""
    return {replace(cluster, left=1.0): count for cluster, count in drawn_clusters(part).items()}


def _bias(trait: EstimatedTrait, part: AuditedPart) -> Interval | None:
    """Return by how much more the judge measures than people, on the same units; None for 0/0."""
    nobody = Pair(0.0, 0.0)
    people: list[Audited] = []
    judge: list[Audited] = []
    for index, audited in enumerate(_audited(part)):
        people.append(Audited(audited.person, nobody, None, index))
        judge.append(Audited(audited.judge, nobody, None, index))
    frame = [nobody] * (len(people) * _TIMES)
    low, high = scale_bounds(trait.measures[0])
    by_people = estimate_ratio([Stratum(frame, people)], low=low, high=high)
    by_judge = estimate_ratio([Stratum(frame, judge)], low=low, high=high)
    if by_people is None or by_judge is None:
        return None
    return difference(by_judge, by_people)


def judge_help(units: Sequence[AuditUnit], trait: EstimatedTrait) -> Estimate | None:
    """Return the estimate of a trait's headline with this judge, over traces like these.

    Its `judge_share` says which part of the audits the judge saves in a sample, and its `weight` is
    λ. None below `FEWEST` units, and where people's number is 0/0.
    """
    measure = headline(trait.measures)
    part = audited_part(units, trait.names, measure)
    if part.n < FEWEST:
        return None
    audited = _audited(part)
    frame = [audited_unit.judge for audited_unit in audited] * _TIMES
    low, high = scale_bounds(measure)
    return estimate_ratio([Stratum(frame, audited)], low=low, high=high)


def _audited(part: AuditedPart) -> list[Audited]:
    """Return the audited units of all strata."""
    return [unit for stratum in part.strata for unit in stratum.audited]
