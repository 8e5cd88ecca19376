"""A share of answers, and how far off it may be where answers of one trace belong together.

Wilson's interval (Journal of the American Statistical Association 22, 1927) for as many answers as
would have the same error had they been independent (Korn and Graubard, Survey Methodology 24,
1998). It is never of no width: where all answers are alike, each cluster counts as one.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from appellate.stats.distributions import t_quantile

LEVEL = 0.95


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
    low, high = _wilson(value, _independent(counted, of, value, z, level), z)
    return Share(count, of, len(counted), value, low, high)


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


def _wilson(value: float, answers: float, z: float) -> tuple[float, float]:
    middle = (value + z**2 / (2 * answers)) / (1 + z**2 / answers)
    half = z * sqrt(value * (1 - value) / answers + z**2 / (4 * answers**2)) / (1 + z**2 / answers)
    return max(0.0, min(middle - half, value)), min(1.0, max(middle + half, value))
