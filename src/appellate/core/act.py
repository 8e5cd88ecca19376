"""One act of a person: requests to one cell or several that are kept together."""

from collections.abc import Callable, Iterable

from appellate.core.cell import Cell, evolve
from appellate.core.commands import Adopt, Command, Correct, Redo, SignOff, Undo
from appellate.core.deciding import decide
from appellate.core.facts import Fact
from appellate.core.problem import Refused
from appellate.core.trace import Trace


class Act:
    """Requests that are kept together; `cells` are those they change: the trace, the cell as it was
    and as it is.

    `known` gives a cell by its number. A cell in which an error is planted is corrected as it is
    shown, until the act is over (`settle`).
    """

    def __init__(
        self, known: Callable[[int], tuple[Trace, Cell]], by: str, last_n: int, at: str
    ) -> None:
        self.cells: dict[int, tuple[Trace, Cell, Cell]] = {}
        self.turned: list[Fact] = []
        self.last_n = last_n
        self._known, self._by = known, by
        self._first, self._at = last_n + 1, at

    def cell(self, number: int) -> Cell:
        """A cell as it is by now."""
        return self._opened(number, as_shown=True)[2]

    def do(self, number: int, commands: Iterable[Command]) -> None:
        """Carries requests out, one after the other; raises Refused and then has carried out none
        of them.
        """
        before = self.cells.copy(), self.turned.copy(), self.last_n
        try:
            for command in commands:
                labels = isinstance(command, Correct | Adopt | SignOff)
                trace, kept, cell = self._opened(number, as_shown=labels)
                what = decide(cell, command)
                self.last_n += 1
                part_of = None if self.last_n == self._first else self._first
                fact = Fact(self.last_n, self._at, self._by, what, part_of)
                after = evolve(cell, fact)
                self.cells[number] = trace, kept, after
                if isinstance(command, Undo | Redo):
                    self.turned += [one for one in after.facts if one.n == command.of]
        except Refused:
            self.cells, self.turned, self.last_n = before
            raise

    def settle(self) -> None:
        """Ends the act: what was done to a cell as it is shown comes to what is kept of it."""
        last = self._first - 1
        for number, (trace, kept, seen) in self.cells.items():
            after = seen
            if kept.planted and not seen.planted:
                from appellate.core.planted_errors import settled

                after = settled(kept, seen)
                self.cells[number] = trace, kept, after
            last = max(last, after.facts[-1].n)
        self.last_n = last

    def _opened(self, number: int, *, as_shown: bool) -> tuple[Trace, Cell, Cell]:
        if number in self.cells:
            trace, kept, cell = self.cells[number]
        else:
            trace, cell = self._known(number)
            kept = cell
        if cell.planted and as_shown:
            cell = cell.shown
        return trace, kept, cell
