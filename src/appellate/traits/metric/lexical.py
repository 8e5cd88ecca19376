"""Compares words by rough stems, and proposes labels by word overlap, without a model.

It looks at one sentence at a time. Numbers must agree exactly, a denial on one side only is no
match, and a spelling may differ by a letter. By their stems "inhibits" and "inhibition" match,
"hypotension" and "hypertension" do not.

It is a baseline for people to correct, and calls nothing denied: in K-QA one of 14 sentences with a
claim's words and the other polarity contradicted it. It does not see omissions either: of 79
criteria of HealthBench that ask for one, common words said of three that they are met, each time
wrongly.
"""

import bisect
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from appellate.core.messages import sentence_bounds
from appellate.traits.metric.labels import Bucket, Item, Labels, List, to_table
from appellate.traits.metric.spec import MetricRubricTrait


def _listed(words: str) -> tuple[str, ...]:
    """Return the words of a text as a tuple."""
    return tuple(words.split())


_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:[-‐‑'’.,][^\W_]+)*")
_PART = re.compile(
    r"[^\W\d_]+[-‐‑]?\d[^\W_]*|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+",
)
_NUMBERS = _listed("two three four five six seven eight nine ten eleven twelve")
_SPELT = {word: str(number) for number, word in enumerate(_NUMBERS, 2)}
_EMPTY = frozenset(
    _listed(
        """
        a an the this that these those it its he she they them their his her you your we our i
        my me of in on at by for from to into onto as with and or but if then than so such is
        are was were be been being am do does did has have had can could may might must shall
        should will would also too very more most some any all both each other there here which
        who whom whose what when where how why about over under up out s t e g etc
        """,
    ),
)
_META = frozenset(
    _listed(
        """
        mention mentions mentioned mentioning state states stated stating claim claims claimed
        claiming reference references referenced describe describes explain explains explaining
        note notes noting include includes including discuss discusses suggest suggests
        suggesting recommend recommends advise advises indicate indicates identify identifies
        provide provides list lists emphasize emphasizes emphasise emphasises highlight
        highlights say says specify specifies acknowledge acknowledges address addresses give
        gives given offer offers encourage encourages clarify clarifies response answer
        relevance relevant importance user fact information
        """,
    ),
)
_STRICT = frozenset(
    _listed(
        "no not never neither nor none without cannot fail fails failed failing anti non",
    ),
)
_PREFIXES = ("anti", "non")
_SOFT = _listed(
    "inhibit block prevent suppress avoid lack absen stop antagon refrain discourag",
)
_SUFFIXES = _listed(
    """
    ational ization isation ations ation ments ional ities ically ment ness able ible tion sion
    ical ious ings ions ive ity ing ion ous ies sis tic ors ers ic al ly ed es or er s y e
    """,
)
_SHORTEST_STEM = 4


class Sense(NamedTuple):
    """The meaning of a word for a comparison, without its place in a text."""

    stem: str
    number: bool = False
    strict: bool = False  # denies: not, never, anti-
    soft: bool = False  # has a denying sense: inhibits, prevents
    prefix: bool = False  # denies only the word after it: anti-, non-
    empty: bool = False  # carries no content

    @property
    def counts(self) -> bool:
        """Whether the word carries content: it is neither empty, as "the" is, nor a denial."""
        return not (self.empty or self.strict)


def words_of(text: str) -> Iterator[tuple[Sense, int, int]]:
    """Yield every word's sense, start and end (offsets in the text), in order.

    Senses have stems in lower case. A hyphenated word is yielded as its parts. Letters and digits
    joined, as in "BCL-2", are one word. A Chinese or Japanese character is a word by itself.
    """
    senses: dict[str, Sense] = {}  # most words are known and have no parts to look for
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word in senses:
            yield senses[word], *token.span()
        elif word.isalpha():
            senses[word] = sense_of(word.lower())
            yield senses[word], *token.span()
        else:
            for part in _PART.finditer(text, *token.span()):
                yield sense_of(part.group().lower()), *part.span()


def senses_to_find(instruction: str) -> list[Sense]:
    """Return the senses of an instruction's words to look for, in order, repeats included.

    These are words that carry content or deny, as stems in lower case. Words that only say that the
    response should say it, such as "mentions", are left out, and what is in round brackets. If
    nothing is outside brackets, what is in them counts too.
    """
    without_asides = _ASIDE.sub(" ", instruction)
    if not any(char.isalnum() for char in without_asides):
        without_asides = instruction
    return _telling_senses(without_asides)


def distinct_senses(text: str) -> list[Sense]:
    """Return the senses of a text's words that carry content or deny, each once, in order.

    What is in brackets is included. Words such as "mentions" are left out.
    """
    return list(dict.fromkeys(_telling_senses(text)))


def _telling_senses(text: str) -> list[Sense]:
    """Return the senses of a text's words that carry content or deny it, in order.

    Words that only say that something is said, such as "mentions", are left out. Repeats stay.
    """
    senses = []
    for sense, start, end in words_of(text):
        tells = sense.counts and text[start:end].lower() not in _META
        if sense.strict or tells:
            senses.append(sense)
    return senses


_ASIDE = re.compile(r"\([^()]*\)")


@lru_cache(maxsize=50_000)
def sense_of(lower: str) -> Sense:
    """Return the sense of a word in lower case, which must not be empty.

    It is the first that fits: a number, a denial, an empty word, else a stem. A number begins with
    a digit and loses its commas, as "1,000" does, or is a word from "two" to "twelve". Results are
    cached: texts repeat their words, and this is most of the work.
    """
    number = _SPELT.get(lower, lower if lower[0].isdigit() else "")
    if number:
        return Sense(number.replace(",", ""), number=True)
    if lower in _STRICT or lower.endswith(("n't", "n’t")):
        return Sense(lower, strict=True, prefix=lower in _PREFIXES)
    if lower in _EMPTY:
        return Sense(lower, empty=True)
    return Sense(stem(lower), soft=lower.startswith(_SOFT))


def stem(lower: str) -> str:
    """Return a word without its ending, as a rough stem: "cities" as "citi", "tested" as "test".

    `lower` is the word in lower case. What is after an apostrophe is left out: "don't" is "don".
    The first known ending that leaves at least four letters is cut off. A word with digits or
    hyphens keeps its ending and only loses its hyphens: "covid-19" is "covid19".
    """
    base = lower.partition("'")[0].partition("’")[0]
    if not base.isalpha():
        return re.sub(r"[-‐‑]", "", base) or lower
    for suffix in _SUFFIXES:
        if base.endswith(suffix) and len(base) - len(suffix) >= _SHORTEST_STEM:
            return base[: -len(suffix)]
    return base


_LONGEST_SENTENCE = 60
_UNSEEN = "lexical cannot judge omissions: it only matches words."
_NUMBER_WEIGHT = 1.5
_BEFORE = 3
_SHORTEST_FUZZY = 6
_PAUSES = frozenset(",;:()[]—–\n")
_JOINTS = frozenset(
    ("and", "but", "or", "so", "that", "which", "who", "while", "whereas", "because"),
)


def propose(
    trait: MetricRubricTrait,
    response: str,
    share: float | None = None,
) -> dict[str, Any]:
    """Return the judge's table of labels that word overlap proposes for one response.

    A sentence matches an instruction if it has at least `share` (from 0 to 1) of the weight of its
    words, and each of its numbers. None is from 0.6 for one word down to 0.34 for seven or more. A
    TP instruction with a matching sentence has an excerpt in TP, else it is in FN. A TN instruction
    has one in FP, else it is in TN. A hint only has one in FP, if any.

    An instruction that may be met by omission counts as not met. In `tp_only` a sentence that has
    the words of one in FN with another number becomes a wrong candidate in FP. The table has no
    offsets.
    """
    page = _Page(response, share)
    proposal = _Proposed(page)
    missing = proposal.add_items(trait, "tp", ("tp", "fn"))
    proposal.add_items(trait, "tn", ("fp", "tn"))
    proposal.add_items(trait, "fp", ("fp", None))
    # a sentence that gives another number in the same place is a wrong candidate
    if not trait.full:
        for number, words in missing:
            match = page.rival(words)
            if match:
                proposal.add_excerpt(
                    "fp",
                    match,
                    "tp",
                    number,
                    f"another number: {page.common(match)}",
                )
    return to_table(Labels.of(proposal.items))


class _Proposed:
    """Labels as they grow; no two excerpts of a bucket are alike if that can be avoided."""

    def __init__(self, page: "_Page") -> None:
        """Begin without items; excerpts are taken from `page`."""
        self.items: defaultdict[Bucket, list[Item]] = defaultdict(list)
        self._page = page
        self._held: defaultdict[Bucket, set[str]] = defaultdict(set)

    def add_excerpt(
        self,
        bucket: Bucket,
        match: "_Match",
        list_name: List,
        number: int,
        reason: str,
    ) -> None:
        """Add an excerpt of a match to a bucket's items, if possible one that is not there yet.

        The narrowest passage is taken that no item of the bucket has, whatever the case; if all are
        there, the narrowest of all. The item is linked to the instruction of the list with this
        number (from 1), and has the `reason`.
        """
        used_texts = self._held[bucket]
        excerpts = list(self._page.excerpts(match))
        text = next(
            (text for text in excerpts if text.lower() not in used_texts),
            excerpts[0],
        )
        used_texts.add(text.lower().strip())
        self.items[bucket].append(Item(text, list_name, number, rationale=reason))

    def add_items(
        self,
        trait: MetricRubricTrait,
        list_name: List,
        buckets: tuple[Bucket, Bucket | None],
    ) -> list[tuple[int, list[Sense]]]:
        """Add an item for each instruction of a list, and return the unmatched ones.

        An instruction whose words, or other names, the response matches has an excerpt in the first
        of `buckets`. Any other has its own words in the second, or nothing if that is None. With a
        second bucket, an instruction that may be met by omission goes there without being looked
        for, and is not returned. Each that is returned has its number (from 1) and its telling
        words.
        """
        excerpt_bucket, negative_bucket = buckets
        unmatched = []
        for number, instruction in enumerate(trait.instructions(list_name), 1):
            if negative_bucket and trait.may_be_omitted(list_name, number):
                self.items[negative_bucket].append(
                    Item(instruction, list_name, number, rationale=_UNSEEN),
                )
                continue
            words = senses_to_find(instruction)
            match = None
            for name in trait.names(list_name, number):
                match = match or self._page.match(senses_to_find(name))
            if match:
                self.add_excerpt(
                    excerpt_bucket,
                    match,
                    list_name,
                    number,
                    self._page.common(match),
                )
                continue
            unmatched.append((number, words))
            if negative_bucket:
                self.items[negative_bucket].append(Item(instruction, list_name, number))
        return unmatched


class _Match(Struct, frozen=True):
    """The words of a sentence that match an instruction."""

    sentence: int
    """The number of the sentence in the page, from 0."""
    places: tuple[int, ...]
    """Indexes of the matched words among the page's words, in order."""


class _Page:
    """A response taken apart once: its words, its sentences, and where each stem occurs."""

    def __init__(self, response: str, share: float | None = None) -> None:
        """Divide the response into words and sentences, and note where stems and denials occur.

        `share`, from 0 to 1, is that of the words to look for that one sentence must have. None is
        from 0.6 for one word down to 0.34 for seven or more.
        """
        self._response = response
        self._share = share
        self._senses: list[Sense] = []
        """The sense of each word, in order; a word's index in it is its position."""
        self._word_starts = array("q")
        """The offset in the response at which each word begins."""
        self._word_ends = array("q")
        """The offset in the response after each word."""
        for sense, start, end in words_of(response):
            self._senses.append(sense)
            self._word_starts.append(start)
            self._word_ends.append(end)
        self._first_words = _sentence_starts(response, self._word_starts)
        """The position of the first word of each sentence."""
        self._positions_by_stem: dict[str, list[int]] = {}
        """The positions, in order, of the words with content, by their stems."""
        self._denials: list[int] = []
        """The positions of words that deny by themselves, as "not" does, but not "anti-"."""
        self._denying: list[int] = []
        """The positions of all words that deny, and of those with a denying sense ("prevents")."""
        for position, sense in enumerate(self._senses):
            if sense.strict:
                self._denying.append(position)
                if not sense.prefix:
                    self._denials.append(position)
            elif not sense.empty:
                self._positions_by_stem.setdefault(sense.stem, []).append(position)
                if sense.soft:
                    self._denying.append(position)
        self._stems_by_initial: dict[str, list[str]] = {}
        """The stems of words with content by first letter, to find one spelt almost alike."""
        for stem in self._positions_by_stem:
            self._stems_by_initial.setdefault(stem[0], []).append(stem)

    def match(self, words: Sequence[Sense]) -> _Match | None:
        """Return the best sentence with enough of the words, or None.

        Enough is the page's share of their weight, or from 0.6 for one word down to 0.34 for seven
        or more if it has none. A number weighs more than another word and must be there. A sentence
        that denies where the words do not, or the other way round, is passed over. Of equally good
        sentences the earliest is taken.
        """
        content_words = [word for word in words if word.counts]
        enough = self._share
        if enough is None:
            enough = max(0.34, 0.65 - 0.05 * len(content_words))
        for match in self._ranked(content_words, enough=enough):
            if self._agrees(words, match):
                return match
        return None

    def rival(self, words: Sequence[Sense]) -> _Match | None:
        """Return a sentence with the words but another number next to the same word, or None.

        Half of the words that are no numbers must be there. That the number is another one is not
        checked: `match` is to be tried before. None for words without a number.
        """
        other_words = [word for word in words if not word.number]
        if len(other_words) == len(words):
            return None
        content_words = [word for word in other_words if word.counts]
        for match in self._ranked(content_words, enough=0.5):
            number_index = self._other_number(words, match)
            if number_index is not None and self._agrees(other_words, match):
                return _Match(
                    match.sentence,
                    tuple(sorted({*match.places, number_index})),
                )
        return None

    def common(self, match: _Match) -> str:
        """Return the matched words as the response spells them, in order, as "Paris, capital".

        Each spelling is given once.
        """
        return ", ".join(dict.fromkeys(map(self._spelling, match.places)))

    def excerpts(self, match: _Match) -> Iterator[str]:
        """Yield three passages of the response that show a match, the narrowest first.

        The first is the clause up to the last matched word. The next is that with its clause
        completed, the last is the whole sentence. They may be alike.
        """
        start = self._first_words[match.sentence]
        stop = self._sentence_end(match.sentence)
        begin = match.places[0]
        last = match.places[-1]
        while begin > start and not self._clause_starts(begin):
            begin -= 1
        end = last + 1
        while end < stop and not self._clause_starts(end):
            end += 1
        for first_index, stop_index in ((begin, last + 1), (begin, end), (start, stop)):
            yield self._response[
                self._word_starts[first_index] : self._word_ends[stop_index - 1]
            ]

    def _ranked(
        self,
        words: Sequence[Sense],
        *,
        enough: float,
    ) -> list[_Match]:
        """Return the sentences with enough of the words, those with most first.

        `enough` is the least share of their weight, from 0 to 1. Every number among them must be
        there. Even ones are in the order of the text. Sentences without any are left out.
        """
        hits = self._positions_by_sentence(words)
        least_weight = enough * sum(map(_weight, words))
        number_indexes = {index for index, word in enumerate(words) if word.number}
        ranked = []
        for sentence, places_by_word in hits.items():
            weight = sum(_weight(words[index]) for index in places_by_word)
            if weight >= least_weight and number_indexes <= places_by_word.keys():
                ranked.append((-weight, sentence))
        return [
            _Match(sentence, _nearest_positions(hits[sentence]))
            for _, sentence in sorted(ranked)
        ]

    def _positions_by_sentence(
        self,
        words: Sequence[Sense],
    ) -> dict[int, dict[int, list[int]]]:
        """Return where words occur in the response, by sentence, then by index of the word.

        For example {0: {0: [1]}, 1: {1: [4]}} for cat and dog in "The cat sat. A dog.": a place is
        the number of the response's word. Sentences, words and places are counted from 0. Sentences
        without any are left out. Words that are spelt almost alike are found too, if a word itself
        is nowhere. A word with a denying sense, as "prevents", is found where any word denies.
        """
        hits: dict[int, dict[int, list[int]]] = {}
        for index, word in enumerate(words):
            for position in self._positions_of(word):
                sentence = bisect.bisect_right(self._first_words, position) - 1
                hits.setdefault(sentence, {}).setdefault(index, []).append(position)
        return hits

    def _positions_of(self, word: Sense) -> Sequence[int]:
        """Return the places (indexes of words) where a word or one spelt almost like it occurs.

        Another spelling is looked for only if the word itself is nowhere. It differs by one letter,
        in a stem of at least six letters with the same first letter. A word with a denying
        sense, as "prevents", matches any word that denies or has such a sense. Empty if there is
        none.
        """
        if word.soft:
            return self._denying
        exact = self._positions_by_stem.get(word.stem)
        if exact:
            return exact
        if word.number or not word.stem.isalpha():
            return ()
        if len(word.stem) < _SHORTEST_FUZZY:
            return ()
        closest = process.extractOne(
            word.stem,
            self._stems_by_initial.get(word.stem[0], ()),
            scorer=Levenshtein.distance,
            score_cutoff=1,
        )
        if closest is None:
            return ()
        return self._positions_by_stem[closest[0]]

    def _agrees(self, words: Sequence[Sense], match: _Match) -> bool:
        """Return whether both the words and a match in the response deny, or neither does.

        The passage is looked at from three words before the first matched one to the last, within
        the sentence. There "anti" and "non" deny only a matched word right after them. If the words
        deny, any word that denies is enough in the passage, also one with a denying sense, as
        "prevents". If they have only such a sense, any passage agrees.
        """
        start = max(self._first_words[match.sentence], match.places[0] - _BEFORE)
        passage = range(start, match.places[-1] + 1)
        if any(word.strict for word in words):
            return _any_in(self._denying, passage)
        if any(word.soft for word in words):
            return True
        if _any_in(self._denials, passage):
            return False
        for position in match.places:
            is_first = position == 0
            if not is_first and self._senses[position - 1].prefix:
                return False
        return True

    def _other_number(self, words: Sequence[Sense], match: _Match) -> int | None:
        """Return the position of a number in the match's sentence, next to a matched word, or None.

        It is on the side of the word on which `words` have their number: for "5 mg" it is before
        "mg". Positions count the words of the whole response from 0. The number may be the same as
        in `words`.
        """
        first = self._first_words[match.sentence]
        stop = self._sentence_end(match.sentence)
        for left, right in pairwise(words):
            if left.number == right.number:
                continue
            word = left
            step = 1
            if left.number:
                word = right
                step = -1
            for position in match.places:
                neighbour = position + step
                if self._senses[position].stem != word.stem:
                    continue
                if first <= neighbour < stop and self._senses[neighbour].number:
                    return neighbour
        return None

    def _sentence_end(self, sentence: int) -> int:
        """Return the index after the last word of a sentence, among all words of the response."""
        if sentence + 1 == len(self._first_words):
            return len(self._senses)
        return self._first_words[sentence + 1]

    def _clause_starts(self, index: int) -> bool:
        """Return whether a clause begins with the word at an index (from 1) of the response.

        It does after a comma or another mark that pauses, after a line break, and if the word
        before it is one such as "and" or "that". The index must not be 0, which is the first word.
        """
        between = self._response[self._word_ends[index - 1] : self._word_starts[index]]
        return (
            not _PAUSES.isdisjoint(between)
            or self._spelling(index - 1).lower() in _JOINTS
        )

    def _spelling(self, index: int) -> str:
        """Return a word as the response spells it."""
        return self._response[self._word_starts[index] : self._word_ends[index]]


def _sentence_starts(response: str, word_starts: Sequence[int]) -> list[int]:
    """Return the indexes of the words that begin a sentence or a line; long sentences are cut.

    `word_starts` are the offsets at which the words start. A sentence is cut after every 60 words.
    Empty if there are no words.
    """
    breaks = {0}
    breaks.update(start for start, _ in sentence_bounds(response))
    breaks.update(line.end() for line in re.finditer("\n", response))
    first_words = {bisect.bisect_left(word_starts, offset) for offset in breaks}
    first_words.add(len(word_starts))
    starts: list[int] = []
    for first, stop in pairwise(sorted(first_words)):
        starts.extend(range(first, stop, _LONGEST_SENTENCE))
    return starts


def _weight(word: Sense) -> float:
    """Return how much a word counts in a comparison: 1.5 for a number, else 1."""
    if word.number:
        return _NUMBER_WEIGHT
    return 1.0


def _any_in(places: Sequence[int], window: range) -> bool:
    """Return whether one of the sorted positions is in a range (of step 1)."""
    index = bisect.bisect_left(places, window.start)
    return index < len(places) and places[index] < window.stop


def _nearest_positions(places_by_word: dict[int, list[int]]) -> tuple[int, ...]:
    """Return a position for each word: the one nearest the first place of the rarest word.

    `places_by_word` has the positions of each word, by its index; it has at least one word. The
    result is sorted, without repeats.
    """
    places_of_rarest = min(places_by_word.values(), key=len)
    anchor = places_of_rarest[0]

    def distance(position: int) -> int:
        return abs(position - anchor)

    nearest = {min(places, key=distance) for places in places_by_word.values()}
    return tuple(sorted(nearest))
