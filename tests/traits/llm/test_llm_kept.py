"""An LLM cell in a workspace and in its audit: corrected, undone, judged again, and read back from the TOML alone."""

import tomllib

import pytest
from llm_traits import CLEAR, EVERY, TONE, TRACE, WARNS, excerpt, offsets

from appellate.core.deciding import Correct
from appellate.core.facts import Failed, Proposed
from appellate.core.problem import Refused
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Labels
from appellate.traits.rubric import Rubric
from cells import bench

RUBRIC = Rubric(llm_traits=list(EVERY))
NUMBERS = {trait.name: number for number, trait in enumerate(EVERY, 1)}
FOOD, DOCTOR = excerpt("with food"), excerpt("Ask a doctor")


def said(value, *evidence, **record):
    return Proposed(
        {"value": value, "evidence": list(evidence)},
        {"name": "gpt", **record},
    )


def cell(at, trait):
    return at.workspace.cell(NUMBERS[trait.name])[1]


def judge(at):
    """A judge's verdicts on all three traits."""
    for trait, proposed in (
        (WARNS, said(True, "with food")),
        (CLEAR, said(2)),
        (TONE, said(1)),
    ):
        at.receive(NUMBERS[trait.name], proposed)


def corrected(at, trait, **edit):
    return at.do(NUMBERS[trait.name], Correct(Edit(**edit)))


def judgments(at):
    at.save()
    table = tomllib.loads(at.audit.read_text("utf-8"))
    return {one["trait"]: one for one in table["traces"][0]["judgments"]}


def test_the_file_has_what_the_judge_said_what_stands_and_what_was_done(tmp_path):
    with bench(tmp_path, TRACE, of=RUBRIC) as at:
        judge(at)
        corrected(at, WARNS, action="set", value=False, **offsets(DOCTOR))
        corrected(at, TONE, action="set", value=2)
        found = judgments(at)
    warns, tone = found["Warns"], found["Tone"]
    assert (warns["kind"], warns["judge"]["value"], warns["judge"]["evidence"]) == (
        "llm",
        True,
        ["with food"],
    )
    assert warns["audited"] == {"value": False, "evidence": ["Ask a doctor"]}
    assert warns["items"] == [{"index": 0, **offsets(DOCTOR)}]
    assert (warns["metrics"], warns["judge_metrics"]) == ({"yes": 0.0}, {"yes": 1.0})
    assert tone["audited"] == {"value": 2, "class": "rude", "evidence": []}
    [correction] = tone["corrections"]
    assert (correction["action"], correction["value"], correction["class"]) == (
        "set",
        2,
        "rude",
    )
    assert (correction["before"], correction["after"]) == ("plain", "rude")


def test_a_cell_that_failed_or_was_never_judged_is_answered_by_hand(tmp_path):
    with bench(tmp_path, TRACE, of=RUBRIC) as at:
        at.receive(NUMBERS["Warns"], Failed("no answer", {"name": "gpt"}))
        with pytest.raises(Refused, match="give one first"):
            corrected(at, WARNS, action="add", **offsets(DOCTOR))
        corrected(at, WARNS, action="set", value=True)
        corrected(at, WARNS, action="add", **offsets(DOCTOR))
        assert (cell(at, WARNS).labels, cell(at, WARNS).state) == (
            Labels(True, "", (DOCTOR,)),
            "corrected",
        )
        corrected(at, CLEAR, action="set", value=3)
        found = judgments(at)
    assert "judge" not in found["Clear"]
    assert found["Clear"]["audited"] == {"value": 3, "evidence": []}
