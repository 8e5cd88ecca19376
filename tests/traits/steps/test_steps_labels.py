"""Labels of a run's steps: as files have them, measured, corrected, carried on."""

import re

import pytest
from pydantic import ValidationError

from appellate.core.kind import CANNOT_TELL, Instruction, Subject
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.steps import KIND
from appellate.traits.steps.edits import Edit
from appellate.traits.steps.labels import Labels, in_words
from appellate.traits.steps.spec import StepsRubricTrait
from traits.steps.steps_cells import JUDGED_TABLE, verdicts
from traits.steps.steps_traits import JUDGED, PATH, PLAIN, RUN, UNSURE

TRACE = Subject(KIND, PATH, RUN).trace


def labels(*rows, trait=PATH, **more):
    """The labels of a judge's table with these rows."""
    table = KIND.locate(trait, RUN, {"steps": [*rows], **more})
    return KIND.labels(trait, RUN, table)


def wrong(no, verdict="wrong", **more):
    return {"step": no, "verdict": verdict, **more}


def named(*names):
    return [{"name": name} for name in names]


# -- the trait --------------------------------------------------------------------------------------


def test_a_mere_name_is_a_verdict_an_error_or_an_outcome_without_a_meaning():
    trait = StepsRubricTrait(
        name="x",
        verdicts=["fine", "bad"],
        errors=["late"],
        outcome=["done"],
    )
    assert trait.verdict_names == ["fine", "bad"]
    assert trait.to_file() == {
        "name": "x",
        "verdicts": named("fine", "bad"),
        "errors": named("late"),
        "outcome": named("done"),
    }


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"verdicts": ["only"]}, "it takes 2 to 9"),
        ({"verdicts": ["a", "A"]}, '"A" is there twice'),
        ({"verdicts": ["wrong", "right"]}, "would be two answers"),
        ({"verdicts": ["good", "bad", "wrong"]}, "would be two answers"),
        ({"outcome": ["open", "closed"]}, "would be two answers"),
        ({"outcome": ["needless"]}, "would be two answers"),
        ({"outcome": ["cannot tell"]}, "is added by cannot_tell = true"),
        ({"verdicts": ["a", " b"]}, "a name is one line"),
        ({"roles": []}, "at least 1"),
        ({"roles": ["tool"]}, "assistant"),
        ({"reads": "response"}, "conversation"),
        ({"outcome": [], "headline": "outcome"}, "choose from right, first_wrong"),
    ],
)
def test_names_that_would_be_two_answers_and_what_a_trait_cannot_have_are_refused(
    keys,
    told,
):
    with pytest.raises(ValidationError, match=re.escape(told)):
        StepsRubricTrait(name="x", **keys)


# -- which steps ------------------------------------------------------------------------------------


def test_what_a_table_does_not_name_is_right_and_only_steps_of_the_roles_get_a_verdict():
    read = labels(wrong(6))
    assert [step.no for step in read.steps] == JUDGED
    assert [step.no for step in read.not_right] == [6]
    assert [step.no for step in labels(trait=PLAIN).steps] == [4, 6]


def test_a_located_table_has_the_words_of_each_step_as_twelve_digits():
    (row,) = KIND.locate(PATH, RUN, {"steps": [wrong(6)]})["steps"]
    assert len(row["step_sha"]) == 12
    other = RUN.model_copy(update={"messages": [*RUN.messages[1:]]})
    (moved,) = KIND.locate(PATH, other, {"steps": [wrong(5)]})["steps"]
    assert moved["step_sha"] == row["step_sha"], "the number is no part of it"


def test_a_step_that_the_run_has_not_or_with_other_words_is_kept_marked_and_not_counted():
    rows = (wrong(5), wrong(6, step_sha="0123456789ab"), wrong(99))
    read = labels(*rows)
    assert [step.no for step in read.astray] == [5, 6, 99]
    assert KIND.measure(PATH, read).values["right"] == 1
    assert "first_wrong" in KIND.measure(PATH, read).undefined
    told = [check.sentence for check in KIND.checks(PATH, read)]
    assert told[0] == (
        "Step 5 (wrong) is none that gets a verdict in this run as it is: kept, not counted."
    )
    written = KIND.write(read)["audited"]
    assert [row["step"] for row in written["steps"]] == [5, 6, 99]
    assert KIND.labels(PATH, RUN, written) == read


def test_a_count_that_is_not_the_runs_is_told():
    (check,) = KIND.checks(PATH, labels(seen=3))
    assert check.sentence == "3 steps were looked at; 4 get a verdict: 3, 4, 6, 8."
    (check,) = KIND.checks(PATH, labels(seen=1))
    assert check.sentence == "1 step was looked at; 4 get a verdict: 3, 4, 6, 8."


def test_numbers_are_told_in_runs():
    assert in_words([1, 2, 4, 5, 6, 9]) == "1, 2, 4 to 6, 9"
    assert in_words([]) == ""


# -- numbers ----------------------------------------------------------------------------------------


def test_a_run_is_measured_by_its_right_steps_its_first_wrong_one_and_how_it_ended():
    figures = KIND.measure(PATH, KIND.labels(PATH, RUN, JUDGED_TABLE))
    assert figures.values == {"right": 0.5, "first_wrong": 6.0, "outcome": 1.0}
    assert figures.words["first_wrong"] == "step 6"
    assert figures.words["ended"] == "solved"
    assert figures.counts["wrong_steps"] == 1


def test_a_run_without_a_wrong_step_has_no_first_one_and_an_outcome_may_be_open():
    figures = KIND.measure(PATH, labels(wrong(3, "needless")))
    assert figures.undefined == {"first_wrong", "outcome"}


def test_what_cannot_be_told_is_in_no_share_and_counted():
    read = labels(wrong(6, CANNOT_TELL), wrong(3), trait=UNSURE, outcome=CANNOT_TELL)
    figures = KIND.measure(UNSURE, read)
    assert figures.values["right"] == pytest.approx(2 / 3)
    assert figures.cannot_tell == {"outcome"}
    assert figures.untold == 2
    assert KIND.untold(UNSURE) == {CANNOT_TELL}
    assert KIND.untold(PATH) == frozenset()


def test_answers_are_right_and_wrong_whatever_a_trait_calls_them():
    read = labels(wrong(6, "incorrect"), trait=PLAIN)
    assert list(KIND.answers(PLAIN, read).values()) == ["right", "wrong"]
    ended = Instruction("outcome", 1, "How the run ended")
    assert KIND.answers(PATH, labels(outcome="failed"))[ended] == "failed"
    assert KIND.answers(PATH, labels())[ended] == "open"


@pytest.mark.parametrize(
    ("judge", "person", "same", "near"),
    [
        (6, 6, 1, 1),
        (4, 3, 0, 1),
        (3, 6, 0, 0),
        (6, None, 0, 0),
        (None, 6, 0, 0),
        (None, None, 1, 1),
    ],
)
def test_judge_and_person_are_compared_by_the_first_wrong_step(
    judge,
    person,
    same,
    near,
):
    sides = [labels(*([wrong(no)] if no else [])) for no in (judge, person)]
    found = KIND.between(*(KIND.measure(PATH, side) for side in sides))
    assert found == {"same_first_wrong": same, "within_one": near}


def test_of_several_agents_it_is_compared_which_one_went_wrong():
    messages = [
        {"role": "user", "content": "Find it."},
        {"role": "assistant", "name": "Orchestrator (thought)", "content": "Ask."},
        {
            "role": "assistant",
            "name": "Orchestrator (-> WebSurfer)",
            "content": "Search.",
        },
        {"role": "assistant", "name": "WebSurfer", "content": "Found."},
    ]
    run = Trace(id="r", response="Found.", messages=messages)
    sides = []
    for no in (2, 3, 4):
        table = KIND.locate(PATH, run, {"steps": [wrong(no)]})
        sides.append(KIND.measure(PATH, KIND.labels(PATH, run, table)))
    assert KIND.between(sides[0], sides[1])["same_agent"] == 1, (
        "an addition is no other agent"
    )
    assert KIND.between(sides[2], sides[1]) == {
        "same_first_wrong": 0,
        "within_one": 1,
        "same_agent": 0,
    }


def test_a_panel_says_of_each_step_what_most_of_it_say_and_how_the_run_ended():
    members = [
        {
            "steps": [wrong(6, error="unasked", rationale="First.")],
            "seen": 4,
            "outcome": "solved",
        },
        {
            "steps": [wrong(3, "needless"), wrong(6, rationale="Second.")],
            "outcome": "failed",
        },
        {"steps": [wrong(3, "needless"), wrong(8)], "seen": 4, "outcome": "failed"},
    ]
    tables = [KIND.locate(PATH, RUN, member) for member in members]
    found = KIND.majority(PATH, TRACE, tables)
    said = {
        row["step"]: (row["verdict"], row.get("rationale")) for row in found["steps"]
    }
    assert said == {3: ("needless", None), 6: ("wrong", "First.")}
    assert found["outcome"] == "failed"
    assert KIND.majority(PATH, TRACE, tables[:2])["outcome"] == "solved", (
        "the first member's"
    )


# -- corrections ------------------------------------------------------------------------------------


def corrected(before, *edits, trait=PATH):
    """Labels after some edits, as they are kept."""
    for edit in edits:
        kept = KIND.permit(trait, TRACE, before, edit)
        before = KIND.apply(trait, TRACE, before, kept).labels
    return before


def test_each_part_of_a_label_is_a_correction_of_its_own():
    start = labels()
    ruled = corrected(start, Edit("verdict", 6, verdict="wrong"))
    tagged = corrected(ruled, Edit("error", 6, error="unasked"))
    better = corrected(tagged, Edit("instead", 6, instead=" Which one? "))
    ended = corrected(better, Edit("outcome", outcome="failed"))
    step = ended.find(6)
    assert (step.verdict, step.error, step.instead) == (
        "wrong",
        "unasked",
        "Which one?",
    )
    assert ended.outcome == "failed"
    assert (
        corrected(ended, Edit("verdict", 6, verdict="needless")).find(6).error
        == "unasked"
    )
    back = corrected(ended, Edit("verdict", 6, verdict="right")).find(6)
    assert (back.verdict, back.error, back.instead) == ("right", "", "")


def test_the_reason_of_a_judge_goes_with_another_verdict_and_stays_with_an_error():
    judged = KIND.labels(PATH, RUN, JUDGED_TABLE)
    assert corrected(judged, Edit("error", 6, error="wrong_tool")).find(6).rationale
    assert (
        not corrected(judged, Edit("verdict", 6, verdict="needless")).find(6).rationale
    )


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (
            Edit("verdict", 5, verdict="wrong"),
            "Step 5 is none that gets a verdict: those are 3, 4",
        ),
        (Edit("verdict", 6, verdict="right"), "Step 6 is right already."),
        (Edit("verdict", 6, verdict="bad"), "A step is right, wrong, needless."),
        (
            Edit("error", 6, error="unasked"),
            "Step 6 is right: say first what else it is (2, 3).",
        ),
        (Edit("error", 3, error="odd"), "The trait's errors are wrong_tool, unasked."),
        (Edit("error", 3), "Step 3 has no error already."),
        (Edit("instead", 3), "Nothing is said instead of it."),
        (Edit("outcome", outcome="fine"), "A run ends as solved, failed."),
        (Edit("outcome", outcome="failed"), "The run ended as failed already."),
    ],
)
def test_what_does_not_fit_is_refused_with_a_reason(edit, told):
    with pytest.raises(Refused) as refused:
        corrected(labels(wrong(3), outcome="failed"), edit)
    assert str(refused.value).startswith(told)


def test_a_refusal_names_no_key_of_a_verdict_that_the_trait_does_not_have():
    with pytest.raises(Refused) as refused:
        corrected(labels(trait=PLAIN), Edit("instead", 6, instead="Ask."), trait=PLAIN)
    told = "Step 6 is correct: say first what else it is (2)."
    assert str(refused.value) == told


def test_the_first_correction_of_a_run_that_nobody_labelled_has_all_other_steps_right():
    by_hand = corrected(KIND.blank, Edit("verdict", 6, verdict="wrong"))
    assert verdicts(type("Cell", (), {"labels": by_hand})) == {
        3: "right",
        4: "right",
        6: "wrong",
        8: "right",
    }
    assert by_hand.seen == 4
    all_right = corrected(KIND.blank, Edit("verdict", 6, verdict="right"))
    assert not all_right.is_blank
    assert KIND.write(all_right) == {"audited": {"seen": 4, "steps": []}}
    assert KIND.write(Labels()) == {"audited": {}}


def test_a_correction_is_carried_to_the_step_with_the_same_words_or_refused():
    edit = KIND.permit(PATH, TRACE, labels(), Edit("verdict", 6, verdict="wrong"))
    shorter = RUN.model_copy(update={"messages": [*RUN.messages[1:]]})
    there = KIND.labels(PATH, shorter, {"steps": []})
    assert KIND.carried(PATH, there, edit, None).step == 5
    assert KIND.carried(PATH, labels(wrong(6)), edit, None) is None
    gone = KIND.labels(
        PATH,
        Trace(id="g", messages=RUN.messages[:3], response=""),
        {"steps": []},
    )
    with pytest.raises(Refused, match="not among these"):
        KIND.carried(PATH, gone, edit, None)
    with pytest.raises(Refused, match="no verdict"):
        KIND.carried(PLAIN, labels(trait=PLAIN), edit, None)


def test_a_correction_of_a_step_whose_words_were_changed_since_is_kept_and_not_counted():
    edit = Edit("verdict", 6, "0123456789ab", verdict="wrong")
    after = KIND.apply(PATH, TRACE, labels(), edit).labels
    assert [step.no for step in after.astray] == [6]
    assert after.not_right == []
