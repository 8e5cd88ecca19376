"""What queries look for in the steps of a trace with messages."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from appellate.core.messages import CALLS, USER, said_with_response
from appellate.core.trace import Trace
from appellate.core.transcript import words_of


class LookedFor(NamedTuple):
    """What is looked for in a conversation: words by the role that said them, tools called."""

    steps: int
    words: Mapping[str, str]
    """Those of all steps of a role, in order, with the names of agents, calls and tools."""
    tools: Sequence[str]


def looked_for_in(trace: Mapping[str, Any], question: str) -> LookedFor:
    """Return what a search finds in the steps of a trace: words by their role, and tools called.

    `trace` is the trace as a table of its JSON, and must have messages. Its response is among the
    steps. `question` is its question or, without one, the id of the rubric's question. The words of
    the rubric's question are not among those returned: they are looked for in the rubric.
    """
    conversation = Trace.model_construct(
        id=trace["id"],
        response=trace.get("response", ""),
        messages=trace["messages"],
    )
    messages, _ = said_with_response(conversation, question)
    texts: dict[str, list[str]] = {}
    tools: dict[str, None] = {}
    has_own_question = bool(trace.get("question"))
    for turn, message in messages:
        is_question = message is None and turn.role == USER
        if is_question and not has_own_question:
            continue
        parts = texts.setdefault(turn.role, [])
        heading = turn.title.removeprefix(turn.role).strip()
        if heading:
            parts.append(heading)
        parts.append(words_of(turn))
        if turn.calls:
            tools[turn.does.removeprefix(CALLS).strip()] = None
    words = {role: "\n\n".join(parts) for role, parts in texts.items()}
    return LookedFor(len(messages), words, [tool for tool in tools if tool])
