"""`compare A B --judges`, `gold drift A B`, and the audit of what turned that `--review` makes."""

import io
import json
import sys

import pytest

from appellate.cli import main
from appellate.cli.outcome import ProgressLine
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.database import NotKept
from cells import bench, other_proposal, proposal, trace
from gold_sets import erring, frozen
from loopback import served


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Two audits of nine traces, a.audit.toml and b.audit.toml; the second judge turns in two."""
    for name, turned in (("a", ()), ("b", (1, 4))):
        folder = tmp_path / name
        folder.mkdir()
        with bench(folder, *(trace(f"t{n}") for n in range(1, 10))) as at:
            for number in range(1, 10):
                at.receive(number, other_proposal() if number in turned else proposal())
            at.save()
            (tmp_path / f"{name}.audit.toml").write_bytes(at.audit.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ProgressLine, "in_lines", False)
    return tmp_path


BOTH = ("a.audit.toml", "b.audit.toml")


def test_what_two_judges_say_otherwise_is_told_without_any_sign_off(two, cli):
    text = cli("compare", *BOTH, "--judges").out
    assert "on the same cells:" in text
    assert "t1 · Accuracy: " in text
    assert "t4 · Accuracy: " in text
    assert "t2 · " not in text
    table = json.loads(cli("compare", *BOTH, "--judges", "--json").out)
    assert {shift["trace"] for shift in table["shifts"]} == {"t1", "t4"}


def test_drift_is_told_by_trait(two, cli):
    text = " ".join(cli("gold drift", *BOTH).out.split())
    assert "Accuracy: the judge's mean f1 went from .75 to" in text.replace(
        "0.75",
        ".75",
    )
    assert "so by the judge alone" in text
    assert json.loads(cli("gold drift", *BOTH, "--json").out)["drift"][0]["n"] == 9


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--review", "x.audit.toml"], "add --judges"),
        (["--judges", "--adjudicate"], "leave --adjudicate and --third out"),
    ],
)
def test_options_that_do_not_go_together_are_refused(two, cli, more, told):
    assert told in cli("compare", *BOTH, *more, code=2).err


def test_what_turned_is_an_audit_to_go_through(two, cli):
    said = cli("compare", *BOTH, "--judges", "--review", "turned.audit.toml").err
    assert "2 cells turned" in said
    audit = load_audit(two / "turned.audit.toml")
    assert [one.trace.id for one in audit.cells] == ["t1", "t4"]
    for one in audit.cells:
        assert one.cell.round == 2
        assert one.cell.flips
        assert [fact.what.judge["name"] for fact in one.cell.rounds] == ["gpt"]
    assert "there is an audit already" in (
        cli("compare", *BOTH, "--judges", "--review", "turned.audit.toml", code=2).err
    )


def test_line_by_line_the_audit_opens_on_what_turned_and_a_ruling_there_is_gold(
    two,
    cli,
    monkeypatch,
):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\na\nq\n"))
    out = cli("compare", *BOTH, "--judges", "--review", "t.audit.toml", "--lines").out
    assert "2 cells turned: V shows both judges' words" in out
    cli("gold", "freeze", "t.audit.toml", "-o", "t.gold.toml")
    assert "signed" in (two / "t.gold.toml").read_text("utf-8")


def test_where_nothing_turned_there_is_nothing_to_go_through(two, cli):
    (two / "c.audit.toml").write_bytes((two / "a.audit.toml").read_bytes())
    told = cli(
        "compare",
        "a.audit.toml",
        "c.audit.toml",
        "--judges",
        "--review",
        "x.audit.toml",
        code=2,
    )
    assert "no answer turned" in told.err
    assert not (two / "x.audit.toml").exists()


def test_the_flips_of_a_judge_on_a_gold_set_are_gone_through(
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    frozen(tmp_path, "judge.agreement>=.8")
    with served(erring(2, 3)) as server:
        words = [
            "gold",
            "check",
            "x.gold.toml",
            "--model",
            "new",
            "--base-url",
            server.url,
        ]
        assert main([*words, "--review", "flips.audit.toml"]) == 0
    assert "2 cells turned" in capsys.readouterr().err
    audit = load_audit(tmp_path / "flips.audit.toml")
    assert [one.trace.id for one in audit.cells] == ["t2", "t3"]
    assert [one.cell.judge.judge["model"] for one in audit.cells] == ["new", "new"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--model", "other", "--review", "x.audit.toml"], "there are 2 judges"),
        (["--review", "there.audit.toml"], "there is an audit already"),
        (["--review", "missing/x.audit.toml"], "there is no folder missing"),
    ],
)
def test_a_review_that_cannot_be_made_is_refused_before_a_judge_is_asked(
    tmp_path,
    monkeypatch,
    cli,
    more,
    told,
):
    monkeypatch.chdir(tmp_path)
    frozen(tmp_path, "judge.agreement>=.8")
    (tmp_path / "there.audit.toml").touch()
    with served(erring(2, 3)) as server:
        at_server = ["--model", "new", "--base-url", server.url]
        refused = cli("gold check x.gold.toml", *at_server, *more, code=2)
        assert not server.asked
    assert told in refused.err


def test_a_review_that_the_disk_refuses_half_way_can_be_made_later(
    two,
    cli,
    monkeypatch,
):
    def refuse(*_):
        raise NotKept("The disk is full.")

    words = ("compare", *BOTH, "--judges", "--review", "turned.audit.toml")
    with monkeypatch.context() as full:
        full.setattr(Workbench, "receive_many", refuse)
        refused = cli(*words, code=2)
    assert "The disk is full." in refused.err
    assert "turned.audit.toml" in cli(*words).err
