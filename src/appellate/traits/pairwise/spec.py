"""Defines pairwise traits, and a trace as they read it: both responses, on sides drawn by a coin.

In files the better response is `response` or `other`, the names that the trace has for them. On the
screen they are A and B. Which one is A is drawn for each trace, so that nobody learns to expect one
system on one side.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Struct
from pydantic import Field, PrivateAttr

from appellate.core.kind import CANNOT_TELL
from appellate.core.problem import Refused
from appellate.core.trace import (
    EARLIER_TURNS,
    OTHER_RESPONSE,
    QUESTION,
    REFERENCE,
    RESPONSE,
    Materials,
    OtherResponse,
    Trace,
)
from appellate.traits.digest import HeadlineKey, check_headline
from appellate.traits.verdict.scale import (
    CannotTellKey,
    Scale,
    Sort,
    Value,
    VerdictTrait,
)

if TYPE_CHECKING:
    from appellate.core.own_words import OwnWords

IS_RESPONSE = 0
"""The verdict that the trace's `response` is better: the index of its class."""
IS_OTHER = 1
"""The verdict that the trace's `other` response is better."""
IS_TIE = 2
"""The verdict that neither is better."""
WINNERS = ("response", "other", "tie")
"""The names of the verdicts in files, by their index."""
ANSWERS = WINNERS[:IS_TIE]
"""The names of the two responses in files."""
LETTERS = ("A", "B")
"""The names of the two sides on the screen."""
_SEED = Field(0, exclude_if=lambda value: value == 0)
_LIKE_HEADING = re.compile(r"^(?=[^\S\n]*\[Answer [AB]\])", re.MULTILINE)


class Side(Struct, frozen=True):
    """One of the two responses as a person reads it, and where it is in the text of the pair."""

    letter: str
    """A or B."""
    winner: int
    """The verdict that this response is the better one: `IS_RESPONSE` or `IS_OTHER`."""
    heading_start: int
    start: int
    """Where its words begin."""
    text: str

    @property
    def end(self) -> int:
        """Where its words end."""
        return self.start + len(self.text)

    @property
    def answer(self) -> str:
        """The name of this response in files: `response` or `other`."""
        return WINNERS[self.winner]


class PairTrace(Trace):
    """A trace as a pairwise trait reads it: its text has both responses, A above B."""

    _is_swapped: bool = PrivateAttr(False)

    @property
    def is_swapped(self) -> bool:
        """Whether A is the trace's `other` response."""
        return self._is_swapped

    @property
    def sides(self) -> tuple[Side, Side]:
        """A and B, made again for a copy of the trace with other responses."""
        made: _MadeSides | None = self.__dict__.get(_MADE)
        if (
            made is None
            or made.response is not self.response
            or made.other is not self.other
        ):
            sides = _sides_of(self.response, self.other, is_swapped=self._is_swapped)
            made = _MadeSides(self.response, self.other, sides)
            self.__dict__[_MADE] = (
                made  # a private attribute would count in comparisons
            )
        return made.sides

    def side_of(self, answer: str) -> Side:
        """Return the side on which a response is shown.

        `answer` is "response" or "other", as files name it, and is not checked: any other word
        gives B. "response" is B if the pair is swapped.
        """
        first, second = self.sides
        return first if first.answer == answer else second

    def place_in_answer(self, start: int, end: int) -> dict[str, str | int]:
        """Return in which response these offsets of `text` are, and where in its own words.

        `answer` is `response` or `other`. `answer_start` and `answer_end` are offsets in that
        response, without the spaces that its side has added. Empty if they are not within one.
        """
        for side in self.sides:
            if side.start <= start and end <= side.end:
                own = self.response
                if side.winner == IS_OTHER and self.other is not None:
                    own = self.other.response
                return {
                    "answer": side.answer,
                    "answer_start": _own_offset(own, start - side.start),
                    "answer_end": _own_offset(own, end - side.start),
                }
        return {}

    @property
    def text(self) -> str:
        """Both responses, A above B, each below a heading as "[Answer A]".

        A blank line stands between them. A line of a response that reads as such a heading has one
        space before it.
        """
        return "\n\n".join(
            f"{heading(side.letter)}\n{side.text}" for side in self.sides
        )

    @property
    def text_title(self) -> str:
        return "Answers A and B"

    @property
    def own_words(self) -> "OwnWords":
        """The words of both responses, without the headings."""
        from appellate.core.own_words import OwnWords  # not before the first paint

        return OwnWords.among(
            self.text,
            [(side.start, side.end) for side in self.sides],
        )


class _MadeSides(NamedTuple):
    """The sides of a pair, and the responses that they were made of."""

    response: str
    other: OtherResponse | None
    sides: tuple[Side, Side]


_MADE = "_made_sides"
"""The key below which a pair keeps its sides among its attributes."""


def _sides_of(
    response: str,
    other: OtherResponse | None,
    *,
    is_swapped: bool,
) -> tuple[Side, Side]:
    """Return sides A and B of two responses; A is the other response if they are swapped.

    A missing response is a side without words. In a side, a line that reads as a heading, such as
    "[Answer A]", has a space before it.
    """
    other_text = "" if other is None else other.response
    texts = [(IS_RESPONSE, response), (IS_OTHER, other_text)]
    if is_swapped:
        texts.reverse()
    sides: list[Side] = []
    position = 0
    for letter, (winner, text) in zip(LETTERS, texts, strict=True):
        words = _LIKE_HEADING.sub(" ", text)
        start = position + len(heading(letter)) + 1
        sides.append(Side(letter, winner, position, start, words))
        position = start + len(words) + 2
    return sides[0], sides[1]


def _own_offset(own_text: str, shown_offset: int) -> int:
    """Return the offset in a response of an offset in its side, which may have more spaces.

    A side has a space before each line of the response that reads as a heading, such as "[Answer
    A]". For example an offset of 1 in " [Answer A] is best" is 0 in the response.
    """
    added = 0
    for match in _LIKE_HEADING.finditer(own_text):
        if match.start() + added >= shown_offset:
            break
        added += 1
    return shown_offset - added


def heading(letter: str) -> str:
    """Return the line above a side of the pair, as "[Answer A]", without a line end."""
    return f"[Answer {letter}]"


def letter_of(answer: str, *, is_swapped: bool) -> str:
    """Return "A" or "B", under which a response is shown; `answer` is `response` or `other`.

    `response` is A and `other` B, unless the sides are swapped.
    """
    is_second = (answer == WINNERS[IS_OTHER]) != is_swapped
    return LETTERS[int(is_second)]


def is_swapped(trace: Trace, seed: int) -> bool:
    """Return whether side A of a trace is its `other` response, which a coin decides.

    The coin depends on the seed and on the trace's id and epoch only, so it always falls the same
    way for them.
    """
    drawn_from = f"{seed}\0{trace.id}\0{trace.epoch}"
    octets = drawn_from.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(octets).digest()
    return digest[0] % 2 == 1


def as_pair(trace: Trace, seed: int) -> PairTrace:
    """Return a trace as a pairwise trait with this seed reads it.

    A trace without another response has an empty side.
    """
    fields = {name: getattr(trace, name) for name in Trace.model_fields}
    pair = PairTrace.model_construct(**fields)
    pair._is_swapped = is_swapped(trace, seed)  # noqa: SLF001 - of this module
    return pair


class PairwiseRubricTrait(VerdictTrait):
    """Which of two responses is better, by one criterion."""

    tie: bool = Field(True, exclude_if=bool)
    """Whether neither may be better."""
    include_ground_truth: bool = False
    cannot_tell: CannotTellKey = False
    seed: Annotated[int, _SEED] = 0
    """What the coin that gives the sides is drawn by. Nothing that a judge gets depends on it."""
    headline: HeadlineKey = None

    def model_post_init(self, _: object) -> None:
        """Raise ValueError if the headline is no measure of the trait."""
        check_headline(self.headline, ("win_rate", "turned"))

    @property
    def kind(self) -> Sort:
        return "literal"

    @property
    def higher_is_better(self) -> bool:
        return True

    @property
    def classes(self) -> dict[str, str]:
        """What each verdict means, by its name; `tie` is one only if the trait allows ties."""
        classes = {
            "response": "the trace's response is better",
            "other": "its other response is better",
        }
        if self.tie:
            classes["tie"] = "neither is better"
        return classes

    @property
    def material(self) -> Materials:
        """The names of what a judge is sent: earlier turns, the question and both responses.

        The reference answer is among them only with `include_ground_truth`.
        """
        names = {EARLIER_TURNS, QUESTION, RESPONSE, OTHER_RESPONSE}
        if self.include_ground_truth:
            names.add(REFERENCE)
        return frozenset(names)

    def as_read(self, trace: Trace) -> PairTrace:
        """Return a trace with both responses as its text.

        A trace that this trait has already read so is returned itself.
        """
        if isinstance(trace, PairTrace) and trace.is_swapped == is_swapped(
            trace,
            self.seed,
        ):
            return trace
        return as_pair(trace, self.seed)

    def asked(self) -> tuple[object, ...]:
        """Return what a judge is told of the trait, as a tuple to compare two versions by.

        These are the name, the description, whether a tie and "cannot tell" are allowed, and
        whether the ground truth is shown. Labels hold for another version only if it is the same.
        """
        return (
            self.name,
            self.description,
            self.tie,
            self.include_ground_truth,
            self.cannot_tell,
        )


class SidedScale(Scale):
    """The verdicts of a trait as a person sees them on one trace: A, B or a tie.

    A verdict is still the index of `response`, `other` or `tie`: only its name and its key are
    those of the side on which that response is shown.
    """

    def __init__(self, trait: PairwiseRubricTrait, *, is_swapped: bool) -> None:
        """Order the verdicts: A is `response` and B is `other`, or the reverse if swapped."""
        self._trait = trait
        self.name = trait.name
        self.description = trait.description
        self.cannot_tell = trait.cannot_tell
        self._in_order: list[Value] = [IS_RESPONSE, IS_OTHER]
        if is_swapped:
            self._in_order.reverse()
        if trait.tie:
            self._in_order.append(IS_TIE)

    @property
    def kind(self) -> Sort:
        return "literal"

    @property
    def higher_is_better(self) -> bool:
        return True

    @property
    def classes(self) -> dict[str, str]:
        return self._trait.classes

    @property
    def choices(self) -> Sequence[Value]:
        """All possible verdicts in the order of the screen: A, B, tie, and that it cannot be told.

        A tie and "cannot tell" are left out if the trait does not allow them.
        """
        if self.takes_cannot_tell:
            return (*self._in_order, CANNOT_TELL)
        return self._in_order

    @property
    def sayable(self) -> Mapping[str, Value]:
        """The verdicts by the text by which an answer names them: the digit of the verdict's key.

        "Cannot tell" is named by that text itself, if the trait allows it.
        """
        verdicts: dict[str, Value] = {}
        for value in self.choices:
            answer = CANNOT_TELL if value == CANNOT_TELL else self.key_of(value)
            verdicts[answer] = value
        return verdicts

    def describe(self, value: Value | None) -> str:
        """Return a verdict as the screen says it: A, B, tie or "cannot tell"; "" for None."""
        if value is None or value == CANNOT_TELL:
            return value or ""
        if value == IS_TIE:
            return WINNERS[IS_TIE]
        return LETTERS[self._in_order.index(value)]

    def key_of(self, value: Value) -> str:
        """Return the key that gives a verdict: its number on the screen, from 1.

        "Cannot tell" has a key of its own. Raises ValueError for a tie if the trait allows none.
        """
        if value == CANNOT_TELL:
            return super().key_of(value)
        return str(self._in_order.index(value) + 1)

    def of_digit(self, number: int) -> Value:
        """Return the verdict that a digit key gives: 1 is A, 2 is B, 3 is a tie.

        It is the index of the response on that side, so A is `IS_OTHER` on a swapped trace. Raises
        Refused for another digit, and for 3 if the trait has no tie.
        """
        if not 1 <= number <= len(self._in_order):
            verdicts = self.legal_values()
            keys = self.keys_text()
            raise Refused(f"The verdict here is {verdicts}: {keys}.")
        return self._in_order[number - 1]

    def keys_text(self) -> str:
        """Return the keys that give a verdict, as "{verdict.1:1} (A) or {verdict.2:2} (B)".

        Keys are written as `{id:usual key}`, for `with_keys`. Those of a tie and of "cannot tell"
        are there if the trait allows them.
        """
        text = "{verdict.1:1} (A) or {verdict.2:2} (B)"
        if self._trait.tie:
            text = "{verdict.1:1} (A), {verdict.2:2} (B) or {verdict.3:3} (tie)"
        if self.takes_cannot_tell:
            text += ", or {verdict.cannot_tell:x} where it cannot be told"
        return text

    def legal_values(self) -> str:
        """Return what a verdict must be, as "A, B or a tie", for a sentence that refuses one."""
        return self.with_cannot_tell("A, B or a tie" if self._trait.tie else "A or B")

    def meaning_of(self, value: Value) -> str:
        """Return what a verdict means: "A is better", "tie: neither is better".

        A is the response that stands first for this cell. For "cannot tell" it is "cannot tell from
        what is shown".
        """
        if value == CANNOT_TELL:
            return "cannot tell from what is shown"
        if value == IS_TIE:
            return "tie: neither is better"
        return f"{self.describe(value)} is better"

    def scale_text(self) -> str:
        return "Which is better?"

    def good_end_text(self) -> str:
        """Return "": neither side is the good end."""
        return ""


def scale_of(trait: PairwiseRubricTrait, trace: Any) -> SidedScale:
    """Return the verdicts of a trait as a person sees them on a trace: A is shown first."""
    return SidedScale(trait, is_swapped=is_swapped(trace, trait.seed))
