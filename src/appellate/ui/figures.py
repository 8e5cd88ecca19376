"""The numbers of a cell on one line: as much of them as fits, told in words, then in letters.

What stands in parentheses is always against the judge's number; `−.11` outside them is what the last key did.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.styled_text import Piece, cells, spread


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric's value now, None while there is none, `undefined` where it is 0/0.

    `before` is what it was before the last key where that is to be told, `judge` what the judge's lists come to.
    """

    name: str
    short: str
    value: float | None = None
    undefined: bool = False
    before: "Figure | None" = None
    judge: "Figure | None" = None

    @property
    def delta(self) -> float | None:
        """How far the last key moved it; None where it did not, or it is or was 0/0."""
        return change(self.before, self)


@dataclass(frozen=True, slots=True)
class Figures:
    """What the bar shows: the figures, and a note for the right end."""

    now: Sequence[Figure] = ()
    note: str = ""


Judge = Literal["whole", "brief", "none"]
_WIDEST = len(" 1.00 (−1.00)   ")


def number(value: float) -> str:
    """`.75`, `1.00`, `−.11`: two decimals, no leading zero."""
    shown = f"{abs(value):.2f}".removeprefix("0")
    return f"−{shown}" if value < 0 and shown != ".00" else shown


def signed(by: float, marks: Marks = UNICODE) -> str:
    """A difference with its sign, however small: `+.11`, `−.11`, `−.00`."""
    sign = marks.minus if by < 0 else "+"
    return f"{sign}{number(abs(by))}"


def value(figure: Figure, marks: Marks = UNICODE) -> str:
    """The value as it is written: `0/0` where it is undefined."""
    if figure.undefined:
        return "0/0"
    return marks.none if figure.value is None else number(figure.value).replace("−", marks.minus)


def change(before: Figure | None, now: Figure) -> float | None:
    """The difference between two values; None where there is none, or one of them is 0/0 or missing."""
    if before is None or before.undefined or now.undefined or before.value is None or now.value is None:
        return None
    return now.value - before.value or None


def differs(before: Figure | None, now: Figure) -> bool:
    """Whether two values are not the same, 0/0 and none among them."""
    return before is not None and _what(before) != _what(now)


def _what(figure: Figure) -> float | str | None:
    return "0/0" if figure.undefined else figure.value


def line(figures: Figures, room: int, marks: Marks = UNICODE) -> list[Piece]:
    """The fullest telling that fits into `room` cells; the shortest, clipped, if none does."""
    tellings = list(_tellings(figures, room, marks))
    left, right = next((pair for pair in tellings if _fits(*pair, room)), tellings[-1])
    return spread(left, right, room, marks)


def told(figures: Figures) -> str:
    """The figures in full sentences, a line each: what a tooltip says."""
    return "\n".join(_sentence(figure) for figure in figures.now)


def _sentence(figure: Figure) -> str:
    judge = f", the judge's {value(figure.judge)}" if figure.judge else ""
    by = change(figure.judge, figure)
    apart = f", {signed(by)} since the judge" if by else ""
    moved = f", {value(figure.before)} before the last key" if figure.before and _moved(figure) else ""
    return f"{figure.name} {value(figure)}{judge}{apart}{moved}"


def _fits(left: Sequence[Piece], right: Sequence[Piece], room: int) -> bool:
    return cells(left) + cells(right) + (2 if right else 0) <= room


def _tellings(figures: Figures, room: int, marks: Marks) -> Iterator[tuple[list[Piece], list[Piece]]]:
    note = [Piece(figures.note, "muted"), Piece(" ")] if figures.note else []
    for named, full, judge in _fullest_first(words=_words(figures.now, room)):
        now = _now(figures.now, named, full, judge, marks)
        yield [*now, *_legend(figures.now, judge)], note
        yield now, note
        yield now, []
    yield _now(figures.now, False, False, "none", marks, moved=False), []


def _words(now: Sequence[Figure], room: int) -> bool:
    """Whether there is room for whole names whatever changes, so that they do not come and go with every key."""
    return sum(cells([Piece(figure.name)]) + _WIDEST for figure in now) <= room


def _fullest_first(*, words: bool) -> Iterator[tuple[bool, bool, Judge]]:
    """Names or letters; with what was before; how much of the judge's."""
    for named in (True, False) if words else (False,):
        yield named, True, "whole"
        yield named, True, "brief"
        yield named, False, "brief"
    yield False, False, "none"


def _legend(now: Sequence[Figure], judge: Judge) -> list[Piece]:
    """What the parentheses say, or why there are none."""
    judged = [figure for figure in now if figure.judge]
    if judged and not any(differs(figure.judge, figure) or _moved(figure) for figure in judged):
        return [Piece("   as the judge's", "muted")]
    brief = judge == "brief" and any(_apart(figure) for figure in now)
    return [Piece("   (since the judge)", "muted")] if brief else []


def _apart(figure: Figure) -> bool:
    """Whether the judge's number is to be told: it differs, and is not what was there before the last key."""
    told = _moved(figure) and not differs(figure.judge, figure.before or figure)
    return differs(figure.judge, figure) and not told


def _moved(figure: Figure) -> bool:
    return differs(figure.before, figure)


def _now(
    now: Sequence[Figure], named: bool, full: bool, judge: Judge, marks: Marks, *, moved: bool = True
) -> list[Piece]:
    gap = Piece("   " if named else "  ")
    told = [
        [*_told(figure, named, full and moved, moved, marks), *_judged(figure, judge, marks), gap] for figure in now
    ]
    return [Piece(" "), *chain.from_iterable(told)][:-1]


def _told(figure: Figure, named: bool, full: bool, moved: bool, marks: Marks) -> list[Piece]:
    label = Piece(f"{figure.name if named else figure.short} ", "name")
    if not _moved(figure):
        return [label, Piece(value(figure, marks), "value")]
    before = [Piece(f"{value(figure.before, marks)} {marks.arrow} ", "muted")] if figure.before else []
    by = figure.delta
    difference = [Piece(f" {signed(by, marks)}", "delta")] if by and moved else []
    return [label, *(before if full or (moved and not by) else []), Piece(value(figure, marks), "moved"), *difference]


def _judged(figure: Figure, judge: Judge, marks: Marks) -> list[Piece]:
    """How a figure stands against the judge's: `(judge .60, +.15)`, briefly `(+.15)`; nothing where it is the same."""
    if judge == "none" or figure.judge is None or not _apart(figure):
        return []
    by = change(figure.judge, figure)
    whole = f"judge {value(figure.judge, marks)}" + (f", {signed(by, marks)}" if by else "")
    return [Piece(f" ({signed(by, marks) if by and judge == 'brief' else whole})", "muted")]
