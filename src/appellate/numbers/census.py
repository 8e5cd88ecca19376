"""Bars on the judge where people signed off every cell, so that there is no sample: a census.

How the judge does on these responses is then known without an interval. A bar asks how it would do
on further responses like these, and its interval is for those: by the jackknife over traces, or
over clusters of traces, as on the page Judge (`estimates.judge_bounds`). `gate` calls `census_of()`
and `census_gates()`.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from msgspec import Struct

from appellate.core.agreement import (
    ENOUGH,
    Answers,
    PairCounts,
    answer_pairs,
    cluster_of,
)
from appellate.core.describe import BLIND_BY_CLAIM
from appellate.core.design_facts import sample_of
from appellate.core.kind import Measure, TraitKey
from appellate.core.problem import Refused, many
from appellate.numbers.bars import NO_BAR_ON_CENSUS, hold_in_range, number_of
from appellate.numbers.estimates import (
    BIAS,
    EstimatedTrait,
    estimated_traits,
    judge_bounds,
    judge_statistic,
)
from appellate.numbers.formatting import between, figure, percent
from appellate.stats.clustered import Clusters, pooled
from appellate.stats.estimates import Interval, effective_count
from appellate.stats.looks import FEWEST, LEVEL, Decision, TrustBar
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit import AuditedCell

IN_SIGHT = "in sight"
"""How people ruled where not every cell is claimed to be blind."""


class Census(Struct, frozen=True):
    """An audit without a sample, in which people signed off every cell."""

    cells: int
    traits: Sequence[EstimatedTrait]
    tables: dict[TraitKey, dict[Hashable, Counter[Answers]]]
    """How often judge and person gave which answers, by trait and by trace or cluster."""
    claimed: Counter[TraitKey]
    """Of how many cells the importer claims that they were ruled blind, by trait."""
    signed: Counter[TraitKey]
    """How many cells there are, by trait."""

    def clusters(self, trait: EstimatedTrait) -> Clusters:
        """Return the pairs of answers under a trait, or several together, by trace or cluster.

        The result says how many traces or clusters have equal pairs. Each pair is the judge's
        answer and the person's. Each trace or cluster has weight 1. Empty if no pair can be
        compared.
        """
        together = PairCounts()
        for key in trait.keys:
            for cluster, pairs in self.tables.get(key, {}).items():
                for pair, count in pairs.items():
                    together.add(cluster, pair, count)
        return together.agreement(trait.positives, ()).clusters

    def how(self, trait: EstimatedTrait) -> str:
        """Return how people ruled under a trait, in words for a sentence.

        It is `BLIND_BY_CLAIM` if the importer claims of all cells that they were ruled blind. If
        one cell lacks the claim, it is `IN_SIGHT`.
        """
        for key in trait.keys:
            if self.claimed[key] < self.signed[key]:
                return IN_SIGHT
        return BLIND_BY_CLAIM


class CensusGate(Struct, frozen=True):
    """What a census says about a bar on the judge."""

    bar: TrustBar
    trait: EstimatedTrait
    measure: Measure
    decision: Decision
    how: str
    """How people ruled, as in `Census.how`."""
    answers: int
    """How many answers of judge and person were compared."""
    units: int
    """Of how many traces, or clusters of traces, these are."""
    interval: Interval | None
    """The number on these responses, with its interval for further ones; None if there is none."""
    wanting: str = ""
    """Why there is no interval, or none that decides, as a clause; "" if it decides."""


def census_of(audit: AnyAudit) -> Census | None:
    """Return an audit as a census, counted from its facts; None if it is none.

    It is none if a sample was drawn, if a cell is not signed off, if a cell is to be ruled on
    blind, and without cells.
    """
    if sample_of(audit.design) is not None:
        return None
    return _census_of_cells(audit.cells, estimated_traits(audit.rubric.every_trait()))


def _census_of_cells(
    cells: Iterable[AuditedCell],
    traits: Sequence[EstimatedTrait],
) -> Census | None:
    """Return cells as a census; None if one of them is not signed off, and without any.

    Also None if one was drawn to be ruled on blind. It counts, by trait and by trace or cluster,
    how often judge and person gave which answers. `cells` are read once, up to the first cell that
    makes it None.
    """
    tables: dict[TraitKey, dict[Hashable, Counter[Answers]]] = {}
    claimed = Counter[TraitKey]()
    signed = Counter[TraitKey]()
    for audited in cells:
        cell = audited.cell
        if cell.signed is None or cell.is_blind:
            return None
        trace = audited.trace
        key = cell.subject.trait_key
        signed[key] += 1
        claimed[key] += cell.is_claimed_blind
        pairs = Counter(pair for _, pair in answer_pairs(cell))
        cluster = cluster_of(trace.cluster, trace.id)
        tables.setdefault(key, {}).setdefault(cluster, Counter()).update(pairs)
    if not signed:
        return None
    return Census(signed.total(), traits, tables, claimed, signed)


def census_gates(census: Census, bars: Iterable[TrustBar]) -> list[CensusGate]:
    """Return what a census says about bars on the judge, one entry for each bar in order.

    Raises Refused for a bar on the responses, whose number is known, and for one on the judge's
    bias. Raises it, too, for a bar that the audit has no number for, and for one out of its
    number's range.
    """
    gates: list[CensusGate] = []
    for bar in bars:
        hold_in_range(census.traits, bar)
        trait, measure = number_of(census.traits, bar)
        if not bar.is_on_judge or measure.name == BIAS:
            raise Refused(NO_BAR_ON_CENSUS)
        gates.append(_gate(census, bar, trait, measure))
    return gates


def _gate(
    census: Census,
    bar: TrustBar,
    trait: EstimatedTrait,
    measure: Measure,
) -> CensusGate:
    """Return what a census says about one bar on the judge, with its decision.

    It has the number with its interval, how people ruled, and how many answers on how many traces
    or clusters were compared. It is "undecided" without an interval, and if a few large units carry
    the number; `wanting` then says why. Nothing is raised for too few answers.
    """
    clusters = census.clusters(trait)
    units = sum(clusters.values())
    answers = _count_answers(clusters)
    interval, wanting = _interval(trait, measure, clusters)
    decision: Decision = "undecided"
    if interval is not None and not wanting:
        decision = bar.decide(interval.low, interval.high)
    ruled_how = census.how(trait)
    return CensusGate(
        bar,
        trait,
        measure,
        decision,
        ruled_how,
        answers,
        units,
        interval,
        wanting,
    )


def _count_answers(clusters: Clusters) -> int:
    """Return how many pairs of answers are in clusters that all have weight 1."""
    return round(sum(pooled(clusters).values()))


def _interval(
    trait: EstimatedTrait,
    measure: Measure,
    clusters: Clusters,
) -> tuple[Interval | None, str]:
    """Return a judge's number with its 95 % interval, and why it does not decide, or "".

    The interval is None for fewer than `ENOUGH` pairs of answers or `FEWEST` traces or clusters,
    for 0/0, and if a single trace decides it. It is there but does not decide if a few large units
    carry it. The reason is a clause without a period. Raises KeyError for bias.
    """
    units = sum(clusters.values())
    answers = _count_answers(clusters)
    if answers < ENOUGH or units < FEWEST:
        text = f"it takes {ENOUGH} answers on {FEWEST} traces that judge and person both gave"
        return None, f"{text}, and there are {answers:,} on {units:,}"
    statistic = judge_statistic(measure.name, trait.positives, clusters)
    value = statistic(pooled(clusters))
    if value is None:
        return None, f"{measure.name} is 0/0 here"
    ends = judge_bounds(measure.name, statistic, clusters, 1 - LEVEL)
    if ends is None:
        return None, "a single trace decides it"
    interval = Interval(value.value, ends.low, ends.high)
    sizes: list[float] = []
    for cluster, times in clusters.items():
        sizes += [sum(count for _, count in cluster.answers)] * times
    effective = effective_count(sizes)
    if effective < units / 2:
        return interval, (
            f"a few large ones carry this number: {units:,} are worth {effective:.0f} of one size,"
            " so its interval may be too narrow"
        )
    return interval, ""


def census_texts(gate: CensusGate) -> list[str]:
    """Return sentences on a bar on the judge, the decision first.

    The next one says how people ruled and of how many answers and traces the number is. Then come
    the number with its interval for further responses, or why there is none. If the interval may
    not decide the bar, a last sentence says why.
    """
    trait_text = "" if gate.bar.trait else f" of {gate.trait.describe}"
    texts = [f"{gate.bar}{trait_text}: {gate.decision}."]
    units = many(gate.units, "trace or cluster", "traces or clusters")
    rests = f"{many(gate.answers, 'answer')} on {units}"
    if gate.how == IN_SIGHT:
        texts.append(
            "People ruled in sight of the judge, or nobody says that they did not: that makes the"
            f" judge look better than it is. {rests}.",
        )
    else:
        texts.append(f"People's labels are {gate.how}: {rests}.")
    if gate.interval is None:
        texts.append(f"There is no interval, since {gate.wanting}.")
        return texts
    value, low, high = gate.interval
    texts.append(
        f"On these responses {gate.measure.name} is {figure(value)}. For further responses like"
        f" these its {percent(1 - LEVEL)} interval is {between(low, high)}, tested once.",
    )
    if gate.wanting:
        texts.append(f"No bar is decided by it, since {gate.wanting}.")
    return texts
