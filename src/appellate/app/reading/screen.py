"""A text to read whole, over whatever else there is."""

from collections.abc import Iterator
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from appellate.core.problem import many
from appellate.ui.conversation import Left, begin
from appellate.ui.marks import Marks
from appellate.ui.overlay import FramedBox
from appellate.ui.prompt import LinePrompt
from appellate.ui.text_view import TextView

KEYS = (
    "{response.up:↑} {response.down:↓} {response.page_up:PgUp} {response.page_down:PgDn} read · "
    "{material.search:/} find, {material.next:n} {material.previous:N} from hit to hit · "
    "{material.leave:Esc} leaves"
)
ENDS = "{material.leave:Esc} ends the search."
FOUND = "{material.next:n} {material.previous:N} from one to the next, " + ENDS


class ReadingScreen(FramedBox[None]):
    """A text, to read and to search; Esc, K and q close it."""

    DEFAULT_CSS = """
    ReadingScreen > Vertical { height: 94%; }
    ReadingScreen TextView { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", id="material.leave"),
        Binding("q,K", "dismiss", "close", id="material.close"),
        Binding("slash", "search", "find", id="material.search"),
        Binding("n", "hit(1)", "next hit", id="material.next"),
        Binding("N", "hit(-1)", "previous hit", id="material.previous"),
        Binding("space", "page(1)", "on", id="material.down"),
    ]

    def __init__(self, text: str, *, marks: Marks) -> None:
        super().__init__(marks=marks)
        self._text = text
        self._view, self._prompt = TextView(marks=marks), LinePrompt(marks=marks)

    def inside(self) -> Iterator[Widget]:
        yield from (self._view, self._prompt)

    def on_mount(self) -> None:
        self.say_keys(KEYS)
        self._view.show(self._text)
        self._view.focus()

    def action_search(self) -> None:
        begin(self._search())

    async def _search(self) -> None:
        try:
            text = await self._prompt.ask("search", "Find", checking=self._look_for)
        except Left:
            self._view.end_search()
            raise
        finally:
            self._view.focus()
        if text:
            wording = many(self._view.search(text), "hit")
            self.say_keys(f"{wording}: {FOUND}")

    def _look_for(self, text: str) -> str:
        if not text or self._view.search(text):
            return ""
        return "not in here"

    def action_hit(self, by: int) -> None:
        if self._view.searching:
            index, total = self._view.next_hit(by)
            self.say_keys(f"Hit {index} of {total}; {ENDS}")

    def action_page(self, by: int) -> None:
        self._view.action_roll_page(by)

    def action_leave(self) -> None:
        """Leaves the search first, if there is one."""
        if self._view.searching:
            self._view.end_search()
            self.say_keys(KEYS)
        else:
            self.dismiss(None)
