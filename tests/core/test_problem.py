"""A fault, told with its place, and shown inert."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.problem import (
    Loaded,
    Problem,
    Unusable,
    closest,
    counted_names,
    describe_value,
    first_texts,
    listing,
    lower,
    many,
    quoted,
    shape_error_text,
    unknown_key,
    with_keys,
)


def test_of_many_names_the_first_three_are_told():
    assert counted_names([], "cell") == "0 cells"
    assert counted_names(["a"], "cell") == "1 cell (a)"
    assert counted_names(list("abc"), "cell") == "3 cells (a, b, c)"
    assert counted_names(list("abcde"), "cell") == "5 cells (a, b, c and 2 more)"


def test_a_problem_names_file_place_what_is_wrong_and_what_would_be_right():
    assert (
        str(Problem("x.toml", "line 3", "is missing", "add it"))
        == "x.toml: line 3: is missing; add it"
    )
    assert str(Problem("x.toml", "", "is empty")) == "x.toml: is empty"
    assert str(Problem("x", "", "is empty", trace="t1")) == 'x: is empty (trace "t1")'


def test_all_problems_are_told_together():
    told = Unusable([Problem("a", "", "one"), Problem("b", "", "two")])
    assert str(told) == "a: one\nb: two"
    assert len(told.problems) == 2


def test_quoted_text_is_cut_and_cannot_act_on_a_terminal():
    assert quoted("x" * 100, 10) == '"' + "x" * 9 + '…"'
    assert quoted("\x1b[31m\u202e") == '"\\x1b[31m\\u202e"'


def test_too_many_words_are_not_gone_through_for_the_one_that_was_meant():
    assert closest("colors", ["colours", "keys"]) == "colours"
    assert closest("colors", ["colours"] * 1001) == ""


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("x", 'the text "x"'),
        (None, "null"),
        (True, "true"),
        (3, "the number 3"),
        (10**50, "a huge number"),
        (-(10**400), "a huge number"),
        (float("nan"), "nan, which is no number"),
        (float("-inf"), "an infinite number"),
        ([], "a list"),
        ({}, "a table"),
        (date(2026, 1, 1), "a date or time"),
        (object(), "something else"),
    ],
)
def test_a_value_is_told_by_what_it_is(value, told):
    assert describe_value(value) == told


def test_an_unknown_key_is_told_with_the_one_that_was_meant_or_with_all():
    assert unknown_key("colors", ["colours"])[1] == 'did you mean "colours"?'
    assert unknown_key("x", ["keys", "preset"])[1] == "keys are keys, preset"


def test_what_was_loaded_is_of_use_only_without_problems():
    assert Loaded(3).usable() == 3
    with pytest.raises(Unusable, match="x: is empty"):
        Loaded(3, [Problem("x", "", "is empty")]).usable()


# -- words -----------------------------------------------------------------------------------------


def test_a_count_is_told_with_its_noun():
    assert [many(count, "cell") for count in (0, 1, 2, 1000)] == [
        "0 cells",
        "1 cell",
        "2 cells",
        "1,000 cells",
    ]
    assert many(2, "breach", "breaches") == "2 breaches"


def test_texts_of_a_sentence_have_and_before_the_last():
    assert listing([]) == ""
    assert listing(["a"]) == "a"
    assert listing(["a", "b"]) == "a and b"
    assert listing(["a", "b", "c"]) == "a, b and c"


def test_texts_of_which_one_is_right_have_or_before_the_last():
    assert listing(["a"], "or") == "a"
    assert listing(["a", "b", "c"], "or") == "a, b or c"


@given(st.text())
def test_lower_case_keeps_offsets(text):
    assert len(lower(text)) == len(text)
    assert lower("İSTANBUL") == "İstanbul"


def test_the_first_texts_are_named_and_the_others_counted():
    assert first_texts([], 2) == ""
    assert first_texts(["a", "b"], 2) == "a, b"
    assert first_texts(["a", "b", "c"], 2, "; ") == "a; b and 1 more"
    assert first_texts(["a"] * 1_002, 2) == "a, a and 1,000 more"


@pytest.mark.parametrize(
    ("reading", "text"),
    [
        ("(None).get('a')", "null is where a table should be"),
        ("'x'.items()", 'the text "x" is where a table should be'),
        ("(5).strip()", "the number 5 is where a text should be"),
        ("{}.append(1)", "a table is where a list should be"),
        ("null['a']", "null is where a table or list should be"),
        ("list(5)", "a number is where a list should be"),
        ("'a' in None", "null is where a list should be"),
        ("rows['a']", "a list is where a table should be"),
        ("word['a']", "a text is where a table should be"),
        ("{{}}", "a table is where a text or number should be"),
        ("' '.join([None])", "null is where a text should be"),
        ("float([])", "a list is where a number should be"),
        ("int(None)", "null is where a number should be"),
        ("'x' > 5", "a text is where a number should be"),
        ("float('x')", "'x' is where a number should be"),
        ("int('x')", "'x' is where a number should be"),
        ("float(10**400)", "a number is too large"),
        ("{}['id']", '"id" is missing or unknown'),
        ("[][0]", "a list has too few entries"),
        ("deep(1)", "it is nested too deep"),
        ("object().a", "'object' object has no attribute 'a'"),
        ("object() > 5", "'>' not supported between instances of 'object' and 'int'"),
        ("raising(ValueError('a\\nb'))", "a b"),
        ("raising(KeyError())", "KeyError"),
    ],
)
def test_a_value_of_the_wrong_shape_is_told_in_a_sentence_not_in_words_of_python(
    reading,
    text,
):
    def deep(number):
        return deep(number + 1)

    def raising(error):
        raise error

    values = {"null": None, "rows": [], "word": "x"}
    with pytest.raises(Exception) as raised:  # noqa: PT011 - any that a reading leads to
        eval(reading, {"deep": deep, "raising": raising, **values})  # noqa: S307
    assert shape_error_text(raised.value) == text


def test_words_of_others_in_quotes_are_no_keys():
    text = "Dropped “a {item:1} b” and “{cell.undo:u}”. {cell.undo:u} undoes it."
    shown_text = "Dropped “a {item:1} b” and “{cell.undo:u}”. z undoes it."
    assert with_keys(text, {"cell.undo": "z"}) == shown_text
    left_text = "Dropped “a {item:1} b” and “{cell.undo:u}”."
    assert with_keys(text, {"cell.undo": ""}) == left_text
