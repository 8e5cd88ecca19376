"""Bars on the judge: from blind verdicts, each answer weighted by what its unit stands for."""

from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace
from test_worth_sentences import CLEAR, KIND_, SAFE, at, says, told, units

from appellate.core.design_facts import DesignFact, LookedUnplanned
from appellate.core.kind import KnownTrait
from appellate.core.problem import Refused
from appellate.numbers.bars import gate, hold_in_range, number_of
from appellate.numbers.data import gate_table, numbers_table
from appellate.numbers.estimates import (
    AuditUnit,
    UnitCell,
    estimated_traits,
    judge_measures,
    judge_number,
    worth,
)
from appellate.numbers.exact import IntervalRule
from appellate.numbers.samples import gates, sample_numbers
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
    cell = UnitCell(
        "Safe",
        "",
        [says(judge)],
        ruled,
        answers,
        KnownTrait(LLM, SAFE),
        ((WORDS[judge], 1),),
    )
    return AuditUnit(stratum, place, chance, {"Safe": [cell]})


def audit(*counted, unruled=()) -> list[AuditUnit]:
    """So many traces of each pair of answers, all ruled on in random order, and some of which only
    the judge spoke.
    """
    pairs = [pair for pair, times in counted for _ in range(times)]
    Random(1).shuffle(pairs)
    found = [judged(*pair, place) for place, pair in enumerate(pairs)]
    return found + [judged(one) for one in unruled]


def by_chance(*counted, unruled=()) -> list[AuditUnit]:
    """The same, drawn by unequal chances, for which betting has no interval."""
    found = audit(*counted, unruled=unruled)
    for place, unit in enumerate(found):
        unit.chance = 0.5 if place % 2 else 0.6
    return found


def number(found, name, **more):
    (measure,) = [one for one in judge_measures(TRAIT) if one.name == name]
    return judge_number(found, TRAIT, measure, **more)


YES_YES, YES_NO, NO_YES, NO_NO = (
    (True, True),
    (True, False),
    (False, True),
    (False, False),
)
MIXED = (YES_YES, 30), (YES_NO, 10), (NO_YES, 4), (NO_NO, 16)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("judge.agreement", 46 / 60),
        ("judge.sensitivity", 30 / 34),
        ("judge.specificity", 16 / 26),
        ("judge.precision", 30 / 40),
        ("judge.f1", 30 / 37),
        (
            "judge.kappa",
            (46 / 60 - (40 * 34 + 20 * 26) / 3600) / (1 - (40 * 34 + 20 * 26) / 3600),
        ),
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
    # 90 traces where it is right, 10 where not
    found = [*right, *wrong, *[judged(True)] * 70]
    assert number(found, "judge.agreement").interval.value == pytest.approx(0.9)
    by_chance = [judged(*YES_YES, place, chance=0.1) for place in range(20)]
    by_chance += [judged(*YES_NO, 20 + place, chance=0.4) for place in range(20)]
    found = number([*by_chance, *[judged(True)] * 60], "judge.agreement").interval
    assert found.value == pytest.approx(0.8)
    assert found.low < 0.8 < found.high


def test_bias_is_what_the_judge_says_of_all_less_what_people_would():
    found = audit(*MIXED, unruled=[True] * 40)
    people, bias = (
        worth(found, TRAIT, TRAIT.measures[0]).estimate,
        number(found, "judge.bias"),
    )
    assert bias.interval.value == pytest.approx(0.8 - people.value)
    assert bias.interval.half == pytest.approx(people.interval.half)


def test_a_look_sees_the_first_units_and_has_its_level():
    found = audit((YES_YES, 30), (NO_NO, 15), (YES_NO, 15), unruled=[True] * 60)
    early = number(found, "judge.kappa", first=20)
    late = number(found, "judge.kappa")
    assert early.part.n == 20
    assert early.interval.half > late.interval.half
    for rule in (IntervalRule(betting_coverage=0.99), IntervalRule("residuals", 0.99)):
        assert (
            number(found, "judge.kappa", rule=rule).interval.half > late.interval.half
        )


def test_the_looks_of_older_plans_keep_their_intervals():
    found = audit(*MIXED, unruled=[True] * 340)
    old = number(
        found,
        "judge.kappa",
        first=40,
        rule=IntervalRule("residuals", 0.95 + 0.1 / 3),
    )
    assert not old.is_by_betting
    assert old.judge_bets is None


def test_there_is_a_number_of_the_judge_from_the_first_ruling_on():
    one = number([*audit((YES_YES, 1)), *[judged(False)] * 99], "judge.agreement")
    assert one.is_by_betting
    assert one.interval.value == 1
    assert one.interval.low < 0.2
    assert one.undecided == ""


def test_why_there_is_no_number_of_the_judge_is_told():
    none = number(units(audited=0), "judge.kappa")
    assert none.wanting == "none of the 60 drawn is audited yet"
    same = audit((YES_YES, 40))
    assert (
        number(same, "judge.kappa").wanting == "judge.kappa is 0/0 in what was audited"
    )
    strata = [*audit((YES_YES, 30)), judged(True, stratum=1)]
    assert (
        number(strata, "judge.agreement").wanting
        == "not every stratum has a ruling yet"
    )
    assert number(strata, "judge.bias").wanting == "not every stratum has a ruling yet"


def test_why_there_is_no_number_of_the_judge_by_the_jackknife_is_told():
    few = by_chance((YES_YES, 12))
    assert number(few, "judge.kappa").wanting.startswith("shown from 20 audits on")
    same = by_chance((YES_YES, 40))
    assert (
        number(same, "judge.kappa").wanting == "judge.kappa is 0/0 in what was audited"
    )
    one = by_chance((YES_YES, 39), (YES_NO, 1))
    assert number(one, "judge.sensitivity").interval is not None
    alone = by_chance((NO_NO, 39), (YES_YES, 1), unruled=[True])
    assert number(alone, "judge.precision").wanting == "a single audit decides it"
    silent = by_chance((YES_YES, 30))
    for unit in silent[:25]:
        unit.cells["Safe"] = [unit.cells["Safe"][0]._replace(answers={})]
    wanting = number(silent, "judge.agreement").wanting
    assert wanting == "shown from 20 answers on, and 5 are compared"


def test_where_no_interval_holds_a_bar_stays_undecided_and_the_number_says_why():
    found = number(
        by_chance((YES_YES, 39), (YES_NO, 1), unruled=[True] * 60),
        "judge.agreement",
    )
    assert found.interval is not None
    assert found.undecided == (
        "its interval is not exact: it was drawn by unequal chances, for which no exact interval is"
        " known"
    )


def test_a_worthless_judge_does_not_reach_a_bar_on_the_judge_where_the_responses_reach_theirs():
    found = audit((NO_YES, 40), (YES_YES, 5), (NO_NO, 10), (YES_NO, 5))
    responses = gate(at(found, traits=[TRAIT]), read_bar("yes>=.5"))
    judge = gate(at(found, traits=[TRAIT]), read_bar("judge.kappa>=.6"))
    assert (responses.standing.decision, judge.standing.decision) == (
        "reached",
        "not reached",
    )
    assert "the judge's own share answered yes is 0.167 over all 60 traces" in told(
        responses,
    )
    assert "This bar is on the judge" in told(judge)
    assert judge.worth.interval.value == pytest.approx(-0.125)


def test_how_many_more_audits_would_decide_a_bar_on_the_judge():
    found = audit(
        (YES_YES, 20),
        (YES_NO, 4),
        (NO_YES, 4),
        (NO_NO, 12),
        unruled=[True, False] * 280,
    )
    for place, unit in enumerate(found[40:], 40):
        unit.place = place
    asked = gate(at(found, traits=[TRAIT], drawn=600), read_bar("judge.kappa>=.3"))
    assert asked.standing.decision == "undecided"
    bets = asked.worth.judge_bets
    after = bets.audit.continued(asked.more_audits).interval()
    before = bets.audit.continued(asked.more_audits - 1).interval()
    assert 1 - after.high >= 0.3 > 1 - before.high
    assert "Evidence that the bar is reached" in told(asked)
    assert asked.evidence["reached"].capital > asked.evidence["not reached"].capital


def test_a_bar_that_is_decided_takes_no_more_audits():
    found = audit(*MIXED, unruled=[True, False] * 280)
    decided = gate(at(found, traits=[TRAIT], drawn=60), read_bar("judge.agreement>=.2"))
    assert decided.standing.decision == "reached"
    assert decided.more_audits == 0


def test_a_number_by_the_jackknife_tells_how_many_more_audits_make_it_as_narrow():
    found = number(
        by_chance((YES_YES, 30), (YES_NO, 10), unruled=[True] * 560),
        "judge.agreement",
    )
    more = found.needed(found.interval.half / 2)
    part = found.part
    left = (1 / (part.n + more) - 1 / part.frame) / (1 / part.n - 1 / part.frame)
    assert left == pytest.approx(0.25, rel=0.05)
    assert found.needed(1.0) == 0
    assert replace(found, interval=None).needed(0.1) == 0


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
    with pytest.raises(
        Refused,
        match=r"judge\.kappa means several numbers here, of Safe, Clear",
    ):
        number_of(mixed, read_bar("judge.kappa>=.6"))
    with pytest.raises(
        Refused,
        match=r'no measure "judge\.f2"; it has judge\.kappa, judge\.agree',
    ):
        number_of(traits, read_bar("judge.f2>=.6"))


def test_what_has_no_positive_answer_has_no_sensitivity_and_what_is_asked_of_each_no_kappa():
    (scores,) = estimated_traits([KnownTrait(LLM, CLEAR)])
    assert [one.name for one in judge_measures(scores)] == [
        "judge.kappa",
        "judge.agreement",
        "judge.weighted_kappa",
        "judge.bias",
    ]
    assert judge_measures(scores)[-1].high == 4
    (own,) = estimated_traits(
        [KnownTrait(GROUNDING, GroundingRubricTrait(name="Grounded"))],
    )
    assert [one.name for one in judge_measures(own)] == ["judge.bias"]


@pytest.mark.parametrize(
    "text",
    ["judge.kappa>=1.2", "judge.bias<=-1.5", "judge.agreement>=-1"],
)
def test_a_bar_beyond_what_the_judge_can_reach_is_refused(text):
    with pytest.raises(Refused, match="can decide nothing"):
        hold_in_range([TRAIT], read_bar(text))


def test_programs_have_the_judges_numbers_with_the_interval_that_decides():
    found = sample_numbers(at(audit(*MIXED, unruled=[True] * 340), traits=[TRAIT]))
    tables = {table["metric"]: table for table in numbers_table(found)["judge_numbers"]}
    kappa = tables["judge.kappa"]
    bar = gate_table(gate(found.audit, read_bar("judge.kappa>=.6")))["now"]["judge"]
    assert {name: kappa[name] for name in ("value", "low", "high")} | {
        "level": 0.95,
    } == bar
    assert kappa["exact"]
    none = sample_numbers(at(audit((YES_YES, 40)), traits=[TRAIT]))
    nothing = {table["metric"]: table for table in numbers_table(none)["judge_numbers"]}
    assert nothing["judge.kappa"]["low"] is None
    assert nothing["judge.kappa"]["wanting"] == "judge.kappa is 0/0 in what was audited"


def test_a_saved_decision_at_any_look_that_the_verdicts_no_longer_give_is_told():
    found = audit(*MIXED, unruled=[True, False] * 170)
    stage = at(found, traits=[TRAIT])
    saved = LookedUnplanned(
        "Safe",
        "judge.kappa>=0.5",
        60,
        0.9,
        0.8,
        0.95,
        "reached",
        "any",
    )
    stage = replace(stage, facts=[*stage.facts, DesignFact(999, "", "ada", saved)])
    asked = gate(stage, read_bar("Safe:judge.kappa>=.5"))
    assert (asked.standing.decision, asked.standing.next_look) == ("undecided", None)
    assert "The file has this look as reached" in told(asked)
