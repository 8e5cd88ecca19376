"""What the panes of the kinds ask of the review screen."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Unpack

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.reading.response_actions import ResponseActions
from appellate.app.reading.text_search import EvidenceSelection
from appellate.app.requests import Requests, Standing
from appellate.ui.contract import Choice, Picking
from appellate.ui.key import Key
from appellate.ui.text import clip

TITLE = 60  # the cells of a title


class PaneReview:
    """The `Review` of the panes on the review screen."""

    def __init__(
        self,
        view: CellView,
        selection: EvidenceSelection,
        reading: ResponseActions,
        requests: Requests,
        dialogs: Dialogs,
        standing: Standing,
        keys: Sequence[Key],
        *,
        press: Callable[[str], object],
        is_response_alone: Callable[[], bool],
    ) -> None:
        """`press` does what the key of an id does."""
        self._view = view
        self._selection = selection
        self._reading = reading
        self._requests = requests
        self._dialogs = dialogs
        self._standing = standing
        self._press = press
        self._is_response_alone = is_response_alone
        self.marks = view.marks
        self.readonly = view.bench.readonly
        self.keys = keys
        self.say = dialogs.say
        self.copy = reading.copy_text
        self.take_words = selection.take
        self.select_words = selection.select

    @property
    def of_cell(self) -> Sequence[str]:
        found: list[str] = []
        if not self.readonly:
            found += ("cell.sign", "item.reason", "cell.comment", "cell.flag", "cell.undo")
        if self._view.bench.count_suspect_passages(self._view.no):
            found.append("text.plea")
        if self._view.parts.response.steps is not None:
            found.append("step.unfold")
        if self._reading.has_copied:
            found.append("cell.copy_again")
        if not self.readonly:
            found.append("cell.bookmark")
        return found

    @property
    def judging(self) -> bool:
        return self._view.progress is not None

    @property
    def selecting(self) -> bool:
        return self._selection.on

    def looked(self) -> None:
        self._view.looked()
        if self._selection.on:
            self._dialogs.rest()

    def sees_item(self) -> bool:
        if not self._is_response_alone():
            return True
        chosen = self._view.chosen
        if chosen is not None and not self._view.pane.has_marked:
            low, high = self._view.parts.response.in_sight
            if low < chosen.end and chosen.start < high:
                return True
        self.say(
            "The item is out of sight: {text.next:p} goes to the next one in the text, "
            "{text.focus:z} shows them all."
        )
        return False

    def run(self, key: str) -> None:
        self._press(key)

    # -- questions --------------------------------------------------------------------------------

    async def pick(self, title: str, choices: list[Choice], **how: Unpack[Picking]) -> str:
        how["about"] = self._here(how.get("about"))
        return await self._dialogs.pick(clip(title, TITLE, self.marks), choices, **how)

    async def line(
        self,
        label: str,
        initial: str = "",
        *,
        about: Hashable = None,
        typed: str | None = None,
        checking: Callable[[str], str] | None = None,
    ) -> str:
        about = self._here(about)
        return await self._dialogs.line(label, initial, about=about, typed=typed, checking=checking)

    def done_with(self, about: Hashable) -> None:
        self._dialogs.done_with(self._here(about))

    def _here(self, about: Hashable) -> Hashable:
        """What is typed about an item belongs to it in this cell alone."""
        return None if about is None else (self._view.no, about)

    # -- corrections ------------------------------------------------------------------------------

    def correct(
        self,
        items: Sequence[Sequence[Any]],
        done: str = "changed",
        *,
        repeated: bool = False,
        note: str = "",
    ) -> bool:
        """Makes corrections but for those refused, and says what became of them."""
        no = self._view.no
        shown = self._view.pane.items
        made = self._requests.do(
            self._requests.acts.correct, no, shown, items, done, repeated=repeated, note=note
        )
        if made is None:
            self._dialogs.rest()
            return False
        text, changes = made
        self.say(text or self._standing.trouble)
        self._dialogs.rest()
        return bool(changes)
