"""What is wrong with input, with its position, and `Refused`, the one way in which the core says
no.
"""

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, time
from signal import Signals
from typing import Generic, TypeVar

from msgspec import Struct, field

from appellate.core.inert import escaped


def many(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun: `1 cell`, `2 cells`, `1,000 cells`.

    `plural` is for nouns whose plural does not end in s.
    """
    if count == 1:
        return f"1 {singular}"
    if not plural:
        plural = f"{singular}s"
    return f"{count:,} {plural}"


def listing(texts: Sequence[str], joint: str = "and") -> str:
    """Return texts for a sentence: "a", "a and b", "a, b and c"; "" for none.

    `joint` is the word before the last one; it has no comma before it.
    """
    *earlier, last = texts or [""]
    if not earlier:
        return last
    return f"{', '.join(earlier)} {joint} {last}"


def first_texts(texts: Sequence[str], most: int, joint: str = ", ") -> str:
    """Return the first `most` texts joined, then how many are left: "a, b and 3 more".

    If there are no more than `most`, it is all of them; "" for none.
    """
    text = joint.join(texts[:most])
    remaining_count = len(texts) - most
    if remaining_count > 0:
        text += f" and {remaining_count:,} more"
    return text


_MOST_NAMED = 3
"""Names that `counted_names` tells."""


def counted_names(names: Sequence[str], noun: str) -> str:
    """Return how many names there are, and the first three: "5 cells (a, b, c and 2 more)".

    Names stay in their order. Without names it is "0 cells". `noun` is the singular of what is
    counted, and its plural ends in s.
    """
    if not names:
        return many(0, noun)
    count_text = many(len(names), noun)
    return f"{count_text} ({first_texts(names, _MOST_NAMED)})"


def lower(text: str) -> str:
    """Return the text in lower case, code point for code point.

    A character that would become two stays as it is.
    """
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    characters = []
    for char in text:
        lowered = char.lower()
        characters.append(lowered if len(lowered) == 1 else char)
    return "".join(characters)


_SHAPES = {"a list": (list,), "a table": (dict,), "a date or time": (date, time)}
_HUGE = 10**40
_MANY = 1000


class Problem(Struct, frozen=True):
    """One fault in a loaded file."""

    file: str
    place: str
    """Where it is: "line 3", "metric_traits[0].metrics", "line 3: judgments.X.tp[1]", or ""."""
    wrong: str
    right: str = ""
    """What would be right; "" if that cannot be said."""
    trace: str = ""
    """The name of the trace that it is about; "" for none."""

    def __str__(self) -> str:
        """Return the problem in one line, as `file: place: what is wrong; what would be right
        (trace "t1")`.

        The place, what would be right and the trace are left out if they are "". The trace's name
        is cut to 60 characters and escaped; nothing else is.
        """
        text = f"{self.file}: "
        if self.place:
            text += f"{self.place}: "
        text += self.wrong
        if self.right:
            text += f"; {self.right}"
        if self.trace:
            text += f" (trace {quoted(self.trace)})"
        return text


class Unusable(Exception):
    """Raised for input that cannot be used at all; holds every problem found."""

    def __init__(self, problems: list[Problem]) -> None:
        """Keep the problems; the message has a line for each."""
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def quoted(text: str, most: int = 60) -> str:
    """Return the text between double quotes, cut to `most` characters and safe for a terminal.

    If it is cut, the last of these characters is "…". Characters that are not printable are escaped
    afterwards, which makes it longer. Quotes and backslashes in it stay as they are.
    """
    if len(text) > most:
        text = text[: most - 1] + "…"
    return f'"{escaped(text)}"'


def describe_value(value: object) -> str:
    """Return what a value of a file is, in a reader's words: `the text "x"`, `a list`, `the number
    3`.

    Texts are cut to 40 characters and escaped; true, false, null, a table, a date or time, nan, and
    infinite and huge numbers are named as such. A value that no file can hold is "something else".
    """
    if isinstance(value, str):
        return f"the text {quoted(value, 40)}"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]

    for name, kinds in _SHAPES.items():
        if isinstance(value, kinds):
            return name
    if not isinstance(value, int | float):
        return "something else"
    if value != value:  # noqa: PLR0124 - nan alone is not itself
        return "nan, which is no number"
    if abs(value) == float("inf"):
        return "an infinite number"
    if abs(value) >= _HUGE:
        return "a huge number"

    return f"the number {value}"


_JSON_NAMES = {
    "NoneType": "null",
    "str": "a text",
    "string": "a text",
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "list": "a list",
    "dict": "a table",
}
"""What Python's types are called in a JSON file."""
_EXPECTED_TYPES = {"a table": dict, "a text": str, "a list": list}
"""The types that a method can be of, by what they are called in a JSON file."""
_SHAPE_ERRORS = (
    (r"'(\w+)' object is not subscriptable", "a table or list"),
    (r"(?:'(\w+)' object is not|argument of type '(\w+)' is not) iterable", "a list"),
    (r"(list|string) ind(?:ices|ex) must be integers", "a table"),
    (r"unhashable type: '(\w+)'", "a text or number"),
    (r"sequence item \d+: expected str instance, (\w+) found", "a text"),
    (r"(?:float|int)\(\) argument must be .* not '(\w+)'", "a number"),
    (r"'[<>]=?' not supported between instances of '(\w+)' and 'int'", "a number"),
)
"""Python's words for a value of a wrong type, with that type, and what a tool has in its place."""
_NO_NUMBER = r"(?:could not convert string to float|invalid literal for int\(\).*): "
_SURE_ERRORS: dict[type[Exception], str] = {
    IndexError: "a list has too few entries",
    RecursionError: "it is nested too deep",
    OverflowError: "a number is too large",
}
"""What is wrong with a file's value whatever the error's own words are."""


def shape_error_text(error: Exception) -> str:
    """Return in a clause what is wrong with a file's value, from the error that it led to.

    As "null is where a table should be" or `"id" is missing or unknown`. Readers take a file's
    tables, lists and texts as they should be, and Python's words for what happens where they are
    not help nobody who looks at the file. Any other error is told in its own words, in one line;
    one without words by the name of its class.
    """
    own_words = " ".join(str(error).split())
    if isinstance(error, AttributeError) and error.name is not None:
        for expected, kind in _EXPECTED_TYPES.items():
            if hasattr(kind, error.name):
                return f"{describe_value(error.obj)} is where {expected} should be"
    if isinstance(error, KeyError) and error.args:
        return f"{quoted(str(error.args[0]))} is missing or unknown"
    if isinstance(error, TypeError):
        return _type_error_text(own_words)
    if isinstance(error, ValueError) and re.match(_NO_NUMBER, own_words):
        value = re.sub(_NO_NUMBER, "", own_words)
        return f"{value} is where a number should be"
    return _SURE_ERRORS.get(type(error), own_words or type(error).__name__)


def _type_error_text(own_words: str) -> str:
    """Return in a clause what is wrong with a file's value, from the words of a TypeError.

    As "null is where a table should be", if the words name a type of JSON that was taken for
    another. Any other words are returned as they are.
    """
    for pattern, expected in _SHAPE_ERRORS:
        match = re.search(pattern, own_words)
        if match is None:
            continue
        type_name = match[match.lastindex or 0]
        if type_name in _JSON_NAMES:
            return f"{_JSON_NAMES[type_name]} is where {expected} should be"
    return own_words


def closest(word: str, words: Collection[str], likeness: float = 0.6) -> str:
    """Return the known word that was probably meant, or "" if none is alike enough.

    `likeness` is from 0 for anything to 1 for the word itself; capitals and small letters are
    different. More than 1,000 words are not compared: that gives "", too.
    """
    if len(words) > _MANY:
        return ""
    matches = difflib.get_close_matches(word, words, 1, likeness)
    return matches[0] if matches else ""


def unknown_key(key: str, known_keys: Collection[str]) -> tuple[str, str]:
    """Return what is wrong with a key that is unknown, and what would be right, as two texts.

    As `there is no key "nmae"` and `did you mean "name"?`. If no known key is alike, the second
    lists all of them in their order: `keys are id, name`.
    """
    wrong = f"there is no key {quoted(key)}"
    suggestion = closest(key, known_keys)
    if suggestion:
        return wrong, f"did you mean {quoted(suggestion)}?"
    all_keys = ", ".join(known_keys)
    return wrong, f"keys are {all_keys}"


def signal_name(number: int) -> str:
    """Return the name of a signal: "SIGKILL", or "signal 35" for one without a name."""
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"


T = TypeVar("T")


class Loaded(Struct, Generic[T], frozen=True):
    """A file that was read."""

    value: T | None
    """For use only if there are no `problems`."""
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    """Why bad traces were left out."""

    def usable(self) -> T:
        """Return the value.

        Raises Unusable if there are problems, which it has all of, or if the value is None.
        """
        if self.problems or self.value is None:
            raise Unusable(self.problems)
        return self.value


KeyNames = Mapping[str, str]
"""The keys that a person gave to bindings, by the bindings' ids; "" for a binding without a key."""
USUAL: KeyNames = {}
"""No keys of the person's own: the usual ones."""
_IN_QUOTES = "“[^“”]*”"
"""The first choice of each pattern below, so that nothing else matches within quotes."""
# not `{value:.2f}`
_NAMED = re.compile(
    _IN_QUOTES + r"|\{([a-z_]+\.\w+|[a-z_]{4,}):([^{}]|[A-Z][^{}\s]+)\}",
)
_PART_GAP = re.compile(_IN_QUOTES + "| · ")
_SENTENCE_GAP = re.compile(_IN_QUOTES + r"|(?<=[.!?]) +")


def with_keys(text: str, names: KeyNames) -> str:
    """Return a text with the person's key for each `{id:usual key}` in it, but not in “quotes”.

    Quotes hold words of others, which stay as they are. `names` has the keys by id. A binding that
    it lacks has its usual key, and one with "" has none. Between ` · ` a text has parts: sentences,
    or a hint without a full stop. A sentence or hint that names a binding without a key is left
    out; where that would leave no sentence of a part, all of them stay and say "(no key)".
    """
    parts: list[str] = []
    for part in _split_outside_quotes(text, _PART_GAP):
        shown_part = part
        if _names_unbound(part, names):
            shown_part = _without_unbound(part, names)
        if shown_part:
            parts.append(_NAMED.sub(lambda match: _key_of(match, names), shown_part))
    return " · ".join(parts)


def _split_outside_quotes(text: str, gap: re.Pattern[str]) -> list[str]:
    """Return what is between the gaps of a text, without those in “quotes”.

    `gap` matches a whole quotation, too, which is no gap. A text without gaps is the only part.
    """
    parts: list[str] = []
    start = 0
    for match in gap.finditer(text):
        if match[0].startswith("“"):
            continue
        parts.append(text[start : match.start()])
        start = match.end()
    parts.append(text[start:])
    return parts


def _key_of(match: re.Match[str], names: KeyNames) -> str:
    """Return the key for the binding of a match of `_NAMED`, or a text in quotes as it is.

    The usual key counts for a binding that `names` lacks. For "" in `names` it is "(no key)".
    """
    if match[1] is None:
        return match[0]
    return names.get(match[1], match[2]) or "(no key)"


def _names_unbound(text: str, names: KeyNames) -> bool:
    """Return whether a text names a binding that has no key, whether in `names` or usually."""
    ids_and_keys = [match.groups() for match in _NAMED.finditer(text) if match[1]]
    return any(not names.get(key_id, usual_key) for key_id, usual_key in ids_and_keys)


def _without_unbound(part: str, names: KeyNames) -> str:
    """Return a part of a text without its sentences that name a binding without a key.

    If all of them do, a part with a full stop at its end is returned as it is, and of any other,
    which is a hint, "" remains.
    """
    sentences = _split_outside_quotes(part, _SENTENCE_GAP)
    remaining = [
        sentence for sentence in sentences if not _names_unbound(sentence, names)
    ]
    if not remaining and part.endswith("."):
        return part
    return " ".join(remaining)


class Refused(Exception):
    """Raised for a request that cannot be met now; the message says what to do instead.

    The message may name keys as `with_keys` reads them. Screens show the person's own keys
    (`wording`), everything else the usual ones.
    """

    def __str__(self) -> str:
        """Return the message with the usual keys in place of each `{id:usual key}`."""
        return with_keys(super().__str__(), USUAL)


def wording(error: Exception) -> str:
    """Return what an error says, with its keys still written as `{id:usual key}`.

    Who shows it puts in the keys that the person has (`with_keys`). It is the first argument of the
    error, as a text; the error must have one.
    """
    return str(error.args[0])
