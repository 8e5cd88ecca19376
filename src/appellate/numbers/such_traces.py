"""Numbers of a judge over traces like those that people ruled on, of which there is no end.

A sample's numbers are of a frame: once all of it is ruled on, nothing is left open. A gold set
stands for traces to come, so its intervals stay open however much of it is ruled on. `gold` calls
these for the judges that it checks, and the page Judges for those of an audit.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.agreement import answer_pairs
from appellate.core.cell import Cell
from appellate.core.kind import KnownTrait, Measure, headline
from appellate.numbers.bars import number_of
from appellate.numbers.estimates import (
    BIAS,
    COVERAGE,
    AuditedPart,
    AuditUnit,
    EstimatedTrait,
    JackknifeWords,
    UnitCell,
    Worth,
    audited_part,
    drawn_clusters,
    jackknifed,
    judge_bounds,
    judges_of,
    scale_bounds,
)
from appellate.numbers.formatting import between, figure
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
from appellate.stats.looks import FEWEST, Decision, TrustBar

_TIMES = 100
"""How many times as many traces the frame has that stands for one without end."""


def judge_number_of_such(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
) -> Worth:
    """Return a measure of the judge, one of `judge_measures`, over traces like these.

    `units` must all be ruled on. The interval has level .95. It is for the traces that are still to
    come, so that it keeps a width although nothing of `units` is left to rule on. Without an
    interval it is None, and `wanting` says why: fewer than `FEWEST` units, too few answers, 0/0, or
    a number that one unit decides.
    """
    part = audited_part(units, trait, trait.measures[0])
    number = partial(Worth, trait, measure, None, part)
    if part.n < FEWEST:
        return number(
            None,
            f"an interval takes {FEWEST} traces, and there are {part.n}",
        )
    if measure.name == BIAS:
        interval = _bias(trait, part)
        return number(
            interval,
            "" if interval else f"the {trait.measures[0].name} is 0/0",
        )
    words = JackknifeWords("the gold set", "a single trace decides it")
    jackknife = jackknifed(
        trait,
        measure,
        part,
        _of_such(part),
        COVERAGE,
        words,
        judge_bounds,
    )
    if isinstance(jackknife, str):
        return number(None, jackknife)
    return number(jackknife, units=part.answered_units)


def _of_such(part: AuditedPart) -> Clusters:
    """Return the answers of each unit as a cluster, with how many clusters are equal.

    They are marked as a part of a frame without end, so that an interval keeps its width although
    all of `part` is ruled on.
    """
    return {
        replace(cluster, left=1.0): count
        for cluster, count in drawn_clusters(part).items()
    }


def _bias(trait: EstimatedTrait, part: AuditedPart) -> Interval | None:
    """Return by how much more the judge measures than people, on the same units; None for 0/0.

    It is of the trait's first measure and in its unit, with an interval of level .95. The interval
    is for traces without end, so it has a width even if all units are ruled on.
    """
    nobody = Pair(0.0, 0.0)
    people: list[Audited] = []
    judge: list[Audited] = []
    for index, audited in enumerate(_audited(part)):
        people.append(Audited(audited.person, nobody, None, index))
        judge.append(Audited(audited.judge, nobody, None, index))
    frame = [nobody] * (len(people) * _TIMES)
    frame_of_people = Stratum(frame, people)
    frame_of_judge = Stratum(frame, judge)
    low, high = scale_bounds(trait.measures[0])
    by_people = estimate_ratio([frame_of_people], low=low, high=high)
    by_judge = estimate_ratio([frame_of_judge], low=low, high=high)
    if by_people is None or by_judge is None:
        return None
    return difference(by_judge, by_people)


def judge_help(units: Sequence[AuditUnit], trait: EstimatedTrait) -> Estimate | None:
    """Return the estimate of a trait's headline with this judge, over traces like these.

    Its `judge_share` says which part of the audits the judge saves in a sample, from 0 to 1, and
    its `weight` is λ. The frame is 100 times these units. None below `FEWEST` units, and where
    people's number is 0/0.
    """
    measure = headline(trait.measures)
    part = audited_part(units, trait, measure)
    if part.n < FEWEST:
        return None
    audited = _audited(part)
    frame = [audited_unit.judge for audited_unit in audited] * _TIMES
    low, high = scale_bounds(measure)
    return estimate_ratio([Stratum(frame, audited)], low=low, high=high)


def _audited(part: AuditedPart) -> list[Audited]:
    """Return the audited units of all strata."""
    return [unit for stratum in part.strata for unit in stratum.audited]


def least_help(estimates: Iterable[Estimate | None]) -> Estimate | None:
    """Return the estimate of the trait for which a judge saves least; None if there is none.

    `estimates` are those of `judge_help`, one for each trait; None ones are passed over. Of equal
    ones it is the first.
    """
    known_estimates = [estimate for estimate in estimates if estimate is not None]
    return min(known_estimates, key=lambda estimate: estimate.judge_share, default=None)


# -- bars -----------------------------------------------------------------------------------------


class BarResult(Struct, frozen=True):
    """A bar, the number that it is on, and what that decides."""

    bar: TrustBar
    worth: Worth
    decision: Decision
    why: str = ""
    """Why it is undecided though it has an interval beside the bar, as a clause; else ""."""


def bar_result(
    traits: Sequence[EstimatedTrait],
    units: Sequence[AuditUnit],
    bar: TrustBar,
    *,
    stale: Collection[str] = (),
    unanswered: Collection[str] = (),
) -> BarResult:
    """Return what a bar on a judge comes to; raises Refused for a bar that no number is for.

    `stale` are the names of traits with stale cells, `unanswered` of those with cells that the
    judge gave no answer to. The bar is undecided without an interval, and if cells under its traits
    are stale. It is undecided, too, if it would be reached while such cells got no answer; one that
    is not reached stays so. In these three cases `why` has the reason as a clause. It is "" for a
    bar that is decided, and for one that lies in the interval.
    """
    trait, measure = number_of(traits, bar)
    worth = judge_number_of_such(units, trait, measure)
    if worth.interval is None:
        return BarResult(bar, worth, "undecided", worth.wanting)
    if any(name in stale for name in trait.names):
        return BarResult(bar, worth, "undecided", "some of its cells are stale")
    decision = bar.decide(worth.interval.low, worth.interval.high)
    if decision == "reached" and any(name in unanswered for name in trait.names):
        return BarResult(bar, worth, "undecided", "some of its cells got no answer")
    return BarResult(bar, worth, decision)


def bar_text(result: BarResult) -> str:
    """Return a bar and its decision in a sentence or two, with its number if that has an interval.

    If it is undecided, the reason follows, or that the bar is in the interval.
    """
    text = f"{result.bar}: {result.decision}"
    interval = result.worth.interval
    if interval is not None:
        name = result.worth.measure.name
        value = figure(interval.value)
        bounds = between(interval.low, interval.high)
        text += f" ({name} {value}, {bounds})"
    if result.why:
        return f"{text}: {result.why}."
    if interval is not None and result.decision == "undecided":
        return f"{text}: the bar is in the interval. More rulings by people narrow it."
    return f"{text}."


# -- cells ----------------------------------------------------------------------------------------


def unit_cell(cell: Cell) -> UnitCell:
    """Return a cell that people ruled on or signed off, as units have it.

    The person's figures are those of the blind ruling, if there was one, else those of the current
    labels, signed off or not. The judge's figures are empty without a judge; of a panel they are
    its members', without what it proposes together. The pairs of answers that are compared are
    counted. It is in the group "".
    """
    subject = cell.subject
    person = cell.verdict_figures if cell.ruled_blind else cell.figures
    return UnitCell(
        subject.trait.name,
        "",
        judges_of(cell),
        person,
        Counter(pair for _, pair in answer_pairs(cell)),
        KnownTrait(subject.kind, subject.trait),
    )
