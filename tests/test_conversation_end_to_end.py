"""Real runs of agents from the judge to what leaves the audit, by a server and by comparing words."""

import csv
import json
from pathlib import Path

import pytest

from appellate.cli import main
from appellate.core.design_facts import Probed
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume
from loopback import served, truthful

RUBRIC = """
reads = "conversation"

[[metric_traits]]
name = "Path"
metrics = ["recall", "f1"]
tp_instructions = [
  "Looks up the user's details",
  "Asks the user for explicit confirmation of the booking",
  "Transfers to a human agent",
]

[[llm_traits]]
name = "Kind"
kind = "boolean"
description = "The assistant asks for the user id or reservation."

[[regex_traits]]
name = "Looks up"
pattern = "calls get_user_details"
"""


@pytest.fixture
def desk(tmp_path, monkeypatch, shared):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    Path("r.toml").write_text(RUBRIC, "utf-8")
    runs = json.loads(
        (shared / "data/agents/tau_bench/airline.json").read_text("utf-8"),
    )
    # estimates take 20
    again = [{**run, "trial": trial} for trial in range(4) for run in runs]
    Path("runs.json").write_text(json.dumps(again), "utf-8")
    return Path("runs.json")


def told(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def rule(path: Path) -> None:
    """Signs off all that is judged."""
    with resume(AuditFiles.of(path)).workspace as workspace:
        at = Workbench(workspace, path, "ada")
        for number in range(1, workspace.cells.count() + 1):
            if at.open_unhidden(number)[1].state != "pending":
                at.sign_off(number, 30.0)
        at.save()


@pytest.mark.parametrize(
    "judge",
    [pytest.param("model", marks=pytest.mark.slow), "lexical"],
)
def test_a_run_is_judged_probed_estimated_and_exported(desk, tmp_path, capsys, judge):
    with served(truthful) as server:
        by = ["--judge", "lexical"]
        if judge == "model":
            by = ["--model", "m", "--base-url", server.url]
        told(capsys, "judge", "r.toml", str(desk), "-o", "x.audit.toml", *by)
        told(
            capsys,
            "sample",
            "x.audit.toml",
            "-n",
            "20",
            "--sighted",
            "--reviewer",
            "ada",
        )
        probed = told(capsys, "probe", "x.audit.toml", "-n", "3", "--yes", *by)
    assert "padding: " in probed
    rule(Path("x.audit.toml"))
    audit = load_audit(Path("x.audit.toml"))
    assert audit.text() == Path("x.audit.toml").read_text("utf-8")
    probes = {
        fact.what.probe: fact.what
        for fact in audit.design
        if isinstance(fact.what, Probed)
    }
    assert {"order", "again", "padding", "evidence"} <= probes.keys()
    assert probes["again"].outcome["turned"] == 0
    found = 0
    for one in audit.cells:
        subject = one.cell.subject
        for start, end, _ in subject.kind.evidence(
            subject.trait,
            one.cell.labels or subject.kind.blank,
        ):
            step = subject.transcript.step_of((start, end))
            assert step is not None
            assert step.is_assistants
            found += 1
    assert found >= 6
    metrics = json.loads(told(capsys, "metrics", "x.audit.toml", "--json"))
    assert metrics["worth"]
    text = told(capsys, "report", "x.audit.toml")
    assert "all 24 responses" in text
    told(capsys, "export", "x.audit.toml", "--to", "csv", "-o", "out")
    with Path("out/items.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert any(row["step"] for row in rows)
    assert all(row["message"] for row in rows if row["step"])
