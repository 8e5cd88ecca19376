"""A Markdown source while it is marked up for reading: its lines, what was found on them, and the edits so far.

Only ASCII punctuation and blanks are ever taken out of sight: whatever a parser says, no letter is lost.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from appellate.ui.marks import Marks
from appellate.ui.rendered_text import Edit, RenderedText, Worn
from appellate.ui.text import TAB, cell_width, inert

_SYNTAX = re.compile(r"[!-/:-@\[-`{-~\s]*")
_BLANK = re.compile(r"[ \t]*")


def normalised(source: str) -> str:
    """The source as the parser would make it, character for character."""
    return source.replace("\r\n", " \n").replace("\r", "\ufffd").replace("\0", "\ufffd")


class MarkdownSource:
    """Lines are counted from 0; a line begins behind the marks of the quotes and lists that it stands in."""

    def __init__(self, source: str, width: int, marks: Marks) -> None:
        self.text, self.width, self.marks = normalised(source), width, marks
        self.starts = [0, *(newline.end() for newline in re.finditer("\n", self.text))]
        self.edits: list[Edit] = []
        self.worn: list[Worn] = []
        self.tabular = False
        self._begun: dict[int, int] = {}
        self._bodies: dict[int, int] = {}

    # Places

    def lines(self, bounds: list[int]) -> range:
        return range(bounds[0], min(bounds[1], len(self.starts)))

    def next(self, line: int) -> int:
        return self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)

    def begin(self, line: int) -> int:
        return self._begun.get(line, self.starts[line])

    def body(self, line: int) -> int:
        """The first character of a line that is not blank, or its end."""
        blank = _BLANK.match(self.text, self.begin(line))
        return blank.end() if blank else self.begin(line)

    def end(self, line: int) -> int:
        """Where a line ends, the white space at its end left out."""
        begin = self.begin(line)
        return begin + len(self.text[begin : self.next(line)].rstrip())

    def line_body(self, line: int) -> str:
        return self.text[self.body(line) : self.end(line)]

    def begin_behind(self, line: int, offset: int) -> None:
        self._begun[line] = offset

    def is_bare(self, line: int) -> bool:
        """True where no mark of a quote or list stands on a line."""
        return line not in self._begun

    def hang_under(self, line: int, offset: int) -> None:
        """The further rows of a line begin under an offset of it."""
        self._bodies[line] = offset

    def hangs(self, rendered: RenderedText) -> Iterator[tuple[int, str]]:
        """What the further rows of each line begin with, by where the line begins in what is shown."""
        quote = self.marks.quote
        for line, body in self._bodies.items():
            start = rendered.shown_at(self.starts[line])
            prefix = inert(rendered.text[start : rendered.shown_at(body)]).replace("\t", " " * TAB)
            if prefix and "\n" not in prefix:
                yield start, "".join(char if char == quote else " " * cell_width(char) for char in prefix)

    # Edits

    def hide(self, start: int, end: int) -> bool:
        return self.show(start, end, "")

    def show(self, start: int, end: int, instead: str) -> bool:
        """Shows something else in place of syntax; False if it is none."""
        fits = 0 <= start <= end and bool(_SYNTAX.fullmatch(self.text, start, end))
        if fits:
            self.edits.append(Edit(start, end, instead))
        return fits

    def say(self, start: int, end: int, instead: str) -> None:
        """Shows what a stretch stands for, such as a letter for an entity."""
        self.edits.append(Edit(start, end, instead, said=True))

    def wear(self, start: int, end: int, style: str) -> None:
        self.worn.append(Worn(start, end, style))


class Place:
    """Where the characters of a block's text, as the parser gives it, stand in the source."""

    def __init__(self, lines: list[str], bases: list[int]) -> None:
        self._lines = list(accumulate((len(line) + 1 for line in lines), initial=0))[: len(lines)]
        self._bases = bases

    def at(self, offset: int) -> int:
        line = bisect_right(self._lines, offset) - 1
        return self._bases[line] + offset - self._lines[line]


def placed(source: MarkdownSource, bounds: list[int], content: str) -> Place | None:
    """The place of a block's text: each of its lines ends a line of the source, but for the marks of a heading."""
    lines = content.split("\n")
    bases = []
    for number, line in enumerate(lines, bounds[0]):
        if number >= len(source.starts):
            return None
        body, there = line.strip(), source.line_body(number)
        there = there if there.endswith(body) else there.rstrip("#").rstrip()
        if not there.endswith(body):
            return None
        bases.append(source.body(number) + len(there) - len(body) - (len(line) - len(line.lstrip())))
    return Place(lines, bases)
