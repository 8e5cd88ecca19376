import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.judges.completion import Completion, Trouble, api_of
from appellate.judges.completion import read as completion_of

read = partial(completion_of, api="responses")
KEYS = [
    "output",
    "status",
    "content",
    "type",
    "text",
    "usage",
    "error",
    "incomplete_details",
    "reason",
    "refusal",
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["message", "reasoning", "completed"])
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.binary() | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_body_is_a_response_or_trouble(body):
    assert isinstance(read(body), Completion | Trouble)
    assert api_of(body) in ("chat", "responses")


def response(*output, **more):
    return json.dumps(
        {"object": "response", "status": "completed", "output": output} | more
    ).encode()


def message(*content):
    return {"type": "message", "content": content}


def said(text):
    return {"type": "output_text", "text": text}


THOUGHT = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Let me see."}]}
INCOMPLETE = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}


def test_the_answer_is_what_the_messages_say():
    completion = read(response(THOUGHT, message(said("{"), said("}"))))
    assert (completion.text, completion.cut, completion.refusal) == ("{}", False, "")


@pytest.mark.parametrize(
    "body",
    [
        response(message(said("{")), **INCOMPLETE),
        response(THOUGHT, **INCOMPLETE),
        response(THOUGHT),
        response(usage={"output_tokens_details": {"reasoning_tokens": 4096}}),
    ],
)
def test_a_response_that_is_not_whole_is_cut(body):
    assert read(body).cut


def test_a_refusal_is_none():
    completion = read(response(message({"type": "refusal", "refusal": "No."})))
    assert (completion.refusal, completion.cut) == ("No.", False)


def test_a_filter_is_no_cut():
    completion = read(
        response(status="incomplete", incomplete_details={"reason": "content_filter"})
    )
    assert (completion.filtered, completion.cut) == (True, False)


def test_the_tokens_are_counted():
    usage = {
        "input_tokens": 100,
        "output_tokens": "20",
        "input_tokens_details": {"cached_tokens": 64},
    }
    completion = read(response(usage=usage, model="m-1"))
    assert (completion.tokens_in, completion.tokens_out, completion.cached) == (100, 20, 64)
    assert completion.model == "m-1"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (response(status="failed", error={"message": "It broke."}), "It broke."),
        (response(status="cancelled"), "no response"),
        (b'{"object": "response"}', "no response"),
        (b"[]", "no response: []"),
    ],
)
def test_what_is_no_response_is_trouble(body, told):
    trouble = read(body)
    assert trouble.status == 200
    assert told in trouble.message
