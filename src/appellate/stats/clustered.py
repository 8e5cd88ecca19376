"""How far off a coefficient of agreement may be, where answers of one trace belong together.

The standard error is that of the jackknife over clusters: each is left out in turn. The interval is
Wilson's (Journal of the American Statistical Association 22, 1927) of the observed agreement, for
as many answers as would have that error had they been independent (Korn and Graubard, Survey
Methodology 24, 1998), with the chance held: it stays within what is possible. Where no error is to
be seen it is that of as many answers as there are clusters, and so never of no width.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import sqrt
from typing import NamedTuple

from appellate.stats.agreement_tables import Coefficient, Pattern, Patterns, Statistic
from appellate.stats.distributions import t_quantile

LEVEL = 0.95
_NONE = 1e-9  # an error of no more comes of rounding
Clusters = Mapping[frozenset[tuple[Pattern, float]], int]
"""How many clusters have the same patterns: of thousands few are different."""


class Bounds(NamedTuple):
    """Between which values a coefficient lies, at the level, and the standard error behind it."""

    low: float
    high: float
    stderr: float
    clusters: int


def clustered(tables: Iterable[Patterns]) -> Clusters:
    """The patterns of every cluster, like ones together."""
    return Counter(frozenset(table.items()) for table in tables)


def pooled(clusters: Clusters) -> dict[Pattern, float]:
    """The patterns of all of them."""
    found: dict[Pattern, float] = {}
    for table, times in clusters.items():
        for pattern, count in table:
            found[pattern] = found.get(pattern, 0) + count * times
    return found


def bounds(statistic: Statistic, clusters: Clusters, level: float = LEVEL) -> Bounds | None:
    """None where the coefficient is, where it stands or falls with one cluster, and for fewer than
    two.
    """
    whole, count = pooled(clusters), sum(clusters.values())
    found = statistic(whole)
    if found is None or count < 2:  # noqa: PLR2004 - an error takes two
        return None
    without: list[tuple[float, int]] = []
    for table, times in clusters.items():
        left = statistic(_less(whole, table))
        if left is None:
            return None
        without.append((left.value, times))
    middle = sum(value * times for value, times in without) / count
    spread = sum((value - middle) ** 2 * times for value, times in without)
    stderr = sqrt(spread * (count - 1) / count)
    low, high = _wilson(found, stderr, count, level)
    return Bounds(low, high, stderr, count)


def _less(whole: Patterns, table: Iterable[tuple[Pattern, float]]) -> Patterns:
    left = dict(whole)
    for pattern, count in table:
        left[pattern] -= count
        if not left[pattern]:
            del left[pattern]
    return left


def _wilson(found: Coefficient, stderr: float, clusters: int, level: float) -> tuple[float, float]:
    """The interval of the value by that of the observed agreement."""
    share = min(max(found.observed, 0.0), 1.0)
    error = stderr * (1 - found.chance)
    answers = float(clusters)
    if error > _NONE and 0 < share < 1:
        answers = share * (1 - share) / error**2
    t2 = t_quantile((1 + level) / 2, clusters - 1) ** 2
    middle = (share + t2 / (2 * answers)) / (1 + t2 / answers)
    half = sqrt(t2 * share * (1 - share) / answers + t2**2 / (4 * answers**2)) / (1 + t2 / answers)
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    return (
        min(Coefficient(low, found.chance).value, found.value),
        max(Coefficient(high, found.chance).value, found.value),
    )
