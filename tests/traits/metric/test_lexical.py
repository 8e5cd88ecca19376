import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.trace import Trace
from appellate.traits.metric import KIND
from appellate.traits.metric.lexical import propose, sense_of, stem
from appellate.traits.metric.spec import MetricRubricTrait

BCL2 = (
    "BCL2 is an anti-apoptotic gene that helps cells survive and is important in cancer. "
    "It is located on chromosome 1."
)
TP = [
    "Mentions BCL2 gene",
    "States that BCL2 inhibits apoptosis",
    "References cancer relevance",
    "States BCL2 is on chromosome 18",
]
TN = ["States BCL2 is on chromosome 1", "Claims BCL2 is pro-apoptotic"]


def expecting(*tp, hints=()):
    return MetricRubricTrait(
        name="x",
        metrics=["f1"],
        tp_instructions=list(tp),
        fp_instructions=list(hints),
    )


def forbidding(*tn, tp=("zebra",)):
    return MetricRubricTrait(
        name="x",
        evaluation_mode="full_matrix",
        metrics=["f1"],
        tp_instructions=list(tp),
        tn_instructions=list(tn),
    )


def found(instruction, response):
    return propose(expecting(instruction), response)["tp"]


def test_the_worked_example_comes_out_as_in_the_reference_documents():
    table = propose(forbidding(*TN, tp=TP), BCL2)
    assert table["tp"] == [
        "BCL2 is an anti-apoptotic gene",
        "BCL2 is an anti-apoptotic",
        "is important in cancer",
    ]
    assert table["fn"] == ["States BCL2 is on chromosome 18"]
    assert table["fp"] == ["It is located on chromosome 1"]
    assert table["tn"] == ["Claims BCL2 is pro-apoptotic"]


def test_of_a_long_claim_three_words_of_eight_in_one_sentence_are_enough():
    claim = "Drink plenty of fluids such as water, broth or tea in fever and headache"
    assert found(claim, "Rest well. Fluids like water help with a fever.") == [
        "Fluids like water help with a fever",
    ]
    assert found(claim, "Rest well. Water helps with a fever.") == []


def test_in_tp_only_another_number_in_the_same_place_is_a_wrong_candidate():
    table = propose(expecting(*TP), BCL2)
    assert (table["fp"], table["tn"]) == (["It is located on chromosome 1"], [])
    assert {row["instruction"] for row in table["items"] if row["bucket"] == "fp"} == {
        4,
    }


def test_without_another_number_there_is_no_wrong_candidate():
    assert (
        propose(expecting("BCL2 is on chromosome 18"), "BCL2 is on a chromosome.")["fp"]
        == []
    )


def test_a_share_of_the_words_may_be_asked_for():
    claim = expecting("Drinking water helps with a fever")
    text = "Water helps."
    assert KIND.asked.lexical(claim, Trace(id="t", response=text), 0.5)["tp"] == [
        "Water helps",
    ]
    assert KIND.asked.lexical(claim, Trace(id="t", response=text), 0.8)["tp"] == []


def test_the_kind_supplies_it():
    assert KIND.asked.lexical(
        expecting(*TP),
        Trace(id="t", response=BCL2),
        None,
    ) == propose(expecting(*TP), BCL2)


def test_a_passage_that_matches_a_hint_is_an_fp_linked_to_it():
    table = propose(expecting("zebra", hints=["chromosome 1"]), BCL2)
    row = {
        "bucket": "fp",
        "index": 0,
        "instruction": 1,
        "of": "fp",
        "rationale": "chromosome, 1",
    }
    assert row in table["items"]


def test_a_hint_that_no_passage_matches_stands_nowhere():
    table = propose(expecting("zebra", hints=["chromosome 8"]), BCL2)
    assert (table["fn"], table["fp"], table["tn"]) == (["zebra"], [], [])


@pytest.mark.parametrize(
    ("instruction", "response"),
    [
        ("Located on chromosome 18", "It sits on chromosome 18."),
        ("Has four subunits", "Hemoglobin has 4 subunits."),
        ("Mentions BCL-2 inhibitors", "A BCL2 inhibitor was given."),
        ("Dose is 1.5 mg", "Take a dose of 1.5mg daily."),
        ("Mentions 1,000 units", "Give 1000 units."),
        (
            "Advises against alcohol: do not drink alcohol",
            "You should not drink alcohol.",
        ),
        ("Mentions diarrhoea", "It may cause diarrhoeas."),
        ("Mentions the hemorrhage risk", "There is a risk of hemorrhages."),
        ("Mentions dextromethorphan", "Contains dextrometorphan."),
        ("Says the capital is 東京", "首都は東京です。"),
    ],
)
def test_the_same_in_other_words_is_found(instruction, response):
    assert found(instruction, response)


@pytest.mark.parametrize(
    ("instruction", "response"),
    [
        ("Located on chromosome 18", "It sits on chromosome 1."),
        ("Located on chromosome 1", "It sits on chromosome 18."),
        ("Treats hypertension", "It treats hypotension."),
        ("Drinking alcohol is safe", "Drinking alcohol is not safe."),
        ("Do not give aspirin", "Give aspirin."),
        ("Increases blood pressure", "A zebra."),
        ("Is toxic", "It is non-toxic."),
        ("States that it claims", ""),
    ],
)
def test_what_differs_where_it_matters_is_not_found(instruction, response):
    assert not found(instruction, response)


def test_two_instructions_that_one_sentence_answers_get_excerpts_of_their_own():
    table = propose(
        expecting("Mentions red apples", "Mentions apples that are red"),
        "We sell red apples, all year.",
    )
    assert len({text.lower() for text in table["tp"]}) == 2


def test_two_instructions_that_one_word_answers_share_it():
    table = propose(expecting("Mentions zebras", "Says zebras"), "Zebras.")
    assert table["tp"] == ["Zebras", "Zebras"]


def test_words_in_the_instruction_that_only_say_what_to_look_for_do_not_count():
    assert not found(
        "States that the response mentions zebras",
        "The response states that it mentions claims.",
    )


texts = (
    st.text()
    | st.text(alphabet="abc 12.,-\n'()not’")
    | st.lists(st.sampled_from(BCL2.split())).map(" ".join)
)


@given(
    st.lists(texts, min_size=1, max_size=4),
    st.lists(texts, min_size=1, max_size=3),
    texts,
)
def test_every_instruction_is_answered_and_every_excerpt_is_a_slice(tp, tn, response):
    table = propose(forbidding(*tn, tp=tp), response)
    for bucket in ("tp", "fp"):
        assert all(text.strip() and text in response for text in table[bucket])
    links = [(row["of"], row["instruction"]) for row in table["items"]]
    assert sorted(links) == sorted(
        [
            *(("tp", n + 1) for n in range(len(tp))),
            *(("tn", n + 1) for n in range(len(tn))),
        ],
    )
    assert propose(forbidding(*tn, tp=tp), response) == table


@given(st.text(min_size=1).map(str.lower))
def test_any_word_has_a_stem(word):
    assert stem(word)
    assert sense_of(word)


@pytest.mark.parametrize(
    "response",
    ["x" * 200_000, "a " * 100_000, "bcl2 gene 1 not. " * 12_000, "\n" * 200_000],
)
def test_long_responses_are_answered_in_full(response):
    proposed = propose(forbidding(*TN, tp=TP), response)
    assert len(proposed["tp"]) + len(proposed["fn"]) >= len(TP)


def test_a_real_checklist_of_physicians_is_answered_modestly(shared):
    rubric = tomllib.loads((shared / "data/healthbench/rubric.toml").read_text("utf-8"))
    lines = (shared / "data/healthbench/traces.jsonl").read_text("utf-8").splitlines()
    responses = {row["question_id"]: row["response"] for row in map(json.loads, lines)}
    cells = [
        (MetricRubricTrait(**trait), responses[question["id"]])
        for question in rubric["questions"]
        for trait in question["metric_traits"]
    ]
    tables = [propose(trait, response) for trait, response in cells]
    assert sum(len(table["tp"]) for table in tables) > 30
