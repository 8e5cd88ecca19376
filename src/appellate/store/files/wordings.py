"""The instructions of a rubric by their wording, and the cells that are asked each of them.

Traits of questions often have one in nearly the same words under many questions.
"""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.kind import AnyKind, Instruction
from appellate.store import answered
from appellate.store.database import Database
from appellate.traits.rubric import Rubric

ALIKE = 62
"""Of 100: how alike two wordings are that are shown together, their words in any order."""
MOST_ALIKE = 12

Key = tuple[str, str, str]
"""Trait, list and the words, folded."""


class Asker(NamedTuple):
    """A trait that asks an instruction, as it asks it."""

    trait: Any
    instruction: Instruction


class Wording(Struct, frozen=True):
    """One wording of an instruction under the traits of one name, and all that ask it."""

    trait: str
    kind: AnyKind
    asked: tuple[Asker, ...]
    is_global: bool

    @property
    def of(self) -> str:
        return self.instruction.of

    @property
    def text(self) -> str:
        return self.instruction.text

    @property
    def instruction(self) -> Instruction:
        return self.asked[0].instruction


class AskedCell(NamedTuple):
    """A cell that is asked an instruction."""

    cell: int
    instruction: Instruction


class Wordings:
    """The wordings of a rubric's instructions, and which traits ask each."""

    def __init__(self, rubric: Rubric) -> None:
        """Gather the instructions of all traits in a rubric whose answers go by instruction."""
        self.rubric = rubric
        self._by_key: dict[Key, Wording] = {}
        for holder in (rubric, *rubric.questions):
            for kind, trait in holder.own_traits():
                if kind.answering is not None and kind.goes_by_instruction:
                    self._add(kind, trait, is_global=holder is rubric)

    def _add(self, kind: AnyKind, trait: Any, *, is_global: bool) -> None:
        """Add a trait to all that ask its instructions, under the wording of each.

        `is_global` says whether every question has the trait; the last one that is added decides
        for a wording.
        """
        for instruction in kind.standings(trait, kind.blank):
            key = (trait.name, instruction.of, _folded(instruction.text))
            askers: tuple[Asker, ...] = ()
            if key in self._by_key:
                askers = self._by_key[key].asked
            asker = Asker(trait, instruction)
            self._by_key[key] = Wording(trait.name, kind, (*askers, asker), is_global)

    def of(self, trait: str, instruction: Instruction) -> Wording | None:
        """Return the wording of an instruction under the traits of a name; None if it has none.

        Case, blanks and a full stop at the end make no difference.
        """
        return self._by_key.get((trait, instruction.of, _folded(instruction.text)))

    def like(self, wording: Wording) -> list[Wording]:
        """Return at most `MOST_ALIKE` other wordings that are nearly the same, the nearest first.

        They are of the same list under traits of the same name. The order of words makes no
        difference; the least likeness is `ALIKE`.
        """
        from rapidfuzz import fuzz, process  # only here: 10 ms

        choices = self._sorted_words.get((wording.trait, wording.of), {})
        own_words = _sorted(_folded(wording.text))
        matches = process.extract(
            own_words,
            choices,
            scorer=fuzz.ratio,
            score_cutoff=ALIKE,
            limit=MOST_ALIKE + 1,
        )
        others: list[Wording] = []
        for _, _, key in matches:
            other = self._by_key[key]
            if other is not wording:
                others.append(other)
        return others

    @cached_property
    def _sorted_words(self) -> dict[tuple[str, str], dict[Key, str]]:
        """The words of every wording in the order of the alphabet, by trait and list and by key."""
        words_by_list: dict[tuple[str, str], dict[Key, str]] = {}
        for key in self._by_key:
            trait_name, list_name, text = key
            words_by_key = words_by_list.setdefault((trait_name, list_name), {})
            words_by_key[key] = _sorted(text)
        return words_by_list


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(". ")


def _sorted(words: str) -> str:
    return " ".join(sorted(words.split()))


# -- the cells -------------------------------------------------------------------------------------


def cells_asked(file: Database, wording: Wording) -> Iterator[tuple[AskedCell, str]]:
    """Yield the cells that are asked an instruction in a wording, in order, with their answers.

    An answer is "" if the cell has no labels. A cell that is asked it twice comes twice.
    """
    instructions_by_no = _instructions_asked(file, wording)
    words = answered.words(file.db)
    rows = file.db.execute(
        "SELECT c.no, q.no, g.answer FROM questions q JOIN cells c ON c.checklist = q.checklist"
        " LEFT JOIN given g ON g.cell = c.no AND g.question = q.no"
        " WHERE q.no IN (SELECT value FROM json_each(?)) AND c.trait = ? ORDER BY c.no, q.no",
        (json.dumps(list(instructions_by_no)), wording.trait),
    )
    for number, question, word in rows:
        yield AskedCell(number, instructions_by_no[question]), words.get(word, "")


def _instructions_asked(file: Database, wording: Wording) -> dict[int, Instruction]:
    """Return the instructions that are asked in a wording, by the numbers of their questions.

    Each has its place in its list, from 1. They are of the wording's list, under any trait.
    """
    folded_text = _folded(wording.text)
    numbers: Counter[tuple[int, str]] = Counter()
    instructions_by_no: dict[int, Instruction] = {}
    for no, checklist, list_name, text in file.db.execute(
        "SELECT * FROM questions ORDER BY no",
    ):
        numbers[checklist, list_name] += 1
        if list_name == wording.of and _folded(text) == folded_text:
            instructions_by_no[no] = Instruction(
                list_name,
                numbers[checklist, list_name],
                text,
            )
    return instructions_by_no


MAYBE = {
    "overruled": "overruled > 0",
    "unsigned": "state <> 'reviewed'",
    "split": "disagreement > 0",
}


def maybe(file: Database, trait: str, condition: str) -> set[int]:
    """Return the numbers of a trait's cells in which `condition` is true of some instruction.

    `condition` is a key of `MAYBE`. The cells need not be those of any one instruction.
    """
    sql = f"SELECT no FROM cells WHERE trait = ? AND {MAYBE[condition]}"  # noqa: S608 - as above
    return set(file.column(sql, trait))
