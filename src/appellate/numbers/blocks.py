"""What parts of a report are made of, before any form: sentences, tables, pictures, lists of acts.

Texts in tables and acts of a report are inert and cut, and not yet escaped; sentences and figures
are as they are.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.figures import FigureTable, Sentence, Sentences
from appellate.core.problem import many
from appellate.numbers.formatting import cut
from appellate.numbers.pictures import Picture
from appellate.numbers.report import ActReport

TableRow = tuple[str, ...]


class TableRows(Protocol):
    """Rows of a table that can be gone through again and again, in memory or not."""

    def __len__(self) -> int:
        """Return how many there are."""

    def __iter__(self) -> Iterator[TableRow]:
        """Yield them in order."""


_Entry = TypeVar("_Entry")


class RowsAsRead(Generic[_Entry]):
    """A row for each entry of a list, made whenever they are gone through.

    So the texts of a table of all cells are never in memory together.
    """

    def __init__(
        self,
        entries: Sequence[_Entry],
        row_of: Callable[[_Entry], TableRow],
    ) -> None:
        """Keep the entries, and how a row is made of one; no row is made yet."""
        self._entries = entries
        self._row_of = row_of

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[TableRow]:
        return map(self._row_of, self._entries)


class ReportTable(Struct, frozen=True):
    """Rows under heads; the columns from `figures` on hold figures."""

    heads: tuple[str, ...]
    rows: TableRows
    figures: int = 99


class Acts(Struct, frozen=True):
    """Acts one below the other, with whole texts; `verb` says what they did with them."""

    acts: Sequence[ActReport]
    verb: str


class Verbatim(Struct, frozen=True):
    """Text for another program, as it is; all of it is ours."""

    text: str


WrittenBlock = Sentence | Sentences | ReportTable | Acts | Verbatim | Picture
Block = WrittenBlock | FigureTable


class ReportSection(Struct, frozen=True):
    """One part; `anchor` is made of our own words and numbers only. Not `open` means folded."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    open: bool = False


ROWS = 500
"""Rows of figures in a table of a report; JSON has them all."""


def in_writing(block: Block) -> Iterator[WrittenBlock]:
    """Yield a block as reports write it: as it is, or for a table of figures as several blocks.

    A table of figures becomes its heading, its rows and its sentences. With many rows it has only
    the first `ROWS`. Nothing is yielded for a table without a heading, rows and sentences.
    """
    if isinstance(block, FigureTable):
        yield from _written_table(block)
    else:
        yield block


def _written_table(table: FigureTable) -> Iterator[WrittenBlock]:
    """Yield a table of figures as reports write it: its heading, its rows, then sentences.

    The heading is left out if it is "". The rows are a table of at most `ROWS` rows, or a sentence
    each if the table is told in sentences. A table that has no rows and is not told in sentences is
    replaced by its sentence for that. The sentences are the legend, the notes and what a table says
    in writing only, and last how many rows are left out.
    """
    texts: list[str] = []
    left_out = ""
    if table.heading:
        yield Sentences(table.title, ())
    if table.in_sentences:
        texts += [row.detail for row in table.rows]
    elif table.rows:
        yield plain(replace(table, rows=table.rows[:ROWS]))
        rest = len(table.rows) - ROWS
        if rest > 0:
            rows = many(rest, "further row")
            left_out = f"{rows} left out here; --format json has them all."
    else:
        texts.append(table.empty)
    texts += [table.legend, *table.notes, *table.in_words, left_out]
    for text in texts:
        if text:
            yield Sentence(text)


def plain(table: FigureTable, *, brief: bool = False) -> ReportTable:
    """Return a table of figures as texts, without columns in which all figures are empty.

    The first column has the names of the rows, under the table's own word for them. All texts are
    inert and cut. Titles of columns are the long ones, or with `brief` the short ones of a screen.
    Heading, notes and queries are left out.
    """
    heads = [table.named]
    columns = [[cut(row.name) for row in table.rows]]
    for index, column in enumerate(table.columns):
        texts = [cut(row.figures[index].text) for row in table.rows]
        if not any(texts):
            continue
        title = column.title
        if column.words and not brief:
            title = column.words
        heads.append(cut(title))
        columns.append(texts)
    rows = list(zip(*columns, strict=True))
    return ReportTable(tuple(heads), rows, 1)
