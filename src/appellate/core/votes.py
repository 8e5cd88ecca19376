"""What several judges say of one cell, taken together, for any kind: votes, what most hold, how far
they differ.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from appellate.core.kind import Instruction, Subject, Table

Vote = Mapping[str, tuple[int, ...]]
"""Of one instruction, by each answer: the members that give it, by place."""


def votes(subject: Subject, tables: Iterable[Table]) -> dict[Instruction, Vote]:
    """How the members of a panel, by their located tables, answer each instruction of the cell's
    trait.
    """
    found: dict[Instruction, dict[str, tuple[int, ...]]] = {}
    for place, table in enumerate(tables):
        for instruction, answer in subject.kind.answers(
            subject.trait, subject.labels(table)
        ).items():
            vote = found.setdefault(instruction, {})
            vote[answer] = (*vote.get(answer, ()), place)
    return dict(found)


def verdict(vote: Vote) -> str:
    """The answer that most members give; where they are even, that of the first of them."""
    return min(vote, key=lambda answer: (-len(vote[answer]), vote[answer][0]))


def disagreement(found: Mapping[Instruction, Vote]) -> float:
    """How often two members, drawn at random, answer an instruction differently: 0 where all agree.

    One minus the observed agreement of Fleiss, "Measuring nominal scale agreement among many
    raters" (Psychological Bulletin 76, 1971), which is not corrected for chance; 0 for fewer than
    two members.
    """
    shares = [share for share in map(_differing, found.values()) if share is not None]
    if not shares:
        return 0.0
    return sum(shares) / len(shares)


def _differing(vote: Vote) -> float | None:
    """The share of the pairs of members that differ on one instruction; None where there is no
    pair.
    """
    count = sum(map(len, vote.values()))
    if count < 2:  # noqa: PLR2004 - a pair
        return None
    alike = sum(len(members) * (len(members) - 1) for members in vote.values())
    return 1 - alike / (count * (count - 1))


def majority(subject: Subject, tables: Sequence[Table]) -> dict[str, Any]:
    """The table of what most members hold, as the cell's kind sees it.

    A kind that says nothing of it gets the first table of those that answer every instruction alike
    and are most; where such groups are even, of the one that the earliest member is in.
    """
    if subject.kind.majority:
        return subject.kind.majority(subject.trait, subject.trace, tables)
    answers = [
        tuple(subject.kind.answers(subject.trait, subject.labels(table)).items())
        for table in tables
    ]
    most = Counter(answers).most_common(1)[0][0]
    return dict(tables[answers.index(most)])
