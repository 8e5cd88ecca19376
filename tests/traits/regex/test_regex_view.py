"""What there is to show of a regex cell, in words and rows."""

import pytest

from appellate.traits.regex import Labels
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.regex.view import (
    CONTEXT,
    flags_text,
    has_matches_known,
    match_rows,
    verdict_text,
)

TRAIT = RegexRubricTrait(name="t", pattern="a")
INVERTED = RegexRubricTrait(name="t", pattern="a", invert_result=True)


@pytest.mark.parametrize(
    ("trait", "labels", "told"),
    [
        (TRAIT, Labels(), ""),
        (TRAIT, Labels(True, True, 1), "yes: it matches once"),
        (TRAIT, Labels(True, True, 1200), "yes: it matches 1,200 times"),
        (TRAIT, Labels(True, True, 1, more=True), "yes: it matches 1 time or more"),
        (TRAIT, Labels(False, False), "no: it matches nowhere"),
        (INVERTED, Labels(True, True), "yes: it matches nowhere, which the trait inverts"),
        (TRAIT, Labels(False, True, 2), "no, by hand; the pattern says yes: it matches twice"),
        (TRAIT, Labels(True), "yes, by hand"),
        (TRAIT, Labels(True, True), "yes, as it was recorded"),
        (TRAIT, Labels(False, True), "no, by hand; the pattern says yes, as it was recorded"),
    ],
)
def test_the_verdict_is_told_with_whose_word_it_is(trait, labels, told):
    assert verdict_text(trait, labels) == told


def test_what_differs_from_the_defaults_is_told_in_words():
    changed = {"case_sensitive": False, "invert_result": True, "higher_is_better": False}
    assert flags_text(TRAIT) == ""
    assert flags_text(TRAIT.model_copy(update=changed)) == (
        "in any case of letters, yes where nothing matches, no is better"
    )


def test_a_match_stands_between_what_is_before_and_after_it():
    response = "x" * 100 + "abc" + "y" * 100
    first, nothing = match_rows(Labels(True, True, 2, ((100, 103), (0, 0))), response)
    assert (first.number, first.before, first.text, first.after[:3]) == (
        1,
        "x" * CONTEXT,
        "abc",
        "yyy",
    )
    assert (nothing.number, nothing.before, nothing.text) == (2, "", "")


@pytest.mark.parametrize(
    ("labels", "known"),
    [
        (Labels(), False),
        (Labels(True), False),
        (Labels(True, True), False),
        (Labels(False, False), True),
    ],
)
def test_matches_are_known_where_the_pattern_was_tried(labels, known):
    assert has_matches_known(TRAIT, labels) is known
