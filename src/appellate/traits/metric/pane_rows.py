"""How the items of a metric cell are drawn, as rows of buckets and as lines of the checklist."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from textual.content import Content

from appellate.core.cell import Cell
from appellate.traits.metric.labels import Bucket
from appellate.traits.metric.ledger import MARKS, STANDS
from appellate.traits.metric.majority import PanelLabels
from appellate.traits.metric.rows import ChecklistEntry, ItemRow, Thing, standing_counts
from appellate.traits.metric.sentences import (
    DetailLine,
    about_breaches,
    about_entry,
    about_item,
    about_votes,
    empty_bucket,
)
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.ui.grouped_rows import Group
from appellate.ui.lines import Drawn, ListRow
from appellate.ui.marks import Marks
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import column, inert

BESIDE = 70  # from this width on, evidence stands beside its instruction
WORD = 10  # the cells of a mark and its word on the checklist


class RowDrawing:
    """Draws the rows of a cell: `sign` is what a row bears at its left, `width` the cells there are
    now.

    `panel` is that of the cell, if it was judged by one.
    """

    def __init__(
        self,
        marks: Marks,
        sign: Callable[[Thing], tuple[StyledText, ...]],
        width: Callable[[], int],
    ) -> None:
        self.marks = marks
        self.signs = {word: getattr(marks, bucket) for bucket, word in STANDS.items()}
        self.signs |= {"open": marks.open, "both": marks.doubt}
        self.panel: PanelLabels | None = None
        self._sign = sign
        self._width = width

    # -- groups ------------------------------------------------------------------------------------

    def bucket(
        self, name: Bucket, cell: Cell | None, items: Sequence[ItemRow], *, readonly: bool
    ) -> Group:
        """The items of a bucket; where there are none, why, and what adds to it if anything may."""
        empty = empty_bucket(cell, name)
        if readonly:
            empty = f"{empty.partition(':')[0]})"
        title = f"{getattr(self.marks, name)}{MARKS[name]}"
        if cell is not None and cell.labels is not None:
            counting = sum(row.counts for row in items)
            title = f"{title} {counting}"
            if counting < len(items):
                title = f"{title} (+{len(items) - counting})"
        return Group(name, title, Drawn(items, self.item), name, empty)

    def entries(self, name: str, held: Sequence[ChecklistEntry]) -> Group:
        """The instructions of a list, each a line."""
        parts = []
        for standing, count in standing_counts(name, held):
            parts.append(f"{self.signs[standing]} {standing} {count}")
        return Group(name, "  ".join(parts), Drawn(held, self.entry))

    def others(self, name: str, items: Sequence[ItemRow]) -> Group:
        """The items that stand on no instruction's line."""
        return Group(name, f"other items {len(items)}", Drawn(items, self._item_with_bucket))

    # -- rows --------------------------------------------------------------------------------------

    def item(self, row: ItemRow) -> ListRow:
        number = StyledText(f"{self.number(row.mark):>3}", "key")
        right = (*self._noted(row), *self._voted(row), number)
        return ListRow(row.item.text, self._sign(row), right, dim=not row.counts)

    def _item_with_bucket(self, row: ItemRow) -> ListRow:
        where = StyledText(f"{getattr(self.marks, row.bucket)}{MARKS[row.bucket]} ", row.bucket)
        drawn = self.item(row)
        return replace(drawn, left=(*drawn.left, where))

    def entry(self, entry: ChecklistEntry) -> ListRow:
        word = f"{self.signs[entry.standing]} {entry.standing}"
        style = {"open": "muted", "both": "flag"}.get(entry.standing)
        if style is None:
            style = entry.items[0].bucket
        number = StyledText(f"{self.number(entry.mark):>3} ", "key")
        left = (*self._sign(entry), StyledText(f"{word:<{WORD}}", style), number)
        right = self.beside(entry)
        if entry.items:
            first = entry.items[0]
            right = (*(right or self._noted(first)), *self._voted(first))
        return ListRow(entry.text, left, right)

    def beside(self, entry: ChecklistEntry) -> tuple[StyledText, ...]:
        """The first excerpt, and how many more there are, where there is room."""
        width = self._width()
        if width < BESIDE or not entry.excerpts:
            return ()
        first, *others = entry.excerpts
        more = f" (+{len(others)})" if others else ""
        excerpt = f"“{inert(first.item.text)}”"
        shown = column(excerpt, (width - WORD) // 2 - len(more), self.marks)
        return (StyledText(shown + more, "muted"),)

    def detail(self, trait: MetricRubricTrait, thing: Thing | None, breaches: list[str]) -> Content:
        """All there is to know of a row, and what the ledger has wrong."""
        said: list[DetailLine] = []
        width = self._width()
        if isinstance(thing, ChecklistEntry):
            beside, room = bool(self.beside(thing)), width - WORD
            if beside:
                room //= 2
            said += about_entry(thing, room - WORD, beside=beside)
        elif thing:
            said += about_item(trait, thing, width - WORD)
        if thing and self.panel:
            said += about_votes(self.panel, thing)
        said += about_breaches(breaches, self.marks.doubt)
        lines = []
        for one in said:
            text = inert(self.number(one.text))
            lines.append(Content.styled(text, one.style))
        return Content("\n").join(lines)

    def number(self, mark: str) -> str:
        """An instruction's number with the minus that the terminal can draw."""
        return mark.replace("−", self.marks.minus)

    def _noted(self, row: ItemRow) -> tuple[StyledText, ...]:
        """What is wrong with an item, shorter where votes stand beside it."""
        if not row.note:
            return ()
        note = row.note
        if self.panel:
            note = note.replace(", not counted", "")
        return (StyledText(f" {note} ", "flag" if row.counts else "muted"),)

    def _voted(self, row: ItemRow) -> tuple[StyledText, ...]:
        """How many of the panel's members hold an item, with a sign where not all do."""
        if self.panel is None:
            return ()
        held, of = len(self.panel.backers(row.bucket, row.item)), len(self.panel.members)
        if held == of:
            return (StyledText(f" {held}/{of}", "muted"),)
        return (StyledText(f" {self.marks.split}{held}/{of}", "flag"),)
