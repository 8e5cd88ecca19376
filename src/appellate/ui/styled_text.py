"""A line of a widget as styled pieces of text, measured, cut to its width and drawn without markup."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.text import cell_width, clip, flat


class StyledText(NamedTuple):
    """Text in the style of one of the widget's component classes, or of the line where `style` is empty."""

    text: str
    style: str = ""


def cells(pieces: Iterable[StyledText]) -> int:
    """The cells that the pieces take side by side."""
    return sum(cell_width(flat(piece.text)) for piece in pieces)


def cut(pieces: Sequence[StyledText], width: int, marks: Marks = UNICODE) -> list[StyledText]:
    """The pieces inert and in at most `room` cells: the first too long is clipped, the rest left out."""
    fit: list[StyledText] = []
    for piece in pieces:
        shown = clip(piece.text, width, marks)
        fit.append(StyledText(shown, piece.style))
        width -= cell_width(shown)
        if shown != flat(piece.text):
            break
    return fit


def spread(
    left: Sequence[StyledText], right: Sequence[StyledText], width: int, marks: Marks = UNICODE
) -> list[StyledText]:
    """`left` at the left end, `right` at the right end; `left` gives way."""
    right = cut(right, width, marks)
    left = cut(left, width - cells(right), marks)
    gap = width - cells(left) - cells(right)
    return [*left, StyledText(" " * gap), *right]


def strip(
    widget: Widget, prefix: str, pieces: Iterable[StyledText], width: int, base: Style
) -> Strip:
    """The pieces as a strip of exactly `room` cells, each in the component class `prefix--style`."""
    segments = [
        Segment(text, base + _partial(widget, prefix, style)) for text, style in pieces if text
    ]
    return Strip(segments).adjust_cell_length(max(width, 0), base)


def _partial(widget: Widget, prefix: str, style: str) -> Style:
    if not style:
        return Style.null()
    return widget.get_component_rich_style(f"{prefix}--{style}", partial=True)
