"""Many values as one number, as inspect_ai 0.3.285 has them (`oracle/inspect.json.gz`)."""

import gzip
import json
import re
import statistics
from functools import partial
from math import isclose, isnan, nan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate import aggregate, reduce_epochs
from appellate.stats.aggregates import (
    clustered_stderr,
    is_scored,
    value_to_float,
)

NOT_FOLLOWED = {
    "collect": "it makes a list of the scores, which no metric over traces can take: there is nothing to show",
}
"""Reducers of the oracle that there are not here, and why; all else in it is followed."""
NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


@pytest.fixture(scope="module")
def oracle(shared):
    with gzip.open(shared / "oracle" / "inspect.json.gz") as stream:
        return _read(json.load(stream))


def _read(value):
    """JSON with the numbers that JSON does not have."""
    match value:
        case "__nan__":
            return nan
        case list():
            return list(map(_read, value))
        case dict():
            return {key: _read(one) for key, one in value.items()}
        case _:
            return value


def same(expected, got):
    """Alike, with numbers to nine digits: numpy adds in another order."""
    if isinstance(expected, list):
        return (
            isinstance(got, list)
            and len(got) == len(expected)
            and all(map(same, expected, got))
        )
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(same(expected[key], got[key]) for key in expected)
        )
    if isinstance(expected, float) and isinstance(got, float):
        return (isnan(expected) and isnan(got)) or isclose(
            expected,
            got,
            rel_tol=1e-9,
            abs_tol=1e-12,
        )
    return type(expected) is type(got) and expected == got


def test_a_score_counts_as_it_does_there(oracle):
    assert len(oracle["value_to_float"]) == 42
    for case in oracle["value_to_float"]:
        letters = (
            {}
            if case["converter"] == "default"
            else {"correct": "good", "partial": "meh"}
        )
        assert same(case["expected"], value_to_float(case["value"], **letters)), case[
            "id"
        ]


def test_metrics_over_traces_are_as_they_are_there(oracle):
    assert len(oracle["metrics"]) == 35
    for case in oracle["metrics"]:
        for name, expected in case["expected"].items():
            if name == "bootstrap_stderr":  # of chance, so as near as the oracle asks
                got = aggregate(name, case["values"])
                theory = expected.get("theory_popstd_over_sqrt_n", 0.0)
                assert isclose(got, theory, rel_tol=0.15, abs_tol=1e-12), case["id"]
                continue
            clusters = case["clusters"] if name == "stderr_clustered" else None
            got = aggregate(name.removesuffix("_clustered"), case["values"], clusters)
            assert same(expected, got), (case["id"], name)


def test_reducers_over_epochs_are_as_they_are_there(oracle):
    assert len(oracle["reducers"]) == 37
    for case in oracle["reducers"]:
        for called, expected in case["expected"].items():
            if called in NOT_FOLLOWED:
                continue
            name, k, value = re.fullmatch(
                r"(\w+?)(?:\(k=(\d)(?:,value=([\d.]+))?\))?",
                called,
            ).groups()
            wanted = (f"{name}_{k}" if k else name, case["values"], float(value or 1))
            if isinstance(expected, dict) and "error" in expected:
                with pytest.raises(ValueError, match="score all in the same way"):
                    reduce_epochs(*wanted)
            else:
                assert same(expected, reduce_epochs(*wanted)), (case["id"], called)


def test_epochs_reduced_and_then_measured_come_to_the_same_as_there(oracle):
    assert len(oracle["pipeline"]) == 14
    for case in oracle["pipeline"]:
        clusters = [sample["cluster"] for sample in case["samples"]]
        for called, expected in case["expected"].items():
            name = "mean" if called == "default(mean)" else called
            reduced = [
                reduce_epochs(name, sample["values"]) for sample in case["samples"]
            ]
            scored = sum(map(is_scored, reduced))
            assert (scored, len(reduced) - scored) == (
                expected["scored"],
                expected["unscored"],
            )
            for metric, value in expected["metrics"].items():
                by = clusters if metric == "stderr2" else None
                got = aggregate(metric.removesuffix("2"), reduced, by)
                assert same(value, got), (case["id"], called, metric)


def results(rows, result):
    """What a log's rows come to, under one scorer and reducer: scored, unscored and its metrics."""
    by_sample, category = {}, {}
    for row in rows:
        category[row["id"]] = row["category"]
        if result["scorer"] in row["scores"]:
            by_sample.setdefault(row["id"], []).append(row["scores"][result["scorer"]])
    reduced = [
        reduce_epochs(result["reducer"] or "mean", scores)
        for scores in by_sample.values()
    ]
    if any(isinstance(one, dict) for one in reduced):
        reduced = [one[result["name"]] for one in reduced]
    metadata = [{"category": category[sample]} for sample in by_sample]
    metrics = {}
    for name, told in result["metrics"].items():
        key = told["params"].get("cluster")
        metric = name.removesuffix("2")
        metrics[name] = aggregate(metric, reduced, cluster=key, metadata=metadata)
    scored = sum(map(is_scored, reduced))
    return scored, len(reduced) - scored, metrics


def agrees(rows, result):
    scored, unscored, metrics = results(rows, result)
    told = {name: one["value"] for name, one in result["metrics"].items()}
    return (scored, unscored) == (
        result["scored_samples"],
        result["unscored_samples"],
    ) and same(told, metrics)


def test_the_results_that_logs_hold_follow_from_their_scores(oracle):
    compared = 0
    for log in oracle["logs"]:
        for result in log["results"]:
            assert agrees(log["rows"], result), (
                log["id"],
                result["name"],
                result["reducer"],
            )
            compared += 1
    assert compared > 30


LEFT_OUT = {
    "edit-003": ("qa-008", 1, "P"),
    "edit-005": ("qa-028", 1, "C"),
    "edit-007": ("qa-010", 2, "I"),
    "edit-009": ("qa-020", 1, "C"),
    "edit-011": ("qa-024", 2, "C"),
    "edit-013": ("qa-005", 1, "P"),
    "edit-015": ("qa-001", 1, "N"),
    "edit-017": ("qa-004", 1, "P"),
}
"""The oracle has every second edit of a row of them: before each, one edit (found by trying all) that explains it."""


def test_the_results_after_each_edit_follow_from_the_edited_scores(oracle):
    logs = {
        log["id"]: {(row["id"], row["epoch"]): row["scores"] for row in log["rows"]}
        for log in oracle["logs"]
    }
    rows = {log["id"]: log["rows"] for log in oracle["logs"]}
    for edit in oracle["log_edits"]:
        scores, name = logs[edit["log"]], edit["score"]
        if edit["id"] in LEFT_OUT:
            sample, epoch, value = LEFT_OUT[edit["id"]]
            scores[sample, epoch][name] = value
        edited = scores[edit["sample_id"], edit["epoch"]]
        assert same(edit["from"], edited.get(name)), edit["id"]
        edited[name] = edit["to"]
        for result in edit["results_after"]:
            assert agrees(rows[edit["log"]], result), edit["id"]


@given(NUMBERS)
def test_every_value_in_a_cluster_of_its_own_gives_the_usual_error(values):
    alone = aggregate("stderr", values, range(len(values)))
    assert isclose(alone, aggregate("stderr", values), rel_tol=1e-6, abs_tol=1e-9)
    usual = statistics.stdev(values) / sqrt(len(values))
    assert isclose(aggregate("stderr", values), usual, rel_tol=1e-6, abs_tol=1e-9)


@given(NUMBERS, st.data())
def test_neither_the_order_of_cells_nor_unscored_ones_show(values, data):
    clusters = data.draw(
        st.lists(st.sampled_from("abc"), min_size=len(values), max_size=len(values)),
    )
    mixed = data.draw(st.permutations(list(zip(values, clusters, strict=True))))
    mixed.insert(len(mixed) // 2, (nan, "a"))
    shuffled, of = map(list, zip(*mixed, strict=True))
    for metric in ("accuracy", "mean", "std", "stderr"):
        assert isclose(
            aggregate(metric, values, clusters),
            aggregate(metric, shuffled, of),
            rel_tol=1e-6,
            abs_tol=1e-9,
        )


@pytest.mark.parametrize(
    ("name", "values", "reduced"),
    [
        ("mean", [None, 1.0], 1.0),
        ("mode", [None, 1, None], 1),
        ("majority", [None, 1, None], nan),
        ("majority", [{"a": 1}, nan], nan),
        ("majority", [{"a": 1}, {"a": 1}, nan], {"a": 1}),
        ("majority", [{"a": 1}, {"a": 0}, nan], {"a": nan}),
        ("majority", [[1], [1], None], [1]),
        ("at_least_1", [None, "C"], 1),
        ("pass_at_2", [1.0, None], nan),
        ("max", [None, {"a": 1, "b": None}, {"a": 0, "b": 2}], {"a": 1, "b": 2}),
        *((name, [None, None], nan) for name in ("mean", "mode", "max", "at_least_1")),
    ],
)
def test_epochs_that_nobody_scored_are_reduced_to_nothing(name, values, reduced):
    assert reduce_epochs(name, values) == pytest.approx(reduced, nan_ok=True)


def test_a_bootstrap_is_the_same_for_a_seed_and_another_for_another():
    values = [0.1, 0.4, 0.35, 0.8, 1.0]
    one = aggregate("bootstrap_stderr", values, seed=7)
    assert one == aggregate("bootstrap_stderr", values, seed=7) == 0.14478342446564801
    assert one != aggregate("bootstrap_stderr", values, seed=8)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: aggregate("median", [1]), "'median' is not a metric over traces"),
        (lambda: aggregate("mean", [1, 2], ["a"]), "2 values, but 1 clusters"),
        (
            lambda: aggregate("bootstrap_stderr", [1], ["a"]),
            "cannot use clusters; use stderr",
        ),
        (
            lambda: reduce_epochs("pass_at_0", [1]),
            "'pass_at_0' is not a reducer of epochs",
        ),
        (lambda: reduce_epochs("mean", [1, [1]]), "some epochs score a list"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(call, told):
    with pytest.raises(ValueError, match=told):
        call()


# -- what a value counts as, how often is drawn, what belongs together ------------------------------


def test_what_a_value_counts_as_is_the_callers_to_say():
    words = partial(value_to_float, correct="good", incorrect="bad", partial="fair")
    values = ["good", "fair", "bad", nan, "C"]
    assert aggregate("accuracy", values, to_float=words) == 1.5 / 4
    assert aggregate("std", values[:3], to_float=words) == 0.5
    assert reduce_epochs("median", values, to_float=words) == 0.25
    assert reduce_epochs("max", values, to_float=words) == "good"
    assert reduce_epochs("at_least_1", ["good"], to_float=words) == 1
    assert reduce_epochs("pass_at_1", [{"a": "fair"}], 0.5, to_float=words) == {
        "a": 1.0,
    }


def test_numbers_and_truth_may_stand_for_the_letters_and_come_before_what_they_count():
    scale = {"correct": 5, "incorrect": 1, "partial": 3}
    assert [value_to_float(one, **scale) for one in (5, 5.0, 3, 1, 4, "C")] == [
        1,
        1,
        0.5,
        0,
        4,
        0,
    ]
    assert value_to_float(False, correct=False) == 1
    assert value_to_float(["C"], correct=["C"]) == 1


@pytest.mark.parametrize("given", ["1", None, [1], 10**400])
def test_a_function_that_gives_no_number_is_refused(given):
    for call in (
        lambda: aggregate("mean", [1], to_float=lambda _: given),
        lambda: reduce_epochs("mean", [1], to_float=lambda _: given),
        lambda: aggregate(lambda _: given, [1]),
    ):
        with pytest.raises(ValueError, match=r"(to_float|the metric) returned a "):
            call()


def test_a_bootstrap_of_few_draws_is_rougher_and_one_of_none_is_refused():
    values = [0.1, 0.4, 0.35, 0.8, 1.0] * 20
    theory = statistics.pstdev(values) / sqrt(len(values))
    for draws in (1, 10, 4000):
        found = aggregate("bootstrap_stderr", values, seed=1, num_samples=draws)
        assert found == aggregate("bootstrap_stderr", values, seed=1, num_samples=draws)
        assert isclose(found, theory, rel_tol=1 / sqrt(draws))
    for wrong in (0, -1, 2.5, True, "10"):
        with pytest.raises(ValueError, match="must be a whole number from 1"):
            aggregate("bootstrap_stderr", values, num_samples=wrong)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"cluster": "site"}, "give metadata"),
        (
            {"cluster": "site", "metadata": [{"site": 1}]},
            "2 values, but 1 tables of metadata",
        ),
        ({"cluster": "site", "metadata": [{"site": 1}, {}]}, "value 2 has no 'site'"),
        ({"cluster": "site", "metadata": [None, {"site": 1}]}, "value 1 has no 'site'"),
        (
            {"cluster": "site", "metadata": [{"site": nan}, {"site": 1}]},
            "value 1 has no 'site'",
        ),
        (
            {"cluster": "site", "metadata": [{"site": []}, {"site": 1}]},
            "cannot be a cluster",
        ),
        ({"cluster": "site", "clusters": ["a", "b"]}, "give only one"),
    ],
)
def test_clusters_that_cannot_be_told_are_refused(settings, told):
    with pytest.raises(ValueError, match=told):
        aggregate("stderr", [1, 0], **settings)


def test_what_nobody_scored_needs_no_cluster():
    metadata = [{"site": "a"}, {"site": "b"}, {}]
    found = aggregate("stderr", [1, 0, nan], cluster="site", metadata=metadata)
    assert found == aggregate("stderr", [1, 0], ["a", "b"])


# -- functions in the place of names ----------------------------------------------------------------


def test_a_function_measures_the_numbers_and_reduces_the_scores_that_there_are():
    assert aggregate(statistics.median, ["C", nan, "P", "I"]) == 0.5
    assert aggregate(statistics.median, [nan]) == 0.0
    assert reduce_epochs(min, ["P", "C", nan]) == "C"
    assert isnan(reduce_epochs(min, [None, nan]))
    assert reduce_epochs(len, [{"a": 1, "b": nan}, {"a": 0, "b": 1}]) == {
        "a": 2,
        "b": 1,
    }
    assert reduce_epochs(sum, [[1, 2], [3, 4]]) == [4, 6]


@pytest.mark.parametrize("given", ["Z", None, [1], {"a": 1}])
def test_a_reducer_that_gives_no_score_is_refused(given):
    with pytest.raises(ValueError, match="the reducer returned a"):
        reduce_epochs(lambda _: given, ["C"])


@pytest.mark.parametrize(
    ("numbers", "clusters"),
    [([1.0], []), ([], ["a"]), ([1.0, 2.0], ["a"]), ([1.0, 2.0], ["a", "b", "b"])],
)
def test_numbers_and_clusters_that_are_not_as_many_have_no_standard_error(
    numbers,
    clusters,
):
    with pytest.raises(ValueError, match="clusters of"):
        clustered_stderr(numbers, clusters)
