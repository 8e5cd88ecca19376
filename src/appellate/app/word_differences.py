"""The words of two texts that the other has not: what is left of both, unmarked, are the same words
in the same order.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from appellate.ui.selecting import Stretch

ALIKE = 0.3
"""The share of words in common from which differences are worth marking."""
FEW = 3  # words in common that say nothing between so many others
LARGEST = 33_000**2  # pairs of characters: longer texts are compared by sentences
_WORD = re.compile(r"\w+(?:[.,'’\-]\w+)*|[<>≤≥=±+%°]")
_SENTENCE = re.compile(r"[^\n.!?\s][^\n.!?]*[.!?]*")


class CommonWords(Struct, frozen=True):
    """So many words that follow one another in both texts, from these places on."""

    one: int
    other: int
    count: int


class Differences(Struct, frozen=True):
    """What is in one text alone, what in the other, and the share of words in common (0 … 1).

    `places` are offsets in both texts from which the same follows, in order.
    """

    one: Sequence[Stretch]
    other: Sequence[Stretch]
    alike: float
    places: Sequence[tuple[int, int]]

    def counterpart(self, offset: int, *, back: bool = False) -> int:
        """The offset in the other text that a place in the one stands at; `back` the other way."""
        at = [place[back] for place in self.places]
        found = bisect_right(at, offset) - 1
        if found < 0:
            return 0
        there = self.places[found][not back] + offset - at[found]
        if found + 1 < len(self.places):
            there = min(there, self.places[found + 1][not back])
        return there


def differences(one: str, other: str) -> Differences:
    """Compares two texts word by word, in any case and leaving punctuation aside; very long ones
    sentence by sentence.
    """
    unit = _WORD
    if len(one) * len(other) > LARGEST:
        unit = _SENTENCE
    words, others = _pieces(unit, one), _pieces(unit, other)
    parts, texts = _folded(one, words), _folded(other, others)
    common = _telling(_common(parts, texts), len(parts), len(texts))
    count = sum(block.count for block in common)
    alike = 1.0
    if parts or texts:
        alike = 2 * count / (len(parts) + len(texts))
    return Differences(
        _left(words, [(block.one, block.count) for block in common]),
        _left(others, [(block.other, block.count) for block in common]),
        alike,
        [(words[block.one][0], others[block.other][0]) for block in common],
    )


def _pieces(pattern: re.Pattern[str], text: str) -> list[Stretch]:
    return [found.span() for found in pattern.finditer(text)]


def _folded(text: str, pieces: Sequence[Stretch]) -> list[str]:
    return [" ".join(text[start:end].casefold().split()) for start, end in pieces]


def _common(one: Sequence[str], other: Sequence[str]) -> list[CommonWords]:
    """The longest sequence of words that both have."""
    from rapidfuzz.distance import LCSseq  # only here: 10 ms

    return [
        CommonWords(step.src_start, step.dest_start, step.src_end - step.src_start)
        for step in LCSseq.opcodes(one, other)
        if step.tag == "equal"
    ]


def _telling(blocks: Sequence[CommonWords], here: int, there: int) -> list[CommonWords]:
    """Without words in common that stand alone among others: an `of` between two changed halves of
    a sentence.
    """
    kept: list[CommonWords] = []
    end = CommonWords(here, there, 0)
    for block, following in pairwise([*blocks, end]):
        before = _gap(kept[-1] if kept else CommonWords(0, 0, 0), block)
        behind = _gap(block, following)
        if block.count >= FEW or min(before, behind) < max(block.count, FEW - 1):
            kept.append(block)
    return kept


def _gap(block: CommonWords, following: CommonWords) -> int:
    """How many words, of the text that has more, stand between two."""
    one = following.one - block.one - block.count
    return max(one, following.other - block.other - block.count)


def _left(pieces: Sequence[Stretch], common: Sequence[tuple[int, int]]) -> list[Stretch]:
    """The stretches of what is not in common, those that follow one another as one."""
    found: list[Stretch] = []
    for first, last in _between(common, len(pieces)):
        found.append((pieces[first][0], pieces[last - 1][1]))
    return found


def _between(common: Sequence[tuple[int, int]], count: int) -> Iterator[tuple[int, int]]:
    done = 0
    for start, length in [*common, (count, 0)]:
        if done < start:
            yield done, start
        done = start + length
