"""The verdict of several judges together."""

from collections.abc import Sequence

from appellate.gold.checking import JudgeCheck
from appellate.numbers.which_judge import Verdict


def together(checks: Sequence[JudgeCheck], *, is_any: bool) -> Verdict:
    """Return the verdict of several judges: the worst, or with `is_any` the best.

    "not passed" is worse than "undecided", and that is worse than "passed". There must be a judge:
    raises StopIteration for none.
    """
    verdicts = [check.verdict for check in checks]
    deciding_order: list[Verdict] = ["not passed", "undecided", "passed"]
    if is_any:
        deciding_order.reverse()
    return next(verdict for verdict in deciding_order if verdict in verdicts)
