"""Codex: a session as JSON Lines of `response_item`s, in the form of OpenAI's responses; and such
items alone, as its SDK gives them.

The same words stand in `event_msg` once more: they are taken only where no item is the user's.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from appellate.interop.foreign import ForeignFile, ForeignTrace, Row, table_at
from appellate.interop.runs.run import run_of
from appellate.interop.tables import Rows

FORM = "Codex session"
MAPPING = {
    "id": "session_meta.payload.id",
    "model": "turn_context.payload.model",
    "messages": "response_item.payload",
    "response": "response_item (the last message)",
}
_LOST = ["encrypted_content", "events that items say as well", "token counts"]
_REQUEST = "## My request for Codex:"
_WRAPPERS = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<INSTRUCTIONS>",
)
_SUMMARY = "(summary of earlier turns)"
ITEMS_FORM = "Codex items"
ITEMS_MAPPING = {
    "id": "the file's name",
    "messages": "items",
    "response": "items (the last message)",
}
_ITEMS = ("message", "reasoning")


def knows(row: Row) -> bool:
    """Return whether a row is a line of a Codex session, by its type and `payload`.

    Only the types `session_meta` and `response_item` are known.
    """
    return row.get("type") in ("session_meta", "response_item") and "payload" in row


def read(rows: Rows) -> ForeignFile:
    """Return what a Codex session holds: one run; `rows` is called at each pass."""

    def traces() -> Iterator[ForeignTrace]:
        yield _session(rows())

    return ForeignFile(FORM, traces, MAPPING, lost=_LOST)


def knows_items(document: object) -> bool:
    """Return whether a document is a table with a list `items`, all of them of a Codex session.

    An item is known by its `type` and the keys that it must have. False for an empty list.
    """
    if not isinstance(document, dict):
        return False
    items = document.get("items")
    return isinstance(items, list) and bool(items) and all(map(_is_item, items))


def _is_item(value: object) -> bool:
    """Return whether a value is an item of OpenAI's Responses: words, thoughts, a call, output.

    It is known by its `type`, and by the keys that an item of this type must have.
    """
    if not isinstance(value, dict):
        return False
    kind = str(value.get("type"))
    if kind.endswith(("_call", "_call_output")):
        return "call_id" in value or "action" in value
    return kind in _ITEMS and ("content" in value or "summary" in value)


def read_items(document: Row, stem: str) -> ForeignFile:
    """Return what a document with Codex `items` holds: one run, named `stem`.

    `knows_items` must have accepted it. The response is "" if the assistant said nothing.
    """

    def traces() -> Iterator[ForeignTrace]:
        """Yield the one run that a document's Codex items tell, named after the file.

        Its messages are those of the items in order, and its response is what the assistant said
        last, or "".
        """
        messages: list[Row] = []
        for item in document["items"]:
            messages += _messages_of_item(item)
        yield run_of(stem, messages)

    return ForeignFile(ITEMS_FORM, traces, ITEMS_MAPPING, lost=["encrypted_content"])


def _session(rows: Iterable[Row]) -> ForeignTrace:
    """Return the run that the rows of a Codex session tell, with the last model that is named.

    Its name is the session's id, else "codex": a session that goes on with another one names itself
    first, and then that one. The words of a user are taken from events only if no
    item is a user's message: then each is put where it came. After a compaction its summary follows
    as a message.
    """
    name = ""
    model = None
    messages: list[Row] = []
    events: list[tuple[int, Row]] = []
    for row in rows:
        payload = table_at(row, "payload")
        match row.get("type"):
            case "session_meta":
                name = name or str(payload.get("id") or "")
            case "turn_context":
                model = payload.get("model") or model
            case "response_item":
                messages += _messages_of_item(payload)
            case "compacted":
                earlier_messages = [*messages, *(message for _, message in events)]
                messages += _compacted(payload, earlier_messages)
            case "event_msg" if payload.get("type") == "user_message":
                words = _without_wrapper(str(payload.get("message") or ""))
                events.append((len(messages), {"role": "user", "content": words}))
    if not any(
        message["role"] == "user" and "name" not in message for message in messages
    ):
        for place, event in reversed(events):
            messages.insert(place, event)
    return run_of(name or "codex", messages, model=model)


def _compacted(payload: Row, earlier_messages: Iterable[Row]) -> Iterator[Row]:
    """Yield the summary of earlier turns in a compacted Codex session as user's messages.

    The texts are the line's own and those of the history that it puts in place of the turns. Their
    name is `_SUMMARY`. Blank texts are left out, and those that an earlier message has word for
    word.
    """
    texts = [payload.get("message")]
    replacements = payload.get("replacement_history") or ()
    for item in replacements:
        for message in _messages_of_item(item):
            texts.append(message.get("content"))
    known_contents = [message.get("content") for message in earlier_messages]
    for text in texts:
        is_blank = not isinstance(text, str) or not text.strip()
        if is_blank or text in known_contents:
            continue
        known_contents.append(text)
        yield {"role": "user", "name": _SUMMARY, "content": text}


def _messages_of_item(payload: Row) -> Iterator[Row]:
    """Yield an item of OpenAI's Responses as chat messages; nothing for encrypted thoughts.

    A message gives one message for each part. Thoughts are one message with `reasoning_content`, a
    call one with `tool_calls`, and what a tool gave back one by "tool". Items of an unknown kind
    are left out.
    """
    kind = payload.get("type")
    if kind == "message":
        yield from _message(payload)
    elif kind == "reasoning":
        thoughts = "\n".join(
            _texts_in(payload.get("summary")) or _texts_in(payload.get("content")),
        )
        if thoughts:
            yield {"role": "assistant", "content": None, "reasoning_content": thoughts}
    elif str(kind).endswith("_call"):
        yield {"role": "assistant", "content": None, "tool_calls": [_call(payload)]}
    elif str(kind).endswith("_output"):
        content = _tool_output(payload.get("output"))
        yield {
            "role": "tool",
            "tool_call_id": payload.get("call_id"),
            "content": content,
        }


def _message(payload: Row) -> Iterator[Row]:
    """Yield each part of a Codex message as a chat message of its own, with the message's role.

    What the program adds around a user's words, as the environment, is the system's, and of the
    user's words only the request itself is kept. Parts without words are left out, except pictures,
    sounds and files, which stay as they are.
    """
    role = str(payload.get("role"))
    content = payload.get("content")
    for part in content if isinstance(content, list) else [content]:
        texts = _texts_in([part])
        if (
            not texts
            and isinstance(part, Mapping)
            and str(part.get("type")).startswith("input_")
        ):
            yield {"role": role, "content": [part]}  # a picture, a sound or a file
        for text in texts:
            speaker = role
            if role == "user" and text.lstrip().startswith(_WRAPPERS):
                speaker = "system"
            words = _without_wrapper(text) if speaker == "user" else text
            yield {"role": speaker, "content": words}


def _without_wrapper(text: str) -> str:
    """Return the user's own request in a text of Codex: what follows its heading, stripped.

    An editor puts notes before that heading. Without the heading the text is returned unchanged.
    """
    _, mark, request = text.partition(_REQUEST)
    if mark:
        return request.strip()
    return text


def _call(payload: Row) -> Row:
    """Return a Codex call as a chat message's call: its id, and a function's name and arguments.

    Arguments that are no text become JSON; without any they are None. A call without a name is
    named by its type.
    """
    call_arguments = payload.get(
        "arguments",
        payload.get("input", payload.get("action")),
    )
    if call_arguments is not None and not isinstance(call_arguments, str):
        call_arguments = json.dumps(call_arguments, ensure_ascii=False)
    name = payload.get("name") or str(payload.get("type")).removesuffix("_call")
    return {
        "id": payload.get("call_id"),
        "function": {"name": name, "arguments": call_arguments},
    }


def _tool_output(value: Any) -> Any:
    """Return what a tool gave back in Codex, taken out of the table that it may be in.

    If `value` is JSON text of a table whose `output` is a text, it is that `output`. If
    `value` is a table, it is the `output`, else the `content`, else the table as JSON text.
    Anything else is returned unchanged.
    """
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            return value
        if isinstance(inner, dict) and isinstance(inner.get("output"), str):
            return inner["output"]
        return value
    if isinstance(value, Mapping):
        inner = value.get("output", value.get("content"))
        if inner is not None:
            return inner
        return json.dumps(value, ensure_ascii=False)
    return value


def _texts_in(content: Any) -> list[str]:
    """Return the texts in a Codex content: itself, or those of its parts; [] if there are none.

    Empty parts are left out, but "" as the whole content is [""].
    """
    if isinstance(content, str):
        return [content]
    texts: list[str] = []
    for part in content if isinstance(content, list) else ():
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str) and text:
            texts.append(text)
    return texts
