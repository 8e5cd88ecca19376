"""The verdict of several judges together."""

from collections.abc import Sequence

from appellate.gold.checking import JudgeCheck
from appellate.numbers.which_judge import Verdict


def together(checks: Sequence[JudgeCheck], *, is_any: bool) -> Verdict:
    """Return the verdict of several judges: the worst, or with `is_any` the best.

    "not passed" is worse than "undecided", and that is worse than "passed". Raises StopIteration
    without judges.
    """
    verdicts = [check.verdict for check in checks]
    worst_first: list[Verdict] = ["not passed", "undecided", "passed"]
    if is_any:
        worst_first.reverse()
    return next(verdict for verdict in worst_first if verdict in verdicts)
