from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.traits.metric.spec import METRICS, Counts, counted, value

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


def test_a_zero_denominator_is_undefined_but_f1_as_soon_as_anything_was_expected():
    assert [value(metric, Counts()) for metric in METRICS] == [None] * 5
    assert value("f1", Counts(fn=2)) == 0.0
    assert value("precision", Counts(fn=2)) is None
    assert value("f1", Counts(tn=5)) is None


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
        wanted = pytest.approx(float(Fraction(over, under)), abs=1e-15) if under else None
        assert value(metric, counts) == wanted


@given(TEXTS)
def test_deduplication_counts_the_first_of_every_key(texts):
    keys = [text.lower().strip() for text in texts]
    assert counted(texts, deduplicate=True) == [
        i for i, k in enumerate(keys) if k and k not in keys[:i]
    ]


@given(TEXTS)
def test_without_deduplication_everything_counts(texts):
    assert counted(texts, deduplicate=False) == list(range(len(texts)))
