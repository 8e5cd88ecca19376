"""What may be picked, found by a part of it that is typed, and drawn as rows of the one list."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from appellate.ui.contract import Choice
from appellate.ui.lines import ListRow
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import column

TYPO = 75  # how alike, of 100, what was mistyped must be
SHORTEST_TYPO = 4


class Searched(NamedTuple):
    """A choice and its words as they are searched."""

    choice: Choice
    text: str
    whole: str


def searched(choices: Sequence[Choice]) -> list[Searched]:
    """Choices made ready to be searched at every key."""
    ready: list[Searched] = []
    for choice in choices:
        whole = f"{choice.number} {choice.text} {choice.note} {choice.group}"
        ready.append(Searched(choice, choice.text.casefold(), whole.casefold()))
    return ready


def best(among: Sequence[Searched], typed: str) -> list[Choice]:
    """The choices that hold every word typed; where none does, those with its letters in order, or
    nearly.
    """
    words = typed.casefold().split()
    if not words:
        return [one.choice for one in among]
    found = [one for one in among if all(word in one.whole for word in words)]
    found.sort(key=lambda one: _rank(one, words))
    if not found:
        found = _scattered(among, "".join(words)) or _mistyped(among, " ".join(words))
    return [one.choice for one in found]


def _rank(one: Searched, words: Sequence[str]) -> tuple[bool, bool, bool, int]:
    """First the choice of that number, then what can be taken, then those that begin so, then those
    with the most words begun so.
    """
    phrase = " ".join(words)
    begun = sum(f" {word}" in f" {one.whole}" for word in words)
    other = one.choice.number.casefold() != phrase
    return (other, one.choice.is_help, not one.text.startswith(phrase), -begun)


def _scattered(among: Sequence[Searched], letters: str) -> list[Searched]:
    """The choices with the letters in order, those that take the least room for them first."""
    found: list[tuple[int, Searched]] = []
    for one in among:
        held = _letters(one.whole, letters)
        if held:
            found.append((held[-1][1] - held[0][0], one))
    found.sort(key=lambda found: found[0])
    return [one for _, one in found]


def _mistyped(among: Sequence[Searched], typed: str) -> list[Searched]:
    """The choices most like what was typed."""
    if len(typed) < SHORTEST_TYPO:
        return []
    from rapidfuzz import fuzz, process  # only here: 30 ms

    wholes = [one.whole for one in among]
    found = process.extract(typed, wholes, scorer=fuzz.partial_ratio, score_cutoff=TYPO, limit=50)
    return [among[index] for _, _, index in found]


def places(text: str, typed: str) -> list[tuple[int, int]]:
    """Where the words typed stand in a text, else its letters in order; apart from each other, in
    order.
    """
    folded, words = text.casefold(), typed.casefold().split()
    if len(folded) != len(text) or not words:
        return []
    found: list[tuple[int, int]] = []
    for word in words:
        at = folded.find(word)
        if at >= 0:
            found.append((at, at + len(word)))
    if not found:
        return _letters(folded, "".join(words))
    apart: list[tuple[int, int]] = []
    done = 0
    for start, end in sorted(found):
        if end > done:
            apart.append((max(start, done), end))
            done = end
    return apart


def _letters(text: str, letters: str) -> list[tuple[int, int]]:
    """Where letters stand in a text in order, taken greedily; none where they are not all there."""
    found: list[tuple[int, int]] = []
    at = -1
    for letter in letters:
        at = text.find(letter, at + 1)
        if at < 0:
            return []
        found.append((at, at + 1))
    return found


def begun(found: Sequence[Choice], typed: str) -> int:
    """How many of the choices found begin with what was typed; they come first."""
    begin = typed.strip().casefold()
    if not begin:
        return 0
    count = 0
    while count < len(found) and found[count].text.casefold().startswith(begin):
        count += 1
    return count


# -- as rows ---------------------------------------------------------------------------------------


class Choices(Struct, frozen=True):
    """Choices as rows, with what was typed marked in them."""

    given: Sequence[Choice]
    numbered: int
    typed: str = ""

    def __len__(self) -> int:
        return len(self.given)

    def row(self, index: int, /) -> ListRow:
        choice = self.given[index]
        number = ""
        note: tuple[StyledText, ...] = ()
        if self.numbered:
            number = column(choice.number, self.numbered) + " "
        aside = choice.note
        if self.typed and not aside:
            aside = choice.group
        if aside:
            note = (StyledText(aside, "muted"),)
        *marked, rest = _marked(choice.text, self.typed)
        left = (StyledText(number, choice.style),)
        return ListRow(rest.text, left, note, key=choice.key, opening=tuple(marked))


def _marked(text: str, typed: str) -> list[StyledText]:
    """The text as pieces, those that were typed in bold; the last one is plain."""
    pieces: list[StyledText] = []
    done = 0
    for start, end in places(text, typed):
        pieces += [StyledText(text[done:start]), StyledText(text[start:end], "key")]
        done = end
    return [*pieces, StyledText(text[done:])]
