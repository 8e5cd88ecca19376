"""What each row of a wrapped text shows: its text, evidence or not, and the marks between."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from appellate.ui.rendered_text import ADDED, RenderedText
from appellate.ui.spans import Span, Spans
from appellate.ui.text import CELLS, TAB, cell_width, flat, inert
from appellate.ui.word_bounds import Stretch
from appellate.ui.wrapping import Wrapping, drawn_end


class Run(NamedTuple):
    """Text drawn in one style; a `mark` is no part of the text itself, and more than one span is `over` it."""

    shown: str
    span: Span | None = None
    mark: bool = False
    hit: bool = False
    taken: bool = False
    here: bool = False
    over: int = 0
    worn: tuple[str, ...] = ()


class Sought(NamedTuple):
    """What a search found, in order, none over another; and the one it is at."""

    hits: Sequence[Stretch] = ()
    here: Stretch | None = None


NOTHING = Sought()


class Page:
    """A text, wrapped, with its evidence; rows and cells here, offsets into what is shown there."""

    def __init__(self, text: str | RenderedText, cells: int, spans: Spans) -> None:
        self.rendered = RenderedText(text) if isinstance(text, str) else text
        self.text, self.spans = self.rendered.text, spans
        self.rows = Wrapping(self.text, cells, spans.extras(), self.rendered.hangs)

    def mark(self, spans: Spans) -> None:
        """Shows other evidence."""
        self.spans = spans
        self.rows.mark(spans.extras())

    def runs(self, row: int, taken: Stretch | None = None, sought: Sought = NOTHING) -> Iterator[Run]:
        """What a row shows from left to right."""
        if hang := self.rows.hang(row):
            yield Run(hang, mark=True, worn=(ADDED,))
        start, end = self._drawn(row)
        shown = inert(self.text[start:end]).rstrip(" ")  # no underline beyond the last word
        end = start + len(shown)
        over = [self.spans.given[index] for index in self.spans.over(start, end)]
        near = _touching(sought.hits, start, end)
        marks, styles = self._marks(row), dict(self.rendered.worn(start, end))
        edges = {start, end, *marks, *styles, *_edges(over), *chain.from_iterable(near), *(taken or ())}
        worn = next(iter(styles.values()), ()) if min(styles, default=end) < start else ()
        for a, b in pairwise(sorted(edge for edge in edges if start <= edge <= end)):
            worn = styles.get(a, worn)
            on = [] if ADDED in worn else [span for span in over if span.start <= a < span.end]
            yield Run(
                shown[a - start : b - start].replace("\t", " " * TAB),
                on[-1] if on else None,
                hit=_held(near, a),
                taken=_held([taken], a),
                here=_held([sought.here], a),
                over=len(on),
                worn=worn,
            )
            yield from marks.get(b, ())

    def _drawn(self, row: int) -> Stretch:
        start, end = self.rows.bounds(row)
        return start, drawn_end(self.text, start, end)

    def _marks(self, row: int) -> dict[int, list[Run]]:
        start, end = self.rows.bounds(row)
        last = start + len(inert(self.text[slice(*self._drawn(row))]).rstrip(" "))
        marks: dict[int, list[Run]] = {}
        for span in self.spans.marked(start, end):
            runs = marks.setdefault(min(span.end, last), [])
            runs += [Run(",", span, mark=True)] if runs else []
            runs.append(Run(flat(span.mark), span, mark=True))
        return marks

    def _places(self, row: int) -> Iterator[tuple[int, int]]:
        """Each offset of a row and the cell at which its character begins."""
        start, end = self._drawn(row)
        marks = self._marks(row)
        cell = cell_width(self.rows.hang(row))
        for offset, char in enumerate(inert(self.text[start:end]), start):
            cell += sum(cell_width(run.shown) for run in marks.get(offset, ()))
            yield offset, cell
            cell += CELLS[char]

    def cell_of(self, row: int, offset: int) -> int:
        """The cell of a row at which the character at an offset is drawn."""
        return next((cell for place, cell in self._places(row) if place >= offset), self._width(row))

    def _width(self, row: int) -> int:
        return sum(cell_width(run.shown) for run in self.runs(row))

    def offset_at(self, row: int, cell: int) -> int:
        """The offset of the character drawn at a cell of a row, or behind the last one."""
        start, end = self._drawn(row)
        found = start
        for offset, place in self._places(row):
            if place > cell:
                return found
            found = offset if CELLS[inert(self.text[offset])] or offset == start else found
        return end if cell >= self._width(row) else found

    def beside(self, offset: int, rows: int) -> int:
        """The offset drawn below (or above) that at `offset`, as many rows away."""
        self.rows.extend_past(offset)
        row = self.rows.row_of(offset)
        self.rows.extend_rows(row + rows + 1)
        target = row + rows
        if target >= len(self.rows.starts):
            return len(self.text)
        return self.offset_at(target, self.cell_of(row, offset)) if target >= 0 else 0


def _edges(spans: Sequence[Span]) -> Iterator[int]:
    return chain.from_iterable((span.start, span.end) for span in spans)


def _touching(stretches: Sequence[Stretch], start: int, end: int) -> Sequence[Stretch]:
    """Those of many sorted stretches, none over another, that touch text[start:end]."""
    low = max(bisect_left(stretches, (start, 0)) - 1, 0)
    return [found for found in stretches[low : bisect_left(stretches, (end, 0))] if found[1] > start]


def _held(stretches: Sequence[Stretch | None], offset: int) -> bool:
    return any(found and found[0] <= offset < found[1] for found in stretches)
