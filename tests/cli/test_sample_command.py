"""`appellate sample`: draws, adds, says how far a sample is, and refuses in sentences."""

import sys
from io import StringIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from appellate.cli import main
from appellate.cli.sample import audits_of_all
from appellate.store.samples.sample_plans import SampleWish, plan
from cells import bench, place, proposal, trace
from sampled import sampled

AUDIT = "x.audit.toml"


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """The exit code, and what is said and shown, of a command on an audit of twenty judged traces."""
    monkeypatch.chdir(tmp_path)
    traces = [trace(f"t{no}", model=("gpt", "llama")[no % 2]) for no in range(20)]
    with bench(tmp_path, *traces) as at:
        for number in range(1, 21):
            at.receive(number, proposal())
        at.save()

    def tell(*arguments):
        code = main(["sample", AUDIT, *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return tell


def test_an_audit_without_a_sample_says_what_could_be_drawn(told):
    code, out, _ = told()
    assert code == 0
    assert "x.audit.toml has no sample yet. 20 traces could be drawn." in out


def test_a_draw_is_told_and_kept_in_the_audit_file_alone(told, tmp_path):
    code, out, err = told("-n", "6", "--seed", "3", "--by", "model")
    assert code == 0
    assert "Drew 6 at random." in err
    assert "stratified random sample by model: 6 of 20, seed 3, blind." in out
    assert [line.split() for line in out.splitlines() if line.startswith("  ")] == [
        ["stratum", "in", "all", "drawn", "chance", "ruled", "on"],
        ["gpt", "10", "3", "0.300", "0"],
        ["llama", "10", "3", "0.300", "0"],
        ["all", "20", "6", "0"],
    ]
    assert "0 of 6 are ruled on; next is t" in out
    place(tmp_path).workspace.unlink()
    assert told()[1] == out
    code, again, err = told("-n", "6", "--seed", "3", "--by", "model")
    assert (code, again) == (0, out)
    assert "This is drawn already: nothing was drawn. --add N draws more." in err
    assert told("-n", "6", "--seed", "3", "--by", "model", "--by", "model")[:2] == (
        0,
        out,
    )
    code, out, err = told("--add", "4")
    assert "Drew 4 more at random." in err
    assert "stratified random sample by model: 10 of 20, seed 3, blind." in out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["-n", "21"], "21 are more than the 20 that could be drawn"),
        (["-n", "6", "--by", "colour"], 'there are no strata by "colour"'),
        (["-n", "6", "--by", "meta.site"], "all of them are one group ((none))"),
        (
            ["-n", "6", "--by", "model", "--by", "disagreement"],
            "disagreement cannot be combined with other groupings",
        ),
        (["-n", "6", "--by", "disagreement"], "No panel judged these traces"),
        (["--add", "6"], "there is no sample to add to"),
        (["--seed", "6"], "--seed: goes with -n"),
        (["--add", "6", "--sighted"], "--sighted: is said with the first draw"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence_and_changes_nothing(
    told,
    arguments,
    why,
):
    code, out, err = told(*arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert "has no sample yet" in told()[1]


def test_a_grouping_that_is_named_twice_makes_strata_once(told):
    code, out, _ = told("-n", "6", "--seed", "3", "--by", "model", "--by", "model")
    assert code == 0
    assert "stratified random sample by model: 6 of 20" in out
    assert "gpt · gpt" not in out


def test_another_sample_is_refused_where_there_is_one(told):
    assert told("-n", "6")[0] == 0
    code, _, err = told("-n", "7")
    assert code == 2
    assert "there is a sample of 6 already" in err
    assert "--add 40 draws 40 more into it" in err
    assert "15 are more" not in err
    code, _, err = told("--add", "15")
    assert (code, "21 are more than the 20" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["-n", "0"], '"0" is not a whole number from 1 on'),
        (
            ["-n", "6", "--seed", "-1"],
            '"-1" is not a whole number of at most ten digits',
        ),
        (["-n", "9" * 5000], '9999…" is not a whole number from 1 on'),
        (["--power", "wide"], '"wide" is not a number above 0, as 0.04'),
        (["--power", "yes>.5"], '"yes>.5" compares by >'),
    ],
)
def test_words_in_the_place_of_numbers_are_refused(told, capsys, arguments, why):
    with pytest.raises(SystemExit) as left:
        told(*arguments)
    assert left.value.code == 2
    assert why in capsys.readouterr().err


def test_the_number_of_audits_for_a_width_is_told_before_anybody_audits(told):
    code, out, _ = told("--power", "0.1")
    assert code == 0
    assert (
        "Audits for an interval of ± 0.1 (95 %), of 20 traces that could be drawn:"
        in out
    )
    (line,) = [line for line in out.splitlines() if line.startswith("  Accuracy")]
    alone, helped = map(int, line.split()[-2:])
    assert 2 <= helped <= alone <= 20


def test_the_chance_that_a_bar_is_decided_at_each_look_is_told(
    tmp_path,
    monkeypatch,
    cli,
):
    monkeypatch.chdir(tmp_path)
    with sampled(tmp_path, count=120, bars=[("yes>=0.5", [30, 60])]) as at:
        at.save()
    out = cli(f"sample {AUDIT} --power yes>=.5").out
    assert (
        "yes>=0.5, of 120 traces that could be drawn; by the judge's labels it is 0.867."
        in out
    )
    rows = [line.split() for line in out.splitlines() if line.endswith("%")]
    assert [row[0] for row in rows] == ["30", "60"]
    above = [int(row[1]) for row in rows]
    assert 50 < above[0] <= above[1] == 100
    out = cli(f"sample {AUDIT} --power Polite:yes>=.99").out
    assert [line.split()[0] for line in out.splitlines() if line.endswith("%")] == [
        "20",
        "40",
        "60",
        "80",
        "100",
    ]
    for bar, told in (
        ("nope>=.5", "has no measure"),
        ("Polite:judge.kappa>=.5", "is on the judge"),
    ):
        assert told in cli(f"sample {AUDIT} --power {bar}", code=2).err


def test_once_people_have_audited_the_number_is_told_by_what_they_said(
    tmp_path,
    monkeypatch,
    cli,
):
    monkeypatch.chdir(tmp_path)
    with bench(tmp_path, *(trace(f"t{no}") for no in range(40))) as at:
        for number in range(1, 41):
            at.receive(number, proposal())
        at.draw(plan(at.workspace.path, SampleWish(30, blind=False)).what)
        for number in at.workspace.design.drawn()[:22]:
            at.sign_off(number)
        at.save()
    out = cli("sample", AUDIT, "--power", "0.1").out
    assert "as audited" in out
    (line,) = [line for line in out.splitlines() if line.startswith("  Accuracy")]
    assert 22 <= int(line.split()[-1]) <= 40
    assert "30 are drawn already." in out


@given(st.tuples(*[st.integers(1, 10**6)] * 3).map(sorted))
@example([11, 22, 30])
def test_audits_of_a_part_take_the_fewest_of_all_that_give_so_many(counts):
    own, part, units = counts
    found = audits_of_all(own, part, units)
    assert found * part >= own * units > (found - 1) * part
    assert found <= units


def test_a_sample_is_taken_back_and_drawn_anew_and_the_log_tells_of_it(
    told,
    tmp_path,
    capsys,
):
    assert told("-n", "6", "--seed", "3")[0] == 0
    code, out, err = told("--withdraw")
    assert code == 0
    assert "Withdrew the sample, and the looks that were planned for it." in err
    assert "20 traces could be drawn" in out
    assert "simple random sample: 6 of 20, seed 3, blind" in out
    code, _, err = told("--withdraw")
    assert (code, "There is no sample to withdraw" in err) == (2, True)
    code, out, _ = told("-n", "4")
    assert code == 0
    assert "simple random sample: 4 of 20, seed 1, blind." in out
    assert "A sample was withdrawn before any verdict (" in out
    main(["log", AUDIT])
    lines = [line.split("  ")[-1] for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "drew 6 of 20, seed 3",
        "withdrew the sample of 6, before any verdict",
        "drew 4 of 20, seed 1",
    ]


def test_once_something_is_ruled_on_a_sample_stays(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.receive(1, proposal())
        at.draw(plan(at.workspace.path, SampleWish(2, blind=False)).what)
        at.sign_off(1)
        at.save()
    assert (
        "cells in it are already ruled on or signed off"
        in cli("sample", AUDIT, "--withdraw", code=2).err
    )
    assert (
        "--withdraw takes it back as long as"
        in cli("sample", AUDIT, "-n", "1", code=2).err
    )


class Terminal(StringIO):
    def isatty(self):
        return True


@pytest.fixture
def signed(tmp_path, monkeypatch):
    """Signs off the cells of the first `count` of ten traces, and gives a keyboard and what to draw with."""
    monkeypatch.chdir(tmp_path)

    def stage(count, answer):
        with bench(tmp_path, *(trace(f"t{no}") for no in range(10))) as at:
            for number in range(1, 11):
                at.receive(number, proposal())
            for number in range(1, count + 1):
                at.sign_off(number)
            at.save()
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    return stage


def test_traces_that_are_signed_off_are_drawn_after_a_yes_and_what_goes_is_said(
    signed,
    capsys,
    monkeypatch,
):
    signed(4, "n\n")
    assert main(["sample", AUDIT, "-n", "10"]) == 0
    asked = capsys.readouterr().err
    assert asked.startswith(
        "4 traces that are signed off are drawn. Blind, their labels are set",
    )
    assert "All traces are signed off" not in asked
    assert asked.endswith("Draw them? [y/N] Nothing was drawn.\n")
    assert "has no sample yet" in drawn_so_far(capsys)
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert main(["sample", AUDIT, "-n", "10"]) == 0
    assert "10 of 10, seed 1, blind." in capsys.readouterr().out


def test_a_draw_from_an_audit_that_is_signed_off_whole_says_that_its_numbers_are_known(
    signed,
    capsys,
):
    signed(10, "\n")
    assert main(["sample", AUDIT, "-n", "5"]) == 0
    asked = " ".join(capsys.readouterr().err.split())
    assert (
        "All traces are signed off: their numbers are known without an estimate"
        in asked
    )
    assert "has no sample yet" in drawn_so_far(capsys)


@pytest.mark.parametrize("without", ["--yes", "--sighted"])
def test_nothing_is_asked_where_it_was_said_or_nothing_is_set_aside(
    signed,
    capsys,
    without,
):
    signed(10, "n\n")
    assert main(["sample", AUDIT, "-n", "5", without]) == 0
    assert "[y/N]" not in capsys.readouterr().err


def drawn_so_far(capsys):
    assert main(["sample", AUDIT]) == 0
    return capsys.readouterr().out
