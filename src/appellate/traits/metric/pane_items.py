"""The items of the cell in sight under one cursor, for the screen and line by line."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Literal

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.deciding import AT_WORK, locks
from appellate.core.facts import Corrected
from appellate.core.kind import Table, read_name
from appellate.traits.metric import ledger, rows
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import EXCERPTS, Bucket, Item, Labels, Link, Place
from appellate.traits.metric.ledger import MARKS, STANDS, Standing, buckets_of, link_mark
from appellate.traits.metric.majority import PanelLabels, panel_labels
from appellate.traits.metric.rows import (
    NO_EVIDENCE,
    ChecklistEntry,
    ItemRow,
    Origin,
    Thing,
    origins,
)
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.ui.contract import Evidence, NamedItems, Review, beside_step, keyed
from appellate.ui.marks import Marks, in_quotes, spelt
from appellate.ui.rows import DrawnRows, Group, ListRow, RowCursor, StyledText

Paragraph = tuple[StyledText, ...]
LONG = 12  # letters of a reason that may not all stand at a row's end
MARK = 2  # the cells of a mark on the checklist
_NOTES = {
    "unverified": "not found in the response: "
    "check it, reword it ({item.reword:e}) or drop it ({item.drop:d})",
    "denial unverified": "the denial's words are not in the response: "
    "select them again ({item.deny:-})",
    "no evidence": "taken on without words of the response",
    "unlinked": "answers no instruction: link it ({item.relink:i}) or drop it ({item.drop:d})",
    "repeat, not counted": "repeats an item above it: shown, but not counted",
}


def shown_mark(mark: str, marks: Marks) -> str:
    """An instruction's mark with the minus that the terminal can draw."""
    return mark.replace("−", marks.minus)


class RowDrawing:
    """Draws the rows of a cell: `sign` is what a row bears beside the cursor."""

    def __init__(self, review: Review, cell: Cell, sign: Callable[[Thing], StyledText]) -> None:
        self._review = review
        self.marks = review.marks
        self._cell = cell
        self._sign = sign
        self.subject = cell.subject
        self.trait: MetricRubricTrait = cell.subject.trait
        self.panel = panel_labels(cell)
        self.origins = origins(cell)
        self.signs = {word: getattr(self.marks, bucket) for bucket, word in STANDS.items()}
        self.signs |= {"open": self.marks.open, "both": self.marks.doubt}
        self._judged: dict[tuple[str, int], str] = {}  # of a cell that was ruled blind
        if cell.ruled:
            for asked, word in cell.judge_standings.items():
                self._judged[asked.of, asked.number] = word

    # -- groups ------------------------------------------------------------------------------------

    def bucket(self, name: Bucket, items: Sequence[ItemRow]) -> Group:
        """The items of a bucket; where there are none, why, and what adds to it if anything may."""
        empty = "nothing yet"
        cell = self._cell
        if cell.judge is not None:
            empty = "emptied by hand" if cell.judge.table.get(name) else "the judge found none"
        if not self._review.readonly:
            adds = "{text.select:v} adds words" if name in EXCERPTS else "{item.missing:m} adds one"
            empty = f"{empty}: {adds}"
        title = f"{getattr(self.marks, name)}{MARKS[name]}"
        if cell.labels is not None:
            counting = sum(row.counts for row in items)
            title = f"{title} {counting}"
            if counting < len(items):
                title = f"{title} (+{len(items) - counting})"
        return Group(name, title, DrawnRows(items, self.item), name, f"({empty})")

    def entries(self, name: str, held: Sequence[ChecklistEntry]) -> Group:
        """The instructions of a list, and how many stand how."""
        counts = Counter(entry.standing for entry in held)
        shown = [STANDS[bucket] for bucket in buckets_of(name)]
        wrong: tuple[Standing, ...] = ("both", "open")
        shown += [standing for standing in wrong if counts[standing]]
        parts = [f"{self.signs[one]} {one} {counts[one]}" for one in shown]
        omitted = sum(row.item.omission for entry in held for row in entry.excerpts)
        if omitted:
            parts.append(f"{self.marks.omission} {omitted}")
        denied = sum(entry.is_denied for entry in held)
        if denied:
            parts.append(f"{self.marks.denied} denied {denied}")
        return Group(name, "  ".join(parts), DrawnRows(held, self.entry))

    def others(self, name: str, items: Sequence[ItemRow]) -> Group:
        """The items that stand on no instruction's line."""
        return Group(name, f"other items {len(items)}", DrawnRows(items, self._other_item))

    # -- rows --------------------------------------------------------------------------------------

    def item(self, row: ItemRow) -> ListRow:
        """The instruction, and below it the excerpt that answers it, or why the judge says so."""
        asked = self._asked(row.link)
        text = row.item.text
        style = ""
        below = self._below(row, asked)
        under = []
        if row.bucket in EXCERPTS and not asked:
            text = in_quotes(text, self.marks)
            style = row.bucket
            below = []
            under = [self._judges_reason(row)]
        elif row.bucket in EXCERPTS:
            text = asked
            if below and not row.item.omission:
                under = [self._judges_reason(row)]
        return self._row(row, STANDS[row.bucket], text, below, under, style, dim=not row.counts)

    def entry(self, entry: ChecklistEntry) -> ListRow:
        """The instruction, and below it all that stands for it."""
        style = {"open": "muted", "both": "flag"}.get(entry.standing)
        if style is None:
            style = entry.items[0].bucket
        below: list[Paragraph] = []
        for row in entry.items:
            below += self._below(row, entry.text)
        under = [self._judges_reason(row) for row in entry.excerpts if not row.item.omission]
        drawn = self._row(entry, entry.standing, entry.text, below, under)
        mark = StyledText(f"{self.signs[entry.standing]:<{MARK}}", style)
        return replace(drawn, left=(mark, *drawn.left))

    def row(self, thing: Thing) -> ListRow:
        return self.entry(thing) if isinstance(thing, ChecklistEntry) else self.item(thing)

    def _other_item(self, row: ItemRow) -> ListRow:
        """An item with its bucket before it."""
        where = StyledText(f"{getattr(self.marks, row.bucket)}{MARKS[row.bucket]} ", row.bucket)
        drawn = self.item(row)
        return replace(drawn, left=(where, *drawn.left))

    def describe(self, thing: Thing) -> str:
        """All that there is to know of a row."""
        row = self.row(thing)
        lines = [f"{self._number(thing.mark)} {row.text}".strip()]
        for paragraph in (*row.below, *row.under_cursor):
            lines += [piece.text for piece in paragraph]
        return "\n".join(lines)

    # -- their parts -------------------------------------------------------------------------------

    def _row(
        self,
        thing: Thing,
        standing: str,
        text: str,
        below: Iterable[Paragraph],
        under: list[StyledText],
        style: str = "",
        *,
        dim: bool = False,
    ) -> ListRow:
        """A row with what is known of its items beside it, and below it under the cursor."""
        under = [self._other_names(thing.link), *under]
        for row in thing.items:
            under += [about_origin(self.origins.get(row.place)), *self._about_notes(row)]
        if self.panel:
            under.append(about_votes(self.panel, thing))
        return ListRow(
            text,
            (StyledText(f"{self._number(thing.mark):>2} ", "key"),),
            tuple(self._beside(thing, standing)),
            style,
            dim=dim,
            below=tuple(filter(None, below)),
            under_cursor=tuple(filter(None, map(self._paragraph, dict.fromkeys(under)))),
            sign=self._sign(thing),
            below_is_seen=_is_seen_in_response(thing),
        )

    def _beside(self, thing: Thing, standing: str) -> list[StyledText]:
        """The points of an instruction, what a person or the panel says, and what is wrong."""
        found = []
        link = thing.link
        if link and self.trait.weights:
            points = f" {self.trait.weight(link[0], self._asked(link)):+g}"
            found.append(StyledText(points.replace("-", self.marks.minus), "key"))
        changed = self._changed(thing.items)
        if changed:
            came = briefly(self.origins[changed.place], changed.item)
            found.append(StyledText(f" {self._number(came)}", "corrected"))
        judged = self._judged.get(link or ("", 0), standing)
        if judged != standing:
            found.append(StyledText(f" {self.marks.apart} judge: {judged}", "flag"))
        for row in thing.items[:1]:
            if self._is_noted(row):
                style = "flag" if row.counts and row.note != NO_EVIDENCE else "muted"
                found.append(StyledText(f" {row.note.replace(', not counted', '')}", style))
            if self.panel:
                found.append(self._voted(self.panel, row))
        excerpts = [(row.item.span, row.item.named_step) for row in thing.items]
        return [*found, *beside_step(self.subject, excerpts)]

    def _voted(self, panel: PanelLabels, row: ItemRow) -> StyledText:
        """How many of the panel's members hold an item, with a sign where not all do."""
        held = len(panel.backers(row.bucket, row.item))
        of = len(panel.members)
        sign, style = ("", "muted") if held == of else (self.marks.split, "flag")
        return StyledText(f" {sign}{held}/{of}", style)

    def _asked(self, link: Link | None) -> str:
        return self.trait.words(*link) if link else ""

    def _other_names(self, link: Link | None) -> StyledText:
        """The other names of an instruction, if it has any."""
        names = self.trait.names(*link)[1:] if link else []
        return StyledText(f"also called: {', '.join(names)}" if names else "", "muted")

    def _number(self, mark: str) -> str:
        return shown_mark(mark, self.marks)

    def _below(self, row: ItemRow, asked: str) -> list[Paragraph]:
        """What an item says below an instruction: its excerpt, a denial, why the judge says so."""
        item = row.item
        bucket = row.bucket
        if bucket not in EXCERPTS:
            denial: Paragraph = ()
            if item.denied:
                words = StyledText(in_quotes(item.denied, self.marks), bucket)
                denial = (StyledText(f"{self.marks.denied} denied: ", "flag"), words)
            return [denial, self._paragraph(self._judges_reason(row))]
        if item.omission:
            sign = StyledText(f"{self.marks.omission} by omission", bucket)
            if not item.rationale or self._is_elsewhere(row):
                return [(sign,)]
            return [(sign, *self._paragraph(StyledText(f": {item.rationale}", "muted")))]
        if item.text != asked:
            return [(StyledText(in_quotes(item.text, self.marks), bucket),)]
        return []

    def _judges_reason(self, row: ItemRow) -> StyledText:
        """Why the judge proposed an item here; nothing of one that a person put elsewhere."""
        if self._is_elsewhere(row):
            return StyledText("")
        return judge_sentence(row)

    def _is_elsewhere(self, row: ItemRow) -> bool:
        """Whether the judge had an item in another bucket, or for another instruction."""
        origin = self.origins.get(row.place)
        if origin is None or origin.was is None:
            return False
        bucket, was = origin.was
        return bucket != row.bucket or was.link != row.item.link

    def _paragraph(self, sentence: StyledText) -> Paragraph:
        if not sentence.text:
            return ()
        return (StyledText(spelt(sentence.text, self.marks), sentence.style),)

    def sign_of(self, rows: Sequence[ItemRow]) -> StyledText:
        """The sign of what a person changed, or else of what is in doubt."""
        changed = self._changed(rows)
        if changed:
            return StyledText(getattr(self.marks, self.origins[changed.place].came), "corrected")
        if any(row.unverified for row in rows):
            return StyledText(self.marks.doubt, "flag")
        return StyledText(" ")

    def _changed(self, rows: Sequence[ItemRow]) -> ItemRow | None:
        return next((row for row in rows if row.place in self.origins), None)

    def _is_noted(self, row: ItemRow) -> bool:
        """Whether what is wrong with an item is shown."""
        return row.note != "" and not (self._cell.is_blind and row.note == NO_EVIDENCE)

    def _about_notes(self, row: ItemRow) -> list[StyledText]:
        """What is wrong with an item, in whole sentences."""
        if not self._is_noted(row):
            return []
        read = f"the {read_name(self.trait)}"
        notes: list[str] = []
        for part in row.note.split(" · "):
            note = _NOTES.get(part, f"its instruction {part}")
            notes.append(note.replace("the response", read))
        style = "muted" if row.note == NO_EVIDENCE else "failed"
        return [StyledText(keyed("; ".join(notes), self._review), style)]


def _is_seen_in_response(thing: Thing) -> bool:
    """Whether all that stands below a row is excerpts that the response shows."""
    if not thing.items:
        return False
    return all(row.bucket in EXCERPTS and row.item.span for row in thing.items)


# -- in words -------------------------------------------------------------------------------------


def judge_sentence(row: ItemRow) -> StyledText:
    """Why the judge proposed an item."""
    if not row.item.rationale:
        return StyledText("")
    return StyledText(f"judge: {row.item.rationale}", "muted")


def briefly(origin: Origin, item: Item) -> str:
    """Where an item that a person changed came from: `was FN · paraphrase`."""
    text = "added"
    if origin.was is not None:
        bucket, was = origin.was
        text = "wrong evidence" if item.wrong_evidence else "other words"
        if origin.came == "moved":
            text = f"was {MARKS[bucket]}"
        elif _no_more(was, item):
            text = f"was {_no_more(was, item)}"
        elif was.link != item.link:
            text = f"was {link_mark(*was.link) if was.link else 'unlinked'}"
    if origin.reason:
        text += f" · {origin.reason}"
    return text


def _no_more(was: Item, item: Item) -> str:
    """What an item was beside its words, and is no more."""
    if was.denied != item.denied:
        return "denied" if was.denied else "left out"
    if was.omission and not item.omission:
        return "by omission"
    return ""


def about_origin(origin: Origin | None) -> StyledText:
    """What the judge had in an item's place, and a reason that is too long for the row's end."""
    if origin is None:
        return StyledText("")
    texts = []
    if origin.came == "changed" and origin.was is not None:
        was = origin.was[1]
        if was.denied:
            texts.append(f"was denied by “{was.denied}”")
        elif was.omission:
            texts.append("was by omission")
        elif origin.was[0] in EXCERPTS:
            texts.append(f"was “{was.text}”")
    if len(origin.reason) > LONG:
        texts.append(f"because: {origin.reason}")
    return StyledText("; ".join(texts), "corrected")


def about_votes(panel: PanelLabels, thing: Thing) -> StyledText:
    """Which members of the panel say what of an instruction, or of an item that answers none."""
    if isinstance(thing, ItemRow) and not panel.answers(thing.bucket, thing.item):
        backers = panel.backers(thing.bucket, thing.item)
        others = [member for member in range(len(panel.members)) if member not in backers]
        groups = [("so", backers), ("not so", others)]
    else:
        of, number = thing.link or ("tp", 0)
        yes, no = buckets_of(of)
        vote = panel.votes[of, number]
        groups = [
            (STANDS[yes], vote.get("found", ())),
            (STANDS[no], vote.get("missing", ())),
            ("unclear", vote.get("unclear", ())),
        ]
    parts = []
    for words, members in groups:
        if members:
            parts.append(f"{words}: {', '.join(panel.names[member] for member in members)}")
    style = "flag" if len(parts) > 1 else "muted"
    return StyledText(f"panel: {'; '.join(parts)}", style)


# -- the cell --------------------------------------------------------------------------------------

View = Literal["buckets", "checklist"]
_STAYING = ("relink", "reword", "split", "merge", "deny", "omit")


class CellItems(NamedItems):
    """What the rows show and where the cursor is; `cursor` makes the rows.

    `drawn` is called when they were made anew; `last` is the last correction and its trait's name.
    """

    drawing: RowDrawing  # of the cell in sight

    def __init__(
        self,
        review: Review,
        cursor: Callable[["CellItems", Marks], RowCursor[Thing]],
        drawn: Callable[[], None] = lambda: None,
    ) -> None:
        self.review, self.say = review, review.say
        self.drawn = drawn
        self.last: tuple[str, Edit] | None = None
        self.rows = cursor(self, review.marks)
        self.trait: Any = None
        self.labels = Labels()
        self.view: View = "buckets"
        self._wanted_view: View = "buckets"  # of cells that a judge has labelled
        self.breaches: list[str] = []
        self.settled = 0, 0
        self.evidence: list[Evidence] = []
        self._named: dict[str, Place] = {}  # made anew when it is asked for
        self.seen = ""  # how many items of a long cell were
        self._listed: dict[Bucket, list[ItemRow]] = {}
        self._chosen: Place | None = None

    # -- what is shown -----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one from its first item, else the cursor keeps to its item."""
        was = self.cell
        self.cell = cell
        same = was is not None and was.subject is cell.subject
        before = self.labels
        order = self._places_in_order()
        key = self.rows.key
        row = self.rows.index
        here = self.rows.here
        self._chosen = None
        self.trait, self.labels = cell.subject.trait, cell.labels or Labels()
        went: dict[Place, Place] = {}
        if same:
            went = rows.where_now(before, self.labels)
        self.rows.marked = {went[place] for place in self.rows.marked if place in went}
        self.drawing = RowDrawing(self.review, cell, self.rows.sign)
        self.breaches = ledger.breaches(self.trait, self.labels)
        self.settled = ledger.settled(self.trait, self.labels)
        self._listed = rows.all_rows(self.trait, self.labels)
        self.evidence = self._evidence()
        fresh |= self._turned_for(cell, was if same else None)
        if fresh and not (same and self.view == "checklist"):
            self._arrange()
            if cell.hidden:  # begins with the first instruction that is not ruled
                self._to_unruled(0)
            return
        self._arrange(key, row)
        if isinstance(here, ItemRow):  # a line of the checklist stays
            place = rows.next_place(here.place, order, went)
            if place:
                self.go(*place)

    def _turned_for(self, cell: Cell, was: Cell | None) -> bool:
        """Turns to the view of a cell: the instructions, where it is filled by hand, till a judge
        has labelled it. Whether it was turned; `was` is the same cell before.
        """
        if was is not None and (was.labels is not None or cell.base is None):
            return False
        self.view = self._wanted_view
        if cell.base is None:
            self.view = "checklist"
        return True

    def _evidence(self) -> list[Evidence]:
        found = []
        for row in chain.from_iterable(self._listed.values()):
            if row.item.span:
                style = row.bucket if row.bucket in EXCERPTS else "denied"
                found.append(Evidence(*row.item.span, style, row.mark, row.place, row.counts))
        return found

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        """Puts the cursor on the item that a correction was about, wherever it is now.

        After a move, a drop or an addition it stays where `show` put it, unless that was `turned`;
        in a blind cell an instruction that is ruled gives way to the next that is not.
        """
        made = Edit.from_row(edit)
        labels = before.labels or Labels()
        if self.cell is not None and self.cell.hidden and not turned and self.entry:
            self._to_next_unruled(self.entry, labels)
        if turned or (made.action in _STAYING and made.to is None):
            place = rows.new_place(labels, self.labels, made)
            if place:
                self.go(*place)

    def _to_next_unruled(self, here: ChecklistEntry, before: Labels) -> None:
        """Goes on from a line that stood nowhere before and stands somewhere now."""
        was = {link for bucket in buckets_of(here.of) for link in before.links(bucket)}
        if here.link in was or not here.items:
            return
        marks = [thing.mark for thing in self.rows.every]
        self._to_unruled(marks.index(here.mark))

    def _to_unruled(self, first: int) -> None:
        """Puts the cursor on the next line that stands nowhere, round the corner."""
        every: list[tuple[str, int, Thing]] = []
        for name, held in self.rows.things.items():
            every += [(name, at, thing) for at, thing in enumerate(held)]
        for name, at, thing in (*every[first:], *every[:first]):
            if isinstance(thing, ChecklistEntry) and thing.standing == "open":
                self._chosen = None
                self._draw(name, at)
                return

    @property
    def other_view(self) -> View:
        return "buckets" if self.view == "checklist" else "checklist"

    def turn_view(self) -> None:
        """Turns from the buckets to the checklist and back, with the cursor on the same item."""
        place = self.place
        self.view = self._wanted_view = self.other_view
        if self.cell is not None:
            self._arrange()
            self.go(*place)

    def redraw(self) -> None:
        if self.cell is not None:
            self._draw(self.rows.key, self.rows.index)

    def _places_in_order(self) -> list[Place]:
        return list(chain.from_iterable(map(self.places, self.rows.every)))

    def _arrange(self, key: str = "", row: int = 0) -> None:
        """Puts the things into groups, the cursor on one, or on the first that holds any."""
        things = self._things()
        if key not in things:
            key = next((name for name, held in things.items() if held), "tp")
        self.rows.things = things
        self._named = {}
        self._draw(key, row)

    def _things(self) -> dict[str, Sequence[Thing]]:
        """The buckets; or the lists of instructions, and the items apart from them."""
        things: dict[str, Sequence[Thing]] = dict(self._listed.items())
        if self.view == "buckets":
            return things
        things = {}
        for of in ledger.lists(self.trait):
            entries = rows.entries(self.trait, self._listed, of)
            if entries or of == "tp":
                things[of] = entries
        others = rows.other_items(self.trait, self._listed)
        if others:
            things["others"] = others
        return things

    def _draw(self, key: str, row: int) -> None:
        groups = [self._group(name) for name in self.rows.things]
        if groups:
            self.rows.show_groups(groups, (key, row))
            self.drawn()

    def _group(self, name: str) -> Group:
        things: Sequence[Any] = self.rows.things[name]
        if name == "others":
            return self.drawing.others(name, things)
        if self.view == "checklist":
            return self.drawing.entries(name, things)
        bucket: Bucket = name  # type: ignore[assignment]
        return self.drawing.bucket(bucket, things)

    # -- what is known of them ---------------------------------------------------------------------

    def places(self, thing: Thing) -> list[Place]:
        return [row.place for row in thing.items]

    def sign_of(self, thing: Thing) -> StyledText:
        return self.drawing.sign_of(thing.items)

    def named(self) -> dict[str, Place]:
        """The items by their names, in the order of reading."""
        if not self._named:
            names = rows.names(self._listed)
            self._named = {names[place]: place for place in self._places_in_order()}
        return self._named

    @property
    def names_here(self) -> list[str]:
        """Those of the items under the cursor."""
        if self.rows.here is None:
            return []
        here = self.places(self.rows.here)
        return [name for name, place in self.named().items() if place in here]

    def tell_seen(self, text: str) -> None:
        if text != self.seen:
            self.seen = text
            self.drawn()

    def in_doubt(self) -> int:
        return sum(row.unverified for row in chain.from_iterable(self._listed.values()))

    def answered(self) -> str:
        """How many instructions are answered, where some are not."""
        settled, total = self.settled
        if settled == total:
            return ""
        return f"{settled} of {total} answered"

    def notice(self) -> StyledText:
        """Why there are no labels, or what the ledger has wrong."""
        if self.cell is not None and self.cell.labels is None:
            return StyledText(self._why_unlabelled(self.cell), "text-muted")
        if self.cell is not None and self.cell.hidden:
            settled, total = self.settled
            ruled = f"{settled} of {total} ruled: {{cell.sign:a}} locks the verdict"
            if self.cell.contest is None:
                ruled += ", then the judge's shows"
            return StyledText(f"{keyed(ruled, self.review)}.", "text-muted")
        if not self.breaches:
            return StyledText("")
        more = f" And {len(self.breaches) - 1} more." if len(self.breaches) > 1 else ""
        first = keyed(self.breaches[0], self.review)
        return StyledText(f"{self.review.marks.doubt} {first}{more}", "state-failed")

    def _why_unlabelled(self, cell: Cell) -> str:
        by_hand = "or answer the instructions by hand."
        error = ""
        if cell.hidden:
            text = f"Answer every instruction, with words of the response or without; {locks(cell)}"
        elif cell.error:
            text = f"The judge failed here; {{cell.judge:J}} asks it again, {by_hand}"
            error = f" {cell.error.error}"
        elif self.review.judging:
            text = f"{AT_WORK}: wait, {by_hand}"
        else:
            text = f"Not judged yet: {{cell.judge:J}} has it judged, {by_hand}"
        return keyed(text, self.review) + error

    def detail(self) -> str:
        """All that there is to know of the row under the cursor."""
        here = self.rows.here
        texts = [self.drawing.describe(here)] if here else []
        return "\n".join(filter(None, (*texts, self.notice().text)))

    def turning(self) -> list[ChecklistEntry]:
        """What can be turned of what is marked or under the cursor: each instruction once."""
        return rows.turning(self.trait, self._listed, self.rows.aimed())

    # -- where the cursor is -----------------------------------------------------------------------

    @property
    def entry(self) -> ChecklistEntry | None:
        """The line of the checklist under the cursor."""
        here = self.rows.here
        if isinstance(here, ChecklistEntry):
            return here
        return None

    @property
    def row(self) -> ItemRow | None:
        """The item under the cursor: of a line, the one that was gone to, or its first."""
        if self.rows.here is None:
            return None
        for row in self.rows.here.items:
            if row.place == self._chosen:
                return row
        return next(iter(self.rows.here.items), None)

    @property
    def link(self) -> Link | None:
        """The instruction under the cursor: the line's own, or the one that the item answers."""
        return self.rows.here.link if self.rows.here else None

    @property
    def place(self) -> tuple[str, int]:
        """Where the item under the cursor stands; where there is none, the row of its bucket."""
        if self.row:
            return self.row.place
        if self.view == "checklist":
            return "", self.rows.index
        return self.rows.key, self.rows.index

    def go_to_instruction(self, of: str, number: int) -> None:
        """Puts the cursor on the first item that answers an instruction, if there is one."""
        for row in chain.from_iterable(self._listed.values()):
            if row.link == (of, number):
                self.go(*row.place)
                return

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on an item, or on a row of an empty bucket."""
        for name, things in self.rows.things.items():
            at = number if name == group and self.view == "buckets" else None
            for index, thing in enumerate(things):
                if (group, number) in self.places(thing):
                    at = index
                    break
            if at is not None:
                self._chosen = group, number  # type: ignore[assignment]
                self._draw(name, at)
                return

    # -- what is known of corrections --------------------------------------------------------------

    def doubts(self) -> str:
        if self.cell is None or self.cell.labels is None:
            return ""
        return ledger.doubts(self.trait, self.cell.labels)

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        was = before.labels or Labels()
        now = after.labels or Labels()
        done: list[Edit] = []
        for fact in after.facts[len(before.facts) :]:
            if isinstance(fact.what, Corrected):
                done.append(Edit.from_row(fact.what.edit))
        texts = rows.remarks(self.trait, was, now)
        return rows.moved_beside(self.trait, was, now, done) + texts

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        return rows.found_again(edit, self.labels, now.labels or Labels())

    def corrected(self, edit: Edit) -> None:
        self.last = self.trait.name, edit
