"""The whole way on real material: load, judge, correct, save, reopen; and a server that misbehaves."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from appellate import load_audit, load_rubric, load_traces
from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.core.problem import Refused
from appellate.judging.choice import choose
from appellate.judging.run import run
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles, create, resume
from appellate.traits.metric.edits import Edit
from appellate.traits.rubric import Rubric
from loopback import FAULTS, Answer, Asked, Script, omitting, served, truthful

HAIKU = """
[[questions]]
id = "chromosomes"
question = "How many chromosomes are in a human somatic cell?"
  [[questions.metric_traits]]
  name = "Count"
  metrics = ["precision", "recall", "f1"]
  tp_instructions = ["States that there are 46 chromosomes", "Mentions 22 pairs of autosomes"]

[[questions]]
id = "hemoglobin"
question = "How many protein subunits does hemoglobin A have?"
  [[questions.metric_traits]]
  name = "Count"
  metrics = ["recall"]
  tp_instructions = ["States that there are 4 protein subunits", "Names the alpha and the beta chains"]

[[questions]]
id = "venetoclax"
question = "What is the approved drug target of Venetoclax?"
  [[questions.metric_traits]]
  name = "Target"
  metrics = ["precision", "recall"]
  tp_instructions = ["Names BCL-2 as the target"]
  fp_instructions = ["Names BTK as the target"]

[[questions]]
id = "apoe"
question = "What is the most severe consequence of 19_44908822_C_T?"
  [[questions.metric_traits]]
  name = "Variant"
  evaluation_mode = "full_matrix"
  metrics = ["precision", "recall", "specificity", "accuracy", "f1"]
  tp_instructions = ["Identifies the variant as rs7412", "States that it is a missense variant"]
  tn_instructions = ["Says that rs7412 is C112R", "Says that the variant belongs to the ε4 allele"]
"""
TRAIT = """
[[metric_traits]]
name = "Facts"
evaluation_mode = "full_matrix"
metrics = ["precision", "recall", "specificity", "accuracy", "f1"]
tp_instructions = ["Says that water boils at 100 degrees", "Says that ice floats"]
tn_instructions = ["Says that ice sinks"]
"""
KEY = "sk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOOPBACK_KEY", KEY)


def ask(url: str, *paths: str, audit: str = "x.audit.toml", timeout: str = "30") -> int:
    return main(
        [
            *("judge", *paths, "-o", audit, "--model", "loopback-1", "--base-url", url),
            *(
                "--api-key-env",
                "LOOPBACK_KEY",
                "--concurrency",
                "4",
                "--timeout",
                timeout,
            ),
        ],
    )


def corrected_everywhere(audit: Path) -> int:
    """Drops an excerpt of every cell, or finds what was missing, signs it off, and writes the audit."""
    edits = [{"action": "drop", "bucket": bucket} for bucket in ("tp", "fp")]
    edits += [
        {"action": "move", "bucket": "fn", "to": "tp"},
        {"action": "move", "bucket": "tn", "to": "fp"},
    ]
    workspace = resume(AuditFiles.of(audit)).workspace
    bench = Workbench(workspace, audit, "ada")
    done = 0
    for number in range(1, workspace.cells.count() + 1):
        for edit in edits:
            try:
                bench.do(number, Correct(Edit.from_row({**edit, "index": 0})))
            except Refused:
                continue
            bench.sign_off(number)
            done += 1
            break
    bench.save()
    workspace.close()
    return done


def figures(capsys, audit: str) -> dict:
    capsys.readouterr()
    assert main(["metrics", audit, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_healthbench_by_lexical_is_judged_reviewed_saved_and_reopened(
    shared,
    tmp_path,
    capsys,
):
    data = shared / "data" / "healthbench"
    rubric = load_rubric(data / "rubric.toml")
    assert (
        sum(
            len(t.tp_instructions) + len(t.tn_instructions)
            for q in rubric.questions
            for t in q.metric_traits
        )
        == 767
    )
    assert (
        main(
            [
                "judge",
                str(data / "rubric.toml"),
                str(data / "traces.jsonl"),
                "-o",
                "x.audit.toml",
            ],
        )
        == 0
    )
    before = figures(capsys, "x.audit.toml")["traits"][0]
    assert (before["cells"], before["reviewed"]) == (57, 0)
    assert (
        before["metrics"]["recall"]["standing"]
        == before["metrics"]["recall"]["judge_all"]
    )
    assert before["metrics"]["recall"]["signed"]["n"] == 0
    assert corrected_everywhere(tmp_path / "x.audit.toml") == 57
    after = figures(capsys, "x.audit.toml")["traits"][0]
    assert after["reviewed"] == 57
    assert (
        after["metrics"]["recall"]["judge"] == before["metrics"]["recall"]["judge_all"]
    )
    assert (
        after["metrics"]["recall"]["signed"] == after["metrics"]["recall"]["standing"]
    )
    assert (
        after["metrics"]["recall"]["signed"] != before["metrics"]["recall"]["standing"]
    )
    (tmp_path / "x.audit.db").unlink()
    workspace = resume(AuditFiles.of(tmp_path / "x.audit.toml")).workspace
    assert workspace.totals()["state:reviewed"] == 57
    workspace.close()
    assert figures(capsys, "x.audit.toml")["traits"][0] == after


@pytest.mark.slow
def test_healthbench_by_a_server_is_judged_without_a_failure(shared, capsys):
    data = shared / "data" / "healthbench"
    with served() as server:
        assert (
            ask(server.url, str(data / "rubric.toml"), str(data / "traces.jsonl")) == 0
        )
        assert len(server.asked) >= 57
    audit = load_audit("x.audit.toml")
    assert {one.cell.state for one in audit.cells} == {"proposed"}
    assert not any(one.cell.breaches() for one in audit.cells)
    assert {one.cell.judge.judge["model"] for one in audit.cells} == {"loopback-1"}


@pytest.mark.slow
def test_healthbench_is_judged_where_answers_leave_out_what_they_are_said_to(
    shared,
    capsys,
):
    data = shared / "data" / "healthbench"
    with served(omitting) as server:
        assert (
            ask(server.url, str(data / "rubric.toml"), str(data / "traces.jsonl")) == 0
        )
        assert len(server.asked) == 57
    audit = load_audit("x.audit.toml")
    assert not any(one.cell.breaches() for one in audit.cells)
    omitted = sum(item.omission for one in audit.cells for item in one.cell.labels.fp)
    assert omitted == 74


@pytest.mark.slow
def test_real_answers_with_a_rubric_of_our_own(shared, tmp_path, capsys):
    (tmp_path / "r.toml").write_text(HAIKU, encoding="utf-8")
    answers = shared / "data" / "karenina" / "real_answers.jsonl"
    assert len(load_traces(answers, load_rubric("r.toml"))) == 4
    assert main(["judge", "r.toml", str(answers), "-o", "lexical.audit.toml"]) == 0
    with served() as server:
        assert ask(server.url, "r.toml", str(answers)) == 0
    assert corrected_everywhere(tmp_path / "x.audit.toml") == 4
    assert [one.cell.state for one in load_audit("x.audit.toml").cells] == [
        "reviewed",
    ] * 4


PASSING = [
    "busy",
    "broken",
    "unavailable",
    "garbage",
    "broken-json",
    "error-in-200",
    "no-choices",
    "drop",
    "hang",
]
ASKED_AGAIN = [
    "prose",
    "half",
    "empty-object",
    "empty",
    "nothing",
    "missing-instruction",
    "repeated-instruction",
]


def each_its_own(faults: list[str], times: int) -> Script:
    """A server that fails the first `times` requests about each trace in a way of its own, by the trace's number."""
    seen: Counter[int] = Counter()

    def script(asked: Asked) -> Answer:
        number = int(re.search(r"\n(\d+)\. Water", asked.user)[1])
        seen[number] += 1
        return (FAULTS[faults[number]] if seen[number] <= times else truthful)(asked)

    return script


def some(count: int) -> tuple[str, str]:
    """A rubric and so many traces."""
    Path("r.toml").write_text(TRAIT)
    traces = [
        {
            "id": str(n),
            "response": f"{n}. Water boils at 100 degrees Celsius. Ice floats.",
        }
        for n in range(count)
    ]
    Path("t.jsonl").write_text("".join(json.dumps(trace) + "\n" for trace in traces))
    return "r.toml", "t.jsonl"


@pytest.mark.slow
def test_faults_that_pass_lose_no_cell():
    faults = [
        *PASSING,
        *ASKED_AGAIN,
        "unknown-instruction",
        "without-excerpt",
        "half-cut",
    ]
    with served(each_its_own(faults, 1)) as server:
        assert ask(server.url, *some(len(faults)), timeout="2") == 0
    for fault, one in zip(faults, load_audit("x.audit.toml").cells, strict=True):
        assert (one.cell.state, bool(one.cell.labels.tp)) == ("proposed", True), fault


async def in_one_process(
    audit: Path,
    given: Rubric,
    traces: Path | str,
    script: Script = truthful,
) -> list[Asked]:
    """Has traces judged by a server, without a process for the judge; what it was asked."""
    read = load_traces(traces, given)
    with create(AuditFiles.of(audit), given, read, "0").workspace as kept:
        with served(script) as server:
            choice = choose({"model": "loopback-1", "base_url": server.url}, kept.meta)
            bench = Workbench(kept, audit, "")
            await run(bench, replace(choice, plan=None))
        bench.save()
    return server.asked


async def test_invented_excerpts_are_kept_and_marked_unverified(tmp_path):
    rubric, traces = some(6)
    audit = tmp_path / "x.audit.toml"
    await in_one_process(audit, load_rubric(rubric), traces, FAULTS["invented"])
    for one in load_audit(audit).cells:
        assert one.cell.state == "proposed"
        assert one.cell.unverified > 0


@pytest.mark.slow
def test_faults_that_stay_fail_their_cells_with_a_reason_and_nothing_is_silently_empty(
    capsys,
):
    faults = [*ASKED_AGAIN, "without-excerpt", "half-cut", "refusal", "filtered"]
    with served(each_its_own(faults, 99)) as server:
        assert ask(server.url, *some(len(faults))) == 1
    check_failed(capsys.readouterr().err)


@pytest.mark.slow
def test_a_key_that_is_refused_fails_every_cell_with_that_reason(capsys):
    with served(FAULTS["unauthorized"]) as server:
        assert ask(server.url, *some(6)) == 1
    check_failed(capsys.readouterr().err)


def check_failed(said: str) -> None:
    assert KEY not in Path("x.audit.toml").read_text(encoding="utf-8") + said
    for one in load_audit("x.audit.toml").cells:
        assert one.cell.state == "failed"
        assert one.cell.labels is None
        assert len(one.cell.error.error) > 20
