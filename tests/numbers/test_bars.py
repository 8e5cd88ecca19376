"""Looks at a bar: which there are, what each saw, which decision stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.design_facts import (
    DesignFact,
    Looked,
    LookedUnplanned,
    LooksPlanned,
)
from appellate.numbers.bars import (
    BarPlan,
    LookReading,
    asked_bars,
    plan_for,
    plans,
    standing,
)
from appellate.stats.estimates import Interval
from appellate.stats.looks import TrustBar

BAR = TrustBar("f1", 0.8)
AT_END = BarPlan(BAR, (60,))
PLANNED = LooksPlanned("", "f1>=.8", [40, 60, 80], 0.05)


def fact(n, what):
    return DesignFact(n, "2026-11-22T10:00:00Z", "ada", what)


def always(low, high):
    """The same interval at every look."""
    return lambda n: LookReading(Interval((low + high) / 2, low, high))


def test_the_last_plan_for_a_bar_counts():
    again = LooksPlanned("", "f1 >= 0.80", [30, 90], 0.05)
    other = LooksPlanned("Facts", "f1>=.8", [50], 0.05)
    found = plans([fact(1, PLANNED), fact(2, other), fact(3, again)])
    assert found == [
        BarPlan(BAR, (30, 90), 0.05, 3),
        BarPlan(TrustBar("f1", 0.8, trait="Facts"), (50,), 0.05, 2),
    ]


def test_a_bar_that_nobody_planned_has_the_plan_for_such_bars():
    assert plan_for(BAR, plans([fact(1, PLANNED)]), AT_END) == BarPlan(
        BAR,
        (40, 60, 80),
        0.05,
        1,
    )
    assert plan_for(BAR, [], AT_END) == AT_END


def test_a_bar_beside_planned_ones_on_the_same_number_has_no_look():
    same = plans([fact(1, PLANNED)])
    for other in (TrustBar("f1", 0.8001), TrustBar("f1", 0.8, at_least=False)):
        assert plan_for(other, same, AT_END) == BarPlan(other, (), 0.05, None)


def test_the_last_plan_counts_however_its_trait_was_written():
    named = LooksPlanned("Facts", "f1>=.8", [30, 50], 0.05)
    for facts, looks in (
        ([fact(1, PLANNED), fact(2, named)], (30, 50)),
        ([fact(1, named), fact(2, PLANNED)], (40, 60, 80)),
    ):
        assert plan_for(BAR, plans(facts), AT_END).looks == looks


def test_each_look_has_its_part_of_the_level_and_sees_the_units_that_were_planned():
    asked = []

    def estimated(n):
        asked.append(n)
        return LookReading(Interval(0.8, 0.7, 0.9))

    plan = plan_for(BAR, plans([fact(1, PLANNED)]), AT_END)
    found = standing(plan, [], 79, estimated)
    assert (asked, plan.coverage) == ([40, 60], pytest.approx(1 - 0.05 / 3))
    assert [one.n for one in found.taken] == [40, 60]
    assert (found.decision, found.next_look) == ("undecided", 80)


def test_the_first_decision_stands_and_there_is_no_further_look():
    seen = {40: Interval(0.85, 0.75, 0.95), 60: Interval(0.7, 0.6, 0.79)}
    plan = plan_for(BAR, plans([fact(1, PLANNED)]), AT_END)
    found = standing(plan, [], 80, lambda n: LookReading(seen[n]))
    assert [one.decision for one in found.taken] == ["undecided", "not reached"]
    assert (found.decision, found.next_look) == ("not reached", None)


def test_a_saved_look_is_computed_from_the_verdicts_and_told_where_it_differs():
    saved = Looked(1, 1, 40, 0.85, 0.81, 0.9, "trusted")  # as audits of before have it
    facts = [fact(1, PLANNED), fact(9, saved)]
    plan = plan_for(BAR, plans(facts), AT_END)
    same = standing(plan, facts, 80, lambda _: LookReading(Interval(0.85, 0.81, 0.9)))
    assert (same.decision, same.taken[0].differs, same.unsaved_looks) == (
        "reached",
        False,
        [],
    )
    other = standing(plan, facts, 80, always(0.1, 0.2))
    assert (other.decision, other.taken[0].differs, other.unsaved_looks) == (
        "not reached",
        True,
        [],
    )
    assert other.taken[0].saved.decision == "reached"


def test_a_saved_look_over_more_than_is_ruled_on_decides_nothing():
    saved = Looked(1, 1, 40, 0.85, 0.81, 0.9, "reached")
    facts = [fact(1, PLANNED), fact(9, saved)]
    found = standing(plan_for(BAR, plans(facts), AT_END), facts, 39, always(0.81, 0.9))
    assert found.decision == "undecided"
    assert found.taken[0].differs
    assert found.taken[0].undecided == "only 39 are ruled on now"


def test_a_look_whose_interval_may_be_too_narrow_decides_nothing_and_says_why():
    reading = LookReading(Interval(0.9, 0.85, 0.95), "a few large ones carry it")
    found = standing(BarPlan(BAR, (60,)), [], 60, lambda _: reading)
    assert (found.decision, found.taken[0].undecided) == (
        "undecided",
        "a few large ones carry it",
    )


def test_looks_that_were_taken_just_now_are_to_be_kept():
    found = standing(
        plan_for(BAR, plans([fact(7, PLANNED)]), AT_END),
        [],
        60,
        always(0.7, 0.9),
    )
    assert found.unsaved_looks == [
        Looked(7, 1, 40, 0.8, 0.7, 0.9, "undecided"),
        Looked(7, 2, 60, 0.8, 0.7, 0.9, "undecided"),
    ]


def test_the_one_look_that_nobody_planned_is_to_be_kept_where_it_saw_a_number():
    found = standing(BarPlan(BAR, (60,)), [], 60, always(0.85, 0.95))
    seen = LookedUnplanned("", "f1>=0.8", 60, pytest.approx(0.9), 0.85, 0.95, "reached")
    assert (found.decision, found.unsaved_looks) == ("reached", [seen])
    assert (
        standing(BarPlan(BAR, (60,)), [], 60, lambda _: LookReading(None)).unsaved_looks
        == []
    )


def test_a_look_that_nobody_planned_is_computed_anew_whatever_the_file_says_of_it():
    sound = LookedUnplanned("", "f1>=0.8", 60, 0.9, 0.85, 0.95, "reached")
    assert asked_bars([fact(2, replace(sound, bar="f1"))]) == []
    for wrong in ({}, {"units": 19}, {"low": 0.99}, {"decision": "undecided"}):
        seen = replace(sound, **wrong)
        (plan,) = asked_bars([fact(2, seen)])
        found = standing(replace(plan, looks=(60,)), [], 60, always(0.85, 0.95))
        assert (found.decision, found.taken[0].differs) == ("reached", bool(wrong))


def test_before_twenty_units_or_without_a_number_nothing_is_decided():
    assert (
        standing(BarPlan(BAR, (10,)), [], 10, always(0.9, 0.95)).decision == "undecided"
    )
    found = standing(BarPlan(BAR, (60,)), [], 60, lambda _: LookReading(None))
    assert (found.decision, found.taken[0].value) == ("undecided", None)
    assert standing(BarPlan(BAR, (60,)), [], 59, always(0.9, 0.95)).taken == []


def test_all_looks_planned_at_one_number_share_the_level_whichever_bar_they_are_for():
    other = LooksPlanned("", "f1<=.95", [60, 100], 0.05)
    both = plans([fact(1, PLANNED), fact(2, other)])
    for bar, own in (
        (BAR, (40, 60, 80)),
        (TrustBar("f1", 0.95, at_least=False), (60, 100)),
    ):
        plan = plan_for(bar, both, AT_END)
        assert (plan.looks, plan.sharing) == (own, [40, 60, 80, 100])
        assert plan.coverage == pytest.approx(1 - 0.05 / 4)
        assert plan.part == pytest.approx(0.05 / 4)


def test_a_plan_that_another_replaced_takes_nothing_of_the_level():
    again = LooksPlanned("Facts", "f1>=.8", [60], 0.05)
    plan = plan_for(BAR, plans([fact(1, PLANNED), fact(2, again)]), AT_END)
    assert (plan.looks, plan.sharing, plan.coverage) == ((60,), [60], 0.95)


LOOKS = st.lists(st.integers(20, 400), min_size=1, max_size=6, unique=True).map(sorted)


@given(st.lists(LOOKS, min_size=1, max_size=4))
def test_whatever_bars_are_planned_on_a_number_all_looks_at_it_are_wrong_no_more_than_the_level(
    of,
):
    facts = [
        fact(n, LooksPlanned("", f"f1>=.{n}", looks, 0.05))
        for n, looks in enumerate(of, 1)
    ]
    known = plans(facts)
    wrong: dict[int, float] = {}
    for one in known:
        plan = plan_for(one.bar, known, AT_END)
        for look in plan.looks:
            wrong[look] = max(wrong.get(look, 0), 1 - plan.coverage)
    assert sum(wrong.values()) == pytest.approx(0.05)
