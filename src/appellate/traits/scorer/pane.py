"""The scorer cell on the screen: its values, what was extracted, why, and the target."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.traits.scorer import view
from appellate.traits.scorer.edits import Edit
from appellate.traits.scorer.labels import Labels, Scalar, spoken
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.ui.contract import READS_ONLY, Place
from appellate.ui.key import Key, bindings
from appellate.ui.lines import Drawn, Lines, ListRow
from appellate.ui.pane import Evidence, KindPane
from appellate.ui.text import inert

VALUE = "value"
"""The one group of places: the values of the cell, numbered from 0."""
_GROUP = "Score"
_LETTERS = ("C", "P", "I", "N")


def _digit(number: int, letter: str) -> Key:
    told = f"scorer trait: the score is {spoken(letter)}, whatever the scorer says"
    name = f"scorer.{letter.lower()}"
    return Key(name, str(number), str(number), letter, _GROUP, told, own_action=f"rule('{letter}')")


KEYS = (
    *(_digit(number, letter) for number, letter in enumerate(_LETTERS, 1)),
    Key(
        "scorer.back",
        "d",
        "d",
        "take back",
        _GROUP,
        "scorer trait: takes back what was said by hand",
        own_action="back",
    ),
)


class ScorerPane(KindPane):
    """One cell: its values under a cursor, and what they rest on."""

    DEFAULT_CSS = """
    ScorerPane {
        & > Static { height: auto; padding: 0 1; }
        & > #settings { color: $text-muted; }
        & > Lines { height: 1fr; min-height: 1; }
    }
    """
    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    NEAR = ("scorer.",)
    CARD = (("scorer.c", "scorer.i"), "give the score by hand")
    TITLE = "Score"
    ABOUT = "the score, what was extracted and why it matched or did not"

    def compose(self) -> ComposeResult:
        yield Static(id="settings", markup=False)
        yield Static(id="why", markup=False)
        yield Lines(marks=self.marks, id="values")

    def show(self, cell: Cell, *, fresh: bool) -> None:
        super().show(cell, fresh=fresh)
        trait = self._trait
        self.query_one("#settings", Static).update(Content(inert(view.settings_told(trait))))
        self.query_one("#why", Static).update(self._why(cell))
        rows = [part.key for part in trait.parts]
        self.lines.show_rows(Drawn(rows, self._drawn), "")
        if fresh:
            self.lines.go(0)

    @property
    def lines(self) -> Lines:
        return self.query_one("#values", Lines)

    @property
    def _trait(self) -> ScorerRubricTrait:
        if self.cell is None:
            raise LookupError("no cell is shown yet")
        trait: ScorerRubricTrait = self.cell.subject.trait
        return trait

    @property
    def _labels(self) -> Labels:
        return (self.cell.labels if self.cell else None) or Labels()

    def _why(self, cell: Cell) -> Content:
        if cell.error is not None and not self._labels.is_judged:
            return Content(inert(cell.error.error))
        return Content(inert(self._labels.standing.why))

    def _drawn(self, key: str) -> ListRow:
        told = view.verdict_told(self._labels, key) or "not scored yet"
        return ListRow(f"{key}  {told}".strip())

    @property
    def place(self) -> Place:
        return VALUE, self.lines.cursor.row

    def go(self, group: str, number: int) -> None:
        if group == VALUE:
            self.lines.go(0, number)

    def evidence(self) -> list[Evidence]:
        found = []
        for start, end in self._labels.standing.spans:
            found.append(Evidence(start, end, "evidence", "", (VALUE, 0)))
        return found

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self.review.looked()

    def action_rule(self, value: Scalar) -> None:
        """Gives the score by hand, and asks why."""
        key = self._trait.parts[self.lines.cursor.row].key
        self._correct(Edit("overrule", value, key))

    def action_back(self) -> None:
        self._correct(Edit("restore"))

    def _correct(self, edit: Edit) -> None:
        if self.review.readonly:
            self.review.say(READS_ONLY)
            return
        if self.review.correct([(edit,)], "changed") and self._labels.is_overruled:
            self.review.run("item.reason")


PANE = ScorerPane
