"""Finding an excerpt in the response it is said to come from.

Verbatim first; else with white space, case, quotes, dashes, Unicode composition and Markdown
emphasis folded. The folding is done by a pattern built from the excerpt, so that offsets are the
response's own and a long response costs one pass.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator

Span = tuple[int, int]

_EMPHASIS = "*_"
_FOLDED = ('"“”„‟«»″', "'‘’‚‛′`´", "-‐‑‒–—―−")
_ELLIPSIS = re.compile(r"\s*(?:…|\[\.\.\.\]|\[…\]|\.\.\.)\s*")
_MARKS_FOLLOW = "(?![\u0300-\u036f])"
_LONGEST = 20_000
"""Excerpts longer than this (codepoints) are looked up verbatim only."""


class Finder:
    """Looks excerpts up in one response."""

    def __init__(self, response: str) -> None:
        self._response = response

    def find(self, text: str, taken: Collection[Span] = ()) -> Span | None:
        """The first place of an excerpt that overlaps none taken, else its first place, else None."""
        excerpt = text.strip()
        if not excerpt:
            return None
        first = None
        for places in (self._verbatim(excerpt), self._folded(excerpt)):
            for place in places:
                first = first or place
                if not any(start < place[1] and place[0] < end for start, end in taken):
                    return place
            if first:
                return first
        return None

    def find_parts(self, text: str, taken: Collection[Span] = ()) -> list[Span]:
        """The places of an excerpt: one, or one for each part of "A … B" where all are found, or none."""
        whole = self.find(text, taken)
        if whole:
            return [whole]
        parts = [part for part in _ELLIPSIS.split(text) if part.strip()]
        places = [self.find(part, taken) for part in parts] if len(parts) > 1 else []
        return [place for place in places if place] if all(places) else []

    def _verbatim(self, excerpt: str) -> Iterator[Span]:
        start = self._response.find(excerpt)
        while start >= 0:
            yield start, start + len(excerpt)
            start = self._response.find(excerpt, start + 1)

    def _folded(self, excerpt: str) -> Iterator[Span]:
        pattern = _pattern(excerpt) if len(excerpt) <= _LONGEST else None
        if pattern:
            yield from (match.span() for match in pattern.finditer(self._response))


def _pattern(excerpt: str) -> re.Pattern[str] | None:
    """A pattern for every wording that folds to the same; None where nothing is left to look for."""
    words = unicodedata.normalize("NFC", excerpt).translate({ord(c): None for c in _EMPHASIS}).split()
    if not words:
        return None
    between = f"[{_EMPHASIS}]*"
    gap = rf"[{_EMPHASIS}]*\s[\s{_EMPHASIS}]*"
    return re.compile(gap.join(between.join(map(_letter, word)) for word in words), re.IGNORECASE)


def _letter(char: str) -> str:
    for alike in _FOLDED:
        if char in alike:
            return f"[{re.escape(alike)}]"
    apart = unicodedata.normalize("NFD", char)
    if apart != char:
        return f"(?:{re.escape(char)}|{re.escape(apart)})"
    return re.escape(char) + (_MARKS_FOLLOW if char.isalpha() and char.isascii() else "")
