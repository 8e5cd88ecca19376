"""Has the missing cells of a workspace judged: the same run with a screen and without one."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial

from appellate.apart import Apart, Order
from appellate.choosing import Choice
from appellate.core.facts import Failed, Proposed
from appellate.core.refused import Refused
from appellate.docket import Docket
from appellate.judges.assigner import Arrival, Ask
from appellate.judges.chambers import Chambers
from appellate.judges.judge import NotRecorded, Proposal
from appellate.judges.progress import Outcome, Progress, Tally
from appellate.store.workspace import NotKept, Workspace
from appellate.workbench import Workbench


class Pace:
    """How many answers are kept at once: as many as `budget` seconds allow, and then there is a `rest`."""

    def __init__(self, budget: float, rest: float) -> None:
        self.rest = rest
        self._budget = budget
        self._each = budget / 8

    @property
    def most(self) -> int:
        return max(1, int(self._budget / self._each))

    def spend(self, group: Sequence[Arrival], keep: Callable[[Sequence[Arrival]], None]) -> None:
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
    pace: Pace | None = None,
    progressed: Callable[[Progress], None] | None = None,
    kept: Callable[[Sequence[Arrival]], None] | None = None,
    stopping: Callable[[Callable[[], None]], None] | None = None,
) -> Progress:
    """Judges what is missing (or one cell, or `alone` what the open round takes on) and keeps the answers as they come.

    Raises NotKept if the disk refuses, and BrokenDown where the judge does. `progressed` hears at least once a
    second, `kept` of every group of answers, and `stopping` is handed what stops the judge.
    """
    if choice.judge is None:
        raise Refused("No judge was named: start again with --model or --judge to go on judging.")
    pace = pace or Pace(budget=0.25, rest=0.0)
    tally = Tally(1 if only else left(bench, choice, alone=alone))
    order = Order(bench.workspace.path, choice.given or {}, bench.round, start, only, alone)
    chambers = _chambers(choice, order)
    if stopping:
        stopping(chambers.stop)

    def keep(group: Sequence[Arrival]) -> None:
        receive_all(bench, choice, group)
        for arrival in group:
            tally.count(arrival.outcome, arrival.seconds)
        if kept and group:
            kept(group)

    chambers.start()
    try:
        while await chambers.news(within=1.0):
            pace.spend(chambers.take(pace.most), keep)
            if progressed:
                progressed(tally.progress(chambers.under_way))
            await asyncio.sleep(pace.rest)
    except NotKept:
        raise
    except BaseException:
        bench.listeners.clear()  # whoever listened is gone
        receive_all(bench, choice, chambers.ended())
        raise
    finally:
        chambers.ended()
    bench.workspace.settle()
    chambers.check()
    return tally.progress()


def _chambers(choice: Choice, order: Order) -> Apart | Chambers:
    """Where the judge works: one that asks models in a process of its own, any other in a thread."""
    if choice.given is not None:
        return Apart(order)
    assert choice.judge  # noqa: S101 - who calls has looked
    return Chambers(choice.judge, partial(_drawn, choice, order), choice.concurrency)


async def _drawn(choice: Choice, order: Order) -> AsyncGenerator[Ask, None]:
    """What is to be asked, read through a connection of its own: it runs in the judge's thread."""
    with Workspace(order.path, readonly=True) as workspace:
        async for ask in order.asks(workspace, choice):
            yield ask


def left(bench: Workbench, choice: Choice, *, alone: bool = False) -> int:
    """How many cells a run would ask about."""
    return Docket(bench.workspace, choice, bench.round, alone=alone).left


def receive_all(bench: Workbench, choice: Choice, group: Sequence[Arrival]) -> None:
    """Keeps answers, all or none; one that came too late for a cell judged meanwhile is let go."""
    bench.receive_many(
        [(one.ask.cell, fact) for one in group if (fact := _fact(choice, one.ask, one.outcome)) is not None]
    )
    if choice.sends:
        bench.workspace.look_for_pleas(one.ask.cell for one in group)


def _fact(choice: Choice, ask: Ask, outcome: Outcome) -> Proposed | Failed | None:
    """What is kept of an answer; nothing where there was no recorded judgment."""
    if isinstance(outcome, NotRecorded):
        return None
    shown = {"examples": ask.briefing.shown} if ask.briefing.examples else {}
    told = ({"round": ask.round} if ask.round > 1 else {}) | shown
    if isinstance(outcome, Proposal):
        return Proposed(outcome.labels, {"name": choice.name, **outcome.record.to_file(), **told})
    record = outcome.record.to_file() if outcome.record else {}
    return Failed(outcome.reason, outcome.raw, {"name": choice.model or choice.name, **record, **told})
