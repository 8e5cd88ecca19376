"""One instruction down all cells that are asked it, to answer it again and again by one measure.

The rows are those of an `InstructionList`, which outlives the screen: whoever opens a cell from it
and comes back finds it as it was left.
"""

from asyncio import TimerHandle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from appellate.app.instructions.answers import InstructionAnswers
from appellate.app.instructions.layout import InstructionFrame
from appellate.app.instructions.listing import ONLY, ORDERS, InstructionList, Sorting
from appellate.app.keys.borrowed_keys import (
    BorrowedHints,
    BorrowedKeys,
    Command,
    OwnKeys,
    by_word,
    describe,
)
from appellate.app.keys.help import show_help
from appellate.core.problem import Refused
from appellate.session.workbench import Change, Workbench
from appellate.store.database import NotKept
from appellate.store.files.wordings import AskedCell
from appellate.ui.bar import Hint
from appellate.ui.contract import READS_ONLY, Choice
from appellate.ui.conversation import begin
from appellate.ui.key import Key
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.overlay import Overlay
from appellate.ui.picker import Picker, reasons_to_pick
from appellate.ui.textual_compat import later

SLICE, PAUSE = 0.008, 0.004  # seconds of looking through rows at once, and between


class RowMarking:
    """Marks rows, so that an answer goes to all of them."""

    def __init__(self, shown: InstructionList, frame: InstructionFrame) -> None:
        self._shown = shown
        self._frame = frame
        self._last: AskedCell | None = None

    def mark(self, way: str) -> None:
        """Marks "one" row or lets it go, all "to" here, "all" there are, or on the way "up" or
        "down".
        """
        here = self._frame.here
        if here is None:
            self._frame.say("There is no cell here.")
            return
        match way:
            case "one":
                self._shown.marked ^= {here}
                self._frame.lines.action_move(1)
            case "to" if self._last and self._shown.place(self._last):
                self._add(self._shown.between(self._last, here))
            case "to":
                self._frame.say("x marks a row first; w then marks all from there to here.")
                return
            case "all":
                self._add(self._shown.everywhere())
                self._frame.say(
                    f"{len(self._shown.marked)} marked: an answer goes to all of them; "
                    "Esc lets them go."
                )
            case _:
                self._frame.lines.action_move(1 if way == "down" else -1)
                self._add({here, self._frame.here or here})
                here = self._frame.here or here
        self._last = here
        self._frame.draw_anew()

    def _add(self, rows: Iterable[AskedCell]) -> None:
        self._shown.marked.update(rows)


class RowSorting:
    """Asks which rows are shown, and looks through them between two keys."""

    def __init__(
        self,
        screen: Screen[AskedCell | None],
        shown: InstructionList,
        frame: InstructionFrame,
        marks: Marks,
    ) -> None:
        self._screen = screen
        self._shown = shown
        self._frame = frame
        self._marks = marks
        self._looking: Iterator[int] = iter(())

    async def choose(self, what: str) -> None:
        """Has one choose "only" which rows are shown or their "order"; turns "like" ones on or
        off.
        """
        if what == "like":
            self._turn_like()
        elif what == "only":
            offered = ONLY | {word: f"those with “{word}”" for word in self._shown.answers()}
            await self._pick("Which rows", offered, what)
        else:
            await self._pick("In which order", ORDERS, what)

    def _turn_like(self) -> None:
        """With the instructions in like words, or without."""
        if not self._shown.like:
            self._frame.say("No instruction is in like words.")
            return
        self._shown.with_like = not self._shown.with_like
        self._sort(self._shown.sorting)

    async def _pick(self, title: str, offered: Mapping[str, str], what: str) -> None:
        choices = [Choice(key or "all", "", words) for key, words in offered.items()]
        picker = Picker(title, choices, marks=self._marks)
        self._screen.app.push_screen(picker)
        key = await picker.picked
        if key == "all":
            key = ""
        self._sort(self._shown.sorting._replace(**{what: key}))

    def _sort(self, sorting: Sorting) -> None:
        self._looking = self._shown.sort_out(sorting)
        self._go_on()

    def _go_on(self) -> None:
        until = perf_counter() + SLICE
        for count in self._looking:
            if perf_counter() > until:
                self._frame.say(f"Looked through {count} cells …")
                later(PAUSE, self._screen, self._go_on)
                return
        self._frame.say("")
        self._frame.show_rows(self._frame.here)


BINDINGS = [
    Binding("escape,q", "leave", "back", show=False, id="instruction.leave"),
    Binding("o", "open", "its cell", show=False, id="instruction.open"),
    Binding("tab", "offer(1)", "next sentence", show=False, id="instruction.offer"),
    Binding("shift+tab", "offer(-1)", "sentence before", show=False, id="instruction.before"),
    Binding("x", "mark('one')", "mark", show=False, id="instruction.mark"),
    Binding("w", "mark('to')", "mark to here", show=False, id="instruction.mark_to"),
    Binding("asterisk", "mark('all')", "mark all", show=False, id="instruction.mark_all"),
    Binding("shift+down", "mark('down')", "mark, down", show=False, id="instruction.mark_down"),
    Binding("shift+up", "mark('up')", "mark, up", show=False, id="instruction.mark_up"),
    Binding("t", "rows('like')", "like words", show=False, id="instruction.like"),
    Binding("f", "rows('only')", "only some", show=False, id="instruction.only"),
    Binding("O", "rows('order')", "order", show=False, id="instruction.order"),
    Binding("space", "turn", "the other answer", show=False, id="instruction.turn"),
    Binding("plus", "scroll(1)", "scroll", show=False, id="instruction.scroll"),
    Binding("minus", "scroll(-1)", "back", show=False, id="instruction.scroll_back"),
    Binding("question_mark,f1", "help", "keys", show=False, id="instruction.help"),
]

SHARED = {
    "cell.undo": "",
    "cell.redo": "",
    "item.reason": "say why the last answers were given, all of them at once",
    "cell.flag": "set the flag of the cells, or take it down",
    "text.none": "the answer takes no words of the response",
    "unreviewed.next": "the next row whose cell is not signed off",
    "unreviewed.previous": "the one before",
    "by_instruction": "close the list",
}
"""Keys of the bench that act here, too, and what they do where that is not the same."""
OWN = (
    ("Tab", "another sentence as the one that an answer takes; Shift+Tab: the one before"),
    ("Enter o", "open the cell there, to select words by hand; ( or Esc comes back to this row"),
    ("x", "mark the row, or let it go: answers then go to all marked rows"),
    ("w", "mark all from the last mark to here; Shift+↑ ↓ marks while going"),
    ("*", "mark all rows"),
    ("t", "with the instructions in like words of other questions, or without"),
    ("f", "show only some rows: overruled, not signed off, those with one answer"),
    ("O", "the order of the rows"),
    ("Space", "the other answer, where there are two"),
    ("+ -", "scroll the response on, and back"),
    ("Esc", "let the marks go, then close the list"),
)


def strip(keys: Sequence[Key], answers: Mapping[str, str], *, words: bool) -> list[Hint]:
    """What the strip shows; `answers` are the words by the ids of their keys, `words` is whether
    an answer may have to be borne out. A hint's action is the key itself.
    """
    of_bench = BorrowedHints(keys).of
    hints: list[Hint] = []
    for word, name in by_word(answers).items():
        hints += of_bench(name, word, 2)
    if words:
        hints.append(Hint("Tab", "sentence", "tab", 5))
        hints += of_bench("text.none", "no words", 8)
    return [
        *hints,
        Hint("x w *", "mark", "x", 6),
        *of_bench("cell.undo", "undo", 4),
        *of_bench("item.reason", "reason", 10),
        *of_bench("unreviewed.next", "next unsigned", 11),
        Hint("Enter", "its cell", "enter", 3),
        Hint("f", "only", "f", 9),
        Hint("?", "keys", "question_mark", 1),
        Hint("Esc", "back", "escape", 7),
    ]


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
        words = self._shown.words_of(self._answer_keys).items()
        given = {name: f"answer “{word}”, and go on" for name, word in words}
        keys = describe(self._keys, given, OwnKeys(self, BINDINGS).describe(OWN), SHARED)
        signs = {self._marks.marked: "marked: an answer goes to all such rows"}
        show_help(self, self._frame.keys.names, keys, "comparing", self._marks, signs)

    def action_leave(self) -> None:
        """Lets the marks go, then closes the list."""
        if self._shown.marked:
            self._shown.marked.clear()
            self._frame.draw_anew()
        else:
            self.dismiss(None)
