"""Several judges asked about the same cell: what most of them say is proposed, what each said is kept."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from appellate.core import votes
from appellate.core.briefing import UNBRIEFED, Briefing
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.judge import Judge, JudgeRecord, JudgmentFailed, NotRecorded, Outcome, Proposal

Number = TypeVar("Number", int, float)
Answer = Proposal | JudgmentFailed


class Panel:
    """Judges by name, asked all at once; where votes are even, the first one decides."""

    def __init__(self, members: Sequence[Judge], name: str = "") -> None:
        self.members = tuple(members)
        self.name = name or "panel of " + ", ".join(member.name for member in members)

    async def judge(self, subject: Subject, trace: Trace, briefing: Briefing = UNBRIEFED) -> Proposal:
        """What most members say, and each member's own labels; fails where fewer than half of them answered."""
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(_asked(member, subject, trace, briefing)) for member in self.members]
        answers = [task.result() for task in asked]
        located = [_located(subject, answer) for answer in answers]
        record = self._record(located)
        given = [answer for answer in located if isinstance(answer, Proposal)]
        if 2 * len(given) < len(located) or not given:
            raise self._failed(answers, located, record)
        table = votes.majority(subject, [one.labels for one in given])
        return Proposal(table, record)

    def _record(self, answers: Sequence[Answer]) -> JudgeRecord:
        """Who was asked, what it took in all, and what each said or why it said nothing."""
        records = [answer.record or JudgeRecord("") for answer in answers]
        return JudgeRecord(
            self.name,
            prompt_sha256=_shared(one.prompt_sha256 for one in records),
            template_sha256=_shared(one.template_sha256 for one in records),
            tokens_in=_known(sum, (one.tokens_in for one in records)),
            tokens_out=_known(sum, (one.tokens_out for one in records)),
            cost=_known(sum, (one.cost for one in records)),
            latency=_known(max, (one.latency for one in records)),
            cached=all(one.cached for one in records),
            members=list(map(_told, self.members, answers)),
        )

    def _failed(
        self, asked: Sequence[Outcome], answers: Sequence[Answer], record: JudgeRecord
    ) -> JudgmentFailed | NotRecorded:
        """Why there is no majority; final where too few members can ever answer."""
        if all(isinstance(answer, NotRecorded) for answer in asked):
            return NotRecorded(str(asked[0]) if asked else "The panel has no members.")
        failures = [answer for answer in answers if isinstance(answer, JudgmentFailed)]
        whys = [f"{_named(member)}: {member['error']}" for member in record.members if "error" in member]
        answered, count = len(answers) - len(failures), len(answers)
        able = count - sum(failure.final for failure in failures)
        reason = f"Only {answered} of the panel's {count} judges answered. " + " ".join(whys)
        raw = next((failure.raw for failure in failures if failure.raw), "")
        return JudgmentFailed(reason, raw, record, final=not able or 2 * able < count)

    async def close(self) -> None:
        """Closes every member."""
        for member in self.members:
            await member.close()


async def _asked(member: Judge, subject: Subject, trace: Trace, briefing: Briefing) -> Outcome:
    try:
        return await member.judge(subject, trace, briefing)
    except (JudgmentFailed, NotRecorded) as none:
        return none


def _located(subject: Subject, answer: Outcome) -> Answer:
    """The answer with its excerpts looked up, so that members can be compared by place."""
    if isinstance(answer, NotRecorded):
        return JudgmentFailed(str(answer))
    if isinstance(answer, JudgmentFailed):
        return answer
    labels = subject.kind.locate(subject.trait, subject.trace, answer.labels)
    return Proposal(labels, answer.record)


def _told(member: Judge, answer: Answer) -> dict[str, Any]:
    """A member as the audit keeps it: who it is, and its labels or why it gave none."""
    record = answer.record.to_file() if answer.record else {"name": member.name}
    return {**record, **answer.labels} if isinstance(answer, Proposal) else {**record, "error": answer.reason}


def _named(member: Mapping[str, Any]) -> str:
    return str(member.get("model") or member["name"])


def _known(together: Callable[[list[Number]], Number], values: Iterable[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return together(known) if known else None


def _shared(values: Iterable[str | None]) -> str | None:
    """The value that all members have in common."""
    found = set(values)
    return found.pop() if len(found) == 1 else None
