"""The review screen: one cell at a time, with everything a verdict needs in sight.

It composes panes and carries messages: a pane asks, the workbench does, every part hears of the change.
"""

import asyncio
import gc
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from textual import on, work
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key as KeyPressed
from textual.widgets import Static

from appellate.app import header
from appellate.app.items import Items
from appellate.app.keynames import shown
from appellate.app.keys import bindings
from appellate.app.lineup import Lineup
from appellate.app.sizes import SizeLine, Sizes
from appellate.app.tour import TourStrip
from appellate.app.verdicts import Verdicts
from appellate.core.refused import Refused
from appellate.store.database import NotKept, WorkspaceLost
from appellate.ui.bar import KeyStrip, MetricsBar, StatusStrip
from appellate.ui.card import Card
from appellate.ui.later import later
from appellate.ui.lines import Lines, Section
from appellate.ui.prompt import Confirm, LinePrompt
from appellate.ui.response import ResponseView
from appellate.ui.text import plain
from appellate.workbench import Position

_BREATH = 0.02  # seconds between two of them, for keys
LATER = (  # what opens on a key, and is no part of the first paint
    "appellate.app.dashboard",
    "appellate.app.edit_rubric",
    "appellate.app.help",
    "appellate.app.theming",
    "appellate.app.history_screen",
    "appellate.app.reading_screen",
    "appellate.app.proposals",
    "appellate.ui.help_screen",
    "appellate.ui.jumping",
    "rapidfuzz.fuzz",
)


class ReviewScreen(Items, Verdicts):
    """Queue, response, buckets and numbers of one cell."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(),
        Binding("escape", "leave", "leave", show=False, id="leave"),
    ]

    def compose(self) -> ComposeResult:
        self.update_classes(self.shape(self.app.size), update=False)  # while there is nothing to style twice
        yield Static(id="small", markup=False)
        yield StatusStrip(marks=self.marks, id="file")
        yield StatusStrip(marks=self.marks, id="cell")
        with Horizontal(id="body"):
            yield Lines(marks=self.marks, id="queue")
            with Vertical(id="reading"):
                yield Static(id="question", markup=False)
                yield ResponseView(id="response", empty="The response is empty.", marks=self.marks)
            yield self._new_pane()
        yield MetricsBar(marks=self.marks, id="numbers")
        yield TourStrip(on=self.welcome.tour, keys=self.keys, marks=self.marks, id="tour")
        yield Card(marks=self.marks, id="card")
        yield LinePrompt(marks=self.marks)
        yield Confirm()
        yield SizeLine(self.marks, id="sizes")
        yield Static(id="said", markup=False)
        yield KeyStrip(marks=self.marks, id="keys")

    def _new_pane(self) -> Any:
        """The pane of the cell's kind, loaded only where there is a screen."""
        module = import_module(f"appellate.traits.{self.cell.subject.kind.name}.pane")
        return module.PANE(self.marks, id="pane")

    def on_mount(self) -> None:
        settings = self.settings
        self.sizes = Sizes(settings.queue_columns, settings.items_share, settings.items_rows)
        self._greet()
        self.fit(self.app.size)  # before the first paint, so that nothing jumps
        self.bench.listeners.append(self._changed)
        self.queue.show(Section(self._rows, empty="There is nothing to review."))
        self.response.set_rendered(settings.markdown == "rendered")
        self.pane.readonly = self.bench.readonly
        for name in ("#file", "#cell"):
            self.query_one(name).tooltip = plain(header.told(self.marks))
        self.show_keys()
        self._show_cell(fresh=True)
        if settings.view == "checklist":
            self.pane.toggle_view()
        if self._start:
            self.pane.go(self._start.pane, self._start.item)
            self._start = None
        self.pane.take_focus()
        self._looked()
        if self._notes:
            self.say(" ".join(self._notes))
        remembered = Lineup.remembered(self.bench.workspace, self.bench.reviewer, settings.order, settings.seed)
        if not remembered.plain:
            self.line_up(remembered, quietly=True)
        self.running.begin()
        self.set_interval(1.0, self.look_after)
        later(0.5, self, lambda: self.run_worker(_settle(), group="settle"))

    def _greet(self) -> None:
        """Shows whoever is new here the keys that matter."""
        if self.welcome.card and not self.welcome.tour:
            from appellate.app.help import card

            self.query_one("#card", Card).show(*card(self.keys))

    @on(Card.PutAway)
    def _card_clicked(self, event: Card.PutAway) -> None:
        event.card.put_away()

    def on_key(self, event: KeyPressed) -> None:
        """What was said, and by how much the numbers moved, stands until the next key."""
        self.pressed(event.key, self.app.arrived(event))  # type: ignore[attr-defined]
        if self.query_one(Confirm).asking and event.key not in ("y", "n", "escape", "ctrl+q"):
            event.stop()
            self.say("Answer the question first: y or n.")
            return
        if self._said != self._trouble:
            self.say(self._trouble)
        if self.gathering.on and self._waits(event.key):
            event.stop()
            self.say(f"{shown(event.key)} waits: words are being selected, and Esc leaves that.")
            return
        if self._before is not None:
            self._before = None
            self._show_numbers()

    def _waits(self, key: str) -> bool:
        """Whether a key means something of the screen that does not act in the present mode."""
        active = self.active_bindings.get(key)
        return active is not None and active.node is self and not self.gathering.lets(_name(active.binding.action))

    def on_click(self) -> None:
        """A click puts away what was said, as a key does."""
        self.pressed("", 0)
        if self._said != self._trouble:
            self.say(self._trouble)

    def action_leave(self) -> None:
        """Esc leaves the innermost thing, wherever the focus is."""
        if self.query_one(Confirm).asking:
            self.query_one(Confirm).action_answer(yes=False)
        elif self.query_one(LinePrompt).asking:
            self.query_one(LinePrompt).action_dismiss_prompt()
        elif self.gathering.on:
            self.gathering.end()
        elif self.response.searching:
            self.end_search()
        elif self.pane.marked:
            self.pane.clear_marks()
        elif self.focused is not self.pane.lines and not self.has_class("-focus"):
            self.rest()
        elif self.has_class("-focus"):
            self.action_focus_mode()
        else:
            self._put_cards_away()

    def _put_cards_away(self) -> None:
        for name in ("#card", "#tour"):
            if self.query_one(name, Card).shown:
                self.query_one(name, Card).put_away()
                return

    @on(Confirm.Decided)
    def _decided(self, event: Confirm.Decided) -> None:
        self.rest()
        if event.purpose == "quit" and event.yes:
            self.app.exit(return_code=1)
        elif event.purpose != "quit":
            self.running.decided(event.purpose, event.yes)

    def action_copy_text(self) -> None:
        """Ctrl+C copies what is selected, else says how to quit."""
        if self.response.selected_text:
            self.action_copy()
            return
        try:
            super().action_copy_text()
        except SkipAction:
            self.say("q writes the audit and quits.")

    def look_after(self) -> None:
        """Keeps where one stands, and sees to it that nothing is called kept that is not."""
        self.keep_position()
        why = self.bench.lost
        if why and not self._refused:
            self._refused = why
            self.say(self._trouble)
            self.show_standing()

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
        elif self.bench.lost:
            self.ask("Save everything elsewhere as", str(self.bench.elsewhere), self._move, purpose="elsewhere")
        else:
            self._write()

    def _move(self, audit: str) -> None:
        """Goes on under another name, with everything that was done."""
        try:
            self.bench.move(Path(audit).expanduser())
        except (Refused, NotKept) as refusal:
            self.say(f"Not saved: {str(refusal).rstrip('.')}. Ctrl+S asks again.")
            return
        self._refused = ""
        self.open(self.no)
        self.line_up(self.lineup, quietly=True)
        self._write()

    @work(exclusive=True, group="write")
    async def _write(self, *, leave: bool = False) -> None:
        again = " (it had been deleted)" if self.bench.is_deleted else ""
        why = await self.app.write()  # type: ignore[attr-defined]
        if leave and not why and self.bench.behind:  # something was kept while it was being written
            why = await self.app.write()  # type: ignore[attr-defined]
        self._unwritten = why
        self.show_standing()
        if not why and leave:
            self.app.exit()
        elif why and leave:
            standing = WorkspaceLost.standing if self.bench.lost else "Everything is kept in the workspace."
            self.confirm("quit", f"{why} {standing} Quit all the same?")
        else:
            self.say(why or f"Written: {self.bench.audit}{again}")

    def action_quit(self) -> None:
        self.running.stop(quietly=True)
        self._write(leave=True)

    def action_session(self) -> None:
        from appellate.app.dashboard import DashboardScreen

        self.app.push_screen(DashboardScreen(self.bench, self.session, self.marks), self._from_numbers)

    def _from_numbers(self, query: str | None) -> None:
        """A line of the numbers was chosen: the queue shows its cells."""
        self.rest()
        if query is not None:
            self.line_up(self.lineup.filtered(query))

    def action_edit_rubric(self) -> None:
        from appellate.app.edit_rubric import Editing

        Editing(self).begin()

    def action_theme(self) -> None:
        self.app.action_change_theme()

    def action_help(self) -> None:
        from appellate.app.help import here, told_keys
        from appellate.ui.help_screen import HelpScreen

        overrides = self.app.keymap.keys  # type: ignore[attr-defined]
        told = told_keys(self.marks, self.keys, here(self), overrides)
        self.app.push_screen(HelpScreen(told, marks=self.marks), self._helped)

    async def _helped(self, action: str | None) -> None:
        self.rest()
        if action:
            await self.run_action(action)

    @on(KeyStrip.Pressed)
    async def _strip_clicked(self, event: KeyStrip.Pressed) -> None:
        await self.run_action(event.action)


def _name(action: str) -> str:
    """An action without what it acts on and with what."""
    return action.partition("(")[0].rpartition(".")[2]


async def _settle() -> None:
    """Loads what other keys need; what is loaded by now stays and is not walked between two keys (40 ms, measured)."""
    for module in LATER:
        import_module(module)
        await asyncio.sleep(_BREATH)
    gc.collect()
    gc.freeze()
    gc.enable()
