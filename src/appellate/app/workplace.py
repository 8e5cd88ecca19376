"""Everything that works on one review screen, made once: each object is handed what it needs, and nothing more."""

from collections.abc import Awaitable, Callable

from textual.screen import Screen
from textual.widgets import Static

from appellate.app.cell_actions import CellActions
from appellate.app.cell_view import CellView
from appellate.app.corrections import Corrections
from appellate.app.dialogs import Dialogs
from appellate.app.evidence_selection import EvidenceSelection
from appellate.app.judge_run import JudgeRun
from appellate.app.jump_targets import Jumping
from appellate.app.keymap import keys_beside
from appellate.app.keys import kinds_of
from appellate.app.layout import KindPanes, Layout, Parts
from appellate.app.navigation import Navigation
from appellate.app.pane_review import PaneReview
from appellate.app.queue_control import QueueControl
from appellate.app.queue_view import QueueView
from appellate.app.requests import Requests
from appellate.app.response_actions import FINDING, ResponseActions, ResponseSearch
from appellate.app.saving import Saving
from appellate.app.sign_off import SignOffKey
from appellate.app.tour import TourStrip, Welcome
from appellate.judging.choice import JudgeChoice
from appellate.review_session import ReviewSession
from appellate.settings import Settings
from appellate.ui.bar import KeyStrip, MetricsBar, StatusStrip
from appellate.ui.card import Card
from appellate.ui.conversation import begin
from appellate.ui.key import Key, as_remapped, hints
from appellate.ui.marks import Marks, spelt
from appellate.ui.prompt import Confirm, LinePrompt
from appellate.ui.response import ResponseView
from appellate.ui.text import clip
from appellate.workbench import Change, Workbench

NEEDLE = 24  # cells of what is looked for, in the strip
_FINDING_KEYS = {hint.action for hint in FINDING}


class Workplace:
    """The objects of a screen, and what concerns several of them. `press` does what the key of an id does."""

    def __init__(
        self,
        screen: Screen[None],
        bench: Workbench,
        choice: JudgeChoice,
        session: ReviewSession,
        settings: Settings,
        keys: list[Key],
        welcome: Welcome,
        marks: Marks,
        *,
        press: Callable[[str], None],
        write: Callable[[], Awaitable[str]],
    ) -> None:
        self.screen = screen
        self.bench = bench
        self.session = session
        self.settings = settings
        self.keys = keys
        self.marks = marks
        parts = self.parts = _parts(bench, keys, welcome, marks)
        response = parts.response
        self.view = CellView(bench, parts, session, marks, self.keys_changed)
        self.dialogs = Dialogs(
            screen, parts.prompt, parts.confirm, parts.said, parts.keys, marks, self.rest
        )
        self.selection = EvidenceSelection(
            response, self.dialogs, lambda: self.view.pane, self.keys_changed
        )
        self.layout = Layout(screen, parts, settings, self.dialogs)
        self.requests = Requests(bench, self.view, self.dialogs, lambda: self.layout.hides_cell)
        self.corrections = Corrections(bench, self.view, self.requests, self.dialogs)
        self.search = ResponseSearch(
            response, self.view, self.dialogs, self.selection, self.face_changed
        )
        self.navigation = Navigation(
            bench, self.view, parts.queue, self.dialogs, marks, self.put_away
        )
        self.queue_control = QueueControl(
            parts.queue,
            self.view,
            self.navigation,
            self.dialogs,
            lambda work: self._beside(work, "line"),
        )
        self.reading = ResponseActions(bench, response, self.view, self.dialogs, marks)
        self.cell_actions = CellActions(
            bench,
            self.view,
            response,
            self.requests,
            self.navigation,
            self.dialogs,
            settings,
            marks,
        )
        sign_key = next(key.shown for key in keys if key.id == "cell.sign")
        self.sign_off = SignOffKey(
            bench, self.view, self.requests, self.navigation, self.dialogs, sign_key
        )
        self.jumping = Jumping(
            parts, self.view, self.navigation, self.reading, self.dialogs, self.turn_to_queue
        )
        self.judge_run = JudgeRun(
            bench,
            choice,
            self.view,
            self.dialogs,
            calm=settings.reduced_motion or settings.plain,
            work=lambda work: self.screen.run_worker(work, group="judge"),
            listener=self.changed,
            whole=lambda: parts.are_there,
            ended=self.show_anew,
        )
        self.saving = Saving(
            bench,
            self.view,
            self.requests,
            self.dialogs,
            write=write,
            work=lambda work: self._beside(work, "write"),
            leave=lambda code: screen.app.exit(return_code=code),
            moved=self.moved,
        )
        self.review = PaneReview(
            marks,
            bench.readonly,
            keys,
            parts,
            self.view,
            self.layout,
            self.dialogs,
            self.selection,
            self.corrections,
            press,
        )
        parts.panes.furnish(kinds_of(bench.workspace.rubric), self.review)

    def _beside(self, work: Awaitable[None], group: str) -> None:
        """Runs something beside the screen, in the place of what runs in its group."""
        self.screen.run_worker(work, group=group, exclusive=True)

    # -- the focus, and what is under way ---------------------------------------------------------------

    def rest(self) -> None:
        """Gives the focus back to where the work is; shows what had to wait."""
        if self.layout.is_response_alone or self.selection.on:
            self.screen.set_focus(self.parts.response)
        else:
            self.view.pane.take_focus()
        self.screen.call_later(self.catch_up)

    def catch_up(self) -> None:
        """Shows what had to wait while a question was open."""
        if not self.selection.on and not self.dialogs.busy and self.parts.are_there:
            self.view.catch_up()

    def put_away(self) -> None:
        """Ends what is under way in the cell that is left."""
        self.selection.end()
        self.parts.prompt.leave()
        self.search.end()

    def turn_to_queue(self) -> None:
        """Into the queue, and back from it."""
        if self.screen.focused is self.parts.queue:
            self.layout.hide_queue()
            self.rest()
        else:
            self.layout.show_queue()
            self.parts.queue.follow(self.view.no)

    # -- what changed -----------------------------------------------------------------------------------

    def changed(self, change: Change) -> None:
        """Hears of every change of any cell."""
        self.view.changed(change, busy=self.selection.on or self.dialogs.busy, say=self.dialogs.say)

    def show_anew(self) -> None:
        """Draws the queue and the header anew: any cell may have changed."""
        self.parts.queue.draw_anew()
        self.view.show_header()

    def moved(self) -> None:
        """All of it goes on under another name, or under another rubric."""
        self.navigation.open(self.view.no)
        self.parts.queue.draw_anew()
        self.queue_control.line_up(self.parts.queue.lineup, quietly=True)

    def face_changed(self) -> None:
        """The response shows other words, or has other hits."""
        self.view.show_titles()
        self.keys_changed()

    def keys_changed(self) -> None:
        """Shows the keys that act now, behind the name of the mode that they act in."""
        pane, finding = self.view.pane, self.parts.response.finding
        here = keys_beside(pane.keys_here, self.keys)
        shown = [*pane.hints(here), *hints(here)]
        modes = [self.selection.mode] if self.selection.on else []
        if self.selection.on:
            shown = as_remapped(self.selection.hints, self.keys)
        elif finding:
            shown = [
                *as_remapped(FINDING, self.keys),
                *(hint for hint in shown if hint.action not in _FINDING_KEYS),
            ]
        if finding:
            at, of = finding.told
            modes.append(f"FIND {clip(finding.needle, NEEDLE, self.marks)} {at}/{of}")
        self.parts.keys.show(shown, spelt(" · ".join(modes), self.marks))

    def ask(self) -> None:
        """Begins the judge's run, or asks about it."""
        begin(self.judge_run.begin())


def _parts(bench: Workbench, keys: list[Key], welcome: Welcome, marks: Marks) -> Parts:
    return Parts(
        small=Static(id="small", markup=False),
        file=StatusStrip(marks=marks, id="file"),
        cell=StatusStrip(marks=marks, id="cell"),
        queue=QueueView(bench, marks=marks, id="queue"),
        question=Static(id="question", markup=False),
        response=ResponseView(id="response", empty="The response is empty.", marks=marks),
        panes=KindPanes(bench.open(bench.position().cell)[1].subject.kind.name, id="pane"),
        numbers=MetricsBar(marks=marks, id="numbers"),
        tour=TourStrip(bench, keys, on=welcome.tour, marks=marks, id="tour"),
        card=Card(marks=marks, id="card"),
        prompt=LinePrompt(marks=marks),
        confirm=Confirm(),
        said=Static(id="said", markup=False),
        keys=KeyStrip(marks=marks, id="keys"),
    )
