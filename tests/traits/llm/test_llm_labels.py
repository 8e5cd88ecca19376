"""A verdict with its excerpts and its reason: as a judge gives it, as it is located, as a file has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_traits import CLEAR, EVERY, RESPONSE, TONE, TRACE, WARNS, excerpt, labels

from appellate.traits.llm import KIND
from appellate.traits.llm.labels import Excerpt, Labels


def of_item(**item):
    return {"value": True, "evidence": ["Take"], "items": [item]}


def test_a_judges_table_gets_offsets_and_keeps_its_words():
    table = {
        "value": True,
        "evidence": ["ask a  DOCTOR", "nowhere"],
        "rationale": "It warns.",
    }
    assert KIND.locate(WARNS, TRACE, table) == {
        **table,
        "items": [{"index": 0, "start": 26, "end": 38}],
    }
    assert labels(WARNS, table) == Labels(
        True,
        "",
        (excerpt("Ask a doctor"), Excerpt("nowhere")),
        "It warns.",
    )


def test_offsets_that_are_right_are_kept_and_others_looked_up_again():
    second = RESPONSE.rindex("Take")

    def found(**place):
        return labels(WARNS, of_item(index=0, **place)).evidence

    assert found(start=second, end=second + 4) == (
        Excerpt("Take", (second, second + 4)),
    )
    assert found(start=1, end=5) == found() == (Excerpt("Take", (0, 4)),)


def test_the_same_words_given_twice_are_found_in_two_places_and_an_ellipsis_makes_two_excerpts():
    twice = labels(WARNS, {"value": True, "evidence": ["Take", "Take"]}).evidence
    assert [one.span[0] for one in twice] == [0, RESPONSE.rindex("Take")]
    parts = labels(
        WARNS,
        {"value": True, "evidence": ["with food … with warfarin"]},
    ).evidence
    assert [one.text for one in parts] == ["with food", "with warfarin"]


def test_a_class_may_be_given_by_its_index_or_by_its_name_and_has_both_afterwards():
    by_name, by_index = (
        KIND.locate(TONE, TRACE, {"class": "RUDE"}),
        KIND.locate(TONE, TRACE, {"value": 2}),
    )
    assert (
        by_name
        == by_index
        == {"value": 2, "class": "rude", "evidence": [], "items": []}
    )
    assert labels(TONE, {"class": "RUDE"}) == Labels(2, "rude")
    assert KIND.value(TONE, {}) is None


def test_a_table_without_a_verdict_is_none():
    assert labels(CLEAR, {"evidence": ["Take care"]}).value is None
    assert KIND.locate(CLEAR, TRACE, {}) == {"evidence": [], "items": []}


def test_labels_that_hold_nothing_are_written_as_nothing():
    assert KIND.write(Labels()) == {"audited": {"evidence": []}}


verdicts = st.sampled_from(EVERY).flatmap(
    lambda trait: st.tuples(
        st.just(trait),
        st.sampled_from([True, False] if trait is WARNS else list(trait.values)),
    ),
)
words = st.one_of(
    st.sampled_from(["with food", "Take", "Ask … warfarin", "nowhere"]),
    st.text(min_size=1, max_size=9),
)


@pytest.mark.slow
@given(verdicts, st.lists(words, max_size=4), st.text(max_size=9))
def test_what_is_written_reads_as_the_same_labels_and_has_no_fault(
    verdict,
    evidence,
    rationale,
):
    trait, value = verdict
    before = labels(
        trait,
        {"value": value, "evidence": evidence, "rationale": rationale},
    )
    written = KIND.write(before)
    table = {**written["audited"], "items": written.get("items", [])}
    assert KIND.labels(trait, TRACE, table) == before
    assert not list(KIND.faults(trait, TRACE, table))
    assert labels(trait, table) == before


# -- what is no table -------------------------------------------------------------------------------


YES, SCORE, CLASS = (
    "must be true or false",
    "must be a whole number from 1 to 5",
    "must be the index",
)
UNKNOWN = 'there is no class "curt"; classes are "formal", "plain"'
OTHER = '"rude" is class 2, but the value is the number 1'
NO_CLASSES = 'there are no classes in a trait of kind "score"'
HALF, BEYOND = (
    "start and end must both be whole numbers",
    "start 3 and end 999 mark no part",
)


@pytest.mark.parametrize(
    ("trait", "table", "path", "wrong"),
    [
        (WARNS, {}, "", "has no value"),
        (WARNS, {"value": 1}, "value", f"{YES}, not the number 1"),
        (WARNS, {"value": "yes"}, "value", f'{YES}, not the text "yes"'),
        (CLEAR, {"value": 6}, "value", f"{SCORE}, not the number 6"),
        (CLEAR, {"value": 2.5}, "value", f"{SCORE}, not the number 2.5"),
        (TONE, {"value": 3}, "value", f"{CLASS} of a class, 0 to 2, not the number 3"),
        (
            TONE,
            {"value": -1, "class": "rude"},
            "value",
            f"{CLASS} of a class, 0 to 2, not the",
        ),
        (
            None,
            {"value": "x"},
            "value",
            'must be true, false or a whole number, not the text "x"',
        ),
        (TONE, {"class": "curt"}, "class", UNKNOWN),
        (TONE, {"class": 2}, "class", "must be the name of a class, not the number 2"),
        (TONE, {"class": "rude", "value": 1}, "class", OTHER),
        (CLEAR, {"class": "x", "value": 1}, "class", NO_CLASSES),
        (
            WARNS,
            {"value": True, "evidence": "Take"},
            "evidence",
            "must be a list of texts, not",
        ),
        (
            WARNS,
            {"value": True, "evidence": [3]},
            "evidence.0",
            "must be text, not the number 3",
        ),
        (
            WARNS,
            {"value": True, "rationale": 3},
            "rationale",
            "must be text, not the number 3",
        ),
        (
            WARNS,
            {"value": True, "items": 3},
            "items",
            "must be a list of tables, not the number 3",
        ),
        (
            WARNS,
            {"value": True, "items": [3]},
            "items.0",
            "must be a table, not the number 3",
        ),
        (WARNS, of_item(), "items.0.index", "must be a position in evidence"),
        (WARNS, of_item(index=0, start=3), "items.0.start", HALF),
        (WARNS, of_item(index=0, start=3, end=999), "items.0.start", BEYOND),
        (WARNS, of_item(index=0, strat=3), "items.0.strat", "there is no key"),
    ],
)
def test_a_fault_is_told_with_its_place(trait, table, path, wrong):
    [fault] = KIND.faults(trait, TRACE, table)
    assert ".".join(map(str, fault.path)) == path
    assert fault.wrong.startswith(wrong)


def test_a_table_of_an_unknown_trait_is_held_to_its_shape_alone():
    assert not list(
        KIND.faults(None, TRACE, {"value": 17, "class": "any", "evidence": []}),
    )
