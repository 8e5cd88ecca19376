"""Groups of rows under one cursor, all of them under headers or one at a time."""

from collections.abc import Sequence

from textual.content import Content

from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rows import Group, ListRow, Owner, RowCursor, Thing

MORE = " … press C"  # the docked history begins with all that is known


class GroupedLines(RowCursor[Thing], Lines):
    """The rows; in a group of more than `many` each is one line."""

    def __init__(self, owner: Owner[Thing], marks: Marks = UNICODE, *, many: int = 400) -> None:
        Lines.__init__(self, marks=marks)
        RowCursor.__init__(self, owner, marks)
        self._many = many
        self.alone = False  # whether only the group under the cursor is shown, without a header

    @property
    def index(self) -> int:
        return self.cursor.row

    @property
    def key(self) -> str:
        section = self.cursor.section
        if self.alone or section >= len(self.groups):
            return self._key
        return self.groups[section].key

    def show_groups(self, groups: Sequence[Group], at: tuple[str, int] | None = None) -> None:
        self._key, row = at or (self.key, self.index)
        self.groups = list(groups)
        shown = [group for group in groups if group.key == self._key or not self.alone]
        self.show(*map(self._section, shown))
        keys = [group.key for group in shown]
        here = 0
        if self._key in keys:
            here = keys.index(self._key)
        self.go(here, row)

    def _section(self, group: Group) -> ListSection:
        header = None
        if group.title and not self.alone:
            header = ListRow(group.title, right=group.right, style=group.style or "header")
        empty = "" if len(group.rows) else group.empty
        return ListSection(group.rows, header, empty, whole=len(group.rows) <= self._many)

    def show_alone(self, alone: bool) -> None:
        """Shows the group under the cursor by itself, or all of them."""
        at = self.key, self.index
        self.alone = alone
        self.show_groups(self.groups, at)

    def step_group(self, by: int) -> None:
        """Goes to the next or previous group, round the corner."""
        keys = [group.key for group in self.groups]
        if keys:
            self.show_groups(self.groups, (keys[(keys.index(self.key) + by) % len(keys)], 0))

    def put(self, key: str, index: int) -> None:
        self.go([group.key for group in self.groups].index(key), index)

    def step(self, by: int) -> None:
        self.action_move(by)


def fitting(content: Content, width: int, height: int) -> Content:
    """As much of a text as there is room for, and a sign where there is more."""
    if width <= 0 or not height:
        return content
    lines = content.wrap(width)
    if len(lines) <= height:
        return content
    last = lines[height - 1].rstrip().truncate(max(width - len(MORE), 0))
    return Content("\n").join([*lines[: height - 1], Content.assemble(last, (MORE, "$text-muted"))])
