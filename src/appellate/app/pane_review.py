"""What a pane may ask of this screen: the screen's own objects behind the one contract of
`ui/pane.py`, and the corrections it asks for, made as one act.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.evidence_selection import EvidenceSelection
from appellate.app.layout import Layout
from appellate.app.requests import Requests
from appellate.core.commands import Correct
from appellate.core.describe import describe
from appellate.core.problem import Refused
from appellate.ui.contract import Choice
from appellate.ui.key import Key
from appellate.ui.text import clip
from appellate.workbench import Act, Change

TITLE = 60  # the cells of a title
MOST_REMARKS = 2
"""What an act made count no more, or several times, is said so often; the rows mark all of it."""


class PaneReview:
    """The `Review` of the panes on the review screen. `press` does what the key of an id does."""

    def __init__(
        self,
        view: CellView,
        layout: Layout,
        dialogs: Dialogs,
        selection: EvidenceSelection,
        requests: Requests,
        keys: Sequence[Key],
        press: Callable[[str], object],
    ) -> None:
        self.marks = view.marks
        self.readonly = view.bench.readonly
        self.keys = keys
        self.say = dialogs.say
        self.take_words = selection.take
        self.select_words = selection.select
        self._view = view
        self._layout = layout
        self._dialogs = dialogs
        self._selection = selection
        self._requests = requests
        self._press = press

    @property
    def selecting(self) -> bool:
        return self._selection.on

    def looked(self) -> None:
        self._view.looked()
        if self._selection.on:
            self._dialogs.rest()

    def sees_item(self) -> bool:
        if not self._layout.is_response_alone:
            return True
        chosen = self._view.chosen
        if chosen is not None and not self._view.pane.has_marked:
            low, high = self._view.parts.response.in_sight
            if low < chosen.end and chosen.start < high:
                return True
        self.say("The item is out of sight: p goes to the next one in the text, z shows them all.")
        return False

    def run(self, key: str) -> None:
        self._press(key)

    # -- questions --------------------------------------------------------------------------------

    async def pick(
        self,
        title: str,
        choices: list[Choice],
        *,
        none: str = "",
        on_none: bool = False,
        about: Hashable = None,
        free: bool = False,
    ) -> str:
        return await self._dialogs.pick(
            clip(title, TITLE, self.marks),
            choices,
            none=none,
            on_none=on_none,
            about=self._here(about),
            free=free,
        )

    async def line(self, label: str, initial: str = "", *, about: Hashable = None) -> str:
        return await self._dialogs.line(label, initial, about=self._here(about))

    def done_with(self, about: Hashable) -> None:
        self._dialogs.done_with(self._here(about))

    def _here(self, about: Hashable) -> Hashable:
        """What is typed about an item belongs to it in this cell alone."""
        return None if about is None else (self._view.no, about)

    # -- corrections ------------------------------------------------------------------------------

    def correct(
        self, items: Sequence[Sequence[Any]], done: str = "changed", *, repeated: bool = False
    ) -> bool:
        """Makes the corrections of each item, leaves out those that are refused, and says what
        became of them.
        """
        whys: list[str] = []
        no, pane = self._view.no, self._view.pane

        def correct_each(act: Act) -> None:
            for edits in items:
                # looked up one by one: each stands where the one before it left it
                asked = (Correct(pane.found_again(edit, act.cell(no))) for edit in edits)
                try:
                    act.do(no, asked)
                except Refused as refusal:
                    whys.append(str(refusal))

        changes = self._requests.do(lambda: self._view.bench.do_together(correct_each))
        if changes:
            pane.corrected(items[-1][-1])
        if changes is not None:
            told = [_told(len(items), done, changes, whys, repeated=repeated)]
            for change in changes:
                told += self._remarks(change)
            self.say(" ".join(filter(None, told)) or self._requests.trouble)
        self._dialogs.rest()
        return bool(changes)

    def _remarks(self, change: Change) -> list[str]:
        """What a correction did beside what was asked."""
        remarks = self._view.pane.remarks(change.before, change.after)
        more = len(remarks) - MOST_REMARKS
        if more > 0:
            last = remarks[MOST_REMARKS - 1].removesuffix(".")
            remarks[MOST_REMARKS - 1 :] = [f"{last} (and {more} more)."]
        if change.before.signed:
            remarks.append("No longer signed off: a signs it again.")
        return remarks


def _told(count: int, done: str, changes: list[Change], whys: list[str], *, repeated: bool) -> str:
    """How many items were corrected, and why others were not; nothing of a single one that speaks
    for itself.
    """
    again = "Repeated: " if repeated else ""
    if count == 1:
        if whys:
            return whys[0]
        steps = sum(len(change.after.facts) - len(change.before.facts) for change in changes)
        if steps > 1:
            return f"{again}{done.capitalize()} in {steps} steps: u takes them back together."
        if not repeated:
            return ""
        after = changes[0].after
        return f"{again}{describe(after, after.facts[-1])}."
    made = f"{again}{count - len(whys)} {done}"
    if not whys:
        return f"{made}: u takes them back together."
    others = len(set(whys)) - 1
    more = f" (and {others} other reasons)" if others else ""
    return f"{made}, {len(whys)} not: {whys[0]}{more}"
