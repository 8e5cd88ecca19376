"""Several files of answers in one audit."""

import json

import pytest
from foreign_files import taken

from appellate.core.problem import Unusable
from appellate.interop import recognise


def samples(path, *answers, model=None):
    rows = []
    for number, answer in enumerate(answers):
        row = {"id": str(number), "answer": answer, "safe": "yes"}
        rows.append(row | ({"model": model} if model else {}))
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_a_log_for_each_model_keeps_its_ids_with_the_model_behind_them(tmp_path):
    paths = [
        samples(tmp_path / "a.jsonl", "red", "blue", model="gpt"),
        samples(tmp_path / "b.jsonl", "green", model="claude"),
        samples(tmp_path / "c.jsonl", "grey"),
    ]
    with taken(tmp_path, *paths, verdict__V="safe") as found:
        traces = [
            found.workspace.traces.get(number) for number in range(1, found.traces + 1)
        ]
        assert [trace.id for trace in traces] == ["0", "1", "0 (claude)", "0 (c)"]
        assert found.notes == [
            "2 files have ids of an earlier one: the model, or the file, is behind them",
        ]


def test_traces_of_langfuse_are_one_audit(shared, tmp_path):
    folder = shared / "data/interop/langfuse"
    paths = [folder / "trace_langgraph.json", folder / "trace_openai_agents.json"]
    with taken(tmp_path, *paths) as found:
        assert (found.traces, found.verdicts) == (2, 4)


def test_runs_of_who_and_when_are_one_audit_and_said_once(shared, tmp_path):
    paths = sorted((shared / "data/agents/who_and_when").iterdir())
    with taken(tmp_path, *paths) as found:
        assert (found.traces, found.people) == (8, 16)
        assert len(set(found.notes)) == len(found.notes)


def test_scores_of_several_files_join_answers_of_several(tmp_path):
    answers = {"project_id": "p", "input": "Why?", "output": "So."}
    score = {"name": "good", "data_type": "NUMERIC", "source": "API", "value": 1}
    paths = []
    for name in ("a", "b"):
        part = tmp_path / f"observations_{name}.jsonl"
        part.write_text(json.dumps({"id": name, "trace_id": f"t{name}", **answers}))
        scores = tmp_path / f"scores_{name}.jsonl"
        scores.write_text(
            json.dumps({"trace_id": f"t{name}", "observation_id": name, **score}),
        )
        paths += [part, scores]
    with taken(tmp_path, *paths) as found:
        assert (found.traces, found.verdicts) == (2, 2)


def test_a_row_without_an_answer_is_named_with_its_own_file(tmp_path):
    first = samples(tmp_path / "a.jsonl", "red", "blue")
    second = samples(tmp_path / "b.jsonl", "green", None)
    traces = list(recognise.read([first, second]).traces())
    assert [(trace.file, trace.row) for trace in traces[-2:]] == [
        (str(second), 1),
        (str(second), 2),
    ]


def test_later_epochs_of_an_id_that_was_changed_go_with_it(tmp_path):
    paths = []
    for name, epochs in (("a", (1,)), ("b", (1, 2))):
        rows = [
            {"id": "17", "epoch": epoch, "answer": f"{name}{epoch}", "safe": "yes"}
            for epoch in epochs
        ]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("\n".join(map(json.dumps, rows)))
    with taken(tmp_path, *paths, verdict__V="safe") as found:
        keys = [found.workspace.traces.get(number).key for number in (1, 2, 3)]
    assert keys == [("17", 1), ("17 (b)", 1), ("17 (b)", 2)]


def test_epochs_in_files_of_their_own_are_of_one_answer(tmp_path):
    paths = []
    for epoch in (1, 2):
        row = {"id": "17", "epoch": epoch, "answer": "red", "safe": "yes"}
        paths.append(tmp_path / f"{epoch}.json")
        paths[-1].write_text(json.dumps([row]))
    with taken(tmp_path, *paths, verdict__V="safe") as found:
        keys = [found.workspace.traces.get(number).key for number in (1, 2)]
    assert keys == [("17", 1), ("17", 2)]


def test_what_is_malformed_is_named_by_its_own_file_and_row(tmp_path):
    wrong = {
        "data": {"text": "So."},
        "annotations": [{"result": [{"type": "choices"}]}],
    }
    task = json.dumps({**wrong, "id": 1})
    wrong["annotations"][0]["result"][0]["value"] = {"choices": 5}
    sound, broken, late = (tmp_path / f"{name}.jsonl" for name in "abc")
    sound.write_text(f"{task}\n{task}")
    broken.write_text(json.dumps(wrong) + f"\n{task}")
    late.write_text(f"{task}\n" * 300 + json.dumps(wrong))
    for paths in ([broken, sound], [sound, broken]):
        with pytest.raises(Unusable) as error:
            list(recognise.read(paths).traces())
        assert str(error.value).startswith(f"{broken}: ")
    with pytest.raises(Unusable) as error:
        list(recognise.read([sound, late]).traces())
    assert str(error.value).startswith(f"{late}: row 301 ")
