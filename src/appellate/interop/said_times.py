"""When something was said, by the file that says it: the times of other tools as one kind of text.

Tools write dates, dates without a zone, and counts since 1970 in seconds down to nanoseconds.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from appellate.interop.cell_values import text_value
from appellate.store.files.toml import stamp

_FIRST = 1_000_000_000
"""Seconds since 1970, in 2001: a smaller number is no time that a tool noted."""
_LAST = 4_102_444_800
"""Seconds since 1970, in 2100."""
_UNITS = (1, 1_000, 1_000_000, 1_000_000_000)
"""How many of a count are a second."""


def said_time(*values: object) -> str:
    """Return the first of some values that says when, as text; "" if none does.

    A time with a zone, and a count since 1970, become UTC as facts have it. A time without a zone
    stays without one. A date, and a text that is none, stay as they are.
    """
    for value in values:
        text = _time_text(value)
        if text:
            return text
    return ""


def _time_text(value: object) -> str:
    """Return a time in ISO 8601, in UTC if the value has a zone or counts since 1970.

    A date, and text that is no time, is returned as it is. "" for nothing or a bool.
    """
    text = text_value(value).strip()
    if not text or isinstance(value, bool):
        return ""
    counted = _counted(text)
    if counted is not None:
        return stamp(counted)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    if len(text) <= len("2025-12-31"):
        return text
    if moment.tzinfo is None:
        return moment.isoformat()
    return stamp(moment)


def _counted(text: str) -> datetime | None:
    """Return the moment that a count since 1970 is, in UTC; None for any other text.

    The count may be of seconds or of a smaller unit: the first of `_UNITS` that gives a date in
    between `_FIRST` and `_LAST` is taken.
    """
    try:
        count = float(text)
    except ValueError:
        return None
    for unit in _UNITS:
        if _FIRST * unit <= count < _LAST * unit:
            seconds, rest = divmod(int(count), unit) if unit > 1 else (count, 0)
            microseconds = rest * 1_000_000 // unit
            epoch = datetime(1970, 1, 1, tzinfo=UTC)
            return epoch + timedelta(seconds=seconds, microseconds=microseconds)
    return None


def are_in_order(times: Sequence[str]) -> bool:
    """Return whether times that all are in UTC are in order; True if any is not, or is missing.

    Nobody knows the order of others.
    """
    if not all(time.endswith("Z") for time in times):
        return True
    return all(earlier <= later for earlier, later in pairwise(times))
