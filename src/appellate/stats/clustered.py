"""Intervals for agreement and for shares of answers, where answers depend on each other.

Answers to one trace, or to one cluster of traces, depend on each other. So the error is computed
from clusters, and never from single answers.

- `exact_bounds()` gives the interval of any coefficient of `agreement_tables.py`, `bounds()` a
  narrower one for looks at samples and for differences.
- `pooled_share()` gives a share of answers with its interval.
- `effective_votes()` says how many independent votes a panel is worth, if its members err together.

**Interval of a coefficient.** The standard error is that of the jackknife over clusters: each
cluster is left out in turn, and the others of its stratum count for it. From it follows how many
independent answers would have the same error. The interval of the observed agreement is the exact
binomial one for so many answers (Korn and Graubard, Survey Methodology 24, 1998; Clopper and
Pearson, Biometrika 26, 1934), or Wilson's. Chance agreement is held fixed. So the interval stays
within what is possible.

**Rare answers.** Kappa, its kin and F1 depend on answers that hardly anybody gives, and the error
that a few of these show is too small. So `cautious_bounds()` also takes the intervals that half an
answer more would give, of the pair that moves the coefficient most to either side.

If no error can be seen, the number of answers is the number of clusters. If clusters weigh
differently, it is the number of equal ones that say as much (Kish, Survey Sampling, 1965). So the
interval has a width until the whole frame is drawn. A coefficient about some of the answers, as
sensitivity is about the positive ones, counts only clusters that hold such answers.

**Interval of a share.** It is Wilson's (Journal of the American Statistical Association 22, 1927),
for as many independent answers as would have the error that the clusters show. If all answers are
the same, each cluster counts as one answer. So the interval always has a width.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from msgspec import Struct

from appellate.stats.agreement_tables import Coefficient, Pattern, Patterns, Statistic
from appellate.stats.distributions import beta_quantile, t_quantile

LEVEL = 0.95
HALF = 0.5
"""Of an answer that might have been given. With it intervals of kappa held in 93 to 100 of 100 sets
of 30 traces or more, without it in as few as 81 (`tests/benchmarks/census_intervals.py`).
"""
_NONE = 1e-9  # an error of no more comes from rounding


class Cluster(Struct, frozen=True):
    """Answers that depend on each other: those to a trace, or to a cluster of traces."""

    answers: frozenset[tuple[Pattern, float]]
    """The patterns of the cluster, each with how often it occurs."""
    weight: float = 1.0
    """How many clusters of the frame this one stands for."""
    stratum: int = 0
    """The number of the stratum that it was drawn from."""
    left: float = 1.0
    """The share of its stratum that was not drawn, from 0 to 1."""


IntervalOfShare = Callable[[float, float, float], tuple[float, float]]
"""Of a share, so many independent answers and a level, the lower and the upper bound."""

Clusters = Mapping[Cluster, int]
"""How often each cluster occurs. Of thousands only few are different."""


class Bounds(NamedTuple):
    """The interval of a coefficient."""

    low: float
    high: float
    stderr: float
    """The standard error of the coefficient."""
    clusters: int
    """How many clusters hold answers that the coefficient is about."""


def clustered(tables: Iterable[Patterns]) -> Clusters:
    """Return clusters of weight 1 in one stratum; each table has the patterns of one cluster.

    They are as of a frame without end, of which next to nothing was drawn. Equal tables become one
    entry with their number. An empty table becomes a cluster without answers. {} without tables.
    """
    counts = Counter(frozenset(table.items()) for table in tables)
    return {Cluster(answers): count for answers, count in counts.items()}


def pooled(clusters: Clusters) -> dict[Pattern, float]:
    """Return the patterns of all clusters together, each cluster counted by weight and number.

    They are in the order of the clusters, and of their names within one, so that sums over them are
    the same to the last digit in every process. {} without clusters. `clusters` do not change.
    """
    patterns: dict[Pattern, float] = {}
    for cluster, count in clusters.items():
        new_patterns: list[Pattern] = []
        for pattern, _ in cluster.answers:
            if pattern not in patterns:
                new_patterns.append(pattern)
        new_patterns.sort(key=repr)
        patterns |= dict.fromkeys(new_patterns, 0.0)
        _add_cluster(patterns, cluster, count)
    return patterns


def _add_cluster(
    patterns: dict[Pattern, float],
    cluster: Cluster,
    factor: float,
) -> None:
    """Add the patterns of a cluster to `patterns`, each count times its weight and `factor`.

    `patterns` is changed. A factor of -1 takes the cluster out, and leaves its patterns with counts
    of about 0.
    """
    for pattern, count in cluster.answers:
        patterns[pattern] = patterns.get(pattern, 0) + count * cluster.weight * factor


def exact_bounds(
    statistic: Statistic,
    clusters: Clusters,
    level: float = LEVEL,
) -> Bounds | None:
    """Return the interval of a coefficient at a level, by the exact binomial interval.

    It is two-sided, and its ends are values of the coefficient. `level` is between 0 and 1. It is a
    little wider than that of `bounds`. None if the coefficient is None, and unless there are more
    clusters than strata. If the whole frame was drawn, the interval has no width. Else it is also
    None if the coefficient would be None without one of the clusters. Source: Clopper and Pearson,
    Biometrika 26, 1934.
    """
    return _bounds_by(statistic, clusters, level, _clopper_pearson)


def bounds(
    statistic: Statistic,
    clusters: Clusters,
    level: float = LEVEL,
) -> Bounds | None:
    """Return the interval of a coefficient at a level, by Wilson's interval.

    It is two-sided, and its ends are values of the coefficient, which need not be in the middle.
    `level` is between 0 and 1. None if the coefficient is None, and unless there are more clusters
    than strata. If the whole frame was drawn, the interval has no width. Else it is also None if
    the coefficient would be None without one of the clusters. Its digits must not change, since
    looks that were taken at samples are computed again.
    """
    return _bounds_by(statistic, clusters, level, _wilson)


def _bounds_by(
    statistic: Statistic,
    clusters: Clusters,
    level: float,
    of_share: IntervalOfShare,
) -> Bounds | None:
    """Return the interval of a coefficient, of which `of_share` gives that of observed agreement.

    It is two-sided at `level`. The error is that of the jackknife over clusters. None if the
    coefficient is None, and unless there are more clusters than strata. If the whole frame was
    drawn, the interval has no width. Else it is also None if the coefficient would be None without
    one of the clusters, and `clusters` in the result counts only those that it is about.
    """
    all_patterns = pooled(clusters)
    count = sum(clusters.values())
    coefficient = statistic(all_patterns)
    strata: dict[int, dict[Cluster, int]] = {}
    for cluster, times in clusters.items():
        strata.setdefault(cluster.stratum, {})[cluster] = times
    if coefficient is None or count <= len(strata):
        return None
    if not any(cluster.left for cluster in clusters):  # the whole frame was drawn
        return Bounds(coefficient.value, coefficient.value, 0.0, count)

    variance = 0.0
    for stratum in strata.values():
        in_stratum = _variance_in_stratum(
            statistic,
            all_patterns,
            coefficient.value,
            stratum,
        )
        if in_stratum is None:
            return None
        variance += in_stratum
    stderr = sqrt(variance)

    counted = clusters
    if coefficient.is_of_some:
        counted = _clusters_it_is_about(statistic, clusters)
    cluster_count = sum(counted.values())
    strata_counted = {cluster.stratum for cluster in counted}
    df = cluster_count - len(strata_counted)
    low, high = _interval_of_agreement(
        coefficient,
        stderr,
        _effective_clusters(counted),
        df,
        level,
        of_share,
    )
    return Bounds(low, high, stderr, cluster_count)


def cautious_bounds(
    statistic: Statistic,
    clusters: Clusters,
    level: float = LEVEL,
) -> Bounds | None:
    """Return the interval of a coefficient of pairs of answers on which rare answers tell much.

    It is that of `exact_bounds`, made as wide as it would be with half an answer more: of the pair
    of answers that lowers the coefficient most, and of the one that raises it most, among all
    answers that occur. Standard error and clusters stay those of `exact_bounds`. So does the
    interval, without width, if the whole frame was drawn. None where `exact_bounds` is: if the
    coefficient is None, or would be without one of the clusters, and unless there are more clusters
    than strata.
    """
    seen = exact_bounds(statistic, clusters, level)
    if seen is None or not any(cluster.left for cluster in clusters):
        return seen
    low = seen.low
    high = seen.high
    for possible in _with_half_an_answer(statistic, clusters):
        more = exact_bounds(statistic, possible, level)
        if more is not None:
            low = min(low, more.low)
            high = max(high, more.high)
    return seen._replace(low=low, high=high)


def _with_half_an_answer(statistic: Statistic, clusters: Clusters) -> list[Clusters]:
    """Return the clusters with half an answer more, for each pair that moves a coefficient most.

    The first has half of the pair of answers that lowers it most, the second of the one that raises
    it most. Only one is returned if both are the same pair, and [] if the coefficient is None with
    every pair. The half answer is a cluster of its own: half of the mean weight, in the stratum
    with most clusters. There must be a cluster; `clusters` do not change.
    """
    total_weight = sum(cluster.weight * times for cluster, times in clusters.items())
    half_weight = HALF * total_weight / sum(clusters.values())
    strata = Counter[int]()
    for cluster, times in clusters.items():
        strata[cluster.stratum] += times
    [(stratum, _)] = strata.most_common(1)
    left = next(cluster.left for cluster in clusters if cluster.stratum == stratum)

    with_more: list[Clusters] = []
    for pair in _pairs_that_move_most(statistic, pooled(clusters), half_weight):
        answers = frozenset({(pair, 1.0)})
        added = Cluster(answers, half_weight, stratum, left)
        counts = Counter(clusters)
        counts[added] += 1
        with_more.append(counts)
    return with_more


def _pairs_that_move_most(
    statistic: Statistic,
    patterns: Patterns,
    weight: float,
) -> list[tuple[str, ...]]:
    """Return the pair of answers that lowers a coefficient most, then the one that raises it most.

    Each pair of the answers that occur is tried: it is added to a copy of `patterns`, with `weight`
    as its count. Only one pair is returned if both are the same, and [] if the coefficient is None
    with every pair, or no answer occurs.
    """
    answers: set[str] = set()
    for pattern in patterns:
        for answer in pattern:
            if answer is not None:
                answers.add(answer)

    values: list[tuple[float, tuple[str, ...]]] = []
    for pair in product(sorted(answers), repeat=2):
        with_pair = dict(patterns)
        count = with_pair.get(pair, 0.0)
        with_pair[pair] = count + weight
        coefficient = statistic(with_pair)
        if coefficient is not None:
            values.append((coefficient.value, pair))
    if not values:
        return []

    _, lowering = min(values)
    _, raising = max(values)
    if lowering == raising:
        return [lowering]
    return [lowering, raising]


def _clusters_it_is_about(statistic: Statistic, clusters: Clusters) -> Clusters:
    """Return the clusters with answers that a coefficient is about, each with its count.

    Those are the ones of which the coefficient, computed from their answers only, is not None. {}
    if there are none.
    """
    return {
        cluster: times
        for cluster, times in clusters.items()
        if statistic(dict(cluster.answers)) is not None
    }


def _variance_in_stratum(
    statistic: Statistic,
    all_patterns: Patterns,
    value: float,
    stratum: Clusters,
) -> float | None:
    """Return what one stratum adds to the variance of a coefficient, by the jackknife.

    `all_patterns` are those of all strata, and `value` is the coefficient of them. It is 0 for a
    stratum that was drawn whole (`Cluster.left`). A cluster that is alone in its stratum is
    compared with `value`, others with the mean of their stratum. None if the coefficient is None
    without one of the clusters. The arguments do not change.
    """
    count = sum(stratum.values())
    in_stratum = pooled(stratum)
    values: list[_ValueWithout] = []
    for cluster, times in stratum.items():
        remaining = dict(all_patterns)
        if count > 1:
            # the other clusters of the stratum count for it, so the other strata shrink as much
            for pattern, amount in all_patterns.items():
                of_other_strata = amount - in_stratum.get(pattern, 0)
                remaining[pattern] -= of_other_strata / count
        _add_cluster(remaining, cluster, -1)
        occurring = {
            pattern: amount for pattern, amount in remaining.items() if amount > _NONE
        }
        coefficient = statistic(occurring)
        if coefficient is None:
            return None
        values.append(_ValueWithout(coefficient.value, times, cluster.left))

    if count == 1:  # it can only be compared with all clusters
        return sum((without.value - value) ** 2 * without.left for without in values)
    mean = sum(without.value * without.times for without in values) / count
    squares = sum(
        (without.value - mean) ** 2 * without.times * without.left for without in values
    )
    return squares * (count - 1) / count


class _ValueWithout(NamedTuple):
    """A coefficient without one of the clusters."""

    value: float
    times: int
    """How often the cluster occurs."""
    left: float
    """`Cluster.left` of the cluster."""


def _effective_clusters(clusters: Clusters) -> float:
    """Return how many clusters of equal weight would say as much as these (Kish).

    It is their number if all weigh the same, else less, and need not be whole. There must be a
    cluster.
    """
    weights = 0.0
    squares = 0.0
    for cluster, times in clusters.items():
        weight = cluster.weight
        weights += weight * times
        squares += weight**2 * times
    return weights**2 / squares


def _interval_of_agreement(
    coefficient: Coefficient,
    stderr: float,
    effective_clusters: float,
    df: int,
    level: float,
    of_share: IntervalOfShare,
) -> tuple[float, float]:
    """Return the lower and upper bound of a coefficient, through those of observed agreement.

    `stderr` is that of the coefficient, `df` are its degrees of freedom, and `of_share` gives the
    interval of a share. As many independent answers are assumed as have this error, fewer if `df`
    is small, or as many as `effective_clusters` if no error can be seen: if `stderr` is 0, or
    observed agreement is 0 or 1. The coefficient itself is always within.
    """
    observed = min(max(coefficient.observed, 0.0), 1.0)
    error = stderr * (1 - coefficient.chance)
    answers = effective_clusters
    if error > _NONE and 0 < observed < 1:
        upper_chance = (1 + level) / 2
        z_squared = NormalDist().inv_cdf(upper_chance) ** 2
        t_squared = t_quantile(upper_chance, max(df, 1)) ** 2
        answers = observed * (1 - observed) / error**2 * z_squared / t_squared

    observed_low, observed_high = of_share(observed, answers, level)
    low = Coefficient(observed_low, coefficient.chance)
    high = Coefficient(observed_high, coefficient.chance)
    value = coefficient.value
    return min(low.value, value), max(high.value, value)


def _clopper_pearson(share: float, answers: float, level: float) -> tuple[float, float]:
    """Return the lower and upper bound of a share by the exact binomial interval, within 0 and 1.

    `answers` is of how many independent answers the share is, and need not be a whole number. The
    interval is two-sided at `level`, between 0 and 1. Source: Clopper and Pearson.
    """
    held = share * answers
    others = answers - held
    low = 0.0
    high = 1.0
    if held > _NONE:
        lower_chance = (1 - level) / 2
        low = beta_quantile(lower_chance, held, others + 1)
    if others > _NONE:
        upper_chance = (1 + level) / 2
        high = beta_quantile(upper_chance, held + 1, others)
    return low, high


def _wilson(share: float, answers: float, level: float) -> tuple[float, float]:
    """Return the lower and upper bound of a share by Wilson's interval, within 0 and 1.

    `answers`, above 0, is of how many independent answers the share is, and need not be a whole
    number. The interval is two-sided at `level`, between 0 and 1.
    """
    upper_chance = (1 + level) / 2
    z = NormalDist().inv_cdf(upper_chance)
    z_squared = z**2
    scale = 1 + z_squared / answers
    shifted_share = share + z_squared / (2 * answers)
    middle = shifted_share / scale

    of_share = z_squared * share * (1 - share) / answers
    of_level = z_squared**2 / (4 * answers**2)
    half = sqrt(of_share + of_level) / scale

    low = max(middle - half, 0.0)
    high = min(middle + half, 1.0)
    return low, high


# -- a share of answers ----------------------------------------------------------------------------


class Share(NamedTuple):
    """A share of answers, with its interval."""

    matching: int
    """How many answers count."""
    total: int
    """How many answers there are."""
    clusters: int
    """How many clusters have any answers."""
    value: float
    """matching / total."""
    low: float
    high: float


def pooled_share(clusters: Sequence[tuple[int, int]], level: float = LEVEL) -> Share:
    """Return the share of answers over all clusters, with its two-sided interval at a level.

    Each cluster is a pair: how many of its answers count, and how many answers it has. Clusters
    without answers are left out. The interval is Wilson's, for as many independent answers as would
    have the error that the clusters show; it always has a width. `level` is between 0 and 1. Raises
    ValueError if there are no answers at all.
    """
    with_answers = [(count, size) for count, size in clusters if size]
    if not with_answers:
        raise ValueError("there are no answers to take a share of")
    count = sum(count for count, _ in with_answers)
    total = sum(size for _, size in with_answers)
    value = count / total
    answers = _independent_answers(with_answers, level)
    low, high = _wilson(value, answers, level)
    return Share(
        count,
        total,
        len(with_answers),
        value,
        min(low, value),
        max(high, value),
    )


def _independent_answers(clusters: Sequence[tuple[int, int]], level: float) -> float:
    """Return how many independent answers would give a share the interval that clusters call for.

    Each cluster is a pair: how many of its answers count, and how many answers it has, above 0. The
    result is the number of answers if each cluster has one, and the number of clusters if there is
    one or no error can be seen. Else it is from 1 to the number of answers: as many as have the
    same error, and fewer the fewer clusters there are, as Student's t asks at `level`.
    """
    total = sum(size for _, size in clusters)
    value = sum(count for count, _ in clusters) / total
    cluster_count = len(clusters)
    if total == cluster_count:
        return total
    if cluster_count == 1 or value in (0.0, 1.0):
        return cluster_count
    squares = 0.0
    for count, size in clusters:
        squares += (count - value * size) ** 2
    if squares == 0.0:
        return cluster_count
    df = cluster_count - 1
    numerator = value * (1 - value) * total**2 * df
    same_error = numerator / (cluster_count * squares)
    at_most_total = min(same_error, total)
    upper_chance = (1 + level) / 2
    z = NormalDist().inv_cdf(upper_chance)
    t = t_quantile(upper_chance, df)
    lowered = at_most_total * (z / t) ** 2
    return max(1.0, lowered)


# -- the votes of a panel -------------------------------------------------------------------------

_CHANCE_OF_CORRELATION = 0.5
"""The chance with which a `Coefficient` of -1 to 1 has an observed agreement of 0 to 1."""


class EffectiveVotes(NamedTuple):
    """How many independent votes the votes of a panel are worth."""

    votes: float
    """From 1, if all members err together, to `members`."""
    members: int
    correlation: float
    """The mean correlation of the errors of two members."""
    low: float | None = None
    """The lower bound of the votes; None if there are too few clusters for one."""
    high: float | None = None
    """The upper bound of the votes; None if there are too few clusters for one."""


def effective_votes(clusters: Clusters) -> EffectiveVotes | None:
    """Return how many independent votes a panel is worth, with the bounds of a .95 interval.

    The first answer of each pattern is the right one, the others are those of the members. None
    unless two members both err sometimes, and not always, in the questions that both answered. The
    bounds are None if there are too few clusters for an interval, or one of them decides whether
    there is a number at all. It is Kish's effective sample size (Survey Sampling, 1965) for the
    mean correlation of the errors, as in "Nine Judges, Two Effective Votes" (arXiv 2605.29800).
    """
    patterns = pooled(clusters)
    correlation = shared_errors(patterns)
    if correlation is None:
        return None
    first_pattern = next(iter(patterns))
    members = len(first_pattern) - 1
    votes = _votes_worth(members, correlation.value)
    interval = bounds(shared_errors, clusters)
    if interval is None:
        return EffectiveVotes(votes, members, correlation.value)
    # the more the errors correlate, the fewer the votes
    low = _votes_worth(members, interval.high)
    high = _votes_worth(members, interval.low)
    return EffectiveVotes(votes, members, correlation.value, low, high)


def _votes_worth(members: int, correlation: float) -> float:
    """Return how many independent votes the votes of `members` are worth, by Kish's formula.

    `correlation` is the mean correlation of the errors of two members. The result is from 1, for a
    correlation of 1, to `members`, for a correlation of 0 or below.
    """
    shared = max(correlation, 0.0)
    others = members - 1
    return members / (1 + others * shared)


def shared_errors(patterns: Patterns) -> Coefficient | None:
    """Return the mean correlation of the errors of two members of a panel, as a coefficient.

    Its value is from -1 to 1. The first answer of each pattern is the right one, the others are
    those of the members; None is a member who did not answer. A pair of members counts if both err
    sometimes, and not always, in the questions that both answered. None if no pair counts, or
    without patterns.
    """
    if not patterns:
        return None
    first_pattern = next(iter(patterns))
    members = range(1, len(first_pattern))
    correlations: list[float] = []
    for first, second in combinations(members, 2):
        correlation = _correlation_of_errors(patterns, first, second)
        if correlation is not None:
            correlations.append(correlation)
    if not correlations:
        return None
    mean = sum(correlations) / len(correlations)
    return Coefficient(0.0, _CHANCE_OF_CORRELATION).with_value(mean)


def _correlation_of_errors(patterns: Patterns, first: int, second: int) -> float | None:
    """Return how the errors of two members of a panel correlate, from -1 to 1.

    `first` and `second` are the positions of the members in a pattern, from 1: the answer at
    position 0 is the right one. Only questions that both answered count. None if, in these, one of
    them never errs, or always.
    """
    n = 0.0
    first_wrong = 0.0
    second_wrong = 0.0
    both_wrong = 0.0
    for pattern, count in patterns.items():
        right_answer = pattern[0]
        first_answer = pattern[first]
        second_answer = pattern[second]
        if first_answer is None or second_answer is None:
            continue
        first_errs = first_answer != right_answer
        second_errs = second_answer != right_answer
        n += count
        first_wrong += count * first_errs
        second_wrong += count * second_errs
        both_wrong += count * (first_errs and second_errs)

    spread = first_wrong * (n - first_wrong) * second_wrong * (n - second_wrong)
    if not spread:
        return None
    covariance = n * both_wrong - first_wrong * second_wrong
    return covariance / sqrt(spread)
