"""Where one was in the numbers, so that one comes back to the same place."""

from msgspec import Struct, field

from appellate.ui.figure_list import FigureList
from appellate.ui.figure_table import RowOrder
from appellate.ui.row_layout import Cursor

JUDGE = "judge"
FIGURES = "figures"
WORTH = "worth"
PAGES = {JUDGE: "Judge", WORTH: "Estimate", FIGURES: "Figures", "session": "Session"}
"""The pages by what they are called; where the judge is bad comes first."""

TOP = Cursor(0, 0)


class PagePlace(Struct):
    """The cursor on a page, its column, and how far the page is scrolled."""

    cursor: Cursor = TOP
    column: int = 0
    scrolled: float = 0


class NumbersPlace(Struct):
    """The page in sight, how its tables are sorted, the words that narrow it, what is grouped by.

    `chosen` is the query of the figure whose cells were shown last.
    """

    page: str = next(iter(PAGES))
    words: str = ""
    grouping: str = ""
    chosen: str = ""
    orders: dict[str, RowOrder] = field(default_factory=dict)
    pages: dict[str, PagePlace] = field(default_factory=dict)

    def leave(self, lines: FigureList) -> None:
        """Takes note of where the cursor is."""
        self.pages[self.page] = PagePlace(lines.cursor, lines.column, lines.scroll_offset.y)

    def come_back(self, lines: FigureList) -> None:
        """Puts the cursor to where it was on the page in sight."""
        place = self.pages.get(self.page, PagePlace())
        lines.column = place.column
        lines.go(*place.cursor)
        self.scroll_back(lines)

    def scroll_back(self, lines: FigureList) -> None:
        """Shows the part of the page that was in sight, once there is room, unless the cursor is
        elsewhere by now.
        """
        place = self.pages.get(self.page, PagePlace())
        if lines.cursor == place.cursor:
            lines.scroll_to(y=place.scrolled, animate=False, force=True, immediate=True)

    def turn(self, by: int) -> None:
        """Goes to another page, round the corner."""
        names = list(PAGES)
        self.page = names[(names.index(self.page) + by) % len(names)]

    def sort(self, key: str, column: int) -> None:
        """Sorts tables by a column: first the highest figures, or names from A on, then the other
        way, then as they were.
        """
        before, first = self.orders.get(key), RowOrder(column, column > 0)
        if before == first:
            self.orders[key] = RowOrder(column, not first.falling)
        elif before is not None and before.column == column:
            del self.orders[key]
        else:
            self.orders[key] = first
