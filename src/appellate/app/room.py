"""How the parts of the review screen share the room there is."""

from textual import on
from textual.events import Resize
from textual.geometry import Size
from textual.widgets import Static

from appellate.app.desk import Desk
from appellate.app.sizes import SizeLine, Sizes
from appellate.core.problem import Unusable
from appellate.settings import keep
from appellate.ui.text import plain

SMALLEST = (60, 15)
WIDE = 100
TALL = 30
SHORT = 20


class Room(Desk):
    """Panes beside or over each other, as large as the person wants them."""

    sizes: Sizes
    _sizes_before: Sizes

    @property
    def _is_wide(self) -> bool:
        return self.size.width >= WIDE and not self.settings.plain

    @property
    def _out_of_sight(self) -> bool:
        return self.has_class("-small") or (self.has_class("-queue") and not self._is_wide)

    def on_resize(self, event: Resize) -> None:
        self.fit(event.size)

    def shape(self, size: Size) -> dict[str, bool]:
        """The classes that style the screen for the room there is."""
        width, height = size
        return {
            "-wide": width >= WIDE and not self.settings.plain,
            "-tall": height >= TALL,
            "-short": height < SHORT,
            "-small": width < SMALLEST[0] or height < SMALLEST[1],
        }

    def fit(self, size: Size) -> None:
        """Lays the parts out for the room there is."""
        width, height = size
        wide = width >= WIDE and not self.settings.plain
        self.update_classes(self.shape(size))
        self.query_one("#small", Static).update(
            plain(f"Appellate needs {SMALLEST[0]} × {SMALLEST[1]}; this is {width} × {height}. Nothing is lost.")
        )
        self._share(size, wide)
        self.pane.one_at_a_time(not (wide and height >= TALL - 6))

    def _share(self, size: Size, wide: bool) -> None:
        """Gives the queue and the items what the person wants them to have, as far as there is room."""
        queue, pane = self.queue.styles, self.pane.styles
        if wide:
            queue.width, pane.width = min(self.sizes.queue_columns, size.width // 3), f"{self.sizes.items_share}%"
            pane.height = "1fr"
            return
        queue.width = pane.width = "100%"
        rows = self.sizes.items_rows + (5 if size.height >= TALL else 0)
        pane.height = 5 if size.height < SHORT else min(rows, size.height // 2)

    def action_sizes(self) -> None:
        self._sizes_before = self.sizes
        self.query_one(SizeLine).begin(self.sizes, wide=self._is_wide)

    @on(SizeLine.Moved)
    def _border_moved(self) -> None:
        self.sizes = self.query_one(SizeLine).sizes
        self._share(self.size, self._is_wide)

    @on(SizeLine.Ended)
    def _borders_kept(self) -> None:
        self.rest()
        moved = {name: size for name, size in self.sizes._asdict().items() if size != getattr(self._sizes_before, name)}
        try:
            for name, size in moved.items():
                keep(name, size)
        except Unusable as refusal:
            self.say(f"These sizes last until you quit: {refusal}")
        else:
            self.say("Kept in config.toml." if moved else "The sizes are as they were.")
