"""Going from cell to cell line by line, and finding one by its name."""

from appellate.core.problem import Refused
from appellate.query.language import QueryUnreadable, parse
from appellate.store.cell_names import cell_called, instead_of, likeliest_cell
from appellate.store.queue import FoundQueue, LoadedQueue, Queue, look_up, vocabulary
from appellate.workbench import Workbench


class CellsInOrder:
    """The cells that are gone through, in their order."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._queue: Queue = LoadedQueue(bench.workspace)
        self.narrowed = False

    def narrow(self, text: str, order: str, seed: int) -> int:
        """Takes on the cells that a query finds, or all; raises Refused where it cannot be read.

        Gives how many there are.
        """
        workspace = self._bench.workspace
        if not text and order == "loaded":
            self._queue, self.narrowed = LoadedQueue(workspace), False
            return len(self._queue)
        try:
            query = parse(text, vocabulary(workspace.path))
        except QueryUnreadable as unreadable:
            raise Refused(f"The filter cannot be read. {unreadable}") from unreadable
        found = look_up(workspace.path, query, order, seed, self._bench.reviewer)
        if len(found.numbers):
            self._queue, self.narrowed = FoundQueue(workspace, found), bool(text)
        return len(found.numbers)

    def cell(self, no: int, by: int) -> int:
        """The next or previous cell; raises Refused at the end."""
        return self._or_end(self._queue.step(no, by), "cell", by)

    def trace(self, no: int, by: int) -> int:
        return self._or_end(self._queue.step_trace(no, by), "trace", by)

    def _or_end(self, found: int | None, what: str, by: int) -> int:
        if found is None:
            end = "last" if by > 0 else "first"
            raise Refused(f"This is the {end} {what}{self.here}.")
        return found

    @property
    def here(self) -> str:
        return " of this filter (f widens it)" if self.narrowed else ""

    def unreviewed(self, no: int, by: int) -> int | None:
        """The next cell that is not signed off, around the end; None where there is none."""
        return self._queue.next_open(no, by) or self._from_the_end(by)

    def _from_the_end(self, by: int) -> int | None:
        end = self._queue.number(0 if by > 0 else len(self._queue) - 1)
        if self._bench.workspace.cells.row(end).state != "reviewed":
            return end
        return self._queue.next_open(end, by)

    def named(self, name: str) -> int:
        """The cell that is called so, else the likeliest trace's first; raises Refused."""
        workspace = self._bench.workspace
        found = cell_called(workspace, name) or likeliest_cell(workspace, name)
        if found is None:
            wrong, instead = instead_of(workspace, name)
            raise Refused(f"{wrong[0].upper()}{wrong[1:]}. {instead}".strip())
        return found
