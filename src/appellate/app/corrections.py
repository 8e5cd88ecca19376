"""Corrections that a pane asks for, made as one act, and what is said of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.requests import Requests
from appellate.core.commands import Correct
from appellate.core.describe import describe
from appellate.core.problem import Refused
from appellate.ui.pane import KindPane
from appellate.workbench import Act, Change, Workbench

MOST_REMARKS = (
    2  # what an act made count no more, or several times, is said so often; the rows mark all of it
)


class Corrections:
    """Carries corrections of the cell in sight out."""

    def __init__(
        self, bench: Workbench, view: CellView, requests: Requests, dialogs: Dialogs
    ) -> None:
        self._bench = bench
        self._view = view
        self._requests = requests
        self._dialogs = dialogs

    def correct(self, items: Sequence[Sequence[Any]], done: str, *, repeated: bool) -> bool:
        """Makes the corrections of each item, leaves out those that are refused, and says what became of them."""
        whys: list[str] = []
        pane = self._view.pane

        def corrections(act: Act) -> None:
            for edits in items:
                try:
                    act.do(self._view.no, self._steps(edits, act, pane))
                except Refused as refusal:
                    whys.append(str(refusal))

        changes = self._requests.do(lambda: self._bench.do_together(corrections))
        if changes:
            pane.corrected(items[-1][-1])
        if changes is not None:
            told = [_sum(items, done, changes, whys, repeated=repeated)]
            told += [remark for change in changes for remark in self._remarks(change)]
            self._dialogs.say(" ".join(filter(None, told)) or self._requests.trouble)
        self._dialogs.rest()
        return bool(changes)

    def _steps(self, edits: Sequence[Any], act: Act, pane: KindPane) -> Iterator[Correct]:
        """The corrections for one item, each of the labels that the one before it left."""
        for edit in edits:
            yield Correct(pane.found_again(edit, act.cell(self._view.no)))

    def _remarks(self, change: Change) -> list[str]:
        """What a correction did beside what was asked."""
        counted = self._view.pane.remarks(change.before, change.after)
        if len(counted) > MOST_REMARKS:
            more = len(counted) - MOST_REMARKS
            counted[MOST_REMARKS - 1 :] = [
                f"{counted[MOST_REMARKS - 1].removesuffix('.')} (and {more} more)."
            ]
        if change.before.signed:
            counted.append("No longer signed off: a signs it again.")
        return counted


def _sum(
    items: Sequence[Sequence[Any]],
    done: str,
    changes: list[Change],
    whys: list[str],
    *,
    repeated: bool,
) -> str:
    """How many items were corrected, and why others were not; nothing of a single one that speaks for itself."""
    count = len(items)
    if count == 1 and whys:
        return whys[0]
    again = "Repeated: " if repeated else ""
    steps = sum(len(change.after.facts) - len(change.before.facts) for change in changes)
    if count == 1 and steps > 1:
        return f"{again}{done.capitalize()} in {steps} steps: u takes them back together."
    if count == 1:
        after = changes[0].after
        return f"{again}{describe(after, after.facts[-1])}." if again else ""
    made = f"{again}{count - len(whys)} {done}"
    if not whys:
        return f"{made}: u takes them back together."
    others = f" (and {len(set(whys)) - 1} other reasons)" if len(set(whys)) > 1 else ""
    return f"{made}, {len(whys)} not: {whys[0]}{others}"
