"""The turns of a conversation: those that a trace records, or those that stand in its question's
text, one behind the other.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from appellate.core.messages import ASSISTANT, SYSTEM, TOOL, USER, ChatTurn, recorded, role_of
from appellate.core.trace import Trace

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


def turns_of(trace: Trace, question: str | None) -> list[ChatTurn]:
    """All that was said before the response: the trace's messages, else what its question says."""
    turns = list(recorded(trace.messages or ()))
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
