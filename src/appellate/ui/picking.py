"""What a picker shows for what was typed, the likeliest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

TYPO = 75  # how alike, of 100, what was mistyped must be
SHORTEST_TYPO = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to pick: `number` is what a person calls it."""

    key: str
    number: str
    text: str
    note: str = ""


class Searched(NamedTuple):
    """A choice and its words as they are searched."""

    choice: Choice
    text: str
    whole: str


def searched(choices: Sequence[Choice]) -> list[Searched]:
    """Choices made ready to be searched at every key."""
    return [Searched(choice, choice.text.casefold(), _whole(choice)) for choice in choices]


def _whole(choice: Choice) -> str:
    return f"{choice.number} {choice.text} {choice.note}".casefold()


def best(among: Sequence[Searched], typed: str) -> list[Choice]:
    """The choices that hold every word typed; where none does, those with its letters in order, or nearly."""
    words = typed.casefold().split()
    if not words:
        return [one.choice for one in among]
    found = (
        _held(among, words)
        or _scattered(among, "".join(words))
        or _mistyped(among, " ".join(words))
    )
    return [one.choice for one in found]


def _held(among: Sequence[Searched], words: Sequence[str]) -> list[Searched]:
    found = [one for one in among if all(word in one.whole for word in words)]
    return sorted(found, key=lambda one: _rank(one, words))


def _rank(one: Searched, words: Sequence[str]) -> tuple[bool, bool, int]:
    """First the choice of that number, then those that begin so, then those with the most words begun so."""
    phrase = " ".join(words)
    begun = sum(f" {word}" in f" {one.whole}" for word in words)
    return (one.choice.number.casefold() != phrase, not one.text.startswith(phrase), -begun)


def _scattered(among: Sequence[Searched], letters: str) -> list[Searched]:
    """The choices with the letters in order, those that take the least room for them first."""
    found = [(room, one) for one in among if (room := _room(one.whole, letters))]
    return [one for _, one in sorted(found, key=lambda found: found[0])]


def _room(text: str, letters: str) -> int:
    """How many characters hold the letters in order, taken greedily; 0 where they are not all there."""
    first = at = text.find(letters[0])
    for letter in letters[1:]:
        if at < 0:
            return 0
        at = text.find(letter, at + 1)
    return at - first + 1 if at >= 0 else 0


def _mistyped(among: Sequence[Searched], typed: str) -> list[Searched]:
    """The choices most like what was typed."""
    if len(typed) < SHORTEST_TYPO:
        return []
    from rapidfuzz import fuzz, process  # only here: 30 ms

    wholes = [one.whole for one in among]
    found = process.extract(typed, wholes, scorer=fuzz.partial_ratio, score_cutoff=TYPO, limit=50)
    return [among[index] for _, _, index in found]


def places(text: str, typed: str) -> list[tuple[int, int]]:
    """Where the words typed stand in a text, else its letters in order; apart from each other, in order."""
    folded, words = text.casefold(), typed.casefold().split()
    if len(folded) != len(text) or not words:
        return []
    found = [(at, at + len(word)) for word in words if (at := folded.find(word)) >= 0]
    return _apart(found) if found else _letters(folded, "".join(words))


def _letters(text: str, letters: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = -1
    for letter in letters:
        at = text.find(letter, at + 1)
        if at < 0:
            return []
        found.append((at, at + 1))
    return found


def _apart(found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    apart: list[tuple[int, int]] = []
    for start, end in sorted(found):
        start = max(start, apart[-1][1] if apart else 0)  # noqa: PLW2901 - what is left of it
        if start < end:
            apart.append((start, end))
    return apart
