"""The parts that stand on the review screen, made before it is composed so that every object can be handed its own."""

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import ContentSwitcher, Static

from appellate.app.keys import pane_of
from appellate.app.queue_view import QueueView
from appellate.app.sizes import SizeLine
from appellate.app.tour import TourStrip
from appellate.ui.bar import KeyStrip, MetricsBar, StatusStrip
from appellate.ui.card import Card
from appellate.ui.pane import KindPane, Review
from appellate.ui.prompt import Confirm, LinePrompt
from appellate.ui.response import ResponseView


class KindPanes(ContentSwitcher):
    """A pane for each kind of the rubric, of which the one of the cell in sight is shown."""

    DEFAULT_CSS = """
    KindPanes { height: 1fr; }
    KindPanes > KindPane { height: 1fr; }
    """

    def __init__(self, shown: str, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, initial=f"pane-{shown}")
        self._panes: dict[str, KindPane] = {}
        self._shown = shown

    def furnish(self, kinds: list[str], review: Review) -> None:
        """Makes the panes, before they are composed."""
        self._panes = {
            kind: pane_of(kind)(review, id=f"pane-{kind}") for kind in [self._shown, *kinds]
        }

    def compose(self) -> ComposeResult:
        yield from self._panes.values()

    @property
    def pane(self) -> KindPane:
        """The one that is shown."""
        return self._panes[self._shown]

    def turn_to(self, kind: str) -> bool:
        """Shows the pane of a kind, which is another or not; the focus goes with it where it was in the one before."""
        if kind == self._shown:
            return False
        before, self._shown = self.pane, kind
        focused = before.screen.focused
        held = focused is not None and before in focused.ancestors
        self.current = f"pane-{kind}"
        if held:
            self.pane.take_focus()
        return True

    def one_at_a_time(self, one: bool) -> None:
        """Whether there is little room, for each of them."""
        for pane in self._panes.values():
            pane.one_at_a_time(one)

    def turn_view(self) -> None:
        """The other way of showing a cell, for each of them."""
        for pane in self._panes.values():
            pane.turn_view()

    async def add(self, kind: str, review: Review) -> None:
        """A pane for a kind that the rubric had not, once it was edited."""
        if kind not in self._panes:
            self._panes[kind] = pane_of(kind)(review, id=f"pane-{kind}")
            await self.add_content(self._panes[kind])


@dataclass(frozen=True)
class Parts:
    """The widgets of the screen, from its top to its bottom."""

    small: Static
    file: StatusStrip
    cell: StatusStrip
    queue: QueueView
    question: Static
    response: ResponseView
    panes: KindPanes
    numbers: MetricsBar
    tour: TourStrip
    card: Card
    prompt: LinePrompt
    confirm: Confirm
    sizes: SizeLine
    said: Static
    keys: KeyStrip

    def composed(self) -> ComposeResult:
        """All of them in their places."""
        yield self.small
        yield self.file
        yield self.cell
        yield Horizontal(
            self.queue, Vertical(self.question, self.response, id="reading"), self.panes, id="body"
        )
        yield self.numbers
        yield self.tour
        yield self.card
        yield self.prompt
        yield self.confirm
        yield self.sizes
        yield self.said
        yield self.keys

    @property
    def are_there(self) -> bool:
        """Whether all of them stand: at the end of the program they go before the judge's run does."""
        shown = (
            self.file,
            self.cell,
            self.queue,
            self.response,
            self.panes.pane,
            self.numbers,
            self.said,
            self.keys,
        )
        return all(part.is_attached and part.is_running for part in shown)
