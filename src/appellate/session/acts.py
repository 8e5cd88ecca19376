"""Carries out what a person does to cells: correct, undo, flag, comment, adopt, sign off.

The screen and line mode both call `Acts`. Each method returns the sentence that tells the person
what was done, or raises Refused with the reason why it was not.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from textwrap import shorten
from typing import Any

from msgspec import Struct

from appellate.core.cell import reason_of
from appellate.core.deciding import Comment, Correct, Flag, Reason, why_unruled
from appellate.core.describe import describe, describe_design
from appellate.core.facts import Adopted, Corrected, Fact
from appellate.core.problem import Refused, many, wording
from appellate.session.workbench import Change, Direction, Workbench
from appellate.store.fact_rows import WHOLE_AUDIT
from appellate.ui.contract import ShownCell

MOST_REMARKS = 2
"""Remarks on one correction that are said in full; the rows on the screen mark all of them."""
LONGEST = 120
"""Characters of a sentence about an act. It must be readable on a screen of 80 columns."""
QUOTED = 40
"""Characters of a quotation within such a sentence, if something follows the quotation."""
_QUOTATION = re.compile(r"(?<=“)[^“”]+(?=”)")
_TO_LAST_WORD = re.compile(r"\A.*\w", re.DOTALL)
READS = "This session only reads: nothing can be changed in it."
_AGAIN: Mapping[Direction, str] = {
    "undo": "Press {cell.undo:u} again to undo",
    "redo": "Press {cell.redo:U} again to redo",
}
_UNDO_TOGETHER = "{cell.undo:u} undoes them together."
_NO_LONGER_SIGNED = "No longer signed off: {cell.sign:a} signs it again."
OF_THE_WHOLE = "That was done to the whole audit: there is no single cell to go to."


class Reversal(Struct, frozen=True):
    """The result of an undo or a redo."""

    text: str
    """A sentence that says what was undone or redone."""
    changes: Sequence[Change]
    """The cells that changed; empty if a rubric was undone or redone: any cell may have changed."""


class Acts:
    """What one reviewer can do to cells, each named by its number.

    A method that changes a cell returns a sentence about what it did. It raises Refused with the
    reason if it cannot, or NotKept if the change could not be saved.

    Two things are asked about once and need the same key again: signing a cell off that something
    speaks against, and undoing an act in cells that are not visible. `forget_doubt` says that
    another key came between.
    """

    def __init__(self, bench: Workbench) -> None:
        """Begin without any question that waits for an answer; nothing in `bench` changes."""
        self._bench = bench
        self._doubted = 0, ""
        """The number of the cell that was last asked about, and what speaks against signing it."""
        self._asked_about = "", 0
        """The direction that waits for the same key again, and the number of the act's first fact.
        """

    def may_change(self) -> None:
        """Raise Refused in a session that only reads; nothing else is asked."""
        if self._bench.readonly:
            raise Refused(READS)

    def correct(
        self,
        cell_no: int,
        shown: ShownCell,
        items: Sequence[Sequence[Any]],
        past_tense: str,
        *,
        repeated: bool = False,
        note: str = "",
    ) -> tuple[str, list[Change]]:
        """Correct the items of a cell as one act; return what to tell the person, and the changes.

        `items` has the edits of each item: at least one item, and at least one edit of each. An
        item is corrected by all of its edits, or is left out if one is refused; the text then says
        why. There is one change, or none if all were refused. The text is "" if one item was
        corrected in one step and nothing more is to be said.

        `past_tense` says what was done to an item ("moved"). `note` is a sentence on what was
        decided without being asked, and `repeated` marks a repetition of the last act: both show
        only if something changed. The text has keys as `{cell.undo:u}`, for `with_keys`. `shown`
        takes note of the last edit. Raises Refused in a session that only reads, or NotKept.
        """
        refusals: list[str] = []
        act = self._bench.begin()
        for edits in items:
            # lazily, as an edit is adjusted to where the edits before it left its item
            corrections = (
                Correct(shown.found_again(edit, act.cell(cell_no))) for edit in edits
            )
            try:
                act.do(cell_no, corrections)
            except Refused as refusal:
                refusals.append(wording(refusal))
        changes = self._bench.keep(act)

        if len(items) > 1:
            result = _describe_result(len(items), past_tense, refusals)
        else:
            result = "".join(refusals)
            steps = sum(
                len(change.after.facts) - len(change.before.facts) for change in changes
            )
            if steps > 1:
                result = f"{past_tense.capitalize()} in {steps} steps: {_UNDO_TOGETHER}"

        texts = [result]
        for change in changes:
            if repeated:
                what = result
                if not what:
                    what = describe(change.after, change.after.facts[-1]) + "."
                texts = [f"Repeated: {what}"]
            last_item = items[-1]
            shown.corrected(last_item[-1])
            texts.insert(0, note)
            texts += _first_remarks(shown.remarks(change.before, change.after))
            if change.before.signed:
                texts.append(_NO_LONGER_SIGNED)
        return " ".join(filter(None, texts)), changes

    # -- undo and redo ----------------------------------------------------------------------------

    def undo_or_redo(
        self,
        direction: Direction,
        visible_cells: Collection[int],
    ) -> Reversal:
        """Undo this reviewer's last act or redo the last undone one, and return what was done.

        An act that touched none of the `visible_cells`, or changed the rubric, is only described at
        first, by raising Refused. The next call carries it out, if the act is still the next one
        and `forget_doubt` was not called in between. Raises Refused also if there is nothing to
        undo or redo, if that is not possible now, and in a session that only reads. Raises NotKept.
        """
        facts = self._bench.facts_to_reverse(direction)
        cells = {cell_no for _, cell_no in facts}
        if facts and not self._bench.readonly and cells.isdisjoint(visible_cells):
            first_fact_no, _ = facts[0]
            if self._asked_about != (direction, first_fact_no):
                self._asked_about = direction, first_fact_no
                raise Refused(self._describe_next(direction, facts))
        self._asked_about = "", 0
        return self.undo_or_redo_anywhere(direction)

    def undo_or_redo_anywhere(self, direction: Direction) -> Reversal:
        """Undo the last act or redo the last undone one without asking, in whatever cells it was.

        Returns its cells' changes and a line like `Undone: flagged (t-1 · Style)`. For a change of
        the rubric there are no changes, and the text is a sentence about it. Raises Refused if
        there is nothing to undo or redo, if that is not possible now, and in a session that only
        reads. Raises NotKept.
        """
        turn = self._bench.undo if direction == "undo" else self._bench.redo
        changes = turn()
        if not changes:
            events = self._bench.workspace.design.facts()
            latest = events[-1]
            text = describe_design(latest.what)
            return Reversal(sentence(text), changes)

        facts = sorted(changes[0].reversed_facts, key=attrgetter("n"))
        first = facts[0]
        change = next(change for change in changes if first in change.after.facts)
        text = brief(describe(change.after, first))
        cell_nos = [change.no for change in changes]
        described = self._with_extent(text, len(facts), cell_nos)
        verb = "Undone" if direction == "undo" else "Redone"
        return Reversal(f"{verb}: {described}", changes)

    def _describe_next(
        self,
        direction: Direction,
        facts: Sequence[tuple[int, int]],
    ) -> str:
        """Return a sentence on what pressing the same key again would undo or redo, and where.

        An example is `Press {cell.undo:u} again to undo: flagged (t-1 · Style).` A change of the
        rubric has no place. `facts` has the number and the cell of each fact of that act, at least
        one; the first is described, and the others are counted. If the reviewer may not see it,
        because the judge was hidden after it, it is called `what you did before the judge was
        hidden`. Nothing is undone.
        """
        first_fact_no, cell_no = min(facts)
        again = _AGAIN[direction]
        if cell_no == WHOLE_AUDIT:
            events = self._bench.workspace.design.facts()
            text = next(
                describe_design(event.what)
                for event in events
                if event.n == first_fact_no
            )
            return f"{again}: {brief(text)}."

        _, cell = self._bench.open(cell_no)
        text = "what you did before the judge was hidden"
        for fact in cell.facts:
            if fact.n == first_fact_no:
                text = brief(describe(cell, fact))
                break
        cell_nos = [number for _, number in sorted(facts)]
        described = self._with_extent(text, len(facts), cell_nos)
        return f"{again}: {described}."

    def _with_extent(self, text: str, fact_count: int, cell_nos: Sequence[int]) -> str:
        """Return a text about an act's first fact, then how many other facts it has, and where.

        An example is `flagged (and 2 more of the same act) (t-1 · Style and 1 more cell)`. The
        first of `cell_nos` is named; the others are counted, each cell once. With one fact and one
        cell it is `flagged (t-1 · Style)`.
        """
        if fact_count > 1:
            text += f" (and {fact_count - 1} more of the same act)"
        where = self._bench.workspace.cells.row(cell_nos[0]).name
        other_cells = len(set(cell_nos)) - 1
        if other_cells:
            count = many(other_cells, "more cell")
            where = f"{where} and {count}"
        return f"{text} ({where})"

    # -- flag, comment, reason --------------------------------------------------------------------

    def flag(self, cell_no: int) -> str:
        """Set the flag of a cell, or clear it if it is set; return a sentence that says which.

        It is `Flagged.` or `Removed the flag.` Raises Refused to an agent while the judge is
        hidden, and in a session that only reads. Raises NotKept.
        """
        _, cell = self._bench.open(cell_no)
        change = self._bench.do(cell_no, Flag(not cell.flag))
        latest = change.after.facts[-1]
        text = describe(change.after, latest)
        return sentence(text)

    def comment(self, cell_no: int, text: str) -> str:
        """Save a comment on a cell, and return a sentence that says so.

        Blanks around `text` are dropped. The sentence has a key as `{cell.comments:C}`, for
        `with_keys`. Raises Refused for an empty or blank text, to an agent while the judge is
        hidden, and in a session that only reads. Raises NotKept.
        """
        self._bench.do(cell_no, Comment(text))
        return "Comment saved. {cell.comments:C} shows them all."

    def last_correction(self, cell_no: int) -> tuple[Fact, str]:
        """Return a cell's last correction or adoption that was not undone, and its reason.

        It may be by anyone. The reason is "" if none was given. Raises Refused if the cell has no
        such fact, and in a session that only reads.
        """
        self.may_change()
        _, cell = self._bench.open(cell_no)
        for fact in reversed(cell.facts):
            if fact.n in cell.undone:
                continue
            if isinstance(fact.what, Corrected | Adopted):
                return fact, reason_of(cell, fact)
        raise Refused("A reason belongs to a correction, and this cell has none now.")

    def reason(self, cell_no: int, correction: Fact, text: str) -> str:
        """Save why a correction was made, and return a sentence that says so.

        It is `Reason saved: said twice`, without a full stop. Blanks around `text` are dropped. An
        empty or blank one saves nothing: the sentence is then `The reason is unchanged: said
        twice`, or `No reason given.` if there was none. Raises Refused if `correction` is no
        correction or adoption of this cell, to an agent while the judge is hidden, and in a session
        that only reads. Raises NotKept.
        """
        new_reason = text.strip()
        if new_reason:
            self._bench.do(cell_no, Reason(correction.n, new_reason))
            return f"Reason saved: {new_reason}"
        _, cell = self._bench.open(cell_no)
        current = reason_of(cell, correction)
        if not current:
            return "No reason given."
        return f"The reason is unchanged: {current}"

    def adopt(self, cell_no: int, fact_no: int, member: int | None, source: str) -> str:
        """Replace a cell's labels by those that a fact proposed, and return a sentence about it.

        The fact is a judge's proposal or the contest of two label sets. `member` is a member of
        that panel, or a side of that contest, from 0; None takes the proposal itself. `source`
        names whose labels they are: `Adopted the labels of gpt-5: {cell.undo:u} undoes it.` A
        second sentence follows if the cell is therefore no longer signed off. Both have keys for
        `with_keys`. Raises Refused if there are no such labels, if the cell has them already, and
        in a session that only reads. Raises it for a judge's proposal while the judge is hidden,
        and to an agent if a person signed the cell off. Raises NotKept.
        """
        change = self._bench.adopt(cell_no, fact_no, member)
        text = f"Adopted the labels of {source}: {{cell.undo:u}} undoes it."
        if change.before.signed:
            text += f" {_NO_LONGER_SIGNED}"
        return text

    # -- signing off ------------------------------------------------------------------------------

    def forget_doubt(self) -> None:
        """Forget which sign-off or undo waits for the same key again, as another key was pressed.

        The next such sign-off or undo asks again. Nothing else changes.
        """
        self._doubted = 0, ""
        self._asked_about = "", 0

    def sign(
        self,
        cell_no: int,
        shown: ShownCell,
        seconds: float,
        *,
        key: str = "a",
        held: bool = False,
    ) -> Change:
        """Sign a cell off, or lock the verdict if its judge is hidden; return the change.

        `seconds` is how long the cell was visible, and `key` names the key in sentences. `held` is
        whether it is held down: then Refused is always raised, as a long press signs off one cell.
        Doubts of `shown` raise Refused once; the next call about this cell with the same doubts
        signs. Raises Refused also without labels, for a cell that is signed off already, for a
        blind verdict that is not complete, to an agent and in a session that only reads. Raises
        NotKept.
        """
        self._bench.may_write()
        _, cell = self._bench.open(cell_no)
        if cell.hidden:
            unruled = why_unruled(cell)
            if unruled:
                raise Refused(unruled)

        if cell.labels is not None:
            doubts = shown.doubts()
            previously_doubted = self._doubted
            self._doubted = (cell_no, doubts)
            if doubts and (held or previously_doubted != self._doubted):
                effect = "lock it" if cell.hidden else "sign it off"
                raise Refused(f"{doubts} Press {key} again to {effect} anyway.")
            if held:
                raise Refused(
                    f"A key that is held down signs off only one cell: press {key} again for this"
                    " one.",
                )
        return self._bench.sign_off(cell_no, seconds)


def _describe_result(item_count: int, past_tense: str, refusals: Sequence[str]) -> str:
    """Return how many of several items were corrected, and why the others were not.

    Examples are `3 moved: {cell.undo:u} undoes them together.` and `2 moved, 1 not: It is no
    excerpt.` `refusals` has a sentence for each item that was not corrected. The first of them is
    quoted, and other different ones are counted at its end: `It is no excerpt (and 1 other
    reason).`
    """
    text = f"{item_count - len(refusals)} {past_tense}"
    if not refusals:
        return f"{text}: {_UNDO_TOGETHER}"

    reason = refusals[0]
    other_reasons = len(set(refusals)) - 1
    if other_reasons:
        count = many(other_reasons, "other reason")
        reason = f"{reason.removesuffix('.')} (and {count})."
    return f"{text}, {len(refusals)} not: {reason}"


def _first_remarks(remarks: Sequence[str]) -> Sequence[str]:
    """Return the first `MOST_REMARKS` of these sentences, the last of them with how many follow.

    It then ends like `It is said twice (and 3 more).` If none follow, the sentences are returned as
    they are.
    """
    extra = len(remarks) - MOST_REMARKS
    if extra <= 0:
        return remarks
    *first_remarks, last_remark = remarks[:MOST_REMARKS]
    return [*first_remarks, f"{last_remark.removesuffix('.')} (and {extra} more)."]


def brief(text: str) -> str:
    """Return a text about an act in one line of about `LONGEST` characters; " …" marks a cut.

    A shorter text is only brought into one line: blanks and line ends become single spaces. A
    longer one is cut between words. Before that, quotations in “ ” are shortened, except one that
    ends the text. Quotation marks and brackets that the cut left open are closed, which may make it
    a little longer. No full stop is added.
    """
    if len(text) > LONGEST:
        last_word = _TO_LAST_WORD.match(text)
        end = last_word.end() if last_word else 0
        beginning = _QUOTATION.sub(_shorten_quotation, text[:end])
        text = beginning + text[end:]
    shortened = shorten(text, LONGEST, placeholder=" …")
    if not shortened.endswith(" …"):
        return shortened

    closing_marks = ""
    for letter in shortened:
        is_in_quotation = closing_marks.startswith("”")
        if letter == "“":
            closing_marks = f"”{closing_marks}"
        elif letter == "(" and not is_in_quotation:
            closing_marks = f"){closing_marks}"
        elif letter == closing_marks[:1]:
            closing_marks = closing_marks[1:]
    return shortened + closing_marks


def _shorten_quotation(quotation: re.Match[str]) -> str:
    """Return a quotation, without its marks, of at most `QUOTED` characters; " …" marks a cut."""
    return shorten(quotation[0], QUOTED, placeholder=" …")


def sentence(text: str) -> str:
    """Return a text with its first character in upper case, and with one full stop at its end.

    `flagged` becomes `Flagged.` The text must not be empty.
    """
    first_letter = text[:1].upper()
    others = text[1:].removesuffix(".")
    return f"{first_letter}{others}."
