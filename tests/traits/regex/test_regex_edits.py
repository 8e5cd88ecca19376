"""A person overrules the verdict and takes that back; what becomes of it under a later pattern."""

import pytest

from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.regex import KIND, Labels
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.verdict.edits import Edit

TRAIT = RegexRubricTrait(name="t", pattern="a")
INVERTED = RegexRubricTrait(name="t", pattern="a", invert_result=True)
TRACE = Trace(id="1", response="abc")
YES = Labels(True, True, 1, ((0, 1),))
NO = Labels(False, False)
SAY_YES, SAY_NO, RESTORE = Edit("overrule", True), Edit("overrule", False), Edit("restore")


def after(labels, edit):
    outcome = KIND.apply(TRAIT, TRACE, labels, edit)
    return outcome.labels, KIND.describe(edit, outcome.before, outcome.after), KIND.brief(edit)


def test_a_verdict_is_overruled_and_the_matches_stay():
    overruled, told, brief = after(YES, SAY_NO)
    assert overruled == Labels(False, True, 1, ((0, 1),))
    assert overruled.is_overruled
    assert (told, brief) == ("overruled the pattern: yes → no", "overruled")


def test_overruling_is_taken_back():
    overruled, _, _ = after(YES, SAY_NO)
    restored, told, brief = after(overruled, RESTORE)
    assert restored == YES
    assert not restored.is_overruled
    assert (told, brief) == ("took the overruling back: no → yes", "taken back")


def test_a_cell_without_a_verdict_is_ruled_by_hand():
    ruled, told, _ = after(KIND.blank, SAY_YES)
    assert ruled == Labels(True)
    assert not ruled.is_overruled
    assert told == "ruled yes by hand"


def test_the_pattern_s_own_verdict_by_hand_takes_the_overruling_back():
    overruled, _, _ = after(YES, SAY_NO)
    assert KIND.permit(TRAIT, TRACE, overruled, SAY_YES) == RESTORE
    assert KIND.permit(TRAIT, TRACE, YES, SAY_NO) == SAY_NO
    assert KIND.permit(TRAIT, TRACE, KIND.blank, SAY_YES) == SAY_YES
    assert KIND.permit(TRAIT, TRACE, overruled, RESTORE) == RESTORE


@pytest.mark.parametrize(
    ("labels", "edit", "why"),
    [
        (YES, SAY_YES, "The verdict is yes already"),
        (NO, SAY_NO, "The verdict is no already"),
        (YES, RESTORE, "Nobody overruled the pattern here"),
        (Labels(), RESTORE, "Nobody overruled the pattern here"),
    ],
)
def test_what_changes_nothing_is_refused(labels, edit, why):
    with pytest.raises(Refused, match=why):
        after(labels, edit)


@pytest.mark.parametrize("edit", [SAY_YES, SAY_NO, RESTORE])
def test_an_edit_is_read_from_its_row(edit):
    assert KIND.edit({**edit.to_row(), "n": 3, "by": "ada"}) == edit


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"action": "overrule"},
        {"action": "overrule", "value": 1},
        {"action": "move"},
        {"action": "restore", "value": True},
    ],
)
def test_a_row_that_is_no_edit_is_refused(row):
    with pytest.raises(ValueError, match="a correction has action"):
        KIND.edit(row)


@pytest.mark.parametrize(
    ("edit", "labels", "carried"),
    [
        (SAY_NO, YES, SAY_NO),
        (SAY_NO, NO, None),
        (SAY_YES, NO, SAY_YES),
        (SAY_YES, Labels(False, True), RESTORE),
        (RESTORE, Labels(False, True), RESTORE),
        (RESTORE, YES, None),
    ],
)
def test_a_verdict_by_hand_stands_under_a_later_pattern_where_that_says_otherwise(
    edit, labels, carried
):
    anchor = KIND.anchor(TRAIT, YES, edit)
    assert KIND.carried(TRAIT, labels, edit, anchor) == carried


def test_a_verdict_by_hand_has_no_place_where_yes_and_no_changed_places():
    anchor = KIND.anchor(TRAIT, YES, SAY_NO)
    with pytest.raises(Refused, match="inverted"):
        KIND.carried(INVERTED, YES, SAY_NO, anchor)
