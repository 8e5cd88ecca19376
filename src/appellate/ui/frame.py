"""What the terminal shows, cell by cell, so that only what changed is sent to it: Textual sends all
that was drawn anew. Over 9,600 baud a cursor key takes 1.4 s in place of 5.2, a correction 4 in
place of 9, a comment's box 5 in place of 43 (`tests/benchmarks/slow_line.py`).

About some graphemes terminals disagree how many cells they take: what is under one is blanked
first, and as much behind it is sent again as it may have run over.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, compress, count, groupby, repeat
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

from appellate.ui.text import CELLS, DOUBTS, joins_the_next
from appellate.ui.textual_compat import CompatApp, PlacedStrip, ScreenUpdate

NEAR = 6  # cells that are sent again rather than jumped over: a jump costs as much

WIDEST = 2  # cells that a codepoint takes at most
STAY = Segment("\x1b[?7l")  # at the last column, or on to the next line
WRAP = Segment("\x1b[?7h")

Cell = tuple[str, Style | None]  # of a wide character the second cell is ("", style)
Stretch = tuple[int, int]
Part = tuple[int, int, list[Segment]]
"""What to send, and the row and column where it begins."""


class Frame:
    """The cells the terminal holds."""

    def __init__(self) -> None:
        self._rows: dict[int, list[Cell | None]] = {}
        self._doubted: set[int] = set()  # rows with graphemes that terminals disagree about

    def forget(self) -> None:
        """To call when the terminal may hold anything: everything will be sent."""
        self._rows.clear()
        self._doubted.clear()

    def take(self, placed: PlacedStrip) -> Iterator[Part]:
        """The parts of a strip that the terminal does not show yet; from then on it does."""
        new = cells(placed.strip)
        row = self._rows.setdefault(placed.y, [])
        row += [None] * (placed.x + len(new) - len(row))
        old = row[placed.x : placed.x + len(new)]
        if old == new:
            return
        stretches = differing(old, new)
        is_sure = not any(map(DOUBTS.__getitem__, map(itemgetter(0), new)))
        if is_sure and placed.y not in self._doubted:
            row[placed.x : placed.x + len(new)] = new
            for start, end in stretches:
                yield placed.y, placed.x + start, _segments(new[start:end])
            return
        before = doubtful(row)
        row[placed.x : placed.x + len(new)] = new
        after = doubtful(row)
        if after:
            self._doubted.add(placed.y)
        else:
            self._doubted.discard(placed.y)
        reach = list(before)
        for start, end in after:  # a grapheme may take cells beyond its end
            letters = sum(len(cell[0]) for cell in row[start:end] if cell)
            reach.append((start, max(end, start + WIDEST * letters)))
        for stretch in stretches:
            start, end = _grown(placed.x + stretch[0], placed.x + stretch[1], reach)
            yield from _placed(placed.y, row, start, min(end, len(row)), after)

    def render(self, strips: Iterable[PlacedStrip], console: Console) -> str:
        """The escape sequences for what the terminal does not show yet of some strips."""
        sent: list[Segment] = []
        for y, x, segments in chain.from_iterable(map(self.take, strips)):
            sent += [Segment(f"\x1b[{y + 1};{x + 1}H"), *segments]
        return Strip(sent).render(console)


@lru_cache
def _known(style: Style | None) -> Style | None:
    """The first of all styles that look like this one: comparing the same one takes no time."""
    return style


def cells(strip: Strip) -> list[Cell]:
    """A strip cell by cell; what takes no cell of its own belongs to the one before."""
    found: list[Cell] = []
    for text, drawn, control in strip:
        if control:
            continue
        style = _known(drawn)
        if text.isascii():
            found += zip(text, repeat(style))
        else:
            for character in text:
                if CELLS[character] == 1:
                    found.append((character, style))
                else:
                    _add(found, character, style)
    return found


def _add(found: list[Cell], character: str, style: Style | None) -> None:
    size = get_character_cell_size(character)
    if size:
        found += [(character, style), *[("", style)] * (size - 1)]
    elif found:
        place = len(found) - 1
        if not found[place][0]:
            place -= 1
        found[place] = (found[place][0] + character, found[place][1])


def differing(old: list[Cell | None], new: list[Cell]) -> list[Stretch]:
    """Where two rows differ: stretches that part no wide character, near ones joined."""
    stretches: list[Stretch] = []
    for place in compress(count(), map(ne, old, new)):
        if stretches and place - stretches[-1][1] <= NEAR:
            stretches[-1] = stretches[-1][0], place + 1
        else:
            stretches.append((place, place + 1))
    for number, stretch in enumerate(stretches):
        start, end = stretch
        while start and new[start][0] == "":
            start -= 1
        while end < len(new) and new[end][0] == "":
            end += 1
        stretches[number] = start, end
    return stretches


# -- graphemes that terminals disagree about ---------------------------------------------------


def doubtful(row: Sequence[Cell | None]) -> list[Stretch]:
    """Where they are, each by itself, those that may be drawn as one together."""
    found: list[Stretch] = []
    letter = ""  # the latest
    for place, cell in enumerate(row):
        text = ""
        if cell:
            text = cell[0]
        going_on = bool(found) and found[-1][1] == place and cell is not None
        if going_on and (not text or joins_the_next(letter)):
            found[-1] = (found[-1][0], place + 1)
        elif DOUBTS[text]:
            found.append((place, place + 1))
        letter = text or letter
    return found


def _grown(start: int, end: int, reach: Sequence[Stretch]) -> Stretch:
    """A stretch and all that is drawn over once it is drawn."""
    for first, last in reach:
        if first < end and last > start and not start <= first <= last <= end:
            return _grown(min(start, first), max(end, last), reach)
    return start, end


def _placed(
    y: int,
    row: Sequence[Cell | None],
    start: int,
    end: int,
    graphemes: Sequence[Stretch],
) -> Iterator[Part]:
    """The cells of a stretch, each doubtful grapheme by itself on a blank ground."""
    at = start
    for first, last in graphemes:
        if not start <= first < end:
            continue
        yield from _sure(y, row, at, first)
        drawn = [cell for cell in row[first:last] if cell]
        yield y, first, _segments((" ", style) for _, style in drawn)
        yield y, first, [STAY, *_segments(drawn), WRAP]
        at = last
    yield from _sure(y, row, at, end)


def _sure(y: int, row: Sequence[Cell | None], start: int, end: int) -> Iterator[Part]:
    """Cells as they are; of those that nobody has drawn yet nothing is known."""
    for known, stretch in groupby(range(start, end), key=lambda place: row[place] is not None):
        if known:
            places = list(stretch)
            drawn = [cell for cell in row[places[0] : places[-1] + 1] if cell]
            drawn[0] = (drawn[0][0] or " ", drawn[0][1])  # half of what is gone
            yield y, places[0], _segments(drawn)


def _segments(cells: Iterable[Cell]) -> list[Segment]:
    return [
        Segment("".join(map(itemgetter(0), run)), style)
        for style, run in groupby(cells, itemgetter(1))
    ]


class FramedApp(CompatApp):
    """An app that sends only what changed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+l", "redraw", "send the whole screen again", show=False, id="redraw"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.frame = Frame()
        self._layout_size = Size()

    def before_update(self, update: ScreenUpdate | None) -> None:
        if update is None:
            self.frame.forget()
        elif update.layout not in (None, self._layout_size):
            self._layout_size = update.layout or Size()
            self.frame.forget()  # what came in between was drawn for another size

    def render_update(self, update: ScreenUpdate, console: Console) -> str:
        return self.frame.render(update.strips, console)

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self.frame.forget())

    def on_resize(self, _: Resize) -> None:
        """A terminal that changed its size may have moved or lost what it showed."""
        self.action_redraw()

    def action_redraw(self) -> None:
        """Sends everything again, for a terminal that something else wrote to."""
        self.frame.forget()
        self.refresh(layout=True)
