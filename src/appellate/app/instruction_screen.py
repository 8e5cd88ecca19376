"""One instruction down all cells that are asked it, to answer it again and again by one measure.

The rows are those of an `InstructionList`, which outlives the screen: whoever opens a cell from it
and comes back finds it as it was left.
"""

from asyncio import TimerHandle
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Key as KeyPressed
from textual.events import Resize

from appellate.app.borrowed_keys import BorrowedKeys, Command, OwnKeys, by_word
from appellate.app.cell_actions import Which
from appellate.app.instruction_answers import InstructionAnswers
from appellate.app.instruction_frame import InstructionFrame
from appellate.app.instruction_help import BINDINGS, keys_help, strip
from appellate.app.instruction_list import InstructionList
from appellate.app.instruction_sorting import RowMarking, RowSorting
from appellate.core.problem import Refused
from appellate.store.database import NotKept
from appellate.store.wordings import AskedCell
from appellate.ui.contract import READS_ONLY
from appellate.ui.conversation import begin
from appellate.ui.key import Key
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.overlay import Overlay
from appellate.ui.picker import Picker, reasons_to_pick
from appellate.ui.textual_compat import later
from appellate.workbench import Change, Workbench

ALONE = "Only this cell is asked this instruction, and no other is in like words."
SOON = 0.3  # seconds till what others did is counted


class InstructionScreen(Overlay[AskedCell | None]):
    """The list; gives the cell to open. `answers` are the answers by the ids of their keys."""

    AUTO_FOCUS = "#cells"
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

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
        self._marking = RowMarking(shown, self._frame)
        self._sorting = RowSorting(self, shown, self._frame, marks)
        self._counting: TimerHandle | None = None
        self._borrowed_keys = self._borrowed()

    def _borrowed(self) -> BorrowedKeys:
        shared: dict[str, Command] = {
            "cell.undo": partial(self._turn_back, "undo"),
            "cell.redo": partial(self._turn_back, "redo"),
            "item.reason": lambda: begin(self._reason()),
            "cell.flag": lambda: self._do(lambda: self._answers.flag(self._shown.aimed(self.here))),
            "text.none": self._take_none,
            "unreviewed.next": partial(self._walk, 1),
            "unreviewed.previous": partial(self._walk, -1),
            "by_instruction": self.action_leave,
        }
        return BorrowedKeys(self._keys, self._answer_keys, self._answer, shared)

    def compose(self) -> ComposeResult:
        yield from self._frame.composed()

    def on_mount(self) -> None:
        self._bench.listeners.append(self._changed)
        words = self._shown.words_of(self._answer_keys)
        hints = strip(self._keys, words, words=self._shown.may_take_words)
        self._frame.keys.show(OwnKeys(self, BINDINGS).hints(hints), "BY INSTRUCTION")
        self._frame.show_rows(self._begin_at)
        if self._shown.total == 1 and not self._shown.like:
            self._frame.say(ALONE)

    def on_unmount(self) -> None:
        self._bench.dismiss(self._changed)

    def on_resize(self, event: Resize) -> None:
        self._frame.fit(self, event.size)

    # -- looking ----------------------------------------------------------------------------------

    @property
    def here(self) -> AskedCell | None:
        return self._frame.here

    @on(Lines.Highlighted, "#cells")
    def _moved(self) -> None:
        self._frame.look()

    @on(Lines.Chosen, "#cells")
    def action_open(self) -> None:
        if self.here is not None:
            self.dismiss(self.here)

    def _changed(self, change: Change) -> None:
        """Takes in what happened to a cell; the cursor stays."""
        self._shown.changed(change)
        self._frame.redraw()
        if self.here and self.here.cell == change.no:
            self.call_next(self._frame.look)
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
        self._borrowed_keys.press(event)

    def _do(self, work: Callable[[], str]) -> bool:
        """Carries something out and says what became of it, or why not."""
        if self._bench.readonly:
            self._frame.say(READS_ONLY)
            return False
        try:
            text = work()
        except (Refused, NotKept) as refusal:
            self._frame.say(str(refusal))
            return False
        self._frame.say(text)
        self._frame.draw_anew()
        return True

    # -- answers ----------------------------------------------------------------------------------

    def _answer(self, answer: str) -> None:
        """Gives an answer to the rows; from a single one that took it the cursor goes on."""
        aimed, lot = self._shown.aimed(self.here), bool(self._shown.marked)
        if not aimed:
            self._frame.say("There is no cell here.")
            return
        given = self._do(lambda: self._answers.give(aimed, answer))
        if given and not lot and not self._answers.refused:
            self._frame.lines.action_move(1)

    def action_turn(self) -> None:
        """The other answer of two."""
        keys = by_word(self._shown.words_of(self._answer_keys))
        others = [key for word, key in keys.items() if word != self._shown.answer(self.here)]
        if len(keys) == 2 and len(others) == 1:  # noqa: PLR2004 - two answers
            self._answer(self._answer_keys[others[0]])
        else:
            self._frame.say("There is no other answer that this could turn to.")

    def _turn_back(self, which: Which) -> None:
        """Takes the last act back, or does it again, and goes to where it was."""
        turned: list[Change] = []

        def turn() -> str:
            text, changes = self._turn(which)
            turned.extend(changes)
            return text

        if self._do(turn):
            self._frame.go_to_cell(turned[0].no)
            self._frame.look()

    def _walk(self, by: int) -> None:
        """The next row whose cell is not signed off, the first behind the last."""
        asked = self._shown.next_unsigned(self.here, by)
        if asked is None:
            self._frame.say("Every cell of these is signed off.")
        elif asked == self.here:
            self._frame.say("This is the only cell of these that is not signed off.")
        else:
            self._frame.go_to(asked)

    def _take_none(self) -> None:
        if self.here:
            self._frame.say(self._shown.offers.take_none(self.here))
            self._frame.look()

    def action_offer(self, by: int) -> None:
        if self.here:
            self._frame.say(self._shown.offers.next(self.here, by))
            self._frame.look()

    async def _reason(self) -> None:
        picker = reasons_to_pick(self._reasons, self._marks)
        self.app.push_screen(picker)
        text = await picker.picked
        self._do(lambda: self._answers.reason(text))

    # -- marks, and which rows --------------------------------------------------------------------

    def action_mark(self, way: str) -> None:
        """Marks a row, all to here, all there are, or on the way up or down."""
        self._marking.mark(way)

    def action_rows(self, what: str) -> None:
        """Has one choose which rows are shown, or in which order."""
        begin(self._sorting.choose(what))

    # -- elsewhere --------------------------------------------------------------------------------

    def action_scroll(self, by: int) -> None:
        self._frame.response.action_roll_page(by)

    def action_help(self) -> None:
        words = self._shown.words_of(self._answer_keys)
        choices = list(keys_help(self._keys, words, OwnKeys(self, BINDINGS)))
        title = "Keys of the list of one instruction"
        self.app.push_screen(Picker(title, choices, does="", marks=self._marks))

    def action_leave(self) -> None:
        """Lets the marks go, then closes the list."""
        if self._shown.marked:
            self._shown.marked.clear()
            self._frame.draw_anew()
        else:
            self.dismiss(None)
