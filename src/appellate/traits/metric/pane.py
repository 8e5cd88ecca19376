"""The four buckets on the screen: items under a cursor, and what a person may ask to be done with them.

The pane changes nothing itself: it posts what was asked, and shows what it is given.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import EXCERPTS, Bucket, Labels, List, lists_of
from appellate.traits.metric.ledger import MARKS, breaches, settled
from appellate.traits.metric.telling import link_mark
from appellate.traits.metric.view import (
    Evidence,
    ItemRow,
    buckets,
    evidence,
    likeliest,
    open_instructions,
    rows,
)
from appellate.ui.lines import Lines
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.pieces import Piece
from appellate.ui.sections import Listed, Row, Section
from appellate.ui.text import inert, width

Link = tuple[List, int] | None


@dataclass(frozen=True, slots=True)
class Option:
    """An instruction that may be picked."""

    link: tuple[List, int]
    mark: str
    text: str
    note: str
    likely: float


class MetricPane(Vertical):
    """Buckets of one cell: all of them under headers, or one at a time with tabs where room is short."""

    DEFAULT_CSS = """
    MetricPane {
        & > #tabs { height: 1; display: none; }
        & > Lines { height: 1fr; min-height: 3; }
        & > #detail { height: auto; max-height: 6; color: $text-muted; padding: 0 1; }
        &.-one > #tabs { display: block; }
        &.-unlabelled > Lines { height: 1; min-height: 1; }
        &.-unlabelled > #detail { height: 1fr; max-height: 100%; overflow-y: auto; }
        &.-one > #detail { max-height: 3; }
        &.-unlabelled > #detail { max-height: 100%; height: 1fr; color: $text; }
        &.-unlabelled > Lines { height: 1; min-height: 1; }
    }
    """

    @dataclass
    class Asked(Message):
        """A person wants a correction."""

        edit: Edit

    @dataclass
    class EvidenceWanted(Message):
        """The correction needs words of the response, or none."""

        edit: Edit

    @dataclass
    class LinkWanted(Message):
        """The correction needs an instruction; `finished` makes it whole with the one picked."""

        title: str
        options: list[Option]
        none: str
        finished: Callable[[Link], Edit]
        left_open: bool = False  # whether Esc makes the correction too, without a link

    @dataclass
    class TextWanted(Message):
        """The correction needs words of the person; `finished` gives the correction, or why not."""

        label: str
        initial: str
        finished: Callable[[str], Edit | str]

    @dataclass
    class Told(Message):
        """Something to say to the person."""

        text: str

    class Looked(Message):
        """The person looks at another item."""

    def __init__(self, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._marks = marks
        self._cell: Cell | None = None
        self._rows: dict[Bucket, list[ItemRow]] = {}
        self._one = False
        self._bucket: Bucket = "tp"

    def compose(self) -> ComposeResult:
        yield Static(id="tabs", markup=False)
        yield Lines(marks=self._marks, id="items")
        yield Static(id="detail", markup=False)

    @property
    def lines(self) -> Lines:
        return self.query_one("#items", Lines)

    @property
    def bucket(self) -> Bucket:
        """The bucket under the cursor, which moves before its message arrives."""
        if self._cell is None or self._cell.labels is None or self._one:
            return self._bucket
        return list(self._rows)[self.lines.cursor.section]

    def take_focus(self) -> None:
        self.screen.set_focus(self.lines)

    # -- what is shown ----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one from its first item, the same one with the cursor where it was."""
        self._bucket, self._cell = self.bucket, cell
        self._rows = {name: self._rows_of(name) for name in buckets(cell.subject.trait)}
        if fresh or self._bucket not in self._rows:
            self._bucket = next((name for name, listed in self._rows.items() if listed), "tp")
        self._draw(index=0 if fresh else None)

    def _rows_of(self, name: Bucket) -> list[ItemRow]:
        labels = self._cell.labels if self._cell else None
        return [] if labels is None else rows(self._trait, labels, name)

    @property
    def _trait(self) -> Any:
        return self._cell.subject.trait if self._cell else None

    @property
    def _labels(self) -> Labels:
        return (self._cell.labels if self._cell else None) or Labels()

    def one_at_a_time(self, one: bool) -> None:
        """Whether buckets are shown singly, with tabs."""
        self._bucket, self._one = self.bucket, one
        self.set_class(one, "-one")
        self._draw()

    def _draw(self, index: int | None = None) -> None:
        if self._cell is None:
            return
        self.set_class(self._cell.labels is None, "-unlabelled")
        position = self.lines.cursor.row if index is None else index
        if self._cell.labels is None:
            self.lines.show(Section(Listed(), empty=_unlabelled(self._cell)))
        else:
            self.lines.show(*(self._section(name) for name in self._shown()))
            self.lines.go(self._shown().index(self._bucket), position)
        self._draw_around()

    def _draw_around(self) -> None:
        self.query_one("#tabs", Static).update(self._tabs(), layout=False)
        self.query_one("#detail", Static).update(self._detail())

    def _shown(self) -> list[Bucket]:
        return [self._bucket] if self._one else list(self._rows)

    def _section(self, name: Bucket) -> Section:
        items = Listed([self._row(row) for row in self._rows[name]])
        header = None if self._one else Row(self._title(name), style=name)
        return Section(items, header, "" if items.rows else _nothing(self._cell, name))

    def _title(self, name: Bucket) -> str:
        mark = getattr(self._marks, name)
        if self._cell is None or self._cell.labels is None:
            return f"{mark}{MARKS[name]}"
        counting = sum(row.counts for row in self._rows[name])
        repeats = len(self._rows[name]) - counting
        return f"{mark}{MARKS[name]} {counting}" + (f" (+{repeats})" if repeats else "")

    def _row(self, row: ItemRow) -> Row:
        note = (Piece(f" {row.note} ", "flag" if row.counts else "muted"),) if row.note else ()
        return Row(row.item.text, right=(*note, Piece(f"{self._signed(row.mark):>3}", "key")), dim=not row.counts)

    def _signed(self, mark: str) -> str:
        """An instruction's number with the minus that the terminal can draw."""
        return mark.replace("−", self._marks.minus)

    def _tabs(self) -> Content:
        parts: list[Content] = []
        for name in self._rows:
            shown = f" {self._title(name)} "
            color = "bold reverse $bucket-" if name == self.bucket else "$bucket-"
            parts += [Content.styled(shown, color + name), Content("  ")]
        if self._cell is None or self._cell.labels is None:
            return Content.assemble(*parts)
        done, total = settled(self._trait, self._labels)
        return Content.assemble(*parts, Content.styled(f" {done}/{total}", "$text-muted"))

    def _detail(self) -> Content:
        row, cell = self.row, self._cell
        if cell is not None and cell.labels is None:
            return Content(inert(_why_empty(cell)))
        return Content("\n").join([*(self._told_of(row) if row else []), *self._told_amiss()])

    def _told_amiss(self) -> list[Content]:
        """The first breach of the ledger, and how many more there are."""
        amiss = self.ledger()[2]
        more = f" (and {len(amiss) - 1} more)" if len(amiss) > 1 else ""
        told = [f"{self._marks.doubt} {amiss[0]}{more}"] if amiss else []
        return [Content.styled(inert(line), "$state-failed") for line in told]

    def _told_of(self, row: ItemRow) -> list[Content]:
        parts = [Content(inert(row.item.text))] if len(row.item.text) > self.size.width - 10 else []
        if row.item.link and row.bucket in EXCERPTS:
            of, number = row.item.link
            parts.append(Content(inert(f"{self._signed(row.mark)} {self._trait.instructions(of)[number - 1]}")))
        if row.item.rationale:
            parts.append(Content(inert(f"judge: {row.item.rationale}")))
        if row.note:
            parts.append(Content.styled(_explained(row.note), "$state-failed"))
        return parts

    @property
    def row(self) -> ItemRow | None:
        """The item under the cursor."""
        listed = self._rows.get(self.bucket, [])
        index = self.lines.cursor.row
        return listed[index] if index < len(listed) else None

    @property
    def place(self) -> tuple[str, int]:
        return self.bucket, self.lines.cursor.row

    def go(self, bucket: str, index: int) -> None:
        """Puts the cursor on an item."""
        for name in self._rows:
            if name == bucket:
                self._bucket = name
                self._draw(index)

    def evidence(self) -> list[Evidence]:
        """Where the response bears the items out."""
        return [] if self._cell is None else evidence(self._trait, self._labels)

    def ledger(self) -> tuple[int, int, list[str]]:
        """How many instructions stand rightly, of how many, and what is amiss."""
        found = [breach.sentence for breach in breaches(self._trait, self._labels)] if self._cell else []
        return (*settled(self._trait, self._labels), found)

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._bucket = self.bucket
        self._draw_around()
        self.post_message(self.Looked())

    def on_click(self, event: Click) -> None:
        """A click on a tab goes to its bucket."""
        place = event.get_content_offset(self.query_one("#tabs"))
        left = place.x if place else -1
        for by, name in enumerate(self._rows) if place else ():
            taken = width(self._title(name)) + 4
            if 0 <= left < taken:
                self.to_bucket(by - list(self._rows).index(self.bucket))
                self.take_focus()
            left -= taken

    def to_bucket(self, by: int) -> None:
        """Goes to the next or previous bucket, round the corner."""
        names = list(self._rows)
        self._bucket = names[(names.index(self.bucket) + by) % len(names)]
        self._draw(0)
        self.post_message(self.Looked())

    # -- what is asked ----------------------------------------------------------------------------

    def move(self, to: Bucket) -> None:
        row = self._row_or_say()
        if row is None:
            return
        edit = Edit("move", row.bucket, row.index, to, seen=row.item.text)
        match (row.bucket, to):
            case ("fn", "tp") | ("tn", "fp"):
                self._tell(self.EvidenceWanted(edit))
            case ("tp", "fp") if self._trait.full:
                self._want_link(edit, lists_of(self._trait, "fp"), row.item.text, "none: wrong, but not on the list")
            case ("fp", "tp") if row.item.of != "tp":
                self._want_link(edit, ("tp",), row.item.text, "none for now")
            case ("fp", "tp"):
                self._tell(self.Asked(replace(edit, of="tp", instruction=row.item.instruction)))
            case _:
                self._tell(self.Asked(edit))

    def add(self, bucket: Bucket, start: int, end: int) -> None:
        """Asks which instruction the selected words answer."""
        if self._cell is None:
            return
        text = self._cell.subject.response[start:end]
        edit = Edit("add", bucket, start=start, end=end)
        self._want_link(edit, lists_of(self._trait, bucket), text, "none for now")

    def drop(self) -> None:
        row = self._row_or_say()
        if row:
            self._tell(self.Asked(Edit("drop", row.bucket, row.index, seen=row.item.text)))

    def relink(self) -> None:
        row = self._row_or_say()
        if row:
            edit = Edit("relink", row.bucket, row.index, seen=row.item.text)
            none = "none" if row.bucket in EXCERPTS else ""
            self._want_link(edit, lists_of(self._trait, row.bucket), row.item.text, none)

    def reword(self) -> None:
        row = self._row_or_say()
        if row:
            edit = Edit("reword", row.bucket, row.index, seen=row.item.text)
            self._tell(self.TextWanted("Reword", row.item.text, lambda text: replace(edit, text=text)))

    def split(self) -> None:
        row = self._row_or_say()
        if row:
            edit = Edit("split", row.bucket, row.index, seen=row.item.text)
            self._tell(
                self.TextWanted("Split where you put a |", row.item.text, lambda text: _cut(edit, row.item.text, text))
            )

    def merge(self) -> None:
        row = self._row_or_say()
        if row:
            self._tell(self.Asked(Edit("merge", row.bucket, row.index, seen=row.item.text)))

    def missing(self) -> None:
        """Asks which instruction that stands nowhere is to go to FN or TN."""
        free = open_instructions(self._trait, self._labels)
        if not free:
            self._tell(self.Told("Every instruction stands in a bucket already."))
            return
        options = self._options((link, 0.0) for link in free)
        self._tell(self.LinkWanted("Missing, or rightly absent", options, "", _added))

    def _row_or_say(self) -> ItemRow | None:
        if self.row is None:
            self._tell(self.Told("There is no item under the cursor: h l go to another bucket."))
        return self.row

    def _tell(self, message: Message) -> None:
        """The screen hears it at once, so that no later key overtakes it and lands in another cell."""
        heard = getattr(self.screen, message.handler_name, None)
        heard(message) if heard else self.post_message(message)

    def _want_link(self, edit: Edit, lists: tuple[List, ...], text: str, none: str) -> None:
        options = self._options(
            ((of, number), likely) for of in lists for number, likely in likeliest(self._trait, of, text)
        )
        options.sort(key=lambda option: -option.likely)
        added = edit.action == "add"
        self._tell(self.LinkWanted(_asking(edit), options, none, lambda link: _linked(edit, link), added))

    def _options(self, likely: Iterable[tuple[tuple[List, int], float]]) -> list[Option]:
        held = {name: self._labels.links(name) for name in self._rows}
        options = []
        for link, like in likely:
            text = self._trait.instructions(link[0])[link[1] - 1]
            where = " ".join(MARKS[name] for name in self._rows if link in held[name])
            options.append(Option(link, self._signed(link_mark(*link)), text, where, like))
        return options


def _linked(edit: Edit, link: Link) -> Edit:
    return replace(edit, of=link[0] if link else None, instruction=link[1] if link else None)


def _added(link: Link) -> Edit:
    of, number = link or ("tp", 0)
    return Edit("add", "fn" if of == "tp" else "tn", of=of, instruction=number)


def _cut(edit: Edit, text: str, answered: str) -> Edit | str:
    """The split that a `|` put into the text asks for."""
    places = [i for i in range(len(answered)) if answered[i] == "|" and answered[:i] + answered[i + 1 :] == text]
    return replace(edit, cut=places[0]) if places else "Put one | into the text, and change nothing else."


def _asking(edit: Edit) -> str:
    what = {
        "move": "Which instruction is it about?",
        "relink": "Link it to",
        "add": "Which instruction does it answer? Esc leaves that open.",
    }
    return what.get(edit.action, "Which instruction?")


def _unlabelled(cell: Cell) -> str:
    return "The judge failed here." if cell.error else "Not judged yet."


def _why_empty(cell: Cell) -> str:
    if cell.error:
        return f"J asks again; v and m fill the cell by hand.\n{cell.error.error}"
    return "J has it judged; v and m fill it by hand."


def _nothing(cell: Cell | None, name: Bucket) -> str:
    """Found empty by the judge, or emptied by a person."""
    judged = cell.judge.table.get(name) if cell and cell.judge else None
    how = "emptied by hand" if judged else "the judge found none" if cell and cell.judge else "nothing yet"
    return f"({how}: {'v adds words' if name in EXCERPTS else 'm adds one'})"


def _explained(note: str) -> str:
    told = {
        "unverified": "not found in the response: check it, reword it (e) or drop it (d)",
        "no evidence": "taken on without words of the response",
        "unlinked": "answers no instruction: link it (i) or drop it (d)",
        "repeat, not counted": "repeats an item above it: kept, but not counted",
    }
    return "\n".join(told.get(part, part) for part in note.split(" · "))


PANE = MetricPane
