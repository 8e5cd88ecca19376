"""A pairwise trait, and the two responses as a person reads them: sides by a coin, headings, names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairwise_cells import BETTER, NO_TIE, OTHER, RESPONSE, STRAIGHT, SWAPPED, pair
from pydantic import ValidationError

from appellate.core.kind import CANNOT_TELL
from appellate.core.problem import Refused
from appellate.core.trace import OtherResponse, Trace
from appellate.traits.pairwise.spec import (
    IS_OTHER,
    IS_RESPONSE,
    IS_TIE,
    PairwiseRubricTrait,
    is_swapped,
    scale_of,
)


def test_the_text_has_both_responses_on_the_sides_that_the_coin_gives():
    assert (
        BETTER.as_read(STRAIGHT).text
        == f"[Answer A]\n{RESPONSE}\n\n[Answer B]\n{OTHER}"
    )
    assert (
        BETTER.as_read(SWAPPED).text == f"[Answer A]\n{OTHER}\n\n[Answer B]\n{RESPONSE}"
    )


def test_the_coin_is_fair_and_always_the_same_for_one_seed_and_trace():
    drawn = [is_swapped(pair(number), 0) for number in range(400)]
    assert drawn == [is_swapped(pair(number), 0) for number in range(400)]
    assert 160 < sum(drawn) < 240
    assert drawn != [is_swapped(pair(number), 1) for number in range(400)]


def test_a_judge_is_asked_the_same_whatever_the_seed():
    assert BETTER.asked() == BETTER.model_copy(update={"seed": 9}).asked()
    assert BETTER.sha256() != BETTER.model_copy(update={"seed": 9}).sha256()


@given(st.text(alphabet="[]AnswerB \n\t", max_size=60), st.text(max_size=20))
def test_no_response_can_forge_the_heading_of_a_side(response, other):
    trace = Trace(id="x", response=response, other=OtherResponse(response=other))
    read = BETTER.as_read(trace)
    for side in read.sides:
        assert read.text[side.start : side.end] == side.text
        assert not any(line.startswith("[Answer") for line in side.text.split("\n"))
    lines = [line for line in read.text.split("\n") if line.startswith("[Answer ")]
    assert lines == ["[Answer A]", "[Answer B]"]


def test_keys_and_words_are_those_of_the_sides_and_verdicts_those_of_the_responses():
    straight = scale_of(BETTER, STRAIGHT)
    swapped = scale_of(BETTER, SWAPPED)
    assert [straight.of_digit(digit) for digit in (1, 2, 3)] == [
        IS_RESPONSE,
        IS_OTHER,
        IS_TIE,
    ]
    assert [swapped.of_digit(digit) for digit in (1, 2, 3)] == [
        IS_OTHER,
        IS_RESPONSE,
        IS_TIE,
    ]
    assert [swapped.describe(value) for value in (IS_RESPONSE, IS_OTHER, IS_TIE)] == [
        "B",
        "A",
        "tie",
    ]


def test_a_trait_without_ties_takes_none():
    assert list(NO_TIE.classes) == ["response", "other"]
    with pytest.raises(Refused, match="The verdict here is A or B"):
        scale_of(NO_TIE, STRAIGHT).of_digit(3)


def test_only_what_differs_from_the_defaults_is_written():
    assert BETTER.to_file() == {
        "name": "Better",
        "description": "Which is safer advice?",
    }
    other = PairwiseRubricTrait(name="x", tie=False, seed=3, cannot_tell=True)
    assert other.to_file() == {
        "name": "x",
        "tie": False,
        "seed": 3,
        "cannot_tell": True,
    }


def test_a_headline_must_be_a_number_of_the_trait():
    with pytest.raises(ValidationError, match="choose from win_rate, turned"):
        PairwiseRubricTrait(name="x", headline="f1")


def test_a_copy_with_another_response_has_another_text():
    read = BETTER.as_read(STRAIGHT)
    assert RESPONSE in read.text
    changed = read.model_copy(update={"response": "Padded."})
    assert changed.text == f"[Answer A]\nPadded.\n\n[Answer B]\n{OTHER}"
    assert RESPONSE in read.text


def test_a_scale_says_verdicts_by_the_sides_on_which_they_are():
    cautious = BETTER.model_copy(update={"cannot_tell": True})
    scale = scale_of(cautious, SWAPPED)
    assert scale.sayable == {
        "1": IS_OTHER,
        "2": IS_RESPONSE,
        "3": IS_TIE,
        CANNOT_TELL: CANNOT_TELL,
    }
    assert scale.meaning_of(IS_OTHER) == "A is better"
    assert scale.meaning_of(IS_TIE) == "tie: neither is better"
    assert scale.meaning_of(CANNOT_TELL) == "cannot tell from what is shown"
    assert scale.describe(CANNOT_TELL) == CANNOT_TELL
    assert scale.describe(None) == ""
    assert scale.key_of(IS_RESPONSE) == "2"
    assert scale.key_of(CANNOT_TELL) == "x"
    assert scale.keys_text().endswith("where it cannot be told")
    assert scale.classes == cautious.classes
    assert scale.kind == cautious.kind == "literal"
    assert scale.scale_text() == "Which is better?"
    assert scale.good_end_text() == ""
    assert scale.higher_is_better is cautious.higher_is_better is True
    assert BETTER.as_read(STRAIGHT).text_title == "Answers A and B"
