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
class Ask:
    """One cell to be judged; `cell` is its number in the workspace, `trace` what the judge is shown.

    `round` is the round of judging that the answer belongs to.
    """

    cell: int
    subject: Subject
    trace: Trace
    briefing: Briefing = UNBRIEFED
    round: int = 1


class Arrival(NamedTuple):
    """What came of one cell, and after how many seconds; `examples` are the traces that the judge was shown."""

    cell: int
    trace: TraceKey
    trait: str
    outcome: Outcome
    seconds: float = 0.0
    round: int = 1
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, ask: Ask, outcome: Outcome, seconds: float = 0.0) -> Self:
        """The same without all that was asked, which whoever waits for it has."""
        examples = tuple(ask.briefing.shown)
        return cls(ask.cell, ask.trace.key, ask.subject.trait.name, outcome, seconds, ask.round, examples)


Arrived = Callable[[Arrival], Awaitable[None]]


async def assign(judge: Judge, asks: AsyncIterable[Ask] | Iterable[Ask], concurrency: int, arrived: Arrived) -> None:
    """Judges every cell; `arrived` is awaited once per cell, and its error ends the run and is raised."""
    run = _Run(judge, asks, arrived)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(run.work())
    except BaseExceptionGroup as broken:
        raise broken.exceptions[0] from None


class _Run:
    """One run: what its workers share."""

    def __init__(self, judge: Judge, asks: AsyncIterable[Ask] | Iterable[Ask], arrived: Arrived) -> None:
        self._judge = judge
        self._asks = asks.__aiter__() if isinstance(asks, AsyncIterable) else _async(asks)
        self._arrived = arrived
        self._drawing = asyncio.Lock()
        self._finals: list[JudgmentFailed] = []

    async def work(self) -> None:
        while (ask := await self._next()) is not None:
            started = time.monotonic()
            outcome = await self._outcome(ask)
            await self._arrived(Arrival.of(ask, outcome, time.monotonic() - started))
            await asyncio.sleep(0)

    async def _next(self) -> Ask | None:
        async with self._drawing:
            return await anext(self._asks, None)

    async def _outcome(self, ask: Ask) -> Outcome:
        if len(self._finals) >= FINAL_IN_A_ROW:
            return _unasked(self._finals[-1])
        try:
            proposal = await self._judge.judge(ask.subject, ask.trace, ask.briefing)
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


async def _async(asks: Iterable[Ask]) -> AsyncIterator[Ask]:
    for ask in asks:
        yield ask
