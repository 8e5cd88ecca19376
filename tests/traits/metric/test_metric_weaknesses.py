"""What makes instructions of a metric trait hard to judge is found by their words, with a fix."""

import pytest

from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.weaknesses import weaknesses


def found(*tp, tn=()):
    """The ids and places of what is weak in such instructions."""
    trait = MetricRubricTrait(
        name="x",
        metrics=["recall"],
        evaluation_mode="auto",
        tp_instructions=list(tp),
        tn_instructions=list(tn),
    )
    return [(one.id, *one.path) for one in weaknesses(trait)]


@pytest.mark.parametrize(
    "text",
    [
        "States that BCL2 is on chromosome 18",
        "Side effects include nausea and diarrhoea",
        "No association was found between allopurinol and infertility",
        "Names the enzyme that venetoclax inhibits",
        "Mentions BCL2",
        "Claims BCL2 is pro-apoptotic",
        "Mentions Adams & Cory, Science, 1998",
        "Discusses the mechanism of action",
        "References cancer relevance",
        "Advises to seek help if the patient is not well",
        "Says that the dose is tolerated as well",
        "Names the main points of attack of venetoclax",
        "States the wrong chromosome for BCL2, which is on 18",
        "Says that a false positive test is likely",
    ],
)
def test_a_plain_fact_has_nothing_against_it(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("States the dose and explains the risk", "compound"),
        ("The dose is 400 mg; it is taken with food", "compound"),
        ("Gives an appropriate warning of bleeding", "vague"),
        ("Uses a bulleted list of the side effects", "format"),
        ("Stays under 200 words", "format"),
        ("Is well-organized and kind", "holistic"),
        ("Does not mention warfarin", "absence"),
        ("Covers the biology well", "vague"),
        ("Explains how the drug works well.", "vague"),
        ("Is scientifically thorough", "vague"),
        ("Talks about the important details", "vague"),
        ("Mentions the key points", "vague"),
        ("Gives enough detail", "vague"),
        ("The answer is good", "vague"),
        ("Contains inaccurate biology", "umbrella"),
        ("Says something wrong", "umbrella"),
        ("Says things that are false", "umbrella"),
        ("Makes any factual mistakes", "umbrella"),
        ("The response is misleading", "umbrella"),
        ("Avoids naming a competitor's drug", "absence"),
    ],
)
def test_one_instruction_is_weak_by_its_own_words(text, expected):
    assert found(text) == [(expected, "tp_instructions", 0)]


def test_a_negated_instruction_is_told_apart_from_a_wanted_absence():
    assert found(
        "BCL2 is on chromosome 18",
        tn=["Does not name a chromosome at all"],
    ) == [("negated", "tn_instructions", 0)]


def test_the_later_of_two_that_hold_the_same_words_overlaps_and_numbers_tell_facts_apart():
    assert found(
        "Mentions the risk of bleeding",
        "Bleeding is a risk",
        "The dose is 400 mg",
    ) == [("overlap", "tp_instructions", 1)]
    assert found("BCL2 is on chromosome 18", "BCL2 is on chromosome 1") == []
    same = "BCL2 is on chromosome 18"
    assert found(same, tn=[same]) == [("overlap", "tn_instructions", 0)]


@pytest.mark.parametrize(
    ("one", "other", "are_twins"),
    [
        ("Mentions BCL2", "Discusses BCL2", True),
        ("Names the dose", "Talks about dose", True),
        ("Mentions BCL2", "Mentions TP53", False),
        ("Mentions BCL2", "Discusses BCL2 in cancer", False),
        ("Discusses", "Mentions", False),
        ("Is on chromosome 18", "Is on chromosome 1", False),
    ],
)
def test_two_that_differ_in_the_verb_of_saying_alone_ask_for_the_same(
    one,
    other,
    are_twins,
):
    expected = [("overlap", "tp_instructions", 1)] if are_twins else []
    assert found(one, other) == expected
    expected = [("overlap", "tn_instructions", 0)] if are_twins else []
    assert found(one, tn=[other]) == expected


def test_a_paragraph_among_short_facts_weighs_as_much_as_one_of_them():
    long = " ".join(f"word{number}" for number in range(30))
    assert found("BCL2 is a gene", "It sits on 18", long) == [
        ("granularity", "tp_instructions", 2),
    ]
    assert found(long, f"{long} more") == [("overlap", "tp_instructions", 1)]


def test_every_finding_says_why_and_what_would_be_better():
    trait = MetricRubricTrait(
        name="x",
        metrics=["recall"],
        tp_instructions=["Gives proper advice", "Is easy to read"],
    )
    for one in weaknesses(trait):
        assert trait.tp_instructions[one.path[1]] in one.reason
        assert one.fix
