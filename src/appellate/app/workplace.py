"""Everything that works on one review screen, made once and handed what it works with."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual.screen import Screen

from appellate.app.cell_actions import CellActions
from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.judge_run import JudgeRun
from appellate.app.keys.bindings import kinds_of
from appellate.app.keys.keymap import one_before_another
from appellate.app.keys.shown_keys import ShownKeys, card
from appellate.app.layout import Layout, Parts
from appellate.app.queue.navigation import Navigation
from appellate.app.queue.view import QueueControl
from appellate.app.reading.material import Material
from appellate.app.reading.response_actions import ResponseActions
from appellate.app.reading.text_search import EvidenceSelection, TextSearch
from appellate.app.requests import PaneReview, Requests, Standing
from appellate.app.saving import Saving
from appellate.core.inert import visible
from appellate.core.problem import KeyNames
from appellate.judging.choice import JudgeChoice
from appellate.session.review_session import ReviewSession
from appellate.session.settings import Settings
from appellate.session.workbench import Change, Workbench
from appellate.ui.bar import worded
from appellate.ui.conversation import begin
from appellate.ui.key import Key, first_names
from appellate.ui.marks import Marks, spelt
from appellate.ui.own_keys import own_names
from appellate.ui.pane import KindPane
from appellate.ui.rows import StyledText
from appellate.ui.textual_compat import beside

if TYPE_CHECKING:
    from appellate.app.application import AppellateApp
    from appellate.app.compare.visits import Comparing
    from appellate.app.jumping import Jumping
    from appellate.app.numbers.screen import NumbersVisit
    from appellate.judging.progress import Progress

Mode = tuple[type[KindPane], bool, tuple[str, ...]]
"""What says which keys act: the kind's pane, whether words are selected, the pane's keys."""


class Workplace:
    """The objects of a screen, which find each other by it, and what concerns several of them.
    `press` does what the key of an id does, `write` writes the audit or returns why it could not.
    """

    def __init__(
        self, screen: Screen[None], of: "AppellateApp", *, press: Callable[[str], object]
    ) -> None:
        self.screen = screen
        self.bench: Workbench = of.bench
        self.session: ReviewSession = of.session
        self.choice: JudgeChoice = of.choice
        self.settings: Settings = of.settings
        self.marks: Marks = of.marks
        self.keys: list[Key] = of.keys
        self.arrived = of.arrived
        self.asks = of.asks
        self.press = press
        self._keys_of_mode = dict[Mode, list[Key]]()
        self._shown_keys = ShownKeys(self)
        self.parts: Parts = Parts(self, of.welcome)
        self.standing = Standing(self.bench, turned=self._standing_turned)
        self.view = CellView(self)
        parts = self.parts
        self.dialogs = Dialogs(
            screen,
            parts.prompt,
            parts.confirm,
            parts.message,
            parts.keys,
            self.marks,
            asks=of.asks,
            rest=self.rest,
        )
        self.material = Material(self)
        self.selection = EvidenceSelection(self)
        self.layout = Layout(self)
        self.search = TextSearch(self)
        self.reading = ResponseActions(self)
        self.navigation = Navigation(
            self.bench,
            parts.queue,
            self.dialogs,
            self._here,
            opens=self._open,
            points_at=self.view.point_at,
            has_steps=self._has_steps,
            goes_to_step=self.reading.go_to_step,
        )
        self.queue_control = QueueControl(
            screen,
            parts.queue,
            self.dialogs,
            self._here,
            goes=self.navigation.go,
            lined_up=self._lined_up,
        )
        self.requests = Requests(
            self.bench, self.dialogs, self.standing, why_not=self.layout.why_out_of_sight
        )
        self.cell_actions = CellActions(self)
        self.saving = Saving(
            screen,
            self.bench,
            self.dialogs,
            self.requests,
            self.standing,
            write=of.write,
            place=self.view.place,
            is_there=lambda: parts.are_there,
            moved=self.moved,
        )
        self.judge_run = JudgeRun(
            screen,
            self.bench,
            self.choice,
            self.dialogs,
            self,
            calm=self.settings.reduced_motion or self.settings.plain,
        )
        self.review = PaneReview(self)
        self.parts.panes.furnish(self.review)

    @cached_property
    def key_names(self) -> KeyNames:
        """What the keys are called that a person gave to bindings."""
        names = dict(own_names(self.screen.app))
        return names | {key.id: key.shown if key.keys else "" for key in self.keys}

    @cached_property
    def jumping(self) -> "Jumping":
        """Jump mode, loaded when it is first asked for."""
        from appellate.app.jumping import Jumping

        return Jumping(
            self.parts,
            self.dialogs,
            self.navigation,
            self.reading,
            self.material,
            to_queue=self.turn_to_queue,
        )

    @cached_property
    def numbers_visit(self) -> "NumbersVisit":
        """The numbers, which are remembered as they were left."""
        from appellate.app.numbers.screen import NumbersVisit

        return NumbersVisit(self)

    @cached_property
    def comparing(self) -> "Comparing":
        """The screens that compare answers, remembered as they were left."""
        from appellate.app.compare.visits import Comparing

        return Comparing(self)

    @property
    def keys_here(self) -> list[Key]:
        """The keys that act at this cell: its pane's, then the screen's own where they are free.
        While words are selected, keys of the pane that cannot take any come last.
        """
        pane = self.view.pane
        mode = type(pane), self.selection.on, tuple([key.id for key in pane.keys_here])
        if mode not in self._keys_of_mode:
            self._keys_of_mode[mode] = self._keys_in(*mode)
        return self._keys_of_mode[mode]

    def _keys_in(self, pane: type[KindPane], selecting: bool, ids: Sequence[str]) -> list[Key]:
        own = [key for key in self.keys if key.id in ids]
        screens = [key for key in self.keys if not key.own_action]
        if not selecting:
            return one_before_another(own, screens)
        taking = [key for key in own if key.id in pane.TAKING]
        return one_before_another(taking, screens, [key for key in own if key not in taking])

    # -- the focus, and what is under way ---------------------------------------------------------

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

    def _here(self) -> int:
        """Return the number of the cell in sight."""
        return self.view.no

    def _has_steps(self) -> bool:
        """Return whether the cell in sight shows a conversation."""
        return self.view.cell.subject.transcript is not None

    def _open(self, number: int) -> None:
        self.put_away()
        self.view.open(number)

    def _lined_up(self) -> None:
        self.view.show_titles()
        self.view.show_header()

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

    def _standing_turned(self) -> None:
        if self.parts.are_there:
            self.view.show_header()

    # -- a run of the judge -----------------------------------------------------------------------

    @property
    def is_there(self) -> bool:
        """Whether the screen is there; it is taken down before a run has ended."""
        return self.parts.are_there

    def judging_began(self, progress: "Progress") -> None:
        """Shows that a run has begun."""
        self.view.progress = progress
        self.view.judging_turned()

    def judging_progressed(self, progress: "Progress", *, draws: bool) -> None:
        """Keeps how far a run is, and shows it if it `draws`."""
        self.view.progress = progress
        if draws:
            self.view.show_header()

    def judging_ended(self) -> None:
        """Notes that a run has ended, also where the screen is gone."""
        self.view.progress = None

    def judging_over(self) -> None:
        """Shows that a run has ended: any cell may have changed."""
        self.view.judging_turned()
        self.show_anew()

    # -- what changed -----------------------------------------------------------------------------

    def changed(self, change: Change) -> None:
        """Shows every change of any cell."""
        self.saving.write_soon()
        self.view.changed(change, busy=self.selection.on or self.dialogs.busy)
        text = self.session.warning()
        if text:
            self._warn(text)

    def _warn(self, text: str) -> None:
        """Show a warning above the keys that stays until the person hides it."""
        words = [(StyledText(word),) for word in spelt(visible(text), self.marks).split()]
        head = (StyledText(" Look again? ", "title"),)
        keys = "{back} goes back, {leave} hides this."
        self.parts.card.add_class("-warning")  # which has room on the shortest screen, too
        self.parts.card.show([head, *words, *worded(keys, first_names(self.keys))])

    def show_anew(self) -> None:
        """Draws the queue and the header anew: any cell may have changed."""
        self.parts.queue.draw_anew()
        self.view.show_header()
        self.keys_changed()

    def moved(self) -> None:
        """All of it goes on under another name, or under another rubric."""
        self.navigation.open(self.view.no)
        self.parts.queue.draw_anew()
        self.queue_control.line_up(self.parts.queue.lineup, quietly=True)

    def rubric_changed(self, number: int, text: str = "") -> None:
        """Shows a cell and everything else under another rubric; then says `text`, if any."""
        self.navigation.forget_removed(self.bench.workspace.cells.count())
        self.__dict__.pop("comparing", None)  # what was compared may be gone
        self.view.no = number
        beside(self.screen, partial(self._show_under_rubric, text), "rubric")

    async def _show_under_rubric(self, text: str) -> None:
        await self.parts.panes.complete(kinds_of(self.bench.workspace.rubric))
        self.moved()
        if text:
            self.dialogs.say(text)

    def face_changed(self) -> None:
        """The response shows other words, or has other hits."""
        self.view.show_titles()
        self.keys_changed()

    def keys_changed(self) -> None:
        self._shown_keys.show()
        if self.parts.card.shown:
            self.greet()

    def greet(self) -> None:
        """Shows the keys that matter in this cell."""
        self.parts.card.show(*card(self.keys, self.view.pane))

    @property
    def goes_to_unseen(self) -> bool:
        """Whether the key for the next cell goes to an item of this one that was not seen."""
        return self.screen.focused in self.view.pane.lists() and bool(self.view.long.unseen())

    def ask(self) -> None:
        """Begins the judge's run, or asks about it, where labels are missing."""
        if self.judge_run.is_wanted:
            begin(self.judge_run.control.begin(self.view.no))
