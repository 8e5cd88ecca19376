"""JSON as models write it: wrapped in talk, slightly damaged, with numbers as text."""

import json
import re
from collections.abc import Iterable
from typing import Any

from appellate.talk.dialogue import NoAnswer, readable, readable_value
from appellate.talk.latex import with_backslashes

MOST_REPAIRED = 200_000
"""Replies longer than this (codepoints) are read as they are or not at all."""


def object_in(text: str, quoted: str = "") -> dict[str, Any]:
    """The JSON object in a reply; raises NoAnswer where there is no whole one, or nothing in it.

    Backslashes that the model copied from `quoted` without doubling them are put back.
    """
    if not text.strip():
        raise NoAnswer("unreadable", "it was empty.")
    for value in _readings(with_backslashes(text, quoted)):
        if value == {}:
            raise NoAnswer("incomplete", "the object was empty.")
        if isinstance(value, dict):
            return _encodable(value)
    raise NoAnswer("unreadable", "it is not one whole JSON object.")


def _encodable(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object with encodable texts: JSON's escapes bring lone surrogates back."""
    try:
        found: dict[str, Any] = readable_value(value)
    except RecursionError:
        raise NoAnswer("unreadable", "it is nested too deeply.") from None
    return found


def _readings(text: str) -> Iterable[object]:
    """The reply as it is, without its wrapping, and repaired; each only when asked for."""
    yield _strict(text)
    after = text.rpartition("</think>")[2]
    if "{" in after:
        text = after
    first = text.find("{")
    last = text.rfind("}")
    if 0 <= first < last:
        bare = text[first : last + 1]  # no code fences, no talk, no thoughts
        yield _strict(bare)
        yield _said_again(bare)
        yield _repaired(bare)


def _strict(text: str) -> object:
    """The JSON value, raw control characters in strings allowed; None if it is no JSON."""
    try:
        return json.loads(text, strict=False, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError):
        return None


def _said_again(text: str) -> object:
    """Return the object that a text holds several times over, None if they are not all equal."""
    known: object = None
    start = 0
    while start >= 0:
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return None
        if known is not None and value != known:
            return None
        known = value
        start = text.find("{", end)
    return known


def is_whole(text: str) -> bool:
    """Return whether a text begins with a whole object, and with no other after it.

    Behind it there may be blanks, talk, or the same object again, whole or cut: a model that does
    not stop after its answer has answered.
    """
    text = _OPENING.sub("", text.rpartition("</think>")[2], count=1)
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError, NoAnswer):
        return False
    if not isinstance(value, dict) or not value:
        return False
    first = text[:end]
    start = text.find("{", end)
    while start >= 0:
        if not text.startswith(first, start):
            return first.startswith(text[start:].rstrip())
        start = text.find("{", start + len(first))
    return True


_OPENING = re.compile(r"\A\s*+(?:```\w{0,10}\s*+)?+")


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object; raises NoAnswer where a key is there twice, of which JSON would keep one."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise NoAnswer(
                "incomplete", f'the key "{quote(key)}" is there more than once in one object.'
            )
        found[key] = value
    return found


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_without_doubles)


def _repaired(text: str) -> object:
    """The object that damaged JSON stands for; None where its end is missing: repair adds one."""
    if not _ended(text) or len(text) > MOST_REPAIRED:
        return None
    import json_repair

    try:
        value = json_repair.loads(text, skip_json_loads=True)
        kept = _keys(value)
    except (ValueError, RecursionError):
        return None
    if len(_KEY.findall(text)) > kept:
        raise NoAnswer("incomplete", "a key is there more than once in one object.")
    return value


_KEY = re.compile(r"""[{,]\s*(["'])\w+\1\s*:""")


def _keys(value: object) -> int:
    """How many keys a value has within it; repair silently keeps one of two that are alike."""
    if isinstance(value, dict):
        return len(value) + sum(map(_keys, value.values()))
    if isinstance(value, list):
        return sum(map(_keys, value))
    return 0


_AFTER_LISTS = re.compile(r"(?:\]|\}[\s,]*\})[\s,]*\}$")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)


def _ended(text: str) -> bool:
    """Whether a text that ends with a brace ends a whole object: as many close as open.

    Damaged quotes hide some; then an end after a list or two other objects is enough.
    """
    if text.count('"') % 2 and _AFTER_LISTS.search(text):
        return True
    bare = _STRING.sub("", text)
    return bare.count("{") == bare.count("}") and bare.count("[") == bare.count("]")


def rows(value: object) -> list[dict[str, Any]]:
    """A list of objects, empty ones for what is none, so that somebody says what they lack."""
    if not isinstance(value, list):
        return []
    return [row if isinstance(row, dict) else {} for row in value]


def text_of(value: object) -> str:
    """A text that can be encoded; "" for anything else. JSON escapes bring lone surrogates back."""
    if not isinstance(value, str):
        return ""
    return readable(value)


_DIGITS = re.compile(r"[0-9]{1,9}")


def texts_of(value: object) -> list[str]:
    """The texts of a list, or of a single value in the place of one, that are not blank."""
    if not isinstance(value, list):
        value = [value]
    return [text for text in map(text_of, value) if text.strip()]


def whole_number(value: object) -> int | None:
    """The whole number that a model meant: 3, 3.0 or "3"."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        return int(value.strip())
    return None


_LONGEST_QUOTE = 40


def quote(value: object) -> str:
    """A short piece of a reply, for a sentence about it."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    text = text_of(value) if isinstance(value, str) else json.dumps(value)
    if len(text) > _LONGEST_QUOTE:
        return text[:_LONGEST_QUOTE] + "…"
    return text
