"""The scorer of multiple choice: which choices a response names after ANSWER:, against those that
are right. A to Z are the first 26 choices, 1 and on those behind; as inspect_ai 0.3.285 reads it.
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from string import ascii_uppercase
from typing import NamedTuple

from appellate.traits.matching import Offsets
from appellate.traits.scorer.rules import (
    EMPTY,
    INCORRECT,
    NO_ANSWER,
    Score,
    letter,
    reason_of,
    wording,
)


class Unscorable(ValueError):
    """There is nothing that a response could be held to; says why in a sentence."""


def name_of(place: int) -> str:
    """What the choice at a place (0-based) is called."""
    if place < len(ascii_uppercase):
        return ascii_uppercase[place]
    return str(place - len(ascii_uppercase) + 1)


def places_of(targets: Sequence[str], choices: Sequence[str]) -> list[int]:
    """Where the right choices stand among the choices; raises Unscorable for a target that is none.

    A target is a name, or several: "A", "AB", "A, B", "27".
    """
    names = list(map(name_of, range(len(choices))))
    found = []
    for target in targets:
        for part in target.replace(",", " ").split():
            ones = list(part)
            if part.isnumeric():
                ones = [part]
            for one in ones:
                if one.upper() not in names:
                    raise Unscorable(
                        f"The target {wording([target])} is none of the trace's {len(choices)}"
                        f" choices, {names[0]} to {names[-1]}."
                    )
                found.append(names.index(one.upper()))
    return sorted(found)


def choice(
    completion: str,
    targets: Sequence[str],
    *,
    choices: Sequence[str],
    multiple_correct: bool = False,
) -> Score:
    """Whether the response chooses what the targets name, and nothing else.

    Raises Unscorable where there are no choices, or a target is none of them.
    """
    if not choices:
        raise Unscorable("A choice is scored where the trace has choices, and this one has none.")
    right = places_of(targets, choices)
    text, spans = _wording(completion)
    chosen = sorted(_chosen(text, len(choices), multiple_correct=multiple_correct))
    target = named(right, choices)
    if not chosen:
        why = f"The response has no line “ANSWER: …” with a choice, and the target is {target}."
        value = INCORRECT
        if not completion.strip():
            value, why = NO_ANSWER, EMPTY
        return Score(value, "", why, (), reason_of(completion, "invalid_response_format"))
    answer = ", ".join(map(name_of, chosen))
    if chosen == right:
        why = f"The response chooses {named(chosen, choices)}, which is the target."
    else:
        why = f"The response chooses {named(chosen, choices)}, and the target is {target}."
    return Score(letter(is_correct=chosen == right), answer, why, spans)


def given(
    text: str, targets: Sequence[str], *, choices: Sequence[str], multiple_correct: bool = False
) -> Score:
    """The score of an answer that a person extracted: the names of choices."""
    return choice(f"ANSWER: {text}", targets, choices=choices, multiple_correct=multiple_correct)


def named(places: Sequence[int], choices: Sequence[str]) -> str:
    """Choices with their names, for a sentence."""
    return wording([f"{name_of(place)}) {choices[place]}" for place in places], "and")


# -- what a response chooses -----------------------------------------------------------------------

_MATHS = re.compile(r"\$\s*([A-Za-z\d](?:[A-Za-z\d ,]*[A-Za-z\d,])?)\s*\$")
_BOLD = re.compile(r"\*\*\s*([A-Za-z\d](?:[A-Za-z\d ,]*[A-Za-z\d,])?)\s*\*\*")
_BRACKETS = re.compile(r"(?i)(?:^|[:,])\s*(\(([A-Za-z\d])\))(?=\s*(?:,|\.|\n|\Z))")
_LINE = re.compile(r"(?im)^ANSWER\s*:\s*([A-Za-z\d ,]++)[^\S\n]*(?:$|\n|\.)")
_ANYWHERE = re.compile(r"(?i)ANSWER\s*:\s*([A-Za-z\d ,]+)(?:\W|$)")


class _Piece(NamedTuple):
    """From where on characters of a shorter text stand how far back in the longer one."""

    start: int
    of: int


class _Bare:
    """A response without what is around its choices, and where its characters stood."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._layers: list[list[_Piece]] = []
        for wrapped, outer, inner in ((_MATHS, 0, 1), (_BOLD, 0, 1), (_BRACKETS, 1, 2)):
            self._take_out(wrapped, outer, inner)

    def _take_out(self, wrapped: re.Pattern[str], outer: int, inner: int) -> None:
        """Puts what stands in the group `inner` in the place of the group `outer`, throughout."""
        parts: list[str] = []
        pieces = [_Piece(0, 0)]
        done = size = 0
        for match in wrapped.finditer(self.text):
            before = self.text[done : match.start(outer)]
            parts += [before, match[inner]]
            pieces.append(_Piece(size + len(before), match.start(inner)))
            size += len(before) + len(match[inner])
            pieces.append(_Piece(size, match.end(outer)))
            done = match.end(outer)
        if len(pieces) > 1:
            parts.append(self.text[done:])
            self.text = "".join(parts)
            self._layers.append(pieces)

    def place(self, offset: int) -> int:
        """Where a character stood."""
        for pieces in reversed(self._layers):
            piece = pieces[bisect_right(pieces, offset, key=lambda one: one.start) - 1]
            offset = piece.of + offset - piece.start
        return offset


def _wording(completion: str) -> tuple[str, tuple[Offsets, ...]]:
    """What stands after the last ANSWER:, and where; a line that begins so is taken first."""
    bare = _Bare(completion)
    for wanted in (_LINE, _ANYWHERE):
        found = deque(wanted.finditer(bare.text), maxlen=1)
        if found:
            last = found[0]
            text = last[1].strip()
            start = last.start(1) + len(last[1]) - len(last[1].lstrip())
            if not text:
                return "", ()
            span = bare.place(start), bare.place(start + len(text) - 1) + 1
            return text.upper(), (span,)
    return "", ()


def _chosen(text: str, count: int, *, multiple_correct: bool) -> set[int]:
    """The places of the choices that a text names; none where it says anything else."""
    places = {name_of(place): place for place in range(count)}
    if not multiple_correct:
        names = list(filter(None, text.split(",")))
        if len(names) == 1 and names[0] in places:
            return {places[names[0]]}
        return set()
    together = text.replace(" AND ", ",").replace(" ", "")
    for names in (list(filter(None, together.split(","))), list(together)):
        if set(names) <= places.keys():
            return {places[name] for name in names}
    return set()
