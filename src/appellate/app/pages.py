"""Rows that are read a page at a time, where they are in sight, and kept until something changes."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

ROWS = 64
MOST = 16

Read = TypeVar("Read")


class Pages(Generic[Read]):
    """`read(start, count)` gives the rows at `start` and after."""

    def __init__(self, read: Callable[[int, int], Sequence[Read]]) -> None:
        self._read = read
        self._pages: dict[int, Sequence[Read]] = {}

    def row(self, index: int) -> Read:
        page, place = divmod(index, ROWS)
        if page not in self._pages:
            if len(self._pages) > MOST:
                self._pages.clear()
            self._pages[page] = self._read(page * ROWS, ROWS)
        return self._pages[page][place]

    def forget(self, index: int | None = None) -> None:
        """To call when one row changed, or, with no index, when any may have."""
        if index is None:
            self._pages.clear()
        else:
            self._pages.pop(index // ROWS, None)
