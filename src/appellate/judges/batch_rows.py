"""Reading the lines that batch engines write: OpenAI's Batch API, `vllm run-batch`, LiteLLM, Ray Data.

Each has its own way to say that a request failed, and some leave out the envelope around the
completion. Nothing here trusts a type.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from appellate.judges.completion import LONGEST_RAW, Trouble, read_error
from appellate.judges.endpoint import secretless

_EXPIRED = ("batch_expired", "batch_cancelled")
_OK = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One answered line: the completion's body, or the trouble in its place; `unasked` where nobody was asked."""

    custom_id: str
    body: Mapping[str, Any] = field(default_factory=dict)
    trouble: Trouble | None = None

    @property
    def unasked(self) -> bool:
        """Whether the batch ended before this line's turn came, which says nothing about the cell."""
        return self.trouble is not None and self.trouble.code in _EXPIRED


class Broken(Exception):
    """A line that is no answer to anything; the message says why."""


def row(line: bytes) -> Row:
    """What one line of a result or error file says; raises Broken."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise Broken("is not JSON") from None
    if not isinstance(value, dict):
        raise Broken("is not an object")
    custom_id = value.get("custom_id")
    if not isinstance(custom_id, str) or not custom_id:
        raise Broken("has no custom_id")
    if "method" in value and "url" in value and not _answer(value):
        raise Broken("is a request, not an answer")
    return _read(custom_id, value)


def _read(custom_id: str, value: Mapping[str, Any]) -> Row:
    answer, error = _answer(value), value.get("error") or value.get("__inference_error__")
    status = answer.get("status_code", _OK)
    if not isinstance(status, int) or isinstance(status, bool):
        raise Broken("has a status_code that is no number")
    body = _object(answer["body"]) if "body" in answer else answer if "status_code" not in answer else {}
    if status == _OK and not error and body:
        return Row(custom_id, body)
    if not (error or body or answer):
        raise Broken("holds neither a response nor an error")
    said = {"error": _inner(error)} if error else body or {"error": "no reason given"}
    return Row(custom_id, trouble=_trouble(status, said))


def _answer(value: Mapping[str, Any]) -> dict[str, Any]:
    """The part with the answer in it, as a response, an HTTP response or a generated text."""
    for name in ("response", "http_response"):
        if found := _object(value.get(name)):
            return found
    return _generated(value) if isinstance(value.get("generated_text"), str) else {}


def _generated(value: Mapping[str, Any]) -> dict[str, Any]:
    """The completion that a row of Ray Data stands for."""
    counts = {"prompt_tokens": value.get("num_input_tokens"), "completion_tokens": value.get("num_generated_tokens")}
    choice = {"message": {"content": value["generated_text"]}, "finish_reason": value.get("finish_reason") or "stop"}
    return {"choices": [choice], "usage": counts}


def _object(value: Any) -> dict[str, Any]:
    """An object, also where it is kept as a JSON string."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _inner(error: Any) -> Any:
    """The error itself: vLLM wraps it once more."""
    return error["error"] if isinstance(error, dict) and error.get("error") else error


def _trouble(status: int, said: Mapping[str, Any]) -> Trouble:
    text = secretless(json.dumps(said, ensure_ascii=False))
    trouble = read_error(status, text.encode("utf-8", "replace"), {})
    return replace(trouble, raw=trouble.raw[:LONGEST_RAW])
