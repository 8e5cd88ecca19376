"""How far off a coefficient of agreement, or a share of answers, may be where answers of one trace
belong together; and how many independent votes a panel is worth whose members err together.

The standard error is that of the jackknife over clusters: each is left out in turn, and the others
of its stratum count for it. The interval is Wilson's (Journal of the American Statistical
Association 22, 1927) of the observed agreement, for as many answers as would have that error had
they been independent (Korn and Graubard, Survey Methodology 24, 1998), with the chance held: it
stays within what is possible. Where no error is to be seen it is that of as many answers as there
are clusters (where they weigh differently, of as many as weigh alike: Kish, Survey Sampling, 1965),
and so never of no width before all of a frame is drawn. Of a share of some answers (sensitivity is
of the positive ones) only clusters that hold such answers count.

A share of answers has the same interval, with as many independent ones as would have the error that
the clusters show. It is never of no width: where all answers are alike, each cluster counts as one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from msgspec import Struct

from appellate.stats.agreement_tables import Coefficient, Pattern, Patterns, Statistic
from appellate.stats.distributions import t_quantile

LEVEL = 0.95
_NONE = 1e-9  # an error of no more comes of rounding


class Cluster(Struct, frozen=True):
    """What belongs together: its answers, and where it was drawn at random from which stratum, how
    many clusters it stands for (`weight`), and which share of the stratum was not drawn (`left`).
    """

    answers: frozenset[tuple[Pattern, float]]
    weight: float = 1.0
    stratum: int = 0
    left: float = 1.0


Clusters = Mapping[Cluster, int]
"""How many clusters are the same: of thousands few are different."""


class Bounds(NamedTuple):
    """Between which values a coefficient lies, at the level, the standard error behind it, and how
    many clusters hold any of what it is of.
    """

    low: float
    high: float
    stderr: float
    clusters: int


def clustered(tables: Iterable[Patterns]) -> Clusters:
    """The patterns of every cluster, like ones together."""
    counted = Counter(frozenset(table.items()) for table in tables)
    return {Cluster(answers): times for answers, times in counted.items()}


def pooled(clusters: Clusters) -> dict[Pattern, float]:
    """The patterns of all of them, as they weigh."""
    found: dict[Pattern, float] = {}
    for cluster, times in clusters.items():
        _add(found, cluster, times)
    return found


def _add(found: dict[Pattern, float], cluster: Cluster, times: float) -> None:
    for pattern, count in cluster.answers:
        found[pattern] = found.get(pattern, 0) + count * cluster.weight * times


def bounds(statistic: Statistic, clusters: Clusters, level: float = LEVEL) -> Bounds | None:
    """None where the coefficient is, where it falls with one cluster, and for fewer than two."""
    whole = pooled(clusters)
    count = sum(clusters.values())
    found = statistic(whole)
    strata: dict[int, dict[Cluster, int]] = {}
    for cluster, times in clusters.items():
        strata.setdefault(cluster.stratum, {})[cluster] = times
    if found is None or count <= len(strata):
        return None
    if not any(cluster.left for cluster in clusters):
        return Bounds(found.value, found.value, 0.0, count)
    variance = 0.0
    for stratum in strata.values():
        added = _variance(statistic, whole, found.value, stratum)
        if added is None:
            return None
        variance += added
    stderr = sqrt(variance)
    counted = clusters
    if found.is_of_some:
        counted = {  # the others hold nothing of what a share is of
            cluster: times
            for cluster, times in clusters.items()
            if statistic(dict(cluster.answers)) is not None
        }
    holding = sum(counted.values())
    df = holding - len({cluster.stratum for cluster in counted})
    low, high = _interval(found, stderr, _alike(counted), df, level)
    return Bounds(low, high, stderr, holding)


def _variance(
    statistic: Statistic, whole: Patterns, value: float, stratum: Clusters
) -> float | None:
    """What one stratum adds to the variance; None where the coefficient falls with a cluster."""
    count = sum(stratum.values())
    own = pooled(stratum)
    without: list[tuple[float, int, float]] = []
    for cluster, times in stratum.items():
        others = dict(whole)
        if count > 1:  # they take on its part of the stratum: the other strata have that much less
            for pattern, much in whole.items():
                others[pattern] -= (much - own.get(pattern, 0)) / count
        _add(others, cluster, -1)
        left = statistic({pattern: much for pattern, much in others.items() if much > _NONE})
        if left is None:
            return None
        without.append((left.value, times, cluster.left))
    if count == 1:  # nothing to be compared with but all
        return sum((one - value) ** 2 * left for one, _, left in without)
    middle = sum(one * times for one, times, _ in without) / count
    spread = sum((one - middle) ** 2 * times * left for one, times, left in without)
    return spread * (count - 1) / count


def _alike(clusters: Clusters) -> float:
    """As many clusters of one weight as know as much."""
    whole = squares = 0.0
    for cluster, times in clusters.items():
        whole += cluster.weight * times
        squares += cluster.weight**2 * times
    return whole**2 / squares


def _interval(
    found: Coefficient, stderr: float, clusters: float, df: int, level: float
) -> tuple[float, float]:
    """The interval of the value by that of the observed agreement."""
    share = min(max(found.observed, 0.0), 1.0)
    error = stderr * (1 - found.chance)
    answers = clusters
    t2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    if error > _NONE and 0 < share < 1:
        answers = share * (1 - share) / error**2
        t2 = t_quantile((1 + level) / 2, max(df, 1)) ** 2
    low, high = _wilson(share, answers, t2)
    return (
        min(Coefficient(low, found.chance).value, found.value),
        max(Coefficient(high, found.chance).value, found.value),
    )


def _wilson(share: float, answers: float, z2: float) -> tuple[float, float]:
    middle = (share + z2 / (2 * answers)) / (1 + z2 / answers)
    half = sqrt(z2 * share * (1 - share) / answers + z2**2 / (4 * answers**2)) / (1 + z2 / answers)
    return max(middle - half, 0.0), min(middle + half, 1.0)


# -- a share of answers ----------------------------------------------------------------------------


class Share(NamedTuple):
    """So many of so many, from how many clusters, and the share with its interval."""

    held: int
    of: int
    clusters: int
    value: float
    low: float
    high: float


def share(clusters: Sequence[tuple[int, int]], level: float = LEVEL) -> Share:
    """The share over clusters, each so many of so many; raises ValueError where there is none."""
    counted = [(count, of) for count, of in clusters if of]
    if not counted:
        raise ValueError("there is no share of nothing")
    count, of = map(sum, zip(*counted, strict=True))
    value = count / of
    z = NormalDist().inv_cdf((1 + level) / 2)
    low, high = _wilson(value, _independent(counted, of, value, z, level), z**2)
    return Share(count, of, len(counted), value, min(low, value), max(high, value))


def _independent(
    clusters: Sequence[tuple[int, int]], of: int, value: float, z: float, level: float
) -> float:
    """How many independent answers know as much as these `of`."""
    several = len(clusters)
    if of == several:
        return of
    if several == 1 or value in (0.0, 1.0):
        return several
    spread = 0.0
    for count, size in clusters:
        spread += (count - value * size) ** 2
    if spread == 0.0:
        return several
    alike = value * (1 - value) * of**2 * (several - 1) / (several * spread)
    return max(1.0, min(alike, of) * (z / t_quantile((1 + level) / 2, several - 1)) ** 2)


# -- the votes of a panel -------------------------------------------------------------------------

_ALL_ALONE = 0.5
"""The chance that makes of a correlation from -1 to 1 an observed agreement from 0 to 1."""


class EffectiveVotes(NamedTuple):
    """`votes` of `members` independent ones, whose errors correlate so much on the mean; `low` and
    `high` bound the votes, None where there is nothing to bound them by.
    """

    votes: float
    members: int
    correlation: float
    low: float | None = None
    high: float | None = None


def effective_votes(clusters: Clusters) -> EffectiveVotes | None:
    """Kish's effective sample size (Survey Sampling, 1965) of a panel by the mean correlation of
    its members' errors, as in "Nine Judges, Two Effective Votes" (arXiv 2605.29800).

    The first of a pattern is the answer that is right, the members' follow; None where fewer than
    two of them err at all.
    """
    whole = pooled(clusters)
    found = shared_errors(whole)
    if found is None:
        return None
    members = len(next(iter(whole))) - 1
    votes = _votes(members, found.value)
    between = bounds(shared_errors, clusters)
    if between is None:
        return EffectiveVotes(votes, members, found.value)
    low, high = _votes(members, between.high), _votes(members, between.low)
    return EffectiveVotes(votes, members, found.value, low, high)


def _votes(members: int, correlation: float) -> float:
    """As many as members where errors do not go together, or go against each other."""
    return members / (1 + (members - 1) * max(correlation, 0.0))


def shared_errors(patterns: Patterns) -> Coefficient | None:
    """The mean correlation of two members' errors, over the pairs that both err sometimes."""
    if not patterns:
        return None
    places = range(1, len(next(iter(patterns))))
    found = [_correlation(patterns, pair) for pair in combinations(places, 2)]
    known = [one for one in found if one is not None]
    if not known:
        return None
    return Coefficient(0.0, _ALL_ALONE).at(sum(known) / len(known))


def _correlation(patterns: Patterns, places: Sequence[int]) -> float | None:
    """Of two members' errors; None where one never errs, or always."""
    n = ones = others = both = 0.0
    one, other = places
    for given, count in patterns.items():
        if given[one] is None or given[other] is None:
            continue
        wrong = _wrong(given, one), _wrong(given, other)
        n += count
        ones += count * wrong[0]
        others += count * wrong[1]
        both += count * all(wrong)
    spread = ones * (n - ones) * others * (n - others)
    if not spread:
        return None
    return (n * both - ones * others) / sqrt(spread)


def _wrong(given: Pattern, place: int) -> bool:
    return given[place] != given[0]
