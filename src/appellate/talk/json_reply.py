"""Read JSON as models write it: inside other text, slightly damaged, with numbers as text.

`object_in()` reads the object of a reply. `rows()`, `text_of()` and `whole_number()` read the
values in it. The trait kinds call them in their `asking.py`.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from appellate.talk.dialogue import NoAnswer, readable, readable_value
from appellate.talk.latex import with_backslashes

MOST_REPAIRED = 200_000
"""Codepoints. Longer replies are not repaired: that would take too long."""
MOST_REPAIR_STEPS = 50_000_000
"""Codepoints times opening braces, about a second: the repair may look through the rest of a text
for the end of each object's first key."""


def object_in(text: str, quoted: str = "") -> dict[str, Any]:
    """Return the JSON object in a reply; it is never empty, and all its texts can be encoded.

    Thoughts, code fences and words around it are passed over, and so is the same object again.
    Slight damage is repaired, but an end that is missing is not made up. LaTeX commands that the
    model copied from `quoted` keep their backslashes. U+FFFD stands for each lone surrogate. Raises
    NoAnswer with "incomplete" for an empty object and for one that has a key twice, and with
    "unreadable" for no complete object or one nested too deeply. Different objects are refused,
    too, as one or the other.
    """
    if not text.strip():
        raise NoAnswer("unreadable", "it was empty.")
    for value in _readings(with_backslashes(text, quoted)):
        if value == {}:
            raise NoAnswer("incomplete", "the object was empty.")
        if not isinstance(value, dict):
            continue
        try:
            encodable: dict[str, Any] = readable_value(value)
        except RecursionError:
            raise NoAnswer("unreadable", "it is nested too deeply.") from None
        return encodable
    raise NoAnswer("unreadable", "it is not one whole JSON object.")


def _readings(text: str) -> Iterable[object]:
    """Yield the JSON value of a reply, read in more and more forgiving ways; None where one fails.

    The reply is read as it is, then from its first to its last brace after thoughts, and then with
    damage repaired there. Without braces only the first way is tried. Raises NoAnswer for an object
    that has a key twice.
    """
    yield _json_value(text)

    after_thoughts = text.rpartition("</think>")[2]
    if "{" in after_thoughts:
        text = after_thoughts
    first = text.find("{")
    last = text.rfind("}")
    if 0 <= first < last:
        # without code fences and other text around it
        object_text = text[first : last + 1]
        yield _repeated_object(object_text)
        yield _repaired_object(object_text)


def _json_value(text: str) -> object:
    """Return the value of a text that is JSON as a whole, or None if it is not.

    Null is None, too, and so is a value that is nested too deeply. Strings may hold control
    characters, and NaN and Infinity are numbers. Raises NoAnswer for an object that has a key
    twice.
    """
    try:
        return json.loads(text, strict=False, object_pairs_hook=_without_repeated_keys)
    except (ValueError, RecursionError):
        return None


def _repeated_object(text: str) -> object:
    """Return the object that a text holds once or several times, with any words after each.

    The text must begin with its brace. Returns None if two objects differ, or if a brace begins no
    whole object. Raises NoAnswer for an object that has a key twice.
    """
    previous: object = None
    start = 0
    while start >= 0:
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return None
        if previous is not None and value != previous:
            return None
        previous = value
        start = text.find("{", end)
    return previous


def is_whole(text: str) -> bool:
    """Return whether a text begins with a complete object, and no different one follows.

    Thoughts, a code fence and blanks may come before, but no other words. After the object there
    may be any text without a brace, or the same object again, whose end may be missing: a model
    that does not stop after its answer has answered. False for an empty object, and for one that
    has a key twice.
    """
    after_thoughts = text.rpartition("</think>")[2]
    text = _OPENING.sub("", after_thoughts, count=1)
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError, NoAnswer):
        return False
    if not isinstance(value, dict) or not value:
        return False

    first_object = text[:end]
    start = text.find("{", end)
    while start >= 0:
        if not text.startswith(first_object, start):
            cut_object = text[start:].rstrip()
            return first_object.startswith(cut_object)
        start = text.find("{", start + len(first_object))
    return True


_OPENING = re.compile(r"\A\s*+(?:```\w{0,10}\s*+)?+")
"""Blanks and the start of a code fence."""


def _without_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object with these keys and values, in their order.

    Raises NoAnswer with "incomplete" if a key occurs twice: `json` would silently keep the last.
    """
    by_key: dict[str, object] = {}
    for key, value in pairs:
        if key in by_key:
            raise NoAnswer(
                "incomplete",
                f'the key "{quote(key)}" is there more than once in one object.',
            )
        by_key[key] = value
    return by_key


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_without_repeated_keys)


def _repaired_object(text: str) -> dict[str, Any] | None:
    """Return the object that damaged JSON stands for, or None if that is not one object.

    A text whose end is missing is not repaired, because the repair would invent an end, nor is one
    that would take too long: these give None. Raises NoAnswer with "incomplete" if keys are lost in
    the repair, as where an object has a key twice.
    """
    if not _is_complete(text) or len(text) > MOST_REPAIRED:
        return None
    if len(text) * text.count("{") > MOST_REPAIR_STEPS:
        return None
    import json_repair

    try:
        value = json_repair.loads(text, skip_json_loads=True)
        repaired_text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    # the repair keeps one of two equal keys, and what looks like a key within a text stays there
    if _quoted_keys(text) > _quoted_keys(repaired_text):
        raise NoAnswer("incomplete", "a key is there more than once in one object.")
    return value if isinstance(value, dict) else None


_KEY = re.compile(r"""[{,]\s*(["'])[^"']*\1\s*:""")
_ESCAPED_QUOTE = re.compile(r"""\\(["'])""")


def _quoted_keys(json_text: str) -> int:
    """Return how many keys in quotes a text of JSON has, which may be damaged.

    A key that is there twice counts twice. What looks like a key within a string counts, too,
    whether its quotes are escaped or not.
    """
    return len(_KEY.findall(_ESCAPED_QUOTE.sub(r"\1", json_text)))


_STRING = re.compile(r'"(?:[^"\\]|\\(?:.|\Z))*+(?:"|\Z)', re.DOTALL)
_AFTER_LISTS = re.compile(r"(?:\]|\}[\s,]*\})[\s,]*\}$")


def _is_complete(text: str) -> bool:
    """Return whether the brackets of damaged JSON show that its end is there.

    As many must close as open, of each sort and outside of quotes. If the number of quotes is odd,
    they hide some brackets. Then it is enough if the last brace follows the end of a list, or of
    two objects.
    """
    has_odd_quotes = text.count('"') % 2 == 1
    if has_odd_quotes and _AFTER_LISTS.search(text):
        return True
    brackets = _STRING.sub("", text)
    if brackets.count("{") != brackets.count("}"):
        return False
    return brackets.count("[") == brackets.count("]")


def rows(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list, in order; [] for a value that is not a list.

    An entry that is not an object becomes an empty one, so that its missing fields are reported.
    """
    if not isinstance(value, list):
        return []
    return [row if isinstance(row, dict) else {} for row in value]


def text_of(value: object) -> str:
    """Return a text with U+FFFD for each lone surrogate, or "" for a value that is not a text.

    Blanks around it stay.
    """
    if not isinstance(value, str):
        return ""
    return readable(value)


_DIGITS = re.compile(r"[0-9]{1,9}")


def whole_number(value: object) -> int | None:
    """Return the whole number that a model wrote as 3, 3.0 or "3"; None for anything else.

    A text must be one to nine digits, with or without blanks around them: "-3" and "3.0" are none.
    Other numbers may be below 0. True and false are not numbers.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        digits = value.strip()
        if _DIGITS.fullmatch(digits):
            return int(digits)
    return None


_LONGEST_QUOTE = 40


def quote(value: object) -> str:
    """Return a value of a reply as a short text, for a sentence about it.

    A text is returned as it is, without quotation marks. Lone surrogates become U+FFFD. Numbers,
    true, false and null are as in JSON, and NaN and infinity as `NaN` and `Infinity`. All these are
    cut after `_LONGEST_QUOTE` characters, with "…". Lists and objects are only named: `a list`, `an
    object`.
    """
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    text = text_of(value) if isinstance(value, str) else json.dumps(value)
    if len(text) > _LONGEST_QUOTE:
        return text[:_LONGEST_QUOTE] + "…"
    return text
