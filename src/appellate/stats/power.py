"""What a number of audits is expected to come to, before they are made."""

from collections.abc import Callable
from math import inf, sqrt

from appellate.stats.distributions import t_quantile
from appellate.stats.estimates import GUARD


def expected_half_width(
    n: int, frame: int, deviation: float, guard: float = 0.0, level: float = 0.95
) -> float:
    """Half the width of the interval that n of a frame's units are expected to give, drawn with
    equal chances: `deviation` is that of one unit's part in the number, `guard` the size of the
    pseudo-residuals (`stats.estimates`).
    """
    if n < 2:  # noqa: PLR2004 - one unit has no spread
        return inf
    added = 2 * GUARD
    variance = ((n - 1) * deviation**2 + added * guard**2) / (n - 1 + added)
    left = max(0.0, 1 - n / frame)
    return t_quantile(0.5 + level / 2, n - 1) * sqrt(left * variance / n)


def audits_for(half: float, frame: int, deviation: float, guard: float = 0.0) -> int:
    """The fewest units that are expected to give an interval of ± half."""
    return _first(2, frame, lambda n: expected_half_width(n, frame, deviation, guard) <= half)


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number that something holds for, which holds for all after it."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high
