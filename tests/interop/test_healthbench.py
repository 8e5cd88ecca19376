"""HealthBench: rubrics with points, grades of answers, and its own scoring."""

import json

import pytest
from foreign_files import counts, taken

from appellate.core.problem import Unusable
from appellate.interop import healthbench, recognise


def item(points, met, words=None):
    criterion = words or f"criterion {points}"
    explanation = f"{points} {met}"
    return {
        "criterion": criterion,
        "points": points,
        "tags": ["axis:accuracy"],
        "criteria_met": met,
        "explanation": explanation,
    }


def results(folder, items):
    """A file of one graded answer, as simple-evals writes it."""
    example = {
        "prompt_id": "p",
        "completion_id": "c",
        "prompt": [{"role": "user", "content": "Chest pain?"}],
        "completion": [{"role": "assistant", "content": "Call an ambulance."}],
        "rubric_items": items,
    }
    path = folder / "x_allresults.json"
    path.write_text(
        json.dumps({"metadata": {"example_level_metadata": [example]}}),
        "utf-8",
    )
    return path


def calculate_score(items):
    """The same as simple-evals has it (`healthbench_eval.py`, ee3b0318d8d1)."""
    possible = sum(one["points"] for one in items if one["points"] > 0)
    achieved = sum(one["points"] for one in items if one["criteria_met"])
    return achieved / possible


@pytest.mark.parametrize(
    "items",
    [
        [item(7, True), item(3, False), item(-4, True)],
        [item(10, True), item(-2, False)],
        [item(5, False), item(-9, True)],
        [item(5, True, "twice"), item(5, True, "twice"), item(2, False)],
    ],
)
def test_its_own_scores_are_those_of_its_graders_results(tmp_path, items):
    with taken(tmp_path, results(tmp_path, items)) as found:
        cell = found.workspace.cell(1)[1]
    assert cell.figures.values["weighted"] == pytest.approx(
        max(0, calculate_score(items)),
    )


def test_examples_that_name_no_prompt_have_a_question_each(tmp_path):
    path = results(tmp_path, [item(7, True)])
    document = json.loads(path.read_text("utf-8"))
    examples = document["metadata"]["example_level_metadata"]
    del examples[0]["prompt_id"]
    other = {**examples[0], "completion_id": "d", "prompt_id": None}
    examples.append({**other, "rubric_items": [item(2, False, "another criterion")]})
    path.write_text(json.dumps(document), "utf-8")
    with taken(tmp_path, path) as found:
        criteria = [
            found.workspace.cell(number)[1].subject.trait.tp_instructions[0]
            for number in (1, 2)
        ]
        assert criteria == ["criterion 7", "another criterion"]


def test_points_tags_and_the_graders_reasons_come_in(tmp_path):
    with taken(tmp_path, results(tmp_path, [item(7, True), item(-4, False)])) as found:
        assert counts(found) == (1, 1, 0, 1, 0)
        cell = found.workspace.cell(1)[1]
    assert cell.subject.trait.weights == {"criterion 7": 7, "criterion -4": -4}
    assert cell.subject.trait.tags == {
        "criterion 7": ["axis:accuracy"],
        "criterion -4": ["axis:accuracy"],
    }
    assert [one.rationale for one in (*cell.labels.tp, *cell.labels.tn)] == [
        "7 True",
        "-4 False",
    ]


def rubrics(folder, *prompts, count=2):
    path = folder / "rubrics.jsonl"
    items = [item(5, True), item(-3, True)][:count]
    rows = [
        {
            "prompt_id": prompt,
            "prompt": [{"role": "user", "content": "Chest pain?"}],
            "rubrics": [
                {key: one[key] for key in ("criterion", "points", "tags")}
                for one in items
            ],
            "ideal_completions_data": {"ideal_completion": "Call an ambulance."},
        }
        for prompt in prompts
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_rubrics_alone_come_with_the_physicians_answers(tmp_path):
    with taken(tmp_path, rubrics(tmp_path, "a", "b")) as found:
        assert counts(found) == (2, 0, 0, 0, 0)
        assert found.workspace.cell(1)[1].subject.trait.weights == {
            "criterion 5": 5,
            "criterion -3": -3,
        }


def test_rubrics_without_answers_are_refused(tmp_path):
    path = rubrics(tmp_path, "a")
    path.write_text(
        path.read_text("utf-8").replace('"Call an ambulance."', "null"),
        "utf-8",
    )
    with pytest.raises(Unusable, match="without answers"):
        recognise.read([path])


def test_answers_of_a_table_get_the_criteria_of_their_prompts(tmp_path):
    answers = tmp_path / "answers.csv"
    answers.write_text("prompt_id,response\nb,Call 112.\n", "utf-8")
    with taken(tmp_path, rubrics(tmp_path, "a", "b"), answers) as found:
        assert counts(found) == (1, 0, 0, 0, 0)
        assert [known.trait.name for known in found.traits] == ["HealthBench"]


@pytest.fixture
def graded(shared):
    return shared / "data/interop/healthbench_graded/only_us_full_score.csv"


def test_rows_of_one_grade_are_verdicts_with_reasons(graded, tmp_path):
    with taken(tmp_path, graded) as found:
        assert counts(found) == (6, 6, 0, 6, 0)
        cells = [found.workspace.cell(number)[1] for number in range(1, 7)]
    assert [cell.labels.value for cell in cells].count(True) == 1
    assert "seeks context" in cells[0].judge.table["rationale"]


def test_the_index_of_a_rollout_may_have_a_point(tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(
        "prompt_id,model_response,criteria_met,rollout_index\n"
        "p,Call.,True,1.0\np,Wait.,False,2.0\n",
    )
    traces = recognise.read([path]).traces()
    assert [trace.record["epoch"] for trace in traces] == [1, 2]


@pytest.mark.parametrize("grade", [None, "", float("nan"), "could not be read"])
def test_a_criterion_without_a_grade_is_not_one_that_is_missed(tmp_path, grade):
    with taken(tmp_path, results(tmp_path, [item(7, True), item(3, grade)])) as found:
        assert (
            found.workspace.cell(1)[1].error.error
            == "There is no grade of: criterion 3"
        )
    path = tmp_path / "grades.jsonl"
    row = {"prompt_id": "p", "model_response": "Call.", "criteria_met": grade}
    path.write_text(json.dumps(row), "utf-8")
    (trace,) = recognise.read([path]).traces()
    assert trace.judged[0].failed == "There is no grade."


@pytest.mark.parametrize(("count", "words"), [(0, None), (1, "criterion 5"), (2, None)])
def test_the_words_of_a_grade_are_known_where_its_prompt_has_one_criterion(
    graded,
    tmp_path,
    count,
    words,
):
    prompt = "65ddb50e-0559-44f2-ac01-8f04284b8410"
    with taken(tmp_path, rubrics(tmp_path, prompt, count=count), graded) as found:
        assert counts(found) == (6, 6, 0, 6, 0)
        (known,) = {known.trait.name: known for known in found.traits}.values()
    assert (known.trait.description == words) == (words is not None)


@pytest.mark.parametrize("entry", [None, 1, "rubric_items"])
def test_an_example_that_is_no_table_is_none_of_simple_evals(entry):
    document = {"metadata": {"example_level_metadata": [entry]}}
    assert healthbench.examples_of(document) is None
