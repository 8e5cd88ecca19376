"""What all parts of the review screen stand on: the cell in sight, how it is shown, how a change is made."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from textual.widgets import Static

from appellate.app import evidence, header
from appellate.app.asking import Asking
from appellate.app.evidence_selection import EvidenceSelection
from appellate.app.judge_run import JudgeRun
from appellate.app.keys import Key, hints, named
from appellate.app.lineup import Lineup
from appellate.app.queue import QueueRows
from appellate.app.visit_history import VisitHistory
from appellate.core.cell import Cell
from appellate.core.facts import Corrected
from appellate.core.refused import Refused
from appellate.judging.choice import Choice
from appellate.review_session import ReviewSession
from appellate.settings import Settings
from appellate.store.database import NotKept
from appellate.store.queue import LoadedQueue, Queue
from appellate.ui.bar import Hint, KeyStrip, MetricsBar, StatusStrip
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks, spelt
from appellate.ui.page import Span
from appellate.ui.response import ResponseView
from appellate.ui.text import clip, plain
from appellate.workbench import Change, Position, Workbench

Done = TypeVar("Done")


_FINDING = (
    Hint("n", "next hit", "next(1)"),
    Hint("N", "before", "next(-1)"),
    Hint("v", "select", "select"),
    Hint("Esc", "end", "leave"),
)
_FOUND_BY = {hint.action for hint in _FINDING}
NEEDLE = 24  # cells of what is looked for, in the strip


class Welcome(NamedTuple):
    """What a person is shown on sitting down: the tour, or the card with the keys that matter."""

    tour: bool = False
    card: bool = False


class Desk(Asking):
    """One cell in sight: showing it and changing it."""

    AUTO_FOCUS = ""

    def __init__(
        self,
        bench: Workbench,
        choice: Choice,
        session: ReviewSession,
        settings: Settings,
        keys: list[Key],
        welcome: Welcome,
        marks: Marks,
        notes: list[str],
    ) -> None:
        super().__init__()
        self.bench = bench
        self.settings = settings
        self.keys = keys
        self.welcome = welcome
        self.marks = marks
        self.session = session
        self.running = JudgeRun(self, choice, self._changed)
        self.gathering = EvidenceSelection(self)
        self.bookmarks = set(bench.bookmarks())
        self.lineup = Lineup(bench.workspace, bench.reviewer)
        self.line: Queue = LoadedQueue(bench.workspace)
        self.trail = VisitHistory()
        self._rows = QueueRows(self.line, marks, self.bookmarks)
        self._notes = notes
        self._before: Cell | None = None
        self._refused = ""
        self._unwritten = ""
        self._looked_for = ""
        self._copied = ""
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
    def is_whole(self) -> bool:
        """Whether all its parts are there: at the end of the program they go before the judge's run does."""
        return all(self.query_one_optional(f"#{part}") for part in ("file", "cell", "queue", "pane", "response"))

    @property
    def response(self) -> ResponseView:
        return self.query_one("#response", ResponseView)

    def rest(self) -> None:
        if self.has_class("-focus") or self.gathering.on:
            self.set_focus(self.response)
        else:
            self.pane.take_focus()

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
        self.query_one("#question", Static).update(plain(self._question()), layout=fresh)
        spans = self._spans()
        self.response.show(self.trace.response, spans)
        if fresh:
            self._reveal(spans)
        self._show_numbers()
        self.show_standing()
        self.show_titles()
        self.queue_follows()

    def queue_follows(self) -> None:
        """The queue's cursor goes to the cell in sight, where the queue holds it."""
        position = self.line.position(self.no)
        if position is not None:
            self.queue.go(0, position)

    def _question(self) -> str:
        asked = self.bench.workspace.rubric.question_text(self.trace) or "(no question was recorded)"
        return " ".join(asked.split())

    def _spans(self) -> list[Span]:
        return evidence.spans(self.pane.evidence(), self.pane.place, self.marks)

    def _looked(self) -> None:
        """The selected item's evidence comes into sight."""
        spans = self._spans()
        self.response.set_spans(spans)
        self._reveal(spans)

    def _reveal(self, spans: Sequence[Span]) -> None:
        chosen = next((span for span in spans if span.selected), None)
        if chosen:
            self.response.reveal(chosen.start, chosen.end)

    def _show_numbers(self) -> None:
        done, total, _ = self.pane.ledger()
        known = "" if self.cell.labels is None else f"instructions {done}/{total}"
        self.query_one(MetricsBar).show(header.measure_line(self._before, self.cell, known))

    def show_standing(self) -> None:
        """The two lines at the top."""
        row = self.bench.workspace.cells.row(self.no)
        standing = self._standing(row.trace_no)
        self.query_one("#file", StatusStrip).show(*header.file_line(standing, self.marks))
        self.query_one("#cell", StatusStrip).show(
            *header.cell_line(row, self.cell, self.running.tally, self.bench.reviewer, self.marks)
        )

    def _standing(self, trace_no: int) -> header.Standing:
        totals, bench = self.bench.workspace.totals(), self.bench
        reviewed, cells = totals.get("state:reviewed", 0), totals.get("cells", 0)
        return header.Standing(
            bench.audit,
            bench.behind,
            bench.audit.exists(),
            bench.readonly,
            self._refused,
            trace_no,
            bench.workspace.traces.count(),
            reviewed,
            cells,
            self.session.each(reviewed),
            self.session.time_left(reviewed, cells),
            self.lineup.name,
            self._place,
        )

    @property
    def _place(self) -> str:
        """Where the cell stands in a queue that is not simply every cell."""
        position = self.line.position(self.no)
        return "" if self.lineup.plain or position is None else f"{position + 1}/{len(self.line)}"

    def may_change(self) -> bool:
        """Whether this session may change anything; says so if not."""
        if self.bench.readonly:
            self.say("This session only reads: nothing can be changed in it.")
        return not self.bench.readonly

    def show_titles(self) -> None:
        """What the frames say: the queue's filter and order; the response's face, hits and what is unverified."""
        _entitle(self.queue, spelt(f"Queue {self.lineup.name}", self.marks), str(len(self.line)))
        missing = self.pane.in_doubt()
        _entitle(
            self.response,
            spelt("Response" + (" · Markdown" if self.response.reads_as_markdown else ""), self.marks),
            f"{missing} unverified, not in this response" if missing else "",
        )

    def show_keys(self) -> None:
        """The keys that act now, behind the name of the mode that they act in."""
        shown: Sequence[Hint] = hints(self.keys)
        modes = [self.gathering.mode] if self.gathering.on else []
        finding = self.response.finding
        if self.gathering.on:
            shown = named(self.gathering.hints, self.keys)
        elif finding:
            shown = [*named(_FINDING, self.keys), *(hint for hint in shown if hint.action not in _FOUND_BY)]
        if finding:
            at, of = finding.told
            modes.append(f"FIND {clip(finding.needle, NEEDLE, self.marks)} {at}/{of}")
        self.query_one(KeyStrip).show(shown, spelt(" · ".join(modes), self.marks))

    def judged(self, told: str) -> None:
        """The judge's run is over."""
        self.rows_changed()
        self.show_standing()
        if told:
            self.say(f"{self._said} {told}".strip())

    # -- the queue --------------------------------------------------------------------------------

    def rows_changed(self, number: int | None = None) -> None:
        """Draws the queue's lines anew: one cell's, or all."""
        self._rows.forget(number)
        position = None if number is None else self.line.position(number)
        if position is not None:
            self.queue.refresh_row(0, position)
        elif number is None:
            self.queue.refresh_rows()

    # -- changing ---------------------------------------------------------------------------------

    def do(self, work: Callable[[], Done]) -> Done | None:
        """Carries something out, or says why not; what the disk refuses is never shown as done."""
        if self._out_of_sight:
            self.say("The cell is out of sight: go back to it first (Enter opens a line of the queue, Q leaves).")
            return None
        try:
            done = work()
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
        return done

    @property
    def _trouble(self) -> str:
        """What stays on screen until it is dealt with."""
        if self._refused:
            out = "Ctrl+S saves everything elsewhere" if self.bench.lost else "Make room and do it again"
            return f"NOT KEPT: {self._refused}. {out}; nothing was changed."
        return self._unwritten

    def _changed(self, change: Change) -> None:
        """Hears of every change: the person's own, and the judge's replies."""
        self.rows_changed(change.no)
        if change.no == self.no and not self._holds(change):
            self._before = change.before if change.before.labels is not None else None
            self.trace, self.cell = self.bench.open(self.no)
            self._show_cell(fresh=change.before.labels is None)
            self.land(change)
            if not change.turned and change.after.round > max(change.before.round, 1):
                self.say(_told_of_round(change))
        elif not self.running.tally:
            self.show_standing()

    def land(self, change: Change) -> None:
        """The cursor follows the item that a correction, or the taking back of one, was about."""
        fact = change.turned[0] if change.turned else change.after.facts[-1]
        if isinstance(fact.what, Corrected):
            self.pane.land(fact.what.edit, change.before, turned=bool(change.turned))
            self._looked()

    def _holds(self, change: Change) -> bool:
        """Whether a reply that arrives now has to wait: nothing is replaced under one's hands."""
        arrived = not change.turned and change.before.labels != change.after.labels
        busy = self.gathering.on or self._answer is not None or self.app.screen is not self
        return arrived and busy

    def on_screen_resume(self) -> None:
        self.catch_up()

    def catch_up(self) -> None:
        if self.gathering.on:
            return
        trace, cell = self.bench.open(self.no)
        if cell.facts != self.cell.facts:
            fresh = self.cell.labels is None
            self.trace, self.cell = trace, cell
            self._show_cell(fresh=fresh)

    @property
    def _out_of_sight(self) -> bool:
        """Whether the queue, or the lack of room, hides the cell that keys are for."""
        raise NotImplementedError

    def _put_away(self) -> None:
        """Ends what was under way in the cell that is left."""
        self.gathering.end()
        self.stop_asking()
        self.end_search()

    def end_search(self) -> None:
        """Marks no hits any more."""
        if self.response.searching:
            self.response.end_search()
            self.show_titles()
            self.show_keys()


def _told_of_round(change: Change) -> str:
    """What another judgment of the cell in sight did to it."""
    if change.before.labels == change.after.labels:
        return f"Round {change.after.round} is here, and the labels that stand stay: V compares them."
    return f"The labels of round {change.after.round} stand here now: V compares them with what stood before."


def _entitle(widget: Lines | ResponseView, title: str, subtitle: str) -> None:
    """Puts words into a frame, where they are other words."""
    told = (plain(title.strip()), plain(subtitle))
    if (widget.border_title, widget.border_subtitle) != tuple(one.markup for one in told):
        widget.border_title, widget.border_subtitle = told
