"""`appellate import`, `export`, `new`, and other tools' files as what `review` and `judge` take."""

import json
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from appellate import load_rubric, load_traces
from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume
from terminal import APPELLATE, Terminal

AUDIT = "x.audit.toml"


@pytest.fixture
def ragas(shared, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return str(shared / "data/interop/ragas/annotated_data.json")


def test_three_lines_say_what_was_recognised_mapped_and_counted(ragas, capsys):
    assert main(["import", ragas, "-o", AUDIT]) == 0
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert first == (
        "annotated_data.json: ragas rows (JSON): 21 answers, 21 verdicts, 21 reasons,"
        " 16 verdicts of people"
    )
    assert second.startswith("fields: response ← metric_input.response")
    assert len(load_audit(AUDIT).cells) == 21


def test_a_dry_run_shows_the_first_trace_and_writes_nothing(ragas, tmp_path, capsys):
    assert main(["import", ragas, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "llm: helpfulness" in shown
    assert "can you fix this up better?" in shown
    assert list(tmp_path.iterdir()) == []


def test_the_same_file_goes_on_with_its_audit_and_a_changed_one_is_refused(ragas, tmp_path, capsys):
    copy = tmp_path / "ragas.json"
    copy.write_bytes(Path(ragas).read_bytes())
    assert main(["judge", str(copy)]) == 0
    assert main(["judge", str(copy)]) == 0
    copy.write_bytes(copy.read_bytes() + b"\n")
    assert main(["judge", str(copy)]) == 2
    assert "is not the file that this audit was made of" in capsys.readouterr().err


def test_what_failed_there_stays_failed(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = str(shared / "data/interop/promptfoo/made_errors.jsonl")
    assert main(["judge", path]) == 1
    assert "4 failed" in capsys.readouterr().err
    states = [one.cell.state for one in load_audit("made_errors.audit.toml").cells]
    assert states.count("failed") == 4


def test_a_table_of_answers_goes_with_a_rubric_of_ones_own(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", ".", "--criterion", "Names BCL2", "--avoid", "Names TP53"]) == 0
    (tmp_path / "answers.csv").write_text("name,says\na,BCL2 it is\nb,TP53\n", "utf-8")
    assert main(["judge", "rubric.toml", "answers.csv", "--map", "response=says,id=name"]) == 0
    assert {one.trace.id for one in load_audit("answers.audit.toml").cells} == {"a", "b"}
    given = ["judge", "rubric.toml", "answers.csv", "-o", "y.toml", "--map", "verdict.X=says"]
    assert main(given) == 2
    assert "verdict.X makes traits, and so does a RUBRIC" in capsys.readouterr().err


def test_an_empty_answer_is_refused_beside_a_rubric_of_ones_own_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", ".", "--criterion", "Names BCL2"]) == 0
    (tmp_path / "answers.csv").write_text("id,response\na,BCL2 it is\nb,\n", "utf-8")
    assert main(["judge", "rubric.toml", "answers.csv"]) == 2
    assert "answers.csv: row 2: its response is empty" in capsys.readouterr().err
    assert main(["judge", "rubric.toml", "answers.csv", "--skip-bad"]) == 0
    assert "skipped: answers.csv: row 2" in capsys.readouterr().err


def test_map_names_columns(ragas, capsys):
    assert main(["import", ragas, "--map", "response"]) == 2
    assert "FIELD=COLUMN is right" in capsys.readouterr().err


def test_what_is_no_file_of_another_tool_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.toml").write_text("a = 1\n", "utf-8")
    assert main(["import", "x.toml"]) == 2
    assert "this is no file of another tool" in capsys.readouterr().err
    assert main(["import", "nothing.json"]) == 2
    assert "nothing.json: there is no such file" in capsys.readouterr().err


@contextmanager
def adas_bench():
    """The audit that was imported, as ada has it; saved at the end."""
    place = AuditFiles.of(Path(AUDIT))
    with resume(place).workspace as workspace:
        bench = Workbench(workspace, place.audit, "ada")
        yield bench
        bench.save()


@pytest.fixture
def ruled(ragas, capsys):
    """An audit in which ada overruled one cell with a reason that is a formula, and signed it."""
    assert main(["import", ragas, "-o", AUDIT]) == 0
    with adas_bench() as bench:
        workspace = bench.workspace
        number = workspace.cells.next_in(["proposed"], 0)
        cell = bench.open(number)[1]
        edit = cell.subject.kind.edit({"action": "set", "value": not cell.labels.value})
        bench.do(number, Correct(edit, "=HYPERLINK(1)"))
        bench.sign_off(number)
        row = workspace.cells.row(number)
    capsys.readouterr()
    return row.trace_id


def test_rows_have_who_when_why_and_the_judges_verdict(ruled, capsys):
    assert main(["export", AUDIT, "--to", "rows"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 17
    (row,) = [one for one in rows if one["gen_ai.response.id"] == ruled]
    assert row["gen_ai.evaluation.name"] == "helpfulness"
    assert row["gen_ai.evaluation.explanation"] == "=HYPERLINK(1)"
    assert row["appellate.by"] == "ada"
    assert row["appellate.at"].endswith("Z")
    assert row["appellate.judge_value"] is not (row["gen_ai.evaluation.score.value"] == 1.0)


@pytest.mark.parametrize(
    ("form", "keys"),
    [
        ("langfuse", ["traceId", "name", "value", "dataType", "comment"]),
        ("phoenix", ["span_id", "name", "annotator_kind", "result", "identifier"]),
        ("mlflow", ["trace_id", "name", "value", "rationale", "source"]),
        ("langsmith", ["run_id", "key", "score", "comment"]),
    ],
)
def test_rows_have_the_names_of_a_tool(ruled, form, keys, capsys):
    assert main(["export", AUDIT, "--to", "rows", "--as", form]) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert [key for key in keys if key not in row] == []


def test_no_text_of_the_csv_files_is_a_formula(ruled, tmp_path):
    assert main(["export", AUDIT, "--to", "csv", "-o", "out"]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "cells.csv",
        "corrections.csv",
        "items.csv",
    ]
    for path in (tmp_path / "out").iterdir():
        text = path.read_text("utf-8")
        assert ",=HYPERLINK" not in text
        assert "=HYPERLINK" not in text or "'=HYPERLINK" in text


def test_a_copy_of_the_source_is_written_only_where_it_is_named(ruled, ragas, capsys):
    assert main(["export", AUDIT, "--to", "promptfoo"]) == 2
    assert "--source: is missing" in capsys.readouterr().err
    assert main(["export", AUDIT, "--to", "promptfoo", "--source", ragas]) == 2
    assert "no trace of the audit is in it" in capsys.readouterr().err


def test_where_nobody_signed_there_is_nothing_to_export(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    log = str(shared / "data/inspect/security-guide.json")
    assert main(["import", log, "-o", AUDIT]) == 0
    assert main(["export", AUDIT, "--to", "rows"]) == 0
    assert "Nobody has signed anything off" in capsys.readouterr().err


def test_a_new_rubric_takes_criteria_of_a_file_or_a_column(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text("- Names BCL2\n\n- Names BCL2\nNames apoptosis\n", "utf-8")
    assert main(["new", "one", "--criteria", "list.txt"]) == 0
    (tmp_path / "list.csv").write_text("id,what\n1,Names BCL2\n2,Names cancer\n", "utf-8")
    assert main(["new", "two", "--criteria", "list.csv"]) == 2
    assert 'FILE:COLUMN with one of "id", "what"' in capsys.readouterr().err
    assert main(["new", "two", "--criteria", "list.csv:what"]) == 0
    assert '"Names apoptosis"' in (tmp_path / "one/rubric.toml").read_text("utf-8")
    assert main(["check", "two/rubric.toml", "two/traces.jsonl"]) == 0
    assert main(["new", "two", "--criterion", "x"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["new", "three"]) == 2
    assert "there is no criterion" in capsys.readouterr().err


@pytest.fixture
def scored(shared, tmp_path, monkeypatch, capsys):
    """The audit of a log with several scorers, of which ada signed off two."""
    monkeypatch.chdir(tmp_path)
    log = str(shared / "data/inspect/multi_scorer_14x2.json")
    assert main(["import", log, "-o", AUDIT]) == 0
    with adas_bench() as bench:
        for number in (1, 2):
            bench.sign_off(number)
    capsys.readouterr()
    return log


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_inspect_gets_a_file_for_each_scorer(scored, tmp_path, ending, capsys):
    assert main(["export", AUDIT, "--to", "inspect"]) == 2
    assert "people ruled on 2 scorers, each has its own file" in capsys.readouterr().err
    assert main(["export", AUDIT, "--to", "inspect", "-o", f"scores.{ending}"]) == 0
    for name in ("match", "includes"):
        text = (tmp_path / f"scores-{name}.{ending}").read_text("utf-8")
        assert len(text.splitlines()) == 1 + (ending == "csv")


def test_what_goes_back_into_json_lines_are_json_lines(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    source = str(shared / "data/interop/promptfoo/made_errors.jsonl")
    assert main(["import", source, "-o", AUDIT]) == 0
    with adas_bench() as bench:
        bench.sign_off(bench.workspace.cells.next_in(["proposed"], 0))
    export = ["export", AUDIT, "--to", "promptfoo", "--source", source, "-o", "rated.jsonl"]
    assert main(export) == 0
    before, after = (
        [json.loads(line) for line in Path(name).read_text("utf-8").splitlines()]
        for name in (source, "rated.jsonl")
    )
    assert [one["id"] for one in after] == [one["id"] for one in before]
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["interop/promptfoo/made_errors.jsonl"], "promptfoo results: 16 answers, 24 verdicts"),
        (["inspect/security-guide.json"], "Inspect log, version 2: 3 answers"),
        (
            ["karenina/checkpoint_metric.jsonld", "karenina/results_v2.2.json"],
            "results_v2.2.json: Karenina results: 1 answer, 5 verdicts",
        ),
        (["karenina/real_answers.jsonl"], "4 traces (not held against a rubric"),
    ],
)
def test_check_knows_the_files_of_other_tools(shared, names, said, capsys):
    assert main(["check", *(str(shared / "data" / name) for name in names)]) == 0
    assert said in capsys.readouterr().out


def test_check_names_what_import_would_refuse(shared, capsys):
    assert main(["check", str(shared / "data/interop/scout/refusal.csv")]) == 2
    assert 'the columns are "id", "target", "predicate"' in capsys.readouterr().err


def test_a_new_rubric_has_its_questions_comments_and_an_example_for_each(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ask.csv").write_text('id,text\n1,"What is\nBCL2?"\n', "utf-8")
    words = ["--criterion", "Names BCL2", "--avoid", "Names TP53", "--question", "Why?"]
    assert main(["new", "my one", *words, "--questions", "ask.csv:text"]) == 0
    assert "appellate review 'my one/rubric.toml' 'my one/traces.jsonl'" in capsys.readouterr().err
    rubric = load_rubric("my one/rubric.toml")
    assert [(one.id, one.question) for one in rubric.questions] == [
        ("q1", "What is BCL2?"),
        ("q2", "Why?"),
    ]
    text = (tmp_path / "my one/rubric.toml").read_text("utf-8")
    for key in (
        "evaluation_mode",
        "metrics",
        "tp_instructions",
        "tn_instructions",
        "[[questions]]",
    ):
        before = text.split(f"\n{key}", 1)[0].splitlines()[-1]
        assert before.startswith("# "), key
    assert [one.question_id for one in load_traces("my one/traces.jsonl")] == ["q1", "q2"]


def test_a_new_rubric_takes_criteria_from_a_pipe(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"- Names BCL2\n\nNames TP53\n")))
    assert main(["new", "one", "--criteria", "-"]) == 0
    assert "2 to state" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--criteria", "none.txt"], "none.txt: there is no such file"),
        (["--criteria", "."], "this is a folder"),
        (["--criteria", "empty.csv"], "empty.csv: this file is empty"),
        (["--criterion", "a", "--avoid", "a"], '"a" is a criterion, too'),
        (["--criterion", "a", "--questions", "none.csv:x"], "none.csv: there is no such file"),
    ],
)
def test_what_no_rubric_can_be_made_of_is_refused_in_a_sentence(
    tmp_path, monkeypatch, capsys, words, says
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.csv").write_text("")
    assert main(["new", "one", *words]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "one").exists()


def test_a_new_rubric_asks_on_a_terminal_and_says_what_comes_next(tmp_path):
    with Terminal([*APPELLATE, "new", str(tmp_path / "one")]) as at:
        for asks, words in (("must a good", "Names BCL2"), ("must it not", ""), ("Which", "Why?")):
            at.wait(asks)
            at.send(*([words, "\n"] if words else []), "\n")
        at.wait("What makes the rubric weak")
        assert at.status() == 0
    assert load_rubric(tmp_path / "one/rubric.toml").questions[0].question == "Why?"
