"""A table of Markdown with its columns under each other, where they fit; else its lines, each set off by its start."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise, repeat
from typing import NamedTuple

from markdown_it.token import Token

from appellate.ui.face import Face
from appellate.ui.phrases import phrased
from appellate.ui.sheet import Place, Sheet
from appellate.ui.text import TAB, inert, width

GAP = 3  # cells between columns
_PIPE = re.compile(r"(?<!\\)\|")


class Cell(NamedTuple):
    """Where a cell's text stands in the source, and the cells that what is shown of it takes."""

    start: int
    end: int
    room: int


RULE = 24  # cells of a line across, and of the one under a head where columns do not fit


def laid_out(sheet: Sheet, bounds: list[int], tokens: Iterable[Token]) -> None:
    """Lays out the table of these lines, whose tokens follow."""
    head, under, *body = sheet.lines(bounds)
    lines = [head, *body]
    cells = [token for token in tokens if token.type in ("tr_open", "th_open", "td_open", "inline")]
    rows = [_row(sheet, line, said) for line, said in zip(lines, _rows(cells), strict=False)]
    sides = [
        str(token.attrs.get("style", "")).removeprefix("text-align:") for token in cells if token.type == "th_open"
    ]
    rooms = [max((row[i].room for row in rows if i < len(row)), default=0) for i in range(len(sides))]
    sheet.tabular = True
    sheet.wear(sheet.body(head), sheet.end(head), "strong")
    indent = width(inert(sheet.text[sheet.starts[head] : sheet.body(head)]).replace("\t", " " * TAB))
    fits = indent + sum(rooms) + GAP * (len(rooms) - 1) <= sheet.room
    for line, row in zip(lines, rows, strict=False):
        _align(sheet, line, row, rooms, sides) if fits else _set_off(sheet, line, row)
    rule = sheet.marks.rule
    ruled = f"{rule}{sheet.marks.crossing}{rule}".join(rule * room for room in rooms)
    sheet.show(sheet.body(under), sheet.end(under), ruled if fits else rule * RULE)


def _rows(cells: Sequence[Token]) -> Iterator[list[Token]]:
    """The texts of the cells of each row."""
    for starts, row in groupby(cells, key=lambda token: token.type == "tr_open"):
        if not starts:
            yield [token for token in row if token.type == "inline"]


def _row(sheet: Sheet, line: int, said: Sequence[Token]) -> list[Cell]:
    tokens = chain(said, repeat(None))
    return [_cell(sheet, *stretch, token) for stretch, token in zip(_stretches(sheet, line), tokens, strict=False)]


def _stretches(sheet: Sheet, line: int) -> list[tuple[int, int]]:
    """Where the texts between the pipes of a line stand, without the blanks around them."""
    begin, end = sheet.body(line), sheet.end(line)
    pipes = [pipe.start() for pipe in _PIPE.finditer(sheet.text, begin, end)]
    between = list(pairwise([begin - 1, *pipes, end]))
    between = between[1:] if pipes and pipes[0] == begin else between
    between = between[:-1] if len(between) > 1 and pipes and pipes[-1] == end - 1 else between
    return [_stripped(sheet.text, low + 1, high) for low, high in between]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    said = text[start:end].strip()
    found = start + text[start:end].find(said)
    return found, found + len(said)


def _cell(sheet: Sheet, start: int, end: int, token: Token | None) -> Cell:
    done = len(sheet.edits)
    if token and token.content == sheet.text[start:end]:
        phrased(sheet, token.content, token.children or (), Place([token.content], [start]))
    edits = [edit._replace(start=edit.start - start, end=edit.end - start) for edit in sheet.edits[done:]]
    shown = inert(Face(sheet.text[start:end], edits).text).replace("\t", " " * TAB)
    return Cell(start, end, width(shown))


def _align(sheet: Sheet, line: int, row: Sequence[Cell], rooms: Sequence[int], sides: Sequence[str]) -> None:
    """Pads the cells of a line in place of the pipes and blanks between them."""
    done, behind = sheet.body(line), ""
    for number, cell in enumerate(row):
        free = rooms[number] - cell.room if number < len(rooms) else 0
        before = {"right": free, "center": free // 2}.get(sides[number] if number < len(sides) else "", 0)
        joint = f"{behind} {sheet.marks.column} " if number else ""
        sheet.show(done, cell.start, joint + " " * before)
        done, behind = cell.end, " " * (free - before)
    sheet.hide(done, sheet.end(line))


def _set_off(sheet: Sheet, line: int, row: Sequence[Cell]) -> None:
    """Lets the further rows of a line begin under its first cell, and draws the pipes apart from the text."""
    for pipe in _PIPE.finditer(sheet.text, sheet.body(line), sheet.end(line)):
        sheet.show(*pipe.span(), sheet.marks.column)
    if row and row[0].start > sheet.body(line):
        sheet.hang_under(line, row[0].start)
