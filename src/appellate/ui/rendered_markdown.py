"""Markdown as it reads: syntax is hidden or drawn as what it means, all else stays in sight.

The parser says what a stretch is, and the source is edited there. Where the two disagree about a
place, as in hostile text, the source shows as it is. Link references, images, HTML and bare
addresses are no syntax here. A table has its columns under each other where they fit, the last one
perhaps wrapped; else each of its rows is a card, with the column's head before each text.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise, repeat, takewhile
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.token import Token

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.page import NARROW
from appellate.ui.rendered_text import RenderedText, SourceEdit, Worn
from appellate.ui.text import TAB, cell_width, clip, inert

_SYNTAX = re.compile(r"[!-/:-@\[-`{-~\s]*")
_BLANK = re.compile(r"[ \t]*")
_BREAK = re.compile(r"[ \t]*(\\?)\n[ \t]*")
_BLANKS = re.compile(r"[ \t\n]*")
_STYLES = {"em": "em", "strong": "strong", "s": "strike"}
_NBSP = "\xa0"


class MarkdownSource:
    """Lines are counted from 0; a line begins behind the marks of its quotes and lists."""

    def __init__(self, source: str, width: int, marks: Marks) -> None:
        self.width = width
        self.marks = marks
        # as the parser would make it, character for character
        lines = source.replace("\r\n", " \n").replace("\r", "\ufffd")
        self.text = lines.replace("\0", "\ufffd")
        self.starts = [0, *(newline.end() for newline in re.finditer("\n", self.text))]
        self.edits: list[SourceEdit] = []
        self.worn: list[Worn] = []
        self.tabular = False
        self.begun: dict[int, int] = {}  # where lines with the mark of a quote or list begin
        self.hanging: dict[int, int] = {}  # the offset of a line under which its further rows begin
        self.set_in: dict[int, str] = {}  # by where a text is that has a line of its own

    # Places

    def lines(self, bounds: list[int]) -> range:
        return range(bounds[0], min(bounds[1], len(self.starts)))

    def next(self, line: int) -> int:
        """Where the next line starts, or the end of the text."""
        if line + 1 < len(self.starts):
            return self.starts[line + 1]
        return len(self.text)

    def begin(self, line: int) -> int:
        """Where a line begins behind the marks of quotes and lists."""
        return self.begun.get(line, self.starts[line])

    def body(self, line: int) -> int:
        """The first character of a line that is not blank, or its end."""
        begin = self.begin(line)
        blank = _BLANK.match(self.text, begin)
        if blank is None:
            return begin
        return blank.end()

    def end(self, line: int) -> int:
        """Where a line ends, the white space at its end left out."""
        begin = self.begin(line)
        return begin + len(self.text[begin : self.next(line)].rstrip())

    def line_body(self, line: int) -> str:
        return self.text[self.body(line) : self.end(line)]

    def hangs(self, rendered: RenderedText) -> Iterator[tuple[int, str]]:
        """What the further rows of each line begin with, by where it begins in what is shown."""
        quote = self.marks.quote
        for line, body in self.hanging.items():
            start = rendered.shown_at(self.starts[line])
            prefix = inert(rendered.text[start : rendered.shown_at(body)]).replace("\t", " " * TAB)
            if prefix and "\n" not in prefix:
                hang = ""
                for char in prefix:
                    if char == quote:
                        hang += char
                    else:
                        hang += " " * cell_width(char)
                yield start, hang
        for at, hang in self.set_in.items():
            shown = rendered.shown_at(at)
            yield rendered.text.rfind("\n", 0, shown) + 1, hang

    # Edits

    def hide(self, start: int, end: int) -> bool:
        return self.show(start, end, "")

    def show(self, start: int, end: int, instead: str) -> bool:
        """Shows something else in place of syntax; False if it is none."""
        fits = 0 <= start <= end and bool(_SYNTAX.fullmatch(self.text, start, end))
        if fits:
            self.edits.append(SourceEdit(start, end, instead))
        return fits

    def say(self, start: int, end: int, instead: str) -> None:
        """Shows what a stretch means, such as a letter for an entity."""
        self.edits.append(SourceEdit(start, end, instead, announced=True))

    def wear(self, start: int, end: int, style: str) -> None:
        self.worn.append(Worn(start, end, style))


class BlockPosition:
    """Where the characters of a block's text, as the parser gives it, are in the source."""

    def __init__(self, lines: list[str], bases: list[int]) -> None:
        self._lines = list(accumulate((len(line) + 1 for line in lines), initial=0))[: len(lines)]
        self._bases = bases

    def at(self, offset: int) -> int:
        line = bisect_right(self._lines, offset) - 1
        return self._bases[line] + offset - self._lines[line]


def locate_block(source: MarkdownSource, bounds: list[int], content: str) -> BlockPosition | None:
    """The place of a block's text, each line of which ends one of the source; else None."""
    lines = content.split("\n")
    bases = []
    for number, line in enumerate(lines, bounds[0]):
        if number >= len(source.starts):
            return None
        body = line.strip()
        there = source.line_body(number)
        if not there.endswith(body):
            there = there.rstrip("#").rstrip()
        if not there.endswith(body):
            return None
        indent = len(line) - len(line.lstrip())
        bases.append(source.body(number) + len(there) - len(body) - indent)
    return BlockPosition(lines, bases)


class InlineMarkup:
    """Emphasis, code and links in a block's text, by the parser, as edits of the source."""

    def __init__(self, source: MarkdownSource, content: str, position: BlockPosition) -> None:
        self._source = source
        self._content = content
        self._position = position
        self._opened: list[int] = []  # where the styles that are not closed yet begin

    def apply(self, parts: Sequence[Token]) -> None:
        """Edits the source for all parts, up to the first that is not where it should be."""
        at = 0
        for part in parts:
            end = self._end_of(part, at)
            if end is None:
                return
            at = end

    def _end_of(self, part: Token, at: int) -> int | None:
        """Where a part ends that begins at an offset of the content; None if it is not there."""
        match part.type:
            case "text":
                return self._text(part, at)
            case "text_special":
                return self._special(part, at)
            case "softbreak" | "hardbreak":
                return self._line_break(at)
            case "code_inline":
                return self._code(part, at)
            case "link_open" | "em_open" | "strong_open" | "s_open":
                return self._open(part.markup or "[", at)
            case "link_close":
                return self._close_link(at)
            case "em_close" | "strong_close" | "s_close":
                return self._close(part, at)
        return None

    def _stands(self, text: str, at: int) -> bool:
        return self._content.startswith(text, at)

    def _hide(self, start: int, end: int) -> None:
        begin = self._position.at(start)
        self._source.hide(begin, begin + end - start)

    def _text(self, part: Token, at: int) -> int | None:
        if not self._stands(part.content, at):
            return None
        return at + len(part.content)

    def _special(self, part: Token, at: int) -> int | None:
        """An escaped character or an entity, shown as what it means if that is printable."""
        if not self._stands(part.markup, at):
            return None
        end = at + len(part.markup)
        shown = part.content.replace(_NBSP, " ")
        if part.info == "escape":
            self._hide(at, at + 1)
        elif shown.isprintable():
            start = self._position.at(at)
            self._source.say(start, start + end - at, shown)
        return end

    def _line_break(self, at: int) -> int | None:
        found = _BREAK.match(self._content, at)
        if found is None:
            return None
        if found[1]:
            self._hide(found.start(1), found.start(1) + 1)
        return found.end()

    def _code(self, part: Token, at: int) -> int | None:
        """Code with as many backticks on both sides, and a blank inside them or none."""
        long = len(part.markup)
        for blank in (0, 1):
            inner = at + long + blank
            outer = inner + len(part.content) + blank
            if not (self._stands(part.markup, at) and self._stands(part.markup, outer)):
                continue
            if self._content[inner : outer - blank].replace("\n", " ") == part.content:
                self._hide(at, inner)
                self._hide(outer - blank, outer + long)
                start = self._position.at(inner)
                end = self._position.at(outer - blank)
                self._source.wear(start, end, "code")
                return outer + long
        return None

    def _open(self, markup: str, at: int) -> int | None:
        if not self._stands(markup, at):
            return None
        self._hide(at, at + len(markup))
        self._opened.append(self._position.at(at))
        return at + len(markup)

    def _close(self, part: Token, at: int) -> int | None:
        if not self._opened or not self._stands(part.markup, at):
            return None
        self._hide(at, at + len(part.markup))
        self._source.wear(self._opened.pop(), self._position.at(at), _STYLES[part.tag])
        return at + len(part.markup)

    def _close_link(self, at: int) -> int | None:
        """The end of a link: its target stays in sight, apart from its text."""
        if not self._opened or not self._stands("](", at):
            return None
        end = _target_end(self._content, at + 2)
        if end is None:
            return None
        here = self._position.at(at)
        self._source.show(here, here + 2, " (")
        self._source.wear(self._opened.pop(), here, "link")
        self._source.wear(here, self._position.at(end - 1) + 1, "target")
        return end


def _target_end(content: str, at: int) -> int | None:
    """Behind the bracket that ends a link's target, as the parser finds it."""
    target = parseLinkDestination(content, _blanks(content, at), len(content))
    at = _blanks(content, at)
    if target.ok:
        at = _blanks(content, target.pos)
        title = parseLinkTitle(content, at, len(content))
        if title.ok and at > target.pos:
            at = _blanks(content, title.pos)
    if not content.startswith(")", at):
        return None
    return at + 1


def _blanks(content: str, at: int) -> int:
    found = _BLANKS.match(content, at)
    if found is None:
        return at
    return found.end()


# -- tables ----------------------------------------------------------------------------------------


GAP = 3  # cells between columns
_PIPE = re.compile(r"(?<!\\)\|")


class TableCell(NamedTuple):
    """Where a cell's text is in the source, and the cells that what is shown of it takes."""

    start: int
    end: int
    room: int


RULE = 24  # cells of a line across, and of the one under a head where columns do not fit


def _table(source: MarkdownSource, bounds: list[int], _: Token, tokens: Iterator[Token]) -> None:
    head, under, *body = source.lines(bounds)
    lines = [head, *body]
    sides: list[str] = []
    values: list[list[Token]] = []  # the texts of the cells of each row
    for token in takewhile(lambda token: token.type != "table_close", tokens):
        match token.type:
            case "tr_open":
                values.append([])
            case "th_open":
                sides.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            case "inline":
                values[-1].append(token)
    rows = [_row(source, *row) for row in zip(lines, values, strict=False)]
    rooms = _rooms(rows, len(sides))
    source.tabular = True
    source.wear(source.body(head), source.end(head), "strong")
    indent = cell_width(
        inert(source.text[source.starts[head] : source.body(head)]).replace("\t", " " * TAB)
    )
    rule = source.marks.rule
    before_last = indent + sum(rooms[:-1]) + GAP * (len(rooms) - 1)
    if before_last * NARROW < source.width and sides[-1] in ("", "left"):
        rooms[-1] = min(rooms[-1], source.width - before_last)
    if before_last + rooms[-1] <= source.width:
        joint = f" {source.marks.column} "
        under_row = " " * indent + joint.join([" " * room for room in rooms[:-1]]) + joint
        for line, row in zip(lines, rows, strict=False):
            _align(source, line, row, rooms, sides)
            source.set_in[row[0].start] = under_row
        ruled = f"{rule}{source.marks.crossing}{rule}".join(rule * room for room in rooms)
    else:
        _cards(source, lines, rows)
        ruled = rule * RULE
    source.show(source.body(under), source.end(under), ruled)


def _rooms(rows: Sequence[Sequence[TableCell]], columns: int) -> list[int]:
    """Return how many cells the widest text of each column takes."""
    rooms = [0] * columns
    for row in rows:
        for column, cell in enumerate(row[:columns]):
            rooms[column] = max(rooms[column], cell.room)
    return rooms


def _row(source: MarkdownSource, line: int, found: Sequence[Token]) -> list[TableCell]:
    """The cells of a line, marked up where the parser has the same text for them."""
    cells: list[TableCell] = []
    tokens = chain(found, repeat(None))
    for (start, end), token in zip(_stretches(source, line), tokens, strict=False):
        text = source.text[start:end]
        done = len(source.edits)
        if token and token.content == text:
            place = BlockPosition([text], [start])
            InlineMarkup(source, text, place).apply(token.children or ())
        edits = [
            edit._replace(start=edit.start - start, end=edit.end - start)
            for edit in source.edits[done:]
        ]
        shown = inert(RenderedText(text, edits).text).replace("\t", " " * TAB)
        cells.append(TableCell(start, end, cell_width(shown)))
    return cells


def _stretches(source: MarkdownSource, line: int) -> list[tuple[int, int]]:
    """Where the texts between the pipes of a line are, without the blanks around them."""
    begin = source.body(line)
    end = source.end(line)
    pipes = [pipe.start() for pipe in _PIPE.finditer(source.text, begin, end)]
    edges = [begin - 1, *pipes, end]
    if pipes and pipes[0] == begin:
        del edges[0]
    if pipes and pipes[-1] == end - 1 and len(edges) > 2:  # noqa: PLR2004
        del edges[-1]
    stretches: list[tuple[int, int]] = []
    for low, high in pairwise(edges):
        between = source.text[low + 1 : high]
        text = between.strip()
        start = low + 1 + between.find(text)
        stretches.append((start, start + len(text)))
    return stretches


def _align(
    source: MarkdownSource,
    line: int,
    row: Sequence[TableCell],
    rooms: Sequence[int],
    sides: Sequence[str],
) -> None:
    """Pads the cells of a line in place of its pipes, where their columns have a width."""
    done = source.body(line)
    behind = ""
    for number, cell in enumerate(row):
        free = 0
        side = ""
        if number < len(rooms):
            free = max(rooms[number] - cell.room, 0)
            side = sides[number]
        before = 0
        if side == "right":
            before = free
        elif side == "center":
            before = free // 2
        joint = ""
        if number:
            joint = f"{behind} {source.marks.column} "
        source.show(done, cell.start, joint + " " * before)
        done = cell.end
        behind = " " * (free - before)
    source.hide(done, source.end(line))


def _cards(
    source: MarkdownSource, lines: Sequence[int], rows: Sequence[Sequence[TableCell]]
) -> None:
    """Shows the head of a table, and each of its other rows as a card."""
    head, *body = rows
    _align(source, lines[0], head, (), ())
    labels = _labels(source, head)
    for line, row in zip(lines[1:], body, strict=False):
        _card(source, line, row, labels)


def _labels(source: MarkdownSource, head: Sequence[TableCell]) -> list[str]:
    """What is before the cells of a card: the heads of their columns, without their syntax."""
    labels: list[str] = []
    for start, end, _ in head:
        words = _SYNTAX_AROUND.sub("", source.text[start:end])
        labels.append(clip(words, LABEL, source.marks))
    return labels


def _card(
    source: MarkdownSource, line: int, row: Sequence[TableCell], labels: Sequence[str]
) -> None:
    """A row as a card: its first cell is the title, the others a line each behind their heads."""
    done = source.body(line)
    before = "\n"
    for number, cell in enumerate(row):
        if number:
            before = ""
            label = labels[number] if number < len(labels) else ""
            if cell.start < cell.end:
                before = f"\n{CODE}{label}: "
                source.set_in[cell.start] = CODE + CODE
        else:
            source.wear(cell.start, cell.end, "strong")
        source.show(done, cell.start, before)
        done = cell.end
    source.hide(done, source.end(line))


LABEL = 24  # cells of a column's head on a card
_SYNTAX_AROUND = re.compile(r"^[*_`~ ]+|[*_`~ ]+$")
CODE = "  "  # what lines of fenced code are set in by, so that they stand apart without colour
_READ = ("reference", "html_block", "html_inline", "image", "autolink", "text_join")
_PARSER = MarkdownIt("commonmark", {"html": False})
_PARSER.enable(["table", "strikethrough"]).disable(_READ)


def render_markdown(text: str, width: int, marks: Marks = UNICODE) -> RenderedText:
    """A Markdown text as it reads at so many cells; raw where only syntax would be left."""
    source = MarkdownSource(text, width, marks)
    for token in (tokens := iter(_PARSER.parse(source.text))):
        if token.type in _BLOCKS and token.map:
            _BLOCKS[token.type](source, token.map, token, tokens)
    rendered = RenderedText(text, source.edits, source.worn)
    if not rendered.text.strip():
        return RenderedText(text)
    rendered.hangs = dict(source.hangs(rendered))
    rendered.tabular = source.tabular
    return rendered


def unwrapped(text: str) -> str:
    """Return a Markdown text with each paragraph on one line, but for its hard line breaks.

    A text whose lines were broken for its file would be wrapped twice on a narrower screen. A
    paragraph in a quote stays as it is.
    """
    lines = text.split("\n")
    going_on: set[int] = set()
    depth = 0  # of quotes
    for token in _PARSER.parse(text):
        match token.type:
            case "blockquote_open":
                depth += 1
            case "blockquote_close":
                depth -= 1
            case "paragraph_open" if token.map and not depth:
                going_on.update(range(token.map[0] + 1, token.map[1]))
    joined: list[str] = []
    for number, line in enumerate(lines):
        if number in going_on and not joined[-1].endswith(("  ", "\\")):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    return "\n".join(joined)


def _quote(source: MarkdownSource, bounds: list[int], token: Token, _: Iterator[Token]) -> None:
    for line in source.lines(bounds):
        at = source.body(line)
        if source.text.startswith(token.markup, at):
            source.show(at, at + 1, source.marks.quote)
            source.wear(at, at + 1, "bar")
            source.begun[line] = at + 1


def _item(source: MarkdownSource, bounds: list[int], token: Token, _: Iterator[Token]) -> None:
    at = source.body(bounds[0])
    mark = token.info + token.markup
    if source.text.startswith(mark, at):
        source.wear(at, at + len(mark), "bar")
        source.begun[bounds[0]] = at + len(mark)
        if not token.info:
            source.show(at, at + 1, source.marks.bullet)


def _heading(
    source: MarkdownSource, bounds: list[int], token: Token, tokens: Iterator[Token]
) -> None:
    first = bounds[0]
    last = bounds[1] - 1
    inline = next(tokens)
    place = _text(source, inline.map or bounds, inline, tokens)
    style = "heading"
    if token.tag in ("h1", "h2"):
        style = "title"
    source.wear(source.body(first), source.end(last), style)
    if token.markup in ("=", "-"):
        source.show(
            source.body(last), source.end(last), source.marks.rule * len(source.line_body(last))
        )
    elif place and source.text.startswith(token.markup, source.body(first)):
        source.hide(source.body(first), place.at(0))
        source.hide(place.at(len(inline.content)), source.end(first))


def _text(
    source: MarkdownSource, bounds: list[int], token: Token, _: Iterator[Token]
) -> BlockPosition | None:
    place = locate_block(source, bounds, token.content)
    if place:
        InlineMarkup(source, token.content, place).apply(token.children or ())
    for line in source.lines(bounds):
        source.hanging[line] = source.body(line)
    return place


def _fence(source: MarkdownSource, bounds: list[int], token: Token, _: Iterator[Token]) -> None:
    first, *lines = source.lines(bounds)
    _fenced(source, first, token.markup)
    closed = len(lines) == token.content.count("\n") + 1
    if lines and closed and _ends(source.line_body(lines[-1]), token.markup):
        _fenced(source, lines.pop(), token.markup)
    for line in lines:
        source.show(source.begin(line), source.begin(line), CODE)
    _code_lines(source, lines)
    source.wear(source.starts[first], source.next(max(lines, default=first)), "block")


def _ends(body: str, markup: str) -> bool:
    return set(body) == {markup[0]} and len(body) >= len(markup)


def _fenced(source: MarkdownSource, line: int, markup: str) -> None:
    """Hides a fence: its whole line if nothing else is there."""
    at = source.body(line)
    end = source.end(line)
    if _ends(source.line_body(line), markup):
        if line not in source.begun:
            at = source.starts[line]
            end = source.next(line)
        source.hide(at, end)
    elif source.text.startswith(markup, at):
        source.hide(at, at + len(markup))
        source.wear(at, end, "target")


def _code(source: MarkdownSource, bounds: list[int], _: Token, __: Iterator[Token]) -> None:
    lines = source.lines(bounds)
    _code_lines(source, lines)
    source.wear(source.starts[lines[0]], source.next(lines[-1]), "block")


def _code_lines(source: MarkdownSource, lines: Iterable[int]) -> None:
    for line in lines:
        source.wear(source.begin(line), source.end(line), "code")
        source.hanging[line] = source.body(line)


def _rule(source: MarkdownSource, bounds: list[int], _: Token, __: Iterator[Token]) -> None:
    source.show(
        source.body(bounds[0]), source.end(bounds[0]), source.marks.rule * min(RULE, source.width)
    )


_BLOCKS: Mapping[str, Callable[[MarkdownSource, list[int], Token, Iterator[Token]], object]] = {
    "blockquote_open": _quote,
    "list_item_open": _item,
    "heading_open": _heading,
    "inline": _text,
    "fence": _fence,
    "code_block": _code,
    "hr": _rule,
    "table_open": _table,
}
