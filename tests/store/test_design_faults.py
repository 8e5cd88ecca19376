"""What a file may tell of a sample and its looks, and what cannot have been."""

import pytest
from msgspec.structs import replace

from appellate.core.design_facts import DesignFact, Looked, LooksPlanned, Sampled
from appellate.store.samples.design_faults import design_faults

UNITS = [
    {"traces": [["t1", 1], ["t2", 1]], "stratum": "a"},
    {"traces": [["t3", 1]], "stratum": "b"},
]
STRATA = [{"name": "a", "units": 2, "drawn": 1}, {"name": "b", "units": 1, "drawn": 1}]
SAMPLED = Sampled("stratified", ["model"], 1, True, 3, "ab" * 32, "3a1b", STRATA, UNITS)
PLAN = LooksPlanned("", "f1>=.8", [40, 80], 0.05)
LOOK = Looked(2, 1, 40, 0.85, 0.8125, 0.9, "trusted")
TRACES = {(f"t{no}", 1) for no in range(1, 5)}


def faults(*events):
    facts = [DesignFact(n, "", "ada", what) for n, what in enumerate(events, 1)]
    return list(design_faults(facts, TRACES))


def test_a_sample_its_plan_and_its_looks_are_sound():
    later = replace(SAMPLED, drawn=[{"traces": [["t4", 1]], "stratum": "a"}])
    assert faults(SAMPLED, PLAN, LOOK, replace(LOOK, look=2, units=80), later) == []


def test_a_plan_for_any_look_has_no_looks_and_one_decision_at_any_number_of_audits():
    plan = replace(PLAN, looks=[], rule="any", horizon=60)
    assert faults(SAMPLED, plan, replace(LOOK, units=7)) == []
    assert faults(SAMPLED, replace(plan, horizon=None)) == []
    for wrong in ({"looks": [40]}, {"horizon": 0}, {"level": 1.5}):
        ((n, said),) = faults(SAMPLED, replace(plan, **wrong))
        assert (n, said[:4]) == (2, "look" if "level" in wrong else "a pl")
    assert (
        "none that this version knows"
        in faults(SAMPLED, replace(plan, rule="ever"))[0][1]
    )
    ((n, said),) = faults(SAMPLED, plan, replace(LOOK, look=2))
    assert (n, said) == (
        3,
        "its decision is not what its plan, its bar and its interval come to",
    )


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"drawn": [{"traces": [["t1", 1]], "stratum": "c"}]}, "one of the strata"),
        ({"drawn": ["t1"]}, "one of the strata"),
        ({"drawn": [{"traces": "t1", "stratum": "a"}]}, "one of the strata"),
        ({"drawn": [{"traces": [["t1", "1"]], "stratum": "a"}]}, "one of the strata"),
        ({"drawn": [{"traces": [], "stratum": "a"}]}, "one of the strata"),
        ({"drawn": [*UNITS, UNITS[1]]}, "trace t3 is drawn twice"),
        (
            {"drawn": [{"traces": [["t9", 2]], "stratum": "a"}]},
            "there is no trace t9#2",
        ),
        ({"strata": []}, "a stratum has a name"),
        ({"strata": ["a"]}, "a stratum has a name"),
        ({"strata": [{"units": 3, "drawn": 1}]}, "a stratum has a name"),
        ({"strata": [{**STRATA[0], "chance": 1.5}, STRATA[1]]}, "a stratum has a name"),
        (
            {"strata": [{**STRATA[0], "chance": True}, STRATA[1]]},
            "a stratum has a name",
        ),
        ({"strata": [{**STRATA[0], "drawn": 3}, STRATA[1]]}, "a stratum has a name"),
        ({"strata": STRATA[:1]}, "is not the sum"),
        ({"frame_strata": "3a1c"}, "more strata than there are"),
        ({"frame_strata": "?"}, "tells no strata"),
        ({"design": "cunning"}, "there is no design"),
    ],
)
def test_a_draw_that_cannot_have_been_is_told(wrong, told):
    ((n, said),) = faults(replace(SAMPLED, **wrong))
    assert n == 1
    assert told in said


def test_what_was_drawn_before_is_not_drawn_again():
    ((n, said),) = faults(SAMPLED, replace(SAMPLED, drawn=UNITS[1:]))
    assert (n, said) == (2, "trace t3 is drawn twice")


@pytest.mark.parametrize(
    "wrong",
    [
        {"look": 3},
        {"look": 0},
        {"units": 41},
        {"low": 0.95},
        {"low": None, "high": None, "value": None},
    ],
)
def test_a_look_is_one_of_its_plan_and_decided_by_its_interval(wrong):
    ((n, said),) = faults(SAMPLED, PLAN, replace(LOOK, **wrong))
    assert n == 3
    assert said == "its decision is not what its plan, its bar and its interval come to"


def test_a_look_without_a_number_decides_nothing():
    nothing = {"low": None, "high": None, "value": None, "decision": "undecided"}
    assert faults(SAMPLED, PLAN, replace(LOOK, **nothing)) == []


def test_a_look_may_decide_nothing_by_an_interval_that_clears_the_bar():
    assert faults(SAMPLED, PLAN, replace(LOOK, decision="undecided")) == []


@pytest.mark.parametrize(
    "plan",
    [
        replace(PLAN, bar="f1"),
        replace(PLAN, looks=[]),
        replace(PLAN, looks=[80, 40]),
        replace(PLAN, level=1.0),
    ],
)
def test_a_look_by_a_plan_that_cannot_be_is_by_none(plan):
    told = faults(SAMPLED, plan, LOOK)
    assert [n for n, _ in told] == [2, 3]
    assert told[1][1] == "it looked by a plan n = 2, and there is none before it"
