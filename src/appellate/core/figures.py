"""What a page of figures says, as values: tables of figures with queries for their cells, and
sentences.

They are sorted and narrowed here, and drawn, printed or exported elsewhere.
"""

from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

LEAST = 16
"""Columns that names get at least."""


class FigureColumn(NamedTuple):
    """A column of a table of figures."""

    title: str
    width: int
    """Its width in terminal columns."""
    left: bool = False
    """Whether its figures are aligned at the left."""
    widest: int = 0
    """The width up to which it grows for a long title; 0 for no growth."""
    words: str = ""
    """Its title where there is more room."""


class ShownFigure(Struct, frozen=True):
    """A figure as it is drawn."""

    text: str = ""
    rank: float | None = None
    """The number by which rows are sorted; rows with None come last."""
    detail: str = ""
    """What the figure is and what it is based on, in a sentence."""
    query: str = ""
    """A query that finds the cells behind it; "" for none."""
    style: str = ""


NO_FIGURE = ShownFigure()


def count_of(count: int, detail: str, query: str, style: str = "") -> ShownFigure:
    """Return a count as a figure, written without commas, which is sorted by the count.

    `detail` says in a sentence what is counted, and `query` finds it. A figure of 0 has no query,
    and is muted whatever the `style`.
    """
    if not count:
        return ShownFigure("0", 0, detail, style="muted")
    return ShownFigure(str(count), count, detail, query, style)


class FigureRow(Struct, frozen=True):
    """A row of a table of figures."""

    name: str
    figures: Sequence[ShownFigure]
    tag: str = ""
    """What is drawn before its name."""
    detail: str = ""
    """About the row as a whole, as is `query`."""
    query: str = ""
    goes: object = None
    """Where the row leads, instead of to the cells of a query; None for the query."""
    about: str = ""
    """More words by which the row is found."""
    last: bool = False
    """Whether the row stays last in any order."""


class RowOrder(NamedTuple):
    """The column by which rows are sorted: 0 is the name, the figures follow from 1."""

    column: int
    falling: bool


class FigureTable(Struct, frozen=True, dict=True):
    """Rows of figures under titles."""

    key: str
    """What the table is known by; tables with the same key are sorted alike."""
    heading: str
    columns: Sequence[FigureColumn]
    rows: Sequence[FigureRow] = ()
    empty: str = ""
    """A sentence instead of rows, if there are none."""
    notes: Sequence[str] = ()
    """Sentences below the rows."""
    legend: str = ""
    """What the columns are, for print and export, where no cursor can ask a figure."""
    in_words: Sequence[str] = ()
    """What else there is to say in print and export."""
    in_sentences: bool = False
    """Whether rows are sentences in print and export."""
    least: int = LEAST
    """Columns that names get at least."""
    tags: int = 0
    """Columns that tags get."""
    named: str = ""
    """The title of the names, whose heading is then on a line above; "" puts it beside the
    titles.
    """
    order: str = ""
    """How rows are sorted, in words."""

    def sorted(self, order: RowOrder | None) -> "FigureTable":
        """Return the table with its rows in an order; equal rows keep theirs.

        Names are sorted without regard to case, and figures by `rank`. Rows without a rank, and
        those that are `last`, come last in any order. The new table's `order` says the order in
        words. The table itself is returned for None, and for a column that it does not have.
        """
        if order is None or order.column > len(self.columns):
            return self

        ranked: list[tuple[float | str, FigureRow]] = []
        unranked: list[FigureRow] = []
        for row in self.rows:
            rank: float | str | None = row.name.casefold()
            if order.column:
                figure = row.figures[order.column - 1]
                rank = figure.rank
            if rank is None or row.last:
                unranked.append(row)
            else:
                ranked.append((rank, row))
        ranked.sort(key=itemgetter(0), reverse=order.falling)

        rows = [row for _, row in ranked]
        rows.extend(unranked)
        return replace(self, rows=rows, order=self._order_in_words(order))

    def _order_in_words(self, order: RowOrder) -> str:
        """Return an order of rows in words, such as "highest F1 first".

        By names it is "by name" or, falling, "by name, last first". A rising order of figures
        begins with "lowest".
        """
        if order.column:
            column = self.columns[order.column - 1]
            direction = "highest" if order.falling else "lowest"
            return f"{direction} {column.title} first"
        if order.falling:
            return "by name, last first"
        return "by name"

    @property
    def title(self) -> str:
        """The heading and, if rows were sorted, a comma and their order: "Traits, by name"."""
        return f"{self.heading}, {self.order}" if self.order else self.heading

    def holding(self, words: str) -> "FigureTable":
        """Return the table with only those rows that have all of some words, in any case.

        `words` are separated by white space; an empty text leaves all rows. A word may be in the
        row's name, in `about` or in the table's heading, also as a part of another word.
        """
        folded_words = words.casefold().split()
        rows: list[FigureRow] = []
        for row in self.rows:
            searched = f"{self.heading} {row.name} {row.about}".casefold()
            if all(word in searched for word in folded_words):
                rows.append(row)
        return replace(self, rows=rows)

    def shown_from(self, focus: int, width: int) -> range:
        """Return the indexes of the columns that fit beside names of the least width.

        `width` is for all together, in screen columns: names get `least`, and tags their own. The
        columns begin with the first, or as far to the right as it takes to show the one with the
        index `focus`. At least one column is shown, even if it does not fit.
        """
        room = width - self.least - self.tags
        first = 0
        while first < focus:
            up_to_focus = range(first, focus + 1)
            if self._taken(up_to_focus) <= room:
                break
            first += 1

        stop = first + 1
        while stop < len(self.columns):
            with_next_column = range(first, stop + 1)
            if self._taken(with_next_column) > room:
                break
            stop += 1
        return range(first, min(stop, len(self.columns)))

    def _taken(self, columns: range) -> int:
        """Return the width of some columns, each with a space before it."""
        return sum(self.columns[index].width + 1 for index in columns)

    def name_width(self, shown: range, width: int) -> int:
        """Return how many screen columns names get beside the table's columns `shown`.

        They get as many as the longest name or their heading needs, or what is left of `width` if
        that is less. They get at least `least`, even if that is too much.
        """
        width -= self.tags + self._taken(shown) + 1
        return max(min(self._full_name_width, width), self.least)

    @cached_property
    def _full_name_width(self) -> int:
        """The number of screen columns that names would get if there were room for them.

        It is the length of the longest name, or of the heading above names if that needs more. The
        heading is `named`, or else the title. It may also use the columns of the tags, so it needs
        that many less.
        """
        longest = len(self.named or self.title) - self.tags
        for row in self.rows:
            longest = max(longest, len(row.name))
        return longest


class Sentence(Struct, frozen=True):
    """A sentence on a page of figures."""

    text: str
    style: str = ""


class Sentences(Struct, frozen=True):
    """Sentences under a heading."""

    heading: str
    texts: Sequence[Sentence]
    is_passed_over: bool = False
    """Whether the cursor of a screen passes over them."""

    @property
    def key(self) -> str:
        """The name of the block, as a table has one."""
        return self.heading


FigureBlock = FigureTable | Sentences
