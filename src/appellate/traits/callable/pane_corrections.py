"""Corrections of a callable cell: a coroutine each, which asks what it lacks and makes one
request.
"""

from typing import Protocol

from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.callable.view import keys_text
from appellate.traits.verdict.edits import Edit
from appellate.traits.verdict.labels import Verdict
from appellate.traits.verdict.scale import Value, has_digits, key_of, meaning_of, offered
from appellate.ui.contract import READS_ONLY, YES_NO, Choice, Review


class FunctionVerdict(Protocol):
    """What corrections need to know of the cell in sight."""

    @property
    def trait(self) -> CallableRubricTrait: ...

    @property
    def labels(self) -> Verdict: ...


class FunctionCorrections:
    """What keys do to the verdict."""

    def __init__(self, review: Review, verdict: FunctionVerdict) -> None:
        self._review = review
        self._verdict = verdict

    async def give(self, value: Value) -> None:
        """The verdict by hand; the function's own takes an overruling back."""
        if self._review.readonly:
            self._review.say(READS_ONLY)
            return
        self._review.correct([(Edit("overrule", value),)], "changed")

    async def turn(self) -> None:
        """The other verdict of yes and no."""
        value = self._verdict.labels.value
        if isinstance(value, bool):
            await self.give(not value)
        else:
            keys = keys_text(self._verdict.trait)
            self._review.say(f"There is nothing to turn here: {keys} gives the verdict.")

    async def digit(self, number: int) -> None:
        """Yes or no, the score of a digit, or the class of that number, from one; what has no digit
        is asked for, beginning with this one.
        """
        trait = self._verdict.trait
        if trait.kind == "boolean" and number in YES_NO:
            await self.give(YES_NO[number])
        elif trait.kind == "boolean":
            self._review.say("The verdict here is yes (1 or y) or no (2).")
        elif not has_digits(trait):
            await self.ask(str(number))
        elif trait.kind == "score":
            await self.give(number)
        elif number:
            await self.give(number - 1)
        else:
            self._review.say("Classes are counted from 1 here.")

    async def ask(self, typed: str = "") -> None:
        """Lets a verdict be picked, or a score be typed, beginning with what is typed."""
        trait, labels = self._verdict.trait, self._verdict.labels
        if self._review.readonly:
            self._review.say(READS_ONLY)
            return
        values = offered(trait)
        if not values:
            await self._typed(typed)
            return
        choices = []
        for place, value in enumerate(values):
            texts = []
            if value == labels.value:
                texts.append("verdict")
            if value == labels.found:
                texts.append("function")
            number = key_of(trait, value)
            choices.append(Choice(str(place), number, meaning_of(trait, value), ", ".join(texts)))
        picked = await self._review.pick(f"Verdict: {trait.name}", choices, typed=typed)
        await self.give(values[int(picked)])

    async def _typed(self, typed: str) -> None:
        """A score that has no digit."""
        trait = self._verdict.trait
        about = "Score", trait.name, trait.describe(self._verdict.labels.value)
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
        await self.give(value)
