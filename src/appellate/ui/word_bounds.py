"""Where words and sentences begin and end, in bounded work however long the text is."""

import re
from collections import deque
from itertools import takewhile

from sentencex import get_sentence_boundaries

from appellate.ui.text import CELLS, inert

Stretch = tuple[int, int]
REACH = 4_096  # characters looked at in either direction for a sentence
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = (
    rf"[^\s!-/:-@\[-\^`{{-~\xa1-\xbf\u2010-\u205e\u3000-\u303f\uff01-\uff0f\uff1a-\uff20{_CJK}]"
)
_WORD = re.compile(
    rf"[{_CJK}]|{_LETTER}+(?:['’.‑-]{_LETTER}+)*|(?<!\S)(?:(?!{_LETTER})[^\s{_CJK}])+(?!\S)"
)


def next_word(text: str, offset: int) -> Stretch | None:
    """The first word that ends behind `offset`; it may have begun before."""
    found = _WORD.search(text, _blank_before(text, offset))
    while found and found.end() <= offset:
        found = _WORD.search(text, found.end())
    if found is None:
        return None
    return found.span()


def previous_word(text: str, offset: int) -> Stretch | None:
    """The last word that begins before `offset`."""
    reach = REACH // 8
    while True:
        start = _blank_before(text, max(offset - reach, 0))
        words = takewhile(
            lambda word: word.start() < offset, _WORD.finditer(text, start, offset + REACH)
        )
        if last := deque(words, maxlen=1):
            return last[0].span()
        if not start:
            return None
        reach *= 8


def word_at(text: str, offset: int) -> Stretch | None:
    """The word that holds `offset`, else the next one, else the one before."""
    return next_word(text, offset) or previous_word(text, offset)


def whole_words(text: str, start: int, end: int) -> Stretch:
    """The stretch with the words whole that it begins and ends within."""
    first, last = next_word(text, start), next_word(text, end - 1)
    if first:
        start = min(first[0], start)
    if last and last[0] < end:
        end = last[1]
    return start, end


def sentence_at(text: str, offset: int) -> Stretch | None:
    """The sentence that holds `offset` or begins next after it, without the white space around it."""
    solid = re.compile(r"\S").search(text, offset)
    if solid is None:
        return None
    start, end = _line(text, solid.start())
    for found in get_sentence_boundaries("en", _harmless(text[start:end])):
        if start + found["end_index"] > solid.start():
            return trimmed(text, start + found["start_index"], start + found["end_index"])
    return trimmed(text, start, end)


def step(text: str, offset: int, by: int) -> int:
    """The offset one drawn character further or back."""
    offset += by
    while 0 < offset < len(text) and not CELLS[inert(text[offset - 1 : offset + 1])[1]]:
        offset += by
    return min(max(offset, 0), len(text))


def trimmed(text: str, start: int, end: int) -> Stretch:
    """The stretch without the white space at its ends."""
    stretch = text[start:end]
    return start + len(stretch) - len(stretch.lstrip()), end - len(stretch) + len(stretch.rstrip())


def _harmless(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "?", text)


def _line(text: str, offset: int) -> Stretch:
    """The line around an offset, cut at white space where it is very long."""
    low, high = max(offset - REACH, 0), min(offset + REACH, len(text))
    start = text.rfind("\n", low, offset) + 1
    if not start and low:
        start = _blank_before(text, low)
    end = text.find("\n", offset, high)
    if end < 0:
        end = high
    return start, end


def _blank_before(text: str, offset: int) -> int:
    """The nearest start of a word-like run before `offset`, looked for within reach."""
    low = max(offset - REACH, 0)
    found = max(text.rfind(blank, low, offset) for blank in " \n\t")
    if found < 0:
        return low
    return found + 1
