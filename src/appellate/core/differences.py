"""Compares two texts word by word: which words only one of them has, and how alike they are."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

Stretch = tuple[int, int]
"""Where words are in a text: the offsets of their beginning and their end."""
ALIKE = 0.3
"""The share of words in common (0 … 1) from which differences are worth marking."""
FEW = 3
"""Number of words in common from which they always count as in common."""
LARGEST = 33_000**2
"""Pairs of characters beyond which texts are compared by sentences, to save time."""
_WORD = re.compile(r"\w+(?:[.,'’\-]\w+)*|[<>≤≥=±+%°]")
_SENTENCE = re.compile(r"[^\n.!?\s][^\n.!?]*[.!?]*")


Common = tuple[int, int, int]
"""A block of words that both texts have: the index of its first word in each, and its length."""


class Differences(Struct, frozen=True):
    """How two texts differ."""

    first: Sequence[Stretch]
    """The stretches that only the first text has."""
    second: Sequence[Stretch]
    """The stretches that only the second text has."""
    alike: float
    """The share of words in common, 0 … 1."""
    places: Sequence[tuple[int, int]]
    """Offsets in the first and the second text from which the same words follow, in order."""

    def counterpart(self, offset: int, *, back: bool = False) -> int:
        """Return the offset in the second text that corresponds to one in the first.

        It is as far from the last common words before it as in the first text, but not beyond the
        next common words. Before any common words it is 0. With `back`, `offset` is in the second
        text and the result in the first.
        """
        offsets = [place[back] for place in self.places]
        index = bisect_right(offsets, offset) - 1
        if index < 0:
            return 0
        counterpart = self.places[index][not back] + offset - offsets[index]
        if index + 1 < len(self.places):
            counterpart = min(counterpart, self.places[index + 1][not back])
        return counterpart


def differences(first: str, second: str) -> Differences:
    """Compare two texts word by word, without case and punctuation, and return how they differ.

    Very long texts are compared sentence by sentence. A few words in common between many different
    ones count as different. Two texts without words are alike by 1.
    """
    from rapidfuzz.distance import LCSseq  # only here: 10 ms

    unit = _WORD
    if len(first) * len(second) > LARGEST:
        unit = _SENTENCE
    first_spans, first_words = _pieces(unit, first)
    second_spans, second_words = _pieces(unit, second)
    blocks = LCSseq.opcodes(first_words, second_words).as_matching_blocks()
    common = _without_chance_matches(
        [(block.a, block.b, block.size) for block in blocks],
    )
    common_count = sum(size for _, _, size in common)
    alike = 1.0
    if first_words or second_words:
        alike = 2 * common_count / (len(first_words) + len(second_words))
    return Differences(
        list(_not_common(first_spans, [(start, size) for start, _, size in common])),
        list(_not_common(second_spans, [(start, size) for _, start, size in common])),
        alike,
        [(first_spans[start][0], second_spans[end][0]) for start, end, _ in common],
    )


def _pieces(pattern: re.Pattern[str], text: str) -> tuple[list[Stretch], list[str]]:
    """Return where the matches of a pattern are in a text, and the words of each, to compare.

    Those are in lower case, with single blanks.
    """
    spans = [match.span() for match in pattern.finditer(text)]
    return spans, [" ".join(text[start:end].casefold().split()) for start, end in spans]


def _without_chance_matches(blocks: Sequence[Common]) -> list[Common]:
    """Return the common blocks without short ones between many different words, in order.

    An `of` between two changed halves of a sentence is in common by chance. Blocks of `FEW` words
    always stay; a shorter one stays if it is next to another block. The last block only stands for
    the end of both texts, and is left out.
    """
    telling: list[Common] = []
    for block, next_block in pairwise(blocks):
        previous_block = telling[-1] if telling else (0, 0, 0)
        smaller_gap = min(_gap(previous_block, block), _gap(block, next_block))
        count = block[-1]
        if count >= FEW or smaller_gap < max(count, FEW - 1):
            telling.append(block)
    return telling


def _gap(block: Common, next_block: Common) -> int:
    """Return how many words stand between two common blocks, in the text with more of them."""
    first_start, second_start, count = block
    return max(next_block[0] - first_start, next_block[1] - second_start) - count


def _not_common(
    words: Sequence[Stretch],
    common: Iterable[tuple[int, int]],
) -> Iterator[Stretch]:
    """Yield the stretches of a text between its common words, as offsets.

    `words` are the stretches of its words. `common` holds the index of the first word and the
    number of words of each common block, in order.
    """
    next_index = 0
    for start, count in [*common, (len(words), 0)]:
        if next_index < start:
            yield words[next_index][0], words[start - 1][1]
        next_index = start + count
