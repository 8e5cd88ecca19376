"""What the numbers of an audit are worth: judge only, people only and corrected, of each trait, of
all traits together, by groups of traces; where the judge goes wrong.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from math import inf

from msgspec import Struct

from appellate.core.agreement import Agreement, Answers, agreement
from appellate.core.kind import AnyKind, KnownTrait, Measure
from appellate.core.scale import NO_BOUND
from appellate.core.totals import measures_over
from appellate.core.wordforms import many
from appellate.stats.estimates import Estimate, Interval, difference, estimate_ratio
from appellate.stats.looks import FEWEST
from appellate.worth.audit_units import (
    AuditedPart,
    AuditUnit,
    ChosenCells,
    audited_part,
    judge_pair,
    pair_of,
)

COVERAGE = 0.95
NO_AUDIT = "a stratum has no audit yet"
COMPARED = 4
"""Groups that are compared each with each; of more, the highest with each of the others."""


class EstimatedTrait(Struct, frozen=True):
    """All traits of a name and a kind, and the measures that any of them asks for; "" is all
    `names` of the kind together. The `positives` are the answers under it that count as positive.
    """

    name: str
    kind: AnyKind
    measures: Sequence[Measure]
    names: Sequence[str]
    positives: frozenset[str] = frozenset()

    @property
    def describe(self) -> str:
        """What they are called."""
        return self.name or f"all {self.kind.name} traits"


class Worth(Struct, frozen=True):
    """One number over all that could be drawn: of a trait, of all groups (None) or of one.

    Where there is no estimate, `wanting` says why.
    """

    trait: EstimatedTrait
    measure: Measure
    group: str | None
    part: AuditedPart
    estimate: Estimate | None
    wanting: str = ""

    @property
    def interval(self) -> Interval | None:
        """The corrected estimate."""
        if self.estimate is None:
            return None
        return self.estimate.interval

    @property
    def deciding(self) -> Interval | None:
        """What a look goes by: people's own where few audits carry the correction."""
        if self.estimate is None:
            return None
        return self.estimate.deciding

    def needed(self, half: float) -> int:
        """About how many audits more it would take for an interval of ± this, above 0."""
        return self.estimate.needed(half) if self.estimate else 0


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
    """The traits of a rubric by name; of kinds that have several, first all together."""
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
    """The measures that several traits have with the same bounds and the same end that is good; a
    mean of others would say nothing.
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
    """One number, of no more than the `first` audited units where that is given."""
    part = audited_part(units, ChosenCells(trait.names, measure, group), first)
    if part.n < FEWEST:
        return Worth(trait, measure, group, part, None, too_few(part))
    low, high = _bounds(measure)
    found = estimate_ratio(part.strata, low=low, high=high, level=coverage)
    wanting = ""
    if found is None:
        wanting = f"{measure.name} is 0/0 in what was audited"
        if not all(stratum.audited for stratum in part.strata):
            wanting = NO_AUDIT
    return Worth(trait, measure, group, part, found, wanting)


def _bounds(measure: Measure) -> tuple[float, float]:
    """The bounds of a measure, infinite for none."""
    low, high = measure.low, measure.high
    if low <= -NO_BOUND:
        low = -inf
    if high >= NO_BOUND:
        high = inf
    return low, high


def too_few(part: AuditedPart) -> str:
    """How many audits are wanting for any number."""
    text = f"shown from {FEWEST} audits on"
    if part.drawn < FEWEST:
        return f"{text}, and {part.drawn} were drawn: draw more"
    return f"{text}: {many(FEWEST - part.n, 'more audit')} to go"


def differences(found: Sequence[Worth]) -> Iterator[GroupDifference]:
    """The groups of one number, two at a time."""
    known = [(one, one.estimate) for one in found if one.estimate is not None]
    known.sort(key=lambda pair: -pair[1].value)
    pairs = combinations(known, 2)
    for place, ((one, high), (other, low)) in enumerate(pairs):
        if len(known) <= COMPARED or place < len(known) - 1:
            by = difference(high, low)
            yield GroupDifference(one.trait, one.measure, one.group or "", other.group or "", by)


def judge_errors(found: Worth) -> JudgeErrors:
    """On which side the judge goes wrong in what was audited."""
    answers: Counter[Answers] = Counter()
    measure = found.measure
    higher = lower = cells = 0
    for cell in chain.from_iterable(unit.cells for unit in found.part.counted):
        answers.update(cell.answers)
        if cell.person is None or not cell.judges:
            continue
        mine = pair_of(measure, cell.person)
        judge = judge_pair(measure, [cell])
        if mine.b and judge.b:
            by = judge.a / judge.b - mine.a / mine.b
            cells += 1
            higher += by > _SLACK
            lower += by < -_SLACK
    above = None
    if found.estimate is not None and found.estimate.judge_only is not None:
        above = found.estimate.judge_only - found.estimate.value
    given = agreement(answers, found.trait.kind.positives, ())
    return JudgeErrors(found.trait, measure, found.part.n, above, given, higher, lower, cells)


_SLACK = 1e-9
