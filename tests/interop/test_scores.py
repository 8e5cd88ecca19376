"""Scores in a file of their own join the answers of another, by id."""

import json

import pytest
from foreign_files import counts, taken

from appellate.core.problem import Unusable
from appellate.interop import recognise

ANSWERS = [
    {"trace_id": "t1", "id": "o1", "input": "Who?", "output": "Ada", "type": "GENERATION"},
    {"trace_id": "t2", "id": "o2", "input": "When?", "output": "1843", "type": "GENERATION"},
]


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("scores_first", [False, True])
def test_langfuse_scores_are_verdicts_of_judge_and_people(shared, tmp_path, scores_first):
    answers = written(tmp_path / "observations.jsonl", ANSWERS)
    scores = shared / "data/interop/handmade/langfuse_scores_blob_export.jsonl"
    paths = [answers, scores]
    with taken(tmp_path, *(paths[::-1] if scores_first else paths)) as found:
        assert counts(found) == (2, 2, 0, 1, 1)
        assert [known.trait.name for known in found.traits] == ["correctness", "tone"]


def test_phoenix_annotations_join_spans(shared, tmp_path):
    span = {
        "context": {"span_id": "67f6740bbe1ddc3f"},
        "attributes": {"input": {"value": "Who wrote it?"}, "output": {"value": "Ada"}},
    }
    spans = written(tmp_path / "spans.jsonl", [span])
    annotations = shared / "data/interop/handmade/phoenix_annotations.jsonl"
    with taken(tmp_path, spans, annotations) as found:
        assert counts(found) == (1, 1, 0, 1, 1)


def test_events_of_opentelemetry_join_responses(shared, tmp_path):
    answers = written(tmp_path / "a.jsonl", [{"id": "resp-1", "question": "Who?", "response": "I"}])
    events = shared / "data/interop/handmade/otel_evaluation_event.jsonl"
    with taken(tmp_path, answers, events) as found:
        assert counts(found) == (1, 1, 0, 1, 0)


def test_scores_of_answers_that_are_not_there_are_left_out_and_counted(tmp_path):
    answers = written(tmp_path / "a.jsonl", ANSWERS)
    score = {"trace_id": "t1", "name": "tone", "data_type": "BOOLEAN", "source": "EVAL", "value": 1}
    rows = [score, score | {"trace_id": "t9"}, score | {"data_type": "TEXT"}]
    scores = written(tmp_path / "s.jsonl", rows)
    file = recognise.read([answers, scores])
    assert file.lost == ["1 score of no answer in the other file", "1 row without a verdict"]


def test_cells_of_csv_are_read_as_what_they_say(tmp_path):
    answers = written(tmp_path / "a.jsonl", ANSWERS)
    scores = tmp_path / "s.csv"
    heads = "trace_id,name,data_type,source,value,string_value"
    lines = ["t1,safe,BOOLEAN,EVAL,0,False", "t2,safe,BOOLEAN,EVAL,1,True"]
    scores.write_text("\n".join([heads, *lines]), "utf-8")
    values = [one.judged[0].value for one in recognise.read([answers, scores]).traces()]
    assert values == [False, True]


def test_two_files_with_answers_are_refused(tmp_path):
    paths = [written(tmp_path / name, ANSWERS) for name in ("a.jsonl", "b.jsonl")]
    with pytest.raises(Unusable, match="several files of other tools at once"):
        recognise.read(paths)
