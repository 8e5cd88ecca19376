"""Tables of several files that are one: rows with the same key belong together.

The first file with a response is the one whose rows become traces. A row of another file is added
to the one with its key. Of a *long* table, which has several rows for a key, one column tells these
apart, as a criterion does: then `score` of the criterion `Q1` becomes the column `score.Q1`, and in
`--map` a trait `*` is each criterion:

    --join _id=text_id --map "verdict.*=score,person.*=*,none.*=0"

The other files are held in memory, the first is not.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from appellate.core.problem import many, quoted
from appellate.interop.cell_values import as_written
from appellate.interop.table_map import PeopleColumns, TableMap, TraitMap
from appellate.interop.tables import is_answer, value_at
from appellate.store.files.text_file import unusable
from appellate.store.files.trace_record import columns

Row = dict[str, Any]
Rows = Callable[[], Iterable[Row]]

EACH = "*"
"""The name of a trait in `--map` that stands for each value of the column that parts long rows."""
_MOST_PARTS = 100
"""Different values that the column which parts long rows has, at most."""
_PARTING_NAMES = (
    "criterion",
    "criteria",
    "metric",
    "trait",
    "question",
    "key",
    "name",
    "label",
)
"""Names of columns that part long rows, the likeliest first."""
_LOOKED_AT = 200


class Source(NamedTuple):
    """A file with rows."""

    path: Path
    rows: Rows


class _Joined(NamedTuple):
    """The rows of another file, by their key, each key's as one row."""

    path: Path
    by_key: Mapping[str, Row]
    row_counts: Mapping[str, int]
    parts: Sequence[str]
    """The values of the column that parts long rows; none of a table with one row for a key."""
    pivoted: Collection[str] = ()
    """The columns that there are once for each part, as "score" of `score.Q1`."""
    names: Mapping[str, str] = {}
    """What each of its columns is called in the joined rows."""


class JoinedTables:
    """The rows of several files, joined by a key; each call yields them from the beginning.

    Making it raises Unusable if a file has no column of the names in `keys`, and if nothing tells
    several rows with one key apart.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        keys: Sequence[str],
        table_map: TableMap,
    ) -> None:
        """Take the files, and read all but the one with the answers into memory.

        A file's key column is the first of `keys` that has a value in the file's first rows. All
        rows are gone through once, for the names of their columns. `sources` must not be empty.
        Raises Unusable if a file has no key column, if nothing tells several rows with one key
        apart, and if `table_map` has the trait `*` but no file has several rows for a key.
        """
        self._keys = keys
        first = _answers_among(sources, table_map)
        self.path = first.path
        self._rows = first.rows
        self._key = self._key_of(first)
        self._other_tables: list[_Joined] = []
        used_names = {column for row in self._rows() for column in row}
        for source in sources:
            if source is not first:
                table = self._read(source)
                names = _names_of_columns(table, used_names)
                used_names.update(names.values())
                self._other_tables.append(table._replace(names=names))
        self._lacking: dict[Path, int] = {}
        """How many answers each file has no row for, as the rows were last gone through."""
        self._strange: dict[Path, int] = {}
        """How many rows of each file are of no answer, as the rows were last read to their end."""
        parts: dict[str, None] = {}
        pivoted: set[str] = set()
        for table in self._other_tables:
            parts.update(dict.fromkeys(table.parts))
            pivoted.update(table.pivoted)
        self.table_map = _for_each(table_map, list(parts), pivoted)
        """What `--map` says, with a trait for each part of a long table in place of `*`."""

    def __call__(self) -> Iterator[Row]:
        """Yield each row of the file with the answers, joined with the other files' columns.

        A column of one name in several files keeps it in the first, the answers' before
        others, and is called after its file in the others: `score (judge)`. That does not
        depend on which files have a row. A row for which a file has nothing lacks that file's
        columns. `notes` is right once the last row was taken.
        """
        matched_keys: dict[Path, set[str]] = {
            table.path: set() for table in self._other_tables
        }
        self._lacking = dict.fromkeys(matched_keys, 0)
        for row in self._rows():
            joined = dict(row)
            key = as_written(value_at(row, self._key))
            for table in self._other_tables:
                columns_of_key = table.by_key.get(key)
                if columns_of_key is None:
                    self._lacking[table.path] += 1
                    continue
                matched_keys[table.path].add(key)
                for column, value in columns_of_key.items():
                    joined[table.names[column]] = value
            yield joined
        for table in self._other_tables:
            strange = table.row_counts.keys() - matched_keys[table.path]
            self._strange[table.path] = sum(table.row_counts[key] for key in strange)

    def notes(self) -> list[str]:
        """Return clauses on rows without a partner in another file; [] if all have one.

        First come the answers for which a file has no row, one clause for each such file.
        Then come a file's rows that are of no answer, which are left out. They are right
        once all joined rows were read.
        """
        sentences: list[str] = []
        for path, count in self._lacking.items():
            if count:
                sentences.append(f"{path.name} has nothing on {many(count, 'answer')}")
        for path, count in self._strange.items():
            if count:
                lost = f"left out: {many(count, 'row')} of {path.name}"
                sentences.append(f"{lost} on no answer of {self.path.name}")
        return sentences

    def _key_of(self, source: Source) -> str:
        """Return the first of the key columns of `--join` that a file has a value in.

        Only the first `_LOOKED_AT` rows are read. None, NaN and "" are no values. Raises Unusable,
        with the columns of these rows, if no key column has a value in them.
        """
        sample = list(islice(source.rows(), _LOOKED_AT))
        for key in self._keys:
            if any(as_written(value_at(row, key)) for row in sample):
                return key
        merged: Row = {}
        for row in sample:
            merged |= row
        key_names = " or ".join(map(quoted, self._keys))
        wrong = f"no column is {key_names}; the columns are {columns(merged)}"
        right = "name the key of each file: --join id=text_id"
        raise unusable(str(source.path), wrong, right)

    def _read(self, source: Source) -> _Joined:
        """Return a joined file's rows by their key, each key's as one row, held in memory.

        The rows are without the key's column, and those with a blank key are left out. How many
        rows each key had is there, too. If some key has several rows, a column that tells them
        apart is looked for: with the column `criterion`, the cell `score` of a row "Q1" becomes
        `score.Q1`, for every key, and "Q1" is one of the `parts`. Otherwise there are no parts.
        Raises Unusable if there is no such column, or no key column.
        """
        rows_by_key = _rows_by_key(source.rows(), self._key_of(source))
        row_counts = {key: len(rows) for key, rows in rows_by_key.items()}
        if max(row_counts.values(), default=0) <= 1:
            by_key = {key: rows[0] for key, rows in rows_by_key.items()}
            return _Joined(source.path, by_key, row_counts, ())

        column = _parting_column(rows_by_key.values())
        if column is None:
            key = max(row_counts, key=row_counts.__getitem__)
            wrong = f"{row_counts[key]} rows have the key {quoted(key)}"
            right = "a column, as a criterion, that tells them apart"
            raise unusable(str(source.path), wrong, right)
        by_key = {}
        parts: dict[str, None] = {}
        pivoted: set[str] = set()
        for key, rows in rows_by_key.items():
            by_key[key] = _widened(rows, column)
            for row in rows:
                parts[str(row[column])] = None
                pivoted.update(row)
        pivoted.discard(column)
        return _Joined(source.path, by_key, row_counts, list(parts), pivoted)


def _rows_by_key(rows: Iterable[Row], key_column: str) -> dict[str, list[Row]]:
    """Return a table's rows by the key in their key column, without that column, in order.

    Rows without a key, or with "", null or NaN as one, are left out. A column that is a path, as
    "metadata.id", stays in its row.
    """
    rows_by_key: dict[str, list[Row]] = {}
    for row in rows:
        key = as_written(value_at(row, key_column))
        if not key:
            continue
        rest = dict(row)
        rest.pop(key_column, None)
        rows_by_key.setdefault(key, []).append(rest)
    return rows_by_key


def _names_of_columns(table: _Joined, used_names: Collection[str]) -> dict[str, str]:
    """Return what each column of a joined file is called, by its own name, in joined rows.

    A name in `used_names` gets the file's name behind it, as `score (judge)`, and from the second
    file of that name on a number as well: `score (judge) (2)`.
    """
    columns = {column: None for row in table.by_key.values() for column in row}
    names: dict[str, str] = {}
    for column in columns:
        name = column
        if name in used_names:
            name = f"{column} ({table.path.stem})"
        number = 1
        while name in used_names or name in names.values():
            number += 1
            name = f"{column} ({table.path.stem}) ({number})"
        names[column] = name
    return names


def _widened(rows: Iterable[Row], column: str) -> Row:
    """Return the rows of one key as one row, in which each column has the row's part behind it.

    The part is the row's value in `column`, which is itself left out: `score` of the row "Q1"
    becomes `score.Q1`, and of a row in which it is None `score.None`. If several rows have one
    part, the last one with a column counts for it. Raises KeyError for a row without `column`; {}
    without rows.
    """
    wide: Row = {}
    for row in rows:
        part = row[column]
        for name, cell in row.items():
            if name != column:
                wide[f"{name}.{part}"] = cell
    return wide


def _answers_among(sources: Sequence[Source], table_map: TableMap) -> Source:
    """Return the first file whose first row is an answer (`is_answer`), else the first file.

    `sources` must not be empty. Reads one row of each file up to it.
    """
    for source in sources:
        first = next(iter(source.rows()), {})
        if is_answer(first, table_map):
            return source
    return sources[0]


def _parting_column(rows_by_key: Iterable[Sequence[Row]]) -> str | None:
    """Return a column that tells apart the rows of each key, as `criterion`; None if there is none.

    `rows_by_key` are the rows of each key, of which there must be at least one. Only columns of the
    very first row are looked at. The column is filled in all rows, has no value twice for one key,
    and at most `_MOST_PARTS` values in all. A column named in `_PARTING_NAMES` is preferred, in the
    order there; otherwise the first.
    """
    groups = list(rows_by_key)
    values: dict[str, set[str]] = {}
    for column in groups[0][0]:
        values[column] = set()
    for rows in groups:
        for column in list(values):
            cells = [str(row.get(column)) for row in rows]
            values[column].update(cells)
            is_empty = any(row.get(column) in (None, "") for row in rows)
            if (
                is_empty
                or len(set(cells)) < len(rows)
                or len(values[column]) > _MOST_PARTS
            ):
                del values[column]
    likely_columns = [column for column in _PARTING_NAMES if column in values]
    return next(iter([*likely_columns, *values]), None)


# -- a trait for each part ------------------------------------------------------------------------


def _for_each(
    table_map: TableMap,
    parts: Sequence[str],
    pivoted: Iterable[str],
) -> TableMap:
    """Return a map in which the trait `*` of `--map` is replaced by one trait for each part.

    `parts` are the criteria that a long table has, and `pivoted` its columns that were
    widened to one for each part. Where the trait `*` has a pivoted column, the new trait
    has `COLUMN.PART`. In its other columns, and in the text of its criterion, each `*`
    becomes the part. A part that the map names as a trait keeps what the map says of it,
    and the new traits come behind. `table_map` is not changed, and is returned itself if it
    has no `*`. Raises Unusable if there is `*` but no part.
    """
    trait_of_each = table_map.traits.get(EACH)
    if trait_of_each is None:
        return table_map
    if not parts:
        wrong = f"{quoted(EACH)} is each criterion of a long table, and none of these is one"
        raise unusable("--map", wrong, "name the trait: verdict.NAME=COLUMN")
    traits = dict(table_map.traits)
    del traits[EACH]
    columns_of_parts = set(pivoted)
    for part in parts:
        traits.setdefault(part, _of_part(trait_of_each, part, columns_of_parts))
    return replace(table_map, traits=traits)


def _of_part(trait_of_each: TraitMap, part: str, pivoted: set[str]) -> TraitMap:
    """Return what `--map` says of the trait `*`, made into what it says of one part (a criterion).

    A column in `pivoted` becomes `COLUMN.PART`. In other columns and in the criterion's
    text each `*` is replaced by the part. `trait_of_each` is not changed.
    """

    def column_of(column: str) -> str:
        """Return a mapped column's name for this part: `NAME.PART` if it is one of `pivoted`.

        Otherwise each `*` in it is replaced by the part; without one it is unchanged.
        """
        if column in pivoted:
            return f"{column}.{part}"
        return column.replace(EACH, part)

    person = trait_of_each.person
    if person is not None:
        person = PeopleColumns(
            tuple(map(column_of, person.columns)),
            person.is_majority,
        )
    return replace(
        trait_of_each,
        verdict=column_of(trait_of_each.verdict),
        reason=column_of(trait_of_each.reason),
        person=person,
        why=tuple(map(column_of, trait_of_each.why)),
        when=tuple(map(column_of, trait_of_each.when)),
        criterion=trait_of_each.criterion.replace(EACH, part),
    )
