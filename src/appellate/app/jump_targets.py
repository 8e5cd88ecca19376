"""What jump mode can go to: every item, evidence and cell in sight, and the panes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.geometry import Region

from appellate.ui.jumping import Target
from appellate.ui.lines import Lines

if TYPE_CHECKING:
    from appellate.app.desk import Desk


def targets(desk: "Desk") -> list[Target]:
    """The nearest to the hand first: items, evidence, cells, panes."""
    found = [*_rows(desk.pane.lines, "item"), *_evidence(desk), *_cells(desk.queue)]
    panes = [(desk.response, "response"), (desk.queue, "queue")]
    return [*found, *(Target(pane.region, key) for pane, key in panes if pane.region)]


def _rows(lines: Lines, what: str) -> Iterator[Target]:
    for region, cursor in lines.in_sight():
        yield Target(region, f"{what} {cursor.section} {cursor.row}")


def _cells(queue: Lines) -> Iterator[Target]:
    for region, cursor in queue.in_sight():
        yield Target(region, f"cell {cursor.row}")


def _evidence(desk: "Desk") -> Iterator[Target]:
    for index, evidence in enumerate(desk.pane.evidence()):
        spot = desk.response.spot(evidence.start)
        if spot is not None:
            yield Target(Region(spot.x, spot.y, 1, 1), f"evidence {index}")
