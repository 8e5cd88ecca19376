"""`--revise`: a changed rubric taken for an audit without a screen."""

import re
import sys
from io import StringIO

import pytest

from appellate.cli import main
from appellate.store.audits.audit import load_audit
from appellate.store.workspace import Workspace

RUBRIC = """
name = "Genes"

[[metric_traits]]
name = "Coverage"
metrics = ["recall"]
tp_instructions = ["Mentions the gene", "States chromosome 18"]

[[metric_traits]]
name = "Style"
metrics = ["recall"]
tp_instructions = ["Is short"]
"""
CHANGED = (
    RUBRIC.replace("States chromosome 18", "States the chromosome")
    + """
[[metric_traits]]
name = "Source"
metrics = ["recall"]
tp_instructions = ["Names a source"]
"""
)


@pytest.fixture
def audit(tmp_path, monkeypatch):
    """Two answers, judged by word overlap under RUBRIC."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.toml").write_text(RUBRIC, encoding="utf-8")
    (tmp_path / "new.toml").write_text(CHANGED, encoding="utf-8")
    (tmp_path / "t.jsonl").write_text(
        '{"id": "a", "response": "The gene is on chromosome 18."}\n{"id": "b", "response": "No."}\n',
        encoding="utf-8",
    )
    assert main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml"]) == 0
    return tmp_path / "x.audit.toml"


def test_the_changed_rubric_is_taken_and_only_what_it_concerns_is_judged_again(
    audit,
    cli,
):
    told = cli("judge", audit, "--revise", "new.toml").err
    assert (
        "note: The rubric was revised: 1 trait changed (2 cells to judge again), 1 trait new (2 cells)."
        in told
    )
    assert "Judging 4 cells by lexical." in told
    written = load_audit(audit)
    assert written.rubric.get_metric_trait_names() == ["Coverage", "Style", "Source"]
    assert {one.cell.state for one in written.cells} == {"proposed"}


def test_the_rubric_that_the_audit_has_changes_nothing(audit, cli):
    before = audit.read_bytes()
    assert (
        "r.toml is the rubric that the audit has"
        in cli("judge", audit, "--revise", "r.toml").err
    )
    assert audit.read_bytes() == before


def test_what_is_only_measured_otherwise_is_in_the_audit_file_too(audit, cli):
    (audit.parent / "new.toml").write_text(
        RUBRIC.replace('["recall"]', '["recall", "f1"]'),
        encoding="utf-8",
    )
    assert (
        "2 traits measured differently"
        in cli("judge", audit, "--revise", "new.toml").err
    )
    assert {
        tuple(known.trait.metrics) for known in load_audit(audit).rubric.every_trait()
    } == {("recall", "f1")}


@pytest.mark.parametrize(
    ("rubric", "said"),
    [
        (
            '[[metric_traits]]\nname = "Coverage"\nmetrics = ["f2"]\ntp_instructions = ["x"]',
            '"f2" is not a metric',
        ),
        ("= broken", "line 1"),
        (RUBRIC.replace('"Style"', '"Tone"'), "A trait may not leave, be renamed"),
        (None, "there is no such file"),
    ],
)
def test_a_rubric_that_cannot_be_taken_is_said_and_changes_nothing(
    audit,
    rubric,
    said,
    cli,
):
    if rubric is None:
        (audit.parent / "new.toml").unlink()
    else:
        (audit.parent / "new.toml").write_text(rubric, encoding="utf-8")
    before = audit.read_bytes()
    assert said in cli("judge", audit, "--revise", "new.toml", code=2).err
    assert audit.read_bytes() == before


def test_nothing_is_taken_where_the_rest_of_the_command_cannot_be_done(audit, cli):
    cli("judge", audit, "--revise", "new.toml", "--judge", "nosuch", code=2)
    assert "revised" not in cli("review", audit, "--revise", "new.toml", code=2).err
    with Workspace(audit.with_suffix(".db")) as workspace:
        assert workspace.rubric.get_metric_trait_names() == ["Coverage", "Style"]


@pytest.mark.parametrize(
    "who",
    [["--agent", ""], ["--reviewer", "gpt-4o"]],
)
def test_nothing_is_taken_where_the_reviewer_is_refused(audit, cli, who):
    words = ["--lines", "--revise", "new.toml", *who]
    cli("review", audit, *words, code=2)
    with Workspace(audit.with_suffix(".db"), readonly=True) as workspace:
        assert workspace.rubric.get_metric_trait_names() == ["Coverage", "Style"]


def test_it_is_taken_without_a_judge_where_a_model_judged(audit, cli):
    with Workspace(audit.with_suffix(".db")) as workspace:
        workspace.set_meta("judge", "openai")
    assert (
        "x.audit.toml: 6 cells: 2 proposed, 4 pending."
        in cli("judge", audit, "--revise", "new.toml").err
    )
    assert load_audit(audit).rubric.get_metric_trait_names() == [
        "Coverage",
        "Style",
        "Source",
    ]


def test_it_goes_with_an_audit_not_with_rubric_and_traces(audit, cli):
    assert (
        "--revise: goes with one AUDIT"
        in cli("judge r.toml t.jsonl -o", audit, "--revise", "new.toml", code=2).err
    )


def test_while_another_process_reviews_it_nothing_is_revised(audit, capsys):
    with Workspace(audit.with_suffix(".db")):
        assert main(["review", str(audit), "--revise", "new.toml"]) == 2
    assert re.search(
        r"process \d+ on \S+[^.]; quit that one first",
        capsys.readouterr().err,
    )


def test_a_changed_pattern_is_told_with_what_it_matches_before_and_now(audit, cli):
    pattern = '\n[[regex_traits]]\nname = "Gene"\npattern = "gene"\n'
    (audit.parent / "new.toml").write_text(RUBRIC + pattern, encoding="utf-8")
    assert "matched before" not in cli("judge", audit, "--revise", "new.toml").err
    (audit.parent / "new.toml").write_text(
        RUBRIC + pattern.replace("gene", "o"),
        encoding="utf-8",
    )
    told = cli("judge", audit, "--revise", "new.toml").err
    assert (
        "note: Gene: Of 2 responses, 1 matched before and 2 now (1 more, 0 no longer).\n"
        in told
    )


def test_log_and_report_tell_of_a_revised_rubric_and_that_it_was_taken_back(audit, cli):
    cli("judge", audit, "--revise", "new.toml")
    taken = "took a revised rubric: Coverage changed (2 cells to judge again), Source new (2 cells)"
    assert taken in cli("log", audit).out
    report = cli("report", audit, "-o", "-").out
    assert taken in report[report.index("Changes of the rubric") :]


def test_review_takes_back_what_revise_took(audit, cli, monkeypatch):
    fewer = RUBRIC.replace('["recall"]', '["recall", "f1"]', 1)
    (audit.parent / "new.toml").write_text(fewer, encoding="utf-8")
    cli("judge", audit, "--revise", "new.toml")
    monkeypatch.setattr(sys, "stdin", StringIO("u\nu\nq\n"))
    printed = cli("review", audit, "--lines")
    assert (
        "Press u again to undo: took a revised rubric: Coverage measured differently."
        in printed.out
    )
    assert "Took the revised rubric back." in printed.out
    log = cli("log", audit).out
    assert "took the revised rubric back" in log
    assert load_audit(audit).rubric.metric_traits[0].metrics == ["recall"]
