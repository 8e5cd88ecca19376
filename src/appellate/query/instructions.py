"""The terms of a query that ask for instructions: by their words, and by how labels answer them.

All of them speak of one and the same instruction: `instruction:lactate answer:missing` finds the
cells in which that one is missing, and with `judged:found` those where the judge had found it.
`-answer:missing` finds those in which none of the instructions with these words is,
`-instruction:lactate` those that have no such instruction.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from appellate.query.language import Query, Term, like

ASKED = ("instruction", "answer", "judged")
"""The fields that are answered here."""


def asks_for_the_judge(query: Query) -> bool:
    """Whether it matters how the judge answers."""
    return any(term.field.name == "judged" for term in query.terms)


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
        self._wanted = _words(query, negated=False)
        self._unwanted = _words(query, negated=True)
        self._places = {number: self._meant(texts) for number, texts in checklists.items()}
        """Of each checklist, the places of the instructions that are meant; None where it has one
        that it must not have, or none that it must.
        """
        self._given = _answers(query, "answer", letters, negated=False)
        self._refused = _answers(query, "answer", letters, negated=True)
        self._judged = _answers(query, "judged", letters, negated=False)
        self._not_judged = _answers(query, "judged", letters, negated=True)

    def _meant(self, texts: Sequence[str]) -> list[int] | None:
        folded = [text.casefold() for text in texts]
        if any(has(text) for has in self._unwanted for text in folded):
            return None
        meant = [
            place for place, text in enumerate(folded) if all(has(text) for has in self._wanted)
        ]
        return meant if meant or not self._wanted else None

    def __call__(self, checklist: int, answered: str, judged: str = "") -> bool:
        """Whether a cell is such a one; `answered` has a letter for each of its instructions, or
        none, and so has `judged`, as the judge answers.
        """
        meant = self._places.get(checklist)
        if meant is None:
            return False
        if any(_holds_any(answered, meant, refused) for refused in self._refused):
            return False
        if any(_holds_any(judged, meant, refused) for refused in self._not_judged):
            return False
        if not self._given and not self._judged:
            return True
        return any(
            _is_so(answered, place, self._given) and _is_so(judged, place, self._judged)
            for place in meant
        )


def _holds_any(letters: str, places: Sequence[int], refused: frozenset[str]) -> bool:
    return any(letters[place : place + 1] in refused for place in places)


def _is_so(letters: str, place: int, wanted: Sequence[frozenset[str]]) -> bool:
    """Whether the letter at a place is one of each of the wanted ones."""
    if not wanted:
        return True
    return all(letters[place : place + 1] in given for given in wanted)


def _of(query: Query, name: str, *, negated: bool) -> Iterator[Term]:
    """The terms of a field, those with a minus or those without."""
    return (term for term in query.terms if term.field.name == name and term.negated == negated)


def _words(query: Query, *, negated: bool) -> list[Callable[[str], bool]]:
    """Of each term for the words of an instruction, whether a folded text holds any of them."""
    terms = _of(query, "instruction", negated=negated)
    return [_holds([value.casefold() for value in term.values]) for term in terms]


def _holds(words: Sequence[str]) -> Callable[[str], bool]:
    return lambda text: any(word in text for word in words)


def _answers(
    query: Query, field: str, letters: Mapping[str, str], *, negated: bool
) -> list[frozenset[str]]:
    """Of each term of a field for answers, the letters of those that it names."""
    return [_letters(term, letters) for term in _of(query, field, negated=negated)]


def _letters(term: Term, letters: Mapping[str, str]) -> frozenset[str]:
    tests = [like(value) for value in term.values]
    return frozenset(
        letter for letter, answer in letters.items() if any(is_so(answer) for is_so in tests)
    )
