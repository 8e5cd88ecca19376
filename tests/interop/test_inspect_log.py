"""Inspect logs: without inspect_ai, and given back by its own functions."""

import json
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from foreign_files import taken
from msgspec.structs import replace

from appellate.core.deciding import Correct
from appellate.core.kind import Span
from appellate.core.problem import Unusable
from appellate.interop import inspect_log, recognise
from appellate.interop.ruled import ruled_cells
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit


@pytest.fixture
def logs(shared):
    return shared / "data/inspect"


def test_zstd_and_json_of_one_run_say_the_same(logs):
    packed, plain = (
        list(recognise.read([logs / f"multi_scorer_14x2.{ending}"]).traces())
        for ending in ("eval", "json")
    )
    by_key = {(one.record["id"], one.record["epoch"]): one.judged for one in plain}
    assert len(by_key) == len(packed) == 28
    for one in packed:
        said = {
            verdict.trait: (verdict.value, verdict.failed) for verdict in one.judged
        }
        other = by_key[one.record["id"], one.record["epoch"]]
        assert {
            verdict.trait: (verdict.value, verdict.failed) for verdict in other
        } == said


def test_letters_stay_letters_where_some_are_unscored(logs, tmp_path):
    with taken(tmp_path, logs / "graded_qa_30x3.eval") as found:
        (known,) = found.traits
    assert known.trait.scorer == "model_graded_qa"
    assert known.trait.is_letter


def test_words_of_a_scorer_are_yes_or_no_and_pictures_no_lines(logs, tmp_path):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    log["eval"]["scorers"] = [{"name": "safety"}]
    for sample, word in zip(log["samples"], ("safe", "unsafe", "safe"), strict=True):
        sample["scores"] = {"safety": {"value": word}}
    parts = [{"type": "text", "text": "Is it?"}, {"type": "image", "image": "x.png"}]
    log["samples"][0]["input"] = [{"role": "user", "content": parts}]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(log), "utf-8")
    with taken(tmp_path, path) as found:
        assert (found.verdicts, found.failed) == (3, 0)
        assert found.traits[0].trait.kind == "boolean"
        assert found.workspace.cell(1)[0].question == "Is it?"


def test_a_persons_edit_comes_in_beside_the_scorers_own_value(logs, tmp_path):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    score = log["samples"][0]["scores"]["model_graded_fact"]
    said = {"author": "eva", "reason": "misread", "timestamp": "2026-11-20T10:00:00Z"}
    first = {key: score[key] for key in ("value", "answer", "explanation")}
    edit = {
        "value": "I",
        "answer": "UNCHANGED",
        "explanation": "UNCHANGED",
        "provenance": said,
    }
    score |= {"value": "I", "history": [first, edit]}
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(log), "utf-8")
    trace = next(recognise.read([path]).traces())
    assert [one.value for one in trace.judged] == ["C"]
    assert [(one.value, one.by, one.reason) for one in trace.people] == [
        ("I", "eva", "misread"),
    ]


def test_texts_that_are_kept_apart_are_put_in_place(logs, tmp_path):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    sample = log["samples"][0]
    sample["attachments"] = {"abc": "a long question"}
    sample["input"] = "attachment://abc"
    path = tmp_path / "attached.json"
    path.write_text(json.dumps(log), "utf-8")
    assert next(recognise.read([path]).traces()).record["question"] == "a long question"


@pytest.mark.parametrize("words", [" \n", "", None])
def test_a_sample_that_failed_without_words_has_no_reason(logs, tmp_path, words):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    sample = log["samples"][0]
    sample["error"] = {"message": words}
    sample["scores"] = {}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(log), "utf-8")
    first = next(recognise.read([path]).traces())
    reasons = {verdict.failed for verdict in first.judged}
    assert reasons == {"The sample failed: no reason"}


def test_a_log_that_is_not_finished_is_refused(logs, tmp_path):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    path = tmp_path / "started.json"
    path.write_text(json.dumps(log | {"status": "started"}), "utf-8")
    with pytest.raises(Unusable, match="still being written"):
        recognise.read([path])
    bare = tmp_path / "bare.eval"
    with zipfile.ZipFile(bare, "w") as file:
        file.writestr("samples/a_epoch_1.json", "{}")
    with pytest.raises(Unusable, match="it has no header"):
        recognise.read([bare])


def signed(found, folder: Path, value="C"):
    """Two cells that ada signed off, one against the scorer."""
    bench = Workbench(found.workspace, folder / "x.audit.toml", "ada")
    kind = bench.open(1)[1].subject.kind
    bench.do(
        1,
        Correct(
            kind.edit({"action": "overrule", "value": value}),
            "the grader misread it",
        ),
    )
    bench.sign_off(1)
    bench.sign_off(2)
    bench.save()
    return list(ruled_cells(load_audit(bench.audit)))


def test_what_people_ruled_goes_back_as_precomputed_scores(logs, tmp_path):
    with taken(tmp_path, logs / "graded_qa_30x3.eval") as found:
        rows = [
            json.loads(line)
            for line in inspect_log.precomputed(signed(found, tmp_path))
        ]
    assert rows[0]["id"] == "qa-001"
    assert rows[0]["value"] == "C"
    assert rows[0]["metadata"]["judge"] == "I"
    assert rows[0]["explanation"] == "the grader misread it"


def test_scorers_whose_names_are_one_file_name_have_a_file_each(logs, tmp_path):
    with taken(tmp_path, logs / "graded_qa_30x3.eval") as found:
        one, two = signed(found, tmp_path)
    cells = [replace(one, trait="a b"), replace(two, trait="A/b")]
    files, _ = inspect_log.by_scorer(cells, "scores.jsonl")
    assert {name: len(list(lines)) for name, lines in files.items()} == {
        "scores-a-b.jsonl": 1,
        "scores-A-b-2.jsonl": 1,
    }


def test_the_scorers_reason_is_not_given_for_another_value(logs, tmp_path):
    with taken(tmp_path, logs / "graded_qa_30x3.eval") as found:
        cells = [replace(cell, reasons=()) for cell in signed(found, tmp_path)]
    one, two = (json.loads(line) for line in inspect_log.precomputed(cells))
    assert one["explanation"] == ""
    assert two["explanation"] == cells[1].judge_reason != ""


def test_a_persons_edit_of_a_dictionary_or_list_comes_in(logs, tmp_path):
    log = json.loads((logs / "multi_scorer_14x2.json").read_text("utf-8"))
    said = {"provenance": {"author": "eva", "reason": "misread"}}
    by_name = log["samples"][0]["scores"]
    before = by_name["rubric_dict"]["value"]
    after = before | {"style": "I"}
    by_name["rubric_dict"]["history"] = [{"value": before}, {"value": after} | said]
    for sample in log["samples"]:
        if sample["scores"]:
            sample["scores"]["pair"] = {"value": [0, 1]}
    by_name["pair"]["history"] = [{"value": [0, 1]}, {"value": [1, 1]} | said]
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(log), "utf-8")
    with taken(tmp_path, path) as found:
        assert found.people == 2
        for name, value in {
            "rubric_dict": after,
            "pair": {"value_1": 1, "value_2": 1},
        }.items():
            number = found.workspace.cells.of_trace(1)[name]
            cell = found.workspace.cell(number)[1]
            assert (cell.signed.by, cell.labels.standing.values) == ("eva", value)


@pytest.mark.slow
def test_inspect_itself_reads_the_edits_their_authors_and_reasons(logs, tmp_path):
    log = pytest.importorskip(
        "inspect_ai.log",
        reason="the extra inspect is not installed",
    )
    source, target = logs / "graded_qa_30x3.eval", tmp_path / "reviewed.eval"
    with taken(tmp_path, source) as found:
        cells = signed(found, tmp_path)
    assert inspect_log.edited(source, cells, target)[0] == 2
    score = log.read_eval_log(str(target)).samples[0].scores["model_graded_qa"]
    assert score.value == "C"
    assert [one.value for one in score.history] == ["I", "C"]
    assert score.history[-1].provenance.author == "ada"
    assert score.history[-1].provenance.reason == "the grader misread it"


@pytest.mark.slow
def test_inspect_keeps_the_places_of_evidence_with_the_edit(logs, tmp_path):
    log = pytest.importorskip(
        "inspect_ai.log",
        reason="the extra inspect is not installed",
    )
    source, target = logs / "graded_qa_30x3.eval", tmp_path / "reviewed.eval"
    with taken(tmp_path, source) as found:
        cells = []
        for cell in signed(found, tmp_path):
            trait = cell.subject.trait.model_copy(update={"reads": "conversation"})
            subject = replace(cell.subject, trait=trait)
            start = subject.transcript.steps[-1].start
            cells.append(replace(cell, subject=subject, spans=[Span(start, start + 3)]))
    inspect_log.edited(source, cells, target)
    score = log.read_eval_log(str(target)).samples[0].scores["model_graded_qa"]
    assert score.history[-1].provenance.metadata == {"evidence": cells[0].evidence}
    assert cells[0].evidence[0]["step"] == len(cells[0].subject.transcript.steps)


@pytest.fixture
def inspects_log():
    return pytest.importorskip(
        "inspect_ai.log",
        reason="the extra inspect is not installed",
    )


@pytest.mark.slow
def test_the_metrics_of_a_new_log_are_those_of_its_scores(logs, tmp_path, inspects_log):
    source, target = logs / "graded_qa_30x3.eval", tmp_path / "reviewed.eval"
    with taken(tmp_path, source) as found:
        cells = signed(found, tmp_path)
    assert inspect_log.edited(source, cells, target) == (2, "nothing")
    before, after = (inspects_log.read_eval_log(str(path)) for path in (source, target))
    accuracy = [
        log.results.scores[0].metrics["accuracy"].value for log in (before, after)
    ]
    assert accuracy[1] - accuracy[0] == pytest.approx(1 / 30 / 3)
    assert after.eval.task_file == before.eval.task_file


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["mine", "of_somebody/mine"])
def test_no_code_that_a_log_names_is_run_for_its_metrics(
    logs,
    tmp_path,
    inspects_log,
    metric,
):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    task = tmp_path / "task.py"
    task.write_text(
        "open('ran', 'w')\nfrom inspect_ai import task\n@task\ndef t(): ...\n",
        "utf-8",
    )
    log["eval"]["task_file"] = str(task)
    log["eval"]["scorers"][0]["metrics"] = [{"name": metric}]
    source, target = tmp_path / "log.json", tmp_path / "reviewed.json"
    source.write_text(json.dumps(log), "utf-8")
    with taken(tmp_path, source) as found:
        cells = signed(found, tmp_path, "I")
    count, lost = inspect_log.edited(source, cells, target)
    assert (count, lost.partition(":")[0]) == (2, "metrics of the new scores")
    assert not Path("ran").exists()
    old, new = (
        json.loads(path.read_text("utf-8"))["results"] for path in (source, target)
    )
    assert [one["metrics"] for one in new["scores"]] == [
        one["metrics"] for one in old["scores"]
    ]


@pytest.mark.slow
def test_edits_that_came_with_a_log_are_not_made_again(logs, tmp_path, inspects_log):
    log = json.loads((logs / "multi_scorer_14x2.json").read_text("utf-8"))
    said = {"provenance": {"author": "eva", "timestamp": "2026-01-01T00:00:00Z"}}
    for sample in log["samples"]:
        if sample["scores"]:
            sample["scores"]["pair"] = {"value": [0, 1]}
    pair = log["samples"][0]["scores"]["pair"]
    pair |= {"value": [1, 1], "history": [{"value": [0, 1]}, {"value": [1, 1]} | said]}
    source, target = tmp_path / "edited.json", tmp_path / "reviewed.json"
    source.write_text(json.dumps(log), "utf-8")
    with taken(tmp_path, source) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        bench.sign_off(found.workspace.cells.of_trace(2)["pair"])
        bench.save()
        cells = list(ruled_cells(load_audit(bench.audit)))
    assert inspect_log.edited(source, cells, target)[0] == 1
    samples = inspects_log.read_eval_log(str(target)).samples
    assert len(samples[0].scores["pair"].history) == 2
    assert samples[1].scores["pair"].value == [0, 1]


@pytest.mark.slow
def test_a_ruling_on_a_sample_without_scores_becomes_a_score(
    logs,
    tmp_path,
    inspects_log,
):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    log["samples"][0]["scores"] = None
    source, target = tmp_path / "log.json", tmp_path / "reviewed.json"
    source.write_text(json.dumps(log), "utf-8")
    with taken(tmp_path, source) as found:
        cells = signed(found, tmp_path, "I")
    inspect_log.edited(source, cells, target)
    (score,) = inspects_log.read_eval_log(str(target)).samples[0].scores.values()
    assert score.value == "I"


def test_a_part_of_a_message_that_has_no_text_is_no_word(logs, tmp_path):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    parts = [{"type": "text", "text": text} for text in ("Yes.", None, "Or no.")]
    log["samples"][0]["output"] = {"choices": [{"message": {"content": parts}}]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), "utf-8")
    with taken(tmp_path, path) as found:
        assert found.workspace.cell(1)[0].response == "Yes.\nOr no."


def test_every_edit_comes_in_with_its_author(logs, tmp_path):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    score = log["samples"][0]["scores"]["model_graded_fact"]
    edits = [{"value": "I", "provenance": {"author": "eva", "reason": "misread"}}]
    edits.append(
        {"value": "C", "provenance": {"author": "tom", "reason": "no, it is right"}},
    )
    score["history"] = [{"value": "C", "explanation": "the grader's"}, *edits]
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(log), "utf-8")
    trace = next(recognise.read([path]).traces())
    assert [(one.value, one.by) for one in trace.people] == [("I", "eva"), ("C", "tom")]
    with taken(tmp_path, path) as found:
        cell = found.workspace.cell(1)[1]
    assert (cell.signed.by, cell.labels.standing.value) == ("tom", "C")
    assert [one.by for one in cell.facts if one.is_act] == ["eva", "eva", "tom", "tom"]


def test_scouts_csv_names_samples_by_their_uuid(logs, tmp_path):
    with taken(tmp_path, logs / "graded_qa_30x3.eval") as found:
        cells = signed(found, tmp_path)
    head, one, two = "".join(inspect_log.validation(cells)).splitlines()
    assert head == "id,target"
    assert one == f"{cells[0].trace.metadata['uuid']},C"
    assert cells[0].trace.metadata["uuid"] not in two


def test_what_a_scorer_extracted_comes_in_where_it_is_not_all_of_the_response(
    logs,
    tmp_path,
):
    log = json.loads((logs / "security-guide.json").read_text("utf-8"))
    one, two, _ = log["samples"]
    said = [
        sample["output"]["choices"][0]["message"]["content"] for sample in (one, two)
    ]
    words = said[0].split()[:3]
    one["scores"]["model_graded_fact"]["answer"] = " ".join(words)
    two["scores"]["model_graded_fact"]["answer"] = said[1].upper()
    path = tmp_path / "x.json"
    path.write_text(json.dumps(log), "utf-8")
    with taken(tmp_path, path) as found:
        answers = [
            found.workspace.cell(number)[1].labels.standing.answer for number in (1, 2)
        ]
    assert answers == [" ".join(words), ""]


@pytest.mark.parametrize("value", ["I", "N", 0, False])
def test_a_grade_that_was_not_found_is_a_failure_and_no_wrong_answer(
    logs,
    tmp_path,
    value,
):
    log = json.loads((logs / "multi_scorer_14x2.json").read_text("utf-8"))
    for sample in log["samples"]:
        sample["scores"] = {
            "grader": {
                "value": value,
                "explanation": "Grade not found in model output: Well …",
            },
        }
    path = tmp_path / "x.json"
    path.write_text(json.dumps(log), "utf-8")
    with taken(tmp_path, path) as found:
        assert found.verdicts == 0
        cells = found.workspace.cells.of_trace(1)
        cell = found.workspace.cell(cells["grader"])[1]
        assert (cell.state, cell.error.error[:15]) == ("failed", "Grade not found")


def test_an_answer_without_words_counts_as_the_scorer_ruled(logs, tmp_path):
    log = json.loads((logs / "multi_scorer_14x2.json").read_text("utf-8"))
    sample = log["samples"][0]
    sample["output"]["completion"] = ""
    log["samples"] = [sample]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(log), "utf-8")
    with taken(tmp_path, path) as found:
        assert found.workspace.cell(1)[0].response == ""
        assert found.verdicts == len(sample["scores"])


def test_a_sample_without_an_output_is_refused(logs, tmp_path):
    log = json.loads((logs / "multi_scorer_14x2.json").read_text("utf-8"))
    for sample in log["samples"]:
        sample["output"] = None
        sample["messages"] = []
    path = tmp_path / "x.json"
    path.write_text(json.dumps(log), "utf-8")
    with (
        pytest.raises(Unusable, match="row 1: no response is in it"),
        taken(tmp_path, path),
    ):
        pass


def test_a_log_that_inspect_cannot_read_is_a_problem_of_the_file(tmp_path, monkeypatch):
    def read_eval_log(_: str) -> None:
        raise ValueError("Unable to read the log\nfor a reason")

    package, log, scorer = map(
        ModuleType,
        ("inspect_ai", "inspect_ai.log", "inspect_ai.scorer"),
    )
    for name in ("ProvenanceData", "edit_score", "write_eval_log"):
        setattr(log, name, None)
    log.read_eval_log = read_eval_log
    scorer.ScoreEdit = None
    for module in (package, log, scorer):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    source, target = tmp_path / "broken.eval", tmp_path / "reviewed.eval"
    with pytest.raises(Unusable, match="cannot read it: Unable to read the log;"):
        inspect_log.edited(source, [], target)
    assert not target.exists()
