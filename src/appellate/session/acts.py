"""What a person does at the bench, for screen and lines: each gives a sentence, or is refused."""

import re
from collections.abc import Collection, Mapping, Sequence
from textwrap import shorten
from typing import Any

from msgspec import Struct

from appellate.core.cell import Cell, reason_of
from appellate.core.deciding import Act, Comment, Correct, Flag, Reason, why_unruled
from appellate.core.describe import describe, describe_design
from appellate.core.facts import Adopted, Corrected, Fact
from appellate.core.problem import Refused, many, wording
from appellate.session.workbench import Change, Which, Workbench
from appellate.store.fact_rows import WHOLE_AUDIT
from appellate.ui.contract import ShownCell

MOST_REMARKS = 2
"""So often it is mentioned what counts no more, or several times; the rows mark all of it."""
LONGEST = 120
QUOTED = 40
"""Characters of what an act did, read at 80 columns, too; and of a quotation, if more follows."""
_QUOTATION = re.compile(r"(?<=“)[^“”]+(?=”)")
_TO_LAST_WORD = re.compile(r"\A.*\w", re.DOTALL)
READS = "This session only reads: nothing can be changed in it."
_AGAIN: Mapping[Which, str] = {
    "undo": "{cell.undo:u} again takes back",
    "redo": "{cell.redo:U} again does again",
}
OF_THE_WHOLE = "That was done to the whole audit: there is no single cell to go to."


class Turned(Struct, frozen=True):
    """What an undo or redo came to: a sentence, and the cells that changed.

    There is no such cell where a rubric was turned: then any may have changed.
    """

    text: str
    changes: Sequence[Change]


class Acts:
    """Acts on cells by number. A doubt stops the first `sign`, and again after `forget_doubt`; so
    does the place of an act that `turn` would turn out of sight.
    """

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._doubted = 0, ""  # the cell, and what speaks against signing it off
        self._asked_about = "", 0  # the undo or redo that waits for a second key, and of which act

    def may_change(self) -> None:
        """Raises Refused in a session that only reads."""
        if self._bench.readonly:
            raise Refused(READS)

    def correct(
        self,
        no: int,
        shown: ShownCell,
        items: Sequence[Sequence[Any]],
        done: str,
        *,
        repeated: bool = False,
        note: str = "",
    ) -> tuple[str, list[Change]]:
        """Corrects the items of a cell as one act, leaving out what is refused; says what changed.

        `done` says in the past tense what became of an item, `note` what was decided unasked.
        """
        whys: list[str] = []  # of those that were refused
        act = self._bench.begin()
        for edits in items:
            try:
                self._correct_item(act, no, shown, edits)
            except Refused as refusal:
                whys.append(wording(refusal))
        changes = self._bench.keep(act)
        texts = [self._describe_made(len(items), changes, whys, done)]
        if repeated and changes:
            after = changes[0].after
            texts = [f"Repeated: {texts[0] or describe(after, after.facts[-1]) + '.'}"]
        if changes:
            shown.corrected(items[-1][-1])
            texts.insert(0, note)
        for change in changes:
            texts += self._describe_beside(change, shown)
        return " ".join(filter(None, texts)), changes

    @staticmethod
    def _correct_item(act: Act, no: int, shown: ShownCell, edits: Sequence[Any]) -> None:
        """Add the corrections of one item to an act; raises Refused and then has added none."""
        # looked up one by one: each is where the one before it left it
        act.do(no, (Correct(shown.found_again(edit, act.cell(no))) for edit in edits))

    @staticmethod
    def _describe_made(
        count: int, changes: Sequence[Change], whys: Sequence[str], done: str
    ) -> str:
        """How many items were corrected, and why others were not; nothing of a single one."""
        if count == 1:
            steps = sum(len(one.after.facts) - len(one.before.facts) for one in changes)
            if steps > 1:
                made = f"{done.capitalize()} in {steps} steps"
                return f"{made}: {{cell.undo:u}} takes them back together."
            return "".join(whys)
        made = f"{count - len(whys)} {done}"
        if not whys:
            return f"{made}: {{cell.undo:u}} takes them back together."
        why = whys[0]
        others = len(set(whys)) - 1
        if others:
            why = f"{why.removesuffix('.')} (and {many(others, 'other reason')})."
        return f"{made}, {len(whys)} not: {why}"

    @staticmethod
    def _describe_beside(change: Change, shown: ShownCell) -> list[str]:
        """What a correction did beside what was asked."""
        texts = shown.remarks(change.before, change.after)
        more = len(texts) - MOST_REMARKS
        if more > 0:
            last = texts[MOST_REMARKS - 1].removesuffix(".")
            texts[MOST_REMARKS - 1 :] = [f"{last} (and {more} more)."]
        if change.before.signed:
            texts.append("No longer signed off: {cell.sign:a} signs it again.")
        return texts

    # -- taking back ------------------------------------------------------------------------------

    def turn(self, which: Which, in_sight: Collection[int]) -> Turned:
        """Takes this reviewer's last act back or does it again.

        One that touches none of the cells `in_sight` is told first, and waits for the same key
        again; `forget_doubt` says that another came between. Raises Refused for that, too.
        """
        found = self._bench.next_turn(which)
        cells = {cell for _, cell in found}
        if found and not self._bench.readonly and cells.isdisjoint(in_sight):
            first, _ = found[0]
            if self._asked_about != (which, first):
                self._asked_about = which, first
                raise Refused(self._describe_next(which, found))
        self._asked_about = "", 0
        return self.turn_here(which)

    def turn_here(self, which: Which) -> Turned:
        """Takes the last act back, or does it again, wherever it was."""
        changes = self._bench.undo() if which == "undo" else self._bench.redo()
        if not changes:
            events = self._bench.workspace.design.facts()
            return Turned(f"{sentence(describe_design(events[-1].what))}", changes)
        return Turned(self._describe_turned(which, changes), changes)

    def _describe_next(self, which: Which, found: Sequence[tuple[int, int]]) -> str:
        """What the key would turn if it were pressed once more, and where that was done."""
        first, cell = min(found)
        again = _AGAIN[which]
        if cell == WHOLE_AUDIT:
            events = self._bench.workspace.design.facts()
            text = next(describe_design(one.what) for one in events if one.n == first)
            return f"{again}: {brief(text)}."
        shown = self._bench.open(cell)[1]
        fact = next((one for one in shown.facts if one.n == first), None)
        text = "what you did before the judge was hidden"
        if fact is not None:
            text = brief(describe(shown, fact))
        if len(found) > 1:
            text += f" (and {len(found) - 1} more of the same act)"
        where = self._where({number for _, number in found}, cell)
        return f"{again}: {text} ({where})."

    def _describe_turned(self, which: Which, changes: Sequence[Change]) -> str:
        """The act that was taken back or done again: its first part, of how many, and where."""
        acts = sorted(changes[0].turned, key=lambda fact: fact.n)
        change = next(one for one in changes if acts[0] in one.after.facts)
        text = brief(describe(change.after, acts[0]))
        if len(acts) > 1:
            text += f" (and {len(acts) - 1} more of the same act)"
        verb = "Undone" if which == "undo" else "Done again"
        where = self._where({one.no for one in changes}, changes[0].no)
        return f"{verb}: {text} ({where})"

    def _where(self, cells: Collection[int], first: int) -> str:
        """The name of the first cell of an act, and how many more there are."""
        where = self._bench.workspace.cells.row(first).name
        if len(cells) > 1:
            where += f" and {many(len(cells) - 1, 'more cell')}"
        return where

    # -- flag, comment, reason --------------------------------------------------------------------

    def flag(self, no: int) -> str:
        """Sets the flag or takes it down."""
        after = self._bench.do(no, Flag(not self._bench.open(no)[1].flag)).after
        return sentence(describe(after, after.facts[-1]))

    def comment(self, no: int, text: str) -> str:
        self._bench.do(no, Comment(text))
        return "Comment saved. {cell.comments:C} shows them all."

    def reasoned(self, no: int) -> tuple[Fact, str]:
        """The last correction of a cell or labels taken over, unless undone, and the reason."""
        self.may_change()
        cell = self._bench.open(no)[1]
        standing = [fact for fact in cell.facts if fact.n not in cell.undone]
        standing = [fact for fact in standing if isinstance(fact.what, Corrected | Adopted)]
        if not standing:
            raise Refused("A reason belongs to a correction, and this cell has none now.")
        return standing[-1], reason_of(cell, standing[-1])

    def reason(self, no: int, of: Fact, text: str) -> str:
        """Gives a correction its reason; none leaves it as it is."""
        if text:
            self._bench.do(no, Reason(of.n, text))
            return f"Reason saved: {text}"
        given = reason_of(self._bench.open(no)[1], of)
        return f"The reason stays: {given}" if given else "No reason given."

    def adopt(self, no: int, proposal: int, member: int | None, source: str) -> str:
        """Makes the labels of a cell those that a fact proposed, or a member of its panel."""
        change = self._bench.adopt(no, proposal, member)
        text = f"Adopted the labels of {source}: {{cell.undo:u}} takes it back."
        if change.before.signed:
            text += " No longer signed off: {cell.sign:a} signs it again."
        return text

    # -- signing off ------------------------------------------------------------------------------

    def forget_doubt(self) -> None:
        """Another key was pressed: what waits for a second press of the same is forgotten."""
        self._doubted = 0, ""
        self._asked_about = "", 0

    def sign(
        self, no: int, shown: ShownCell, seconds: float, *, key: str = "a", held: bool = False
    ) -> Change:
        """Signs a cell off, or locks a blind verdict; refuses once where there is a doubt."""
        cell = self._bench.open(no)[1]
        if not self._bench.readonly:
            self._check(no, cell, shown, key, held=held)
        return self._bench.sign_off(no, seconds)

    def _check(self, no: int, cell: Cell, shown: ShownCell, key: str, *, held: bool) -> None:
        if cell.hidden and (unruled := why_unruled(cell)):
            raise Refused(unruled)
        if cell.labels is None:
            return
        doubts = shown.doubts()
        doubted = self._doubted
        self._doubted = (no, doubts)
        if doubts and (held or doubted != self._doubted):
            does = "locks it" if cell.hidden else "signs it off"
            raise Refused(f"{doubts} {key} again {does} all the same.")
        if held:
            raise Refused(f"A key held down signs off one cell: press {key} again for this one.")


def brief(text: str) -> str:
    """What an act did, in as many letters as it takes to know it again, pairs of marks closed."""
    if len(text) > LONGEST:
        found = _TO_LAST_WORD.match(text)
        end = found.end() if found else 0  # a quotation that ends behind it is the last thing said
        quoted = _QUOTATION.sub(lambda one: shorten(one[0], QUOTED, placeholder=" …"), text[:end])
        text = quoted + text[end:]
    cut = shorten(text, LONGEST, placeholder=" …")
    if not cut.endswith(" …"):
        return cut
    ends = ""
    for letter in cut:
        if letter == "“":
            ends = f"”{ends}"
        elif letter == "(" and not ends.startswith("”"):
            ends = f"){ends}"
        elif letter == ends[:1]:
            ends = ends[1:]
    return cut + ends


def sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."
