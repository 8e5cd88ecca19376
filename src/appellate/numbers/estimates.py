"""What an audit's sample says of all that could be drawn: judge only, people only and corrected, by
trait and by groups; where the judge goes wrong; and the judge's own numbers beside blind verdicts.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from math import ceil, fsum, inf
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct, field

from appellate.core.agreement import (
    ENOUGH,
    Agreement,
    Answers,
    agreement,
    kappa_of_scores,
    number_of,
)
from appellate.core.cell import Cell
from appellate.core.describe import answered
from appellate.core.design_facts import DesignFact, Sample
from appellate.core.kind import AnyKind, Figures, KnownTrait, Measure, TraitKey
from appellate.core.problem import many
from appellate.core.scale import NO_BOUND, measure_text
from appellate.core.totals import measures_over
from appellate.core.trace import TraceKey, name_of
from appellate.numbers.exact import (
    ANY_LOOK,
    NO_CHANCES,
    BettingEstimate,
    CornersOfUnits,
    IntervalRule,
    NeverExact,
    NotExact,
    OpenUnit,
    betting_estimate,
    exact_audit,
)
from appellate.numbers.exact_judge import (
    AnswerCounts,
    AskedCell,
    AskedUnit,
    JudgeBets,
    judge_bets,
    never_judge_bets,
)
from appellate.numbers.formatting import percent
from appellate.stats import designs
from appellate.stats.agreement_tables import Statistic, alike, cohen_kappa, f1_of, share
from appellate.stats.clustered import (
    Bounds,
    Cluster,
    Clusters,
    bounds,
    cautious_bounds,
    exact_bounds,
    pooled,
)
from appellate.stats.estimates import (
    Audited,
    Estimate,
    Interval,
    Pair,
    Stratum,
    difference,
    effective_count,
    estimate_ratio,
    shown_differences,
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
    known: KnownTrait | None = None
    """Its trait; None where that is not known, and then there is no exact interval."""
    judge_answers: AnswerCounts = ()
    """How often the judge gave each answer, also in cells that no person ruled on."""
    panel: Figures | None = None
    """The figures of the labels that a panel proposes: what most members say. None for one judge.
    """

    @property
    def proposed(self) -> Sequence[Figures]:
        """The figures of the labels that the judge proposes; empty if the cell was not judged.

        Of a panel it is one entry, what most of its members say, or one for each member if that is
        not known.
        """
        if self.panel is not None:
            return (self.panel,)
        return self.judges


def judges_of(cell: Cell) -> list[Figures]:
    """Return what a cell's judge measures: one entry for each member of a panel that answered.

    For a single judge it is one entry. The entries are of the judge's labels, not of the person's.
    Empty if the cell was not judged.
    """
    if cell.judge is None:
        return []
    members = answered(cell.judge.judge)
    if members:
        return [cell.subject.measure_table(member.table) for member in members]
    if cell.judge_figures is None:
        return []
    return [cell.judge_figures]


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
    name: str = ""
    """What people call it: its trace, or its cluster; "" for a trace that was not drawn."""
    draw: int = 0
    """By which draw it came into the sample, from 0."""
    is_whole: bool = False
    """Whether its stratum was drawn whole by the design "giants"."""
    wave: int = 0
    """Of which wave of the sample it is, from 0, drawn or not."""

    def add(self, cells: Iterable[UnitCell]) -> None:
        """Add cells to those of the unit, each under its trait, after those that are there."""
        for cell in cells:
            self.cells.setdefault(cell.trait, []).append(cell)

    def chosen(self, trait: "EstimatedTrait", group: str | None) -> list[UnitCell]:
        """Return the unit's cells under a trait, of one group, or of all groups for None.

        Of several traits together they are in the order of the traits' names. Cells under a trait
        of the same name and another kind are left out. The group "" is of traces without a value.
        Empty if the unit has no such cells.
        """
        cells: list[UnitCell] = []
        for name in trait.names:
            for cell in self.cells.get(name, ()):
                if trait.is_of_kind(cell) and group in (None, cell.group):
                    cells.append(cell)
        return cells


class CountedUnit(NamedTuple):
    """A unit whose audit counts: the place of its stratum, its chance and its cells."""

    stratum: int
    chance: float | None
    cells: Sequence[UnitCell]
    person: Pair = Pair(0.0, 0.0)
    """What people's labels of it add to the measure: numerator, denominator."""

    @property
    def answers(self) -> Counter[Answers]:
        """How often judge and person gave which answers in the unit's cells.

        A key is a pair, the judge's answer first. Empty if no answer can be compared.
        """
        counts: Counter[Answers] = Counter()
        for cell in self.cells:
            counts.update(cell.answers)
        return counts


class ChosenUnit(NamedTuple):
    """A unit of the frame with its cells that are measured."""

    unit: AuditUnit
    cells: Sequence[UnitCell]
    judge: Pair
    """What the judge's labels of these cells add: of a panel, the mean of its members."""
    proposed: Pair
    """What the labels that the judge proposes add: of a panel, what most of its members say."""
    unjudged: int
    """How many of these cells nobody judged."""
    judge_untold: int
    """How many verdicts of these cells the judge could not tell."""


class AuditedPart(Struct, frozen=True):
    """What there is to estimate a number from.

    `drawn` units have such cells, of `frame` that could be drawn, and `n` of them count, the
    `counted`. `passed` is the number of the first that was passed over (1-based), where
    `later` ones were audited all the same. `unjudged` cells nobody judged. `untold` are the
    verdicts of people, in what counts, that it cannot be told, and `judge_untold` those of the
    judge in all of the frame: no number has them in its numerator or denominator.
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
    chosen: Sequence[ChosenUnit] = ()
    """All units of the frame that have such cells; units that say the same may be one object."""

    @property
    def different_units(self) -> Iterable[ChosenUnit]:
        """All units of the frame that have such cells, each object once."""
        return {id(chosen): chosen for chosen in self.chosen}.values()

    @property
    def people(self) -> list[Pair]:
        """What people's labels of each unit that counts add, in the order of the draw."""
        return [unit.person for unit in self.counted]

    @property
    def answered_units(self) -> float:
        """How many units with one answer each would say as much as the answers compared here.

        It is Kish's effective number of the units that count; 0 if no answer is compared.
        """
        sizes: list[float] = []
        for unit in self.counted:
            sizes.append(unit.answers.total() / (unit.chance or 1.0))
        return effective_count(sizes)

    @property
    def judge_only(self) -> float | None:
        """The measure by the judge's labels alone, over all that could be drawn; None for 0/0.

        It is pooled: what the cells add to the numerator, over what they add to the denominator. So
        it is no mean over units, and cells that nobody judged add nothing. The judge of a panel is
        what most of its members say, or their mean if that is not known. Corrections always take
        the mean, which says more of where they err.
        """
        total = _sum(chosen.proposed for chosen in self.chosen)
        if not total.b:
            return None
        return total.a / total.b


class _CountingUnits(NamedTuple):
    """Which drawn units count, and what keeps others from counting."""

    units: list[ChosenUnit]
    """Those that count, wave after wave, in the order of the draw."""
    later: int
    """How many units are ruled on and do not count, as they come after one that is not."""
    passed: int | None
    """The place, from 1, of the unit that they wait for in its wave; None if none waits."""


def _counting_in_order(drawn_units: Iterable[ChosenUnit]) -> _CountingUnits:
    """Return the drawn units that count, how many ruled ones do not yet, and who is passed over.

    Of each wave the units count that come, in the order of the draw, before the first one of which
    a cell has no person's labels. That one is passed over if ruled units come after it. The result
    has its place in the draw, from 1, for the first wave with such a unit, and None if there is
    none. Units that were not drawn are left out.
    """
    waves: dict[int, list[ChosenUnit]] = {}
    for chosen in drawn_units:
        if chosen.unit.place is not None:
            waves.setdefault(chosen.unit.wave, []).append(chosen)
    counting: list[ChosenUnit] = []
    later = 0
    passed = None
    for _, units_of_wave in sorted(waves.items(), key=itemgetter(0)):
        units_of_wave.sort(key=_place_in_draw)
        are_audited: list[bool] = []
        for chosen in units_of_wave:
            are_audited.append(all(cell.person for cell in chosen.cells))
        complete = len(are_audited)
        if not all(are_audited):
            complete = are_audited.index(False)
        counting += units_of_wave[:complete]
        later_of_wave = sum(are_audited[complete:])
        if later_of_wave and passed is None:
            passed = _place_in_draw(units_of_wave[complete]) + 1
        later += later_of_wave
    return _CountingUnits(counting, later, passed)


def _place_in_draw(chosen: ChosenUnit) -> int:
    """Return the place of a drawn unit in the order of the draw, from 0; -1 if it was not drawn."""
    place = chosen.unit.place
    return -1 if place is None else place


def audited_part(
    units: Iterable[AuditUnit],
    trait: "EstimatedTrait",
    measure: Measure,
    group: str | None = None,
    first: int | None = None,
) -> AuditedPart:
    """Return what the cells of a trait bring to a number, of one group, or of all for None.

    Units without such cells do not belong to it. Drawn units of each wave count in the order of the
    draw, up to the first of which not every such cell has a person's labels. Later ones of that
    wave do not count, though they may be audited; how many these are is told. Of all waves at most
    the `first` count, or all for None and 0. Cells that the judge did not label are counted, and do
    not stop a unit from counting. `units` do not change.
    """
    chosen_units = _chosen_units(units, trait, measure, group)
    judge: dict[int, list[Pair]] = {}
    for chosen in chosen_units:
        judge.setdefault(chosen.unit.stratum, []).append(chosen.judge)
    drawn_units = [chosen for chosen in chosen_units if chosen.unit.place is not None]
    counting, later, passed = _counting_in_order(drawn_units)
    n = min(len(counting), first or len(counting))
    people: dict[int, list[Audited]] = {}
    untold = 0
    places = {stratum: place for place, stratum in enumerate(sorted(judge))}
    counted: list[CountedUnit] = []
    for chosen in counting[:n]:
        unit = chosen.unit
        person = person_pair(measure, chosen.cells)
        audited_unit = Audited(person, chosen.judge, unit.chance, unit.place)
        people.setdefault(unit.stratum, []).append(audited_unit)
        untold += sum(cell.person.untold for cell in chosen.cells if cell.person)
        counted.append(
            CountedUnit(places[unit.stratum], unit.chance, chosen.cells, person),
        )
    strata = [
        Stratum(pairs, people.get(number, []))
        for number, pairs in sorted(judge.items())
    ]
    return AuditedPart(
        strata,
        n,
        len(drawn_units),
        len(chosen_units),
        passed,
        later,
        sum(chosen.unjudged for chosen in chosen_units),
        counted,
        untold,
        sum(chosen.judge_untold for chosen in chosen_units),
        chosen_units,
    )


def _chosen_units(
    units: Iterable[AuditUnit],
    trait: "EstimatedTrait",
    measure: Measure,
    group: str | None,
) -> list[ChosenUnit]:
    """Return the units that have cells of this trait and this group, with these cells.

    They are in the order of `units`; for None the group does not matter. Each has what the judge's
    labels add to the measure. Units that are one object are one object here, too, of which the
    judge is measured once.
    """
    chosen_units: list[ChosenUnit] = []
    by_unit: dict[int, ChosenUnit] = {}
    for unit in units:
        chosen = by_unit.get(id(unit))
        if chosen is None:
            cells = unit.chosen(trait, group)
            chosen = ChosenUnit(
                unit=unit,
                cells=cells,
                judge=judge_pair(measure, cells),
                proposed=proposed_pair(measure, cells),
                unjudged=sum(not cell.judges for cell in cells),
                judge_untold=sum(map(_judge_untold, cells)),
            )
            by_unit[id(unit)] = chosen
        if chosen.cells:
            chosen_units.append(chosen)
    return chosen_units


def _judge_untold(cell: UnitCell) -> int:
    """Return how many verdicts the judge of a cell could not tell; 0 if the cell was not judged.

    Of a panel it is the count of the middle member, of two middle ones the lower.
    """
    if not cell.judges:
        return 0
    counts = sorted(figures.untold for figures in cell.judges)
    middle = (len(counts) - 1) // 2
    return counts[middle]


def person_pair(measure: Measure, cells: Iterable[UnitCell]) -> Pair:
    """Return what the person's labels of a unit's cells add to a measure: numerator, denominator.

    Cells without such labels add nothing: (0, 0) if none has any.
    """
    return _sum(measure.parts(cell.person) for cell in cells if cell.person)


def judge_pair(measure: Measure, cells: Iterable[UnitCell]) -> Pair:
    """Return what the judge's labels of a unit's cells add to a measure: numerator, denominator.

    Of a panel it is the mean of its members. Cells that nobody judged add nothing: (0, 0) if none
    is judged.
    """
    pairs: list[Pair] = []
    for cell in cells:
        pairs.append(_mean_parts(measure, cell.judges))
    return _sum(pairs)


def proposed_pair(measure: Measure, cells: Iterable[UnitCell]) -> Pair:
    """Return what the labels that the judge proposes for a unit's cells add to a measure.

    The result is numerator and denominator. Of a panel the labels are what most of its members say;
    if that is not known, it is the mean of its members. Cells that nobody judged add nothing: (0,
    0) if none is judged.
    """
    pairs: list[Pair] = []
    for cell in cells:
        pairs.append(_mean_parts(measure, cell.proposed))
    return _sum(pairs)


def _mean_parts(measure: Measure, judges: Sequence[Figures]) -> Pair:
    """Return what the judges of one cell add to a measure on the mean: numerator, denominator.

    `judges` has the figures of each judge's labels. (0, 0) if there are none.
    """
    total = _sum(map(measure.parts, judges))
    count = max(len(judges), 1)
    above = total.a / count
    below = total.b / count
    return Pair(above, below)


def _sum(pairs: Iterable[tuple[float, float]]) -> Pair:
    """Return the sum of pairs: the first numbers added up, then the second; (0, 0) for none."""
    above = below = 0.0
    for a, b in pairs:
        above = above + a
        below = below + b
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
    def key(self) -> TraitKey:
        """The names of the kind and of the trait, the latter "" for several together."""
        return self.kind.name, self.name

    @property
    def keys(self) -> list[TraitKey]:
        """The keys of all traits that it is."""
        return [(self.kind.name, name) for name in self.names]

    def is_of_kind(self, cell: UnitCell) -> bool:
        """Return whether a cell is under a trait of this kind; True if its trait is not known.

        Two questions may have traits of one name and of two kinds.
        """
        return cell.known is None or cell.known.kind.name == self.kind.name

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

    rule: IntervalRule = ANY_LOOK
    """Which interval it has, as was planned."""
    inexact: str = ""
    """Why its interval is not by betting, though the rule says so; "" if it is."""
    is_by_betting: bool = False
    """Whether the interval holds at every n and at any look."""
    judge_bets: JudgeBets | None = None
    """The betting audit of a number of the judge; None for other numbers, and where none holds."""

    @property
    def deciding(self) -> Interval | None:
        """The interval that decides a bar; None without an interval.

        That is the one that is shown. For a number with planned looks it may be that of people's
        answers only, where few residuals or units carry the estimate.
        """
        if self.estimate is not None and self.rule.name != "any":
            return self.estimate.deciding
        return self.interval

    @property
    def undecided(self) -> str:
        """Why no look decides by this number though it has an interval: a clause, no period.

        The reasons in order: the interval is not exact though it was to be, more than
        `MOST_DECIDED` (40 %) of the frame is audited, and a few large units carry the number. "" if
        looks do decide, if its interval is by betting, if all of the frame is audited, and without
        an interval.
        """
        part = self.part
        if self.interval is None or part.n == part.frame or self.is_by_betting:
            return ""
        if self.inexact and self.rule.name == "any":
            return f"its interval is not exact: {self.inexact}"
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
        """Return about how many more audits it takes for an interval of the number of ± `half`.

        `half` must be above 0. The result counts units, and at most all that remain. 0 if the
        interval is as narrow already. 0, too, without any interval, so that this does not tell that
        it is narrow.
        """
        part = self.part
        interval = self.interval
        if self.estimate is not None:
            return self.estimate.needed(half)
        if interval is None or interval.half <= half:
            return 0
        # the variance of a mean of n of the frame goes by 1 / n - 1 / frame
        share_of_width = half / interval.half
        variance_now = 1 / part.n - 1 / part.frame
        variance_left = share_of_width**2 * variance_now
        return ceil(1 / (1 / part.frame + variance_left)) - part.n


class GroupDifference(Struct, frozen=True):
    """By how much more the one group measures than the other, with the interval of that."""

    trait: EstimatedTrait
    measure: Measure
    one: str
    other: str
    by: Interval
    among: int = 1
    """How many differences were compared."""
    is_shown: bool = True
    """Whether it is other than 0 by more than chance gives among so many (Holm)."""


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
    is_raw: bool = False
    """Whether units had unequal chances, so that the counts are no shares of all."""


def estimated_traits(known_traits: Iterable[KnownTrait]) -> list[EstimatedTrait]:
    """Return the traits of a rubric, those with one name and kind together, kind by kind.

    Before the traits of a kind come the measures that several of them share. Each such measure is
    one entry for these traits together, and its name is "". Kinds and traits are in the order of
    the rubric, each where its first one is.
    """
    by_key: dict[TraitKey, list[KnownTrait]] = {}
    for known_trait in known_traits:
        by_key.setdefault(known_trait.key, []).append(known_trait)
    traits_by_kind: dict[str, list[EstimatedTrait]] = {}
    for (kind_name, name), same_traits in by_key.items():
        kind = same_traits[0].kind
        written_traits = [known_trait.trait for known_trait in same_traits]
        words = chain.from_iterable(map(kind.vocabulary, written_traits))
        positives = kind.positives.intersection(words)
        trait = EstimatedTrait(
            name,
            kind,
            measures_over(kind, written_traits),
            (name,),
            positives,
        )
        traits_by_kind.setdefault(kind_name, []).append(trait)
    entries: list[EstimatedTrait] = []
    for traits in traits_by_kind.values():
        if len(traits) > 1:
            entries += _shared_measures(traits)
        entries += traits
    return entries


def _shared_measures(traits: Sequence[EstimatedTrait]) -> Iterator[EstimatedTrait]:
    """Yield an entry for each measure that several of these traits have, over the traits that have
    it.

    The traits must be of one kind. The name of an entry is "". To be one measure, name, bounds and
    direction must be equal: a mean of others would say nothing. The positive answers are those of
    all traits of the entry.
    """
    alike: dict[tuple[object, ...], list[tuple[Measure, EstimatedTrait]]] = {}
    for trait in traits:
        for measure in trait.measures:
            identity = (
                measure.name,
                measure.low,
                measure.high,
                measure.higher_is_better,
            )
            alike.setdefault(identity, []).append((measure, trait))
    for measured in alike.values():
        if len(measured) > 1:
            names = [trait.name for _, trait in measured]
            positives = frozenset[str]()
            for _, trait in measured:
                positives |= trait.positives
            first_measure, _ = measured[0]
            yield EstimatedTrait("", traits[0].kind, (first_measure,), names, positives)


def _by_residuals(
    part: AuditedPart,
    measure: Measure,
    rule: IntervalRule,
) -> Estimate | None:
    """Return the estimate by residuals at the coverage of a rule, with the judge's own number.

    The judge's own number is that of what a panel proposes, not of the mean of its members. None
    with fewer than `FEWEST` audited units, or if the ratio cannot be estimated, as for 0/0 or a
    stratum without audits.
    """
    if part.n < FEWEST:
        return None
    low, high = scale_bounds(measure)
    estimate = estimate_ratio(part.strata, low=low, high=high, level=rule.coverage)
    if estimate is None:
        return None
    return dataclasses.replace(estimate, judge_only=part.judge_only)


def worth(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    group: str | None = None,
    *,
    first: int | None = None,
    rule: IntervalRule = ANY_LOOK,
) -> Worth:
    """Return the estimate of a measure of a trait, of one group, or of all groups for None.

    At most the `first` audited units count, or all for None. `rule` says which interval it has.
    Under "any" that is by betting, or by residuals with the reason in `inexact` where betting gives
    none. Under "looks" it is by residuals, or by betting where residuals do not carry it. Under
    "residuals" it is by residuals; without `first`, which names a look, betting takes their place
    if they give none or most of the frame is audited.

    By residuals there is none below `FEWEST` audits. Without an interval `wanting` says why, and
    there is no estimate. Nothing is raised for it.
    """
    part = audited_part(units, trait, measure, group, first)
    by_residuals = _by_residuals(part, measure, rule)
    inexact: NotExact | None = None
    is_old_look = rule.name == "residuals" and first is not None
    if rule.name == "any" or (not is_old_look and _looks_bet(rule, by_residuals, part)):
        try:
            estimate = _by_betting(part, measure, rule, by_residuals)
        except NotExact as reason:
            inexact = reason
        else:
            interval = estimate.interval
            return Worth(
                trait,
                measure,
                group,
                part,
                interval,
                estimate=estimate,
                rule=rule,
                is_by_betting=True,
            )

    if by_residuals is None:
        return Worth(
            trait,
            measure,
            group,
            part,
            None,
            _wanting(part, measure, inexact),
        )
    if rule.name != "any":
        by_residuals = shown_as_deciding(by_residuals)
    interval = by_residuals.interval
    effective_units = by_residuals.units
    why = str(inexact or "")
    return Worth(
        trait,
        measure,
        group,
        part,
        interval,
        "",
        by_residuals,
        effective_units,
        rule,
        why,
    )


def shown_as_deciding(estimate: Estimate) -> Estimate:
    """Return a copy of an estimate with the interval that decides in place of its own.

    That is people's own, with their value, where few residuals or units carry the estimate. Else it
    is the interval that it has.
    """
    value, low, high = estimate.deciding
    return dataclasses.replace(estimate, value=value, low=low, high=high)


def _looks_bet(
    rule: IntervalRule,
    by_residuals: Estimate | None,
    part: AuditedPart,
) -> bool:
    """Return whether a number with planned looks has its interval by betting.

    It has if one of these is so: there is no estimate by residuals (`by_residuals` is None), more
    than `MOST_DECIDED` of the frame is audited, or few residuals or few units carry the estimate.
    The last does not count under the older rule "residuals", whose interval by betting is for
    reading only. It never has once all of the frame is audited.

    This choice looks at the data. Measured (MEASURED.md), it is wrong in 1 to 7 of 100 audits.
    """
    if part.n == part.frame:
        return False
    if by_residuals is None or part.n > MOST_DECIDED * part.frame:
        return True
    if rule.name == "residuals":
        return False
    return by_residuals.has_few_residuals or by_residuals.has_few_units


NO_VALUE = (
    "every value is refused, which happens in one of a thousand audits: it says nothing"
)


def _by_betting(
    part: AuditedPart,
    measure: Measure,
    rule: IntervalRule,
    by_residuals: Estimate | None,
) -> BettingEstimate:
    """Return the estimate with an interval by betting; raises NotExact if there is none.

    The value is that of `by_residuals`, or else what people say on average, moved into the interval
    if it is outside. The exception's text is a clause with the reason, and it is a NeverExact where
    no interval can ever be. The reasons are: unequal chances or several waves, nothing that bounds
    a response, whole units that wait, no complete round, a ruling beyond what was thought possible,
    0/0 in what people said, or every value refused.
    """
    open_units = _open_units(part)
    exact = exact_audit(
        open_units,
        part.people,
        measure,
        rule,
        _most_items(part, measure),
    )
    people = _people_ratio(part, measure)
    if people is None:
        raise NotExact(_undefined(part, measure))
    estimate = betting_estimate(exact, people, part.judge_only, part.n, by_residuals)
    if estimate is None:
        raise NotExact(NO_VALUE)
    return estimate


def _people_ratio(part: AuditedPart, measure: Measure) -> float | None:
    """Return a measure by people's labels only, each stratum weighed by its size; None for 0/0.

    It is the weighted sum of the numerators over that of the denominators, so no mean over units.
    Strata without audits do not count. The number is kept within the measure's bounds.
    """
    above = 0.0
    below = 0.0
    for stratum in part.strata:
        if stratum.audited:
            weight = len(stratum.judge) / len(stratum.audited)
            above += weight * sum(unit.person.a for unit in stratum.audited)
            below += weight * sum(unit.person.b for unit in stratum.audited)
    if not below:
        return None
    return min(max(above / below, measure.low), measure.high)


def _open_units(part: AuditedPart) -> list[OpenUnit]:
    """Return all units of the frame, as they are known before anybody rules, in its order.

    Units that say the same are one object. The judge is None in all if no cell has any labels of
    it. Raises NeverExact if a unit was drawn with a chance of its own, and for units of several
    waves.
    """
    if _are_of_waves(chosen.unit for chosen in part.different_units):
        raise NeverExact(OF_WAVES)
    indexes: dict[int, int] = {}
    for stratum in sorted({chosen.unit.stratum for chosen in part.different_units}):
        indexes[stratum] = len(indexes)
    all_cells = chain.from_iterable(chosen.cells for chosen in part.different_units)
    is_judged = any(cell.judges for cell in all_cells)
    by_unit: dict[int, OpenUnit] = {}
    """Each unit once, by the id of what is chosen of it."""
    for chosen in part.different_units:
        unit = chosen.unit
        if unit.chance is not None:
            raise NeverExact(NO_CHANCES)
        judge = chosen.judge if is_judged else None
        traits = tuple(cell.known for cell in chosen.cells)
        stratum_index = indexes[unit.stratum]
        by_unit[id(chosen)] = OpenUnit(
            stratum_index,
            judge,
            traits,
            unit.place,
            unit.draw,
            unit.name,
            unit.is_whole,
        )
    return [by_unit[id(chosen)] for chosen in part.chosen]


OF_WAVES = (
    "the sample has several waves, and the size of a later one may go by what an"
    " earlier showed"
)
"""Why no exact interval is known over waves: rounds of all strata must be fixed beforehand."""


def _are_of_waves(units: Iterable[AuditUnit]) -> bool:
    """Return whether units are of more than one wave; False without units."""
    return len({unit.wave for unit in units}) > 1


def _most_items(part: AuditedPart, measure: Measure) -> int:
    """Return how many items the judge has at most in one list that the measure counts.

    Each list of each cell is looked at, and of a panel each member's. 0 for a measure that counts
    no lists, and if nobody judged.
    """
    if measure.ratio is None:
        return 0
    names = {*measure.ratio.above, *measure.ratio.below}
    most = 0
    for chosen in part.different_units:
        for cell in chosen.cells:
            for figures in cell.judges:
                for name in names:
                    count = figures.counts.get(name, 0)
                    most = max(most, count)
    return most


def _undefined(part: AuditedPart, measure: Measure) -> str:
    """Return as a clause why there is nothing to divide by in what people said.

    Nothing is audited, people could not tell in any audited cell, or else the number is 0/0.
    """
    if not part.n:
        return f"none of the {part.drawn:,} drawn is audited yet"
    for unit in part.counted:
        for cell in unit.cells:
            if cell.person is None or measure.name not in cell.person.cannot_tell:
                return f"{measure_text(measure)} is 0/0 in what was audited"
    return "people could not tell in any of what was audited"


def _wanting(part: AuditedPart, measure: Measure, inexact: NotExact | None) -> str:
    """Return as a clause why a number has no interval at all.

    `inexact` says why betting gives none; None if betting was not tried. That is the reason if more
    audits may change it. Else, and after a NeverExact, the first of these is: too few audits, a
    stratum without any, nothing to divide by.
    """
    if inexact is not None and not isinstance(inexact, NeverExact):
        return str(inexact)
    if part.n < FEWEST:
        return too_few(part)
    if not all(stratum.audited for stratum in part.strata):
        return NO_AUDIT
    return _undefined(part, measure)


def never_exact(
    units: Iterable[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
) -> str:
    """Return in a clause why no exact interval of a number is possible; "" if one is.

    This is known before anybody rules. The reasons in order: units with chances of their own,
    several waves, and answers or a scale that nothing bounds. Only units with cells of the trait
    count. The judge's bias goes by the trait's first measure.
    """
    # many may be the same object
    each_once = {id(unit): unit for unit in units}.values()
    units = [unit for unit in each_once if unit.chosen(trait, None)]
    if any(unit.chance is not None for unit in units):
        return NO_CHANCES
    if _are_of_waves(units):
        return OF_WAVES
    if measure.name.startswith(JUDGE) and measure.name != BIAS:
        cells = chain.from_iterable(unit.chosen(trait, None) for unit in units)
        return never_judge_bets(measure.name, (cell.known for cell in cells))
    if measure.name == BIAS:
        measure = trait.measures[0]
    try:
        corners = CornersOfUnits(measure, 0)
    except NeverExact as reason:
        return str(reason)
    for unit in units:
        try:
            corners.of([cell.known for cell in unit.chosen(trait, None)])
        except NeverExact as reason:
            return str(reason)
    return ""


def scale_bounds(measure: Measure) -> tuple[float, float]:
    """Return the lower and the upper bound of a measure, infinite for a scale without that end."""
    low = -inf if measure.low <= -NO_BOUND else measure.low
    high = inf if measure.high >= NO_BOUND else measure.high
    return low, high


def too_few(part: AuditedPart) -> str:
    """Return as a clause that no number is shown below `FEWEST` audits, and how many more it takes.

    `part` must have fewer. Audits after a unit that was passed over will count once that unit is
    ruled on. So they are not among those to go, and the clause says which unit comes first. If too
    few units were drawn, it says to draw more, or that there are no more.
    """
    text = f"shown from {FEWEST} audits on"
    if part.drawn >= FEWEST and part.passed is not None:
        more = many(max(1, FEWEST - part.n - part.later), "more audit")
        return f"{text}: {more} to go, number {part.passed} of the draw first"
    if part.drawn >= FEWEST:
        more = many(FEWEST - part.n, "more audit")
        return f"{text}: {more} to go"
    if part.frame < FEWEST:
        return f"{text}, and there are only {part.frame}"
    verb = "was" if part.drawn == 1 else "were"
    return f"{text}, and {part.drawn} {verb} drawn: draw more"


def compared_groups(worths: Sequence[Worth]) -> list[tuple[Worth, Worth]]:
    """Return the pairs of groups that are compared in a number, the higher of each two first.

    `worths` has the number of each group. Groups with fewer than `FEWEST` audits, or without an
    estimate, are left out. Up to `COMPARED` groups are compared each with each; of more, the
    highest with each other one. Pairs with the highest group come first. Empty for fewer than two
    groups.
    """
    compared: list[Worth] = []
    for number in worths:
        if number.estimate is not None and number.estimate.knows_help:
            compared.append(number)
    compared.sort(key=_minus_value)
    pairs = list(combinations(compared, 2))
    if len(compared) > COMPARED:
        pairs = pairs[: len(compared) - 1]
    return pairs


def _minus_value(number: Worth) -> float:
    """Return the sort key of a number: the highest estimate first, one without any last."""
    if number.estimate is None:
        return inf
    return -number.estimate.value


def differences_by_residuals(worths: Sequence[Worth]) -> Iterator[GroupDifference]:
    """Yield by how much groups differ in a number, the higher group of each two first.

    `worths` has the number of each group; those with fewer than `FEWEST` audits, or without an
    estimate, are left out. Up to four groups are compared each with each; of more, the highest with
    each other one. The intervals are by residuals, each at the level of its estimates. `is_shown`
    is tested for all differences together (Holm), with 5 % that any is wrong.
    """
    pairs = compared_groups(worths)
    estimates: list[tuple[Estimate, Estimate]] = []
    for higher, lower in pairs:
        if higher.estimate is not None and lower.estimate is not None:
            estimates.append((higher.estimate, lower.estimate))
    are_shown = shown_differences(estimates, 1 - COVERAGE)
    for (higher, lower), (high, low), is_shown in zip(
        pairs,
        estimates,
        are_shown,
        strict=True,
    ):
        interval = difference(high, low)
        yield GroupDifference(
            higher.trait,
            higher.measure,
            higher.group or "",
            lower.group or "",
            interval,
            len(pairs),
            is_shown,
        )


def judge_errors(worth_of_trait: Worth, *, is_raw: bool = False) -> JudgeErrors:
    """Return on which side the judge goes wrong in the cells that count for a number.

    Only audited units that count are looked at. Of a panel the judge is what it proposes. Cells
    that nobody judged or ruled on, or of which either number is 0/0, are in no count of cells.
    Cells with equal numbers are in `cells` only. The answers are those of all cells, with or
    without a number. `by` is the judge's number on all units less the estimate, None if either is
    not known. `is_raw` is only passed on.
    """
    answers: Counter[Answers] = Counter()
    measure = worth_of_trait.measure
    higher = lower = cells = 0
    for cell in chain.from_iterable(unit.cells for unit in worth_of_trait.part.counted):
        answers.update(cell.answers)
        if cell.person is None or not cell.judges:
            continue
        person = person_pair(measure, [cell])
        judge = proposed_pair(measure, [cell])
        if person.b and judge.b:
            excess = judge.a / judge.b - person.a / person.b
            cells += 1
            higher += excess > _SLACK
            lower += excess < -_SLACK
    above = None
    if (
        worth_of_trait.estimate is not None
        and worth_of_trait.estimate.judge_only is not None
    ):
        above = worth_of_trait.estimate.judge_only - worth_of_trait.estimate.value
    counted_agreement = agreement(answers, worth_of_trait.trait.kind.positives, ())
    return JudgeErrors(
        worth_of_trait.trait,
        measure,
        worth_of_trait.part.n,
        above,
        counted_agreement,
        higher,
        lower,
        cells,
        is_raw,
    )


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
    waves: Sequence["AuditedSample"] = ()
    """Each wave with its own frame, plans and looks, in order; empty for a sample of a single one.

    Then `facts` are without plans and looks, which are each of a wave.
    """

    @property
    def last_wave(self) -> "AuditedSample":
        """The wave that bars are decided by: the last, or the sample itself if it has no others."""
        return self.waves[-1] if self.waves else self

    @property
    def unit(self) -> str:
        """What one unit is: "cluster" if any unit has several traces, else "trace"."""
        if any(len(unit.traces) > 1 for unit in self.sample.units):
            return "cluster"
        return "trace"

    @property
    def wanting(self) -> str:
        """Why the sample says nothing, in a sentence without its period; "" if it has no faults."""
        if not self.faults:
            return ""
        return f"{DISAGREES}: {'; '.join(self.faults)}"

    @property
    def groups(self) -> list[str]:
        """The names of the groups that cells are in, sorted; "" is of cells without a value."""
        names: set[str] = set()
        for unit in self.units:
            for cells in unit.cells.values():
                names.update(cell.group for cell in cells)
        return sorted(names)


class PlacedTrace(NamedTuple):
    """A trace with its place in the order loaded, from 1, and its cells."""

    number: int
    key: TraceKey
    cluster: str
    """Its cluster, "" for none."""
    cells: Sequence[UnitCell]


def frame_units(sample: Sample, placed: Iterable[PlacedTrace]) -> list[AuditUnit]:
    """Return the units of the frame that `placed` traces make, in the order of their first traces.

    `placed` has traces with cells only, in the order loaded. Those that could not be drawn, or came
    later, are left out. The traces of a cluster are one unit, in each wave. If units were drawn by
    chances of their own, all are in stratum 0. Traces that were not drawn, and have the very same
    cells, are one object, which is in the list several times.
    """
    drawn_places = _drawn_places(sample)
    waves: list[int] = []
    """The wave of each stratum."""
    for number, wave in enumerate(sample.waves):
        waves += [number] * len(wave.strata)
    units: list[AuditUnit] = []
    by_cluster: dict[tuple[int, str], AuditUnit] = {}
    alike: dict[Hashable, AuditUnit] = {}
    for stratum, trace in _in_strata(sample, placed):
        if not trace.cluster and trace.key not in drawn_places:
            # cells by their ids: the unit that is kept holds them
            content = (stratum, tuple(map(id, trace.cells)))
            if content not in alike:
                alike[content] = AuditUnit(stratum, wave=waves[stratum])
                alike[content].add(trace.cells)
            units.append(alike[content])
            continue
        # each wave has a part of its own of a cluster
        cluster = (waves[stratum], trace.cluster)
        unit = by_cluster.get(cluster)
        if unit is None:
            is_whole = stratum == sample.whole_stratum
            name = name_of(*trace.key)
            unit = AuditUnit(stratum, name=name, is_whole=is_whole, wave=waves[stratum])
            units.append(unit)
            if trace.cluster:
                unit.name = f"cluster {trace.cluster}"
                by_cluster[cluster] = unit
        if trace.key in drawn_places:
            unit.place, unit.chance, unit.draw = drawn_places[trace.key]
        unit.add(trace.cells)
    return units


def _in_strata(
    sample: Sample,
    placed: Iterable[PlacedTrace],
) -> Iterator[tuple[int, PlacedTrace]]:
    """Yield the traces that could be drawn, each after the number of its stratum.

    `placed` are traces in the order loaded, which stays. Those that were not in the frame, or came
    after the draw, are left out. Strata are numbered from 0 through all waves. All are 0 if units
    were drawn by chances of their own.
    """
    strata: list[int | None] = []
    stratum_count = 0
    for wave in sample.waves:
        # a wave says nothing of the traces that an earlier one knew
        for value in designs.read(wave.last.frame_strata)[len(strata) :]:
            strata.append(None if value is None else stratum_count + value)
        stratum_count += len(wave.strata)
    for trace in placed:
        stratum = None
        if trace.number <= len(strata):
            stratum = strata[trace.number - 1]
        if stratum is None:
            continue
        # chances weigh the units of one stratum, else each stratum is weighed as a whole
        yield 0 if sample.has_own_chances else stratum, trace


class _DrawnPlace(NamedTuple):
    """Where a drawn trace is in the draw."""

    place: int
    """The place of its unit, from 0."""
    chance: float | None
    """The chance of its unit; None if chances are equal."""
    draw: int
    """The number of the draw that it came by, from 0."""


def _drawn_places(sample: Sample) -> dict[TraceKey, _DrawnPlace]:
    """Return where each drawn trace is in the draw, by the trace's key.

    Traces of a cluster share place, chance and draw.
    """
    has_own_chances = sample.has_own_chances
    places: dict[TraceKey, _DrawnPlace] = {}
    for place, unit in enumerate(sample.units):
        chance = None
        if has_own_chances:
            chance = unit.chance
        for key in unit.traces:
            places[key] = _DrawnPlace(place, chance, unit.draw)
    return places


KAPPA = f"{JUDGE}kappa"
WEIGHTED_KAPPA = f"{JUDGE}weighted_kappa"
AGREEMENT = f"{JUDGE}agreement"
SENSITIVITY = f"{JUDGE}sensitivity"
SPECIFICITY = f"{JUDGE}specificity"
PRECISION = f"{JUDGE}precision"
F1 = f"{JUDGE}f1"
BIAS = f"{JUDGE}bias"
SIGHTED = (
    "A bar on the judge takes verdicts that were ruled blind, and this sample is signed off in"
    " sight of the judge."
)
_FALLS = "a single audit decides it"


def _is_plain_number(measure: Measure) -> bool:
    """Return whether a measure is the number itself: no share of answers, no ratio of counts."""
    return measure.word == "" and measure.ratio is None


def judge_measures(trait: EstimatedTrait) -> list[Measure]:
    """Return the measures of the judge that a bar may be on: agreement, kappas, rates and bias.

    Agreement, kappas and rates are left out for a kind that compares only some of its lists. Rates,
    which are sensitivity, specificity, precision and F1, need a trait with positive answers.
    Weighted kappa needs one whose measures are all plain numbers: no shares of answers and no
    ratios of counts. Bias is that of the trait's first measure; there is none without measures.
    Kappa comes first, and bias last.
    """
    measures: list[Measure] = []
    if not trait.kind.compared:
        measures.append(Measure(KAPPA, "kappa", -1.0))
        measures.append(Measure(AGREEMENT, "alike"))
        if trait.positives:
            measures.append(Measure(SENSITIVITY, "sens"))
            measures.append(Measure(SPECIFICITY, "spec"))
            measures.append(Measure(PRECISION, "prec"))
            measures.append(Measure(F1, "f1"))
        if all(_is_plain_number(measure) for measure in trait.measures):
            measures.append(Measure(WEIGHTED_KAPPA, "weighted kappa", -1.0))
    if trait.measures:
        first_measure = trait.measures[0]
        reach = min(first_measure.high - first_measure.low, NO_BOUND)
        measures.append(Measure(BIAS, "bias", -reach, reach, higher_is_better=None))
    return measures


def whole_traits(traits: Sequence[EstimatedTrait]) -> list[EstimatedTrait]:
    """Return each trait that has a name, and of entries for several traits only the widest.

    An entry for several traits is left out if an earlier one of its kind has all of its names. The
    order stays.
    """
    kept_traits: list[EstimatedTrait] = []
    for trait in traits:
        is_in_wider = False
        for wider in kept_traits:
            if not wider.name and set(trait.keys) <= set(wider.keys):
                is_in_wider = True
        if trait.name or not is_in_wider:
            kept_traits.append(trait)
    return kept_traits


def judge_number(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    *,
    first: int | None = None,
    rule: IntervalRule = ANY_LOOK,
) -> Worth:
    """Return a measure of the judge, one of `judge_measures`, over all that could be drawn.

    At most the `first` audited units count, or all for None. Under the rule "any" its interval is
    by betting. Where betting can never know one it is by the jackknife, with the reason in
    `inexact`. It is by the jackknife under the other rules, too, which older audits have. Bias is
    the judge's number less people's. Without an interval `wanting` says why. There never is an
    estimate with the judge's help.
    """
    if measure.name == BIAS:
        return _bias(units, trait, measure, first, rule)
    part = audited_part(units, trait, trait.measures[0], first=first)
    if rule.name != "any":
        return _by_jackknife(trait, measure, part, rule)
    number = partial(Worth, trait, measure, None, part, rule=rule)
    try:
        asked_units = _asked_units(part)
        if not part.n:
            return number(None, _undefined(part, measure))
        answers = [unit.answers for unit in part.counted]
        bets = judge_bets(measure.name, trait.positives, asked_units, answers, rule)
    except NeverExact as reason:
        return _by_jackknife(trait, measure, part, rule, str(reason))
    except NotExact as reason:
        return number(None, str(reason))
    clusters = drawn_clusters(part)
    statistic = judge_statistic(measure.name, trait.positives, clusters)
    coefficient = statistic(pooled(clusters))
    if coefficient is None:
        return number(None, f"{measure.name} is 0/0 in what was audited")
    interval = bets.interval(coefficient.value)
    if interval is None:
        return number(None, NO_VALUE)
    return number(interval, is_by_betting=True, judge_bets=bets)


def _asked_units(part: AuditedPart) -> list[AskedUnit]:
    """Return all units of the frame, in its order, with what the judge answered in them.

    Units that say the same are one object. Raises NeverExact if a unit was drawn with a chance of
    its own, and for units of several waves.
    """
    by_unit: dict[int, AskedUnit] = {}
    asked_units: list[AskedUnit] = []
    for open_unit, chosen in zip(_open_units(part), part.chosen, strict=True):
        asked_unit = by_unit.get(id(chosen))
        if asked_unit is None:
            cells: list[AskedCell] = []
            for cell in chosen.cells:
                cells.append(AskedCell(cell.known, cell.judge_answers))
            # the judge's pairs are those of another number
            unit_without_judge = open_unit._replace(judge=None)
            asked_unit = AskedUnit(unit_without_judge, cells)
            by_unit[id(chosen)] = asked_unit
        asked_units.append(asked_unit)
    return asked_units


def _by_jackknife(
    trait: EstimatedTrait,
    measure: Measure,
    part: AuditedPart,
    rule: IntervalRule,
    inexact: str = "",
) -> Worth:
    """Return a measure of the judge, but bias, with an interval by the jackknife over units.

    Its level is the coverage of `rule`. `inexact` is why it has none by betting. Without an
    interval `wanting` says why: too few audits or answers, a stratum without audits, 0/0, or a
    number that a single audit would decide. Raises KeyError for bias, which `_bias` gives.
    """
    number = partial(Worth, trait, measure, None, part, rule=rule, inexact=inexact)
    if part.n < FEWEST:
        return number(None, too_few(part))
    if not all(stratum.audited for stratum in part.strata):
        return number(None, NO_AUDIT)
    words = JackknifeWords("what was audited", _FALLS)
    clusters = drawn_clusters(part)
    interval = jackknifed(
        trait,
        measure,
        part,
        clusters,
        rule.coverage,
        words,
        bounds_at_looks,
    )
    if isinstance(interval, str):
        return number(None, interval)
    return number(interval, units=part.answered_units)


JudgeBounds = Callable[[str, Statistic, Clusters, float], Bounds | None]
"""What makes the interval of a measure of the judge: its name, its statistic, a level."""


class JackknifeWords(NamedTuple):
    """How a number that has no interval by the jackknife says why, as parts of a clause."""

    of: str
    """Of what it is 0/0."""
    falls: str
    """That the interval is gone without one of the units."""


def jackknifed(
    trait: EstimatedTrait,
    measure: Measure,
    part: AuditedPart,
    clusters: Clusters,
    coverage: float,
    words: JackknifeWords,
    bounded: JudgeBounds,
) -> Interval | str:
    """Return a measure of the judge, but bias, with its interval by the jackknife, or why it has
    none.

    `clusters` are the pairs of answers of `part`, as they are weighted. `bounded` makes the
    interval at the level `coverage`. The reason is a clause: fewer than `ENOUGH` answers compared
    in the audited units, 0/0, or a single cluster that decides it. `words` say of what it is 0/0,
    and the last of these reasons. Raises KeyError for bias, which is no function of the pairs.
    """
    compared = sum(unit.answers.total() for unit in part.counted)
    if compared < ENOUGH:
        return f"shown from {ENOUGH} answers on, and {compared} are compared"
    statistic = judge_statistic(measure.name, trait.positives, clusters)
    estimated = statistic(pooled(clusters))
    if estimated is None:
        return f"{measure.name} is 0/0 in {words.of}"
    between = bounded(measure.name, statistic, clusters, coverage)
    if between is None:
        return words.falls
    return Interval(estimated.value, between.low, between.high)


def judge_bounds(
    name: str,
    statistic: Statistic,
    clusters: Clusters,
    level: float,
) -> Bounds | None:
    """Return the interval of a measure of the judge, by its name, for responses without end.

    It is by the jackknife and the exact binomial interval, at `level`. For kappa and F1 it is wide
    enough for half an answer more. None if a single cluster decides it, or if the statistic is
    None.
    """
    if name in (KAPPA, F1):
        return cautious_bounds(statistic, clusters, level)
    return exact_bounds(statistic, clusters, level)


def bounds_at_looks(
    name: str,  # noqa: ARG001 - all measures have the same
    statistic: Statistic,
    clusters: Clusters,
    level: float,
) -> Bounds | None:
    """Return the interval of a measure of the judge in a sample, as every version made it.

    Looks that were taken are computed again by it. The name does not matter. None if a single unit
    decides it, or if the statistic is None.
    """
    return bounds(statistic, clusters, level)


def judge_statistic(
    name: str,
    positives: frozenset[str],
    clusters: Clusters,
) -> Statistic:
    """Return the function that computes a measure of the judge from pairs of answers, by its name.

    The name is as in "judge.kappa". `clusters` have all pairs that occur, the judge's answer first:
    the answers that are not positive are taken from them. Bias is no such function: raises KeyError
    for it, as for an unknown name.
    """
    paired_answers = chain.from_iterable(pooled(clusters))
    answers = frozenset(filter(None, paired_answers))
    negatives = answers - positives
    scores: dict[str, float] = {}
    for word in answers:
        score = number_of(word)
        if score is not None:
            scores[word] = score
    statistics: dict[str, Statistic] = {
        KAPPA: cohen_kappa,
        WEIGHTED_KAPPA: partial(kappa_of_scores, scores=scores),
        AGREEMENT: alike,
        SENSITIVITY: partial(share, given=positives, rater=1, matching=positives),
        SPECIFICITY: partial(share, given=negatives, rater=1, matching=negatives),
        PRECISION: partial(share, given=positives, rater=0, matching=positives),
        F1: partial(f1_of, answers=positives),
    }
    return statistics[name]


def _bias(
    units: Sequence[AuditUnit],
    trait: EstimatedTrait,
    measure: Measure,
    first: int | None,
    rule: IntervalRule,
) -> Worth:
    """Return by how much more the judge measures on all units than people would.

    It is of the trait's first measure, `measure` is that of the bias. At most the `first` audited
    units count, or all for None. Its interval is that of people's number, as `rule` says, turned
    round: the judge's number less either end. Without an interval `wanting` says why: people's
    number has none, or the judge's is 0/0.
    """
    base_measure = trait.measures[0]
    people_worth = worth(units, trait, base_measure, first=first, rule=rule)
    number = partial(Worth, trait, measure, None, people_worth.part)
    people = people_worth.deciding
    judge = people_worth.part.judge_only
    if people is None:
        return number(None, people_worth.wanting)
    if judge is None:
        return number(None, f"the judge's {base_measure.name} is 0/0")
    value, low, high = people
    interval = Interval(judge - value, judge - high, judge - low)
    return Worth(
        trait,
        measure,
        None,
        people_worth.part,
        interval,
        units=people_worth.units,
        rule=rule,
        inexact=people_worth.inexact,
        is_by_betting=people_worth.is_by_betting,
    )


def drawn_clusters(part: AuditedPart) -> Clusters:
    """Return the answers of each audited unit as a cluster, and how many units have an equal one.

    Only units that count are in it. A cluster is weighted by what its unit stands for: the weights
    of a stratum's units add up to its units in the frame.
    """
    inverse_chances: list[list[float]] = [[] for _ in part.strata]
    for unit in part.counted:
        inverse_chances[unit.stratum].append(1 / (unit.chance or 1.0))
    clusters: Counter[Cluster] = Counter()
    for unit in part.counted:
        size = len(part.strata[unit.stratum].judge)
        of_stratum = inverse_chances[unit.stratum]
        weight = size / (unit.chance or 1.0) / fsum(of_stratum)
        left = 1 - len(of_stratum) / size
        answers = frozenset(unit.answers.items())
        cluster = Cluster(answers, weight, unit.stratum, left)
        clusters[cluster] += 1
    return clusters
