"""Compares two texts word by word: which words only one of them has, and how alike they are."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter

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
        """Return the offset in the second text that corresponds to an offset in the first.

        It is as far behind the beginning of the last common words as in the first text, but not
        beyond the next common words. Before any common words it is 0, and after the last it may be
        beyond the text's end. With `back`, `offset` is in the second text and the result in the
        first.
        """
        own_offset = itemgetter(1 if back else 0)
        other_offset = itemgetter(0 if back else 1)
        next_index = bisect_right(self.places, offset, key=own_offset)
        if next_index == 0:
            return 0
        place = self.places[next_index - 1]
        distance: int = offset - own_offset(place)
        counterpart: int = other_offset(place) + distance
        if next_index < len(self.places):
            next_place = self.places[next_index]
            counterpart = min(counterpart, other_offset(next_place))
        return counterpart


def differences(first: str, second: str) -> Differences:
    """Compare two texts word by word, and return where they differ and how much they are alike.

    Case, white space and most punctuation do not count. Very long texts are compared sentence by
    sentence. A few words in common between many different ones count as different. The share in
    common is 0 to 1, and 1 for two texts without words.
    """
    from rapidfuzz.distance import LCSseq  # only here: 10 ms

    unit = _WORD
    if len(first) * len(second) > LARGEST:
        unit = _SENTENCE
    first_stretches = [match.span() for match in unit.finditer(first)]
    second_stretches = [match.span() for match in unit.finditer(second)]
    first_words = _folded_words(first, first_stretches)
    second_words = _folded_words(second, second_stretches)
    opcodes = LCSseq.opcodes(first_words, second_words)
    blocks: list[Common] = []
    for block in opcodes.as_matching_blocks():
        blocks.append((block.a, block.b, block.size))

    first_blocks: list[tuple[int, int]] = []
    second_blocks: list[tuple[int, int]] = []
    places: list[tuple[int, int]] = []
    common_count = 0
    for first_index, second_index, size in _without_chance_matches(blocks):
        first_blocks.append((first_index, size))
        second_blocks.append((second_index, size))
        first_offset, _ = first_stretches[first_index]
        second_offset, _ = second_stretches[second_index]
        places.append((first_offset, second_offset))
        common_count += size

    total = len(first_words) + len(second_words)
    alike = 1.0
    if total:
        alike = 2 * common_count / total
    return Differences(
        list(_not_common(first_stretches, first_blocks)),
        list(_not_common(second_stretches, second_blocks)),
        alike,
        places,
    )


def _folded_words(text: str, stretches: Iterable[Stretch]) -> list[str]:
    """Return the words of a text at some stretches, in the form in which they are compared.

    A word, or a sentence, is case-folded, with single spaces for white space in it and none around
    it.
    """
    folded: list[str] = []
    for start, end in stretches:
        words = text[start:end].casefold().split()
        folded.append(" ".join(words))
    return folded


def _without_chance_matches(blocks: Sequence[Common]) -> list[Common]:
    """Return common blocks, in order, without short ones that stand between many different words.

    Blocks of `FEW` words always stay. A shorter one stays if at most one other word, in either
    text, is between it and another block, or the beginning or end of the texts. An `of` between two
    changed halves of a sentence is in common by chance. The last of `blocks` only stands for the
    end of both texts, and is left out.
    """
    telling: list[Common] = []
    previous_block: Common = (0, 0, 0)
    for block, next_block in pairwise(blocks):
        gap_before = _gap(previous_block, block)
        gap_after = _gap(block, next_block)
        smaller_gap = min(gap_before, gap_after)
        count = block[-1]
        is_next_to_another = smaller_gap < max(count, FEW - 1)
        if count >= FEW or is_next_to_another:
            telling.append(block)
            previous_block = block
    return telling


def _gap(block: Common, next_block: Common) -> int:
    """Return how many words stand between two common blocks, in the text that has more."""
    first_start, second_start, count = block
    next_first_start, next_second_start, _ = next_block
    first_distance = next_first_start - first_start
    second_distance = next_second_start - second_start
    return max(first_distance, second_distance) - count


def _not_common(
    stretches: Sequence[Stretch],
    common: Iterable[tuple[int, int]],
) -> Iterator[Stretch]:
    """Yield the stretches of a text that it does not have in common with another, in order.

    `stretches` are those of its words. `common` has the index of the first word and the number of
    words of each common block, in order. All words between two blocks, before the first and after
    the last are one stretch.
    """
    blocks = [*common, (len(stretches), 0)]
    next_index = 0
    for first_common, count in blocks:
        if next_index < first_common:
            start, _ = stretches[next_index]
            _, end = stretches[first_common - 1]
            yield start, end
        next_index = first_common + count
