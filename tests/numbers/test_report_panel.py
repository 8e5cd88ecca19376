"""A report holds a panel's members against each other and against the person, as text and for programs."""

import json

from appellate.core.agreement import ENOUGH
from appellate.core.deciding import Show, SignOff
from appellate.numbers.data import json_parts, trait_table
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from cells import breakdowns_of
from panels import does, panel_audit, ruled, votes


def test_programs_have_the_members_by_name_and_by_pair():
    (trait,) = map(
        trait_table,
        breakdowns_of(panel_audit([ruled(one, True) for one in votes()])),
    )
    panel = trait["panel"]
    assert (panel["members"], panel["answers"], panel["compared"]) == (
        ["a", "b", "c"],
        24,
        24,
    )
    assert panel["alpha_interval"][0] < panel["alpha"] < panel["alpha_interval"][1]
    assert [(one["members"], one["agreed"]) for one in panel["by_pair"]] == [
        ([0, 1], 18),
        ([0, 2], 16),
        ([1, 2], 22),
    ]
    assert [one["agreed"] for one in panel["by_member"]] == [24, 18, 16]
    assert panel["effective_votes"]["members"] == 3


def test_without_enough_answers_or_a_person_less_is_told():
    few = markdown(report(panel_audit(votes(ENOUGH - 1))))
    assert "How far its members agree is shown from 20 answers on" in few
    assert "| member |" not in few
    alone = markdown(report(panel_audit(votes())))
    assert "How many independent votes it is worth is shown from 20 answers on" in alone
    assert "| member |" in alone


def test_a_coefficient_of_answers_that_belong_together_has_no_interval():
    one_cluster = [ruled(one, no % 5 > 0) for no, one in enumerate(votes(cluster="c1"))]
    row = next(
        line
        for line in markdown(report(panel_audit(one_cluster))).splitlines()
        if line.startswith("| sensitivity")
    )
    assert row.split(" | ")[2:] == ["–", "–", "– |"]


def test_several_judges_and_reviewers_are_told_with_what_follows_from_it():
    cells = [
        *(ruled(one, True, by="bo") for one in votes(3)),
        *(does(one, SignOff("abc", 9.0)) for one in votes(4, names="xyz")),
    ]
    cells[-1] = does(cells[-1], Show("gpt"))
    limits = json.loads("".join(json_parts(report(panel_audit(cells)))))["limits"]
    assert "2 people (bo, ada) ruled, each on other cells" in limits[1]
    assert "Several judges or prompts are in the judge's numbers of" in limits[2]
    assert limits[3].startswith(
        "1 cell was shown to a judge as an example. No trace shown is to be drawn",
    )
    alone = json.loads("".join(json_parts(report(panel_audit(votes(3))))))["limits"]
    assert alone[1] == "Nobody has signed anything off: all figures are the judge's."
