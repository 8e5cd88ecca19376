"""How many independent votes the members of a panel are worth, who err on the same questions."""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from appellate.stats.agreement_tables import Coefficient, Pattern, Patterns
from appellate.stats.clustered import LEVEL, Clusters, bounds, pooled

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


def effective_votes(clusters: Clusters, level: float = LEVEL) -> EffectiveVotes | None:
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
    between = bounds(shared_errors, clusters, level)
    if between is None:
        return EffectiveVotes(votes, members, found.value)
    low, high = _votes(members, between.high), _votes(members, between.low)
    return EffectiveVotes(votes, members, found.value, low, high)


def _votes(members: int, correlation: float) -> float:
    """As many as members where errors do not go together, or go against each other."""
    return members / (1 + (members - 1) * max(correlation, 0.0))


def shared_errors(patterns: Patterns) -> Coefficient | None:
    """The mean correlation of the errors of two members, over the pairs of which both err
    sometimes.
    """
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
