"""Every look that was taken, in the order of time, as it was saved."""

import json

from appellate.core.design_facts import (
    DesignFact,
    Looked,
    LookedUnplanned,
    LooksPlanned,
    Withdrawn,
)
from appellate.numbers.look_history import history_rows, history_table, look_history

AT = "2026-11-22T10:00:00Z"
PLAN = DesignFact(2, AT, "ada", LooksPlanned("Safety", "recall>=0.95", [40, 60], 0.05))
FIRST = DesignFact(3, AT, "ada", Looked(2, 1, 40, 0.96, 0.9, 0.99, "undecided"))
UNPLANNED = DesignFact(
    5,
    AT,
    "bo",
    LookedUnplanned("", "f1>=0.8", 20, 0.7, 0.5, 0.79, "not reached"),
)


def test_a_look_is_told_by_the_bar_of_its_plan():
    first, second = look_history([PLAN, FIRST, UNPLANNED])
    assert (first.bar, first.units, first.decision) == (
        "Safety:recall>=0.95",
        40,
        "undecided",
    )
    assert (second.bar, second.by, second.is_planned) == ("f1>=0.8", "bo", False)
    assert first.is_planned
    assert not first.is_withdrawn


def test_looks_of_a_withdrawn_sample_stay_and_are_marked():
    looks = look_history(
        [PLAN, FIRST, DesignFact(4, AT, "ada", Withdrawn(60, 0)), UNPLANNED],
    )
    assert [look.is_withdrawn for look in looks] == [True, False]
    rows = history_table(looks).rows
    assert rows[0] == (
        "2026-11-22 10:00 UTC",
        "Safety:recall>=0.95",
        "40",
        "0.960",
        "0.900–0.990",
        "undecided, withdrawn since",
    )
    assert rows[1][-1] == "not reached, not planned"
    assert json.loads(json.dumps(list(history_rows(looks))))[0]["withdrawn"] is True


def test_decisions_of_earlier_versions_are_told_by_todays_words():
    words = {
        "trusted": "reached",
        "not trusted": "not reached",
        "undecided": "undecided",
    }
    for saved, told in words.items():
        look = DesignFact(3, AT, "ada", Looked(2, 1, 40, 0.96, 0.9, 0.99, saved))
        looks = look_history([PLAN, look])
        assert history_table(looks).rows[0][-1] == told
        assert next(iter(history_rows(looks)))["decision"] == told


def test_without_a_look_there_is_nothing():
    assert look_history([PLAN]) == []


def test_an_unknown_decision_is_told_inert():
    look = DesignFact(3, AT, "ada", Looked(2, 1, 40, 0.96, 0.9, 0.99, "fine\x1b[2J"))
    told = history_table(look_history([PLAN, look])).rows[0][-1]
    assert told.startswith("fine")
    assert "\x1b" not in told
