"""The turns of a conversation, recorded as messages or written as one text."""

import json

from hypothesis import given
from hypothesis import strategies as st

from appellate.core.messages import ChatTurn, asked, parted, turns_of
from appellate.core.trace import Trace

LINES = st.text(st.characters(codec="utf-8", exclude_characters=":"), min_size=1).map(str.strip)
SAID = LINES.filter(bool)


def roles(turns):
    return [turn.role for turn in turns]


@given(st.lists(st.tuples(SAID, SAID), min_size=1, max_size=4), SAID)
def test_a_conversation_written_as_one_text_is_parted_into_what_each_side_said(exchanges, last):
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


def recorded(*messages, response="", question=None):
    return turns_of(Trace(id="a", messages=list(messages), response=response), question)


def test_the_response_is_no_turn_before_itself():
    user, answer = {"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So. "}
    assert roles(recorded(user, answer, response="So.")) == ["user"]
    assert roles(recorded(user, answer, response="Otherwise.")) == ["user", "assistant"]
    assert turns_of(Trace(id="a", messages=[answer], response="So."), "Why?") == [
        ChatTurn("user", "Why?")
    ]


def test_a_question_stands_behind_messages_in_which_nobody_asks():
    turns = recorded({"role": "system", "content": "Be brief."}, question="Why?")
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
        turns for trace, turns in zip(traces, found, strict=True) if trace.id == "5c175ed0"
    )
    assert roles(eight) == ["user", "assistant"] * 7 + ["user"]
    assert eight[-1].text.startswith("URGENT : Patient")
    assert eight[9].text.endswith("si besoin.\n\nMerci.")
