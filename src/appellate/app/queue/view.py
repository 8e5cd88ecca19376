"""The queue: every cell as a line, read a page at a time, its filter and order. The cells of a
trace have its heading; where all are of one trait a line has the question and the trace's name.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Generic, TypeVar

from textual.events import Resize
from textual.screen import Screen
from textual.strip import Strip

from appellate.app.appearance.sizes import RAIL
from appellate.app.dialogs import Dialogs
from appellate.app.queue.lineup import Lineup
from appellate.core.kind import IN_QUEUE
from appellate.core.problem import Refused, wording
from appellate.core.trace import epoch_text, name_of
from appellate.session.workbench import Workbench
from appellate.store.cells import CellRow
from appellate.store.queue import LoadedQueue, Queue, first_open
from appellate.store.trace_rows import beginning
from appellate.ui.contract import Choice
from appellate.ui.lines import CURSOR, SIGN, CountedLines, Headings, ListSection, legend
from appellate.ui.marks import Marks, spelt
from appellate.ui.measures import number as written
from appellate.ui.rendered_text import cells, strip
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.text import cell_width, clip, entitle
from appellate.ui.textual_compat import beside

ROWS = 64
MOST = 16
KNOWN = 4096  # cells whose headings are counted only once
FRAME = 2  # columns of the lines at either side
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
    """The cells of a queue, a page at a time, in so much `room`; `forget` after a change."""

    def __init__(
        self, queue: Queue, bench: Workbench, marks: Marks, room: Callable[[], int]
    ) -> None:
        self.queue = queue
        self._bench = bench
        self._marks = marks
        self._room = room
        self._pages = Pages(queue.rows)
        self.forget = self._pages.forget
        self._known: dict[int, int] = {}
        self._asked: dict[str, str] = {}  # by the ids of the rubric's questions
        self.are_grouped = not queue.has_one_trait

    def __len__(self) -> int:
        return len(self.queue)

    def __getitem__(self, index: int, /) -> ListRow:
        row = self._pages.row(index)
        marks = self._marks
        flag = StyledText(marks.flag if row.flag else " ", "flag")
        bookmarked = row.no in self._bench.bookmarks()
        place = StyledText(marks.bookmark if bookmarked else " ", "key")
        right = [StyledText(f"{mark} ", "flag") for mark in _warnings(row, marks)]
        right.append(StyledText(headline(row, marks), row.state))
        left = (self.state(index), flag, place)
        if self.are_grouped:
            name = self._number_name(row)
            taken = CURSOR + SIGN + cells(left) + cells(right) + len(name) + 2
            if name and cell_width(row.trait) + taken <= self._room():
                right.insert(-1, StyledText(f"{name} ", "muted"))
            return ListRow(row.trait, left, tuple(right))
        name = name_of(row.trace_id, row.epoch)
        question = self._question(row)
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

    def _number_name(self, row: CellRow) -> str:
        """What the number at the end of a line is, where those of other lines are something else.

        "" where the title of the queue names all of them, or where no number is there.
        """
        if len(set(self.numbers.values())) == 1 or row.word or row.headline is None:
            return ""
        return self.numbers.get(row.trait, "")

    @cached_property
    def numbers(self) -> dict[str, str]:
        """What the number at the end of a line is, by its trait."""
        found: dict[str, str] = {}
        for kind, trait in self._bench.workspace.rubric.every_trait():
            measures = kind.measures(trait)
            if measures:
                found[trait.name] = measures[IN_QUEUE].short
        return found

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
        told = [epoch_text(row.epoch), row.model]
        about = "  ".join(filter(None, told))
        return ListRow(about, opening=(name,), style="muted", heading=True)

    def trace_no(self, index: int) -> int:
        """The number of the trace that a line's cell is of."""
        return self._pages.row(index).trace_no

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


def _warnings(row: CellRow, marks: Marks) -> list[str]:
    found = []
    if row.commented:
        found.append(marks.comment)
    if row.suspect:
        found.append(marks.plea)
    if row.disagreement:
        found.append(marks.split)
    if row.hasty:
        found.append(marks.hasty)
    if row.breaches or row.unverified:
        found.append(marks.doubt)
    return found


def _meanings(marks: Marks) -> dict[str, str]:
    """What the marks of a line mean in a word or two, the least known first."""
    return {
        marks.plea: "addresses the judge",
        marks.split: "judges differ",
        marks.hasty: "hasty",
        marks.doubt: "doubt",
        marks.comment: "comment",
        marks.bookmark: "bookmark",
        marks.flag: "flagged",
        marks.pending: "not judged",
        marks.failed: "failed",
        marks.corrected: "edited",
        marks.proposed: "judged",
        marks.reviewed: "signed off",
    }


def headline(row: CellRow, marks: Marks) -> str:
    """What is at the line's end: a number or a word for it, 0/0, or how the judge ended."""
    if row.state == "failed":
        return "fail"
    if row.state == "pending":
        return ""
    if row.word:
        return clip(row.word, WORD, marks)
    if row.headline is None:
        return "0/0"
    return written(row.headline)


class QueueView(CountedLines):
    """The list of cells; which of them, and in which order, is the line-up's to say."""

    def __init__(self, bench: Workbench, *, marks: Marks, id: str) -> None:  # noqa: A002
        super().__init__(marks=marks, id=id)
        self.lineup = Lineup(bench.workspace, bench.reviewer)
        self.cells: Queue = LoadedQueue(bench.workspace)
        self._bench = bench
        self._rows = self._rows_of(self.cells)

    def _rows_of(self, queue: Queue) -> QueueRows:
        return QueueRows(queue, self._bench, self.marks, lambda: self._room)

    def on_mount(self) -> None:
        self._show_rows()

    def _show_rows(self) -> None:
        headings = None
        if self._rows.are_grouped:
            headings = Headings(self._rows.headings, self._heading)
        self.show(ListSection(self._rows, empty=self.lineup.nothing_here, headings=headings))
        self.tell_marks()

    def _heading(self, index: int) -> ListRow:
        return self._rows.heading(index, self._heading_style(index))

    def _heading_style(self, index: int) -> str:
        """The style of the line above a trace's cells: that of the cell in sight stands out."""
        is_in_sight = self._rows.headings(index) == self._rows.headings(self.cursor.row)
        return "key" if is_in_sight and self.points else ""

    def _put(self, cursor: Cursor) -> None:
        before = self.placed.top(self.cursor)
        super()._put(cursor)
        after = self.placed.top(cursor)
        if after != before:  # the heading of the cell in sight is bold
            self.refresh_line(before)
            self.refresh_line(after)

    def put_in_line(self, lineup: Lineup, cells: Queue, here: int) -> None:
        """Shows other cells, with the cursor on the one in sight."""
        self.lineup = lineup
        self.cells = cells
        self._rows = self._rows_of(cells)
        self._show_rows()
        self.follow(here)

    def follow(self, number: int) -> None:
        """The cursor goes to a cell; where the queue does not hold it, none is shown."""
        position = self.cells.position(number)
        self._show_cursor(position is not None)
        if position is not None:
            self.go(0, position)

    def on_focus(self) -> None:
        """Shows the cursor, which keys move now."""
        self._show_cursor(True)

    def _show_cursor(self, shown: bool) -> None:
        if shown != self.points:
            self.points = shown
            self.refresh()

    def draw_anew(self, number: int | None = None) -> None:
        """To call when one cell changed, or, with no number, when any may have."""
        if number is None:
            self._rows.forget()
            self.refresh_rows()
            self.tell_marks()
            return
        position = self.cells.position(number)
        if position is not None:
            self._rows.forget(position)
            self.refresh_row(0, position)
            if 0 <= self.placed.y(Cursor(0, position)) - self.scroll_offset.y < self.size.height:
                self.tell_marks()

    def fold(self, folded: bool) -> None:
        """To a rail of states and numbers of traces, with the cursor's place, or open again."""
        if folded != self.has_class("-rail"):
            self.set_class(folded, "-rail")
            self._show_rows()

    def render_line(self, y: int) -> Strip:
        if not self.has_class("-rail"):
            return super().render_line(y)
        line = self.placed.line(y + self.scroll_offset.y)
        width = self.size.width
        style = self.visual_style.rich_style
        if line.what == "heading":
            number = StyledText(str(self._rows.trace_no(line.row)), self._heading_style(line.row))
            return strip(self, "lines", [number], width, style)
        if line.what != "row":
            return Strip.blank(width, style)
        mark = StyledText(" ")
        if line.row == self.cursor.row and self.points:
            mark = StyledText(self.marks.cursor)
            style = self.get_component_rich_style("lines--cursor")
        return strip(self, "lines", [mark, self._rows.state(line.row)], width, style)

    @property
    def rail_width(self) -> int:
        """The columns of the folded queue: those of the longest number of a trace, and a frame."""
        return max(RAIL, len(str(self._bench.workspace.traces.count())) + FRAME)

    @property
    def title(self) -> str:
        """How many cells are queued, what the number of a line is if it is one for all, and which
        cells they are.
        """
        names = set(self._rows.numbers.values())
        number = names.pop() if len(names) == 1 else ""
        parts = (f"Queue {len(self.cells)}", number, self.lineup.name)
        return spelt(" · ".join(filter(None, parts)), self.marks)

    def tell_marks(self) -> None:
        """Says in the frame what the marks in sight mean."""
        text = ""
        if not self.has_class("-rail"):
            text = legend([self], _meanings(self.marks), self.size.width - 2)
        entitle(self, subtitle=text)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.tell_marks()

    def on_resize(self, event: Resize) -> None:
        super().on_resize(event)
        self.tell_marks()

    def place_of(self, number: int) -> str:
        """Where a cell is in a queue that is not simply every cell."""
        position = self.cells.position(number)
        if self.lineup.plain or position is None:
            return ""
        return f"{position + 1}/{len(self.cells)}"


class QueueControl:
    """Asks for a filter and an order."""

    def __init__(
        self,
        screen: Screen[None],
        queue: QueueView,
        dialogs: Dialogs,
        here: Callable[[], int],
        *,
        goes: Callable[[int], object],
        lined_up: Callable[[], object],
    ) -> None:
        """`here` is the number of the cell in sight; `goes` goes to another.

        `lined_up` shows that the queue holds other cells, or has them in another order.
        """
        self._screen = screen
        self._queue = queue
        self._dialogs = dialogs
        self._here = here
        self._goes = goes
        self._lined_up = lined_up

    async def filter(self) -> None:
        lineup = self._queue.lineup
        text = await self._dialogs.line(
            "Filter",
            lineup.filter,
            purpose="filter",
            completing=lineup.completions,
            checking=lineup.fault,
            hint="state:proposed f1<0.5 trait:… text:…   (empty: every cell)",
            typed="",
        )
        self.line_up(lineup.but(filter=text.strip()))

    async def order(self) -> None:
        lineup = self._queue.lineup
        choices = []
        for one in lineup.orders():
            note = "now" if one.id == lineup.order else ""
            choices.append(Choice(one.id, "", one.name, note))
        order = await self._dialogs.pick("Order of the queue", choices)
        seed = lineup.seed
        if order == "random":
            asked = self._dialogs.line("Seed of the random order", str(seed), checking=_no_seed)
            seed = int(await asked)
        self.line_up(lineup.but(order=order, seed=seed), afresh=True)

    def turn_hiding(self) -> None:
        """Leaves what is signed off out of the queue, or takes it in again; all else stays."""
        lineup = self._queue.lineup
        self.line_up(lineup.but(hides=not lineup.hides))

    def resume(self, lineup: Lineup) -> None:
        """Shows the queue that was left, and says what it leaves out and how to see all cells."""
        self.line_up(lineup, quietly=True, resumed=True)

    def line_up(
        self,
        lineup: Lineup,
        *,
        quietly: bool = False,
        afresh: bool = False,
        resumed: bool = False,
    ) -> None:
        """Finds the cells of a filter and an order in the background, and shows them. Quietly:
        nothing is said, and the cell in sight stays. Afresh: goes to the first that is not signed
        off. Resumed: says what is left out of the queue of an earlier session.
        """
        work = partial(self._line_up, lineup, quietly, afresh, resumed)
        beside(self._screen, work, "line", exclusive=True)  # in the place of a search under way

    async def _line_up(self, lineup: Lineup, quietly: bool, afresh: bool, resumed: bool) -> None:
        try:
            cells = await lineup.look_up(self._dialogs.say)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return
        if not self._queue.is_running:  # the screen is being taken down
            return
        if not len(cells) and not lineup.hides:
            self._dialogs.say(f"No cell fits {lineup.filter}: the queue stays as it was.")
            return
        self._queue.put_in_line(lineup, cells, self._here())
        self._lined_up()
        if resumed:
            self._tell_what_is_left_out(lineup, cells)
        if quietly and not afresh:
            return
        lineup.remember()
        if not len(cells):
            self._dialogs.say(lineup.nothing)
            return
        if afresh or cells.position(self._here()) is None:
            self._goes(first_open(cells, 1) or cells.number(0))
        if not quietly:
            self._dialogs.say(
                f"{cells.description}. {{queue.filter:f}} filters, {{queue.order:O}} orders, "
                "{queue.hide:Z} hides what is signed off."
            )

    def _tell_what_is_left_out(self, lineup: Lineup, cells: Queue) -> None:
        """Says behind what is said already which cells a queue of an earlier session has."""
        texts = [self._dialogs.said]
        if lineup.narrowed:
            text = f"The queue is still filtered, {cells.description}: "
            texts.append(text + "{queue.filter:f}, Backspace and Enter show every cell.")
        if lineup.hides:
            texts.append("What is signed off is still hidden: {queue.hide:Z} shows it.")
        self._dialogs.say(" ".join(filter(None, texts)))


def _no_seed(text: str) -> str:
    if re.fullmatch(r"\s*\d{1,10}\s*", text):
        return ""
    return "A seed is a whole number of at most ten digits."
