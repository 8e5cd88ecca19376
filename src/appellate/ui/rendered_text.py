"""A text as it is shown: parts of its source hidden, replaced or added, each character in both.

It is made by editing the source, so what no edit names is shown as it is, in its order, once.
A line of a widget is styled pieces of such text, cut to its width and drawn without markup.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rows import StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import cell_width, clip, flat


def cells(pieces: Iterable[StyledText]) -> int:
    """The cells that the pieces take side by side."""
    total = 0
    for text, _ in pieces:
        if text.isascii() and text.isprintable():
            total += len(text)
        else:
            total += cell_width(flat(text))
    return total


def cut(pieces: Sequence[StyledText], width: int, marks: Marks = UNICODE) -> list[StyledText]:
    """The pieces inert, in at most so many cells: the first too long is clipped."""
    fit: list[StyledText] = []
    for text, style in pieces:
        shown = clip(text, width, marks)
        fit.append(StyledText(shown, style))
        width -= cell_width(shown)
        if shown != text and shown != flat(text):
            break
    return fit


def spread(
    left: Sequence[StyledText], right: Sequence[StyledText], width: int, marks: Marks = UNICODE
) -> list[StyledText]:
    """`left` at the left end, `right` at the right end; `left` gives way."""
    right = cut(right, width, marks)
    room = width - cells(right)
    left = cut(left, room, marks)
    return [*left, StyledText(" " * (room - cells(left))), *right]


Atom = tuple[StyledText, ...]
"""Pieces that stand on one line."""
Paragraph = Sequence[Atom]


def flowing(paragraphs: Sequence[Paragraph], width: int) -> list[list[StyledText]]:
    """The lines of some paragraphs, as many atoms on each as fit with a cell between."""
    lines: list[list[StyledText]] = []
    for paragraph in paragraphs:
        line: list[StyledText] = []
        lines.append(line)
        for atom in paragraph:
            if line and cells(line) + 1 + cells(atom) > width:
                line = []
                lines.append(line)
            if line:
                line.append(StyledText(" "))
            line += atom
    return lines


def components(prefix: str, names: str) -> set[str]:
    """The component classes in which `strip` draws pieces, given their styles."""
    return {f"{prefix}--{name}" for name in names.split()}


def strip(
    widget: Widget, prefix: str, pieces: Iterable[StyledText], width: int, base: Style
) -> Strip:
    """The pieces as a strip of exactly `width` cells, each in the component `prefix--style`."""
    segments: list[Segment] = []
    for text, name in pieces:
        style = base
        if name:
            style += widget.get_component_rich_style(f"{prefix}--{name}", partial=True)
        if text:
            segments.append(Segment(text, style))
    return Strip(segments).adjust_cell_length(max(width, 0), base)


ADDED = "added"  # worn by what is no part of the source: no evidence is drawn on it


class SourceEdit(NamedTuple):
    """Shows something else, or nothing, in place of a stretch of the source: of syntax, or where it
    is `announced`, of text, such as an entity.
    """

    start: int
    end: int
    shown: str = ""
    announced: bool = False


class Worn(NamedTuple):
    """The style of a stretch."""

    start: int
    end: int
    style: str


class RenderedText:
    """What is shown of `source`; without edits the source itself."""

    def __init__(
        self, source: str, edits: Iterable[SourceEdit] = (), worn: Iterable[Worn] = ()
    ) -> None:
        self.source = source
        self.hangs: Mapping[int, str] = {}  # by a line's offset: what its further rows begin with
        self.tabular = False  # made for one width
        self._at, self._from = array("q"), array("q")  # where parts begin: shown, in the source
        self._same = bytearray()  # whether it is shown as it is
        edits = list(edits)
        self.text = self._edited(edits) if edits else source
        self._edges, self._styles = _layered([*self._moved(worn), *self._added(edits)])

    @property
    def raw(self) -> bool:
        """True where the source is shown as it is, and nothing else."""
        return self.text is self.source and not self._styles and not self.hangs

    def _edited(self, edits: Iterable[SourceEdit]) -> str:
        parts: list[str] = []
        shown = done = 0
        for start, end, instead, _ in sorted(edits, key=itemgetter(0, 1)):
            if start < done:  # of two that touch the same characters the first
                continue
            if done < start:
                self._part(shown, done, same=True)
                parts.append(self.source[done:start])
                shown += start - done
            if start < end or instead:
                self._part(shown, start, same=False)
                parts.append(instead)
                shown += len(instead)
            done = end
        parts.append(self.source[done:])
        self._part(shown, done, same=True)
        return "".join(parts)

    def _part(self, shown: int, start: int, same: bool) -> None:
        self._at.append(shown)
        self._from.append(start)
        self._same.append(same)

    def _moved(self, worn: Iterable[Worn]) -> Iterator[Worn]:
        for start, end, style in worn:
            if start < end:
                yield Worn(self.shown_at(start), self.shown_until(end), style)

    def _added(self, edits: Iterable[SourceEdit]) -> Iterator[Worn]:
        starts = {edit.start for edit in edits if edit.announced}
        bounds = pairwise((*self._at, len(self.text)))
        for (start, end), source, same in zip(bounds, self._from, self._same, strict=True):
            if not same and start < end and source not in starts:
                yield Worn(start, end, ADDED)

    # From the source to what is shown

    def shown_at(self, offset: int) -> int:
        """Where the source character at an offset is shown; a hidden one, what follows it."""
        part = bisect_right(self._from, offset) - 1
        if part < 0:
            return min(max(offset, 0), len(self.text))
        if not self._same[part]:
            return self._at[part]
        return self._at[part] + offset - self._from[part]

    def shown_until(self, offset: int) -> int:
        """Where what is shown of source[:offset] ends."""
        part = bisect_left(self._from, offset) - 1
        if part < 0:
            return min(max(offset, 0), len(self.text))
        if not self._same[part]:
            return self._next(self._at, part, self.text)
        return self._at[part] + offset - self._from[part]

    def shown(self, start: int, end: int) -> Stretch:
        """The stretch that shows source[start:end]: at least one character, to be seen."""
        start = max(start, 0)
        end = min(end, len(self.source))
        low = self.shown_at(start)
        high = self.shown_until(end)
        low = min(low, max(len(self.text) - 1, 0))
        return low, max(high, min(low + 1, len(self.text)))

    def all_shown(self, stretches: Sequence[Stretch]) -> list[Stretch]:
        """Return where stretches are shown that are sorted and are shown as they are in the source.

        As `shown` of each, in a fraction of the time: a search finds thousands.
        """
        if not self._at:
            return list(stretches)
        found: list[Stretch] = []
        part = 0
        for start, end in stretches:
            while part + 1 < len(self._from) and self._from[part + 1] <= start:
                part += 1
            moved = self._at[part] - self._from[part]
            found.append((start + moved, end + moved))
        return found

    # From what is shown to the source

    def source_at(self, offset: int) -> int:
        """The source offset of what is shown at an offset."""
        part = bisect_right(self._at, offset) - 1
        if part < 0:
            return offset
        if offset >= len(self.text):
            return len(self.source)
        if not self._same[part]:
            return self._from[part]
        return self._from[part] + offset - self._at[part]

    def source_until(self, offset: int) -> int:
        """Where in the source ends what is shown before an offset."""
        part = bisect_left(self._at, offset) - 1
        if part < 0:
            return offset
        if not self._same[part]:
            return self._next(self._from, part, self.source)
        return self._from[part] + offset - self._at[part]

    def source_of(self, start: int, end: int) -> Stretch:
        """The slice of the source that text[start:end] shows, without hidden syntax around it."""
        low = self.source_at(start)
        return low, max(self.source_until(end), low)

    @staticmethod
    def _next(starts: Sequence[int], part: int, whole: str) -> int:
        if part + 1 == len(starts):
            return len(whole)
        return starts[part + 1]

    # Styles

    def worn(self, start: int, end: int) -> list[tuple[int, tuple[str, ...]]]:
        """The styles worn in text[start:end], each with the offset from which it is."""
        low = max(bisect_right(self._edges, start) - 1, 0)
        return list(
            zip(self._edges[low:], self._styles[low : bisect_left(self._edges, end)], strict=False)
        )


def _layered(worn: Iterable[Worn]) -> tuple[Sequence[int], list[tuple[str, ...]]]:
    """Where styles change, and all that are worn from there on."""
    changes: list[tuple[int, bool, str]] = []
    for start, end, style in worn:
        if start < end:
            changes += [(start, True, style), (end, False, style)]
    edges = array("q")
    styles = list[tuple[str, ...]]()
    now: list[str] = []
    for place, group in groupby(sorted(changes), key=itemgetter(0)):
        for _, begins, style in group:
            if begins:
                now.append(style)
            else:
                now.remove(style)
        edges.append(place)
        styles.append(tuple(now))
    return edges, styles
