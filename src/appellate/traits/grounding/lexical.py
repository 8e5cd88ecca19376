"""Proposes grounding labels by word overlap, without a model.

A response sentence is supported as far as its words are in the few document sentences that share
most with it; a number in none of them is not supported. It cannot distinguish a claim from its
opposite, so it is a baseline for people to correct.
"""

import re
from collections import Counter, defaultdict
from itertools import chain
from typing import Any

from appellate.core.trace import Trace
from appellate.traits.grounding import labels as files
from appellate.traits.grounding.labels import Support, Verdict, support_rows
from appellate.traits.grounding.sentences import (
    KeyedSentence,
    KeyedSentences,
    sentences_of,
)

FULL = 0.55
PARTIAL = 0.25
"""The shares of a sentence's words from which it counts as fully (`FULL`) and as partly supported.

With another share for full support, that for partial support moves in proportion.
"""
RELEVANT = 0.3
"""The share of the question's words from which a document sentence counts as relevant."""
_MOST = 5
_ADDS = 0.05
"""The share of words that each supporting sentence must add, at most `_MOST` of them."""
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
        " while through",
    ),
)

Words = frozenset[str]


def words_of(text: str) -> Words:
    """Return the rough stems of the words of a sentence that carry meaning, in lower case.

    For example "The genes BCL2 tested [1]" gives "gen", "bcl", "2" and "test": letters and digits
    are words of their own. Common words and citations such as [1] are left out; numbers stay as
    they are.
    """
    stems: set[str] = set()
    without_citations = _CITATION.sub(" ", text.casefold())
    for word in _WORD.findall(without_citations):
        if word in _COMMON:
            continue
        stem = _ENDINGS.sub("", word)
        if len(stem) < _SHORTEST_STEM:
            stem = word
        stems.add(stem)
    return frozenset(stems)


def propose(trace: Trace, full: float = FULL) -> dict[str, Any]:
    """Return the judge's table that word overlap proposes for one cell.

    A response sentence is fully supported if the share `full` of its words, and every number in it,
    is in at most five document sentences. From a lower share, in proportion to `full`, it is partly
    supported. A document sentence is utilized if it supports a response sentence, and relevant if
    it is utilized or has enough of the question's words.
    """
    sentences = sentences_of(trace)
    overlap = _Overlap(sentences, full)
    support = list(map(overlap.support, sentences.response))
    utilized = set[str]().union(*(label.keys for label in support))
    relevant = overlap.relevant(trace.question or "") | utilized
    return {
        **sentences.to_file(),
        files.RELEVANT: list(filter(relevant.__contains__, sentences.keys())),
        files.OVERALL: all(label.verdict == "full" for label in support),
        files.SUPPORT: support_rows(support),
        files.UTILIZED: list(filter(utilized.__contains__, sentences.keys())),
    }


class _Overlap:
    """The document sentences as sets of words, and which of them contain each word."""

    def __init__(self, sentences: KeyedSentences, full: float) -> None:
        """Divide the document sentences into words.

        `full` is the share of a response sentence's words from which it is fully supported.
        """
        self._full = full
        self._words: dict[str, Words] = {}
        for sentence in chain.from_iterable(sentences.documents):
            self._words[sentence.key] = words_of(sentence.text)
        self._keys = list(self._words)
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        for number, sentence_words in enumerate(self._words.values()):
            for word in sentence_words:
                self._holding[word].append(number)

    def relevant(self, question: str) -> set[str]:
        """Return the keys of document sentences with at least `RELEVANT` of the question's words.

        `RELEVANT` is a share. Empty for a question without words that carry meaning.
        """
        question_words = words_of(question)
        keys: set[str] = set()
        for key, sentence_words in self._words.items():
            if _share_covered(question_words, sentence_words) >= RELEVANT:
                keys.add(key)
        return keys

    def support(self, sentence: KeyedSentence) -> Support:
        """Return how far a response sentence is supported by document sentences, and by which.

        They are chosen one by one: always the one that has most of the words that are still
        missing, and of equal ones the first. It ends after `_MOST`, or when the next would add less
        than `_ADDS`. The verdict is that of the share of its words in them, partial at best if a
        number is in none. With the verdict "none" there are no keys. The explanation tells the
        share.
        """
        claim_words = words_of(sentence.text)
        keys = list[str]()
        covered_words = Words()
        share = 0.0
        shared_counts = self._shared(claim_words)
        for _ in range(_MOST):
            largest_count = max(shared_counts.values(), default=0)
            if (
                not largest_count
                or (len(covered_words) + largest_count) / len(claim_words)
                < share + _ADDS
            ):
                break
            numbers_of_best: list[int] = []
            for number, count in shared_counts.items():
                if count == largest_count:
                    numbers_of_best.append(number)
            best = self._keys[min(numbers_of_best)]
            keys.append(best)
            added_words = (claim_words - covered_words) & self._words[best]
            covered_words |= added_words
            share = _share_covered(claim_words, covered_words)
            shared_counts.subtract(self._shared(added_words))
        verdict = _verdict_by_share(share, claim_words - covered_words, self._full)
        if verdict == "none":
            text = f"only {share:.0%} of its words are together in the documents"
            return Support(sentence.key, "none", (), text)
        text = f"{share:.0%} of its words are in these sentences"
        return Support(sentence.key, verdict, tuple(keys), text)

    def _shared(self, words: Words) -> Counter[int]:
        """Return how many of these words each document sentence has, by its index.

        Sentences without any are left out.
        """
        return Counter(
            chain.from_iterable(self._holding.get(word, ()) for word in words),
        )


def _share_covered(claim_words: Words, covered_words: Words) -> float:
    """Return the share of a sentence's words that are among the others, 0 … 1.

    It is 0 for a sentence without words.
    """
    if not claim_words:
        return 0.0
    return len(claim_words & covered_words) / len(claim_words)


def _verdict_by_share(share: float, missing: Words, full: float) -> Verdict:
    """Return the verdict for the share of a sentence's words that documents cover.

    It is "full" from the share `full` on, "partial" from a lower share that is proportional to
    `full`, and else "none". `missing` are the words that are not covered. With a number among them
    the sentence is partly supported at best.
    """
    if share >= full and not any(map(_NUMBER.match, missing)):
        return "full"
    if share >= full * PARTIAL / FULL:
        return "partial"
    return "none"
