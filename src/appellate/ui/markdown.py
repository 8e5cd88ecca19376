"""Markdown as it reads: what is syntax is hidden or drawn as what it means, all other characters stay in sight.

The parser tells what a stretch is; the face is made by editing the source there. Where the two disagree about a place,
as they may in hostile text, nothing is edited and the source shows as it stands. Link references, images, HTML and
bare addresses are no syntax here: they are read, and nothing is followed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token

from appellate.ui.face import Face
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.phrases import phrased
from appellate.ui.sheet import Place, Sheet, placed
from appellate.ui.tables import RULE, laid_out

CODE = "  "  # what lines of fenced code are set in by, so that they stand apart without colour
_READ = ("reference", "html_block", "html_inline", "image", "autolink", "text_join")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(_READ)


def rendered(source: str, room: int, marks: Marks = UNICODE) -> Face:
    """The face of a Markdown text for so many cells, line by line; the raw one where only syntax would be left."""
    sheet = Sheet(source, room, marks)
    for token in (tokens := iter(_parser().parse(sheet.text))):
        if token.type in _BLOCKS and token.map:
            _BLOCKS[token.type](sheet, token.map, token, tokens)
    face = Face(source, sheet.edits, sheet.worn)
    if not face.text.strip():
        return Face(source)
    face.hangs, face.tabular = dict(sheet.hangs(face)), sheet.tabular
    return face


def _quote(sheet: Sheet, bounds: list[int], token: Token, _: Iterator[Token]) -> None:
    for line in sheet.lines(bounds):
        at = sheet.body(line)
        if sheet.text.startswith(token.markup, at):
            sheet.show(at, at + 1, sheet.marks.quote)
            sheet.wear(at, at + 1, "bar")
            sheet.begin_behind(line, at + 1)


def _item(sheet: Sheet, bounds: list[int], token: Token, _: Iterator[Token]) -> None:
    at, mark = sheet.body(bounds[0]), token.info + token.markup
    if sheet.text.startswith(mark, at):
        sheet.wear(at, at + len(mark), "bar")
        sheet.begin_behind(bounds[0], at + len(mark))
        if not token.info:
            sheet.show(at, at + 1, sheet.marks.bullet)


def _heading(sheet: Sheet, bounds: list[int], token: Token, tokens: Iterator[Token]) -> None:
    first, last = bounds[0], bounds[1] - 1
    inline = next(tokens)
    place = _text(sheet, inline.map or bounds, inline, tokens)
    style = "title" if token.tag in ("h1", "h2") else "heading"
    sheet.wear(sheet.body(first), sheet.end(last), style)
    if token.markup in ("=", "-"):
        sheet.show(sheet.body(last), sheet.end(last), sheet.marks.rule * len(sheet.line_body(last)))
    elif place and sheet.text.startswith(token.markup, sheet.body(first)):
        sheet.hide(sheet.body(first), place.at(0))
        sheet.hide(place.at(len(inline.content)), sheet.end(first))


def _text(sheet: Sheet, bounds: list[int], token: Token, _: Iterator[Token]) -> Place | None:
    """The text of a paragraph or heading."""
    place = placed(sheet, bounds, token.content)
    if place:
        phrased(sheet, token.content, token.children or (), place)
    for line in sheet.lines(bounds):
        sheet.hang_under(line, sheet.body(line))
    return place


def _fence(sheet: Sheet, bounds: list[int], token: Token, _: Iterator[Token]) -> None:
    first, *lines = sheet.lines(bounds)
    _fenced(sheet, first, token.markup)
    if lines and len(lines) == token.content.count("\n") + 1 and _ends(sheet.line_body(lines[-1]), token.markup):
        _fenced(sheet, lines.pop(), token.markup)
    for line in lines:
        sheet.show(sheet.begin(line), sheet.begin(line), CODE)
    _code_lines(sheet, lines)


def _ends(body: str, markup: str) -> bool:
    return set(body) == {markup[0]} and len(body) >= len(markup)


def _fenced(sheet: Sheet, line: int, markup: str) -> None:
    """Hides a fence: its whole line if nothing else stands there."""
    at, end = sheet.body(line), sheet.end(line)
    if _ends(sheet.line_body(line), markup):
        whole = sheet.is_bare(line)
        sheet.hide(sheet.starts[line] if whole else at, sheet.next(line) if whole else end)
    elif sheet.text.startswith(markup, at):
        sheet.hide(at, at + len(markup))
        sheet.wear(at, end, "target")


def _code(sheet: Sheet, bounds: list[int], _: Token, __: Iterator[Token]) -> None:
    _code_lines(sheet, sheet.lines(bounds))


def _code_lines(sheet: Sheet, lines: Iterable[int]) -> None:
    for line in lines:
        sheet.wear(sheet.begin(line), sheet.end(line), "code")
        sheet.hang_under(line, sheet.body(line))


def _rule(sheet: Sheet, bounds: list[int], _: Token, __: Iterator[Token]) -> None:
    sheet.show(sheet.body(bounds[0]), sheet.end(bounds[0]), sheet.marks.rule * min(RULE, sheet.room))


def _table(sheet: Sheet, bounds: list[int], _: Token, tokens: Iterator[Token]) -> None:
    laid_out(sheet, bounds, list(takewhile(lambda token: token.type != "table_close", tokens)))


_BLOCKS: Mapping[str, Callable[[Sheet, list[int], Token, Iterator[Token]], object]] = {
    "blockquote_open": _quote,
    "list_item_open": _item,
    "heading_open": _heading,
    "inline": _text,
    "fence": _fence,
    "code_block": _code,
    "hr": _rule,
    "table_open": _table,
}
