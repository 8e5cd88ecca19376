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
from appellate.interop.cell_values import text_value
from appellate.interop.foreign import Row, first_of, table_at, tables_in
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

    The role is whatever names the speaker, as "Alice" in a dialogue of people. Each message of
    `value` must name its speaker, else its role is "None". All keys stay beside these two, `author`
    or `text` too, except those that are None. `content` may be None.
    """
    messages: list[Row] = []
    for entry in value:
        message = {key: part for key, part in entry.items() if part is not None}
        speaker = first_of(message, *_NAME_KEYS)
        content = first_of(message, *_TEXT_KEYS)
        message["role"] = str(speaker)
        message["content"] = content
        messages.append(message)
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
    """Yield a Label Studio task once for each chat in it, with only the labels of that chat.

    A task to which no annotation or prediction added messages is yielded as it is.
    Otherwise each yielded task has the messages of its chat in the column that had the
    chat, or in "messages" if none had. Cancelled annotations and predictions are left out.
    If there are several chats, a chat with added messages has the id `TASK-NAME`, where
    NAME is the id of the annotation or prediction that added them, or its place ("annotation-1") if
    it has none or another chat's. The row is not changed.
    """
    conversations = _conversations(row)
    if not conversations:
        yield row
        return
    data = table_at(row, "data")
    column = chat_column(data) or _ADDED
    for conversation in conversations:
        name = text_value(row.get("id"))
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
    """Return the indexes, from 0, of Label Studio results that answer about a message or region.

    Only choices, ratings, numbers and texts are answers. An answer is about a message or a
    region if its value has a place, or if its id is that of a result that marks a region.
    All other answers are about the whole task.
    """
    region_ids = {
        str(result["id"])
        for result in results
        if result.get("id") and result.get("type") not in _ANSWERS
    }
    indexes: set[int] = set()
    for index, result in enumerate(results):
        if result.get("type") not in _ANSWERS:
            continue
        value = table_at(result, "value")
        has_place = any(key in value for key in _PLACES)
        if has_place or str(result.get("id")) in region_ids:
            indexes.add(index)
    return indexes


def told_of_regions(sample: Sequence[Row]) -> list[str]:
    """Return one clause on Label Studio's labels of messages, words and regions, in a list; or [].

    The clause lists the tags of these labels, which an import leaves out. They are answers
    about a region (`answers_of_regions`), and results whose type ends in "labels". `sample`
    are the first tasks of the file. Results of cancelled annotations do not count.
    """
    names: dict[str, None] = {}
    for row in sample:
        for labelled in [*annotations_of(row), *predictions_of(row)]:
            if labelled.get("was_cancelled"):
                continue
            results = results_of(labelled)
            about_regions = answers_of_regions(results)
            for index, result in enumerate(results):
                sort = str(result.get("type"))
                if index in about_regions or sort.endswith("labels"):
                    tag = str(result.get("from_name", sort))
                    names[tag] = None
    if not names:
        return []
    listed = ", ".join(names)
    return [f"what is said of single messages, words or regions: {listed}"]


# -- the conversations of a task -------------------------------------------------------------------


class _ChatsOfTask:
    """The different chats in one Label Studio task, and who labelled each."""

    def __init__(self, row: Row) -> None:
        """Take the messages that a Label Studio task was imported with; none are chats yet.

        The row is not changed. It may have no messages.
        """
        data = table_at(row, "data")
        column = chat_column(data)
        self._imported: list[Row] = list(data[column]) if column else []
        self._by_words: dict[str, _Conversation] = {}

    def chat_of(self, labelled: Row, place: str) -> _Conversation:
        """Return the chat that an annotation or prediction is about, adding it if it is new.

        The chat consists of the imported messages and those that the annotation adds.
        Annotations whose messages say the same are about one chat. A new chat with added
        messages has the annotation's id as suffix. It has `place` if the annotation has no id, or
        the id of a prediction whose messages are another chat: Label Studio counts both from 1.
        """
        added = _added_messages(results_of(labelled))
        messages = [*self._imported, *added]
        words = _comparable_text(messages)
        if words not in self._by_words:
            suffix = ""
            if added:
                suffix = str(labelled.get("id") or place)
                if any(chat.suffix == suffix for chat in self._by_words.values()):
                    suffix = place
            self._by_words[words] = _Conversation(messages, suffix)
        return self._by_words[words]

    def in_order(self) -> list[_Conversation]:
        """Return the chats, the one without added messages first; [] if nobody added a message.

        If the task was imported without messages, annotations and predictions that added
        none are moved to the first chat, which is changed. Call it once, after the last
        `chat_of`.
        """
        if not any(chat.suffix for chat in self._by_words.values()):
            return []
        chats = [chat for chat in self._by_words.values() if chat.messages]
        for silent in self._by_words.values():
            if not silent.messages:
                chats[0].annotations += silent.annotations
                chats[0].predictions += silent.predictions
        return sorted(chats, key=lambda chat: bool(chat.suffix))


def _conversations(row: Row) -> list[_Conversation]:
    """Return the different chats in a Label Studio task, the one without added messages first.

    Returns [] if no annotation or prediction added messages. The imported messages are a
    chat of their own only if somebody labelled them without adding to them. If the task was
    imported without messages, such labels go to the first chat. Cancelled annotations and
    predictions are left out.
    """
    chats = _ChatsOfTask(row)
    for number, prediction in enumerate(predictions_of(row), 1):
        if not prediction.get("was_cancelled"):
            chat = chats.chat_of(prediction, f"prediction-{number}")
            chat.predictions.append(prediction)
    for number, annotation in enumerate(annotations_of(row), 1):
        if not annotation.get("was_cancelled"):
            chat = chats.chat_of(annotation, f"annotation-{number}")
            chat.annotations.append(annotation)
    return chats.in_order()


def _comparable_text(messages: Sequence[Row]) -> str:
    """Return what a Label Studio chat says as one text, to tell chats apart.

    Two chats have equal texts if the same speakers say the same in the same order; all else of
    their messages does not count.
    """
    words: list[tuple[Any, Any]] = []
    for message in messages:
        speaker = first_of(message, *_NAME_KEYS)
        content = first_of(message, *_TEXT_KEYS)
        words.append((speaker, content))
    return repr(words)


def _added_messages(results: Sequence[Row]) -> list[Row]:
    """Return the messages that results of Label Studio add to a chat; [] if there are none.

    They are those of the type `chatmessage`, sorted by their `createdAt` if all have a time that
    can be read, else in the order of the results.
    """
    messages: list[Row] = []
    for result in results:
        message = table_at(result, "value").get(_MESSAGE)
        if result.get("type") == _MESSAGE and isinstance(message, dict):
            messages.append(message)
    moments: list[int] = []
    for message in messages:
        moment = moment_of(message.get("createdAt"))
        if moment is None:
            return messages
        moments.append(moment)
    in_order = sorted(range(len(messages)), key=moments.__getitem__)
    return [messages[index] for index in in_order]


def annotations_of(row: Row) -> list[Row]:
    """Return the annotations of a Label Studio task that are tables, cancelled ones too; or [].

    An entry that is a number, a text, a list or null says nothing and is left out.
    """
    return tables_in(row.get("annotations"))


def predictions_of(row: Row) -> list[Row]:
    """Return the predictions of a Label Studio task that are tables, or [].

    Some exports name predictions by number alone; these are left out.
    """
    return tables_in(row.get("predictions"))


def results_of(labelled: Row) -> list[Row]:
    """Return the results of an annotation or prediction of Label Studio that are tables, or []."""
    return tables_in(labelled.get("result"))


def unreadable_annotations(row: Row) -> int:
    """Return how many annotations of a Label Studio task cannot be read, and so are left out.

    An annotation cannot be read if it is no table, or if its `result` is neither a list nor
    null. If `annotations` itself is neither a list nor null, it counts as one. Predictions
    are not counted.
    """
    annotations = row.get("annotations")
    if annotations is None:
        return 0
    if not isinstance(annotations, list):
        return 1
    count = 0
    for annotation in annotations:
        is_table = isinstance(annotation, dict)
        results = annotation.get("result") if is_table else None
        if not is_table or not isinstance(results, list | None):
            count += 1
    return count


def _is_message(value: object) -> bool:
    """Return whether a value is a message of a chat: a table that says who spoke, and what.

    The text may be empty or None, but its key must exist.
    """
    return (
        isinstance(value, dict)
        and first_of(value, *_NAME_KEYS) is not None
        and any(key in value for key in _TEXT_KEYS)
    )
