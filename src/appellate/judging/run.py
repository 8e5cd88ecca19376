"""A run of the judge over the cells that wait for it, for the screen and for commands.

Models are asked in a process of their own (`process`). Recorded labels are looked up in this event
loop, and word overlap and computing use threads: none of them holds up the others. While many
results wait to be saved, no more are accepted.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from itertools import islice
from types import TracebackType
from typing import Any, Self

from appellate.core.facts import Failed, Proposed
from appellate.core.kind import Source
from appellate.core.problem import Refused
from appellate.judges.closing import to_the_end
from appellate.judges.offline import Computing, Recorded
from appellate.judges.proposal import (
    Answered,
    Judge,
    NoLabels,
    Proposal,
    Question,
    answer_all,
)
from appellate.judging.choice import AT_ONCE, JudgeChoice
from appellate.judging.process import MOST_UNSAVED, ProcessWork, RunSpec, Work
from appellate.judging.progress import Counter, Progress, was_computed
from appellate.judging.questions import (
    CellScope,
    PendingCells,
    describe_error,
    has_same_failure,
    savable,
)
from appellate.session.workbench import Workbench
from appellate.store import injection
from appellate.store.database import NotKept
from appellate.store.workspace import Workspace

_MOST_RECORDED = 250
"""Recorded labels that are taken at once. Each has its trace in memory."""


class BrokenDown(Exception):
    """Raised when the judge ended by an error of its own; the message is a sentence."""


class WriteBudget:
    """Decides how many results are saved at once, so that saving never holds up the screen.

    They are as many as take `seconds`. After each group the screen gets `rest` seconds.
    """

    def __init__(self, seconds: float = 0.25, rest: float = 0.005) -> None:
        """Assume, until groups were saved, that a result takes an eighth of `seconds`.

        A group may take `seconds` to be saved. `rest` is the pause after it, in seconds.
        """
        self.rest = rest
        self._seconds = seconds
        self._seconds_a_result = seconds / 8

    @property
    def most(self) -> int:
        """The number of results that may be saved now."""
        return max(1, int(self._seconds / self._seconds_a_result))

    def learn(self, count: int, seconds: float) -> None:
        """Note that saving a group of `count` results, at least one, took `seconds`.

        The assumed time of one result, which `most` is computed from, moves a quarter of the way to
        that of this group.
        """
        took = seconds / count
        self._seconds_a_result += (took - self._seconds_a_result) / 4


class Run:
    """One run of the judge: an asynchronous context to iterate over, which saves results.

    Iterating yields the results that were just saved, at least once a second and possibly none. It
    raises NotKept or BrokenDown. Results that came before the context is left are saved as well.
    """

    def __init__(
        self,
        bench: Workbench,
        choice: JudgeChoice,
        cells: CellScope | None = None,
        *,
        budget: WriteBudget | None = None,
        computing: bool = False,
    ) -> None:
        """Prepare a run of the judge over the cells that wait in a scope; nothing is started.

        Without `cells` they are all missing ones, and those that the open round has to judge again.
        They are counted now. With `computing` only rules and code are run, and no judge is asked.
        Raises Refused if `choice` has no judge, unless `computing`.
        """
        if choice.judge is None and not computing:
            problem = "No judge was named: start again with --model or --judge"
            raise Refused(f"{problem} to go on judging.")
        self._bench = bench
        self._choice = choice
        self._budget = budget or WriteBudget()
        self._news = asyncio.Event()
        self._is_begun = False
        # the disk or Ctrl+C kept them from being saved
        self._unsaved: list[Answered] = []
        self._works, self._counter = _works_and_counter(
            bench.workspace,
            choice,
            cells or CellScope(bench.round),
            computing=computing,
        )

    @property
    def progress(self) -> Progress:
        """The state of the run now, as a copy: its saved results, and what its works report.

        Results that came and are not saved yet are neither done nor in progress. The server is the
        one that the first work to wait for any waits for.
        """
        under_way = 0
        waiting = None
        for work in self._works:
            under_way += work.under_way
            waiting = waiting or work.waiting
        return self._counter.progress(under_way, waiting)

    def stop(self) -> None:
        """Ask all works of the run to end; it is not waited for, and nothing is saved.

        Iterating goes on until what came is saved and the works are over; leaving the context saves
        what is left. A run that was not begun yet will do nothing then.
        """
        if not self._is_begun:
            self._works = []
        for work in self._works:
            work.stop()

    async def wait_for_tasks(self) -> None:
        """Wait, after `stop()`, until the run's tasks in this event loop have closed their judges.

        Returns at once if the run was not begun. A process is not waited for, and nothing is saved.
        """
        if self._is_begun:
            for work in self._works:
                await work.wait_for_task()

    async def __aenter__(self) -> Self:
        """Start all works of the run, or none if it was stopped before.

        A process that cannot be started raises nothing here: iterating raises BrokenDown.
        """
        self._is_begun = True
        for work in self._works:
            work.start(self._news.set)
        return self

    async def __aexit__(
        self,
        _: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Stop the run, save all results that came, and wait until its works have ended.

        Saving is tried before anything is waited for, and again after each wait, so that a second
        Ctrl+C or cancellation loses nothing that was here. The error with which the context is left
        goes on. NotKept takes its place if the disk refuses the last attempt, unless it is a
        NotKept itself. If no NotKept is raised, the disk has everything.
        """
        self.stop()
        is_told = isinstance(error, NotKept)
        # each step is done whatever fails before it; those of the stack begin with the last one
        async with AsyncExitStack() as last_steps:
            last_steps.callback(self._keep_what_came, raises=not is_told)
            last_steps.push_async_callback(self.wait_for_tasks)
            last_steps.callback(self._keep_what_came, raises=False)
            for work in self._works:
                last_steps.callback(work.wait_for_process)
            self._keep_what_came(raises=False)
        if not is_told:
            self._bench.workspace.settle()

    def _keep_what_came(self, *, raises: bool) -> None:
        """Save the results that could not be saved before, and those that came and were not taken.

        If the disk refuses, all of them are tried again at the next call, and NotKept is raised
        only if `raises`.
        """
        group = self._unsaved
        self._unsaved = []
        for work in self._works:
            group += work.take_all()
        try:
            self._keep(group)
        except NotKept:
            if raises:
                raise

    async def __aiter__(self) -> AsyncIterator[Sequence[Answered]]:
        """Save results as they come, and yield each group that was saved, until all works are over.

        It is used inside `async with`, which starts the works. A group has an equal share of each
        work's results, as many as may be saved now. At least once a second one is yielded, which
        may be empty. Raises NotKept if the disk refuses a group, which is tried again when the
        context is left. Raises BrokenDown at the end, when all that came is saved, if a work broke
        down; it names the error of one.
        """
        while not all(work.is_over for work in self._works):
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._news.wait()
            self._news.clear()
            group: list[Answered] = []
            for work in self._works:
                group += work.take(max(1, self._budget.most // len(self._works)))
            if group:
                self._news.set()  # there may be more
                started = time.perf_counter()
                self._keep(group)
                self._budget.learn(len(group), time.perf_counter() - started)
            yield group
            await asyncio.sleep(self._budget.rest)
        errors = [work.error for work in self._works if work.error]
        if errors:
            raise BrokenDown(f"The judge stopped with an error ({errors[0]}).")

    def _keep(self, group: Sequence[Answered]) -> None:
        """Save a group of results, all or none, and count each of them as done.

        A result for a cell that a judge labelled in its round in the meantime is counted, but not
        saved. Traces that a model was asked about are then searched for passages that address the
        judge. Raises NotKept if the disk refuses the results, or only what the search found, and
        KeyboardInterrupt at Ctrl+C. Results that were not saved because of either are added to
        `_unsaved` and not counted.
        """
        try:
            self._bench.receive_many(self._facts(group))
        except (NotKept, KeyboardInterrupt):
            self._unsaved += group
            raise
        for result in group:
            self._counter.count(result.outcome, result.seconds)
        if self._choice.sends:
            asked_cells = [
                result.cell for result in group if not was_computed(result.outcome)
            ]
            injection.look(self._bench.workspace, asked_cells)

    def _facts(
        self,
        group: Sequence[Answered],
    ) -> Iterator[tuple[int, Proposed | Failed]]:
        """Yield the cell and the fact of each result that is saved.

        Results without labels, and failures of a computation that the cell has already, are left
        out. A cell that came with its result is kept in the workbench's memory.
        """
        for result in group:
            if result.known:
                self._bench.cache_cell(result.cell, *result.known)
            fact = _fact_of(self._choice, result)
            if fact is None:
                continue
            if isinstance(fact, Failed) and was_computed(result.outcome):
                _, cell = self._bench.open(result.cell)
                if has_same_failure(cell, fact):
                    continue
            yield result.cell, fact


async def run(
    bench: Workbench,
    choice: JudgeChoice,
    cells: CellScope | None = None,
    *,
    computing: bool = False,
) -> Progress:
    """Do a whole run without a screen, and return its final state, with all results saved.

    Without `cells` it is about all missing ones, and those that the open round has to judge again.
    With `computing` only rules and code are run, and no judge is asked. Raises Refused if `choice`
    has no judge, unless `computing`, NotKept if the disk refuses, and BrokenDown if the judge ended
    by an error of its own, after what came before was saved.
    """
    async with Run(bench, choice, cells, computing=computing) as running:
        async for _ in running:
            pass
    return running.progress


async def compute(bench: Workbench) -> Progress:
    """Compute the missing labels that need no judge, and return the final state of the run."""
    return await run(bench, JudgeChoice("", None), computing=True)


def _works_and_counter(
    workspace: Workspace,
    choice: JudgeChoice,
    cells: CellScope,
    *,
    computing: bool,
) -> tuple[list[Work], Counter]:
    """Return the works of a run, which are not started yet, and a counter of its waiting cells.

    Cells of rules, and of code that may run, are computed in a work for each. One more work asks
    the judge, in a process if the choice has a plan, or looks up recorded labels. A part without
    cells gets no work, except recorded labels. With `computing` no judge is asked: there is no such
    work, and its cells are not counted.
    """
    works: list[Work] = []
    to_compute = 0
    computed: tuple[Source, ...] = ("rule", "code")
    for source in computed:
        pending = PendingCells(workspace, choice, cells, source=source)
        left = pending.left
        if left:
            works.append(LoopWork(pending, Computing(choice.code or ()), AT_ONCE))
        to_compute += left
    if computing:
        return works, Counter(to_compute, to_compute)

    pending = PendingCells(workspace, choice, cells)
    left = pending.left
    if isinstance(choice.judge, Recorded):
        works.append(RecordedWork(pending.recorded()))
    elif left and choice.plan:
        works.append(ProcessWork(RunSpec(workspace.path, choice.plan, cells)))
    elif left and choice.judge:
        works.append(LoopWork(pending, choice.judge, choice.concurrency))
    return works, Counter(to_compute + left, to_compute)


def _fact_of(choice: JudgeChoice, result: Answered) -> Proposed | Failed | None:
    """Return the fact that a result is saved as; None for NoLabels.

    It is Failed if the judge failed, or if its labels cannot be saved, and Proposed otherwise. The
    judge is named by its record, or else by the choice. The round is left out if it is the first.
    """
    outcome = result.outcome
    if isinstance(outcome, NoLabels):
        return None
    judge: dict[str, Any] = {"name": choice.model or choice.name}
    if outcome.record:
        judge |= outcome.record.to_file()
    if result.round > 1:
        judge["round"] = result.round
    if isinstance(outcome, Proposal):
        return savable(Proposed(outcome.labels, judge))
    return savable(Failed(outcome.full_reason, outcome.raw, judge))


# -- the work -------------------------------------------------------------------------------------


class RecordedWork(Work):
    """Labels that came with the traces, looked up when they are taken."""

    def __init__(self, results: Iterator[Answered]) -> None:
        super().__init__()
        self._results = results

    def start(self, news: Callable[[], object]) -> None:
        """Call `news` at once: results are looked up when they are taken."""
        news()

    def take(self, most: int) -> list[Answered]:
        """Look up the next results, at most `most` and `_MOST_RECORDED`, and return them.

        If fewer are left, the work ends. An error ends it, too: it is noted in `error`, and the
        results before it are returned. A work that ended or was stopped gives none.
        """
        taken: list[Answered] = []
        if self.has_ended:
            return taken
        wanted = min(most, _MOST_RECORDED)
        problem = ""
        try:
            taken += islice(self._results, wanted)
        except Exception as error:  # noqa: BLE001 - is raised as BrokenDown
            problem = describe_error(error)
        if len(taken) < wanted:
            self.set_ended(problem)
        return taken

    def stop(self) -> None:
        self.set_ended(self.error)


class LoopWork(Work):
    """Cells asked about in this event loop, by a judge that uses threads for slow work."""

    def __init__(self, pending: PendingCells, judge: Judge, concurrency: int) -> None:
        """Keep the cells to ask about, the judge, and how many are asked at once.

        Nothing is asked before `start()`.
        """
        super().__init__()
        self._pending = pending
        self._judge = judge
        self._concurrency = concurrency
        self._has_room = asyncio.Event()

    def start(self, news: Callable[[], object]) -> None:
        """Start asking in a task of this event loop.

        `news` is called when a result came or the work ended. The caller has to `take` the results:
        with more than `MOST_UNSAVED` of them in `came`, no more are accepted and the work does not
        end.
        """
        self._news = news
        self._task = asyncio.create_task(self._ask_all())
        self._task.add_done_callback(self._end)

    async def _ask_all(self) -> None:
        """Ask about all pending cells, several at once, and put each result into `came`.

        It waits while too many results are not taken. After several failures in a row that every
        further cell would have, too, the cells that are left are not asked about and get the same
        failure. The judge is closed at the end, also after an error or when it is stopped; the
        error is raised.
        """
        try:
            await answer_all(
                self._judge,
                self._counted_questions(),
                self._concurrency,
                self._put,
            )
        finally:
            await to_the_end(self._judge.close())

    def _counted_questions(self) -> Iterator[Question]:
        """Yield the questions; each adds one to `under_way` when it is asked for."""
        for question in self._pending.questions():
            self.under_way += 1
            yield question

    async def _put(self, result: Answered) -> None:
        """Add a result to `came`, take one from `under_way`, and call `news`.

        Then wait while more than `MOST_UNSAVED` results are in `came`.
        """
        self.under_way -= 1
        self.came.append(result)
        self._news()
        while len(self.came) > MOST_UNSAVED:
            self._has_room.clear()
            await self._has_room.wait()

    def _end(self, task: asyncio.Task[None]) -> None:
        """End the work, whose task is done, and call `news`.

        The error of the task is put into `error`, as `describe_error` has it. If the task was
        cancelled or did all, `error` is "".
        """
        error = None
        if not task.cancelled():
            error = task.exception()
        self.set_ended(describe_error(error) if error else "")
        self._news()

    def take(self, most: int) -> list[Answered]:
        self._has_room.set()
        return super().take(most)

    def stop(self) -> None:
        self._task.cancel()

    async def wait_for_task(self) -> None:
        await asyncio.wait([self._task])
