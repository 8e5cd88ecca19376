"""Student's t distribution, which the standard library lacks; `stats/` takes its intervals here.

`t_cdf()` and `t_quantile()` go through the incomplete beta function. Its continued fraction is
Abramowitz and Stegun 26.5.8, computed in Lentz's manner, to ten digits.
"""

from functools import lru_cache
from math import exp, inf, isfinite, isnan, lgamma, log, log1p

_TINY = 1e-300
"""Stands for a denominator of 0, as Lentz's method wants it."""
_HALF = 0.5
_MOST_TERMS = 10_000
"""Terms of the continued fraction that are computed even if it has not settled."""
_MOST_STEPS = 100
"""Steps towards a quantile of Beta; Newton's take a few, halvings some fifty."""
_SAME = 1e-12
"""Change from one step to the next at which a quantile of Beta has settled."""
_SETTLED = 1e-16
"""Relative change from one term to the next at which the continued fraction has settled."""


def t_cdf(value: float, df: float) -> float:
    """Return the chance that a t-distributed number with `df` degrees of freedom is <= `value`.

    It is from 0 to 1. `df` need not be whole, and `value` may be infinite. Raises ValueError if
    `value` is NaN, and if `df` is not above 0 and finite.
    """
    _check_df(df)
    if isnan(value):
        raise ValueError("there is no chance of nan or less")

    square = value * value
    scale = df + square
    if square < df:
        within = incomplete_beta(square / scale, 0.5, df / 2) / 2
        return 0.5 - within if value < 0 else 0.5 + within
    tail = incomplete_beta(df / scale, df / 2, 0.5) / 2
    return tail if value < 0 else 1 - tail


@lru_cache(maxsize=4096)
def t_quantile(chance: float, df: float) -> float:
    """Return the value that a t-distributed number does not exceed with this chance.

    It is negative for a chance below one half, and positive above. `df` are its degrees of freedom
    and need not be whole. Results are kept, as these are asked for again and again. Raises
    ValueError unless `chance` is above 0 and below 1, and if `df` is not above 0 and finite.
    """
    if not 0 < chance < 1:
        raise ValueError(f"a chance must be between 0 and 1 here, not {chance!r}")
    _check_df(df)
    if chance > _HALF:
        return -t_quantile(1 - chance, df)

    low = -1.0
    high = 0.0
    while t_cdf(low, df) > chance:
        high = low
        low = 2 * low
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if t_cdf(middle, df) < chance:
            low = middle
        else:
            high = middle


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularized incomplete beta function: the chance of at most `x` under Beta(a, b).

    It is 0 for an `x` of at most 0, and 1 from 1 on. Raises ValueError if `x` is NaN, and if `a` or
    `b` is not above 0 and finite. Source: Abramowitz and Stegun 26.5.8.
    """
    are_positive = 0 < a < inf and 0 < b < inf
    if isnan(x) or not are_positive:
        raise ValueError(
            f"there is no chance of at most {x!r} under Beta({a!r}, {b!r})",
        )
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction settles faster for the other tail
        return 1 - incomplete_beta(1 - x, b, a)

    log_front = _minus_log_beta(a, b) + a * log(x) + b * log1p(-x)
    return exp(log_front) * _continued_fraction(x, a, b) / a


def _minus_log_beta(a: float, b: float) -> float:
    """Return the logarithm of 1 / B(a, b), where B is the complete beta function."""
    return lgamma(a + b) - lgamma(a) - lgamma(b)


def beta_quantile(chance: float, a: float, b: float) -> float:
    """Return the value from 0 to 1 that a variable with Beta(a, b) does not exceed with a chance.

    It is right to about twelve digits. Raises ValueError unless `chance` is above 0 and below 1,
    and if `a` or `b` is not above 0 and finite.
    """
    if not 0 < chance < 1:
        raise ValueError(f"there is no quantile of {chance!r}")
    if not (0 < a < inf and 0 < b < inf):
        raise ValueError(f"there is no Beta({a!r}, {b!r})")
    low = 0.0
    high = 1.0
    value = a / (a + b)
    log_front = _minus_log_beta(a, b)
    for _ in range(_MOST_STEPS):
        excess = incomplete_beta(value, a, b) - chance
        if excess > 0:
            high = value
        else:
            low = value

        following = (low + high) / 2
        log_density = log_front + (a - 1) * log(value) + (b - 1) * log1p(-value)
        density = exp(log_density)
        if density > 0:
            newtons_value = value - excess / density
            if low < newtons_value < high:
                following = newtons_value
        if not 0 < following < 1:
            return following
        if abs(following - value) <= _SAME:
            return following
        value = following
    return value


def _check_df(df: float) -> None:
    """Raise ValueError unless `df` is a number of degrees of freedom: above 0 and finite."""
    if not (isfinite(df) and df > 0):
        raise ValueError(f"degrees of freedom must be above 0 and finite, not {df!r}")


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, without its factor.

    `x` is between 0 and 1, `a` and `b` are above 0. The names are those of Lentz's method and of
    26.5.8. It settles fast if `x` is at most (a + 1) / (a + b + 2). If it has not settled after
    `_MOST_TERMS` terms, it is returned as it is.
    """
    c = 1.0
    d = 1 / _no_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, _MOST_TERMS + 1):
        previous = fraction
        even = a + 2 * m
        even_term = m * (b - m) * x / ((even - 1) * even)
        odd_term = -(a + m) * (a + b + m) * x / (even * (even + 1))
        for term in (even_term, odd_term):
            d = 1 / _no_zero(1 + term * d)
            c = _no_zero(1 + term / c)
            fraction *= c * d
        if abs(fraction - previous) <= _SETTLED * abs(fraction):
            break
    return fraction


def _no_zero(value: float) -> float:
    """Return a value unchanged, or a tiny one instead of 0."""
    return value or _TINY
