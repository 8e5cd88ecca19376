"""Tables as the commands print them."""

from collections.abc import Iterator

from appellate.numbers.blocks import ReportTable

WORDS = 32  # characters of words in a table


def text_lines(table: ReportTable) -> Iterator[str]:
    """A table in columns: words to the left, figures to the right, as wide as they are."""
    rows = [tuple(clipped(text) for text in row) for row in (table.heads, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = []
        for place, (text, width) in enumerate(zip(row, widths, strict=True)):
            cells.append(text.rjust(width) if place >= table.figures else text.ljust(width))
        yield f"    {'  '.join(cells)}".rstrip()


def clipped(text: str) -> str:
    return text if len(text) <= WORDS else text[: WORDS - 1] + "…"
