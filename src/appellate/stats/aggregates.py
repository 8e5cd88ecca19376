"""Combine many values into one number: first over the epochs of a trace, then over traces.

`reduce_epochs()` reduces the scores of a trace's epochs to one score. `aggregate()` measures the
values of many traces. Both work as in inspect_ai 0.3.285. Python callers reach them through
`appellate.numbers.by_name`, which also knows the metrics and reducers of other packages.

A value that was not scored (None or NaN) is left out of every number. Callers to whom it matters
count such values themselves. Sums are exact (`math.fsum`), so the order of cells changes nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import comb, fsum, isfinite, isnan, nan, sqrt
from numbers import Real
from types import UnionType
from typing import Any, NamedTuple

ToFloat = Callable[[Any], float]
"""A function that turns a score into a number: `value_to_float`, or one of the caller's."""
Metric = Callable[[list[float]], Any]
"""A caller's own metric over traces: takes numbers and returns one number."""
_YES_OR_NO = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
RESAMPLES = 1000
"""How many times the bootstrap draws a sample as large as the list of values."""


def value_to_float(
    value: Any,
    correct: Any = "C",
    incorrect: Any = "I",
    partial: Any = "P",
    noanswer: Any = "N",
) -> float:
    """Return the number that a score counts as.

    `correct` counts 1, `partial` 0.5, `incorrect` and `noanswer` 0, each compared with `==`, so "c"
    is not "C". They are compared first, so a caller may pass numbers for them. Other values of type
    bool, int and float count as they are, NaN and infinity too. Finite numbers written as text
    count as those numbers, with blanks around them, too. The words yes and true count 1, no and
    false 0, in upper or lower case, without blanks. Anything else counts 0: other text, lists,
    dictionaries, None. Raises OverflowError for an int that is too large for a float.
    """
    if value == correct:
        return 1.0
    if value == partial:
        return 0.5
    if value in (incorrect, noanswer):
        return 0.0
    if isinstance(value, bool | int | float):
        return float(value)
    if not isinstance(value, str):
        return 0.0

    yes_or_no = _YES_OR_NO.get(value.lower())
    if yes_or_no is not None:
        return yes_or_no

    try:
        number = float(value)
    except ValueError:
        return 0.0
    return number if isfinite(number) else 0.0


def is_scored(value: Any) -> bool:
    """Return whether a value is a score: anything except None and NaN."""
    if isinstance(value, float):
        return not isnan(value)
    return value is not None


# -- over traces ----------------------------------------------------------------------------------


def aggregate(
    metric: str | Metric,
    values: Sequence[Any],
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    num_samples: int = RESAMPLES,
    to_float: ToFloat = value_to_float,
    cluster: str | None = None,
    metadata: Sequence[Mapping[str, Any] | None] | None = None,
) -> float:
    """Return a metric over the scored values, or 0 if there are none.

    - `metric`: accuracy, mean, std, var, stderr or bootstrap_stderr, or a function that gets the
      numbers that the values count as, at least one. accuracy is the mean; std and var divide
      by n - 1. std, var and both stderrs are 0 for a single value, and stderr is 0 for a single
      cluster.
    - `values`: the scores, one for each trace. None and NaN are not scored and left out.
    - `clusters`: one for each value. Values with the same cluster depend on each other. Only stderr
      uses clusters; without them it takes all values as independent. bootstrap_stderr refuses them,
      and the others ignore them.
    - `seed`: starts the random numbers of bootstrap_stderr; one seed always gives one result.
    - `num_samples`: how often bootstrap_stderr draws; others ignore it.
    - `to_float`: turns a score into a number.
    - `cluster`: a key of `metadata` whose values are the clusters, instead of `clusters`.
    - `metadata`: one table for each value; it is read only with `cluster`.

    Raises ValueError for an unknown metric, also without scored values, for `clusters` or
    `metadata` of another length than `values`, for `cluster` with `clusters` or without `metadata`,
    for a scored value without a cluster in its table, for a `num_samples` that is not a whole
    number from 1, and if `to_float` or the caller's metric does not return a number (NaN is one).
    What a caller's function raises passes through.
    """
    if cluster is not None:
        clusters = _clusters_from_metadata(cluster, values, clusters, metadata)
    if clusters is not None and len(clusters) != len(values):
        raise ValueError(
            f"there are {len(values)} values, but {len(clusters)} clusters",
        )

    numbers: list[float] = []
    cluster_of_number: list[Hashable] = []
    for index, value in enumerate(values):
        if is_scored(value):
            numbers.append(_counted_as(to_float, value))
            cluster_of_number.append(clusters[index] if clusters else index)

    if not isinstance(metric, str):
        return measured_by(metric, numbers) if numbers else 0.0
    if metric not in METRICS:
        known_names = ", ".join(METRICS)
        raise ValueError(
            f"{metric!r} is not a metric over traces; choose one of {known_names}",
        )
    if metric == "stderr" and clusters is not None:
        return clustered_stderr(numbers, cluster_of_number)
    if metric != "bootstrap_stderr":
        return _METRICS[metric](numbers)
    if clusters is not None:
        raise ValueError("bootstrap_stderr cannot use clusters; use stderr")
    return _bootstrap_stderr(numbers, seed, num_samples)


def _clusters_from_metadata(
    key: str,
    values: Sequence[Any],
    clusters: Sequence[Hashable] | None,
    metadata: Sequence[Mapping[str, Any] | None] | None,
) -> list[Hashable]:
    """Return what the metadata of each value has under `key`, as the cluster of that value.

    A value that was not scored needs no metadata; its cluster may be None. Raises ValueError if a
    scored value has nothing, NaN, a list or a table under the key, if `clusters` is not None, and
    if `metadata` is None or of another length than `values`.
    """
    if clusters is not None:
        raise ValueError(
            "clusters and cluster both say which values belong together: give only one",
        )
    if metadata is None:
        raise ValueError(
            f"cluster={key!r} is a key of metadata: give metadata, one table for each value",
        )
    if len(metadata) != len(values):
        raise ValueError(
            f"there are {len(values)} values, but {len(metadata)} tables of metadata",
        )

    clusters_of_values: list[Hashable] = []
    for number, (value, table) in enumerate(zip(values, metadata, strict=True), 1):
        cluster = (table or {}).get(key)
        if is_scored(value):
            if not is_scored(cluster):
                raise ValueError(
                    f"value {number} has no {key!r} in its metadata to cluster by",
                )
            if not isinstance(cluster, Hashable):
                raise ValueError(
                    f"value {number} has a list or table as {key!r}, which cannot be a cluster",
                )
        clusters_of_values.append(cluster)
    return clusters_of_values


def _counted_as(to_float: ToFloat, value: Any) -> float:
    """Return `to_float(value)` as a float, which may be NaN.

    Raises ValueError for a result that is not a number or too large for a float. What `to_float`
    raises passes through.
    """
    return as_number(to_float(value), "to_float")


def measured_by(metric: Metric, numbers: list[float]) -> float:
    """Return `metric(numbers)` as a float, which may be NaN.

    Raises ValueError for a result that is not a number or too large for a float. What `metric`
    raises passes through.
    """
    return as_number(metric(numbers), "the metric")


def as_number(result: Any, function_name: str) -> float:
    """Return the result of a caller's function as a float; True and False are 1 and 0.

    NaN and infinity are allowed. Raises ValueError, with the name of the function, for a result
    that is not a number, as text that has one is not, or too large for a float.
    """
    if not isinstance(result, Real):
        kind = type(result).__name__
        text = f"{function_name} returned a {kind}, not a number"
        raise ValueError(text)  # noqa: TRY004 - a wrong value
    try:
        return float(result)
    except OverflowError:
        raise ValueError(
            f"{function_name} returned a number that is too large",
        ) from None


class KnownMean(NamedTuple):
    """A mean of those values that are known."""

    mean: float | None
    """None if no value is known."""
    n: int
    """How many are known."""


def known_mean(values: Iterable[float | None]) -> KnownMean:
    """Return the mean of the values that are not None, and how many these are.

    The mean is None if there are none.
    """
    known_values = [value for value in values if value is not None]
    if not known_values:
        return KnownMean(None, 0)
    return KnownMean(mean(known_values), len(known_values))


def mean(numbers: Sequence[float]) -> float:
    """Return the mean of some numbers, or 0 if there are none."""
    return fsum(numbers) / max(len(numbers), 1)


def variance(numbers: Sequence[float]) -> float:
    """Return the sample variance (divided by n - 1), or 0 for fewer than two numbers."""
    count = len(numbers)
    if count < 2:  # noqa: PLR2004 - a pair
        return 0.0
    return _squared_deviations(numbers) / (count - 1)


def _squared_deviations(numbers: Sequence[float]) -> float:
    """Return the sum of the squared distances of numbers from their mean; 0 for none."""
    center = mean(numbers)
    return fsum((number - center) ** 2 for number in numbers)


def _std(numbers: Sequence[float]) -> float:
    """Return the standard deviation of a sample (n - 1); 0 for fewer than two numbers."""
    return sqrt(variance(numbers))


def _stderr(numbers: Sequence[float]) -> float:
    """Return the standard error of the mean of independent numbers; 0 for fewer than two."""
    count = max(len(numbers), 1)
    return sqrt(variance(numbers) / count)


_METRICS: dict[str, Callable[[Sequence[float]], float]] = {
    "accuracy": mean,
    "mean": mean,
    "std": _std,
    "var": variance,
    "stderr": _stderr,
}
METRICS = (*_METRICS, "bootstrap_stderr")
"""The names of the built-in metrics over traces."""


def clustered_stderr(numbers: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Return the standard error of the mean, for numbers that depend on each other in clusters.

    `clusters` has the cluster of each number. With one number in each cluster the result is the
    usual standard error. With one cluster in all, or without numbers, it is 0. Raises ValueError if
    there are not as many clusters as numbers. Source: Miller, "Adding Error Bars to Evals", 2024,
    with the factor C/(C - 1).
    """
    if len(clusters) != len(numbers):
        raise ValueError(f"{len(clusters)} clusters of {len(numbers)} numbers")
    count = len(set(clusters))
    if count < 2:  # noqa: PLR2004 - one cluster says nothing of others
        return 0.0
    if count == len(numbers):  # most audits have no clusters
        squares = _squared_deviations(numbers)
    else:
        center = mean(numbers)
        deviations: dict[Hashable, list[float]] = {}
        for number, cluster in zip(numbers, clusters, strict=True):
            deviation = number - center
            deviations.setdefault(cluster, []).append(deviation)
        sums = [fsum(in_cluster) for in_cluster in deviations.values()]
        squares = fsum(cluster_sum**2 for cluster_sum in sums)
    correction = count / (count - 1)
    return sqrt(correction * squares) / len(numbers)


def _bootstrap_stderr(numbers: Sequence[float], seed: int, resamples: int) -> float:
    """Return the standard error of the mean, from `resamples` draws with replacement.

    A draw has as many numbers as there are. The result is the standard deviation of the means of
    all draws, divided by their number and not by one less. One `seed` always gives one result. It
    is 0 if there is no number or one. Raises ValueError if `resamples` is not a whole number from 1
    on, also without numbers.
    """
    is_whole = isinstance(resamples, int) and not isinstance(resamples, bool)
    if not is_whole or resamples < 1:
        raise ValueError(
            f"num_samples must be a whole number from 1, not {resamples!r}",
        )
    count = len(numbers)
    if not count:
        return 0.0

    indices = _random_indices(seed, count)
    means = []
    for _ in range(resamples):
        drawn_sum = fsum(numbers[next(indices)] for _ in range(count))
        means.append(drawn_sum / count)
    return sqrt(_squared_deviations(means) / resamples)


def _random_indices(seed: int, length: int) -> Iterator[int]:
    """Yield random whole numbers from 0 up to `length` - 1, without end.

    `length` is 1 or more, and `seed` any whole number. The numbers are the same for a seed on every
    machine: SplitMix64 (Steele, Lea, Flood 2014). The generator is our own because the core may not
    import `random`.
    """
    all_bits = 2**64 - 1
    state = seed & all_bits
    while True:
        state = (state + 0x9E3779B97F4A7C15) & all_bits
        mixed = state ^ (state >> 30)
        mixed = (mixed * 0xBF58476D1CE4E5B9) & all_bits
        mixed = mixed ^ (mixed >> 27)
        mixed = (mixed * 0x94D049BB133111EB) & all_bits
        mixed = mixed ^ (mixed >> 31)
        yield (mixed * length) >> 64


# -- over epochs ----------------------------------------------------------------------------------

Scores = Sequence[Any]


def _mean_score(scores: Scores, to_float: ToFloat) -> float:
    """Return the mean of what the scores count as."""
    return mean([to_float(score) for score in scores])


def _median_score(scores: Scores, to_float: ToFloat) -> float:
    """Return the median of what the scores count as."""
    return median(map(to_float, scores))


def _most_frequent_score(scores: Scores, _: ToFloat) -> Any:
    """Return the score that occurs most often, the first of them on a tie.

    There must be a score. Scores are compared as they are, not as numbers.
    """
    score, _count = Counter(scores).most_common(1)[0]
    return score


def _largest_score(scores: Scores, to_float: ToFloat) -> Any:
    """Return the score that counts most, unchanged, the first of them on a tie.

    There must be a score.
    """
    return max(scores, key=to_float)


_PLAIN_REDUCERS: dict[str, Callable[[Scores, ToFloat], Any]] = {
    "mean": _mean_score,
    "median": _median_score,
    "mode": _most_frequent_score,
    "max": _largest_score,
}
"""Reducers that need only the scored epochs, by name."""
_COUNTING_REDUCER = re.compile(r"(?P<name>at_least|pass_at|pass_k)_(?P<k>[1-9]\d{0,8})")
"""The names of reducers that count the epochs that reach a value."""
REDUCERS = (*_PLAIN_REDUCERS, "majority", "at_least_K", "pass_at_K", "pass_k_K")
"""The names of the built-in reducers. K stands for a whole number from 1."""
Reduce = Callable[[list[Any]], Any]
"""A caller's own reducer: takes the scored epochs of a trace and returns one score."""


class NamedReducer(NamedTuple):
    """A caller's own reducer, with the name under which its numbers are shown."""

    name: str
    reduce: Reduce


def reduced_by(reduce: Reduce, scores: list[Any]) -> Any:
    """Return `reduce(scores)`, a number as a float and a text as it is.

    Raises ValueError if that is neither a number nor, for a text, one of the scores. A number need
    not be one of them, and may be NaN; True and False are 1 and 0. What `reduce` raises passes
    through.
    """
    reduced = reduce(scores)
    if not isinstance(reduced, str):
        return as_number(reduced, "the reducer")
    if reduced not in scores:
        raise ValueError("the reducer returned a word that is not one of its scores")
    return reduced


def reduce_epochs(
    reducer: str | Reduce,
    values: Scores,
    value: float = 1.0,
    *,
    to_float: ToFloat = value_to_float,
) -> Any:
    """Return one score for the scores of a trace's epochs.

    NaN is returned if no epoch is scored, or too few for the reducer. None and NaN are not scored.

    - `reducer`: a name of `REDUCERS`, or a function. `mean` and `median` return a number. `mode`,
      `max` and `majority` return one of the scores unchanged, the first of them on a tie.
      `majority` needs more than half of all epochs, unscored ones included. `at_least_2` is 1 if
      two epochs reach `value`, else 0. `pass_at_2` is the chance that at least one of two drawn
      epochs reaches it (Chen et al. 2021), `pass_k_2` the chance that both do. A function gets a
      list of the scored epochs, which is never empty. It returns a number, which becomes a float,
      or a text that is one of those scores.
    - `values`: the score of each epoch. Dictionaries are reduced key by key, lists position by
      position, and the result is a dictionary or list. A None inside one is a score for a named
      reducer, as in inspect_ai, and counts 0 (`to_float`); a function does not get it.
    - `value`: the number that an epoch must reach, for the reducers with a K.
    - `to_float`: turns a score into a number.

    Raises ValueError for an unknown reducer, also without scores, and for dictionaries or lists of
    which one has other keys or another length, or is missing in a scored epoch. Raises ValueError
    if a function or `to_float` returns anything else than it may. Raises TypeError if `mode` or
    `majority` meets a dictionary or list inside another. What a caller's function raises passes
    through.
    """
    _check_reducer(reducer)
    scores = [score for score in values if is_scored(score)]
    unscored_count = len(values) - len(scores)
    unscored = [nan] * unscored_count
    if reducer == "majority" and len(scores) <= unscored_count:
        return nan

    if _are_all(scores, Mapping, "a dictionary"):
        keys = list(scores[0])
        if any(set(score) != set(keys) for score in scores):
            raise ValueError(
                "the dictionaries have different keys in different epochs;"
                " score all in the same way",
            )
        reduced_by_key = {}
        for key in keys:
            scores_of_key = [score[key] for score in scores]
            reduced_by_key[key] = _reduced_list(
                reducer,
                scores_of_key + unscored,
                value,
                to_float,
            )
        return reduced_by_key
    if _are_all(scores, list | tuple, "a list"):
        if len(set(map(len, scores))) > 1:
            raise ValueError(
                "the lists are longer in some epochs than in others; score all in the same way",
            )
        reduced_list = []
        for column in zip(*scores, strict=True):
            scores_at_position = list(column)
            reduced_list.append(
                _reduced_list(reducer, scores_at_position + unscored, value, to_float),
            )
        return reduced_list
    return _reduced_list(reducer, scores + unscored, value, to_float)


def median(numbers: Iterable[float]) -> float:
    """Return the middle number in order of size, or the mean of the middle two; 0 for none."""
    in_order = sorted(numbers)
    count = len(in_order)
    first = (count - 1) // 2
    last = count // 2
    middle = in_order[first : last + 1]
    return mean(middle)


def _check_reducer(reducer: str | Reduce) -> None:
    """Raise ValueError for a text that is not the name of a built-in reducer.

    Names are those of `REDUCERS`, with a number from 1 to 999,999,999 in place of K. A function
    passes, whatever it does.
    """
    if callable(reducer) or reducer in (*_PLAIN_REDUCERS, "majority"):
        return
    if not _COUNTING_REDUCER.fullmatch(reducer):
        known_names = ", ".join(REDUCERS)
        raise ValueError(
            f"{reducer!r} is not a reducer of epochs; choose one of {known_names}",
        )


def _reduced_list(
    reducer: str | Reduce,
    values: Scores,
    value: float,
    to_float: ToFloat,
) -> Any:
    """Return one score for a list of scores that are neither dictionaries nor lists.

    `reducer` is a function, or a name that `_check_reducer` lets pass. `values` has NaN for each
    epoch without a score; a None is an unscored part of a dictionary or list. Named reducers take
    None as a score, a function does not get it. Returns NaN if no score is left, if `majority`
    finds none in more than half of `values`, and if `pass_at` or `pass_k` needs more scores.
    `value` is what a score must reach for the reducers with a K. Raises ValueError if `to_float`
    returns no number, or a function neither a number nor one of the scores.
    """
    if callable(reducer):
        scores = [score for score in values if is_scored(score)]
        return reduced_by(reducer, scores) if scores else nan

    scores = [score for score in values if score is None or is_scored(score)]
    if not scores:
        return nan
    if reducer == "majority":
        [(most_frequent, count)] = Counter(scores).most_common(1)
        is_majority = 2 * count > len(values)
        return most_frequent if is_majority else nan
    counted_as = partial(_counted_as, to_float)
    counting = _COUNTING_REDUCER.fullmatch(reducer)
    if counting:
        reached = sum(counted_as(score) >= value for score in scores)
        k = int(counting["k"])
        return _by_count(counting["name"], k, reached, len(scores))
    return _PLAIN_REDUCERS[reducer](scores, counted_as)


def _by_count(name: str, k: int, reached: int, count: int) -> float:
    """Return the score by at_least, pass_at or pass_k for `reached` of `count` scored epochs.

    at_least is 1 if at least `k` epochs reached the value, else 0. pass_at is the chance that at
    least one of `k` drawn epochs did, pass_k that all of them did. pass_at and pass_k are NaN if
    `k` is more than `count`.
    """
    if name == "at_least":
        return int(reached >= k)
    if count < k:
        return nan
    all_draws = comb(count, k)
    if name == "pass_k":
        return comb(reached, k) / all_draws
    missed = count - reached
    return 1 - comb(missed, k) / all_draws


def _are_all(scores: Scores, kind: type | UnionType, kind_name: str) -> bool:
    """Return whether all scores are of the type `kind`; False if none is, or without scores.

    Raises ValueError if some are and some are not; `kind_name` is what its message calls one.
    """
    of_kind = [isinstance(score, kind) for score in scores]
    if any(of_kind) and not all(of_kind):
        raise ValueError(
            f"some epochs score {kind_name} and some do not; score all in the same way",
        )
    return any(of_kind)
