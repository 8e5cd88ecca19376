"""Grounding by word overlap: no model, deterministic, and modest about what it can know.

A response sentence is as far supported as its words are in the few document sentences that share
most with it; a number that is in none of them is not supported. It cannot tell a claim from its
opposite: a baseline to correct, no reader.
"""

import re
from collections import Counter, defaultdict
from itertools import chain
from typing import Any

from appellate.core.trace import Trace
from appellate.traits.grounding import labels as files
from appellate.traits.grounding.labels import Support, Verdict, support_rows
from appellate.traits.grounding.sentences import KeyedSentence, KeyedSentences, sentences_of
from appellate.traits.grounding.spec import GroundingRubricTrait

FULL = 0.55
PARTIAL = 0.25
"""The share of a sentence's words from which it counts as fully, and as partly
supported.
"""
RELEVANT = 0.3
"""The share of the question's words from which a document sentence is relevant."""
_MOST = 5
_ADDS = 0.05
"""How many sentences may support one, and the share that each must add."""
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_NUMBER = re.compile(r"\d")
_CITATION = re.compile(r"\[\d+\]")
_ENDINGS = re.compile(r"(?:ies|ing|edly|ed|es|ly|s|e)$")
_SHORTEST_STEM = 3
_COMMON = frozenset(
    _WORD.findall(
        "a an and are as at be been but by can could do does for from had has have he her his how i"
        " if in into is it its may might more most not of on one or other our she should so some"
        " such than that the their them then there these they this those to was we were what when"
        " where which who why will with would you your also any each between about both during"
        " while through"
    )
)

Words = frozenset[str]


def words_of(text: str) -> Words:
    """The rough stems of the words of a sentence that mean something by themselves."""
    found = set()
    for word in _WORD.findall(_CITATION.sub(" ", text.casefold())):
        if word not in _COMMON:
            stem = _ENDINGS.sub("", word)
            found.add(stem if len(stem) >= _SHORTEST_STEM else word)
    return frozenset(found)


def propose(trait: GroundingRubricTrait, trace: Trace) -> dict[str, Any]:  # noqa: ARG001
    """The labels of one cell as a judge's table."""
    sentences = sentences_of(trace)
    overlap = _Overlap(sentences)
    support = list(map(overlap.support, sentences.response))
    utilized = set[str]().union(*(one.keys for one in support))
    relevant = overlap.relevant(trace.question or "") | utilized
    return {
        **sentences.to_file(),
        files.RELEVANT: list(filter(relevant.__contains__, sentences.keys())),
        files.OVERALL: all(one.verdict == "full" for one in support),
        files.SUPPORT: support_rows(support),
        files.UTILIZED: list(filter(utilized.__contains__, sentences.keys())),
    }


class _Overlap:
    """The document sentences as sets of words, and which of them hold a word."""

    def __init__(self, sentences: KeyedSentences) -> None:
        self._words: dict[str, Words] = {}
        for sentence in chain.from_iterable(sentences.documents):
            self._words[sentence.key] = words_of(sentence.text)
        self._keys = list(self._words)
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        for number, own in enumerate(self._words.values()):
            for word in own:
                self._holding[word].append(number)

    def relevant(self, question: str) -> set[str]:
        """The sentences that hold enough of the question's words."""
        asked = words_of(question)
        return {key for key, own in self._words.items() if _share(asked, own) >= RELEVANT}

    def support(self, sentence: KeyedSentence) -> Support:
        """How far the sentences that share most with one of the response bear it out."""
        wanted = words_of(sentence.text)
        keys = list[str]()
        held = Words()
        share = 0.0
        shared = self._shared(wanted)
        for _ in range(_MOST):
            most = max(shared.values(), default=0)
            if not most or (len(held) + most) / len(wanted) < share + _ADDS:
                break
            best = self._keys[min(number for number, count in shared.items() if count == most)]
            keys.append(best)
            adds = (wanted - held) & self._words[best]
            held |= adds
            share = _share(wanted, held)
            shared.subtract(self._shared(adds))
        verdict = _verdict(share, wanted - held)
        if verdict == "none":
            text = f"only {share:.0%} of its words are together in the documents"
            return Support(sentence.key, "none", (), text)
        text = f"{share:.0%} of its words are in these sentences"
        return Support(sentence.key, verdict, tuple(keys), text)

    def _shared(self, words: Words) -> Counter[int]:
        """How many of these words each document sentence holds, by its number; none is left out."""
        return Counter(chain.from_iterable(self._holding.get(word, ()) for word in words))


def _share(wanted: Words, held: Words) -> float:
    if not wanted:
        return 0.0
    return len(wanted & held) / len(wanted)


def _verdict(share: float, missing: Words) -> Verdict:
    """No number of a sentence that is fully supported is missing."""
    if share >= FULL and not any(map(_NUMBER.match, missing)):
        return "full"
    if share >= PARTIAL:
        return "partial"
    return "none"
