"""The alternative annotator test: may a judge stand in for one of several people?

Source: Calderon, Reichart and Dror (arXiv 2501.10970). Each person is left out in turn, and that
person and the judge are compared with the other people: whose answers are closer to theirs? The
person may be closer by up to `epsilon`, since a judge is cheaper. The judge wins against a person
if a paired t test rejects that the person is closer by more. The tests are corrected for their
number (Benjamini and Yekutieli, Annals of Statistics 29, 2001). The judge passes if it wins against
at least half of the people.

`alt_test()` does all of it, for the page about reviewers (`numbers/two_reviewers.py`).
"""

from collections.abc import Hashable, Sequence
from math import sqrt
from typing import NamedTuple

from appellate.stats.agreement_tables import Positions
from appellate.stats.distributions import t_cdf

EPSILON = 0.2
"""How much closer an expert may be, because a judge is cheaper.

The paper takes .15 for skilled people and .1 for hired ones.
"""
LEVEL = 0.05
"""The share of wins that may be wrong."""
LEAST = 30
"""Questions that a person and at least one other must have answered: a t test needs as many."""
PASSES = 0.5
"""The share of people that a judge must win against."""


class JudgedItem(NamedTuple):
    """One question, with the answers of the judge and of the people."""

    judge: str
    people: tuple[str | None, ...]
    """The answer of each person, by position; None if a person did not answer."""
    cluster: Hashable
    """What the item belongs to: items of one cluster are not independent."""


class AgainstPerson(NamedTuple):
    """How the judge did against one person."""

    n: int
    """Questions that the person and at least one other person answered."""
    advantage: float
    """The share of them in which the judge was as close to the others as the person, or closer."""
    p: float
    """The chance of such a result if the person is really closer by `epsilon`."""
    wins: bool
    """Whether the judge wins against this person."""


class AltTest(NamedTuple):
    """The result of the alternative annotator test."""

    winning_rate: float
    """The share of tested people that the judge wins against."""
    advantage: float
    """The mean advantage of the judge over the tested people."""
    against: tuple[AgainstPerson | None, ...]
    """The result against each person, by position; None with fewer than `LEAST` questions."""

    @property
    def passes(self) -> bool:
        """Whether the judge may stand in for a person: it wins against at least half of the people.

        Only people who were tested count, so those with too few questions do not.
        """
        return self.winning_rate >= PASSES


class _Comparison(NamedTuple):
    """One question: whether the judge or a person is closer to the other people. Both if equal."""

    judge_is_as_close: bool
    person_is_as_close: bool
    cluster: Hashable


def alt_test(
    items: Sequence[JudgedItem],
    epsilon: float = EPSILON,
    positions: Positions | None = None,
) -> AltTest | None:
    """Return the result of the alternative annotator test of a judge, see `AltTest`.

    None if no person has enough questions (`LEAST`), as without items. For each person, the judge's
    and the person's answers are compared with those of the other people. Only questions count that
    the person and another person answered. Without positions an answer is as close to others as the
    share of them that it equals. With the positions of the answers on a scale it is close if they
    lie near each other, and an answer without a position raises KeyError. The judge wins against a
    person if it is shown, at `LEVEL` corrected for all tested people, that the person is not closer
    by `epsilon`, a share of the questions. All items must have as many people. Source: Calderon,
    Reichart and Dror (arXiv 2501.10970).
    """
    person_count = len(items[0].people) if items else 0
    tested: dict[int, list[_Comparison]] = {}
    for person in range(person_count):
        comparisons = _comparisons_with(items, person, positions)
        if len(comparisons) >= LEAST:
            tested[person] = comparisons
    if not tested:
        return None

    p_values = [_p_value(comparisons, epsilon) for comparisons in tested.values()]
    wins = rejected(p_values)
    against: list[AgainstPerson | None] = [None] * person_count
    advantages: list[float] = []
    for (person, comparisons), p, won in zip(
        tested.items(),
        p_values,
        wins,
        strict=True,
    ):
        as_close = sum(comparison.judge_is_as_close for comparison in comparisons)
        advantage = as_close / len(comparisons)
        advantages.append(advantage)
        against[person] = AgainstPerson(len(comparisons), advantage, p, won)
    return AltTest(
        sum(wins) / len(tested),
        sum(advantages) / len(tested),
        tuple(against),
    )


def _comparisons_with(
    items: Sequence[JudgedItem],
    person: int,
    positions: Positions | None,
) -> list[_Comparison]:
    """Return one comparison for each item that this person and any other person answered.

    They are in the order of the items. Each says whether the judge, the person or both are closest
    to the others' answers, and has the item's cluster. `person` is a position in
    `JudgedItem.people`. With positions, raises KeyError for an answer of such an item that has
    none.
    """
    comparisons: list[_Comparison] = []
    for item in items:
        own_answer = item.people[person]
        others: list[str] = []
        for index, answer in enumerate(item.people):
            if index != person and answer is not None:
                others.append(answer)
        if own_answer is None or not others:
            continue

        judge_closeness = _closeness(item.judge, others, positions)
        person_closeness = _closeness(own_answer, others, positions)
        comparisons.append(
            _Comparison(
                judge_is_as_close=judge_closeness >= person_closeness,
                person_is_as_close=person_closeness >= judge_closeness,
                cluster=item.cluster,
            ),
        )
    return comparisons


def _closeness(
    answer: str,
    others: Sequence[str],
    positions: Positions | None,
) -> float:
    """Return how close an answer is to the answers of others; more is closer.

    Without positions it is the share of others who answered the same, from 0 to 1. With positions
    it is the root mean square of the distances, with a minus: 0 at most. There must be others. With
    positions, raises KeyError for an answer that has none.
    """
    if positions is None:
        return others.count(answer) / len(others)
    squares = sum((positions[answer] - positions[other]) ** 2 for other in others)
    return -sqrt(squares / len(others))


def _p_value(comparisons: Sequence[_Comparison], epsilon: float) -> float:
    """Return the one-sided p value of these comparisons if the person is closer by `epsilon`.

    The test is of the mean lead of the person: the share of items where only the person is as close
    as the other, minus that where only the judge is. A small p says that the lead is below
    `epsilon`. It is a t test whose error comes from clusters. With one item in each cluster this is
    the usual paired t test. With one cluster in all nothing can be shown, and p is 1. Else, if no
    error can be seen, as when all leads are equal, it is 0 for a lead below `epsilon` and 1 for any
    other. There must be a comparison.
    """
    n = len(comparisons)
    person_leads = [
        item.person_is_as_close - item.judge_is_as_close for item in comparisons
    ]
    mean_lead = sum(person_leads) / n
    deviations: dict[Hashable, float] = {}
    for comparison, lead in zip(comparisons, person_leads, strict=True):
        cluster = comparison.cluster
        deviation = lead - mean_lead
        deviations[cluster] = deviations.get(cluster, 0.0) + deviation

    cluster_count = len(deviations)
    df = cluster_count - 1
    if not df:
        return 1.0
    squares = sum(deviation**2 for deviation in deviations.values())
    stderr = sqrt(squares * cluster_count / df) / n
    if stderr:
        t = (mean_lead - epsilon) / stderr
        return t_cdf(t, df)
    return 0.0 if mean_lead < epsilon else 1.0


def rejected(p_values: Sequence[float]) -> list[bool]:
    """Return for each p value whether its hypothesis is rejected, in the order given.

    Of the rejected ones at most the share `LEVEL` is expected to be true, in whatever way the tests
    depend on each other. [] without p values. Source: Benjamini and Yekutieli (Annals of Statistics
    29, 2001).
    """
    count = len(p_values)
    harmonic = sum(1 / rank for rank in range(1, count + 1))
    largest_rejected = -1.0
    for rank, p in enumerate(sorted(p_values), 1):
        limit = rank * LEVEL / (count * harmonic)
        if p <= limit:
            largest_rejected = p
    return [p <= largest_rejected for p in p_values]
