"""The metric cell on the screen, as four buckets or as a checklist, and what may be asked to be done with it.

The pane changes nothing itself: it posts what was asked, and shows what it is given.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from textual.content import Content

from appellate.core.cell import Cell
from appellate.core.refused import Refused
from appellate.traits.metric import asking, detail, ledger
from appellate.traits.metric.asking import Lack, Link, Place, Wish
from appellate.traits.metric.checklist import STANDS, Entry, apart, counted, entries
from appellate.traits.metric.detail import Said
from appellate.traits.metric.edits import Action, Edit, unworded
from appellate.traits.metric.labels import Bucket, Labels, lists_of
from appellate.traits.metric.ledger import MARKS, lists, sides
from appellate.traits.metric.panel import Panel, panel_of
from appellate.traits.metric.telling import link_mark, nothing, unlabelled, why_empty
from appellate.traits.metric.view import (
    Evidence,
    ItemRow,
    LikelyLink,
    buckets,
    evidence,
    likely_links,
    open_links,
    remarks,
    rows,
)
from appellate.ui.lines import Drawn, Row
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.pane import READS_ONLY, Choosable, Group, Option, Pane
from appellate.ui.styled_text import Piece
from appellate.ui.text import column, inert

Thing = ItemRow | Entry
BESIDE = 70  # from this width on, evidence stands beside its instruction
LIKELY = 50  # of 100: how alike words and an instruction must be to be linked by Enter alone
_STAYING = ("relink", "reword", "split", "merge")
_WORD = 10  # the cells of a mark and its word on the checklist


class MetricPane(Pane):
    """One cell: its items under a cursor, marked ones among them."""

    def __init__(self, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(marks, id)
        self.view: Literal["buckets", "checklist"] = "buckets"
        self._cell: Cell | None = None
        self._listed: dict[Bucket, list[ItemRow]] = {}
        self._chosen: Place | None = None
        self._last: tuple[str, Edit] | None = None
        self._evidence: list[Evidence] = []
        self._unverified = 0
        self._panel: Panel | None = None
        self._ledger: tuple[int, int, list[str]] = (0, 0, [])

    # -- what is shown ----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one from its first item, the same one with the cursor on its item or on the next."""
        same = self._cell is not None and self._cell.subject is cell.subject
        before, key, order = self._labels, self.key, self._reading_order
        here = self.here.place if isinstance(self.here, ItemRow) else None  # a line of the checklist stays
        self._cell, self._chosen = cell, None
        went = asking.followed(before, self._labels) if same else {}
        self.marked = {went[place] for place in self.marked if place in went}
        self._listed = {name: rows(self._trait, self._labels, name) for name in buckets(self._trait)}
        self._panel = panel_of(cell)
        self._evidence = evidence(row for listed in self._listed.values() for row in listed)
        self._unverified = sum(row.unverified for listed in self._listed.values() for row in listed)
        self._ledger = ledger.told(self._trait, self._labels)
        if fresh and not (same and self.view == "checklist"):
            self._arrange(None, 0)
            return
        self._arrange(key)
        onward = asking.onward(here, order, went) if here else None
        if onward:
            self.go(*onward)

    def land(self, row: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        """Puts the cursor on the item that a correction was about, wherever it is now; `turned`: undone or redone.

        After a move, a drop or an addition it stays where `show` put it.
        """
        edit = Edit.from_row(row)
        if turned or edit.action in _STAYING:
            place = asking.arrived(before.labels or Labels(), self._labels, edit)
            if place:
                self.go(*place)

    @property
    def _reading_order(self) -> list[Place]:
        return [place for things in self.things.values() for thing in things for place in self.places(thing)]

    def _arrange(self, key: str | None, row: int | None = None) -> None:
        """Puts the things into groups; the cursor goes to one of them, or to the first that holds any."""
        self.things = self._checklist() if self.view == "checklist" else dict(self._listed.items())
        first = next((name for name, held in self.things.items() if held), "tp")
        self._key = key if key is not None and key in self.things else first
        self._draw(row)

    def _checklist(self) -> dict[str, Sequence[Thing]]:
        things: dict[str, Sequence[Thing]] = {of: entries(self._trait, self._listed, of) for of in lists(self._trait)}
        left = apart(self._trait, self._listed)
        return {name: held for name, held in {**things, "apart": left}.items() if held or name == "tp"}

    def _draw(self, row: int | None = None) -> None:
        bare = self._cell is not None and self._cell.labels is None and self.view == "buckets"
        self.set_class(bare, "-unlabelled")
        self.border_title = "Checklist" if self.view == "checklist" else ""
        groups = [self._group(name) for name in self.things]
        if bare and self._cell:
            self._groups = groups
            self.show_alone(unlabelled(self._cell))
        elif groups:
            self.show_groups(groups, self._key, row)

    def redraw(self) -> None:
        if self._cell is not None:
            self._draw()

    @property
    def _trait(self) -> Any:
        return self._cell.subject.trait if self._cell else None

    @property
    def _labels(self) -> Labels:
        return (self._cell.labels if self._cell else None) or Labels()

    def toggle_view(self) -> None:
        """Turns from the buckets to the checklist and back, with the cursor on the same item."""
        place, self.view = self.place, "buckets" if self.view == "checklist" else "checklist"
        self._arrange(None, 0)
        self.go(*place)
        self.looked()

    # -- rows -------------------------------------------------------------------------------------

    def _group(self, name: str) -> Group:
        things = self.things[name]
        if self.view == "checklist":
            draw = self._drawn_apart if name == "apart" else self._drawn_entry
            return Group(name, self._told_standing(name, things), Drawn(things, draw))
        bucket: Bucket = name  # type: ignore[assignment]
        return Group(name, self._title(bucket), Drawn(things, self._drawn), bucket, self._empty(bucket))

    def _empty(self, name: Bucket) -> str:
        """Why a bucket is empty, and what adds to it where anything may."""
        told = nothing(self._cell, name)
        return f"{told.partition(':')[0]})" if self.readonly else told

    def _title(self, name: Bucket) -> str:
        mark = getattr(self.marks, name)
        if self._cell is None or self._cell.labels is None:
            return f"{mark}{MARKS[name]}"
        counting = sum(row.counts for row in self._listed[name])
        repeats = len(self._listed[name]) - counting
        return f"{mark}{MARKS[name]} {counting}" + (f" (+{repeats})" if repeats else "")

    def _told_standing(self, name: str, things: Sequence[Any]) -> str:
        if name == "apart":
            return f"other items {len(things)}"
        counts = counted("tp" if name == "tp" else "tn", things)
        return "  ".join(f"{self._mark_of(standing)} {standing} {count}" for standing, count in counts)

    def _mark_of(self, standing: str) -> str:
        signs: dict[str, str] = {word: getattr(self.marks, bucket) for bucket, word in STANDS.items()}
        return {**signs, "open": self.marks.open, "both": self.marks.doubt}[standing]

    def _drawn(self, row: ItemRow) -> Row:
        number = Piece(f"{self._signed(row.mark):>3}", "key")
        right = (*self._noted(row), *self._voted(row), number)
        return Row(row.item.text, self.sign(row), right, dim=not row.counts)

    def _drawn_apart(self, row: ItemRow) -> Row:
        where = Piece(f"{getattr(self.marks, row.bucket)}{MARKS[row.bucket]} ", row.bucket)
        drawn = self._drawn(row)
        return replace(drawn, left=(*drawn.left, where))

    def _drawn_entry(self, entry: Entry) -> Row:
        word = f"{self._mark_of(entry.standing)} {entry.standing}"
        style = {"open": "muted", "both": "flag"}.get(entry.standing, entry.items[0].bucket if entry.items else "")
        number = Piece(f"{self._signed(entry.mark):>3} ", "key")
        left = (*self.sign(entry), Piece(f"{word:<{_WORD}}", style), number)
        right = self._beside(entry) or self._noted(*entry.items[:1])
        return Row(entry.text, left, (*right, *(self._voted(entry.items[0]) if entry.items else ())))

    def _noted(self, *held: ItemRow) -> tuple[Piece, ...]:
        """What is amiss with an item, shorter where votes stand beside it."""
        noted = next((row for row in held if row.note), None)
        if noted is None:
            return ()
        note = noted.note.replace(", not counted", "") if self._panel else noted.note
        return (Piece(f" {note} ", "flag" if noted.counts else "muted"),)

    def _voted(self, row: ItemRow) -> tuple[Piece, ...]:
        """How many of the panel's members hold an item, with a sign where not all do."""
        if self._panel is None:
            return ()
        held, of = len(self._panel.backers(row.bucket, row.item)), len(self._panel.members)
        return (Piece(f" {held}/{of}", "muted") if held == of else Piece(f" {self.marks.split}{held}/{of}", "flag"),)

    def _beside(self, entry: Entry) -> tuple[Piece, ...]:
        """The first excerpt, and how many more there are, where there is room."""
        room = (self.size.width - _WORD) // 2
        if self.size.width < BESIDE or not entry.excerpts:
            return ()
        more = f" (+{len(entry.excerpts) - 1})" if len(entry.excerpts) > 1 else ""
        shown = column(f"“{inert(entry.excerpts[0].item.text)}”", room - len(more), self.marks)
        return (Piece(shown + more, "muted"),)

    def doubtful(self, thing: Thing) -> bool:
        return any(row.unverified for row in _rows_of(thing))

    def in_doubt(self) -> int:
        return self.unverified()

    def _signed(self, mark: str) -> str:
        """An instruction's number with the minus that the terminal can draw."""
        return mark.replace("−", self.marks.minus)

    # -- around them ------------------------------------------------------------------------------

    def aside(self) -> str:
        bare = self._cell is None or (self._cell.labels is None and self.view == "buckets")
        return "" if bare else f"{self._ledger[0]}/{self._ledger[1]}"

    def detail(self) -> Content:
        if self._cell is not None and self._cell.labels is None:
            return Content(inert(why_empty(self._cell)))
        said = (*self._details(), *self._votes(), *self._amiss())
        return Content("\n").join([self._said(one) for one in said])

    def _votes(self) -> list[Said]:
        thing = self.here if isinstance(self.here, Entry) else self.row
        return detail.of_votes(self._panel, thing) if self._panel and thing else []

    def _details(self) -> list[Said]:
        if isinstance(self.here, Entry):
            beside = len(self._beside(self.here))
            return detail.of_entry(self.here, (self.size.width - _WORD) // (1 + beside) - _WORD, beside=bool(beside))
        return detail.of_item(self._trait, self.row, self.size.width - 10) if self.row else []

    def _amiss(self) -> list[Said]:
        return detail.of_breaches(self._ledger[2], self.marks.doubt)

    def _said(self, one: Said) -> Content:
        return Content.styled(inert(self._signed(one.text)), f"${one.colour}" if one.colour else "")

    # -- where the cursor is ----------------------------------------------------------------------

    @property
    def row(self) -> ItemRow | None:
        """The item under the cursor: on the checklist, the line's own that was gone to, or its first."""
        held = _rows_of(self.here)
        return next((row for row in held if row.place == self._chosen), held[0] if held else None)

    @property
    def place(self) -> tuple[str, int]:
        if self.row:
            return self.row.place
        return (self.key if self.view == "buckets" else ""), self.lines.cursor.row

    def go(self, bucket: str, index: int) -> None:
        """Puts the cursor on an item."""
        for name, things in self.things.items():
            found = (at for at, thing in enumerate(things) if any(r.place == (bucket, index) for r in _rows_of(thing)))
            at = next(found, index if name == bucket and self.view == "buckets" else None)
            if at is not None:
                self._chosen = bucket, index  # type: ignore[assignment]
                self._key = name
                self._draw(at)
                return

    def evidence(self) -> list[Evidence]:
        """Where the response bears the items out."""
        return self._evidence

    def ledger(self) -> tuple[int, int, list[str]]:
        """How many instructions stand rightly, of how many, and what is amiss."""
        return self._ledger

    def doubts(self) -> str:
        return "" if self._cell is None or self._cell.labels is None else ledger.doubts(self._trait, self._labels)

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        return remarks(self._trait, before.labels or Labels(), after.labels or Labels())

    def unverified(self) -> int:
        """How many excerpts no words of the response bear out."""
        return self._unverified

    def places(self, thing: Thing | None) -> list[Place]:
        return [row.place for row in _rows_of(thing)]

    def _aimed_items(self) -> list[ItemRow]:
        """The marked items, from the bottom up; else the one under the cursor."""
        if not self.marked:
            return [self.row] if self.row else []
        return [row for thing in self.aimed() for row in reversed(_rows_of(thing)) if row.place in self.marked]

    # -- what is asked ----------------------------------------------------------------------------

    def move(self, to: Bucket) -> None:
        """The marked items, or the one under the cursor, into a bucket."""
        self._want("move", lambda: [self._moved(thing, to) for thing in self.aimed()])

    def _moved(self, thing: Thing, to: Bucket) -> Wish:
        turn: Callable[..., Wish] = asking.turned if isinstance(thing, Entry) else asking.moved
        return turn(self._trait, thing, to)

    def toggle(self) -> None:
        """Found ⇄ missing, present ⇄ absent, for the line under the cursor."""
        entry = self.here
        if isinstance(entry, Entry):
            self._want("move", lambda: [asking.toggled(self._trait, entry)], entry.text)

    def drop(self) -> None:
        self._want("drop", lambda: [asking.dropped(row) for row in self._aimed_items()])

    def relink(self) -> None:
        self._want("relink", lambda: [asking.relinked(self._trait, row) for row in self._aimed_items()])

    def repeat(self) -> None:
        """The last move, drop or link once more, on the marked items or the one under the cursor."""
        name, last = self._last or ("", Edit("drop", "tp"))
        if not self._last or name != self._trait.name:
            where = f"The last correction was in {name}" if name else "There is no correction yet"
            self.tell(f"{where}: there is nothing to repeat in this trait.")
            return
        trait = self._trait
        self._want(last.action, lambda: [asking.again(trait, last, row) for row in self._aimed_items()], repeated=True)

    def corrected(self, edit: Edit) -> None:
        """Hears which correction was made, to be able to repeat it."""
        self._last = self._trait.name, edit

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        """The edit on the same item, where it stands by now."""
        return asking.found_again(edit, self._labels, now.labels or Labels())

    def add(self, bucket: Bucket, start: int, end: int) -> None:
        """Asks which instruction the selected words answer."""
        if self._cell is not None:
            lack = Lack("link", lists_of(self._trait, bucket), "none for now")
            wish = Wish((Edit("add", bucket, start=start, end=end),), lack)
            self._want("add", lambda: [wish], self._cell.subject.trace.response[start:end])

    def reword(self) -> None:
        edit = self._wordable("reword")
        if edit:
            text = edit.seen or ""
            self.tell(self.TextWanted("Reword", text, lambda words: self.Asked([[replace(edit, text=words)]])))

    def split(self) -> None:
        edit = self._wordable("split")
        if edit:
            text = edit.seen or ""
            self.tell(self.TextWanted("Split where you put a |", text, lambda words: self._cut(edit, words)))

    def _cut(self, edit: Edit, answered: str) -> Pane.Asked | str:
        found = asking.cut(edit, edit.seen or "", answered)
        return found if isinstance(found, str) else self.Asked([[found]])

    def merge(self) -> None:
        edit = self._wordable("merge")
        if edit:
            self.tell(self.Asked([[edit]]))

    def _wordable(self, action: Action) -> Edit | None:
        """The edit of the item's own words, or why there can be none."""
        row = self.row
        why = READS_ONLY if self.readonly else _NOTHING if row is None else unworded(action, row.bucket)
        if why or row is None:
            self.tell(why)
            return None
        return Edit(action, row.bucket, row.index, seen=row.item.text)

    def missing(self) -> None:
        """Asks which instruction that stands nowhere is to go to FN or TN."""
        free = open_links(self._trait, self._labels, self._link)
        if self.readonly or not free:
            self.tell(READS_ONLY if self.readonly else "Every instruction stands in a bucket already.")
            return
        self.tell(self.LinkWanted("Missing, or rightly absent", self._options(free), "", self._added))

    def _added(self, link: Link) -> Pane.Asked:
        of, number = link or ("tp", 0)
        return self.Asked([[Edit("add", sides(of)[1], of=of, instruction=number)]])

    def _want(self, action: Action, make: Callable[[], list[Wish]], text: str = "", *, repeated: bool = False) -> None:
        """Asks for corrections, and first for what all of them lack."""
        try:
            wishes = [] if self.readonly else make()
            lack = asking.lack_of(wishes)
        except Refused as refusal:
            self.tell(str(refusal))
            return

        def asked(edits: Callable[[Wish], Sequence[Edit]]) -> Pane.Asked:
            return self.Asked([edits(wish) for wish in wishes], asking.DONE[action], repeated)

        if not wishes:
            self.tell(READS_ONLY if self.readonly else _NOTHING)
        elif lack is None:
            self.tell(asked(lambda wish: wish.edits))
        elif lack.of == "evidence":
            self.tell(self._evidenced(wishes, (), asking.DONE[action], repeated=repeated))
        else:
            like = text or wishes[-1].edits[0].seen or ""
            here = self._link_of(wishes[0].edits[-1]) if len(wishes) == 1 else None
            links = likely_links(self._trait, self._labels, lack.lists, like, here)
            unlikely = lack.none != "" and links[0].link != here and links[0].likely < LIKELY

            def finished(link: Link) -> Pane.Asked:
                return asked(lambda wish: asking.linked(wish.edits, link))

            title = asking.title(action, len(wishes))
            self.tell(self.LinkWanted(title, self._options(links), lack.none, finished, unlikely))

    def _evidenced(
        self, wishes: Sequence[Wish], whole: Sequence[Sequence[Edit]], done: str, *, repeated: bool
    ) -> Pane.EvidenceWanted | Pane.Asked:
        """Asks for the evidence of each wish in the order of reading, from the last of them; `whole` have theirs."""
        if len(whole) == len(wishes):
            return self.Asked(whole, done, repeated)
        wish = wishes[-1 - len(whole)]

        def found(span: tuple[int, int] | None) -> Pane.EvidenceWanted | Pane.Asked:
            return self._evidenced(wishes, (asking.evidenced(wish.edits, span), *whole), done, repeated=repeated)

        if wish.lack is None:
            return found(None)
        edit = wish.edits[-1]
        if edit.action == "move":
            self.go(edit.bucket, edit.index)
        return self.EvidenceWanted(found, self._likely_sentences(edit))

    def _likely_sentences(self, edit: Edit) -> list[tuple[int, int]]:
        """What of the response may bear out the instruction that an edit is about."""
        from appellate.traits.metric.lexical import likely_sentences  # only here: 30 ms

        said = edit.seen
        if said is None and edit.link:
            said = self._trait.instructions(edit.link[0])[edit.link[1] - 1]
        return likely_sentences(self._cell.subject.trace.response, said or "") if self._cell else []

    def _link_of(self, edit: Edit) -> Link:
        """The instruction that the edit's item answers; of words that are added the one under the cursor."""
        return self._link if edit.action == "add" else self._labels.bucket(edit.bucket)[edit.index].link

    @property
    def _link(self) -> Link:
        """The instruction under the cursor: the line's own, or the one that the item answers."""
        if isinstance(self.here, Entry):
            return self.here.of, self.here.number
        return self.row.item.link if self.row else None

    def _options(self, free: Iterable[LikelyLink]) -> list[Option]:
        return [Option(one.link, self._signed(link_mark(*one.link)), one.text, one.where) for one in free]

    # -- the menu, the mouse ----------------------------------------------------------------------

    def choose(self) -> None:
        """Enter turns a line of the checklist; anywhere else it opens the menu."""
        self.toggle() if isinstance(self.here, Entry) else self.menu()

    def touched(self, x: int) -> None:
        """A click on a line's mark turns it."""
        if isinstance(self.here, Entry) and x < _WORD:
            self.toggle()

    def menu(self) -> None:
        """Wants everything that can be done here to be offered."""
        row, entry = self.row, self.here if isinstance(self.here, Entry) else None
        if self._cell is None:
            return
        offered = [("bring its evidence into sight", "evidence")] if row and row.item.span else []
        offered += [("the last correction once more", "repeat")] if self._last and row and not self.readonly else []
        offered += [] if self.readonly else asking.offered(self._cell.subject, self._labels, row, entry)
        several = self._panel is not None or bool(self._cell.rounds)
        offered += [("what each judge proposed, to adopt one", "proposals")] if several else []
        other = "buckets" if self.view == "checklist" else "checklist"
        title = row.item.text if row else entry.text if entry else "Nothing is under the cursor"
        self.tell(self.MenuWanted(title, [Choosable(*one) for one in [*offered, (f"show the {other}", "view")]]))


_NOTHING = "There is no item under the cursor: h l go to another bucket."


def _rows_of(thing: Thing | None) -> tuple[ItemRow, ...]:
    if isinstance(thing, Entry):
        return thing.items
    return (thing,) if thing else ()


PANE = MetricPane
