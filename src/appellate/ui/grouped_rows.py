"""Groups of rows under one cursor: all of them under headers, or one group at a time.

The panes of kinds whose items are rows use `GroupedLines`.
"""

from collections.abc import Sequence

from textual.content import Content

from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rows import Group, ListRow, Owner, RowCursor, Thing

MORE = " … press C"
"""Ends a text that is cut. The docked history, which C opens, begins with all that is known."""


class GroupedLines(RowCursor[Thing], Lines):
    """The rows of some groups as a list with a cursor.

    In a group with more than `many` rows each row takes one line.
    """

    def __init__(self, owner: Owner[Thing], marks: Marks = UNICODE, *, many: int = 400) -> None:
        Lines.__init__(self, marks=marks)
        RowCursor.__init__(self, owner, marks)
        self._many = many
        self.alone = False
        """Whether only the group under the cursor is shown, without a header."""

    @property
    def index(self) -> int:
        """The index of the cursor's row in its group."""
        return self.cursor.row

    @property
    def key(self) -> str:
        """The key of the group under the cursor."""
        section = self.cursor.section
        if self.alone or section >= len(self.groups):
            return self._key
        return self.groups[section].key

    def show_groups(self, groups: Sequence[Group], target: tuple[str, int] | None = None) -> None:
        """Show groups, with the cursor at `target`, a group's key and an index, or where it was for
        None.
        """
        self._key, row = target or (self.key, self.index)
        self.groups = list(groups)
        visible_groups = [group for group in groups if group.key == self._key or not self.alone]
        self.show(*map(self._section, visible_groups))
        visible_keys = [group.key for group in visible_groups]
        section = 0
        if self._key in visible_keys:
            section = visible_keys.index(self._key)
        self.go(section, row)

    def _section(self, group: Group) -> ListSection:
        """Return a group as a section of the list, with or without its header."""
        header = None
        if group.title and not self.alone:
            header = ListRow(group.title, right=group.right, style=group.style or "header")
        empty = "" if len(group.rows) else group.empty
        return ListSection(group.rows, header, empty, whole=len(group.rows) <= self._many)

    def show_alone(self, alone: bool) -> None:
        """Show only the group under the cursor, or all groups."""
        target = self.key, self.index
        self.alone = alone
        self.show_groups(self.groups, target)

    def step_group(self, by: int) -> None:
        """Go `by` groups on, after the last one to the first."""
        keys = [group.key for group in self.groups]
        if keys:
            self.show_groups(self.groups, (keys[(keys.index(self.key) + by) % len(keys)], 0))

    def put(self, key: str, index: int) -> None:
        """Put the cursor on a row of the group with this key."""
        self.go([group.key for group in self.groups].index(key), index)

    def step(self, by: int) -> None:
        """Move the cursor by some rows, across groups."""
        self.action_move(by)


def fitting(content: Content, width: int, height: int) -> Content:
    """Return as many lines of a text as fit, ending with a sign if there is more."""
    if width <= 0 or not height:
        return content
    lines = content.wrap(width)
    if len(lines) <= height:
        return content
    last = lines[height - 1].rstrip().truncate(max(width - len(MORE), 0))
    return Content("\n").join([*lines[: height - 1], Content.assemble(last, (MORE, "$text-muted"))])
