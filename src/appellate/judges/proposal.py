"""What all judges have in common: the question, the labels they propose, and how they fail.

A `Judge` gets a `Question` and returns a `Proposal` with a `JudgeRecord`, or raises. `ask()` turns
that into an `Outcome`. `answer_all()` asks many questions at once, and is what `judging` calls.
"""

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
    """A cell as a judge is asked about it: live, in a file of requests, or in a probe."""

    subject: Subject
    trace: Trace
    briefing: Briefing = UNBRIEFED
    """The parts of the prompt and the examples that go with it."""
    cell: int = 0
    """The number of the cell; 0 if the question is about none of the audit."""
    round: int = 1

    @property
    def lacking(self) -> str:
        """A sentence about what the trait needs and the trace lacks, or "" if it lacks nothing."""
        return self.subject.kind.lacking(self.subject.trait, self.trace)

    @property
    def requests(self) -> int:
        """The number of requests that a model gets about the cell, if each reply is usable.

        It is 1 for a trait about which no model is asked.
        """
        return self.subject.kind.requests(self.subject.trait)

    def dialogue(self) -> Dialogue[dict[str, Any]]:
        """Yield each Prompt about the cell, take a Reply for it by `send`, and return the labels.

        Raises Unreadable if the trace lacks what its trait needs, before the first prompt, or if a
        reply cannot be read.
        """
        if self.lacking:
            raise Unreadable(self.lacking, "")
        return (yield from self.subject.dialogue(self.trace, self.briefing))


class JudgeRecord(Struct, frozen=True):
    """A record of who judged a cell and what that took, which is saved with the labels."""

    name: str
    model: str | None = None
    parameters: Table = field(default_factory=dict)
    """The parameters of the last request."""
    prompt_sha256: str | None = None
    """The hash of the first prompt that was sent."""
    template_sha256: str | None = None
    """The hash of the template that the prompts were made from."""
    examples: Sequence[str] = ()
    """Ids of the traces that were shown as examples."""
    tokens_in: int | None = None
    """Of all requests about the cell, like `tokens_out` and `cost`; None if not known."""
    tokens_out: int | None = None
    cost: float | None = None
    """What was spent on the cell: 0 if all replies came from the cache."""
    full_cost: float | None = None
    """The cost of all replies, those of the cache as they cost when they were sent for.

    None if no reply came from the cache, and if the cost of one of them is not known.
    """
    latency: float | None = None
    """Seconds of all requests about the cell; None if nothing was sent."""
    cached: bool = False
    """Whether all replies came from the cache, so that nothing was sent."""
    members: Sequence[Table] = ()
    """Of a panel: the record of each member with its labels or its error."""

    def to_file(self) -> dict[str, Any]:
        """Return the fields that have a value, by the names of SPEC 5's judge table.

        None, False and an empty list or table count as no value; 0 is one.
        """
        fields = {}
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not False and value not in (None, {}, [], ()):
                fields[name] = value
        return fields


class Proposal(Struct, frozen=True):
    """Labels in the shape of SPEC 5's judge table, and the record of who proposes them."""

    labels: Table
    record: JudgeRecord


class JudgmentFailure(Struct, frozen=True):
    """A cell that a judge could not judge, and the reason."""

    reason: str
    """A sentence."""
    raw: str = ""
    """The reply as it came, or "" if there was none."""
    record: JudgeRecord | None = None
    final: bool = False
    """Whether every other cell would fail for this reason: no access, no server."""
    general: bool = False
    """Whether many other cells may fail for this reason: the model writes no JSON."""
    requests: int = 0
    """How many requests were sent about the cell."""

    @property
    def full_reason(self) -> str:
        """The reason, with `3 requests were sent.` after it if there were several.

        A final failure has only its reason, because it is about every cell.
        """
        if self.requests <= 1 or self.final:
            return self.reason
        return f"{self.reason.rstrip('. ')}. {self.requests} requests were sent."


class NoLabels(Struct, frozen=True):
    """The judge has no labels for the cell, which stays pending; `reason` is a sentence."""

    reason: str


Outcome = Proposal | JudgmentFailure | NoLabels
"""The result of asking a judge about one cell."""


class JudgmentFailed(Exception):
    """Raised by a judge that could not judge a cell; `failure` says why."""

    def __init__(
        self,
        reason: str,
        raw: str = "",
        record: JudgeRecord | None = None,
        *,
        final: bool = False,
        general: bool = False,
        requests: int = 0,
    ) -> None:
        """Make the failure of these fields, whose reason is also the message of the exception."""
        super().__init__(reason)
        self.failure = JudgmentFailure(reason, raw, record, final, general, requests)


class NotRecorded(Exception):
    """Raised by a judge that has no labels for a cell; the message is a sentence."""


class Judge(Protocol):
    """Proposes labels for one cell at a time. Several cells may be in progress at once."""

    name: str

    async def judge(self, question: Question) -> Proposal:
        """Return the labels of one cell; raises JudgmentFailed or NotRecorded."""

    async def close(self) -> None:
        """Release connections and threads."""


async def ask(judge: Judge, question: Question) -> Outcome:
    """Ask a judge about one cell, and return its labels or why there are none.

    JudgmentFailed becomes its JudgmentFailure, and NotRecorded becomes NoLabels with its text.
    Labels that break the rules of their kind become a JudgmentFailure. Any other exception is
    raised.
    """
    try:
        proposal = await judge.judge(question)
    except JudgmentFailed as failed:
        return failed.failure
    except NotRecorded as error:
        return NoLabels(str(error))
    return check_labels(question, proposal)


FINAL_IN_A_ROW = 3
"""Consecutive final failures after which no further cell is asked about."""
ALIKE_IN_A_ROW = 10
"""Consecutive general failures for one reason after which no further cell is asked about."""


class GuardedJudge:
    """A judge that is not asked any more once it is clear that every further cell would fail.

    That is so after FINAL_IN_A_ROW final failures, or ALIKE_IN_A_ROW general ones for one reason.
    """

    def __init__(self, judge: Judge) -> None:
        """Begin without a failure of the judge."""
        self.judge = judge
        self._latest_failure: JudgmentFailure | None = None
        self._kind_of_failures = ""  # "final", or the reason of general failures
        self._in_a_row = 0

    async def ask(self, question: Question) -> Outcome:
        """Ask about a cell and return the outcome, or the failure that every further cell has.

        The judge is not asked any more after FINAL_IN_A_ROW final failures in a row, whatever their
        reasons, or ALIKE_IN_A_ROW general ones with one reason. NoLabels do not touch the count;
        any other outcome starts it again.
        """
        failure = self._failure_without_asking()
        if failure:
            return failure

        outcome = await ask(self.judge, question)
        if isinstance(outcome, NoLabels):
            return outcome

        kind_of_failure = ""
        if isinstance(outcome, JudgmentFailure):
            if outcome.final:
                kind_of_failure = "final"
            elif outcome.general:
                kind_of_failure = outcome.reason
        if kind_of_failure != self._kind_of_failures:
            self._kind_of_failures = kind_of_failure
            self._in_a_row = 0
        if kind_of_failure and isinstance(outcome, JudgmentFailure):
            self._latest_failure = outcome
            self._in_a_row += 1
        return outcome

    def _failure_without_asking(self) -> JudgmentFailure | None:
        """Return the failure that every further cell gets, or None as long as the judge is asked.

        After enough final failures in a row it has the reason of the latest one. After enough
        general ones it has a sentence that says so, with their reason. It is final, and its record
        has no tokens and no cost, because nothing is sent.
        """
        latest = self._latest_failure
        if latest is None or self._in_a_row < FINAL_IN_A_ROW:
            return None
        reason = latest.reason
        if not latest.final:
            if self._in_a_row < ALIKE_IN_A_ROW:
                return None
            explanation = (
                f"{ALIKE_IN_A_ROW} cells in a row failed for the same reason:"
                f" {reason.rstrip('.')}"
            )
            advice = "Judging again starts with the cells that were not asked about."
            reason = f"{NOT_ASKED} {explanation}. {advice}"
        record = latest.record
        if record is not None:
            record = JudgeRecord(record.name, record.model, record.parameters)
        return JudgmentFailure(reason, record=record, final=True)


def check_labels(question: Question, proposal: Proposal) -> Proposal | JudgmentFailure:
    """Return the proposal, or a JudgmentFailure if its labels break the rules of their kind.

    The failure has a reason in words, the labels as JSON, and the proposal's record.
    """
    subject = question.subject
    reason = subject.kind.unjudged(subject.trait, question.trace, proposal.labels)
    if reason:
        raw = json.dumps(proposal.labels, ensure_ascii=False)
        return JudgmentFailure(reason, raw, proposal.record)
    return proposal


# -- the queue ------------------------------------------------------------------------------------


class Answered(NamedTuple):
    """The outcome of asking about one cell in one round."""

    cell: int
    round: int
    outcome: Outcome
    seconds: float = 0.0
    """How long the judge took."""
    known: tuple[Trace, Cell] | None = None
    """The trace and the cell, if they were just read from the workspace."""


async def answer_all(
    judge: Judge,
    questions: Iterable[Question],
    concurrency: int,
    done: Callable[[Answered], Awaitable[None]],
) -> None:
    """Ask all questions, `concurrency` at once or at least one, and await `done` with each outcome.

    Outcomes come in the order in which they are ready. A question is taken from the iterator when
    the judge is free for it. After several failures that concern all cells the judge is not asked
    any more, and the others get the same failure. An error of `done`, of the judge or of the
    iterator ends the work and is raised. Cancelling loses no outcome that `done` was called with.
    """
    guarded = GuardedJudge(judge)
    remaining = iter(questions)

    async def ask_remaining() -> None:
        """Ask one question after the other and await `done`, until no question is left.

        All workers take questions from the same iterator.
        """
        for question in remaining:
            started = time.monotonic()
            outcome = await guarded.ask(question)
            seconds = time.monotonic() - started
            await done(Answered(question.cell, question.round, outcome, seconds))
            await asyncio.sleep(0)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(ask_remaining())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
