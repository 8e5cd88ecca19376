"""A wrapped text with its evidence and search hits: what each row of the screen shows.

`Wrapping` finds where rows begin, `Spans` what is marked, `Finding` what a search finds. `TextPage`
puts them together for `TextView`.
"""

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

Extra = tuple[int, int]
"""An offset, and the cells drawn between `text[offset - 1]` and `text[offset]`."""
PIECE = 16_384
"""Characters that are measured at once."""
LINE = 4_096
"""Characters of a line; the rows of a longer one are found one after the other."""
PATIENCE = 400
"""Rows to find again at most before a row is allowed to be short."""
BEFORE = 3
"""Rows before a mark that may end elsewhere because of it."""
NARROW = 3
"""A line hangs by less than one NARROWth of its width."""
_NONE: Mapping[int, str] = MappingProxyType({})
_STAYS = frozenset("、。，．！？：；）」』】〉》’”…ー")
"""Characters that never begin a row."""


def breaks(
    text: str,
    offset: int,
    width: int,
    extras: Sequence[Extra],
    hangs: Mapping[int, str] = _NONE,
    known_rows: dict[str, list[int]] | None = None,
) -> Iterator[int]:
    """Yield where the rows after the one that begins at `offset` begin, and last the text's length.

    Nothing is yielded for an offset at the end of the text. Each line of the text begins a row.

    - `width`: cells of a row; less than 1 counts as 1.
    - `extras`: the cells that marks take, sorted.
    - `hangs`: for the offset of a line, what its further rows begin with; it takes cells of them.
    - `known_rows`: for whole lines, where their rows end at this width. Lines without marks are
      added to it.
    """
    width = max(width, 1)
    while offset < len(text):
        end = text.find("\n", offset) + 1 or len(text)
        is_looked_up = width < end - offset < LINE
        if known_rows is not None and not hangs and is_looked_up:
            yield from _known_rows(text, offset, end, width, extras, known_rows)
            offset = end
            continue
        first_width = rest_width = width
        if hangs:
            line_offset = line_start(text, offset)
            rest_width = width - cell_width(hangs.get(line_offset, ""))
            if line_offset < offset:
                first_width = rest_width
        yield from _row_ends(text, offset, end, (first_width, rest_width), extras)
        offset = end


def _known_rows(
    text: str,
    offset: int,
    end: int,
    width: int,
    extras: Sequence[Extra],
    known_rows: dict[str, list[int]],
) -> Iterator[int]:
    """Yield where the rows of text[offset:end], the rest of a line, end, as offsets of the text.

    Rows have `width` cells. They are looked up in `known_rows`, and added to it, if the line is
    whole and without marks.
    """
    is_whole = offset == 0 or text[offset - 1] == "\n"
    if not is_whole or _marks_within(extras, offset, end):
        yield from _row_ends(text, offset, end, (width, width), extras)
        return

    line = text[offset:end]
    rows = known_rows.get(line)
    if rows is None:
        rows = known_rows[line] = [
            row - offset for row in _row_ends(text, offset, end, (width, width), ())
        ]
    for row in rows:
        yield offset + row


def wrapped(text: str, first_width: int, rest_width: int) -> list[int]:
    """Return where the rows of an inert text of one line end; an empty text has one row.

    The first row takes `first_width` cells, the others `rest_width`; less than 1 counts as 1.
    """
    return list(
        _row_ends(text, 0, len(text), (max(first_width, 1), max(rest_width, 1)), ()),
    )


def line_start(text: str, offset: int) -> int:
    """Return the offset at which the line with an offset begins."""
    return text.rfind("\n", 0, offset) + 1


def _row_ends(
    text: str,
    offset: int,
    end: int,
    widths: tuple[int, int],
    extras: Sequence[Extra],
) -> Iterator[int]:
    """Yield where the rows of text[offset:end], the rest of a line, end; the last is `end`.

    `widths` are the cells of the first row and of the others, at least 1. `extras` are the cells
    that marks take. Rows break after spaces and around wide characters, or within a word that is
    longer than a row.
    """
    width, rest_width = widths
    end_drawn = drawn_end(text, offset, end)
    while True:
        next_text = text[offset : min(end_drawn, offset + width + 1)]
        fits = (
            len(next_text) <= width and next_text.isascii() and next_text.isprintable()
        )
        if fits and not _marks_within(extras, offset, end_drawn):
            break
        measured = _Measured(text, offset, min(offset + PIECE, end_drawn), extras)
        for row in measured.rows(width, rest_width, final=measured.end == end_drawn):
            yield row
            offset = row
            width = rest_width
        if measured.end == end_drawn:
            break

    yield end


def drawn_end(text: str, start: int, end: int) -> int:
    """Return the offset at which the drawn part of a row, text[start:end], ends.

    That is before its newline, and before a carriage return that precedes the newline.
    """
    if end > start and text[end - 1] == "\n":
        end -= 1
        if end > start and text[end - 1] == "\r":
            end -= 1
    return end


def _marks_within(extras: Sequence[Extra], start: int, end: int) -> Sequence[Extra]:
    """Return the marks, of sorted ones, that follow a character of `text[start:end]`; () for none.

    A mark follows the character before its own offset.
    """
    if not extras:
        return ()
    return extras[
        bisect_left(extras, (start + 1, 0)) : bisect_left(extras, (end + 1, 0))
    ]


class _Measured:
    """A stretch of one paragraph with the width of each character: paragraphs may be megabytes
    long.
    """

    def __init__(
        self,
        text: str,
        start: int,
        end: int,
        extras: Sequence[Extra],
    ) -> None:
        """Measure text[start:end]; `extras` are the cells of marks, by offsets of the text."""
        self.text_start = start
        self.end = end
        self.extras = extras
        self.shown = inert(text[start:end])
        self.simple = self.shown.isascii() and "\t" not in self.shown
        """Whether each character takes one cell."""
        self.before = array("l")
        """The cells before each character; empty if each takes one cell."""
        if not self.simple:
            self.before.extend(
                accumulate(map(CELLS.__getitem__, self.shown), initial=0),
            )

    def rows(self, width: int, rest_width: int, final: bool) -> Iterator[int]:
        """Yield where the rows that end within the stretch end, as offsets of the text.

        The first row takes `width` cells, the others `rest_width`. The last row is left to the next
        stretch unless this is the `final` one, which does not yield its own end either. A stretch
        that is one row without a break is yielded as one row.
        """
        start = 0
        while (stop := self._row_end(start, width)) < len(self.shown):
            yield self.text_start + stop
            start = stop
            width = rest_width
        if not (final or start):
            yield self.end

    def _row_end(self, start: int, width: int) -> int:
        """Return the position in the stretch at which the row that begins at `start` ends.

        If the rest does not fit into `width` cells, that is after the last space that fits, at a
        wide character, or else within a word. One space after a full row belongs to the row, if no
        mark is between.
        """
        limit = self._furthest_position(start, width)
        limit = self._limit_by_marks(start, limit, width)
        if limit >= len(self.shown):
            return len(self.shown)
        offset = self.text_start + limit
        is_before_space = self.shown[limit] == " "
        if is_before_space and not _marks_within(self.extras, offset, offset + 1):
            return limit + 1
        return self._break_position(start, limit)

    def _furthest_position(self, start: int, width: int) -> int:
        """Return the furthest position to which the text from `start` takes at most `width` cells.

        Positions are in the stretch, and marks do not count. It is at least one character further
        on, even if that is wider than the row.
        """
        if self.simple:
            return min(start + max(width, 1), len(self.shown))
        end_cell = self.before[start] + width
        furthest = bisect_right(self.before, end_cell) - 1
        if furthest > start:
            return furthest
        end_of_first = self.before[start + 1]  # a character, wider than the row
        return bisect_right(self.before, end_of_first) - 1

    def _limit_by_marks(self, start: int, limit: int, width: int) -> int:
        """Return how far a row from `start` reaches if the marks within it take cells, too.

        `start` and the result are positions in the stretch, `width` is in cells. `limit` is how far
        the row would reach without marks, and the result is at most that. No mark is separated from
        the character before it, unless that is the row's first: the row has at least one character,
        even if its mark does not fit.
        """
        cells_of_marks = 0
        for offset, cells in _marks_within(
            self.extras,
            self.text_start + start,
            self.text_start + limit,
        ):
            cells_of_marks += cells
            fits = self._furthest_position(start, width - cells_of_marks)
            position = offset - self.text_start
            if fits < position:
                return self._before(start, min(limit, position - 1))
            limit = min(limit, fits)
        return limit

    def _before(self, start: int, position: int) -> int:
        """Return `position`, or the start of the letter whose combining marks would be cut off.

        If that is `start`, the end of that first letter is returned.
        """
        while position > start and not CELLS[self.shown[position]]:
            position -= 1
        if position == start:
            return self._furthest_position(start, 1)
        return position

    def _break_position(self, start: int, limit: int) -> int:
        """Return the last position up to `limit` to break at: after a space or by a wide character.

        Positions are in the stretch, and the row begins at `start`. It is `limit` if there is none,
        and if only white space would be before it.
        """
        last_space = self.shown.rfind(" ", start, limit)
        last_tab = self.shown.rfind("\t", start, limit)
        gap = max(last_space, last_tab) + 1
        if not self.simple:
            gap = self._wide_gap(max(gap, start), limit)
        if gap <= start or self.shown[start:gap].isspace():
            return limit
        return gap

    def _wide_gap(self, gap: int, limit: int) -> int:
        """Return the last position after `gap` at which a row may break next to a wide character.

        It is at most `limit`, and not before a sign that must not begin a row. Without such a
        position it is `gap`.
        """
        for position in range(limit, gap, -1):
            char_before = self.shown[position - 1]
            char_after = self.shown[position]
            is_either_wide = max(CELLS[char_before], CELLS[char_after]) > 1
            may_begin_row = CELLS[char_after] >= 1 and char_after not in _STAYS
            if is_either_wide and may_begin_row:
                return position
        return gap


class Wrapping:
    """The row starts of a text at a width, found from the top as far as they are needed."""

    def __init__(
        self,
        text: str,
        width: int,
        extras: Sequence[Extra] = (),
        hangs: Mapping[int, str] = _NONE,
        known_rows: dict[str, list[int]] | None = None,
    ) -> None:
        """Take a text to wrap at `width` cells; no row is found yet.

        `extras` are the cells that marks take, in any order. `hangs` has what the further rows of a
        line begin with, by the line's offset; a hang that takes much of the width is left out.
        `known_rows` has where rows of lines end at this width, and is added to.
        """
        self.text = text
        self.width = width
        self.extras = sorted(extras)
        self._known = known_rows
        self.hangs = {
            at: hang for at, hang in hangs.items() if cell_width(hang) * NARROW < width
        }
        self.starts = array("Q")
        self.at = 0
        """Where the first row begins that is not found yet."""
        self._coming = self._breaks(0)

    def _breaks(self, offset: int) -> Iterator[int]:
        """Return an iterator over the row starts after `offset`."""
        return breaks(
            self.text,
            offset,
            self.width,
            self.extras,
            self.hangs,
            self._known,
        )

    def hang(self, row: int) -> str:
        """Return what a found row begins with that is not part of the text, as under a bullet.

        "" for the first row of a line, and for a line that does not hang.
        """
        start = self.starts[row]
        if not self.hangs:
            return ""
        line = line_start(self.text, start)
        if line == start:
            return ""
        return self.hangs.get(line, "")

    @property
    def whole(self) -> bool:
        """Whether all rows are found."""
        return self.at >= len(self.text)

    def extend(self, enough: Callable[[], bool]) -> None:
        """Find further rows until `enough` returns true, or until all are found.

        `enough` is asked before each row. The starts of rows are appended to `starts`.
        """
        while not self.whole and not enough():
            self.starts.append(self.at)
            self.at = next(self._coming)

    def extend_rows(self, rows: int) -> None:
        """Find rows until there are `rows` of them, or all."""
        self.extend(lambda: len(self.starts) >= rows)

    def extend_past(self, offset: int) -> None:
        """Find rows until one begins after an offset, or all are found."""
        self.extend(lambda: self.at > offset)

    def row_of(self, offset: int) -> int:
        """Return the index of the found row that holds an offset.

        The text's end is in the last row. An offset after the found rows is in the last of them.
        """
        return max(bisect_right(self.starts, offset) - 1, 0)

    def bounds(self, row: int) -> tuple[int, int]:
        """Return the offsets at which a found row starts and ends, with its newline.

        Raises IndexError for a row that is not found yet.
        """
        if row + 1 == len(self.starts):
            return self.starts[row], self.at
        return self.starts[row], self.starts[row + 1]

    def mark(self, extras: Sequence[Extra]) -> None:
        """Replace the marks, which take cells; only the rows that this changes are found again.

        `extras` may be in any order. Equal marks change nothing. The last `BEFORE` rows are
        forgotten, to be found when they are needed, unless all were found.
        """
        changed_marks = set(self.extras) ^ set(extras)
        changed = sorted({offset for offset, _ in changed_marks})
        self.extras = sorted(extras)
        if not changed:
            return

        # marks further on may have ended the last rows
        if self.starts and not self.whole:
            last_starts = self.starts[-BEFORE:]
            self.at = last_starts[0]
            del self.starts[-BEFORE:]
        self._coming = self._breaks(self.at)
        affected_end = self.at + self.width  # a mark may end the row before it
        changed_inside = changed[: bisect_right(changed, affected_end)]
        if changed_inside and self.starts:
            self._rewrap(
                max(self.row_of(changed_inside[0] - 1) - BEFORE, 0),
                changed_inside[-1],
            )

    def _rewrap(self, row: int, last_changed: int) -> None:
        """Find rows again from `row` on, until after `last_changed` they begin where they did.

        After `PATIENCE` rows that do not, one row may be short, so that the rows after it can stay.
        If the found rows end before they agree, the others are found when they are needed.
        """
        new_starts = array("Q", [self.starts[row]])
        for start in self._breaks(self.starts[row]):
            if start > self.at:
                break
            index = bisect_left(self.starts, start)
            rows_agree = start == self.at or (
                index < len(self.starts) and self.starts[index] == start
            )
            if start >= last_changed and (rows_agree or len(new_starts) > PATIENCE):
                if not rows_agree:
                    # one short row, in text without a gap for pages
                    new_starts.append(start)
                self.starts[row:index] = new_starts
                return
            new_starts.append(start)

        self.at = new_starts.pop()  # found again when it is needed
        self.starts[row:] = new_starts
        self._coming = self._breaks(self.at)


class StyledSpan(Struct, frozen=True):
    """A marked stretch of the text."""

    start: int
    end: int
    style_key: str
    """The name of its style: `evidence` of a bucket, a heading."""
    mark: str = ""
    """What is drawn after its last character."""
    selected: bool = False
    dim: bool = False
    """Whether it is drawn dim, because it does not count."""
    aside: bool = False
    """Whether it is no evidence, so that no key goes to it."""

    def takes_same_cells(self, other: "StyledSpan") -> bool:
        """Return whether another span takes the same cells, with the same mark."""
        if self.start != other.start or self.end != other.end:
            return False
        return self.mark == other.mark

    def moved_to(self, shown: RenderedText) -> "StyledSpan":
        """Return the span in the offsets of a shown text; an empty span is returned as it is.

        Any other span stays visible: it has at least one character there.
        """
        if self.start >= self.end:
            return self
        start, end = shown.shown_span(self.start, self.end)
        return replace(self, start=start, end=end)


class Spans:
    """The spans of a text, each known by its index in the order given.

    Selected spans are drawn on top, then evidence, then shorter and later spans.
    """

    def __init__(self, spans: Sequence[StyledSpan] = ()) -> None:
        """Keep the spans in the order given; those that are empty are never drawn."""
        self.in_order = tuple(spans)
        self._order: list[int] = []
        """Indexes of the spans that are not empty, by their starts."""
        self._marked: list[int] = []
        """Indexes of the spans with a mark, by their ends."""

        for index, span in enumerate(self.in_order):
            if span.start < span.end:
                self._order.append(index)
                if span.mark:
                    self._marked.append(index)

        all_spans = self.in_order
        self._order.sort(key=lambda index: all_spans[index].start)
        self._marked.sort(key=lambda index: all_spans[index].end)
        self._starts = [all_spans[index].start for index in self._order]
        self._ends = [all_spans[index].end for index in self._marked]
        ends = [all_spans[index].end for index in self._order]
        self._reach = list(accumulate(ends, max))
        """For each span of `_order` the furthest end of it and all before it."""

    def followed_by(self, spans: Sequence[StyledSpan]) -> "Spans":
        """Return a new `Spans` of other spans; this one stays as it is.

        If they take the same cells with the same marks, in the same order, the sorted order and the
        `extras` of this one are kept, which saves time.
        """
        if len(spans) != len(self.in_order):
            return Spans(spans)
        for old, new in zip(self.in_order, spans, strict=True):
            if old is not new and not old.takes_same_cells(new):
                return Spans(spans)
        following = copy(self)
        following.in_order = tuple(spans)
        return following

    def shown_in(self, rendered: RenderedText) -> "Spans":
        """Return the spans in the offsets of a shown text; for a raw text that is this object."""
        if rendered.raw:
            return self
        return Spans([span.moved_to(rendered) for span in self.in_order])

    def changed_from(self, before: "Spans") -> list[StyledSpan] | None:
        """Return the spans that are only in these or only in those before, in any order.

        Returns None if spans that stayed are in another order, so that others may be on top now.
        """
        if self.extras is before.extras:
            changed: list[StyledSpan] = []
            for old, new in zip(before.in_order, self.in_order, strict=True):
                if old != new:
                    changed += (old, new)
            return changed

        spans_before = set(before.in_order)
        spans_now = set(self.in_order)
        stayed = [span for span in before.in_order if span in spans_now]
        if stayed != [span for span in self.in_order if span in spans_before]:
            return None

        return [*(spans_before ^ spans_now)]

    def over(self, start: int, end: int) -> list[int]:
        """Return the indexes of the spans that share a character with text[start:end], top last.

        The top is drawn over the others: a selected span, else evidence, else a shorter, else a
        later one.
        """
        indexes = []
        position = bisect_left(self._starts, end) - 1
        while position >= 0 and self._reach[position] > start:
            if self.in_order[self._order[position]].end > start:
                indexes.append(self._order[position])
            position -= 1
        return sorted(indexes, key=self._drawing_order)

    def _drawing_order(self, index: int) -> tuple[bool, bool, int, int]:
        """Return the key by which spans are sorted from bottom to top; `index` is that of a span.

        Selected ones are on top, then evidence, then shorter ones, then later ones.
        """
        span = self.in_order[index]
        return span.selected, not span.aside, span.start - span.end, index

    def next_at(self, offset: int) -> int | None:
        """Return the index of the evidence to go to at an offset, or None if there is none.

        It is the shortest one there; if one of them is selected, it is the next longer, and after
        the longest the shortest.
        """
        over = self.over(offset, offset + 1)
        candidates = sorted(
            (index for index in over if not self.in_order[index].aside),
            key=self._length_order,
        )
        if not candidates:
            return None

        for position, index in enumerate(candidates):
            if self.in_order[index].selected:
                return candidates[(position + 1) % len(candidates)]
        return candidates[0]

    def _length_order(self, index: int) -> tuple[int, int]:
        """Return the key by which spans are sorted from the shortest on; `index` is that of a span.

        Of equally long ones the later comes first.
        """
        span = self.in_order[index]
        return span.end - span.start, -index

    def next_in_text(self, last: int | None, steps: int, edge: int) -> int | None:
        """Return the index of the evidence `steps` further on in the text; None if there is none.

        The steps count from the `last` evidence gone to if it is selected, else from the first in
        the text that is selected. If none is, they count from the offset `edge` of what is visible.
        After the last evidence comes the first; negative steps go back.
        """
        evidence = [index for index in self._order if not self.in_order[index].aside]
        order = sorted(evidence, key=self._text_order)
        if not order:
            return None

        current = None
        for position, index in enumerate(order):
            is_preferred = current is None or index == last
            if self.in_order[index].selected and is_preferred:
                current = position
        if current is None:
            before_edge = [
                index for index in order if self.in_order[index].start < edge
            ]
            current = len(before_edge)
            if steps > 0:
                current -= 1
        return order[(current + steps) % len(order)]

    def _text_order(self, index: int) -> tuple[int, int]:
        """Return the key by which spans are sorted in the order of the text: start, then end."""
        span = self.in_order[index]
        return span.start, span.end

    def marked(self, start: int, end: int) -> list[StyledSpan]:
        """Return the spans whose mark is drawn after a character of text[start:end].

        They are in the order of their ends.
        """
        low = bisect_right(self._ends, start)
        high = bisect_right(self._ends, end)
        return [self.in_order[index] for index in self._marked[low:high]]

    @cached_property
    def extras(self) -> list[tuple[int, int]]:
        """The cells that marks take: pairs of an offset and the cells drawn before it, in order.

        The offset is the end of the spans whose marks are drawn there. A comma, of one cell,
        separates marks at the same offset.
        """
        cells: dict[int, int] = {}
        for index in self._marked:
            span = self.in_order[index]
            mark_width = cell_width(flat(span.mark))
            if span.end in cells:
                mark_width += 1 + cells[span.end]
            cells[span.end] = mark_width
        return list(cells.items())


class StyledRun(Struct, frozen=True):
    """Text of a row in one style."""

    shown: str
    span: StyledSpan | None = None
    """The span on top of it; None outside all spans."""
    mark: bool = False
    """Whether it is a mark and not part of the text."""
    hit: bool = False
    """Whether it is part of a search hit; `here` is true for the current hit."""
    taken: bool = False
    """Whether the person has selected it."""
    here: bool = False
    over: int = 0
    """How many spans it belongs to."""
    worn: tuple[str, ...] = ()
    """The styles of its Markdown."""

    @property
    def component(self) -> str:
        """The component that the run is drawn in; "" outside of evidence.

        It is named like the style of the evidence, and with `mark-` before that for a mark.
        """
        if self.span is None:
            return ""
        if self.mark:
            return f"mark-{self.span.style_key}"
        return self.span.style_key


# -- what a search finds ---------------------------------------------------------------------------


def find(text: str, needle: str) -> list[Stretch]:
    """Return where a text has the words of `needle` one after the other, in order.

    Case does not count, nor does how much white space is between words. Hits are stretches of the
    text itself, also if characters of it fold to several, and do not overlap. Without words there
    are none.
    """
    words = [re.escape(word) for word in needle.casefold().split()]
    if not words:
        return []

    folded = text.casefold()
    pattern = r"\s+".join(words)
    folded_hits = [hit.span() for hit in re.finditer(pattern, folded)]
    if len(folded) == len(text):
        return folded_hits

    # some characters fold to several
    folded_lengths = [len(char.casefold()) for char in text]
    ends = list(accumulate(folded_lengths))

    hits: list[Stretch] = []
    for start, end in folded_hits:
        hit_start = bisect_left(ends, start + 1)
        hit_end = bisect_left(ends, end) + 1
        if not hits or hit_start >= hits[-1][1]:
            hits.append((hit_start, hit_end))
    return hits


class Finding(Struct, frozen=True):
    """The hits of a search, in order."""

    needle: str
    hits: Sequence[Stretch] = ()
    at: int = 0
    """The index of the current hit."""

    @property
    def here(self) -> Stretch | None:
        """The current hit; None if there are no hits."""
        if not self.hits:
            return None
        return self.hits[self.at]

    @property
    def position(self) -> tuple[int, int]:
        """The number of the current hit, from 1, and how many there are; (0, 0) without hits."""
        if not self.hits:
            return 0, 0
        return self.at + 1, len(self.hits)

    def from_offset(self, offset: int) -> "Finding":
        """Return the finding with the first hit from an offset on as the current one.

        If there is none, that is the first of all; an empty finding stays empty.
        """
        index = bisect_left(self.hits, (offset, 0))
        if index == len(self.hits):
            index = 0
        return replace(self, at=index)

    def stepped(self, by: int) -> "Finding":
        """Return the finding `by` hits further on; after the last comes the first.

        An empty finding is returned as it is.
        """
        if not self.hits:
            return self
        return replace(self, at=(self.at + by) % len(self.hits))


NOTHING = Finding("")


class TextPage:
    """A wrapped text with its evidence, in rows and cells, and in offsets into the text shown."""

    def __init__(
        self,
        text: str | RenderedText,
        cells: int,
        spans: Spans,
        known_rows: dict[str, list[int]] | None = None,
    ) -> None:
        """Take a text to wrap at `cells` cells, and its evidence; no row is found yet.

        The offsets of `spans` are those of the text shown. `known_rows` has where the rows of lines
        end at this width, and is added to.
        """
        if isinstance(text, str):
            text = RenderedText(text)
        self.rendered = text
        self.text = self.rendered.text
        self.spans = spans
        hangs = self.rendered.hangs
        self.rows = Wrapping(self.text, cells, spans.extras, hangs, known_rows)

    def mark(self, spans: Spans) -> None:
        """Take other evidence instead of the present; nothing is drawn.

        The rows are wrapped again, where that changes them, only if `spans.extras` is another
        object: marks within the text take cells of their own.
        """
        if spans.extras is not self.spans.extras:
            self.rows.mark(spans.extras)
        self.spans = spans

    def runs(
        self,
        row: int,
        taken: Stretch | None = None,
        finding: Finding = NOTHING,
    ) -> Iterator[StyledRun]:
        """Yield what a found row shows, from left to right: text in runs of one style, and marks.

        `taken` is the stretch that the person selected, `finding` the search that is open, both in
        offsets of the page. What the row hangs by comes first; blanks at the end are left out. Tabs
        are blanks, and control characters are made visible. Evidence is not drawn on what is not
        part of the source.
        """
        if prefix := self.rows.hang(row):
            yield StyledRun(prefix, mark=True, worn=(ADDED,))
        start, end = self._drawn_span(row)
        # without blanks at the end, so that no underline goes beyond the last word
        row_text = inert(self.text[start:end]).rstrip(" ")
        end = start + len(row_text)
        row_spans = [
            self.spans.in_order[index] for index in self.spans.over(start, end)
        ]
        row_hits = _touching(finding.hits, start, end)
        marks = self._marks(row)
        styles = dict(self.rendered.worn(start, end))
        selected_start, selected_end = taken or (start, start)
        edges = {
            start,
            end,
            selected_start,
            selected_end,
            *marks,
            *styles,
            *chain.from_iterable(row_hits),
        }
        for span in row_spans:
            edges |= {span.start, span.end}
        worn: tuple[str, ...] = ()
        if min(styles, default=end) < start:
            worn = next(iter(styles.values()))

        for run_start, run_end in pairwise(
            sorted(edge for edge in edges if start <= edge <= end),
        ):
            worn = styles.get(run_start, worn)
            run_spans: list[StyledSpan] = []
            if ADDED not in worn:
                run_spans = [
                    span for span in row_spans if span.start <= run_start < span.end
                ]
            run_hits = _touching(row_hits, run_start, run_start + 1) if row_hits else ()
            run_text = row_text[run_start - start : run_end - start]
            yield StyledRun(
                run_text.replace("\t", " " * TAB),
                run_spans[-1] if run_spans else None,
                hit=bool(run_hits),
                taken=selected_start <= run_start < selected_end,
                here=finding.here in run_hits,
                over=len(run_spans),
                worn=worn,
            )
            yield from marks.get(run_end, ())

    def worn_at_start(self, row: int) -> tuple[str, ...]:
        """Return the styles of Markdown in which a found row begins, in their order of beginning.

        It is empty where there is none.
        """
        start = self.rows.bounds(row)[0]
        for edge, styles in self.rendered.worn(start, start + 1):
            if edge <= start:
                return styles
        return ()

    def _drawn_span(self, row: int) -> Stretch:
        """Return the offsets between which a row is drawn, without its newline."""
        start, end = self.rows.bounds(row)
        return start, drawn_end(self.text, start, end)

    def _marks(self, row: int) -> dict[int, list[StyledRun]]:
        """Return the marks of a row as runs, by the offset that each is drawn before.

        Marks at one offset have a comma between. Those after blanks at the row's end come before
        the blanks.
        """
        start, end = self.rows.bounds(row)
        drawn_start, drawn_stop = self._drawn_span(row)
        drawn_text = inert(self.text[drawn_start:drawn_stop])
        last_drawn = start + len(drawn_text.rstrip(" "))

        marks: dict[int, list[StyledRun]] = {}
        for span in self.spans.marked(start, end):
            offset = min(span.end, last_drawn)
            runs = marks.setdefault(offset, [])
            if runs:
                runs.append(StyledRun(",", span, mark=True))
            runs.append(StyledRun(flat(span.mark), span, mark=True))
        return marks

    def _character_cells(self, row: int) -> Iterator[tuple[int, int]]:
        """Yield each offset of a row, in order, and the cell at which its character begins.

        Cells count from 0. What the row begins with (`Wrapping.hang`) and the marks within it take
        cells, too. The row's newline is left out.
        """
        start, end = self._drawn_span(row)
        marks = self._marks(row)
        column = cell_width(self.rows.hang(row))
        for offset, char in enumerate(inert(self.text[start:end]), start):
            for run in marks.get(offset, ()):
                column += cell_width(run.shown)
            yield offset, column
            column += CELLS[char]

    def cell_of(self, row: int, offset: int) -> int:
        """Return the cell, from 0, of a row at which the character at an offset is drawn.

        After the row's last character it is the row's width, without blanks at its end.
        """
        for character_offset, cell in self._character_cells(row):
            if character_offset >= offset:
                return cell
        return self._width(row)

    def _width(self, row: int) -> int:
        """Return how many cells a row takes, with its marks but without the blanks at its end."""
        return sum(cell_width(run.shown) for run in self.runs(row))

    def offset_at(self, row: int, cell: int) -> int:
        """Return the offset of the character that is drawn at a cell, from 0, of a found row.

        On a mark it is the character before it. After the last character that is no blank it is the
        row's end, before its newline. It is never a combining character.
        """
        start, end = self._drawn_span(row)
        if cell >= self._width(row):
            return end

        nearest = start

        for offset, character_cell in self._character_cells(row):
            if character_cell > cell:
                break
            if CELLS[inert(self.text[offset])]:
                nearest = offset
        return nearest

    def beside(self, offset: int, rows: int) -> int:
        """Return the offset that is drawn `rows` rows below the one at `offset`, in its column.

        Negative rows are above. Above the first row it is 0, below the last the text's length. Rows
        are wrapped as far as that needs.
        """
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
    """Return the stretches that share a character with text[start:end], in order.

    `stretches` must be sorted and not overlap; there may be many, of which only few are looked at.
    """
    low = bisect_left(stretches, (start, 0))
    high = bisect_left(stretches, (end, 0))
    first = max(low - 1, 0)  # the one before may reach into the text
    return [stretch for stretch in stretches[first:high] if stretch[1] > start]
