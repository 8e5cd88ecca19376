"""A review session: pace, time left and the summary, and how times are told."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.deciding import Comment, Correct
from appellate.session.acts import brief
from appellate.session.review_session import (
    ReviewSession,
    describe_done,
    describe_remaining,
    pace,
    roughly,
    slots,
    span,
)
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import create
from appellate.store.fact_rows import Done
from appellate.traits.metric.edits import Edit
from cells import NOON, matrix, place, proposal, rubric, trace


class Clock:
    """A clock that stands until it is moved on."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self):
        return self.now

    def pass_(self, **time):
        self.now += timedelta(**time)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def bench(tmp_path, clock):
    where = place(tmp_path)
    opened = create(
        where,
        rubric(matrix()),
        [trace(f"t{number}") for number in range(6)],
        "0.1.0",
    )
    with opened.workspace as workspace:
        bench = Workbench(workspace, where.audit, "ada", clock)
        for number in range(1, 7):
            bench.receive(number, proposal())
        yield bench


def sign_off(bench, clock, *numbers):
    for number in numbers:
        clock.pass_(minutes=2)
        bench.sign_off(number)


def test_without_three_sign_offs_there_is_no_pace(bench, clock):
    session = ReviewSession(bench, clock)
    sign_off(bench, clock, 1, 2)
    assert session.time_per_cell(2) is None
    assert session.time_left(2, 6) is None
    assert session.summary() == [
        "This session, 4 min: 2 cells signed off.",
        "4 cells left.",
    ]


def test_the_summary_tells_what_was_done_since_one_sat_down(bench, clock):
    sign_off(bench, clock, 1)
    session = ReviewSession(
        Workbench(bench.workspace, bench.audit, "ada", clock),
        clock,
    )
    bench.do(2, Correct(Edit.from_row({"action": "move", "bucket": "tp", "to": "fn"})))
    bench.do(2, Comment("odd"))
    sign_off(bench, clock, 2, 3)
    assert session.summary() == [
        "This session, 4 min: 2 cells signed off (2 min each), 1 correction (1 TP → FN), 1 comment.",
        "3 cells left, about 6 min.",
    ]
    assert session.slots() == [3]


def test_the_pace_is_read_anew_only_after_a_sign_off(bench, clock):
    session = ReviewSession(bench, clock)
    sign_off(bench, clock, 1, 2, 3)
    first = session.time_per_cell(3)
    assert first == timedelta(minutes=2)
    assert session.time_left(3, 7) == timedelta(minutes=8)
    clock.pass_(minutes=2)
    bench.sign_off(4)
    assert session.time_per_cell(3) is first
    assert session.time_per_cell(4) is not first


def test_when_all_is_signed_off_nothing_is_left(bench, clock):
    session = ReviewSession(bench, clock)
    sign_off(bench, clock, 1, 2, 3, 4, 5, 6)
    assert session.time_left(6, 6) is None
    assert session.summary()[1] == "Every cell is signed off."


def test_the_summary_tells_of_a_run_of_instant_sign_offs(tmp_path, clock):
    where = place(tmp_path)
    opened = create(
        where,
        rubric(matrix()),
        [trace(f"t{number}") for number in range(12)],
        "0.1.0",
    )
    with opened.workspace as workspace:
        bench = Workbench(workspace, where.audit, "ada", clock)
        session = ReviewSession(bench, clock)
        for number in range(1, 13):
            bench.receive(number, proposal())
            bench.sign_off(number, 0.4)
        assert session.warning().startswith("12 cells in a row signed off sooner")
        assert session.warning() == ""
        assert session.summary()[1] == (
            "12 of 12 sign-offs came sooner than the response can be read,"
            " 12 of them one after the other."
        )
        assert (session.pace_tally().accepted, session.pace_tally().median_seconds) == (
            12,
            0.4,
        )


# -- pace --------------------------------------------------------------------------------


def at(*seconds: float) -> list[datetime]:
    return [NOON + timedelta(seconds=second) for second in seconds]


def test_the_pace_is_the_median_step_of_at_least_three_sign_offs():
    assert pace(at(0, 10)) is None
    assert pace(at(0, 10, 40)) == timedelta(seconds=20)
    assert pace(at(0, 10, 20, 120)) == timedelta(seconds=10)


def test_a_break_is_not_work():
    assert pace(at(0, 10, 20, 4000, 4030)) == timedelta(seconds=10)
    assert pace(at(0, 1000, 2000)) is None


@given(st.lists(st.floats(0, 10_000), min_size=3).flatmap(st.permutations))
def test_the_order_of_the_times_does_not_matter(seconds):
    assert pace(at(*seconds)) == pace(at(*sorted(seconds)))


# -- times -------------------------------------------------------------------------------


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


def test_what_was_done_is_told_in_a_sentence():
    done = Done(
        {"signed_off": 12, "corrected": 8, "commented": 2, "adopted": 1},
        {"TP → FN": 3, "FP → TN": 4, "drop FP": 1},
    )
    assert describe_done(done, after(minutes=25), after(seconds=125)) == (
        "This session, 25 min: 12 cells signed off (2 min 5 s each), "
        "8 corrections (4 FP → TN, 3 TP → FN, 1 drop FP), 1 proposal adopted, 2 comments."
    )


def test_what_was_not_done_is_not_told():
    nothing = "This session, 40 s: nothing was changed."
    assert describe_done(Done({}, {}), after(seconds=40), None) == nothing
    some = Done(
        {"signed_off": 1, "corrected": 1, "flagged": 2},
        {"verdict": 1},
        undone=1,
    )
    assert describe_done(some, after(minutes=1), None) == (
        "This session, 1 min: 1 cell signed off, 1 correction (1 verdict), 2 flagged, 1 undone."
    )


def test_what_is_left_is_told_with_the_time_that_it_takes():
    assert describe_remaining(0, None) == "Every cell is signed off."
    assert describe_remaining(1, None) == "1 cell left."
    assert describe_remaining(2, after(minutes=4)) == "2 cells left, about 4 min."
    assert (
        describe_remaining(1590, after(minutes=331))
        == "1,590 cells left, about 5 h 30 min."
    )


@pytest.mark.parametrize(
    ("begun", "ended"),
    [
        ("dropped “BCL2” (FN has “Names (one) word", " …”)"),
        ("ruled a (“One sentence.”) partly supported (was", " …)"),
        ("moved “BCL2” as “Names", " …”"),
        ("moved “:(” about", " …"),
    ],
)
def test_what_an_act_did_is_cut_with_what_was_opened_closed(begun, ended):
    assert brief(f"{begun} {'x' * 200}”)") == begun + ended
    assert brief("commented: “well :(") == "commented: “well :("


def test_what_became_of_long_words_is_told_behind_a_part_of_them():
    words = " ".join(["word"] * 40)
    assert brief(f"ruled a (“{words}”) not supported (was fully supported by 0a)") == (
        "ruled a (“word word word word word word word …”) not supported (was fully supported by 0a)"
    )
    assert brief(f"moved TP → FN: “{words}” as “Names the gene”").endswith(
        "…” as “Names the gene”",
    )
    assert brief(f"moved TP → FN: “{'x' * 200}” as “Names the gene”") == (
        "moved TP → FN: “…” as “Names the gene”"
    )
