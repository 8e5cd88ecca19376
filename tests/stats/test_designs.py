"""How units are drawn at random."""

from collections import Counter
from itertools import pairwise
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.stats.designs import (
    CannotDraw,
    FrameUnit,
    allocate,
    disagreement_weights,
    draw,
    drawn_by_chance,
    fingerprint,
    permanent_number,
    read,
    shares,
    strata_of,
    terciles,
    written,
)

SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=6)


def frame(*sizes: int) -> list[FrameUnit]:
    return [
        FrameUnit(f"t{k}-{no}", k) for k, size in enumerate(sizes) for no in range(size)
    ]


def test_the_number_of_a_unit_is_the_same_on_every_machine() -> None:
    assert permanent_number(1, "bcl2-1") == 0.1277667391271704
    assert permanent_number(2, "bcl2-1") != permanent_number(1, "bcl2-1")


def test_a_larger_sample_begins_with_the_smaller_one() -> None:
    units = frame(500)
    small, large = draw(units, 7, [60], [0]), draw(units, 7, [100], [0])
    assert large[:60] == small
    assert draw(units, 7, [100], [60]) == large[60:]


def test_the_order_of_the_traces_does_not_matter_to_a_draw() -> None:
    units = frame(30, 20)
    assert draw(units[::-1], 3, [5, 4], [0, 0]) == draw(units, 3, [5, 4], [0, 0])


def test_every_unit_is_drawn_about_as_often_as_any_other_over_the_seeds() -> None:
    units, times = frame(20), 2000
    drawn = Counter(
        unit.name for seed in range(times) for unit in draw(units, seed, [5], [0])
    )
    off = [abs(count - times / 4) / sqrt(times * 3 / 16) for count in drawn.values()]
    assert len(off) == 20
    assert max(off) < 4


@given(SIZES, st.integers(0, 99), st.data())
def test_every_beginning_of_a_draw_is_about_in_proportion(
    sizes: list[int],
    seed: int,
    data: st.DataObject,
) -> None:
    wanted = [data.draw(st.integers(0, size)) for size in sizes]
    order = draw(frame(*sizes), seed, wanted, [0] * len(sizes))
    assert Counter(unit.stratum for unit in order) == Counter(
        {k: n for k, n in enumerate(wanted) if n},
    )
    for length in range(len(order)):
        begun = Counter(unit.stratum for unit in order[:length])
        for k, n in enumerate(wanted):
            assert abs(begun[k] - n * length / len(order)) <= max(1, len(sizes) / 2)


@given(SIZES, st.data())
def test_no_stratum_has_fewer_for_a_larger_sample(
    sizes: list[int],
    data: st.DataObject,
) -> None:
    least = sum(min(2, size) for size in sizes)
    n = data.draw(st.integers(least, sum(sizes)))
    drawn = allocate(n, sizes)
    assert sum(drawn) == n
    assert all(
        min(2, size) <= one <= size for one, size in zip(drawn, sizes, strict=True)
    )
    if n < sum(sizes):
        more = allocate(n + 1, sizes)
        assert all(one <= other for one, other in zip(drawn, more, strict=True))
        assert allocate(n + 1, sizes, drawn_before=drawn) == more


def test_a_sample_in_proportion_has_each_stratum_by_its_size() -> None:
    assert allocate(60, [500, 300, 200]) == [30, 18, 12]


def test_where_judges_disagree_most_most_is_drawn_and_nowhere_fewer_than_eight() -> (
    None
):
    assert allocate(60, [600, 200, 200], [0.0, 20.0, 60.0], floor=8) == [8, 13, 39]
    assert allocate(24, [600, 200, 200], [0.0, 20.0, 60.0], floor=8) == [8, 8, 8]


def test_half_of_a_sample_by_disagreement_goes_by_size_for_judges_may_err_alike() -> (
    None
):
    strata = [0] * 800 + [1] * 150 + [2] * 50
    spreads = [0.0] * 800 + [1.0] * 150 + [3.0] * 50
    weights = disagreement_weights(strata, spreads)
    assert weights == pytest.approx([0.4, 0.325, 0.275])
    assert allocate(90, [800, 150, 50], weights, floor=8) == [36, 29, 25]
    assert disagreement_weights([0, 0, 0, 1], [0.0] * 4) == pytest.approx(
        [0.375, 0.125],
    )


def test_what_cannot_be_drawn_is_refused_with_the_numbers() -> None:
    with pytest.raises(
        CannotDraw,
        match=r"23 are too few: at least 8 of each of 3 strata.*makes 24",
    ):
        allocate(23, [600, 200, 200], floor=8)
    with pytest.raises(CannotDraw, match="11 are more than the 10 that could be drawn"):
        allocate(11, [6, 4])
    with pytest.raises(CannotDraw, match="11 are more than the 10"):
        drawn_by_chance(frame(10), 1, [0.1], 11)


def test_groups_too_small_for_a_sample_are_one_stratum() -> None:
    groups = ["a"] * 50 + ["b"] * 40 + [f"c{no}" for no in range(10)]
    names, of = strata_of(groups, 20)
    assert names == ["a", "b", "others"]
    assert Counter(of) == {0: 50, 1: 40, 2: 10}


def test_groups_that_part_nothing_are_refused() -> None:
    with pytest.raises(
        CannotDraw,
        match="200 groups are too many to draw at least 2 of each in 60",
    ):
        strata_of([f"q{no}" for no in range(200)], 60)
    with pytest.raises(CannotDraw, match=r"one group \(gpt-4o\)"):
        strata_of(["gpt-4o"] * 200, 60)
    with pytest.raises(CannotDraw, match="2 are more than the 0 that could be drawn"):
        strata_of([], 2)


def test_there_are_never_more_strata_than_letters() -> None:
    names, of = strata_of([f"q{no % 70}" for no in range(700)], 600)
    assert len(names) == 52
    assert names[-1] == "others"
    assert read(written(of)) == of


def test_thirds_hold_equal_values_together() -> None:
    assert terciles([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) == [0, 0, 1, 1, 2, 2]
    assert terciles([0, 0, 0, 0, 0, 0, 0.5, 0.7]) == [0, 0, 0, 0, 0, 0, 2, 2]
    assert terciles([]) == []


def levels(*steps: int) -> list[str]:
    """The names of strata by these steps of disagreement."""
    return [f"disagreement {step}/10" for step in steps]


def test_half_of_every_chance_is_the_same_for_all() -> None:
    share = shares(levels(0, 5, 10), [80, 10, 10])
    assert sum(part * size for part, size in zip(share, [80, 10, 10], strict=True)) == (
        pytest.approx(1)
    )
    assert min(share) == 0.5 / 100
    assert share[2] - share[0] == pytest.approx(2 * (share[1] - share[0]))
    assert shares(levels(0), [10]) == [0.1]
    for wrong in ("all", "disagreement 5", "disagreement -1/10"):
        with pytest.raises(ValueError, match="is not a step of disagreement"):
            shares([wrong], [10])


def test_drawn_by_unequal_chances_a_larger_sample_begins_with_the_smaller_one() -> None:
    units = frame(80, 10, 10)
    share = shares(levels(0, 5, 10), [80, 10, 10])
    small = drawn_by_chance(units, 1, share, 20)
    large = drawn_by_chance(units, 1, share, 40)
    assert large.units[:20] == small.units
    assert drawn_by_chance(units, 1, share, 40, drawn_before=20) == (
        large.units[20:],
        large.chances,
    )
    assert all(one < other for one, other in pairwise(small.chances))
    assert drawn_by_chance(units, 1, share, 100).chances == [1, 1, 1]


def test_totals_weighted_by_the_chances_are_right_on_average() -> None:
    sizes = (60, 30, 10)
    share = shares(levels(0, 3, 10), sizes)
    units, times = frame(*sizes), 1500
    sums = [0.0, 0.0, 0.0]
    for seed in range(times):
        drawn = drawn_by_chance(units, seed, share, 15)
        for unit in drawn.units:
            sums[unit.stratum] += 1 / drawn.chances[unit.stratum] / times
    assert sums == pytest.approx(sizes, rel=0.05)


@given(st.lists(st.none() | st.integers(0, 51)))
def test_the_strata_of_a_frame_are_read_as_they_were_written(
    strata: list[int | None],
) -> None:
    assert read(written(strata)) == strata


def test_the_strata_of_a_frame_are_short_where_they_repeat() -> None:
    assert written([0] * 412 + [None] + [1, 0, 0]) == "412a-b2a"
    for wrong in ("a!", "3", "a b"):
        with pytest.raises(ValueError, match="not strata of traces"):
            read(wrong)


def test_a_frame_has_a_fingerprint_of_names_and_strata() -> None:
    units = frame(3, 2)
    assert fingerprint(units) == fingerprint(units[::-1])
    assert fingerprint(units) != fingerprint(units[1:])
    assert fingerprint(units) != fingerprint(frame(2, 3))
