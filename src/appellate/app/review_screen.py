"""The review screen: one cell at a time. Keys, clicks and messages go to its objects."""

import asyncio
import gc
from collections.abc import Coroutine, Sequence
from importlib import import_module
from typing import ClassVar

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import DescendantFocus, Resize, ScreenResume
from textual.events import Key as KeyPressed
from textual.screen import Screen

from appellate.app import header
from appellate.app.keys.bindings import shown
from appellate.app.keys.palette import Commands
from appellate.app.layout import KindPanes
from appellate.app.queue.lineup import Lineup
from appellate.app.review_objects import ReviewObjects, ReviewSetup
from appellate.ui.bar import Card, KeyStrip
from appellate.ui.commands import KEYS
from appellate.ui.conversation import begin
from appellate.ui.docked import DockedText
from appellate.ui.key import Key
from appellate.ui.lines import CountedLines, Lines
from appellate.ui.own_keys import bindings, key_of
from appellate.ui.pane import KindPane
from appellate.ui.text import plain
from appellate.ui.text_view import ResponseView
from appellate.ui.textual_compat import ENTERED_TWICE, CompatApp, beside, hears, later

LEAVING = ("escape", "ctrl+q")
"""The keys that act while a question waits for yes or no, beside those that answer it."""
PAGES = ("page.on", "page.back")
"""The ids of the keys that scroll the response, from the items as well."""
STEPS = ("unreviewed.next", "unreviewed.previous")
"""The ids of the keys that go from hit to hit while a search is open."""


_BREATH = 0.02  # seconds between two of them, for keys
LATER = (  # what opens on a key, and is no part of the first paint
    "appellate.ui.picker",
    "appellate.app.numbers",
    "appellate.app.numbers.screen",
    "appellate.app.edit_rubric",
    "appellate.app.keys.help",
    "appellate.app.appearance.theming",
    "appellate.app.appearance.size_screen",
    "appellate.app.history_screen",
    "appellate.app.reading.material_pages",
    "appellate.app.reading.screen",
    "appellate.app.compare",
    "appellate.app.compare.visits",
    "appellate.app.sample",
    "appellate.judging.control",
    "appellate.judging.run",
    "appellate.app.reading.external_editor",
    "appellate.app.jumping",
    "rapidfuzz",  # whole: a judge's thread may be loading it, and a part does not wait for that
    "rich.traceback",
)


async def _settle() -> None:
    """Loads what other keys need; it stays: walking it for rubbish takes 40 ms between two keys."""
    for module in LATER:
        import_module(module)
        await asyncio.sleep(_BREATH)
    gc.freeze()
    gc.enable()


class ReviewScreen(Screen[None]):
    """Queue, response, the kind's pane and numbers of one cell."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(KEYS),
        Binding("escape", "command('leave')", "leave", id="leave"),
    ]

    def __init__(self, setup: ReviewSetup) -> None:
        super().__init__()
        self._setup = setup
        self.overrides = setup.overrides
        self.at = ReviewObjects(self, setup, press=self._press)
        self._commands = Commands(self, self.at, setup.overrides).by_id()
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
        """Shows the cell where the reviewer was, and the notes."""
        setup = self._setup
        at = self.at
        bench = at.bench
        parts = at.parts
        start = bench.position()
        if setup.welcome.card and not setup.welcome.tour:
            at.greet()
        at.layout.fit(self.app.size)  # before the first paint, so that nothing jumps
        bench.listeners.append(at.changed)
        parts.response.set_rendered(setup.settings.markdown == "rendered")
        parts.header.tooltip = plain(header.describe(at.marks))
        if setup.settings.view == "checklist":
            parts.panes.turn_view()
        at.view.show(fresh=True)
        if not at.view.cell.hidden:  # that begins with what is still to be ruled
            at.view.pane.go(start.pane, start.item)
        at.view.pane.take_focus()
        at.view.looked()
        if setup.notes:
            at.dialogs.say(" ".join(setup.notes))
        at.saving.write_soon()
        # Nobody tells when a file is deleted, moved or taken over. The place is kept on that
        # occasion: it changes at every key, and is no one's work.
        self.set_interval(1.0, at.saving.look_after)
        later(0.5, self, lambda: beside(self, _settle, "settle"))

    def go_on(self) -> None:
        """Begins what follows the first paint: the judge, the queue as it was, a ruling."""
        at = self.at
        bench = at.bench
        cell = at.view.cell
        settings = self._setup.settings
        at.ask()
        remembered = Lineup.remembered(
            bench.workspace, bench.reviewer, settings.order, settings.seed
        )
        if not remembered.plain:
            at.queue_control.resume(remembered)
        if cell.contest and cell.hidden:
            begin(at.comparing.rule())

    # -- keys -------------------------------------------------------------------------------------

    async def on_key(self, event: KeyPressed) -> None:
        """Gets every key that the focused widget did not take, before any binding; keys of the pane
        act from queue and response, too.
        """
        at = self.at
        pressed = event.key
        at.cell_actions.pressed(pressed, at.arrived(event))
        key = self._meant(pressed)
        if refusal := self._refusal(event, key):
            event.stop()
            at.dialogs.say(refusal)
            return
        if key is None or key.id != "jump":  # whose letters are where things are now
            self._unsay()
        at.view.settle_numbers()
        if key is not None and self._acts_without_binding(key):
            event.stop()
            event.prevent_default()
            await self.action_command(key.id)

    def say(self, text: str) -> None:
        """Says a line in the place of the keys, until the next key."""
        self.at.dialogs.say(text)

    def on_paste(self) -> None:
        """Says where a paste goes, for here it goes nowhere: it is text, and no keys."""
        self.at.dialogs.say("Nothing takes a paste here: press {cell.comment:c} to comment first.")

    def on_click(self) -> None:
        """A click puts the message away, as a key does."""
        self.at.cell_actions.pressed("", 0)
        self._unsay()

    def _unsay(self) -> None:
        if self.at.dialogs.said != self.at.standing.trouble:
            self.at.dialogs.say(self.at.standing.trouble)

    def _meant(self, pressed: str) -> Key | None:
        """What a key means to the screen or the pane; None where the focused widget has it."""
        bound = [key for key in self.at.keys_here if pressed in key.keys.split(",")]
        if self._scrolls_response(bound):
            return bound[0]
        if hears(self, pressed) not in (None, self, self.pane):
            return None
        for key in self.at.keys:
            if pressed in key.keys.split(",") and self._steps_in_search(key):
                return key
        return next((key for key in bound if self._is_near or not key.near), None)

    @property
    def _is_near(self) -> bool:
        return self.focused in self.pane.lists()

    def _scrolls_response(self, bound: Sequence[Key]) -> bool:
        """Whether a key scrolls the response from the items, and shows no more of an item."""
        if not self._is_near or not bound or bound[0].id not in PAGES:
            return False
        return not any(rows.is_row_cut for rows in self.pane.lists())

    def _steps_in_search(self, key: Key) -> bool:
        """Whether a key goes from hit to hit now, before whatever else is on it in the pane."""
        return key.id in STEPS and self.at.search.on

    def _acts_without_binding(self, key: Key) -> bool:
        """Whether a key acts where its own binding would not."""
        if self._steps_in_search(key) or (key.id in PAGES and self._is_near):
            return True
        afar = self.focused in (self.response, self.at.parts.queue, None)
        return key.is_own and afar

    def _refusal(self, event: KeyPressed, key: Key | None) -> str:
        """Why a key does nothing now, if so."""
        at = self.at
        pressed = event.key
        if at.parts.confirm.asking and not self._answers(pressed):
            return "Answer the question first: {confirm.yes:y} or {confirm.no:n}."
        if (at.parts.prompt.asking or at.selection.on) and self._is_second_enter(event):
            return ENTERED_TWICE
        if key and key.is_own and self.focused is at.parts.material:
            return f"{shown(pressed)} is for the items: {{docked.back:Tab}} goes back to them."
        if key and at.selection.on and not at.selection.lets(key.id):
            return f"{shown(pressed)} waits: words are being selected; {{select.leave:Esc}} leaves."
        if key is None and event.is_printable and hears(self, pressed) is None:
            text = f"{shown(pressed)} does nothing here: {{help:?}} lists the keys."
            small = pressed.lower()
            if small != pressed and hears(self, small) is not None:
                text += f" {shown(small)} does something: is Caps Lock on?"
            return text
        return ""

    def _is_second_enter(self, event: KeyPressed) -> bool:
        """Return whether a key is an Enter right after the one that opened a question."""
        return isinstance(self.app, CompatApp) and self.app.is_second_enter(event)

    def _press(self, name: str) -> None:
        """Does what the key of an id does, after what is under way."""
        self.call_later(self.action_command, name)

    def _answers(self, pressed: str) -> bool:
        """Whether a key answers the question that waits for yes or no, or leaves the program."""
        return pressed in LEAVING or hears(self, pressed) is self.at.parts.confirm

    async def action_command(self, name: str) -> None:
        """Does what the key of an id does, of the pane's or of the screen's own."""
        own = next((key for key in self.pane.KEYS if key.id == name), None)
        if own is not None:
            await self.pane.run_action(own.action)
        elif name in self._commands:
            self.do(name)

    def do(self, name: str) -> None:
        """Does what a key of the screen's own does, at once or as far as its first question."""
        done = self._commands[name]()
        if isinstance(done, Coroutine):
            begin(done)

    def action_quit(self) -> None:
        self.do("quit")

    def action_copy_text(self) -> None:
        """Ctrl+C copies what is selected, else says how to quit."""
        if self.at.reading.selected:
            self.do("cell.copy")
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
        if self.focused is not self.at.parts.queue and not self.at.layout.is_queue_open:
            self.at.parts.queue.follow(self.at.view.no)
        self.at.keys_changed()

    @on(CountedLines.Counting)
    @on(DockedText.SelectionTurned)
    @on(ResponseView.FoldsChanged)
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
        number = self.at.parts.queue.cells.number(event.cursor.row)
        self.at.layout.hide_queue()
        self.at.navigation.go(number)
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
        self.at.parts.material.selection.end()
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
