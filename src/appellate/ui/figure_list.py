"""Tables of figures one below the other, with a cursor that goes from figure to figure.

`FigureList` draws the `FigureBlock`s that `numbers/` makes; the pages of numbers in `app/` show it.
"""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.events import Resize

from appellate.core.figures import (
    FigureBlock,
    FigureRow,
    FigureTable,
    Sentences,
    ShownFigure,
)
from appellate.ui.lines import CURSOR, SIGN, CountedLines, Lines, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.own_keys import in_own_keys
from appellate.ui.row_layout import Cursor, ListLine
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import cell_width, column

EDGE = CURSOR + SIGN + 1
"""Columns of a line that rows leave free."""
USUAL = 80
"""Columns to assume before the widget has a width."""
LEAST_TEXT = 20
"""Columns of a line of a sentence at least."""
NOTE = 4
"""Columns that a sentence below rows leaves free, also for a scroll bar."""
TOP = Cursor(0, 0)


class FigureList(CountedLines):
    """Blocks of figures and of sentences, with a cursor on one figure."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "column(-1)", "figure before", id="figures.left"),
        Binding("right,l", "column(1)", "next figure", id="figures.right"),
        Binding("right_square_bracket", "block(1)", "next block", id="figures.block"),
        Binding(
            "left_square_bracket",
            "block(-1)",
            "block before",
            id="figures.block_before",
        ),
    ]
    DEFAULT_CSS = """
    FigureList { & > .lines--figure { text-style: reverse bold; } }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--figure"}

    blocks: Sequence[FigureBlock] = ()
    column = 0
    """The column of the cursor; 0 is the name of the row."""

    def show_blocks(self, blocks: Sequence[FigureBlock]) -> None:
        """Show these blocks instead of others; the cursor follows its row, or stays in place.

        It follows to the row with the same tag, name and subject under the same heading, if there
        is one, unless it was on the first row. On a page that is scrolled down, the cursor's line
        stays where it is on the screen, though blocks above become longer. Columns become as wide
        as their titles, up to their `widest`, in copies of the tables. No message is posted.
        """
        table = self.table
        row = self.here
        was_at_top = self.is_at_top
        scrolled = self.scroll_offset.y
        line_before = self.placed.top(self.cursor)
        shown_blocks = list(blocks)

        for index, block in enumerate(blocks):
            if isinstance(block, FigureTable):
                columns = []
                for figure_column in block.columns:
                    # as wide as its title, up to its widest
                    title_width = cell_width(figure_column.title)
                    wanted_width = min(title_width, figure_column.widest)
                    width = max(figure_column.width, wanted_width)
                    columns.append(figure_column._replace(width=width))
                shown_blocks[index] = replace(block, columns=columns)

        self.blocks = shown_blocks
        sections: list[ListSection] = []
        for index, block in enumerate(shown_blocks):
            sections.append(self._section(index, block))
        self.show(*sections)
        if table is not None and row is not None and not was_at_top:
            self._follow(table, row)
            moved = self.placed.top(self.cursor) - line_before
            if scrolled and moved:
                self.scroll_to(
                    y=scrolled + moved,
                    animate=False,
                    force=True,
                    immediate=True,
                )

    @property
    def is_at_top(self) -> bool:
        """Whether the cursor is on the first row that it can be on."""
        return self.cursor == self.placed.nearest(TOP)

    def _follow(self, table: FigureTable, row: FigureRow) -> None:
        """Put the cursor on the first row with the tag, name and subject of `row`.

        It is looked for in the tables that have the heading of `table`. Without such a row the
        cursor stays.
        """
        identity = row.tag, row.name, row.about
        for section, block in enumerate(self.blocks):
            if not isinstance(block, FigureTable) or block.heading != table.heading:
                continue
            first_index = 1 if block.named else 0  # after the titles
            for index, candidate in enumerate(block.rows, first_index):
                if (candidate.tag, candidate.name, candidate.about) == identity:
                    self.go(section, index)
                    return

    def on_resize(self, _: Resize) -> None:
        self.show_blocks(self.blocks)  # sentences are as long as there is room

    def _section(self, section: int, block: FigureBlock) -> ListSection:
        """Return block number `section`, from 0, as a section of the list: a table or sentences.

        The rows of a table are made when they come into view. Its notes follow as wrapped lines
        that the cursor passes over. If the table has no rows, the sentence that says so is before
        the notes.
        """
        if isinstance(block, Sentences):
            return self._sentences(block)

        notes = list(block.notes)
        if not block.rows:
            notes.insert(0, block.empty)
        note_rows: list[ListRow] = []
        note_width = max(self._line_width - NOTE, 1)
        for note in filter(None, notes):
            for line in self._wrapped_text(note, note_width):
                note_rows.append(ListRow(f"  {line}", style="muted", heading=True))
        has_titles = bool(block.named)

        def drawn(index: int) -> ListRow:
            """Return the list's row at an index, from 0, of the section of the table.

            Row 0 is the titles if the table's names have a title. Then come the rows of the table,
            with the cursor's figure set off, then the lines of its notes.
            """
            index -= has_titles
            if index < 0:
                return self.titles(section, block)
            if index >= len(block.rows):
                return note_rows[index - len(block.rows)]

            is_current = self.cursor == (section, has_titles + index)
            focus = self.focus_in(section) if is_current else None
            row = block.rows[index]
            return drawn_row(
                block,
                row,
                self._visible_columns(section),
                self._space,
                focus,
                self.marks,
            )

        drawn_rows = DrawnRows(
            range(has_titles + len(block.rows) + len(note_rows)),
            drawn,
        )
        return ListSection(drawn_rows, ListRow(block.title, style="header"))

    def _sentences(self, block: Sentences) -> ListSection:
        """Return a block of sentences as a section of wrapped lines under its heading.

        They are wrapped at the width of the list, at least at `LEAST_TEXT` columns. The cursor
        passes over all of them if the block is one that `is_passed_over`, and goes on each
        otherwise.
        """
        width = max(self._line_width - 2, LEAST_TEXT)
        rows: list[ListRow] = []
        for sentence in block.texts:
            for line in self._wrapped_text(sentence.text, width):
                rows.append(
                    ListRow(line, style=sentence.style, heading=block.is_passed_over),
                )
        return ListSection(rows, ListRow(block.heading, style="header"))

    @property
    def _line_width(self) -> int:
        """The columns of a line of text; before the list has a width, those of `USUAL`."""
        return (self.size.width or USUAL) - EDGE

    def _wrapped_text(self, text: str, width: int) -> list[str]:
        """Return a text, with the person's own keys in it, as lines of at most `width` columns.

        [] for a text of only blanks.
        """
        in_persons_keys = in_own_keys(text, self.app)
        return wrap(spelt(in_persons_keys, self.marks), width)

    # -- what is under the cursor ----------------------------------------------------------------

    @property
    def here(self) -> FigureRow | None:
        """The row of a table under the cursor; None on any other line."""
        return self.at(self.cursor)

    def at(self, cursor: Cursor) -> FigureRow | None:
        """Return the row of a table at a cursor of the list.

        None on titles, notes and sentences, and for a section that is not there.
        """
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
        """The figure under the cursor.

        None on the name of a row, on the titles and notes of a table, and outside tables.
        """
        focus = self.focus_in(self.cursor.section)
        if self.here is None or focus is None or focus < 0:
            return None
        return self.here.figures[focus]

    @property
    def table(self) -> FigureTable | None:
        """The table that the cursor is in; None in a block of sentences, and without blocks."""
        if self.cursor.section >= len(self.blocks):
            return None
        block = self.blocks[self.cursor.section]
        return block if isinstance(block, FigureTable) else None

    def focus_in(self, section: int) -> int | None:
        """Return the index, from 0, of the cursor's figure column in the table number `section`.

        `section` counts from 0, too. It is -1 if the cursor is on the names of rows. None is
        returned if the cursor is in another block, or in sentences.
        """
        if section != self.cursor.section or self.table is None:
            return None
        return min(self.column, len(self.table.columns)) - 1

    # -- going about -----------------------------------------------------------------------------

    def action_column(self, by: int) -> None:
        """Go `by` columns to the right, times the count that was typed; stops at either end.

        Column 0 is the names of rows. Does nothing in a block of sentences. Posts `Highlighted` if
        the column changed.
        """
        if self.table is None:
            return
        last = len(self.table.columns)
        previous = min(self.column, last)
        target = previous + by * self.take_times()
        self.column = min(max(target, 0), last)
        if self.column != previous:
            self.refresh()
            self.post_message(self.Highlighted(self, self.cursor))

    def action_block(self, by: int) -> None:
        """Go to the first row of the next block, as often as the count that was typed says.

        With a negative `by` it is the first row of this block, unless the cursor is there, and then
        of the one before. Blocks without a row for the cursor are passed over. The block is
        scrolled to the top, and `Highlighted` is posted. A count that leads beyond an end goes to
        the last block there; if there is none in that direction, nothing happens.
        """
        all_starts = list(self._block_starts())
        block_starts = [start for start in all_starts if start > self.cursor]
        if by < 0:
            block_starts = [start for start in all_starts if start < self.cursor]
            block_starts.reverse()
        times = min(self.take_times(), len(block_starts))
        if not times:
            return
        self._go_to_block(block_starts[times - 1])
        self.post_message(self.Highlighted(self, self.cursor))

    def bring(self, *keys: str) -> bool:
        """Put the cursor on the first row of the first block whose key is one of `keys`.

        The block is scrolled to the top, and no message is posted. Blocks without a row for the
        cursor do not count. Returns False, and stays, if there is no such block.
        """
        for start in self._block_starts():
            if self.blocks[start.section].key in keys:
                self._go_to_block(start)
                return True
        return False

    def _block_starts(self) -> Iterator[Cursor]:
        """Yield for each block, in order, its first row that the cursor can be on, if any."""
        for section in range(len(self.blocks)):
            start = self.placed.nearest(Cursor(section, 0))
            if start.section == section:
                yield start

    def _go_to_block(self, start: Cursor) -> None:
        """Put the cursor on the first row of a block, and scroll its heading to the top.

        No message is posted.
        """
        self.go(*start)
        top = self.placed.top(start)
        self.scroll_to(y=top, animate=False, force=True, immediate=True)

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """Put the cursor on the column of a table that a person clicked, and post `Highlighted`.

        Left of the first figure it is the column of names. The list has put the cursor on the row
        before. Outside the rows of tables, and on a row that is gone by now, nothing happens.
        """
        if self.at(event.cursor) is None or self.table is None:
            return

        visible_columns = self._visible_columns(event.cursor.section)
        end = (
            CURSOR
            + SIGN
            + self.table.tags
            + self.table.name_width(visible_columns, self._space)
        )

        self.column = 0
        for index in visible_columns:
            if event.x > end:
                self.column = index + 1
            end += self.table.columns[index].width + 1

        self.refresh()
        self.post_message(self.Highlighted(self, self.cursor))

    # -- drawing ---------------------------------------------------------------------------------

    @property
    def _space(self) -> int:
        """The columns that a row may fill."""
        return self._room - EDGE

    def _visible_columns(self, section: int) -> range:
        """Return the indexes of the columns of block number `section`, from 0, that are visible.

        They are as many as fit, from the first column on. If the cursor is in the block, they begin
        as far to the right as it takes to show its column. A table shows at least one, and
        sentences have none.
        """
        block = self.blocks[section]
        if not isinstance(block, FigureTable):
            return range(0)
        focus = self.focus_in(section) or 0
        return block.shown_from(focus, self._space)

    def _row(self, line: ListLine) -> ListRow | None:
        """Return the row to draw on a line: a row, a header or a sentence; None for a gap.

        The header of a table whose names have no title has the titles of the columns that are
        visible now.
        """
        if line.what != "header" or line.section >= len(self.blocks):
            return super()._row(line)
        block = self.blocks[line.section]
        if isinstance(block, FigureTable) and not block.named:
            return self.titles(line.section, block)
        return super()._row(line)

    def titles(self, section: int, table: FigureTable) -> ListRow:
        """Return the row with the titles of a table's visible columns.

        `section` is the index of the table among the blocks.
        """
        visible_columns = self._visible_columns(section)
        focus = self.focus_in(section)
        return drawn_titles(table, visible_columns, self._space, focus, self.marks)


# -- drawing ---------------------------------------------------------------------------------------


def drawn_row(
    table: FigureTable,
    row: FigureRow,
    visible_columns: range,
    width: int,
    focus: int | None,
    marks: Marks,
) -> ListRow:
    """Return a row of a table as a list row: its tag, its name, and its visible figures.

    `visible_columns` are the indexes of the columns of these figures, and `width` is that of the
    line in columns of the screen. The figure with the index `focus`, None for none, is set off.
    """
    pieces = [
        StyledText(column(row.tag, table.tags, marks), "muted"),
        StyledText(
            column(
                spelt(row.name, marks),
                table.name_width(visible_columns, width),
                marks,
            ),
        ),
    ]
    for index in visible_columns:
        figure = row.figures[index]
        style = "figure" if index == focus else figure.style
        pieces += [
            StyledText(" "),
            StyledText(_fitted(figure.text, table, index, marks), style),
        ]
    return ListRow("", tuple(pieces))


def drawn_titles(
    table: FigureTable,
    visible_columns: range,
    width: int,
    focus: int | None,
    marks: Marks,
) -> ListRow:
    """Return the titles of a table's visible columns, as a row without cursor.

    Before them is the table's title, or for a table that is `named` the title of its names. `<`
    before the first and `>` after the last say that there are more columns. The title with the
    index `focus` is set off; None is for none. `width` is that of the line in columns of the
    screen.
    """
    heading_width = table.tags + table.name_width(visible_columns, width)
    title = spelt(table.title, marks)
    heading = column(title, 2 + heading_width, marks)
    pieces = [StyledText(heading, "header")]
    if table.named:
        names_title = column(table.named, heading_width, marks)
        pieces = [StyledText(f"  {names_title}", "muted")]

    has_more_before = visible_columns.start > 0
    for index in visible_columns:
        is_first = index == visible_columns.start
        before = "<" if is_first and has_more_before else " "
        pieces.append(StyledText(before, "muted"))
        column_title = table.columns[index].title
        fitted_title = _fitted(column_title, table, index, marks)
        style = "key" if index == focus else "muted"
        pieces.append(StyledText(fitted_title, style))

    has_more_after = visible_columns.stop < len(table.columns)
    if has_more_after:
        pieces.append(StyledText(">", "muted"))
    return ListRow("", tuple(pieces), heading=True)


def _fitted(text: str, table: FigureTable, index: int, marks: Marks) -> str:
    """Return a text cut or padded to the width of column number `index` of a table.

    The column says whether the text is at its left or at its right.
    """
    width = table.columns[index].width
    is_left_aligned = table.columns[index].left
    fitted = column(spelt(text, marks), width, marks)
    if is_left_aligned:
        return fitted
    without_padding = fitted.rstrip(" ")
    padding = width - cell_width(without_padding)
    return " " * padding + without_padding
