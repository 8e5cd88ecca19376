"""Rows in sections under headers, and where each of them stands, without looking at the rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from appellate.ui.styled_text import Piece


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a list: marks at the left, text that gives way, text at the right end, all in `style`."""

    text: str
    left: tuple[Piece, ...] = ()
    right: tuple[Piece, ...] = ()
    style: str = ""
    dim: bool = False
    key: str = ""


class Rows(Protocol):
    """Where rows come from; `row` is asked only for what is on the screen."""

    def __len__(self) -> int: ...

    def row(self, index: int, /) -> Row: ...


@dataclass(frozen=True, slots=True)
class Listed:
    """Rows that are all at hand."""

    rows: Sequence[Row] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, index: int, /) -> Row:
        return self.rows[index]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows that are made of things when they come into sight."""

    things: Sequence[Any]
    draw: Callable[[Any], Row]

    def __len__(self) -> int:
        return len(self.things)

    def row(self, index: int, /) -> Row:
        return self.draw(self.things[index])


@dataclass(frozen=True, slots=True)
class Section:
    """Rows with a header above them, which takes no cursor, and a sentence for when there are none."""

    rows: Rows
    header: Row | None = None
    empty: str = ""


class Cursor(NamedTuple):
    """A place in a list of sections; row 0 of a section without rows is its empty place."""

    section: int
    row: int


class Line(NamedTuple):
    """What one line of the list shows."""

    what: Literal["row", "header", "empty", "gap"]
    section: int
    row: int = 0


class Layout:
    """Which line shows what, given how many rows each section has; a gap parts sections that have headers."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self.sections = tuple(sections)
        self.counts = [len(section.rows) for section in self.sections]
        self._tops = []
        top = 0
        for section, count in zip(self.sections, self.counts, strict=True):
            top += bool(section.header and top)
            self._tops.append(top)
            top += bool(section.header) + (count or bool(section.empty))
        self.height = top

    def line(self, y: int) -> Line:
        """What line `y` shows; lines beyond the last are gaps."""
        section = max((i for i, top in enumerate(self._tops) if top <= y), default=-1)
        if section < 0:
            return Line("gap", 0)
        index = y - self._tops[section] - bool(self.sections[section].header)
        if index < 0:
            return Line("header", section)
        if index < self.counts[section]:
            return Line("row", section, index)
        empty = not self.counts[section] and index == 0 and bool(self.sections[section].empty)
        return Line("empty" if empty else "gap", section)

    def y(self, cursor: Cursor) -> int:
        """The line of a cursor; the header's, where a section has neither rows nor a sentence."""
        section = self.sections[cursor.section]
        shown = self.counts[cursor.section] or section.empty
        return self._tops[cursor.section] + (bool(section.header) + cursor.row if shown else 0)

    def top(self, cursor: Cursor) -> int:
        """The line to bring into sight with a cursor: the header's for a first row."""
        return self._tops[cursor.section] if cursor.row == 0 else self.y(cursor)

    def held(self, cursor: Cursor) -> Cursor:
        """The cursor at the same place, or the nearest that there is."""
        section = min(max(cursor.section, 0), max(len(self.sections) - 1, 0))
        last = (self.counts[section] if self.counts else 0) - 1
        return Cursor(section, min(max(cursor.row, 0), max(last, 0)))

    def moved(self, cursor: Cursor, by: int) -> Cursor:
        """The cursor `by` rows on or back, across sections, or at the first or last row."""
        total = sum(self.counts)
        if not total:
            return cursor
        before = sum(self.counts[: cursor.section])
        vacant = by > 0 and not self.counts[cursor.section]  # the next row is the first one after it
        place = min(max(before + cursor.row + by - vacant, 0), total - 1)
        return self._nth(place)

    def _nth(self, place: int) -> Cursor:
        for section, count in enumerate(self.counts):
            if place < count:
                return Cursor(section, place)
            place -= count
        raise IndexError(place)
