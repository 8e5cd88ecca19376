"""How much room each pane has, moved with the arrows and kept in the settings."""

import math
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from appellate.ui.marks import Marks, spelt
from appellate.ui.overlay import Box, KeyLine
from appellate.ui.own_keys import in_own_keys
from appellate.ui.text import plain


class Border(Struct, frozen=True):
    """The panes that it parts, the limits of a size, and what an arrow right or down adds."""

    name: str
    least: int
    most: int
    step: int


BORDERS = {
    "queue_columns": Border("queue | response", 12, 120, 2),
    "items_share": Border("response | items", 20, 70, -2),
    "items_rows": Border("response / items", 4, 40, -1),
    "material_rows": Border("response / what is read beside it", 4, 60, -1),
}


class Sizes(NamedTuple):
    """Columns of the queue, and the items' share of the width in percent, 0 for what there is room
    for; the rows of the items where they are below the response, and of what is docked there.
    """

    queue_columns: int = 0
    items_share: int = 0
    items_rows: int = 9
    material_rows: int = 12

    def moved(self, size: str, by: int) -> "Sizes":
        """A border moved by some arrows, within what leaves every pane readable."""
        border = BORDERS[size]
        wanted = getattr(self, size) + by * border.step
        return self._replace(**{size: min(max(wanted, border.least), border.most)})


THREE, TWO = 125, 96
"""From how many columns on the queue, the response and the items are side by side, and from how
many the response and the items do, with the queue folded to a rail.
"""
RAIL = 4  # columns of the queue where it is folded, if the numbers of its traces need no more
LEAST_QUEUE, LEAST_RESPONSE, LEAST_ITEMS = 12, 50, 42
KEYS = " · {sizes.end:Enter} keeps · {sizes.leave:Esc} leaves · {sizes.reset:0} resets"
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
            least, queue = LEAST_QUEUE, sizes.queue_columns or room * 2 // 5
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


class SizeScreen(Box[Sizes]):
    """Asks for arrows; `moved` is given the borders at once. Gives the sizes to keep, if any."""

    DEFAULT_CSS = "SizeScreen { background: transparent; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h,up,k", "move(-1)", "less", id="sizes.less"),
        Binding("right,l,down,j", "move(1)", "more", id="sizes.more"),
        Binding("tab,shift+tab", "other", "other border", id="sizes.other"),
        Binding("0", "reset", "as it was made", id="sizes.reset"),
        Binding("enter,W", "end", "keep", id="sizes.end"),
        Binding("escape,q", "dismiss", "leave", id="sizes.leave"),
    ]

    def __init__(
        self, sizes: Sizes, moved: Callable[[Sizes], None], *, borders: list[str], marks: Marks
    ) -> None:
        super().__init__()
        self._sizes = sizes
        self._moved = moved
        self._marks = marks
        self._borders = borders

    def compose(self) -> ComposeResult:
        yield KeyLine(plain(self._line()), markup=False, classes="sizes--keys")

    def _line(self) -> str:
        size = self._borders[0]
        other = " · {sizes.other:Tab} the other border" if len(self._borders) > 1 else ""
        name = f"{BORDERS[size].name} ({getattr(self._sizes, size)})"
        keys = "{sizes.less:←} {sizes.more:→} move it" + KEYS + other
        return spelt(f"{name}: {in_own_keys(keys, self.app)}", self._marks)

    def _put(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self.query_one(KeyLine).update(plain(self._line()))
        self._moved(sizes)

    def action_move(self, by: int) -> None:
        self._put(self._sizes.moved(self._borders[0], by))

    def action_other(self) -> None:
        self._borders.append(self._borders.pop(0))
        self._put(self._sizes)

    def action_reset(self) -> None:
        self._put(Sizes())

    def action_end(self) -> None:
        self.dismiss(self._sizes)
