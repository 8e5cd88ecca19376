"""Bars on the difference of two models: compared unit by unit, or each by itself."""

from random import Random
from types import SimpleNamespace

import pytest

from appellate.core.kind import Figures, KnownTrait
from appellate.numbers.differences import (
    Difference,
    base_measure,
    difference_measure,
    difference_number,
    group_differences,
    read_difference,
)
from appellate.numbers.estimates import (
    AuditUnit,
    UnitCell,
    differences_by_residuals,
    estimated_traits,
    worth,
)
from appellate.numbers.exact import IntervalRule
from appellate.numbers.sentences import subject_text
from appellate.stats.looks import TrustBar, read_bar
from appellate.traits.llm import KIND as LLM
from appellate.traits.llm.spec import LLMRubricTrait

SAFE = LLMRubricTrait(name="Safe", kind="boolean", description="?")
KNOWN = KnownTrait(LLM, SAFE)
(TRAIT,) = estimated_traits([KNOWN])
(YES,) = TRAIT.measures
BAR = "yes[a]-yes[b]"
RULE = IntervalRule(horizon=60)


def says(value) -> Figures:
    return Figures({"yes": float(value)}, frozenset(), {})


def cell(group, judge, person=None) -> UnitCell:
    return UnitCell(
        "Safe",
        group,
        [says(judge)],
        None if person is None else says(person),
        {},
        KNOWN,
    )


def answers(seed, size=200, better=0.3):
    """What people and the judge say of two models on the same questions."""
    chance = Random(seed)
    for _ in range(size):
        hard = chance.random()
        first = hard < 0.6 + better
        second = hard < 0.6
        said = [one if chance.random() < 0.9 else not one for one in (first, second)]
        yield (first, second), said


def together(seed=1, ruled=60, **how):
    """Units with a response of each model."""
    units = []
    for place, (people, judge) in enumerate(answers(seed, **how)):
        unit = AuditUnit(0, place)
        persons = people if place < ruled else (None, None)
        unit.cells["Safe"] = [
            cell(group, said, person)
            for group, said, person in zip("ab", judge, persons, strict=True)
        ]
        units.append(unit)
    return units


def apart(seed=1, ruled=120, **how):
    """Units with a response of one model each."""
    units = []
    for one, (people, judge) in enumerate(answers(seed, **how)):
        for which, group in enumerate("ab"):
            place = 2 * one + which
            unit = AuditUnit(0, place)
            person = people[which] if place < ruled else None
            unit.cells["Safe"] = [cell(group, judge[which], person)]
            units.append(unit)
    return units


def number(units, **how):
    return difference_number(
        units,
        TRAIT,
        difference_measure(YES, BAR),
        rule=RULE,
        **how,
    )


def test_a_bar_names_a_difference_of_one_measure():
    assert read_difference(BAR) == Difference("yes", "a", "b")
    assert read_difference("f1[gpt-4o mini] − f1[]") == Difference(
        "f1",
        "gpt-4o mini",
        "",
    )
    for other in (
        "yes[a]-yes[a]",
        "yes",
        "yes[a]",
        "f1[a]-yes[b]",
        "yes[a]-yes",
        "a-b",
    ):
        assert read_difference(other) is None
    assert read_bar(f"Safe:{BAR}>=0") == TrustBar(BAR, 0, trait="Safe")
    measure = difference_measure(YES, BAR)
    assert (measure.low, measure.high, base_measure(TRAIT, measure)) == (-1, 1, YES)


def test_models_that_answer_the_same_questions_are_compared_question_by_question():
    paired = number(together()).interval
    alone = number(apart()).interval
    assert paired.low <= 0.3 <= paired.high
    assert alone.low <= 0.3 <= alone.high
    assert paired.half < alone.half
    assert paired.low > 0


def test_a_look_sees_the_first_units_alone():
    for units in (together(), apart()):
        early = number(units, first=20)
        assert early.part.n == 20
        assert early.interval.half > number(units).interval.half


def test_all_units_leave_nothing_open():
    whole = number(together(ruled=200)).interval
    assert whole.low == whole.high == pytest.approx(whole.value)
    whole = number(apart(ruled=400)).interval
    assert whole.low == whole.high == pytest.approx(whole.value)


def test_why_there_is_no_difference_is_told():
    units = [unit for unit in apart() if unit.cells["Safe"][0].group == "a"]
    assert number(units).wanting == "nothing is of b"
    assert "none of the" in number(apart(ruled=0)).wanting
    units = apart()
    units[0].cells["Safe"] = [units[0].cells["Safe"][0]._replace(known=None)]
    assert number(units).interval is None


def test_a_group_without_a_name_is_called_one():
    units = apart()
    for unit in units:
        (own,) = unit.cells["Safe"]
        unit.cells["Safe"] = [own._replace(group="" if own.group == "b" else "a")]
    bar = "yes[a]-yes[]"
    measure = difference_measure(YES, bar)
    named = difference_number(units, TRAIT, measure, rule=RULE)
    assert named.interval is not None
    gate = SimpleNamespace(
        bar=read_bar(f"{bar}>=0"),
        worth=SimpleNamespace(measure=measure),
    )
    assert subject_text(gate, "trace").endswith("how much more a has than (no name).")
    last = next(unit for unit in units if unit.cells["Safe"][0].group == "")
    last.cells["Safe"] = [last.cells["Safe"][0]._replace(known=None)]
    wanting = difference_number(units, TRAIT, measure, rule=RULE).wanting
    assert wanting.startswith("of no name, ")


def of_groups(units, groups="ab"):
    return [worth(units, TRAIT, YES, group, rule=RULE) for group in groups]


@pytest.mark.parametrize("made", [together, apart])
def test_groups_differ_by_the_interval_that_a_bar_on_their_difference_has(made):
    units = made()
    (found,) = group_differences(units, of_groups(units), RULE)
    assert (found.one, found.other, found.among) == ("a", "b", 1)
    assert found.by == number(units).interval
    assert found.is_shown == (found.by.low > 0)


def three_groups():
    """Units of the models a and b, and of a third that answers as b does."""
    units = apart(better=0.4)
    third = []
    for unit in units[1::2]:
        (cell_of_b,) = unit.cells["Safe"]
        copy = AuditUnit(0)
        copy.cells["Safe"] = [cell_of_b._replace(group="c")]
        third.append(copy)
    ruled = [
        unit for unit in [*units, *third] if unit.cells["Safe"][0].person is not None
    ]
    rest = [unit for unit in [*units, *third] if unit.cells["Safe"][0].person is None]
    for unit, place in zip(
        [*ruled, *rest],
        [*range(len(ruled)), *[None] * len(rest)],
        strict=True,
    ):
        unit.place = place
    return [*ruled, *rest]


def test_of_several_groups_only_what_is_sure_among_them_all_is_shown():
    units = three_groups()
    found = group_differences(units, of_groups(units, "abc"), RULE)
    assert [one.among for one in found] == [3, 3, 3]
    shown = {(one.one, one.other) for one in found if one.is_shown}
    assert ("a", "b") in shown
    assert not {("b", "c"), ("c", "b")} & shown


def test_where_betting_knows_no_interval_groups_differ_by_residuals():
    units = apart()
    for unit in units:
        unit.chance = 0.3
    found = group_differences(units, of_groups(units), RULE)
    assert found == list(differences_by_residuals(of_groups(units)))
    assert len(found) == 1


@pytest.mark.slow
@pytest.mark.parametrize("made", [together, apart])
def test_the_true_difference_is_left_out_in_five_of_a_hundred_audits_at_most(made):
    wrong = 0
    for seed in range(200):
        people = [pair for pair, _ in answers(seed, better=0.1)]
        truth = sum(first - second for first, second in people) / len(people)
        found = number(made(seed, better=0.1)).interval
        wrong += not found.low <= truth <= found.high
    assert wrong < 20
