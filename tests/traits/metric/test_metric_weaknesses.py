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
        ("Avoids naming a competitor's drug", "absence"),
    ],
)
def test_one_instruction_is_weak_by_its_own_words(text, expected):
    assert found(text) == [(expected, "tp_instructions", 0)]


def test_a_negated_instruction_is_told_apart_from_a_wanted_absence():
    assert found("BCL2 is on chromosome 18", tn=["Does not name a chromosome at all"]) == [
        ("negated", "tn_instructions", 0)
    ]


def test_the_later_of_two_that_hold_the_same_words_overlaps_and_numbers_tell_facts_apart():
    assert found("Mentions the risk of bleeding", "Bleeding is a risk", "The dose is 400 mg") == [
        ("overlap", "tp_instructions", 1)
    ]
    assert found("BCL2 is on chromosome 18", "BCL2 is on chromosome 1") == []
    same = "BCL2 is on chromosome 18"
    assert found(same, tn=[same]) == [("overlap", "tn_instructions", 0)]


def test_a_paragraph_among_short_facts_weighs_as_much_as_one_of_them():
    long = " ".join(f"word{number}" for number in range(30))
    assert found("BCL2 is a gene", "It sits on 18", long) == [("granularity", "tp_instructions", 2)]
    assert found(long, f"{long} more") == [("overlap", "tp_instructions", 1)]


def test_every_finding_says_why_and_what_would_be_better():
    trait = MetricRubricTrait(
        name="x", metrics=["recall"], tp_instructions=["Gives proper advice", "Is easy to read"]
    )
    for one in weaknesses(trait):
        assert trait.tp_instructions[one.path[1]] in one.reason
        assert one.fix
