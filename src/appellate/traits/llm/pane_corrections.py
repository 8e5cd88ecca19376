"""Corrections of an LLM cell: a coroutine each, which asks what it lacks and makes one request."""

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec.structs import replace

from appellate.traits.llm.edits import Action, Edit
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.scale import Value, has_digits, key_of, meaning_of
from appellate.ui.contract import READS_ONLY, YES_NO, Choice, Place, Review
from appellate.ui.conversation import Conversation

TAKES = "A digit gives the verdict on these words, + takes them as evidence; Esc leaves."


class VerdictInSight(Protocol):
    """What corrections need to know of the verdict in sight, and of where the cursor is."""

    @property
    def trait(self) -> LLMRubricTrait: ...

    @property
    def labels(self) -> Labels: ...

    @property
    def judged(self) -> Value | None: ...

    @property
    def excerpt(self) -> Excerpt | None: ...

    @property
    def place(self) -> Place: ...


class VerdictCorrections:
    """What keys do to the verdict, and to the excerpt under the cursor."""

    def __init__(self, review: Review, rows: VerdictInSight) -> None:
        self._review = review
        self._rows = rows
        self.by_name: Mapping[str, Callable[[], Conversation]] = {
            "pick": self.pick,
            "add": self.add,
            "replace": self.other_words,
            "reword": self.reword,
            "drop": self.drop,
        }

    # -- the verdict -------------------------------------------------------------------------------

    async def digit(self, number: int) -> None:
        """Yes or no, the score of a digit, or the class of that number, from one; a long list opens
        on what is typed.
        """
        trait = self._rows.trait
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

    async def give(self, value: Value) -> None:
        """The verdict, on the words that are being selected where any are."""
        if self._may_correct():
            edit = self._on_selected(Edit("set", value=value))
            if edit:
                self._review.correct([(edit,)])

    async def turn(self) -> None:
        """The other verdict of yes and no."""
        value = self._rows.labels.value
        if isinstance(value, bool):
            await self.give(not value)
        elif self._rows.trait.kind == "boolean":
            self._review.say("There is no verdict yet to turn: 1 is yes, 2 is no.")
        else:
            self._review.say("This verdict has no contrary: a digit, or i, gives another.")

    async def pick(self, typed: str = "") -> None:
        """Offers everything that may be said; words narrow it, beginning with what is typed."""
        if not self._may_correct():
            return
        edit = self._on_selected(Edit("set"))
        if edit is None:
            return
        trait = self._rows.trait
        values: list[Value] = list(trait.values)
        if trait.kind == "boolean":
            values = [True, False]
        choices = []
        for place, value in enumerate(values):
            number, meaning = key_of(trait, value), meaning_of(trait, value)
            choices.append(Choice(str(place), number, meaning, self._who_says(value)))
        picked = await self._review.pick(f"Verdict: {trait.name}", choices, typed=typed)
        self._review.correct([(replace(edit, value=values[int(picked)]),)])

    def _who_says(self, value: Value) -> str:
        texts = []
        if value == self._rows.labels.value:
            texts.append("verdict")
        if value == self._rows.judged:
            texts.append("judge")
        return ", ".join(texts)

    # -- the evidence ------------------------------------------------------------------------------

    async def add(self) -> None:
        if self._may_correct():
            await self._with_words(Edit("add"))

    async def other_words(self) -> None:
        edit = self._of_excerpt("replace")
        if edit:
            await self._with_words(edit)

    async def enter_words(self) -> None:
        """The words being selected in the place of the excerpt under the cursor."""
        if self._rows.excerpt is None:
            self._review.say(TAKES)
        else:
            await self.other_words()

    async def _with_words(self, edit: Edit) -> None:
        """Makes an edit with the words that are selected, or that a person is asked to select."""
        if self._review.selecting:
            words = self._review.take_words()
        else:
            words = await self._review.select_words()
        if words:
            self._review.correct([(_on(edit, words),)])

    async def reword(self) -> None:
        edit = self._of_excerpt("reword")
        if edit is None:
            return
        about = "Reword", edit.seen
        text = await self._review.line("Reword", edit.seen or "", about=about)
        if self._review.correct([(replace(edit, text=text),)]):
            self._review.done_with(about)

    async def drop(self) -> None:
        edit = self._of_excerpt("drop")
        if edit:
            self._review.correct([(edit,)], "dropped")

    # -- what they are about -----------------------------------------------------------------------

    def _may_correct(self) -> bool:
        """Whether something can be corrected now; says why not."""
        if not self._review.sees_item():
            return False
        if self._review.readonly:
            self._review.say(READS_ONLY)
        return not self._review.readonly

    def _of_excerpt(self, action: Action) -> Edit | None:
        """An edit of the excerpt under the cursor; says why there is none."""
        if not self._may_correct():
            return None
        excerpt = self._rows.excerpt
        if excerpt is None:
            self._review.say("There is no excerpt under the cursor: l goes to the evidence.")
            return None
        return Edit(action, index=self._rows.place[1], seen=excerpt.text)

    def _on_selected(self, edit: Edit) -> Edit | None:
        """The edit on the words that are being selected, if any are; None where none are yet."""
        if not self._review.selecting:
            return edit
        words = self._review.take_words()
        if words is None:
            return None
        return _on(edit, words)


def _on(edit: Edit, words: tuple[int, int]) -> Edit:
    return replace(edit, start=words[0], end=words[1])
