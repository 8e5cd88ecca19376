"""OpenTelemetry's spans of generative AI: `gen_ai.*` as today and as it was, in attributes or in
events, with what Google's ADK and Pydantic AI add.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

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


class _Messages(NamedTuple):
    """The messages of a call of a model; a call, result or thought is a message of its own."""

    went_in: list[Row]
    came_out: list[Row]

    @property
    def are_any(self) -> bool:
        """Whether there is any message."""
        return bool(self.went_in or self.came_out)


def knows(spans: Sequence[Span]) -> bool:
    """Return whether one of some spans is of OpenTelemetry's GenAI, Pydantic AI or Google's ADK.

    It has an attribute that begins with `gen_ai.`, `pydantic_ai.` or `gcp.`, or an event
    `gen_ai.…`.
    """
    for span in spans:
        if any(namespace in span.attributes for namespace in _NAMESPACES):
            return True
        if any(event.name.startswith("gen_ai.") for event in span.events):
            return True
    return False


def read(spans: Sequence[Span], stem: str) -> ForeignFile:
    """Return the runs that OpenTelemetry's spans tell; `stem` names a trace without an id.

    Reading its traces raises NothingSaid if no trace has messages or a root's output.
    """
    return span_runs.read(spans, stem, FORM, MAPPING, words_of)


def words_of(span: Span) -> SpanWords:
    """Return what a span says by OpenTelemetry's names, or by Traceloop's, ADK's, Pydantic AI's.

    It has all fields of `SpanWords`: kind, messages in and out, the whole conversation of Pydantic
    AI, tool, agent, model, id of the conversation, input and output. What the span lacks is empty.
    A tool is there for any span, also for one whose kind is not `TOOL_USE`.
    """
    attributes = span.attributes
    messages = _messages(span)
    return SpanWords(
        kind=_kind(attributes, has_words=messages.are_any),
        messages_in=messages.went_in,
        messages_out=messages.came_out,
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
    if has_words or operation in _CALLS:
        return MODEL
    return OTHER


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
    """Return the use of a tool that an OpenTelemetry span tells; it may be called for any span.

    Its name is the span's if no attribute names the tool. What was not recorded is None for
    arguments and result, and "" for the id of the call. The error is "" if the span did not fail.
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
    """Return what a tool gave back, without the message of LangChain that it may be in.

    Of such a message, a table or JSON text of one with `content` and `tool_call_id`, it is the
    content. A result of MCP, with `content` and `isError`, is a table also if it was JSON text. Any
    other value is returned unchanged: JSON text stays text.
    """
    inner = parsed(value)
    if isinstance(inner, Mapping) and {"content", "tool_call_id"} <= inner.keys():
        return inner["content"]
    if isinstance(inner, Mapping) and {"content", "isError"} <= inner.keys():
        return inner
    return value


# -- messages -------------------------------------------------------------------------------------


def _messages(span: Span) -> _Messages:
    """Return the messages of a span's call of a model; none if the span has none.

    The newest convention by which the span has any is taken: today's attributes and detail events,
    else flat attributes, else ADK's, else older events.
    """
    for messages_by_convention in (
        _messages_of_today,
        _flat_messages,
        _adk_messages,
        _messages_in_events,
    ):
        messages = messages_by_convention(span)
        if messages.are_any:
            return messages
    return _Messages([], [])


def _messages_of_today(span: Span) -> _Messages:
    """Return the messages in a span's attributes and in its events of details.

    Both have `gen_ai.input.messages`, `gen_ai.output.messages` and the system's instructions, which
    go in before the input. What went in and what came out are each in one list, from the attributes
    first.
    """
    sources = [span.attributes]
    for event in span.events:
        if event.name == _DETAILS:
            sources.append(event.attributes)
    messages = _Messages([], [])
    for attributes in sources:
        messages.went_in.extend(_system_instructions(attributes))
        messages.went_in.extend(
            _messages_in_list(value_at(attributes, "gen_ai.input.messages")),
        )
        messages.came_out.extend(
            _messages_in_list(value_at(attributes, "gen_ai.output.messages")),
        )
    return messages


def _system_instructions(attributes: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a span's `gen_ai.system_instructions` as messages of the system; nothing without any.

    They may be a list of parts, also as JSON text, or one text. The texts of a list are one message
    together.
    """
    instructions = value_at(attributes, "gen_ai.system_instructions")
    if instructions is None:
        return
    parts = listed(instructions) or as_parts(instructions)
    yield from steps_of(SYSTEM, [part_of(part) for part in parts])


def _messages_in_list(value: object) -> Iterator[Row]:
    """Yield the messages in a list, or in JSON text of one, split as `chat` splits them.

    So each call, result and thought is a message, and texts between them are one together. An entry
    that is no table is a message by "unknown". Nothing for anything but a list.
    """
    for message in listed(value):
        if not isinstance(message, Mapping):
            yield from steps_of("unknown", [part_of(message)])
            continue
        yield from chat(message)


def chat(message: Mapping[str, Any]) -> Iterator[Row]:
    """Yield one chat message as several: thoughts, then words or a result, then its calls.

    Each call, result and thought is a message; texts and pictures between them are one together.
    Calls and thoughts are by the assistant, results by a tool. Words are in `parts`, else in
    `content`. A tool's message is one result for the call that its `tool_call_id` or `id` names,
    unless its parts are results themselves; without words the result is empty. A message without a
    role is by "unknown". Nothing for any other message without thoughts, words and calls.
    """
    role = str(message.get("role") or "unknown")
    name = message.get("name")
    parts = [part_of(part) for part in listed(message.get("parts"))]
    if not parts:
        parts = _content_parts(message.get("content"))
    for key in ("reasoning_content", "reasoning"):
        thoughts = message.get(key)
        if isinstance(thoughts, str) and thoughts.strip():
            yield from steps_of(role, [{"type": "reasoning", "text": thoughts}])
    is_tools = role in (TOOL, "function", "tool-response")
    if is_tools and not _are_results(parts):
        call_id = message.get("tool_call_id") or message.get("id")
        yield result(call_id, _content_of_result(parts), name=name)
    else:
        yield from steps_of(role, parts, name)
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
    """Return a tool result's content from its parts: the text of a lone text part, else a list of
    them.

    `parts` are in the one form of parts. [] without parts.
    """
    if len(parts) == 1:
        (part,) = parts
        if isinstance(part, Mapping) and part.get("type") == "text":
            return part.get("text")
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


def _flat_messages(span: Span) -> _Messages:
    """Return the messages in OpenLLMetry's flat attributes of a span.

    `gen_ai.prompt.0.content` and the like went in, and `gen_ai.completion.0.content` and the like
    came out. A prompt whose role is missing or null is a user's, such a completion the assistant's.
    """
    messages = _Messages([], [])
    for message in listed(value_at(span.attributes, "gen_ai.prompt")):
        if isinstance(message, Mapping):
            messages.went_in.extend(chat(with_role(message, USER)))
    for message in listed(value_at(span.attributes, "gen_ai.completion")):
        if isinstance(message, Mapping):
            messages.came_out.extend(chat(with_role(message, ASSISTANT)))
    return messages


def with_role(message: Mapping[str, Any], role: str) -> Row:
    """Return a copy of a message with `role` as its role, unless it has one that is not empty."""
    return {**message, "role": message.get("role") or role}


def _adk_messages(span: Span) -> _Messages:
    """Return the messages of a call of Gemini that Google's ADK notes on a span.

    The system's instruction comes before what else went in, and what came out is the assistant's,
    whatever roles they name. Both lists are empty if the span has none.
    """
    messages = _Messages([], [])
    request = parsed(value_at(span.attributes, "gcp.vertex.agent.llm_request"))
    if isinstance(request, Mapping):
        instruction = _as_content(value_at(request, "config.system_instruction"))
        of_system = _gemini_messages({**instruction, "role": SYSTEM})
        messages.went_in.extend(of_system)
        for content in listed(request.get("contents")):
            messages.went_in.extend(_gemini_messages(_as_content(content)))
    response = parsed(value_at(span.attributes, "gcp.vertex.agent.llm_response"))
    if isinstance(response, Mapping):
        answer = _as_content(response.get("content"))
        of_assistant = _gemini_messages({**answer, "role": ASSISTANT})
        messages.came_out.extend(of_assistant)
    return messages


def _as_content(value: object) -> Row:
    """Return a content of Gemini as a new table: a copy of a table, or a text as its only part.

    A text becomes `{"parts": [{"text": TEXT}]}`. "" and anything else become {}.
    """
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str) and value:
        return {"parts": [{"text": value}]}
    return {}


def _gemini_messages(content: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a content of Gemini as messages, in the order of its `parts`; nothing without parts.

    Each call, result and thought is a message. Calls and thoughts are by the assistant, and results
    by a tool, whatever the content's role is. Texts and pictures between them are one message
    together, by the role: "model" is the assistant, and a content without a role is a user's.
    """
    role = content.get("role") or USER
    if role == "model":
        role = ASSISTANT
    parts = [part_of(part) for part in listed(content.get("parts"))]
    yield from steps_of(role, parts)


def _messages_in_events(span: Span) -> _Messages:
    """Return the messages in a span's events, which is the older way to record them.

    Events `gen_ai.ROLE.message` and `gen_ai.content.prompt` have what went in;
    `gen_ai.choice` and `gen_ai.content.completion` have what came out. Messages and choices
    may also be in Pydantic AI's attribute `events`, and then come behind the others. All
    other events are passed over.
    """
    messages = _Messages([], [])
    for event in span.events:
        fields = dict(event.attributes)
        body = parsed(value_at(event.attributes, "gen_ai.event.content"))
        if isinstance(body, Mapping):
            fields = {**fields, **body}
        if event.name == "gen_ai.content.prompt":
            prompts = _messages_in_list(value_at(fields, "gen_ai.prompt"))
            messages.went_in.extend(prompts)
        elif event.name == "gen_ai.content.completion":
            completions = _messages_in_list(value_at(fields, "gen_ai.completion"))
            messages.came_out.extend(completions)
        else:
            _add_event(event.name, fields, messages.went_in, messages.came_out)
    for fields in listed(value_at(span.attributes, "events")):
        if isinstance(fields, Mapping):
            name = str(fields.get("event.name"))
            _add_event(name, fields, messages.went_in, messages.came_out)
    return messages


def _add_event(
    name: str,
    fields: Mapping[str, Any],
    messages_in: list[Row],
    messages_out: list[Row],
) -> None:
    """Add the messages of a span's event to `messages_in`, or `messages_out` for `gen_ai.choice`.

    Changes that list. `name` is the event's, and `fields` are its attributes. A choice is in
    `message`, else in `content`, with its calls beside it; without a role, or with null, it is the
    assistant's. The role in the name of `gen_ai.ROLE.message` counts only where `fields` have none.
    An event of any other name adds nothing.
    """
    if name == _CHOICE:
        message = parsed(fields.get("message", fields.get("content")))
        if not isinstance(message, Mapping):
            message = {"content": message}
        calls = {"tool_calls": fields["tool_calls"]} if "tool_calls" in fields else {}
        messages_out += chat(with_role({**calls, **message}, ASSISTANT))
        return
    role_of_event = _EVENT.fullmatch(name)
    if role_of_event is not None:
        messages_in += chat(with_role(fields, role_of_event["role"]))


def _all_messages(attributes: Mapping[str, Any]) -> list[Row]:
    """Return the whole conversation that Pydantic AI notes on an agent's span; [] without one.

    It is in `pydantic_ai.all_messages`, before which the system's instructions come, else in the
    events of `all_messages_events`. Messages are split as `chat` splits them: a call, result or
    thought is one of its own.
    """
    messages = value_at(attributes, "pydantic_ai.all_messages")
    if messages is not None:
        return [*_system_instructions(attributes), *_messages_in_list(messages)]
    messages_in: list[Row] = []
    for fields in listed(value_at(attributes, "all_messages_events")):
        if isinstance(fields, Mapping):
            _add_event(str(fields.get("event.name")), fields, messages_in, messages_in)
    return messages_in
