"""The items of a metric cell by their names, for who counts which of them were seen."""

from collections.abc import Sequence

from appellate.traits.metric.pane_items import CellItems
from appellate.ui.pane import ItemNames


class RowNames(ItemNames):
    """The names of the rows."""

    def __init__(self, items: CellItems) -> None:
        self._items = items

    @property
    def all(self) -> Sequence[str]:
        return list(self._items.named())

    @property
    def here(self) -> Sequence[str]:
        places = self._items.places_here
        return [name for name, place in self._items.named().items() if place in places]

    def go(self, name: str) -> None:
        self._items.go(*self._items.named()[name])

    def tell_seen(self, text: str) -> None:
        if text != self._items.seen:
            self._items.seen = text
            self._items.rows.draw_around()
