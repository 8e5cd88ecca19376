"""Which cells the judge is asked about, as the person wants it: asked back first where it costs."""

from typing import Protocol

from appellate.core.cell import Cell
from appellate.core.kind import Source
from appellate.core.problem import Refused, many, wording
from appellate.judges.offline import code_of
from appellate.judging.choice import JudgeChoice
from appellate.judging.estimate import forecast, lengths
from appellate.judging.questions import (
    CellScope,
    PendingCells,
    code_question,
    is_computed,
    is_judged,
    left_out,
    next_round,
    open_again,
)
from appellate.session.workbench import Workbench
from appellate.store.database import NotKept

_SAMPLED = 50  # prompts built to say what a run will cost, and how long requests are
READS_ONLY = "This session only reads."
UNDER_WAY = "A run is under way: {run.stop:X} stops it."
NO_JUDGE = "No judge was named. Start again with --model NAME or --judge lexical."
RECORDED = (
    "These labels came with the traces and stay the same. "
    "To ask a model, start again with --model NAME."
)
HIDDEN = "This cell is blind: whether it is judged, and how, shows once your verdict is locked."
STAYS = "What is signed off stays as it is; elsewhere corrections carry over where they still fit."


class Dialogs(Protocol):
    """Whoever says and asks, on the screen or line by line."""

    def say(self, text: str, /) -> None: ...

    async def confirm(self, question: str, /) -> bool: ...


class Runs(Protocol):
    """What has the judge work: with code of other people, or with no judge asked."""

    @property
    def is_on(self) -> bool: ...

    def begin(self, cells: CellScope, *, computing: bool = False, code: bool = False) -> None: ...


class JudgeControl:
    """Begins runs, of all that is missing, of one cell, and of judged cells again."""

    def __init__(self, bench: Workbench, choice: JudgeChoice, dialogs: Dialogs, run: Runs) -> None:
        self._bench = bench
        self._choice = choice
        self._dialogs = dialogs
        self._run = run

    async def begin(self, start: int) -> None:
        """Computes and judges what is missing, from this cell on; after a yes where it costs."""
        if self._bench.readonly:
            return
        cells = CellScope(self._bench.round, start=start)
        free = self._choice.is_free
        count = self._pending(cells).left
        if self._pending(cells, "rule").left or (count and free):
            self._run.begin(cells, computing=not free)
        if await self._may_run(cells):
            self._run.begin(cells, computing=not free, code=True)
        await self._ask(cells, count)

    async def _ask(self, cells: CellScope, count: int) -> None:
        """Has the judge asked about so many cells, after a yes; says what stays as it is."""
        if not count:
            text = left_out(self._bench.workspace, self._choice)
            if text and not self._run.is_on:
                self._dialogs.say(text)
        elif self._choice.judge is None:
            text = f"{many(count, 'cell is', 'cells are')} not judged."
            self._dialogs.say(f"{text} Start with --model to ask a model, or fill them by hand.")
        elif self._choice.sends and await self._agreed(self._question(cells)):
            self._run.begin(cells)

    async def judge_one(self, number: int) -> None:
        """Judges a cell; one that is judged already after a yes, in its own round."""
        cell = self._bench.open(number)[1]
        if cell.hidden:
            self._dialogs.say(HIDDEN)
            return
        cells = CellScope(self._bench.round, only=number)
        if is_computed(cell.subject):
            obstacle = self._obstacle_to_computing(cell)
            if obstacle:
                self._dialogs.say(obstacle)
            elif cell.subject.source_name == "rule" or await self._may_run(cells):
                self._run.begin(cells, computing=True, code=True)
            return
        obstacle = self._obstacle_to(cell)
        if obstacle:
            self._dialogs.say(obstacle)
            return
        question = self._choice.question(1)
        if cell.judged:
            question = f"{question} {_again(cell)}"
        if not (cell.judged or self._choice.sends) or await self._agreed(question):
            self._run.begin(cells)

    async def judge_again(self, start: int, where: str) -> None:
        """Judges the cells of the queue again, in a round of its own, after a yes."""
        obstacle = self._obstacle()
        if not obstacle and self._choice.name == "recorded":
            obstacle = RECORDED
        if obstacle:
            self._dialogs.say(obstacle)
            return
        try:
            ahead = next_round(self._bench, self._choice, where)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return
        cells = CellScope(ahead, alone=True)
        code = await self._may_run(cells)
        computes = code or self._pending(cells, "rule").left
        asks = self._pending(cells).left or not computes
        about = "every cell"
        if where:
            about = f"the cells of the queue ({where})"
        if asks and not await self._agreed(f"{self._question(cells)} Again for {about}. {STAYS}"):
            return
        try:
            opened = open_again(self._bench, self._choice, where)
        except (Refused, NotKept) as refusal:
            self._dialogs.say(wording(refusal))
        else:
            self._run.begin(CellScope(opened, start=start, alone=True), code=code)

    # -- what is asked back -----------------------------------------------------------------------

    async def _agreed(self, question: str) -> bool:
        """Whether the person wants requests to be sent."""
        yes = await self._dialogs.confirm(question)
        if not yes:
            self._dialogs.say("Nothing was sent. {cell.judge:J} asks about one cell.")
        return yes

    def _pending(self, cells: CellScope, source: Source = "model") -> PendingCells:
        return PendingCells(self._bench.workspace, self._choice, cells, source=source)

    async def _may_run(self, cells: CellScope) -> bool:
        """Whether there is code of other people to run, and the person wants that."""
        question = code_question(self._bench.workspace, self._choice, cells)
        if not question:
            return False
        yes = await self._dialogs.confirm(question)
        if not yes:
            self._dialogs.say("Nothing was run. {cell.judge:J} asks about one cell.")
        return yes

    def _question(self, cells: CellScope) -> str:
        """Whom to ask about these cells, what that will cost, and how many are too long.

        The cost is told where prices are known, lengths where a profile says what a model takes.
        """
        pending = self._pending(cells)
        members = self._choice.members
        has_prices = all(member.endpoint.prices for member in members)
        has_context = any(member.endpoint.context for member in members)
        if not has_prices and not has_context:
            return self._choice.question(pending.left)
        workspace = self._bench.workspace
        told = forecast(workspace, pending, self._choice, _SAMPLED)
        too_long = ""
        if has_context:
            too_long = lengths(workspace, pending, told.asked, _SAMPLED).too_long_text
        return self._choice.question(pending.left, told.cost, too_long)

    # -- what is in the way -------------------------------------------------------------------

    def _obstacle(self) -> str:
        """Why no judge can be asked anything now, if so."""
        if self._bench.readonly:
            return READS_ONLY
        if self._choice.judge is None:
            return NO_JUDGE
        if self._run.is_on:
            return UNDER_WAY
        return ""

    def _obstacle_to(self, cell: Cell) -> str:
        """Why no judge can be asked about a cell now, if so."""
        obstacle = self._obstacle()
        if obstacle:
            return obstacle
        if self._choice.name == "recorded" and cell.judged:
            return RECORDED
        if not is_judged(cell.subject, self._choice):
            wrong = f"Comparing words proposes nothing for a {cell.subject.kind.name} trait"
            return f"{wrong}: start again with --model NAME."
        return ""

    def _obstacle_to_computing(self, cell: Cell) -> str:
        """Why a cell that needs no judge cannot be computed now, if so."""
        if self._bench.readonly:
            return READS_ONLY
        if self._run.is_on:
            return UNDER_WAY
        if cell.judged:
            return "Nobody is asked about this cell: computing it again gives the same."
        name = code_of(cell.subject.source, cell.subject.trait)
        if name and self._choice.code is None:
            return (
                f"{name} was not run: start again with --allow-code to run it, or answer by hand."
            )
        return ""


def _again(cell: Cell) -> str:
    ahead = cell.round + 1
    if cell.signed:
        return f"It is signed off and stays so; the answer is beside it as round {ahead} (V)."
    return f"The answer opens round {ahead}; your corrections carry over where they still fit."
