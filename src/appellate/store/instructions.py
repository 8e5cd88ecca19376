"""The instructions of a rubric by their wording, and the cells that are asked each of them.

A global trait asks every trace the same. Traits of questions often have an instruction in equal or
nearly equal words under many questions: equal ones are one wording, like ones are found by it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from appellate.core.kind import AnyKind, Instruction
from appellate.store.database import Database
from appellate.traits.rubric import Question, Rubric

ALIKE = 62
"""Of 100: how alike two wordings are that are shown together, their words in any order."""
MOST_ALIKE = 12

Key = tuple[str, str, str]
"""Trait, list and the words, folded."""


class Asked(NamedTuple):
    """An instruction as the traits of one question ask it, or as a global one does (None)."""

    question: Question | None
    trait: Any
    instruction: Instruction


@dataclass(frozen=True)
class Wording:
    """One wording of an instruction under the traits of one name, and all that ask it."""

    trait: str
    kind: AnyKind
    asked: tuple[Asked, ...]

    @property
    def of(self) -> str:
        return self.instruction.of

    @property
    def text(self) -> str:
        return self.instruction.text

    @property
    def an_asker(self) -> Any:
        """One of the traits that ask it, which all take the same answers."""
        return self.asked[0].trait

    @property
    def instruction(self) -> Instruction:
        return self.asked[0].instruction

    @property
    def is_global(self) -> bool:
        """Whether a trait of every trace asks it."""
        return self.asked[0].question is None


class AskedCell(NamedTuple):
    """A cell by its number, and the instruction that it is asked."""

    cell: int
    instruction: Instruction


class Wordings:
    """All instructions of a rubric, by their wording."""

    def __init__(self, rubric: Rubric) -> None:
        self.rubric = rubric
        found: dict[Key, list[Asked]] = {}
        kinds: dict[Key, AnyKind] = {}
        for question in (None, *rubric.questions):
            for kind, trait in (question or rubric).own_traits():
                if kind.answering is None:
                    continue
                for instruction in kind.answers(trait, kind.blank):
                    key = trait.name, instruction.of, _folded(instruction.text)
                    found.setdefault(key, []).append(Asked(question, trait, instruction))
                    kinds[key] = kind
        self._by_key = {
            key: Wording(key[0], kinds[key], tuple(asked)) for key, asked in found.items()
        }

    def of(self, trait: str, instruction: Instruction) -> Wording | None:
        """The wording of an instruction of some trait of this name."""
        return self._by_key.get((trait, instruction.of, _folded(instruction.text)))

    def like(self, wording: Wording) -> list[Wording]:
        """Other wordings of the same list that are nearly the same, the nearest first."""
        from rapidfuzz import fuzz, process  # only here: 10 ms

        choices = self._sorted_words.get((wording.trait, wording.of), {})
        own = _sorted(_folded(wording.text))
        found = process.extract(
            own, choices, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=MOST_ALIKE + 1
        )
        return [self._by_key[key] for _, _, key in found if self._by_key[key] is not wording]

    @cached_property
    def _sorted_words(self) -> dict[tuple[str, str], dict[Key, str]]:
        """The words of every wording in the order of the alphabet, by trait and list."""
        found: dict[tuple[str, str], dict[Key, str]] = {}
        for key in self._by_key:
            found.setdefault(key[:2], {})[key] = _sorted(key[2])
        return found


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _sorted(words: str) -> str:
    return " ".join(sorted(words.split()))


# -- the cells -------------------------------------------------------------------------------------


def cells_asked(file: Database, wording: Wording) -> list[AskedCell]:
    """The cells that are asked it, in the order loaded: of a global trait all that it has."""
    if wording.is_global:
        sql = "SELECT no FROM cells WHERE trait = ? ORDER BY no"
        numbers = file.column(sql, wording.trait)
        instructions = [one.instruction for one in wording.asked]
        return [AskedCell(no, one) for no in numbers for one in instructions]
    return list(_of_questions(file, wording))


def _of_questions(file: Database, wording: Wording) -> Iterator[AskedCell]:
    """A trace is of the question that it names, else of the one whose text it has."""
    by_id: dict[str, list[Instruction]] = {}
    by_text: dict[str, list[Instruction]] = {}
    for question, _, instruction in wording.asked:
        if question is not None:
            by_id.setdefault(question.id, []).append(instruction)
            by_text.setdefault(question.question or "", []).append(instruction)
    found = file.db.execute(
        "SELECT c.no, json_extract(t.body, '$.question_id'), json_extract(t.body, '$.question')"
        " FROM cells c JOIN traces t ON t.no = c.trace WHERE c.trait = ? ORDER BY c.no",
        (wording.trait,),
    )
    for number, question_id, text in found:
        asked = by_id.get(question_id) if question_id is not None else by_text.get(text)
        for instruction in asked or ():
            yield AskedCell(number, instruction)


# -- how they are answered -------------------------------------------------------------------------


def answer_counts(file: Database, wordings: Iterable[Wording]) -> dict[str, int]:
    """How often each answer stands over all cells that are asked, from the running sums."""
    file.sums.keep(file.db)
    counts: dict[str, int] = {}
    for wording in wordings:
        for text in {one.instruction.text for one in wording.asked}:
            found = file.db.execute(
                "SELECT answer, cells FROM answers"
                " WHERE trait = ? AND of = ? AND instruction = ? AND cells > 0",
                (wording.trait, wording.of, text),
            )
            for answer, cells in found:
                counts[answer] = counts.get(answer, 0) + cells
    return counts
