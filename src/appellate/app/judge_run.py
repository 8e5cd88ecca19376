"""The judge at work behind the screen: stopped at a key, seen in the header."""

import asyncio
from functools import cached_property, partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from textual.css.query import NoMatches

from appellate.core.problem import many
from appellate.store.database import NotKept
from appellate.ui.textual_compat import beside

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace
    from appellate.judging.control import JudgeControl
    from appellate.judging.progress import Progress
    from appellate.judging.questions import CellScope
    from appellate.judging.run import Run

USUAL, CALM = 0.2, 2.0  # seconds between two drawings of the header
_BUDGET, _REST = 0.005, 0.02  # seconds for keeping answers, and for the screen after them


class _RunWanted(Struct, frozen=True):
    """What a run is to do: with which cells, whether no judge is asked, whether code may run."""

    cells: "CellScope | None" = None
    computing: bool = False
    code: bool = False


class JudgeRun:
    """At most one run at a time; the view knows how far it is, and that there is none by None."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at
        self._run: Run | None = None
        self._wanted = _RunWanted()
        self._next: _RunWanted | None = None
        self._drawn = 0.0
        self._stalled = False
        self._every = USUAL
        if at.settings.reduced_motion or at.settings.plain:
            self._every = CALM

    @cached_property
    def control(self) -> "JudgeControl":
        """What begins runs."""
        from appellate.judging.control import JudgeControl  # with all that judging takes

        return JudgeControl(self._at.bench, self._at.choice, self._at.dialogs, self)

    @property
    def is_wanted(self) -> bool:
        """Whether cells have no labels yet, or a round was begun, which may have some left."""
        missing = self._at.bench.workspace.count_missing()
        return missing > 0 or self._at.bench.round.no > 1

    @property
    def is_on(self) -> bool:
        return self._run is not None

    def begin(
        self, cells: "CellScope | None", *, computing: bool = False, code: bool = False
    ) -> None:
        """Begins a run; one that is on ends first.

        With `computing` no judge is asked; with `code` that of other people runs, where it may.
        """
        from appellate.judging.run import Run, WriteBudget  # only where labels are missing

        wanted = _RunWanted(cells, computing, code)
        if self._run is not None:
            before = self._next or self._wanted
            self._next = _RunWanted(cells, computing and before.computing, code or before.code)
            self._run.stop()
            return
        choice, self._wanted = self._at.choice, wanted
        if not code:
            choice = replace(choice, code=None)
        self._run = Run(
            self._at.bench,
            choice,
            cells,
            budget=WriteBudget(_BUDGET, _REST),
            computing=computing,
        )
        self._at.view.progress, self._stalled = self._run.progress, False
        beside(self._at.screen, partial(self._go, self._run), "judge")
        self._at.view.judging_turned()

    def stop(self, *, quietly: bool = False) -> None:
        """Stops the run; what has arrived stays."""
        if self._run is not None:
            self._run.stop()
        if quietly:
            return
        if self._run is None:
            self._at.dialogs.say("No judge is at work.")
            return
        text = "the next start asks about the rest, J about one cell"
        self._at.dialogs.say(f"Stopped. What has arrived is saved; {text}.")

    async def _go(self, running: "Run") -> None:
        """The run to its end, and what to say then."""
        try:
            text = await self._outcome(running)
        except NoMatches:
            if self._at.view.parts.are_there:
                raise
            return  # everything is kept, and the screen is being taken down
        finally:
            self._at.view.progress = self._run = None
        following, self._next = self._next, None
        if self._at.view.parts.are_there:
            self._at.view.judging_turned()
            self._at.show_anew()
            if text:
                self._at.dialogs.say(f"{self._at.dialogs.said} {text}".strip())
            if following:
                self.begin(following.cells, computing=following.computing, code=following.code)

    async def _outcome(self, running: "Run") -> str:
        from appellate.judging.questions import left_out
        from appellate.judging.run import BrokenDown

        try:
            with running:
                await self._watched(running)
        except NotKept as refusal:
            return f"The judge was stopped: {refusal}. {refusal.standing}"
        except BrokenDown as trouble:
            return f"{trouble} What arrived before is saved."
        rest = ""
        if self._at.choice.name != "recorded":  # whose pending cells are counted already
            rest = left_out(self._at.bench.workspace, self._at.choice)
        return f"{_describe(running.progress)} {rest}".strip()

    async def _watched(self, running: "Run") -> None:
        from appellate.judging.run import BrokenDown

        try:
            async for _ in running:
                self._progressed(running.progress)
        except (NotKept, BrokenDown):
            raise
        except BaseException:  # what is kept from here on is not for a screen that ends
            self._at.bench.dismiss(self._at.changed)
            raise

    def _progressed(self, progress: "Progress") -> None:
        self._at.view.progress = progress
        now = asyncio.get_running_loop().time()
        if now - self._drawn >= self._every:
            self._drawn = now
            self._at.view.show_header()
        if progress.stalled and not self._stalled:
            text = ", ".join(filter(None, [progress.silence_text, progress.end_text]))
            text = f"{text}.".capitalize()
            if progress.cause_text:
                text += f" {progress.cause_text}"
            elif progress.usual and progress.usual >= 1:
                text += f" Usually one takes {progress.usual:.0f} s."
            self._at.dialogs.say(f"{text} {{run.stop:X}} stops the judge.")
        self._stalled = progress.stalled


def _describe(done: "Progress") -> str:
    texts: list[str] = []
    if done.failed:
        why = "it says" if done.failed == 1 else "they say"
        texts.append(
            f"{many(done.failed, 'cell')} failed; {why} why, and {{cell.judge:J}} asks again."
        )
    texts += [one.describe for one in done.dead]
    if done.absent:
        cells = many(done.absent, "cell")
        texts.append(f"{cells} came without all judges: f is:missing-judge finds them.")
    if done.unrecorded:
        unrecorded = many(done.unrecorded, "cell is", "cells are")
        texts.append(f"{unrecorded} not judged: {{cell.judge:J}} on one.")
    if done.cached and done.done == 1:
        texts.append("The answer was known already and cost nothing.")
    elif done.cached:
        cached = f"{done.cached} of {done.done} answers"
        texts.append(f"{cached} were known already and cost nothing.")
    return " ".join(texts)
