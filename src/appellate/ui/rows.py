"""Rows as values, made by kinds and screens, drawn or printed; free of Textual."""

from collections.abc import Callable, Hashable, Sequence
from itertools import chain
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from appellate.ui.marks import UNICODE, Marks

Thing = TypeVar("Thing")
Shown_contra = TypeVar("Shown_contra", contravariant=True)


class StyledText(NamedTuple):
    """Text in the style of a component class of the widget, or of the line where that is ""."""

    text: str
    style: str = ""


NO_SIGN = StyledText("")


class ListRow(Struct, frozen=True):
    """A row of a list: marks at the left, text that gives way, text at the right end, all in
    `style`; the text may begin with pieces in other styles (`opening`). `sign` is one cell beside
    the cursor's. A `heading` takes no cursor.

    Where the section is whole, the paragraphs `below` stand under the text, and `under_cursor`
    below them while the cursor is on the row. `below_is_seen` says that what is below is in sight
    elsewhere, as words of the response are.
    """

    text: str
    left: tuple[StyledText, ...] = ()
    right: tuple[StyledText, ...] = ()
    style: str = ""
    dim: bool = False
    key: str = ""
    below: tuple[tuple[StyledText, ...], ...] = ()
    under_cursor: tuple[tuple[StyledText, ...], ...] = ()
    opening: tuple[StyledText, ...] = ()
    sign: StyledText = NO_SIGN
    heading: bool = False
    below_is_seen: bool = False


class Rows(Protocol):
    """Rows at hand, or made when they come into sight."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> ListRow: ...


class DrawnRows(Struct, frozen=True):
    """Rows that are made of things when they come into sight."""

    things: Sequence[Any]
    draw: Callable[[Any], ListRow]

    def __len__(self) -> int:
        return len(self.things)

    def __getitem__(self, index: int, /) -> ListRow:
        return self.draw(self.things[index])


class Group(Struct, frozen=True):
    """Rows under one header, or behind one tab where room is short; `style` is its bucket's, if it
    is one. What is at the right end of the header has no room on a tab.
    """

    key: str
    title: str
    rows: Rows
    style: str = ""
    empty: str = ""
    right: tuple[StyledText, ...] = ()


class Owner(Protocol[Shown_contra]):
    """Who knows what the rows are."""

    def places(self, thing: Shown_contra, /) -> Sequence[Hashable]:
        """The items that a row stands for."""

    def sign_of(self, thing: Shown_contra, /) -> StyledText:
        """What a row bears beside the cursor where it is not marked: one cell."""

    def redraw(self) -> None:
        """Makes all rows anew where they stand."""

    def say(self, text: str, /) -> None: ...


class RowCursor(Generic[Thing]):
    """Things in groups under one cursor, in the group of `key` at `index`; some are marked. Nothing
    is drawn here: line mode goes through them, too.
    """

    def __init__(self, owner: Owner[Thing], marks: Marks = UNICODE) -> None:
        self.owner = owner
        self.marks = marks
        self.things: dict[str, Sequence[Thing]] = {}
        self.groups: list[Group] = []
        self.marked: set[Hashable] = set()
        self._key = ""
        self._index = 0

    @property
    def key(self) -> str:
        """The group under the cursor."""
        return self._key

    @property
    def index(self) -> int:
        """Which row of the group the cursor is on."""
        return self._index

    def show_groups(self, groups: Sequence[Group], at: tuple[str, int] | None = None) -> None:
        """Takes on groups with the cursor at a place, else where it was; in the next group with
        rows where that has none.
        """
        self.groups = list(groups)
        key, index = at or (self._key, self._index)
        if not self.things.get(key):
            key = next((key for key, held in self.things.items() if held), key)
        self._key = key
        self._index = min(index, max(len(self.things.get(key, ())) - 1, 0))

    @property
    def every(self) -> Sequence[Thing]:
        """All of them in the order of reading."""
        return list(chain.from_iterable(self.things.values()))

    @property
    def at(self) -> int:
        """Where the cursor is in that order."""
        before = list(self.things)[: list(self.things).index(self.key)] if self.things else []
        return sum(len(self.things[key]) for key in before) + self.index

    def step_to(self, at: int) -> None:
        """Puts the cursor on one of them by its place in that order."""
        for key, held in self.things.items():
            if at < len(held):
                self.put(key, at)
                return
            at -= len(held)

    def put(self, key: str, index: int) -> None:
        self._key = key
        self._index = index

    def step(self, by: int) -> None:
        self.step_to(min(max(self.at + by, 0), len(self.every) - 1))

    # -- marks -----------------------------------------------------------------------------------

    @property
    def here(self) -> Thing | None:
        """What the row under the cursor shows; None where there is no row."""
        index = self.index
        return next(iter(self.things.get(self.key, ())[index : index + 1]), None)

    def is_marked(self, thing: Thing) -> bool:
        return any(place in self.marked for place in self.owner.places(thing))

    def sign(self, thing: Thing) -> StyledText:
        """The sign of what is marked, or the owner's."""
        if self.marked and self.is_marked(thing):
            return StyledText(self.marks.marked, "key")
        return self.owner.sign_of(thing)

    def toggle_mark(self) -> None:
        """Marks what is under the cursor or lets it go, and goes on to the next."""
        if self.turn_mark():
            self.step(1)

    def turn_mark(self) -> bool:
        """Marks what is under the cursor or lets it go; false where there is nothing to mark."""
        here = self.here
        places: set[Hashable] = set()
        if here is not None:
            places.update(self.owner.places(here))
        if not places:
            self.owner.say("There is no item here to mark.")
            return False
        if places & self.marked:
            self.marked -= places
        else:
            self.marked |= places
        self.owner.redraw()
        return True

    def clear_marks(self) -> bool:
        """Lets all marked items go; false where there were none."""
        if not self.marked:
            return False
        self.marked = set()
        self.owner.redraw()
        return True

    def aimed(self) -> list[Thing]:
        """The marked rows from the bottom up, so that places stay right; else the one here."""
        here = self.here
        if self.marked:
            return [thing for thing in self.every if self.is_marked(thing)][::-1]
        if here is None:
            return []
        return [here]
