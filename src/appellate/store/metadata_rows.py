"""What traces have in their metadata, kept a second time: as queries ask for it, and numbers are
grouped by it.

A row is a column of `query.metadata` of many traces that follow one another: to ask all of them for
one key reads that key alone, and no trace.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, filterfalse, islice
from typing import Any, NamedTuple

from appellate.query.language import META, NUMBER
from appellate.query.metadata import FIELDS, Column, MetadataTest, columns_for, in_words, values

TEXT = 2_000
"""Characters of a text that are kept here; a trace has it whole."""
MANY = 100
"""Values of a list, and keys of a table, that are kept here, and names of a column's tables."""
MOST = 300  # keys that are told
_SAMPLES = 4  # rows of each column that are looked through for values to offer
_LOOKED_AT = 32  # values of such a row
_OFFERED = 50  # values, at most, of a key
_SHORT = 40  # characters of such a value


def keep(db: sqlite3.Connection, first: int, traces: Sequence[Mapping[str, Any]]) -> None:
    """Keeps what some new traces have, as their JSON has it; `first` is the number of the first."""
    columns: dict[str, dict[str, Any]] = {}
    for place, trace in enumerate(traces):
        for name, value in _of_trace(trace):
            columns.setdefault(name, {})[str(place)] = _bounded(value)
    last = first + len(traces) - 1
    rows = []
    for name, column in columns.items():
        names: dict[str, None] = {}
        for value in column.values():
            names |= dict.fromkeys(_names(name, value))
        texts = list(names)[:MANY]
        rows.append((name, first, last, _json(texts), _json(column)))
    db.executemany("INSERT INTO metadata VALUES (?, ?, ?, ?, ?)", rows)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _of_trace(trace: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in (trace.get("metadata") or {}).items():
        yield META + key, value
    for name in FIELDS:
        if trace.get(name) is not None:
            yield name, trace[name]


def _bounded(value: Any) -> Any:
    """A value, of long ones as much as is kept."""
    if isinstance(value, str):
        return value[:TEXT]
    if isinstance(value, list):
        return list(map(_bounded, value[:MANY]))
    if isinstance(value, dict):
        return dict(zip(value, map(_bounded, list(value.values())[:MANY]), strict=False))
    return value


def _names(name: str, value: Any) -> Iterator[str]:
    """The names under which something is found in a value, its own first."""
    if isinstance(value, list):
        for one in value:
            yield from _names(name, one)
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from _names(f"{name}.{key}", below)
    else:
        yield name


# -- asking ---------------------------------------------------------------------------------------


def answers(db: sqlite3.Connection, test: MetadataTest) -> Callable[[int], bool]:
    """Whether a trace, by its number, has what a query asks for."""
    (newest,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    found = bytearray(test(1, {})) * (newest + 1)  # where a row has none of it
    for first, last, fields in _rows(db, test.columns):
        found[first : last + 1] = test(last + 1 - first, fields)
    return lambda trace: found[trace] == 1


def by_trace(db: sqlite3.Connection, name: str) -> Iterator[tuple[int, str]]:
    """The number of each trace that has something under a name (`meta.site`, `cluster`), in order,
    and what: in words, as a query writes it; of a list again and again.
    """
    for first, _, table in _rows(db, columns_for(name)):
        found: dict[int, dict[str, None]] = {}
        for column, had in table.items():
            for place, value in had.items():
                fields = dict.fromkeys(map(in_words, values(name, column, value)))
                found.setdefault(first + int(place), {}).update(fields)
        for number, fields in sorted(found.items()):
            for word in fields:
                yield number, word


def _rows(
    db: sqlite3.Connection, names: Sequence[str]
) -> Iterator[tuple[int, int, dict[str, Column]]]:
    """What traces have in some columns: the first and the last of those that follow one another,
    and each column in which any of them has something.
    """
    marks = ", ".join("?" * len(names))
    blocks = f"SELECT DISTINCT first, last FROM metadata WHERE name IN ({marks})"  # noqa: S608
    one = "SELECT said FROM metadata WHERE name = ? AND first = ?"
    for first, last in db.execute(f"{blocks} ORDER BY first", names).fetchall():
        fields: dict[str, Column] = {}
        for name in names:
            row = db.execute(one, (name, first)).fetchone()
            if row:
                fields[name] = json.loads(row[0])
        yield first, last, fields


# -- names ----------------------------------------------------------------------------------------


class MetadataNames(NamedTuple):
    """The keys that traces have, without `META`, those of most traces first; whether there are
    others; and of each name some of its values.
    """

    keys: tuple[str, ...]
    more: bool
    words: Mapping[str, tuple[str, ...]]


def names(db: sqlite3.Connection) -> MetadataNames:
    """What queries may ask for."""
    sql = "SELECT names, count(*) FROM metadata GROUP BY name, names ORDER BY 2 DESC, 1 LIMIT ?"
    found: dict[str, None] = {}
    more = False
    for value, _ in db.execute(sql, (MOST + 1,)):
        listed = json.loads(value)
        more = more or len(listed) >= MANY
        found |= dict.fromkeys(listed)
    known = list(filterfalse(FIELDS.__contains__, found))
    listed = known[:MOST]
    keys = sorted(name.removeprefix(META) for name in listed)
    return MetadataNames(tuple(keys), more or len(known) > MOST, _words(db, [*FIELDS, *listed]))


def _words(db: sqlite3.Connection, known: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Values to offer, of a few rows far apart; none of a name whose values all differ."""
    rows = db.execute("SELECT DISTINCT first FROM metadata ORDER BY 1")
    firsts = list(chain.from_iterable(rows))
    apart = max(len(firsts) // _SAMPLES, 1)
    fields: dict[str, Counter[str]] = {}
    for first in firsts[::apart]:
        columns = db.execute("SELECT name, said FROM metadata WHERE first = ?", (first,))
        for column, text in columns.fetchall():
            for value in islice(json.loads(text).values(), _LOOKED_AT):
                for name in dict.fromkeys(_names(column, value)):
                    found = map(in_words, values(name, column, value))
                    fields.setdefault(name, Counter()).update(found)
    return {name: _offered(fields[name]) for name in known if name in fields}


def _offered(counted: Counter[str]) -> tuple[str, ...]:
    """The values of a key that are short, numbers by their size."""
    short = [word for word, _ in counted.most_common(_OFFERED) if len(word) <= _SHORT]
    if all(map(NUMBER.fullmatch, short)):
        return tuple(sorted(short, key=float))
    return tuple(sorted(short))
