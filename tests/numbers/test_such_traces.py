"""Numbers of a judge over traces like these: nothing is ever all that there is."""

from random import Random

import pytest
from test_judge_numbers import MIXED, NO_NO, TRAIT, YES_NO, YES_YES, audit, judged

from appellate.numbers.estimates import judge_measures, judge_number
from appellate.numbers.such_traces import judge_help, judge_number_of_such


def number(units, name):
    (measure,) = [one for one in judge_measures(TRAIT) if one.name == name]
    return judge_number_of_such(units, TRAIT, measure)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("judge.agreement", 46 / 60),
        ("judge.sensitivity", 30 / 34),
        ("judge.specificity", 16 / 26),
        ("judge.precision", 30 / 40),
        ("judge.f1", 30 / 37),
        ("judge.bias", 6 / 60),
    ],
)
def test_a_number_is_that_of_the_answers_and_its_interval_has_a_width(name, value):
    found = number(audit(*MIXED), name)
    assert found.interval.value == pytest.approx(value)
    assert found.interval.low < value < found.interval.high


def test_a_gold_set_leaves_open_what_a_census_settles():
    units = audit((YES_YES, 60))
    (agreement,) = [
        one for one in judge_measures(TRAIT) if one.name == "judge.agreement"
    ]
    assert judge_number_of_such(units, TRAIT, agreement).interval.low < 0.97
    assert judge_number(units, TRAIT, agreement).interval.low == 1


def test_why_there_is_no_number_is_told():
    assert number(audit((YES_YES, 19)), "judge.agreement").wanting == (
        "an interval takes 20 traces, and there are 19"
    )
    assert "0/0" in number(audit((YES_YES, 40)), "judge.kappa").wanting
    assert number(audit((NO_NO, 39), (YES_YES, 1)), "judge.precision").wanting == (
        "a single trace decides it"
    )


def test_too_few_answers_and_a_mean_of_nothing_are_told():
    silent = audit((YES_YES, 30))
    for unit in silent[:25]:
        unit.cells["Safe"] = [unit.cells["Safe"][0]._replace(answers={})]
    assert number(silent, "judge.agreement").wanting == (
        "shown from 20 answers on, and 5 are compared"
    )
    nobody = [judged(True, True, place) for place in range(30)]
    for unit in nobody:
        unit.cells["Safe"] = [unit.cells["Safe"][0]._replace(judges=[])]
    assert "0/0" in number(nobody, "judge.bias").wanting


def test_a_good_judge_saves_audits_and_a_worthless_one_does_not():
    assert (
        judge_help(audit((YES_YES, 30), (NO_NO, 29), (YES_NO, 1)), TRAIT).judge_share
        > 0.5
    )
    random = Random(1)
    pairs = [((random.random() < 0.5, random.random() < 0.5), 1) for _ in range(200)]
    assert judge_help(audit(*pairs), TRAIT).judge_share < 0.1
    assert judge_help(audit((YES_YES, 19)), TRAIT) is None


@pytest.mark.slow
def test_the_interval_of_agreement_holds_the_truth_in_95_of_100_gold_sets():
    random = Random(7)
    held = 0
    for _ in range(1_000):
        right = sum(random.random() < 0.85 for _ in range(60))
        found = number(
            audit((YES_YES, right), (YES_NO, 60 - right)),
            "judge.agreement",
        ).interval
        held += found.low <= 0.85 <= found.high
    assert 930 <= held <= 975
