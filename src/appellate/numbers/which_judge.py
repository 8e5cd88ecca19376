"""Which of several judges to use: the cheapest that passes its bars, and how sure that is.

`gold check` and the page Judges call `choose_judge()` alike, each with its own judges.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

from msgspec import Struct

from appellate.core.agreement import Agreement, Answers
from appellate.numbers.formatting import between, change, cut
from appellate.numbers.such_traces import BarResult
from appellate.stats.agreement_tables import Pattern
from appellate.stats.clustered import Clusters, clustered
from appellate.stats.estimates import Interval
from appellate.stats.paired import paired_difference

Verdict = Literal["passed", "not passed", "undecided"]
AnswersByCluster = Mapping[Any, Mapping[Any, Answers]]
"""A judge's answers and the person's, by cluster, then by cell and question."""


def verdict_of(bars: Sequence[BarResult], *, is_complete: bool) -> Verdict:
    """Return whether a judge passes its bars: "passed", "not passed" or "undecided".

    A bar that is not reached fails it, whatever else there is. Otherwise it is "undecided" without
    any bar, with one that is undecided, and for a judge that did not answer all it was asked (not
    `is_complete`).
    """
    decisions = [result.decision for result in bars]
    if "not reached" in decisions:
        return "not passed"
    if not bars or not is_complete or "undecided" in decisions:
        return "undecided"
    return "passed"


class Candidate(Protocol):
    """A judge whose answers are known beside those of people."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def agreement(self) -> Agreement:
        """Its answers beside those of people."""

    @property
    def verdict(self) -> Verdict:
        """Whether it passes its bars."""

    @property
    def cost(self) -> float | None:
        """The mean cost of a cell; None if not known."""

    @property
    def clusters(self) -> AnswersByCluster:
        """Its answers and the person's, by cluster, then by cell and question."""


Judge = TypeVar("Judge", bound=Candidate)


class Choice(Struct, Generic[Judge], frozen=True):
    """The judge that is named, the one that agrees most, and the difference between the two."""

    judge: Judge | None
    """The cheapest that passes, as far as costs are known; None if none passes."""
    best: Judge | None
    """The one that agrees most with people; None if none answered."""
    difference: Interval | None
    """By how much more often `best` is right; None where both are one, or nothing can be told."""
    is_cost_known: bool
    """Whether the costs of all that pass are known; else the one that agrees most is named."""


def choose_judge(judges: Sequence[Judge]) -> Choice[Judge]:
    """Return which of several judges to use: of those that passed their bars the cheapest.

    Of equally cheap ones it is the one that agrees more with people, and then the first. If the
    costs of those that passed are not all known, `is_cost_known` is False, and it is the one that
    agrees most. None is chosen if none passed. `best` is the judge that agrees most of all that
    gave answers, passed or not; None if none did. Of equal ones it is the chosen one, else the
    first. The difference says by how much more often that one is right on the questions that both
    answered, which may be below 0. It is None if both are one, if either is None, and if too few
    questions are answered by both.
    """
    answered = [judge for judge in judges if judge.agreement.n]
    passed = [judge for judge in judges if judge.verdict == "passed"]
    best = max(answered, key=_agreement, default=None)
    chosen = max(passed, key=_agreement, default=None)
    is_cost_known = all(judge.cost is not None for judge in passed)
    if passed and is_cost_known:
        chosen = min(passed, key=_cost_then_agreement)
    if (
        chosen is not None
        and best is not None
        and _agreement(chosen) == _agreement(best)
    ):
        best = chosen
    difference = None
    if chosen is not None and best is not None and best is not chosen:
        difference = difference_to(best, chosen)
    return Choice(chosen, best, difference, is_cost_known)


def _agreement(judge: Candidate) -> float:
    """Return the share of a judge's answers that people gave, too; 0 without answers."""
    return judge.agreement.agreed / max(judge.agreement.n, 1)


def _cost_then_agreement(judge: Candidate) -> tuple[float, float]:
    """Return the key to sort judges by: the cheaper first, of equal ones the one that agrees more.

    A cost that is not known counts as 0.
    """
    return judge.cost or 0.0, -_agreement(judge)


def difference_to(best: Candidate, chosen: Candidate) -> Interval | None:
    """Return by how much more often `best` is right than `chosen`, with the paired .95 interval.

    It is a difference of shares of answers, below 0 if `chosen` is right more often. Only answers
    that both gave are compared. None if they are too few for an interval.
    """
    return paired_difference(patterns_of_two(chosen.clusters, best.clusters))


def patterns_of_two(first: AnswersByCluster, second: AnswersByCluster) -> Clusters:
    """Return the answers of people and of two judges, by cluster, for `paired_difference`.

    Each pattern has the person's answer, then the first judge's and the second's. Only questions
    that both judges answered are in it. Clusters without one are left out.
    """
    tables: list[dict[Pattern, int]] = []
    for cluster, answers in first.items():
        second_answers = second.get(cluster, {})
        table = Counter[Pattern]()
        for question, (first_judge, person) in answers.items():
            if question not in second_answers:
                continue
            second_judge, _ = second_answers[question]
            table[person, first_judge, second_judge] += 1
        if table:
            tables.append(table)
    return clustered(tables)


def choice_text(choice: Choice[Any]) -> str:
    """Return which judge to use and why, in a sentence or two.

    If the costs are not all known, it says that it is the one that agrees most of those that pass.
    If another agrees more, it says by how much, with the interval, and whether chance can do that,
    or that it cannot be told. It says so, too, if that one is not right more often on the answers
    that both gave. If none passes, the text is only that.
    """
    if choice.judge is None:
        return "None of them passes."
    name = cut(choice.judge.name)
    text = f"Use {name}: it is the cheapest that passes"
    if not choice.is_cost_known:
        text = f"Use {name}: of those that pass it agrees most (the costs are not all known)"
    if choice.best is choice.judge or choice.best is None:
        return f"{text}, and none agrees more with people."
    best = cut(choice.best.name)
    difference = choice.difference
    if difference is None:
        return f"{text}. {best} agrees more; how sure that is cannot be told."
    value = change(difference.value)
    bounds = between(difference.low, difference.high)
    if round(difference.value, 3) <= 0:
        return (
            f"{text}. {best} agrees more, but is not right more often on the answers that both"
            f" gave: {value} ({bounds})."
        )
    text = f"{text}. {best} is right more often by {value} ({bounds})"
    if difference.low <= 0 <= difference.high:
        return f"{text}, which chance alone can do."
    return f"{text}, which is more than chance."
