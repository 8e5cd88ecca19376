"""What the terminal shows, cell by cell, so that only the cells that changed are sent to it.

Textual sends everything that was drawn again. Over 9,600 baud a cursor key takes 1.4 s instead of
5.2 s, a correction 4 s instead of 9 s, and the box of a comment 5 s instead of 43 s
(`tests/benchmarks/slow_line.py`).

Terminals disagree about how many cells some graphemes take. The place of such a grapheme is blanked
first, and the cells after it that it may have covered are sent again.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, repeat
from operator import itemgetter, ne
from typing import ClassVar

from rich.cells import get_character_cell_size
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Size
from textual.strip import Strip

from appellate.ui.text import CELLS, DOUBTS, SURE, joins_the_next
from appellate.ui.textual_compat import CompatApp, PlacedStrip, ScreenUpdate

NEAR = 6
"""Cells. A gap up to this size is sent again instead of jumped over: a jump costs as many bytes."""

WIDEST = 2
"""Cells that a code point takes at most."""
STAY = Segment("\x1b[?7l")
"""Makes the terminal stay at the last column; `WRAP` lets it go to the next line again."""
WRAP = Segment("\x1b[?7h")

Cell = tuple[str, int]
"""The text of a cell and the number of its style; the second cell of a wide character has ""."""
Stretch = tuple[int, int]
Part = tuple[int, int, list[Segment]]
"""The row and column where a part of the screen begins, and what to send there."""


_STYLES: list[Style | None] = []
"""All styles that were drawn, each once, at the index that is its number."""
_STYLE_NUMBERS: dict[Style | None, int] = {}
"""The numbers of these styles. Two numbers are compared at once, two styles field by field."""
_CHANGED = re.compile(rb"\x01(?:\x00{0,%d}\x01)*" % NEAR)
"""Finds in a row, with 1 for each cell that changed and 0 for others, what to send in one piece."""


class Frame:
    """The cells that the terminal holds."""

    def __init__(self) -> None:
        self._rows: dict[int, list[Cell | None]] = {}
        self._taken: dict[tuple[int, int], tuple[Strip, list[Cell]]] = {}
        """The strip that was taken last at each row and column, and its cells."""
        self._doubted: set[int] = set()
        """Rows with graphemes whose width terminals disagree about."""

    def forget(self) -> None:
        """Forget what the terminal shows, since it may show anything now.

        All cells are sent again at the next updates.
        """
        self._rows.clear()
        self._taken.clear()
        self._doubted.clear()

    def take(self, placed: PlacedStrip) -> Iterator[Part]:
        """Yield the parts of a strip that the terminal does not show, and note that it shows them.

        `placed` is the strip with its row and column. A part is a row, a column and the segments to
        send there. Nothing is yielded if all cells are equal. In a row with graphemes whose width
        terminals disagree about, the cells that these may have covered are yielded as well. All
        parts must be taken and sent.
        """
        new = self._cells(placed)
        row = self._rows.setdefault(placed.y, [])
        end_of_new = placed.x + len(new)
        row += [None] * (end_of_new - len(row))
        old = row[placed.x : end_of_new]
        if old == new:
            return

        changed = differing(old, new)
        is_sure = SURE.fullmatch(placed.strip.text) is not None
        if not is_sure:
            is_sure = not any(map(DOUBTS.__getitem__, map(itemgetter(0), new)))
        if is_sure and placed.y not in self._doubted:
            row[placed.x : placed.x + len(new)] = new
            for start, end in changed:
                yield placed.y, placed.x + start, _segments(new[start:end])
            return

        doubtful_before = doubtful(row)
        row[placed.x : placed.x + len(new)] = new
        doubtful_after = doubtful(row)
        if doubtful_after:
            self._doubted.add(placed.y)
        else:
            self._doubted.discard(placed.y)
        spans_overdrawn = list(doubtful_before)
        for start, end in doubtful_after:  # a grapheme may take cells beyond its end
            codepoints = sum(len(cell[0]) for cell in row[start:end] if cell)
            widest_end = start + WIDEST * codepoints
            spans_overdrawn.append((start, max(end, widest_end)))
        for span in changed:
            start, end = _widened(
                placed.x + span[0],
                placed.x + span[1],
                spans_overdrawn,
            )
            yield from _graphemes_apart(
                placed.y,
                row,
                start,
                min(end, len(row)),
                doubtful_after,
            )

    def _cells(self, placed: PlacedStrip) -> list[Cell]:
        """Return the cells of a strip; the list must not be changed.

        Most strips of an update were there before: it has whole lines, in which one part changed.
        The cells of the last strip at each place are remembered, and returned if the strip is that
        one.
        """
        position = placed.y, placed.x
        strip_before, row_cells = self._taken.get(position, (None, []))
        if strip_before is not placed.strip:
            row_cells = cells(placed.strip)
            self._taken[position] = placed.strip, row_cells
        return row_cells

    def render(self, strips: Iterable[PlacedStrip], console: Console) -> str:
        """Return the escape sequences that bring the terminal up to date with some strips.

        From then on the cells are taken as shown, so the text must be sent. It is "" if nothing
        changed.
        """
        segments_to_send: list[Segment] = []
        for placed in strips:
            for y, x, segments in self.take(placed):
                line = y + 1
                column = x + 1
                segments_to_send.append(Segment(f"\x1b[{line};{column}H"))
                segments_to_send += segments
        return Strip(segments_to_send).render(console)


def _number_of(style: Style | None) -> int:
    """Return the number of a style, the same for equal styles.

    A style that was never drawn gets the next number, and is added to `_STYLES`.
    """
    number = _STYLE_NUMBERS.get(style)
    if number is None:
        number = len(_STYLES)
        _STYLE_NUMBERS[style] = number
        _STYLES.append(style)
    return number


def cells(strip: Strip) -> list[Cell]:
    """Return the cells of a strip from left to right, each with its text and its style's number.

    A wide character has two, the second with "" as text. Control segments are left out. A code
    point without a width of its own is in the text of the cell before, and left out at the
    beginning.
    """
    row_cells: list[Cell] = []
    for text, segment_style, control in strip:
        if control:
            continue
        style = _number_of(segment_style)
        if text.isascii() or set(map(CELLS.__getitem__, text)) == {1}:
            row_cells += zip(text, repeat(style))
        else:
            for character in text:
                if CELLS[character] == 1:
                    row_cells.append((character, style))
                else:
                    _add(row_cells, character, style)
    return row_cells


def _add(row_cells: list[Cell], character: str, style: int) -> None:
    """Append a character to `row_cells`, the cells of a row: as one cell, or as two if it is wide.

    A character without a width joins the text of the last cell, and is dropped in an empty row.
    """
    size = get_character_cell_size(character)
    if size:
        row_cells.append((character, style))
        row_cells += [("", style)] * (size - 1)
    elif row_cells:
        index = len(row_cells) - 1
        if not row_cells[index][0]:
            index -= 1
        text_before, style_before = row_cells[index]
        row_cells[index] = (text_before + character, style_before)


def differing(old: list[Cell | None], new: list[Cell]) -> list[Stretch]:
    """Return the spans in which two rows of the same length differ, in order, ends exclusive.

    Spans with at most `NEAR` equal cells between are joined. A span is widened so that it cuts no
    wide character of the new row.
    """
    stretches: list[Stretch] = []
    for change in _CHANGED.finditer(bytes(map(ne, old, new))):
        start, end = change.span()
        while start and new[start][0] == "":
            start -= 1
        while end < len(new) and new[end][0] == "":
            end += 1
        stretches.append((start, end))
    return stretches


# -- graphemes that terminals disagree about ---------------------------------------------------


def doubtful(row: Sequence[Cell | None]) -> list[Stretch]:
    """Return the spans of a row that hold graphemes whose width terminals disagree about.

    Each span holds one such grapheme, with both cells of a wide one. If the grapheme ends with a
    sign that joins it to the next letter, that letter is in the span, too. Cells that were never
    drawn are in none.
    """
    spans: list[Stretch] = []
    latest_text = ""
    for index, cell in enumerate(row):
        text = ""
        if cell:
            text = cell[0]
        continues = False
        if spans and cell is not None:
            end_of_last = spans[-1][1]
            continues = end_of_last == index
        if continues and (not text or joins_the_next(latest_text)):
            spans[-1] = (spans[-1][0], index + 1)
        elif DOUBTS[text]:
            spans.append((index, index + 1))
        latest_text = text or latest_text
    return spans


def _widened(start: int, end: int, spans: Sequence[Stretch]) -> Stretch:
    """Return the span from `start` to `end`, widened by all of `spans` that it overlaps.

    A span that only the widened one overlaps counts, too.
    """
    for first, last in spans:
        overlaps = first < end and last > start
        is_within = start <= first <= last <= end
        if overlaps and not is_within:
            return _widened(min(start, first), max(end, last), spans)
    return start, end


def _graphemes_apart(
    y: int,
    row: Sequence[Cell | None],
    start: int,
    end: int,
    graphemes: Sequence[Stretch],
) -> Iterator[Part]:
    """Yield what to send for the cells of row `y` from `start` to `end`, from left to right.

    Each of the doubtful `graphemes` that begins there is sent separately, even beyond `end`. Its
    cells are blanked before, and the line does not wrap while it is sent. Cells never drawn are
    left out.
    """
    position = start
    for first, last in graphemes:
        if not start <= first < end:
            continue
        yield from _known_cells(y, row, position, first)
        segments = [cell for cell in row[first:last] if cell]
        yield y, first, _segments((" ", style) for _, style in segments)
        yield y, first, [STAY, *_segments(segments), WRAP]
        position = last
    yield from _known_cells(y, row, position, end)


def _known_cells(
    y: int,
    row: Sequence[Cell | None],
    start: int,
    end: int,
) -> Iterator[Part]:
    """Yield what to send for the cells of row `y` from `start` to `end`, without cells never drawn.

    A run that begins with the second cell of a wide character begins with a blank.
    """
    for is_drawn, positions in groupby(
        range(start, end),
        key=lambda place: row[place] is not None,
    ):
        if is_drawn:
            columns = list(positions)
            run_cells = row[columns[0] : columns[-1] + 1]
            known_cells = [cell for cell in run_cells if cell]
            first_text, first_style = known_cells[0]
            if not first_text:  # the second half of a wide character
                known_cells[0] = (" ", first_style)
            yield y, columns[0], _segments(known_cells)


def _segments(cells: Iterable[Cell]) -> list[Segment]:
    """Return cells as segments, one for each run of cells with the same style."""
    return [
        Segment("".join(map(itemgetter(0), run)), _STYLES[style])
        for style, run in groupby(cells, itemgetter(1))
    ]


class FramedApp(CompatApp):
    """A Textual app that sends the terminal only the cells that changed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+l",
            "redraw",
            "send the whole screen again",
            show=False,
            id="redraw",
        ),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.frame = Frame()
        self._layout_size = Size()

    def before_update(self, update: ScreenUpdate | None) -> None:
        """Forget what the terminal shows before a layout of another size or an unknown update.

        All cells are sent again then. `update` is None for an unknown one. Updates that are no
        whole layout change nothing.
        """
        if update is None:
            self.frame.forget()
        elif update.layout not in (None, self._layout_size):
            self._layout_size = update.layout or Size()
            self.frame.forget()  # what was sent since then was drawn for another size

    def render_update(self, update: ScreenUpdate, console: Console) -> str:
        return self.frame.render(update.strips, console)

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self.frame.forget())

    def on_resize(self, _: Resize) -> None:
        """Send the whole screen again.

        A terminal that changed its size may have moved or lost what it showed.
        """
        self.action_redraw()

    def action_redraw(self) -> None:
        """Send the whole screen again, after something else wrote to the terminal."""
        self.frame.forget()
        self.refresh(layout=True)
