"""Who reviewed an audit, and which of their acts hold."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from appellate.core.cell import Cell
from appellate.core.design_facts import DesignFact, SecondPass
from appellate.core.facts import Adopted, Commented, Corrected, Fact, Ruled, SignedOff
from appellate.core.pace import PaceTally, tally
from appellate.core.planted_errors import unmasked
from appellate.store.audit import AuditedCell


class Reviewer(Struct, frozen=True):
    """What one person did that still stands, what was taken back, when, and with how much care;
    `ruled` are the sign-offs that were verdicts before the judge was seen.
    """

    name: str
    corrections: int
    signed_off: int
    ruled: int
    comments: int
    undone: int
    first: str
    last: str
    pace: PaceTally
    sentinels: Mapping[str, int]
    again: Mapping[str, Any]


def reviewers(
    acts: Sequence[tuple[Fact, AuditedCell]], design: Iterable[DesignFact]
) -> Iterator[Reviewer]:
    """Who reviewed, by name; `again` is what their latest second pass came to."""
    again: dict[str, Mapping[str, Any]] = {}
    for passed in design:
        if isinstance(passed.what, SecondPass):
            again[passed.what.reviewer] = passed.what.outcome
    by: dict[str, list[tuple[Fact, Cell]]] = {}
    for fact, audited in acts:
        by.setdefault(fact.by, []).append((fact, audited.cell))
    for name, own in sorted(by.items()):
        stand: Counter[type] = Counter()
        undone = 0
        for fact, cell in filter(_is_shown, own):
            stand[type(fact.what)] += stands(fact, cell)
            undone += fact.n in cell.undone
        moments = [fact.at for fact, _ in own]
        yield Reviewer(
            name,
            corrections=stand[Corrected] + stand[Adopted],
            signed_off=stand[SignedOff] + stand[Ruled],
            ruled=sum(isinstance(fact.what, Ruled) for fact, _ in own),
            comments=stand[Commented],
            undone=undone,
            first=min(moments),
            last=max(moments),
            pace=tally((cell, fact) for fact, cell in own),
            sentinels=unmasked((cell, fact) for fact, cell in own),
            again=again.get(name, {}),
        )


def _is_shown(act: tuple[Fact, Cell]) -> bool:
    """Whether it is an act, but no step to a ruling."""
    fact, cell = act
    if isinstance(fact.what, Corrected | Adopted):
        return not cell.is_unseeing(fact)
    return fact.is_act


def stands(fact: Fact, cell: Cell) -> bool:
    """Whether an act holds: nobody undid it, nothing came in its place, and no edit followed a
    sign-off.
    """
    match fact.what:
        case Corrected() | Adopted():
            return fact.n in cell.edits
        case SignedOff():
            return cell.signed is not None and cell.signed.n == fact.n
        case Ruled():
            return cell.ruled is not None and cell.ruled.n == fact.n
        case _:
            return fact.n not in cell.undone
