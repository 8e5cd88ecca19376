"""How a judge does beside people, as ratios over units: what betting audits need (`betting.py`).

Each question that the judge answered adds a pair to its unit, above and below the line. The pair
depends on the judge's answer, which is known, and on people's, which is known once they ruled.

| number | above the line | below the line |
| --- | --- | --- |
| agreement | both answers are alike | 1 |
| sensitivity | the judge's is positive, too | people's is positive |
| specificity | the judge's is not positive, either | people's is not positive |
| precision | people's is positive, too | the judge's is positive |
| F1 | both are positive | the same, and half where only one is |
| 1 − kappa | the answers differ | how often the judge gives another answer than people's here |
| 1 − weighted kappa | the squared distance | the mean squared distance of the judge's answers |

**Kappa.** Cohen's kappa is a ratio since the judge's shares of answers are known of all units.
It is kappa of these units, and not of units without end.

`numbers/exact_judge.py` calls this.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from appellate.stats.betting import corners_of_sum
from appellate.stats.estimates import Pair

Rate = Literal["agreement", "sensitivity", "specificity", "precision", "f1"]
NOTHING = Pair(0.0, 0.0)
UNLISTED = None
"""An answer of people that is in no list, as a number on a scale without end."""


class JudgeRatio(ABC):
    """A number of the judge as a ratio over all questions that it answered."""

    high = 1.0
    """The largest value of the ratio; the smallest is 0."""
    is_complement = False
    """Whether the number is 1 less the ratio, as kappa is."""

    @abstractmethod
    def parts(self, judge: str, person: str | None) -> Pair:
        """Return what one question adds to the ratio: numerator, denominator.

        It depends on the judge's answer and on the person's. Each kind of ratio says how, in a
        class of its own; this method is abstract. `UNLISTED` (None) is a person's answer that is in
        no list.
        """

    def corners(
        self,
        judge: str,
        possible: Iterable[str | None],
        *,
        may_leave_open: bool,
    ) -> tuple[Pair, ...]:
        """Return the extreme pairs that a question can add, as people may still answer it.

        A pair is numerator and denominator. They are the corners of the convex hull of all pairs
        that can be. `judge` is what the judge answered. `possible` are the answers that people
        have; `UNLISTED` (None) among them is an answer in no list. With `may_leave_open` they may
        give none, and then the question adds 0 and 0.
        """
        pairs = {self.parts(judge, person) for person in possible}
        if may_leave_open:
            pairs.add(NOTHING)
        return corners_of_sum([sorted(pairs)])

    def number(self, ratio: float) -> float:
        """Return the number for a value of the ratio: 1 less it for both kappas, else the value.

        The reverse is the same sum, so it turns a number into its ratio, too.
        """
        return 1 - ratio if self.is_complement else ratio


class RateOfJudge(JudgeRatio):
    """The share of answers alike, or a rate by which the judge finds the positive answers."""

    def __init__(self, rate: Rate, positives: Collection[str] = frozenset()) -> None:
        """Take which rate it is, and the positive answers, which agreement does not need."""
        self._rate = rate
        self._positives = positives

    def parts(self, judge: str, person: str | None) -> Pair:
        """Return what one question adds to the rate: numerator, denominator.

        - agreement: 1 and 1 if the answers are equal, else 0 and 1.
        - sensitivity: if the person's is positive, 1 and 1 if the judge's is, too, else 0 and 1.
        - specificity: if the person's is not positive, 1 and 1 if the judge's is not, else 0 and 1.
        - precision: if the judge's is positive, 1 and 1 if the person's is, too, else 0 and 1.
        - F1: 1 and 1 if both are positive, 0 and ½ if only one is.

        A question that the rate is not about adds 0 and 0. `UNLISTED` is not positive.
        """
        if self._rate == "agreement":
            return Pair(float(judge == person), 1.0)
        by_judge = judge in self._positives
        by_person = person in self._positives
        is_alike = float(by_judge == by_person)
        match self._rate:
            case "sensitivity":
                return Pair(is_alike, 1.0) if by_person else NOTHING
            case "specificity":
                return NOTHING if by_person else Pair(is_alike, 1.0)
            case "precision":
                return Pair(is_alike, 1.0) if by_judge else NOTHING
            case "f1":
                both = float(by_judge and by_person)
                return Pair(both, (by_judge + by_person) / 2)


class KappaOfJudge(JudgeRatio):
    """1 less Cohen's kappa."""

    high = 2.0
    is_complement = True

    def __init__(self, judge_counts: Mapping[str, int]) -> None:
        """Take how often the judge gives each answer, over all units of the frame.

        `judge_counts` does not change. An answer that is not in it is one that the judge never
        gives.
        """
        total = sum(judge_counts.values())
        self._shares = {answer: count / total for answer, count in judge_counts.items()}

    def parts(self, judge: str, person: str | None) -> Pair:
        """Return what one question adds to 1 less kappa: numerator, denominator.

        The numerator is 1 if the two answers differ, else 0. The denominator is the share of all of
        the judge's answers that are another than the person's. For a person's answer `UNLISTED`
        that is 1.
        """
        above = float(judge != person)
        alike = 0.0
        if person is not UNLISTED:
            alike = self._shares.get(person, 0.0)
        return Pair(above, 1.0 - alike)


class WeightedKappaOfJudge(JudgeRatio):
    """1 less kappa of scores, in which a disagreement weighs the square of its distance.

    Questions of which either answer is no score add nothing.
    """

    high = 2.0
    is_complement = True

    def __init__(
        self,
        judge_counts: Mapping[str, int],
        scores: Mapping[str, float],
    ) -> None:
        """Take how often the judge gives each answer over all units, and the score of each answer.

        `scores` also has the answers of people. Answers of the judge that are no key of `scores`
        are left out. Answers of one score count as one.
        """
        self._scores = scores
        counts = Counter[float]()
        for answer, count in judge_counts.items():
            if answer in scores:
                counts[scores[answer]] += count
        total = counts.total()
        self._shares = {score: count / total for score, count in counts.items()}

    def parts(self, judge: str, person: str | None) -> Pair:
        """Return what one question adds to 1 less weighted kappa: numerator, denominator.

        The numerator is the squared distance of the two scores, the denominator the mean squared
        distance of all of the judge's scores from the person's. Both are 0 if either answer is no
        score, as `UNLISTED` is none.
        """
        if person is UNLISTED:
            return NOTHING
        if judge not in self._scores or person not in self._scores:
            return NOTHING

        score = self._scores[person]
        by_chance = 0.0
        for judge_score, share in self._shares.items():
            by_chance += share * (judge_score - score) ** 2
        distance = self._scores[judge] - score
        return Pair(distance**2, by_chance)


def times(corners: Sequence[Pair], count: int) -> list[Pair]:
    """Return the corners of so many equal questions: their sum is as far as each of them can go."""
    return [Pair(corner.a * count, corner.b * count) for corner in corners]
