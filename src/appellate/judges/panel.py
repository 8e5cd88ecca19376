"""Several judges asked about one cell: most decide, and the labels of each are kept."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from appellate.core.describe import majority
from appellate.core.kind import Briefing, Subject
from appellate.judges.proposal import (
    Asking,
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

Said = Proposal | JudgmentFailure


class Panel:
    """Judges by name, asked all at once; where votes are even, the first one decides."""

    def __init__(self, members: Sequence[Judge], name: str = "") -> None:
        self.members = tuple(members)
        self._asking = [Asking(member) for member in members]
        self.name = name or "panel of " + ", ".join(member.name for member in members)

    async def judge(self, question: Question) -> Proposal:
        """What most members say, and each one's labels; raises JudgmentFailed."""
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(member.answer(question)) for member in self._asking]
        outcomes = [task.result() for task in asked]
        proposals = [_located(question.subject, outcome) for outcome in outcomes]
        record = self._record(proposals, question.briefing)
        proposed = [one for one in proposals if isinstance(one, Proposal)]
        if 2 * len(proposed) < len(proposals) or not proposed:
            raise self._failed(outcomes, proposals, record)
        return Proposal(majority(question.subject, [one.labels for one in proposed]), record)

    def _record(self, proposals: Sequence[Said], briefing: Briefing) -> JudgeRecord:
        """Who was asked, what it took in all, and the labels of each or why it gave none."""
        records = [one.record or JudgeRecord("") for one in proposals]
        tokens_in = tokens_out = cost = latency = None
        for record in records:
            tokens_in = total(tokens_in, record.tokens_in)
            tokens_out = total(tokens_out, record.tokens_out)
            cost = total(cost, record.cost)
            if record.latency is not None:  # they were asked all at once
                latency = max(latency or 0.0, record.latency)
        return JudgeRecord(
            self.name,
            prompt_sha256=_shared(record.prompt_sha256 for record in records),
            template_sha256=_shared(record.template_sha256 for record in records),
            examples=tuple(briefing.shown),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=cost,
            latency=latency,
            cached=all(record.cached for record in records),
            members=list(map(_member, self.members, proposals)),
        )

    def _failed(
        self, outcomes: Sequence[Outcome], proposals: Sequence[Said], record: JudgeRecord
    ) -> JudgmentFailed | NotRecorded:
        """Why there is no majority; final where too few members can ever answer."""
        if not outcomes:
            return NotRecorded("The panel has no members.")
        nothing = [one.reason for one in outcomes if isinstance(one, NoLabels)]
        if len(nothing) == len(outcomes):
            return NotRecorded(nothing[0])
        count = able = len(proposals)
        answered = 0
        raw = ""
        for one in proposals:
            if isinstance(one, JudgmentFailure):
                able -= one.final
                raw = raw or one.raw
            else:
                answered += 1
        texts = [f"Only {answered} of the panel's {count} judges answered."]
        silent = [member for member in record.members if "error" in member]
        texts += [f"{one.get('model') or one['name']}: {one['error']}" for one in silent]
        final = not able or 2 * able < count
        return JudgmentFailed(" ".join(texts), raw, record, final=final)

    async def close(self) -> None:
        for member in self.members:
            await member.close()


def _located(subject: Subject, outcome: Outcome) -> Said:
    """The outcome with its excerpts looked up, so that members can be compared by place."""
    if isinstance(outcome, NoLabels):
        return JudgmentFailure(outcome.reason)
    if isinstance(outcome, JudgmentFailure):
        return outcome
    labels = subject.kind.locate(subject.trait, subject.trace, outcome.labels)
    return Proposal(labels, outcome.record)


def _member(member: Judge, proposal: Said) -> dict[str, Any]:
    """A member as the audit keeps it: who it is, and its labels or why it gave none."""
    record: dict[str, Any] = {"name": member.name}
    if proposal.record:
        record = proposal.record.to_file()
    if isinstance(proposal, JudgmentFailure):
        return {**record, "error": proposal.describe}
    return {**record, **proposal.labels}


def _shared(values: Iterable[str | None]) -> str | None:
    """The value that all members have in common."""
    found = set(values)
    if len(found) != 1:
        return None
    return found.pop()
