"""The judge at work behind the screen: asked first where it costs, stopped at a key, seen in the header."""

import asyncio
from typing import TYPE_CHECKING

from textual.worker import Worker

from appellate.core.cell import Cell
from appellate.core.refused import Refused
from appellate.judges.assigner import Progress
from appellate.choosing import Choice
from appellate.judging import left, run
from appellate.store.workspace import NotKept

if TYPE_CHECKING:
    from appellate.app.desk import Desk

USUAL, CALM = 0.2, 2.0  # seconds between two drawings of the header


class Running:
    """At most one run at a time."""

    def __init__(self, screen: "Desk", choice: Choice) -> None:
        self._screen = screen
        self._choice = choice
        self._worker: Worker[None] | None = None
        self._drawn = 0.0
        calm = screen.settings.reduced_motion or screen.settings.plain
        self._every = CALM if calm else USUAL
        self.tally: Progress | None = None

    def begin(self) -> None:
        """Judges what is missing: at once where it costs nothing, else after a yes."""
        count = left(self._screen.bench)
        if self._screen.bench.readonly or not count:
            return
        if self._choice.judge is None:
            self._screen.say(f"{count} cells are not judged. Start with --model to ask a model, or fill them by hand.")
        elif self._choice.sends:
            asked = f"Ask {self._choice.model} at {self._choice.host} about {count} cells?"
            self._screen.confirm("run", asked)
        else:
            self._start(None)

    def judge_this(self, number: int, cell: Cell) -> None:
        """Judges one cell that no judge has judged yet."""
        if self._screen.bench.readonly:
            self._screen.say("This session only reads.")
        elif self._choice.judge is None:
            self._screen.say("No judge was named. Start again with --model NAME or --judge lexical.")
        elif cell.judged:
            self._screen.say("This cell has a judgment, and a second one never replaces it.")
        elif self.tally is not None:
            self._screen.say("A run is under way and comes to this cell too; X stops it.")
        elif self._choice.sends:
            self._screen.confirm(f"one {number}", f"Ask {self._choice.model} at {self._choice.host} about this cell?")
        else:
            self._start(number)

    def decided(self, purpose: str, yes: bool) -> None:
        """The person answered whether to send requests."""
        if not yes:
            self._screen.say("Nothing was sent. J asks about one cell.")
        elif purpose == "run":
            self._start(None)
        else:
            self._start(int(purpose.removeprefix("one ")))

    def stop(self, *, quietly: bool = False) -> None:
        """Stops the run; what has arrived stays."""
        if self._worker is not None and self._worker.is_running:
            self._worker.cancel()
            if not quietly:
                self._screen.say("Stopped. What has arrived is kept; start again to ask what is missing.")
        elif not quietly:
            self._screen.say("No judge is at work.")

    def _start(self, only: int | None) -> None:
        self.tally = Progress(left=1 if only else left(self._screen.bench))
        self._worker = self._screen.run_worker(self._run(only), group="judge")
        self._screen.show_standing()

    async def _run(self, only: int | None) -> None:
        told = ""
        try:
            start = self._screen.no
            done = await run(self._screen.bench, self._choice, start=start, only=only, progressed=self._progressed)
            told = _told(done)
        except NotKept as refusal:
            told = f"The judge was stopped: the disk refuses ({refusal}). What arrived before is kept."
        except Refused as refusal:
            told = str(refusal)
        finally:
            self.tally = None
            self._screen.judged(told)

    def _progressed(self, tally: Progress) -> None:
        self.tally = tally
        now = asyncio.get_running_loop().time()
        if now - self._drawn >= self._every:
            self._drawn = now
            self._screen.show_standing()


def _told(done: Progress) -> str:
    parts = [f"{done.failed} cells failed; they say why, and J asks again."] if done.failed else []
    parts += [f"{done.unrecorded} cells came without recorded labels and stay pending."] if done.unrecorded else []
    return " ".join(parts)
