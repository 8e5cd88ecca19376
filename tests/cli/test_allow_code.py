"""`--allow-code`: the functions of a rubric run, found beside it or in the folder one works in, and are named."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from appellate.cli import main
from appellate.cli.arguments import parser
from appellate.cli.judge_options import chosen_judge
from appellate.cli.serve import command
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.workspace import Workspace

RUBRIC = """
[[callable_traits]]
name = "Words"
kind = "score"
callable = "counting.words:count"
"""
MODULE = "def count(text, question): return len(text.split()) + len(question.split())\n"


@pytest.fixture
def rubric(tmp_path, monkeypatch):
    """A rubric with its module beside it, in another folder than one works in."""
    package = tmp_path / "rubrics" / "counting"
    package.mkdir(parents=True)
    (package / "words.py").write_text(MODULE)
    rubric = tmp_path / "rubrics" / "r.toml"
    rubric.write_text(RUBRIC)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work" / "t.jsonl").write_text(
        '{"id": "a", "question": "a b?", "response": "c"}',
    )
    return str(rubric)


def judging(rubric):
    """The words of a command that judges the trace by the rubric."""
    return ["judge", rubric, "t.jsonl", "-o", "x.audit.toml"]


def values():
    with Workspace(
        AuditFiles.of(Path("x.audit.toml")).workspace,
        readonly=True,
    ) as workspace:
        labels = workspace.cell(1)[1].labels
    return labels and labels.value


def test_judge_runs_them_where_it_is_allowed_and_says_which_elsewhere(rubric, cli):
    told = cli(*judging(rubric)).err
    assert "1 cell waits for code that was not run (counting.words:count)" in told
    assert values() is None
    told = cli(*judging(rubric), "--allow-code").err
    assert "Running counting.words:count, as --allow-code allows." in told
    assert values() == 3


LABELLED = """{"id": "a", "response": "c", "judgments": {"Words": {"value": 1}}}
{"id": "b", "question": "a?", "response": "d"}"""


def test_labels_that_came_are_not_told_as_computed_nor_what_has_none_as_done(
    rubric,
    cli,
):
    Path("t.jsonl").write_text(LABELLED)
    told = cli(*judging(rubric)).err
    assert "1 done · 1 without labels · 0 left" in told
    assert "x.audit.toml: 2 cells: 1 proposed, 1 pending.\n" in told
    told = cli(*judging(rubric), "--allow-code").err
    assert (
        "Computing those of 1 cell that came without labels, without asking a model."
        in told
    )
    assert "2 proposed; 1 of them computed without a model" in told


@pytest.mark.parametrize("judge", [[], ["--judge", "recorded"], ["--judge", "lexical"]])
def test_a_dry_run_of_functions_counts_and_asks_nobody(rubric, judge, capsys):
    Path("t.jsonl").write_text(LABELLED)
    assert main([*judging(rubric), *judge, "--dry-run"]) == 0
    cells = "0 cells" if judge[-1:] == ["lexical"] else "2 cells"
    assert capsys.readouterr().out == f"{cells}, 0 requests. Nothing was sent.\n"
    assert not Path("x.audit.toml").exists()


def test_a_dry_run_of_a_model_says_of_functions_that_they_wait_and_not_that_all_is_judged(
    rubric,
    cli,
):
    model = ["--model", "m", "--base-url", "http://localhost:1/v1", "--dry-run"]
    told = cli(*judging(rubric), *model)
    assert told.out == "No cell is left for a model: nothing would be sent.\n"
    assert "1 cell waits for code that was not run (counting.words:count)" in told.err
    told = cli(*judging(rubric), *model, "--allow-code")
    assert "Computing 1 cell needs no model." in told.err


def test_what_came_with_the_traces_is_not_judged_again_in_a_dry_run_either(rubric, cli):
    Path("t.jsonl").write_text(LABELLED)
    for more in ([], ["--dry-run"]):
        told = cli(*judging(rubric), "--again", *more, code=2).err
        assert "--again: labels that came with the traces are not judged" in told


def test_what_cannot_be_loaded_fails_its_cell_with_a_sentence(rubric, cli, tmp_path):
    (tmp_path / "rubrics" / "counting" / "words.py").unlink()
    told = cli(*judging(rubric), "--allow-code", code=1).err
    assert "There is no module counting.words: it was looked for in " in told
    assert "Traceback" not in told


def test_an_error_in_no_characters_fails_its_cell_and_the_others_go_on(
    rubric,
    cli,
    tmp_path,
):
    speaks = "def count(text):\n    if text == 'c': raise ValueError('\\udcff')\n    return 3\n"
    (tmp_path / "rubrics" / "counting" / "words.py").write_text(speaks)
    with Path("t.jsonl").open("a") as traces:
        traces.write('\n{"id": "b", "response": "d"}')
    told = cli(*judging(rubric), "--allow-code", code=1).err
    assert "1 failed: counting.words:count raised ValueError: \ufffd" in told
    assert "2 cells: 1 proposed, 1 failed" in told


def test_modules_are_looked_for_where_one_works_then_beside_the_files(tmp_path, rubric):
    given = parser().parse_args(["review", rubric, "t.jsonl", "-", "--allow-code"])
    work, beside = str(tmp_path / "work"), str(tmp_path / "rubrics")
    new = SimpleNamespace(meta=lambda key: None, path=None)
    assert chosen_judge(given, new).code == (work, beside)
    assert (
        chosen_judge(parser().parse_args(["review", rubric, "t.jsonl"]), new).code
        is None
    )
    assert chosen_judge(parser().parse_args(["demo"]), new).code is None


def test_the_tabs_of_serve_are_allowed_what_serve_is(tmp_path):
    place = AuditFiles.of(tmp_path / "x.audit.toml")
    assert "--allow-code" in command(
        parser().parse_args(["serve", "x", "--allow-code"]),
        place,
    )
    assert "--allow-code" not in command(parser().parse_args(["serve", "x"]), place)
