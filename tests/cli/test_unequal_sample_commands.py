"""Samples that go by the panel's disagreement, through the commands: coefficients of their cells
are left out with the reason.
"""

import json
from contextlib import closing
from csv import DictReader
from io import StringIO
from shutil import copyfile

import pytest

from appellate.core.deciding import Correct
from appellate.core.only_counts import UNEQUAL
from appellate.core.trace import Trace
from appellate.store.audits.open_audit import Opened, resume
from appellate.store.breakdowns import breakdown
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Edit
from appellate.traits.rubric import Rubric
from cells import bench, place, seat
from panels import SAFE, proposed

COUNT = 60
SAFE_RUBRIC = Rubric(name="Care", llm_traits=[SAFE])
BY_DISAGREEMENT = ["--by", "disagreement"]


@pytest.fixture
def told(tmp_path, monkeypatch, cli):
    """What a command shows of an audit of sixty traces that a panel judged."""
    monkeypatch.chdir(tmp_path)
    traces = [Trace(id=f"t{number}", response="Take it.") for number in range(COUNT)]
    with bench(tmp_path, *traces, of=SAFE_RUBRIC) as at:
        for number, trace in enumerate(traces):
            votes = [True, number % 4 > 0, number % 3 > 0]
            tables = [{"value": vote} for vote in votes]
            at.receive(number + 1, proposed(KIND, SAFE, trace, tables))
        at.save()

    def tell(*arguments):
        return cli(*list(arguments)).out

    return tell


def rule(folder, reviewer="ada"):
    """Rules on every drawn cell, or signs it off where the judge is in sight."""
    workspace = resume(place(folder)).workspace
    with closing(workspace):
        at = seat(Opened(workspace, place(folder)), folder, reviewer)
        for number in range(1, workspace.cells.count() + 1):
            _, cell = at.open_unhidden(number)
            if cell.drawn is None:
                continue
            if cell.hidden:
                at.do(number, Correct(Edit("set", value=number % 5 > 0)))
            at.sign_off(number, 5.0)
        at.save()
    return str(place(folder).audit)


@pytest.mark.parametrize("sight", [[], ["--sighted"]])
def test_figures_of_a_sample_by_disagreement_are_left_out_with_a_reason(
    told,
    tmp_path,
    sight,
):
    told("sample", "x.audit.toml", "-n", "30", *BY_DISAGREEMENT, *sight)
    audit = rule(tmp_path)
    (trait,) = json.loads(told("metrics", audit, "--json"))["traits"]
    key, prefix = ("agreement", "") if sight else ("blind_agreement", "blind_")
    found, panel = trait[key], trait["panel"]
    assert (found["compared"], found["kappa"], found["intervals"]) == (30, None, {})
    assert (panel["compared"], panel["effective_votes"]) == (30, None)
    assert [one["kappa"] for one in panel["by_member"]] == [None] * 3
    assert panel["alpha"] is not None
    row = next(DictReader(StringIO(told("metrics", audit, "--csv"))))
    assert (row[f"{prefix}compared"], row[f"{prefix}kappa"]) == ("30", "")
    for reason in (found["reason"], panel["reason"], row[f"{prefix}reason"]):
        assert reason.startswith(UNEQUAL)
        assert ("bars on the judge" in reason) == (not sight)
    for command in ("metrics", "report"):
        shown = " ".join(told(command, audit).split())
        assert "drawn with unequal chances" in shown
        assert "independent votes (" not in shown
    path = place(tmp_path).workspace
    numbers = breakdown(path, ("llm", "Safe"))
    assert numbers.panel.votes is None
    live = numbers.whole.agreement if sight else numbers.whole.blind
    assert live.reason == found["reason"]


def test_two_reviewers_of_such_a_sample_have_counts_alone(told, tmp_path):
    told("sample", "x.audit.toml", "-n", "30", *BY_DISAGREEMENT, "--sighted")
    other = tmp_path / "other"
    other.mkdir()
    copyfile(place(tmp_path).audit, place(other).audit)
    one, two = rule(tmp_path), rule(other, "bo")
    found = json.loads(told("compare", one, two, "--json"))
    (trait,), (test,) = found["traits"], found["alternative_annotator"]
    assert (test["passes"], test["reason"]) == (None, f"{UNEQUAL}.")
    assert (trait["answers"], trait["coefficients"]["kappa"]["value"]) == (30, None)
    assert trait["reason"].startswith(UNEQUAL)
    shown = told("compare", one, two)
    assert "unequal chances" in shown
    assert "may stand in for one of them is left out" in " ".join(shown.split())
    assert "Cohen's kappa" not in shown


def test_a_second_pass_over_such_a_sample_has_counts_alone(told, tmp_path):
    told("sample", "x.audit.toml", "-n", "30", *BY_DISAGREEMENT)
    again = tmp_path / "again"
    again.mkdir()
    asked = [
        "second-pass",
        rule(tmp_path),
        "-o",
        str(place(again).audit),
        "--reviewer",
        "ada",
    ]
    told(*asked, "--share", "100")
    rule(again)
    shown = told(*asked)
    assert "30 answers, " in shown
    assert "unequal chances" in shown
    assert "Cohen's kappa" not in shown


def test_the_judge_of_a_panel_is_one_number_what_most_members_say(told, tmp_path):
    told("sample", "x.audit.toml", "-n", "30", "--sighted")
    rule(tmp_path)
    document = json.loads(told("metrics", "x.audit.toml", "--json"))
    (trait,) = document["traits"]
    (estimate,) = document["worth"]["estimates"]
    assert estimate["judge_only"] == pytest.approx(
        trait["metrics"]["yes"]["judge_all"]["micro"],
    )
    votes = [(1 + (number % 4 > 0) + (number % 3 > 0)) / 3 for number in range(COUNT)]
    assert estimate["judge_only"] != pytest.approx(sum(votes) / COUNT)
    assert "The judge is what most members of the panel say." in told(
        "report",
        "x.audit.toml",
    )
