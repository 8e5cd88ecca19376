"""What a page of figures says, as values: tables of figures with the queries of their cells, and
sentences; sorted and narrowed here, drawn on a screen, printed or exported elsewhere.
"""

from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

LEAST = 16  # cells that names get at least


class FigureColumn(NamedTuple):
    """A column: its title, its cells, and whether its figures stand at the left; with `widest` it
    gets as many more cells as its title takes, up to these. `words` are its title where there is
    room.
    """

    title: str
    width: int
    left: bool = False
    widest: int = 0
    words: str = ""


class ShownFigure(Struct, frozen=True):
    """A figure as it is drawn; `rank` is what rows are sorted by, None comes last.

    `detail` says in a sentence what it is and rests on, `query` finds the cells behind it.
    """

    text: str = ""
    rank: float | None = None
    detail: str = ""
    query: str = ""
    style: str = ""


NO_FIGURE = ShownFigure()


def count_of(count: int, text: str, query: str, style: str = "") -> ShownFigure:
    """A count, with the query for what was counted, if anything was."""
    if not count:
        return ShownFigure("0", 0, text, style="muted")
    return ShownFigure(str(count), count, text, query, style)


class FigureRow(Struct, frozen=True):
    """A row: its name, with a `tag` before it, and its figures.

    `detail` and `query` are of the row as a whole; `goes` is where it leads instead of to the cells
    of a query. `about` are words that it is found by as well. What is `last` stays last.
    """

    name: str
    figures: Sequence[ShownFigure]
    tag: str = ""
    detail: str = ""
    query: str = ""
    goes: object = None
    about: str = ""
    last: bool = False


class RowOrder(NamedTuple):
    """By which column rows are sorted: 0 is the name, then come the figures."""

    column: int
    falling: bool


class FigureTable(Struct, frozen=True, dict=True):
    """Rows under titles. Tables of one `key` are sorted alike.

    `notes` are sentences below the rows, `empty` is one in their place. Where no cursor asks the
    figures what they are, the `legend` says what the columns are and `in_words` what else there is
    to say; `in_sentences` has the rows be sentences there. Names get at least `least` cells, their
    tags `tags`. Where names have a title of their own (`named`), the heading is in a line above
    the titles, else beside them. `order` is how rows are sorted, in words.
    """

    key: str
    heading: str
    columns: Sequence[FigureColumn]
    rows: Sequence[FigureRow] = ()
    empty: str = ""
    notes: Sequence[str] = ()
    legend: str = ""
    in_words: Sequence[str] = ()
    in_sentences: bool = False
    least: int = LEAST
    tags: int = 0
    named: str = ""
    order: str = ""

    def sorted(self, order: RowOrder | None) -> "FigureTable":
        """The same rows in another order; equal ones stay, those without a figure come last."""
        if order is None or order.column > len(self.columns):
            return self
        known: list[tuple[float | str, FigureRow]] = []
        others: list[FigureRow] = []
        for row in self.rows:
            rank: float | str | None = row.name.casefold()
            if order.column:
                rank = row.figures[order.column - 1].rank
            if rank is None or row.last:
                others.append(row)
            else:
                known.append((rank, row))
        known.sort(key=itemgetter(0), reverse=order.falling)
        rows = [*(row for _, row in known), *others]
        return replace(self, rows=rows, order=self._describe(order))

    def _describe(self, order: RowOrder) -> str:
        if not order.column:
            return "by name" + ", last first" * order.falling
        way = "highest" if order.falling else "lowest"
        return f"{way} {self.columns[order.column - 1].title} first"

    @property
    def title(self) -> str:
        """The heading, and how rows are sorted."""
        return f"{self.heading}, {self.order}" if self.order else self.heading

    def holding(self, words: str) -> "FigureTable":
        """The rows that, with the heading, hold all these words, in any case."""
        wanted = words.casefold().split()
        rows = [row for row in self.rows if holds(f"{self.heading} {row.name} {row.about}", wanted)]
        return replace(self, rows=rows)

    def shown_from(self, focus: int, room: int) -> range:
        """The columns that there is room for, the one in focus among them."""
        room -= self.least + self.tags
        first = 0
        while first < focus and self._taken(range(first, focus + 1)) > room:
            first += 1
        last = first + 1
        while last < len(self.columns) and self._taken(range(first, last + 1)) <= room:
            last += 1
        return range(first, min(last, len(self.columns)))

    def _taken(self, shown: range) -> int:
        """The cells of some columns, each behind a free one."""
        return sum(self.columns[place].width + 1 for place in shown)

    def name_width(self, shown: range, room: int) -> int:
        """The cells that names and the heading get: what they take, as far as there is room."""
        room -= self.tags + self._taken(shown) + 1
        return max(min(self._longest, room), self.least)

    @cached_property
    def _longest(self) -> int:
        """The cells that the longest name takes, or the heading."""
        longest = len(self.named or self.title) - self.tags
        for row in self.rows:
            longest = max(longest, len(row.name))
        return longest


def holds(text: str, words: Sequence[str]) -> bool:
    """Whether a text holds all of some folded words."""
    folded = text.casefold()
    return all(word in folded for word in words)


class Sentence(Struct, frozen=True):
    """A sentence on a page of figures."""

    text: str
    style: str = ""


class Sentences(Struct, frozen=True):
    """Sentences under a heading."""

    heading: str
    texts: Sequence[Sentence]

    @property
    def key(self) -> str:
        """What the block is called by, as a table's is."""
        return self.heading


FigureBlock = FigureTable | Sentences
