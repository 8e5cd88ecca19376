"""Two judges beside the same answers of people: who is right more often.

A *pattern* is the answer of people, of the first judge and of the second. `mcnemar()` is the exact
test of answers that do not depend on each other; `paired_difference()` has the interval for answers
that do, as those to one trace.
"""

from math import comb
from typing import NamedTuple

from appellate.stats.agreement_tables import Coefficient, Patterns, total
from appellate.stats.clustered import Clusters, bounds, pooled, pooled_share
from appellate.stats.estimates import Interval

_CHANCE = 0.5
"""The chance with which a `Coefficient` from -1 to 1 has an observed agreement from 0 to 1."""


class Flips(NamedTuple):
    """How often the second judge is right where the first is wrong, and the other way round."""

    gained: float
    lost: float


def flips(patterns: Patterns) -> Flips:
    """Return how many questions only the second judge has right, and how many only the first.

    A pattern has the person's answer, then the first judge's and the second's. A judge is right
    whose answer equals the person's, so a judge without an answer is wrong where the person has
    one. Counts are fractions where patterns are weighted.
    """
    gained = 0.0
    lost = 0.0
    for (person, first, second), count in patterns.items():
        first_is_right = first == person
        second_is_right = second == person
        if second_is_right and not first_is_right:
            gained += count
        if first_is_right and not second_is_right:
            lost += count
    return Flips(gained, lost)


def mcnemar(gained: int, lost: int) -> float:
    """Return the exact two-sided p value of McNemar's test; 1 if nothing was gained or lost.

    `gained` and `lost` are in how many questions only the one judge was right, and only the other.
    A small p says that one of them is right more often. Source: McNemar, Psychometrika 12, 1947.
    """
    n = gained + lost
    if not n:
        return 1.0
    fewer = min(gained, lost)
    tail = sum(comb(n, k) for k in range(fewer + 1))
    p: float = tail / 2 ** (n - 1)
    return min(1.0, p)


def difference_of_shares(patterns: Patterns) -> Coefficient | None:
    """Return by how much more often the second judge is right; None without patterns.

    The value of the coefficient is a share of all patterns, from -1 to 1, and negative if the first
    is right more often. A pattern has the person's answer, then the first judge's and the second's.
    """
    count = total(patterns)
    if not count:
        return None
    flip_counts = flips(patterns)
    difference = (flip_counts.gained - flip_counts.lost) / count
    return Coefficient(0.0, _CHANCE).with_value(difference)


def paired_difference(clusters: Clusters, level: float = 0.95) -> Interval | None:
    """Return by how much more often the second judge is right, with its interval by clusters.

    All three are shares of the answers, from -1 to 1, negative if the first judge is right more
    often. A pattern has the person's answer, then the first judge's and the second's. If the two
    never differ in being right, the interval ends on both sides of 0 at the share of clusters that
    may differ unseen, even for a single cluster. None without answers, and if they differ but no
    interval is known, as of a single cluster. `level` is between 0 and 1.
    """
    patterns = pooled(clusters)
    difference = difference_of_shares(patterns)
    if difference is None:
        return None
    flip_counts = flips(patterns)
    if not flip_counts.gained and not flip_counts.lost:
        cluster_count = sum(clusters.values())
        never_differing = [(0, 1)] * cluster_count
        unseen = pooled_share(never_differing, level).high
        return Interval(0.0, -unseen, unseen)
    between = bounds(difference_of_shares, clusters, level)
    if between is None:
        return None
    return Interval(difference.value, between.low, between.high)
