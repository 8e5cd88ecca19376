"""Bars that a number must reach, and decisions at looks that were planned beforehand.

A *bar* is a measure and how good it must be, as in `f1>=.8`. A *look* is a number of audits after
which a decision is made. `read_bar()` and `look_plans.py` read what people write, on the command
line, in a file or on the screen. `numbers/bars.py` makes the decisions.

Somebody who looks at an interval after every audit, and stops once it clears a bar, is wrong in 23
to 29 of 100 audits where 5 were meant (simulated). So a decision is made at planned looks only, and
the level is divided among them (Bonferroni): each of K looks has the interval of level/K. Then the
chance that any of the K intervals leaves out the true value is at most the level. One interval may
be compared with any number of bars: as long as it contains the true value, no answer is wrong.

Intervals by betting (`betting.py`) hold at all looks together. `look_plans.py` reads which of the
two a person plans.
"""

import re
from math import isfinite
from typing import Literal

from msgspec import Struct

Decision = Literal["reached", "not reached", "undecided"]
"""What an interval says about a bar."""
_DECISIONS: dict[str, Decision] = {
    "reached": "reached",
    "not reached": "not reached",
    "undecided": "undecided",
    "trusted": "reached",  # in audits of earlier versions
    "not trusted": "not reached",
}
"""Decisions by the words that files have for them."""
JUDGE = "judge."
"""The names of numbers about the judge, not about the responses, begin with this."""
LEVEL = 0.05
"""The chance of a wrong decision, over all looks together."""
FEWEST = 20
"""Audited units from which the judge's help counts, and from which there are other intervals than
those by betting.
"""
BY_WIDTH = 40
"""Audited units from which a person may stop because an interval is narrow enough."""
MOST_LOOKS = 10
"""Looks in a plan: each takes its part of the level."""

_BAR = re.compile(
    r"(?:(?P<trait>.*):)?(?P<measure>[^:<>=]*[^:<>=\s])\s*(?P<sign>[<>=]+)(?P<value>.*)",
    re.DOTALL,
)


class TrustBar(Struct, frozen=True):
    """A value that a number must reach, or must not exceed."""

    measure: str
    value: float
    at_least: bool = True
    """Whether the number must be at least the value; else it must be at most the value."""
    trait: str = ""
    """The trait whose number it is; "" for all traits together."""

    def __str__(self) -> str:
        """Return the bar as people write it: TRAIT:f1>=0.8, or f1>=0.8 for all traits."""
        return f"{self.trait}:{self.condition}".removeprefix(":")

    @property
    def condition(self) -> str:
        """The bar without its trait, as in f1>=0.8: measure, >= or <=, and value, without blanks.

        The value has at most twelve digits.
        """
        sign = ">=" if self.at_least else "<="
        return f"{self.measure}{sign}{self.value:.12g}"

    def decide(self, low: float, high: float) -> Decision:
        """Return what an interval from `low` to `high` says about the bar.

        For a bar of at least a value it is reached if `low` is at the value or above, and not
        reached if `high` is below it. For a bar of at most a value it is reached if `high` is at
        the value or below, and not reached if `low` is above it. Otherwise it is undecided.
        """
        if self.at_least:
            if low >= self.value:
                return "reached"
            if high < self.value:
                return "not reached"
            return "undecided"

        if high <= self.value:
            return "reached"
        if low > self.value:
            return "not reached"
        return "undecided"

    @property
    def is_on_judge(self) -> bool:
        """Whether the bar is about the judge, not about the responses."""
        return self.measure.startswith(JUDGE)


def read_decision(text: str) -> Decision | None:
    """Return the decision that a word in a file means, or None for any other word."""
    return _DECISIONS.get(text)


def read_bar(text: str) -> TrustBar:
    """Return the bar that a person wrote, as in `TRAIT:f1>=.8` or `score<=2`; ≥ and ≤ will do.

    What is before the last colon is the trait, and "" without a colon. Blanks around the parts are
    dropped, and upper and lower case kept. Raises ValueError if the text is not a bar, compares by
    other than these signs, or has no finite number. Its message goes on after the text that was
    read, as in "is not a bar; write it as …". Whether there is such a measure or trait is not
    checked.
    """
    parts = _BAR.fullmatch(text.strip().replace("≥", ">=").replace("≤", "<="))
    if parts is None:
        raise ValueError(
            "is not a bar; write it as in f1>=.8, or TRAIT:f1>=.8 for one trait",
        )
    sign = parts["sign"]
    if sign not in (">=", "<="):
        right = ">= for at least, <= for at most"
        raise ValueError(f"compares by {sign}; a bar has {right}")
    try:
        value = float(parts["value"].strip())
    except ValueError:
        raise ValueError(f"has no number after {sign}; write it as in f1>=.8") from None
    if not isfinite(value):
        raise ValueError(f"has no finite number after {sign}; write it as in f1>=.8")
    return TrustBar(
        measure=parts["measure"].strip(),
        value=value,
        at_least=sign == ">=",
        trait=(parts["trait"] or "").strip(),
    )
