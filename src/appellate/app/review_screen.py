"""The review screen: one cell at a time, with everything a verdict needs in sight.

The objects that work on it are made by `Workplace`; the screen takes keys, clicks and messages to
them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import DescendantFocus, Resize, ScreenResume
from textual.events import Key as KeyPressed
from textual.screen import Screen

from appellate.app.keys.keynames import shown
from appellate.app.keys.palette import commands, counted
from appellate.app.kind_panes import KindPanes
from appellate.app.session_start import start_session
from appellate.app.workplace import Workplace
from appellate.ui.bar import Card, KeyStrip
from appellate.ui.commands import KEYS
from appellate.ui.docked import DockedText
from appellate.ui.key import Key
from appellate.ui.lines import CountedLines, Lines
from appellate.ui.own_keys import bindings, key_of
from appellate.ui.pane import KindPane
from appellate.ui.text_view import ResponseView

if TYPE_CHECKING:
    from appellate.app.application import AppellateApp

ANSWERS = ("y", "n", "escape", "ctrl+q")
"""The keys that act while a question waits for yes or no."""
PAGES = ("page.on", "page.back")
"""The ids of the keys that scroll the response, from the items as well."""
STEPS = ("unreviewed.next", "unreviewed.previous")
"""The ids of the keys that go from hit to hit while a search is open."""


class KeyPresses:
    """Gets every key that the widget with the focus did not take.

    `commands` are what the screen's own keys do, by id, `counted` what they do so many times.
    """

    def __init__(
        self,
        screen: Screen[Any],
        at: Workplace,
        commands: Mapping[str, Callable[[], object]],
        counted: Mapping[str, Callable[[int], object]],
    ) -> None:
        self._screen = screen
        self._at = at
        self._commands = commands
        self._counted = counted

    async def press(self, name: str) -> None:
        """Does what the key of an id does, of the pane's or of the screen's own."""
        pane = self._at.view.pane
        own = next((key for key in pane.KEYS if key.id == name), None)
        if own is not None:
            await pane.run_action(own.action)
        elif name in self._commands:
            self._commands[name]()

    async def received(self, event: KeyPressed) -> None:
        """A message, and by how much the numbers moved, stay until the next key.

        The keys of the kind's pane act from the response and the queue as well, where those have no
        use for them.
        """
        at, pressed = self._at, event.key
        at.cell_actions.pressed(pressed, at.arrived(event))
        key = self._meant(pressed)
        refusal = self._refusal(pressed, key)
        if refusal:
            event.stop()
            at.dialogs.say(refusal)
            return
        if key is None or key.id != "jump":  # whose letters are where things are now
            self._unsay()
        at.view.settle_numbers()
        if key is None:
            return
        if await self._acted(key):
            event.stop()
            event.prevent_default()

    async def _acted(self, key: Key) -> bool:
        """Does what a key means where its own binding would not act; whether it did."""
        if key.id in self._counted and (times := self._at.parts.queue.take_times()) > 1:
            self._counted[key.id](times)
            return True
        if self._steps_in_search(key) or (key.id in PAGES and self._is_near):
            await self.press(key.id)
            return True
        afar = self._screen.focused in (self._at.parts.response, self._at.parts.queue, None)
        if key.own_action and afar:
            await self._at.view.pane.run_action(key.action)
            return True
        return False

    def clicked(self) -> None:
        """A click puts the message away, as a key does."""
        self._at.cell_actions.pressed("", 0)
        self._unsay()

    def _unsay(self) -> None:
        if self._at.dialogs.said != self._at.requests.trouble:
            self._at.dialogs.say(self._at.requests.trouble)

    def _meant(self, pressed: str) -> Key | None:
        """What a key means to the screen or to the pane; None where the widget with the focus takes
        it.
        """
        bound = [key for key in self._at.keys_here if pressed in key.keys.split(",")]
        if self._scrolls_response(bound):
            return bound[0]
        active = self._screen.active_bindings.get(pressed)
        if active is not None and active.node not in (self._screen, self._at.view.pane):
            return None
        for key in self._at.keys:
            if pressed in key.keys.split(",") and self._steps_in_search(key):
                return key
        return next((key for key in bound if self._is_near or not key.near), None)

    def _scrolls_response(self, bound: Sequence[Key]) -> bool:
        """Whether a key scrolls the response from the items, and shows more of none of them."""
        if not self._is_near or not bound or bound[0].id not in PAGES:
            return False
        return not any(rows.is_row_cut for rows in self._at.view.pane.lists())

    @property
    def _is_near(self) -> bool:
        """Whether the focus is among the items."""
        return self._screen.focused in self._at.view.pane.lists()

    def _steps_in_search(self, key: Key) -> bool:
        """Whether a key goes from hit to hit now, before whatever else is on it in the pane."""
        return self._at.search.on and key.id in STEPS

    def _refusal(self, pressed: str, key: Key | None) -> str:
        """Why a key does nothing now, if so."""
        if self._at.parts.confirm.asking and pressed not in ANSWERS:
            return "Answer the question first: {confirm.yes:y} or {confirm.no:n}."
        if key and key.own_action and self._at.material.has_focus:
            return f"{shown(pressed)} is for the items: {{docked.back:Tab}} goes back to them."
        if key and self._at.selection.on and not self._at.selection.lets(key.id):
            return f"{shown(pressed)} waits: words are being selected; {{select.leave:Esc}} leaves."
        return ""


class ReviewScreen(Screen[None]):
    """Queue, response, the kind's pane and numbers of one cell."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(KEYS),
        Binding("escape", "command('leave')", "leave", show=False, id="leave"),
    ]

    def __init__(self, of: "AppellateApp") -> None:
        super().__init__()
        self._of = of
        self.overrides = of.keymap.keys  # the person's own keys, by the ids of bindings
        self.at = Workplace(self, of, press=lambda name: self.call_later(self.action_command, name))
        self._commands = commands(self)
        self._presses = KeyPresses(self, self.at, self._commands, counted(self))
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
        welcome = self._of.welcome
        start_session(self.at, self._of.notes, greet=welcome.card and not welcome.tour)

    # -- keys -------------------------------------------------------------------------------------

    async def on_key(self, event: KeyPressed) -> None:
        await self._presses.received(event)

    def on_click(self) -> None:
        self._presses.clicked()

    async def action_command(self, name: str) -> None:
        """Does what the key of an id does."""
        await self._presses.press(name)

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
            self.at.dialogs.say("{quit:q} exports the audit and quits.")

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
    @on(DockedText.SelectionTurned)
    def _keys_changed(self) -> None:
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
        self.at.parts.material.selector.end()
        self.at.rest()

    @on(DockedText.Closed)
    def _material_closed(self) -> None:
        self.at.material.close()

    @on(DockedText.Missing)
    def _section_missing(self, event: DockedText.Missing) -> None:
        self.at.material.missing(event.number, event.known)

    @on(KeyStrip.Pressed)
    async def _strip_clicked(self, event: KeyStrip.Pressed) -> None:
        key = key_of(self, event.action)
        if key and event.action not in self._commands:
            self.app.simulate_key(key)
        else:
            await self.action_command(event.action)

    @on(Card.PutAway)
    def _card_clicked(self, event: Card.PutAway) -> None:
        event.card.put_away()
