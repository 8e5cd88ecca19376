"""Scores responses by inspect_ai's rules, without a judge, and combines the values of several.

`scored` gives a value, what was extracted, where that is, and why it matched or did not. Values and
answers are those of inspect_ai 0.3.285.
"""

import re
import string
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from string import ascii_uppercase
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate import installed
from appellate.core.problem import Unusable, listing, many
from appellate.stats.aggregates import reduce_epochs
from appellate.traits.matching import Offsets, matcher
from appellate.traits.scorer import numerals
from appellate.traits.scorer.labels import finite, texts, value_text
from appellate.traits.scorer.spec import (
    ANSWERS,
    RULELESS,
    Location,
    Scorer,
    ScorerRubricTrait,
)

CORRECT = "C"
PARTIAL = "P"
INCORRECT = "I"
NO_ANSWER = "N"
LISTED = 100
"""The largest number of spans that are kept of one score."""
LONGEST = 60
"""Characters of an answer that a sentence quotes."""
EMPTY = "The response is empty."
UNREADABLE = "invalid_response_format"
"""`Score.reason` of a response without an answer in the wanted form, so that nothing was compared.
"""

Targets = Sequence[str]


class Unscorable(ValueError):
    """Raised if a rule cannot score a response, with a sentence that says why."""


Scalar = str | int | float | bool
Value = Scalar | Sequence[Scalar] | Mapping[str, Scalar | None]
UNCHANGED: Literal["UNCHANGED"] = "UNCHANGED"
"""The value of a field of a `ScoreEdit` that leaves the score's field as it is."""


class ScoreEdit(Struct, frozen=True):
    """One version of a score in its history, as inspect_ai has it: what an edit changed."""

    value: Value = UNCHANGED
    answer: str | None = UNCHANGED
    explanation: str | None = UNCHANGED
    reason: str | None = UNCHANGED
    metadata: Mapping[str, Any] | Literal["UNCHANGED"] | None = UNCHANGED
    provenance: Mapping[str, Any] | None = None
    """Who changed the score and why; None for the score as the scorer gave it."""


class Score(Struct, frozen=True):
    """A score, as a scorer gives it to a response.

    The `as_…` methods read the value as inspect_ai's do, and raise ValueError if it is not that.
    """

    value: Any
    """A letter, a number, true or false, or a list or dictionary of these; NaN is unscored."""
    answer: str | None = None
    """What was extracted from the response; None if nothing was."""
    explanation: str | None = None
    """Why the value was given, in a sentence."""
    spans: tuple[Offsets, ...] = ()
    """Where the answer is in the response, in code points."""
    reason: str = ""
    """Why there was nothing to compare: "no_response" or `UNREADABLE`; else ""."""
    metadata: Mapping[str, Any] | None = None
    history: tuple[ScoreEdit, ...] = ()
    """Every version of an edited score, the first as the scorer gave it."""

    @property
    def text(self) -> str:
        """The value as text. Raises ValueError for a list or a dictionary."""
        return self.as_str()

    def as_str(self) -> str:
        """Return the value as text. Raises ValueError for a list or a dictionary."""
        return str(self._scalar())

    def as_int(self) -> int:
        """Return the value as a whole number; decimals are cut off: 3.7 is 3 and -3.7 is -3.

        True is 1. A text must be a whole number: "3" is read, "3.7" is not. Raises ValueError for
        other texts, such as a letter, for NaN and infinity, and for a list, a dictionary and None.
        """
        try:
            return int(self._scalar())
        except (ValueError, OverflowError):
            raise ValueError(f"the score {self.text} is no whole number") from None

    def as_float(self) -> float:
        """Return the value as a number: true is 1, false 0, and a text such as "0.5" is read.

        Letters are none: `value_to_float` says what they count. Raises ValueError for them, and for
        a list, a dictionary and None. NaN stays NaN.
        """
        try:
            return float(self._scalar())
        except (ValueError, OverflowError):
            raise ValueError(f"the score {_cut(self.text)} is no number") from None

    def as_bool(self) -> bool:
        """Return the value as `bool` has it: false only for 0, False and "", not for "I".

        Raises ValueError for a list, a dictionary and None.
        """
        return bool(self._scalar())

    def as_list(self) -> list[Scalar]:
        """Return the value as a new list. Raises ValueError if it is neither a list nor a tuple."""
        if not isinstance(self.value, list | tuple):
            raise ValueError("the score is not a list")  # noqa: TRY004 - as in inspect_ai
        return list(self.value)

    def as_dict(self) -> dict[str, Scalar | None]:
        """Return the value as a new dictionary. Raises ValueError if it is not a dictionary."""
        if not isinstance(self.value, Mapping):
            wrong = "the score is not a dictionary"
            raise ValueError(wrong)  # noqa: TRY004 - as in inspect_ai
        return dict(self.value)

    def edited(self, edit: ScoreEdit) -> "Score":
        """Return the score after an edit; this one stays as it is.

        Its history has the edit last and, before the first edit, the score as the scorer gave it. A
        field that is `UNCHANGED` in the edit keeps its value; one that is None becomes None.
        """
        history = self.history
        if not history:
            original = ScoreEdit(
                self.value,
                self.answer,
                self.explanation,
                self.reason,
                self.metadata,
            )
            history = (original,)
        changes: dict[str, Any] = {"history": (*history, edit)}
        for name in ("value", "answer", "explanation", "reason", "metadata"):
            new_value = getattr(edit, name)
            if not isinstance(new_value, str) or new_value != UNCHANGED:
                changes[name] = new_value
        return replace(self, **changes)

    def _scalar(self) -> Scalar:
        """Return the value if it is a letter, number or boolean.

        Raises ValueError for a list, a dictionary and None.
        """
        if isinstance(self.value, str | int | float | bool):
            return self.value
        raise ValueError(
            "the score is not a single value: read it by as_list() or as_dict()",
        )


def wording(texts: Sequence[str], joint: str = "or") -> str:
    """Return texts in quotes for a sentence: “A”, “B” or “C”.

    `joint` is the word before the last one. Each is on one line and cut to `LONGEST` characters.
    For no texts it is “nothing”, without quotes.
    """
    if not texts:
        return "nothing"
    in_quotes = [f"“{_cut(text)}”" for text in texts]
    return listing(in_quotes, joint)


def _cut(text: str) -> str:
    """Return a text on one line, cut to `LONGEST` characters if it is longer.

    The last of them is "…" then.
    """
    first_words = text.split(maxsplit=LONGEST)[:LONGEST]
    one_line = " ".join(first_words)
    if len(one_line) <= LONGEST:
        return one_line
    shortened = one_line[: LONGEST - 1]
    return f"{shortened}…"


def spans_of(*spans: Offsets) -> tuple[Offsets, ...]:
    """Return the spans that are not empty, in order; of more than `LISTED` only the first."""
    return tuple(span for span in spans if span[0] < span[1])[:LISTED]


# -- match and includes ----------------------------------------------------------------------------


def match(completion: str, targets: Targets, scorer: Scorer) -> Score:
    """Return whether the response ends with (begins with, has, is) a target, as a score.

    `scorer.location` says which. White space and punctuation around both do not count, nor does
    case with `scorer.ignore_case`. With `numeric`, a target that is a number is compared with the
    last (first, any) number of the response. The first target that matches decides. Without one the
    explanation names all targets, or says that the response is empty. The value is C or I, I
    without targets. The answer is the response without white space around it, or the number
    compared.
    """
    stripped = completion.strip()
    start = len(completion) - len(completion.lstrip())
    text = _FoldedAnswer(stripped, start, ignore_case=scorer.ignore_case, around=AROUND)

    def tried(target: str) -> Score:
        """Return the score of one target, compared at the place that the scorer names.

        With `numeric`, a target that is a number is compared as a number, and any other without
        marks such as those of currency. Without it, all are compared as texts with their marks.
        """
        target_text = target.strip()
        if scorer.numeric:
            target_text = _without_marks(target_text)
            number = _number(target_text)
            if number is not None:
                return _compare_number(completion, _rounded(number), scorer)
        folded = text.alike(target_text).strip(AROUND)
        return _compare_text(text, folded, target, stripped, scorer.location)

    return _score_against_each(completion, targets, tried)


def includes(completion: str, targets: Targets, scorer: Scorer) -> Score:
    """Return whether the response contains a target, letter by letter, as a score.

    The value is C or I, and the answer is the response as it is compared. Case counts unless the
    scorer ignores it. The first target that is there decides, and the span is that of its first
    place.
    """
    text = _FoldedAnswer(completion, 0, ignore_case=scorer.ignore_case)

    def tried(target: str) -> Score:
        return _contains(text, text.alike(target), target, text.text)

    return _score_against_each(completion, targets, tried)


def _score_against_each(
    completion: str,
    targets: Targets,
    score_against: Callable[[str], Score],
) -> Score:
    """Return the score of the first target that matches, in the order of `targets`.

    If none does, it is that of the last, whose explanation names all targets or says that the
    response is empty. `score_against` returns the score of one target. Without targets it is I.
    """
    last = Score(INCORRECT, "", "There is no target to compare with:")
    for target in targets:
        last = score_against(target)
        if last.value == CORRECT:
            return last
    explanation = f"{last.explanation} {wording(targets)}."
    if not completion.strip():
        explanation = EMPTY
    return replace(last, explanation=explanation)


class _FoldedAnswer:
    """A text as it is compared, without the characters of `around` at its ends, and its offsets."""

    def __init__(
        self,
        text: str,
        start: int,
        *,
        ignore_case: bool,
        around: str = "",
    ) -> None:
        """Fold a text for comparing, and note where each of its letters is in the response.

        `start` is the offset of `text` in the response. Only the characters in `around` are cut off
        at both ends; without any, white space stays too.
        """
        self._ignore_case = ignore_case
        self._start = start
        self._original = text
        self._places: Sequence[int] = range(start, start + len(text))
        folded = self.alike(text)
        if len(folded) != len(text):  # one letter became two, as ß does
            places: list[int] = []
            for offset, char in zip(self._places, text, strict=True):
                places.extend([offset] * len(char.casefold()))
            self._places = places
        self.text = folded.strip(around)
        self._places = self._places[len(folded) - len(folded.lstrip(around)) :]

    def alike(self, text: str) -> str:
        """Return a text as it is compared: case-folded, or as it is if case counts."""
        return text.casefold() if self._ignore_case else text

    def span(self, start: int, end: int) -> Offsets:
        """Return where the compared text from `start` to `end` is in the response.

        Returns (0, 0) for an empty part.
        """
        if start >= end:
            return 0, 0
        return self._places[start], self._places[end - 1] + 1

    def original(self, start: int, end: int) -> str:
        """Return the compared text from `start` to `end` in the response's own letters."""
        begin, stop = self.span(start, end)
        return self._original[begin - self._start : stop - self._start]


AROUND = string.whitespace + string.punctuation
"""The characters that may stand around a text that is compared."""
_BLANK = re.compile(r"\s")
_LONGEST_WORD = 200
"""Characters of a word that are looked back for its start."""


def _compare_text(
    folded_answer: _FoldedAnswer,
    folded_target: str,
    target: str,
    answer: str,
    location: Location,
) -> Score:
    """Return the score of one target against the compared text, at the place that `location` names.

    `target` is as the trace has it and `folded_target` as it is compared. `answer` becomes the
    answer of the score. The explanation of a correct score is a whole sentence. That of an
    incorrect one is unfinished, such as "The response begins with “Rome”, not with"; a list of the
    targets completes it.
    """
    match location:
        case "any":
            return _contains(folded_answer, folded_target, target, answer)
        case "exact":
            return _is_whole(folded_answer, folded_target, target, answer)
        case "begin":
            return _begins_with(folded_answer, folded_target, target, answer)
        case "end":
            return _ends_with(folded_answer, folded_target, target, answer)


def _is_whole(
    folded_answer: _FoldedAnswer,
    folded_target: str,
    target: str,
    answer: str,
) -> Score:
    """Return the score of a target that must be the whole compared text.

    `answer` becomes the answer of the score, which has no spans. The explanation of an incorrect
    score is an unfinished sentence, "The response is “Rome”, not", which a list of the targets
    completes.
    """
    text = folded_answer.text
    if text == folded_target:
        return Score(CORRECT, answer, f"The whole response is {wording([target])}.")
    shown_text = wording([folded_answer.original(0, len(text))])
    return Score(INCORRECT, answer, f"The response is {shown_text}, not")


def _begins_with(
    folded_answer: _FoldedAnswer,
    folded_target: str,
    target: str,
    answer: str,
) -> Score:
    """Return the score of a target with which the compared text must begin; any text does with "".

    If it does not, the span has the first letters of the text: as many as the target has, and on to
    the end of the word. `answer` becomes the answer of the score. The explanation of an incorrect
    score is an unfinished sentence, "The response begins with “Rome”, not with", which a list of
    the targets completes.
    """
    text = folded_answer.text
    size = len(folded_target)
    if text.startswith(folded_target):
        spans = spans_of(folded_answer.span(0, size))
        return Score(
            CORRECT,
            answer,
            f"The response begins with {wording([target])}.",
            spans,
        )

    end = _end_of_word(text, size)
    spans = spans_of(folded_answer.span(0, end))
    shown_part = wording([folded_answer.original(0, end)])
    return Score(
        INCORRECT,
        answer,
        f"The response begins with {shown_part}, not with",
        spans,
    )


def _ends_with(
    folded_answer: _FoldedAnswer,
    folded_target: str,
    target: str,
    answer: str,
) -> Score:
    """Return the score of a target with which the compared text must end; any text does with "".

    If it does not, the span has the last letters of the text: as many as the target has, and back
    to the start of the word. `answer` becomes the answer of the score. The explanation of an
    incorrect score is an unfinished sentence, "The response ends with “Rome”, not with", which a
    list of the targets completes.
    """
    text = folded_answer.text
    start = len(text) - len(folded_target)
    if text.endswith(folded_target):
        spans = spans_of(folded_answer.span(start, len(text)))
        return Score(
            CORRECT,
            answer,
            f"The response ends with {wording([target])}.",
            spans,
        )

    start = _start_of_word(text, start)
    spans = spans_of(folded_answer.span(start, len(text)))
    shown_part = wording([folded_answer.original(start, len(text))])
    return Score(
        INCORRECT,
        answer,
        f"The response ends with {shown_part}, not with",
        spans,
    )


def _end_of_word(text: str, offset: int) -> int:
    """Return the offset of the first white space from `offset` on, else that of the text's end."""
    blank = _BLANK.search(text, offset)
    return blank.start() if blank else len(text)


def _start_of_word(text: str, offset: int) -> int:
    """Return the offset after the last white space before `offset`.

    It is 0 if there is none, or if `offset` is negative. Of a longer word only the last
    `_LONGEST_WORD` characters before `offset` are taken.
    """
    start = max(offset, 0)
    earliest = max(start - _LONGEST_WORD, 0)
    while start > earliest and not text[start - 1].isspace():
        start -= 1
    return start


def _contains(
    folded_answer: _FoldedAnswer,
    folded_target: str,
    target: str,
    answer: str,
) -> Score:
    """Return the score of a target that may be anywhere in the compared text, also within a word.

    `target` is as the trace has it and `folded_target` as it is compared; an empty one is in every
    text. `answer` becomes the answer of the score. A correct score has the span of the first place
    and a whole sentence as its explanation. An incorrect one has no span, and an unfinished
    sentence, "The response nowhere contains", which a list of the targets completes.
    """
    offset = folded_answer.text.find(folded_target)
    if offset < 0:
        return Score(INCORRECT, answer, "The response nowhere contains")
    spans = spans_of(folded_answer.span(offset, offset + len(folded_target)))
    return Score(CORRECT, answer, f"The response contains {wording([target])}.", spans)


# -- numbers in a response -------------------------------------------------------------------------

_ESCAPED = re.compile(r"\\([$,£€*_])")
_MARKS = re.compile(r"[$,£€*_]")
_FULL_STOP = re.compile(r"\.(?=\s|$|\D)")
_QUOTED = "!?:;()[]{}'\"`"
"""Characters that may stand around a number.

Bounds and estimates, as in <42 and ~42, are no numbers.
"""
_TOKEN = re.compile(r"\S+")
_PLACES = {"begin": "first ", "end": "last ", "any": "", "exact": ""}


def _without_marks(text: str) -> str:
    """Return a text without marks of currency, thousands and emphasis, and without full stops.

    "**$1,000.50**." becomes "1000.50", since a point before a digit stays. A backslash before a
    mark goes with it.
    """
    return _FULL_STOP.sub("", _MARKS.sub("", _ESCAPED.sub(r"\1", text)))


def _number(text: str) -> float | None:
    """Return the finite number that a text is, in any script; None if it is none.

    Brackets, quotation marks and the like around it are ignored. Points and commas are understood
    as by `numerals.number`: "1,000" is 1.
    """
    return numerals.number(text.strip(_QUOTED))


def _rounded(value: float) -> str:
    """Return a number with five significant digits, as "0.33333" or "1.2346e+05"."""
    return format(value, ".5g")


def _compare_number(completion: str, rounded_target: str, scorer: Scorer) -> Score:
    """Return the score of a target that is a number, compared at the place that the scorer names.

    The first ("begin"), last ("end") or any number of the response must equal it; for "exact" the
    whole response must. Numbers are compared with five significant digits, as `rounded_target` has
    them: "0.33333" or "1.2346e+05". The answer is the number at that place or "", and for "any"
    without a match the whole response. The explanation of an incorrect score is an unfinished
    sentence, which a list of the targets completes.
    """
    location = scorer.location
    if location == "exact":
        return _compare_whole_number(
            completion,
            rounded_target,
            ignore_case=scorer.ignore_case,
        )
    numbers = _numbers(completion, from_the_end=location == "end")
    if location == "any":
        numbers = filter(lambda number: number[0] == rounded_target, numbers)
    number_there, span = next(numbers, ("", (0, 0)))
    if number_there == rounded_target:
        position_text = _PLACES[location]
        text = f"The {position_text}number of the response is {rounded_target}."
        if not position_text:
            text = f"The response has the number {rounded_target}."
        return Score(CORRECT, number_there, text, spans_of(span))
    if location == "any":
        return Score(INCORRECT, completion.strip(), "No number of the response is")
    if not number_there:
        return Score(
            INCORRECT,
            number_there,
            "The response has no number to compare with",
        )
    text = f"The {_PLACES[location]}number of the response is {number_there}, not"
    return Score(INCORRECT, number_there, text, spans_of(span))


def _compare_whole_number(
    completion: str,
    rounded_target: str,
    *,
    ignore_case: bool,
) -> Score:
    """Return the score of a target that is a number, which the whole response must equal.

    Marks such as those of currency are ignored. Numbers are compared with five significant digits,
    as `rounded_target` has them. The answer is the number in these digits. If the response is no
    number, it is the response without marks, in small letters with `ignore_case`. There are no
    spans. The explanation of an incorrect score is an unfinished sentence, which a list of the
    targets completes.
    """
    stripped = _without_marks(completion.strip())
    if ignore_case:
        stripped = stripped.casefold()
    value = numerals.number(stripped)
    if value is None:
        return Score(
            INCORRECT,
            stripped,
            f"The response is {wording([stripped])}, not the number",
        )
    text = f"The response is the number {_rounded(value)}"
    if _rounded(value) == rounded_target:
        return Score(CORRECT, rounded_target, f"{text}.")
    return Score(INCORRECT, _rounded(value), f"{text}, not")


def _numbers(text: str, *, from_the_end: bool) -> Iterator[tuple[str, Offsets]]:
    """Yield each number of a text as text with five significant digits, and its span.

    For example ("1234.6", (8, 16)) for "It is ($1,234.56).", and "1e+09" for 1e9. A number is a
    word by itself, between blanks. Its span is without what surrounds the number, such as brackets
    or a mark of currency. They are in the order of the text, or with `from_the_end` the last first.
    """
    tokens = list(_TOKEN.finditer(text))
    if from_the_end:
        tokens.reverse()
    for token in tokens:
        word = token[0]
        end = token.end()
        value = _number(_without_marks(word))
        if value is not None:
            number_text = word.lstrip("\\$,£€*_" + _QUOTED)
            begin = end - len(number_text)
            yield (
                _rounded(value),
                (begin, begin + len(number_text.rstrip("\\$,£€*_." + _QUOTED))),
            )


# -- word by word: exact and f1 --------------------------------------------------------------------

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PARTS = re.compile(r"[ -]")
_WORD = re.compile(r"[^\s-]+")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class _ScoredWords:
    """Words as `exact` and `f1` compare them: without case, articles and punctuation, numbers by
    value.
    """

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self._known: dict[str, str] = {}
        self._stopped = frozenset(map(self.normal_form, stop_words))

    def of(self, text: str) -> list[str]:
        """Return all words of a text in normal form, without stop words and articles, in order.

        Words are separated by blanks and hyphens: "The well-known 1,000" is ["well", "known",
        "1000.0"]. Line ends separate words as well, but what they join is looked at as one: a stop
        word in it stays, and a number with a comma is "1000" there.
        """
        words = []
        for part in _PARTS.split(text):
            word = self.normal_form(part)
            if word not in self._stopped:
                words += word.split()
        return words

    def normal_form(self, part: str) -> str:
        """Return the normal form of the text between two blanks: small letters without punctuation.

        It is "cat" for "Cat,", "dont" for "Don't", and "" for an article. A number becomes its
        value as a float: "1000.0" for "1,000" and for "$1000". It is made only once for each text.
        """
        normal = self._known.get(part)
        if normal is None:
            normal = self._known[part] = self._normal(part)
        return normal

    def _normal(self, part: str) -> str:
        """Return the normal form of a word, in small letters without punctuation and articles.

        It is "" for an article. A number becomes its value as a float, so that 1 and 1.0 are alike.
        Punctuation in a number is dropped if `float` cannot read it: "1,000" is "1000.0".
        """
        folded = part.casefold()
        letters = folded.translate(_NO_PUNCTUATION)
        for text in (folded, folded.strip(AROUND), letters):
            value = finite(text)
            if value is not None:
                return str(value)
        return " ".join(_ARTICLES.sub(" ", letters).split())


def exact(completion: str, targets: Targets) -> Score:
    """Return whether the words of the whole response are those of a target, as a score.

    The value is C or I, and the answer is the response. Case, punctuation and articles do not
    count, the order of words does. A target without words never matches. The score has no spans.
    """
    words = _ScoredWords()
    response_words = " ".join(words.of(completion))
    for target in targets:
        target_words = " ".join(words.of(target))
        if target_words and target_words == response_words:
            text = f"The words of the response are those of {wording([target])}."
            return Score(CORRECT, completion, text)
    shown_words = wording([response_words])
    text = (
        f"The words of the response are {shown_words}, not those of {wording(targets)}."
    )
    return Score(INCORRECT, completion, text)


def f1(completion: str, targets: Targets, scorer: Scorer) -> Score:
    """Return how far the words of the response are those of a target, as a score.

    The value is the best F1 over the targets, from 0 to 1, rounded to two places; of even ones the
    first target counts. The answer is the response. Each word counts as often as it occurs; stop
    words do not. It is 0 without words in the targets or the response. The spans are those of
    common words, at most `LISTED`.
    """
    words = _ScoredWords(scorer.stop_words)
    response_words = Counter(words.of(completion))
    measured = []
    for target in targets:
        target_words = Counter(words.of(target))
        value = 0.0
        shared = (response_words & target_words).total()
        if shared:
            precision = shared / response_words.total()
            recall = shared / target_words.total()
            value = 2 * precision * recall / (precision + recall)
        if target_words:
            measured.append((value, target, target_words))
    if not measured:
        text = f"The target has no words to compare with: {wording(targets)}."
        return Score(0.0, completion, text)
    best, nearest, nearest_words = max(measured, key=itemgetter(0))
    if not response_words:
        text = f"The response has no words to compare with {wording([nearest])}."
        return Score(0.0, completion, text)
    shared = (response_words & nearest_words).total()
    count_text = many(response_words.total(), "word")
    text = (
        f"{shared} of the {count_text} of the response are among"
        f" the {nearest_words.total()} of {wording([nearest])}."
    )
    spans = tuple(islice(_shared(completion, words, nearest_words), LISTED))
    return Score(round(best, 2), completion, text, spans)


def _shared(
    completion: str,
    words: _ScoredWords,
    target_words: Counter[str],
) -> Iterator[Offsets]:
    """Yield the spans of words of a response that the target has too, in order.

    Each word is yielded as often as the target has it at most. `target_words` are in the normal
    form of `words`, in which they are compared, and stay as they are.
    """
    remaining = target_words.copy()
    for token in _WORD.finditer(completion):
        word = words.normal_form(token[0])
        if remaining[word] > 0:
            remaining[word] -= 1
            yield token.span()


# -- what a pattern extracts: pattern and answer ---------------------------------------------------

_WANTED = {
    "letter": "“ANSWER:” with one letter after it",
    "word": "“ANSWER:” with one word after it, at the end of a line",
    "line": "“ANSWER:” with text after it on its last line",
}


def pattern(completion: str, targets: Targets, scorer: Scorer) -> Score:
    """Return whether a group of the pattern's first match is a target, as a score: C or I.

    With `match_all` every group must be one. A pattern without groups compares the whole match.
    Case counts unless the scorer ignores it. The answer of a correct score is the group that is a
    target, with `match_all` all targets joined; that of another is the only group, or None if there
    are several or with `match_all`. If the pattern does not match, the value is I without an
    answer, and `reason` is `UNREADABLE`. Raises Unmatched if the pattern takes too long.
    """
    comparison = _Comparison(targets, scorer.ignore_case, scorer.match_all)
    return _score_of_extracted(
        completion,
        comparison,
        scorer.pattern or "",
        "match of the pattern",
    )


def answer(completion: str, targets: Targets, scorer: Scorer) -> Score:
    """Return whether what follows the last ANSWER: is a target, as a score.

    Case does not count. `scorer.pattern` says what must follow: "letter" is a single letter, "word"
    is one word that ends its line, and "line" is the rest of the last line. The value is C or I,
    and the answer is what follows. If nothing of that form follows, the value is I, there is no
    answer, and `reason` is `UNREADABLE`. Raises Unmatched if it takes too long.
    """
    kind = scorer.pattern or ""
    return _score_of_extracted(
        completion,
        _Comparison(targets),
        ANSWERS[kind],
        _WANTED[kind],
    )


class _Comparison(NamedTuple):
    """The targets that extracted texts are compared with."""

    targets: Targets
    ignore_case: bool = True
    match_all: bool = False

    def alike(self, text: str) -> str:
        """Return a text as it is compared: in lower case, or as it is if case counts."""
        return text.lower() if self.ignore_case else text


def _score_of_extracted(
    completion: str,
    comparison: _Comparison,
    regex: str,
    missing: str,
) -> Score:
    """Return the score of what the first match of `regex` extracts from the response.

    That is the text of each group of the pattern, or the whole match if it has no groups. It is
    correct if one of them is a target, or all of them if `comparison` asks for that. Case counts
    unless `comparison` ignores it. If nothing matches, the value is I without an answer, and
    `reason` is `UNREADABLE`. The explanation then says that `missing` is not there, or that the
    response is empty. Raises Unmatched if it takes too long.
    """
    found_matches = matcher().find(
        regex,
        completion,
        case_sensitive=not comparison.ignore_case,
        max_matches=1,
    )
    if found_matches.hits:
        return _score_of_groups(
            completion,
            comparison,
            found_matches.groups or found_matches.matches,
        )
    explanation = f"The response has no {missing}, and the target is {wording(comparison.targets)}."
    if not completion.strip():
        explanation = EMPTY
    return Score(INCORRECT, None, explanation, reason=UNREADABLE)


def _score_of_groups(
    completion: str,
    comparison: _Comparison,
    spans: Sequence[Offsets | None],
) -> Score:
    """Return the score of the groups of a match, of which `spans` are given.

    It is correct if one of them is a target, with `match_all` if all are. A group that took no part
    in the match is None and does not count; an empty text is never correct. The answer of a correct
    score is the text that is a target, with `match_all` all targets joined. The answer of an
    incorrect one is the only group, or None if there are several or with `match_all`.
    """
    folded_targets = set(map(comparison.alike, comparison.targets))
    present_spans = [span for span in spans if span is not None]
    texts_there = [completion[start:end] for start, end in present_spans]
    matching_texts: list[str] = []
    for text in texts_there:
        if comparison.alike(text) in folded_targets:
            matching_texts.append(text)
    extracted: str | None = None
    if matching_texts and not comparison.match_all:
        extracted = matching_texts[0]
        present_spans = [present_spans[texts_there.index(extracted)]]
    elif matching_texts and len(matching_texts) == len(texts_there):
        extracted = "".join(comparison.targets)
    if extracted:
        explanation = f"{wording([extracted])} is the target."
        return Score(CORRECT, extracted, explanation, spans_of(*present_spans))
    is_only_group = len(spans) == 1 and len(texts_there) == 1
    if extracted is None and is_only_group and not comparison.match_all:
        extracted = texts_there[0]
    groups = wording(texts_there, "and")
    targets = wording(comparison.targets)
    explanation = f"{groups} was extracted, and the target is {targets}."
    return Score(INCORRECT, extracted, explanation, spans_of(*present_spans))


# -- multiple choice -------------------------------------------------------------------------------


def name_of(position: int) -> str:
    """Return the name of the choice at a position from 0: A to Z, then 1, 2 and on."""
    letter_count = len(ascii_uppercase)
    if position < letter_count:
        return ascii_uppercase[position]
    return str(position - letter_count + 1)


def places_of(targets: Targets, choices: Sequence[str]) -> list[int]:
    """Return the positions (from 0) of the right choices, sorted; one named twice is there twice.

    A choice has the name that `name_of` gives its position: the one after Z is "1". A target has
    one name or several: "A", "AB", "A, B", "12". A blank one has none. Case does not count. There
    must be choices. Raises Unscorable for a target that is no choice.
    """
    names = list(map(name_of, range(len(choices))))
    positions = []
    for target in targets:
        for part in target.replace(",", " ").split():
            target_names = [part] if part.isnumeric() else list(part)
            for name in target_names:
                if name.upper() not in names:
                    raise Unscorable(
                        f"The target {wording([target])} is none of the trace's {len(choices)}"
                        f" choices, {names[0]} to {names[-1]}.",
                    )
                positions.append(names.index(name.upper()))
    return sorted(positions)


def choice(
    completion: str,
    targets: Targets,
    scorer: Scorer,
    choices: Sequence[str],
) -> Score:
    """Return whether the response chooses what the targets name and nothing else, as a score.

    What it chooses follows its last ANSWER:. Without `scorer.multiple_correct` a response that
    names several chooses nothing. The value is C or I, or N for an empty response. The answer is
    the names of what was chosen, as "A, C", or "" for nothing, and then `reason` is `UNREADABLE`.
    Raises Unscorable if there are no choices or a target is none of them.
    """
    if not choices:
        raise Unscorable(
            "A choice is scored where the trace has choices, and this one has none.",
        )
    right = places_of(targets, choices)
    text, spans = _last_answer(completion)
    chosen = sorted(
        _chosen(text, len(choices), multiple_correct=scorer.multiple_correct),
    )
    target = named(right, choices)
    if not chosen:
        explanation = (
            "The response has no line “ANSWER: …” with a choice, and the target is"
            f" {target}."
        )
        value = INCORRECT
        if not completion.strip():
            value = NO_ANSWER
            explanation = EMPTY
        return Score(value, "", explanation, reason=UNREADABLE)
    answer = ", ".join(map(name_of, chosen))
    chosen_names = named(chosen, choices)
    beginning = f"The response chooses {chosen_names}"
    if chosen == right:
        return Score(CORRECT, answer, f"{beginning}, which is the target.", spans)
    return Score(INCORRECT, answer, f"{beginning}, and the target is {target}.", spans)


def named(positions: Sequence[int], choices: Sequence[str]) -> str:
    """Return choices with their names, for a sentence: “A) Paris” and “B) Rome”.

    `positions` count from 0, and their order stays. For none it is “nothing”, without quotes.
    """
    return wording(
        [f"{name_of(position)}) {choices[position]}" for position in positions],
        "and",
    )


_MATHS = re.compile(r"\$\s*([A-Za-z\d](?:[A-Za-z\d ,]*[A-Za-z\d,])?)\s*\$")
_BOLD = re.compile(r"\*\*\s*([A-Za-z\d](?:[A-Za-z\d ,]*[A-Za-z\d,])?)\s*\*\*")
_BRACKETS = re.compile(r"(?i)(?:^|[:,])\s*(\(([A-Za-z\d])\))(?=\s*(?:,|\.|\n|\Z))")
_LINE = re.compile(r"(?im)^ANSWER\s*:\s*([A-Za-z\d ,]++)[^\S\n]*(?:$|\n|\.)")
_ANYWHERE = re.compile(r"(?i)ANSWER\s*:\s*([A-Za-z\d ,]+)(?:\W|$)")


def _bare(text: str) -> tuple[str, Sequence[int]]:
    """Return a response without the marks around its choices, and where its characters were.

    Such marks are those of `$A$` and `**A**` anywhere, and of `(A)` as a list has it: "ANSWER: (A),
    (B)." becomes "ANSWER: A, B.". The second value has, for each character that is left, its offset
    in the response.
    """
    offsets: Sequence[int] = range(len(text))
    for wrapped, outer, inner in ((_MATHS, 0, 1), (_BOLD, 0, 1), (_BRACKETS, 1, 2)):
        kept_spans = list[Offsets]()
        reached = 0
        for match in wrapped.finditer(text):
            kept_spans += [(reached, match.start(outer)), match.span(inner)]
            reached = match.end(outer)
        if kept_spans:
            kept_spans.append((reached, len(text)))
            pieces: list[str] = []
            kept_offsets: list[int] = []
            for start, end in kept_spans:
                pieces.append(text[start:end])
                kept_offsets.extend(offsets[start:end])
            text = "".join(pieces)
            offsets = kept_offsets
    return text, offsets


def _last_answer(completion: str) -> tuple[str, tuple[Offsets, ...]]:
    """Return what follows the last "ANSWER:" in a response, in upper case, and its span there.

    "ANSWER:" may be in either case. What follows is letters, digits, blanks and commas, up to any
    other character. A line that begins with "ANSWER:" and has only such until its end or a full
    stop takes precedence over all others. Returns "" and no span if there is none, or if nothing
    follows it.
    """
    stripped, offsets = _bare(completion)
    for answer_pattern in (_LINE, _ANYWHERE):
        last_match = deque(answer_pattern.finditer(stripped), maxlen=1)
        if last_match:
            answer_match = last_match[0]
            text = answer_match[1].strip()
            start = (
                answer_match.start(1)
                + len(answer_match[1])
                - len(answer_match[1].lstrip())
            )
            if not text:
                return "", ()
            span = offsets[start], offsets[start + len(text) - 1] + 1
            return text.upper(), (span,)
    return "", ()


def _chosen(capitals: str, count: int, *, multiple_correct: bool) -> set[int]:
    """Return the positions (from 0) of the choices that `capitals` names, a text in upper case.

    `count` is how many choices there are. With `multiple_correct` there may be several, as "A, C",
    "A AND C" or "AC"; else exactly one. Empty if the text says anything else.
    """
    position_of = {name_of(position): position for position in range(count)}
    if not multiple_correct:
        names = [name for name in capitals.split(",") if name]
        if len(names) == 1 and names[0] in position_of:
            return {position_of[names[0]]}
        return set()
    joined_names = capitals.replace(" AND ", ",").replace(" ", "")
    between_commas = {name for name in joined_names.split(",") if name}
    letter_by_letter = set(joined_names)
    for choice_names in (between_commas, letter_by_letter):
        if choice_names <= position_of.keys():
            return {position_of[name] for name in choice_names}
    return set()


# -- any of them -----------------------------------------------------------------------------------


def score(
    name: str,
    completion: str,
    target: str | Targets,
    *,
    choices: Sequence[str] = (),
    answer_fn: Callable[[str], str] | None = None,
    **options: Any,
) -> Score:
    """Return what a scorer says of a response, with the settings that inspect_ai has for it.

    `name` is the scorer's, `options` are its settings. `target` is what is right, or several texts
    that are. `choices` are those of the trace, for choice only. `answer_fn` takes the answer out of
    the response, for f1 only. Raises ValueError for what does not fit: an unknown scorer or
    setting, a scorer that is no rule, an `answer_fn` of another scorer or one that returns no text,
    a choice without choices or with a target that is none of them. Raises Unmatched if a pattern
    takes too long.
    """
    trait = ScorerRubricTrait(name=name, scorer=name, **options)
    if trait.scorer in RULELESS or trait.is_graded:
        source = "a judge, the traces or a function"
        raise ValueError(f"{name} is no rule: its values come from {source}")
    if answer_fn is None:
        return scored(trait, completion, texts(target), choices)
    if trait.scorer != "f1":
        raise ValueError(f"answer_fn is no setting of {name}; f1 has it")
    return _f1_of_answer(trait, completion, texts(target), answer_fn)


def _f1_of_answer(
    trait: ScorerRubricTrait,
    completion: str,
    targets: Targets,
    answer_fn: Callable[[str], str],
) -> Score:
    """Return the f1 of the answer that `answer_fn` takes out of a response.

    Its spans are offsets in the response. There are none if the response does not contain the
    answer literally. Raises ValueError if the function returns no text.
    """
    extracted: object = answer_fn(completion)
    if not isinstance(extracted, str):
        wrong = (
            f"answer_fn gave a {type(extracted).__name__}, not the text of the answer"
        )
        raise ValueError(wrong)  # noqa: TRY004 - a wrong value, as of any other setting
    score_there = f1(extracted, targets, trait)
    start = completion.find(extracted)
    spans: tuple[Offsets, ...] = ()
    if start >= 0:
        spans = tuple(
            (start + begin, start + stop) for begin, stop in score_there.spans
        )
    reason = "" if completion.strip() else "no_response"
    return replace(score_there, spans=spans, reason=reason)


def scored(
    trait: ScorerRubricTrait,
    completion: str,
    targets: Targets,
    choices: Sequence[str],
    *,
    extracted: bool = False,
) -> Score:
    """Return the score of a response by a trait that asks nobody.

    The value of a multi_scorer is what its reducer makes of the members' values, or without a
    reducer a dictionary of them by name. With `extracted`, `completion` is the answer that a person
    gave. Without targets nothing is correct. Raises Unscorable for a choice without choices or with
    a target that is none of them, for a trait or member that is no rule, and if another package's
    reducer fails. Raises Unmatched if a pattern takes too long.
    """
    if trait.scorer != "multi_scorer":
        return by_rule(trait, completion, targets, choices, extracted=extracted)
    scores = [
        by_rule(member, completion, targets, choices, extracted=extracted)
        for member in trait.scorers
    ]
    return together(trait, scores)


def by_rule(
    scorer: Scorer,
    completion: str,
    targets: Targets,
    choices: Sequence[str],
    *,
    extracted: bool = False,
) -> Score:
    """Return the score of a response by one rule, or of an answer that a person gave.

    With `extracted`, `completion` is the answer: `pattern` and `answer` compare it as it is,
    `choice` as if it followed ANSWER:, other rules as a response. An empty `completion` is scored
    like any other, and can be correct. Its score has the reason "no_response", but not if it is an
    answer compared as it is. Raises Unscorable for a choice without choices or with a target that
    is none of them, and if the scorer is no rule. Raises Unmatched if a pattern takes too long.
    """
    if extracted and scorer.scorer in ("pattern", "answer"):
        ignore_case = scorer.ignore_case or scorer.scorer == "answer"
        return _score_of_groups(
            completion,
            _Comparison(targets, ignore_case),
            [(0, len(completion))],
        )
    if scorer.scorer == "choice":
        text = f"ANSWER: {completion}" if extracted else completion
        result = choice(text, targets, scorer, choices)
    elif scorer.scorer in _RULES:
        result = _RULES[scorer.scorer](completion, targets, scorer)
    else:
        raise Unscorable(f"{scorer.scorer} is no rule.")
    return result if completion.strip() else replace(result, reason="no_response")


_RULES: dict[str, Callable[[str, Targets, Scorer], Score]] = {
    "match": match,
    "includes": includes,
    "pattern": pattern,
    "answer": answer,
    "f1": f1,
    "exact": lambda completion, targets, _: exact(completion, targets),
}


def together(trait: ScorerRubricTrait, scores: Sequence[Score]) -> Score:
    """Return the members' scores as one: by the reducer, else as a dictionary by name.

    `scores` are in the order of the members, one for each. The answer is the one that all agree on,
    else None; the reason likewise, else "". The value is what the reducer gives, NaN if no member
    scored. The explanation has those of all, as "f1: 0.5. 1 of the 2 words …", each on a line. The
    spans are those of all, sorted and each once. Raises Unscorable if another package's reducer
    fails.
    """
    texts = []
    spans: set[Offsets] = set()
    for name, member_score in zip(trait.member_names, scores, strict=True):
        texts.append(
            f"{name}: {value_text(member_score.value)}. {member_score.explanation}",
        )
        spans.update(member_score.spans)
    first, *others = scores
    answer = first.answer
    reason = first.reason
    for member_score in others:
        if member_score.answer != answer:
            answer = None
        if member_score.reason != reason:
            reason = ""
    values = [member_score.value for member_score in scores]
    value: Any = dict(zip(trait.member_names, values, strict=True))
    if trait.reducer is not None:
        try:
            value = reduce_epochs(installed.reducer(trait.reducer), values)
        except Unusable as error:  # of another package
            raise Unscorable(f"{error}.") from None
    return Score(value, answer, "\n".join(texts), tuple(sorted(spans)), reason)
