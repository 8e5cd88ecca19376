"""Corrections of a metric cell's items: one coroutine each, which asks for what it lacks and makes one request."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from appellate.traits.metric import item_actions
from appellate.traits.metric.edits import Action, Edit, unworded
from appellate.traits.metric.item_actions import DONE, Edits, Link, LinkChoice
from appellate.traits.metric.labels import Bucket
from appellate.traits.metric.ledger import buckets_of, link_mark
from appellate.traits.metric.pane_rows import Thing, rows_of
from appellate.traits.metric.view import (
    ChecklistEntry,
    ItemRow,
    LikelyLink,
    likely_links,
    open_links,
)
from appellate.ui.pane import READS_ONLY
from appellate.ui.picker import Choice

if TYPE_CHECKING:
    from appellate.traits.metric.pane import MetricPane

LIKELY = 50  # of 100: how alike words and an instruction must be to be linked by Enter alone
_NOTHING = "There is no item under the cursor: h l go to another bucket."


class ItemCorrections:
    """What the keys of a pane do to the items that are marked, or to the one under the cursor."""

    def __init__(self, pane: "MetricPane") -> None:
        self._pane = pane
        self._review = pane.review
        self._last: tuple[str, Edit] | None = None
        self.by_name: Mapping[str, Callable[[], None]] = {
            "drop": self.drop,
            "relink": self.relink,
            "repeat": self.repeat,
            "reword": self.reword,
            "split": self.split,
            "merge": self.merge,
            "missing": self.missing,
        }

    @property
    def may_repeat(self) -> bool:
        """Whether a correction was made that could be made again."""
        return self._last is not None

    def move(self, to: Bucket) -> None:
        """The words being selected, the marked items or the one under the cursor into a bucket."""
        if self._review.selecting:
            self._take_words(to)
        elif self._review.sees_item():
            self._pane.begin(
                self._correct(
                    "move", lambda: [self._moved(thing, to) for thing in self._pane.rows.aimed()]
                )
            )

    def _moved(self, thing: Thing, to: Bucket) -> Edits:
        return (
            item_actions.turned(thing, to)
            if isinstance(thing, ChecklistEntry)
            else item_actions.moved(thing, to)
        )

    def _take_words(self, to: Bucket) -> None:
        if to not in ("tp", "fp"):
            self._review.say(
                "FN and TN hold the rubric's instructions, not words of the response: Esc, then m."
            )
            return
        words = self._review.take_words()
        if words and self._pane.cell:
            edit = Edit("add", to, start=words[0], end=words[1])
            self._pane.begin(
                self._correct(
                    "add", lambda: [(edit,)], self._pane.cell.subject.trace.response[slice(*words)]
                )
            )

    def drop(self) -> None:
        if self._review.sees_item():
            self._pane.begin(
                self._correct(
                    "drop", lambda: [item_actions.dropped(row) for row in self._aimed_items()]
                )
            )

    def relink(self) -> None:
        if self._review.sees_item():
            self._pane.begin(
                self._correct(
                    "relink", lambda: [item_actions.relinked(row) for row in self._aimed_items()]
                )
            )

    def toggle(self, entry: ChecklistEntry) -> None:
        """Found ⇄ missing, present ⇄ absent, for a line of the checklist."""
        self._pane.begin(self._correct("move", lambda: [item_actions.toggled(entry)], entry.text))

    async def _correct(
        self, action: Action, wanted: Callable[[], list[Edits]], text: str = ""
    ) -> None:
        """Makes corrections, the edits of each item that is wanted, and asks first for what they lack."""
        items = [] if self._review.readonly else wanted()
        if not items:
            self._review.say(READS_ONLY if self._review.readonly else _NOTHING)
            return
        choice = item_actions.link_to_pick(self._pane.trait, items)
        if choice:
            link = await self._pick_link(action, choice, items, text)
            items = [item_actions.linked(edits, link) for edits in items]
        self._review.correct(await self._with_evidence(items), DONE[action])

    def repeat(self) -> None:
        """The last move, drop or link once more, on the marked items or the one under the cursor."""
        if self._review.sees_item():
            self._pane.begin(self._repeat())

    async def _repeat(self) -> None:
        name, last = self._last or ("", Edit("drop", "tp"))
        if not self._last or name != self._pane.trait.name:
            where = f"The last correction was in {name}" if name else "There is no correction yet"
            self._review.say(f"{where}: there is nothing to repeat in this trait.")
            return
        items = (
            []
            if self._review.readonly
            else [item_actions.again(last, row) for row in self._aimed_items()]
        )
        if not items:
            self._review.say(READS_ONLY if self._review.readonly else _NOTHING)
            return
        if last.start is not None:
            items = await self._with_evidence(items)
        self._review.correct(items, DONE[last.action], repeated=True)

    async def _pick_link(
        self, action: Action, choice: LinkChoice, items: Sequence[Edits], text: str
    ) -> Link:
        """The instruction that all the items are about, the likeliest first; None for none of them."""
        here = self._link_of(items[0][-1]) if len(items) == 1 else None
        found = likely_links(
            self._pane.trait, self._pane.labels, choice.lists, text or items[-1][0].seen or "", here
        )
        unlikely = choice.none != "" and found[0].link != here and found[0].likely < LIKELY
        return await self._pick(
            item_actions.title(action, len(items)), found, choice.none, on_none=unlikely
        )

    async def _pick(
        self, title: str, found: Sequence[LikelyLink], none: str, *, on_none: bool = False
    ) -> Link:
        choices = self._choices(found)
        key = await self._review.pick(title, choices, none=none, on_none=on_none)
        return found[int(key) - 1].link if key else None

    def _choices(self, found: Iterable[LikelyLink]) -> list[Choice]:
        numbered = enumerate(found, 1)
        return [
            Choice(str(n), self._pane.drawing.number(link_mark(*one.link)), one.text, one.where)
            for n, one in numbered
        ]

    async def _with_evidence(self, items: Sequence[Edits]) -> list[Edits]:
        """The items with the evidence that a person selects for each that lacks any, in the order of reading."""
        whole: list[Edits] = []
        for edits in reversed(items):
            if not item_actions.lacks_evidence(edits):
                whole.insert(0, edits)
                continue
            edit = edits[-1]
            if edit.action == "move":
                self._pane.go(edit.bucket, edit.index)
                self._pane.looked()
            words = await self._review.select_words(self._likely_sentences(edit))
            whole.insert(0, item_actions.evidenced(edits, words))
        return whole

    def _likely_sentences(self, edit: Edit) -> list[tuple[int, int]]:
        """What of the response may bear out the instruction that an edit is about."""
        from appellate.traits.metric.lexical import likely_sentences  # only here: 30 ms

        said = edit.seen
        if said is None and edit.link:
            said = self._pane.trait.instructions(edit.link[0])[edit.link[1] - 1]
        return (
            likely_sentences(self._pane.cell.subject.trace.response, said or "")
            if self._pane.cell
            else []
        )

    def reword(self) -> None:
        edit = self._wordable("reword")
        if edit:
            self._pane.begin(self._reword(edit))

    async def _reword(self, edit: Edit) -> None:
        about = "Reword", self._pane.trait.name, edit.seen
        words = await self._review.line("Reword", edit.seen or "", about=about)
        if self._review.correct([(replace(edit, text=words),)]):
            self._review.done_with(about)

    def split(self) -> None:
        edit = self._wordable("split")
        if edit:
            self._pane.begin(self._split(edit))

    async def _split(self, edit: Edit) -> None:
        about = "Split", self._pane.trait.name, edit.seen
        answered = await self._review.line("Split where you put a |", edit.seen or "", about=about)
        found = item_actions.cut(edit, edit.seen or "", answered)
        if isinstance(found, str):
            self._review.say(found)
        elif self._review.correct([(found,)]):
            self._review.done_with(about)

    def merge(self) -> None:
        edit = self._wordable("merge")
        if edit:
            self._review.correct([(edit,)])

    def _wordable(self, action: Action) -> Edit | None:
        """The edit of the item's own words; says why there can be none."""
        if not self._review.sees_item():
            return None
        row = self._pane.row
        why = _NOTHING if row is None else unworded(action, row.bucket)
        if self._review.readonly:
            why = READS_ONLY
        if why or row is None:
            self._review.say(why)
            return None
        return Edit(action, row.bucket, row.index, seen=row.item.text)

    def missing(self) -> None:
        self._pane.begin(self._missing())

    async def _missing(self) -> None:
        """Asks which instruction that stands nowhere is to go to FN or TN."""
        free = open_links(self._pane.trait, self._pane.labels, self._link)
        if self._review.readonly or not free:
            self._review.say(
                READS_ONLY
                if self._review.readonly
                else "Every instruction stands in a bucket already."
            )
            return
        link = await self._pick("Missing, or rightly absent", free, "")
        if link:
            of, number = link
            self._review.correct([(Edit("add", buckets_of(of)[1], of=of, instruction=number),)])

    def corrected(self, edit: Edit) -> None:
        """Hears which correction was made, to be able to repeat it."""
        self._last = self._pane.trait.name, edit

    def _aimed_items(self) -> list[ItemRow]:
        """The marked items, from the bottom up; else the one under the cursor."""
        marked = self._pane.rows.marked
        if not marked:
            return [self._pane.row] if self._pane.row else []
        return [
            row
            for thing in self._pane.rows.aimed()
            for row in reversed(rows_of(thing))
            if row.place in marked
        ]

    def _link_of(self, edit: Edit) -> Link:
        """The instruction that the edit's item answers; of words that are added the one under the cursor."""
        return (
            self._link
            if edit.action == "add"
            else self._pane.labels.bucket(edit.bucket)[edit.index].link
        )

    @property
    def _link(self) -> Link:
        """The instruction under the cursor: the line's own, or the one that the item answers."""
        if entry := self._pane.here_entry:
            return entry.of, entry.number
        return self._pane.row.item.link if self._pane.row else None
