"""What `export --to csv` wrote comes in again: the judge's side and the person's, as they were."""

import csv
import json
from pathlib import Path

import pytest
from foreign_files import taken

from appellate import load_audit
from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.interop.rows import TABLES, write_csv
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric import edits
from appellate.traits.rubric import Rubric
from cells import RESPONSE, bench, do, matrix, proposal

SAFE = LLMRubricTrait(name="Safe", kind="boolean")
TONE = LLMRubricTrait(name="Tone", kind="literal", classes={"kind": "a", "rude": "b"})
RUBRIC = Rubric(metric_traits=[matrix()], llm_traits=[SAFE, TONE])
GPT = {"name": "gpt"}
NAMES = ("=id", "-2", "'=id")


@pytest.fixture
def exported(tmp_path):
    """The folder of an export, of traces whose ids look like formulas."""
    folder = tmp_path / "out"
    folder.mkdir()
    with bench(tmp_path, *(Trace(id=name, response=RESPONSE) for name in NAMES), of=RUBRIC) as at:
        for number in range(1, 10, 3):
            at.receive(number, Proposed({"value": True, "evidence": []}, GPT))
            at.receive(number + 1, Proposed({"value": 0, "rationale": "-", "evidence": []}, GPT))
            at.receive(number + 2, proposal())
        at.do(1, Correct(Edit("set", False), "=No."))
        at.do(2, Correct(Edit("set", 1)))
        at.do(3, Correct(edits.Edit(**do("move tp fp")), "It is wrong."))
        at.do(3, Correct(edits.Edit(**do("drop tp"))))
        for number in range(1, 10):
            at.sign_off(number)
        at.save()
        write_csv(load_audit(at.audit), folder)
    return folder


def sides(cells):
    """Return both sides of each cell as an audit file has them, and who ruled and why."""
    return {
        (audited.trace.id, audited.cell.subject.trait.name): (
            audited.cell.subject.kind.write(audited.cell.labels),
            audited.cell.subject.kind.write(audited.cell.judge_labels),
            audited.cell.signed.by,
        )
        for audited in cells
    }


def test_both_sides_come_back_as_they_were(exported, tmp_path):
    before = load_audit(tmp_path / "x.audit.toml")
    again = tmp_path / "again"
    again.mkdir()
    with taken(again, exported / "cells.csv") as found:
        after = WorkspaceAudit(found.workspace.db)
        assert sides(after.cells) == sides(before.cells)
        assert found.workspace.rubric == before.rubric
        assert found.notes == []
        write_csv(after, again)
    for name in ("items", "cells"):
        assert without_times(again / f"{name}.csv") == without_times(exported / f"{name}.csv")


def without_times(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [row | {"at": "", "said_at": ""} for row in csv.DictReader(file)]


def test_the_folder_is_imported_in_one_command(exported, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["import", str(exported), "-o", "again.audit.toml"]) == 0
    assert "9 verdicts of people" in capsys.readouterr().err
    assert {trace.id for trace in load_audit("again.audit.toml").traces} == set(NAMES)


def test_rows_may_be_sorted_otherwise_meanwhile(exported, tmp_path):
    path = exported / "cells.csv"
    rows = without_times(path)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, TABLES["cells"])
        writer.writeheader()
        writer.writerows(reversed(rows))
    again = tmp_path / "again"
    again.mkdir()
    before = load_audit(tmp_path / "x.audit.toml")
    with taken(again, path) as found:
        assert sides(WorkspaceAudit(found.workspace.db).cells) == sides(before.cells)


def test_the_rubric_and_the_traces_are_files_by_themselves(exported):
    assert main(["check", str(exported / "rubric.toml"), str(exported / "traces.jsonl")]) == 0
    lines = Path(exported / "traces.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(NAMES)
