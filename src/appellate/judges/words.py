"""What of a text counts when words are compared: stems, numbers, negations, with their places.

A rough stemmer, for comparing only: "inhibits" and "inhibition" meet, "hypotension" and
"hypertension" do not.
"""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:[-‐‑'’.,][^\W_]+)*")
_PART = re.compile(r"[^\W\d_]+[-‐‑]?\d[^\W_]*|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+")
_SPELT = dict(
    zip("two three four five six seven eight nine ten eleven twelve".split(), map(str, range(2, 13)), strict=True)
)
_EMPTY = frozenset(
    "a an the this that these those it its he she they them their his her you your we our i my me of in on at by for "
    "from to into onto as with and or but if then than so such is are was were be been being am do does did has have "
    "had can could may might must shall should will would also too very more most some any all both each other there "
    "here which who whom whose what when where how why about over under up out s t e g i.e e.g etc".split()
)
_META = frozenset(
    "mention mentions mentioned mentioning state states stated stating claim claims claimed claiming reference "
    "references referenced describe describes explain explains explaining note notes noting include includes including "
    "discuss discusses suggest suggests suggesting recommend recommends advise advises indicate indicates identify "
    "identifies provide provides list lists emphasize emphasizes emphasise emphasises highlight highlights say says "
    "specify specifies acknowledge acknowledges address addresses give gives given offer offers encourage encourages "
    "clarify clarifies "
    "response answer relevance relevant importance user fact information".split()
)
_STRICT = frozenset("no not never neither nor none without cannot anti non".split())
_SOFT = (
    "inhibit", "block", "prevent", "suppress", "avoid", "lack", "absen", "stop", "antagon", "refrain", "discourag",
)  # fmt: skip
_SUFFIXES = (
    "ational", "ization", "isation", "ations", "ation", "ments", "ional", "ities", "ically", "ment", "ness", "able",
    "ible", "tion", "sion", "ical", "ious", "ings", "ions", "ive", "ity", "ing", "ion", "ous", "ies", "sis", "tic",
    "ors", "ers", "ic", "al", "ly", "ed", "es", "or", "er", "s", "y", "e",
)  # fmt: skip
_SHORTEST_STEM = 4


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text at [start, end): what it is compared by, and what it does to a sentence."""

    stem: str
    start: int
    end: int
    number: bool = False
    strict: bool = False  # denies: not, never, anti-
    soft: bool = False  # has a denying sense: inhibits, prevents
    empty: bool = False  # carries no content

    @property
    def counts(self) -> bool:
        return not (self.empty or self.strict)


def words_of(text: str) -> list[Word]:
    """Every word with its place; hyphenated ones in their parts, "BCL-2" and "bcl2" as one and the same."""
    return [
        _word(part.group(), token.start() + part.start())
        for token in _TOKEN.finditer(text)
        for part in _PART.finditer(token.group())
    ]


def wanted(instruction: str) -> list[Word]:
    """The words of an instruction: what it says, not that the response should say it."""
    plain = _without_asides(instruction)
    return [word for word in words_of(plain) if word.strict or (word.counts and _lower(plain, word) not in _META)]


def _lower(text: str, word: Word) -> str:
    return text[word.start : word.end].lower()


_ASIDE = re.compile(r"\([^()]*\)")


def _without_asides(text: str) -> str:
    """The text without its parentheses, unless there is nothing else."""
    bare = _ASIDE.sub(" ", text)
    return bare if any(char.isalnum() for char in bare) else text


def _word(text: str, start: int) -> Word:
    lower, end = text.lower(), start + len(text)
    number = _SPELT.get(lower, lower if lower[0].isdigit() else "")
    if number:
        return Word(number.replace(",", ""), start, end, number=True)
    if lower in _STRICT or lower.endswith(("n't", "n’t")):
        return Word(lower, start, end, strict=True)
    if lower in _EMPTY:
        return Word(lower, start, end, empty=True)
    return Word(stem(lower), start, end, soft=lower.startswith(_SOFT))


def stem(lower: str) -> str:
    """A word without its ending; words with digits lose their hyphens only."""
    plain = lower.partition("'")[0].partition("’")[0]
    if not plain.isalpha():
        return re.sub(r"[-‐‑]", "", plain) or lower
    for suffix in _SUFFIXES:
        if plain.endswith(suffix) and len(plain) - len(suffix) >= _SHORTEST_STEM:
            return plain[: -len(suffix)]
    return plain
