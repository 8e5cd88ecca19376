"""Runs the judge while the reviewer works; the header shows how far it is.

`JudgeRun` begins and stops a run. A `RunWatcher`, which is the review screen, draws its progress.
"""

import asyncio
from contextlib import suppress
from functools import cached_property, partial
from sqlite3 import Error
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
from appellate.ui.own_keys import in_own_keys
from appellate.ui.textual_compat import beside

if TYPE_CHECKING:
    from appellate.judging.control import JudgeControl
    from appellate.judging.progress import Progress
    from appellate.judging.questions import CellScope
    from appellate.judging.run import Run

USUAL = 0.2
"""Seconds between two drawings of the header during a run."""
CALM = 2.0
"""Seconds between two drawings of the header for a reviewer who wants little motion."""
_BUDGET = 0.005
"""Seconds for saving answers before keys are handled again."""
_REST = 0.02
"""Seconds for the screen after each time that answers were saved."""


class _RunRequest(Struct, frozen=True):
    """A run that was asked for."""

    cells: "CellScope | None" = None
    """The cells to judge; None for all that have no labels yet."""
    computing: bool = False
    """Whether only rules and code run, and no judge is asked."""
    code: bool = False
    """Whether functions that the rubric names may run."""


class RunWatcher(Protocol):
    """The screen that shows how far a run is."""

    @property
    def is_there(self) -> bool:
        """Whether the screen can be drawn; when the program ends it goes before the run does."""

    def judging_began(self, progress: "Progress") -> None:
        """Show that a run has begun."""

    def judging_progressed(self, progress: "Progress", *, draws: bool) -> None:
        """Keep how far the run is; draw it too with `draws`."""

    def judging_ended(self) -> None:
        """Note that the run has ended; called also after the screen is gone."""

    def judging_over(self) -> None:
        """Draw everything that the run may have changed, which is any cell."""

    def changed(self, change: Change) -> None:
        """Show a change of a cell."""


class JudgeRun:
    """The run of the judge on one review screen; at most one is on at a time."""

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
        """Begin without a run; with `calm` the header is drawn less often during a run."""
        self._screen = screen
        self._bench = bench
        self._choice = choice
        self._dialogs = dialogs
        self._watcher = watcher
        self._run: Run | None = None
        self._current = _RunRequest()
        """What the latest run was asked to do."""
        self._next: _RunRequest | None = None
        """The run that begins when the current one has stopped."""
        self._last_drawn = 0.0
        """The time in seconds when the header was last drawn."""
        self._stalled = False
        """Whether the reviewer was told that no answers arrive."""
        self._seconds_between = CALM if calm else USUAL

    @cached_property
    def control(self) -> "JudgeControl":
        """The object that asks the reviewer what to judge, and begins runs."""
        # with all that judging takes
        from appellate.judging.control import JudgeControl

        return JudgeControl(self._bench, self._choice, self._dialogs, self)

    @property
    def is_wanted(self) -> bool:
        """Whether cells have no labels yet, or a later round of the judge was begun."""
        missing = self._bench.workspace.count_missing()
        return missing > 0 or self._bench.round.no > 1

    @property
    def is_on(self) -> bool:
        """Whether a run is on."""
        return self._run is not None

    def begin(
        self,
        cells: "CellScope | None",
        *,
        computing: bool = False,
        code: bool = False,
    ) -> None:
        """Begin a run in the background over these cells, or over all without labels for None.

        If a run is on, it is stopped first, and this one begins when it has ended. It then takes
        the place of one that waits already, and asks judges or runs code if either was to. With
        `computing` only rules and code run, and no judge is asked. Without it a judge must have
        been named, or Refused is raised. With `code` functions that the rubric names may run, if
        the reviewer allowed code.
        """
        # only where labels are missing
        from appellate.judging.run import Run, WriteBudget

        if self._run is not None:
            previous = self._next or self._current
            self._next = _RunRequest(
                cells,
                computing=computing and previous.computing,
                code=code or previous.code,
            )
            self._run.stop()
            return

        self._current = _RunRequest(cells, computing, code)
        choice = self._choice
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
        """Stop the run, and say so unless `quietly`; answers that have arrived are kept.

        If no run is on, say that. A run that waits for the end of this one still begins.
        """
        if self._run is not None:
            self._run.stop()
        if quietly:
            return
        if self._run is None:
            self._dialogs.say("No judge is at work.")
            return
        asks_one = in_own_keys(", {cell.judge:J} about one cell", self._screen.app)
        text = f"the next start asks about the rest{asks_one}"
        self._dialogs.say(f"Stopped. What has arrived is saved; {text}.")

    async def wait_until_ended(self) -> None:
        """Stop the run, and wait until its judge has closed what it opened.

        It is for the program's end, once the screen is being taken down: then nothing is said, and
        a run that waits for this one does not begin. Does nothing if no run is on.
        """
        running = self._run
        if running is not None:
            running.stop()
            await running.wait_for_tasks()

    async def _go(self, running: "Run") -> None:
        """Let a run go to its end, say the result, and begin the run that waits for it.

        The result is said after the sentence on screen. Once the screen is being taken down,
        nothing is said, drawn or begun.
        """
        try:
            text = await self._outcome(running)
        except NoMatches:
            if self._watcher.is_there:
                raise
            return  # everything is kept, and the screen is being taken down
        finally:
            self._run = None
            self._watcher.judging_ended()
        next_run = self._next
        self._next = None
        if not self._watcher.is_there:
            return
        self._watcher.judging_over()
        if text:
            self._dialogs.say(f"{self._dialogs.said} {text}".strip())
        if next_run is not None:
            self.begin(next_run.cells, computing=next_run.computing, code=next_run.code)

    async def _outcome(self, running: "Run") -> str:
        """Let a run go to its end, and return what to say of its result, or why it broke off.

        "" if nothing is unusual. A workspace that cannot be written and a judge that breaks down
        are told and not raised.
        """
        from appellate.judging.questions import describe_left_out
        from appellate.judging.run import BrokenDown

        try:
            async with running:
                await self._watched(running)
        except NotKept as refusal:
            return f"The judge was stopped: {refusal}. {refusal.standing}"
        except BrokenDown as trouble:
            return f"{trouble} What arrived before is saved."
        flips_text = ""
        if self._bench.round.no > 1 and running.progress.done > 1:
            from appellate.judging.flips import round_flips  # after a round alone

            path = self._bench.workspace.path
            with suppress(Error):  # a workspace that cannot be read is told elsewhere
                flips = await asyncio.to_thread(round_flips, path, self._bench.round.no)
                app = self._screen.app
                sentences = [in_own_keys(text, app) for text in flips.describe()]
                flips_text = " ".join(filter(None, sentences))
        left_out_text = ""
        # the progress of recorded labels counts them itself
        if self._choice.name != "recorded":
            left_out_text = describe_left_out(self._bench.workspace, self._choice)
        texts = [_describe(running.progress), flips_text, left_out_text]
        return " ".join(filter(None, texts))

    async def _watched(self, running: "Run") -> None:
        """Let a run go to its end, and show its progress after each answer.

        Raises what ends the run early: NotKept, BrokenDown, or whatever takes the screen down. In
        the last case the screen is no longer told of changes.
        """
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
        """Show how far the run is, and say when no answers arrive, with the cause if known.

        The latter is said once each time that answers stop. The header is drawn only if the last
        time is long enough ago.
        """
        time = asyncio.get_running_loop().time()
        draws = time - self._last_drawn >= self._seconds_between
        if draws:
            self._last_drawn = time
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


def _describe(progress: "Progress") -> str:
    """Return sentences on what is unusual about a finished run; "" if nothing is.

    They are about cells that failed, members that gave up, cells without all judges or without
    recorded labels, and answers that were known already. Keys are written in them as `{id:usual
    key}`, for `with_keys`.
    """
    texts: list[str] = []
    if progress.failed:
        why = "it says" if progress.failed == 1 else "they say"
        texts.append(
            f"{many(progress.failed, 'cell')} failed; {why} why, and {{cell.judge:J}} asks again.",
        )
    for dead_member in progress.dead:
        texts.append(dead_member.sentence)
    if progress.absent:
        cells = many(progress.absent, "cell")
        texts.append(
            f"{cells} came without all judges: {{queue.filter:f}} is:missing-judge finds them.",
        )
    if progress.unrecorded:
        unrecorded = many(progress.unrecorded, "cell is", "cells are")
        texts.append(f"{unrecorded} not judged: {{cell.judge:J}} on one.")
    if progress.cached and progress.done == 1:
        texts.append("The answer was known already and cost nothing.")
    elif progress.cached:
        cached = f"{progress.cached} of {progress.done} answers"
        texts.append(f"{cached} were known already and cost nothing.")
    return " ".join(texts)
