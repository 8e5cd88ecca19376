"""What traces have in their metadata, kept a second time: as queries ask for it, and numbers are
grouped by it.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from appellate.query.language import META, NUMBER
from appellate.query.metadata import FIELDS, MANY, in_words, parts

MOST = 300  # keys that are told
_SAMPLES = 4  # places far apart at which values to offer are looked for
_LOOKED_AT = 32  # values at such a place
_OFFERED = 50  # values, at most, of a key
_SHORT = 40  # characters of such a value
_VALUES = (
    "SELECT trace, value FROM metadata WHERE name IN (SELECT no FROM metadata_names WHERE name = ?)"
)


def keep(db: sqlite3.Connection, first: int, traces: Iterable[Mapping[str, Any]]) -> None:
    """Keeps what some new traces have, as their JSON has it; `first` is the number of the first."""
    one = "SELECT no FROM metadata_names WHERE name = ? AND is_table = ?"
    known: dict[tuple[str, bool], int] = {}
    rows: list[tuple[int, int, int, float | str]] = []
    for number, trace in enumerate(traces, first):
        for at, (name, value, is_table) in enumerate(parts(trace)):
            key = name, is_table
            if key not in known:
                db.execute(
                    "INSERT OR IGNORE INTO metadata_names (name, is_table) VALUES (?, ?)", key
                )
                (known[key],) = db.execute(one, key).fetchone()
            rows.append((known[key], number, at, value))
    db.executemany("INSERT INTO metadata VALUES (?, ?, ?, ?)", rows)


def by_trace(db: sqlite3.Connection, name: str) -> Iterator[tuple[int, str]]:
    """The number of each trace that has something under a name (`meta.site`, `cluster`), in order,
    and what: in words, as a query writes it; of a list again and again.
    """
    sql = f"{_VALUES} ORDER BY trace, at"
    for number, rows in groupby(db.execute(sql, (name,)), itemgetter(0)):
        for word in dict.fromkeys(in_words(value) for _, value in rows):
            yield number, word


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
    sql = "SELECT name FROM metadata_names WHERE NOT is_table"
    found = [name for (name,) in db.execute(sql) if name not in FIELDS]
    in_tables = Counter(name.rpartition(".")[0] for name in found)
    del in_tables[META.rstrip(".")]
    more = len(found) > MOST or max(in_tables.values(), default=0) >= MANY
    if len(found) > MOST:
        listed = (
            "SELECT n.name FROM metadata m JOIN metadata_names n ON n.no = m.name"
            " WHERE NOT n.is_table GROUP BY n.no ORDER BY count(*) DESC, n.name LIMIT ?"
        )
        most = [name for (name,) in db.execute(listed, (MOST + len(FIELDS),))]
        found = [name for name in most if name not in FIELDS][:MOST]
    keys = sorted(name.removeprefix(META) for name in found)
    words = {name: _offered(db, name) for name in (*FIELDS, *found)}
    return MetadataNames(tuple(keys), more, {name: few for name, few in words.items() if few})


def _offered(db: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Values that are short, of a few places far apart; numbers by their size."""
    (traces,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    sql = f"{_VALUES} AND trace >= ? ORDER BY trace LIMIT ?"
    found: Counter[str] = Counter()
    for place in range(_SAMPLES):
        rows = db.execute(sql, (name, place * traces // _SAMPLES, _LOOKED_AT))
        found.update(in_words(value) for _, value in rows)
    short = [word for word, _ in found.most_common(_OFFERED) if len(word) <= _SHORT]
    if all(map(NUMBER.fullmatch, short)):
        return tuple(sorted(short, key=float))
    return tuple(sorted(short))
