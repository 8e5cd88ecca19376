"""The judge at work behind the screen.

Asked first where it costs, stopped at a key, seen in the header.
"""

import asyncio
from collections.abc import Callable, Coroutine

from textual.css.query import NoMatches

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.core.cell import Cell
from appellate.core.problem import Refused
from appellate.core.wordforms import many
from appellate.judging.choice import JudgeChoice
from appellate.judging.estimate import forecast
from appellate.judging.pending import (
    CellScope,
    PendingCells,
    is_computed,
    is_judged,
    left_out,
    next_round,
    open_again,
)
from appellate.judging.progress import Progress
from appellate.judging.run import BrokenDown, Run, WriteBudget
from appellate.store.database import NotKept
from appellate.workbench import Change, Workbench

USUAL, CALM = 0.2, 2.0  # seconds between two drawings of the header
_SAMPLED = 50  # prompts built to say what a run will cost
_BUDGET, _REST = 0.005, 0.02  # seconds for keeping answers, and for the screen after them


class JudgeRun:
    """At most one run at a time; the view knows how far it is, and that there is none by None.

    `work` runs it beside the screen, `whole` tells whether the screen still stands. `listener` is the screen's own,
    to be dismissed where the program ends under a run; `ended` hears that a run is over.
    """

    def __init__(
        self,
        bench: Workbench,
        choice: JudgeChoice,
        view: CellView,
        dialogs: Dialogs,
        *,
        calm: bool,
        work: Callable[[Coroutine[None, None, None]], object],
        listener: Callable[[Change], None],
        whole: Callable[[], bool],
        ended: Callable[[], None],
    ) -> None:
        self._bench = bench
        self._choice = choice
        self._view = view
        self._dialogs = dialogs
        self._work = work
        self._listener = listener
        self._whole = whole
        self._ended = ended
        self._run: Run | None = None
        self._next: CellScope | None = None
        self._drawn = 0.0
        self._stalled = False
        self._every = CALM if calm else USUAL

    @property
    def is_on(self) -> bool:
        return self._view.progress is not None

    # -- what is asked first ----------------------------------------------------------------------

    async def begin(self) -> None:
        """Computes and judges what is missing: at once where it costs nothing, else after a yes."""
        if self._bench.readonly:
            return
        cells = self._missing()
        count, computed = self._pending(cells).left, self._pending(cells, computed=True).left
        if computed or (count and self._costs_nothing):
            self._start(cells, computing=not self._costs_nothing)
        if count and self._choice.judge is None:
            told = f"{many(count, 'cell')} {'is' if count == 1 else 'are'} not judged."
            self._dialogs.say(f"{told} Start with --model to ask a model, or fill them by hand.")
        elif count and self._choice.sends:
            if await self._agreed(self._question(cells)):
                self._start(self._missing())
        elif self._run is None and (told := left_out(self._bench.workspace, self._choice)):
            self._dialogs.say(told)

    async def _agreed(self, question: str) -> bool:
        """Whether the person wants requests to be sent."""
        yes = await self._dialogs.confirm(question)
        if not yes:
            self._dialogs.say("Nothing was sent. J asks about one cell.")
        return yes

    @property
    def _costs_nothing(self) -> bool:
        return self._choice.judge is not None and not self._choice.sends

    def _missing(self) -> CellScope:
        """What is missing, beginning where one is."""
        return CellScope(self._bench.round, start=self._view.no)

    def _pending(self, cells: CellScope, *, computed: bool = False) -> PendingCells:
        return PendingCells(self._bench.workspace, self._choice, cells, computed=computed)

    def _question(self, cells: CellScope) -> str:
        """Whom to ask about these cells, and what that will cost where prices are known."""
        pending, cost = self._pending(cells), None
        if all(member.endpoint.prices for member in self._choice.members):
            workspace = self._bench.workspace
            cost = forecast(workspace, pending, self._choice, _SAMPLED).cost
        return self._choice.question(pending.left, cost)

    async def judge_this(self) -> None:
        """Judges the cell in sight; one that is judged already after a yes, in a round of its own."""
        cell = self._view.cell
        cells = CellScope(self._bench.round, only=self._view.no)
        if obstacle := self._obstacle(cell):
            self._dialogs.say(obstacle)
            return
        if is_computed(cell.subject.kind):
            self._start(cells, computing=True)
            return
        question = self._choice.question(1)
        if cell.judged:
            question = f"{question} {_again(cell)}"
        if not (cell.judged or self._choice.sends) or await self._agreed(question):
            self._start(cells)

    async def judge_again(self, where: str) -> None:
        """Judges the cells of the queue again, in a round of its own, after a yes."""
        if obstacle := self._obstacle():
            self._dialogs.say(obstacle)
            return
        try:
            ahead = next_round(self._bench, self._choice, where)
        except Refused as refusal:
            self._dialogs.say(str(refusal))
            return
        cells = CellScope(ahead, alone=True)
        asks = self._pending(cells).left or not self._pending(cells, computed=True).left
        about = f"the cells of the queue ({where})" if where else "every cell"
        if not asks or await self._agreed(f"{self._question(cells)} Again for {about}. {_STAYS}"):
            self._open_round(where)

    def _obstacle(self, cell: Cell | None = None) -> str:
        """Why nothing can be judged now, if so: this cell, or again what is judged already."""
        kind = cell.subject.kind if cell else None
        if self._bench.readonly:
            return "This session only reads."
        if cell and kind and is_computed(kind):
            return self._obstacle_to_computing(cell)
        if self._choice.judge is None:
            return "No judge was named. Start again with --model NAME or --judge lexical."
        if self._view.progress is not None:
            return "A run is under way: X stops it."
        if self._choice.name == "recorded" and (cell is None or cell.judged):
            return _RECORDED
        if kind and not is_judged(kind, self._choice):
            wrong = f"Comparing words proposes nothing for a {kind.name} trait"
            return f"{wrong}: start again with --model NAME."
        return ""

    def _obstacle_to_computing(self, cell: Cell) -> str:
        if self._view.progress is not None:
            return "A run is under way: X stops it."
        if cell.judged:
            return "Nobody is asked about this cell: computing it again gives the same."
        return ""

    def _open_round(self, where: str) -> None:
        try:
            opened = open_again(self._bench, self._choice, where)
        except (Refused, NotKept) as refusal:
            self._dialogs.say(str(refusal))
        else:
            self._start(CellScope(opened, start=self._view.no, alone=True))

    # -- the run ----------------------------------------------------------------------------------

    def stop(self, *, quietly: bool = False) -> None:
        """Stops the run; what has arrived stays."""
        if self._run is not None:
            self._run.stop()
        if quietly:
            return
        if self._run is None:
            self._dialogs.say("No judge is at work.")
            return
        told = "the next start asks about the rest, J about one cell"
        self._dialogs.say(f"Stopped. What has arrived is kept; {told}.")

    def _start(self, cells: CellScope, *, computing: bool = False) -> None:
        """Begins a run; what is computed on opening gives way to it, and is then part of it."""
        if self._run is not None:
            self._next = cells
            self._run.stop()
            return
        self._run = Run(
            self._bench,
            self._choice,
            cells,
            budget=WriteBudget(_BUDGET, _REST),
            computing=computing,
        )
        self._view.progress, self._stalled = self._run.progress, False
        self._work(self._go(self._run))
        self._view.show_header()

    async def _go(self, running: Run) -> None:
        """The run to its end, and what is said then."""
        try:
            told = await self._told(running)
        except NoMatches:
            if self._whole():
                raise
            return  # everything is kept, and the screen is being taken down
        finally:
            self._view.progress = self._run = None
        following, self._next = self._next, None
        if self._whole():
            self._ended()
            if told:
                self._dialogs.say(f"{self._dialogs.said} {told}".strip())
            if following:
                self._start(following)

    async def _told(self, running: Run) -> str:
        try:
            with running:
                await self._watched(running)
        except NotKept as refusal:
            return f"The judge was stopped: {refusal}. {refusal.standing}"
        except BrokenDown as trouble:
            return f"{trouble} What arrived before is kept."
        rest = left_out(self._bench.workspace, self._choice)
        return f"{_done(running.progress)} {rest}".strip()

    async def _watched(self, running: Run) -> None:
        try:
            async for _ in running:
                self._progressed(running.progress)
        except (NotKept, BrokenDown):
            raise
        except BaseException:  # what is kept from here on is not for a screen that ends
            self._bench.dismiss(self._listener)
            raise

    def _progressed(self, tally: Progress) -> None:
        self._view.progress = tally
        now = asyncio.get_running_loop().time()
        if now - self._drawn >= self._every:
            self._drawn = now
            self._view.show_header()
        if tally.stalled and not self._stalled:
            told = f"No answer for {tally.silent:.0f} s. {_usually(tally)}"
            self._dialogs.say(f"{told}X stops the judge.")
        self._stalled = tally.stalled


_RECORDED = "These labels came with the traces and stay the same. To ask a model, start again with --model NAME."
_STAYS = "What is signed off stays as it is; elsewhere corrections carry over where they still fit."


def _again(cell: Cell) -> str:
    """What another judgment of a cell means for it."""
    if cell.signed:
        return f"It is signed off and stays so; the answer stands beside it as round {cell.round + 1} (V)."
    return f"The answer opens round {cell.round + 1}; your corrections carry over where they still fit."


def _usually(tally: Progress) -> str:
    if tally.usual and tally.usual >= 1:
        return f"Usually one takes {tally.usual:.0f} s. "
    return ""


def _done(done: Progress) -> str:
    told: list[str] = []
    if done.failed:
        why = "it says" if done.failed == 1 else "they say"
        told.append(f"{many(done.failed, 'cell')} failed; {why} why, and J asks again.")
    if done.absent:
        cells = many(done.absent, "cell")
        told.append(f"{cells} came without all judges: f is:missing-judge finds them.")
    if done.unrecorded:
        told.append(f"{many(done.unrecorded, 'cell')} without recorded labels: still pending.")
    if done.cached and done.done == 1:
        told.append("The answer was known already and cost nothing.")
    elif done.cached:
        cached = f"{done.cached} of {done.done} answers"
        told.append(f"{cached} were known already and cost nothing.")
    return " ".join(told)
