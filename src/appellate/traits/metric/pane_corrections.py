"""Corrections of a metric cell: coroutines that ask what they lack and make one request."""

from collections.abc import Sequence

from msgspec.structs import replace

from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.traits.evidence import Span
from appellate.traits.metric import wanted_edits
from appellate.traits.metric.edits import (
    Action,
    Edit,
    apply,
    may_be_omitted,
    permit,
    shows_omission,
    unworded,
)
from appellate.traits.metric.labels import EXCERPTS, Bucket, Labels, Link
from appellate.traits.metric.ledger import MARKS, buckets_of, link_mark
from appellate.traits.metric.pane_items import CellItems, shown_mark
from appellate.traits.metric.rows import (
    ChecklistEntry,
    ItemRow,
    excerpts_before,
    is_other_evidence,
    open_instructions,
)
from appellate.traits.metric.wanted_edits import DONE, Edits, LikelyLink, LinkChoice, edit_of
from appellate.ui.contract import READS_ONLY, Choice, Review, pick_action
from appellate.ui.conversation import Left
from appellate.ui.key import Act, Key, Strip, in_group

MOVES = ("move.tp", "move.fn", "move.fp", "move.tn")
MEANINGS: dict[Bucket, str] = {
    "tp": "rightly found",
    "fn": "missing",
    "fp": "wrong",
    "tn": "rightly absent",
}
"""What it says of an item to put it into a bucket."""
LIKELY = 50  # of 100: how alike words and an instruction must be to be linked by Enter alone
TAKES = "{move.tp:1} puts the words into TP, {move.fp:3} into FP; {select.leave:Esc} leaves."
_NOTHING = "There is no item here: {bucket.previous:h} {bucket.next:l} go to other buckets."


class ItemCorrections:
    """What keys do to the items that are marked, or to the one under the cursor."""

    def __init__(self, review: Review, items: CellItems) -> None:
        self._review = review
        self._items = items

    # -- moves, drops, links -----------------------------------------------------------------------

    async def move(self, to: Bucket) -> None:
        """The words being selected, the marked items or the one under the cursor into a bucket."""
        if self._review.selecting:
            await self._take_words(to)
            return
        self._check()
        wanted: list[Edits] = []
        turned = wanted_edits.ruled if self._is_hidden else wanted_edits.turned
        for thing in self._items.rows.aimed():
            if isinstance(thing, ChecklistEntry):
                wanted.append(turned(thing, to))
            else:
                wanted.append(wanted_edits.moved(thing, to))
        await self._correct("move", wanted)

    async def _take_words(self, to: Bucket) -> None:
        if to not in EXCERPTS:
            key = {"fn": "{move.fn:2}", "tn": "{move.tn:4}"}[to]
            raise Refused(
                f"FN and TN hold instructions, not words of the response: {{select.leave:Esc}}, "
                f"then {key} moves the item there, or {{item.missing:m}} adds an instruction."
            )
        words = self._selected()
        here = self._items.link
        text = self._words_at(words)
        edits: Edits = (Edit("add", to, start=words[0], end=words[1]),)
        link = wanted_edits.meant_link(self._items.trait, self._items.labels, to, text, here)
        if self._is_hidden and here and to == buckets_of(here[0])[0]:
            link = here  # the key rules on the line under the cursor
        if link is None:
            await self._correct("add", [edits], text)
        else:
            note = f"Answers {self._mark(link)} · {{item.relink:i}} changes that."
            self._review.correct([wanted_edits.with_link(edits, link)], DONE["add"], note=note)

    async def drop(self) -> None:
        await self._correct_aimed("drop")

    async def relink(self) -> None:
        await self._correct_aimed("relink")

    async def _correct_aimed(self, action: Action) -> None:
        self._check()
        await self._correct(action, [(edit_of(action, row),) for row in self._aimed()])

    async def turn(self) -> None:
        """Found ⇄ missing, present ⇄ absent, back with its excerpts; the cursor stays on it."""
        self._check()
        entries = self._items.turning()
        cell = self._items.cell
        if not entries or cell is None:
            raise Refused(
                "Nothing here can be turned: it answers no instruction that would be found or"
                " missing, present or absent. {move.tp:1} to {move.tn:4} put it somewhere."
            )
        wanted = [wanted_edits.toggled(one, excerpts_before(cell, one)) for one in entries]
        await self._correct("move", wanted, entries[0].text)
        if len(entries) == 1:
            self._items.go_to_instruction(*entries[0].link)
            self._review.looked()

    async def deny(self) -> None:
        """Words deny the instruction of the item; of one that is denied: left out again."""
        labels = self._items.labels
        row = self._items.row
        if self._review.selecting:
            words = self._selected()
            wanted = []
            if row:
                wanted.append(wanted_edits.denied(labels, row, words))
        else:
            self._check()
            wanted = [wanted_edits.denied(labels, one) for one in self._aimed()]
        if not wanted and self._items.link:
            raise Refused("It is nowhere yet: 2 puts it into FN first, 4 into TN.")
        await self._correct("deny", wanted)

    async def _correct(self, action: Action, items: list[Edits], text: str = "") -> None:
        """Makes corrections, the edits of each item, and asks first for what they lack."""
        if not items:
            raise Refused(_NOTHING)
        choice = wanted_edits.link_to_pick(self._items.trait, items)
        if choice:
            link = await self._pick_link(action, choice, items, text)
            items = [wanted_edits.with_link(edits, link) for edits in items]
        self._review.correct(await self._with_evidence(items), DONE[action])

    async def repeat(self) -> None:
        """The last move, drop or link once more, on the items marked or the one at the cursor."""
        if not self._review.sees_item():
            return
        name, last = self._items.last or ("", Edit("drop", "tp"))
        if name != self._items.trait.name:
            where = f"The last correction was in {name}" if name else "There is no correction yet"
            raise Refused(f"{where}: there is nothing to repeat in this trait.")
        self._check()
        items = [wanted_edits.repeated(last, row) for row in self._aimed()]
        if not items:
            raise Refused(_NOTHING)
        if last.start is not None:
            items = await self._with_evidence(items)
        self._review.correct(items, DONE[last.action], repeated=True)

    def _check(self) -> None:
        """Ends a correction where no item is in sight, or none may be corrected; says why."""
        if not self._review.sees_item():
            raise Left
        if self._review.readonly:
            raise Refused(READS_ONLY)

    def _selected(self) -> Span:
        """The words that are being selected; ends a correction where there are none yet."""
        words = self._review.take_words()
        if words is None or self._items.cell is None:
            raise Left
        if self._review.readonly:
            raise Refused(READS_ONLY)
        return words

    @property
    def _is_hidden(self) -> bool:
        """Whether the cell is ruled blind."""
        return self._items.cell is not None and self._items.cell.hidden

    def _aimed(self) -> list[ItemRow]:
        """The marked items, from the bottom up; else the one under the cursor."""
        rows = self._items.rows
        row = self._items.row
        if not rows.marked:
            return [row] if row else []
        aimed: list[ItemRow] = []
        for thing in rows.aimed():
            aimed += [row for row in reversed(thing.items) if row.place in rows.marked]
        return aimed

    # -- what is asked for -------------------------------------------------------------------------

    async def _pick_link(
        self, action: Action, choice: LinkChoice, items: Sequence[Edits], text: str
    ) -> Link | None:
        """The instruction that all the items are about, the likeliest first; None for none."""
        here = None
        last = items[0][-1]
        if len(items) == 1 and last.action == "add":
            here = self._items.link
        elif len(items) == 1:
            here = self._items.labels.bucket(last.bucket)[last.index].link
        trait = self._items.trait
        labels = self._items.labels
        found = wanted_edits.likely_links(
            trait, labels, choice.lists, text or items[-1][0].seen or "", here
        )
        unlikely = choice.none != "" and found[0].link != here and found[0].likely < LIKELY
        question = wanted_edits.link_question(action, len(items))
        return await self._pick(question, found, choice.none, on_none=unlikely)

    async def _pick(
        self, title: str, found: Sequence[LikelyLink], none: str, *, on_none: bool = False
    ) -> Link | None:
        choices = []
        for number, one in enumerate(found, 1):
            choices.append(Choice(str(number), self._mark(one.link), one.text, one.where))
        key = await self._review.pick(title, choices, none=none, on_none=on_none)
        return found[int(key) - 1].link if key else None

    async def _with_evidence(self, items: Sequence[Edits]) -> list[Edits]:
        """The items with the words that a person selects for those that lack any, in order."""
        whole: list[Edits] = []
        lacking = sum(map(wanted_edits.lacks_evidence, items))
        asked = 0
        for edits in reversed(items):
            if not wanted_edits.lacks_evidence(edits):
                whole.insert(0, edits)
                continue
            edit = edits[-1]
            if edit.action in ("move", "deny"):
                self._items.go(edit.bucket, edit.index)
                self._review.looked()
            asked += 1
            which = f"item {asked} of {lacking}" if lacking > 1 else ""
            if edit.action == "deny" and not which:
                which = "what denies it"
            offers = self._likely_evidence(edit)
            none = ""
            if shows_omission(self._items.trait, self._items.labels, edit):
                offers = []
                none = "by omission"
            try:
                words = await self._review.select_words(offers, which=which, none=none)
            except Left:
                if lacking > 1:
                    self._review.say(f"Nothing was written: all {len(items)} stay as they were.")
                raise
            whole.insert(0, wanted_edits.with_evidence(edits, words))
        return whole

    def _likely_evidence(self, edit: Edit) -> list[Span]:
        """What of the response may bear out the instruction that an edit is about, or deny it."""
        from appellate.traits.metric.likely_evidence import (  # only here: 30 ms
            likely_evidence,
            with_denial,
        )

        items = self._items
        link = edit.link
        text = edit.seen or ""
        instead_of = None
        if edit.action != "add":
            item = items.labels.bucket(edit.bucket)[edit.index]
            link = link or item.link
            instead_of = item.span
        if items.cell is None:
            return []
        if link:
            text = items.trait.words(*link) or text
        if edit.action != "deny":
            return likely_evidence(items.cell, link, text, instead_of)
        offers = likely_evidence(items.cell, link, text, denying=True)
        if edit.bucket in EXCERPTS and instead_of:
            offers.insert(0, with_denial(items.cell.subject.trace, instead_of))
        return list(dict.fromkeys(offers))

    # -- words -------------------------------------------------------------------------------------

    async def reword(self) -> None:
        edit = self._edit_of_words("reword")
        about = "Reword", self._items.trait.name, edit.seen
        words = await self._review.line("Reword", edit.seen or "", about=about)
        if self._review.correct([(replace(edit, text=words),)]):
            self._review.done_with(about)

    async def replace(self) -> None:
        """Other words of the response in the place of the excerpt, to begin with those there."""
        row = self._row()
        if row.bucket not in EXCERPTS:
            raise Refused(f"{MARKS[row.bucket]} holds no words of the response. {TAKES}")
        edit = edit_of("reword", row)
        words = None
        cell = self._items.cell
        if self._review.selecting:
            words = self._selected()
        else:
            offers = self._likely_evidence(edit)
            if row.item.span:
                offers.insert(0, row.item.span)
            words = await self._review.select_words(offers)
        if cell is not None and is_other_evidence(cell, row.place, words):
            edit = replace(edit, wrong_evidence=True)
        if words:
            start, end = words
            edit = replace(edit, text=self._words_at(words), start=start, end=end)
        elif not row.item.omission and may_be_omitted(self._items.trait, row.bucket, row.link):
            edit = replace(edit, omission=True)
        else:
            raise Refused("The excerpt stays as it is; {item.drop:d} drops it.")
        self._review.correct([(edit,)])

    async def split(self) -> None:
        """At a bar that is put into the words; where words of the response are being selected
        before these, or behind them where the item begins with them.
        """
        edit = self._edit_of_words("split")
        span = self._row().item.span
        if self._review.selecting:
            start, end = span or (0, 0)
            cuts = [place - start for place in self._selected() if start < place < end]
            if not cuts:
                raise Refused(
                    "Select words within the item's excerpt: {item.split:+} splits it before them."
                )
            self._review.correct([(replace(edit, cut=cuts[0]),)])
            return
        about = "Split", self._items.trait.name, edit.seen
        answered = await self._review.line("Split where you put a |", edit.seen or "", about=about)
        if self._review.correct([(wanted_edits.split_at_bar(edit, answered),)]):
            self._review.done_with(about)

    async def merge(self) -> None:
        self._review.correct([(self._edit_of_words("merge"),)])

    def _words_at(self, words: Span) -> str:
        return self._items.cell.subject.text[slice(*words)] if self._items.cell else ""

    def _mark(self, link: Link) -> str:
        return shown_mark(link_mark(*link), self._review.marks)

    def _row(self) -> ItemRow:
        """The item under the cursor, which may be corrected."""
        self._check()
        if self._items.row is None:
            raise Refused(_NOTHING)
        return self._items.row

    def _edit_of_words(self, action: Action) -> Edit:
        """The edit of the item's own words; raises Refused where there can be none."""
        row = self._row()
        why = unworded(action, row.bucket, row.item)
        if why:
            raise Refused(why)
        return edit_of(action, row)

    async def missing(self) -> None:
        """Asks which instruction that stands nowhere is to go to FN or TN."""
        if self._review.readonly:
            raise Refused(READS_ONLY)
        free = wanted_edits.open_links(self._items.trait, self._items.labels, self._items.link)
        if not free:
            raise Refused("Every instruction is in a bucket already.")
        link = await self._pick("Missing, or rightly absent", free, "")
        if link:
            of, number = link
            self._review.correct([(Edit("add", buckets_of(of)[1], of=of, instruction=number),)])

    # -- the menu ----------------------------------------------------------------------------------

    async def menu(self) -> None:
        """Lets one of the things be picked that can be done at the cursor."""
        title = "Nothing is under the cursor"
        if self._items.row:
            title = self._items.row.item.text
        elif self._items.entry:
            title = self._items.entry.text
        await pick_action(self._review, title, self.offers())

    def offers(self) -> dict[str, str]:
        """Everything that can be done at the cursor: what it is, by the id of its key."""
        items = self._items
        row = self._items.row
        found = dict[str, str]()
        if items.cell is None:
            return found
        if row and row.item.span:
            found["text.evidence"] = "bring its evidence into sight"
        if not self._review.readonly:
            if items.last and row:
                found["item.repeat"] = "the last correction once more"
            found |= self._offered(items.cell.subject)
        if items.drawing.panel is not None or items.cell.rounds:
            found["cell.proposals"] = "what each judge proposed, to adopt one"
        return {**found, "view": f"show the {items.other_view}"}

    def _offered(self, subject: Subject) -> dict[str, str]:
        found = dict[str, str]()
        row = self._items.row
        entry = self._items.entry
        if entry:
            found["item.turn"] = "turn it: found ⇄ missing, present ⇄ absent"
        if row:
            found |= _offers_of_item(subject, self._items.labels, row)
        elif entry:
            found |= {f"move.{to}": _into(to) for to in buckets_of(entry.of)}
        found["text.select"] = "select words of the response"
        if open_instructions(subject.trait, self._items.labels):
            found["item.missing"] = "add an instruction that is in no bucket yet"
        return found


def _offers_of_item(subject: Subject, labels: Labels, row: ItemRow) -> dict[str, str]:
    def may(edit: Edit) -> bool:
        """Whether the rules allow an edit."""
        try:
            asked = permit(subject.trait, subject.trace, labels, edit)
            apply(subject.trait, subject.trace, labels, asked)
        except Refused:
            return False
        return True

    is_excerpt = not unworded("reword", row.bucket)
    is_worded = not unworded("reword", row.bucket, row.item)
    following = labels.bucket(row.bucket)[row.index + 1 : row.index + 2]
    denial = "denied: words of the response say the contrary"
    if row.item.denied:
        denial = "take the denial back: it is left out"
    found = [(f"move.{to}", _into(to), may(wanted_edits.moved(row, to)[0])) for to in MEANINGS]
    found += [
        ("item.drop", "drop it", may(edit_of("drop", row))),
        ("item.deny", denial, bool(row.item.denied or row.link)),
        ("item.relink", "link it to another instruction", True),
        ("item.replace", "put other words of the response in its place", is_excerpt),
        ("item.reword", "reword it", is_worded),
        ("item.split", "split it in two", is_worded),
        (
            "item.merge",
            "merge it with the next",
            is_worded and bool(following) and following[0].link == row.link,
        ),
        ("item.mark", "mark it, or unmark it", True),
    ]
    return {key: words for key, words, is_offered in found if is_offered}


def _into(to: Bucket) -> str:
    return f"into {MARKS[to]}: {MEANINGS[to]}"


# -- the keys --------------------------------------------------------------------------------------

ITEM_KEYS = in_group(
    "Items",
    Key(
        "move.tp",
        "1",
        "TP",
        "put the item into TP (rightly found)",
        Act(ItemCorrections.move, "tp"),
        in_lines=True,
    ),
    Key(
        "move.fn",
        "2",
        "FN",
        "put the item into FN (missing)",
        Act(ItemCorrections.move, "fn"),
        in_lines=True,
    ),
    Key(
        "move.fp",
        "3",
        "FP",
        "put the item into FP (wrong)",
        Act(ItemCorrections.move, "fp"),
        in_lines=True,
    ),
    Key(
        "move.tn",
        "4",
        "TN",
        "put the item into TN (rightly absent)",
        Act(ItemCorrections.move, "tn"),
        in_lines=True,
    ),
    Key(
        "item.drop",
        "d",
        "drop",
        "drop the item from TP or FP; its instruction goes back to FN or TN",
        Act(ItemCorrections.drop),
        strip=Strip(8, 6),
        in_lines=True,
    ),
    Key(
        "item.reword",
        "e",
        "reword",
        "reword the item; it is looked up again",
        Act(ItemCorrections.reword),
        strip=Strip(10, 8),
        in_lines=True,
    ),
    Key(
        "item.relink",
        "i",
        "link",
        "link the item to another instruction",
        Act(ItemCorrections.relink),
        strip=Strip(9, 7),
        in_lines=True,
    ),
    Key(
        "item.split",
        "plus,+",
        "split",
        "split the item in two, or where words are selected",
        Act(ItemCorrections.split),
        shown="+",
        in_lines=True,
    ),
    Key(
        "item.merge",
        "",
        "merge",
        "merge the item with the next",
        Act(ItemCorrections.merge),
        in_lines=True,
    ),
    Key(
        "item.replace",
        "equals_sign,=",
        "other words",
        "put other words of the response in its place: elsewhere, the judge's evidence was wrong",
        Act(ItemCorrections.replace),
        shown="=",
        in_lines=True,
    ),
    Key(
        "item.deny",
        "minus,-",
        "denied",
        "denied: words of the response say the contrary; again: left out, not denied",
        Act(ItemCorrections.deny),
        shown="-",
        strip=Strip(14, 10),
        in_lines=True,
    ),
    Key(
        "item.missing",
        "m",
        "missing",
        "add an instruction that is in no bucket yet to FN or TN",
        Act(ItemCorrections.missing),
        in_lines=True,
    ),
    Key(
        "item.repeat",
        "",
        "repeat",
        "make your last correction once more, on this item",
        Act(ItemCorrections.repeat),
        in_lines=True,
    ),
)
"""The first of the keys on the screen and line by line."""
MARK_KEY = Key(
    "item.mark", "x", "mark", "mark the item; moves and drops then take all marked", in_lines=True
)
"""The screen and the lines have each their own act for it."""
TURN_KEY = Key(
    "item.turn",
    "space",
    "turn",
    "turn the verdict: found ⇄ missing, present ⇄ absent; back with its excerpt",
    Act(ItemCorrections.turn),
    shown="Space",
    strip=Strip(8, 5),
    near=True,
    in_lines=True,
)
