"""The judge at work behind the screen: stopped at a key, seen in the header."""

import asyncio
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace
from textual.css.query import NoMatches
from textual.screen import Screen

from appellate.app.dialogs import Dialogs
from appellate.core.problem import many
from appellate.judging.choice import JudgeChoice
from appellate.session.workbench import Change, Workbench
from appellate.store.database import NotKept
from appellate.ui.textual_compat import beside

if TYPE_CHECKING:
    from appellate.judging.control import JudgeControl
    from appellate.judging.progress import Progress
    from appellate.judging.questions import CellScope
    from appellate.judging.run import Run

USUAL = 0.2  # seconds between two drawings of the header
CALM = 2.0
_BUDGET = 0.005  # seconds for keeping answers, and for the screen after them
_REST = 0.02


class _RunWanted(Struct, frozen=True):
    """What a run is to do: with which cells, whether no judge is asked, whether code may run."""

    cells: "CellScope | None" = None
    computing: bool = False
    code: bool = False


class RunWatcher(Protocol):
    """Who shows how far a run is."""

    @property
    def is_there(self) -> bool:
        """Whether the screen is there; it is taken down before a run has ended."""

    def judging_began(self, progress: "Progress") -> None:
        """Shows that a run has begun."""

    def judging_progressed(self, progress: "Progress", *, draws: bool) -> None:
        """Keeps how far a run is, and shows it if it `draws`."""

    def judging_ended(self) -> None:
        """Notes that a run has ended, also where the screen is gone."""

    def judging_over(self) -> None:
        """Shows that a run has ended: any cell may have changed."""

    def changed(self, change: Change) -> None:
        """A cell has changed."""


class JudgeRun:
    """At most one run at a time."""

    def __init__(
        self,
        screen: Screen[None],
        bench: Workbench,
        choice: JudgeChoice,
        dialogs: Dialogs,
        watcher: RunWatcher,
        *,
        calm: bool,
    ) -> None:
        """With `calm` the header is drawn only now and then while a run is on."""
        self._screen = screen
        self._bench = bench
        self._choice = choice
        self._dialogs = dialogs
        self._watcher = watcher
        self._run: Run | None = None
        self._wanted = _RunWanted()
        self._next: _RunWanted | None = None
        self._drawn = 0.0
        self._stalled = False
        self._every = CALM if calm else USUAL

    @cached_property
    def control(self) -> "JudgeControl":
        """What begins runs."""
        from appellate.judging.control import JudgeControl  # with all that judging takes

        return JudgeControl(self._bench, self._choice, self._dialogs, self)

    @property
    def is_wanted(self) -> bool:
        """Whether cells have no labels yet, or a round was begun, which may have some left."""
        missing = self._bench.workspace.count_missing()
        return missing > 0 or self._bench.round.no > 1

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
        choice = self._choice
        self._wanted = wanted
        if not code:
            choice = replace(choice, code=None)
        self._run = Run(
            self._bench,
            choice,
            cells,
            budget=WriteBudget(_BUDGET, _REST),
            computing=computing,
        )
        self._stalled = False
        beside(self._screen, partial(self._go, self._run), "judge")
        self._watcher.judging_began(self._run.progress)

    def stop(self, *, quietly: bool = False) -> None:
        """Stops the run; what has arrived stays."""
        if self._run is not None:
            self._run.stop()
        if quietly:
            return
        if self._run is None:
            self._dialogs.say("No judge is at work.")
            return
        text = "the next start asks about the rest, J about one cell"
        self._dialogs.say(f"Stopped. What has arrived is saved; {text}.")

    async def _go(self, running: "Run") -> None:
        """The run to its end, and what to say then."""
        try:
            text = await self._outcome(running)
        except NoMatches:
            if self._watcher.is_there:
                raise
            return  # everything is kept, and the screen is being taken down
        finally:
            self._run = None
            self._watcher.judging_ended()
        following = self._next
        self._next = None
        if self._watcher.is_there:
            self._watcher.judging_over()
            if text:
                self._dialogs.say(f"{self._dialogs.said} {text}".strip())
            if following:
                self.begin(following.cells, computing=following.computing, code=following.code)

    async def _outcome(self, running: "Run") -> str:
        from appellate.judging.questions import describe_left_out
        from appellate.judging.run import BrokenDown

        try:
            with running:
                await self._watched(running)
        except NotKept as refusal:
            return f"The judge was stopped: {refusal}. {refusal.standing}"
        except BrokenDown as trouble:
            return f"{trouble} What arrived before is saved."
        rest = ""
        if self._choice.name != "recorded":  # whose pending cells are counted already
            rest = describe_left_out(self._bench.workspace, self._choice)
        return f"{_describe(running.progress)} {rest}".strip()

    async def _watched(self, running: "Run") -> None:
        from appellate.judging.run import BrokenDown

        try:
            async for _ in running:
                self._progressed(running.progress)
        except (NotKept, BrokenDown):
            raise
        except BaseException:  # what is kept from here on is not for a screen that ends
            self._bench.remove_listener(self._watcher.changed)
            raise

    def _progressed(self, progress: "Progress") -> None:
        now = asyncio.get_running_loop().time()
        draws = now - self._drawn >= self._every
        if draws:
            self._drawn = now
        self._watcher.judging_progressed(progress, draws=draws)
        if progress.stalled and not self._stalled:
            text = ", ".join(filter(None, [progress.silence_text, progress.end_text]))
            text = f"{text}.".capitalize()
            if progress.cause_text:
                text += f" {progress.cause_text}"
            elif progress.usual and progress.usual >= 1:
                text += f" Usually one takes {progress.usual:.0f} s."
            self._dialogs.say(f"{text} {{run.stop:X}} stops the judge.")
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
