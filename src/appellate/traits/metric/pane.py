"""The metric cell on the screen, as four buckets or as a checklist, and what can be done with it.

The pane changes nothing itself: it asks for corrections, and shows the cell that it is given.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from appellate.core.cell import Cell
from appellate.traits.metric import ledger
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import EXCERPTS, Bucket, Labels
from appellate.traits.metric.pane_corrections import TAKES, ItemCorrections
from appellate.traits.metric.pane_items import CellItems
from appellate.traits.metric.pane_keys import KEYS, MOVES, answer_keys, marks_help
from appellate.traits.metric.pane_menu import ItemMenu
from appellate.traits.metric.pane_names import RowNames
from appellate.traits.metric.rows import found_again
from appellate.traits.metric.sentences import remarks
from appellate.ui.bar import Hint
from appellate.ui.contract import Place, Review
from appellate.ui.key import Key, bindings
from appellate.ui.marks import Marks
from appellate.ui.pane import Evidence, KindPane, MarkHelp


class MetricPane(KindPane):
    """One cell: its items under a cursor, marked ones among them."""

    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    TAKING = frozenset((*MOVES, "item.replace", "item.split", "item.deny"))
    ANSWER_KEYS = staticmethod(answer_keys)
    CARD = (MOVES, "item into TP FN FP TN")
    NEAR = ("move.", "item.", "view", "bucket.")
    TITLE = "Items"
    ABOUT = (
        "what the judge found and missed, a bucket each; "
        "the response shows the words of the one under the cursor"
    )
    TAKES = TAKES

    def __init__(
        self,
        review: Review,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(review, id=id)
        self.items = CellItems(review, turn=self.action_turn, menu=self.open_menu)
        self.instructions = self.items
        self.rows = self.items.rows
        self.names = RowNames(self.items)
        self.corrections = ItemCorrections(review, self.items)
        self.menu = ItemMenu(review, self.items)
        self.enter_words = self.corrections.other_words

    def compose(self) -> ComposeResult:
        yield self.rows

    # -- what it tells of itself -------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        return marks_help(marks)

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        if self.cell is not None and self.cell.hidden:
            return self._ruling_hints({key.id: key.shown for key in keys})
        moves = " ".join(key.shown for key in keys if key.id in MOVES)
        if moves == "1 2 3 4":
            moves = "1-4"
        return [Hint(moves, "move", "item.menu")]

    def _ruling_hints(self, shown: Mapping[str, str]) -> list[Hint]:
        """The keys that rule on an instruction of a list each."""
        found = []
        for of in ledger.lists(self.items.trait):
            buckets = ledger.buckets_of(of)
            keys = " ".join(shown.get(f"move.{bucket}", "") for bucket in buckets)
            words = ", ".join(ledger.STANDS[bucket] for bucket in buckets)
            found.append(Hint(keys, words, "item.menu"))
        return found

    def taking_hints(self) -> list[Hint]:
        hints = [Hint("1", "into TP", "move.tp"), Hint("3", "into FP", "move.fp")]
        row = self.items.row
        if row and row.bucket in EXCERPTS:
            mark = self.items.drawing.number(row.mark)
            hints.append(Hint("Enter", f"replace {mark or 'the excerpt'}", "item.menu"))
            hints.append(Hint("+", "split there", "item.split", priority=3))
        if row and row.item.link:
            hints.append(Hint("-", "they deny it", "item.deny", priority=3))
        return hints

    # -- the cell ----------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one from its first item, the same one with the cursor on its item
        or on the next.
        """
        super().show(cell, fresh=fresh)
        self.items.show(cell, fresh=fresh)

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        self.items.follow(Edit.from_row(edit), before.labels or Labels(), turned=turned)

    @property
    def place(self) -> Place:
        return self.items.place

    def go(self, group: str, number: int) -> None:
        self.items.go(group, number)

    def evidence(self) -> list[Evidence]:
        return self.items.evidence

    def detail(self) -> Content:
        return self.items.detail()

    def summary(self) -> str:
        if self.cell is None or self.cell.labels is None:
            return ""
        return self.items.ledger.describe

    def doubts(self) -> str:
        if self.cell is None or self.cell.labels is None:
            return ""
        return ledger.doubts(self.items.trait, self.cell.labels)

    def in_doubt(self) -> int:
        return self.items.in_doubt()

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        return remarks(self.items.trait, before.labels or Labels(), after.labels or Labels())

    # -- the cursor and the focus ------------------------------------------------------------------

    def turn_view(self) -> None:
        self.items.turn_view()
        self.title = "Checklist" if self.items.view == "checklist" else self.TITLE

    def take_focus(self) -> None:
        self.screen.set_focus(self.rows.lines)

    def one_at_a_time(self, one: bool) -> None:
        self.rows.one_at_a_time(one)

    @property
    def has_marked(self) -> bool:
        return bool(self.rows.marked)

    def clear_marks(self) -> bool:
        return self.rows.clear_marks()

    def step_group(self, by: int) -> None:
        self.rows.step_group(by)

    def action_bucket(self, by: int) -> None:
        self.take_focus()
        self.step_group(by)

    def action_view(self) -> None:
        """Turns from the buckets to the checklist and back, with the cursor on the same item."""
        self.take_focus()
        self.turn_view()
        self.rows.looked()

    def action_mark(self, which: str = "one") -> None:
        """Marks the item, all of the bucket, a range, or what one goes over."""
        if self.review.sees_item():
            self.rows.mark[which]()

    # -- corrections -------------------------------------------------------------------------------

    def action_move(self, to: Bucket) -> None:
        self.begin(self.corrections.move(to))

    def action_correct(self, what: str) -> None:
        """One of the corrections that need no further word: drop, relink, repeat, reword,
        replace, split, merge, missing.
        """
        self.begin(self.corrections.by_name[what]())

    def action_turn(self) -> None:
        self.begin(self._turn())

    async def _turn(self) -> None:
        """Turns verdicts; the cursor stays on the one that it was on, so that it can turn back."""
        entries = self.items.turning()
        await self.corrections.turn(entries)
        if len(entries) == 1:
            self.items.go_to_link(entries[0].link)
            self.review.looked()

    def corrected(self, edit: Edit) -> None:
        self.corrections.corrected(edit)

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        return found_again(edit, self.items.labels, now.labels or Labels())

    # -- the menu, the mouse -----------------------------------------------------------------------

    def action_menu(self) -> None:
        if self.review.sees_item():
            self.open_menu()

    def open_menu(self) -> None:
        repeat = self.corrections.last is not None
        self.begin(self.menu.ask(repeat=repeat))


PANE = MetricPane
