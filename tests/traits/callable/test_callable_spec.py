"""What a callable trait may be: Karenina's keys and defaults, a function by its name, and no pickled code."""

import pytest
from pydantic import ValidationError

from appellate.core.problem import Refused
from appellate.core.scale import full_name
from appellate.store.files.rubric_file import parse_rubric
from appellate.traits.callable import KIND
from appellate.traits.callable.spec import CallableRubricTrait, notes

FUNCTION = "checks:f"
CLASSES = {"short": "little", "long": "much"}


def trait(kind="boolean", **more):
    return CallableRubricTrait(name="T", kind=kind, callable=FUNCTION, **more)


def test_every_trait_of_karenina_is_accepted_with_its_defaults_but_for_its_pickled_code(
    oracle,
):
    cases = [
        case
        for case in oracle["other_trait_validation"]
        if case["cls"] == "CallableRubricTrait"
    ]
    assert len(cases) == 2
    for case in cases:
        given = {
            key: value
            for key, value in case["kwargs"].items()
            if key != "callable_code"
        }
        code = case["kwargs"].keys() - given.keys()
        assert bool(code) == case["outcome"]["accepted"]
        if not code:
            with pytest.raises(ValidationError, match="callable"):
                CallableRubricTrait(**given)
            continue
        with pytest.raises(
            ValidationError,
            match="pickled code, which is never loaded",
        ):
            CallableRubricTrait(**case["kwargs"])
        expected = {**case["outcome"]["dump"], "callable": FUNCTION}
        del expected["callable_code"]
        assert CallableRubricTrait(**given, callable=FUNCTION).model_dump() == expected


def test_pickled_code_is_told_with_its_place_and_what_would_be_right():
    table = {
        "callable_traits": [{"name": "T", "kind": "boolean", "callable_code": "gASV"}],
    }
    (problem,) = parse_rubric(table, "f").problems
    assert "callable_traits[0]" in str(problem)
    assert 'callable = "package.module:function" names the function' in str(problem)


@pytest.mark.parametrize(
    "name",
    ["checks", "checks:", ":f", "a b:f", "checks:f()", "../x:f", "x.py:"],
)
def test_what_names_no_function_is_refused(name):
    with pytest.raises(ValidationError, match="names no function"):
        CallableRubricTrait(name="T", kind="boolean", callable=name)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"kind": "literal"}, 'a trait of kind "literal" needs classes'),
        ({"kind": "literal", "classes": {"a": "b"}}, "there is 1 class, of 2 to 20"),
        ({"kind": "literal", "classes": {"": "b", "c": "d"}}, "a class needs a name"),
        ({"kind": "literal", "classes": {"a": "b", "A": "d"}}, "differ only in case"),
        (
            {"kind": "score", "min_score": 3, "max_score": 3},
            "min_score (3) must be less than",
        ),
    ],
)
def test_values_that_cannot_be_are_refused(given, told):
    with pytest.raises(ValidationError) as refusal:
        trait(**given)
    assert told in str(refusal.value)


@pytest.mark.parametrize(
    ("of", "returned", "verdict"),
    [
        (trait(), True, True),
        (trait(invert_result=True), True, False),
        (trait("score", min_score=0, max_score=5), 2.5, 2.5),
        (trait("score"), -1_000, -1_000),
        (trait("literal", classes=CLASSES), "long", 1),
    ],
)
def test_the_verdict_is_karenina_s(of, returned, verdict):
    assert of.verdict_of(returned) == verdict
    assert of.is_value(verdict)


@pytest.mark.parametrize(
    ("of", "returned", "told"),
    [
        (trait(), 1, "returned the number 1, not True or False"),
        (trait(), "yes", 'returned the text "yes", not True or False'),
        (trait("score", min_score=0, max_score=5), 6, "not a number from 0 to 5"),
        (trait("score", min_score=0), -1, "not a number from 0 on"),
        (trait("score", max_score=0), 1, "not a number up to 0"),
        (trait("score"), True, "returned true, not a number"),
        (
            trait("score"),
            float("nan"),
            "returned nan, which is no number, not a number",
        ),
        (trait("score"), float("inf"), "returned an infinite number, not a number"),
        (trait("score"), 1e16, "not a number, no further from 0 than 1e+15"),
        (trait("literal", classes=CLASSES), "Long", 'not a class: "short", "long"'),
        (trait("literal", classes=CLASSES), 1, "not a class"),
    ],
)
def test_a_value_that_is_no_verdict_is_told(of, returned, told):
    with pytest.raises(ValueError, match="returned") as wrong:
        of.verdict_of(returned)
    assert told in str(wrong.value)


def test_what_means_nothing_is_noted():
    told = [*notes(trait("score", invert_result=True, classes=CLASSES))]
    assert [note.split(",")[0] for note in told] == [
        "is score",
        "is score",
        "has no min_score or no max_score",
    ]
    assert len([*notes(trait(min_score=1))]) == 1
    assert not [*notes(trait("score", min_score=0, max_score=1))]


def test_another_function_or_scale_runs_anew_and_other_words_do_not():
    assert trait().runs_the_same(
        trait(description="other words", higher_is_better=False),
    )
    assert not trait().runs_the_same(trait(invert_result=True))
    assert not trait("score").runs_the_same(trait("score", max_score=3))


def test_a_score_without_bounds_tells_none():
    (measure,) = KIND.measures(trait("score", higher_is_better=False))
    assert full_name(measure) == "score (lower is better)"
    (measure,) = KIND.measures(trait("score", min_score=1, max_score=7))
    assert full_name(measure) == "score (1–7)"


def test_the_scale_of_an_inverted_function_says_that_it_is_the_contrary():
    trait = CallableRubricTrait(
        name="t",
        kind="boolean",
        callable=FUNCTION,
        invert_result=True,
    )
    assert "the contrary of what the function returns" in trait.scale_text()
    assert trait.form() == "function, yes or no"


def test_a_score_without_a_contrary_says_which_keys_give_another():
    stars = trait("score", min_score=1, max_score=5)
    with pytest.raises(
        Refused,
        match="no contrary: 1 to 5 gives another",
    ):
        stars.contrary(3.5)


def test_a_fraction_has_a_row_but_not_the_meaning_of_the_score_below():
    text = "1 = poor, 2 = good"
    stars = trait("score", min_score=1, max_score=2, description=text)
    assert stars.offered(1.5, None, 7) == [1, 1.5, 2]
    assert [stars.meaning_of(value) for value in (1, 1.5, 2)] == ["poor", "", "good"]
