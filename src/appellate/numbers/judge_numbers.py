"""How the judge itself does, for bars on it: its answers against the verdicts that people ruled
blind, weighted by the design that these were drawn by.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from math import ceil, fsum

from msgspec import Struct

from appellate.core.agreement import ENOUGH
from appellate.core.kind import Measure
from appellate.core.scale import NO_BOUND
from appellate.numbers.estimates import (
    COVERAGE,
    NO_AUDIT,
    AuditedPart,
    AuditUnit,
    ChosenCells,
    EstimatedTrait,
    audited_part,
    too_few,
    worth,
)
from appellate.stats.agreement_tables import Statistic, alike, cohen_kappa, share
from appellate.stats.clustered import Cluster, Clusters, bounds, pooled
from appellate.stats.estimates import Interval
from appellate.stats.looks import FEWEST, JUDGE

KAPPA, AGREEMENT, SENSITIVITY, PRECISION, BIAS = (
    f"{JUDGE}{name}" for name in ("kappa", "agreement", "sensitivity", "precision", "bias")
)
SIGHTED = (
    "A bar on the judge takes verdicts that were ruled blind, and this sample is signed off in"
    " sight of the judge."
)
_FALLS = "a single audit decides it"


class JudgeNumber(Struct, frozen=True):
    """One number of how the judge does, over all that could be drawn.

    Where there is no `interval`, `wanting` says why.
    """

    trait: EstimatedTrait
    measure: Measure
    part: AuditedPart
    interval: Interval | None
    wanting: str = ""

    @property
    def deciding(self) -> Interval | None:
        """What a look goes by."""
        return self.interval

    def needed(self, half: float) -> int:
        """About how many audits more it would take for an interval of ± this, above 0."""
        part, found = self.part, self.interval
        if found is None or found.half <= half:
            return 0
        left = (half / found.half) ** 2 * (1 / part.n - 1 / part.frame)
        return ceil(1 / (1 / part.frame + left)) - part.n


def judge_measures(trait: EstimatedTrait) -> list[Measure]:
    """The numbers of the judge that a bar may be on, under a trait: agreement only where all
    responses are asked the same.
    """
    found: list[Measure] = []
    if not trait.kind.compared:
        found += [Measure(KAPPA, "kappa", -1.0), Measure(AGREEMENT, "alike")]
        if trait.positives:
            found += [Measure(SENSITIVITY, "sens"), Measure(PRECISION, "prec")]
    for measure in trait.measures[:1]:
        reach = min(measure.high - measure.low, NO_BOUND)
        found.append(Measure(BIAS, "bias", -reach, reach, higher_is_better=None))
    return found


def whole_traits(traits: Sequence[EstimatedTrait]) -> list[EstimatedTrait]:
    """Each trait, and of those that several measures take together the first that has them all."""
    found: list[EstimatedTrait] = []
    for one in traits:
        is_in = any(not other.name and {*one.names} <= {*other.names} for other in found)
        if one.name or not is_in:
            found.append(one)
    return found


def judge_number(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    *,
    first: int | None = None,
    coverage: float = COVERAGE,
) -> JudgeNumber:
    """One number of the judge, of no more than the `first` audited units where that is given."""
    if measure.name == BIAS:
        return _bias(units, trait, measure, first, coverage)
    part = audited_part(units, ChosenCells(trait.names, trait.measures[0]), first)
    judge_number = partial(JudgeNumber, trait, measure, part)
    if part.n < FEWEST:
        return judge_number(None, too_few(part))
    if not all(stratum.audited for stratum in part.strata):
        return judge_number(None, NO_AUDIT)
    compared = sum(unit.answers.total() for unit in part.counted)
    if compared < ENOUGH:
        return judge_number(None, f"shown from {ENOUGH} answers on, and {compared} are compared")
    statistic, clusters = _statistic(trait, measure), drawn_clusters(part)
    found = statistic(pooled(clusters))
    if found is None:
        return judge_number(None, f"{measure.name} is 0/0 in what was audited")
    between = bounds(statistic, clusters, coverage)
    if between is None:
        return judge_number(None, _FALLS)
    return judge_number(Interval(found.value, between.low, between.high))


def _bias(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    first: int | None,
    coverage: float,
) -> JudgeNumber:
    """By how much more the judge measures on all units than people would."""
    own = trait.measures[0]
    found = worth(units, trait, own, first=first, coverage=coverage)
    people, judge = found.deciding, found.part.judge_only
    if people is None:
        return JudgeNumber(trait, measure, found.part, None, found.wanting)
    if judge is None:
        return JudgeNumber(trait, measure, found.part, None, f"the judge's {own.name} is 0/0")
    value, low, high = people
    return JudgeNumber(
        trait, measure, found.part, Interval(judge - value, judge - high, judge - low)
    )


def _statistic(trait: EstimatedTrait, measure: Measure) -> Statistic:
    yes = trait.positives
    found: dict[str, Statistic] = {
        KAPPA: cohen_kappa,
        AGREEMENT: alike,
        SENSITIVITY: partial(share, of=yes, place=1, found=yes),
        PRECISION: partial(share, of=yes, place=0, found=yes),
    }
    return found[measure.name]


def drawn_clusters(part: AuditedPart) -> Clusters:
    """The answers of each audited unit, and what it stands for in the frame."""
    chances: list[list[float]] = [[] for _ in part.strata]
    for unit in part.counted:
        chances[unit.stratum].append(1 / (unit.chance or 1.0))
    found: Counter[Cluster] = Counter()
    for unit in part.counted:
        size, drawn = len(part.strata[unit.stratum].judge), chances[unit.stratum]
        weight = size / (unit.chance or 1.0) / fsum(drawn)
        answers = frozenset(unit.answers.items())
        found[Cluster(answers, weight, unit.stratum, 1 - len(drawn) / size)] += 1
    return found
