"""An LLM cell in a workspace and in its audit: corrected, undone, judged again, and read back from the TOML alone."""

import tomllib

import pytest
from llm_traits import CLEAR, EVERY, TONE, TRACE, WARNS, excerpt

from appellate.core.deciding import Correct, SignOff
from appellate.core.facts import Failed, Proposed
from appellate.core.problem import Refused
from appellate.store.audits.open_audit import resume
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Labels
from appellate.traits.rubric import Rubric
from cells import bench, place

RUBRIC = Rubric(llm_traits=list(EVERY))
NUMBERS = {trait.name: number for number, trait in enumerate(EVERY, 1)}
FOOD, DOCTOR = excerpt("with food"), excerpt("Ask a doctor")


def said(value, *evidence, **record):
    return Proposed({"value": value, "evidence": list(evidence)}, {"name": "gpt", **record})


def cell(at, trait):
    return at.workspace.cell(NUMBERS[trait.name])[1]


def judge(at):
    """A judge's verdicts on all three traits."""
    for trait, proposed in ((WARNS, said(True, "with food")), (CLEAR, said(2)), (TONE, said(1))):
        at.receive(NUMBERS[trait.name], proposed)


def corrected(at, trait, **edit):
    return at.do(NUMBERS[trait.name], Correct(Edit(**edit)))


def judgments(at):
    at.save()
    table = tomllib.loads(at.audit.read_text("utf-8"))
    return {one["trait"]: one for one in table["traces"][0]["judgments"]}


def test_a_verdict_is_corrected_taken_back_and_done_again(tmp_path):
    with bench(tmp_path, TRACE, of=RUBRIC) as at:
        judge(at)
        corrected(at, CLEAR, action="set", value=4)
        assert cell(at, CLEAR).labels == Labels(4)
        assert (cell(at, CLEAR).state, cell(at, CLEAR).measure().values) == (
            "corrected",
            {"score": 4.0},
        )
        at.undo()
        assert (cell(at, CLEAR).labels, cell(at, CLEAR).state) == (Labels(2), "proposed")
        at.redo()
        assert cell(at, CLEAR).labels == Labels(4)


def test_the_file_has_what_the_judge_said_what_stands_and_what_was_done(tmp_path):
    with bench(tmp_path, TRACE, of=RUBRIC) as at:
        judge(at)
        corrected(at, WARNS, action="set", value=False, start=DOCTOR.start, end=DOCTOR.end)
        corrected(at, TONE, action="set", value=2)
        found = judgments(at)
    warns, tone = found["Warns"], found["Tone"]
    assert (warns["kind"], warns["judge"]["value"], warns["judge"]["evidence"]) == (
        "llm",
        True,
        ["with food"],
    )
    assert warns["audited"] == {"value": False, "evidence": ["Ask a doctor"]}
    assert warns["items"] == [{"index": 0, "start": DOCTOR.start, "end": DOCTOR.end}]
    assert (warns["metrics"], warns["judge_metrics"]) == ({"yes": 0.0}, {"yes": 1.0})
    assert tone["audited"] == {"value": 2, "class": "rude", "evidence": []}
    [correction] = tone["corrections"]
    assert (correction["action"], correction["value"], correction["class"]) == ("set", 2, "rude")
    assert (correction["before"], correction["after"]) == ("plain", "rude")


def test_the_audit_alone_brings_everything_back_and_is_written_as_it_was(tmp_path):
    with bench(tmp_path, TRACE, of=RUBRIC) as at:
        judge(at)
        corrected(at, WARNS, action="add", start=DOCTOR.start, end=DOCTOR.end)
        at.do(NUMBERS["Clear"], SignOff(CLEAR.sha256()))
        at.save()
        before, kept = at.audit.read_bytes(), [cell(at, trait).labels for trait in EVERY]
    place(tmp_path).workspace.unlink()
    opened = resume(place(tmp_path))
    with opened.workspace as workspace:
        assert [workspace.cell(number)[1].labels for number in (1, 2, 3)] == kept
        assert workspace.cell(2)[1].state == "reviewed"
    assert place(tmp_path).audit.read_bytes() == before


def test_a_cell_that_failed_or_was_never_judged_is_answered_by_hand(tmp_path):
    with bench(tmp_path, TRACE, of=RUBRIC) as at:
        at.receive(NUMBERS["Warns"], Failed("no answer", {"name": "gpt"}))
        with pytest.raises(Refused, match="give one first"):
            corrected(at, WARNS, action="add", start=DOCTOR.start, end=DOCTOR.end)
        corrected(at, WARNS, action="set", value=True)
        corrected(at, WARNS, action="add", start=DOCTOR.start, end=DOCTOR.end)
        assert (cell(at, WARNS).labels, cell(at, WARNS).state) == (
            Labels(True, "", (DOCTOR,)),
            "corrected",
        )
        corrected(at, CLEAR, action="set", value=3)
        found = judgments(at)
    assert "judge" not in found["Clear"]
    assert found["Clear"]["audited"] == {"value": 3, "evidence": []}


def test_a_later_round_comes_in_under_the_corrections(tmp_path):
    with bench(tmp_path, TRACE, of=RUBRIC) as at:
        judge(at)
        corrected(at, CLEAR, action="set", value=4)
        corrected(at, WARNS, action="drop", seen="with food")
        at.receive(NUMBERS["Clear"], said(3, "Take care", round=2))
        at.receive(NUMBERS["Warns"], said(True, "with food", "Take care", round=2))
        at.receive(NUMBERS["Tone"], said(0, round=2))
        assert cell(at, CLEAR).labels == Labels(4, "", (excerpt("Take care"),))
        assert cell(at, WARNS).labels == Labels(True, "", (excerpt("Take care"),))
        assert cell(at, TONE).labels == Labels(0, "formal")
        assert cell(at, CLEAR).judge.table["value"] == 3
