"""A whole conversation as one text: the steps of a run, numbered, as judge and person read them.

A step is one text, thought, call of a tool, or result (`core.messages.recorded` parts them). Its
heading is a line of its own, `[4] assistant calls search_flights`; its words follow as they are.
The text is the same whenever it is made from the same messages, and no word of them is lost.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from appellate.core.messages import (
    ASSISTANT,
    USER,
    ChatTurn,
    in_lines,
    last_asked,
    turns_of,
    turns_with_response,
)
from appellate.core.trace import Trace

VERSION = 1
"""The version of the rules by which a transcript is made: offsets into it rest on them."""
_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_LIKE_HEADING = re.compile(rf"(?:^|(?<=[{_LINE_ENDS}]))(?=[^\S{_LINE_ENDS}]*+\[\d+\] )")


class Step(Struct, frozen=True):
    """One step of a conversation, and where it stands in the transcript."""

    no: int
    """From 1, without gaps."""
    turn: ChatTurn
    heading_start: int
    start: int
    """Where its words begin; behind its heading where it has none."""
    end: int

    @property
    def is_assistants(self) -> bool:
        """Whether these are words or a call of the assistant, which alone show what it did."""
        return self.turn.role == ASSISTANT


class Transcript(Struct, frozen=True):
    """A conversation as one text, its steps, and which of them is the response.

    `response` is an index into `steps`; None where nobody answered.
    """

    text: str
    steps: Sequence[Step]
    response: int | None


def transcript(trace: Trace, question: str | None = None) -> Transcript:
    """Return the transcript of a trace; one without messages has its question and its response.

    `question` is what the rubric's question says where the trace has none of its own.
    """
    turns, response = turns_with_response(trace, trace.question or question)
    return Transcript(text_of(turns), tuple(_placed(turns)), response)


class Context(NamedTuple):
    """What a response answers, as a judge of the response is told it."""

    question: str
    """The question of the trace, else what a user said last before the response, else ""."""
    earlier: str
    """What stands before the response, as steps with the numbers of the transcript.

    "" where there is nothing but the question. A last step that only says the question is left out.
    """


def context(trace: Trace) -> Context:
    """Return what the response of a trace answers: the question, and what was before."""
    if not trace.messages:
        return Context(trace.question or "", "")
    before = turns_of(trace, trace.question)
    question = trace.question or last_asked(before)
    if before and before[-1].role == USER and before[-1].text.strip() == question.strip():
        before.pop()
    return Context(question, text_of(before))


def question_of(trace: Trace) -> str:
    """Return what was asked: the question of a trace, else what a user said last before it."""
    if trace.question or not trace.messages:
        return trace.question or ""
    return last_asked(turns_of(trace, None))


def text_of(turns: Sequence[ChatTurn]) -> str:
    """Return turns as steps, numbered from 1, with an empty line between them."""
    return "\n\n".join(_step_text(turn, no) for no, turn in enumerate(turns, 1))


def _step_text(turn: ChatTurn, no: int) -> str:
    words = words_of(turn)
    if not words:
        return heading(turn, no)
    return f"{heading(turn, no)}\n{words}"


def heading(turn: ChatTurn, no: int) -> str:
    """Return the line before the words of a step: `[3] assistant calls search`."""
    return f"[{no}] {turn.title}"


def words_of(turn: ChatTurn) -> str:
    """Return the words of a turn as the transcript has them.

    Arguments of a call stand a key a line; a line that reads as a heading gets one blank more.
    """
    words = in_lines(turn.text) if turn.calls else turn.text
    return _LIKE_HEADING.sub(" ", words)


def _placed(turns: Sequence[ChatTurn]) -> Iterator[Step]:
    """Yield the steps with their places in the text of these turns."""
    position = 0
    for no, turn in enumerate(turns, 1):
        words = words_of(turn)
        heading_end = position + len(heading(turn, no))
        start = heading_end
        if words:
            start += 1
        end = start + len(words)
        yield Step(no, turn, position, start, end)
        position = end + 2
