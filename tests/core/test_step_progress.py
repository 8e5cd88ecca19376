"""How far a long step has come: nothing in its first second, then how much, how fast and how long yet."""

from appellate.core.step_progress import Progress, ignore_progress


def progress(*heard, total=None):
    """What is said of a step of which one hears (second, done, part)."""
    said = []
    seconds = iter([0.0, *(second for second, *_ in heard)])
    told = Progress("Reading", said.append, lambda: next(seconds), total)
    for _, *what in heard:
        told.received(*what)
    return said


def test_a_step_of_under_a_second_is_not_told():
    assert progress((0.5, 10), (0.9, 20)) == []


def test_a_longer_one_is_told_with_its_rate_and_the_time_left():
    assert progress((2.0, 5000), total=20_000) == [
        "Reading: 5,000 of 20,000 · 2,500/s · 0:06 to go"
    ]


def test_where_only_a_part_of_the_whole_is_known_the_time_left_follows_from_it():
    assert progress((100.0, 10, 0.01)) == ["Reading: 10 · 0/s · 2:45:00 to go"]


def test_where_the_whole_is_not_known_there_is_no_time_left():
    assert progress((4.0, 10)) == ["Reading: 10 · 2/s"]


def test_it_is_told_a_few_times_a_second():
    assert len(progress((1.0, 1), (1.1, 2), (1.25, 3), (1.3, 4))) == 2


def test_nobody_need_listen():
    ignore_progress(1)
