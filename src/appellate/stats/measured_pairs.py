"""Turn the counts of traces into pairs for an estimate.

`estimate()` is `appellate.estimate`, for callers from Python. `pair()` says what one unit adds
above and below the line of a measure.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import isfinite, isnan
from typing import Any, Protocol, SupportsFloat, runtime_checkable

from appellate.stats.estimates import Audited, Estimate, Pair, Stratum, estimate_ratio

MEAN = "mean"
"""The measure that takes one number of each trace, not counts."""
_RATIOS = {
    "precision": ({"tp": 1.0}, {"tp": 1.0, "fp": 1.0}),
    "recall": ({"tp": 1.0}, {"tp": 1.0, "fn": 1.0}),
    "specificity": ({"tn": 1.0}, {"tn": 1.0, "fp": 1.0}),
    "accuracy": ({"tp": 1.0, "tn": 1.0}, {"tp": 1.0, "fn": 1.0, "fp": 1.0, "tn": 1.0}),
    "f1": ({"tp": 1.0}, {"tp": 1.0, "fn": 0.5, "fp": 0.5}),
}
"""What a bucket's count is multiplied by above the line, then below the line, by measure."""
BUCKETS = ("tp", "fn", "fp", "tn")
"""The order of counts that are passed as a list."""
PAIRED = tuple(_RATIOS)
"""The measures that are computed from the four buckets."""
_LARGEST = 1e50  # its fourth power is still a number
_NO_LISTS = (str, bytes, Mapping, AbstractSet)  # iterable, but not a list of entries


@runtime_checkable
class ItemLists(Protocol):
    """An object with the items of the four buckets, for example a `ConfusionLists`."""

    @property
    def tp(self) -> Sequence[str]: ...
    @property
    def fn(self) -> Sequence[str]: ...
    @property
    def fp(self) -> Sequence[str]: ...
    @property
    def tn(self) -> Sequence[str]: ...


Counts = Mapping[str, float] | ItemLists | Sequence[float] | float | None
"""The counts of one trace: by bucket, in the order of `BUCKETS`, or the items themselves.

For a mean it is one number. None stands for a trace without a number.
"""


def pair(measure: str, counts: Counts) -> Pair:
    """Return what one unit adds to a measure: numerator, denominator; both 0 if `counts` is None.

    `measure` is one of `PAIRED` or "mean". For a mean, `counts` is one finite number of either
    sign, and the denominator is 1. Else they are a mapping from buckets (tp, fn, fp, tn) to
    numbers, four numbers in that order, or four lists of items; a bucket that is missing is 0.
    Raises ValueError for an unknown measure or bucket, another number of counts than four, a count
    below 0, and a number that is NaN, infinite or too large. Raises TypeError for anything else.
    """
    if measure == MEAN:
        if counts is None:
            return Pair(0.0, 0.0)
        if isinstance(counts, Mapping | Sequence | ItemLists) and not isinstance(
            counts,
            str,
        ):
            raise TypeError("a mean takes one number for each trace, not counts")
        return Pair(_checked_number(counts), 1.0)
    _check_measure(measure)
    if counts is None:
        return Pair(0.0, 0.0)
    counts_by_bucket = _by_bucket(measure, counts)
    above, below = _RATIOS[measure]
    return Pair(_sum(above, counts_by_bucket), _sum(below, counts_by_bucket))


def _check_measure(measure: str) -> None:
    """Raise ValueError unless there is a measure of that name, in lower case.

    It is one of `PAIRED`, or "mean".
    """
    if measure not in (*PAIRED, MEAN):
        raise ValueError(
            f"there is no measure {measure!r}: {', '.join((*PAIRED, MEAN))}",
        )


def _by_bucket(measure: str, counts: Counts) -> dict[str, float]:
    """Return the counts of one trace by bucket; a bucket that was not given is left out.

    `counts` are a mapping of numbers, four numbers in the order of `BUCKETS`, or `ItemLists`, of
    which each list is counted. `measure` is named in errors. Raises TypeError for anything else,
    and ValueError for an unknown bucket, another number of counts, and a count below 0, infinite or
    NaN.
    """
    bucket_names = ", ".join(BUCKETS)
    if isinstance(counts, ItemLists):
        sizes: dict[str, Any] = {}
        for bucket in BUCKETS:
            items = getattr(counts, bucket)
            sizes[bucket] = len(items) if isinstance(items, list | tuple) else items
        counts = sizes
    elif isinstance(counts, Iterable) and not isinstance(counts, _NO_LISTS):
        numbers = list(counts)
        if len(numbers) != len(BUCKETS):
            raise ValueError(
                f"expected {len(BUCKETS)} counts ({bucket_names}), not {len(numbers)}",
            )
        counts = dict(zip(BUCKETS, numbers, strict=True))
    if not isinstance(counts, Mapping):
        raise TypeError(f"{measure} takes counts for each trace: {bucket_names}")

    checked: dict[str, float] = {}
    for bucket, count in counts.items():
        if bucket not in BUCKETS:
            raise ValueError(f"there is no bucket {bucket!r}: {bucket_names}")
        number = _checked_number(count, f"{bucket}: ")
        if number < 0:
            raise ValueError(f"{bucket}: a count is 0 or more, not {count!r}")
        checked[bucket] = number
    return checked


def _checked_number(value: Any, place: str = "", *, finite: bool = True) -> float:
    """Return a caller's value as a float; True and False are 1 and 0.

    `place` begins the message of an error. Raises TypeError for a value that is not a number, as is
    a text. Raises ValueError for NaN, for a finite number that is too large, and for infinity
    unless `finite` is False.
    """
    is_text = isinstance(value, str | bytes)
    if is_text or not isinstance(value, SupportsFloat):
        kind = type(value).__name__
        raise TypeError(f"{place}expected a number, not {kind}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{place}the number is too large to count with") from None
    if isnan(number):
        raise ValueError(f"{place}expected a finite number, not {number}")
    if isfinite(number):
        if abs(number) > _LARGEST:
            raise ValueError(f"{place}the number is too large to count with")
    elif finite:
        raise ValueError(f"{place}expected a finite number, not {number}")
    return number


def _sum(factors: Mapping[str, float], counts: Mapping[str, float]) -> float:
    """Return the sum of the counts, each times the factor of its bucket."""
    return sum(factor * counts.get(bucket, 0) for bucket, factor in factors.items())


def estimate(
    measure: str,
    audited_counts: Iterable[Counts],
    judge_counts_same_traces: Iterable[Counts],
    judge_counts_all_traces: Iterable[Counts],
    *,
    low: float = 0.0,
    high: float = 1.0,
    level: float = 0.95,
) -> Estimate | None:
    """Estimate what people would measure on all traces, from those that they audited.

    The audited traces must have been drawn at random. The arguments are read once and not changed.

    - `measure`: precision, recall, specificity, accuracy or f1, which take counts of each trace, or
      "mean", which takes one number of each.
    - `audited_counts`: what people say of each audited trace. Counts are a mapping from tp, fn, fp
      and tn, a list in that order, or a `ConfusionLists`. The items of such lists are counted as
      they are: call `trait.deduplicate` before. None is a trace without a number.
    - `judge_counts_same_traces`: what the judge says of the same traces, in the same order.
    - `judge_counts_all_traces`: what the judge says of all traces, the audited ones included.
    - `low` and `high`: the bounds of the numbers of a mean, which may be infinite.
    - `level`: the level of the interval, between 0 and 1.

    Returns None if there is too little to estimate from: fewer than two audited traces, or 0/0 in
    what people say. Raises ValueError or TypeError, which say where, for arguments that do not fit.
    """
    _check_measure(measure)
    low, high = _checked_bounds(measure, low, high)
    person = _pairs_of_argument("audited_counts", measure, audited_counts, low, high)
    judge = _pairs_of_argument(
        "judge_counts_same_traces",
        measure,
        judge_counts_same_traces,
        low,
        high,
    )
    judge_of_all = _pairs_of_argument(
        "judge_counts_all_traces",
        measure,
        judge_counts_all_traces,
        low,
        high,
    )
    if len(person) != len(judge):
        text = f"{len(person)} traces audited, {len(judge)} by the judge"
        raise ValueError(f"both must be about the same traces: {text}")
    if len(person) > len(judge_of_all):
        raise ValueError(
            "judge_counts_all_traces has fewer than those audited: it must include them",
        )
    audited = [
        Audited(person_pair, judge_pair)
        for person_pair, judge_pair in zip(person, judge, strict=True)
    ]
    checked_level = _checked_number(level, "level: ")
    return estimate_ratio(
        [Stratum(judge_of_all, audited)],
        low=low,
        high=high,
        level=checked_level,
    )


def _checked_bounds(measure: str, low: float, high: float) -> tuple[float, float]:
    """Return the bounds of a scale as floats, which may be infinite.

    Raises ValueError if `low` is not below `high`, if either is NaN, and if they are not 0 and 1
    for a measure of buckets. Raises TypeError if they are not numbers.
    """
    low = _checked_number(low, "low: ", finite=False)
    high = _checked_number(high, "high: ", finite=False)
    if low >= high:
        raise ValueError(f"low must be below high: {low:g} is not below {high:g}")
    is_share = low == 0 and high == 1
    if measure in PAIRED and not is_share:
        raise ValueError(f"low and high are for a mean: {measure} lies between 0 and 1")
    return low, high


def _pairs_of_argument(
    name: str,
    measure: str,
    counts: Iterable[Counts],
    low: float,
    high: float,
) -> list[Pair]:
    """Return the pair of each trace of an argument, in its order.

    Entries are as `pair` takes them: one number for the measure "mean", counts for any other. A
    trace whose entry is None has 0 and 0. Errors say which argument (`name`) and which of its
    entries, from 0, is wrong. Raises TypeError if it is not a list or other iterable of entries, as
    a text or a mapping is not, and TypeError or ValueError for an entry that cannot be counted. For
    "mean" alone, raises ValueError for a number that is not between `low` and `high`. The argument
    is read once.
    """
    if isinstance(counts, (*_NO_LISTS, ItemLists)) or not isinstance(counts, Iterable):
        raise TypeError(f"{name}: expected a list with an entry for each trace")
    pairs: list[Pair] = []
    for index, counts_of_trace in enumerate(counts):
        try:
            unit = pair(measure, counts_of_trace)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}[{index}]: {error}") from None
        is_mean = measure == MEAN and unit.b
        if is_mean and not low <= unit.a <= high:
            raise ValueError(
                f"{name}[{index}]: {unit.a:g} is not between low={low:g} and high={high:g};"
                " give the bounds of the scale (low=, high=)",
            )
        pairs.append(unit)
    return pairs
