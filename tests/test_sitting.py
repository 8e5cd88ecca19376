"""One sitting: pace, time left and the summary, read from what was kept."""

from datetime import timedelta

import pytest

from appellate.core.commands import Comment, Correct
from appellate.sitting import Sitting
from appellate.store.session import create
from appellate.workbench import Workbench
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
    opened = create(where, rubric(matrix()), [trace(f"t{number}") for number in range(6)], "0.1.0")
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
    sitting = Sitting(bench, clock)
    sign_off(bench, clock, 1, 2)
    assert sitting.pace(2) is None
    assert sitting.time_left(2, 6) is None
    assert sitting.summary() == ["This session, 4 min: 2 cells signed off.", "4 cells left."]


def test_the_summary_tells_what_was_done_since_one_sat_down(bench, clock):
    sign_off(bench, clock, 1)
    sitting = Sitting(Workbench(bench.workspace, bench.audit, "ada", clock), clock)
    bench.do(2, Correct({"action": "move", "bucket": "tp", "to": "fn"}))
    bench.do(2, Comment("odd"))
    sign_off(bench, clock, 2, 3)
    assert sitting.summary() == [
        "This session, 4 min: 2 cells signed off (2 min each), 1 correction (1 TP → FN), 1 comment.",
        "3 cells left, about 6 min.",
    ]
    assert sitting.slots() == [3]


def test_the_pace_is_read_anew_only_after_a_sign_off(bench, clock):
    sitting = Sitting(bench, clock)
    sign_off(bench, clock, 1, 2, 3)
    first = sitting.pace(3)
    assert first is not None
    assert first.seconds == 120
    clock.pass_(minutes=2)
    bench.sign_off(4)
    assert sitting.pace(3) is first
    assert sitting.pace(4) is not first


def test_when_all_is_signed_off_nothing_is_left(bench, clock):
    sitting = Sitting(bench, clock)
    sign_off(bench, clock, 1, 2, 3, 4, 5, 6)
    assert sitting.time_left(6, 6) is None
    assert sitting.summary()[1] == "Every cell is signed off."
