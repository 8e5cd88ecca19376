"""How much room each pane has: moved with the arrows, kept in the settings."""

from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

from appellate.ui.marks import Marks, spelt
from appellate.ui.text import plain


class Sizes(NamedTuple):
    """Columns of the queue, the items' share of the width in percent, their rows where panes stand over each other."""

    queue_columns: int = 30
    items_share: int = 38
    items_rows: int = 9

    def moved(self, border: str, by: int) -> "Sizes":
        """A border moved, within what leaves every pane readable."""
        low, high, step = LIMITS[border]
        return self._replace(**{border: min(max(getattr(self, border) + by * step, low), high)})


LIMITS = {"queue_columns": (12, 120, 2), "items_share": (20, 70, 2), "items_rows": (4, 40, 1)}
NAMES = {
    "queue_columns": "queue | response",
    "items_share": "response | items",
    "items_rows": "response / items",
}
SIGNS = {"queue_columns": 1, "items_share": -1, "items_rows": -1}  # the border follows the arrow


class SizeLine(Static, can_focus=True):
    """The line that asks for arrows while a border is being moved."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    SizeLine { height: 1; width: 100%; padding: 0 1; display: none; background: $boost; text-style: bold; }
    SizeLine.-asking { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h,up,k", "move(-1)", "less", show=False, id="sizes.less"),
        Binding("right,l,down,j", "move(1)", "more", show=False, id="sizes.more"),
        Binding("tab,shift+tab", "other", "other border", show=False, id="sizes.other"),
        Binding("0", "reset", "as it was made", show=False, id="sizes.reset"),
        Binding("enter,W", "end", "keep", show=False, id="sizes.end"),
        Binding("escape,q", "leave", "leave", show=False, id="sizes.leave"),
    ]

    class Moved(Message):
        """A border moved; the line's `sizes` tell where to."""

    class Ended(Message):
        """The person has done."""

    def __init__(self, marks: Marks, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self._marks = marks
        self.sizes = self._before = Sizes()
        self._borders = ["items_rows"]

    def begin(self, sizes: Sizes, *, wide: bool) -> None:
        """Takes the focus; which borders there are depends on the room."""
        self.sizes = self._before = sizes
        self._borders = ["items_share", "queue_columns"] if wide else ["items_rows"]
        self.add_class("-asking")
        self.screen.add_class("-asking")
        self._tell()
        self.screen.set_focus(self)

    def _tell(self) -> None:
        border = self._borders[0]
        other = " · Tab the other border" if len(self._borders) > 1 else ""
        told = f"{NAMES[border]} ({getattr(self.sizes, border)}): arrows move it{other} · 0 resets · Enter keeps · Esc"
        self.update(plain(spelt(told, self._marks)))

    def action_move(self, by: int) -> None:
        border = self._borders[0]
        self._put(self.sizes.moved(border, by * SIGNS[border]))

    def action_other(self) -> None:
        self._borders = self._borders[::-1]
        self._tell()

    def action_reset(self) -> None:
        self._put(Sizes())

    def _put(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self._tell()
        self.post_message(self.Moved())

    def action_leave(self) -> None:
        """Puts the borders back where they were."""
        self._put(self._before)
        self.action_end()

    def action_end(self) -> None:
        self.remove_class("-asking")
        self.screen.remove_class("-asking")
        self.post_message(self.Ended())
