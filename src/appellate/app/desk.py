"""What all parts of the review screen stand on: the cell in sight, how it is shown, how a change is made."""

from collections.abc import Callable
from typing import Any

from textual import on
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from appellate.app import evidence, figures, header
from appellate.app.gathering import Gathering
from appellate.app.keys import hints
from appellate.app.queue import QueueRows
from appellate.app.running import Running
from appellate.core.cell import Cell
from appellate.core.commands import Correct
from appellate.core.refused import Refused
from appellate.judging import Choice
from appellate.store.workspace import NotKept
from appellate.ui.bar import KeyStrip, MetricsBar, StatusStrip
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.picker import Picker
from appellate.ui.picking import Choice as Pick
from appellate.ui.prompt import Answered, Confirm, Dismissed, LinePrompt
from appellate.ui.response import ResponseView
from appellate.ui.text import plain
from appellate.workbench import Change, Position, Workbench

SMALLEST = (60, 15)
WIDE = 100
TALL = 30
SHORT = 20


class Desk(Screen[None]):
    """One cell in sight: showing it, changing it, asking about it."""

    AUTO_FOCUS = ""

    def __init__(self, bench: Workbench, choice: Choice, marks: Marks, notes: list[str]) -> None:
        super().__init__()
        self.bench = bench
        self.marks = marks
        self.running = Running(self, choice)
        self.gathering = Gathering(self)
        self._notes = notes
        self._rows = QueueRows(bench.workspace, marks)
        self._before: Cell | None = None
        self._refused = ""
        self._unwritten = ""
        self._said = ""
        self._answer: Callable[[str], None] | None = None
        start = bench.position()
        self.no = start.cell
        self._start: Position | None = start
        self.trace, self.cell = bench.open(self.no)

    # -- parts ------------------------------------------------------------------------------------

    @property
    def pane(self) -> Any:
        return self.query_one("#pane")

    @property
    def queue(self) -> Lines:
        return self.query_one("#queue", Lines)

    @property
    def response(self) -> ResponseView:
        return self.query_one("#response", ResponseView)

    # -- showing ----------------------------------------------------------------------------------

    def open(self, number: int) -> None:
        """Goes to a cell."""
        self.no = number
        self._before = None
        self._put_away()
        self.trace, self.cell = self.bench.open(number)
        self._show_cell(fresh=True)

    def _show_cell(self, *, fresh: bool) -> None:
        self.pane.show(self.cell, fresh=fresh)
        self.query_one("#question", Static).update(plain(self._question()))
        self.response.show(self.trace.response, self._spans())
        self._looked() if fresh else self._mark_evidence()
        self._show_numbers()
        self.show_standing()
        self.queue.go(0, self.no - 1)

    def _question(self) -> str:
        asked = self.bench.workspace.rubric.question_text(self.trace) or "(no question was recorded)"
        return " ".join(asked.split())

    def _spans(self) -> list[Any]:
        return evidence.spans(self.pane.evidence(), self.pane.place, self.marks)

    def _mark_evidence(self) -> None:
        self.response.set_spans(self._spans())

    def _looked(self) -> None:
        """The selected item's evidence comes into sight."""
        spans = self._spans()
        self.response.set_spans(spans)
        chosen = next((span for span in spans if span.selected), None)
        if chosen:
            self.response.reveal(chosen.start, chosen.end)

    def _show_numbers(self) -> None:
        done, total, _ = self.pane.ledger()
        known = "" if self.cell.labels is None else f"instructions {done}/{total}"
        self.query_one(MetricsBar).show(figures.figures(self._before, self.cell, known))

    def show_standing(self) -> None:
        """The two lines at the top."""
        row = self.bench.workspace.row(self.no)
        standing = self._standing(row.trace_no)
        self.query_one("#file", StatusStrip).show(*header.file_line(standing, self.marks))
        right = header.running(self.running.tally)
        self.query_one("#cell", StatusStrip).show(
            *header.cell_line(row, self.cell, right, self.bench.reviewer, self.marks)
        )

    def _standing(self, trace_no: int) -> header.Standing:
        totals, bench = self.bench.workspace.totals(), self.bench
        return header.Standing(
            bench.audit,
            bench.behind,
            bench.audit.exists(),
            bench.readonly,
            self._refused,
            trace_no,
            bench.workspace.count_traces(),
            totals.get("state:reviewed", 0),
            totals.get("cells", 0),
        )

    def show_keys(self) -> None:
        """The strip of keys as it usually is."""
        self.query_one(KeyStrip).show(hints())

    def judged(self, told: str) -> None:
        """The judge's run is over."""
        self._rows.forget()
        self.queue.refresh_rows()
        self.show_standing()
        if told:
            self.say(f"{self._said} {told}".strip())

    def say(self, text: str) -> None:
        """A line in the place of the keys, until the next key."""
        self._said = text
        said = self.query_one("#said", Static)
        said.update(plain(text))
        self.set_class(bool(text), "-saying")

    # -- changing ---------------------------------------------------------------------------------

    def do(self, work: Callable[[], Change]) -> Change | None:
        """Carries something out, or says why not; what the disk refuses is never shown as done."""
        if self._out_of_sight:
            self.say("The cell is out of sight: go back to it first (Enter opens a line of the queue, Q leaves).")
            return None
        try:
            change = work()
        except Refused as refusal:
            self.say(str(refusal))
            return None
        except NotKept as refusal:
            self._refused = str(refusal)
            self.say(self._trouble)
            self.show_standing()
            return None
        if self._refused:
            self._refused = ""
            self.say(self._trouble)
            self.show_standing()
        return change

    @property
    def _trouble(self) -> str:
        """What stays on screen until it is dealt with."""
        if self._refused:
            return f"NOT KEPT: the disk refuses ({self._refused}). Make room and do it again; nothing was changed."
        return self._unwritten

    def _changed(self, change: Change) -> None:
        """Hears of every change: the person's own, and the judge's replies."""
        self._rows.forget(change.no)
        self.queue.refresh_row(0, change.no - 1)
        if change.no == self.no and not self._holds(change):
            self._before = change.before if change.before.labels is not None else None
            self.trace, self.cell = self.bench.open(self.no)
            self._show_cell(fresh=change.before.labels is None)
        elif not self.running.tally:
            self.show_standing()

    def _holds(self, change: Change) -> bool:
        """Whether a reply that arrives now has to wait: nothing is replaced under one's hands."""
        arrived = change.act is None and change.before.labels is None and not change.after.edits
        busy = self.gathering.on or self._answer is not None or self.app.screen is not self
        return arrived and busy

    def on_screen_resume(self) -> None:
        self.catch_up()

    def catch_up(self) -> None:
        """Shows what arrived for the cell in sight while the person was busy in it."""
        trace, cell = self.bench.open(self.no)
        if cell.facts != self.cell.facts:
            self.trace, self.cell = trace, cell
            self._show_cell(fresh=True)

    def correct(self, edit: Any, reason: str = "") -> None:
        """Makes a correction to the cell in sight."""
        self.do(lambda: self.bench.do(self.no, Correct(edit.row(), reason)))
        self.pane.take_focus()

    @property
    def _out_of_sight(self) -> bool:
        """Whether the queue or the lack of room hides the cell that keys are for."""
        return self.has_class("-small") or (self.has_class("-queue") and not self._is_wide)

    def ask(self, label: str, initial: str, answer: Callable[[str], None]) -> None:
        """Asks for a line of text; the answer comes back once."""
        self._answer = answer
        self.query_one(LinePrompt).ask("", label, initial)

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        answer, self._answer = self._answer, None
        self.catch_up()
        self.pane.take_focus()
        if answer:
            answer(event.value)

    @on(Dismissed)
    def _dismissed(self) -> None:
        self._answer = None
        self.catch_up()
        self.pane.take_focus()

    def confirm(self, purpose: str, question: str) -> None:
        """Asks yes or no; `Confirm.Decided` carries the purpose."""
        self.query_one(Confirm).ask(purpose, question)

    def pick(
        self, title: str, choices: list[Pick], none: str, picked: Callable[[str], None], leaving: str | None = None
    ) -> None:
        """Lets one of the choices be picked; `picked` hears its key, "" for none of them, `leaving` at Esc."""
        nothing = Pick("", "–", none) if none else None

        def chosen(key: str | None) -> None:
            self.pane.take_focus()
            key = leaving if key is None else key
            if key is not None:
                picked(key)

        self.app.push_screen(Picker(title, choices, none=nothing, marks=self.marks), chosen)

    def _put_away(self) -> None:
        """Ends what was under way in the cell that is left."""
        self.gathering.end()
        if self.query_one(LinePrompt).asking:
            self._answer = None
            self.query_one(LinePrompt).put_away()
            self.pane.take_focus()

    # -- room -------------------------------------------------------------------------------------

    @property
    def _is_wide(self) -> bool:
        return self.size.width >= WIDE

    def on_resize(self, event: Resize) -> None:
        self.fit(event.size)

    def fit(self, size: Size) -> None:
        """Lays the parts out for the room there is."""
        width, height = size
        self.set_class(width >= WIDE, "-wide")
        self.set_class(height >= TALL, "-tall")
        self.set_class(height < SHORT, "-short")
        small = width < SMALLEST[0] or height < SMALLEST[1]
        self.set_class(small, "-small")
        self.query_one("#small", Static).update(
            plain(f"Appellate needs {SMALLEST[0]} × {SMALLEST[1]}; this is {width} × {height}. Nothing is lost.")
        )
        self.pane.one_at_a_time(not (width >= WIDE and height >= TALL - 6))
