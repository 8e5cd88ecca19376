import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.judges.capabilities import (
    Capabilities,
    from_saved,
    initial_capabilities,
    is_limit_too_large,
)
from appellate.judges.completion import Trouble, read_error
from appellate.talk.dialogue import TEXT, Prompt, table

PROMPT = Prompt("system", "user", table({"answer": TEXT}), 100)
PARAMS = ("temperature", "seed", "reasoning_effort")


def after(status, body, able=None):
    trouble = read_error(status, json.dumps(body).encode(), {})
    return (able or Capabilities()).after(trouble, PROMPT, PARAMS)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Unsupported parameter.", "param": "seed"}},
        {"error": {"message": "Unsupported value.", "param": "seed.value"}},
        {"error": "seed is not supported by this model"},
        {
            "detail": [
                {
                    "type": "extra_forbidden",
                    "loc": ["body", "seed"],
                    "msg": "Extra inputs are not permitted",
                },
            ],
        },
        {
            "error": {
                "message": "1 validation error: {'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'input': 7}",
            },
        },
    ],
)
def test_a_parameter_that_is_refused_by_name_is_left_out(body):
    assert after(400, body) == Capabilities(refused=frozenset({"seed"}))


ECHO = [
    {"loc": ["body", "messages"], "msg": "No.", "input": {"temperature": 0, "seed": 1}},
]
NAMING = "seed temperature response_format"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (422, {"detail": ECHO}),
        (400, {"error": "seedling_temperature_x is unknown"}),
        (429, {"error": {"message": NAMING, "param": "seed"}}),
    ],
    ids=["an echo of the request", "part of a longer name", "a busy server"],
)
def test_what_names_no_parameter_as_wrong_refuses_nothing(status, body):
    assert after(status, body) == Capabilities()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "System role not supported"),
        (500, "Jinja error: Only user and assistant roles are supported!"),
        (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (
            400,
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        ),
    ],
)
def test_a_chat_template_without_a_system_role_is_known_by_its_words(status, said):
    assert not after(status, {"error": {"message": said}}).system


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"detail": "Not Found"}),
        (405, {"detail": "Method Not Allowed"}),
        (501, {"error": "not implemented"}),
        (200, {"error": "Unexpected endpoint or method. (POST /v1/responses)"}),
    ],
)
def test_a_server_that_knows_no_responses_is_asked_for_chat_completions(status, body):
    assert after(
        status,
        body,
        initial_capabilities("responses"),
    ) == initial_capabilities("chat")


def test_a_model_that_is_not_there_says_nothing_about_the_api():
    missing = {
        "error": {
            "message": "The model 'm' does not exist.",
            "code": "model_not_found",
        },
    }
    assert after(404, missing, initial_capabilities("responses")).api == "responses"


@pytest.mark.parametrize(
    "said",
    [
        "max_output_tokens is too large: 32768",
        "The maximum context length is 4097. You requested 5000 tokens (904 in the messages, 4096 in the completion)",
    ],
)
def test_a_size_that_is_too_large_is_no_lack_of_the_limit(said):
    assert is_limit_too_large(Trouble(400, said))
    assert not is_limit_too_large(Trouble(429, said))


def test_a_limit_that_is_not_known_is_no_matter_of_size():
    assert not is_limit_too_large(Trouble(400, "max_tokens is not supported"))


# -- over sessions --------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_what_was_learnt_is_known_again(api):
    learnt = Capabilities(
        api="chat",
        reply_format="json_object",
        fields_below=900,
        lists_below=1200,
        plain="text",
        limit=None,
        system=False,
        refused=frozenset({"seed", "temperature"}),
    )
    assert from_saved(json.loads(json.dumps(learnt.to_keep())), api) == learnt


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    st.lists,
    max_leaves=4,
)
NAMES = st.sampled_from(
    [
        "api",
        "rung",
        "fields_below",
        "lists_below",
        "plain",
        "limit",
        "system",
        "refused",
        "else",
    ],
)


@given(
    st.dictionaries(
        NAMES,
        VALUES | st.dictionaries(st.text(max_size=3), VALUES, max_size=2),
    ),
)
def test_whatever_was_kept_some_way_to_ask_is_known(kept):
    able = from_saved(kept, "responses")
    assert able.reply_format in ("json_schema", "json_object", "text")
    assert able.limit in (
        None,
        "max_output_tokens",
        "max_completion_tokens",
        "max_tokens",
    )


def test_nothing_kept_is_nothing_known():
    assert from_saved({}, "responses") == initial_capabilities("responses")
