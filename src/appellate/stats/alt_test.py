"""The alternative annotator test: whether a judge may stand in for one of several people.

Calderon, Reichart and Dror (arXiv 2501.10970): each person in turn is left out, and it is asked
who is closer to the others, that person or the judge. The judge wins against a person where it is
not shown to be so by less than `epsilon`, by a paired t test, and passes where it wins against half
of them; the tests are corrected by Benjamini and Yekutieli (Annals of Statistics 29, 2001).
"""

from collections.abc import Hashable, Sequence
from math import sqrt
from typing import NamedTuple

from appellate.stats.agreement_tables import Positions
from appellate.stats.distributions import t_cdf

EPSILON = 0.2
"""What a judge's cheapness is worth against experts; .15 against skilled, .1 against hired ones."""
LEVEL = 0.05
LEAST = 30
"""Answers of a person, with another's beside it: fewer do not bear a t test."""
PASSES = 0.5


class JudgedItem(NamedTuple):
    """The judge's and each person's answer to one question, None for none; items of one `cluster`
    are not independent.
    """

    judge: str
    people: tuple[str | None, ...]
    cluster: Hashable


class AgainstPerson(NamedTuple):
    """The judge against one person: on `n` items, how often it is as close to the others or closer
    (`advantage`), the chance `p` of that from a judge who is not, and whether it `wins`.
    """

    n: int
    advantage: float
    p: float
    wins: bool


class AltTest(NamedTuple):
    """The winning rate, the mean advantage, and each person; None with fewer than `LEAST` items."""

    winning_rate: float
    advantage: float
    against: tuple[AgainstPerson | None, ...]

    @property
    def passes(self) -> bool:
        return self.winning_rate >= PASSES


class _Closer(NamedTuple):
    """Whether the judge is as close to the others as the person or closer, and the reverse."""

    judge: bool
    person: bool
    cluster: Hashable


def alt_test(
    items: Sequence[JudgedItem], epsilon: float = EPSILON, at: Positions | None = None
) -> AltTest | None:
    """By equal answers, or by distances of positions; None where no person has enough items."""
    people = len(items[0].people) if items else 0
    closer = [_closer_of(items, place, at) for place in range(people)]
    tested = {place: own for place, own in enumerate(closer) if len(own) >= LEAST}
    if not tested:
        return None
    chances = [_chance(own, epsilon) for own in tested.values()]
    beaten = rejected(chances)
    against: list[AgainstPerson | None] = [None] * people
    advantages: list[float] = []
    for (place, own), chance, wins in zip(tested.items(), chances, beaten, strict=True):
        advantages.append(sum(one.judge for one in own) / len(own))
        against[place] = AgainstPerson(len(own), advantages[-1], chance, wins)
    count = len(tested)
    return AltTest(sum(beaten) / count, sum(advantages) / count, tuple(against))


def _closer_of(items: Sequence[JudgedItem], place: int, at: Positions | None) -> list[_Closer]:
    """Who is closer to the others, of every item that the person and any other answered."""
    found: list[_Closer] = []
    for item in items:
        own = item.people[place]
        others = [one for by, one in enumerate(item.people) if by != place and one is not None]
        if own is None or not others:
            continue
        judge = _closeness(item.judge, others, at)
        person = _closeness(own, others, at)
        found.append(_Closer(judge >= person, person >= judge, item.cluster))
    return found


def _closeness(answer: str, others: Sequence[str], at: Positions | None) -> float:
    if at is None:
        return others.count(answer) / len(others)
    return -sqrt(sum((at[answer] - at[one]) ** 2 for one in others) / len(others))


def _chance(own: Sequence[_Closer], epsilon: float) -> float:
    """One-sided: that the person is closer by `epsilon` more often than the judge, by a t test with
    the error of clusters, which for clusters of one is the paired one.
    """
    n = len(own)
    differences: dict[Hashable, float] = {}
    mean = sum(one.person - one.judge for one in own) / n
    for one in own:
        apart = one.person - one.judge - mean
        differences[one.cluster] = differences.get(one.cluster, 0.0) + apart
    count = len(differences)
    if count == 1:
        return 1.0
    squares = sum(apart**2 for apart in differences.values())
    error = sqrt(squares * count / (count - 1)) / n
    if not error:
        return 0.0 if mean < epsilon else 1.0
    return t_cdf((mean - epsilon) / error, count - 1)


def rejected(chances: Sequence[float]) -> list[bool]:
    """Which of several hypotheses are rejected, so that of those so many at the most are true, in
    whatever way the tests depend on each other (Benjamini and Yekutieli).
    """
    count = len(chances)
    harmonic = sum(1 / rank for rank in range(1, count + 1))
    bound = -1.0
    for rank, chance in enumerate(sorted(chances), 1):
        if chance <= rank * LEVEL / (count * harmonic):
            bound = chance
    return [chance <= bound for chance in chances]
