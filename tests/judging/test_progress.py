import pytest

from appellate.judges.proposal import JudgeRecord, JudgmentFailure, NoLabels, Proposal
from appellate.judging.progress import Counter, Progress


def answer(**record):
    return Proposal({}, JudgeRecord("x", **record))


def counter(*outcomes, total=10, seconds=1.0):
    counted = Counter(total)
    for outcome in outcomes:
        counted.count(outcome, seconds)
    return counted.progress(under_way=3)


def test_every_outcome_is_done_and_told_apart():
    now = counter(answer(), answer(cached=True), JudgmentFailure("no"), NoLabels(""))
    assert (now.done, now.failed, now.unrecorded, now.cached, now.left) == (
        4,
        1,
        1,
        1,
        6,
    )


def test_cells_for_which_a_judge_of_the_panel_gave_no_labels_are_counted():
    gave, none = {"name": "a", "tp": []}, {"name": "b", "error": "gave no answer"}
    assert (
        counter(
            answer(members=[gave, none]),
            answer(members=[gave, gave]),
            answer(),
        ).absent
        == 1
    )


def test_a_judge_of_the_panel_that_gave_no_labels_throughout_is_told_with_its_cause():
    gave, dead = (
        {"name": "a", "tp": []},
        {"name": "b", "error": "there is no such model"},
    )
    other = {"name": "c", "error": "cut"}
    now = counter(
        answer(members=[gave, dead, other]),
        JudgmentFailure("no", record=JudgeRecord("x", members=[other, dead, gave])),
        answer(),
    )
    assert [one.sentence for one in now.dead] == [
        "b gave no labels for any of 2 cells: there is no such model",
    ]
    assert not counter(answer(members=[gave, gave])).dead


def test_tokens_and_cost_are_summed_over_answers_and_failures():
    record = JudgeRecord("x", tokens_in=10, tokens_out=2, cost=0.5)
    now = counter(Proposal({}, record), JudgmentFailure("no", record=record))
    assert (now.tokens_in, now.tokens_out, now.cost) == (20, 4, 1.0)


def test_what_is_left_is_expected_to_cost_what_was_paid_for_the_others():
    now = counter(answer(cost=0.5), answer(cost=1.5), answer(cached=True, cost=0.0))
    assert now.expected_cost == pytest.approx(2.0 + 7 * 1.0)


def test_without_prices_there_is_no_cost_to_expect():
    assert counter(answer()).cost is None
    assert counter(answer()).expected_cost is None


def computed():
    return Proposal({}, JudgeRecord("regex"))


def test_a_model_may_be_called_as_a_kind_is():
    assert counter(computed()).computed == 1
    assert counter(Proposal({}, JudgeRecord("regex", "regex"))).computed == 0


class Clock:
    """Goes on when it is told to."""

    now = 100.0

    def __call__(self):
        return self.now


def after(counted, clock, *steps):
    """Where a run stands after so many cells, each after so many seconds."""
    for count, outcome, seconds in steps:
        for _ in range(count):
            clock.now += seconds
            counted.count(outcome, seconds)
    return counted.progress(under_way=3)


def test_a_judges_pace_is_learnt_from_the_cells_it_is_asked_about_alone():
    clock = Clock()
    counted = Counter(1020, 1000, clock)
    now = after(counted, clock, (900, computed(), 0.01))
    assert (now.done, now.rate, now.seconds_left, now.usual) == (900, 0, None, None)
    now = after(counted, clock, (100, computed(), 0.01), (10, answer(cost=0.5), 1.0))
    assert (now.left, now.usual) == (10, 1.0)
    assert now.rate == pytest.approx(10 / 20)
    assert now.seconds_left == pytest.approx(20)


def test_what_is_left_to_compute_takes_neither_time_nor_money():
    clock = Clock()
    now = after(Counter(1020, 1000, clock), clock, (10, answer(cost=0.5), 1.0))
    assert (now.left, now.seconds_left, now.expected_cost) == (1010, 10, 10.0)


def test_a_judge_nobody_has_heard_yet_is_waited_for_longer_however_fast_patterns_are_computed():
    clock = Clock()
    counted = Counter(1020, 1000, clock)
    after(counted, clock, (1000, computed(), 0.01))
    clock.now += 59
    assert not counted.progress(under_way=3).stalled
    clock.now += 2
    assert counted.progress(under_way=3).stalled


def test_a_run_that_only_computes_has_the_pace_of_computing():
    clock = Clock()
    now = after(Counter(100, 100, clock), clock, (50, computed(), 0.5))
    assert (now.rate, now.seconds_left, now.usual) == (2, 25, 0.5)


def test_without_a_total_nothing_is_said_of_what_is_left():
    now = counter(answer(), total=None)
    assert (now.left, now.seconds_left, now.expected_cost) == (None, None, None)


def test_the_time_left_follows_from_the_rate():
    assert Progress(left=30, rate=2.0).seconds_left == 15
    assert Progress(left=30).seconds_left is None
    assert counter(answer()).rate > 0


@pytest.mark.parametrize(
    ("silent", "usual", "under_way", "stalled"),
    [
        (14, 1.0, 3, False),
        (16, 1.0, 3, True),
        (40, 10.0, 3, False),
        (51, 10.0, 3, True),
        (59, None, 3, False),
        (61, None, 3, True),
        (999, 1.0, 0, False),
    ],
)
def test_a_run_has_stalled_when_answers_stay_out_for_long_as_they_usually_go(
    silent,
    usual,
    under_way,
    stalled,
):
    assert Progress(silent=silent, usual=usual, under_way=under_way).stalled == stalled
