"""Where the rows of a wrapped text begin, found as far as they are needed and kept in step with
changes.

Rows cover the text without gaps: row `i` is `text[starts[i]:starts[i + 1]]`, its newline and the
space where it was broken included. A mark behind an offset takes cells in the row that holds the
character before it. A line may hang: all its rows but the first then begin with something drawn,
such as the room under a list's bullet.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

from appellate.ui.text import CELLS, cell_width, inert

Extra = tuple[int, int]  # offset, cells drawn between text[offset - 1] and text[offset]
PIECE = 16_384  # characters measured at once
PATIENCE = 400  # rows
BEFORE = 3  # rows before a mark that may end elsewhere because of it
NARROW = 3  # a line hangs by less than this part of its room
_NONE: Mapping[int, str] = MappingProxyType({})
_STAYS = frozenset("、。，．！？：；）」』】〉》’”…ー")  # never begins a row


def breaks(
    text: str, at: int, width: int, extras: Sequence[Extra], hangs: Mapping[int, str] = _NONE
) -> Iterator[int]:
    """The starts of the rows after the one that begins at `at`, and last the text's length."""
    width = max(width, 1)
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        first = rest = width
        if hangs:
            line = line_start(text, at)
            rest = width - cell_width(hangs.get(line, ""))
            if line < at:
                first = rest
        yield from _paragraph(text, at, end, (first, rest), extras)
        at = end


def wrapped(text: str, first: int, rest: int) -> list[int]:
    """Where the rows of an inert text of one line end, the first of so many cells, the others of
    `rest`; an empty one has a row.
    """
    return list(_paragraph(text, 0, len(text), (max(first, 1), max(rest, 1)), ()))


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _paragraph(
    text: str, at: int, end: int, rooms: tuple[int, int], extras: Sequence[Extra]
) -> Iterator[int]:
    """The rows of what is left of a line: the width of the first, and of the others."""
    width, rest = rooms
    drawn = drawn_end(text, at, end)
    while True:
        ahead = text[at : min(drawn, at + width + 1)]
        short = len(ahead) <= width and ahead.isascii() and ahead.isprintable()
        if short and not _within(extras, at, drawn):
            break
        piece = _Measured(text, at, min(at + PIECE, drawn), extras)
        for row in piece.rows(width, rest, final=piece.end == drawn):
            yield row
            at, width = row, rest
        if piece.end == drawn:
            break
    yield end


def drawn_end(text: str, start: int, end: int) -> int:
    """Where the drawn part of a row ends: before its newline."""
    if end > start and text[end - 1] == "\n":
        end -= 1
        end -= end > start and text[end - 1] == "\r"
    return end


def _within(extras: Sequence[Extra], start: int, end: int) -> Sequence[Extra]:
    """The marks behind characters of text[start:end]."""
    if not extras:
        return ()
    return extras[bisect_left(extras, (start + 1, 0)) : bisect_left(extras, (end + 1, 0))]


class _Measured:
    """A stretch of one paragraph, measured: paragraphs may be megabytes long."""

    def __init__(self, text: str, at: int, end: int, extras: Sequence[Extra]) -> None:
        self.at, self.end, self.extras = at, end, extras
        self.shown = inert(text[at:end])
        self.simple = self.shown.isascii() and "\t" not in self.shown
        self.before = array("l")  # the cells before each character; empty where all take one
        if not self.simple:
            self.before.extend(accumulate(map(CELLS.__getitem__, self.shown), initial=0))

    def rows(self, width: int, rest: int, final: bool) -> Iterator[int]:
        """The row starts inside the piece; a last row is left to the next piece unless `final`."""
        start = 0
        while (stop := self._stop(start, width)) < len(self.shown):
            yield self.at + stop
            start, width = stop, rest
        if not (final or start):
            yield self.end

    def _stop(self, start: int, width: int) -> int:
        limit = self._limit(start, self._fit(start, width), width)
        if limit >= len(self.shown):
            return len(self.shown)
        at = self.at + limit
        if self.shown[limit] == " " and not _within(self.extras, at, at + 1):
            return limit + 1
        return self._gap(start, limit)

    def _fit(self, start: int, width: int) -> int:
        """The furthest place such that text from `start` to there takes at most `width` cells."""
        if self.simple:
            return min(start + max(width, 1), len(self.shown))
        furthest = bisect_right(self.before, self.before[start] + width) - 1
        if furthest > start:
            return furthest
        one = self.before[start + 1]  # a character, wider than the row
        return bisect_right(self.before, one) - 1

    def _limit(self, start: int, limit: int, width: int) -> int:
        """The same with the marks inside counted; a mark is not parted from the character before
        it.
        """
        used = 0
        for offset, cells in _within(self.extras, self.at + start, self.at + limit):
            used += cells
            fits = self._fit(start, width - used)
            if fits < offset - self.at:
                return self._before(start, min(limit, offset - self.at - 1))
            limit = min(limit, fits)
        return limit

    def _before(self, start: int, place: int) -> int:
        """The place, or the one before the letter whose marks it parts."""
        while place > start and not CELLS[self.shown[place]]:
            place -= 1
        if place == start:
            return self._fit(start, 1)
        return place

    def _gap(self, start: int, limit: int) -> int:
        """The last place to break at, at most `limit`: behind white space or between two wide
        characters.
        """
        gap = max(self.shown.rfind(" ", start, limit), self.shown.rfind("\t", start, limit)) + 1
        if not self.simple:
            gap = self._wide_gap(max(gap, start), limit)
        if gap <= start or self.shown[start:gap].isspace():
            return limit
        return gap

    def _wide_gap(self, gap: int, limit: int) -> int:
        for place in range(limit, gap, -1):
            before, after = self.shown[place - 1], self.shown[place]
            if max(CELLS[before], CELLS[after]) > 1 <= CELLS[after] and after not in _STAYS:
                return place
        return gap


class Wrapping:
    """The row starts of a text at a width, found lazily from the top."""

    def __init__(
        self, text: str, width: int, extras: Sequence[Extra] = (), hangs: Mapping[int, str] = _NONE
    ) -> None:
        self.text, self.width, self.extras = text, width, sorted(extras)
        self.hangs = {at: hang for at, hang in hangs.items() if cell_width(hang) * NARROW < width}
        self.starts = array("Q")
        self.at = 0
        self._coming = self._breaks(0)

    def _breaks(self, at: int) -> Iterator[int]:
        return breaks(self.text, at, self.width, self.extras, self.hangs)

    def hang(self, row: int) -> str:
        """What a found row begins with that is no part of the text."""
        start = self.starts[row]
        if not self.hangs:
            return ""
        line = line_start(self.text, start)
        if line == start:
            return ""
        return self.hangs.get(line, "")

    @property
    def whole(self) -> bool:
        return self.at >= len(self.text)

    def extend(self, enough: Callable[[], bool]) -> None:
        """Finds further rows until `enough` says so, or all are found."""
        while not self.whole and not enough():
            self.starts.append(self.at)
            self.at = next(self._coming)

    def extend_rows(self, rows: int) -> None:
        self.extend(lambda: len(self.starts) >= rows)

    def extend_past(self, offset: int) -> None:
        self.extend(lambda: self.at > offset)

    def row_of(self, offset: int) -> int:
        """The found row that holds an offset; the text's end belongs to the last row."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def bounds(self, row: int) -> tuple[int, int]:
        """Start and end of a found row."""
        if row + 1 == len(self.starts):
            return self.starts[row], self.at
        return self.starts[row], self.starts[row + 1]

    def mark(self, extras: Sequence[Extra]) -> None:
        """Makes room for other marks; only the rows that this touches are found anew."""
        changed = sorted({offset for offset, _ in set(self.extras) ^ set(extras)})
        self.extras = sorted(extras)
        if not changed:
            return
        if self.starts and not self.whole:  # marks further on may have ended the last rows
            self.at = self.starts[-BEFORE:][0]
            del self.starts[-BEFORE:]
        self._coming = self._breaks(self.at)
        reach = self.at + self.width  # a mark may end the row before it
        inside = changed[: bisect_right(changed, reach)]
        if inside and self.starts:
            self._rewrap(max(self.row_of(inside[0] - 1) - BEFORE, 0), inside[-1])

    def _rewrap(self, row: int, last: int) -> None:
        """Finds rows anew from `row` on, until behind offset `last` they begin where they did
        before.
        """
        found = array("Q", [self.starts[row]])
        for start in self._breaks(self.starts[row]):
            if start > self.at:
                break
            here = bisect_left(self.starts, start)
            met = start == self.at or (here < len(self.starts) and self.starts[here] == start)
            if start >= last and (met or len(found) > PATIENCE):
                if not met:
                    found.append(start)  # one short row, in text without a gap for pages
                self.starts[row:here] = found
                return
            found.append(start)
        self.at = found.pop()  # to be found again when needed
        self.starts[row:] = found
        self._coming = self._breaks(self.at)
