"""Searching the response, or what is docked beside it."""

from typing import TYPE_CHECKING

from appellate.ui.bar import Hint
from appellate.ui.conversation import Left
from appellate.ui.page import Finding
from appellate.ui.text_view import TextView

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

FINDING = (
    Hint("n", "next hit", "unreviewed.next"),
    Hint("N", "before", "unreviewed.previous"),
    Hint("v", "select", "text.select"),
    Hint("Esc", "end", "leave"),
)


class TextSearch:
    """One search, from the question to its end."""

    def __init__(self, at: "Workplace") -> None:
        self._response = at.parts.response
        self._material = at.parts.material
        self._text: TextView = self._response  # what is searched
        self._dialogs = at.dialogs
        self._selection = at.selection
        self._changed = at.face_changed
        self._last = ""

    @property
    def on(self) -> bool:
        return self._text.searching

    @property
    def keys(self) -> set[str]:
        """The ids of the keys that act on what was found: only the response has words to select."""
        ids = {hint.action for hint in FINDING}
        if self._text is self._material:
            ids.remove("text.select")
            if self._material.selection.on:  # which Esc ends before
                ids.remove("leave")
        return ids

    @property
    def finding(self) -> Finding:
        """What is looked for, and which hit one is at."""
        return self._text.finding

    async def ask(self) -> None:
        """Asks what to look for, and marks it while it is typed."""
        self.end()
        self._text = self._response
        if self._material.has_focus:
            self._text = self._material
        hint = f"Enter: {self._last} again" if self._last else ""
        try:
            text = await self._dialogs.line(
                "Find", purpose="search", checking=self._look_for, hint=hint
            )
        except Left:
            self.end()
            raise
        if self._text is self._material:
            self._text.screen.set_focus(self._text)
        text = text or self._last
        if not text:
            return
        self._last = text
        if self._text.search(text):
            self._at_hit()
        else:  # looked for again, in another response
            self.end()
            self._dialogs.say(f"“{text}” is not in {self._where}.")

    def _look_for(self, text: str) -> str:
        found = bool(text) and self._text.search(text) > 0
        self._changed()
        if text and not found:
            return f"not in {self._where}"
        return ""

    @property
    def _where(self) -> str:
        if self._text is self._material:
            return "what is shown beside the response"
        return "the response"

    def next_hit(self, by: int) -> None:
        self._text.next_hit(by)
        self._at_hit()

    def _at_hit(self) -> None:
        """Tells which hit one is at; a selection under way goes to it."""
        if self._selection.on and self._text is self._response:
            self._response.take(self._response.selection.reaching(self._response.finding.here))
        self._changed()

    def end(self) -> None:
        """Marks no hits any more."""
        if self._text.searching:
            self._text.end_search()
            self._changed()
