"""Going about: from cell to cell, by name, back and forward as in a browser, bookmarks."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from appellate.app.dialogs import Dialogs
from appellate.app.queue.view import QueueView
from appellate.core.kind import Instruction
from appellate.core.problem import Refused, wording
from appellate.core.trace import epoch_text, name_of
from appellate.query.language import Suggestion
from appellate.session.workbench import Workbench
from appellate.store.cell_names import cell_called, instead_of, likeliest_cell
from appellate.store.database import NotKept
from appellate.store.queue import first_open
from appellate.ui.contract import Choice, step_named
from appellate.ui.text import clip

if TYPE_CHECKING:
    from appellate.store.files.wordings import AskedCell

LONGEST = 500


class VisitHistory:
    """Cells behind and ahead of the one in sight, nearest last."""

    def __init__(self) -> None:
        self._behind: list[int] = []
        self._ahead: list[int] = []

    def left(self, number: int) -> None:
        """A cell was left for another than the one ahead."""
        self._behind = [*self._behind[-LONGEST:], number]
        self._ahead.clear()

    def forget_removed(self, last: int) -> None:
        """Forgets cells beyond the last one that there is."""
        self._behind = [number for number in self._behind if number <= last]
        self._ahead = [number for number in self._ahead if number <= last]

    def back(self, here: int) -> int | None:
        """The cell before, for one who is here; None where there is none."""
        return self._moved(self._behind, self._ahead, here)

    def forward(self, here: int) -> int | None:
        return self._moved(self._ahead, self._behind, here)

    @staticmethod
    def _moved(source: list[int], target: list[int], here: int) -> int | None:
        if not source:
            return None
        target.append(here)
        return source.pop()


NAMED = 60  # cells of a name that is not there
MANY = 50  # traces offered while one is being named
DONE = "{quit:q} exports the audit; {session:S} shows the numbers, appellate report the rest."


class Navigation:
    """Opens cells, and ends what is under way in the cell that is left."""

    def __init__(
        self,
        bench: Workbench,
        queue: QueueView,
        dialogs: Dialogs,
        here: Callable[[], int],
        *,
        opens: Callable[[int], object],
        points_at: Callable[[Instruction], object],
        has_steps: Callable[[], bool],
        goes_to_step: Callable[[int], object],
    ) -> None:
        """`here` is the number of the cell in sight; `opens` brings another one there.

        `points_at` puts the cursor on what answers an instruction of the cell in sight.
        `has_steps` is whether its text is a conversation, in which `goes_to_step` goes to a step.
        """
        self._bench = bench
        self._queue = queue
        self._dialogs = dialogs
        self._here = here
        self._opens = opens
        self._points_at = points_at
        self._has_steps = has_steps
        self._goes_to_step = goes_to_step
        self._visits = VisitHistory()

    # -- one cell to another ----------------------------------------------------------------------

    def forget_removed(self, last: int) -> None:
        """Forgets visits of cells beyond the last one that there is."""
        self._visits.forget_removed(last)

    def open(self, number: int) -> None:
        """Open a cell, without remembering where from."""
        self._opens(number)

    def go(self, number: int) -> None:
        """Goes to a cell, and remembers where from."""
        if number != self._here():
            self._visits.left(self._here())
        self.open(number)

    def go_to_asked(self, asked: "AskedCell") -> None:
        """Goes to a cell, with the cursor on what answers the instruction."""
        self.go(asked.cell)
        self._points_at(asked.instruction)

    def cell(self, by: int) -> None:
        """A cell of the queue so many on or back; where there are fewer, the last."""
        cells = self._queue.cells
        number = cells.step(self._here(), by)
        if number is None and len(cells) and abs(by) > 1:
            number = cells.number(len(cells) - 1 if by > 0 else 0)
        self._go_or_say(number if number != self._here() else None, "cell", by)

    def trace(self, by: int) -> None:
        """The first cell of the next or previous trace, or of one so many further."""
        way = 1 if by > 0 else -1
        here = self._here()
        number = None
        for _ in range(abs(by)):
            found = self._queue.cells.step_trace(here, way)
            if found is None:
                break
            number = here = found
        self._go_or_say(number, "trace", by)

    def _go_or_say(self, number: int | None, what: str, by: int) -> None:
        if number is None:
            end = "last" if by > 0 else "first"
            self._dialogs.say(f"This is the {end} {what} {self._of_this_queue}".rstrip() + ".")
        else:
            self.go(number)

    @property
    def _of_this_queue(self) -> str:
        """Words for a queue that does not hold every cell."""
        if self._queue.lineup.narrowed:
            return "of this queue (f widens it) "
        return ""

    def unreviewed(self, by: int, *, after: bool = False) -> None:
        """The next cell that is not signed off; `after` another was."""
        no = self._here()
        cells = self._queue.cells
        found = cells.next_open(no, by) or first_open(cells, by)
        if found is None or (found == no and after):
            self._dialogs.say(f"Every cell {self._of_this_queue}is signed off. {DONE}")
        elif found == no:
            self._dialogs.say(f"This is the only cell {self._of_this_queue}that is not signed off.")
        else:
            self.go(found)

    def back(self) -> None:
        self._retrace(self._visits.back(self._here()), "There is nothing to go back to.")

    def forward(self) -> None:
        self._retrace(self._visits.forward(self._here()), "There is nothing to go forward to.")

    def _retrace(self, number: int | None, nowhere: str) -> None:
        if number is None:
            self._dialogs.say(nowhere)
        else:
            self.open(number)

    # -- by name ----------------------------------------------------------------------------------

    async def go_to(self) -> None:
        """Asks for a trace, and goes there."""
        hint = "a name from the queue, a number, a part of an id"
        if self._has_steps():
            hint += "; s19: step 19"
        text = await self._dialogs.line(
            "Go to trace", purpose="trace", completing=self._traces, hint=hint
        )
        workspace = self._bench.workspace
        name = clip(text.strip(), NAMED, self._queue.marks)
        cell = cell_called(workspace, text)
        step = step_named(text)
        if cell is None and step and self._has_steps():
            self._goes_to_step(step)
            return
        cell = cell or likeliest_cell(workspace, text)
        if cell is None:
            wording = "; ".join(filter(None, instead_of(workspace, name)))
            end = "" if wording.endswith("?") else "."
            self._dialogs.say(f"{wording[0].upper()}{wording[1:]}{end}")
        else:
            self.go(cell)

    def _traces(self, text: str, _: int) -> list[Suggestion]:
        workspace = self._bench.workspace
        offered = []
        for one in workspace.traces.like(workspace.rubric, text, MANY):
            told = (f"trace {one.no}", epoch_text(one.epoch), one.question or "")
            about = "  ".join(filter(None, told))
            offered.append(Suggestion(0, len(text), name_of(one.id, one.epoch), about))
        return offered

    # -- bookmarks --------------------------------------------------------------------------------

    def bookmark(self) -> None:
        """Bookmarks the cell, or takes the bookmark away."""
        no = self._here()
        on = no not in self._bench.bookmarks()
        try:
            self._bench.set_bookmark(no, on)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return
        except NotKept as refusal:
            self._dialogs.say(f"No bookmark was set: {refusal}.")
            return
        self._queue.draw_anew(no)
        if on:
            self._dialogs.say(
                "Bookmarked: {palette:Ctrl+P} bookmarks lists them, "
                "{queue.filter:f} is:bookmarked finds them."
            )
        else:
            self._dialogs.say("The bookmark is gone.")

    async def bookmarks(self) -> None:
        """Lists the bookmarks, to go to one."""
        if not self._bench.bookmarks():
            self._dialogs.say(
                "There are no bookmarks; {palette:Ctrl+P} bookmark sets one on the cell in sight."
            )
            return
        rows = self._bench.workspace.cells.rows_of(sorted(self._bench.bookmarks()))
        choices = []
        for row in rows:
            name = f"{name_of(row.trace_id, row.epoch)} {row.trait}"
            choices.append(Choice(str(row.no), str(row.trace_no), name, row.state))
        self.go(int(await self._dialogs.pick("Bookmarks", choices)))
