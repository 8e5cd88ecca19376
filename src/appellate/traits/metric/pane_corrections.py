"""Corrects a metric cell by keys, on the screen and in line mode.

Each correction is a coroutine that asks for what it lacks and makes one request.
"""

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
from appellate.traits.metric.wanted_edits import (
    DONE,
    Edits,
    LikelyLink,
    LinkChoice,
    edit_of,
)
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
"""What it says about an item to put it into a bucket."""
LIKELY = (
    50  # of 100: how alike words and an instruction must be to be linked by Enter alone
)
"""How alike, of 100, words and an instruction must be to be linked by Enter alone."""
TAKES = "{move.tp:1} puts the words into TP, {move.fp:3} into FP; {select.leave:Esc} leaves."
_NOTHING = (
    "There is no item here: {bucket.previous:h} {bucket.next:l} go to other buckets."
)


class ItemCorrections:
    """The acts of keys on the marked items, or on the one under the cursor."""

    def __init__(self, review: Review, items: CellItems) -> None:
        self._review = review
        self._items = items

    # -- moves, drops, links -----------------------------------------------------------------------

    async def move(self, target_bucket: Bucket) -> None:
        """Put the marked items or instructions, or the one under the cursor, into a bucket.

        While words of the response are selected, those are added to the bucket instead; FN and TN
        hold none, which is refused. Asks for links and words that are lacking. A move that the
        rules refuse is told and not raised. Raises Refused if nothing may be corrected, for no
        items, for an instruction that the bucket cannot hold, and if items need different answers.
        Raises Left if no item is visible, if no words are selected after all, or if the person
        leaves.
        """
        if self._review.selecting:
            await self._take_words(target_bucket)
            return
        self._require_correctable()
        edits_by_item: list[Edits] = []
        turn_entry = wanted_edits.ruled if self._is_hidden else wanted_edits.turned
        for thing in self._items.rows.aimed():
            if isinstance(thing, ChecklistEntry):
                edits_by_item.append(turn_entry(thing, target_bucket))
            else:
                edits_by_item.append(wanted_edits.moved(thing, target_bucket))
        await self._correct("move", edits_by_item)

    async def _take_words(self, target_bucket: Bucket) -> None:
        """Add the selected words to TP or FP, linked to the instruction under the cursor if meant.

        Whether it is meant is guessed by the words (`meant_link`), and a note names the
        instruction; otherwise the person is asked for one. In a cell whose judge is hidden it is
        meant without a guess, if words of `target_bucket` answer its list. An addition that the
        rules refuse is told and not raised. Raises Refused for FN and TN, which hold no words, and
        if nothing may be corrected. Raises Left if nothing is selected, or if the person leaves the
        question.
        """
        if target_bucket not in EXCERPTS:
            key = {"fn": "{move.fn:2}", "tn": "{move.tn:4}"}[target_bucket]
            raise Refused(
                f"FN and TN hold instructions, not words of the response: {{select.leave:Esc}}, "
                f"then {key} moves the item there, or {{item.missing:m}} adds an instruction.",
            )
        span = self._selected()
        current_link = self._items.link
        text = self._words_at(span)
        edits: Edits = (Edit("add", target_bucket, start=span[0], end=span[1]),)
        link = wanted_edits.meant_link(
            self._items.trait,
            self._items.labels,
            target_bucket,
            text,
            current_link,
        )
        if self._is_hidden and current_link:
            list_name, _ = current_link
            excerpt_bucket, _ = buckets_of(list_name)
            if target_bucket == excerpt_bucket:
                link = current_link  # the key rules on the line under the cursor
        if link is None:
            await self._correct("add", [edits], text)
        else:
            note = f"Answers {self._mark(link)} · {{item.relink:i}} changes that."
            self._review.correct(
                [wanted_edits.with_link(edits, link)],
                DONE["add"],
                note=note,
            )

    async def drop(self) -> None:
        await self._correct_aimed("drop")

    async def relink(self) -> None:
        await self._correct_aimed("relink")

    async def _correct_aimed(self, action: Action) -> None:
        """Correct each marked item, or else the one under the cursor, by one action.

        What the edits lack is asked for first. An edit that the rules refuse is not raised: the
        person is told. Raises Refused if there is no item, if nothing may be corrected, and if the
        items need different answers. Raises Left if no item is visible or the person leaves a
        question; then nothing is changed.
        """
        self._require_correctable()
        await self._correct(action, [(edit_of(action, row),) for row in self._aimed()])

    async def turn(self) -> None:
        """Turn the marked instructions, else the current one: found ⇄ missing, present ⇄ absent.

        One that is found or present again has its excerpts back; if it had none, words are asked
        for. The cursor stays on the instruction if it is the only one. What the rules refuse is
        told and not raised. Raises Refused if nothing there answers an instruction or nothing may
        be corrected. Raises Left if no item is visible or the person leaves.
        """
        self._require_correctable()
        entries = self._items.turning()
        cell = self._items.cell
        if not entries or cell is None:
            raise Refused(
                "Nothing here can be turned: it answers no instruction that would be found or"
                " missing, present or absent. {move.tp:1} to {move.tn:4} put it somewhere.",
            )
        edits_by_entry = [
            wanted_edits.toggled(entry, excerpts_before(cell, entry))
            for entry in entries
        ]
        await self._correct("move", edits_by_entry, entries[0].text)
        if len(entries) == 1:
            self._items.go_to_instruction(*entries[0].link)
            self._review.looked()

    async def deny(self) -> None:
        """Mark words of the response as denying the item's instruction, which goes to FN or TN.

        The words are the selected ones, for the item under the cursor; without a selection they are
        asked for, for each marked item, or else the one under the cursor. Then an item that is
        denied already counts as left out again, without a question. What the rules refuse is told
        and not raised. Raises Refused if there is no item, if nothing may be corrected, and for an
        item that answers no instruction which can be denied. Raises Left if no item is visible or
        the person leaves.
        """
        labels = self._items.labels
        row = self._items.row
        if self._review.selecting:
            span = self._selected()
            edits_by_item = []
            if row:
                edits_by_item.append(wanted_edits.denied(labels, row, span))
        else:
            self._require_correctable()
            edits_by_item = [
                wanted_edits.denied(labels, aimed_row) for aimed_row in self._aimed()
            ]
        if not edits_by_item and self._items.link:
            raise Refused(
                "It is nowhere yet: {move.fn:2} puts it into FN first, {move.tn:4} into TN.",
            )
        await self._correct("deny", edits_by_item)

    async def _correct(
        self,
        action: Action,
        items: list[Edits],
        text: str = "",
    ) -> None:
        """Make the edits of each item as one act, after asking for the links and words they lack.

        `items` has the edits of each item. If `text` is empty, likely instructions are found by the
        words of the last item. An edit that the rules refuse is not raised: the person is told, and
        its item stays as it is. Raises Refused for no items, and if they need different answers.
        Raises Left if the person leaves; then nothing is changed.
        """
        if not items:
            raise Refused(_NOTHING)
        choice = wanted_edits.link_to_pick(self._items.trait, items)
        if choice:
            link = await self._pick_link(action, choice, items, text)
            items = [wanted_edits.with_link(edits, link) for edits in items]
        self._review.correct(await self._with_evidence(items), DONE[action])

    async def repeat(self) -> None:
        """Apply the last move, drop or link to the marked items, else to the one under the cursor.

        If the last one had evidence, new evidence is asked for. What the rules refuse is told and
        not raised. Raises Refused if no correction was made in this trait, if there is no item, if
        nothing may be corrected, or if the last one was another sort of correction. Raises Left if
        no item is visible or the person leaves.
        """
        self._require_correctable()
        name, last = self._items.last or ("", Edit("drop", "tp"))
        if name != self._items.trait.name:
            reason = "There is no correction yet"
            if name:
                reason = f"The last correction was in {name}"
            raise Refused(f"{reason}: there is nothing to repeat in this trait.")
        items = [wanted_edits.repeated(last, row) for row in self._aimed()]
        if not items:
            raise Refused(_NOTHING)
        if last.start is not None:
            items = await self._with_evidence(items)
        self._review.correct(items, DONE[last.action], repeated=True)

    def _require_correctable(self) -> None:
        """Raise Left if no item is visible, and Refused if nothing may be corrected.

        A person whose items are not visible has been told so by a note.
        """
        if not self._review.sees_item():
            raise Left
        if self._review.readonly:
            raise Refused(READS_ONLY)

    def _selected(self) -> Span:
        """End the selection and return the span of its words in the text that is judged.

        Raises Left if none are selected, which the person is told. Raises Refused if nothing may be
        corrected.
        """
        span = self._review.take_words()
        if span is None or self._items.cell is None:
            raise Left
        if self._review.readonly:
            raise Refused(READS_ONLY)
        return span

    @property
    def _is_hidden(self) -> bool:
        """Whether the judge of the cell is hidden."""
        return self._items.cell is not None and self._items.cell.hidden

    def _aimed(self) -> list[ItemRow]:
        """Return the rows of the marked items, else of the one under the cursor; empty for none.

        Marked ones come from the bottom up, so that acting on one does not move the next.
        """
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
        self,
        action: Action,
        choice: LinkChoice,
        items: Sequence[Edits],
        text: str,
    ) -> Link | None:
        """Ask which instruction of the choice's lists all `items` are about; None for "none".

        The likeliest for `text`, or for the last item's words if it is "", are first. Before them
        comes the one that a single item has now, or for an addition the one under the cursor. Enter
        alone answers "none" if that is offered and even the first fits badly. Raises Left if the
        person leaves. The lists must hold an instruction.
        """
        current_link = None
        last = items[0][-1]
        if len(items) == 1 and last.action == "add":
            current_link = self._items.link
        elif len(items) == 1:
            current_link = self._items.labels.bucket(last.bucket)[last.index].link
        trait = self._items.trait
        labels = self._items.labels
        words = text or items[-1][0].seen or ""
        links = wanted_edits.likely_links(
            trait,
            labels,
            choice.lists,
            words,
            current_link,
        )
        first = links[0]
        fits_badly = first.link != current_link and first.likely < LIKELY
        on_none = choice.none != "" and fits_badly
        question = wanted_edits.link_question(action, len(items))
        return await self._pick(question, links, choice.none, on_none=on_none)

    async def _pick(
        self,
        title: str,
        links: Sequence[LikelyLink],
        none: str,
        *,
        on_none: bool = False,
    ) -> Link | None:
        """Ask for one of the instructions, and return it.

        Returns None for the choice `none`, which is not offered if it is "". With `on_none` the
        cursor is on it at first. Raises Left if the person leaves.
        """
        choices = []
        for number, candidate in enumerate(links, 1):
            choices.append(
                Choice(
                    str(number),
                    self._mark(candidate.link),
                    candidate.text,
                    candidate.where,
                ),
            )
        key = await self._review.pick(title, choices, none=none, on_none=on_none)
        return links[int(key) - 1].link if key else None

    async def _with_evidence(self, items: Sequence[Edits]) -> list[Edits]:
        """Return the edits of each item, with words that a person selects for those that lack any.

        Items are asked about from the last to the first, each with the cursor on it; the order
        stays. The person may select none; for an instruction that may be met so, that means by
        omission. Raises Left if the person leaves. If there were several, a note says that nothing
        was changed.
        """
        complete: list[Edits] = []
        lacking = sum(map(wanted_edits.lacks_evidence, items))
        asked_count = 0
        for edits in reversed(items):
            if not wanted_edits.lacks_evidence(edits):
                complete.insert(0, edits)
                continue
            edit = edits[-1]
            if edit.action in ("move", "deny"):
                self._items.go(edit.bucket, edit.index)
                self._review.looked()
            asked_count += 1
            which = f"item {asked_count} of {lacking}" if lacking > 1 else ""
            if edit.action == "deny" and not which:
                which = "what denies it"
            offers = self._likely_evidence(edit)
            none = ""
            if shows_omission(self._items.trait, self._items.labels, edit):
                offers = []
                none = "by omission"
            try:
                span = await self._review.select_words(offers, which=which, none=none)
            except Left:
                if lacking > 1:
                    self._review.say(
                        f"Nothing was written: all {len(items)} stay as they were.",
                    )
                raise
            complete.insert(0, wanted_edits.with_evidence(edits, span))
        return complete

    def _likely_evidence(self, edit: Edit) -> list[Span]:
        """Return spans of the response that may be evidence for an edit, the likeliest first.

        They are sought by the words of the instruction that the edit links to or the item has, else
        by the item's own words. The item's present span is left out. For `deny` they are spans that
        may deny the instruction, and the item's own excerpt comes first. Returns an empty list
        without a cell.
        """
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
        """Ask for new words of the item under the cursor, and look them up in the response.

        What the person typed is offered again if the correction is not made; a note says why it is
        not. Raises Refused if the words cannot be changed or nothing may be corrected. Raises Left
        if no item is visible or the person leaves.
        """
        edit = self._edit_of_words("reword")
        about = "Reword", self._items.trait.name, edit.seen
        new_text = await self._review.line("Reword", edit.seen or "", about=about)
        if self._review.correct([(replace(edit, text=new_text),)]):
            self._review.done_with(about)

    async def replace(self) -> None:
        """Put other words of the response in the place of the excerpt under the cursor.

        They are the selected ones, else the person is asked to select some. Words elsewhere correct
        the judge's evidence only, if bucket and instruction are the judge's. No words mean that the
        instruction is met by omission. Raises Refused if it cannot be or is so already, for items
        of FN and TN, for no item, and if nothing may be corrected; what else the rules refuse is
        only told. Raises Left if no item is visible or the person leaves.
        """
        row = self._row()
        if row.bucket not in EXCERPTS:
            raise Refused(
                f"{MARKS[row.bucket]} holds no words of the response. {TAKES}",
            )
        edit = edit_of("reword", row)
        span = None
        cell = self._items.cell
        if self._review.selecting:
            span = self._selected()
        else:
            offers = self._likely_evidence(edit)
            if row.item.span:
                offers.insert(0, row.item.span)
            span = await self._review.select_words(offers)
        if cell is not None and is_other_evidence(cell, row.place, span):
            edit = replace(edit, wrong_evidence=True)
        if span:
            start, end = span
            edit = replace(edit, text=self._words_at(span), start=start, end=end)
        elif not row.item.omission and may_be_omitted(
            self._items.trait,
            row.bucket,
            row.link,
        ):
            edit = replace(edit, omission=True)
        else:
            raise Refused("The excerpt stays as it is; {item.drop:d} drops it.")
        self._review.correct([(edit,)])

    async def split(self) -> None:
        """Split the item under the cursor in two, where the person types a bar into its text.

        While words of the response are selected it is split where they begin, or where they end if
        the item does not begin before them. Raises Refused if neither is within the item, if
        anything but one bar was typed, if the item cannot be split, or if nothing may be corrected;
        a part without words is refused with a note alone. Raises Left if no item is visible, if no
        words are selected after all, or if the person leaves.
        """
        edit = self._edit_of_words("split")
        span = self._row().item.span
        if self._review.selecting:
            start, end = span or (0, 0)
            cuts = [
                offset - start for offset in self._selected() if start < offset < end
            ]
            if not cuts:
                raise Refused(
                    "Select words within the item's excerpt: {item.split:+} splits it before them.",
                )
            self._review.correct([(replace(edit, cut=cuts[0]),)])
            return
        about = "Split", self._items.trait.name, edit.seen
        typed = await self._review.line(
            "Split where you put a |",
            edit.seen or "",
            about=about,
        )
        if self._review.correct([(wanted_edits.split_at_bar(edit, typed),)]):
            self._review.done_with(about)

    async def merge(self) -> None:
        """Merge the item under the cursor with the next one of its bucket.

        What the rules refuse is told and not raised. Raises Refused for no item, if its words
        cannot be changed, or if nothing may be corrected. Raises Left if no item is visible.
        """
        self._review.correct([(self._edit_of_words("merge"),)])

    def _words_at(self, words: Span) -> str:
        return self._items.cell.subject.text[slice(*words)] if self._items.cell else ""

    def _mark(self, link: Link) -> str:
        return shown_mark(link_mark(*link), self._review.marks)

    def _row(self) -> ItemRow:
        """Return the item under the cursor, if it may be corrected.

        Raises Refused if there is none or nothing may be corrected, and Left if no item is visible.
        """
        self._require_correctable()
        if self._items.row is None:
            raise Refused(_NOTHING)
        return self._items.row

    def _edit_of_words(self, action: Action) -> Edit:
        """Return the start of an edit that changes the words of the item under the cursor.

        It names the action, the item's place and its present words; the caller adds the new text or
        offsets. Raises Refused if there is no item, or if its words cannot be changed: those of FN
        and TN, and of an omission, which has none. Raises Left if no item is visible.
        """
        row = self._row()
        reason = unworded(action, row.bucket, row.item)
        if reason:
            raise Refused(reason)
        return edit_of(action, row)

    async def missing(self) -> None:
        """Ask which instruction that is in no bucket to add to FN or, from the TN list, to TN.

        An addition that the rules refuse is told and not raised. Raises Refused if nothing may be
        corrected, or if every instruction is in a bucket already. Raises Left if the person leaves
        the list. It works without a visible item.
        """
        if self._review.readonly:
            raise Refused(READS_ONLY)
        open_links = wanted_edits.open_links(
            self._items.trait,
            self._items.labels,
            self._items.link,
        )
        if not open_links:
            raise Refused("Every instruction is in a bucket already.")
        link = await self._pick("Missing, or rightly absent", open_links, "")
        if link:
            list_name, number = link
            self._review.correct(
                [
                    (
                        Edit(
                            "add",
                            buckets_of(list_name)[1],
                            of=list_name,
                            instruction=number,
                        ),
                    ),
                ],
            )

    # -- the menu ----------------------------------------------------------------------------------

    async def menu(self) -> None:
        """Show a menu of what can be done at the cursor, and run what is picked as its key would.

        Its title is the item's or the instruction's text, or says that nothing is under the cursor.
        The first choice does nothing, and the last ones are the acts about the whole cell. Raises
        Left if the person leaves the menu.
        """
        title = "Nothing is under the cursor"
        if self._items.row:
            title = self._items.row.item.text
        elif self._items.entry:
            title = self._items.entry.text
        await pick_action(self._review, title, self.offers())

    def offers(self) -> dict[str, str]:
        """Return everything that can be done at the cursor: what it is, by the id of its key.

        Corrections are left out where nothing may be corrected. Empty without a cell.
        """
        items = self._items
        row = self._items.row
        offers = dict[str, str]()
        if items.cell is None:
            return offers
        if row and row.item.span:
            offers["text.evidence"] = "bring its evidence into sight"
        if not self._review.readonly:
            if items.last and row:
                offers["item.repeat"] = "the last correction once more"
            offers |= self._offered(items.cell.subject)
        if items.drawing.panel is not None or items.cell.rounds:
            offers["cell.proposals"] = "what each judge proposed, to adopt one"
        return {**offers, "view": f"show the {items.other_view}"}

    def _offered(self, subject: Subject) -> dict[str, str]:
        """Return the corrections that can be made here, by the id of their keys.

        Each has a text for the menu, which says what it does. First come those of the item or
        instruction under the cursor. Selecting words is always among them. Whether the session may
        correct at all is for the caller to ask.
        """
        offers = dict[str, str]()
        row = self._items.row
        entry = self._items.entry
        if entry:
            offers["item.turn"] = "turn it: found ⇄ missing, present ⇄ absent"
        if row:
            offers |= _offers_of_item(subject, self._items.labels, row)
        elif entry:
            offers |= {
                f"move.{bucket}": _into(bucket) for bucket in buckets_of(entry.of)
            }
        offers["text.select"] = "select words of the response"
        if open_instructions(subject.trait, self._items.labels):
            offers["item.missing"] = "add an instruction that is in no bucket yet"
        return offers


def _offers_of_item(subject: Subject, labels: Labels, row: ItemRow) -> dict[str, str]:
    """Return the corrections of one item that are possible: what each does, by its key's id.

    A move or drop is offered if the rules allow it, which is tried on a copy. Deny is for a linked
    or denied item, replace for TP and FP, reword and split for items there with words, and merge
    also needs that the next item has the same instruction. Relink and mark are always offered.
    """

    def is_permitted(edit: Edit) -> bool:
        """Return whether the rules allow an edit, by trying it on the labels; changes nothing."""
        try:
            permitted = permit(subject.trait, subject.trace, labels, edit)
            apply(subject.trait, subject.trace, labels, permitted)
        except Refused:
            return False
        return True

    is_excerpt = not unworded("reword", row.bucket)
    is_worded = not unworded("reword", row.bucket, row.item)
    following = labels.bucket(row.bucket)[row.index + 1 : row.index + 2]
    denial = "denied: words of the response say the contrary"
    if row.item.denied:
        denial = "take the denial back: it is left out"
    candidates = [
        (
            f"move.{bucket}",
            _into(bucket),
            is_permitted(wanted_edits.moved(row, bucket)[0]),
        )
        for bucket in MEANINGS
    ]
    candidates += [
        ("item.drop", "drop it", is_permitted(edit_of("drop", row))),
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
    return {key: words for key, words, is_offered in candidates if is_offered}


def _into(bucket: Bucket) -> str:
    """Return what a menu says of a move into a bucket, as "into TP: " and the bucket's meaning."""
    return f"into {MARKS[bucket]}: {MEANINGS[bucket]}"


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
    "item.mark",
    "x",
    "mark",
    "mark the item; moves and drops then take all marked",
    in_lines=True,
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
