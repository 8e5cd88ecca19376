"""Corrections of a cell made as one act, and what is said of it: the same on the screen and line by
line.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field

from appellate.core.act import Act
from appellate.core.cell import Cell
from appellate.core.commands import Correct
from appellate.core.describe import describe
from appellate.core.problem import Refused
from appellate.session.workbench import Change, Workbench

MOST_REMARKS = 2
"""What an act made count no more, or several times, is said so often; the rows mark all of it."""
FoundAgain = Callable[[Any, Cell], Any]
Remarks = Callable[[Cell, Cell], list[str]]


class CorrectionsMade(Struct):
    """What became of the corrections of so many items: the changes, and why others were refused."""

    count: int
    changes: list[Change] = field(default_factory=list)
    whys: list[str] = field(default_factory=list)

    def describe(self, done: str, remarks: Remarks, *, repeated: bool = False) -> str:
        """What there is to say of it; `done` says in the past tense what became of an item."""
        texts = [self._made(done, repeated=repeated)]
        for change in self.changes:
            texts += _remarks(change, remarks)
        return " ".join(filter(None, texts))

    def _made(self, done: str, *, repeated: bool) -> str:
        """How many items were corrected, and why others were not; nothing of a single one that
        speaks for itself.
        """
        again = "Repeated: " if repeated else ""
        if self.count == 1:
            return self._single(done, again)
        made = f"{again}{self.count - len(self.whys)} {done}"
        if not self.whys:
            return f"{made}: u takes them back together."
        others = len(set(self.whys)) - 1
        more = f" (and {others} other reasons)" if others else ""
        return f"{made}, {len(self.whys)} not: {self.whys[0]}{more}"

    def _single(self, done: str, again: str) -> str:
        if self.whys:
            return self.whys[0]
        steps = sum(len(one.after.facts) - len(one.before.facts) for one in self.changes)
        if steps > 1:
            return f"{again}{done.capitalize()} in {steps} steps: u takes them back together."
        if not again:
            return ""
        after = self.changes[0].after
        return f"{again}{describe(after, after.facts[-1])}."


def correct_each(
    bench: Workbench, no: int, items: Sequence[Sequence[Any]], found_again: FoundAgain
) -> CorrectionsMade:
    """Makes the corrections of each item of a cell, as one act, and leaves out those that are
    refused; raises NotKept, and Refused in a session that only reads.

    `found_again` gives an edit on the same item where it is by now.
    """
    made = CorrectionsMade(len(items))

    def correct_all(act: Act) -> None:
        for edits in items:
            # looked up one by one: each stands where the one before it left it
            asked = (Correct(found_again(edit, act.cell(no))) for edit in edits)
            try:
                act.do(no, asked)
            except Refused as refusal:
                made.whys.append(str(refusal))

    made.changes = bench.do_together(correct_all)
    return made


def _remarks(change: Change, remarks: Remarks) -> list[str]:
    """What a correction did beside what was asked."""
    texts = remarks(change.before, change.after)
    more = len(texts) - MOST_REMARKS
    if more > 0:
        last = texts[MOST_REMARKS - 1].removesuffix(".")
        texts[MOST_REMARKS - 1 :] = [f"{last} (and {more} more)."]
    if change.before.signed:
        texts.append("No longer signed off: a signs it again.")
    return texts
