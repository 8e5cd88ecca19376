"""Has the missing cells of a workspace judged: the same run with a screen and without one."""

from collections.abc import AsyncIterator, Callable
from typing import Any

from appellate.choosing import Choice
from appellate.core.facts import Failed, Proposed
from appellate.core.refused import Refused
from appellate.core.trace import Trace
from appellate.judges.assigner import Ask, Progress, assign
from appellate.judges.judge import JudgmentFailed, Proposal
from appellate.traits.rubric import Rubric
from appellate.workbench import Workbench

_PAGE = 100


def asked(rubric: Rubric, trace: Trace) -> Trace:
    """The trace with its question's text and reference where it has none of its own."""
    return trace.model_copy(update={"question": rubric.question_text(trace), "reference": rubric.reference_for(trace)})


async def missing(bench: Workbench, start: int) -> AsyncIterator[Ask]:
    """The cells that no judge has judged, from `start` on and then from the first, a page at a time."""
    for low, high in ((start - 1, None), (0, start)):
        after = low
        while page := bench.workspace.missing(after, _PAGE):
            for number in page:
                if high is not None and number >= high:
                    return
                yield ask(bench, number)
            after = page[-1]


def ask(bench: Workbench, number: int) -> Ask:
    """What a judge is asked about one cell."""
    trace, cell = bench.workspace.cell(number)
    return Ask(number, cell.subject, asked(bench.workspace.rubric, trace))


async def run(
    bench: Workbench,
    choice: Choice,
    *,
    start: int = 1,
    only: int | None = None,
    progressed: Callable[[Progress], None] | None = None,
) -> Progress:
    """Judges what is missing (or one cell) and keeps each answer as it comes; raises NotKept if the disk refuses."""
    if choice.judge is None:
        raise Refused("No judge was named: start again with --model or --judge to go on judging.")
    asks: Any = [ask(bench, only)] if only else missing(bench, start)
    total = 1 if only else left(bench)
    return await assign(
        choice.judge,
        asks,
        choice.concurrency,
        lambda one, outcome: receive(bench, choice, one, outcome),
        total=total,
        progressed=progressed,
    )


def left(bench: Workbench) -> int:
    """How many cells no judge has judged and nobody has filled by hand."""
    totals = bench.workspace.totals()
    return totals.get("state:pending", 0) + totals.get("state:failed", 0)


def receive(bench: Workbench, choice: Choice, one: Ask, outcome: Proposal | JudgmentFailed) -> None:
    """Keeps an answer; one that came too late for a cell judged meanwhile is let go."""
    what: Proposed | Failed
    if isinstance(outcome, Proposal):
        what = Proposed(outcome.labels, {"name": choice.name, **outcome.record.to_file()})
    else:
        record = outcome.record.to_file() if outcome.record else {}
        what = Failed(outcome.reason, outcome.raw, {"name": choice.model or choice.name, **record})
    try:
        bench.receive(one.cell, what)
    except Refused:
        return
