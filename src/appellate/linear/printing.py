"""Paragraphs as lines of a terminal: wrapped between words, coloured by SGR alone, inert."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from appellate.core.inert import STACK, STRAY, stand_ins
from appellate.ui.contract import Paragraph
from appellate.ui.marks import Marks, spelt

SGR: Mapping[str, str] = {
    "strong": "1",
    "muted": "2",
    "tp": "32",
    "fn": "33",
    "fp": "31",
    "tn": "36",
    "evidence": "4",
    "bad": "31",
    "flag": "31",
    "failed": "31",
    "denied": "33",
    "corrected": "1",
    "key": "1",
}
NARROWEST = 20
TAB = 4


class Printing(Struct, frozen=True):
    """How paragraphs are printed: `width` is None where lines are as long as they are, `colours`
    whether there are any.
    """

    marks: Marks
    width: int | None = None
    colours: bool = False

    def lines(self, paragraph: Paragraph) -> Iterator[str]:
        """The lines of a paragraph, its mark before the first."""
        mark = spelt(paragraph.mark, self.marks)
        text = _unstacked(stand_ins(paragraph.text)).expandtabs(TAB)
        if not (paragraph.quoted or paragraph.in_quotes):
            text = spelt(text, self.marks)
        if paragraph.in_quotes:
            quotes = spelt("“”", self.marks)
            text = f"{quotes[0]}{text}{quotes[1]}"
        mark = mark.replace("−", self.marks.minus)
        left = " " * paragraph.indent
        lead = f"{mark} " if mark else ""
        room = None
        if self.width is not None:
            room = max(self.width - paragraph.indent, NARROWEST)
        for number, line in enumerate(_wrapped(lead + text, room, paragraph.hang)):
            yield left + self._styled(line, lead.rstrip(), paragraph.style, first=not number)

    def _styled(self, line: str, lead: str, style: str, *, first: bool) -> str:
        """A line in its colour: the mark alone where there is one."""
        code = SGR.get(style)
        if not self.colours or code is None:
            return line
        if not lead:
            return f"\x1b[{code}m{line}\x1b[0m"
        if first and line.startswith(lead):
            return f"\x1b[{code}m{lead}\x1b[0m{line[len(lead) :]}"
        return line


def _unstacked(text: str) -> str:
    """The text with at most so many marks on a letter; each further one stands on its own."""
    if text.isascii():
        return text
    marks = [char for char in set(text) if unicodedata.category(char) in ("Mn", "Me")]
    if not marks:
        return text
    mark = f"[{re.escape(''.join(marks))}]"
    return re.sub(f"(?<={mark * STACK}){mark}", STRAY, text)


def cells(text: str) -> int:
    """The columns of a text, by the widths that terminals agree about."""
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _wrapped(text: str, room: int | None, hang: int) -> Iterator[str]:
    for line in text.split("\n"):
        if room is None or cells(line) <= room:
            yield line.rstrip()
        else:
            yield from _filled(_pieces(line, room - hang), room, hang)


def _filled(pieces: Iterable[str], room: int, hang: int) -> Iterator[str]:
    """Pieces, each narrower than a line, put into lines, all but the first that far in."""
    line = ""
    for piece in pieces:
        if line.strip() and cells(line) + cells(piece.rstrip()) > room:
            yield line.rstrip()
            line = " " * hang
        line += piece
    yield line.rstrip()


def _pieces(line: str, room: int) -> Iterator[str]:
    """Words with the blanks behind them; one wider than a line in parts."""
    start = len(line) - len(line.lstrip())
    words = line[start:].split(" ")
    lead = line[:start]
    for number, word in enumerate(words):
        piece = lead + word
        lead = ""
        while cells(piece) > room:
            cut = _cut(piece, room)
            yield piece[:cut]
            piece = piece[cut:]
        yield piece + " " * (number < len(words) - 1)


def _cut(piece: str, room: int) -> int:
    """How many characters of a piece have room, at least one."""
    used = 0
    for place, char in enumerate(piece):
        used += _width(char)
        if used > room:
            return max(place, 1)
    return len(piece)
