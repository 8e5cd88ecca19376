"""The review screen: one cell at a time. Keys, clicks and messages go to its objects."""

import asyncio
import gc
from collections.abc import Coroutine, Sequence
from importlib import import_module
from sqlite3 import DatabaseError
from typing import ClassVar, Self

from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import DescendantFocus, Resize, ScreenResume
from textual.events import Key as KeyPressed
from textual.geometry import Region
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
from appellate.ui.own_keys import bindings, key_of, own_names
from appellate.ui.pane import KindPane
from appellate.ui.text import plain
from appellate.ui.text_view import ResponseView
from appellate.ui.textual_compat import (
    ENTERED_TWICE,
    CompatApp,
    beside,
    draw_by_lines,
    hears,
    later,
)

LEAVING = ("escape", "ctrl+q")
"""The keys that act while a question waits for yes or no, besides those that answer it."""
PAGES = ("page.on", "page.back")
"""The ids of the keys that scroll the response, also while the focus is on the items."""
STEPS = ("unreviewed.next", "unreviewed.previous")
"""The ids of the keys that go from hit to hit while a search is open."""


_BREATH = 0.02
"""Seconds between the loading of two modules, in which keys are handled."""
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


async def _load_later_modules() -> None:
    """Load the modules of `LATER` one by one, and keep them out of garbage collection.

    Everything else that is loaded by then is kept out, too: to search it for garbage would take 40
    ms between two keys. Between two modules keys are handled. Turns garbage collection on.
    """
    for module in LATER:
        import_module(module)
        await asyncio.sleep(_BREATH)
    gc.freeze()
    gc.enable()


class ReviewScreen(Screen[None]):
    """The screen on which a cell is reviewed: queue, response, the kind's pane and numbers."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(KEYS),
        Binding("escape", "command('leave')", "leave", id="leave"),
    ]

    def __init__(self, setup: ReviewSetup) -> None:
        """Make the objects of the screen from `setup`; nothing is shown before it is mounted."""
        super().__init__()
        draw_by_lines(self)
        self._setup = setup
        self.overrides = setup.overrides
        self.objects = ReviewObjects(self, setup, press=self._press)
        self._commands = Commands(self, self.objects, setup.overrides).by_id()
        self._was_shown = False

    # -- what is there ----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Set the classes for the terminal's size, and yield the widgets of the first paint."""
        shape = self.objects.layout.shape(self.app.size)
        # while there is nothing to style twice
        self.update_classes(shape, update=False)
        yield from self.objects.parts.composed()

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """Draw the screen again, or for a layout only what it changes; return the screen.

        Textual asks for a layout when widgets come or go, and would draw all the others again.
        """
        repaint = repaint and not layout
        return super().refresh(
            *regions,
            repaint=repaint,
            layout=layout,
            recompose=recompose,
        )

    @property
    def pane(self) -> KindPane:
        """The pane of the open cell's kind."""
        return self.objects.view.pane

    @property
    def response(self) -> ResponseView:
        return self.objects.parts.response

    def on_mount(self) -> None:
        """Show the first cell, or end the program in a sentence if the workspace cannot be read.

        An error that left this method would leave the terminal blank, and the program would wait
        for widgets that never come.
        """
        try:
            self._begin()
        except DatabaseError as error:
            self._setup.cannot_begin(error)

    def _begin(self) -> None:
        """Show the cell where the reviewer was last, with the focus on its items.

        A blind cell begins at its first item. The settings for Markdown and the view are put on,
        and the notes of the start are said. From now on changes are followed, the workspace is
        looked for every second, and the modules of `LATER` are loaded half a second later. Raises
        DatabaseError if the workspace cannot be read.
        """
        setup = self._setup
        objects = self.objects
        bench = objects.bench
        parts = objects.parts
        start = bench.position()
        if setup.welcome.card and not setup.welcome.tour:
            objects.greet()
        # before the first paint, so that nothing jumps
        objects.layout.fit(self.app.size)
        bench.listeners.append(objects.changed)
        parts.response.set_rendered(setup.settings.markdown == "rendered")
        meanings = header.describe(objects.marks, own_names(self.app))
        parts.header.tooltip = plain(meanings)
        if setup.settings.view == "checklist":
            parts.panes.turn_view()
        objects.view.show(fresh=True)
        # a blind cell begins with what awaits a ruling
        if not objects.view.cell.hidden:
            objects.view.pane.go(start.pane, start.item)
        objects.view.pane.take_focus()
        objects.view.looked()
        if setup.notes:
            objects.dialogs.say(" ".join(setup.notes))
        objects.saving.write_soon()
        # Nothing reports that a file was deleted, moved or taken over, so this is looked for. The
        # place is saved on this occasion: it changes at every key, and no work is lost without it.
        self.set_interval(1.0, objects.saving.look_after)
        later(0.5, self, lambda: beside(self, _load_later_modules, "settle"))

    def go_on(self) -> None:
        """Begin what follows the first paint: the judge, the queue of last time, a ruling.

        The queue is filled only if it is not all cells in the order loaded. The screen for rulings
        opens if the cell awaits one.
        """
        objects = self.objects
        bench = objects.bench
        cell = objects.view.cell
        settings = self._setup.settings
        objects.ask()
        remembered = Lineup.remembered(
            bench.workspace,
            bench.reviewer,
            settings.order,
            settings.seed,
        )
        if not remembered.plain:
            objects.queue_control.resume(remembered)
        if cell.contest and cell.hidden:
            begin(objects.comparing.rule())

    async def on_unmount(self) -> None:
        """End the judge's run, so that nothing of it is left when the program ends."""
        await self.objects.judge_run.wait_until_ended()

    # -- keys -------------------------------------------------------------------------------------

    async def on_key(self, event: KeyPressed) -> None:
        """Handle a key that the focused widget did not take, before its binding does.

        A key may be refused with a sentence; then nothing else happens. Any other key but that of
        jump mode clears the message. A key of the pane acts from queue and response too.
        """
        objects = self.objects
        pressed = event.key
        objects.cell_actions.pressed(pressed, objects.arrived(event))
        key = self._key_for(pressed)
        refusal = self._refusal(event, key)
        if refusal:
            event.stop()
            objects.dialogs.say(refusal)
            return
        # jump labels belong to what is on screen now
        if key is None or key.id != "jump":
            self._clear_message()
        objects.view.settle_numbers()
        if key is not None and self._acts_without_binding(key):
            event.stop()
            event.prevent_default()
            await self.action_command(key.id)

    def say(self, text: str) -> None:
        """Show a sentence instead of the keys, until the next key."""
        self.objects.dialogs.say(text)

    def on_paste(self) -> None:
        """Say that a paste goes nowhere here, and which key opens a field for text."""
        self.objects.dialogs.say(
            "Nothing takes a paste here: press {cell.comment:c} to comment first.",
        )

    def on_click(self) -> None:
        """Clear the message, and forget an act that waits for a second press of its key."""
        self.objects.cell_actions.pressed("", 0)
        self._clear_message()

    def _clear_message(self) -> None:
        """Clear the message, or show an error of saving in its place if there is one."""
        if self.objects.dialogs.said != self.objects.standing.trouble:
            self.objects.dialogs.say(self.objects.standing.trouble)

    def _key_for(self, pressed: str) -> Key | None:
        """Return the key of the screen or the pane that acts for what was pressed, or None.

        `pressed` is Textual's name, as "full_stop". None if the focused widget has its own binding
        for it, or nothing has one. A key that scrolls the response goes before the focused
        widget's, and one that goes from hit to hit before the pane's. Keys for which an item must
        have the focus are passed over elsewhere.
        """
        bound = [
            key for key in self.objects.keys_here if pressed in key.keys.split(",")
        ]
        if self._scrolls_response(bound):
            return bound[0]
        if hears(self, pressed) not in (None, self, self.pane):
            return None
        if self.objects.search.on:
            for key in self.objects.keys:
                if key.id in STEPS and pressed in key.keys.split(","):
                    return key
        for key in bound:
            if not key.near or self._is_near:
                return key
        return None

    @property
    def _is_near(self) -> bool:
        """Whether the focus is on a list of the pane, where `near` keys act."""
        return self.focused in self.pane.lists()

    def _scrolls_response(self, bound: Sequence[Key]) -> bool:
        """Return whether the first of these keys scrolls the response now; False for no keys.

        The keys of `PAGES` do so while a list of the pane has the focus and none of its rows is cut
        off. A row that is cut off is scrolled instead.
        """
        if not bound or bound[0].id not in PAGES or not self._is_near:
            return False
        return not any(rows.is_row_cut for rows in self.pane.lists())

    def _steps_in_search(self, key: Key) -> bool:
        """Return whether a key goes from hit to hit now, whatever else it does in the pane."""
        return key.id in STEPS and self.objects.search.on

    def _acts_without_binding(self, key: Key) -> bool:
        """Return whether a key acts here though Textual finds no binding of it from the focus.

        That is so for keys from hit to hit and keys that scroll the response from the items. It is
        so for keys of the pane while queue, response or nothing has the focus.
        """
        if self._steps_in_search(key) or (key.id in PAGES and self._is_near):
            return True
        is_outside_pane = self.focused in (
            self.response,
            self.objects.parts.queue,
            None,
        )
        return key.is_own and is_outside_pane

    def _refusal(self, event: KeyPressed, key: Key | None) -> str:
        """Return a sentence that refuses a key for now, or "" if the key is not refused.

        `key` is what `_key_for` found for the event. Refused are: keys that do not answer an open
        question, a second Enter right after the one that opened a question, a key of the items in
        the docked text, a key that waits while words are selected, and a character that has no
        meaning here.
        """
        objects = self.objects
        pressed = event.key
        if objects.parts.confirm.asking and not self._answers(pressed):
            return "Answer the question first: {confirm.yes:y} or {confirm.no:n}."
        if (
            objects.parts.prompt.asking or objects.selection.on
        ) and self._is_second_enter(event):
            return ENTERED_TWICE
        if key and key.is_own and self.focused is objects.parts.material:
            return f"{shown(pressed)} is for the items: {{docked.back:Tab}} goes back to them."
        if key and objects.selection.on and not objects.selection.lets(key.id):
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
        """Do what the key of the pane or screen with this id does, after the current message."""
        self.call_later(self.action_command, name)

    def _answers(self, pressed: str) -> bool:
        """Return whether a key answers the open yes-or-no question or leaves the program."""
        return pressed in LEAVING or hears(self, pressed) is self.objects.parts.confirm

    async def action_command(self, name: str) -> None:
        """Do what the key with this id does: a key of the pane, else one of the screen.

        An unknown id does nothing.
        """
        own = next((key for key in self.pane.KEYS if key.id == name), None)
        if own is not None:
            await self.pane.run_action(own.action)
        elif name in self._commands:
            self.do(name)

    def do(self, name: str) -> None:
        """Do what the screen's own key with this id does, up to its first question.

        What follows the question is done when it is answered. Raises KeyError for the id of any
        other key.
        """
        conversation = self._commands[name]()
        if isinstance(conversation, Coroutine):
            begin(conversation)

    def action_quit(self) -> None:
        self.do("quit")

    def action_copy_text(self) -> None:
        """Copy the selected words, or else what the mouse has selected on the screen (Ctrl+C).

        If nothing is selected, say how to quit.
        """
        if self.objects.reading.selected:
            self.do("cell.copy")
            return
        try:
            super().action_copy_text()
        except SkipAction:
            self.objects.dialogs.say("{quit:q} exports the audit and quits.")

    # -- messages ---------------------------------------------------------------------------------

    def on_resize(self, event: Resize) -> None:
        self.objects.layout.fit(event.size)

    def on_screen_resume(self, event: ScreenResume) -> None:
        """Draw what changed while another screen was open.

        Styles are computed again, except the first time, when they are new.
        """
        # the first time all parts are styled already
        event.refresh_styles = self._was_shown
        self._was_shown = True
        self.objects.catch_up()

    @on(KindPanes.Resized)
    def _panes_resized(self) -> None:
        self.objects.view.entitle_pane()

    @on(DescendantFocus)
    def _focused(self) -> None:
        """Show the keys for the widget that got the focus.

        The queue that lies over the cell is hidden when the focus goes to the items. Unless the
        queue has the focus or lies over the cell, its cursor goes back to the open cell.
        """
        if self.focused in self.pane.lists():
            self.objects.layout.hide_queue()
        if (
            self.focused is not self.objects.parts.queue
            and not self.objects.layout.is_queue_open
        ):
            self.objects.parts.queue.follow(self.objects.view.no)
        self.objects.keys_changed()

    @on(CountedLines.Counting)
    @on(DockedText.SelectionTurned)
    @on(ResponseView.FoldsChanged)
    def _keys_changed(self) -> None:
        self.objects.keys_changed()

    @on(Lines.Highlighted, "#queue")
    def _queue_moved(self, event: Lines.Highlighted) -> None:
        """Open the cell under the queue's cursor, unless the queue lies over the cell.

        Nothing happens if the queue has got other cells since.
        """
        if event.is_outdated or self.objects.layout.is_queue_open:
            return
        queue = self.objects.parts.queue
        number = queue.cells.number(queue.cursor.row)
        self.objects.navigation.go(number)

    @on(Lines.Touched, "#queue")
    def _rail_touched(self) -> None:
        """Give the focus back to the cell after a click on the folded queue.

        Nothing happens while the queue is not folded.
        """
        if self.objects.layout.has_rail:
            self.objects.rest()

    @on(Lines.Chosen, "#queue")
    def _queue_chosen(self, event: Lines.Chosen) -> None:
        """Go to the cell that was chosen in the queue, and put the focus there.

        A queue that lies over the cell is closed. Nothing happens if it has got other cells since.
        """
        if event.is_outdated:
            return
        number = self.objects.parts.queue.cells.number(event.cursor.row)
        self.objects.layout.hide_queue()
        self.objects.navigation.go(number)
        self.objects.rest()

    @on(ResponseView.Selected)
    def _selected(self) -> None:
        self.objects.selection.selected()

    @on(ResponseView.ExcerptTaken)
    def _taken(self) -> None:
        self.objects.selection.enter()

    @on(ResponseView.SelectionEnded)
    def _selection_ended(self) -> None:
        """End the question for evidence too, unless another selection has begun in the meantime."""
        if not self.response.selection.on:  # another may have begun in the meantime
            self.objects.selection.end()

    @on(ResponseView.SpanClicked)
    def _span_clicked(self, event: ResponseView.SpanClicked) -> None:
        """Open the document that is cited at a click on evidence; if none is, go to its item.

        In the latter case the items get the focus.
        """
        if not self.objects.material.cite(event.offset):
            self.objects.reading.go_to_evidence(event.index)
            self.objects.rest()

    @on(ResponseView.TextClicked)
    def _text_clicked(self, event: ResponseView.TextClicked) -> None:
        self.objects.material.cite(event.offset)

    @on(DockedText.TabChosen)
    def _tab_clicked(self, event: DockedText.TabChosen) -> None:
        self.objects.material.open(event.name)

    @on(DockedText.Returned)
    def _material_left(self) -> None:
        """End a selection in the docked text, and give the focus back to the cell."""
        self.objects.parts.material.selection.end()
        self.objects.rest()

    @on(DockedText.Closed)
    def _material_closed(self) -> None:
        self.objects.material.close()

    @on(DockedText.Missing)
    def _section_missing(self, event: DockedText.Missing) -> None:
        self.objects.material.missing(event.number, event.known)

    @on(KeyStrip.Pressed)
    async def _strip_clicked(self, event: KeyStrip.Pressed) -> None:
        """Do what the key that was clicked in the strip does; press it if it is a widget's own.

        A key of the pane or the screen acts whatever has the focus. A widget's own key goes to the
        focus.
        """
        key = key_of(self, event.action)
        if key and event.action not in self._commands:
            self.app.simulate_key(key)
        else:
            await self.action_command(event.action)

    @on(Card.PutAway)
    def _card_clicked(self, event: Card.PutAway) -> None:
        event.card.put_away()
