"""What there is to show of a regex cell, in words and rows."""

import pytest

from appellate.core.cell import Cell
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.traits.regex import KIND, Labels
from appellate.traits.regex.linear import CONTEXT, MatchesInSight
from appellate.traits.regex.spec import RegexRubricTrait

TRAIT = RegexRubricTrait(name="t", pattern="a")
INVERTED = RegexRubricTrait(name="t", pattern="a", invert_result=True)
CHANGED = TRAIT.model_copy(
    update={"case_sensitive": False, "invert_result": True, "higher_is_better": False},
)


def shown(trait, labels, response=""):
    sight = MatchesInSight(None)
    sight.cell = Cell(
        Subject(KIND, trait, Trace(id="1", response=response)),
        labels=labels,
    )
    return sight


@pytest.mark.parametrize(
    ("trait", "labels", "told"),
    [
        (TRAIT, Labels(True, True, 1), "as the pattern says; it matches once"),
        (
            TRAIT,
            Labels(True, True, 1200),
            "as the pattern says; it matches 1,200 times",
        ),
        (
            TRAIT,
            Labels(True, True, 1, more=True),
            "as the pattern says; it matches 1 time or more",
        ),
        (TRAIT, Labels(False, False), "as the pattern says; it matches nowhere"),
        (
            INVERTED,
            Labels(True, True),
            "as the pattern says; yes where nothing matches; it matches nowhere",
        ),
        (TRAIT, Labels(False, True, 2), "the pattern says yes; it matches twice"),
        (TRAIT, Labels(True), "given by a person"),
        (TRAIT, Labels(True, True), "as the pattern says"),
        (TRAIT, Labels(False, True), "the pattern says yes"),
        (
            CHANGED,
            Labels(),
            "given by a person; in any case of letters, yes where nothing matches, no is better",
        ),
    ],
)
def test_the_verdict_is_shown_with_whose_word_it_is_and_how_often_the_pattern_matches(
    trait,
    labels,
    told,
):
    sight = shown(trait, labels)
    assert "; ".join([sight.whose, *sight.facts()]) == told


def test_a_match_stands_between_what_is_before_and_after_it():
    response = "x" * 100 + "abc" + "y" * 100
    labels = Labels(True, True, 2, ((100, 103), (0, 0)))
    sight = shown(TRAIT, labels, response)
    before, found, after = sight.around(0)
    assert (before, found, after[:3]) == ("x" * CONTEXT, "abc", "yyy")
    assert sight.around(1)[:2] == ("", "")
