"""How a reply ends: what is an answer all the same is read, what is none is asked for once."""

import json

import pytest
from judge_stage import Asking, about

from loopback import completion, reply_to, shaped


def said(asked):
    return shaped(asked, reply_to(asked))


ANSWERS = {
    "blanks to the limit": lambda asked: completion(said(asked) + "\n" * 900, "length"),
    "blanks to Gemini's limit": lambda asked: completion(
        said(asked) + " " * 90,
        "MAX_TOKENS",
    ),
    "talk to the limit": lambda asked: completion(
        f"{said(asked)}\nAs I see it",
        "length",
    ),
    "twice": lambda asked: completion(said(asked) * 2),
    "twice, the second cut": lambda asked: completion(
        f"{said(asked)}\n{said(asked)[:20]}",
        "length",
    ),
    "in a call": lambda asked: completion(
        None,
        "tool_calls",
        tool_calls=[{"function": {"name": "a", "arguments": said(asked)}}],
    ),
    "in two calls": lambda asked: completion(
        "",
        "tool_calls",
        tool_calls=[{"function": {"arguments": said(asked)}}] * 2,
    ),
    "as an object": lambda asked: completion(
        None,
        "TOOL_USE",
        function_call={"arguments": json.loads(said(asked))},
    ),
}


@pytest.mark.parametrize("script", ANSWERS.values(), ids=ANSWERS)
async def test_an_answer_is_read_however_it_ends(script):
    async with Asking(script) as at:
        proposal = await at.judged()
    assert proposal.labels["tp"] == ["BCL2 is a gene."]
    assert len(at.server.asked) == 1


@pytest.mark.parametrize(
    "word",
    ["SAFETY", "safety", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "OTHER"],
)
async def test_what_a_server_will_not_say_is_asked_for_once(word):
    async with Asking(lambda asked: completion(None, word)) as at:
        failed = await at.failure()
    assert len(at.server.asked) == 1
    assert failed.reason.endswith(f": {word}.")


async def test_a_call_of_a_function_that_is_not_ours_is_no_answer():
    call = {"function": {"name": "search", "arguments": '{"query": "BCL2"}'}}
    async with Asking(
        lambda asked: completion(None, "tool_calls", tool_calls=[call]),
    ) as at:
        failed = await at.failure()
    assert len(at.server.asked) <= 3
    assert "TP instruction 1, 2 is not answered" in failed.reason


async def test_latex_that_is_not_escaped_comes_as_the_response_has_it(shared):
    lines = (
        (shared / "data" / "field" / "latex_response.jsonl")
        .read_text("utf-8")
        .splitlines()
    )
    for line in lines:
        response = json.loads(line)["response"]
        subject = about(
            response,
            metrics=["recall"],
            tp_instructions=[response, "Names a drug"],
        )

        def unescaped(asked):
            return completion(said(asked).replace("\\\\", "\\"))

        async with Asking(unescaped, of=subject) as at:
            proposal = await at.judged()
        assert proposal.labels["tp"] == [response]
        assert len(at.server.asked) == 1
