"""The metric cell on the screen, as four buckets or as a checklist, and what can be done with it.

The pane changes nothing itself: it asks for corrections, and shows the cell that it is given.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Click
from textual.widgets import Static

from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.traits.metric import ledger
from appellate.traits.metric.edits import Edit, apply, permit, unworded
from appellate.traits.metric.labels import EXCERPTS, Bucket, Labels
from appellate.traits.metric.ledger import MARKS, buckets_of
from appellate.traits.metric.pane_corrections import (
    KEYS,
    MEANINGS,
    MOVES,
    TAKES,
    ItemCorrections,
    OfCellItems,
)
from appellate.traits.metric.pane_items import MARK, CellItems
from appellate.traits.metric.rows import ItemRow, Thing, open_instructions
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.wanted_edits import edit_of, moved
from appellate.ui.contract import Evidence, Review, pick_action
from appellate.ui.grouped_rows import GroupedLines, fitting
from appellate.ui.key import Hint, Key
from appellate.ui.lines import CURSOR, SIGN, Lines
from appellate.ui.marks import MarkHelp, Marks
from appellate.ui.own_keys import bindings
from appellate.ui.pane import ItemNames, KindPane
from appellate.ui.text import cell_width, entitle, inert, update_text

_MARKS = """\
tp  true positive: the response says what a TP instruction asks for  {tp}TP
fn  false negative: a TP instruction that the response does not meet  {fn}FN
fp  false positive: words of the response that are wrong for this trait  {fp}FP
tn  true negative: a TN instruction that the response rightly does not meet  {tn}TN
key  TP instruction 4, TN instruction 1, hint 2  4  {minus}1  ~2
key  its points in the metric weighted  +5  {minus}8
key  marked: what is done next is done to all that are marked  {marked}
key  you moved it: the judge had it in FN; then your reason  {moved} was FN
key  you gave it other words, other evidence or another instruction  {changed}
key  you added it  {added}
muted  on the checklist: an instruction that is nowhere yet  {open}
flag  an excerpt that was not found in the response  {doubt} unverified
-  taken on without words of the response  no evidence
flag  how many of the panel's judges say so; with the sign: not all of them  {split}2/3
flag  these words of it say the contrary  {denied} denied
-  asks for what is left out: no words show it  {omission} by omission
key  right verdict; you replaced the judge's excerpt  wrong evidence
-  repeats an item above it: shown, but not counted  repeat
-  several excerpts of one instruction count  counts twice
"""
"""The style of a mark in the rows, what it means, and the mark."""


def answer_keys(trait: MetricRubricTrait) -> Mapping[str, str]:  # noqa: ARG001 - of every one
    """The bucket that each of the four keys puts an instruction into."""
    return {key: key.removeprefix("move.") for key in MOVES}


def offers(items: CellItems, *, repeat: bool) -> dict[str, str]:
    """Everything that can be done at the cursor: what it is, by the id of its key. `repeat` is
    whether there is a last correction to be made once more.
    """
    cell, row = items.cell, items.row
    if cell is None:
        return {}
    found: dict[str, str] = {}
    if row and row.item.span:
        found["text.evidence"] = "bring its evidence into sight"
    if not items.review.readonly:
        if repeat and row:
            found["item.repeat"] = "the last correction once more"
        found |= _corrections(cell.subject, items)
    if items.drawing.panel is not None or cell.rounds:
        found["cell.proposals"] = "what each judge proposed, to adopt one"
    return {**found, "view": f"show the {items.other_view}"}


def _corrections(subject: Subject, items: CellItems) -> dict[str, str]:
    found, row, entry = {}, items.row, items.entry
    if entry:
        found["item.turn"] = "turn it: found ⇄ missing, present ⇄ absent"
    if row:
        found |= _offers_of_item(subject, items.labels, row)
    elif entry:
        found |= {f"move.{to}": _into(to) for to in buckets_of(entry.of)}
    found["text.select"] = "select words of the response"
    if open_instructions(subject.trait, items.labels):
        found["item.missing"] = "add an instruction that is nowhere yet"
    return found


def _offers_of_item(subject: Subject, labels: Labels, row: ItemRow) -> dict[str, str]:
    """What can be done with an item."""

    def may(edit: Edit) -> bool:
        """Whether the rules allow an edit."""
        try:
            asked = permit(subject.trait, subject.trace, labels, edit)
            apply(subject.trait, subject.trace, labels, asked)
        except Refused:
            return False
        return True

    is_excerpt = not unworded("reword", row.bucket)
    is_worded = not unworded("reword", row.bucket, row.item)
    following = labels.bucket(row.bucket)[row.index + 1 : row.index + 2]
    denial = "denied: words of the response say the contrary"
    if row.item.denied:
        denial = "take the denial back: it is left out"
    found = [(f"move.{to}", _into(to), may(moved(row, to)[0])) for to in MEANINGS]
    found += [
        ("item.drop", "drop it", may(edit_of("drop", row))),
        ("item.deny", denial, bool(row.item.denied or row.link)),
        ("item.relink", "link it to another instruction", True),
        ("item.replace", "put other words of the response in its place", is_excerpt),
        ("item.reword", "reword it", is_worded),
        ("item.split", "split it in two", is_worded),
        (
            "item.merge",
            "merge it with the next",
            is_worded and bool(following) and following[0].link == row.link,
        ),
        ("item.mark", "mark it, or let it go", True),
        ("item.mark_to_here", "mark all from the one marked last to this one", True),
        ("item.mark_all", "mark all of these", True),
    ]
    return {key: words for key, words, is_offered in found if is_offered}


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
        return self._items.names_here

    def go(self, name: str) -> None:
        self._items.go(*self._items.named()[name])

    def tell_seen(self, text: str) -> None:
        if text != self._items.seen:
            self._items.seen = text
            self._items.drawn()


OF_NOTICE = 3  # the part of the height that a notice has at most


class MetricPane(OfCellItems, KindPane):
    """One cell: its items under a cursor, marked ones among them, all of them or a bucket at a
    time behind tabs.
    """

    DEFAULT_CSS = """
    MetricPane {
        & > #tabs { height: 1; display: none; }
        & > #items { height: 1fr; min-height: 3; }
        & > #notice { height: auto; padding: 0 1; }
        &.-one > #tabs { display: block; }
    }
    """
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
        self.items = CellItems(review, GroupedLines, self._draw_around)
        self.rows: GroupedLines[Thing] = self.items.rows  # type: ignore[assignment]
        self.rows.id = "items"
        self._tabs = Static(id="tabs", markup=False)
        self._notice = Static(id="notice", markup=False)
        self.instructions = self.items
        self.names = RowNames(self.items)
        self.corrections = ItemCorrections(review, self.items)
        self.enter_words = self.corrections.replace

    def compose(self) -> ComposeResult:
        yield self._tabs
        yield self.rows
        yield self._notice

    # -- what it tells of itself -------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        found = []
        for line in _MARKS.splitlines():
            style, meaning, mark = line.split("  ", 2)
            found.append(MarkHelp(mark.format(**marks._asdict()), meaning, style.strip("-")))
        return found

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

    def _draw_around(self) -> None:
        """Draws the tabs, for which nothing is laid out anew, the notice, if it is another, and how
        many are marked.
        """
        if self.rows.alone:
            self._tabs.update(self._tab_names(), layout=False)
        text, style = self.items.notice()
        self._notice.display = bool(text)
        if text:
            content = Content.styled(inert(text), f"${style}")
            width, height = self.content_size
            update_text(self._notice, fitting(content, width - 2, max(height // OF_NOTICE, 1)))
        marked = ""
        if self.rows.marked:
            marked = f"{self._marked()} marked"
        entitle(self, subtitle=marked)

    def _marked(self) -> str:
        return f"{self.marks.marked} {len(self.rows.marked)}"

    def _tab_names(self) -> Content:
        parts: list[Content] = []
        for group in self.rows.groups:
            style = "$text"
            if group.style:
                style = f"$bucket-{group.style}"
            if group.key == self.rows.key:
                style = f"bold reverse {style}"
            parts += [Content.styled(f" {group.title} ", style), Content("  ")]
        aside = f" {self.items.seen or self.items.ledger.describe}"
        if self.rows.marked:
            aside += f"  {self._marked()}"
        return Content.assemble(*parts, Content.styled(aside, "$text-muted"))

    def on_resize(self) -> None:
        self._draw_around()

    # -- the cursor and the focus ------------------------------------------------------------------

    def turn_view(self) -> None:
        self.items.turn_view()
        self.title = "Checklist" if self.items.view == "checklist" else self.TITLE

    def take_focus(self) -> None:
        self.screen.set_focus(self.rows)

    def one_at_a_time(self, one: bool) -> None:
        self.rows.show_alone(one)
        self.set_class(one, "-one")
        self._draw_around()

    @property
    def has_marked(self) -> bool:
        return bool(self.rows.marked)

    def clear_marks(self) -> bool:
        return self.rows.clear_marks()

    def step_group(self, by: int) -> None:
        """Goes to the next or previous group, round the corner."""
        keys = [group.key for group in self.rows.groups]
        if keys:
            self._to_group(keys[(keys.index(self.rows.key) + by) % len(keys)])

    def _to_group(self, key: str) -> None:
        self.rows.show_groups(self.rows.groups, (key, 0))
        self._looked()

    def _looked(self) -> None:
        """The cursor is on another row."""
        self._draw_around()
        self.review.looked()

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._looked()

    def action_bucket(self, by: int) -> None:
        self.take_focus()
        self.step_group(by)

    def action_view(self) -> None:
        """Turns from the buckets to the checklist and back, with the cursor on the same item."""
        self.take_focus()
        self.turn_view()
        self._looked()

    def action_mark(self, which: str = "one") -> None:
        """Marks the item, all of the bucket, a range, or what one goes over."""
        if self.review.sees_item():
            self.rows.mark[which]()

    # -- corrections -------------------------------------------------------------------------------

    def action_move(self, to: Bucket) -> None:
        self.begin(self.move(to))

    def action_correct(self, what: str) -> None:
        """One of the corrections that need no further word: drop, relink, repeat, reword,
        replace, split, merge, missing.
        """
        self.begin(self.correct(what))

    # -- the menu, the mouse -----------------------------------------------------------------------

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.open_menu()

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """The right button opens the menu, Ctrl marks; a click on the mark of a line of the
        checklist turns it, as Space does.
        """
        event.stop()
        if event.right:
            self.open_menu()
        elif event.ctrl:
            self.rows.turn_mark()
        elif self.items.entry and 0 <= event.x - CURSOR - SIGN < MARK:
            self.action_correct("turn")

    def on_click(self, event: Click) -> None:
        """A click on a tab goes to its group."""
        place = event.get_content_offset(self._tabs)
        if place is None:
            return
        left = place.x
        for group in self.rows.groups:
            taken = cell_width(group.title) + 4
            if 0 <= left < taken:
                self._to_group(group.key)
                self.take_focus()
            left -= taken

    def action_menu(self) -> None:
        if self.review.sees_item():
            self.open_menu()

    def open_menu(self) -> None:
        title = "Nothing is under the cursor"
        if self.items.row:
            title = self.items.row.item.text
        elif self.items.entry:
            title = self.items.entry.text
        repeat = self.items.last is not None
        self.begin(pick_action(self.review, title, offers(self.items, repeat=repeat)))


PANE = MetricPane
