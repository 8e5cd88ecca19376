"""Messages of every shape that files have: what was said, thought, called and given."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.messages import (
    ChatTurn,
    asked,
    in_lines,
    parted,
    recorded,
    sentence_bounds,
    turns_of,
)
from appellate.core.trace import Trace

FOUND = '{"found": 1}'


def turns(*messages: object) -> list[tuple[str, ...]]:
    """Each turn: its title and its text."""
    return [(turn.title, turn.text) for turn in recorded(messages)]


def test_a_message_has_one_text_or_one_in_parts():
    picture = [{"type": "text", "text": "What is"}, {"type": "image_url"}, "this?"]
    assert turns(
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": picture},
        {"role": " Human ", "content": {"odd": 1}},
        {"role": "assistant", "content": None},
        {"content": "who?"},
        "words",
    ) == [
        ("system", "Be brief."),
        ("user", "What is\n(image)\nthis?"),
        ("user", '{"odd": 1}'),
        ("assistant", ""),
        ("unknown", "who?"),
        ("unknown", "words"),
    ]


@pytest.mark.parametrize("kind", ["text", "tool_result"])
def test_parts_in_parts_are_gone_through_or_shown_as_they_are(kind):
    """A file may hold more levels than functions can call each other."""
    content = "words"
    for _ in range(100):
        content = [{"type": kind, "content": content}]
    [(_, text)] = turns({"role": "user", "content": content})
    assert text == "words"

    for _ in range(200):
        content = [{"type": kind, "content": content}]
    [(title, text)] = turns({"role": "user", "content": content})
    assert title == "user"
    assert json.loads(text) == content


def test_calls_and_results_of_openais_chat():
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "search", "arguments": FOUND},
    }
    assert turns(
        {"role": "assistant", "content": "I look.", "tool_calls": [call, 3]},
        {"role": "tool", "tool_call_id": "c1", "content": FOUND},
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "f", "arguments": "{}"},
        },
        {"role": "function", "name": "f", "content": [{"type": "text", "text": "so"}]},
        {"role": "assistant", "reasoning_content": "Hm.", "content": "So."},
    ) == [
        ("assistant", "I look."),
        ("assistant calls search", FOUND),
        ("assistant calls", "3"),
        ("tool search", FOUND),
        ("assistant calls f", "{}"),
        ("tool f", "so"),
        ("assistant thinks", "Hm."),
        ("assistant", "So."),
    ]


def test_items_of_openais_responses():
    summary = [{"type": "summary_text", "text": "Hm."}]
    assert turns(
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Why?"}],
        },
        {"type": "reasoning", "summary": summary},
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "search",
            "arguments": FOUND,
        },
        {"type": "function_call_output", "call_id": "c1", "output": "nothing"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "So."}]},
    ) == [
        ("user", "Why?"),
        ("assistant thinks", "Hm."),
        ("assistant calls search", FOUND),
        ("tool search", "nothing"),
        ("assistant", "So."),
    ]


def test_blocks_of_anthropics_messages_where_a_users_message_brings_results():
    use = {"type": "tool_use", "id": "u1", "name": "search", "input": {"q": "Straße"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "u1",
        "content": [{"type": "text", "text": "1"}],
    }
    failed = {
        "type": "tool_result",
        "tool_use_id": "u1",
        "is_error": True,
        "content": "no net",
    }
    assert turns(
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "Hm."}, use],
        },
        {"role": "user", "content": [result, failed, {"type": "text", "text": "And?"}]},
    ) == [
        ("assistant thinks", "Hm."),
        ("assistant calls search", '{"q": "Straße"}'),
        ("tool search", "1"),
        ("tool search failed", "no net"),
        ("user", "And?"),
    ]


def test_messages_of_inspect():
    call = {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}}
    error = {"type": "timeout", "message": "It took too long."}
    assert turns(
        {
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "Hm."}],
            "tool_calls": [call],
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "function": "bash",
            "content": "",
            "error": error,
        },
    ) == [
        ("assistant thinks", "Hm."),
        ("assistant calls bash", '{"cmd": "ls"}'),
        ("tool bash failed", "It took too long."),
    ]


def test_results_of_opentelemetry_and_of_swe_agent_have_their_words_and_their_tools():
    assert turns(
        {
            "role": "assistant",
            "parts": [
                {
                    "type": "tool_call",
                    "id": "c1",
                    "name": "weather",
                    "arguments": {"in": "x"},
                },
            ],
        },
        {
            "role": "tool",
            "parts": [
                {"type": "tool_call_response", "id": "c1", "response": "rainy, 57°F"},
            ],
        },
    ) == [("assistant calls weather", '{"in": "x"}'), ("tool weather", "rainy, 57°F")]
    assert turns(
        {
            "role": "assistant",
            "tool_calls": [{"id": "c2", "function": {"name": "bash"}}],
        },
        {"role": "tool", "content": "done", "tool_call_ids": ["c2"]},
    ) == [("assistant calls bash", ""), ("tool bash", "done")]


def test_a_picture_is_told_by_where_it_lies_and_never_by_its_bytes():
    pictures = [
        {"type": "image_url", "image_url": {"url": "https://x.example/room.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
    ]
    (told,) = turns({"role": "user", "content": pictures})
    assert told == ("user", "(image: https://x.example/room.png)\n(image)\n(audio)")


def test_a_picture_in_the_form_of_opentelemetry_is_told_by_where_it_lies_too():
    pictures = [
        {
            "type": "blob",
            "modality": "image",
            "mime_type": "image/png",
            "content": "iVBORw0",
        },
        {"type": "uri", "modality": "video", "uri": "https://x.example/a.mp4"},
        {"type": "binary", "media_type": "application/pdf", "content": "JVBERi0"},
        {"type": "image", "image": "data:image/png;base64,AAAA"},
        {"type": "audio", "content": "AAAA"},
    ]
    (told,) = turns({"role": "user", "parts": pictures})
    assert told == (
        "user",
        "(image)\n(video: https://x.example/a.mp4)\n(file)\n(image)\n(audio)",
    )


def test_a_document_that_is_text_keeps_its_words():
    documents = [
        {"type": "document", "source": {"type": "text", "data": "Page 1."}},
        {"type": "document", "source": {"type": "content", "content": "Page 2."}},
        {"type": "document", "source": {"type": "base64", "data": "JVBERi0="}},
    ]
    (told,) = turns({"role": "user", "content": documents})
    assert told == ("user", "Page 1.\nPage 2.\n(document)")


def test_a_thought_in_the_form_of_opentelemetry_keeps_its_words():
    thought = {
        "role": "assistant",
        "parts": [{"type": "reasoning", "content": "Two look-ups."}],
    }
    assert turns(thought) == [("assistant thinks", "Two look-ups.")]


def test_what_came_after_the_response_is_not_before_it():
    messages = [
        {"role": "user", "content": "A seat to Oslo."},
        {"role": "assistant", "content": "Booked."},
        {"role": "user", "content": "Thank you! ###STOP###"},
    ]
    trace = Trace(id="1", response="Booked.", messages=messages)
    assert [turn.text for turn in turns_of(trace, None)] == ["A seat to Oslo."]


def test_json_is_read_a_key_a_line_and_texts_of_several_lines_as_they_are():
    told = {
        "query": "BCL2 “x”",
        "limit": 5,
        "code": "a = 1\n  b",
        "of": {"year": [2020]},
    }
    assert in_lines(json.dumps(told)) == (
        'query: "BCL2 “x”"\nlimit: 5\ncode:\n  a = 1\n    b\nof: {"year": [2020]}'
    )
    assert in_lines("[1]") == "[1]"
    assert in_lines("{}") == "{}"
    for text in ("{not json", "plain", "", "[" * 100_000):
        assert in_lines(text) == text
    assert ChatTurn("assistant", '{"a": 1}').readable == '{"a": 1}'
    assert ChatTurn("assistant", '{"a": 1}', "calls f").readable == "a: 1"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(
        st.sampled_from(["role", "content", "type", "text", "tool_calls", "function", "name", "id"]),
        below,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(JSON, max_size=4))
def test_any_messages_are_turns(messages):
    for turn in recorded(messages):
        assert turn.title.strip() == turn.title
        assert isinstance(turn.readable, str)


# -- turns -----------------------------------------------------------------------------------------


LINES = st.text(st.characters(codec="utf-8", exclude_characters=":"), min_size=1).map(
    str.strip,
)
SAID = LINES.filter(bool)


def roles(turns):
    return [turn.role for turn in turns]


@given(st.lists(st.tuples(SAID, SAID), min_size=1, max_size=4), SAID)
def test_a_conversation_written_as_one_text_is_parted_into_what_each_side_said(
    exchanges,
    last,
):
    turns = [
        ChatTurn(role, text)
        for pair in exchanges
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    turns.append(ChatTurn("user", last))
    assert parted("\n\n".join(f"{turn.role}: {turn.text}" for turn in turns)) == turns


@given(st.text())
def test_of_any_text_no_word_is_lost(text):
    said = "".join(turn.text for turn in parted(text))
    assert not text.strip() or said == text or len(parted(text)) > 1


def test_turns_may_have_paragraphs_and_other_names():
    text = "System: Be brief.\n\nHuman: One.\n\nTwo: three.\n\nAI: Yes.\n\nNo.\n\nHuman:\nAnd?"
    assert parted(text) == [
        ChatTurn("system", "Be brief."),
        ChatTurn("user", "One.\n\nTwo: three."),
        ChatTurn("assistant", "Yes.\n\nNo."),
        ChatTurn("user", "And?"),
    ]


def test_a_text_that_only_looks_like_a_conversation_is_one_turn():
    for text in (
        "What does this log say?\n\nuser: root\n\nassistant: none",
        "user: root",
        "user: a\n\nuser: b",
        "user: a\n\nassistant: b",
        "assistant: a\n\nuser: b",
        "user: a\n\nsystem: b\n\nuser: c",
        "user: a\nassistant: b\nuser: c",
        "tool: a\n\nuser: b\n\nassistant: c\n\nuser: d",
    ):
        assert parted(text) == [ChatTurn("user", text)], text
    assert parted(" \n") == []


def turns_with(*messages, response="", question=None):
    return turns_of(Trace(id="a", messages=list(messages), response=response), question)


def test_the_response_is_no_turn_before_itself():
    user, answer = (
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": "So. "},
    )
    assert roles(turns_with(user, answer, response="So.")) == ["user"]
    assert roles(turns_with(user, answer, response="Otherwise.")) == [
        "user",
        "assistant",
    ]
    assert turns_of(Trace(id="a", messages=[answer], response="So."), "Why?") == [
        ChatTurn("user", "Why?"),
    ]


def test_a_question_stands_behind_messages_in_which_nobody_asks():
    turns = turns_with({"role": "system", "content": "Be brief."}, question="Why?")
    assert turns == [ChatTurn("system", "Be brief."), ChatTurn("user", "Why?")]


def test_what_is_answered_is_the_newest_turn_of_the_user():
    turns = [
        ChatTurn("user", "a"),
        ChatTurn("assistant", "b"),
        ChatTurn("user", "c"),
        ChatTurn("tool", "d"),
    ]
    found = asked(turns)
    assert found == (turns[2], turns[:2], turns[3:])
    assert asked([ChatTurn("system", "a")]) == (ChatTurn("system", "a"), [], [])
    assert asked([]) is None


def test_every_conversation_of_healthbench_is_parted(shared):
    lines = (shared / "data/healthbench/traces.jsonl").read_text("utf-8").splitlines()
    traces = [Trace.model_validate(json.loads(line)) for line in lines]
    found = [turns_of(trace, trace.question) for trace in traces]
    assert [len(turns) for turns in found].count(1) == 13
    for trace, turns in zip(traces, found, strict=True):
        assert trace.question.endswith(turns[-1].text)
        assert turns[-1].role == "user"
    eight = next(
        turns
        for trace, turns in zip(traces, found, strict=True)
        if trace.id == "5c175ed0"
    )
    assert roles(eight) == ["user", "assistant"] * 7 + ["user"]
    assert eight[-1].text.startswith("URGENT : Patient")
    assert eight[9].text.endswith("si besoin.\n\nMerci.")


# -- sentences -------------------------------------------------------------------------------------


SENTENCE = 'Take 5 mg daily; see "the doctor" (Dr. Xu) first. '


def sentences(text):
    return [text[start:end].strip() for start, end in sentence_bounds(text)]


def test_an_abbreviation_ends_no_sentence():
    assert sentences("Ask Dr. Xu. Then rest.") == ["Ask Dr. Xu.", "Then rest."]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_paragraph_of_a_megabyte_has_all_its_sentences(end):
    found = sentences((SENTENCE + end) * 20_000)
    assert 20_000 <= len(found) <= 20_100
    assert found.count(SENTENCE.strip()) > 19_900


def test_a_text_without_a_blank_is_covered_whole():
    text = "x" * 100_000
    bounds = list(sentence_bounds(text))
    assert bounds[0][0] == 0
    assert bounds[-1][1] == len(text)
    assert all(end - start <= 2**14 for start, end in bounds)


def test_half_a_character_takes_one_place():
    assert list(sentence_bounds("A \ud800 b."))[-1][1] == 6
