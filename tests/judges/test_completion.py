import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.judges.completion import Completion, Trouble, asked_to_wait, read, read_error

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "usage", "error", "code", "finish_reason", "prompt_tokens"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.binary() | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_body_is_a_completion_or_trouble(body):
    assert isinstance(read(body), Completion | Trouble)
    assert isinstance(read_error(500, body, {}), Trouble)


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


def test_a_date_is_a_wait_until_then():
    soon = datetime.now(UTC) + timedelta(seconds=30)
    assert 28 < asked_to_wait({"retry-after": format_datetime(soon, usegmt=True)}) <= 30


def test_a_date_that_has_passed_means_now():
    past = format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)
    assert asked_to_wait({"retry-after": past}) == 0.0


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "No."}},
        {"error": "No."},
        {"message": "No."},
        {"detail": "No."},
        {"error": {"detail": "No."}},
    ],
)
def test_the_words_of_an_error_are_found(body):
    assert read_error(400, json.dumps(body).encode(), {}).said == "No."


def test_a_status_within_a_200_is_the_one_that_was_meant():
    assert read(b'{"error": {"code": 429, "message": "Slow down."}}').status == 429
