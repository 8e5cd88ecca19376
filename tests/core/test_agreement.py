"""The judge's answers against a person's, by formulas and by tables that others worked out."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from appellate.core.agreement import (
    ENOUGH,
    Agreement,
    Known,
    PairCounts,
    Rates,
    agreement,
    answer_pairs,
    number_of,
)
from appellate.core.deciding import Receive, Show, SignOff
from appellate.stats.clustered import clustered
from cells import Story, proposal

YES = frozenset({"yes"})
WORDS = ("yes", "no", "maybe")
TABLES = st.fixed_dictionaries(
    {},
    optional={pair: st.integers(1, 60) for pair in product(WORDS, WORDS)},
)


def of(both, judge_only, person_only, neither):
    counts = {
        ("yes", "yes"): both,
        ("yes", "no"): judge_only,
        ("no", "yes"): person_only,
        ("no", "no"): neither,
    }
    return agreement(counts, YES, WORDS)


def test_a_textbook_table_has_the_kappa_of_the_textbook():
    found = of(20, 5, 10, 15)
    assert (found.n, found.agreed, found.observed) == (50, 35, 0.7)
    assert found.kappa == pytest.approx(0.4)


def test_where_nearly_all_is_yes_kappa_falls_and_ac1_does_not():
    found = of(118, 5, 2, 0)  # Gwet's own table
    assert found.kappa == pytest.approx(-0.0234, abs=5e-5)
    assert found.ac1 == pytest.approx(0.9408, abs=5e-5)
    assert found.rates.prevalence == 120 / 125


def test_the_person_is_taken_as_right():
    assert of(30, 10, 20, 40).rates == Rates(30 / 50, 30 / 40, 40 / 50, 50 / 100)


def test_below_twenty_answers_nothing_but_counts_is_told():
    few = of(ENOUGH - 1, 0, 0, 0)
    assert (few.n, few.agreed) == (ENOUGH - 1, ENOUGH - 1)
    assert (few.observed, few.kappa, few.ac1, few.rates) == (None, None, None, Rates())
    assert few.rates_of("yes") == Rates()
    assert of(ENOUGH, 0, 0, 0).observed == 1


def test_what_is_nought_of_nought_is_blank_and_not_nought():
    alike = of(ENOUGH, 0, 0, 0)
    assert (alike.kappa, alike.ac1) == (None, 1)
    assert alike.rates == Rates(1, 1, None, 1)
    assert of(0, 0, 0, ENOUGH).rates == Rates(None, None, 1, 0)
    assert Agreement({}).kappa is None
    classes = Agreement({("partial", "full"): ENOUGH})
    assert (classes.rates, classes.rates_of("full").sensitivity) == (Rates(), 0)


def test_among_scores_nothing_is_positive_and_they_have_an_order():
    scores = agreement({("1", "2"): 12, ("5", "5"): 12, ("4", "5"): 4}, YES, "12345")
    assert (scores.positives, scores.rates) == (frozenset(), Rates())
    assert scores.known("prevalence").value is None
    assert scores.known("weighted_kappa").value > scores.kappa
    assert 0.8 < scores.known("icc").value < 1
    never = agreement({("no", "no"): ENOUGH}, YES, WORDS)
    assert (never.rates.prevalence, never.known("prevalence").value) == (0, 0)
    assert not never.tells("icc")


@pytest.mark.parametrize(
    ("word", "number"),
    [("4", 4), ("-.5", -0.5), ("nan", None), ("inf", None), ("yes", None)],
)
def test_an_answer_is_a_number_where_it_has_a_place_among_others(word, number):
    assert number_of(word) == number


def test_intervals_stand_for_every_coefficient_that_is_told():
    counts = PairCounts()
    for trace in range(12):
        counts.add(trace, ("yes", "yes" if trace % 3 else "no"))
        counts.add(trace, ("no", "no"))
    found = counts.agreement(YES, WORDS)
    assert (found.n, found.traces, found.agreed) == (24, 12, 20)
    for name in found.coefficients:
        known = found.known(name)
        assert known.bounds.low < known.value < known.bounds.high
    assert found.known("kappa").value == found.kappa
    assert found.known("sensitivity").value == found.rates.sensitivity
    few = PairCounts()
    few.add("t", ("yes", "yes"), ENOUGH - 1)
    assert few.agreement(YES, WORDS).known("observed") == Known()


def test_words_stand_as_the_kind_tells_them_and_strange_ones_after():
    assert agreement({("odd", "no"): 1, ("yes", "no"): 2}, YES, WORDS).words == (
        "yes",
        "no",
        "odd",
    )


@given(TABLES)
def test_every_figure_is_what_its_formula_gives(counts):
    found = agreement(counts, YES, WORDS)
    n = sum(counts.values())
    assume(n >= ENOUGH)
    judge = {
        word: sum(counts.get((word, one), 0) for one in WORDS) / n for word in WORDS
    }
    person = {
        word: sum(counts.get((one, word), 0) for one in WORDS) / n for word in WORDS
    }
    observed = sum(counts.get((word, word), 0) for word in WORDS) / n
    by_kappa = sum(judge[word] * person[word] for word in WORDS)
    shares = [(judge[word] + person[word]) / 2 for word in found.words]
    by_ac1 = sum(share * (1 - share) for share in shares) / max(len(shares) - 1, 1)
    if found.kappa is None:
        assert by_kappa == pytest.approx(1)
    else:
        assert found.kappa == pytest.approx((observed - by_kappa) / (1 - by_kappa))
    assert found.ac1 == pytest.approx((observed - by_ac1) / (1 - by_ac1))
    turned = agreement({(b, a): count for (a, b), count in counts.items()}, YES, WORDS)
    assert turned.ac1 == pytest.approx(found.ac1)
    if found.kappa is not None:
        assert turned.kappa == pytest.approx(found.kappa)
    assert (turned.rates.precision, turned.rates.sensitivity) == found.rates[:2]
    assert found.rates == found.rates_of("yes")


def test_only_what_both_answered_and_a_person_signed_off_is_compared():
    story = Story()
    assert not list(answer_pairs(story.cell))
    story.does(Receive(proposal()))
    assert not list(answer_pairs(story.cell))
    story.corrects(action="move", bucket="tp", index=0, to="fn")
    story.does(SignOff(story.cell.subject.trait.sha256()))
    pairs = [pair for _, pair in answer_pairs(story.cell)]
    assert len(pairs) == 6
    assert pairs.count(("found", "missing")) == 1
    story.does(Show("gpt"))
    assert not list(answer_pairs(story.cell))


PAIRS = st.tuples(st.sampled_from("abc"), st.sampled_from("abc"))


@given(st.lists(st.tuples(st.sampled_from("xyz"), PAIRS, st.integers(1, 3))))
def test_each_cluster_counts_its_own_pairs_alone(added):
    counts = PairCounts()
    expected = {}
    for cluster, pair, count in added:
        counts.add(cluster, pair, count)
        expected.setdefault(cluster, Counter())[pair] += count
    found = counts.agreement(frozenset(), "abc")
    pooled = sum(expected.values(), Counter())
    assert found.counts == pooled
    assert found.clusters == clustered(expected.values())
