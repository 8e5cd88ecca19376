"""Prints and steps through a metric cell in line mode: items by bucket, then open instructions."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.traits.metric import ledger, rows
from appellate.traits.metric.labels import Bucket
from appellate.traits.metric.ledger import MARKS
from appellate.traits.metric.pane_corrections import (
    ITEM_KEYS,
    MARK_KEY,
    TURN_KEY,
    ItemCorrections,
)
from appellate.traits.metric.pane_items import CellItems
from appellate.traits.metric.rows import ChecklistEntry, ItemRow, Thing
from appellate.ui.contract import Review, beside_step, in_step, keyed
from appellate.ui.key import OwnAct, in_group
from appellate.ui.kind_lines import ItemLines, Paragraph, printed
from appellate.ui.rows import DrawnRows, Group, RowCursor

NO_ITEM = "There is no item: {item.missing:m} adds an instruction, {text.select:v} takes words."
_WORDS: Mapping[Bucket, str] = {
    "tp": "found",
    "fn": "missing",
    "fp": "wrong",
    "tn": "absent",
}


class ItemsByLine(CellItems):
    """The items of a cell, followed by the instructions that are in no bucket."""

    def _choose_view(self, cell: Cell, previous: Cell | None) -> bool:
        return previous is None

    def _things(self) -> dict[str, Sequence[Thing]]:
        """Return the rows of each bucket by its name, then the open instructions as "nowhere".

        Open are instructions of the checklist that no item on their own line answers.
        """
        nowhere: list[Thing] = []
        for list_name in ledger.lists(self.trait):
            entries = rows.entries(self.trait, self._listed, list_name)
            nowhere += [entry for entry in entries if not entry.items]
        return {**super()._things(), "nowhere": nowhere}

    def _group(self, name: str) -> Group:
        """Return a group of rows to step through, by its name: a bucket, or "nowhere".

        That one has the instructions that are in no bucket, and no title.
        """
        if name == "nowhere":
            return Group(name, "", DrawnRows(self.rows.things[name], self.drawing.row))
        return super()._group(name)


class MetricLines(ItemLines):
    """The lines of a metric cell, one item after the other."""

    def __init__(self, review: Review) -> None:
        """Make the items and corrections for a review, without a cell yet."""
        super().__init__(review)
        self.items: ItemsByLine = ItemsByLine(review, RowCursor)
        self.rows = self.items.rows
        self.corrections = ItemCorrections(review, self.items)

    @property
    def span(self) -> tuple[int, int] | None:
        return self.items.row.item.span if self.items.row else None

    def spans(self) -> Sequence[tuple[int, int]]:
        return [(evidence.start, evidence.end) for evidence in self.items.evidence]

    # -- what is printed ---------------------------------------------------------------------------

    def head(self) -> Sequence[Paragraph]:
        """Return a line with the sizes of all groups, then one for each breach, marked as doubtful.

        If there is no cell, no labels, or the judge is hidden, the sentence of `notice` is the only
        line.
        """
        cell = self.cell
        if cell is None or cell.labels is None or cell.hidden:
            return [Paragraph(self.items.notice().text)]
        titles = ", ".join(group.title for group in self.rows.groups if group.style)
        paragraphs = [Paragraph(titles, "Items:", "strong")]
        doubt = self.review.marks.doubt
        for breach in self.items.breaches:
            text = keyed(breach, self.review)
            paragraphs.append(Paragraph(text, doubt, "bad"))
        return paragraphs

    def item(self) -> Sequence[Paragraph]:
        """Return the item or instruction under the cursor in full, as paragraphs to print.

        The first begins with the bucket, the item's number in it and the instruction, or says that
        an instruction is nowhere yet. If nothing is under the cursor, return what to press to add
        an item.
        """
        thing = self.rows.here
        if thing is None:
            return [Paragraph(keyed(NO_ITEM, self.review))]
        drawing = self.items.drawing
        if isinstance(thing, ChecklistEntry):
            open_mark = self.review.marks.open
            excerpt_bucket, _ = ledger.buckets_of(thing.of)
            name = rows.instruction_name(*thing.link)
            mark = f"{open_mark}{MARKS[excerpt_bucket]} nowhere yet, {name}:"
            return printed(drawing.entry(thing), mark)
        mark = f"{self._bucket(thing)} {_WORDS[thing.bucket]} {thing.index + 1}"
        span = thing.item.span
        named_step = thing.item.named_step
        mark += in_step(drawing.subject, span, named_step)
        if thing.link:
            name = rows.instruction_name(*thing.link)
            mark += f", {name}"
        row = drawing.item(thing)
        # which the mark says in words
        steps = beside_step(drawing.subject, [(span, named_step)])
        right = tuple(piece for piece in row.right if piece not in steps)
        return printed(replace(row, right=right), f"{mark}:", thing.bucket)

    def listed(self) -> Sequence[Paragraph]:
        """Return a line for each item and each open instruction, numbered from 1, to print.

        A line begins with the mark of the item's bucket, or a sign for an open instruction, and has
        the sign of what a person changed next to it.
        """
        paragraphs: list[Paragraph] = []
        for number, thing in enumerate(self.rows.every, 1):
            bucket_mark = self.review.marks.open
            style = "muted"
            if isinstance(thing, ItemRow):
                bucket_mark = self._bucket(thing)
                style = thing.bucket
            row = self.items.drawing.row(thing)
            sign = row.sign.text.strip()
            mark = f"{number:>3} {bucket_mark}{sign}"
            paragraphs.append(Paragraph(row.text, mark, style, hang=8))
        return paragraphs

    def _bucket(self, row: ItemRow) -> str:
        return f"{getattr(self.review.marks, row.bucket)}{MARKS[row.bucket]}"

    # -- corrections -------------------------------------------------------------------------------

    async def mark(self) -> None:
        """Mark the item at the cursor or unmark it, and say how many are marked.

        If there is nothing to mark, a note says so instead.
        """
        if self.rows.turn_mark():
            self.review.say(f"{len(self.rows.marked)} marked.")

    def clear_marks(self) -> None:
        if self.rows.clear_marks():
            self.review.say("0 marked.")

    KEYS = (
        *ITEM_KEYS,
        *in_group("Items", replace(MARK_KEY, does=OwnAct(mark)), TURN_KEY),
    )


LINES = MetricLines
