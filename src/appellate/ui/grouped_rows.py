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

    def __init__(
        self,
        owner: Owner[Thing],
        marks: Marks = UNICODE,
        *,
        many: int = 400,
    ) -> None:
        """Make a list without groups, whose `owner` knows what the rows stand for.

        A group of more than `many` rows shows each of them on one line.
        """
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
        """The key of the group under the cursor.

        While only one group is shown, and if the cursor is in no group, it is the key that
        `show_groups` was last asked for, whether or not a group has it.
        """
        section = self.cursor.section
        if self.alone or section >= len(self.groups):
            return self._key
        return self.groups[section].key

    def show_groups(
        self,
        groups: Sequence[Group],
        target: tuple[str, int] | None = None,
    ) -> None:
        """Show these groups instead of others, and put the cursor on `target`; no message.

        `target` is the key of a group and an index in it; None is where the cursor is. An index
        after the last row becomes the last row. While `alone`, only the group of that key is drawn,
        and nothing if there is none. Otherwise a key that no group has leads to the first group, at
        the same index.
        """
        self._key, row = target or (self.key, self.index)
        self.groups = list(groups)
        visible_groups = [
            group for group in groups if group.key == self._key or not self.alone
        ]
        self.show(*map(self._section, visible_groups))
        visible_keys = [group.key for group in visible_groups]
        section = 0
        if self._key in visible_keys:
            section = visible_keys.index(self._key)
        self.go(section, row)

    def _section(self, group: Group) -> ListSection:
        """Return a group as a section of the list.

        It has a header if the group has a title, unless only this group is shown. The group's
        sentence is shown if it has no rows. Rows take more than one line only in a group of at most
        `many` rows.
        """
        header = None
        if group.title and not self.alone:
            header = ListRow(
                group.title,
                right=group.right,
                style=group.style or "header",
            )
        empty = "" if len(group.rows) else group.empty
        return ListSection(
            group.rows,
            header,
            empty,
            whole=len(group.rows) <= self._many,
        )

    def show_alone(self, alone: bool) -> None:
        """Show only the group under the cursor if `alone`, else all groups.

        The cursor stays on its row, and no message is posted.
        """
        target = self.key, self.index
        self.alone = alone
        self.show_groups(self.groups, target)

    def step_group(self, by: int) -> None:
        """Put the cursor on the first row of the group that is `by` groups further on.

        After the last group comes the first, and before the first the last; groups without rows
        count. From a key that no group has, the steps count from the first group. No message is
        posted. Without groups nothing happens.
        """
        keys = [group.key for group in self.groups]
        if not keys:
            return
        current = keys.index(self.key) if self.key in keys else 0
        target = (current + by) % len(keys)
        self.show_groups(self.groups, (keys[target], 0))

    def put(self, key: str, index: int) -> None:
        """Put the cursor on the row at `index` of the group with this key, without a message.

        An index after the last row becomes the last row. Raises ValueError if no group has the key.
        While only one group is shown (`alone`), it is that index of the shown group, whatever the
        key.
        """
        keys = [group.key for group in self.groups]
        self.go(keys.index(key), index)

    def step(self, by: int) -> None:
        """Move the cursor by some rows, across groups; it stops at either end.

        Posts `Highlighted` if it moved.
        """
        self.action_move(by)


def fitting(content: Content, width: int, height: int) -> Content:
    """Return the first `height` lines of a text wrapped at `width` columns.

    If that cuts the text, the last line ends with `MORE`, and is cut to have room for it. A text
    that fits, and any text for a `width` or `height` of 0, is returned as it is.
    """
    if width <= 0 or not height:
        return content
    lines = content.wrap(width)
    if len(lines) <= height:
        return content
    text_width = max(width - len(MORE), 0)
    *shown_lines, last_line = lines[:height]
    last_text = last_line.rstrip().truncate(text_width)
    shown_lines.append(Content.assemble(last_text, (MORE, "$text-muted")))
    return Content("\n").join(shown_lines)
