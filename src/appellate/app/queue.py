"""The queue's lines: every cell as one line, drawn from the workspace only where it is in sight."""

from collections.abc import Collection

from appellate.app.pages import Pages
from appellate.core.trace import name_of
from appellate.store.cells import CellRow
from appellate.store.queue import Queue
from appellate.ui.lines import Row
from appellate.ui.marks import Marks
from appellate.ui.measures import number
from appellate.ui.styled_text import Piece


class QueueRows:
    """The cells of a queue, a page at a time; `forget` after any change."""

    def __init__(self, queue: Queue, marks: Marks, bookmarks: Collection[int]) -> None:
        self.queue = queue
        self._marks = marks
        self._bookmarks = bookmarks
        self._pages = Pages(queue.rows)

    def __len__(self) -> int:
        return len(self.queue)

    def row(self, index: int, /) -> Row:
        row = self._pages.row(index)
        return queue_row(row, self._marks, bookmarked=row.no in self._bookmarks)

    def forget(self, number: int | None = None) -> None:
        """To call when one cell changed, or, with no number, when any may have."""
        position = None if number is None else self.queue.position(number)
        if number is None or position is not None:
            self._pages.forget(position)


def queue_row(row: CellRow, marks: Marks, *, bookmarked: bool = False) -> Row:
    """State, flag, bookmark, trace, trait and the last requested metric."""
    flag = Piece(marks.flag if row.flag else " ", "flag")
    place = Piece(marks.bookmark if bookmarked else " ", "key")
    state = Piece(f"{getattr(marks, row.state)}", row.state)
    right = [Piece(f"{mark} ", "flag") for mark in _warnings(row, marks)]
    right.append(Piece(headline(row), "muted" if row.state == "pending" else row.state))
    return Row(cell_name(row), left=(state, flag, place), right=tuple(right))


def _warnings(row: CellRow, marks: Marks) -> list[str]:
    """What to look at with care: a trace that speaks to the judge, judges at odds, a doubtful ledger or excerpt."""
    found = ((row.suspect, marks.plea), (row.disagreement, marks.split), (row.breaches or row.unverified, marks.doubt))
    return [mark for there, mark in found if there]


def cell_name(row: CellRow) -> str:
    """What a cell is called: its trace and its trait."""
    return f"{name_of(row.trace_id, row.epoch)} {row.trait}"


def headline(row: CellRow) -> str:
    """The figure at the line's end: a value, 0/0, or how the judge ended."""
    if row.state == "failed":
        return "fail"
    if row.state == "pending":
        return ""
    return "0/0" if row.headline is None else number(row.headline)
