"""The scorers that extract an answer by a pattern, and compare that: pattern and answer.

Values and answers are those of inspect_ai 0.3.285.
"""

from collections.abc import Sequence
from typing import Literal

from appellate.traits.matching import Offsets, matcher
from appellate.traits.scorer.rules import (
    CORRECT,
    EMPTY,
    INCORRECT,
    Score,
    reason_of,
    spans_of,
    wording,
)

AnswerPattern = Literal["letter", "word", "line"]
_LAST = r"(?!.*ANSWER\s*:)"
ANSWERS: dict[str, str] = {
    "letter": rf"(?is)ANSWER\s*:\s*([A-Za-z])(?:\W|$){_LAST}",
    "word": rf"(?is)ANSWER\s*:\s*(\S+?)(?=[.,;:!?]?\s*(?:\n|$)){_LAST}",
    "line": r"(?i)ANSWER\s*:\s*([^\n]+)\s*\Z",
}
"""What is extracted after the last ANSWER: of a response, by how much of it is wanted."""
_WANTED = {
    "letter": "“ANSWER:” with one letter after it",
    "word": "“ANSWER:” with one word after it, at the end of a line",
    "line": "“ANSWER:” with text after it on its last line",
}


def pattern(
    completion: str,
    targets: Sequence[str],
    *,
    pattern: str,
    ignore_case: bool = True,
    match_all: bool = False,
) -> Score:
    """Whether a group of the pattern's first match is a target; with `match_all`, every group.

    Without groups the match itself is compared. Raises Unmatched where the pattern takes too long.
    """
    wanted = "match of the pattern"
    return _extracted(completion, _Wanted(targets, ignore_case, match_all), pattern, wanted)


def answer(completion: str, targets: Sequence[str], *, pattern: str) -> Score:
    """Whether what stands after the last ANSWER: is a target, in any case of letters.

    `pattern` is one of ANSWERS.
    """
    return _extracted(completion, _Wanted(targets), ANSWERS[pattern], _WANTED[pattern])


def given(text: str, targets: Sequence[str], *, ignore_case: bool = True) -> Score:
    """The score of an answer that a person extracted."""
    return _Wanted(targets, ignore_case).score([text], ((0, len(text)),), "")


def _extracted(completion: str, wanted: "_Wanted", regex: str, missing: str) -> Score:
    found = matcher().find(regex, completion, case_sensitive=not wanted.ignore_case, most=1)
    if found.hits:
        spans = found.groups or found.matches
        texts = [completion[span[0] : span[1]] if span else None for span in spans]
        return wanted.score(texts, spans, reason_of(completion))
    reason = reason_of(completion, "invalid_response_format")
    why = f"The response has no {missing}, and the target is {wording(wanted.targets)}."
    if not completion.strip():
        why = EMPTY
    return Score(INCORRECT, None, why, (), reason)


class _Wanted:
    """What extracted texts are compared with."""

    def __init__(
        self, targets: Sequence[str], ignore_case: bool = True, match_all: bool = False
    ) -> None:
        self.targets = targets
        self.ignore_case = ignore_case
        self._match_all = match_all
        self._known = set(map(self._alike, targets))

    def _alike(self, text: str) -> str:
        if self.ignore_case:
            return text.lower()
        return text

    def score(
        self, texts: Sequence[str | None], spans: Sequence[Offsets | None], reason: str
    ) -> Score:
        """What the groups of a match come to; one that took no part is None."""
        taken, places = [], []
        for text, span in zip(texts, spans, strict=True):
            if text is not None and span is not None:
                taken.append(text)
                places.append(span)
        fitting = []
        for text, span in zip(taken, places, strict=True):
            if self._alike(text) in self._known:
                fitting.append((text, span))
        found = self._answer(fitting, len(taken))
        if fitting and not self._match_all:
            places = [fitting[0][1]]
        if found:
            return Score(
                CORRECT, found, f"{wording([found])} is the target.", spans_of(*places), reason
            )
        if found is None and len(texts) == 1 and not self._match_all:
            found = texts[0]
        why = f"{wording(taken, 'and')} was extracted, and the target is {wording(self.targets)}."
        return Score(INCORRECT, found, why, spans_of(*places), reason)

    def _answer(self, fitting: Sequence[tuple[str, Offsets]], count: int) -> str | None:
        """The answer, where so many of the groups' texts are targets as must be."""
        if not fitting:
            return None
        if not self._match_all:
            return fitting[0][0]
        if len(fitting) < count:
            return None
        return "".join(self.targets)
