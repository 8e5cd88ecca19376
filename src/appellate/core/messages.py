"""Messages as files have them: what each side wrote, thought, called a tool with, and got from it.

Read are the formats of OpenAI's chat and responses, Anthropic's blocks and inspect_ai; a message in
any other shape is shown as it is. `transcript` makes one text of the turns.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from appellate.core.inert import in_whole_characters
from appellate.core.trace import Trace

_LONGEST = 16_384
"""Characters that the splitter gets at once: its time grows faster than a paragraph."""


def sentence_bounds(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end offset of each sentence of a text, with the white space after it.

    The sentences follow each other without a gap; an empty text has none. The text is looked
    through in parts of at most `_LONGEST` characters, and a sentence ends with its part at the
    latest.
    """
    from sentencex import get_sentence_boundaries  # not before the first paint

    harmless = in_whole_characters(text)
    start = 0
    while start < len(harmless):
        stop = _end_of_part(harmless, start)
        part = harmless[start:stop]
        for sentence in get_sentence_boundaries("en", part):
            sentence_start = start + sentence["start_index"]
            sentence_end = start + sentence["end_index"]
            yield sentence_start, sentence_end
        start = stop


def _end_of_part(text: str, start: int) -> int:
    """Return the offset at which the part of a text that starts at `start` ends.

    The part is all the rest, if that has at most `_LONGEST` characters. Otherwise it ends after the
    last newline, or else after the last space, in the second half of the next `_LONGEST`
    characters. Without either it has `_LONGEST` characters.
    """
    furthest = start + _LONGEST
    if furthest >= len(text):
        return len(text)
    for end in ("\n", " "):
        break_offset = text.rfind(end, start, furthest)
        if break_offset >= start + _LONGEST // 2:
            return break_offset + 1
    return furthest


USER = "user"
ASSISTANT = "assistant"
SYSTEM = "system"
TOOL = "tool"
ROLES = (USER, ASSISTANT, SYSTEM, TOOL)
CALLS = "calls"
THINKS = "thinks"
_MEANT = {
    "human": USER,
    "ai": ASSISTANT,
    "model": ASSISTANT,
    "developer": SYSTEM,
    "function": TOOL,
}
"""Other names of the roles."""
_THOUGHTS = ("thinking", "reasoning", "summary", "redacted_thinking")
_THOUGHT_APART = ("reasoning_content", "reasoning")
_LARGE = 1_000_000
"""Characters of JSON; a longer text is shown as it is."""


class ChatTurn(NamedTuple):
    """What one side said, or did, in one go."""

    role: str
    """One of the four roles, or the file's own name for another."""
    text: str
    does: str = ""
    """What the side did besides speaking: "thinks", "calls search"; for a tool its name; or ""."""
    name: str = ""
    """Which of several agents it is; "" for the only one."""

    @property
    def title(self) -> str:
        """The role, the name and what was done, in one line: "assistant Ada calls search".

        What is empty is left out, and white space becomes single spaces.
        """
        parts = (self.role, self.name, self.does)
        return " ".join(" ".join(parts).split())

    @property
    def calls(self) -> bool:
        """Whether the turn is a call of a tool, and not a tool's own turn.

        A call `does` "calls", or "calls search" with the tool's name.
        """
        verb = self.does.partition(" ")[0]
        return verb == CALLS and self.role != TOOL

    @property
    def is_spoken_by_assistant(self) -> bool:
        """Whether the turn is words of the assistant, and neither a call nor a thought."""
        return self.role == ASSISTANT and not self.does

    @property
    def readable(self) -> str:
        """The text of the turn; arguments of a call are written as by `in_lines`."""
        return in_lines(self.text) if self.calls else self.text


def role_of(name: object) -> str:
    """Return the usual name of a role, such as "assistant" for "AI"; any other role as it is named.

    The four roles and their other names are recognised in any case. Another name keeps its case. A
    blank one is "unknown". White space around a name goes, and within it becomes single spaces. A
    `name` that is no text is made one first: None becomes "None".
    """
    own_name = " ".join(str(name).split())
    lowered = own_name.lower()
    if lowered in ROLES:
        return lowered
    if lowered in _MEANT:
        return _MEANT[lowered]
    return own_name or "unknown"


def answer_in(messages: Sequence[Any]) -> str:
    """Return the last words of the assistant in some messages, as recorded; "" if it says nothing.

    Calls of tools and thoughts are no words. If one stands between the words of a message, only the
    message's last words are returned.
    """
    answer = ""
    for turn in recorded(messages):
        if turn.is_spoken_by_assistant and turn.text.strip():
            answer = turn.text
    return answer


SaidTurn = tuple[ChatTurn, int | None]
"""A turn, and the index of its message; None if no message has it."""


def recorded(messages: Sequence[Any]) -> Iterator[ChatTurn]:
    """Yield the turns of recorded messages, in order: each thought, call and result is one.

    Texts of a message that stand next to each other are one turn, with newlines between them. A
    message that says nothing is one turn without text. A message that is no table is one turn of
    the role "unknown"; its text is the message, as JSON if it is no text.
    """
    for turn, _ in said_in(messages):
        yield turn


def said_in(messages: Sequence[Any]) -> Iterator[SaidTurn]:
    """Yield the turns of recorded messages, in order, each with the index of its message.

    Each thought, call and result is a turn. Texts of a message that stand next to each other are
    one turn, with newlines between them. A message that says nothing is one turn without text. A
    message that is no table is one turn of the role "unknown"; its text is the message, as JSON if
    it is no text.
    """
    names_by_call_id: dict[str, str] = {}  # of tools
    for index, message in enumerate(messages):
        if isinstance(message, Mapping):
            for turn in _turns(message, names_by_call_id):
                yield turn, index
        else:
            yield ChatTurn("unknown", describe(message)), index


def _turns(
    message: Mapping[str, Any],
    names_by_call_id: dict[str, str],
) -> Iterator[ChatTurn]:
    """Yield the turns of a recorded message: its thoughts, its content, and its calls of tools.

    A tool's message is one turn, its result, unless its content is a list of results. A message
    that has a type and no role, as OpenAI's responses have them, is one turn as by `_turn_of_part`.
    One that says nothing is a turn without text. If a user or an assistant has a `name`, turns of
    that role get it. `names_by_call_id` gets the names of the tools that are called.
    """
    role = role_of(message.get("role") or "unknown")
    is_item_of_responses = "role" not in message and message.get("type") not in (
        None,
        "message",
    )
    if is_item_of_responses:
        yield _turn_of_part("unknown", message, names_by_call_id)
        return

    turns: list[ChatTurn] = []
    for key in _THOUGHT_APART:
        thought = message.get(key)
        if isinstance(thought, str) and thought.strip():
            turns.append(ChatTurn(role, thought, THINKS))
            break

    content = message.get("content", message.get("parts"))
    if role == TOOL and not _are_results(content):
        turns.append(_result(message, content, names_by_call_id))
    else:
        turns += _turns_of_content(role, content, names_by_call_id)

    for call in _calls_beside_content(message):
        turns.append(_call(role, call, names_by_call_id))

    name = message.get("name")
    if role not in (USER, ASSISTANT) or not isinstance(name, str):
        name = ""
    for turn in turns or [ChatTurn(role, "")]:
        if name and turn.role == role:
            yield turn._replace(name=name.strip())
        else:
            yield turn


def _calls_beside_content(message: Mapping[str, Any]) -> Sequence[object]:
    """Return the calls of tools that a message has next to its content, as recorded.

    They are its list `tool_calls`, or else its only `function_call`; empty if it has neither.
    """
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        return calls
    only_call = message.get("function_call")
    return [only_call] if only_call else []


def _turns_of_content(
    role: str,
    content: object,
    names_by_call_id: dict[str, str],
) -> Iterator[ChatTurn]:
    """Yield the turns of a message's content, which is one part or a list of parts.

    A thought, a call or a result is a turn of its own. Other parts are words of `role`: those next
    to each other are one turn, with newlines between them, and blank ones are none. A part that is
    neither text nor table is JSON, and None is left out. A content nested in more than `_DEEPEST`
    levels is JSON as a whole. `names_by_call_id` gets the names of called tools.
    """
    if _is_nested_deeply(content):
        yield ChatTurn(role, describe(content))
        return

    parts = content if isinstance(content, list) else [content]
    texts: list[str] = []
    for part in parts:
        if part is None:
            continue
        turn = (
            _turn_of_part(role, part, names_by_call_id)
            if isinstance(part, Mapping)
            else ChatTurn(role, describe(part))
        )
        if turn.does or turn.role != role:
            yield from _turn_of_texts(role, texts)
            yield turn
            texts = []
        else:
            texts.append(turn.text)

    yield from _turn_of_texts(role, texts)


_DEEPEST = 200
"""Levels of lists and tables; parts in parts of more than these could not be gone through."""


def _is_nested_deeply(content: object) -> bool:
    """Return whether a content has more than `_DEEPEST` lists and tables in each other."""
    level = [content]
    for _ in range(_DEEPEST + 1):
        next_level: list[object] = []
        for value in level:
            if isinstance(value, dict):
                next_level.extend(value.values())
            elif isinstance(value, list):
                next_level.extend(value)
        if not next_level:
            return False
        level = next_level
    return True


def _turn_of_texts(role: str, texts: Sequence[str]) -> Iterator[ChatTurn]:
    """Yield the turn in which `role` says some texts, joined by newlines; no turn if all are blank.

    The texts keep their own white space.
    """
    text = "\n".join(texts)
    if text.strip():
        yield ChatTurn(role, text)


_RESULTS = (
    "tool_result",
    "function_call_output",
    "tool_call_response",
    "tool_response",
)


def _are_results(content: object) -> bool:
    """Return whether a message's content is a list with a part that is a result of a tool.

    The part's type tells, such as "tool_result".
    """
    if not isinstance(content, list):
        return False
    for part in content:
        if not isinstance(part, Mapping):
            continue
        kind = str(part.get("type")).replace("-", "_")
        if kind.endswith(_RESULTS):
            return True
    return False


def _turn_of_part(
    role: str,
    part: Mapping[str, Any],
    names_by_call_id: dict[str, str],
) -> ChatTurn:
    """Return a part of a message's content as a turn: a call, a result, a thought, or words.

    A call or a thought is the assistant's, a result the tool's, and words are those of `role`.
    `names_by_call_id` gets the name of a called tool, and tells that of a result. A part without
    words is described by its type and address, as `(image: room.png)`. A part that has no type
    either has itself as JSON for its text.
    """
    kind = str(part.get("type") or "part").replace("-", "_")
    if kind.endswith(("tool_use", "tool_call", "function_call")):
        return _call(ASSISTANT, part, names_by_call_id)
    if kind.endswith(_RESULTS):
        return _result(part, _content_of_result(part), names_by_call_id)
    if kind in _THOUGHTS:
        thought_keys = (*_THOUGHTS, "text", "content", "data")
        thought = _first_text(part, thought_keys)
        return ChatTurn(ASSISTANT, thought, THINKS)
    if kind in _BYTES:
        text = _first_text(part, ("text",))
        if not text:
            text = _text_of_wordless_part(_medium_of(kind, part), part)
        return ChatTurn(role, text)

    text = _first_text(part, ("text", kind, "content"))
    if not text:
        text = _text_of_source(part)
    if text:
        return ChatTurn(role, text)
    if "type" in part:
        return ChatTurn(role, _text_of_wordless_part(kind, part))
    return ChatTurn(role, describe(part))


def _content_of_result(part: Mapping[str, Any]) -> object:
    """Return what a tool answered, as recorded, from a part of a content that is its result.

    It is the value of the first of the keys "content", "output", "result" and "response" that the
    part has. None if it has none of them.
    """
    for key in ("content", "output", "result", "response"):
        if key in part:
            return part[key]
    return None


def _text_of_source(part: Mapping[str, Any]) -> str:
    """Return the words in the `source` of a document, as Anthropic's messages have it; else "".

    `part` is the document's part of a content, and `source` a table of the type "text" or
    "content". A document given by its bytes or its address has no words here.
    """
    source = part.get("source")
    if not isinstance(source, Mapping):
        return ""
    if source.get("type") not in ("text", "content"):
        return ""
    return _first_text(source, ("data", "content"))


_PICTURES = {"image_url": "image", "input_image": "image", "input_audio": "audio"}
_ADDRESSES = (
    "path",
    "url",
    "file_path",
    "uri",
    "image",
    "image_url",
    "audio",
    "file",
    "source",
)
_LONGEST_ADDRESS = 500
_MEDIA = ("image", "audio", "video")
_BYTES = (*_MEDIA, "blob", "binary", "uri")
"""Kinds of parts that hold a picture or a sound, or its address: their bytes are no words."""


def _medium_of(kind: str, part: Mapping[str, Any]) -> str:
    """Return a word for what a part holds in bytes: "image", "audio", "video", or else "file".

    It is the part's type, `kind`, if that is one of the first three words. Otherwise the part's
    `modality`, `mime_type` or `media_type` tells, as "image/png" does.
    """
    if kind in _MEDIA:
        return kind
    for key in ("modality", "mime_type", "media_type"):
        media_type = str(part.get(key))
        medium = media_type.partition("/")[0]
        if medium in _MEDIA:
            return medium
    return "file"


def _text_of_wordless_part(kind: str, part: Mapping[str, Any]) -> str:
    """Return what a part without words is, in round brackets: `(image: room.png)` or `(image)`.

    The word is the part's type, `kind`; but "image_url" and "input_image" are called "image", and
    "input_audio" is called "audio". After it comes the first address in the part, or else in a
    table in it. Bytes are never an address.
    """
    name = _PICTURES.get(kind, kind)
    tables: list[Mapping[str, Any]] = [part]
    for key in _ADDRESSES:
        value = part.get(key)
        if isinstance(value, dict):
            tables.append(value)

    for table in tables:
        for key in _ADDRESSES:
            value = table.get(key)
            if isinstance(value, str) and _is_address(value):
                address = " ".join(value.split())
                return f"({name}: {address})"
    return f"({name})"


def _is_address(text: str) -> bool:
    """Return whether a text is an address, such as a URL or a path, and not bytes as a text.

    It is one if it has a point or a slash, is not longer than `_LONGEST_ADDRESS` characters, and
    does not begin with `data:`.
    """
    if not text or len(text) > _LONGEST_ADDRESS:
        return False
    if text.startswith("data:"):
        return False
    return "." in text or "/" in text


def _first_text(part: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the first value with words by these keys of a part, unstripped; "" if none has.

    A value is a text, or a list of parts, whose texts are joined by newlines. A value of another
    type has no words, as has a blank text.
    """
    for key in keys:
        value = part.get(key)
        if isinstance(value, list):
            value = _text_of(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _text_of(content: object) -> str:
    """Return all texts of a message's content, joined by newlines; "" if it has none.

    Thoughts, arguments of calls, results and descriptions of pictures are among them.
    """
    texts: list[str] = []
    for turn in _turns_of_content("", content, {}):
        texts.append(turn.text)
    return "\n".join(texts)


def _call(role: str, call: object, names_by_call_id: dict[str, str]) -> ChatTurn:
    """Return a call of a tool by `role` as a turn whose text is the call's arguments.

    Arguments that are no text are JSON. The turn `does` "calls search", or "calls" if the call has
    no name. A call that is no table, or has neither name nor arguments, is itself the text. Any
    other call puts its name, or "" without one, into `names_by_call_id` under each id that it has.
    In OpenAI's chat the table `function` in the call has the name and the arguments; a text there
    is the name.
    """
    if not isinstance(call, Mapping):
        return ChatTurn(role, describe(call), CALLS)
    function = call.get("function", call.get("custom"))
    call_table = function if isinstance(function, Mapping) else call
    name = function if isinstance(function, str) else _name_in_call(call_table)
    text = _arguments_in_call(call_table)
    if not name and not text:
        return ChatTurn(role, describe(call), CALLS)

    for key in ("id", "call_id", "toolCallId"):
        call_id = call.get(key)
        if isinstance(call_id, str):
            names_by_call_id[call_id] = name
    does = f"{CALLS} {name}"
    return ChatTurn(role, text, does.strip())


def _name_in_call(call_table: Mapping[str, Any]) -> str:
    """Return the name of the tool that a call names in its table; "" if it names none.

    It is the first of the keys "name" and "toolName" that is a text, even an empty one.
    """
    for key in ("name", "toolName"):
        name = call_table.get(key)
        if isinstance(name, str):
            return name
    return ""


def _arguments_in_call(call_table: Mapping[str, Any]) -> str:
    """Return the arguments of a call: a text as it is, any other value as JSON; "" if none.

    `call_table` is the table that has them, which in OpenAI's chat is `function` in the call. They
    are the first of its keys "arguments", "input" and "args" that is not None.
    """
    for key in ("arguments", "input", "args"):
        arguments = call_table.get(key)
        if arguments is not None:
            return describe(arguments)
    return ""


def _result(
    message: Mapping[str, Any],
    content: object,
    names_by_call_id: dict[str, str],
) -> ChatTurn:
    """Return the result of a tool as a turn of the role "tool", which `does` the tool's name.

    `message` is the message or the part that holds `content`. The name is its own, or that of its
    call in `names_by_call_id`; "" if unknown. If its `error` or `is_error` says that the tool
    failed, the turn `does` "search failed", and the text begins with the error unless the error is
    in it already.
    """
    name = _name_of_result(message, names_by_call_id)
    text = _text_of(content)
    error = message.get("error")
    has_failed = error or message.get("is_error") is True
    if not has_failed:
        return ChatTurn(TOOL, text, name)

    if isinstance(error, Mapping):
        error = error.get("message")
    if isinstance(error, str) and error not in text:
        text = f"{error}\n{text}" if text else error
    return ChatTurn(TOOL, text, f"{name} failed".strip())


def _name_of_result(
    message: Mapping[str, Any],
    names_by_call_id: Mapping[str, str],
) -> str:
    """Return the name of the tool that gave a result; "" if it is unknown.

    `message` is a tool's message, or a part of a content that is a result. The name is its own, or
    that in `names_by_call_id` for the call whose id it has. Of several ids, the first with a known
    name counts.
    """
    for key in ("name", "function", "toolName"):
        own_name = message.get(key)
        if isinstance(own_name, str) and own_name:
            return own_name

    call_ids: list[object] = []
    for key in ("tool_call_id", "tool_use_id", "call_id", "toolCallId"):
        call_ids.append(message.get(key))
    more_call_ids = message.get("tool_call_ids")
    if isinstance(more_call_ids, list):
        call_ids += more_call_ids
    if message.get("role") is None:  # a part of a message, whose id is that of its call
        call_ids.append(message.get("id"))
    for call_id in call_ids:
        name = names_by_call_id.get(str(call_id))
        if name:
            return name
    return ""


def describe(value: object) -> str:
    """Return a text as it is, and any other value as JSON on one line.

    Characters beyond ASCII stay. What JSON does not have, such as a date, is in it as a text.
    """
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


# -- readable -------------------------------------------------------------------------------------


def in_lines(text: str) -> str:
    """Return a JSON table as lines `key: value`, one for each key; any other text as it is.

    A value is JSON on the line of its key, also a list or another table: `q: "a"`. Only a text of
    several lines stands below its key, indented and without quotes. A table stays as it is if lines
    would lose something: a double key, a key that is no single word or has a colon, or a number
    with more digits than are kept. An empty table and a text of more than `_LARGE` characters stay
    as they are, too.
    """
    if len(text) > _LARGE:
        return text
    if not text.lstrip().startswith("{"):
        return text

    try:
        exact = json.loads(
            text,
            parse_float=Decimal,
            object_pairs_hook=_table_without_double_keys,
        )
        value = json.loads(text)
        written_again = json.dumps(value)
        if json.loads(written_again, parse_float=Decimal) != exact:
            return text
    except (ValueError, ArithmeticError, RecursionError):
        return text

    if not value:
        return text
    lines: list[str] = []
    for key, inner in value.items():
        if not _KEY.fullmatch(key):
            return text
        lines.append(f"{key}:{_after_key(inner)}")
    return "\n".join(lines)


_KEY = re.compile(r"[^\s:]+")


def _table_without_double_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return pairs of keys and values as a table; raises ValueError if a key is in two of them."""
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key is double")
    return table


def _after_key(value: object) -> str:
    """Return what follows a key and its colon: a space, and the value as JSON.

    For a text of several lines it is instead a newline and the lines, each indented by two spaces,
    without quotes or escapes. A text that has line ends other than newlines is JSON all the same.
    """
    if isinstance(value, str) and "\n" in value:
        lines = value.split("\n")
        lines_of_any_kind = value.splitlines()
        if lines_of_any_kind in (lines, lines[:-1]):
            indented = [f"  {line}" for line in lines]
            return "\n" + "\n".join(indented)
    as_json = json.dumps(value, ensure_ascii=False)
    return f" {as_json}"


_HEAD = re.compile(
    r"(?:\A\s*|\n\n)(system|developer|user|human|assistant|ai|tool):(?: |\n|\Z)",
    re.IGNORECASE,
)


class PromptTurns(NamedTuple):
    """What a response answers."""

    newest: ChatTurn
    """The last turn of the user."""
    earlier: Sequence[ChatTurn] = ()
    """The turns before it."""
    since: Sequence[ChatTurn] = ()
    """The turns between it and the response: calls of tools and their results."""


def asked(turns: Sequence[ChatTurn]) -> PromptTurns | None:
    """Return the turns before a response, parted at the user's last turn; None without turns.

    The user's last turn is `newest`, those before it are `earlier`, and those after it `since`.
    Without a turn of a user, the last turn is the newest.
    """
    if not turns:
        return None
    newest = len(turns) - 1
    for index, turn in enumerate(turns):
        if turn.role == USER:
            newest = index
    earlier = turns[:newest]
    since = turns[newest + 1 :]
    return PromptTurns(turns[newest], earlier, since)


def last_asked(turns: Sequence[ChatTurn]) -> str:
    """Return the text of the user's last turn among some turns; "" if no user spoke.

    The text keeps its white space.
    """
    for turn in reversed(turns):
        if turn.role == USER:
            return turn.text
    return ""


def turns_of(trace: Trace, question: str | None) -> list[ChatTurn]:
    """Return the turns before a trace's response: those of its messages, or else of `question`.

    If there are no messages, `question` is parted as by `parted`; None has no turns. If there are
    messages but no user says anything in them, `question` is a turn of the user after the system's
    first turns. The response is the assistant's last turn with the same text, white space at the
    ends aside; all turns are returned if there is none.
    """
    if not trace.messages:
        return parted(question or "")
    turns, response_index = turns_with_response(trace, question)
    return turns[:response_index]


def turns_with_response(
    trace: Trace,
    question: str | None,
) -> tuple[list[ChatTurn], int | None]:
    """Return all turns of a trace, and the index of its response among them.

    The response is the assistant's last turn with the same text, white space at the ends aside. If
    there is none, the response is added as the last turn; a blank one is not, and its index is
    None. If no user says anything in the messages, `question` is a turn of the user after the
    system's first turns.
    """
    said, response_index = said_with_response(trace, question)
    return [turn for turn, _ in said], response_index


def said_with_response(
    trace: Trace,
    question: str | None,
) -> tuple[list[SaidTurn], int | None]:
    """Return all turns of a trace with the index of each one's message, and the response's index.

    The response is the assistant's last turn with the same text, white space at the ends aside. If
    there is none, the response is added as the last turn; a blank one is not, and the second value
    is None. If no user says anything in the messages, `question` is a turn of the user after the
    system's first turns. Turns that are added have None for the index of their message.
    """
    said = list(said_in(trace.messages or ()))
    users_turns = [turn for turn, _ in said if turn.role == USER]
    if question and not users_turns:
        question_turn = ChatTurn(USER, question)
        said.insert(_count_of_first_system_turns(said), (question_turn, None))

    answer = trace.response.strip()
    response_index = None
    for index, (turn, _) in enumerate(said):
        if turn.is_spoken_by_assistant and turn.text.strip() == answer:
            response_index = index
    if response_index is None and answer:
        response_index = len(said)
        response_turn = ChatTurn(ASSISTANT, trace.response)
        said.append((response_turn, None))
    return said, response_index


def _count_of_first_system_turns(said: Sequence[SaidTurn]) -> int:
    """Return how many turns the system has at the beginning, before anybody else says something."""
    for index, (turn, _) in enumerate(said):
        if turn.role != SYSTEM:
            return index
    return len(said)


def parted(text: str) -> list[ChatTurn]:
    """Return the turns of a question that may be a conversation, written as one text.

    It is one if it begins with a heading such as `user:`, has further headings after empty lines,
    and the sides alternate from a user to a user. One turn of the system may come first. Any other
    text is one turn of the user, as it is: it may well quote a conversation. A blank text has no
    turns.
    """
    if not text.strip():
        return []
    turns = []
    if "\n\n" in text:  # else no second turn could begin
        turns = _turns_by_headings(text)
    if not _is_conversation([turn.role for turn in turns]):
        return [ChatTurn(USER, text)]
    return turns


def _turns_by_headings(text: str) -> list[ChatTurn]:
    """Return the turns of a text that begins with a heading such as `user:`; else none.

    A heading is a role and a colon, in any case, at the beginning of the text or after an empty
    line. Each begins a turn, which has the role's usual name. Its text is all up to the next
    heading, without newlines around it.
    """
    headings = list(_HEAD.finditer(text))
    if not headings or headings[0].start() > 0:
        return []

    ends = [heading.start() for heading in headings[1:]]
    ends.append(len(text))
    turns: list[ChatTurn] = []
    for heading, end in zip(headings, ends, strict=True):
        role = role_of(heading[1])
        words = text[heading.end() : end]
        turns.append(ChatTurn(role, words.strip("\n")))
    return turns


def _is_conversation(roles: Sequence[str]) -> bool:
    """Return whether these roles, in order, are a conversation that a user began and spoke last in.

    User and assistant must alternate, in at least two turns of any role. The system may only be the
    first of all, and a tool only come after the first user.
    """
    spoken = [role for role in roles if role in (USER, ASSISTANT)]
    if len(roles) <= 1 or not spoken:
        return False
    if spoken[0] != USER or roles[-1] != USER:
        return False

    if SYSTEM in roles[1:]:
        return False
    first_user = roles.index(USER)
    if TOOL in roles[:first_user]:
        return False
    return all(role != next_role for role, next_role in pairwise(spoken))
