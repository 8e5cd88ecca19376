"""Text from a file, made safe to draw: nothing in it may act on the terminal, hide, or move its
neighbours.

Every stand-in replaces exactly one codepoint by one codepoint, so that an offset into what is drawn
is one into the text itself. After `inert` the width of a text is the sum of the widths of its
codepoints, because joiners, emoji selectors and flags, about which terminals disagree, are gone.
About skin tones, young emoji and the vowels and conjuncts of Indic scripts they disagree too:
`DOUBTS` tells which letters these are.
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
COMPARED = 1000
"""Characters of two rows that are compared, to find where they begin to differ."""
_LATIN = 0xFF  # the last codepoints of Latin 1 and of plane 0
_NEAR = 0xFFFF
_BEFORE = "9.0.0"  # Unicode's version of 2016, of which some terminals have the widths
_VIRAMA = 9  # the combining class of what joins two consonants
_KEYCAP = "\u20e3"
_FIRST_SELECTOR = "\ufe00"
_LAST_SELECTOR = "\ufe0f"


def inert(text: str) -> str:
    """The text with a stand-in for all that acts, hides or misaligns its neighbours, but tab and
    newline. Combining characters without a letter, and all but eight of a stack, are alone.
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
    table = [pair for pair in zero_width_ranges() if pair[0] > _LATIN]
    near = character_class(pair for pair in table if pair[1] <= _NEAR)
    beyond = character_class(pair for pair in table if pair[0] > _NEAR)
    return _stray(near), _stray(f"(?=[\U00010000-\U0010ffff]){beyond}")


def _stray(mark: str) -> re.Pattern[str]:
    return re.compile(rf"{mark}(?:(?<!\S{mark})|(?<={mark * (STACK + 1)}))")


def flat(text: str) -> str:
    """`text` inert and on one line, codepoint for codepoint."""
    if text.isascii() and text.isprintable():
        return text
    return inert(text).replace("\n", " ").replace("\t", " ")


def plain(text: str) -> Content:
    """What to hand to a widget instead of a `str`, which it would read as markup."""
    return Content(inert(text))


def entitle(widget: Widget, title: str | None = None, subtitle: str | None = None) -> None:
    """Puts words into a frame where they are other words; what is None stays."""
    if title is not None:
        put_in_frame(widget, plain(title), above=True)
    if subtitle is not None:
        put_in_frame(widget, plain(subtitle), above=False)


def update_text(widget: Static, content: Content) -> None:
    """Shows another text; the screen is laid out anew only if it has more rows, or fewer.

    A widget that is as high as its text may have the height of an earlier one, whose text changed
    while the screen was laid out: it is laid out anew, too.
    """
    shown = widget.content
    width = widget.content_size.width
    if not isinstance(shown, Content) or not width:
        widget.update(content)
        return
    rows = len(content.wrap(width))
    is_other = rows != len(shown.wrap(width))
    if not content.is_same(shown):
        widget.update(content, layout=is_other)
    if widget.styles.is_auto_height and rows != widget.content_size.height:
        widget.refresh(layout=True)


class _CellWidths(dict[str, int]):
    """Width of an inert codepoint in cells, looked up once."""

    def __missing__(self, char: str) -> int:
        self[char] = cells = get_character_cell_size(char)
        return cells


CELLS = _CellWidths({"\t": TAB, "\n": 0})


class _Doubts(dict[str, bool]):
    """Whether terminals disagree how many cells a letter with its marks takes, found out once."""

    def __missing__(self, letter: str) -> bool:
        doubt = _is_doubtful_alone(letter[:1]) or any(map(_is_doubtful_mark, letter[1:]))
        self[letter] = doubt
        return doubt


DOUBTS = _Doubts({"": False})


def _is_doubtful_alone(char: str) -> bool:
    """A flag's half, what Unicode added or widened of late, and what it has not yet."""
    if char <= "\u10ff" or "\u2000" <= char <= "\u262f":  # as Unicode has had them for long
        return False
    changed = get_character_cell_size(char) != get_character_cell_size(char, _BEFORE)
    return changed or ord(char) in FLAGS or unicodedata.category(char) in ("Cn", "Co")


def _is_doubtful_mark(char: str) -> bool:
    """What does more than stand over or under a letter: skin tones, selectors, wide vowels."""
    if unicodedata.category(char) not in ("Mn", "Me") or _FIRST_SELECTOR <= char <= _LAST_SELECTOR:
        return True
    if char == _KEYCAP or unicodedata.combining(char) == _VIRAMA:
        return True
    return _is_doubtful_alone(char)


def joins_the_next(letter: str) -> bool:
    """Whether some terminals draw this letter and the next as one."""
    return unicodedata.combining(letter[-1:] or " ") == _VIRAMA


def cell_width(text: str) -> int:
    """The cells that an inert text takes on one line."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(map(CELLS.__getitem__, text))


def fitting(text: str, width: int) -> int:
    """How many codepoints of an inert text fit into `width` cells, no letter without its marks."""
    if text.isascii() and text.isprintable():
        return min(len(text), max(width, 0))
    used = 0
    for index, char in enumerate(text):
        used += CELLS[char]
        if used > width:
            return index
    return len(text)


def clip(text: str, width: int, marks: Marks = UNICODE) -> str:
    """The text on one line in at most `width` cells, with an ellipsis where it was cut."""
    if len(text) <= width and text.isascii() and text.isprintable():
        return text
    shown = flat(text[: 4 * width + 8])  # more codepoints than could be drawn, marks included
    if len(shown) == len(text) and cell_width(shown) <= width:
        return shown
    left = width - cell_width(marks.ellipsis)
    if left < 0:
        return ""
    return shown[: fitting(shown, left)].rstrip(" ") + marks.ellipsis


def alike_beginnings(texts: Sequence[str]) -> list[int]:
    """Return how many characters each text begins with as the one most like it does.

    At most `COMPARED` are looked at. Texts that are the same are taken for one: nothing tells
    these apart.
    """
    alike = dict.fromkeys(sorted(set(texts)), 0)
    for one, other in pairwise(alike):
        common = _common(one[:COMPARED], other[:COMPARED])
        alike[one] = max(alike[one], common)
        alike[other] = max(alike[other], common)
    return [alike[text] for text in texts]


def _common(one: str, other: str) -> int:
    """Return how many characters two texts both begin with."""
    for count, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return count
    return min(len(one), len(other))


def column(text: str, width: int, marks: Marks = UNICODE) -> str:
    """The text clipped and padded to exactly `width` cells."""
    shown = clip(text, width, marks)
    return shown + " " * (width - cell_width(shown))
