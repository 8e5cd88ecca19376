"""A cell's numbers as the bar shows them: now, the judge's own, and what the last change moved."""

from appellate.core.cell import Cell
from appellate.core.kind import Figures as Measured
from appellate.traits.metric.view import SHORT
from appellate.ui.figures import Figure, Figures


def figures(before: Cell | None, cell: Cell, note: str) -> Figures:
    """The bar's content; differences to `before` where it was measured."""
    now, was = cell.measure(), before.measure() if before else None
    return Figures(_figures(now, was), _figures(cell.measure_judge(), None), note)


def _figures(now: Measured | None, was: Measured | None) -> list[Figure]:
    if now is None:
        return []
    return [
        Figure(name, SHORT.get(name, name), value, name in now.undefined, _delta(name, now, was))
        for name, value in now.values.items()
    ]


def _delta(name: str, now: Measured, was: Measured | None) -> float | None:
    """How far a metric moved; None where it did not, or is or was 0/0."""
    if was is None or name not in was.values or name in now.undefined or name in was.undefined:
        return None
    return now.values[name] - was.values[name] or None
