"""Text from a file, made safe to draw: nothing in it may act on the terminal, hide, or move others.

Every stand-in replaces exactly one code point by one code point. So an offset into what is drawn is
an offset into the text itself. The width of an `inert` text is the sum of the widths of its code
points, because joiners, emoji selectors and flags, about which terminals disagree, are gone.

Terminals also disagree about skin tones, young emoji, and the vowels and conjuncts of Indic
scripts: `DOUBTS` tells which letters these are.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from rich.cells import get_character_cell_size
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from appellate.core.inert import FLAGS, STACK, STRAY, character_class, stand_ins
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.textual_compat import put_in_frame, zero_width_ranges

TAB = 4
"""Cells that a tab takes."""
COMPARED = 1000
"""Characters of two rows that are compared to find where they begin to differ."""
_LATIN = 0xFF
"""The last code point of Latin 1."""
_NEAR = 0xFFFF
"""The last code point of plane 0."""
_BEFORE = "9.0.0"
"""Unicode's version of 2016, whose widths some terminals have."""
_VIRAMA = 9
"""The combining class of what joins two consonants."""
_KEYCAP = "\u20e3"
_FIRST_SELECTOR = "\ufe00"
_LAST_SELECTOR = "\ufe0f"


def inert(text: str) -> str:
    """Return the text with a stand-in, code point for code point, for all that could do harm.

    That is what acts on the terminal, hides, or misaligns others; tab and newline stay. Combining
    characters without a letter before them are replaced, too, and so are those after the first
    `STACK` on a letter.
    """
    ascii_only = text.isascii()
    text = stand_ins(text)
    if ascii_only or all(map(CELLS.__getitem__, set(text) - {"\n"})):
        return text  # the patterns take 40 ms to compile
    for strays in _strays():
        text = strays.sub(STRAY, text)
    return text


@cache
def _strays() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of combining characters that `inert` replaces: of plane 0, and beyond.

    Each matches a character without a width, above Latin 1, that has no letter before it or too
    many such characters. They are compiled once.
    """
    near_ranges: list[tuple[int, int]] = []
    ranges_beyond: list[tuple[int, int]] = []
    for first, last in zero_width_ranges():
        if first > _LATIN and last <= _NEAR:
            near_ranges.append((first, last))
        elif first > _NEAR:
            ranges_beyond.append((first, last))
    near = character_class(near_ranges)
    beyond = character_class(ranges_beyond)
    # the look-ahead spares most characters the long class
    beyond = f"(?=[\U00010000-\U0010ffff]){beyond}"
    return _stray(near), _stray(beyond)


def _stray(mark: str) -> re.Pattern[str]:
    """Return the pattern of a mark that has no letter before it, or more than `STACK` marks.

    `mark` is a pattern itself, of one character.
    """
    without_letter = rf"(?<!\S{mark})"
    one_too_many = mark * (STACK + 1)
    after_too_many = f"(?<={one_too_many})"
    return re.compile(f"{mark}(?:{without_letter}|{after_too_many})")


def flat(text: str) -> str:
    """Return a text inert and on one line: a space stands for each newline and each tab."""
    if text.isascii() and text.isprintable():
        return text
    return inert(text).replace("\n", " ").replace("\t", " ")


def plain(text: str) -> Content:
    """Return a text for a widget, which would read a `str` as markup."""
    return Content(inert(text))


def entitle(
    widget: Widget,
    title: str | None = None,
    subtitle: str | None = None,
) -> None:
    """Put a title and a subtitle, made inert, into a widget's frame; None leaves what is there.

    Of several lines only the first is put there.
    """
    if title is not None:
        put_in_frame(widget, plain(title), above=True)
    if subtitle is not None:
        put_in_frame(widget, plain(subtitle), above=False)


def update_text(widget: Static, content: Content) -> None:
    """Show another text in a widget; the screen is laid out again only if that is needed.

    It is if the number of rows changes, and if a widget that is as high as its text has another
    height: its text may have changed during a layout. A widget without a width yet, or that shows
    something other than a `Content`, is updated in the usual way.
    """
    content_before = widget.content
    width = widget.content_size.width
    if not isinstance(content_before, Content) or not width:
        widget.update(content)
        return

    rows = len(content.wrap(width))
    is_other = rows != len(content_before.wrap(width))
    if not content.is_same(content_before):
        widget.update(content, layout=is_other)
    if widget.styles.is_auto_height and rows != widget.content_size.height:
        widget.refresh(layout=True)


class _CellWidths(dict[str, int]):
    """The width of each inert code point in cells, looked up once."""

    def __missing__(self, char: str) -> int:
        self[char] = cells = get_character_cell_size(char)
        return cells


CELLS = _CellWidths({"\t": TAB, "\n": 0})


class _Doubts(dict[str, bool]):
    """Whether terminals disagree about the width of a letter with its marks, found out once."""

    def __missing__(self, letter: str) -> bool:
        """Find out whether a letter with its marks is doubtful, keep that, and return it."""
        doubt = _is_doubtful_alone(letter[:1]) or any(
            map(_is_doubtful_mark, letter[1:]),
        )
        self[letter] = doubt
        return doubt


DOUBTS = _Doubts({"": False})
SURE = re.compile(
    "[ -~\xa0-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u262f]*",
)
"""A text in which no letter is in `DOUBTS`: Latin, usual punctuation, arrows, and signs for lines.

It has no mark that joins the letter before it.
"""


def _is_doubtful_alone(char: str) -> bool:
    """Return whether terminals may disagree about the width of a character that stands alone.

    They may about one half of a flag, a code point that is not assigned or for private use, and one
    whose width differs from that in Unicode `_BEFORE`. Letters up to Georgian, and signs from
    U+2000 to U+262F, are never doubtful.
    """
    # Unicode has had these unchanged for long
    if char <= "\u10ff" or "\u2000" <= char <= "\u262f":
        return False
    width_before = get_character_cell_size(char, _BEFORE)
    if get_character_cell_size(char) != width_before:
        return True
    if ord(char) in FLAGS:
        return True
    return unicodedata.category(char) in ("Cn", "Co")


def _is_doubtful_mark(char: str) -> bool:
    """Return whether terminals may disagree about the width of a letter with this mark.

    They agree about marks that only stand over or under a letter. About any other they may
    disagree: skin tones, selectors, keycaps, and signs that join two consonants.
    """
    is_combining = unicodedata.category(char) in ("Mn", "Me")
    is_selector = _FIRST_SELECTOR <= char <= _LAST_SELECTOR
    if not is_combining or is_selector:
        return True
    if char == _KEYCAP or unicodedata.combining(char) == _VIRAMA:
        return True
    return _is_doubtful_alone(char)


def joins_the_next(letter: str) -> bool:
    """Return whether some terminals draw this letter and the next as one: it ends with a virama.

    "" does not.
    """
    return unicodedata.combining(letter[-1:] or " ") == _VIRAMA


def cell_width(text: str) -> int:
    """Return how many cells an inert text takes on one line.

    A tab takes `TAB` cells, a line break none.
    """
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(map(CELLS.__getitem__, text))


def fitting(text: str, width: int) -> int:
    """Return how many code points of an inert text fit into `width` cells, from its beginning.

    Marks without a width stay with their letter. It is 0 if not even the first fits, and for a
    negative width.
    """
    if text.isascii() and text.isprintable():
        return min(len(text), max(width, 0))
    used = 0
    for index, char in enumerate(text):
        used += CELLS[char]
        if used > width:
            return index
    return len(text)


_BEFORE_ELLIPSIS = " \u200c\u200d"
"""Left out before an ellipsis: a blank, and joiners, which take a cell if they join nothing."""


def clip(text: str, width: int, marks: Marks = UNICODE) -> str:
    """Return the text inert and on one line in at most `width` cells.

    If it is cut, it ends with an ellipsis, without blanks and joiners before that. It is "" if it
    does not fit and not even the ellipsis would.
    """
    if len(text) <= width and text.isascii() and text.isprintable():
        return text

    # more code points than could be drawn, marks included
    most_drawn = 4 * width + 8
    inert_text = flat(text[:most_drawn])
    is_whole = len(inert_text) == len(text)
    if is_whole and cell_width(inert_text) <= width:
        return inert_text

    text_width = width - cell_width(marks.ellipsis)
    if text_width < 0:
        return ""

    end = fitting(inert_text, text_width)
    beginning = inert_text[:end]
    return beginning.rstrip(_BEFORE_ELLIPSIS) + marks.ellipsis


def alike_beginnings(texts: Sequence[str]) -> list[int]:
    """Return for each text how many characters it begins with in common with the one most like it.

    The most like it is looked for among the other texts given. At most `COMPARED` characters count.
    Equal texts count as one text, since nothing tells them apart. A text alone has 0. The numbers
    are in the order of `texts`.
    """
    different_texts = sorted(set(texts))
    alike = dict.fromkeys(different_texts, 0)
    for first, second in pairwise(different_texts):
        beginning = first[:COMPARED]
        beginning_of_next = second[:COMPARED]
        common = _common(beginning, beginning_of_next)
        alike[first] = max(alike[first], common)
        alike[second] = max(alike[second], common)
    return [alike[text] for text in texts]


def _common(first: str, second: str) -> int:
    """Return how many characters two texts both begin with."""
    for count, (first_char, second_char) in enumerate(zip(first, second, strict=False)):
        if first_char != second_char:
            return count
    return min(len(first), len(second))


def column(text: str, width: int, marks: Marks = UNICODE) -> str:
    """Return the text, inert and on one line, clipped or padded to exactly `width` cells."""
    clipped = clip(text, width, marks)
    return clipped + " " * (width - cell_width(clipped))
