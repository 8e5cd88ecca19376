"""The metric cell on the screen, as four buckets or as a checklist, and what can be done with it.

The pane changes nothing itself: it asks for corrections, and shows the cell that it is given.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from appellate.core.cell import Cell
from appellate.traits.metric import corrections, detail, ledger, view
from appellate.traits.metric.checklist import STANDS, Entry, apart, counted, entries
from appellate.traits.metric.corrections import DONE, Edits, Link, LinkChoice
from appellate.traits.metric.detail import Said
from appellate.traits.metric.edits import Action, Edit, unworded
from appellate.traits.metric.labels import Bucket, Labels
from appellate.traits.metric.ledger import MARKS, lists, sides
from appellate.traits.metric.panel import Panel, panel_of
from appellate.traits.metric.telling import link_mark, nothing, unlabelled, why_empty
from appellate.traits.metric.view import ItemRow, LikelyLink, buckets, likely_links, open_links, rows
from appellate.ui.bar import Hint
from appellate.ui.grouped_rows import Group, GroupedRows
from appellate.ui.keys import Key, bindings
from appellate.ui.lines import Drawn, Lines, Row
from appellate.ui.marks import Marks
from appellate.ui.pane import READS_ONLY, Evidence, KindPane, MarkTold, Place, Review
from appellate.ui.picking import Choice
from appellate.ui.styled_text import Piece
from appellate.ui.text import clip, column, inert

Thing = ItemRow | Entry
BESIDE = 70  # from this width on, evidence stands beside its instruction
LIKELY = 50  # of 100: how alike words and an instruction must be to be linked by Enter alone
TITLE = 60  # the cells of a menu's title
_STAYING = ("relink", "reword", "split", "merge")
_WORD = 10  # the cells of a mark and its word on the checklist
_NOTHING = "There is no item under the cursor: h l go to another bucket."
_MOVES = ("move.tp", "move.fn", "move.fp", "move.tn")

ITEMS = "Items"
KEYS = (
    Key("move.tp", "1", "1", "TP", ITEMS, "put the item into TP (rightly found)", own_action="move('tp')"),
    Key("move.fn", "2", "2", "FN", ITEMS, "put the item into FN (missing)", own_action="move('fn')"),
    Key("move.fp", "3", "3", "FP", ITEMS, "put the item into FP (wrong)", own_action="move('fp')"),
    Key("move.tn", "4", "4", "TN", ITEMS, "put the item into TN (rightly absent)", own_action="move('tn')"),
    Key(
        "item.drop",
        "d",
        "d",
        "drop",
        ITEMS,
        "drop the item from TP or FP; its instruction goes back to FN or TN",
        8,
        6,
        "drop",
    ),
    Key("item.reword", "e", "e", "reword", ITEMS, "reword the item; it is looked up again", 10, 8, "reword"),
    Key("item.relink", "i", "i", "link", ITEMS, "link the item to another instruction", 9, 7, "relink"),
    Key("item.split", "plus,+", "+", "split", ITEMS, "split the item in two", own_action="split"),
    Key("item.merge", "equals_sign,=", "=", "merge", ITEMS, "merge the item with the next", own_action="merge"),
    Key(
        "item.missing",
        "m",
        "m",
        "missing",
        ITEMS,
        "add an instruction that stands nowhere to FN or TN",
        own_action="missing",
    ),
    Key(
        "item.repeat",
        "R",
        "R",
        "repeat",
        ITEMS,
        "make your last correction once more, on this item",
        own_action="repeat",
    ),
    Key(
        "item.mark",
        "x",
        "x",
        "mark",
        ITEMS,
        "mark the item; moves and drops then take all marked",
        own_action="mark",
    ),
    Key("item.mark_all", "asterisk", "*", "mark all", ITEMS, "mark every item of the bucket", own_action="mark_all"),
    Key(
        "item.menu",
        "enter",
        "Enter",
        "menu",
        ITEMS,
        "all that can be done with the item; a right click too",
        own_action="menu",
    ),
    Key("view", "t", "t", "checklist", ITEMS, "a row for each instruction, or the buckets again", 13, 15, "view"),
    Key(
        "bucket.next",
        "l,right,tab",
        "l → Tab",
        "next bucket",
        "Going about",
        "go to the next bucket",
        own_action="bucket(1)",
    ),
    Key(
        "bucket.previous",
        "h,left,shift+tab",
        "h ←",
        "bucket before",
        "Going about",
        "go to the previous bucket",
        own_action="bucket(-1)",
    ),
)


class MetricPane(KindPane):
    """One cell: its items under a cursor, marked ones among them."""

    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    TAKING = frozenset(_MOVES)
    CARD = (_MOVES, "item into TP FN FP TN")
    NEAR = ("move.", "item.", "view", "bucket.")
    ABOUT = "what the judge found and missed, a bucket each; the response shows the words of the one under the cursor"
    TAKES = "1 puts the words into TP, 3 into FP; Esc leaves."

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(review, id=id)
        self.rows: GroupedRows[Thing] = GroupedRows(self, review.marks)
        self.view: Literal["buckets", "checklist"] = "buckets"
        self._listed: dict[Bucket, list[ItemRow]] = {}
        self._chosen: corrections.Place | None = None
        self._last: tuple[str, Edit] | None = None
        self._evidence: list[Evidence] = []
        self._unverified = 0
        self._panel: Panel | None = None
        self._ledger: tuple[int, int, list[str]] = (0, 0, [])

    def compose(self) -> ComposeResult:
        yield self.rows

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def told_marks(cls, marks: Marks) -> list[MarkTold]:
        minus = marks.minus
        return [
            MarkTold(f"{marks.tp}TP", "true positive: the response says what a TP instruction asks for", "tp"),
            MarkTold(f"{marks.fn}FN", "false negative: a TP instruction that the response does not meet", "fn"),
            MarkTold(f"{marks.fp}FP", "false positive: words of the response that are wrong for this trait", "fp"),
            MarkTold(f"{marks.tn}TN", "true negative: a TN instruction that the response rightly does not meet", "tn"),
            MarkTold(f"4  {minus}1  ~2", "TP instruction 4, TN instruction 1, hint 2", "key"),
            MarkTold(marks.marked, "marked: what is done next is done to all that are marked", "key"),
            MarkTold(marks.open, "on the checklist: an instruction that stands nowhere yet", "muted"),
            MarkTold(f"{marks.doubt} unverified", "an excerpt that was not found in the response", "flag"),
            MarkTold("no evidence", "taken on without words of the response"),
            MarkTold(
                f"{marks.split}2/3", "how many of the panel's judges say so; with the sign: not all of them", "flag"
            ),
            MarkTold("repeat", "repeats an item above it: kept, but not counted"),
            MarkTold("counts twice", "several excerpts of one instruction count"),
        ]

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        moves = [key.shown for key in keys if key.id in self.TAKING]
        return [Hint("1-4" if moves == list("1234") else " ".join(moves), "move", "item.menu")]

    def taking_hints(self) -> list[Hint]:
        return [Hint("1", "into TP", "move.tp"), Hint("3", "into FP", "move.fp")]

    # -- what is shown ----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one from its first item, the same one with the cursor on its item or on the next."""
        same = self.cell is not None and self.cell.subject is cell.subject
        before, key, order = self._labels, self.rows.key, self._reading_order
        here = self.rows.here
        item = here.place if isinstance(here, ItemRow) else None  # a line of the checklist stays
        self.cell, self._chosen = cell, None
        went = corrections.followed(before, self._labels) if same else {}
        self.rows.marked = {went[place] for place in self.rows.marked if place in went}
        self._listed = {name: rows(self._trait, self._labels, name) for name in buckets(self._trait)}
        every = [row for listed in self._listed.values() for row in listed]
        self._panel = panel_of(cell)
        self._evidence = [
            Evidence(one.start, one.end, one.bucket, one.mark, (one.bucket, one.index), one.counts)
            for one in view.evidence(every)
        ]
        self._unverified = sum(row.unverified for row in every)
        self._ledger = ledger.told(self._trait, self._labels)
        if fresh and not (same and self.view == "checklist"):
            self._arrange(None, 0)
            return
        self._arrange(key)
        onward = corrections.onward(item, order, went) if item else None
        if onward:
            self.go(*onward)

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        """Puts the cursor on the item that a correction was about, wherever it is now.

        After a move, a drop or an addition it stays where `show` put it, unless that was `turned`.
        """
        made = Edit.from_row(edit)
        if turned or made.action in _STAYING:
            place = corrections.arrived(before.labels or Labels(), self._labels, made)
            if place:
                self.go(*place)

    @property
    def _reading_order(self) -> list[corrections.Place]:
        return [place for things in self.rows.things.values() for thing in things for place in self.places(thing)]

    def _arrange(self, key: str | None, row: int | None = None) -> None:
        """Puts the things into groups; the cursor goes to one of them, or to the first that holds any."""
        things: dict[str, Sequence[Thing]] = dict(self._listed.items())
        if self.view == "checklist":
            things = self._checklist()
        first = next((name for name, held in things.items() if held), "tp")
        self.rows.things = things
        self.rows.key = key if key is not None and key in things else first
        self._draw(row)

    def _checklist(self) -> dict[str, Sequence[Thing]]:
        things: dict[str, Sequence[Thing]] = {of: entries(self._trait, self._listed, of) for of in lists(self._trait)}
        left = apart(self._trait, self._listed)
        return {name: held for name, held in {**things, "apart": left}.items() if held or name == "tp"}

    def _draw(self, row: int | None = None) -> None:
        bare = self._is_bare
        self.rows.set_class(bare, "-unlabelled")
        self.border_title = "Checklist" if self.view == "checklist" else ""
        groups = [self._group(name) for name in self.rows.things]
        if bare and self.cell:
            self.rows.show_alone(groups, unlabelled(self.cell))
        elif groups:
            self.rows.show_groups(groups, row)

    def redraw(self) -> None:
        if self.cell is not None:
            self._draw()

    @property
    def _is_bare(self) -> bool:
        """Whether there is a cell without labels, of which the buckets would say nothing."""
        return self.cell is not None and self.cell.labels is None and self.view == "buckets"

    @property
    def _trait(self) -> Any:
        return self.cell.subject.trait if self.cell else None

    @property
    def _labels(self) -> Labels:
        return (self.cell.labels if self.cell else None) or Labels()

    def action_view(self) -> None:
        """Turns from the buckets to the checklist and back, with the cursor on the same item."""
        self.take_focus()
        self.turn_view()
        self.rows.looked()

    def turn_view(self) -> None:
        place, self.view = self.place, "buckets" if self.view == "checklist" else "checklist"
        if self.cell is not None:
            self._arrange(None, 0)
            self.go(*place)

    # -- rows -------------------------------------------------------------------------------------

    def _group(self, name: str) -> Group:
        things = self.rows.things[name]
        if self.view == "checklist":
            draw = self._drawn_apart if name == "apart" else self._drawn_entry
            return Group(name, self._told_standing(name, things), Drawn(things, draw))
        bucket: Bucket = name  # type: ignore[assignment]
        return Group(name, self._title(bucket), Drawn(things, self._drawn), bucket, self._empty(bucket))

    def _empty(self, name: Bucket) -> str:
        """Why a bucket is empty, and what adds to it where anything may."""
        told = nothing(self.cell, name)
        return f"{told.partition(':')[0]})" if self.review.readonly else told

    def _title(self, name: Bucket) -> str:
        mark = getattr(self.marks, name)
        if self.cell is None or self.cell.labels is None:
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
        return Row(row.item.text, self.rows.sign(row), right, dim=not row.counts)

    def _drawn_apart(self, row: ItemRow) -> Row:
        where = Piece(f"{getattr(self.marks, row.bucket)}{MARKS[row.bucket]} ", row.bucket)
        drawn = self._drawn(row)
        return replace(drawn, left=(*drawn.left, where))

    def _drawn_entry(self, entry: Entry) -> Row:
        word = f"{self._mark_of(entry.standing)} {entry.standing}"
        style = {"open": "muted", "both": "flag"}.get(entry.standing, entry.items[0].bucket if entry.items else "")
        number = Piece(f"{self._signed(entry.mark):>3} ", "key")
        left = (*self.rows.sign(entry), Piece(f"{word:<{_WORD}}", style), number)
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
        return self._unverified

    def _signed(self, mark: str) -> str:
        """An instruction's number with the minus that the terminal can draw."""
        return mark.replace("−", self.marks.minus)

    # -- around them ------------------------------------------------------------------------------

    def aside(self) -> str:
        bare = self.cell is None or self._is_bare
        return "" if bare else f"{self._ledger[0]}/{self._ledger[1]}"

    def summary(self) -> str:
        if self.cell is None or self.cell.labels is None:
            return ""
        return f"instructions {self._ledger[0]}/{self._ledger[1]}"

    def detail(self) -> Content:
        if self.cell is not None and self.cell.labels is None:
            return Content(inert(why_empty(self.cell)))
        said = (*self._details(), *self._votes(), *detail.of_breaches(self._ledger[2], self.marks.doubt))
        return Content("\n").join([self._said(one) for one in said])

    def _votes(self) -> list[Said]:
        thing = self.here_entry or self.row
        return detail.of_votes(self._panel, thing) if self._panel and thing else []

    def _details(self) -> list[Said]:
        if entry := self.here_entry:
            beside = len(self._beside(entry))
            return detail.of_entry(entry, (self.size.width - _WORD) // (1 + beside) - _WORD, beside=bool(beside))
        return detail.of_item(self._trait, self.row, self.size.width - 10) if self.row else []

    def _said(self, one: Said) -> Content:
        return Content.styled(inert(self._signed(one.text)), f"${one.colour}" if one.colour else "")

    def evidence(self) -> list[Evidence]:
        return self._evidence

    def doubts(self) -> str:
        return "" if self.cell is None or self.cell.labels is None else ledger.doubts(self._trait, self._labels)

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        return view.remarks(self._trait, before.labels or Labels(), after.labels or Labels())

    # -- where the cursor is ----------------------------------------------------------------------

    @property
    def here_entry(self) -> Entry | None:
        """The line of the checklist under the cursor."""
        here = self.rows.here
        return here if isinstance(here, Entry) else None

    @property
    def row(self) -> ItemRow | None:
        """The item under the cursor: on the checklist, the line's own that was gone to, or its first."""
        held = _rows_of(self.rows.here)
        return next((row for row in held if row.place == self._chosen), held[0] if held else None)

    @property
    def place(self) -> Place:
        if self.row:
            return self.row.place
        return (self.rows.key if self.view == "buckets" else ""), self.rows.lines.cursor.row

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on an item."""
        for name, things in self.rows.things.items():
            found = (at for at, thing in enumerate(things) if any(r.place == (group, number) for r in _rows_of(thing)))
            at = next(found, number if name == group and self.view == "buckets" else None)
            if at is not None:
                self._chosen = group, number  # type: ignore[assignment]
                self.rows.key = name
                self._draw(at)
                return

    def looked(self) -> None:
        self.review.looked()

    def say(self, text: str) -> None:
        self.review.say(text)

    def places(self, thing: Thing | None) -> list[corrections.Place]:
        return [row.place for row in _rows_of(thing)]

    def lists(self) -> list[Lines]:
        return [self.rows.lines]

    def take_focus(self) -> None:
        self.screen.set_focus(self.rows.lines)

    def one_at_a_time(self, one: bool) -> None:
        self.rows.one_at_a_time(one)

    @property
    def has_marked(self) -> bool:
        return bool(self.rows.marked)

    def clear_marks(self) -> bool:
        return self.rows.clear_marks()

    def step_group(self, by: int) -> None:
        self.rows.step_group(by)

    def action_bucket(self, by: int) -> None:
        self.take_focus()
        self.step_group(by)

    def action_mark(self) -> None:
        if self.review.sees_item():
            self.rows.toggle_mark()

    def action_mark_all(self) -> None:
        if self.review.sees_item():
            self.rows.mark_all()

    # -- corrections ------------------------------------------------------------------------------

    def action_move(self, to: Bucket) -> None:
        """The words being selected, the marked items or the one under the cursor into a bucket."""
        if self.review.selecting:
            self._take_words(to)
        elif self.review.sees_item():
            self.begin(self._correct("move", lambda: [self._moved(thing, to) for thing in self.rows.aimed()]))

    def _moved(self, thing: Thing, to: Bucket) -> Edits:
        return corrections.turned(thing, to) if isinstance(thing, Entry) else corrections.moved(thing, to)

    def _take_words(self, to: Bucket) -> None:
        if to not in ("tp", "fp"):
            self.say("FN and TN hold the rubric's instructions, not words of the response: Esc, then m.")
            return
        words = self.review.take_words()
        if words and self.cell:
            edit = Edit("add", to, start=words[0], end=words[1])
            self.begin(self._correct("add", lambda: [(edit,)], self.cell.subject.trace.response[slice(*words)]))

    def action_drop(self) -> None:
        if self.review.sees_item():
            self.begin(self._correct("drop", lambda: [corrections.dropped(row) for row in self._aimed_items()]))

    def action_relink(self) -> None:
        if self.review.sees_item():
            self.begin(self._correct("relink", lambda: [corrections.relinked(row) for row in self._aimed_items()]))

    def toggle(self, entry: Entry) -> None:
        """Found ⇄ missing, present ⇄ absent, for a line of the checklist."""
        self.begin(self._correct("move", lambda: [corrections.toggled(entry)], entry.text))

    async def _correct(self, action: Action, wanted: Callable[[], list[Edits]], text: str = "") -> None:
        """Makes corrections, the edits of each item that is wanted, and asks first for what they lack."""
        items = [] if self.review.readonly else wanted()
        if not items:
            self.say(READS_ONLY if self.review.readonly else _NOTHING)
            return
        choice = corrections.link_to_pick(self._trait, items)
        if choice:
            link = await self._pick_link(action, choice, items, text)
            items = [corrections.linked(edits, link) for edits in items]
        self.review.correct(await self._with_evidence(items), DONE[action])

    def action_repeat(self) -> None:
        """The last move, drop or link once more, on the marked items or the one under the cursor."""
        if self.review.sees_item():
            self.begin(self._repeat())

    async def _repeat(self) -> None:
        name, last = self._last or ("", Edit("drop", "tp"))
        if not self._last or name != self._trait.name:
            where = f"The last correction was in {name}" if name else "There is no correction yet"
            self.say(f"{where}: there is nothing to repeat in this trait.")
            return
        items = [] if self.review.readonly else [corrections.again(last, row) for row in self._aimed_items()]
        if not items:
            self.say(READS_ONLY if self.review.readonly else _NOTHING)
            return
        if last.start is not None:
            items = await self._with_evidence(items)
        self.review.correct(items, DONE[last.action], repeated=True)

    async def _pick_link(self, action: Action, choice: LinkChoice, items: Sequence[Edits], text: str) -> Link:
        """The instruction that all the items are about, the likeliest first; None for none of them."""
        here = self._link_of(items[0][-1]) if len(items) == 1 else None
        found = likely_links(self._trait, self._labels, choice.lists, text or items[-1][0].seen or "", here)
        unlikely = choice.none != "" and found[0].link != here and found[0].likely < LIKELY
        return await self._pick(corrections.title(action, len(items)), found, choice.none, on_none=unlikely)

    async def _pick(self, title: str, found: Sequence[LikelyLink], none: str, *, on_none: bool = False) -> Link:
        choices = self._choices(found)
        key = await self.review.pick(title, choices, none=none, on_none=on_none)
        return found[int(key) - 1].link if key else None

    def _choices(self, found: Iterable[LikelyLink]) -> list[Choice]:
        numbered = enumerate(found, 1)
        return [Choice(str(n), self._signed(link_mark(*one.link)), one.text, one.where) for n, one in numbered]

    async def _with_evidence(self, items: Sequence[Edits]) -> list[Edits]:
        """The items with the evidence that a person selects for each that lacks any, in the order of reading."""
        whole: list[Edits] = []
        for edits in reversed(items):
            if not corrections.lacks_evidence(edits):
                whole.insert(0, edits)
                continue
            edit = edits[-1]
            if edit.action == "move":
                self.go(edit.bucket, edit.index)
                self.looked()
            words = await self.review.select_words(self._likely_sentences(edit))
            whole.insert(0, corrections.evidenced(edits, words))
        return whole

    def _likely_sentences(self, edit: Edit) -> list[tuple[int, int]]:
        """What of the response may bear out the instruction that an edit is about."""
        from appellate.traits.metric.lexical import likely_sentences  # only here: 30 ms

        said = edit.seen
        if said is None and edit.link:
            said = self._trait.instructions(edit.link[0])[edit.link[1] - 1]
        return likely_sentences(self.cell.subject.trace.response, said or "") if self.cell else []

    def action_reword(self) -> None:
        edit = self._wordable("reword")
        if edit:
            self.begin(self._reword(edit))

    async def _reword(self, edit: Edit) -> None:
        about = "Reword", self._trait.name, edit.seen
        words = await self.review.line("Reword", edit.seen or "", about=about)
        if self.review.correct([(replace(edit, text=words),)]):
            self.review.done_with(about)

    def action_split(self) -> None:
        edit = self._wordable("split")
        if edit:
            self.begin(self._split(edit))

    async def _split(self, edit: Edit) -> None:
        about = "Split", self._trait.name, edit.seen
        answered = await self.review.line("Split where you put a |", edit.seen or "", about=about)
        found = corrections.cut(edit, edit.seen or "", answered)
        if isinstance(found, str):
            self.say(found)
        elif self.review.correct([(found,)]):
            self.review.done_with(about)

    def action_merge(self) -> None:
        edit = self._wordable("merge")
        if edit:
            self.review.correct([(edit,)])

    def _wordable(self, action: Action) -> Edit | None:
        """The edit of the item's own words; says why there can be none."""
        if not self.review.sees_item():
            return None
        row = self.row
        why = _NOTHING if row is None else unworded(action, row.bucket)
        if self.review.readonly:
            why = READS_ONLY
        if why or row is None:
            self.say(why)
            return None
        return Edit(action, row.bucket, row.index, seen=row.item.text)

    def action_missing(self) -> None:
        self.begin(self._missing())

    async def _missing(self) -> None:
        """Asks which instruction that stands nowhere is to go to FN or TN."""
        free = open_links(self._trait, self._labels, self._link)
        if self.review.readonly or not free:
            self.say(READS_ONLY if self.review.readonly else "Every instruction stands in a bucket already.")
            return
        link = await self._pick("Missing, or rightly absent", free, "")
        if link:
            of, number = link
            self.review.correct([(Edit("add", sides(of)[1], of=of, instruction=number),)])

    def corrected(self, edit: Edit) -> None:
        """Hears which correction was made, to be able to repeat it."""
        self._last = self._trait.name, edit

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        return corrections.found_again(edit, self._labels, now.labels or Labels())

    def _aimed_items(self) -> list[ItemRow]:
        """The marked items, from the bottom up; else the one under the cursor."""
        marked = self.rows.marked
        if not marked:
            return [self.row] if self.row else []
        return [row for thing in self.rows.aimed() for row in reversed(_rows_of(thing)) if row.place in marked]

    def _link_of(self, edit: Edit) -> Link:
        """The instruction that the edit's item answers; of words that are added the one under the cursor."""
        return self._link if edit.action == "add" else self._labels.bucket(edit.bucket)[edit.index].link

    @property
    def _link(self) -> Link:
        """The instruction under the cursor: the line's own, or the one that the item answers."""
        if entry := self.here_entry:
            return entry.of, entry.number
        return self.row.item.link if self.row else None

    # -- the menu, the mouse ----------------------------------------------------------------------

    def choose(self) -> None:
        """Enter turns a line of the checklist; anywhere else it opens the menu."""
        if entry := self.here_entry:
            self.toggle(entry)
        else:
            self.menu()

    def touched(self, x: int) -> None:
        """A click on a line's mark turns it."""
        entry = self.here_entry
        if entry and x < _WORD:
            self.toggle(entry)

    def action_menu(self) -> None:
        if self.review.sees_item():
            self.menu()

    def menu(self) -> None:
        self.begin(self._offer())

    async def _offer(self) -> None:
        """Everything that can be done here, to pick one."""
        row, entry = self.row, self.here_entry
        if self.cell is None:
            return
        offered = [("bring its evidence into sight", "text.evidence")] if row and row.item.span else []
        if not self.review.readonly:
            if self._last and row:
                offered.append(("the last correction once more", "item.repeat"))
            offered += corrections.offered(self.cell.subject, self._labels, row, entry)
        if self._panel is not None or self.cell.rounds:
            offered.append(("what each judge proposed, to adopt one", "cell.proposals"))
        offered.append((f"show the {'buckets' if self.view == 'checklist' else 'checklist'}", "view"))
        title = "Nothing is under the cursor"
        if row or entry:
            title = row.item.text if row else entry.text if entry else ""
        shown = {key.id: key.shown for key in self.review.keys}
        choices = [Choice(key, shown.get(key, ""), told) for told, key in offered]
        self.review.run(await self.review.pick(clip(title, TITLE, self.marks), choices))


def _rows_of(thing: Thing | None) -> tuple[ItemRow, ...]:
    if isinstance(thing, Entry):
        return thing.items
    return (thing,) if thing else ()


PANE = MetricPane
