from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.stats.estimates import (
    Audited,
    Pair,
    Stratum,
    difference,
    estimate_ratio,
    shown_differences,
)
from appellate.stats.measured_pairs import pair


def mean_of(person, judge=None, every=None, **options):
    """The estimate of a mean where these of `every` unit were audited."""
    judge = judge or [0.0] * len(person)
    audited = [
        Audited(Pair(p, 1), Pair(j, 1), unit=place)
        for place, (p, j) in enumerate(zip(person, judge, strict=True))
    ]
    frame = [Pair(j, 1) for j in every or [0.0] * 1000]
    return estimate_ratio([Stratum(frame, audited)], **options)


def noisy(seed=1, units=1000, good=0.9):
    """What people and a judge say of every unit: 1 or 0, alike with some chance."""
    random = Random(seed)
    person = [float(random.random() < 0.7) for _ in range(units)]
    judge = [one if random.random() < good else 1 - one for one in person]
    return person, judge


def drawn(n=60, **options):
    person, judge = noisy(**options)
    return mean_of(person[:n], judge[:n], judge)


def test_people_alone_are_the_mean_of_what_they_said():
    found = mean_of([1, 0, 1, 1])
    assert found.value == found.people_only.value == 0.75
    assert (found.weight, found.judge_share, found.helps) == (0, 0, False)
    assert (found.n, found.frame) == (4, 1000)


def test_a_judge_that_says_what_people_say_gives_the_mean_of_all_units():
    person, judge = noisy(good=1.0)
    found = mean_of(person[:60], judge[:60], judge)
    assert found.weight == 1
    assert found.value == pytest.approx(sum(person) / 1000)
    assert found.half < found.people_only.half / 2


def test_a_judge_that_is_off_by_the_same_everywhere_is_corrected_by_it():
    person, _ = noisy()
    judge = [one * 0.5 + 0.2 for one in person]
    found = mean_of(person[:60], judge[:60], judge)
    assert found.judge_only == pytest.approx(sum(judge) / 1000)
    people = sum(person[:60]) / 60
    # the weight is 1 at most
    by_hand = people + sum(judge) / 1000 - sum(judge[:60]) / 60
    assert (found.weight, found.value) == (1, pytest.approx(by_hand))


def test_a_judge_that_guesses_leaves_people_alone():
    found = drawn(good=0.5)
    assert found.half <= found.people_only.half
    assert found.weight < 0.3


def test_a_judge_that_says_the_contrary_has_no_weight():
    found = drawn(good=0.1)
    assert found.weight == 0
    assert (found.value, found.low, found.high) == tuple(found.people_only)


def test_agreement_throughout_is_no_proof_of_perfection():
    found = mean_of([1.0] * 60, [1.0] * 60, [1.0] * 1000)
    assert (found.value, found.high) == (1, 1)
    assert 0.9 < found.low < 0.99


def test_all_units_audited_leave_nothing_open():
    person, judge = noisy(units=50)
    found = mean_of(person, judge, judge)
    assert found.low == found.value == found.high
    assert found.value == pytest.approx(sum(person) / 50)
    assert found.further(10) == 0


def test_corrections_on_one_side_leave_more_room_there():
    person = [0.0] * 3 + [1.0] * 57
    found = mean_of(person, [1.0] * 60, [1.0] * 1000)
    assert found.value - found.low > 1.3 * (found.high - found.value)


def test_an_interval_stays_within_the_bounds_of_its_measure():
    found = mean_of([5.0] * 19 + [4.0], low=1, high=5)
    assert found.high <= 5
    assert found.low > 1


def test_what_has_no_bounds_goes_by_what_was_met():
    found = mean_of([120.0, 80.0, 95.0, 130.0], low=float("-inf"), high=float("inf"))
    assert found.value == 106.25
    assert found.low < 106.25 < found.high


def test_nothing_is_told_of_one_unit_or_of_none_or_of_0_0():
    assert mean_of([1.0]) is None
    assert mean_of([]) is None
    nothing = [Audited(Pair(0, 0), Pair(0, 0))] * 5
    assert estimate_ratio([Stratum([Pair(0, 0)] * 9, nothing)]) is None
    some = Stratum([Pair(1, 1)] * 9, [Audited(Pair(1, 1), Pair(1, 1))] * 5)
    assert estimate_ratio([some, Stratum([Pair(1, 1)], [])]) is None


def test_a_judge_without_a_ratio_has_no_number_of_its_own():
    audited = [Audited(Pair(1, 1), Pair(0, 0)), Audited(Pair(0, 1), Pair(0, 0))]
    found = estimate_ratio([Stratum([Pair(0, 0)] * 9, audited)])
    assert (found.judge_only, found.value) == (None, 0.5)


def test_strata_count_for_what_they_hold():
    def stratum(units, said):
        audited = [Audited(Pair(one, 1), Pair(0, 1)) for one in said]
        return Stratum([Pair(0, 1)] * units, audited)

    found = estimate_ratio([stratum(900, [1, 1, 1, 0]), stratum(100, [0, 0, 0, 0])])
    assert found.value == pytest.approx(0.9 * 0.75)
    whole = estimate_ratio([stratum(10, [1, 1, 0, 1, 0]), stratum(3, [1, 0, 1])])
    assert whole.value == pytest.approx((10 * 0.6 + 3 * 2 / 3) / 13)


def test_strata_that_differ_are_worth_drawing_by():
    def of(said):
        return [Audited(Pair(one, 1), Pair(0, 1)) for one in said]

    high, low = [1.0] * 28 + [0.0] * 2, [0.0] * 28 + [1.0] * 2
    frame = [Pair(0, 1)] * 500
    parted = estimate_ratio([Stratum(frame, of(high)), Stratum(frame, of(low))])
    pooled = estimate_ratio([Stratum(frame * 2, of(high + low))])
    assert parted.value == pooled.value == 0.5
    assert parted.half < 0.7 * pooled.half


@pytest.mark.parametrize("heavy", [600, 800, 900, 980])
@pytest.mark.parametrize("errors", [0, 1, 4, 10])
def test_a_heavy_stratum_without_errors_is_no_proof_that_it_has_none(heavy, errors):
    """Errors of light units say little of it: a simple sample of as many units, none of them wrong,
    leaves no more room.
    """

    def stratum(units, wrong):
        said = [0.0] * wrong + [1.0] * (20 - wrong)
        return Stratum(
            [Pair(1, 1)] * units,
            [Audited(Pair(one, 1), Pair(1, 1)) for one in said],
        )

    parted = estimate_ratio([stratum(heavy, 0), stratum(1000 - heavy, errors)])
    simple = mean_of([1.0] * 40, [1.0] * 40, [1.0] * 1000)
    assert parted.high - parted.low > simple.high - simple.low
    assert parted.low < simple.low


SIMPLE = {
    20: (0.47532526122442553, 0.3746649808855737, 0.5491219617468728),
    60: (0.49869024230517356, 0.4664241796279662, 0.5286008424713651),
    200: (0.5698275969240504, 0.5484914551929952, 0.5911637386551055),
}
"""By the number of audits, the interval whose guard goes by 1 / n."""


@pytest.mark.parametrize("n", SIMPLE)
def test_in_a_simple_sample_no_unit_is_heavier_than_another(n):
    random = Random(n)
    units = []
    for _ in range(250):
        asked = random.randint(0, 4)
        met = random.randint(0, asked)
        said = met if random.random() < 0.8 else random.randint(0, asked)
        units.append(Audited(Pair(met, asked), Pair(said, asked)))
    found = estimate_ratio([Stratum([one.judge for one in units], units[:n])])
    assert tuple(found.interval) == pytest.approx(SIMPLE[n], abs=1e-12)


def test_unequal_chances_are_weighed_up():
    audited = [Audited(Pair(1, 1), Pair(0, 1), 0.5)] * 20
    audited += [Audited(Pair(0, 1), Pair(0, 1), 0.1)] * 10
    found = estimate_ratio([Stratum([Pair(0, 1)] * 1000, audited)])
    assert found.value == pytest.approx(40 / 140)


def test_equal_chances_are_no_chances():
    person, judge = noisy()
    frame = [Pair(one, 1) for one in judge]
    plain = [
        Audited(Pair(p, 1), Pair(j, 1))
        for p, j in zip(person[:60], judge[:60], strict=True)
    ]
    told = [one._replace(chance=0.06) for one in plain]
    first = estimate_ratio([Stratum(frame, plain)])
    second = estimate_ratio([Stratum(frame, told)])
    assert second.interval == pytest.approx(first.interval)


def test_items_of_one_unit_are_not_independent():
    """The same 300 items are worth more in 100 units than in 20."""
    apart = [Audited(Pair(a, 3), Pair(0, 0)) for a in (3, 3, 3, 2, 1) * 20]
    together = [Audited(Pair(a, 15), Pair(0, 0)) for a in (15, 15, 15, 10, 5) * 4]
    many = estimate_ratio([Stratum([Pair(0, 0)] * 5000, apart)])
    few = estimate_ratio([Stratum([Pair(0, 0)] * 1000, together)])
    assert many.value == pytest.approx(few.value)
    assert few.half > 2 * many.half


@given(st.integers(0, 10_000), st.floats(0.5, 1), st.integers(2, 200))
def test_a_judge_never_widens_an_interval_and_none_has_no_width(seed, good, n):
    found = drawn(n, seed=seed, units=250, good=good)
    assert found.half <= found.people_only.half
    assert found.low <= found.value <= found.high
    assert found.high - found.low > 0.001


@given(st.integers(0, 1000), st.floats(0.1, 10))
def test_what_a_ratio_is_counted_in_changes_nothing_beyond_the_guard(seed, factor):
    random = Random(seed)
    pairs = [Pair(random.randint(0, 5), random.randint(5, 9)) for _ in range(40)]
    audited = [Audited(pair, Pair(0, 0)) for pair in pairs]
    first = estimate_ratio([Stratum([Pair(0, 0)] * 400, audited)])
    audited = [Audited(Pair(factor * a, factor * b), Pair(0, 0)) for a, b in pairs]
    second = estimate_ratio([Stratum([Pair(0, 0)] * 400, audited)])
    assert second.value == pytest.approx(first.value)
    assert second.half == pytest.approx(first.half, rel=0.25)


COUNTS = st.integers(0, 3)
BOTH = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS)
STRATUM = st.tuples(
    st.lists(st.tuples(BOTH, BOTH), min_size=1, max_size=6),
    st.lists(BOTH),
)
MEASURES = st.sampled_from(["precision", "recall", "accuracy", "f1", "mean"])


def counted(measure, counts):
    return pair(measure, counts[0] if measure == "mean" else counts)


@given(
    st.lists(STRATUM, min_size=1, max_size=3),
    MEASURES,
    st.sampled_from([3, float("inf")]),
)
def test_no_interval_is_without_width_before_all_is_audited(strata, measure, highest):
    drawn = []
    for audited, rest in strata:
        both = [[counted(measure, one) for one in two] for two in audited]
        every = [judge for _, judge in both] + [counted(measure, one) for one in rest]
        drawn.append(Stratum(every, [Audited(*two) for two in both]))
    low, high = (0, highest) if measure == "mean" else (0, 1)
    found = estimate_ratio(drawn, low=low, high=high)
    if found is None or found.n == found.frame:
        return
    for number in (found, found.people_only):
        assert low <= number.low <= number.value <= number.high <= high
        assert number.high - number.low > 1e-4
    assert found.half <= found.people_only.half


@pytest.mark.parametrize("factor", [0.1, 0.7, 1 / 7])
def test_what_only_rounding_leaves_is_no_residual(factor):
    """Units that are all at 1/3, counted in what rounds: the guard is as full as in whole numbers."""

    def half(factor):
        pairs = [Pair(size * factor, size * 3 * factor) for size in range(1, 31)]
        audited = [Audited(one, Pair(0, 0)) for one in pairs]
        return estimate_ratio([Stratum([Pair(0, 0)] * 400, audited)]).half

    assert half(factor) * factor == pytest.approx(half(1))


def test_an_interval_without_bounds_goes_beyond_what_was_met():
    unbounded = {"low": float("-inf"), "high": float("inf")}
    two = mean_of([100.0, 101.0], **unbounded)
    assert (two.low < 95, two.high > 106) == (True, True)
    alike = mean_of([5.0] * 20, [5.0] * 20, [5.0] * 1000, **unbounded)
    assert (alike.low < 4.8, alike.high > 5.2) == (True, True)


# -- further audits -------------------------------------------------------------------------------


def test_further_audits_narrow_the_interval_as_they_turn_out_to():
    person, judge = noisy()
    now = mean_of(person[:60], judge[:60], judge)
    then = mean_of(person[:200], judge[:200], judge)
    assert now.further(0) == pytest.approx(now.half)
    assert now.further(140) == pytest.approx(then.half, rel=0.3)


def test_as_many_audits_are_needed_as_bring_the_interval_there():
    found = drawn()
    needed = found.needed(0.05)
    assert found.further(needed) <= 0.05 < found.further(needed - 1)
    assert found.needed(1) == 0
    assert found.needed(1e-9) == 940


@pytest.mark.parametrize("half", [0, -1, float("nan")])
def test_no_audits_give_an_interval_without_width(half):
    with pytest.raises(ValueError, match="width above 0"):
        drawn().needed(half)


@pytest.mark.parametrize("more", [-1, -40, -60, -100, float("nan")])
def test_audits_cannot_be_taken_back(more):
    with pytest.raises(ValueError, match="0 or more"):
        drawn(40).further(more)


# -- two models -----------------------------------------------------------------------------------


def test_what_two_models_have_from_the_same_units_is_paired():
    random = Random(3)
    hard = [random.random() for _ in range(60)]
    one = mean_of([float(value > 0.3) for value in hard])
    other = mean_of([float(value > 0.35) for value in hard])
    found = difference(one, other)
    assert found.value == pytest.approx(one.value - other.value)
    assert found.half < 0.7 * (one.half**2 + other.half**2) ** 0.5


def test_what_two_models_have_from_different_units_is_independent():
    one = estimate_ratio(
        [Stratum([Pair(0, 0)] * 900, [Audited(Pair(1, 1), Pair(0, 0))] * 20)],
    )
    random = Random(1)
    said = [Audited(Pair(random.randint(0, 1), 1), Pair(0, 0)) for _ in range(30)]
    other = estimate_ratio([Stratum([Pair(0, 0)] * 900, said)])
    found = difference(one, other)
    assert found.half > other.half * 0.9
    assert found.low < one.value - other.value < found.high


def test_a_correction_that_few_residuals_carry_decides_by_people_alone():
    person, judge = noisy(good=1)
    judge[:3] = [1 - one for one in person[:3]]
    found = mean_of(person[:60], judge[:60], judge)
    assert 2 < found.residuals < 4
    assert found.has_few_residuals
    assert found.deciding == found.people_only != found.interval


def test_a_correction_that_many_residuals_carry_decides_itself():
    found = drawn(n=200)
    assert found.residuals > 10
    assert not found.has_few_residuals
    assert not found.has_few_units
    assert found.deciding == found.interval


def test_units_of_one_size_are_as_many_as_were_audited_and_one_large_one_carries_all():
    def of(sizes):
        units = [
            Audited(Pair(size * 0.9, size), Pair(size * 0.8, size)) for size in sizes
        ]
        return estimate_ratio([Stratum([Pair(1, 1)] * 500, units)])

    assert of([5] * 40).units == pytest.approx(40)
    assert not of([5] * 40).has_few_units
    assert of([5] * 39 + [5000]).units < 2
    assert of([5] * 39 + [5000]).deciding == of([5] * 39 + [5000]).people_only


def groups(*shares, n=60, frame=600):
    """Estimates of groups, people alone, of which these shares are yes."""
    found = []
    for number, share in enumerate(shares):
        yes = round(share * n)
        person = [1.0] * yes + [0.0] * (n - yes)
        audited = [
            Audited(Pair(one, 1), Pair(0, 1), unit=(number, place))
            for place, one in enumerate(person)
        ]
        found.append(estimate_ratio([Stratum([Pair(0, 1)] * frame, audited)]))
    return found


def test_among_many_differences_the_surest_must_be_surer():
    high, low, *_ = groups(0.85, 0.68)
    assert difference(high, low).low > 0
    assert shown_differences([(high, low)], 0.05) == [True]
    alike = groups(*[0.7] * 6)
    others = [(alike[0], one) for one in alike[1:]]
    assert shown_differences([(high, low), *others], 0.05) == [False] * 6
    higher, lower = groups(0.95, 0.5)
    assert shown_differences([*others, (higher, lower)], 0.05) == [False] * 5 + [True]
    assert shown_differences([], 0.05) == []


def test_once_the_surest_is_shown_the_others_share_what_is_left():
    a, b, c = groups(0.95, 0.83, 0.5)
    pairs = [(a, b), (a, c), (b, c)]
    assert difference(a, b, 1 - 0.05 / 3).low < 0 < difference(a, b).low
    assert shown_differences(pairs, 0.05) == [True, True, True]
