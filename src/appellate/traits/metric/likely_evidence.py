"""Which words of a response bear an instruction out most likely, to be offered as evidence.

First what judges quoted for it, then sentences by the instruction's words they hold: BM25
(Robertson 1994), so that a word that is rare in the response weighs more, over rough stems. Nothing
here reads; it saves a person looking for the place.
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
from appellate.traits.metric.lexical import Sense, asked, words_of

MOST = 9
"""How many stretches are offered."""
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
    """What to offer as evidence for an instruction of a cell, the likeliest first.

    Excerpts that judges gave for it, in this round and before, then what the reason of the last one
    quotes, then sentences that share words with a text; nothing twice, nor what it is `instead_of`.
    `denying` is whether it is to be denied: then what says the contrary goes before, and an excerpt
    is as long as it takes to do so. Words of the instruction's other names count as its own. Of a
    conversation judges' excerpts may be anybody's words, all others are the assistant's.
    """
    trace = cell.subject.trace
    own = trace.own_words
    names = cell.subject.trait.names(*link) if link else []
    text = "\n".join([text, *names[1:]])
    found: list[Span] = []
    reason = ""
    for item in _proposed(cell, link):
        reason = reason or item.rationale
        if item.span and denying:
            found.append(with_denial(trace, item.span))
        elif item.span:
            found.append(item.span)
    likely = _quoted(own.text, reason)
    likely += likely_sentences(own.text, text, reason, denying=denying)
    found += single_steps(trace, map(own.in_text, likely))
    kept: list[Span] = []
    for start, end in found:
        is_part = any(low <= start and end <= high for low, high in kept)
        if (start, end) != instead_of and not is_part:
            kept.append((start, end))
    return kept[:MOST]


def likely_sentences(
    response: str, instruction: str, reason: str = "", *, denying: bool = False
) -> list[Span]:
    """The sentences that share words with an instruction, or with a reason, which weighs less."""
    words = asked(instruction)
    hints = [sense for sense in asked(reason) if sense not in words]
    return _sentences(response).likeliest(words, hints, denying=denying)


def with_denial(trace: Trace, span: Span) -> Span:
    """Return an excerpt with as much of its sentence as it takes to have the word that denies.

    One in others' steps of a conversation stays as it is.
    """
    own = trace.own_words
    span_of_own = own.of_text(span)
    if span_of_own is None:
        return span
    (start, end) = _sentences(own.text).around(span_of_own)
    (low, high) = span_of_own
    words = own.text
    if not _denies(words[low:high]):
        if _denies(words[start:low]):
            low = start
        elif _denies(words[high:end]):
            high = end
    return own.in_text((low, high))


def _denies(text: str) -> bool:
    """Whether a word by itself does, as "not" does and "anti-" does not."""
    return any(sense.strict and not sense.prefix for sense, _, _ in words_of(text))


def _proposed(cell: Cell, link: Link | None) -> Iterator[Item]:
    """Judges' items on an instruction: the last round, its members, then the rounds before.

    The words of a round that was judged on another text are looked up in the one of now.
    """
    subject = cell.subject
    facts = [cell.judged, *reversed(cell.rounds)]
    for fact in facts:
        if fact is None or link is None or not isinstance(fact.what, Proposed):
            continue
        what = fact.what
        trace = subject.trace if fact is cell.judged else subject.as_judged(what.judge)
        if trace is None:
            continue
        for table in (what.table, *(member.table for member in answered(what.judge))):
            labels = from_table(subject.trait, trace, table)
            linked = [item for _, item in labels.items() if item.link == link]
            if trace.text != subject.text:
                linked = [_found_again(subject.trace, item) for item in linked]
            yield from linked


def _found_again(trace: Trace, item: Item) -> Item:
    """Return an item where its words, or those of its denial, stand in a trace, or nowhere."""
    place = Finder.of(trace).find(item.denied or item.text) if item.span else None
    if place is None:
        return item.at(None, None)
    return item.at(*place)


def _quoted(response: str, reason: str) -> list[Span]:
    """Where the response says what a reason has between quotation marks, the longest first."""
    text = lower(response)
    found = []
    for quote in _QUOTED.finditer(lower(reason)):
        words = (quote.group(1) or quote.group(2)).strip(" .,;…")
        place = text.find(words)
        if len(words) >= _SHORTEST_QUOTE and place >= 0:
            found.append((place, place + len(words)))
    return sorted(found, key=lambda span: span[0] - span[1])


class _Sentences:
    """A response in sentences, and where the stems of words are in them."""

    def __init__(self, response: str) -> None:
        self._response, self._text = response, lower(response)
        self._cuts = _cuts(response)

    def likeliest(
        self, words: Sequence[Sense], hints: Sequence[Sense], *, denying: bool
    ) -> list[Span]:
        """Where the sentences stand that hold any of the words, by how well they fit; hints tell
        only between these. None where not even the best holds enough of them.
        """
        scores, whole = self._scores(words)
        if max(scores.values(), default=0) < _LEAST * whole:
            return []
        hinted, _ = self._scores(hints)
        for number in scores:
            scores[number] += _HINT * hinted.get(number, 0)
        best = nlargest(MOST + 3, scores, key=lambda number: (scores[number], -number))
        denies = any(word.strict for word in words) != denying
        for number in best:
            text = self._text[slice(*self._place(number))]
            if denies != any(sense.strict for sense, _, _ in words_of(text)):
                scores[number] *= _OTHERWISE
        best.sort(key=lambda number: (-scores[number], number))
        best = [number for number in best if not self._is_heading(number)] or best
        return [self._place(number) for number in best[:MOST]]

    def around(self, span: Span) -> Span:
        """From the start of the sentence where a stretch begins to the end of its last."""
        first, last = (bisect_right(self._cuts, at) - 1 for at in (span[0], span[1] - 1))
        return min(self._place(first)[0], span[0]), max(self._place(last)[1], span[1])

    def _scores(self, words: Sequence[Sense]) -> tuple[dict[int, float], float]:
        """How well each sentence fits, and how well one of middle length would with all words."""
        scores: dict[int, float] = {}
        whole = 0.0
        count = len(self._cuts) - 1
        mean = len(self._text) / max(count, 1)
        left = _OCCURRENCES
        for word in sorted(words, key=lambda word: self._text.count(_root(word))):
            held = self._held(word, left)
            left -= sum(held.values())
            rarity = log(1 + (count - len(held) + 0.5) / (len(held) + 0.5))
            if word.counts and (held or left > 0):
                whole += rarity
            for number, times in held.items():
                length = self._cuts[number + 1] - self._cuts[number]
                room = _SATURATION * (1 - _LENGTH + _LENGTH * length / mean)
                says = times * (_SATURATION + 1) / (times + room)
                scores[number] = scores.get(number, 0) + rarity * says
        return scores, whole

    def _is_heading(self, number: int) -> bool:
        """Whether it only says what comes below it, or is a number in a list."""
        start, end = self._cuts[number : number + 2]
        return bool(_HEADING.fullmatch(self._response[start:end].strip()))

    def _place(self, number: int) -> Span:
        """A sentence without marks of a list or emphasis before it and white space around it.

        One that has nothing but such marks, as "1." has, keeps them.
        """
        start, end = self._cuts[number : number + 2]
        sentence = self._response[start:end].rstrip()
        begun = _EDGE.match(sentence)
        if begun and begun.end() < len(sentence):
            return start + begun.end(), start + len(sentence)
        return start + len(sentence) - len(sentence.lstrip()), start + len(sentence)

    def _held(self, word: Sense, most: int) -> dict[int, int]:
        """How often a word is in which sentences, looked for in so many places at most."""
        held: dict[int, int] = {}
        if not word.counts:
            return held
        text = self._text
        root = _root(word)
        place = text.find(root)
        for _ in range(most):
            if place < 0:
                break
            if _stands(text, place, root, number=word.number):
                number = bisect_right(self._cuts, place) - 1
                held[number] = held.get(number, 0) + 1
            place = text.find(root, place + 1)
        return held


@lru_cache(maxsize=2)
def _sentences(response: str) -> _Sentences:
    """A response taken apart; kept, since one is mostly asked of again and again."""
    return _Sentences(response)


def _root(word: Sense) -> str:
    """The stem of a word, a short one without the s of its plural."""
    if len(word.stem) <= _SHORTEST_STEM + 1 and _PLURAL.fullmatch(word.stem):
        return word.stem[:-1]
    return word.stem


def _stands(text: str, place: int, root: str, *, number: bool) -> bool:
    """Whether a word of this root is at a place, and no other that begins like it."""
    if place and text[place - 1].isalnum():
        return False
    end = after = place + len(root)
    while after < len(text) and text[after].isalnum():
        after += 1
    if number:
        return after == end and not re.match(r"[.,]\d", text[end : end + 2])
    if len(root) < _SHORTEST_STEM:
        return text[end:after] in ("", "s", "es")
    return after - end <= _LONGEST_ENDING


def _cuts(response: str) -> list[int]:
    """Where sentences and lines begin, and the end; the very long ones are cut at a blank."""
    cuts = {0, len(response)}
    cuts |= {start for start, _ in sentence_bounds(response)}
    cuts |= {line.end() for line in re.finditer("\n", response)}
    for start, end in pairwise(sorted(cuts)):
        cut = start
        while end - cut > _LONGEST:
            blank = response.rfind(" ", cut + 1, cut + _LONGEST)
            cut = blank + 1 if blank > 0 else cut + _LONGEST
            cuts.add(cut)
    return sorted(cuts)
