"""What the screens that compare answers have in common: rows under a cursor, a line that says what
became of a key, a strip, and the bench's own keys as the person has them there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

from textual import on
from textual.binding import Binding
from textual.events import Key as KeyPressed
from textual.screen import ScreenResultType
from textual.widgets import Static

from appellate.app.compare.answers import AnsweredRows, InstructionAnswers
from appellate.app.keys.borrowed_keys import BorrowedKeys, Command, by_word, describe
from appellate.app.keys.help import show_help
from appellate.core.problem import Refused, wording
from appellate.session.acts import Acts, Which
from appellate.session.workbench import Change, Workbench
from appellate.store.database import NotKept
from appellate.store.files.wordings import AskedCell
from appellate.ui.bar import Hint, KeyStrip
from appellate.ui.contract import NO_REASON, READS_ONLY, WHY, is_reason, reason_choices
from appellate.ui.conversation import begin
from appellate.ui.key import Key, as_remapped, in_own_keys, keys_described, own_names
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks, spelt
from appellate.ui.overlay import Overlay
from appellate.ui.picker import Picker
from appellate.ui.text import plain, update_text


class Surroundings(NamedTuple):
    """The bench that a comparing screen was opened from: its keys as the person has them, the
    reasons usually given, whether responses are `rendered`.
    """

    bench: Workbench
    acts: Acts
    keys: Sequence[Key]
    reasons: Sequence[str]
    marks: Marks
    rendered: bool


def usual_bindings(name: str) -> list[Binding]:
    """The keys that every screen on which one compares responses has."""
    return [
        Binding("escape,q", "leave", "back", show=False, id=f"{name}.leave"),
        Binding("plus", "scroll(1)", "scroll", show=False, id=f"{name}.scroll"),
        Binding("minus", "scroll(-1)", "back", show=False, id=f"{name}.scroll_back"),
        Binding("question_mark,f1", "help", "keys", show=False, id=f"{name}.help"),
    ]


class ComparingScreen(Overlay[ScreenResultType]):
    """A screen over the bench with rows to compare: `shared` is what keys of the bench do here, by
    their ids, `answers` are the answers that the kind's keys give.

    A screen of its own says its `NAME` in the strip, the manual's `PAGE`, what its keys do (`OWN`)
    and what those shared with the bench do where that is not the same (`SHARED`).
    """

    AUTO_FOCUS = "#rows"
    NAME: ClassVar[str] = ""
    PAGE: ClassVar[str] = "comparing"
    OWN: ClassVar[str] = ""
    SHARED: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        around: Surroundings,
        shared: Mapping[str, Command],
        answers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.around = around
        self.answer_keys = answers or {}
        self.lines = Lines(marks=around.marks, id="rows")
        self.strip = KeyStrip(marks=around.marks, id="keys")
        self.message = Static(id="said", markup=False)
        self._borrowed = BorrowedKeys(around.keys, self.answer_keys, self.answer, shared)

    def answer(self, answer: str) -> None:
        """Gives an answer, where the screen takes any."""

    # -- looking ----------------------------------------------------------------------------------

    def look(self) -> None:
        """Shows what the row under the cursor rests on."""

    @on(Lines.Highlighted, "#rows")
    def _moved(self) -> None:
        self.look()

    def say(self, text: str) -> None:
        """A line in the place of the keys, until the next key; with the person's (`with_keys`)."""
        text = in_own_keys(text, self.app)
        update_text(self.message, plain(spelt(text, self.around.marks)))
        self.message.display = bool(text)
        self.strip.display = not text

    # -- keys -------------------------------------------------------------------------------------

    def on_key(self, event: KeyPressed) -> None:
        self.press(event)

    def press(self, event: KeyPressed) -> None:
        """What was said stays until the next key; the bench's own keys act as the person has
        them.
        """
        self.say("")
        self._borrowed.press(event)

    def do(self, work: Callable[[], str]) -> bool:
        """Carries something out and says what became of it, or why not."""
        if self.around.bench.readonly:
            self.say(READS_ONLY)
            return False
        try:
            text = work()
        except (Refused, NotKept) as refusal:
            self.say(wording(refusal))
            return False
        self.say(text)
        return True

    async def pick(self, picker: Picker) -> str:
        """Has one of the choices picked: its key."""
        self.app.push_screen(picker)
        return await picker.picked

    async def pick_reason(self) -> str:
        """Has one of the usual reasons picked, beginning on none, or one typed."""
        choices = [NO_REASON, *reason_choices(self.around.reasons)]
        return await self.pick(Picker(WHY, choices, free=is_reason, marks=self.around.marks))

    def key_of(self, name: str) -> str:
        for key in self.around.keys:
            if key.id == name:
                return key.keys.split(",")[0]
        return super().key_of(name)

    def show_hints(self, hints: Iterable[Hint]) -> None:
        """Shows these in the strip."""
        self.strip.show(as_remapped(hints, own_names(self.app)), self.NAME)

    @property
    def hinted(self) -> str:
        """The names of the keys that are in sight."""
        return self.strip.names

    def answer_help(self) -> Mapping[str, str]:
        """What the keys of answers do, by their ids."""
        return {}

    def signs(self) -> dict[str, str]:
        """What the marks in sight mean."""
        return {}

    def action_help(self) -> None:
        own = keys_described(self.OWN, own_names(self.app))
        keys = describe(self.around.keys, self.answer_help(), own, self.SHARED)
        show_help(self, self.hinted, keys, self.PAGE, self.around.marks, self.signs())

    def action_leave(self) -> None:
        self.dismiss(None)


class AnsweringScreen(ComparingScreen[ScreenResultType]):
    """One on which the row under the cursor is answered."""

    def __init__(
        self,
        around: Surroundings,
        shown: AnsweredRows,
        answers: Mapping[str, str],
        shared: Mapping[str, Command],
    ) -> None:
        usual: dict[str, Command] = {
            "cell.undo": partial(self.turn_back, "undo"),
            "cell.redo": partial(self.turn_back, "redo"),
            "item.reason": lambda: begin(self._reason()),
            "cell.flag": self._flag,
            "text.none": self._take_none,
            "unreviewed.next": partial(self.walk, 1),
            "unreviewed.previous": partial(self.walk, -1),
        }
        super().__init__(around, usual | dict(shared), answers)
        self._answered = shown
        self.answers = InstructionAnswers(around.bench, shown)

    def on_mount(self) -> None:
        self.around.bench.listeners.append(self.changed)

    def on_unmount(self) -> None:
        self.around.bench.dismiss(self.changed)

    def changed(self, change: Change) -> None:
        """Takes in what happened to a cell; the cursor stays."""
        raise NotImplementedError

    @property
    def here(self) -> AskedCell | None:
        """The row under the cursor."""
        raise NotImplementedError

    def aimed(self) -> list[AskedCell]:
        """The rows that an answer goes to."""
        return [self.here] if self.here else []

    def words(self) -> Mapping[str, str]:
        """What the answers to the row under the cursor are called, by the ids of their keys."""
        raise NotImplementedError

    def walk(self, by: int) -> None:
        """To the next row that asks for a look, or the one before."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draws the rows after something was done."""

    # -- answers ----------------------------------------------------------------------------------

    def do(self, work: Callable[[], str]) -> bool:
        done = super().do(work)
        if done:
            self.redraw()
        return done

    def answer(self, answer: str) -> None:
        self.give(answer)

    def give(self, answer: str) -> bool:
        """Answers the rows; whether that could be kept."""
        aimed = self.aimed()
        return bool(aimed) and self.do(lambda: self.answers.give(aimed, answer))

    def turn_to(self, now: str, there: str = "") -> None:
        """Gives the answer `there`, or else the other one of two than `now`."""
        others = {word: key for word, key in by_word(self.words()).items() if word != now}
        if there not in others and len(others) == 1:
            there = next(iter(others))
        if there in others:
            self.answer(self.answer_keys[others[there]])
        else:
            self.say("There is no other answer that this could turn to.")

    def turn_back(self, which: Which) -> Sequence[Change]:
        """Takes the last act back, or does it again: what changed."""
        turned: list[Change] = []

        def turn() -> str:
            text, changes = self.around.acts.turn(which)
            turned.extend(changes)
            return text

        self.do(turn)
        return turned

    def _flag(self) -> None:
        if aimed := self.aimed():
            self.do(lambda: self.answers.flag(aimed))

    def _take_none(self) -> None:
        if self.here:
            self.say(self._answered.offers.take_none(self.here))
            self.look()

    def action_offer(self, by: int) -> None:
        """Another sentence as the one that an answer takes."""
        if self.here:
            self.say(self._answered.offers.next(self.here, by))
            self.look()

    async def _reason(self) -> None:
        text = await self.pick_reason()
        self.do(lambda: self.answers.reason(text))
