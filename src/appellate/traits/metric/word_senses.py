"""Words as a comparison sees them: rough stems, numbers, denials, and which carry content."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple


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
