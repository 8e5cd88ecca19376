"""Values from servers, taken for what they are: nothing here trusts a type."""

import json
import math
import re
from typing import Any

from appellate.talk.dialogue import readable

_LONGEST_SAID = 400


def parsed(body: bytes) -> Any:
    """The JSON value; None where there is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def decoded(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def short(text: str) -> str:
    """The beginning of a text, on one line."""
    words = " ".join(readable(text).split())
    if len(words) > _LONGEST_SAID:
        return words[:_LONGEST_SAID] + "…"
    return words


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """The objects in a list."""
    if not isinstance(value, list):
        return []
    return [each for each in value if isinstance(each, dict)]


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def count(value: object) -> int | None:
    number = amount(value)
    if number is None:
        return None
    return int(number)


_NUMBER = re.compile(r"\s*\d{1,15}(?:\.\d{1,15})?(?:[eE]-\d{1,2})?\s*", re.ASCII)
_SANE = 1e15


def amount(value: object) -> float | None:
    """A number that is none below zero, also where it comes as a string."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not math.isfinite(value) or not 0 <= value < _SANE:
        return None
    return float(value)
