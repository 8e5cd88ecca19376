"""Read when a bar is to be decided: at planned looks, or at any look.

A decision at any look takes intervals by betting (`betting.py`), which hold at all looks together.
Then nothing need be planned but for how many audits the bets are meant.
"""

from itertools import pairwise
from typing import NamedTuple

from appellate.stats.looks import FEWEST, MOST_LOOKS
from appellate.stats.whole_number import whole_number


class LookPlan(NamedTuple):
    """When a bar is to be decided."""

    looks: tuple[int, ...] = ()
    """The numbers of audits; none for any number of them."""
    horizon: int | None = None
    """For how many audits bets are planned at any look; None for as many as are drawn."""

    @property
    def is_any(self) -> bool:
        """Whether the bar may be decided at any look."""
        return not self.looks


ANY = "any"
"""What people write for a decision at any look."""


def read_look_plan(text: str) -> LookPlan:
    """Return the plan that a person wrote: `40,60,80`, `any`, or `any:60`.

    `any` gives a plan without looks, whose horizon is the number after the colon, from 1, or None
    without a colon. It is read in upper and lower case, and spaces do not count. Looks must be
    whole numbers that rise, from `FEWEST` on, and at most `MOST_LOOKS`. Raises ValueError for any
    other text. Its message goes on after the text that was read, as in "has 40 after 60; …".
    """
    without_spaces = text.replace(" ", "")
    word, colon, count = without_spaces.partition(":")
    if word.lower() != ANY:
        return LookPlan(read_looks(text))
    if not colon:
        return LookPlan()
    horizon = whole_number(count) if count.isascii() else None
    if not horizon:
        raise ValueError("has no number of audits after any; write it as in any:60")
    return LookPlan(horizon=horizon)


def read_looks(text: str) -> tuple[int, ...]:
    """Return the looks that a person wrote, as in `40,60,80`, in the order written.

    A look is a number of audits. Spaces do not count, and digits are 0 to 9. Raises ValueError if
    the text is no list of whole numbers, as "" is none. So it does for a look before `FEWEST`
    audits, one that does not come after the one before, and for more than `MOST_LOOKS`. Its message
    goes on after the text that was read, as in "has 40 after 60; …".
    """
    looks: list[int] = []
    for number in text.replace(" ", "").split(","):
        look = whole_number(number) if number.isascii() else None
        if look is None:
            raise ValueError(
                "is not a list of looks; write after how many audits to look, as in 40,60,80,"
                " or any",
            )
        looks.append(look)

    first = min(looks)
    if first < FEWEST:
        right = f"look from {FEWEST} audits on, or write any, which decides at every number of them"
        raise ValueError(f"has a look at {first}; {right}")
    for earlier, later in pairwise(looks):
        if later <= earlier:
            right = "each look comes after more audits than the one before"
            raise ValueError(f"has {later} after {earlier}; {right}")
    if len(looks) > MOST_LOOKS:
        right = f"plan at most {MOST_LOOKS}, since each takes its part of the level"
        raise ValueError(f"has {len(looks)} looks; {right}")
    return tuple(looks)
