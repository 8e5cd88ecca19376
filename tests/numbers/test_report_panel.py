"""A report holds a panel's members against each other and against the person, as text and for programs."""

import json

import pytest

from appellate.core.agreement import ENOUGH
from appellate.core.deciding import Show, SignOff
from appellate.numbers.data import as_json, trait_table
from appellate.numbers.html import html
from appellate.numbers.markdown import markdown
from appellate.numbers.report import broken_down, report
from appellate.store.audits.audit import Audit, AuditedCell
from appellate.traits.rubric import Rubric
from panels import AT, SAFE, does, ruled, votes


def audit(cells) -> Audit:
    rubric = Rubric(name="Safety", llm_traits=[SAFE])
    traces = [cell.subject.trace for cell in cells]
    kept = [AuditedCell(trace, cell) for trace, cell in zip(traces, cells, strict=True)]
    return Audit(rubric, traces, kept, AT, "0.1.0", ["ada"])


@pytest.fixture(scope="module")
def told():
    return report(audit([ruled(one, True) for one in votes()]))


def test_each_member_stands_beside_the_person_and_beside_each_other_member(told):
    rows = [line for line in markdown(told).splitlines() if line.startswith(("| b |", "| c |"))]
    assert rows[0].startswith("| b | 24 | 6 | 0.750 | 0.000 |")
    assert rows[1].split(" | ")[1:4] == ["24", "8", "0.667"]
    assert rows[0].count("–") == rows[1].count("–") == 1  # beside itself
    assert "| member | answers | differ | alike | kappa | AC1 | a | b | c |" in markdown(told)


def test_how_many_votes_it_is_worth_is_told_with_the_interval(told):
    text = markdown(told)
    assert "A panel of 3 judged 24 answers; its members agree with a Krippendorff" in text
    assert "independent votes (1.0 to" in text
    assert "of 3: over 24 answers that people gave too" in text
    assert "independent votes (1.0 to" in html(told)


def test_programs_have_the_members_by_name_and_by_pair():
    (trait,) = map(trait_table, broken_down(audit([ruled(one, True) for one in votes()])))
    panel = trait["panel"]
    assert (panel["members"], panel["answers"], panel["compared"]) == (["a", "b", "c"], 24, 24)
    assert panel["alpha_interval"][0] < panel["alpha"] < panel["alpha_interval"][1]
    assert [(one["members"], one["agreed"]) for one in panel["by_pair"]] == [
        ([0, 1], 18),
        ([0, 2], 16),
        ([1, 2], 22),
    ]
    assert [one["agreed"] for one in panel["by_member"]] == [24, 18, 16]
    assert panel["effective_votes"]["members"] == 3


def test_without_enough_answers_or_a_person_less_is_told():
    few = markdown(report(audit(votes(ENOUGH - 1))))
    assert "How far its members agree is shown from 20 answers on" in few
    assert "| member |" not in few
    alone = markdown(report(audit(votes())))
    assert "How many independent votes it is worth is shown from 20 answers on" in alone
    assert "| member |" in alone


def test_a_coefficient_of_answers_that_belong_together_has_no_interval():
    one_cluster = [ruled(one, no % 5 > 0) for no, one in enumerate(votes(cluster="c1"))]
    row = next(
        line
        for line in markdown(report(audit(one_cluster))).splitlines()
        if line.startswith("| sensitivity")
    )
    assert row.split(" | ")[2:] == ["–", "–", "– |"]


def test_several_judges_and_reviewers_are_told_with_what_follows_from_it():
    cells = [
        *(ruled(one, True, by="bo") for one in votes(3)),
        *(does(one, SignOff("abc", 9.0)) for one in votes(4, names="xyz")),
    ]
    cells[-1] = does(cells[-1], Show("gpt"))
    limits = json.loads(as_json(report(audit(cells))))["limits"]
    assert "2 people (bo, ada) ruled, each on other cells" in limits[1]
    assert "2 judges or prompts are in the judge's numbers together" in limits[2]
    assert limits[3].startswith("A judge was shown 1 cell of this audit as an example.")
    alone = json.loads(as_json(report(audit(votes(3)))))["limits"]
    assert alone[1] == "Nobody has signed anything off: all figures are the judge's."
