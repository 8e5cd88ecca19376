"""A table of Markdown with its columns under each other, where they fit; else its lines, each set
off by its start.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise, repeat
from typing import NamedTuple

from markdown_it.token import Token

from appellate.ui.markdown_source import BlockPosition, InlineMarkup, MarkdownSource
from appellate.ui.rendered_text import RenderedText
from appellate.ui.text import TAB, cell_width, inert

GAP = 3  # cells between columns
_PIPE = re.compile(r"(?<!\\)\|")


class TableCell(NamedTuple):
    """Where a cell's text stands in the source, and the cells that what is shown of it takes."""

    start: int
    end: int
    room: int


RULE = 24  # cells of a line across, and of the one under a head where columns do not fit


def laid_out(source: MarkdownSource, bounds: list[int], tokens: Iterable[Token]) -> None:
    """Lays out the table of these lines, whose tokens follow."""
    head, under, *body = source.lines(bounds)
    lines = [head, *body]
    cells = [token for token in tokens if token.type in ("tr_open", "th_open", "td_open", "inline")]
    rows = [_row(source, line, said) for line, said in zip(lines, _rows(cells), strict=False)]
    sides = [
        str(token.attrs.get("style", "")).removeprefix("text-align:")
        for token in cells
        if token.type == "th_open"
    ]
    rooms = [
        max((row[i].room for row in rows if i < len(row)), default=0) for i in range(len(sides))
    ]
    source.tabular = True
    source.wear(source.body(head), source.end(head), "strong")
    indent = cell_width(
        inert(source.text[source.starts[head] : source.body(head)]).replace("\t", " " * TAB)
    )
    fits = indent + sum(rooms) + GAP * (len(rooms) - 1) <= source.width
    for line, row in zip(lines, rows, strict=False):
        _align(source, line, row, rooms, sides) if fits else _set_off(source, line, row)
    rule = source.marks.rule
    ruled = f"{rule}{source.marks.crossing}{rule}".join(rule * room for room in rooms)
    source.show(source.body(under), source.end(under), ruled if fits else rule * RULE)


def _rows(cells: Sequence[Token]) -> Iterator[list[Token]]:
    """The texts of the cells of each row."""
    for starts, row in groupby(cells, key=lambda token: token.type == "tr_open"):
        if not starts:
            yield [token for token in row if token.type == "inline"]


def _row(source: MarkdownSource, line: int, said: Sequence[Token]) -> list[TableCell]:
    tokens = chain(said, repeat(None))
    return [
        _cell(source, *stretch, token)
        for stretch, token in zip(_stretches(source, line), tokens, strict=False)
    ]


def _stretches(source: MarkdownSource, line: int) -> list[tuple[int, int]]:
    """Where the texts between the pipes of a line stand, without the blanks around them."""
    begin, end = source.body(line), source.end(line)
    pipes = [pipe.start() for pipe in _PIPE.finditer(source.text, begin, end)]
    between = list(pairwise([begin - 1, *pipes, end]))
    between = between[1:] if pipes and pipes[0] == begin else between
    between = between[:-1] if len(between) > 1 and pipes and pipes[-1] == end - 1 else between
    return [_stripped(source.text, low + 1, high) for low, high in between]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    said = text[start:end].strip()
    found = start + text[start:end].find(said)
    return found, found + len(said)


def _cell(source: MarkdownSource, start: int, end: int, token: Token | None) -> TableCell:
    done = len(source.edits)
    if token and token.content == source.text[start:end]:
        InlineMarkup(source, token.content, BlockPosition([token.content], [start])).apply(
            token.children or ()
        )
    edits = [
        edit._replace(start=edit.start - start, end=edit.end - start)
        for edit in source.edits[done:]
    ]
    shown = inert(RenderedText(source.text[start:end], edits).text).replace("\t", " " * TAB)
    return TableCell(start, end, cell_width(shown))


def _align(
    source: MarkdownSource,
    line: int,
    row: Sequence[TableCell],
    rooms: Sequence[int],
    sides: Sequence[str],
) -> None:
    """Pads the cells of a line in place of the pipes and blanks between them."""
    done, behind = source.body(line), ""
    for number, cell in enumerate(row):
        free = rooms[number] - cell.room if number < len(rooms) else 0
        before = {"right": free, "center": free // 2}.get(
            sides[number] if number < len(sides) else "", 0
        )
        joint = f"{behind} {source.marks.column} " if number else ""
        source.show(done, cell.start, joint + " " * before)
        done, behind = cell.end, " " * (free - before)
    source.hide(done, source.end(line))


def _set_off(source: MarkdownSource, line: int, row: Sequence[TableCell]) -> None:
    """Lets the further rows of a line begin under its first cell, and draws the pipes apart from
    the text.
    """
    for pipe in _PIPE.finditer(source.text, source.body(line), source.end(line)):
        source.show(*pipe.span(), source.marks.column)
    if row and row[0].start > source.body(line):
        source.hang_under(line, row[0].start)
