"""The parts of the review screen, made before it is composed so that every object has its own, and
how they share the room there is: side by side, and the column that is read.
"""

from collections.abc import Callable, Iterable, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Static

from appellate.app.appearance.sizes import THREE, TWO, Columns, Sizes
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
from appellate.ui.textual_compat import put_class


class KindPanes(ContentSwitcher):
    """A pane for each kind of the rubric, of which the one of the cell in sight is shown."""

    BLANK = True  # covered whole by a pane: nothing of its own is drawn below it at every key
    DEFAULT_CSS = """
    KindPanes { height: 1fr; }
    KindPanes > KindPane { height: 1fr; }
    """

    class Resized(Message):
        """There is another room for the pane's title."""

    def __init__(self, shown: str, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, initial=f"pane-{shown}")
        self._panes: dict[str, KindPane] = {}
        self._shown = shown
        self.pane: KindPane  # the one that is shown
        self._one = self._turned = False

    def furnish(self, review: Review) -> None:
        """Makes the pane that is shown first, before it is composed."""
        self._review = review
        self.pane = pane_of(self._shown)(review, id=f"pane-{self._shown}")
        self._panes[self._shown] = self.pane

    def compose(self) -> ComposeResult:
        yield self.pane

    def turn_to(self, kind: str) -> None:
        """Shows a kind's pane, with the focus if the one before had it."""
        if kind == self._shown:
            return
        before = self.pane
        self._shown = kind
        self.pane = self._panes[kind]
        focused = before.screen.focused
        if focused is not None and before in focused.ancestors_with_self:
            self.pane.display = True  # before the other is hidden, which would let go of the focus
            self.pane.take_focus()
        self.current = f"pane-{kind}"

    def one_at_a_time(self, one: bool) -> None:
        """Whether there is little room, for each of them."""
        self._one = one
        for pane in self._panes.values():
            pane.one_at_a_time(one)

    def turn_view(self) -> None:
        """The other way of showing a cell, for each of them."""
        self._turned = not self._turned
        for pane in self._panes.values():
            pane.turn_view()

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    async def complete(self, kinds: Iterable[str]) -> None:
        """Adds the panes of those kinds that have none yet."""
        for kind in [kind for kind in kinds if kind not in self._panes]:
            pane = pane_of(kind)(self._review, id=f"pane-{kind}")
            await self.add_content(pane)
            pane.one_at_a_time(self._one)
            if self._turned:
                pane.turn_view()
            self._panes[kind] = pane


class Parts:
    """The widgets of the screen, from its top to its bottom."""

    def __init__(
        self,
        bench: Workbench,
        marks: Marks,
        keys: Sequence[Key],
        *,
        material_rows: int,
        tour: bool,
    ) -> None:
        kind = bench.open(bench.position().cell)[1].subject.kind.name
        self.small = Static(id="small", markup=False)
        self.header = StatusStrip(marks=marks, id="header")
        self.queue = QueueView(bench, marks=marks, id="queue")
        self.asked = PromptPane(marks=marks, id="asked")
        self.response = ResponseView(id="response", empty="The response is empty.", marks=marks)
        self.material = DockedText(marks=marks, id="material")
        self.reading = ReadingColumn(self.asked, self.response, self.material, rows=material_rows)
        self.panes = KindPanes(kind, id="pane")
        self.numbers = MetricsBar(marks=marks, id="numbers")
        self.tour = TourStrip(bench, keys, on=tour, marks=marks, id="tour")
        self.card = Card(marks=marks, id="card")
        self.prompt = LinePrompt(marks=marks)
        self.confirm = Confirm()
        self.message = Static(id="said", markup=False)
        self.keys = KeyStrip(marks=marks, id="keys")

    def composed(self) -> ComposeResult:
        """All that the first paint may show, in their places."""
        yield self.small
        yield self.header
        yield Horizontal(self.queue, self.reading, self.panes, id="body")
        yield self.numbers
        yield self.tour
        yield self.card
        yield self.message
        yield self.keys

    @property
    def are_there(self) -> bool:
        """Whether all are there: when the program ends they go before the judge's run does."""
        around = self.header, self.queue, self.response, self.numbers, self.message, self.keys
        shown = (*around, self.panes.pane)
        return all(part.is_attached and part.is_running for part in shown)


SMALLEST = (60, 15)
TALL = 30
SHORT = 20


class Layout:
    """Panes beside or over each other, as large as the person wants, or the response alone (`z`).

    On a wide screen the queue is beside the cell; with room for two panes it is a rail, and on a
    narrow screen it opens over the cell.
    """

    def __init__(
        self,
        screen: Screen[None],
        parts: Parts,
        settings: Settings,
        dialogs: Dialogs,
        marks: Marks,
        here: Callable[[], int],
        *,
        titled: Callable[[], object],
    ) -> None:
        """`here` is the number of the cell in sight; `titled` shows other titles of the frames."""
        self._screen = screen
        self._parts = parts
        self._dialogs = dialogs
        self._marks = marks
        self._here = here
        self._titled = titled
        self._plain = settings.plain
        self._sizes = Sizes(
            settings.queue_columns,
            settings.items_share,
            settings.items_rows,
            settings.material_rows,
        )

    @property
    def has_queue(self) -> bool:
        """Whether the queue is beside the cell."""
        return self._screen.has_class("-wide")

    @property
    def is_side_by_side(self) -> bool:
        """Whether the items are beside the response."""
        return self._screen.has_class("-beside")

    @property
    def has_rail(self) -> bool:
        return self.is_side_by_side and not self.has_queue and not self.is_queue_open

    @property
    def is_queue_open(self) -> bool:
        """Whether the queue lies over the cell."""
        return self._screen.has_class("-queue")

    @property
    def is_response_alone(self) -> bool:
        return self._screen.has_class("-focus")

    @property
    def is_too_small(self) -> bool:
        """Whether a sentence takes the place of the cell, for lack of room."""
        return self._screen.has_class("-small")

    def why_out_of_sight(self) -> str:
        """Return why nothing can be done to the cell just now, or ""."""
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
        """The response alone, under the words of the item that keys act on; or everything."""
        put_class(self._screen, "-focus", on=not self.is_response_alone)
        self._dialogs.rest()
        self._titled()

    def show_queue(self) -> None:
        """Goes into the queue; it lies over the cell meanwhile, where it is not beside it."""
        if not self.has_queue:
            self._open_queue(opened=True)
        self._screen.set_focus(self._parts.queue)

    def hide_queue(self) -> None:
        """Shows the cell again, with the queue's cursor on it wherever one went meanwhile."""
        if self.is_queue_open:
            self._open_queue(opened=False)
            self._parts.queue.follow(self._here())

    def _open_queue(self, *, opened: bool) -> None:
        put_class(self._screen, "-queue", on=opened)
        self._share(self._screen.size)

    # -- room ---------------------------------------------------------------------------------

    def shape(self, size: Size) -> dict[str, bool]:
        """The classes that style the screen for the room there is."""
        width, height = size
        return {
            "-wide": width >= THREE and not self._plain,
            "-beside": width >= TWO and not self._plain,
            "-short": height < SHORT,
            "-small": width < SMALLEST[0] or height < SMALLEST[1],
        }

    def fit(self, size: Size) -> None:
        """Lays the parts out for the room there is."""
        width, height = size
        self._screen.update_classes(self.shape(size))
        if self.has_queue:
            self.hide_queue()
        least = f"{SMALLEST[0]} × {SMALLEST[1]}"
        small = f"Appellate needs {least};\nthis is {width} × {height}.\nNothing is lost."
        self._parts.small.update(plain(spelt(small, self._marks)))
        self._share(size)
        self._parts.panes.one_at_a_time(not (self.is_side_by_side and height >= TALL - 6))

    def _share(self, size: Size) -> None:
        """Gives queue and items the room that the person wants, as far as there is any."""
        queue = self._parts.queue
        pane = self._parts.panes.styles
        queue.fold(self.has_rail)
        if self.is_side_by_side:
            columns = Columns.divided(size.width, self._sizes, queue.rail_width)
            queue.styles.width = "100%" if self.is_queue_open else columns.queue
            pane.width = columns.items
            pane.height = "1fr"
            return
        queue.styles.width = pane.width = "100%"
        rows = self._sizes.items_rows
        if size.height >= TALL:
            rows += 5
        pane.height = min(rows, size.height // 2)
        if size.height < SHORT:
            pane.height = 5

    # -- sizes --------------------------------------------------------------------------------

    async def move_borders(self) -> None:
        """Has the arrows move the borders between the panes, and keeps what was moved."""
        from appellate.app.appearance.size_screen import SizeScreen  # only on its key

        before = self._sizes
        borders = ["items_rows"]
        standing = before
        if self.is_side_by_side:
            width = self._screen.size.width
            rail = self._parts.queue.rail_width
            standing = Columns.divided(width, before, rail).as_sizes(before)
            borders = ["items_share"]
        if self.has_queue:
            borders.append("queue_columns")
        if self._parts.material.is_open:
            borders.append("material_rows")
        marks = self._parts.queue.marks
        screen = SizeScreen(standing, self._take, borders=borders, marks=marks)
        taken = await self._dialogs.show(screen) or standing
        moved = {
            name: size
            for name, size in taken._asdict().items()
            if size not in (getattr(standing, name), getattr(before, name))
        }
        self._take(before._replace(**moved))
        try:
            for name, size in moved.items():
                save(name, size)
        except Unusable as refusal:
            self._dialogs.say(f"These sizes last until you quit: {refusal}")
        else:
            self._dialogs.say("Kept in config.toml." if moved else "The sizes are as they were.")

    def _take(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._parts.reading.material_rows = sizes.material_rows
        self._parts.reading.share()
        self._share(self._screen.size)
