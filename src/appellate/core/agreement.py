"""How far the judge's answers agree with a person's: with blind verdicts, or with labels signed off
with the judge in sight; the two are never pooled. Of fewer than `ENOUGH` answers only counts are
shown.
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
from appellate.stats.clustered import Bounds, Clusters, bounds, clustered

ENOUGH = 20
FULL_NAMES = {
    "observed": "alike",
    "kappa": "Cohen's kappa",
    "ac1": "Gwet's AC1",
    "alpha": "Krippendorff's alpha",
    "macro_f1": "HealthBench's physician macro-F1",
    "weighted_kappa": "weighted kappa",
    "icc": "ICC(A,1)",
    "interval_alpha": "alpha of scores",
}
"""The names of the coefficients of any answers, of those with positive ones, of scores."""

Answers = tuple[str, str]
"""The judge's answer to one question, and the person's."""


class Rates(NamedTuple):
    """How the judge does on one class of answers, the person taken as right.

    `sensitivity` is the share of the person's that the judge gives too, `specificity` that of the
    others; `precision` the share of the judge's that the person gives too, `prevalence` the
    person's share of all. None is 0/0, or too few.
    """

    sensitivity: float | None = None
    precision: float | None = None
    specificity: float | None = None
    prevalence: float | None = None


class Known(Struct, frozen=True):
    """A coefficient with its 95 % interval by clusters; None is 0/0, or too few."""

    value: float | None = None
    bounds: Bounds | None = None


UNEQUAL = (
    "These cells were drawn with unequal chances, so what their answers come to is not what all"
    " would"
)


class Reasons(NamedTuple):
    """Why only counts are shown of answers in sight of the judge, and of blind ones; else empty."""

    sighted: str = ""
    blind: str = ""

    def of(self, *, blind: bool) -> str:
        return self.blind if blind else self.sighted


SHOWN = Reasons()


class Agreement(Struct, frozen=True, dict=True):
    """The judge's answers against a person's: how many of each pair.

    `positives` are the answers that count as positive, none where a kind has no such; `words` all
    that occur, in the order that they are listed in. `clusters` are the same pairs by what belongs
    together: the traces of one cluster, else the epochs of one trace. Where there is a `reason`,
    nothing but counts is shown.
    """

    counts: Mapping[Answers, int]
    positives: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    clusters: Clusters = field(default_factory=dict)
    reason: str = ""

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
        return sum(count for (judge, person), count in self.counts.items() if judge == person)

    @property
    def traces(self) -> int:
        """How many traces, or clusters of them, the answers are of."""
        return sum(self.clusters.values())

    @property
    def observed(self) -> float | None:
        """The share of answers that are alike."""
        return self.value("observed")

    @property
    def kappa(self) -> float | None:
        """Cohen's; None also where judge and person could not but agree."""
        return self.value("kappa")

    @property
    def ac1(self) -> float | None:
        """Gwet's, over the words that occur."""
        return self.value("ac1")

    @property
    def coefficients(self) -> list[str]:
        """Those that say something of such answers, of `FULL_NAMES`."""
        return [name for name in FULL_NAMES if name in self._statistics]

    def tells(self, name: str) -> bool:
        """Whether such answers have one of the `coefficients` or `Rates`."""
        return name in self._statistics

    def value(self, name: str) -> float | None:
        """One of the `coefficients` or `Rates`; None where it is 0/0, or of too few."""
        if not self.is_shown or not self.tells(name):
            return None
        found = self._statistics[name](self._patterns)
        return None if found is None else found.value

    def known(self, name: str) -> Known:
        """The same with its interval."""
        if name not in self._bounded:
            value = self.value(name)
            interval = None
            if value is not None:
                interval = bounds(self._statistics[name], self.clusters)
            self._bounded[name] = Known(value, interval)
        return self._bounded[name]

    @cached_property
    def _bounded(self) -> dict[str, Known]:
        return {}

    @cached_property
    def _patterns(self) -> Patterns:
        return {pair: count for pair, count in self.counts.items() if count}

    @cached_property
    def _statistics(self) -> Mapping[str, Statistic]:
        """Scores alone have an order, and so weights; what has no positive answer has no rates."""
        found: dict[str, Statistic] = {
            "observed": alike,
            "kappa": cohen_kappa,
            "ac1": partial(gwet_ac1, answer_count=len(self.words)),
            "alpha": krippendorff_alpha,
        }
        scores = self._scores
        if len(scores) > 1:
            found["weighted_kappa"] = _of_scores(cohen_kappa, scores)
            found["icc"] = _of_scores(intraclass, scores)
            found["interval_alpha"] = _of_scores(krippendorff_alpha, scores)
        if self.positives:
            yes = self.positives
            others = frozenset(self.words) - yes
            found["sensitivity"] = partial(share, given=yes, rater=1, matching=yes)
            found["precision"] = partial(share, given=yes, rater=0, matching=yes)
            found["specificity"] = partial(share, given=others, rater=1, matching=others)
            found["prevalence"] = partial(given_share, answers=yes, rater=1)
            if others:
                found["macro_f1"] = partial(macro_f1, answers=yes)
        return found

    @cached_property
    def _scores(self) -> Mapping[str, float]:
        """The number of each word, where most of the answers are numbers."""
        found: dict[str, float] = {}
        numbered = 0
        for word in self.words:
            number = number_of(word)
            if number is not None:
                found[word] = number
        for judge, person in self.counts:
            numbered += self.counts[judge, person] * (judge in found and person in found)
        if numbered * 2 <= self.n:
            return {}
        return found

    @property
    def rates(self) -> Rates:
        """How the judge does on the positive answers."""
        return Rates(*map(self.value, Rates._fields))

    def rates_of(self, word: str) -> Rates:
        """How the judge does on one answer, against all others."""
        return replace(self, positives=frozenset({word})).rates


def number_of(word: str) -> float | None:
    """The number that an answer is, None where it is none."""
    try:
        number = float(word)
    except ValueError:
        return None
    if not isfinite(number):
        return None
    return number


def _of_scores(
    statistic: Callable[[Patterns, Mapping[str, float]], Coefficient | None],
    scores: Mapping[str, float],
) -> Statistic:
    """Counts only the pairs of two scores."""

    def of_scores(pairs: Patterns) -> Coefficient | None:
        scored = {pair: count for pair, count in pairs.items() if scores.keys() >= {*pair}}
        return statistic(scored, scores)

    return of_scores


class PairCounts:
    """Pairs of answers as they come, and what each belongs to."""

    def __init__(self) -> None:
        self._clusters: dict[Hashable, dict[Pattern, int]] = {}

    def add(self, cluster: Hashable, pair: Answers, count: int = 1) -> None:
        counts = self._clusters.setdefault(cluster, {})
        counts[pair] = counts.get(pair, 0) + count

    def agreement(
        self, positives: frozenset[str], vocabulary: Iterable[str], reason: str = ""
    ) -> Agreement:
        """`vocabulary` orders the words; `reason` is why nothing but counts is shown."""
        pooled: Counter[Any] = Counter()
        for counts in self._clusters.values():
            pooled.update(counts)
        found = agreement(pooled, positives, vocabulary)
        return replace(found, clusters=clustered(self._clusters.values()), reason=reason)


def agreement(
    pairs: Mapping[Answers, int], positives: frozenset[str], vocabulary: Iterable[str]
) -> Agreement:
    """The agreement of counted pairs; `vocabulary` orders the words, others come after it.
    Positives that nobody can give, as among scores, are none.
    """
    given: set[str] = set()
    for pair in pairs:
        given.update(pair)
    listed = dict.fromkeys(vocabulary)
    known = [word for word in listed if word in given]
    possible = positives.intersection(listed.keys() | given)
    return Agreement(pairs, possible, (*known, *sorted(given.difference(known))))


def cluster_of(cluster: str | None, trace: str) -> Hashable:
    """What the answers on a trace belong to: its cluster, else all epochs of it."""
    return (cluster,) if cluster else trace


def stands(cell: Cell) -> Mapping[Instruction, str]:
    """How the person answers: by the verdict where the cell was ruled blind, else by the labels
    that are signed off. Nothing before that, nothing where it was an example for the judge, and
    nothing to questions that the labels leave open, or that the person cannot tell.
    """
    given: Mapping[Instruction, str] = {}
    if cell.example or cell.hidden:
        return given
    if cell.ruled_blind:
        given = cell.verdict_answers
    elif cell.signed:
        given = cell.answers
    kind = cell.subject.kind
    trait = cell.subject.trait
    left_out = kind.unanswered | kind.untold(trait)
    return {one: answer for one, answer in given.items() if answer not in left_out}


def compared(cell: Cell) -> Iterator[tuple[Instruction, Answers]]:
    """The questions of a cell that both a judge and a person answered: to cannot tell is no answer
    to compare.
    """
    person = stands(cell)
    if person:
        judged = cell.judge_answers
        untold = cell.subject.kind.untold(cell.subject.trait)
        for one, answer in person.items():
            if one in judged and judged[one] not in untold:
                yield one, (judged[one], answer)
