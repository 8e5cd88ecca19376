"""An audit of every kind of trait at once, on real answers: from the rubric to the report."""

import json
import tomllib
from pathlib import Path

import pytest

from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.core.kind import AnyKind
from appellate.core.problem import Refused
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.files.rubric_file import parse_rubric
from test_end_to_end import in_one_process

RUBRIC = r"""
[[llm_traits]]
name = "Hedges"
kind = "boolean"
description = "Whether the answer excuses itself"
higher_is_better = false

[[llm_traits]]
name = "Clear"
kind = "score"
min_score = 0
max_score = 3

[[llm_traits]]
name = "Tone"
kind = "literal"
classes = {plain = "As one talks", formal = "As in a paper"}

[[regex_traits]]
name = "Stresses"
pattern = '\*\*[^*]+\*\*'

[[regex_traits]]
name = "No Apology"
pattern = 'I apologi[sz]e|sorry'
case_sensitive = false
invert_result = true

[[questions]]
id = "chromosomes"
question = "How many chromosomes are in a human somatic cell?"
  [[questions.metric_traits]]
  name = "Count"
  metrics = ["precision", "recall", "f1"]
  tp_instructions = ["States that there are 46 chromosomes", "Mentions 22 pairs of autosomes"]
"""
CELLS = {"llm": 12, "regex": 8, "metric": 1}
EDITS = {
    "metric": [{"action": "drop", "bucket": "tp", "index": 0}],
    "llm": [{"action": "set", "value": value} for value in (True, False, 0, 1)],
    "regex": [{"action": "overrule", "value": value} for value in (True, False)],
}


@pytest.fixture
async def audit(shared, tmp_path) -> Path:
    """Four real answers, judged by a server and by nobody."""
    rubric = parse_rubric(tomllib.loads(RUBRIC), "r.toml").usable()
    audit, answers = (
        tmp_path / "x.audit.toml",
        shared / "data" / "karenina" / "real_answers.jsonl",
    )
    asked = len(await in_one_process(audit, rubric, answers))
    of_models = CELLS["llm"] + CELLS["metric"]
    assert of_models <= asked <= 2 * of_models  # excerpts may be asked for again
    return audit


def states(path: Path) -> dict[str, set[str]]:
    """The states of the cells by their kind."""
    found: dict[str, set[str]] = {}
    for one in load_audit(path).cells:
        found.setdefault(one.cell.subject.kind.name, set()).add(one.cell.state)
    return found


def correct(bench: Workbench, number: int, kind: AnyKind) -> bool:
    """Makes the first correction that is not refused."""
    for row in EDITS[kind.name]:
        try:
            bench.do(number, Correct(kind.edit(row), "it is so"))
        except Refused:
            continue
        return True
    return False


def test_an_audit_of_every_kind_goes_all_the_way_and_on_from_its_file_alone(
    audit,
    capsys,
):
    assert states(audit) == {name: {"proposed"} for name in CELLS}
    opened = resume(AuditFiles.of(audit))
    with opened.workspace as workspace:
        bench = Workbench(workspace, audit, "ada")
        numbers = range(1, workspace.cells.count() + 1)
        kinds = {number: bench.open(number)[1].subject.kind for number in numbers}
        assert {
            name: sum(kind.name == name for kind in kinds.values()) for name in CELLS
        } == CELLS
        for number, kind in kinds.items():
            before = bench.open(number)[1].labels
            assert correct(bench, number, kind), number
            bench.undo()
            assert bench.open(number)[1].labels == before
            bench.redo()
            bench.sign_off(number)
        bench.save()
    written = audit.read_bytes()
    assert states(audit) == {name: {"reviewed"} for name in CELLS}
    audit.with_name("x.audit.db").unlink()
    again = resume(AuditFiles.of(audit))
    with again.workspace as workspace:
        assert workspace.totals()["state:reviewed"] == sum(CELLS.values())
        Workbench(workspace, audit, "ada").save()
    assert audit.read_bytes() == written
    check_figures(audit, capsys)


def check_figures(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers, log and report tell of all kinds."""
    capsys.readouterr()
    assert main(["metrics", str(audit), "--json"]) == 0
    traits = {
        trait["name"]: trait for trait in json.loads(capsys.readouterr().out)["traits"]
    }
    assert {name: trait["kind"] for name, trait in traits.items()} == {
        **dict.fromkeys(("Hedges", "Clear", "Tone"), "llm"),
        **dict.fromkeys(("Stresses", "No Apology"), "regex"),
        "Count": "metric",
    }
    stresses = traits["Stresses"]["metrics"]["yes"]
    assert stresses["judge"]["macro"] == pytest.approx(1 - stresses["signed"]["macro"])
    assert stresses["signed"]["n"] == 4
    assert main(["log", str(audit)]) == 0
    told = capsys.readouterr().out
    assert "changed the verdict: yes → no" in told
    assert told.count("because: it is so") == sum(CELLS.values())
    for form in ("md", "html", "json", "csv"):
        assert main(["report", str(audit), "--format", form]) == 0
        report = capsys.readouterr().out
        assert all(name in report for name in traits)


def test_a_catastrophic_pattern_fails_its_cells_and_no_others(
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    Path("r.toml").write_text(
        '[[regex_traits]]\nname = "Endless"\npattern = "(a+)+$"\n[[regex_traits]]\nname = "Any"\npattern = "a"\n',
        encoding="utf-8",
    )
    lines = [
        {"id": "long", "response": "a" * 50_000 + "b"},
        {"id": "short", "response": "aaa"},
    ]
    Path("t.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml"]) == 1
    audit = load_audit("x.audit.toml")
    cells = {
        (one.trace.id, one.cell.subject.trait.name): one.cell for one in audit.cells
    }
    assert {key: cell.state for key, cell in cells.items()} == {
        ("long", "Endless"): "failed",
        ("long", "Any"): "proposed",
        ("short", "Endless"): "proposed",
        ("short", "Any"): "proposed",
    }
    told = cells["long", "Endless"].error.error
    assert told.startswith("The pattern took longer than 0.6 s on this response")
