"""OpenInference's spans (Phoenix, Langfuse): `llm.input_messages` and the like, with dots in their
names or nested. Spans of a trace that are OpenTelemetry's own are read as such.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from appellate.core.messages import ASSISTANT, USER
from appellate.interop.foreign import ForeignFile, Row
from appellate.interop.python_literals import literal_value
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
    """Return whether one of some spans has OpenInference's kind (`openinference.span.kind`)."""
    return any(value_at(span.attributes, _KIND) is not None for span in spans)


def read(spans: Sequence[Span], stem: str) -> ForeignFile:
    """Return the runs that spans of OpenInference tell; `stem` names a trace without an id.

    Reading its traces raises NothingSaid if no trace has messages or a root's output.
    """
    return span_runs.read(spans, stem, FORM, MAPPING, words_of)


def words_of(span: Span) -> SpanWords:
    """Return what one span says by OpenInference's names: kind, messages, tool, agent, model.

    A span without OpenInference's kind is read as OpenTelemetry's. Where a call of a model has no
    messages, its prompts and choices, or its input and output as text, are taken; for an agent its
    input and output, if they are plain words. An agent without a name has that of its span. What
    the span lacks is empty.
    """
    attributes = span.attributes
    kind = value_at(attributes, _KIND)
    if kind is None:
        return otel.words_of(span)
    kind = _KINDS.get(str(kind).upper(), OTHER)
    messages_in = _messages(value_at(attributes, "llm.input_messages"), "unknown")
    messages_out = _messages(value_at(attributes, "llm.output_messages"), ASSISTANT)
    if kind == MODEL and not messages_in:
        messages_in = _messages_of_prompts(attributes)
    if kind == MODEL and not messages_out:
        messages_out = _plain_words(attributes, "output", ASSISTANT)
        messages_out = messages_out or _prompts(attributes, "llm.choices")
    if kind == AGENT:
        messages_in = messages_in or _plain_words(attributes, "input", USER)
        messages_out = messages_out or _plain_words(attributes, "output", ASSISTANT)
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
    """Return the use of a tool that an OpenInference span tells.

    Its name is the span's if no attribute names the tool. What was not recorded is None for
    arguments and result, and "" for the id of the call. An output that is a message of LangChain
    gives its content as result, and its `tool_call_id` where no attribute has the id. The error is
    "" if the span did not fail.
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


def _messages(value: object, missing_role: str) -> list[Row]:
    """Return the messages in an OpenInference attribute, in order; [] if the value is no list.

    Each call, result and thought is a message, and texts and pictures between them are one
    together. A call that smolagents wrote as text (role "tool-call") is a call here, and the result
    after it ("tool-response") has its id. An entry without a role is by `missing_role`, and one
    that is no table by "unknown".
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
            steps += _message(otel.with_role(message, missing_role))
    return steps


def _message(message: Mapping[str, Any]) -> Iterator[Row]:
    """Yield an OpenInference message as several: its contents, then its calls.

    Each call, result and thought is a message, and texts and pictures between them are one
    together. A tool's message is the result of the call that its `tool_call_id` names, an empty one
    without contents. Calls are in `tool_calls`, or one in `function_call_name`. Nothing for any
    other message with neither contents nor calls.
    """
    said = {
        "role": message.get("role"),
        "tool_call_id": message.get("tool_call_id"),
        "name": message.get("name"),
        "content": _parts_of_message(message),
    }
    yield from otel.chat(said)
    for entry in listed(message.get("tool_calls")):
        yield _call(entry)
    function_name = message.get("function_call_name")
    if function_name:
        arguments = message.get("function_call_arguments_json")
        yield call(None, function_name, arguments)


def _parts_of_message(message: Mapping[str, Any]) -> list[Any]:
    """Return the parts of an OpenInference message: its `content`, then its `contents`.

    `content` may be a list of parts, or a text, which is one part. A picture or sound in `contents`
    is only its type and address. [] if the message has neither.
    """
    content = message.get("content")
    parts = list(listed(content))
    if isinstance(content, str):
        parts = as_parts(content)
    for entry in listed(message.get("contents")):
        part = entry
        if isinstance(entry, Mapping):
            part = entry.get("message_content", entry)
        parts.append(_part(part))
    return parts


def _part(part: object) -> Any:
    """Return a part of a message's content; a picture or a sound as `{"type", "url"}`.

    The address may hold the data itself. The type is "image" if the part names none. Any other
    table is copied, and what is no table is returned itself.
    """
    if not isinstance(part, Mapping):
        return part
    address = first_at(
        part,
        ("image.image.url", "image.url", "audio.url", "audio.audio.url"),
    )
    if address is not None:
        return {"type": str(part.get("type") or "image"), "url": address}
    return dict(part)


def _call(entry: object) -> Row:
    """Return a tool call in OpenInference's attributes as an assistant's message.

    It is in `tool_call` of the entry, or the entry itself, with `id`, `function.name` and
    `function.arguments`. Id and arguments that are missing are left out, and a missing name is "",
    as for an entry that is no table.
    """
    called = entry.get("tool_call", entry) if isinstance(entry, Mapping) else {}
    name = value_at(called, "function.name")
    return call(value_at(called, "id"), name, value_at(called, "function.arguments"))


def _text(message: Mapping[str, Any]) -> str:
    """Return all texts of an OpenInference message on lines of their own; "" if there are none.

    Pictures and sounds are left out.
    """
    texts: list[str] = []
    for message_part in _parts_of_message(message):
        part = part_of(message_part)
        text = part.get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str):
            texts.append(text)
    return "\n".join(texts)


_CALLING = re.compile(r"\s*Calling tools:\s*(?P<calls>\[.*\])\s*", re.DOTALL)


def _written_call(text: str) -> Row:
    """Return a call that smolagents wrote as text ("Calling tools: [...]") as a message.

    Its arguments are the whole text. Name and id are empty if the text is not of that form. Nothing
    in it is run.
    """
    name = ""
    call_id = ""
    call_match = _CALLING.fullmatch(text)
    if call_match is not None:
        try:
            (called,) = literal_value(call_match["calls"])
            name = str(called["function"]["name"])
            call_id = str(called["id"])
        except (ValueError, TypeError, LookupError):
            pass
    return call(call_id, name, text)


# -- values ---------------------------------------------------------------------------------------


def _plain_words(
    attributes: Mapping[str, Any],
    side: Literal["input", "output"],
    role: str,
) -> list[Row]:
    """Return an OpenInference span's input or output as one message if it is plain words, or [].

    [] for JSON, by its media type or, without one, by its first character; [] for none, too. `side`
    is "input" or "output", and `role` whose words they are.
    """
    value = value_at(attributes, f"{side}.value")
    if not isinstance(value, str) or not value.strip():
        return []
    mime = text_at(attributes, f"{side}.mime_type")
    is_json = mime == "application/json"
    if not mime:
        is_json = value.lstrip().startswith(("{", "["))
    if is_json:
        return []
    return list(steps_of(role, as_parts(value)))


def _messages_of_prompts(attributes: Mapping[str, Any]) -> list[Row]:
    """Return what an OpenInference call of a model was given, if its messages were not recorded.

    They are its prompts as a user's messages. Without any they are the tables in the list
    `messages` of an input that is JSON, and without such a list the input as a user's words if it
    is plain. [] if it has none of these, and for a list `messages` without tables.
    """
    prompts = _prompts(attributes, "llm.prompts")
    if prompts:
        return prompts
    value = parsed(value_at(attributes, "input.value"))
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        steps: list[Row] = []
        for message in value["messages"]:
            if isinstance(message, Mapping):
                steps += otel.chat(message)
        return steps
    return _plain_words(attributes, "input", USER)


def _prompts(
    attributes: Mapping[str, Any],
    path: Literal["llm.prompts", "llm.choices"],
) -> list[Row]:
    """Return the prompts or choices of an OpenInference completion as messages.

    `path` is "llm.prompts", which are a user's, or "llm.choices", which are the assistant's. An
    entry without a text is the content itself. An empty one gives no message, and one with calls or
    thoughts a message for each. [] if there is no list.
    """
    role = USER if path == "llm.prompts" else ASSISTANT
    messages: list[Row] = []
    for entry in listed(value_at(attributes, path)):
        content = first_at(entry, ("prompt.text", "completion.text"))
        if content is None:
            content = entry
        messages += steps_of(role, as_parts(content))
    return messages
