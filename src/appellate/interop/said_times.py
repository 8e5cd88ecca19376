"""When something was said, by the file that says it: the times of other tools as one kind of text.

Tools write dates, dates without a zone, and counts since 1970 in seconds down to nanoseconds.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation

from appellate.interop.cell_values import text_value
from appellate.store.files.toml import stamp

_FIRST = 1_000_000_000
"""Seconds since 1970, in 2001: a smaller number is no time that a tool noted."""
_LAST = 4_102_444_800
"""Seconds since 1970, in 2100."""
NANOSECONDS = 1_000_000_000
"""How many are a second."""
_UNITS = (1, 1_000, 1_000_000, NANOSECONDS)
"""How many of a count are a second."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAMES_OF_UTC = (" UTC", " GMT")
"""What some tools write behind a time in the place of its zone."""


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

    The time is in UTC (ending in Z) if the value has a zone or is a count since 1970, else without
    a zone. A date, text that is no time, and a moment in the year 1 or 9999 are returned as they
    are, without blanks around them.
    """
    text = text_value(value).strip()
    if not text or isinstance(value, bool):
        return ""
    nanoseconds = _nanoseconds_of_count(text)
    if nanoseconds is not None:
        return stamp(_EPOCH + timedelta(microseconds=nanoseconds // 1_000))
    moment = _datetime_in(text)
    if moment is None or len(text) <= len("2025-12-31"):
        return text
    if moment.tzinfo is None:
        return moment.isoformat()
    try:
        return stamp(moment)
    except ValueError:  # it is in the year 1 or 9999
        return text


def moment_of(value: object) -> int | None:
    """Return a time in nanoseconds since 1970; None for what cannot be read as a time.

    It may be a count since 1970 (seconds to nanoseconds), as a number or text, or a date in ISO
    8601; one without a zone is taken for UTC. A moment before 1970 is negative. None for a bool and
    for a number that is no such count, too. Raises nothing.
    """
    text = text_value(value).strip()
    if not text or isinstance(value, bool):
        return None
    nanoseconds = _nanoseconds_of_count(text)
    if nanoseconds is not None:
        return nanoseconds
    moment = _datetime_in(text)
    if moment is None:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1_000


def number_of(value: object) -> Decimal | None:
    """Return the exact number that a value is, also as a text ("1.5"); None for anything else.

    Blanks around it do not count. None for a bool, NaN and infinity, too. It may be larger than
    decimal arithmetic takes ("1e9999999"): compare it before it is reckoned with.
    """
    if isinstance(value, bool):
        return None
    try:
        number = Decimal(text_value(value).strip())
    except InvalidOperation:
        return None
    if number.is_finite():
        return number
    return None


def _nanoseconds_of_count(text: str) -> int | None:
    """Return the nanoseconds since 1970 that a count is; None for any other text.

    Its unit is the largest, of seconds to nanoseconds, in which it is between 2001 and 2100. A
    number that is in none of these ranges, as 2025, is no count.
    """
    count = number_of(text)
    if count is None:
        return None
    for unit in _UNITS:
        if _FIRST * unit <= count < _LAST * unit:
            return int(count * (NANOSECONDS // unit))
    return None


def _datetime_in(text: str) -> datetime | None:
    """Return the moment that a text in ISO 8601 means, None for any other text.

    It has a zone only if the text has one; " UTC" or " GMT" at the end, in any case, counts. A date
    alone is its midnight. Blanks around the text must be gone.
    """
    for name in _NAMES_OF_UTC:
        if text.upper().endswith(name):
            text = text[: -len(name)] + "Z"
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def are_in_order(times: Sequence[str]) -> bool:
    """Return whether times are in ascending order; equal ones are, and no times at all.

    They are in UTC and ISO 8601, as "2025-01-31T12:00:00Z". True as well if any of them does not
    end in "Z" or is "", because their order is not known then.
    """
    if not all(time.endswith("Z") for time in times):
        return True
    moments = list(map(order_of, times))
    return moments == sorted(moments)


def order_of(time: str) -> tuple[int, str]:
    """Return a key to sort texts of `said_time` by: (nanoseconds since 1970, the text).

    A time without a zone is taken for UTC. A text that is no time has -1 instead of
    nanoseconds, so that it comes before any time since 1970.
    """
    moment = moment_of(time)
    return (-1 if moment is None else moment, time)
