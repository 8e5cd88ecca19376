"""Times of other tools, as one kind of text."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.interop.said_times import are_in_order, moment_of, order_of, said_time

MOMENT = "2026-08-01T10:05:00Z"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2026-08-01T10:05:00Z", MOMENT),
        ("2026-08-01T12:05:00+02:00", MOMENT),
        (1785578700, MOMENT),
        ("1785578700.0", MOMENT),
        (1785578700000, MOMENT),
        ("1785578700000000000", MOMENT),
        ("2026-08-01 10:05:00 UTC", MOMENT),
        ("1785578700.5", "2026-08-01T10:05:00.500000Z"),
        (1785578700500, "2026-08-01T10:05:00.500000Z"),
        ("inf", "inf"),
        ("2026-08-01 10:05:00.250", "2026-08-01T10:05:00.250000"),
        ("2026-08-01", "2026-08-01"),
        ("1 August, noon", "1 August, noon"),
        ("7", "7"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00+05:00", "0001-01-01T00:00:00+05:00"),
        ("9999-12-31T23:00:00-05:00", "9999-12-31T23:00:00-05:00"),
    ],
)
def test_a_time_with_a_zone_becomes_utc_and_no_other_gets_one(value, text):
    assert said_time(value) == text


@pytest.mark.parametrize("value", [None, "", "NaN", float("nan"), True])
def test_what_says_nothing_is_no_time(value):
    assert said_time(value) == ""
    assert said_time(value, MOMENT) == MOMENT


@given(st.datetimes(datetime(2002, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - the strategy adds the zone
def test_a_count_since_1970_is_the_same_moment_in_every_unit(moment):
    microseconds = round(moment.timestamp()) * 1_000_000
    texts = {
        said_time(microseconds // 1000),
        said_time(microseconds),
        said_time(microseconds * 1000),
    }
    assert len(texts) == 1


def test_times_without_a_zone_are_in_any_order():
    assert are_in_order(["2026-08-02T10:05:00", "2026-08-01T10:05:00"])
    assert are_in_order([MOMENT, ""])
    assert not are_in_order(["2026-08-02T10:05:00Z", MOMENT])


def test_a_later_fraction_of_a_second_is_later():
    later = "2026-08-01T10:05:00.250000Z"
    assert are_in_order([MOMENT, later])
    assert not are_in_order([later, MOMENT])
    assert sorted([later, "noon", MOMENT], key=order_of) == ["noon", MOMENT, later]


@pytest.mark.parametrize(
    "value",
    [
        1785578700.5,
        "1785578700.5",
        "1785578700500",
        1785578700500,
        "1785578700500000000",
        "2026-08-01T10:05:00.5Z",
        "2026-08-01 12:05:00.500+02:00",
        "2026-08-01T10:05:00.5",
        "2026-08-01 10:05:00.5 UTC",
    ],
)
def test_one_moment_is_the_same_number_however_it_is_written(value):
    assert moment_of(value) == 1785578700_500_000_000


@pytest.mark.parametrize(
    "value",
    [None, "", "noon", "7", True, float("nan"), [], "inf"],
)
def test_what_cannot_be_read_is_no_moment(value):
    assert moment_of(value) is None
