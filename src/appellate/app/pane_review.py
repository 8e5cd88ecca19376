"""What a pane may ask of this screen: the screen's own objects behind the one contract of
`ui/pane.py`, and the corrections it asks for, made as one act.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from appellate.ui.contract import Choice, Freely
from appellate.ui.text import clip

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

TITLE = 60  # the cells of a title


class PaneReview:
    """The `Review` of the panes on the review screen."""

    def __init__(self, at: "Workplace") -> None:
        self.marks = at.marks
        self.readonly = at.bench.readonly
        self.keys = at.keys
        self.say = at.dialogs.say
        self.copy = at.reading.copy_text
        self.take_words = at.selection.take
        self.select_words = at.selection.select
        self._view = at.view
        self._layout = at.layout
        self._dialogs = at.dialogs
        self._selection = at.selection
        self._requests = at.requests
        self._press = at.press

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
        if not self._layout.is_response_alone:
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

    async def pick(
        self,
        title: str,
        choices: list[Choice],
        *,
        none: str = "",
        on_none: bool = False,
        about: Hashable = None,
        free: Freely = False,
        typed: str = "",
    ) -> str:
        return await self._dialogs.pick(
            clip(title, TITLE, self.marks),
            choices,
            none=none,
            on_none=on_none,
            about=self._here(about),
            free=free,
            typed=typed,
        )

    async def line(
        self, label: str, initial: str = "", *, about: Hashable = None, typed: str | None = None
    ) -> str:
        return await self._dialogs.line(label, initial, about=self._here(about), typed=typed)

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
        """Makes the corrections of each item, leaves out those that are refused, and says what
        became of them.
        """
        no, pane = self._view.no, self._view.pane
        made = self._requests.do(
            lambda: self._requests.acts.correct(no, pane, items, done, repeated=repeated, note=note)
        )
        if made is None:
            self._dialogs.rest()
            return False
        text, changes = made
        self.say(text or self._requests.trouble)
        self._dialogs.rest()
        return bool(changes)
