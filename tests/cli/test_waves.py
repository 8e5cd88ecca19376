"""A team adds traces week by week and draws from each week: waves over the command line."""

import io
import json
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from appellate.cli import main

AUDIT = "x.audit.toml"
RUBRIC = """
name = "Letters"
[[llm_traits]]
name = "Polite"
kind = "boolean"
description = "Is it polite?"
"""
SIZES = {1: 30, 2: 40, 3: 30, 4: 20}
BAR = "Polite:yes>=.5"


def is_polite(week: int, place: int) -> bool:
    """What people say: in week 3 hardly any letter is polite, in the others most are."""
    return place % 10 == 0 if week == 3 else place % 10 != 0


def is_judged_polite(week: int, place: int) -> bool:
    return is_polite(week, place) != (place % 7 == 0)


class Printed(NamedTuple):
    out: str
    err: str


class Team:
    """Whoever adds weeks to an audit, draws from them and rules, by commands alone."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def adds(self, week: int) -> None:
        with Path(f"week{week}.jsonl").open("w", encoding="utf-8") as file:
            for place in range(SIZES[week]):
                verdict = {"value": is_judged_polite(week, place)}
                trace = {
                    "id": f"w{week}-{place}",
                    "response": "Dear all",
                    "question": "Write.",
                }
                file.write(
                    json.dumps({**trace, "judgments": {"Polite": verdict}}) + "\n",
                )
        run(f"judge r.toml week{week}.jsonl -o {AUDIT}")

    def draws(self, week: int, n: int, *more: str) -> Any:
        return run(f"sample {AUDIT} -n {n} --wave", f"week {week}", *more)

    def rules(self, count: int = 100) -> None:
        """Rules on the next units of the last draw, as many as are said."""
        keys: list[str] = []
        for trace_id in self.drawn()[-1][:count]:
            week, place = map(int, trace_id.removeprefix("w").split("-"))
            keys += ["1" if is_polite(week, place) else "2", "a", "a"]
        self._monkeypatch.setattr(
            sys,
            "stdin",
            io.StringIO("\n".join([*keys, "q"]) + "\n"),
        )
        run(f"review {AUDIT} --lines --order sample --reviewer ada")

    def drawn(self) -> list[list[str]]:
        """The traces of each draw, in order."""
        return [
            [unit["traces"][0][0] for unit in act["drawn"]]
            for act in self.draws_of_file()
        ]

    def draws_of_file(self) -> Iterator[dict[str, Any]]:
        with Path(AUDIT).open("rb") as file:
            acts = tomllib.load(file)["design"]
        return (act for act in acts if act["act"] in ("sampled", "wave_sampled"))

    def worth(self) -> dict[str, Any]:
        return json.loads(run(f"metrics {AUDIT} --json").out)["worth"]

    def history(self) -> dict[str, Any]:
        return json.loads(run(f"gate {AUDIT} --history --json").out)


def run(line: str, *more: object, code: int = 0) -> Printed:
    """What a command shows and says; it ends with `code`."""
    out = io.StringIO()
    err = io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        ended = main([*line.split(), *map(str, more)])
    assert ended == code, err.getvalue()
    return Printed(out.getvalue(), err.getvalue())


@pytest.fixture
def team(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.toml").write_text(RUBRIC, encoding="utf-8")
    return Team(monkeypatch)


@pytest.fixture(scope="module")
def two_weeks_made(tmp_path_factory):
    """A folder with two waves of ten, of which the first is ruled whole and the second in part."""
    folder = tmp_path_factory.mktemp("two_weeks")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        (folder / "r.toml").write_text(RUBRIC, encoding="utf-8")
        team = Team(monkeypatch)
        team.adds(1)
        team.draws(1, 10)
        team.rules()
        team.adds(2)
        team.draws(2, 10)
        team.rules(4)
    return folder


@pytest.fixture
def two_weeks(two_weeks_made, tmp_path, monkeypatch):
    shutil.copytree(two_weeks_made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Team(monkeypatch)


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.slow
def test_four_weeks_have_estimates_of_their_own_and_a_stratified_one_of_all(team):
    decided_by_week = []
    for week, size in SIZES.items():
        team.adds(week)
        team.draws(week, 15)
        team.rules()
        decided_by_week.append(
            json.loads(run(f"gate {AUDIT} {BAR} --json", code=int(week == 3)).out),
        )
        assert sum(map(len, team.drawn())) == 15 * week
        assert all(trace_id.startswith(f"w{week}-") for trace_id in team.drawn()[-1]), (
            size
        )
    assert [told.get("decided_by") for told in decided_by_week] == [
        "week 1",
        "week 2",
        "week 3",
        "week 4",
    ]

    worth = team.worth()
    (everything,) = worth["estimates"]
    weights = {week: size / sum(SIZES.values()) for week, size in SIZES.items()}
    of_people: dict[int, float] = {}
    corrections: dict[int, float] = {}
    for week, drawn in zip(SIZES, team.drawn(), strict=True):
        places = [int(trace_id.partition("-")[2]) for trace_id in drawn]
        people = [float(is_polite(week, place)) for place in places]
        judge = [float(is_judged_polite(week, place)) for place in places]
        judge_of_all = [
            float(is_judged_polite(week, place)) for place in range(SIZES[week])
        ]
        of_people[week] = mean(people)
        helped = everything["weight"]
        corrections[week] = (
            helped * mean(judge_of_all) + mean(people) - helped * mean(judge)
        )
    stratified = sum(weights[week] * corrections[week] for week in SIZES)
    assert everything["corrected"]["value"] == pytest.approx(stratified, abs=1e-12)
    by_people = sum(weights[week] * of_people[week] for week in SIZES)
    assert everything["people_only"]["value"] == pytest.approx(by_people, abs=1e-12)
    assert (everything["n"], everything["frame"]) == (60, 120)
    assert everything["decided_by"] is None

    by_wave = worth["by_wave"]
    assert [row["wave"] for row in by_wave] == ["week 1", "week 2", "week 3", "week 4"]
    for row, week in zip(by_wave, SIZES, strict=True):
        assert (row["n"], row["frame"], row["decided_by"]) == (
            15,
            SIZES[week],
            "betting",
        )
        corrected = row["corrected"]
        value = min(max(of_people[week], corrected["low"]), corrected["high"])
        assert corrected["value"] == pytest.approx(value, abs=1e-12)
        truth = mean([float(is_polite(week, place)) for place in range(SIZES[week])])
        assert corrected["low"] <= truth <= corrected["high"]
    assert [row["shown"] for row in by_wave] == [False, False, True, True]
    assert by_wave[2]["change"]["high"] < 0 < by_wave[3]["change"]["low"]

    history = team.history()
    assert [
        (row["wave"], row["units"], row["decision"]) for row in history["waves"]
    ] == [
        ("week 1", 15, "reached"),
        ("week 2", 15, "reached"),
        ("week 3", 15, "not reached"),
        ("week 4", 15, "reached"),
    ]
    assert [look["wave"] for look in history["looks"]] == [
        "week 1",
        "week 2",
        "week 3",
        "week 4",
    ]
    told = run(f"gate {AUDIT} --history").out
    assert [line.split()[:2] for line in told.splitlines()[1:5]] == [
        ["week", str(week)] for week in SIZES
    ]
    metrics = " ".join(run(f"metrics {AUDIT}").out.split())
    assert "That interval is over all waves, and holds for one look only." in metrics
    assert "Of week 4 alone people would call about" in metrics
    assert "are drawn already" in run(f"sample {AUDIT} --power .05").out
    report = run(f"report {AUDIT}").out
    assert "Week 3: share answered yes in Polite is" in report
    assert "below week 2" in report
    assert run(f"check {AUDIT}").out


@pytest.mark.slow
def test_where_every_wave_is_ruled_on_whole_no_interval_is_spoken_of(team):
    for week in (3, 4):
        team.adds(week)
        team.draws(week, SIZES[week])
        team.rules()
    metrics = " ".join(run(f"metrics {AUDIT}").out.split())
    assert "All 50 responses are ruled on blind" in metrics
    assert "That interval" not in metrics


def test_a_draw_stands_with_its_digest_when_a_week_is_added_and_drawn(team):
    team.adds(1)
    drawn = team.draws(1, 10).out
    digest = drawn.partition("Digest: ")[2][:12]
    team.rules()
    before = list(team.draws_of_file())
    team.adds(2)
    told = run(f"sample {AUDIT}").out
    assert "40 traces are new since the draw" in told
    team.draws(2, 10)
    after = list(team.draws_of_file())
    assert after[:1] == before
    assert after[1]["frame_strata"] == "30-40a"
    assert (after[0]["seed"], after[1]["seed"]) == (1, 2)
    assert "holds" in run(f"check {AUDIT} --drawn-as {digest}").out
    (week_1, week_2) = team.history()["waves"]
    assert (week_1["units"], week_2["units"]) == (10, 0)
    assert "none of the 10 drawn is audited yet" in week_2["wanting"]


def test_the_status_leads_to_a_wave_once_the_last_one_is_ruled_and_something_is_new(
    team,
):
    team.adds(1)
    team.draws(1, 4)
    team.rules()
    assert json.loads(run(f"status {AUDIT} --json").out)["sample"]["new_traces"] == 0
    team.adds(2)
    told = run(f"status {AUDIT}").out
    assert "40 traces came in since the draw." in told
    assert f"appellate sample {AUDIT} --wave NAME -n 40" in told


def test_each_wave_has_plans_and_looks_of_its_own(two_weeks):
    team = two_weeks
    assert "too late to plan" in run(f"gate {AUDIT} {BAR} --plan any", code=2).err
    team.adds(3)
    team.draws(3, 15)
    run(f"gate {AUDIT} {BAR} --plan any")
    team.rules()
    decided = json.loads(run(f"gate {AUDIT} {BAR} --json", code=1).out)
    assert decided["decided_by"] == "week 3"
    (bar,) = decided["bars"]
    assert bar["decision"] == "not reached"
    assert run(f"check {AUDIT}").out
    (look,) = team.history()["looks"]
    assert (look["wave"], look["planned"]) == ("week 3", True)


def test_a_wave_that_is_not_finished_takes_nothing_from_the_others(two_weeks):
    (everything,) = two_weeks.worth()["estimates"]
    assert (everything["n"], everything["drawn"]) == (14, 20)
    two_weeks.adds(3)
    two_weeks.draws(3, 10)
    waves = two_weeks.history()["waves"]
    assert [row["units"] for row in waves] == [10, 4, 0]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["-n", "5", "--wave", "week 3"], "No trace is new since the last draw"),
        (["-n", "5", "--wave", "week 2"], 'there is a wave "week 2" of 10 already'),
        (["-n", "5"], "there is a sample of 20 already"),
        (["--wave", "week 3"], "--wave: goes with -n"),
        (["--add", "5", "--wave", "week 2"], "--wave: is said with the first draw"),
        (["-n", "5", "--wave", " "], "a wave needs a name"),
        (["-n", "5", "--wave", "a\nb"], "in one line of at most 60 characters"),
        (["-n", "5", "--wave", "a" * 61], "in one line of at most 60 characters"),
    ],
)
def test_what_is_no_new_wave_is_refused_with_a_sentence(two_weeks, arguments, why):
    before = list(two_weeks.draws_of_file())
    assert why in run(f"sample {AUDIT}", *arguments, code=2).err
    assert list(two_weeks.draws_of_file()) == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--wave", "week 1"], 'There is a wave "week 1" already'),
        (["--wave", "week 3", "--seed", "1"], 'Seed 1 is that of the wave "week 1"'),
        (["--wave", "week 3", "--sighted"], "draw this one blind, too"),
        (["--wave", "week 3", "--by", "meta.site"], "all of them are one group"),
    ],
)
def test_a_wave_is_of_another_name_and_seed_and_ruled_on_alike(
    two_weeks,
    arguments,
    why,
):
    two_weeks.adds(3)
    assert why in run(f"sample {AUDIT} -n 5", *arguments, code=2).err
    assert len(two_weeks.drawn()) == 2


def test_the_same_wave_again_is_only_told_and_more_goes_into_the_last_one(two_weeks):
    again = two_weeks.draws(2, 10)
    assert "Drew" not in again.err
    run(f"sample {AUDIT} --add 3")
    *_, more = two_weeks.draws_of_file()
    assert (more["act"], more["wave"], len(more["drawn"])) == (
        "wave_sampled",
        "week 2",
        3,
    )
    assert [stratum["drawn"] for stratum in more["strata"]] == [13]
    told = json.loads(run(f"sample {AUDIT} --json").out)["sample"]
    assert [(wave["wave"], wave["drawn"]) for wave in told["waves"]] == [
        ("week 1", 10),
        ("week 2", 13),
    ]
    assert (told["frame"], told["done"], told["new_traces"]) == (70, 14, 0)
    assert run(f"check {AUDIT}").out


def test_only_the_last_wave_is_withdrawn_and_only_before_a_verdict_in_it(two_weeks):
    assert "cannot be withdrawn" in run(f"sample {AUDIT} --withdraw", code=2).err
    two_weeks.adds(3)
    two_weeks.draws(3, 10)
    told = run(f"sample {AUDIT} --withdraw")
    assert "Withdrew the last wave" in told.err
    assert "random samples of 2 waves (week 1, week 2): 20 of 70" in told.out
    assert "A sample was withdrawn before any verdict" in told.out
    two_weeks.draws(3, 5, "--seed", "9")
    told = json.loads(run(f"sample {AUDIT} --json").out)["sample"]
    assert [wave["drawn"] for wave in told["waves"]] == [10, 10, 5]
    assert run(f"check {AUDIT}").out


def test_a_workspace_made_of_the_file_again_says_the_same(two_weeks, tmp_path):
    two_weeks.adds(3)
    two_weeks.draws(3, 10)
    run(f"sample {AUDIT} --withdraw")
    before = run(f"sample {AUDIT}").out
    history = two_weeks.history()
    (tmp_path / "x.audit.db").unlink()
    assert two_weeks.history() == history
    assert run(f"sample {AUDIT}").out == before


@pytest.mark.parametrize(
    ("was", "becomes", "why"),
    [
        ("seed = 2", "seed = 3", "week 2: number 1 of the draw is"),
        ("seed = 2", "seed = 1", "week 2: it has the seed 1 of an earlier wave"),
        (
            'frame_strata = "30-40a"',
            'frame_strata = "70a"',
            "week 2: its frame has traces",
        ),
        ('wave = "week 2"', 'wave = "week 5"', ""),
        (
            'name = "recorded"',
            'name = "gpt"',
            "week 1: what the judge had said at the draw",
        ),
    ],
)
def test_an_edit_of_one_wave_is_told_and_decides_nothing(
    two_weeks,
    tmp_path,
    was,
    becomes,
    why,
):
    path = tmp_path / AUDIT
    digest = run(f"sample {AUDIT}").out.partition("Digest: ")[2][:12]
    text = path.read_text("utf-8")
    assert was in text
    path.write_text(text.replace(was, becomes, 1), encoding="utf-8")
    (tmp_path / "x.audit.db").unlink()
    if why:
        assert why in " ".join(run(f"check {AUDIT}", code=2).err.split())
        assert why in " ".join(run(f"gate {AUDIT} {BAR}", code=3).out.split())
        assert two_weeks.history()["waves"] == []
    told = run(f"check {AUDIT} --drawn-as {digest}", code=2 if why else 1)
    assert "does not hold" in told.out + told.err


def test_a_file_of_waves_in_an_order_that_no_command_makes_is_not_opened(
    two_weeks,
    tmp_path,
):
    path = tmp_path / AUDIT
    text = path.read_text("utf-8")
    path.write_text(text.replace('wave = "week 1"', 'wave = " "'), encoding="utf-8")
    (tmp_path / "x.audit.db").unlink()
    assert "a wave has a name" in run(f"check {AUDIT}", code=2).err
