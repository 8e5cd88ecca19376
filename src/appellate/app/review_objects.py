"""The objects of one review screen, each made once with the objects that it uses.

`ReviewScreen` makes `ReviewObjects` of a `ReviewSetup`, which the application fills in.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from textual.message import Message
from textual.screen import Screen

from appellate.app.cell_actions import CellActions
from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.judge_run import JudgeRun
from appellate.app.keys.bindings import keys_of, kinds_of
from appellate.app.keys.keymap import applied, one_before_another
from appellate.app.keys.shown_keys import Focus, Moment, card, shown_keys
from appellate.app.layout import Layout, Parts
from appellate.app.pane_review import PaneReview
from appellate.app.queue.navigation import Navigation
from appellate.app.queue.view import QueueControl
from appellate.app.reading.material import Material
from appellate.app.reading.response_actions import ResponseActions
from appellate.app.reading.text_search import EvidenceSelection, TextSearch
from appellate.app.requests import Requests, Standing
from appellate.app.saving import Saving
from appellate.app.tour import Welcome
from appellate.core.inert import visible
from appellate.core.kind import Instruction
from appellate.core.problem import KeyNames
from appellate.core.trace import Materials
from appellate.judging.choice import JudgeChoice
from appellate.session.review_session import ReviewSession
from appellate.session.settings import Settings
from appellate.session.workbench import Change, Workbench
from appellate.ui.bar import sentence_atoms
from appellate.ui.conversation import begin
from appellate.ui.key import Hint, Key, first_names, names_of
from appellate.ui.marks import Marks, spelt
from appellate.ui.own_keys import own_names
from appellate.ui.pane import KindPane
from appellate.ui.rows import StyledText
from appellate.ui.textual_compat import beside

if TYPE_CHECKING:
    from appellate.app.compare.visits import Comparing
    from appellate.app.edit_rubric import RubricEdit
    from appellate.app.jumping import Jumping
    from appellate.app.numbers.screen import NumbersVisit
    from appellate.app.sample import SampleVisit
    from appellate.judging.progress import Progress

Mode = tuple[type[KindPane], bool, tuple[str, ...]]
"""Decides which keys act: the kind's pane, whether words are being selected, the pane's key ids."""


class ReviewSetup(Struct, frozen=True):
    """Everything that the program hands to its review screen."""

    bench: Workbench
    session: ReviewSession
    choice: JudgeChoice
    settings: Settings
    marks: Marks
    overrides: Mapping[str, str]
    """The keys that the reviewer has set, by the ids of bindings."""
    welcome: Welcome
    notes: Sequence[str]
    """Sentences to say after the first paint."""
    write: Callable[..., Awaitable[str]]
    """Writes the audit and returns "", or why it could not; shows no progress with `quietly`."""
    arrived: Callable[[Message], float]
    """Returns the time in seconds at which a message arrived."""
    asks: Callable[[], object]
    """Called before each question, so that a second Enter right after it is not an answer."""
    cannot_begin: Callable[[Exception], object]
    """Called with the error by which the first cell cannot be read; ends the program."""


class ReviewObjects:
    """The objects of one review screen, and the acts that concern several of them.

    Only the screen and its commands know all of them. Each object gets the objects that it uses,
    and functions to call for what it cannot do itself.
    """

    def __init__(
        self,
        screen: Screen[None],
        setup: ReviewSetup,
        *,
        press: Callable[[str], object],
    ) -> None:
        """Make all objects, in an order in which each exists before it is used.

        `press` does what the key with the given id does.
        """
        self.screen = screen
        self.bench = setup.bench
        self.session = setup.session
        self.choice = setup.choice
        self.settings = setup.settings
        self.marks = setup.marks
        self.keys: list[Key] = []
        """The keys of the screen and of the panes that are there, with the reviewer's own."""
        self._overrides = setup.overrides
        self.arrived = setup.arrived
        self.press = press
        self._keys_of_mode = dict[Mode, list[Key]]()
        _, first_cell = self.bench.open(self.bench.position().cell)
        first_kind = first_cell.subject.kind.name
        self._take_keys([first_kind])
        self.parts: Parts = Parts(
            self.bench,
            self.marks,
            self.keys,
            first_kind,
            material_rows=self.settings.material_rows,
            tour=setup.welcome.tour,
        )
        self.standing = Standing(
            self.bench,
            turned=self._standing_turned,
            key_names=lambda: self.key_names,
        )
        self.view = CellView(
            self.bench,
            self.session,
            self.parts,
            self.marks,
            self.standing,
            self,
            now=self._current_time,
        )
        self._make_reading(setup)
        self._make_acting(setup)
        self.review = PaneReview(
            self.view,
            self.selection,
            self.reading,
            self.requests,
            self.dialogs,
            self.standing,
            self.keys,
            press=self.press,
            is_response_alone=lambda: self.layout.is_response_alone,
        )
        self.parts.panes.furnish(self.review)

    def _make_reading(self, setup: ReviewSetup) -> None:
        """Set the dialogs, the layout, and what shows and searches the texts of the open cell.

        `parts` and `view` must be set.
        """
        self.dialogs = Dialogs(
            self.screen,
            self.parts.prompt,
            self.parts.confirm,
            self.parts.message,
            self.parts.keys,
            self.marks,
            asks=setup.asks,
            rest=self.rest,
        )
        self.material = Material(
            self.view,
            self.parts.asked,
            self.parts.material,
            self.dialogs,
            self.settings,
            self.choice.known_prompts,
            changed=self.keys_changed,
        )
        self.selection = EvidenceSelection(
            self.view,
            self.parts.response,
            self.dialogs,
            asks=setup.asks,
            changed=self.keys_changed,
            words_taken=self._words_taken,
        )
        self.layout = Layout(
            self.screen,
            self.parts,
            self.settings,
            self.dialogs,
            self.marks,
            self._open_cell_no,
            titled=self.view.show_titles,
        )
        self.search = TextSearch(
            self.view,
            self.parts.response,
            self.parts.material,
            self.dialogs,
            self.selection,
            changed=self.face_changed,
        )
        self.reading = ResponseActions(
            self.bench,
            self.view,
            self.parts.response,
            self.parts.material,
            self.dialogs,
            changed=self.face_changed,
        )

    def _make_acting(self, setup: ReviewSetup) -> None:
        """Set what goes to cells, changes cells and the queue, runs the judge and writes the audit.

        `_make_reading` must have been called.
        """
        self.navigation = Navigation(
            self.bench,
            self.parts.queue,
            self.dialogs,
            self._open_cell_no,
            opens=self._open,
            points_at=self.view.point_at,
            has_steps=self._has_steps,
            goes_to_step=self.reading.go_to_step,
        )
        self.queue_control = QueueControl(
            self.screen,
            self.parts.queue,
            self.dialogs,
            self._open_cell_no,
            goes=self.navigation.go,
            lined_up=self._lined_up,
        )
        self.requests = Requests(
            self.bench,
            self.dialogs,
            self.standing,
            why_not=self.layout.why_out_of_sight,
        )
        self.saving = Saving(
            self.screen,
            self.bench,
            self.dialogs,
            self.requests,
            self.standing,
            write=setup.write,
            place=self.view.place,
            is_there=lambda: self.parts.are_there,
            moved=self.moved,
        )
        self.judge_run = JudgeRun(
            self.screen,
            self.bench,
            self.choice,
            self.dialogs,
            self,
            calm=self.settings.reduced_motion or self.settings.plain,
        )
        self.cell_actions = CellActions(
            self.bench,
            self.view,
            self.requests,
            self.dialogs,
            self.navigation,
            self.judge_run,
            reasons=self.settings.reasons,
            sign_key=first_names(self.keys)["cell.sign"],
            locked=self._locked,
            rubric_changed=self.rubric_changed,
        )

    def _take_keys(self, kinds: Sequence[str]) -> None:
        """Fill `keys` with those of the panes of these kinds, then those of the screen.

        They are on the keys that the reviewer gave them. The list stays the same object, since
        others hold it.
        """
        self.keys[:] = applied(keys_of(kinds), self._overrides)
        self._keys_of_mode.clear()
        self.__dict__.pop("key_names", None)

    async def complete_panes(self) -> None:
        """Add the panes of the rubric's kinds that have none yet, and their keys.

        Before the first paint only those of the first cell's kind are there. A pane stays if its
        kind leaves the rubric.
        """
        kinds = kinds_of(self.bench.workspace.rubric)
        await self.parts.panes.complete(kinds)
        self._take_keys([*kinds, *self.parts.panes.kinds])

    @cached_property
    def key_names(self) -> KeyNames:
        """The names of all keys as the reviewer has them, by id; "" for one on no key."""
        return {**own_names(self.screen.app), **names_of(self.keys)}

    @cached_property
    def jumping(self) -> "Jumping":
        """Jump mode; its module is loaded at its first use."""
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
        """The screens of numbers, which open again as they were left; the same object each time."""
        from appellate.app.numbers.screen import NumbersVisit

        return NumbersVisit(
            self.bench,
            self.session,
            self.marks,
            self.dialogs,
            self.parts.queue,
            self.queue_control,
            open_list=self._open_list,
        )

    async def _open_list(self, trait: str, instruction: Instruction) -> bool:
        return await self.comparing.open_list(trait, instruction)

    def sample_visit(self) -> "SampleVisit":
        """Return a new object that opens the screen of the sample."""
        from appellate.app.sample import SampleVisit

        return SampleVisit(
            self.bench,
            self.marks,
            self.dialogs,
            self.requests,
            self.parts.queue,
            self.queue_control,
            changed=self._sample_changed,
        )

    def _sample_changed(self) -> None:
        """Draw the open cell and the queue again, and plan to write the audit.

        The sample decides whether a cell is blind. The cell is opened from its beginning.
        """
        self.saving.write_soon()
        self.navigation.open(self.view.no)
        self.parts.queue.draw_anew()

    def rubric_edit(self, **options: Any) -> "RubricEdit":
        """Return a new object that edits the rubric, with `options`.

        Only tests give options.
        """
        from appellate.app.edit_rubric import RubricEdit

        return RubricEdit(
            self.screen,
            self.bench,
            self.view,
            self.dialogs,
            self.judge_run,
            show_taken=self._rubric_taken,
            **options,
        )

    async def _rubric_taken(self, text: str) -> None:
        """Show everything under an edited rubric, begin to judge what it needs, and say `text`.

        Comparisons begin from the start. The reviewer may be asked before the judge begins.
        """
        self._forget_comparisons()
        await self.complete_panes()
        self.moved()
        self.ask()
        self.dialogs.say(text)

    @cached_property
    def comparing(self) -> "Comparing":
        """The screens that compare answers, which open again as they were left.

        It is the same object until the rubric changes.
        """
        from appellate.app.compare.visits import Comparing

        return Comparing(
            self.bench,
            self.view,
            self.dialogs,
            self.navigation,
            self.cell_actions,
            self.keys,
            arrived=self.arrived,
        )

    @property
    def keys_here(self) -> list[Key]:
        """The keys that act at the open cell: its pane's first, then those of the screen.

        While words are being selected, the keys of the pane that take no words come last.
        """
        pane = self.view.pane
        key_ids = tuple([key.id for key in pane.keys_here])
        mode = type(pane), self.selection.on, key_ids
        if mode not in self._keys_of_mode:
            self._keys_of_mode[mode] = self._keys_in(*mode)
        return self._keys_of_mode[mode]

    def _keys_in(
        self,
        pane: type[KindPane],
        selecting: bool,
        ids: Sequence[str],
    ) -> list[Key]:
        """Return the keys that act in a `Mode`: the pane's whose id is in `ids`, then the screen's.

        A key is left out where one before it has the same name on the keyboard. While words are
        being selected, the pane's keys that take words come first, and its other keys last.
        """
        pane_keys = [key for key in self.keys if key.id in ids]
        screen_keys = [key for key in self.keys if not key.is_own]
        if not selecting:
            return one_before_another(pane_keys, screen_keys)
        taking = [key for key in pane_keys if key.id in pane.TAKING]
        remaining = [key for key in pane_keys if key not in taking]
        return one_before_another(taking, screen_keys, remaining)

    # -- the focus, and what is under way ---------------------------------------------------------

    def rest(self) -> None:
        """Put the focus on the items, or on the response if it fills the screen.

        While words are being selected, the response gets it. Soon after, what changed while a
        question was open or words were being selected is drawn, unless either is so again.
        """
        if self.layout.is_response_alone or self.selection.on:
            self.screen.set_focus(self.parts.response)
        else:
            self.view.pane.take_focus()
        self.screen.call_later(self.catch_up)

    def catch_up(self) -> None:
        """Draw what changed while a question was open or words were being selected.

        Does nothing while either still is so, and while the screen is being taken down.
        """
        if not self.selection.on and not self.dialogs.busy and self.parts.are_there:
            self.view.catch_up()

    def _open_cell_no(self) -> int:
        """Return the number of the open cell."""
        return self.view.no

    def _current_time(self) -> float:
        """Return the current time in seconds, on the clock by which messages arrive."""
        return self.arrived(Message())

    @property
    def is_response_alone(self) -> bool:
        """Whether the response fills the screen."""
        return self.layout.is_response_alone

    @property
    def other_texts(self) -> Sequence[str]:
        """The names of the texts next to the response that a verdict may need."""
        return self.material.other_texts

    @property
    def unread(self) -> Materials:
        """The parts of the trace that the judge of the cell did not get."""
        return self.material.unread

    def show_material(self) -> None:
        """Show the texts next to the response of the cell."""
        self.material.show()

    def say(self, text: str) -> None:
        """Show a sentence instead of the keys, until the next key."""
        self.dialogs.say(text)

    def _has_steps(self) -> bool:
        """Return whether the open cell shows a conversation."""
        return self.view.cell.subject.transcript is not None

    def _open(self, number: int) -> None:
        """Open cell `number`, after ending a selection, a prompt and a search in the open cell.

        What was typed into the prompt is dropped.
        """
        self.put_away()
        self.view.open(number)

    def _lined_up(self) -> None:
        """Draw the titles and the header: the queue has other cells or another order."""
        self.view.show_titles()
        self.view.show_header()

    def put_away(self) -> None:
        """End a selection, a question for a line and a search in the open cell, if they are on.

        What asked for words or for a line gets no answer: Left is raised in it.
        """
        self.selection.end()
        self.parts.prompt.leave()
        self.search.end()

    def turn_to_queue(self) -> None:
        """Put the focus on the queue with its cursor on the open cell, or back on the cell.

        It goes back if the queue has the focus. A queue that has no room is shown while it has the
        focus.
        """
        if self.screen.focused is self.parts.queue:
            self.layout.hide_queue()
            self.rest()
        else:
            self.layout.show_queue()
            self.parts.queue.follow(self.view.no)

    def _standing_turned(self) -> None:
        """Draw the header again, because an error of saving is new or over.

        Does nothing before the widgets are there, and while the screen is being taken down.
        """
        if self.parts.are_there:
            self.view.show_header()

    # -- a run of the judge -----------------------------------------------------------------------

    @property
    def is_there(self) -> bool:
        """Whether the screen can be drawn; when the program ends it goes before the run does."""
        return self.parts.are_there

    def judging_began(self, progress: "Progress") -> None:
        """Keep how far the run is, and show in the header that it has begun.

        A cell without labels shows that it is being judged.
        """
        self.view.progress = progress
        self.view.judging_turned()

    def judging_progressed(self, progress: "Progress", *, draws: bool) -> None:
        """Keep how far the run is; with `draws` show it in the header, too."""
        self.view.progress = progress
        if draws:
            self.view.show_header()

    def judging_ended(self) -> None:
        """Note that the run has ended; called also after the screen is gone."""
        self.view.progress = None

    def judging_over(self) -> None:
        """Draw the queue, the header and the keys again after a run of the judge.

        A cell that still has no labels no longer shows that it is being judged.
        """
        self.view.judging_turned()
        self.show_anew()

    # -- what changed -----------------------------------------------------------------------------

    def changed(self, change: Change) -> None:
        """Plan to write the audit, show a change of any cell, and warn if the work is hasty.

        While a question is open or words are being selected, new labels of the open cell wait;
        `catch_up` draws them.
        """
        self.saving.write_soon()
        self.view.changed(change, busy=self.selection.on or self.dialogs.busy)
        text = self.session.warning()
        if text:
            self._warn(text)

    def _warn(self, text: str) -> None:
        """Show a warning of hasty work above the keys, which stays until the person hides it."""
        words = [
            (StyledText(word),) for word in spelt(visible(text), self.marks).split()
        ]
        head = (StyledText(" Look again? ", "title"),)
        keys = "{back} goes back, {leave} hides this."
        # which has room on the shortest screen, too
        self.parts.card.add_class("-warning")
        self.parts.card.show(
            [head, *words, *sentence_atoms(keys, first_names(self.keys))],
        )

    def show_anew(self) -> None:
        """Draw queue, header and keys again, because any cell may have changed."""
        self.parts.queue.draw_anew()
        self.view.show_header()
        self.keys_changed()

    def moved(self) -> None:
        """Draw everything again: the audit has another name, or the rubric changed.

        The open cell begins again, and the queue is filled again with what it shows.
        """
        self.navigation.open(self.view.no)
        self.parts.queue.draw_anew()
        self.queue_control.line_up(self.parts.queue.lineup, quietly=True)

    def _locked(self, text: str, pressed: tuple[str, float]) -> None:
        """Show the judge's labels of a blind cell after its verdict was locked.

        If the judge gave none, that is only said. `text` says what was unusual and follows the word
        "Locked" directly; "" for nothing. `pressed` is the key that locked it, with its time in
        seconds. This returns before the labels are closed.
        """
        self.comparing.locked(text, pressed)

    def rubric_changed(self, number: int, text: str = "") -> None:
        """Open cell `number` and draw everything under another rubric; then say `text`, if any.

        Visits to cells that were removed are forgotten, and comparisons begin from the start. It is
        drawn in the background.
        """
        self.navigation.forget_removed(self.bench.workspace.cells.count())
        self._forget_comparisons()
        self.view.no = number

        async def show() -> None:
            """Add panes for new kinds, draw everything again, and say the text, if any."""
            await self.complete_panes()
            self.moved()
            if text:
                self.dialogs.say(text)

        beside(self.screen, show, "rubric")

    def _forget_comparisons(self) -> None:
        """Forget the list and the pair that were opened last; the next ones are made anew.

        Their cells may be removed, and the rubric may lack their instructions.
        """
        self.__dict__.pop("comparing", None)

    def _words_taken(self) -> None:
        """End the search: the reviewer found the words that were searched for."""
        self.search.end()

    def face_changed(self) -> None:
        """Draw titles and keys again: the response shows other text or has other hits."""
        self.view.show_titles()
        self.keys_changed()

    def keys_changed(self) -> None:
        """Show the keys of the current moment in the strip, and in the card if it is open."""
        mode, hints = shown_keys(self._moment())
        self.parts.keys.show(hints, mode)
        if self.parts.card.shown:
            self.greet()

    def _moment(self) -> Moment:
        """Return everything that decides which keys the strip shows now."""
        view = self.view
        focus = self._focus()
        mode = ""
        hints: Sequence[Hint] = ()
        if focus == "selection":
            mode = self.selection.mode
            hints = self.selection.hints
        elif focus == "material":
            mode = self.material.mode
            hints = self.material.hints
        steps = self.parts.response.steps
        return Moment(
            focus,
            mode,
            hints,
            view.pane,
            view.cell,
            self.keys_here,
            self.key_names,
            is_readonly=self.bench.readonly,
            is_judging=self.judge_run.is_on,
            has_unseen=bool(view.long.unseen()),
            is_in_list=self.screen.focused in view.pane.lists(),
            has_folds=steps is not None and bool(steps.folded),
            was_just_corrected=view.keys_since_correction is not None,
            finding=self.search.finding,
            finding_ids=self.search.keys,
            times=self.parts.queue.typed,
            marks=self.marks,
        )

    def _focus(self) -> Focus:
        """Return which part of the screen the reviewer's keys go to.

        An open yes-or-no question comes first, then a selection, then the pane with the focus;
        "items" if no other has it, and while a line is being typed.
        """
        focused = self.screen.focused
        if self.parts.confirm.asking:
            return "question"
        if self.selection.on:
            return "selection"
        if self.material.has_focus:
            return "material"
        if focused is self.parts.queue:
            return "queue"
        if focused is self.parts.response:
            return "text"
        return "items"

    def greet(self) -> None:
        """Show the card with the most important keys for the open cell."""
        self.parts.card.show(*card(self.keys, self.view.pane))

    @property
    def goes_to_unseen(self) -> bool:
        """Whether the key for the next cell goes to an unseen item of the open cell first.

        It does so only while the focus is on the items, and there is an unseen one.
        """
        return self.screen.focused in self.view.pane.lists() and bool(
            self.view.long.unseen(),
        )

    def ask(self) -> None:
        """Begin a run of the judge if labels are missing, or a later round of it was begun.

        The reviewer may be asked first; this returns before the answer.
        """
        if self.judge_run.is_wanted:
            begin(self.judge_run.control.begin(self.view.no))
