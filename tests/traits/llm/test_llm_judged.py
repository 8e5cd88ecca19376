"""LLM cells judged by a real server on the loopback interface: whatever format it can, and by a panel."""

import random

import pytest
from llm_traits import CLEAR, EVERY, TONE, TRACE, WARNS

from appellate.core.kind import Subject
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge, RetryPolicy
from appellate.judges.panel import Panel
from appellate.judges.proposal import JudgmentFailed, Question
from appellate.traits.llm import KIND
from conforming import reply_in
from loopback import FAULTS, Loopback, completion, in_order, rungs, truthful

QUICK = RetryPolicy(first=0.002, longest=0.01, attempts_busy=6)


def said(verdict, *excerpts):
    return completion(
        {"answer": {"rationale": "So.", "excerpts": list(excerpts), "verdict": verdict}}
    )


def judge_at(server, name="loopback"):
    return OpenAIJudge(
        Endpoint(name, server.url, "KEY", timeout=60.0), policy=QUICK, environ={"KEY": "k"}
    )


async def judged(script, trait=WARNS, times=1):
    """What a server that follows a script says of the response, and the server."""
    async with Loopback(script) as server:
        judge = judge_at(server)
        try:
            for _ in range(times):
                proposal = await judge.judge(Question(Subject(KIND, trait, TRACE), TRACE))
        finally:
            await judge.close()
    return proposal, server


@pytest.mark.parametrize("trait", EVERY)
@pytest.mark.parametrize("fault", [None, "no-schema", "no-json"])
async def test_a_truthful_server_gives_a_verdict_in_whatever_format_it_can(trait, fault):
    def script(asked):
        refused = FAULTS[fault](asked) if fault else None
        return refused if refused and refused.status != 200 else truthful(asked)

    proposal, server = await judged(script, trait)
    assert trait.is_value(proposal.labels["value"])
    assert (
        server.asked[-1].rung
        == {None: "json_schema", "no-schema": "json_object", "no-json": "text"}[fault]
    )
    assert proposal.record.model == "loopback"


@pytest.mark.parametrize("trait", EVERY)
async def test_a_server_that_holds_to_the_schema_is_never_asked_twice(trait):
    chance = random.Random(7)
    proposal, server = await judged(lambda asked: completion(reply_in(asked.body, chance)), trait)
    assert rungs(server)["json_schema"] <= 2  # the second for excerpts that are not there
    assert trait.is_value(proposal.labels["value"])


async def test_a_verdict_out_of_range_is_asked_again_with_what_was_wrong():
    proposal, server = await judged(in_order(said(9), said(4, "Take care")), CLEAR)
    assert proposal.labels == {"value": 4, "evidence": ["Take care"], "rationale": "So."}
    assert "the verdict is 9, not a whole number from 1 to 5" in server.asked[1].user


async def test_a_server_that_never_gives_a_class_makes_no_judgment():
    with pytest.raises(JudgmentFailed) as failed:
        await judged(lambda asked: said("curt"), TONE)
    assert "the verdict is curt, not one of" in failed.value.failure.reason
    assert "curt" in failed.value.failure.raw


async def test_a_panel_proposes_the_middle_score_with_the_words_of_the_member_that_gave_it():
    async with (
        Loopback(lambda asked: said(2, "Take")) as low,
        Loopback(lambda asked: said(5)) as high,
        Loopback(lambda asked: said(3, "with food")) as middle,
    ):
        panel = Panel([judge_at(low, "low"), judge_at(high, "high"), judge_at(middle, "middle")])
        proposal = await panel.judge(Question(Subject(KIND, CLEAR, TRACE), TRACE))
        await panel.close()
    assert (proposal.labels["value"], proposal.labels["evidence"]) == (3, ["with food"])
    assert [member["value"] for member in proposal.record.to_file()["members"]] == [2, 5, 3]
