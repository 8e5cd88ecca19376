"""Corrections of a scorer cell: coroutines that ask what they lack and then make one request."""

from collections.abc import Callable, Mapping
from typing import Protocol

from appellate.core.problem import Refused
from appellate.traits.scorer import view
from appellate.traits.scorer.edits import Edit
from appellate.traits.scorer.labels import LETTERS, UNSCORED, Labels, Scalar, spoken, value_text
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.traits.verdict.pane_corrections import may_correct
from appellate.ui.contract import YES_NO, Choice, Review
from appellate.ui.conversation import Conversation

TAKES = "= takes these words as the answer, which is scored again; Esc leaves."
_CONTRARY: Mapping[str, str] = {"C": "I", "I": "C", "N": "C", "P": "C"}


class ScoreInSight(Protocol):
    """What corrections need to know of the cell in sight, and of where the cursor is."""

    @property
    def trait(self) -> ScorerRubricTrait: ...

    @property
    def labels(self) -> Labels: ...

    @property
    def key(self) -> str: ...


class ScoreCorrections:
    """What keys do to the score under the cursor and to the answer it rests on."""

    def __init__(self, review: Review, rows: ScoreInSight) -> None:
        self._review = review
        self._rows = rows
        self.by_name: Mapping[str, Callable[[], Conversation]] = {
            "pick": self.pick,
            "answer": self.answer,
            "words": self.words,
            "back": self.back,
        }

    # -- the score --------------------------------------------------------------------------------

    async def give(self, value: Scalar) -> None:
        """The score by hand; what the scorer says takes that back."""
        if self._may_correct():
            self._review.correct([(Edit("overrule", value, self._rows.key),)], "changed")

    async def take(self, option: Scalar | None) -> None:
        """The score under the cursor; where that stands, or is one of many, its contrary."""
        if option is None or option == self._rows.labels.standing.value:
            await self.contrary()
        else:
            await self.give(option)

    async def contrary(self) -> None:
        """The contrary of what stands: incorrect of correct, no of yes."""
        value = self._rows.labels.standing.of(self._rows.key)
        if isinstance(value, bool):
            await self.give(not value)
        elif isinstance(value, str) and value in _CONTRARY:
            await self.give(_CONTRARY[value])
        else:
            self._review.say("There is nothing to turn here: a digit, or i, gives the score.")

    async def digit(self, number: int) -> None:
        """Yes or no, or the letter of a digit; a number begins with it."""
        sort = self._sort
        if sort == "number":
            if self._may_correct():
                await self._typed(str(number))
        elif sort == "boolean" and number in YES_NO:
            await self.give(YES_NO[number])
        elif sort == "boolean":
            self._review.say("The score here is yes (1 or y) or no (2).")
        elif 0 < number <= len(LETTERS):
            await self.give(list(LETTERS)[number - 1])
        else:
            letters = ", ".join(f"{digit} {letter}" for digit, letter in enumerate(LETTERS, 1))
            self._review.say(f"The scores here are {letters}.")

    async def yes(self) -> None:
        """Yes, where the score under the cursor is yes or no."""
        if self._sort == "boolean":
            await self.give(True)
        else:
            self._review.say(f"The score of {self._named()} is not yes or no: i takes it.")

    @property
    def _sort(self) -> view.Sort:
        return view.sort_of(self._rows.trait, self._rows.labels, self._rows.key)

    async def pick(self) -> None:
        """Offers what may be given; a number is typed."""
        if not self._may_correct():
            return
        rows = self._rows
        if not view.part_of(rows.trait, rows.key).is_letter:
            await self._typed("")
            return
        choices = []
        for number, value in enumerate([*LETTERS, UNSCORED], 1):
            texts = []
            if value == rows.labels.standing.of(rows.key):
                texts.append("score")
            if rows.labels.proposed and value == rows.labels.proposed.of(rows.key):
                texts.append("scorer")
            choices.append(Choice(value, str(number), spoken(value), ", ".join(texts)))
        await self.give(await self._review.pick(f"Score: {self._named()}", choices))

    async def _typed(self, typed: str) -> None:
        rows = self._rows
        standing = value_text(rows.labels.standing.of(rows.key))
        about = "Score", self._named(), standing
        label = f"Score: {self._named()}"
        text = await self._review.line(label, standing, about=about, typed=typed)
        value = view.read_value(rows.trait, rows.key, text)
        self._review.done_with(about)
        await self.give(value)

    def _named(self) -> str:
        return self._rows.key or self._rows.trait.name

    # -- the answer -------------------------------------------------------------------------------

    async def answer(self) -> None:
        """Asks for the answer in words, which is scored again."""
        if not self._may_answer():
            return
        standing = self._rows.labels.standing.answer
        about = "Answer", standing
        text = await self._review.line("Answer", standing, about=about)
        if self._review.correct([(Edit("answer", text=text),)], "changed"):
            self._review.done_with(about)

    async def words(self) -> None:
        """Takes words of the response for the answer."""
        if not self._may_answer():
            return
        if self._review.selecting:
            words = self._review.take_words()
        else:
            words = await self._review.select_words(which="the answer")
        if words:
            edit = Edit("answer", start=words[0], end=words[1])
            self._review.correct([(edit,)], "changed")

    async def back(self) -> None:
        """Takes back all that was said by hand."""
        if self._may_correct():
            self._review.correct([(Edit("restore"),)], "taken back")

    # -- what they are about ----------------------------------------------------------------------

    def _may_answer(self) -> bool:
        if not self._rows.trait.takes_answer:
            text = "There is no answer here that a rule could score again"
            raise Refused(f"{text}: 1 to 4 or i gives the score itself.")
        return self._may_correct()

    def _may_correct(self) -> bool:
        return may_correct(self._review)
