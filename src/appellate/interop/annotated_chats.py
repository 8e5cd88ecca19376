"""Conversations in tasks of Label Studio: those of the tags Chat and Paragraphs.

A task's `data` has the messages that were imported. Results of the type `chatmessage` add messages,
in a prediction those to be judged, in an annotation those that somebody wrote or had written. So
several people may have labelled different conversations under one task: each is an answer of its
own here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from appellate.core.messages import ROLES, role_of
from appellate.interop.foreign import Row, first_of, table_at
from appellate.interop.said_times import moment_of

_MESSAGE = "chatmessage"
_ADDED = "messages"
"""The column of a conversation whose task has none of messages."""
_NAME_KEYS = ("role", "author", "name", "speaker")
"""Where a message says who spoke. Paragraphs may be told another key, which no export names."""
_TEXT_KEYS = ("content", "text")
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
    """Return the first column of a Label Studio task's `data` that holds a chat; "" if none does.

    A chat is a list of tables that each say who spoke and what; it must not be empty.
    """
    for column, value in data.items():
        if isinstance(value, list) and value and all(map(_is_message, value)):
            return column
    return ""


def messages_of(value: Sequence[Row]) -> list[Row]:
    """Return copies of the messages of a chat in Label Studio, each with `role` and `content`.

    `value` is a chat as `chat_column` finds it, so each message names its speaker. The role is
    whatever names the speaker, as "Alice" in a dialogue of people. All keys stay beside these two,
    `author` or `text` too, except those that are None. `content` may be None.
    """
    messages: list[Row] = []
    for entry in value:
        message = {key: part for key, part in entry.items() if part is not None}
        speaker = first_of(message, *_NAME_KEYS)
        content = first_of(message, *_TEXT_KEYS)
        messages.append({**message, "role": str(speaker), "content": content})
    return messages


def has_roles(messages: Sequence[Row]) -> bool:
    """Return whether every message is by a user, an assistant, the system or a tool."""
    return all(role_of(message["role"]) in ROLES for message in messages)


def transcript(messages: Sequence[Row]) -> str:
    """Return a chat's messages as text, a line for each: "Alice: Hi, Bob."; "" without any.

    A message without content has nothing behind its speaker.
    """
    return "\n".join(
        f"{message['role']}: {message['content'] or ''}" for message in messages
    )


def tasks_of(row: Row) -> Iterator[Row]:
    """Yield a Label Studio task once for each chat in it, as a task with the labels of that chat.

    A chat differs if an annotation or prediction added messages. A task without added messages is
    yielded as it is. If there are several chats, one with added messages has the id of who added
    them behind the task's. The row is not changed.
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
    """Return the indexes, from 0, of Label Studio results that are about one message or a region.

    Such a choice, rating, number or text has a place in its value, or the id of a result that marks
    a region. All others are about the whole task.
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
    """Return a list of one clause on Label Studio's labels of messages, words and regions; or [].

    It names their tags, since these are left out. `sample` are the first tasks.
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
    """Return the different chats in a Label Studio task, that without added messages first.

    [] if no annotation or prediction added messages. The imported messages are a chat of their own
    only if somebody labelled them without adding to them. If there are none, such labels go to the
    first chat. Cancelled annotations are left out.
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
                [
                    (first_of(m, *_NAME_KEYS), first_of(m, *_TEXT_KEYS))
                    for m in messages
                ],
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
    """Return the messages that results of Label Studio add to a chat.

    In the order of their times if all have one, else as they are; [] if there are none.
    """
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
    """Return the results of an annotation or prediction of Label Studio, those that are tables.

    [] for a cancelled one, and for a prediction that is named by number only.
    """
    if not isinstance(labelled, dict) or labelled.get("was_cancelled"):
        return []
    results = labelled.get("result") or []
    return [result for result in results if isinstance(result, dict)]


def _is_message(value: object) -> bool:
    """Return whether a value is a message of a chat: a table that says who spoke, and what.

    The text may be empty or None, but its key must exist.
    """
    return (
        isinstance(value, dict)
        and first_of(value, *_NAME_KEYS) is not None
        and any(key in value for key in _TEXT_KEYS)
    )
