"""Runs of agents from the spans of a trace: a conversation for each agent, the outer one first.

Every call of a model says again what was said before it. The calls are taken in their order, and of
each what nobody has said yet; so nothing is lost where a later call was given a summary.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from appellate.core.messages import ASSISTANT, USER, ChatTurn, describe, recorded
from appellate.core.problem import many
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    NothingSaid,
    Row,
    first_names,
)
from appellate.interop.runs.run import run_of
from appellate.interop.runs.span_words import (
    AGENT,
    MODEL,
    TOOL_USE,
    SpanWords,
    ToolUse,
    call,
    is_system,
    result,
)
from appellate.interop.runs.spans import Span, parsed

WordsOf = Callable[[Span], SpanWords]
_LOST = ["times, tokens and settings of the calls", "definitions of the tools"]


def read(
    spans: Sequence[Span],
    stem: str,
    form: str,
    mapping: Mapping[str, str],
    words_of: WordsOf,
) -> ForeignFile:
    """Return the runs in a file's spans, one for each agent of each trace.

    `words_of` says what a span says, and `form` and `mapping` describe the file. `stem` names a
    trace without an id. Traces without recorded messages are left out and noted. Reading the traces
    raises NothingSaid if no trace has any.
    """
    silent: list[str] = []

    def traces() -> Iterator[ForeignTrace]:
        """Yield the runs, trace by trace in the order of the file.

        Raises NothingSaid at the end if there was no run. Notes anew which traces had calls, but no
        messages.
        """
        silent.clear()
        has_runs = False
        for trace_id, of_trace in _by_trace(spans).items():
            name = trace_id or stem
            runs = list(_runs(name, of_trace, words_of))
            yield from runs
            if runs:
                has_runs = True
            elif any(words_of(span).kind for span in of_trace):
                silent.append(name)
        if not has_runs:
            raise NothingSaid(_WORDLESS, _RECORD)

    def notes() -> list[str]:
        """Return clauses on traces without messages, and on spans without a readable start.

        There are at most two, without full stops; [] if there are none of either. The first one
        counts and names traces with calls that the last reading of the traces left out; there is
        none before.
        """
        sentences = []
        if silent:
            sentences.append(
                f"skipped: {many(len(silent), 'trace')} without messages: {first_names(silent)}",
            )
        unread_count = sum(span.has_unread_start for span in spans)
        if unread_count:
            sentences.append(
                f"left out: the start of {many(unread_count, 'span')}, which cannot be read as a"
                " time; each comes after the span before it in the file",
            )
        return sentences

    return ForeignFile(form, traces, mapping, lost=_LOST, notes=notes)


_WORDLESS = "its spans have no messages: what was asked and answered was not recorded"
_RECORD = (
    "let your tool record contents"
    " (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true), and run the agent again"
)


def _by_trace(spans: Iterable[Span]) -> dict[str, list[Span]]:
    """Return the spans of each trace by its id, in the order of the file.

    Of a span that was sent twice, by its id, the later one is kept in the first one's place. Spans
    without an id are all kept.
    """
    traces: dict[str, dict[str, Span]] = {}
    for span in spans:
        of_trace = traces.setdefault(span.trace_id, {})
        of_trace[span.span_id or f"#{len(of_trace)}"] = span
    return {name: list(of_trace.values()) for name, of_trace in traces.items()}


# -- agents ---------------------------------------------------------------------------------------


class _SpanRecord(Struct):
    """A span, and what it says."""

    span: Span
    words: SpanWords
    around: Sequence[Span]
    """The spans around it and itself, from the outermost on."""
    is_inner_call: bool = True
    """Whether no span below it says the same once more."""


class _Conversation(Struct):
    """What one agent's spans say."""

    agents: Sequence[Span]
    """The agents around the conversation, its own last; none if no agent is recorded."""
    records: list[_SpanRecord] = field(default_factory=list)
    task: ToolUse | None = None
    """The use of a tool by which another agent called this one; None if there is none."""


def _runs(
    trace_id: str,
    spans: Sequence[Span],
    words_of: WordsOf,
) -> Iterator[ForeignTrace]:
    """Yield a run for each agent of a trace that said something, outer agents first.

    The first run is called `trace_id`; further ones have their agent's span id behind it, and the
    name of the run around them as parent. If no agent said anything, it is one run of the root's
    input and output, or none.
    """
    conversations = _conversations(spans, words_of)
    names: dict[str, str] = {}
    for conversation in conversations:
        messages = _messages(conversation.records)
        if not _has_words(messages):
            continue
        has_messages = any(map(_has_messages, conversation.records))
        if conversation.task is not None and not has_messages:
            messages = _around_task(conversation.task, messages)
        name = trace_id
        parent = ""
        for agent in conversation.agents[:-1]:
            parent = names.get(agent.span_id, parent)
        own_id = conversation.agents[-1].span_id if conversation.agents else ""
        if names:
            name = f"{name}-{own_id or len(names)}"
        if not parent:
            parent = names.get("", "")  # calls outside of any agent
        names[own_id] = name
        yield _run(name, parent, messages, conversation.records)
    if not names:
        yield from _run_of_root_values(trace_id, conversations)


def _run_of_root_values(
    trace_id: str,
    conversations: Sequence[_Conversation],
) -> Iterator[ForeignTrace]:
    """Yield one run for a trace without messages, from its root's input and output.

    The root is the first span without a parent that has an output. Nothing without one.
    """
    for conversation in conversations:
        for record in conversation.records:
            if len(record.around) == 1 and record.words.output:
                messages = [{"role": ASSISTANT, "content": record.words.output}]
                if record.words.input:
                    messages.insert(0, {"role": USER, "content": record.words.input})
                yield _run(trace_id, "", messages, [record])
                return


def _conversations(spans: Sequence[Span], words_of: WordsOf) -> list[_Conversation]:
    """Return what each agent's spans say in a trace; outer agents first, then by start.

    Spans around no agent are a conversation, too.
    """
    by_id = {span.span_id: span for span in spans if span.span_id}
    words = {id(span): words_of(span) for span in spans}
    conversations: dict[str, _Conversation] = {}
    starts = _starts(spans)
    for span in sorted(spans, key=lambda span: starts[id(span)]):
        around = _spans_around(span, by_id)
        agents = [outer for outer in around if words[id(outer)].kind == AGENT]
        own_id = agents[-1].span_id if agents else ""
        if own_id not in conversations:
            task = _task_of(around, agents, words)
            conversations[own_id] = _Conversation(agents, task=task)
        conversation = conversations[own_id]
        conversation.records.append(_SpanRecord(span, words[id(span)], around))
    for conversation in conversations.values():
        _mark_outer_calls(conversation.records)

    def depth_first(conversation: _Conversation) -> list[tuple[int, str]]:
        return [(starts[id(agent)], agent.span_id) for agent in conversation.agents]

    return sorted(conversations.values(), key=depth_first)


def _starts(spans: Sequence[Span]) -> dict[int, int]:
    """Return when each span began, in nanoseconds, by the span's `id()`.

    A span whose start is not known has that of the span before it in the file. The first ones have
    the earliest of all, or 0 if none is known.
    """
    known_starts = [span.start for span in spans if span.start is not None]
    latest = min(known_starts, default=0)
    starts: dict[int, int] = {}
    for span in spans:
        if span.start is not None:
            latest = span.start
        starts[id(span)] = latest
    return starts


def _task_of(
    around: Sequence[Span],
    agents: Sequence[Span],
    words: Mapping[int, SpanWords],
) -> ToolUse | None:
    """Return the use of a tool by which an agent called the innermost agent around a span, or None.

    `around` are the spans around it and itself, outermost first, and `agents` those of agents among
    them. `words` are what spans say, by `id(span)`.
    """
    if not agents:
        return None
    for span in reversed(around[: around.index(agents[-1])]):
        kind = words[id(span)].kind
        if kind == AGENT:
            return None
        if kind == TOOL_USE:
            return words[id(span)].tool
    return None


def _spans_around(span: Span, by_id: Mapping[str, Span]) -> list[Span]:
    """Return the spans around a span, from the outermost to the span itself.

    Parents are looked up in `by_id`; a missing one, and a circle, ends the list.
    """
    around = [span]
    seen = {span.span_id}
    parent = by_id.get(span.parent_id)
    while parent is not None and parent.span_id not in seen:
        seen.add(parent.span_id)
        around.append(parent)
        parent = by_id.get(parent.parent_id)
    around.reverse()
    return around


def _mark_outer_calls(records: Sequence[_SpanRecord]) -> None:
    """Set `is_inner_call` to False on spans that only wrap a call of a model.

    They would say the same once more. Spans of agents and tools, and those beyond them, are left.
    Changes the records.
    """
    by_id = {id(record.span): record for record in records}
    for record in records:
        if not _is_told_call(record):
            continue
        for span in reversed(record.around[:-1]):
            outer = by_id.get(id(span))
            if outer is None or outer.words.kind in (AGENT, TOOL_USE):
                break
            outer.is_inner_call = False


def _run(
    name: str,
    parent: str,
    messages: Sequence[Row],
    records: Sequence[_SpanRecord],
) -> ForeignTrace:
    """Return the trace of one agent's run, with what its spans name.

    The model is the last one named; agent and conversation are the first. `parent` is the name of
    the run around it, "" for none. What no span names is left out.
    """
    models = [record.words.model for record in records if record.words.model]
    agents = [
        record.words.agent
        for record in records
        if record.words.kind == AGENT and record.words.agent
    ]
    conversations = [
        record.words.conversation for record in records if record.words.conversation
    ]
    metadata = {
        "agent": agents[0] if agents else None,
        "parent": parent or None,
        "conversation": conversations[0] if conversations else None,
    }
    filled_metadata = {
        key: value for key, value in metadata.items() if value is not None
    }
    return run_of(
        name,
        messages,
        model=models[-1] if models else None,
        metadata=filled_metadata,
    )


# -- messages -------------------------------------------------------------------------------------


class _Step(Struct):
    """A message that is one step, and what tells whether another one says the same."""

    message: Row
    turns: Sequence[ChatTurn]
    call_id: str = ""
    is_result: bool = False


def _has_messages(record: _SpanRecord) -> bool:
    """Return whether a span has any messages: in, out, or a whole conversation."""
    return bool(
        record.words.messages_in
        or record.words.messages_out
        or record.words.all_messages,
    )


def _is_told_call(record: _SpanRecord) -> bool:
    """Return whether a record is of a call of a model whose messages were recorded."""
    return record.words.kind == MODEL and _has_messages(record)


def _messages(records: Sequence[_SpanRecord]) -> list[Row]:
    """Return the conversation that an agent's spans tell together, in order.

    If spans have whole conversations it is the longest, the first of equal ones. Otherwise the
    calls of the model are joined, each with what was not said before it; spans around them add what
    no call has. If that tells of no call or result of a tool, and the model's calls were not
    recorded, those of the tools' spans are inserted before the answer. In every case, results that
    only spans of tools have are put behind their calls. [] without words.
    """
    conversations = [
        record.words.all_messages for record in records if record.words.all_messages
    ]
    if conversations:
        longest = conversations[0]
        for messages in conversations:
            if len(messages) > len(longest):
                longest = messages
        steps = list(map(_step, longest))
        return [step.message for step in _with_results(steps, records)]
    steps = []
    outer: list[_SpanRecord] = []
    previous_steps: list[_Step] = []
    for record in filter(_has_messages, records):
        if record.words.kind == MODEL and record.is_inner_call:
            previous_steps = _steps_after(previous_steps, record.words.messages_in)
            _add_new(steps, previous_steps)
            steps += map(_step, record.words.messages_out)
        else:
            outer.append(record)
    for record in outer:
        _add_outer_words(steps, record.words)
    is_called = any(step.is_result or _calls(step) for step in steps)
    if not is_called and not any(map(_is_told_call, records)):
        _add_uses(steps, records)
    return [step.message for step in _with_results(steps, records)]


def _steps_after(previous: Sequence[_Step], messages: Sequence[Row]) -> list[_Step]:
    """Return the messages that a call of a model was given, as steps.

    For messages equal to the beginning of the previous call's, the steps of that are reused, for
    speed.
    """
    steps: list[_Step] = []
    for message, step in zip(messages, previous, strict=False):
        if step.message != message:
            break
        steps.append(step)
    steps += map(_step, messages[len(steps) :])
    return steps


def _step(message: Row) -> _Step:
    """Return a message of one text, thought, call or result as a step that can be compared.

    Of several calls in the message only the first one's id counts.
    """
    turns = [_comparable(turn) for turn in recorded([message])]
    calls = message.get("tool_calls")
    if calls:
        return _Step(message, turns, str(calls[0].get("id") or ""))
    is_result = message.get("role") == "tool"
    return _Step(message, turns, str(message.get("tool_call_id") or ""), is_result)


def _comparable(turn: ChatTurn) -> ChatTurn:
    """Return a copy of a turn without what may differ between two records of one step.

    That is blanks around its words, the writing of JSON arguments, and the name of a speaker or of
    a result's tool.
    """
    text = turn.text.strip()
    if turn.calls:
        try:
            text = json.dumps(json.loads(text or "{}"), sort_keys=True)
        except (ValueError, RecursionError):
            return turn._replace(text=text)
        return turn._replace(text=text)
    if turn.role == "tool":
        return ChatTurn(turn.role, text)
    return turn._replace(text=text, name="")


def _is_same(first: _Step, second: _Step) -> bool:
    """Return whether two steps are records of the same one.

    Calls with one id are the same. Results with different ids are not. Otherwise their words
    decide, even where calls have different ids, since some libraries give a call two ids.
    """
    if first.is_result != second.is_result:
        return False
    if _calls(first) and first.call_id and first.call_id == second.call_id:
        return True
    if (
        first.is_result
        and first.call_id
        and second.call_id
        and first.call_id != second.call_id
    ):
        return False
    return first.turns == second.turns


def _add_new(steps: list[_Step], new_steps: Sequence[_Step]) -> None:
    """Add the steps that a call was given and `steps` lacks to `steps`, behind what came before.

    Changes `steps`. Words are matched in their order, so that a user who says "yes" twice says it
    twice. Calls and results may be matched out of order. The system's words at the beginning go to
    the beginning. Of an answer with and without a closing tag the longer one stays.
    """
    position = 0
    used: set[int] = set()
    leading = all(not is_system(step.message) for step in steps)
    head = 0
    for step in new_steps:
        index = _index_of(step, steps, position, used)
        if (
            index is None
            and position < len(steps)
            and _differs_by_closing_tag(steps[position], step)
        ):
            index = position
            steps[index] = _longer(steps[index], step)
        if index is not None:
            used.add(index)
            position = max(position, index + 1)
            leading = leading and is_system(step.message)
            continue
        if leading and is_system(step.message):
            steps.insert(head, step)
            used = {
                used_index + 1 if used_index >= head else used_index
                for used_index in used
            } | {head}
            head += 1
            position = head
            continue
        leading = False
        used.add(len(steps))
        steps.append(step)
        position = len(steps)


def _index_of(
    step: _Step,
    steps: Sequence[_Step],
    position: int,
    used: Collection[int],
) -> int | None:
    """Return the index in `steps` of a record of the same step, or None.

    It is looked for from `position` on; for a call or a result also before that. Indices in `used`
    are taken. A call with the same id comes before one with the same words.
    """
    if (
        position < len(steps)
        and position not in used
        and _is_same(step, steps[position])
    ):
        return position
    if _calls(step) and step.call_id:
        for index, candidate in enumerate(steps):
            if (
                index not in used
                and _calls(candidate)
                and candidate.call_id == step.call_id
            ):
                return index
    places = list(range(position, len(steps)))
    if step.is_result or _calls(step):
        places += range(position)
    for index in places:
        if index not in used and _is_same(step, steps[index]):
            return index
    return None


def _differs_by_closing_tag(step: _Step, later: _Step) -> bool:
    """Return whether two steps are the assistant's same words, except for a closing tag at the end.

    Either may have the tag, as "</think>" or three backticks. False for equal words. A model stops
    before such a tag, and an agent adds it when it repeats the words.
    """
    if len(step.turns) != 1 or len(later.turns) != 1:
        return False
    (turn,) = step.turns
    (later_turn,) = later.turns
    if (
        turn.role != ASSISTANT
        or later_turn.role != ASSISTANT
        or turn.does
        or later_turn.does
    ):
        return False
    shorter = min(turn.text, later_turn.text, key=len)
    longer = max(turn.text, later_turn.text, key=len)
    return (
        longer.startswith(shorter)
        and _CLOSING.fullmatch(longer[len(shorter) :]) is not None
    )


_CLOSING = re.compile(r"\s*(?:</?\w{1,20}>|```)\s*")


def _longer(step: _Step, later: _Step) -> _Step:
    """Return whichever of two steps has the longer text in its first turn; `step` on a tie.

    Both must have a turn.
    """
    text = step.turns[0].text
    later_text = later.turns[0].text
    return later if len(later_text) > len(text) else step


def _calls(step: _Step) -> bool:
    return bool(step.message.get("tool_calls"))


def _add_outer_words(steps: list[_Step], words: SpanWords) -> None:
    """Add to `steps` what a span of an agent, or one around a call, says and no step has.

    Changes `steps`. What went in is put behind the system's words at the beginning, and what came
    out at the end. Words within those of a step are known.
    """
    head = 0
    while head < len(steps) and is_system(steps[head].message):
        head += 1
    for message in words.messages_in:
        step = _step(message)
        if _is_known(step, steps):
            continue
        position = 0 if is_system(message) and not head else head
        steps.insert(position, step)
        head += 1
    for message in words.messages_out:
        step = _step(message)
        if not _is_known(step, steps):
            steps.append(step)


def _is_known(step: _Step, steps: Sequence[_Step]) -> bool:
    """Return whether one of `steps` is the same step, contains its words, or is the call's result.

    A result of the same call is the same whatever it says.
    """
    for existing in steps:
        if (
            step.is_result
            and existing.is_result
            and step.call_id
            and step.call_id == existing.call_id
        ):
            return True
        if _is_same(step, existing) or _is_within(step, existing):
            return True
    return False


def _is_within(step: _Step, container: _Step) -> bool:
    """Return whether a step's words are part of one turn of another step by the same speaker.

    False for a call, and for a step of several turns or none.
    """
    if _calls(step) or len(step.turns) != 1:
        return False
    (turn,) = step.turns
    return any(
        turn.role == container_turn.role and turn.text in container_turn.text
        for container_turn in container.turns
    )


# -- tools ----------------------------------------------------------------------------------------


def _around_task(task: ToolUse, messages: Sequence[Row]) -> list[Row]:
    """Return an agent's messages with its task before them, as a user's, and its result behind.

    `task` is the use of a tool by which another agent called it: its arguments are the task, and
    its result is the assistant's last message. What is missing or empty is left out.
    """
    request: list[Row] = []
    if task.arguments is not None:
        request.append({"role": USER, "content": describe(task.arguments)})
    answer: list[Row] = []
    for turn in recorded([result("", parsed(task.result))]):
        if turn.text.strip():
            answer.append({"role": ASSISTANT, "content": turn.text})
    return [*request, *messages, *answer]


def _add_uses(steps: list[_Step], records: Sequence[_SpanRecord]) -> None:
    """Insert the calls and results of tools' spans into `steps`, before the answer at their end.

    For runs whose calls of a model were not recorded. Changes `steps`. A use without an id is "use
    2", by its span's number.
    """
    answer = len(steps)
    if steps and steps[-1].turns and steps[-1].turns[-1].role == ASSISTANT:
        answer -= 1
    for number, record in enumerate(records, 1):
        use = record.words.tool
        if record.words.kind == TOOL_USE and use is not None:
            call_id = use.call_id or f"use {number}"
            steps.insert(answer, _step(call(call_id, use.name, use.arguments)))
            steps.insert(answer + 1, _step(_result_of(use, call_id)))
            answer += 2


def _result_of(use: ToolUse, call_id: str) -> Row:
    """Return a tool's result as a message for the call `call_id`; its content is "" if it has none.

    If the tool failed the message has the error.
    """
    error = {"message": use.error} if use.error else None
    content = "" if use.result is None else use.result
    return result(call_id, content, name=use.name, error=error)


def _with_results(
    steps: Sequence[_Step],
    records: Sequence[_SpanRecord],
) -> list[_Step]:
    """Return steps with the results that only spans of tools have, inserted behind their calls.

    The results of calls made at once come behind the last of these. The message of a result whose
    tool failed is replaced by one marked `is_error`, which changes that step.
    """
    uses = [
        record.words.tool
        for record in records
        if record.words.kind == TOOL_USE and record.words.tool
    ]
    failed = {use.call_id for use in uses if use.error and use.call_id}
    answered = {step.call_id for step in steps if step.is_result}
    completed: list[_Step] = []
    waiting: list[_Step] = []
    for step in steps:
        if not (_calls(step) or step.is_result):
            completed += waiting
            waiting = []
        if step.is_result and step.call_id in failed:
            step.message = {**step.message, "is_error": True}
        completed.append(step)
        if _calls(step) and step.call_id not in answered:
            use = _use_of(step, uses)
            if use is not None:
                uses.remove(use)
                waiting.append(_step(_result_of(use, step.call_id or use.call_id)))
    return completed + waiting


def _use_of(step: _Step, uses: Sequence[ToolUse]) -> ToolUse | None:
    """Return the use of a tool among `uses` that a call led to, or None.

    By the id; without an id on one side, by name and arguments.
    """
    for use in uses:
        if step.call_id and use.call_id == step.call_id:
            return use
    for use in uses:
        if use.call_id and step.call_id:
            continue
        if _step(call(None, use.name, use.arguments)).turns == step.turns:
            return use
    return None


def _has_words(messages: Sequence[Row]) -> bool:
    """Return whether one of some messages has words: said, of a call's arguments or of a result.

    A result or call without any text does not count.
    """
    return any(turn.text.strip() for turn in recorded(messages))
