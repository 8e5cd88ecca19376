"""The metric cell line by line: its items in the order of the buckets, then the instructions that
stand nowhere.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Any

from appellate.core.cell import Cell
from appellate.core.ruling import BLIND
from appellate.traits.metric import ledger, rows, sentences
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import EXCERPTS, Bucket, Labels, Link
from appellate.traits.metric.ledger import MARKS
from appellate.traits.metric.majority import panel_of
from appellate.traits.metric.origins import Origin, origins
from appellate.traits.metric.pane_corrections import ItemCorrections
from appellate.traits.metric.rows import ChecklistEntry, ItemRow, Thing
from appellate.ui.contract import EvidencePlace, KeyLine, KindLines, Paragraph, Place, Review
from appellate.ui.conversation import Conversation

_WORDS: Mapping[Bucket, str] = {"tp": "found", "fn": "missing", "fp": "wrong", "tn": "absent"}
_MOVES: Mapping[str, Bucket] = {"1": "tp", "2": "fn", "3": "fp", "4": "tn"}
_CORRECTIONS = {
    "d": "drop",
    "i": "relink",
    "e": "reword",
    "+": "split",
    "=": "merge",
    "m": "missing",
    "-": "deny",
    "#": "replace",
    "R": "repeat",
}
_STAYING = ("relink", "reword", "split", "merge", "deny", "omit")
_INDENT, _HANG = 4, 8


class InReadingOrder:
    """The things of a cell under one cursor, and the places that are marked."""

    def __init__(self) -> None:
        self.things: list[Thing] = []
        self.at = 0
        self.marked: set[Hashable] = set()

    @property
    def here(self) -> Thing | None:
        return self.things[self.at] if self.things else None

    def aimed(self) -> Sequence[Thing]:
        """The marked items, from the end on, else the thing under the cursor."""
        if self.marked:
            return [one for one in self.things if self.is_marked(one)][::-1]
        return [self.things[self.at]] if self.things else []

    def is_marked(self, thing: Thing) -> bool:
        return isinstance(thing, ItemRow) and thing.place in self.marked

    def order(self) -> list[rows.Place]:
        return [one.place for one in self.things if isinstance(one, ItemRow)]


class ItemsInOrder:
    """What the corrections need to know of the items (`ItemsInSight`)."""

    def __init__(self) -> None:
        self.rows = InReadingOrder()
        self.cell: Cell | None = None
        self.trait: Any = None
        self.labels = Labels()
        self.origins: Mapping[rows.Place, Origin] = {}

    def show(self, cell: Cell, *, fresh: bool) -> None:
        before, here, order = self.labels, self.rows.here, self.rows.order()
        same = self.cell is not None and self.cell.subject is cell.subject
        self.cell, self.trait, self.labels = cell, cell.subject.trait, cell.labels or Labels()
        self.origins = origins(cell)
        listed = rows.all_rows(self.trait, self.labels)
        nowhere = [
            entry
            for of in ledger.lists(self.trait)
            for entry in rows.entries(self.trait, listed, of)
            if not entry.items
        ]
        self.rows.things = [*chain.from_iterable(listed.values()), *nowhere]
        self.rows.at = min(self.rows.at, max(len(self.rows.things) - 1, 0))
        if fresh or not same:
            self.rows.at, self.rows.marked = 0, set()
            return
        went = rows.where_now(before, self.labels)
        known: Mapping[Hashable, rows.Place] = dict(went.items())
        self.rows.marked = {known[place] for place in self.rows.marked if place in known}
        if isinstance(here, ItemRow):
            place = rows.next_place(here.place, order, went)
            if place:
                self.go(*place)
        elif here:
            self._to_next_open(here)

    def _to_next_open(self, here: ChecklistEntry) -> None:
        """After an instruction was answered the next that stands nowhere is under the cursor."""
        lists = ledger.lists(self.trait)
        for at, thing in enumerate(self.rows.things):
            if isinstance(thing, ChecklistEntry) and (
                (lists.index(thing.of), thing.number) >= (lists.index(here.of), here.number)
            ):
                self.rows.at = at
                return

    @property
    def row(self) -> ItemRow | None:
        here = self.rows.here
        return here if isinstance(here, ItemRow) else None

    @property
    def link(self) -> Link | None:
        """The instruction under the cursor."""
        here = self.rows.here
        if isinstance(here, ChecklistEntry):
            return here.of, here.number
        return here.item.link if here else None

    def go(self, group: str, number: int) -> None:
        for at, thing in enumerate(self.rows.things):
            if isinstance(thing, ItemRow) and thing.place == (group, number):
                self.rows.at = at


class MetricLines(KindLines):
    """Asks for one item after the other."""

    KEYS = (
        KeyLine("1 2 3 4", "put the item into TP, FN, FP, TN"),
        KeyLine("Space", "turn it: found, missing; present, absent; back with its excerpt"),
        KeyLine("d", "drop it from TP or FP"),
        KeyLine("i", "link it to another instruction"),
        KeyLine("e", "reword it"),
        KeyLine("+", "split it in two"),
        KeyLine("=", "merge it with the next"),
        KeyLine("#", "other words in its place: elsewhere, the judge's evidence was wrong"),
        KeyLine("-", "denied: words of the response say the contrary; again: left out"),
        KeyLine("m", "an instruction that is nowhere yet into FN or TN"),
        KeyLine("R", "the last correction once more, on this item"),
        KeyLine("x *", "mark the item, all of its bucket: 1-4, d, i and R then take all marked"),
    )

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.items = ItemsInOrder()
        self.corrections = ItemCorrections(review, self.items)

    # -- the cell ----------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        self.items.show(cell, fresh=fresh)

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        made = Edit.from_row(edit)
        if turned or (made.action in _STAYING and made.to is None):
            place = rows.new_place(before.labels or Labels(), self.items.labels, made)
            if place:
                self.items.go(*place)

    @property
    def place(self) -> Place:
        row = self.items.row
        return row.place if row else ("", 0)

    def go(self, group: str, number: int) -> None:
        self.items.go(group, number)

    @property
    def count(self) -> int:
        return len(self.items.rows.things)

    @property
    def at(self) -> int:
        return self.items.rows.at

    def step_to(self, at: int) -> None:
        self.items.rows.at = at

    @property
    def name(self) -> str:
        row = self.items.row
        if row is None:
            return ""
        return rows.names(rows.all_rows(self.items.trait, self.items.labels))[row.place]

    # -- what is printed ---------------------------------------------------------------------------

    def head(self) -> Sequence[Paragraph]:
        cell, labels = self.items.cell, self.items.labels
        counts = [
            f"{self._bucket(bucket)} {len(labels.bucket(bucket))}"
            for bucket in self.items.trait.buckets
        ]
        paragraphs = [Paragraph(", ".join(counts), "Items:", "strong")]
        if cell is not None and cell.labels is None:
            why = "Not judged yet"
            if cell.error:
                why = f"The judge failed here: {cell.error.error}"
            paragraphs = [Paragraph(f"{why}. The instructions below can be answered by hand.")]
            if cell.hidden:
                paragraphs = [Paragraph(f"{BLIND} Answer the instructions below.")]
        status = ledger.status(self.items.trait, self.items.labels)
        if cell is not None and cell.labels is not None and not cell.hidden:
            paragraphs += [
                Paragraph(one, self.review.marks.doubt, "bad") for one in status.sentences
            ]
        return paragraphs

    def item(self) -> Sequence[Paragraph]:
        thing = self.items.rows.here
        if thing is None:
            return [Paragraph("There is no item: m adds an instruction, v takes words.")]
        paragraphs = self._whole(thing)
        panel = panel_of(self.items.cell) if self.items.cell else None
        if panel:
            votes = sentences.about_votes(panel, thing)
            paragraphs.append(Paragraph(votes.text, indent=_INDENT))
        return paragraphs

    def _whole(self, thing: Thing) -> list[Paragraph]:
        if isinstance(thing, ChecklistEntry):
            mark = f"{self.review.marks.open}{MARKS[ledger.buckets_of(thing.of)[0]]} nowhere yet,"
            return [
                Paragraph(thing.text, f"{mark} {sentences.instruction_name(*self._of(thing))}:")
            ]
        bucket, row = thing.bucket, thing
        mark = f"{self._bucket(bucket)} {_WORDS[bucket]} {row.index + 1}"
        if self.items.rows.is_marked(row):
            mark = f"{self.review.marks.marked} {mark}"
        if row.item.link:
            mark += f", {sentences.instruction_name(*row.item.link)}"
        instruction = self._instruction(row) or "(answers no instruction)"
        paragraphs = [Paragraph(instruction, f"{mark}:", bucket)]
        if row.item.omission:
            paragraphs.append(Paragraph("by omission", self.review.marks.omission, bucket, _INDENT))
        elif bucket in EXCERPTS:
            quoted = Paragraph(row.item.text, "", bucket, _INDENT, in_quotes=True)
            paragraphs.append(quoted)
        if row.item.denied:
            denial = f"{self.review.marks.denied} denied by the words:"
            paragraphs.append(Paragraph(denial, "", "muted", _INDENT))
            paragraphs.append(Paragraph(row.item.denied, "", bucket, _INDENT, in_quotes=True))
        if row.item.rationale:
            paragraphs.append(Paragraph(row.item.rationale, "judge:", "muted", _INDENT))
        if row.note:
            paragraphs.append(Paragraph(row.note, self.review.marks.doubt, "bad", _INDENT))
        origin = self.items.origins.get(row.place)
        if origin:
            came = sentences.briefly(origin, row.item)
            paragraphs.append(
                Paragraph(came, getattr(self.review.marks, origin.came), "key", _INDENT)
            )
        return paragraphs

    def listed(self) -> Sequence[Paragraph]:
        paragraphs = []
        for number, thing in enumerate(self.items.rows.things, 1):
            if isinstance(thing, ChecklistEntry):
                mark = f"{number:>3} {self.review.marks.open}"
                paragraphs.append(Paragraph(thing.text, mark, "muted", hang=_HANG))
                continue
            text = self._instruction(thing) or thing.item.text
            mark = f"{number:>3} {self._bucket(thing.bucket)}"
            if self.items.rows.is_marked(thing):
                mark += self.review.marks.marked
            if thing.place in self.items.origins:
                mark += getattr(self.review.marks, self.items.origins[thing.place].came)
            paragraphs.append(Paragraph(text, mark, thing.bucket, hang=_HANG))
        return paragraphs

    def evidence(self) -> Sequence[EvidencePlace]:
        return [
            EvidencePlace(thing.place, thing.item.span)
            for thing in self.items.rows.things
            if isinstance(thing, ItemRow) and thing.item.span
        ]

    def _of(self, entry: ChecklistEntry) -> Link:
        return entry.of, entry.number

    def _bucket(self, bucket: Bucket) -> str:
        return f"{getattr(self.review.marks, bucket)}{MARKS[bucket]}"

    def _instruction(self, row: ItemRow) -> str:
        if row.item.link is None:
            return ""
        of, number = row.item.link
        return str(self.items.trait.instructions(of)[number - 1])

    # -- corrections -------------------------------------------------------------------------------

    def does(self, key: str) -> Conversation | None:
        if key in _MOVES:
            return self.corrections.move(_MOVES[key])
        if key in _CORRECTIONS:
            return self.corrections.by_name[_CORRECTIONS[key]]()
        if key == " ":
            return self._turn()
        if key in ("x", "*"):
            return self._mark(every=key == "*")
        return None

    async def _turn(self) -> None:
        """Turns verdicts; the cursor stays on the one that it was on."""
        listed = rows.all_rows(self.items.trait, self.items.labels)
        turned = rows.turning(self.items.trait, listed, self.items.rows.aimed())
        await self.corrections.turn(turned)
        for at, thing in enumerate(self.items.rows.things):
            if len(turned) == 1 and _answers(thing, turned[0].link):
                self.items.rows.at = at

    async def _mark(self, *, every: bool) -> None:
        here = self.items.row
        if here is None:
            self.review.say("There is no item here to mark.")
            return
        marked = self.items.rows.marked
        if every:
            marked |= {place for place in self.items.rows.order() if place[0] == here.bucket}
        elif here.place in marked:
            marked.remove(here.place)
        else:
            marked.add(here.place)
        self.review.say(f"{len(marked)} marked.")

    def corrected(self, edit: Edit) -> None:
        self.corrections.corrected(edit)

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        return rows.found_again(edit, self.items.labels, now.labels or Labels())

    def doubts(self) -> str:
        if self.items.cell is None or self.items.cell.labels is None:
            return ""
        return ledger.doubts(self.items.trait, self.items.cell.labels)

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        was, now = before.labels or Labels(), after.labels or Labels()
        return sentences.remarks(self.items.trait, was, now)


def _answers(thing: Thing, link: Link) -> bool:
    """Whether a row is the instruction's, in one of its two buckets."""
    if isinstance(thing, ChecklistEntry):
        return thing.link == link
    return thing.item.link == link and thing.bucket in ledger.buckets_of(link[0])


LINES = MetricLines
