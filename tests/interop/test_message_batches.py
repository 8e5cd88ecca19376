"""Anthropic's Message Batches: requests that it takes, and results that become judgments."""

import json
from typing import Any

import pytest

from appellate import load_audit
from appellate.cli import main
from appellate.core.problem import Refused
from appellate.interop.batches import any_row, params
from appellate.judges.batches import Broken
from batch_stage import CELLS, Line, answered, lines, requests, written
from batch_stage import answers as openai_answers

ID = "1-1-00000000-000000000000-000000000000"
SCHEMA = {"type": "object", "properties": {"value": {"type": "boolean"}}}
CHAT = {
    "model": "claude-x",
    "messages": [
        {"role": "system", "content": "Be fair."},
        {"role": "user", "content": "Rain?"},
    ],
    "max_completion_tokens": 500,
    "temperature": 0,
    "stop": "END",
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SCHEMA},
    },
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "config"))
    return written(tmp_path)


def test_a_chat_becomes_a_message_with_the_schema_as_the_tool_that_must_be_used():
    made = params(CHAT)
    assert made.pop("tools")[0]["input_schema"] == SCHEMA
    assert made == {
        "model": "claude-x",
        "max_tokens": 500,
        "temperature": 0,
        "stop_sequences": ["END"],
        "system": "Be fair.",
        "messages": [{"role": "user", "content": "Rain?"}],
        "tool_choice": {"type": "tool", "name": "answer"},
    }


def test_without_a_schema_there_is_no_tool_and_without_a_limit_there_is_one():
    plain = {"model": "m", "messages": [{"role": "user", "content": "Rain?"}]}
    assert params(plain) == plain | {"max_tokens": 8192}


def test_what_messages_have_no_place_for_is_refused_by_name():
    with pytest.raises(Refused, match='no "seed"'):
        params(CHAT | {"seed": 1})


def result(**fields: Any) -> Line:
    return {"custom_id": ID, "result": fields}


def message(*content: Line, stop: str = "end_turn") -> Line:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 7}
    inner = {
        "model": "claude-x-1",
        "content": list(content),
        "stop_reason": stop,
        "usage": usage,
    }
    return result(type="succeeded", message=inner)


def read(line: Line) -> Any:
    return any_row(json.dumps(line).encode())


def test_a_tool_use_is_the_answer_before_any_text_and_thoughts_stay_thoughts():
    thought = {"type": "thinking", "thinking": "Hm."}
    said = {"type": "text", "text": "Here it is."}
    used = {"type": "tool_use", "name": "answer", "input": {"value": True}}
    body = read(message(thought, said, used, stop="tool_use")).body
    choice = body["choices"][0]
    assert json.loads(choice["message"]["content"]) == {"value": True}
    assert (choice["message"]["reasoning_content"], choice["finish_reason"]) == (
        "Hm.",
        "stop",
    )
    assert (body["model"], body["usage"]["prompt_tokens"]) == ("claude-x-1", 15)
    assert body["usage"]["prompt_tokens_details"] == {"cached_tokens": 5}


@pytest.mark.parametrize(
    ("stop", "finish"),
    [("max_tokens", "length"), ("refusal", "refusal")],
)
def test_a_reply_that_was_cut_or_refused_says_so(stop, finish):
    body = read(message({"type": "text", "text": "I"}, stop=stop)).body
    assert body["choices"][0]["finish_reason"] == finish


def test_an_error_keeps_its_words_and_what_ended_before_its_turn_was_not_asked():
    error = {"type": "invalid_request_error", "message": "max_tokens: too many"}
    found = read(result(type="errored", error={"type": "error", "error": error}))
    assert (found.trouble.message, found.unasked) == ("max_tokens: too many", False)
    assert read(result(type="canceled")).unasked
    assert read(result(type="expired")).unasked


def of_anthropic(request: Line) -> Line:
    """The result that Anthropic would write to a request of ours."""
    params = request["params"]
    system = {"role": "system", "content": params["system"]}
    form = {"schema": params["tools"][0]["input_schema"]}
    body = {"model": params["model"], "messages": [system, *params["messages"]]}
    body["response_format"] = {"type": "json_schema", "json_schema": form}
    chat = answered({"custom_id": "", "url": "/v1/chat/completions", "body": body})
    content = chat["response"]["body"]["choices"][0]["message"]["content"]
    used = {"type": "tool_use", "name": "answer", "input": json.loads(content)}
    return message(used, stop="tool_use") | {"custom_id": request["custom_id"]}


def test_a_batch_goes_out_to_anthropic_and_comes_back_as_one_of_openai_does(
    files,
    capsys,
):
    export = [
        "batch",
        "export",
        "r.toml",
        "t.jsonl",
        "--model",
        "m",
        "--shape",
        "anthropic",
    ]
    assert main([*export, "-o", "b.jsonl"]) == 0
    made = requests(files / "b.jsonl")
    assert all(one.keys() == {"custom_id", "params"} for one in made)
    (files / "results.jsonl").write_bytes(lines(of_anthropic(one) for one in made))
    assert main(["batch", "import", "t.audit.toml", "results.jsonl"]) == 0
    assert f"{CELLS} judged" in capsys.readouterr().err
    theirs = [one.cell.labels for one in load_audit("t.audit.toml").cells]

    again = [
        "batch",
        "export",
        "r.toml",
        "t.jsonl",
        "--audit",
        "o.audit.toml",
        "--model",
        "m",
    ]
    assert main([*again, "-o", "o.jsonl"]) == 0
    (files / "o.out").write_bytes(lines(openai_answers(requests(files / "o.jsonl"))))
    assert main(["batch", "import", "o.audit.toml", "o.out"]) == 0
    assert [one.cell.labels for one in load_audit("o.audit.toml").cells] == theirs


def test_a_result_whose_type_is_no_word_is_broken():
    with pytest.raises(Broken, match="holds neither a response nor an error"):
        any_row(b'{"custom_id": "1", "result": {"type": []}}')
