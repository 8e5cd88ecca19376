"""Has the missing cells of a workspace judged: the same run with a screen and without one.

Models are asked in a process of its own, what is computed or compared is done in a thread, and
recorded labels are taken in here. What is computed holds up no judge, and no judge what is
computed. So many results wait until they are kept; then those who bring more wait.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any, Protocol, Self

from appellate.core.facts import Failed, Proposed
from appellate.core.kind import Source
from appellate.core.problem import Refused
from appellate.judges.offline import Recorded
from appellate.judges.proposal import JudgmentFailure, NoLabels, Proposal, Question
from appellate.judges.rate_limiter import Waiting
from appellate.judging.choice import JudgeChoice
from appellate.judging.process import UNKEPT, ProcessWork, RunSpec
from appellate.judging.progress import Counter, Progress, was_computed
from appellate.judging.questions import (
    Answered,
    CellScope,
    CodeSessions,
    PendingCells,
    answer_all,
    describe_error,
    has_failed_so,
)
from appellate.session.workbench import Workbench
from appellate.store import injection
from appellate.store.database import NotKept
from appellate.store.workspace import Workspace

_READY = 250
"""Recorded labels that are taken in at once: each holds its trace."""


class BrokenDown(Exception):
    """The judge ended by an error of its own; a sentence."""


class WriteBudget:
    """How many results are kept at once: as many as `seconds` allow, and then there is a `rest`."""

    def __init__(self, seconds: float = 0.25, rest: float = 0.0) -> None:
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
    """One run: a context that is iterated over; what has come when it is left is kept, too.

    It yields the results that were kept, at least once a second, be it none. Raises NotKept where
    the disk refuses, and BrokenDown where the judge does.
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
        workspace, choice = self._bench.workspace, self._choice
        to_compute = 0
        computed: tuple[Source, ...] = ("rule", "code")
        for source in computed:
            left = PendingCells(workspace, choice, cells, source=source).left
            if left:
                self._works.append(ThreadWork(workspace.path, choice, cells, source))
            to_compute += left
        if computing:
            return to_compute, 0
        pending = PendingCells(workspace, choice, cells)
        left = pending.left
        if isinstance(choice.judge, Recorded):
            self._works.append(RecordedWork(pending.recorded()))
        elif left and choice.plan:
            self._works.append(ProcessWork(RunSpec(workspace.path, choice.plan, cells)))
        elif left:
            self._works.append(ThreadWork(workspace.path, choice, cells, "model"))
        return to_compute, left

    @property
    def progress(self) -> Progress:
        """How far it is."""
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
    """A `Run` to its end."""
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
        return Proposed(outcome.labels, judge)
    return Failed(outcome.describe, outcome.raw, judge)


# -- the work -------------------------------------------------------------------------------------


class Work(Protocol):
    """What is done elsewhere: `under_way` cells are begun and not done, `waiting` is the server
    that is waited for, and `error` says what broke.
    """

    under_way: int
    waiting: Waiting | None
    error: str

    @property
    def is_over(self) -> bool:
        """Whether everything was taken, and nothing will come."""

    def start(self, news: Callable[[], object]) -> None:
        """Begins; `news` is called in this event loop when something has come, or it has ended."""

    def take(self, most: int) -> list[Answered]:
        """What has come, in its order; there is room for more then."""

    def stop(self) -> None:
        """Ends what is under way; nothing that has come is lost."""

    def rest(self) -> list[Answered]:
        """Waits for the end, and takes everything."""


class RecordedWork:
    """Labels that came with the traces: nobody is asked, so they are taken in the event loop."""

    under_way = 0
    waiting: Waiting | None = None

    def __init__(self, results: Iterator[Answered]) -> None:
        self.error = ""
        self.is_over = False
        self._results = results

    def start(self, news: Callable[[], object]) -> None:
        news()

    def take(self, most: int) -> list[Answered]:
        taken: list[Answered] = []
        try:
            taken += islice(self._results, min(most, _READY))
        except Exception as error:  # noqa: BLE001 - is raised as BrokenDown
            self.error = describe_error(error)
        self.is_over = len(taken) < min(most, _READY)
        return taken

    def stop(self) -> None:
        self.is_over = True

    def rest(self) -> list[Answered]:
        return []


class ThreadWork:
    """Cells that need no network, done in a thread."""

    def __init__(self, path: Path, choice: JudgeChoice, cells: CellScope, source: Source) -> None:
        self.under_way = 0
        self.waiting: Waiting | None = None
        self.error = ""
        self.is_over = False
        self._path = path
        self._choice = choice
        self._cells = cells
        self._source = source
        self._code: CodeSessions | None = None
        if source == "code" and choice.code is not None:
            self._code = CodeSessions(choice.code)
        self._is_stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._results: Queue[Answered | None] = Queue(UNKEPT)

    def start(self, news: Callable[[], object]) -> None:
        listening = asyncio.get_running_loop()

        def put(result: Answered | None) -> None:
            self._results.put(result)
            with suppress(RuntimeError):  # nobody listens any more
                listening.call_soon_threadsafe(news)

        def do() -> None:
            try:
                asyncio.run(self._do(put))
            except asyncio.CancelledError:
                pass
            except BaseException as error:  # noqa: BLE001 - is raised as BrokenDown
                self.error = describe_error(error)
            put(None)

        threading.Thread(target=do, name="judge", daemon=True).start()

    async def _do(self, put: Callable[[Answered], None]) -> None:
        """In the thread."""
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._is_stopped:
            return
        judge = self._choice.judge
        if self._source != "model":
            judge = None

        def counted(questions: Iterator[Question]) -> Iterator[Question]:
            for question in questions:
                self.under_way += 1
                yield question

        async def done(result: Answered) -> None:
            self.under_way -= 1
            if self._is_stopped and isinstance(result.outcome, JudgmentFailure):
                return  # it failed because it was stopped
            put(result)

        try:
            with Workspace(self._path, readonly=True) as workspace:
                pending = PendingCells(workspace, self._choice, self._cells, source=self._source)
                questions = counted(pending.questions())
                await answer_all(judge, questions, self._choice.concurrency, done, self._code)
        finally:
            if self._code:
                self._code.close()
            if judge:
                await judge.close()

    def take(self, most: int) -> list[Answered]:
        return self._taken(self._results.get_nowait, most)

    def stop(self) -> None:
        if self._is_stopped:
            return
        self._is_stopped = True
        if self._code:
            self._code.close()
        if self._loop and self._task:
            with suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(self._task.cancel)

    def rest(self) -> list[Answered]:
        return self._taken(self._results.get)

    def _taken(self, get: Callable[[], Answered | None], most: int | None = None) -> list[Answered]:
        """So many results, or all there are; whether it is over is known by None."""
        taken: list[Answered] = []
        with suppress(Empty):
            while not self.is_over and len(taken) != most:
                result = get()
                if result is None:
                    self.is_over = True
                else:
                    taken.append(result)
        return taken
