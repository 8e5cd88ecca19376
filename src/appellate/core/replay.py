"""The corrections of a cell one after the other, as they led from the judge's labels to those that
stand.
"""

from typing import Any, NamedTuple

from appellate.core.cell import Cell, labels_of, reason_of
from appellate.core.facts import Adopted, Drawn, Planted, Proposed, Unmasked


class ReplayedStep(NamedTuple):
    """A correction that stands, by its number, and the labels before and after it."""

    n: int
    edit: Any
    before: Any
    after: Any


def replayed(cell: Cell) -> list[ReplayedStep]:
    """What was done to the labels that a judge proposed; nothing where they were made by hand."""
    if cell.base is None:
        return []
    labels, steps = _begun(cell, cell.base.n), list[ReplayedStep]()
    kind, subject, disguised = cell.subject.kind, cell.subject, _is_disguised(cell)
    for step in cell.steps:
        if step.n not in cell.edits:
            continue
        edit: Any = step.edit
        if disguised or step.n < cell.base.n:  # what was corrected were other labels
            edit = kind.carried(subject.trait, labels, edit, step.anchor)
        after = kind.apply(subject.trait, subject.trace, labels, edit).labels
        steps.append(ReplayedStep(step.n, edit, labels, after))
        labels = after
    return steps


def _begun(cell: Cell, of: int) -> Any:
    """The labels before the first correction: the proposal's, or those of it that were adopted."""
    member = None
    for fact in cell.facts:
        if fact.n in cell.edits and isinstance(fact.what, Adopted):
            of, member = fact.what.of, fact.what.member
    return labels_of(cell, of, member)


def _is_disguised(cell: Cell) -> bool:
    """Whether a planted error stands before the proposal here (`planted_errors.decoy`)."""
    is_known = False
    for fact in cell.facts:
        if isinstance(fact.what, Planted):
            is_known = cell.planted is None
        elif isinstance(fact.what, Unmasked | Drawn | Proposed):
            is_known = False
    return is_known


def reason_for(cell: Cell, n: int) -> str:
    """The reason given for a correction, or for the act that it is part of."""
    for fact in cell.facts:
        if fact.n == n:
            given = reason_of(cell, fact)
            if given or fact.part_of is None:
                return given
            return reason_for(cell, fact.part_of)
    return ""
