"""Corrections of a verdict: a coroutine each, which asks what it lacks and makes one request."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from appellate.core.cell import Cell, reason_for
from appellate.core.kind import Subject
from appellate.traits.verdict.edits import Edit
from appellate.ui.contract import Choice, Place, Review, may_correct
from appellate.ui.conversation import Conversation

Stretches = Sequence[tuple[int, int] | None]


class VerdictInSight:
    """The verdict that is shown, on the screen or line by line: whose it is, its scale, and where
    the cursor is.
    """

    GROUPS: ClassVar[tuple[str, str]] = ("verdict", "evidence")
    """What places call the verdicts, and what they rest on."""
    cell: Cell | None = None

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    @property
    def kind(self) -> Any:
        """The kind of the cell in sight; raises LookupError before there is one."""
        return self.subject.kind

    @property
    def subject(self) -> Subject:
        """What the cell in sight is about; raises LookupError before there is one."""
        if self.cell is None:
            raise LookupError("no cell is shown yet")
        return self.cell.subject

    @property
    def trait(self) -> Any:
        return self.subject.trait

    @property
    def labels(self) -> Any:
        labels = self.cell.labels if self.cell else None
        return self.kind.blank if labels is None else labels

    @property
    def scale(self) -> Any:
        """The `Scale` of the verdict."""
        return self.trait

    @property
    def has_yes_or_no(self) -> bool:
        """Whether yes or no is asked somewhere in the cell, so that y gives it."""
        return bool(self.scale.kind == "boolean")

    @property
    def title(self) -> str:
        return str(self.trait.name)

    @property
    def source(self) -> str:
        """Who gives the verdict where no person does."""
        return str(self.kind.by)

    @property
    def value(self) -> Any:
        return self.labels.value

    @property
    def found(self) -> Any:
        """The verdict of the source."""
        return self.labels.found

    @property
    def is_overruled(self) -> bool:
        """Whether a person says otherwise than the source."""
        return self.found not in (None, self.value)

    @property
    def whose(self) -> str:
        """Whose word the verdict is."""
        if self.cell and self.cell.hidden:
            return "not locked yet"
        if self.found is None:
            return "by hand"
        if not self.is_overruled:
            return f"as the {self.source} says"
        return f"the {self.source} says {self.scale.describe(self.found)}"

    @property
    def reason(self) -> str:
        """The reason that a person gave last for a correction in force."""
        cell = self.cell
        given = [step.n for step in cell.steps if step.n in cell.edits] if cell else []
        return reason_for(cell, given[-1]) if cell and given else ""

    @property
    def stretches(self) -> Stretches:
        """Where in the response what the verdicts rest on is; None for what is not in it."""
        return ()

    @property
    def place(self) -> Place:
        place: Place = self._cursor.place
        return place

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on a verdict, or on what it rests on."""
        self._cursor.go(group, number)

    def follow_edit(self, edit: Any) -> None:
        """Puts the cursor on what a correction was about."""
        self._cursor.to_verdict()


class VerdictCorrections:
    """What keys do to the verdict in sight."""

    enter_words: Callable[[], Conversation] | None = None
    """What Enter does while words are being selected."""

    def __init__(self, review: Review, sight: Any) -> None:
        self._review = review
        self._sight = sight

    def correct(self, name: str) -> Conversation:
        correction: Conversation = getattr(self, name)()
        return correction

    def begun(self) -> Any:
        """The edit that a verdict is put into; None where it lacks something, which was said."""
        return Edit("overrule")

    async def give(self, value: Any) -> None:
        """The verdict by hand; the source's own takes an overruling back."""
        if self.may_correct():
            self._put(self.begun(), value)

    def _put(self, edit: Any, value: Any) -> None:
        if edit is not None:
            self._review.correct([(replace(edit, value=value),)], "changed")

    async def take(self, option: Any) -> None:
        """The verdict under the cursor; where that is given already and has one, its contrary."""
        if option is None:
            await self.pick()
        elif option == self._sight.value and self._sight.scale.has_contrary(option):
            await self.turn()
        else:
            await self.give(option)

    async def yes(self) -> None:
        """Yes, where that is asked."""
        if self._sight.scale.kind == "boolean":
            await self.give(True)
        else:
            word, title = self._sight.scale.word, self._sight.title
            self._review.say(
                f"The {word} of {title} is not yes or no: {{verdict.pick:i}} takes it."
            )

    async def turn(self) -> None:
        await self.give(self._sight.scale.contrary(self._sight.value))

    async def value(self, number: int) -> None:
        """What a digit gives; what has no digit is asked for, beginning with this one."""
        value = self._sight.scale.of_digit(number)
        if value is None:
            await self.pick(str(number))
        else:
            await self.give(value)

    async def pick(self, typed: str = "") -> None:
        """Offers everything that may be said, which words narrow; a score without end is typed.
        Both begin with what is `typed`.
        """
        if not self.may_correct():
            return
        edit, scale = self.begun(), self._sight.scale
        if edit is None:
            return
        values = scale.choices
        if not values:
            await self._type(edit, typed)
            return
        choices = []
        for place, value in enumerate(values):
            number = scale.key_of(value) or str(place + 1)
            meaning = scale.meaning_of(value)
            choices.append(Choice(str(place), number, meaning, self._who_says(value)))
        title = f"{scale.word.capitalize()}: {self._sight.title}"
        picked = await self._review.pick(title, choices, typed=typed)
        self._put(edit, values[int(picked)])

    def _who_says(self, value: Any) -> str:
        texts = []
        if value == self._sight.value:
            texts.append(self._sight.scale.word)
        if value == self._sight.found:
            texts.append(self._sight.source)
        return ", ".join(texts)

    async def _type(self, edit: Any, typed: str) -> None:
        """A score that has no digit."""
        scale = self._sight.scale
        about = "Score", self._sight.title, scale.describe(self._sight.value)
        label = f"Score {scale.span()}".strip()
        text = await self._review.line(label, about[-1], about=about, typed=typed)
        value = scale.read(text)
        self._review.done_with(about)
        self._put(edit, value)

    async def _words(self, which: str = "") -> tuple[int, int] | None:
        """The words of the response that are selected, or that a person is asked to select."""
        if self._review.selecting:
            return self._review.take_words()
        return await self._review.select_words(which=which)

    def may_correct(self) -> bool:
        """Whether something can be corrected now: what is out of sight is not; says why not."""
        return may_correct(self._review)
