"""What an agent does by commands: propose, correct in lines, ask what is open; and what it gets."""

import io
import json
import re
import sys

import pytest

from appellate.cli import main
from appellate.cli.acting import is_named_like_model
from appellate.cli.outcome import ProgressLine
from appellate.cli.skill import skill
from appellate.core.deciding import Draw
from appellate.core.facts import AGENT
from appellate.store.audits.audit import load_audit
from cells import MOVED, bench, proposal, trace

AUDIT = "x.audit.toml"
AS = ("--agent", "claude")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three cells: `a` judged, `b` judged and drawn blind, `c` without labels."""
    with bench(tmp_path, trace("a"), trace("b"), trace("c")) as at:
        at.receive(1, proposal())
        at.receive(2, proposal())
        at.do(2, Draw(True))
        at.save()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ProgressLine, "in_lines", False)  # and so again after the test
    return tmp_path


def lines(monkeypatch, *sent):
    """Gives these keys and texts to line mode, a line each."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(sent) + "\n"))


def labels(name="c", **more):
    """A line of proposals, with the labels that the judge of these tests gives."""
    return json.dumps({"id": name, "trait": "Accuracy", **proposal().table, **more})


def written(folder, *rows):
    (folder / "labels.jsonl").write_text("\n".join(rows) + "\n", "utf-8")


def cell_of(folder, name):
    return next(
        one.cell for one in load_audit(folder / AUDIT).cells if one.trace.id == name
    )


# -- proposing ---------------------------------------------------------------------------------------


def test_what_an_agent_proposes_is_a_judges_and_an_agents(folder, cli):
    written(folder, labels(model="claude-5", tokens_in=7))
    said = cli("propose", AUDIT, "labels.jsonl", *AS).err
    assert "1 cell labelled by the agent claude; a person signs off." in said
    cell = cell_of(folder, "c")
    assert (cell.state, cell.judged.by, cell.judged.as_agent) == (
        "proposed",
        "claude",
        True,
    )
    judge = cell.judge.judge
    assert (judge["as"], judge["model"], judge["tokens_in"]) == (AGENT, "claude-5", 7)
    assert cell.labels == cell_of(folder, "a").labels


def test_a_cell_that_was_judged_gets_an_agents_labels_in_a_new_round(folder, cli):
    written(folder, labels("a"))
    problem = cli("propose", AUDIT, "labels.jsonl", *AS, code=2).err
    assert 'a is judged already under "Accuracy"; --again' in problem
    cli("propose", AUDIT, "labels.jsonl", *AS, "--again")
    cell = cell_of(folder, "a")
    assert (cell.round, cell.judged.by, len(cell.rounds)) == (2, "claude", 1)


def test_a_proposal_for_a_blind_cell_stays_hidden(folder, cli):
    written(folder, labels("b"))
    said = cli("propose", AUDIT, "labels.jsonl", *AS, "--again").err
    assert "Of these, 1 is hidden until a person rules." in said
    assert cell_of(folder, "b").shown.judged is None


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("[1]", "line 2: this is a list"),
        ("{", "line 2"),
        ('{"trait": "Accuracy"}', "line 2: this line names no trace"),
        (
            '{"id": "c", "epoch": 99999999999999999999, "trait": "Accuracy"}',
            "line 2",
        ),
        ('{"id": "c", "epoch": "x", "trait": "Accuracy"}', "epoch is a whole number"),
        ('{"id": "zz", "trait": "Accuracy"}', "line 2: id: there is no trace zz"),
        ('{"id": "c", "trait": "Tone"}', 'line 2: trait: c has no trait "Tone"'),
        ('{"id": "c"}', "line 2: this line names no trait"),
        ('{"id": "c", "trait": ["Accuracy"]}', "line 2: this line names no trait"),
        (r'{"id": "\ud800", "trait": "Accuracy"}', "line 2: id: there is no trace �"),
        ('{"id": "c", "trait": "Accuracy", "tp": 3}', "line 2: tp"),
        (
            '{"id": "c", "trait": "Accuracy", "verdict": true}',
            'there is no key "verdict"',
        ),
        (labels(), "line 2: labels the same cell as line 1"),
    ],
)
def test_of_a_file_with_a_wrong_line_nothing_is_taken(folder, cli, row, told):
    written(folder, labels(), row)
    before = (folder / AUDIT).read_bytes()
    assert told in cli("propose", AUDIT, "labels.jsonl", *AS, code=2).err
    assert (folder / AUDIT).read_bytes() == before
    assert cell_of(folder, "c").state == "pending"


def test_proposals_need_the_agents_name_and_a_line(folder, cli):
    written(folder, "")
    assert "--agent: is missing" in cli("propose", AUDIT, "labels.jsonl", code=2).err
    assert (
        "has no name"
        in cli("propose", AUDIT, "labels.jsonl", "--agent", " ", code=2).err
    )
    assert "the file is empty" in cli("propose", AUDIT, "labels.jsonl", *AS, code=2).err


# -- line by line ------------------------------------------------------------------------------------


def test_an_agent_corrects_and_comments_line_by_line_and_signs_nothing(
    folder,
    monkeypatch,
    capsys,
):
    lines(monkeypatch, "2", "c Is this one right?", "a", "q")
    assert main(["review", AUDIT, "--lines", *AS]) == 0
    assert "An agent cannot sign off" in capsys.readouterr().out
    cell = cell_of(folder, "a")
    assert cell.state == "corrected"
    acts = [(fact.by, fact.as_agent) for fact in cell.facts if fact.is_act]
    assert acts == [("claude", True)] * 2


def test_an_agent_gets_nothing_of_a_cell_that_waits_for_a_ruling(
    folder,
    monkeypatch,
    capsys,
):
    lines(monkeypatch, ".", "s", "p", "C", "o", "c hm", "K", "2", ",", "q")
    assert main(["review", AUDIT, "--lines", *AS, "--at", "a"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("waits for a person's blind ruling") == 8
    between = printed.partition("waits for a person's")[2].rpartition(
        "waits for a person's",
    )[0]
    assert trace("b").response[:20] not in between
    assert not any(fact.as_agent for fact in cell_of(folder, "b").facts)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (f"review {AUDIT} --agent claude", "an agent has no screen; add --lines"),
        (f"review {AUDIT} --lines --agent claude --reviewer ada", "one of them acts"),
        (f"second-pass {AUDIT} --agent claude", "only a person rules a second time"),
        (
            f"compare {AUDIT} {AUDIT} --adjudicate -o y.toml --agent x",
            "only a person rules between",
        ),
    ],
)
def test_what_only_a_person_does_is_refused_to_an_agent(folder, cli, line, told):
    assert told in cli(line, code=2).err


# -- whose name it is --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "claude",
        "Claude Opus",
        "gpt-5.1",
        "o3",
        "my bot",
        "reviewbot",
        "LLM judge",
        "qwen3",
    ],
)
def test_the_name_of_a_model_is_asked_about(name):
    assert is_named_like_model(name)


@pytest.mark.parametrize(
    "name",
    ["ada", "Claudette", "Bob", "Abbott", "Robotham", "Olga", "Ida"],
)
def test_a_persons_name_is_not_asked_about(name):
    assert not is_named_like_model(name)


def test_a_reviewer_named_like_a_model_is_refused_where_nobody_can_be_asked(
    folder,
    monkeypatch,
    cli,
):
    lines(monkeypatch, "q")
    told = cli("review", AUDIT, "--lines", "--reviewer", "claude", code=2).err
    assert "is the name of a model or an agent" in told
    assert "--lines --agent claude" in told


def test_the_name_of_an_agent_is_told_as_a_shell_takes_it(folder, monkeypatch, cli):
    lines(monkeypatch, "q")
    told = cli("review", AUDIT, "--lines", "--reviewer", "review bot", code=2).err
    assert "--lines --agent 'review bot'" in told


def test_a_reviewer_named_like_a_model_is_asked_about_once(folder, monkeypatch, cli):
    asked = []
    monkeypatch.setattr("appellate.cli.acting.can_ask", lambda: True)
    monkeypatch.setattr(
        "appellate.cli.acting.is_confirmed",
        lambda text: not asked.append(text),
    )
    for _ in range(2):
        lines(monkeypatch, "q")
        cli("review", AUDIT, "--lines", "--reviewer", "claude")
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("typed", "code"),
    [(b"yes\nq\n", 0), (b"\xff\n", 2)],
)
def test_after_a_question_is_answered_line_mode_reads_on(
    folder,
    monkeypatch,
    cli,
    typed,
    code,
):
    monkeypatch.setattr("appellate.cli.acting.can_ask", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed), "utf-8"))
    cli("review", AUDIT, "--lines", "--reviewer", "claude", code=code)


# -- what is told ------------------------------------------------------------------------------------


def test_the_status_counts_cells_acts_and_labels_of_agents(folder, monkeypatch, cli):
    written(folder, labels())
    cli("propose", AUDIT, "labels.jsonl", *AS)
    told = json.loads(cli("status", AUDIT, "--json").out)
    assert told["format"] == "appellate-status/1"
    assert told["cells"] == {
        "pending": 0,
        "failed": 0,
        "proposed": 2,
        "corrected": 0,
        "reviewed": 0,
        "hidden": 1,
    }
    assert (told["signed"], told["of_agents"], told["agents"]) == (0, 1, {"claude": 1})
    assert told["next"] == f"appellate review {AUDIT} --order unreviewed"
    assert told["next_by"] == "person"
    text = cli("status", AUDIT).out
    assert "1 waiting for a blind ruling" in text
    assert "1 cell an agent labelled, and nobody signed off." in text


@pytest.mark.parametrize("name", [AUDIT, "x.audit.db"])
def test_the_status_tells_what_the_file_lacks(tmp_path, monkeypatch, cli, name):
    with bench(tmp_path, trace("a")) as at:
        at.save()
        at.receive(1, proposal())
    monkeypatch.chdir(tmp_path)
    assert json.loads(cli("status", name, "--json").out)["behind"] == 1


def test_the_status_goes_on_with_labels_then_the_sample_then_the_report(folder, cli):
    assert " judge " in json.loads(cli("status", AUDIT, "--json").out)["next"]
    cli("judge", AUDIT, "--judge", "lexical")
    cli("sample", AUDIT, "-n", "2", "--sighted")
    told = json.loads(cli("status", AUDIT, "--json").out)
    assert told["sample"] == {"units": 2, "done": 0, "blind": False, "new_traces": 0}
    assert told["next"].endswith("--order sample")


SECRET = "only the hidden judge says this"  # noqa: S105 - no password


def test_no_command_for_programs_shows_what_a_hidden_judge_said(
    tmp_path,
    monkeypatch,
    capsys,
):
    secret = proposal(rationale=SECRET)
    with bench(tmp_path, trace("a"), trace("b")) as at:
        for number in (1, 2):
            at.receive(number, secret)
            at.do(number, MOVED)
            at.do(number, Draw(True))
        at.save()
    monkeypatch.chdir(tmp_path)
    commands = {
        "status x.audit.toml --json",
        "check x.audit.toml --json",
        "metrics x.audit.toml --json",
        "metrics x.audit.toml --csv",
        "sample x.audit.toml --json",
        "gate x.audit.toml f1>=.5 --json",
        "log x.audit.toml --json",
        "report x.audit.toml --format json",
        "report x.audit.toml --format csv",
        "export x.audit.toml --to rows",
        "compare x.audit.toml y.audit.toml --json",
        "compare x.audit.toml y.audit.toml --judges --json",
        "judge x.audit.toml --dry-run --json --judge lexical",
        "batch status x.audit.toml --json",
        "gold check x.gold.toml --judge lexical --json",
        "gold drift x.audit.toml y.audit.toml --json",
        "probe x.audit.toml --judge lexical --probe order --yes --json",
    }
    (tmp_path / "y.audit.toml").write_bytes((tmp_path / "x.audit.toml").read_bytes())
    for line in sorted(commands):
        capsys.readouterr()
        main(line.split())
        printed = capsys.readouterr()
        assert SECRET not in printed.out + printed.err, line


def test_every_option_for_json_is_among_these_commands():
    from appellate.cli.arguments import parser
    from manual_tables import subcommands

    having = set()
    for name, command in subcommands(parser()).items():
        below = subcommands(command) or {"": command}
        for action, one in below.items():
            if "--json" in one._option_string_actions:
                having.add(f"{name} {action}".strip())
    source = (
        test_no_command_for_programs_shows_what_a_hidden_judge_said.__code__.co_consts
    )
    walked = " ".join(
        sorted(next(text for text in source if isinstance(text, frozenset))),
    )
    assert not [name for name in having if f"{name} " not in walked]


def test_the_log_says_for_programs_who_acted_as_what(folder, monkeypatch, cli):
    lines(monkeypatch, "2", "q")
    main(["review", AUDIT, "--lines", *AS])
    rows = [json.loads(line) for line in cli("log", AUDIT, "--json").out.splitlines()]
    (row,) = [row for row in rows if row["act"] == "corrected"]
    assert (row["by"], row["as"], row["trace"], row["trait"]) == (
        "claude",
        AGENT,
        "a",
        "Accuracy",
    )
    assert "claude (agent)" in cli("log", AUDIT).out


def test_problems_are_told_to_programs_with_their_places(folder, cli):
    (folder / "r.toml").write_text(
        'name = "x"\n[[metric_traits]]\nname = "A"\n',
        "utf-8",
    )
    told = json.loads(cli("check", "r.toml", "--json", code=2).out)
    assert told["format"] == "appellate-check/1"
    assert told["problems"][0]["file"] == "r.toml"
    (folder / "r.toml").write_text(
        'name = "x"\n[[llm_traits]]\nname = "A"\nkind = "boolean"\ndescription = "Y?"\n',
    )
    told = json.loads(cli("check", "r.toml", "--json").out)
    assert (told["problems"], len(told["found"])) == ([], 1)


def test_the_report_says_that_all_sign_offs_are_persons(folder, monkeypatch, cli):
    lines(monkeypatch, "2", "q")
    main(["review", AUDIT, "--lines", *AS])
    lines(monkeypatch, "a", "q")
    main(["review", AUDIT, "--lines", "--reviewer", "ada", "--at", "a"])
    text = cli("report", AUDIT).out
    assert "claude (agent)" in text
    assert "All 1 sign-off is persons'." in text
    people = json.loads(cli("report", AUDIT, "--format", "json").out)["reviewers"]
    assert [(one["name"], one["as_agent"], one["signed_off"]) for one in people] == [
        ("ada", False, 1),
        ("claude", True, 0),
    ]


# -- the instructions --------------------------------------------------------------------------------


def test_the_instructions_are_short_and_name_only_what_there_is(capsys):
    from appellate.cli.arguments import PAGES

    skill(None)
    text = capsys.readouterr().out
    assert len(text.splitlines()) <= 150
    named = set(re.findall(r"^ *appellate ([a-z-]+)", text, re.MULTILINE))
    assert named
    assert named <= PAGES.keys()


def test_an_agent_that_follows_the_instructions_leaves_the_deciding_to_a_person(
    tmp_path,
    monkeypatch,
    cli,
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ProgressLine, "in_lines", False)
    (tmp_path / "answers.csv").write_text(
        "id,question,response\na1,Where is BCL2?,On chromosome 18.\na2,And MYC?,On 8.\n",
        "utf-8",
    )
    (tmp_path / "r.toml").write_text(
        'name = "BCL2"\n[[llm_traits]]\nname = "Right"\nkind = "boolean"\ndescription = "Is it right?"\n',
        "utf-8",
    )
    assert json.loads(cli("check r.toml answers.csv --json").out)["problems"] == []
    cli("judge r.toml answers.csv -o x.audit.toml --judge lexical")
    status = json.loads(cli("status x.audit.toml --json").out)
    assert status["cells"]["pending"] == 2
    written(
        tmp_path,
        '{"id": "a1", "trait": "Right", "value": true, "rationale": "So it is."}',
        '{"id": "a2", "trait": "Right", "value": true}',
    )
    cli("propose x.audit.toml labels.jsonl", *AS)
    lines(monkeypatch, ".", "c MYC is on 8q24.", "q")
    cli("review x.audit.toml --lines", *AS)
    status = json.loads(cli("status x.audit.toml --json").out)
    assert (status["of_agents"], status["next_by"]) == (2, "person")
    lines(monkeypatch, "a", "2", "a", "q")
    cli("review x.audit.toml --lines --reviewer ada --at a1")
    status = json.loads(cli("status x.audit.toml --json").out)
    assert (status["signed"], status["of_agents"]) == (2, 0)
    assert (status["persons"], status["agents"]) == ({"ada": 3}, {"claude": 3})
    assert "All 2 sign-offs are persons'." in cli("report x.audit.toml").out
