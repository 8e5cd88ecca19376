"""Describes the items of a metric cell as rows, and keeps the cursor on them, for pane and lines.

`RowDrawing` makes rows of items; `CellItems` has the rows, the cursor and what is known of both.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, Literal

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.deciding import AT_WORK, locking_text
from appellate.core.facts import Corrected
from appellate.core.kind import Table, read_name
from appellate.traits.metric import ledger, rows
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import EXCERPTS, Bucket, Item, Labels, Link, Place
from appellate.traits.metric.ledger import (
    MARKS,
    STANDS,
    Standing,
    buckets_of,
    link_mark,
)
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
"""Letters of a reason from which on it may be cut at a row's end."""
MARK = 2  # the cells of a mark on the checklist
"""The width in cells of a mark on the checklist."""
_NOTES = {
    "unverified": "not found in the response: "
    "check it, reword it ({item.reword:e}) or drop it ({item.drop:d})",
    "denial unverified": "the denial's words are not in the response: "
    "select them again ({item.deny:-})",
    "no evidence": "taken on without words of the response",
    "unlinked": "answers no instruction: link it ({item.relink:i}) or drop it ({item.drop:d})",
    "repeat, not counted": "an item above it counts for its instruction, or has its words: "
    "shown, but not counted",
}


def shown_mark(mark: str, marks: Marks) -> str:
    """Return an instruction's mark, as "−1", with the minus sign that the terminal can draw."""
    return mark.replace("−", marks.minus)


class RowDrawing:
    """Draws the rows of one cell.

    `sign` returns what a row shows next to the cursor.
    """

    def __init__(
        self,
        review: Review,
        cell: Cell,
        sign: Callable[[Thing], StyledText],
    ) -> None:
        """Take over what the rows of a cell show: the panel's labels and what a person changed.

        The judge's answers are shown only in a cell that was ruled blind. `sign` returns what a row
        shows next to the cursor.
        """
        self._review = review
        self.marks = review.marks
        self._cell = cell
        self._sign = sign
        self.subject = cell.subject
        self.trait: MetricRubricTrait = cell.subject.trait
        self.panel = panel_labels(cell)
        self.origins = origins(cell)
        self.signs = {
            word: getattr(self.marks, bucket) for bucket, word in STANDS.items()
        }
        self.signs |= {"open": self.marks.open, "both": self.marks.doubt}
        self._judged: dict[tuple[str, int], str] = {}  # of a cell that was ruled blind
        if cell.ruled:
            for asked, word in cell.judge_standings.items():
                self._judged[asked.of, asked.number] = word

    # -- groups ------------------------------------------------------------------------------------

    def bucket(self, name: Bucket, items: Sequence[ItemRow]) -> Group:
        """Return the items of a bucket as a titled group of rows.

        The title is such as "✓TP 2 (+1)", for two items that count and one repeat, and has no
        numbers in a cell without labels. An empty group says why it is empty and, if corrections
        are possible, which key adds to it.
        """
        empty = "nothing yet"
        cell = self._cell
        if cell.judge is not None:
            empty = "the judge found none"
            if cell.judge.table.get(name):
                empty = "emptied by hand"
        if not self._review.readonly:
            way_to_add = "{item.missing:m} adds one"
            if name in EXCERPTS:
                way_to_add = "{text.select:v} adds words"
            empty = f"{empty}: {way_to_add}"
        title = f"{getattr(self.marks, name)}{MARKS[name]}"
        if cell.labels is not None:
            counting = sum(row.counts for row in items)
            title = f"{title} {counting}"
            if counting < len(items):
                title = f"{title} (+{len(items) - counting})"
        return Group(name, title, DrawnRows(items, self.item), name, f"({empty})")

    def entries(self, name: str, checklist: Sequence[ChecklistEntry]) -> Group:
        """Return the instructions of one list as a group, titled as "✓ found 3  ✗ missing 1".

        `checklist` has all entries of the list `name` and no others. Its two usual standings are
        always counted in the title; "both", "open", omissions and denials only if there are any.
        """
        counts = Counter(entry.standing for entry in checklist)
        standings_to_show = [STANDS[bucket] for bucket in buckets_of(name)]
        wrong_standings: tuple[Standing, ...] = ("both", "open")
        for standing in wrong_standings:
            if counts[standing]:
                standings_to_show.append(standing)
        parts: list[str] = []
        for standing in standings_to_show:
            sign = self.signs[standing]
            parts.append(f"{sign} {standing} {counts[standing]}")

        omission_count = 0
        denial_count = 0
        for entry in checklist:
            if entry.is_denied:
                denial_count += 1
            for row in entry.excerpts:
                if row.item.omission:
                    omission_count += 1
        if omission_count:
            parts.append(f"{self.marks.omission} {omission_count}")
        if denial_count:
            parts.append(f"{self.marks.denied} denied {denial_count}")
        return Group(name, "  ".join(parts), DrawnRows(checklist, self.entry))

    def others(self, name: str, items: Sequence[ItemRow]) -> Group:
        """Return the items on no instruction's line as the group with the key `name`.

        Its title says "other items" and how many they are.
        """
        return Group(
            name,
            f"other items {len(items)}",
            DrawnRows(items, self._other_item),
        )

    # -- rows --------------------------------------------------------------------------------------

    def item(self, row: ItemRow) -> ListRow:
        """Return the row of an item: the instruction, and the excerpt or what denies it below.

        An excerpt without an instruction is the row itself, in quotation marks. The judge's reason
        is below an omission and an item of FN or TN, and for any other excerpt only under the
        cursor. An item that does not count is dim.
        """
        instruction = self._instruction_words(row.link)
        text = row.item.text
        style = ""
        below = self._below(row, instruction)
        under_cursor = []
        if row.bucket in EXCERPTS and not instruction:
            text = in_quotes(text, self.marks)
            style = row.bucket
            below = []
            under_cursor = [self._judges_reason(row)]
        elif row.bucket in EXCERPTS:
            text = instruction
            if not row.item.omission:
                under_cursor = [self._judges_reason(row)]
        return self._row(
            row,
            STANDS[row.bucket],
            text,
            below,
            under_cursor,
            style,
            dim=not row.counts,
        )

    def entry(self, entry: ChecklistEntry) -> ListRow:
        """Return the row of an instruction, with what all its items show below it.

        A sign before it shows its standing in the style of the bucket; it is muted if the
        instruction has no answer, and flagged if it has two. The judge's reasons for its excerpts
        show only under the cursor.
        """
        style = {"open": "muted", "both": "flag"}.get(entry.standing)
        if style is None:
            style = entry.items[0].bucket
        below: list[Paragraph] = []
        for row in entry.items:
            below += self._below(row, entry.text)
        under_cursor = [
            self._judges_reason(row) for row in entry.excerpts if not row.item.omission
        ]
        drawn = self._row(entry, entry.standing, entry.text, below, under_cursor)
        mark = StyledText(f"{self.signs[entry.standing]:<{MARK}}", style)
        return replace(drawn, left=(mark, *drawn.left))

    def row(self, thing: Thing) -> ListRow:
        """Return the row of an instruction as `entry` draws it, or of an item as `item` does."""
        return (
            self.entry(thing) if isinstance(thing, ChecklistEntry) else self.item(thing)
        )

    def _other_item(self, row: ItemRow) -> ListRow:
        """Return the row of an item on no instruction's line, which begins with its bucket."""
        bucket_mark = StyledText(
            f"{getattr(self.marks, row.bucket)}{MARKS[row.bucket]} ",
            row.bucket,
        )
        drawn = self.item(row)
        return replace(drawn, left=(bucket_mark, *drawn.left))

    def describe(self, thing: Thing) -> str:
        """Return a row's text and all that is below it, as lines of plain text.

        The first is the mark of its instruction and its text, as "−2 names Paris". Then comes what
        is below it, also what only the cursor shows. What stands at the row's end is left out.
        """
        row = self.row(thing)
        number = self._shown_mark(thing.mark)
        lines = [f"{number} {row.text}".strip()]
        for paragraph in (*row.below, *row.under_cursor):
            for piece in paragraph:
                lines.append(piece.text)
        return "\n".join(lines)

    # -- their parts -------------------------------------------------------------------------------

    def _row(
        self,
        thing: Thing,
        standing: str,
        text: str,
        below: Iterable[Paragraph],
        under_cursor: Sequence[StyledText],
        style: str = "",
        *,
        dim: bool = False,
    ) -> ListRow:
        """Return a row to draw: its number, its text, and around it what is known of its items.

        `standing` is the one that the row shows; a judge's other one is told at the row's end.
        `below` is shown always, and `under_cursor`, with what `_known_under_cursor` adds, only
        while the cursor is on the row. Empty paragraphs are left out. `style` is the style of the
        text, "" for the usual one, and `dim` is for a row that does not count.
        """
        number = StyledText(f"{self._shown_mark(thing.mark):>2} ", "key")
        beside = self._texts_at_end(thing, standing)
        filled_below = [paragraph for paragraph in below if paragraph]
        return ListRow(
            text,
            left=(number,),
            right=tuple(beside),
            style=style,
            dim=dim,
            below=tuple(filled_below),
            under_cursor=tuple(self._known_under_cursor(thing, under_cursor)),
            sign=self._sign(thing),
            below_is_seen=_is_seen_in_response(thing),
        )

    def _known_under_cursor(
        self,
        thing: Thing,
        own: Sequence[StyledText],
    ) -> list[Paragraph]:
        """Return what only the row at the cursor shows, as paragraphs.

        They are the other names of its instruction, its `own` sentences, then of each item what a
        person changed and what is wrong with it, and last the panel's votes. Empty sentences are
        left out, and of equal ones only the first stays.
        """
        sentences = [self._other_names(thing.link), *own]
        for row in thing.items:
            sentences.append(about_origin(self.origins.get(row.place)))
            sentences.append(self._about_notes(row))
        if self.panel:
            sentences.append(about_votes(self.panel, thing))

        paragraphs: list[Paragraph] = []
        for sentence in dict.fromkeys(sentences):
            paragraph = self._paragraph(sentence)
            if paragraph:
                paragraphs.append(paragraph)
        return paragraphs

    def _texts_at_end(self, thing: Thing, standing: str) -> list[StyledText]:
        """Return the texts at the end of a row, each with a blank before it.

        In order they are the points of an instruction if the trait has any, what a person changed,
        the judge's answer if it differs from `standing`, the note of the first item, the panel's
        votes for it, and the steps of the conversation. `standing` is the present answer to the
        row's instruction.
        """
        texts = []
        link = thing.link
        if link and link[0] != "fp" and self.trait.weights:  # a hint has no points
            points = f" {self.trait.weight(link[0], self._instruction_words(link)):+g}"
            texts.append(StyledText(points.replace("-", self.marks.minus), "key"))
        changed = self._changed(thing.items)
        if changed:
            change_text = briefly(self.origins[changed.place], changed.item)
            texts.append(StyledText(f" {self._shown_mark(change_text)}", "corrected"))
        judged = self._judged.get(link or ("", 0), standing)
        if judged != standing:
            texts.append(StyledText(f" {self.marks.apart} judge: {judged}", "flag"))
        for row in thing.items[:1]:
            if self._is_noted(row):
                is_flagged = row.counts and row.note != NO_EVIDENCE
                style = "flag" if is_flagged else "muted"
                note = row.note.replace(", not counted", "")
                texts.append(StyledText(f" {note}", style))
            if self.panel:
                texts.append(self._vote_count(self.panel, row))
        excerpts = [(row.item.span, row.item.named_step) for row in thing.items]
        texts.extend(beside_step(self.subject, excerpts))
        return texts

    def _vote_count(self, panel: PanelLabels, row: ItemRow) -> StyledText:
        """Return how many of the panel's members hold an item, as " 3/3", or " ≠2/3" unless all do.

        The second is flagged, and its sign is the one of the marks in use.
        """
        backer_count = len(panel.backers(row.bucket, row.item))
        member_count = len(panel.members)
        count = f"{backer_count}/{member_count}"
        if backer_count == member_count:
            return StyledText(f" {count}", "muted")
        return StyledText(f" {self.marks.split}{count}", "flag")

    def _instruction_words(self, link: Link | None) -> str:
        """Return the words of an instruction, or ""."""
        return self.trait.words(*link) if link else ""

    def _other_names(self, link: Link | None) -> StyledText:
        """Return the other names of an instruction, as "also called: A, B".

        Empty if it has none, and for a link of None.
        """
        if link is None:
            return StyledText("", "muted")
        other_names = self.trait.names(*link)[1:]
        if not other_names:
            return StyledText("", "muted")
        names_text = ", ".join(other_names)
        return StyledText(f"also called: {names_text}", "muted")

    def _shown_mark(self, text: str) -> str:
        """Return a mark, or a text with one, with the minus sign that the terminal can draw."""
        return shown_mark(text, self.marks)

    def _below(self, row: ItemRow, instruction: str) -> list[Paragraph]:
        """Return what an item shows below the instruction it answers, as paragraphs.

        In FN and TN they are the denial and the judge's reason, each empty if there is none. In TP
        and FP it is "by omission" and the reason, or else the excerpt in quotation marks, unless
        that only repeats `instruction`. A reason shows only as long as the item is where the judge
        had it.
        """
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
            reason = StyledText(f": {item.rationale}", "muted")
            return [(sign, *self._paragraph(reason))]
        if item.text == instruction:
            return []
        excerpt = in_quotes(item.text, self.marks)
        return [(StyledText(excerpt, bucket),)]

    def _judges_reason(self, row: ItemRow) -> StyledText:
        """Return why the judge proposed an item here, with "judge: " before it.

        Empty if it gave no reason, or if a person moved the item here or linked it anew.
        """
        if self._is_elsewhere(row):
            return StyledText("")
        return judge_sentence(row)

    def _is_elsewhere(self, row: ItemRow) -> bool:
        """Return whether the judge had this item in another bucket, or for another instruction.

        It is False for an item that a person added, and for one that is as the judge had it.
        """
        origin = self.origins.get(row.place)
        if origin is None or origin.was is None:
            return False
        bucket, judge_item = origin.was
        return bucket != row.bucket or judge_item.link != row.item.link

    def _paragraph(self, sentence: StyledText) -> Paragraph:
        """Return a sentence as a paragraph of one piece, with marks that the terminal can draw.

        An empty sentence gives an empty paragraph.
        """
        if not sentence.text:
            return ()
        return (StyledText(spelt(sentence.text, self.marks), sentence.style),)

    def sign_of(self, rows: Sequence[ItemRow]) -> StyledText:
        """Return the sign that stands for some rows of one line.

        The first row that a person changed gives the sign, by how it was changed. Else it is the
        sign of doubt, if words of any row are not in the response, or a blank.
        """
        changed = self._changed(rows)
        if changed:
            return StyledText(
                getattr(self.marks, self.origins[changed.place].came),
                "corrected",
            )
        if any(row.unverified for row in rows):
            return StyledText(self.marks.doubt, "flag")
        return StyledText(" ")

    def _changed(self, rows: Sequence[ItemRow]) -> ItemRow | None:
        """Return the first row that differs from the judge's proposal, or None."""
        return next((row for row in rows if row.place in self.origins), None)

    def _is_noted(self, row: ItemRow) -> bool:
        """Return whether what is wrong with an item is shown.

        It is False if nothing is, and for "no evidence" in a blind cell.
        """
        if self._cell.is_blind and row.note == NO_EVIDENCE:
            return False
        return row.note != ""

    def _about_notes(self, row: ItemRow) -> StyledText:
        """Return a sentence that explains the notes of an item and says which keys mend them.

        Empty if no note is shown: if nothing is wrong, or only evidence is missing in a blind cell.
        It looks like a failure unless missing evidence is the only note.
        """
        if not self._is_noted(row):
            return StyledText("")
        text_name = f"the {read_name(self.trait)}"
        notes: list[str] = []
        for part in row.note.split(" · "):
            note = _NOTES.get(part, f"its instruction {part}")
            notes.append(note.replace("the response", text_name))
        style = "muted" if row.note == NO_EVIDENCE else "failed"
        return StyledText(keyed("; ".join(notes), self._review), style)


def _is_seen_in_response(thing: Thing) -> bool:
    """Return whether everything below a row is an excerpt that the response shows.

    It is False for a row without items.
    """
    if not thing.items:
        return False
    return all(row.bucket in EXCERPTS and row.item.span for row in thing.items)


# -- in words -------------------------------------------------------------------------------------


def judge_sentence(row: ItemRow) -> StyledText:
    """Return "judge: " and the judge's reason for an item, or an empty text without a reason."""
    if not row.item.rationale:
        return StyledText("")
    return StyledText(f"judge: {row.item.rationale}", "muted")


def briefly(origin: Origin, item: Item) -> str:
    """Return what a person changed of an item, as in "was FN · paraphrase".

    The first part is one of "added", "was FN" for another bucket before, "was denied", "was left
    out" or "was by omission", "was 4" or "was unlinked", "wrong evidence", and "other words"; the
    first that fits. The reason that the person gave follows, if there is one.
    """
    text = "added"
    if origin.was is not None:
        bucket, judge_item = origin.was
        text = "wrong evidence" if item.wrong_evidence else "other words"
        if origin.came == "moved":
            text = f"was {MARKS[bucket]}"
        elif _no_more(judge_item, item):
            earlier = _no_more(judge_item, item)
            text = f"was {earlier}"
        elif judge_item.link != item.link:
            earlier = link_mark(*judge_item.link) if judge_item.link else "unlinked"
            text = f"was {earlier}"
    if origin.reason:
        text += f" · {origin.reason}"
    return text


def _no_more(judge_item: Item, item: Item) -> str:
    """Return what an item no longer is: "denied", "left out" or "by omission".

    It was "left out" if it has a denial now and had none for the judge. Returns "" if neither its
    denial has changed nor its omission has ended.
    """
    if judge_item.denied != item.denied:
        return "denied" if judge_item.denied else "left out"
    if judge_item.omission and not item.omission:
        return "by omission"
    return ""


def about_origin(origin: Origin | None) -> StyledText:
    """Return what the judge had instead, then a long reason, as "was “Paris”; because: …".

    What the judge had is told only of an item that was changed in its bucket: its denial, as "was
    denied by “no”", "was by omission", or its excerpt. The reason is told only if it is too long
    for the row's end. Empty for None, and if there is neither.
    """
    if origin is None:
        return StyledText("")
    texts: list[str] = []
    if origin.came == "changed" and origin.was is not None:
        bucket, judge_item = origin.was
        if judge_item.denied:
            texts.append(f"was denied by “{judge_item.denied}”")
        elif judge_item.omission:
            texts.append("was by omission")
        elif bucket in EXCERPTS:
            texts.append(f"was “{judge_item.text}”")
    if len(origin.reason) > LONG:
        texts.append(f"because: {origin.reason}")
    return StyledText("; ".join(texts), "corrected")


def about_votes(panel: PanelLabels, thing: Thing) -> StyledText:
    """Return which members of the panel say what of a row, as "panel: found: A, B; missing: C".

    Members answer an instruction with its two standings or "unclear", and an item on no
    instruction's line with "so" or "not so". Answers that no member gave are left out. The text is
    flagged if more than one answer is left.
    """
    if isinstance(thing, ItemRow) and not panel.is_on_own_line(
        thing.bucket,
        thing.item,
    ):
        backers = panel.backers(thing.bucket, thing.item)
        everybody = range(len(panel.members))
        other_members = [member for member in everybody if member not in backers]
        groups = [("so", backers), ("not so", other_members)]
    else:
        list_name, number = thing.link or ("tp", 0)
        excerpt_bucket, negative_bucket = buckets_of(list_name)
        vote = panel.votes[list_name, number]
        groups = [
            (STANDS[excerpt_bucket], vote.get("found", ())),
            (STANDS[negative_bucket], vote.get("missing", ())),
            ("unclear", vote.get("unclear", ())),
        ]
    parts: list[str] = []
    for answer, members in groups:
        if members:
            names = ", ".join(panel.names[member] for member in members)
            parts.append(f"{answer}: {names}")
    style = "flag" if len(parts) > 1 else "muted"
    answers = "; ".join(parts)
    return StyledText(f"panel: {answers}", style)


# -- the cell --------------------------------------------------------------------------------------

View = Literal["buckets", "checklist"]
_STAYING = ("relink", "reword", "split", "merge", "deny", "omit")


class CellItems(NamedItems):
    """The rows of the cell on the screen, and the cursor on them.

    `cursor` makes the list of rows; `drawn` is called whenever they were drawn again.
    """

    drawing: RowDrawing  # of the cell in sight
    """Draws the rows of the current cell."""

    def __init__(
        self,
        review: Review,
        cursor: Callable[["CellItems", Marks], RowCursor[Thing]],
        drawn: Callable[[], None] = lambda: None,
    ) -> None:
        """Hold no cell yet; the rows are on the list that `cursor` makes for these items.

        `drawn` is called whenever something around the rows has changed, for it to be drawn again.
        """
        self.review = review
        self.say = review.say
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
        """Show a cell: a fresh one from its first item, else with the cursor kept on its item.

        Marks stay on items that are unchanged in their bucket; another cell has none. If the item
        is gone, the cursor goes to the next one. A fresh cell whose judge is hidden begins with the
        first open instruction. A checklist of the same cell keeps its cursor.
        """
        previous = self.cell
        self.cell = cell
        is_same = previous is not None and previous.subject is cell.subject
        before = self.labels
        order = self._places_in_order()
        key = self.rows.key
        row = self.rows.index
        current_row = self.rows.here
        self._chosen = None
        self.trait = cell.subject.trait
        self.labels = cell.labels or Labels()
        new_places: dict[Place, Place] = {}
        if is_same:
            new_places = rows.where_now(before, self.labels)
        marked: set[Hashable] = set()
        for place in self.rows.marked:
            if place in new_places:
                marked.add(new_places[place])
        self.rows.marked = marked
        self.drawing = RowDrawing(self.review, cell, self.rows.sign)
        self.breaches = ledger.breaches(self.trait, self.labels)
        self.settled = ledger.settled(self.trait, self.labels)
        self._listed = rows.all_rows(self.trait, self.labels)
        self.evidence = self._evidence()
        fresh |= self._choose_view(cell, previous if is_same else None)
        if fresh and not (is_same and self.view == "checklist"):
            self._arrange()
            if cell.hidden:  # begins with the first instruction that is not ruled
                self._to_unruled(0)
            return
        self._arrange(key, row)
        if isinstance(current_row, ItemRow):  # a line of the checklist stays
            place = rows.next_place(current_row.place, order, new_places)
            if place:
                self.go(*place)

    def _choose_view(self, cell: Cell, previous: Cell | None) -> bool:
        """Set the view to that of a cell, and return whether it was chosen anew.

        That is done for another cell, and when a judge labels one that had no labels; else the view
        stays and False is returned. A cell that a person fills in shows its checklist, any other
        the view that was last wanted. `previous` is the same cell before, or None for another one.
        """
        if previous is not None:
            is_first_judged = previous.labels is None and cell.base is not None
            if not is_first_judged:
                return False
        self.view = self._wanted_view
        if cell.base is None:
            self.view = "checklist"
        return True

    def _evidence(self) -> list[Evidence]:
        """Return the passages to mark in the response, in the order of the listed items.

        An excerpt is marked in the style of its bucket, and the evidence of an item of FN or TN in
        the style `denied`. Items whose words are not in the response are left out.
        """
        evidence: list[Evidence] = []
        for row in chain.from_iterable(self._listed.values()):
            if not row.item.span:
                continue
            start, end = row.item.span
            style = row.bucket if row.bucket in EXCERPTS else "denied"
            passage = Evidence(start, end, style, row.mark, row.place, row.counts)
            evidence.append(passage)
        return evidence

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        """Move the cursor to the item that a correction changed, wherever it is now.

        `edit` is the correction's edit as facts have it, `before` the cell without it; the cell
        with it is shown already. After a move, a drop, an addition or the denial of an excerpt the
        cursor stays where `show` put it, unless `turned`, that is after undo or redo. In a blind
        cell it goes from an instruction that was ruled to the next that was not.
        """
        correction = Edit.from_row(edit)
        labels = before.labels or Labels()
        is_hidden = self.cell is not None and self.cell.hidden
        if is_hidden and self.entry and not turned:
            self._to_next_unruled(self.entry, labels)
        is_staying = correction.action in _STAYING and correction.to is None
        if turned or is_staying:
            place = rows.new_place(labels, self.labels, correction)
            if place:
                self.go(*place)

    def _to_next_unruled(self, current_entry: ChecklistEntry, before: Labels) -> None:
        """Move the cursor to the next open instruction if the current one has just been answered.

        It has if it was in no bucket of its list in the labels `before` and has items now. Else the
        cursor stays, and so it does if no other instruction is open.
        """
        links_before: set[Link | None] = set()
        for bucket in buckets_of(current_entry.of):
            links_before.update(before.links(bucket))
        if current_entry.link in links_before or not current_entry.items:
            return
        marks = [thing.mark for thing in self.rows.every]
        self._to_unruled(marks.index(current_entry.mark))

    def _to_unruled(self, first: int) -> None:
        """Move the cursor to the next instruction that is in no bucket, from the row `first` on.

        Rows count from 0 through all groups; after the last row it goes on from the start. A row
        that the person chose before is forgotten (`_chosen`). Nothing changes if there is no such
        instruction.
        """
        all_rows: list[tuple[str, int, Thing]] = []
        for name, group_rows in self.rows.things.items():
            for index, thing in enumerate(group_rows):
                all_rows.append((name, index, thing))
        from_first = all_rows[first:] + all_rows[:first]
        for name, index, thing in from_first:
            if isinstance(thing, ChecklistEntry) and thing.standing == "open":
                self._chosen = None
                self._draw(name, index)
                return

    @property
    def other_view(self) -> View:
        """The view that `turn_view` switches to."""
        return "buckets" if self.view == "checklist" else "checklist"

    def turn_view(self) -> None:
        """Switch between buckets and checklist, with the cursor on the same item, if it is on one.

        Any cell can be switched, also one that a person fills in. Cells that a judge has labelled
        are shown in this view from now on. Before a cell is shown only the view is noted, and
        nothing is drawn.
        """
        place = self.place
        self.view = self._wanted_view = self.other_view
        if self.cell is not None:
            self._arrange()
            self.go(*place)

    def redraw(self) -> None:
        """Draw the rows again, with the cursor where it is; do nothing before a cell is shown."""
        if self.cell is not None:
            self._draw(self.rows.key, self.rows.index)

    def _places_in_order(self) -> list[Place]:
        """Return the places of all items, in the order of the rows."""
        return list(chain.from_iterable(map(self.places, self.rows.every)))

    def _arrange(self, key: str = "", row: int = 0) -> None:
        """Put the rows into groups and draw them, with the cursor on row `row` of the group `key`.

        `row` counts from 0, and a row after the last is the last one. Without such a group it is
        that row of the first group that has any rows. For a group without rows see `_draw`.
        """
        things = self._things()
        if key not in things:
            key = next(
                (name for name, group_rows in things.items() if group_rows),
                "tp",
            )
        self.rows.things = things
        self._named = {}
        self._draw(key, row)

    def _things(self) -> dict[str, Sequence[Thing]]:
        """Return the rows by name of their group, in order, in the present view.

        The groups are the buckets; on the checklist they are the lists of instructions, without
        empty ones but for `tp`, and "others" if there are items on no instruction's line.
        """
        things: dict[str, Sequence[Thing]] = dict(self._listed.items())
        if self.view == "buckets":
            return things
        things = {}
        for list_name in ledger.lists(self.trait):
            entries = rows.entries(self.trait, self._listed, list_name)
            if entries or list_name == "tp":
                things[list_name] = entries
        others = rows.other_items(self.trait, self._listed)
        if others:
            things["others"] = others
        return things

    def _draw(self, key: str, row: int) -> None:
        """Draw the groups, with the cursor on a row of the group `key`; `row` counts from 0.

        A row after the last is the last one. On a pane the cursor stands in a group without rows,
        too, and an unknown key leads to the first group. In line mode both lead to the first group
        that has rows. Does nothing without groups.
        """
        groups = [self._group(name) for name in self.rows.things]
        if groups:
            self.rows.show_groups(groups, (key, row))
            self.drawn()

    def _group(self, name: str) -> Group:
        """Return a group of rows to draw, by the name that `rows.things` has for it.

        The name is a bucket; on the checklist it is a list of instructions or "others".
        """
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
        """Return the places of the items by their names, in reading order.

        They are named once and kept until the rows are arranged anew.
        """
        if not self._named:
            names = rows.names(self._listed)
            self._named = {names[place]: place for place in self._places_in_order()}
        return self._named

    @property
    def names_here(self) -> list[str]:
        """The names of the items under the cursor, in reading order; empty if there are none."""
        if self.rows.here is None:
            return []
        current_places = self.places(self.rows.here)
        names: list[str] = []
        for name, place in self.named().items():
            if place in current_places:
                names.append(name)
        return names

    def tell_seen(self, text: str) -> None:
        """Show a text on how many items of a long cell were seen, or none for "".

        Draws what is around the items, only if the text has changed.
        """
        if text != self.seen:
            self.seen = text
            self.drawn()

    def in_doubt(self) -> int:
        """Return how many items have words that were not found."""
        return sum(row.unverified for row in chain.from_iterable(self._listed.values()))

    def answered(self) -> str:
        """Return how many instructions have exactly one answer, as "3 of 5 answered".

        Returns "" if all have.
        """
        settled, total = self.settled
        if settled == total:
            return ""
        return f"{settled} of {total} answered"

    def notice(self) -> StyledText:
        """Return the sentence that stands below the rows; keys in it are the person's own.

        Without labels it says why there are none. If the judge is hidden, it says how many
        instructions are ruled and which key locks the verdict. Else it is the first breach,
        followed by "And 2 more." Returns an empty text if nothing is wrong or there is no cell.
        """
        cell = self.cell
        if cell is not None and cell.labels is None:
            return StyledText(self._why_unlabelled(cell), "text-muted")
        if cell is not None and cell.hidden:
            settled, total = self.settled
            ruled = f"{settled} of {total} ruled: {{cell.sign:a}} locks the verdict"
            if cell.contest is None:
                ruled += ", then the judge's shows"
            return StyledText(f"{keyed(ruled, self.review)}.", "text-muted")
        if not self.breaches:
            return StyledText("")
        first = keyed(self.breaches[0], self.review)
        text = f"{self.review.marks.doubt} {first}"
        remaining_count = len(self.breaches) - 1
        if remaining_count > 0:
            text += f" And {remaining_count} more."
        return StyledText(text, "state-failed")

    def _why_unlabelled(self, cell: Cell) -> str:
        """Return why a cell has no labels and which keys to press, in a sentence.

        The first that fits is said: the judge is hidden, it failed, it is at work, or it was not
        asked. The error of a judge that failed follows the sentence.
        """
        by_hand = "or answer the instructions by hand."
        error = ""
        if cell.hidden:
            locking = locking_text(cell)
            text = f"Answer every instruction, with words of the response or without; {locking}"
        elif cell.error:
            text = f"The judge failed here; {{cell.judge:J}} asks it again, {by_hand}"
            error = f" {cell.error.error}"
        elif self.review.judging:
            text = f"{AT_WORK}: wait, {by_hand}"
        else:
            text = f"Not judged yet: {{cell.judge:J}} has it judged, {by_hand}"
        return keyed(text, self.review) + error

    def detail(self) -> str:
        """Return the row under the cursor with all that is below it, then the notice, line by line.

        Returns "" if there is neither a row nor a notice.
        """
        texts: list[str] = []
        current_row = self.rows.here
        if current_row:
            texts.append(self.drawing.describe(current_row))
        texts.append(self.notice().text)
        return "\n".join(filter(None, texts))

    def turning(self) -> list[ChecklistEntry]:
        """Return the checklist entries of the instructions that can be turned.

        They are those of the marked rows, else of the one under the cursor. Empty if no row answers
        an instruction.
        """
        return rows.turning(self.trait, self._listed, self.rows.aimed())

    # -- where the cursor is -----------------------------------------------------------------------

    @property
    def entry(self) -> ChecklistEntry | None:
        """The instruction under the cursor on the checklist.

        None on an item, as everywhere in the buckets.
        """
        current_row = self.rows.here
        if isinstance(current_row, ChecklistEntry):
            return current_row
        return None

    @property
    def row(self) -> ItemRow | None:
        """The item under the cursor, or None.

        Of several items of an instruction it is the one gone to, else the first.
        """
        if self.rows.here is None:
            return None
        for row in self.rows.here.items:
            if row.place == self._chosen:
                return row
        return next(iter(self.rows.here.items), None)

    @property
    def link(self) -> Link | None:
        """The instruction under the cursor, or the one that the item answers; None without."""
        return self.rows.here.link if self.rows.here else None

    @property
    def place(self) -> tuple[str, int]:
        """The bucket and index of the item under the cursor.

        Without an item they are the name of the bucket and the row of the cursor; on the checklist
        the name is "".
        """
        if self.row:
            return self.row.place
        if self.view == "checklist":
            return "", self.rows.index
        return self.rows.key, self.rows.index

    def go_to_instruction(self, list_name: str, number: int) -> None:
        """Move the cursor to the first item that answers an instruction, bucket by bucket.

        `number` counts from 1 in the list. The cursor stays if there is no such item.
        """
        for row in chain.from_iterable(self._listed.values()):
            if row.link == (list_name, number):
                self.go(*row.place)
                return

    def go(self, group: str, number: int) -> None:
        """Move the cursor to the item at an index of a bucket.

        Where buckets are shown, an index after the last item goes to the last. A bucket without
        items is gone to on a pane; in line mode the cursor goes to the first bucket that has some.
        On the checklist the item is shown below its instruction, and the cursor stays if there is
        no such item. It stays for an unknown bucket.
        """
        for name, things in self.rows.things.items():
            target_index = number if name == group and self.view == "buckets" else None
            for index, thing in enumerate(things):
                if (group, number) in self.places(thing):
                    target_index = index
                    break
            if target_index is not None:
                self._chosen = group, number  # type: ignore[assignment]
                self._draw(name, target_index)
                return

    # -- what is known of corrections --------------------------------------------------------------

    def doubts(self) -> str:
        """Return what speaks against signing off the labels, in sentences.

        Returns "" if nothing does, or if there is no cell or no labels.
        """
        if self.cell is None or self.cell.labels is None:
            return ""
        return ledger.doubts(self.trait, self.cell.labels)

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        """Return sentences on what an act changed besides what its edits say.

        First comes one on instructions that changed buckets other than by a move that an edit
        names: "Instruction 4 goes from FN to TP." Then come those on items that no longer count or
        count several times. `after` is `before` with the facts of the act appended. Returns an
        empty list if there is nothing to say.
        """
        labels_before = before.labels or Labels()
        labels_after = after.labels or Labels()
        edits: list[Edit] = []
        for fact in after.facts[len(before.facts) :]:
            if isinstance(fact.what, Corrected):
                edits.append(Edit.from_row(fact.what.edit))
        moved = rows.moved_beside(self.trait, labels_before, labels_after, edits)
        texts = rows.remarks(self.trait, labels_before, labels_after)
        return [moved, *texts] if moved else texts

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        """Return an edit with the index that its item has in the cell `now`.

        The edit's present index is that of the cell on the screen. An addition, and an edit whose
        item is changed or no longer in its bucket, are returned as they are.
        """
        return rows.found_again(edit, self.labels, now.labels or Labels())

    def corrected(self, edit: Edit) -> None:
        self.last = self.trait.name, edit
