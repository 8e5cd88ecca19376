"""Corrections of a run's steps: carried to other labels, and what the trait has no word for."""

import pytest
from steps_traits import JUDGED, PATH, RUN

from appellate.core.problem import Refused
from appellate.traits.steps.edits import Edit, apply, carried, describe
from appellate.traits.steps.labels import Labels, all_right
from appellate.traits.steps.toward import edits_toward

RIGHT = all_right(PATH, RUN)
LABELS = Labels(RIGHT, seen=len(RIGHT))
STEP = RIGHT[2]
WRONG = Edit("verdict", STEP.no, STEP.sha, verdict="wrong")
RULED = apply(PATH, RUN, LABELS, WRONG).labels
TAGGED = apply(
    PATH,
    RUN,
    RULED,
    Edit("error", STEP.no, STEP.sha, error="unasked"),
).labels


def test_a_correction_is_carried_where_it_would_change_something():
    assert carried(PATH, LABELS, WRONG) == WRONG
    assert carried(PATH, TAGGED, WRONG) is None
    unasked = Edit("error", STEP.no, STEP.sha, error="unasked")
    assert carried(PATH, TAGGED, unasked) is None
    assert carried(PATH, LABELS, unasked) == unasked
    instead = Edit("instead", STEP.no, STEP.sha, instead="Ask first.")
    assert carried(PATH, TAGGED, instead) == instead
    assert carried(PATH, Labels(), WRONG) == WRONG


def test_a_step_that_is_right_is_given_no_error_on_the_way_to_other_labels():
    table = {"steps": [{"step": STEP.no, "verdict": "right", "error": "wrong_tool"}]}
    assert not any(
        edit.action == "error" for edit in edits_toward(PATH, RUN, LABELS, table)
    )


def test_an_outcome_is_carried_unless_the_run_has_it():
    solved = Edit("outcome", outcome="solved")
    assert carried(PATH, LABELS, solved) == solved
    assert carried(PATH, apply(PATH, RUN, LABELS, solved).labels, solved) is None


def test_a_step_with_another_number_is_found_by_its_words():
    assert (
        carried(PATH, LABELS, Edit("verdict", 99, STEP.sha, verdict="wrong")) == WRONG
    )


def test_a_step_that_is_not_there_is_refused():
    with pytest.raises(Refused, match="Its step is not among these"):
        carried(PATH, LABELS, Edit("verdict", JUDGED[0], "0" * 12, verdict="wrong"))
    with pytest.raises(Refused, match="Step 1 is none that gets a verdict"):
        apply(PATH, RUN, LABELS, Edit("verdict", 1, verdict="wrong"))


@pytest.mark.parametrize(
    "edit",
    [
        Edit("verdict", STEP.no, STEP.sha, verdict="gone"),
        Edit("error", STEP.no, STEP.sha, error="gone"),
        Edit("outcome", outcome="gone"),
    ],
)
def test_what_the_trait_has_no_word_for_is_refused_by_name(edit):
    with pytest.raises(Refused, match=r"The trait has no .*gone"):
        carried(PATH, LABELS, edit)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (WRONG, "ruled step 6: right → wrong"),
        (Edit("error", 6, error="unasked"), "said the error of step 6: right → wrong"),
        (
            Edit("instead", 6, instead="Ask."),
            "said what instead of step 6: right → wrong",
        ),
        (Edit("outcome", outcome="solved"), "said how the run ended: right → wrong"),
    ],
)
def test_a_correction_is_told_in_the_past_tense(edit, told):
    assert describe(edit, "right", "wrong") == told
