"""A verdict given by hand, on the screen and line by line."""

from appellate.traits.verdict.edits import Edit
from appellate.ui.contract import READS_ONLY, Review

BY_HAND = "1 (yes) and 2 (no) give the verdict by hand."
NO_VERDICT = "There is no verdict yet to turn: 1 is yes, 2 is no."


def rule(review: Review, value: bool) -> None:
    """Gives the verdict."""
    if review.readonly:
        review.say(READS_ONLY)
    else:
        review.correct([(Edit("overrule", value),)], "changed")
