"""What a verdict comes to: one number, one answer, what is doubtful; and what a panel says together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_traits import CLEAR, TONE, TRACE, WARNS, excerpt, labels
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import UNBRIEFED, Figures, Instruction, Span, Subject
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.llm import KIND, alone, negated, reordered
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.llm.pane_corrections import ExcerptsInSight, OfJudgedExcerpts

ORDERED = TONE.model_copy(update={"order": "worse to better"})


@pytest.mark.parametrize(
    ("trait", "value", "name", "number", "words"),
    [
        (WARNS, True, "yes", 1.0, {"verdict": "yes"}),
        (WARNS, False, "yes", 0.0, {"verdict": "no"}),
        (CLEAR, 4, "score", 4.0, {"verdict": "4"}),
        (ORDERED, 2, "class_index", 2.0, {"verdict": "rude", "class": "rude"}),
    ],
)
def test_a_verdict_is_a_number_and_a_word(trait, value, name, number, words):
    figures = KIND.measure(trait, Labels(value, evidence=(Excerpt("x"),)))
    assert figures == Figures.of({name: number}, {"evidence": 1}, words=words)
    assert (
        Subject(KIND, trait, TRACE).measure_table({"value": value, "evidence": ["x"]})
        == figures
    )


def test_no_verdict_is_no_bad_score():
    figures = KIND.measure(CLEAR, Labels())
    assert figures.undefined == {"score"}
    assert figures.words == {}
    assert KIND.answers(CLEAR, Labels()) == {
        Instruction("verdict", 1, CLEAR.description): "unanswered",
    }


def test_bounds_and_direction_are_the_traits():
    [score] = KIND.measures(
        CLEAR.model_copy(update={"min_score": 0, "higher_is_better": False}),
    )
    assert (score.name, score.low, score.high, score.higher_is_better) == (
        "score",
        0,
        5,
        False,
    )
    [share] = KIND.measures(WARNS)
    assert (share.name, share.low, share.high) == ("yes", 0, 1)
    [index] = KIND.measures(ORDERED)
    assert (index.name, index.low, index.high) == ("class_index", 0, 2)


def test_classes_without_an_order_have_shares_and_no_mean():
    measures = KIND.measures(TONE)
    assert [measure.name for measure in measures] == [
        "share of formal",
        "share of plain",
        "share of rude",
    ]
    assert {measure.higher_is_better for measure in measures} == {None}
    figures = KIND.measure(TONE, Labels(2))
    assert figures.values == {
        "share of formal": 0.0,
        "share of plain": 0.0,
        "share of rude": 1.0,
    }
    assert figures.words == {"verdict": "rude", "class": "rude", "share": "rude"}
    assert KIND.measure(TONE, Labels()).undefined == {
        measure.name for measure in measures
    }


def test_each_value_is_a_step_with_its_word_unless_the_scale_is_long():
    steps = [KIND.measures(trait)[0].steps for trait in (WARNS, ORDERED, CLEAR)]
    assert steps == [
        ("no", "yes"),
        ("formal", "plain", "rude"),
        ("1", "2", "3", "4", "5"),
    ]
    assert KIND.measures(CLEAR.model_copy(update={"max_score": 100}))[0].steps == ()


def test_every_measure_and_field_is_named_once():
    names = [KIND.measures(trait)[0].name for trait in (WARNS, CLEAR, TONE)]
    names += [one.name for one in KIND.fields]
    assert len(names) == len(set(names))


def test_the_verdict_answers_the_traits_question():
    assert KIND.answers(TONE, Labels(0, "formal")) == {
        Instruction("verdict", 1, "Tone"): "formal",
    }


def test_what_is_in_the_response_is_evidence_and_what_is_not_is_unverified():
    both = Labels(True, "", (excerpt("with food"), Excerpt("see a vet")))
    assert KIND.evidence(WARNS, both) == [Span(5 + 10, 24)]
    assert [tuple(check) for check in KIND.checks(WARNS, both)] == [
        ("unverified", "“see a vet” is not in the response."),
    ]


def test_a_trait_says_what_sort_of_verdict_it_wants_and_which_words_there_are():
    assert [KIND.form(trait) for trait in (WARNS, CLEAR, TONE)] == [
        "yes or no",
        "score 1–5",
        "3 classes",
    ]
    assert list(KIND.vocabulary(WARNS)) == ["yes", "no", "unanswered"]
    assert KIND.vocabulary(TONE) == ["formal", "plain", "rude", "unanswered"]
    assert KIND.vocabulary(CLEAR)[0] == "1"


# -- answered alone --------------------------------------------------------------------------------

FOUND, LOST = Excerpt("Take it", (0, 7)), Excerpt("nowhere said")


@pytest.mark.parametrize(
    ("trait", "answer", "value"),
    [(WARNS, "0", False), (WARNS, "1", True), (CLEAR, "4", 4), (TONE, "1", 1)],
)
def test_an_answer_is_a_verdict_unless_it_stands_already(trait, answer, value):
    assert answer in KIND.sayable(trait, None)
    assert list(KIND.edits(trait, Labels(), None, answer)) == [Edit("set", value=value)]
    assert list(KIND.edits(trait, Labels(value), None, answer)) == []


@pytest.mark.parametrize(("trait", "answer"), [(WARNS, "2"), (CLEAR, "9"), (TONE, "c")])
def test_a_verdict_that_there_is_not_is_refused(trait, answer):
    with pytest.raises(Refused, match=r"The verdict of this trait is "):
        KIND.edits(trait, Labels(), None, answer)


def test_the_words_that_a_verdict_rests_on_are_told_apart_from_those_that_are_not_there():
    told = KIND.grounds(WARNS, Labels(True, "", (FOUND, LOST), "It says so."), None)
    assert (told.word, told.spans, told.loose) == ("yes", ((0, 7),), ("nowhere said",))
    assert told.reason == "It says so."
    assert KIND.grounds(WARNS, Labels(), None).word == "unanswered"


def test_evidence_that_stayed_behind_another_verdict_is_remarked():
    was, now = Labels(True, "", (FOUND,)), Labels(False, "", (FOUND,))
    assert KIND.remarks(WARNS, was, now) == [
        "The evidence stayed: {llm.drop:d} drops what does not speak for it.",
    ]
    assert KIND.remarks(WARNS, was, was) == []
    assert KIND.remarks(WARNS, was, Labels(False, "", (LOST,))) == []
    assert KIND.remarks(WARNS, Labels(), now) == []


def test_an_edit_follows_its_excerpt_to_where_it_stands_by_now():
    edit, of = Edit("drop", index=0, seen="Take it"), OfJudgedExcerpts()
    of.sight = ExcerptsInSight(of)
    of.sight.cell = Cell(Subject(KIND, WARNS, Trace(id="1")))

    def found_again(*evidence):
        return of.found_again(
            edit,
            replace(of.sight.cell, labels=Labels(True, "", evidence)),
        )

    assert found_again(LOST, FOUND).index == 1
    assert found_again(FOUND, LOST) is edit
    assert found_again(LOST) is edit


# -- panels -----------------------------------------------------------------------------------------


def chosen(trait, *values):
    tables = [
        {"value": value, "evidence": [], "items": [], "rationale": str(n)}
        for n, value in enumerate(values)
    ]
    return KIND.majority(trait, TRACE, tables)


@pytest.mark.parametrize(
    ("trait", "values", "value", "member"),
    [
        (WARNS, (True, False, False), False, "1"),
        (WARNS, (True, False), True, "0"),
        (TONE, (2, 1, 1, 2), 2, "0"),
        (TONE, (0, 1, 2), 0, "0"),
        (CLEAR, (2, 5, 3), 3, "2"),
        (CLEAR, (5, 2), 5, "0"),
        (CLEAR, (1, 4, 4), 4, "1"),
    ],
)
def test_most_decide_and_of_scores_the_middle_one(trait, values, value, member):
    table = chosen(trait, *values)
    assert (table["value"], table["rationale"]) == (value, member)


def test_the_member_that_speaks_for_all_is_one_whose_excerpts_stand():
    tables = [
        {"value": True, "evidence": ["see a vet"], "items": []},
        {
            "value": True,
            "evidence": ["Take"],
            "items": [{"index": 0, "start": 0, "end": 4}],
        },
    ]
    assert KIND.majority(WARNS, TRACE, tables)["evidence"] == ["Take"]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_what_more_than_half_say_is_what_is_proposed(values):
    value = chosen(CLEAR, *values)["value"]
    assert value in values
    for one in values:
        assert 2 * values.count(one) <= len(values) or value == one


def test_a_member_without_a_verdict_speaks_for_nobody():
    tables = [{"evidence": []}, {"value": 3, "evidence": []}]
    assert KIND.majority(CLEAR, TRACE, tables)["value"] == 3
    assert labels(CLEAR, KIND.majority(CLEAR, TRACE, tables[:1])).value is None


# -- asked otherwise --------------------------------------------------------------------------------


def backwards(count):
    return list(range(count))[::-1]


def test_classes_in_another_order_are_the_same_classes_to_the_same_question():
    (made,) = reordered(TONE, backwards)
    assert made.trait.class_names == ["rude", "plain", "formal"]
    (told,) = KIND.answers(made.trait, labels(made.trait, {"value": 2})).items()
    (plain,) = KIND.answers(TONE, labels(TONE, {"value": 0}))
    assert told == (plain, "formal")
    assert made.meant == {("verdict", 1): plain}
    assert [reordered(one, backwards) for one in (WARNS, CLEAR)] == [(), ()]


def test_only_a_yes_has_a_contrary_and_one_question_is_by_itself_already():
    (made,) = negated(WARNS)
    assert made.trait.description.endswith(WARNS.question)
    assert made.meant["verdict", 1].text == WARNS.question
    assert (
        "does not hold" in next(KIND.asked.dialogue(made.trait, TRACE, UNBRIEFED)).user
    )
    assert [negated(one) for one in (CLEAR, TONE)] == [(), ()]
    assert alone(WARNS) == ()
