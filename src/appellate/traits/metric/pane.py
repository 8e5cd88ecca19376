"""The metric cell on the screen, as four buckets or as a checklist, and what can be done with it.

The pane changes nothing itself: it asks for corrections, and shows the cell that it is given.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from appellate.core.cell import Cell
from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.traits.metric import ledger
from appellate.traits.metric.edits import Edit, apply, permit, unworded
from appellate.traits.metric.labels import EXCERPTS, Bucket
from appellate.traits.metric.ledger import MARKS, buckets_of
from appellate.traits.metric.pane_corrections import TAKES, ItemCorrections, OfCellItems
from appellate.traits.metric.pane_items import CellItems
from appellate.traits.metric.pane_keys import KEYS, MEANINGS, MOVES, answer_keys, marks_help
from appellate.traits.metric.rows import ItemRow, Thing, open_instructions
from appellate.traits.metric.wanted_edits import edit_of, moved
from appellate.ui.contract import Evidence, Review, pick_action
from appellate.ui.grouped_rows import GroupedRows
from appellate.ui.key import Hint, Key
from appellate.ui.marks import MarkHelp, Marks
from appellate.ui.own_keys import bindings
from appellate.ui.pane import ItemNames, KindPane
from appellate.ui.text import inert


class ItemMenu:
    """Lets one of the things be picked that can be done here."""

    def __init__(self, review: Review, items: CellItems) -> None:
        self._review = review
        self._items = items

    async def ask(self, *, repeat: bool) -> None:
        """`repeat`: whether there is a last correction to be made once more."""
        cell, row, entry = self._items.cell, self._items.row, self._items.entry
        if cell is None:
            return
        title = "Nothing is under the cursor"
        if row:
            title = row.item.text
        elif entry:
            title = entry.text
        await pick_action(self._review, title, self._offers(cell, repeat=repeat))

    def _offers(self, cell: Cell, *, repeat: bool) -> dict[str, str]:
        """Everything that can be done here: what it is by the id of its key."""
        row, readonly = self._items.row, self._review.readonly
        offers: dict[str, str] = {}
        if row and row.item.span:
            offers["text.evidence"] = "bring its evidence into sight"
        if repeat and row and not readonly:
            offers["item.repeat"] = "the last correction once more"
        if not readonly:
            offers |= self._corrections(cell, row)
        if self._items.drawing.panel is not None or cell.rounds:
            offers["cell.proposals"] = "what each judge proposed, to adopt one"
        offers["view"] = f"show the {self._items.other_view}"
        return offers

    def _corrections(self, cell: Cell, row: ItemRow | None) -> dict[str, str]:
        offers: dict[str, str] = {}
        entry = self._items.entry
        if entry:
            offers["item.turn"] = "turn it: found ⇄ missing, present ⇄ absent"
        if row:
            offers |= self._of_item(cell.subject, row)
        elif entry:
            offers |= {f"move.{to}": _into(to) for to in buckets_of(entry.of)}
        offers["text.select"] = "select words of the response"
        if open_instructions(cell.subject.trait, self._items.labels):
            offers["item.missing"] = "add an instruction that is nowhere yet"
        return offers

    def _of_item(self, subject: Subject, row: ItemRow) -> dict[str, str]:
        offers: dict[str, str] = {}
        for to in MEANINGS:
            if self._may(subject, moved(row, to)[0]):
                offers[f"move.{to}"] = _into(to)
        if self._may(subject, edit_of("drop", row)):
            offers["item.drop"] = "drop it"
        if row.item.denied:
            offers["item.deny"] = "take the denial back: it is left out"
        elif row.item.link:
            offers["item.deny"] = "denied: words of the response say the contrary"
        offers["item.relink"] = "link it to another instruction"
        if not unworded("reword", row.bucket):
            offers["item.replace"] = "put other words of the response in its place"
        if not unworded("reword", row.bucket, row.item):
            offers["item.reword"] = "reword it"
            offers["item.split"] = "split it in two"
            following = self._items.labels.bucket(row.bucket)[row.index + 1 : row.index + 2]
            if following and following[0].link == row.item.link:
                offers["item.merge"] = "merge it with the next"
        offers["item.mark"] = "mark it, or let it go"
        offers["item.mark_to_here"] = "mark all from the one marked last to this one"
        offers["item.mark_all"] = "mark all of these"
        return offers

    def _may(self, subject: Subject, edit: Edit) -> bool:
        """Whether the rules allow an edit."""
        labels = self._items.labels
        try:
            asked = permit(subject.trait, subject.trace, labels, edit)
            apply(subject.trait, subject.trace, labels, asked)
        except Refused:
            return False
        return True


def _into(to: Bucket) -> str:
    return f"into {MARKS[to]}: {MEANINGS[to]}"


class RowNames(ItemNames):
    """The names of the rows."""

    def __init__(self, items: CellItems) -> None:
        self._items = items

    @property
    def all(self) -> Sequence[str]:
        return list(self._items.named())

    @property
    def here(self) -> Sequence[str]:
        places = self._items.places_here
        return [name for name, place in self._items.named().items() if place in places]

    def go(self, name: str) -> None:
        self._items.go(*self._items.named()[name])

    def tell_seen(self, text: str) -> None:
        if text != self._items.seen:
            self._items.seen = text
            self._items.rows.draw_around()


class MetricPane(OfCellItems, KindPane):
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
        self.items = CellItems(
            review, GroupedRows, turn=partial(self.action_correct, "turn"), menu=self.open_menu
        )
        self.rows: GroupedRows[Thing] = self.items.rows  # type: ignore[assignment]
        self.instructions = self.items
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

    def evidence(self) -> list[Evidence]:
        return self.items.evidence

    def detail(self) -> Content:
        return Content(inert(self.items.detail()))

    def summary(self) -> str:
        if self.cell is None or self.cell.labels is None:
            return ""
        return self.items.ledger.describe

    def in_doubt(self) -> int:
        return self.items.in_doubt()

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

    # -- the menu, the mouse -----------------------------------------------------------------------

    def action_menu(self) -> None:
        if self.review.sees_item():
            self.open_menu()

    def open_menu(self) -> None:
        repeat = self.corrections.last is not None
        self.begin(self.menu.ask(repeat=repeat))


PANE = MetricPane
