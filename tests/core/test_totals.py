"""What cells add up to, kept by differences."""

from collections import Counter

import pytest
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.deciding import Flag, Receive, SignOff, Undo
from appellate.core.facts import Proposed
from appellate.core.kind import Figures, Measure
from appellate.core.scale import NO_BOUND
from appellate.core.totals import (
    SIDES,
    UNIT,
    AnswerStats,
    answer_stats,
    by_side,
    changes,
    contribution,
    counts,
    macro,
    micro,
    numbers,
    pooled,
    summary,
    total,
)
from appellate.traits.metric import KIND
from cells import Story, judged, matrix, story_of


def difference(before: Cell, after: Cell) -> dict[str, int]:
    """What `changes` come to."""
    sums = Counter[str]()
    for old, new in changes(before, after):
        sums.subtract(old)
        sums.update(new)
    return {key: by for key, by in sums.items() if by}


def test_a_cell_adds_its_state_its_flag_its_counts_and_its_metrics():
    one = judged()
    one.does(Flag(True))
    sums = contribution(one.cell)
    assert (sums["cells"], sums["flagged"], sums["state:proposed"]) == (1, 1, 1)
    assert [sums[f"standing:{name}"] for name in ("tp", "fn", "fp", "tn")] == [
        3,
        1,
        1,
        1,
    ]
    assert macro(sums, "judge_all", "f1") == 0.75


def test_what_is_0_over_0_is_counted_and_left_out_of_means():
    empty = story_of(Receive(Proposed({}, {"name": "gpt"})))
    sums = pooled([judged().cell, empty.cell, Story().cell])
    assert sums["standing:f1:n"] == 1
    assert sums["standing:f1:undefined"] == 1
    assert macro(sums, "standing", "f1") == 0.75
    of = next(one for one in KIND.measures(matrix()) if one.name == "f1")
    told = {
        "micro": 0.75,
        "macro": 0.75,
        "n": 1,
        "undefined": 1,
        "unscored": 0,
        "cannot_tell": 0,
    }
    assert summary(sums, "standing", of) == told


def test_what_nobody_scored_is_counted_apart_from_what_is_0_over_0():
    none = frozenset({"value"})
    sums = pooled([])
    for figures in (
        Figures({"value": 0.0}, none, {}, unscored=none),
        Figures({"value": 0.0}, none, {}),
        Figures({"value": 0.5}, frozenset(), {}),
    ):
        sums.update(numbers("standing", figures))
    told = {
        "micro": 0.5,
        "macro": 0.5,
        "n": 1,
        "undefined": 1,
        "unscored": 1,
        "cannot_tell": 0,
    }
    assert summary(sums, "standing", Measure("value", "v")) == told
    assert macro(contribution(Story().cell), "standing", "f1") is None


def test_a_cell_that_nobody_signed_off_is_in_no_number_of_signed_cells():
    one = judged()
    one.corrects(action="move", bucket="tp", index=0, to="fn")
    sums = contribution(one.cell)
    assert by_side(one.cell).keys() == {"standing", "judge_all"}
    assert [counts(sums, side) for side in ("signed", "judge")] == [{}, {}]
    assert (counts(sums, "standing")["tp"], counts(sums, "judge_all")["tp"]) == (2, 3)


def test_beside_signed_cells_stands_the_judge_on_the_same_cells():
    signed, other = judged(), judged()
    signed.corrects(action="move", bucket="tp", index=0, to="fn")
    signed.does(SignOff("x"))
    sums = pooled([signed.cell, other.cell])
    told = {side: counts(sums, side)["tp"] for side in SIDES}
    assert told == {"signed": 2, "judge": 3, "judge_all": 6, "standing": 5}
    assert [sums[f"{side}:f1:n"] for side in SIDES] == [1, 1, 2, 2]


def test_a_signed_cell_that_was_filled_by_hand_has_no_judge_beside_it():
    hand = Story()
    hand.corrects(action="add", bucket="fn", of="tp", instruction=1)
    hand.does(SignOff("x"))
    assert by_side(hand.cell).keys() == {"signed", "standing"}


def test_an_edit_after_the_sign_off_takes_a_cell_out_and_its_undo_brings_it_back():
    one = judged()
    one.does(SignOff("x"))
    signed = contribution(one.cell)
    edit = one.corrects(action="move", bucket="tp", index=0, to="fn")
    assert counts(contribution(one.cell), "signed") == {}
    one.does(Undo(edit.n))
    assert contribution(one.cell) == signed


def test_a_difference_holds_only_what_changed():
    one = judged()
    before = one.cell
    one.does(Flag(True))
    assert difference(before, one.cell) == {"flagged": 1}


@pytest.mark.parametrize("times", [1, 1000])
def test_sums_kept_by_differences_equal_a_recount(times):
    one = judged()
    before, kept = one.cell, contribution(one.cell)
    for n in range(times):
        one.cell = one.cell if n else Story().cell
        now = judged().cell if n % 2 else one.cell
        kept.update(difference(before, now))
        before = now
    assert +kept == +contribution(before)


def test_sums_are_exact_however_large_the_values_of_a_measure_are():
    figures = [
        Figures({"a: b": value}, frozenset(), {}) for value in (97.25, -3.0, 1e6, 0.1)
    ]
    cells = [replace(judged().cell) for _ in figures]
    for cell, one in zip(cells, figures, strict=True):
        vars(cell)["figures"] = one
    sums = pooled(cells)
    assert total(sums, "standing:a: b:sum") == pytest.approx(1_000_094.35, abs=1e-9)
    assert total(sums, "standing:a: b:squares") == pytest.approx(
        97.25**2 + 9 + 1e12 + 0.01,
        rel=1e-15,
    )
    assert macro(sums, "standing", "a: b") == pytest.approx(1_000_094.35 / 4)
    assert all(abs(units) < 2**50 for units in sums.values())


def test_the_largest_value_there_is_can_be_summed_over_many_cells_in_64_bits():
    figures = Figures({"score": -NO_BOUND}, frozenset(), {})
    one = numbers("standing", figures)
    sums = Counter({key: 100_000 * units for key, units in one.items()})
    assert all(abs(units) < 2**63 for units in sums.values())
    assert total(sums, "standing:score:sum") == -100_000 * NO_BOUND
    assert total(sums, "standing:score:squares") == 100_000 * NO_BOUND**2


def test_an_instruction_that_no_cell_answers_any_more_has_no_statistics():
    told = {("tp", "a", "found"): 2, ("tp", "a", None): 1, ("tp", "b", "found"): 0}
    (stats,) = answer_stats(told)
    assert stats == AnswerStats("tp", "a", {"found": 2}, 1, 2)
    assert (stats.times("found"), stats.times("missing")) == (2, 0)


def test_a_measure_that_is_not_made_of_counts_is_pooled_as_its_mean():
    sums = {"signed:score:n": 2, "signed:score:sum": 7 * UNIT}
    assert micro(sums, "signed", Measure("score", "score", low=1, high=5)) == 3.5
