"""The metric cell on the screen, as four buckets or as a checklist, and what can be done with it.

The pane changes nothing itself: it asks for corrections, and shows the cell that it is given.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from appellate.core.cell import Cell
from appellate.traits.metric import item_actions, ledger, view
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import Bucket, Labels
from appellate.traits.metric.ledger import lists
from appellate.traits.metric.majority import panel_of
from appellate.traits.metric.pane_corrections import ItemCorrections
from appellate.traits.metric.pane_keys import KEYS, MOVES, told_marks
from appellate.traits.metric.pane_rows import WORD, RowDrawing, Thing, rows_of
from appellate.traits.metric.telling import unlabelled, why_empty
from appellate.traits.metric.view import (
    ChecklistEntry,
    ItemRow,
    Said,
    apart,
    buckets,
    entries,
    rows,
)
from appellate.ui.bar import Hint
from appellate.ui.grouped_rows import Group, GroupedRows
from appellate.ui.key import Key, bindings
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.pane import Evidence, KindPane, MarkTold, Place, Review
from appellate.ui.picker import Choice
from appellate.ui.text import clip, entitle, inert

TITLE = 60  # the cells of a menu's title
_STAYING = ("relink", "reword", "split", "merge")


class MetricPane(KindPane):
    """One cell: its items under a cursor, marked ones among them."""

    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    TAKING = frozenset(MOVES)
    CARD = (MOVES, "item into TP FN FP TN")
    NEAR = ("move.", "item.", "view", "bucket.")
    ABOUT = "what the judge found and missed, a bucket each; the response shows the words of the one under the cursor"
    TAKES = "1 puts the words into TP, 3 into FP; Esc leaves."

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(review, id=id)
        self.rows: GroupedRows[Thing] = GroupedRows(self, review.marks)
        self.drawing = RowDrawing(review.marks, self.rows.sign, lambda: self.size.width)
        self.view: Literal["buckets", "checklist"] = "buckets"
        self._listed: dict[Bucket, list[ItemRow]] = {}
        self._chosen: item_actions.Place | None = None
        self.corrections = ItemCorrections(self)
        self._evidence: list[Evidence] = []
        self._unverified = 0
        self._ledger: tuple[int, int, list[str]] = (0, 0, [])

    def compose(self) -> ComposeResult:
        yield self.rows

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def told_marks(cls, marks: Marks) -> list[MarkTold]:
        return told_marks(marks)

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        moves = [key.shown for key in keys if key.id in self.TAKING]
        return [Hint("1-4" if moves == list("1234") else " ".join(moves), "move", "item.menu")]

    def taking_hints(self) -> list[Hint]:
        return [Hint("1", "into TP", "move.tp"), Hint("3", "into FP", "move.fp")]

    # -- what is shown ----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one from its first item, the same one with the cursor on its item or on the next."""
        same = self.cell is not None and self.cell.subject is cell.subject
        before, key, order = self.labels, self.rows.key, self._reading_order
        here = self.rows.here
        item = here.place if isinstance(here, ItemRow) else None  # a line of the checklist stays
        self.cell, self._chosen = cell, None
        went = item_actions.followed(before, self.labels) if same else {}
        self.rows.marked = {went[place] for place in self.rows.marked if place in went}
        self._listed = {name: rows(self.trait, self.labels, name) for name in buckets(self.trait)}
        every = [row for listed in self._listed.values() for row in listed]
        self.drawing.panel = panel_of(cell)
        self._evidence = [
            Evidence(one.start, one.end, one.bucket, one.mark, (one.bucket, one.index), one.counts)
            for one in view.evidence(every)
        ]
        self._unverified = sum(row.unverified for row in every)
        self._ledger = ledger.told(self.trait, self.labels)
        if fresh and not (same and self.view == "checklist"):
            self._arrange(None, 0)
            return
        self._arrange(key)
        onward = item_actions.onward(item, order, went) if item else None
        if onward:
            self.go(*onward)

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        """Puts the cursor on the item that a correction was about, wherever it is now.

        After a move, a drop or an addition it stays where `show` put it, unless that was `turned`.
        """
        made = Edit.from_row(edit)
        if turned or made.action in _STAYING:
            place = item_actions.arrived(before.labels or Labels(), self.labels, made)
            if place:
                self.go(*place)

    @property
    def _reading_order(self) -> list[item_actions.Place]:
        return [
            place
            for things in self.rows.things.values()
            for thing in things
            for place in self.places(thing)
        ]

    def _arrange(self, key: str | None, row: int | None = None) -> None:
        """Puts the things into groups; the cursor goes to one of them, or to the first that holds any."""
        things: dict[str, Sequence[Thing]] = dict(self._listed.items())
        if self.view == "checklist":
            things = self._checklist()
        first = next((name for name, held in things.items() if held), "tp")
        self.rows.things = things
        self.rows.key = key if key is not None and key in things else first
        self._draw(row)

    def _checklist(self) -> dict[str, Sequence[Thing]]:
        things: dict[str, Sequence[Thing]] = {
            of: entries(self.trait, self._listed, of) for of in lists(self.trait)
        }
        left = apart(self.trait, self._listed)
        return {
            name: held for name, held in {**things, "apart": left}.items() if held or name == "tp"
        }

    def _draw(self, row: int | None = None) -> None:
        bare = self._is_bare
        self.rows.set_class(bare, "-unlabelled")
        entitle(self, "Checklist" if self.view == "checklist" else "")
        groups = [self._group(name) for name in self.rows.things]
        if bare and self.cell:
            self.rows.show_alone(groups, unlabelled(self.cell))
        elif groups:
            self.rows.show_groups(groups, row)

    def redraw(self) -> None:
        if self.cell is not None:
            self._draw()

    @property
    def _is_bare(self) -> bool:
        """Whether there is a cell without labels, of which the buckets would say nothing."""
        return self.cell is not None and self.cell.labels is None and self.view == "buckets"

    @property
    def trait(self) -> Any:
        return self.cell.subject.trait if self.cell else None

    @property
    def labels(self) -> Labels:
        return (self.cell.labels if self.cell else None) or Labels()

    def action_view(self) -> None:
        """Turns from the buckets to the checklist and back, with the cursor on the same item."""
        self.take_focus()
        self.turn_view()
        self.rows.looked()

    def turn_view(self) -> None:
        place, self.view = self.place, "buckets" if self.view == "checklist" else "checklist"
        if self.cell is not None:
            self._arrange(None, 0)
            self.go(*place)

    def _group(self, name: str) -> Group:
        things: Sequence[Any] = self.rows.things[name]
        if self.view == "checklist":
            return (
                self.drawing.others(name, things)
                if name == "apart"
                else self.drawing.entries(name, things)
            )
        bucket: Bucket = name  # type: ignore[assignment]
        return self.drawing.bucket(bucket, self.cell, things, readonly=self.review.readonly)

    def doubtful(self, thing: Thing) -> bool:
        return any(row.unverified for row in rows_of(thing))

    def in_doubt(self) -> int:
        return self._unverified

    # -- around them ------------------------------------------------------------------------------

    def aside(self) -> str:
        bare = self.cell is None or self._is_bare
        return "" if bare else f"{self._ledger[0]}/{self._ledger[1]}"

    def summary(self) -> str:
        if self.cell is None or self.cell.labels is None:
            return ""
        return f"instructions {self._ledger[0]}/{self._ledger[1]}"

    def detail(self) -> Content:
        if self.cell is not None and self.cell.labels is None:
            return Content(inert(why_empty(self.cell)))
        said = (
            *self._details(),
            *self._votes(),
            *view.of_breaches(self._ledger[2], self.marks.doubt),
        )
        return Content("\n").join([self._said(one) for one in said])

    def _votes(self) -> list[Said]:
        thing = self.here_entry or self.row
        return view.of_votes(self.drawing.panel, thing) if self.drawing.panel and thing else []

    def _details(self) -> list[Said]:
        if entry := self.here_entry:
            beside = len(self.drawing.beside(entry))
            return view.of_entry(
                entry, (self.size.width - WORD) // (1 + beside) - WORD, beside=bool(beside)
            )
        return view.of_item(self.trait, self.row, self.size.width - 10) if self.row else []

    def _said(self, one: Said) -> Content:
        return Content.styled(
            inert(self.drawing.number(one.text)), f"${one.colour}" if one.colour else ""
        )

    def evidence(self) -> list[Evidence]:
        return self._evidence

    def doubts(self) -> str:
        return (
            ""
            if self.cell is None or self.cell.labels is None
            else ledger.doubts(self.trait, self.labels)
        )

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        return view.remarks(self.trait, before.labels or Labels(), after.labels or Labels())

    # -- where the cursor is ----------------------------------------------------------------------

    @property
    def here_entry(self) -> ChecklistEntry | None:
        """The line of the checklist under the cursor."""
        here = self.rows.here
        return here if isinstance(here, ChecklistEntry) else None

    @property
    def row(self) -> ItemRow | None:
        """The item under the cursor: on the checklist, the line's own that was gone to, or its first."""
        held = rows_of(self.rows.here)
        return next((row for row in held if row.place == self._chosen), held[0] if held else None)

    @property
    def place(self) -> Place:
        if self.row:
            return self.row.place
        return (self.rows.key if self.view == "buckets" else ""), self.rows.lines.cursor.row

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on an item."""
        for name, things in self.rows.things.items():
            found = (
                at
                for at, thing in enumerate(things)
                if any(r.place == (group, number) for r in rows_of(thing))
            )
            at = next(found, number if name == group and self.view == "buckets" else None)
            if at is not None:
                self._chosen = group, number  # type: ignore[assignment]
                self.rows.key = name
                self._draw(at)
                return

    def looked(self) -> None:
        self.review.looked()

    def say(self, text: str) -> None:
        self.review.say(text)

    def places(self, thing: Thing | None) -> list[item_actions.Place]:
        return [row.place for row in rows_of(thing)]

    def lists(self) -> list[Lines]:
        return [self.rows.lines]

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

    def action_mark(self) -> None:
        if self.review.sees_item():
            self.rows.toggle_mark()

    def action_mark_all(self) -> None:
        if self.review.sees_item():
            self.rows.mark_all()

    # -- corrections ------------------------------------------------------------------------------

    def action_move(self, to: Bucket) -> None:
        self.corrections.move(to)

    def action_correct(self, what: str) -> None:
        """One of the corrections that need no further word: drop, relink, repeat, reword, split, merge, missing."""
        self.corrections.by_name[what]()

    def corrected(self, edit: Edit) -> None:
        self.corrections.corrected(edit)

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        return item_actions.found_again(edit, self.labels, now.labels or Labels())

    # -- the menu, the mouse ----------------------------------------------------------------------

    def choose(self) -> None:
        """Enter turns a line of the checklist; anywhere else it opens the menu."""
        if entry := self.here_entry:
            self.corrections.toggle(entry)
        else:
            self.menu()

    def touched(self, x: int) -> None:
        """A click on a line's mark turns it."""
        entry = self.here_entry
        if entry and x < WORD:
            self.corrections.toggle(entry)

    def action_menu(self) -> None:
        if self.review.sees_item():
            self.menu()

    def menu(self) -> None:
        self.begin(self._offer())

    async def _offer(self) -> None:
        """Everything that can be done here, to pick one."""
        row, entry = self.row, self.here_entry
        if self.cell is None:
            return
        offered = (
            [("bring its evidence into sight", "text.evidence")] if row and row.item.span else []
        )
        if not self.review.readonly:
            if self.corrections.may_repeat and row:
                offered.append(("the last correction once more", "item.repeat"))
            offered += item_actions.offered(self.cell.subject, self.labels, row, entry)
        if self.drawing.panel is not None or self.cell.rounds:
            offered.append(("what each judge proposed, to adopt one", "cell.proposals"))
        offered.append(
            (f"show the {'buckets' if self.view == 'checklist' else 'checklist'}", "view")
        )
        title = "Nothing is under the cursor"
        if row:
            title = row.item.text
        elif entry:
            title = entry.text
        shown = {key.id: key.shown for key in self.review.keys}
        choices = [Choice(key, shown.get(key, ""), told) for told, key in offered]
        self.review.run(await self.review.pick(clip(title, TITLE, self.marks), choices))


PANE = MetricPane
