"""Sentence keys as judges write them, and which sentences they mean.

`0a.`, `0A`, `[0a]`, `0a, 0b` in one string, `0a-0c` and `0a to c` mean sentences; what means none
is told, never guessed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from string import ascii_lowercase
from typing import NamedTuple

SPECIAL = ("general", "well_known_fact", "numerical_reasoning", "supported_without_sentence")
"""What may support a sentence instead of a document: keys of no sentence."""

_RANGE = re.compile(
    r"\b(\d{0,6}[a-z]{1,4})\W{0,4}(?:-|–|—|to|through|\.\.+|…)\W{0,4}(\d{0,6}[a-z]{1,4})\b"
)
_WORD = re.compile(r"\w+")
_BETWEEN = frozenset(("and", "or", "to", "sentence", "sentences", "document", "key", "keys"))


class Tidy(NamedTuple):
    """The sentences that keys mean, in reading order, then special ones; and the words that mean
    none.
    """

    keys: tuple[str, ...]
    astray: tuple[str, ...] = ()


def tidy(given: str | Iterable[str], known: Sequence[str]) -> Tidy:
    """What keys mean among the known ones."""
    if isinstance(given, str):
        given = [given]
    order = _places((*known, *SPECIAL))
    meant: dict[str, None] = {}
    astray: dict[str, None] = {}
    for text in given:
        one = _meant(text, order, known)
        meant |= dict.fromkeys(one.keys)
        astray |= dict.fromkeys(one.astray)
    return Tidy(tuple(sorted(meant, key=order.__getitem__)), tuple(astray))


@lru_cache(8)
def _places(keys: tuple[str, ...]) -> Mapping[str, int]:
    """The place of each key; a table is read list by list, with the same keys."""
    return {key: place for place, key in enumerate(keys)}


def _meant(text: str, order: Mapping[str, int], known: Sequence[str]) -> Tidy:
    if text in order:
        return Tidy((text,))
    found: list[str] = []
    lost: list[str] = []
    for part in re.split("[,;]", text.casefold()):
        named = re.sub(r"\W+", "_", part).strip("_")
        if named in order:
            found.append(named)
            continue
        bare = part
        for match in _RANGE.finditer(part):
            between = _between(match[1], match[2], order, known)
            if between:
                found += between
                bare = bare.replace(match[0], " ", 1)
        for word in _WORD.findall(bare):
            if word in order:
                found.append(word)
            elif word not in _BETWEEN:
                lost.append(word)
    if lost and not found:
        lost = [text.strip()]
    return Tidy(tuple(found), tuple(lost))


def _between(
    first: str, last: str, order: Mapping[str, int], known: Sequence[str]
) -> Sequence[str]:
    """The keys of a range, where both ends are known and in order; `0a-c` ends at 0c."""
    if last not in order:
        last = first.rstrip(ascii_lowercase) + last
    low, high = order.get(first, len(known)), order.get(last, len(known))
    if low > high or high >= len(known):
        return ()
    return known[low : high + 1]
