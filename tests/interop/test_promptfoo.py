"""Results of promptfoo: failures are no fails, repeats belong together, people rate rows."""

import json

import pytest
from foreign_files import taken

from appellate.core.deciding import Correct
from appellate.core.facts import Commented
from appellate.core.problem import Problem
from appellate.interop import promptfoo, recognise
from appellate.interop.ruled import copied, ruled_cells
from appellate.interop.table_map import map_of
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
    rows = promptfoo.rows_of(
        json.loads((results / "made_rated_human_v3.json").read_text("utf-8")),
    )
    lost = {row["id"] for row in rows if row["failureReason"] == promptfoo.NO_ANSWER}
    assert lost
    for trace in traces(results / "made_rated_human_v3.json"):
        if trace.record["id"] in lost:
            assert (trace.record["response"], bool(trace.unanswered)) == ("", True)
            assert all("There is no answer" in one.failed for one in trace.judged)


@pytest.mark.parametrize("output", ["", "  "])
def test_an_answer_without_words_was_graded_and_comes_in_as_it_is(tmp_path, output):
    part = {
        "assertion": {"type": "contains", "value": "Paris"},
        "pass": False,
        "reason": "no Paris",
    }
    row = {
        "id": "1",
        "vars": {"question": "Capital?"},
        "prompt": {"raw": '[{"role": "assistant", "content": "Ask me."}]'},
        "provider": "p",
        "response": {"output": output},
        "failureReason": 1,
        "error": "no Paris",
        "success": False,
        "gradingResult": {"pass": False, "componentResults": [part]},
    }
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"results": {"results": [row]}}), "utf-8")
    with taken(tmp_path, path) as found:
        trace, cell = found.workspace.cell(1)
        assert (trace.response, cell.labels.value, found.failed) == (output, False, 0)


def test_a_blank_in_csv_passed_or_failed_and_is_an_answer_without_words(tmp_path):
    path = tmp_path / "x.csv"
    heads = "question,[p] ask,Status,Score,Named Scores,Grader Reason,Comment"
    path.write_text(f"{heads}\nq,,FAIL,0,,wrong,\n", "utf-8")
    with taken(tmp_path, path) as found:
        trace, cell = found.workspace.cell(1)
        assert (trace.response, cell.labels.value) == ("", False)


@pytest.mark.parametrize("status", ["", "PAS"])
def test_a_line_of_csv_that_neither_passed_nor_failed_has_no_verdict(tmp_path, status):
    path = tmp_path / "x.csv"
    heads = "question,[p] ask,Status,Score,Named Scores,Grader Reason,Comment"
    path.write_text(f"{heads}\nq,Paris.,{status},0,,,\nq,,{status},0,,,\n", "utf-8")
    one, other = traces(path)
    assert [bool(trace.judged[0].failed) for trace in (one, other)] == [True, True]
    assert ("response" in one.record, "response" in other.record) == (True, False)


@pytest.mark.parametrize(
    "change",
    [
        {"response": {"output": "", "error": "HTTP 500"}, "error": "HTTP 500"},
        {"response": {"output": None}, "error": "no output", "gradingResult": None},
        {"response": None, "error": "time-out", "gradingResult": None},
    ],
)
def test_an_answer_that_nobody_got_is_none_whatever_the_prompt_says(tmp_path, change):
    row = {
        "id": "1",
        "vars": {"question": "Capital?"},
        "prompt": {"raw": '[{"role": "assistant", "content": "Ask me."}]'},
        "provider": "p",
        "gradingResult": {"pass": False, "componentResults": []},
    }
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"results": {"results": [row | change]}}), "utf-8")
    (trace,) = traces(path)
    assert (trace.record["response"], trace.unanswered[:19]) == (
        "",
        "There is no answer:",
    )
    assert [type(one) for one in recognise.answers_of(path, map_of({}))] == [Problem]


def test_parts_of_a_set_count_once(results):
    for trace in traces(results / "made_errors.jsonl"):
        names = [verdict.trait for verdict in trace.judged]
        assert len(names) == len(set(names))


def test_repeats_of_a_test_are_one_cluster(results):
    clusters = [
        trace.record["cluster"] for trace in traces(results / "made_errors.jsonl")
    ]
    # two repeats of two providers
    assert {clusters.count(one) for one in set(clusters)} == {4}


def test_a_rating_is_a_persons_of_the_whole_answer_and_the_judge_stays(results):
    rated = [
        trace for trace in traces(results / "made_rated_human_v3.json") if trace.people
    ]
    assert len(rated) == 6
    for trace in rated:
        (person,) = trace.people
        assert person.trait == promptfoo.WHOLE
        assert promptfoo.WHOLE in {verdict.trait for verdict in trace.judged}


def test_a_metric_that_ends_in_a_number_is_not_the_second_of_another(tmp_path):
    components = []
    for metric, passed in (("m", True), ("m", False), ("m 2", True)):
        assertion = {"type": "llm-rubric", "value": "kind", "metric": metric}
        components.append({"assertion": assertion, "pass": passed, "reason": ""})
    row = {
        "id": "1",
        "vars": {"question": "Capital?"},
        "response": {"output": "Paris."},
        "gradingResult": {"pass": True, "componentResults": components},
    }
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"results": [row]}), "utf-8")
    (trace,) = traces(path)
    assert len({verdict.trait for verdict in trace.judged}) == 3


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
    document, count, _ = promptfoo.rated(json.loads(source.read_text("utf-8")), cells)
    assert count == 1
    row = next(
        one for one in promptfoo.rows_of(document) if one["id"] == cells[0].trace.id
    )
    *judged, human = row["gradingResult"]["componentResults"]
    assert human["assertion"] == {"type": "human"}
    assert human["pass"] == row["success"] == cells[0].value
    assert "(ada)" in human["comment"]
    assert all(one["assertion"]["type"] != "human" for one in judged)
    rated = tmp_path / "rated.json"
    rated.write_text(json.dumps(document), "utf-8")
    again = [one for trace in traces(rated) for one in trace.people]
    assert [(one.trait, one.value) for one in again] == [
        (promptfoo.WHOLE, cells[0].value),
    ]


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
    assert [trace.record["id"] for trace in (one, two, three, four)] == [
        "1",
        "2",
        "3",
        "4",
    ]
    assert [verdict.value for verdict in (*one.judged, *two.judged)] == [True, True]
    assert [verdict.failed for verdict in three.judged] == ["There is no answer: 429"]
    assert [verdict.failed for verdict in four.judged] == [
        "The grader failed: no such grader",
    ]


def test_a_test_that_got_no_answer_failed_in_what_it_asks_for(tmp_path):
    polite, short = (
        {"type": "llm-rubric", "value": text} for text in ("is polite", "is short")
    )
    asked = [polite, {"type": "assert-set", "assert": [short]}]
    lost = old_row(
        3,
        id="r",
        response=None,
        gradingResult=None,
        failureReason=2,
        error="429",
    )
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
    row["gradingResult"]["pass"] = others
    path = tmp_path / "x.jsonl"
    path.write_text(
        json.dumps(row) + "\n" + json.dumps(old_row(2, id="s")) + "\n",
        "utf-8",
    )
    with taken(tmp_path, path) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        bench.sign_off(found.workspace.cells.number(("r", 1), "is polite"))
        bench.save()
        cells = list(ruled_cells(load_audit(bench.audit)))
    (one, two), count, _ = promptfoo.rated([row, old_row(2, id="s")], cells)
    assert (one["success"], one["gradingResult"]["score"], count) == (
        others,
        float(others),
        1,
    )
    assert "success" not in two


POLITE = {"type": "llm-rubric", "value": "is polite"}
SCRIPT = {"type": "javascript", "value": "file://short.js"}


def result(passed, assertion=None, **more):
    """One component of a row; a script's own object names no assertion."""
    return (
        {"pass": passed, "score": int(passed), "reason": f"says {passed}"}
        | more
        | ({"assertion": assertion} if assertion else {})
    )


def graded_row(number, *components, passed=None, asserted=(), **test):
    if passed is None:
        passed = all(one["pass"] for one in components)
    grading = {
        "pass": passed,
        "score": int(passed),
        "componentResults": list(components),
    }
    case = {"assert": list(asserted)} | test
    row = {"id": f"r{number}", "promptIdx": 0, "success": passed, "score": int(passed)}
    return old_row(number, gradingResult=grading, testCase=case) | row


def run(*rows):
    """A document of one prompt, with its statistics."""
    passed = sum(row["success"] for row in rows)
    stats = {"successes": passed, "failures": len(rows) - passed, "errors": 0}
    metrics = {
        "testPassCount": passed,
        "testFailCount": len(rows) - passed,
        "score": passed,
    }
    metrics |= {"assertPassCount": 5, "assertFailCount": 5}
    prompts = [{"raw": "Answer", "metrics": metrics}]
    return {
        "results": {
            "version": 3,
            "prompts": prompts,
            "results": list(rows),
            "stats": stats,
        },
    }


def written(folder, document):
    path = folder / "results.json"
    path.write_text(json.dumps(document, indent=1), "utf-8")
    return path


def exported(folder, source, *rulings):
    """The copy of a file, and what is said of it, after ada ruled: trace, trait and verdict."""
    with taken(folder, source) as found:
        bench = Workbench(found.workspace, folder / "x.audit.toml", "ada")
        for trace, trait, value in rulings:
            number = found.workspace.cells.number((trace, 1), trait)
            cell = bench.open(number)[1]
            if value is not cell.labels.value:
                bench.do(
                    number,
                    Correct(cell.subject.kind.edit({"action": "set", "value": value})),
                )
            if not bench.open(number)[1].signed:
                bench.sign_off(number)
        bench.save()
        cells = list(ruled_cells(load_audit(bench.audit)))
    copy = copied(source, cells, "promptfoo", promptfoo.rated)
    return copy.text, list(copy.notes)


def verdicts(path):
    (trace,) = traces(path)
    return {one.trait: one.value for one in trace.judged}


def test_a_result_that_names_no_assertion_has_that_of_its_test(tmp_path):
    row = graded_row(1, result(True, POLITE), result(False), asserted=[POLITE, SCRIPT])
    assert verdicts(written(tmp_path, run(row))) == {
        "is polite": True,
        "javascript: file://short js": False,
    }


@pytest.mark.parametrize("asserted", [(), (POLITE,), (SCRIPT, POLITE, SCRIPT)])
def test_a_result_that_nobody_names_is_called_by_its_place(tmp_path, asserted):
    components = result(True), result(True, POLITE), result(False)
    row = graded_row(1, *components, asserted=asserted[:2])
    assert verdicts(written(tmp_path, run(row))) == {
        "assertion 1": True,
        "is polite": True,
        "assertion 3": False,
    }


def test_each_of_two_results_alike_in_name_has_a_trait(tmp_path):
    tone = POLITE | {"metric": "tone"}
    row = graded_row(1, result(True, tone), result(False, SCRIPT | {"metric": "tone"}))
    assert verdicts(written(tmp_path, run(row))) == {"tone": True, "tone 2": False}


def test_a_script_in_a_set_is_called_by_its_place_in_it(tmp_path):
    inner = [result(True, POLITE), result(False)]
    row = graded_row(1, result(True), result(False, componentResults=inner), *inner)
    assert verdicts(written(tmp_path, run(row))) == {
        "assertion 1": True,
        "is polite": True,
        "assertion 2-2": False,
    }


def test_what_a_script_says_of_parts_is_no_verdict_and_is_told(tmp_path):
    inner = [result(False), result(True)]
    row = graded_row(1, result(True, componentResults=inner), *inner, passed=True)
    path = written(tmp_path, run(row))
    assert verdicts(path) == {"assertion 1": True}
    assert (
        "what a script says of the parts of its verdict" in recognise.read([path]).lost
    )


def test_a_verdict_without_parts_is_of_the_whole_answer(tmp_path):
    row = graded_row(1, passed=False)
    row["gradingResult"] = {"pass": False, "reason": "too long"}
    assert verdicts(written(tmp_path, run(row))) == {promptfoo.WHOLE: False}


def test_a_failed_row_stays_failed_where_a_result_names_no_assertion(tmp_path):
    row = graded_row(1, result(True, POLITE), result(False))
    text, notes = exported(
        tmp_path,
        written(tmp_path, run(row)),
        ("r1", "is polite", True),
    )
    (copy,) = json.loads(text)["results"]["results"]
    assert (copy["success"], copy["gradingResult"]["pass"], notes) == (False, False, [])


@pytest.mark.parametrize(
    ("threshold", "ruled", "passes"),
    [(0.5, False, True), (0.5, True, True), (0.9, False, False), (None, False, False)],
)
def test_a_row_passes_by_the_threshold_of_its_test(tmp_path, threshold, ruled, passes):
    components = [
        result(True, POLITE | {"value": f"is {word}"}) for word in ("a", "b", "c")
    ]
    row = graded_row(1, *components, threshold=threshold)
    text, _ = exported(tmp_path, written(tmp_path, run(row)), ("r1", "is a", ruled))
    (copy,) = json.loads(text)["results"]["results"]
    assert copy["success"] is passes


def test_a_row_is_left_where_a_part_has_no_verdict(tmp_path):
    broken = result(False, SCRIPT, metadata={"graderError": True})
    row = graded_row(1, result(False, POLITE), broken)
    source = written(tmp_path, run(row))
    text, (note,) = exported(tmp_path, source, ("r1", "is polite", True))
    assert text == source.read_text("utf-8")
    assert note.startswith(
        "1 row left unchanged: the verdict depends on a part without one",
    )


def test_a_row_is_left_whose_verdict_does_not_follow_from_its_parts(tmp_path):
    row = graded_row(1, result(True, POLITE), result(False, SCRIPT), passed=True)
    source = written(tmp_path, run(row))
    text, notes = exported(tmp_path, source, ("r1", "is polite", False))
    assert text == source.read_text("utf-8")
    assert len(notes) == 1


def test_ratings_that_nobody_touched_go_back_byte_for_byte(results, tmp_path):
    source = results / "made_rated_human_v3.json"
    text, notes = exported(tmp_path, source)
    assert text == source.read_text("utf-8")
    assert notes == []


def test_a_rating_of_the_whole_answer_stays_where_its_parts_were_ruled(
    results,
    tmp_path,
):
    source = results / "made_rated_human_v3.json"
    trace = next(one for one in traces(source) if one.people)
    text, (note,) = exported(tmp_path, source, (trace.record["id"], "correct", False))
    assert text == source.read_text("utf-8")
    assert "rule on “whole answer” to change that" in note


def test_a_rating_that_was_changed_is_the_only_row_that_changes(results, tmp_path):
    source = results / "made_rated_human_v3.json"
    trace = next(one for one in traces(source) if one.people and one.people[0].value)
    text, _ = exported(tmp_path, source, (trace.record["id"], promptfoo.WHOLE, False))
    before, after = (
        json.loads(one)["results"] for one in (source.read_text("utf-8"), text)
    )
    changed = [
        new
        for old, new in zip(before["results"], after["results"], strict=True)
        if json.dumps(old) != json.dumps(new)
    ]
    assert [row["id"] for row in changed] == [trace.record["id"]]
    assert (changed[0]["success"], changed[0]["gradingResult"]["comment"]) == (
        False,
        "whole answer: no (ada)",
    )
    assert [
        after["stats"][key] - before["stats"][key]
        for key in ("successes", "failures", "errors")
    ] == [-1, 1, 0]


def test_the_copy_counts_its_rows_anew(tmp_path):
    rows = graded_row(1, result(True, POLITE)), graded_row(2, result(False, POLITE))
    source = written(tmp_path, run(*rows, graded_row(3, result(False, POLITE))))
    text, _ = exported(
        tmp_path,
        source,
        ("r1", "is polite", True),
        ("r2", "is polite", True),
    )
    results = json.loads(text)["results"]
    assert results["stats"] == {"successes": 2, "failures": 1, "errors": 0}
    assert results["prompts"][0]["metrics"] == {
        "testPassCount": 2,
        "testFailCount": 1,
        "score": 2,
        "assertPassCount": 7,
        "assertFailCount": 5,
    }


def test_a_table_of_version_2_that_is_older_than_the_ratings_is_told(tmp_path):
    document = run(graded_row(1, result(True, POLITE)))
    document["results"]["table"] = {"body": [{"outputs": [{"pass": True}]}]}
    _, notes = exported(
        tmp_path,
        written(tmp_path, document),
        ("r1", "is polite", False),
    )
    assert notes == ["results.table of the copy is older than the ratings"]


def test_a_file_of_one_line_is_one_row(tmp_path):
    source = tmp_path / "one.jsonl"
    source.write_text(json.dumps(graded_row(1, result(True, POLITE))) + "\n", "utf-8")
    text, _ = exported(tmp_path, source, ("r1", "is polite", False))
    assert json.loads(text)["success"] is False


def test_a_remark_of_a_person_who_agrees_with_the_judge_comes_in_as_a_comment(
    results,
    tmp_path,
):
    with taken(tmp_path, results / "made_rated_human_v3.json") as found:
        number = found.workspace.cells.of_trace(1)[promptfoo.WHOLE]
        comments = [
            fact.what.text
            for fact in found.workspace.cell(number)[1].facts
            if isinstance(fact.what, Commented)
        ]
    assert comments == ["fine, an apology is harmless here"]
