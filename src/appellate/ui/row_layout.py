"""Which line of a list shows what, where rows may take several lines each."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import Literal, NamedTuple

from msgspec import Struct

LEAST = 2
"""Lines that a row keeps where the pane is full: one of its text, one of what is below it."""
UNFOLDED = 8
"""The part of a pane that is kept at most for what the cursor unfolds: a row that takes more of it
is no measure for the others.
"""


class Cursor(NamedTuple):
    """A place in a list of sections; row 0 of a section without rows is its empty place."""

    section: int
    row: int


class ListLine(NamedTuple):
    """What a line of the list shows: of a row its `part`, from 0; of a heading the row below."""

    what: Literal["row", "heading", "header", "empty", "gap"]
    section: int
    row: int = 0
    part: int = 0


class RowHeight(Struct, frozen=True):
    """The lines that a row takes of itself, and with the cursor on it."""

    lines: int
    here: int


class SectionShape(NamedTuple):
    """How many rows a section has, what is around them, and which of them take no cursor.

    `heights` are those of its rows; None where each takes one line. Where each group of these rows
    has a line above it, `headings` counts those from the first row's to a row.
    """

    rows: int
    has_header: bool = False
    has_sentence: bool = False
    heights: Sequence[RowHeight] | None = None
    is_heading: Callable[[int], bool] = lambda _: False
    headings: Callable[[int], int] | None = None

    def line(self, row: int) -> int:
        """The line of a row, among the section's own, where each takes one."""
        if self.headings is None or not self.rows:
            return row
        return row + self.headings(row)

    def row(self, line: int) -> int:
        """The row that a line shows, or whose heading it shows; their number beyond the last."""
        if self.headings is None:
            return min(line, self.rows)
        high = min(line, self.rows)
        low = min(line // 2, high)  # as if each row had a heading
        return bisect_left(range(high), line, low, key=self.line)

    def first(self, row: int) -> int:
        """The first row of a row's group."""
        if self.headings is None or not self.rows:
            return row
        return bisect_left(range(row), self.headings(row), key=self.headings)


class Fit(Struct, frozen=True):
    """How rows fit into a pane: the lines of each without the cursor, by section, whether gaps part
    the sections, and the most lines of all together.
    """

    lines: list[list[int]]
    gaps: bool
    height: int


def fitted(shapes: Sequence[SectionShape], room: int) -> Fit:
    """Rows as high as `room` allows: gaps go first, then rows are cut to the same number of lines,
    the first ones to one more if there are any left.

    Room is kept for what the cursor unfolds of most rows; for a taller one the list scrolls.
    """
    most, gaps, lines, more, kept = _most_fitting(shapes, room)
    spare = max(room - lines - kept, 0)
    given: list[list[int]] = []
    for shape in shapes:
        given.append([])
        for row in shape.heights or ():
            extra = int(spare > 0 and row.lines > most)
            spare -= extra
            lines += extra
            given[-1].append(min(row.lines, most) + extra)
    return Fit(given, gaps, lines + more)


def _most_fitting(shapes: Sequence[SectionShape], room: int) -> tuple[int, bool, int, int, int]:
    """The most lines of every row, whether there are gaps, the lines that this takes, those that
    the cursor adds at most, and how many are kept for these.
    """
    heights = list(chain.from_iterable(shape.heights or () for shape in shapes))
    bare = [shape._replace(heights=None) for shape in shapes]
    tallest = max((height.lines for height in heights), default=1)
    tries = [(tallest, True)]
    if heights:
        tries.append((tallest, False))
        tries += [(most, False) for most in range(min(tallest, max(room, LEAST)), LEAST - 1, -1)]
    most = 1
    gaps = True
    lines = 0
    more = 0
    kept = 0
    for most, gaps in tries:
        shown = [min(row.lines, most) for row in heights]
        lines = RowLayout(bare, gaps=gaps).height + sum(shown) - len(shown)
        unfolded = [row.here - taken for row, taken in zip(heights, shown, strict=True)]
        more = max(unfolded, default=0)
        kept = max((rows for rows in unfolded if rows <= room // UNFOLDED), default=0)
        if lines + kept <= room:
            break
    return most, gaps, lines, more, kept


class RowLayout:
    """Which line shows what, with rows of so many `lines`, the one under the cursor whole, and gaps
    between sections that have headers.
    """

    def __init__(
        self,
        shapes: Sequence[SectionShape],
        lines: Sequence[Sequence[int]] = (),
        cursor: Cursor | None = None,
        *,
        gaps: bool = True,
    ) -> None:
        self.shapes = tuple(shapes)
        self.counts = [shape.rows for shape in self.shapes]
        self._tops: list[int] = []
        self._starts: list[list[int]] = []  # of the rows in their section, and where they end
        top = 0
        for number, shape in enumerate(self.shapes):
            starts: list[int] = []
            if shape.heights:
                heights = list(lines[number])
                if cursor and cursor.section == number and cursor.row < shape.rows:
                    heights[cursor.row] = shape.heights[cursor.row].here
                starts = list(accumulate(heights, initial=0))
            taken = shape.rows and shape.line(shape.rows - 1) + 1
            if starts:
                taken = starts[-1]
            top += bool(gaps and shape.has_header and top)
            self._tops.append(top)
            self._starts.append(starts)
            top += shape.has_header + (taken or shape.has_sentence)
        self.height = top

    def line(self, y: int) -> ListLine:
        """What line `y` shows; lines beyond the last are gaps."""
        section = bisect_right(self._tops, y) - 1
        if section < 0:
            return ListLine("gap", 0)
        shape = self.shapes[section]
        starts = self._starts[section]
        index = y - self._tops[section] - shape.has_header
        if index < 0:
            return ListLine("header", section)
        if shape.rows and starts and index < starts[-1]:
            row = bisect_right(starts, index) - 1
            return ListLine("row", section, row, index - starts[row])
        row = shape.row(index)
        if not starts and row < shape.rows:
            if shape.line(row) > index:
                return ListLine("heading", section, row)
            return ListLine("row", section, row)
        if index == 0 and shape.has_sentence:
            return ListLine("empty", section)
        return ListLine("gap", section)

    def y(self, cursor: Cursor) -> int:
        """The first line of a cursor; the header's, where a section has nothing else."""
        shape = self.shapes[cursor.section]
        top = self._tops[cursor.section]
        if not (shape.rows or shape.has_sentence):
            return top
        starts = self._starts[cursor.section]
        row = cursor.row
        return top + shape.has_header + (starts[row] if starts else shape.line(row))

    def lines(self, cursor: Cursor) -> int:
        """How many lines a cursor's row takes."""
        starts = self._starts[cursor.section]
        row = cursor.row
        if not starts or row + 1 >= len(starts):
            return 1
        return starts[row + 1] - starts[row]

    def top(self, cursor: Cursor) -> int:
        """The line to bring into sight with a cursor: that of the headings above it."""
        shape = self.shapes[cursor.section]
        row = cursor.row
        row = shape.first(row)
        while row > 0 and shape.is_heading(row - 1):
            row -= 1
        if row == 0:
            return self._tops[cursor.section]
        return self.y(Cursor(cursor.section, row)) - (shape.headings is not None)

    def held(self, cursor: Cursor) -> Cursor:
        """The cursor at the same place, or the nearest that there is."""
        if not self.shapes:
            return Cursor(0, 0)
        section = min(max(cursor.section, 0), len(self.shapes) - 1)
        last = max(self.counts[section] - 1, 0)
        return self._beside(Cursor(section, min(max(cursor.row, 0), last)), 1)

    def moved(self, cursor: Cursor, by: int) -> Cursor:
        """The cursor `by` rows on or back, across sections, or at the first or last row."""
        total = sum(self.counts)
        if not total:
            return cursor
        place = sum(self.counts[: cursor.section]) + cursor.row + by
        if by > 0 and not self.counts[cursor.section]:
            place -= 1  # the next row is the first one after the empty place
        return self._beside(self._numbered(min(max(place, 0), total - 1)), by)

    def at(self, y: int, by: int) -> Cursor | None:
        """The row that line `y` shows, or the nearest in the direction of `by`, or behind."""
        y = min(max(y, 0), max(self.height - 1, 0))
        ways = [range(y, self.height), range(y, -1, -1)]
        if by < 0:
            ways.reverse()
        for place in chain(*ways):
            line = self.line(place)
            if line.what in ("row", "heading"):
                return self._beside(Cursor(line.section, line.row), by)
        return None

    def _numbered(self, number: int) -> Cursor:
        """The row with a number over all sections."""
        for section, count in enumerate(self.counts):
            if number < count:
                return Cursor(section, number)
            number -= count
        return Cursor(0, 0)

    def _beside(self, cursor: Cursor, by: int) -> Cursor:
        """The cursor, or the nearest that is no heading: in the direction of `by`, else behind."""
        step = 1 if by >= 0 else -1
        for direction in (step, -step):
            found: Cursor | None = cursor
            while found is not None and self._is_heading(found):
                found = self._next(found, direction)
            if found is not None:
                return found
        return cursor

    def _is_heading(self, cursor: Cursor) -> bool:
        shape = self.shapes[cursor.section]
        return cursor.row < shape.rows and shape.is_heading(cursor.row)

    def _next(self, cursor: Cursor, step: int) -> Cursor | None:
        """The row beside one, across sections."""
        section, row = cursor
        if 0 <= row + step < self.counts[section]:
            return Cursor(section, row + step)
        section += step
        while 0 <= section < len(self.counts):
            if self.counts[section]:
                return Cursor(section, 0 if step > 0 else self.counts[section] - 1)
            section += step
        return None
