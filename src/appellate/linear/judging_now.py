"""Judging line by line: what costs nothing before the session begins, the rest where it is asked
for.
"""

import asyncio
from time import monotonic

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.wordforms import many
from appellate.judging.choice import JudgeChoice
from appellate.judging.pending import (
    CellScope,
    PendingCells,
    code_question,
    is_computed,
    left_out,
    unallowed,
)
from appellate.judging.run import BrokenDown, Run
from appellate.linear.console import Console
from appellate.session.workbench import Workbench
from appellate.store.database import NotKept

_EVERY = 5.0  # seconds between two lines of a long run


class JudgingNow:
    """Runs the judge while the person waits; Ctrl+C stops it, and what has come is kept."""

    def __init__(self, bench: Workbench, choice: JudgeChoice, console: Console) -> None:
        self._bench = bench
        self._choice = choice
        self._console = console

    def missing(self, start: int) -> None:
        """Computes and judges what is missing: at once where it costs nothing, else after a yes."""
        if self._bench.readonly:
            return
        cells = CellScope(self._bench.round, start=start)
        count = PendingCells(self._bench.workspace, self._choice, cells).left
        computed = PendingCells(self._bench.workspace, self._choice, cells, source="rule").left
        code = self._may_run(cells)
        free = self._choice.is_free
        if computed or code or (count and free):
            self._run(cells, computing=not free, code=code)
        text = left_out(self._bench.workspace, self._choice)
        if not count:
            if text:
                self._console.say(text)
        elif self._choice.judge is None:
            text = f"{many(count, 'cell is', 'cells are')} not judged."
            self._console.say(f"{text} Start with --model to ask a model, or fill them by hand.")
        elif self._choice.sends and self._agreed(count):
            self._run(cells, computing=False)

    def this(self, number: int, cell: Cell) -> None:
        """Judges the cell in sight, if nobody has."""
        computing = is_computed(cell.subject)
        if cell.judged:
            self._console.say("It is judged; `appellate judge AUDIT --again` judges again.")
        elif self._choice.judge is None and not computing:
            text = "No judge was named. Start again with --model NAME or --judge lexical."
            self._console.say(text)
        elif unallowed(cell.subject, self._choice):
            self._console.say(unallowed(cell.subject, self._choice))
        elif cell.subject.source_name == "code":
            cells = CellScope(self._bench.round, only=number)
            if self._may_run(cells):
                self._run(cells, computing=True, code=True)
        elif computing or not self._choice.sends or self._agreed(1):
            self._run(CellScope(self._bench.round, only=number), computing=computing)

    def _agreed(self, count: int) -> bool:
        """Whether the person wants requests to be sent."""
        self._console.say(self._choice.question(count))
        if self._console.key("y sends, any other key does not> ") in ("y", "Y"):
            return True
        self._console.say("Nothing was sent. J asks about one cell.")
        return False

    def _may_run(self, cells: CellScope) -> bool:
        """Whether there is code of other people to run, and the person wants that."""
        question = code_question(self._bench.workspace, self._choice, cells)
        if not question:
            return False
        self._console.say(question)
        if self._console.key("y runs it, any other key does not> ") in ("y", "Y"):
            return True
        self._console.say("Nothing was run. J asks about one cell.")
        return False

    def _run(self, cells: CellScope, *, computing: bool, code: bool = False) -> None:
        choice = self._choice
        if not code:
            choice = replace(choice, code=None)
        try:
            asyncio.run(self._go_on(choice, cells, computing=computing))
        except (NotKept, BrokenDown) as trouble:
            self._console.say(f"The judge was stopped: {trouble}")

    async def _go_on(self, choice: JudgeChoice, cells: CellScope, *, computing: bool) -> None:
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
