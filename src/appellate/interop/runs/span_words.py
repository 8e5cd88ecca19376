"""What a span says, whatever names its attributes have: a call of a model with its messages, an
agent, a tool. `openinference` and `otel` make these; `span_runs` makes runs of them.

A message here is one step: a text, a thought, a call, or a result.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from appellate.core.messages import ASSISTANT, SYSTEM, TOOL, describe, role_of
from appellate.interop.foreign import Row, first_of

MODEL = "model"
AGENT = "agent"
TOOL_USE = "tool"
OTHER = ""
_PICTURES = ("image", "audio", "video", "document", "file")


class ToolUse(Struct, frozen=True):
    """One use of a tool, as the span of the tool has it."""

    name: str
    call_id: str
    """"" if the span does not say it."""
    arguments: Any
    result: Any
    """None if it was not recorded."""
    error: str
    """Why it failed; "" if it did not."""


class SpanWords(Struct, frozen=True):
    """What one span says."""

    kind: str
    """MODEL, AGENT, TOOL_USE or OTHER."""
    messages_in: Sequence[Row] = ()
    """The messages that went in."""
    messages_out: Sequence[Row] = ()
    """The messages that came out."""
    all_messages: Sequence[Row] = ()
    """The whole conversation, where a span of an agent has it."""
    tool: ToolUse | None = None
    agent: str = ""
    model: str = ""
    conversation: str = ""
    """What several traces have in common; "" if the span does not say it."""
    input: str = ""
    """What went in, as a span of any kind may note it; "" if it does not."""
    output: str = ""


# -- messages -------------------------------------------------------------------------------------


def steps_of(role: object, parts: Sequence[Any], name: object = None) -> Iterator[Row]:
    """Yield the parts of a message as messages, in order; nothing without parts.

    `parts` are tables with a `type`, or texts: "text", "tool_call", "tool_result", "reasoning", or
    that of a picture. Calls, results and thoughts each become a message, by the assistant or, for a
    result, by a tool; so does a part of any other type, by `role`. Texts and pictures between them
    are one message together. `role` is the message's: "tool-call" counts as the assistant, and
    "tool-response" as a tool. `name` is the speaker's of the texts, None for none.
    """
    role = _SPEAKERS.get(str(role), str(role))
    words: list[Any] = []
    for part in parts:
        kind = str(part.get("type")) if isinstance(part, Mapping) else "text"
        if kind in ("text", *_PICTURES):
            words.append(part)
            continue
        yield from _message_of_words(role, words, name)
        words = []
        yield _step(role, kind, part)
    yield from _message_of_words(role, words, name)


_SPEAKERS = {"tool-response": TOOL, "tool-call": ASSISTANT, "tool_response": TOOL}
"""Roles that are no side of a conversation, and whose step such a message is."""


def _message_of_words(role: str, words: Sequence[Any], name: object) -> Iterator[Row]:
    """Yield one message with texts and pictures (`words`); nothing if there are none.

    A lone text is the content itself, otherwise the content is a list of parts. `name`, the
    speaker's, is added if it is a text.
    """
    if not words:
        return
    content: Any = list(words)
    if (
        len(words) == 1
        and isinstance(words[0], Mapping)
        and words[0].get("type") == "text"
    ):
        content = words[0].get("text")
    message: Row = {"role": role, "content": content}
    if name and isinstance(name, str):
        message["name"] = name
    yield message


def _step(role: str, kind: str, part: Mapping[str, Any]) -> Row:
    """Return one part that is no text as a message of its own: thoughts, a call or a result.

    Thoughts and a call are the assistant's, whatever `role` is; thoughts are in
    `reasoning_content`, with None as content. A result is a tool's. `kind` is the part's type. A
    part of any other type becomes a message by `role` with that part.
    """
    match kind:
        case "reasoning":
            return {
                "role": ASSISTANT,
                "content": None,
                "reasoning_content": part.get("text"),
            }
        case "tool_call":
            return call(part.get("id"), part.get("name"), part.get("arguments"))
        case "tool_result":
            return result(part.get("id"), part.get("content"), name=part.get("name"))
    return {"role": role, "content": [part]}


def call(call_id: object, name: object, arguments: object) -> Row:
    """Return an assistant's message with one tool call, as OpenAI's chat has it.

    The call is the one entry of its `tool_calls`, with a `function` of name and arguments; the
    content is None. Arguments that are no text become JSON; None is left out, and so is an empty
    id. A missing name is "".
    """
    function: Row = {"name": str(name or "")}
    if arguments is not None:
        function["arguments"] = describe(arguments)
    called: Row = {"function": function}
    if call_id:
        called["id"] = str(call_id)
    return {"role": ASSISTANT, "content": None, "tool_calls": [called]}


def result(
    call_id: object,
    content: object,
    *,
    name: object = None,
    error: object = None,
) -> Row:
    """Return a tool's message with what it gave back; the content is put in as it is.

    The call's id is its `tool_call_id`. An empty id, name or error is left out. A result of MCP
    that says it is an error gets `is_error`.
    """
    message: Row = {"role": TOOL, "content": content}
    if call_id:
        message["tool_call_id"] = str(call_id)
    if name:
        message["name"] = str(name)
    if error:
        message["error"] = error
    if isinstance(content, Mapping) and content.get("isError") is True:  # as MCP has it
        message["is_error"] = True
    return message


def is_system(message: Row) -> bool:
    """Return whether a message is the system's."""
    return role_of(message.get("role")) == SYSTEM


def as_parts(content: object) -> list[Any]:
    """Return a message's content as a list of parts: a list itself, a text as one text part.

    That part is `{"type": "text", "text": TEXT}`. [] for None and "". Anything else is the only
    part.
    """
    if isinstance(content, list):
        return content
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [content]


# -- parts ----------------------------------------------------------------------------------------


def part_of(part: object) -> Any:
    """Return a part of a message in the one form that `steps_of` takes, whichever library wrote it.

    That is a table with `type` "text" or "reasoning" (and `text`), "tool_call" (`id`, `name`,
    `arguments`), "tool_result" (`id`, `name`, `content`) or a picture's (`url`). What is no table
    becomes text. Bytes in it are left out. A part of an unknown type is copied as it is.
    """
    if not isinstance(part, Mapping):
        return {"type": "text", "text": describe(part)}
    if "type" not in part:
        return _part_without_type(part)
    kind = str(part["type"]).replace("-", "_")
    match kind:
        case "text" | "input_text" | "output_text":
            return {"type": "text", "text": _text(part, "text", "content")}
        case "reasoning" | "thinking":
            return {
                "type": "reasoning",
                "text": _text(part, "content", "text", "thinking"),
            }
        case "tool_call" | "server_tool_call" | "tool_use" | "function_call":
            return _call_part(part, kind)
        case (
            "tool_call_response"
            | "server_tool_call_response"
            | "tool_result"
            | "function_result"
        ):
            return _result_part(part, kind)
        case "blob" | "uri" | "file" | "binary":
            return _picture_part(part)
    if kind.startswith(_PICTURES) or kind.startswith("input_"):
        return _picture_part(part)
    return dict(part)


def _call_part(part: Mapping[str, Any], kind: str) -> Row:
    """Return a tool call as a part: `{"type": "tool_call", "id", "name", "arguments"}`.

    The values are taken from whichever keys a library uses; some have the arguments under
    the part's type, which is `kind`. Arguments stay as they were recorded: a table, or JSON
    as text. What is missing is None.
    """
    arguments = first_of(part, "arguments", "input", "args", kind)
    call_id = first_of(part, "id", "call_id")
    return {
        "type": "tool_call",
        "id": call_id,
        "name": part.get("name"),
        "arguments": arguments,
    }


def _result_part(part: Mapping[str, Any], kind: str) -> Row:
    """Return a tool's result as `{"type": "tool_result", "id", "name", "content"}`.

    The values are taken from whichever keys a library uses; some have the content under the
    part's type, which is `kind`. The content stays as it was recorded: a text, a table or a
    list. What is missing is None.
    """
    content = first_of(part, "response", "result", "content", "output", kind)
    call_id = first_of(part, "id", "tool_use_id", "call_id", "tool_call_id")
    return {
        "type": "tool_result",
        "id": call_id,
        "name": part.get("name"),
        "content": content,
    }


def _picture_part(part: Mapping[str, Any]) -> Row:
    """Return a picture, sound or file as `{"type", "url"}`, without its bytes.

    `part` must have a `type`. The new type is one of `_PICTURES`, by the part's modality or media
    type, else its own type; "file" if it is none of these. Without an address that is a text there
    is no "url". The address may be a file's id.
    """
    kind = str(part["type"]).replace("-", "_").removeprefix("input_")
    sort = str(
        part.get("modality") or part.get("mime_type") or part.get("media_type") or kind,
    )
    sort = sort.partition("/")[0].partition("_")[0].lower()
    if sort not in _PICTURES:
        sort = "file"
    address = first_of(
        part,
        "uri",
        "url",
        "path",
        "file_id",
        "image_url",
        "audio_url",
        "file_uri",
    )
    if isinstance(address, Mapping):
        address = address.get("url")
    source = part.get("source")
    if address is None and isinstance(source, Mapping):
        address = first_of(source, "url", "path", "file_id")
    if not isinstance(address, str):
        return {"type": sort}
    return {"type": sort, "url": address}


def _part_without_type(part: Mapping[str, Any]) -> Row:
    """Return a part without a `type`, as Google's and Bedrock's are, with a type of this reader.

    Its first known key says what it is: `text` is a text, or thoughts with `thought`;
    `functionCall` or `toolUse` a call; `functionResponse` or `toolResult` a result; `inlineData` or
    `fileData` a picture or file, without its bytes; `reasoningContent` thoughts; `image`,
    `document` and `video` only their type. Keys may be written with "_". Without a known key the
    whole part becomes text.
    """
    for key, inner in part.items():
        match str(key).replace("_", "").lower():
            case "text" if isinstance(inner, str):
                kind = "reasoning" if part.get("thought") is True else "text"
                return {"type": kind, "text": inner}
            case "functioncall" | "tooluse" if isinstance(inner, Mapping):
                arguments = first_of(inner, "args", "input", "arguments")
                call_id = first_of(inner, "id", "toolUseId")
                name = inner.get("name")
                return {
                    "type": "tool_call",
                    "id": call_id,
                    "name": name,
                    "arguments": arguments,
                }
            case "functionresponse" | "toolresult" if isinstance(inner, Mapping):
                content = first_of(inner, "response", "content")
                if isinstance(content, list):
                    content = [part_of(entry) for entry in content]
                call_id = first_of(inner, "id", "toolUseId")
                name = inner.get("name")
                return {
                    "type": "tool_result",
                    "id": call_id,
                    "name": name,
                    "content": content,
                }
            case "inlinedata" | "filedata" if isinstance(inner, Mapping):
                mime = first_of(inner, "mime_type", "mimeType")
                address = first_of(inner, "file_uri", "fileUri")
                return _picture_part(
                    {"type": "file", "mime_type": mime, "uri": address},
                )
            case "reasoningcontent" if isinstance(inner, Mapping):
                text = inner.get("reasoningText", inner)
                return {"type": "reasoning", "text": _text(text, "text")}
            case "image" | "document" | "video" if isinstance(inner, Mapping):
                return {"type": str(key)}
    return {"type": "text", "text": describe(dict(part))}


def _text(part: object, *keys: str) -> str:
    """Return the text of a part: itself if it is a text, else the first value other than None under
    `keys`.

    A value that is no text becomes JSON; "" counts as a value. "" if there is no value, and for
    anything but text or table.
    """
    if isinstance(part, str):
        return part
    value = first_of(part, *keys) if isinstance(part, Mapping) else None
    if value is None:
        return ""
    return describe(value)
