"""What a unit adds above and below the line of a measure, and `estimate` for Python."""

from collections.abc import Mapping, Sequence

from appellate.stats.estimates import Audited, Estimate, Pair, Stratum, estimate_ratio

MEAN = "mean"
_ABOVE = {
    "precision": {"tp": 1.0},
    "recall": {"tp": 1.0},
    "specificity": {"tn": 1.0},
    "accuracy": {"tp": 1.0, "tn": 1.0},
    "f1": {"tp": 1.0},
}
_BELOW = {
    "precision": {"tp": 1.0, "fp": 1.0},
    "recall": {"tp": 1.0, "fn": 1.0},
    "specificity": {"tn": 1.0, "fp": 1.0},
    "accuracy": {"tp": 1.0, "fn": 1.0, "fp": 1.0, "tn": 1.0},
    "f1": {"tp": 1.0, "fn": 0.5, "fp": 0.5},
}
BUCKETS = ("tp", "fn", "fp", "tn")
PAIRED = tuple(_ABOVE)
"""The measures that are made of the four buckets."""

Counts = Mapping[str, float] | Sequence[float] | float | None
"""Counts by bucket, or in the order of `BUCKETS`; a number for a mean, None for no number."""


def pair(measure: str, counts: Counts) -> Pair:
    """The pair of one unit; 0, 0 where there is nothing. Raises ValueError for another measure or
    bucket, TypeError for what are no counts.
    """
    if measure == MEAN:
        if counts is None:
            return Pair(0.0, 0.0)
        if isinstance(counts, Mapping | Sequence):
            raise TypeError("a mean takes one number of each trace, not counts")
        return Pair(float(counts), 1.0)
    if measure not in _ABOVE:
        raise ValueError(f"there is no measure {measure!r}: {', '.join((*PAIRED, MEAN))}")
    if counts is None:
        return Pair(0.0, 0.0)
    if isinstance(counts, Sequence):
        counts = dict(zip(BUCKETS, counts, strict=True))
    if not isinstance(counts, Mapping):
        raise TypeError(f"{measure} takes counts of each trace: {', '.join(BUCKETS)}")
    unknown = sorted(set(counts) - set(BUCKETS))
    if unknown:
        raise ValueError(f"there is no bucket {unknown[0]!r}: {', '.join(BUCKETS)}")
    return Pair(_sum(_ABOVE[measure], counts), _sum(_BELOW[measure], counts))


def _sum(factors: Mapping[str, float], counts: Mapping[str, float]) -> float:
    return sum(factor * counts.get(bucket, 0) for bucket, factor in factors.items())


def estimate(
    measure: str,
    audited_counts: Sequence[Counts],
    judge_counts_same_traces: Sequence[Counts],
    judge_counts_all_traces: Sequence[Counts],
    *,
    low: float = 0.0,
    high: float = 1.0,
    level: float = 0.95,
) -> Estimate | None:
    """What people would measure on all traces, from those drawn at random that they audited.

    Precision, recall, specificity, accuracy and f1 take counts of each trace, "mean" a number of
    each between `low` and `high`. Counts of a trace are a mapping, or tp, fn, fp, tn. None where
    there is nothing to go by. Raises ValueError where numbers of traces do not fit.
    """
    if len(audited_counts) != len(judge_counts_same_traces):
        told = f"{len(audited_counts)} traces audited, {len(judge_counts_same_traces)} by the judge"
        raise ValueError(f"the same traces are wanted of both: {told}")
    if len(audited_counts) > len(judge_counts_all_traces):
        raise ValueError("all traces are fewer than those audited: they are meant to hold them too")
    audited: list[Audited] = []
    for person, judge in zip(audited_counts, judge_counts_same_traces, strict=True):
        audited.append(Audited(pair(measure, person), pair(measure, judge)))
    every = [pair(measure, counts) for counts in judge_counts_all_traces]
    return estimate_ratio([Stratum(every, audited)], low=low, high=high, level=level)
