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
    """Yield the start and end of each sentence, including the white space after it.

    They follow each other without a gap. A text with more than `_LONGEST` characters is
    looked through in parts of at most that length, and a sentence ends with its part.
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
    """Return where the part of a text that starts at `start` ends: at most `_LONGEST` further on.

    It ends after the last newline in the second half of that, else after the last space there, else
    anywhere.
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
        """The role, the name, and what was done, in one line."""
        parts = (self.role, self.name, self.does)
        return " ".join(" ".join(parts).split())

    @property
    def calls(self) -> bool:
        """Whether it is a call of a tool."""
        verb = self.does.partition(" ")[0]
        return verb == CALLS and self.role != TOOL

    @property
    def is_spoken_by_assistant(self) -> bool:
        """Whether the assistant says something: no call and no thought."""
        return self.role == ASSISTANT and not self.does

    @property
    def readable(self) -> str:
        """The text; the arguments of a call have one line for each key."""
        return in_lines(self.text) if self.calls else self.text


def role_of(name: object) -> str:
    """Return a role by its usual name; another role keeps its own name, in its own case.

    A `name` that is no text is made one first: None becomes "None". White space in another name
    becomes single spaces, and a blank name "unknown".
    """
    own_name = str(name)
    lowered = own_name.lower()
    if lowered in ROLES:
        return lowered
    if lowered in _MEANT:
        return _MEANT[lowered]
    single_spaced = " ".join(own_name.split())
    return single_spaced or "unknown"


def answer_in(messages: Sequence[Any]) -> str:
    """Return the last words of the assistant in some messages; "" if it says nothing.

    Calls of tools and thoughts are no words. Of a message that has one between its words, only the
    words after it are returned.
    """
    answer = ""
    for turn in recorded(messages):
        if turn.is_spoken_by_assistant and turn.text.strip():
            answer = turn.text
    return answer


SaidTurn = tuple[ChatTurn, int | None]
"""A turn, and the index of its message; None if no message has it."""


def recorded(messages: Sequence[Any]) -> Iterator[ChatTurn]:
    """Yield the turns of some messages, in order: each thought, call and result is one.

    Texts of a message that stand next to each other are one turn together. A message that says
    nothing is one turn without text. A message that is no table is one turn of the role "unknown",
    with the message as its text.
    """
    for turn, _ in said_in(messages):
        yield turn


def said_in(messages: Sequence[Any]) -> Iterator[SaidTurn]:
    """Yield the turns of some messages, in order, each with the index of its message.

    Each thought, call and result is a turn. Texts of a message that stand next to each other are
    one turn together, and a message that says nothing is one without text. A message that is no
    table is one turn of an unknown role, with the message as its text.
    """
    tools: dict[str, str] = {}  # the name of each tool, by the id of its call
    for index, message in enumerate(messages):
        if isinstance(message, Mapping):
            for turn in _turns(message, tools):
                yield turn, index
        else:
            yield ChatTurn("unknown", describe(message)), index


def _turns(message: Mapping[str, Any], tools: dict[str, str]) -> Iterator[ChatTurn]:
    """Yield the turns of a message: its thoughts, its content, and its calls of tools.

    `tools` has the names of tools by the ids of their calls, and gets those that the message calls.
    A message of a tool is one turn, its result. A message that says nothing is one turn without
    text. Turns of a user or an assistant get the message's name, if it has one.
    """
    role = role_of(message.get("role") or "unknown")
    is_item_of_responses = "role" not in message and message.get("type") not in (
        None,
        "message",
    )
    if is_item_of_responses:
        yield _turn_of_part("unknown", message, tools)
        return

    turns: list[ChatTurn] = []
    for key in _THOUGHT_APART:
        thought = message.get(key)
        if isinstance(thought, str) and thought.strip():
            turns.append(ChatTurn(role, thought, THINKS))
            break

    content = message.get("content", message.get("parts"))
    if role == TOOL and not _are_results(content):
        turns.append(_result(message, content, tools))
    else:
        turns += _turns_of_content(role, content, tools)

    for call in _calls_beside_content(message):
        turns.append(_call(role, call, tools))

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
    tools: dict[str, str],
) -> Iterator[ChatTurn]:
    """Yield the turns of a message's content; texts next to each other are one turn of `role`.

    A part that is something else, as a thought, is a turn of its own. Parts that are None are left
    out, and so are texts of white space alone.
    """
    parts = content if isinstance(content, list) else [content]
    texts: list[str] = []
    for part in parts:
        if part is None:
            continue
        turn = (
            _turn_of_part(role, part, tools)
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
    """Return whether any part of a content is itself a result of a tool, by its type.

    False for a content that is no list.
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
    tools: dict[str, str],
) -> ChatTurn:
    """Return one part of a content as a turn: a call, a result, a thought or words of `role`.

    A call or a thought is the assistant's, and a call's name is noted in `tools`. A picture and
    the like are described, without their bytes. An unknown part is shown as it is.
    """
    kind = str(part.get("type") or "part").replace("-", "_")
    if kind.endswith(("tool_use", "tool_call", "function_call")):
        return _call(ASSISTANT, part, tools)
    if kind.endswith(_RESULTS):
        return _result(part, _content_of_result(part), tools)
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
    """Return what a tool answered, as it is, from a part that is its result.

    It is under the first of "content", "output", "result" and "response" that the part has. None if
    it has none of these.
    """
    for key in ("content", "output", "result", "response"):
        if key in part:
            return part[key]
    return None


def _text_of_source(part: Mapping[str, Any]) -> str:
    """Return the words of a document that Anthropic's messages have as a part; "" for others.

    They are in the table `source` of the part, whose type is "text" or "content". A document given
    by its bytes or its address has no words here: "".
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
    """Return what a part of bytes is: "image", "audio", "video", or else "file".

    `kind` is the part's type; if that does not tell, its modality or media type does.
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
    """Return what a part without words is: `(image: room.png)`, without its bytes.

    `kind` is the part's type. The address is the first of the part itself, or else of a table in
    it; without one the text is `(image)`.
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
    """Return whether a text is an address and not the bytes themselves.

    It has at most `_LONGEST_ADDRESS` characters, with a point or a slash, and is no `data:`
    address.
    """
    if not text or len(text) > _LONGEST_ADDRESS:
        return False
    if text.startswith("data:"):
        return False
    return "." in text or "/" in text


def _first_text(part: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the first value by these keys that says something, whole; "" if none does.

    A value is a text, or texts in parts, which are joined by newlines. White space alone says
    nothing, and a value of another type is passed over.
    """
    for key in keys:
        value = part.get(key)
        if isinstance(value, list):
            value = _text_of(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _text_of(content: object) -> str:
    """Return all texts of a content, joined by line breaks; "" for none.

    Whoever says them, thoughts and the arguments of calls are among them.
    """
    texts: list[str] = []
    for turn in _turns_of_content("", content, {}):
        texts.append(turn.text)
    return "\n".join(texts)


def _call(role: str, call: object, tools: dict[str, str]) -> ChatTurn:
    """Return the call of a tool by `role` as a turn, and note its name in `tools` by the call's id.

    The turn's text is the arguments, and it `does` "calls" and the name. In OpenAI's chat
    `function` has the name and the arguments, or is the name itself. What has neither is shown as
    it is.
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
            tools[call_id] = name
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
    """Return the arguments of a call as a text, anything but a text as JSON; "" for none.

    `call_table` is the table that has them, in OpenAI's chat that in `function`. They are the first
    of its keys "arguments", "input" and "args" that is not None.
    """
    for key in ("arguments", "input", "args"):
        arguments = call_table.get(key)
        if arguments is not None:
            return describe(arguments)
    return ""


def _result(
    message: Mapping[str, Any],
    content: object,
    tools: dict[str, str],
) -> ChatTurn:
    """Return the result of a tool as a turn of the tool, whose `does` is its name; "" if unknown.

    If the tool failed, " failed" follows the name, and the text begins with the error, unless it
    has it already.
    """
    name = _name_of_result(message, tools)
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


def _name_of_result(message: Mapping[str, Any], tools: Mapping[str, str]) -> str:
    """Return the name of the tool that a result is of; "" if it is unknown.

    The result has the name itself, or else the id of a call whose name is in `tools`. If it
    has several ids, the first with a known name counts.
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
        name = tools.get(str(call_id))
        if name:
            return name
    return ""


def describe(value: object) -> str:
    """Return a text as it is, and anything else as JSON; what JSON has not is in it as a text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


# -- readable -------------------------------------------------------------------------------------


def in_lines(text: str) -> str:
    """Return a JSON table as lines `key: value`, one for each key; any other text as it is.

    A value is on its line as JSON, also a list or another table. Only a text of several
    lines stands indented below its key, without quotes. A table stays as it is if lines
    would lose something: a double key, a key that is no single word or has a colon, or a
    number with more digits than are kept. An empty table and a text of more than `_LARGE`
    characters stay as they are, too.
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
    """Return pairs as a table; raises ValueError if a key is double."""
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key is double")
    return table


def _after_key(value: object) -> str:
    """Return a value as it stands after its key: as JSON, after a space.

    A text of several lines is indented below the key, unless it has line ends of other kinds.
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
    """Return the turns before a response, parted at the last turn of a user; None without turns.

    That turn is `newest`, those before it are `earlier`, and those after it `since`.
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
    """Return what a user said last in some turns; "" if no user spoke."""
    for turn in reversed(turns):
        if turn.role == USER:
            return turn.text
    return ""


def turns_of(trace: Trace, question: str | None) -> list[ChatTurn]:
    """Return everything before the response: the trace's messages, or else what `question` says.

    A question that is written as a conversation, as `user: …`, is parted into its turns; any other
    is one turn of the user, and a blank one none. Messages are all returned if the response is
    blank and none of them equals it.
    """
    if not trace.messages:
        return parted(question or "")
    turns, response_index = turns_with_response(trace, question)
    return turns[:response_index]


def turns_with_response(
    trace: Trace,
    question: str | None,
) -> tuple[list[ChatTurn], int | None]:
    """Return all turns of a trace, and the index of the response among them.

    The response is the last text of the assistant that equals `trace.response`, white space at the
    ends aside. If no turn equals it, it is added as the last turn; if it is blank, the index is
    None. A `question` that no user asked is put after the system's first words.
    """
    said, response_index = said_with_response(trace, question)
    return [turn for turn, _ in said], response_index


def said_with_response(
    trace: Trace,
    question: str | None,
) -> tuple[list[SaidTurn], int | None]:
    """Return all turns of a trace, each with the index of its message, and the response's index.

    The index of a message is None for a turn that no message has. The second value is the index of
    the response among the turns: the last text of the assistant that equals it, white space at the
    ends aside. A response that no turn equals is added as the last turn; if it is blank, the second
    value is None. A `question` that no user asked is put after the system's first words.
    """
    said = list(said_in(trace.messages or ()))
    users_turns = [turn for turn, _ in said if turn.role == USER]
    if question and not users_turns:
        question_turn = ChatTurn(USER, question)
        said.insert(_first_of_others(said), (question_turn, None))

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


def _first_of_others(said: Sequence[SaidTurn]) -> int:
    """Return the index of the first turn that is not the system's, or the number of turns."""
    for index, (turn, _) in enumerate(said):
        if turn.role != SYSTEM:
            return index
    return len(said)


def parted(text: str) -> list[ChatTurn]:
    """Return the turns of a conversation that was written as one text.

    Such a text reads `user: …`, an empty line, `assistant: …` and so on. It is taken for a
    conversation only if it begins as one, the sides alternate, and the user has the last
    word: other texts may well quote a conversation. Any other text is one turn of the user.
    A blank text has no turns.
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
    """Return the turns that begin with headings such as `user:`; empty if no heading begins it.

    A heading is at the beginning of the text or after an empty line. Its turn is all up to the next
    heading, without line ends around it.
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
    """Return whether the sides take turns, from a user to a user, in at least two turns.

    A system may speak first, and tools only after the first user.
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
