"""Verdicts of other tools that no trait can have, and texts in them that no file can hold."""

import json

import pytest

from appellate.interop.table_map import map_of
from appellate.interop.taking_in import examined, preview
from appellate.store.files.rubric_file import parse_rubric

METRIC = {"metric_traits": [{"name": "T", "metrics": ["f1"], "tp_instructions": ["i"]}]}


def written(folder, *rows):
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("verdict", [{"x": 1}, {"class": "C"}, {"class": ["tie"]}])
def test_a_table_that_names_no_winner_is_no_verdict_on_a_pair(tmp_path, verdict):
    pair = {"id": "1", "response_a": "x", "response_b": "y", "judge": "A"}
    path = written(
        tmp_path,
        pair | {"human": verdict},
        pair | {"id": "2", "human": "B"},
    )
    entries = {"response": "response_a", "other": "response_b"}
    entries |= {"verdict.T": "judge", "person.T": "human"}
    imported = examined([path], map_of(entries)).imported
    assert imported.people == 1
    (note,) = imported.notes
    assert note.startswith("A verdict of human on T has no place here")


@pytest.mark.parametrize(
    "verdict",
    [{"tp": ["x"], "items": 5}, {"tp": 5}, {"tp": "x"}, {"items": [5]}],
)
def test_lists_that_are_no_lists_are_no_verdict_of_a_person(tmp_path, verdict):
    path = written(tmp_path, {"id": "1", "response": "x", "human": verdict})
    rubric = parse_rubric(METRIC, "r.toml").usable()
    imported = examined([path], map_of({"person.T": "human"}), rubric=rubric).imported
    assert imported.people == 0
    assert any("has no place here" in note for note in imported.notes)


def langsmith(**changed):
    feedback = {"key": "F", "score": 1, "comment": "why", "created_at": "noon"}
    feedback["feedback_source"] = {"type": "app", "user_name": "ann"}
    for key, value in changed.items():
        if key == "user_name":
            feedback["feedback_source"] = {"type": "app", key: value}
        else:
            feedback[key] = value
    return {
        "id": "1",
        "inputs": {"question": "q"},
        "outputs": {"answer": "a"},
        "feedback": [feedback],
    }


@pytest.mark.parametrize("key", ["comment", "created_at", "user_name"])
def test_half_a_character_in_a_persons_verdict_becomes_a_question_mark(tmp_path, key):
    path = written(tmp_path, langsmith(), langsmith(**{key: "\ud800"}) | {"id": "2"})
    found = examined([path])
    assert found.imported.people == 2
    assert preview(found)


def test_half_a_character_in_a_judges_lists_becomes_a_question_mark(tmp_path):
    verdict = {"tp": ["\ud800"]}
    path = written(tmp_path, {"id": "1", "response": "?", "judge": verdict})
    rubric = parse_rubric(METRIC, "r.toml").usable()
    found = examined([path], map_of({"verdict.T": "judge"}), rubric=rubric)
    assert found.imported.verdicts == 1
    preview(found).encode()


def test_half_a_character_as_a_word_for_no_becomes_a_question_mark(tmp_path):
    rows = [{"id": "1", "response": "x", "judge": "pass"}]
    rows.append({"id": "2", "response": "x", "judge": "\ud800"})
    path = written(tmp_path, *rows)
    found = examined([path], map_of({"verdict.T": "judge", "positive.T": "pass"}))
    assert found.imported.verdicts == 2
    assert found.imported.description_lines == ['T: yes or no; yes = "pass", no = "?"']
