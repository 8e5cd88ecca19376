"""How far the judge agrees with the person under every trait, from how cells are kept to answer: no
cell is folded.
"""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from appellate.core.agreement import Agreement, Answers, agreement
from appellate.core.kind import KnownTrait
from appellate.store import answered
from appellate.store.database import reading

Asked = tuple[str, str]
"""The list and the words of an instruction."""
_ANSWERED_ALIKE = (
    "SELECT trait, checklist, answered, judged_as, count(*) FROM cells WHERE state = 'reviewed'"
    " AND NOT example AND answered <> '' AND judged_as <> '' GROUP BY 1, 2, 3, 4"
)


@dataclass(frozen=True, slots=True)
class TraitAgreement:
    """A trait as a whole, and each of its instructions that was compared at all."""

    whole: Agreement
    instructions: Mapping[Asked, Agreement]


def agreements(path: Path, traits: Mapping[str, Sequence[KnownTrait]]) -> dict[str, TraitAgreement]:
    """Of the traits of each name whose cells share instructions, over the cells signed off.

    By a connection of its own: for a thread.
    """
    found: dict[str, TraitAgreement] = {}
    with reading(path) as db:
        counted = _counted(db)
    for name, known in traits.items():
        kind = known[0].kind
        if not kind.standings(known[0].trait, kind.blank):
            continue
        meant = {word: answer for answer, said in kind.said_as.items() for word in said}
        vocabulary: dict[str, None] = {}
        for one in known:
            vocabulary |= dict.fromkeys(kind.vocabulary(one.trait))
        whole: Counter[Answers] = Counter()
        instructions: dict[Asked, Agreement] = {}
        for asked, pairs in counted.get(name, {}).items():
            own: Counter[Answers] = Counter()
            for (judge, person), count in pairs.items():
                own[meant.get(judge, judge), meant.get(person, person)] += count
            whole.update(own)
            instructions[asked] = agreement(own, kind.positives, vocabulary)
        found[name] = TraitAgreement(agreement(whole, kind.positives, vocabulary), instructions)
    return found


def _counted(db: sqlite3.Connection) -> dict[str, dict[Asked, Counter[Answers]]]:
    """By trait and instruction, how often the judge and the person give which words."""
    letters, checklists = answered.letters(db), answered.asked(db)
    found: dict[str, dict[Asked, Counter[Answers]]] = {}
    for trait, checklist, person, judge, count in db.execute(_ANSWERED_ALIKE):
        own = found.setdefault(trait, {})
        for asked, stands, said in zip(checklists[checklist], person, judge, strict=False):
            pair = letters[said], letters[stands]
            own.setdefault(asked, Counter())[pair] += count
    return found
