"""Which column a refusal names: never one that holds something else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.problem import Unusable
from appellate.interop import recognise
from appellate.interop.column_advice import (
    COLUMN,
    likely_id,
    likely_response,
    likely_verdict,
)
from appellate.interop.table_map import map_of
from appellate.interop.taking_in import examined

Q = "What is the half-life of warfarin, and how does it interact with food and drink? "
A = "Its half-life is 40 hours, and "
YES_NO = ["yes", "no", "yes"]


def texts(beginning):
    return [f"{beginning}{number}" for number in range(3)]


RESPONSES = {
    "the question is longer": (
        {"id": [1, 2, 3], "question": texts(Q * 2), "bot_says": texts(A)},
        "bot_says",
    ),
    "ids alone": (
        {"conversation_id": texts("9f8a7b6c5d4e"), "turn_id": texts("t")},
        COLUMN,
    ),
    "a long reference": (
        {"prompt": texts("p"), "gold_answer": texts(Q * 3), "sys_text": texts(A)},
        "sys_text",
    ),
    "two answers": (
        {"question": texts("q"), "response_a": texts(A), "response_b": texts(Q)},
        COLUMN,
    ),
    "two outputs": (
        {"input": texts("q"), "output_1": texts(A), "output_2": texts(Q)},
        COLUMN,
    ),
    "two responses, some numbers": (
        {"input": texts("q"), "response1": ["1", "b", 2], "response2": texts(A)},
        COLUMN,
    ),
    "MT-bench": (
        {"user_prompt": texts(Q), "judgment": texts(Q), "score": [1, 2, 3]},
        COLUMN,
    ),
    "steps of a chat": (
        {"role": ["user"] * 3, "name": ["x"] * 3, "content": texts(A)},
        COLUMN,
    ),
    "steps of an agent": (
        {"step_id": [1, 2, 3], "source": ["a"] * 3, "message": texts(A)},
        COLUMN,
    ),
    "a judge's words": (
        {"question": texts("q"), "explanation": texts(Q), "llm_text": texts(A)},
        "llm_text",
    ),
    "a person's words": (
        {"input": texts("q"), "annotator_comment": texts(Q), "generated": texts(A)},
        "generated",
    ),
    "a human's answer": ({"question": texts("q"), "human_response": texts(A)}, COLUMN),
    "a target": ({"id": texts("x"), "target": YES_NO, "predicate": ["eq"] * 3}, COLUMN),
    "the name of a system": (
        {"text_id": texts("t"), "dialogue_system": ["a", "a", "a"]},
        COLUMN,
    ),
    "a spelling": ({"id": [1, 2, 3], "respons": texts("a")}, "respons"),
    "another language": (
        {"question": texts("q"), "antwort": texts(A), "urteil": YES_NO},
        "antwort",
    ),
    "columns of pandas": (
        {"columns": [["a"]], "index": [[0]], "data": [[["x"]]]},
        COLUMN,
    ),
}
VERDICTS = {
    "a person before the judge": ({"human_label": YES_NO, "judge": YES_NO}, "judge"),
    "a person alone": ({"human_label": YES_NO}, COLUMN),
    "gold": ({"gold_score": [1, 2, 3], "llm_rating": [1, 2, 3]}, "llm_rating"),
    "none": ({"id": [1, 2, 3], "topic": YES_NO}, COLUMN),
    "a label of prompts": (
        {"prompt_label": YES_NO, "verdict_gpt4": YES_NO},
        "verdict_gpt4",
    ),
    "a score of references": ({"reference_score": [1, 2, 3], "eval": YES_NO}, "eval"),
    "an expert": (
        {"expert_rating": [1, 2, 3], "model": ["m"] * 3, "split": ["test"] * 3},
        COLUMN,
    ),
    "the correct answer": (
        {"correct_answer": ["42"] * 3, "auto_correct": YES_NO},
        "auto_correct",
    ),
    "XSTest": (
        {
            "annotation_1": YES_NO,
            "agreement": ["1"] * 3,
            "final_label": YES_NO,
            "gpt4_label": YES_NO,
        },
        "gpt4_label",
    ),
    "reasons": ({"judge_reason": texts("because"), "grade": [1, 2, 3]}, "grade"),
    "an id of a label": ({"label_id": [1, 2, 3], "score": [1, 2, 3]}, "score"),
    "the name of a judge": ({"judge_model": ["gpt"] * 3, "score": [1, 2, 3]}, "score"),
    "long texts": ({"verdict": texts(Q * 3)}, COLUMN),
}


@pytest.mark.parametrize(("values", "column"), RESPONSES.values(), ids=RESPONSES)
def test_a_response_is_named_only_if_its_name_speaks_for_it(values, column):
    assert likely_response(values, ()) == column


@pytest.mark.parametrize(("values", "column"), VERDICTS.values(), ids=VERDICTS)
def test_a_verdict_is_a_judges(values, column):
    assert likely_verdict(values, ()) == column


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ({"question": texts("q"), "label": YES_NO}, None),
        ({"expected": texts("e"), "uid": texts("u")}, "uid"),
        ({"human_score": [1, 2, 3]}, None),
        ({"run": texts("r"), "x": [1, 2, 3]}, "run"),
        ({"run": ["a", "a", "b"]}, None),
        ({"prompt_key": texts("k")}, None),
    ],
)
def test_an_id_differs_in_every_row_and_is_called_one(values, column):
    assert likely_id(values, (), 3) == column


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "question",
                "human_label",
                "gold",
                "reference",
                "prompt",
                "id",
                "expected",
            ],
        )
        | st.text(max_size=5),
        st.lists(
            st.text() | st.integers() | st.none() | st.lists(st.text()),
            max_size=4,
        ),
    ),
)
def test_no_table_has_a_known_or_a_human_column_named_as_another(values):
    known = {"question", "human_label", "gold", "reference", "prompt", "id", "expected"}
    assert likely_response(values, ()) not in known
    assert likely_verdict(values, ()) not in known


def written(tmp_path, rows):
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def late(**columns):
    """300 rows, of which the last 50 have these columns as well."""
    rows = [{"id": number, "response": "text", "label": "yes"} for number in range(300)]
    for row in rows[250:]:
        row.update(columns)
    return rows


def test_a_column_of_verdicts_may_begin_after_the_first_rows(tmp_path):
    path = written(tmp_path, late(judged="pass"))
    taken = examined([path], map_of({"verdict.X": "judged"})).imported
    assert (taken.verdicts, taken.failed) == (50, 250)


@pytest.mark.parametrize("name", ["question", "reference", "model"])
def test_a_column_of_a_field_may_begin_after_the_first_rows(tmp_path, name):
    path = written(tmp_path, late(**{name: "told late"}))
    records = [
        trace.record
        for trace in recognise.read([path], map_of({"verdict.X": "label"})).traces()
    ]
    assert [name in record for record in records] == [False] * 250 + [True] * 50
    assert not any(
        "metadata" in record and name in record["metadata"] for record in records
    )


def test_a_response_that_begins_after_the_first_rows_is_found(tmp_path):
    rows = late()
    for row in rows[:250]:
        del row["response"]
    file = recognise.read([written(tmp_path, rows)], map_of({"verdict.X": "label"}))
    assert file.mapping["response"] == "response"


def test_a_refusal_names_columns_that_begin_after_the_first_rows(tmp_path):
    rows = [{key: row[key] for key in ("id", "response")} for row in late()]
    rows[-1]["judge"] = "pass"
    with pytest.raises(Unusable) as refusal:
        examined([written(tmp_path, rows)])
    text = str(refusal.value.problems[0])
    assert '"id", "response", "judge"' in text
    assert "--map verdict.Verdict=judge" in text


def test_a_column_that_no_row_of_a_long_file_has_is_refused(tmp_path):
    with pytest.raises(Unusable, match='no row has "judge"'):
        recognise.read([written(tmp_path, late())], map_of({"verdict.X": "judge"}))
