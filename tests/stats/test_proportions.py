"""A share with its interval: Wilson's, and wider where answers of one trace go together."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.stats.clustered import share

CLUSTERS = st.lists(
    st.integers(0, 9).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))), max_size=30
)


@pytest.mark.parametrize(
    ("held", "of", "low", "high"),
    [
        (0, 20, 0.0, 0.1611251580528194),  # statsmodels' proportion_confint(method="wilson")
        (4, 20, 0.080657662579798, 0.4160174322518936),
        (20, 20, 0.8388748419471804, 1.0),
        (1, 2, 0.09453120573423068, 0.9054687942657693),
    ],
)
def test_single_answers_have_wilsons_interval(held, of, low, high):
    found = share([(1, 1)] * held + [(0, 1)] * (of - held))
    assert found[:3] == (held, of, of)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_answers_that_go_together_count_less_and_alike_ones_as_their_clusters():
    single = share([(1, 1)] * 20 + [(0, 1)] * 20)
    together = share([(4, 4)] * 5 + [(0, 4)] * 5)
    apart = share([(2, 4)] * 5 + [(1, 4), (3, 4)] * 3)
    assert together.high - together.low > 1.5 * (single.high - single.low)
    assert together.high - together.low > apart.high - apart.low
    assert share([(0, 5)] * 10)[3:] == share([(0, 1)] * 10)[3:]
    assert share([(3, 6)] * 8)[3:] == share([(1, 2)] * 8)[3:]
    one = share([(2, 5)])
    assert one.low < 0.05
    assert one.high > 0.9


@given(CLUSTERS)
def test_a_share_lies_within_its_interval_which_has_a_width_and_stays_within_bounds(clusters):
    if not any(of for _, of in clusters):
        with pytest.raises(ValueError, match="nothing"):
            share(clusters)
        return
    found = share(clusters)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


@pytest.mark.parametrize("chance", [0.05, 0.3])
def test_the_interval_covers_the_truth_where_traces_differ(chance):
    random, covered = Random(1), 0
    for _ in range(600):
        clusters = []
        for _ in range(25):
            own = random.betavariate(4 * chance, 4 * (1 - chance))
            clusters.append((sum(random.random() < own for _ in range(6)), 6))
        found = share(clusters)
        covered += found.low <= chance <= found.high
    assert 0.93 <= covered / 600 <= 0.985
