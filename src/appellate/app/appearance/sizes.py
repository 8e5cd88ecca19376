"""How much room each pane has."""

import math
from typing import NamedTuple


class Sizes(NamedTuple):
    """Columns of the queue, and the items' share of the width in percent, 0 for what there is room
    for; the rows of the items where they are below the response, and of what is docked there.
    """

    queue_columns: int = 0
    items_share: int = 0
    items_rows: int = 9
    material_rows: int = 12


THREE = 125
TWO = 96
"""From how many columns on the queue, the response and the items are side by side, and from how
many the response and the items do, with the queue folded to a rail.
"""
RAIL = 4  # columns of the queue where it is folded, if the numbers of its traces need no more
LEAST_QUEUE = 12
LEAST_RESPONSE = 50
LEAST_ITEMS = 42
SHARE = 0.45  # of the width, for the response


class Columns(NamedTuple):
    """How wide each pane is where they are side by side."""

    queue: int
    response: int
    items: int

    @classmethod
    def divided(cls, width: int, sizes: Sizes, rail: int = RAIL) -> "Columns":
        """The response has its share; of the rest the items have what is asked for, the queue two
        fifths, or `rail` columns where it is folded.
        """
        room = width - max(LEAST_RESPONSE, math.ceil(width * SHARE))
        least = queue = rail
        if width >= THREE:
            least = LEAST_QUEUE
            queue = sizes.queue_columns or room * 2 // 5
        wish = min(round(width * sizes.items_share / 100), room - least)
        queue = min(queue, room - (wish or LEAST_ITEMS))
        items = wish or room - queue
        return cls(queue, width - queue - items, items)

    def as_sizes(self, before: Sizes) -> Sizes:
        """What a person would have had to ask for to get these."""
        share = round(100 * self.items / sum(self))
        if self.queue < LEAST_QUEUE:
            return before._replace(items_share=share)
        return before._replace(queue_columns=self.queue, items_share=share)
