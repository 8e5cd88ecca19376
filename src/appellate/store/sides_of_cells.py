"""The labels that stand in a cell, as a side of a contested one (`core.contest`)."""

from collections.abc import Iterator
from typing import Any

from appellate.core.cell import Cell
from appellate.core.contest import labels_of_side
from appellate.core.facts import Adopted, Contested, Proposed
from appellate.core.kind import Table
from appellate.core.problem import Refused
from appellate.store.judgment import labels_in


def side_of(cell: Cell) -> dict[str, Any]:
    """The labels that stand in a cell; raises Refused where no side says the same."""
    subject, kind = cell.subject, cell.subject.kind
    for side in (_replayed(cell), *_written(cell)):
        try:
            labels = labels_of_side(subject, side)
        except (Refused, KeyError, ValueError, TypeError):
            continue
        if labels == cell.labels or kind.answers(subject.trait, labels) == cell.answers:
            return side
    raise Refused(f"The labels of {subject.trait.name} cannot be put beside others.")


def _replayed(cell: Cell) -> dict[str, Any]:
    """What the labels rest on, and the corrections that stand in them."""
    side = dict(_ground(cell))
    edits = [dict(step.edit.to_row()) for step in cell.steps if step.n in cell.edits]
    return side | {"edits": [*side.get("edits", ()), *edits]}


def _ground(cell: Cell) -> Table:
    """The proposal that the labels rest on, or the part of it that was adopted."""
    if cell.base is None:
        return {}
    base, member = cell.base.what, None
    for fact in cell.facts:
        if fact.n in cell.edits and isinstance(fact.what, Adopted):
            member = fact.what.member
    if isinstance(base, Contested):
        return base.sides[member or 0]
    if not isinstance(base, Proposed):
        return {}
    if member is None:
        return {"table": dict(base.table)}
    return {"table": labels_in(cell.subject.kind, base.judge["members"][member])}


def _written(cell: Cell) -> Iterator[dict[str, Any]]:
    """The labels as the audit has them, by themselves and with what else the judge's table has."""
    written = cell.subject.kind.write(cell.labels)
    table = dict(written["audited"])
    if "items" in written:
        table["items"] = written["items"]
    yield {"table": table, "edits": []}
    if cell.base and isinstance(cell.base.what, Proposed):
        below = {key: value for key, value in cell.base.what.table.items() if key != "items"}
        yield {"table": below | table, "edits": []}
