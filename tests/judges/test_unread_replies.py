"""A server whose own parser fails on what the model wrote is there, and was not asked too much."""

import json

import pytest
from judge_stage import Asking

from appellate.judges.completion import read_error
from appellate.judges.openai import RetryPolicy
from appellate.judges.rate_limiter import RateLimiter
from loopback import FAULTS, Answer, error, in_order, rungs, truthful

NONE = RetryPolicy(attempts=1, attempts_unanswered=1, attempts_busy=1)
"""Nothing is asked again for trouble of the server's."""
UNREAD = {
    "llama.cpp": error(
        500,
        'Failed to parse input at pos 13: {"tp_answers',
        code=500,
        type="server_error",
    ),
    "llama.cpp, newer": error(
        500,
        "The model produced output that does not match the expected peg-native format",
    ),
    "llama.cpp, tools": error(
        500,
        "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1",
    ),
    "Ollama": Answer(
        {
            "error": "error parsing tool call: raw='{\"1\": ', err=unexpected end of JSON input",
        },
        500,
    ),
    "vLLM": error(
        500,
        'unexpected tokens remaining in message header: Some("to=x")',
        type="InternalServerError",
    ),
    "LiteLLM": error(
        500,
        "litellm.JSONSchemaValidationError: model=m, returned an invalid response={, for schema={'type': 'object'}.",
    ),
    "a traceback": Answer(
        {
            "detail": "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 9",
        },
        500,
    ),
    "Groq": error(
        400,
        "Generated JSON does not match the expected schema.",
        code="json_validate_failed",
    ),
    "within a 200": Answer(
        {
            "error": {
                "code": 502,
                "message": "Upstream: Failed to parse input at pos 7: <",
            },
        },
    ),
}


def asking(script, policy=NONE):
    return Asking(script, judge={"policy": policy, "limiter": RateLimiter()})


@pytest.mark.parametrize("answer", UNREAD.values(), ids=UNREAD)
async def test_what_the_server_could_not_read_is_asked_again_at_once(answer):
    async with asking(in_order(answer)) as at:
        proposal = await at.judged()
    assert proposal.labels["tp"] == ["BCL2 is a gene."]
    assert at.formats == ["json_schema"] * 2
    assert "could not be used: the server could not read it." in at.server.asked[1].user
    assert at.judge.limiter.closed_for == 0


async def test_a_format_that_the_server_can_never_read_is_given_up():
    def script(asked):
        return UNREAD["llama.cpp"] if asked.rung == "json_schema" else truthful(asked)

    async with asking(script) as at:
        await at.judged()
        await at.judged()
    assert rungs(at.server) == {"json_schema": 3, "json_object": 2}


@pytest.mark.parametrize("answer", UNREAD.values(), ids=UNREAD)
async def test_where_no_format_can_be_read_the_cell_fails_with_the_servers_words(
    answer,
):
    async with asking(lambda asked: answer) as at:
        failed = await at.failure()
    assert rungs(at.server) == {"json_schema": 3, "json_object": 3, "text": 3}
    assert "reply: the server could not read it. It said: " in failed.reason
    assert failed.raw == answer.raw.decode()
    assert (failed.final, at.judge.limiter.closed_for) == (False, 0)


@pytest.mark.parametrize("more", [0, 3, 6])
async def test_one_cell_that_cannot_be_read_is_asked_more_simply_and_the_others_are_not(
    more,
):
    unread = [UNREAD["llama.cpp"]] * (3 + more)
    async with asking(in_order(truthful, *unread)) as at:
        await at.judged()
        if more < 6:
            await at.judged()
        else:
            assert (
                "It said: Failed to parse input at pos 13"
                in (await at.failure()).reason
            )
        await at.judged()
    lower = {
        0: ["json_object"],
        3: ["json_object"] * 3 + ["text"],
        6: ["json_object"] * 3 + ["text"] * 3,
    }
    assert at.formats == ["json_schema"] * 4 + lower[more] + ["json_schema"]


async def test_simpler_formats_that_are_refused_end_the_talk():
    def script(asked):
        if asked.n == 1:
            return truthful(asked)
        return (
            UNREAD["llama.cpp"]
            if asked.rung == "json_schema"
            else error(400, "json_object is not supported")
        )

    async with asking(script) as at:
        await at.judged()
        assert (
            "answered 400: json_object is not supported" in (await at.failure()).reason
        )
    assert rungs(at.server) == {"json_schema": 4, "json_object": 1, "text": 1}


async def test_a_server_in_trouble_of_its_own_is_still_waited_for():
    patient = RetryPolicy(first=0.002, longest=0.01, attempts=4, attempts_unanswered=4)
    async with asking(FAULTS["broken"], patient) as at:
        failed = await at.failure()
    assert failed.full_reason.endswith(
        "answered 500: The server had an error. 4 requests were sent.",
    )


@pytest.mark.parametrize(
    "said",
    [
        "The server had an error.",
        "CUDA error: out of memory",
        "error parsing grammar: expected ')'",
        'response_format type must be one of "text" or "json_object", but got: json_schema',
    ],
)
def test_no_other_words_are_taken_for_a_reply(said):
    assert not read_error(
        500,
        json.dumps({"error": {"message": said}}).encode(),
        {},
    ).garbled
