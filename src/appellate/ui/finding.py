"""What a search finds in a text, and which hit one is at, as a value."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from appellate.ui.selecting import Stretch


def find(text: str, needle: str) -> list[Stretch]:
    """Where the needle stands, in any case and with any white space between its words.

    In order, none over another.
    """
    words = [re.escape(word) for word in needle.casefold().split()]
    if not words:
        return []
    folded = text.casefold()
    found = (hit.span() for hit in re.finditer(r"\s+".join(words), folded))
    if len(folded) == len(text):
        return list(found)
    return _unfolded(text, list(found))


def _unfolded(text: str, found: Sequence[Stretch]) -> list[Stretch]:
    """The same in a text of which single characters fold to several."""
    ends = list(accumulate(len(char.casefold()) for char in text))
    hits: list[Stretch] = []
    for start, end in found:
        low, high = bisect_left(ends, start + 1), bisect_left(ends, end) + 1
        if not hits or low >= hits[-1][1]:
            hits.append((low, high))
    return hits


@dataclass(frozen=True, slots=True)
class Finding:
    """The hits of a search in order, and the number of the one that one is at."""

    needle: str
    hits: Sequence[Stretch] = ()
    at: int = 0

    @property
    def here(self) -> Stretch | None:
        return self.hits[self.at] if self.hits else None

    @property
    def told(self) -> tuple[int, int]:
        """Which hit of how many one is at, counted from 1; (0, 0) without any."""
        if not self.hits:
            return 0, 0
        return self.at + 1, len(self.hits)

    def from_offset(self, offset: int) -> "Finding":
        """At the first hit at an offset or after it, else at the first of all."""
        at = bisect_left(self.hits, (offset, 0))
        if at == len(self.hits):
            at = 0
        return replace(self, at=at)

    def stepped(self, by: int) -> "Finding":
        """At a hit further on or back; the first follows the last."""
        return replace(self, at=(self.at + by) % len(self.hits)) if self.hits else self
