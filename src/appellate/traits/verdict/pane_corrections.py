"""Corrections of a verdict: a coroutine each, which asks what it lacks and makes one request."""

from typing import Any, Protocol

from msgspec.structs import replace

from appellate.core.cell import Cell, reason_for
from appellate.traits.verdict.edits import Edit
from appellate.traits.verdict.scale import Scale, Value, has_digits, key_of, keys_text, meaning_of
from appellate.ui.contract import READS_ONLY, YES_NO, Choice, Review


class InSight(Protocol):
    """What corrections need to know of the verdict in sight: also what its source says, `found`."""

    @property
    def trait(self) -> Scale: ...

    @property
    def value(self) -> Value | None: ...

    @property
    def found(self) -> Value | None: ...


class VerdictCorrections:
    """What keys do to the verdict; `source` is who gives it where no person does."""

    def __init__(self, review: Review, sight: InSight, source: str) -> None:
        self._review = review
        self._sight = sight
        self._source = source

    def begun(self) -> Any:
        """The edit that a verdict is put into; None where it lacks something, which was said."""
        return Edit("overrule")

    async def give(self, value: Value) -> None:
        """The verdict by hand; the source's own takes an overruling back."""
        if self.may_correct():
            self._put(self.begun(), value)

    def _put(self, edit: Any, value: Value) -> None:
        if edit is not None:
            self._review.correct([(replace(edit, value=value),)], "changed")

    async def take(self, option: Value | None) -> None:
        """The verdict under the cursor; where that stands and is yes or no, the other."""
        if option is None:
            await self.pick()
        elif option == self._sight.value and isinstance(option, bool):
            await self.turn()
        else:
            await self.give(option)

    async def turn(self) -> None:
        """The other verdict of yes and no."""
        trait, value = self._sight.trait, self._sight.value
        if isinstance(value, bool):
            await self.give(not value)
        elif trait.kind == "boolean":
            self._review.say("There is no verdict yet to turn: 1 is yes, 2 is no.")
        else:
            keys = keys_text(trait)
            self._review.say(f"This verdict has no contrary: {keys} gives another.")

    async def digit(self, number: int) -> None:
        """Yes or no, the score of a digit, or the class of that number, from one; what has no digit
        is asked for, beginning with this one.
        """
        trait = self._sight.trait
        if trait.kind == "literal" and not number:
            self._review.say("Classes are counted from 1 here.")
        elif trait.kind == "boolean" and number in YES_NO:
            await self.give(YES_NO[number])
        elif trait.kind == "boolean":
            self._review.say("The verdict here is yes (1 or y) or no (2).")
        elif not has_digits(trait):
            await self.pick(str(number))
        elif trait.kind == "literal":
            await self.give(number - 1)
        else:
            await self.give(number)

    async def pick(self, typed: str = "") -> None:
        """Offers everything that may be said, which words narrow; a score without end is typed.
        Both begin with what is `typed`.
        """
        if not self.may_correct():
            return
        edit, trait = self.begun(), self._sight.trait
        if edit is None:
            return
        values: list[Value] = list(trait.values or trait.counted)
        if trait.kind == "boolean":
            values = [True, False]
        if not values:
            await self._type(edit, typed)
            return
        choices = []
        for place, value in enumerate(values):
            number, meaning = key_of(trait, value), meaning_of(trait, value)
            choices.append(Choice(str(place), number, meaning, self._who_says(value)))
        picked = await self._review.pick(f"Verdict: {trait.name}", choices, typed=typed)
        self._put(edit, values[int(picked)])

    def _who_says(self, value: Value) -> str:
        texts = []
        if value == self._sight.value:
            texts.append("verdict")
        if value == self._sight.found:
            texts.append(self._source)
        return ", ".join(texts)

    async def _type(self, edit: Any, typed: str) -> None:
        """A score that has no digit."""
        trait = self._sight.trait
        about = "Score", trait.name, trait.describe(self._sight.value)
        label = f"Score {trait.span()}".strip()
        text = await self._review.line(label, about[-1], about=about, typed=typed)
        try:
            value = float(text.strip().replace(",", "."))
        except ValueError:
            self._review.say(f"A score is {trait.wanted()}.")
            return
        self._review.done_with(about)
        if value.is_integer():
            value = int(value)
        self._put(edit, value)

    def may_correct(self) -> bool:
        """Whether something can be corrected now; says why not."""
        return may_correct(self._review)


def may_correct(review: Review) -> bool:
    """Whether something can be corrected now: what is out of sight is not; says why not."""
    if not review.sees_item():
        return False
    if review.readonly:
        review.say(READS_ONLY)
    return not review.readonly


def whose(trait: Scale, value: Value | None, found: Value | None, source: str) -> str:
    """Whose word the verdict is."""
    if found is None:
        return "by hand"
    if found == value:
        return f"as the {source} says"
    return f"the {source} says {trait.describe(found)}"


def reason_given(cell: Cell) -> str:
    """The reason that a person gave last for a correction that stands."""
    given = [step.n for step in cell.steps if step.n in cell.edits]
    return reason_for(cell, given[-1]) if given else ""
