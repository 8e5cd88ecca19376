"""Tables and sentences as the commands print them, in lines of 80 characters."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from appellate.core.figures import FigureTable, Sentence, Sentences
from appellate.numbers.blocks import Block, ReportTable, plain
from appellate.numbers.formatting import LIST, cut

WIDTH = 80
WORDS = 32  # characters of words in a table


def block_lines(blocks: Iterable[Block]) -> Iterator[str]:
    """Blocks with an empty line between any two; pictures are left out."""
    is_first = True
    for block in blocks:
        lines = list(_lines(block))
        if lines and not is_first:
            yield ""
        yield from lines
        is_first = is_first and not lines


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Sentence(text):
            yield from sentence_lines(text)
        case Sentences():
            yield from sentence_lines(*(one.text for one in block.texts))
        case FigureTable():
            yield from figure_lines(block)
        case ReportTable():
            yield from text_lines(block)
        case _:
            return


def figure_lines(table: FigureTable) -> Iterator[str]:
    """A table below its heading, and what the columns are; or a sentence for each row."""
    if table.heading:
        yield from sentence_lines(f"{table.title}:")
    if table.in_sentences:
        yield from sentence_lines(*(row.detail for row in table.rows))
    elif table.rows:
        yield from text_lines(plain(table, brief=True))
    elif table.empty:
        yield from sentence_lines(table.empty)
    yield from sentence_lines(*filter(None, (table.legend, *table.notes, *table.in_words)))


def text_lines(table: ReportTable, indent: int = 4) -> Iterator[str]:
    """A table in columns; those without room come below, long names above their figures."""
    rows = [table.heads, *table.rows]
    named = min(table.figures, len(table.heads))
    widths = [max(map(len, map(clipped, column))) for column in zip(*rows, strict=True)]
    above = named == 1 and max(map(len, next(zip(*rows, strict=True)))) > WORDS
    if above:
        widths[0] = 0
    room = WIDTH - indent
    gap = 2 if sum(widths) + 2 * (len(widths) - 1) <= room else 1
    left = room - sum(width + gap for width in widths[:named])
    for shown in _fitting(widths, named, left, gap):
        if shown.start > named:
            yield ""
        for row in rows:
            texts = list(map(clipped, row))
            if above:
                texts[0] = ""
                yield from sentence_lines(row[0], indent=indent)
            cells = [texts[at].ljust(widths[at]) for at in range(named)]
            cells += [texts[at].rjust(widths[at]) for at in shown]
            yield f"{'':{indent}}{(' ' * gap).join(cells)}".rstrip()


def _fitting(widths: Sequence[int], first: int, room: int, gap: int) -> Iterator[range]:
    """Columns from the `first` on, as many at once as there is room for."""
    if first == len(widths):
        yield range(first, first)
    while first < len(widths):
        last = first + 1
        left = room - widths[first]
        while last < len(widths) and widths[last] + gap <= left:
            left -= widths[last] + gap
            last += 1
        yield range(first, last)
        first = last


def sentence_lines(*texts: str, indent: int = 2, hanging: int = 0) -> Iterator[str]:
    """Sentences in the width that the tables have; lines after the first are `hanging` further."""
    first = " " * indent
    others = " " * (indent + hanging)
    for text in texts:
        yield from wrap(cut(text, LIST), WIDTH, initial_indent=first, subsequent_indent=others)


def clipped(text: str) -> str:
    return text if len(text) <= WORDS else text[: WORDS - 1] + "…"
