"""A person overrules a verdict and takes that back; what becomes of it under another source: one law for the kinds
whose source gives it by itself.
"""

import pytest

from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.callable import KIND as CALLABLE
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.regex import KIND as REGEX
from appellate.traits.regex import Labels as Matched
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.verdict.kind import Edit, Overrulable

PATTERN = RegexRubricTrait(name="t", pattern="a")
FUNCTION = CallableRubricTrait(name="t", kind="boolean", callable="m:f")
TRACE = Trace(id="1", response="abc")
SAY_YES, SAY_NO, RESTORE = (
    Edit("overrule", True),
    Edit("overrule", False),
    Edit("restore"),
)
CLASSES = CallableRubricTrait(
    name="t",
    kind="literal",
    callable="m:f",
    classes={"a": "", "b": ""},
)
SCORE = CallableRubricTrait(name="t", kind="score", callable="m:f")
KINDS = [
    (REGEX, PATTERN, lambda *values: Matched(*values, 1, ((0, 1),))),
    (CALLABLE, FUNCTION, Overrulable),
]
every_kind = pytest.mark.parametrize(("kind", "trait", "labels"), KINDS)


def after(kind, trait, labels, edit):
    outcome = kind.apply(trait, TRACE, labels, edit)
    return (
        outcome.labels,
        kind.describe(edit, outcome.before, outcome.after),
        kind.brief(edit),
    )


@every_kind
def test_a_verdict_is_overruled_and_all_else_stays(kind, trait, labels):
    overruled, told, brief = after(kind, trait, labels(True, True), SAY_NO)
    assert overruled == labels(False, True)
    assert overruled.is_overruled
    assert (told, brief) == ("changed the verdict: yes → no", "verdict")


@every_kind
def test_overruling_is_taken_back(kind, trait, labels):
    restored, told, brief = after(kind, trait, labels(False, True), RESTORE)
    assert restored == labels(True, True)
    assert not restored.is_overruled
    assert (told, brief) == ("took the change back: no → yes", "taken back")


@every_kind
def test_a_cell_without_a_verdict_is_ruled_by_hand(kind, trait, labels):
    ruled, told, _ = after(kind, trait, kind.blank, SAY_YES)
    assert (ruled.value, ruled.is_overruled) == (True, False)
    assert told == "gave the verdict: yes"


@every_kind
def test_the_source_s_own_verdict_by_hand_takes_the_overruling_back(
    kind,
    trait,
    labels,
):
    overruled = labels(False, True)
    assert kind.permit(trait, TRACE, overruled, SAY_YES) == RESTORE
    assert kind.permit(trait, TRACE, labels(True, True), SAY_NO) == SAY_NO
    assert kind.permit(trait, TRACE, kind.blank, SAY_YES) == SAY_YES
    assert kind.permit(trait, TRACE, overruled, RESTORE) == RESTORE


@every_kind
@pytest.mark.parametrize(
    ("values", "edit", "why"),
    [
        ((True, True), SAY_YES, "The verdict is yes already: a signs it off."),
        ((False, False), SAY_NO, "The verdict is no already: a signs it off."),
        ((True, True), RESTORE, "Nobody changed the verdict here"),
        ((None, None), RESTORE, "Nobody changed the verdict here"),
    ],
)
def test_what_changes_nothing_is_refused(kind, trait, labels, values, edit, why):
    with pytest.raises(Refused, match=why):
        after(kind, trait, labels(*values), edit)


@every_kind
@pytest.mark.parametrize(
    "row",
    [
        {},
        {"action": "overrule"},
        {"action": "move"},
        {"action": "restore", "value": True},
    ],
)
def test_a_row_that_is_no_edit_is_refused(kind, trait, labels, row):
    with pytest.raises(ValueError, match="a correction has action"):
        kind.edit(row)


def test_a_pattern_is_overruled_by_yes_or_no_alone():
    with pytest.raises(ValueError, match="value = true or false"):
        REGEX.edit({"action": "overrule", "value": 1})


@every_kind
@pytest.mark.parametrize(
    ("edit", "values", "carried"),
    [
        (SAY_NO, (True, True), SAY_NO),
        (SAY_NO, (False, False), None),
        (SAY_YES, (False, False), SAY_YES),
        (SAY_YES, (False, True), RESTORE),
        (RESTORE, (False, True), RESTORE),
        (RESTORE, (True, True), None),
    ],
)
def test_a_verdict_by_hand_stands_under_another_source_where_that_says_otherwise(
    kind,
    trait,
    labels,
    edit,
    values,
    carried,
):
    anchor = kind.anchor(trait, labels(True, True), edit)
    assert kind.carried(trait, labels(*values), edit, anchor) == carried
    assert kind.fits(trait, labels(*values), edit, anchor)


@every_kind
def test_a_verdict_by_hand_has_no_place_where_yes_and_no_changed_places(
    kind,
    trait,
    labels,
):
    inverted = trait.model_copy(update={"invert_result": True})
    anchor = kind.anchor(trait, labels(True, True), SAY_NO)
    with pytest.raises(Refused, match="inverted"):
        kind.carried(inverted, labels(True, True), SAY_NO, anchor)
    assert not kind.fits(inverted, labels(True, True), SAY_NO, anchor)


@pytest.mark.parametrize(
    ("kind", "trait", "labels", "answers", "spans"),
    [
        (*KINDS[0], {"yes": "yes", "no": "no"}, ((0, 1),)),
        (*KINDS[1], {"1": "yes", "0": "no"}, ()),
    ],
)
def test_the_one_question_is_answered_by_yes_or_no_and_nothing_else(
    kind,
    trait,
    labels,
    answers,
    spans,
):
    yes, no = answers
    answering, judged = kind.answering, labels(True, True)
    assert answering.sayable(trait, None) == answers
    assert answering.grounds(trait, judged, None)[:3] == ("yes", "", spans)
    assert answering.grounds(trait, kind.blank, None).word == "unanswered"
    assert answering.edits(trait, judged, None, yes) == ()
    assert answering.edits(trait, judged, None, no) == (SAY_NO,)
    with pytest.raises(Refused, match="The verdict of this trait is true or false"):
        answering.edits(trait, judged, None, "perhaps")


def test_a_class_is_answered_by_its_number_and_a_score_without_end_by_none():
    assert not CALLABLE.edits(CLASSES, Overrulable(1, 1), None, "1")
    assert CALLABLE.edits(CLASSES, Overrulable(1, 1), None, "0") == (
        Edit("overrule", 0),
    )
    assert CALLABLE.sayable(SCORE, None) == {}
    with pytest.raises(Refused, match="The verdict of this trait is a number"):
        CALLABLE.edits(SCORE, Overrulable(), None, "3")
