"""What the assistant itself says in a text that is judged.

Patterns, rules and the offline judge look only at that: words of others show nothing of what it
did.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import attrgetter

from msgspec import Struct

Stretch = tuple[int, int]
"""Code points `start` to `end` (excluded) of a text."""


class _Part(Struct, frozen=True):
    """A stretch of these words, and how much further on it is in the text that is judged."""

    start: int
    end: int
    shift: int


class OwnWords(Struct, frozen=True, dict=True):
    """The words of the assistant, and where each of them is in the text that is judged.

    For a response they are all of it. For a conversation they are the assistant's steps with an
    empty line between two of them. Others' words are left out and not blanked: long blanks would
    match patterns that look for blanks, and keep other patterns busy for seconds.
    """

    text: str
    parts: Sequence[_Part]

    @classmethod
    def of(cls, text: str) -> "OwnWords":
        """Return a text as words that are all the assistant's: offsets are the same in both."""
        return cls(text, (_Part(0, len(text), 0),))

    @classmethod
    def among(cls, text: str, stretches: Iterable[Stretch]) -> "OwnWords":
        """Return the words in these stretches of a text, which must be in its order and not
        overlap.

        Stretches with only a newline between them keep it; others get an empty line between them.
        Empty without stretches.
        """
        words = ""
        parts: list[_Part] = []
        previous_end: int | None = None
        for start, end in stretches:
            if previous_end is not None:
                between = text[previous_end:start]
                words += between if between == "\n" else "\n\n"
            parts.append(
                _Part(len(words), len(words) + end - start, start - len(words)),
            )
            words += text[start:end]
            previous_end = end
        return cls(words, tuple(parts))

    def in_text(self, span: Stretch) -> Stretch:
        """Return where a stretch of these words is in the text that is judged.

        A stretch over several steps begins in the first and ends in the last of them, so that what
        others say between is in it. One that is empty, or only between two steps, is empty there,
        too. Without any words it is (0, 0).
        """
        start, end = span
        if not self.parts:
            return 0, 0

        after_end = bisect_left(self.parts, end, key=attrgetter("start"))
        last = self.parts[max(after_end - 1, 0)]
        end_in_text = min(end, last.end) + last.shift
        if start == end:
            return end_in_text, end_in_text

        index = bisect_left(self.parts, start + 1, key=attrgetter("end"))
        if index == len(self.parts):
            return end_in_text, end_in_text

        first = self.parts[index]
        start_in_text = max(start, first.start) + first.shift
        return min(start_in_text, end_in_text), end_in_text

    def pieces(self, span: Stretch) -> list[Stretch]:
        """Return where a stretch of these words is in the text, in order, one piece for each part.

        A part is a stretch of the assistant's words there. What is between two parts belongs to no
        piece.
        """
        span_start, span_end = span
        stretches: list[Stretch] = []
        for part in self.parts:
            start = max(span_start, part.start)
            end = min(span_end, part.end)
            if start < end:
                stretches.append((start + part.shift, end + part.shift))
        return stretches

    def of_text(self, span: Stretch) -> Stretch | None:
        """Return where a stretch of the text that is judged is among these words, by their offsets.

        Returns None for a stretch that is not wholly within one stretch of the assistant's words.
        What a call's heading says was called is a stretch of its own, apart from the words of the
        call.
        """
        start, end = span
        index = bisect_right(self._starts_in_text, start) - 1
        if index < 0:
            return None
        part = self.parts[index]
        part_end_in_text = part.end + part.shift
        if end > part_end_in_text:
            return None
        return start - part.shift, end - part.shift

    @cached_property
    def _starts_in_text(self) -> list[int]:
        """Where each part begins in the text that is judged, in order."""
        return [part.start + part.shift for part in self.parts]
