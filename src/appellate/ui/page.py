"""A wrapped text with its evidence and what a search finds: what each row shows."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import accumulate, chain, pairwise
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from appellate.ui.rendered_text import ADDED, RenderedText
from appellate.ui.selecting import Stretch
from appellate.ui.text import CELLS, TAB, cell_width, flat, inert

Extra = tuple[int, int]  # offset, cells drawn between text[offset - 1] and text[offset]
PIECE = 16_384  # characters measured at once
LINE = 4_096  # characters of a line beyond which its rows are found one after the other
PATIENCE = 400  # rows
BEFORE = 3  # rows before a mark that may end elsewhere because of it
NARROW = 3  # a line hangs by less than this part of its room
_NONE: Mapping[int, str] = MappingProxyType({})
_STAYS = frozenset("、。，．！？：；）」』】〉》’”…ー")  # never begins a row


def breaks(
    text: str,
    at: int,
    width: int,
    extras: Sequence[Extra],
    hangs: Mapping[int, str] = _NONE,
    known: dict[str, list[int]] | None = None,
) -> Iterator[int]:
    """The starts of the rows after the one that begins at `at`, and at last the text's length.

    `known` are where the rows of whole lines end at this width; lines without marks are added.
    """
    width = max(width, 1)
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        if known is not None and not hangs and width < end - at < LINE:
            yield from _known_rows(text, at, end, width, extras, known)
            at = end
            continue
        first = rest = width
        if hangs:
            line = line_start(text, at)
            rest = width - cell_width(hangs.get(line, ""))
            if line < at:
                first = rest
        yield from _paragraph(text, at, end, (first, rest), extras)
        at = end


def _known_rows(
    text: str, at: int, end: int, width: int, extras: Sequence[Extra], known: dict[str, list[int]]
) -> Iterator[int]:
    """The rows of what is left of a line; those of a whole one without marks are looked up."""
    is_whole = at == 0 or text[at - 1] == "\n"
    if not is_whole or _within(extras, at, end):
        yield from _paragraph(text, at, end, (width, width), extras)
        return
    line = text[at:end]
    rows = known.get(line)
    if rows is None:
        rows = known[line] = [row - at for row in _paragraph(text, at, end, (width, width), ())]
    for row in rows:
        yield at + row


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
            at = row
            width = rest
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
        self.at = at
        self.end = end
        self.extras = extras
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
            start = stop
            width = rest
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
        """The same with the marks inside; none is parted from the character before it."""
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
        """The last place to break at up to `limit`: behind white space, between wide characters."""
        gap = max(self.shown.rfind(" ", start, limit), self.shown.rfind("\t", start, limit)) + 1
        if not self.simple:
            gap = self._wide_gap(max(gap, start), limit)
        if gap <= start or self.shown[start:gap].isspace():
            return limit
        return gap

    def _wide_gap(self, gap: int, limit: int) -> int:
        for place in range(limit, gap, -1):
            before = self.shown[place - 1]
            after = self.shown[place]
            if max(CELLS[before], CELLS[after]) > 1 <= CELLS[after] and after not in _STAYS:
                return place
        return gap


class Wrapping:
    """The row starts of a text at a width, found lazily from the top."""

    def __init__(
        self,
        text: str,
        width: int,
        extras: Sequence[Extra] = (),
        hangs: Mapping[int, str] = _NONE,
        known: dict[str, list[int]] | None = None,
    ) -> None:
        """`known` is where the rows of lines end at this width; what is measured is added to it."""
        self.text, self.width, self.extras = text, width, sorted(extras)
        self._known = known
        self.hangs = {at: hang for at, hang in hangs.items() if cell_width(hang) * NARROW < width}
        self.starts = array("Q")
        self.at = 0
        self._coming = self._breaks(0)

    def _breaks(self, at: int) -> Iterator[int]:
        return breaks(self.text, at, self.width, self.extras, self.hangs, self._known)

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
        """Finds rows anew from `row` on, until beyond `last` they begin where they did before."""
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


class StyledSpan(Struct, frozen=True):
    """A stretch of the text, its style, the mark behind it. One `aside` is no evidence, and nobody
    goes to it.
    """

    start: int
    end: int
    style_key: str
    mark: str = ""
    selected: bool = False
    dim: bool = False
    aside: bool = False

    def lies_as(self, other: "StyledSpan") -> bool:
        """Whether another takes the same cells."""
        return (self.start, self.end, self.mark) == (other.start, other.end, other.mark)

    def moved_to(self, shown: RenderedText) -> "StyledSpan":
        """The span where a text shows it; one without text stays where it is."""
        if self.start >= self.end:
            return self
        start, end = shown.shown(self.start, self.end)
        return replace(self, start=start, end=end)


class Spans:
    """Spans in the order given, which is their index; shorter and later ones are drawn on top."""

    def __init__(self, spans: Sequence[StyledSpan] = ()) -> None:
        self.given = tuple(spans)
        self._order: list[int] = []  # by their starts
        self._marked: list[int] = []  # by their ends
        for index, span in enumerate(self.given):
            if span.start < span.end:
                self._order.append(index)
                if span.mark:
                    self._marked.append(index)
        self._order.sort(key=lambda index: self.given[index].start)
        self._marked.sort(key=lambda index: self.given[index].end)
        self._starts = [self.given[index].start for index in self._order]
        self._ends = [self.given[index].end for index in self._marked]
        ends = [self.given[index].end for index in self._order]
        self._reach = list(accumulate(ends, max))  # the furthest end up to each

    def followed_by(self, spans: Sequence[StyledSpan]) -> "Spans":
        """Other spans, in the same order where the same stretches have the same marks."""
        if len(spans) != len(self.given):
            return Spans(spans)
        for one, other in zip(self.given, spans, strict=True):
            if one is not other and not one.lies_as(other):
                return Spans(spans)
        following = copy(self)
        following.given = tuple(spans)
        return following

    def shown_in(self, rendered: RenderedText) -> "Spans":
        """The spans of a text where it is shown."""
        if rendered.raw:
            return self
        return Spans([span.moved_to(rendered) for span in self.given])

    def changed_from(self, before: "Spans") -> list[StyledSpan] | None:
        """The spans that came and went; None where others now lie on top of each other."""
        if self.extras is before.extras:
            pairs = zip(before.given, self.given, strict=True)
            return [one for pair in pairs if pair[0] != pair[1] for one in pair]
        was = set(before.given)
        now = set(self.given)
        stayed = [span for span in before.given if span in now]
        if stayed != [span for span in self.given if span in was]:
            return None
        return [*(was ^ now)]

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

    def next_at(self, offset: int) -> int | None:
        """The span to go to at an offset: the one on top, or the one below the selected one."""
        over = self.over(offset, offset + 1)
        there = sorted((index for index in over if not self.given[index].aside), key=self._size)
        if not there:
            return None
        for place, index in enumerate(there):
            if self.given[index].selected:
                return there[(place + 1) % len(there)]
        return there[0]

    def _size(self, index: int) -> tuple[int, int]:
        return self.given[index].end - self.given[index].start, -index

    def next_in_text(self, last: int | None, by: int, edge: int) -> int | None:
        """The evidence `by` steps on in the text, round the corner: from the `last` gone to if
        selected, else from the first selected, else from the `edge` of what is in sight.
        """
        shown = [index for index in self._order if not self.given[index].aside]
        order = sorted(shown, key=lambda index: (self.given[index].start, self.given[index].end))
        if not order:
            return None
        here = None
        for place, index in enumerate(order):
            if self.given[index].selected and (here is None or index == last):
                here = place
        if here is None:
            before = sum(self.given[index].start < edge for index in order)
            here = before - 1 if by > 0 else before
        return order[(here + by) % len(order)]

    def marked(self, start: int, end: int) -> list[StyledSpan]:
        """The spans whose mark is behind a character of text[start:end]."""
        low = bisect_right(self._ends, start)
        high = bisect_right(self._ends, end)
        return [self.given[index] for index in self._marked[low:high]]

    @cached_property
    def extras(self) -> list[tuple[int, int]]:
        """The cells that marks take, by offset; a comma parts those behind the same character."""
        cells: dict[int, int] = {}
        for index in self._marked:
            span = self.given[index]
            if span.end in cells:
                cells[span.end] += 1
            cells[span.end] = cells.get(span.end, 0) + cell_width(flat(span.mark))
        return list(cells.items())


class StyledRun(Struct, frozen=True):
    """Text in one style; a `mark` is no part of the text itself. It belongs to `over` spans, of
    which `span` is on top; `hit` and `here` are of a search.
    """

    shown: str
    span: StyledSpan | None = None
    mark: bool = False
    hit: bool = False
    taken: bool = False
    here: bool = False
    over: int = 0
    worn: tuple[str, ...] = ()

    @property
    def component(self) -> str:
        """The name of the style of the evidence, or of its mark; "" where there is none."""
        if self.span is None:
            return ""
        if self.mark:
            return f"mark-{self.span.style_key}"
        return self.span.style_key


# -- what a search finds ---------------------------------------------------------------------------


def find(text: str, needle: str) -> list[Stretch]:
    """Where the needle is in a text, in order, in any case, with any blanks between words."""
    words = [re.escape(word) for word in needle.casefold().split()]
    if not words:
        return []
    folded = text.casefold()
    found = [hit.span() for hit in re.finditer(r"\s+".join(words), folded)]
    if len(folded) == len(text):
        return found
    ends = list(accumulate(len(char.casefold()) for char in text))  # some fold to several
    hits: list[Stretch] = []
    for start, end in found:
        low = bisect_left(ends, start + 1)
        high = bisect_left(ends, end) + 1
        if not hits or low >= hits[-1][1]:
            hits.append((low, high))
    return hits


class Finding(Struct, frozen=True):
    """The hits of a search in order, and the number of the present one."""

    needle: str
    hits: Sequence[Stretch] = ()
    at: int = 0

    @property
    def here(self) -> Stretch | None:
        if not self.hits:
            return None
        return self.hits[self.at]

    @property
    def position(self) -> tuple[int, int]:
        """Which hit of how many one is at, counted from 1; (0, 0) without any."""
        if not self.hits:
            return 0, 0
        return self.at + 1, len(self.hits)

    def from_offset(self, offset: int) -> "Finding":
        """At the first hit at an offset or after it, else at the first of all."""
        at = bisect_left(self.hits, (offset, 0))
        if at == len(self.hits):
            at = 0
        return replace(self, at=at)

    def stepped(self, by: int) -> "Finding":
        """At a hit further on or back; the first follows the last."""
        if not self.hits:
            return self
        return replace(self, at=(self.at + by) % len(self.hits))


NOTHING = Finding("")


class TextPage:
    """A wrapped text with its evidence, in rows and cells, and in offsets into what is shown."""

    def __init__(
        self,
        text: str | RenderedText,
        cells: int,
        spans: Spans,
        known_rows: dict[str, list[int]] | None = None,
    ) -> None:
        if isinstance(text, str):
            text = RenderedText(text)
        self.rendered = text
        self.text = self.rendered.text
        self.spans = spans
        hangs = self.rendered.hangs
        self.rows = Wrapping(self.text, cells, spans.extras, hangs, known_rows)

    def mark(self, spans: Spans) -> None:
        """Shows other evidence."""
        if spans.extras is not self.spans.extras:
            self.rows.mark(spans.extras)
        self.spans = spans

    def runs(
        self, row: int, taken: Stretch | None = None, finding: Finding = NOTHING
    ) -> Iterator[StyledRun]:
        """What a row shows from left to right."""
        if hang := self.rows.hang(row):
            yield StyledRun(hang, mark=True, worn=(ADDED,))
        start, end = self._drawn(row)
        shown = inert(self.text[start:end]).rstrip(" ")  # no underline beyond the last word
        end = start + len(shown)
        over = [self.spans.given[index] for index in self.spans.over(start, end)]
        near = _touching(finding.hits, start, end)
        marks = self._marks(row)
        styles = dict(self.rendered.worn(start, end))
        low, high = taken or (start, start)
        edges = {start, end, low, high, *marks, *styles, *chain.from_iterable(near)}
        for span in over:
            edges |= {span.start, span.end}
        worn: tuple[str, ...] = ()
        if min(styles, default=end) < start:
            worn = next(iter(styles.values()))
        for a, b in pairwise(sorted(edge for edge in edges if start <= edge <= end)):
            worn = styles.get(a, worn)
            on: list[StyledSpan] = []
            if ADDED not in worn:
                on = [span for span in over if span.start <= a < span.end]
            hits = _touching(near, a, a + 1) if near else ()
            yield StyledRun(
                shown[a - start : b - start].replace("\t", " " * TAB),
                on[-1] if on else None,
                hit=bool(hits),
                taken=low <= a < high,
                here=finding.here in hits,
                over=len(on),
                worn=worn,
            )
            yield from marks.get(b, ())

    def worn_at_start(self, row: int) -> tuple[str, ...]:
        """The styles that a row begins in, that of its whole width among them."""
        start = self.rows.bounds(row)[0]
        for edge, styles in self.rendered.worn(start, start + 1):
            if edge <= start:
                return styles
        return ()

    def _drawn(self, row: int) -> Stretch:
        start, end = self.rows.bounds(row)
        return start, drawn_end(self.text, start, end)

    def _marks(self, row: int) -> dict[int, list[StyledRun]]:
        start, end = self.rows.bounds(row)
        last = start + len(inert(self.text[slice(*self._drawn(row))]).rstrip(" "))
        marks: dict[int, list[StyledRun]] = {}
        for span in self.spans.marked(start, end):
            runs = marks.setdefault(min(span.end, last), [])
            if runs:
                runs.append(StyledRun(",", span, mark=True))
            runs.append(StyledRun(flat(span.mark), span, mark=True))
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
        for place, cell in self._places(row):
            if place >= offset:
                return cell
        return self._width(row)

    def _width(self, row: int) -> int:
        return sum(cell_width(run.shown) for run in self.runs(row))

    def offset_at(self, row: int, cell: int) -> int:
        """The offset of the character drawn at a cell of a row, or behind the last one."""
        start, end = self._drawn(row)
        if cell >= self._width(row):
            return end
        found = start
        for offset, place in self._places(row):
            if place > cell:
                break
            if CELLS[inert(self.text[offset])]:
                found = offset
        return found

    def beside(self, offset: int, rows: int) -> int:
        """The offset drawn below (or above) that at `offset`, as many rows away."""
        self.rows.extend_past(offset)
        row = self.rows.row_of(offset)
        target = row + rows
        self.rows.extend_rows(target + 1)
        if target < 0:
            return 0
        if target >= len(self.rows.starts):
            return len(self.text)
        return self.offset_at(target, self.cell_of(row, offset))


def _touching(stretches: Sequence[Stretch], start: int, end: int) -> Sequence[Stretch]:
    """Those of many sorted stretches, none over another, that touch text[start:end]."""
    low = bisect_left(stretches, (start, 0))
    high = bisect_left(stretches, (end, 0))
    return [found for found in stretches[max(low - 1, 0) : high] if found[1] > start]
