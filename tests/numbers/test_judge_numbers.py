"""Bars on the judge: from blind verdicts, each answer weighted by what its unit stands for."""

from collections import Counter

import pytest
from msgspec.structs import replace
from test_worth_sentences import CLEAR, KIND_, SAFE, at, says, told, units

from appellate.core.kind import KnownTrait
from appellate.core.problem import Refused
from appellate.numbers.bars import gate, hold_in_range, number_of
from appellate.numbers.estimates import (
    AuditUnit,
    UnitCell,
    estimated_traits,
    judge_measures,
    judge_number,
    worth,
)
from appellate.numbers.exact import IntervalRule
from appellate.numbers.samples import gates
from appellate.stats.looks import read_bar
from appellate.traits.grounding import KIND as GROUNDING
from appellate.traits.grounding.spec import GroundingRubricTrait
from appellate.traits.llm import KIND as LLM

(TRAIT,) = estimated_traits([KnownTrait(LLM, SAFE)])
WORDS = {True: "yes", False: "no"}


def judged(judge, person=None, place=None, stratum=0, chance=None) -> AuditUnit:
    """A trace of which the judge says yes or no, and a person too where it is ruled on."""
    answers = {} if person is None else Counter([(WORDS[judge], WORDS[person])])
    ruled = None if person is None else says(person)
    cell = UnitCell("Safe", "", [says(judge)], ruled, answers)
    return AuditUnit(stratum, place, chance, {"Safe": [cell]})


def audit(*counted, unruled=()) -> list[AuditUnit]:
    """So many traces of each pair of answers, all ruled on, and some of which only the judge spoke."""
    pairs = [pair for pair, times in counted for _ in range(times)]
    found = [judged(*pair, place) for place, pair in enumerate(pairs)]
    return found + [judged(one) for one in unruled]


def number(found, name, **more):
    (measure,) = [one for one in judge_measures(TRAIT) if one.name == name]
    return judge_number(found, TRAIT, measure, **more)


YES_YES, YES_NO, NO_YES, NO_NO = (True, True), (True, False), (False, True), (False, False)
MIXED = (YES_YES, 30), (YES_NO, 10), (NO_YES, 4), (NO_NO, 16)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("judge.agreement", 46 / 60),
        ("judge.sensitivity", 30 / 34),
        ("judge.specificity", 16 / 26),
        ("judge.precision", 30 / 40),
        ("judge.kappa", (46 / 60 - (40 * 34 + 20 * 26) / 3600) / (1 - (40 * 34 + 20 * 26) / 3600)),
        ("judge.bias", 40 / 60 - 34 / 60),
    ],
)
def test_each_number_is_of_the_judges_answers_against_peoples(name, value):
    found = number(audit(*MIXED, unruled=[True, True, False] * 20), name).interval
    assert found.value == pytest.approx(value, abs=0.02)
    assert found.low < value < found.high


def test_answers_weigh_by_how_many_units_theirs_stands_for():
    right = [judged(*YES_YES, place) for place in range(20)]
    wrong = [judged(*YES_NO, 20 + place, stratum=1) for place in range(10)]
    found = [*right, *wrong, *[judged(True)] * 70]  # 90 traces where it is right, 10 where not
    assert number(found, "judge.agreement").interval.value == pytest.approx(0.9)
    by_chance = [judged(*YES_YES, place, chance=0.1) for place in range(20)]
    by_chance += [judged(*YES_NO, 20 + place, chance=0.4) for place in range(20)]
    found = number([*by_chance, *[judged(True)] * 60], "judge.agreement").interval
    assert found.value == pytest.approx(0.8)
    assert found.low < 0.8 < found.high


def test_bias_is_what_the_judge_says_of_all_less_what_people_would():
    found = audit(*MIXED, unruled=[True] * 40)
    people, bias = worth(found, TRAIT, TRAIT.measures[0]).estimate, number(found, "judge.bias")
    assert bias.interval.value == pytest.approx(0.8 - people.value)
    assert bias.interval.half == pytest.approx(people.interval.half)


def test_a_look_sees_the_first_units_and_has_its_level():
    found = audit((YES_YES, 15), (NO_NO, 15), (YES_NO, 30), unruled=[True] * 60)
    early = number(found, "judge.kappa", first=30).interval
    late = number(found, "judge.kappa").interval
    assert early.value == 1 > late.value
    assert number(found, "judge.kappa", rule=IntervalRule("looks", 0.99)).interval.half > late.half


def test_why_there_is_no_number_of_the_judge_is_told():
    few = audit((YES_YES, 12))
    assert number(few, "judge.kappa").wanting.startswith("shown from 20 audits on")
    same = audit((YES_YES, 40))
    assert number(same, "judge.kappa").wanting == "judge.kappa is 0/0 in what was audited"
    one = audit((YES_YES, 39), (YES_NO, 1))
    assert number(one, "judge.sensitivity").interval is not None
    alone = audit((NO_NO, 39), (YES_YES, 1), unruled=[True])
    assert number(alone, "judge.precision").wanting == "a single audit decides it"
    silent = audit((YES_YES, 30))
    for unit in silent[:25]:
        unit.cells["Safe"] = [unit.cells["Safe"][0]._replace(answers={})]
    wanting = number(silent, "judge.agreement").wanting
    assert wanting == "shown from 20 answers on, and 5 are compared"
    strata = [*audit((YES_YES, 30)), judged(True, stratum=1)]
    assert number(strata, "judge.agreement").wanting == "a stratum has no audit yet"
    assert number(strata, "judge.bias").wanting == "a stratum has no audit yet"


def test_a_worthless_judge_does_not_reach_a_bar_on_the_judge_where_the_responses_reach_theirs():
    found = audit((NO_YES, 40), (YES_YES, 5), (NO_NO, 10), (YES_NO, 5))
    responses = gate(at(found, traits=[TRAIT]), read_bar("yes>=.5"))
    judge = gate(at(found, traits=[TRAIT]), read_bar("judge.kappa>=.6"))
    assert (responses.standing.decision, judge.standing.decision) == ("reached", "not reached")
    assert "the judge's own share answered yes is 0.167 over all 60 traces" in told(responses)
    assert "This bar is on the judge" in told(judge)
    assert "at 60: judge.kappa −0.125, 95 % interval" in told(judge)


def test_how_many_more_audits_would_decide_a_bar_on_the_judge():
    found = audit((YES_YES, 20), (YES_NO, 4), (NO_YES, 4), (NO_NO, 12), unruled=[True] * 560)
    for place, unit in enumerate(found[40:], 40):
        unit.place = place
    asked = gate(at(found, traits=[TRAIT], drawn=600), read_bar("judge.kappa>=.45"))
    half = abs(asked.now.interval.value - 0.45)
    more = asked.more
    part = asked.now.part
    left = (1 / (part.n + more) - 1 / 600) / (1 / part.n - 1 / 600)
    assert asked.now.interval.half * left**0.5 == pytest.approx(half, rel=0.01)
    assert asked.now.needed(1.0) == 0
    assert replace(asked.now, interval=None).needed(0.1) == 0


def test_bars_on_the_judge_take_blind_verdicts():
    sighted = at()
    last = replace(sighted.sample.last, blind=False)
    sighted = replace(sighted, sample=replace(sighted.sample, last=last))
    with pytest.raises(Refused, match="takes verdicts that were ruled blind"):
        gates(sighted, [read_bar("judge.kappa>=.6")])


def test_a_bar_on_the_judge_is_of_one_trait_or_of_all_of_one_kind():
    traits = estimated_traits([KnownTrait(LLM, one) for one in (SAFE, KIND_)])
    together, measure = number_of(traits, read_bar("judge.kappa>=.6"))
    assert (together.describe, measure.name) == ("all llm traits", "judge.kappa")
    one, _ = number_of(traits, read_bar("Kind:judge.bias<=.1"))
    assert one.name == "Kind"
    mixed = estimated_traits([KnownTrait(LLM, one) for one in (SAFE, CLEAR)])
    with pytest.raises(Refused, match=r"judge\.kappa means several numbers here, of Safe, Clear"):
        number_of(mixed, read_bar("judge.kappa>=.6"))
    with pytest.raises(Refused, match=r'no measure "judge\.f1"; it has judge\.kappa, judge\.agree'):
        number_of(traits, read_bar("judge.f1>=.6"))


def test_what_has_no_positive_answer_has_no_sensitivity_and_what_is_asked_of_each_no_kappa():
    (scores,) = estimated_traits([KnownTrait(LLM, CLEAR)])
    assert [one.name for one in judge_measures(scores)] == [
        "judge.kappa",
        "judge.agreement",
        "judge.weighted_kappa",
        "judge.bias",
    ]
    assert judge_measures(scores)[-1].high == 4
    (own,) = estimated_traits([KnownTrait(GROUNDING, GroundingRubricTrait(name="Grounded"))])
    assert [one.name for one in judge_measures(own)] == ["judge.bias"]


@pytest.mark.parametrize("text", ["judge.kappa>=1.2", "judge.bias<=-1.5", "judge.agreement>=-1"])
def test_a_bar_beyond_what_the_judge_can_reach_is_refused(text):
    with pytest.raises(Refused, match="can decide nothing"):
        hold_in_range([TRAIT], read_bar(text))


def test_units_of_nobody_who_ruled_have_no_such_number():
    assert number(units(audited=0), "judge.kappa").interval is None
