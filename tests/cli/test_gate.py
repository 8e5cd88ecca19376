"""`appellate gate`: exit codes, looks that are planned and kept, what is told; `metrics` of a sample."""

import csv
import json
import sqlite3
import tomllib
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from appellate.cli import main
from cells import bench
from sampled import RUBRIC, by_chance, sampled, traces


@pytest.fixture
def tell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def told(*arguments):
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return code, " ".join(out.split()), " ".join(err.split())

    return told


def made(folder, count=60, drawn=40, ruled=0, bars=()):
    """Puts an audit into a folder, with its workspace."""
    folder.mkdir(exist_ok=True)
    looks = tuple((bar, tuple(sizes)) for bar, sizes in bars)
    for name, content in made_files(count, drawn, ruled, looks).items():
        (folder / name).write_bytes(content)


@cache
def made_files(count, drawn, ruled, looks):
    """The files of an audit by their names; several tests begin with the same."""
    bars = [(bar, list(sizes)) for bar, sizes in looks]
    with TemporaryDirectory() as name:
        folder = Path(name)
        with sampled(folder, count, drawn, ruled, bars=bars) as at:
            at.save()
        return {path.name: path.read_bytes() for path in folder.iterdir()}


def design(folder):
    return tomllib.loads((folder / "x.audit.toml").read_text("utf-8"))["design"]


def test_the_exit_code_says_reached_not_reached_or_undecided(tmp_path, tell):
    made(tmp_path, count=120, ruled=40)
    code, out, _ = tell("gate", "x.audit.toml", "Polite:yes>=.2")
    assert code == 0
    assert "Simple random sample: 40 of 120, seed 1, blind." in out
    assert "Polite:yes>=0.2: reached. This bar is on the responses" in out
    assert "share answered yes" in out
    assert (
        "Deciding at any look needs no plan: its interval may be wrong in 5 % of audits"
        in out
    )
    kept = [row for row in design(tmp_path) if row["act"] == "looked_unplanned"]
    assert [(row["bar"], row["rule"]) for row in kept] == [("yes>=0.2", "any")]
    assert kept[0]["units"] < 40
    assert f"After {kept[0]['units']}: share answered yes" in out
    assert tell("gate", "x.audit.toml", "Polite:yes>=.99")[0] == 1
    assert tell("gate", "x.audit.toml", "yes>=.2", "yes<=.01")[0] == 1
    made_value = json.loads(
        " ".join([tell("gate", "x.audit.toml", "yes>=.2", "--json")[1]]),
    )
    value = made_value["bars"][0]["now"]["corrected"]["value"]
    code, out, _ = tell("gate", "x.audit.toml", "yes>=.2", f"yes>={value:.3f}")
    assert code == 3
    assert "the bar is in it. Evidence that the bar is reached:" in out
    assert " of 40." in out


def looks_kept(folder):
    return [
        {**row, "at": None}
        for row in design(folder)
        if row["act"] == "looked_unplanned"
    ]


def test_no_forged_row_of_a_workspace_decides_a_bar(tmp_path, tell):
    made(tmp_path, count=120, ruled=40)
    bars = "Polite:yes>=.99", "Facts:f1>=.99", "Polite:judge.agreement>=.99"
    files = [tmp_path / name for name in ("x.audit.toml", "x.audit.db")]
    before = [path.read_bytes() for path in files]
    honest = tell("gate", "x.audit.toml", *bars)
    assert honest[0] == 1
    looks = looks_kept(tmp_path)
    for path, content in zip(files, before, strict=True):
        path.write_bytes(content)
    with closing(sqlite3.connect(files[1])) as db:
        sql = "SELECT judge FROM measured WHERE instr(judge, '1.0') LIMIT 1"
        (perfect,) = db.execute(sql).fetchone()
        db.execute(
            "UPDATE measured SET verdict = ? WHERE verdict IS NOT NULL",
            (perfect,),
        )
        db.execute("UPDATE measured SET judge = ?", (perfect,))
        db.execute("UPDATE given SET ruled = judged")
        db.execute("UPDATE cells SET standing = judge, state = 'reviewed'")
        db.commit()
    assert tell("gate", "x.audit.toml", *bars) == honest
    assert looks_kept(tmp_path) == looks


def test_looks_are_planned_by_command_and_kept_once_they_were_taken(tmp_path, tell):
    made(tmp_path, count=120)
    code, _, err = tell("gate", "x.audit.toml", "Polite:yes>=.2", "--plan", "20,40")
    assert (code, "after 20, 40 audits" in err) == (0, True)
    code, out, _ = tell("gate", "x.audit.toml", "Polite:yes>=.2")
    assert code == 3
    assert "The next look is at 20: 20 more audits." in out
    _, plan = design(tmp_path)
    assert (plan["act"], plan["looks"], plan["rule"]) == (
        "looks_planned",
        [20, 40],
        "looks",
    )


def test_a_bar_is_planned_for_any_look_and_numbers_so_planned_share_the_level(
    tmp_path,
    tell,
):
    made(tmp_path, count=120)
    code, _, err = tell("gate", "x.audit.toml", "Polite:yes>=.2", "--plan", "any")
    assert (
        code,
        err.count("to be decided at any look, with 5 % to be wrong in all"),
    ) == (0, 1)
    code, _, err = tell(
        "gate",
        "x.audit.toml",
        "yes>=.2",
        "yes<=.9",
        "f1>=.5",
        "--plan",
        "any:60",
    )
    assert code == 0
    assert "That is shared by 2 numbers: each may be wrong in 2.5 %." in err
    assert "The interval is narrowest at 60 audits." in err
    assert "`appellate sample AUDIT --add 20` draws as many." in err
    _, _, err = tell("gate", "x.audit.toml", "yes>=.2", "--plan", "any:60")
    assert "planned for any look already; nothing was changed" in err
    planned = [row for row in design(tmp_path) if row["act"] == "looks_planned"]
    assert [(row["rule"], row["looks"], row.get("horizon")) for row in planned] == [
        ("any", [], None),
        ("any", [], 60),
        ("any", [], 60),
        ("any", [], 60),
    ]
    _, out, _ = tell("gate", "x.audit.toml", "yes>=.2", "--json")
    assert json.loads(out)["bars"][0]["rule"] == "any"
    code, _, err = tell("gate", "x.audit.toml", "yes>=.3", "--plan", "20,40")
    assert (code, "plan yes>=0.3 the same way" in err) == (2, True)


def test_looks_in_a_small_frame_or_late_in_it_become_a_plan_for_any_look(
    tmp_path,
    tell,
):
    for folder, count, looks, why in (
        ("small", 60, "20,24", "only 60 could be drawn"),
        ("late", 120, "20,60", "the last look is at more than 40 % of the 120"),
    ):
        (tmp_path / folder).mkdir()
        made(tmp_path / folder, count=count)
        audit = f"{folder}/x.audit.toml"
        code, _, err = tell("gate", audit, "yes>=.2", "--plan", looks)
        assert code == 0
        assert f"Looks are not planned one by one, since {why}" in err
        rule = design(tmp_path / folder)[1]
        assert (rule["rule"], rule["looks"]) == ("any", [])
        assert rule["horizon"] == int(looks.split(",")[-1])


def test_a_number_that_has_no_exact_interval_cannot_be_planned_for_any_look(
    tmp_path,
    tell,
):
    with bench(tmp_path, *traces(120), of=RUBRIC) as at:
        at.draw(by_chance(120, 40))
        at.save()
    code, _, err = tell(
        "gate",
        "x.audit.toml",
        "Polite:judge.kappa>=.2",
        "--plan",
        "any",
    )
    assert code == 2
    assert "cannot be decided at any look: it was drawn by unequal chances" in err


def test_a_bar_on_the_difference_of_two_models_is_decided_at_any_look(tmp_path, tell):
    made(tmp_path, count=120)
    code, _, err = tell(
        "gate",
        "x.audit.toml",
        "yes[gpt]-yes[llama]>=-.9",
        "--plan",
        "40",
    )
    assert code == 0
    assert "Looks are not planned one by one, since it is a difference" in err
    made(tmp_path / "ruled", count=120, ruled=40)
    audit = "ruled/x.audit.toml"
    code, out, _ = tell("gate", audit, "yes[gpt]-yes[llama]>=-.9")
    assert code == 0
    assert "how much more gpt has than llama." in out
    code, out, _ = tell("gate", audit, "Polite:yes[gpt]-yes[llama]>=0", "--json")
    bar = json.loads(out)["bars"][0]
    assert (code, bar["of"], bar["decision"]) == (3, "difference", "undecided")
    assert bar["now"]["difference"]["low"] < 0 < bar["now"]["difference"]["high"]
    code, out, _ = tell("gate", audit, "yes[gpt]-yes[other]>=0")
    assert (code, "nothing is of other" in out) == (3, True)
    code, _, err = tell("gate", audit, "nope[gpt]-nope[llama]>=0")
    assert (code, "has no measure" in err) == (2, True)


def test_eight_of_twenty_five_have_a_number_that_is_wide_and_true(tmp_path, tell):
    made(tmp_path, count=25, drawn=8, ruled=8)
    code, out, _ = tell("metrics", "x.audit.toml", "--json")
    first = json.loads(out)["worth"]["estimates"][0]
    assert (code, first["n"], first["decided_by"]) == (0, 8, "betting")
    low, value, high = (first["corrected"][key] for key in ("low", "value", "high"))
    assert low <= value <= high
    assert high - low > 0.3
    assert [row["audits"] for row in first["further"]] == [17]
    assert first["further"][0]["half_width"] == 0


def test_a_look_is_kept_in_the_audit_and_only_once(tmp_path, tell):
    made(tmp_path, ruled=25, bars=[("yes>=.2", [20, 40])])
    for _ in range(2):
        assert tell("gate", "x.audit.toml", "yes>=.2")[0] == 0
    looked = [row for row in design(tmp_path) if row["act"] == "looked"]
    assert [(row["look"], row["units"], row["decision"]) for row in looked] == [
        (1, 20, "reached"),
    ]


def test_a_bar_beside_a_planned_one_is_not_decided_whatever_was_audited(tmp_path, tell):
    made(tmp_path, ruled=40, bars=[("yes>=.3", [20, 40])])
    for beside in ("yes>=.3001", "Polite:yes>=.2"):
        code, out, _ = tell("gate", "x.audit.toml", beside)
        assert code == 3
        assert (
            f"No look was planned for {beside.split(':')[-1].replace('.', '0.')} of Polite"
            in out
        )
        assert "looks were planned for yes>=0.3 at 20, 40" in out
        assert "For reading, not for deciding: share answered yes" in out
        assert "would decide" not in out
    assert tell("gate", "x.audit.toml", "Polite:yes>=.3")[0] != 2
    _, out, _ = tell("gate", "x.audit.toml", "Facts:precision>=0", "yes>=.9", "--json")
    table = json.loads(out)
    assert [row["planned_beside"] for row in table["bars"]] == [[], ["yes>=0.3"]]
    assert [row["act"] for row in design(tmp_path)].count("looked_unplanned") == 1


def test_a_plan_that_is_there_is_told_and_another_replaces_it(tmp_path, tell):
    made(tmp_path, count=120)
    plan = ("gate", "x.audit.toml", "yes>=.2", "--plan")
    tell(*plan, "20,40")
    code, _, err = tell(*plan, "20,40")
    assert (code, "looks at 20, 40 are planned already" in err) == (0, True)
    _, _, err = tell(*plan, "20,41")
    assert "This replaces 20, 40." in err
    assert "`appellate sample AUDIT --add 1` first: 40 are drawn" in err
    code, _, err = tell(*plan, "20,121")
    assert (code, "No look can be at 121: 120 could be drawn in all" in err) == (
        2,
        True,
    )
    assert [row["looks"] for row in design(tmp_path)[1:]] == [[20, 40], [20, 41]]


def test_bets_are_not_planned_for_more_audits_than_could_be_drawn(tmp_path, tell):
    made(tmp_path, count=60)
    plan = ("gate", "x.audit.toml", "yes>=.2", "--plan")
    code, _, err = tell(*plan, "any:61")
    assert code == 2
    assert "No look can be at 61: 60 could be drawn in all" in err
    assert len(design(tmp_path)) == 1
    code, _, err = tell(*plan, "any:60")
    assert code == 0
    assert "`appellate sample AUDIT --add 20` draws as many." in err


def test_bars_on_one_number_are_told_to_share_its_level_and_ten_looks_are_the_most(
    tmp_path,
    tell,
):
    made(tmp_path, count=120, drawn=40)
    tell("gate", "x.audit.toml", "yes>=.2", "--plan", "20,30")
    _, _, err = tell(
        "gate",
        "x.audit.toml",
        "Polite:yes<=.9",
        "f1>=.5",
        "--plan",
        "30,40",
    )
    shared = (
        "The level is divided among the 3 looks planned at this number: 20, 30, 40."
    )
    polite, facts = err.split("f1>=0.5:")
    assert "at each look with an error of 1.67 % (5 % at all together)" in polite
    assert shared in polite
    assert "at each look with an error of 2.5 % (5 % at all together)" in facts
    _, out, _ = tell("gate", "x.audit.toml", "yes>=.2")
    assert "Looks at 20, 30 traces were planned" in out
    assert shared in out
    _, out, _ = tell("gate", "x.audit.toml", "yes>=.2", "--json")
    assert json.loads(out)["bars"][0]["sharing_the_level"] == [20, 30, 40]
    many = ",".join(map(str, range(21, 30)))
    code, _, err = tell("gate", "x.audit.toml", "f1>=.1", "yes>=.7", "--plan", many)
    assert (code, "These would be 11 looks at one number" in err) == (2, True)
    assert [row["act"] for row in design(tmp_path)].count("looks_planned") == 3


def test_a_sample_of_five_is_undecided_and_says_what_is_wanting(tmp_path, tell):
    made(tmp_path, drawn=5)
    code, out, _ = tell("gate", "x.audit.toml", "yes>=.2")
    assert code == 3
    assert "There is no number yet: none of the 5 drawn is audited yet." in out
    made(tmp_path / "ruled", drawn=5, ruled=5)
    code, out, _ = tell("gate", "ruled/x.audit.toml", "yes>=.5")
    assert code == 3
    assert "So far share answered yes is" in out


def test_what_cannot_be_used_is_told_in_a_sentence(tmp_path, tell):
    made(tmp_path, ruled=1)
    for given, told in (
        (["f1>.8"], "compares by >"),
        (["nope>=.8"], "has no measure"),
        (
            ["yes>=.8", "--plan", "5"],
            "or write any, which decides at every number of them",
        ),
        (["yes>=.8", "--plan", "0"], '"0" has a look at 0'),
        (["yes>=.8", "--plan", "20,20"], '"20,20" has 20 after 20'),
        (["yes>=1.2"], "yes of Polite goes from 0 to 1; write a bar within that"),
        (["Facts:f1>=-1"], "f1 of Facts goes from 0 to 1"),
        (["yes>=.8", "--plan", "20"], "too late to plan looks"),
    ):
        code, out, err = tell("gate", "x.audit.toml", *given)
        assert (code, out) == (2, "")
        assert told in err


def test_metrics_begin_with_what_a_sample_says(tmp_path, tell):
    made(tmp_path, ruled=25, bars=[("yes>=.2", [20, 40])])
    _, out, _ = tell("metrics", "x.audit.toml", "--all")
    assert out.startswith(
        "Polite: of the 6 responses that people failed the judge caught 2",
    )
    assert "How good the judge is Simple random sample: 40 of 60, seed 1, blind." in out
    assert "yes>=0.2 of Polite: reached." in out
    assert "These intervals are right however often you look" in out
    _, out, _ = tell("metrics", "x.audit.toml", "--json")
    worth = json.loads(out)["worth"]
    assert [row["metric"] for row in worth["estimates"]] == ["yes", "precision", "f1"]
    assert worth["bars"][0]["decision"] == "reached"


def test_csv_has_the_three_numbers_of_a_sample_as_json_has_them(tmp_path, tell, capsys):
    made(tmp_path, drawn=52, ruled=52)
    table = json.loads(tell("metrics", "x.audit.toml", "--json")[1])["worth"]
    main(["metrics", "x.audit.toml", "--csv"])
    rows = [
        row
        for row in csv.DictReader(capsys.readouterr().out.splitlines())
        if row["design"]
    ]

    def of(side, group=""):
        return [row for row in rows if row["side"] == side and row["group"] == group]

    corrected, people, judge = of("corrected"), of("people_only"), of("judge_only")
    assert [row["metric"] for row in corrected] == ["yes", "precision", "f1"]
    for place, told in enumerate(table["estimates"]):
        for row, known in (
            (corrected[place], told["corrected"]),
            (people[place], told["people_only"]),
        ):
            found = [float(row[key]) for key in ("value", "low", "high")]
            assert found == [known["value"], known["low"], known["high"]]
        assert float(judge[place]["value"]) == told["judge_only"]
        assert judge[place]["low"] == ""
        beside = corrected[place]
        assert (beside["n"], beside["frame"], beside["design"]) == (
            "52",
            "60",
            "simple",
        )
        assert beside["blind"] == "true"
        assert float(beside["judge_share"]) == told["judge_share"]
    assert {row["by"] for row in of("corrected", "gpt")} == {"model"}
    told = {(row["group"], row["less"], row["metric"]): row["value"] for row in rows}
    for one in table["differences"]:
        assert told[one["group"], one["less"], one["metric"]] == repr(one["value"])
    assert table["differences"]


def test_csv_has_a_number_from_the_first_audit_on_and_before_it_says_what_it_wants(
    tmp_path,
    tell,
    capsys,
):
    made(tmp_path)
    main(["metrics", "x.audit.toml", "--csv"])
    rows = [
        row
        for row in csv.DictReader(capsys.readouterr().out.splitlines())
        if row["design"]
    ]
    assert {row["side"] for row in rows} == {"corrected"}
    assert {row["value"] for row in rows} == {""}
    assert rows[0]["wanting"] == "none of the 40 drawn is audited yet"
    made(tmp_path / "ruled", ruled=1)
    main(["metrics", str(tmp_path / "ruled" / "x.audit.toml"), "--csv"])
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    first = next(row for row in rows if row["side"] == "corrected")
    assert float(first["low"]) <= float(first["value"]) <= float(first["high"])
    assert (first["n"], first["weight"]) == ("1", "")


def test_bars_on_the_judge_are_planned_decided_and_kept_like_others(tmp_path, tell):
    made(tmp_path, count=120)
    code, _, err = tell(
        "gate",
        "x.audit.toml",
        "Polite:judge.kappa>=.1",
        "--plan",
        "20,40",
    )
    assert (code, "judge.kappa>=0.1: to be decided at any look, with 5 %" in err) == (
        0,
        True,
    )
    assert "numbers of the judge have an interval that holds at any look" in err
    code, _, err = tell("gate", "x.audit.toml", "judge.kappa>=.1", "--plan", "20,40")
    assert (code, "means several numbers here" in err) == (2, True)


def test_a_bar_on_the_judge_is_kept_and_told_as_json(tmp_path, tell):
    made(tmp_path, count=120, ruled=40)
    code, out, _ = tell("gate", "x.audit.toml", "Polite:judge.bias<=.5", "--json")
    assert code == 0
    bar = json.loads(out)["bars"][0]
    assert (bar["of"], bar["judge_only"], bar["decision"]) == ("judge", None, "reached")
    now = bar["now"]["judge"]
    assert now["low"] < now["value"] < now["high"]
    rows = [row for row in design(tmp_path) if row["act"] == "looked_unplanned"]
    assert [(row["trait"], row["bar"]) for row in rows] == [
        ("Polite", "judge.bias<=0.5"),
    ]


def test_where_no_more_can_be_drawn_nobody_is_sent_to_draw_more(tmp_path, tell):
    made(tmp_path, count=8, drawn=5)
    tell("sample", "x.audit.toml", "--add", "3")
    code, out, _ = tell("gate", "x.audit.toml", "yes>=.2")
    assert code == 3
    assert "There is no number yet: none of the 8 drawn is audited yet." in out
    for command in ("metrics", "report"):
        _, out, _ = tell(command, "x.audit.toml")
        assert "none of the 8 drawn is audited yet" in out.replace("\n  ", " ").lower()
        assert "draw more" not in out
        assert "sign off more of it" not in out


def test_a_file_with_a_look_that_decided_nothing_is_read_again(tmp_path, tell):
    made(tmp_path, count=60, drawn=40, ruled=40, bars=[("yes>=.2", [40])])
    code, _, _ = tell("gate", "x.audit.toml", "yes>=.2")
    (look,) = [row for row in design(tmp_path) if row["act"] == "looked"]
    assert look["decision"] == ("undecided" if code else "reached")
    (tmp_path / "x.audit.db").unlink()
    assert tell("check", "x.audit.toml")[0] == 0


def test_the_history_lists_every_look_and_decides_nothing(tmp_path, cli):
    with bench(tmp_path) as at:
        at.save()
        audit = at.audit
    told = cli("gate", audit, "--history")
    assert "No bar was decided yet." in told.err
    assert told.out == ""
    assert json.loads(cli("gate", audit, "--history", "--json").out)["looks"] == []
    assert "name one, as f1>=.8, or --history" in cli("gate", audit, code=2).err
