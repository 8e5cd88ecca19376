"""How far the judge's answers agree with those of the labels that a person signed off.

Nothing but counts is shown of fewer than `ENOUGH` answers: what they come to would be chance.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from appellate.core.cell import Cell
from appellate.core.kind import Instruction

ENOUGH = 20

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


@dataclass(frozen=True)
class Agreement:
    """The judge's answers against a person's: how many of each pair.

    `positives` are the answers that count as positive, none where a kind has no such; `words` all
    that occur, in the order that they are told in.
    """

    counts: Mapping[Answers, int]
    positives: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()

    @cached_property
    def n(self) -> int:
        """How many answers were compared."""
        return sum(self.counts.values())

    @cached_property
    def agreed(self) -> int:
        return sum(count for (judge, person), count in self.counts.items() if judge == person)

    @property
    def observed(self) -> float | None:
        """The share of answers that are alike."""
        if self.n < ENOUGH:
            return None
        return self.agreed / self.n

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (Educational and Psychological Measurement 20, 1960): agreement beyond what
        the two would come to by chance, each at their own rates; None also where they could not
        but agree.
        """
        judge, person = self._margins
        return self._beyond(sum(judge[word] * person[word] for word in judge), self.n**2)

    @property
    def ac1(self) -> float | None:
        """Gwet's AC1 (British Journal of Mathematical and Statistical Psychology 61, 2008), which
        does not fall where nearly all answers are one word, as kappa does; over the words that
        occur, two at the least.
        """
        judge, person = self._margins
        given, words = 2 * self.n, {*judge, *person}
        times = [judge[word] + person[word] for word in words]
        others = max(len(words), 2) - 1
        return self._beyond(sum(one * (given - one) for one in times), others * given**2)

    @property
    def rates(self) -> Rates:
        """How the judge does on the positive answers."""
        return self._rates(self.positives)

    def rates_of(self, word: str) -> Rates:
        """How the judge does on one answer, against all others."""
        return self._rates({word})

    def _rates(self, positives: AbstractSet[str]) -> Rates:
        if self.n < ENOUGH or not positives:
            return Rates()
        found: Counter[tuple[bool, bool]] = Counter()
        for (judge, person), count in self.counts.items():
            found[judge in positives, person in positives] += count
        hit, missed = found[True, True], found[False, True]
        false, right = found[True, False], found[False, False]
        return Rates(
            _share(hit, hit + missed),
            _share(hit, hit + false),
            _share(right, right + false),
            _share(hit + missed, self.n),
        )

    @cached_property
    def _margins(self) -> tuple[Counter[str], Counter[str]]:
        """How often the judge and the person give each answer."""
        judge: Counter[str] = Counter()
        person: Counter[str] = Counter()
        for (said, stands), count in self.counts.items():
            judge[said] += count
            person[stands] += count
        return judge, person

    def _beyond(self, by_chance: int, of: int) -> float | None:
        """Agreement beyond chance, which is a fraction; None where chance leaves no room."""
        if self.observed is None or by_chance == of:
            return None
        chance = by_chance / of
        return (self.observed - chance) / (1 - chance)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def agreement(
    pairs: Mapping[Answers, int], positives: frozenset[str], vocabulary: Iterable[str]
) -> Agreement:
    """The agreement of counted pairs; `vocabulary` orders the words, others come after it."""
    given: set[str] = set()
    for pair in pairs:
        given.update(pair)
    known = [word for word in dict.fromkeys(vocabulary) if word in given]
    return Agreement(pairs, positives, (*known, *sorted(given.difference(known))))


def compared(cell: Cell) -> Iterator[tuple[Instruction, Answers]]:
    """The questions of a cell that both a judge and a person answered: none before it is signed
    off, none where it was an example for the judge.
    """
    if cell.signed and not cell.example:
        judged = cell.judge_answers
        for one, answer in cell.answers.items():
            if one in judged:
                yield one, (judged[one], answer)
