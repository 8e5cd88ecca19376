"""How far a long step has come: nothing in its first second, then how much, how fast and how long yet."""

import pytest

from appellate.core.step_progress import Progress, ignore_progress


def progress(*heard, total=None):
    """What is said of a step of which one hears (second, done, part)."""
    said = []
    seconds = iter([0.0, *(second for second, *_ in heard)])
    told = Progress("Reading", said.append, lambda: next(seconds), total)
    for _, *what in heard:
        told.received(*what)
    return said


@pytest.mark.parametrize(
    ("heard", "total", "said"),
    [
        ([(0.5, 10), (0.9, 20)], None, []),  # nothing in the first second
        ([(2.0, 5000)], 20_000, ["Reading: 5,000 of 20,000 · 2,500/s · 0:06 to go"]),
        ([(100.0, 10, 0.01)], None, ["Reading: 10 · 0/s · 2:45:00 to go"]),
        ([(4.0, 10)], None, ["Reading: 10 · 2/s"]),
    ],
)
def test_a_longer_step_is_told_with_its_rate_and_the_time_left_where_that_is_known(
    heard,
    total,
    said,
):
    assert progress(*heard, total=total) == said


def test_it_is_told_a_few_times_a_second():
    assert len(progress((1.0, 1), (1.1, 2), (1.25, 3), (1.3, 4))) == 2


def test_nobody_need_listen():
    ignore_progress(1)
