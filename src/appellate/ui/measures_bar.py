"""The numbers of a cell on one line: as much as fits, in words, then in letters.

What a number is told in is said in `ui.measures`.
"""

from collections.abc import Iterator

from msgspec import Struct

from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.measures import (
    LAST_KEY,
    MeasureLine,
    MeasureValue,
    difference,
    differs,
    value,
)
from appellate.ui.rendered_text import cells, spread
from appellate.ui.rows import StyledText

_WIDEST = len(" 1.00 −1.00   ")


def sentences(shown: MeasureLine) -> str:
    """The values in full sentences, a line each: what a tooltip says."""
    return "\n".join(_sentence(one, shown) for one in shown.now)


def _sentence(one: MeasureValue, shown: MeasureLine) -> str:
    text = f"{one.name} {value(one)}{one.out_of}"
    if one.lower_is_better:
        text += " (lower is better)"
    if shown.whose:
        text += f", {shown.whose}"
    by = difference(one)
    if one.base is not None and by:
        text += f", {value(one.base)} before"
        if not by.startswith("("):
            text += f" ({by} {shown.since[0].removeprefix('± ')})"
    return text


# -- on one line -------------------------------------------------------------------------------


class _Fullness(Struct, frozen=True):
    """How much is shown: whole names or letters, and differences."""

    named: bool
    moved: bool = True


_FULLEST_FIRST = (_Fullness(named=True), _Fullness(named=False))
_BRIEFEST = _Fullness(named=False, moved=False)


def line(shown: MeasureLine, room: int, marks: Marks = UNICODE) -> list[StyledText]:
    """The fullest telling that fits into `room` cells; the shortest, clipped, if none does."""
    for left, right in _tellings(shown, room, marks):
        gap = 2 if right else 0
        if cells(left) + cells(right) + gap <= room:
            break
    return spread(left, right, room, marks)


def _tellings(
    shown: MeasureLine, room: int, marks: Marks
) -> Iterator[tuple[list[StyledText], list[StyledText]]]:
    note: list[StyledText] = []
    if shown.note:
        note = [StyledText(shown.note, "muted"), StyledText(" ")]
    widest = 0  # of whole names whatever changes, so that they do not come and go with every key
    for one in shown.now:
        widest += cells([StyledText(one.name)]) + _WIDEST + len(one.out_of)
    for fullness in _FULLEST_FIRST:
        if fullness.named and widest > room:
            continue
        now = _values(shown, fullness, marks)
        legends = [StyledText(f"   {spelt(legend, marks)}", "muted") for legend in shown.legends]
        for right in (note, []):
            for legend in legends:
                yield [*now, legend], right
            if not any(map(differs, shown.now)):
                yield now, right
    if shown.since == LAST_KEY:  # gone with the next key: better without words than not at all
        yield _values(shown, _Fullness(named=False), marks), []
    yield _values(shown, _BRIEFEST, marks), note
    yield _values(shown, _BRIEFEST, marks), []


def _values(shown: MeasureLine, fullness: _Fullness, marks: Marks) -> list[StyledText]:
    gap = StyledText("   " if fullness.named else "  ")
    pieces = [StyledText(" ")]
    for place, one in enumerate(shown.now):
        if place:
            pieces.append(gap)
        pieces += _value(one, fullness, marks)
    return pieces


def _value(one: MeasureValue, fullness: _Fullness, marks: Marks) -> list[StyledText]:
    """A measure's name, what it is, and how it differs."""
    name = one.name if fullness.named else one.short
    by = ""
    if fullness.moved:
        by = difference(one, marks)
    style = "moved" if by else "value"
    pieces = [StyledText(f"{name} ", "name"), StyledText(value(one, marks), style)]
    if one.out_of and fullness.named:
        pieces.append(StyledText(one.out_of, "muted"))
    if by:
        pieces.append(StyledText(f" {by}", "delta"))
    return pieces
