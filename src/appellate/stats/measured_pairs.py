"""What a unit adds above and below the line of a measure, and `estimate` for Python."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import isfinite, isnan
from typing import Any, Protocol, SupportsFloat, runtime_checkable

from appellate.stats.estimates import Audited, Estimate, Pair, Stratum, estimate_ratio

MEAN = "mean"
_RATIOS = {  # above and below the line
    "precision": ({"tp": 1.0}, {"tp": 1.0, "fp": 1.0}),
    "recall": ({"tp": 1.0}, {"tp": 1.0, "fn": 1.0}),
    "specificity": ({"tn": 1.0}, {"tn": 1.0, "fp": 1.0}),
    "accuracy": ({"tp": 1.0, "tn": 1.0}, {"tp": 1.0, "fn": 1.0, "fp": 1.0, "tn": 1.0}),
    "f1": ({"tp": 1.0}, {"tp": 1.0, "fn": 0.5, "fp": 0.5}),
}
BUCKETS = ("tp", "fn", "fp", "tn")
PAIRED = tuple(_RATIOS)
"""The measures that are made of the four buckets."""
_LARGEST = 1e50  # its fourth power is still a number
_UNORDERED = (str, bytes, Mapping, AbstractSet)  # what is gone through, but is no list of entries


@runtime_checkable
class ItemLists(Protocol):
    """The items of the four buckets, as `ConfusionLists` has them."""

    @property
    def tp(self) -> Sequence[str]: ...
    @property
    def fn(self) -> Sequence[str]: ...
    @property
    def fp(self) -> Sequence[str]: ...
    @property
    def tn(self) -> Sequence[str]: ...


Counts = Mapping[str, float] | ItemLists | Sequence[float] | float | None
"""Counts by bucket, or in the order of `BUCKETS`, or the items themselves; a number for a mean,
None for no number.
"""


def pair(measure: str, counts: Counts) -> Pair:
    """The pair of one unit; 0, 0 for nothing. Raises ValueError or TypeError."""
    if measure == MEAN:
        if counts is None:
            return Pair(0.0, 0.0)
        if isinstance(counts, Mapping | Sequence | ItemLists) and not isinstance(counts, str):
            raise TypeError("a mean takes one number of each trace, not counts")
        return Pair(_number(counts), 1.0)
    _check_measure(measure)
    if counts is None:
        return Pair(0.0, 0.0)
    found = _by_bucket(measure, counts)
    above, below = _RATIOS[measure]
    return Pair(_sum(above, found), _sum(below, found))


def _check_measure(measure: str) -> None:
    if measure not in (*PAIRED, MEAN):
        raise ValueError(f"there is no measure {measure!r}: {', '.join((*PAIRED, MEAN))}")


def _by_bucket(measure: str, counts: Counts) -> dict[str, float]:
    if isinstance(counts, ItemLists):
        counts = {bucket: _size(getattr(counts, bucket)) for bucket in BUCKETS}
    elif isinstance(counts, Iterable) and not isinstance(counts, _UNORDERED):
        numbers = list(counts)
        if len(numbers) != len(BUCKETS):
            raise ValueError(f"counts are {len(BUCKETS)}, {', '.join(BUCKETS)}: not {len(numbers)}")
        counts = dict(zip(BUCKETS, numbers, strict=True))
    if not isinstance(counts, Mapping):
        raise TypeError(f"{measure} takes counts of each trace: {', '.join(BUCKETS)}")
    found: dict[str, float] = {}
    for bucket, count in counts.items():
        if bucket not in BUCKETS:
            raise ValueError(f"there is no bucket {bucket!r}: {', '.join(BUCKETS)}")
        found[bucket] = _number(count, f"{bucket}: ")
        if found[bucket] < 0:
            raise ValueError(f"{bucket}: a count is 0 or more, not {count!r}")
    return found


def _size(items: Any) -> Any:
    """How many items a list has; a number is one already."""
    return len(items) if isinstance(items, list | tuple) else items


def _number(value: Any, place: str = "", *, finite: bool = True) -> float:
    """The number that it is; raises TypeError and ValueError where that is none to count with."""
    if isinstance(value, str | bytes) or not isinstance(value, SupportsFloat):
        raise TypeError(f"{place}a number is wanted, not {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{place}the number is too large to count with") from None
    if isnan(number) or (finite and not isfinite(number)):
        raise ValueError(f"{place}a finite number is wanted, not {number}")
    if isfinite(number) and abs(number) > _LARGEST:
        raise ValueError(f"{place}the number is too large to count with")
    return number


def _sum(factors: Mapping[str, float], counts: Mapping[str, float]) -> float:
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
    """What people would measure on all traces, from those drawn at random that they audited.

    Precision, recall, specificity, accuracy and f1 take counts of each trace, "mean" a number of
    each between `low` and `high`, which may be infinite. Counts of a trace are a mapping, or tp,
    fn, fp, tn, or `ConfusionLists`, whose items count as they are (`trait.deduplicate` them
    before). None where there is nothing to go by. Raises ValueError or TypeError, with the place,
    for what does not fit.
    """
    _check_measure(measure)
    low, high = _bounds(measure, low, high)
    person = _pairs("audited_counts", measure, audited_counts, low, high)
    judge = _pairs("judge_counts_same_traces", measure, judge_counts_same_traces, low, high)
    every = _pairs("judge_counts_all_traces", measure, judge_counts_all_traces, low, high)
    if len(person) != len(judge):
        text = f"{len(person)} traces audited, {len(judge)} by the judge"
        raise ValueError(f"the same traces are wanted of both: {text}")
    if len(person) > len(every):
        raise ValueError("all traces are fewer than those audited: they are meant to hold them too")
    audited = [Audited(mine, its) for mine, its in zip(person, judge, strict=True)]
    covered = _number(level, "level: ")
    return estimate_ratio([Stratum(every, audited)], low=low, high=high, level=covered)


def _bounds(measure: str, low: float, high: float) -> tuple[float, float]:
    low = _number(low, "low: ", finite=False)
    high = _number(high, "high: ", finite=False)
    if low >= high:
        raise ValueError(f"low is to be below high: {low:g} is not below {high:g}")
    if measure in PAIRED and (low, high) != (0, 1):
        raise ValueError(f"low and high are for a mean: {measure} lies between 0 and 1")
    return low, high


def _pairs(
    name: str, measure: str, counts: Iterable[Counts], low: float, high: float
) -> list[Pair]:
    """The pairs of a sequence; what is wrong with one comes with its place."""
    if isinstance(counts, (*_UNORDERED, ItemLists)) or not isinstance(counts, Iterable):
        raise TypeError(f"{name}: a list with an entry for each trace is wanted")
    found: list[Pair] = []
    for place, one in enumerate(counts):
        try:
            unit = pair(measure, one)
        except (TypeError, ValueError) as wrong:
            raise type(wrong)(f"{name}[{place}]: {wrong}") from None
        if measure == MEAN and unit.b and not low <= unit.a <= high:
            text = f"{unit.a:g} is not between low={low:g} and high={high:g}"
            raise ValueError(f"{name}[{place}]: {text}; give the bounds of the scale (low=, high=)")
        found.append(unit)
    return found
