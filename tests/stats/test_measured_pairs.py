import pytest

from appellate import estimate
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
