"""The numbers of a cell on one line: as much of them as fits, told in words, then in letters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.pieces import Piece, cells, spread


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric's value now; None while there is none, `undefined` where it is 0/0; `delta` after it moved."""

    name: str
    short: str
    value: float | None = None
    undefined: bool = False
    delta: float | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """What the bar shows: the figures, the judge's own, and a note for the right end."""

    now: Sequence[Figure] = ()
    judge: Sequence[Figure] = ()
    note: str = ""


def number(value: float) -> str:
    """`.75`, `1.00`, `−.11`: two decimals, no leading zero."""
    shown = f"{abs(value):.2f}".removeprefix("0")
    return f"−{shown}" if value < 0 and shown != ".00" else shown


def value(figure: Figure, marks: Marks = UNICODE) -> str:
    """The value as it is written: `0/0` where it is undefined."""
    if figure.undefined:
        return "0/0"
    return marks.none if figure.value is None else number(figure.value).replace("−", marks.minus)


def line(figures: Figures, room: int, marks: Marks = UNICODE) -> list[Piece]:
    """The fullest telling that fits into `room` cells; the shortest, clipped, if none does."""
    tellings = list(_tellings(figures, marks))
    left, right = next((pair for pair in tellings if _fits(*pair, room)), tellings[-1])
    return spread(left, right, room, marks)


def _fits(left: Sequence[Piece], right: Sequence[Piece], room: int) -> bool:
    return cells(left) + cells(right) + (2 if right else 0) <= room


def _tellings(figures: Figures, marks: Marks) -> Iterator[tuple[list[Piece], list[Piece]]]:
    note = [Piece(figures.note, "muted"), Piece(" ")] if figures.note else []
    moved = any(figure.delta is not None for figure in figures.now)
    judge = [] if moved else _judged(figures.judge, marks)
    for named, full in ((True, True), (True, False), (False, True), (False, False)):
        now = _now(figures.now, named, full, marks)
        yield [*now, *judge], note
        yield [*now, *judge], []
    yield now, []


def _now(now: Sequence[Figure], named: bool, full: bool, marks: Marks) -> list[Piece]:
    gap = Piece("   " if named else "  ")
    told = [[*_told(figure, named, full, marks), gap] for figure in now]
    return [Piece(" "), *chain.from_iterable(told)][:-1]


def _told(figure: Figure, named: bool, full: bool, marks: Marks) -> list[Piece]:
    label = Piece(f"{figure.name if named else figure.short} ", "name")
    if figure.delta is None:
        return [label, Piece(value(figure, marks), "value")]
    sign = "+" if figure.delta >= 0 else ""
    delta = Piece(f" {sign}{number(figure.delta)}".replace("−", marks.minus), "delta")
    return [
        label,
        *([Piece(f"{_before(figure)} {marks.arrow} ", "muted")] if full else []),
        _value(figure, marks),
        delta,
    ]


def _value(figure: Figure, marks: Marks) -> Piece:
    return Piece(value(figure, marks), "moved")


def _before(figure: Figure) -> str:
    return number((figure.value or 0) - (figure.delta or 0))


def _judged(judge: Sequence[Figure], marks: Marks) -> list[Piece]:
    told = " ".join(value(figure, marks) for figure in judge)
    return [Piece("      judge ", "muted"), Piece(told, "muted")] if judge else []
