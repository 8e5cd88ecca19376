"""A pane for each kind of the rubric, in one place of the screen."""

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import ContentSwitcher

from appellate.app.keys.bindings import pane_of
from appellate.ui.contract import Review
from appellate.ui.pane import KindPane


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
        self._one = self._turned = False

    def furnish(self, review: Review) -> None:
        """Makes the pane that is shown first, before it is composed."""
        self._review = review
        self._panes[self._shown] = pane_of(self._shown)(review, id=f"pane-{self._shown}")

    def compose(self) -> ComposeResult:
        yield self.pane

    @property
    def pane(self) -> KindPane:
        """The one that is shown."""
        return self._panes[self._shown]

    def turn_to(self, kind: str) -> None:
        """Shows a kind's pane, with the focus if the one before had it."""
        if kind == self._shown:
            return
        before, self._shown = self.pane, kind
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
