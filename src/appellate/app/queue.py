"""The queue's lines: every cell as one line, drawn from the workspace only where it is in sight."""

from collections.abc import Collection

from appellate.store.queue import Queue
from appellate.store.workspace import CellRow
from appellate.ui.figures import number
from appellate.ui.marks import Marks
from appellate.ui.pieces import Piece
from appellate.ui.sections import Row

_PAGE = 64
_PAGES = 16


class QueueRows:
    """The cells of a queue, a page at a time; `forget` after any change."""

    def __init__(self, queue: Queue, marks: Marks, bookmarks: Collection[int]) -> None:
        self.queue = queue
        self._marks = marks
        self._bookmarks = bookmarks
        self._pages: dict[int, list[CellRow]] = {}

    def __len__(self) -> int:
        return len(self.queue)

    def row(self, index: int, /) -> Row:
        page, place = divmod(index, _PAGE)
        if page not in self._pages:
            if len(self._pages) > _PAGES:
                self._pages.clear()
            self._pages[page] = self.queue.rows(page * _PAGE, _PAGE)
        row = self._pages[page][place]
        return queue_row(row, self._marks, bookmarked=row.no in self._bookmarks)

    def forget(self, number: int | None = None) -> None:
        """To call when one cell changed, or, with no number, when any may have."""
        position = None if number is None else self.queue.position(number)
        if number is None:
            self._pages.clear()
        elif position is not None:
            self._pages.pop(position // _PAGE, None)


def queue_row(row: CellRow, marks: Marks, *, bookmarked: bool = False) -> Row:
    """State, flag, bookmark, trace, trait and the last requested metric."""
    flag = Piece(marks.flag if row.flag else " ", "flag")
    place = Piece(marks.bookmark if bookmarked else " ", "key")
    state = Piece(f"{getattr(marks, row.state)}", row.state)
    epoch = f"#{row.epoch}" if row.epoch != 1 else ""
    right = [Piece(f"{marks.doubt} ", "flag")] if row.breaches or row.unverified else []
    right.append(Piece(headline(row), "muted" if row.state == "pending" else row.state))
    return Row(f"{row.trace_id}{epoch} {row.trait}", left=(state, flag, place), right=tuple(right))


def headline(row: CellRow) -> str:
    """The figure at the line's end: a value, 0/0, or how the judge ended."""
    if row.state == "failed":
        return "fail"
    if row.state == "pending":
        return ""
    return "0/0" if row.headline is None else number(row.headline)
