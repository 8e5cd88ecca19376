"""What is expected of an interval by betting before a draw, and what it then is."""

from collections import Counter
from random import Random

import pytest

from appellate.stats.betting import Audit, RuledUnit, UnitPrior
from appellate.stats.estimates import Pair
from appellate.store.samples.expected_bets import ExpectedBets
from appellate.store.samples.sample_plans import ExpectedWidth
from partly import partly_quick

YES_NO = (Pair(0, 1), Pair(1, 1))


def judged(size, share=0.7):
    chance = Random(size)
    return [
        UnitPrior(YES_NO, Pair(float(chance.random() < share), 1)) for _ in range(size)
    ]


def drawn(units, n, seed, wrong):
    """Half the interval of a sample of which people say something else in some units."""
    chance = Random(seed)
    rounds = []
    for unit in chance.sample(units, n):
        said = (
            unit.judge.a if chance.random() >= wrong else float(chance.random() < 0.7)
        )
        rounds.append([RuledUnit(unit, Pair(said, 1))])
    low, high = Audit([Counter(units)], rounds, horizon=n).interval()
    return (high - low) / 2


@pytest.mark.parametrize(("size", "n"), partly_quick([(57, 40), (25, 8), (300, 60)], 3))
def test_what_is_promised_before_the_draw_is_about_what_it_then_gives(size, n):
    units = judged(size)
    promised = ExpectedBets(units, 0, 1)
    for helped, wrong in ((True, 0.3), (False, 1.0)):
        given = [drawn(units, n, seed, wrong) for seed in range(40)]
        assert promised.half(n, helped=helped) == pytest.approx(
            sum(given) / 40,
            rel=0.35,
        )


def test_more_audits_promise_less_width_and_all_of_them_none():
    promised = ExpectedBets(judged(200), 0, 1)
    widths = [promised.half(n, helped=True) for n in (5, 20, 80, 200)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == 0


def test_of_a_trait_that_few_traces_have_few_of_the_drawn_ones_tell():
    bets = ExpectedBets(judged(8), 0, 1)
    width = ExpectedWidth("Safe", "yes", 0.5, 1.0, 80, bets=bets)
    assert width.half(40) == bets.half(4, helped=False) > 0
    assert width.half(9) == bets.half(0, helped=False)
    assert width.half(80) == 0
    assert width.audits(0.001) == 80


def test_units_that_are_all_ruled_on_are_among_those_that_tell():
    bets = ExpectedBets(judged(6), 0, 1, judged(2))
    width = ExpectedWidth("Safe", "yes", 0.5, 1.0, 80, bets=bets, whole=20)
    assert width.half(50) == bets.half(5, helped=False)


def test_a_large_frame_is_as_its_part_and_what_nobody_could_say_is_left_out():
    few = ExpectedBets(judged(400), 0, 1)
    many = ExpectedBets(judged(20_000), 0, 1)
    assert many.half(60, helped=True) == pytest.approx(
        few.half(60, helped=True),
        rel=0.25,
    )
    odd = ExpectedBets([UnitPrior(YES_NO, Pair(5, 3))] * 50, 0, 1)
    assert 0 < odd.half(20, helped=True) < 0.5
