"""Karenina's results, with their checkpoint and without."""

import csv
import json

import pytest
from foreign_files import taken

from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.core.facts import Proposed
from appellate.interop import karenina, recognise
from appellate.interop.rows import as_rows
from appellate.interop.ruled import copied, ruled_cells
from appellate.session.workbench import Workbench
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.audit import load_audit
from appellate.traits.llm.edits import Edit as LLMEdit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric.labels import to_lists
from appellate.traits.rubric import Question, Rubric
from cells import bench, matrix, proposal, trace


@pytest.fixture
def files(shared):
    return shared / "data/karenina"


def test_with_the_checkpoint_traits_of_single_questions_come_in_too(files, tmp_path):
    with taken(
        tmp_path,
        files / "checkpoint_metric.jsonld",
        files / "results_v2.2.json",
    ) as found:
        names = {known.trait.name: known.trait for known in found.traits}
        assert found.verdicts == 5
    assert list(names["BCL2 Accuracy"].tn_instructions) == [
        "States BCL2 is on chromosome 1",
        "Claims BCL2 is pro-apoptotic",
    ]
    assert names["tone"].class_names == ["formal", "casual"]
    assert names["no urls"].invert_result


def test_without_it_what_they_ask_for_is_said_to_be_missing(files):
    file = recognise.read([files / "results_v2.2.json"])
    assert "BCL2 Accuracy: what they ask for is in the checkpoint alone" in file.lost[0]


def test_the_lists_come_in_as_the_judges_and_linked_where_they_are_instructions(
    files,
    tmp_path,
):
    with taken(tmp_path, files / "results_v2.2.json") as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "")
        number = found.workspace.cells.number(("83d4ccaeaaa1f801", 1), "BCL2 Coverage")
        cell = bench.open(number)[1]
        assert cell.figures.values == {"precision": 0.75, "recall": 0.75, "f1": 0.75}
        assert cell.judge.judge["name"] == "gpt-4o"


def test_what_people_ruled_goes_back_in_place_and_is_told_in_the_warnings(
    files,
    tmp_path,
):
    source = files / "results_v2.2.json"
    with taken(tmp_path, source) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        number = found.workspace.cells.number(("83d4ccaeaaa1f801", 1), "BCL2 Coverage")
        kind = bench.open(number)[1].subject.kind
        row = {"action": "drop", "bucket": "fp", "index": 0}
        bench.do(number, Correct(kind.edit(row), "it says nothing false"))
        bench.sign_off(number)
        bench.save()
        cells = list(ruled_cells(load_audit(bench.audit)))
    document, count, _ = karenina.corrected(
        json.loads(source.read_text("utf-8")),
        cells,
    )
    (result,) = document["results"]
    assert count == 1
    assert result["rubric"]["metric_trait_confusion_lists"]["BCL2 Coverage"]["fp"] == []
    assert result["rubric"]["metric_trait_scores"]["BCL2 Coverage"]["precision"] == 1.0
    assert "corrected by ada" in result["metadata"]["warnings"][0]
    assert "it says nothing false" in result["metadata"]["warnings"][0]


def test_a_sign_off_alone_adds_a_warning_and_leaves_the_rest_byte_for_byte(
    files,
    tmp_path,
):
    source = files / "results_v2.2.json"
    with taken(tmp_path, source) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        for number in range(1, found.workspace.cells.count() + 1):
            bench.sign_off(number)
        bench.save()
        cells = list(ruled_cells(load_audit(bench.audit)))
    text = copied(source, cells, "karenina", karenina.corrected).text
    warnings = json.loads(text)["results"][0]["metadata"]["warnings"]
    assert len(warnings) == len(cells)
    assert all("signed off by ada" in one for one in warnings)
    assert text.replace(json.dumps(warnings), "[]") == source.read_text("utf-8")


def test_counts_of_a_task_that_are_older_than_what_people_ruled_are_told(
    files,
    tmp_path,
):
    source = files / "taskeval_export.json"
    with taken(tmp_path, source) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        number = found.workspace.cells.of_trace(1)["clarity"]
        kind = bench.open(number)[1].subject.kind
        bench.do(number, Correct(kind.edit({"action": "set", "value": 2})))
        bench.sign_off(number)
        bench.save()
        cells = list(ruled_cells(load_audit(bench.audit)))
    (note,) = copied(source, cells, "karenina", karenina.corrected).notes
    assert (
        note == "summary_stats and summary of the copy count the judge's verdicts still"
    )


def test_ids_that_two_files_have_are_told_apart_by_their_model(files, tmp_path):
    paths = [files / "results_v2.2.json", files / "results_frontend_array.json"]
    with taken(tmp_path, *paths) as found:
        assert found.traces == 2
        assert found.notes[-1].startswith("1 file has ids of an earlier one")


def test_the_frontends_csv_says_that_it_has_no_lists(files):
    lost = recognise.read([files / "results_frontend.csv"]).lost
    assert lost[0] == "metric traits, whose lists the frontend leaves out of CSV"
    assert lost[0] not in recognise.read([files / "results.csv"]).lost


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda row: {"runs": {"one": [row]}},
        lambda row: {"data": {"key": row}},
        lambda row: [row],
    ],
)
def test_results_come_in_from_each_place_they_stand_in(files, tmp_path, wrapped):
    (row,) = json.loads((files / "results_v2.2.json").read_text("utf-8"))["results"]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(wrapped(row)), "utf-8")
    (trace,) = recognise.read([path]).traces()
    assert trace.record["id"] == row["metadata"]["result_id"]


def timed_out(files, folder):
    """The results with their one failed."""
    document = json.loads((files / "results_v2.2.json").read_text("utf-8"))
    (row,) = document["results"]
    row["metadata"]["failure"] = {"reason": "time-out"}
    row["rubric"] = None
    path = folder / "x.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_a_result_that_failed_did_so_in_the_traits_of_its_question_too(files, tmp_path):
    path = timed_out(files, tmp_path)
    with taken(tmp_path, files / "checkpoint_metric.jsonld", path) as found:
        cells = [found.workspace.cell(number)[1] for number in range(1, 6)]
    assert {(cell.state, cell.error.error) for cell in cells} == {
        ("failed", "time-out"),
    }


def test_early_checkpoints_have_lists_as_json_text_and_kinds_without_a_value(
    files,
    tmp_path,
):
    checkpoint = json.loads((files / "checkpoint_metric.jsonld").read_text("utf-8"))
    urls = {"name": "no urls", "pattern": "https?://", "invert": True}
    checkpoint["rating"] = [
        one for one in checkpoint["rating"] if one["name"] == "clarity"
    ]
    checkpoint["rating"][0]["additionalProperty"] = [{"name": "kind"}]
    checkpoint["additionalProperty"].append(
        {"name": "global_regex_rubric_traits", "value": json.dumps([urls])},
    )
    path = tmp_path / "early.jsonld"
    path.write_text(json.dumps(checkpoint), "utf-8")
    with taken(tmp_path, path, files / "results_frontend_array.json") as found:
        names = {known.trait.name: known for known in found.traits}
    assert names["clarity"].trait.kind == "score"
    assert (names["no urls"].kind.name, names["no urls"].trait.invert_result) == (
        "regex",
        True,
    )


def test_what_people_ruled_goes_back_to_its_own_replicate(files, tmp_path):
    document = json.loads((files / "results_v2.2.json").read_text("utf-8"))
    del document["results"][0]["metadata"]["result_id"]
    document["results"].append(json.loads(json.dumps(document["results"][0])))
    document["results"][1]["metadata"]["replicate"] = 2
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document), "utf-8")
    with taken(tmp_path, path) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        bench.sign_off(found.workspace.cells.of_trace(2)["clarity"])
        bench.save()
    cells = ruled_cells(load_audit(bench.audit))
    document, count, _ = karenina.corrected(document, cells)
    warnings = [one["metadata"]["warnings"] for one in document["results"]]
    assert (count, [len(one) for one in warnings]) == (1, [0, 1])


def test_what_people_ruled_goes_into_a_result_that_failed(files, tmp_path):
    path = timed_out(files, tmp_path)
    with taken(tmp_path, path) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        number = found.workspace.cells.of_trace(1)["tone"]
        kind = bench.open(number)[1].subject.kind
        bench.do(number, Correct(kind.edit({"action": "set", "value": 1})))
        bench.sign_off(number)
        bench.save()
    before = json.loads(path.read_text("utf-8"))
    document, _, _ = karenina.corrected(before, ruled_cells(load_audit(bench.audit)))
    rubric = document["results"][0]["rubric"]
    assert rubric == {
        "llm_trait_scores": {"tone": 1},
        "llm_trait_labels": {"tone": "casual"},
    }


def test_what_people_ruled_replaces_the_verdict_where_it_is(files, tmp_path):
    document = json.loads((files / "results_v2.2.json").read_text("utf-8"))
    document["results"][0]["rubric"]["callable_trait_scores"] = {"is short": True}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document), "utf-8")
    with taken(tmp_path, path) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        number = found.workspace.cells.of_trace(1)["is short"]
        kind = bench.open(number)[1].subject.kind
        bench.do(number, Correct(kind.edit({"action": "set", "value": False})))
        bench.sign_off(number)
        bench.save()
    before = dict(document["results"][0]["rubric"]["llm_trait_scores"])
    document, _, _ = karenina.corrected(document, ruled_cells(load_audit(bench.audit)))
    rubric = document["results"][0]["rubric"]
    assert rubric["callable_trait_scores"] == {"is short": False}
    assert rubric["llm_trait_scores"] == before


def test_older_results_have_their_models_in_words_and_failures(files, tmp_path):
    document = json.loads((files / "results_v2.2.json").read_text("utf-8"))
    (row,) = document["results"]
    about = row["metadata"]
    for role in ("answering", "parsing"):
        del about[role]
        about[f"{role}_model"] = "gpt-old"
    about |= {"completed_without_errors": False, "error": "time-out"}
    del about["failure"]
    row |= {"rubric": None, "evaluation_input": None, "template": {}}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document), "utf-8")
    (trace,) = recognise.read([path]).traces()
    assert (trace.record["model"], trace.unanswered) == ("gpt-old", "time-out")
    assert {(one.failed, one.judge) for one in trace.judged} == {
        ("time-out", "gpt-old"),
    }


def test_lines_about_one_question_have_ids_of_their_own(files, tmp_path):
    path = tmp_path / "x.csv"
    with (files / "results.csv").open(encoding="utf-8", newline="") as file:
        head, line = csv.reader(file)
    again = list(line)
    again[head.index("replicate")] = "2"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, line, again, line])
    keys = [
        (trace.record["id"].removeprefix(line[0]), trace.record["epoch"])
        for trace in recognise.read([path]).traces()
    ]
    assert keys == [("", 1), ("", 2), (" 3", 1)]


def test_a_verdict_that_is_not_defined_is_no_number_in_rows(files, tmp_path):
    with taken(
        tmp_path,
        files / "checkpoint_metric.jsonld",
        files / "results_v2.2.json",
    ) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        bench.sign_off(
            found.workspace.cells.number(("83d4ccaeaaa1f801", 1), "BCL2 Accuracy"),
        )
        bench.save()
    (line,) = as_rows(load_audit(bench.audit))
    row = json.loads(line)
    assert row["gen_ai.evaluation.score.value"] is None
    assert row["appellate.judge_score"] is None
    assert row["appellate.judge_value"] == ""


def table_of_tones(files, tmp_path, *tones, checkpoint=True):
    """Karenina's CSV with these numbers under `rubric_tone`, beside its checkpoint or alone."""
    path = tmp_path / "x.csv"
    with (files / "results.csv").open(encoding="utf-8", newline="") as file:
        head, line = csv.reader(file)
    rows = []
    for tone in tones:
        row = list(line)
        row[head.index("rubric_tone")] = tone
        rows.append(row)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return [files / "checkpoint_metric.jsonld", path] if checkpoint else [path]


def tones_of(found):
    """What was made of each tone: the name of its class, or why it failed."""
    tones = []
    for number in range(1, found.traces + 1):
        cells = found.workspace.cells.of_trace(number)
        cell = found.workspace.cell(cells["tone"])[1]
        names = cell.subject.trait.class_names
        tones.append(names[cell.labels.value] if cell.labels else cell.state)
    return tones


def test_beside_the_checkpoint_a_number_in_csv_is_the_place_of_a_class(files, tmp_path):
    with taken(
        tmp_path,
        *table_of_tones(files, tmp_path, "0", "1", "7", "-1"),
    ) as found:
        assert tones_of(found) == ["formal", "casual", "failed", "failed"]


@pytest.mark.parametrize("tones", [("0",), ("0", "1"), ("0", "2", "1")])
def test_without_it_a_number_from_0_on_is_a_class_and_never_a_no(
    files,
    tmp_path,
    tones,
):
    with taken(
        tmp_path,
        *table_of_tones(files, tmp_path, *tones, checkpoint=False),
    ) as found:
        assert tones_of(found) == [f"class {tone}" for tone in tones]
    file = recognise.read(table_of_tones(files, tmp_path, *tones, checkpoint=False))
    assert file.lost[0].startswith(
        "clarity, tone: whether a whole number is a score or the place",
    )


def test_a_one_without_its_definition_is_a_score_and_no_yes(files, tmp_path):
    with taken(
        tmp_path,
        *table_of_tones(files, tmp_path, "1", checkpoint=False),
    ) as found:
        kinds = {known.trait.name: known.trait.kind for known in found.traits}
    assert (kinds["tone"], kinds["no urls"]) == ("score", "boolean")


def test_results_without_names_of_classes_have_them_from_the_checkpoint(
    files,
    tmp_path,
):
    document = json.loads((files / "results_frontend_array.json").read_text("utf-8"))
    for row in document:
        del row["rubric"]["llm_trait_labels"]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document), "utf-8")
    with taken(tmp_path, files / "checkpoint_metric.jsonld", path) as found:
        assert tones_of(found) == ["formal"]


@pytest.mark.parametrize(
    ("is_better", "order"),
    [(True, "worse to better"), (False, None)],
)
def test_classes_have_an_order_only_if_the_checkpoint_says_that_later_ones_are_better(
    files,
    tmp_path,
    is_better,
    order,
):
    checkpoint = json.loads((files / "checkpoint_metric.jsonld").read_text("utf-8"))
    (tone,) = (rating for rating in checkpoint["rating"] if rating["name"] == "tone")
    for entry in tone["additionalProperty"]:
        if entry["name"] == "higher_is_better":
            entry["value"] = is_better
    path = tmp_path / "checkpoint.jsonld"
    path.write_text(json.dumps(checkpoint), "utf-8")
    with taken(tmp_path, path, files / "results_v2.2.json") as found:
        traits = {known.trait.name: known.trait for known in found.traits}
    assert traits["tone"].order == order


def test_an_audit_that_was_begun_here_becomes_results_that_come_in_again(tmp_path):
    tone = LLMRubricTrait(
        name="Tone",
        kind="literal",
        classes={"kind": "a", "rude": "b"},
    )
    rubric = Rubric(metric_traits=[matrix()], llm_traits=[tone], name="Ours")
    with bench(tmp_path, trace(), of=rubric) as at:
        at.receive(1, Proposed({"value": 0, "evidence": []}, {"name": "gpt"}))
        at.receive(2, proposal())
        at.do(1, Correct(LLMEdit("set", 1), "It shouts."))
        for number in (1, 2):
            at.sign_off(number)
        at.save()
        audit = load_audit(at.audit)
    results = karenina.made(audit.rubric, ruled_cells(audit))
    assert (results.matched, list(results.notes)) == (1, [])
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results.document), "utf-8")
    (row,) = results.document["results"]
    assert "Tone: corrected by ada" in row["metadata"]["warnings"][0]
    assert row["metadata"]["warnings"][0].endswith("(Appellate): It shouts.")
    again = tmp_path / "again"
    again.mkdir()
    with taken(again, path) as found:
        known = {one.trait.name: one.trait for one in found.traits}
        assert known["Tone"].classes == tone.classes
        assert known[matrix().name].tp_instructions == matrix().tp_instructions
        cells = list(WorkspaceAudit(found.workspace.db).cells)
        assert cells[0].cell.judge_labels.value == 1
        assert to_lists(cells[1].cell.judge_labels) == to_lists(
            audit.cells[1].cell.labels,
        )


def test_a_trait_of_one_question_has_its_values_and_is_noted(tmp_path):
    question = Question(id="q", question="BCL2?", metric_traits=[matrix()])
    asked = trace().model_copy(update={"question_id": "q"})
    with bench(tmp_path, asked, of=Rubric(questions=[question])) as at:
        at.receive(1, proposal())
        at.sign_off(1)
        at.save()
        audit = load_audit(at.audit)
    results = karenina.made(audit.rubric, ruled_cells(audit))
    assert "what is asked for stands in Karenina's checkpoint alone" in results.notes[0]
    (row,) = results.document["results"]
    assert row["rubric"]["trait_provenance"] == {matrix().name: "question_specific"}


def test_without_a_source_the_results_are_made_anew(tmp_path, capsys):
    with bench(tmp_path, trace(), of=Rubric(metric_traits=[matrix()])) as at:
        at.receive(1, proposal())
        at.sign_off(1)
        at.save()
        assert main(["export", str(at.audit), "--to", "karenina"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert karenina.results_of(document) == document["results"]


@pytest.mark.parametrize(
    "document",
    [
        {"runs": {"first": 1}},
        {"global_evaluation": "x"},
        {"global_evaluation": [[]], "step_evaluations": {"a": None}},
        {"global_evaluation": {"verification_results": {"a": 1}}},
    ],
)
def test_another_document_with_a_key_of_karenina_is_none_of_it(document):
    assert karenina.results_of(document) is None
