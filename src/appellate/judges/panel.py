"""Several judges that are asked about the same cell: the majority decides.

The labels of each member are saved with the proposal.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from typing import Any

from appellate.core.describe import asking_cost, majority
from appellate.core.kind import Briefing, Subject, Table
from appellate.judges.proposal import (
    GuardedJudge,
    Judge,
    JudgeRecord,
    JudgmentFailed,
    JudgmentFailure,
    NoLabels,
    NotRecorded,
    Outcome,
    Proposal,
    Question,
)
from appellate.judges.request import total

MemberResult = Proposal | JudgmentFailure
"""What a member proposed, or why it gave no labels."""


class Panel:
    """Judges that are asked concurrently. In a tie the first of them decides."""

    def __init__(self, members: Sequence[Judge], name: str = "") -> None:
        """Make a panel of some judges; without a `name` it is called after all of them."""
        self.members = tuple(members)
        self._guarded_members = [GuardedJudge(member) for member in members]
        if not name:
            member_names = ", ".join(member.name for member in members)
            name = f"panel of {member_names}"
        self.name = name

    async def judge(self, question: Question) -> Proposal:
        """Return the labels of the majority, with each member's labels in the record.

        All members are asked concurrently. Raises JudgmentFailed where less than half of the
        members gave labels, and NotRecorded where every member has no labels to give, or there are
        no members.
        """
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(member.ask(question))
                for member in self._guarded_members
            ]
        outcomes = [task.result() for task in tasks]

        results: list[MemberResult] = []
        proposed_labels: list[Table] = []
        for outcome in outcomes:
            result = _with_offsets(question.subject, outcome)
            results.append(result)
            if isinstance(result, Proposal):
                proposed_labels.append(result.labels)

        record = self._record(results, question.briefing)
        if 2 * len(proposed_labels) < len(results) or not proposed_labels:
            raise self._no_majority(outcomes, results, record)
        labels = majority(question.subject, proposed_labels)
        return Proposal(labels, record)

    def _record(
        self,
        results: Sequence[MemberResult],
        briefing: Briefing,
    ) -> JudgeRecord:
        """Return the record of the panel: what all requests took, and what each member said.

        Tokens and cost are added up as far as they are known, the full cost only if it is known of
        all members with replies of the cache. The latency is that of the slowest member. Hashes are
        given if all members share them.
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

    def _no_majority(
        self,
        outcomes: Sequence[Outcome],
        results: Sequence[MemberResult],
        record: JudgeRecord,
    ) -> JudgmentFailed | NotRecorded:
        """Return the exception for a panel without a majority; it is not raised here.

        It is NotRecorded if no member has labels to give, or there are no members. Else it is
        JudgmentFailed with the error of each member. The failure is final if too few members are
        left that have not failed for good: then no cell can have a majority.
        """
        if not outcomes:
            return NotRecorded("The panel has no members.")

        reasons = [
            outcome.reason for outcome in outcomes if isinstance(outcome, NoLabels)
        ]
        if len(reasons) == len(outcomes):
            return NotRecorded(reasons[0])

        member_count = len(results)
        able_count = member_count
        answered_count = 0
        raw = ""
        for result in results:
            if isinstance(result, JudgmentFailure):
                able_count -= result.final
                raw = raw or result.raw
            else:
                answered_count += 1

        sentences = [
            f"Only {answered_count} of the panel's {member_count} judges answered.",
        ]
        failed_members = [member for member in record.members if "error" in member]
        for member in failed_members:
            sentences.append(
                f"{member.get('model') or member['name']}: {member['error']}",
            )
        final = not able_count or 2 * able_count < member_count
        return JudgmentFailed(" ".join(sentences), raw, record, final=final)

    async def close(self) -> None:
        """Close all members in their order; an error of one is raised when all were closed."""
        async with AsyncExitStack() as closing:
            for member in reversed(self.members):
                closing.push_async_callback(member.close)


def _with_offsets(subject: Subject, outcome: Outcome) -> MemberResult:
    """Return a member's outcome with the offsets of its excerpts, by which members are compared.

    A member that has no labels to give counts as one that failed.
    """
    if isinstance(outcome, NoLabels):
        return JudgmentFailure(outcome.reason)
    if isinstance(outcome, JudgmentFailure):
        return outcome
    labels = subject.kind.locate(subject.trait, subject.trace, outcome.labels)
    return Proposal(labels, outcome.record)


def _member_entry(member: Judge, result: MemberResult) -> dict[str, Any]:
    """Return a member as an entry of the panel's record: who it is, and its labels or its error.

    The fields are those of its own record, or only its name if there is none.
    """
    fields: dict[str, Any] = {"name": member.name}
    if result.record:
        fields = result.record.to_file()
    if isinstance(result, JudgmentFailure):
        fields["error"] = result.describe
    else:
        fields |= result.labels
    return fields


def _full_cost(records: Sequence[JudgeRecord]) -> float | None:
    """Return what all replies of the members cost, those of the cache as they cost then.

    None if no reply came from the cache, and if such a reply's cost is not known.
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
