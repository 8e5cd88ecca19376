import gzip
import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from appellate.traits.metric.spec import (
    BUCKETS,
    ConfusionLists,
    Counts,
    MetricRubricTrait,
    value,
)

NEW_KEYS = {"fp_instructions", "fn_instructions"}
TEXTS = st.lists(st.text(max_size=3) | st.sampled_from(["a", " A", "b"]), max_size=6)
FIVE = ("precision", "recall", "specificity", "accuracy", "f1")
"""Karenina's metrics; a sixth may come here."""
LISTS = st.builds(ConfusionLists, tp=TEXTS, fn=TEXTS, fp=TEXTS, tn=TEXTS)


def trait(**keys):
    given = {
        "name": "t",
        "metrics": ["precision", "recall", "f1"],
        "tp_instructions": ["a"],
    } | keys
    return MetricRubricTrait(**given)


def full(**keys):
    return trait(
        evaluation_mode="full_matrix",
        tn_instructions=["b"],
        metrics=list(FIVE),
        **keys,
    )


def wrong(**keys):
    with pytest.raises(ValidationError) as refusal:
        trait(**keys)
    return str(refusal.value)


@pytest.fixture(scope="module")
def oracle(shared):
    with gzip.open(shared / "oracle" / "karenina.json.gz") as stream:
        return json.load(stream)


def test_every_bucket_and_metric_agrees_with_karenina(oracle):
    traits = {
        "tp_only|dedup": trait(),
        "tp_only|raw": trait(repeated_extraction=False),
        "full_matrix|dedup": full(),
        "full_matrix|raw": full(repeated_extraction=False),
    }
    for case in oracle["metric_cases"]:
        lists = ConfusionLists(**case["input"])
        for setting, expected in case["result"].items():
            judged = traits[setting]
            assert judged.deduplicate(lists).model_dump() == expected["buckets"], case[
                "id"
            ]
            assert judged.measure(lists) == expected["metrics"], case["id"]
            assert list(judged.measure(lists)) == list(expected["metrics"])


def test_what_karenina_accepts_is_accepted_and_the_rest_refused(oracle):
    for case in oracle["trait_validation"]:
        keys, expected = case["kwargs"], case["outcome"]
        if keys.keys() & NEW_KEYS or keys.get("evaluation_mode") == "auto":
            continue  # what this project adds
        try:
            made = MetricRubricTrait(**keys)
        except ValidationError:
            assert not expected["accepted"], case["note"]
        else:
            assert expected["accepted"], case["note"]
            assert made.model_dump(exclude=NEW_KEYS) == expected["dump"]
            assert sorted(made.get_required_buckets()) == expected["required_buckets"]


def test_auto_is_full_matrix_where_tn_instructions_are_given():
    assert trait(
        evaluation_mode="auto",
        tn_instructions=["b"],
        metrics=["accuracy"],
    ).full
    assert (
        trait(evaluation_mode="auto", tn_instructions=["b"]).evaluation_mode
        == "full_matrix"
    )


def test_auto_is_tp_only_without_them():
    assert trait(evaluation_mode="auto").evaluation_mode == "tp_only"
    assert "accuracy counts true negatives" in wrong(
        evaluation_mode="auto",
        metrics=["accuracy"],
    )


def test_what_auto_chose_is_written_so_that_it_means_the_same():
    chosen = trait(evaluation_mode="auto", tn_instructions=["b"])
    assert MetricRubricTrait(**chosen.to_file()) == chosen


def test_a_metric_in_the_wrong_case_is_told_the_right_one():
    assert '"F1" is not a metric: write it as "f1"' in wrong(metrics=["F1"])


def test_an_unknown_metric_is_told_all_there_are():
    assert '"mcc" is not a metric: choose from precision, recall' in wrong(
        metrics=["mcc"],
    )


def test_several_faults_of_one_trait_come_together():
    told = wrong(name="", metrics=["mcc", "F1"], tp_instructions=[])
    assert all(
        part in told
        for part in ("name", '"mcc"', '"F1"', "at least one TP instruction")
    )


def test_full_matrix_without_tn_instructions_is_told_both_ways_out():
    told = wrong(evaluation_mode="full_matrix")
    assert "at least one TN instruction" in told
    assert 'evaluation_mode = "tp_only"' in told


WAY_OUT = 'drop it, or set evaluation_mode = "auto" or "full_matrix" to use the tn_instructions'
NEEDED = 'drop it, or set evaluation_mode = "full_matrix" and give tn_instructions'


@pytest.mark.parametrize("metric", ["accuracy", "specificity"])
@pytest.mark.parametrize("mode", [{}, {"evaluation_mode": "tp_only"}])
def test_a_metric_of_the_full_matrix_beside_tn_instructions_is_told_the_mode_that_uses_them(
    metric,
    mode,
):
    told = wrong(metrics=[metric], tn_instructions=["b"], **mode)
    assert f"{metric} counts true negatives, which tp_only has not: {WAY_OUT}" in told
    assert NEEDED not in told


@pytest.mark.parametrize(
    "mode",
    [{}, {"evaluation_mode": "tp_only"}, {"evaluation_mode": "auto"}],
)
def test_a_metric_of_the_full_matrix_without_tn_instructions_is_told_to_give_them(mode):
    assert NEEDED in wrong(metrics=["accuracy"], **mode)


def test_metrics_are_written_before_the_instructions():
    keys = ["name", "evaluation_mode", "metrics", "tp_instructions", "tn_instructions"]
    assert list(full().to_file()) == keys


def test_something_that_is_no_table_is_refused():
    with pytest.raises(ValidationError):
        MetricRubricTrait.model_validate(["auto"])


def test_hints_change_no_formula():
    lists = ConfusionLists(tp=["a"], fp=["b"])
    hinted = trait(fp_instructions=["x"], fn_instructions=["y"])
    assert hinted.measure(lists) == trait().measure(lists)
    assert hinted.instructions("fp") == ["x"]


def test_tn_instructions_are_ignored_in_tp_only():
    assert trait(tn_instructions=["b"]).instructions("tn") == []
    assert full().instructions("tn") == ["b"]
    assert full().instructions("tp") == ["a"]


def test_a_metric_asked_for_twice_is_returned_once():
    assert list(
        trait(metrics=["recall", "f1", "recall"]).measure(ConfusionLists()),
    ) == [
        "recall",
        "f1",
    ]


def test_undefined_names_only_what_was_requested():
    assert trait(metrics=["f1"]).undefined(ConfusionLists()) == {"f1"}
    assert full().undefined(ConfusionLists(fn=["a"])) == {"precision", "specificity"}


def test_the_file_form_holds_only_what_differs_from_the_defaults():
    assert trait().to_file() == {
        "name": "t",
        "metrics": ["precision", "recall", "f1"],
        "tp_instructions": ["a"],
    }
    assert list(full(description="d").to_file()) == [
        "name",
        "description",
        "evaluation_mode",
        "metrics",
        "tp_instructions",
        "tn_instructions",
    ]


def test_the_fingerprint_follows_the_meaning():
    assert trait().sha256() == trait(evaluation_mode="tp_only").sha256()
    assert trait().sha256() != trait(repeated_extraction=False).sha256()


@given(LISTS)
def test_measuring_deduplicated_lists_again_changes_nothing(lists):
    for judged in (trait(), full()):
        once = judged.deduplicate(lists)
        assert judged.deduplicate(once) == once
        assert judged.measure(once) == judged.measure(lists)


@given(LISTS)
def test_what_counts_is_a_part_of_the_list_in_its_order(lists):
    kept = full().deduplicate(lists)
    for bucket in BUCKETS:
        rest = iter(getattr(lists, bucket))
        assert all(text in rest for text in getattr(kept, bucket))


@given(LISTS)
def test_undefined_metrics_have_the_value_zero(lists):
    judged = full()
    measured = judged.measure(lists)
    assert all(measured[metric] == 0.0 for metric in judged.undefined(lists))
    assert all(0.0 <= number <= 1.0 for number in measured.values())


# -- the arithmetic -------------------------------------------------------------------------------

ITEMS = st.lists(
    st.text(max_size=4) | st.sampled_from(["a", "A ", " a", "b", "", "  ", "İ", "i̇"]),
)
SIZE = st.integers(0, 50)
COUNTS = st.builds(Counts, SIZE, SIZE, SIZE, SIZE)


def test_the_worked_example_comes_out_as_printed():
    counts = Counts(tp=3, fn=1, fp=1, tn=1)
    assert {m: value(m, counts) for m in FIVE} == {
        "precision": 0.75,
        "recall": 0.75,
        "specificity": 0.5,
        "accuracy": 4 / 6,
        "f1": 0.75,
    }


def test_a_zero_denominator_is_undefined_but_f1_as_soon_as_anything_was_expected():
    assert [value(metric, Counts()) for metric in FIVE] == [None] * 5
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
        wanted = (
            pytest.approx(float(Fraction(over, under)), abs=1e-15) if under else None
        )
        assert value(metric, counts) == wanted


@given(ITEMS)
def test_deduplication_counts_the_first_of_every_key(texts):
    keys = [text.lower().strip() for text in texts]
    assert trait().counting("tp", texts) == [
        i for i, k in enumerate(keys) if k and k not in keys[:i]
    ]


@given(ITEMS)
def test_without_deduplication_everything_counts(texts):
    assert trait(repeated_extraction=False).counting("tp", texts) == list(
        range(len(texts)),
    )
