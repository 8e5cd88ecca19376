"""The labels of a scorer cell, corrections of them, what they come to, and what a panel says."""

from math import nan

import pytest
from pydantic import ValidationError

from appellate.core.kind import Instruction, NotComputed, Span
from appellate.core.problem import Refused
from appellate.core.scale import FURTHEST
from appellate.core.trace import Trace
from appellate.traits.scorer import KIND
from appellate.traits.scorer.labels import Edit, Labels, spoken, value_text
from appellate.traits.scorer.spec import ScorePart, ScorerRubricTrait

TRACE = Trace(
    id="1",
    response="It takes 205 minutes, which is 3 hours and 25 minutes.",
    reference="205",
    choices=["51", "59"],
)
MINUTES = ScorerRubricTrait(name="Minutes", scorer="match", numeric=True)
LOGGED = ScorerRubricTrait(
    name="Logged",
    scorer="recorded",
    keys=["style", "facts"],
    max_score=5,
)
QA = ScorerRubricTrait(name="QA", scorer="model_graded_qa")


def labels(trait: ScorerRubricTrait, table: dict) -> Labels:
    return KIND.labels(trait, TRACE, KIND.locate(trait, TRACE, table))


def computed(trait: ScorerRubricTrait, trace: Trace = TRACE) -> dict:
    assert KIND.computed is not None
    return KIND.computed.compute(trait, trace)


def corrected(trait: ScorerRubricTrait, before: Labels, edit: Edit) -> Labels:
    return KIND.apply(
        trait,
        TRACE,
        before,
        KIND.permit(trait, TRACE, before, edit),
    ).labels


SCORED = labels(MINUTES, computed(MINUTES))


def test_a_rule_scores_at_once_and_keeps_what_it_was_compared_with():
    assert SCORED.standing.value == "I"
    assert [SCORED.is_judged, KIND.blank.is_judged] == [True, False]
    assert SCORED.standing.answer == "25"
    assert KIND.evidence(MINUTES, SCORED) == [Span(43, 45)]
    assert SCORED.target == ("205",)
    assert KIND.source_name(MINUTES) == "rule"
    assert KIND.source_name(QA) == KIND.source_name(LOGGED) == "model"


def test_what_has_nothing_to_be_compared_with_fails_with_the_reason():
    for settings in ({"reference": None}, {"reference": "C"}):
        trait = MINUTES
        if settings["reference"]:
            trait = ScorerRubricTrait(name="t", scorer="choice")
        with pytest.raises(
            NotComputed,
            match=r"has no reference|none of the trace's 2 choices",
        ):
            computed(trait, TRACE.model_copy(update=settings))


@pytest.mark.slow
def test_a_pattern_that_takes_too_long_fails_its_cell():
    endless = ScorerRubricTrait(name="t", scorer="pattern", pattern="(a+)+$")
    trace = TRACE.model_copy(update={"response": "a" * 5000 + "b"})
    with pytest.raises(NotComputed, match=r"longer than 0\.6 s"):
        computed(endless, trace)


def test_an_answer_given_by_hand_is_scored_again_by_the_same_rule():
    after = corrected(MINUTES, SCORED, Edit("answer", start=9, end=13))
    assert (after.standing.value, after.standing.answer) == ("C", "205")
    assert after.standing.spans == ((9, 12),)
    assert after.standing.why == "The last number of the response is 205."
    assert after.is_overruled
    told = KIND.apply(MINUTES, TRACE, SCORED, Edit("answer", text="204"))
    assert KIND.describe(Edit("answer", text="204"), told.before, told.after) == (
        "changed the answer: “25”, I → “204”, I"
    )
    assert corrected(MINUTES, after, Edit("restore")) == SCORED


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("205", ((9, 12),)),
        ("20", ()),
        ("minutes", ((13, 20),)),
        ("3", ((31, 32),)),
        ("204", ()),
    ],
)
def test_an_answer_that_is_typed_is_marked_where_it_stands_in_the_response(text, spans):
    after = corrected(MINUTES, SCORED, Edit("answer", text=text))
    assert after.standing.spans == spans


def test_an_answer_to_a_choice_is_its_letter():
    prime = ScorerRubricTrait(name="t", scorer="choice")
    trace = TRACE.model_copy(update={"reference": "B"})
    table = KIND.locate(prime, trace, computed(prime, trace))
    before = KIND.labels(prime, trace, table)
    assert before.standing.value == "I"
    after = KIND.apply(prime, trace, before, Edit("answer", text="b")).labels
    assert after.standing.value == "C"
    assert after.standing.why == "The response chooses “B) 59”, which is the target."


def test_a_value_given_by_hand_keeps_what_was_extracted_and_saying_the_same_takes_it_back():
    after = corrected(MINUTES, SCORED, Edit("overrule", "C"))
    assert (after.standing.value, after.standing.answer) == ("C", "25")
    assert KIND.permit(MINUTES, TRACE, after, Edit("overrule", "I")) == Edit("restore")
    assert corrected(MINUTES, after, Edit("overrule", "I")) == SCORED


def test_a_value_that_is_none_takes_no_changed_answer_back():
    table = {
        "value": "I",
        "answer": "25",
        "spans": [[43, 45]],
        "explanation": "Of the log.",
    }
    answered = corrected(MINUTES, labels(MINUTES, table), Edit("answer", text="25"))
    assert answered.is_overruled
    edit = Edit("overrule", "banana")
    assert KIND.permit(MINUTES, TRACE, answered, edit) == edit


@pytest.mark.parametrize(
    ("trait", "edit", "told"),
    [
        (MINUTES, Edit("overrule", "I"), "The value is I already"),
        (MINUTES, Edit("overrule", 0.3), "The value here is C, P, I, N or unscored."),
        (MINUTES, Edit("overrule", "C", key="style"), "There is no value style"),
        (MINUTES, Edit("restore"), "Nobody changed the score here."),
        (MINUTES, Edit("answer"), "Say what the answer is"),
        (MINUTES, Edit("answer", start=2, end=3), "Only white space is selected."),
        (MINUTES, Edit("answer", start=2, end=999), "do not lie in the response"),
        (QA, Edit("answer", text="205"), "No rule scores the answer here"),
    ],
)
def test_what_means_nothing_is_refused_with_what_to_do_instead(trait, edit, told):
    before = SCORED if trait is MINUTES else labels(QA, {"value": "I"})
    with pytest.raises(Refused, match=told):
        KIND.apply(trait, TRACE, before, edit)


def test_an_answer_needs_a_target():
    trace = TRACE.model_copy(update={"reference": None})
    with pytest.raises(Refused, match="no reference to score an answer by"):
        KIND.apply(MINUTES, trace, Labels(), Edit("answer", text="205"))


@pytest.mark.parametrize(
    "row",
    [
        {"action": "x"},
        {"action": "overrule"},
        {"action": "overrule", "value": []},
        {"action": "answer", "start": "1"},
    ],
)
def test_a_row_that_is_no_edit_is_refused(row):
    with pytest.raises(
        ValueError,
        match=r"edit of a scorer trait|cannot be|has a value",
    ):
        KIND.edit(row)


def test_an_edit_is_carried_to_other_labels_where_it_means_the_same():
    edit = Edit("overrule", "C")
    context = KIND.anchor(MINUTES, SCORED, edit)
    assert KIND.carried(MINUTES, SCORED, edit, context) == edit
    right = labels(MINUTES, {"value": "C"})
    assert KIND.carried(MINUTES, right, edit, context) is None
    f1 = ScorerRubricTrait(name="Minutes", scorer="f1")
    with pytest.raises(Refused, match="means something else now"):
        KIND.carried(f1, labels(f1, {"value": 0.5}), edit, context)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("C", "C"),
        (1, "C"),
        (0.5, "P"),
        (False, "I"),
        (nan, "unscored"),
        ("unscored", "unscored"),
    ],
)
def test_a_letter_may_be_given_by_its_number_and_nan_is_unscored(given, value):
    assert labels(MINUTES, {"value": given}).standing.value == value


def test_a_dictionary_has_a_measure_and_an_answer_for_each_key():
    both = labels(LOGGED, {"value": {"facts": "4", "style": "yes"}})
    figures = KIND.measure(LOGGED, both)
    assert figures.values == {"score.style": 1.0, "score.facts": 4.0}
    assert figures.words["value"] == "style yes, facts 4"
    assert KIND.answers(LOGGED, both) == {
        Instruction("score", 1, "style"): "yes",
        Instruction("score", 2, "facts"): "4",
    }
    half = labels(LOGGED, {"value": {"style": nan}})
    figures = KIND.measure(LOGGED, half)
    assert figures.undefined == {"score.style", "score.facts"}
    assert figures.unscored == {"score.style"}
    after = corrected(LOGGED, half, Edit("overrule", 5.0, key="facts"))
    assert dict(after.standing.values) == {"style": "unscored", "facts": 5.0}


def test_an_answer_that_came_recorded_is_looked_up_and_a_whole_response_as_its_reason_left_out():
    table = {"value": "C", "answer": "205 minutes", "explanation": f" {TRACE.response}"}
    one = labels(QA, table).standing
    assert one.spans == ((9, 20),)
    assert one.why == ""
    assert labels(QA, {"value": "C", "answer": "5"}).standing.spans == ()


def test_a_panel_without_a_majority_is_unscored_and_tells_the_votes():
    tables = [{"value": value} for value in ("C", "I", "C", "I")]
    found = KIND.majority(QA, TRACE, tables)
    assert found["value"] == "unscored"
    assert found["explanation"] == "The graders do not agree: C, I, C, I."
    mode = QA.model_copy(update={"reducer": "mode"})
    assert KIND.majority(mode, TRACE, tables)["value"] == "C"
    several = [{"value": {"style": 1, "facts": n}} for n in (1, 2, 2)]
    found = KIND.majority(LOGGED, TRACE, several)
    assert found["value"] == {"style": 1.0, "facts": 2.0}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"scorer": "match", "pattern": "x"}, "pattern is no setting of match"),
        ({"scorer": "exact", "numeric": True}, "it has none"),
        ({"scorer": "pattern"}, "pattern needs a pattern"),
        ({"scorer": "pattern", "pattern": "("}, "is no regular expression"),
        ({"scorer": "answer", "pattern": "all"}, 'one of "letter", "word", "line"'),
        ({"scorer": "model_graded_qa", "grade_pattern": "x"}, "captures nothing"),
        (
            {"scorer": "model_graded_qa", "grade_pattern": "("},
            "is no regular expression",
        ),
        ({"scorer": "model_graded_qa", "template": "{question}"}, "lacks {answer}"),
        ({"scorer": "model_graded_qa", "template": "{answer.x}"}, "which is no name"),
        ({"scorer": "model_graded_qa", "template": "{answer"}, "cannot be filled in"),
        (
            {"scorer": "model_graded_qa", "template": "{answer} {0}"},
            r"has \{0\}, which is no name",
        ),
        (
            {"scorer": "model_graded_qa", "template": "{answer:>99999999}"},
            '":>99999999" after ans',
        ),
        (
            {"scorer": "model_graded_qa", "template": "{answer} {question!r}"},
            '"!r" after question',
        ),
        (
            {"scorer": "model_graded_qa", "template": "{answer} {topic:d}"},
            '":d" after topic',
        ),
        ({"scorer": "model_graded_qa", "reducer": "mean"}, '"majority" or "mode"'),
        (
            {"scorer": "multi_scorer", "scorers": [{"scorer": "f1"}]},
            "two scorers or more",
        ),
        (
            {
                "scorer": "multi_scorer",
                "scorers": [{"scorer": "f1"}, {"scorer": "recorded"}],
            },
            "cannot be a member",
        ),
        (
            {"scorer": "multi_scorer", "scorers": [{"scorer": "f1"}, {"scorer": "f1"}]},
            'another member is called "f1" too',
        ),
        (
            {"scorer": "multi_scorer", "reducer": "best"},
            "'best' is not a reducer of epochs",
        ),
        ({"scorer": "recorded", "keys": ["a b"]}, "is no key"),
        ({"scorer": "recorded", "keys": ["a", "a"]}, "is there twice"),
        ({"scorer": "recorded", "min_score": 2}, "must be less than max_score"),
    ],
)
def test_a_trait_that_makes_no_sense_is_refused_in_a_sentence(settings, told):
    with pytest.raises(ValidationError, match=told):
        ScorerRubricTrait(name="t", **settings)


def test_large_bounds_of_a_score_are_told_with_all_of_their_digits():
    assert ScorePart("", False, 1, 1_234_567).span == "from 1 to 1234567"
    with pytest.raises(ValidationError, match=r"min_score \(2345678\) must be less"):
        ScorerRubricTrait(name="t", scorer="recorded", min_score=2_345_678)


def test_graders_of_another_role_of_inspect_are_asked_the_same():
    other = QA.model_copy(update={"model_role": "judge"})
    assert QA.scored() == other.scored()
    assert QA.sha256() != other.sha256()
    both = [
        ScorerRubricTrait(
            name="Both",
            scorer="multi_scorer",
            scorers=[
                {"scorer": "f1"},
                {"scorer": "model_graded_qa", "model_role": role},
            ],
        )
        for role in ("judge", None)
    ]
    assert both[0].scored() == both[1].scored()


@pytest.mark.parametrize(
    ("trait", "value", "told"),
    [
        (LOGGED, 3, "must be a table of style, facts, not the number 3"),
        (LOGGED, {}, "is an empty table"),
        (LOGGED, {"tone": 3}, 'the trait has no value "tone"'),
        (LOGGED, {"style": 9, "facts": "x"}, 'not the text "x"'),
        (QA, 7, "must be C, P, I, N or unscored, not the number 7"),
        (None, {"any": [1]}, "must be"),
    ],
)
def test_a_value_that_is_none_is_refused_in_a_sentence(trait, value, told):
    found = [fault.wrong for fault in KIND.faults(trait, TRACE, {"value": value})]
    assert any(told in wrong for wrong in found), found


def test_what_is_beyond_the_scale_is_a_breach():
    beyond = labels(LOGGED, {"value": {"style": 4, "facts": 5}})
    assert list(KIND.checks(LOGGED, beyond)) == []
    narrow = LOGGED.model_copy(update={"max_score": 4})
    (check,) = KIND.checks(narrow, beyond)
    assert (check.name, check.sentence) == (
        "breach",
        "The score facts is 5, outside of 0 to 4.",
    )
    open_upwards = LOGGED.model_copy(update={"min_score": 5, "max_score": FURTHEST})
    (check,) = KIND.checks(open_upwards, beyond)
    assert check.sentence == "The score style is 4, outside of 5 or more."


# -- corrections in words, and carried -------------------------------------------------------------


def carried(trait, before, edit, now):
    return KIND.carried(trait, now, edit, KIND.anchor(trait, before, edit))


def test_a_score_given_by_hand_is_told_with_what_it_was_before():
    for edit, before, after, told, brief in (
        (Edit("restore"), "C", "I", "took the change back: C → I", "taken back"),
        (Edit("overrule", value="C"), "I", "C", "changed the score: I → C", "score"),
        (
            Edit("overrule", 3, key="style"),
            "",
            "3",
            "gave the score of style: 3",
            "score",
        ),
        (
            Edit("answer", text="205"),
            "",
            "“205”, C",
            "gave the answer: “205”, C",
            "answer",
        ),
        (Edit("answer", text="205"), "I", "C", "changed the answer: I → C", "answer"),
    ):
        assert KIND.describe(edit, before, after) == told
        assert KIND.brief(edit) == brief


def test_taking_back_and_answering_are_carried_where_they_still_mean_something():
    overruled = corrected(MINUTES, SCORED, Edit("overrule", value="C"))
    assert carried(MINUTES, overruled, Edit("restore"), overruled) == Edit("restore")
    assert carried(MINUTES, overruled, Edit("restore"), SCORED) is None
    answer = Edit("answer", text="205")
    assert carried(MINUTES, SCORED, answer, SCORED) == answer
    with pytest.raises(Refused, match="No rule scores the answer any more"):
        KIND.carried(QA, KIND.blank, answer, KIND.anchor(MINUTES, SCORED, answer))
    styled = Edit("overrule", value=3, key="style")
    with pytest.raises(Refused, match="There is no value style any more"):
        KIND.carried(MINUTES, SCORED, styled, KIND.anchor(LOGGED, KIND.blank, styled))


def test_an_answer_that_stands_already_or_cannot_be_scored_is_refused():
    answered = corrected(MINUTES, SCORED, Edit("answer", text="205"))
    with pytest.raises(Refused, match="That is the answer already"):
        corrected(MINUTES, answered, Edit("answer", text="205"))
    choice = ScorerRubricTrait(name="t", scorer="choice")
    with pytest.raises(Refused, match="none of the trace's 2 choices"):
        corrected(choice, KIND.blank, Edit("answer", text="Z"))


def test_overruling_one_of_several_keeps_what_was_said_of_the_others():
    judged = labels(LOGGED, {"value": {"style": 4, "facts": 5}})
    twice = corrected(LOGGED, judged, Edit("overrule", value=1, key="style"))
    assert KIND.permit(
        LOGGED,
        TRACE,
        twice,
        Edit("overrule", value=4, key="style"),
    ) == Edit("restore")
    strange = Edit("overrule", value=4, key="tone")
    assert KIND.permit(LOGGED, TRACE, twice, strange) == strange


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (True, "yes"),
        (False, "no"),
        (nan, "unscored"),
        (2 / 3, "0.6667"),
        (None, ""),
        ("C", "C"),
    ],
)
def test_a_score_has_a_word_and_a_letter_its_meaning(value, word):
    assert value_text(value) == word
    assert spoken(value) == ("C, correct" if value == "C" else word)
