"""A bar that a number is held against, and decisions at looks that were planned beforehand.

Whoever looks at an interval after every audit and stops once it clears a bar is wrong in 23 to 29
of 100 audits where 5 were meant (simulated). So a decision is made at planned looks only, and the
level is divided among them (Bonferroni): each of K looks has the interval of level/K, so that the
chance that any of the K leaves out the true value is at most the level. One interval may be held
against any number of bars: as long as it holds the true value, no answer is wrong.
"""

import itertools
import re
from math import isfinite
from typing import Literal

from msgspec import Struct

Decision = Literal["reached", "not reached", "undecided"]
_DECISIONS: dict[str, Decision] = {
    "reached": "reached",
    "not reached": "not reached",
    "undecided": "undecided",
    "trusted": "reached",  # in audits of before
    "not trusted": "not reached",
}
JUDGE = "judge."
"""What the names of numbers begin with that are of the judge and not of the responses."""
LEVEL = 0.05
FEWEST = 20
"""Audited units from which a number is given at all."""
BY_WIDTH = 40
"""Audited units from which one may stop because an interval is narrow enough."""
MOST_LOOKS = 10

_BAR = re.compile(
    r"(?:(?P<trait>.*):)?(?P<measure>[^:<>=]*[^:<>=\s])\s*(?P<sign>[<>=]+)(?P<value>.*)", re.DOTALL
)


class TrustBar(Struct, frozen=True):
    """What a number has to reach, or must not pass; `trait` is "" for all traits together."""

    measure: str
    value: float
    at_least: bool = True
    trait: str = ""

    def __str__(self) -> str:
        return f"{self.trait}:{self.condition}".removeprefix(":")

    @property
    def condition(self) -> str:
        """The bar without the trait: f1>=0.8."""
        sign = ">=" if self.at_least else "<="
        return f"{self.measure}{sign}{self.value:.12g}"

    def decide(self, low: float, high: float) -> Decision:
        """What an interval says of the bar: undecided where the bar is in it."""
        wanted = self.value
        if not self.at_least:
            low, high, wanted = -high, -low, -wanted
        if low >= wanted:
            return "reached"
        if high < wanted:
            return "not reached"
        return "undecided"

    @property
    def is_on_judge(self) -> bool:
        """Whether it is on how the judge does, not on what people say of the responses."""
        return self.measure.startswith(JUDGE)


def read_decision(text: str) -> Decision | None:
    """A decision as a file has it; None for anything else."""
    return _DECISIONS.get(text)


def read_bar(text: str) -> TrustBar:
    """A bar as people write it, `TRAIT:f1>=.8` or `score<=2`; raises ValueError with a way out."""
    found = _BAR.fullmatch(text.strip().replace("≥", ">=").replace("≤", "<="))
    if found is None:
        raise ValueError("is no bar; write f1>=.8, or TRAIT:f1>=.8 for one trait")
    sign = found["sign"]
    wording = found["value"].strip()
    if sign not in (">=", "<="):
        right = ">= for at least, <= for at most"
        raise ValueError(f"compares by {sign}; a bar has {right}")
    try:
        value = float(wording)
    except ValueError:
        raise ValueError(f"has no number behind {sign}; write it as in f1>=.8") from None
    if not isfinite(value):
        raise ValueError(f"has no finite number behind {sign}; write it as in f1>=.8")
    return TrustBar(found["measure"].strip(), value, sign == ">=", (found["trait"] or "").strip())


def read_looks(text: str) -> tuple[int, ...]:
    """Looks as people write them, `40,60,80`; raises ValueError with what would be right."""
    texts = text.replace(" ", "").split(",")
    if not all(number.isdecimal() and number.isascii() for number in texts):
        raise ValueError("is no list of looks; write after how many audits: 40,60,80")
    looks = tuple(map(int, texts))
    first = min(looks)
    if first < FEWEST:
        raise ValueError(f"has a look at {first}; no number is shown before {FEWEST} audits")
    for earlier, later in itertools.pairwise(looks):
        if later <= earlier:
            right = "each look comes after more audits than the one before"
            raise ValueError(f"has {later} after {earlier}; {right}")
    if len(looks) > MOST_LOOKS:
        right = f"each takes its part of the level, plan {MOST_LOOKS} at the most"
        raise ValueError(f"has {len(looks)} looks; {right}")
    return looks
