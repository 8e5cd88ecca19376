"""What `?` shows: the keys needed here, and behind Tab every key; both can be searched."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Static

from appellate.app.help import HelpEntry, to_pick
from appellate.ui.choices import searched
from appellate.ui.contract import Choice
from appellate.ui.marks import Marks
from appellate.ui.picker import Picker
from appellate.ui.text import plain

MANUAL = "manual"
"""The key of the row that opens the manual."""
TITLES = ("What you need here", "Words, keys and marks")
DOES = ("Enter does it · Tab: all keys", "Enter does it · Tab: what you need here")


class HelpScreen(Picker):
    """The keys needed here; Tab turns to all of them, and what is typed is looked for in all."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "tab", "turn", "keys needed here, or all", show=False, priority=True, id="help.turn"
        )
    ]

    def __init__(
        self, needed: Sequence[HelpEntry], every: Sequence[HelpEntry], topic: str, *, marks: Marks
    ) -> None:
        page = Choice(MANUAL, "manual", f"the page {topic}: Enter opens it", group="More")
        super().__init__(TITLES[0], [*to_pick(needed), page], does=DOES[0], marks=marks)
        self._needed, self._every = self._choices, searched([*to_pick(every), page])
        self._whole = False

    def action_turn(self) -> None:
        self._whole = not self._whole
        self._filter(self.typed)

    def _filter(self, typed: str) -> None:
        whole = self._whole or bool(typed.strip())
        self._choices = self._every if whole else self._needed
        self._does = DOES[whole]
        self.query_one(".picker--title", Static).update(plain(TITLES[whole]))
        super()._filter(typed)
