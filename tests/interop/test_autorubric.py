"""Data sets of autorubric, in the shape that its `RubricDataset.to_json` writes."""

import json

import pytest
from foreign_files import taken

CRITERIA = [
    {"name": "right", "weight": 10.0, "requirement": "States the right answer"},
    {"name": None, "weight": -5.0, "requirement": "Contains an error"},
    {
        "name": "tone",
        "weight": 1.0,
        "requirement": "How does it sound?",
        "scale_type": "nominal",
        "options": [
            {"label": "kind", "value": 1.0, "na": False},
            {"label": "rude", "value": 0.0, "na": False},
            {"label": "no words", "value": 0.0, "na": True},
        ],
    },
]
ITEMS = [
    {"submission": "42", "description": "a", "ground_truth": ["MET", "UNMET", "kind"]},
    {
        "submission": "43",
        "description": "b",
        "ground_truth": ["UNMET", "CANNOT_ASSESS", "rude"],
    },
    {"submission": "44", "description": "c", "ground_truth": None},
]


def dataset(folder, **changed):
    path = folder / "dataset.json"
    document = {
        "name": "n",
        "prompt": "What is 6 x 7?",
        "rubric": CRITERIA,
        "items": ITEMS,
    }
    path.write_text(json.dumps(document | changed, indent=2))
    return path


def test_what_is_true_of_a_submission_is_a_persons_verdict_on_each_criterion(tmp_path):
    with taken(tmp_path, dataset(tmp_path)) as found:
        assert (found.traces, found.verdicts, found.people) == (3, 0, 6)
        names = [one.trait.name for one in found.traits]
        assert names == ["right", "Contains an error", "tone"]
        assert [one.trait.kind for one in found.traits] == [
            "boolean",
            "boolean",
            "literal",
        ]
        cells = found.workspace.cells.of_trace(2)
        values = [found.workspace.cell(cells[name])[1].labels.value for name in names]
        assert values == [False, "cannot tell", 1]


def test_an_item_may_have_criteria_and_a_prompt_of_its_own(tmp_path):
    own = {"guidelines": "Be strict.", "criteria": CRITERIA[:1]}
    item = {
        **ITEMS[0],
        "ground_truth": ["MET"],
        "rubric": own,
        "prompt": "What is 40 + 2?",
    }
    with taken(tmp_path, dataset(tmp_path, rubric=None, items=[item])) as found:
        assert (found.traces, found.people) == (1, 1)
        assert found.workspace.traces.get(1).question == "What is 40 + 2?"


@pytest.mark.parametrize("verdict", [["MET"], {"MET": 1}, "MAYBE"])
def test_a_verdict_of_no_known_word_leaves_the_others_of_its_row(tmp_path, verdict):
    item = {**ITEMS[0], "ground_truth": [verdict, "UNMET", "kind"]}
    with taken(tmp_path, dataset(tmp_path, items=[item])) as found:
        assert (found.traces, found.people) == (1, 2)


@pytest.mark.parametrize("submission", [None, {"output": None}, {}])
def test_a_submission_without_text_is_no_response_of_that_name(tmp_path, submission):
    item = {**ITEMS[0], "submission": submission}
    with taken(tmp_path, dataset(tmp_path, items=[item])) as found:
        assert found.workspace.traces.get(1).response == ""
