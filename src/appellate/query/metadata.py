"""What a trace has in its metadata, its cluster and its question's id, part by part under the names
that queries know; and what a number or a day must be for a term of a query to hold.

A text is asked as it is, a number and a date by their sizes as well; of a list one value must be
so.
"""

import json
import operator
from collections.abc import Callable, Iterator, Mapping
from math import isnan
from typing import Any, NamedTuple

from appellate.query.language import DATE, META, NUMBER

FIELDS = ("cluster", "question_id")
"""The fields that are answered here beside those that begin with `META`."""
COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
TEXT = 2_000
"""Characters of a text that are known here; a trace has it whole."""
MANY = 100
"""Values of a list, and keys of a table, that are known here."""
_YEAR = 4  # digits, which stand for a number and begin a date
_LONGEST = 500  # letters of a text that may be a number
_INTEGERS = 2**63  # beyond it, on either side of 0, SQLite has none


class MetadataPart(NamedTuple):
    """One value under a name: a number, else as a query writes it, of a table all of it as JSON."""

    name: str
    value: float | str
    is_table: bool = False


def parts(trace: Mapping[str, Any]) -> Iterator[MetadataPart]:
    """All that a trace has, as its JSON has it: `meta.a.b` is the key "a.b", or "b" in the table
    "a".
    """
    for key, value in (trace.get("metadata") or {}).items():
        yield from _parts(META + key, value)
    for name in FIELDS:
        if trace.get(name) is not None:
            yield MetadataPart(name, trace[name])


def _parts(name: str, value: Any) -> Iterator[MetadataPart]:
    if isinstance(value, list):
        for one in value[:MANY]:
            yield from _parts(name, one)
    elif isinstance(value, dict):
        yield MetadataPart(name, in_words(value)[:TEXT], is_table=True)
        for key in list(value)[:MANY]:
            yield from _parts(f"{name}.{key}", value[key])
    elif isinstance(value, float) and not isnan(value) and not value.is_integer():
        yield MetadataPart(name, value)
    elif type(value) in (int, float) and abs(value) < _INTEGERS:
        yield MetadataPart(name, int(value))
    else:
        yield MetadataPart(name, in_words(value)[:TEXT])


def in_words(value: Any) -> str:
    """A value as a query writes it: `true`, `3`, `null`; of a table all of it, as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def is_beside(op: str, wanted: str, value: float | str) -> bool:
    """Whether a value is so much, or such a day, beside the one that is written."""
    compare: Callable[[Any, Any], bool] = COMPARED[op]
    if isinstance(value, str):
        is_day = bool(DATE.fullmatch(wanted)) or (len(wanted) == _YEAR and wanted.isdecimal())
        if is_day and DATE.match(value):
            return compare(value[: len(wanted)], wanted)
        if len(value) > _LONGEST or not NUMBER.fullmatch(value):
            return False
        value = float(value)
    return bool(NUMBER.fullmatch(wanted)) and compare(value, float(wanted))
