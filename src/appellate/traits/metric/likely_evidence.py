"""Ranks the words of a response by how likely they are evidence for an instruction.

First comes what judges quoted for it, then sentences by the words they share with it. The measure
is BM25 (Robertson 1994) over rough stems, so a word that is rare in the response weighs more. It
only saves a person looking for the place.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from math import log

from appellate.core.cell import Cell
from appellate.core.describe import answered
from appellate.core.facts import Proposed
from appellate.core.messages import sentence_bounds
from appellate.core.problem import lower
from appellate.core.trace import Trace
from appellate.traits.evidence import Finder, Span, single_steps
from appellate.traits.metric.labels import Item, Link, from_table
from appellate.traits.metric.lexical import Sense, distinct_senses, words_of

MOST = 9
"""The largest number of spans that are offered."""
_LONGEST = 600  # characters of a sentence
_OCCURRENCES = 1_000  # of all words: where there are more, the commonest are left out
_SATURATION = 1.2  # k1 and b of BM25
_LENGTH = 0.75
_HINT = 0.4  # how much a word of the judge's reason says beside one of the instruction
_OTHERWISE = 0.8  # of a sentence that denies where the instruction does not, or the other way round
_LEAST = 0.1  # of what every word would score: a best sentence below it is mostly a wrong one
_SHORTEST_STEM = 4
_LONGEST_ENDING = 7
_SHORTEST_QUOTE = 12  # characters
_QUOTED = re.compile(r"[\"“”„«]([^\"“”„«»]+)[\"”“»]|(?<!\w)['‘]([^'‘’]+)['’](?!\w)")
_PLURAL = re.compile(r"[^\W\d_]{2,}[^\W\d_isu]s")
_EDGE = re.compile(r"\A(?:[\s\-•#>|]|[*+]\s|\d{1,3}[.)](?=[\s*]))*(?:\*{1,3}|_{1,3})?")
_HEADING = re.compile(r"#.*|\*\*[^*]*\*\*:?|[^\n]*:\**|[\s\d.)*#]*")


def likely_evidence(
    cell: Cell,
    link: Link | None,
    text: str,
    instead_of: Span | None = None,
    *,
    denying: bool = False,
) -> list[Span]:
    """Return what to offer as evidence for an instruction of a cell, the likeliest first.

    Offsets are in the text that is judged. First come excerpts that judges gave for it, in this
    round and before. Then come the words that the last judge's reason quotes, and sentences that
    share words with `text` or with other names of the instruction. A span within one that is given
    is left out, and so is `instead_of`. At most nine are returned; for a `link` of None there are
    only sentences.

    For `denying`, sentences that say the contrary go first, and an excerpt is as long as it takes
    to do so. In a conversation judges' excerpts may be anybody's words; all others are the
    assistant's.
    """
    trace = cell.subject.trace
    own_words = trace.own_words
    names = cell.subject.trait.names(*link) if link else []
    text = "\n".join([text, *names[1:]])
    candidates: list[Span] = []
    reason = ""
    for item in _proposed(cell, link):
        reason = reason or item.rationale
        if item.span and denying:
            candidates.append(with_denial(trace, item.span))
        elif item.span:
            candidates.append(item.span)
    spans_of_own = _quoted(own_words.text, reason)
    spans_of_own += likely_sentences(own_words.text, text, reason, denying=denying)
    candidates += single_steps(trace, map(own_words.in_text, spans_of_own))
    spans: list[Span] = []
    for start, end in candidates:
        is_part = any(
            kept_start <= start and end <= kept_end for kept_start, kept_end in spans
        )
        if (start, end) != instead_of and not is_part:
            spans.append((start, end))
    return spans[:MOST]


def likely_sentences(
    response: str,
    instruction: str,
    reason: str = "",
    *,
    denying: bool = False,
) -> list[Span]:
    """Return the sentences that share words with an instruction, the best first.

    They are spans of `response`. A word that only `reason` has weighs less. Such words only decide
    between sentences that have some of the instruction's. For `denying`, sentences that say the
    contrary are preferred. At most nine are returned; none if even the best shares too little.
    """
    words = distinct_senses(instruction)
    hints = [sense for sense in distinct_senses(reason) if sense not in words]
    return _sentences(response).likeliest(words, hints, denying=denying)


def with_denial(trace: Trace, span: Span) -> Span:
    """Return an excerpt widened within its sentence until it has the word that denies.

    Offsets are in the text of the trace, which may be a conversation. It is widened to the start of
    the sentence if a denial is before it, else to the end if one is after it. It stays as it is if
    it has one, and if there is none. So does an excerpt in the steps of others than the assistant.
    """
    own_words = trace.own_words
    span_of_own = own_words.of_text(span)
    if span_of_own is None:
        return span
    (start, end) = _sentences(own_words.text).around(span_of_own)
    (first, last) = span_of_own
    own_text = own_words.text
    if not _denies(own_text[first:last]):
        if _denies(own_text[start:first]):
            first = start
        elif _denies(own_text[last:end]):
            last = end
    return own_words.in_text((first, last))


def _denies(text: str) -> bool:
    """Return whether a text has a word that denies by itself, as "not" but not "anti-" does."""
    return any(sense.strict and not sense.prefix for sense, _, _ in words_of(text))


def _proposed(cell: Cell, link: Link | None) -> Iterator[Item]:
    """Yield judges' items on an instruction: of the last round, then of the rounds before.

    In each round the joint proposal is first, then its panel's members. Items of a round that was
    judged on another text are looked up in the current one. A round whose text is gone is left out.
    Yields nothing for a link of None.
    """
    subject = cell.subject
    facts = [cell.judged, *reversed(cell.rounds)]
    for fact in facts:
        if fact is None or link is None or not isinstance(fact.what, Proposed):
            continue
        proposal = fact.what
        trace = (
            subject.trace if fact is cell.judged else subject.as_judged(proposal.judge)
        )
        if trace is None:
            continue
        for table in (
            proposal.table,
            *(member.table for member in answered(proposal.judge)),
        ):
            labels = from_table(subject.trait, trace, table)
            linked = [item for _, item in labels.items() if item.link == link]
            if trace.text != subject.text:
                linked = [_found_again(subject.trace, item) for item in linked]
            yield from linked


def _found_again(trace: Trace, item: Item) -> Item:
    """Return an item at the first place of its words in a trace, else without offsets.

    The words of a denied item are its denial. An item that had no offsets gets none.
    """
    span = None
    if item.span:
        words = item.denied or item.text
        span = Finder.of(trace).find(words)
    if span is None:
        return item.at(None, None)
    return item.at(*span)


def _quoted(response: str, reason: str) -> list[Span]:
    """Return where the response has what a reason quotes, the longest quotation first.

    A quotation is in double or single quotes of any style; punctuation at its ends is not looked
    for. Those of fewer than twelve characters are left out, and so are those that the response does
    not have. Case does not matter. Of several places the first is returned.
    """
    text = lower(response)
    spans: list[Span] = []
    for quote in _QUOTED.finditer(lower(reason)):
        words = quote.group(1) or quote.group(2)
        words = words.strip(" .,;…")
        if len(words) < _SHORTEST_QUOTE:
            continue
        offset = text.find(words)
        if offset >= 0:
            spans.append((offset, offset + len(words)))
    spans.sort(key=_length, reverse=True)
    return spans


def _length(span: Span) -> int:
    start, end = span
    return end - start


class _Sentences:
    """A response divided into sentences, in which stems can be looked up."""

    def __init__(self, response: str) -> None:
        """Divide a response into sentences, in which case makes no difference; "" has none."""
        self._response = response
        self._text = lower(response)
        self._cuts = _cuts(response)
        self._count = len(self._cuts) - 1
        """The number of sentences."""
        self._mean_length = len(self._text) / max(self._count, 1)
        """The mean length of a sentence in characters."""

    def likeliest(
        self,
        words: Sequence[Sense],
        hints: Sequence[Sense],
        *,
        denying: bool,
    ) -> list[Span]:
        """Return the spans of the sentences with any of the words, the best first; at most nine.

        `hints` only decide between sentences that have some of the words. A sentence is marked down
        if it denies and the words do not, or the other way round; `denying` turns that round.
        Headings are left out, unless there is nothing else. Empty if even the best sentence has too
        few of the words.
        """
        scores, full_score = self._scores(words)
        if max(scores.values(), default=0) < _LEAST * full_score:
            return []
        hinted, _ = self._scores(hints)
        for number in scores:
            scores[number] += _HINT * hinted.get(number, 0)

        best = nlargest(MOST + 3, scores, key=lambda number: (scores[number], -number))
        should_deny = any(word.strict for word in words) != denying
        for number in best:
            if self._denies(number) != should_deny:
                scores[number] *= _OTHERWISE
        best.sort(key=lambda number: (-scores[number], number))
        without_headings = [number for number in best if not self._is_heading(number)]
        return [self._span_of(number) for number in (without_headings or best)[:MOST]]

    def _denies(self, number: int) -> bool:
        """Return whether a sentence, counted from 0, has a word that plainly denies.

        Such are "not", "no", "without", "fails" and words with "anti-" or "non-", but not
        "prevents".
        """
        text = self._text[slice(*self._span_of(number))]
        return any(sense.strict for sense, _, _ in words_of(text))

    def around(self, span: Span) -> Span:
        """Return the span from the start of a span's first sentence to the end of its last one.

        It is never smaller than `span`, though marks of a list are left out of sentences.
        """
        start, end = span
        first_start, _ = self._span_of(bisect_right(self._cuts, start) - 1)
        _, last_end = self._span_of(bisect_right(self._cuts, end - 1) - 1)
        return min(first_start, start), max(last_end, end)

    def _scores(self, words: Sequence[Sense]) -> tuple[dict[int, float], float]:
        """Return each sentence's BM25 score, and what an average one with all the words would get.

        Scores are by the number (from 0) of the sentence; those without any of the words are left
        out. A word counts more the fewer sentences have it, and each further time in a sentence
        counts less. Rare words are counted first, and after 1,000 occurrences no more.
        """
        scores: dict[int, float] = {}
        full_score = 0.0
        remaining = _OCCURRENCES
        for word in sorted(words, key=self._most_occurrences):
            counts = self._counts_by_sentence(word, remaining)
            remaining -= sum(counts.values())
            was_looked_for = bool(counts) or remaining > 0
            # the inverse document frequency, with sentences as documents
            others = self._count - len(counts)
            rarity = log(1 + (others + 0.5) / (len(counts) + 0.5))
            if word.counts and was_looked_for:
                full_score += rarity
            for number, repeats in counts.items():
                length = self._cuts[number + 1] - self._cuts[number]
                relative_length = length / self._mean_length
                damping = _SATURATION * (1 - _LENGTH + _LENGTH * relative_length)
                weight = repeats * (_SATURATION + 1) / (repeats + damping)
                scores[number] = scores.get(number, 0) + rarity * weight
        return scores, full_score

    def _most_occurrences(self, word: Sense) -> int:
        """Return how often the response has the letters of a word's root, also in other words."""
        return self._text.count(_root(word))

    def _is_heading(self, number: int) -> bool:
        """Return whether a sentence only says what comes below it, or is a number in a list.

        `number` is the sentence's, from 0. It is a heading of Markdown, a bold line, a line that
        ends in a colon, or only digits and marks.
        """
        start, end = self._cuts[number : number + 2]
        return bool(_HEADING.fullmatch(self._response[start:end].strip()))

    def _span_of(self, number: int) -> Span:
        """Return the span of a sentence, counted from 0, without what surrounds its words.

        That is white space, and before it marks of a list or of emphasis. A sentence that is only
        such marks, as "1." is, keeps them.
        """
        start, end = self._cuts[number : number + 2]
        sentence = self._response[start:end].rstrip()
        opening_marks = _EDGE.match(sentence)
        if opening_marks and opening_marks.end() < len(sentence):
            return start + opening_marks.end(), start + len(sentence)
        return start + len(sentence) - len(sentence.lstrip()), start + len(sentence)

    def _counts_by_sentence(self, word: Sense, limit: int) -> dict[int, int]:
        """Return how often a word occurs in each sentence that has it, by number from 0.

        At most `limit` places are looked at, the first ones. Empty for a word without content.
        """
        counts: dict[int, int] = {}
        if not word.counts:
            return counts
        text = self._text
        root = _root(word)
        offset = text.find(root)
        for _ in range(limit):
            if offset < 0:
                break
            if _begins_word(text, offset, root, number=word.number):
                number = bisect_right(self._cuts, offset) - 1
                counts[number] = counts.get(number, 0) + 1
            offset = text.find(root, offset + 1)
        return counts


@lru_cache(maxsize=2)
def _sentences(response: str) -> _Sentences:
    """Return a response divided into sentences.

    Those of the last two responses are cached, as one response is asked about often.
    """
    return _Sentences(response)


def _root(word: Sense) -> str:
    """Return the stem of a word, without a plural's s if the stem has at most five letters.

    An s after i, s or u is no plural's: "virus" keeps it.
    """
    if len(word.stem) <= _SHORTEST_STEM + 1 and _PLURAL.fullmatch(word.stem):
        return word.stem[:-1]
    return word.stem


def _begins_word(text: str, offset: int, root: str, *, number: bool) -> bool:
    """Return whether the root at an offset begins a word that may be a form of it.

    The caller has found the root at this offset. A `number` must be the whole number, neither
    followed by decimals nor decimals itself: 18 is not in "18.5" and not in "2.18". After a root of
    fewer than four characters the word may only go on with "s" or "es", after a longer one with up
    to seven letters.
    """
    if offset and text[offset - 1].isalnum():
        return False
    end = word_end = offset + len(root)
    while word_end < len(text) and text[word_end].isalnum():
        word_end += 1
    if number:
        has_decimals = re.match(r"[.,]\d", text[end : end + 2])
        is_decimals = re.fullmatch(r"\d[.,]", text[max(offset - 2, 0) : offset])
        return word_end == end and not has_decimals and not is_decimals
    if len(root) < _SHORTEST_STEM:
        return text[end:word_end] in ("", "s", "es")
    return word_end - end <= _LONGEST_ENDING


def _cuts(response: str) -> list[int]:
    """Return the offsets where sentences and lines begin, and the end of the response, sorted.

    A sentence of more than 600 characters is cut after its last blank within 600, or without one
    after 600.
    """
    cuts = {0, len(response)}
    cuts.update(start for start, _ in sentence_bounds(response))
    cuts.update(line.end() for line in re.finditer("\n", response))
    for start, end in pairwise(sorted(cuts)):
        cut = start
        while end - cut > _LONGEST:
            blank = response.rfind(" ", cut + 1, cut + _LONGEST)
            cut = blank + 1 if blank > 0 else cut + _LONGEST
            cuts.add(cut)
    return sorted(cuts)
