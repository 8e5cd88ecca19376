"""Starts the judge on the cells that a person wants judged, and asks that person where it costs.

The screen and the line mode each make a `JudgeControl`, with their own ways to ask and to run.
"""

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
    describe_left_out,
    is_asked_about,
    is_computed,
    next_round,
    open_again,
)
from appellate.session.workbench import Workbench
from appellate.store.database import NotKept
from appellate.store.workspace import Workspace

_SAMPLED = 50
"""Prompts that are built to estimate the cost of a run and the length of its requests."""
READS_ONLY = "This session only reads."
UNDER_WAY = "A run is in progress: {run.stop:X} stops it."
NO_JUDGE = "No judge was named. Start again with --model NAME or --judge lexical."
RECORDED = (
    "These labels came with the traces and stay the same. "
    "To ask a model, start again with --model NAME."
)
HIDDEN = "This cell is blind: you see whether and how it was judged once your verdict is locked."
STAYS = (
    "Signed-off cells stay as they are; in others your corrections carry over where"
    " they still fit."
)


class Dialogs(Protocol):
    """Messages and questions to the person, on the screen or line by line."""

    def say(self, text: str, /) -> None:
        """Show a message."""

    async def confirm(self, question: str, /) -> bool:
        """Ask a question, and return whether the answer is yes.

        Keys are written in it as `{id:usual key}`, and shown as the person has them.
        What it raises when the person leaves the question ends the act that asked it.
        """


class Runs(Protocol):
    """Starts a run of the judge, on the screen or line by line."""

    @property
    def is_on(self) -> bool:
        """Whether a run is in progress."""

    def begin(
        self,
        cells: CellScope,
        *,
        computing: bool = False,
        code: bool = False,
    ) -> None:
        """Start a run about these cells; a run that is on is stopped first, and ends before it.

        With `computing` only rules and code run, and no judge is asked. Without it a judge must
        have been named, or Refused is raised. Other people's code runs only with `code`, and only
        if this session may run it. The line mode returns when the run has ended, and raises
        AskedToLeave if the terminal was closed. The screen returns at once. There a run that
        replaces another also asks judges and runs code if that one was to, and of the runs that
        wait for an end only the latest begins.
        """


class JudgeControl:
    """Starts runs: of all missing cells, of one cell, and of judged cells again."""

    def __init__(
        self,
        bench: Workbench,
        choice: JudgeChoice,
        dialogs: Dialogs,
        run: Runs,
    ) -> None:
        """Keep the session's cells and judge, and the ways to ask the person and to run it."""
        self._bench = bench
        self._choice = choice
        self._dialogs = dialogs
        self._run = run

    async def begin(self, start: int) -> None:
        """Start runs over the missing cells, beginning with cell `start`; asks the person first.

        It asks before anything is sent and before code of other people runs. Rules and judges that
        send nothing run without a question. After a no the other parts still run, but what
        `Dialogs.confirm` or `Runs.begin` raises ends the whole. Each run stops one that is on. In
        line mode this returns when the runs have ended, on the screen while they go on. If cells
        wait for a judge and none was named, a message says so. If none waits and no run is in
        progress, a message says why cells remain. Does nothing in a session that only reads.
        """
        if self._bench.readonly:
            return
        cells = CellScope(self._bench.round, start=start)
        choice = self._choice
        count = self._pending(cells).left
        if self._pending(cells, "rule").left or (count and choice.is_free):
            self._run.begin(cells, computing=not choice.is_free)
        if await self._may_run_code(cells):
            self._run.begin(cells, computing=not choice.is_free, code=True)

        if not count:
            message = describe_left_out(self._bench.workspace, choice)
            if message and not self._run.is_on:
                self._dialogs.say(message)
            return
        if choice.judge is None:
            not_judged = many(count, "cell is", "cells are")
            self._dialogs.say(
                f"{not_judged} not judged."
                " Start with --model to ask a model, or fill them in yourself.",
            )
            return
        if not choice.sends:
            return
        question = _question_about(self._bench.workspace, choice, self._pending(cells))
        if await self._may_ask_judge(question):
            self._run.begin(cells)

    async def judge_one(self, number: int) -> None:
        """Start a run that judges one cell, or computes its labels if its trait needs no judge.

        In line mode this returns when the run has ended, on the screen while it goes on. The person
        is asked first if requests are sent, if a judge gave the cell labels already, or if code of
        other people runs. After a no nothing runs. What is in the way is shown as a message, and
        nothing runs: a hidden judge, a session that only reads, a run in progress, no judge that
        fits, code that may not run, or labels that would stay the same. What `Dialogs.confirm` or
        `Runs.begin` raises passes through.
        """
        _, cell = self._bench.open(number)
        obstacle = self._obstacle_to(cell)
        if obstacle:
            self._dialogs.say(obstacle)
            return

        cells = CellScope(self._bench.round, only=number)
        if is_computed(cell.subject):
            is_rule = cell.subject.source_name == "rule"
            if is_rule or await self._may_run_code(cells):
                self._run.begin(cells, computing=True, code=True)
            return

        requests = cell.subject.kind.requests(cell.subject.trait)
        question = self._choice.question(1, requests_to_each=requests)
        if cell.judged:
            effect = _effect_of_judging_again(cell)
            question = f"{question} {effect}"
        must_ask = cell.judged or self._choice.sends
        if not must_ask or await self._may_ask_judge(question):
            self._run.begin(cells)

    async def judge_again(self, start: int, where: str) -> None:
        """Start a run over the cells of the queue again, in a new round, once the person agreed.

        `where` is the query of the queue, or "" for every cell. A round that this judge began for
        the same query and did not end is continued; a new one is saved in the workspace after the
        last yes. The run begins with cell `start`. In line mode this returns when the run has
        ended, on the screen while it goes on.

        The person is asked about other people's code first; after a no the rest runs without it.
        Then they are asked about the judge, unless only rules and code compute; after a no nothing
        runs, and no round is begun. What `Dialogs.confirm` or `Runs.begin` raises passes through.

        What is in the way is shown as a message: no judge, recorded labels, a session that only
        reads, a run in progress, a wrong query, no cell that is for this judge, or a round that
        cannot be saved.
        """
        obstacle = self._obstacle()
        if not obstacle and self._choice.name == "recorded":
            obstacle = RECORDED
        if obstacle:
            self._dialogs.say(obstacle)
            return

        try:
            round_to_open = next_round(self._bench, self._choice, where)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return

        cells = CellScope(round_to_open, alone=True)
        asked_count = self._pending(cells).left
        has_rules = self._pending(cells, "rule").left > 0
        if not (asked_count or has_rules or self._pending(cells, "code").left):
            no_cell = f"no cell of the queue ({where})" if where else "no cell"
            who = self._choice.who
            self._dialogs.say(
                f"Nothing is judged again: {no_cell} is for {who} to judge.",
            )
            return

        runs_code = await self._may_run_code(cells)
        if not (asked_count or has_rules or runs_code):
            return
        about = f"the cells of the queue ({where})" if where else "every cell"
        if asked_count:
            question = _question_about(
                self._bench.workspace,
                self._choice,
                self._pending(cells),
            )
            if not await self._may_ask_judge(f"{question} Again for {about}. {STAYS}"):
                return

        try:
            opened_round = open_again(self._bench, self._choice, where)
        except (Refused, NotKept) as refusal:
            self._dialogs.say(wording(refusal))
        else:
            self._run.begin(
                CellScope(opened_round, start=start, alone=True),
                code=runs_code,
            )

    # -- what is asked back -----------------------------------------------------------------------

    async def _may_ask_judge(self, question: str) -> bool:
        """Ask the person `question`, and return whether the answer is yes; no judge is asked here.

        After a no a message says that nothing was sent, and what else can be done. What
        `Dialogs.confirm` raises passes through.
        """
        is_agreed = await self._dialogs.confirm(question)
        if not is_agreed:
            self._dialogs.say("Nothing was sent. {cell.judge:J} asks about one cell.")
        return is_agreed

    def _pending(self, cells: CellScope, source: Source = "model") -> PendingCells:
        """Return the cells of a scope that wait for this source: the judge, a rule, or code.

        They are looked up anew when they are counted or read, not now.
        """
        return PendingCells(self._bench.workspace, self._choice, cells, source=source)

    async def _may_run_code(self, cells: CellScope) -> bool:
        """Ask the person whether other people's code may run on these cells, and return the answer.

        No code is run here. It is False without a question if no cell waits for such code, or if
        this session may run none. After a no a message says that nothing was run, and what else can
        be done. What `Dialogs.confirm` raises passes through.
        """
        question = code_question(self._bench.workspace, self._choice, cells)
        if not question:
            return False
        is_agreed = await self._dialogs.confirm(question)
        if not is_agreed:
            self._dialogs.say("Nothing was run. {cell.judge:J} asks about one cell.")
        return is_agreed

    # -- what is in the way -----------------------------------------------------------------------

    def _obstacle(self) -> str:
        """Return in a sentence why the judge can be asked about no cell now, or "" if it can.

        That is so in a session that only reads, without a judge, or while a run is in progress, in
        this order. Nothing is shown; the caller says it.
        """
        if self._bench.readonly:
            return READS_ONLY
        if self._choice.judge is None:
            return NO_JUDGE
        if self._run.is_on:
            return UNDER_WAY
        return ""

    def _obstacle_to(self, cell: Cell) -> str:
        """Return in a sentence why nothing can judge or compute a cell now, or "" if it can.

        Nothing can while the cell's judge is hidden. Otherwise it is what `_obstacle_to_asking` or
        `_obstacle_to_computing` says, as the labels of its trait come from a judge or are computed.
        """
        if cell.hidden:
            return HIDDEN
        if is_computed(cell.subject):
            return self._obstacle_to_computing(cell)
        return self._obstacle_to_asking(cell)

    def _obstacle_to_asking(self, cell: Cell) -> str:
        """Return in a sentence why the judge cannot be asked about a cell now, or "" if it can.

        It is what stands in the way of every cell, as `_obstacle` says. After that, recorded labels
        are not looked up twice, and word overlap cannot judge some kinds of traits.
        """
        obstacle = self._obstacle()
        if obstacle:
            return obstacle
        if self._choice.name == "recorded" and cell.judged:
            return RECORDED
        if not is_asked_about(cell.subject, self._choice):
            problem = f"Word overlap cannot judge a {cell.subject.kind.name} trait"
            return f"{problem}: start again with --model NAME."
        return ""

    def _obstacle_to_computing(self, cell: Cell) -> str:
        """Return in a sentence why a rule or code cannot compute a cell now, or "" if it can.

        That is so in a session that only reads, during a run, if the cell has labels already, and
        if this session may not run its code. It needs no judge.
        """
        if self._bench.readonly:
            return READS_ONLY
        if self._run.is_on:
            return UNDER_WAY
        if cell.judged:
            return "No judge is asked about this cell: computing it again gives the same labels."
        name = code_of(cell.subject.source, cell.subject.trait)
        if name and self._choice.code is None:
            advice = "start again with --allow-code to run it, or answer it yourself"
            return f"{name} was not run: {advice}."
        return ""


def _question_about(
    workspace: Workspace,
    choice: JudgeChoice,
    pending: PendingCells,
) -> str:
    """Return the question to the person whether the judge may be asked about the pending cells.

    Nothing is asked here. It has the number of cells that wait, and that of requests if there are
    more of them. It has the cost if all models have prices, estimated from a sample of the cells.
    If a profile says how much its model takes, it has the number of requests that are too long.
    Only `_SAMPLED` cells are measured for that, those of the longest traces: "50 or more".
    """
    members = choice.members
    requests = _requests_to_each(workspace, pending)
    has_prices = all(member.endpoint.prices for member in members)
    has_context = any(member.endpoint.context for member in members)
    if not has_prices and not has_context:
        return choice.question(pending.left, requests_to_each=requests)
    estimate = forecast(workspace, pending, choice, _SAMPLED)
    too_long = ""
    if has_context:
        too_long = lengths(
            workspace,
            pending,
            estimate.asked,
            _SAMPLED,
        ).too_long_text
    return choice.question(
        pending.left,
        requests_to_each=requests,
        cost=estimate.cost,
        too_long=too_long,
    )


def _requests_to_each(workspace: Workspace, pending: PendingCells) -> int:
    """Return how many requests each model gets about the pending cells, if every reply can be used.

    A cell takes as many as the kind of its trait says: most take one, and a comparison of two
    responses takes two. Saved replies are counted as if they were asked for.
    """
    several: dict[str, int] = {}
    for kind, trait in workspace.rubric.every_trait():
        requests_to_a_cell = kind.requests(trait)
        if requests_to_a_cell > 1:
            several[kind.name] = requests_to_a_cell
    requests = pending.left
    if several:
        numbers = list(pending.numbers())
        for kind_name, requests_of_kind in several.items():
            count = workspace.cells.count_of_kind(numbers, kind_name)
            requests += count * (requests_of_kind - 1)
    return requests


def _effect_of_judging_again(cell: Cell) -> str:
    """Return in a sentence what another answer of the judge will change about a judged cell.

    It names the next round of the cell. A signed-off cell keeps its labels. In any other cell the
    new labels replace those of the judge, and the person's corrections carry over where they still
    fit. Keys are written in it as `{id:usual key}`, for `with_keys`.
    """
    next_round_no = cell.round + 1
    if cell.signed:
        new_answer = f"the new answer is shown next to it as round {next_round_no}"
        # a part of its own, which is left out if that is on no key
        return f"It is signed off and stays so; {new_answer} · {{cell.proposals:V}} compares them."
    return (
        f"The answer opens round {next_round_no}; your corrections carry over where"
        " they still fit."
    )
