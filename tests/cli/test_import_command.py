"""`appellate import`, `export`, `new`, and other tools' files as what `review` and `judge` take."""

import csv
import errno
import io
import json
import os
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from appellate import load_rubric, load_traces
from appellate.cli.import_file import audits_of_people
from appellate.core.deciding import Correct
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume
from terminal import APPELLATE, Terminal

AUDIT = "x.audit.toml"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def ragas(shared):
    return str(shared / "data/interop/ragas/annotated_data.json")


def test_three_lines_say_what_was_recognised_mapped_and_counted(ragas, cli):
    first, second, *_ = cli("import", ragas, "-o", AUDIT).err.splitlines()
    assert first == (
        "annotated_data.json: ragas rows (JSON): 21 answers, 21 verdicts, 21 reasons,"
        " 16 verdicts of people (8 reasons, 0 times)"
    )
    assert second.startswith("fields: response ← metric_input.response")
    assert len(load_audit(AUDIT).cells) == 21


def test_a_dry_run_shows_the_first_trace_and_writes_nothing(ragas, tmp_path, cli):
    shown = cli("import", ragas, "--dry-run").out
    assert "helpfulness: yes or no" in shown
    assert "can you fix this up better?" in shown
    assert list(tmp_path.iterdir()) == []


ANSWERS = ["1,Take it.,yes,no,an overdose", "2,Ask.,no,,"]


@pytest.fixture
def table(tmp_path, cli):
    """Imports a table with these lines, into the same audit each time."""

    def again(*lines, code=0):
        text = "\n".join(["id,response,label,person,note", *lines])
        (tmp_path / "a.csv").write_text(text, "utf-8")
        names = "verdict.OK=label,person.OK=person,reason.OK=note"
        return cli("import a.csv -o", AUDIT, "--map", names, code=code).err

    again(*ANSWERS)
    return again


def test_the_same_file_goes_on_with_its_audit_from_the_toml_alone_too(table):
    before = Path(AUDIT).read_bytes()
    table(*ANSWERS)
    os.utime("a.csv", (1, 1))
    table(*ANSWERS)
    AuditFiles.of(Path(AUDIT)).workspace.unlink()
    table(*ANSWERS)
    assert Path(AUDIT).read_bytes() == before


def test_further_answers_come_in_with_their_verdicts(table):
    assert "1 new trace added" in table(*ANSWERS, "3,Wait.,no,yes,")
    cells = [one.cell for one in load_audit(AUDIT).cells]
    assert [one.state for one in cells] == ["reviewed", "proposed", "reviewed"]
    assert [one.labels.value for one in cells] == [False, False, True]


def test_facts_that_come_in_later_are_numbered_after_those_there_are_without_a_gap(
    table,
    cli,
):
    table(*ANSWERS, "3,Wait.,no,yes,", "4,Go.,no,no,")
    table(*ANSWERS, "3,Wait.,no,yes,", "4,Go.,no,no,", "5,Stay.,yes,no,")
    numbers = [fact.n for one in load_audit(AUDIT).cells for fact in one.cell.facts]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert cli("check", AUDIT).err == ""


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("2,Asks.,no,,", "trace '2': its response is not the one under review"),
        (
            "2,Ask.,yes,,",
            "trace '2': its verdict on \"OK\" is not the one that came in",
        ),
        (
            "2,Ask.,no,no,",
            "trace '2': its verdict on \"OK\" is not the one that came in",
        ),
        (
            "2,Ask.,maybe,,",
            "trace '2': its verdict on \"OK\" is not the one that came in",
        ),
    ],
)
def test_what_changed_in_a_file_is_refused_with_its_name(table, line, wrong):
    before = Path(AUDIT).read_bytes()
    assert wrong in table(ANSWERS[0], line, "3,Wait.,no,,", code=2)
    assert Path(AUDIT).read_bytes() == before


def test_what_failed_there_stays_failed(shared, cli):
    path = str(shared / "data/interop/promptfoo/made_errors.jsonl")
    assert "4 failed" in cli("judge", path, code=1).err
    states = [one.cell.state for one in load_audit("made_errors.audit.toml").cells]
    assert states.count("failed") == 4


def test_what_failed_stays_so_where_the_toml_came_alone(shared, tmp_path, cli):
    path = shared / "data/interop/handmade/simple_evals_healthbench_allresults.json"
    document = json.loads(path.read_text("utf-8"))
    document["metadata"]["example_level_metadata"][0]["rubric_items"][0][
        "criteria_met"
    ] = None
    (tmp_path / "x.json").write_text(json.dumps(document), "utf-8")
    cli("import x.json -o", AUDIT)
    before = Path(AUDIT).read_bytes()
    AuditFiles.of(Path(AUDIT)).workspace.unlink()
    cli("judge", AUDIT, code=1)
    assert Path(AUDIT).read_bytes() == before


def test_a_table_of_answers_goes_with_a_rubric_of_ones_own(tmp_path, cli):
    cli("new . --criterion", "Names BCL2", "--avoid", "Names TP53")
    (tmp_path / "answers.csv").write_text("name,says\na,BCL2 it is\nb,TP53\n", "utf-8")
    cli("judge rubric.toml answers.csv --map response=says,id=name")
    assert {one.trace.id for one in load_audit("answers.audit.toml").cells} == {
        "a",
        "b",
    }


RUBRIC = """
[[llm_traits]]
name = "Kind"
kind = "boolean"

[[llm_traits]]
name = "Tone"
kind = "literal"
classes = { formal = "a", casual = "b" }

[[llm_traits]]
name = "Points"
kind = "score"

[[regex_traits]]
name = "Digits"
pattern = "[0-9]"

[[scorer_traits]]
name = "Match"
scorer = "recorded"

[[llm_traits]]
name = "Left open"
kind = "boolean"
"""


def test_a_tables_verdicts_label_the_traits_of_a_rubric_of_ones_own(tmp_path, cli):
    (tmp_path / "r.toml").write_text(RUBRIC, "utf-8")
    table = tmp_path / "t.csv"
    table.write_text(
        "id,response,kind,tone,points,digits,match,anna\n"
        "a,Dear 1,freundlich,Formal,4,ja,0.5,grob\n"
        "b,Hi,grob,rude,9,nein,1,grob\n",
        "utf-8",
    )
    mapped = (
        "verdict.Kind=kind,person.Kind=anna,positive.Kind=freundlich,verdict.Tone=tone,"
        "verdict.Points=points,verdict.Digits=digits,verdict.Match=match"
    )
    said = cli("import r.toml t.csv -o", AUDIT, "--map", mapped).err
    assert 'Kind: the rubric\'s, yes or no; yes = "freundlich", no = "grob"' in said
    cells = {
        (one.trace.id, one.cell.subject.trait.name): one.cell
        for one in load_audit(AUDIT).cells
    }
    values = {
        place: getattr(cell.labels, "value", None) for place, cell in cells.items()
    }
    assert values["a", "Kind"] is False, "what anna said is what stands"
    assert cells["a", "Kind"].signed.by == "anna"
    assert (values["a", "Tone"], values["a", "Points"]) == (0, 4)
    assert values["a", "Digits"] is True
    assert cells["a", "Match"].labels.standing.values[""] == 0.5
    assert '"rude" is none of the classes "formal", "casual"' in str(
        cells["b", "Tone"].failure,
    )
    assert "a whole number from 1 to 5, not the number 9" in str(
        cells["b", "Points"].failure,
    )
    assert cells["a", "Left open"].state == "pending"
    before = Path(AUDIT).read_bytes()
    cli("import r.toml t.csv -o", AUDIT, "--map", mapped)
    assert Path(AUDIT).read_bytes() == before


def test_a_trait_that_the_rubric_lacks_is_refused_with_the_nearest(tmp_path, cli):
    (tmp_path / "r.toml").write_text(RUBRIC, "utf-8")
    (tmp_path / "t.csv").write_text("id,response,kind\na,Dear,yes\n", "utf-8")
    wrong = cli("import r.toml t.csv --map verdict.Kin=kind", code=2).err
    assert 'the rubric has no trait "Kin"; did you mean "Kind"?' in wrong
    assert not list(tmp_path.glob("*.db"))


def test_an_empty_answer_is_refused_beside_a_rubric_of_ones_own_too(tmp_path, cli):
    cli("new . --criterion", "Names BCL2")
    (tmp_path / "answers.csv").write_text("id,response\na,BCL2 it is\nb,\n", "utf-8")
    assert (
        "answers.csv: row 2: no response is in it"
        in cli("judge rubric.toml answers.csv", code=2).err
    )
    assert (
        "skipped: answers.csv: row 2"
        in cli("judge rubric.toml answers.csv --skip-bad").err
    )


def test_map_names_columns(ragas, cli):
    assert (
        "FIELD=COLUMN is right"
        in cli("import", ragas, "--map", "response,id=x", code=2).err
    )
    wrong = cli("import", ragas, "--map", "response", code=2).err
    assert '"response" names no column, and there is no such file' in wrong


@pytest.mark.parametrize(
    "name",
    [
        "inspect/security-guide.json",
        "interop/promptfoo/session1_no_metrics_v3.json",
        "karenina/results_v2.2.json",
    ],
)
def test_map_is_refused_where_the_fields_are_known(tmp_path, shared, name, cli):
    path = shared / "data" / name
    (tmp_path / "r.toml").write_text(
        '[[regex_traits]]\nname = "X"\npattern = "x"\n',
        "utf-8",
    )
    for files in (["import"], ["judge", "r.toml"]):
        err = cli(*files, path, "--map", "response=x", code=2).err
        assert "--map: goes with a table" in err


def test_a_table_is_checked_against_a_rubric_as_judge_reads_it(tmp_path, cli):
    rubric = '[[llm_traits]]\nname = "OK"\nkind = "boolean"\n'
    (tmp_path / "r.toml").write_text(rubric, "utf-8")
    (tmp_path / "a.csv").write_text("id,answer\n1,Take it.\n2,Ask.\n", "utf-8")
    assert "a.csv: 2 traces." in cli("check r.toml a.csv").out
    (tmp_path / "a.csv").write_text("id,said\n1,Take it.\n", "utf-8")
    err = cli("check r.toml a.csv", code=2).err
    assert err == cli("judge r.toml a.csv", code=2).err
    assert "say which one is: --map response=said" in err


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("inspect/security-guide.json", 3),
        ("inspect/seed_era_0_3_160_12x2.eval", 24),
        ("interop/promptfoo/session1_no_metrics_v3.json", 2),
        ("interop/langfuse/trace_llamaindex.json", 1),
        ("interop/handmade/langsmith_rows.jsonl", 1),
        ("karenina/results_v2.2.json", 1),
    ],
)
def test_behind_a_rubric_the_answers_of_a_tool_come_in_alone(
    tmp_path,
    shared,
    name,
    count,
    cli,
):
    (tmp_path / "r.toml").write_text(
        '[[regex_traits]]\nname = "X"\npattern = "x"\n',
        "utf-8",
    )
    path = shared / "data" / name
    assert f"{path.name}: {count} trace" in cli("check r.toml", path).out
    cli("judge r.toml", path, "-o", AUDIT)
    cells = load_audit(AUDIT).cells
    assert [one.cell.subject.trait.name for one in cells] == ["X"] * count


def test_a_file_that_cannot_be_read_is_not_called_another_programs(
    tmp_path,
    cli,
    monkeypatch,
):
    (tmp_path / "x.csv").write_text("id,response\na,b\n", "utf-8")

    def refuse(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)
    assert "x.csv: no permission to read it" in cli("import x.csv", code=2).err


def test_what_is_no_file_of_another_tool_is_refused(tmp_path, cli):
    (tmp_path / "x.toml").write_text("a = 1\n", "utf-8")
    assert "this is not a file of another tool" in cli("import x.toml", code=2).err
    assert (
        "nothing.json: there is no such file" in cli("import nothing.json", code=2).err
    )


@contextmanager
def adas_bench():
    """The audit that was imported, as ada has it; saved at the end."""
    place = AuditFiles.of(Path(AUDIT))
    with resume(place).workspace as workspace:
        bench = Workbench(workspace, place.audit, "ada")
        yield bench
        bench.save()


@pytest.fixture
def ruled(ragas, cli):
    """An audit in which ada overruled one cell with a reason that is a formula, and signed it."""
    cli("import", ragas, "-o", AUDIT)
    with adas_bench() as bench:
        workspace = bench.workspace
        number = workspace.cells.next_in(["proposed"], 0)
        cell = bench.open(number)[1]
        edit = cell.subject.kind.edit({"action": "set", "value": not cell.labels.value})
        bench.do(number, Correct(edit, "=HYPERLINK(1)"))
        bench.sign_off(number)
        row = workspace.cells.row(number)
    return row.trace_id


@pytest.mark.parametrize("to", ["promptfoo", "karenina"])
@pytest.mark.parametrize(
    "document",
    [[5], [{"vars": {}, "gradingResult": "x"}], {"results": [{"template": 1}]}, "x"],
)
def test_a_source_that_is_none_is_refused(ruled, tmp_path, to, document, cli):
    (tmp_path / "source.json").write_text(json.dumps(document), "utf-8")
    err = cli("export --source source.json", AUDIT, "--to", to, code=2).err
    assert "name the file that the audit was made of" in err


@pytest.mark.parametrize("to", ["rows", "promptfoo", "inspect"])
def test_no_export_is_written_over_the_audit_or_its_source(
    ruled,
    ragas,
    tmp_path,
    to,
    cli,
):
    source = tmp_path / "source.json"
    source.write_bytes(Path(ragas).read_bytes())
    for path in (Path(AUDIT), AuditFiles.of(Path(AUDIT)).workspace, source):
        before = path.read_bytes()
        wrong = cli(
            "export",
            AUDIT,
            "--to",
            to,
            "--source",
            source,
            "-o",
            path,
            code=2,
        ).err
        assert "the export is made from this file" in wrong
        assert path.read_bytes() == before


def test_rows_have_who_when_why_and_the_judges_verdict(ruled, cli):
    rows = [
        json.loads(line)
        for line in cli("export", AUDIT, "--to", "rows").out.splitlines()
    ]
    assert len(rows) == 17
    (row,) = [one for one in rows if one["gen_ai.response.id"] == ruled]
    assert row["gen_ai.evaluation.name"] == "helpfulness"
    assert row["gen_ai.evaluation.explanation"] == "=HYPERLINK(1)"
    assert row["appellate.by"] == "ada"
    assert row["appellate.at"].endswith("Z")
    assert row["appellate.judge_value"] is not (
        row["gen_ai.evaluation.score.value"] == 1.0
    )


@pytest.mark.parametrize(
    ("form", "keys"),
    [
        ("langfuse", ["traceId", "name", "value", "dataType", "comment"]),
        ("phoenix", ["span_id", "name", "annotator_kind", "result", "identifier"]),
        ("mlflow", ["trace_id", "name", "value", "rationale", "source"]),
        ("langsmith", ["run_id", "key", "score", "comment"]),
    ],
)
def test_rows_have_the_names_of_a_tool(ruled, form, keys, cli):
    row = json.loads(
        cli("export", AUDIT, "--to", "rows", "--as", form).out.splitlines()[0],
    )
    assert [key for key in keys if key not in row] == []


def test_no_text_of_the_csv_files_is_a_formula(ruled, tmp_path, cli):
    cli("export", AUDIT, "--to", "csv", "-o", "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "cells.csv",
        "corrections.csv",
        "items.csv",
        "rubric.toml",
        "traces.jsonl",
        "verdicts.csv",
    ]
    for path in (tmp_path / "out").glob("*.csv"):
        text = path.read_text("utf-8")
        assert ",=HYPERLINK" not in text
        assert "=HYPERLINK" not in text or "'=HYPERLINK" in text


def test_a_copy_of_the_source_is_written_only_where_it_is_named(ruled, ragas, cli):
    assert (
        "--source: is missing" in cli("export", AUDIT, "--to", "promptfoo", code=2).err
    )
    assert (
        "no trace of the audit is in it"
        in cli("export", AUDIT, "--to", "promptfoo", "--source", ragas, code=2).err
    )


def test_where_nobody_signed_there_is_nothing_to_export(shared, cli):
    log = str(shared / "data/inspect/security-guide.json")
    cli("import", log, "-o", AUDIT)
    assert "Nobody has signed anything off" in cli("export", AUDIT, "--to", "rows").err


def test_a_list_of_criteria_loses_its_dashes_from_standard_input_too(
    tmp_path,
    cli,
    monkeypatch,
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "sys.stdin",
        io.TextIOWrapper(io.BytesIO(b"- Names BCL2\nSays where\n")),
    )
    cli("new one --criteria -")
    text = (tmp_path / "one" / "rubric.toml").read_text("utf-8")
    assert '"Names BCL2"' in text
    assert '"Says where"' in text


def test_a_new_rubric_takes_criteria_of_a_file_or_a_column(tmp_path, cli):
    (tmp_path / "list.txt").write_text(
        "- Names BCL2\n\n- Names BCL2\nNames apoptosis\n",
        "utf-8",
    )
    cli("new one --criteria list.txt")
    (tmp_path / "list.csv").write_text(
        "id,what\n1,Names BCL2\n2,Names cancer\n",
        "utf-8",
    )
    assert (
        'FILE:COLUMN with one of "id", "what"'
        in cli("new two --criteria list.csv", code=2).err
    )
    both = cli("new two --criteria - --questions -", code=2).err
    assert both == "--questions: standard input has the criteria; name a file\n"
    cli("new two --criteria list.csv:what")
    assert '"Names apoptosis"' in (tmp_path / "one/rubric.toml").read_text("utf-8")
    cli("check two/rubric.toml two/traces.jsonl")
    assert "is there already" in cli("new two --criterion x", code=2).err
    told = cli("new three --criteria list.txt:what", code=2).err
    assert told == "list.txt:what: there is no such file\n"


def test_criteria_in_a_table_that_cannot_be_read_are_told(tmp_path, cli):
    limit = csv.field_size_limit(
        131_072,
    )  # as it is before a command reads other tools' tables
    (tmp_path / "long.csv").write_text("x" * 200_000, "utf-8")
    told = cli("new one --criteria long.csv", code=2).err
    csv.field_size_limit(limit)
    assert told == "long.csv: line 1: field larger than field limit (131072)\n"
    assert "there is no criterion" in cli("new three", code=2).err


@pytest.fixture
def scored(shared, cli):
    """The audit of a log with several scorers, of which ada signed off two."""
    log = str(shared / "data/inspect/multi_scorer_14x2.json")
    cli("import", log, "-o", AUDIT)
    with adas_bench() as bench:
        for number in (1, 2):
            bench.sign_off(number)
    return log


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_inspect_gets_a_file_for_each_scorer(scored, tmp_path, ending, cli):
    assert (
        "people ruled on 2 scorers, each has its own file"
        in cli("export", AUDIT, "--to", "inspect", code=2).err
    )
    cli("export", AUDIT, "--to", "inspect", "-o", f"scores.{ending}")
    for name in ("match", "includes"):
        text = (tmp_path / f"scores-{name}.{ending}").read_text("utf-8")
        assert len(text.splitlines()) == 1 + (ending == "csv")


def test_what_goes_back_into_json_lines_are_json_lines(shared, cli):
    source = str(shared / "data/interop/promptfoo/made_errors.jsonl")
    cli("import", source, "-o", AUDIT)
    with adas_bench() as bench:
        bench.sign_off(bench.workspace.cells.next_in(["proposed"], 0))
    export = [
        "export",
        AUDIT,
        "--to",
        "promptfoo",
        "--source",
        source,
        "-o",
        "rated.jsonl",
    ]
    cli("", *export)
    before, after = (
        [json.loads(line) for line in Path(name).read_text("utf-8").splitlines()]
        for name in (source, "rated.jsonl")
    )
    assert [one["id"] for one in after] == [one["id"] for one in before]
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (
            ["interop/promptfoo/made_errors.jsonl"],
            "promptfoo results: 16 answers, 24 verdicts",
        ),
        (["inspect/security-guide.json"], "Inspect log, version 2: 3 answers"),
        (
            ["karenina/checkpoint_metric.jsonld", "karenina/results_v2.2.json"],
            "results_v2.2.json: Karenina results: 1 answer, 5 verdicts",
        ),
        (["karenina/real_answers.jsonl"], "4 traces (not checked against a rubric"),
    ],
)
def test_check_knows_the_files_of_other_tools(shared, names, said, cli):
    assert said in cli("check", *(str(shared / "data" / name) for name in names)).out


def test_check_names_what_import_would_refuse(shared, cli):
    assert (
        'the columns are "id", "target", "predicate"'
        in cli("check", shared / "data/interop/scout/refusal.csv", code=2).err
    )
    said = cli("check", shared / "data/interop/mt_bench/gpt-4_single.jsonl", code=2).err
    assert "no column is the response" in said
    assert "id: is missing" not in said, "the same fault of every line"


def test_a_new_rubric_has_its_questions_comments_and_an_example_for_each(tmp_path, cli):
    (tmp_path / "ask.csv").write_text('id,text\n1,"What is\nBCL2?"\n', "utf-8")
    words = ["--criterion", "Names BCL2", "--avoid", "Names TP53", "--question", "Why?"]
    assert (
        "appellate review 'my one/rubric.toml' 'my one/traces.jsonl'"
        in cli("new", "my one", *words, "--questions", "ask.csv:text").err
    )
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
    assert [one.question_id for one in load_traces("my one/traces.jsonl")] == [
        "q1",
        "q2",
    ]


def test_a_new_rubric_takes_criteria_from_a_pipe(monkeypatch, cli):
    monkeypatch.setattr(
        "sys.stdin",
        TextIOWrapper(BytesIO(b"- Names BCL2\n\nNames TP53\n")),
    )
    assert "2 to state" in cli("new one --criteria -").err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--criteria", "none.txt"], "none.txt: there is no such file"),
        (["--criteria", "."], "this is a folder"),
        (["--criteria", "empty.csv"], "empty.csv: this file is empty"),
        (["--criterion", "a", "--avoid", "a"], '"a" is a criterion, too'),
        (
            ["--criterion", "a", "--questions", "none.csv:x"],
            "none.csv: there is no such file",
        ),
    ],
)
def test_what_no_rubric_can_be_made_of_is_refused_in_a_sentence(
    tmp_path,
    words,
    says,
    cli,
):
    (tmp_path / "empty.csv").write_text("")
    assert says in cli("new one", *words, code=2).err
    assert not (tmp_path / "one").exists()


def test_a_new_rubric_asks_on_a_terminal_and_says_what_comes_next(tmp_path):
    with Terminal([*APPELLATE, "new", str(tmp_path / "one")]) as at:
        for asks, words in (
            ("must a good", "Names BCL2"),
            ("must it not", ""),
            ("Which", "Why?"),
        ):
            at.wait(asks)
            at.send(*([words, "\n"] if words else []), "\n")
        at.wait("What makes the rubric weak")
        assert at.status() == 0
    assert load_rubric(tmp_path / "one/rubric.toml").questions[0].question == "Why?"


def test_a_folder_is_one_audit_with_the_name_of_the_folder(shared, tmp_path, cli):
    folder = tmp_path / "runs"
    (folder / "more").mkdir(parents=True)
    (folder / "README.md").write_text("no run")
    (folder / ".hidden.json").write_text("{}")
    for name in ("algorithm_37", "algorithm_48"):
        content = (shared / f"data/agents/who_and_when/{name}.json").read_bytes()
        (folder / f"{name}.json").write_bytes(content)
    said = cli("import", "runs").err
    assert "algorithm_37.json, algorithm_48.json: Who&When run: 2 answers" in said
    assert len(load_audit("runs.audit.toml").cells) == 4

    content = (shared / "data/agents/who_and_when/algorithm_61.json").read_bytes()
    (folder / "more/algorithm_61.json").write_bytes(content)
    assert "1 new trace added" in cli("import", "runs").err
    assert len(load_audit("runs.audit.toml").cells) == 6


def test_a_folder_without_files_of_other_tools_is_refused(tmp_path, cli):
    (tmp_path / "empty").mkdir()
    said = cli("import empty", code=2).err
    assert said.startswith(
        "empty: no file in this folder is another tool's; JSON, JSON Lines",
    )


def test_tables_are_joined_by_a_key_that_each_calls_otherwise(tmp_path, cli):
    (tmp_path / "answers.csv").write_text("id,answer\na,red\nb,blue\n")
    (tmp_path / "judged.csv").write_text(
        "of,criterion,score\na,Q0,1\na,Q1,2\nb,Q0,3\nb,Q1,4\n",
    )
    mapped = "verdict.*=score"
    said = cli(
        "import answers.csv judged.csv --join id=of -o",
        AUDIT,
        "--map",
        mapped,
    ).err
    assert "verdict.Q0 ← score.Q0, verdict.Q1 ← score.Q1" in said
    assert len(load_audit(AUDIT).cells) == 4
    before = Path(AUDIT).read_bytes()
    cli("import answers.csv judged.csv --join id=of -o", AUDIT, "--map", mapped)
    assert Path(AUDIT).read_bytes() == before


TWO_PEOPLE = (
    "id,response,judge,anna,b.ö\n1,Paris.,pass,pass,pass\n2,Lyon.,pass,fail,pass\n"
)
BOTH = "verdict.OK=judge,person.OK=anna|b.ö"


@pytest.fixture
def two_people(tmp_path):
    (tmp_path / "two.csv").write_text(TWO_PEOPLE, "utf-8")


def test_people_who_ruled_on_the_same_cells_get_an_audit_each(two_people, cli):
    said = cli("import two.csv -o", AUDIT, "--map", BOTH).err
    anna, ben = "x.anna.audit.toml", "x.b.ö.audit.toml"
    assert f"appellate compare {anna} 'x.b.ö.audit.toml'" in said
    assert [load_audit(name).reviewers for name in (anna, ben)] == [["anna"], ["b.ö"]]
    assert "2 answers, 1 alike" in cli("compare", anna, ben).out
    assert not Path(AUDIT).exists()


def test_the_audits_of_people_are_continued(two_people, tmp_path, cli):
    cli("import two.csv -o", AUDIT, "--map", BOTH)
    (tmp_path / "two.csv").write_text(f"{TWO_PEOPLE}3,Rome.,fail,fail,pass\n", "utf-8")
    cli("import two.csv -o", AUDIT, "--map", BOTH)
    audit = load_audit("x.anna.audit.toml")
    assert [one.cell.state for one in audit.cells] == ["reviewed"] * 3


def test_a_dry_run_names_the_audits_of_people_and_writes_none(
    two_people,
    tmp_path,
    cli,
):
    said = cli("import two.csv --dry-run --map", BOTH).err
    assert "anna: an audit of their own, two.anna.audit.toml" in said
    assert [path.name for path in tmp_path.iterdir()] == ["two.csv"]


def test_several_audits_have_no_one_workspace(two_people, cli):
    said = cli("import two.csv --workspace w.db --map", BOTH, code=2).err
    assert "--workspace: is one file, and 2 people ruled on the same cells" in said


def test_an_import_records_the_claim_that_people_were_blind(two_people, cli):
    cli("import two.csv --blind -o", AUDIT, "--map", "verdict.OK=judge,person.OK=anna")
    assert [one.cell.is_claimed_blind for one in load_audit(AUDIT).cells] == [
        True,
        True,
    ]


def test_names_of_people_that_make_one_name_of_a_file_are_numbered():
    names = ["a/b", "a:b", "..", "majority of x, y"]
    paths = audits_of_people(Path("f/x.audit.toml"), names)
    assert [path.name for path in paths] == [
        "x.a-b.audit.toml",
        "x.a-b-2.audit.toml",
        "x.person.audit.toml",
        "x.majority-of-x-y.audit.toml",
    ]
    assert {path.parent.name for path in paths} == {"f"}


@pytest.mark.parametrize(("option", "said"), [("--blind", True), ("", False)])
def test_numbers_of_an_import_say_how_people_ruled(two_people, cli, option, said):
    cli(
        f"import two.csv {option} -o",
        AUDIT,
        "--map",
        "verdict.OK=judge,person.OK=anna",
    )
    for command in ("metrics", "report"):
        words = " ".join(cli(command, AUDIT).out.split())
        assert ("People's labels are blind by the importer's claim" in words) is said
        assert ("Nobody ruled blind here" in words) is not said


def test_runs_of_a_folder_are_the_traces_of_a_rubric(shared, tmp_path, cli):
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("login_browser", "weather_tool"):
        file = f"{name}.trajectory.json"
        (runs / file).write_bytes((shared / "data/agents/atif" / file).read_bytes())
    rubric = (
        '[[llm_traits]]\nname = "Helped"\nkind = "boolean"\nreads = "conversation"\n'
    )
    (tmp_path / "rubric.toml").write_text(rubric)
    cli("judge rubric.toml runs --judge recorded")
    assert len(load_audit("runs.audit.toml").cells) == 2


def test_a_person_with_the_name_of_a_model_is_told_of(tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "id,response,judge,gpt-4,ada\na,x,yes,yes,\nb,y,no,,no\n"
    (tmp_path / "t.csv").write_text(rows, "utf-8")
    table = "verdict.V=judge,person.V=gpt-4|ada"
    told = cli("import t.csv -o x.audit.toml --map", table).err
    assert '"gpt-4" is the name of a model or an agent' in told
    assert '"ada" is' not in told


def test_a_cell_that_looks_like_a_literal_and_is_none_stays_text(tmp_path, cli):
    table = tmp_path / "t.csv"
    table.write_text(
        'id,question,response,documents,good\n1,q,a,{[]: 1},yes\n2,q,b,"[""x""]",no\n',
    )
    told = cli(f"import {table} -o {tmp_path / 'x.audit.toml'} --map verdict.V=good")
    assert "2 answers, 2 verdicts" in told.err
    assert '"{[]: 1}"' in (tmp_path / "x.audit.toml").read_text()
