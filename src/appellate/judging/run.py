"""Has the missing cells of a workspace judged: the same run with a screen and without one."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from appellate.core.facts import Failed, Proposed
from appellate.core.refused import Refused
from appellate.judges.judge import NotRecorded, Outcome, Proposal
from appellate.judges.offline import Recorded
from appellate.judging.choice import Choice
from appellate.judging.jobs import Job, JobResult
from appellate.judging.pending import PendingCells
from appellate.judging.process import Apart, Cells, RunSpec
from appellate.judging.progress import Counter, Progress
from appellate.judging.thread import Chambers
from appellate.store import injection
from appellate.store.database import NotKept
from appellate.store.workspace import Workspace
from appellate.workbench import Change, Workbench


class WriteBudget:
    """How many answers are kept at once: as many as `budget` seconds allow, and then there is a `rest`."""

    def __init__(self, budget: float, rest: float) -> None:
        self.rest = rest
        self._budget = budget
        self._each = budget / 8

    @property
    def most(self) -> int:
        return max(1, int(self._budget / self._each))

    def spend(self, group: Sequence[JobResult], keep: Callable[[Sequence[JobResult]], None]) -> None:
        """Keeps a group, and learns how long one answer takes."""
        if group:
            started = time.perf_counter()
            keep(group)
            self._each += ((time.perf_counter() - started) / len(group) - self._each) / 4


async def run(
    bench: Workbench,
    choice: Choice,
    *,
    start: int = 1,
    only: int | None = None,
    alone: bool = False,
    pace: WriteBudget | None = None,
    progressed: Callable[[Progress], None] | None = None,
    kept: Callable[[Sequence[JobResult]], None] | None = None,
    stopping: Callable[[Callable[[], None]], None] | None = None,
    listener: Callable[[Change], None] | None = None,
) -> Progress:
    """Judges what is missing (or one cell, or `alone` what the open round takes on) and keeps the answers as they come.

    Raises NotKept if the disk refuses, and BrokenDown where the judge does. `progressed` hears at least once a
    second, `kept` of every group of answers, and `stopping` is handed what stops the judge. Where the run itself
    is ended, `listener` is taken off the bench before the last answers are kept: it belongs to what has ended.
    """
    if choice.judge is None:
        raise Refused("No judge was named: start again with --model or --judge to go on judging.")
    pace = pace or WriteBudget(budget=0.25, rest=0.0)
    counter = Counter(1 if only else left(bench, choice, alone=alone))
    chambers = _chambers(bench, choice, Cells(bench.round, start, only, alone))
    if stopping:
        stopping(chambers.stop)

    def keep(group: Sequence[JobResult]) -> None:
        receive_all(bench, choice, group)
        for result in group:
            counter.count(result.outcome, result.seconds)
        if kept and group:
            kept(group)

    chambers.start()
    try:
        while await chambers.news(within=1.0):
            pace.spend(chambers.take(pace.most), keep)
            if progressed:
                progressed(counter.progress(chambers.under_way))
            await asyncio.sleep(pace.rest)
    except NotKept:
        raise
    except BaseException:
        bench.dismiss(listener)
        receive_all(bench, choice, chambers.ended())
        raise
    finally:
        chambers.ended()
    bench.workspace.settle()
    chambers.check()
    return counter.progress()


class _AtHand:
    """Labels that came with the traces: looked up as they are taken, by who keeps them."""

    under_way = 0

    def __init__(self, judge: Recorded, jobs: Iterator[Job]) -> None:
        self._judge = judge
        self._asks = jobs
        self._is_over = False

    def start(self) -> None:
        """Nothing need be started."""

    async def news(self, within: float) -> bool:  # noqa: ARG002 - nobody is waited for
        return not self._is_over

    def take(self, most: int) -> list[JobResult]:
        taken = [JobResult.of(job, self._outcome(job)) for job in islice(self._asks, most)]
        self._is_over = self._is_over or not taken
        return taken

    def _outcome(self, job: Job) -> Outcome:
        try:
            return self._judge.proposal(job.subject, job.trace)
        except NotRecorded as nothing:
            return nothing

    def stop(self) -> None:
        self._is_over = True

    def ended(self) -> list[JobResult]:
        """Nothing is left: what was taken was kept."""
        return []

    def check(self) -> None:
        """Looking up does not break down."""


def _chambers(bench: Workbench, choice: Choice, cells: Cells) -> Apart | Chambers | _AtHand:
    """Where the judge works: one that asks models in a process of its own, any other in a thread.

    Labels that came with the traces need neither.
    """
    path = bench.workspace.path
    if choice.plan is not None:
        return Apart(RunSpec(path, choice.plan, cells))
    if isinstance(choice.judge, Recorded):
        return _AtHand(choice.judge, cells.each(bench.workspace, choice))
    assert choice.judge  # noqa: S101 - who calls has looked
    return Chambers(choice.judge, partial(_drawn, path, choice, cells), choice.concurrency)


async def _drawn(path: Path, choice: Choice, cells: Cells) -> AsyncGenerator[Job, None]:
    """What is to be asked, read through a connection of its own: it runs in the judge's thread."""
    with Workspace(path, readonly=True) as workspace:
        async for job in cells.jobs(workspace, choice):
            yield job


def left(bench: Workbench, choice: Choice, *, alone: bool = False) -> int:
    """How many cells a run would ask about."""
    return PendingCells(bench.workspace, choice, bench.round, alone=alone).left


def receive_all(bench: Workbench, choice: Choice, group: Sequence[JobResult]) -> None:
    """Keeps answers, all or none; one that came too late for a cell judged meanwhile is let go."""
    bench.receive_many([(one.cell, fact) for one in group if (fact := _fact(choice, one)) is not None])
    if choice.sends:
        injection.look(bench.workspace, [one.cell for one in group])


def _fact(choice: Choice, result: JobResult) -> Proposed | Failed | None:
    """What is kept of an answer; nothing where there was no recorded judgment."""
    outcome = result.outcome
    if isinstance(outcome, NotRecorded):
        return None
    told: dict[str, Any] = {}
    if result.round > 1:
        told["round"] = result.round
    if result.examples:
        told["examples"] = list(result.examples)
    if isinstance(outcome, Proposal):
        return Proposed(outcome.labels, {"name": choice.name, **outcome.record.to_file(), **told})
    record = outcome.record.to_file() if outcome.record else {}
    return Failed(outcome.reason, outcome.raw, {"name": choice.model or choice.name, **record, **told})
