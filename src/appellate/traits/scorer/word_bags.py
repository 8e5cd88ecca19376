"""The scorers that compare word by word: exact and f1.

Values are those of inspect_ai 0.3.285.
"""

import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite

from appellate.core.wordforms import many
from appellate.traits.matching import Offsets
from appellate.traits.scorer.rules import (
    AROUND,
    CORRECT,
    INCORRECT,
    LISTED,
    Score,
    reason_of,
    wording,
)

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PARTS = re.compile(r"[ -]")
_WORD = re.compile(r"[^\s-]+")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class _ScoredWords:
    """Words as `exact` and `f1` compare them: without case, articles and punctuation; numbers by
    their value.
    """

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self._known: dict[str, str] = {}
        self._stopped = frozenset(map(self.one, stop_words))

    def of(self, text: str) -> list[str]:
        """All words of a text."""
        kept = []
        for part in _PARTS.split(text):
            word = self.one(part)
            if word not in self._stopped:
                kept += word.split()
        return kept

    def one(self, part: str) -> str:
        """What stands between two blanks."""
        known = self._known.get(part)
        if known is None:
            known = self._known[part] = self._normal(part)
        return known

    def _normal(self, part: str) -> str:
        bare = part.casefold()
        letters = bare.translate(_NO_PUNCTUATION)
        for text in (bare, bare.strip(AROUND), letters):
            found = _finite(text)
            if found is not None:
                return str(found)
        return " ".join(_ARTICLES.sub(" ", letters).split())


def _finite(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    if not isfinite(found):
        return None
    return found


def exact(completion: str, targets: Sequence[str]) -> Score:
    """Whether the whole response is a target, word by word."""
    words = _ScoredWords()
    mine = " ".join(words.of(completion))
    reason = reason_of(completion)
    for target in targets:
        wanted = " ".join(words.of(target))
        if wanted and wanted == mine:
            text = f"The words of the response are those of {wording([target])}."
            return Score(CORRECT, completion, text, (), reason)
    text = f"The words of the response are {wording([mine])}, not those of {wording(targets)}."
    return Score(INCORRECT, completion, text, (), reason)


def f1(
    completion: str, targets: Sequence[str], *, stop_words: Sequence[str] | None = None
) -> Score:
    """How far the words of the response are those of a target: the best F1 over the targets, each
    word counted as often as it stands there, rounded to two places.
    """
    words = _ScoredWords(stop_words or ())
    mine = Counter(words.of(completion))
    best, bags = -1.0, []
    for target in targets:
        bag = Counter(words.of(target))
        if bag:
            bags.append((target, bag))
    if not bags:
        text = f"The target has no words to compare with: {wording(targets)}."
        return Score(0.0, completion, text, (), reason_of(completion))
    for target, bag in bags:
        value = _f1(mine, bag)
        if value > best:
            best, nearest, theirs = value, target, bag
    if not mine:
        text = f"The response has no words to compare with {wording([nearest])}."
        return Score(0.0, completion, text, (), reason_of(completion))
    text = (
        f"{(mine & theirs).total()} of the {many(mine.total(), 'word')} of the response are among"
        f" the {theirs.total()} of {wording([nearest])}."
    )
    spans = tuple(_shared(completion, words, theirs))
    return Score(round(best, 2), completion, text, spans, reason_of(completion))


def _f1(mine: Counter[str], theirs: Counter[str]) -> float:
    shared = (mine & theirs).total()
    if not shared:
        return 0.0
    precision, recall = shared / mine.total(), shared / theirs.total()
    return 2 * precision * recall / (precision + recall)


def _shared(completion: str, words: _ScoredWords, theirs: Counter[str]) -> Iterator[Offsets]:
    """Where the words stand that the target has, too; each as often as there."""
    left = theirs.copy()
    listed = 0
    for token in _WORD.finditer(completion):
        word = words.one(token[0])
        if left[word] > 0:
            left[word] -= 1
            listed += 1
            yield token.span()
        if listed == LISTED:
            return
