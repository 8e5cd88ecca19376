"""Intervals of agreement and of shares: what belongs together counts as one, and there is never none of no width;
and a panel whose members err together is worth fewer votes than it has members.
"""

from collections import Counter
from functools import partial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.stats.agreement_tables import (
    alike,
    cohen_kappa,
    gwet_ac1,
    intraclass,
    krippendorff_alpha,
    share,
)
from appellate.stats.clustered import (
    Cluster,
    bounds,
    cautious_bounds,
    clustered,
    effective_votes,
    exact_bounds,
    pooled,
    pooled_share,
    shared_errors,
)

WORDS = st.sampled_from(["yes", "no"])
CLUSTERS = st.lists(
    st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4),
    min_size=2,
    max_size=12,
)


def apart(pairs):
    return clustered(Counter([pair]) for pair in pairs)


def test_the_error_of_a_share_over_single_answers_is_that_of_a_mean():
    found = bounds(alike, apart([("yes", "yes")] * 30 + [("yes", "no")] * 10))
    assert found.stderr == pytest.approx((0.75 * 0.25 / 39) ** 0.5)
    assert found.clusters == 40
    assert found.low < 0.75 < found.high < 1


def test_answers_of_one_trace_count_as_one_where_they_are_all_alike():
    pairs = [("yes", "yes")] * 30 + [("yes", "no")] * 10
    together = clustered(Counter({pair: 5}) for pair in pairs)
    assert pooled(together) == {("yes", "yes"): 150, ("yes", "no"): 50}
    assert bounds(alike, together)[:2] == pytest.approx(bounds(alike, apart(pairs))[:2])
    five_times = bounds(alike, apart(pairs * 5))
    assert five_times.high - five_times.low < 0.16


def test_perfect_agreement_is_bounded_by_how_many_traces_it_is_of():
    few = bounds(cohen_kappa, apart([("yes", "yes"), ("no", "no")] * 10))
    many = bounds(cohen_kappa, apart([("yes", "yes"), ("no", "no")] * 100))
    assert (few.high, many.high) == (1, 1)
    assert 0.6 < few.low < 0.7
    assert 0.95 < many.low < 1


def test_one_trace_bounds_nothing_and_neither_does_what_stands_or_falls_with_one():
    assert bounds(alike, apart([("yes", "yes")])) is None
    assert bounds(alike, {}) is None
    one_yes = apart([("yes", "yes")] + [("no", "no")] * 30)
    assert bounds(sensitivity, one_yes) is None


@given(CLUSTERS)
def test_every_interval_holds_its_value_and_has_a_width(tables):
    clusters = clustered(map(Counter, tables))
    positions = {"yes": 1.0, "no": 0.0}
    for of in (
        alike,
        cohen_kappa,
        partial(gwet_ac1, answer_count=2),
        krippendorff_alpha,
        partial(intraclass, positions=positions),
    ):
        found, value = bounds(of, clusters), of(pooled(clusters))
        if found is not None:
            assert found.low <= value.value + 1e-9
            assert found.high >= value.value - 1e-9
            assert found.high <= 1 + 1e-9
            assert found.high - found.low > 1e-3


def drawn(*strata):
    """Single answers drawn from strata, each of pairs, the weight of one and the share not drawn."""
    found = Counter()
    for place, (pairs, weight, left) in enumerate(strata):
        for pair in pairs:
            found[Cluster(frozenset({(pair, 1)}), weight, place, left)] += 1
    return found


def test_answers_weigh_by_how_many_their_unit_stands_for():
    right, wrong = ("yes", "yes"), ("yes", "no")
    few, many = [right] * 18 + [wrong] * 2, [right] * 10 + [wrong] * 10
    whole = drawn((few, 40, 1.0), (many, 10, 1.0))
    assert alike(pooled(whole)).value == pytest.approx(0.8 * 0.9 + 0.2 * 0.5)
    found = bounds(alike, whole)
    by_hand = 0.8**2 * 0.9 * 0.1 / 19 + 0.2**2 * 0.5 * 0.5 / 19
    assert found.stderr == pytest.approx(by_hand**0.5)
    assert found.low < 0.82 < found.high


def test_a_coefficient_is_as_sure_as_much_of_the_frame_is_drawn():
    pairs = [("yes", "yes")] * 30 + [("yes", "no")] * 10
    whole, half, none = (
        bounds(alike, drawn((pairs, 1, left))) for left in (1.0, 0.5, 0.0)
    )
    assert whole[:3] == pytest.approx(bounds(alike, apart(pairs))[:3])
    assert half.stderr == pytest.approx(whole.stderr * 0.5**0.5)
    assert (none.stderr, none.low, none.high) == (0, 0.75, 0.75)


def test_a_unit_alone_in_its_stratum_is_held_against_all():
    pairs = [("yes", "yes")] * 10 + [("yes", "no")] * 10
    alone = bounds(alike, drawn((pairs, 5, 1.0), ([("yes", "no")], 5, 1.0)))
    assert alone.stderr > bounds(alike, drawn((pairs, 5, 1.0))).stderr * 20 / 21
    assert (
        bounds(alike, drawn(([("yes", "no")], 5, 1.0), ([("no", "no")], 5, 1.0)))
        is None
    )


def test_without_an_error_units_that_weigh_unlike_count_as_fewer():
    pairs = [("yes", "yes"), ("no", "no")] * 20
    even = bounds(alike, drawn((pairs, 1, 1.0)))
    odd = bounds(alike, drawn((pairs[:20], 9, 1.0), (pairs[20:], 1, 1.0)))
    assert odd.low < even.low < odd.high == even.high == 1


sensitivity = partial(share, given={"yes"}, rater=1, matching={"yes"})


@pytest.mark.parametrize("others", [0, 57, 1000])
@pytest.mark.parametrize("positives", [2, 3, 10])
def test_a_share_of_rare_answers_is_as_sure_as_the_traces_that_hold_any(
    positives,
    others,
):
    """By the exact interval of as many successes as there are of them, at .95."""
    tables = [Counter({("yes", "yes"): 1, ("no", "no"): 4})] * positives
    found = exact_bounds(
        sensitivity,
        clustered([*tables, *[Counter({("no", "no"): 5})] * others]),
    )
    low = 0.025 ** (1 / positives)
    assert (found.low, found.high, found.clusters) == (pytest.approx(low), 1, positives)


def test_degrees_of_freedom_are_those_of_clusters_that_hold_what_is_counted():
    positives = [("yes", "yes")] * 4 + [("no", "yes")]
    few = bounds(sensitivity, apart(positives + [("no", "no")] * 95))
    same = bounds(sensitivity, apart(positives))
    assert few.clusters == same.clusters == 5
    assert few.low < 0.25
    assert few.high - few.low == pytest.approx(same.high - same.low, abs=0.06)


@pytest.mark.parametrize(
    ("alike_count", "of", "low", "high"),
    [
        # as scipy has it (binomtest, exact)
        (0, 20, 0.0, 0.16843347098308536),
        (4, 20, 0.05733399707664806, 0.43661399794104975),
        (46, 48, 0.8574747843037165, 0.9949171013043246),
    ],
)
def test_a_share_of_single_answers_has_about_the_exact_interval(
    alike_count,
    of,
    low,
    high,
):
    """Its degrees of freedom are those of so many traces, so it is a little wider."""
    answers = apart([("a", "a")] * alike_count + [("a", "b")] * (of - alike_count))
    found = exact_bounds(alike, answers)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.04)
    assert found.low <= low + 1e-9
    assert found.high >= high - 1e-9


# -- rare answers --------------------------------------------------------------------------------


def test_answers_that_nobody_gave_yet_widen_what_kappa_may_be():
    """Of 30 answers people gave no at all once, and the judge missed it."""
    pairs = apart([("yes", "yes")] * 20 + [("no", "yes")] * 9 + [("yes", "no")])
    seen = exact_bounds(cohen_kappa, pairs)
    found = cautious_bounds(cohen_kappa, pairs)
    assert seen.high < 0.1 < found.high < 0.5
    assert found.low <= seen.low
    assert found[2:] == seen[2:]


@given(
    st.lists(
        st.sampled_from([("yes", "yes"), ("no", "no"), ("yes", "no"), ("no", "yes")]),
        min_size=3,
        max_size=60,
    ),
)
def test_what_half_an_answer_would_show_never_narrows_an_interval(pairs):
    seen = exact_bounds(cohen_kappa, apart(pairs))
    found = cautious_bounds(cohen_kappa, apart(pairs))
    assert (seen is None) == (found is None)
    if seen is not None:
        assert found.low <= seen.low <= seen.high <= found.high


def test_a_frame_that_was_drawn_whole_leaves_nothing_open_by_rare_answers():
    pairs = [("yes", "yes")] * 9 + [("no", "no")] * 9 + [("yes", "no")] * 2
    found = cautious_bounds(cohen_kappa, drawn((pairs, 1, 0.0)))
    assert found.low == found.high


# -- a share of answers ---------------------------------------------------------------------------

SHARES = st.lists(
    st.integers(0, 9).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))),
    max_size=30,
)


@pytest.mark.parametrize(
    ("held", "of", "low", "high"),
    [
        # statsmodels' proportion_confint(method="wilson")
        (0, 20, 0.0, 0.1611251580528194),
        (4, 20, 0.080657662579798, 0.4160174322518936),
        (20, 20, 0.8388748419471804, 1.0),
        (1, 2, 0.09453120573423068, 0.9054687942657693),
    ],
)
def test_single_answers_have_wilsons_interval(held, of, low, high):
    found = pooled_share([(1, 1)] * held + [(0, 1)] * (of - held))
    assert found[:3] == (held, of, of)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_answers_that_go_together_count_less_and_alike_ones_as_their_clusters():
    single = pooled_share([(1, 1)] * 20 + [(0, 1)] * 20)
    together = pooled_share([(4, 4)] * 5 + [(0, 4)] * 5)
    apart = pooled_share([(2, 4)] * 5 + [(1, 4), (3, 4)] * 3)
    assert together.high - together.low > 1.5 * (single.high - single.low)
    assert together.high - together.low > apart.high - apart.low
    assert pooled_share([(0, 5)] * 10)[3:] == pooled_share([(0, 1)] * 10)[3:]
    assert pooled_share([(3, 6)] * 8)[3:] == pooled_share([(1, 2)] * 8)[3:]
    one = pooled_share([(2, 5)])
    assert one.low < 0.05
    assert one.high > 0.9


@given(SHARES)
def test_a_share_lies_within_its_interval_which_has_a_width_and_stays_within_bounds(
    clusters,
):
    if not any(of for _, of in clusters):
        with pytest.raises(ValueError, match="no answers"):
            pooled_share(clusters)
        return
    found = pooled_share(clusters)
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
        found = pooled_share(clusters)
        covered += found.low <= chance <= found.high
    assert 0.93 <= covered / 600 <= 0.985


# -- the votes of a panel -------------------------------------------------------------------------


def panel(errors, times=1):
    rows = [
        ("yes", *("no" if wrong else "yes" for wrong in row)) for row in errors
    ] * times
    return clustered(Counter([row]) for row in rows)


def test_members_that_err_on_the_same_questions_have_one_vote():
    found = effective_votes(panel([(True, True, True), (False, False, False)] * 20))
    assert (found.votes, found.members) == (pytest.approx(1), 3)
    assert found.correlation == pytest.approx(1)
    assert 1 <= found.low <= found.votes <= found.high < 1.5


def test_members_that_err_by_themselves_have_one_each():
    chance = Random(3)
    errors = [[chance.random() < 0.3 for _ in range(4)] for _ in range(2000)]
    found = effective_votes(panel(errors))
    assert 3.6 < found.votes <= 4
    assert 3.4 < found.low < found.high == 4


def test_members_that_err_against_each_other_have_no_more_votes_than_they_are():
    assert effective_votes(panel([(True, False), (False, True)], 10)).votes == 2


def test_a_member_that_never_errs_says_nothing_of_errors_that_go_together():
    assert effective_votes(panel([(True, False), (False, False)], 10)) is None
    assert effective_votes({}) is None
    three = [(True, True, False), (False, False, False)] * 10
    assert shared_errors({("yes", None, "no"): 3}) is None
    assert effective_votes(panel(three)).correlation == pytest.approx(1)


def test_sums_over_pooled_answers_have_one_order_whatever_the_hash_seed():
    first = [("b", "b"), ("a", "b"), ("b", "a")]
    second = [(judge, person) for judge in "acd" for person in "bcde"]
    together = pooled(clustered([Counter(first), Counter(second)]))
    further = sorted(set(second).difference(first))
    assert list(together) == [*sorted(first), *further]
