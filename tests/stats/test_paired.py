"""Two judges beside the same answers: McNemar's exact test, and the interval by clusters."""

from collections import Counter

import pytest

from appellate.stats.clustered import clustered
from appellate.stats.paired import flips, mcnemar, paired_difference


def table(*patterns):
    return dict(Counter(tuple(one.split()) for one in patterns))


def test_flips_are_what_one_of_the_two_alone_gets_right():
    patterns = table(
        "yes no yes",
        "yes no yes",
        "no no yes",
        "no yes maybe",
        "yes yes yes",
    )
    assert flips(patterns) == (2, 1)


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 0.0625),
        (0, 6, 0.03125),
        (3, 1, 0.625),
        (8, 2, 0.109375),
    ],
)
def test_mcnemar_is_the_exact_binomial_test(gained, lost, p):
    assert mcnemar(gained, lost) == pytest.approx(p)
    assert mcnemar(lost, gained) == mcnemar(gained, lost)


def test_the_interval_of_a_difference_is_by_clusters():
    single = [table("yes no yes")] * 6 + [table("yes yes yes")] * 54
    found = paired_difference(clustered(single))
    assert found.value == pytest.approx(0.1)
    assert 0 < found.low < 0.1 < found.high < 0.2
    pairs = [table("yes no yes", "yes no yes")] * 3 + [
        table("yes yes yes", "yes yes yes"),
    ] * 27
    wider = paired_difference(clustered(pairs))
    assert wider.value == pytest.approx(0.1)
    assert wider.half > found.half


def test_judges_that_never_differ_may_still_differ_where_nobody_looked():
    found = paired_difference(clustered([table("yes yes yes")] * 60))
    assert found.value == 0
    assert found.high == -found.low
    assert 0.03 < found.high < 0.08


def test_without_answers_or_of_one_cluster_there_is_no_interval():
    assert paired_difference({}) is None
    assert paired_difference(clustered([table("yes no yes")])) is None
