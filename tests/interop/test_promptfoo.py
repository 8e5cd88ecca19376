"""Results of promptfoo: failures are no fails, repeats belong together, people rate rows."""

import json

import pytest
from foreign_files import taken

from appellate.interop import promptfoo, recognise
from appellate.interop.ruled import ruled_cells
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit


@pytest.fixture
def results(shared):
    return shared / "data/interop/promptfoo"


def traces(path):
    return list(recognise.read([path]).traces())


def test_a_graders_error_is_a_failure_and_no_verdict(results):
    for trace in traces(results / "made_errors.jsonl"):
        for verdict in trace.judged:
            assert (verdict.trait == "garbled criterion") == bool(verdict.failed)


def test_an_answer_that_nobody_got_fails_the_assertions_of_its_test(results):
    rows = promptfoo.rows_of(json.loads((results / "made_rated_human_v3.json").read_text("utf-8")))
    lost = {row["id"] for row in rows if row["failureReason"] == promptfoo.NO_ANSWER}
    assert lost
    for trace in traces(results / "made_rated_human_v3.json"):
        if trace.record["id"] in lost:
            assert "response" not in trace.record
            assert all("There is no answer" in one.failed for one in trace.judged)


def test_parts_of_a_set_count_once(results):
    for trace in traces(results / "made_errors.jsonl"):
        names = [verdict.trait for verdict in trace.judged]
        assert len(names) == len(set(names))


def test_repeats_of_a_test_are_one_cluster(results):
    clusters = [trace.record["cluster"] for trace in traces(results / "made_errors.jsonl")]
    assert {clusters.count(one) for one in set(clusters)} == {4}  # two repeats of two providers


def test_a_rating_is_a_persons_of_the_whole_answer_and_the_judge_stays(results):
    rated = [trace for trace in traces(results / "made_rated_human_v3.json") if trace.people]
    assert len(rated) == 6
    for trace in rated:
        (person,) = trace.people
        assert person.trait == promptfoo.WHOLE
        assert promptfoo.WHOLE in {verdict.trait for verdict in trace.judged}


def test_each_test_has_the_assertions_of_its_own(results, tmp_path):
    with taken(tmp_path, results / "hallucination_v3.json") as found:
        assert found.workspace.cells.count() == found.verdicts


def test_what_people_ruled_goes_back_as_ratings_of_rows(results, tmp_path):
    source = results / "session1_no_metrics_v3.json"
    with taken(tmp_path, source) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        bench.sign_off(1)
        bench.save()
        cells = list(ruled_cells(load_audit(bench.audit)))
    document, count = promptfoo.rated(json.loads(source.read_text("utf-8")), cells)
    assert count == 1
    row = next(one for one in promptfoo.rows_of(document) if one["id"] == cells[0].trace.id)
    *judged, human = row["gradingResult"]["componentResults"]
    assert human["assertion"] == {"type": "human"}
    assert human["pass"] == row["success"] == cells[0].value
    assert "(ada)" in human["comment"]
    assert all(one["assertion"]["type"] != "human" for one in judged)
    rated = tmp_path / "rated.json"
    rated.write_text(json.dumps(document), "utf-8")
    again = [one for trace in traces(rated) for one in trace.people]
    assert [(one.trait, one.value) for one in again] == [(promptfoo.WHOLE, cells[0].value)]


def old_row(number, **more):
    """A row as version 2 has it: without an id or places of test and prompt."""
    component = {
        "pass": True,
        "reason": "so",
        "assertion": {"type": "llm-rubric", "value": "is polite"},
    }
    row = {
        "vars": {"question": f"question {number}"},
        "prompt": {"raw": "Answer", "label": "p"},
        "provider": {"id": "openai:x"},
        "response": {"output": f"answer {number}"},
        "gradingResult": {"pass": True, "componentResults": [component]},
    }
    row |= more
    return {key: value for key, value in row.items() if value is not None}


def test_rows_of_version_2_come_in(tmp_path):
    lost = old_row(3, response=None, gradingResult=None, error="429")
    broken = old_row(4, gradingResult=None, error="no such grader")
    rows = [old_row(1), old_row(2), lost, broken]
    path = tmp_path / "v2.json"
    path.write_text(json.dumps({"results": {"version": 2, "results": rows}}), "utf-8")
    one, two, three, four = traces(path)
    assert [trace.record["id"] for trace in (one, two, three, four)] == ["1", "2", "3", "4"]
    assert [verdict.value for verdict in (*one.judged, *two.judged)] == [True, True]
    assert [verdict.failed for verdict in three.judged] == ["There is no answer: 429"]
    assert [verdict.failed for verdict in four.judged] == ["The grader failed: no such grader"]


def test_a_test_that_got_no_answer_failed_in_what_it_asks_for(tmp_path):
    polite, short = ({"type": "llm-rubric", "value": text} for text in ("is polite", "is short"))
    asked = [polite, {"type": "assert-set", "assert": [short]}]
    lost = old_row(3, id="r", response=None, gradingResult=None, failureReason=2, error="429")
    graded = [{"pass": True, "assertion": polite}, {"pass": None, "assertion": short}]
    rows = [
        lost | {"testCase": {"assert": asked}},
        old_row(1),
        old_row(2, gradingResult={"pass": True, "componentResults": graded}),
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with taken(tmp_path, path) as found:
        assert (found.verdicts, found.failed) == (2, 3)
        cells = found.workspace.cells.of_trace(1)
        assert sorted(cells) == ["is polite", "is short"]
        states = [found.workspace.cell(number)[1].state for number in cells.values()]
        assert states == ["failed", "failed"]


@pytest.mark.parametrize("others", [True, False])
def test_a_row_passes_where_what_nobody_ruled_does_too(tmp_path, others):
    row = old_row(1, id="r")
    part = {"pass": others, "assertion": {"type": "llm-rubric", "value": "is short"}}
    row["gradingResult"]["componentResults"].append(part)
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps(old_row(2, id="s")) + "\n", "utf-8")
    with taken(tmp_path, path) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        bench.sign_off(found.workspace.cells.number(("r", 1), "is polite"))
        bench.save()
        cells = list(ruled_cells(load_audit(bench.audit)))
    (one, two), count = promptfoo.rated([row, old_row(2, id="s")], cells)
    assert (one["success"], one["gradingResult"]["score"], count) == (others, float(others), 1)
    assert "success" not in two
