"""What every judge is, answers, and is asked: labels with a record, or a failure."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from msgspec import Struct, field

from appellate.core.cell import Cell
from appellate.core.facts import NOT_ASKED
from appellate.core.kind import UNBRIEFED, Briefing, Subject, Table
from appellate.core.trace import Trace
from appellate.talk.dialogue import Dialogue, Unreadable


class Question(Struct, frozen=True):
    """What a judge is asked about one cell: live, in a file or batch, and in a probe."""

    subject: Subject
    trace: Trace
    briefing: Briefing = UNBRIEFED
    cell: int = 0
    round: int = 1

    @property
    def lacking(self) -> str:
        """What the trait asks of the trace that has not got it, in a sentence; "" for nothing."""
        return self.subject.kind.lacking(self.subject.trait, self.trace)

    def dialogue(self) -> Dialogue[dict[str, Any]]:
        """The prompts of the kind, to be sent replies; raises Unreadable where the trace lacks what
        its trait asks for.
        """
        if self.lacking:
            raise Unreadable(self.lacking, "")
        return (yield from self.subject.dialogue(self.trace, self.briefing))


class JudgeRecord(Struct, frozen=True):
    """Who judged, with what, and what it took: tokens of all requests, latency in seconds.

    `template_sha256` is of the template, `prompt_sha256` of what was sent first, `examples` are
    traces that were shown. `cached`: nothing was asked. `members` are judge tables.
    """

    name: str
    model: str | None = None
    parameters: Table = field(default_factory=dict)
    prompt_sha256: str | None = None
    template_sha256: str | None = None
    examples: Sequence[str] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    latency: float | None = None
    cached: bool = False
    members: Sequence[Table] = ()

    def to_file(self) -> dict[str, Any]:
        """What is known, by the names of SPEC 5's judge table."""
        fields = {}
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not False and value not in (None, {}, [], ()):
                fields[name] = value
        return fields


class Proposal(Struct, frozen=True):
    """Labels in the shape of SPEC 5's judge table, and who proposes them."""

    labels: Table
    record: JudgeRecord


class JudgmentFailure(Struct, frozen=True):
    """No judgment of one cell: a sentence why, the raw reply, and who was asked.

    `final`: every other cell would fail alike (no access, no server); `general`: many may (no
    JSON). `requests` counts what was sent.
    """

    reason: str
    raw: str = ""
    record: JudgeRecord | None = None
    final: bool = False
    general: bool = False
    requests: int = 0

    @property
    def describe(self) -> str:
        """The reason, and what was sent where it is of this cell alone."""
        if self.requests <= 1 or self.final:
            return self.reason
        return f"{self.reason.rstrip('. ')}. {self.requests} requests were sent."


class NoLabels(Struct, frozen=True):
    """The judge has nothing to say about the cell, which stays pending; `reason` is a sentence."""

    reason: str


Outcome = Proposal | JudgmentFailure | NoLabels
"""What came of asking about one cell."""


class JudgmentFailed(Exception):
    """Ends what a judge does about a cell, with what came of it."""

    def __init__(
        self, reason: str, raw: str = "", record: JudgeRecord | None = None, **more: Any
    ) -> None:
        """`more` are further fields of the failure."""
        super().__init__(reason)
        self.failure = JudgmentFailure(reason, raw, record, **more)


class NotRecorded(Exception):
    """The judge has no labels for this cell; the message is a sentence."""


class Judge(Protocol):
    """Proposes labels for one cell at a time; several cells may be under way at once."""

    name: str

    async def judge(self, question: Question) -> Proposal:
        """The labels of one cell; raises JudgmentFailed or NotRecorded."""

    async def close(self) -> None:
        """Gives back connections and threads."""


async def answer(judge: Judge, question: Question) -> Outcome:
    """What comes of asking a judge about one cell."""
    try:
        proposal = await judge.judge(question)
    except JudgmentFailed as failed:
        return failed.failure
    except NotRecorded as nothing:
        return NoLabels(str(nothing))
    return checked(question, proposal)


FINAL_IN_A_ROW = 3
"""Failures in a row that every cell would share, before the rest fails unasked."""
ALIKE_IN_A_ROW = 10
"""Failures in a row that many others may share, all for the same reason, before the rest does."""


class Asking:
    """One judge, asked about cells until it is plain what comes of asking it."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._last: JudgmentFailure | None = None
        self._sort = ""
        self._in_a_row = 0

    async def answer(self, question: Question) -> Outcome:
        """What comes of asking about a cell; what came of the others, where that is plain."""
        unasked = self._unasked()
        if unasked:
            return unasked
        outcome = await answer(self.judge, question)
        if isinstance(outcome, NoLabels):
            return outcome
        sort = ""
        if isinstance(outcome, JudgmentFailure):
            if outcome.final:
                sort = "final"
            elif outcome.general:
                sort = outcome.reason
        if sort != self._sort:
            self._sort = sort
            self._in_a_row = 0
        if sort and isinstance(outcome, JudgmentFailure):
            self._last = outcome
            self._in_a_row += 1
        return outcome

    def _unasked(self) -> JudgmentFailure | None:
        """The failure of a cell that nobody is asked about any more; it took nothing."""
        known = self._last
        if known is None or self._in_a_row < FINAL_IN_A_ROW:
            return None
        reason = known.reason
        if not known.final:
            if self._in_a_row < ALIKE_IN_A_ROW:
                return None
            same = f"{ALIKE_IN_A_ROW} cells in a row failed alike: {reason.rstrip('.')}"
            reason = f"{NOT_ASKED} {same}. Judging again begins with the cells not asked."
        record = known.record
        if record is not None:
            record = JudgeRecord(record.name, record.model, record.parameters)
        return JudgmentFailure(reason, record=record, final=True)


def checked(question: Question, proposal: Proposal) -> Proposal | JudgmentFailure:
    """The proposal, if its labels are a judgment by the rules of their kind."""
    subject = question.subject
    why = subject.kind.unjudged(subject.trait, question.trace, proposal.labels)
    if why:
        raw = json.dumps(proposal.labels, ensure_ascii=False)
        return JudgmentFailure(why, raw, proposal.record)
    return proposal


# -- the queue ------------------------------------------------------------------------------------


class Answered(NamedTuple):
    """What came of one cell in a round, in so many seconds; `known` is a cell just looked up."""

    cell: int
    round: int
    outcome: Outcome
    seconds: float = 0.0
    known: tuple[Trace, Cell] | None = None


async def answer_all(
    judge: Judge,
    questions: Iterable[Question],
    concurrency: int,
    done: Callable[[Answered], Awaitable[None]],
) -> None:
    """Asks all questions, so many at once, each drawn when somebody is free.

    `done` is awaited for each, and its error ends the work. Cancelling loses nothing that was
    handed over.
    """
    asking = Asking(judge)
    left = iter(questions)

    async def go_on() -> None:
        for question in left:
            started = time.monotonic()
            outcome = await asking.answer(question)
            took = time.monotonic() - started
            await done(Answered(question.cell, question.round, outcome, took))
            await asyncio.sleep(0)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(go_on())
    except BaseExceptionGroup as broken:
        raise broken.exceptions[0] from None
