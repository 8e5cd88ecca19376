"""What cells add up to, kept by differences."""

import pytest

from appellate.core.commands import Flag, Receive, SignOff
from appellate.core.facts import Proposed
from appellate.core.totals import contribution, difference, macro, pooled, summary
from cells import Story, proposal


def story() -> Story:
    told = Story()
    told.does(Receive(proposal()))
    return told


def test_a_cell_adds_its_state_its_flag_its_counts_and_its_metrics():
    one = story()
    one.does(Flag(True))
    sums = contribution(one.cell)
    assert (sums["cells"], sums["flagged"], sums["state:proposed"]) == (1, 1, 1)
    assert [sums[f"audited:{name}"] for name in ("tp", "fn", "fp", "tn")] == [3, 1, 1, 1]
    assert macro(sums, "judge", "f1") == 0.75


def test_what_is_0_over_0_is_counted_and_left_out_of_means():
    empty = Story()
    empty.does(Receive(Proposed({}, {"name": "gpt"})))
    sums = pooled([story().cell, empty.cell, Story().cell])
    assert sums["audited:f1:n"] == 1
    assert sums["audited:f1:undefined"] == 1
    assert macro(sums, "audited", "f1") == 0.75
    assert summary(sums, "audited", "f1", 0.75) == {"micro": 0.75, "macro": 0.75, "n": 1, "undefined": 1}
    assert macro(contribution(Story().cell), "audited", "f1") is None


def test_a_difference_holds_only_what_changed():
    one = story()
    before = contribution(one.cell)
    one.does(SignOff("x"))
    assert difference(before, contribution(one.cell)) == {"state:proposed": -1, "state:reviewed": 1}


@pytest.mark.parametrize("times", [1, 1000])
def test_sums_kept_by_differences_equal_a_recount(times):
    one = story()
    before, kept = contribution(one.cell), contribution(one.cell)
    for n in range(times):
        one.cell = one.cell if n else Story().cell
        now = contribution(story().cell if n % 2 else one.cell)
        kept.update(difference(before, now))
        before = now
    assert +kept == +before
