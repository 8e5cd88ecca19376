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
    return words if len(words) <= _LONGEST_SAID else words[:_LONGEST_SAID] + "…"


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def mappings(value: Any) -> list[dict[str, Any]]:
    """The objects in a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def count(value: Any) -> int | None:
    number = amount(value)
    return None if number is None else int(number)


_NUMBER = re.compile(r"\s*\d{1,15}(?:\.\d{1,15})?(?:[eE]-\d{1,2})?\s*", re.ASCII)


def amount(value: Any) -> float | None:
    """A number that is none below zero, also where it comes as a string."""
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0 <= value < 1e15 else None  # noqa: PLR2004 - sane counts
