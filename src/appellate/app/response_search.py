"""Searching the response in sight, and the keys that the strip names now."""

from collections.abc import Callable

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.evidence_selection import EvidenceSelection
from appellate.ui.bar import Hint
from appellate.ui.conversation import Left
from appellate.ui.response import ResponseView

FINDING = (
    Hint("n", "next hit", "unreviewed.next"),
    Hint("N", "before", "unreviewed.previous"),
    Hint("v", "select", "text.select"),
    Hint("Esc", "end", "leave"),
)


class ResponseSearch:
    """One search, from the question to its end. `changed` hears that other keys act."""

    def __init__(
        self,
        response: ResponseView,
        view: CellView,
        dialogs: Dialogs,
        selection: EvidenceSelection,
        changed: Callable[[], None],
    ) -> None:
        self._response = response
        self._view = view
        self._dialogs = dialogs
        self._selection = selection
        self._changed = changed
        self._last = ""

    @property
    def on(self) -> bool:
        return self._response.searching

    async def ask(self) -> None:
        """Asks what to look for, and marks it while it is typed."""
        hint = f"Enter: {self._last} again" if self._last else ""
        try:
            text = await self._dialogs.line(
                "Find", purpose="search", checking=self._look_for, hint=hint
            )
        except Left:
            self.end()
            raise
        text = text or self._last
        if not text:
            return
        self._last = text
        count = self._response.search(text)
        if count:
            self._at_hit()
        else:  # looked for again, in another response
            self.end()
            self._dialogs.say(f"“{text}” is not in the response.")

    def _look_for(self, text: str) -> str:
        hits = self._response.search(text) if text else 0
        self._changed()
        return "" if hits or not text else "not in the response"

    def next_hit(self, by: int) -> None:
        self._response.next_hit(by)
        self._at_hit()

    def _at_hit(self) -> None:
        """Tells which hit one is at; a selection under way goes to it."""
        if self._selection.on:
            self._response.to_hit()
        self._changed()

    def end(self) -> None:
        """Marks no hits any more."""
        if self._response.searching:
            self._response.end_search()
            self._changed()
