"""The Responses API in place of Chat Completions: what is sent, and what comes back."""

from collections.abc import Mapping
from typing import Any

from appellate.judges.capabilities import Capabilities
from appellate.judges.coerce import count, decoded, mapping, mappings, parsed, short, text
from appellate.judges.completion import Completion, Trouble, charged, read_error, spoken
from appellate.talk.dialogue import Form, Prompt

_NO_HEADERS: Mapping[str, str] = {}


def written(prompt: Prompt, able: Capabilities) -> dict[str, Any]:
    """The prompt's part of a request."""
    form = prompt.form(listed=not able.holds(prompt))
    if able.system:
        return {"instructions": prompt.system, "input": form.user} | _format(form, able)
    return {"input": f"{prompt.system}\n\n{form.user}"} | _format(form, able)


def _format(form: Form, able: Capabilities) -> dict[str, Any]:
    match able.reply_format:
        case "json_schema":
            named = {"type": "json_schema", "name": "answer", "strict": True, "schema": form.schema}
            return {"text": {"format": named}}
        case "json_object":
            return {"text": {"format": {"type": "json_object"}}}
        case "text":
            return {}


def is_one(value: object) -> bool:
    """Whether the value of a body is a response, and no chat completion."""
    fields = mapping(value)
    return fields.get("object") == "response" or ("output" in fields and "choices" not in fields)


def read(body: bytes, headers: Mapping[str, str] = _NO_HEADERS) -> Completion | Trouble:
    """The response in the body of a 200, or what is wrong with it."""
    value = mapping(parsed(body))
    if value.get("error"):
        return read_error(200, body, {})
    if not isinstance(value.get("output"), list) or value.get("status") in ("failed", "cancelled"):
        return Trouble(200, f"no response: {short(decoded(body))}", decoded(body))
    return _completion(value, charged(value, headers))


def _completion(value: Mapping[str, Any], cost: float | None) -> Completion:
    usage = mapping(value.get("usage"))
    thinking = count(mapping(usage.get("output_tokens_details")).get("reasoning_tokens"))
    thought = _texts(value, "reasoning", "text")
    wording, unfinished = spoken(_texts(value, "message", "text"), thought, thinking)
    refusal = _texts(value, "message", "refusal")
    filtered = mapping(value.get("incomplete_details")).get("reason") == "content_filter"
    return Completion(
        text=wording,
        cut=not filtered and not refusal and (unfinished or value.get("status") == "incomplete"),
        refusal=refusal,
        filtered=filtered,
        model=text(value.get("model")) or None,
        tokens_in=count(usage.get("input_tokens")),
        tokens_out=count(usage.get("output_tokens")),
        cached=count(mapping(usage.get("input_tokens_details")).get("cached_tokens")),
        cost=cost,
    )


def _texts(value: Mapping[str, Any], of: str, what: str) -> str:
    """The texts, or the refusals, of all messages; the texts of all reasoning."""
    wording = ""
    for item in mappings(value.get("output")):
        if item.get("type") == of:
            for part in mappings(item.get("content")):
                wording += text(part.get(what))
    return wording
