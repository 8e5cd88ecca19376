"""Asks a judge about many cells at once, and hands each answer over as it comes.

Cells are drawn only when a worker is free, so that 100,000 of them cost no memory. What has arrived
has been handed over: cancelling loses nothing and reports nothing for the rest.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from dataclasses import dataclass

from appellate.core.dialogue import UNBRIEFED, Briefing
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.judge import Judge, JudgmentFailed, NotRecorded, Proposal

FINAL_IN_A_ROW = 3
"""Failures in a row that every other cell would share, before the rest fails without being asked."""
_WINDOW = 50


@dataclass(frozen=True, slots=True)
class Ask:
    """One cell to be judged; `cell` is its number in the workspace, `trace` what the judge is shown.

    `round` is the round of judging that the answer belongs to.
    """

    cell: int
    subject: Subject
    trace: Trace
    briefing: Briefing = UNBRIEFED
    round: int = 1


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands: cells done (failed ones too), what is left if known, cells per second lately."""

    done: int = 0
    failed: int = 0
    unrecorded: int = 0
    left: int | None = None
    rate: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """None until there is a rate to go by."""
        return None if self.left is None or not self.rate else self.left / self.rate


Arrived = Callable[[Ask, Proposal | JudgmentFailed], None]


async def assign(
    judge: Judge,
    asks: AsyncIterable[Ask] | Iterable[Ask],
    concurrency: int,
    arrived: Arrived,
    *,
    total: int | None = None,
    progressed: Callable[[Progress], None] | None = None,
) -> Progress:
    """Judges every cell; `arrived` and `progressed` are called in the event loop, once per cell.

    Cells without a recorded judgment are counted and handed to nobody. An error of `arrived` ends the
    run and is raised.
    """
    run = _Run(judge, asks, arrived, progressed, total)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(run.work())
    except BaseExceptionGroup as broken:
        raise broken.exceptions[0] from None
    return run.tally.progress()


class _Run:
    """One run: what its workers share."""

    def __init__(
        self,
        judge: Judge,
        asks: AsyncIterable[Ask] | Iterable[Ask],
        arrived: Arrived,
        progressed: Callable[[Progress], None] | None,
        total: int | None,
    ) -> None:
        self._judge = judge
        self._asks = asks.__aiter__() if isinstance(asks, AsyncIterable) else _async(asks)
        self._arrived = arrived
        self._progressed = progressed
        self._drawing = asyncio.Lock()
        self._finals: list[JudgmentFailed] = []
        self.tally = _Tally(total)

    async def work(self) -> None:
        while (ask := await self._next()) is not None:
            try:
                outcome = await self._outcome(ask)
            except NotRecorded:
                self.tally.unrecorded += 1
            else:
                self._arrived(ask, outcome)
                self.tally.failed += isinstance(outcome, JudgmentFailed)
            self.tally.count()
            if self._progressed:
                self._progressed(self.tally.progress())
            await asyncio.sleep(0)

    async def _next(self) -> Ask | None:
        async with self._drawing:
            return await anext(self._asks, None)

    async def _outcome(self, ask: Ask) -> Proposal | JudgmentFailed:
        if len(self._finals) >= FINAL_IN_A_ROW:
            known = self._finals[-1]
            return JudgmentFailed(known.reason, record=known.record, final=True)
        try:
            proposal = await self._judge.judge(ask.subject, ask.trace, ask.briefing)
        except JudgmentFailed as failure:
            self._finals = [*self._finals, failure] if failure.final else []
            return failure
        self._finals = []
        return proposal


class _Tally:
    """Counts, and the times of the latest arrivals."""

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._done = 0
        self.failed = 0
        self.unrecorded = 0
        self._times = deque([time.monotonic()], _WINDOW)

    def count(self) -> None:
        self._done += 1
        self._times.append(time.monotonic())

    def progress(self) -> Progress:
        left = None if self._total is None else max(0, self._total - self._done)
        span = self._times[-1] - self._times[0]
        rate = (len(self._times) - 1) / span if span > 0 else 0.0
        return Progress(self._done, self.failed, self.unrecorded, left, rate)


async def _async(asks: Iterable[Ask]) -> AsyncIterator[Ask]:
    for ask in asks:
        yield ask
