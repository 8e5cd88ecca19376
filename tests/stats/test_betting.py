"""The exact intervals of `betting.py`: the worked cases of the oracle, laws, and coverage."""

import gzip
import json
from collections import Counter
from functools import cache
from math import inf
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.stats.betting import (
    DOWN,
    UP,
    Audit,
    OutsideCorners,
    RuledUnit,
    UnitPrior,
    in_rounds,
)
from appellate.stats.estimates import Pair

ORACLE = Path(__file__).parents[3] / "shared" / "oracle" / "exact.json.gz"
YES_NO = (Pair(0, 1), Pair(1, 1))
NEAR = 1e-9


# -- the worked cases ------------------------------------------------------------------------------


@cache
def oracle():
    if not ORACLE.exists():
        pytest.skip(
            "the worked cases lie beside the repository, in ../shared, and are not there",
        )
    return json.loads(gzip.decompress(ORACLE.read_bytes()))


def audits_of(case):
    """The audit of a case after each of its numbers of draws, and after all."""
    priors = []
    for above, below, corners in case["types"]:
        judge = None if below is None else Pair(above, below)
        priors.append(UnitPrior(tuple(Pair(*corner) for corner in corners), judge))
    frame = []
    first = 0
    for size in case.get("sizes", [case["N"]]):
        frame.append(
            Counter(priors[kind] for kind in case["frame"][first : first + size]),
        )
        first += size
    strata = case.get("strata", [0] * len(case["ruled"]))
    ruled = [
        RuledUnit(priors[case["frame"][unit]], Pair(above, below), stratum)
        for (unit, above, below), stratum in zip(case["ruled"], strata, strict=True)
    ]
    drawn = Counter(strata)
    options = {key: case[key] for key in ("level", "horizon", "low", "high")}
    for n in [*case["ns"], len(ruled)]:
        yield Audit(frame, in_rounds(ruled[:n], drawn), **options)


def test_every_worked_interval_ends_where_values_are_refused():
    """To nine digits of the scale: 1e-9 outside of each end is refused, 1e-9 inside is not."""
    count = 0
    for case in oracle()["cases"]:
        near = NEAR * max(1, case["high"])
        for audit, (low, high) in zip(audits_of(case), case["intervals"], strict=False):
            if audit.n == audit.frame:
                assert audit.interval() == pytest.approx((low, high), abs=near), case[
                    "name"
                ]
            else:
                assert (
                    low == case["low"]
                    or audit.refused_after(low - near, UP) is not None
                )
                assert audit.refused_after(low + near, UP) is None, case["name"]
                assert (
                    high == case["high"]
                    or audit.refused_after(high + near, DOWN) is not None
                )
                assert audit.refused_after(high - near, DOWN) is None, case["name"]
            count += 1
    assert count == 636


@pytest.mark.slow
def test_every_worked_interval_is_computed_to_nine_digits():
    for case in oracle()["cases"]:
        for audit, (low, high) in zip(audits_of(case), case["intervals"], strict=False):
            found = audit.interval(halvings=44)
            assert found == pytest.approx((low, high), abs=NEAR), case["name"]


def test_every_worked_value_is_refused_after_as_many_draws():
    count = 0
    for case in oracle()["cases"]:
        *_, audit = audits_of(case)
        for value, larger, smaller in case["refused_after"]:
            found = audit.refused_after(value, UP), audit.refused_after(value, DOWN)
            assert found == (larger, smaller), (case["name"], value)
            count += 1
    assert count > 500


def test_the_rounds_of_the_worked_strata_are_made_again():
    count = 0
    for case in oracle()["cases"]:
        if "rounds" not in case:
            continue
        prior = UnitPrior(YES_NO)
        units = [
            RuledUnit(prior, Pair(place, 1), at)
            for place, at in enumerate(case["strata"])
        ]
        rounds = in_rounds(units, Counter(case["strata"]))
        expected = [[place for place, _ in drawn] for drawn in case["rounds"]]
        assert [[unit.person.a for unit in drawn] for drawn in rounds] == expected
        count += 1
    assert count == 10


# -- laws -------------------------------------------------------------------------------------------


def shares(people, judge=None, frame=None, **options):
    """An audit of a share: what people said of the drawn, and the judge of all units."""
    judge = judge or [None] * (frame or 100)
    priors = [UnitPrior(YES_NO, None if one is None else Pair(one, 1)) for one in judge]
    rounds = [
        [RuledUnit(priors[place], Pair(one, 1))] for place, one in enumerate(people)
    ]
    return Audit([Counter(priors)], rounds, **options)


verdicts = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40)


@given(verdicts, st.data())
@settings(max_examples=60, deadline=None)
def test_more_rulings_never_widen_an_interval(said, data):
    people = [float(person) for person, _ in said]
    judge = [float(label) for _, label in said]
    before = (0.0, 1.0)
    for n in sorted(
        {*data.draw(st.lists(st.integers(0, len(said) - 1))), len(said) - 1},
    ):
        found = shares(people[:n], judge, horizon=20).interval()
        if found is None:
            break
        assert before[0] <= found.low <= found.high <= before[1]
        before = found


def test_an_end_of_an_interval_is_not_moved_outwards_by_how_it_is_searched_for():
    people = [float(digit) for digit in "11101110111110000110111110"]
    judge = [float(digit) for digit in "11101100111010000010111010"]
    lows = [shares(people[:n], judge, horizon=20).interval().low for n in (16, 17)]
    assert lows[0] == lows[1], "a search that ends where it happens to gives 2e-9 less"


@given(verdicts)
@settings(max_examples=60, deadline=None)
def test_a_frame_that_is_ruled_on_throughout_leaves_nothing_open(said):
    people = [float(person) for person, _ in said]
    judge = [float(label) for _, label in said]
    found = shares(people, judge).interval()
    assert found.low == found.high == sum(people) / len(people)


@given(verdicts, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_units_that_were_not_drawn_does_not_matter(said, chance):
    people = [float(person) for person, _ in said]
    judge = [float(label) for _, label in said]
    n = len(said) // 2
    rest = judge[n:]
    chance.shuffle(rest)
    found = shares(people[:n], judge).interval()
    assert shares(people[:n], judge[:n] + rest).interval() == pytest.approx(
        found,
        abs=1e-6,
    )


@given(verdicts)
@settings(max_examples=40, deadline=None)
def test_yes_and_no_are_each_other_s_mirror(said):
    people = [float(person) for person, _ in said]
    n = len(people) // 2
    found = shares(people[:n], frame=len(people)).interval()
    other = shares([1 - one for one in people[:n]], frame=len(people)).interval()
    assert (1 - other.high, 1 - other.low) == pytest.approx(found, abs=1e-6)


@given(verdicts, st.sampled_from([0.8, 0.95, 0.99]))
@settings(max_examples=40, deadline=None)
def test_a_higher_level_never_gives_a_narrower_interval_of_people_alone(said, level):
    """Not so of two audits with bets of their own: so wide apart that bets do not matter."""
    people = [float(person) for person, _ in said[:10]]
    found = shares(people, frame=1000, level=level).interval()
    wide = shares(people, frame=1000, level=1 - (1 - level) / 1000).interval()
    assert wide.low <= found.low
    assert found.high <= wide.high


@given(verdicts, st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_what_is_refused_at_a_bar_lies_outside_of_the_interval(said, bar):
    people = [float(person) for person, _ in said]
    judge = [float(label) for _, label in said]
    audit = shares(people[:-1], judge)
    found = audit.interval()
    if found is None:
        return
    if found.low > bar + NEAR:
        assert audit.evidence(bar, UP).is_enough
    if found.high < bar - NEAR:
        assert audit.evidence(bar, DOWN).is_enough
    if found.low + 1e-6 < bar < found.high - 1e-6:
        assert not audit.evidence(bar, UP).is_enough
        assert not audit.evidence(bar, DOWN).is_enough


def test_before_the_first_ruling_all_of_the_scale_is_open():
    assert shares([]).interval() == (0, 1)


def test_the_first_rulings_leave_much_open_and_say_something():
    low, high = shares([1.0] * 8, [1.0] * 25, horizon=25).interval()
    assert (low > 0.3, high) == (True, 1)


def test_none_of_forty_of_fifty_seven_leaves_open_what_could_hide_in_the_rest():
    low, high = shares([0.0] * 40, [0.0] * 57, horizon=40).interval()
    assert low == 0
    assert 3 / 57 < high < 4 / 57


def test_a_value_that_what_was_seen_excludes_is_refused_with_all_evidence():
    found = shares([1.0] * 30, frame=40).evidence(0.01, UP)
    assert (found.capital, found.is_enough) == (inf, True)


def test_evidence_grows_until_it_is_enough():
    few = shares([1.0] * 5, frame=1000).evidence(0.5, UP)
    more = shares([1.0] * 7, frame=1000).evidence(0.5, UP)
    assert 1 < few.capital < more.capital < more.needed == pytest.approx(40)


def test_units_that_were_all_ruled_on_beside_the_draw_are_known():
    """Ten giants of forty items each, of which ten are bad, and a frame of ones."""
    prior = UnitPrior((Pair(0, 1), Pair(1, 1)), Pair(1, 1))
    rounds = [[RuledUnit(prior, Pair(1, 1))] for _ in range(40)]
    giants = Pair(300, 400)
    found = Audit([Counter({prior: 100})], rounds, certain=giants).interval()
    assert 0.76 < found.low < found.high == pytest.approx(0.8, abs=1e-7)
    whole = Audit([Counter({prior: 40})], rounds, certain=giants).interval()
    assert whole.low == whole.high == 340 / 440


def test_giants_of_a_mean_are_the_giants_of_the_same_ratio():
    """A mean bets otherwise than a ratio, and the truth lies in both."""
    chance = Random(7)
    people = [float(chance.random() < 0.7) for _ in range(60)]
    prior = UnitPrior(YES_NO)
    rounds = [[RuledUnit(prior, Pair(one, 1))] for one in people[:30]]
    audit = Audit([Counter({prior: 60})], rounds, certain=Pair(9, 10), horizon=30)
    found = audit.interval()
    truth = (sum(people) + 9) / 70
    least = (sum(people[:30]) + 9) / 70
    assert least <= found.low < truth < found.high <= least + 30 / 70 + NEAR * 100


# -- what does not fit -------------------------------------------------------------------------------


def test_a_ruling_outside_of_its_corners_ends_the_guarantee_and_is_named():
    prior = UnitPrior((Pair(0, 3), Pair(3, 3)))
    fine = [RuledUnit(prior, Pair(2, 3))]
    for wrong in (Pair(4, 3), Pair(-1, 3), Pair(0, 4), Pair(3, 2)):
        with pytest.raises(OutsideCorners, match="ruling 2 lies outside") as error:
            Audit([Counter({prior: 9})], [fine, [RuledUnit(prior, wrong)]])
        assert error.value.index == 1


def test_any_mixture_of_corners_is_within_them():
    """TP, and TP plus half of FP and FN, of three instructions and two that should not be met."""
    corners = (Pair(0, 1.5), Pair(3, 3), Pair(0, 2.5), Pair(3, 4))
    prior = UnitPrior(corners)
    for tp in range(4):
        for fp in range(3):
            person = Pair(tp, tp + (fp + 3 - tp) / 2)
            Audit([Counter({prior: 9})], [[RuledUnit(prior, person)]])


def test_more_rulings_than_units_a_foreign_unit_and_bounds_without_end_are_refused():
    prior = UnitPrior(YES_NO)
    rounds = [[RuledUnit(prior, Pair(1, 1))]] * 3
    with pytest.raises(ValueError, match="3 units are ruled on, of 2 in the frame"):
        Audit([Counter({prior: 2})], rounds)
    with pytest.raises(
        ValueError,
        match="ruling 1 is on a unit that is not in the frame",
    ):
        Audit([Counter({UnitPrior(YES_NO, Pair(1, 1)): 9})], rounds)
    with pytest.raises(ValueError, match="finite and in order"):
        Audit([Counter({prior: 9})], rounds, high=inf)
    with pytest.raises(ValueError, match="between 0 and 1"):
        Audit([Counter({prior: 9})], rounds, level=1)


def test_a_stratum_of_which_nothing_was_drawn_leaves_no_round():
    unit = RuledUnit(UnitPrior(YES_NO), Pair(1, 1), 0)
    assert in_rounds([unit], {0: 1, 1: 0}) == []
    assert in_rounds([], {}) == []


def test_a_round_counts_only_with_all_of_its_strata():
    prior = UnitPrior(YES_NO)
    units = [RuledUnit(prior, Pair(1, 1), stratum) for stratum in (0, 0, 1, 0, 0)]
    rounds = in_rounds(units, {0: 4, 1: 2})
    assert [[unit.stratum for unit in one] for one in rounds] == [[0, 0, 1]]


# -- how often it is wrong ---------------------------------------------------------------------------


def bad_ones(size, bad):
    """None is good but for a few, and the judge sees none of the bad ones."""
    return [0.0] * bad + [1.0] * (size - bad), [1.0] * size


def useless(size, _):
    chance = Random(size)
    people = [float(chance.random() < 0.7) for _ in range(size)]
    return people, [float(chance.random() < 0.5) for _ in range(size)]


def near_perfect(size, bad):
    chance = Random(size)
    people = [float(chance.random() < 0.7) for _ in range(size)]
    return people, [1 - one if place < bad else one for place, one in enumerate(people)]


@pytest.mark.slow
@pytest.mark.parametrize("population", [bad_ones, useless, near_perfect])
@pytest.mark.parametrize("size", [57, 200])
def test_the_truth_is_refused_at_any_look_in_five_of_a_hundred_audits_at_most(
    population,
    size,
):
    """At most 5 % are ever wrong; of 400 audits 34 or more would be by a chance of 1 in 1,000."""
    people, judge = population(size, size // 16)
    truth = sum(people) / size
    wrong = 0
    for seed in range(400):
        order = list(range(size))
        Random(seed).shuffle(order)
        audit = shares(
            [people[unit] for unit in order[: size * 2 // 3]],
            [judge[unit] for unit in order],
            horizon=40,
        )
        wrong += audit.refused_after(truth, UP) is not None
        wrong += audit.refused_after(truth, DOWN) is not None
    assert wrong < 34


@pytest.mark.slow
def test_strata_hold_as_often():
    """Most errors lie in a small stratum, of which as many are drawn as of the large one."""
    chance = Random(3)
    said = [
        [float(chance.random() < share) for _ in range(size)]
        for size, share in ((150, 0.9), (50, 0.4))
    ]
    truth = sum(map(sum, said)) / 200
    prior = UnitPrior(YES_NO, Pair(1, 1))
    frame = [Counter({prior: len(people)}) for people in said]
    wrong = 0
    for seed in range(400):
        order = Random(seed)
        drawn = [order.sample(people, 24) for people in said]
        ruled = [
            RuledUnit(prior, Pair(drawn[stratum][place], 1), stratum)
            for place in range(24)
            for stratum in (0, 1)
        ]
        audit = Audit(frame, in_rounds(ruled, {0: 24, 1: 24}), horizon=48)
        wrong += audit.refused_after(truth, UP) is not None
        wrong += audit.refused_after(truth, DOWN) is not None
    assert wrong < 34
