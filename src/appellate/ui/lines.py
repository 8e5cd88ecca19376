"""A list that draws only the visible lines: the queue of 100,000 cells, a picker, the help.

Rows are in sections, each under a header. One cursor goes over all of them; it is drawn also
without focus and without colour. Only what a person does posts a message.

The rows of a section that is `whole` take as many lines as their text does. If the pane is full,
each row except the one under the cursor is cut to the same number of lines. PgDn and the wheel show
the rest of a row that is taller than the pane.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, NamedTuple, Self

from msgspec import Struct
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Key, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from appellate.core.problem import KeyNames, with_keys
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.own_keys import in_own_keys
from appellate.ui.page import wrapped
from appellate.ui.rendered_text import cells, components, cut, spread, strip
from appellate.ui.row_layout import (
    LEAST,
    Cursor,
    Fit,
    ListLine,
    RowHeight,
    RowLayout,
    SectionShape,
    fitted,
)
from appellate.ui.rows import ListRow, Rows, StyledText
from appellate.ui.text import alike_beginnings, cell_width, column, flat
from appellate.ui.textual_compat import SteadyView, set_scrolled_size, whole_style

LONGEST = 20_000
"""Code points of a paragraph that are drawn: an excerpt may be a whole response of 10 MB."""
Pieces = Sequence[StyledText]


class WrappedLine(Struct, frozen=True):
    """The stretch of a paragraph that is drawn on one line."""

    paragraph: int
    """The index of the paragraph; `start` and `end` are code points in it."""
    start: int
    end: int
    width: int
    """The columns of the line."""


class WrappedRow:
    """The paragraphs of a row, wrapped at `width` columns, and the first line of all at `first`.

    The paragraphs `under_cursor` are there only while the cursor is on the row. The first paragraph
    is the row's text. If what is below it `is_seen` elsewhere, two lines of the text come before
    it.
    """

    def __init__(
        self,
        paragraphs: Sequence[Pieces],
        under_cursor: Sequence[Pieces] = (),
        *,
        first: int,
        width: int,
        is_seen: bool = False,
        marks: Marks = UNICODE,
    ) -> None:
        """Wrap the paragraphs of a row, and after them those that are only shown `under_cursor`.

        The first line has `first` columns, and all others have `width`. `is_seen` says that what is
        below the text can be seen elsewhere.
        """
        self.alike = 0
        """How many characters of the text another row begins with, too."""
        self._is_seen = is_seen
        self._paragraphs: list[list[StyledText]] = []
        self._lines: list[WrappedLine] = []
        self._marks = marks
        self._whole: list[list[StyledText]] = []
        """All lines, made when they are first needed."""
        self._few: dict[int, list[list[StyledText]]] = {}
        """The lines of a row that is cut, by the most lines it may take; made when needed."""

        for index, pieces in enumerate((*paragraphs, *under_cursor)):
            if index == len(paragraphs):
                self.height = len(self._lines)
            if index > 0:
                self._wrap(pieces, width, width)
                continue
            self._wrap(pieces, first, width)
            self._of_text = len(self._lines)

        if not under_cursor:
            self.height = len(self._lines)

    def _wrap(self, pieces: Pieces, first: int, width: int) -> None:
        """Wrap a paragraph at `width` columns, and append it and its lines to those of the row.

        Its first line has `first` columns. It is made inert first, and cut after `LONGEST` code
        points.
        """
        inert = list(self._inert(pieces))
        number = len(self._paragraphs)
        start = 0
        self._paragraphs.append(inert)
        text = "".join(piece.text for piece in inert)
        line_width = first

        for stop in wrapped(text, first, width):
            line_text = text[start:stop].rstrip(" ")
            end = start + len(line_text)
            self._lines.append(WrappedLine(number, start, end, line_width))
            start = stop
            line_width = width

    def _inert(self, pieces: Pieces) -> Iterator[StyledText]:
        """Yield the pieces of a paragraph without control characters, `LONGEST` code points in all.

        If that cuts them, a note of how many more characters there are comes last.
        """
        left_out = sum(len(text) for text, _ in pieces) - LONGEST
        remaining = LONGEST
        for text, style in pieces:
            yield StyledText(flat(text[:remaining]), style)
            remaining -= len(text)
            if remaining < 0:
                yield StyledText(
                    f"{self._marks.ellipsis} {left_out:,} more characters",
                    "muted",
                )
                return

    @property
    def text(self) -> str:
        """The first paragraph."""
        return "".join(piece.text for piece in self._paragraphs[0])

    def tell_apart(self, alike: int) -> None:
        """Set how many characters of the text, `alike`, another row begins with, too.

        A cut row then shows the word in which they differ; 0 is for no such row. If the number
        changes, its lines are made again when they are needed.
        """
        if alike != self.alike:
            self.alike = alike
            self._few.clear()

    @property
    def height_here(self) -> int:
        """How many lines the row takes under the cursor, with what is only there then."""
        return len(self._lines)

    def whole(self) -> list[list[StyledText]]:
        """Return all lines, as the row has them under the cursor, each as styled pieces.

        The list is kept, and must not be changed.
        """
        if not self._whole:
            self._whole = [self._line(line) for line in self._lines]
        return self._whole

    def shown(self, most: int) -> list[list[StyledText]]:
        """Return at most `most` lines of a row that is not under the cursor, each as styled pieces.

        What is there only under the cursor is left out. If the row is cut, its text comes first,
        and one line is left to the other paragraphs. Where these are seen elsewhere, a text of
        several lines may take that one, too. The list may be one that is kept, and must not be
        changed.
        """
        if most >= self.height:
            return self.whole()[: self.height]
        if most not in self._few:
            self._few[most] = self._shown(most)
        return self._few[most]

    def _shown(self, most: int) -> list[list[StyledText]]:
        """Return `most` lines of a row that is cut: as many of its text as fit, then what is below.

        One line is kept for the paragraphs below the text, if there are any. If these are seen
        elsewhere, the text gets up to `LEAST` lines before them, so that none may be left for
        these.
        """
        lines = self._lines[: self.height]
        text_lines = lines[: self._of_text]
        below = lines[self._of_text :]
        most_of_text = most
        if below:
            most_of_text -= 1
        if self._is_seen:
            most_of_text = max(most_of_text, min(most, LEAST))
        remaining = most - min(len(text_lines), most_of_text)
        shown_lines = self._cut_text(text_lines, most_of_text)
        shown_lines += self._cut(below, remaining)
        return shown_lines

    def _cut_text(
        self,
        lines: Sequence[WrappedLine],
        most: int,
    ) -> list[list[StyledText]]:
        """Return at most `most` lines of the text, each as styled pieces.

        If text is left over, the last line ends with an ellipsis. If that hides the word in which
        the row differs from a neighbour that begins alike, the last line is cut in its middle, so
        that this word is visible at its end.
        """
        cut_lines = self._cut(lines, most)
        text = self.text
        if not self.alike or not len(lines) > most > 0:
            return cut_lines

        last = lines[most - 1]
        # the word in which the two rows differ
        word_start = text.rfind(" ", 0, self.alike + 1) + 1
        word, _, _ = text[word_start:].partition(" ")
        word_end = word_start + len(word)
        shown_end = last.start
        for piece in cut_lines[-1]:
            shown_end += len(piece.text)
        if shown_end > word_end:
            return cut_lines

        word_pieces = self._sliced(0, word_start, None)
        word_width = min(cells(word_pieces), last.width // 2)
        beginning_end = len(text[:word_start].rstrip(" "))
        beginning = self._sliced(0, last.start, beginning_end)
        beginning_width = last.width - word_width - 1
        beginning = cut(beginning, beginning_width, self._marks)
        cut_lines[-1] = [
            *beginning,
            StyledText(" "),
            *cut(word_pieces, word_width, self._marks),
        ]
        return cut_lines

    def _line(self, line: WrappedLine) -> list[StyledText]:
        """Return the pieces of one line."""
        return self._sliced(line.paragraph, line.start, line.end)

    def _cut(self, lines: Sequence[WrappedLine], most: int) -> list[list[StyledText]]:
        """Return the first `most` lines, each as styled pieces.

        If there are more, the last one ends with an ellipsis; what the next paragraphs begin with
        fills it up to there.
        """
        cut_lines = [self._line(line) for line in lines[:most]]
        if not len(lines) > most > 0:
            return cut_lines

        last = lines[most - 1]
        unshown = self._sliced(last.paragraph, last.start, None)
        for line in lines[most:]:
            begins_paragraph = line.start == 0
            if begins_paragraph:
                unshown.append(StyledText(" "))
                unshown += self._sliced(line.paragraph, 0, None)
        cut_lines[-1] = cut(unshown, last.width, self._marks)
        return cut_lines

    def _sliced(
        self,
        paragraph_index: int,
        start: int,
        end: int | None,
    ) -> list[StyledText]:
        """Return the pieces of one paragraph of the row between the code points `start` and `end`.

        An `end` of None is the paragraph's end, and numbers below 0 count as 0. `paragraph_index`
        counts from 0. Empty pieces are left out.
        """
        pieces: list[StyledText] = []
        for text, style in self._paragraphs[paragraph_index]:
            part = text[max(start, 0) :]
            if end is not None:
                part = text[max(start, 0) : max(end, 0)]
                end -= len(text)
            if part:
                pieces.append(StyledText(part, style))
            start -= len(text)
        return pieces


LEFT = 1
"""The left button of the mouse, as Textual numbers it."""
RIGHT = 3
"""The right button of the mouse."""
DOUBLE = 2
"""Clicks in a chain that make a double click."""
CURSOR = 1
"""Columns of the cursor's mark."""
SIGN = 1
"""Columns of a row's sign."""
NARROW = 3
"""Further lines of a row are indented by at most one NARROWth of the line."""
MORE = "PgDn"
UNBOUNDED = 1_000_000
"""Lines of a pane in which nothing is cut."""


class Headings(NamedTuple):
    """Heading lines above groups of rows, for a section whose rows are asked for one by one."""

    until: Callable[[int], int]
    """Returns how many headings there are up to and including the row at an index."""
    above: Callable[[int], ListRow]
    """Returns the heading above the row at an index."""


class ListSection(Struct, frozen=True):
    """Rows under a header. The cursor skips the header and the headings."""

    rows: Rows = ()
    header: ListRow | None = None
    empty: str = ""
    """A sentence that is shown if there are no rows."""
    whole: bool = False
    """Whether rows wrap. All rows are then asked for at once; else only visible ones, a line each.
    """
    headings: Headings | None = None
    """Headings above some of the rows, for a section that is not `whole`."""


class Lines(SteadyView, can_focus=True, inherit_bindings=False):
    """Sections of rows with one cursor over all of them."""

    ALLOW_SELECT = False
    uncut = False
    """Whether no row is cut, however many lines all take: for a text that is read."""
    DEFAULT_CSS = """
    Lines {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .lines--cursor { text-style: bold; } & > .lines--denied { color: $bucket-fn; }
        &:focus > .lines--cursor { background: $block-cursor-background; }
        & > .lines--header { text-style: bold; } & > .lines--key { text-style: bold; }
        & > .lines--empty { color: $muted; } & > .lines--muted { color: $muted; }
        & > .lines--tp { color: $bucket-tp; } & > .lines--fn { color: $bucket-fn; }
        & > .lines--fp { color: $bucket-fp; } & > .lines--tn { color: $bucket-tn; }
        & > .lines--reviewed { color: $state-reviewed; }
        & > .lines--proposed { color: $state-proposed; } & > .lines--flag { color: $state-flag; }
        & > .lines--corrected { color: $state-corrected; }
        & > .lines--failed { color: $state-failed; } & > .lines--pending { color: $state-pending; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = components(
        "lines",
        "cursor header empty muted tp fn fp tn denied key reviewed proposed corrected failed "
        "pending flag",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", id="lines.up"),
        Binding("down,j", "move(1)", "down", id="lines.down"),
        Binding("pageup", "page(-1)", "page up", id="lines.page_up"),
        Binding("pagedown", "page(1)", "page down", id="lines.page_down"),
        Binding("home", "first", "first", id="lines.first"),
        Binding("end", "last", "last", id="lines.last"),
        Binding("enter", "choose", "choose", id="lines.choose"),
    ]

    @dataclass
    class _At(Message):
        """A message about the row at a cursor."""

        lines: "Lines"
        cursor: Cursor

        def __post_init__(self) -> None:
            super().__post_init__()
            self._rows = self.lines.sections[self.cursor.section].rows

        @property
        def is_outdated(self) -> bool:
            """Whether the section of the message is gone or has other rows by now, so that its
            index is void.
            """
            sections = self.lines.sections
            if self.section >= len(sections):
                return True
            return sections[self.section].rows is not self._rows

        @property
        def control(self) -> "Lines":
            return self.lines

        @property
        def section(self) -> int:
            return self.cursor.section

        @property
        def index(self) -> int:
            return self.cursor.row

    class Highlighted(_At):
        """Posted when a person moves the cursor to a row."""

    class Chosen(_At):
        """Posted when a person presses Enter on a row or double-clicks it."""

    @dataclass
    class Touched(_At):
        """Posted when a person clicks a row."""

        x: int
        """Columns from the left."""
        right: bool
        """Whether it was the right button."""
        ctrl: bool
        """Whether Ctrl was held down."""

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        """Make a list with one empty section."""
        super().__init__(id=id)
        self.marks = marks
        self.sections: tuple[ListSection, ...] = (ListSection(),)
        self.cursor = Cursor(0, 0)
        self.points = True
        """Whether the cursor is drawn."""
        self._wrapped: dict[ListRow, WrappedRow] = {}
        self._whole: list[list[ListRow]] = [[]]
        """For each section its rows, if it is whole, else an empty list."""
        self._shapes = [SectionShape(0)]
        self._fit = Fit([[]], True, 0)
        self._room = 0
        """Columns of a line."""
        self._margin = 0
        """Columns kept free after a line."""
        self._place_rows()

    # What is shown

    def show(self, *sections: ListSection) -> Self:
        """Show sections instead of the present ones, and return this list.

        The cursor stays at its position, or goes to the nearest row, which is brought into view.
        Without sections an empty one is shown. No message is posted.
        """
        self.sections = sections or (ListSection(),)
        self._lay_out()
        self.cursor = self.placed.nearest(self.cursor)
        self._place_rows()
        scrolled_size = Size(self.size.width, self._fit.height)
        set_scrolled_size(self, scrolled_size)
        self._keep_in_sight()
        self.refresh()
        return self

    def show_rows(self, rows: Rows, empty: str = "") -> Self:
        """Show one section without a header, whose rows take a line each, and return this list.

        `empty` is shown if it has no rows.
        """
        return self.show(ListSection(rows, empty=empty))

    def refresh_rows(self) -> None:
        """Draw again after the rows of the present sections changed, or became more or fewer.

        The cursor stays at its position, or goes to the nearest row.
        """
        self.show(*self.sections)

    def refresh_row(self, section: int, index: int) -> None:
        """Draw a row again after it changed, if no row was added or removed.

        `section` and `index` count from 0. In a section that is `whole`, all rows are wrapped and
        drawn again.
        """
        if self.sections[section].whole:
            self.refresh_rows()
        else:
            y = self.placed.y(Cursor(section, index))
            self.refresh_line(y)

    def _lay_out(self) -> None:
        """Find how many lines each row takes, and what each line shows; nothing is drawn.

        If all rows together do not fit into the pane, text keeps a column free before the
        scrollbar.
        """
        self._fit_rows()
        scrolls = self._fit.height > self.size.height > 0
        if scrolls != self._margin:
            self._margin = int(scrolls)
            self._fit_rows()
        self._place_rows()

    def _fit_rows(self) -> None:
        """Wrap the rows that are not wrapped at this width yet, and find how many lines each takes.

        Only rows of sections that are `whole` are asked for and wrapped; others take one line.
        Equal rows are wrapped once. Rows are cut to fit into the pane's height, but if the list is
        `uncut`, no row is cut, however few lines the pane has.
        """
        width = max(self.scrollable_content_region.width - self._margin, 0)
        if width != self._room:
            self._wrapped = {}
            self._room = width
        wrapped_before = self._wrapped

        self._wrapped = {}
        self._whole = []
        self._shapes = []
        for section in self.sections:
            rows: list[ListRow] = []
            if section.whole:
                rows = [section.rows[index] for index in range(len(section.rows))]
            for row in rows:
                self._wrapped[row] = wrapped_before.get(row) or self._wrap(row)
            self._whole.append(rows)
            self._shapes.append(self._shape(section, rows))

        available = UNBOUNDED if self.uncut else self.size.height
        self._fit = fitted(self._shapes, available)
        self._tell_apart()

    def _tell_apart(self) -> None:
        """Make rows that are cut show the word in which they differ from rows that begin alike.

        Rows are those of sections that are `whole`. Does nothing if none of them is cut.
        """
        wrapped_rows: list[WrappedRow] = []
        for rows in self._whole:
            wrapped_rows += [self._wrapped[row] for row in rows]
        line_counts = chain.from_iterable(self._fit.lines)
        pairs = zip(wrapped_rows, line_counts, strict=True)
        if all(row.height <= lines for row, lines in pairs):
            return

        texts = [row.text for row in wrapped_rows]
        in_common = alike_beginnings(texts)
        for row, alike in zip(wrapped_rows, in_common, strict=True):
            row.tell_apart(alike)

    def _shape(self, section: ListSection, rows: Sequence[ListRow]) -> SectionShape:
        """Return what the layout needs to know of a section: rows, their heights, and headings.

        `rows` are its rows if it is `whole`, else empty: it has no heights then, as each row takes
        one line.
        """
        heights = None
        if section.whole:
            wrapped_rows = [self._wrapped[row] for row in rows]
            heights = [
                RowHeight(wrapped_row.height, wrapped_row.height_here)
                for wrapped_row in wrapped_rows
            ]
        return SectionShape(
            len(section.rows),
            section.header is not None,
            bool(section.empty),
            heights,
            is_heading=lambda index: (rows or section.rows)[index].heading,
            headings=section.headings and section.headings.until,
        )

    def _place_rows(self) -> None:
        """Find again what each line shows, with the cursor where it is."""
        self.placed = RowLayout(
            self._shapes,
            self._fit.lines,
            self.cursor,
            gaps=self._fit.gaps,
        )

    def _wrap(self, row: ListRow) -> WrappedRow:
        """Return a row wrapped at the width of the pane, its first line too.

        The pieces left of the text are not wrapped, but their width is left free (`_indent`). The
        first line also leaves room for the pieces at the right end.
        """
        # before there is a width, wrapping at a cell a line would take long
        width = (self._room or UNBOUNDED) - self._indent(row)
        first = width
        if row.right:
            first -= cells(self._right_pieces(row)) + 1
        text = StyledText(row.text, row.style)
        return WrappedRow(
            ((*row.opening, text), *row.below),
            row.under_cursor,
            first=first,
            width=width,
            is_seen=row.below_is_seen,
            marks=self.marks,
        )

    @property
    def height_uncut(self) -> int:
        """How many lines all rows take if none is cut."""
        return fitted(self._shapes, UNBOUNDED).height

    # The cursor

    @property
    def row(self) -> ListRow | None:
        """The row under the cursor; None if its section has no rows."""
        if not self.placed.counts[self.cursor.section]:
            return None
        return self._row_at(self.cursor)

    def _row_at(self, cursor: Cursor) -> ListRow:
        """Return the row at a cursor; raises IndexError in a section without rows."""
        section, row = cursor
        if self._whole[section]:
            return self._whole[section][row]
        return self.sections[section].rows[row]

    def go(self, section: int, index: int | None = None) -> None:
        """Put the cursor on a row, or on the section's first row for None, without a message.

        `section` and `index` count from 0. If there is no such row, or it is a heading, it goes to
        the nearest row. The row is brought into view, and drawn if the cursor was on another one.
        """
        nearest = self.placed.nearest(Cursor(section, index or 0))
        self._put_cursor(nearest)

    def _put_cursor(self, cursor: Cursor) -> None:
        """Put the cursor on a row without a message, draw the lines that change, and scroll to it.

        Only both rows are drawn if they keep their heights. Else all lines from the upper of both
        on are. It scrolls only if the row is not visible.
        """
        previous = self.cursor
        if cursor == previous:
            self._keep_in_sight()
            return
        placed_before = self.placed
        self.cursor = cursor
        if any(self._whole):
            self._place_rows()
        placed = self.placed
        heights_before = placed_before.lines(previous), placed_before.lines(cursor)
        heights = placed.lines(previous), placed.lines(cursor)
        if heights == heights_before:
            for changed in (previous, cursor):
                self.refresh_lines(placed.y(changed), placed.lines(changed))
        else:
            first = min(placed_before.y(previous), placed.y(cursor))
            self.refresh_lines(first, max(placed_before.height, placed.height) - first)
        self._keep_in_sight(stay=False)

    def _keep_in_sight(self, *, stay: bool = True) -> None:
        """Scroll until the cursor's row is visible, with the headings above it if both fit.

        A row that is taller than the pane is scrolled to its top, unless `stay` and the pane is
        within it. No blank lines stay below the last row while rows above are hidden. Does nothing
        before the pane has a height.
        """
        y = self.placed.y(self.cursor)
        height = self.placed.lines(self.cursor)
        top = self.placed.top(self.cursor)
        visible_height = self.size.height
        if not visible_height:
            return

        if y + height - top > visible_height:
            top = y
        scrolled = self.scroll_offset.y
        last_within = y + height - visible_height
        is_within = y <= scrolled <= last_within
        if stay and height > visible_height and is_within:
            return

        region_height = min(y + height - top, visible_height)
        is_visible = scrolled <= top <= scrolled + visible_height - region_height
        if not is_visible:
            region = Region(0, top, 1, region_height)
            self.scroll_to_region(
                region,
                animate=False,
                force=True,
                immediate=True,
                x_axis=False,
            )
        # after another row was folded there may be room for more rows
        last = max(self.placed.height - visible_height, 0)
        if self.scroll_offset.y > last:
            self.scroll_to(y=last, animate=False, force=True, immediate=True)

    def _move_to(self, cursor: Cursor) -> None:
        """Put the cursor on a row and post `Highlighted`; do nothing if it is there already."""
        if cursor != self.cursor:
            self._put_cursor(cursor)
            self.post_message(self.Highlighted(self, cursor))

    def visit(self, section: int, index: int) -> None:
        """Put the cursor on a row of a section as if a person did it: `Highlighted` is posted.

        `section` and `index` count from 0. If there is no such row, it goes to the nearest; nothing
        happens if it is there already.
        """
        nearest = self.placed.nearest(Cursor(section, index))
        self._move_to(nearest)

    def in_sight(self) -> Iterator[tuple[Region, Cursor]]:
        """Yield the visible rows from the top, each with the region of its first visible line.

        The region is in cells of the screen, one line high. Rows that are headings, and headers,
        are left out.
        """
        x, y, width, height = self.content_region
        top = self.scroll_offset.y
        previous: Cursor | None = None
        for line_y in range(height):
            line = self.placed.line(line_y + top)
            cursor = Cursor(line.section, line.row)
            if line.what != "row" or cursor == previous:
                continue
            if not self._row_at(cursor).heading:
                previous = cursor
                yield Region(x, y + line_y, width, 1), cursor

    def marks_in_sight(self) -> set[str]:
        """Return the words and signs that are drawn left and right of the texts of visible rows.

        They are parted at white space. Headings do not count.
        """
        words: set[str] = set()
        for _, cursor in self.in_sight():
            row = self._row_at(cursor)
            for piece in (row.sign, *row.left, *row.right):
                words.update(piece.text.split())
        return words

    def action_move(self, by: int) -> None:
        """Move the cursor by some rows, across sections; it stops at either end.

        Posts `Highlighted` if it moved.
        """
        self._move_to(self.placed.moved(self.cursor, by))

    @property
    def is_row_cut(self) -> bool:
        """Whether the row under the cursor is taller than the pane, so that PgDn shows more."""
        return self.placed.lines(self.cursor) > self.size.height

    def action_page(self, by: int) -> None:
        """Scroll a page within a row that is taller than the pane, or else move the cursor by `by`
        pages.

        A negative `by` goes back. At the end of a tall row, and from any other, the cursor moves by
        a row at least, if there is one, and then `Highlighted` is posted. Scrolling posts nothing.
        """
        y = self.placed.y(self.cursor)
        row_height = self.placed.lines(self.cursor)
        pane_height = self.size.height
        page = max(pane_height - 1, 1)

        if row_height > pane_height:
            last_scroll = y + row_height - pane_height
            scroll_target = self.scroll_offset.y + by * page
            scroll_target = min(max(scroll_target, y), last_scroll)
            if scroll_target != self.scroll_offset.y:
                self.scroll_to(
                    y=scroll_target,
                    animate=False,
                    force=True,
                    immediate=True,
                )
                return

        target_y = y + by * page
        target = self.placed.row_at(target_y, by)
        if target in (None, self.cursor):
            target = self.placed.moved(self.cursor, by)
        self._move_to(target)

    def action_first(self) -> None:
        self.action_move(-sum(self.placed.counts))

    def action_last(self) -> None:
        self.action_move(sum(self.placed.counts))

    def action_choose(self) -> None:
        if self.row is not None:
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: Click) -> None:
        """Move the cursor to the row that was clicked, and post `Touched`.

        `Highlighted` is posted before if it moved. A double click with the left button, without
        Ctrl, also posts `Chosen`. A click on a header, or on the sentence of an empty section, only
        moves the cursor there. One on a heading or a gap does nothing. Except on a gap the click is
        used up.
        """
        offset = event.get_content_offset(self)
        if offset is None:
            return

        line = self.placed.line(offset.y + self.scroll_offset.y)
        if line.what == "gap":
            return

        event.stop()
        clicked = Cursor(line.section, line.row)
        if line.what == "row" and self._row_at(clicked).heading:
            return

        self._move_to(self.placed.nearest(clicked))
        if line.what != "row":
            return

        is_right = event.button == RIGHT
        self.post_message(
            self.Touched(self, self.cursor, offset.x, is_right, event.ctrl),
        )
        is_double = event.chain == DOUBLE and event.button == LEFT
        if is_double and not event.ctrl:
            self.action_choose()

    def on_resize(self, _: Resize) -> None:
        """Lay the rows out for the new size, draw them, and bring the cursor's row into view."""
        self._lay_out()
        scrolled_size = Size(self.size.width, self._fit.height)
        set_scrolled_size(self, scrolled_size)
        self._keep_in_sight()
        self.refresh()  # it was drawn as it was laid out before

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Return what is drawn on visible line `y`, from 0: a line of a row, or nothing for a gap.

        All lines of the row under the cursor are in the cursor's style, unless the cursor is not
        drawn (`points`).
        """
        y += self.scroll_offset.y
        line = self.placed.line(y)
        first = self.placed.y(self.cursor)
        end = first + self.placed.lines(self.cursor)
        is_current = self.points and first <= y < end
        base = self.visual_style.rich_style
        if is_current:
            base = whole_style(self, "lines--cursor")
        width = self.line_width
        row = self._row(line)
        if row is None:
            return Strip.blank(width, base)

        if row.dim:
            base += Style(dim=True)
        return strip(self, "lines", self._pieces(row, line, is_current), width, base)

    def _row(self, line: ListLine) -> ListRow | None:
        """Return the row to draw on a line: a row, a heading, the header or the sentence.

        The sentence of an empty section has the person's own keys in it. None for a gap, and for a
        header of a section that has none.
        """
        section = self.sections[line.section]
        match line.what:
            case "row":
                return self._row_at(Cursor(line.section, line.row))
            case "heading" if section.headings:
                return section.headings.above(line.row)
            case "header":
                return section.header
            case "empty":
                return ListRow(in_own_keys(section.empty, self.app), style="empty")
        return None

    def _pieces(
        self,
        row: ListRow,
        line: ListLine,
        is_current: bool,
    ) -> list[StyledText]:
        """Return the pieces of one line of a row, also of a further line of a wrapped row.

        The row's first line has the cursor's mark if `is_current`, its sign, and what is left and
        right of the text. Further lines are indented. If the row under the cursor goes on below the
        pane, the last visible line names the key that shows more.
        """
        is_wrapped = line.what == "row" and bool(self._whole[line.section])
        if is_wrapped:
            text = self._wrapped_line(row, line, is_current)
            right = self._right_pieces(row)
        else:
            text = [*row.opening, StyledText(row.text, row.style)]
            right = list(row.right)

        if line.part:
            indent = StyledText(" " * self._indent(row))
            more_key = self._more_key(line, is_current)
            if not more_key:
                return [indent, *text]
            return spread([indent, *text], more_key, self._room, self.marks)

        if right:
            right.insert(0, StyledText(" "))
        left = [*self._beginning(row, line, is_current), *row.left, *text]
        return spread(left, right, self._room, self.marks)

    def _wrapped_line(
        self,
        row: ListRow,
        line: ListLine,
        is_current: bool,
    ) -> list[StyledText]:
        """Return the pieces of a line within a wrapped row, without what is next to its text.

        If `is_current`, the cursor is on the row, and it is whole; else it is cut to the lines that
        it has.
        """
        wrapped = self._wrapped[row]
        if is_current:
            return wrapped.whole()[line.part]
        most = self.placed.lines(Cursor(line.section, line.row))
        return wrapped.shown(most)[line.part]

    def _beginning(
        self,
        row: ListRow,
        line: ListLine,
        is_current: bool,
    ) -> list[StyledText]:
        """Return what a row's first line begins with: the cursor's mark or a space, and the sign.

        The mark is there if `is_current`. The list is empty for a header and a heading, unless the
        cursor is on them.
        """
        if not is_current and (row.heading or line.what == "header"):
            return []
        cursor = StyledText(self.marks.cursor if is_current else " " * CURSOR)
        return [cursor, StyledText(column(row.sign.text, SIGN), row.sign.style)]

    def _more_key(self, line: ListLine, is_current: bool) -> list[StyledText]:
        """Return the name of the key that shows the rest of a row, for the pane's last line.

        It is `PgDn`, as pieces, if the row under the cursor goes on below the pane. Else the list
        is empty, and so it is on all other lines and if not `is_current`, for a row that is not
        under the cursor.
        """
        if not is_current:
            return []
        end_of_pane = self.scroll_offset.y + self.size.height
        last_visible_y = end_of_pane - 1
        row_y = self.placed.y(self.cursor)
        end_of_row = row_y + self.placed.lines(self.cursor)
        last_row_y = end_of_row - 1
        is_on_last_line = row_y + line.part == last_visible_y
        if is_on_last_line and last_visible_y < last_row_y:
            return [StyledText(f" {MORE}", "muted")]
        return []

    def _indent(self, row: ListRow) -> int:
        """Return by how many columns further lines of a row are indented: to where its text begins.

        If the pieces left of the text take more than one `NARROW`th of the line, only the columns
        of the cursor and of two signs are left free instead.
        """
        text_start = cells(row.left)
        if text_start * NARROW > self._room:
            text_start = SIGN
        return CURSOR + SIGN + text_start

    def _right_pieces(self, row: ListRow) -> list[StyledText]:
        """Return the pieces at the right end, cut to half of the line in all.

        The first piece is cut before the others are. [] if the row has none.
        """
        if not row.right:
            return []
        first, *other_pieces = row.right
        half_line = self._room // 2
        width_of_first = max(half_line - cells(other_pieces), 0)
        pieces = cut([first], width_of_first, self.marks)
        pieces += other_pieces
        return cut(pieces, half_line, self.marks)


DIGITS = "0123456789"
MOST_DIGITS = 6
"""Digits of a count that are kept."""
COUNTED = (
    "the next key: {lines.down:j} {lines.up:k} {lines.page_up:PgUp} {lines.page_down:PgDn} · "
    "{leave:Esc} drops it"
)
"""What the key strip says while a count is typed."""


def counting_hint(typed: str, names: KeyNames) -> str:
    """Return what the key strip says while a count is typed: the count, and keys to follow.

    `names` are what the person calls the keys, by id.
    """
    return f"{typed} × {with_keys(COUNTED, names)}".strip()


def legend(lists: Sequence[Lines], meanings: Mapping[str, str], room: int) -> str:
    """Return the meanings of the marks that some lists show now, with two spaces between.

    `meanings` has the meaning of each mark, the least known first, and they come in that order.
    Those that do not fit into `room` columns are left out, and later ones are still tried. "" if no
    mark is visible.
    """
    marks: set[str] = set()
    for lines in lists:
        marks |= lines.marks_in_sight()

    text = ""
    for mark, meaning in meanings.items():
        entry = f"{mark} {meaning}"
        longer = f"{text}  {entry}".strip()
        if mark in marks and cell_width(longer) <= room:
            text = longer
    return text


class CountedLines(Lines):
    """A list whose keys may be repeated by a count that is typed before them."""

    @dataclass
    class Counting(Message):
        """Posted while a count is typed, and with an empty `typed` when it is complete or
        dropped.
        """

        lines: "CountedLines"
        typed: str

    typed = ""
    """The digits of the count that is being typed; "" for none."""
    _times = 1
    """How often the key that was just pressed acts."""

    def on_key(self, event: Key) -> None:
        """Add a digit to the count, or drop the count at Esc; any other key ends it.

        Such a key acts as often as the count says (`take_times`). Digits and that Esc are used up.
        A 0 begins no count. At most `MOST_DIGITS` digits are kept. Posts `Counting` if the digits
        changed.
        """
        previous = self.typed
        if event.key in DIGITS and (previous or event.key != "0"):
            self.typed = (previous + event.key)[:MOST_DIGITS]
        else:
            self._times = int(previous or 1)
            self.typed = ""
        is_dropped = bool(previous) and event.key == "escape"
        if is_dropped:
            self._times = 1
        if self.typed or is_dropped:
            event.stop()
            event.prevent_default()
        if self.typed != previous:
            self.post_message(self.Counting(self, self.typed))

    def take_times(self) -> int:
        """Return how often the key that was just pressed acts, and set that back to once.

        It is 1 without a count.
        """
        times = self._times
        self._times = 1
        return times

    def action_move(self, by: int) -> None:
        super().action_move(by * self.take_times())

    def action_page(self, by: int) -> None:
        """Go pages on or back as often as the count says, until neither cursor nor view moves.

        A negative `by` goes back.
        """
        for _ in range(self.take_times()):
            state_before = self.cursor, self.scroll_offset
            super().action_page(by)
            if (self.cursor, self.scroll_offset) == state_before:
                return
