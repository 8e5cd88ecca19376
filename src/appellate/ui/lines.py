"""A list that draws only the lines in sight: the queue of 100,000 cells, a picker, the help.

Rows stand in sections, each under a header; one cursor goes over all of them. Keys: up k, down j,
pageup, pagedown, home, end; enter or a double click chooses. The cursor's mark is drawn with and
without focus, to be seen with no colour; only what a person does posts a message.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rendered_text import StyledText, components, spread, strip
from appellate.ui.text import cell_width

LEFT, RIGHT, DOUBLE = 1, 3, 2  # buttons of the mouse, and clicks in a chain


@dataclass(frozen=True, slots=True)
class ListRow:
    """One line of a list: marks at the left, text that gives way, text at the right end, all in
    `style`.
    """

    text: str
    left: tuple[StyledText, ...] = ()
    right: tuple[StyledText, ...] = ()
    style: str = ""
    dim: bool = False
    key: str = ""


class Rows(Protocol):
    """Where rows come from; `row` is asked only for what is on the screen."""

    def __len__(self) -> int: ...

    def row(self, index: int, /) -> ListRow: ...


@dataclass(frozen=True, slots=True)
class Listed:
    """Rows that are all at hand."""

    rows: Sequence[ListRow] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, index: int, /) -> ListRow:
        return self.rows[index]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows that are made of things when they come into sight."""

    things: Sequence[Any]
    draw: Callable[[Any], ListRow]

    def __len__(self) -> int:
        return len(self.things)

    def row(self, index: int, /) -> ListRow:
        return self.draw(self.things[index])


@dataclass(frozen=True, slots=True)
class ListSection:
    """Rows, a header above them, which takes no cursor, and a sentence for when there are none."""

    rows: Rows
    header: ListRow | None = None
    empty: str = ""


class Cursor(NamedTuple):
    """A place in a list of sections; row 0 of a section without rows is its empty place."""

    section: int
    row: int


class ListLine(NamedTuple):
    """What one line of the list shows."""

    what: Literal["row", "header", "empty", "gap"]
    section: int
    row: int = 0


class RowLayout:
    """Which line shows what, given how many rows each section has.

    A gap parts sections that have headers.
    """

    def __init__(self, sections: Sequence[ListSection]) -> None:
        self.sections = tuple(sections)
        self.counts = [len(section.rows) for section in self.sections]
        self._tops: list[int] = []
        top = 0
        for section, count in zip(self.sections, self.counts, strict=True):
            top += bool(section.header and top)
            self._tops.append(top)
            top += bool(section.header) + (count or bool(section.empty))
        self.height = top

    def line(self, y: int) -> ListLine:
        """What line `y` shows; lines beyond the last are gaps."""
        section = bisect_right(self._tops, y) - 1
        if section < 0:
            return ListLine("gap", 0)
        index = y - self._tops[section] - bool(self.sections[section].header)
        if index < 0:
            return ListLine("header", section)
        if index < self.counts[section]:
            return ListLine("row", section, index)
        if index == 0 and self.sections[section].empty:
            return ListLine("empty", section)
        return ListLine("gap", section)

    def y(self, cursor: Cursor) -> int:
        """The line of a cursor; the header's, where a section has neither rows nor a sentence."""
        section, top = self.sections[cursor.section], self._tops[cursor.section]
        if not (self.counts[cursor.section] or section.empty):
            return top
        return top + bool(section.header) + cursor.row

    def top(self, cursor: Cursor) -> int:
        """The line to bring into sight with a cursor: the header's for a first row."""
        if cursor.row == 0:
            return self._tops[cursor.section]
        return self.y(cursor)

    def held(self, cursor: Cursor) -> Cursor:
        """The cursor at the same place, or the nearest that there is."""
        if not self.sections:
            return Cursor(0, 0)
        section = min(max(cursor.section, 0), len(self.sections) - 1)
        last = max(self.counts[section] - 1, 0)
        return Cursor(section, min(max(cursor.row, 0), last))

    def moved(self, cursor: Cursor, by: int) -> Cursor:
        """The cursor `by` rows on or back, across sections, or at the first or last row."""
        total = sum(self.counts)
        if not total:
            return cursor
        place = sum(self.counts[: cursor.section]) + cursor.row + by
        if by > 0 and not self.counts[cursor.section]:
            place -= 1  # the next row is the first one after the empty place
        place = min(max(place, 0), total - 1)
        section = 0
        while place >= self.counts[section]:
            place -= self.counts[section]
            section += 1
        return Cursor(section, place)


def set_scrolled_size(view: ScrollView, size: Size) -> None:
    """Tells how much a view has to scroll over; the screen is laid out anew only if a scrollbar
    comes or goes.
    """
    before, height = view.virtual_size, view.size.height
    scrolled = before.height > height, size.height > height
    if view.styles.auto_dimensions or size.width != before.width or scrolled[0] != scrolled[1]:
        view.virtual_size = size
        return
    view.set_reactive(ScrollView.virtual_size, size)
    if view.show_vertical_scrollbar:
        view.vertical_scrollbar.window_virtual_size = size.height
    view.scroll_y = min(view.scroll_y, view.max_scroll_y)


class Lines(ScrollView, can_focus=True, inherit_bindings=False):
    """Sections of rows with one cursor over all of them."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Lines {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .lines--cursor { text-style: bold; }
        &:focus > .lines--cursor { background: $block-cursor-background; }
        & > .lines--header { text-style: bold; }
        & > .lines--empty { color: $muted; }
        & > .lines--muted { color: $muted; }
        & > .lines--tp { color: $bucket-tp; }
        & > .lines--fn { color: $bucket-fn; }
        & > .lines--fp { color: $bucket-fp; }
        & > .lines--tn { color: $bucket-tn; }
        & > .lines--reviewed { color: $state-reviewed; }
        & > .lines--proposed { color: $state-proposed; }
        & > .lines--corrected { color: $state-corrected; }
        & > .lines--failed { color: $state-failed; }
        & > .lines--pending { color: $state-pending; }
        & > .lines--flag { color: $state-flag; }
        & > .lines--key { text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = components(
        "lines",
        "cursor header empty muted tp fn fp tn key reviewed proposed corrected failed pending flag",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False, id="lines.up"),
        Binding("down,j", "move(1)", "down", show=False, id="lines.down"),
        Binding("pageup", "page(-1)", "page up", show=False, id="lines.page_up"),
        Binding("pagedown", "page(1)", "page down", show=False, id="lines.page_down"),
        Binding("home", "first", "first", show=False, id="lines.first"),
        Binding("end", "last", "last", show=False, id="lines.last"),
        Binding("enter", "choose", "choose", show=False, id="lines.choose"),
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
        """A person clicked on a row, `x` cells from the left; with the right button, or with Ctrl
        held.
        """

        x: int
        right: bool
        ctrl: bool

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.marks = marks
        self.placed = RowLayout([ListSection(Listed())])
        self.cursor = Cursor(0, 0)

    # What is shown

    def show(self, *sections: ListSection) -> Self:
        """Shows sections; the cursor stays at its place, or at the nearest that there is."""
        self.placed = RowLayout(sections or [ListSection(Listed())])
        self.cursor = self.placed.held(self.cursor)
        set_scrolled_size(self, Size(self.size.width, self.placed.height))
        self._keep_in_sight()
        self.refresh()
        return self

    def show_rows(self, rows: Rows, empty: str = "") -> Self:
        """Shows one section without a header."""
        return self.show(ListSection(rows, empty=empty))

    def refresh_rows(self) -> None:
        """To call when the sources of the present sections hold other rows, or more, or fewer."""
        self.show(*self.placed.sections)

    def refresh_row(self, section: int, index: int) -> None:
        """To call when one row changed and none was added or removed."""
        self.refresh_line(self.placed.y(Cursor(section, index)))

    # The cursor

    @property
    def row(self) -> ListRow | None:
        """The row under the cursor."""
        section, row = self.cursor
        if not self.placed.counts[section]:
            return None
        return self.placed.sections[section].rows.row(row)

    def go(self, section: int, index: int | None = None) -> None:
        """Puts the cursor somewhere, without a message; into a section alone: at its first row."""
        self._put(self.placed.held(Cursor(section, index or 0)))

    def _put(self, cursor: Cursor) -> None:
        before, self.cursor = self.placed.y(self.cursor), cursor
        self.refresh_line(before)
        self.refresh_line(self.placed.y(cursor))
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        top = self.placed.top(self.cursor)
        height = self.placed.y(self.cursor) - top + 1
        if height <= self.size.height:
            region = Region(0, top, 1, height)
            self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def _moved_to(self, cursor: Cursor) -> None:
        if cursor != self.cursor:
            self._put(cursor)
            self.post_message(self.Highlighted(self, cursor))

    def visit(self, section: int, index: int) -> None:
        """Puts the cursor somewhere as a person does, with a message."""
        self._moved_to(self.placed.held(Cursor(section, index)))

    def in_sight(self) -> Iterator[tuple[Region, Cursor]]:
        """The rows that the screen shows, and where."""
        x, y, width, height = self.content_region
        for row in range(height):
            line = self.placed.line(row + self.scroll_offset.y)
            if line.what == "row":
                yield Region(x, y + row, width, 1), Cursor(line.section, line.row)

    def action_move(self, by: int) -> None:
        self._moved_to(self.placed.moved(self.cursor, by))

    def action_page(self, by: int) -> None:
        self.action_move(by * max(self.size.height - 1, 1))

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
        self._moved_to(self.placed.held(Cursor(line.section, line.row)))
        if line.what != "row":
            return
        right = event.button == RIGHT
        self.post_message(self.Touched(self, self.cursor, offset.x, right, event.ctrl))
        if event.chain == DOUBLE and event.button == LEFT and not event.ctrl:
            self.action_choose()

    def on_resize(self, _: Resize) -> None:
        set_scrolled_size(self, Size(self.size.width, self.placed.height))
        self._keep_in_sight()

    # Drawing

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        line = self.placed.line(y)
        here = y == self.placed.y(self.cursor)
        base = self.visual_style.rich_style
        if here:
            base = self.get_component_rich_style("lines--cursor")
        width = self.scrollable_content_region.width
        row = self._row(line)
        if row is None:
            return Strip.blank(width, base)
        if row.dim:
            base += Style(dim=True)
        return strip(self, "lines", self._pieces(row, line, here, width), width, base)

    def _row(self, line: ListLine) -> ListRow | None:
        section = self.placed.sections[line.section]
        match line.what:
            case "row":
                return section.rows.row(line.row)
            case "header":
                return section.header
            case "empty":
                return ListRow(section.empty, style="empty")
            case "gap":
                return None

    def _pieces(self, row: ListRow, line: ListLine, here: bool, width: int) -> list[StyledText]:
        left, right = [*row.left, StyledText(row.text, row.style)], [*row.right]
        if here:
            left.insert(0, StyledText(f"{self.marks.cursor} "))
        elif line.what != "header":
            left.insert(0, StyledText(" " * (cell_width(self.marks.cursor) + 1)))
        if right:
            right.insert(0, StyledText(" "))
        return spread(left, right, width, self.marks)
