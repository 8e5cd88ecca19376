"""Which line of a list shows which row, if rows may take several lines each.

`Lines` asks `fitted()` how high rows may be, and makes a `RowLayout` of it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Literal, NamedTuple

from msgspec import Struct

LEAST = 2
"""Lines that a row keeps in a full pane: one of its text, one of what is below it."""
UNFOLDED = 8
"""One UNFOLDEDth of a pane is kept at most for what the cursor unfolds.

A row that unfolds to more does not make the others smaller.
"""


class Cursor(NamedTuple):
    """A row in a list of sections; row 0 of a section without rows is its empty line."""

    section: int
    row: int


class ListLine(NamedTuple):
    """What one line of the list shows."""

    what: Literal["row", "heading", "header", "empty", "gap"]
    section: int
    row: int = 0
    """The row; for a heading the row below it."""
    part: int = 0
    """Which line of the row it is, from 0."""


class RowHeight(Struct, frozen=True):
    """How many lines a row takes."""

    lines: int
    here: int
    """Lines with the cursor on the row."""


class SectionShape(NamedTuple):
    """How many rows a section has, what is around them, and which rows take no cursor."""

    rows: int
    has_header: bool = False
    has_sentence: bool = False
    heights: Sequence[RowHeight] | None = None
    """The heights of the rows; None if each row takes one line."""
    is_heading: Callable[[int], bool] = lambda _: False
    """Returns whether the row at an index takes no cursor."""
    headings: Callable[[int], int] | None = None
    """Returns how many headings there are up to and including the row at an index; None for none.
    """

    def line(self, row: int) -> int:
        """Return the line, from 0, of a row within its section, counting the headings above it.

        Only for sections whose rows take one line each.
        """
        if self.headings is None or not self.rows:
            return row
        return row + self.headings(row)

    def row(self, line: int) -> int:
        """Return the row that a line of the section shows, or the row below if it shows a heading.

        After the last row it is the number of rows. Only for rows of one line each.
        """
        if self.headings is None:
            return min(line, self.rows)
        high = min(line, self.rows)
        low = min(line // 2, high)  # as if each row had a heading
        return bisect_left(range(high), line, low, key=self.line)

    def first(self, row: int) -> int:
        """Return the first row of the group, under one heading, that a row is in.

        Without `headings` each row is its own group.
        """
        if self.headings is None or not self.rows:
            return row
        return bisect_left(range(row), self.headings(row), key=self.headings)


class Fit(Struct, frozen=True):
    """How rows fit into a pane."""

    lines: list[list[int]]
    """For each section the lines of each row without the cursor."""
    gaps: bool
    """Whether an empty line separates sections."""
    height: int
    """The lines that all rows take at most."""


def fitted(shapes: Sequence[SectionShape], available: int) -> Fit:
    """Return how rows fit into a pane of `available` lines.

    If all do not fit, first the gaps are left out. Then all rows are cut to one number of lines, at
    least `LEAST`, and the first of the taller rows get one more while lines are left. Lines are
    reserved for what the cursor unfolds, if that is at most one `UNFOLDED`th of the pane. Where
    even that does not fit, the list scrolls.
    """
    heights: list[RowHeight] = []
    for shape in shapes:
        heights += shape.heights or ()
    without_heights = [shape._replace(heights=None) for shape in shapes]

    most = 1
    gaps = True
    lines = 0
    most_added = 0
    reserved = 0
    for most, gaps in _attempts(heights, available):
        cut_heights = [min(row.lines, most) for row in heights]
        height_of_single_lines = RowLayout(without_heights, gaps=gaps).height
        lines = height_of_single_lines + sum(cut_heights) - len(cut_heights)
        added: list[int] = []
        for row, cut_height in zip(heights, cut_heights, strict=True):
            added.append(row.here - cut_height)
        most_added = max(added, default=0)
        reservable = [rows for rows in added if rows <= available // UNFOLDED]
        reserved = max(reservable, default=0)
        if lines + reserved <= available:
            break

    spare = max(available - lines - reserved, 0)
    lines_by_section: list[list[int]] = []
    for shape in shapes:
        row_lines: list[int] = []
        for row in shape.heights or ():
            extra = int(spare > 0 and row.lines > most)
            spare -= extra
            lines += extra
            row_lines.append(min(row.lines, most) + extra)
        lines_by_section.append(row_lines)
    return Fit(lines_by_section, gaps, lines + most_added)


def _attempts(
    heights: Sequence[RowHeight],
    available: int,
) -> Iterator[tuple[int, bool]]:
    """Yield the ways to fit rows into `available` lines, the one that shows most first.

    Each is the most lines of a row, and whether there are gaps between sections. Rows are whole
    with gaps, then whole without gaps, then cut without gaps to fewer and fewer lines, down to
    `LEAST`. Whether they fit is not looked at. If no row has a height, as all take one line, there
    is only the first.
    """
    tallest = max((height.lines for height in heights), default=1)
    yield tallest, True
    if not heights:
        return
    yield tallest, False
    highest = min(tallest, max(available, LEAST))
    for most in range(highest, LEAST - 1, -1):
        yield most, False


class RowLayout:
    """Which line shows what, if each row takes `lines` lines and the one under the cursor all of
    its lines.
    """

    def __init__(
        self,
        shapes: Sequence[SectionShape],
        lines: Sequence[Sequence[int]] = (),
        cursor: Cursor | None = None,
        *,
        gaps: bool = True,
    ) -> None:
        """Find where each section and row begins.

        `lines` has for each section the lines of its rows, and is read only for sections with
        heights. `cursor` is the row that takes all of its lines; None is for no row. With `gaps`
        there is an empty line before each header but one in the first line.
        """
        self.shapes = tuple(shapes)
        self.counts = [shape.rows for shape in self.shapes]
        self._tops: list[int] = []
        """The first line of each section."""
        self._starts: list[list[int]] = []
        """For each section the first line of each row, and the line after the last row."""
        top = 0
        for index, shape in enumerate(self.shapes):
            starts: list[int] = []
            if shape.heights:
                heights = list(lines[index])
                if cursor and cursor.section == index and cursor.row < shape.rows:
                    heights[cursor.row] = shape.heights[cursor.row].here
                starts = list(accumulate(heights, initial=0))
            row_lines = 0
            if starts:
                row_lines = starts[-1]
            elif shape.rows:
                row_lines = shape.line(shape.rows - 1) + 1
            top += bool(gaps and shape.has_header and top)
            self._tops.append(top)
            self._starts.append(starts)
            top += shape.has_header + (row_lines or shape.has_sentence)

        self.height = top

    def line(self, y: int) -> ListLine:
        """Return what line `y` of the list shows, counted from 0 over all sections.

        That is a line of a row, a heading above rows, a header, the sentence of an empty section,
        or a gap. Lines after the last, and before 0, are gaps.
        """
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
        """Return the first line of the row at a cursor, from the top of the list.

        In a section without rows it is the sentence's line, or the header's if there is no
        sentence.
        """
        shape = self.shapes[cursor.section]
        top = self._tops[cursor.section]
        if not (shape.rows or shape.has_sentence):
            return top
        starts = self._starts[cursor.section]
        line_in_section = starts[cursor.row] if starts else shape.line(cursor.row)
        return top + shape.has_header + line_in_section

    def lines(self, cursor: Cursor) -> int:
        """Return how many lines the row at a cursor takes now.

        It is 1 in a section whose rows take one line each, and for a row that is not there.
        """
        starts = self._starts[cursor.section]
        row = cursor.row
        if not starts or row + 1 >= len(starts):
            return 1
        return starts[row + 1] - starts[row]

    def top(self, cursor: Cursor) -> int:
        """Return the line to scroll to so that a row is seen with the headings above it.

        For a row of the section's first group it is the section's own first line.
        """
        shape = self.shapes[cursor.section]
        row = cursor.row
        row = shape.first(row)
        while row > 0 and shape.is_heading(row - 1):
            row -= 1
        if row == 0:
            return self._tops[cursor.section]
        y = self.y(Cursor(cursor.section, row))
        if shape.headings is None:
            return y
        return y - 1  # the heading's line

    def nearest(self, cursor: Cursor) -> Cursor:
        """Return the cursor, brought into range; from a heading it goes to the next other row.

        Without such a row after it, it goes to the one before, and if all rows are headings, it
        stays. In a section without rows it is row 0, and without sections (0, 0).
        """
        if not self.shapes:
            return Cursor(0, 0)
        last_section = len(self.shapes) - 1
        section = min(max(cursor.section, 0), last_section)
        last_row = max(self.counts[section] - 1, 0)
        row = min(max(cursor.row, 0), last_row)
        return self._nearest_row(Cursor(section, row), 1)

    def moved(self, cursor: Cursor, by: int) -> Cursor:
        """Return the row `by` rows further on, across sections; at most the first or the last row.

        Rows that are headings count, but it does not end on one: it goes on from there, or back at
        an end. Without rows the cursor is returned.
        """
        total = sum(self.counts)
        if not total:
            return cursor
        rows_before = sum(self.counts[: cursor.section])
        position = rows_before + cursor.row + by
        if by > 0 and not self.counts[cursor.section]:
            position -= 1  # the next row is the first one after the empty place
        position = min(max(position, 0), total - 1)
        return self._nearest_row(self._row_at_position(position), by)

    def row_at(self, y: int, by: int) -> Cursor | None:
        """Return the row that line `y` shows, from 0, or the nearest one; None if there is no row.

        Lines after `y` are tried before those above it, or the other way round for a negative `by`.
        A heading is passed over in that direction. A `y` outside the list counts as its first or
        last line.
        """
        last_y = max(self.height - 1, 0)
        y = min(max(y, 0), last_y)
        downwards = range(y, self.height)
        upwards = range(y, -1, -1)
        directions = (upwards, downwards) if by < 0 else (downwards, upwards)

        for line_y in chain(*directions):
            line = self.line(line_y)
            if line.what in ("row", "heading"):
                return self._nearest_row(Cursor(line.section, line.row), by)
        return None

    def _row_at_position(self, position: int) -> Cursor:
        """Return the row at a position counted over all sections from 0; (0, 0) after the last."""
        for section, count in enumerate(self.counts):
            if position < count:
                return Cursor(section, position)
            position -= count
        return Cursor(0, 0)

    def _nearest_row(self, cursor: Cursor, by: int) -> Cursor:
        """Return the cursor, or the nearest row that is no heading, first in the direction of `by`.

        If all rows are headings, the cursor is returned.
        """
        step = 1 if by >= 0 else -1
        for direction in (step, -step):
            candidate: Cursor | None = cursor
            while candidate is not None and self._is_heading(candidate):
                candidate = self._next_row(candidate, direction)
            if candidate is not None:
                return candidate
        return cursor

    def _is_heading(self, cursor: Cursor) -> bool:
        """Return whether the row at a cursor is a heading, on which no cursor can be.

        False for an index after the section's last row.
        """
        shape = self.shapes[cursor.section]
        if cursor.row >= shape.rows:
            return False
        return shape.is_heading(cursor.row)

    def _next_row(self, cursor: Cursor, step: int) -> Cursor | None:
        """Return the row next to another in direction `step` (1 or -1), across sections.

        Sections without rows are passed over. None after the last and before the first row.
        """
        section, row = cursor
        if 0 <= row + step < self.counts[section]:
            return Cursor(section, row + step)

        section += step

        while 0 <= section < len(self.counts):
            count = self.counts[section]
            if count and step > 0:
                return Cursor(section, 0)
            if count:
                return Cursor(section, count - 1)
            section += step
        return None
