"""The terms of a query that ask for instructions: by their words, and by how labels answer them.

All of them speak of one and the same instruction: `instruction:lactate answer:missing` finds the
cells in which that one is missing. `-answer:missing` finds those in which none of the instructions
with these words is, `-instruction:lactate` those that have no such instruction.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from appellate.query.language import Query, Term, like

ASKED = ("instruction", "answer")
"""The fields that are answered here."""


def asks_for_instructions(query: Query) -> bool:
    """Whether any term of a query is answered here."""
    return any(term.field.name in ASKED for term in query.terms)


class InstructionTest:
    """Which cells have such an instruction, so answered.

    `checklists` are the words of the instructions of each checklist, by its number, `letters` what
    each letter of a cell's answers stands for.
    """

    def __init__(
        self,
        query: Query,
        checklists: Mapping[int, Sequence[str]],
        letters: Mapping[str, str],
    ) -> None:
        worded = [term for term in query.terms if term.field.name == "instruction"]
        wanted = _tests(term for term in worded if not term.negated)
        unwanted = _tests(term for term in worded if term.negated)
        self._places: dict[int, list[int]] = {}
        """Of each checklist that will do, the places of the instructions that are meant."""
        for number, texts in checklists.items():
            folded = [text.casefold() for text in texts]
            if any(has(text) for has in unwanted for text in folded):
                continue
            meant = [place for place, text in enumerate(folded) if all(has(text) for has in wanted)]
            if meant or not wanted:
                self._places[number] = meant
        answers = [term for term in query.terms if term.field.name == "answer"]
        self._given = [_letters(term, letters) for term in answers if not term.negated]
        self._refused = [_letters(term, letters) for term in answers if term.negated]

    def __call__(self, checklist: int, answered: str) -> bool:
        """Whether a cell is such a one; `answered` has a letter for each of its instructions, or
        none.
        """
        meant = self._places.get(checklist)
        if meant is None:
            return False
        if not self._given and not self._refused:
            return True
        letters = [answered[place] for place in meant] if answered else []
        if any(letter in refused for refused in self._refused for letter in letters):
            return False
        if not self._given:
            return True
        return any(all(letter in given for given in self._given) for letter in letters)


def _tests(terms: Iterable[Term]) -> list[Callable[[str], bool]]:
    """Of each term, whether a folded text holds any of its words."""
    return [_holds([value.casefold() for value in term.values]) for term in terms]


def _holds(words: Sequence[str]) -> Callable[[str], bool]:
    return lambda text: any(word in text for word in words)


def _letters(term: Term, letters: Mapping[str, str]) -> frozenset[str]:
    """The letters of the answers that a term names."""
    tests = [like(value) for value in term.values]
    return frozenset(
        letter for letter, answer in letters.items() if any(is_so(answer) for is_so in tests)
    )
