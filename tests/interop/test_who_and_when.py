"""Runs of Who&When: the step that people blame comes in as theirs, and a judge is held against it."""

import json
import re
from pathlib import Path

import pytest

from app.review_stage import NARROW, sitting
from appellate.cli import main
from appellate.core.trace import Trace
from appellate.interop import recognise
from appellate.interop.runs.who_and_when import ONLY_DECISIVE, PEOPLE, STEPS
from appellate.store.audits.audit import load_audit
from appellate.store.files.trace_record import trace_of
from appellate.store.files.trace_source import Record
from appellate.traits.rubric import Rubric
from appellate.traits.steps.measures import first_wrong
from appellate.traits.steps.spec import StepsRubricTrait
from loopback import completion, served

BLAMED = {
    "algorithm_14": (4, "Computer_terminal"),
    "algorithm_37": (3, "Cubing_Expert"),
    "algorithm_48": (8, "Geometry_Expert"),
    "algorithm_61": (7, "PythonProgramming_Expert"),
    "handcrafted_22": (5, "WebSurfer"),
    "handcrafted_24": (2, "Orchestrator"),
    "handcrafted_25": (19, "Orchestrator"),
    "handcrafted_32": (7, "Orchestrator"),
}
"""The step that each run's people blame, by its number in the transcript, and who speaks there."""


@pytest.fixture
def runs(shared) -> Path:
    return shared / "data/agents/who_and_when"


def audit_of(folder, monkeypatch, *files):
    """An audit of some runs, which are taken in one after the other."""
    monkeypatch.chdir(folder)
    for file in files:
        assert main(["import", str(file), "-o", "x.audit.toml"]) == 0
    return folder / "x.audit.toml"


def steps_cells(path):
    """The cells of the steps trait by the ids of their traces."""
    return {
        one.trace.id: one.cell
        for one in load_audit(path).cells
        if one.cell.subject.trait.name == STEPS
    }


def test_the_blamed_step_of_each_run_is_a_persons_and_the_others_are_right(
    runs,
    tmp_path,
    monkeypatch,
):
    path = audit_of(tmp_path, monkeypatch, *(runs / f"{name}.json" for name in BLAMED))
    cells = steps_cells(path)
    for name, (number, agent) in BLAMED.items():
        document = json.loads((runs / f"{name}.json").read_text("utf-8"))
        cell = cells[document["question_ID"]]
        assert cell.signed.by == PEOPLE
        first = first_wrong(cell.subject.trait, cell.labels)
        assert (first.no, first.agent) == (number, agent)
        assert [step.no for step in cell.labels.not_right] == [number]
        assert cell.labels.outcome == "failed"
        assert cell.judge is None
        assert cell.steps[0].edit.verdict == "wrong"


def test_the_reason_of_people_stands_with_the_verdict(
    runs,
    tmp_path,
    monkeypatch,
    capsys,
):
    path = audit_of(tmp_path, monkeypatch, runs / "algorithm_37.json")
    capsys.readouterr()
    assert main(["log", str(path)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "ruled step 3: right → wrong because: The answer provided by Cubing_Expert"
        in told
    )
    assert told.count("The answer provided by Cubing_Expert") == 2, "one trait each"


@pytest.mark.parametrize(
    ("place", "blames"),
    [("0", False), ("1", True), ("99", False), ("-", False)],
)
def test_a_step_that_is_no_agents_is_blamed_by_nobody_and_told(tmp_path, place, blames):
    document = {
        "question": "Where?",
        "question_ID": "q",
        "is_correct": False,
        "mistake_agent": "Solver",
        "mistake_step": place,
        "mistake_reason": "It guesses.",
        "history": [
            {"role": "human", "content": "Where?"},
            {"role": "assistant", "name": "Solver", "content": "There."},
        ],
    }
    file = tmp_path / "run.json"
    file.write_text(json.dumps(document), "utf-8")
    found = recognise.read([file])
    (trace,) = found.traces()
    assert any(verdict.trait == STEPS for verdict in trace.people) == blames
    told = (
        ONLY_DECISIVE if blames else f'"q": mistake_step {place!r} is no agent\'s step.'
    )
    assert "".join(found.notes()) == told


def blaming(later):
    """A server that calls the step wrong which is so many after the first, of every run."""

    def script(asked):
        found = re.search(
            r"(\d+) steps of this run get a verdict, by their numbers: (\d+)",
            asked.user,
        )
        wrong = {
            "step": int(found[2]) + later,
            "rationale": "Astray.",
            "verdict": "wrong",
        }
        return completion(
            {"steps": [wrong], "seen": int(found[1]), "outcome": "failed"},
        )

    return script


def test_a_judge_is_held_against_people_as_who_and_when_measures_it(
    runs,
    tmp_path,
    monkeypatch,
    capsys,
):
    names = ("algorithm_14", "algorithm_37", "handcrafted_24")
    path = audit_of(tmp_path, monkeypatch, *(runs / f"{name}.json" for name in names))
    monkeypatch.setenv("KEY", "k")
    with served(blaming(1)) as server:
        again = [
            "judge",
            str(path),
            "--again",
            "--where",
            f"trait:{STEPS}",
            "--model",
            "m",
        ]
        assert main([*again, "--base-url", server.url, "--api-key-env", "KEY"]) == 0
        assert len(server.asked) == len(names)
    capsys.readouterr()
    assert main(["metrics", str(path), "--json"]) == 0
    traits = {one["name"]: one for one in json.loads(capsys.readouterr().out)["traits"]}
    between = {name: row["macro"] for name, row in traits[STEPS]["between"].items()}
    # people blame 4, 3 and 2; the judge 3, 3 and 3
    assert between["same_first_wrong"] == pytest.approx(1 / 3)
    assert between["within_one"] == 1
    assert between["same_agent"] == pytest.approx(2 / 3)
    agreement = traits[STEPS]["agreement"]
    assert agreement["sensitivity"] == agreement["precision"] == pytest.approx(1 / 3)
    ended = next(row for row in traits[STEPS]["instructions"] if row["of"] == "outcome")
    assert (ended["agreement"]["compared"], ended["agreement"]["agreed"]) == (3, 3)
    assert all(cell.state == "reviewed" for cell in steps_cells(path).values())


MOST_KEYS = 5
"""i, two digits, Enter, the verdict: from the top of a run that nobody labelled."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BLAMED)
async def test_the_first_wrong_step_is_marked_with_few_keys(runs, tmp_path, name):
    (found,) = recognise.read([runs / f"{name}.json"]).traces()
    rubric = Rubric(steps_traits=[StepsRubricTrait(name=STEPS)])
    number, _ = BLAMED[name]
    async with sitting(
        tmp_path,
        (rubric, [Trace(**found.record)], [[]]),
        size=NARROW,
    ) as at:
        down = next(
            index
            for index, step in enumerate(at.screen.pane.items.rows.every)
            if step.no == number
        )
        keys = [*["j"] * down, "2"]
        by_number = ["i", *str(number), "enter", "2"]
        keys = min(keys, by_number, key=len)
        await at.press(*keys)
        assert [step.no for step in at.cell.labels.not_right] == [number]
        assert len(keys) <= MOST_KEYS


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ground_truth", 42),
        ("question", 42),
        ("question", ["Who?", "When?"]),
        ("mistake_step", 1.0),
        ("mistake_step", "1.0"),
        ("is_correct", 0),
        ("is_correct", "False"),
        ("is_correct", None),
        ("question_ID", 0),
    ],
)
def test_a_run_that_a_data_frame_or_a_person_wrote_again_is_read(tmp_path, key, value):
    run = {
        "history": [
            {"role": "human", "content": "Who?"},
            {"role": "Ada", "content": "I."},
        ],
        "mistake_agent": "Ada",
        "mistake_step": "1",
        "question": "Who was it?",
        "ground_truth": "Bob",
        "question_ID": "q",
        "is_correct": False,
        "is_corrected": False,
    }
    path = tmp_path / "run.json"
    path.write_text(json.dumps({**run, key: value}), "utf-8")
    (trace,) = recognise.read([path]).traces()
    assert [person.trait for person in trace.people] == ["Task solved", STEPS]
    assert trace.people[0].value is False
    assert trace.record["id"] == ("0" if key == "question_ID" else "q")
    assert trace_of(Record(trace.record, 1), "run.json")[0].id == trace.record["id"]
