"""The scorers that need no judge, by their names and settings: a value, what they extracted, where
that stands, and why it matched or did not; and the values of many made one.

Values and answers are those of inspect_ai 0.3.285.
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
from appellate.core.problem import Unusable, many
from appellate.stats.aggregates import reduce_epochs
from appellate.traits.matching import Offsets, matcher
from appellate.traits.scorer import numerals
from appellate.traits.scorer.labels import finite, texts, value_text
from appellate.traits.scorer.spec import ANSWERS, RULELESS, Location, Scorer, ScorerRubricTrait

CORRECT = "C"
PARTIAL = "P"
INCORRECT = "I"
NO_ANSWER = "N"
LISTED = 100
"""So many places of the response are kept of one score."""
LONGEST = 60
"""So many characters of an answer stand in a sentence."""
EMPTY = "The response is empty."
UNREADABLE = "invalid_response_format"
"""Why nothing was compared, as `Score.reason` has it: there is no answer in the form wanted."""

Targets = Sequence[str]


class Unscorable(ValueError):
    """There is nothing that a response could be held to; says why in a sentence."""


Scalar = str | int | float | bool
Value = Scalar | Sequence[Scalar] | Mapping[str, Scalar | None]
UNCHANGED: Literal["UNCHANGED"] = "UNCHANGED"
"""What a field of a `ScoreEdit` holds that leaves the score's as it is."""


class ScoreEdit(Struct, frozen=True):
    """One version of a score in its history, as inspect_ai has it: what an edit changed.

    `provenance` says who changed it and why; None is the score as the scorer gave it.
    """

    value: Value = UNCHANGED
    answer: str | None = UNCHANGED
    explanation: str | None = UNCHANGED
    reason: str | None = UNCHANGED
    metadata: Mapping[str, Any] | Literal["UNCHANGED"] | None = UNCHANGED
    provenance: Mapping[str, Any] | None = None


class Score(Struct, frozen=True):
    """What a scorer says of a response: `answer` is what it extracted, None where it found none.

    `value` is a letter, a number, true or false, or a list or dictionary of these; NaN is unscored.
    `explanation` says why in a sentence, `spans` where in the response the answer stands, in
    codepoints. `reason` is why there was nothing to compare: "no_response" or `UNREADABLE`.
    `history` has every version of an edited score, the first as the scorer gave it.

    The `as_…` methods read the value as inspect_ai's do, and raise ValueError where it is not that.
    """

    value: Any
    answer: str | None = None
    explanation: str | None = None
    spans: tuple[Offsets, ...] = ()
    reason: str = ""
    metadata: Mapping[str, Any] | None = None
    history: tuple[ScoreEdit, ...] = ()

    @property
    def text(self) -> str:
        """The value as text."""
        return self.as_str()

    def as_str(self) -> str:
        """Return the value as text."""
        return str(self._scalar())

    def as_int(self) -> int:
        """Return the value as a whole number: what is behind the point is left out."""
        try:
            return int(self._scalar())
        except (ValueError, OverflowError):
            raise ValueError(f"the score {self.text} is no whole number") from None

    def as_float(self) -> float:
        """Return the value as a number; letters are none, `value_to_float` says what they count."""
        try:
            return float(self._scalar())
        except (ValueError, OverflowError):
            raise ValueError(f"the score {_cut(self.text)} is no number") from None

    def as_bool(self) -> bool:
        """Return the value as `bool` has it: false of 0, False and "" alone, not of "I"."""
        return bool(self._scalar())

    def as_list(self) -> list[Scalar]:
        """Return the value as a list."""
        if not isinstance(self.value, list | tuple):
            raise ValueError("the score is not a list")  # noqa: TRY004 - as in inspect_ai
        return list(self.value)

    def as_dict(self) -> dict[str, Scalar | None]:
        """Return the value as a dictionary."""
        if not isinstance(self.value, Mapping):
            wrong = "the score is not a dictionary"
            raise ValueError(wrong)  # noqa: TRY004 - as in inspect_ai
        return dict(self.value)

    def edited(self, edit: ScoreEdit) -> "Score":
        """Return the score after an edit, with both in its history."""
        history = self.history
        if not history:
            original = ScoreEdit(
                self.value, self.answer, self.explanation, self.reason, self.metadata
            )
            history = (original,)
        changes: dict[str, Any] = {"history": (*history, edit)}
        for name in ("value", "answer", "explanation", "reason", "metadata"):
            given = getattr(edit, name)
            if not isinstance(given, str) or given != UNCHANGED:
                changes[name] = given
        return replace(self, **changes)

    def _scalar(self) -> Scalar:
        if isinstance(self.value, str | int | float | bool):
            return self.value
        raise ValueError("the score is not a single value: read it by as_list() or as_dict()")


def wording(texts: Sequence[str], joint: str = "or") -> str:
    """Texts in quotes, for a sentence: “A”, “B” or “C”."""
    shown = [f"“{_cut(text)}”" for text in texts] or ["nothing"]
    return f" {joint} ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _cut(text: str) -> str:
    bare = " ".join(text[: 4 * LONGEST].split())
    return bare if len(bare) <= LONGEST else f"{bare[: LONGEST - 1]}…"


def spans_of(*places: Offsets) -> tuple[Offsets, ...]:
    """The places that hold anything, as many as are kept."""
    return tuple(place for place in places if place[0] < place[1])[:LISTED]


# -- match and includes ----------------------------------------------------------------------------


def match(completion: str, targets: Targets, one: Scorer) -> Score:
    """Whether the response ends with (begins with, has, is) a target.

    White space and punctuation around both do not count. With `numeric`, a target that is a number
    is compared with the last (first, any) number of the response.
    """
    bare = completion.strip()
    start = len(completion) - len(completion.lstrip())
    text = _FoldedAnswer(bare, start, ignore_case=one.ignore_case, around=AROUND)

    def tried(target: str) -> Score:
        wanted = target.strip()
        if one.numeric:
            wanted = _without_marks(wanted)
            number = _number(wanted)
            if number is not None:
                return _try_number(completion, _rounded(number), one)
        folded = text.alike(wanted).strip(AROUND)
        return _try_text(text, folded, target, bare, one.location)

    return _scored(completion, targets, tried)


def includes(completion: str, targets: Targets, one: Scorer) -> Score:
    """Whether the response has a target anywhere, letter by letter."""
    text = _FoldedAnswer(completion, 0, ignore_case=one.ignore_case)

    def tried(target: str) -> Score:
        return _contains(text, text.alike(target), target, text.text)

    return _scored(completion, targets, tried)


def _scored(completion: str, targets: Targets, tried: Callable[[str], Score]) -> Score:
    """By the first target that matches, else as the last, whose sentence names all of them."""
    last = Score(INCORRECT, "", "There is no target to compare with:")
    for target in targets:
        last = tried(target)
        if last.value == CORRECT:
            return last
    why = f"{last.explanation} {wording(targets)}."
    if not completion.strip():
        why = EMPTY
    return replace(last, explanation=why)


class _FoldedAnswer:
    """A stretch of a response as it compares, without what is `around` it, and its places."""

    def __init__(self, text: str, start: int, *, ignore_case: bool, around: str = "") -> None:
        self._ignore_case = ignore_case
        self._start = start
        self._original = text
        self._places: Sequence[int] = range(start, start + len(text))
        folded = self.alike(text)
        if len(folded) != len(text):  # one letter became two, as ß does
            each = zip(self._places, text, strict=True)
            self._places = [place for place, char in each for _ in char.casefold()]
        self.text = folded.strip(around)
        self._places = self._places[len(folded) - len(folded.lstrip(around)) :]

    def alike(self, text: str) -> str:
        """A text as it compares."""
        return text.casefold() if self._ignore_case else text

    def span(self, start: int, end: int) -> Offsets:
        """Where a part of the compared text is in the response."""
        return (self._places[start], self._places[end - 1] + 1) if start < end else (0, 0)

    def original(self, start: int, end: int) -> str:
        """The same in the response's own letters."""
        low, high = self.span(start, end)
        return self._original[low - self._start : high - self._start]


AROUND = string.whitespace + string.punctuation
"""What may stand around a text that is compared."""
_BLANK = re.compile(r"\s")


def _try_text(
    whole: _FoldedAnswer, wanted: str, target: str, answer: str, location: Location
) -> Score:
    text = whole.text
    if location == "any":
        return _contains(whole, wanted, target, answer)
    if location == "exact":
        if text == wanted:
            return Score(CORRECT, answer, f"The whole response is {wording([target])}.")
        shown = wording([whole.original(0, len(text))])
        return Score(INCORRECT, answer, f"The response is {shown}, not")
    if location == "begin":
        verb = "begins"
        is_match = text.startswith(wanted)
        size = len(wanted) if is_match else _end_of_word(text, len(wanted))
        part = (0, size)
    else:
        verb = "ends"
        is_match = text.endswith(wanted)
        around = text[-len(wanted) - 200 :][::-1]
        size = len(wanted) if is_match else _end_of_word(around, len(wanted))
        part = (len(text) - size, len(text))
    spans = spans_of(whole.span(*part))
    if is_match:
        return Score(CORRECT, answer, f"The response {verb} with {wording([target])}.", spans)
    shown = wording([whole.original(*part)])
    return Score(INCORRECT, answer, f"The response {verb} with {shown}, not with", spans)


def _end_of_word(text: str, size: int) -> int:
    """Where the word ends in which so many characters of a text do."""
    found = _BLANK.search(text, max(size, 1))
    return found.start() if found else len(text)


def _contains(whole: _FoldedAnswer, wanted: str, target: str, answer: str) -> Score:
    place = whole.text.find(wanted)
    if place < 0:
        return Score(INCORRECT, answer, "The response nowhere contains")
    spans = spans_of(whole.span(place, place + len(wanted)))
    return Score(CORRECT, answer, f"The response contains {wording([target])}.", spans)


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


def _try_number(completion: str, wanted: str, one: Scorer) -> Score:
    location = one.location
    if location == "exact":
        return _try_whole_number(completion, wanted, ignore_case=one.ignore_case)
    numbers = _numbers(completion, from_the_end=location == "end")
    if location == "any":
        numbers = filter(lambda number: number[0] == wanted, numbers)
    found, span = next(numbers, ("", (0, 0)))
    if found == wanted:
        which = _PLACES[location]
        text = f"The {which}number of the response is {wanted}."
        if not which:
            text = f"The response has the number {wanted}."
        return Score(CORRECT, found, text, spans_of(span))
    if location == "any":
        return Score(INCORRECT, completion.strip(), "No number of the response is")
    if not found:
        return Score(INCORRECT, found, "The response has no number to compare with")
    text = f"The {_PLACES[location]}number of the response is {found}, not"
    return Score(INCORRECT, found, text, spans_of(span))


def _try_whole_number(completion: str, wanted: str, *, ignore_case: bool) -> Score:
    bare = _without_marks(completion.strip())
    if ignore_case:
        bare = bare.casefold()
    found = numerals.number(bare)
    if found is None:
        return Score(INCORRECT, bare, f"The response is {wording([bare])}, not the number")
    text = f"The response is the number {_rounded(found)}"
    if _rounded(found) == wanted:
        return Score(CORRECT, wanted, f"{text}.")
    return Score(INCORRECT, _rounded(found), f"{text}, not")


def _numbers(text: str, *, from_the_end: bool) -> Iterator[tuple[str, Offsets]]:
    """The words of a text that are numbers, rounded, and where they stand."""
    tokens = list(_TOKEN.finditer(text))
    if from_the_end:
        tokens.reverse()
    for token in tokens:
        word = token[0]
        end = token.end()
        found = _number(_without_marks(word))
        if found is not None:
            bare = word.lstrip("\\$,£€*_" + _QUOTED)
            low = end - len(bare)
            yield _rounded(found), (low, low + len(bare.rstrip("\\$,£€*_." + _QUOTED)))


# -- word by word: exact and f1 --------------------------------------------------------------------

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PARTS = re.compile(r"[ -]")
_WORD = re.compile(r"[^\s-]+")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class _ScoredWords:
    """Words as `exact` and `f1` compare them: no case, article, punctuation; numbers by value."""

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self._known: dict[str, str] = {}
        self._stopped = frozenset(map(self.one, stop_words))

    def of(self, text: str) -> list[str]:
        """All words of a text."""
        kept = []
        for part in _PARTS.split(text):
            word = self.one(part)
            if word not in self._stopped:
                kept += word.split()
        return kept

    def one(self, part: str) -> str:
        """What is between two blanks."""
        known = self._known.get(part)
        if known is None:
            known = self._known[part] = self._normal(part)
        return known

    def _normal(self, part: str) -> str:
        bare = part.casefold()
        letters = bare.translate(_NO_PUNCTUATION)
        for text in (bare, bare.strip(AROUND), letters):
            found = finite(text)
            if found is not None:
                return str(found)
        return " ".join(_ARTICLES.sub(" ", letters).split())


def exact(completion: str, targets: Targets) -> Score:
    """Whether the whole response is a target, word by word."""
    words = _ScoredWords()
    mine = " ".join(words.of(completion))
    for target in targets:
        wanted = " ".join(words.of(target))
        if wanted and wanted == mine:
            text = f"The words of the response are those of {wording([target])}."
            return Score(CORRECT, completion, text)
    text = f"The words of the response are {wording([mine])}, not those of {wording(targets)}."
    return Score(INCORRECT, completion, text)


def f1(completion: str, targets: Targets, one: Scorer) -> Score:
    """How far the words of the response are those of a target: the best F1 over the targets, each
    word counted as often as it is there, rounded to two places.
    """
    words = _ScoredWords(one.stop_words)
    mine = Counter(words.of(completion))
    measured = []
    for target in targets:
        bag = Counter(words.of(target))
        value = 0.0
        shared = (mine & bag).total()
        if shared:
            precision = shared / mine.total()
            recall = shared / bag.total()
            value = 2 * precision * recall / (precision + recall)
        if bag:
            measured.append((value, target, bag))
    if not measured:
        text = f"The target has no words to compare with: {wording(targets)}."
        return Score(0.0, completion, text)
    best, nearest, theirs = max(measured, key=itemgetter(0))
    if not mine:
        text = f"The response has no words to compare with {wording([nearest])}."
        return Score(0.0, completion, text)
    text = (
        f"{(mine & theirs).total()} of the {many(mine.total(), 'word')} of the response are among"
        f" the {theirs.total()} of {wording([nearest])}."
    )
    spans = tuple(islice(_shared(completion, words, theirs), LISTED))
    return Score(round(best, 2), completion, text, spans)


def _shared(completion: str, words: _ScoredWords, theirs: Counter[str]) -> Iterator[Offsets]:
    """Where the words stand that the target has, too; each as often as there."""
    left = theirs.copy()
    for token in _WORD.finditer(completion):
        word = words.one(token[0])
        if left[word] > 0:
            left[word] -= 1
            yield token.span()


# -- what a pattern extracts: pattern and answer ---------------------------------------------------

_WANTED = {
    "letter": "“ANSWER:” with one letter after it",
    "word": "“ANSWER:” with one word after it, at the end of a line",
    "line": "“ANSWER:” with text after it on its last line",
}


def pattern(completion: str, targets: Targets, one: Scorer) -> Score:
    """Whether a group of the pattern's first match is a target; with `match_all`, every group.

    Without groups the match itself is compared. Raises Unmatched where the pattern takes too long.
    """
    wanted = _Wanted(targets, one.ignore_case, one.match_all)
    return _extracted(completion, wanted, one.pattern or "", "match of the pattern")


def answer(completion: str, targets: Targets, one: Scorer) -> Score:
    """Whether what is after the last ANSWER: is a target, in any case of letters."""
    kind = one.pattern or ""
    return _extracted(completion, _Wanted(targets), ANSWERS[kind], _WANTED[kind])


class _Wanted(NamedTuple):
    """What extracted texts are compared with."""

    targets: Targets
    ignore_case: bool = True
    match_all: bool = False

    def alike(self, text: str) -> str:
        return text.lower() if self.ignore_case else text


def _extracted(completion: str, wanted: _Wanted, regex: str, missing: str) -> Score:
    found = matcher().find(regex, completion, case_sensitive=not wanted.ignore_case, max_matches=1)
    if found.hits:
        return _compared(completion, wanted, found.groups or found.matches)
    why = f"The response has no {missing}, and the target is {wording(wanted.targets)}."
    if not completion.strip():
        why = EMPTY
    return Score(INCORRECT, None, why, reason=UNREADABLE)


def _compared(completion: str, wanted: _Wanted, spans: Sequence[Offsets | None]) -> Score:
    """What the groups of a match come to; one that took no part is None."""
    known = set(map(wanted.alike, wanted.targets))
    places = [span for span in spans if span is not None]
    taken = [completion[start:end] for start, end in places]
    fitting = [text for text in taken if wanted.alike(text) in known]
    found: str | None = None
    if fitting and not wanted.match_all:
        found = fitting[0]
        places = [places[taken.index(found)]]
    elif fitting and len(fitting) == len(taken):
        found = "".join(wanted.targets)
    if found:
        why = f"{wording([found])} is the target."
        return Score(CORRECT, found, why, spans_of(*places))
    if found is None and not wanted.match_all and len(spans) == len(taken) == 1:
        found = taken[0]
    why = f"{wording(taken, 'and')} was extracted, and the target is {wording(wanted.targets)}."
    return Score(INCORRECT, found, why, spans_of(*places))


# -- multiple choice -------------------------------------------------------------------------------


def name_of(place: int) -> str:
    """What the choice at a place (0-based) is called: A to Z, behind these 1 and on."""
    letters = len(ascii_uppercase)
    return ascii_uppercase[place] if place < letters else str(place - letters + 1)


def places_of(targets: Targets, choices: Sequence[str]) -> list[int]:
    """Where the right choices stand among the choices; raises Unscorable for a target that is none.

    A target is a name, or several: "A", "AB", "A, B", "27".
    """
    names = list(map(name_of, range(len(choices))))
    found = []
    for target in targets:
        for part in target.replace(",", " ").split():
            for one in [part] if part.isnumeric() else part:
                if one.upper() not in names:
                    raise Unscorable(
                        f"The target {wording([target])} is none of the trace's {len(choices)}"
                        f" choices, {names[0]} to {names[-1]}."
                    )
                found.append(names.index(one.upper()))
    return sorted(found)


def choice(completion: str, targets: Targets, one: Scorer, choices: Sequence[str]) -> Score:
    """Whether the response chooses what the targets name and nothing else; raises Unscorable."""
    if not choices:
        raise Unscorable("A choice is scored where the trace has choices, and this one has none.")
    right = places_of(targets, choices)
    text, spans = _last_answer(completion)
    chosen = sorted(_chosen(text, len(choices), multiple_correct=one.multiple_correct))
    target = named(right, choices)
    if not chosen:
        why = f"The response has no line “ANSWER: …” with a choice, and the target is {target}."
        value = INCORRECT
        if not completion.strip():
            value = NO_ANSWER
            why = EMPTY
        return Score(value, "", why, reason=UNREADABLE)
    answer = ", ".join(map(name_of, chosen))
    what = f"The response chooses {named(chosen, choices)}"
    if chosen == right:
        return Score(CORRECT, answer, f"{what}, which is the target.", spans)
    return Score(INCORRECT, answer, f"{what}, and the target is {target}.", spans)


def named(places: Sequence[int], choices: Sequence[str]) -> str:
    """Choices with their names, for a sentence."""
    return wording([f"{name_of(place)}) {choices[place]}" for place in places], "and")


_MATHS = re.compile(r"\$\s*([A-Za-z\d](?:[A-Za-z\d ,]*[A-Za-z\d,])?)\s*\$")
_BOLD = re.compile(r"\*\*\s*([A-Za-z\d](?:[A-Za-z\d ,]*[A-Za-z\d,])?)\s*\*\*")
_BRACKETS = re.compile(r"(?i)(?:^|[:,])\s*(\(([A-Za-z\d])\))(?=\s*(?:,|\.|\n|\Z))")
_LINE = re.compile(r"(?im)^ANSWER\s*:\s*([A-Za-z\d ,]++)[^\S\n]*(?:$|\n|\.)")
_ANYWHERE = re.compile(r"(?i)ANSWER\s*:\s*([A-Za-z\d ,]+)(?:\W|$)")


def _bare(text: str) -> tuple[str, Sequence[int]]:
    """A response without what is around its choices, and where its characters stood."""
    places: Sequence[int] = range(len(text))
    for wrapped, outer, inner in ((_MATHS, 0, 1), (_BOLD, 0, 1), (_BRACKETS, 1, 2)):
        kept = list[Offsets]()
        done = 0
        for match in wrapped.finditer(text):
            kept += [(done, match.start(outer)), match.span(inner)]
            done = match.end(outer)
        if kept:
            kept.append((done, len(text)))
            text = "".join([text[start:end] for start, end in kept])
            places = [place for start, end in kept for place in places[start:end]]
    return text, places


def _last_answer(completion: str) -> tuple[str, tuple[Offsets, ...]]:
    """What is after the last ANSWER:, and where; a line that begins so is taken first."""
    bare, places = _bare(completion)
    for wanted in (_LINE, _ANYWHERE):
        found = deque(wanted.finditer(bare), maxlen=1)
        if found:
            last = found[0]
            text = last[1].strip()
            start = last.start(1) + len(last[1]) - len(last[1].lstrip())
            if not text:
                return "", ()
            span = places[start], places[start + len(text) - 1] + 1
            return text.upper(), (span,)
    return "", ()


def _chosen(text: str, count: int, *, multiple_correct: bool) -> set[int]:
    """The places of the choices that a text names; none where it says anything else."""
    places = {name_of(place): place for place in range(count)}
    if not multiple_correct:
        names = list(filter(None, text.split(",")))
        if len(names) == 1 and names[0] in places:
            return {places[names[0]]}
        return set()
    together = text.replace(" AND ", ",").replace(" ", "")
    for names in (list(filter(None, together.split(","))), list(together)):
        if set(names) <= places.keys():
            return {places[name] for name in names}
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
    """What a scorer says of a response, with the settings that inspect_ai has for it (SPEC 13).

    `target` is what is right, or several that are. `answer_fn`, of f1 alone, takes the answer out
    of the response. Raises ValueError for an unknown scorer or setting, for one that a judge must
    be asked for, and where nothing can be scored.
    """
    trait = ScorerRubricTrait(name=name, scorer=name, **options)
    if trait.scorer in RULELESS or trait.is_graded:
        source = "a judge, the traces or a function"
        raise ValueError(f"{name} is no rule: its values come from {source}")
    if answer_fn is None:
        return scored(trait, completion, texts(target), choices)
    if trait.scorer != "f1":
        raise ValueError(f"answer_fn is no setting of {name}; f1 has it")
    return _of_taken_out(trait, completion, texts(target), answer_fn)


def _of_taken_out(
    trait: ScorerRubricTrait, completion: str, targets: Targets, answer_fn: Callable[[str], str]
) -> Score:
    """The f1 of the answer that a function takes out of a response, with its places there."""
    taken: object = answer_fn(completion)
    if not isinstance(taken, str):
        wrong = f"answer_fn gave a {type(taken).__name__}, not the text of the answer"
        raise ValueError(wrong)  # noqa: TRY004 - a wrong value, as of any other setting
    found = f1(taken, targets, trait)
    start = completion.find(taken)
    spans: tuple[Offsets, ...] = ()
    if start >= 0:
        spans = tuple((start + low, start + high) for low, high in found.spans)
    reason = "" if completion.strip() else "no_response"
    return replace(found, spans=spans, reason=reason)


def scored(
    trait: ScorerRubricTrait,
    completion: str,
    targets: Targets,
    of: Sequence[str],
    *,
    extracted: bool = False,
) -> Score:
    """The score of a response by a trait that asks nobody, or of the answer that a person
    `extracted` from one; `of` are the trace's choices.

    Raises Unscorable where there is nothing to hold it to, Unmatched where a pattern takes too
    long.
    """
    if trait.scorer != "multi_scorer":
        return by_rule(trait, completion, targets, of, extracted=extracted)
    scores = [by_rule(one, completion, targets, of, extracted=extracted) for one in trait.scorers]
    return together(trait, scores)


def by_rule(
    one: Scorer, completion: str, targets: Targets, of: Sequence[str], *, extracted: bool = False
) -> Score:
    """The score of a response by one rule, or of an answer that was extracted by hand."""
    if extracted and one.scorer in ("pattern", "answer"):
        ignore_case = one.ignore_case or one.scorer == "answer"
        return _compared(completion, _Wanted(targets, ignore_case), [(0, len(completion))])
    if one.scorer == "choice":
        text = f"ANSWER: {completion}" if extracted else completion
        found = choice(text, targets, one, of)
    elif one.scorer in _RULES:
        found = _RULES[one.scorer](completion, targets, one)
    else:
        raise Unscorable(f"{one.scorer} is no rule.")
    return found if completion.strip() else replace(found, reason="no_response")


_RULES: dict[str, Callable[[str, Targets, Scorer], Score]] = {
    "match": match,
    "includes": includes,
    "pattern": pattern,
    "answer": answer,
    "f1": f1,
    "exact": lambda completion, targets, _: exact(completion, targets),
}


def together(trait: ScorerRubricTrait, scores: Sequence[Score]) -> Score:
    """A dictionary of the members' scores, or one by the reducer; the answer if all agree on it.

    The value is NaN where no member scored. Raises Unscorable where another package's reducer
    fails.
    """
    texts = []
    spans: set[Offsets] = set()
    for name, one in zip(trait.member_names, scores, strict=True):
        texts.append(f"{name}: {value_text(one.value)}. {one.explanation}")
        spans.update(one.spans)
    first, *others = scores
    answer = first.answer
    reason = first.reason
    for one in others:
        if one.answer != answer:
            answer = None
        if one.reason != reason:
            reason = ""
    values = [one.value for one in scores]
    value: Any = dict(zip(trait.member_names, values, strict=True))
    if trait.reducer is not None:
        try:
            value = reduce_epochs(installed.reducer(trait.reducer), values)
        except Unusable as error:  # of another package
            raise Unscorable(f"{error}.") from None
    return Score(value, answer, "\n".join(texts), tuple(sorted(spans)), reason)
