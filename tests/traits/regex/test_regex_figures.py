"""What regex labels come to: yes or no, hits, and whether the response matches."""

import pytest

from appellate.traits.regex import KIND, Labels
from appellate.traits.regex.spec import RegexRubricTrait

TRAIT = RegexRubricTrait(name="t", pattern="a")
INVERTED = RegexRubricTrait(
    name="t",
    pattern="a",
    invert_result=True,
    higher_is_better=False,
)


def test_a_verdict_is_measured_as_one_or_nothing():
    yes, no, blank = (
        KIND.measure(TRAIT, labels)
        for labels in (Labels(True, True, 3), Labels(False), KIND.blank)
    )
    assert (yes.values, yes.undefined, yes.counts, yes.words) == (
        {"yes": 1.0},
        frozenset(),
        {"hits": 3},
        {"verdict": "yes"},
    )
    assert (no.values, no.words) == ({"yes": 0.0}, {"verdict": "no"})
    assert (blank.undefined, blank.words) == ({"yes"}, {})


def test_the_trait_says_which_way_is_better():
    assert [one.higher_is_better for one in KIND.measures(TRAIT)] == [True]
    assert [one.higher_is_better for one in KIND.measures(INVERTED)] == [False]
    assert {one.name for one in KIND.measures(TRAIT)} == {"yes"}
    assert [KIND.form(trait) for trait in (TRAIT, INVERTED)] == [
        "pattern",
        "inverted pattern",
    ]


@pytest.mark.parametrize(
    ("trait", "value", "answer"),
    [
        (TRAIT, True, "match"),
        (TRAIT, False, "no match"),
        (INVERTED, True, "no match"),
        (INVERTED, False, "match"),
        (TRAIT, None, "unanswered"),
    ],
)
def test_the_question_is_whether_the_response_matches_as_the_verdict_has_it(
    trait,
    value,
    answer,
):
    ((question, given),) = KIND.answers(trait, Labels(value)).items()
    assert (question.text, given) == ("a", answer)
