"""A panel asks all its members at once, proposes what most of them say, and keeps what each one said."""

import asyncio
import tomllib

import pytest

from appellate.core.kind import UNBRIEFED, Briefing, Subject
from appellate.judges.panel import Panel
from appellate.judges.proposal import (
    JudgeRecord,
    JudgmentFailed,
    NotRecorded,
    Proposal,
    Question,
)
from appellate.store.files.toml import emit
from appellate.traits.metric import KIND
from cells import EXPECTED, GENE, TRACE, checklist, table, trace

SUBJECT = Subject(KIND, checklist(tp_instructions=EXPECTED[:1]), TRACE)
YES, NO = table(tp=[GENE]), table(fn=EXPECTED[:1])
YES["items"] = [{"bucket": "tp", "index": 0, "instruction": 1}]


class Member:
    """A judge that answers what it was given to answer."""

    def __init__(self, name, answer, **record):
        self.name, self._answer, self._record = name, answer, record
        self.closed = False
        self.briefings = []

    async def judge(self, question):
        self.briefings.append(question.briefing)
        if isinstance(self._answer, Exception):
            raise self._answer
        return Proposal(self._answer, JudgeRecord(self.name, **self._record))

    async def close(self):
        self.closed = True


async def judged(*members, briefing=UNBRIEFED):
    return await Panel(members).judge(Question(SUBJECT, trace(), briefing))


def stands(proposal):
    return {
        name: proposal.labels[name] for name in ("tp", "fn") if proposal.labels[name]
    }


async def test_what_most_members_say_is_proposed():
    found = await judged(Member("a", NO), Member("b", YES), Member("c", YES))
    assert stands(found) == {"tp": [GENE]}
    assert found.record.name == "panel of a, b, c"


async def test_every_members_labels_are_kept_with_their_places_and_who_it_was():
    found = await judged(Member("a", NO, model="m", tokens_in=7), Member("b", YES))
    one, two = found.record.to_file()["members"]
    assert (one["name"], one["model"], one["tokens_in"], one["fn"]) == (
        "a",
        "m",
        7,
        EXPECTED[:1],
    )
    assert (two["name"], two["tp"], two["items"][0]["start"]) == ("b", [GENE], 0)


async def test_the_members_come_back_from_the_audit_file_as_they_were():
    record = (
        await judged(
            Member("a", NO),
            Member("b", YES),
            Member("c", JudgmentFailed("No.")),
        )
    ).record.to_file()
    assert tomllib.loads("".join(emit({"judge": record})))["judge"] == record


async def test_what_it_took_is_added_up_and_the_longest_wait_counts():
    a = Member(
        "a",
        YES,
        tokens_in=10,
        tokens_out=1,
        cost=0.5,
        latency=2.0,
        template_sha256="t",
        prompt_sha256="p",
    )
    b = Member(
        "b",
        YES,
        tokens_in=5,
        latency=3.0,
        template_sha256="t",
        prompt_sha256="q",
        cached=True,
    )
    record = (await judged(a, b)).record
    assert (record.tokens_in, record.tokens_out, record.cost, record.latency) == (
        15,
        1,
        0.5,
        3.0,
    )
    assert (record.template_sha256, record.prompt_sha256, record.cached) == (
        "t",
        None,
        False,
    )
    assert (await judged(b, b)).record.cached


async def test_what_a_panel_costs_to_ask_counts_the_members_whose_replies_were_saved():
    saved = Member("b", YES, cost=0.0, full_cost=0.25, cached=True)
    record = (await judged(Member("a", YES, cost=0.5), saved)).record
    assert (record.cost, record.full_cost) == (0.5, 0.75)
    assert (
        await judged(Member("a", YES, cost=0.5), Member("b", YES))
    ).record.full_cost is None
    of_unknown_cost = Member("b", YES, cost=0.0, cached=True)
    assert (
        await judged(Member("a", YES, cost=0.5), of_unknown_cost)
    ).record.full_cost is None


async def test_a_member_that_failed_is_named_with_why_and_has_no_vote():
    found = await judged(Member("a", JudgmentFailed("No answer.")), Member("b", YES))
    assert stands(found) == {"tp": [GENE]}
    assert found.record.to_file()["members"][0] == {"name": "a", "error": "No answer."}


async def test_where_fewer_than_half_answered_nothing_is_proposed_and_all_is_told():
    asked = [
        Member("a", JudgmentFailed("It sleeps.", "raw")),
        Member("b", JudgmentFailed("Gone.")),
        Member("c", YES),
    ]
    with pytest.raises(JudgmentFailed) as failed:
        await judged(*asked)
    assert (
        str(failed.value)
        == "Only 1 of the panel's 3 judges answered. a: It sleeps. b: Gone."
    )
    assert failed.value.failure.raw == "raw"
    assert [member["name"] for member in failed.value.failure.record.members] == [
        "a",
        "b",
        "c",
    ]


@pytest.mark.parametrize(("finals", "final"), [(1, False), (2, True), (3, True)])
async def test_a_failure_is_final_where_too_few_members_can_ever_answer(finals, final):
    given = [JudgmentFailed("No.", final=number < finals) for number in range(3)]
    with pytest.raises(JudgmentFailed) as failed:
        await judged(*[Member("a", one) for one in given])
    assert failed.value.failure.final is final


async def test_a_panel_of_recorded_labels_that_has_none_leaves_the_cell_pending():
    none = NotRecorded("Trace t brought no labels.")
    with pytest.raises(NotRecorded, match="brought no labels"):
        await judged(Member("recorded", none), Member("recorded", none))
    assert stands(await judged(Member("recorded", none), Member("b", YES))) == {
        "tp": [GENE],
    }


async def test_members_are_asked_at_once_and_told_the_same():
    both = asyncio.Barrier(2)

    class Waiting(Member):
        async def judge(self, question):
            await both.wait()
            return await super().judge(question)

    members, briefing = (
        [Waiting("a", YES), Waiting("b", YES)],
        Briefing({"rules": "short"}),
    )
    async with asyncio.timeout(5):
        await judged(*members, briefing=briefing)
    assert [member.briefings for member in members] == [[briefing], [briefing]]


async def test_closing_a_panel_closes_every_member():
    members = [Member("a", YES), Member("b", YES)]
    panel = Panel(members, "both")
    assert panel.name == "both"
    await panel.close()
    assert all(member.closed for member in members)


async def test_a_member_that_cannot_be_closed_keeps_no_other_one_open():
    class Stuck(Member):
        async def close(self):
            raise OSError("the disk is gone")

    members = [Member("a", YES), Stuck("b", YES), Member("c", YES)]
    with pytest.raises(OSError, match="the disk is gone"):
        await Panel(members).close()
    assert members[0].closed
    assert members[2].closed


async def test_an_exception_of_a_member_is_raised_as_it_is():
    with pytest.raises(LookupError, match="no such labels"):
        await judged(Member("a", LookupError("no such labels")), Member("b", YES))
