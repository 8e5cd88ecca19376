"""A fault, told with its place, and shown inert."""

from appellate.core.problem import Problem, Unusable, closest, quoted


def test_a_problem_names_file_place_what_is_wrong_and_what_would_be_right():
    assert (
        str(Problem("x.toml", "line 3", "is missing", "add it"))
        == "x.toml: line 3: is missing; add it"
    )
    assert str(Problem("x.toml", "", "is empty")) == "x.toml: is empty"


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
