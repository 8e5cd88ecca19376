"""OpenTelemetry's spans of generative AI: `gen_ai.*` as today and as it was, in attributes or in
events, with what Google's ADK and Pydantic AI add.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appellate.core.messages import ASSISTANT, SYSTEM, TOOL, USER
from appellate.interop.foreign import ForeignFile, Row
from appellate.interop.runs import span_runs
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

FORM = "OpenTelemetry GenAI spans"
MAPPING = {
    "id": "trace_id; of further agents with span_id",
    "messages": "gen_ai.input.messages, gen_ai.output.messages of the calls, in their order",
    "response": "gen_ai.output.messages (the assistant's last words)",
    "model": "gen_ai.response.model",
    "metadata.agent": "gen_ai.agent.name",
    "metadata.parent": "the trace of the agent around this one",
    "metadata.conversation": "gen_ai.conversation.id",
}
_NAMESPACES = ("gen_ai", "pydantic_ai", "gcp")
_CALLS = ("chat", "text_completion", "generate_content")
"""Operations that are a call of a model, also where its messages were not recorded."""
_DETAILS = "gen_ai.client.inference.operation.details"
_EVENT = re.compile(r"gen_ai\.(?P<role>system|user|assistant|tool)\.message")
_CHOICE = "gen_ai.choice"


def knows(spans: Sequence[Span]) -> bool:
    """Return whether one of some spans is of OpenTelemetry's GenAI, Pydantic AI or Google's ADK.

    It has an attribute that begins with `gen_ai.`, `pydantic_ai.` or `gcp.`, or an event
    `gen_ai.…`.
    """
    return any(_is_known(span) for span in spans)


def read(spans: Sequence[Span], stem: str) -> ForeignFile:
    """Return the runs that OpenTelemetry's spans tell; `stem` names a trace without an id."""
    return span_runs.read(spans, stem, FORM, MAPPING, words_of)


def words_of(span: Span) -> SpanWords:
    """Return what a span says by OpenTelemetry's names, or by Traceloop's, ADK's, Pydantic AI's.

    It has the kind, messages, tool, agent and model; what the span lacks is empty.
    """
    attributes = span.attributes
    messages_in, messages_out = _messages(span)
    return SpanWords(
        kind=_kind(attributes, has_words=bool(messages_in or messages_out)),
        messages_in=messages_in,
        messages_out=messages_out,
        all_messages=_all_messages(attributes),
        tool=_tool(span),
        agent=text_at(
            attributes,
            "gen_ai.agent.name",
            "agent_name",
            "traceloop.entity.name",
        ),
        model=text_at(
            attributes,
            "gen_ai.response.model",
            "gen_ai.request.model",
            "model_name",
        ),
        conversation=text_at(attributes, "gen_ai.conversation.id", "session.id"),
        input=text_at(attributes, "traceloop.entity.input", "input.value"),
        output=text_at(attributes, "traceloop.entity.output", "output.value"),
    )


def _is_known(span: Span) -> bool:
    """Return whether a span is of OpenTelemetry's GenAI, of Pydantic AI or of Google's ADK.

    It has an attribute that begins with `gen_ai.`, `pydantic_ai.` or `gcp.`, or an event
    `gen_ai.…`.
    """
    names = [event.name for event in span.events]
    return any(key in span.attributes for key in _NAMESPACES) or any(
        name.startswith("gen_ai.") for name in names
    )


def _kind(attributes: Mapping[str, Any], *, has_words: bool) -> str:
    """Return what a span is, by the first that fits: TOOL_USE, AGENT, MODEL (a call) or OTHER.

    A span with messages (`has_words`) is MODEL if it is neither of the first two.
    """
    operation = value_at(attributes, "gen_ai.operation.name")
    traceloop = value_at(attributes, "traceloop.span.kind")
    if operation == "execute_tool" or traceloop == "tool":
        return TOOL_USE
    is_agent = operation == "invoke_agent" or traceloop == "agent"
    if is_agent or "pydantic_ai" in attributes or "all_messages_events" in attributes:
        return AGENT
    return MODEL if has_words or operation in _CALLS else OTHER


# -- tools ----------------------------------------------------------------------------------------


_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "gcp.vertex.agent.tool_call_args",
    "tool_arguments",
    "traceloop.entity.input",
    "input.value",
)
_RESULT = (
    "gen_ai.tool.call.result",
    "gcp.vertex.agent.tool_response",
    "tool_response",
    "traceloop.entity.output",
    "output.value",
)


def _tool(span: Span) -> ToolUse:
    """Return the use of a tool that an OpenTelemetry span tells; its name is the span's if need be.

    Arguments and result are None if they were not recorded, and the id is "". Call it for any span.
    """
    attributes = span.attributes
    return ToolUse(
        name=text_at(attributes, "gen_ai.tool.name", "traceloop.entity.name")
        or span.name,
        call_id=text_at(attributes, "gen_ai.tool.call.id"),
        arguments=first_at(attributes, _ARGUMENTS),
        result=parsed_result(first_at(attributes, _RESULT)),
        error=span.error,
    )


def parsed_result(value: object) -> Any:
    """Return what a tool gave back, taken out of a message of LangChain that it may be in.

    LangChain's gives its content. A result of MCP as JSON text is parsed. Anything else is returned
    unchanged.
    """
    inner = parsed(value)
    if isinstance(inner, Mapping) and {"content", "tool_call_id"} <= inner.keys():
        return inner["content"]
    if isinstance(inner, Mapping) and {"content", "isError"} <= inner.keys():
        return inner
    return value


# -- messages -------------------------------------------------------------------------------------


def _messages(span: Span) -> tuple[list[Row], list[Row]]:
    """Return (messages that went into a span's call, messages that came out), both [] without any.

    The newest convention that the span has is taken: attributes and detail events, then flat
    attributes, ADK's, older events.
    """
    attributes = span.attributes
    messages_in = list(_system_instructions(attributes))
    messages_in += _typed(value_at(attributes, "gen_ai.input.messages"))
    messages_out = list(_typed(value_at(attributes, "gen_ai.output.messages")))
    for event in span.events:
        if event.name == _DETAILS:
            messages_in += _system_instructions(event.attributes)
            messages_in += _typed(value_at(event.attributes, "gen_ai.input.messages"))
            messages_out += _typed(value_at(event.attributes, "gen_ai.output.messages"))
    if messages_in or messages_out:
        return messages_in, messages_out
    for reading in (_flat_messages, _adk_messages, _messages_in_events):
        messages_in, messages_out = reading(span)
        if messages_in or messages_out:
            return messages_in, messages_out
    return [], []


def _system_instructions(attributes: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a span's `gen_ai.system_instructions` as messages of the system; nothing without any.

    They may be a list of parts, also as JSON text, or one text.
    """
    instructions = value_at(attributes, "gen_ai.system_instructions")
    if instructions is None:
        return
    parts = listed(instructions) or as_parts(instructions)
    yield from steps_of(SYSTEM, [part_of(part) for part in parts])


def _typed(value: object) -> Iterator[Row]:
    """Yield the messages in a list, or in JSON text of one, split into one step each.

    An entry that is no table is a message by "unknown". Nothing for anything but a list.
    """
    for message in listed(value):
        if not isinstance(message, Mapping):
            yield from steps_of("unknown", [part_of(message)])
            continue
        yield from chat(message)


def chat(message: Mapping[str, Any]) -> Iterator[Row]:
    """Yield one chat message as messages of one step each: thoughts, words or a result, then calls.

    Words are in `parts`, else in `content`. A message without a role is by "unknown".
    """
    role = str(message.get("role") or "unknown")
    parts = [part_of(part) for part in listed(message.get("parts"))]
    parts = parts or _content_parts(message.get("content"))
    for key in ("reasoning_content", "reasoning"):
        if isinstance(message.get(key), str) and message[key].strip():
            yield from steps_of(role, [{"type": "reasoning", "text": message[key]}])
    call_id = message.get("tool_call_id") or message.get("id")
    if role in (TOOL, "function", "tool-response") and not _are_results(parts):
        yield result(call_id, _content_of_result(parts), name=message.get("name"))
    else:
        yield from steps_of(role, parts, message.get("name"))
    for called in listed(message.get("tool_calls")):
        if isinstance(called, Mapping):
            yield _call(called)


def _content_parts(content: object) -> list[Any]:
    """Return a message's content as parts in one form; a list of tables may be JSON text.

    A text is one part; [] for None and "".
    """
    parts = parsed(content)
    is_list = isinstance(parts, list)
    if not is_list or not all(isinstance(part, Mapping) for part in parts):
        parts = as_parts(content)
    return [part_of(part) for part in parts]


def _are_results(parts: Sequence[Any]) -> bool:
    """Return whether one of a message's parts, in the one form of parts, is a tool's result."""
    return any(
        isinstance(part, Mapping) and part.get("type") == "tool_result"
        for part in parts
    )


def _content_of_result(parts: Sequence[Any]) -> Any:
    """Return a tool result's content from its parts: a lone text, else the list of parts.

    [] without parts.
    """
    if (
        len(parts) == 1
        and isinstance(parts[0], Mapping)
        and parts[0].get("type") == "text"
    ):
        return parts[0].get("text")
    return list(parts)


def _call(called: Mapping[str, Any]) -> Row:
    """Return a tool call, as OpenAI's chat or OpenLLMetry has it, as an assistant's message.

    Id and arguments that are missing are left out, and a missing name is "".
    """
    inner = called.get("function")
    table = inner if isinstance(inner, Mapping) else called
    return call(
        called.get("id"),
        table.get("name"),
        table.get("arguments", table.get("args")),
    )


# -- older ways -----------------------------------------------------------------------------------


def _flat_messages(span: Span) -> tuple[list[Row], list[Row]]:
    """Return (messages in, messages out) from OpenLLMetry's flat attributes of a span.

    Such are `gen_ai.prompt.0.content` and `gen_ai.completion.0.content`. [] for either without any.
    A prompt without a role is a user's, a completion the assistant's.
    """
    messages_in: list[Row] = []
    for message in listed(value_at(span.attributes, "gen_ai.prompt")):
        if isinstance(message, Mapping):
            messages_in += chat({"role": USER, **message})
    messages_out: list[Row] = []
    for message in listed(value_at(span.attributes, "gen_ai.completion")):
        if isinstance(message, Mapping):
            messages_out += chat({"role": ASSISTANT, **message})
    return messages_in, messages_out


def _adk_messages(span: Span) -> tuple[list[Row], list[Row]]:
    """Return (messages in, messages out) that Google's ADK notes of a call of Gemini on a span.

    [] for either that was not noted.
    """
    request = parsed(value_at(span.attributes, "gcp.vertex.agent.llm_request"))
    response = parsed(value_at(span.attributes, "gcp.vertex.agent.llm_response"))
    messages_in: list[Row] = []
    messages_out: list[Row] = []
    if isinstance(request, Mapping):
        instruction = value_at(request, "config.system_instruction")
        messages_in += _gemini_messages({"role": SYSTEM, **_as_content(instruction)})
        for content in listed(request.get("contents")):
            messages_in += _gemini_messages(_as_content(content))
    if isinstance(response, Mapping):
        messages_out += _gemini_messages(
            {"role": ASSISTANT, **_as_content(response.get("content"))},
        )
    return messages_in, messages_out


def _as_content(value: object) -> Row:
    """Return a content of Gemini as a new table: a table's copy, or a text as its one of `parts`.

    {} for "" and for anything else.
    """
    if isinstance(value, Mapping):
        return dict(value)
    return {"parts": [{"text": value}]} if isinstance(value, str) and value else {}


def _gemini_messages(content: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a content of Gemini as messages of one step each, by its role.

    "model" is the assistant, and a content without a role is a user's. Nothing without `parts`.
    """
    role = content.get("role") or USER
    if role == "model":
        role = ASSISTANT
    parts = [part_of(part) for part in listed(content.get("parts"))]
    yield from steps_of(role, parts)


def _messages_in_events(span: Span) -> tuple[list[Row], list[Row]]:
    """Return (messages in, messages out) from the events of a span, as `gen_ai.user.message`.

    `gen_ai.choice` is one that came out. Both are [] without such events.
    """
    messages_in: list[Row] = []
    messages_out: list[Row] = []
    for event in span.events:
        fields = dict(event.attributes)
        body = parsed(value_at(event.attributes, "gen_ai.event.content"))
        if isinstance(body, Mapping):
            fields = {**fields, **body}
        if event.name == "gen_ai.content.prompt":
            messages_in += _typed(value_at(fields, "gen_ai.prompt"))
        elif event.name == "gen_ai.content.completion":
            messages_out += _typed(value_at(fields, "gen_ai.completion"))
        else:
            _add_event(event.name, fields, messages_in, messages_out)
    for fields in listed(value_at(span.attributes, "events")):
        if isinstance(fields, Mapping):
            _add_event(str(fields.get("event.name")), fields, messages_in, messages_out)
    return messages_in, messages_out


def _add_event(
    name: str,
    fields: Mapping[str, Any],
    messages_in: list[Row],
    messages_out: list[Row],
) -> None:
    """Add the messages of a span's event to `messages_in`, or `messages_out` for `gen_ai.choice`.

    Changes that list. `fields` are the event's attributes. An event of any other name than
    `gen_ai.ROLE.message` adds nothing.
    """
    if name == _CHOICE:
        message = parsed(fields.get("message", fields.get("content")))
        if not isinstance(message, Mapping):
            message = {"content": message}
        calls = {"tool_calls": fields["tool_calls"]} if "tool_calls" in fields else {}
        messages_out += chat({"role": ASSISTANT, **calls, **message})
        return
    role_of_event = _EVENT.fullmatch(name)
    if role_of_event is not None:
        messages_in += chat({"role": role_of_event["role"], **fields})


def _all_messages(attributes: Mapping[str, Any]) -> list[Row]:
    """Return the whole conversation that Pydantic AI notes on an agent's span, [] without one.

    The system's instructions come first.
    """
    messages = value_at(attributes, "pydantic_ai.all_messages")
    if messages is not None:
        return [*_system_instructions(attributes), *_typed(messages)]
    messages_in: list[Row] = []
    for fields in listed(value_at(attributes, "all_messages_events")):
        if isinstance(fields, Mapping):
            _add_event(str(fields.get("event.name")), fields, messages_in, messages_in)
    return messages_in
