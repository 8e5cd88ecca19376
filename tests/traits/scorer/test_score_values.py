"""A score of the Python interface is read as inspect_ai 0.3.285 reads its own."""

from math import inf, nan

import pytest

from appellate import Score, ScoreEdit, score
from appellate.traits.scorer.rules import UNCHANGED


@pytest.mark.parametrize(
    ("value", "text", "whole", "number", "truth"),
    [
        (1, "1", 1, 1.0, True),
        (0.67, "0.67", 0, 0.67, True),
        (-2.9, "-2.9", -2, -2.9, True),
        (True, "True", 1, 1.0, True),
        (False, "False", 0, 0.0, False),
        ("3", "3", 3, 3.0, True),
        ("", "", None, None, False),
        ("C", "C", None, None, True),
        ("I", "I", None, None, True),
        ("2.5", "2.5", None, 2.5, True),
        (inf, "inf", None, inf, True),
        (10**400, str(10**400), 10**400, None, True),
    ],
)
def test_a_single_value_is_read_as_what_it_can_be(value, text, whole, number, truth):
    found = Score(value)
    assert found.text == found.as_str() == text
    assert found.as_bool() is truth
    for read, expected in ((found.as_int, whole), (found.as_float, number)):
        if expected is None:
            with pytest.raises(ValueError, match=r"^the score .* is no "):
                read()
        else:
            assert read() == expected
    with pytest.raises(ValueError, match="not a list"):
        found.as_list()
    with pytest.raises(ValueError, match="not a dictionary"):
        found.as_dict()


@pytest.mark.parametrize("value", [["C", 1, 0.5, True], ("C", 1), []])
def test_a_list_is_read_as_a_list_alone(value):
    found = Score(value)
    assert found.as_list() == list(value)
    for read in (found.as_str, found.as_int, found.as_float, found.as_bool):
        with pytest.raises(ValueError, match="not a single value"):
            read()
    with pytest.raises(ValueError, match="not a dictionary"):
        found.as_dict()


def test_a_dictionary_is_read_as_one_and_what_is_read_is_a_copy():
    found = Score({"style": "C", "facts": 0.5, "tone": None})
    read = found.as_dict()
    assert read == {"style": "C", "facts": 0.5, "tone": None}
    read.clear()
    assert found.as_dict()
    with pytest.raises(ValueError, match="not a single value"):
        found.as_float()


def test_a_score_needs_a_value_alone_and_has_no_history_until_it_is_edited():
    found = Score(nan)
    assert (found.answer, found.explanation, found.metadata, found.history) == (
        None,
        None,
        None,
        (),
    )
    assert score("match", "It is 42", "42").history == ()


def test_each_edit_is_in_the_history_behind_the_score_as_it_was_given():
    given = Score("I", "41", "It is not.", metadata={"site": "a"})
    once = given.edited(ScoreEdit(value="C", provenance={"author": "ada"}))
    twice = once.edited(ScoreEdit(answer=None, metadata={}))
    assert (twice.value, twice.answer, twice.explanation) == ("C", None, "It is not.")
    assert (twice.metadata, given.metadata) == ({}, {"site": "a"})
    assert [edit.value for edit in twice.history] == ["I", "C", UNCHANGED]
    assert twice.history[0].metadata == {"site": "a"}
    assert [edit.provenance for edit in twice.history] == [
        None,
        {"author": "ada"},
        None,
    ]
    assert given.history == ()


def test_an_answer_that_a_function_takes_out_is_scored_with_its_places_in_the_response():
    response = "We think: Paris in spring. Answer: Paris, France"
    found = score(
        "f1",
        response,
        "Paris France",
        answer_fn=lambda text: text.split(": ")[-1],
    )
    assert (found.value, found.answer, found.reason) == (1.0, "Paris, France", "")
    assert [response[start:end] for start, end in found.spans] == ["Paris,", "France"]
    assert score("f1", response, "Paris France").value < 1


def test_an_answer_that_is_not_in_the_response_has_no_places_and_an_empty_response_is_told():
    assert score("f1", "It is one.", "1", answer_fn=lambda _: "1").spans == ()
    found = score("f1", " ", "1", answer_fn=lambda _: "1")
    assert (found.value, found.reason) == (1.0, "no_response")


def test_a_function_that_gives_no_text_and_one_of_another_scorer_are_refused():
    with pytest.raises(
        ValueError,
        match="answer_fn gave a NoneType, not the text of the answer",
    ):
        score("f1", "x", "x", answer_fn=lambda _: None)
    with pytest.raises(ValueError, match="answer_fn is no setting of match; f1 has it"):
        score("match", "x", "x", answer_fn=str)
