"""Answers given to one of two sides, and acts taken back, from the screen that shows both."""

from collections.abc import Callable, Mapping, Sequence

from textual.screen import Screen

from appellate.app.answers.layout import SidesFrame
from appellate.app.answers.sides import THERE, Sides
from appellate.app.cell_actions import Which
from appellate.app.instructions.answers import InstructionAnswers
from appellate.app.keys.borrowed_keys import by_word
from appellate.core.problem import Refused
from appellate.session.workbench import Change, Workbench
from appellate.store.database import NotKept
from appellate.store.files.wordings import AskedCell
from appellate.ui.contract import READS_ONLY
from appellate.ui.marks import Marks
from appellate.ui.picker import reasons_to_pick


class SidesAnswers:
    """Carries out what is asked of the row under the cursor on the active side."""

    def __init__(
        self,
        screen: Screen[AskedCell | int | None],
        bench: Workbench,
        sides: Sides,
        frame: SidesFrame,
        answers: Mapping[str, str],
        reasons: Sequence[str],
        turn: Callable[[Which], tuple[str, Sequence[Change]]],
        marks: Marks,
    ) -> None:
        self._screen = screen
        self._bench = bench
        self._sides = sides
        self._frame = frame
        self._answer_keys = answers
        self._reasons = reasons
        self._turn = turn
        self._marks = marks
        self._answers = InstructionAnswers(bench, sides)

    def words(self, index: int) -> dict[str, str]:
        """What the answers to an instruction are called, by the ids of their keys."""
        subject = self._sides.cell(0).subject
        if subject.kind.answering is None or not self._sides.asked:
            return {}
        words = subject.kind.answering.sayable(subject.trait, self._sides.asked[index])
        return {key: words[answer] for key, answer in self._answer_keys.items() if answer in words}

    def _do(self, work: Callable[[], str]) -> None:
        """Carries something out and says what became of it, or why not."""
        if self._bench.readonly:
            self._frame.say(READS_ONLY)
            return
        try:
            text = work()
        except (Refused, NotKept) as refusal:
            text = str(refusal)
        self._frame.say(text)

    def answer(self, answer: str) -> None:
        """The active side answers so; the cursor stays."""
        here = self._frame.here
        if here:
            self._do(lambda: self._answers.give([here], answer))

    def answer_otherwise(self) -> None:
        """The active side answers as the other does; where they agree, the other of two answers."""
        active, index = self._sides.active, self._frame.index
        words = self.words(index)
        if not words:
            return
        now, there = self._sides.answer(active, index), self._sides.answer(THERE - active, index)
        others = {word: key for word, key in by_word(words).items() if word != now}
        if there in others:
            self.answer(self._answer_keys[others[there]])
        elif len(others) == 1:
            self.answer(self._answer_keys[next(iter(others.values()))])
        else:
            self._frame.say("There is no other answer that this could turn to.")

    def turn_back(self, which: Which) -> None:
        """Takes the last act back, or does it again."""
        self._do(lambda: self._turn(which)[0])

    def flag(self) -> None:
        """Sets the flag of the active side's cell, or takes it down."""
        here = self._frame.here
        if here:
            self._do(lambda: self._answers.flag([here]))

    def take_none(self) -> None:
        """Has an answer take no words of the response."""
        here = self._frame.here
        if here:
            self._frame.say(self._sides.offers.take_none(here))
            self._frame.look()

    def offer(self, by: int) -> None:
        """Another sentence as the one that an answer takes."""
        here = self._frame.here
        if here:
            self._frame.say(self._sides.offers.next(here, by))
            self._frame.look()

    async def reason(self) -> None:
        """Asks why the last answer was given."""
        picker = reasons_to_pick(self._reasons, self._marks)
        self._screen.app.push_screen(picker)
        text = await picker.picked
        self._do(lambda: self._answers.reason(text))
