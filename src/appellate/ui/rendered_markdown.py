"""Markdown as it reads: syntax is hidden or drawn as what it means, everything else stays visible.

The parser says what a stretch is, and the source is edited there. Where the two disagree about a
position, as in hostile text, the source is shown as it is. Link references, images, HTML and bare
addresses are not taken for syntax here.

The columns of a table are aligned if they fit, and the last one may be wrapped. Otherwise each row
is a card, with the column's head before each text.
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
    """The source of a Markdown text, and the edits that make it read as Markdown.

    Lines are counted from 0. A line begins after the marks of its quotes and lists.
    """

    def __init__(self, source: str, width: int, marks: Marks) -> None:
        """Take the source, without an edit, to be shown at `width` cells with `marks`.

        `text` is the source as the parser reads it: as long as the source, and each line ends with
        a newline.
        """
        self.width = width
        self.marks = marks
        # as the parser would make it, character for character
        lines = source.replace("\r\n", " \n").replace("\r", "\ufffd")
        self.text = lines.replace("\0", "\ufffd")
        self.starts = [0]
        for newline in re.finditer("\n", self.text):
            self.starts.append(newline.end())
        self.edits: list[SourceEdit] = []
        self.worn: list[Worn] = []
        self.tabular = False
        """Whether there is a table, so that the edits hold for one width."""
        self.begun: dict[int, int] = {}
        """For lines with the mark of a quote or list: the offset after the mark."""
        self.hanging: dict[int, int] = {}
        """For lines: the offset under which further rows of the line begin."""
        self.set_in: dict[int, str] = {}
        """For the offset of a text on a line of its own: what its further rows begin with."""

    # Places

    def lines(self, bounds: list[int]) -> range:
        """Return the numbers, from 0, of the lines of a block.

        `bounds` are its first line and the line after it. Lines after the end of the text are left
        out.
        """
        first, end = bounds
        return range(first, min(end, len(self.starts)))

    def next(self, line: int) -> int:
        """Return the offset at which the line after line number `line` starts.

        After the last line it is the length of the text.
        """
        if line + 1 < len(self.starts):
            return self.starts[line + 1]
        return len(self.text)

    def begin(self, line: int) -> int:
        """Return the offset at which a line begins, after its marks of quotes and lists."""
        return self.begun.get(line, self.starts[line])

    def body(self, line: int) -> int:
        """Return the offset of a line's first character that is not blank, after its marks.

        In a line without such a character it is the line's end.
        """
        begin = self.begin(line)
        blank = _BLANK.match(self.text, begin)
        if blank is None:
            return begin
        return blank.end()

    def end(self, line: int) -> int:
        """Return the offset at which a line ends, without its newline and blanks before that."""
        begin = self.begin(line)
        text = self.text[begin : self.next(line)]
        return begin + len(text.rstrip())

    def line_body(self, line: int) -> str:
        """Return the text of a line without its marks of quotes and lists, and stripped."""
        start = self.body(line)
        end = self.end(line)
        return self.text[start:end]

    def hangs(self, rendered: RenderedText) -> Iterator[tuple[int, str]]:
        """Yield what the further rows of lines begin with, by each line's offset in the shown text.

        It is as wide as the marks and blanks before the line's text, with the marks of quotes drawn
        again. Lines that begin with their text have none. Further rows of an aligned table's row
        are under its last column, with the separators drawn again. Those of a card's line are
        indented. These two come last, so the offsets are not in order.
        """
        quote = self.marks.quote
        for line, body in self.hanging.items():
            start = rendered.shown_at(self.starts[line])
            prefix = inert(rendered.text[start : rendered.shown_at(body)]).replace(
                "\t",
                " " * TAB,
            )
            if prefix and "\n" not in prefix:
                hang = ""
                for char in prefix:
                    if char == quote:
                        hang += char
                    else:
                        hang += " " * cell_width(char)
                yield start, hang
        for text_offset, hang in self.set_in.items():
            shown_offset = rendered.shown_at(text_offset)
            yield rendered.text.rfind("\n", 0, shown_offset) + 1, hang

    # Edits

    def hide(self, start: int, end: int) -> bool:
        """Note that source[start:end] is not shown, and return True, if it is only syntax.

        Syntax is punctuation and white space. Returns False, and changes nothing, otherwise.
        """
        return self.show(start, end, "")

    def show(self, start: int, end: int, instead: str) -> bool:
        """Note that `instead` is shown in the place of source[start:end], if that is syntax only.

        Syntax is punctuation and white space; an empty stretch is, too. Returns False, and changes
        nothing, for any other stretch. Nothing is drawn: `render_markdown` makes the edits.
        """
        if not 0 <= start <= end:
            return False
        if _SYNTAX.fullmatch(self.text, start, end) is None:
            return False
        self.edits.append(SourceEdit(start, end, instead))
        return True

    def say(self, start: int, end: int, instead: str) -> None:
        """Note that a stretch is shown as what it means, such as a letter for an entity."""
        self.edits.append(SourceEdit(start, end, instead, announced=True))

    def wear(self, start: int, end: int, style: str) -> None:
        """Give a stretch of the source a style."""
        self.worn.append(Worn(start, end, style))


class BlockPosition:
    """Where the characters of a block's text, as the parser gives it, are in the source."""

    def __init__(self, lines: list[str], bases: list[int]) -> None:
        """Take the lines of a block's text, and where in the source each begins."""
        self._lines = list(accumulate((len(line) + 1 for line in lines), initial=0))[
            : len(lines)
        ]
        self._bases = bases

    def at(self, offset: int) -> int:
        """Return the offset in the source for an offset in the block's text, both from 0."""
        line = bisect_right(self._lines, offset) - 1
        return self._bases[line] + offset - self._lines[line]


def locate_block(
    source: MarkdownSource,
    bounds: list[int],
    content: str,
) -> BlockPosition | None:
    """Return where a block's text, its `content`, is in the source.

    `bounds` are its first line there and the line after it. Returns None if a line of the content
    does not end its line of the source. White space and the `#` that may close a heading do not
    count.
    """
    lines = content.split("\n")
    bases = []
    for number, line in enumerate(lines, bounds[0]):
        if number >= len(source.starts):
            return None
        body = line.strip()
        body_in_source = source.line_body(number)
        if not body_in_source.endswith(body):
            body_in_source = body_in_source.rstrip("#").rstrip()
        if not body_in_source.endswith(body):
            return None
        indent = len(line) - len(line.lstrip())
        text_before = len(body_in_source) - len(body)
        text_start = source.body(number) + text_before
        bases.append(text_start - indent)
    return BlockPosition(lines, bases)


class InlineMarkup:
    """Emphasis, code and links in a block's text, which the parser found, as edits of the
    source.
    """

    def __init__(
        self,
        source: MarkdownSource,
        content: str,
        position: BlockPosition,
    ) -> None:
        """Take a block's text, its `content`, and where it is; nothing is edited yet."""
        self._source = source
        self._content = content
        self._position = position
        self._opened: list[int] = []
        """Where the styles that are not closed yet begin in the source."""

    def apply(self, tokens: Sequence[Token]) -> None:
        """Edit the source for each token, in order, up to the first that is not where it should be.

        That one and those after it stay as they were written.
        """
        offset = 0
        for token in tokens:
            end = self._end_of(token, offset)
            if end is None:
                return
            offset = end

    def _end_of(self, token: Token, offset: int) -> int | None:
        """Edit the source for a token that begins at an offset of the block; return where it ends.

        That is an offset of the block, too. None, without a change, for a token that is not there,
        and for a type that is not known here.
        """
        match token.type:
            case "text":
                return self._text(token, offset)
            case "text_special":
                return self._special(token, offset)
            case "softbreak" | "hardbreak":
                return self._line_break(offset)
            case "code_inline":
                return self._code(token, offset)
            case "link_open" | "em_open" | "strong_open" | "s_open":
                return self._open(token.markup or "[", offset)
            case "link_close":
                return self._close_link(offset)
            case "em_close" | "strong_close" | "s_close":
                return self._close(token, offset)
        return None

    def _is_at(self, text: str, offset: int) -> bool:
        """Return whether a text is at an offset of the block."""
        return self._content.startswith(text, offset)

    def _hide(self, start: int, end: int) -> None:
        """Note that the source of content[start:end] is not shown, if it is only syntax.

        It must be a stretch of one line.
        """
        begin = self._position.at(start)
        self._source.hide(begin, begin + end - start)

    def _text(self, token: Token, offset: int) -> int | None:
        """Return where plain text ends that begins at an offset, or None if it is not there.

        Both offsets are of the block's text, which stays as it is.
        """
        if not self._is_at(token.content, offset):
            return None
        return offset + len(token.content)

    def _special(self, token: Token, offset: int) -> int | None:
        """Show an escaped character or an entity as what it means; return where it ends.

        A no-break space is shown as a space. An entity for what cannot be printed stays as it is
        written. Returns None, and changes nothing, if the token is not at `offset`. Both offsets
        are of the block's text.
        """
        if not self._is_at(token.markup, offset):
            return None

        end = offset + len(token.markup)
        meaning = token.content.replace(_NBSP, " ")
        if token.info == "escape":
            self._hide(offset, offset + 1)
        elif meaning.isprintable():
            start = self._position.at(offset)
            length = end - offset
            self._source.say(start, start + length, meaning)
        return end

    def _line_break(self, offset: int) -> int | None:
        """Hide the backslash of a hard line break; return where the break ends.

        Blanks around the newline belong to the break. Returns None if there is no line break at
        `offset`. Both offsets are of the block's text.
        """
        line_break = _BREAK.match(self._content, offset)
        if line_break is None:
            return None
        if line_break[1]:
            backslash = line_break.start(1)
            self._hide(backslash, backslash + 1)
        return line_break.end()

    def _code(self, token: Token, offset: int) -> int | None:
        """Hide the backticks around code, and give it a style; return where they end.

        One space inside them is hidden at both ends, as Markdown has it. Returns None, without a
        change, if the code is not at `offset`. Both offsets are of the block's text.
        """
        markup_length = len(token.markup)
        for padding in (0, 1):
            inner = offset + markup_length + padding
            outer = inner + len(token.content) + padding
            if not (
                self._is_at(token.markup, offset) and self._is_at(token.markup, outer)
            ):
                continue
            code_in_source = self._content[inner : outer - padding]
            if code_in_source.replace("\n", " ") == token.content:
                self._hide(offset, inner)
                self._hide(outer - padding, outer + markup_length)
                start = self._position.at(inner)
                end = self._position.at(outer - padding)
                self._source.wear(start, end, "code")
                return outer + markup_length
        return None

    def _open(self, markup: str, offset: int) -> int | None:
        """Hide what begins a style or a link, and remember where.

        Returns where it ends, or None, without a change, if it is not at `offset`. Both offsets are
        of the block's text.
        """
        if not self._is_at(markup, offset):
            return None
        end = offset + len(markup)
        self._hide(offset, end)
        self._opened.append(self._position.at(offset))
        return end

    def _close(self, token: Token, offset: int) -> int | None:
        """Hide what ends a style at `offset`, and give the style to what is before it.

        That begins where the style was opened last. Returns where the end of the style ends, or
        None, without a change, if it is not there or nothing was begun. Both offsets are of the
        block's text.
        """
        if not self._opened or not self._is_at(token.markup, offset):
            return None
        end = offset + len(token.markup)
        self._hide(offset, end)
        opened_at = self._opened.pop()
        closed_at = self._position.at(offset)
        self._source.wear(opened_at, closed_at, _STYLES[token.tag])
        return end

    def _close_link(self, offset: int) -> int | None:
        """Show a link's target in brackets after its text; return where the link ends.

        Text and target get a style each. Returns None, without a change, if no link's text ends at
        `offset`, or if its target does not end. Both offsets are of the block's text.
        """
        if not self._opened or not self._is_at("](", offset):
            return None

        end = _target_end(self._content, offset + 2)
        if end is None:
            return None

        text_start = self._opened.pop()
        bracket_offset = self._position.at(offset)
        last_of_target = self._position.at(end - 1)
        target_end = last_of_target + 1
        self._source.show(bracket_offset, bracket_offset + 2, " (")
        self._source.wear(text_start, bracket_offset, "link")
        self._source.wear(bracket_offset, target_end, "target")
        return end


def _target_end(content: str, offset: int) -> int | None:
    """Return the offset after the bracket that ends a link's target, and its title if it has one.

    `offset` is where the target begins, after the opening bracket. Returns None if no such bracket
    follows. The parser's own rules are used.
    """
    offset = _blanks(content, offset)
    target = parseLinkDestination(content, offset, len(content))
    if target.ok:
        offset = _blanks(content, target.pos)
        title = parseLinkTitle(content, offset, len(content))
        if title.ok and offset > target.pos:
            offset = _blanks(content, title.pos)
    if not content.startswith(")", offset):
        return None

    return offset + 1


def _blanks(content: str, offset: int) -> int:
    """Return the offset after the white space that begins at `offset`, newlines included.

    Without any it is `offset` itself.
    """
    blanks = _BLANKS.match(content, offset)
    if blanks is None:
        return offset
    return blanks.end()


# -- tables ----------------------------------------------------------------------------------------


GAP = 3
"""Cells between columns of a table."""
_PIPE = re.compile(r"(?<!\\)\|")


class TableCell(NamedTuple):
    """A cell of a table."""

    start: int
    """Where its text begins in the source."""
    end: int
    room: int
    """The cells that the shown text takes on the screen."""


RULE = 24
"""Cells of a horizontal rule, and of the line under a table's head if columns do not fit."""


def _table(
    source: MarkdownSource,
    bounds: list[int],
    _: Token,
    tokens: Iterator[Token],
) -> None:
    """Note in `source` how a table is shown: in aligned columns, or each row as a card.

    `bounds` are its first line and the line after it. Cards are for a table whose columns do not
    fit into the width. The last column is wrapped if it is at the left and the others take less
    than one `NARROW`th of the width. `tokens` are taken up to the table's end.
    """
    head, delimiter, *body = source.lines(bounds)
    lines = [head, *body]
    alignments, row_texts = _table_texts(tokens)
    rows = []
    for line, texts in zip(lines, row_texts, strict=False):
        rows.append(_row(source, line, texts))
    widths = _column_widths(rows, len(alignments))
    source.tabular = True
    head_start = source.body(head)
    source.wear(head_start, source.end(head), "strong")

    line_start = source.starts[head]
    before_head = inert(source.text[line_start:head_start])
    indent = cell_width(before_head.replace("\t", " " * TAB))
    gaps_width = GAP * (len(widths) - 1)
    widths_before_last = sum(widths[:-1])
    last_column_start = indent + widths_before_last + gaps_width
    is_last_at_left = alignments[-1] in ("", "left")
    if is_last_at_left and last_column_start * NARROW < source.width:
        available = source.width - last_column_start
        widths[-1] = min(widths[-1], available)

    rule = source.marks.rule
    delimiter_start = source.body(delimiter)
    delimiter_end = source.end(delimiter)
    if last_column_start + widths[-1] > source.width:
        _cards(source, lines, rows)
        source.show(delimiter_start, delimiter_end, rule * RULE)
        return

    joint = f" {source.marks.column} "
    blanks = [" " * width for width in widths[:-1]]
    under_row = " " * indent + joint.join(blanks) + joint
    for line, row in zip(lines, rows, strict=False):
        _align(source, line, row, widths, alignments)
        source.set_in[row[0].start] = under_row

    crossing = f"{rule}{source.marks.crossing}{rule}"
    ruled = crossing.join([rule * width for width in widths])
    source.show(delimiter_start, delimiter_end, ruled)


def _table_texts(tokens: Iterator[Token]) -> tuple[list[str], list[list[Token]]]:
    """Take the tokens of a table up to its end, and return what they say, in two parts.

    These are the alignment of each column, "" for none, and for each row the tokens of its cells.
    """
    alignments: list[str] = []
    row_texts: list[list[Token]] = []
    for token in takewhile(lambda token: token.type != "table_close", tokens):
        match token.type:
            case "tr_open":
                row_texts.append([])
            case "th_open":
                style = str(token.attrs.get("style", ""))
                alignments.append(style.removeprefix("text-align:"))
            case "inline":
                row_texts[-1].append(token)
    return alignments, row_texts


def _column_widths(rows: Sequence[Sequence[TableCell]], columns: int) -> list[int]:
    """Return how many screen cells the widest text of each column takes, from left to right.

    `columns` is how many there are; further table cells of a row do not count. It is 0 for a column
    without text.
    """
    widths = [0] * columns
    for row in rows:
        for column, cell in enumerate(row[:columns]):
            widths[column] = max(widths[column], cell.room)
    return widths


def _row(source: MarkdownSource, line: int, texts: Sequence[Token]) -> list[TableCell]:
    """Return the table cells of a line, each with where its text is and how wide it is shown.

    Markdown in a cell is applied to `source` if the parser's text of the cell, of `texts`, is that
    of the source. There may be more cells than texts.
    """
    cells: list[TableCell] = []
    tokens = chain(texts, repeat(None))
    for (start, end), token in zip(_stretches(source, line), tokens, strict=False):
        text = source.text[start:end]
        edits_before = len(source.edits)
        if token and token.content == text:
            position = BlockPosition([text], [start])
            InlineMarkup(source, text, position).apply(token.children or ())

        edits: list[SourceEdit] = []
        for edit in source.edits[edits_before:]:
            start_in_cell = edit.start - start
            end_in_cell = edit.end - start
            edits.append(edit._replace(start=start_in_cell, end=end_in_cell))
        rendered = RenderedText(text, edits)
        shown_text = inert(rendered.text).replace("\t", " " * TAB)
        room = cell_width(shown_text)
        cells.append(TableCell(start, end, room))
    return cells


def _stretches(source: MarkdownSource, line: int) -> list[tuple[int, int]]:
    """Return where the texts between the pipes of a line are, without white space around them.

    A pipe after a backslash separates nothing, and neither do one at the beginning and one at the
    end of the line.
    """
    begin = source.body(line)
    end = source.end(line)
    edges = [begin - 1]
    for pipe in _PIPE.finditer(source.text, begin, end):
        edges.append(pipe.start())
    edges.append(end)

    begins_with_pipe = edges[1] == begin < end
    if begins_with_pipe:
        del edges[0]
    ends_with_pipe = len(edges) > 2 and edges[-2] == end - 1  # noqa: PLR2004 - one pipe is no end
    if ends_with_pipe:
        del edges[-1]

    stretches: list[tuple[int, int]] = []
    for left_pipe, right_pipe in pairwise(edges):
        between = source.text[left_pipe + 1 : right_pipe]
        text = between.strip()
        blanks_before = between.find(text)
        text_start = left_pipe + 1 + blanks_before
        text_end = text_start + len(text)
        stretches.append((text_start, text_end))
    return stretches


def _align(
    source: MarkdownSource,
    line: int,
    row: Sequence[TableCell],
    widths: Sequence[int],
    alignments: Sequence[str],
) -> None:
    """Replace the pipes of a table's line by separators, with padding that aligns its cells.

    `row` has the cells of line number `line`. `widths` and `alignments` have those of the columns:
    left, right, center, or "". Cells after the last of `widths` get no padding. What follows the
    last cell is hidden.
    """
    last_end = source.body(line)
    padding_after = ""
    for index, cell in enumerate(row):
        free_width = 0
        alignment = ""
        if index < len(widths):
            free_width = max(widths[index] - cell.room, 0)
            alignment = alignments[index]
        padding_before = 0
        if alignment == "right":
            padding_before = free_width
        elif alignment == "center":
            padding_before = free_width // 2
        joint = ""
        if index:
            joint = f"{padding_after} {source.marks.column} "
        padding = " " * padding_before
        source.show(last_end, cell.start, f"{joint}{padding}")
        last_end = cell.end
        padding_after = " " * (free_width - padding_before)

    source.hide(last_end, source.end(line))


def _cards(
    source: MarkdownSource,
    lines: Sequence[int],
    rows: Sequence[Sequence[TableCell]],
) -> None:
    """Give the head of a table plain separators, and make each of its other rows a card.

    `lines` are the numbers of the lines of `rows`, the head first. Edits and styles are added to
    `source`.
    """
    head, *body = rows
    _align(source, lines[0], head, (), ())
    labels = _labels(source, head)
    for line, row in zip(lines[1:], body, strict=False):
        _card(source, line, row, labels)


def _labels(source: MarkdownSource, head: Sequence[TableCell]) -> list[str]:
    """Return what stands before the cells of a card: the heads of their columns.

    Marks of emphasis and code around them are taken away, and they are cut to `LABEL` cells of the
    screen, with an ellipsis.
    """
    labels: list[str] = []
    for cell in head:
        text = source.text[cell.start : cell.end]
        words = _SYNTAX_AROUND.sub("", text)
        labels.append(clip(words, LABEL, source.marks))
    return labels


def _card(
    source: MarkdownSource,
    line: int,
    row: Sequence[TableCell],
    labels: Sequence[str],
) -> None:
    """Show a row as a card: its first cell is the title, each other one a line after its label.

    Empty cells are left out. A cell after the last of `labels` has an empty label. Edits and styles
    are added to `source`.
    """
    last_end = source.body(line)
    prefix = "\n"
    for index, cell in enumerate(row):
        if index:
            prefix = ""
            label = ""
            if index < len(labels):
                label = labels[index]
            if cell.start < cell.end:
                prefix = f"\n{CODE}{label}: "
                source.set_in[cell.start] = CODE + CODE
        else:
            source.wear(cell.start, cell.end, "strong")
        source.show(last_end, cell.start, prefix)
        last_end = cell.end

    source.hide(last_end, source.end(line))


LABEL = 24
"""Cells of a column's head on a card."""
_SYNTAX_AROUND = re.compile(r"^[*_`~ ]+|[*_`~ ]+$")
CODE = "  "
"""What lines of fenced code begin with, so that they stand apart without colour."""
_READ = ("reference", "html_block", "html_inline", "image", "autolink", "text_join")
_PARSER = MarkdownIt("commonmark", {"html": False})
_PARSER.enable(["table", "strikethrough"]).disable(_READ)


def render_markdown(text: str, width: int, marks: Marks = UNICODE) -> RenderedText:
    """Return a Markdown text as it reads at `width` cells, with its styles; it is not wrapped.

    Only tables and rules go by the width: a table that does not fit becomes a list of cards, one
    for each row, and a rule is no wider. Bullets, the bars of quotes, rules and the lines of tables
    are drawn with `marks`. If nothing but white space would be shown, it is the text as it was
    written, without styles. Nothing is raised for wrong Markdown: it is shown as it is.
    """
    source = MarkdownSource(text, width, marks)
    tokens = iter(_PARSER.parse(source.text))
    for token in tokens:
        apply = _BLOCKS.get(token.type)
        if apply is not None and token.map:
            apply(source, token.map, token, tokens)
    rendered = RenderedText(text, source.edits, source.worn)
    if not rendered.text.strip():
        return RenderedText(text)

    rendered.hangs = dict(source.hangs(rendered))
    rendered.tabular = source.tabular
    return rendered


def unwrapped(text: str) -> str:
    """Return a Markdown text with each paragraph on one line, except for its hard line breaks.

    Lines that end with two blanks or a backslash have a hard break, and are not joined with the
    next. All other lines of a paragraph are joined by a space, without the blanks at their
    beginning and end. Nothing else is changed, nor is a paragraph in a quote. A text whose lines
    were broken for its file would be wrapped twice on a narrower screen.
    """
    lines = text.split("\n")

    continuations: set[int] = set()
    quote_depth = 0  # of quotes
    for token in _PARSER.parse(text):
        match token.type:
            case "blockquote_open":
                quote_depth += 1
            case "blockquote_close":
                quote_depth -= 1
            case "paragraph_open" if token.map and not quote_depth:
                first, end = token.map
                continuations.update(range(first + 1, end))

    joined: list[str] = []
    for index, line in enumerate(lines):
        follows_hard_break = bool(joined) and joined[-1].endswith(("  ", "\\"))
        if index in continuations and not follows_hard_break:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    return "\n".join(joined)


def _quote(
    source: MarkdownSource,
    bounds: list[int],
    token: Token,
    _: Iterator[Token],
) -> None:
    """Note that the mark of a quote is shown as a bar, on each of its lines that has one.

    `bounds` are the first line of the quote and the line after it.
    """
    for line in source.lines(bounds):
        offset = source.body(line)
        if source.text.startswith(token.markup, offset):
            source.show(offset, offset + 1, source.marks.quote)
            source.wear(offset, offset + 1, "bar")
            source.begun[line] = offset + 1


def _item(
    source: MarkdownSource,
    bounds: list[int],
    token: Token,
    _: Iterator[Token],
) -> None:
    """Style the mark of a list item, and put a bullet in its place unless it is a number.

    The first of `bounds` is the line with the mark. An item whose mark is not where the parser says
    stays as it is.
    """
    line = bounds[0]
    offset = source.body(line)
    mark = token.info + token.markup
    if not source.text.startswith(mark, offset):
        return
    mark_end = offset + len(mark)
    source.wear(offset, mark_end, "bar")
    source.begun[line] = mark_end
    if not token.info:
        source.show(offset, offset + 1, source.marks.bullet)


def _heading(
    source: MarkdownSource,
    bounds: list[int],
    token: Token,
    tokens: Iterator[Token],
) -> None:
    """Style a heading, and hide its marks, or put a rule in the place of the line under it.

    `bounds` are its first line and the line after it. The heading's text is the next of `tokens`,
    which is taken, and its Markdown is applied. Marks stay if the text was not found.
    """
    first = bounds[0]
    last = bounds[1] - 1
    inline = next(tokens)
    position = _text(source, inline.map or bounds, inline, tokens)

    style = "title" if token.tag in ("h1", "h2") else "heading"
    start = source.body(first)
    end = source.end(last)
    source.wear(start, end, style)

    is_underlined = token.markup in ("=", "-")
    if is_underlined:
        underline = source.line_body(last)
        rule = source.marks.rule * len(underline)
        source.show(source.body(last), end, rule)
    elif position and source.text.startswith(token.markup, start):
        text_end = position.at(len(inline.content))
        source.hide(start, position.at(0))
        source.hide(text_end, source.end(first))


def _text(
    source: MarkdownSource,
    bounds: list[int],
    token: Token,
    _: Iterator[Token],
) -> BlockPosition | None:
    """Apply the inline Markdown of a block, if its text is found in the source.

    `bounds` are the block's first line and the line after it. Returns where its text is, or None.
    In any case further rows of its lines begin under their text.
    """
    position = locate_block(source, bounds, token.content)
    if position:
        InlineMarkup(source, token.content, position).apply(token.children or ())
    for line in source.lines(bounds):
        source.hanging[line] = source.body(line)
    return position


def _fence(
    source: MarkdownSource,
    bounds: list[int],
    token: Token,
    _: Iterator[Token],
) -> None:
    """Hide the fences of a code block, and indent and style its lines.

    `bounds` are the line of the first fence and the line after the block. The name of a language
    after the first fence stays. A block whose second fence is missing has only one hidden.
    """
    first, *lines = source.lines(bounds)
    _fenced(source, first, token.markup)

    code_lines = token.content.count("\n")
    if lines and len(lines) == code_lines + 1:
        last_body = source.line_body(lines[-1])
        if _ends(last_body, token.markup):
            _fenced(source, lines.pop(), token.markup)

    for line in lines:
        begin = source.begin(line)
        source.show(begin, begin, CODE)
    _code_lines(source, lines)
    last = max(lines, default=first)
    source.wear(source.starts[first], source.next(last), "block")


def _ends(body: str, markup: str) -> bool:
    """Return whether a line's text is a fence that can close `markup`: its character as often.

    It may be there more often, but nothing else may.
    """
    fence_character = markup[0]
    if set(body) != {fence_character}:
        return False
    return len(body) >= len(markup)


def _fenced(source: MarkdownSource, line: int, markup: str) -> None:
    """Hide a fence: its whole line, with the newline, if nothing else is on it.

    What else is on it, the name of a language, is styled and stays. After the mark of a quote or
    list, the newline stays.
    """
    offset = source.body(line)
    end = source.end(line)
    if _ends(source.line_body(line), markup):
        if line not in source.begun:
            offset = source.starts[line]
            end = source.next(line)
        source.hide(offset, end)
    elif source.text.startswith(markup, offset):
        source.hide(offset, offset + len(markup))
        source.wear(offset, end, "target")


def _code(
    source: MarkdownSource,
    bounds: list[int],
    _: Token,
    __: Iterator[Token],
) -> None:
    """Style the lines of an indented code block; nothing of them is hidden.

    `bounds` are its first line and the line after it.
    """
    lines = source.lines(bounds)
    _code_lines(source, lines)
    start = source.starts[lines[0]]
    end = source.next(lines[-1])
    source.wear(start, end, "block")


def _code_lines(source: MarkdownSource, lines: Iterable[int]) -> None:
    """Style lines of code, given by their numbers; their further rows begin under the code."""
    for line in lines:
        source.wear(source.begin(line), source.end(line), "code")
        source.hanging[line] = source.body(line)


def _rule(
    source: MarkdownSource,
    bounds: list[int],
    _: Token,
    __: Iterator[Token],
) -> None:
    """Put a horizontal rule of `RULE` cells, or fewer if the width is smaller, into its line.

    The first of `bounds` is that line.
    """
    line = bounds[0]
    rule_width = min(RULE, source.width)
    rule = source.marks.rule * rule_width
    source.show(source.body(line), source.end(line), rule)


_BLOCKS: Mapping[
    str,
    Callable[[MarkdownSource, list[int], Token, Iterator[Token]], object],
] = {
    "blockquote_open": _quote,
    "list_item_open": _item,
    "heading_open": _heading,
    "inline": _text,
    "fence": _fence,
    "code_block": _code,
    "hr": _rule,
    "table_open": _table,
}
