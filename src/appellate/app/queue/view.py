"""The queue on the review screen: a line for each cell, read a page at a time.

The cells of one trace stand below its name. If all cells are of one trait there are no such
headings, and a line has the question and the trace's name. `QueueControl` asks for filter and
order.
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
from appellate.core.kind import in_queue
from appellate.core.problem import Refused, wording
from appellate.core.scale import SHARE_OF_CLASS
from appellate.core.trace import epoch_text, name_of
from appellate.session.workbench import Workbench
from appellate.store.cells import CellRow
from appellate.store.database import NotKept
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
from appellate.ui.textual_compat import beside, whole_style

ROWS = 64
"""Number of rows that are read at once."""
MOST = 16
"""Number of pages that are kept."""
KNOWN = 4096
"""Number of cells for which the count of headings above them is kept."""
FRAME = 2
"""Columns of the frame at both sides of the lines."""
LEAST_NAME = 16
"""Columns that a trace's name has at least before the question."""
LEAST_BEHIND = 6
"""Columns that a trace's name has at least after the question."""
WORD = 12
"""Columns that a verdict or a class may take at the end of a line."""

Read = TypeVar("Read")


class Pages(Generic[Read]):
    """The rows of a long list, read a page at a time when they are first asked for."""

    def __init__(self, read: Callable[[int, int], Sequence[Read]]) -> None:
        """`read(start, count)` returns up to `count` rows from index `start` on."""
        self._read = read
        self._pages: dict[int, Sequence[Read]] = {}

    def row(self, index: int) -> Read:
        """Return the row at this index of the whole list, from 0; raise IndexError after its end.

        Its page is read if it is not kept. When more than `MOST` pages are kept, all are dropped
        first.
        """
        page, offset = divmod(index, ROWS)
        if page not in self._pages:
            if len(self._pages) > MOST:
                self._pages.clear()
            self._pages[page] = self._read(page * ROWS, ROWS)
        return self._pages[page][offset]

    def forget(self, index: int | None = None) -> None:
        """Drop what was read of the row at `index`, with its page, or of all rows for None.

        It is read again when it is next asked for.
        """
        if index is None:
            self._pages.clear()
        else:
            self._pages.pop(index // ROWS, None)


class QueueRows:
    """The lines of a queue, made from its cells when they are drawn.

    `forget` must be called after a cell changed.
    """

    def __init__(
        self,
        queue: Queue,
        bench: Workbench,
        marks: Marks,
        width: Callable[[], int],
    ) -> None:
        """`width` returns the columns of a line at the moment."""
        self.queue = queue
        self._bench = bench
        self._marks = marks
        self._width = width
        self._pages = Pages(queue.rows)
        self.forget = self._pages.forget
        self._headings_above: dict[int, int] = {}
        self._question_texts: dict[str, str] = {}
        """The beginnings of the rubric's questions, by their ids."""
        self.are_grouped = not queue.has_one_trait
        """Whether cells stand below the name of their trace."""

    def __len__(self) -> int:
        return len(self.queue)

    def __getitem__(self, index: int, /) -> ListRow:
        """Return the line of the cell at this index of the queue, as it is drawn.

        It has the marks of its state, flag and bookmark, its name, then warnings and its number or
        verdict.
        """
        row = self._pages.row(index)
        marks = self._marks
        flag = StyledText(marks.flag if row.flag else " ", "flag")
        is_bookmarked = row.no in self._bench.bookmarks()
        bookmark = StyledText(marks.bookmark if is_bookmarked else " ", "key")
        left = (self.state(index), flag, bookmark)
        right = [StyledText(f"{mark} ", "flag") for mark in _warnings(row, marks)]
        right.append(StyledText(headline(row, marks), row.state))
        if self.are_grouped:
            return self._grouped_line(row, left, right)
        return self._single_line(index, row, left, tuple(right))

    def _grouped_line(
        self,
        row: CellRow,
        left: tuple[StyledText, ...],
        right: list[StyledText],
    ) -> ListRow:
        """Return the line of a cell below its trace's name: the trait between `left` and `right`.

        The name of the number at its end, if it has one, is put before that number if the line has
        room.
        """
        name = self._number_name(row)
        used_width = CURSOR + SIGN + cells(left) + cells(right) + len(name) + 2
        if name and cell_width(row.trait) + used_width <= self._width():
            right = [*right[:-1], StyledText(f"{name} ", "muted"), right[-1]]
        return ListRow(row.trait, left, tuple(right))

    def _single_line(
        self,
        index: int,
        row: CellRow,
        left: tuple[StyledText, ...],
        right: tuple[StyledText, ...],
    ) -> ListRow:
        """Return the line of a cell without headings: its question and its trace's name.

        The name comes first if a neighbour has the same question. Else the question comes first,
        and the name is left out if fewer than `LEAST_BEHIND` columns are left for it. A cell
        without a question has its name only.
        """
        name = name_of(row.trace_id, row.epoch)
        question = self._question(row)
        if not question:
            return ListRow("", left, right, opening=(StyledText(name),))

        width = self._width() - CURSOR - SIGN - cells(left) - cells(right) - 1
        if self._is_asked_beside(index, question):
            name = clip(name, max(width // 2, LEAST_NAME), marks=self._marks)
            opening = (StyledText(f"{name}  "),)
            return ListRow(question, left, right, "muted", opening=opening)
        if cells((StyledText(question),)) > width - LEAST_BEHIND:
            return ListRow(question, left, right)
        return ListRow(
            name,
            left,
            right,
            "muted",
            opening=(StyledText(f"{question}  "),),
        )

    def _number_name(self, row: CellRow) -> str:
        """Return the short name of the number at the end of a cell's line.

        Returns "" if the line has no number, or has a verdict in its place. Also returns "" if all
        traits have the same number, which the title of the queue names.
        """
        if len(set(self.numbers.values())) == 1 or row.word or row.headline is None:
            return ""
        return self.numbers.get(row.trait, "")

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The short name of the number at the end of a line, by trait.

        It is "Class" for the share of a class. Traits without measures are left out.
        """
        names: dict[str, str] = {}
        for kind, trait in self._bench.workspace.rubric.every_trait():
            measures = kind.measures(trait)
            if measures:
                measure = in_queue(measures)
                names[trait.name] = (
                    "Class" if measure.word == SHARE_OF_CLASS else measure.short
                )
        return names

    def _is_asked_beside(self, index: int, question: str) -> bool:
        """Return whether the line above or below has the same question.

        Then only the names of the traces distinguish the answers.
        """
        for neighbour in (index - 1, index + 1):
            if not 0 <= neighbour < len(self):
                continue
            if self._question(self._pages.row(neighbour)) == question:
                return True
        return False

    def _question(self, row: CellRow) -> str:
        """Return the beginning of a cell's question, or "" if it has none.

        A text of the trace's own goes before the rubric's.
        """
        question_id = row.question_id
        if question_id not in self._question_texts:
            question = self._bench.workspace.rubric.questions_by_id.get(question_id)
            text = ""
            if question is not None:
                text = question.question or ""
            self._question_texts[question_id] = beginning(text)
        return row.question or self._question_texts[question_id]

    def heading(self, index: int, style: str) -> ListRow:
        """Return the line above the cells of a trace: its name, its epoch, and who answered.

        `index` is that of any of these cells in the queue, from 0, and `style` is that of the name.
        The first epoch is left out, and a model that is not known.
        """
        row = self._pages.row(index)
        trace_name = name_of(row.trace_id, row.epoch)
        opening = StyledText(f" {trace_name}  ", style)
        details = [epoch_text(row.epoch), row.model]
        details_text = "  ".join(filter(None, details))
        return ListRow(details_text, opening=(opening,), style="muted", heading=True)

    def trace_no(self, index: int) -> int:
        """Return the number of the trace, from 1, of the cell at this index of the queue, from 0.

        Raises IndexError after the last cell.
        """
        return self._pages.row(index).trace_no

    def headings(self, index: int) -> int:
        """Return how many headings stand above the cell at this index, that of its trace included.

        Up to `KNOWN` such counts are kept.
        """
        if index not in self._headings_above:
            if len(self._headings_above) > KNOWN:
                self._headings_above.clear()
            self._headings_above[index] = self.queue.headings(index)
        return self._headings_above[index]

    def state(self, index: int) -> StyledText:
        """Return the mark of the state of the cell at this index of the queue, from 0.

        Raises IndexError after the last cell.
        """
        state = self._pages.row(index).state
        return StyledText(getattr(self._marks, state), state)


def _warnings(row: CellRow, marks: Marks) -> list[str]:
    """Return the marks of what a reviewer should know about a cell before opening it, in order.

    They are: a comment, a passage to the judge, judges that differ, a hasty sign-off, and doubt
    about the labels.
    """
    symbols: list[str] = []
    if row.commented:
        symbols.append(marks.comment)
    if row.suspect:
        symbols.append(marks.plea)
    if row.disagreement:
        symbols.append(marks.split)
    if row.hasty:
        symbols.append(marks.hasty)
    if row.breaches or row.unverified:
        symbols.append(marks.doubt)
    return symbols


def _meanings(marks: Marks) -> dict[str, str]:
    """Return the meaning of each mark of a line in a word or two, the least known mark first."""
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
    """Return the text at the end of a cell's line: its number, or its verdict in words.

    That is "0/0" for an undefined number, "fail" if the judge gave no labels, and "" for a cell
    that has not been judged. A verdict is cut to `WORD` columns.
    """
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
    """The list of cells on the review screen; its `lineup` says which cells, in which order."""

    def __init__(self, bench: Workbench, *, marks: Marks, id: str) -> None:  # noqa: A002
        """Begin with all cells in the order loaded; `put_in_line` shows others."""
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
        """Show the lines of the queue, with headings if its cells are grouped by trace.

        What the marks of the visible lines mean is written below the frame.
        """
        headings = None
        if self._rows.are_grouped:
            headings = Headings(self._rows.headings, self._heading)
        self.show(
            ListSection(self._rows, empty=self.lineup.nothing_here, headings=headings),
        )
        self.tell_marks()

    def _heading(self, index: int) -> ListRow:
        return self._rows.heading(index, self._heading_style(index))

    def _heading_style(self, index: int) -> str:
        """Return the style of a trace's heading: that of the trace under the cursor stands out.

        While the cursor is hidden, none does.
        """
        is_in_sight = self._rows.headings(index) == self._rows.headings(self.cursor.row)
        return "key" if is_in_sight and self.points else ""

    def _put_cursor(self, cursor: Cursor) -> None:
        """Put the cursor on another line, and draw the headings again that stand out or did."""
        previous_top = self.placed.top(self.cursor)
        super()._put_cursor(cursor)
        top = self.placed.top(cursor)
        if top != previous_top:  # the heading of the open cell is bold
            self.refresh_line(previous_top)
            self.refresh_line(top)

    def put_in_line(self, lineup: Lineup, cells: Queue, open_no: int) -> None:
        """Show the cells of a lineup, with the cursor on the open cell, whose number is `open_no`.

        The cursor is hidden if the open cell is not among them.
        """
        self.lineup = lineup
        self.cells = cells
        self._rows = self._rows_of(cells)
        self._show_rows()
        self.follow(open_no)

    def follow(self, number: int) -> None:
        """Put the cursor on the cell with this number; hide the cursor if the queue lacks it."""
        position = self.cells.position(number)
        self._show_cursor(position is not None)
        if position is not None:
            self.go(0, position)

    def on_focus(self) -> None:
        """Show the cursor, because keys move it now."""
        self._show_cursor(True)

    def _show_cursor(self, is_shown: bool) -> None:
        """Show or hide the cursor of the queue; draw it again only if that changes."""
        if is_shown != self.points:
            self.points = is_shown
            self.refresh()

    def draw_anew(self, number: int | None = None) -> None:
        """Draw the line of one cell again because it changed, or all lines for None.

        A cell that the queue does not hold is passed over. The meanings of marks are written again
        if the line is visible.
        """
        if number is None:
            self._rows.forget()
            self.refresh_rows()
            self.tell_marks()
            return
        position = self.cells.position(number)
        if position is not None:
            self._rows.forget(position)
            self.refresh_row(0, position)
            if (
                0
                <= self.placed.y(Cursor(0, position)) - self.scroll_offset.y
                < self.size.height
            ):
                self.tell_marks()

    def fold(self, folded: bool) -> None:
        """Show only a rail of states and trace numbers, or the whole lines again.

        Does nothing if the queue is so already.
        """
        if folded != self.has_class("-rail"):
            self.set_class(folded, "-rail")
            self._show_rows()

    def render_line(self, y: int) -> Strip:
        """Return row `y` of the screen's part of the queue, from 0, as it is drawn.

        On the rail a heading is the number of its trace, and a cell is the mark of its state.
        """
        if not self.has_class("-rail"):
            return super().render_line(y)
        line = self.placed.line(y + self.scroll_offset.y)
        width = self.size.width
        style = self.visual_style.rich_style
        if line.what == "heading":
            number = StyledText(
                str(self._rows.trace_no(line.row)),
                self._heading_style(line.row),
            )
            return strip(self, "lines", [number], width, style)
        if line.what != "row":
            return Strip.blank(width, style)
        mark = StyledText(" ")
        if line.row == self.cursor.row and self.points:
            mark = StyledText(self.marks.cursor)
            style = whole_style(self, "lines--cursor")
        return strip(self, "lines", [mark, self._rows.state(line.row)], width, style)

    @property
    def rail_width(self) -> int:
        """The columns of the folded queue: the longest trace number and the frame."""
        return max(RAIL, len(str(self._bench.workspace.traces.count())) + FRAME)

    @property
    def title(self) -> str:
        """The title of the queue: how many cells it has, and which.

        If all lines end with the same number, its name is added.
        """
        parts = [f"Queue {len(self.cells)}"]
        names = set(self._rows.numbers.values())
        if len(names) == 1:
            parts.extend(names)
        parts.append(self.lineup.name)
        return spelt(" · ".join(filter(None, parts)), self.marks)

    def tell_marks(self) -> None:
        """Write below the frame what the marks of the visible lines mean; nothing on a rail."""
        text = ""
        if not self.has_class("-rail"):
            text = legend([self], _meanings(self.marks), self.size.width - 2)
        entitle(self, subtitle=text)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Write the meanings of the marks again after the lines were scrolled by a row or more."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.tell_marks()

    def on_resize(self, event: Resize) -> None:
        super().on_resize(event)
        self.tell_marks()

    def place_of(self, number: int) -> str:
        """Return a cell's position as "3/12"; "" if it is not in the queue, or every cell is."""
        position = self.cells.position(number)
        if self.lineup.plain or position is None:
            return ""
        return f"{position + 1}/{len(self.cells)}"


class QueueControl:
    """Asks for the filter and the order of the queue, and fills the queue accordingly."""

    def __init__(
        self,
        screen: Screen[None],
        queue: QueueView,
        dialogs: Dialogs,
        open_cell_no: Callable[[], int],
        *,
        goes: Callable[[int], object],
        lined_up: Callable[[], object],
    ) -> None:
        """Keep the functions that know and change the open cell.

        `open_cell_no` returns the number of the open cell, and `goes` goes to another. `lined_up`
        is called when the queue holds other cells, or has them in another order.
        """
        self._screen = screen
        self._queue = queue
        self._dialogs = dialogs
        self._open_cell_no = open_cell_no
        self._goes = goes
        self._lined_up = lined_up

    async def filter(self) -> None:
        """Ask for a filter, and fill the queue by it in the background.

        An empty one shows every cell. Order and hiding stay. Raises Left if the reviewer leaves the
        question.
        """
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
        """Ask for an order, and for the seed of a random one; fill the queue by it.

        Then the first cell that is not signed off is opened, or the first of all. Filter and hiding
        stay. Raises Left if the reviewer leaves a question.
        """
        lineup = self._queue.lineup
        choices: list[Choice] = []
        for order in lineup.orders():
            note = "now" if order.id == lineup.order else ""
            choices.append(Choice(order.id, "", order.name, note))
        order_id = await self._dialogs.pick("Order of the queue", choices)
        seed = lineup.seed
        if order_id == "random":
            answer = await self._dialogs.line(
                "Seed of the random order",
                str(seed),
                checking=_fault_of_seed,
            )
            seed = int(answer)
        self.line_up(lineup.but(order=order_id, seed=seed), afresh=True)

    def turn_hiding(self) -> None:
        """Hide the cells that are signed off, or show them again; keep filter and order."""
        lineup = self._queue.lineup
        self.line_up(lineup.but(hides=not lineup.hides))

    def resume(self, lineup: Lineup) -> None:
        """Fill the queue as it was in the last session, and say which cells it leaves out."""
        self.line_up(lineup, quietly=True, resumed=True)

    def line_up(
        self,
        lineup: Lineup,
        *,
        quietly: bool = False,
        afresh: bool = False,
        resumed: bool = False,
    ) -> None:
        """Find the cells of a lineup in the background, and show them in the queue.

        A search that is still going on is cancelled. Then the first cell that is not signed
        off is opened, or the first of all: with `afresh` in any case, otherwise if the
        queue lacks the open cell. `quietly` says only what fails; without `afresh` it opens
        no cell, and the lineup is not remembered for the next session. `resumed` says which
        cells the queue leaves out. If no cell fits, say so; the queue stays as it was,
        unless the lineup hides signed off cells: then it is empty.
        """
        work = partial(self._line_up, lineup, quietly, afresh, resumed)
        beside(self._screen, work, "line", exclusive=True)

    async def _line_up(
        self,
        lineup: Lineup,
        quietly: bool,
        afresh: bool,
        resumed: bool,
    ) -> None:
        """Find the cells of a lineup and show them, as `line_up` says; return once it is done.

        If the filter or the workspace cannot be read, or the result of a search for words
        to the judge cannot be saved, say so and leave the queue as it was. Does nothing
        once the screen is being taken down.
        """
        try:
            cells = await lineup.look_up(self._dialogs.say)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return
        except NotKept as refusal:
            self._dialogs.say(f"NOT SAVED: {refusal}. The queue stays as it was.")
            return
        if not self._queue.is_running:  # the screen is being taken down
            return
        if not len(cells) and not lineup.hides:
            self._dialogs.say(
                f"No cell fits {lineup.filter}: the queue stays as it was.",
            )
            return
        self._queue.put_in_line(lineup, cells, self._open_cell_no())
        self._lined_up()
        if resumed:
            self._tell_what_is_left_out(lineup, cells)
        if quietly and not afresh:
            return
        lineup.remember()
        if not len(cells):
            self._dialogs.say(lineup.nothing)
            return
        if afresh or cells.position(self._open_cell_no()) is None:
            self._goes(first_open(cells, 1) or cells.number(0))
        if not quietly:
            self._dialogs.say(
                f"{cells.description}. {{queue.filter:f}} filters, {{queue.order:O}} orders, "
                "{queue.hide:Z} hides what is signed off.",
            )

    def _tell_what_is_left_out(self, lineup: Lineup, cells: Queue) -> None:
        """Say, after the current sentence, which cells a resumed queue leaves out, if any."""
        texts = [self._dialogs.said]
        if lineup.narrowed:
            text = f"The queue is still filtered, {cells.description}: "
            texts.append(
                text + "{queue.filter:f}, Backspace and Enter show every cell.",
            )
        if lineup.hides:
            texts.append("What is signed off is still hidden: {queue.hide:Z} shows it.")
        self._dialogs.say(" ".join(filter(None, texts)))


def _fault_of_seed(text: str) -> str:
    """Return in a sentence what is wrong with a seed that was typed, or "".

    Right are 1 to 10 digits, with blanks around them.
    """
    if re.fullmatch(r"\s*\d{1,10}\s*", text):
        return ""
    return "A seed is a whole number of at most ten digits."
