"""One instruction down all cells that are asked it, to answer it again and again by one measure.

The rows are those of an `InstructionList`, which outlives the screen: whoever opens a cell from it
and comes back finds it as it was left.
"""

from asyncio import TimerHandle
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key as KeyPressed
from textual.events import Resize
from textual.screen import Screen

from appellate.app.cell_actions import Which
from appellate.app.instruction_answers import InstructionAnswers
from appellate.app.instruction_frame import InstructionFrame
from appellate.app.instruction_help import SHARED, strip, told
from appellate.app.instruction_list import ONLY, ORDERS, InstructionList, Sorting
from appellate.core.problem import Refused
from appellate.store.database import NotKept
from appellate.store.instructions import AskedCell
from appellate.ui.bar import KeyStrip
from appellate.ui.contract import READS_ONLY, Choice
from appellate.ui.conversation import begin
from appellate.ui.key import Key
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.picker import Picker
from appellate.ui.textual_compat import later
from appellate.workbench import Change, Workbench

SLICE, PAUSE = 0.008, 0.004  # seconds of looking through rows at once, and between
SOON = 0.3  # seconds till what others did is counted


class InstructionScreen(Screen[AskedCell | None]):
    """The list; gives the cell to open. `answers` are the answers by the ids of their keys."""

    AUTO_FOCUS = "#cells"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "back", show=False, id="instruction.leave"),
        Binding("o", "open", "its cell", show=False, id="instruction.open"),
        Binding("tab", "offer(1)", "next sentence", show=False, id="instruction.offer"),
        Binding("shift+tab", "offer(-1)", "sentence before", show=False, id="instruction.before"),
        Binding("x", "mark", "mark", show=False, id="instruction.mark"),
        Binding("w", "mark_to", "mark to here", show=False, id="instruction.mark_to"),
        Binding("asterisk", "mark_all", "mark all", show=False, id="instruction.mark_all"),
        Binding("shift+down", "mark_on(1)", "mark, down", show=False, id="instruction.mark_down"),
        Binding("shift+up", "mark_on(-1)", "mark, up", show=False, id="instruction.mark_up"),
        Binding("t", "like", "like words", show=False, id="instruction.like"),
        Binding("f", "only", "only some", show=False, id="instruction.only"),
        Binding("O", "order", "order", show=False, id="instruction.order"),
        Binding("space", "scroll(1)", "scroll", show=False, id="instruction.scroll"),
        Binding("backspace", "scroll(-1)", "back", show=False, id="instruction.scroll_back"),
        Binding("question_mark,f1", "help", "keys", show=False, id="instruction.help"),
    ]

    def __init__(
        self,
        bench: Workbench,
        shown: InstructionList,
        here: AskedCell | None,
        keys: Sequence[Key],
        answers: Mapping[str, str],
        reasons: Sequence[str],
        turn: Callable[[Which], tuple[str, Sequence[Change]]],
        marks: Marks,
        *,
        rendered: bool,
    ) -> None:
        super().__init__()
        self._bench, self._marks = bench, marks
        self._shown, self._begin_at = shown, here
        self._keys, self._answer_keys = keys, answers
        self._reasons, self._turn = reasons, turn
        self._answers = InstructionAnswers(bench, shown)
        self._frame = InstructionFrame(shown, marks, rendered=rendered)
        self._last_mark: AskedCell | None = None
        self._sorting: Iterator[int] | None = None
        self._counting: TimerHandle | None = None
        self._by_key = self._commands()

    def _commands(self) -> dict[str, Callable[[], object]]:
        """What the keys do that are the bench's own: answers come before all others."""
        shared: dict[str, Callable[[], object]] = {
            "cell.undo": partial(self._turn_back, "undo"),
            "cell.redo": partial(self._turn_back, "redo"),
            "item.reason": lambda: begin(self._reason()),
            "cell.flag": lambda: self._do(lambda: self._answers.flag(self._aimed())),
            "text.none": self._take_none,
            "by_instruction": self.action_leave,
        }
        found: dict[str, Callable[[], object]] = {}
        for key in self._keys:
            for name in key.keys.split(","):
                if key.id in self._answer_keys:
                    found[name] = partial(self._answer, self._answer_keys[key.id])
                elif key.id in SHARED:
                    found.setdefault(name, shared[key.id])
        return found

    def compose(self) -> ComposeResult:
        yield from self._frame.composed()

    def on_mount(self) -> None:
        self._bench.listeners.append(self._changed)
        words = self._shown.words_of(self._answer_keys)
        self._frame.keys.show(strip(self._keys, words), "BY INSTRUCTION")
        self._show_rows(self._begin_at)

    def on_unmount(self) -> None:
        self._bench.dismiss(self._changed)

    def on_resize(self, event: Resize) -> None:
        self._frame.fit(self, event.size)

    # -- looking ----------------------------------------------------------------------------------

    @property
    def here(self) -> AskedCell | None:
        return self._frame.here

    def _show_rows(self, here: AskedCell | None) -> None:
        """Shows the rows there are, with the cursor on one of them."""
        self._frame.show_rows(here)
        self._look()

    def _look(self) -> None:
        self._frame.look()

    @on(Lines.Highlighted, "#cells")
    def _moved(self) -> None:
        self._look()

    @on(Lines.Chosen, "#cells")
    def action_open(self) -> None:
        if self.here is not None:
            self.dismiss(self.here)

    def _changed(self, change: Change) -> None:
        """Takes in what happened to a cell; the cursor stays."""
        self._shown.changed(change)
        self._frame.lines.refresh()
        if self.here and self.here.cell == change.no:
            self.call_next(self._look)
        self._counting = self._counting or later(SOON, self, self._count)

    def _count(self) -> None:
        self._counting = None
        self._frame.count()

    # -- keys -------------------------------------------------------------------------------------

    def on_key(self, event: KeyPressed) -> None:
        """What was said stands until the next key; the bench's own keys act as the person has
        them.
        """
        self._frame.say("")
        command = self._by_key.get(event.key)
        if command is not None:
            event.stop()
            event.prevent_default()
            command()

    @on(KeyStrip.Pressed)
    async def _strip_clicked(self, event: KeyStrip.Pressed) -> None:
        names = {key.id: key.keys.split(",")[0] for key in self._keys}
        if event.action in names:
            self._by_key[names[event.action]]()
        elif event.action == "offer":
            self.action_offer(1)
        else:
            await self.run_action(event.action)

    def _do(self, work: Callable[[], str]) -> bool:
        """Carries something out and says what became of it, or why not."""
        if self._bench.readonly:
            self._frame.say(READS_ONLY)
            return False
        try:
            said = work()
        except (Refused, NotKept) as refusal:
            self._frame.say(str(refusal))
            return False
        self._frame.say(said)
        self._frame.draw_anew()
        return True

    # -- answers ----------------------------------------------------------------------------------

    def _aimed(self) -> list[AskedCell]:
        """The marked rows, else the one under the cursor."""
        if self._shown.marked:
            return [asked for asked in self._shown.everywhere() if asked in self._shown.marked]
        return [self.here] if self.here else []

    def _answer(self, answer: str) -> None:
        """Gives an answer to the rows; from a single one that took it the cursor goes on."""
        aimed, lot = self._aimed(), bool(self._shown.marked)
        if not aimed:
            self._frame.say("There is no cell here.")
            return
        given = self._do(lambda: self._answers.give(aimed, answer))
        if given and not lot and not self._answers.refused:
            self._frame.lines.action_move(1)

    def _turn_back(self, which: Which) -> None:
        """Takes the last act back, or does it again, and goes to where it was."""
        turned: list[Change] = []

        def turn() -> str:
            said, changes = self._turn(which)
            turned.extend(changes)
            return said

        if self._do(turn):
            self._frame.go_to_cell(turned[0].no)
            self._look()

    def _take_none(self) -> None:
        if self.here and self._shown.row(self.here).offers is not None:
            self._shown.take_none(self.here)
            self._look()
        else:
            self._frame.say("An answer takes no words here.")

    def action_offer(self, by: int) -> None:
        if self.here is None:
            return
        place, of = self._shown.next_offer(self.here, by)
        self._look()
        if of:
            self._frame.say(f"Sentence {place} of {of} that share words with the instruction.")
        else:
            self._frame.say("There is no sentence to choose here.")

    async def _reason(self) -> None:
        choices = [Choice(reason, "", reason) for reason in self._reasons]
        picker = Picker(
            "Why? Pick a reason, or type your own", choices, free=True, marks=self._marks
        )
        self.app.push_screen(picker)
        text = await picker.picked
        self._do(lambda: self._answers.reason(text))

    # -- marks ------------------------------------------------------------------------------------

    def _mark(self, rows: Sequence[AskedCell]) -> None:
        self._shown.marked.update(rows)
        self._frame.draw_anew()

    def action_mark(self) -> None:
        """Marks the row or lets it go, and goes on."""
        if self.here is None:
            return
        self._shown.marked ^= {self.here}
        self._last_mark = self.here
        self._frame.draw_anew()
        self._frame.lines.action_move(1)

    def action_mark_to(self) -> None:
        """Marks from the last mark to here."""
        start = self._last_mark
        if self.here is None or start is None or self._shown.place(start) is None:
            self._frame.say("x marks a row first; w then marks all from there to here.")
            return
        self._mark(self._shown.between(start, self.here))
        self._last_mark = self.here

    def action_mark_on(self, by: int) -> None:
        """Marks the row, goes on and marks that."""
        for step in (0, by):
            self._frame.lines.action_move(step)
            if self.here:
                self._mark([self.here])
                self._last_mark = self.here

    def action_mark_all(self) -> None:
        self._mark(self._shown.everywhere())
        self._frame.say(
            f"{len(self._shown.marked)} marked: an answer goes to all of them; Esc lets them go."
        )

    # -- which rows -------------------------------------------------------------------------------

    def action_like(self) -> None:
        """With like instructions, or without."""
        if not self._shown.like:
            self._frame.say("No instruction is in like words.")
            return
        self._shown.with_like = not self._shown.with_like
        self._sort(self._shown.sorting)

    def action_only(self) -> None:
        offered = ONLY | {word: f"those with “{word}”" for word in self._shown.answers()}
        begin(self._pick_sorting("Which rows", offered, "only"))

    def action_order(self) -> None:
        begin(self._pick_sorting("In which order", ORDERS, "order"))

    async def _pick_sorting(self, title: str, offered: Mapping[str, str], what: str) -> None:
        choices = [Choice(key or "all", "", words) for key, words in offered.items()]
        picker = Picker(title, choices, marks=self._marks)
        self.app.push_screen(picker)
        key = await picker.picked
        self._sort(self._shown.sorting._replace(**{what: "" if key == "all" else key}))

    def _sort(self, sorting: Sorting) -> None:
        """Looks through the rows between two keys, and shows those that are asked for."""
        self._sorting = self._shown.sort_out(sorting)
        self._go_on_sorting()

    def _go_on_sorting(self) -> None:
        if self._sorting is None:
            return
        until = perf_counter() + SLICE
        for count in self._sorting:
            if perf_counter() > until:
                self._frame.say(f"Looked through {count} of {self._shown.total} cells …")
                later(PAUSE, self, self._go_on_sorting)
                return
        self._sorting = None
        self._frame.say("")
        self._show_rows(self.here)

    # -- elsewhere --------------------------------------------------------------------------------

    def action_scroll(self, by: int) -> None:
        self._frame.response.action_roll_page(by)

    def action_help(self) -> None:
        words = self._shown.words_of(self._answer_keys)
        choices = list(told(self._keys, words))
        title = "Keys of the list of one instruction"
        self.app.push_screen(Picker(title, choices, does="Esc closes", marks=self._marks))

    def action_leave(self) -> None:
        """Lets the marks go, then closes the list."""
        if self._shown.marked:
            self._shown.marked.clear()
            self._frame.draw_anew()
        else:
            self.dismiss(None)
