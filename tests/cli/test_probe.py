"""`appellate probe`: told and asked first, nothing changed, and answers by a batch engine."""

import json
import sqlite3
import sys
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest

from appellate.cli import main
from appellate.core.design_facts import Probed
from appellate.store.audits.audit import load_audit
from appellate.store.workspace import Workspace
from batch_stage import RUBRIC, answered, answers, batch_api, lines, requests
from loopback import FAULTS, Asked, served, truthful

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
    assert main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml", "--judge", "lexical"]) == 0
    capsys.readouterr()
    return tmp_path


def probe(*more, server=None):
    if server:
        more = (*more, "--model", "m", "--base-url", server.url)
    return main(["probe", "x.audit.toml", *more])


def cells():
    return [(one.cell.labels, one.cell.facts) for one in load_audit(Path("x.audit.toml")).cells]


def kept():
    return [fact.what for fact in load_audit(Path("x.audit.toml")).design]


def test_the_offline_judge_is_probed_at_once_and_no_cell_is_changed(audit, capsys):
    before = cells()
    assert probe() == 0
    told = capsys.readouterr()
    assert told.err.startswith("9 traces, 18 cells, drawn with seed 0; the judge is lexical.")
    assert "order: the instructions in another order. Answers should stay." in told.out
    assert "Left out: 9 cells: metric trait (tp only): nothing to ask one by one." in told.out
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
        priced = ["--judge", "priced", "--probe", "again", "--probe", "evidence", "-n", "3"]
        assert probe(*priced) == 2
        told = capsys.readouterr().err
        assert "\n       6 plain     the plain question\n" in told
        assert "At most 18 requests to send.\n  m at 127.0.0.1" in told
        assert ", cost about 0." in told
        assert "nothing was sent, as nobody can be asked; say --yes to send it" in told
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
            "       6 plain     the plain question (all known already)" in capsys.readouterr().err
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
    assert {"expected": "stay", "turned": 0, "answers": 27, "units": 9}.items() <= order.items()
    (trait,) = order["traits"]
    assert [one["number"] for one in trait["instructions"]] == [1, 2, 1]
    assert "t3" not in json.dumps(order)


def test_a_batch_engine_answers_file_after_file_until_nothing_is_open(audit, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    asked = ["--probe", "order", "--probe", "again", "--probe", "evidence", "-n", "4"]
    asked += ["--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--json"]

    def written(file, *more):
        assert probe(*asked, "--batch", file, *more) == 0
        told = capsys.readouterr()
        assert told.out == ""
        return requests(Path(file)), told.err

    first, told = written("1.jsonl")
    assert "20 requests in 1.jsonl; nothing was sent." in told
    assert "8 questions, at most, rest on these answers and are asked once" in told
    assert {len(line["custom_id"]) for line in first} == {64}
    astray = {**answered(first[0]), "response": response(FAULTS["invented"], first[0])}
    late = {
        "custom_id": first[1]["custom_id"],
        "response": None,
        "error": {"code": "batch_expired"},
    }
    odd = {"custom_id": "0" * 64, "response": response(truthful, first[0])}
    came = [astray, late, *answers(first[2:]), odd]
    Path("1.out.jsonl").write_bytes(lines(came) + b"[]\n")

    second, told = written("2.jsonl", "--answers", "1.out.jsonl")
    assert "Answers: 19 taken in, 1 to no question that is open here." in told
    assert "1 line without an answer: a line is not an object" in told
    assert "1 line without an answer: not asked before the batch ended" in told
    assert "1 request of these ask once more" in told
    assert first[1] in second
    assert any(
        "words that nobody wrote" in line["body"]["messages"][1]["content"] for line in second
    )
    Path("2.out.jsonl").write_bytes(lines(answers(second)))
    assert kept() == []

    third, told = written("3.jsonl", "--answers", "2.out.jsonl", "--answers", "1.out.jsonl")
    assert f"Answers: {len(second)} taken in, 19 there already, 1 to no question" in told
    Path("3.out.jsonl").write_bytes(lines(answers(third)))
    assert probe(*asked, "--batch", "4.jsonl", "--answers", "3.out.jsonl") == 0
    told = capsys.readouterr()
    assert "Every answer is there: nothing is left to ask." in told.err
    whole = json.loads(told.out)
    assert not Path("4.jsonl").exists()
    assert [one["probe"] for one in whole["probes"]] == ["order", "again", "evidence"]
    assert whole["probes"][2]["answers"] > 0
    assert [one.probe for one in kept()] == ["order", "again", "evidence"]


def test_without_batch_what_is_open_after_the_answers_is_asked_directly(audit, capsys):
    with served(truthful) as server:
        asked = ["--probe", "evidence", "-n", "4"]
        assert probe(*asked, "--batch", "1.jsonl", server=server) == 0
        Path("out.jsonl").write_bytes(lines(answers(requests(Path("1.jsonl")))))
        assert server.asked == []
        assert probe(*asked, "--answers", "out.jsonl", "--yes", server=server) == 0
        assert "plain     the plain question (all known already)" in capsys.readouterr().err
        assert len(server.asked) == 8
        assert probe(*asked, server=server) == 0
        assert len(server.asked) == 8


def test_answers_that_are_no_judgment_end_a_batch_with_failures(audit, capsys):
    asked = ["--probe", "again", "-n", "2", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    assert probe(*asked, "--batch", "1.jsonl") == 0
    made = requests(Path("1.jsonl"))
    bad = [{**answered(one), "response": response(FAULTS["refusal"], one)} for one in made]
    Path("out.jsonl").write_bytes(lines(bad))
    assert probe(*asked, "--answers", "out.jsonl", "--batch", "2.jsonl") == 1
    told = capsys.readouterr().err
    assert "4 cells could not be asked about plainly and are in no probe." in told
    assert "4 questions failed: The model refused" in told
    assert kept() == []


@pytest.mark.slow
def test_a_servers_batch_api_is_asked_again_until_it_is_told_what_came(audit, capsys, cli):
    def submit(*more):
        given = "--probe", "evidence", "--probe", "order", "-n", "4", "--model", "m", "--submit"
        ended = probe(*given, "--base-url", api.url, *more)
        return ended, capsys.readouterr().err

    def fetch():
        return cli("batch fetch x.audit.toml").err

    with batch_api() as api:
        ended, told = submit()
        assert (ended, api.batches) == (2, {})
        assert "nothing was sent, as nobody can be asked" in told
        ended, told = submit("--yes")
        assert ended == 0
        assert "Submitting 12 requests to m at 127.0.0.1" in told
        assert "Then the same command submits what they leave open" in told
        ended, told = submit("--yes")
        assert (ended, len(api.batches)) == (2, 1)
        assert "take the answers in first with `appellate batch fetch x.audit.toml`" in told
        assert f"batch_1: in_progress, 0 of 12 done (questions to m at {api.url})" in fetch()
        assert probe("--probe", "order", "-n", "4", server=api) == 2
        assert "note: 12 questions are in batches whose answers" in capsys.readouterr().err
        assert "in batches" not in cli("judge x.audit.toml --model m --base-url", api.url).err
        api.end("expired", done=11)
        told = fetch()
        assert "11 answers to probes taken in: the same `appellate probe` goes on." in told
        assert "1 line without an answer: not asked before the batch ended" in told
        for left in (8, 1):  # the one that was late is a plain question
            ended, told = submit("--yes")
            assert ended == 0
            assert f"Submitting {left} request" in told
            api.end("completed")
            fetch()
        assert "Every answer is there: nothing is left to ask." in submit("--yes")[1]
    assert [one.probe for one in kept()] == ["evidence", "order"]
    assert all(
        cell.state == "proposed" for cell in [one.cell for one in load_audit("x.audit.toml").cells]
    )


def test_answers_that_cannot_be_kept_are_not_given_up(audit, cli):
    with batch_api() as api:
        asked = ["--probe", "again", "-n", "2", "--submit", "--yes", "--cache", "c.db"]
        assert probe(*asked, server=api) == 0
        api.end("completed")
        with closing(sqlite3.connect("c.db")) as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, body BLOB) WITHOUT ROWID"
            )
            db.execute(
                "CREATE TRIGGER full BEFORE INSERT ON replies WHEN NEW.key > '' BEGIN SELECT RAISE(FAIL, 'full'); END"
            )
            db.commit()
        assert "The answers cannot be saved" in cli("batch fetch x.audit.toml", code=2).err
        with closing(sqlite3.connect("c.db")) as db:
            db.execute("DROP TRIGGER full")
            db.commit()
        cli("batch fetch x.audit.toml")
        assert probe(*asked, server=api) == 0
    assert [one.probe for one in kept()] == ["again"]


def test_questions_of_a_batch_that_answered_none_are_open_again(audit, capsys, cli):
    with batch_api() as api:
        asked = ["--probe", "again", "-n", "2", "--submit", "--yes"]
        assert probe(*asked, server=api) == 0
        api.end("failed", done=0)
        told = cli("batch fetch x.audit.toml", code=1).err
        assert "8 lines without an answer: not asked before the batch ended" in told
        assert probe(*asked, server=api) == 0
    assert "Submitting 8 requests" in capsys.readouterr().err
    assert kept() == []


def response(script, request):
    asked = Asked(1, "POST", request["url"], {}, request["body"])
    return {"status_code": 200, "body": script(asked).body}


def test_what_fails_is_told_and_ends_with_1_and_keeps_no_outcome(audit, capsys):
    with served(FAULTS["refusal"]) as server:
        assert probe("--probe", "again", "-n", "2", "--yes", server=server) == 1
    told = capsys.readouterr().err
    assert "4 cells could not be asked about plainly and are in no probe." in told
    assert "4 questions failed: The model refused" in told
    assert kept() == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--judge", "recorded"], "labels that came with the traces answer no questions"),
        (["--answers", "no.jsonl"], "no.jsonl: there is no such file"),
        (["--batch", "b.jsonl"], "probe: a batch asks one model"),
        (["--batch", "b.jsonl", "--model", "m", "--no-cache"], "--no-cache: "),
        (["--judge", "nosuch"], "nosuch"),
    ],
)
def test_what_cannot_be_probed_is_told_in_a_sentence(audit, capsys, more, told):
    assert probe(*more) == 2
    assert told in capsys.readouterr().err
    assert kept() == []
