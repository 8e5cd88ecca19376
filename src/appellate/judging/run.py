"""Has the missing cells of a workspace judged: the same run with a screen and without one.

The work is done elsewhere: models are asked in a process of its own, and what is computed, compared
or recorded is looked at in a thread. What is computed holds up no judge, and no judge what is
computed. Results wait in one bounded queue until they are kept.
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
from typing import Any, NamedTuple, Protocol, Self

from appellate.core.facts import Failed, Proposed
from appellate.core.kind import Source
from appellate.core.problem import Refused
from appellate.judges.offline import Recorded
from appellate.judges.patience import Waiting
from appellate.judges.proposal import JudgmentFailure, NoLabels, Proposal
from appellate.judging.choice import JudgeChoice
from appellate.judging.code_sessions import CodeSessions
from appellate.judging.jobs import Job, JobResult, describe_error, do_jobs, has_failed_so
from appellate.judging.pending import CellScope, PendingCells
from appellate.judging.process import HandOver, ProcessWork, RunSpec
from appellate.judging.progress import Counter, Progress, was_computed
from appellate.session.workbench import Workbench
from appellate.store import injection
from appellate.store.database import NotKept
from appellate.store.workspace import Workspace

UNKEPT = 64
"""Results that may wait to be kept before those who bring more wait too."""
_READY = 250
"""Results without any work that are taken at once: each holds its trace."""
_PATIENCE = 10.0
"""Seconds for the work to end once it was stopped."""


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

    def spend(
        self, group: Sequence[JobResult], keep: Callable[[Sequence[JobResult]], None]
    ) -> None:
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
        """`cells` are those of the open round if not said; with `computing` no judge is asked."""
        if choice.judge is None and not computing:
            text = "No judge was named: start again with --model or --judge"
            raise Refused(f"{text} to go on judging.")
        self._bench = bench
        self._choice = choice
        self._budget = budget or WriteBudget()
        scope = cells or CellScope(bench.round)
        parts = _parts(bench, choice, scope, computing=computing)
        left, ready = 0, None
        if isinstance(choice.judge, Recorded) and not computing:
            cells_left = PendingCells(bench.workspace, choice, scope)
            left, ready = cells_left.left, cells_left.recorded()
        self._work = _Background([part.work for part in parts], ready)
        to_compute = sum(part.cells for part in parts if part.computes)
        self._counter = Counter(left + sum(part.cells for part in parts), to_compute)

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return self._counter.progress(self._work.under_way, self._work.waiting)

    def stop(self) -> None:
        """Ends what is under way; what has come by then is still kept."""
        self._work.stop()

    def __enter__(self) -> Self:
        self._work.start()
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        rest = self._work.ended()
        if not isinstance(error, NotKept):
            self._keep(rest)
            self._bench.workspace.settle()

    async def __aiter__(self) -> AsyncIterator[Sequence[JobResult]]:
        while await self._work.news(within=1.0):
            group = self._work.take(self._budget.most)
            self._budget.spend(group, self._keep)
            yield group
            await asyncio.sleep(self._budget.rest)
        if self._work.error:
            raise BrokenDown(f"The judge broke down ({self._work.error}).")

    def _keep(self, group: Sequence[JobResult]) -> None:
        """Keeps results, all or none; one for a cell that was judged meanwhile is let go."""
        self._bench.receive_many(self._facts(group))
        if self._choice.sends:
            asked = [one.cell for one in group if not was_computed(one.outcome)]
            injection.look(self._bench.workspace, asked)
        for one in group:
            self._counter.count(one.outcome, one.seconds)

    def _facts(self, group: Sequence[JobResult]) -> Iterator[tuple[int, Proposed | Failed]]:
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


def _fact(choice: JudgeChoice, result: JobResult) -> Proposed | Failed | None:
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


class _Work(Protocol):
    """What is done elsewhere."""

    def do(self, hand_over: HandOver) -> str:
        """Does it in this thread; returns what broke, or nothing."""

    def stop(self) -> None:
        """Ends it, from another thread."""

    def kill(self) -> None:
        """Ends it where stopping did not."""


class _RunPart(NamedTuple):
    """One work of a run, for how many cells, and whether it asks nobody."""

    work: _Work
    cells: int
    computes: bool = False


def _parts(
    bench: Workbench, choice: JudgeChoice, cells: CellScope, *, computing: bool
) -> list[_RunPart]:
    """The parts of a run that have something to do."""
    path = bench.workspace.path
    parts: list[_RunPart] = []
    computing_sources: tuple[Source, ...] = ("rule", "code")
    for source in computing_sources:
        left = PendingCells(bench.workspace, choice, cells, source=source).left
        if left:
            work = _ThreadWork(path, choice, cells, source)
            parts.append(_RunPart(work, left, computes=True))
    if computing or isinstance(choice.judge, Recorded):
        return parts
    left = PendingCells(bench.workspace, choice, cells).left
    if left and choice.plan:
        parts.append(_RunPart(ProcessWork(RunSpec(path, choice.plan, cells)), left))
    elif left:
        parts.append(_RunPart(_ThreadWork(path, choice, cells, "model"), left))
    return parts


class _ThreadWork:
    """Cells that need no network, done in whatever thread calls `do`."""

    def __init__(self, path: Path, choice: JudgeChoice, cells: CellScope, source: Source) -> None:
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

    def do(self, hand_over: HandOver) -> str:
        with suppress(asyncio.CancelledError):
            asyncio.run(self._do(hand_over))
        return ""

    async def _do(self, hand_over: HandOver) -> None:
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._is_stopped:
            return
        judge, begun = self._choice.judge, 0
        if self._source != "model":
            judge = None

        def counted(jobs: Iterator[Job]) -> Iterator[Job]:
            nonlocal begun
            for begun, job in enumerate(jobs, 1):
                hand_over(begun, [], None)
                yield job

        async def done(result: JobResult) -> None:
            if self._is_stopped and isinstance(result.outcome, JudgmentFailure):
                return  # it failed because it was stopped
            hand_over(begun, [result], None)

        try:
            with Workspace(self._path, readonly=True) as workspace:
                scope = (workspace, self._choice, self._cells)
                jobs = PendingCells(*scope, source=self._source).jobs()
                await do_jobs(judge, counted(jobs), self._choice.concurrency, done, self._code)
        finally:
            if self._code:
                self._code.close()
            if judge:
                await judge.close()

    def stop(self) -> None:
        self._is_stopped = True
        if self._code:
            self._code.close()
        if self._loop and self._task:
            with suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(self._task.cancel)

    def kill(self) -> None:
        """There is nothing more to do than `stop`."""


class _Background:
    """Work of which each part is done in a thread of its own, all at once; its results are taken in
    the event loop of whoever made it, as are those that are `ready` without any work.

    There is room for so many results; those who bring more wait. Nothing is lost by stopping. Where
    one part breaks, the others go on to their end.
    """

    def __init__(self, parts: Sequence[_Work], ready: Iterator[JobResult] | None = None) -> None:
        self.error = ""
        self._ready = ready
        self._parts = parts
        self._is_stopped = self._is_over = False
        self._at_work = len(parts)
        self._begun = [0] * len(parts)  # each thread writes a place of its own
        self._done = [0] * len(parts)
        self._waiting: list[Waiting | None] = [None] * len(parts)
        self._results: Queue[JobResult | None] = Queue(UNKEPT)
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._threads = [
            threading.Thread(target=self._do, args=(place,), name="judge", daemon=True)
            for place in range(len(parts))
        ]

    @property
    def under_way(self) -> int:
        """How many cells are begun and not done."""
        return sum(self._begun) - sum(self._done)

    @property
    def waiting(self) -> Waiting | None:
        """The server that is waited for."""
        return next(filter(None, self._waiting), None)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()
        if self._ready or not self._threads:
            self._news.set()  # there is something, or it is over at once

    def stop(self) -> None:
        """Ends what is under way; `news` goes on until everything was taken."""
        self._is_stopped = True
        self._ready = None
        for part in self._parts:
            part.stop()

    async def news(self, within: float) -> bool:
        """Waits for a result, or so many seconds; False where everything was taken."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._news.wait()
        return not self._is_over

    def take(self, most: int) -> list[JobResult]:
        """What has come, in its order."""
        taken: list[JobResult] = []
        while self._at_work and len(taken) < most:
            try:
                result = self._results.get_nowait()
            except Empty:
                if not self._ready:
                    self._news.clear()
                break
            if result is None:
                self._at_work -= 1
            else:
                taken.append(result)
        room = min(most, _READY)
        try:
            taken += islice(self._ready or (), max(0, room - len(taken)))
        except Exception as error:  # noqa: BLE001 - raised where all else is over
            self.error = self.error or describe_error(error)
        if len(taken) < room:
            self._ready = None
        self._is_over = not self._at_work and self._ready is None
        return taken

    def ended(self) -> list[JobResult]:
        """Stops the work, waits for its threads and takes the rest."""
        self.stop()
        rest: list[JobResult] = []
        patience: float | None = _PATIENCE
        while self._at_work:
            try:
                result = self._results.get(timeout=patience)
            except Empty:
                patience = None
                for part in self._parts:
                    part.kill()
                continue
            if result is None:
                self._at_work -= 1
            else:
                rest.append(result)
        self._is_over = True
        for thread in self._threads:
            thread.join()
        return rest

    # -- in a thread ------------------------------------------------------------------------------

    def _do(self, place: int) -> None:
        def hand_over(begun: int, group: Sequence[JobResult], waiting: Waiting | None) -> None:
            self._begun[place] = begun
            self._waiting[place] = waiting
            for result in group:
                self._done[place] += 1
                self._put(result)

        broke = ""
        try:
            if not self._is_stopped:
                broke = self._parts[place].do(hand_over)
        except BaseException as error:  # noqa: BLE001 - who listens raises it, and waits for None
            broke = describe_error(error)
        self.error = self.error or broke
        self._put(None)

    def _put(self, result: JobResult | None) -> None:
        self._results.put(result)
        with suppress(RuntimeError):  # nobody listens any more
            self._loop.call_soon_threadsafe(self._news.set)
