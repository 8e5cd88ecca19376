"""The commands as a person types them: what they print, where, and how they end."""

import json
import os
import re
import shlex
import subprocess
import sys
from argparse import Namespace
from io import StringIO
from pathlib import Path

import pytest

import appellate
from appellate import load_audit
from appellate.cli import main
from appellate.cli.arguments import OLD_NAMES, parser
from appellate.cli.review import _first_cell
from appellate.core.deciding import Correct
from appellate.session.workbench import Position, Workbench
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.traits.metric.edits import Edit
from manual_tables import subcommands

PLANTED = Path(__file__).parents[1] / "store" / "planted_errors.audit.toml"
RUBRIC = """
[[metric_traits]]
name = "Facts"
evaluation_mode = "full_matrix"
metrics = ["precision", "recall", "specificity", "f1"]
tp_instructions = ["Says that water boils at 100 degrees", "Says that ice floats"]
tn_instructions = ["Says that ice sinks"]
"""
TRACES = [
    {
        "id": 1,
        "question": "Water?",
        "response": "Water boils at 100 degrees Celsius. Ice floats.",
    },
    {"id": 2, "question": "Water?", "response": "Ice sinks like a stone."},
]


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.toml").write_text(RUBRIC)
    (tmp_path / "t.jsonl").write_text(
        "".join(json.dumps(trace) + "\n" for trace in TRACES),
    )
    return tmp_path


def judged(files: Path) -> Path:
    assert main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml"]) == 0
    return files / "x.audit.toml"


def test_without_a_command_the_help_fits_a_screen_of_80_by_24_a_line_a_command(cli):
    lines = cli("").out.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) < 80
    heads = [line.split()[0] for line in lines[4:] if not line.startswith(" ")]
    assert heads == ["start", "judge", "numbers", "more"]
    known = subcommands(parser())
    *others, lesser = lines[4:]
    listed = [line[9:22].strip() for line in others]
    assert [*listed, *lesser[9:].split(", ")] == list(known)
    assert all(len(one.description) <= 60 for one in known.values())


def help_of(command, part, capsys):
    """The options of a command that `--help` describes, and what it prints."""
    with pytest.raises(SystemExit) as ended:
        main([command, "--help", *part])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    described = re.findall(r"^  (-.+?)(?:  |$)", text, re.MULTILINE)
    names = {
        name
        for one in described
        for name in re.findall(r"(?<![\w-])--?[a-z][\w-]*", one)
    }
    return names - {"-h", "--help"}, text


def spelled_options(command):
    return [
        action
        for action in command._actions
        if action.option_strings and action.dest != "help"
    ]


@pytest.mark.parametrize("name", subcommands(parser()))
def test_a_help_shows_at_most_twelve_options(name, capsys):
    names, text = help_of(name, [], capsys)
    shown = [
        one
        for one in spelled_options(subcommands(parser())[name])
        if names & {*one.option_strings}
    ]
    assert len(shown) <= 12
    if len(shown) < len(spelled_options(subcommands(parser())[name])):
        assert "more options: --help " in text


@pytest.mark.parametrize("name", subcommands(parser()))
def test_a_help_and_its_parts_show_every_option(name, capsys):
    command = subcommands(parser())[name]
    every = {
        string
        for action in spelled_options(command)
        for string in action.option_strings
    }
    shown, text = help_of(name, [], capsys)
    parts = re.findall(r"--help (\w+)", text)
    for part in parts:
        shown |= help_of(name, [part], capsys)[0]
    assert shown == every
    if parts:
        assert parts[-1] == "all"
        assert help_of(name, ["all"], capsys)[0] == every


def test_review_shows_the_options_of_the_first_days_and_names_the_parts_with_the_others(
    capsys,
):
    names, text = help_of("review", [], capsys)
    assert {"--model", "--base-url", "--order", "--audit"} <= names
    assert "--times" not in text
    assert "more options: --help judge, --help screen, --help files, --help all" in text
    names, text = help_of("review", ["judge"], capsys)
    assert {"--times", "--rpm"} <= names
    assert "--theme" not in text


def test_a_part_of_the_help_that_there_is_not_is_refused_with_those_there_are(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["review", "--help", "juge"])
    assert ended.value.code == 2
    assert "judge" in capsys.readouterr().err


@pytest.mark.parametrize("name", OLD_NAMES)
def test_an_old_name_works_and_is_not_listed(name, capsys):
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: appellate {OLD_NAMES[name]} ")
    assert name not in subcommands(parser())


@pytest.mark.parametrize(
    "line",
    ["plant x.audit.toml -n 5", "sentinels x.audit.toml", "plant -h"],
)
def test_the_command_that_planted_errors_names_what_does_its_work(line, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert f"{line.split()[0]} is no longer there: " in told
    assert "appellate second-pass AUDIT" in told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("metrics x.audit.toml", "recall"),
        ("metrics x.audit.toml --json", '"format": "appellate-metrics/'),
        ("log x.audit.toml", "corrected · Facts  moved TP → FN"),
        ("report x.audit.toml", "1 of 4 cells"),
        ("report x.audit.toml --format json", '"signed_off": 1'),
        ("check x.audit.toml", "4 traces, 4 cells."),
        ("export x.audit.toml --to rows", '"missed'),
    ],
)
def test_an_audit_with_planted_errors_is_read_by_every_command(
    line,
    told,
    tmp_path,
    monkeypatch,
    cli,
):
    monkeypatch.chdir(tmp_path)
    Path("x.audit.toml").write_bytes(PLANTED.read_bytes())
    assert told in cli(line).out
    assert Path("x.audit.toml").read_bytes() == PLANTED.read_bytes()


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("appellate 0.")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("reviw x.toml", 'there is no command "reviw"; did you mean review?'),
        ("x.audit.toml", "a file is opened by: appellate review x.audit.toml"),
        ("frobnicate", 'there is no command "frobnicate"; appellate --help lists them'),
        ("--modell", 'there is no command "--modell"'),
        (
            "judge --modell x r t",
            "unrecognized arguments: --modell; did you mean --model?",
        ),
        ("metrics x --zzz", "unrecognized arguments: --zzz\n"),
    ],
)
def test_what_is_misspelt_ends_with_2_and_what_was_probably_meant(line, told, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_a_command_that_is_printed_can_be_pasted_where_names_have_blanks(files, capsys):
    assert main(["judge", "r.toml", "t.jsonl", "-o", "my audit.audit.toml"]) == 0
    assert main(["sample", "my audit.audit.toml", "-n", "2"]) == 0
    told = capsys.readouterr()
    commands = re.findall(
        r"`(appellate [^`]+)`",
        " ".join((told.out + told.err).split()),
    )
    assert commands
    for command in commands:
        assert "my audit.audit.toml" in shlex.split(command)


@pytest.mark.parametrize("command", ["probe", "batch status"])
def test_an_unknown_option_is_refused_with_the_usage_of_its_command(capsys, command):
    with pytest.raises(SystemExit):
        main([*command.split(), "x", "--nothing"])
    told = capsys.readouterr().err
    assert told.startswith(f"usage: appellate {command} [-h")
    assert "--nothing" in told


@pytest.mark.parametrize(
    "command",
    ["judge r.toml t.jsonl", "report x", "batch export x"],
)
def test_an_empty_file_name_is_refused(files, capsys, command):
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "-o", ""])
    assert ended.value.code == 2
    assert "names no file" in capsys.readouterr().err


def test_check_tells_what_each_file_is(files, cli):
    told = cli("check r.toml t.jsonl").out
    assert "r.toml: a rubric, 1 global trait, 0 questions (1 metric)." in told
    assert "t.jsonl: 2 traces" in told


def test_check_tells_files_by_what_is_in_them_as_other_commands_do(files, cli):
    for name, other in (("r.toml", "rubric"), ("t.jsonl", "traces.toml")):
        (files / name).rename(other)
    cli("judge rubric traces.toml -o x.audit.toml")
    told = cli("check rubric traces.toml").out
    assert told.splitlines()[0].startswith("rubric: a rubric, ")
    assert "traces.toml: 2 traces." in told


def test_check_lists_the_problems_of_all_files_at_once(files, cli):
    (files / "r.toml").write_text(
        RUBRIC.replace('"f1"', '"f2"').replace("tn_instructions", "tm_instructions"),
    )
    (files / "t.jsonl").write_text('{"id": 1}\n{"id": 1}\n{oops\n')
    told = cli("check r.toml t.jsonl", code=2).err
    assert "metrics" in told
    assert "tm_instructions" in told
    assert "line 2" in told
    assert "line 3" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            RUBRIC.replace('"f1"', '"f2"'),
            'metric_traits[0].metrics: "f2" is not a metric',
        ),
        ("[[metric_traits", "not valid TOML"),
        ("", "the file is empty"),
        (None, "there is no such file"),
    ],
)
@pytest.mark.parametrize("option", ["", " --lint"])
def test_check_of_a_bad_rubric_says_that_traces_were_not_held_against_it(
    text,
    problem,
    option,
    files,
    cli,
):
    (files / "r.toml").unlink()
    if text is not None:
        (files / "r.toml").write_text(text)
    told = cli(f"check r.toml t.jsonl{option}", code=2)
    assert (
        "t.jsonl: 2 traces (not checked against r.toml, which has problems)."
        in told.out
    )
    assert problem in told.err
    assert "name one before" not in told.out + told.err


def test_check_reads_a_table_behind_a_bad_rubric_as_traces(files, cli):
    (files / "r.toml").write_text("[[metric_traits")
    (files / "t.csv").write_text("id,response,note\n1,BCL2,x\n")
    told = cli("check r.toml t.csv", code=2)
    assert (
        "t.csv: 1 trace (not checked against r.toml, which has problems)." in told.out
    )
    assert len(told.err.splitlines()) == 1


def test_check_holds_traces_against_the_rubric_that_was_named_last(files, cli):
    (files / "bad.toml").write_text("[[metric_traits")
    told = cli("check bad.toml r.toml t.jsonl", code=2).out
    assert "t.jsonl: 2 traces." in told
    told = cli("check r.toml bad.toml t.jsonl", code=2).out
    assert "(not checked against bad.toml, which has problems)." in told
    assert (
        "(not checked against a rubric: name one before it)."
        in cli("check t.jsonl r.toml").out
    )


def test_check_says_which_traces_have_no_response(files, cli):
    (files / "t.jsonl").write_text(
        '{"id": 1}\n{"id": 1, "epoch": 2, "response": ""}\n{"id": 2, "response": "r"}\n',
    )
    assert (
        't.jsonl: 2 traces have no response, or an empty one: "1", "1#2"'
        in cli("check r.toml t.jsonl").err
    )


WEAK = """
[[llm_traits]]
name = "Nice"
kind = "score"

[[regex_traits]]
name = "Water"
pattern = "(?i)water|ice"
"""


def test_lint_says_what_is_weak_and_which_trait_no_trace_is_told_apart_by(files, cli):
    (files / "weak.toml").write_text(WEAK)
    rows = [{"id": n, "response": "Ice."} for n in range(5)]
    (files / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = cli("check --lint weak.toml t.jsonl", code=1)
    assert "weak.toml: llm_traits[0].description: [bare]" in told.out
    assert (
        'weak.toml: regex_traits[0]: [constant] "Water" is answered alike by all 5'
        in told.out
    )
    assert "3 weaknesses: 1 bare, 1 boundary, 1 constant." in told.err
    rows[0]["response"] = "Fire."
    (files / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "constant" not in cli("check --lint weak.toml t.jsonl", code=1).out


def test_lint_of_a_sound_rubric_and_of_an_audit_says_so(files, cli):
    judged(files)
    assert "No weakness found" in cli("check --lint r.toml t.jsonl x.audit.toml").err


def test_check_reads_an_audit(files, cli):
    judged(files)
    assert "an audit, 2 traces, 2 cells" in cli("check x.audit.toml").out


def test_judge_writes_an_audit_with_the_lexical_judge_by_default(files, capsys):
    audit = load_audit(judged(files))
    assert {one.cell.judge.judge["name"] for one in audit.cells} == {"lexical"}
    told = capsys.readouterr()
    assert told.out == ""
    assert "Judging 2 cells by lexical" in told.err
    assert "2 proposed" in told.err


def test_judging_again_asks_nothing_and_changes_no_byte(files, cli):
    before = judged(files).read_bytes()
    assert "No cell is left for this judge" in cli("judge x.audit.toml").err
    assert (files / "x.audit.toml").read_bytes() == before


def test_the_audit_is_named_after_the_traces_by_default(files):
    assert main(["judge", "r.toml", "t.jsonl"]) == 0
    assert (files / "t.audit.toml").exists()
    assert (files / "t.audit.db").stat().st_mode & 0o777 == 0o600
    assert (files / "t.audit.toml").stat().st_mode & 0o777 == 0o600


def test_traces_come_from_standard_input(files):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "appellate",
            "judge",
            "r.toml",
            "-",
            "-o",
            "x.audit.toml",
        ],
        input=(files / "t.jsonl").read_bytes(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(load_audit("x.audit.toml").cells) == 2


def test_new_traces_are_added_to_an_audit(files, cli):
    judged(files)
    more = {"id": 3, "question": "Water?", "response": "Ice floats."}
    with (files / "t.jsonl").open("a") as file:
        file.write(json.dumps(more) + "\n")
    assert "1 new trace added." in cli("judge r.toml t.jsonl -o x.audit.toml").err
    assert len(load_audit("x.audit.toml").cells) == 3


def test_a_changed_response_is_refused_by_name(files, cli):
    judged(files)
    (files / "t.jsonl").write_text(json.dumps(TRACES[0] | {"response": "No."}) + "\n")
    assert (
        "its response is not the one under review"
        in cli("judge r.toml t.jsonl -o x.audit.toml", code=2).err
    )


def test_a_changed_rubric_is_refused_by_key_path(files, cli):
    judged(files)
    (files / "r.toml").write_text(RUBRIC.replace("floats", "melts"))
    assert (
        "rubric.metric_traits[0].tp_instructions[1]"
        in cli("judge r.toml t.jsonl -o x.audit.toml", code=2).err
    )


def test_recorded_labels_are_taken_and_the_rest_stays_pending(files, cli):
    recorded = TRACES[0] | {
        "judgments": {"Facts": {"tp": ["Ice floats"], "fn": [], "fp": [], "tn": []}},
    }
    (files / "t.jsonl").write_text(
        json.dumps(recorded) + "\n" + json.dumps(TRACES[1]) + "\n",
    )
    told = cli("judge r.toml t.jsonl -o x.audit.toml").err
    assert "1 of 2 cells carry recorded labels" in told
    assert [one.cell.state for one in load_audit("x.audit.toml").cells] == [
        "proposed",
        "pending",
    ]


def test_metrics_json_has_the_documented_shape(files, cli):
    judged(files)
    document = json.loads(cli("metrics x.audit.toml --json").out)
    assert document["format"] == "appellate-metrics/2"
    (trait,) = document["traits"]
    assert (trait["name"], trait["kind"], trait["cells"]) == ("Facts", "metric", 2)
    assert trait["reviewed"] == 0
    assert list(trait["metrics"]) == ["precision", "recall", "specificity", "f1"]
    f1 = trait["metrics"]["f1"]
    assert list(f1) == ["signed", "judge", "judge_all", "standing"]
    assert f1["signed"] == f1["judge"]
    means = ("micro", "macro", "std", "stderr")
    counts = ("n", "undefined", "unscored", "cannot_tell", "clusters")
    assert f1["signed"] == dict.fromkeys(means) | dict.fromkeys(counts, 0)
    assert f1["standing"] == f1["judge_all"]
    assert (f1["standing"]["macro"], f1["standing"]["n"]) == (0.5, 2)
    assert f1["standing"]["undefined"] == 0


def signed_one(files: Path) -> None:
    """Of two judged cells the first is corrected and signed off, the second only corrected."""
    judged(files)
    opened = resume(AuditFiles.of(files / "x.audit.toml"))
    bench = Workbench(opened.workspace, files / "x.audit.toml", "ada")
    for number, bucket, to in ((1, "tp", "fn"), (2, "fp", "tn")):
        bench.do(
            number,
            Correct(
                Edit.from_row(
                    {"action": "move", "bucket": bucket, "index": 0, "to": to},
                ),
            ),
        )
    bench.sign_off(1)
    bench.save()
    opened.workspace.close()


def test_only_what_is_signed_off_is_in_signed_numbers_with_the_judge_on_the_same_cells(
    files,
    cli,
):
    signed_one(files)
    (trait,) = json.loads(cli("metrics x.audit.toml --json").out)["traits"]
    recall = trait["metrics"]["recall"]
    assert trait["reviewed"] == 1
    assert [
        recall[side]["n"] for side in ("signed", "judge", "judge_all", "standing")
    ] == [
        1,
        1,
        2,
        2,
    ]
    assert (recall["signed"]["micro"], recall["judge"]["micro"]) == (0.5, 1.0)
    assert (recall["judge_all"]["micro"], recall["standing"]["micro"]) == (0.5, 0.25)


def test_metrics_prints_the_signed_numbers_first_and_then_all(files, cli):
    signed_one(files)
    told = cli("metrics x.audit.toml --all").out
    assert told.startswith("  People signed off 1 of 2 cells.")
    tables = "Facts   1 of 2 cells signed off\n  The cells signed off, and the judge on the same"
    assert tables in told
    assert tables not in cli("metrics x.audit.toml").out
    assert told.index("The cells signed off") < told.index(
        "Mixed, and nobody's number: 1 cell signed off",
    )
    assert "no audited numbers" not in told


def test_metrics_says_so_where_nobody_signed_off(files, cli):
    judged(files)
    told = cli("metrics x.audit.toml --all").out
    assert "No cell is signed off: there are no audited numbers yet." in told
    assert "The cells signed off" not in told


NO_RUBRIC = "--lint: there is no rubric to look at; name one before the traces"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        *(
            (f"{name} nowhere.toml", "nowhere.toml")
            for name in ("metrics", "log", "judge", "check")
        ),
        ("check deep.toml", "deep.toml: nested too deeply"),
        ("check --lint t.jsonl", NO_RUBRIC),
        ("judge r.toml", "RUBRIC and TRACES"),
        ("judge r.toml -", "name the audit with -o"),
        ("judge r.toml t.jsonl -o /proc/x.audit.toml", "/proc"),
        ("judge r.toml t.jsonl -o nowhere/x.audit.toml", "no folder nowhere"),
        ("judge r.toml t.jsonl -o x.audit.toml --judge openai", "--model"),
        ("review r.toml t.jsonl", "needs a terminal"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_2(files, cli, command, told):
    (files / "deep.toml").write_text("x = " + "[" * 500 + "]" * 500)
    said = cli(command, code=2).err
    assert told in said
    assert "Traceback" not in said
    assert "No weakness" not in said
    assert not Path("x.audit.toml").exists()


def test_an_audit_changed_by_someone_else_asks_for_a_choice(files, cli):
    audit = judged(files)
    text = audit.read_text()
    audit.write_text(text.replace('id = "2"', 'id = "2"\nnoted = "by hand"'))
    assert "--take file" in cli("judge x.audit.toml", code=2).err
    cli("judge x.audit.toml --take file")
    assert 'noted = "by hand"' in audit.read_text()


def test_taking_the_workspace_writes_over_the_file_and_keeps_it_as_a_backup(
    files,
    capsys,
):
    audit = judged(files)
    mine = audit.read_text()
    theirs = mine.replace('id = "2"', 'id = "2"\nnoted = "by hand"')
    audit.write_text(theirs)
    assert main(["judge", "x.audit.toml", "--take", "workspace"]) == 0
    assert audit.read_text() == mine
    assert audit.with_name("x.audit.toml.bak").read_text() == theirs


def test_log_says_so_when_nobody_changed_anything(files, cli):
    judged(files)
    told = cli("log x.audit.toml")
    assert told.out == ""
    assert "Nobody has changed anything" in told.err


def test_log_as_json_has_no_line_when_nobody_changed_anything(files, cli):
    judged(files)
    assert cli("log x.audit.toml --json").out == ""


def test_a_cell_to_open_at_that_there_is_not_is_refused_with_what_comes_near_it(
    files,
    cli,
):
    judged(files)
    told = cli("review x.audit.toml --at 2/Facst", code=2).err
    assert told == "--at: trace 2 has no trait “Facst”; did you mean 2/Facts?\n"


def test_a_session_begins_at_the_cell_that_is_named(files):
    judged(files)
    with resume(AuditFiles.of(files / "x.audit.toml")).workspace as workspace:
        last = workspace.cells.rows(workspace.cells.count() - 1, 1)[0]
        name = f"{last.trace_id}#{last.epoch}/{last.trait}"
        there = _first_cell(Namespace(at=name), workspace)
        assert (there, _first_cell(Namespace(order="loaded"), workspace)) == (
            last.no,
            None,
        )
        bench = Workbench(workspace, files / "x.audit.toml", "ada")
        bench.keep_position(Position(1, "tp", 2))
        bench.begin_at(there)
        assert bench.position() == Position(last.no)


def test_what_was_done_is_said_in_whole_words(files, cli, monkeypatch):
    judged(files)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "stdin", StringIO("F\nc a\nc b\nu\nq\n"))
    told = cli("review x.audit.toml --lines").err.splitlines()
    assert told[0].startswith("This session")
    assert all(len(line) <= 40 and line == line.strip() for line in told[:2])


def test_an_unknown_audit_format_is_refused_by_name(files, cli):
    audit = judged(files)
    other = files / "y.audit.toml"
    other.write_text(
        audit.read_text().replace("appellate-audit/1", "appellate-audit/9"),
    )
    assert "appellate-audit/9" in cli("metrics", other, code=2).err


def test_hostile_text_reaches_the_terminal_inert(files, capsys):
    (files / "t.jsonl").rename("\x1b[31m.jsonl")
    main(["check", "r.toml", "\x1b[31m.jsonl"])
    assert "\x1b" not in capsys.readouterr().out
    (files / "t.jsonl").write_text(
        json.dumps({"id": "\x1b]0;gotcha\x07", "nope": 1}) + "\n",
    )
    main(["check", "r.toml", "t.jsonl"])
    assert "\x1b" not in capsys.readouterr().err


def test_numbers_for_programs_reach_the_terminal_inert(files, cli):
    named = (files / "r.toml").read_text().replace("Facts", "\u202eA\x9b31m")
    (files / "r.toml").write_text(named)
    cli("judge r.toml t.jsonl -o x.audit.toml --judge lexical")
    shown = cli("metrics x.audit.toml --json").out
    assert json.loads(shown)["traits"][0]["name"] == "\u202eA\x9b31m"
    assert not set("\u202e\x9b") & set(shown)


FULL = "standard output could not be written: No space left on device\n"


@pytest.mark.skipif(
    not Path("/dev/full").exists(),
    reason="no device here that is full",
)
@pytest.mark.parametrize(
    "command",
    ["--version", pytest.param("check x.audit.toml", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(
    ("streams", "code", "told"),
    [
        ("| true", 0, ""),
        (">&-", 0, ""),
        (">/dev/null 2>&-", 0, ""),
        (">/dev/full", 1, FULL),
        (">/dev/full 2>/dev/full", 1, ""),
    ],
)
def test_streams_that_take_nothing_are_no_reason_for_a_traceback(
    files,
    command,
    streams,
    code,
    told,
):
    judged(files)
    program = f"{sys.executable} -m appellate {command} {streams}"
    where = os.environ | {"PYTHONUNBUFFERED": ""}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=where,
    )
    assert (done.returncode, done.stderr) == (code, told)


@pytest.mark.skipif(
    not Path("/dev/full").exists(),
    reason="no device here that is full",
)
def test_talk_that_nobody_takes_does_not_change_how_a_command_ends(files):
    program = f"{sys.executable} -m appellate check nowhere.toml 2>/dev/full"
    assert subprocess.run(["bash", "-c", program], check=False).returncode == 2


LONG = "n" * 300
NEW, THERE = "judge r.toml t.jsonl", "--model m --base-url http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("review .", ".: this is a folder; name the audit in it"),
        ("judge /", "/: this is a folder; name the audit in it"),
        (f"{NEW} -o loop", "loop: cannot be used: Too many levels of symbolic links"),
        (f"{NEW} -o y.toml --workspace loop", "loop: cannot be used: Too many"),
        (f"{NEW} -o folder", "folder: this is not a file; choose another name"),
        (f"{NEW} -o y.toml --workspace pipe", "pipe: this is not a file"),
        (f"{NEW} --cache pipe {THERE}", "not a"),
        (f"{NEW} -o {LONG}", "cannot be used: File name too long"),
        (f"{NEW} --cache {LONG} {THERE}", "too long"),
        (f"batch import x.audit.toml {LONG}", "cannot be used: File name too long"),
        (
            "batch export r.toml t.jsonl -o . --model m",
            ".: this is a folder; name a file in it",
        ),
        (
            "report x.audit.toml -o loop",
            "loop: cannot be used: Too many levels of symbolic links",
        ),
        (f"report x.audit.toml -o {LONG}", "cannot be used: File name too long"),
        (f"config keymap {LONG}", "cannot be used: File name too long"),
        (f"metrics {LONG}", "it cannot be read: File name too long"),
        ("sample loop -n 5", "loop: cannot be used: Too many levels of symbolic links"),
        ("gold freeze loop -o x.gold.toml", "loop: it cannot be read: Too many levels"),
    ],
)
def test_a_name_that_no_file_can_have_is_told_and_nothing_is_put_in_its_place(
    files,
    monkeypatch,
    cli,
    command,
    told,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(files))
    (files / "loop").symlink_to("loop")
    (files / "folder").mkdir()
    os.mkfifo(files / "pipe")
    assert told in cli(command, code=2).err
    assert (files / "pipe").is_fifo()
    assert (files / "loop").is_symlink()


class Interrupting:
    """Ctrl+C while a module is looked for."""

    def find_spec(self, name, *_):
        if name == "appellate.cli.schema":
            raise KeyboardInterrupt


def test_ctrl_c_while_a_command_is_loaded_is_a_sentence(monkeypatch, cli):
    monkeypatch.delitem(sys.modules, "appellate.cli.schema", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    assert cli("schema audit", code=130).err == "Interrupted.\n"


INTERRUPTED_AT = """
import sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from appellate.cli import run
run()
"""


@pytest.mark.parametrize(
    "module",
    ["appellate.cli.outcome", "appellate.core", "appellate.core.problem"],
)
def test_ctrl_c_before_there_are_commands_ends_without_a_traceback(module):
    asked = [sys.executable, "-c", INTERRUPTED_AT, module]
    ended = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


NOTHING_ELSE = """
import gc, os, sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
from appellate.cli import run
print(*sorted(set(sys.modules) - before))
"""


def test_nothing_is_loaded_before_ctrl_c_is_taken():
    asked = [
        sys.executable,
        "-S",
        "-c",
        NOTHING_ELSE,
        str(Path(appellate.__file__).parents[1]),
    ]
    ended = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("appellate appellate.cli\n", "")
