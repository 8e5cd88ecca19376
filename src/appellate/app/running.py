"""The judge at work behind the screen: asked first where it costs, stopped at a key, seen in the header."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.css.query import NoMatches
from textual.worker import Worker

from appellate.choosing import Choice
from appellate.core.cell import Cell
from appellate.core.refused import Refused
from appellate.docket import Docket, open_again
from appellate.forecast import forecast
from appellate.judges.chambers import BrokenDown
from appellate.judges.progress import Progress
from appellate.judging import Pace, left, run
from appellate.store.workspace import NotKept

if TYPE_CHECKING:
    from appellate.app.desk import Desk

USUAL, CALM = 0.2, 2.0  # seconds between two drawings of the header
_SAMPLED = 50  # prompts built to say what a run will cost
_BUDGET, _REST = 0.012, 0.01  # seconds for keeping answers, and for the screen after them


class Running:
    """At most one run at a time."""

    def __init__(self, screen: "Desk", choice: Choice) -> None:
        self._screen = screen
        self._choice = choice
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
            self._screen.say(f"{count} cells are not judged. Start with --model to ask a model, or fill them by hand.")
        elif self._choice.sends:
            self._screen.confirm("run", self._question(count))
        else:
            self._start(None)

    def _question(self, count: int) -> str:
        """Whom to ask about what is missing, and what that will cost where prices are known."""
        bench, choice = self._screen.bench, self._choice
        priced = all(member.endpoint.prices for member in choice.members)
        docket = Docket(bench.workspace, choice, bench.round)
        return choice.question(count, forecast(bench.workspace, docket, choice, _SAMPLED).cost if priced else None)

    def judge_this(self, number: int, cell: Cell) -> None:
        """Judges one cell that no judge has judged yet."""
        if self._screen.bench.readonly:
            self._screen.say("This session only reads.")
        elif self._choice.judge is None:
            self._screen.say("No judge was named. Start again with --model NAME or --judge lexical.")
        elif self.tally is not None:
            self._screen.say("A run is under way: X stops it.")
        elif cell.judged:
            self._screen.confirm(f"one {number}", f"{self._choice.question(1)} {_again(cell)}")
        elif self._choice.sends:
            self._screen.confirm(f"one {number}", self._choice.question(1))
        else:
            self._start(number)

    def judge_again(self, count: int, where: str) -> None:
        """Judges the cells of the queue again, in a round of its own, after a yes."""
        if self._screen.bench.readonly:
            self._screen.say("This session only reads.")
        elif self._choice.judge is None:
            self._screen.say("No judge was named. Start again with --model NAME or --judge lexical.")
        elif self.tally is not None:
            self._screen.say("A run is under way: X stops it.")
        else:
            cells = f"the cells of the queue ({where})" if where else "every cell"
            self._screen.confirm("again", f"{self._choice.question(count)} Again for {cells}. {_STAYS}")

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
            self._start(None)

    def stop(self, *, quietly: bool = False) -> None:
        """Stops the run; what has arrived stays."""
        if self.tally is not None and self._stop is not None:
            self._stop()
            if not quietly:
                self._screen.say("Stopped. What has arrived is kept; start again to ask what is missing.")
        elif not quietly:
            self._screen.say("No judge is at work.")

    def _start(self, only: int | None) -> None:
        self.tally = Progress(left=1 if only else left(self._screen.bench, self._choice))
        self._stop, self._stalled = None, False
        self._worker = self._screen.run_worker(self._run(only), group="judge")
        self._screen.show_standing()

    async def _run(self, only: int | None) -> None:
        try:
            told = await self._ran(only)
        except NoMatches:
            if self._screen.is_whole:
                raise
            return  # everything is kept, and the screen is being taken down
        finally:
            self.tally = None
        if self._screen.is_whole:
            self._screen.judged(told)

    async def _ran(self, only: int | None) -> str:
        """A run, and what is said when it is over."""
        try:
            done = await run(
                self._screen.bench,
                self._choice,
                start=self._screen.no,
                only=only,
                pace=Pace(_BUDGET, _REST),
                progressed=self._progressed,
                stopping=self._may_stop,
            )
        except NotKept as refusal:
            return f"The judge was stopped: the disk refuses ({refusal}). What arrived before is kept."
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


_STAYS = "What is signed off stays as it is; elsewhere corrections carry over where they still fit."


def _again(cell: Cell) -> str:
    """What another judgment of a cell means for it."""
    if cell.signed:
        return f"It is signed off and stays so; the answer stands beside it as round {cell.round + 1} (V)."
    return f"The answer opens round {cell.round + 1}; your corrections carry over where they still fit."


def _usually(tally: Progress) -> str:
    return f"Usually one takes {tally.usual:.0f} s. " if tally.usual and tally.usual >= 1 else ""


def _told(done: Progress) -> str:
    parts = [f"{done.failed} cells failed; they say why, and J asks again."] if done.failed else []
    parts += [f"{done.unrecorded} cells came without recorded labels and stay pending."] if done.unrecorded else []
    parts += [f"{done.cached} of {done.done} answers were known already and cost nothing."] if done.cached else []
    return " ".join(parts)
