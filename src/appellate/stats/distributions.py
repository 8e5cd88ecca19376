"""Student's t, by the incomplete beta function (its continued fraction, as in Abramowitz and Stegun
26.5.8, in Lentz's manner), to ten digits.
"""

from functools import lru_cache
from math import exp, inf, isfinite, isnan, lgamma, log, log1p

_TINY = 1e-300
_HALF = 0.5
_MOST_TERMS = 10_000


def t_cdf(value: float, df: float) -> float:
    """The chance of this value or less; raises ValueError for other degrees of freedom, or nan."""
    _check_df(df)
    if isnan(value):
        raise ValueError("there is no chance of nan or less")
    square = value * value
    if square < df:
        within = incomplete_beta(square / (df + square), 0.5, df / 2) / 2
        return 0.5 - within if value < 0 else 0.5 + within
    tail = incomplete_beta(df / (df + square), df / 2, 0.5) / 2
    return tail if value < 0 else 1 - tail


@lru_cache(maxsize=4096)
def t_quantile(chance: float, df: float) -> float:
    """What is not exceeded with this chance; raises ValueError where it is not between 0 and 1."""
    if not 0 < chance < 1:
        raise ValueError(f"a chance is between 0 and 1 here, not {chance!r}")
    _check_df(df)
    if chance > _HALF:
        return -t_quantile(1 - chance, df)
    low = -1.0
    high = 0.0
    while t_cdf(low, df) > chance:
        low, high = 2 * low, low
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if t_cdf(middle, df) < chance:
            low = middle
        else:
            high = middle


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function; raises ValueError where there is none."""
    if isnan(x) or not (0 < a < inf and 0 < b < inf):
        raise ValueError(f"there is no chance of at most {x!r} under Beta({a!r}, {b!r})")
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)
    return exp(front) * _fraction(x, a, b) / a


def _check_df(df: float) -> None:
    if not (isfinite(df) and df > 0):
        raise ValueError(f"degrees of freedom are above 0 and finite, not {df!r}")


def _fraction(x: float, a: float, b: float) -> float:
    c = 1.0
    d = 1 / _no_zero(1 - (a + b) * x / (a + 1))
    found = d
    before = inf
    m = 0
    while abs(found - before) > 1e-16 * abs(found) and m < _MOST_TERMS:
        m += 1
        before = found
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _no_zero(1 + term * d)
            c = _no_zero(1 + term / c)
            found *= c * d
    return found


def _no_zero(value: float) -> float:
    return value or _TINY
