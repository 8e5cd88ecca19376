"""The names of a table's columns, from its first row, and CSV tables as spreadsheets save them."""

import csv
import re
from collections.abc import Iterator, Sequence
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
    """Return how a CSV file is written, whatever it is called.

    Its delimiter is the one that its first line says (`sep=;`), or has most often outside of
    quotes. Of equally frequent ones, and of none, it is the first of `_DELIMITERS`, which is the
    comma.
    """
    with opened(path, errors="replace", newline="") as file:
        line = file.readline(_PEEK)
    delimiter_line = _SAID.fullmatch(line)
    if delimiter_line is not None:
        return Layout(delimiter_line["delimiter"], is_said=True)
    bare = re.sub(r'"[^"]*"', "", line)
    return Layout(max(_DELIMITERS, key=bare.count), is_said=False)


def named_columns(heads: Sequence[str]) -> list[str]:
    """Return the names of columns without blanks around them, no two alike.

    The second `score` becomes `score (2)`. Columns at the end without a name are left out. Others
    without one become `column 3`, by their number from 1. Only the first may stay without a name,
    as the index of a data frame.
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
        self._path = path
        self.layout = layout_of(path)
        self.blank_rows = 0
        """Rows of nothing but delimiters that were left out as the file was last read."""

    def heads(self) -> list[str]:
        """Return the first row that has a value, as it is; [] if there is none.

        Raises csv.Error or UnicodeDecodeError.
        """
        with opened(self._path, newline="") as file:
            return _heads(self._lines(file))

    def __call__(self) -> Iterator[dict[str, Any]]:
        """Yield the rows by the names of their columns; a cell that a row lacks is None.

        Cells are texts as they are. Rows without a value are left out and counted in `blank_rows`.
        Raises Unusable for a row with a value beyond the columns with names.
        """
        self.blank_rows = 0
        with opened(self._path, newline="") as file:
            lines = self._lines(file)
            columns = named_columns(_heads(lines))
            count = len(columns)
            lacking = [None] * count
            for cells in lines:
                if len(cells) == count and cells[0]:
                    yield dict(zip(columns, cells, strict=True))
                    continue
                if not any(map(str.strip, cells)):
                    self.blank_rows += bool(
                        cells
                    )  # a line without a delimiter is no row
                    continue
                if any(map(str.strip, cells[count:])):
                    wrong = (
                        f"line {lines.line_num} has more cells than there are columns"
                        " with names"
                    )
                    raise unusable(str(self._path), wrong)
                yield dict(
                    zip(columns, [*cells[:count], *lacking[len(cells) :]], strict=True)
                )

    def _lines(self, file: TextIO) -> Any:
        """Return a CSV reader of a file's lines, behind the one that only names the delimiter.

        The file is read on from where it is. Raises the limit of `csv` on a cell's size, for all
        readers.
        """
        csv.field_size_limit(LARGEST_CELL)
        if self.layout.is_said:
            file.readline()
        return csv.reader(file, delimiter=self.layout.delimiter)


def _heads(lines: Iterator[list[str]]) -> list[str]:
    """Read rows up to the first one that has a value, and return it as it is.

    Return [] if no row has one. A cell of blanks is no value.
    """
    for cells in lines:
        if any(map(str.strip, cells)):
            return cells
    return []
