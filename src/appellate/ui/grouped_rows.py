"""Groups of rows under one cursor: all under headers, or one at a time behind tabs."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.widget import Widget
from textual.widgets import Static

from appellate.ui.lines import CURSOR, SIGN, Lines, ListSection
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rows import Group, ListRow, PaneOwner, RowCursor, Thing
from appellate.ui.text import cell_width, entitle, inert, update_text

MORE = " … C"  # the docked history begins with all that is known
OF_NOTICE = 3  # the part of the height that a notice has at most
MANY = 400  # rows of a group, beyond which each is one line


class GroupedRows(RowCursor[Thing], Vertical):
    """The rows, the tabs above them and a notice below."""

    BLANK = True  # covered whole by its parts: nothing of its own is drawn below them at every key
    DEFAULT_CSS = """
    GroupedRows {
        height: 1fr;
        & > #tabs { height: 1; display: none; }
        & > Lines { height: 1fr; min-height: 3; }
        & > #notice { height: auto; padding: 0 1; }
        &.-one > #tabs { display: block; }
    }
    """

    def __init__(self, owner: PaneOwner[Thing], marks: Marks = UNICODE) -> None:
        Vertical.__init__(self)
        RowCursor.__init__(self, owner, marks)
        self.pane: PaneOwner[Thing] = owner
        self._one = False
        self.lines = Lines(marks=marks, id="items")
        self._tabs = Static(id="tabs", markup=False)
        self._notice = Static(id="notice", markup=False)

    def compose(self) -> ComposeResult:
        yield from (self._tabs, self.lines, self._notice)

    # -- drawing ----------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        return self.lines.cursor.row

    def step(self, by: int) -> None:
        self.lines.action_move(by)

    @property
    def key(self) -> str:
        """The group under the cursor, which moves before its message arrives."""
        section = self.lines.cursor.section
        shown = [group.key for group in self.groups]
        if self._one or section >= len(shown) or self._key not in shown:
            return self._key
        return shown[section]

    @key.setter
    def key(self, key: str) -> None:
        self._key = key

    def show_groups(self, groups: Sequence[Group], row: int | None = None) -> None:
        """Shows groups with the cursor in that of `key`, at a row or where it was."""
        if row is None:
            row = self.lines.cursor.row
        self.groups = list(groups)
        sections: list[ListSection] = []
        here = 0
        for group in groups:
            if self._one and group.key != self._key:
                continue
            if group.key == self._key:
                here = len(sections)
            sections.append(section_of(group, MANY, headed=not self._one))
        self.lines.show(*sections)
        self.lines.go(here, row)
        self.draw_around()

    def one_at_a_time(self, one: bool) -> None:
        """Whether groups are shown singly, with tabs."""
        self._key, self._one = self.key, one
        self.set_class(one, "-one")
        self.owner.redraw()

    def draw_around(self) -> None:
        """Draws the tabs, for which nothing is laid out anew, and the notice, if it is another."""
        if self._one:
            self._tabs.update(self._titles(), layout=False)
        text, style = self.pane.notice()
        self._notice.display = bool(text)
        if text:
            content = Content.styled(inert(text), f"${style}")
            room = max(self.size.height // OF_NOTICE, 1)
            update_text(self._notice, fitting(content, self.size.width - 2, room))
        if isinstance(self.parent, Widget):  # the frame is the pane's
            marked = ""
            if self.marked:
                marked = f"{self.marks.marked} {len(self.marked)} marked"
            entitle(self.parent, subtitle=marked)

    def on_resize(self) -> None:
        self.draw_around()

    def _titles(self) -> Content:
        parts: list[Content] = []
        for group in self.groups:
            style = "$text"
            if group.style:
                style = f"$bucket-{group.style}"
            if group.key == self.key:
                style = f"bold reverse {style}"
            parts += [Content.styled(f" {group.title} ", style), Content("  ")]
        aside = f" {self.pane.aside()}"
        if self.marked:
            aside += f"  {self.marks.marked} {len(self.marked)}"
        return Content.assemble(*parts, Content.styled(aside, "$text-muted"))

    # -- going about ------------------------------------------------------------------------------

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self.looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.pane.choose()

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """The right button opens the menu, Ctrl marks."""
        event.stop()
        behind = event.x - CURSOR - SIGN
        if event.right:
            self.pane.menu()
        elif event.ctrl:
            self.turn_mark()
        elif behind >= 0:
            self.pane.touched(behind)

    def looked(self) -> None:
        """The cursor is on another row."""
        self._key = self.key
        self.draw_around()
        self.pane.looked()

    def on_click(self, event: Click) -> None:
        place = event.get_content_offset(self._tabs)
        if place is None:
            return
        left = place.x
        for group in self.groups:
            taken = cell_width(group.title) + 4
            if 0 <= left < taken:
                self.to_group(group.key)
                self.screen.set_focus(self.lines)
            left -= taken

    def step_group(self, by: int) -> None:
        """Goes to the next or previous group, round the corner."""
        keys = [group.key for group in self.groups]
        if keys:
            self.to_group(keys[(keys.index(self.key) + by) % len(keys)])

    def to_group(self, key: str) -> None:
        self._key = key
        self.show_groups(self.groups, 0)
        self.pane.looked()


def section_of(group: Group, many: int, *, headed: bool = True) -> ListSection:
    """The rows of a group under its title, if it has one and is to be `headed`."""
    header = None
    if headed and group.title:
        header = ListRow(group.title, right=group.right, style=group.style or "header")
    empty = "" if len(group.rows) else group.empty
    return ListSection(group.rows, header, empty, whole=len(group.rows) <= many)


def fitting(content: Content, width: int, height: int) -> Content:
    """As much of a text as there is room for, and a sign where there is more."""
    if width <= 0 or not height:
        return content
    lines = content.wrap(width)
    if len(lines) <= height:
        return content
    last = lines[height - 1].rstrip().truncate(max(width - len(MORE), 0))
    return Content("\n").join([*lines[: height - 1], Content.assemble(last, (MORE, "$text-muted"))])
