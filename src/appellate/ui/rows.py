"""Rows of a list as values: kinds and screens make them, a list draws them or line mode prints
them.

This module is free of Textual.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import chain
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from appellate.ui.marks import UNICODE, Marks

Thing = TypeVar("Thing")
Shown_contra = TypeVar("Shown_contra", contravariant=True)


class StyledText(NamedTuple):
    """A piece of text with one style."""

    text: str
    style: str = ""
    """The name of a component class of the widget; "" for the style of the line."""


NO_SIGN = StyledText("")


class ListRow(Struct, frozen=True):
    """A row of a list: pieces at the left, a text that may be cut, and pieces at the right end."""

    text: str
    left: tuple[StyledText, ...] = ()
    right: tuple[StyledText, ...] = ()
    style: str = ""
    """The style of the whole row; "" for the usual one."""
    dim: bool = False
    key: str = ""
    """What the row is known by to whoever made it."""
    below: tuple[tuple[StyledText, ...], ...] = ()
    """Paragraphs under the text, in a section that is `whole`."""
    under_cursor: tuple[tuple[StyledText, ...], ...] = ()
    """Paragraphs that stand below those while the cursor is on the row."""
    opening: tuple[StyledText, ...] = ()
    """Pieces in other styles with which the text begins."""
    sign: StyledText = NO_SIGN
    """One cell next to the cursor's mark."""
    heading: bool = False
    """Whether the row takes no cursor."""
    below_is_seen: bool = False
    """Whether the paragraphs below can be seen elsewhere, as words of the response can."""


class Rows(Protocol):
    """Rows that are already made, or made when they come into view."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> ListRow: ...


class DrawnRows(Struct, frozen=True):
    """Rows that are made from `things` by `draw` when they come into view."""

    things: Sequence[Any]
    draw: Callable[[Any], ListRow]

    def __len__(self) -> int:
        return len(self.things)

    def __getitem__(self, index: int, /) -> ListRow:
        return self.draw(self.things[index])


class Group(Struct, frozen=True):
    """Rows under one header, or behind one tab on a narrow screen."""

    key: str
    title: str
    rows: Rows
    style: str = ""
    """The style of its bucket, if it is one."""
    empty: str = ""
    """A sentence that is shown if there are no rows."""
    right: tuple[StyledText, ...] = ()
    """Pieces at the right end of the header; left out on a tab."""


class Owner(Protocol[Shown_contra]):
    """The object that knows what the rows of a `RowCursor` are."""

    def places(self, thing: Shown_contra, /) -> Sequence[Hashable]:
        """Return the items that a row stands for, as they are marked; none if there is none."""

    def sign_of(self, thing: Shown_contra, /) -> StyledText:
        """Return the one-cell sign of a row that is not marked."""

    def redraw(self) -> None:
        """Make all rows again in place."""

    def say(self, text: str, /) -> None:
        """Show a sentence to the person."""


class RowCursor(Generic[Thing]):
    """Things in groups under one cursor, some of them marked by the person.

    Nothing is drawn here: line mode goes through the things, too.
    """

    def __init__(self, owner: Owner[Thing], marks: Marks = UNICODE) -> None:
        """Begin without things; `owner` knows the items of a thing, and draws the rows."""
        self.owner = owner
        self.marks = marks
        self.things: dict[str, Sequence[Thing]] = {}
        self.groups: list[Group] = []
        self.marked: set[Hashable] = set()
        """The items that the person marked, as `Owner.places` names them."""
        self._key = ""
        self._index = 0

    @property
    def key(self) -> str:
        """The key of the group under the cursor."""
        return self._key

    @property
    def index(self) -> int:
        """The index of the cursor's row in its group."""
        return self._index

    def show_groups(
        self,
        groups: Sequence[Group],
        target: tuple[str, int] | None = None,
    ) -> None:
        """Replace the groups, and put the cursor on `target`: a group's key and an index.

        None is where the cursor is. `things` must have the rows of the new groups already. If the
        group has no rows, the cursor goes to the first group that has some. An index after the last
        row becomes the last row. Nothing is drawn, and marks stay.
        """
        self.groups = list(groups)
        key, index = target or (self._key, self._index)
        if not self.things.get(key):
            for other_key, things in self.things.items():
                if things:
                    key = other_key
                    break

        count = len(self.things.get(key, ()))
        last = max(count - 1, 0)
        self._key = key
        self._index = min(index, last)

    @property
    def every(self) -> Sequence[Thing]:
        """All things in the order of reading."""
        return list(chain.from_iterable(self.things.values()))

    @property
    def at(self) -> int:
        """The position of the cursor among all things in the order of reading, from 0.

        It is 0 if the cursor is in no group.
        """
        position = 0
        for key, things in self.things.items():
            if key == self.key:
                return position + self.index
            position += len(things)
        return 0

    def step_to(self, position: int) -> None:
        """Put the cursor on the thing at a position in the order of reading, from 0.

        A position at which no thing is changes nothing.
        """
        if position < 0:
            return
        for key, things in self.things.items():
            if position < len(things):
                self.put(key, position)
                return
            position -= len(things)

    def put(self, key: str, index: int) -> None:
        """Put the cursor on the row at `index` of the group with this key; neither is checked."""
        self._key = key
        self._index = index

    def step(self, by: int) -> None:
        """Move the cursor by some things, across groups; it stops at either end.

        Nothing is drawn here.
        """
        last = len(self.every) - 1
        position = max(self.at + by, 0)
        self.step_to(min(position, last))

    # -- marks -----------------------------------------------------------------------------------

    @property
    def here(self) -> Thing | None:
        """The thing under the cursor; None if there is no row."""
        things = self.things.get(self.key, ())
        if 0 <= self.index < len(things):
            return things[self.index]
        return None

    def is_marked(self, thing: Thing) -> bool:
        """Return whether the person marked one of a thing's items."""
        return any(item in self.marked for item in self.owner.places(thing))

    def sign(self, thing: Thing) -> StyledText:
        """Return the sign of a row: the mark if an item of it is marked, else the owner's."""
        if self.marked and self.is_marked(thing):
            return StyledText(self.marks.marked, "key")
        return self.owner.sign_of(thing)

    def toggle_mark(self) -> None:
        """Mark the thing under the cursor, or remove its mark, and move the cursor to the next.

        If there is nothing to mark, the owner says so, and the cursor stays.
        """
        if self.turn_mark():
            self.step(1)

    def turn_mark(self) -> bool:
        """Mark all items of the thing under the cursor, or remove their marks if one has any.

        The cursor stays, and the owner draws its rows again. Returns False, and the owner says so,
        if there is nothing to mark.
        """
        current = self.here
        items: set[Hashable] = set()
        if current is not None:
            items.update(self.owner.places(current))
        if not items:
            self.owner.say("There is no item here to mark.")
            return False

        if items & self.marked:
            self.marked -= items
        else:
            self.marked |= items
        self.owner.redraw()
        return True

    def clear_marks(self) -> bool:
        """Remove all marks, and have the owner draw its rows again; returns False without any."""
        if not self.marked:
            return False
        self.marked = set()
        self.owner.redraw()
        return True

    def aimed(self) -> list[Thing]:
        """Return the things that a key acts on: the marked ones, or the one under the cursor.

        Marked ones come from the bottom up, so that acting on one does not move the next. [] if
        there is neither.
        """
        if self.marked:
            marked_things = [thing for thing in self.every if self.is_marked(thing)]
            marked_things.reverse()
            return marked_things
        current = self.here
        if current is None:
            return []
        return [current]
