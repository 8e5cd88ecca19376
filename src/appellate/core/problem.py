"""What is wrong with input, with its place, and the one way the core says no."""

import difflib
import re
from collections.abc import Collection, Mapping
from datetime import date, time
from typing import Generic, TypeVar

from msgspec import Struct, field

from appellate.core.inert import escaped


def many(count: int, one: str, several: str = "") -> str:
    """`1 cell`, `2 cells`, `1,000 cells`; `several` where the plural does not end in s."""
    if count == 1:
        return f"1 {one}"
    return f"{count:,} {several or one + 's'}"


def lower(text: str) -> str:
    """The text in lower case, codepoint for codepoint: one that would become two stays as it is."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    kept = []
    for char in text:
        lowered = char.lower()
        kept.append(lowered if len(lowered) == 1 else char)
    return "".join(kept)


_SHAPES = {"a list": (list,), "a table": (dict,), "a date or time": (date, time)}
_HUGE = 10**40
_MANY = 1000


class Problem(Struct, frozen=True):
    """One fault of a loaded file: where it is, what is wrong, and what would be right."""

    file: str
    place: str  # "line 3", "metric_traits[0].metrics", "line 3: judgments.X.tp[1]" or ""
    wrong: str
    right: str = ""
    trace: str = ""  # the name of the trace it is about, where it is about one that has a name

    def __str__(self) -> str:
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
    """Input that cannot be used at all; holds every problem found."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def quoted(text: str, room: int = 60) -> str:
    """`text` in double quotes, cut to `room` characters, with whatever could act on a terminal
    escaped.
    """
    if len(text) > room:
        text = text[: room - 1] + "…"
    return f'"{escaped(text)}"'


def describe_value(value: object) -> str:
    """What a value is, in a reader's words: `the text "x"`, `a list`, `the number 3`."""
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


def closest(word: str, words: Collection[str], likeness: float = 0.6) -> str:
    """The known word that was probably meant, or ""; too many words are not gone through."""
    if len(words) > _MANY:
        return ""
    return next(iter(difflib.get_close_matches(word, words, 1, likeness)), "")


def unknown_key(key: str, known: Collection[str]) -> tuple[str, str]:
    """What is wrong with an unknown key, and what would be right."""
    meant = closest(key, known)
    wrong = f"there is no key {quoted(key)}"
    if meant:
        return wrong, f"did you mean {quoted(meant)}?"
    return wrong, f"keys are {', '.join(known)}"


T = TypeVar("T")


class Loaded(Struct, Generic[T], frozen=True):
    """A read file; `value` is for use only where there are no `problems`."""

    value: T | None
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)  # why bad traces were left out

    def usable(self) -> T:
        """The value; raises Unusable with every problem where there is any."""
        if self.problems or self.value is None:
            raise Unusable(self.problems)
        return self.value


KeyNames = Mapping[str, str]
"""What keys are called that a person gave to bindings, by the ids of these; "" for one without."""
USUAL: KeyNames = {}
_NAMED = re.compile(r"\{([a-z_]+\.\w+|[a-z_]{4,}):([^{}]|[A-Z][^{}\s]+)\}")  # not `{value:.2f}`


def with_keys(text: str, names: KeyNames) -> str:
    """A text with the person's key for each `{id:usual key}` in it.

    Of parts between ` · `, those without their key are left out.
    """
    kept = [
        _NAMED.sub(lambda found: names.get(found[1], found[2]), part)
        for part in text.split(" · ")
        if all(names.get(name, usual) for name, usual in _NAMED.findall(part))
    ]
    return " · ".join(kept)


class Refused(Exception):
    """A request that cannot be met now; the message says what to do instead.

    It may name keys as `with_keys` reads them: screens show the person's (`wording`), everything
    else the usual ones.
    """

    def __str__(self) -> str:
        return with_keys(super().__str__(), USUAL)


def wording(error: Exception) -> str:
    """What an error says, its keys named by their bindings."""
    return str(error.args[0])
