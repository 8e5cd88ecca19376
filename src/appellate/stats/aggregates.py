"""One number of many values: over the epochs of a trace (reducers), then over traces (metrics).

As inspect_ai 0.3.285 has them. A value that was not scored (NaN, None) is in no number; where one
matters, it is counted by who asks. Sums are exact (`math.fsum`), so that no order of cells shows.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import comb, fsum, isfinite, isnan, nan, sqrt
from numbers import Real
from typing import Any, NamedTuple

ToFloat = Callable[[Any], float]
"""What a score counts as: `value_to_float`, or a function of the caller's."""
Metric = Callable[[list[float]], Any]
"""A metric over traces that is no built-in one: numbers to a number."""
_SAID = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
RESAMPLES = 1000
"""How often a bootstrap draws as many values as there are."""


def value_to_float(
    value: Any, correct: Any = "C", incorrect: Any = "I", partial: Any = "P", noanswer: Any = "N"
) -> float:
    """What a score counts as; 0 for what means nothing as a number, as a list or dictionary.

    The four words come first, so that numbers may be given for them, too.
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
    known = _SAID.get(value.lower())
    if known is not None:
        return known
    try:
        number = float(value)
    except ValueError:
        return 0.0
    return number if isfinite(number) else 0.0


def is_scored(value: Any) -> bool:
    """Whether there is a score at all."""
    return value is not None and not (isinstance(value, float) and isnan(value))


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
    """A metric over values: accuracy, mean, std, var, stderr or bootstrap_stderr, or a function of
    the numbers that they count as; 0 of none.

    `to_float` says what a value counts as. `clusters` say which values belong together, one for
    each; they matter to stderr alone, which without them takes every value for independent of the
    others. `cluster` is the key of `metadata`, one table for each value, that says the same.
    `seed` and `num_samples`, the number of draws, are bootstrap_stderr's. Raises ValueError for
    another name, for what does not go together, and for a `to_float` or function that gives no
    number.
    """
    if cluster is not None:
        clusters = _clusters_by(cluster, values, clusters, metadata)
    if clusters is not None and len(clusters) != len(values):
        raise ValueError(f"there are {len(values)} values, but {len(clusters)} clusters")
    numbers: list[float] = []
    belong: list[Hashable] = []
    for place, value in enumerate(values):
        if is_scored(value):
            numbers.append(_counted_as(to_float, value))
            belong.append(clusters[place] if clusters else place)
    if not isinstance(metric, str):
        return measured_by(metric, numbers) if numbers else 0.0
    if metric not in METRICS:
        known = ", ".join(METRICS)
        raise ValueError(f"{metric!r} is no metric over traces; it would be one of {known}")
    if metric == "stderr" and clusters is not None:
        return clustered_stderr(numbers, belong)
    if metric != "bootstrap_stderr":
        return _METRICS[metric](numbers)
    if clusters is not None:
        raise ValueError("bootstrap_stderr draws single values; for clusters there is stderr")
    return _bootstrap(numbers, seed, num_samples)


def _clusters_by(
    key: str,
    values: Sequence[Any],
    clusters: Sequence[Hashable] | None,
    metadata: Sequence[Mapping[str, Any] | None] | None,
) -> list[Hashable]:
    """What each value's metadata has under a key; values that were not scored need none.

    Raises ValueError where there is none, and where `clusters` were given as well.
    """
    if clusters is not None:
        raise ValueError("clusters and cluster say the same: give one of them")
    if metadata is None:
        raise ValueError(f"cluster={key!r} is a key of metadata: give metadata, a table a value")
    if len(metadata) != len(values):
        raise ValueError(f"there are {len(values)} values, but {len(metadata)} tables of metadata")
    found: list[Hashable] = []
    for number, (value, table) in enumerate(zip(values, metadata, strict=True), 1):
        belongs = (table or {}).get(key)
        if is_scored(value):
            if not is_scored(belongs):
                raise ValueError(f"value {number} has no {key!r} in its metadata to cluster by")
            if not isinstance(belongs, Hashable):
                raise ValueError(f"value {number} has a list or table as {key!r}: no cluster")
        found.append(belongs)
    return found


def _counted_as(to_float: ToFloat, value: Any) -> float:
    return as_number(to_float(value), "to_float")


def measured_by(metric: Metric, numbers: list[float]) -> float:
    """What a function makes of numbers; raises ValueError where that is no number."""
    return as_number(metric(numbers), "the metric")


def as_number(given: Any, what: str) -> float:
    """The number that a function returned; raises ValueError, with `what` it is, for anything else.

    NaN is one: there it stands for no score.
    """
    if not isinstance(given, Real):
        kind = type(given).__name__
        raise ValueError(f"{what} gave a {kind}, not a number")  # noqa: TRY004 - a wrong value
    try:
        return float(given)
    except OverflowError:
        raise ValueError(f"{what} gave a number that is too large") from None


def mean(numbers: Sequence[float]) -> float:
    """0 of none."""
    return fsum(numbers) / max(len(numbers), 1)


def variance(numbers: Sequence[float]) -> float:
    """That of a sample (n − 1); 0 of fewer than two."""
    if len(numbers) < 2:  # noqa: PLR2004 - a pair
        return 0.0
    middle = mean(numbers)
    return fsum((number - middle) ** 2 for number in numbers) / (len(numbers) - 1)


_METRICS: dict[str, Callable[[Sequence[float]], float]] = {
    "accuracy": mean,
    "mean": mean,
    "std": lambda numbers: sqrt(variance(numbers)),
    "var": variance,
    "stderr": lambda numbers: sqrt(variance(numbers) / max(len(numbers), 1)),
}
METRICS = (*_METRICS, "bootstrap_stderr")
"""The names of metrics over traces."""


def clustered_stderr(numbers: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """The standard error of the mean by clusters of values; 0 of one cluster. With clusters of one
    value it is the usual one (Miller, "Adding Error Bars to Evals", 2024, with C/(C − 1)).
    """
    middle = mean(numbers)
    deviations: dict[Hashable, list[float]] = {}
    for number, cluster in zip(numbers, clusters, strict=True):
        deviations.setdefault(cluster, []).append(number - middle)
    count = len(deviations)
    if count < 2:  # noqa: PLR2004 - one cluster says nothing of others
        return 0.0
    squares = fsum(fsum(own) ** 2 for own in deviations.values())
    return sqrt(count / (count - 1) * squares) / len(numbers)


def _bootstrap(numbers: Sequence[float], seed: int, resamples: int) -> float:
    """The standard error by so many draws with replacement."""
    if isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 1:
        raise ValueError(f"num_samples is {resamples!r}, not a whole number from 1 on")
    count = len(numbers)
    if not count:
        return 0.0
    draws = _draws(seed, count)
    means = [fsum(numbers[next(draws)] for _ in range(count)) / count for _ in range(resamples)]
    middle = mean(means)
    return sqrt(fsum((one - middle) ** 2 for one in means) / resamples)


def _draws(seed: int, below: int) -> Iterator[int]:
    """Whole numbers from 0, the same for a seed everywhere: SplitMix64 (Steele, Lea, Flood 2014).

    It is here since nothing in the core may depend on chance.
    """
    whole = 2**64 - 1
    state = seed & whole
    while True:
        state = (state + 0x9E3779B97F4A7C15) & whole
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & whole
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & whole
        yield ((mixed ^ (mixed >> 31)) * below) >> 64


# -- over epochs ----------------------------------------------------------------------------------

Scores = Sequence[Any]
_COUNTED = re.compile(r"(at_least|pass_at|pass_k)_([1-9]\d{0,8})")
_PLAIN: dict[str, Callable[[Scores, ToFloat], Any]] = {
    "mean": lambda scores, to_float: mean([to_float(score) for score in scores]),
    "median": lambda scores, to_float: median(map(to_float, scores)),
    "mode": lambda scores, _: Counter(scores).most_common(1)[0][0],
    "max": lambda scores, to_float: max(scores, key=to_float),
}
REDUCERS = (*_PLAIN, "majority", "at_least_K", "pass_at_K", "pass_k_K")
"""The names of reducers; K is a whole number from 1."""
Reduce = Callable[[list[Any]], Any]
"""A reducer that is no built-in one: the scored ones of an answer's epochs to one score."""


class NamedReducer(NamedTuple):
    """A reducer that is no built-in one, and what it is called where its numbers stand."""

    name: str
    reduce: Reduce


def reduced_by(reduce: Reduce, scores: list[Any]) -> Any:
    """What a function makes of scores; raises ValueError for no number and none of the scores."""
    found = reduce(scores)
    if not isinstance(found, str):
        return as_number(found, "the reducer")
    if found not in scores:
        raise ValueError("the reducer gave a word that is none of the scores that it was given")
    return found


def reduce_epochs(
    reducer: str | Reduce,
    values: Scores,
    value: float = 1.0,
    *,
    to_float: ToFloat = value_to_float,
) -> Any:
    """One score of the scores of a trace's epochs; NaN where none is scored, or too few.

    `mode`, `max` and `majority` give one of the scores as it is: the first, where several are even;
    `majority` needs more than half of all, unscored ones too. `at_least_2` is 1 where two epochs
    reach `value`, `pass_at_2` how likely one of two drawn does (Chen et al. 2021), `pass_k_2` how
    likely both do. Scores that are dictionaries are reduced key by key, lists place by place; a
    None in one counts 0, as in inspect_ai. `to_float` says what a score counts as.

    A function gets the scored ones of them, at least one, and returns a number or one of them.
    Raises ValueError for another name, for scores that do not go together, and for a function's
    value that is neither.
    """
    counted = partial(_counted_as, to_float)
    reduce = _by_function(reducer) if callable(reducer) else _reducer(reducer, value, counted)
    scores = list(filter(is_scored, values))
    unscored = [nan] * (len(values) - len(scores))
    if reducer == "majority" and len(scores) <= len(unscored):
        return nan
    if _are(scores, Mapping, "a dictionary"):
        return {
            key: reduce([*(score[key] for score in scores), *unscored]) for key in _keys(scores)
        }
    if _are(scores, list | tuple, "a list"):
        return [reduce([*column, *unscored]) for column in _columns(scores)]
    return reduce([*scores, *unscored])


def median(numbers: Iterable[float]) -> float:
    """The middle one of some numbers, or the mean of the middle two."""
    ordered = sorted(numbers)
    return mean(ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1])


def _by_function(function: Reduce) -> Callable[[Scores], Any]:
    """How a function that is no built-in reducer reduces scores."""

    def reduce(values: Scores) -> Any:
        scores = [score for score in values if is_scored(score)]
        if not scores:
            return nan
        return reduced_by(function, scores)

    return reduce


def _reducer(name: str, value: float, to_float: ToFloat) -> Callable[[Scores], Any]:
    """How scores that are no dictionaries or lists are reduced."""
    found = _COUNTED.fullmatch(name)
    if name not in (*_PLAIN, "majority") and not found:
        known = ", ".join(REDUCERS)
        raise ValueError(f"{name!r} is no reducer of epochs; it would be one of {known}")

    def reduce(values: Scores) -> Any:
        scores = [score for score in values if not isinstance(score, float) or not isnan(score)]
        if not scores:
            return nan
        if found:
            reached = sum(to_float(score) >= value for score in scores)
            return _counted(found[1], int(found[2]), reached, len(scores))
        if name == "majority":
            most, count = Counter(scores).most_common(1)[0]
            return most if 2 * count > len(values) else nan
        return _PLAIN[name](scores, to_float)

    return reduce


def _counted(name: str, k: int, reached: int, count: int) -> float:
    if name == "at_least":
        return int(reached >= k)
    if count < k:
        return nan
    if name == "pass_k":
        return comb(reached, k) / comb(count, k)
    return 1 - comb(count - reached, k) / comb(count, k)


def _are(scores: Scores, what: Any, named: str) -> bool:
    """Whether all scores are of a sort; raises ValueError where some are and some are not."""
    found = sum(isinstance(score, what) for score in scores)
    if 0 < found < len(scores):
        raise ValueError(f"some epochs score {named} and some do not; all must score alike")
    return found > 0


def _keys(scores: Scores) -> Sequence[str]:
    """The keys of scores that are dictionaries, which every one of them must have."""
    keys = list(scores[0])
    if any(set(score) != set(keys) for score in scores):
        raise ValueError("the dictionaries have other keys in other epochs; all must score alike")
    return keys


def _columns(scores: Scores) -> Iterator[tuple[Any, ...]]:
    """What is in each place of scores that are lists, which must be of one length."""
    if len(set(map(len, scores))) > 1:
        raise ValueError("the lists are longer in some epochs than in others; all must score alike")
    return zip(*scores, strict=True)
