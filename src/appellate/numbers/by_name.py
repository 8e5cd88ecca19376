"""Metrics over traces and reducers of epochs by their names, those of other packages among them.

These are what Python callers get; `appellate.stats.aggregates` has what is built in.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from appellate import installed
from appellate.stats import aggregates
from appellate.stats.aggregates import (
    RESAMPLES,
    Metric,
    Reduce,
    ToFloat,
    value_to_float,
)


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
    """Return a metric over values: a built-in one, one of an installed package, or a function.

    - `metric`: a name such as mean or stderr, or a function that gets the numbers.
    - `values`: the scores, one for each trace. None and NaN are left out; 0 is returned if none is
      left.
    - `clusters`: for stderr, one for each value. Values of one cluster depend on each other.
    - `seed`, `num_samples`: for bootstrap_stderr, what starts its random numbers and how often it
      draws.
    - `to_float`: turns a score into a number.
    - `cluster`: a key of `metadata`, which has one table for each value, instead of `clusters`.

    The built-in std, var and stderrs are 0 for a single value, stderr also for a single cluster.

    Raises ValueError for an unknown metric, for arguments that do not go together, for a
    `num_samples` that is not a whole number from 1, and if `to_float` or the caller's metric does
    not return a number. What else these raise passes through. Raises Unusable, with the package's
    name, if a package's metric fails.
    """
    function = installed.metric(metric) if isinstance(metric, str) else metric
    return aggregates.aggregate(
        function,
        values,
        clusters,
        seed=seed,
        num_samples=num_samples,
        to_float=to_float,
        cluster=cluster,
        metadata=metadata,
    )


def reduce_epochs(
    reducer: str | Reduce,
    values: Sequence[Any],
    value: float = 1.0,
    *,
    to_float: ToFloat = value_to_float,
) -> Any:
    """Return one score of a trace's epochs, by a reducer's name or by a function.

    The name is of a built-in reducer or of one of an installed package. `values` are the scores of
    the epochs; dictionaries are reduced key by key, lists position by position. `value` is what an
    epoch must reach for reducers with a K. NaN if no epoch is scored, or too few. Raises ValueError
    for an unknown reducer, for scores that do not go together, and for a function that returns no
    score. Raises Unusable, with the package's name, if a package's reducer fails.
    """
    function = installed.reducer(reducer) if isinstance(reducer, str) else reducer
    return aggregates.reduce_epochs(function, values, value, to_float=to_float)
