"""Which of several judges to use: the cheapest that passes, and how sure that is."""

from collections.abc import Sequence

from msgspec import Struct

from appellate.gold.checking import JudgeCheck, Verdict, difference_to
from appellate.stats.estimates import Interval


class Choice(Struct, frozen=True):
    """The judge that is named, the one that agrees most, and the difference between the two."""

    judge: JudgeCheck | None
    """The cheapest that passes, as far as costs are known; None if none passes."""
    best: JudgeCheck | None
    """The one that agrees most with people; None if none answered."""
    difference: Interval | None
    """By how much more often `best` is right; None where both are one, or nothing can be told."""
    is_cost_known: bool
    """Whether the costs of all that pass are known; else the one that agrees most is named."""


def choose_judge(checks: Sequence[JudgeCheck]) -> Choice:
    """Return which of several judges to use: of those that passed their bars the cheapest.

    Of equally cheap ones it is the one that agrees more with people, and then the first. If the
    costs of those that passed are not all known, it is the one that agrees most. None is chosen if
    none passed. Beside it is the judge that agrees most of all that gave answers, passed or not.
    The difference says by how much that one is better; it is None if both are one.
    """
    answered = [check for check in checks if check.agreement.n]
    best = max(answered, key=_agreement, default=None)
    passed = [check for check in checks if check.verdict == "passed"]
    is_cost_known = all(check.cost is not None for check in passed)
    chosen = max(passed, key=_agreement, default=None)
    if passed and is_cost_known:
        chosen = min(passed, key=_cost_then_agreement)
    difference = None
    if chosen is not None and best is not None and best is not chosen:
        difference = difference_to(best, chosen)
    return Choice(chosen, best, difference, is_cost_known)


def _agreement(check: JudgeCheck) -> float:
    """Return the share of a judge's answers that people gave, too; 0 without answers."""
    return check.agreement.agreed / max(check.agreement.n, 1)


def _cost_then_agreement(check: JudgeCheck) -> tuple[float, float]:
    """Return the key to sort judges by: the cheaper first, of equal ones the one that agrees more.

    A cost that is not known counts as 0.
    """
    return check.cost or 0.0, -_agreement(check)


def together(checks: Sequence[JudgeCheck], *, is_any: bool) -> Verdict:
    """Return the verdict of several judges: the worst, or with `is_any` the best.

    Raises StopIteration without judges.
    """
    verdicts = [check.verdict for check in checks]
    order: tuple[Verdict, ...] = ("not passed", "undecided", "passed")
    if is_any:
        order = ("passed", "undecided", "not passed")
    return next(verdict for verdict in order if verdict in verdicts)
