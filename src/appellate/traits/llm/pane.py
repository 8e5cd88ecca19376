"""The LLM cell on the screen: the verdict, the scale it is one of, the words it rests on, and why.

The pane changes nothing itself: it asks for corrections, and shows the cell that it is given.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.traits.llm.answering import remarks
from appellate.traits.llm.edits import Edit, found_again
from appellate.traits.llm.labels import Labels
from appellate.traits.llm.pane_corrections import TAKES, JudgedCorrections
from appellate.traits.llm.pane_keys import KEYS, YES, answer_keys, marks_help
from appellate.traits.llm.pane_menu import VerdictMenu
from appellate.traits.llm.pane_rows import VerdictRows
from appellate.traits.llm.pane_verdict import VerdictText, verdict_keys
from appellate.traits.verdict.scale import DIGITS
from appellate.ui.bar import Hint
from appellate.ui.contract import Place, Review
from appellate.ui.key import Key, bindings
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.pane import Evidence, KindPane, MarkHelp


class LLMPane(KindPane):
    """One verdict: what may be said, what is said, and the excerpts it rests on."""

    DEFAULT_CSS = """
    LLMPane {
        & > #criterion { height: auto; padding: 0 1; color: $text; }
        & > #verdict { height: 1; margin: 1 0 0 0; padding: 0 1; }
        & > #reason { height: auto; margin: 0 0 1 0; padding: 0 1; color: $text-muted; }
        & > #rows { height: 1fr; min-height: 3; }
        &.-one > #verdict { margin: 0; }
        &.-one > #reason { margin: 0; }
    }
    """
    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    TAKING = frozenset(
        {
            *("llm.yes", "llm.pick", "llm.add", "llm.replace"),
            *(f"llm.{number}" for number in range(1, DIGITS + 1)),
        }
    )
    ANSWER_KEYS = staticmethod(answer_keys)
    NEAR = ("llm.",)
    CARD = (("llm.1", "llm.2", "llm.pick"), "give the verdict, or pick it")
    TITLE = "Verdict"
    ABOUT = (
        "the verdict, all that it could be, and the words it rests on; "
        "the response shows where these are"
    )
    TAKES = TAKES

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(review, id=id)
        self.rows = VerdictRows(review)
        self.lines = self.rows.lines
        self.text = VerdictText(review, self.rows)
        self.corrections = JudgedCorrections(review, self.rows)
        self.menu = VerdictMenu(review, self.rows)
        self.enter_words = self.corrections.enter_words

    def compose(self) -> ComposeResult:
        yield self.text.criterion
        yield self.text.verdict
        yield self.text.reason
        yield self.lines

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        return marks_help(marks)

    @property
    def keys_here(self) -> Sequence[Key]:
        """All but y where yes or no is not asked: it is the screen's there."""
        if self._asks_yes_or_no:
            return KEYS
        return [key for key in KEYS if key.id != YES]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "yes" and not self._asks_yes_or_no:
            return False
        return super().check_action(action, parameters)

    @property
    def _asks_yes_or_no(self) -> bool:
        return self.cell is not None and self.rows.trait.kind == "boolean"

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        if self.cell is None:
            return []
        return [Hint(verdict_keys(self.rows.trait, keys), "verdict", "llm.pick")]

    def taking_hints(self) -> list[Hint]:
        keys = self.review.keys
        plus = next((key.shown for key in keys if key.id == "llm.add"), "+")
        return [*self.hints(keys), Hint(plus, "evidence", "llm.add")]

    # -- the cell ---------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one with the cursor on its verdict."""
        super().show(cell, fresh=fresh)
        self.rows.show(cell, fresh=fresh)
        self._draw_text()

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:  # noqa: ARG002
        self.rows.follow(Edit.from_row(edit))
        self._draw_text()

    def _draw_text(self) -> None:
        if self.cell is not None:
            self.text.draw(self.content_size.width - 2, self.content_size.height)

    def on_resize(self) -> None:
        self._draw_text()

    def one_at_a_time(self, one: bool) -> None:
        self.set_class(one, "-one")
        self.rows.is_small = one
        if self.cell is not None:
            self.rows.draw()
            self._draw_text()

    def evidence(self) -> list[Evidence]:
        return self.rows.evidence()

    def detail(self) -> Content:
        return self.text.detail() if self.cell else Content()

    def summary(self) -> str:
        labels = self.rows.labels
        if labels.value is None:
            return ""
        return f"evidence {len(labels.evidence)}"

    def in_doubt(self) -> int:
        return self.rows.in_doubt

    def doubts(self) -> str:
        count = self.rows.in_doubt
        if not count:
            return ""
        if count == 1:
            return "An excerpt is not in the response."
        return f"{count} excerpts are not in the response."

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        return remarks(self.rows.trait, before.labels or Labels(), after.labels or Labels())

    # -- the cursor -------------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        return self.rows.place

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on a thing that may be said, or on an excerpt."""
        self.rows.go(group, number)
        self._draw_text()

    def action_over(self) -> None:
        self.rows.go_over()

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._draw_text()
        self.review.looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """Enter tells what can be done here."""
        event.stop()
        self.begin(self.menu.ask())

    def on_lines_touched(self, event: Lines.Touched) -> None:
        event.stop()
        if event.right:
            self.begin(self.menu.ask())

    # -- corrections ------------------------------------------------------------------------------

    def action_turn(self) -> None:
        """Gives the verdict under the cursor; where that stands and is yes or no, the other."""
        option = self.rows.option
        if option is None:
            self.review.say("This is no verdict: h goes to them, Enter lists what can be done.")
        elif option == self.rows.labels.value and isinstance(option, bool):
            self.begin(self.corrections.turn())
        else:
            self.begin(self.corrections.give(option))

    def action_yes(self) -> None:
        self.begin(self.corrections.give(True))

    def action_value(self, number: int) -> None:
        self.begin(self.corrections.digit(number))

    def action_correct(self, what: str) -> None:
        """One of the corrections that a key names: pick, add, replace, reword, drop."""
        self.begin(self.corrections.by_name[what]())

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        """The edit on the same excerpt, where that stands by now."""
        return found_again(edit, now.labels or Labels())


PANE = LLMPane
