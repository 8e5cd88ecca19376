"""Tables of figures one below the other, with a cursor that goes from figure to figure."""

from collections.abc import Iterator, Sequence
from itertools import count
from textwrap import wrap
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.events import Resize

from appellate.core.figures import FigureBlock, FigureRow, FigureTable, Sentences, ShownFigure
from appellate.ui.lines import CURSOR, SIGN, CountedLines, Lines, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.own_keys import in_own_keys
from appellate.ui.row_layout import Cursor, ListLine
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import cell_width, column

EDGE = CURSOR + SIGN + 1  # cells of a line that rows leave free
USUAL = 80
LEAST_TEXT = 20  # cells of a line of a sentence
NOTE = 4  # cells that a sentence below rows leaves free, for a scroll bar too
TOP = Cursor(0, 0)


class FigureList(CountedLines):
    """Tables and sentences; `column` is the column of the cursor, 0 is the name."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "column(-1)", "figure before", id="figures.left"),
        Binding("right,l", "column(1)", "next figure", id="figures.right"),
        Binding("right_square_bracket", "block(1)", "next block", id="figures.block"),
        Binding("left_square_bracket", "block(-1)", "block before", id="figures.block_before"),
    ]
    DEFAULT_CSS = """
    FigureList { & > .lines--figure { text-style: reverse bold; } }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--figure"}

    blocks: Sequence[FigureBlock] = ()
    column = 0

    def show_blocks(self, blocks: Sequence[FigureBlock]) -> None:
        """Shows other blocks; the cursor stays on its row, else at the nearest place there is. At
        the top it stays there.
        """
        table = self.table
        row = self.here
        at_top = self.cursor == self.placed.held(TOP)
        self.blocks = shown = list(blocks)
        for place, block in enumerate(blocks):
            if isinstance(block, FigureTable):
                columns = []
                for one in block.columns:  # as wide as its title, up to its widest
                    wide = max(one.width, min(cell_width(one.title), one.widest))
                    columns.append(one._replace(width=wide))
                shown[place] = replace(block, columns=columns)
        self.show(*map(self._section, count(), self.blocks))
        if table is not None and row is not None and not at_top:
            self._follow(table, row)

    def _follow(self, table: FigureTable, row: FigureRow) -> None:
        for section, block in enumerate(self.blocks):
            if isinstance(block, FigureTable) and block.heading == table.heading:
                for place, one in enumerate(block.rows):
                    if (one.tag, one.name, one.about) == (row.tag, row.name, row.about):
                        self.go(section, place + bool(block.named))
                        return

    def on_resize(self, _: Resize) -> None:
        self.show_blocks(self.blocks)  # sentences are as long as there is room

    def _section(self, section: int, block: FigureBlock) -> ListSection:
        room = (self.size.width or USUAL) - EDGE

        def wrapped(text: str, width: int) -> list[str]:
            return wrap(spelt(in_own_keys(text, self.app), self.marks), width)

        if isinstance(block, Sentences):
            rows = []
            for one in block.texts:
                found = wrapped(one.text, max(room - 2, LEAST_TEXT))
                rows += [ListRow(line, style=one.style) for line in found]
            return ListSection(rows, ListRow(block.heading, style="header"))
        notes = list(block.notes)
        if not block.rows:
            notes.insert(0, block.empty)
        lines: list[ListRow] = []
        for note in filter(None, notes):
            lines += [
                ListRow(f"  {line}", style="muted", heading=True)
                for line in wrapped(note, max(room - NOTE, 1))
            ]
        titled = bool(block.named)

        def drawn(index: int) -> ListRow:
            index -= titled
            if index < 0:
                return self.titles(section, block)
            if index < len(block.rows):
                here = self.cursor == (section, titled + index)
                focus = self.focus_in(section) if here else None
                row = block.rows[index]
                shown = self._shown(section)
                return drawn_row(block, row, shown, self._space, focus, self.marks)
            return lines[index - len(block.rows)]

        drawn_rows = DrawnRows(range(titled + len(block.rows) + len(lines)), drawn)
        return ListSection(drawn_rows, ListRow(block.title, style="header"))

    # -- what is under the cursor ----------------------------------------------------------------

    @property
    def here(self) -> FigureRow | None:
        """The row of a table under the cursor."""
        return self.at(self.cursor)

    def at(self, cursor: Cursor) -> FigureRow | None:
        section, row = cursor
        if section < len(self.blocks):
            block = self.blocks[section]
            if isinstance(block, FigureTable):
                row -= bool(block.named)
                if 0 <= row < len(block.rows):
                    return block.rows[row]
        return None

    @property
    def figure(self) -> ShownFigure | None:
        """The figure under the cursor; None on a name."""
        focus = self.focus_in(self.cursor.section)
        if self.here is None or focus is None or focus < 0:
            return None
        return self.here.figures[focus]

    @property
    def table(self) -> FigureTable | None:
        if self.cursor.section >= len(self.blocks):
            return None
        block = self.blocks[self.cursor.section]
        return block if isinstance(block, FigureTable) else None

    def focus_in(self, section: int) -> int | None:
        """The cursor's column in a table, −1 for the names; None where it is in another table."""
        if section != self.cursor.section or self.table is None:
            return None
        return min(self.column, len(self.table.columns)) - 1

    # -- going about -----------------------------------------------------------------------------

    def action_column(self, by: int) -> None:
        if self.table is None:
            return
        last = len(self.table.columns)
        before = min(self.column, last)
        self.column = min(max(before + by * self.take_times(), 0), last)
        if self.column != before:
            self.refresh()
            self.post_message(self.Highlighted(self, self.cursor))

    def action_block(self, by: int) -> None:
        """Goes to the first row of the next block; back: of this one, then of the one before."""
        there = [start for start in self._starts() if start > self.cursor]
        if by < 0:
            there = [start for start in self._starts() if start < self.cursor][::-1]
        times = min(self.take_times(), len(there))
        if times:
            self._begin(there[times - 1])
            self.post_message(self.Highlighted(self, self.cursor))

    def bring(self, *keys: str) -> bool:
        """Puts the cursor into the first block of these keys that has a row, if there is one."""
        for start in self._starts():
            if self.blocks[start.section].key in keys:
                self._begin(start)
                return True
        return False

    def _starts(self) -> Iterator[Cursor]:
        """The first row of each block, where it has any that takes the cursor."""
        for section in range(len(self.blocks)):
            start = self.placed.held(Cursor(section, 0))
            if start.section == section:
                yield start

    def _begin(self, start: Cursor) -> None:
        """Puts the cursor to the start of a block, with its heading at the top."""
        self.go(*start)
        top = self.placed.top(start)
        self.scroll_to(y=top, animate=False, force=True, immediate=True)

    def on_lines_touched(self, event: Lines.Touched) -> None:
        section = event.cursor.section
        shown = self._shown(section)
        if self.at(event.cursor) is None or self.table is None:
            return
        end = CURSOR + SIGN + self.table.tags + self.table.name_width(shown, self._space)
        self.column = 0
        for place in shown:
            if event.x > end:
                self.column = place + 1
            end += self.table.columns[place].width + 1
        self.refresh()
        self.post_message(self.Highlighted(self, self.cursor))

    # -- drawing ---------------------------------------------------------------------------------

    @property
    def _space(self) -> int:
        return self._room - EDGE

    def _shown(self, section: int) -> range:
        block = self.blocks[section]
        if not isinstance(block, FigureTable):
            return range(0)
        return block.shown_from(self.focus_in(section) or 0, self._space)

    def _row(self, line: ListLine) -> ListRow | None:
        """Titles hang on the column of the cursor."""
        if line.what == "header" and line.section < len(self.blocks):
            block = self.blocks[line.section]
            if isinstance(block, FigureTable) and not block.named:
                return self.titles(line.section, block)
        return super()._row(line)

    def titles(self, section: int, table: FigureTable) -> ListRow:
        shown = self._shown(section)
        focus = self.focus_in(section)
        return drawn_titles(table, shown, self._space, focus, self.marks)


# -- drawing ---------------------------------------------------------------------------------------


def drawn_row(
    table: FigureTable, row: FigureRow, shown: range, room: int, focus: int | None, marks: Marks
) -> ListRow:
    """A row in so many cells, with the figure in `focus` set off."""
    pieces = [
        StyledText(column(row.tag, table.tags, marks), "muted"),
        StyledText(column(spelt(row.name, marks), table.name_width(shown, room), marks)),
    ]
    for place in shown:
        figure = row.figures[place]
        style = "figure" if place == focus else figure.style
        pieces += [StyledText(" "), StyledText(_fitted(figure.text, table, place, marks), style)]
    return ListRow("", tuple(pieces))


def drawn_titles(
    table: FigureTable, shown: range, room: int, focus: int | None, marks: Marks
) -> ListRow:
    """The titles behind the heading, with signs where there are more columns on a side."""
    wide = table.tags + table.name_width(shown, room)
    pieces = [StyledText(column(spelt(table.title, marks), 2 + wide, marks), "header")]
    if table.named:
        pieces = [StyledText("  " + column(table.named, wide, marks), "muted")]
    for place in shown:
        style = "key" if place == focus else "muted"
        before = "<" if place == shown.start and shown.start else " "
        title = _fitted(table.columns[place].title, table, place, marks)
        pieces += [StyledText(before, "muted"), StyledText(title, style)]
    if shown.stop < len(table.columns):
        pieces.append(StyledText(">", "muted"))
    return ListRow("", tuple(pieces), heading=True)


def _fitted(text: str, table: FigureTable, place: int, marks: Marks) -> str:
    """A text in exactly the cells of a column."""
    width = table.columns[place].width
    left = table.columns[place].left
    shown = column(spelt(text, marks), width, marks)
    if left:
        return shown
    return shown.rstrip(" ").rjust(width - cell_width(shown) + len(shown))
