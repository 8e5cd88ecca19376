"""Goes from cell to cell: in the queue, by name, back and forward as in a browser, by bookmark."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from appellate.app.dialogs import Dialogs
from appellate.app.queue.view import QueueView
from appellate.core.kind import Instruction
from appellate.core.problem import Refused, wording
from appellate.core.trace import epoch_text, name_of
from appellate.query.language import Suggestion
from appellate.session.workbench import Workbench
from appellate.store.cells import StepDirection
from appellate.store.database import NotKept
from appellate.store.queue import first_open
from appellate.ui.contract import Choice, step_named
from appellate.ui.own_keys import in_own_keys
from appellate.ui.text import clip

if TYPE_CHECKING:
    from appellate.store.files.wordings import AskedCell

LONGEST = 500
"""Number of visited cells that are remembered."""


class VisitHistory:
    """The cells that were open before the current one, and those that one went back from."""

    def __init__(self) -> None:
        self._behind: list[int] = []
        """Numbers of the cells that `back` goes to, the nearest last."""
        self._ahead: list[int] = []
        """Numbers of the cells that `forward` goes to, the nearest last."""

    def note_left(self, number: int) -> None:
        """Note that cell `number` was left for a new one, and forget the cells to go forward to.

        Only the latest are kept, `LONGEST` and this one.
        """
        self._behind = [*self._behind[-LONGEST:], number]
        self._ahead.clear()

    def forget_removed(self, last: int) -> None:
        """Forget cells with numbers above `last`, which were removed."""
        self._behind = [number for number in self._behind if number <= last]
        self._ahead = [number for number in self._ahead if number <= last]

    def back(self, current_no: int) -> int | None:
        """Go back from cell `current_no`; return the cell to open, or None if there is none."""
        return self._moved(self._behind, self._ahead, current_no)

    def forward(self, current_no: int) -> int | None:
        """Go forward from cell `current_no`; return the cell to open, or None if there is none."""
        return self._moved(self._ahead, self._behind, current_no)

    @staticmethod
    def _moved(source: list[int], target: list[int], current_no: int) -> int | None:
        """Take the last cell from `source` and return it; put the current one into `target`.

        Returns None for an empty `source`, and changes nothing then.
        """
        if not source:
            return None
        target.append(current_no)
        return source.pop()


NAMED = 60
"""Columns for a name that was typed and does not exist, in a sentence."""
MANY = 50
"""Number of traces suggested while a name is being typed."""
DONE = "{quit:q} exports the audit; {session:S} shows the numbers, appellate report the rest."


class Navigation:
    """Goes from the open cell to another one, and remembers where one came from."""

    def __init__(
        self,
        bench: Workbench,
        queue: QueueView,
        dialogs: Dialogs,
        open_cell_no: Callable[[], int],
        *,
        opens: Callable[[int], object],
        points_at: Callable[[Instruction], object],
        has_steps: Callable[[], bool],
        goes_to_step: Callable[[int], object],
    ) -> None:
        """Keep the functions that know and change the open cell.

        `open_cell_no` returns the number of the open cell, and `opens` opens another. `points_at`
        puts the cursor on the item that answers an instruction. `has_steps` returns whether the
        cell's text is a conversation; `goes_to_step` then goes to the step with a number.
        """
        self._bench = bench
        self._queue = queue
        self._dialogs = dialogs
        self._open_cell_no = open_cell_no
        self._opens = opens
        self._points_at = points_at
        self._has_steps = has_steps
        self._goes_to_step = goes_to_step
        self._visits = VisitHistory()

    # -- one cell to another ----------------------------------------------------------------------

    def forget_removed(self, last: int) -> None:
        """Forget visits of cells with numbers above `last`, which were removed."""
        self._visits.forget_removed(last)

    def open(self, number: int) -> None:
        """Open a cell, without remembering where from."""
        self._opens(number)

    def go(self, number: int) -> None:
        """Open cell `number`, and remember the cell that is left for `back`.

        The cells to go forward to are forgotten. If that cell is open already, it is opened again
        from its beginning, and nothing is remembered or forgotten.
        """
        if number != self._open_cell_no():
            self._visits.note_left(self._open_cell_no())
        self.open(number)

    def go_to_asked(self, asked_cell: "AskedCell") -> None:
        """Go to the cell of an instruction, with the cursor on the item that answers it."""
        self.go(asked_cell.cell)
        self._points_at(asked_cell.instruction)

    def cell(self, by: int) -> None:
        """Go `by` cells on in the queue, or back for a negative `by`.

        If several were asked for and fewer are left, go to the last or first one. If the open cell
        is that one already, say so.
        """
        cells = self._queue.cells
        open_no = self._open_cell_no()
        number = cells.step(open_no, by)
        if number is None and len(cells) and abs(by) > 1:
            last = len(cells) - 1
            number = cells.number(last if by > 0 else 0)
        if number == open_no:
            number = None
        self._go_or_say(number, "cell", by)

    def trace(self, by: int) -> None:
        """Go to the first cell of the trace `by` traces on in the queue, or back if negative.

        If fewer traces are left, go to the last one on the way. If none is left, say so.
        """
        direction: StepDirection = 1 if by > 0 else -1
        current_no = self._open_cell_no()
        number = None
        for _ in range(abs(by)):
            next_no = self._queue.cells.step_trace(current_no, direction)
            if next_no is None:
                break
            number = next_no
            current_no = next_no
        self._go_or_say(number, "trace", by)

    def _go_or_say(self, number: int | None, noun: str, by: int) -> None:
        """Go to a cell, or say that this is the last or first `noun` if the number is None.

        It is the last for a positive `by`.
        """
        if number is None:
            end = "last" if by > 0 else "first"
            self._dialogs.say(
                f"This is the {end} {noun} {self._of_this_queue}".rstrip() + ".",
            )
        else:
            self.go(number)

    @property
    def _of_this_queue(self) -> str:
        """Words to put into a sentence if a filter leaves cells out of the queue; else ""."""
        if self._queue.lineup.narrowed:
            widens = in_own_keys(" ({queue.filter:f} widens it)", self._queue.app)
            return f"of this queue{widens} "
        return ""

    def unreviewed(self, by: StepDirection, *, was_just_signed: bool = False) -> None:
        """Go to the next cell that is not signed off, or to the one before if `by` is -1.

        From the end of the queue it continues at the other end. `was_just_signed` says that the
        open cell was just signed off: then the open cell is none to go to. Says so if no other cell
        is left.
        """
        current_no = self._open_cell_no()
        cells = self._queue.cells
        open_no = cells.next_open(current_no, by) or first_open(cells, by)
        if open_no is None or (open_no == current_no and was_just_signed):
            self._dialogs.say(f"Every cell {self._of_this_queue}is signed off. {DONE}")
        elif open_no == current_no:
            self._dialogs.say(
                f"This is the only cell {self._of_this_queue}that is not signed off.",
            )
        else:
            self.go(open_no)

    def back(self) -> None:
        """Open the cell that was open before this one, or say that there is none."""
        self._retrace(
            self._visits.back(self._open_cell_no()),
            "There is nothing to go back to.",
        )

    def forward(self) -> None:
        """Open the cell that one went back from, or say that there is none."""
        self._retrace(
            self._visits.forward(self._open_cell_no()),
            "There is nothing to go forward to.",
        )

    def _retrace(self, number: int | None, refusal: str) -> None:
        """Open a cell without remembering the one that is left; for None say the refusal."""
        if number is None:
            self._dialogs.say(refusal)
        else:
            self.open(number)

    # -- by name ----------------------------------------------------------------------------------

    async def go_to(self) -> None:
        """Ask for a trace, cell or step by name, and go there; suggest others if it is unknown.

        A cell or trace with exactly that name comes first. Then comes a step, if the open cell
        shows a conversation, then the cell whose name is most like the text. Raises Left if the
        reviewer leaves the question.
        """
        hint = "a name from the queue, a number, a part of an id"
        if self._has_steps():
            hint += "; s19: step 19"
        text = await self._dialogs.line(
            "Go to trace",
            purpose="trace",
            completing=self._traces,
            hint=hint,
        )
        from appellate.store.cell_names import cell_called, instead_of, likeliest_cell

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
        """Return suggestions for a text: up to `MANY` traces whose names or questions are like it.

        A suggestion that is taken replaces the whole text.
        """
        workspace = self._bench.workspace
        suggestions: list[Suggestion] = []
        for row in workspace.traces.like(workspace.rubric, text, MANY):
            details = (f"trace {row.no}", epoch_text(row.epoch), row.question or "")
            details_text = "  ".join(filter(None, details))
            suggestions.append(
                Suggestion(0, len(text), name_of(row.id, row.epoch), details_text),
            )
        return suggestions

    # -- bookmarks --------------------------------------------------------------------------------

    def bookmark(self) -> None:
        """Set a bookmark on the open cell, or remove it if there is one; say which, or why not."""
        cell_no = self._open_cell_no()
        on = cell_no not in self._bench.bookmarks()
        try:
            self._bench.set_bookmark(cell_no, on)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return
        except NotKept as refusal:
            self._dialogs.say(f"No bookmark was set: {refusal}.")
            return
        self._queue.draw_anew(cell_no)
        if on:
            self._dialogs.say(
                "Bookmarked: {palette:Ctrl+P} bookmarks lists them, "
                "{queue.filter:f} is:bookmarked finds them.",
            )
        else:
            self._dialogs.say("The bookmark was removed.")

    async def bookmarks(self) -> None:
        """List the bookmarked cells, and go to the one that is chosen.

        If there are none, say so. Raises Left if the reviewer leaves the list.
        """
        if not self._bench.bookmarks():
            self._dialogs.say(
                "There are no bookmarks; {palette:Ctrl+P} bookmark sets one on the cell in sight.",
            )
            return
        rows = self._bench.workspace.cells.rows_of(sorted(self._bench.bookmarks()))
        choices = []
        for row in rows:
            name = f"{name_of(row.trace_id, row.epoch)} {row.trait}"
            choices.append(Choice(str(row.no), str(row.trace_no), name, row.state))
        self.go(int(await self._dialogs.pick("Bookmarks", choices)))
