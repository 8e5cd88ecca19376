"""A verdict given by hand, on the screen and line by line."""

from collections.abc import Callable

from appellate.traits.regex.edits import Edit
from appellate.traits.regex.labels import Labels
from appellate.ui.contract import READS_ONLY, Review


def rule(review: Review, value: bool, labels: Callable[[], Labels]) -> None:
    """Gives the verdict, and asks why where that overrules the pattern; `labels` are those that
    stand then.
    """
    if review.readonly:
        review.say(READS_ONLY)
        return
    is_made = review.correct([(Edit("overrule", value),)], "changed")
    if is_made and labels().is_overruled:
        review.run("item.reason")
