"""A null in another tool's file is no text: nothing in a trace or a verdict becomes "None"."""

import json
import re

import pytest
from foreign_files import taken
from msgspec.structs import replace

from appellate.interop import recognise
from appellate.interop.cell_values import as_written
from appellate.interop.table_map import map_of

NULLS = [
    ("inspect/security-guide.json", "version"),
    ("inspect/security-guide.json", "samples.*.id"),
    ("interop/deepeval/test_run_sample.json", "testCases.*.metricsData.*.name"),
    ("interop/factscore/InstructGPT.jsonl", "*.annotations.*.text"),
    (
        "interop/factscore/InstructGPT.jsonl",
        "*.annotations.*.human-atomic-facts.*.text",
    ),
    ("interop/handmade/langsmith_rows.jsonl", "*.feedback.*.key"),
    ("interop/langfuse/trace_langgraph.json", "trace.scores.*.name"),
    ("interop/llmbar/natural_gpt4_cot.json", "*.results.*.swap = False"),
    ("interop/llmbar/natural_gpt4_cot.json", "*.results.*.swap = False.winner"),
    ("interop/llmbar/natural_gpt4_cot.json", "*.results.*.swap = True.completion.*"),
    ("interop/lm_eval/samples_polymer_tg.jsonl", "*.doc_id"),
    ("interop/lm_eval/samples_polymer_tg.jsonl", "*.mae"),
    ("interop/lm_eval/samples_polymer_tg.jsonl", "*.target"),
    ("interop/mlflow/made_traces.jsonl", "*.info.assessments.*.assessment_name"),
    (
        "interop/mlflow/made_traces.jsonl",
        "*.info.assessments.*.feedback.error.error_message",
    ),
    ("interop/pandalm/testset-v1.json", "*.idx"),
    ("interop/pandalm/testset-v1.json", "*.cmp_key"),
    ("agents/tau_bench/airline.json", "*.task_id"),
    ("agents/who_and_when/algorithm_14.json", "mistake_agent"),
    ("agents/who_and_when/algorithm_14.json", "history.*.content"),
    (
        "karenina/results_v2.2.json",
        "shared_data.rubric_definition.llm_traits.*.classes",
    ),
]
ROWS = 3


def with_nulls(value, path):
    """Put null under a path of keys, where "*" is each member of a list; what lacks it stays."""
    key, *below = path
    if key == "*":
        keys = range(len(value or ()))
    elif isinstance(value, dict) and key in value:
        keys = [key]
    else:
        keys = []
    for one in keys:
        if below:
            with_nulls(value[one], below)
        else:
            value[one] = None


def nulled(source, keys):
    """The text of a file with nulls, of its first rows only if it is a list of rows."""
    text = source.read_text("utf-8")
    if source.suffix == ".jsonl":
        rows = [json.loads(line) for line in text.splitlines()[:ROWS]]
        with_nulls(rows, keys.split("."))
        return "".join(json.dumps(row) + "\n" for row in rows)
    document = json.loads(text)
    if isinstance(document, list):
        document = document[:ROWS]
    with_nulls(document, keys.split("."))
    return json.dumps(document)


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from (key, *texts(below))
    elif isinstance(value, list | tuple):
        for below in value:
            yield from texts(below)


@pytest.mark.parametrize(("name", "keys"), NULLS)
def test_a_null_becomes_no_text(shared, tmp_path, name, keys):
    path = tmp_path / (shared / "data" / name).name
    path.write_text(nulled(shared / "data" / name, keys), "utf-8")
    file = recognise.read([path])
    traces = list(file.traces())
    ids = [(trace.record["id"], trace.record.get("epoch", 1)) for trace in traces]
    assert len(set(ids)) == len(ids)
    said = [file.form, *file.notes(), *file.traits]
    for trace in traces:
        said += texts(trace.record)
        for verdict in (*trace.judged, *trace.people):
            said += [verdict.trait, verdict.reason]
            said += texts(verdict.value)
        said += [verdict.failed for verdict in trace.judged]
    assert [text for text in said if re.search(r"\bNone\b", text)] == []


def test_a_trait_of_classes_that_are_null_takes_those_of_the_verdicts(shared, tmp_path):
    name, keys = NULLS[-1]
    path = tmp_path / "results.json"
    path.write_text(nulled(shared / "data" / name, keys), "utf-8")
    assert recognise.read([path]).traits["tone"].table == {}


def test_a_run_of_tau_bench_whose_reward_is_null_has_no_verdict(shared, tmp_path):
    path = tmp_path / "airline.json"
    source = shared / "data/agents/tau_bench/airline.json"
    path.write_text(nulled(source, "*.reward"), "utf-8")
    traces = list(recognise.read([path]).traces())
    assert len(traces) == ROWS
    assert not any(trace.judged for trace in traces)


@pytest.mark.parametrize("value", [None, float("nan")])
@pytest.mark.parametrize("column", ["id", "question", "reference", "response", "model"])
def test_a_gap_in_a_data_frame_is_no_text(tmp_path, column, value):
    row = {"question": "Why?", "reference": "So.", "response": "Thus.", "model": "m"}
    rows = [{"id": f"t{no}", **row, "ok_score": no} for no in range(2)]
    rows[1][column] = value
    path = tmp_path / "frame.json"
    path.write_text(json.dumps(rows))
    _, trace = recognise.read([path]).traces()
    if column == "id":
        assert trace.record["id"] == "2"
    else:
        assert column not in trace.record


@pytest.mark.parametrize("value", [None, float("nan")])
def test_a_row_without_a_key_is_joined_to_none_that_says_so(tmp_path, value):
    answers = [
        {"id": "t1", "response": "Thus.", "ok_score": 1},
        {"id": value, "response": "So.", "ok_score": 2},
    ]
    people = [{"id": "t1", "anna": 1}, {"id": str(value), "anna": 3}]
    paths = [tmp_path / "answers.json", tmp_path / "people.json"]
    for path, rows in zip(paths, (answers, people), strict=True):
        path.write_text(json.dumps(rows))
    mapped = replace(map_of({"person.ok_score": "anna"}), join=("id",))
    _, unnamed = recognise.read(paths, mapped).traces()
    assert unnamed.people == []


@pytest.mark.parametrize("text", ["None", "n/a", "nan", ""])
def test_a_text_that_says_none_stays(text):
    assert as_written(text) == text


@pytest.mark.parametrize("value", [None, float("nan")])
def test_no_value_is_written_as_no_text(value):
    assert as_written(value) == ""


def test_a_trace_of_mlflow_or_langfuse_without_an_id_has_its_number(tmp_path):
    source = {"source_type": "LLM_JUDGE", "source_id": "j"}
    assessment = {"assessment_name": "S", "source": source, "feedback": {"value": True}}
    mlflow = {
        "info": {
            "trace_id": None,
            "response_preview": "Ada",
            "assessments": [assessment],
        },
    }
    score = {"name": "S", "value": 1, "dataType": "BOOLEAN", "source": "API"}
    trace = {"id": None, "projectId": "p", "output": "Ada", "scores": [score]}
    langfuse = {"trace": trace}
    for name, row in (("mlflow", mlflow), ("langfuse", langfuse)):
        folder = tmp_path / name
        folder.mkdir()
        path = folder / "rows.jsonl"
        path.write_text(json.dumps(row) + "\n" + json.dumps(row), "utf-8")
        with taken(folder, path) as found:
            traces = [found.workspace.traces.get(number) for number in (1, 2)]
        assert [trace.id for trace in traces] == ["1", "2"]
