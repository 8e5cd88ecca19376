"""Corrections of a scorer cell, and its words on the screen: what stands, what was extracted, the
settings.
"""

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.scorer.edits import Edit
from appellate.traits.scorer.grades import offered
from appellate.traits.scorer.labels import (
    LETTERS,
    UNSCORED,
    Labels,
    Ruling,
    Scalar,
    legal,
    spoken,
    targets_of,
    value_text,
    wanted,
)
from appellate.traits.scorer.rules import named, places_of, wording
from appellate.traits.scorer.spec import Scorer, ScorerRubricTrait
from appellate.traits.verdict.pane_corrections import may_correct
from appellate.ui.contract import YES_NO, Choice, Review
from appellate.ui.conversation import Conversation

_PLACES = {
    "begin": "at the beginning",
    "end": "at the end",
    "any": "anywhere",
    "exact": "the whole response",
}


Sort = Literal["letter", "boolean", "number"]


def sort_of(trait: ScorerRubricTrait, labels: Labels, key: str) -> Sort:
    """What the value of a key is: as the trait has it, else as the scorer, or a person, said."""
    if trait.part(key).is_letter:
        return "letter"
    texts = [labels.proposed.of(key)] if labels.proposed else []
    for value in (*texts, labels.standing.of(key)):
        if isinstance(value, bool):
            return "boolean"
        if value in LETTERS:
            return "letter"
    return "number"


def offered_values(trait: ScorerRubricTrait, key: str = "") -> list[Scalar]:
    """The values that get a key each; none where a number is to be typed."""
    if not trait.part(key).is_letter:
        return []
    if trait.scorer in ("model_graded_qa", "model_graded_fact") and not trait.has_own_words:
        return list(offered(partial_credit=trait.partial_credit))
    if trait.scorer == "choice":
        return ["C", "I", "N"]
    if trait.takes_answer:
        return ["C", "I"]
    return list(LETTERS)


def read_value(trait: ScorerRubricTrait, key: str, text: str) -> Scalar:
    """The value that a person typed; raises Refused with what would be right."""
    part = trait.part(key)
    bare = text.strip().lower()
    if bare.upper() in LETTERS:
        bare = bare.upper()
    value = legal(part, bare)
    if value is None:
        raise Refused(f"The value here is {wanted(part)}.")
    return value


def verdict_text(labels: Labels, key: str = "") -> str:
    """What stands, and whose word that is: "C, correct", "I, incorrect, by hand; it was C"."""
    value = labels.standing.of(key)
    if value is None:
        return ""
    text = spoken(value)
    if labels.proposed is None:
        return f"{text}, by hand"
    was = labels.proposed.of(key)
    if was == value:
        return text
    if labels.standing.answer != labels.proposed.answer:
        return f"{text}, by the answer given by hand; it was {value_text(was) or UNSCORED}"
    return f"{text}, by hand; it was {value_text(was) or UNSCORED}"


def extracted_text(trait: ScorerRubricTrait, one: Ruling) -> str:
    """What was taken for the answer."""
    if one.answer:
        return wording([one.answer])
    if trait.scorer in ("exact", "f1") or trait.is_graded or trait.location == "exact":
        return "the whole response"
    if trait.scorer in ("recorded", "multi_scorer"):
        return ""
    return "nothing was extracted"


def target_text(trait: ScorerRubricTrait, labels: Labels, trace: Trace) -> str:
    """What it is compared with, in a line; a choice with its words."""
    found = list(labels.target) or targets_of(trace)
    choices = trace.choices or ()
    if trait.scorer == "choice" and choices:
        try:
            places = places_of(found, choices)
        except ValueError:
            return wording(found)
        return named(places, choices)
    if not found:
        return ""
    return wording(found)


def source_text(trait: ScorerRubricTrait, labels: Labels) -> str:
    """Whose word the explanation is."""
    if labels.proposed is None:
        return ""
    if trait.is_graded:
        return "the judge"
    return "the rule"


def settings_text(trait: ScorerRubricTrait) -> str:
    """The scorer and its settings, in words."""
    if trait.scorer != "multi_scorer":
        return _one_text(trait)
    members = ", ".join(map(_member_text, trait.scorers))
    if trait.reducer is None:
        return f"a value by each of {members}"
    return f"{trait.reducer} of {members}"


def _member_text(member: Scorer) -> str:
    if member.name is None:
        return _one_text(member)
    return f"{member.name} ({_one_text(member)})"


def _one_text(one: Scorer) -> str:
    parts = [one.scorer.replace("_", " ")]
    fields: Mapping[str, str] = {
        "match": _PLACES[one.location],
        "pattern": one.pattern or "",
        "answer": f"the {one.pattern} after ANSWER:",
    }
    if one.scorer in fields:
        parts.append(fields[one.scorer])
    if one.numeric:
        parts.append("as a number")
    if not one.ignore_case:
        parts.append("in the same case of letters")
    if one.match_all:
        parts.append("every group")
    if one.multiple_correct:
        parts.append("several may be right")
    if one.stop_words:
        parts.append(f"without {', '.join(one.stop_words)}")
    if one.partial_credit:
        parts.append("partial credit")
    if one.include_history:
        parts.append("with the conversation")
    return " · ".join(parts)


# -- what keys do ----------------------------------------------------------------------------------

TAKES = (
    "{scorer.words:=} takes these words as the answer, which is scored again; {select.leave:Esc} "
    "leaves."
)
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
            self._review.say(
                "The score here is yes ({scorer.c:1} or {scorer.yes:y}) or no ({scorer.p:2})."
            )
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
            self._review.say(
                f"The score of {self._named()} is not yes or no: {{scorer.pick:i}} takes it."
            )

    @property
    def _sort(self) -> Sort:
        return sort_of(self._rows.trait, self._rows.labels, self._rows.key)

    async def pick(self) -> None:
        """Offers what may be given; a number is typed."""
        if not self._may_correct():
            return
        rows = self._rows
        if not rows.trait.part(rows.key).is_letter:
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
        value = read_value(rows.trait, rows.key, text)
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
            keys = "{scorer.c:1} {scorer.p:2} {scorer.i:3} {scorer.n:4} or {scorer.pick:i}"
            raise Refused(f"{text}: {keys} gives the score itself.")
        return self._may_correct()

    def _may_correct(self) -> bool:
        return may_correct(self._review)
