"""How the items of a metric cell are drawn, as rows of buckets and as lines of the checklist."""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.traits.metric.labels import EXCERPTS, Bucket, Link
from appellate.traits.metric.ledger import MARKS, STANDS
from appellate.traits.metric.majority import PanelLabels, panel_of
from appellate.traits.metric.origins import Origin, origins
from appellate.traits.metric.rows import (
    NO_EVIDENCE,
    ChecklistEntry,
    ItemRow,
    Place,
    Thing,
    instruction_of,
    standing_counts,
)
from appellate.traits.metric.sentences import (
    RowSentence,
    about_notes,
    about_origin,
    about_votes,
    briefly,
    empty_bucket,
    judge_sentence,
)
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.ui.grouped_rows import Group
from appellate.ui.lines import DrawnRows, ListRow
from appellate.ui.marks import Marks, in_quotes, spelt
from appellate.ui.rendered_text import StyledText

Paragraphs = tuple[tuple[StyledText, ...], ...]
MARK = 2  # the cells of a mark on the checklist


class RowDrawing:
    """Draws the rows of a cell: `sign` is what a row bears beside the cursor.

    `panel` is that of the cell, if it was judged by one; `origins` tell what a person changed.
    """

    def __init__(self, marks: Marks, sign: Callable[[Thing], StyledText]) -> None:
        self.marks = marks
        self.signs = {word: getattr(marks, bucket) for bucket, word in STANDS.items()}
        self.signs |= {"open": marks.open, "both": marks.doubt}
        self.judged: dict[tuple[str, int], str] = {}  # of a cell that was ruled blind
        self.is_blind = False  # whether words of the response are only for who wants to give any
        self.panel: PanelLabels | None = None
        self.origins: Mapping[Place, Origin] = {}
        self.trait: MetricRubricTrait | None = None
        self._sign = sign

    def show(self, cell: Cell) -> None:
        """Takes on what rows tell beside their items."""
        self.trait, self.panel, self.origins = cell.subject.trait, panel_of(cell), origins(cell)
        self.is_blind, self.judged = cell.is_blind, {}
        if cell.ruled:
            for asked, word in cell.judge_standings.items():
                self.judged[asked.of, asked.number] = word

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
        return Group(name, title, DrawnRows(items, self.item), name, empty)

    def entries(self, name: str, held: Sequence[ChecklistEntry]) -> Group:
        """The instructions of a list."""
        parts = []
        for standing, count in standing_counts(name, held):
            parts.append(f"{self.signs[standing]} {standing} {count}")
        omitted = sum(row.item.omission for entry in held for row in entry.excerpts)
        if omitted:
            parts.append(f"{self.marks.omission} {omitted}")
        denied = sum(entry.is_denied for entry in held)
        if denied:
            parts.append(f"{self.marks.denied} denied {denied}")
        return Group(name, "  ".join(parts), DrawnRows(held, self.entry))

    def others(self, name: str, items: Sequence[ItemRow]) -> Group:
        """The items that stand on no instruction's line."""
        return Group(name, f"other items {len(items)}", DrawnRows(items, self._item_with_bucket))

    # -- rows --------------------------------------------------------------------------------------

    def item(self, row: ItemRow) -> ListRow:
        """The instruction, and below it the excerpt that answers it, or why the judge says so."""
        styled = self._paragraph(judge_sentence(row))
        asked = instruction_of(self.trait, row.item)
        text, style, below, under = row.item.text, "", Paragraphs(), Paragraphs()
        if row.bucket not in EXCERPTS:
            below = (self._denial(row), styled)
        elif not asked:
            text, style, under = in_quotes(text, self.marks), row.bucket, (styled,)
        elif row.item.omission:
            text, below = asked, (self._omission(row),)
        elif asked != text:
            text, below, under = asked, (self._excerpt(row),), (styled,)
        more = [about_origin(self.origins.get(row.place)), *self._about_notes(row)]
        if self.panel:
            more.append(about_votes(self.panel, row))
        return ListRow(
            text,
            (self._numbered(row.mark),),
            (
                *self._came((row,)),
                *self._beside_judge(row.item.link, STANDS[row.bucket]),
                *self._noted(row),
                *self._voted(row),
            ),
            style,
            dim=not row.counts,
            below=tuple(filter(None, below)),
            under_cursor=tuple(filter(None, (*under, *map(self._paragraph, more)))),
            sign=self._sign(row),
        )

    def _item_with_bucket(self, row: ItemRow) -> ListRow:
        where = StyledText(f"{getattr(self.marks, row.bucket)}{MARKS[row.bucket]} ", row.bucket)
        drawn = self.item(row)
        return replace(drawn, left=(where, *drawn.left))

    def entry(self, entry: ChecklistEntry) -> ListRow:
        """The instruction, and below it all that stands for it."""
        style = {"open": "muted", "both": "flag"}.get(entry.standing)
        if style is None:
            style = entry.items[0].bucket
        mark = StyledText(f"{self.signs[entry.standing]:<{MARK}}", style)
        right: list[StyledText] = list(self._came(entry.items))
        below = []
        for row in entry.excerpts:
            if row.item.omission:
                below.append(self._omission(row))
            elif row.item.text != entry.text:
                below.append(self._excerpt(row))
        for row in entry.held:
            below += [self._denial(row), self._paragraph(judge_sentence(row))]
        more = [judge_sentence(row) for row in entry.excerpts if not row.item.omission]
        for row in entry.items:
            more += [about_origin(self.origins.get(row.place)), *self._about_notes(row)]
        right += self._beside_judge(entry.link, entry.standing)
        if entry.items:
            right += [*self._noted(entry.items[0]), *self._voted(entry.items[0])]
        if self.panel:
            more.append(about_votes(self.panel, entry))
        return ListRow(
            entry.text,
            (mark, self._numbered(entry.mark)),
            tuple(right),
            below=tuple(filter(None, below)),
            under_cursor=tuple(filter(None, map(self._paragraph, dict.fromkeys(more)))),
            sign=self._sign(entry),
        )

    def describe(self, thing: Thing) -> str:
        """All that there is to know of a row."""
        row = self.entry(thing) if isinstance(thing, ChecklistEntry) else self.item(thing)
        lines = [f"{self.number(thing.mark)} {row.text}".strip()]
        for paragraph in (*row.below, *row.under_cursor):
            lines += [piece.text for piece in paragraph]
        return "\n".join(lines)

    # -- their parts -------------------------------------------------------------------------------

    def number(self, mark: str) -> str:
        """An instruction's number with the minus that the terminal can draw."""
        return mark.replace("−", self.marks.minus)

    def _numbered(self, mark: str) -> StyledText:
        return StyledText(f"{self.number(mark):>2} ", "key")

    def _excerpt(self, row: ItemRow) -> tuple[StyledText, ...]:
        return (StyledText(in_quotes(row.item.text, self.marks), row.bucket),)

    def _omission(self, row: ItemRow) -> tuple[StyledText, ...]:
        """That nothing is shown for an instruction, with the judge's reason, in an excerpt's
        place.
        """
        sign = StyledText(f"{self.marks.omission} by omission", row.bucket)
        if not row.item.rationale:
            return (sign,)
        return (sign, StyledText(spelt(f": {row.item.rationale}", self.marks), "muted"))

    def _denial(self, row: ItemRow) -> tuple[StyledText, ...]:
        """The words of the response that deny an instruction, with their mark before them."""
        if not row.item.denied:
            return ()
        sign = StyledText(f"{self.marks.denied} denied: ", "flag")
        return (sign, StyledText(in_quotes(row.item.denied, self.marks), row.bucket))

    def _paragraph(self, row_sentence: RowSentence) -> tuple[StyledText, ...]:
        if not row_sentence.text:
            return ()
        return (StyledText(spelt(row_sentence.text, self.marks), row_sentence.style),)

    def sign_of(self, rows: Sequence[ItemRow]) -> StyledText:
        """The sign of what a person changed, or else of what is in doubt."""
        for row in rows:
            origin = self.origins.get(row.place)
            if origin:
                return StyledText(getattr(self.marks, origin.came), "corrected")
        if any(row.unverified for row in rows):
            return StyledText(self.marks.doubt, "flag")
        return StyledText(" ")

    def _came(self, rows: Sequence[ItemRow]) -> tuple[StyledText, ...]:
        """Where an item came from, and why."""
        for row in rows:
            origin = self.origins.get(row.place)
            if origin:
                return (StyledText(f" {self.number(briefly(origin, row.item))}", "corrected"),)
        return ()

    def _beside_judge(self, link: Link | None, standing: str) -> list[StyledText]:
        """How the judge answers an instruction that was ruled blind, where it is otherwise."""
        judged = self.judged.get(link) if link else None
        if judged in (None, standing):
            return []
        return [StyledText(f" {self.marks.apart} judge: {judged}", "flag")]

    def _about_notes(self, row: ItemRow) -> list[RowSentence]:
        if self.is_blind and row.note == NO_EVIDENCE:
            return []
        return [about_notes(row)]

    def _noted(self, row: ItemRow) -> tuple[StyledText, ...]:
        """What is wrong with an item, in short."""
        if not row.note or (self.is_blind and row.note == NO_EVIDENCE):
            return ()
        style = "flag" if row.counts and row.note != NO_EVIDENCE else "muted"
        return (StyledText(f" {row.note.replace(', not counted', '')}", style),)

    def _voted(self, row: ItemRow) -> tuple[StyledText, ...]:
        """How many of the panel's members hold an item, with a sign where not all do."""
        if self.panel is None:
            return ()
        held, of = len(self.panel.backers(row.bucket, row.item)), len(self.panel.members)
        if held == of:
            return (StyledText(f" {held}/{of}", "muted"),)
        return (StyledText(f" {self.marks.split}{held}/{of}", "flag"),)
