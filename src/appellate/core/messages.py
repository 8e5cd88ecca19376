"""Messages as files have them: what each side wrote, thought, called a tool with, and got from it.
OpenAI's chat and responses, Anthropic's blocks, inspect_ai's; any other shape as it is.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

from sentencex import get_sentence_boundaries

from appellate.core.trace import Trace

_LONGEST = 16_384
"""Characters looked through at once: the splitter's time grows faster than a paragraph."""


def sentence_bounds(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, the white space behind it included.

    A long text is looked through in parts, which end at a line's end if there is one, else at a
    blank.
    """
    harmless = re.sub("[\ud800-\udfff]", "\ufffd", text)
    start = 0
    while start < len(harmless):
        stop = _stop(harmless, start)
        for found in get_sentence_boundaries("en", harmless[start:stop]):
            yield start + found["start_index"], start + found["end_index"]
        start = stop


def _stop(text: str, start: int) -> int:
    """Where the part that starts here ends."""
    furthest = start + _LONGEST
    if furthest >= len(text):
        return len(text)
    for end in ("\n", " "):
        place = text.rfind(end, start, furthest)
        if place >= start + _LONGEST // 2:
            return place + 1
    return furthest


USER = "user"
ASSISTANT = "assistant"
SYSTEM = "system"
TOOL = "tool"
CALLS = "calls"
THINKS = "thinks"
_MEANT = {"human": USER, "ai": ASSISTANT, "model": ASSISTANT, "developer": SYSTEM, "function": TOOL}
_THOUGHTS = ("thinking", "reasoning", "summary", "redacted_thinking")
_THOUGHT_APART = ("reasoning_content", "reasoning")
_LARGE = 1_000_000  # characters of JSON beyond which it is shown as it is


class ChatTurn(NamedTuple):
    """What one side wrote; `role` is one of the four, or what the file calls another.

    `does` is what it does otherwise: "thinks", "calls search", of a tool its name. `name` is which
    of several agents it is.
    """

    role: str
    text: str
    does: str = ""
    name: str = ""

    @property
    def title(self) -> str:
        return " ".join(f"{self.role} {self.name} {self.does}".split())

    @property
    def calls(self) -> bool:
        """Whether it is a call of a tool."""
        return self.does.partition(" ")[0] == CALLS and self.role != TOOL

    @property
    def readable(self) -> str:
        """The text; the arguments of a call are read easier a key a line."""
        return in_lines(self.text) if self.calls else self.text


def role_of(name: object) -> str:
    """Return a role by the name that we have for it; another keeps its own, in its own case."""
    lowered = str(name).lower()
    if lowered in (USER, ASSISTANT, SYSTEM, TOOL):
        return lowered
    return _MEANT.get(lowered, " ".join(str(name).split()) or "unknown")


SaidTurn = tuple[ChatTurn, int | None]
"""A turn, and the index of the message that it is in; None where no message has it."""


def recorded(messages: Sequence[Any]) -> Iterator[ChatTurn]:
    """The turns that some messages are: each text, thought, call and result is one."""
    for turn, _ in said_in(messages):
        yield turn


def said_in(messages: Sequence[Any]) -> Iterator[SaidTurn]:
    """Yield the turns that some messages are, each with the index of its message."""
    tools: dict[str, str] = {}  # the name of each by the id of its call
    for index, message in enumerate(messages):
        if isinstance(message, Mapping):
            for turn in _turns(message, tools):
                yield turn, index
        else:
            yield ChatTurn("unknown", describe(message)), index


def _turns(message: Mapping[str, Any], tools: dict[str, str]) -> Iterator[ChatTurn]:
    role = role_of(message.get("role") or "unknown")
    name = message.get("name")
    if isinstance(name, str) and name.strip() and role in (USER, ASSISTANT):
        for turn in _unnamed_turns({**message, "name": None}, tools):
            yield turn._replace(name=name.strip()) if turn.role == role else turn
        return
    yield from _unnamed_turns(message, tools)


def _unnamed_turns(message: Mapping[str, Any], tools: dict[str, str]) -> Iterator[ChatTurn]:
    role = role_of(message.get("role") or "unknown")
    if "role" not in message and message.get("type") not in (None, "message"):
        yield _part("unknown", message, tools)  # an item of OpenAI's responses
        return
    found: list[ChatTurn] = []
    for name in _THOUGHT_APART:
        if isinstance(message.get(name), str) and message[name].strip():
            found.append(ChatTurn(role, message[name], THINKS))
            break
    content = message.get("content", message.get("parts"))
    if role == TOOL and not _are_results(content):
        found.append(_result(message, content, tools))
    else:
        found += _wording(role, content, tools)
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        calls = [message["function_call"]] if message.get("function_call") else []
    found += [_call(role, call, tools) for call in calls]
    yield from found or [ChatTurn(role, "")]


def _wording(role: str, content: object, tools: dict[str, str]) -> Iterator[ChatTurn]:
    """The turns that a content is; texts that stand side by side are one."""
    parts = content if isinstance(content, list) else [content]
    texts: list[str] = []
    for part in parts:
        turn = ChatTurn(role, describe(part))
        if part is None:
            continue
        if isinstance(part, Mapping):
            turn = _part(role, part, tools)
        if turn.does or turn.role != role:
            yield from _joined(role, texts)
            yield turn
        else:
            texts.append(turn.text)
    yield from _joined(role, texts)


def _joined(role: str, texts: list[str]) -> Iterator[ChatTurn]:
    text = "\n".join(texts)
    texts.clear()
    if text.strip():
        yield ChatTurn(role, text)


_RESULTS = ("tool_result", "function_call_output", "tool_call_response", "tool_response")


def _are_results(content: object) -> bool:
    """Return whether a content is parts that are results themselves, each with its call's id."""
    if not isinstance(content, list):
        return False
    kinds = [str(part.get("type")) for part in content if isinstance(part, Mapping)]
    return any(kind.replace("-", "_").endswith(_RESULTS) for kind in kinds)


def _part(role: str, part: Mapping[str, Any], tools: dict[str, str]) -> ChatTurn:
    """One part of a content; of a picture and the like, what it is."""
    kind = str(part.get("type") or "part").replace("-", "_")
    if kind.endswith(("tool_use", "tool_call", "function_call")):
        return _call(ASSISTANT, part, tools)
    if kind.endswith(_RESULTS):
        names = ("content", "output", "result", "response")
        content = next((part[key] for key in names if key in part), None)
        return _result(part, content, tools)
    if kind in _THOUGHTS:
        keys = (*_THOUGHTS, "text", "content", "data")
        return ChatTurn(ASSISTANT, _first_text(part, keys), THINKS)
    if kind in _BYTES:
        text = _first_text(part, ("text",))
        return ChatTurn(role, text or _told(_sort_of(kind, part), part))
    text = _first_text(part, ("text", kind, "content"))
    source = part.get("source")
    if not text and isinstance(source, Mapping) and source.get("type") in ("text", "content"):
        text = _first_text(source, ("data", "content"))  # a document of Anthropic's
    if not text:
        text = _told(kind, part) if "type" in part else describe(part)
    return ChatTurn(role, text)


_PICTURES = {"image_url": "image", "input_image": "image", "input_audio": "audio"}
_ADDRESSES = ("path", "url", "file_path", "uri", "image", "image_url", "audio", "file", "source")
_LONGEST_ADDRESS = 500
_SORTS = ("image", "audio", "video")
_BYTES = (*_SORTS, "blob", "binary", "uri")
"""Kinds of parts with a picture or a sound, or its address: the bytes are no words."""


def _sort_of(kind: str, part: Mapping[str, Any]) -> str:
    """Return what a part of bytes is: "image", "audio", "video", or else "file"."""
    if kind in _SORTS:
        return kind
    for key in ("modality", "mime_type", "media_type"):
        sort = str(part.get(key)).partition("/")[0]
        if sort in _SORTS:
            return sort
    return "file"


def _told(kind: str, part: Mapping[str, Any]) -> str:
    """Return what a part without words is: `(image: room.png)`, its bytes left out."""
    name = _PICTURES.get(kind, kind)
    values = [part.get(key) for key in _ADDRESSES]
    values += [below.get(key) for below in values if isinstance(below, dict) for key in _ADDRESSES]
    addresses = [value for value in values if isinstance(value, str) and _is_address(value)]
    if addresses:
        return f"({name}: {' '.join(addresses[0].split())})"
    return f"({name})"


def _is_address(text: str) -> bool:
    """Return whether a text is where something lies, and not its bytes."""
    if not 0 < len(text) <= _LONGEST_ADDRESS or text.startswith("data:"):
        return False
    return "." in text or "/" in text


def _first_text(part: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The first of these that says something: a text, or texts in parts."""
    for key in keys:
        value = part.get(key)
        if isinstance(value, list):
            value = _text_of(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _text_of(content: object) -> str:
    """All that a content says, whoever says it."""
    return "\n".join(turn.text for turn in _wording("", content, {}))


def _call(role: str, call: object, tools: dict[str, str]) -> ChatTurn:
    """What a tool is called with; `function` has both in OpenAI's chat, or the name alone."""
    if not isinstance(call, Mapping):
        return ChatTurn(role, describe(call), CALLS)
    of = call.get("function", call.get("custom"))
    within = of if isinstance(of, Mapping) else call
    named = [of, *(within.get(key) for key in ("name", "toolName"))]
    name = next((one for one in named if isinstance(one, str)), "")
    given = ("arguments", "input", "args")
    text = next((describe(within[key]) for key in given if within.get(key) is not None), "")
    if not name and not text:
        return ChatTurn(role, describe(call), CALLS)
    for key in ("id", "call_id", "toolCallId"):
        if isinstance(call.get(key), str):
            tools[call[key]] = name
    return ChatTurn(role, text, f"{CALLS} {name}".strip())


def _result(message: Mapping[str, Any], content: object, tools: dict[str, str]) -> ChatTurn:
    """What a tool gave."""
    names = [message.get(key) for key in ("name", "function", "toolName")]
    ids = [message.get(key) for key in ("tool_call_id", "tool_use_id", "call_id", "toolCallId")]
    several = message.get("tool_call_ids")
    if isinstance(several, list):
        ids += several
    if message.get("role") is None:  # a part of a message, whose id is that of its call
        ids.append(message.get("id"))
    names += map(tools.get, map(str, ids))
    name = next((one for one in names if isinstance(one, str) and one), "")
    text = _text_of(content)
    error = message.get("error")
    if error or message.get("is_error") is True:
        name = f"{name} failed".strip()
        if isinstance(error, Mapping):
            error = error.get("message")
        if isinstance(error, str) and error not in text:
            text = "\n".join(filter(None, (error, text)))
    return ChatTurn(TOOL, text, name)


def describe(value: object) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


# -- readable -------------------------------------------------------------------------------------


def in_lines(text: str) -> str:
    """Return a table that is JSON as lines, a key a line; any other text as it is.

    So is one that would not be the same then: with a key that is double or no single word, or a
    number that has more digits than are kept.
    """
    if not text.lstrip().startswith("{") or len(text) > _LARGE:
        return text
    try:
        exact = json.loads(text, parse_float=Decimal, object_pairs_hook=_once)
        value = json.loads(text)
        if not value or json.loads(json.dumps(value), parse_float=Decimal) != exact:
            return text
    except (ValueError, ArithmeticError, RecursionError):
        return text
    if not all(_KEY.fullmatch(key) for key in value):
        return text
    return "\n".join(f"{key}:{_plainly(below)}" for key, below in value.items())


_KEY = re.compile(r"[^\s:]+")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key is double")
    return table


def _plainly(value: object) -> str:
    """A value behind its key; a text of several lines is below it, indented, without quotes."""
    if isinstance(value, str) and "\n" in value:
        lines = value.split("\n")
        if value.splitlines() == lines or value.splitlines() == lines[:-1]:
            return "\n" + "\n".join(f"  {line}" for line in lines)
    return f" {json.dumps(value, ensure_ascii=False)}"


_HEAD = re.compile(
    r"(?:\A\s*|\n\n)(system|developer|user|human|assistant|ai|tool):(?: |\n|\Z)", re.IGNORECASE
)


class PromptTurns(NamedTuple):
    """What the response answers: the newest turn of the user, what came before it, and what came
    between it and the response (calls of tools, and what these gave).
    """

    newest: ChatTurn
    earlier: Sequence[ChatTurn] = ()
    since: Sequence[ChatTurn] = ()


def asked(turns: Sequence[ChatTurn]) -> PromptTurns | None:
    """What the response answers; None where nothing was recorded."""
    if not turns:
        return None
    users = [at for at, turn in enumerate(turns) if turn.role == USER]
    at = users[-1] if users else len(turns) - 1
    return PromptTurns(turns[at], turns[:at], turns[at + 1 :])


def last_asked(turns: Sequence[ChatTurn]) -> str:
    """Return what a user said last in some turns; "" where none did."""
    return next((turn.text for turn in reversed(turns) if turn.role == USER), "")


def turns_of(trace: Trace, question: str | None) -> list[ChatTurn]:
    """Return everything before the response: the trace's messages, else what its question says."""
    if not trace.messages:
        return parted(question or "")
    turns, response = turns_with_response(trace, question)
    return turns[:response]


def turns_with_response(trace: Trace, question: str | None) -> tuple[list[ChatTurn], int | None]:
    """Return all turns of a trace, and the index of the response among them; None without one.

    The response is the last text of the assistant that says what `trace.response` says. Where no
    turn does, it is added as the last one. A question that no user asked is put before all but the
    system's first words.
    """
    said, response = said_with_response(trace, question)
    return [turn for turn, _ in said], response


def said_with_response(trace: Trace, question: str | None) -> tuple[list[SaidTurn], int | None]:
    """Return the same turns, each with the index of its message in `trace.messages`."""
    said = list(said_in(trace.messages or ()))
    if question and all(turn.role != USER for turn, _ in said):
        said.insert(_first_of_others(said), (ChatTurn(USER, question), None))
    answer = trace.response.strip()
    response = None
    for index, (turn, _) in enumerate(said):
        if turn.role == ASSISTANT and not turn.does and turn.text.strip() == answer:
            response = index
    if response is None and answer:
        response = len(said)
        said.append((ChatTurn(ASSISTANT, trace.response), None))
    return said, response


def _first_of_others(said: Sequence[SaidTurn]) -> int:
    """Return the index of the first turn that is not the system's."""
    for index, (turn, _) in enumerate(said):
        if turn.role != SYSTEM:
            return index
    return len(said)


def parted(text: str) -> list[ChatTurn]:
    """The turns of a conversation that was written as one text, `user: …`, an empty line,
    `assistant: …` and so on; any other text is one turn of the user's.

    It is taken for a conversation only where it begins as one, the sides alternate and the user has
    the last word: a text may well quote another.
    """
    if not text.strip():
        return []
    heads = list(_HEAD.finditer(text))
    turns = []
    if heads and not heads[0].start():
        ends = [*(head.start() for head in heads[1:]), len(text)]
        for head, end in zip(heads, ends, strict=True):
            turns.append(ChatTurn(role_of(head[1]), text[head.end() : end].strip("\n")))
    if not _is_conversation([turn.role for turn in turns]):
        return [ChatTurn(USER, text)]
    return turns


def _is_conversation(roles: Sequence[str]) -> bool:
    """Whether sides take turns: a system may speak first, and tools once there was an answer."""
    spoken = [role for role in roles if role in (USER, ASSISTANT)]
    if len(roles) <= 1 or spoken[:1] != [USER] or roles[-1] != USER:
        return False
    if SYSTEM in roles[1:] or TOOL in roles[: roles.index(USER) + 1]:
        return False
    return all(one != other for one, other in pairwise(spoken))
