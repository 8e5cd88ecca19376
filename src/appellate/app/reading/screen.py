"""A screen with one long text to read and search, such as a page of the manual."""

import re
from collections.abc import Iterator
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from appellate import manual
from appellate.core.problem import many
from appellate.ui.conversation import Left, begin
from appellate.ui.marks import Marks
from appellate.ui.overlay import FramedBox
from appellate.ui.prompt import LinePrompt
from appellate.ui.rendered_markdown import unwrapped
from appellate.ui.text_view import TextView

KEYS = (
    "{response.up:↑} {response.down:↓} {response.page_up:PgUp} {response.page_down:PgDn} read · "
    "{material.search:/} find, {material.next:n} {material.previous:N} from hit to hit · "
    "{material.leave:Esc} leaves"
)
FINDING = "Enter goes to the first hit · {prompt.leave:Esc} ends the search"
ENDS = "{material.leave:Esc} ends the search."
FOUND = "{material.next:n} {material.previous:N} from one to the next, " + ENDS
MISSED = "“{}” is not in here: {{material.search:/}} looks for other words."

_PAGE_LINK = re.compile(r"\[([^\[\]]+)\]\(([\w-]+)\.md\)")


class ReadingScreen(FramedBox[None]):
    """A text to read and to search; Esc, K and q close it.

    With `markdown` it is rendered, and the lines of a paragraph are joined.
    """

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

    def __init__(self, text: str, *, marks: Marks, markdown: bool = False) -> None:
        """Prepare to show a text.

        With `markdown` it is rendered, and the lines of a paragraph are joined.
        """
        super().__init__(marks=marks)
        self.text = unwrapped(text) if markdown else text
        self._view = TextView(marks=marks)
        self._prompt = LinePrompt(marks=marks)
        self._view.set_rendered(markdown)

    @classmethod
    def of_manual(cls, topic: str, marks: Marks) -> "ReadingScreen":
        """Return a screen with the page of the manual on a topic, rendered; it is not opened yet.

        Links to other pages become plain or emphasised words, since nothing can be followed there.
        Raises FileNotFoundError for a topic without a page.
        """
        text = manual.page(topic).replace("```text\n", "```\n")
        return cls(_PAGE_LINK.sub(_page_named, text), marks=marks, markdown=True)

    def inside(self) -> Iterator[Widget]:
        yield self._view
        yield self._prompt

    def on_mount(self) -> None:
        """Show the keys and the text, and put the focus on the text."""
        self.say_keys(KEYS)
        self._view.show(self.text)
        self._view.focus()

    def action_search(self) -> None:
        begin(self._search())

    async def _search(self) -> None:
        """Ask for words, mark their hits, and say how many there are and which keys go to them.

        If they do not occur, or nothing was typed, the search ends. The text gets the focus back.
        Raises Left if the reviewer leaves the question.
        """
        self.say_keys(FINDING)
        try:
            text = await self._prompt.ask(
                "search",
                "Find",
                checking=self._look_for,
                takes_faulty=True,
            )
        except Left:
            self._end_search()
            raise
        finally:
            self._view.focus()
        count = self._view.search(text)
        if count:
            self.say_keys(f"{many(count, 'hit')}: {FOUND}")
        else:
            self._end_search()
            if text:
                self.say_keys(MISSED.format(text))

    def _look_for(self, text: str) -> str:
        """Mark the hits of the words that are being typed, and return "" or why there are none.

        The reason is a phrase to show after the field: "not in here". For no words it is "", and
        the marks of the words before stay.
        """
        if not text or self._view.search(text):
            return ""
        return "not in here"

    def _end_search(self) -> None:
        self._view.end_search()
        self.say_keys(KEYS)

    def action_hit(self, by: int) -> None:
        """Go `by` hits on, or back if negative, and say which hit that is.

        Does nothing while no hits are marked.
        """
        if self._view.searching:
            index, total = self._view.next_hit(by)
            self.say_keys(f"Hit {index} of {total}; {ENDS}")

    def action_page(self, by: int) -> None:
        self._view.action_roll_page(by)

    def action_leave(self) -> None:
        """End the search if one is on; else close the screen."""
        if self._view.searching:
            self._end_search()
        else:
            self.dismiss(None)


def _page_named(link: re.Match[str]) -> str:
    """Return Markdown for a link to another page of the manual, without the link.

    Its words are put in emphasis, `*keys*`. If they differ from the page's topic, they stay plain,
    and the topic follows them: `all keys (*keys*)`.
    """
    words = link[1]
    topic = link[2]
    return f"*{words}*" if words == topic else f"{words} (*{topic}*)"
