"""A text as it is shown: parts of its source are hidden, replaced or added.

It is made by edits of the source. What no edit names is shown as it is, once and in order. Offsets
can be converted in both directions.

A line of a widget is a list of styled pieces of such text, cut to its width and drawn without
markup; `cut`, `spread` and `strip` make it.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rows import StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import cell_width, clip, flat
from appellate.ui.textual_compat import own_style


def cells(pieces: Iterable[StyledText]) -> int:
    """Return how many cells the pieces take side by side, as they are drawn.

    Their texts are made inert and put on one line for that.
    """
    total = 0
    for text, _ in pieces:
        if text.isascii() and text.isprintable():
            total += len(text)
        else:
            total += cell_width(flat(text))
    return total


def cut(
    pieces: Sequence[StyledText],
    width: int,
    marks: Marks = UNICODE,
) -> list[StyledText]:
    """Return the pieces, made inert, in at most `width` cells.

    The first piece that does not fit is clipped with an ellipsis, and those after it are left out.
    It may be clipped to "".
    """
    fit: list[StyledText] = []
    for text, style in pieces:
        clipped = clip(text, width, marks)
        fit.append(StyledText(clipped, style))
        width -= cell_width(clipped)
        if clipped != text and clipped != flat(text):
            break
    return fit


def spread(
    left: Sequence[StyledText],
    right: Sequence[StyledText],
    width: int,
    marks: Marks = UNICODE,
) -> list[StyledText]:
    """Return a line of exactly `width` cells: `left` at its left end, `right` at its right end.

    `left` is cut if both do not fit, and `right` only if it does not fit alone. Between them are
    blanks, none if both fill the line.
    """
    right = cut(right, width, marks)
    left_width = width - cells(right)
    left = cut(left, left_width, marks)
    blanks = " " * (left_width - cells(left))
    return [*left, StyledText(blanks), *right]


Atom = tuple[StyledText, ...]
"""Pieces that stay on one line."""
Paragraph = Sequence[Atom]


def flowing(paragraphs: Sequence[Paragraph], width: int) -> list[list[StyledText]]:
    """Return the lines of some paragraphs, with as many atoms on each as fit into `width` cells.

    There is a space between atoms. Each paragraph begins a line, also an empty one. An atom that is
    wider than a line is not cut.
    """
    lines: list[list[StyledText]] = []
    for paragraph in paragraphs:
        line: list[StyledText] = []
        lines.append(line)
        for atom in paragraph:
            if line:
                needed = cells(line) + 1 + cells(atom)
                if needed > width:
                    line = []
                    lines.append(line)
            if line:
                line.append(StyledText(" "))
            line += atom
    return lines


def components(prefix: str, names: str) -> set[str]:
    """Return the names `prefix--name` of component classes, for each of `names`, which blanks part.

    `strip` draws pieces in them.
    """
    return {f"{prefix}--{name}" for name in names.split()}


def strip(
    widget: Widget,
    prefix: str,
    pieces: Iterable[StyledText],
    width: int,
    base: Style,
) -> Strip:
    """Return the pieces as a strip of exactly `width` cells, padded or cut at its right.

    Their texts must be inert already. A piece is drawn in the widget's component `prefix--style` on
    top of `base`, one without a style in `base`. A negative width counts as 0.
    """
    segments: list[Segment] = []
    width = max(width, 0)
    drawn_width = 0
    for text, name in pieces:
        style = base
        if name:
            style += own_style(widget, f"{prefix}--{name}")
        if text:
            segments.append(Segment(text, style))
            drawn_width += cell_len(text)
    if drawn_width < width:
        # Textual would pad it by a second strip, which takes as long again
        segments.append(Segment(" " * (width - drawn_width), base))
        drawn_width = width
    return Strip(segments, drawn_width).adjust_cell_length(width, base)


ADDED = "added"
"""The style of what is not part of the source; no evidence is drawn on it."""


class SourceEdit(NamedTuple):
    """Shows something else, or nothing, instead of a stretch of the source."""

    start: int
    end: int
    shown: str = ""
    announced: bool = False
    """Whether the stretch is text, such as an entity, and not syntax."""


class Worn(NamedTuple):
    """A style that a stretch is drawn in."""

    start: int
    end: int
    style: str


class RenderedText:
    """What is shown of `source`; without edits the source itself."""

    def __init__(
        self,
        source: str,
        edits: Iterable[SourceEdit] = (),
        worn: Iterable[Worn] = (),
    ) -> None:
        """Make the edits in a source, and find where its parts and styles are then.

        `worn` are stretches of the source with their styles.
        """
        self.source = source
        self.hangs: Mapping[int, str] = {}
        """For a line's offset in the shown text: what its further rows begin with."""
        self.tabular = False
        """Whether there is a table, so that the text was made for one width."""
        self._at = array("q")
        """Where each part begins in the shown text."""
        self._from = array("q")
        """Where each part begins in the source."""
        self._same = bytearray()
        """Whether each part is shown as it is in the source."""
        edits = list(edits)
        self.text = self._edited(edits) if edits else source
        shown_styles = list(self._moved(worn))
        shown_styles += self._added(edits)
        self._edges, self._styles = _layered(shown_styles)

    @property
    def raw(self) -> bool:
        """Whether the source is shown as it is, and nothing else."""
        if self._styles or self.hangs:
            return False
        return self.text is self.source

    def _edited(self, edits: Iterable[SourceEdit]) -> str:
        """Return the source with the edits made, and record where its parts begin.

        Of edits that touch the same characters only the first by position is made. To be called
        once.
        """
        parts: list[str] = []
        shown_length = 0
        source_done = 0
        for start, end, instead, _ in sorted(edits, key=itemgetter(0, 1)):
            if start < source_done:  # of two that touch the same characters the first
                continue
            if source_done < start:
                self._part(shown_length, source_done, same=True)
                parts.append(self.source[source_done:start])
                shown_length += start - source_done
            if start < end or instead:
                self._part(shown_length, start, same=False)
                parts.append(instead)
                shown_length += len(instead)
            source_done = end

        parts.append(self.source[source_done:])
        self._part(shown_length, source_done, same=True)
        return "".join(parts)

    def _part(self, shown: int, start: int, same: bool) -> None:
        """Record that a part begins at `shown` in the shown text and at `start` in the source.

        `same` is whether the source is shown there as it is.
        """
        self._at.append(shown)
        self._from.append(start)
        self._same.append(same)

    def _moved(self, worn: Iterable[Worn]) -> Iterator[Worn]:
        """Yield styles of the source as styles of the shown text; empty stretches are left out."""
        for start, end, style in worn:
            if start < end:
                shown_start = self.shown_at(start)
                shown_end = self.shown_until(end)
                yield Worn(shown_start, shown_end, style)

    def _added(self, edits: Iterable[SourceEdit]) -> Iterator[Worn]:
        """Yield the style `ADDED` for each shown stretch that is not part of the source.

        Announced edits are left out: what they show is text.
        """
        starts = {edit.start for edit in edits if edit.announced}
        bounds = pairwise((*self._at, len(self.text)))
        for (start, end), source, same in zip(
            bounds,
            self._from,
            self._same,
            strict=True,
        ):
            if not same and start < end and source not in starts:
                yield Worn(start, end, ADDED)

    # From the source to what is shown

    def shown_at(self, offset: int) -> int:
        """Return the shown offset of the source character at `offset`.

        In a hidden stretch it is that of what follows, and in a replaced one the beginning of what
        is shown instead.
        """
        part = bisect_right(self._from, offset) - 1
        if part < 0:
            return self._within_text(offset)
        shown_start = self._at[part]
        if not self._same[part]:
            return shown_start
        return shown_start + offset - self._from[part]

    def shown_until(self, offset: int) -> int:
        """Return the shown offset at which source[:offset] ends.

        Within a replaced stretch it is the end of what is shown instead.
        """
        part = bisect_left(self._from, offset) - 1
        if part < 0:
            return self._within_text(offset)
        if not self._same[part]:
            return self._next(self._at, part, self.text)
        return self._at[part] + offset - self._from[part]

    def _within_text(self, offset: int) -> int:
        """Return an offset brought within 0 and the length of the shown text."""
        return min(max(offset, 0), len(self.text))

    def shown_span(self, start: int, end: int) -> Stretch:
        """Return the stretch of the shown text that shows source[start:end].

        `start` and `end` may be outside the source. It has at least one character, so that it can
        be seen, unless nothing is shown at all.
        """
        start = max(start, 0)
        end = min(end, len(self.source))
        last = max(len(self.text) - 1, 0)
        shown_start = min(self.shown_at(start), last)
        least_end = min(shown_start + 1, len(self.text))
        shown_end = max(self.shown_until(end), least_end)
        return shown_start, shown_end

    def all_shown(self, stretches: Sequence[Stretch]) -> list[Stretch]:
        """Return where stretches of the source are shown, in their order.

        They must be sorted, and no edit may touch them. It gives for many at once, as a search
        finds thousands, what `shown_span` gives for each, and is faster.
        """
        if not self._at:
            return list(stretches)

        shown_stretches: list[Stretch] = []
        part = 0
        last_part = len(self._from) - 1
        for start, end in stretches:
            while part < last_part and self._from[part + 1] <= start:
                part += 1
            distance = self._at[part] - self._from[part]
            shown_stretches.append((start + distance, end + distance))
        return shown_stretches

    # From what is shown to the source

    def source_at(self, offset: int) -> int:
        """Return the source offset of the character that is shown at `offset`.

        In what replaces a stretch, it is the beginning of that stretch; at the end of the shown
        text, the end of the source.
        """
        part = bisect_right(self._at, offset) - 1
        if part < 0:
            return offset
        if offset >= len(self.text):
            return len(self.source)
        if not self._same[part]:
            return self._from[part]
        return self._from[part] + offset - self._at[part]

    def source_until(self, offset: int) -> int:
        """Return the source offset at which text[:offset], of the shown text, ends.

        In what replaces a stretch, it is the end of that stretch.
        """
        part = bisect_left(self._at, offset) - 1
        if part < 0:
            return offset
        if not self._same[part]:
            return self._next(self._from, part, self.source)
        return self._from[part] + offset - self._at[part]

    def source_of(self, start: int, end: int) -> Stretch:
        """Return the stretch of the source that text[start:end] of the shown text stands for.

        Hidden syntax at its ends is not in it. The end is never before the start.
        """
        source_start = self.source_at(start)
        return source_start, max(self.source_until(end), source_start)

    @staticmethod
    def _next(starts: Sequence[int], part: int, whole: str) -> int:
        """Return the start of the part after the one at index `part`, or the length of `whole`."""
        if part + 1 == len(starts):
            return len(whole)
        return starts[part + 1]

    # Styles

    def worn(self, start: int, end: int) -> list[tuple[int, tuple[str, ...]]]:
        """Return the styles in text[start:end], each set with the offset at which it begins.

        The offsets are of the shown text and rise; the first may be before `start`. A set of styles
        holds up to the next offset. It is empty where a styled stretch has ended.
        """
        first = max(bisect_right(self._edges, start) - 1, 0)
        last = bisect_left(self._edges, end)
        edges = self._edges[first:last]
        styles = self._styles[first:last]
        return list(zip(edges, styles, strict=True))


def _layered(worn: Iterable[Worn]) -> tuple[Sequence[int], list[tuple[str, ...]]]:
    """Return the offsets at which styles change, in order, and the styles in force from each on.

    Both have the same length. Styles are in the order in which they began, and none are in force
    from the last offset on. Empty stretches are left out.
    """
    changes: list[tuple[int, bool, str]] = []
    for start, end, style in worn:
        if start < end:
            changes += [(start, True, style), (end, False, style)]
    edges = array("q")
    styles = list[tuple[str, ...]]()

    current_styles: list[str] = []
    for offset, group in groupby(sorted(changes), key=itemgetter(0)):
        for _, begins, style in group:
            if begins:
                current_styles.append(style)
            else:
                current_styles.remove(style)
        edges.append(offset)
        styles.append(tuple(current_styles))
    return edges, styles
