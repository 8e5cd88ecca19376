"""An audit of cells that two judges judged: the first judge's labels as round 1, the second's as 2.

In it a person goes through what turned: `is:flipped` finds the cells, `V` shows both judges' words,
and a sign-off there can be frozen as gold.
"""

import json
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.installed import running
from appellate.judging.flips import FOUND_BY
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.audits.open_audit import AuditFiles, Opened, making
from appellate.traits.rubric import Rubric


class TwiceJudged(Struct, frozen=True):
    """A cell, and what two judges said of it."""

    trace: Trace
    trait: str
    first: Proposed
    second: Proposed


def make_two_rounds(
    place: AuditFiles,
    rubric: Rubric,
    cells: Iterable[TwiceJudged],
    reviewer: str,
) -> tuple[Opened, int]:
    """Make and open an audit of cells that were judged twice; return it and how many turned.

    Only its workspace is made: the audit file is written on the first save. The first judge's
    labels become round 1, and the second's round 2. A cell turned if they answer an instruction
    differently. If any did, the queue of `reviewer` shows only these. Each trait must be in the
    rubric. Cells of the traces that were not judged twice stay without labels, and no judge is
    asked about them. Raises Unusable if the audit cannot be made, WorkspaceLocked if there is one
    already, and NotKept if the disk refuses. Nothing is left of a workspace that was not filled.
    """
    judged = list(cells)
    traces = {cell.trace.key: cell.trace for cell in judged}
    with making(place.workspace, rubric, running()) as workspace:
        workspace.add_all(traces.values())
        bench = Workbench(workspace, place.audit, reviewer)
        first_answers: list[tuple[int, Proposed]] = []
        second_answers: list[tuple[int, Proposed]] = []
        for cell in judged:
            number = workspace.cells.number(cell.trace.key, cell.trait)
            first_answers.append((number, _in_round(cell.first, 1)))
            second_answers.append((number, _in_round(cell.second, 2)))
        bench.receive_many(first_answers)
        bench.receive_many(second_answers)

        workspace.set_meta(meta.JUDGE, "recorded")  # nobody is to judge unasked
        turned = workspace.column("SELECT no FROM cells WHERE flipped > 0 ORDER BY no")
        if turned:
            workspace.set_meta(meta.START, str(turned[0]))
            workspace.set_meta(meta.queue(reviewer), json.dumps({"filter": FOUND_BY}))
    workspace.settle()
    return Opened(workspace, place), len(turned)


def _in_round(proposal: Proposed, round_no: int) -> Proposed:
    """Return a copy of a proposal whose judge has this round, or no round if it is the first."""
    judge = {key: value for key, value in proposal.judge.items() if key != "round"}
    if round_no > 1:
        judge["round"] = round_no
    return replace(proposal, judge=judge)
