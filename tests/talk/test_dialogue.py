"""Asking until a reply can be used: a reader of numbers stands in for a trait kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.talk.dialogue import (
    MOST_REPLY_TOKENS,
    NUMBER,
    RUNS_ON,
    TEXT,
    TRIES,
    Form,
    NoAnswer,
    Prompt,
    Reply,
    Unreadable,
    ask_until_usable,
    list_of,
    longest_answer_for,
    max_tokens_for,
    or_null,
    readable,
    table,
    without_bounds,
)

FIRST = Prompt("system", "How many?", {"type": "object"}, max_tokens=4096)


def number(text):
    if not text.isdigit():
        raise NoAnswer("unreadable", f"{text} is no number.")
    if text == "0":
        raise NoAnswer("incomplete", "there is at least one.")
    return int(text)


def talk(*replies, first=FIRST):
    """The prompts that these replies met, and the answer where there was one."""
    dialogue = ask_until_usable(first, number, "Not so: {}".format)
    prompts = [next(dialogue)]
    for reply in replies:
        try:
            prompts.append(
                dialogue.send(Reply(reply) if isinstance(reply, str) else reply),
            )
        except StopIteration as end:
            return prompts, end.value
    return prompts, None


def unreadable(*replies, first=FIRST):
    with pytest.raises(Unreadable) as failure:
        talk(*replies, first=first)
    return failure.value


def test_a_reply_that_can_be_read_is_the_answer():
    assert talk("7") == ([FIRST], 7)


def test_one_that_cannot_is_told_below_the_first_prompt():
    prompts, answer = talk("many", "0", "7")
    assert answer == 7
    assert [prompt.user for prompt in prompts[1:]] == [
        "How many?\nNot so: many is no number.",
        "How many?\nNot so: there is at least one.",
    ]
    assert [prompt.why for prompt in prompts] == ["first", "unreadable", "incomplete"]


def test_after_the_last_try_the_reason_and_the_raw_reply_are_told():
    failure = unreadable(*["many"] * (TRIES - 1), "few")
    assert failure.reason == "The judge gave no usable reply: few is no number."
    assert failure.raw == "few"


def test_a_cut_reply_is_asked_again_with_twice_the_room_and_never_believed():
    prompts, answer = talk(Reply("7", cut=True), "8")
    assert answer == 8
    assert [(prompt.max_tokens, prompt.why) for prompt in prompts] == [
        (4096, "first"),
        (8192, "cut"),
    ]
    assert prompts[1].user == FIRST.user


def test_the_room_that_was_needed_is_kept_and_being_cut_is_no_try():
    prompts, answer = talk("many", Reply("", cut=True), "many", "7")
    assert answer == 7
    assert prompts[3].max_tokens == 8192


def test_a_reply_that_is_cut_again_and_again_fails():
    failure = unreadable(*[Reply("{\udfff", cut=True)] * 4)
    assert (
        f"cut by the token limit, even with room for {MOST_REPLY_TOKENS} tokens"
        in failure.reason
    )
    assert failure.raw == "{\ufffd"


def test_a_cut_reply_longer_than_any_answer_is_asked_for_no_more():
    first = Prompt("", "", {}, max_tokens=4096, longest_answer=100)
    failure = unreadable(Reply("7" * 101, cut=True), first=first)
    assert failure.reason == RUNS_ON
    assert failure.shapeless


@pytest.mark.parametrize(
    "text",
    ["7" * 100, "<think>" + "7" * 200, "7" * 200 + "</think>7"],
)
def test_a_model_that_still_thinks_or_is_within_bounds_gets_more_room(text):
    first = Prompt("", "", {}, max_tokens=4096, longest_answer=100)
    prompts, answer = talk(Reply(text, cut=True), "7", first=first)
    assert answer == 7
    assert [prompt.max_tokens for prompt in prompts] == [4096, 8192]


@given(st.integers(0, 10_000))
def test_the_room_and_the_longest_answer_grow_with_what_an_answer_takes(usual):
    assert 4096 <= max_tokens_for(usual) <= MOST_REPLY_TOKENS // 2
    assert max_tokens_for(usual) <= max_tokens_for(usual + 1)
    assert longest_answer_for(usual) <= longest_answer_for(usual + 1)
    assert longest_answer_for(usual) > 4 * usual


def test_bounds_are_taken_out_of_a_schema_whole():
    schema = table({"1": list_of(list_of(TEXT, 3), 2), "2": or_null(list_of(NUMBER))})
    bare = table({"1": list_of(list_of(TEXT)), "2": or_null(list_of(NUMBER))})
    assert without_bounds(schema) == bare


def test_the_room_never_exceeds_the_most():
    dialogue = ask_until_usable(
        Prompt("", "", {}, max_tokens=MOST_REPLY_TOKENS - 1),
        number,
        str,
    )
    next(dialogue)
    assert dialogue.send(Reply("", cut=True)).max_tokens == MOST_REPLY_TOKENS


def test_prompts_are_told_apart_by_what_is_sent():
    assert (
        FIRST.sha256()
        == Prompt(
            "system",
            "How many?",
            {"type": "object"},
            max_tokens=1,
            why="cut",
        ).sha256()
    )
    assert (
        len(
            {
                FIRST.sha256(),
                FIRST.with_text("more").sha256(),
                Prompt("system", "How many?", {}, max_tokens=1).sha256(),
            },
        )
        == 3
    )


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_becomes_readable_and_stays_so(text):
    plain = readable(text)
    plain.encode()
    assert readable(plain) == plain


def test_only_lone_surrogates_are_replaced():
    assert readable("a\ud800b𝄞\udd1e") == "a\ufffdb𝄞\ufffd"


def test_what_a_server_could_not_read_is_told_with_its_words_and_not_to_the_model():
    broken = Reply("half a", unread="Unterminated string")
    prompts, _ = talk(broken, "7")
    assert prompts[1].user == "How many?\nNot so: the server could not read it."
    assert "Unterminated" not in prompts[1].user
    failure = unreadable(*[broken] * TRIES)
    assert str(failure).endswith(
        "the server could not read it. It said: Unterminated string",
    )
    assert failure.unread


def test_what_is_sent_is_measured_and_may_have_another_shape_for_lists():
    listed = Form("How many, in a list?", {"type": "array"})
    prompt = replace(FIRST, user="Wie süß?", list_form=listed)
    assert prompt.octets == len("systemWie süß?".encode()) + len('{"type": "object"}')
    assert prompt.form(as_lists=True) == listed
    assert FIRST.form(as_lists=True) == Form(FIRST.user, FIRST.schema)
    assert prompt.sha256() != prompt.sha256(as_lists=True)
    further = prompt.with_text("And now?").as_further_question({"type": "number"})
    assert (further.user, further.list_form.user) == (
        "Wie süß?\nAnd now?",
        "How many, in a list?\nAnd now?",
    )
    assert (further.schema, further.list_form.schema) == (
        {"type": "number"},
        {"type": "number"},
    )
    assert further.why == "further"
    assert FIRST.as_further_question({}).list_form is None
