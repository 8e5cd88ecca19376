"""The items of each cell that a reviewer has been on, by the names that their kind gives them.

They are noted at once and written with the place where one stands: not at every key. A new proposal
or another version of the trait makes them unseen.
"""

import json

from appellate.core.cell import Cell
from appellate.store.database import Database


class SeenItems:
    """What one reviewer has been on."""

    def __init__(self, file: Database, by: str) -> None:
        self._file = file
        self._by = by
        self._known: dict[int, tuple[int, frozenset[str]]] = {}
        self._unwritten: set[int] = set()

    def of(self, number: int, cell: Cell) -> frozenset[str]:
        """The names of the items of a cell, as it is now, that were seen."""
        since = _since(cell)
        if number not in self._known:
            self._known[number] = self._read(number)
        then, names = self._known[number]
        return names if then == since else frozenset()

    def note(self, number: int, cell: Cell, names: frozenset[str]) -> None:
        """One has been on these items of a cell, too."""
        seen = self.of(number, cell)
        if not names <= seen:
            self._known[number] = _since(cell), seen | names
            self._unwritten.add(number)

    @property
    def unwritten(self) -> bool:
        """Whether `write` has something to do."""
        return bool(self._unwritten)

    def write(self) -> None:
        """Writes what was noted, in the transaction of who calls it: `written` once that is
        kept.
        """
        for number in self._unwritten:
            since, names = self._known[number]
            row = (self._by, number, since, json.dumps(sorted(names), ensure_ascii=False))
            self._file.db.execute("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)", row)

    def written(self) -> None:
        self._unwritten.clear()

    def _read(self, number: int) -> tuple[int, frozenset[str]]:
        sql = "SELECT since, items FROM seen WHERE by = ? AND cell = ?"
        row = self._file.db.execute(sql, (self._by, number)).fetchone()
        if row is None:
            return 0, frozenset()
        return row[0], frozenset(json.loads(row[1]))


def _since(cell: Cell) -> int:
    """The number of the fact since which the items of a cell are what they are, but for
    corrections.
    """
    if cell.base is None:
        return cell.revised
    return max(cell.base.n, cell.revised)
