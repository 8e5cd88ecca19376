"""Draws scrollbars on terminals that lack the blocks at their ends."""

from typing import ClassVar

from textual.scrollbar import ScrollBarRender


class BlankScrollBar(ScrollBarRender):
    """A scrollbar of coloured blanks, since some terminals lack the blocks at its ends."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "]
