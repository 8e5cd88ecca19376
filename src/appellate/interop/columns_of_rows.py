"""The names of a table's columns, from its first row, and CSV tables as spreadsheets save them."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from appellate.interop.file_text import opened
from appellate.store.files.text_file import unusable

LARGEST_CELL = 1 << 30
_PEEK = 4096
_DELIMITERS = ",;\t|"
_SAID = re.compile(r'"?sep=(?P<delimiter>.)"?\r?\n?', re.IGNORECASE)
"""The first line by which Excel tells itself what parts the columns."""


class Layout(NamedTuple):
    """How a CSV file is written."""

    delimiter: str
    """What parts the columns."""
    is_said: bool
    """Whether the first line says so, and is no row."""


def layout_of(path: Path) -> Layout:
    """Return the delimiter of a CSV file, and whether its first line declares it (`sep=;`).

    A delimiter that is not declared is the one of `,` `;` tab and `|` that is most frequent
    outside of quotes in the first line that is not blank. On a tie the first in this order
    is taken, so the comma if there is none. The file's name does not count. At most `_PEEK`
    characters of a line are read. Raises OSError.
    """
    with opened(path, errors="replace", newline="") as file:
        line = file.readline(_PEEK)
        delimiter_line = _SAID.fullmatch(line)
        if delimiter_line is not None:
            return Layout(delimiter_line["delimiter"], is_said=True)
        while line.isspace():
            line = file.readline(_PEEK)
    bare = re.sub(r'"[^"]*"', "", line)
    return Layout(max(_DELIMITERS, key=bare.count), is_said=False)


def named_columns(heads: Sequence[str]) -> list[str]:
    """Return the names of a table's columns from the cells of its first row, no two alike.

    Blanks around a name are removed. The second `score` becomes `score (2)`. Cells without a name
    at the end are dropped, so the result may be shorter. Others without one become `column 3`, by
    their position from 1. Only the first column may stay "", as the index of a data frame.
    """
    names = [head.strip() for head in heads]
    while names and not names[-1]:
        names.pop()
    for index, name in enumerate(names):
        if index and not name:
            names[index] = f"column {index + 1}"
    used_names: set[str] = set()
    columns: list[str] = []
    for name in names:
        column = name
        number = 1
        while column in used_names:
            number += 1
            column = f"{name} ({number})"
        used_names.add(column)
        columns.append(column)
    return columns


class CsvTable:
    """The rows of a CSV or TSV file, read line by line from the beginning at each call."""

    def __init__(self, path: Path) -> None:
        """Read the first line of the CSV file for its delimiter (`layout`); raises OSError."""
        self._path = path
        self.layout = layout_of(path)
        self.blank_rows = 0
        """Rows of nothing but delimiters that were left out as the file was last read."""

    def heads(self) -> list[str]:
        """Return the cells of the CSV file's first row with a value, as they are; [] if none has.

        Opens and reads the file anew. Raises OSError, csv.Error or UnicodeDecodeError.
        """
        with opened(self._path, newline="") as file:
            return _first_filled_row(self._lines(file))

    def rows_of_cells(self) -> Iterator[list[str]]:
        """Yield the rows that have a value as lists of cells, first the one with the names.

        Unlike calling the table, this keeps columns of one name apart by their places. Other rows
        are left out, and counted in `blank_rows` unless the line is empty. Raises OSError,
        csv.Error and UnicodeDecodeError.
        """
        self.blank_rows = 0
        with opened(self._path, newline="") as file:
            lines = self._lines(file)
            heads = _first_filled_row(lines)
            if heads:
                yield heads
            yield from self._filled_rows(lines)

    def __call__(self) -> Iterator[dict[str, Any]]:
        """Yield the rows by the names of their columns; a cell that a row lacks is None.

        Cells are texts as they are, "" if empty. The first row with a value has the names. Rows
        without a value are left out, and counted in `blank_rows` unless the line is empty. Raises
        Unusable for a row with a value beyond the columns with names, OSError, csv.Error and
        UnicodeDecodeError.
        """
        self.blank_rows = 0
        with opened(self._path, newline="") as file:
            lines = self._lines(file)
            columns = named_columns(_first_filled_row(lines))
            count = len(columns)
            lacking = [None] * count
            for cells in self._filled_rows(lines):
                if len(cells) == count:
                    yield dict(zip(columns, cells, strict=True))
                    continue
                if any(map(str.strip, cells[count:])):
                    wrong = (
                        f"line {lines.line_num} has more cells than there are columns"
                        " with names"
                    )
                    raise unusable(str(self._path), wrong)
                yield dict(
                    zip(columns, [*cells[:count], *lacking[len(cells) :]], strict=True),
                )

    def _filled_rows(self, lines: Iterable[list[str]]) -> Iterator[list[str]]:
        """Yield the rows that have a value, and count the others in `blank_rows`, but not empty
        lines.

        A cell of only blanks is no value.
        """
        for cells in lines:
            if any(map(str.strip, cells)):
                yield cells
            else:
                self.blank_rows += bool(cells)

    def _lines(self, file: TextIO) -> Any:
        """Return a `csv.reader` over an open CSV file, with the file's delimiter.

        A first line that only declares the delimiter (`sep=;`) is skipped. Reading goes on from
        where the file is. Also raises the size limit of a cell for the whole process, to
        `LARGEST_CELL`.
        """
        csv.field_size_limit(LARGEST_CELL)
        if self.layout.is_said:
            file.readline()
        return csv.reader(file, delimiter=self.layout.delimiter)


def _first_filled_row(lines: Iterator[list[str]]) -> list[str]:
    """Return the next row of a CSV reader that has a value, as it is; [] if no further row has one.

    A cell of only blanks is no value. The rows up to it are consumed from `lines`, so that the
    iterator is at the first row of data then.
    """
    for cells in lines:
        if any(map(str.strip, cells)):
            return cells
    return []
