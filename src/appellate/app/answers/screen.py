"""Two answers to one question beside each other, with how each instruction is answered in both, to
see what they differ in and judge them by one measure.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.events import Key as KeyPressed

from appellate.app.answers.acting import SidesAnswers
from appellate.app.answers.layout import SidesFrame
from appellate.app.answers.sides import BOTH, HERE, THERE, Sides
from appellate.app.cell_actions import Which
from appellate.app.keys.borrowed_keys import (
    BorrowedHints,
    BorrowedKeys,
    Command,
    OwnKeys,
    by_word,
    describe,
)
from appellate.app.keys.help import show_help
from appellate.session.workbench import Change, Workbench
from appellate.store.files.wordings import AskedCell
from appellate.ui.bar import Hint
from appellate.ui.conversation import begin
from appellate.ui.key import Key
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.overlay import Overlay

BINDINGS = [
    Binding("escape,q", "leave", "back", show=False, id="sides.leave"),
    Binding("o", "open", "its cell", show=False, id="sides.open"),
    Binding("tab,shift+tab", "side(-1)", "other side", show=False, id="sides.turn"),
    Binding("left,h", "side(0)", "left side", show=False, id="sides.left"),
    Binding("right,l", "side(1)", "right side", show=False, id="sides.right"),
    Binding("p", "offer(1)", "next sentence", show=False, id="sides.offer"),
    Binding("P", "offer(-1)", "sentence before", show=False, id="sides.offer_before"),
    Binding("d", "words", "differences", show=False, id="sides.words"),
    Binding("space", "answer_otherwise", "other answer", show=False, id="sides.otherwise"),
    Binding("plus", "scroll(1)", "scroll", show=False, id="sides.scroll"),
    Binding("minus", "scroll(-1)", "back", show=False, id="sides.scroll_back"),
    Binding("question_mark,f1", "help", "keys", show=False, id="sides.help"),
]

SHARED = {
    "cell.undo": "take back your last act, wherever it was",
    "cell.redo": "do it again",
    "item.reason": "say why the last answer was given",
    "cell.flag": "set the flag of the active side's cell, or take it down",
    "text.none": "the answer takes no words of the response",
    "unreviewed.next": "the next instruction that is answered otherwise",
    "unreviewed.previous": "the one before that is answered otherwise",
    "side_by_side": "the next answer to the question beside this one",
    "back": "back to the cell that you came from",
}
"""Keys of the bench that act here, too, and what they do here."""
OWN = (
    ("Tab", "the other side: answers go to the active one; ← → or h l: the left, the right"),
    ("p P", "another sentence as the one that an answer takes, the one before"),
    ("Enter o", "open the cell of the active side there; s, ( or Esc comes back"),
    ("Space", "the answer of the other side"),
    ("d", "mark the words that the other answer has not, or leave them unmarked"),
    ("+ -", "scroll both responses on, and back"),
    ("Esc", "leave"),
)


def strip(keys: Sequence[Key], answers: Mapping[str, str], *, partners: int) -> list[Hint]:
    """What the strip shows; `answers` are the words by the ids of their keys. A hint's action is
    the key itself.
    """
    of_bench = BorrowedHints(keys).of
    hints = [Hint("Tab", "side", "tab", 2)]
    hints += of_bench("unreviewed.next", "next difference", 3)
    for word, name in by_word(answers).items():
        hints += of_bench(name, word, 4)
    if partners > 1:
        hints += of_bench("side_by_side", "next answer", 6)
    return [
        *hints,
        *of_bench("cell.undo", "undo", 7),
        Hint("Enter", "its cell", "enter", 5),
        Hint("d", "differences", "d", 8),
        *of_bench("item.reason", "reason", 10),
        Hint("?", "keys", "question_mark", 1),
        Hint("Esc", "back", "escape", 9),
    ]


class SidesScreen(Overlay[AskedCell | int | None]):
    """Both answers; gives the cell to open, with the instruction that is under the cursor."""

    AUTO_FOCUS = "#rows"
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(
        self,
        bench: Workbench,
        sides: Sides,
        index: int,
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
        self._sides, self._begin_at = sides, index
        self._keys, self._answer_keys = keys, answers
        self._frame = SidesFrame(sides, marks, rendered=rendered)
        self._answers = SidesAnswers(self, bench, sides, self._frame, answers, reasons, turn, marks)
        self._borrowed_keys = self._borrowed()

    def _borrowed(self) -> BorrowedKeys:
        shared: dict[str, Command] = {
            "cell.undo": partial(self._answers.turn_back, "undo"),
            "cell.redo": partial(self._answers.turn_back, "redo"),
            "item.reason": lambda: begin(self._answers.reason()),
            "cell.flag": self._answers.flag,
            "text.none": self._answers.take_none,
            "unreviewed.next": partial(self._walk, 1),
            "unreviewed.previous": partial(self._walk, -1),
            "side_by_side": self._next_partner,
            "back": self.action_leave,
        }
        return BorrowedKeys(self._keys, self._answer_keys, self._answers.answer, shared)

    def compose(self) -> ComposeResult:
        yield from self._frame.composed(self, self.app.size)

    def on_mount(self) -> None:
        self._bench.listeners.append(self._changed)
        for text in self._frame.texts:
            text.can_focus = False
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Shows the pair once there is room: what is shown before is wrapped twice."""
        self._frame.show_pair(self._begin_at)
        self._tell_keys()

    def on_unmount(self) -> None:
        self._bench.dismiss(self._changed)

    def on_resize(self, event: Resize) -> None:
        self._frame.fit(self, event.size)

    # -- looking ----------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        return self._frame.index

    @on(Lines.Highlighted, "#rows")
    def _moved(self) -> None:
        self._frame.look()
        self._tell_keys()

    @on(Lines.Chosen, "#rows")
    def action_open(self) -> None:
        self.dismiss(self._frame.here or self._sides.numbers[self._sides.active])

    def _changed(self, change: Change) -> None:
        """Takes in what happened to a cell; the cursor stays."""
        if self._sides.changed(change):
            self.call_next(self._draw_anew)

    def _draw_anew(self) -> None:
        self._frame.show_rows()
        self._frame.look()

    def _tell_keys(self) -> None:
        """The strip names the answers of the instruction under the cursor."""
        hints = strip(self._keys, self._answers.words(self.index), partners=self._sides.partners)
        self._frame.keys.show(OwnKeys(self, BINDINGS).hints(hints), "SIDE BY SIDE")

    # -- keys -------------------------------------------------------------------------------------

    def on_key(self, event: KeyPressed) -> None:
        """What was said stands until the next key; the bench's own keys act as the person has
        them.
        """
        self._frame.say("")
        self._borrowed_keys.press(event)

    def on_click(self, event: Click) -> None:
        """A click on a response makes its side the active one."""
        for side in BOTH:
            if event.widget is self._frame.texts[side]:
                self.action_side(side)

    def action_side(self, side: int) -> None:
        """Makes a side the active one; -1 is the other."""
        if side < HERE:
            side = THERE - self._sides.active
        self._sides.active = side
        self._draw_anew()

    def _walk(self, by: int) -> None:
        """The next row that is answered otherwise, the first behind the last."""
        rows = self._sides.differing()
        if by < 0:
            rows.reverse()
        if not rows:
            self._frame.say("No instruction is answered otherwise.")
            return
        if rows == [self.index]:
            self._frame.say("This is the only one that is answered otherwise.")
            return
        further = [row for row in rows if (row - self.index) * by > 0]
        self._frame.lines.go(0, (further or rows)[0])
        self._moved()

    def _next_partner(self) -> None:
        if self._sides.partners == 1:
            self._frame.say("There is no further answer to this question.")
            return
        self._sides.next_partner()
        self._frame.show_pair(self.index)

    def action_words(self) -> None:
        """Marks the words in which the answers differ, or leaves them unmarked."""
        if not self._sides.are_alike:
            self._frame.say("Too little is in common: nearly every word would be marked.")
            return
        self._sides.marks_words = not self._sides.marks_words
        self._frame.count()
        self._frame.look()

    def action_scroll(self, by: int) -> None:
        for text in self._frame.texts:
            text.action_roll_page(by)

    def action_help(self) -> None:
        words = self._answers.words(self.index).items()
        given = {name: f"the active side answers “{word}”" for name, word in words}
        keys = describe(self._keys, given, OwnKeys(self, BINDINGS).describe(OWN), SHARED)
        states = [self._sides.cell(side).state for side in BOTH]
        signs = {getattr(self._marks, state): f"the cell is {state}" for state in states}
        signs[self._marks.split] = "answered otherwise on the other side"
        show_help(self, self._frame.keys.names, keys, "comparing", self._marks, signs)

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_answer_otherwise(self) -> None:
        self._answers.answer_otherwise()

    def action_offer(self, by: int) -> None:
        self._answers.offer(by)
