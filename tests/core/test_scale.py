"""Scales: a value's place between the bounds of its measure, whatever they are and whichever end is
good.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.kind import Measure
from appellate.core.scale import (
    SHARE_OF_CLASS,
    bounds,
    full_name,
    goodness,
    of_one_cell,
    part_name,
    part_of,
    parts,
    share,
)
from appellate.core.totals import measures_over
from appellate.traits.metric import KIND
from cells import matrix
from kind_examples import varied

F1 = Measure("f1", "F1")
SCORE = Measure("score", "S", 1, 5)
RISK = Measure("risk", "R", 0, 1, higher_is_better=False)

scales = st.tuples(st.integers(-20, 20), st.integers(1, 40)).map(
    lambda pair: Measure("m", "M", pair[0], pair[0] + pair[1]),
)


def test_the_usual_scale_goes_without_saying():
    assert (bounds(F1), full_name(F1)) == ("", "f1")
    assert full_name(SCORE) == "score (1–5)"
    assert full_name(RISK) == "risk (lower is better)"
    assert (
        full_name(replace(SCORE, higher_is_better=False))
        == "score (1–5, lower is better)"
    )


def test_large_bounds_are_told_with_all_of_their_digits():
    rows = Measure("rows", "R", 1, 1_234_567)
    assert full_name(rows) == "rows (1–1234567)"
    assert part_name(rows, 9, 10) == "1111110.4"
    assert bounds(replace(rows, low=0.25, high=10**9)) == "0.25–1000000000"


def test_a_measure_with_steps_has_a_part_for_each_by_its_name():
    score = replace(SCORE, steps=("1", "2", "3", "4", "5"))
    assert parts(score, 10) == 5
    assert [part_of(score, value, 5) for value in (1, 2, 3, 4, 5)] == [0, 1, 2, 3, 4]
    verdict = replace(RISK, steps=("no", "yes"))
    assert [part_name(verdict, part_of(verdict, value, 2), 2) for value in (0, 1)] == [
        "no",
        "yes",
    ]


def test_other_measures_are_counted_in_equal_parts():
    assert parts(F1, 10) == parts(SCORE, 10) == 10
    assert (part_name(F1, 3, 10), part_name(SCORE, 5, 10)) == ("0.3", "3")


def test_a_value_at_the_border_of_two_parts_is_in_the_upper_one():
    to_ten = Measure("score", "S", 1, 10)
    assert [part_of(to_ten, value, 10) for value in (1, 1.9, 2.8, 4.6, 8.2, 10)] == [
        *(0, 1, 2, 4, 8),
        9,
    ]


@given(scales, st.data())
def test_every_value_is_in_one_part_and_further_up_is_never_in_an_earlier_one(
    measure,
    data,
):
    values = st.floats(measure.low, measure.high)
    low, high = sorted((data.draw(values), data.draw(values)))
    count = parts(measure, 10)
    assert 0 <= part_of(measure, low, count) <= part_of(measure, high, count) < count
    assert 0 <= share(measure, low) <= share(measure, high) <= 1


@given(scales, st.data())
def test_where_lower_is_better_the_order_is_turned_around(measure, data):
    value = data.draw(st.floats(measure.low, measure.high))
    turned = replace(measure, higher_is_better=False)
    assert goodness(measure, value) + goodness(turned, value) == pytest.approx(1)
    assert goodness(replace(measure, higher_is_better=None), value) == goodness(
        measure,
        value,
    )


def test_traits_of_one_name_share_the_widest_bounds_and_no_direction_they_disagree_on():
    def scored(trait):
        return [Measure("score", "S", 1, trait, higher_is_better=trait == 5)]

    (both,) = measures_over(varied(KIND, measures=staticmethod(scored)), [5, 10])
    assert (both.low, both.high, both.higher_is_better) == (1, 10, None)
    assert [
        one.name
        for one in measures_over(KIND, [matrix(metrics=["f1", "recall"]), matrix()])
    ][:2] == ["f1", "recall"]


def test_a_measure_of_one_value_alone_has_no_share():
    assert share(Measure("m", "m", low=1, high=1), 1) == 0


def test_a_cell_has_its_class_in_place_of_the_shares_of_all_classes():
    shares = [Measure(name, name, word=SHARE_OF_CLASS) for name in ("safe", "unsafe")]
    shown = of_one_cell([F1, *shares, RISK])
    assert shown == [F1, replace(shares[0], word="class"), RISK]


def test_a_value_on_a_scale_of_one_point_is_in_its_first_part():
    assert part_of(Measure("m", "M", 3, 3), 3, 10) == 0
