"""A server's files and batches: what is downloaded is whole, what goes wrong is a sentence, any line is read."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.judges.batches import BatchRow, BatchServer, Broken, NotDone, row
from appellate.judges.endpoint import Endpoint, access
from appellate.judges.size_limit import LARGEST
from batch_stage import batch_api
from loopback import Answer


async def test_a_file_of_answers_may_be_larger_than_any_single_answer(tmp_path):
    with batch_api() as api:
        api.files["file-1"] = b"x" * (LARGEST + 1)
        async with BatchServer(access(Endpoint("m", api.url))) as server:
            await server.download("file-1", tmp_path / "answers.jsonl")
    assert (tmp_path / "answers.jsonl").stat().st_size == LARGEST + 1


async def test_a_file_that_cannot_be_written_is_told_of(tmp_path):
    with batch_api() as api:
        api.files["file-1"] = b"{}"
        async with BatchServer(access(Endpoint("m", api.url))) as server:
            with pytest.raises(NotDone, match="could not be read or written"):
                await server.download("file-1", tmp_path / "absent" / "answers.jsonl")


@pytest.mark.parametrize("status", [200, 404])
async def test_a_word_without_end_is_read_no_further(status):
    with batch_api() as api:
        api.faults.append(lambda method, path: Answer(b"x" * (LARGEST + 1), status))
        async with BatchServer(access(Endpoint("m", api.url))) as server:
            with pytest.raises(NotDone):
                await server.look("batch_1")


@pytest.mark.parametrize("body", [b"[]", b"<html>", b"[" * 200_000])
async def test_an_answer_of_another_shape_is_told_of(body):
    with batch_api() as api:
        api.faults.append(lambda method, path: Answer(body))
        async with BatchServer(access(Endpoint("m", api.url))) as server:
            with pytest.raises(NotDone, match="gave no usable answer"):
                await server.look("batch_1")


async def test_an_environment_that_allows_of_no_client_is_told_of(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://u:pw@x")
    with pytest.raises(
        NotDone,
        match=r"example.invalid cannot be reached \(.*environment",
    ) as refusal:
        async with BatchServer(access(Endpoint("m", "https://example.invalid/v1"))):
            pass
    assert "pw" not in str(refusal.value)


# -- rows ------------------------------------------------------------------------------------------


COMPLETION = {
    "id": "c",
    "object": "chat.completion",
    "choices": [{"message": {"content": "{}"}}],
    "model": "m",
}
ID = "1-1-00000000-000000000000-000000000000"


def read(**told: Any) -> BatchRow:
    return row(json.dumps({"custom_id": ID, **told}).encode())


def test_openai_writes_the_completion_into_an_envelope():
    found = read(
        id="batch_req_1",
        response={"status_code": 200, "request_id": "r", "body": COMPLETION},
        error=None,
    )
    assert (found.custom_id, found.body, found.trouble) == (ID, COMPLETION, None)


def test_an_early_vllm_leaves_the_envelope_out():
    assert read(response=COMPLETION, error=None).body == COMPLETION


def test_ray_keeps_the_http_response_or_the_generated_text():
    assert read(http_response=COMPLETION).body == COMPLETION
    assert read(http_response=json.dumps(COMPLETION)).body == COMPLETION
    found = read(generated_text="{}", num_input_tokens=7, num_generated_tokens=2).body
    assert found["choices"] == [{"message": {"content": "{}"}, "finish_reason": "stop"}]
    assert found["usage"] == {"prompt_tokens": 7, "completion_tokens": 2}


@pytest.mark.parametrize(
    ("told", "status", "said"),
    [
        (
            {
                "response": {
                    "status_code": 400,
                    "body": {"error": {"message": "too long"}},
                },
                "error": None,
            },
            400,
            "too long",
        ),
        (
            {
                "response": {"status_code": 500, "body": None},
                "error": {"error": {"message": "boom"}},
            },
            500,
            "boom",
        ),
        (
            {"response": {"status_code": 500, "body": None}, "error": "boom"},
            500,
            "boom",
        ),
        ({"response": {"status_code": 429, "body": {}}}, 429, "no reason given"),
        (
            {"response": None, "error": {"message": "no such model"}},
            200,
            "no such model",
        ),
        (
            {"generated_text": "", "__inference_error__": "out of memory"},
            200,
            "out of memory",
        ),
    ],
    ids=["openai", "vllm", "vllm-text", "wordless", "no-response", "ray"],
)
def test_each_engine_has_its_way_to_say_that_a_request_failed(told, status, said):
    trouble = read(**told).trouble
    assert trouble is not None
    assert (trouble.status, trouble.message) == (status, said)


@pytest.mark.parametrize("code", ["batch_expired", "batch_cancelled"])
def test_a_request_whose_turn_never_came_was_not_asked(code):
    assert read(response=None, error={"code": code, "message": "too late"}).unasked


def test_a_key_that_a_server_quotes_back_is_not_kept():
    found = read(
        response={
            "status_code": 401,
            "body": {"error": {"message": "Incorrect key sk-abcdef123456."}},
        },
    )
    assert found.trouble is not None
    assert "sk-abcdef" not in found.trouble.message + found.trouble.raw


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"custom_id": "1', "is not JSON"),
        (b"[1]", "is not an object"),
        (b'{"id": 1}', "has no custom_id"),
        (b'{"custom_id": 3}', "has no custom_id"),
        (b'{"custom_id": "a"}', "holds neither a response nor an error"),
        (
            b'{"custom_id": "a", "response": {"status_code": "ok", "body": {}}}',
            "has a status_code that is not a number",
        ),
        (
            b'{"custom_id": "a", "method": "POST", "url": "/v1", "body": {}}',
            "is a request, not an answer",
        ),
        (b"[" * 100_000, "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
    ],
)
def test_a_line_that_is_no_answer_says_why(line, why):
    with pytest.raises(Broken, match=why):
        row(line)


NAMES = [
    "custom_id",
    "response",
    "error",
    "status_code",
    "body",
    "http_response",
    "generated_text",
    "code",
    "message",
]
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(NAMES), json_values))
def test_whatever_a_line_holds_it_is_read_or_broken(told):
    with suppress(Broken):
        found = read(
            **{name: value for name, value in told.items() if name != "custom_id"},
        )
        assert bool(found.body) != bool(found.trouble)


async def test_a_server_of_batches_that_is_not_there_is_told_with_its_cause():
    with batch_api() as api:
        pass
    async with BatchServer(access(Endpoint("m", api.url), {})) as server:
        server._client = server._client.with_options(max_retries=0)
        with pytest.raises(
            NotDone,
            match=r"cannot be reached: nothing listens on this port",
        ):
            await server.look("batch_1")
