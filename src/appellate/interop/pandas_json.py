"""Data frames in JSON, as pandas' `to_json(orient=…)` writes them, and MLflow's tables.

| orient | looks like |
| --- | --- |
| `split`, MLflow's `eval_results_table.json` | `{"columns": […], "index": […], "data": [[…], …]}` |
| `table` | `{"schema": {"fields": […]}, "data": [{…}, …]}` |
| `columns`, the default | `{column: {label of the row: value}}` |
| `index` | `{label of the row: {column: value}}` |
| `values` | `[[…], …]`, without the names of columns |

`records` is a list of rows as other tools write it too, and is not read here.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

Row = dict[str, Any]
INDEX = "index"
"""The column of the labels of rows where these are more than numbers from 0."""


def rows_of(document: object, known_names: Collection[str]) -> list[Row] | None:
    """Return the rows of a data frame that pandas wrote as JSON, as dicts by column; else None.

    All orients but `records` are known, and MLflow's tables. Columns without names are called "0",
    "1" and so on. `known_names` are names that columns usually have: they tell columns from labels
    of rows, and a header from values. Labels of rows are in the column `INDEX`, unless they are
    numbers from 0. A frame without rows may be [] or None.
    """
    if isinstance(document, list):
        return _rows_of_values(document, known_names)
    if not isinstance(document, dict):
        return None
    columns = document.get("columns")
    data = document.get("data")
    schema = document.get("schema")
    if isinstance(columns, list) and isinstance(data, list) and _are_lists(data):
        names = list(map(str, columns))
        labels = document.get("index")
        return _rows_of_split(names, data, labels)
    if isinstance(schema, dict) and "fields" in schema:
        if isinstance(data, list) and _are_tables(data):
            return data
        return None
    return _rows_of_tables(document, known_names)


def _are_lists(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(row, list) for row in value)


def _are_tables(value: Sequence[object]) -> bool:
    return all(isinstance(row, dict) for row in value)


def _rows_of_split(
    columns: Sequence[str],
    data: list[list[Any]],
    labels: object,
) -> list[Row] | None:
    """Return the rows of the orient `split` as dicts by column.

    None if a row has more or fewer values than there are columns. `labels` of rows go into the
    column `INDEX` if they are a list of as many; otherwise they are ignored.
    """
    if any(len(values) != len(columns) for values in data):
        return None
    rows = [dict(zip(columns, values, strict=True)) for values in data]
    if isinstance(labels, list) and len(labels) == len(rows):
        _add_row_labels(rows, labels)
    return rows


def _rows_of_values(data: list[Any], known_names: Collection[str]) -> list[Row] | None:
    """Return the rows of the orient `values`, a list of lists, as dicts by column.

    None if it is empty, or the lists differ in length. The first list is the header if it has only
    texts and one is in `known_names`; otherwise columns are called "0", "1" and so on.
    """
    if not data or not _are_lists(data):
        return None
    lengths = {len(values) for values in data}
    if len(lengths) != 1:
        return None
    first = data[0]
    if all(isinstance(name, str) for name in first) and not set(known_names).isdisjoint(
        first,
    ):
        return _rows_of_split(first, data[1:], None)
    numbers = [str(number) for number in range(len(first))]
    return _rows_of_split(numbers, data, None)


def _rows_of_tables(
    document: Mapping[str, Any],
    known_names: Collection[str],
) -> list[Row] | None:
    """Return the rows of the orient `columns` or `index`, a table of tables, as dicts by column.

    Labels of rows go into the column `INDEX`, unless they are numbers from 0. `known_names` are
    names that columns usually have. None if the inner tables are empty, differ in their keys or
    have tables in them, and if it cannot be told which is columns and which rows.
    """
    tables = list(document.values())
    if not tables or not _are_tables(tables) or not tables[0]:
        return None
    inner = list(tables[0])
    for table in tables:
        if table.keys() != tables[0].keys():
            return None
        if any(isinstance(value, dict) for value in table.values()):
            return None
    if _are_names(document, inner, known_names):
        rows = []
        for label in inner:
            rows.append({column: document[column][label] for column in document})
        _add_row_labels(rows, inner)
        return rows
    if _are_names(inner, list(document), known_names):
        rows = [dict(table) for table in tables]
        _add_row_labels(rows, list(document))
        return rows
    return None


def _are_names(
    names: Collection[str],
    labels: Collection[str],
    known_names: Collection[str],
) -> bool:
    """Return whether `names` are columns and `labels` rows, in a data frame as a table of tables.

    If a known name is among `names`, they are, unless one is among `labels` as well or there is a
    single label that is no number. Without one they are if all labels are numbers and no name is.
    """
    are_numbers = all(map(str.isdecimal, labels))
    if not set(known_names).isdisjoint(names):
        is_one_table = len(labels) == 1 and not are_numbers
        return set(known_names).isdisjoint(labels) and not is_one_table
    return are_numbers and not any(map(str.isdecimal, names))


def _add_row_labels(rows: Sequence[Row], labels: Sequence[Any]) -> None:
    """Put the labels of rows into their column `INDEX`, which changes `rows`.

    A label is put in as it is, behind the other columns. A row that has such a column keeps its
    own. Nothing is done if the labels are 0, 1, 2 and so on, as numbers or texts. Raises ValueError
    if there are not as many labels as rows.
    """
    numbers = [str(number) for number in range(len(rows))]
    if list(map(str, labels)) == numbers:
        return
    for row, label in zip(rows, labels, strict=True):
        row.setdefault(INDEX, label)
