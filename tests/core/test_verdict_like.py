"""Which fields of a trace may hold somebody's verdict, by their names and by their values."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.kind import KnownTrait
from appellate.core.verdict_like import (
    PossibleVerdicts,
    names_verdict,
    without_verdicts,
)
from appellate.traits.kinds import kinds
from appellate.traits.llm.spec import LLMRubricTrait

CLASSES = {"formal": "It is formal.", "casual": "It is casual."}


def known(**settings):
    """An LLM trait called Tone Check of some kind."""
    return [KnownTrait(kinds()["llm"], LLMRubricTrait(name="Tone Check", **settings))]


BOOLEAN = known(kind="boolean")
SCORE = known(kind="score", min_score=1, max_score=5)
LITERAL = known(kind="literal", classes=CLASSES)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "success",
            "metricsData",
            "metrics_data",
            "human_label",
            "label",
            "gpt4_label",
            "is_correct",
        ),
        *(
            "annotation_1",
            "annotator2",
            "final_label",
            "feedback.score",
            "Grader Reason",
            "rationale",
        ),
        *(
            "judgeVerdict",
            "F1Score",
            "exact_match_acc",
            "reviewer_comment",
            "gold",
            "BEWERTUNG",
        ),
        *(
            "llm_as_judge",
            "faithfulness",
            "isAccepted",
            "passed",
            "thumbs_up",
            "preferred",
        ),
    ],
)
def test_a_name_says_that_a_verdict_is_in_it(name):
    assert names_verdict(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "site",
            "id",
            "trace_id",
            "model",
            "temperature",
            "finish_reason",
            "stop_reason",
            "topic",
        ),
        *(
            "gold_answer",
            "correct_answers",
            "human_reference",
            "incorrect_answers",
            "expected",
        ),
        *(
            "passage",
            "scoreboard",
            "labelmaker",
            "gradient",
            "notebook",
            "latency_s",
            "tags",
        ),
    ],
)
def test_another_name_does_not(name):
    assert not names_verdict(name)


@pytest.mark.parametrize(
    ("value", "traits", "is_withheld"),
    [
        ("pass", BOOLEAN, True),
        (" Yes ", BOOLEAN, True),
        (True, BOOLEAN, True),
        (1, BOOLEAN, True),
        ("1", BOOLEAN, True),
        ("0,7", BOOLEAN, True),
        (4, BOOLEAN, False),
        (4, SCORE, True),
        ("4", SCORE, True),
        (6, SCORE, False),
        ("formal", LITERAL, True),
        ("Casual", LITERAL, True),
        ("neutral", LITERAL, False),
        (["yes", "no"], BOOLEAN, True),
        ("yes, as the question says", BOOLEAN, False),
        ("berlin", BOOLEAN, False),
    ],
)
def test_a_value_may_be_an_answer_to_the_trait(value, traits, is_withheld):
    found = without_verdicts({"anna": value, "site": "x"}, traits)
    assert ("anna" in found.withheld, "anna" not in found.visible) == (
        is_withheld,
        is_withheld,
    )
    assert found.visible["site"] == "x"


def test_a_field_with_the_name_of_the_trait_is_one():
    found = without_verdicts({"tone_check_by_ben": "odd", "tone": "odd"}, BOOLEAN)
    assert found.withheld == ["tone_check_by_ben"]


def test_of_a_table_only_what_may_be_a_verdict_is_left_out():
    run = {
        "seed": 99,
        "by": {"label": "x", "name": "gpt"},
        "parts": [{"score": 3}, {"text": "a"}],
    }
    found = without_verdicts(
        {"run": run, "text": json.dumps(run), "none": None},
        BOOLEAN,
    )
    left = {"seed": 99, "by": {"name": "gpt"}, "parts": [{"text": "a"}]}
    assert found.visible == {"run": left, "none": None}
    assert found.withheld == ["run", "text"]


@pytest.mark.parametrize(
    "value",
    [
        {"text": "a", "seen": None},
        {"text": "a", "parts": ["b", None]},
        [None],
        json.dumps({"text": "a", "seen": None}),
    ],
)
def test_a_null_is_no_verdict(value):
    found = without_verdicts({"run": value}, BOOLEAN)
    assert found == ({"run": value}, [])


def test_a_text_of_json_is_one_after_blanks_too():
    text = "\n  " + json.dumps({"verdict": "pass"}, indent=2)
    assert without_verdicts({"log": text}, BOOLEAN) == ({}, ["log"])
    assert PossibleVerdicts(BOOLEAN).may_hold_one("log", text)


@pytest.mark.parametrize(
    ("name", "value", "may_hold"),
    [
        ("log", json.dumps({"verdict": "pass"}), True),
        ("log", json.dumps({"text": "a"}), False),
        ("log", "{not JSON}", False),
        ("log", "pass", True),
        ("log", None, False),
        ("verdict", "a", True),
        ("verdict", None, True),
    ],
)
def test_a_query_looks_only_at_fields_that_may_hold_no_verdict(name, value, may_hold):
    assert PossibleVerdicts(BOOLEAN).may_hold_one(name, value) is may_hold


@pytest.mark.parametrize("depth", [450, 600, 900])
@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"a": inner}])
def test_a_value_that_is_nested_too_deeply_is_no_error(depth, wrap):
    value = {"verdict": "pass"}
    for _ in range(depth):
        value = wrap(value)
    assert without_verdicts({"log": value}, BOOLEAN).withheld == ["log"]


@pytest.mark.parametrize(
    ("opening", "closing", "depth"),
    [("[", "]", 100_000), ('{"a": ', "}", 700)],
)
def test_a_text_of_json_that_is_nested_too_deeply_is_left_out(opening, closing, depth):
    text = opening * depth + '"b"' + closing * depth
    assert without_verdicts({"log": text}, BOOLEAN).withheld == ["log"]


@given(
    st.dictionaries(
        st.text(),
        st.none() | st.text() | st.floats() | st.lists(st.text()),
    ),
)
def test_what_is_visible_is_there_as_it_was(metadata):
    found = without_verdicts(metadata, SCORE)
    assert found.visible.keys() <= metadata.keys()
    for name, value in metadata.items():
        assert (
            name in found.withheld
            or found.visible[name] is value
            or found.visible[name] == value
        )
