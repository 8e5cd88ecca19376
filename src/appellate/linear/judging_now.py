"""Judging line by line: a run goes to its end while the person waits."""

import asyncio
from time import monotonic

from msgspec.structs import replace

from appellate.core.problem import many
from appellate.judging.choice import JudgeChoice
from appellate.judging.control import JudgeControl
from appellate.judging.questions import CellScope
from appellate.judging.run import BrokenDown, Run
from appellate.linear.console import Console
from appellate.session.workbench import Workbench
from appellate.store.database import NotKept

_EVERY = 5.0  # seconds between two lines of a long run


class JudgingNow:
    """Runs the judge while the person waits; Ctrl+C stops it, and what has come is kept."""

    is_on = False

    def __init__(self, bench: Workbench, choice: JudgeChoice, console: Console) -> None:
        self._bench = bench
        self._choice = choice
        self._console = console
        self.say = console.say
        self.control = JudgeControl(bench, choice, self, self)

    async def confirm(self, question: str) -> bool:
        self._console.say(question)
        return self._console.key("y does it, any other key does not> ") in ("y", "Y")

    def begin(self, cells: CellScope, *, computing: bool = False, code: bool = False) -> None:
        """Has these cells judged or computed, to the end."""
        choice = self._choice
        if not code:
            choice = replace(choice, code=None)
        try:
            # a conversation may begin it, which no loop runs
            asyncio.run(self._go_on(choice, cells, computing=computing))
        except (NotKept, BrokenDown) as trouble:
            self._console.say(f"The judge was stopped: {trouble}")

    async def _go_on(self, choice: JudgeChoice, cells: CellScope, *, computing: bool) -> None:
        self._console.say("The judge is at work: Ctrl+C stops it.")
        shown_at = monotonic()
        with Run(self._bench, choice, cells, computing=computing) as running:
            async for _ in running:
                done, left = running.progress.done, running.progress.left or 0
                if self._console.interrupted:
                    break
                if monotonic() - shown_at > _EVERY:
                    shown_at = monotonic()
                    self._console.say(f"Judged {done} of {done + left}; Ctrl+C stops.")
            progress = running.progress
        text = f"Judged {many(progress.done, 'cell')}"
        if progress.failed:
            text += f", {progress.failed} failed"
        self._console.say(f"{text}.")
        for one in progress.dead:
            self._console.say(one.describe)
