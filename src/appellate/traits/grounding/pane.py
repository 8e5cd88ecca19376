"""The grounding cell on the screen: what is said of each sentence of the response."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from appellate.core.cell import Cell
from appellate.traits.grounding.edits import told
from appellate.ui.key import Key, bindings
from appellate.ui.lines import Drawn, Lines, ListRow
from appellate.ui.pane import KindPane

KEYS: tuple[Key, ...] = ()


class GroundingPane(KindPane):
    """The sentences of the response, each with what supports it."""

    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    ABOUT = "what is said of each sentence of the response"

    def compose(self) -> ComposeResult:
        yield Lines(marks=self.marks, id="sentences")

    def show(self, cell: Cell, *, fresh: bool) -> None:
        super().show(cell, fresh=fresh)
        rows = []
        if cell.labels is not None:
            rows = [f"{one.key}  {told(one)}" for one in cell.labels.support]
        self.query_one("#sentences", Lines).show_rows(Drawn(rows, ListRow), "")


PANE = GroundingPane
