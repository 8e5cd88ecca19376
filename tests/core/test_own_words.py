"""What the assistant says of a conversation, and where that stands in the transcript."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.own_words import OwnWords
from appellate.core.trace import Trace
from appellate.core.transcript import as_conversation, retold

LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
ASSISTANTS = st.text(st.sampled_from(f"ab [1]{LINE_ENDS}"), max_size=12)
OTHERS = st.text(st.sampled_from(f"XY [1]{LINE_ENDS}"), max_size=12)


@st.composite
def messages(draw):
    """Messages of all kinds; only the assistant's have small letters beside their headings."""
    found = []
    for role in draw(
        st.lists(st.sampled_from(["user", "system", "tool", "assistant", "call"])),
    ):
        if role == "assistant":
            found.append({"role": role, "content": draw(ASSISTANTS)})
        elif role == "call":
            call = {
                "id": "1",
                "function": {"name": "ab", "arguments": draw(ASSISTANTS)},
            }
            found.append({"role": "assistant", "content": None, "tool_calls": [call]})
        else:
            found.append({"role": role, "content": draw(OTHERS)})
    return found


def conversation(given):
    return as_conversation(Trace(id="1", messages=given))


BOOKING = conversation(
    [
        {"role": "user", "content": "Book it, and call book_hotel."},
        {
            "role": "assistant",
            "content": "One moment.",
            "tool_calls": [
                {"id": "1", "function": {"name": "book_flight", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "booked"},
        {"role": "assistant", "content": "It is booked."},
    ],
)


def test_what_the_assistant_says_and_calls_is_without_headings_and_without_others_words():
    assert (
        BOOKING.own_words.text
        == "One moment.\n\ncalls book_flight\n{}\n\nIt is booked."
    )


def test_a_response_is_all_the_assistants():
    own = Trace(id="1", response="It is booked.").own_words
    assert own.text == "It is booked."
    assert own.in_text((3, 5)) == own.of_text((3, 5)) == (3, 5)


@given(messages())
def test_no_word_of_others_is_among_the_assistants(given):
    own = conversation(given).own_words
    assert not re.search("[XY]", own.text)


@given(messages())
def test_every_word_of_the_assistant_is_the_one_at_its_place_in_the_transcript(given):
    trace = conversation(given)
    own = trace.own_words
    places = set()
    for start in range(len(own.text)):
        place = own.in_text((start, start + 1))
        if place[0] == place[1]:
            assert own.text[start] == "\n"  # between two steps
            continue
        assert trace.text[slice(*place)] == own.text[start]
        assert own.of_text(place) == (start, start + 1)
        places.add(place[0])
    for step in trace.transcript.steps:
        for start, end in step.stretches:
            assert step.is_assistants == places.issuperset(range(start, end))


@given(messages(), st.integers(0, 60), st.integers(0, 20))
def test_what_a_stretch_has_of_single_steps_lies_in_one_each_and_is_the_assistants(
    given,
    start,
    length,
):
    trace = conversation(given)
    own = trace.own_words
    span = own.in_text((min(start, len(own.text)), min(start + length, len(own.text))))
    for part in trace.transcript.parts_of(span):
        step = trace.transcript.step_of(part)
        assert step is not None
        assert step.is_assistants
        assert span[0] <= part[0]
        assert part[1] <= span[1]


@given(messages(), st.integers(0, 60), st.integers(0, 60))
def test_any_stretch_of_a_transcript_is_parted_into_single_steps(given, start, end):
    trace = conversation(given)
    for part in trace.transcript.parts_of((start, end)):
        assert trace.transcript.step_of(part)


def test_a_stretch_of_nothing_has_a_place():
    own = BOOKING.own_words
    for start in range(len(own.text) + 1):
        place = own.in_text((start, start))
        assert place[0] == place[1]
    assert OwnWords.among("", []).in_text((0, 0)) == (0, 0)


@pytest.mark.parametrize("words", ["Book it", "booked", "[1] user"])
def test_others_words_have_no_place_among_the_assistants(words):
    start = BOOKING.text.index(words)
    assert BOOKING.own_words.of_text((start, start + len(words))) is None


def test_a_stretch_over_a_heading_has_no_place_among_the_assistants():
    start = BOOKING.text.index("moment")
    end = BOOKING.text.index("{}")
    assert BOOKING.own_words.of_text((start, end)) is None


def test_a_conversation_told_with_other_words_has_these_as_the_assistants():
    assert BOOKING.own_words.text.startswith("One moment.")
    assert retold(BOOKING, {2: "Wait."}).own_words.text.startswith("Wait.")
