"""The queue: every cell as one line, drawn from the workspace only where it is in sight."""

from appellate.store.workspace import CellRow, Workspace
from appellate.ui.figures import number
from appellate.ui.marks import Marks
from appellate.ui.pieces import Piece
from appellate.ui.sections import Row

_PAGE = 64
_PAGES = 16


class QueueRows:
    """The cells in the order loaded, a page at a time; `forget` after any change."""

    def __init__(self, workspace: Workspace, marks: Marks) -> None:
        self._workspace = workspace
        self._marks = marks
        self._pages: dict[int, list[CellRow]] = {}
        self._count = workspace.count()

    def __len__(self) -> int:
        return self._count

    def row(self, index: int, /) -> Row:
        page, place = divmod(index, _PAGE)
        if page not in self._pages:
            if len(self._pages) > _PAGES:
                self._pages.clear()
            self._pages[page] = self._workspace.rows(page * _PAGE, _PAGE)
        return queue_row(self._pages[page][place], self._marks)

    def forget(self, number: int | None = None) -> None:
        """To call when one cell changed, or, with no number, when any may have."""
        if number is None:
            self._pages.clear()
            self._count = self._workspace.count()
        else:
            self._pages.pop((number - 1) // _PAGE, None)


def queue_row(row: CellRow, marks: Marks) -> Row:
    """State, flag, trace, trait and the last requested metric."""
    flag = Piece(marks.flag if row.flag else " ", "flag")
    state = Piece(f"{getattr(marks, row.state)}", row.state)
    epoch = f"#{row.epoch}" if row.epoch != 1 else ""
    right = [Piece(f"{marks.doubt} ", "flag")] if row.breaches or row.unverified else []
    right.append(Piece(headline(row), "muted" if row.state == "pending" else row.state))
    return Row(f"{row.trace_id}{epoch} {row.trait}", left=(state, flag, Piece(" ")), right=tuple(right))


def headline(row: CellRow) -> str:
    """The figure at the line's end: a value, 0/0, or how the judge ended."""
    if row.state == "failed":
        return "fail"
    if row.state == "pending":
        return ""
    return "0/0" if row.headline is None else number(row.headline)
