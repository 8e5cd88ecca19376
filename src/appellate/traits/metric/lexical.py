"""Words as a comparison sees them, by rough stems, and labels by word overlap: no model,
deterministic, and modest about what it can know.

It looks at one sentence at a time. Numbers must agree exactly, a denial on one side only is no
match, and a spelling may differ by a letter. Words are compared by rough stems: "inhibits" and
"inhibition" meet, "hypotension" and "hypertension" do not. It is a baseline to correct, no reader,
and calls nothing denied: in K-QA one of 14 sentences with a claim's words and the other polarity
contradicted it. Nor does it see omissions: of 79 criteria of HealthBench that ask for one, common
words said three to be met, each wrongly.
"""

import bisect
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from appellate.core.messages import sentence_bounds
from appellate.traits.metric.labels import Bucket, Item, Labels, List, to_table
from appellate.traits.metric.spec import MetricRubricTrait


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:[-‐‑'’.,][^\W_]+)*")
_PART = re.compile(r"[^\W\d_]+[-‐‑]?\d[^\W_]*|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+")
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
        """
    )
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
        """
    )
)
_STRICT = frozenset(
    _listed("no not never neither nor none without cannot fail fails failed failing anti non")
)
_PREFIXES = ("anti", "non")
_SOFT = _listed("inhibit block prevent suppress avoid lack absen stop antagon refrain discourag")
_SUFFIXES = _listed(
    """
    ational ization isation ations ation ments ional ities ically ment ness able ible tion sion
    ical ious ings ions ive ity ing ion ous ies sis tic ors ers ic al ly ed es or er s y e
    """
)
_SHORTEST_STEM = 4


class Sense(NamedTuple):
    """What a word is apart from its place."""

    stem: str
    number: bool = False
    strict: bool = False  # denies: not, never, anti-
    soft: bool = False  # has a denying sense: inhibits, prevents
    prefix: bool = False  # denies only the word after it: anti-, non-
    empty: bool = False  # carries no content

    @property
    def counts(self) -> bool:
        return not (self.empty or self.strict)


def words_of(text: str) -> Iterator[tuple[Sense, int, int]]:
    """Every word with its start and end; of a hyphenated one its parts, "BCL-2" as "bcl2"."""
    known: dict[str, Sense] = {}  # most words are known and have no parts to look for
    for token in _TOKEN.finditer(text):
        whole = token.group()
        if whole in known:
            yield known[whole], *token.span()
        elif whole.isalpha():
            known[whole] = sense_of(whole.lower())
            yield known[whole], *token.span()
        else:
            for part in _PART.finditer(text, *token.span()):
                yield sense_of(part.group().lower()), *part.span()


def wanted(instruction: str) -> list[Sense]:
    """The words of an instruction that count, in order; not that the response should say it."""
    plain = _ASIDE.sub(" ", instruction)
    if not any(char.isalnum() for char in plain):
        plain = instruction
    return _telling(plain)


def asked(text: str) -> list[Sense]:
    """The words of a text that count, what it says aside included, each once."""
    return list(dict.fromkeys(_telling(text)))


def _telling(text: str) -> list[Sense]:
    senses = []
    for sense, start, end in words_of(text):
        says = sense.counts and text[start:end].lower() not in _META
        if sense.strict or says:
            senses.append(sense)
    return senses


_ASIDE = re.compile(r"\([^()]*\)")


@lru_cache(maxsize=50_000)
def sense_of(lower: str) -> Sense:
    """The sense of a word in lower case; texts repeat their words, and this is most of the work."""
    number = _SPELT.get(lower, lower if lower[0].isdigit() else "")
    if number:
        return Sense(number.replace(",", ""), number=True)
    if lower in _STRICT or lower.endswith(("n't", "n’t")):
        return Sense(lower, strict=True, prefix=lower in _PREFIXES)
    if lower in _EMPTY:
        return Sense(lower, empty=True)
    return Sense(stem(lower), soft=lower.startswith(_SOFT))


def stem(lower: str) -> str:
    """A word without its ending; words with digits lose their hyphens only."""
    plain = lower.partition("'")[0].partition("’")[0]
    if not plain.isalpha():
        return re.sub(r"[-‐‑]", "", plain) or lower
    for suffix in _SUFFIXES:
        if plain.endswith(suffix) and len(plain) - len(suffix) >= _SHORTEST_STEM:
            return plain[: -len(suffix)]
    return plain


_LONGEST_SENTENCE = 60
_UNSEEN = "lexical cannot judge omissions: it only matches words."
_NUMBER_WEIGHT = 1.5
_BEFORE = 3
_SHORTEST_FUZZY = 6
_PAUSES = frozenset(",;:()[]—–\n")
_JOINTS = frozenset(
    ("and", "but", "or", "so", "that", "which", "who", "while", "whereas", "because")
)


def propose(trait: MetricRubricTrait, response: str) -> dict[str, Any]:
    """The labels of one cell as SPEC 5's judge table."""
    page = _Page(response)
    found = _Proposed(page)
    missing = found.sort(trait, "tp", ("tp", "fn"))
    found.sort(trait, "tn", ("fp", "tn"))
    found.sort(trait, "fp", ("fp", None))
    if (
        not trait.full
    ):  # a sentence that gives another number in the same place is a wrong candidate
        for number, words in missing:
            match = page.rival(words)
            if match:
                found.show("fp", match, "tp", number, f"another number: {page.common(match)}")
    return to_table(Labels.of(found.items))


class _Proposed:
    """The labels as they grow; no two excerpts of a bucket are alike if it can be helped."""

    def __init__(self, page: "_Page") -> None:
        self.items: defaultdict[Bucket, list[Item]] = defaultdict(list)
        self._page = page
        self._held: defaultdict[Bucket, set[str]] = defaultdict(set)

    def show(self, bucket: Bucket, match: "_Match", of: List, number: int, reason: str) -> None:
        """Puts the first excerpt of a match that the bucket does not hold yet, else the first."""
        held = self._held[bucket]
        offered = list(self._page.excerpts(match))
        text = next((text for text in offered if text.lower() not in held), offered[0])
        held.add(text.lower().strip())
        self.items[bucket].append(Item(text, of, number, rationale=reason))

    def sort(
        self, trait: MetricRubricTrait, of: List, buckets: tuple[Bucket, Bucket | None]
    ) -> list[tuple[int, list[Sense]]]:
        """Puts each instruction's best match, or itself, in its place; returns the unmatched."""
        found, lost = buckets
        missing = []
        for number, instruction in enumerate(trait.instructions(of), 1):
            if lost and trait.may_be_omitted(of, number):
                self.items[lost].append(Item(instruction, of, number, rationale=_UNSEEN))
                continue
            words = wanted(instruction)
            match = None
            for name in trait.names(of, number):
                match = match or self._page.match(wanted(name))
            if match:
                self.show(found, match, of, number, self._page.common(match))
                continue
            missing.append((number, words))
            if lost:
                self.items[lost].append(Item(instruction, of, number))
        return missing


class _Match(Struct, frozen=True):
    """The places (in the page's words) where a sentence holds the wanted words."""

    sentence: int
    places: tuple[int, ...]


class _Page:
    """A response taken apart once: words, sentences, and where each stem stands."""

    def __init__(self, response: str) -> None:
        self._response = response
        self._senses: list[Sense] = []
        self._begins, self._ends = array("q"), array("q")
        where: defaultdict[int, array[int]] = defaultdict(partial(array, "q"))
        for place, (sense, begin, end) in enumerate(words_of(response)):
            self._senses.append(sense)
            self._begins.append(begin)
            self._ends.append(end)
            where[id(sense)].append(place)
        self._starts = _sentence_starts(response, self._begins)
        self._places: dict[str, list[int]] = {}
        self._denials: list[int] = []
        self._denying: list[int] = []
        for places in where.values():
            sense = self._senses[places[0]]
            if sense.counts:
                self._places.setdefault(sense.stem, []).extend(places)
            if sense.strict and not sense.prefix:
                self._denials.extend(places)
            if sense.strict or sense.soft:
                self._denying.extend(places)
        for known in (*self._places.values(), self._denials, self._denying):
            known.sort()
        self._by_initial: dict[str, list[str]] = {}
        for stem in self._places:
            self._by_initial.setdefault(stem[0], []).append(stem)

    def match(self, words: Sequence[Sense]) -> _Match | None:
        """The first sentence with most of the words: of few more than half, of many a third."""
        counted = [word for word in words if word.counts]
        for match in self._ranked(words, counted, enough=max(0.34, 0.65 - 0.05 * len(counted))):
            if self._agrees(words, match):
                return match
        return None

    def rival(self, words: Sequence[Sense]) -> _Match | None:
        """A sentence with the words but, beside the same word, another number."""
        plain = [word for word in words if not word.number]
        if len(plain) == len(words):
            return None
        counted = [word for word in plain if word.counts]
        for match in self._ranked(words, counted, enough=0.5):
            other = self._other_number(words, match)
            if other is not None and self._agrees(plain, match):
                return _Match(match.sentence, tuple(sorted({*match.places, other})))
        return None

    def common(self, match: _Match) -> str:
        """The words in common, in the response's spelling."""
        return ", ".join(dict.fromkeys(map(self._text, match.places)))

    def excerpts(self, match: _Match) -> Iterator[str]:
        """The passage from the start of its clause to the last word matched, then wider ones."""
        start = self._starts[match.sentence]
        stop = self._stop(match.sentence)
        begin = match.places[0]
        last = match.places[-1]
        while begin > start and not self._clause_starts(begin):
            begin -= 1
        end = last + 1
        while end < stop and not self._clause_starts(end):
            end += 1
        for here, there in ((begin, last + 1), (begin, end), (start, stop)):
            yield self._response[self._begins[here] : self._ends[there - 1]]

    def _ranked(
        self, words: Sequence[Sense], counted: Sequence[Sense], *, enough: float
    ) -> list[_Match]:
        """Sentences by how much of the counted words they hold, if they hold every number."""
        hits = self._hits(counted, soft=any(word.soft for word in words))
        least = enough * sum(map(_weight, counted))
        numbers = {at for at, word in enumerate(counted) if word.number}
        ranked = []
        for sentence, held in hits.items():
            weight = sum(_weight(counted[at]) for at in held)
            if weight >= least and numbers <= held.keys():
                ranked.append((-weight, sentence))
        return [_Match(sentence, _closest(hits[sentence])) for _, sentence in sorted(ranked)]

    def _hits(self, words: Sequence[Sense], *, soft: bool) -> dict[int, dict[int, list[int]]]:
        """By sentence, then by word, the places where the words stand."""
        hits: dict[int, dict[int, list[int]]] = {}
        for at, word in enumerate(words):
            for place in self._find(word, soft=soft):
                sentence = bisect.bisect_right(self._starts, place) - 1
                hits.setdefault(sentence, {}).setdefault(at, []).append(place)
        return hits

    def _find(self, word: Sense, *, soft: bool) -> Sequence[int]:
        """Where a word stands, or one spelt almost like it; a denying word meets any other."""
        if soft and word.soft:
            return self._denying
        exact = self._places.get(word.stem)
        if exact or word.number or len(word.stem) < _SHORTEST_FUZZY or not word.stem.isalpha():
            return exact or ()
        near = process.extractOne(
            word.stem,
            self._by_initial.get(word.stem[0], ()),
            scorer=Levenshtein.distance,
            score_cutoff=1,
        )
        if near is None:
            return ()
        return self._places[near[0]]

    def _agrees(self, words: Sequence[Sense], match: _Match) -> bool:
        """Whether both deny or neither does."""
        start = max(self._starts[match.sentence], match.places[0] - _BEFORE)
        here = range(start, match.places[-1] + 1)
        if any(word.strict for word in words):
            return _any_in(self._denying, here)
        if any(word.soft for word in words):
            return True
        if _any_in(self._denials, here):
            return False
        return not any(self._senses[place - 1].prefix for place in match.places if place)

    def _other_number(self, words: Sequence[Sense], match: _Match) -> int | None:
        """The place of a number beside a matched word that has another in the instruction."""
        for left, right in pairwise(words):
            if left.number == right.number:
                continue
            word, step = (left, 1) if right.number else (right, -1)
            for place in match.places:
                beside = place + step
                if (
                    self._senses[place].stem == word.stem
                    and 0 <= beside < len(self._senses)
                    and self._senses[beside].number
                    and self._starts[match.sentence] <= beside < self._stop(match.sentence)
                ):
                    return beside
        return None

    def _stop(self, sentence: int) -> int:
        return self._starts[sentence + 1] if sentence + 1 < len(self._starts) else len(self._senses)

    def _clause_starts(self, place: int) -> bool:
        between = self._response[self._ends[place - 1] : self._begins[place]]
        return not _PAUSES.isdisjoint(between) or self._text(place - 1).lower() in _JOINTS

    def _text(self, place: int) -> str:
        return self._response[self._begins[place] : self._ends[place]]


def _sentence_starts(response: str, words: Sequence[int]) -> list[int]:
    """Which words, given by where they start, begin a sentence or a line; long ones are cut."""
    breaks = {0, *(start for start, _ in sentence_bounds(response))}
    breaks.update(line.end() for line in re.finditer("\n", response))
    firsts = sorted({bisect.bisect_left(words, place) for place in breaks} | {len(words)})
    return [at for pair in pairwise(firsts) for at in range(*pair, _LONGEST_SENTENCE)]


def _weight(word: Sense) -> float:
    if word.number:
        return _NUMBER_WEIGHT
    return 1.0


def _any_in(places: Sequence[int], within: range) -> bool:
    at = bisect.bisect_left(places, within.start)
    return at < len(places) and places[at] < within.stop


def _closest(held: dict[int, list[int]]) -> tuple[int, ...]:
    """One place for each word held, near the place of the rarest one."""
    anchor = min(held.values(), key=len)[0]
    near = {min(places, key=lambda place: abs(place - anchor)) for places in held.values()}
    return tuple(sorted(near))
