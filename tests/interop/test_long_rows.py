"""Tables for other programs: typed from the first row on, whole, without formulas."""

import csv
import io
import json
import math

import pytest

from appellate import load_audit
from appellate.core.deciding import Correct, Draw
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.interop.rows import as_rows, write_csv
from appellate.interop.typed_lines import LOOKED_AT
from appellate.numbers.data import as_entered, entry
from appellate.store.audits.long_table import LONG_COLUMNS, NUMBERS, WHOLE
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench, checklist, proposal, rules, trace

TONE = LLMRubricTrait(name="Tone", kind="literal", classes={"kind": "a", "rude": "b"})
CLEAR = LLMRubricTrait(name="Clear", kind="score")
MANY = 2 * LOOKED_AT + 1
JUDGE = {"name": "gpt", "model": "gpt-9", "prompt_sha256": "abc"}


def read_csv(folder, name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    """An audit in which the first number, name of a model and word for an id come last."""
    folder = tmp_path_factory.mktemp("late")
    traces = [Trace(id=str(number), response="Take it.") for number in range(1, MANY)]
    traces.append(Trace(id="=1+1", response="Take it.", model="gpt"))
    with bench(folder, *traces, of=Rubric(llm_traits=[TONE, CLEAR])) as at:
        for number in range(1, 2 * MANY, 2):
            at.receive(number, Proposed({"value": 0, "evidence": []}, JUDGE))
            at.sign_off(number)
        at.receive(
            2 * MANY,
            Proposed({"value": 4, "rationale": "Clear.", "evidence": []}, JUDGE),
        )
        at.sign_off(2 * MANY)
        at.save()
        return load_audit(at.audit)


def test_a_row_that_tells_the_type_of_a_column_comes_early(late, tmp_path):
    _, count = write_csv(late, tmp_path)
    cells = read_csv(tmp_path, "cells")
    assert len(cells) == count == MANY + 1
    assert "'=1+1" in {row["trace"] for row in cells[:5]}
    assert [row["trace"] for row in cells[5:9]] == ["4", "5", "6", "7"]
    lines = list(as_rows(late))
    assert json.loads(lines[0])["gen_ai.evaluation.score.value"] == 4.0
    assert len(lines) == len(set(lines)) == MANY + 1


def test_pandas_and_polars_read_whatever_comes_late(late, tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    polars = pytest.importorskip("polars", reason="polars is not installed")
    write_csv(late, tmp_path)
    for name in ("cells", "items", "corrections", "verdicts"):
        path = tmp_path / f"{name}.csv"
        assert len(polars.read_csv(path)) == len(pandas.read_csv(path)), name
    assert polars.read_csv(tmp_path / "cells.csv").schema["score"] == polars.Float64
    lines = "".join(as_rows(late))
    frame = polars.read_ndjson(io.StringIO(lines))
    assert frame.schema["gen_ai.evaluation.score.value"] == polars.Float64
    assert len(pandas.read_json(io.StringIO(lines), lines=True)) == len(frame)
    rows = late.rows()
    assert polars.DataFrame(rows).schema["judge_score"] == polars.Float64
    assert len(pandas.DataFrame(rows)) == len(rows) == MANY + 1


def test_every_column_of_the_long_table_has_one_type(late):
    for row in late.rows():
        assert tuple(row) == LONG_COLUMNS
        for column, value in row.items():
            kind = float if column in NUMBERS else int if column in WHOLE else str
            assert type(value) is kind, column


def test_a_row_of_the_long_table_has_both_verdicts_and_what_they_were_made_under(late):
    row = late.rows()[-1]
    assert row["trace"] == "=1+1", "an id in Python is as it was"
    assert (row["trait"], row["judge"], row["judge_score"], row["person_score"]) == (
        "Clear",
        "4",
        4.0,
        4.0,
    )
    assert (row["judge_reason"], row["prompt_sha256"]) == ("Clear.", "abc")
    assert row["judge_version"] == '{"model": "gpt-9"}'
    assert row["trait_sha256"] == late.rubric.llm_traits[1].sha256()
    assert math.isnan(late.rows()[0]["judge_score"]), "a class is no number"


def test_a_cell_of_lists_has_a_row_for_each_instruction(tmp_path):
    with bench(tmp_path, trace(), of=Rubric(metric_traits=[checklist()])) as at:
        at.receive(1, proposal())
        at.save()
        rows = load_audit(at.audit).rows()
    assert [row["instruction"] for row in rows][:4] == checklist().tp_instructions
    assert {row["judge"] for row in rows} <= {"tp", "fn", "fp", "fn, fp"}
    assert {row["person"] for row in rows} == {""}, "nobody has ruled"


def test_a_verdict_that_was_given_blind_is_no_correction(tmp_path):
    with bench(tmp_path, trace(), of=Rubric(llm_traits=[CLEAR])) as at:
        at.receive(1, Proposed({"value": 4, "evidence": []}, {"name": "gpt"}))
        at.do(1, Draw(True))
        at.do(1, Correct(Edit("set", 2)))
        rules(at, 1)
        at.save()
        audit = load_audit(at.audit)
    out = tmp_path / "out"
    out.mkdir()
    write_csv(audit, out)
    assert read_csv(out, "corrections") == []
    (cell,) = read_csv(out, "cells")
    assert (cell["value"], cell["judge_value"]) == ("2", "4")
    (row,) = audit.rows()
    assert (row["blind"], row["judge"], row["person"]) == ("yes", "4", "2")


@pytest.mark.parametrize(
    "text",
    ["=1+1", "-x", "'=1", "''@a", " =a", "'a", "-1.5", "a", "+", ""],
)
def test_a_text_comes_back_from_a_cell_as_it_was(text):
    assert as_entered(entry(text)) == text
    assert not entry(text).lstrip().startswith(("=", "@", "+", "-x"))
