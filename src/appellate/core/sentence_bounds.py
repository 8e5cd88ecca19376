"""Where the sentences of a text begin and end, found in time that grows with its length."""

import re
from collections.abc import Iterator

from sentencex import get_sentence_boundaries

_LONGEST = 16_384
"""Characters looked through at once: the splitter's time grows faster than a paragraph."""


def sentence_bounds(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, the white space behind it included.

    A long text is looked through in parts, which end at a line's end if there is one, else at a
    blank.
    """
    harmless = re.sub("[\ud800-\udfff]", "\ufffd", text)
    start = 0
    while start < len(harmless):
        stop = _stop(harmless, start)
        for found in get_sentence_boundaries("en", harmless[start:stop]):
            yield start + found["start_index"], start + found["end_index"]
        start = stop


def _stop(text: str, start: int) -> int:
    """Where the part that starts here ends."""
    furthest = start + _LONGEST
    if furthest >= len(text):
        return len(text)
    for end in ("\n", " "):
        place = text.rfind(end, start, furthest)
        if place >= start + _LONGEST // 2:
            return place + 1
    return furthest
