"""The widths and heights of the panes: what the reviewer wants, and what fits."""

import math
from typing import Literal, NamedTuple


class Sizes(NamedTuple):
    """The sizes of the panes that a reviewer wants."""

    queue_columns: int = 0
    """Columns of the queue; 0 for what fits."""
    items_share: int = 0
    """The items' share of the width in percent; 0 for what fits."""
    items_rows: int = 9
    """Rows of the items if they are below the response."""
    material_rows: int = 12
    """Rows of the docked text below the response."""


SizeName = Literal["queue_columns", "items_share", "items_rows", "material_rows"]
"""The name of a size in `Sizes`."""

THREE = 125
TWO = 96
"""Columns of the terminal from which panes are side by side: from `THREE` on queue, response and
items, from `TWO` on response and items, with the queue folded to a rail.
"""
RAIL = 4
"""Columns of the folded queue at least."""
LEAST_QUEUE = 12
LEAST_RESPONSE = 50
LEAST_ITEMS = 42
SHARE = 0.45
"""The share of the width that the response has at least."""


class Columns(NamedTuple):
    """The widths of the panes side by side, in columns."""

    queue: int
    response: int
    items: int

    @classmethod
    def divided(cls, width: int, sizes: Sizes, rail: int = RAIL) -> "Columns":
        """Return the widths of the queue, the response and the items, which add up to `width`.

        The items and the queue get what `sizes` asks for. A queue of 0 gets two fifths of what the
        response need not have, and items of 0 get what the queue leaves. If that is too much, the
        response keeps `SHARE` of the width and at least `LEAST_RESPONSE`, and the queue gives way
        before the items, down to its least. Below `THREE` columns the queue is folded, and `rail`
        columns wide.
        """
        free_columns = width - max(LEAST_RESPONSE, math.ceil(width * SHARE))
        least_queue = rail
        queue = rail
        if width >= THREE:
            least_queue = LEAST_QUEUE
            queue = sizes.queue_columns or free_columns * 2 // 5
        wanted_items = min(
            round(width * sizes.items_share / 100),
            free_columns - least_queue,
        )
        queue = min(queue, free_columns - (wanted_items or LEAST_ITEMS))
        items = wanted_items or free_columns - queue
        return cls(queue, width - queue - items, items)

    def as_sizes(self, reviewer_sizes: Sizes) -> Sizes:
        """Return `reviewer_sizes` with the queue's columns and the items' share as here.

        The width of a folded queue is no size that a reviewer wants, so `reviewer_sizes` keeps its
        own.
        """
        share = round(100 * self.items / sum(self))
        if self.queue < LEAST_QUEUE:
            return reviewer_sizes._replace(items_share=share)
        return reviewer_sizes._replace(queue_columns=self.queue, items_share=share)
