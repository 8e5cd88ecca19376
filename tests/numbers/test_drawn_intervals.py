"""Intervals drawn in a line of text, on the scale of their number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.numbers.samples import sample_at, sample_numbers
from appellate.numbers.sentences import TRACK, drawn_intervals, interval_track
from appellate.stats.estimates import Estimate, Interval, Moments
from sampled import sampled


def estimate(value, low, high, judge):
    people = Interval(value, low, high)
    moments = Moments(0.0, 0.0, {}, 59)
    return Estimate(value, low, high, 0.95, 1.0, 0.5, 60, 400, judge, people, moments)


@pytest.mark.parametrize(
    ("found", "drawn"),
    [
        (estimate(0.5, 0.25, 0.75, 0.9), " " * 10 + "[---------o---------]     j    "),
        (estimate(0.0, 0.0, 0.1, None), "o---]"),
        (estimate(1.0, 0.95, 1.0, 1.0), " " * 38 + "[-o"),
        (estimate(1.2, 0.9, 1.2, -0.3), "j" + " " * 35 + "[---o"),
    ],
)
def test_an_interval_is_drawn_from_its_low_to_its_high_end(found, drawn):
    assert interval_track(found, 0, 1) == drawn.ljust(TRACK)


@given(st.lists(st.floats(1, 5), min_size=3, max_size=3), st.floats(-10, 10))
def test_a_drawing_has_the_width_of_its_scale_whatever_is_drawn(ends, judge):
    low, value, high = sorted(ends)
    drawn = interval_track(estimate(value, low, high, judge), 1, 5)
    assert len(drawn) == TRACK
    assert drawn.count("o") == 1


def test_the_numbers_of_a_sample_are_drawn_below_the_ends_of_their_scale(tmp_path):
    with sampled(tmp_path, ruled=40) as at:
        path = at.workspace.path
    table = drawn_intervals(sample_numbers(sample_at(path)))
    assert table.columns[0].title == "0".ljust(TRACK - 1) + "1"
    assert [row.name for row in table.rows] == [
        "Polite · yes",
        "Facts · precision",
        "Facts · f1",
    ]


def test_without_an_estimate_nothing_is_drawn(tmp_path):
    with sampled(tmp_path, ruled=0) as at:
        path = at.workspace.path
    assert drawn_intervals(sample_numbers(sample_at(path))) is None
