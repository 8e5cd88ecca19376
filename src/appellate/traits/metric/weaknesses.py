"""What makes the instructions of a metric trait hard to judge, or to count."""

import re
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from rapidfuzz import fuzz

from appellate.core.kind import Weakness
from appellate.core.problem import quoted
from appellate.traits.metric.spec import InstructionList, MetricRubricTrait
from appellate.traits.weak_words import asks_for_absence, weak

MOST = 1000
"""So many instructions of a trait are held against each other."""
_ALIKE = 96
_FEWEST_WORDS = 2
_LONG = 25  # words, words, times the middle one, instructions
_SHORT = 6
_TIMES = 4
_ENOUGH = 3
_WORD = re.compile(r"\w+")
_SMALL = frozenset(
    _WORD.findall(
        "a about an and are as at be by for from has have in is it its of on or that the to was"
        " with mentions mention states state says notes explains includes"
    )
)
_SAYING = frozenset(
    _WORD.findall(
        "addresses cites covers describes discusses gives lists names refers talks tells brings up"
    )
)
"""Verbs that hardly tell one instruction from another of the same words."""


class _NamedInstruction(NamedTuple):
    of: InstructionList
    place: int
    text: str
    words: frozenset[str]

    @property
    def path(self) -> tuple[str | int, ...]:
        return (f"{self.of}_instructions", self.place)

    @property
    def name(self) -> str:
        """As people call it: TP instruction 3."""
        return f"{self.of.upper()} instruction {self.place + 1}"


def weaknesses(trait: MetricRubricTrait) -> Iterator[Weakness]:
    """Instruction by instruction, then those that overlap, then the list as a whole."""
    lists: tuple[InstructionList, ...] = ("tp", "tn")
    described: list[_NamedInstruction] = []
    for of in lists:
        for index, text in enumerate(trait.instructions(of)):
            words = frozenset(_WORD.findall(text.lower())) - _SMALL
            described.append(_NamedInstruction(of, index, text, words))
    for one in described:
        yield from weak(one.text, one.path, "compound", "vague", "umbrella", "format", "holistic")
        if asks_for_absence(one.text):
            sort, reason, fix = _ABSENT[one.of]
            yield Weakness(sort, one.path, f"{quoted(one.text)} {reason}", fix)
        yield from _against_the_sign(one, trait.weights.get(one.text))
    for place, one in enumerate(described[:MOST]):
        other = next((other for other in described[:place] if _overlap(one, other)), None)
        if other is None:
            continue
        reason = (
            f"{quoted(one.text)} and {other.name} ({quoted(other.text)}) ask for the same words"
        )
        if one.of == other.of:
            reason += ": one sentence of an answer meets both, and is counted twice"
            fix = "join them, or say what only one of them asks for"
        else:
            reason += ", one as right and one as wrong"
            fix = "tell them apart"
        yield Weakness("overlap", one.path, reason, fix)
    yield from _unlike(described)


_ABSENT: dict[InstructionList, tuple[str, str, str]] = {
    "tp": (
        "absence",
        (
            "asks for something to be absent, which no excerpt can show: "
            "a judge can only call it found by omission"
        ),
        "write what must not be said as a TN instruction of a full_matrix trait",
    ),
    "tn": (
        "negated",
        (
            "is negated, and a TN instruction is what must not be said: "
            "a judge can only call it present by omission, with no words to show"
        ),
        "write the wrong statement itself, or what is wanted as a TP instruction",
    ),
}
"""What an instruction that asks for absence is called, why it is weak, and what would be better."""
_OPENING = r"(?i)(?:the (?:response|answer|model) )?"
_WRONG = re.compile(
    _OPENING + r"((?:incorrect|wrong|false|inaccurate|inappropriate)ly|(?:fail|omit|neglect|"
    r"overlook|misstate|misinterpret|mislead|fabricate)s?)\b"
)
_RIGHT = re.compile(_OPENING + r"((?:correct|accurate|proper|appropriate)ly)\b")


def _against_the_sign(one: _NamedInstruction, weight: float | None) -> Iterator[Weakness]:
    """Points against the list or the words: won with what should be said, lost with the rest."""
    if not weight:
        return
    reason = f"{one.name} has the weight {weight:g}, against what its list says of it"
    if (weight > 0) == (one.of == "tp"):
        found = (_WRONG if weight > 0 else _RIGHT).match(one.text)
        if not found:
            return
        reason = f"{one.name} has the weight {weight:g}, but begins with {quoted(found[1])}"
    other = "tn_instructions" if one.of == "tp" else "tp_instructions"
    yield Weakness("sign", one.path, reason, f"turn the sign, or move it to {other}")


def _overlap(one: _NamedInstruction, other: _NamedInstruction) -> bool:
    """Whether one holds the words of the other, or they differ in no number and hardly else.

    A single word is enough where both ask for it, and differ in the verb of saying alone.
    """
    topic = one.words - _SAYING
    if topic and topic == other.words - _SAYING:
        return True
    fewer, more = sorted((one.words, other.words), key=len)
    if len(fewer) >= _FEWEST_WORDS and fewer <= more:
        return True
    same_numbers = not any(word.isdigit() for word in one.words ^ other.words)
    return same_numbers and fuzz.token_sort_ratio(one.text, other.text, score_cutoff=_ALIKE) > 0


def _unlike(described: list[_NamedInstruction]) -> Iterator[Weakness]:
    """An instruction that holds many facts among others of one each: all weigh the same."""
    if len(described) < _ENOUGH:
        return
    sizes = [len(one.text.split()) for one in described]
    largest = max(sizes)
    middle = median(sizes)
    if largest >= _LONG and largest >= _TIMES * middle and min(sizes) <= _SHORT:
        longest = described[sizes.index(largest)]
        shortest = described[sizes.index(min(sizes))]
        reason = f"{quoted(longest.text)} has {largest} words, {shortest.name} {min(sizes)}"
        fix = "facts of one size make a count mean something: split the long one"
        yield Weakness("granularity", longest.path, f"{reason}, and both count as one", fix)
