"""The cell of a tally on the screen: its number, and one key that asks for another."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.traits.tally import Count
from appellate.ui.contract import READS_ONLY
from appellate.ui.key import Key, OwnAct, Strip, in_group
from appellate.ui.lines import Lines
from appellate.ui.own_keys import bindings
from appellate.ui.pane import KindPane
from appellate.ui.rows import DrawnRows, ListRow


class TallyPane(KindPane):
    """How often the word is said."""

    NEAR = ("tally.",)
    ABOUT = "how often the response says the word"

    def first_keys(self, names: Mapping[str, str]) -> Sequence[tuple[str, str]]:
        return [(names["tally.count"], "count again")]

    def compose(self) -> ComposeResult:
        yield Static(id="times", markup=False)
        yield Lines(marks=self.marks, id="words")

    def show(self, cell: Cell, *, fresh: bool) -> None:
        super().show(cell, fresh=fresh)
        told = "Nobody counted yet: e does."
        if cell.labels and cell.labels.times is not None:
            told = f"{cell.labels.times} times"
        self.query_one("#times", Static).update(told)
        self.query_one("#words", Lines).show_rows(
            DrawnRows([cell.subject.trait.word], ListRow),
            "",
        )

    def count(self) -> None:
        if self.review.readonly:
            self.review.say(READS_ONLY)
        else:
            self.begin(self._count())

    async def _count(self) -> None:
        said = await self.review.line("How often?")
        if said.isdecimal():
            self.review.correct([(Count(int(said)),)], "counted")
        else:
            self.review.say("A whole number, please.")

    KEYS = in_group(
        "Tally",
        Key(
            "tally.count",
            "e",
            "count",
            "say how often the word is said",
            OwnAct(count),
            strip=Strip(2, 1),
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]


PANE = TallyPane
