"""The terms of a query that a trace's metadata answers, or its cluster, or its question's id.

Traces are asked many at once: what many of them have under one name stands in a column, by the
place of each trace. A text is asked as it is, a number and a date by their sizes as well; of a list
one value must be so.
"""

import json
import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from appellate.query.language import DATE, META, NUMBER, Query, Term, like

FIELDS = ("cluster", "question_id")
"""The fields that are answered here beside those that begin with `META`."""
Column = Mapping[str, Any]
"""What traces have under a name, by the place of each, from 0, in decimal digits."""
_COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_YEAR = 4  # digits, which stand for a number and begin a date
_LONGEST = 400  # letters of a text that may be a number


def is_asked(term: Term) -> bool:
    """Whether a term is answered here."""
    return term.field.shape == "meta"


def columns_for(name: str) -> list[str]:
    """The columns in which the values of a name may stand: `meta.a.b` is the key "a.b", or "b" in
    the table "a".
    """
    if not name.startswith(META):
        return [name]
    first, *more = name.removeprefix(META).split(".")
    return list(accumulate(more, "{}.{}".format, initial=META + first))


def values(name: str, column: str, value: Any) -> Sequence[Any]:
    """The single values that one trace has under a name in a column; of lists each of theirs."""
    if name == column and not isinstance(value, list):
        return (value,)
    return _within(value, name[len(column) + 1 :])


def _within(value: Any, path: str) -> list[Any]:
    found: list[Any] = []
    if isinstance(value, list):
        for one in value:
            if path or isinstance(one, list):
                found += _within(one, path)
            else:
                found.append(one)
    elif not path:
        found.append(value)
    elif isinstance(value, Mapping):
        if path in value:
            found += _within(value[path], "")
        for at, letter in enumerate(path):
            if letter == "." and path[:at] in value:
                found += _within(value[path[:at]], path[at + 1 :])
    return found


def in_words(value: Any) -> str:
    """A value as a query writes it: `true`, `3`, `null`; of a table all of it, as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, default=str)


class MetadataTest:
    """Which traces have what a query asks of their metadata."""

    def __init__(self, query: Query) -> None:
        self._terms = list(filter(is_asked, query.terms))
        self._tests = list(map(_test, self._terms))
        names: dict[str, None] = {}
        for term in self._terms:
            names |= dict.fromkeys(columns_for(term.field.name))
        self.columns: Sequence[str] = list(names)
        """What it reads; nothing where the query asks for no metadata."""

    def __call__(self, count: int, fields: Mapping[str, Column]) -> bytes:
        """For each of so many traces, in order, 1 where all terms hold and 0 elsewhere."""
        left = set(range(count))
        for term, test in zip(self._terms, self._tests, strict=True):
            found = set(_places(term.field.name, test, fields, left))
            if term.negated:
                left -= found
            else:
                left &= found
        mask = bytearray(count)
        for place in left:
            mask[place] = 1
        return bytes(mask)


def _places(
    name: str, test: Callable[[Any], bool], fields: Mapping[str, Column], among: Collection[int]
) -> Iterator[int]:
    """The traces among some for which a term holds, its sign left aside."""
    for column in columns_for(name):
        for place, value in fields.get(column, {}).items():
            if int(place) in among and any(map(test, values(name, column, value))):
                yield int(place)


def _test(term: Term) -> Callable[[Any], bool]:
    """Whether a single value is what a term asks for."""
    if term.op in _COMPARED:
        return _comparison(_COMPARED[term.op], term.values[0])
    alike = list(map(like, term.values))
    numbers = list(map(float, filter(NUMBER.fullmatch, term.values)))

    @cache
    def is_word(text: str) -> bool:
        return any(is_so(text) for is_so in alike)

    def is_one(value: Any) -> bool:
        if isinstance(value, str):
            return is_word(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and value in numbers:
            return True
        return is_word(in_words(value))

    return is_one


def _comparison(compare: Callable[[Any, Any], bool], wanted: str) -> Callable[[Any], bool]:
    """Whether a value is so much, or such a day, beside the one that is written."""
    number = float(wanted) if NUMBER.fullmatch(wanted) else None
    is_day = bool(DATE.fullmatch(wanted)) or (len(wanted) == _YEAR and wanted.isdecimal())

    def is_so(value: Any) -> bool:
        if isinstance(value, str):
            if is_day and DATE.match(value):
                return compare(value[: len(wanted)], wanted)
            if len(value) > _LONGEST or not NUMBER.fullmatch(value):
                return False
            value = float(value)
        if number is None or isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return compare(value, number)

    return is_so
