"""What a person can say of a draw, line by line, and what each line means."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from appellate.core.design_facts import Sample
from appellate.store.samples.sample_frame import DISAGREEMENT
from appellate.store.samples.sample_plans import SampleWish, usual_size

MORE, STEP = 40, 10
MOST_DIGITS = 9
NONE, ACTIVE = "nothing", "active"


class FormLine(NamedTuple):
    """One line: what it is about, what is there now, that in a few words, and in sentences for
    who chooses.
    """

    name: str
    value: str
    means: str
    why: str


_SIZE = (
    "How many traces you will check: more make the result surer (below). What else you open is"
    " reviewed as ever, and never counts."
)
_SEED = (
    "The throw of the dice, as a number. The same number draws the same traces again, so that"
    " anybody can check the draw."
)
_BLIND = (
    "You rule first and see the judge's labels after, so that they cannot sway you. Labels signed"
    " off here before are hidden, too."
)
_SIGHTED = (
    "You see the judge's labels while you rule. That is quicker, but they sway you: the judge will"
    " look better than it is."
)
_EVENLY = "Every trace has the same chance. Right, unless you have a reason for something else."
_BY_SHARE = (
    "Of each group its share, so that chance leaves none out. Right where groups differ much, or"
    " are to be compared."
)
_BY_DISAGREEMENT = (
    "More where the panel's judges differ most, in three groups. You meet more of their errors; of"
    " 60 the result is less sure."
)
_BY_CHANCE = (
    "The more the panel's judges differ on a trace, the likelier it is drawn. You meet more of"
    " their errors; of 60 the result is less sure."
)


class SampleForm:
    """A wish as it is being made; `groupings` are what strata may go by, of so many units.

    Where there is a sample, only how many are added is to be said.
    """

    def __init__(self, groupings: Sequence[str], units: int, sample: Sample | None) -> None:
        self._ways = [NONE, *groupings]
        if DISAGREEMENT in groupings:
            self._ways.append(ACTIVE)
        self._units, self._sample = units, sample
        self._way = 0
        self._fresh = ""  # the field that was just typed into
        left = units
        if sample is not None:
            left -= len(sample)
        usual = MORE
        if sample is None:
            usual = usual_size(units)
        self.wish = SampleWish(max(1, min(usual, left)))

    @property
    def lines(self) -> list[FormLine]:
        wish, sample = self.wish, self._sample
        if sample is not None:
            left = sample.last.frame - len(sample)
            text = f"to the {len(sample):,} drawn; {left:,} are left"
            return [FormLine("Add", f"{wish.n:,}", text, "")]
        sight = FormLine("Judge", "in sight", "sighted: as in any review", _SIGHTED)
        if wish.blind:
            sight = FormLine("Judge", "hidden", "blind: until you have ruled", _BLIND)
        return [
            FormLine("Draw", f"{wish.n:,}", f"of {self._units:,} that could be drawn", _SIZE),
            FormLine("Group by", self._ways[self._way], *self._meaning),
            sight,
            FormLine("Seed", str(wish.seed), "any number will do", _SEED),
        ]

    @property
    def _meaning(self) -> tuple[str, str]:
        match self._ways[self._way]:
            case "nothing":
                return "simple: every trace alike", _EVENLY
            case "disagreement":
                return "most where judges differ", _BY_DISAGREEMENT
            case "active":
                return "likelier where judges differ", _BY_CHANCE
            case _:
                return "of each group its share", _BY_SHARE

    def turn(self, line: int, by: int) -> None:
        """One step on or back in what a line says."""
        self._fresh = ""
        match self.lines[line].name:
            case "Draw" | "Add":
                step = STEP * by
                self._set(n=max(1, min(self.wish.n + step, self._most)))
            case "Group by":
                self._way = (self._way + by) % len(self._ways)
                way = self._ways[self._way]
                strata = () if way in (NONE, ACTIVE) else (way,)
                self._set(by=strata, active=way == ACTIVE)
            case "Judge":
                self._set(blind=not self.wish.blind)
            case _:
                self._set(seed=max(0, self.wish.seed + by))

    def type(self, line: int, digit: str) -> bool:
        """A digit goes behind those typed before, or in the place of what was there; "" takes one
        away. Whether the line is a number at all.
        """
        field = {"Draw": "n", "Add": "n", "Seed": "seed"}.get(self.lines[line].name)
        if field is None:
            return False
        before = str(getattr(self.wish, field))
        if digit and self._fresh != field:
            before = ""
        self._fresh = field
        text = (before + digit) if digit else before[:-1]
        number = int(text[:MOST_DIGITS] or 0)
        if field == "n":
            number = max(1, min(number, self._most))
        self._set(**{field: number})
        return True

    @property
    def _most(self) -> int:
        if self._sample is None:
            return max(1, self._units)
        return max(1, self._sample.last.frame - len(self._sample))

    def _set(self, **changed: object) -> None:
        self.wish = replace(self.wish, **changed)
