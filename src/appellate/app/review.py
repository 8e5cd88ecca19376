"""The review screen: one cell at a time, with everything a verdict needs in sight.

It composes panes and carries messages: a pane asks, the workbench does, every part hears of the change.
"""

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import DescendantFocus, Resize
from textual.events import Key as KeyPressed
from textual.screen import Screen
from textual.widgets import Static

from appellate.app import evidence, figures, header
from appellate.app.gathering import Gathering
from appellate.app.help import told_keys
from appellate.app.history import story, undone
from appellate.app.keys import bindings, hints
from appellate.app.material import MaterialScreen, material
from appellate.app.queue import QueueRows
from appellate.app.running import Running
from appellate.core.cell import Cell, reason_of
from appellate.core.commands import Comment, Correct, Flag, Reason
from appellate.core.refused import Refused
from appellate.judging import Choice
from appellate.store.workspace import NotKept
from appellate.ui.bar import KeyStrip, MetricsBar, StatusStrip
from appellate.ui.help import HelpScreen
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.picker import Picker
from appellate.ui.picking import Choice as Pick
from appellate.ui.prompt import Answered, Confirm, Dismissed, LinePrompt
from appellate.ui.response import ResponseView
from appellate.ui.sections import Section
from appellate.ui.text import plain
from appellate.workbench import Change, Position, Workbench

SMALLEST = (60, 15)
WIDE = 100
TALL = 30


class ReviewScreen(Screen[None]):
    """Queue, response, buckets and numbers of one cell."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(),
        Binding("escape", "leave", "leave", show=False, id="leave"),
    ]
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

    def compose(self) -> ComposeResult:
        yield Static(id="small", markup=False)
        yield StatusStrip(marks=self.marks, id="file")
        yield StatusStrip(marks=self.marks, id="cell")
        with Horizontal(id="body"):
            yield Lines(marks=self.marks, id="queue")
            with Vertical(id="reading"):
                yield Static(id="question", markup=False)
                yield ResponseView(id="response", empty="The response is empty.")
            yield self._new_pane()
        yield MetricsBar(marks=self.marks, id="numbers")
        yield LinePrompt(marks=self.marks)
        yield Confirm()
        yield Static(id="said", markup=False)
        yield KeyStrip(marks=self.marks, id="keys")

    def _new_pane(self) -> Any:
        """The pane of the cell's kind, loaded only where there is a screen."""
        module = import_module(f"appellate.traits.{self.cell.subject.kind.name}.pane")
        return module.PANE(self.marks, id="pane")

    def on_mount(self) -> None:
        self.bench.listeners.append(self._changed)
        self.queue.show(Section(self._rows, empty="There is nothing to review."))
        self.show_keys()
        self._show_cell(fresh=True)
        if self._start:
            self.pane.go(self._start.pane, self._start.item)
            self._start = None
        self.pane.take_focus()
        self._looked()
        if self._notes:
            self.say(" ".join(self._notes))
        self.running.begin()
        self.set_interval(1.0, self.keep_position)

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
        """A line above the keys, until the next key."""
        self._said = text
        said = self.query_one("#said", Static)
        said.update(plain(text))
        said.set_class(bool(text), "-said")

    def on_key(self, event: KeyPressed) -> None:
        """What was said, and by how much the numbers moved, stands until the next key."""
        if self.query_one(Confirm).asking and event.key not in ("y", "n", "escape", "ctrl+q"):
            event.stop()  # a question is answered first
            return
        if self._said != self._trouble:
            self.say(self._trouble)
        if self._before is not None:
            self._before = None
            self._show_numbers()

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
        if change.no == self.no and not self.gathering.holds(change):
            self._before = change.before if change.before.labels is not None else None
            self.trace, self.cell = self.bench.open(self.no)
            self._show_cell(fresh=change.before.labels is None)
        elif not self.running.tally:
            self.show_standing()

    def catch_up(self) -> None:
        """Shows what arrived for the cell in sight while its words were being selected."""
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
        self.pane.take_focus()
        if answer:
            answer(event.value)

    @on(Dismissed)
    def _dismissed(self) -> None:
        self._answer = None
        self.pane.take_focus()

    def confirm(self, purpose: str, question: str) -> None:
        """Asks yes or no; `Confirm.Decided` carries the purpose."""
        self.query_one(Confirm).ask(purpose, question)

    @on(Confirm.Decided)
    def _decided(self, event: Confirm.Decided) -> None:
        self.pane.take_focus()
        if event.purpose == "quit" and event.yes:
            self.app.exit(return_code=1)
        elif event.purpose != "quit":
            self.running.decided(event.purpose, event.yes)

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

    # -- what the pane asks -----------------------------------------------------------------------

    def on_metric_pane_asked(self, event: Any) -> None:
        self.correct(event.edit)

    def on_metric_pane_told(self, event: Any) -> None:
        self.say(event.text)

    def on_metric_pane_looked(self) -> None:
        self._looked()

    def on_metric_pane_evidence_wanted(self, event: Any) -> None:
        self.gathering.evidence_for(event.edit)

    def on_metric_pane_link_wanted(self, event: Any) -> None:
        by_key = {f"{of} {number}": (of, number) for of, number in (option.link for option in event.options)}
        choices = [
            Pick(f"{one.link[0]} {one.link[1]}", one.mark, one.text, one.note, one.likely / 100)
            for one in event.options
        ]
        leaving = "" if event.left_open else None
        self.pick(
            event.title, choices, event.none, lambda key: self.correct(event.finished(by_key.get(key))), leaving
        )

    def on_metric_pane_text_wanted(self, event: Any) -> None:
        def answered(text: str) -> None:
            edit = event.finished(text)
            self.say(edit) if isinstance(edit, str) else self.correct(edit)

        self.ask(event.label, event.initial, answered)

    # -- keys: items and text ---------------------------------------------------------------------

    def action_move(self, to: str) -> None:
        if self.gathering.on:
            self.gathering.take(to)
        else:
            self.pane.move(to)

    def action_select(self) -> None:
        self.gathering.begin()

    def action_take_evidence(self) -> None:
        if self.gathering.on:
            self.gathering.take_evidence(with_words=True)

    def action_no_evidence(self) -> None:
        if self.gathering.on:
            self.gathering.take_evidence(with_words=False)

    def action_evidence(self) -> None:
        self._looked()

    def action_drop(self) -> None:
        self.pane.drop()

    def action_reword(self) -> None:
        self.pane.reword()

    def action_relink(self) -> None:
        self.pane.relink()

    def action_split(self) -> None:
        self.pane.split()

    def action_merge(self) -> None:
        self.pane.merge()

    def action_missing(self) -> None:
        self.pane.missing()

    def action_bucket(self, by: int) -> None:
        self.pane.take_focus()
        self.pane.to_bucket(by)

    def action_material(self) -> None:
        self.app.push_screen(MaterialScreen(material(self.bench.workspace.rubric, self.trace)))

    def action_scroll(self, by: int) -> None:
        self.response.action_roll_page(by)

    @on(ResponseView.Selected)
    def _selected(self) -> None:
        self.gathering.selected()

    @on(ResponseView.SelectionEnded)
    def _selection_ended(self) -> None:
        self.gathering.end()

    @on(ResponseView.SpanClicked)
    def _span_clicked(self, event: ResponseView.SpanClicked) -> None:
        found = self.pane.evidence()[event.index]
        self.pane.go(found.bucket, found.index)
        self.pane.take_focus()
        self._looked()

    # -- keys: the cell ---------------------------------------------------------------------------

    def action_sign_off(self) -> None:
        if not self.cell.signed and self.do(lambda: self.bench.sign_off(self.no)) is None:
            return
        self._next_unreviewed(1, after=True)

    def action_undo(self) -> None:
        self._take_back(self.do(self.bench.undo), "Undone")

    def action_redo(self) -> None:
        self._take_back(self.do(self.bench.redo), "Done again")

    def _take_back(self, change: Change | None, verb: str) -> None:
        if change is None:
            return
        if change.no != self.no:
            self.open(change.no)
        where = self.bench.workspace.row(change.no)
        self.say(f"{verb}: {undone(change)} ({where.trace_id}, {where.trait})")

    def action_flag(self) -> None:
        self.do(lambda: self.bench.do(self.no, Flag(not self.cell.flag)))

    def action_comment(self) -> None:
        self.ask("Comment", "", self._comment)

    def _comment(self, text: str) -> None:
        if self.do(lambda: self.bench.do(self.no, Comment(text))):
            self.say("Comment kept. C reads them all.")

    def action_comments(self) -> None:
        self.app.push_screen(HelpScreen(story(self.cell), title="What happened to this cell", marks=self.marks))

    def action_reason(self) -> None:
        mine = [fact for fact in self.cell.corrections if fact.n not in self.cell.undone]
        if not mine:
            self.say("A reason belongs to a correction, and this cell has none that stands.")
            return
        last = mine[-1]
        given = reason_of(self.cell, last)
        self.ask("Reason for the last correction", given, lambda text: self._reason(last.n, text))

    def _reason(self, of: int, text: str) -> None:
        if self.do(lambda: self.bench.do(self.no, Reason(of, text))):
            self.say("Reason kept.")

    def action_judge(self) -> None:
        self.running.judge_this(self.no, self.cell)

    def action_stop(self) -> None:
        self.running.stop()

    # -- keys: going about ------------------------------------------------------------------------

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
        self._next_unreviewed(by)

    def _next_unreviewed(self, by: int, *, after: bool = False) -> None:
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

    def action_leave(self) -> None:
        """Esc leaves the innermost thing, wherever the focus is."""
        if self.query_one(Confirm).asking:
            self.query_one(Confirm).action_answer(yes=False)
        elif self.query_one(LinePrompt).asking:
            self.query_one(LinePrompt).action_dismiss_prompt()
        elif self.gathering.on:
            self.gathering.end()
        else:
            self.pane.take_focus()

    def _put_away(self) -> None:
        """Ends what was under way in the cell that is left."""
        self.gathering.end()
        if self.query_one(LinePrompt).asking:
            self._answer = None
            self.query_one(LinePrompt).put_away()
            self.pane.take_focus()

    def action_copy_text(self) -> None:
        text = self.response.selected_text
        if text:
            self.app.copy_to_clipboard(text)
            self.say("Copied.")
            return
        try:
            super().action_copy_text()
        except SkipAction:
            self.say("q writes the audit and quits.")

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
            self.queue.focus()

    @on(Lines.Highlighted, "#queue")
    def _queue_moved(self, event: Lines.Highlighted) -> None:
        if not self.has_class("-queue") or self._is_wide:
            self.open(self.queue.cursor.row + 1)

    @on(Lines.Chosen, "#queue")
    def _queue_chosen(self, event: Lines.Chosen) -> None:
        self.remove_class("-queue")
        self.open(event.cursor.row + 1)
        self.pane.take_focus()

    # -- keys: the session ------------------------------------------------------------------------

    def keep_position(self) -> None:
        """Keeps where one stands; not for every key, since it is no one's work."""
        bucket, item = self.pane.place
        position = Position(self.no, bucket, item)
        if position != self._start and not self.bench.readonly:
            with suppress(NotKept):  # tried again a second later
                self.bench.keep_position(position)
                self._start = position

    def action_save(self) -> None:
        if self.bench.readonly:
            self.say("This session only reads: there is nothing to write.")
        else:
            self._write()

    @work(exclusive=True, group="write", exit_on_error=False)
    async def _write(self, *, leave: bool = False) -> None:
        self._unwritten = why = await self.app.write()  # type: ignore[attr-defined]
        self.show_standing()
        if not why and leave:
            self.app.exit()
        elif why and leave:
            self.confirm("quit", f"{why} Everything is kept in the workspace. Quit all the same?")
        else:
            self.say(why or f"Written: {self.bench.audit}")

    def action_quit(self) -> None:
        self.running.stop(quietly=True)
        self._write(leave=True)

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(told_keys(self.marks), marks=self.marks))

    @on(KeyStrip.Pressed)
    async def _strip_clicked(self, event: KeyStrip.Pressed) -> None:
        await self.run_action(event.action)

    # -- room -------------------------------------------------------------------------------------

    @property
    def _is_wide(self) -> bool:
        return self.size.width >= WIDE

    def on_resize(self, event: Resize) -> None:
        width, height = event.size
        self.set_class(width >= WIDE, "-wide")
        self.set_class(height >= TALL, "-tall")
        small = width < SMALLEST[0] or height < SMALLEST[1]
        self.set_class(small, "-small")
        self.query_one("#small", Static).update(
            plain(f"Appellate needs {SMALLEST[0]} × {SMALLEST[1]}; this is {width} × {height}. Nothing is lost.")
        )
        self.pane.one_at_a_time(not (width >= WIDE and height >= TALL - 6))
