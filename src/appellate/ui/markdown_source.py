"""A Markdown source while it is marked up for reading: its lines, and the edits so far.

Only ASCII punctuation and blanks are ever taken out of sight: whatever a parser says, no letter is
lost. Emphasis, code and links inside a block are found from the parser's account of them, which
says what follows what, not where; so each part is met where the one before it ended, and checked
there.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.token import Token

from appellate.ui.marks import Marks
from appellate.ui.rendered_text import RenderedText, SourceEdit, Worn
from appellate.ui.text import TAB, cell_width, inert

_SYNTAX = re.compile(r"[!-/:-@\[-`{-~\s]*")
_BLANK = re.compile(r"[ \t]*")
_BREAK = re.compile(r"[ \t]*(\\?)\n[ \t]*")
_BLANKS = re.compile(r"[ \t\n]*")
_STYLES = {"em": "em", "strong": "strong", "s": "strike"}
_NBSP = "\xa0"


def normalised(source: str) -> str:
    """The source as the parser would make it, character for character."""
    return source.replace("\r\n", " \n").replace("\r", "\ufffd").replace("\0", "\ufffd")


class MarkdownSource:
    """Lines are counted from 0; a line begins behind the marks of the quotes and lists that it
    stands in.
    """

    def __init__(self, source: str, width: int, marks: Marks) -> None:
        self.text, self.width, self.marks = normalised(source), width, marks
        self.starts = [0, *(newline.end() for newline in re.finditer("\n", self.text))]
        self.edits: list[SourceEdit] = []
        self.worn: list[Worn] = []
        self.tabular = False
        self.begun: dict[int, int] = {}  # where lines with the mark of a quote or list begin
        self.hanging: dict[int, int] = {}  # the offset of a line under which its further rows begin
        self.set_in: dict[int, str] = {}  # by where a text stands that has a line of its own

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
        """Shows what a stretch stands for, such as a letter for an entity."""
        self.edits.append(SourceEdit(start, end, instead, announced=True))

    def wear(self, start: int, end: int, style: str) -> None:
        self.worn.append(Worn(start, end, style))


class BlockPosition:
    """Where the characters of a block's text, as the parser gives it, stand in the source."""

    def __init__(self, lines: list[str], bases: list[int]) -> None:
        self._lines = list(accumulate((len(line) + 1 for line in lines), initial=0))[: len(lines)]
        self._bases = bases

    def at(self, offset: int) -> int:
        line = bisect_right(self._lines, offset) - 1
        return self._bases[line] + offset - self._lines[line]


def locate_block(source: MarkdownSource, bounds: list[int], content: str) -> BlockPosition | None:
    """The place of a block's text; None where the source does not hold it.

    Each of its lines ends a line of the source, but for the marks of a heading.
    """
    lines = content.split("\n")
    bases = []
    for number, line in enumerate(lines, bounds[0]):
        if number >= len(source.starts):
            return None
        body, there = line.strip(), source.line_body(number)
        if not there.endswith(body):
            there = there.rstrip("#").rstrip()
        if not there.endswith(body):
            return None
        indent = len(line) - len(line.lstrip())
        bases.append(source.body(number) + len(there) - len(body) - indent)
    return BlockPosition(lines, bases)


class InlineMarkup:
    """Emphasis, code and links in one block's text, as edits of the source.

    `content` is the text as the parser gives it, `position` tells where its characters stand.
    """

    def __init__(self, source: MarkdownSource, content: str, position: BlockPosition) -> None:
        self._source, self._content, self._position = source, content, position
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
        """An escaped character, or an entity, shown as what it stands for if that can be seen."""
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
                start, end = self._position.at(inner), self._position.at(outer - blank)
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
    """Behind the blanks at an offset."""
    found = _BLANKS.match(content, at)
    if found is None:
        return at
    return found.end()
