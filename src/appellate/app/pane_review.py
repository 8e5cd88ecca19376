"""What a pane may ask of this screen: the screen's own objects behind the one contract of `ui/pane.py`."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from appellate.app.cell_view import CellView
from appellate.app.corrections import Corrections
from appellate.app.dialogs import Dialogs
from appellate.app.evidence_selection import EvidenceSelection
from appellate.app.layout import Layout, Parts
from appellate.ui.key import Key
from appellate.ui.marks import Marks
from appellate.ui.picker import Choice
from appellate.ui.selecting import Stretch


@dataclass
class PaneReview:
    """The `Review` of the panes on the review screen."""

    marks: Marks
    readonly: bool
    keys: Sequence[Key]
    parts: Parts
    view: CellView
    layout: Layout
    dialogs: Dialogs
    selection: EvidenceSelection
    corrections: Corrections
    press: Any

    @property
    def selecting(self) -> bool:
        return self.selection.on

    def say(self, text: str) -> None:
        self.dialogs.say(text)

    def looked(self) -> None:
        self.view.looked()
        if self.selection.on:
            self.dialogs.rest()

    def sees_item(self) -> bool:
        if not self.layout.is_response_alone:
            return True
        chosen = self.view.chosen
        low, high = self.parts.response.in_sight
        if (
            chosen is not None
            and low < chosen.end
            and chosen.start < high
            and not self.view.pane.has_marked
        ):
            return True
        self.dialogs.say(
            "The item is out of sight: p goes to the next one in the text, z shows them all."
        )
        return False

    def take_words(self) -> Stretch | None:
        return self.selection.take()

    def run(self, key: str) -> None:
        self.press(key)

    async def pick(
        self,
        title: str,
        choices: list[Choice],
        *,
        none: str = "",
        on_none: bool = False,
        about: Hashable = None,
        free: bool = False,
    ) -> str:
        return await self.dialogs.pick(
            title, choices, none=none, on_none=on_none, about=self._here(about), free=free
        )

    async def line(self, label: str, initial: str = "", *, about: Hashable = None) -> str:
        return await self.dialogs.line(label, initial, about=self._here(about))

    def done_with(self, about: Hashable) -> None:
        self.dialogs.done_with(self._here(about))

    def _here(self, about: Hashable) -> Hashable:
        """What is typed about an item belongs to it in this cell alone."""
        return None if about is None else (self.view.no, about)

    async def select_words(self, offers: Sequence[Stretch] = ()) -> Stretch | None:
        return await self.selection.select(offers)

    def correct(
        self, items: Sequence[Sequence[Any]], done: str = "changed", *, repeated: bool = False
    ) -> bool:
        return self.corrections.correct(items, done, repeated=repeated)
