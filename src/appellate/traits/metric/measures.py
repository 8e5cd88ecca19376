"""The arithmetic of the four buckets: which items count, and what the counts come to."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, get_args

from appellate.core.kind import Ratio

Bucket = Literal["tp", "fn", "fp", "tn"]
BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
METRICS = ("precision", "recall", "specificity", "accuracy", "f1")
RATIOS = {
    "precision": Ratio({"tp": 1}, {"tp": 1, "fp": 1}),
    "recall": Ratio({"tp": 1}, {"tp": 1, "fn": 1}),
    "specificity": Ratio({"tn": 1}, {"tn": 1, "fp": 1}),
    "accuracy": Ratio({"tp": 1, "tn": 1}, {"tp": 1, "fn": 1, "fp": 1, "tn": 1}),
    "f1": Ratio({"tp": 1}, {"tp": 1, "fp": 0.5, "fn": 0.5}),
}
WEIGHTED = "weighted"
"""Points achieved over points possible, at least 0: as HealthBench scores an answer (Arora et al.
2025, arXiv 2505.08775). It is no sum of counts, and is pooled as the mean of its values.
"""
FULL_MATRIX_METRICS = ("specificity", "accuracy")  # those that need true negatives


class Counts(NamedTuple):
    """How many items count in each bucket."""

    tp: int = 0
    fn: int = 0
    fp: int = 0
    tn: int = 0


def counted(texts: Iterable[str], deduplicate: bool) -> list[int]:
    """Positions of the texts that count: all of them, or the first of each non-empty key."""
    if not deduplicate:
        return [position for position, _ in enumerate(texts)]
    first: dict[str, int] = {}
    for position, text in enumerate(texts):
        first.setdefault(text.lower().strip(), position)
    first.pop("", None)
    return list(first.values())


def tally(lists: Mapping[str, Iterable[str]], deduplicate: bool) -> Counts:
    """How many texts of each bucket count."""
    return Counts(*[len(counted(lists.get(bucket, ()), deduplicate)) for bucket in BUCKETS])


def value(metric: str, counts: Counts) -> float:
    """The metric's value; 0.0 where a denominator is zero, as Karenina has it."""
    if metric == "f1":
        precision, recall = value("precision", counts), value("recall", counts)
        numerator, denominator = 2 * precision * recall, precision + recall
    else:
        numerator, denominator = _fraction(metric, counts)
    if not denominator:
        return 0.0
    return numerator / denominator


def defined(metric: str, counts: Counts) -> bool:
    """Whether the value means anything; f1 does as soon as anything was expected or claimed."""
    if metric == "f1":
        return counts.tp + counts.fp + counts.fn > 0
    return _fraction(metric, counts)[1] > 0


def _fraction(metric: str, counts: Counts) -> tuple[float, float]:
    held, ratio = counts._asdict(), RATIOS[metric]
    above = sum(weight * held[bucket] for bucket, weight in ratio.above.items())
    return above, sum(weight * held[bucket] for bucket, weight in ratio.below.items())
