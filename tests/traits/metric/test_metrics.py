import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.traits.metric.measures import METRICS, Counts, counted, defined, value

TEXTS = st.lists(st.text(max_size=4) | st.sampled_from(["a", "A ", " a", "b", "", "  ", "İ", "i̇"]))
SIZE = st.integers(0, 50)
COUNTS = st.builds(Counts, SIZE, SIZE, SIZE, SIZE)


def test_the_worked_example_comes_out_as_printed():
    counts = Counts(tp=3, fn=1, fp=1, tn=1)
    assert {m: value(m, counts) for m in METRICS} == {
        "precision": 0.75,
        "recall": 0.75,
        "specificity": 0.5,
        "accuracy": 4 / 6,
        "f1": 0.75,
    }


def test_a_zero_denominator_has_the_value_zero_and_is_undefined():
    assert all(
        value(metric, Counts()) == 0.0 and not defined(metric, Counts()) for metric in METRICS
    )


def test_f1_is_a_true_zero_where_something_was_expected_and_nothing_found():
    assert defined("f1", Counts(fn=2))
    assert value("f1", Counts(fn=2)) == 0.0
    assert not defined("precision", Counts(fn=2))


def test_f1_is_undefined_with_true_negatives_alone():
    assert not defined("f1", Counts(tn=5))


def test_a_metric_nobody_knows_is_a_broken_promise():
    with pytest.raises(KeyError, match="mcc"):
        value("mcc", Counts(1, 1, 1, 1))


@given(COUNTS)
def test_every_metric_agrees_with_exact_fractions(counts):
    tp, fn, fp, tn = counts
    exact = {
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "specificity": (tn, tn + fp),
        "accuracy": (tp + tn, tp + tn + fp + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
    }
    for metric, (over, under) in exact.items():
        assert defined(metric, counts) == (under > 0)
        assert math.isclose(
            value(metric, counts), Fraction(over, under) if under else 0, abs_tol=1e-15
        )


@given(TEXTS)
def test_deduplication_counts_the_first_of_every_key(texts):
    keys = [text.lower().strip() for text in texts]
    assert counted(texts, deduplicate=True) == [
        i for i, k in enumerate(keys) if k and k not in keys[:i]
    ]


@given(TEXTS)
def test_without_deduplication_everything_counts(texts):
    assert counted(texts, deduplicate=False) == list(range(len(texts)))
