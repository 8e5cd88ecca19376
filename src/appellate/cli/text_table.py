"""Prints tables and sentences of numbers as text, in lines of 80 characters."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from appellate.core.figures import FigureTable, Sentence, Sentences
from appellate.numbers.blocks import Block, ReportTable, plain
from appellate.numbers.formatting import LIST, cut

WIDTH = 80
"""Characters of a line."""
CLIPPED = 32
"""Characters of a text in a table; longer ones are clipped."""


def block_lines(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the lines of blocks, in lines of `WIDTH`, with an empty line between two blocks.

    Pictures, lists of acts and texts that are kept word by word are left out, and so is a block
    without lines.
    """
    is_first = True
    for block in blocks:
        lines = list(_lines_of_block(block))
        if lines and not is_first:
            yield ""
        yield from lines
        is_first = is_first and not lines


def _lines_of_block(block: Block) -> Iterator[str]:
    """Yield the lines of one block of numbers, wrapped and without line breaks.

    Sentences and tables have lines; a picture, a list of acts and a text that is kept word by word
    have none.
    """
    match block:
        case Sentence(text):
            yield from sentence_lines(text)
        case Sentences():
            yield from sentence_lines(*(sentence.text for sentence in block.texts))
        case FigureTable():
            yield from figure_lines(block)
        case ReportTable():
            yield from text_lines(block)
        case _:
            return


def figure_lines(table: FigureTable) -> Iterator[str]:
    """Yield the lines of a table of figures: its heading, its rows, and what the columns mean.

    The heading is the title with a colon. The rows are a table, or a sentence for each if the table
    is `in_sentences`; without rows the sentence for an empty table replaces them, if it has one.
    Sentences are wrapped. Parts that a table lacks are left out.
    """
    if table.heading:
        yield from sentence_lines(f"{table.title}:")
    if table.in_sentences:
        yield from sentence_lines(*(row.detail for row in table.rows))
    elif table.rows:
        yield from text_lines(plain(table, brief=True))
    elif table.empty:
        yield from sentence_lines(table.empty)
    yield from sentence_lines(
        *filter(None, (table.legend, *table.notes, *table.in_words)),
    )


def text_lines(table: ReportTable, indent: int = 4) -> Iterator[str]:
    """Yield a table as lines: its headers, then its rows, indented by `indent` blanks.

    Its first `figures` columns are names, at the left; the others are figures, at the right.
    Columns are as wide as their longest text or header; texts longer than `CLIPPED` characters are
    cut. Figures that do not fit into a line come in further tables below an empty line, with the
    names again. If there is one column of names and one name is too long for it, each name stands
    uncut on lines of its own above its figures. Lines have no blanks at the end.
    """
    rows = [table.heads, *table.rows]
    name_count = min(table.figures, len(table.heads))
    columns = list(zip(*rows, strict=True))
    widths = [max(len(_clipped(text)) for text in column) for column in columns]
    names_above = name_count == 1 and max(map(len, columns[0])) > CLIPPED
    if names_above:
        widths[0] = 0

    total_width = WIDTH - indent
    width_with_wide_gaps = sum(widths) + 2 * (len(widths) - 1)
    gap = 2 if width_with_wide_gaps <= total_width else 1
    figures_width = total_width - sum(width + gap for width in widths[:name_count])
    for figure_columns in _column_ranges(widths, name_count, figures_width, gap):
        if figure_columns.start > name_count:
            yield ""
        for row in rows:
            texts = list(map(_clipped, row))
            if names_above:
                texts[0] = ""
                yield from sentence_lines(row[0], indent=indent)
            cells = [
                texts[column].ljust(widths[column]) for column in range(name_count)
            ]
            cells += [texts[column].rjust(widths[column]) for column in figure_columns]
            yield f"{'':{indent}}{(' ' * gap).join(cells)}".rstrip()


def _column_ranges(
    widths: Sequence[int],
    first: int,
    total: int,
    gap: int,
) -> Iterator[range]:
    """Yield ranges of column indexes, from `first` on, that fit into `total` characters each.

    `widths` are those of all columns, and `gap` is the space between two of a range. Columns before
    `first` take no room here. A column that is wider than `total` is in a range by itself. Without
    any column from `first` on it yields one empty range.
    """
    if first >= len(widths):
        yield range(first, first)
    while first < len(widths):
        end = first + 1
        remaining = total - widths[first]
        while end < len(widths) and widths[end] + gap <= remaining:
            remaining -= widths[end] + gap
            end += 1
        yield range(first, end)
        first = end


def sentence_lines(*texts: str, indent: int = 2, hanging: int = 0) -> Iterator[str]:
    """Yield the lines of sentences, each cut to `LIST` characters and wrapped to `WIDTH`.

    Each sentence begins on a line of its own, indented by `indent` blanks; its further lines have
    `hanging` more. Runs of blanks and line breaks become one blank, and control characters are
    spelled out. An empty text has no line.
    """
    first = " " * indent
    others = " " * (indent + hanging)
    for text in texts:
        yield from wrap(
            cut(text, LIST),
            WIDTH,
            initial_indent=first,
            subsequent_indent=others,
        )


def _clipped(text: str) -> str:
    """Return a text of at most `CLIPPED` characters; if it was cut, the last of them is "…".

    Line breaks and control characters stay as they are.
    """
    if len(text) <= CLIPPED:
        return text
    return text[: CLIPPED - 1] + "…"
