"""How far the judge's answers agree with a person's.

The person's answers are either blind verdicts or labels signed off with the judge in sight; the two
are never pooled. For fewer than `ENOUGH` answers only counts are shown. `breakdown` and
`panel_agreement` count the pairs.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from math import isfinite
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import Instruction
from appellate.stats.agreement_tables import (
    Coefficient,
    Pattern,
    Patterns,
    Statistic,
    alike,
    cohen_kappa,
    given_share,
    gwet_ac1,
    intraclass,
    krippendorff_alpha,
    macro_f1,
    share,
)
from appellate.stats.clustered import (
    Bounds,
    Clusters,
    cautious_bounds,
    clustered,
    exact_bounds,
)

ENOUGH = 20
"""Answers; of fewer only counts are shown."""
FULL_NAMES = {
    "observed": "alike",
    "kappa": "Cohen's kappa",
    "ac1": "Gwet's AC1",
    "alpha": "Krippendorff's alpha",
    "macro_f1": "macro-F1",
    "weighted_kappa": "weighted kappa",
    "icc": "ICC(A,1)",
    "interval_alpha": "alpha of scores",
}
"""The names of the coefficients: those of any answers, of answers with positive ones, and of
scores.
"""

_BY_RARE_ANSWERS = frozenset({"kappa", "ac1", "alpha", "macro_f1"})
"""The coefficients of which rare answers tell much; those of scores are not among them."""

Answers = tuple[str, str]
"""The judge's answer to one question, and the person's."""


class Rates(NamedTuple):
    """How the judge does on one class of answers, taking the person's answers as right.

    None means 0/0, or too few answers.
    """

    sensitivity: float | None = None
    """The share of the person's answers of this class that the judge gives, too."""
    precision: float | None = None
    """The share of the judge's answers of this class that the person gives, too."""
    specificity: float | None = None
    """The share of the person's other answers that the judge gives, too."""
    prevalence: float | None = None
    """The share of this class among all of the person's answers."""


class Known(Struct, frozen=True):
    """A coefficient with its 95 % interval by clusters; None means 0/0, or too few answers."""

    value: float | None = None
    bounds: Bounds | None = None


class Agreement(Struct, frozen=True, dict=True):
    """How often the judge and a person gave each pair of answers."""

    counts: Mapping[Answers, int]
    """The number of each pair: the judge's answer, then the person's."""
    positives: frozenset[str] = frozenset()
    """The answers that count as positive; empty for a kind without such answers."""
    words: tuple[str, ...] = ()
    """All answers that occur, in the order in which they are listed."""
    clusters: Clusters = field(default_factory=dict)
    """The pairs by what depends on each other: traces of one cluster, else epochs of one
    trace.
    """
    reason: str = ""
    """Why nothing but counts is shown; "" for no reason."""

    @property
    def is_shown(self) -> bool:
        """Whether there is more to show than counts."""
        return self.n >= ENOUGH and not self.reason

    @cached_property
    def n(self) -> int:
        """How many answers were compared."""
        return sum(self.counts.values())

    @cached_property
    def agreed(self) -> int:
        """The number of pairs whose two answers are the same."""
        return sum(
            count for (judge, person), count in self.counts.items() if judge == person
        )

    @property
    def traces(self) -> int:
        """How many traces, or clusters of traces, the answers are of."""
        return sum(self.clusters.values())

    @property
    def observed(self) -> float | None:
        """The share of answers that are the same."""
        return self.value("observed")

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None also if judge and person could not but agree."""
        return self.value("kappa")

    @property
    def ac1(self) -> float | None:
        """Gwet's AC1, over the answers that occur."""
        return self.value("ac1")

    @property
    def coefficients(self) -> list[str]:
        """The names, of `FULL_NAMES`, of the coefficients that make sense for these answers."""
        return [name for name in FULL_NAMES if name in self._statistics]

    def tells(self, name: str) -> bool:
        """Return whether these answers have a coefficient or rate of this name."""
        return name in self._statistics

    def value(self, name: str) -> float | None:
        """Return a coefficient or rate by its name, a key of `FULL_NAMES` or a field of `Rates`.

        None for 0/0, for fewer than `ENOUGH` answers, if only counts are shown, and if these
        answers have none of this name.
        """
        if not self.is_shown or not self.tells(name):
            return None
        coefficient = self._statistics[name](self._patterns)
        return None if coefficient is None else coefficient.value

    def known(self, name: str) -> Known:
        """Return a coefficient or rate by its name, with its 95 % interval by clusters.

        Both are None where `value` is None. The interval is None, too, if there are too few
        clusters. It is computed once for each name.
        """
        if name not in self._bounded:
            value = self.value(name)
            interval = None
            if value is not None:
                bounded = cautious_bounds if name in _BY_RARE_ANSWERS else exact_bounds
                interval = bounded(self._statistics[name], self.clusters)
            self._bounded[name] = Known(value, interval)
        return self._bounded[name]

    @cached_property
    def _bounded(self) -> dict[str, Known]:
        """The coefficients that were computed with their intervals, by name."""
        return {}

    @cached_property
    def _patterns(self) -> Patterns:
        """The pairs that occur."""
        return {pair: count for pair, count in self.counts.items() if count}

    @cached_property
    def _statistics(self) -> Mapping[str, Statistic]:
        """The functions for the coefficients and rates that these answers have, by name.

        Each takes counted pairs, and returns None for 0/0. Weighted kappa, ICC and the interval
        alpha are there only if two of the answers are scores. Rates are there only if some answers
        are positive, and macro-F1 only if others occur, too.
        """
        statistics: dict[str, Statistic] = {
            "observed": alike,
            "kappa": cohen_kappa,
            "ac1": partial(gwet_ac1, answer_count=len(self.words)),
            "alpha": krippendorff_alpha,
        }
        scores = self._scores
        if len(scores) > 1:
            of_scores = partial(_of_scored_pairs, scores=scores)
            statistics["weighted_kappa"] = partial(of_scores, statistic=cohen_kappa)
            statistics["icc"] = partial(of_scores, statistic=intraclass)
            statistics["interval_alpha"] = partial(
                of_scores,
                statistic=krippendorff_alpha,
            )
        if self.positives:
            yes = self.positives
            others = frozenset(self.words) - yes
            statistics["sensitivity"] = partial(share, given=yes, rater=1, matching=yes)
            statistics["precision"] = partial(share, given=yes, rater=0, matching=yes)
            statistics["specificity"] = partial(
                share,
                given=others,
                rater=1,
                matching=others,
            )
            statistics["prevalence"] = partial(given_share, answers=yes, rater=1)
            if others:
                statistics["macro_f1"] = partial(macro_f1, answers=yes)
        return statistics

    @cached_property
    def _scores(self) -> Mapping[str, float]:
        """The number of each answer that is one, if the answers are scores; else {}.

        They are scores if both answers are numbers in more than half of the pairs. Answers that are
        no numbers are left out.
        """
        scores: dict[str, float] = {}
        scored_count = 0
        for word in self.words:
            number = number_of(word)
            if number is not None:
                scores[word] = number

        for judge, person in self.counts:
            scored_count += self.counts[judge, person] * (
                judge in scores and person in scores
            )
        if scored_count * 2 <= self.n:
            return {}

        return scores

    @property
    def rates(self) -> Rates:
        """How the judge does on the positive answers."""
        return Rates(*map(self.value, Rates._fields))

    def rates_of(self, word: str) -> Rates:
        """Return how the judge does on one answer, with all others together as its opposite."""
        return replace(self, positives=frozenset({word})).rates


def number_of(word: str) -> float | None:
    """Return the number that an answer is, without regard to blanks around it; None if it is none.

    It is read as Python reads a float: "3", "-0.5", "1e3" and "1_000" are numbers. "nan" and "inf"
    are none.
    """
    try:
        number = float(word)
    except ValueError:
        return None
    if not isfinite(number):
        return None
    return number


def kappa_of_scores(pairs: Patterns, scores: Mapping[str, float]) -> Coefficient | None:
    """Return Cohen's kappa of those pairs whose answers are both scores, by squared distances.

    None if it is 0/0, as without such pairs. `scores` has the number of each answer that is a
    score.
    """
    return _of_scored_pairs(pairs, statistic=cohen_kappa, scores=scores)


def _of_scored_pairs(
    pairs: Patterns,
    *,
    statistic: Callable[[Patterns, Mapping[str, float]], Coefficient | None],
    scores: Mapping[str, float],
) -> Coefficient | None:
    """Return a statistic of those pairs whose answers are both scores; None for 0/0.

    `scores` has the number of each answer that is a score. The statistic gets the pairs that are
    left, with their counts, and `scores`.
    """
    scored = {pair: count for pair, count in pairs.items() if scores.keys() >= {*pair}}
    return statistic(scored, scores)


class PairCounts:
    """Pairs of answers as they are added, by the cluster that each belongs to."""

    def __init__(self) -> None:
        """Begin without any pair."""
        self._clusters: dict[Hashable, dict[Pattern, int]] = {}
        self._single_pairs: dict[tuple[Answers, int], dict[Pattern, int]] = {}
        """The counts of a single pair, which all clusters that have only it share."""

    def add(self, cluster: Hashable, pair: Answers, count: int = 1) -> None:
        """Add a pair of answers, the judge's and the person's, to a cluster `count` times.

        `cluster` is what the answers depend on, as by `cluster_of`.
        """
        counts = self._clusters.get(cluster)
        if counts is None:
            alike = self._single_pairs.setdefault((pair, count), {pair: count})
            self._clusters[cluster] = alike
            return

        if len(counts) == 1:
            counts = self._clusters[cluster] = dict(counts)  # other clusters share it
        counts[pair] = counts.get(pair, 0) + count

    def agreement(
        self,
        positives: frozenset[str],
        vocabulary: Iterable[str],
        reason: str = "",
    ) -> Agreement:
        """Return the agreement of all pairs that were added, with their clusters.

        `positives` are the answers that count as positive. `vocabulary` gives the order of the
        answers; others follow it, sorted. `reason` says why nothing but counts is shown, "" if more
        may be shown.
        """
        pooled: Counter[Any] = Counter()
        for counts in self._clusters.values():
            pooled.update(counts)
        pooled_agreement = agreement(pooled, positives, vocabulary)
        return replace(
            pooled_agreement,
            clusters=clustered(self._clusters.values()),
            reason=reason,
        )


def agreement(
    pairs: Mapping[Answers, int],
    positives: frozenset[str],
    vocabulary: Iterable[str],
) -> Agreement:
    """Return the agreement of counted pairs, without clusters and so without any interval.

    A pair has the judge's answer first. `vocabulary` gives the order of the answers; others follow
    it, sorted. A positive answer that neither occurs nor is in the vocabulary does not count as
    one.
    """
    occurring: set[str] = set()
    for pair in pairs:
        occurring.update(pair)
    vocabulary_order = dict.fromkeys(vocabulary)
    in_order = [word for word in vocabulary_order if word in occurring]
    possible = positives.intersection(vocabulary_order.keys() | occurring)
    return Agreement(
        pairs,
        possible,
        (*in_order, *sorted(occurring.difference(in_order))),
    )


def cluster_of(cluster: str | None, trace: str) -> Hashable:
    """Return what the answers on a trace depend on: its cluster, else all epochs of the trace."""
    return (cluster,) if cluster else trace


def answers_of_person(cell: Cell) -> Mapping[Instruction, str]:
    """Return how the person answers the questions of a cell, in the order of its answers.

    Those are the answers of the blind ruling in force, as it was locked, or else of labels that are
    signed off or ruled on. Empty before that, while the judge is hidden, and for a cell that was
    shown to the judge as an example. Questions that are left open, or that the person cannot tell,
    are left out.
    """
    answers: Mapping[Instruction, str] = {}
    if cell.example or cell.hidden:
        return answers

    if cell.ruled_blind:
        answers = cell.verdict_answers
    elif cell.signed:
        answers = cell.answers
    kind = cell.subject.kind
    trait = cell.subject.trait
    no_answer = kind.unanswered | kind.untold(trait)
    return {
        instruction: answer
        for instruction, answer in answers.items()
        if answer not in no_answer
    }


def answer_pairs(cell: Cell) -> Iterator[tuple[Instruction, Answers]]:
    """Yield each question that judge and person answered, with (judge's, person's) answer.

    The person's answers are those of `answers_of_person`, in its order. An answer that it cannot be
    told is left out, whoever gives it. One that leaves the question open, such as "unclear", is
    left out only if the person gives it: from the judge it counts as another answer.
    """
    person_answers = answers_of_person(cell)
    if person_answers:
        judge_answers = cell.judge_answers
        untold = cell.subject.kind.untold(cell.subject.trait)
        for instruction, answer in person_answers.items():
            if (
                instruction in judge_answers
                and judge_answers[instruction] not in untold
            ):
                yield instruction, (judge_answers[instruction], answer)
