"""The screen on which arrows move the borders between the panes."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from appellate.app.appearance.sizes import SizeName, Sizes
from appellate.ui.marks import Marks, spelt
from appellate.ui.overlay import Box, KeyLine
from appellate.ui.own_keys import in_own_keys
from appellate.ui.text import plain

KEYS = " · {sizes.end:Enter} keeps · {sizes.leave:Esc} leaves · {sizes.reset:0} resets"


class Border(Struct, frozen=True):
    """A border between two panes, and the size that it changes."""

    name: str
    """The panes at its sides."""
    least: int
    most: int
    step: int
    """What an arrow to the right or down adds to the size."""


BORDERS: Mapping[SizeName, Border] = {
    "queue_columns": Border("queue | response", 12, 120, 2),
    "items_share": Border("response | items", 20, 70, -2),
    "items_rows": Border("response / items", 4, 40, -1),
    "material_rows": Border("response / what is read beside it", 4, 60, -1),
}


def with_border_moved(sizes: Sizes, name: SizeName, steps: int) -> Sizes:
    """Return new sizes in which the size `name`, a key of BORDERS, is `steps` arrow keys larger.

    Negative steps, to the left or up, make it smaller. It stays within the limits of its border.
    """
    border = BORDERS[name]
    size = getattr(sizes, name) + steps * border.step
    within_limits = min(max(size, border.least), border.most)
    return sizes._replace(**{name: within_limits})


class SizeScreen(Box[Sizes]):
    """Lets arrows move the borders; closes with the sizes to save, or None."""

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
        self,
        sizes: Sizes,
        show_sizes: Callable[[Sizes], None],
        *,
        borders: Sequence[SizeName],
        marks: Marks,
    ) -> None:
        """Prepare to move the borders in `borders`, at least one, beginning with the first.

        `show_sizes` is called with the new sizes at each move, and with `sizes` again at a change
        of border.
        """
        super().__init__()
        self._sizes = sizes
        self._show_sizes = show_sizes
        self._marks = marks
        self._borders = list(borders)

    def compose(self) -> ComposeResult:
        yield KeyLine(plain(self._keys_line()), markup=False, classes="sizes--keys")

    def _keys_line(self) -> str:
        """Return the line of keys as text for the terminal, in the reviewer's keys.

        It begins with the panes at the border that moves and its size, as "queue | response (30):
        ". The key for the other border is there only if more than one can be moved.
        """
        name = self._borders[0]
        size = getattr(self._sizes, name)
        keys = "{sizes.less:←} {sizes.more:→} move it" + KEYS
        if len(self._borders) > 1:
            keys += " · {sizes.other:Tab} the other border"
        border = f"{BORDERS[name].name} ({size})"
        text = f"{border}: {in_own_keys(keys, self.app)}"
        return spelt(text, self._marks)

    def _change_sizes(self, sizes: Sizes) -> None:
        """Keep new sizes until the screen closes; show them in the keys and on the panes."""
        self._sizes = sizes
        self.query_one(KeyLine).update(plain(self._keys_line()))
        self._show_sizes(sizes)

    def action_move(self, by: int) -> None:
        self._change_sizes(with_border_moved(self._sizes, self._borders[0], by))

    def action_other(self) -> None:
        self._borders.append(self._borders.pop(0))
        self._change_sizes(self._sizes)

    def action_reset(self) -> None:
        self._change_sizes(Sizes())

    def action_end(self) -> None:
        self.dismiss(self._sizes)
