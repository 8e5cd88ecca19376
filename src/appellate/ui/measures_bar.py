"""The numbers of a cell on one line of the screen: as much as fits, in full names, then in letters.

`ui.measures` explains how a number is shown.
"""

from collections.abc import Iterator

from msgspec import Struct

from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.measures import (
    MeasureLine,
    MeasureValue,
    difference,
    differs,
    value,
)
from appellate.ui.rendered_text import cells, spread
from appellate.ui.rows import StyledText

_WIDEST = len(" 1.00 −1.00   ")
"""The columns that a value, its difference and a gap take at most."""


def sentences(measures: MeasureLine) -> str:
    """Return the values in full sentences, one a line, for a tooltip."""
    return "\n".join(
        _sentence(measure_value, measures) for measure_value in measures.now
    )


def _sentence(measure_value: MeasureValue, measures: MeasureLine) -> str:
    """Return one value as a sentence: "F1 .50, corrected, .39 before (+.11 since the judge)".

    It says if lower is better. Whose it is, and what it was before, are left out where that is not
    known or did not change. The part in brackets is left out if the difference is no number.
    """
    shown_value = value(measure_value)
    text = f"{measure_value.name} {shown_value}{measure_value.out_of}"
    if measure_value.lower_is_better:
        text += " (lower is better)"
    if measures.whose:
        text += f", {measures.whose}"
    change = difference(measure_value)
    if measure_value.base is not None and change:
        text += f", {value(measure_value.base)} before"
        if not change.startswith("("):
            since = measures.since[0].removeprefix("± ")
            text += f" ({change} {since})"
    return text


# -- on one line -------------------------------------------------------------------------------


class _Fullness(Struct, frozen=True):
    """How much of the line is drawn."""

    named: bool
    """Whether measures have their full names rather than letters."""
    moved: bool = True
    """Whether differences are drawn."""


_FULLEST_FIRST = (_Fullness(named=True), _Fullness(named=False))
_BRIEFEST = _Fullness(named=False, moved=False)


def line(measures: MeasureLine, width: int, marks: Marks = UNICODE) -> list[StyledText]:
    """Return the fullest form of the line that fits into `width` columns, padded to that width.

    Names become letters first, then the note and the words on whose the values are go, and at last
    the differences. If no form fits, the shortest is cut.
    """
    for left, right in _forms(measures, width, marks):
        needed = cells(left)
        if right:
            needed += 2 + cells(right)
        if needed <= width:
            break
    return spread(left, right, width, marks)


def _forms(
    measures: MeasureLine,
    width: int,
    marks: Marks,
) -> Iterator[tuple[list[StyledText], list[StyledText]]]:
    """Yield the forms of the line, the fullest first, each as its left part and its right part.

    The legend says whose the values are and what they are compared with; at the right is the note.
    `width` is in columns: full names are tried only if the line fits with the widest values that
    there can be, so that names do not come and go. A form without legend comes early only if
    nothing differs: else one would not know what the differences are from. A change of the last key
    is the exception.
    """
    note: list[StyledText] = []
    if measures.note:
        note = [StyledText(measures.note, "muted"), StyledText(" ")]
    widest = 0  # as wide as full names can get, so that they do not come and go with every key
    for measure_value in measures.now:
        widest += cells([StyledText(measure_value.name)])
        widest += _WIDEST
        widest += len(measure_value.out_of)
    for fullness in _FULLEST_FIRST:
        if fullness.named and widest > width:
            continue
        values = _values(measures, fullness, marks)
        legends = [
            StyledText(f"   {spelt(legend, marks)}", "muted")
            for legend in measures.legends
        ]
        for right in (note, []):
            for legend in legends:
                yield [*values, legend], right
            if not any(map(differs, measures.now)):
                yield values, right

    # a change of the last key is shown even if there is no room for its words
    if measures.is_since_last_key:
        yield _values(measures, _Fullness(named=False), marks), []
    yield _values(measures, _BRIEFEST, marks), note
    yield _values(measures, _BRIEFEST, marks), []


def _values(
    measures: MeasureLine,
    fullness: _Fullness,
    marks: Marks,
) -> list[StyledText]:
    """Return the pieces of all values in their order, with a blank before the first.

    `fullness` says whether names are in full, and whether differences are drawn. Gaps between
    values are wider with full names.
    """
    gap = StyledText("   " if fullness.named else "  ")
    pieces = [StyledText(" ")]
    for index, measure_value in enumerate(measures.now):
        if index:
            pieces.append(gap)
        pieces += _value(measure_value, fullness, marks)
    return pieces


def _value(
    measure_value: MeasureValue,
    fullness: _Fullness,
    marks: Marks,
) -> list[StyledText]:
    """Return the pieces of one measure: its name or letter, its value, and its difference if any.

    `fullness` says whether the name is in full, with the bounds after the value, and whether the
    difference is drawn. The value is drawn in style `moved` if its difference is.
    """
    name = measure_value.name if fullness.named else measure_value.short
    change = ""
    if fullness.moved:
        change = difference(measure_value, marks)
    style = "moved" if change else "value"
    pieces = [
        StyledText(f"{name} ", "name"),
        StyledText(value(measure_value, marks), style),
    ]
    if measure_value.out_of and fullness.named:
        pieces.append(StyledText(spelt(measure_value.out_of, marks), "muted"))
    if change:
        pieces.append(StyledText(f" {change}", "delta"))
    return pieces
