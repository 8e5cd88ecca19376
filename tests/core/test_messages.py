"""Messages of every shape that files have: what was said, thought, called and given."""

import json

from hypothesis import given
from hypothesis import strategies as st

from appellate.core.messages import ChatTurn, in_lines, recorded

FOUND = '{"found": 1}'


def turns(*messages: object) -> list[tuple[str, ...]]:
    """Each turn: its title and its text."""
    return [(turn.title, turn.text) for turn in recorded(messages)]


def test_a_message_has_one_text_or_one_in_parts():
    picture = [{"type": "text", "text": "What is"}, {"type": "image_url"}, "this?"]
    assert turns(
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": picture},
        {"role": "Human", "content": {"odd": 1}},
        {"role": "assistant", "content": None},
        {"content": "who?"},
        "words",
    ) == [
        ("system", "Be brief."),
        ("user", "What is\n(image_url)\nthis?"),
        ("user", '{"odd": 1}'),
        ("assistant", ""),
        ("unknown", "who?"),
        ("unknown", "words"),
    ]


def test_calls_and_results_of_openais_chat():
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": FOUND}}
    assert turns(
        {"role": "assistant", "content": "I look.", "tool_calls": [call, 3]},
        {"role": "tool", "tool_call_id": "c1", "content": FOUND},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
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
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Why?"}]},
        {"type": "reasoning", "summary": summary},
        {"type": "function_call", "call_id": "c1", "name": "search", "arguments": FOUND},
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
    failed = {"type": "tool_result", "tool_use_id": "u1", "is_error": True, "content": "no net"}
    assert turns(
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, use]},
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
        {"role": "tool", "tool_call_id": "c1", "function": "bash", "content": "", "error": error},
    ) == [
        ("assistant thinks", "Hm."),
        ("assistant calls bash", '{"cmd": "ls"}'),
        ("tool bash failed", "It took too long."),
    ]


def test_json_is_read_a_key_a_line_and_texts_of_several_lines_as_they_are():
    told = {"query": "BCL2 “x”", "limit": 5, "code": "a = 1\n  b", "of": {"year": [2020]}}
    assert in_lines(json.dumps(told)) == (
        'query: "BCL2 “x”"\nlimit: 5\ncode:\n  a = 1\n    b\nof: {\n  "year": [\n    2020\n  ]\n}'
    )
    assert in_lines("[1]") == "[\n  1\n]"
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
