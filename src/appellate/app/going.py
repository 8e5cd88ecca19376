"""Going about: cells, traces, what is left to do, and the queue."""

from textual import on
from textual.events import DescendantFocus

from appellate.app.desk import Desk
from appellate.ui.lines import Lines


class Going(Desk):
    """From one cell to another."""

    def action_cell(self, by: int) -> None:
        number = self.no + by
        if 1 <= number <= self.bench.workspace.count():
            self.open(number)
        else:
            self.say("This is the last cell." if by > 0 else "This is the first cell.")

    def action_trace(self, by: int) -> None:
        here = self.bench.workspace.row(self.no).trace_no
        found = self.bench.workspace.first_cell_of(here, by)
        if found is None:
            self.say("This is the last trace." if by > 0 else "This is the first trace.")
        else:
            self.open(found)

    def action_unreviewed(self, by: int) -> None:
        self.next_unreviewed(by)

    def next_unreviewed(self, by: int, *, after: bool = False) -> None:
        states = ("pending", "failed", "proposed", "corrected")
        workspace, back = self.bench.workspace, by < 0
        found = workspace.next_in(states, self.no, backwards=back)
        if found is None:  # round the corner
            found = workspace.next_in(states, workspace.count() + 1 if back else 0, backwards=back)
        if found is None or (found == self.no and after):
            self.say("Every cell is signed off. q writes the audit; appellate metrics and log tell the rest.")
        elif found == self.no:
            self.say("This is the only cell that is not signed off.")
        else:
            self.open(found)

    @on(DescendantFocus)
    def _focused(self) -> None:
        """The narrow screen's queue is there for as long as it has the focus."""
        if self.focused is self.pane.lines:
            self.remove_class("-queue")

    def action_queue(self) -> None:
        if self.focused is self.queue:
            self.remove_class("-queue")
            self.pane.take_focus()
        else:
            self.add_class("-queue")
            self.queue.go(0, self.no - 1)
            self.set_focus(self.queue)

    @on(Lines.Highlighted, "#queue")
    def _queue_moved(self) -> None:
        if not self.has_class("-queue") or self._is_wide:
            self.open(self.queue.cursor.row + 1)

    @on(Lines.Chosen, "#queue")
    def _queue_chosen(self, event: Lines.Chosen) -> None:
        self.remove_class("-queue")
        self.open(event.cursor.row + 1)
        self.pane.take_focus()
