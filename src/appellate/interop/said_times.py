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
    """Return the first of some values that holds a time, as text; "" if none does.

    A time with a zone becomes UTC, as `2025-01-31T12:00:00Z`. So does a count since 1970 in
    seconds, milliseconds, microseconds or nanoseconds. A time without a zone becomes ISO 8601
    without one. A date alone, and any other text, is returned as it is. None, bools and words for
    no value are passed over. Raises nothing.
    """
    for value in values:
        text = _time_text(value)
        if text:
            return text
    return ""


def _time_text(value: object) -> str:
    """Return one value as a time in text; "" if it is None, a bool or stands for no value.

    In UTC (ending in Z) if the value has a zone or is a count since 1970, else without a zone. A
    date, and text that is no time, is returned as it is, without blanks around it.
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
    """Return the moment that a count since 1970 means, in UTC; None for any other text.

    Its unit is the largest, of seconds to nanoseconds, in which it is between 2001 and 2100. A
    number that is in none of these ranges, as 2025, is no count.
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
    """Return whether times as `said_time` writes them are in ascending order; equal ones are.

    True as well if any of them is not in UTC or is "", because their order is not known then.
    """
    if not all(time.endswith("Z") for time in times):
        return True
    return all(earlier <= later for earlier, later in pairwise(times))
