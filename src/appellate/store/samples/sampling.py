"""Taking units into the sample, and all of it back: the design fact, and that of every cell of
their traces.
"""

from appellate.core.deciding import Draw, Undraw, decide
from appellate.core.design_facts import DesignFact, Sampled, Withdrawn
from appellate.core.problem import Refused
from appellate.core.trace import name_of
from appellate.store.workspace import Workspace

NO_SAMPLE = "There is no sample to withdraw."


def draw(workspace: Workspace, sampled: Sampled, at: str, by: str) -> DesignFact:
    """Keeps all of a draw or nothing; raises Refused or NotKept."""
    with workspace.transaction():
        for one in sampled.drawn:
            for trace_id, epoch in one["traces"]:
                trace_no = workspace.traces.number((trace_id, epoch))
                if trace_no is None:
                    raise Refused(f"There is no trace {name_of(trace_id, epoch)} to draw.")
                for number in workspace.cells.of_trace(trace_no).values():
                    _, cell = workspace.cell(number)
                    what = decide(cell, Draw(sampled.blind))
                    workspace.facts.append(number, cell, what, at, by)
        return workspace.design.append(sampled, at, by)


def withdraw(workspace: Workspace, at: str, by: str) -> DesignFact:
    """Takes the whole sample back, as long as nothing in it is ruled on or signed off: its cells
    are as they would be without the draw. Raises Refused or NotKept and then has changed nothing.
    """
    drawn = workspace.design.sample()
    if drawn is None:
        raise Refused(NO_SAMPLE)
    begun = 0
    with workspace.transaction():
        for trace_no in workspace.design.drawn():
            for number in workspace.cells.of_trace(trace_no).values():
                _, cell = workspace.cell(number)
                begun += cell.hidden and bool(cell.edits)
                workspace.facts.append(number, cell, decide(cell, Undraw()), at, by)
        return workspace.design.append(Withdrawn(len(drawn), begun), at, by)
