"""Results of Reward Kit label the run beside them. The files are handmade after the tool's source."""

import json

import pytest
from foreign_files import counts

from appellate.core.problem import Unusable
from appellate.interop import recognise
from appellate.interop.taking_in import take_in
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.files.rubric_file import load_rubric

DETAILS = {
    "quality": {
        "score": 0.5,
        "criteria": [
            {
                "name": "is_the_code_correct",
                "value": 1.0,
                "raw": "yes",
                "weight": 1.0,
                "description": "Is the code correct?",
                "reasoning": "It runs.",
            },
            {
                "name": "style",
                "value": 0.75,
                "raw": 4,
                "weight": 2.0,
                "description": "Its style",
            },
            {
                "name": "rude",
                "value": 0.0,
                "raw": None,
                "weight": 1.0,
                "error": "judge timed out after 300s",
            },
        ],
        "kind": "llm",
        "judge": {"model": "anthropic/claude", "files": []},
        "judge_output": "…",
    },
    "reward": {
        "kind": "group",
        "score": 1.0,
        "aggregation": "weighted-mean",
        "components": [
            {
                "name": "checks",
                "weight": 1.0,
                "detail": {
                    "score": 1.0,
                    "criteria": [
                        {"name": "style", "value": 1.0, "raw": True, "weight": 1.0},
                    ],
                    "kind": "programmatic",
                },
            },
        ],
    },
}
JUDGE = """
[judge]
judge = "anthropic/claude"

[[criterion]]
description = "Is the code correct?"
type = "binary"

[[criterion]]
name = "style"
description = "Its style"
type = "likert"
points = 5
"""

LEVELS = """
[[criterion]]
name = "depth"
description = "How deep is it?"
type = "rubric"
levels = ["Wrong", "Right", "Right, with its source"]

[[criterion]]
name = "tone"
description = "Its tone"
type = "rubric"
levels = ["2", "1", "0"]

[[criterion]]
name = "span"
description = "Its span"
type = "rubric"
levels = ["short", "long"]
"""


def trial(folder, name, details=DETAILS, *, is_compact=False):
    """The run and the results of a trial, in the folders where Harbor has them."""
    run = folder / name / "agent" / "trajectory.json"
    results = folder / name / "verifier" / "reward-details.json"
    for path in (run, results):
        path.parent.mkdir(parents=True)
    steps = [
        {"step_id": 1, "source": "user", "message": "Write a sort."},
        {"step_id": 2, "source": "agent", "message": "Done, see sort.py."},
    ]
    agent = {"name": "a", "version": "1", "model_name": "m"}
    document = {
        "schema_version": "ATIF-v1.5",
        "session_id": name,
        "agent": agent,
        "steps": steps,
    }
    run.write_text(json.dumps(document), "utf-8")
    results.write_text(json.dumps(details, indent=None if is_compact else 2), "utf-8")
    (results.parent / "reward.json").write_text(
        json.dumps({"quality": 0.5, "reward": 1.0}),
    )
    return run, results


def imported(folder, paths, rubric=None):
    place = AuditFiles.of(folder / "x.audit.toml")
    return take_in(recognise.read(paths), "x", place, "0", rubric=rubric)


@pytest.mark.parametrize("is_compact", [False, True])
def test_criteria_label_the_run_with_reasons_and_what_failed(tmp_path, is_compact):
    found = imported(tmp_path, trial(tmp_path, "t1", is_compact=is_compact))
    with found.workspace:
        assert counts(found) == (1, 3, 1, 1, 0)
        cells = {
            audited.cell.subject.trait.name: audited.cell
            for audited in WorkspaceAudit(found.workspace.db).cells
        }
    assert cells["Is the code correct?"].labels.value is True
    assert cells["Is the code correct?"].labels.rationale == "It runs."
    assert cells["Is the code correct?"].base.what.judge["name"] == "anthropic/claude"
    assert cells["rude"].error.error == "judge timed out after 300s"
    assert cells["checks: style"].base.what.judge["name"] == "programmatic"


def test_results_belong_to_the_run_in_the_nearest_folder(tmp_path):
    other = {
        "quality": {"score": 0, "criteria": [{"name": "style", "value": 0, "raw": 1}]},
    }
    paths = [*trial(tmp_path, "t1"), *trial(tmp_path, "t2", other)]
    found = imported(tmp_path, [*paths, paths[1].parent / "reward.json"])
    with found.workspace:
        assert found.traces == 2
        values = {
            audited.trace.id: audited.cell.labels.standing.values[""]
            for audited in WorkspaceAudit(found.workspace.db).cells
            if audited.cell.subject.trait.name == "style" and audited.cell.labels
        }
    assert values == {"t1": 4, "t2": 1}


def test_the_tools_own_rubric_gets_the_verdicts_of_its_criteria(tmp_path):
    path = tmp_path / "judge.toml"
    path.write_text(JUDGE, "utf-8")
    rubric = load_rubric(path)
    found = imported(tmp_path, trial(tmp_path, "t1"), rubric)
    with found.workspace:
        traits = [known.trait for known in found.traits]
        assert [trait.name for trait in traits] == ["Is the code correct?", "style"]
        assert traits[1].max_score == 5
        assert found.verdicts == 2


def test_a_level_is_the_class_that_the_rubric_says_by_its_number(tmp_path):
    path = tmp_path / "judge.toml"
    path.write_text(LEVELS, "utf-8")
    scored = [{"name": "depth", "value": 0.5, "raw": 1, "reasoning": "No source."}]
    scored += [
        {"name": "tone", "value": 1.0, "raw": 2.0},
        {"name": "span", "value": 1, "raw": 7},
    ]
    details = {"judge": {"score": 0.5, "criteria": scored}}
    found = imported(tmp_path, trial(tmp_path, "t1", details), load_rubric(path))
    with found.workspace:
        cells = {
            audited.cell.subject.trait.name: audited.cell
            for audited in WorkspaceAudit(found.workspace.db).cells
        }
    depth = cells["depth"]
    assert depth.labels.value == 1
    assert depth.labels.rationale == "No source."
    assert cells["tone"].labels.value == 2
    assert "'7' is none of the classes" in cells["span"].error.error.replace('"', "'")


def test_results_without_the_run_are_refused_with_what_to_give(tmp_path):
    _, results = trial(tmp_path, "t1")
    with pytest.raises(Unusable, match="without the run that they are of"):
        recognise.read([results])


def test_results_that_may_be_of_two_runs_are_refused(tmp_path):
    run, results = trial(tmp_path, "t1")
    second = run.with_name("second.json")
    second.write_text(run.read_text())
    with pytest.raises(Unusable, match="it may be of"):
        recognise.read([run, second, results])


def test_criteria_of_one_name_in_one_reward_stay_apart(tmp_path):
    run = {
        "schema_version": "ATIF-v1.5",
        "session_id": "s",
        "steps": [{"source": "agent", "message": "Done."}],
    }
    judged = [
        {"score": raw, "kind": "llm", "criteria": [{"name": "style", "raw": raw}]}
        for raw in (1, 2, 3)
    ]
    paths = [tmp_path / "trajectory.json", tmp_path / "reward-details.json"]
    for path, document in zip(paths, (run, {"quality": judged}), strict=True):
        path.write_text(json.dumps(document), "utf-8")
    (trace,) = recognise.read(paths).traces()
    assert {verdict.trait: verdict.value for verdict in trace.judged} == {
        "style": 1,
        "quality: style": 2,
        "quality 2: style": 3,
    }
