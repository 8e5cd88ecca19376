"""A row of a list in as many lines as it needs, or in fewer."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rendered_text import StyledText, cut
from appellate.ui.text import flat
from appellate.ui.wrapping import wrapped

LONGEST = 20_000
"""Codepoints of a paragraph that a row has: an excerpt may be a whole response of 10 MB."""
Pieces = Sequence[StyledText]


class WrappedLine(NamedTuple):
    """A stretch of a paragraph that stands on one line of so many cells."""

    paragraph: int
    start: int
    end: int
    width: int


class WrappedRow:
    """Paragraphs wrapped at `width` cells; the first line of the first has `first` cells.

    `under_cursor` are the paragraphs that stand there only while the cursor is on the row.
    """

    def __init__(
        self,
        paragraphs: Sequence[Pieces],
        under_cursor: Sequence[Pieces] = (),
        *,
        first: int,
        width: int,
        marks: Marks = UNICODE,
    ) -> None:
        self._paragraphs: list[list[StyledText]] = []
        self._lines: list[WrappedLine] = []
        self._marks = marks
        self._whole: list[list[StyledText]] = []  # made when asked for, as is what is cut
        self._few: dict[int, list[list[StyledText]]] = {}
        for number, pieces in enumerate((*paragraphs, *under_cursor)):
            if number == len(paragraphs):
                self.height = len(self._lines)
            self._wrap(pieces, first if number == 0 else width, width)
            if number == 0:
                self._of_text = len(self._lines)
        if not under_cursor:
            self.height = len(self._lines)

    def _wrap(self, pieces: Pieces, first: int, width: int) -> None:
        inert = list(self._inert(pieces))
        number, start = len(self._paragraphs), 0
        self._paragraphs.append(inert)
        text, room = "".join(piece.text for piece in inert), first
        for stop in wrapped(text, first, width):
            end = start + len(text[start:stop].rstrip(" "))
            self._lines.append(WrappedLine(number, start, end, room))
            start, room = stop, width

    def _inert(self, pieces: Pieces) -> Iterator[StyledText]:
        """The pieces as they can be drawn, so much of them as anybody reads in a list."""
        room = LONGEST
        for text, style in pieces:
            yield StyledText(flat(text[:room]), style)
            room -= len(text)
            if room < 0:
                yield StyledText(f"{self._marks.ellipsis} {-room:,} more characters", "muted")
                return

    @property
    def height_here(self) -> int:
        """The lines under the cursor."""
        return len(self._lines)

    def whole(self) -> list[list[StyledText]]:
        """The lines under the cursor, whole."""
        if not self._whole:
            self._whole = [self._line(line) for line in self._lines]
        return self._whole

    def shown(self, most: int) -> list[list[StyledText]]:
        """At most so many lines: the first paragraph before the others, which keep one line."""
        if most >= self.height:
            return self.whole()[: self.height]
        if most not in self._few:
            self._few[most] = self._shown(most)
        return self._few[most]

    def _shown(self, most: int) -> list[list[StyledText]]:
        lines = self._lines[: self.height]
        text, below = lines[: self._of_text], lines[self._of_text :]
        room = most - min(len(below), 1)
        return [*self._cut(text, room), *self._cut(below, most - min(len(text), room))]

    def _line(self, line: WrappedLine) -> list[StyledText]:
        return self._sliced(line.paragraph, line.start, line.end)

    def _cut(self, lines: Sequence[WrappedLine], most: int) -> list[list[StyledText]]:
        """The first lines, with a sign at the end of the last where there are more."""
        shown = [self._line(line) for line in lines[:most]]
        if len(lines) > most > 0:
            last, more = lines[most - 1], list[StyledText]()
            more += self._sliced(last.paragraph, last.start, None)
            for line in lines[most:]:
                if line.start == 0:
                    more += [StyledText(" "), *self._sliced(line.paragraph, 0, None)]
            shown[-1] = cut(more, last.width, self._marks)
        return shown

    def _sliced(self, number: int, start: int, end: int | None) -> list[StyledText]:
        """A stretch of a paragraph, in its styles."""
        found: list[StyledText] = []
        for text, style in self._paragraphs[number]:
            stretch = text[max(start, 0) : end if end is None else max(end, 0)]
            if stretch:
                found.append(StyledText(stretch, style))
            start -= len(text)
            if end is not None:
                end -= len(text)
        return found
