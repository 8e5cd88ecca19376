import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.judges.completion import (
    Completion,
    Trouble,
    amount,
    api_of,
    asked_to_wait,
    read,
    read_error,
)

KEYS = [
    "choices",
    "message",
    "content",
    "usage",
    "error",
    "code",
    "finish_reason",
    "prompt_tokens",
]
KEYS += ["output", "status", "type", "text", "incomplete_details", "reason", "refusal"]
WORDS = st.sampled_from(["message", "reasoning", "completed"]) | st.text(max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("api", ["chat", "responses"])
@given(body=st.binary() | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_body_is_a_completion_or_trouble(api, body):
    assert isinstance(read(body, {}, api), Completion | Trouble)
    assert isinstance(read_error(500, body, {}), Trouble)
    assert api_of(body) in ("chat", "responses")


@pytest.mark.parametrize(
    "body",
    [
        {
            "choices": [{"message": {"content": "{}"}}],
            "usage": {"prompt_tokens": 10**400},
        },
        {"error": {"code": 10**400, "message": "no"}},
    ],
)
def test_a_number_beyond_any_float_is_none(body):
    read(json.dumps(body).encode())
    assert amount(10**400) is None


@given(st.text())
def test_any_header_is_a_wait_or_none(value):
    wait = asked_to_wait({"retry-after": value})
    assert wait is None or wait >= 0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"llm_provider-retry-after": "4"}, 4.0),
    ],
)
def test_the_wait_a_server_asks_for(headers, seconds):
    assert asked_to_wait(headers) == seconds


@pytest.mark.parametrize(
    "value",
    [
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2030 00:00:00 +99999999999999",
        "Mon, 01 Jan 2030 99999999999999999999:00:00 GMT",
        "Mon, 99 Jan 2030 00:00:00 GMT",
        "9" * 400,
        "1e400",
        "-1e400",
        "nan",
        "(" * 10_000,
        "\ud800",
    ],
)
def test_a_wait_that_is_none_is_as_if_nothing_was_asked_for(value):
    for name in ("retry-after", "retry-after-ms", "llm_provider-retry-after"):
        assert asked_to_wait({name: value}) is None


MAD_DATES = st.builds(
    "Mon, {} Jan {} {}:{}:{} {}{}".format,
    *[st.integers(0, 10**30)] * 5,
    st.sampled_from("+-"),
    st.integers(0, 10**30) | st.integers(0, 9999),
)


@given(MAD_DATES, st.sampled_from(["retry-after", "llm_provider-retry-after"]))
def test_any_date_is_a_wait_or_none(date, name):
    wait = asked_to_wait({name: date})
    assert wait is None or wait >= 0


def test_a_date_is_a_wait_until_then_and_one_that_has_passed_means_now():
    soon, past = (datetime.now(UTC) + timedelta(hours=hours) for hours in (1, -1))
    assert (
        3500
        < asked_to_wait({"retry-after": format_datetime(soon, usegmt=True)})
        <= 3600
    )
    assert asked_to_wait({"retry-after": format_datetime(past, usegmt=True)}) == 0.0


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "No."}},
        {"error": "No."},
        {"message": "No."},
        {"detail": "No."},
        {"error": {"detail": "No."}},
        [{"error": {"message": "No."}}],
    ],
)
def test_the_words_of_an_error_are_found(body):
    assert read_error(400, json.dumps(body).encode(), {}).message == "No."


def test_a_wait_within_the_body_is_known():
    body = {
        "error": {
            "details": [
                {
                    "@type": "type.googleapis.com/google.rpc.RetryInfo",
                    "retryDelay": "34.5s",
                },
            ],
        },
    }
    assert read_error(429, json.dumps(body).encode(), {}).wait == 34.5
    assert read_error(429, json.dumps(body).encode(), {"retry-after": "3"}).wait == 3.0


def _message(finish="stop", **message):
    return json.dumps(
        {"choices": [{"finish_reason": finish, "message": message}]},
    ).encode()


@pytest.mark.parametrize(
    ("body", "text", "cut"),
    [
        (_message(content="{}"), "{}", False),
        (_message("length", content="{"), "{", True),
        (_message("max_tokens", content="{"), "{", True),
        (
            _message(content=None, reasoning_content='So: {"a": 1}'),
            'So: {"a": 1}',
            False,
        ),
        (_message(content="", reasoning="Let me see"), "", True),
        (_message(content="{}", reasoning="Let me see"), "{}", False),
        (_message(content="<think>Let me see. {"), "<think>Let me see. {", True),
        (
            _message(content="<think>Let me see.</think>{}"),
            "<think>Let me see.</think>{}",
            False,
        ),
        (_message(content=""), "", False),
    ],
)
def test_thinking_is_told_from_answering(body, text, cut):
    completion = read(body)
    assert (completion.text, completion.cut) == (text, cut)


@pytest.mark.parametrize(
    "word",
    [
        "SAFETY",
        "safety",
        "FinishReason.SAFETY",
        "FINISH_REASON_SAFETY",
        "RECITATION",
        "Blocklist",
        "PROHIBITED_CONTENT",
        "content_filter: PROHIBITED_CONTENT",
        "SPII",
        "content-filter",
        "guardrail_intervened",
        "sensitive",
    ],
)
def test_a_filter_is_one_whatever_its_server_calls_it(word):
    completion = read(_message(word, content=None))
    assert (completion.filtered, completion.cut) == (word, False)


def test_a_prompt_that_a_filter_blocked_is_no_trouble_that_passes():
    body = {"choices": [], "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    assert read(json.dumps(body).encode()).filtered == "PROHIBITED_CONTENT"


@pytest.mark.parametrize(
    "word",
    ["MAX_TOKENS", "Length", "FinishReason.MAX_TOKENS", "model_length", "max-tokens"],
)
def test_the_token_limit_is_one_whatever_its_server_calls_it(word):
    assert read(_message(word, content="{")).cut


@pytest.mark.parametrize(
    "word",
    ["error", "abort", "ERROR", "network_error", "USER_CANCEL"],
)
def test_a_reply_that_broke_off_is_trouble(word):
    trouble = read(_message(word, content="{"))
    assert trouble.status == 200
    assert trouble.message == f"an error within the completion: {word}"


def test_an_ending_that_nobody_knows_stops_a_reply_without_words_and_no_other():
    assert read(_message("OTHER", content="")).stopped == "OTHER"
    assert read(_message("OTHER", content="{}")).stopped == ""
    assert read(_message("STOP", content="")).stopped == ""
    assert read(_message("MALFORMED_FUNCTION_CALL", content="")).unread


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ('{"a": 1}' + " \n" * 900, False),
        ('```json\n{"a": 1}\n```\n\n', False),
        ('{"a": 1}\n{"a": 1}\n{"a"', False),
        ('{"a": 1}\nThis says that', False),
        ('<think>Is it {"b": 1}?</think>{"a": 1}\n', False),
        ('{"a": 1}\n{"b": 1', True),
        ('{"a": 1', True),
        ("{}  ", True),
        ('So: {"a": 1}  ', True),
        ('<think>{"a": 1} ', True),
    ],
)
def test_a_whole_answer_is_not_cut_by_what_the_model_writes_behind_it(text, cut):
    assert read(_message("length", content=text)).cut == cut


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": [{"type": "function", "function": {"arguments": '{"a": 1}'}}]},
        {"tool_calls": [{"function": {"arguments": {"a": 1}}}]},
        {"function_call": {"name": "answer", "arguments": '{"a": 1}'}},
        {"content": [{"type": "tool_use", "name": "answer", "input": {"a": 1}}]},
        {"content": {"a": 1}},
    ],
)
def test_an_answer_in_the_arguments_of_a_call_is_read(message):
    completion = read(_message("tool_calls", **({"content": None} | message)))
    assert (completion.text, completion.cut) == ('{"a": 1}', False)


def test_of_several_choices_the_first_by_its_number_is_read_in_whichever_order_they_come():
    def choice(text, **number):
        return {"message": {"content": text}, "finish_reason": "stop"} | number

    def said(*choices):
        return read(json.dumps({"choices": choices}).encode()).text

    assert said(choice("b", index=1), choice("a", index=0)) == "a"
    assert said(choice("b", index=2), choice("a", index=1), choice("c", index=3)) == "a"
    assert said(choice("c"), choice("b", index="1"), choice("a", index=0)) == "a"
    assert said(choice("a"), choice("b")) == "a"
    assert said({}, choice("a")) == "a"


def test_tokens_spent_on_thinking_alone_are_a_cut_reply():
    usage = {
        "completion_tokens": 4096,
        "completion_tokens_details": {"reasoning_tokens": 4096},
    }
    body = {
        "choices": [{"finish_reason": "stop", "message": {"content": ""}}],
        "usage": usage,
    }
    assert read(json.dumps(body).encode()).cut


@pytest.mark.parametrize(
    "body",
    [
        _message(refusal="No."),
        _message(provider_specific_fields={"refusal": "No."}),
        _message(content=[{"type": "refusal", "refusal": "No."}]),
        _message("refusal", content="No."),
        _message(refusal="No.", reasoning_content="Let me see"),
    ],
)
def test_a_refusal_is_one_in_any_shape(body):
    completion = read(body)
    assert (completion.refusal, completion.cut) == ("No.", False)


def test_a_status_within_a_200_is_the_one_that_was_meant():
    assert read(b'{"error": {"code": 429, "message": "Slow down."}}').status == 429


# -- the Responses API ----------------------------------------------------------------------------


read_response = partial(read, api="responses")


def response(*output, **more):
    return json.dumps(
        {"object": "response", "status": "completed", "output": output} | more,
    ).encode()


def message(*content):
    return {"type": "message", "content": content}


def said(text):
    return {"type": "output_text", "text": text}


THOUGHT = {
    "type": "reasoning",
    "content": [{"type": "reasoning_text", "text": "Let me see."}],
}
INCOMPLETE = {
    "status": "incomplete",
    "incomplete_details": {"reason": "max_output_tokens"},
}
FILTERED = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
THINKING = {"output_tokens_details": {"reasoning_tokens": 4096}}


@pytest.mark.parametrize(
    ("body", "text", "cut", "refusal", "filtered"),
    [
        (response(THOUGHT, message(said("{"), said("}"))), "{}", False, "", ""),
        (response(message(said("{")), **INCOMPLETE), "{", True, "", ""),
        (
            response(message(said('{"a": 1}  ')), **INCOMPLETE),
            '{"a": 1}  ',
            False,
            "",
            "",
        ),
        (response(THOUGHT, **INCOMPLETE), "", True, "", ""),
        (response(THOUGHT), "", True, "", ""),
        (response(usage=THINKING), "", True, "", ""),
        (
            response(message({"type": "refusal", "refusal": "No."})),
            "",
            False,
            "No.",
            "",
        ),
        (response(**FILTERED), "", False, "", "content_filter"),
        (
            response({"type": "function_call", "arguments": '{"a": 1}'}),
            '{"a": 1}',
            False,
            "",
            "",
        ),
    ],
)
def test_an_answer_a_cut_a_refusal_and_a_filter_are_told_apart(
    body,
    text,
    cut,
    refusal,
    filtered,
):
    found = read_response(body)
    assert (found.text, found.cut, found.refusal) == (text, cut, refusal)
    assert found.filtered == filtered


def test_the_tokens_are_counted():
    usage = {
        "input_tokens": 100,
        "output_tokens": "20",
        "input_tokens_details": {"cached_tokens": 64},
    }
    completion = read_response(response(usage=usage, model="m-1"))
    assert (completion.tokens_in, completion.tokens_out, completion.cached) == (
        100,
        20,
        64,
    )
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
    trouble = read_response(body)
    assert trouble.status == 200
    assert told in trouble.message
