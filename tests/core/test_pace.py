"""Pace: the median step between sign-offs, without the breaks."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from appellate.core.pace import Pace, left, pace

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def at(*seconds: float) -> list[datetime]:
    return [NOON + timedelta(seconds=second) for second in seconds]


def test_the_pace_is_the_median_step_of_at_least_three_sign_offs():
    assert pace(at(0, 10)) is None
    assert pace(at(0, 10, 40)) == Pace(20, 2)
    assert pace(at(0, 10, 20, 120)) == Pace(10, 3)


def test_a_break_is_not_work():
    assert pace(at(0, 10, 20, 4000, 4030)) == Pace(10, 3)
    assert pace(at(0, 1000, 2000)) is None
    assert pace(at(0, 1000, 2000), idle=timedelta(hours=1)) == Pace(1000, 2)


def test_what_is_left_takes_its_share_of_time():
    assert left(Pace(30, 9), 4) == timedelta(minutes=2)


@given(st.lists(st.floats(0, 10_000), min_size=3).flatmap(st.permutations))
def test_the_order_of_the_times_does_not_matter(seconds):
    assert pace(at(*seconds)) == pace(at(*sorted(seconds)))
