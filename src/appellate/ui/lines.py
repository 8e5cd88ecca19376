"""A list that draws only the lines in sight: the queue of 100,000 cells, a picker, the help.

Rows are in sections, each under a header; one cursor goes over all of them, drawn without focus and
colour, too. Only what a person does posts a message.

The rows of a section that is `whole` take as many lines as their text does. Where the pane is full
each is cut to the same number of lines, but for the one under the cursor; of one taller than the
pane, pagedown and the wheel show the rest.
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
from appellate.ui.textual_compat import SteadyView, set_scrolled_size

LONGEST = 20_000
"""Codepoints of a paragraph that a row has: an excerpt may be a whole response of 10 MB."""
Pieces = Sequence[StyledText]


class WrappedLine(Struct, frozen=True):
    """A stretch of a paragraph that is on one line of so many cells."""

    paragraph: int
    start: int
    end: int
    width: int


class WrappedRow:
    """Paragraphs wrapped at `width` cells, the first line of all at `first`; those `under_cursor`
    are there only while the cursor is on the row.

    The first paragraph is the text, of which `alike` characters begin another row, too. Where what
    is below it `is_seen` elsewhere, two lines of the text come before it.
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
        self.alike = 0
        self._is_seen = is_seen
        self._paragraphs: list[list[StyledText]] = []
        self._lines: list[WrappedLine] = []
        self._marks = marks
        self._whole: list[list[StyledText]] = []  # made when asked for, as is what is cut
        self._few: dict[int, list[list[StyledText]]] = {}
        for number, pieces in enumerate((*paragraphs, *under_cursor)):
            if number == len(paragraphs):
                self.height = len(self._lines)
            self._wrap(pieces, first if number == 0 else width, width)
            if number == 0:
                self._of_text = len(self._lines)
        if not under_cursor:
            self.height = len(self._lines)

    def _wrap(self, pieces: Pieces, first: int, width: int) -> None:
        inert = list(self._inert(pieces))
        number = len(self._paragraphs)
        start = 0
        self._paragraphs.append(inert)
        text = "".join(piece.text for piece in inert)
        room = first
        for stop in wrapped(text, first, width):
            end = start + len(text[start:stop].rstrip(" "))
            self._lines.append(WrappedLine(number, start, end, room))
            start = stop
            room = width

    def _inert(self, pieces: Pieces) -> Iterator[StyledText]:
        """The pieces as they can be drawn, at most `LONGEST` codepoints."""
        room = LONGEST
        for text, style in pieces:
            yield StyledText(flat(text[:room]), style)
            room -= len(text)
            if room < 0:
                yield StyledText(f"{self._marks.ellipsis} {-room:,} more characters", "muted")
                return

    @property
    def text(self) -> str:
        """The first paragraph."""
        return "".join(piece.text for piece in self._paragraphs[0])

    def tell_apart(self, alike: int) -> None:
        """Takes note of how many characters of the text another row begins with, too."""
        if alike != self.alike:
            self.alike = alike
            self._few.clear()

    @property
    def height_here(self) -> int:
        """The lines under the cursor."""
        return len(self._lines)

    def whole(self) -> list[list[StyledText]]:
        """The lines under the cursor, whole."""
        if not self._whole:
            self._whole = [self._line(line) for line in self._lines]
        return self._whole

    def shown(self, most: int) -> list[list[StyledText]]:
        """At most so many lines: the text before the others, which keep one line of them."""
        if most >= self.height:
            return self.whole()[: self.height]
        if most not in self._few:
            self._few[most] = self._shown(most)
        return self._few[most]

    def _shown(self, most: int) -> list[list[StyledText]]:
        lines = self._lines[: self.height]
        text = lines[: self._of_text]
        below = lines[self._of_text :]
        room = most - min(len(below), 1)
        if self._is_seen:
            room = max(room, min(most, LEAST))
        return [*self._cut_text(text, room), *self._cut(below, most - min(len(text), room))]

    def _cut_text(self, lines: Sequence[WrappedLine], most: int) -> list[list[StyledText]]:
        """Return at most `most` lines of the text, each as styled pieces.

        Where text is left over, the last line ends with an ellipsis. If that hides the word in
        which the row differs from a neighbour that begins alike, the last line is cut in its
        middle, so that this word is visible at its end.
        """
        shown = self._cut(lines, most)
        text = self.text
        if not self.alike or not len(lines) > most > 0:
            return shown
        last = lines[most - 1]
        apart = text.rfind(" ", 0, self.alike + 1) + 1  # the word in which they differ
        word = text[apart:].split(" ", 1)[0]
        in_sight = last.start + sum(len(piece.text) for piece in shown[-1])
        if in_sight > apart + len(word):
            return shown
        end = self._sliced(0, apart, None)
        room = min(cells(end), last.width // 2)
        beginning = self._sliced(0, last.start, len(text[:apart].rstrip(" ")))
        beginning = cut(beginning, last.width - room - 1, self._marks)
        shown[-1] = [*beginning, StyledText(" "), *cut(end, room, self._marks)]
        return shown

    def _line(self, line: WrappedLine) -> list[StyledText]:
        return self._sliced(line.paragraph, line.start, line.end)

    def _cut(self, lines: Sequence[WrappedLine], most: int) -> list[list[StyledText]]:
        """The first lines, with a sign at the end of the last where there are more."""
        shown = [self._line(line) for line in lines[:most]]
        if len(lines) > most > 0:
            last = lines[most - 1]
            more = list[StyledText]()
            more += self._sliced(last.paragraph, last.start, None)
            for line in lines[most:]:
                if line.start == 0:
                    more += [StyledText(" "), *self._sliced(line.paragraph, 0, None)]
            shown[-1] = cut(more, last.width, self._marks)
        return shown

    def _sliced(self, number: int, start: int, end: int | None) -> list[StyledText]:
        found: list[StyledText] = []
        for text, style in self._paragraphs[number]:
            stretch = text[max(start, 0) : end if end is None else max(end, 0)]
            if stretch:
                found.append(StyledText(stretch, style))
            start -= len(text)
            if end is not None:
                end -= len(text)
        return found


LEFT = 1  # buttons of the mouse, and clicks in a chain
RIGHT = 3
DOUBLE = 2
CURSOR = 1  # the cells of the cursor's mark and of a row's sign
SIGN = 1
NARROW = 3  # further lines stand in by at most this part of the line
MORE = "PgDn"
UNBOUNDED = 1_000_000  # lines of a pane that nothing is cut in


class Headings(NamedTuple):
    """Lines above groups of rows: how many are from the first row's to a row, and a row's own."""

    until: Callable[[int], int]
    above: Callable[[int], ListRow]


class ListSection(Struct, frozen=True):
    """Rows under a header, and a sentence where there are none. The rows of a `whole` section wrap,
    and all are asked for; else each is one line, asked for in sight, with `headings` above some.
    The cursor skips header and headings.
    """

    rows: Rows = ()
    header: ListRow | None = None
    empty: str = ""
    whole: bool = False
    headings: Headings | None = None


class Lines(SteadyView, can_focus=True, inherit_bindings=False):
    """Sections of rows with one cursor over all of them."""

    ALLOW_SELECT = False
    uncut = False  # true for a text to be read: no row is cut, however many lines all of them take
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
        lines: "Lines"
        cursor: Cursor

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
        """A person moved the cursor to a row."""

    class Chosen(_At):
        """A person pressed Enter on a row or double-clicked it."""

    @dataclass
    class Touched(_At):
        """A person clicked on a row, `x` cells from the left, by which button, with Ctrl or not."""

        x: int
        right: bool
        ctrl: bool

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.marks = marks
        self.sections: tuple[ListSection, ...] = (ListSection(),)
        self.cursor = Cursor(0, 0)
        self.points = True  # whether the cursor is drawn
        self._wrapped: dict[ListRow, WrappedRow] = {}
        self._whole: list[list[ListRow]] = [[]]  # the rows of the sections that are whole
        self._shapes = [SectionShape(0)]
        self._fit = Fit([[]], True, 0)
        self._room = self._margin = 0  # the cells of a line, and those kept free behind it
        self._place()

    # What is shown

    def show(self, *sections: ListSection) -> Self:
        """Shows sections; the cursor stays at its place, or at the nearest that there is."""
        self.sections = sections or (ListSection(),)
        self._lay_out()
        self.cursor = self.placed.held(self.cursor)
        self._place()
        set_scrolled_size(self, Size(self.size.width, self._fit.height))
        self._keep_in_sight()
        self.refresh()
        return self

    def show_rows(self, rows: Rows, empty: str = "") -> Self:
        """Shows one section without a header."""
        return self.show(ListSection(rows, empty=empty))

    def refresh_rows(self) -> None:
        """To call when the sources of the present sections hold other rows, or more, or fewer."""
        self.show(*self.sections)

    def refresh_row(self, section: int, index: int) -> None:
        """To call when one row changed and none was added or removed."""
        if self.sections[section].whole:
            self.refresh_rows()
        else:
            self.refresh_line(self.placed.y(Cursor(section, index)))

    def _lay_out(self) -> None:
        """Finds how many lines there are for each row; text keeps a column from a scrollbar."""
        self._fit_rows()
        scrolls = self._fit.height > self.size.height > 0
        if scrolls != self._margin:
            self._margin = int(scrolls)
            self._fit_rows()
        self._place()

    def _fit_rows(self) -> None:
        """Wraps what was not wrapped at this width before."""
        room = max(self.scrollable_content_region.width - self._margin, 0)
        if room != self._room:
            self._wrapped = {}
            self._room = room
        before = self._wrapped
        self._wrapped = {}
        self._whole = []
        self._shapes = []
        for section in self.sections:
            rows: list[ListRow] = []
            if section.whole:
                rows = [section.rows[index] for index in range(len(section.rows))]
            for row in rows:
                self._wrapped[row] = before.get(row) or self._wrap(row)
            self._whole.append(rows)
            self._shapes.append(self._shape(section, rows))
        self._fit = fitted(self._shapes, UNBOUNDED if self.uncut else self.size.height)
        self._tell_apart()

    def _tell_apart(self) -> None:
        """Has rows that are cut show in what they differ from those that begin alike."""
        rows = [self._wrapped[row] for rows in self._whole for row in rows]
        given = list(chain.from_iterable(self._fit.lines))
        if all(row.height <= lines for row, lines in zip(rows, given, strict=True)):
            return
        for row, alike in zip(rows, alike_beginnings([row.text for row in rows]), strict=True):
            row.tell_apart(alike)

    def _shape(self, section: ListSection, rows: Sequence[ListRow]) -> SectionShape:
        heights = None
        if section.whole:
            wrapped = [self._wrapped[row] for row in rows]
            heights = [RowHeight(one.height, one.height_here) for one in wrapped]
        return SectionShape(
            len(section.rows),
            section.header is not None,
            bool(section.empty),
            heights,
            is_heading=lambda index: (rows or section.rows)[index].heading,
            headings=section.headings and section.headings.until,
        )

    def _place(self) -> None:
        """Finds which line shows what with the cursor where it is."""
        self.placed = RowLayout(self._shapes, self._fit.lines, self.cursor, gaps=self._fit.gaps)

    def _wrap(self, row: ListRow) -> WrappedRow:
        # before there is a width, wrapping at a cell a line would take long
        width = (self._room or UNBOUNDED) - self._indent(row)
        first = width
        if row.right:
            first -= cells(self._right(row)) + 1
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
        """The lines that all of it takes where no row is cut."""
        return fitted(self._shapes, UNBOUNDED).height

    # The cursor

    @property
    def row(self) -> ListRow | None:
        """The row under the cursor."""
        if not self.placed.counts[self.cursor.section]:
            return None
        return self._row_at(self.cursor)

    def _row_at(self, cursor: Cursor) -> ListRow:
        section, row = cursor
        if self._whole[section]:
            return self._whole[section][row]
        return self.sections[section].rows[row]

    def go(self, section: int, index: int | None = None) -> None:
        """Puts the cursor somewhere, without a message; into a section alone: at its first row."""
        self._put(self.placed.held(Cursor(section, index or 0)))

    def _put(self, cursor: Cursor) -> None:
        was = self.cursor
        before = self.placed
        self.cursor = cursor
        if any(self._whole):
            self._place()
        now = self.placed
        if before.lines(cursor) == now.lines(cursor) and before.lines(was) == now.lines(was):
            for one in (was, cursor):
                self.refresh_lines(now.y(one), now.lines(one))
        else:
            first = min(before.y(was), now.y(cursor))
            self.refresh_lines(first, max(before.height, now.height) - first)
        self._keep_in_sight(stay=cursor == was)

    def _keep_in_sight(self, *, stay: bool = True) -> None:
        """Scrolls to the cursor's row with the headings above it; to the top of a row that is
        taller than the pane, unless the pane is to `stay` within it.
        """
        y = self.placed.y(self.cursor)
        height = self.placed.lines(self.cursor)
        top = self.placed.top(self.cursor)
        seen = self.size.height
        if not seen:
            return
        if y + height - top > seen:
            top = y
        if stay and height > seen and y <= self.scroll_offset.y <= y + height - seen:
            return
        region = Region(0, top, 1, min(y + height - top, seen))
        self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)
        last = max(self.placed.height - seen, 0)
        if self.scroll_offset.y > last:  # there is room for more than what another row unfolded
            self.scroll_to(y=last, animate=False, force=True, immediate=True)

    def _moved_to(self, cursor: Cursor) -> None:
        if cursor != self.cursor:
            self._put(cursor)
            self.post_message(self.Highlighted(self, cursor))

    def visit(self, section: int, index: int) -> None:
        """Puts the cursor somewhere as a person does, with a message."""
        self._moved_to(self.placed.held(Cursor(section, index)))

    def in_sight(self) -> Iterator[tuple[Region, Cursor]]:
        """The rows that the screen shows, and where what it shows of them begins."""
        x, y, width, height = self.content_region
        shown: Cursor | None = None
        for line_y in range(height):
            line = self.placed.line(line_y + self.scroll_offset.y)
            cursor = Cursor(line.section, line.row)
            if line.what == "row" and cursor != shown and not self._row_at(cursor).heading:
                shown = cursor
                yield Region(x, y + line_y, width, 1), cursor

    def marks_in_sight(self) -> set[str]:
        """Return the signs and words beside the texts of the rows that the screen shows."""
        found: set[str] = set()
        for _, cursor in self.in_sight():
            row = self._row_at(cursor)
            for piece in (row.sign, *row.left, *row.right):
                found.update(piece.text.split())
        return found

    def action_move(self, by: int) -> None:
        self._moved_to(self.placed.moved(self.cursor, by))

    @property
    def is_row_cut(self) -> bool:
        """Whether the row under the cursor is taller than the pane: a page is a part of it."""
        return self.placed.lines(self.cursor) > self.size.height

    def action_page(self, by: int) -> None:
        """Shows more of a row that is taller than the pane; else goes a page on or back."""
        y = self.placed.y(self.cursor)
        height = self.placed.lines(self.cursor)
        page = max(self.size.height - 1, 1)
        to = min(max(self.scroll_offset.y + by * page, y), y + height - self.size.height)
        if height > self.size.height and to != self.scroll_offset.y:
            self.scroll_to(y=to, animate=False, force=True, immediate=True)
            return
        there = self.placed.at(y + by * page, by)
        if there in (None, self.cursor):
            there = self.placed.moved(self.cursor, by)
        self._moved_to(there)

    def action_first(self) -> None:
        self.action_move(-sum(self.placed.counts))

    def action_last(self) -> None:
        self.action_move(sum(self.placed.counts))

    def action_choose(self) -> None:
        if self.row is not None:
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        line = self.placed.line(offset.y + self.scroll_offset.y)
        if line.what == "gap":
            return
        event.stop()
        if line.what == "row" and self._row_at(Cursor(line.section, line.row)).heading:
            return
        self._moved_to(self.placed.held(Cursor(line.section, line.row)))
        if line.what != "row":
            return
        right = event.button == RIGHT
        self.post_message(self.Touched(self, self.cursor, offset.x, right, event.ctrl))
        if event.chain == DOUBLE and event.button == LEFT and not event.ctrl:
            self.action_choose()

    def on_resize(self, _: Resize) -> None:
        self._lay_out()
        set_scrolled_size(self, Size(self.size.width, self._fit.height))
        self._keep_in_sight()
        self.refresh()  # it was drawn as it was laid out before

    # Drawing

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        line = self.placed.line(y)
        first = self.placed.y(self.cursor)
        here = self.points and first <= y < first + self.placed.lines(self.cursor)
        base = self.visual_style.rich_style
        if here:
            base = self.get_component_rich_style("lines--cursor")
        width = self.line_width
        row = self._row(line)
        if row is None:
            return Strip.blank(width, base)
        if row.dim:
            base += Style(dim=True)
        return strip(self, "lines", self._pieces(row, line, here), width, base)

    def _row(self, line: ListLine) -> ListRow | None:
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

    def _pieces(self, row: ListRow, line: ListLine, here: bool) -> list[StyledText]:
        text = [*row.opening, StyledText(row.text, row.style)]
        right = list(row.right)
        if line.what == "row" and self._whole[line.section]:
            wrapped = self._wrapped[row]
            cursor = Cursor(line.section, line.row)
            lines = wrapped.whole() if here else wrapped.shown(self.placed.lines(cursor))
            text = lines[line.part]
            right = self._right(row)
            if line.part:
                text = [StyledText(" " * self._indent(row)), *text]
                further = self._further(line, here)
                return spread(text, further, self._room, self.marks) if further else text
        if right:
            right.insert(0, StyledText(" "))
        left = [*self._beginning(row, line, here), *row.left, *text]
        return spread(left, right, self._room, self.marks)

    def _beginning(self, row: ListRow, line: ListLine, here: bool) -> list[StyledText]:
        """The cursor and the row's sign, or the room for them."""
        if not here and (row.heading or line.what == "header"):
            return []
        cursor = StyledText(self.marks.cursor if here else " " * CURSOR)
        return [cursor, StyledText(column(row.sign.text, SIGN), row.sign.style)]

    def _further(self, line: ListLine, here: bool) -> list[StyledText]:
        """The key that shows the rest of a row that the pane cuts."""
        if not here:
            return []
        last = self.scroll_offset.y + self.size.height - 1
        first = self.placed.y(self.cursor)
        if first + line.part == last < first + self.placed.lines(self.cursor) - 1:
            return [StyledText(f" {MORE}", "muted")]
        return []

    def _indent(self, row: ListRow) -> int:
        """How far further lines are indented: to the row's text, unless that is too far."""
        left = cells(row.left)
        if left * NARROW > self._room:
            left = SIGN
        return CURSOR + SIGN + left

    def _right(self, row: ListRow) -> list[StyledText]:
        """What is at the right end: at most half of the line; the first of it gives way."""
        if not row.right:
            return []
        first, *others = row.right
        room = max(self._room // 2 - cells(others), 0)
        return cut([*cut([first], room, self.marks), *others], self._room // 2, self.marks)


DIGITS = "0123456789"
MOST_DIGITS = 6
COUNTED = (
    "the next key: {lines.down:j} {lines.up:k} {lines.page_up:PgUp} {lines.page_down:PgDn} · "
    "{leave:Esc} drops it"
)


def counting_hint(typed: str, names: KeyNames) -> str:
    """What may be pressed behind a number."""
    return f"{typed} × {with_keys(COUNTED, names)}".strip()


def legend(lists: Sequence[Lines], meanings: Mapping[str, str], room: int) -> str:
    """Return what those marks mean that some lists show now, as far as there is room.

    `meanings` has them by mark, the least known first: what does not fit is left out.
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
    """A list whose keys may be counted; `typed` is the count as far as it is typed."""

    @dataclass
    class Counting(Message):
        """A count is being typed, or is there no more."""

        lines: "CountedLines"
        typed: str

    typed = ""
    _times = 1

    def on_key(self, event: Key) -> None:
        """A digit belongs to the count, Esc drops it, any other key is meant so often."""
        before = self.typed
        if event.key in DIGITS and (before or event.key != "0"):
            self.typed = (before + event.key)[:MOST_DIGITS]
        else:
            self._times = int(before or 1)
            self.typed = ""
        is_dropped = bool(before) and event.key == "escape"
        if is_dropped:
            self._times = 1
        if self.typed or is_dropped:
            event.stop()
            event.prevent_default()
        if self.typed != before:
            self.post_message(self.Counting(self, self.typed))

    def take_times(self) -> int:
        """How often the key that was just pressed is meant; once from then on."""
        times = self._times
        self._times = 1
        return times

    def action_move(self, by: int) -> None:
        super().action_move(by * self.take_times())

    def action_page(self, by: int) -> None:
        for _ in range(min(self.take_times(), len(self.sections[self.cursor.section].rows))):
            before = self.cursor, self.scroll_offset
            super().action_page(by)
            if (self.cursor, self.scroll_offset) == before:
                return
