"""`appellate gold`: freezing what people ruled on, and testing judges on it, with real servers."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from xml.etree import ElementTree as ET

import pytest

from appellate.cli import main
from appellate.gold.gold_file import read_gold
from appellate.gold.replies import read_replies, recording
from gold_sets import audited, erring, frozen, is_polite, sign_all
from loopback import FAULTS, Answer, served, truthful

BAR = "judge.agreement>=.8"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)


def asked(server, *more):
    return [
        "gold",
        "check",
        "x.gold.toml",
        "--model",
        "new",
        "--base-url",
        server.url,
        *more,
    ]


def told(capsys, *words):
    capsys.readouterr()
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, " ".join(out.split()), " ".join(err.split())


def document(capsys, *words):
    capsys.readouterr()
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_gold_set_has_traces_labels_who_ruled_and_hashes_and_says_what_it_is(
    tmp_path,
    capsys,
):
    gold = frozen(tmp_path, BAR, own_errors=[4, 5])
    assert [cell.name for cell in gold.cells[:2]] == ["t1 · Polite", "t2 · Polite"]
    assert gold.cells[3].table["value"] is is_polite(4)
    assert gold.cells[3].judge["value"] is not is_polite(4)
    assert {cell.by for cell in gold.cells} == {("ada",)}
    assert {cell.how for cell in gold.cells} == {"signed"}
    text = (tmp_path / "x.gold.toml").read_text("utf-8")
    assert tomllib.loads(text)["digest"] == gold.digest
    assert (
        main(["gold", "freeze", "x.audit.toml", "-o", "y.gold.toml", "--bar", BAR]) == 0
    )
    assert (tmp_path / "y.gold.toml").read_text("utf-8") == text


def test_a_query_says_which_cells_are_frozen(tmp_path, capsys):
    with audited(tmp_path, own_errors=[4, 5]) as at:
        at.save()
    words = ["gold", "freeze", "x.audit.toml", "-o", "x.gold.toml", "--where", "id:t4"]
    code, _, err = told(capsys, *words)
    assert code == 0, err
    assert [cell.name for cell in read_gold(tmp_path / "x.gold.toml").cells] == [
        "t4 · Polite",
    ]
    assert told(capsys, *words[:-1], "f1<")[0] == 2


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--bar", "yes>=.8"], "a gold set takes bars on a judge, as judge.yes>=0.8"),
        (["--bar", "judge.nosuch>=.8"], 'has no measure "judge.nosuch"'),
        (["--bar", "nonsense"], "is not a bar"),
        (["--agree", "2"], "name an audit of each reviewer"),
        (["--agree", "1"], "name an audit of each reviewer"),
    ],
)
def test_what_no_gold_set_can_be_made_of_is_refused_with_what_is_right(
    tmp_path,
    capsys,
    more,
    why,
):
    with audited(tmp_path, count=3) as at:
        at.save()
    code, _, err = told(
        capsys,
        "gold",
        "freeze",
        "x.audit.toml",
        "-o",
        "x.gold.toml",
        *more,
    )
    assert code == 2
    assert why in err
    assert not (tmp_path / "x.gold.toml").exists()


def test_several_audits_need_an_agreement_or_a_third_person(tmp_path, capsys):
    code, _, err = told(
        capsys,
        "gold",
        "freeze",
        "a.audit.toml",
        "b.audit.toml",
        "-o",
        "x.gold.toml",
    )
    assert code == 2
    assert "say --agree 2, or let a third rule (appellate compare" in err


def test_an_audit_without_rulings_has_no_gold_and_no_other_file_is_written_over(
    tmp_path,
    capsys,
):
    with audited(tmp_path, count=3, signed=0) as at:
        at.save()
    code, _, err = told(capsys, "gold", "freeze", "x.audit.toml", "-o", "x.gold.toml")
    assert (code, "nothing is signed off or ruled on" in err) == (2, True)
    (tmp_path / "notes.txt").write_text("mine")
    assert told(capsys, "gold", "freeze", "x.audit.toml", "-o", "notes.txt")[0] == 2
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_what_several_reviewers_answer_alike_is_gold(tmp_path, capsys):
    for name, wrong in (("a", []), ("b", [4]), ("c", [4, 5])):
        (tmp_path / name).mkdir()
        with audited(tmp_path / name, count=6, own_errors=wrong, signed=0) as at:
            at.reviewer = name
            for number in range(1, 7):
                at.sign_off(number, 9.0)
            at.save()
    audits = [f"{name}/x.audit.toml" for name in "abc"]
    words = ["gold", "freeze", *audits, "-o", "x.gold.toml", "--agree"]
    assert told(capsys, *words, "3")[0] == 0
    names = [cell.trace.id for cell in read_gold(tmp_path / "x.gold.toml").cells]
    assert names == ["t1", "t2", "t3", "t6"]
    assert told(capsys, *words, "2")[0] == 0
    cells = {cell.trace.id: cell for cell in read_gold(tmp_path / "x.gold.toml").cells}
    assert cells["t4"].table["value"] is not is_polite(4)
    assert {cell.how for cell in cells.values()} == {"agreed"}
    assert cells["t1"].by == ("a", "b", "c")
    same = ["gold", "freeze", "a/x.audit.toml", "a/x.audit.toml", "-o", "y.gold.toml"]
    code, _, err = told(capsys, *same, "--agree", "2")
    assert (code, "a reviewer with several audits is one" in err) == (2, True)


def test_a_judge_passes_fails_or_stays_undecided_by_its_error(tmp_path, capsys):
    frozen(tmp_path, BAR, own_errors=[4, 5])
    with served(erring(7)) as server:
        code, found = document(capsys, *asked(server))
    assert code == 0
    (judge,) = found["judges"]
    assert (judge["verdict"], judge["agreement"]["alike"], judge["agreement"]["n"]) == (
        "passed",
        29,
        30,
    )
    flips = judge["flips"]
    assert (flips["gained"], flips["lost"], flips["n"]) == (2, 1, 30)
    assert flips["mcnemar_p"] == 1.0
    assert [(row["trace"], row["sort"]) for row in flips["flips"]] == [
        ("t4", "gained"),
        ("t5", "gained"),
        ("t7", "lost"),
    ]
    with served(erring(*range(1, 16))) as server:
        assert main(asked(server)) == 1
    with served(erring(1, 2, 3, 4)) as server:
        code, out, _ = told(capsys, *asked(server))
    assert code == 3
    assert "Polite: kappa 0." in out
    assert "sensitivity 0.8" in out
    assert "the bar is in the interval" in out
    assert "2 gained, 2 lost" not in out


def test_recorded_replies_need_no_key_and_no_server_and_a_missing_one_fails_by_name(
    tmp_path,
    capsys,
):
    frozen(tmp_path, BAR)
    with served(erring(7)) as server:
        assert main(asked(server, "--record", "replies.jsonl")) == 0
        live = document(capsys, *asked(server))[1]["judges"][0]
        again = len(server.asked)
        assert main(asked(server, "--record", "replies.jsonl")) == 0
        assert len(server.asked) == again
    replayed = [
        *asked(server),
        "--replies",
        "replies.jsonl",
        "--api-key-env",
        "NO_SUCH_KEY",
    ]
    code, found = document(capsys, *replayed)
    assert code == 0
    same = ("verdict", "agreement", "bars", "flips", "traits")
    assert {key: found["judges"][0][key] for key in same} == {
        key: live[key] for key in same
    }

    lines = (tmp_path / "replies.jsonl").read_text().splitlines()
    kept = [line for line in lines if '"request"' in line][:20]
    heads = [line for line in lines if '"request"' not in line]
    (tmp_path / "few.jsonl").write_text("\n".join([*heads, *kept]) + "\n")
    code, out, _ = told(capsys, *asked(server), "--replies", "few.jsonl")
    assert code == 1
    assert "No reply is recorded about 10 cells (t" in out
    other_model = [word.replace("new", "newer") for word in replayed]
    code, out, _ = told(capsys, *other_model)
    assert (code, "No reply is recorded about 30 cells" in out) == (1, True)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_a_stopped_check_writes_the_replies_that_came(tmp_path, capsys, number, code):
    frozen(tmp_path, BAR)

    def stopped_by_the_fifth(asked):
        if asked.n < 5:
            return truthful(asked)
        os.kill(os.getpid(), number)
        return Answer("", delay=3600)

    with served(stopped_by_the_fifth) as server:
        line = asked(server, "--record", "replies.jsonl", "--concurrency", "1")
        ended, _, err = told(capsys, *line)
    assert ended == code
    assert "replies.jsonl: 4 replies recorded." in err
    assert len(read_replies(tmp_path / "replies.jsonl")) == 4


def test_a_check_that_is_killed_loses_no_reply_and_the_next_one_asks_only_the_rest(
    tmp_path,
    capsys,
):
    frozen(tmp_path, BAR)
    checks = []
    answer = erring()

    def killed_by_the_fifth(asked):
        if asked.n != 5:
            return answer(asked)
        checks[0].kill()
        return Answer("", delay=3600)

    with served(killed_by_the_fifth) as server:
        words = asked(server, "--record", "replies.jsonl", "--concurrency", "1")
        checks.append(subprocess.Popen([sys.executable, "-m", "appellate", *words]))
        assert checks[0].wait() == -signal.SIGKILL
        assert not (tmp_path / "replies.jsonl").exists()
        first = len(server.asked)
        code, _, err = told(capsys, *words)
    assert code == 0
    assert "replies.jsonl: 30 replies recorded." in err
    assert len(server.asked) - first == 26
    assert len(read_replies(tmp_path / "replies.jsonl")) == 30
    assert not list(tmp_path.glob(".replies.jsonl.*"))


def test_two_checks_do_not_record_into_one_file(tmp_path, capsys):
    frozen(tmp_path, BAR)
    with (
        recording(tmp_path / "replies.jsonl", print) as replies,
        served(truthful) as server,
    ):
        replies.put({"mine": b"[1]"})
        code, _, err = told(capsys, *asked(server, "--record", "replies.jsonl"))
        assert server.asked == []
    assert code == 2
    assert "another check records into it; wait until it ends" in err
    assert read_replies(tmp_path / "replies.jsonl").get("mine") == b"[1]"


@pytest.mark.parametrize("fault", ["no-schema", "no-json", "no-limit", "thinking"])
def test_replies_of_servers_that_take_less_are_found_again(tmp_path, capsys, fault):
    frozen(tmp_path, BAR, count=6)
    with served(FAULTS[fault]) as server:
        _, live = document(capsys, *asked(server, "--record", "replies.jsonl"))
    _, found = document(capsys, *asked(server), "--replies", "replies.jsonl")
    assert found["judges"][0]["agreement"] == live["judges"][0]["agreement"]
    assert found["judges"][0]["missing"] == []


def test_of_several_judges_the_cheapest_that_passes_is_named_with_how_sure_that_is(
    tmp_path,
    capsys,
):
    frozen(tmp_path, BAR, own_errors=[4, 5])
    prices = "prices = {{input = {0}, output = {0}}}"
    with (
        served(erring(7)) as good,
        served(erring()) as best,
        served(erring(*range(1, 16))) as bad,
    ):
        profiles = []
        for name, server, price in (
            ("good", good, 1.0),
            ("best", best, 9.0),
            ("bad", bad, 0.1),
        ):
            lines = [f"[judges.{name}]", f'base_url = "{server.url}"', 'model = "m"']
            profiles.append("\n".join([*lines, prices.format(price)]))
        (tmp_path / "config.toml").write_text("\n".join(profiles))
        names = [word for name in ("good", "best", "bad") for word in ("--judge", name)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("APPELLATE_CONFIG", str(tmp_path))
            code, found = document(capsys, "gold", "check", "x.gold.toml", *names)
            assert code == 1
            any_code, out, _ = told(
                capsys,
                "gold",
                "check",
                "x.gold.toml",
                *names,
                "--any",
            )
    assert any_code == 0
    assert found["choice"]["judge"] == "good"
    assert found["choice"]["best"] == "best"
    assert (
        found["choice"]["difference"]["low"]
        < 0
        < found["choice"]["difference"]["value"]
    )
    assert found["judges"][0]["cost"] == pytest.approx(120 / 1e6)
    assert (
        "Use good: it is the cheapest that passes. best is right more often by +0.033"
        in out
    )
    assert "which chance alone can do" in out


def test_a_reply_that_was_recorded_before_costs_what_it_cost_then(
    tmp_path,
    capsys,
    monkeypatch,
):
    frozen(tmp_path, BAR, count=3)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    words = [
        "gold",
        "check",
        "x.gold.toml",
        "--judge",
        "priced",
        "--record",
        "replies.jsonl",
    ]
    with served(erring()) as server:
        head = f'[judges.priced]\nbase_url = "{server.url}"\nmodel = "m"\n'
        prices = "prices = {input = 1.0, output = 1.0}\n"
        (tmp_path / "config.toml").write_text(head + prices)
        first = document(capsys, *words)[1]["judges"][0]
        (again,) = document(capsys, *words)[1]["judges"]
        assert len(server.asked) == 3
    assert first["cost"] == again["cost"] == pytest.approx(120e-6)
    assert (first["costed"], first["timed"]) == (3, 3)
    assert (again["costed"], again["timed"], again["seconds"]) == (3, 0, None)


def test_a_panel_is_a_profile_and_its_members_may_be_answered_from_recorded_replies(
    tmp_path,
    capsys,
    monkeypatch,
):
    frozen(tmp_path, BAR)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    words = ["gold", "check", "x.gold.toml", "--judge", "three"]
    with (
        served(erring(7)) as one,
        served(erring(7, 8)) as two,
        served(erring(1, 2)) as three,
    ):
        tables = [
            f'[judges.{name}]\nbase_url = "{server.url}"\nmodel = "{name}"\n'
            for name, server in (("a", one), ("b", two), ("c", three))
        ]
        panel = '[judges.three]\nmembers = ["a", "b", "c"]\n'
        (tmp_path / "config.toml").write_text("".join([*tables, panel]))
        code, live = document(capsys, *words, "--record", "replies.jsonl")
    assert code == 0
    assert live["judges"][0]["name"] == "three"
    assert [flip["trace"] for flip in live["judges"][0]["flips"]["flips"]] == ["t7"]
    _, found = document(capsys, *words, "--replies", "replies.jsonl")
    (panel_table,) = found["judges"]
    assert panel_table["flips"] == live["judges"][0]["flips"]
    members = panel_table["members"]
    assert [member["name"] for member in members] == ["a", "b", "c"]
    flipped = [
        [flip["trace"] for flip in member["flips"]["flips"]] for member in members
    ]
    assert flipped == [["t7"], ["t7", "t8"], ["t1", "t2"]]
    _, out, _ = told(capsys, *words, "--replies", "replies.jsonl")
    verdict = "(passed|not passed|undecided)"
    assert re.search(rf"three {verdict}.* a {verdict}.* b {verdict}.* c {verdict}", out)


def test_a_member_of_a_panel_that_gave_no_labels_is_counted(
    tmp_path,
    capsys,
    monkeypatch,
):
    frozen(tmp_path, BAR, count=4)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    words = ["gold", "check", "x.gold.toml", "--judge", "three"]
    with served(erring()) as good, served(FAULTS["refusal"]) as refusing:
        tables = [
            f'[judges.{name}]\nbase_url = "{server.url}"\nmodel = "{name}"\n'
            for name, server in (("a", good), ("b", refusing), ("c", good))
        ]
        panel = '[judges.three]\nmembers = ["a", "b", "c"]\n'
        (tmp_path / "config.toml").write_text("".join([*tables, panel]))
        _, out, _ = told(capsys, *words)
        _, found = document(capsys, *words, "--record", "replies.jsonl")
    _, replayed = document(capsys, *words, "--replies", "replies.jsonl")
    for key in ("verdict", "reasons", "missing", "agreement", "failed_members"):
        assert replayed["judges"][0][key] == found["judges"][0][key]
    assert found["judges"][0]["failed_members"] == {"b": 4}
    assert [len(member["failed"]) for member in found["judges"][0]["members"]] == [
        0,
        4,
        0,
    ]
    assert (
        "b gave no labels in 4 of 4 cells of the panel, where the others decide." in out
    )


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_failure_of_one_of_two_servers_of_a_model_is_replayed_as_it_was(
    tmp_path,
    capsys,
    monkeypatch,
    order,
):
    frozen(tmp_path, BAR, count=4)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    judges = [word for name in order for word in ("--judge", name)]
    words = ["gold", "check", "x.gold.toml", *judges]
    with served(erring()) as good, served(FAULTS["refusal"]) as refusing:
        tables = [
            f'[judges.{name}]\nbase_url = "{server.url}"\nmodel = "m"\n'
            for name, server in (("a", refusing), ("b", good))
        ]
        (tmp_path / "config.toml").write_text("".join(tables))
        for _ in range(2):
            _, live = document(capsys, *words, "--record", "replies.jsonl")
    _, replayed = document(capsys, *words, "--replies", "replies.jsonl")
    for now, then in zip(replayed["judges"], live["judges"], strict=True):
        for key in ("name", "verdict", "missing", "failed", "agreement"):
            assert now[key] == then[key]


def first_and_again(first, again):
    """A judge that answers a question otherwise when it comes again, and the set of what came."""
    asked_before = set()

    def answer(request):
        script = again if request.user in asked_before else first
        asked_before.add(request.user)
        return script(request)

    return answer, asked_before


def test_a_judge_that_is_named_twice_is_asked_twice_and_told_how_steady_it_is(
    tmp_path,
    capsys,
):
    frozen(tmp_path, BAR, count=8)
    flaky, asked_before = first_and_again(erring(), erring(2, 3))
    with served(flaky) as server:
        _, out, _ = told(capsys, *asked(server, "--model", "new"))
        asked_before.clear()
        _, found = document(capsys, *asked(server, "--model", "new"))
        again = asked(server, "--model", "new", "--record", "replies.jsonl")
        _, of_recorded, _ = told(capsys, *again)
    assert "Asked again, new gave another answer to 2 of 8 questions" in out
    assert [judge["name"] for judge in found["judges"]] == ["new", "new #2"]
    (repeat,) = found["repeats"]
    assert (repeat["judge"], repeat["n"], repeat["turned"]) == ("new", 8, 2)
    assert "new #2 was answered from recorded replies" in of_recorded
    with served(erring()) as server:
        assert (
            "answered all of 8 questions the same"
            in told(capsys, *asked(server, "--model", "new"))[1]
        )


def test_a_judge_that_gives_no_answer_the_second_time_was_not_replayed(
    tmp_path,
    capsys,
):
    frozen(tmp_path, BAR, count=4)
    once, asked_before = first_and_again(erring(), FAULTS["refusal"])
    with served(once) as server:
        _, out, _ = told(capsys, *asked(server, "--model", "new"))
        asked_before.clear()
        _, found = document(capsys, *asked(server, "--model", "new"))
    (repeat,) = found["repeats"]
    assert (repeat["n"], repeat["is_recorded"]) == (0, False)
    assert "recorded replies" not in out
    assert "Asked again, new gave no answer that can be compared with its first." in out


def test_the_labels_of_an_audit_and_word_overlap_are_judges_too(tmp_path, capsys):
    frozen(tmp_path, BAR, own_errors=[4])
    code, found = document(
        capsys,
        "gold",
        "check",
        "x.gold.toml",
        "--audit",
        "x.audit.toml",
    )
    assert code == 0
    assert found["judges"][0]["flips"]["flips"] == []
    assert found["judges"][0]["agreement"]["alike"] == 29
    twice = ["--audit", "x.audit.toml", "--audit", "x.audit.toml"]
    _, found = document(capsys, "gold", "check", "x.gold.toml", *twice)
    assert [judge["name"] for judge in found["judges"]] == [
        "x.audit.toml",
        "x.audit.toml #2",
    ]
    assert found["repeats"] == []
    code, out, _ = told(capsys, "gold", "check", "x.gold.toml", "--judge", "lexical")
    assert code == 3
    assert "lexical cannot judge a llm trait" in out


def test_another_trait_makes_its_cells_stale_and_they_decide_nothing(tmp_path, capsys):
    frozen(tmp_path, BAR)
    text = '[[llm_traits]]\nname = "Polite"\nkind = "boolean"\ndescription = "Is it kind?"\n'
    (tmp_path / "r.toml").write_text(text)
    with served(truthful) as server:
        code, found = document(capsys, *asked(server, "--rubric", "r.toml"))
        assert server.asked == []
    assert code == 3
    assert len(found["judges"][0]["stale"]) == 30
    words = ["gold", "check", "x.gold.toml", "--rubric", "r.toml", "--restate"]
    code, out, _ = told(capsys, *words)
    assert code == 0
    assert "30 cells of 30 are stale" in out
    assert "t1 · Polite: another is the trait (Polite.description)" in out
    (tmp_path / "r.toml").write_text(text.replace("kind?", "polite?"))
    assert "None of its 30 cells is stale" in told(capsys, *words)[1]


def test_a_judge_that_fails_on_cells_does_not_pass(tmp_path, capsys):
    frozen(tmp_path, BAR)
    good = erring()

    def flaky(request):
        if "Reply number 9 " in request.user:
            return FAULTS["refusal"](request)
        return good(request)

    with served(flaky) as server:
        code, found = document(capsys, *asked(server, "--record", "replies.jsonl"))
        replayed = asked(server, "--replies", "replies.jsonl")
    assert (
        document(capsys, *replayed)[1]["judges"][0]["failed"]
        == found["judges"][0]["failed"]
    )
    assert main(replayed) == 3
    with served(good) as server:
        assert main(asked(server, "--record", "replies.jsonl")) == 0
        assert main(asked(server, "--replies", "replies.jsonl")) == 0
    (judge,) = found["judges"]
    assert (code, judge["verdict"]) == (3, "undecided")
    assert [row["cell"] for row in judge["failed"]] == ["t9 · Polite"]


def test_a_gold_set_of_few_traces_decides_nothing(tmp_path, capsys):
    frozen(tmp_path, BAR, count=19)
    with served(erring()) as server:
        code, out, _ = told(capsys, *asked(server))
    assert code == 3
    assert "fewer than 20 traces by people" in out


def test_a_changed_gold_set_is_refused(tmp_path, capsys):
    frozen(tmp_path, BAR)
    path = tmp_path / "x.gold.toml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("value = true", "value = false", 1), "utf-8")
    words = ["gold", "check", "x.gold.toml", "--audit", "x.audit.toml"]
    code, _, err = told(capsys, *words)
    assert (code, "was changed after it was frozen" in err) == (2, True)
    path.write_text(text.replace("appellate-gold/1", "appellate-gold/9", 1), "utf-8")
    assert "which this version does not know" in told(capsys, *words)[2]
    path.write_text("x = 1", "utf-8")
    assert "is not a gold set" in told(capsys, *words)[2]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ([], "which judge?"),
        (["--judge", "recorded"], "has no recorded labels"),
        (["--model", "m", "--replies", "a", "--record", "b"], "leave out one of them"),
        (["--model", "m", "--replies", "nosuch.jsonl"], "nosuch.jsonl"),
        (["--judge", "nosuch"], "there is no judge"),
        (["--judge", "lexical", "--junit", "nosuch/j.xml"], "its folder is not there"),
        (["--judge", "lexical", "-o", "."], "this is a folder; name a file in it"),
    ],
)
def test_options_that_do_not_go_together_are_refused(tmp_path, capsys, more, why):
    frozen(tmp_path, BAR, count=3)
    code, _, err = told(capsys, "gold", "check", "x.gold.toml", *more)
    assert code == 2
    assert why in err


def test_a_check_is_printed_although_its_file_cannot_be_written(
    tmp_path,
    capsys,
    monkeypatch,
):
    def refused(path, _):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    frozen(tmp_path, BAR)
    monkeypatch.setattr("appellate.cli.gold.atomic.write", refused)
    line = ["gold", "check", "x.gold.toml", "--judge", "lexical", "-o", "check.json"]
    code, out, err = told(capsys, *line)
    assert code == 2
    assert "lexical" in out
    assert err == "check.json: cannot be used: No space left on device"


def test_junit_and_annotations_tell_the_same_in_ci(tmp_path, capsys, monkeypatch):
    frozen(tmp_path, BAR)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    with served(erring(*range(1, 16))) as server:
        code, _, err = told(
            capsys,
            *asked(server, "--junit", "junit.xml", "-o", "check.json"),
        )
    assert code == 1
    suite = ET.parse(tmp_path / "junit.xml").getroot()[0]  # noqa: S314 - our own
    assert suite.get("failures") == "1"
    assert suite.get("tests") == "31"
    assert (
        "::error file=x.gold.toml,title=new%3A not passed::It agrees with people on 15 of 30"
        in err
    )
    assert json.loads((tmp_path / "check.json").read_text())["verdict"] == "not passed"


@pytest.mark.slow
def test_another_prompt_than_that_of_the_golds_own_judge_is_what_is_tested_and_is_said(
    tmp_path,
    capsys,
):
    text = '[[llm_traits]]\nname = "Polite"\nkind = "boolean"\ndescription = "Is it polite?"\n'
    (tmp_path / "r.toml").write_text(text)
    lines = [
        json.dumps({"id": f"t{n}", "response": f"Reply number {n} is polite."})
        for n in (1, 2)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    (tmp_path / "p.toml").write_text('[llm]\nsystem = "Be strict."\n')
    with served(erring()) as server:
        model = ["--model", "new", "--base-url", server.url]
        assert main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml", *model]) == 0
        sign_all(tmp_path / "x.audit.toml")
        assert (
            main(["gold", "freeze", "x.audit.toml", "-o", "x.gold.toml", "--bar", BAR])
            == 0
        )
        _, same, _ = told(capsys, *asked(server))
        _, other, _ = told(capsys, *asked(server, "--prompt", "p.toml"))
    assert "another prompt" not in same
    assert "It is asked by another prompt than the gold's own judge was." in other


@pytest.mark.slow
def test_sixty_cells_from_recorded_replies_load_neither_screen_nor_client_and_take_no_time(
    tmp_path,
):
    frozen(tmp_path, BAR, count=60)
    with served(erring(7)) as server:
        words = asked(server)
        assert main([*words, "--record", "replies.jsonl"]) == 0
    words = [*words, "--replies", "replies.jsonl"]
    code = f"import sys\nfrom appellate.cli import main\ncode = main({words!r})\n"
    code += "assert not sys.modules.keys() & {'textual', 'rich', 'openai', 'pytest'}\nsys.exit(code)"
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    after = os.times()
    assert done.returncode == 0, done.stderr
    took = after.children_user - before.children_user
    assert took < 3
