"""An audit whose sample an earlier version drew with `--active`: 40 traces that a panel of three judged, 24 of them
drawn by chances that go by its disagreement, 21 of these ruled on.

`earlier/active.audit.toml` was made by that version, and so were the values and weights in
`earlier/active.numbers.json`. Its intervals and decisions are of a version that shifts none by a negative skewness and
decides at no look above .4 of the frame.
"""

import json
import sys
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import pytest

from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.store.audits.open_audit import Opened, resume
from appellate.traits.llm.edits import Edit
from cells import bench, place, seat
from sampled import RUBRIC, by_chance, traces

EARLIER = Path(__file__).parent / "earlier"
BARS = (
    "Safe:yes>=.6",
    "Clear:score>=2",
    "Safe:judge.agreement>=.5",
    "Safe:judge.kappa>=.1",
)
RULED = 21


@pytest.fixture
def audit(tmp_path, monkeypatch):
    """The audit of the earlier version in a folder of its own, where it has no workspace yet."""
    monkeypatch.chdir(tmp_path)
    copyfile(EARLIER / "active.audit.toml", place(tmp_path).audit)
    return place(tmp_path).audit


def numbers(audit, capsys):
    """Every estimate with its interval, and what is decided of some bars."""
    capsys.readouterr()
    assert main(["metrics", str(audit), "--json"]) == 0
    worth = json.loads(capsys.readouterr().out)["worth"]
    gates = {}
    for bar in BARS:
        code = main(["gate", str(audit), bar, "--json"])
        gates[bar] = {"code": code, **json.loads(capsys.readouterr().out)}
    for said in (worth, *gates.values()):  # earlier versions had no digest
        del said["sample"]["digest"]
    del worth["judge_numbers"]  # nor these
    return {"worth": worth, "gates": gates}


def comparable(table):
    """Numbers without those of the judge alone: earlier versions took the mean of a panel's members.

    Since 3.12 Python sums floats otherwise; there they are compared to twelve digits.
    """
    if isinstance(table, list):
        return [comparable(value) for value in table]
    if isinstance(table, float) and sys.version_info >= (3, 12):
        return float(f"{table:.12g}")
    if not isinstance(table, dict):
        return table
    others = table.keys() - {"judge_only", "judge_by", "higher", "lower"}
    return {key: comparable(table[key]) for key in others}


def rule_on_the_rest(folder):
    workspace = resume(place(folder)).workspace
    with closing(workspace):
        at = seat(Opened(workspace, place(folder)), folder)
        for trace in list(at.workspace.design.drawn())[RULED:]:
            values = {"Safe": trace % 5 != 1, "Clear": 1 + trace % 5}
            for trait, value in values.items():
                number = at.workspace.cells.of_trace(trace)[trait]
                at.open_unhidden(number)
                at.do(number, Correct(Edit("set", value=value)))
                at.sign_off(number, 5.0)
        at.save()


def test_its_numbers_and_bars_are_to_the_last_digit_what_they_were(
    audit,
    capsys,
    tmp_path,
):
    earlier = json.loads((EARLIER / "active.numbers.json").read_text())
    assert comparable(numbers(audit, capsys)) == comparable(earlier["21 ruled on"])
    rule_on_the_rest(tmp_path)
    assert comparable(numbers(audit, capsys)) == comparable(earlier["24 ruled on"])


def test_its_report_weighs_by_the_chances_and_says_where_that_is_from(audit, cli):
    told = cli("report x.audit.toml").out
    assert (
        "Active (chances by disagreement, half of each uniform) random sample: 24 of 40"
        in told
    )
    assert "zrnic2024" in told
    assert (
        cli("check x.audit.toml").out
        == "x.audit.toml: an audit, 40 traces, 80 cells.\n"
    )


@pytest.mark.parametrize(
    ("was", "became", "why"),
    [
        (
            "chance = 0.3338",
            "chance = 0.4338",
            "the chance of disagreement 0/10 is another",
        ),
        ("disagreement 5/10", "others", "others is not a step of disagreement"),
        ("seed = 7", "seed = 8", "it cannot be drawn"),
    ],
)
def test_a_chance_or_a_draw_that_was_edited_is_told(audit, cli, was, became, why):
    text = audit.read_text()
    head, mark, cells = text.partition("[[cells]]")
    assert was in head
    audit.write_text(head.replace(was, became) + mark + cells)
    assert why in cli("check", audit, code=2).err


def test_nothing_is_added_to_it_and_what_is_to_be_done_instead_is_said(audit, cli):
    before = audit.read_bytes()
    told = cli("sample x.audit.toml --add 5", code=2).err
    assert "Nothing can be added to this sample" in told
    assert "every verdict in it counts" in told
    told = cli("sample x.audit.toml -n 30", code=2).err
    assert "there is a sample of 24 already" in told
    assert "nothing can be added to this one" in told
    assert "--add" not in told
    told = cli("sample x.audit.toml --withdraw", code=2).err
    assert "The sample cannot be withdrawn" in told
    assert audit.read_bytes() == before


def test_before_the_first_verdict_no_look_is_planned_beyond_it_and_it_can_be_withdrawn(
    cli,
    tmp_path,
    monkeypatch,
):
    monkeypatch.chdir(tmp_path)
    with bench(tmp_path, *traces(60), of=RUBRIC) as at:
        at.draw(by_chance(60, 30))
        at.save()
    told = cli("gate x.audit.toml Polite:yes>=.5 --plan 40", code=2).err
    assert (
        "No look can be at 40: 30 are drawn, and nothing can be added to this sample"
        in told
    )
    assert "after 30 audits" in cli("gate x.audit.toml Polite:yes>=.5 --plan 30").err
    assert "Withdrew the sample" in cli("sample x.audit.toml --withdraw").err
    assert "simple random sample: 40 of 60" in cli("sample x.audit.toml -n 40").out


def test_a_new_one_is_not_drawn_and_what_draws_most_where_judges_differ_is_said(
    audit,
    capsys,
):
    with pytest.raises(SystemExit) as ended:
        main(["sample", "x.audit.toml", "-n", "30", "--active"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "--active is no longer there" in told
    assert "--by disagreement draws most where its members disagree" in told
