"""The judge at work behind the screen: asked first where it costs, stopped at a key, seen in the header."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.css.query import NoMatches
from textual.worker import Worker

from appellate.core.cell import Cell
from appellate.core.refused import Refused
from appellate.core.wordforms import many
from appellate.judging.choice import Choice
from appellate.judging.estimate import forecast
from appellate.judging.outbox import BrokenDown
from appellate.judging.pending import PendingCells, next_round, open_again
from appellate.judging.progress import Progress
from appellate.judging.run import WriteBudget, left, run
from appellate.store.database import NotKept
from appellate.workbench import Change, Round

if TYPE_CHECKING:
    from appellate.app.desk import Desk

USUAL, CALM = 0.2, 2.0  # seconds between two drawings of the header
_SAMPLED = 50  # prompts built to say what a run will cost
_BUDGET, _REST = 0.005, 0.02  # seconds for keeping answers, and for the screen after them


class JudgeRun:
    """At most one run at a time."""

    def __init__(self, screen: "Desk", choice: Choice, listener: Callable[[Change], None]) -> None:
        self._screen = screen
        self._choice = choice
        self._listener = listener
        self._worker: Worker[None] | None = None
        self._stop: Callable[[], None] | None = None
        self._drawn = 0.0
        self._stalled = False
        calm = screen.settings.reduced_motion or screen.settings.plain
        self._every = CALM if calm else USUAL
        self.tally: Progress | None = None

    def begin(self) -> None:
        """Judges what is missing: at once where it costs nothing, else after a yes."""
        count = left(self._screen.bench, self._choice)
        if self._screen.bench.readonly or not count:
            return
        if self._choice.judge is None:
            missing = f"{many(count, 'cell')} {'is' if count == 1 else 'are'} not judged."
            self._screen.say(f"{missing} Start with --model to ask a model, or fill them by hand.")
        elif self._choice.sends:
            self._screen.confirm("run", self._question(self._screen.bench.round))
        else:
            self._start(None)

    def _question(self, about: Round, *, alone: bool = False) -> str:
        """Whom to ask about what a round takes on, and what that will cost where prices are known."""
        workspace, choice = self._screen.bench.workspace, self._choice
        priced = all(member.endpoint.prices for member in choice.members)
        pending = PendingCells(workspace, choice, about, alone=alone)
        return choice.question(pending.left, forecast(workspace, pending, choice, _SAMPLED).cost if priced else None)

    def judge_this(self, number: int, cell: Cell) -> None:
        """Judges one cell; one that is judged already after a yes, in a round of its own."""
        if obstacle := self._obstacle(again=cell.judged is not None):
            self._screen.say(obstacle)
        elif cell.judged:
            self._screen.confirm(f"one {number}", f"{self._choice.question(1)} {_again(cell)}")
        elif self._choice.sends:
            self._screen.confirm(f"one {number}", self._choice.question(1))
        else:
            self._start(number)

    def judge_again(self, where: str) -> None:
        """Judges the cells of the queue again, in a round of its own, after a yes."""
        if obstacle := self._obstacle(again=True):
            self._screen.say(obstacle)
            return
        try:
            ahead = next_round(self._screen.bench, self._choice, where)
        except Refused as refusal:
            self._screen.say(str(refusal))
            return
        cells = f"the cells of the queue ({where})" if where else "every cell"
        self._screen.confirm("again", f"{self._question(ahead, alone=True)} Again for {cells}. {_STAYS}")

    def _obstacle(self, *, again: bool) -> str:
        """Why nobody can be asked now, if so; `again` about what is judged already."""
        if self._screen.bench.readonly:
            return "This session only reads."
        if self._choice.judge is None:
            return "No judge was named. Start again with --model NAME or --judge lexical."
        if self.tally is not None:
            return "A run is under way: X stops it."
        return _RECORDED if again and self._choice.name == "recorded" else ""

    def decided(self, purpose: str, yes: bool) -> None:
        """The person answered whether to send requests."""
        if not yes:
            self._screen.say("Nothing was sent. J asks about one cell.")
        elif purpose == "run":
            self._start(None)
        elif purpose == "again":
            self._open_round()
        else:
            self._start(int(purpose.removeprefix("one ")))

    def _open_round(self) -> None:
        try:
            open_again(self._screen.bench, self._choice, self._screen.lineup.filter)
        except (Refused, NotKept) as refusal:
            self._screen.say(str(refusal))
        else:
            self._start(None, alone=True)

    def stop(self, *, quietly: bool = False) -> None:
        """Stops the run; what has arrived stays."""
        if self.tally is not None and self._stop is not None:
            self._stop()
            if not quietly:
                self._screen.say(
                    "Stopped. What has arrived is kept; the next start asks about the rest, J about one cell."
                )
        elif not quietly:
            self._screen.say("No judge is at work.")

    def _start(self, only: int | None, *, alone: bool = False) -> None:
        self.tally = Progress(left=1 if only else left(self._screen.bench, self._choice, alone=alone))
        self._stop, self._stalled = None, False
        self._worker = self._screen.run_worker(self._run(only, alone), group="judge")
        self._screen.show_standing()

    async def _run(self, only: int | None, alone: bool) -> None:
        try:
            told = await self._ran(only, alone)
        except NoMatches:
            if self._screen.is_whole:
                raise
            return  # everything is kept, and the screen is being taken down
        finally:
            self.tally = None
        if self._screen.is_whole:
            self._screen.judged(told)

    async def _ran(self, only: int | None, alone: bool) -> str:
        """A run, and what is said when it is over."""
        try:
            done = await run(
                self._screen.bench,
                self._choice,
                start=self._screen.no,
                only=only,
                alone=alone,
                pace=WriteBudget(_BUDGET, _REST),
                progressed=self._progressed,
                stopping=self._may_stop,
                listener=self._listener,
            )
        except NotKept as refusal:
            return f"The judge was stopped: {refusal}. {refusal.standing}"
        except BrokenDown as trouble:
            return f"{trouble} What arrived before is kept."
        except Refused as refusal:
            return str(refusal)
        return _told(done)

    def _may_stop(self, stop: Callable[[], None]) -> None:
        self._stop = stop

    def _progressed(self, tally: Progress) -> None:
        self.tally = tally
        now = asyncio.get_running_loop().time()
        if now - self._drawn >= self._every:
            self._drawn = now
            self._screen.show_standing()
        if tally.stalled and not self._stalled:
            self._screen.say(f"No answer for {tally.silent:.0f} s. {_usually(tally)}X stops the judge.")
        self._stalled = tally.stalled


_RECORDED = "These labels came with the traces and stay the same. To ask a model, start again with --model NAME."
_STAYS = "What is signed off stays as it is; elsewhere corrections carry over where they still fit."


def _again(cell: Cell) -> str:
    """What another judgment of a cell means for it."""
    if cell.signed:
        return f"It is signed off and stays so; the answer stands beside it as round {cell.round + 1} (V)."
    return f"The answer opens round {cell.round + 1}; your corrections carry over where they still fit."


def _usually(tally: Progress) -> str:
    return f"Usually one takes {tally.usual:.0f} s. " if tally.usual and tally.usual >= 1 else ""


def _told(done: Progress) -> str:
    why = "it says" if done.failed == 1 else "they say"
    parts = [f"{many(done.failed, 'cell')} failed; {why} why, and J asks again."] if done.failed else []
    parts += [f"{many(done.absent, 'cell')} came without all judges: f is:absent finds them."] if done.absent else []
    parts += [f"{many(done.unrecorded, 'cell')} without recorded labels: still pending."] if done.unrecorded else []
    if done.cached:
        what = "The answer was" if done.done == 1 else f"{done.cached} of {done.done} answers were"
        parts += [f"{what} known already and cost nothing."]
    return " ".join(parts)
