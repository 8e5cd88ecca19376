"""A whole conversation as one text: the numbered steps of a run, as judge and person read them.

A step is one text, thought, call of a tool, or result (`core.messages.recorded` splits them). Its
heading is a line of its own, `[4] assistant calls search_flights`, and its words follow unchanged.
The same messages always make the same text. No word of them is lost, except if a trait has long
results shortened, and then the text says so.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from pydantic import PrivateAttr

from appellate.core.messages import (
    ASSISTANT,
    SYSTEM,
    THINKS,
    TOOL,
    USER,
    ChatTurn,
    in_lines,
    last_asked,
    said_with_response,
    turns_of,
    turns_with_response,
)
from appellate.core.problem import many
from appellate.core.trace import Trace

if TYPE_CHECKING:
    from appellate.core.own_words import OwnWords

VERSION = 1
"""The version of the rules by which a transcript is made: offsets into it depend on them.

A sign-off over a text of another version is unsettled. So `store.tables.VERSION` is raised with it:
workspaces are then made again.
"""
_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_LIKE_HEADING = re.compile(rf"(?:^|(?<=[{_LINE_ENDS}]))(?=[^\S{_LINE_ENDS}]*+\[\d+\] )")


class Step(Struct, frozen=True):
    """One step of a conversation, and where it is in the transcript."""

    no: int
    """From 1, without gaps."""
    turn: ChatTurn
    heading_start: int
    heading_end: int
    start: int
    """Where its words begin; the end of its heading if it has none."""
    end: int

    @property
    def name_start(self) -> int | None:
        """The offset in the transcript's text at which the heading says what was called.

        That is at `calls search` for a call, and at `search` for a result. None for other steps,
        and for a result whose tool has no name.
        """
        if self.turn.does in ("", THINKS):
            return None
        return self.heading_end - len(" ".join(self.turn.does.split()))

    @property
    def is_assistants(self) -> bool:
        """Whether these are words or a call of the assistant: only they show what it did."""
        return self.turn.role == ASSISTANT

    @property
    def is_context(self) -> bool:
        """Whether a user or the system speaks, whose words show nothing of what was done."""
        return self.turn.role in (USER, SYSTEM)

    @property
    def rank(self) -> int:
        """Whose words count first as evidence: 0 the assistant's, 1 a tool's, 2 all others'."""
        if self.is_assistants:
            return 0
        if self.turn.role == TOOL:
            return 1
        return 2

    @property
    def stretches(self) -> list[tuple[int, int]]:
        """The stretches in which its excerpts can be, in order, as offsets in the transcript.

        They are what the heading of a call or a result says was called, and its words. It may have
        neither.
        """
        stretches: list[tuple[int, int]] = []
        if self.name_start is not None:
            stretches.append((self.name_start, self.heading_end))
        if self.start < self.end:
            stretches.append((self.start, self.end))
        return stretches


class Transcript(Struct, frozen=True):
    """A conversation as one text, its steps, and which of them is the response."""

    text: str
    steps: Sequence[Step]
    response: int | None
    """The index of the response in `steps`; None if nobody answered."""

    def step_at(self, offset: int) -> Step | None:
        """Return the step at an offset of the text; in the gap after a step it is that step.

        After the text it is the last step. None for an offset before the first step, and without
        steps.
        """
        next_index = bisect_right(self.steps, offset, key=attrgetter("heading_start"))
        if next_index == 0:
            return None
        return self.steps[next_index - 1]

    def step_of(self, span: tuple[int, int]) -> Step | None:
        """Return the step that a stretch of the text is an excerpt of, or None.

        The stretch must have a character, and lie within the words of the step, or within what the
        heading of a call or a result says after the speaker: `calls search_flights`.
        """
        start, end = span
        step = self.step_at(start)
        if step is None or start >= end:
            return None
        is_in_words = step.start <= start and end <= step.end
        if is_in_words:
            return step
        if step.name_start is None:
            return None
        is_in_name = step.name_start <= start and end <= step.heading_end
        return step if is_in_name else None

    def parts_of(self, span: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the parts of a stretch that can be excerpts of single steps, in order.

        These are in words, or in what the heading of a call or a result says was called. If any is
        the assistant's, only those count. Empty if the stretch is only over headings and gaps.
        """
        start, end = span
        next_index = bisect_right(self.steps, start, key=attrgetter("heading_start"))
        first = max(next_index - 1, 0)

        assistants_parts: list[tuple[int, int]] = []
        other_parts: list[tuple[int, int]] = []
        for step in self.steps[first:]:
            if step.heading_start >= end:
                break
            parts = assistants_parts if step.is_assistants else other_parts
            for stretch_start, stretch_end in step.stretches:
                part_start = max(stretch_start, start)
                part_end = min(stretch_end, end)
                if part_start < part_end:
                    parts.append((part_start, part_end))
        return assistants_parts or other_parts


SHOWN_BESIDE = 2
"""Steps before and after one with evidence that are shown with it, where others are left out."""


def around(whole: Transcript, spans: Iterable[tuple[int, int]]) -> str:
    """Return the steps of a transcript in which stretches begin, and their neighbours, as a text.

    Stretches are in offsets of the transcript's text. Neighbours are `SHOWN_BESIDE` steps before
    and after. The text begins with a line that says which steps it has; if these are all, it is the
    transcript's own text. Without a stretch that begins in a step it is the response and its
    neighbours, and without a response the last step and its own.
    """
    shown_steps: list[Step] = []
    centers = _steps_with_evidence(whole, spans)
    for step in whole.steps:
        distances = [abs(step.no - center) for center in centers]
        if min(distances) <= SHOWN_BESIDE:
            shown_steps.append(step)
    if len(shown_steps) == len(whole.steps):
        return whole.text

    numbers = ", ".join(str(step.no) for step in shown_steps)
    total = len(whole.steps)
    texts = [f"(a part of the conversation: steps {numbers} of {total})"]
    for step in shown_steps:
        texts.append(whole.text[step.heading_start : step.end])
    return "\n\n".join(texts)


def _steps_with_evidence(
    whole: Transcript,
    spans: Iterable[tuple[int, int]],
) -> set[int]:
    """Return the numbers, from 1, of the steps in which stretches of a transcript begin.

    Stretches are in offsets of its text; those before the first step count for nothing. If none
    counts, the one number is that of the response's step, without a response that of the last step,
    and 0 without any step.
    """
    step_numbers: set[int] = set()
    for start, _ in spans:
        step = whole.step_at(start)
        if step is not None:
            step_numbers.add(step.no)
    if step_numbers:
        return step_numbers
    if whole.response is not None:
        return {whole.response + 1}
    return {len(whole.steps)}


class WholeResult(NamedTuple):
    """A result of a tool of which a conversation has only a part."""

    step_no: int
    turn: ChatTurn
    """The full result, with its title."""
    left_out: int
    """Characters that are missing from the conversation."""

    @property
    def title(self) -> str:
        """The heading of its step, and how many characters are left out of what is judged."""
        count = many(self.left_out, "character")
        return (
            f"{heading(self.turn, self.step_no)} · {count} left out of what is judged"
        )


class ConversationTrace(Trace):
    """A trace of which a trait reads the whole conversation: its text is the transcript."""

    _longest_result: int | None = PrivateAttr(None)

    @property
    def longest_result(self) -> int | None:
        """Characters of a tool's result that are read; None for all."""
        return self._longest_result

    @cached_property
    def transcript(self) -> Transcript:
        """The conversation as numbered steps, made once."""
        return transcript(self, longest_result=self._longest_result)

    @cached_property
    def messages_of_steps(self) -> Sequence[int | None]:
        """For each step the index of its message among `messages`; None if no message has its
        words.

        None are a question and a response that only the trace's own fields hold.
        """
        turns, _ = said_with_response(self, self.question)
        return [index for _, index in turns]

    @property
    def text(self) -> str:
        """The transcript's text, in which excerpts are and offsets count."""
        return self.transcript.text

    @property
    def whole_results(self) -> Sequence[WholeResult]:
        """The full results of tools that are read shortened, in order, each with the number of its
        step.

        Empty if all are read in full.
        """
        if self.longest_result is None:
            return ()

        turns, _ = turns_with_response(self, self.question)
        results: list[WholeResult] = []
        for step_no, turn in enumerate(turns, 1):
            if turn.role != TOOL:
                continue
            left_out = len(turn.text) - self.longest_result
            if left_out > 0:
                results.append(WholeResult(step_no, turn, left_out))
        return results

    @cached_property
    def own_words(self) -> "OwnWords":
        """The words of the assistant's steps, with where each is in the transcript's text.

        They are what it says and thinks, the names of what it calls, and the arguments of the
        calls. Words of others and the rest of the headings are left out.
        """
        from appellate.core.own_words import OwnWords  # not before the first paint

        stretches: list[tuple[int, int]] = []
        for step in self.transcript.steps:
            if step.is_assistants:
                stretches += step.stretches
        return OwnWords.among(self.text, stretches)


def as_conversation(
    trace: Trace,
    longest_result: int | None = None,
) -> ConversationTrace:
    """Return a trace as a trait that reads its whole conversation gets it.

    The trace must have its question's text. `longest_result` is how many characters of a tool's
    result the trait reads; None for all. A trace that is one already, with the same
    `longest_result`, is returned itself. Any other is not changed.
    """
    if isinstance(trace, ConversationTrace) and trace.longest_result == longest_result:
        return trace
    fields = {name: getattr(trace, name) for name in Trace.model_fields}
    conversation = ConversationTrace.model_construct(**fields)
    conversation._longest_result = longest_result  # noqa: SLF001 - of this module
    return conversation


def retold(trace: Trace, words: Mapping[int, str]) -> ConversationTrace:
    """Return a conversation in whose text some steps, by their numbers from 1, have other words.

    Only its text and steps are others; its messages and its response field are the trace's. No step
    of it is the response: the index of that is None. Numbers that no step has are passed over. The
    trace, which must have its question's text, does not change.
    """
    if not isinstance(trace, ConversationTrace):
        trace = as_conversation(trace)
    turns: list[ChatTurn] = []
    for step in trace.transcript.steps:
        turn = step.turn
        if step.no in words:
            turn = turn._replace(text=words[step.no])
        turns.append(turn)

    changed = trace.model_copy()
    changed.__dict__.pop("own_words", None)
    steps = tuple(_positioned_steps(turns))
    changed.__dict__["transcript"] = Transcript(text_of(turns), steps, None)
    return changed


def transcript(
    trace: Trace,
    question: str | None = None,
    longest_result: int | None = None,
) -> Transcript:
    """Return the transcript of a trace; without messages it is the question and the response.

    `question` is what the rubric's question says, for a trace that has none of its own. A tool's
    result is cut to `longest_result` characters as `shortened` does; None keeps all.
    """
    turns, response = turns_with_response(trace, trace.question or question)
    if longest_result is not None:
        for index, turn in enumerate(turns):
            if turn.role == TOOL:
                result = shortened(turn.text, longest_result)
                turns[index] = turn._replace(text=result)
    return Transcript(text_of(turns), tuple(_positioned_steps(turns)), response)


def shortened(text: str, most: int) -> str:
    """Return a text cut to `most` characters: its first half and its last half.

    A line between them, as `(1,200 characters left out)`, is not counted itself. If `most` is odd,
    the first half has one more. A text that is not longer is returned as it is.
    """
    left_out = len(text) - most
    if left_out <= 0:
        return text
    tail_length = most // 2
    head_length = most - tail_length
    count = many(left_out, "character")
    parts = [f"({count} left out)"]
    if head_length:
        parts.insert(0, text[:head_length])
    if tail_length:
        parts.append(text[-tail_length:])
    return "\n".join(parts)


class Context(NamedTuple):
    """What a response answers, as a judge of the response gets it."""

    question: str
    """The question of the trace, else what a user said last before the response, else ""."""
    earlier: str
    """What is before the response, as steps with the numbers of the transcript.

    "" if there is nothing but the question. A last step that only repeats the question is left out.
    """


def context(trace: Trace) -> Context:
    """Return what the response of a trace answers: what was asked, and the steps before it as text.

    What was asked is the question of the trace, else what a user said last before the response,
    else "". The steps are "" without messages. A last step in which a user only repeats what was
    asked is left out.
    """
    if not trace.messages:
        return Context(trace.question or "", "")
    earlier_turns = turns_of(trace, trace.question)
    question = trace.question or last_asked(earlier_turns)
    if not earlier_turns:
        return Context(question, "")

    last_turn = earlier_turns[-1]
    repeats_question = last_turn.text.strip() == question.strip()
    if last_turn.role == USER and repeats_question:
        earlier_turns.pop()
    return Context(question, text_of(earlier_turns))


def question_of(trace: Trace) -> str:
    """Return what was asked: the question of a trace, else what a user said last before the
    response.

    "" if neither is there. The question is not looked up: a trace that has only the id of its
    question must get its text before.
    """
    if trace.question or not trace.messages:
        return trace.question or ""
    return last_asked(turns_of(trace, None))


def text_of(turns: Sequence[ChatTurn]) -> str:
    """Return turns as the text of a transcript: steps from 1, with an empty line between them.

    Each is its heading and, on the next lines, its words if it has any; "" without turns.
    """
    texts: list[str] = []
    for no, turn in enumerate(turns, 1):
        text = heading(turn, no)
        words = words_of(turn)
        if words:
            text += f"\n{words}"
        texts.append(text)
    return "\n\n".join(texts)


def heading(turn: ChatTurn, no: int) -> str:
    """Return the line before the words of a step, without its end: `[3] assistant calls search`."""
    return f"[{no}] {turn.title}"


def words_of(turn: ChatTurn) -> str:
    """Return the words of a turn as the transcript has them.

    They are its text; of a call they are the arguments, one line for each key. A line that looks
    like a heading (`[4] …`) gets a space before it.
    """
    words = in_lines(turn.text) if turn.calls else turn.text
    return _LIKE_HEADING.sub(" ", words)


def _positioned_steps(turns: Sequence[ChatTurn]) -> Iterator[Step]:
    """Yield the turns as steps, numbered from 1, with their positions in the text of these turns.

    That text is the one that `text_of` makes.
    """
    position = 0
    for no, turn in enumerate(turns, 1):
        words = words_of(turn)
        heading_end = position + len(heading(turn, no))
        start = heading_end
        if words:
            start += 1
        end = start + len(words)
        yield Step(no, turn, position, heading_end, start, end)
        position = end + 2
