"""The corrections of a cell one after the other, as they led from the judge's labels to those that
stand.
"""

from typing import Any, NamedTuple

from appellate.core.cell import Cell, Step, labels_of, reason_of
from appellate.core.facts import Adopted
from appellate.core.problem import Refused


class ReplayedStep(NamedTuple):
    """A correction that stands, by its number, and the labels before and after it."""

    n: int
    edit: Any
    before: Any
    after: Any


def replayed(cell: Cell) -> list[ReplayedStep]:
    """What was done to the labels that a judge proposed; nothing where they were made by hand."""
    labels, steps = _begun(cell), list[ReplayedStep]()
    if labels is None:
        return []
    for step in cell.steps:
        edit = _as_applied(cell, labels, step)
        if step.n not in cell.edits or edit is None:
            continue
        kind, subject = cell.subject.kind, cell.subject
        after = kind.apply(subject.trait, subject.trace, labels, edit).labels
        steps.append(ReplayedStep(step.n, edit, labels, after))
        labels = after
    return steps


def _begun(cell: Cell) -> Any:
    """The labels before the first correction: the proposal's, or those of it that were adopted;
    None where there are none.
    """
    if cell.base is None:
        return None
    of, member = cell.base.n, None
    for fact in cell.facts:
        if fact.n in cell.edits and isinstance(fact.what, Adopted):
            of, member = fact.what.of, fact.what.member
    try:
        return labels_of(cell, of, member)
    except Refused:
        return None


def _as_applied(cell: Cell, labels: Any, step: Step) -> Any:
    """The edit as it was carried over to a later proposal; None where that needed none."""
    if cell.base is None or step.n > cell.base.n:
        return step.edit
    try:
        subject = cell.subject
        return subject.kind.carried(subject.trait, labels, step.edit, step.anchor)
    except Refused:
        return None


def reason_for(cell: Cell, n: int) -> str:
    """The reason given for a correction, or for the act that it is part of."""
    for fact in cell.facts:
        if fact.n == n:
            given = reason_of(cell, fact)
            if given or fact.part_of is None:
                return given
            return reason_for(cell, fact.part_of)
    return ""
