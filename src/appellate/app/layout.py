"""The widgets of the review screen, and how they share its columns and rows.

`Parts` makes the widgets before the screen is composed, so that every object can be given its own.
`Layout` sets their sizes.
"""

from collections.abc import Callable, Iterable, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Static

from appellate.app.appearance.sizes import THREE, TWO, Columns, SizeName, Sizes
from appellate.app.dialogs import Dialogs
from appellate.app.keys.bindings import pane_of
from appellate.app.queue.view import QueueView
from appellate.app.reading.column import PromptPane, ReadingColumn
from appellate.app.tour import TourStrip
from appellate.core.problem import Unusable
from appellate.session.settings import Settings, save
from appellate.session.workbench import Workbench
from appellate.ui.bar import Card, KeyStrip, MetricsBar, StatusStrip
from appellate.ui.contract import Review
from appellate.ui.docked import DockedText
from appellate.ui.key import Key
from appellate.ui.marks import Marks, spelt
from appellate.ui.pane import KindPane
from appellate.ui.prompt import Confirm, LinePrompt
from appellate.ui.text import plain
from appellate.ui.text_view import ResponseView
from appellate.ui.textual_compat import draw_nothing, put_class


class KindPanes(ContentSwitcher):
    """The panes of all kinds of the rubric; the one for the open cell's kind is shown."""

    DEFAULT_CSS = """
    KindPanes { height: 1fr; }
    KindPanes > KindPane { height: 1fr; }
    """

    class Resized(Message):
        """The width for the pane's title has changed."""

    def __init__(self, shown: str, *, id: str) -> None:  # noqa: A002 - Textual's name
        """Begin without a pane; `furnish` makes the one of the kind named `shown`."""
        super().__init__(id=id, initial=f"pane-{shown}")
        draw_nothing(self)
        self._panes: dict[str, KindPane] = {}
        self._kind_name = shown
        """The name of the kind whose pane is shown."""
        self.pane: KindPane
        """The pane that is shown; set by `furnish`."""
        self._is_short = False
        """Whether the panes show one list at a time."""
        self._is_turned = False
        """Whether the panes show cells in their other view."""
        self.share: Callable[[], object] = lambda: None
        """Shares the columns again, for a pane that gets another width; `Layout` sets it."""

    @property
    def kinds(self) -> list[str]:
        """The names of the kinds whose panes are there."""
        return list(self._panes)

    def furnish(self, review: Review) -> None:
        """Make the pane that is shown first, with `review` as its way to the screen.

        It must be called before the widget is composed.
        """
        self._review = review
        self.pane = pane_of(self._kind_name)(review, id=f"pane-{self._kind_name}")
        self._panes[self._kind_name] = self.pane

    def compose(self) -> ComposeResult:
        yield self.pane

    def turn_to(self, kind: str) -> None:
        """Show the pane of the kind with this name; it gets the focus if the pane before had it.

        Columns are shared again if only one of both shows texts, which takes more of them. Does
        nothing if the pane is shown. Raises KeyError for a kind whose pane was not made by
        `complete`.
        """
        if kind == self._kind_name:
            return
        previous = self.pane
        self._kind_name = kind
        self.pane = self._panes[kind]
        focused = previous.screen.focused
        if focused is not None and previous in focused.ancestors_with_self:
            self.pane.display = (
                True  # a hidden widget would lose the focus, so show this one first
            )
            self.pane.take_focus()
        self.current = f"pane-{kind}"
        if previous.SHOWS_TEXTS != self.pane.SHOWS_TEXTS:
            self.share()

    def one_at_a_time(self, is_single: bool) -> None:
        """Have every pane, also later ones, show one list at a time, or all lists again.

        One list at a time fits few rows.
        """
        self._is_short = is_single
        for pane in self._panes.values():
            pane.one_at_a_time(is_single)

    def turn_view(self) -> None:
        """Have every pane, also later ones, show cells in its other view, or in the first again."""
        self._is_turned = not self._is_turned
        for pane in self._panes.values():
            pane.turn_view()

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    async def complete(self, kinds: Iterable[str]) -> None:
        """Add a pane for each of these kinds that has none yet, in the present view."""
        for kind in kinds:
            if kind in self._panes:
                continue
            pane = pane_of(kind)(self._review, id=f"pane-{kind}")
            await self.add_content(pane)
            pane.one_at_a_time(self._is_short)
            if self._is_turned:
                pane.turn_view()
            self._panes[kind] = pane


class Parts:
    """The widgets of one review screen, from its top to its bottom."""

    def __init__(
        self,
        bench: Workbench,
        marks: Marks,
        keys: Sequence[Key],
        kind: str,
        *,
        material_rows: int,
        tour: bool,
    ) -> None:
        """Make the widgets; the pane that is shown first is that of the kind of this name."""
        self.small = Static(id="small", markup=False)
        self.header = StatusStrip(marks=marks, id="header")
        self.queue = QueueView(bench, marks=marks, id="queue")
        self.asked = PromptPane(marks=marks, id="asked")
        self.response = ResponseView(
            id="response",
            empty="The response is empty.",
            marks=marks,
        )
        self.material = DockedText(marks=marks, id="material")
        self.reading = ReadingColumn(
            self.asked,
            self.response,
            self.material,
            rows=material_rows,
        )
        self.panes = KindPanes(kind, id="pane")
        self.numbers = MetricsBar(marks=marks, id="numbers")
        self.tour = TourStrip(bench, keys, on=tour, marks=marks, id="tour")
        self.card = Card(marks=marks, id="card")
        self.prompt = LinePrompt(marks=marks)
        self.confirm = Confirm()
        self.message = Static(id="said", markup=False)
        self.keys = KeyStrip(marks=marks, id="keys")

    def composed(self) -> ComposeResult:
        """Yield the widgets of the first paint in their containers, from top to bottom.

        The prompt and the yes-or-no question are added after it.
        """
        yield self.small
        yield self.header
        body = Horizontal(self.queue, self.reading, self.panes, id="body")
        draw_nothing(body)
        yield body
        yield self.numbers
        yield self.tour
        yield self.card
        yield self.message
        yield self.keys

    @property
    def are_there(self) -> bool:
        """Whether all widgets can be drawn.

        When the program ends they go before the judge's run does.
        """
        widgets = [
            self.header,
            self.queue,
            self.response,
            self.numbers,
            self.message,
            self.keys,
            self.panes.pane,
        ]
        return all(widget.is_attached and widget.is_running for widget in widgets)


SMALLEST = (60, 15)
"""Columns and rows of the smallest terminal in which a cell is shown."""
TALL = 30
"""Rows from which the items below a response get five rows more."""
SHORT = 20
"""Rows below which everything is shown as small as it can be."""


class Layout:
    """The arrangement of one review screen: side by side, one below the other, or one part only.

    On a wide screen the queue is next to the cell. On one with columns for two panes the queue is a
    rail of marks. On a narrow screen it opens over the cell. The key `z` shows the response only.
    """

    def __init__(
        self,
        screen: Screen[None],
        parts: Parts,
        settings: Settings,
        dialogs: Dialogs,
        marks: Marks,
        open_cell_no: Callable[[], int],
        *,
        titled: Callable[[], object],
    ) -> None:
        """Lay out `parts`, in the sizes of `settings`.

        `open_cell_no` returns the number of the open cell. `titled` draws the titles of the frames.
        """
        self._screen = screen
        self._parts = parts
        self._dialogs = dialogs
        self._marks = marks
        self._open_cell_no = open_cell_no
        self._titled = titled
        self._plain = settings.plain
        parts.panes.share = lambda: self._share(screen.size)
        self._sizes = Sizes(
            settings.queue_columns,
            settings.items_share,
            settings.items_rows,
            settings.material_rows,
        )

    @property
    def has_queue(self) -> bool:
        """Whether the queue is next to the cell."""
        return self._screen.has_class("-wide")

    @property
    def is_side_by_side(self) -> bool:
        """Whether the items are next to the response."""
        return self._screen.has_class("-beside")

    @property
    def has_rail(self) -> bool:
        """Whether the queue is folded to a rail of marks."""
        return self.is_side_by_side and not self.has_queue and not self.is_queue_open

    @property
    def is_queue_open(self) -> bool:
        """Whether the queue lies over the cell."""
        return self._screen.has_class("-queue")

    @property
    def is_response_alone(self) -> bool:
        """Whether the response fills the screen."""
        return self._screen.has_class("-focus")

    @property
    def is_too_small(self) -> bool:
        """Whether the terminal is too small, so that a sentence is shown instead of the cell."""
        return self._screen.has_class("-small")

    def why_out_of_sight(self) -> str:
        """Return in a sentence why the open cell cannot be seen; "" if it can.

        It cannot if the terminal is too small, and while the queue lies over it. Nothing is
        done to a cell that cannot be seen. Keys are written in the sentence as `{id:usual
        key}`, for `with_keys`.
        """
        if self.is_too_small:
            return "Nothing was done: make the window larger to see the cell."
        if self.is_queue_open:
            return (
                "The cell is out of sight: go back to it first "
                "({lines.choose:Enter} opens a line of the queue, {queue:Q} leaves)."
            )
        return ""

    # -- what is there ------------------------------------------------------------------------

    def turn_response_alone(self) -> None:
        """Show only the response, or everything again, and put the focus where it belongs.

        The frame of the response then names the item that keys act on.
        """
        put_class(self._screen, "-focus", on=not self.is_response_alone)
        self._dialogs.rest()
        self._titled()

    def show_queue(self) -> None:
        """Put the focus on the queue; open it over the cell if it is not next to it."""
        if not self.has_queue:
            self._open_queue(opened=True)
        self._screen.set_focus(self._parts.queue)

    def hide_queue(self) -> None:
        """Close the queue over the cell, and put the queue's cursor back on the open cell.

        Does nothing if the queue does not lie over the cell.
        """
        if self.is_queue_open:
            self._open_queue(opened=False)
            self._parts.queue.follow(self._open_cell_no())

    def _open_queue(self, *, opened: bool) -> None:
        put_class(self._screen, "-queue", on=opened)
        self._share(self._screen.size)

    # -- widths and heights -----------------------------------------------------------------------

    def shape(self, size: Size) -> dict[str, bool]:
        """Return which classes of CSS the screen has at this size of the terminal.

        They are -wide, -beside, -short and -small. In plain mode panes are never side by side.
        """
        width, height = size
        return {
            "-wide": width >= THREE and not self._plain,
            "-beside": width >= TWO and not self._plain,
            "-short": height < SHORT,
            "-small": width < SMALLEST[0] or height < SMALLEST[1],
        }

    def fit(self, size: Size) -> None:
        """Lay the parts out for this size of the terminal, in columns and rows.

        A queue that fits next to the cell no longer lies over it. The sentence for a terminal that
        is too small is written in any case; CSS shows it. The panes show one list at a time unless
        they stand beside the response with enough rows.
        """
        width, height = size
        self._screen.update_classes(self.shape(size))
        if self.has_queue:
            self.hide_queue()
        least = f"{SMALLEST[0]} × {SMALLEST[1]}"
        small = (
            f"Appellate needs {least};\nthis is {width} × {height}.\nNothing is lost."
        )
        self._parts.small.update(plain(spelt(small, self._marks)))
        self._share(size)
        self._parts.panes.one_at_a_time(
            not (self.is_side_by_side and height >= TALL - 6),
        )

    def _share(self, size: Size) -> None:
        """Set widths and heights of queue and items as the reviewer wants them, where they fit.

        The queue is folded to a rail if the items are beside the response but the queue is not. If
        all three are side by side, items of a kind whose pane shows texts get at least half the
        screen. Panes one below the other have the full width; the items then have five rows more
        from `TALL` rows on, at most half the rows, and five below `SHORT`. A queue that lies over
        the cell has the full width.
        """
        queue = self._parts.queue
        pane = self._parts.panes.styles
        queue.fold(self.has_rail)
        if self.is_side_by_side:
            columns = Columns.divided(size.width, self._sizes, queue.rail_width)
            queue.styles.width = "100%" if self.is_queue_open else columns.queue
            pane.width = columns.items
            if self.has_queue and self._parts.panes.pane.SHOWS_TEXTS:
                pane.width = max(columns.items, size.width // 2)
            pane.height = "1fr"
            return
        queue.styles.width = "100%"
        pane.width = "100%"
        rows = self._sizes.items_rows
        if size.height >= TALL:
            rows += 5
        pane.height = min(rows, size.height // 2)
        if size.height < SHORT:
            pane.height = 5

    # -- sizes --------------------------------------------------------------------------------

    async def move_borders(self) -> None:
        """Let the reviewer move the borders between the panes, and save the sizes that changed.

        The screen that opens shows the sizes as they were fitted to this terminal. A size that was
        not moved keeps the value that the reviewer wants. If a size cannot be saved, say that they
        last until the end of the session.
        """
        from appellate.app.appearance.size_screen import SizeScreen  # only on its key

        wanted_sizes = self._sizes
        fitted_sizes = wanted_sizes
        borders: list[SizeName] = ["items_rows"]
        if self.is_side_by_side:
            columns = Columns.divided(
                self._screen.size.width,
                wanted_sizes,
                self._parts.queue.rail_width,
            )
            fitted_sizes = columns.as_sizes(wanted_sizes)
            borders = ["items_share"]
        if self.has_queue:
            borders.append("queue_columns")
        if self._parts.material.is_open:
            borders.append("material_rows")

        marks = self._parts.queue.marks
        screen = SizeScreen(fitted_sizes, self._take, borders=borders, marks=marks)
        new_sizes = await self._dialogs.show(screen) or fitted_sizes
        moved = {
            name: size
            for name, size in new_sizes._asdict().items()
            if size not in (getattr(fitted_sizes, name), getattr(wanted_sizes, name))
        }

        self._take(wanted_sizes._replace(**moved))
        try:
            for name, size in moved.items():
                save(name, size)
        except Unusable as refusal:
            self._dialogs.say(f"These sizes last until you quit: {refusal}")
        else:
            self._dialogs.say(
                "Saved in config.toml." if moved else "The sizes are unchanged.",
            )

    def _take(self, sizes: Sizes) -> None:
        """Lay the screen out with these sizes from now on; they are not saved in the settings."""
        self._sizes = sizes
        self._parts.reading.material_rows = sizes.material_rows
        self._parts.reading.share()
        self._share(self._screen.size)
