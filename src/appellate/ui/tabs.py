"""The tabs of a docked text, as they stand in its frame."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from appellate.ui.marks import Marks
from appellate.ui.rendered_text import StyledText, cells


class Tab(NamedTuple):
    """What it is called among tabs, and by us."""

    name: str
    title: str


class TabbedTitle(NamedTuple):
    """The tabs that fit, with what stands between them, each piece with the tab it belongs to."""

    pieces: Sequence[StyledText]
    names: Sequence[str]

    def at(self, cell: int) -> str:
        """The tab that is drawn at a cell; "" for none."""
        for piece, name in zip(self.pieces, self.names, strict=True):
            if 0 <= cell < cells([piece]):
                return name
            cell -= cells([piece])
        return ""

    def places(self) -> Iterator[tuple[str, int]]:
        """The tabs, and the cell at which each begins."""
        cell = 0
        for piece, name in zip(self.pieces, self.names, strict=True):
            if name:
                yield name, cell
            cell += cells([piece])


def titled(tabs: Sequence[Tab], chosen: str, room: int, marks: Marks) -> TabbedTitle:
    """The tabs side by side; where they do not fit, those about the chosen one."""
    names = [tab.name for tab in tabs]
    at = names.index(chosen)
    low, high = 0, len(tabs)
    title = _titled(tabs, low, high, at, marks)
    while cells(title.pieces) > room and high - low > 1:
        if at - low > high - 1 - at:
            low += 1
        else:
            high -= 1
        title = _titled(tabs, low, high, at, marks)
    return title


def _titled(tabs: Sequence[Tab], low: int, high: int, at: int, marks: Marks) -> TabbedTitle:
    pieces, names = [], []
    if low:
        pieces.append(StyledText(f"{marks.ellipsis} "))
        names.append(tabs[low - 1].name)
    for place in range(low, high):
        if place > low:
            pieces.append(StyledText(f" {marks.column} "))
            names.append("")
        pieces.append(StyledText(tabs[place].title, "chosen" if place == at else ""))
        names.append(tabs[place].name)
    if high < len(tabs):
        pieces.append(StyledText(f" {marks.ellipsis}"))
        names.append(tabs[high].name)
    return TabbedTitle(pieces, names)
