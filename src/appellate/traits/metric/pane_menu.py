"""The menu of a metric cell: everything that can be done with the item under the cursor."""

from typing import NamedTuple

from appellate.core.cell import Cell
from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.traits.metric.edits import Edit, apply, permit, unworded
from appellate.traits.metric.labels import Bucket, Labels
from appellate.traits.metric.ledger import buckets_of
from appellate.traits.metric.pane_items import CellItems
from appellate.traits.metric.rows import ChecklistEntry, ItemRow, open_instructions
from appellate.traits.metric.wanted_edits import edit_of, moved
from appellate.ui.pane import Review
from appellate.ui.picker import Choice
from appellate.ui.text import clip

TITLE = 60  # the cells of its title
_INTO: dict[Bucket, str] = {
    "tp": "into TP: rightly found",
    "fn": "into FN: missing",
    "fp": "into FP: wrong",
    "tn": "into TN: rightly absent",
}


class Offer(NamedTuple):
    """Something that can be done, in words, and the id of its key."""

    words: str
    key: str


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
        shown = {key.id: key.shown for key in self._review.keys}
        choices = []
        for words, key in self._offers(cell, repeat=repeat):
            choices.append(Choice(key, shown.get(key, ""), words))
        title = clip(title, TITLE, self._review.marks)
        self._review.run(await self._review.pick(title, choices))

    def _offers(self, cell: Cell, *, repeat: bool) -> list[Offer]:
        row, readonly = self._items.row, self._review.readonly
        offers: list[Offer] = []
        if row and row.item.span:
            offers.append(Offer("bring its evidence into sight", "text.evidence"))
        if repeat and row and not readonly:
            offers.append(Offer("the last correction once more", "item.repeat"))
        if not readonly:
            offers += offered(cell.subject, self._items.labels, row, self._items.entry)
        if self._items.drawing.panel is not None or cell.rounds:
            offers.append(Offer("what each judge proposed, to adopt one", "cell.proposals"))
        offers.append(Offer(f"show the {self._items.other_view}", "view"))
        return offers


def offered(
    subject: Subject, labels: Labels, row: ItemRow | None, entry: ChecklistEntry | None
) -> list[Offer]:
    """Everything that can be done with an item, or with a line of the checklist that has none."""
    offers: list[Offer] = []
    if row:
        offers += _of_item(subject, labels, row)
    elif entry:
        offers += [Offer(_INTO[to], f"move.{to}") for to in buckets_of(entry.of)]
    offers.append(Offer("select words of the response", "text.select"))
    if open_instructions(subject.trait, labels):
        offers.append(Offer("add an instruction that stands nowhere", "item.missing"))
    return offers


def _of_item(subject: Subject, labels: Labels, row: ItemRow) -> list[Offer]:
    offers: list[Offer] = []
    for to, words in _INTO.items():
        if _may(subject, labels, moved(row, to)[0]):
            offers.append(Offer(words, f"move.{to}"))
    if _may(subject, labels, edit_of("drop", row)):
        offers.append(Offer("drop it", "item.drop"))
    offers.append(Offer("link it to another instruction", "item.relink"))
    if not unworded("reword", row.bucket):
        offers.append(Offer("reword it", "item.reword"))
        offers.append(Offer("split it in two", "item.split"))
        following = labels.bucket(row.bucket)[row.index + 1 : row.index + 2]
        if following and following[0].link == row.item.link:
            offers.append(Offer("merge it with the next", "item.merge"))
    offers.append(Offer("mark it, or let it go", "item.mark"))
    offers.append(Offer("mark all of these", "item.mark_all"))
    return offers


def _may(subject: Subject, labels: Labels, edit: Edit) -> bool:
    """Whether the rules allow an edit."""
    try:
        apply(subject.trait, subject.trace, labels, permit(subject.trait, labels, edit))
    except Refused:
        return False
    return True
