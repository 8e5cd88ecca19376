"""That a person cannot tell goes into no file of another tool as a number, and comes back as what it is."""

import csv
import json
from math import isnan

import pytest
from foreign_files import taken

from appellate.core.deciding import Correct
from appellate.core.facts import Proposed
from appellate.core.kind import CANNOT_TELL, Subject
from appellate.core.trace import Trace
from appellate.interop import inspect_log, karenina, promptfoo, recognise
from appellate.interop.foreign import rubric_of
from appellate.interop.rows import as_rows, write_csv
from appellate.interop.ruled import RuledCell
from appellate.interop.table_map import map_of
from appellate.interop.taking_in import TakenIn
from appellate.store.audits.audit import load_audit
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench

SAFE = LLMRubricTrait(name="Safe", kind="boolean", cannot_tell=True)
CLEAR = LLMRubricTrait(name="Clear", kind="score", cannot_tell=True)
TONE = LLMRubricTrait(
    name="Tone",
    kind="literal",
    classes={"kind": "a", "rude": "b"},
    cannot_tell=True,
)
TRAITS = (SAFE, CLEAR, TONE)
ANSWERS = [Trace(id=name, response=f"Take {name}.") for name in ("a", "b", "c")]


def ruled(trace="t", trait=SAFE, judged=True):
    """A cell that a judge could tell and a person could not."""
    labels = {"value": CANNOT_TELL, "evidence": []}
    subject = Subject(KIND, trait, Trace(id=trace, response="Take it."))
    judge = {"name": "gpt", "value": judged}
    reasons = ("It names no dose.",)
    return RuledCell(
        subject.trace,
        subject,
        "ada",
        "2026-11-22T12:00:00Z",
        {},
        reasons,
        trait.name,
        labels,
        judge,
    )


@pytest.fixture
def audit(tmp_path):
    """Each trait on three answers: the first and the last can be told, the second cannot."""
    with bench(tmp_path, *ANSWERS, of=Rubric(llm_traits=list(TRAITS))) as at:
        for number in range(1, 10):
            value = (True, 4, 1)[(number - 1) % 3]
            at.receive(
                number,
                Proposed({"value": value, "evidence": []}, {"name": "gpt"}),
            )
            if number in (4, 5, 6):
                at.do(
                    number,
                    Correct(Edit("set", value=CANNOT_TELL), "It names no dose."),
                )
            if number == 7:
                at.do(number, Correct(Edit("set", value=False)))
            at.sign_off(number, 5.0)
        at.save()
        yield load_audit(at.audit)


@pytest.mark.parametrize("form", ["", "langfuse", "phoenix", "mlflow", "langsmith"])
def test_rows_have_the_word_and_no_number(audit, form):
    rows = [json.loads(line) for line in as_rows(audit, form)]
    untold = [row for row in rows if CANNOT_TELL in json.dumps(row)]
    assert len(untold) == 3
    for row in untold:
        flat = {**row, **row.get("result", {})}
        scores = {flat.get("score"), flat.get("gen_ai.evaluation.score.value")}
        assert scores == {None}
        assert flat.get("value") in (None, CANNOT_TELL)
        assert "It names no dose." in json.dumps(row)


def test_rows_come_back_as_the_verdicts_that_they_were(audit, tmp_path):
    answers, rows = tmp_path / "a.jsonl", tmp_path / "rows.jsonl"
    lines = [json.dumps({"id": one.id, "response": one.response}) for one in ANSWERS]
    answers.write_text("\n".join(lines), "utf-8")
    rows.write_text("".join(as_rows(audit)), "utf-8")
    again = tmp_path / "again"
    again.mkdir()
    with taken(again, answers, rows) as found:
        kinds = {known.trait.name: known.trait for known in found.traits}
        assert (kinds["Safe"].kind, kinds["Safe"].cannot_tell) == ("boolean", True)
        assert (kinds["Tone"].kind, kinds["Tone"].cannot_tell) == ("literal", True)
        values = {}
        for trait in TRAITS:
            number = found.workspace.cells.number(("b", 1), trait.name)
            cell = found.workspace.cell(number)[1]
            assert cell.signed.by == "ada"
            values[trait.name] = cell.figures.words
    assert values["Safe"] == values["Tone"] == {"verdict": CANNOT_TELL}
    assert values["Clear"] == {"value": "unscored"}, (
        "scores of rows are of a scorer trait"
    )


def test_a_column_of_a_table_comes_back_with_it(audit, tmp_path):
    write_csv(audit, tmp_path)
    with (tmp_path / "cells.csv").open(newline="") as file:
        cells = [row for row in csv.DictReader(file) if row["trait"] == "Safe"]
    assert [row["value"] for row in cells] == ["true", CANNOT_TELL, "false"]
    table = tmp_path / "t.csv"
    rows = [
        f"{row['trace']},Take it.,{row['value']},{row['judge_value']}" for row in cells
    ]
    table.write_text("\n".join(["id,response,human,judge", *rows]), "utf-8")
    again = tmp_path / "again"
    again.mkdir()
    with taken(again, table, verdict__Safe="judge", person__Safe="human") as found:
        assert isinstance(found, TakenIn)
        [known] = found.traits
        assert (known.trait.kind, known.trait.cannot_tell) == ("boolean", True)
        values = [found.workspace.cell(number)[1].labels.value for number in (1, 2, 3)]
    assert values == [True, CANNOT_TELL, False]


def test_a_judge_that_never_can_tell_is_no_column_of_other_words(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(
        "id,response,human,judge\n1,a,yes,cannot tell\n2,b,no,Cannot tell\n",
        "utf-8",
    )
    file = recognise.read(
        [table],
        map_of({"verdict.Safe": "judge", "person.Safe": "human"}),
    )
    [trait] = rubric_of(file, file.traces()).table["llm_traits"]
    assert trait == {"name": "Safe", "kind": "boolean", "cannot_tell": True}


def test_karenina_gets_no_verdict_and_is_told_why():
    row = {
        "metadata": {"result_id": "t", "question_id": "q", "warnings": []},
        "template": {},
        "rubric": {
            "llm_trait_scores": {"Safe": True, "Other": False},
            "llm_trait_labels": {"Safe": "x"},
        },
    }
    document, count, notes = karenina.corrected([row], [ruled()])
    assert document[0]["rubric"] == {
        "llm_trait_scores": {"Other": False},
        "llm_trait_labels": {},
    }
    [warning] = document[0]["metadata"]["warnings"]
    assert "left out, cannot tell, by ada" in warning
    assert "It names no dose." in warning
    assert (count, len(notes)) == (1, 1)
    assert notes[0].startswith("1 verdict is that it cannot be told")


def test_promptfoo_keeps_a_row_that_a_person_could_not_tell_and_says_so():
    part = {
        "pass": True,
        "score": 1,
        "assertion": {"type": "llm-rubric", "value": "Safe"},
    }
    row = {
        "id": "t",
        "success": True,
        "score": 1,
        "gradingResult": {"pass": True, "score": 1, "componentResults": [part]},
        "testIdx": 0,
        "promptIdx": 0,
        "response": {"output": "Take it."},
        "prompt": {"raw": "x"},
        "provider": {"id": "p"},
        "vars": {},
    }
    before = json.dumps(row)
    document, _, notes = promptfoo.rated([row], [ruled()])
    assert json.dumps(document[0]) == before
    assert notes == [
        "1 row left unchanged: a person could not tell, and promptfoo has passed and failed alone",
    ]


def test_inspect_gets_no_number_for_it():
    [line] = inspect_log.precomputed([ruled()])
    row = json.loads(line)
    assert isnan(row["value"])
    assert row["metadata"]["cannot_tell"] is True
    assert row["explanation"] == "It names no dose."
    assert list(inspect_log.validation([ruled()])) == ["id,target\n"]
