"""A selection made word by word, as a value: what each key makes of it, in bounded work."""

import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.messages import sentence_bounds
from appellate.ui.text import CELLS, inert

# -- words -----------------------------------------------------------------------------------------


Stretch = tuple[int, int]
DOUBLE = 2  # clicks
REACH = 4_096  # characters looked at in either direction for a sentence
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = (
    rf"[^\s!-/:-@\[-\^`{{-~\xa1-\xbf\u2010-\u205e\u3000-\u303f\uff01-\uff0f\uff1a-\uff20{_CJK}]"
)


@cache
def _word() -> re.Pattern[str]:
    """A word, or what is alone between white space; it takes 5 ms to compile."""
    alone = rf"(?<!\S)(?:(?!{_LETTER})[^\s{_CJK}])+(?!\S)"
    return re.compile(rf"[{_CJK}]|{_LETTER}+(?:['’.‑-]{_LETTER}+)*|{alone}")


def next_word(text: str, offset: int) -> Stretch | None:
    """The first word that ends behind `offset`; it may have begun before."""
    found = _word().search(text, _blank_before(text, offset))
    while found and found.end() <= offset:
        found = _word().search(text, found.end())
    if found is None:
        return None
    return found.span()


def previous_word(text: str, offset: int) -> Stretch | None:
    """The last word that begins before `offset`."""
    reach = REACH // 8
    while True:
        start = _blank_before(text, max(offset - reach, 0))
        words = takewhile(
            lambda word: word.start() < offset, _word().finditer(text, start, offset + REACH)
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
    first = next_word(text, start)
    last = next_word(text, end - 1)
    if first:
        start = min(first[0], start)
    if last and last[0] < end:
        end = last[1]
    return start, end


def sentence_at(text: str, offset: int) -> Stretch | None:
    """The sentence that holds `offset`, or the next one, without the white space around it."""
    solid = re.compile(r"\S").search(text, offset)
    if solid is None:
        return None
    start, end = _line(text, solid.start())
    for low, high in sentence_bounds(text[start:end]):
        if start + high > solid.start():
            return trimmed(text, start + low, start + high)
    return trimmed(text, start, end)


def sentences_within(text: str, start: int, end: int) -> Iterator[Stretch]:
    """The sentences with a word that are within a stretch, or reach into it."""
    found = sentence_at(text, start)
    while found and found[0] < end:
        if any(map(str.isalnum, text[slice(*found)])):
            yield found
        found = sentence_at(text, found[1])


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


def _line(text: str, offset: int) -> Stretch:
    """The line around an offset, cut at white space where it is very long."""
    low = max(offset - REACH, 0)
    high = min(offset + REACH, len(text))
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
    found = max(
        text.rfind(" ", low, offset), text.rfind("\n", low, offset), text.rfind("\t", low, offset)
    )
    if found < 0:
        return low
    return found + 1


class Selecting(Struct, frozen=True):
    """A stretch of a text; `fresh` until it is extended, `ahead` while its end moves."""

    start: int
    end: int
    fresh: bool = True
    ahead: bool = True

    @property
    def edge(self) -> int:
        """The side that moves."""
        if self.ahead:
            return self.end
        return self.start

    @property
    def place(self) -> int:
        """The offset of the character that keys move: the first one until it is extended."""
        if self.ahead and not self.fresh:
            return self.end - 1
        return self.start

    def shifted(self, text: str, by: int) -> "Selecting":
        """A fresh selection one word on or back."""
        word = next_word(text, self.end) if by > 0 else previous_word(text, self.start)
        if word is None:
            return self
        return Selecting(*word)

    def shifted_to(self, text: str, offset: int) -> "Selecting":
        """A fresh selection at the word at an offset of another row."""
        word = self._word_near(text, offset)
        if word is None:
            return self
        return Selecting(*word)

    def turned(self) -> "Selecting":
        """The other side moves."""
        return replace(self, ahead=not self.ahead, fresh=False)

    def extended(self) -> "Selecting":
        """From here on keys move the end instead of the start."""
        return replace(self, fresh=False)

    def by_word(self, text: str, by: int) -> "Selecting":
        """The moving side goes to the next or previous word; the last word stays."""
        if by > 0:
            word = next_word(text, self.edge)
            if word and not self.ahead and word[0] <= self.start:
                word = next_word(text, word[1])
        else:
            word = previous_word(text, self.edge)
            if word and self.ahead and word[1] >= self.end:
                word = previous_word(text, word[0])
        return self._reached(word)

    def by_sentence(self, text: str) -> "Selecting":
        """The whole sentence when fresh, then on to the far side of this sentence or the next."""
        if self.fresh:
            found = sentence_at(text, self.start)
            if found is None:
                return self
            return Selecting(*found, fresh=False, ahead=self.ahead)
        if self.ahead:
            return self._reached(sentence_at(text, self.end))
        before = previous_word(text, self.start)
        if before is None:
            return self
        return self._reached(sentence_at(text, before[0]))

    def by_character(self, text: str, by: int) -> "Selecting":
        """The moving side goes one character on or back."""
        edge = step(text, self.edge, by)
        return self._reached((edge, edge))

    def by_row(self, text: str, offset: int) -> "Selecting":
        """The moving side goes to the word at an offset of another row, or beyond a blank row."""
        return self._reached(self._word_near(text, offset))

    def met(self, text: str, found: Stretch) -> "Selecting":
        """A fresh selection goes to the words of a hit; an extended one reaches to their end."""
        start, end = whole_words(text, *found)
        if self.fresh:
            return Selecting(start, end)
        begun = word_at(text, self.start) if self.ahead else previous_word(text, self.end)
        low, high = begun or (self.start, self.end)
        return Selecting(min(low, start), max(high, end), fresh=False, ahead=start >= low)

    def reaching_to(self, text: str, offset: int) -> "Selecting":
        """With the words at an offset, and all between."""
        if offset < self.start:
            return dragged(text, self.end - 1, offset)
        return dragged(text, self.start, offset)

    def stretch(self, text: str) -> Stretch | None:
        """What is selected, without white space at its ends; None when nothing else is."""
        start, end = trimmed(text, self.start, self.end)
        if start >= end:
            return None
        return start, end

    def _word_near(self, text: str, offset: int) -> Stretch | None:
        word = word_at(text, offset)
        if word and offset < self.edge <= word[1]:
            return previous_word(text, offset)
        return word

    def _reached(self, found: Stretch | None) -> "Selecting":
        """The moving side at the far side of `found`, unless that would leave nothing selected."""
        if found is None:
            return self
        start = self.start
        end = self.end
        if self.ahead:
            end = found[1]
        else:
            start = found[0]
        if start >= end:
            return self
        return Selecting(start, end, fresh=False, ahead=self.ahead)


def placed(text: str, offset: int) -> Selecting | None:
    """The word at an offset, from where a selection may begin; None in a text without words."""
    word = word_at(text, offset)
    if word is None:
        return None
    return Selecting(*word)


def dragged(text: str, anchor: int, offset: int) -> Selecting:
    """The words from where a pointer was pressed to where it is."""
    start, end = sorted((anchor, offset))
    return Selecting(
        *whole_words(text, start, step(text, end, 1)), fresh=False, ahead=offset >= anchor
    )


def clicked(text: str, offset: int, times: int) -> Selecting | None:
    """The word that two clicks select, the sentence that three do."""
    found = word_at(text, offset) if times == DOUBLE else sentence_at(text, offset)
    if found is None:
        return None
    return Selecting(*found, fresh=False)
