"""The queue: every cell as one line, read from the workspace a page at a time as it is in sight."""

from collections.abc import Callable, Collection, Sequence
from typing import Generic, TypeVar

from textual.strip import Strip

from appellate.app.lineup import Lineup
from appellate.core.kind import Subject
from appellate.core.trace import name_of
from appellate.store.cells import CellRow
from appellate.store.queue import LoadedQueue, Queue
from appellate.ui.counting import CountedLines
from appellate.ui.lines import ListRow, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.measures_bar import number
from appellate.ui.rendered_text import StyledText, strip
from appellate.ui.text import clip
from appellate.workbench import Workbench

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


WORD = 12
"""Cells of a verdict or a class at the end of a line."""


class QueueView(CountedLines):
    """The list of cells; which of them, and in which order, is the line-up's to say."""

    def __init__(self, bench: Workbench, *, marks: Marks, id: str) -> None:  # noqa: A002
        super().__init__(marks=marks, id=id)
        self.lineup = Lineup(bench.workspace, bench.reviewer)
        self.cells: Queue = LoadedQueue(bench.workspace)
        self._bookmarks = bench.bookmarks
        self._rows = QueueRows(self.cells, marks, self._bookmarks)

    def on_mount(self) -> None:
        self.show(ListSection(self._rows, empty="There is nothing to review."))

    def put_in_line(self, lineup: Lineup, cells: Queue, here: int) -> None:
        """Shows other cells, with the cursor on the one in sight."""
        self.lineup, self.cells = lineup, cells
        self._rows = QueueRows(cells, self.marks, self._bookmarks)
        self.show_rows(self._rows, lineup.nothing_here)
        self.follow(here)

    def follow(self, number: int) -> None:
        """The cursor goes to a cell, where the queue holds it."""
        position = self.cells.position(number)
        if position is not None:
            self.go(0, position)

    def draw_anew(self, number: int | None = None) -> None:
        """To call when one cell changed, or, with no number, when any may have."""
        self._rows.forget(number)
        if number is None:
            self.refresh_rows()
            return
        position = self.cells.position(number)
        if position is not None:
            self.refresh_row(0, position)

    def fold(self, folded: bool) -> None:
        """To a rail of the states alone, with the cursor's place marked, or open again."""
        if folded != self.has_class("-rail"):
            self.set_class(folded, "-rail")
            self.refresh()

    def render_line(self, y: int) -> Strip:
        if not self.has_class("-rail"):
            return super().render_line(y)
        line, width = self.placed.line(y + self.scroll_offset.y), self.size.width
        if line.what != "row":
            return Strip.blank(width, self.visual_style.rich_style)
        mark, style = StyledText(" "), self.visual_style.rich_style
        if line.row == self.cursor.row:
            mark = StyledText(self.marks.cursor)
            style = self.get_component_rich_style("lines--cursor")
        return strip(self, "lines", [mark, self._rows.state(line.row)], width, style)

    def title(self, subject: Subject) -> str:
        """What the number at the end of a line is, as of the cell in sight, and what is queued."""
        measures = subject.kind.measures(subject.trait)
        number = measures[-1].short if measures else ""
        return spelt(" · ".join(filter(None, ("Queue", number, self.lineup.name))), self.marks)

    def place_of(self, number: int) -> str:
        """Where a cell stands in a queue that is not simply every cell."""
        position = self.cells.position(number)
        if self.lineup.plain or position is None:
            return ""
        return f"{position + 1}/{len(self.cells)}"


class QueueRows:
    """The cells of a queue, a page at a time; `forget` after any change."""

    def __init__(
        self, queue: Queue, marks: Marks, bookmarks: Callable[[], Collection[int]]
    ) -> None:
        self.queue = queue
        self._marks = marks
        self._bookmarks = bookmarks
        self._pages = Pages(queue.rows)

    def __len__(self) -> int:
        return len(self.queue)

    def row(self, index: int, /) -> ListRow:
        row = self._pages.row(index)
        return queue_row(row, self._marks, bookmarked=row.no in self._bookmarks())

    def state(self, index: int) -> StyledText:
        """The mark of a cell's state alone."""
        state = self._pages.row(index).state
        return StyledText(getattr(self._marks, state), state)

    def forget(self, number: int | None = None) -> None:
        """To call when one cell changed, or, with no number, when any may have."""
        if number is None:
            self._pages.forget()
            return
        position = self.queue.position(number)
        if position is not None:
            self._pages.forget(position)


def queue_row(row: CellRow, marks: Marks, *, bookmarked: bool = False) -> ListRow:
    """State, flag, bookmark, trace, trait and the last requested metric."""
    flag = StyledText(marks.flag if row.flag else " ", "flag")
    place = StyledText(marks.bookmark if bookmarked else " ", "key")
    state = StyledText(f"{getattr(marks, row.state)}", row.state)
    right = [StyledText(f"{mark} ", "flag") for mark in _warnings(row, marks)]
    right.append(StyledText(headline(row), row.state))
    return ListRow(cell_name(row), left=(state, flag, place), right=tuple(right))


def _warnings(row: CellRow, marks: Marks) -> list[str]:
    """What to look at with care."""
    found = []
    if row.suspect:
        found.append(marks.plea)
    if row.disagreement:
        found.append(marks.split)
    if row.hasty:
        found.append(marks.hasty)
    if row.breaches or row.unverified:
        found.append(marks.doubt)
    return found


def cell_name(row: CellRow) -> str:
    """What a cell is called: its trace and its trait."""
    return f"{name_of(row.trace_id, row.epoch)} {row.trait}"


def headline(row: CellRow) -> str:
    """What stands at the line's end: a number or a word for it, 0/0, or how the judge ended."""
    if row.state == "failed":
        return "fail"
    if row.state == "pending":
        return ""
    if row.headline is None:
        return "0/0"
    if row.word:
        return clip(row.word, WORD)
    return number(row.headline)
