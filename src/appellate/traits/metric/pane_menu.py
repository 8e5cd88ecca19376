"""The menu of a metric cell: everything that can be done with the item under the cursor."""

from appellate.core.cell import Cell
from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.traits.metric.edits import Edit, apply, permit, unworded
from appellate.traits.metric.labels import Bucket, Labels
from appellate.traits.metric.ledger import MARKS, buckets_of
from appellate.traits.metric.pane_items import CellItems
from appellate.traits.metric.pane_keys import MEANINGS
from appellate.traits.metric.rows import ChecklistEntry, ItemRow, open_instructions
from appellate.traits.metric.wanted_edits import edit_of, moved
from appellate.ui.contract import Review, pick_action


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
        row, readonly = self._items.row, self._review.readonly
        offers: dict[str, str] = {}
        if row and row.item.span:
            offers["text.evidence"] = "bring its evidence into sight"
        if repeat and row and not readonly:
            offers["item.repeat"] = "the last correction once more"
        if not readonly:
            offers |= offered(cell.subject, self._items.labels, row, self._items.entry)
        if self._items.drawing.panel is not None or cell.rounds:
            offers["cell.proposals"] = "what each judge proposed, to adopt one"
        offers["view"] = f"show the {self._items.other_view}"
        return offers


def offered(
    subject: Subject, labels: Labels, row: ItemRow | None, entry: ChecklistEntry | None
) -> dict[str, str]:
    """Everything that can be done with an item, or with a line of the checklist that has none: what
    it is by the id of its key.
    """
    offers: dict[str, str] = {}
    if entry:
        offers["item.turn"] = "turn it: found ⇄ missing, present ⇄ absent"
    if row:
        offers |= _of_item(subject, labels, row)
    elif entry:
        offers |= {f"move.{to}": _into(to) for to in buckets_of(entry.of)}
    offers["text.select"] = "select words of the response"
    if open_instructions(subject.trait, labels):
        offers["item.missing"] = "add an instruction that is nowhere yet"
    return offers


def _of_item(subject: Subject, labels: Labels, row: ItemRow) -> dict[str, str]:
    offers: dict[str, str] = {}
    for to in MEANINGS:
        if _may(subject, labels, moved(row, to)[0]):
            offers[f"move.{to}"] = _into(to)
    if _may(subject, labels, edit_of("drop", row)):
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
        following = labels.bucket(row.bucket)[row.index + 1 : row.index + 2]
        if following and following[0].link == row.item.link:
            offers["item.merge"] = "merge it with the next"
    offers["item.mark"] = "mark it, or let it go"
    offers["item.mark_all"] = "mark all of these"
    return offers


def _into(to: Bucket) -> str:
    return f"into {MARKS[to]}: {MEANINGS[to]}"


def _may(subject: Subject, labels: Labels, edit: Edit) -> bool:
    """Whether the rules allow an edit."""
    try:
        asked = permit(subject.trait, subject.trace, labels, edit)
        apply(subject.trait, subject.trace, labels, asked)
    except Refused:
        return False
    return True
