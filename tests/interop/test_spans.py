"""Spans of OpenTelemetry and OpenInference: a conversation for each agent, with every word in it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.messages import recorded
from appellate.core.problem import Unusable
from appellate.interop import recognise

# -- spans as tracers write them ------------------------------------------------------------------


def span(name, parent, start, attributes, trace="t", **more):
    """A span as an array of them has it; its id is its name."""
    ids = {"trace_id": trace, "span_id": name, "parent_span_id": parent, "name": name}
    times = {"start_time": start, "end_time": start + 1}
    return {**ids, **times, "attributes": attributes, **more}


def agent(name, parent, start, **attributes):
    known = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    return span(name, parent, start, {**known, **attributes})


def message(role, *parts):
    return {"role": role, "parts": list(parts)}


def text(words):
    return {"type": "text", "content": words}


def call_part(call_id, name, arguments):
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def response_part(call_id, words):
    return {"type": "tool_call_response", "id": call_id, "response": words}


def chat(name, parent, start, before, after, **more):
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(before),
        "gen_ai.output.messages": json.dumps(after),
    }
    return span(name, parent, start, {**attributes, **more})


def typed(value):
    """A value as OTLP has it."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": list(map(typed, value))}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": pairs(value)}}
    return {"stringValue": value}


def pairs(table):
    return [{"key": key, "value": typed(value)} for key, value in table.items()]


def otlp(one, scope="scopeSpans"):
    return {
        "traceId": one["trace_id"],
        "spanId": one["span_id"],
        "parentSpanId": one["parent_span_id"] or "",
        "name": one["name"],
        "startTimeUnixNano": str(one["start_time"]),
        "attributes": pairs(one["attributes"]),
    }


def as_array(spans):
    return json.dumps(spans)


def as_lines(spans):
    return "".join(f"{json.dumps(one)}\n" for one in spans)


def as_otlp(spans):
    return json.dumps(
        {"resourceSpans": [{"scopeSpans": [{"spans": list(map(otlp, spans))}]}]},
    )


def as_otlp_lines(spans):
    return "".join(f"{as_otlp([one])}\n" for one in spans)


def as_tempo(spans):
    scopes = [{"spans": [otlp(one)]} for one in spans]
    return json.dumps({"batches": [{"instrumentationLibrarySpans": scopes}]}, indent=1)


def as_jaeger(spans):
    found = [
        {
            "traceID": one["trace_id"],
            "spanID": one["span_id"],
            "operationName": one["name"],
            "references": [{"refType": "CHILD_OF", "spanID": one["parent_span_id"]}]
            if one["parent_span_id"]
            else [],
            "startTime": one["start_time"],
            "tags": [
                {"key": key, "type": "string", "value": value}
                for key, value in one["attributes"].items()
            ],
        }
        for one in spans
    ]
    return json.dumps({"data": [{"traceID": "t", "spans": found, "processes": {}}]})


def as_console(spans):
    found = [
        {
            "name": one["name"],
            "context": {"trace_id": one["trace_id"], "span_id": one["span_id"]},
            "parent_id": one["parent_span_id"],
            "start_time": f"2026-05-20T10:00:{one['start_time']:02d}.000000Z",
            "attributes": one["attributes"],
            "status": {"status_code": "UNSET"},
            "events": [],
        }
        for one in spans
    ]
    return json.dumps(found)


WRAPPERS = (as_array, as_lines, as_otlp, as_otlp_lines, as_tempo, as_jaeger, as_console)


def runs(tmp_path, written):
    path = tmp_path / "run.json"
    path.write_text(written, "utf-8")
    return list(recognise.read([path]).traces())


def steps(run):
    return [(turn.title, turn.text) for turn in recorded(run.record["messages"])]


def steps_of(tmp_path, *spans):
    (run,) = runs(tmp_path, as_array(spans))
    return steps(run)


# -- wrappers -------------------------------------------------------------------------------------

ASKED = message("user", text("Weather in Oslo?"))
CALLED = message("assistant", call_part("c1", "weather", {"city": "Oslo"}))
GIVEN = message("tool", response_part("c1", "rain"))
ANSWERED = message("assistant", text("It rains."))
WEATHER = [
    agent("root", None, 1),
    chat("first", "root", 2, [ASKED], [CALLED]),
    chat("second", "root", 4, [ASKED, CALLED, GIVEN], [ANSWERED]),
]
WEATHER_STEPS = [
    ("user", "Weather in Oslo?"),
    ("assistant calls weather", '{"city": "Oslo"}'),
    ("tool weather", "rain"),
    ("assistant", "It rains."),
]


@pytest.mark.parametrize("write", WRAPPERS)
@pytest.mark.parametrize("order", [1, -1])
def test_a_trace_is_read_in_every_wrapper_whichever_span_comes_first(
    tmp_path,
    write,
    order,
):
    (run,) = runs(tmp_path, write(WEATHER[::order]))
    assert steps(run) == WEATHER_STEPS
    assert (run.record["id"], run.record["response"]) == ("t", "It rains.")


def test_spans_that_were_sent_twice_count_once(tmp_path):
    (run,) = runs(tmp_path, as_lines([*WEATHER, *WEATHER]))
    assert steps(run) == WEATHER_STEPS


def test_traces_of_one_file_are_runs_of_their_own(tmp_path):
    other = [{**one, "trace_id": "u"} for one in WEATHER]
    mixed = [one for two in zip(WEATHER, other, strict=True) for one in two]
    assert [run.record["id"] for run in runs(tmp_path, as_lines(mixed))] == ["t", "u"]


TIMES = {
    "text with a fraction": lambda second: f"{1_700_000_000 + second}.5",
    "text of seconds": lambda second: str(1_700_000_000 + second),
    "text of milliseconds": lambda second: str((1_700_000_000 + second) * 1000),
    "milliseconds": lambda second: (1_700_000_000 + second) * 1000,
    "seconds since the start": lambda second: second / 8,
    "a date with a zone": lambda second: f"2026-05-20T12:00:{second:02d}+02:00",
    "a date without a zone": lambda second: f"2026-05-20 10:00:{second:02d}",
}


@pytest.mark.parametrize("written", TIMES.values(), ids=TIMES)
def test_spans_are_ordered_by_time_however_it_is_written(tmp_path, written):
    spans = [{**one, "start_time": written(one["start_time"])} for one in WEATHER]
    path = tmp_path / "run.json"
    path.write_text(as_array(spans[::-1]), "utf-8")
    file = recognise.read([path])
    (run,) = file.traces()
    assert steps(run) == WEATHER_STEPS
    assert file.notes() == []


@pytest.mark.parametrize("written", ["after lunch", "1e999999", "1e9999999"])
def test_a_time_that_cannot_be_read_is_counted_and_leaves_its_span_where_the_file_has_it(
    tmp_path,
    written,
):
    spans = [dict(one) for one in WEATHER]
    spans[2]["start_time"] = written
    spans.insert(2, {**spans[0], "span_id": "other", "name": "other", "start_time": 9})
    spans[2]["attributes"] = {"http.method": "POST"}
    path = tmp_path / "run.json"
    path.write_text(as_array(spans), "utf-8")
    file = recognise.read([path])
    (run,) = file.traces()
    assert steps(run) == WEATHER_STEPS
    (note,) = file.notes()
    assert note.startswith("left out: the start of 1 span, which cannot be read")


def test_spans_without_any_time_are_in_the_order_of_the_file(tmp_path):
    spans = [{k: v for k, v in one.items() if "time" not in k} for one in WEATHER]
    path = tmp_path / "run.json"
    path.write_text(as_array(spans), "utf-8")
    file = recognise.read([path])
    (run,) = file.traces()
    assert steps(run) == WEATHER_STEPS
    assert file.notes() == []


def test_spans_of_other_programs_come_first_and_are_left_out(tmp_path):
    post = [span(f"post {no}", None, no, {"http.method": "POST"}) for no in range(9)]
    (run,) = runs(tmp_path, as_lines([*post, *WEATHER]))
    assert steps(run) == WEATHER_STEPS


def test_spans_without_words_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(Unusable, match=r"run\.json: its spans have no messages"):
        runs(tmp_path, as_array([agent("root", None, 1)]))


def test_traces_of_which_nothing_was_recorded_are_named_beside_the_others(tmp_path):
    known = {"gen_ai.operation.name": "chat"}
    silent = [
        span("x", None, 1, known, trace="u"),
        span("y", None, 2, known, trace="v"),
    ]
    other = span("post", None, 3, {"http.method": "POST"}, trace="w")
    path = tmp_path / "run.jsonl"
    path.write_text(as_lines([*silent, *WEATHER, other]), "utf-8")
    file = recognise.read([path])
    assert [run.record["id"] for run in file.traces()] == ["t"]
    assert file.notes() == ["skipped: 2 traces without messages: u, v"]


def test_a_tool_that_a_model_without_recorded_messages_used_is_shown(tmp_path):
    known = {"gen_ai.operation.name": "chat"}
    used = {
        "gen_ai.tool.call.arguments": '{"city": "Oslo"}',
        "gen_ai.tool.call.result": "rain",
    }
    messages = {"gen_ai.input.messages": [ASKED], "gen_ai.output.messages": [ANSWERED]}
    found = steps_of(
        tmp_path,
        agent("root", None, 1, **messages),
        span("chat", "root", 2, known),
        tool_span("weather", "root", 3, "c1", **used),
    )
    assert found == WEATHER_STEPS


def test_spans_of_no_model_are_not_taken_for_a_run(tmp_path):
    with pytest.raises(Unusable, match="no column is the response"):
        runs(tmp_path, as_array([span("post", None, 1, {"http.method": "POST"})]))


# -- what is said again ---------------------------------------------------------------------------


def test_a_user_who_says_the_same_twice_says_it_twice(tmp_path):
    yes = message("user", text("yes"))
    first = message("assistant", text("Sure?"))
    second = message("assistant", text("Done."))
    found = steps_of(
        tmp_path,
        chat("a", None, 1, [yes], [first]),
        chat("b", None, 2, [yes, first, yes], [second]),
    )
    assert [words for _, words in found] == ["yes", "Sure?", "yes", "Done."]


def test_a_window_over_the_last_turns_adds_what_is_new_and_loses_nothing(tmp_path):
    turns = [
        message(role, text(f"{role} {no}"))
        for no in range(4)
        for role in ("user", "assistant")
    ]
    calls = [
        chat(f"c{no}", None, no, turns[max(0, no - 2) : no + 1], [turns[no + 1]])
        for no in range(0, 8, 2)
    ]
    assert [words for _, words in steps_of(tmp_path, *calls)] == [
        f"{role} {no}" for no in range(4) for role in ("user", "assistant")
    ]


def test_a_summary_that_a_later_call_was_given_follows_what_it_sums_up(tmp_path):
    told = message("system", text("Be short."))
    summary = message("user", text("So far: the user asked for the weather."))
    found = steps_of(
        tmp_path,
        chat("a", None, 1, [told, ASKED], [CALLED]),
        chat("b", None, 3, [told, summary, GIVEN], [ANSWERED]),
    )
    assert found == [
        ("system", "Be short."),
        *WEATHER_STEPS[:2],
        ("user", "So far: the user asked for the weather."),
        *WEATHER_STEPS[2:],
    ]


def test_calls_at_once_whose_results_come_in_another_order_stand_once(tmp_path):
    both = message(
        "assistant",
        call_part("c1", "weather", {"city": "Oslo"}),
        call_part("c2", "weather", {"city": "Rome"}),
    )
    apart = [
        message("assistant", call_part("c1", "weather", {"city": "Oslo"})),
        message("tool", response_part("c1", "rain")),
        message("assistant", call_part("c2", "weather", {"city": "Rome"})),
        message("tool", response_part("c2", "sun")),
    ]
    found = steps_of(
        tmp_path,
        chat("a", None, 1, [ASKED], [both]),
        chat("b", None, 3, [ASKED, *apart], [ANSWERED]),
    )
    assert [title for title, _ in found] == [
        "user",
        "assistant calls weather",
        "assistant calls weather",
        "tool weather",
        "tool weather",
        "assistant",
    ]


def test_a_call_that_has_another_id_when_it_is_said_again_stands_once(tmp_path):
    again = message("assistant", call_part("fc_9", "weather", {"city": "Oslo"}))
    found = steps_of(
        tmp_path,
        chat("a", None, 1, [ASKED], [CALLED]),
        chat("b", None, 3, [ASKED, again, GIVEN], [ANSWERED]),
    )
    assert found == WEATHER_STEPS


def test_an_answer_that_the_agent_went_on_with_stands_once_and_whole(tmp_path):
    cut = message("assistant", text("<code>\nsearch()\n"))
    closed = message("assistant", text("<code>\nsearch()\n</code>"))
    found = steps_of(
        tmp_path,
        chat("a", None, 1, [ASKED], [cut]),
        chat("b", None, 3, [ASKED, closed], [ANSWERED]),
    )
    assert found == [
        WEATHER_STEPS[0],
        ("assistant", "<code>\nsearch()\n</code>"),
        WEATHER_STEPS[3],
    ]


def test_a_call_that_only_wraps_anothers_is_not_said_twice(tmp_path):
    outer = chat("outer", None, 1, [ASKED], [ANSWERED])
    inner = chat(
        "inner",
        "outer",
        2,
        [message("system", text("Be short.")), ASKED],
        [ANSWERED],
    )
    assert steps_of(tmp_path, outer, inner) == [
        ("system", "Be short."),
        WEATHER_STEPS[0],
        WEATHER_STEPS[3],
    ]


def test_words_that_only_the_agents_own_span_has_are_not_lost(tmp_path):
    root = agent(
        "root",
        None,
        1,
        **{
            "gen_ai.input.messages": [message("user", text("In Norway."))],
            "gen_ai.output.messages": [
                message("assistant", text("It rains. (Checked.)")),
            ],
        },
    )
    found = steps_of(tmp_path, root, *WEATHER[1:])
    assert found == [
        ("user", "In Norway."),
        *WEATHER_STEPS,
        ("assistant", "It rains. (Checked.)"),
    ]


# -- agents and tools -----------------------------------------------------------------------------


def test_specialists_are_traces_of_their_own_behind_the_outer_one(tmp_path):
    asked = message("user", text("city: Oslo"))
    spans = [
        chat("own", "forecaster", 5, [asked], [ANSWERED]),
        agent("forecaster", "tool", 4),
        span("tool", "root", 3, {"gen_ai.operation.name": "execute_tool"}),
        *WEATHER,
    ]
    outer, inner = runs(tmp_path, as_array(spans))
    assert steps(outer) == WEATHER_STEPS
    assert steps(inner) == [("user", "city: Oslo"), ("assistant", "It rains.")]
    assert "parent" not in outer.record["metadata"]
    assert inner.record["id"] == "t-forecaster"
    assert inner.record["metadata"] == {"agent": "forecaster", "parent": "t"}


def test_agents_side_by_side_have_no_parent_and_come_in_the_order_of_their_time(
    tmp_path,
):
    spans = [
        agent("late", None, 9),
        chat("b", "late", 10, [message("user", text("2"))], [ANSWERED]),
        agent("early", None, 1),
        chat("a", "early", 2, [message("user", text("1"))], [ANSWERED]),
    ]
    found = runs(tmp_path, as_array(spans))
    assert [steps(run)[0][1] for run in found] == ["1", "2"]
    assert [run.record["id"] for run in found] == ["t", "t-late"]
    assert not any("parent" in run.record["metadata"] for run in found)


def tool_span(name, parent, start, call_id, **attributes):
    known = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call_id,
    }
    return span(f"{name} {call_id}", parent, start, {**known, **attributes})


def test_a_result_that_only_the_span_of_the_tool_has_follows_its_call(tmp_path):
    result = {"gen_ai.tool.call.result": "rain"}
    found = steps_of(
        tmp_path,
        chat("a", None, 1, [ASKED], [CALLED]),
        tool_span("weather", None, 2, "c1", **result),
        chat("b", None, 3, [ASKED, CALLED], [ANSWERED]),
    )
    assert found == WEATHER_STEPS


def test_a_tool_that_failed_says_so(tmp_path):
    found = steps_of(
        tmp_path,
        chat("a", None, 1, [ASKED], [CALLED]),
        tool_span("weather", None, 2, "c1", **{"error.type": "TimeoutError"}),
    )
    assert found[-1] == ("tool weather failed", "TimeoutError")


def test_a_trace_whose_parents_go_in_a_circle_ends(tmp_path):
    first = chat("a", "b", 1, [ASKED], [CALLED])
    second = chat("b", "a", 2, [ASKED, CALLED, GIVEN], [ANSWERED])
    assert ("user", "Weather in Oslo?") in steps_of(tmp_path, first, second)


# -- names of attributes --------------------------------------------------------------------------


def test_flat_messages_of_openllmetry_have_calls_and_results(tmp_path):
    attributes = {
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "Be short.",
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": '[{"type": "text", "text": "Weather in Oslo?"}]',
        "gen_ai.prompt.2.role": "assistant",
        "gen_ai.prompt.2.tool_calls.0.id": "c1",
        "gen_ai.prompt.2.tool_calls.0.name": "weather",
        "gen_ai.prompt.2.tool_calls.0.arguments": '{"city": "Oslo"}',
        "gen_ai.prompt.3.role": "tool",
        "gen_ai.prompt.3.tool_call_id": "c1",
        "gen_ai.prompt.3.content": "rain",
        "gen_ai.prompt.10.role": "user",
        "gen_ai.prompt.10.content": "And?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "It rains.",
    }
    assert steps_of(tmp_path, span("a", None, 1, attributes)) == [
        ("system", "Be short."),
        *WEATHER_STEPS[:3],
        ("user", "And?"),
        WEATHER_STEPS[3],
    ]


def test_requests_and_responses_of_googles_adk_are_read(tmp_path):
    asked = {"role": "user", "parts": [{"text": "Weather in Oslo?"}]}
    called = {
        "role": "model",
        "parts": [
            {"text": "I look it up.", "thought": True},
            {
                "function_call": {
                    "id": "c1",
                    "name": "weather",
                    "args": {"city": "Oslo"},
                },
            },
        ],
    }
    given = {
        "function_response": {
            "id": "c1",
            "name": "weather",
            "response": {"result": "rain"},
        },
    }
    picture = {"inline_data": {"mime_type": "image/png", "data": "AAAA"}}

    def call_llm(name, start, contents, content):
        request = {"config": {"system_instruction": "Be short."}, "contents": contents}
        attributes = {
            "gcp.vertex.agent.llm_request": json.dumps(request),
            "gcp.vertex.agent.llm_response": json.dumps({"content": content}),
        }
        return span(name, "root", start, attributes)

    back = {"role": "user", "parts": [given, picture]}
    answered = {"role": "model", "parts": [{"text": "It rains."}]}
    found = steps_of(
        tmp_path,
        agent("root", None, 1),
        call_llm("a", 2, [asked], called),
        call_llm("b", 4, [asked, called, back], answered),
    )
    assert found == [
        ("system", "Be short."),
        ("user", "Weather in Oslo?"),
        ("assistant thinks", "I look it up."),
        ("assistant calls weather", '{"city": "Oslo"}'),
        ("tool weather", '{"result": "rain"}'),
        ("user", "(image)"),
        ("assistant", "It rains."),
    ]


@pytest.mark.parametrize("role", ["user", None])
def test_an_instruction_of_googles_adk_is_the_systems_whatever_role_it_names(
    tmp_path,
    role,
):
    instruction = {"role": role, "parts": [{"text": "Be short."}]}
    answer = {"role": role, "parts": [{"text": "It rains."}]}
    request = {"config": {"system_instruction": instruction}, "contents": []}
    attributes = {
        "gcp.vertex.agent.llm_request": json.dumps(request),
        "gcp.vertex.agent.llm_response": json.dumps({"content": answer}),
    }
    found = steps_of(tmp_path, span("a", None, 1, attributes))
    assert found == [("system", "Be short."), ("assistant", "It rains.")]


def test_events_of_a_span_may_be_json_text_as_its_attributes_may(tmp_path):
    asked = {"name": "gen_ai.user.message", "attributes": {"content": "Rain?"}}
    answer = {"message": {"content": "It rains."}}
    answered = {"name": "gen_ai.choice", "attributes": answer}
    attributes = json.dumps({"gen_ai.operation.name": "chat"})
    events = json.dumps([asked, answered])
    found = steps_of(tmp_path, span("a", None, 1, attributes, events=events))
    assert found == [("user", "Rain?"), ("assistant", "It rains.")]


def test_a_choice_whose_role_is_null_is_the_assistants(tmp_path):
    asked = {"name": "gen_ai.user.message", "attributes": {"content": "Rain?"}}
    answer = {"message": {"role": None, "content": "It rains."}}
    answered = {"name": "gen_ai.choice", "attributes": answer}
    attributes = {"gen_ai.operation.name": "chat"}
    (run,) = runs(
        tmp_path,
        as_array([span("a", None, 1, attributes, events=[asked, answered])]),
    )
    assert steps(run) == [("user", "Rain?"), ("assistant", "It rains.")]
    assert run.record["response"] == "It rains."


def test_the_whole_conversation_that_pydantic_ai_notes_is_taken(tmp_path):
    whole = [ASKED, CALLED, message("user", response_part("c1", "rain")), ANSWERED]
    attributes = {
        "pydantic_ai.all_messages": json.dumps(whole),
        "gen_ai.system_instructions": json.dumps([text("Be short.")]),
    }
    cut = chat("a", "root", 2, [message("user", text("Weather …"))], [ANSWERED])
    assert steps_of(tmp_path, agent("root", None, 1, **attributes), cut) == [
        ("system", "Be short."),
        *WEATHER_STEPS,
    ]


@pytest.mark.parametrize("are_json", [True, False])
def test_messages_in_events_of_every_age_are_read(tmp_path, are_json):
    def value(messages):
        return json.dumps(messages) if are_json else messages

    details = {
        "event_name": "gen_ai.client.inference.operation.details",
        "attributes": {
            "gen_ai.system_instructions": value([text("Be short.")]),
            "gen_ai.input.messages": value([ASKED]),
            "gen_ai.output.messages": value([ANSWERED]),
        },
    }
    older = [
        {"name": "gen_ai.system.message", "attributes": {"content": "Be short."}},
        {
            "name": "gen_ai.user.message",
            "attributes": {"content": value([{"text": "Weather in Oslo?"}])},
        },
        {
            "name": "gen_ai.choice",
            "attributes": {"message": value({"content": "It rains."})},
        },
    ]
    bedrock = [
        *older[:2],
        {
            "name": "gen_ai.choice",
            "attributes": {"message": value([{"text": "It rains."}])},
        },
    ]
    known = {"gen_ai.operation.name": "chat"}
    for number, events in enumerate(([details], older, bedrock)):
        key = ("span_events", "events")[number % 2]
        found = steps_of(tmp_path, span("a", None, 1, known, **{key: events}))
        assert found == [("system", "Be short."), WEATHER_STEPS[0], WEATHER_STEPS[3]]


def test_pictures_and_sounds_are_named_and_their_bytes_left_out(tmp_path):
    asked = message(
        "user",
        text("What is this?"),
        {
            "type": "blob",
            "modality": "image",
            "mime_type": "image/png",
            "content": "iVBORw0",
        },
        {"type": "uri", "modality": "audio", "uri": "https://x.example/a.wav"},
        {"type": "image-url", "url": "https://x.example/b.png"},
        {"type": "binary", "media_type": "audio/wav", "content": "UklGRg"},
    )
    found = steps_of(tmp_path, chat("a", None, 1, [asked], [ANSWERED]))
    assert found[0][1].splitlines() == [
        "What is this?",
        "(image)",
        "(audio: https://x.example/a.wav)",
        "(image: https://x.example/b.png)",
        "(audio)",
    ]


def test_messages_of_openais_shape_in_attributes_are_read(tmp_path):
    called = {
        "id": "c1",
        "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
    }
    before = [
        {"role": "user", "content": "Weather in Oslo?"},
        {"role": "assistant", "reasoning_content": "I look.", "tool_calls": [called]},
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": [text("rain"), {"type": "image"}],
        },
        "a line",
    ]
    answer = {"role": "assistant", "content": "It rains.", "name": "Forecaster"}
    assert steps_of(tmp_path, chat("a", None, 1, before, [answer])) == [
        WEATHER_STEPS[0],
        ("assistant thinks", "I look."),
        WEATHER_STEPS[1],
        ("tool weather", "rain\n(image)"),
        ("unknown", "a line"),
        ("assistant Forecaster", "It rains."),
    ]


def test_parts_of_bedrock_are_read(tmp_path):
    def event(name, *parts):
        key = "message" if name == "choice" else "content"
        named = name if name == "choice" else f"{name}.message"
        return {"name": f"gen_ai.{named}", "attributes": {key: json.dumps(parts)}}

    used = {
        "toolUse": {"toolUseId": "c1", "name": "weather", "input": {"city": "Oslo"}},
    }
    given = {
        "toolResult": {
            "toolUseId": "c1",
            "content": [{"text": "rain"}, {"image": {"b": 1}}],
        },
    }
    thought = {"reasoningContent": {"reasoningText": {"text": "I look."}}}
    events = [
        event("user", {"text": "Weather in Oslo?"}, {"odd": 1}),
        event("assistant", thought, used),
        event("tool", given),
        event("choice", {"text": "It rains."}),
    ]
    found = steps_of(
        tmp_path,
        span("a", None, 1, {"gen_ai.system": "x"}, events=events),
    )
    assert found == [
        ("user", 'Weather in Oslo?\n{"odd": 1}'),
        ("assistant thinks", "I look."),
        WEATHER_STEPS[1],
        ("tool weather", "rain\n(image)"),
        WEATHER_STEPS[3],
    ]


def test_events_of_pydantic_ai_as_it_wrote_them_first_are_read(tmp_path):
    asked = {
        "event.name": "gen_ai.user.message",
        "role": "user",
        "content": "Weather in Oslo?",
    }
    told = {"event.name": "gen_ai.system.message", "content": "Be short."}
    answered = {
        "event.name": "gen_ai.choice",
        "message": {"role": "assistant", "content": "Rain."},
    }
    other = {"event.name": "gen_ai.other", "content": "x"}
    events = json.dumps([told, asked, other, answered])
    expected = [("system", "Be short."), WEATHER_STEPS[0], ("assistant", "Rain.")]
    known = {"gen_ai.operation.name": "chat", "events": events}
    assert steps_of(tmp_path, span("a", None, 1, known)) == expected
    whole = {"gen_ai.agent.name": "x", "all_messages_events": events}
    assert steps_of(tmp_path, span("a", None, 1, whole)) == expected


def test_contents_of_events_as_openllmetry_wrote_them_are_read(tmp_path):
    events = [
        {
            "name": "gen_ai.content.prompt",
            "attributes": {
                "gen_ai.prompt": json.dumps([{"role": "user", "content": "Why?"}]),
            },
        },
        {
            "name": "gen_ai.content.completion",
            "attributes": {
                "gen_ai.completion": json.dumps(
                    [{"role": "assistant", "content": "So."}],
                ),
            },
        },
        {
            "name": "gen_ai.choice",
            "attributes": {
                "gen_ai.event.content": json.dumps({"message": {"content": "Or so."}}),
            },
        },
    ]
    found = steps_of(
        tmp_path,
        span("a", None, 1, {"gen_ai.system": "x"}, events=events),
    )
    assert found == [("user", "Why?"), ("assistant", "So."), ("assistant", "Or so.")]


def test_values_of_every_type_are_read(tmp_path):
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.stream": True,
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.input.messages": [ASKED],
        "gen_ai.output.messages": [ANSWERED],
    }
    (run,) = runs(tmp_path, as_otlp([span("a", None, 1, attributes)]))
    assert steps(run) == [WEATHER_STEPS[0], WEATHER_STEPS[3]]


def test_files_of_gemini_and_of_openai_are_named(tmp_path):
    parts = [
        {"fileData": {"mimeType": "audio/wav", "fileUri": "gs://x/a.wav"}},
        {"type": "image_url", "image_url": {"url": "https://x.example/b.png"}},
        {"type": "image", "source": {"type": "url", "url": "https://x.example/c.png"}},
        {"type": "refusal", "refusal": "No."},
    ]
    found = steps_of(
        tmp_path,
        chat("a", None, 1, [message("user", *parts)], [ANSWERED]),
    )
    assert [words for _, words in found] == [
        "(audio: gs://x/a.wav)\n(image: https://x.example/b.png)\n(image: https://x.example/c.png)",
        "No.",
        "It rains.",
    ]


def test_a_result_of_mcp_that_failed_says_so(tmp_path):
    failed = {"content": [{"type": "text", "text": "no such city"}], "isError": True}
    found = steps_of(
        tmp_path,
        chat("a", None, 1, [ASKED], [CALLED]),
        tool_span(
            "weather",
            None,
            2,
            "c1",
            **{"gen_ai.tool.call.result": json.dumps(failed)},
        ),
    )
    assert found[-1] == ("tool weather failed", "no such city")


# -- OpenInference --------------------------------------------------------------------------------


def llm(name, parent, start, **attributes):
    return span(name, parent, start, {"openinference.span.kind": "LLM", **attributes})


FLAT = {
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.contents.0.message_content.type": "text",
    "llm.input_messages.0.message.contents.0.message_content.text": "Weather in Oslo?",
    "llm.input_messages.1.message.role": "assistant",
    "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city": "Oslo"}',
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.tool_call_id": "c1",
    "llm.input_messages.2.message.content": "rain",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content.0": "It rains.",
}
CALL = {
    "tool_call": {
        "id": "c1",
        "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
    },
}
NESTED = {
    "llm": {
        "input_messages": [
            {"message": {"role": "user", "content": "Weather in Oslo?"}},
            {"message": {"role": "assistant", "tool_calls": [CALL]}},
            {"message": {"role": "tool", "tool_call_id": "c1", "content": "rain"}},
        ],
        "output_messages": [{"message": {"role": "assistant", "content": "It rains."}}],
    },
}


@pytest.mark.parametrize("attributes", [FLAT, NESTED])
def test_messages_of_openinference_are_read_flat_and_nested(tmp_path, attributes):
    assert steps_of(tmp_path, llm("a", None, 1, **attributes)) == WEATHER_STEPS


def test_attributes_alone_are_a_span(tmp_path):
    (run,) = runs(tmp_path, json.dumps({"openinference.span.kind": "LLM", **FLAT}))
    assert (run.record["id"], steps(run)) == ("run", WEATHER_STEPS)


def test_the_code_of_smolagents_is_a_call_with_its_observation(tmp_path):
    written = "Calling tools:\n[{'id': 'k', 'function': {'name': 'python', 'arguments': 'f(1)'}}]"
    attributes = {
        "llm.input_messages.0.message.role": "tool-call",
        "llm.input_messages.0.message.content": written,
        "llm.input_messages.1.message.role": "tool-response",
        "llm.input_messages.1.message.content": "Observation:\n1",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "One.",
    }
    assert steps_of(tmp_path, llm("a", None, 1, **attributes)) == [
        ("assistant calls python", written),
        ("tool python", "Observation:\n1"),
        ("assistant", "One."),
    ]


def test_code_in_a_call_of_smolagents_is_not_run(tmp_path):
    written = "Calling tools:\n[__import__('os').abort()]"
    attributes = {
        "llm.input_messages.0.message.role": "tool-call",
        "llm.input_messages.0.message.content": written,
    }
    assert steps_of(tmp_path, llm("a", None, 1, **attributes)) == [
        ("assistant calls", written),
    ]


def test_prompts_and_choices_of_a_model_without_messages_are_read(tmp_path):
    completion = {
        "llm.prompts.0.prompt.text": "Weather in Oslo?",
        "llm.choices.0.completion.text": "It rains.",
    }
    values = {
        "input.value": json.dumps(
            {"messages": [{"role": "user", "content": "Weather in Oslo?"}]},
        ),
        "output.value": "It rains.",
    }
    plain = {"input.value": "Weather in Oslo?", "output.value": "It rains."}
    for attributes in (completion, values, plain):
        found = steps_of(tmp_path, llm("a", None, 1, **attributes))
        assert found == [WEATHER_STEPS[0], WEATHER_STEPS[3]]


def test_what_came_out_of_a_call_of_openinference_without_a_role_is_the_assistants(
    tmp_path,
):
    attributes = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Weather in Oslo?",
        "llm.output_messages.0.message.content": "It rains.",
    }
    (run,) = runs(tmp_path, as_array([llm("a", None, 1, **attributes)]))
    assert steps(run) == [WEATHER_STEPS[0], WEATHER_STEPS[3]]
    assert run.record["response"] == "It rains."


def test_a_function_call_of_openinference_is_a_call(tmp_path):
    attributes = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Weather in Oslo?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.function_call_name": "weather",
        "llm.output_messages.0.message.function_call_arguments_json": '{"city": "Oslo"}',
    }
    assert steps_of(tmp_path, llm("a", None, 1, **attributes)) == WEATHER_STEPS[:2]


def test_names_of_which_one_leads_through_anothers_text_keep_their_dots(tmp_path):
    odd = {"input": "x", "input.value": "y", "output": {"a": 1}, "output.b": 2}
    assert steps_of(tmp_path, llm("a", None, 1, **FLAT, **odd)) == WEATHER_STEPS


def of_kind(kind, name, parent, start, **attributes):
    return span(name, parent, start, {"openinference.span.kind": kind, **attributes})


def test_without_a_span_of_a_model_calls_are_the_agents_and_results_the_tools(tmp_path):
    calls = {
        "input.value": "Weather in Oslo?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"city": "Oslo"}',
        "llm.output_messages.1.message.role": "assistant",
        "llm.output_messages.1.message.content.0": "It rains.",
    }
    used = {"tool.id": "c1", "tool.name": "weather", "output.value": "rain"}
    found = steps_of(
        tmp_path,
        of_kind("TOOL", "weather", "root", 2, **used),
        of_kind("AGENT", "root", None, 1, **calls),
    )
    assert found == WEATHER_STEPS


def test_an_agent_without_messages_shows_its_task_its_tools_and_what_it_gave_back(
    tmp_path,
):
    spans = [
        llm("a", "root", 2, **FLAT),
        of_kind("AGENT", "root", None, 1),
        of_kind("AGENT", "helper", "ask", 4),
        of_kind(
            "TOOL",
            "ask",
            "root",
            3,
            **{"input.value": "{}", "output.value": "done"},
        ),
        of_kind(
            "TOOL",
            "bash",
            "helper",
            5,
            **{"input.value": '{"c": "ls"}', "output.value": "x"},
        ),
    ]
    _, helper = runs(tmp_path, as_array(spans))
    assert steps(helper) == [
        ("user", "{}"),
        ("assistant calls bash", '{"c": "ls"}'),
        ("tool bash", "x"),
        ("assistant", "done"),
    ]


def test_an_agent_whose_task_is_empty_has_no_message_of_it(tmp_path):
    spans = [
        llm("a", "root", 2, **FLAT),
        of_kind("AGENT", "root", None, 1),
        of_kind("AGENT", "helper", "ask", 4),
        of_kind("TOOL", "ask", "root", 3, **{"input.value": ""}),
        of_kind("TOOL", "bash", "helper", 5, **{"output.value": "x"}),
    ]
    _, helper = runs(tmp_path, as_array(spans))
    roles = [message["role"] for message in helper.record["messages"]]
    assert "user" not in roles


def test_a_router_marked_as_an_agent_is_no_run(tmp_path):
    router = {
        "input.value": "{'agent_name': 'x'}",
        "output.value": '{"result": "done"}',
    }
    found = steps_of(
        tmp_path,
        llm("a", "root", 2, **FLAT),
        of_kind("AGENT", "router", "root", 1, **router),
        of_kind("CHAIN", "root", None, 0, **{"input.value": "{}"}),
    )
    assert found == WEATHER_STEPS


def test_a_trace_of_a_chain_alone_has_what_went_in_and_what_came_out(tmp_path):
    chain = of_kind(
        "CHAIN",
        "root",
        None,
        1,
        **{"input.value": "Why?", "output.value": "Because."},
    )
    assert steps_of(tmp_path, chain) == [("user", "Why?"), ("assistant", "Because.")]


def test_spans_of_opentelemetry_within_a_trace_of_openinference_are_read_as_such(
    tmp_path,
):
    root = of_kind("AGENT", "root", None, 1)
    assert steps_of(tmp_path, root, *WEATHER[1:]) == WEATHER_STEPS


# -- laws -----------------------------------------------------------------------------------------

WORDS = st.text("abc \n", min_size=1, max_size=8).filter(str.strip)
TURN = st.tuples(WORDS, st.lists(st.tuples(WORDS, WORDS), max_size=2), WORDS)
"""What a user says, the calls at once that follow with their results, and the answer."""


def conversation(turns):
    """The messages of turns, and after which of them a model was called."""
    messages = []
    asked = []
    for number, (question, calls, answer) in enumerate(turns):
        messages.append(message("user", text(question)))
        if calls:
            asked.append(len(messages))
            named = [(f"c{number}{no}", *call) for no, call in enumerate(calls)]
            parts = [
                call_part(call_id, "f", {"x": given}) for call_id, given, _ in named
            ]
            messages.append(message("assistant", *parts))
            messages += [
                message("tool", response_part(call_id, result))
                for call_id, _, result in named
            ]
        asked.append(len(messages))
        messages.append(message("assistant", text(answer)))
    return messages, asked


@given(
    st.lists(TURN, min_size=1, max_size=4),
    st.sampled_from(WRAPPERS),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60)
def test_calls_that_say_all_again_give_the_conversation_back(
    tmp_path_factory,
    turns,
    write,
    chance,
):
    messages, asked = conversation(turns)
    spans = [
        chat(f"s{at}", None, number, messages[:at], [messages[at]])
        for number, at in enumerate(asked, 1)
    ]
    chance.shuffle(spans)
    (run,) = runs(tmp_path_factory.mktemp("law"), write(spans))
    assert steps(run) == [(turn.title, turn.text) for turn in recorded(messages)]


def openinference_message(one):
    """The flat attributes of one message, without what stands before them."""
    table = {"role": one["role"]}
    for number, part in enumerate(one["parts"]):
        if part["type"] == "text":
            table["content"] = part["content"]
        elif part["type"] == "tool_call":
            path = f"tool_calls.{number}.tool_call"
            table[f"{path}.id"] = part["id"]
            table[f"{path}.function.name"] = part["name"]
            table[f"{path}.function.arguments"] = json.dumps(part["arguments"])
        else:
            table |= {"content": part["response"], "tool_call_id": part["id"]}
    return table


def openinference_call(number, before, after):
    attributes = {}
    for side, messages in (("input", before), ("output", [after])):
        for index, one in enumerate(messages):
            for key, value in openinference_message(one).items():
                attributes[f"llm.{side}_messages.{index}.message.{key}"] = value
    return llm(f"s{number}", None, number, **attributes)


@given(st.lists(TURN, min_size=1, max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_calls_of_openinference_give_the_conversation_back(
    tmp_path_factory,
    turns,
    chance,
):
    messages, asked = conversation(turns)
    spans = [
        openinference_call(number, messages[:at], messages[at])
        for number, at in enumerate(asked, 1)
    ]
    chance.shuffle(spans)
    (run,) = runs(tmp_path_factory.mktemp("law"), as_lines(spans))
    assert steps(run) == [(turn.title, turn.text) for turn in recorded(messages)]


@given(st.lists(TURN, min_size=1, max_size=4), st.data())
@settings(max_examples=60)
def test_whatever_a_call_was_given_no_word_of_it_is_lost(tmp_path_factory, turns, data):
    messages, asked = conversation(turns)
    spans = []
    for number, at in enumerate(asked, 1):
        before = data.draw(st.lists(st.sampled_from(messages), max_size=5))
        spans.append(chat(f"s{at}", None, number, before, [messages[at]]))
    said = []
    for one in spans:
        for name in ("gen_ai.input.messages", "gen_ai.output.messages"):
            said += recorded(json.loads(one["attributes"][name]))
    (run,) = runs(tmp_path_factory.mktemp("law"), as_array(spans))
    kept = {words.strip() for _, words in steps(run)}
    assert {turn.text.strip() for turn in said} <= kept
