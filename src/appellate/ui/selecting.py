"""A selection that is made word by word, as a value; each key returns the next one.

A key looks only `REACH` characters around, so that it takes as long in a large text.
"""

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
"""Start and end of a part of a text, in code points."""
DOUBLE = 2
"""Clicks in a row that select a word; more select a sentence."""
REACH = 4_096
"""Characters looked at in either direction for a sentence."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_FULL_WIDTH_MARKS = r"\uff01-\uff0f\uff1a-\uff20"
_LETTER = (
    r"[^\s!-/:-@\[-\^`{-~\xa1-\xbf\u2010-\u205e\u3000-\u303f"
    rf"{_FULL_WIDTH_MARKS}{_CJK}]"
)


@cache
def _word() -> re.Pattern[str]:
    """Return the pattern of a word; it is compiled once, which takes 5 ms.

    A word is of letters and digits, also with an apostrophe, a dot or a hyphen between them. A
    Chinese or Japanese character is a word by itself. Other signs are a word only if white space is
    around them.
    """
    alone = rf"(?<!\S)(?:(?!{_LETTER})[^\s{_CJK}])+(?!\S)"
    return re.compile(rf"[{_CJK}]|{_LETTER}+(?:['’.‑-]{_LETTER}+)*|{alone}")


def next_word(text: str, offset: int) -> Stretch | None:
    """Return the first word that ends after `offset`, or None if there is none.

    If `offset` is within a word, it is that word, which begins before. Signs with white space
    around them are a word, too, and so is each Chinese or Japanese character.
    """
    match = _word().search(text, _blank_before(text, offset))
    while match and match.end() <= offset:
        match = _word().search(text, match.end())
    if match is None:
        return None
    return match.span()


def previous_word(text: str, offset: int) -> Stretch | None:
    """Return the last word that begins before `offset`, or None if there is none.

    It may end after `offset`. Signs with white space around them are a word, too, and so is each
    Chinese or Japanese character.
    """
    reach = REACH // 8
    while True:
        start = _blank_before(text, max(offset - reach, 0))
        words = takewhile(
            lambda word: word.start() < offset,
            _word().finditer(text, start, offset + REACH),
        )
        if last := deque(words, maxlen=1):
            return last[0].span()
        if not start:
            return None
        reach *= 8


def word_at(text: str, offset: int) -> Stretch | None:
    """Return the word at `offset`, else the next word, else the one before.

    None in a text without words.
    """
    return next_word(text, offset) or previous_word(text, offset)


def whole_words(text: str, start: int, end: int) -> Stretch:
    """Return a stretch widened to whole words at both ends, `start` and `end`.

    An end that is in no word stays where it is.
    """
    first = next_word(text, start)
    last = next_word(text, end - 1)
    if first:
        start = min(first[0], start)
    if last and last[0] < end:
        end = last[1]
    return start, end


def sentence_at(text: str, offset: int) -> Stretch | None:
    """Return the sentence at `offset`, without the white space around it.

    At white space it is the next sentence, which may be on a later line. No sentence goes over a
    line's end. In a long line it is cut `REACH` characters after `offset`, and at white space from
    one to two times `REACH` before. None is returned if only white space follows.
    """
    visible = re.compile(r"\S").search(text, offset)
    if visible is None:
        return None
    wanted = visible.start()
    start, end = _line(text, wanted)
    line = text[start:end]
    for low, high in sentence_bounds(line):
        sentence_end = start + high
        if sentence_end > wanted:
            return trimmed(text, start + low, sentence_end)
    return trimmed(text, start, end)


def sentences_within(text: str, start: int, end: int) -> Iterator[Stretch]:
    """Yield the sentences that are in text[start:end] at least in part, in order.

    Sentences without a letter or digit are left out; the first may begin before the stretch.
    """
    sentence = sentence_at(text, start)
    while sentence and sentence[0] < end:
        sentence_start, sentence_end = sentence
        words = text[sentence_start:sentence_end]
        if any(map(str.isalnum, words)):
            yield sentence
        sentence = sentence_at(text, sentence_end)


def step(text: str, offset: int, by: int) -> int:
    """Return the offset `by` drawn characters further on, or back if negative, for `by` of 1 or -1.

    Code points without a width belong to the character before. It is 0 to the text's length.
    """
    offset += by
    while 0 < offset < len(text):
        # with the character before, since a combining one alone would be replaced
        pair = inert(text[offset - 1 : offset + 1])
        has_width = CELLS[pair[1]] > 0
        if has_width:
            break
        offset += by
    return min(max(offset, 0), len(text))


def trimmed(text: str, start: int, end: int) -> Stretch:
    """Return a stretch of the text without the white space at its ends.

    If there is nothing else in it, the end is not after the start.
    """
    stretch = text[start:end]
    length = len(stretch)
    blanks_before = length - len(stretch.lstrip())
    blanks_after = length - len(stretch.rstrip())
    return start + blanks_before, end - blanks_after


def _line(text: str, offset: int) -> Stretch:
    """Return the line around an offset, as its start and end, without its newline.

    At a newline it is the line that ends there. A line is cut at `REACH` characters after the
    offset. One that begins more than `REACH` characters before it is cut there, too, or further
    back, so that the part begins after white space; it begins at most twice `REACH` before.
    """
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
    """Return the offset after the last blank, tab or newline before `offset`.

    If none is within `REACH` characters, it is the offset that far before, at least 0.
    """
    low = max(offset - REACH, 0)
    blank = max(
        text.rfind(" ", low, offset),
        text.rfind("\n", low, offset),
        text.rfind("\t", low, offset),
    )
    if blank < 0:
        return low
    return blank + 1


class Selecting(Struct, frozen=True):
    """A selected stretch of a text."""

    start: int
    end: int
    fresh: bool = True
    """Whether keys still move the start: nothing has been extended yet."""
    ahead: bool = True
    """Whether the end moves, not the start."""

    @property
    def edge(self) -> int:
        """The offset of the side that moves."""
        if self.ahead:
            return self.end
        return self.start

    @property
    def place(self) -> int:
        """The offset of the character that keys move.

        It is the first one until the selection is extended, and then that at the moving side.
        """
        if self.ahead and not self.fresh:
            return self.end - 1
        return self.start

    def shifted(self, text: str, by: int) -> "Selecting":
        """Return a selection of only the next word for `by` above 0, else of the word before.

        Only the sign of `by` counts. Nothing of it is extended yet. Returns the selection itself if
        there is no such word.
        """
        word = next_word(text, self.end) if by > 0 else previous_word(text, self.start)
        if word is None:
            return self
        return Selecting(*word)

    def shifted_to(self, text: str, offset: int) -> "Selecting":
        """Return a selection of only the word at an offset in another row; nothing is extended yet.

        If none is there, it is the next word, or the one before the offset if the next is selected
        already or there is none. Returns the selection itself if there is no such word.
        """
        word = self._word_near(text, offset)
        if word is None:
            return self
        return Selecting(*word)

    def turned(self) -> "Selecting":
        """Return the same selection with its other side moving."""
        return replace(self, ahead=not self.ahead, fresh=False)

    def extended(self) -> "Selecting":
        """Return the same selection, of which keys now move the end instead of the start."""
        return replace(self, fresh=False)

    def by_word(self, text: str, by: int) -> "Selecting":
        """Return the selection with its moving side at the next word, or the one before.

        A negative `by` is for the one before, and only its sign counts. A moving end goes to the
        end of that word, and a moving start to its beginning, in either direction. So going back
        with the end gives one word up. Returns the selection itself if there is no such word, or if
        nothing would be selected then.
        """
        if by > 0:
            word = next_word(text, self.edge)
            if word and not self.ahead and word[0] <= self.start:
                word = next_word(text, word[1])
        else:
            word = previous_word(text, self.edge)
            if word and self.ahead and word[1] >= self.end:
                word = previous_word(text, word[0])
        return self._with_edge_at(word)

    def by_sentence(self, text: str) -> "Selecting":
        """Return the selection extended to a sentence's end or beginning, whichever side moves.

        A moving end goes to the next end of a sentence. A moving start goes to the beginning of the
        sentence that has the word before it. A selection that was not extended yet becomes the
        whole sentence that it begins in. Returns the selection itself if there is no such sentence.
        """
        if self.fresh:
            sentence = sentence_at(text, self.start)
            if sentence is None:
                return self
            return Selecting(*sentence, fresh=False, ahead=self.ahead)
        if self.ahead:
            return self._with_edge_at(sentence_at(text, self.end))

        word_before = previous_word(text, self.start)
        if word_before is None:
            return self

        return self._with_edge_at(sentence_at(text, word_before[0]))

    def by_character(self, text: str, by: int) -> "Selecting":
        """Return the selection with its moving side one drawn character further on, or back for -1.

        `by` is 1 or -1. Returns the selection itself if nothing would be selected then.
        """
        edge = step(text, self.edge, by)
        return self._with_edge_at((edge, edge))

    def by_row(self, text: str, offset: int) -> "Selecting":
        """Return the selection with its moving side at the word at an offset in another row.

        If none is there, it is the next word, or the one before the offset if the moving side is at
        the next already or there is none. A moving end goes to that word's end, a moving start to
        its beginning. Returns the selection itself if there is no such word, or if nothing would be
        selected then.
        """
        return self._with_edge_at(self._word_near(text, offset))

    def to_hit(self, text: str, hit: Stretch) -> "Selecting":
        """Return the selection extended to the whole words of a search hit.

        It reaches from the word at its side that stays to the hit, on whichever side that is; the
        side at the hit moves from then on. A selection that was not extended yet becomes only the
        words of the hit, as if not extended either.
        """
        start, end = whole_words(text, *hit)
        if self.fresh:
            return Selecting(start, end)
        own_word = previous_word(text, self.end)
        if self.ahead:
            own_word = word_at(text, self.start)
        low, high = own_word or (self.start, self.end)
        is_ahead = start >= low
        new_start = min(low, start)
        new_end = max(high, end)
        return Selecting(new_start, new_end, fresh=False, ahead=is_ahead)

    def reaching_to(self, text: str, offset: int) -> "Selecting":
        """Return the whole words between one side of the selection and an offset.

        That side is the end for an offset before the start, else the start. The other side moves
        from then on.
        """
        if offset < self.start:
            return dragged(text, self.end - 1, offset)
        return dragged(text, self.start, offset)

    def stretch(self, text: str) -> Stretch | None:
        """Return the start and end of what is selected, without white space at its ends.

        None if only white space is selected.
        """
        start, end = trimmed(text, self.start, self.end)
        if start >= end:
            return None
        return start, end

    def _word_near(self, text: str, offset: int) -> Stretch | None:
        """Return the word at an offset of another row, else the next word, else the one before.

        If the moving side would not go towards the offset by that, it is the word beyond, as in a
        word of several rows. None if there is no such word.
        """
        word = word_at(text, offset)
        if word is None:
            return None
        target = word[1] if self.ahead else word[0]
        if offset < self.edge <= target:
            return previous_word(text, word[0])
        if target <= self.edge < offset:
            return next_word(text, word[1])
        return word

    def _with_edge_at(self, target: Stretch | None) -> "Selecting":
        """Return the selection with its moving side at `target`, as one that was extended.

        A moving end goes to the end of `target`, a moving start to its beginning. Returns the
        selection itself for None, and if nothing would be selected then.
        """
        if target is None:
            return self

        start = self.start
        end = self.end
        if self.ahead:
            end = target[1]
        else:
            start = target[0]
        if start >= end:
            return self

        return Selecting(start, end, fresh=False, ahead=self.ahead)


def placed(text: str, offset: int) -> Selecting | None:
    """Return a fresh selection of the word at an offset, else of the next, else of the one before.

    None in a text without words.
    """
    word = word_at(text, offset)
    if word is None:
        return None
    return Selecting(*word)


def dragged(text: str, anchor: int, offset: int) -> Selecting:
    """Return the whole words from where the mouse button was pressed, `anchor`, to the pointer.

    `offset` is the pointer's. The side at the pointer is the one that moves.
    """
    low, high = sorted((anchor, offset))
    after_high = step(text, high, 1)
    start, end = whole_words(text, low, after_high)
    is_ahead = offset >= anchor
    return Selecting(start, end, fresh=False, ahead=is_ahead)


def clicked(text: str, offset: int, times: int) -> Selecting | None:
    """Return what `times` clicks at an offset select: up to two the word, more the sentence.

    Between words it is the next word, and after the last word that one. At white space the sentence
    is the next one. None without any word, or if only white space follows for a sentence. Keys then
    extend the selection, and no longer move it.
    """
    stretch = sentence_at(text, offset) if times > DOUBLE else word_at(text, offset)
    if stretch is None:
        return None
    return Selecting(*stretch, fresh=False)
