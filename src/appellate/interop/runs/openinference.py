"""OpenInference's spans (Phoenix, Langfuse): `llm.input_messages` and the like, with dots in their
names or nested. Spans of a trace that are OpenTelemetry's own are read as such.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appellate.core.messages import ASSISTANT, USER
from appellate.interop.foreign import ForeignFile, Row
from appellate.interop.runs import otel, span_runs
from appellate.interop.runs.span_words import (
    AGENT,
    MODEL,
    OTHER,
    TOOL_USE,
    SpanWords,
    ToolUse,
    as_parts,
    call,
    part_of,
    result,
    steps_of,
)
from appellate.interop.runs.spans import (
    Span,
    first_at,
    listed,
    parsed,
    text_at,
    value_at,
)

FORM = "OpenInference spans"
MAPPING = {
    "id": "trace_id; of further agents with span_id",
    "messages": "llm.input_messages, llm.output_messages of the calls, in their order",
    "response": "llm.output_messages (the assistant's last words)",
    "model": "llm.model_name",
    "metadata.agent": "graph.node.id, agent.name, else the name of the AGENT span",
    "metadata.parent": "the trace of the agent around this one",
    "metadata.conversation": "session.id",
}
_KIND = "openinference.span.kind"
_KINDS = {"LLM": MODEL, "AGENT": AGENT, "TOOL": TOOL_USE}
_CALL = "tool-call"
_RESPONSE = "tool-response"
"""Roles of smolagents: what its code calls, and what came of it."""


def knows(spans: Sequence[Span]) -> bool:
    """Return whether spans have a kind of OpenInference's."""
    return any(value_at(span.attributes, _KIND) is not None for span in spans)


def read(spans: Sequence[Span], stem: str) -> ForeignFile:
    """Return the runs that the spans of a file are; a trace without an id is called by `stem`."""
    return span_runs.read(spans, stem, FORM, MAPPING, words_of)


def words_of(span: Span) -> SpanWords:
    """Return what a span says; one without OpenInference's kind is read as OpenTelemetry.

    If messages are missing, a model's prompts and choices, or the span's input and output as text,
    stand in for them. So do an agent's input and output.
    """
    attributes = span.attributes
    kind = value_at(attributes, _KIND)
    if kind is None:
        return otel.words_of(span)
    kind = _KINDS.get(str(kind).upper(), OTHER)
    messages_in = _messages(value_at(attributes, "llm.input_messages"))
    messages_out = _messages(value_at(attributes, "llm.output_messages"))
    if kind == MODEL and not messages_in:
        messages_in = _prompted(attributes)
    if kind == MODEL and not messages_out:
        messages_out = _plain(attributes, "output", ASSISTANT) or _prompts(
            attributes, "llm.choices"
        )
    if kind == AGENT:
        messages_in = messages_in or _plain(attributes, "input", USER)
        messages_out = messages_out or _plain(attributes, "output", ASSISTANT)
    agent = text_at(attributes, "graph.node.id", "agent.name")
    return SpanWords(
        kind=kind,
        messages_in=messages_in,
        messages_out=messages_out,
        tool=_tool(span) if kind == TOOL_USE else None,
        agent=agent or (span.name if kind == AGENT else ""),
        model=text_at(attributes, "llm.model_name"),
        conversation=text_at(attributes, "session.id"),
        input=text_at(attributes, "input.value"),
        output=text_at(attributes, "output.value"),
    )


def _tool(span: Span) -> ToolUse:
    """Return the use of a tool that a span of OpenInference tells.

    Without a name of a tool it has the span's. Arguments and result are None if they were not
    recorded, and the id is "".
    """
    attributes = span.attributes
    output = parsed(value_at(attributes, "output.value"))
    call_id = text_at(attributes, "tool.id", "tool_call.id")
    if not call_id and isinstance(output, Mapping):
        call_id = text_at(output, "tool_call_id")
    return ToolUse(
        name=text_at(attributes, "tool.name", "tool_call.function.name") or span.name,
        call_id=call_id,
        arguments=first_at(attributes, ("input.value", "tool_call.function.arguments")),
        result=otel.parsed_result(value_at(attributes, "output.value")),
        error=span.error,
    )


# -- messages -------------------------------------------------------------------------------------


def _messages(value: object) -> list[Row]:
    """Return the steps of OpenInference's messages; [] if the value is no list.

    A call that smolagents wrote as a message gives its id to the result that follows.
    """
    steps: list[Row] = []
    last_id = ""
    for entry in listed(value):
        message = entry.get("message", entry) if isinstance(entry, Mapping) else entry
        if not isinstance(message, Mapping):
            steps += steps_of("unknown", [part_of(message)])
        elif message.get("role") == _CALL:
            called = _written_call(_text(message))
            last_id = str(called["tool_calls"][0].get("id", ""))
            steps.append(called)
        elif message.get("role") == _RESPONSE:
            steps.append(result(last_id, _text(message)))
        else:
            steps += _message(message)
    return steps


def _message(message: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the steps of one message of OpenInference: its contents, then its calls."""
    calls = [_call(entry) for entry in listed(message.get("tool_calls"))]
    name = message.get("function_call_name")
    if name:
        calls.append(call(None, name, message.get("function_call_arguments_json")))
    table = {key: message.get(key) for key in ("role", "tool_call_id", "name")}
    yield from otel.chat({**table, "content": _contents(message)})
    yield from calls


def _contents(message: Mapping[str, Any]) -> list[Any]:
    """Return the parts of a message: `content` as a text or by numbers, then `contents`.

    Pictures and sounds of `contents` are only their type and address.
    """
    content = message.get("content")
    parts = list(listed(content)) if not isinstance(content, str) else as_parts(content)
    for entry in listed(message.get("contents")):
        part = (
            entry.get("message_content", entry) if isinstance(entry, Mapping) else entry
        )
        parts.append(_part(part))
    return parts


def _part(part: object) -> Any:
    """Return a part of a content; a picture or a sound only by its type and address.

    The address stays as it is, with the data if it holds them. The type is "image" if the part
    names none. Other tables are copied, and what is no table is returned itself.
    """
    if not isinstance(part, Mapping):
        return part
    address = first_at(
        part, ("image.image.url", "image.url", "audio.url", "audio.audio.url")
    )
    if address is not None:
        return {"type": str(part.get("type") or "image"), "url": address}
    return dict(part)


def _call(entry: object) -> Row:
    """Return a call of a tool in OpenInference's attributes as a message.

    What the entry lacks is left out of it, and a name is "".
    """
    called = entry.get("tool_call", entry) if isinstance(entry, Mapping) else {}
    name = value_at(called, "function.name")
    return call(value_at(called, "id"), name, value_at(called, "function.arguments"))


def _text(message: Mapping[str, Any]) -> str:
    """Return all texts in a message on lines of their own; "" if there are none."""
    parts = [part_of(part) for part in _contents(message)]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


_CALLING = re.compile(r"\s*Calling tools:\s*(?P<calls>\[.*\])\s*", re.DOTALL)


def _written_call(text: str) -> Row:
    """Return a call that smolagents wrote as a text; its words stay as they are.

    Name and id are "" if the text cannot be read. No code in it is run.
    """
    name = ""
    call_id = ""
    call_match = _CALLING.fullmatch(text)
    if call_match is not None:
        try:
            (called,) = ast.literal_eval(call_match["calls"])  # no code is run by it
            name = str(called["function"]["name"])
            call_id = str(called["id"])
        except (
            ValueError,
            SyntaxError,
            TypeError,
            LookupError,
            MemoryError,
            RecursionError,
        ):
            pass
    return call(call_id, name, text)


# -- values ---------------------------------------------------------------------------------------


def _plain(attributes: Mapping[str, Any], side: str, role: str) -> list[Row]:
    """Return the words that a span has as its input or output; [] if these are a program's.

    `side` is "input" or "output". JSON is a program's. `role` is whose words they are.
    """
    value = value_at(attributes, f"{side}.value")
    if not isinstance(value, str) or not value.strip():
        return []
    mime = text_at(attributes, f"{side}.mime_type")
    if mime == "application/json" or (
        not mime and value.lstrip().startswith(("{", "["))
    ):
        return []
    return list(steps_of(role, as_parts(value)))


def _prompted(attributes: Mapping[str, Any]) -> list[Row]:
    """Return what a model without messages was given: its prompts, else its input.

    An input that is JSON with messages gives these; other JSON gives [].
    """
    prompts = _prompts(attributes, "llm.prompts")
    if prompts:
        return prompts
    value = parsed(value_at(attributes, "input.value"))
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        tables = [
            message for message in value["messages"] if isinstance(message, Mapping)
        ]
        return [step for message in tables for step in otel.chat(message)]
    return _plain(attributes, "input", USER)


def _prompts(attributes: Mapping[str, Any], path: str) -> list[Row]:
    """Return the texts of a completion as messages: `llm.prompts.0.prompt.text`, `llm.choices.0…`.

    Prompts are the user's, and all others the assistant's. [] if there is no list under `path`.
    """
    role = USER if path == "llm.prompts" else ASSISTANT
    steps: list[Row] = []
    for entry in listed(value_at(attributes, path)):
        text = first_at(entry, ("prompt.text", "completion.text"))
        steps += steps_of(role, as_parts(text if text is not None else entry))
    return steps
