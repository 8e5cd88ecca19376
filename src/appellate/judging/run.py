"""Has missing cells judged, with a screen or without.

Models are asked in a process of their own. Recorded labels are looked up in this event loop, and
threads compute and compare, so that neither holds up the other. While results wait to be kept,
no more are taken.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from types import TracebackType
from typing import Any, Self

from appellate.core.facts import Failed, Proposed
from appellate.core.kind import Source
from appellate.core.problem import Refused
from appellate.judges.offline import Computing, Recorded
from appellate.judges.proposal import Answered, Judge, NoLabels, Proposal, Question, answer_all
from appellate.judging.choice import AT_ONCE, JudgeChoice
from appellate.judging.process import UNKEPT, ProcessWork, RunSpec, Work
from appellate.judging.progress import Counter, Progress, was_computed
from appellate.judging.questions import (
    CellScope,
    PendingCells,
    describe_error,
    has_failed_so,
    savable,
)
from appellate.session.workbench import Workbench
from appellate.store import injection
from appellate.store.database import NotKept

_READY = 250
"""Recorded labels that are taken in at once: each holds its trace."""


class BrokenDown(Exception):
    """The judge ended by an error of its own; a sentence."""


class WriteBudget:
    """How many results are kept at once: what `seconds` allow; then others come in a `rest`."""

    def __init__(self, seconds: float = 0.25, rest: float = 0.005) -> None:
        self.rest = rest
        self._seconds = seconds
        self._each = seconds / 8

    @property
    def most(self) -> int:
        """How many results may be kept now."""
        return max(1, int(self._seconds / self._each))

    def spend(self, group: Sequence[Answered], keep: Callable[[Sequence[Answered]], None]) -> None:
        """Keeps a group, and learns how long one result takes."""
        if group:
            started = time.perf_counter()
            keep(group)
            took = (time.perf_counter() - started) / len(group)
            self._each += (took - self._each) / 4


class Run:
    """One run: a context to iterate over; what has come when it is left is kept, too.

    Yields kept results, be it none, at least once a second. Raises NotKept or BrokenDown.
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
        """`cells` are those of the open round if not given; with `computing` no judge is asked."""
        if choice.judge is None and not computing:
            text = "No judge was named: start again with --model or --judge"
            raise Refused(f"{text} to go on judging.")
        self._bench = bench
        self._choice = choice
        self._budget = budget or WriteBudget()
        self._works: list[Work] = []
        self._news = asyncio.Event()
        self._is_begun = False
        to_compute, to_ask = self._divide(cells or CellScope(bench.round), computing=computing)
        self._counter = Counter(to_compute + to_ask, to_compute)

    def _divide(self, cells: CellScope, *, computing: bool) -> tuple[int, int]:
        """Notes the works with something to do: how many cells are computed, how many asked."""
        workspace = self._bench.workspace
        choice = self._choice
        to_compute = 0
        computed: tuple[Source, ...] = ("rule", "code")
        for source in computed:
            pending = PendingCells(workspace, choice, cells, source=source)
            left = pending.left
            if left:
                self._works.append(LoopWork(pending, Computing(choice.code or ()), AT_ONCE))
            to_compute += left
        if computing:
            return to_compute, 0
        pending = PendingCells(workspace, choice, cells)
        left = pending.left
        if isinstance(choice.judge, Recorded):
            self._works.append(RecordedWork(pending.recorded()))
        elif left and choice.plan:
            self._works.append(ProcessWork(RunSpec(workspace.path, choice.plan, cells)))
        elif left and choice.judge:
            self._works.append(LoopWork(pending, choice.judge, choice.concurrency))
        return to_compute, left

    @property
    def progress(self) -> Progress:
        waiting = (work.waiting for work in self._works)
        under_way = sum(work.under_way for work in self._works)
        return self._counter.progress(under_way, next(filter(None, waiting), None))

    def stop(self) -> None:
        """Ends what is under way; what has come by then is still kept."""
        if not self._is_begun:
            self._works = []
        for work in self._works:
            work.stop()

    def __enter__(self) -> Self:
        self._is_begun = True
        for work in self._works:
            work.start(self._news.set)
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.stop()
        rest = [result for work in self._works for result in work.rest()]
        if not isinstance(error, NotKept):
            self._keep(rest)
            self._bench.workspace.settle()

    async def __aiter__(self) -> AsyncIterator[Sequence[Answered]]:
        while not all(work.is_over for work in self._works):
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._news.wait()
            self._news.clear()
            group = self._take()
            self._budget.spend(group, self._keep)
            yield group
            await asyncio.sleep(self._budget.rest)
        errors = [work.error for work in self._works if work.error]
        if errors:
            raise BrokenDown(f"The judge broke down ({errors[0]}).")

    def _take(self) -> list[Answered]:
        """As many results as may be kept now, of each work its share."""
        group: list[Answered] = []
        for work in self._works:
            group += work.take(max(1, self._budget.most // len(self._works)))
        if group:
            self._news.set()  # there may be more
        return group

    def _keep(self, group: Sequence[Answered]) -> None:
        """Keeps results, all or none; one for a cell that was judged meanwhile is let go."""
        self._bench.receive_many(self._facts(group))
        if self._choice.sends:
            asked = [one.cell for one in group if not was_computed(one.outcome)]
            injection.look(self._bench.workspace, asked)
        for one in group:
            self._counter.count(one.outcome, one.seconds)

    def _facts(self, group: Sequence[Answered]) -> Iterator[tuple[int, Proposed | Failed]]:
        """What is kept of results; of a computation that fails as it did before, nothing."""
        for one in group:
            if one.known:
                self._bench.hold(one.cell, *one.known)
            fact = _fact(self._choice, one)
            is_new = True
            if isinstance(fact, Failed) and was_computed(one.outcome):
                is_new = not has_failed_so(self._bench.open(one.cell)[1], fact)
            if fact and is_new:
                yield one.cell, fact


async def run(
    bench: Workbench,
    choice: JudgeChoice,
    cells: CellScope | None = None,
    *,
    computing: bool = False,
) -> Progress:
    with Run(bench, choice, cells, computing=computing) as running:
        async for _ in running:
            pass
    return running.progress


async def compute(bench: Workbench) -> Progress:
    """Computes what is missing and needs no judge; nobody is asked."""
    return await run(bench, JudgeChoice("", None), computing=True)


def _fact(choice: JudgeChoice, result: Answered) -> Proposed | Failed | None:
    """What is kept of a result; nothing where there were no labels."""
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
    return savable(Failed(outcome.describe, outcome.raw, judge))


# -- the work -------------------------------------------------------------------------------------


class RecordedWork(Work):
    """Labels that came with the traces: nobody is asked; they are looked up as they are taken."""

    def __init__(self, results: Iterator[Answered]) -> None:
        super().__init__()
        self._results = results

    def start(self, news: Callable[[], object]) -> None:
        news()

    def take(self, most: int) -> list[Answered]:
        taken: list[Answered] = []
        try:
            taken += islice(self._results, min(most, _READY))
        except Exception as error:  # noqa: BLE001 - is raised as BrokenDown
            self.error = describe_error(error)
        self.has_ended = len(taken) < min(most, _READY)
        return taken

    def stop(self) -> None:
        self.has_ended = True


class LoopWork(Work):
    """Cells asked about in this event loop, by a judge that has threads for what takes time."""

    def __init__(self, pending: PendingCells, judge: Judge, concurrency: int) -> None:
        super().__init__()
        self._pending = pending
        self._judge = judge
        self._concurrency = concurrency
        self._room = asyncio.Event()

    def start(self, news: Callable[[], object]) -> None:
        self._news = news
        self._task = asyncio.create_task(self._do())
        self._task.add_done_callback(self._end)

    async def _do(self) -> None:
        try:
            await answer_all(self._judge, self._drawn(), self._concurrency, self._put)
        finally:
            await self._judge.close()

    def _drawn(self) -> Iterator[Question]:
        for question in self._pending.questions():
            self.under_way += 1
            yield question

    async def _put(self, result: Answered) -> None:
        self.under_way -= 1
        self.came.append(result)
        self._news()
        while len(self.came) > UNKEPT:
            self._room.clear()
            await self._room.wait()

    def _end(self, task: asyncio.Task[None]) -> None:
        self.has_ended = True
        error = None if task.cancelled() else task.exception()
        if error:
            self.error = describe_error(error)
        self._news()

    def take(self, most: int) -> list[Answered]:
        self._room.set()
        return super().take(most)

    def stop(self) -> None:
        self._task.cancel()
