"""Scores in a file of their own join the answers of another, by id."""

import json
from contextlib import suppress

import pytest
from foreign_files import counts, taken

from appellate.core.problem import Refused
from appellate.interop import recognise
from appellate.interop.rows import as_rows
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit

ANSWERS = [
    {
        "trace_id": "t1",
        "id": "o1",
        "input": "Who?",
        "output": "Ada",
        "type": "GENERATION",
    },
    {
        "trace_id": "t2",
        "id": "o2",
        "input": "When?",
        "output": "1843",
        "type": "GENERATION",
    },
]


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("scores_first", [False, True])
def test_langfuse_scores_are_verdicts_of_judge_and_people(
    shared,
    tmp_path,
    scores_first,
):
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
    answers = written(
        tmp_path / "a.jsonl",
        [{"id": "resp-1", "question": "Who?", "response": "I"}],
    )
    events = shared / "data/interop/handmade/otel_evaluation_event.jsonl"
    with taken(tmp_path, answers, events) as found:
        assert counts(found) == (1, 1, 0, 1, 0)


def test_scores_of_answers_that_are_not_there_are_left_out_and_counted(tmp_path):
    answers = written(tmp_path / "a.jsonl", ANSWERS)
    score = {
        "trace_id": "t1",
        "name": "tone",
        "data_type": "BOOLEAN",
        "source": "EVAL",
        "value": 1,
    }
    rows = [score, score | {"trace_id": "t9"}, score | {"data_type": "TEXT"}]
    scores = written(tmp_path / "s.jsonl", rows)
    file = recognise.read([answers, scores])
    assert file.lost == [
        "1 score of no answer in the other file",
        "1 row without a verdict",
    ]


def test_cells_of_csv_are_read_as_what_they_say(tmp_path):
    answers = written(tmp_path / "a.jsonl", ANSWERS)
    scores = tmp_path / "s.csv"
    heads = "trace_id,name,data_type,source,value,string_value"
    lines = ["t1,safe,BOOLEAN,EVAL,0,False", "t2,safe,BOOLEAN,EVAL,1,True"]
    scores.write_text("\n".join([heads, *lines]), "utf-8")
    values = [one.judged[0].value for one in recognise.read([answers, scores]).traces()]
    assert values == [False, True]


@pytest.mark.parametrize("value", ["", "None", "nan", None])
def test_a_yes_or_no_that_is_missing_is_no_no(tmp_path, value):
    answers = written(tmp_path / "a.jsonl", ANSWERS)
    score = {"trace_id": "t1", "name": "x", "data_type": "BOOLEAN", "source": "EVAL"}
    spoken = score | {"trace_id": "t2", "value": value, "string_value": "True"}
    scores = written(tmp_path / "s.jsonl", [score | {"value": value}, spoken])
    file = recognise.read([answers, scores])
    assert [[one.value for one in trace.judged] for trace in file.traces()] == [
        [],
        [True],
    ]
    assert file.lost == ["1 row without a verdict"]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("0,71", 0.71), ("80%", 0.8), ("4/5", 4), ("n/a", None), ("", None)],
)
@pytest.mark.parametrize("tool", ["langfuse", "phoenix", "OpenTelemetry"])
def test_scores_are_numbers_as_a_spreadsheet_writes_them(tmp_path, tool, cell, value):
    row = {
        "langfuse": {
            "trace_id": "t1",
            "name": "x",
            "data_type": "NUMERIC",
            "source": "EVAL",
        },
        "phoenix": {
            "span_id": "t1",
            "name": "x",
            "annotator_kind": "LLM",
            "result": {},
        },
        "OpenTelemetry": {"gen_ai.evaluation.name": "x", "gen_ai.response.id": "t1"},
    }[tool]
    if tool == "phoenix":
        row["result"]["score"] = cell
    else:
        row["value" if tool == "langfuse" else "gen_ai.evaluation.score.value"] = cell
    answers = written(tmp_path / "a.jsonl", ANSWERS)
    scores = written(tmp_path / "s.jsonl", [row])
    trace, _other = recognise.read([answers, scores]).traces()
    assert [one.value for one in trace.judged] == ([] if value is None else [value])


def test_scores_of_an_answer_that_nobody_got_failed(tmp_path):
    broken = ANSWERS[1] | {"project_id": "p", "output": None, "level": "ERROR"}
    answers = written(tmp_path / "a.jsonl", [ANSWERS[0] | {"project_id": "p"}, broken])
    score = {"name": "tone", "data_type": "BOOLEAN", "source": "EVAL", "value": 1}
    scores = written(
        tmp_path / "s.jsonl",
        [score | {"trace_id": name} for name in ("t1", "t2")],
    )
    with taken(tmp_path, answers, scores) as found:
        assert counts(found)[:3] == (2, 1, 1)
        assert (
            found.workspace.cell(2)[1].error.error
            == "There is no answer: the run failed"
        )


@pytest.mark.parametrize(
    "name",
    [
        "inspect/graded_qa_30x3.eval",
        "inspect/multi_scorer_14x2.json",
        "interop/mlflow/made_traces.jsonl",
        "interop/promptfoo/made_rated_human_v3.json",
    ],
)
def test_rows_that_were_exported_are_peoples_verdicts_again(shared, tmp_path, name):
    with taken(tmp_path, shared / "data" / name) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        for number in range(1, found.workspace.cells.count() + 1):
            with suppress(Refused):
                bench.sign_off(number)
        bench.save()
    audit = load_audit(bench.audit)
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(as_rows(audit)), "utf-8")
    again = tmp_path / "again"
    again.mkdir()
    with taken(again, shared / "data" / name, rows) as found:
        for one in audit.cells:
            if one.cell.signed:
                number = found.workspace.cells.number(*one.key)
                cell = found.workspace.cell(number)[1]
                assert cell.signed.by == one.cell.signed.by
                assert cell.labels == one.cell.labels


def test_two_files_with_answers_are_one(tmp_path):
    paths = [written(tmp_path / name, ANSWERS) for name in ("a.jsonl", "b.jsonl")]
    ids = [trace.record["id"] for trace in recognise.read(paths).traces()]
    assert len(set(ids)) == 2 * len(ANSWERS)


def test_what_is_noted_of_the_answers_is_noted_beside_their_scores(shared, tmp_path):
    answers = tmp_path / "answers.csv"
    answers.write_text("id,question,response\n,,\nresp-1,Who?,I\n", "utf-8")
    events = shared / "data/interop/handmade/otel_evaluation_event.jsonl"
    with taken(tmp_path, answers, events) as found:
        assert found.notes == ["left out: 1 blank row"]


@pytest.mark.parametrize("attributes", [5, True, "gen_ai.evaluation.name", ["x"]])
def test_attributes_that_are_no_table_are_a_column_like_any(tmp_path, attributes):
    rows = [
        {"id": "1", "response": "Ada", "attributes": attributes, "safe": "yes"},
        {"id": "2", "response": "Bob", "attributes": attributes, "safe": "no"},
    ]
    with taken(
        tmp_path,
        written(tmp_path / "x.jsonl", rows),
        verdict__S="safe",
    ) as found:
        assert counts(found)[:2] == (2, 2)


@pytest.mark.parametrize("epochs", [("1", "2"), ("1.0", "2.0")])
def test_a_score_in_csv_goes_to_its_epoch(tmp_path, epochs):
    answers = [{"id": "a", "epoch": epoch, "response": "Ada"} for epoch in (1, 2)]
    scores = tmp_path / "scores.csv"
    scores.write_text(
        "gen_ai.response.id,gen_ai.evaluation.name,gen_ai.evaluation.score.label,"
        "appellate.by,appellate.epoch\n"
        f"a,Safe,yes,ann,{epochs[0]}\na,Safe,no,ann,{epochs[1]}\na,Kind,yes,ann,\n",
        "utf-8",
    )
    path = written(tmp_path / "answers.jsonl", answers)
    traces = list(recognise.read([path, scores]).traces())
    values = [[(one.trait, one.value) for one in trace.people] for trace in traces]
    assert values == [
        [("Safe", "yes"), ("Kind", "yes")],
        [("Safe", "no"), ("Kind", "yes")],
    ]


@pytest.mark.parametrize("head", ["", "result."])
def test_annotations_of_phoenix_in_the_columns_of_a_data_frame(tmp_path, head):
    answers = [{"id": "s1", "response": "Ada"}, {"id": "s2", "response": "Bob"}]
    path = written(tmp_path / "answers.jsonl", answers)
    annotations = tmp_path / "annotations.csv"
    annotations.write_text(
        f"span_id,name,annotator_kind,identifier,{head}score,{head}label,"
        f"{head}explanation\n"
        "s1,Safe,HUMAN,nan,1.0,yes,It is\ns2,Safe,LLM,,0.0,no,\n"
        "s2,Tone,LLM,j,,good,\n",
        "utf-8",
    )
    first, second = recognise.read([path, annotations]).traces()
    (person,) = first.people
    assert (person.value, person.by, person.reason) == (1, "phoenix", "It is")
    judged = [(one.trait, one.value, one.judge) for one in second.judged]
    assert judged == [("Safe", 0, "phoenix"), ("Tone", "good", "j")]


def test_an_author_that_is_not_known_is_no_person_called_nan(tmp_path):
    path = written(tmp_path / "answers.jsonl", [{"id": "t1", "response": "Ada"}])
    score = {"trace_id": "t1", "name": "S", "data_type": "NUMERIC", "value": 3}
    score |= {"source": "ANNOTATION", "author_user_id": float("nan")}
    scores = written(tmp_path / "scores.jsonl", [score])
    (trace,) = recognise.read([path, scores]).traces()
    assert [person.by for person in trace.people] == ["langfuse"]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("is_wrapped", [True, False])
def test_scores_as_an_api_gives_them_join_answers(tmp_path, indent, count, is_wrapped):
    answers = [{"id": f"s{number}", "response": "Ada"} for number in range(count)]
    path = written(tmp_path / "answers.jsonl", answers)
    annotations = [
        {"id": "1", "span_id": f"s{number}", "name": "Safe", "annotator_kind": "HUMAN"}
        | {"result": {"score": number}}
        for number in range(count)
    ]
    document = annotations[0] if count == 1 else annotations
    if is_wrapped:
        document = {"data": annotations, "next_cursor": None}
    scores = tmp_path / "annotations.json"
    scores.write_text(json.dumps(document, indent=indent), "utf-8")
    for paths in ([path, scores], [scores, path]):
        traces = recognise.read(paths).traces()
        values = [[one.value for one in trace.people] for trace in traces]
        assert values == [[number] for number in range(count)]
