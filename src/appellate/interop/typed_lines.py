"""Lines of a table whose first rows tell the type of every column.

pandas and polars look at the first rows alone (polars at 100): a column that is empty there, or has
ids like numbers, has another type from then on, and what comes later cannot be read.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Self

from appellate.interop.foreign import Row

LOOKED_AT = 60
"""Rows that count as early: polars looks at 100, of which the rows that are moved take some."""


class TypedLines:
    """Lines on the disk; the first that tells the type of a column comes early.

    At most as many lines are moved as there are columns, and none if the early ones tell all types.
    """

    def __init__(
        self,
        columns: Iterable[str],
        line: Callable[[Row], str],
        is_telling: Callable[[str, object], bool],
    ) -> None:
        """Open a temporary file for the lines; leaving the context removes it.

        `columns` are those whose type a line has to tell, and `is_telling` returns whether a value
        of a column does. `line` writes a row as a line, with its line end.
        """
        self._untold = set(columns)
        self._line = line
        self._is_telling = is_telling
        self._count = 0
        self._moved: list[bytes] = []
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the lines from the disk."""
        self._file.close()

    def add(self, row: Row) -> None:
        """Add a row as the last line, on the disk, or keep its line in memory for the beginning.

        It is kept if at least `LOOKED_AT` rows came before it and it is the first to show
        the type of some column. Raises OSError if the disk is full.
        """
        telling_columns = {
            column
            for column in self._untold
            if self._is_telling(column, row.get(column))
        }
        line = self._line(row).encode()
        self._count += 1
        if telling_columns and self._count > LOOKED_AT:
            self._moved.append(line)
        else:
            self._file.write(line)
        self._untold -= telling_columns

    def lines(self) -> Iterator[bytes]:
        """Yield all lines that were added, as UTF-8 with their line ends.

        Those kept for the beginning come first, then the others in the order in which they were
        added. Call it after the last row.
        """
        yield from self._moved
        self._file.seek(0)
        yield from self._file


def is_telling_number(column: str, value: object) -> bool:  # noqa: ARG001 - all are of numbers
    """Return whether a value shows that its column is of numbers: it is a float.

    `column` is ignored. Whole numbers, which could be taken for an integer column, do not show it.
    """
    return isinstance(value, float)
