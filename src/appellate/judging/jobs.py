"""Asks a judge about many cells at once, and hands each answer over as it comes.

Cells are drawn only when a worker is free, so that 100,000 of them cost no memory. What has arrived
has been handed over: cancelling loses nothing and reports nothing for the rest.
"""

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self

from appellate.core.briefing import UNBRIEFED, Briefing
from appellate.core.kind import Subject
from appellate.core.trace import Trace, TraceKey
from appellate.judges.judge import Judge, JudgeRecord, JudgmentFailed, NotRecorded, Outcome

FINAL_IN_A_ROW = 3
"""Failures in a row that every other cell would share, before the rest fails without being asked."""


@dataclass(frozen=True, slots=True)
class Job:
    """One cell to be judged; `cell` is its number in the workspace, `trace` what the judge is shown.

    `round` is the round of judging that the answer belongs to.
    """

    cell: int
    subject: Subject
    trace: Trace
    briefing: Briefing = UNBRIEFED
    round: int = 1


class JobResult(NamedTuple):
    """What came of one cell, and after how many seconds; `examples` are the traces that the judge was shown."""

    cell: int
    trace: TraceKey
    trait: str
    outcome: Outcome
    seconds: float = 0.0
    round: int = 1
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, job: Job, outcome: Outcome, seconds: float = 0.0) -> Self:
        """The same without all that was asked, which whoever waits for it has."""
        examples = tuple(job.briefing.shown)
        return cls(job.cell, job.trace.key, job.subject.trait.name, outcome, seconds, job.round, examples)


Arrived = Callable[[JobResult], Awaitable[None]]


async def do_jobs(judge: Judge, jobs: AsyncIterable[Job] | Iterable[Job], concurrency: int, arrived: Arrived) -> None:
    """Judges every cell; `arrived` is awaited once per cell, and its error ends the run and is raised."""
    run = _Run(judge, jobs, arrived)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(run.work())
    except BaseExceptionGroup as broken:
        raise broken.exceptions[0] from None


class _Run:
    """One run: what its workers share."""

    def __init__(self, judge: Judge, jobs: AsyncIterable[Job] | Iterable[Job], arrived: Arrived) -> None:
        self._judge = judge
        self._asks = jobs.__aiter__() if isinstance(jobs, AsyncIterable) else _async(jobs)
        self._arrived = arrived
        self._drawing = asyncio.Lock()
        self._finals: list[JudgmentFailed] = []

    async def work(self) -> None:
        while (job := await self._next()) is not None:
            started = time.monotonic()
            outcome = await self._outcome(job)
            await self._arrived(JobResult.of(job, outcome, time.monotonic() - started))
            await asyncio.sleep(0)

    async def _next(self) -> Job | None:
        async with self._drawing:
            return await anext(self._asks, None)

    async def _outcome(self, job: Job) -> Outcome:
        if len(self._finals) >= FINAL_IN_A_ROW:
            return _unasked(self._finals[-1])
        try:
            proposal = await self._judge.judge(job.subject, job.trace, job.briefing)
        except NotRecorded as nothing:
            return nothing
        except JudgmentFailed as failure:
            self._finals = [*self._finals, failure] if failure.final else []
            return failure
        self._finals = []
        return proposal


def _unasked(known: JudgmentFailed) -> JudgmentFailed:
    """The same failure of another cell; it took nothing."""
    who = known.record and JudgeRecord(known.record.name, known.record.model, known.record.parameters)
    return JudgmentFailed(known.reason, record=who, final=True)


async def _async(jobs: Iterable[Job]) -> AsyncIterator[Job]:
    for job in jobs:
        yield job
