"""How the items of a metric cell are drawn, as rows of buckets and as lines of the checklist."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from appellate.core.cell import Cell
from appellate.traits.metric.labels import Bucket
from appellate.traits.metric.ledger import MARKS
from appellate.traits.metric.majority import PanelLabels
from appellate.traits.metric.rows import STANDS, ChecklistEntry, ItemRow, standing_counts
from appellate.traits.metric.sentences import empty_bucket
from appellate.ui.grouped_rows import Group
from appellate.ui.lines import Drawn, ListRow
from appellate.ui.marks import Marks
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import column, inert

Thing = ItemRow | ChecklistEntry
BESIDE = 70  # from this width on, evidence stands beside its instruction
WORD = 10  # the cells of a mark and its word on the checklist


class RowDrawing:
    """Draws the rows of a cell; `sign` is what a row bears at its left, `width` the cells there are now.

    `panel` is that of the cell, if it was judged by one.
    """

    def __init__(
        self,
        marks: Marks,
        sign: Callable[[Thing], tuple[StyledText, ...]],
        width: Callable[[], int],
    ) -> None:
        self.marks = marks
        self.panel: PanelLabels | None = None
        self._sign = sign
        self._width = width

    # -- groups -------------------------------------------------------------------------------------

    def bucket(
        self, name: Bucket, cell: Cell | None, items: Sequence[ItemRow], *, readonly: bool
    ) -> Group:
        """The items of a bucket; where there are none, why, and what adds to it where anything may."""
        empty = empty_bucket(cell, name)
        if readonly:
            empty = f"{empty.partition(':')[0]})"
        return Group(name, self._title(name, cell, items), Drawn(items, self.item), name, empty)

    def _title(self, name: Bucket, cell: Cell | None, items: Sequence[ItemRow]) -> str:
        title = f"{getattr(self.marks, name)}{MARKS[name]}"
        if cell is None or cell.labels is None:
            return title
        counting = sum(row.counts for row in items)
        repeats = len(items) - counting
        return f"{title} {counting} (+{repeats})" if repeats else f"{title} {counting}"

    def entries(self, name: str, held: Sequence[ChecklistEntry]) -> Group:
        """The instructions of a list, each a line."""
        counts = standing_counts("tp" if name == "tp" else "tn", held)
        told = "  ".join(
            f"{self._mark_of(standing)} {standing} {count}" for standing, count in counts
        )
        return Group(name, told, Drawn(held, self.entry))

    def others(self, name: str, items: Sequence[ItemRow]) -> Group:
        """The items that stand on no instruction's line."""
        return Group(name, f"other items {len(items)}", Drawn(items, self._item_with_bucket))

    # -- rows ---------------------------------------------------------------------------------------

    def item(self, row: ItemRow) -> ListRow:
        number = StyledText(f"{self.number(row.mark):>3}", "key")
        right = (*self._noted(row), *self._voted(row), number)
        return ListRow(row.item.text, self._sign(row), right, dim=not row.counts)

    def _item_with_bucket(self, row: ItemRow) -> ListRow:
        where = StyledText(f"{getattr(self.marks, row.bucket)}{MARKS[row.bucket]} ", row.bucket)
        drawn = self.item(row)
        return replace(drawn, left=(*drawn.left, where))

    def entry(self, entry: ChecklistEntry) -> ListRow:
        word = f"{self._mark_of(entry.standing)} {entry.standing}"
        number = StyledText(f"{self.number(entry.mark):>3} ", "key")
        left = (*self._sign(entry), StyledText(f"{word:<{WORD}}", _style(entry)), number)
        right = self.beside(entry) or self._noted(*entry.items[:1])
        if entry.items:
            right = (*right, *self._voted(entry.items[0]))
        return ListRow(entry.text, left, right)

    def beside(self, entry: ChecklistEntry) -> tuple[StyledText, ...]:
        """The first excerpt, and how many more there are, where there is room."""
        width = self._width()
        if width < BESIDE or not entry.excerpts:
            return ()
        more = f" (+{len(entry.excerpts) - 1})" if len(entry.excerpts) > 1 else ""
        excerpt = f"“{inert(entry.excerpts[0].item.text)}”"
        return (
            StyledText(
                column(excerpt, (width - WORD) // 2 - len(more), self.marks) + more, "muted"
            ),
        )

    def number(self, mark: str) -> str:
        """An instruction's number with the minus that the terminal can draw."""
        return mark.replace("−", self.marks.minus)

    def _mark_of(self, standing: str) -> str:
        signs: dict[str, str] = {
            word: getattr(self.marks, bucket) for bucket, word in STANDS.items()
        }
        return {**signs, "open": self.marks.open, "both": self.marks.doubt}[standing]

    def _noted(self, *held: ItemRow) -> tuple[StyledText, ...]:
        """What is amiss with an item, shorter where votes stand beside it."""
        noted = next((row for row in held if row.note), None)
        if noted is None:
            return ()
        note = noted.note.replace(", not counted", "") if self.panel else noted.note
        return (StyledText(f" {note} ", "flag" if noted.counts else "muted"),)

    def _voted(self, row: ItemRow) -> tuple[StyledText, ...]:
        """How many of the panel's members hold an item, with a sign where not all do."""
        if self.panel is None:
            return ()
        held, of = len(self.panel.backers(row.bucket, row.item)), len(self.panel.members)
        if held == of:
            return (StyledText(f" {held}/{of}", "muted"),)
        return (StyledText(f" {self.marks.split}{held}/{of}", "flag"),)


def _style(entry: ChecklistEntry) -> str:
    if entry.standing == "open":
        return "muted"
    if entry.standing == "both":
        return "flag"
    return entry.items[0].bucket


def rows_of(thing: Thing | None) -> tuple[ItemRow, ...]:
    """The items that a row stands for."""
    if isinstance(thing, ChecklistEntry):
        return thing.items
    return (thing,) if thing else ()
