"""Cells to be judged, many at once: what comes of each is handed over as it comes.

Cells are drawn only when a worker is free, so that 100,000 of them cost no memory. What has been
handed over stays so: cancelling loses nothing and reports nothing for the rest.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from traceback import extract_tb
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.cell import Cell, round_of
from appellate.core.facts import Failed
from appellate.core.kind import UNBRIEFED, Briefing, Computed, NotComputed, Subject
from appellate.core.trace import Trace
from appellate.judges.offline import Recorded
from appellate.judges.proposal import (
    Asking,
    Judge,
    JudgeRecord,
    JudgmentFailure,
    NoLabels,
    NotRecorded,
    Outcome,
    Proposal,
    checked,
)
from appellate.judging.code_sessions import CodeSessions


class Job(Struct, frozen=True):
    """One cell to be judged: its number in the workspace, and the trace as the judge is shown it.

    `round` is the round of judging that the answer belongs to.
    """

    cell: int
    subject: Subject
    trace: Trace
    briefing: Briefing = UNBRIEFED
    round: int = 1


class JobResult(NamedTuple):
    """What came of one cell in one round, and after how many seconds; `known` is the cell with its
    trace where it was just looked up.
    """

    cell: int
    round: int
    outcome: Outcome
    seconds: float = 0.0
    known: tuple[Trace, Cell] | None = None


async def do_jobs(
    judge: Judge | None,
    jobs: Iterable[Job],
    concurrency: int,
    done: Callable[[JobResult], Awaitable[None]],
    code: CodeSessions | None = None,
) -> None:
    """Has every cell judged or computed; a judge is needed only for those that are not computed,
    `code` only for those that the code of other people computes.

    `done` is awaited once per cell, and its error ends the work and is raised.
    """
    work = _Workers(judge, jobs, done, code)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(work.go_on())
    except BaseExceptionGroup as broken:
        raise broken.exceptions[0] from None


class _Workers:
    """What the workers share."""

    def __init__(
        self,
        judge: Judge | None,
        jobs: Iterable[Job],
        done: Callable[[JobResult], Awaitable[None]],
        code: CodeSessions | None,
    ) -> None:
        self._asking = None
        if judge is not None:
            self._asking = Asking(judge)
        self._code = code
        self._jobs = iter(jobs)
        self._done = done

    async def go_on(self) -> None:
        for job in self._jobs:
            started = time.monotonic()
            outcome = await self._outcome(job)
            await self._done(JobResult(job.cell, job.round, outcome, time.monotonic() - started))
            await asyncio.sleep(0)

    async def _outcome(self, job: Job) -> Outcome:
        source = job.subject.source
        if isinstance(source, Computed):
            if job.round > 1 or job.subject.trait.name not in job.trace.judgments:
                return _computed(source, job, self._code)
            outcome = recorded(job)
            if isinstance(outcome, Proposal):  # located here: a pattern may take its time
                kind, trait = job.subject.kind, job.subject.trait
                labels = dict(kind.locate(trait, job.trace, outcome.labels))
                outcome = Proposal(labels, outcome.record)
            return outcome
        if self._asking is None:
            return NoLabels(f"Nobody was named to judge a {job.subject.kind.name} trait.")
        return await self._asking.answer(job.subject, job.trace, job.briefing)


def recorded(job: Job) -> Outcome:
    """What the trace brought for a cell."""
    source = job.subject.source
    try:
        proposal = Recorded().proposed(job.subject, job.trace)
    except NotRecorded as nothing:
        if isinstance(source, Computed):
            return _computed(source, job, None)
        return NoLabels(str(nothing))
    return checked(job.subject, job.trace, proposal)


def _computed(source: Computed[Any], job: Job, code: CodeSessions | None) -> Outcome:
    """What a kind that needs no judge makes of a cell."""
    record, trait = JudgeRecord(source.name), job.subject.trait
    compute = source.compute
    if source.runs is not None:
        if code is None:
            return NoLabels(f"{source.runs.name(trait)} runs only with --allow-code.")
        compute = code.of(source.runs).compute
    try:
        return Proposal(compute(trait, job.trace), record)
    except NotComputed as why:
        return JudgmentFailure(str(why), record=record)


def has_failed_so(cell: Cell, failed: Failed) -> bool:
    """Whether the cell failed with these words already, in this round."""
    known = cell.error
    return known is not None and known.error == failed.error and round_of(known) == round_of(failed)


def describe_error(error: BaseException) -> str:
    """What broke and where, without what it broke on, which may be anybody's text.

    The words of an error are told only where they can be nobody's: about a file, or our own.
    """
    name = type(error).__name__
    if isinstance(error, OSError | ImportError) or type(error).__module__.startswith("appellate."):
        return f"{name}: {error}"
    frames = extract_tb(error.__traceback__)
    if not frames:
        return name
    return f"{name} in {Path(frames[-1].filename).name}, line {frames[-1].lineno}"
