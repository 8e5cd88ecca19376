from math import inf, nan

import pytest

from appellate import ConfusionLists, estimate
from appellate.stats.measured_pairs import pair


@pytest.mark.parametrize(
    ("measure", "wanted"),
    [
        ("precision", (6, 7)),
        ("recall", (6, 8)),
        ("specificity", (3, 4)),
        ("accuracy", (9, 12)),
        ("f1", (6, 7.5)),
    ],
)
def test_a_measure_is_a_ratio_of_counts(measure, wanted):
    assert pair(measure, {"tp": 6, "fn": 2, "fp": 1, "tn": 3}) == wanted
    assert pair(measure, (6, 2, 1, 3)) == wanted
    assert pair(measure, None) == (0, 0)


def test_a_number_is_itself_over_one():
    assert pair("mean", 0.25) == (0.25, 1)
    assert pair("mean", None) == (0, 0)


def test_what_fits_no_measure_is_refused():
    with pytest.raises(ValueError, match="no measure 'f2'"):
        pair("f2", (1, 2, 3, 4))
    with pytest.raises(ValueError, match="no bucket 'xx'"):
        pair("f1", {"xx": 1})
    with pytest.raises(TypeError, match="takes counts"):
        pair("f1", 3.0)
    with pytest.raises(TypeError, match="takes one number"):
        pair("mean", (1, 2, 3, 4))


def test_python_estimates_from_counts():
    person = [{"tp": 3, "fn": 1, "fp": 0}, {"tp": 2, "fn": 2, "fp": 1}, {"tp": 4}]
    judge = [{"tp": 3, "fn": 1, "fp": 0}, {"tp": 3, "fn": 1, "fp": 1}, {"tp": 4}]
    found = estimate("f1", person, judge, judge * 20)
    assert found.people_only.value == pytest.approx(9 / 11)
    assert found.judge_only == pytest.approx(10 / 11.5)
    assert found.low <= found.value <= found.high


def test_traces_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 traces audited, 1 by the judge"):
        estimate("mean", [1, 0], [1], [1, 0, 1])
    with pytest.raises(ValueError, match="fewer than those audited"):
        estimate("mean", [1, 0], [1, 1], [1])


@pytest.mark.parametrize("level", [2, -1, nan, 0, 1, inf, 1 - 1e-16])
def test_a_level_that_is_none_is_refused(level):
    with pytest.raises(ValueError, match="level"):
        estimate("mean", [1, 0], [1, 0], [1, 0, 1], level=level)


def test_values_off_their_scale_are_refused_and_not_cut_to_it():
    with pytest.raises(
        ValueError,
        match=r"audited_counts\[1\]: 2 is not between low=0 and high=1;",
    ):
        estimate("mean", [1, 2, 3], [1, 2, 3], [1, 2, 3, 4])
    found = estimate("mean", [1, 2, 3], [1, 2, 3], [1, 2, 3, 4], low=1, high=5)
    assert found.people_only.value == 2
    with pytest.raises(ValueError, match=r"judge_counts_all_traces\[3\]: 6"):
        estimate("mean", [1, 2, 3], [1, 2, 3], [1, 2, 3, 6], low=1, high=5)


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        ({"low": 1}, "low must be below high"),
        ({"low": 3, "high": 2}, "3 is not below 2"),
        ({"high": nan}, "high: expected a finite number"),
        ({"low": "0"}, "low: expected a number, not str"),
        ({"high": 10**400}, "high: the number is too large"),
    ],
)
def test_bounds_that_bound_nothing_are_refused(bounds, why):
    with pytest.raises((TypeError, ValueError), match=why):
        estimate("mean", [1, 0], [1, 0], [1, 0, 1], **bounds)


def test_the_bounds_of_a_share_are_not_for_choosing():
    with pytest.raises(ValueError, match="f1 lies between 0 and 1"):
        estimate(
            "f1",
            [(1, 1, 1, 1)] * 2,
            [(1, 1, 1, 1)] * 2,
            [(1, 1, 1, 1)] * 9,
            high=2,
        )


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ((1, nan, 0, 0), "fn: expected a finite number, not nan"),
        ((inf, 0, 0, 0), "tp: expected a finite number, not inf"),
        ((1, 0, -2, 0), "fp: a count is 0 or more, not -2"),
        ((10**400, 0, 0, 0), "tp: the number is too large"),
        ((1e200, 0, 0, 0), "tp: the number is too large"),
        (("1", 0, 0, 0), "tp: expected a number, not str"),
        ({"tp": ["a"]}, "tp: expected a number, not list"),
        ((1, 2, 3), r"expected 4 counts \(tp, fn, fp, tn\), not 3"),
        ("1234", "f1 takes counts"),
        ({1, 2, 3, 4}, "f1 takes counts"),
    ],
)
def test_what_cannot_be_counted_is_told_with_its_place(counts, why):
    good = [(1, 1, 1, 1)] * 2
    with pytest.raises(
        (TypeError, ValueError),
        match=rf"^judge_counts_same_traces\[1\]: {why}",
    ):
        estimate("f1", good, [good[0], counts], good * 2)


@pytest.mark.parametrize("value", [nan, -inf, 10**400, "1", b"1", 1j])
def test_a_mean_takes_numbers_only(value):
    with pytest.raises(
        (TypeError, ValueError),
        match=r"^judge_counts_all_traces\[2\]: .*number",
    ):
        estimate("mean", [1, 0], [1, 0], [1, 0, value], low=-inf, high=inf)


@pytest.mark.parametrize("counts", ["11", b"11", {1: 1}, {0, 1}, ConfusionLists(), 5])
def test_what_is_no_list_of_traces_is_refused(counts):
    with pytest.raises(
        TypeError,
        match="audited_counts: expected a list with an entry for each trace",
    ):
        estimate("mean", counts, [1, 0], [1, 0, 1])


def test_another_measure_is_refused_before_its_counts():
    with pytest.raises(ValueError, match=r"^there is no measure 'f2'"):
        estimate("f2", [], [], [])


def test_items_are_counted_and_generators_gone_through():
    items = [
        ConfusionLists(tp=["a", "b"], fn=["c"]),
        ConfusionLists(tp=["a"], fp=["b"]),
    ]
    counts = [(2, 1, 0, 0), (1, 0, 1, 0)]
    plain = estimate("f1", counts, counts, counts * 9)
    assert plain.people_only.value == 0.75
    assert estimate("f1", items, items, items * 9) == plain
    found = estimate("f1", iter(items), (iter(one) for one in counts), iter(items * 9))
    assert found == plain
