"""The labels of a regex cell, their tables, and what is wrong with a table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.kind import NotComputed, Span, Subject
from appellate.core.trace import Trace
from appellate.traits.match_worker import LISTED
from appellate.traits.matching import COUNTED
from appellate.traits.regex import KIND, Labels
from appellate.traits.regex.spec import RegexRubricTrait

TRAIT = RegexRubricTrait(name="Cites BCL2", pattern="bcl-?2", case_sensitive=False)
NO_PAIR = "must be a pair [start, end] of whole numbers from 0"
NO_PART = "marks no part of a response of 17 characters"
TRACE = Trace(id="1", response="BCL2, also bcl-2.")


def told(table, trait=TRAIT):
    return [
        (".".join(map(str, fault.path)), fault.wrong)
        for fault in KIND.faults(trait, TRACE, table)
    ]


def test_a_response_is_computed_with_its_matches():
    table = KIND.computed.compute(TRAIT, TRACE)
    assert table == {"value": True, "hits": 2, "matches": [[0, 4], [11, 16]]}
    stands = KIND.labels(TRAIT, TRACE, KIND.locate(TRAIT, TRACE, table))
    assert stands == Labels(True, True, 2, ((0, 4), (11, 16)))
    assert KIND.write(stands) == {"audited": {"value": True, "hits": 2}}
    assert [
        TRACE.response[start:end] for start, end, _ in KIND.evidence(TRAIT, stands)
    ] == [
        "BCL2",
        "bcl-2",
    ]


def test_inverted_a_response_without_a_match_is_a_yes():
    trait = TRAIT.model_copy(update={"invert_result": True})
    assert KIND.computed.compute(trait, TRACE)["value"] is False
    assert KIND.computed.compute(trait, Trace(id="2")) == {
        "value": True,
        "hits": 0,
        "matches": [],
    }


def test_more_matches_than_are_counted_are_told():
    trait, trace = (
        RegexRubricTrait(name="t", pattern="a"),
        Trace(id="1", response="a" * (COUNTED + 1)),
    )
    table = KIND.computed.compute(trait, trace)
    assert table == {
        "value": True,
        "hits": COUNTED,
        "matches": [[n, n + 1] for n in range(LISTED)],
        "more": True,
    }
    assert KIND.locate(trait, trace, table) == table
    assert KIND.labels(trait, trace, table).more


def test_matches_of_nothing_are_no_evidence():
    stands = KIND.labels(TRAIT, TRACE, {"value": True, "matches": [[0, 0], [1, 2]]})
    assert KIND.evidence(TRAIT, stands) == [Span(1, 2)]


@pytest.mark.parametrize("value", [True, False])
def test_recorded_labels_need_a_verdict_only_which_stands_whatever_matches(value):
    found = {"value": value, "hits": 2, "matches": [[0, 4], [11, 16]]}
    assert KIND.locate(TRAIT, TRACE, {"value": value}) == found
    assert KIND.locate(TRAIT, TRACE, found) == found
    assert KIND.locate(TRAIT, Trace(id="2"), {"value": value})["matches"] == []


@pytest.mark.slow
def test_a_pattern_that_takes_too_long_is_not_computed_and_a_recorded_verdict_stands_alone():
    trait = TRAIT.model_copy(update={"pattern": "(?:a+)+$"})
    trace = Trace(id="1", response="a" * 50_000 + "b")
    with pytest.raises(NotComputed, match="took longer than"):
        KIND.computed.compute(trait, trace)
    alone = {"value": True, "hits": 0, "matches": []}
    assert KIND.locate(trait, trace, {"value": True}) == alone


def test_what_recorded_labels_say_of_matches_stays():
    assert KIND.locate(TRAIT, TRACE, {"value": True, "hits": 5})["hits"] == 5
    assert KIND.locate(TRAIT, TRACE, {"value": True, "matches": [[0, 4]]}) == {
        "value": True,
        "hits": 1,
        "matches": [[0, 4]],
    }


@pytest.mark.parametrize(
    ("table", "faults"),
    [
        ({"value": True, "hits": 3, "matches": [[0, 4]], "more": True}, []),
        ({"value": False}, []),
        ({}, [("value", "is missing")]),
        ({"value": "yes"}, [("value", 'must be true or false, not the text "yes"')]),
        ({"value": 1}, [("value", "must be true or false, not the number 1")]),
        (
            {"value": True, "more": 1},
            [("more", "must be true or false, not the number 1")],
        ),
        (
            {"value": True, "hits": -1},
            [("hits", "must be a whole number from 0, not the number -1")],
        ),
        (
            {"value": True, "hits": True},
            [("hits", "must be a whole number from 0, not true")],
        ),
        (
            {"value": True, "matches": "a"},
            [("matches", 'must be a list of pairs [start, end], not the text "a"')],
        ),
        ({"value": True, "matches": [3]}, [("matches.0", NO_PAIR)]),
        ({"value": True, "matches": [[0, 1, 2]]}, [("matches.0", NO_PAIR)]),
        ({"value": True, "matches": [[0, "1"]]}, [("matches.0", NO_PAIR)]),
        ({"value": True, "matches": [[2, 1]]}, [("matches.0", f"[2, 1] {NO_PART}")]),
        ({"value": True, "matches": [[2, 18]]}, [("matches.0", f"[2, 18] {NO_PART}")]),
        (
            {"value": True, "hits": 0, "matches": [[0, 1]]},
            [("hits", "is 0, but there is 1 match")],
        ),
        ({"value": True, "items": []}, [("items", "a regex trait has no items")]),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_place(table, faults):
    assert told(table) == told(table, None) == faults


@given(
    st.text("abcAB 2", max_size=20),
    st.sampled_from(["a", "b*", "", "a|$", "z"]),
    st.booleans(),
)
def test_every_computed_table_is_sound_and_stays_as_it_is(response, pattern, invert):
    trait, trace = (
        RegexRubricTrait(name="t", pattern=pattern, invert_result=invert),
        Trace(id="1", response=response),
    )
    table = KIND.computed.compute(trait, trace)
    assert list(KIND.faults(trait, trace, table)) == []
    assert KIND.locate(trait, trace, table) == table
    assert KIND.measure(trait, KIND.labels(trait, trace, table)) == Subject(
        KIND,
        trait,
        trace,
    ).measure_table(table)
