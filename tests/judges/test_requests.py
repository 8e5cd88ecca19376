"""What is sent for a cell, by either API, and what becomes of answers had in some other way."""

import json

import pytest
from judge_stage import GENE, Asking

from appellate.core.problem import Refused
from appellate.judges.endpoint import Endpoint, Prices
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import JudgmentFailed, Question
from appellate.judges.reply_cache import open_cache
from loopback import (
    FAULTS,
    Answer,
    Asked,
    as_response,
    completion,
    error,
    in_order,
    truthful,
)

# -- the user's parameters ------------------------------------------------------------------------


async def test_parameters_are_sent_as_they_are_and_recorded():
    params = {
        "temperature": 0.7,
        "seed": 7,
        "provider": {"require_parameters": True},
        "reasoning_effort": "low",
    }
    async with Asking(params=params) as asking:
        record = (await asking.judged()).record
    assert params.items() <= asking.bodies[0].items()
    assert params.items() <= record.parameters.items()


async def test_a_parameter_that_is_none_is_not_sent():
    async with Asking(params={"temperature": None}) as asking:
        await asking.judged()
    assert "temperature" not in asking.bodies[0]


async def test_parameters_that_a_server_refuses_are_left_out_and_it_is_said():
    def script(asked):
        wrong = next((name for name in ("seed", "top_p") if name in asked.body), None)
        return (
            error(400, f"Unrecognized argument: {wrong}") if wrong else truthful(asked)
        )

    async with Asking(script, params={"seed": 7, "top_p": 0.9}) as asking:
        await asking.judged()
        record = (await asking.judged()).record
    assert len(asking.bodies) == 4
    assert record.parameters["left_out"] == ["seed", "top_p"]
    assert not {"seed", "top_p"} & record.parameters.keys()


async def test_a_limit_of_the_user_stands_in_place_of_ours_and_a_reply_cut_by_it_fails():
    async with Asking(FAULTS["half-cut"], params={"max_tokens": 50}) as asking:
        with pytest.raises(
            JudgmentFailed,
            match="cut by the token limit that max_tokens sets",
        ):
            await asking.judged()
    assert len(asking.bodies) == 1
    assert asking.bodies[0]["max_tokens"] == 50
    assert "max_completion_tokens" not in asking.bodies[0]


@pytest.mark.parametrize(
    "name",
    ["messages", "model", "response_format", "stream", "n", "input"],
)
def test_what_a_request_says_by_itself_is_no_parameter(name):
    with pytest.raises(Refused, match=f"parameter {name} is set by the request itself"):
        OpenAIJudge(Endpoint("m", "http://x/v1", params={name: 1}), environ={})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("truncation", "auto"),
        ("truncate_prompt_tokens", 4000),
        ("transforms", ["middle-out"]),
    ],
)
def test_no_parameter_may_have_the_server_cut_what_the_judge_reads(name, value):
    with pytest.raises(
        Refused,
        match=f"With {name} the server may cut what the judge reads",
    ):
        OpenAIJudge(Endpoint("m", "http://x/v1", params={name: value}), environ={})
    harmless = {
        "truncation": "disabled",
        "truncate_prompt_tokens": None,
        "transforms": [],
    }
    OpenAIJudge(Endpoint("m", "http://x/v1", params={name: harmless[name]}), environ={})


@pytest.mark.parametrize("value", [object, float("nan"), {1, 2}])
def test_what_cannot_be_sent_is_no_parameter(value):
    with pytest.raises(Refused, match="parameter top_p holds a value"):
        OpenAIJudge(Endpoint("m", "http://x/v1", params={"top_p": value}), environ={})


# -- odd servers ----------------------------------------------------------------------------------


async def test_without_a_system_role_the_rules_stand_above_the_material():
    async with Asking(FAULTS["no-system"]) as asking:
        await asking.judged()
        record = (await asking.judged()).record
    system, user = (message["content"] for message in asking.bodies[0]["messages"])
    assert [message["content"] for message in asking.bodies[-1]["messages"]] == [
        f"{system}\n\n{user}",
    ]
    assert len(asking.bodies) == 3
    assert record.parameters["system_message"] is False


async def test_a_model_that_thinks_gets_more_room():
    async with Asking(FAULTS["thinking"]) as asking:
        await asking.judged()
    assert [asked.room for asked in asking.server.asked] == [4096, 8192]


# -- prices ---------------------------------------------------------------------------------------


def _charging(usage, headers=None):
    def script(asked):
        answer = truthful(asked)
        return Answer(
            answer.body | {"usage": answer.body["usage"] | usage},
            headers=headers or {},
        )

    return script


@pytest.mark.parametrize(
    ("usage", "headers", "cost"),
    [
        ({}, {}, 100e-6 * 3 + 20e-6 * 15),
        (
            {"prompt_tokens_details": {"cached_tokens": 80}},
            {},
            20e-6 * 3 + 80e-6 * 0.3 + 20e-6 * 15,
        ),
        (
            {"prompt_tokens_details": {"cached_tokens": 900}},
            {},
            100e-6 * 0.3 + 20e-6 * 15,
        ),
        ({"cost": 0.5}, {}, 0.5),
        ({}, {"x-litellm-response-cost": "1.25e-05"}, 1.25e-5),
        ({"prompt_tokens": None}, {}, None),
    ],
)
async def test_the_cost_is_the_servers_word_or_by_the_users_prices(
    usage,
    headers,
    cost,
):
    async with Asking(
        _charging(usage, headers),
        prices=Prices(3.0, 15.0, 0.3),
    ) as asking:
        assert (await asking.judged()).record.cost == (
            cost if cost is None else pytest.approx(cost)
        )


async def test_without_prices_there_is_no_cost():
    async with Asking() as asking:
        assert (await asking.judged()).record.cost is None


# -- the Responses API ----------------------------------------------------------------------------


async def test_responses_are_asked_for_where_the_user_says_so():
    async with Asking(responses=True, api="responses") as asking:
        proposal = await asking.judged()
    (body,) = asking.bodies
    assert asking.paths == ["/responses"]
    assert body["text"]["format"]["type"] == "json_schema"
    assert body["text"]["format"]["strict"] is True
    assert (body["max_output_tokens"], body["store"]) == (4096, False)
    assert "Mentions a BCL2 gene" in body["input"]
    assert proposal.labels["tp"] == ["BCL2 is a gene."]
    assert (proposal.record.tokens_in, proposal.record.tokens_out) == (100, 20)
    assert proposal.record.parameters["api"] == "responses"


async def test_both_apis_say_the_same():
    async with Asking() as chat, Asking(responses=True, api="responses") as responses:
        one, other = await chat.judged(), await responses.judged()
    system, user = (message["content"] for message in chat.bodies[0]["messages"])
    assert (responses.bodies[0]["instructions"], responses.bodies[0]["input"]) == (
        system,
        user,
    )
    assert one.labels == other.labels
    assert one.record.prompt_sha256 == other.record.prompt_sha256


async def test_a_server_without_responses_is_asked_for_chat_completions_from_then_on():
    async with Asking(api="responses") as asking:
        await asking.judged()
        record = (await asking.judged()).record
    assert asking.paths == ["/responses", "/chat/completions", "/chat/completions"]
    assert "api" not in record.parameters


RESPONSES = {
    "half-cut": [4096, 8192],
    "thinking": [4096, 8192],
    "missing-instruction": [4096, 4096],
    "no-schema": [4096, 4096],
    "no-temperature": [4096, 4096],
    "prose": [4096, 4096],
}


@pytest.mark.parametrize(("fault", "rooms"), RESPONSES.items(), ids=RESPONSES)
async def test_trouble_is_got_over_by_responses_too(fault, rooms):
    async with Asking(
        in_order(FAULTS[fault]),
        responses=True,
        api="responses",
    ) as asking:
        await asking.judged()
    assert [asked.room for asked in asking.server.asked] == rooms
    assert set(asking.paths) == {"/responses"}


async def test_formats_that_responses_refuse_are_given_up_for_good():
    async with Asking(FAULTS["no-json"], responses=True, api="responses") as asking:
        await asking.judged()
        await asking.judged()
    assert asking.formats == [
        "json_schema",
        "json_object",
        "text",
        "text",
    ]


async def test_without_instructions_the_rules_stand_above_the_material():
    async with Asking(FAULTS["no-system"], responses=True, api="responses") as asking:
        await asking.judged()
    first, last = asking.bodies
    assert "instructions" not in last
    assert last["input"] == f"{first['instructions']}\n\n{first['input']}"


# -- without a network ----------------------------------------------------------------------------


def first_prompt():
    return next(Question(GENE, GENE.trace).dialogue())


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_the_first_request_is_the_one_that_is_sent(api):
    async with Asking(responses=True, api=api, params={"seed": 7}) as asking:
        body = asking.judge.request(first_prompt())
        path = asking.judge.path
        await asking.judged()
    assert (path, json.loads(json.dumps(body))) == (asking.paths[0], asking.bodies[0])


def test_a_first_request_needs_no_key():
    judge = OpenAIJudge(Endpoint("m", None, "MISSING"), environ={}, keyless=True)
    assert judge.request(first_prompt())["model"] == "m"


def test_a_first_request_knows_what_an_earlier_session_learnt(tmp_path):
    cache = open_cache(tmp_path / "cache.sqlite")
    cache.learn(
        "chat http://x/v1 m",
        {"rung": "json_object", "refused": ["temperature"], "limit": "max_tokens"},
    )
    judge = OpenAIJudge(Endpoint("m", "http://x/v1"), environ={}, cache=cache)
    body = judge.request(first_prompt())
    assert body["response_format"] == {"type": "json_object"}
    assert body["max_tokens"] == 4096
    assert "temperature" not in body


def replayed(answer, **wishes):
    judge = OpenAIJudge(
        Endpoint("m", "http://x/v1", **wishes),
        environ={},
        keyless=True,
    )
    return judge.replayed(Question(GENE, GENE.trace), answer)


def asked():
    judge = OpenAIJudge(Endpoint("m", "http://x/v1"), environ={}, keyless=True)
    return Asked(1, "POST", "/v1/chat/completions", {}, judge.request(first_prompt()))


@pytest.mark.parametrize(
    "shape",
    [
        lambda answer: answer.body,
        lambda answer: answer.raw,
        lambda answer: as_response(answer).raw,
    ],
)
def test_an_answer_had_otherwise_goes_through_the_same_checks(shape):
    proposal = replayed(shape(truthful(asked())), prices=Prices(1.0, 1.0))
    assert proposal.labels["tp"] == ["BCL2 is a gene."]
    assert (proposal.record.tokens_in, proposal.record.cost) == (
        100,
        pytest.approx(120e-6),
    )
    assert proposal.record.parameters["response_format"] == "json_schema"
    assert len(proposal.record.prompt_sha256) == 64
    assert proposal.record.latency is None


def test_invented_excerpts_of_such_an_answer_stay():
    assert (
        replayed(FAULTS["invented"](asked()).body).labels["tp"][0]
        == "words that nobody wrote"
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            completion("Well."),
            "The judge gave no usable reply: it is not one whole JSON object",
        ),
        (FAULTS["half-cut"](asked()), "The reply was cut by the token limit"),
        (completion(None, refusal="No."), "The model refused: No"),
        (error(429, "Slow down."), "This is not a judgment: Slow down"),
        (Answer("null"), "This is not a judgment: no chat completion: null"),
        (
            Answer(""),
            "This is not a judgment: no chat completion: its answer was empty",
        ),
        (
            FAULTS["missing-instruction"](asked()),
            "no usable reply: TP instruction 2 is not answered",
        ),
    ],
)
def test_an_answer_that_is_no_judgment_fails_and_says_why(answer, reason):
    with pytest.raises(JudgmentFailed, match=reason) as failed:
        replayed(answer.raw)
    assert "sent" not in failed.value.failure.full_reason
