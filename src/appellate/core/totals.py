"""Running totals: what one cell adds to the numbers over all cells, so that a change costs a difference.

Values are summed in whole units of 10⁻¹², so that a sum kept by differences equals a recount exactly.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from appellate.core.cell import Cell
from appellate.core.kind import Figures

UNIT = 10**12
SIDES = ("audited", "judge")


def contribution(cell: Cell) -> Counter[str]:
    """What a cell adds: its state, flag and, for each side, pooled counts and sums of metric values."""
    sums = Counter({"cells": 1, f"state:{cell.state}": 1})
    if cell.flag:
        sums["flagged"] += 1
    for side, figures in zip(SIDES, (cell.measure(), cell.measure_judge()), strict=True):
        if figures:
            sums.update(_of(side, figures))
    return sums


def _of(side: str, figures: Figures) -> Counter[str]:
    sums = Counter({f"{side}:{bucket}": count for bucket, count in figures.counts.items()})
    for metric, value in figures.values.items():
        undefined = metric in figures.undefined
        sums[f"{side}:{metric}:undefined"] += undefined
        sums[f"{side}:{metric}:n"] += not undefined
        sums[f"{side}:{metric}:sum"] += 0 if undefined else round(value * UNIT)
    return sums


def difference(before: Counter[str], after: Counter[str]) -> dict[str, int]:
    """What must be added to the totals when a cell changes; only what is not zero."""
    return {key: by for key in {**before, **after} if (by := after[key] - before[key])}


def pooled(cells: Iterable[Cell]) -> Counter[str]:
    """A full recount."""
    total: Counter[str] = Counter()
    for cell in cells:
        total.update(contribution(cell))
    return total


def macro(totals: Mapping[str, int], side: str, metric: str) -> float | None:
    """The mean over the cells where the metric is defined; None where it is nowhere."""
    n = totals.get(f"{side}:{metric}:n", 0)
    return totals.get(f"{side}:{metric}:sum", 0) / UNIT / n if n else None


def summary(totals: Mapping[str, int], side: str, metric: str, micro: float | None) -> dict[str, Any]:
    """One metric of one side, in the shape of `metrics --json`."""
    return {
        "micro": micro,
        "macro": macro(totals, side, metric),
        "n": totals.get(f"{side}:{metric}:n", 0),
        "undefined": totals.get(f"{side}:{metric}:undefined", 0),
    }
