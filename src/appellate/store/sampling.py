"""Taking units into the sample: the design fact, and that of every cell of their traces."""

from appellate.core.commands import Draw
from appellate.core.deciding import decide
from appellate.core.design_facts import DesignFact, Sampled
from appellate.core.problem import Refused
from appellate.core.trace import name_of
from appellate.store.workspace import Workspace


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
