"""Several judges that are asked about the same cell: the majority decides.

The labels of each member are saved with the proposal.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from typing import Any

from appellate.core.describe import asking_cost, majority
from appellate.core.kind import Briefing, Table
from appellate.judges.proposal import (
    GuardedJudge,
    Judge,
    JudgeRecord,
    JudgmentFailed,
    JudgmentFailure,
    NoLabels,
    NotRecorded,
    Proposal,
    Question,
)
from appellate.judges.request import total

MemberResult = Proposal | JudgmentFailure
"""What a member proposed, or why it gave no labels."""


class Panel:
    """Judges that are asked concurrently. In a tie the first of them decides."""

    def __init__(self, members: Sequence[Judge], name: str = "") -> None:
        """Make a panel of some judges; without a `name` it is called `panel of a, b`."""
        self.members = tuple(members)
        self._guarded_members = [GuardedJudge(member) for member in members]
        if not name:
            member_names = ", ".join(member.name for member in members)
            name = f"panel of {member_names}"
        self.name = name

    async def judge(self, question: Question) -> Proposal:
        """Return the labels of the majority, with each member's labels in the record.

        All members are asked concurrently, but not one that would fail on every further cell. In a
        tie the first member decides. Raises JudgmentFailed if less than half of the members gave
        labels, and NotRecorded if every member has no labels to give, or there are no members. Any
        other exception of a member is raised as it is.
        """
        if not self.members:
            raise NotRecorded("The panel has no members.")

        subject = question.subject
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(member.ask(question))
                    for member in self._guarded_members
                ]
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        outcomes = [task.result() for task in tasks]

        reasons_for_none: list[str] = []
        results: list[MemberResult] = []
        proposed_labels: list[Table] = []
        for outcome in outcomes:
            if isinstance(outcome, Proposal):
                # members are compared by the offsets of their excerpts
                labels = subject.kind.locate(
                    subject.trait,
                    subject.trace,
                    outcome.labels,
                )
                proposed_labels.append(labels)
                results.append(Proposal(labels, outcome.record))
            elif isinstance(outcome, NoLabels):
                reasons_for_none.append(outcome.reason)
                results.append(JudgmentFailure(outcome.reason))
            else:
                results.append(outcome)
        if len(reasons_for_none) == len(outcomes):
            raise NotRecorded(reasons_for_none[0])

        record = self._record(results, question.briefing)
        if 2 * len(proposed_labels) < len(results):
            raise self._too_few_answers(results, record)
        return Proposal(majority(subject, proposed_labels), record)

    def _record(
        self,
        results: Sequence[MemberResult],
        briefing: Briefing,
    ) -> JudgeRecord:
        """Return the record of the panel: what all requests took, and what each member said.

        Tokens and cost are added up as far as they are known. The full cost is None unless a reply
        came from the cache, and unless it is known of all members with such replies. The latency is
        that of the slowest member. A hash is given if all members share it. It counts as cached if
        all replies came from the cache.
        """
        records = [result.record or JudgeRecord("") for result in results]
        tokens_in = tokens_out = cost = latency = None
        for record in records:
            tokens_in = total(tokens_in, record.tokens_in)
            tokens_out = total(tokens_out, record.tokens_out)
            cost = total(cost, record.cost)
            if record.latency is not None:  # the members were asked concurrently
                latency = max(latency or 0.0, record.latency)
        return JudgeRecord(
            self.name,
            prompt_sha256=_shared_value(record.prompt_sha256 for record in records),
            template_sha256=_shared_value(record.template_sha256 for record in records),
            examples=tuple(briefing.shown),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=cost,
            full_cost=_full_cost(records),
            latency=latency,
            cached=all(record.cached for record in records),
            members=list(map(_member_entry, self.members, results)),
        )

    def _too_few_answers(
        self,
        results: Sequence[MemberResult],
        record: JudgeRecord,
    ) -> JudgmentFailed:
        """Return the exception for a cell about which too few members gave labels.

        Its reason counts the members with labels and tells the error of each other one. It has the
        panel's `record` and the first reply that could not be used. It is final if more than half
        of the members have failed for good. It is not raised here.
        """
        member_count = len(results)
        able_count = member_count
        answered_count = 0
        raw = ""
        errors: list[str] = []
        for member, result in zip(self.members, results, strict=True):
            if isinstance(result, Proposal):
                answered_count += 1
                continue
            able_count -= result.final
            raw = raw or result.raw
            name = member.name
            if result.record:
                name = result.record.model or result.record.name
            errors.append(f"{name}: {result.full_reason}")

        summary = (
            f"Only {answered_count} of the panel's {member_count} judges answered."
        )
        return JudgmentFailed(
            " ".join([summary, *errors]),
            raw,
            record,
            final=2 * able_count < member_count,
        )

    async def close(self) -> None:
        """Close all members, one after the other, in their order.

        An error of one is raised when all were closed.
        """
        async with AsyncExitStack() as closing:
            for member in reversed(self.members):
                closing.push_async_callback(member.close)


def _member_entry(member: Judge, result: MemberResult) -> dict[str, Any]:
    """Return a member as an entry of the panel's record: who it is, and its labels or its error.

    It has the fields of the member's own record, or only `name` if there is none. The labels are
    put in key by key. A failure puts in its reason as `error`.
    """
    fields: dict[str, Any] = {"name": member.name}
    if result.record:
        fields = result.record.to_file()
    if isinstance(result, JudgmentFailure):
        fields["error"] = result.full_reason
    else:
        fields |= result.labels
    return fields


def _full_cost(records: Sequence[JudgeRecord]) -> float | None:
    """Return the sum of what all replies of the members cost, those of the cache as they cost then.

    None if no reply came from the cache, or if such a reply's cost is not known. A member that was
    sent for at an unknown cost is left out.
    """
    full_cost: float | None = None
    has_recalled = False
    for record in records:
        cost = asking_cost(record.to_file())
        if record.full_cost is not None or record.cached:
            has_recalled = True
            if cost is None:
                return None
        full_cost = total(full_cost, cost)
    return full_cost if has_recalled else None


def _shared_value(values: Iterable[str | None]) -> str | None:
    """Return the value that all members share, or None if they differ or there are none."""
    different = set(values)
    if len(different) != 1:
        return None
    return different.pop()
