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
    trace without an id. A trace without recorded messages is one run of its root's input and
    output; without an output it is left out, which the notes tell once traces were read. Reading
    the traces raises NothingSaid if there is no run at all.
    """
    silent: list[str] = []

    def traces() -> Iterator[ForeignTrace]:
        """Yield the runs, trace by trace in the file's order: one for each agent with words.

        Notes anew which traces had calls, but no messages: these have no run. Raises NothingSaid at
        the end if there was no run at all.
        """
        silent.clear()
        has_runs = False
        for trace_id, spans_of_trace in _by_trace(spans).items():
            name = trace_id or stem
            runs = list(_runs(name, spans_of_trace, words_of))
            yield from runs
            if runs:
                has_runs = True
            elif any(words_of(span).kind for span in spans_of_trace):
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

    If a span was sent twice, by its id, the later one is kept, in the place of the first.
    Spans without an id are all kept.
    """
    spans_by_id: dict[str, dict[str, Span]] = {}
    for span in spans:
        spans_of_trace = spans_by_id.setdefault(span.trace_id, {})
        number = len(spans_of_trace)
        span_id = span.span_id or f"#{number}"
        spans_of_trace[span_id] = span
    traces: dict[str, list[Span]] = {}
    for trace_id, spans_of_trace in spans_by_id.items():
        traces[trace_id] = list(spans_of_trace.values())
    return traces


# -- agents ---------------------------------------------------------------------------------------


class _SpanRecord(Struct):
    """A span of an agent's conversation, and what it says."""

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
    has_runs = bool(names)
    if not has_runs:
        yield from _run_of_root_values(trace_id, conversations)


def _run_of_root_values(
    trace_id: str,
    conversations: Sequence[_Conversation],
) -> Iterator[ForeignTrace]:
    """Yield one run for a trace without messages: its root's input, a user's, and its output.

    The output is the assistant's message; an empty input is left out. The root is the first span
    without a parent that has an output. Nothing without one. Messages in the spans are not looked
    at.
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
    """Return one conversation for each agent of a trace, with the spans that are within the agent.

    A span is of the innermost agent around it. Spans within no agent are a conversation, too. An
    agent comes before those within it; those side by side are in the order of their starts. The
    spans of a conversation are in the order of their starts.
    """
    by_id: dict[str, Span] = {}
    words: dict[int, SpanWords] = {}
    for span in spans:
        words[id(span)] = words_of(span)
        if span.span_id:
            by_id[span.span_id] = span
    starts = _starts(spans)
    by_agent: dict[str, _Conversation] = {}
    for span in sorted(spans, key=lambda span: starts[id(span)]):
        around = _spans_around(span, by_id)
        agents = [outer for outer in around if words[id(outer)].kind == AGENT]
        agent_id = agents[-1].span_id if agents else ""
        if agent_id not in by_agent:
            task = _task_of(around, agents, words)
            by_agent[agent_id] = _Conversation(agents, task=task)
        record = _SpanRecord(span, words[id(span)], around)
        by_agent[agent_id].records.append(record)
    for conversation in by_agent.values():
        _mark_outer_calls(conversation.records)

    def starts_of_agents(conversation: _Conversation) -> list[tuple[int, str]]:
        """Return (start, span id) of each agent around a conversation, the outermost first."""
        return [(starts[id(agent)], agent.span_id) for agent in conversation.agents]

    return sorted(by_agent.values(), key=starts_of_agents)


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
    """Return the use of a tool by which the innermost agent around a span was called, or None.

    It is in the nearest span of a tool that is outside of that agent, with no other agent between
    the two. None without such a span, and without an agent. `around` are the spans around the span
    and itself, outermost first, and `agents` those of agents among them. `words` are what spans
    say, by `id(span)`.
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
    """Return the spans around a span, from the outermost to the span itself, which is the last.

    Parents are looked up in `by_id`, spans by their ids. A parent that is not there, or that would
    close a circle, ends the search.
    """
    from_within = [span]
    seen_ids = {span.span_id}
    parent = by_id.get(span.parent_id)
    while parent is not None and parent.span_id not in seen_ids:
        seen_ids.add(parent.span_id)
        from_within.append(parent)
        parent = by_id.get(parent.parent_id)
    return from_within[::-1]


def _mark_outer_calls(records: Sequence[_SpanRecord]) -> None:
    """Set `is_inner_call` to False on the records of spans that have a call of a model within them.

    Such a span would say the same once more, whatever its kind. From each call whose messages were
    recorded the spans around it are marked, up to the first of an agent or a tool. Changes the
    records.
    """
    by_id = {id(record.span): record for record in records}
    for record in records:
        if not _is_recorded_call(record):
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
    """Return the trace of one agent's run, called `name`, with what its spans name.

    The model is the last one named. Its metadata are the first `agent` and `conversation` named,
    and the `parent`, which is the name of the run around it, "" for none. What no span names is
    left out.
    """
    model = ""
    agent = ""
    conversation = ""
    for record in records:
        words = record.words
        model = words.model or model
        conversation = conversation or words.conversation
        if words.kind == AGENT:
            agent = agent or words.agent
    metadata: Row = {}
    if agent:
        metadata["agent"] = agent
    if parent:
        metadata["parent"] = parent
    if conversation:
        metadata["conversation"] = conversation
    return run_of(name, messages, model=model or None, metadata=metadata)


# -- messages -------------------------------------------------------------------------------------


class _Step(Struct):
    """A message that is one step: one text, thought, call or result.

    Two calls of a model record a step twice, since each is given what was said before it.
    """

    message: Row
    turns: Sequence[ChatTurn]
    """What the message says, without what may differ between two records of the step."""
    call_id: str = ""
    """The id of the call that it is, or whose result it is; "" without one."""
    is_result: bool = False


def _has_messages(record: _SpanRecord) -> bool:
    """Return whether a span has any messages: in, out, or a whole conversation."""
    words = record.words
    return bool(words.messages_in or words.messages_out or words.all_messages)


def _is_recorded_call(record: _SpanRecord) -> bool:
    """Return whether a record is of a call of a model whose messages were recorded."""
    return record.words.kind == MODEL and _has_messages(record)


def _messages(records: Sequence[_SpanRecord]) -> list[Row]:
    """Return the conversation that an agent's spans tell together, in order; [] without words.

    If spans have whole conversations it is the longest, the first of equal ones. Otherwise the
    calls of the model are joined, each with what was not said before it, and the spans around them
    add what no call has. In either case, results that only spans of tools have are put behind their
    calls.
    """
    longest: Sequence[Row] = ()
    for record in records:
        if len(record.words.all_messages) > len(longest):
            longest = record.words.all_messages
    steps = list(map(_step, longest))
    if not steps:
        steps = _joined_steps(records)
    return [step.message for step in _with_results(steps, records)]


def _joined_steps(records: Sequence[_SpanRecord]) -> list[_Step]:
    """Return the steps of a conversation, put together from an agent's spans in their order.

    The calls of the model are joined, each with what was not said before it. Then spans around them
    add what no call has. If that tells of no call or result of a tool, and the model's calls were
    not recorded, the uses in tools' spans are inserted before the answer.
    """
    steps: list[_Step] = []
    outer_records: list[_SpanRecord] = []
    steps_in: list[_Step] = []
    """What the last call of the model was given."""
    for record in filter(_has_messages, records):
        if record.words.kind == MODEL and record.is_inner_call:
            steps_in = _steps_after(steps_in, record.words.messages_in)
            _add_new(steps, steps_in)
            steps += map(_step, record.words.messages_out)
        else:
            outer_records.append(record)
    for record in outer_records:
        _add_outer_words(steps, record.words)
    tells_of_tools = any(step.is_result or _calls(step) for step in steps)
    if not tells_of_tools and not any(map(_is_recorded_call, records)):
        _add_uses(steps, records)
    return steps


def _steps_after(previous: Sequence[_Step], messages: Sequence[Row]) -> list[_Step]:
    """Return the messages that a call of a model was given, a step for each, in their order.

    `previous` are the steps of what the call before it was given. As long as the first messages are
    equal to those, the steps themselves are reused, for speed; from the first that differs on all
    are new.
    """
    steps: list[_Step] = []
    for message, step in zip(messages, previous, strict=False):
        if step.message != message:
            break
        steps.append(step)
    steps += map(_step, messages[len(steps) :])
    return steps


def _step(message: Row) -> _Step:
    """Return a message of one text, thought, call or result as a step, to be compared with others.

    Its `call_id` is that of its call, the first of several, or of the call whose result it is; ""
    for words. `message` is kept as it is.
    """
    turns = list(map(_comparable, recorded([message])))
    calls = message.get("tool_calls")
    if calls:
        call_id = calls[0].get("id") or ""
        return _Step(message, turns, str(call_id))
    call_id = message.get("tool_call_id") or ""
    is_result = message.get("role") == "tool"
    return _Step(message, turns, str(call_id), is_result)


def _comparable(turn: ChatTurn) -> ChatTurn:
    """Return a copy of a turn without what may differ between two records of one step.

    Blanks around the text are gone. Of a call, JSON arguments are in one writing, "" as `{}`, and
    all else is kept. A result has only its role and text. Any other turn has no name of a speaker.
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
    """Return whether two messages of spans tell the same step of a conversation.

    A result and what is none never do. Calls with one id do. Results with different ids do not.
    Otherwise their words decide, even where calls have different ids, since some libraries give a
    call two ids.
    """
    if first.is_result != second.is_result:
        return False
    has_one_id = first.call_id != "" and first.call_id == second.call_id
    if has_one_id and _calls(first):
        return True
    are_ids_known = first.call_id != "" and second.call_id != ""
    if first.is_result and are_ids_known and not has_one_id:
        return False
    return first.turns == second.turns


def _add_new(steps: list[_Step], new_steps: Sequence[_Step]) -> None:
    """Add what a call of a model was given, and `steps` does not tell yet, at the end of `steps`.

    `new_steps` are all that the call was given. Changes `steps`. Words are matched in their
    order, so that a user who says "yes" twice says it twice. Calls and results may be
    matched out of order. If `steps` has no words of the system, those at the beginning of
    `new_steps` go to its beginning. If an answer comes with and without a closing tag, the
    longer one stays.
    """
    position = 0
    """Where the next words are looked for: behind those matched last."""
    used: set[int] = set()
    """The indexes in `steps` that are matched or new."""
    is_heading = not any(is_system(step.message) for step in steps)
    """Whether words of the system would still be the first ones."""
    head = 0
    """How many such words were put at the beginning."""
    for step in new_steps:
        index = _index_of(step, steps, position, used)
        if index is None and position < len(steps):
            longer = _with_closing_tag(steps[position], step)
            if longer is not None:
                index = position
                steps[index] = longer
        if index is not None:
            used.add(index)
            position = max(position, index + 1)
            is_heading = is_heading and is_system(step.message)
            continue
        if is_heading and is_system(step.message):
            steps.insert(head, step)
            used = {index + 1 if index >= head else index for index in used}
            used.add(head)
            head += 1
            position = head
            continue
        is_heading = False
        used.add(len(steps))
        steps.append(step)
        position = len(steps)


def _index_of(
    step: _Step,
    steps: Sequence[_Step],
    position: int,
    used: Collection[int],
) -> int | None:
    """Return the index in `steps` of one that tells the same step of the conversation, or None.

    The one at `position` comes first. Then, of a call, the first with the same id. Then the first
    from `position` on that says the same, and for a call or a result also one before that. Indexes
    in `used` are passed over. `position` may be beyond the end of `steps`.
    """
    is_next_unused = position < len(steps) and position not in used
    if is_next_unused and _is_same(step, steps[position]):
        return position
    if _calls(step) and step.call_id:
        for index, candidate in enumerate(steps):
            has_one_id = candidate.call_id == step.call_id and _calls(candidate)
            if has_one_id and index not in used:
                return index
    indexes = list(range(position, len(steps)))
    if step.is_result or _calls(step):
        indexes += range(position)
    for index in indexes:
        if index not in used and _is_same(step, steps[index]):
            return index
    return None


def _with_closing_tag(step: _Step, later: _Step) -> _Step | None:
    """Return the one of two steps that has a closing tag behind the words of the other, or None.

    Both must be words of the assistant and nothing else. The tag is as "</think>", "<end>" or three
    backticks, with blanks around it. None if they are equal or differ in anything else, such as two
    different tags. A model stops before such a tag, and an agent adds it when it repeats the words.
    """
    text = _assistants_words(step)
    later_text = _assistants_words(later)
    if text is None or later_text is None:
        return None
    if later_text.startswith(text) and _CLOSING.fullmatch(later_text[len(text) :]):
        return later
    if text.startswith(later_text) and _CLOSING.fullmatch(text[len(later_text) :]):
        return step
    return None


def _assistants_words(step: _Step) -> str | None:
    """Return the text of a step that is only words of the assistant; None for any other step.

    Thoughts, calls and results are none.
    """
    if len(step.turns) != 1:
        return None
    (turn,) = step.turns
    if turn.role != ASSISTANT or turn.does:
        return None
    return turn.text


_CLOSING = re.compile(r"\s*(?:</?\w{1,20}>|```)\s*")


def _calls(step: _Step) -> bool:
    return bool(step.message.get("tool_calls"))


def _add_outer_words(steps: list[_Step], words: SpanWords) -> None:
    """Add to `steps` what a span of an agent, or one around a call, says and no step has.

    Changes `steps`. What went in is put behind the system's words at the beginning, and what came
    out at the end. Words that are part of a step's words are known.
    """
    head = 0
    while head < len(steps) and is_system(steps[head].message):
        head += 1
    for message in words.messages_in:
        step = _step(message)
        if not _is_known(step, steps):
            steps.insert(head, step)
            head += 1
    for message in words.messages_out:
        step = _step(message)
        if not _is_known(step, steps):
            steps.append(step)


def _is_known(step: _Step, steps: Sequence[_Step]) -> bool:
    """Return whether one of `steps` tells the same as a step, or has the step's words in its own.

    A result is known if any result has its call's id, whatever they say, and a call if any call has
    its id.
    """
    for existing in steps:
        has_one_id = step.call_id != "" and step.call_id == existing.call_id
        if has_one_id and step.is_result and existing.is_result:
            return True
        if _is_same(step, existing) or _is_within(step, existing):
            return True
    return False


def _is_within(step: _Step, container: _Step) -> bool:
    """Return whether a message's text stands, letter for letter, in one turn of another of the same
    role.

    `step` and `container` are the messages. "" stands in any text. False for a call, and for a step
    of several turns or none.
    """
    if _calls(step) or len(step.turns) != 1:
        return False
    (turn,) = step.turns
    for container_turn in container.turns:
        if turn.role == container_turn.role and turn.text in container_turn.text:
            return True
    return False


# -- tools ----------------------------------------------------------------------------------------


def _around_task(task: ToolUse, messages: Sequence[Row]) -> list[Row]:
    """Return an agent's messages with its task before them, as a user's, and its result behind.

    `task` is the use of a tool by which another agent called it: its arguments are the task, and
    its result is the assistant's last message, also where `messages` end with the same words. What
    is missing or has only blanks is left out.
    """
    request: list[Row] = []
    words = describe(task.arguments) if task.arguments is not None else ""
    if words.strip():
        request.append({"role": USER, "content": words})
    tool_message = result("", parsed(task.result))
    answer: list[Row] = []
    for turn in recorded([tool_message]):
        if turn.text.strip():
            answer.append({"role": ASSISTANT, "content": turn.text})
    return [*request, *messages, *answer]


def _add_uses(steps: list[_Step], records: Sequence[_SpanRecord]) -> None:
    """Insert the calls and results of tools' spans into `steps`, before the answer at their end.

    For runs whose calls of a model were not recorded. Changes `steps`. Each use is a call and its
    result, in the order of the spans. If the last step is not the assistant's they come at the end.
    A use without an id is "use 2", by its span's number from 1.
    """
    uses: list[_Step] = []
    for number, record in enumerate(records, 1):
        use = record.words.tool
        if record.words.kind == TOOL_USE and use is not None:
            call_id = use.call_id or f"use {number}"
            uses.append(_step(call(call_id, use.name, use.arguments)))
            uses.append(_step(_result_of(use, call_id)))
    before_answer = len(steps)
    if steps and steps[-1].turns:
        last_turn = steps[-1].turns[-1]
        if last_turn.role == ASSISTANT:
            before_answer -= 1
    steps[before_answer:before_answer] = uses


def _result_of(use: ToolUse, call_id: str) -> Row:
    """Return the result that a span of a tool recorded as a message for the call `call_id`.

    The content is "" if no result was recorded, also if the tool failed. Why it failed is in
    `error`, as `{"message": WHY}`.
    """
    error = {"message": use.error} if use.error else None
    content = "" if use.result is None else use.result
    return result(call_id, content, name=use.name, error=error)


def _with_results(
    steps: Sequence[_Step],
    records: Sequence[_SpanRecord],
) -> list[_Step]:
    """Return the steps of a conversation with the results that only spans of tools have.

    Each is put behind its call, or behind the last of several calls made at once; a use of a tool
    without a call in `steps` is left out. A result in `steps` whose tool failed is marked
    `is_error`: that step itself gets a new message.
    """
    uses: list[ToolUse] = []
    failed_ids: set[str] = set()
    for record in records:
        use = record.words.tool
        if record.words.kind != TOOL_USE or use is None:
            continue
        uses.append(use)
        if use.error and use.call_id:
            failed_ids.add(use.call_id)
    answered_ids = {step.call_id for step in steps if step.is_result}
    completed: list[_Step] = []
    missing_results: list[_Step] = []
    """The results of the calls since the last words, to come behind these calls."""
    for step in steps:
        is_call = _calls(step)
        if not is_call and not step.is_result:
            completed += missing_results
            missing_results = []
        if step.is_result and step.call_id in failed_ids:
            step.message = {**step.message, "is_error": True}
        completed.append(step)
        if is_call and step.call_id not in answered_ids:
            use = _use_of(step, uses)
            if use is not None:
                uses.remove(use)
                tool_result = _result_of(use, step.call_id or use.call_id)
                missing_results.append(_step(tool_result))
    return completed + missing_results


def _use_of(step: _Step, uses: Sequence[ToolUse]) -> ToolUse | None:
    """Return the first use of a tool among `uses` that a call led to, or None.

    It is known by the id of the call, else, where one of the two has no id, by the tool's name and
    the arguments. `step` is the call's message.
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
