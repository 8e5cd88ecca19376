"""The part of the review screen that the panes of the kinds use.

A pane asks its `Review` for an answer (`pick`, `line`), for a correction (`correct`), or to say
something. `PaneReview` passes each on to the object that does it.
"""

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

TITLE = 60
"""Columns that the title of a list of choices may take."""


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
        """Keep the objects that do what a pane asks for.

        `press` does what the key with the given id does. `is_response_alone` returns whether the
        response fills the screen, so that no item can be seen.
        """
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
        """The ids of the keys that act on the open cell as a whole, in the order of a menu.

        Those that change something are left out in a session that only reads. Others are there only
        if they do something in this cell.
        """
        ids: list[str] = []
        if not self.readonly:
            ids += (
                "cell.sign",
                "item.reason",
                "cell.comment",
                "cell.flag",
                "cell.undo",
            )
        if self._view.bench.count_suspect_passages(self._view.no):
            ids.append("text.plea")
        if self._view.parts.response.steps is not None:
            ids.append("step.unfold")
        if self._reading.has_copied:
            ids.append("cell.copy_again")
        if not self.readonly:
            ids.append("cell.bookmark")
        return ids

    @property
    def judging(self) -> bool:
        """Whether a run of the judge is on."""
        return self._view.progress is not None

    @property
    def selecting(self) -> bool:
        """Whether words are being selected in the response."""
        return self._selection.on

    def looked(self) -> None:
        """Note that the item under the cursor was seen, and scroll the response to its evidence.

        Titles, keys and the tour are drawn again if they depend on the item. While words are being
        selected the focus goes back to them.
        """
        self._view.looked()
        if self._selection.on:
            self._dialogs.rest()

    def sees_item(self) -> bool:
        """Return whether the item under the cursor can be seen; say how to see it if not.

        While the response fills the screen, the item is seen by its evidence in the text. Marked
        items never count as seen there, since only one of them has its evidence shown.
        """
        if not self._is_response_alone():
            return True

        evidence = self._view.chosen
        if evidence is not None and not self._view.pane.has_marked:
            first_offset, end_offset = self._view.parts.response.in_sight
            if first_offset < evidence.end and evidence.start < end_offset:
                return True

        self.say(
            "The item is out of sight: {text.next:p} goes to the next one in the text, "
            "{text.focus:z} shows them all.",
        )
        return False

    def run(self, key: str) -> None:
        """Do what the key with this id does."""
        self._press(key)

    # -- questions --------------------------------------------------------------------------------

    async def pick(
        self,
        title: str,
        choices: list[Choice],
        **options: Unpack[Picking],
    ) -> str:
        """Ask for one of the choices; return its key, or "" for the choice of none.

        The title is cut to `TITLE` columns. `options` holds the options of `Picking`; what is typed
        `about` an item is offered again in this cell only. Raises Left if the reviewer leaves the
        list.
        """
        options["about"] = self._in_cell(options.get("about"))
        return await self._dialogs.pick(
            clip(title, TITLE, self.marks),
            choices,
            **options,
        )

    async def line(
        self,
        label: str,
        initial: str = "",
        *,
        about: Hashable = None,
        typed: str | None = None,
        checking: Callable[[str], str] | None = None,
    ) -> str:
        """Ask for a line of text and return it. Raises Left if the reviewer leaves the question.

        A line that was typed `about` an item and not taken is offered again for that item.
        `checking` returns what is wrong with a line, or "".
        """
        subject = self._in_cell(about)
        return await self._dialogs.line(
            label,
            initial,
            about=subject,
            typed=typed,
            checking=checking,
        )

    def done_with(self, about: Hashable) -> None:
        """Forget what was typed `about` an item of the open cell: it has been taken."""
        self._dialogs.done_with(self._in_cell(about))

    def _in_cell(self, about: Hashable) -> Hashable:
        """Return a key for text typed about an item, which is valid in the open cell only.

        None, for text that is not kept, stays None.
        """
        if about is None:
            return None
        return (self._view.no, about)

    # -- corrections ------------------------------------------------------------------------------

    def correct(
        self,
        items: Sequence[Sequence[Any]],
        done: str = "changed",
        *,
        repeated: bool = False,
        note: str = "",
    ) -> bool:
        """Correct items of the open cell, say the result, and return whether anything changed.

        `items` holds the edits of each item. An item whose edits are refused is left as it
        is. `done` is the past tense of what was done, and `note` is said before it. With
        `repeated` the edits are those of the correction before. If nothing can be done now
        or saved, say why and return False. The focus goes back to where the reviewer works.
        """
        cell_no = self._view.no
        shown_items = self._view.pane.items
        corrected = self._requests.do(
            self._requests.acts.correct,
            cell_no,
            shown_items,
            items,
            done,
            repeated=repeated,
            note=note,
        )
        if corrected is None:
            self._dialogs.rest()
            return False

        text, changes = corrected
        self.say(text or self._standing.trouble)
        self._dialogs.rest()
        return bool(changes)
