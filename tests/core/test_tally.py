from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.tally import many, roughly, slots, span, still, summary
from cells import NOON

seconds = st.integers(0, 10**6)


def after(**time):
    return timedelta(**time)


@pytest.mark.parametrize(
    ("time", "told"),
    [
        (after(seconds=0), "0 s"),
        (after(seconds=45.4), "45 s"),
        (after(seconds=59.6), "1 min"),
        (after(seconds=125), "2 min 5 s"),
        (after(minutes=120), "2 h"),
        (after(minutes=330), "5 h 30 min"),
        (after(hours=52), "2 d 4 h"),
        (after(seconds=-3), "0 s"),
    ],
)
def test_a_time_is_told_in_two_units_at_most(time, told):
    assert span(time) == told


@pytest.mark.parametrize(
    ("time", "told"),
    [
        (after(seconds=5), "1 min"),
        (after(minutes=31, seconds=40), "32 min"),
        (after(minutes=328), "5 h 30 min"),
        (after(hours=12, minutes=40), "13 h"),
        (after(hours=50), "2 d 2 h"),
    ],
)
def test_an_estimate_is_told_no_finer_than_it_is(time, told):
    assert roughly(time) == told


@given(seconds)
def test_an_estimate_is_never_nothing_and_never_far_off(count):
    time = after(seconds=count)
    assert roughly(time) != "0 s"
    assert span(time)


def test_sign_offs_are_counted_by_ten_minutes_up_to_now():
    times = [NOON - after(minutes=minutes) for minutes in (1, 9, 11, 35, 3000)]
    assert slots(times, NOON, 48) == [1, 0, 1, 2]
    assert slots(times, NOON, 2) == [1, 2]
    assert slots([], NOON, 48) == slots([NOON + after(minutes=1)], NOON, 48) == []


@given(st.lists(seconds, max_size=30), st.integers(0, 50))
def test_no_slot_is_invented_and_no_recent_sign_off_lost(ages, most):
    counted = slots([NOON - after(seconds=age) for age in ages], NOON, most)
    assert len(counted) <= most
    assert sum(counted) == sum(age < most * 600 for age in ages)


def test_a_session_is_told_in_two_sentences():
    tally = {"signed_off": 12, "corrected": 8, "move:tp→fn": 3, "move:fp→tn": 4, "drop:fp": 1, "commented": 2}
    assert summary(tally, after(minutes=25), after(seconds=125), 159, after(minutes=331)) == [
        (
            "This session, 25 min: 12 cells signed off (2 min 5 s each), "
            "8 corrections (4 FP → TN, 3 TP → FN, 1 drop FP), 2 comments."
        ),
        "159 cells left, about 5 h 30 min.",
    ]


def test_what_was_not_done_is_not_told():
    assert summary({}, after(seconds=40), None, 1, None) == ["This session, 40 s: nothing was changed.", "1 cell left."]
    some = {"signed_off": 1, "corrected": 1, "flagged": 2, "undone": 1}
    assert summary(some, after(minutes=1), None, 0, None) == [
        "This session, 1 min: 1 cell signed off, 1 correction, 2 flagged, 1 undone.",
        "Every cell is signed off.",
    ]
    assert still(2, after(minutes=4)) == "2 cells left, about 4 min."
    assert many(1, "cell") == "1 cell"
