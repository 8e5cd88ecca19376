"""The sentences of a response, numbered as they are listed."""

import re
from functools import lru_cache

from sentencex import get_sentence_boundaries

Stretch = tuple[int, int]
_SOLID = re.compile(r"\S(?:.*\S)?")


@lru_cache(maxsize=1)
def sentences_of(response: str) -> list[Stretch]:
    """Where the sentences stand, none of them over the end of a line."""
    found: list[Stretch] = []
    for line in _SOLID.finditer(response):
        start, text = line.start(), re.sub("[\ud800-\udfff]", "?", line[0])
        for sentence in get_sentence_boundaries("en", text):
            low, high = start + sentence["start_index"], start + sentence["end_index"]
            words = response[low:high]
            low += len(words) - len(words.lstrip())
            high -= len(words) - len(words.rstrip())
            if low < high:
                found.append((low, high))
    return found
