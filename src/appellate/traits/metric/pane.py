"""Shows a metric cell on the screen, as four buckets or as a checklist."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Click
from textual.widgets import Static

from appellate.traits.metric import ledger
from appellate.traits.metric.labels import EXCERPTS
from appellate.traits.metric.pane_corrections import (
    ITEM_KEYS,
    MARK_KEY,
    MOVES,
    TAKES,
    TURN_KEY,
    ItemCorrections,
)
from appellate.traits.metric.pane_items import MARK, CellItems, shown_mark
from appellate.traits.metric.rows import Thing
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.ui.contract import Evidence, Review
from appellate.ui.grouped_rows import GroupedLines, fitting
from appellate.ui.key import Hint, Key, OwnAct, Strip, in_group
from appellate.ui.lines import CURSOR, SIGN, Lines, legend
from appellate.ui.marks import STEP_MARKS, MarkHelp, Marks, helps_in, spelt
from appellate.ui.own_keys import bindings
from appellate.ui.pane import ItemsPane
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
-  an item above it counts for its instruction: shown, but not counted  repeat
-  behind a count: so many more are shown, but not counted  (+1)
-  several excerpts of one instruction count  counts twice
"""


def answer_keys(trait: MetricRubricTrait) -> Mapping[str, str]:
    """Return the bucket that each key puts an instruction into, as {"move.tp": "tp", …}.

    All four buckets are there, also TN of a trait that is `tp_only`.
    """
    return {key: key.removeprefix("move.") for key in MOVES}


class AroundItems:
    """The tabs above the rows, if one group is shown at a time, and a notice below them."""

    OF_NOTICE = 3  # the part of the height that a notice has at most
    """The notice has at most one of so many parts of the height."""

    def __init__(self, items: CellItems) -> None:
        """Make the tabs and the notice of these items; `draw` fills them."""
        self._items = items
        self.tabs = Static(id="tabs", markup=False)
        self.notice = Static(id="notice", markup=False)

    def draw(self, pane: "MetricPane") -> None:
        """Draw tabs, notice and the frame of the pane anew.

        The frame says how many items are marked and what marks mean. Tabs are drawn only if one
        group is shown at a time. A notice without words is not displayed; a long one is cut to a
        third of the height.
        """
        subtitle = ""
        if pane.has_marked:
            subtitle = f"{pane.marks.marked} {len(pane.rows.marked)} marked"
        subtitle = "  ".join(filter(None, (subtitle, self._legend(pane))))
        if pane.rows.alone:
            self.tabs.update(self._tab_names(pane.rows, subtitle), layout=False)
        text, style = self._items.notice()
        self.notice.display = bool(text)
        if text:
            content = Content.styled(inert(spelt(text, pane.marks)), f"${style}")
            width, height = pane.content_size
            update_text(
                self.notice,
                fitting(content, width - 2, max(height // self.OF_NOTICE, 1)),
            )
        entitle(pane, subtitle=subtitle)

    def _legend(self, pane: "MetricPane") -> str:
        """Return what marks on visible rows mean that have no word next to them; "" for none.

        They are the signs of rows that the person "moved by you", "changed by you" or "added by
        you", and "(+1) shown, not counted" for a group with items that do not count.
        """
        marks = pane.marks
        meanings = {
            marks.moved: "moved by you",
            marks.changed: "changed by you",
            marks.added: "added by you",
        }
        parts = [legend([pane.rows], meanings, pane.size.width)]
        if any("(+" in group.title for group in pane.rows.groups):
            parts.append("(+1) shown, not counted")
        return "  ".join(filter(None, parts))

    def _tab_names(self, rows: GroupedLines[Thing], marked: str) -> Content:
        """Return the names of the groups as tabs, and after them how much is answered or seen.

        The current group is drawn reversed. `marked` is a text that comes last, "" for none.
        """
        parts: list[Content] = []
        for group in rows.groups:
            style = "$text"
            if group.style:
                style = f"$bucket-{group.style}"
            if group.key == rows.key:
                style = f"bold reverse {style}"
            parts += [Content.styled(f" {group.title} ", style), Content("  ")]
        aside = f" {self._items.seen or self._items.answered()}"
        if marked:
            aside += f"  {marked}"
        return Content.assemble(*parts, Content.styled(aside, "$text-muted"))

    def group_at(self, event: Click) -> str:
        """Return the key of the group on whose tab a click is, or "" if it is on no tab."""
        offset = event.get_content_offset(self.tabs)
        if offset is None:
            return ""
        column = offset.x
        for group in self._items.rows.groups:
            tab_width = cell_width(group.title) + 4
            if 0 <= column < tab_width:
                return group.key
            column -= tab_width
        return ""


class MetricPane(ItemsPane):
    """Shows the items of a cell under a cursor, all of them or a bucket at a time behind tabs."""

    DEFAULT_CSS = """
    MetricPane {
        & > #tabs { height: 1; display: none; }
        & > #items { height: 1fr; min-height: 3; }
        & > #notice { height: auto; padding: 0 1; }
        &.-one > #tabs { display: block; }
    }
    """
    TAKING = frozenset((*MOVES, "item.replace", "item.split", "item.deny"))
    ANSWER_KEYS = staticmethod(answer_keys)
    NEAR = ("move.", "item.", "view", "bucket.")
    TITLE = "Items"
    WORDS: ClassVar[Mapping[str, str]] = {
        "instruction": "one thing that the trait looks for: those of TP should be met, those of TN "
        "must not be",
        "item": "an entry of TP, FN, FP or TN: an instruction and, in TP and FP, the words that "
        "support it",
    }
    ABOUT = (
        "what the judge found and missed, a bucket each; "
        "the response shows the words of the one under the cursor"
    )
    TAKES = TAKES

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        """Make an empty pane for a review; `id` is its id as a widget."""
        super().__init__(review, id=id)
        self.items: CellItems = CellItems(review, GroupedLines, self._draw_around)
        self.rows: GroupedLines[Thing] = self.items.rows  # type: ignore[assignment]
        self.rows.id = "items"
        self.around = AroundItems(self.items)
        self.instructions = self.items
        self.named_items = self.items
        self.marked_rows = self.rows
        self.corrections: ItemCorrections = ItemCorrections(review, self.items)
        self.enter_words = self.corrections.replace

    def compose(self) -> ComposeResult:
        """Yield the tabs, the list of items and the notice, from top to bottom."""
        yield self.around.tabs
        yield self.rows
        yield self.around.notice

    # -- about itself -----------------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        return [*helps_in(_MARKS, **marks._asdict()), *STEP_MARKS]

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        """Return the hints for the strip of keys: what the keys of the buckets do in this cell.

        They are one hint, as "1-4 move". If the judge is hidden, they are one for each list with
        its two answers, as "1 2 found, missing". `keys` has what to press for each; a key that it
        lacks is left out of its hint, which is there even without any.
        """
        if self.cell is None or not self.cell.hidden:
            moves = " ".join(key.shown for key in keys if key.id in MOVES)
            if moves == "1 2 3 4":
                moves = "1-4"
            return [Hint(moves, "move", "item.menu")]
        names_of_keys = {key.id: key.shown for key in keys}
        hints = []
        # those that rule on an instruction of it
        for list_name in ledger.lists(self.items.trait):
            buckets = ledger.buckets_of(list_name)
            ruling = " ".join(
                names_of_keys.get(f"move.{bucket}", "") for bucket in buckets
            )
            standings_text = ", ".join(ledger.STANDS[bucket] for bucket in buckets)
            hints.append(Hint(ruling, standings_text, "item.menu"))
        return hints

    @property
    def _is_by_instruction(self) -> bool:
        """Whether the keys answer instructions here, and move no items that a judge found."""
        return self.cell is not None and (self.cell.hidden or self.cell.labels is None)

    def told(self) -> Sequence[Key]:
        """Return the keys of the pane, as the help lists them in this cell.

        Where keys answer instructions, each says which standing it gives. A key for a bucket that
        the trait lacks is left out. Without a cell all keys are returned as they are.
        """
        if self.cell is None:
            return self.keys_here
        standings = {
            f"move.{bucket}": ledger.STANDS[bucket]
            for bucket in self.items.trait.buckets
        }
        keys = []
        for key in self.keys_here:
            if key.id not in MOVES:
                keys.append(key)
            elif key.id in standings and self._is_by_instruction:
                standing = standings[key.id]
                help_text = f"the instruction under the cursor: {standing}"
                keys.append(replace(key, label=standing, help=help_text))
            elif key.id in standings:
                keys.append(key)
        return keys

    def first_keys(self, names: Mapping[str, str]) -> Sequence[tuple[str, str]]:
        """Return the keys to begin with and what they do, as pairs like ("1 2", "found, missing").

        Where a person answers instruction by instruction there is a pair for each list, else one
        pair with the keys of all buckets. `names` has what to press by the id of a key, for each
        bucket's `move.tp` and so on. Empty without a cell.
        """
        if self.cell is None:
            return ()
        trait = self.items.trait
        if not self._is_by_instruction:
            keys = " ".join(names[f"move.{bucket}"] for bucket in trait.buckets)
            bucket_marks = " ".join(ledger.MARKS[bucket] for bucket in trait.buckets)
            return [(keys, f"item into {bucket_marks}")]
        hints: list[tuple[str, str]] = []
        for list_name in ledger.lists(trait):
            buckets = ledger.buckets_of(list_name)
            keys = " ".join(names[f"move.{bucket}"] for bucket in buckets)
            answers = ", ".join(ledger.STANDS[bucket] for bucket in buckets)
            hints.append((keys, answers))
        return hints

    def taking_hints(self) -> list[Hint]:
        """Return the hints for the strip of keys while words of the response are being selected.

        The words can go into TP and FP. If there is an excerpt under the cursor, they can also
        replace or split it. If the item there answers an instruction, they can deny that.
        """
        hints = [Hint("1", "into TP", "move.tp"), Hint("3", "into FP", "move.fp")]
        row = self.items.row
        if row is None:
            return hints
        if row.bucket in EXCERPTS:
            name = shown_mark(row.mark, self.marks) or "the excerpt"
            hints.append(Hint("Enter", f"replace {name}", "item.menu"))
            hints.append(Hint("+", "split there", "item.split", priority=3))
        if row.item.link:
            hints.append(Hint("-", "they deny it", "item.deny", priority=3))
        return hints

    # -- the cell ----------------------------------------------------------------------------------

    def evidence(self) -> list[Evidence]:
        return self.items.evidence

    def detail(self) -> Content:
        return Content(inert(self.items.detail()))

    def summary(self) -> str:
        """Return how many instructions have an answer, as "3 of 5 answered".

        Returns "" if all have one, or if there is no cell or no labels.
        """
        if self.cell is None or self.cell.labels is None:
            return ""
        return self.items.answered()

    def in_doubt(self) -> int:
        return self.items.in_doubt()

    def _draw_around(self) -> None:
        self.around.draw(self)

    def on_resize(self) -> None:
        self._draw_around()

    # -- the cursor and the focus ------------------------------------------------------------------

    def turn_view(self) -> None:
        self.items.turn_view()
        self.title = "Checklist" if self.items.view == "checklist" else self.TITLE

    def take_focus(self) -> None:
        self.screen.set_focus(self.rows)

    def one_at_a_time(self, one: bool) -> None:
        """Show one group of items at a time behind tabs, or all groups below each other."""
        self.rows.show_alone(one)
        self.set_class(one, "-one")
        self._draw_around()

    def step_group(self, by: int) -> None:
        self.rows.step_group(by)
        self._looked()

    def _looked(self) -> None:
        """Draw tabs and notice anew, and show the evidence of the row under the cursor.

        It is called when the cursor has moved.
        """
        self._draw_around()
        self.review.looked()

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._looked()

    def action_bucket(self, by: int) -> None:
        self.take_focus()
        self.step_group(by)

    def action_view(self) -> None:
        """Switch between buckets and checklist, with the cursor on the same item.

        The pane takes the focus.
        """
        self.take_focus()
        self.turn_view()
        self._looked()

    def action_mark(self) -> None:
        """Mark the items of the line under the cursor, or unmark them if one is marked.

        The cursor then goes to the next line. An instruction's line of the checklist may have
        several items, any other line has one. If the person does not see the item, or there is
        nothing to mark, only a note says so.
        """
        if self.review.sees_item():
            self.rows.toggle_mark()

    # -- the menu, the mouse -----------------------------------------------------------------------

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """Open the menu on the right button, or mark the row with Ctrl.

        A plain click on the mark of an instruction of the checklist turns the marked instructions,
        or if none are marked that one. Any other click does nothing more here.
        """
        event.stop()
        if event.right:
            self.open_menu()
        elif event.ctrl:
            self.rows.turn_mark()
        elif self.items.entry and 0 <= event.x - CURSOR - SIGN < MARK:
            self.begin(self.corrections.turn())

    def on_click(self, event: Click) -> None:
        """Go to the first row of the group whose tab was clicked, and take the focus.

        Other clicks are ignored.
        """
        key = self.around.group_at(event)
        if key:
            self.rows.show_groups(self.rows.groups, (key, 0))
            self._looked()
            self.take_focus()

    def action_menu(self) -> None:
        if self.review.sees_item():
            self.open_menu()

    # -- the keys ----------------------------------------------------------------------------------

    KEYS = (
        *ITEM_KEYS,
        *in_group(
            "Items",
            replace(MARK_KEY, does=OwnAct(action_mark)),
            Key(
                "item.menu",
                "enter",
                "menu",
                "all that can be done with the item; a right click too",
                OwnAct(action_menu),
                shown="Enter",
            ),
            TURN_KEY,
            Key(
                "view",
                "t",
                "checklist",
                "a row for each instruction, or the buckets again",
                OwnAct(action_view),
                strip=Strip(13, 15),
            ),
        ),
        *in_group(
            "Going about",
            Key(
                "bucket.next",
                "l,right,tab",
                "next bucket",
                "go to the next bucket",
                OwnAct(action_bucket, 1),
                shown="l → Tab",
            ),
            Key(
                "bucket.previous",
                "h,left,shift+tab",
                "bucket before",
                "go to the previous bucket",
                OwnAct(action_bucket, -1),
                shown="h ←",
            ),
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]


PANE = MetricPane
