"""`appellate probe`: told and asked first, and nothing changed."""

import json
import sys
from io import StringIO
from pathlib import Path
from shutil import copyfile

import pytest

from appellate.cli import main
from appellate.cli.outcome import Ended, Exit
from appellate.core.design_facts import Probed
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.workspace import Workspace
from batch_stage import RUBRIC
from loopback import FAULTS, served, truthful

PROFILE = """
[judges.priced]
model = "m"
base_url = "{}"
[judges.priced.prices]
input = 1.0
output = 4.0
"""


@pytest.fixture
def audit(tmp_path, monkeypatch, capsys):
    """Nine traces of two metric traits, judged by comparing words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    Path("r.toml").write_text(RUBRIC)
    told = "Water boils at 100 degrees. Ice floats. Case {}."
    rows = [{"id": f"t{n}", "response": told.format(n)} for n in range(9)]
    Path("t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert (
        main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml", "--judge", "lexical"])
        == 0
    )
    capsys.readouterr()
    return tmp_path


def probe(*more, server=None):
    if server:
        more = (*more, "--model", "m", "--base-url", server.url)
    return main(["probe", "x.audit.toml", *more])


def cells():
    return [
        (one.cell.labels, one.cell.facts)
        for one in load_audit(Path("x.audit.toml")).cells
    ]


def kept():
    return [fact.what for fact in load_audit(Path("x.audit.toml")).design]


def test_the_offline_judge_is_probed_at_once_and_no_cell_is_changed(audit, capsys):
    before = cells()
    assert probe() == 0
    told = capsys.readouterr()
    assert told.err.startswith(
        "9 traces, 18 cells, drawn with seed 0; the judge is lexical.",
    )
    assert "order: the instructions in another order. Answers should stay." in told.out
    assert (
        "Left out: 9 cells: metric trait (tp only): nothing to ask one by one."
        in told.out
    )
    assert "all traits, 18 cells" in told.out
    assert max(map(len, told.out.splitlines())) <= 80
    assert cells() == before
    probes = ["order", "again", "padding", "evidence", "negated", "single"]
    assert [one.probe for one in kept()] == probes
    again = kept()[1]
    assert again == Probed("again", {"name": "lexical"}, 18, again.outcome)
    assert (again.outcome["turned"], again.outcome["answers"]) == (0, 36)
    with Workspace(audit / "x.audit.db") as workspace:
        assert [fact.what for fact in workspace.design.facts()] == kept()


def test_words_of_ones_own_are_told_beside_what_came_of_them(audit, capsys):
    assert probe("--probe", "padding", "--padding", "Vielen Dank.\n") == 0
    assert "\n  In words of your own: Vielen Dank.\n" in capsys.readouterr().out
    assert kept()[0].outcome["words"] == "Vielen Dank."
    with pytest.raises(SystemExit, match="2"):
        probe("--contrary", " ")
    assert "argument --contrary: there are no words in it" in capsys.readouterr().err


def test_costs_are_told_and_nothing_is_sent_before_a_yes(audit, capsys, monkeypatch):
    with served(truthful) as server:
        (audit / "config.toml").write_text(PROFILE.format(server.url))
        priced = [
            "--judge",
            "priced",
            "--probe",
            "again",
            "--probe",
            "evidence",
            "-n",
            "3",
        ]
        assert probe(*priced) == 2
        told = capsys.readouterr().err
        assert "\n       6 plain     the plain question\n" in told
        assert "At most 18 requests to send.\n  m at 127.0.0.1" in told
        assert ", cost about 0." in told
        assert (
            "nothing was sent: there is no terminal to ask at; say --yes to send it"
            in told
        )
        monkeypatch.setattr(sys, "stdin", None)  # a caller closed it
        assert probe(*priced) == 2
        monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        assert probe(*priced) == 0
        assert capsys.readouterr().err.endswith("Send them? [y/N] Nothing was sent.\n")
        assert server.asked == []
        monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
        assert probe(*priced) == 0
        assert len(server.asked) == 18
        monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
        capsys.readouterr()
        assert probe(*priced, "--probe", "negated") == 0
        assert (
            "       6 plain     the plain question (all known already)"
            in capsys.readouterr().err
        )
    assert len(server.asked) == 18
    assert [one.probe for one in kept()] == ["again", "evidence"]


class Terminal(StringIO):
    def isatty(self):
        return True


def test_as_json_every_count_is_there_and_no_cell_is_named(audit, capsys):
    with served(truthful) as server:
        assert probe("--probe", "order", "--json", "--yes", server=server) == 0
    whole = json.loads(capsys.readouterr().out)
    assert (whole["format"], whole["judge"]["model"]) == ("appellate-probes/1", "m")
    (order,) = whole["probes"]
    assert {
        "expected": "stay",
        "turned": 0,
        "answers": 27,
        "units": 9,
    }.items() <= order.items()
    (trait,) = order["traits"]
    assert [one["number"] for one in trait["instructions"]] == [1, 2, 1]
    assert "t3" not in json.dumps(order)


def test_what_fails_is_told_and_ends_with_1_and_keeps_no_outcome(audit, capsys):
    with served(FAULTS["refusal"]) as server:
        assert probe("--probe", "again", "-n", "2", "--yes", server=server) == 1
    told = capsys.readouterr().err
    assert "4 cells got no answer to the plain question and are in no probe." in told
    assert "4 questions failed: The model refused" in told
    assert kept() == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            ["--judge", "recorded"],
            "labels that came with the traces answer no questions",
        ),
        (["--judge", "nosuch"], "nosuch"),
    ],
)
def test_what_cannot_be_probed_is_told_in_a_sentence(audit, capsys, more, told):
    assert probe(*more) == 2
    assert told in capsys.readouterr().err
    assert kept() == []


@pytest.mark.parametrize(
    "more",
    [["--batch", "b.jsonl"], ["--answers=a.jsonl"], ["--submit"]],
)
def test_a_batch_is_no_way_to_probe_any_more_and_what_is_is_said(audit, capsys, more):
    with pytest.raises(SystemExit, match="2"):
        probe("--model", "m", *more)
    told = capsys.readouterr().err
    assert (
        f"{more[0].split('=')[0]} is no longer there: probes are asked directly" in told
    )
    assert not Path("b.jsonl").exists()


# -- what earlier versions probed by batches ----------------------------------------------------------

EARLIER = Path(__file__).parent / "earlier" / "probed.audit.toml"
"""An audit that an earlier version probed by files of a batch engine."""
SUBMITTED = {
    "file": "file-1",
    "url": "http://127.0.0.1:9/v1",
    "model": "m",
    "cells": 36,
    "base_url": "http://127.0.0.1:9/v1",
    "api_key_env": None,
    "id": "batch_1",
    "over": False,
    "replies": "/home/ada/x.audit.db",
}
"""What a workspace keeps of a probe that an earlier version submitted to a Batch API."""


def test_what_came_of_probes_by_a_batch_is_shown_as_ever(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    copyfile(EARLIER, "x.audit.toml")
    for _ in range(2):  # from the file, and then from the workspace
        told = cli("report x.audit.toml").out
        rows = [
            line
            for line in told.splitlines()
            if line.startswith("| 2026-11-26 15:15 UTC | ")
        ]
        assert [row.split(" UTC |")[1] for row in rows if "| m |" in row] == [
            " order | m | stay | 9 | 27 | 0 | 0.000 | 0.000–0.299 |",
            " again | m | stay | 18 | 36 | 0 | 0.000 | 0.000–0.299 |",
            " evidence | m | turn | 18 | 27 | 27 | 1.000 | 0.701–1.000 |",
        ]
        cli("probe x.audit.toml --judge lexical --probe order")
    assert [one.probe for one in kept()] == [
        "order",
        "again",
        "evidence",
        "order",
        "order",
    ]


def test_a_batch_of_a_probe_that_is_under_way_is_told_and_let_go(audit, cli):
    opened = resume(AuditFiles.of(audit / "x.audit.toml"))
    opened.workspace.set_meta("batches", json.dumps([SUBMITTED]))
    opened.workspace.close()
    told = "batch_1: 36 questions of a probe to m at http://127.0.0.1:9/v1. Probes are asked directly"
    assert told in cli("batch status x.audit.toml").out
    assert (
        "in batches" not in cli("probe x.audit.toml --judge lexical --probe order").err
    )
    shown = cli("batch fetch x.audit.toml").err
    assert told in shown
    assert cli("batch status x.audit.toml").out == "No batch is under way.\n"
    assert "batch_1" not in cli("batch fetch x.audit.toml").err


def test_results_are_saved_though_their_reader_leaves(audit, monkeypatch):
    def printed(_):
        raise Ended(Exit.DONE)

    monkeypatch.setattr("appellate.cli.probe.show", printed)
    assert probe("--probe", "order") == 0
    assert [one.probe for one in kept()] == ["order"]
