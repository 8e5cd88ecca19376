"""Stretches of a text that are to be shown as evidence, found by place without looking at all of them."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from appellate.ui.text import cell_width, flat


@dataclass(frozen=True, slots=True)
class Span:
    """Codepoint offsets into the text, the style it is drawn in, and the mark behind it; `aside` is no evidence."""

    start: int
    end: int
    style_key: str
    mark: str = ""
    selected: bool = False
    dim: bool = False
    aside: bool = False


class Spans:
    """Spans in the order given, which is their index; later and shorter ones are drawn over the others."""

    def __init__(self, spans: Sequence[Span] = ()) -> None:
        self.given = tuple(spans)
        real = [index for index, span in enumerate(self.given) if span.start < span.end]
        self._order = sorted(real, key=lambda index: self.given[index].start)
        self._starts = [self.given[index].start for index in self._order]
        self._reach = list(accumulate((self.given[index].end for index in self._order), max))
        marked = [index for index in real if self.given[index].mark]
        self._marked = sorted(marked, key=lambda index: self.given[index].end)
        self._ends = [self.given[index].end for index in self._marked]

    def over(self, start: int, end: int) -> list[int]:
        """The spans that touch a stretch, the one to draw on top last."""
        found = []
        place = bisect_left(self._starts, end) - 1
        while place >= 0 and self._reach[place] > start:
            if self.given[self._order[place]].end > start:
                found.append(self._order[place])
            place -= 1
        return sorted(found, key=self._height)

    def _height(self, index: int) -> tuple[bool, bool, int, int]:
        span = self.given[index]
        return span.selected, not span.aside, span.start - span.end, index

    def at(self, offset: int) -> int | None:
        """The span drawn on top at an offset."""
        return next(iter(reversed(self.over(offset, offset + 1))), None)

    def next_at(self, offset: int) -> int | None:
        """The span to go to at an offset: the one on top, or the one below that which is selected, round and round."""
        over = self.over(offset, offset + 1)
        there = sorted((index for index in over if not self.given[index].aside), key=self._size)
        chosen = [place for place, index in enumerate(there) if self.given[index].selected]
        return there[(chosen[0] + 1) % len(there) if chosen else 0] if there else None

    def _size(self, index: int) -> tuple[int, int]:
        return self.given[index].end - self.given[index].start, -index

    def marked(self, start: int, end: int) -> list[Span]:
        """The spans whose mark stands behind a character of text[start:end]."""
        low, high = bisect_right(self._ends, start), bisect_right(self._ends, end)
        return [self.given[index] for index in self._marked[low:high]]

    def extras(self) -> list[tuple[int, int]]:
        """The cells that marks take, by offset; marks behind the same character are parted by a comma."""
        cells: dict[int, int] = {}
        for index in self._marked:
            span = self.given[index]
            more = cell_width(flat(span.mark))
            cells[span.end] = cells[span.end] + 1 + more if span.end in cells else more
        return list(cells.items())
