"""The lines of the queue, read from the workspace a page at a time as they are in sight.

The cells of a trace are under its heading, as far as the order leaves them beside each other.
Where all are of one trait there is none: a line has what was asked, and the name of the trace.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from appellate.core.trace import name_of
from appellate.session.workbench import Workbench
from appellate.store.cells import CellRow
from appellate.store.queue import Queue
from appellate.store.trace_rows import beginning
from appellate.ui.lines import CURSOR, SIGN
from appellate.ui.marks import Marks
from appellate.ui.measures_bar import number
from appellate.ui.rendered_text import cells
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.text import clip

ROWS = 64
MOST = 16
KNOWN = 4096  # cells whose headings are counted only once
LEAST_NAME = 16  # cells of a trace's name beside what says more of it
LEAST_BEHIND = 6  # cells of a trace's name behind the question
WORD = 12
"""Cells of a verdict or a class at the end of a line."""

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


class QueueRows:
    """The cells of a queue, a page at a time; `forget` after any change. `room` gives the cells of
    a line.
    """

    def __init__(
        self, queue: Queue, bench: Workbench, marks: Marks, room: Callable[[], int]
    ) -> None:
        self.queue = queue
        self._bench = bench
        self._marks = marks
        self._room = room
        self._pages = Pages(queue.rows)
        self._known: dict[int, int] = {}
        self._asked: dict[str, str] = {}  # by the ids of the rubric's questions
        self.are_grouped = not queue.has_one_trait

    def __len__(self) -> int:
        return len(self.queue)

    def row(self, index: int, /) -> ListRow:
        row, marks = self._pages.row(index), self._marks
        flag = StyledText(marks.flag if row.flag else " ", "flag")
        bookmarked = row.no in self._bench.bookmarks()
        place = StyledText(marks.bookmark if bookmarked else " ", "key")
        right = [StyledText(f"{mark} ", "flag") for mark in _warnings(row, marks)]
        right.append(StyledText(headline(row), row.state))
        left = (self.state(index), flag, place)
        if self.are_grouped:
            return ListRow(row.trait, left, tuple(right))
        name, question = name_of(row.trace_id, row.epoch), self._question(row)
        if not question:
            return ListRow("", left, tuple(right), opening=(StyledText(name),))
        room = self._room() - CURSOR - SIGN - cells(left) - cells(right) - 1
        if self._is_asked_beside(index, question):
            name = clip(name, max(room // 2, LEAST_NAME), marks)
            return ListRow(
                question, left, tuple(right), "muted", opening=(StyledText(f"{name}  "),)
            )
        if cells((StyledText(question),)) > room - LEAST_BEHIND:
            return ListRow(question, left, tuple(right))
        return ListRow(name, left, tuple(right), "muted", opening=(StyledText(f"{question}  "),))

    def _is_asked_beside(self, index: int, question: str) -> bool:
        """Whether a line above or below asks the same, so that names tell the answers apart."""
        beside = [at for at in (index - 1, index + 1) if 0 <= at < len(self)]
        return any(self._question(self._pages.row(at)) == question for at in beside)

    def _question(self, row: CellRow) -> str:
        name = row.question_id
        if name not in self._asked:
            asked = self._bench.workspace.rubric.questions_by_id.get(name)
            self._asked[name] = beginning((asked and asked.question) or "")
        return row.question or self._asked[name]

    def heading(self, index: int, style: str) -> ListRow:
        """The line above the cells of a trace: its name, and who answered."""
        row = self._pages.row(index)
        name = StyledText(f" {name_of(row.trace_id, row.epoch)}  ", style)
        return ListRow(row.model, opening=(name,), style="muted", heading=True)

    def headings(self, index: int) -> int:
        """How many headings are over the cells up to this one."""
        if index not in self._known:
            if len(self._known) > KNOWN:
                self._known.clear()
            self._known[index] = self.queue.headings(index)
        return self._known[index]

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
    """What is at the line's end: a number or a word for it, 0/0, or how the judge ended."""
    if row.state == "failed":
        return "fail"
    if row.state == "pending":
        return ""
    if row.headline is None:
        return "0/0"
    if row.word:
        return clip(row.word, WORD)
    return number(row.headline)
