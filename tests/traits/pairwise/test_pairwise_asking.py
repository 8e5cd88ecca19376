"""The dialogue about two responses: two requests, either one first, and what becomes of two verdicts."""

import json

from pairwise_cells import BETTER, NO_TIE, OTHER, RESPONSE, STRAIGHT

from appellate.core.kind import Briefing, Example, Subject
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import Question
from appellate.traits.pairwise import KIND, TURNED_FAILURE
from appellate.traits.pairwise.asking import TEMPLATE
from appellate.traits.pairwise.spec import PairwiseRubricTrait
from dialogues import Talk
from loopback import Loopback, completion


def said(verdict, rationale="Because."):
    return json.dumps({"answer": {"rationale": rationale, "verdict": verdict}})


def talk(*replies, trait=BETTER, briefing=None):
    return Talk(
        trait,
        *replies,
        kind=KIND,
        trace=STRAIGHT,
        briefing=briefing or Briefing(),
    )


def test_the_shipped_template_has_every_part_and_no_fault():
    assert list(TEMPLATE.shipped()) == list(TEMPLATE.parts)
    assert not list(TEMPLATE.faults(TEMPLATE.shipped()))


def test_a_part_that_lets_a_response_forge_the_end_of_itself_is_refused():
    (fault,) = TEMPLATE.faults({"other": "<second $nonce>$other</second>"})
    assert "must hold $nonce before and after $other" in fault[1]


def test_each_response_stands_first_in_one_of_the_two_requests():
    held = talk(said("first"), said("second"))
    assert len(held.prompts) == 2
    for prompt, first, second in zip(
        held.prompts,
        (RESPONSE, OTHER),
        (OTHER, RESPONSE),
        strict=True,
    ):
        assert prompt.user.index(first) < prompt.user.index(second)


def test_no_request_names_a_model_a_side_or_the_metadata():
    for prompt in talk(said("first")).prompts:
        assert "secret" not in prompt.user + prompt.system
        assert "Answer A" not in prompt.user


def test_two_equal_verdicts_are_the_judges_with_the_reasons_of_both_orders():
    table = talk(said("first", "It hedges."), said("second", "Hedged.")).table
    assert table == {
        "value": 0,
        "class": "response",
        "orders": ["response", "response"],
        "rationale": "[response first] It hedges.\n[other first] Hedged.",
    }
    assert talk(said("tie"), said("tie")).table["class"] == "tie"


def test_verdicts_that_turn_with_the_order_are_a_tie_that_is_marked():
    table = talk(said("first"), said("first")).table
    assert (table["class"], table["orders"]) == ("tie", ["response", "other"])
    assert KIND.measure(BETTER, KIND.labels(BETTER, STRAIGHT, table)).values == {
        "win_rate": 0.5,
        "turned": 1.0,
    }


def test_a_reply_that_is_no_verdict_is_asked_for_again_in_its_own_order():
    held = talk(
        '{"answer": {"rationale": "x"}}',
        said("third"),
        said("first"),
        said("second"),
    )
    assert held.faults[0] == '"verdict" is not there.'
    assert 'is third, not one of "first", "second", "tie"' in held.faults[1]
    assert held.table["class"] == "response"


def test_cannot_tell_is_a_verdict_where_the_trait_allows_it_and_needs_a_reason():
    trait = PairwiseRubricTrait(name="x", cannot_tell=True)
    held = talk(
        said("cannot tell", ""),
        said("cannot tell"),
        said("cannot tell"),
        trait=trait,
    )
    assert "does not say why" in held.faults[0]
    assert held.table["value"] == "cannot tell"
    assert "is cannot tell, not one of" in talk(said("cannot tell")).faults[0]


def test_an_example_is_shown_in_the_order_of_each_request():
    example = Example(BETTER.as_read(STRAIGHT), {"value": 0})
    first, second = talk(said("first"), briefing=Briefing(examples=(example,))).prompts
    assert '"verdict": "first"' in first.user
    assert '"verdict": "second"' in second.user


async def _judged(trait, *verdicts):
    replies = iter(verdicts)
    async with Loopback(lambda asked: completion(said(next(replies)))) as server:
        judge = OpenAIJudge(Endpoint("m", server.url, "KEY"), environ={"KEY": "k"})
        trace = trait.as_read(STRAIGHT)
        outcome = await judge.judge(Question(Subject(KIND, trait, STRAIGHT), trace))
        await judge.close()
        return outcome, len(server.asked)


async def test_a_server_gets_two_requests_for_a_cell():
    proposal, requests = await _judged(BETTER, "second", "first")
    assert (proposal.labels["class"], requests) == ("other", 2)
    question = Question(Subject(KIND, BETTER, STRAIGHT), BETTER.as_read(STRAIGHT))
    assert question.requests == 2


async def test_where_no_tie_is_allowed_a_judge_that_turns_gives_no_verdict():
    proposal, _ = await _judged(NO_TIE, "first", "first")
    assert "value" not in proposal.labels
    assert KIND.unjudged(NO_TIE, STRAIGHT, proposal.labels) == TURNED_FAILURE
    agreed, _ = await _judged(NO_TIE, "first", "second")
    assert KIND.unjudged(NO_TIE, STRAIGHT, agreed.labels) == ""
