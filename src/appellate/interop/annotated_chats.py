"""Conversations in tasks of Label Studio: those of the tags Chat and Paragraphs.

A task's `data` has the messages that were imported. Results of the type `chatmessage` add messages,
in a prediction those to be judged, in an annotation those that somebody wrote or had written. So
several people may have labelled different conversations under one task: each is an answer of its
own here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from appellate.core.messages import ASSISTANT, SYSTEM, TOOL, USER, role_of
from appellate.interop.foreign import Row, table_at
from appellate.interop.said_times import moment_of

_MESSAGE = "chatmessage"
_ADDED = "messages"
"""The column of a conversation whose task has none of messages."""
_NAME_KEYS = ("role", "author", "name", "speaker")
"""Where a message says who spoke. Paragraphs may be told another key, which no export names."""
_TEXT_KEYS = ("content", "text")
_ROLES = (USER, ASSISTANT, SYSTEM, TOOL)
_ANSWERS = ("choices", "rating", "number", "textarea")
"""The types of results that say something of a whole task, or of a region with the same id."""
_PLACES = ("start", "x", "points", _MESSAGE)
"""Keys of a result's value that say which region it is about."""


class _Conversation(Struct):
    """One conversation of a task, and who labelled it."""

    messages: list[Row]
    suffix: str
    """What parts its id from that of others of the task; "" for the imported messages."""
    annotations: list[Any] = field(default_factory=list)
    predictions: list[Any] = field(default_factory=list)


def chat_column(data: Mapping[str, Any]) -> str:
    """Return the first column of a task's data that holds a conversation; "" if none does.

    That is a list of tables, of which each says who spoke and what.
    """
    for column, value in data.items():
        if isinstance(value, list) and value and all(map(_is_message, value)):
            return column
    return ""


def messages_of(value: Sequence[Row]) -> list[Row]:
    """Return the messages of a conversation column, each with `role` and `content`.

    A speaker who has no role, as "Alice" in a dialogue of people, is left the name. What else a
    message has stays; what is None does not.
    """
    messages: list[Row] = []
    for entry in value:
        message = {key: part for key, part in entry.items() if part is not None}
        speaker = _first(message, _NAME_KEYS)
        content = _first(message, _TEXT_KEYS)
        messages.append({**message, "role": str(speaker), "content": content})
    return messages


def has_roles(messages: Sequence[Row]) -> bool:
    """Return whether every message is by a user, an assistant, the system or a tool."""
    return all(role_of(message["role"]) in _ROLES for message in messages)


def transcript(messages: Sequence[Row]) -> str:
    """Return a dialogue as text, a line for each message: "Alice: Hi, Bob."."""
    return "\n".join(
        f"{message['role']}: {message['content'] or ''}" for message in messages
    )


def tasks_of(row: Row) -> Iterator[Row]:
    """Yield a task once for each conversation in it, with the people and models that labelled that.

    A task without added messages is yielded as it is. Where there are several conversations, those
    that an annotation or prediction added to have its id behind the task's.
    """
    conversations = _conversations(row)
    if not conversations:
        yield row
        return
    data = table_at(row, "data")
    column = chat_column(data) or _ADDED
    for conversation in conversations:
        name = str(row.get("id", ""))
        if len(conversations) > 1 and conversation.suffix:
            name = f"{name}-{conversation.suffix}"
        yield {
            **row,
            "id": name,
            "data": {**data, column: conversation.messages},
            "annotations": conversation.annotations,
            "predictions": conversation.predictions,
        }


def answers_of_regions(results: Sequence[Row]) -> set[int]:
    """Return the indexes of results that answer about one message or some words, not the whole.

    Such a result says where its region is, or has the id of a result that marks one.
    """
    region_ids = {
        result["id"]
        for result in results
        if result.get("id") and result.get("type") not in _ANSWERS
    }
    indexes: set[int] = set()
    for index, result in enumerate(results):
        if result.get("type") not in _ANSWERS:
            continue
        value = table_at(result, "value")
        if result.get("id") in region_ids or any(key in value for key in _PLACES):
            indexes.add(index)
    return indexes


def told_of_regions(sample: Sequence[Row]) -> list[str]:
    """Return a list of one clause that names the tags whose answers about regions are left out.

    [] if no task of the sample has such answers, or labels of words.
    """
    names: dict[str, None] = {}
    for row in sample:
        for labelled in [
            *(row.get("annotations") or []),
            *(row.get("predictions") or []),
        ]:
            results = _results(labelled)
            about_regions = answers_of_regions(results)
            for index, result in enumerate(results):
                sort = str(result.get("type"))
                if index in about_regions or sort.endswith("labels"):
                    names[str(result.get("from_name", sort))] = None
    if not names:
        return []
    return [f"what is said of single messages, words or regions: {', '.join(names)}"]


# -- the conversations of a task -------------------------------------------------------------------


def _conversations(row: Row) -> list[_Conversation]:
    """Return the different conversations of a task, the imported one first; [] for one without
    added messages.

    The imported messages alone are one only if somebody labelled them so.
    """
    data = table_at(row, "data")
    imported = list(data.get(chat_column(data)) or ())
    by_words: dict[Any, _Conversation] = {}
    is_added_to = False
    for key in ("predictions", "annotations"):
        for number, labelled in enumerate(row.get(key) or [], 1):
            if not isinstance(labelled, dict) or labelled.get("was_cancelled"):
                continue
            added = _added_messages(_results(labelled))
            is_added_to = is_added_to or bool(added)
            messages = [*imported, *added]
            words = repr(
                [(_first(m, _NAME_KEYS), _first(m, _TEXT_KEYS)) for m in messages]
            )
            conversation = by_words.get(words)
            if conversation is None:
                suffix = _suffix(labelled, key, number) if added else ""
                conversation = by_words[words] = _Conversation(messages, suffix)
            if key == "predictions":
                conversation.predictions.append(labelled)
            else:
                conversation.annotations.append(labelled)
    if not is_added_to:
        return []
    conversations = [each for each in by_words.values() if each.messages]
    for silent in by_words.values():
        if not silent.messages:  # who labelled a chat without adding to it
            conversations[0].annotations += silent.annotations
            conversations[0].predictions += silent.predictions
    return sorted(conversations, key=lambda each: bool(each.suffix))


def _suffix(labelled: Row, key: str, number: int) -> str:
    """Return what tells a conversation from others: the id of who added to it, else a number."""
    return str(labelled.get("id") or f"{key.removesuffix('s')}-{number}")


def _added_messages(results: Sequence[Row]) -> list[Row]:
    """Return the messages in results, by the times when they were written if all have one."""
    messages: list[Row] = []
    for result in results:
        message = table_at(result, "value").get(_MESSAGE)
        if result.get("type") == _MESSAGE and isinstance(message, dict):
            messages.append(message)
    moments = [moment_of(message.get("createdAt")) for message in messages]
    known_moments = [moment for moment in moments if moment is not None]
    if len(known_moments) < len(messages):
        return messages
    in_order = sorted(range(len(messages)), key=known_moments.__getitem__)
    return [messages[index] for index in in_order]


def _results(labelled: Any) -> list[Row]:
    """Return the results of an annotation or prediction; [] for one that is named by number only.

    Cancelled ones have none.
    """
    if not isinstance(labelled, dict) or labelled.get("was_cancelled"):
        return []
    results = labelled.get("result") or []
    return [result for result in results if isinstance(result, dict)]


def _is_message(value: object) -> bool:
    """Return whether a value is a table that says who spoke, and what."""
    return (
        isinstance(value, dict)
        and _first(value, _NAME_KEYS) is not None
        and any(key in value for key in _TEXT_KEYS)
    )


def _first(table: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """Return the value of the first of some keys that has one; None if none does."""
    for key in keys:
        if table.get(key) is not None:
            return table[key]
    return None
