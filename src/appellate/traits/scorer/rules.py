"""What the scorers that need no judge say of a response: a value, what they extracted, where that
stands, and why it matched or did not.

Values and answers are those of inspect_ai 0.3.285.
"""

import re
import string
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from appellate.traits.matching import Offsets
from appellate.traits.scorer import numerals

CORRECT, PARTIAL, INCORRECT, NO_ANSWER = "C", "P", "I", "N"
LISTED = 100
"""So many places of the response are told of one score."""
LONGEST = 60
"""So many characters of an answer stand in a sentence."""
EMPTY = "The response is empty."

Location = Literal["begin", "end", "any", "exact"]


class Score(Struct, frozen=True):
    """What a scorer says of a response: `answer` is what it extracted, None where it found none.

    `explanation` says why in a sentence, `spans` where in the response the answer stands, in
    codepoints. `reason` is why there was nothing to compare: "no_response" or
    "invalid_response_format".
    """

    value: str | float
    answer: str | None
    explanation: str
    spans: tuple[Offsets, ...] = ()
    reason: str = ""


def wording(texts: Sequence[str], joint: str = "or") -> str:
    """Texts in quotes, for a sentence: “A”, “B” or “C”."""
    shown = [f"“{_cut(text)}”" for text in texts] or ["nothing"]
    if len(shown) == 1:
        return shown[0]
    return f"{', '.join(shown[:-1])} {joint} {shown[-1]}"


def _cut(text: str) -> str:
    bare = " ".join(text[: 4 * LONGEST].split())
    if len(bare) <= LONGEST:
        return bare
    return f"{bare[: LONGEST - 1]}…"


def letter(*, is_correct: bool) -> str:
    if is_correct:
        return CORRECT
    return INCORRECT


def reason_of(completion: str, otherwise: str = "") -> str:
    """That a response says nothing, or what else kept it from being compared."""
    if completion.strip():
        return otherwise
    return "no_response"


def spans_of(*places: Offsets) -> tuple[Offsets, ...]:
    """The places that hold anything, as many as are told."""
    return tuple(place for place in places if place[0] < place[1])[:LISTED]


# -- match and includes ----------------------------------------------------------------------------


class _Tried(NamedTuple):
    """What came of the comparison with one target: `why` is a sentence, which without a match goes
    on with the targets.
    """

    is_match: bool
    answer: str
    spans: tuple[Offsets, ...]
    why: str


def match(
    completion: str,
    targets: Sequence[str],
    *,
    location: Location = "end",
    ignore_case: bool = True,
    numeric: bool = False,
) -> Score:
    """Whether the response ends with (begins with, has, is) a target.

    White space and punctuation around both do not count. With `numeric`, a target that is a number
    is compared with the last (first, any) number of the response.
    """
    bare = completion.strip()
    start = len(completion) - len(completion.lstrip())
    text = _FoldedAnswer(bare, start, ignore_case=ignore_case, around=AROUND)

    def tried(target: str) -> _Tried:
        wanted = _number(_without_marks(target.strip()))
        if numeric and wanted is not None:
            return _try_number(completion, _rounded(wanted), location, ignore_case=ignore_case)
        folded = text.alike(target.strip()).strip(AROUND)
        return _try_text(text, folded, target, bare, location)

    return _scored(completion, targets, tried)


def includes(completion: str, targets: Sequence[str], *, ignore_case: bool = True) -> Score:
    """Whether the response has a target anywhere, letter by letter."""
    text = _FoldedAnswer(completion, 0, ignore_case=ignore_case)

    def tried(target: str) -> _Tried:
        return _contains(text, text.alike(target), target, text.text)

    return _scored(completion, targets, tried)


def _scored(completion: str, targets: Sequence[str], tried: Callable[[str], _Tried]) -> Score:
    """By the first target that matches, else as the last was compared."""
    reason = reason_of(completion)
    last = _Tried(is_match=False, answer="", spans=(), why="There is no target to compare with:")
    for target in targets:
        last = tried(target)
        if last.is_match:
            return Score(CORRECT, last.answer, last.why, last.spans, reason)
    why = f"{last.why} {wording(targets)}."
    if reason:
        why = EMPTY
    return Score(INCORRECT, last.answer, why, last.spans, reason)


class _FoldedAnswer:
    """A stretch of a response as it compares, and where each character of it stands.

    `text` is without what stands `around` it.
    """

    def __init__(self, text: str, start: int, *, ignore_case: bool, around: str = "") -> None:
        self._ignore_case = ignore_case
        self._original = text
        self._places: list[int] | None = None
        folded = self.alike(text)
        if len(folded) != len(text):  # one letter became two, as ß does
            self._places = []
            for place, char in enumerate(text):
                self._places += [start + place] * len(char.casefold())
        self.text = folded
        self._start = start
        if around:
            self.text = folded.strip(around)
            self._before = len(folded) - len(folded.lstrip(around))
        else:
            self._before = 0

    def alike(self, text: str) -> str:
        """A text as it compares."""
        if self._ignore_case:
            return text.casefold()
        return text

    def span(self, start: int, end: int) -> Offsets:
        """Where a part of the compared text stands in the response."""
        if start >= end:
            return 0, 0
        low, high = self._before + start, self._before + end
        if self._places is None:
            return self._start + low, self._start + high
        return self._places[low], self._places[high - 1] + 1

    def original(self, start: int, end: int) -> str:
        """The same in the response's own letters."""
        low, high = self.span(start, end)
        return self._original[low - self._start : high - self._start]


AROUND = string.whitespace + string.punctuation
"""What may stand around a text that is compared."""
_BLANK = re.compile(r"\s")


def _try_text(
    whole: _FoldedAnswer, wanted: str, target: str, answer: str, location: Location
) -> _Tried:
    text = whole.text
    if location == "any":
        return _contains(whole, wanted, target, answer)
    if location == "exact":
        if text == wanted:
            return _Tried(True, answer, (), f"The whole response is {wording([target])}.")
        shown = wording([whole.original(0, len(text))])
        return _Tried(False, answer, (), f"The response is {shown}, not")
    is_match, verb = text.endswith(wanted), "ends"
    if location == "begin":
        is_match, verb = text.startswith(wanted), "begins"
    if is_match:
        size = len(wanted)
    elif location == "begin":
        size = _end_of_word(text, len(wanted))
    else:
        size = _end_of_word(text[-len(wanted) - 200 :][::-1], len(wanted))
    part = (len(text) - size, len(text))
    if location == "begin":
        part = (0, size)
    spans = spans_of(whole.span(*part))
    if is_match:
        return _Tried(True, answer, spans, f"The response {verb} with {wording([target])}.")
    shown = wording([whole.original(*part)])
    return _Tried(False, answer, spans, f"The response {verb} with {shown}, not with")


def _end_of_word(text: str, size: int) -> int:
    """Where the word ends in which so many characters of a text do."""
    found = _BLANK.search(text, max(size, 1))
    if found:
        return found.start()
    return len(text)


def _contains(whole: _FoldedAnswer, wanted: str, target: str, answer: str) -> _Tried:
    """Whether a text stands anywhere in the response."""
    place = whole.text.find(wanted)
    if place < 0:
        return _Tried(False, answer, (), "The response nowhere contains")
    spans = spans_of(whole.span(place, place + len(wanted)))
    return _Tried(True, answer, spans, f"The response contains {wording([target])}.")


# -- numbers in a response -------------------------------------------------------------------------

_ESCAPED = re.compile(r"\\([$,£€*_])")
_MARKS = re.compile(r"[$,£€*_]")
_FULL_STOP = re.compile(r"\.(?=\s|$|\D)")
_QUOTED = "!?:;()[]{}'\"`"
"""What may stand around a number: bounds and estimates, as in <42 and ~42, are no numbers."""
_TOKEN = re.compile(r"\S+")
_PLACES = {"begin": "first ", "end": "last ", "any": "", "exact": ""}


def _without_marks(text: str) -> str:
    """A text without marks of currency, thousands and emphasis, and without full stops."""
    return _FULL_STOP.sub("", _MARKS.sub("", _ESCAPED.sub(r"\1", text)))


def _number(text: str) -> float | None:
    return numerals.number(text.strip(_QUOTED))


def _rounded(found: float) -> str:
    return format(found, ".5g")


def _try_number(completion: str, wanted: str, location: Location, *, ignore_case: bool) -> _Tried:
    if location == "exact":
        return _try_whole_number(completion, wanted, ignore_case=ignore_case)
    numbers = _numbers(completion, from_the_end=location == "end")
    if location == "any":
        numbers = filter(lambda one: one[0] == wanted, numbers)
    found, span = next(numbers, ("", (0, 0)))
    if found == wanted:
        which = _PLACES[location]
        text = f"The {which}number of the response is {wanted}."
        if not which:
            text = f"The response has the number {wanted}."
        return _Tried(True, found, spans_of(span), text)
    if location == "any":
        return _Tried(False, completion.strip(), (), "No number of the response is")
    if not found:
        return _Tried(False, found, (), "The response has no number to compare with")
    text = f"The {_PLACES[location]}number of the response is {found}, not"
    return _Tried(False, found, spans_of(span), text)


def _try_whole_number(completion: str, wanted: str, *, ignore_case: bool) -> _Tried:
    bare = _without_marks(completion.strip())
    if ignore_case:
        bare = bare.casefold()
    found = numerals.number(bare)
    if found is None:
        return _Tried(False, bare, (), f"The response is {wording([bare])}, not the number")
    text = f"The response is the number {_rounded(found)}"
    if _rounded(found) == wanted:
        return _Tried(True, wanted, (), f"{text}.")
    return _Tried(False, _rounded(found), (), f"{text}, not")


def _numbers(text: str, *, from_the_end: bool) -> Iterator[tuple[str, Offsets]]:
    """The words of a text that are numbers, rounded, and where they stand."""
    tokens = list(_TOKEN.finditer(text))
    if from_the_end:
        tokens.reverse()
    for token in tokens:
        word, end = token[0], token.end()
        found = _number(_without_marks(word))
        if found is not None:
            bare = word.lstrip("\\$,£€*_" + _QUOTED)
            low = end - len(bare)
            yield _rounded(found), (low, low + len(bare.rstrip("\\$,£€*_." + _QUOTED)))
