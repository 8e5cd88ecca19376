"""Tables of several files whose rows belong together by a key."""

import json
import math

import pytest
from msgspec.structs import replace

from appellate.core.problem import Unusable
from appellate.interop import recognise
from appellate.interop.table_map import map_of

ANSWERS = [{"_id": "a", "answer": "red"}, {"_id": "b", "answer": "blue"}]
LONG = [
    {"text_id": key, "criterion": criterion, "score": score}
    for key, scores in {"a": (1, 2), "b": (3, 4), "z": (5, 5)}.items()
    for criterion, score in zip(("Q0", "Q1"), scores, strict=True)
]
PEOPLE = [{"text_id": "a", "Q0": 1, "Q1": 3, "answer": "as people had it"}]


def written(folder, **files):
    paths = []
    for name, rows in files.items():
        path = folder / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        paths.append(path)
    return paths


def joined(paths, *keys, **mapped):
    entries = {name.replace("__", "."): column for name, column in mapped.items()}
    return recognise.read(paths, replace(map_of(entries), join=keys))


def test_a_long_table_has_a_trait_for_each_criterion(tmp_path):
    paths = written(tmp_path, long=LONG, answers=ANSWERS, people=PEOPLE)
    entries = {"verdict.*": "score", "person.*": "*"}
    file = recognise.read(paths, replace(map_of(entries), join=("_id", "text_id")))
    first, second = file.traces()
    assert [(one.trait, one.value) for one in first.judged] == [("Q0", 1), ("Q1", 2)]
    assert [(one.trait, one.value) for one in first.people] == [("Q0", 1), ("Q1", 3)]
    assert [one.value for one in second.judged] == [3, 4]
    assert second.people == []
    assert file.notes() == [
        "people.jsonl has nothing on 1 answer",
        "left out: 2 rows of long.jsonl on no answer of answers.jsonl",
    ]


def test_a_column_that_the_first_key_of_a_long_table_lacks_is_mapped(tmp_path):
    without_score = [{"text_id": "a", "criterion": name} for name in ("Q0", "Q1")]
    paths = written(tmp_path, answers=ANSWERS, long=[*without_score, *LONG[2:]])
    first, second = joined(paths, "_id", "text_id", **{"verdict.*": "score"}).traces()
    assert not [verdict for verdict in first.judged if not verdict.failed]
    assert [verdict.value for verdict in second.judged] == [3, 4]


def test_a_key_column_that_holds_only_nan_is_passed_over(tmp_path):
    people = [{"_id": math.nan, "text_id": "a", "Q0": 1}]
    paths = written(tmp_path, answers=ANSWERS, people=people)
    first, _ = joined(paths, "_id", "text_id", verdict__V="Q0").traces()
    assert [verdict.value for verdict in first.judged] == [1]


def test_a_column_that_two_files_have_is_kept_of_both(tmp_path):
    paths = written(tmp_path, answers=ANSWERS, people=PEOPLE)
    first, _ = joined(paths, "_id", "text_id", verdict__V="Q0").traces()
    assert first.record["response"] == "red"
    assert first.record["metadata"]["answer (people)"] == "as people had it"


def test_the_dialogues_of_llm_rubric_are_joined_to_people_and_judge(shared, tmp_path):
    folder = shared / "data/interop/llm_rubric"
    file = recognise.read(
        [
            folder / "real_data.json",
            folder / "human_judges_real_convs_FIXED_ANON.tsv",
            folder / "gpt-3.5-turbo-16k_real_evaluations_FIXED.tsv",
        ],
        replace(
            map_of({"verdict.*": "sample_llm", "person.*": "*"}),
            join=("_id", "text_id"),
        ),
    )
    traces = list(file.traces())
    assert len(traces) == 24
    assert sum(len(trace.judged) for trace in traces) == 216
    assert sum(len(trace.people) for trace in traces) == 216


def test_a_key_that_a_file_lacks_is_told_with_its_columns(tmp_path):
    paths = written(tmp_path, answers=ANSWERS, people=PEOPLE)
    with pytest.raises(
        Unusable,
        match=r'people.jsonl: no column is "_id"; the columns are "text_id"',
    ):
        joined(paths, "_id")


def test_rows_that_nothing_tells_apart_are_refused(tmp_path):
    paths = written(tmp_path, answers=ANSWERS, twice=[{"_id": "a", "score": 1}] * 2)
    with pytest.raises(
        Unusable,
        match='2 rows have the key "a"; a column, as a criterion',
    ):
        joined(paths, "_id")


def test_each_criterion_is_asked_for_only_of_a_long_table(tmp_path):
    paths = written(tmp_path, answers=ANSWERS, people=PEOPLE)
    with pytest.raises(Unusable, match='"\\*" is each criterion of a long table'):
        joined(paths, "_id", "text_id", **{"verdict__*": "Q0"})


def test_what_is_no_table_cannot_be_joined(shared, tmp_path):
    (path,) = written(tmp_path, answers=ANSWERS)
    log = shared / "data/inspect/graded_qa_30x3.eval"
    with pytest.raises(Unusable, match="--join goes with tables"):
        joined([path, log], "id")


def test_what_a_file_lacks_of_an_answer_is_no_verdict(tmp_path):
    paths = written(tmp_path, answers=ANSWERS, people=PEOPLE)
    _, second = joined(paths, "_id", "text_id", verdict__V="Q0").traces()
    assert second.judged[0].failed == "There is no verdict here."


def test_a_persons_column_keeps_its_name_where_another_person_said_nothing(tmp_path):
    labels = {
        "anna": [{"_id": "a", "label": "yes"}],
        "ben": [{"_id": "a", "label": "no"}, {"_id": "b", "label": "no"}],
        "eva": [{"_id": "b", "label": "yes"}],
    }
    paths = written(tmp_path, answers=ANSWERS)
    for person, rows in labels.items():
        folder = tmp_path / person
        folder.mkdir()
        paths += written(folder, labels=rows)
    people = "label|label (labels)|label (labels) (2)"
    first, second = joined(paths, "_id", person__V=people).traces()
    assert [(one.by, one.value) for one in first.people] == [
        ("label", "yes"),
        ("label (labels)", "no"),
    ]
    assert [(one.by, one.value) for one in second.people] == [
        ("label (labels)", "no"),
        ("label (labels) (2)", "yes"),
    ]
