"""Anthropic's Message Batches: requests as it takes them, and results as the completions that they
stand for.

A request is `{"custom_id", "params"}`; a result `{"custom_id", "result": {"type", …}}` with the
`message` that succeeded, or the `error`. A schema is asked for as the one tool that must be used.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from appellate.core.problem import Refused, quoted
from appellate.judges.batches import BatchRow, row
from appellate.judges.completion import count, mapping, mappings, text
from appellate.judging.batches import as_line, line_of

Row = dict[str, Any]

TOOL = "answer"
_SAME = ("model", "temperature", "top_p", "top_k", "metadata", "service_tier")
_RENAMED = {
    "max_completion_tokens": "max_tokens",
    "max_tokens": "max_tokens",
    "stop": "stop_sequences",
}
_ROOM = 8192
"""Tokens for a reply where the profile sets no limit: here every request needs one."""
_FORMATTED = ("messages", "response_format")


def request_line(custom_id: str, _path: str, body: Mapping[str, Any]) -> bytes:
    """The request for a chat's body, as a line of a file."""
    return as_line({"custom_id": custom_id, "params": params(body)})


SHAPES: Mapping[str, Callable[[str, str, Mapping[str, Any]], bytes]] = {
    "openai": line_of,
    "anthropic": request_line,
}
"""How a request is written, by the batch files that it is for."""


def params(body: Mapping[str, Any]) -> Row:
    """What Messages takes for the body of a chat; raises Refused for what it has no place for."""
    strange = [name for name in body if name not in (*_SAME, *_RENAMED, *_FORMATTED)]
    if strange:
        raise Refused(f"Anthropic's Messages have no {quoted(strange[0])}: ask without it.")
    made: Row = {"max_tokens": _ROOM}
    made |= {name: body[name] for name in _SAME if name in body}
    made |= {ours: body[theirs] for theirs, ours in _RENAMED.items() if theirs in body}
    if isinstance(made.get("stop_sequences"), str):
        made["stop_sequences"] = [made["stop_sequences"]]
    system = [one["content"] for one in body["messages"] if one["role"] == "system"]
    if system:
        made["system"] = "\n\n".join(system)
    made["messages"] = [one for one in body["messages"] if one["role"] != "system"]
    schema = mapping(mapping(body.get("response_format")).get("json_schema")).get("schema")
    if schema:
        about = "The answer, whole: every field of it."
        made["tools"] = [{"name": TOOL, "description": about, "input_schema": schema}]
        made["tool_choice"] = {"type": "tool", "name": TOOL}
    return made


# -- results --------------------------------------------------------------------------------------


def any_row(line: bytes) -> BatchRow:
    """What a line of results says, whoever wrote it; raises Broken."""
    return row(line, _as_completion)


def _as_completion(value: Row) -> Row:
    """A result of Anthropic's as OpenAI would write it; any other value is what it was."""
    result = mapping(value.get("result"))
    if result.get("type") not in _SORTS:
        return value
    return {"custom_id": value.get("custom_id")} | _SORTS[result["type"]](result)


def _succeeded(result: Mapping[str, Any]) -> Row:
    message = mapping(result.get("message"))
    blocks = mappings(message.get("content"))
    answer = "".join(text(block.get("text")) for block in blocks if block.get("type") == "text")
    for block in blocks:
        if block.get("type") == "tool_use" and block.get("name") == TOOL:
            answer = json.dumps(block.get("input"), ensure_ascii=False)
    choice = {
        "message": {"content": answer, "reasoning_content": "".join(_thoughts(blocks))},
        "finish_reason": _FINISHED.get(text(message.get("stop_reason")), "stop"),
    }
    model, usage = message.get("model"), _usage(mapping(message.get("usage")))
    body = {"model": model, "choices": [choice], "usage": usage}
    return {"response": {"status_code": 200, "body": body}}


def _thoughts(blocks: list[Row]) -> Iterator[str]:
    for block in blocks:
        if block.get("type") == "thinking":
            yield text(block.get("thinking"))


_FINISHED = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


def _usage(usage: Mapping[str, Any]) -> Row:
    """Tokens as OpenAI counts them: those of the cache are among those that came in."""
    read = count(usage.get("cache_read_input_tokens")) or 0
    made = count(usage.get("cache_creation_input_tokens")) or 0
    came = count(usage.get("input_tokens"))
    return {
        "prompt_tokens": None if came is None else came + read + made,
        "completion_tokens": count(usage.get("output_tokens")),
        "prompt_tokens_details": {"cached_tokens": read},
    }


def _errored(result: Mapping[str, Any]) -> Row:
    error = mapping(result.get("error"))
    inner = mapping(error.get("error")) or error
    return {"error": inner or {"message": "no reason given"}}


def _unasked(_result: Mapping[str, Any]) -> Row:
    return {"error": {"code": "batch_expired", "message": "The batch ended before its turn."}}


_SORTS: Mapping[str, Callable[[Mapping[str, Any]], Row]] = {
    "succeeded": _succeeded,
    "errored": _errored,
    "canceled": _unasked,
    "expired": _unasked,
}
