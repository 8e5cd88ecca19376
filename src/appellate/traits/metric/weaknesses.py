"""Finds what makes the instructions of a metric trait hard to judge or to count, for `check
--lint`.
"""

import re
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from rapidfuzz import fuzz

from appellate.core.kind import Weakness
from appellate.core.problem import quoted
from appellate.traits.metric.spec import InstructionList, MetricRubricTrait
from appellate.traits.weak_words import asks_for_absence, find_weaknesses

MOST = 1000
"""The largest number of instructions of a trait that are compared with each other."""
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
        " with mentions mention states state says notes explains includes",
    ),
)
_SAYING = frozenset(
    _WORD.findall(
        "addresses cites covers describes discusses gives lists names refers talks tells brings up",
    ),
)
"""Verbs that hardly distinguish two instructions with otherwise the same words."""


class _NamedInstruction(NamedTuple):
    """An instruction with its place in the rubric and the words that distinguish it."""

    of: InstructionList
    place: int
    text: str
    words: frozenset[str]

    @property
    def path(self) -> tuple[str | int, ...]:
        """The keys that lead to the instruction in the rubric; its index is from 0."""
        return (f"{self.of}_instructions", self.place)

    @property
    def name(self) -> str:
        """The instruction's name in a sentence, as in "TP instruction 3"."""
        return f"{self.of.upper()} instruction {self.place + 1}"


def weaknesses(trait: MetricRubricTrait) -> Iterator[Weakness]:
    """Yield weaknesses of each instruction, then overlaps, then one of the list as a whole.

    Only TP instructions are looked at, and TN instructions in `full_matrix`. An instruction is
    compared with those before it, and only the first overlap is yielded. Only the first 1,000
    instructions are compared.
    """
    lists: tuple[InstructionList, ...] = ("tp", "tn")
    described: list[_NamedInstruction] = []
    for list_name in lists:
        for index, text in enumerate(trait.instructions(list_name)):
            words = frozenset(_WORD.findall(text.lower())) - _SMALL
            described.append(_NamedInstruction(list_name, index, text, words))
    for instruction in described:
        yield from find_weaknesses(
            instruction.text,
            instruction.path,
            "compound",
            "vague",
            "umbrella",
            "format",
            "holistic",
        )
        if asks_for_absence(instruction.text):
            sort, reason, fix = _ABSENT[instruction.of]
            yield Weakness(
                sort,
                instruction.path,
                f"{quoted(instruction.text)} {reason}",
                fix,
            )
        yield from _contradicted_weight(
            instruction,
            trait.weights.get(instruction.text),
        )
    for position, instruction in enumerate(described[:MOST]):
        earlier = None
        for candidate in described[:position]:
            if _overlap(instruction, candidate):
                earlier = candidate
                break
        if earlier is None:
            continue
        both = f"{quoted(instruction.text)} and {earlier.name} ({quoted(earlier.text)})"
        reason = f"{both} ask for the same words"
        if instruction.of == earlier.of:
            reason += ": one sentence of an answer meets both, and is counted twice"
            fix = "join them, or say what only one of them asks for"
        else:
            reason += ", one as right and one as wrong"
            fix = "tell them apart"
        yield Weakness("overlap", instruction.path, reason, fix)
    yield from _uneven_lengths(described)


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
"""The name of the weakness of an instruction that asks for absence, the reason and the advice."""
_OPENING = r"(?i)(?:the (?:response|answer|model) )?"
_WRONG = re.compile(
    _OPENING
    + r"((?:incorrect|wrong|false|inaccurate|inappropriate)ly|(?:fail|omit|neglect|"
    r"overlook|misstate|misinterpret|mislead|fabricate)s?)\b",
)
_RIGHT = re.compile(_OPENING + r"((?:correct|accurate|proper|appropriate)ly)\b")


def _contradicted_weight(
    instruction: _NamedInstruction,
    weight: float | None,
) -> Iterator[Weakness]:
    """Yield a weakness if an instruction's weight contradicts its list or its words.

    A TP instruction should have a weight above 0, a TN instruction one below. A positive weight
    contradicts an opening such as "incorrectly", a negative one such as "correctly". Yields nothing
    for no weight, for 0, and if neither is so.
    """
    if not weight:
        return
    reason = f"{instruction.name} has the weight {weight:g}, against what its list says of it"
    if (weight > 0) == (instruction.of == "tp"):
        opening = (_WRONG if weight > 0 else _RIGHT).match(instruction.text)
        if not opening:
            return
        reason = (
            f"{instruction.name} has the weight {weight:g}, but begins with"
            f" {quoted(opening[1])}"
        )
    other_list = "tn_instructions" if instruction.of == "tp" else "tp_instructions"
    yield Weakness(
        "sign",
        instruction.path,
        reason,
        f"turn the sign, or move it to {other_list}",
    )


def _overlap(first: _NamedInstruction, second: _NamedInstruction) -> bool:
    """Return whether two instructions ask for the same words, common words such as "the" aside.

    They do if one of them, of at least two words, has all its words in the other. They do if their
    texts are nearly equal and have the same numbers. They also do if they differ only in verbs of
    saying, however few words they have.
    """
    topic = first.words - _SAYING
    if topic and topic == second.words - _SAYING:
        return True
    smaller, larger = sorted((first.words, second.words), key=len)
    if len(smaller) >= _FEWEST_WORDS and smaller <= larger:
        return True
    same_numbers = not any(word.isdigit() for word in first.words ^ second.words)
    return (
        same_numbers
        and fuzz.token_sort_ratio(first.text, second.text, score_cutoff=_ALIKE) > 0
    )


def _uneven_lengths(described: list[_NamedInstruction]) -> Iterator[Weakness]:
    """Yield a weakness if one instruction has many more words than another, as both weigh the same.

    The longest must have 25 words and four times the median, the shortest at most six. Yields
    nothing for fewer than three instructions, and one weakness at most.
    """
    if len(described) < _ENOUGH:
        return
    sizes = [len(instruction.text.split()) for instruction in described]
    largest = max(sizes)
    middle = median(sizes)
    if largest >= _LONG and largest >= _TIMES * middle and min(sizes) <= _SHORT:
        longest = described[sizes.index(largest)]
        shortest = described[sizes.index(min(sizes))]
        reason = (
            f"{quoted(longest.text)} has {largest} words, {shortest.name} {min(sizes)}"
        )
        fix = "facts of one size make a count mean something: split the long one"
        yield Weakness(
            "granularity",
            longest.path,
            f"{reason}, and both count as one",
            fix,
        )
