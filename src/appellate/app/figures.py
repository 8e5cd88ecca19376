"""A cell's numbers as the bar shows them: now, before the last key, and the judge's own."""

from collections.abc import Mapping

from appellate.core.cell import Cell
from appellate.core.kind import Figures as Measured
from appellate.ui.figures import Figure, Figures


def figures(before: Cell | None, cell: Cell, note: str) -> Figures:
    """The bar's content; what stood `before` is told where it is given."""
    now, short = cell.measure(), cell.subject.kind.short
    was = _by_name(before.measure() if before else None, short)
    judge = _by_name(cell.measure_judge(), short)
    return Figures(
        [
            Figure(name, one.short, one.value, one.undefined, was.get(name), judge.get(name))
            for name, one in _by_name(now, short).items()
        ],
        note,
    )


def _by_name(measured: Measured | None, short: Mapping[str, str]) -> dict[str, Figure]:
    if measured is None:
        return {}
    return {
        name: Figure(name, short.get(name, name), value, name in measured.undefined)
        for name, value in measured.values.items()
    }
