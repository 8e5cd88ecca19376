"""The sentences of a response, numbered as they are listed."""

import re
from functools import lru_cache

from appellate.core.messages import sentence_bounds

Stretch = tuple[int, int]
_SOLID = re.compile(r"\S(?:.*\S)?")


@lru_cache(maxsize=1)
def sentences_of(response: str) -> list[Stretch]:
    """Where the sentences stand, none of them over the end of a line."""
    found: list[Stretch] = []
    for line in _SOLID.finditer(response):
        for first, last in sentence_bounds(line[0]):
            low, high = line.start() + first, line.start() + last
            words = response[low:high]
            low += len(words) - len(words.lstrip())
            high -= len(words) - len(words.rstrip())
            if low < high:
                found.append((low, high))
    return found
