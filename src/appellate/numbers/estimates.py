"""What an audit's sample says of all that could be drawn: judge only, people only and corrected, by
trait and by groups; where the judge goes wrong; and the judge's own numbers beside blind verdicts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from math import ceil, fsum, inf
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct, field

from appellate.core.agreement import ENOUGH, Agreement, Answers, agreement
from appellate.core.design_facts import DesignFact, Sample
from appellate.core.kind import AnyKind, Figures, KnownTrait, Measure
from appellate.core.problem import many
from appellate.core.scale import NO_BOUND, measure_text
from appellate.core.totals import measures_over
from appellate.core.trace import TraceKey
from appellate.numbers.formatting import percent
from appellate.stats import designs
from appellate.stats.agreement_tables import Statistic, alike, cohen_kappa, share
from appellate.stats.clustered import Cluster, Clusters, bounds, pooled
from appellate.stats.estimates import (
    Audited,
    Estimate,
    Interval,
    Pair,
    Stratum,
    difference,
    effective_count,
    estimate_ratio,
)
from appellate.stats.looks import FEWEST, JUDGE
from appellate.store.samples.drawn_as import SampleDigest


class UnitCell(NamedTuple):
    """A cell of a unit.

    `judges` are the figures of the judge's labels, of each member of a panel; none where nobody
    judged it. `person` are those of the person's labels, where there are any, and `answers` how
    often the two gave which, then.
    """

    trait: str
    group: str
    judges: Sequence[Figures]
    person: Figures | None
    answers: Mapping[Answers, int] = {}


class AuditUnit(Struct):
    """What is drawn at once: a trace, or all traces of a cluster.

    `place` is where it is in the order of the draw, None where it was not drawn. `chance` is
    that of having been drawn, where it is not the same for all of the stratum. `cells` are by
    trait.
    """

    stratum: int = 0
    place: int | None = None
    chance: float | None = None
    cells: dict[str, list[UnitCell]] = field(default_factory=dict)

    def chosen(self, traits: Sequence[str], group: str | None) -> list[UnitCell]:
        """Return the unit's cells under some traits, of one group, or of all groups for None."""
        found: list[UnitCell] = []
        for trait in traits:
            found += [one for one in self.cells.get(trait, ()) if group in (None, one.group)]
        return found


class CountedUnit(NamedTuple):
    """A unit whose audit counts: the place of its stratum, its chance and its cells."""

    stratum: int
    chance: float | None
    cells: Sequence[UnitCell]

    @property
    def answers(self) -> Counter[Answers]:
        """How often judge and person gave which answers in the unit's cells."""
        found: Counter[Answers] = Counter()
        for cell in self.cells:
            found.update(cell.answers)
        return found


class AuditedPart(Struct, frozen=True):
    """What there is to estimate a number from.

    `drawn` units have such cells, of `frame` that could be drawn, and `n` of them count, the
    `counted`. `passed` is the number of the first that was passed over (1-based), where
    `later` ones were audited all the same. `unjudged` cells nobody judged. `untold` are the
    verdicts of people, in what counts, that it cannot be told, and `judge_untold` those of the
    judge in all of the frame: no number has them above or below its line.
    """

    strata: Sequence[Stratum]
    n: int
    drawn: int
    frame: int
    passed: int | None
    later: int
    unjudged: int
    counted: Sequence[CountedUnit]
    untold: int = 0
    judge_untold: int = 0

    @property
    def answered_units(self) -> float:
        """How many units with one answer each would say as much as the answers compared here."""
        sizes: list[float] = []
        for unit in self.counted:
            sizes.append(unit.answers.total() / (unit.chance or 1.0))
        return effective_count(sizes)

    @property
    def judge_only(self) -> float | None:
        """What the judge says of all that could be drawn; None for 0/0."""
        whole = _sum(pair for stratum in self.strata for pair in stratum.judge)
        if not whole.b:
            return None
        return whole.a / whole.b


def audited_part(
    units: Iterable[AuditUnit],
    traits: Sequence[str],
    measure: Measure,
    group: str | None = None,
    first: int | None = None,
) -> AuditedPart:
    """Return what the cells of some traits bring to a number, of one group, or of all for None.

    Units without such cells do not belong to it. Units count in the order of the draw, up to the
    first of which not every such cell has a person's labels, and at most `first` of them.
    """
    frame = unjudged = untold = judge_untold = 0
    judge: dict[int, list[Pair]] = {}
    order: list[tuple[int, AuditUnit, list[UnitCell]]] = []
    for unit in units:
        cells = unit.chosen(traits, group)
        if not cells:
            continue
        frame += 1
        unjudged += sum(not cell.judges for cell in cells)
        judge_untold += sum(map(_judge_untold, cells))
        judge.setdefault(unit.stratum, []).append(judge_pair(measure, cells))
        if unit.place is not None:
            order.append((unit.place, unit, cells))
    order.sort(key=itemgetter(0))
    audited = [all(cell.person for cell in cells) for *_, cells in order]
    n = [*audited, False].index(False)
    later, passed = sum(audited[n:]), None
    if later:
        passed = order[n][0] + 1
    n = min(n, first or n)
    people: dict[int, list[Audited]] = {}
    places = {stratum: place for place, stratum in enumerate(sorted(judge))}
    counted: list[CountedUnit] = []
    for place, unit, cells in order[:n]:
        one = Audited(person_pair(measure, cells), judge_pair(measure, cells), unit.chance, place)
        people.setdefault(unit.stratum, []).append(one)
        untold += sum(cell.person.untold for cell in cells if cell.person)
        counted.append(CountedUnit(places[unit.stratum], unit.chance, cells))
    strata = [Stratum(pairs, people.get(one, [])) for one, pairs in sorted(judge.items())]
    return AuditedPart(
        strata, n, len(order), frame, passed, later, unjudged, counted, untold, judge_untold
    )


def _judge_untold(cell: UnitCell) -> int:
    """Return how many verdicts the judge of a cell could not tell; 0 if nobody judged it.

    Of a panel it is the count of the middle member, the lower of two.
    """
    counts = sorted(figures.untold for figures in cell.judges)
    return counts[(len(counts) - 1) // 2] if counts else 0


def person_pair(measure: Measure, cells: Iterable[UnitCell]) -> Pair:
    """Return what the person's labels of a unit's cells add above and below the line of a measure.

    Cells without such labels add nothing.
    """
    return _sum(measure.parts(cell.person) for cell in cells if cell.person)


def judge_pair(measure: Measure, cells: Iterable[UnitCell]) -> Pair:
    """Return what the judge's labels of a unit's cells add above and below the line of a measure.

    Of a panel it is the mean of its members. Cells that nobody judged add nothing.
    """
    found: list[Pair] = []
    for cell in cells:
        whole, count = _sum(map(measure.parts, cell.judges)), max(len(cell.judges), 1)
        found.append(Pair(whole.a / count, whole.b / count))
    return _sum(found)


def _sum(pairs: Iterable[tuple[float, float]]) -> Pair:
    above = below = 0.0
    for a, b in pairs:
        above, below = above + a, below + b
    return Pair(above, below)


COVERAGE = 0.95
MOST_DECIDED = 0.4
"""The largest share of a frame at which a look decides, short of all of it. Above it intervals by
residuals left out the true value in up to 15 of 100 audits where 5 were meant (simulated).
"""
NO_AUDIT = "a stratum has no audit yet"
COMPARED = 4
"""Groups that are compared each with each; of more, the highest with each of the others."""


class EstimatedTrait(Struct, frozen=True):
    """All traits of a name and kind, and their measures; "" is all `names` of a kind together.
    `positives` are their answers that count as positive.
    """

    name: str
    kind: AnyKind
    measures: Sequence[Measure]
    names: Sequence[str]
    positives: frozenset[str] = frozenset()

    @property
    def describe(self) -> str:
        """What the trait is called, or all traits of its kind together."""
        return self.name or f"all {self.kind.name} traits"


class Worth(Struct, frozen=True):
    """One number over all that could be drawn: of a trait, of all groups (None) or of one. Of the
    responses it has an `estimate`, of the judge an `interval` alone.

    Where there is no interval, `wanting` says why.
    """

    trait: EstimatedTrait
    measure: Measure
    group: str | None
    part: AuditedPart
    interval: Interval | None
    wanting: str = ""
    estimate: Estimate | None = None
    units: float = inf
    """How many audited units of one size would say as much as these."""

    @property
    def deciding(self) -> Interval | None:
        """The interval that a look goes by; None without one.

        It is people's own if too few audits carry the correction.
        """
        return self.estimate.deciding if self.estimate else self.interval

    @property
    def undecided(self) -> str:
        """Why no look decides by this number though it has an interval.

        "" if looks do, if all of the frame is audited, and without an interval.
        """
        part = self.part
        if self.interval is None or part.n == part.frame:
            return ""
        if part.n > MOST_DECIDED * part.frame:
            return (
                f"{part.n:,} of {part.frame:,} are ruled on. Above {percent(MOST_DECIDED)} of all"
                " that could be drawn this interval is too narrow, until all"
                f" {part.frame:,} are ruled on"
            )
        if self.units < part.n / 2:
            return (
                f"a few large ones carry this number: {part.n} are worth {self.units:.0f} of one"
                " size, so its interval may be too narrow"
            )
        return ""

    def needed(self, half: float) -> int:
        """Return about how many more audits it takes for an interval of ± `half`, which is above 0.

        0 if it is as narrow already, or there is no interval.
        """
        part, found = self.part, self.interval
        if self.estimate is not None:
            return self.estimate.needed(half)
        if found is None or found.half <= half:
            return 0
        left = (half / found.half) ** 2 * (1 / part.n - 1 / part.frame)
        return ceil(1 / (1 / part.frame + left)) - part.n


class GroupDifference(Struct, frozen=True):
    """By how much more the one group measures than the other, with the interval of that."""

    trait: EstimatedTrait
    measure: Measure
    one: str
    other: str
    by: Interval


class JudgeErrors(Struct, frozen=True):
    """Where the judge goes wrong under a trait, over `n` audited units that count.

    `by` is how much more the judge measures on all units than the estimate. `agreement` counts the
    answers, where the kind has such; in `higher` cells the judge's number is above the person's, in
    `lower` below, of `cells`.
    """

    trait: EstimatedTrait
    measure: Measure
    n: int
    by: float | None
    agreement: Agreement
    higher: int
    lower: int
    cells: int


def estimated_traits(known: Iterable[KnownTrait]) -> list[EstimatedTrait]:
    """Return the traits of a rubric, those with one name and kind together, kind by kind.

    Before the traits of a kind that has several come the measures that several of these share, each
    as one entry for all of them.
    """
    named: dict[tuple[str, str], list[KnownTrait]] = {}
    for one in known:
        named.setdefault((one.kind.name, one.trait.name), []).append(one)
    found: dict[str, list[EstimatedTrait]] = {}
    for (of, name), ones in named.items():
        kind, own = ones[0].kind, [one.trait for one in ones]
        words = chain.from_iterable(map(kind.vocabulary, own))
        positives = kind.positives.intersection(words)
        trait = EstimatedTrait(name, kind, measures_over(kind, own), (name,), positives)
        found.setdefault(of, []).append(trait)
    given: list[EstimatedTrait] = []
    for traits in found.values():
        if len(traits) > 1:
            given += _together(traits)
        given += traits
    return given


def _together(traits: Sequence[EstimatedTrait]) -> Iterator[EstimatedTrait]:
    """Yield an entry for each measure that several traits have, over all these traits.

    To be one measure, name, bounds and direction must be equal: a mean of others would say nothing.
    """
    alike: dict[tuple[object, ...], list[tuple[Measure, EstimatedTrait]]] = {}
    for trait in traits:
        for measure in trait.measures:
            same = (measure.name, measure.low, measure.high, measure.higher_is_better)
            alike.setdefault(same, []).append((measure, trait))
    for found in alike.values():
        if len(found) > 1:
            names = [trait.name for _, trait in found]
            positives = frozenset[str]().union(*(trait.positives for _, trait in found))
            yield EstimatedTrait("", traits[0].kind, (found[0][0],), names, positives)


def worth(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    group: str | None = None,
    *,
    first: int | None = None,
    coverage: float = COVERAGE,
) -> Worth:
    """Return the estimate of a measure of a trait, of one group, or of all groups for None.

    At most the `first` audited units count, or all for None. `coverage` is that of the interval,
    from 0 to 1. With fewer than `FEWEST` audits and for 0/0 there is no interval, and `wanting`
    says why.
    """
    part = audited_part(units, trait.names, measure, group, first)
    if part.n < FEWEST:
        return Worth(trait, measure, group, part, None, too_few(part))
    low, high = _bounds(measure)
    found = estimate_ratio(part.strata, low=low, high=high, level=coverage)
    if found is not None:
        return Worth(trait, measure, group, part, found.interval, "", found, found.units)
    wanting = f"{measure_text(measure)} is 0/0 in what was audited"
    if part.untold:
        wanting = "people could not tell in any of what was audited"
    if not all(stratum.audited for stratum in part.strata):
        wanting = NO_AUDIT
    return Worth(trait, measure, group, part, None, wanting)


def _bounds(measure: Measure) -> tuple[float, float]:
    """Return the lower and the upper bound of a measure, infinite for none."""
    low = -inf if measure.low <= -NO_BOUND else measure.low
    high = inf if measure.high >= NO_BOUND else measure.high
    return low, high


def too_few(part: AuditedPart) -> str:
    """Return why fewer than `FEWEST` audits show no number, and how many more it takes."""
    text = f"shown from {FEWEST} audits on"
    if part.drawn < FEWEST:
        if part.drawn == part.frame:
            return f"{text}, and there are only {part.frame}"
        were = "was" if part.drawn == 1 else "were"
        return f"{text}, and {part.drawn} {were} drawn: draw more"
    return f"{text}: {many(FEWEST - part.n, 'more audit')} to go"


def differences(found: Sequence[Worth]) -> Iterator[GroupDifference]:
    """Yield by how much groups differ in one number, the higher group of each two first.

    Groups without an estimate are left out. Up to `COMPARED` groups are compared each with each; of
    more, the highest with each other one.
    """
    known = [(one, one.estimate) for one in found if one.estimate is not None]
    known.sort(key=lambda pair: -pair[1].value)
    pairs = combinations(known, 2)
    for place, ((one, high), (other, low)) in enumerate(pairs):
        if len(known) <= COMPARED or place < len(known) - 1:
            by = difference(high, low)
            yield GroupDifference(one.trait, one.measure, one.group or "", other.group or "", by)


def judge_errors(found: Worth) -> JudgeErrors:
    """Return on which side the judge goes wrong in the cells that count for a number.

    Cells that nobody judged, or of which either number is 0/0, are neither higher nor lower; equal
    ones are only counted.
    """
    answers: Counter[Answers] = Counter()
    measure = found.measure
    higher = lower = cells = 0
    for cell in chain.from_iterable(unit.cells for unit in found.part.counted):
        answers.update(cell.answers)
        if cell.person is None or not cell.judges:
            continue
        person, judge = person_pair(measure, [cell]), judge_pair(measure, [cell])
        if person.b and judge.b:
            by = judge.a / judge.b - person.a / person.b
            cells += 1
            higher += by > _SLACK
            lower += by < -_SLACK
    above = None
    if found.estimate is not None and found.estimate.judge_only is not None:
        above = found.estimate.judge_only - found.estimate.value
    given = agreement(answers, found.trait.kind.positives, ())
    return JudgeErrors(found.trait, measure, found.part.n, above, given, higher, lower, cells)


_SLACK = 1e-9


# -- a sample -------------------------------------------------------------------------------------


DISAGREES = "the sample does not agree with itself, so it says and decides nothing"


class AuditedSample(Struct, frozen=True):
    """A sample, all units of its frame, and the traits that are measured.

    `facts` are those of the audit as a whole, `verdict` is the number of the fact that was the
    first verdict on the sample, None before there is one. `by` is what the cells are grouped by.
    `faults` are why it does not agree with itself: then it says nothing. `unsettled` names the
    cells in it that do not count, as they were ruled on or signed off over what was changed since.
    """

    sample: Sample
    facts: Sequence[DesignFact]
    traits: Sequence[EstimatedTrait]
    units: Sequence[AuditUnit]
    verdict: int | None
    by: str = ""
    faults: Sequence[str] = ()
    unsettled: Sequence[str] = ()
    doubts: Sequence[str] = ()
    """What was changed by hand, or may have been, and is in no number: sentences."""
    digests: Sequence[SampleDigest] = ()
    """The digest after each draw and each plan, the latest last."""

    @property
    def unit(self) -> str:
        """What one unit is: "cluster" if any unit has several traces, else "trace"."""
        if any(len(unit.traces) > 1 for unit in self.sample.units):
            return "cluster"
        return "trace"

    @property
    def wanting(self) -> str:
        """Why the sample says nothing, in a sentence; "" if it has no faults."""
        if not self.faults:
            return ""
        return f"{DISAGREES}: {'; '.join(self.faults)}"

    @property
    def groups(self) -> list[str]:
        """The names of the groups that cells are in, sorted; "" is of those without a value."""
        found: set[str] = set()
        for unit in self.units:
            for cells in unit.cells.values():
                found.update(cell.group for cell in cells)
        return sorted(found)


def frame_units(
    sample: Sample, placed: Iterable[tuple[int, TraceKey, str, UnitCell]]
) -> list[AuditUnit]:
    """Return the units of the frame that have a cell, in the order of their first cells.

    `placed` has of each cell the number of its trace from 1, the trace's key, its cluster or "",
    and the cell. Cells of traces that could not be drawn are left out. If units were drawn by
    chances of their own, all are in stratum 0.
    """
    strata = designs.read(sample.last.frame_strata)
    # chances weigh the units of one stratum, else each stratum is weighed as a whole
    by_chance = sample.has_own_chances
    if by_chance:
        strata = [None if one is None else 0 for one in strata]
    drawn: dict[TraceKey, tuple[int, float | None]] = {}
    for place, unit in enumerate(sample.units):
        for key in unit.traces:
            drawn[key] = (place, unit.chance if by_chance else None)
    units: dict[str | TraceKey, AuditUnit] = {}
    for trace, key, cluster, cell in placed:
        stratum = None
        if trace <= len(strata):
            stratum = strata[trace - 1]
        if stratum is None:  # it could not be drawn
            continue
        found = units.setdefault(cluster or key, AuditUnit(stratum))
        if key in drawn:
            found.place, found.chance = drawn[key]
        found.cells.setdefault(cell.trait, []).append(cell)
    return list(units.values())


KAPPA = f"{JUDGE}kappa"
AGREEMENT = f"{JUDGE}agreement"
SENSITIVITY = f"{JUDGE}sensitivity"
SPECIFICITY = f"{JUDGE}specificity"
PRECISION = f"{JUDGE}precision"
BIAS = f"{JUDGE}bias"
SIGHTED = (
    "A bar on the judge takes verdicts that were ruled blind, and this sample is signed off in"
    " sight of the judge."
)
_FALLS = "a single audit decides it"


def judge_measures(trait: EstimatedTrait) -> list[Measure]:
    """Return the measures of the judge that a bar may be on: agreement, rates and bias.

    Agreement is left out for a kind that compares only some of its lists, rates for a trait without
    positive answers. Bias is that of the trait's first measure.
    """
    found: list[Measure] = []
    if not trait.kind.compared:
        found += [Measure(KAPPA, "kappa", -1.0), Measure(AGREEMENT, "alike")]
        if trait.positives:
            found += [Measure(SENSITIVITY, "sens"), Measure(SPECIFICITY, "spec")]
            found.append(Measure(PRECISION, "prec"))
    for measure in trait.measures[:1]:
        reach = min(measure.high - measure.low, NO_BOUND)
        found.append(Measure(BIAS, "bias", -reach, reach, higher_is_better=None))
    return found


def whole_traits(traits: Sequence[EstimatedTrait]) -> list[EstimatedTrait]:
    """Return each trait that has a name, and of those for several traits only the widest.

    An entry for several traits is left out if an earlier one has all of its names.
    """
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
) -> Worth:
    """Return a measure of the judge, one of `judge_measures`, over all that could be drawn.

    At most the `first` audited units count, or all for None. `coverage` is that of the interval,
    from 0 to 1. Without an interval `wanting` says why: too few audits or answers, 0/0, or a number
    that a single audit would decide.
    """
    if measure.name == BIAS:
        return _bias(units, trait, measure, first, coverage)
    part = audited_part(units, trait.names, trait.measures[0], first=first)
    number = partial(Worth, trait, measure, None, part)
    if part.n < FEWEST:
        return number(None, too_few(part))
    if not all(stratum.audited for stratum in part.strata):
        return number(None, NO_AUDIT)
    compared = sum(unit.answers.total() for unit in part.counted)
    if compared < ENOUGH:
        return number(None, f"shown from {ENOUGH} answers on, and {compared} are compared")
    clusters = drawn_clusters(part)
    yes = trait.positives
    given = chain.from_iterable(unit.answers for unit in part.counted)
    others = frozenset(chain.from_iterable(given)) - yes
    statistics: dict[str, Statistic] = {
        KAPPA: cohen_kappa,
        AGREEMENT: alike,
        SENSITIVITY: partial(share, given=yes, rater=1, matching=yes),
        SPECIFICITY: partial(share, given=others, rater=1, matching=others),
        PRECISION: partial(share, given=yes, rater=0, matching=yes),
    }
    statistic = statistics[measure.name]
    found = statistic(pooled(clusters))
    if found is None:
        return number(None, f"{measure.name} is 0/0 in what was audited")
    between = bounds(statistic, clusters, coverage)
    if between is None:
        return number(None, _FALLS)
    interval = Interval(found.value, between.low, between.high)
    return number(interval, units=part.answered_units)


def _bias(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    first: int | None,
    coverage: float,
) -> Worth:
    """Return by how much more the judge measures on all units than people would.

    The parameters are as in `judge_number`.
    """
    own = trait.measures[0]
    found = worth(units, trait, own, first=first, coverage=coverage)
    number = partial(Worth, trait, measure, None, found.part)
    people, judge = found.deciding, found.part.judge_only
    if people is None:
        return number(None, found.wanting)
    if judge is None:
        return number(None, f"the judge's {own.name} is 0/0")
    value, low, high = people
    return number(Interval(judge - value, judge - high, judge - low), units=found.units)


def drawn_clusters(part: AuditedPart) -> Clusters:
    """Return the answers of each audited unit as a cluster, weighted by what it stands for.

    The weights of a stratum's units add up to its units in the frame. Equal clusters are counted.
    """
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
