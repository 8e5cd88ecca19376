"""The review screen: one cell at a time, with everything a verdict needs in sight.

The objects that work on it are made by `Workplace`; the screen takes keys, clicks and messages to
them.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import DescendantFocus, Resize, ScreenResume
from textual.events import Key as KeyPressed
from textual.message import Message
from textual.screen import Screen

from appellate.app.key_presses import KeyPresses
from appellate.app.keys import KEYS
from appellate.app.kind_panes import KindPanes
from appellate.app.palette import commands, counted
from appellate.app.requests import Write
from appellate.app.session_start import start_session
from appellate.app.tour import Welcome
from appellate.app.workplace import Workplace
from appellate.judging.choice import JudgeChoice
from appellate.review_session import ReviewSession
from appellate.settings import Settings
from appellate.ui.bar import Card, KeyStrip
from appellate.ui.counting import CountedLines
from appellate.ui.docked import DockedText
from appellate.ui.key import Key, bindings
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.pane import KindPane
from appellate.ui.response import ResponseView
from appellate.workbench import Workbench


class ReviewScreen(Screen[None]):
    """Queue, response, the kind's pane and numbers of one cell."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(KEYS),
        Binding("escape", "command('leave')", "leave", show=False, id="leave"),
    ]

    def __init__(
        self,
        bench: Workbench,
        choice: JudgeChoice,
        session: ReviewSession,
        settings: Settings,
        keys: list[Key],
        welcome: Welcome,
        marks: Marks,
        notes: list[str],
        *,
        overrides: Mapping[str, str],
        arrived: Callable[[Message], float],
        write: Write,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._welcome = welcome
        self._notes = notes
        self.overrides = overrides  # the person's own keys, by the ids of bindings
        self.at = Workplace(
            self,
            bench,
            choice,
            session,
            settings,
            keys,
            welcome,
            marks,
            press=lambda name: self.call_later(self.press_key, name),
            write=write,
            arrived=arrived,
        )
        self._commands = commands(self)
        self._presses = KeyPresses(self, self.at, self._commands, counted(self), arrived)
        self._was_shown = False

    # -- what is there ----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        shape = self.at.layout.shape(self.app.size)
        self.update_classes(shape, update=False)  # while there is nothing to style twice
        yield from self.at.parts.composed()

    @property
    def pane(self) -> KindPane:
        return self.at.view.pane

    @property
    def response(self) -> ResponseView:
        return self.at.parts.response

    def on_mount(self) -> None:
        start_session(
            self.at,
            self._settings,
            self._notes,
            greet=self._welcome.card and not self._welcome.tour,
        )

    # -- keys -------------------------------------------------------------------------------------

    async def on_key(self, event: KeyPressed) -> None:
        await self._presses.received(event)

    def on_click(self) -> None:
        self._presses.clicked()

    async def press_key(self, name: str) -> None:
        """Does what the key of an id does."""
        await self._presses.press(name)

    async def action_command(self, name: str) -> None:
        await self.press_key(name)

    def app_action(self, action: str) -> Callable[[], object]:
        """An action of the program's as a command."""
        return lambda: self.call_later(self.app.run_action, action)

    def action_quit(self) -> None:
        self._commands["quit"]()

    def action_copy_text(self) -> None:
        """Ctrl+C copies what is selected, else says how to quit."""
        if self.at.reading.selected:
            self._commands["cell.copy"]()
            return
        try:
            super().action_copy_text()
        except SkipAction:
            self.at.dialogs.say("q exports the audit and quits.")

    # -- messages ---------------------------------------------------------------------------------

    def on_resize(self, event: Resize) -> None:
        self.at.layout.fit(event.size)

    def on_screen_resume(self, event: ScreenResume) -> None:
        event.refresh_styles = self._was_shown  # at first every part was styled as it was mounted
        self._was_shown = True
        self.at.catch_up()

    @on(KindPanes.Resized)
    def _panes_resized(self) -> None:
        self.at.view.entitle_pane()

    @on(DescendantFocus)
    def _focused(self) -> None:
        """The narrow screen's queue is there for as long as it has the focus."""
        if self.focused in self.pane.lists():
            self.at.layout.hide_queue()
        self.at.keys_changed()

    @on(CountedLines.Counting)
    def _queue_counting(self) -> None:
        self.at.keys_changed()

    @on(Lines.Highlighted, "#queue")
    def _queue_moved(self) -> None:
        queue = self.at.parts.queue
        if not self.at.layout.is_queue_open:
            self.at.navigation.go(queue.cells.number(queue.cursor.row))

    @on(Lines.Touched, "#queue")
    def _rail_touched(self) -> None:
        if self.at.layout.has_rail:
            self.at.rest()

    @on(Lines.Chosen, "#queue")
    def _queue_chosen(self, event: Lines.Chosen) -> None:
        self.at.layout.hide_queue()
        self.at.navigation.go(self.at.parts.queue.cells.number(event.cursor.row))
        self.at.rest()

    @on(ResponseView.Selected)
    def _selected(self) -> None:
        self.at.selection.selected()

    @on(ResponseView.ExcerptTaken)
    def _taken(self) -> None:
        self.at.selection.enter()

    @on(ResponseView.SelectionEnded)
    def _selection_ended(self) -> None:
        if not self.response.selection.on:  # another may have begun meanwhile
            self.at.selection.end()

    @on(ResponseView.SpanClicked)
    def _span_clicked(self, event: ResponseView.SpanClicked) -> None:
        if not self.at.material.cite(event.offset):
            self.at.reading.go_to_evidence(event.index)
            self.at.rest()

    @on(ResponseView.TextClicked)
    def _text_clicked(self, event: ResponseView.TextClicked) -> None:
        self.at.material.cite(event.offset)

    @on(DockedText.TabChosen)
    def _tab_clicked(self, event: DockedText.TabChosen) -> None:
        self.at.material.open(event.name)

    @on(DockedText.Returned)
    def _material_left(self) -> None:
        self.at.parts.material.take(None)
        self.at.rest()

    @on(DockedText.Closed)
    def _material_closed(self) -> None:
        self.at.material.close()

    @on(DockedText.SelectionTurned)
    def _material_selected(self) -> None:
        self.at.keys_changed()

    @on(DockedText.Missing)
    def _section_missing(self, event: DockedText.Missing) -> None:
        self.at.material.missing(event.number, event.known)

    @on(KeyStrip.Pressed)
    async def _strip_clicked(self, event: KeyStrip.Pressed) -> None:
        await self.press_key(event.action)

    @on(Card.PutAway)
    def _card_clicked(self, event: Card.PutAway) -> None:
        event.card.put_away()
