"""The turns of a conversation: those that a trace records, or those that stand in its question's
text, one behind the other.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from appellate.core.trace import Trace

USER, ASSISTANT, SYSTEM, TOOL = "user", "assistant", "system", "tool"
_MEANT = {"human": USER, "ai": ASSISTANT, "developer": SYSTEM, "function": TOOL}
_HEAD = re.compile(
    r"(?:\A\s*|\n\n)(system|developer|user|human|assistant|ai|tool):(?: |\n|\Z)", re.IGNORECASE
)


class ChatTurn(NamedTuple):
    """What one side said; `role` is one of the four, or what the file calls another."""

    role: str
    text: str


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


def turns_of(trace: Trace, question: str | None) -> list[ChatTurn]:
    """All that was said before the response: the trace's messages, else what its question says."""
    turns = list(_recorded(trace.messages or ()))
    if turns and turns[-1] == ChatTurn(ASSISTANT, trace.response.strip()):
        turns.pop()
    if not turns:
        return parted(question or "")
    if question and all(turn.role != USER for turn in turns):
        turns.append(ChatTurn(USER, question))
    return turns


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
            turns.append(ChatTurn(_role(head[1]), text[head.end() : end].strip("\n")))
    if not _is_conversation([turn.role for turn in turns]):
        return [ChatTurn(USER, text)]
    return turns


def _role(name: str) -> str:
    return _MEANT.get(name.lower(), name.lower())


def _is_conversation(roles: Sequence[str]) -> bool:
    """Whether sides take turns: a system may speak first, and tools once there was an answer."""
    spoken = [role for role in roles if role in (USER, ASSISTANT)]
    if len(roles) <= 1 or spoken[:1] != [USER] or roles[-1] != USER:
        return False
    if SYSTEM in roles[1:] or TOOL in roles[: roles.index(USER) + 1]:
        return False
    return all(one != other for one, other in pairwise(spoken))


# -- messages as files have them -------------------------------------------------------------------


def _recorded(messages: Sequence[Any]) -> Iterator[ChatTurn]:
    for message in messages:
        if not isinstance(message, Mapping):
            yield ChatTurn("unknown", _told(message))
            continue
        said = [_content(message.get("content")), *_calls(message.get("tool_calls"))]
        role = _role(str(message.get("role") or "unknown"))
        yield ChatTurn(role, "\n".join(filter(None, said)).strip())


def _content(content: object) -> str:
    """The text of a message: a text, or parts of which some have one."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):
        return "\n".join(map(_part, content))
    return _told(content)


def _part(part: object) -> str:
    """The text of a part; of a picture and the like, what it is."""
    if not isinstance(part, Mapping):
        return _told(part)
    kind = str(part.get("type") or "part")
    for key in ("text", kind, "content"):
        if isinstance(part.get(key), str):
            return str(part[key])
    return f"({kind})"


def _calls(calls: object) -> Iterator[str]:
    """What tools were called with, a line each."""
    if not isinstance(calls, list):
        return
    for call in calls:
        of = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(of, Mapping):  # as OpenAI writes it; others have name and arguments here
            yield f"{of.get('name')}({_told(of.get('arguments'))})"
        elif isinstance(call, Mapping) and isinstance(of, str):
            yield f"{of}({_told(call.get('arguments'))})"
        else:
            yield _told(call)


def _told(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
