"""Screens over another, which open whole and close once, whatever hands and judges do meanwhile."""

from collections.abc import Callable, Iterator
from typing import Any

from textual import on
from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widget import Widget
from textual.widgets import Static

from appellate.ui.bar import KeyStrip
from appellate.ui.conversation import PendingAnswer
from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.own_keys import in_own_keys, key_of
from appellate.ui.text import plain


class Overlay(Screen[ScreenResultType]):
    """A screen that is opened over another."""

    answered: PendingAnswer[ScreenResultType | None] | None = None

    def open(self, app: App[Any]) -> PendingAnswer[ScreenResultType | None]:
        """Opens over what is there; the answer comes in the call that closes it: a callback of
        Textual's would come after words that are typed behind.
        """
        self.answered = PendingAnswer()
        app.push_screen(self)
        return self.answered

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes, unless it is about to open, has closed, or something is open over it."""
        if not (self.is_mounted and self.is_active):
            return AwaitComplete()
        closing = super().dismiss(result)
        if self.answered is not None:
            self.answered.answer(result)
        return closing

    def call_after_refresh(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Does something once it is drawn; nothing, where it has closed by then."""

        def unless_closed() -> object:
            if not self.is_running:
                return None
            return callback(*args, **kwargs)

        return super().call_after_refresh(unless_closed)

    @on(KeyStrip.Pressed)
    def _strip_clicked(self, event: KeyStrip.Pressed) -> None:
        """A click on a key presses it: the app sends it, as what a screen sends ends with it."""
        event.stop()
        if key := self.key_of(event.action):
            self.app.call_later(self.app.simulate_key, key)

    def key_of(self, name: str) -> str:
        """A key of the binding of an id, as Textual names it; "" for none."""
        return key_of(self, name)


class Box(ModalScreen[ScreenResultType], Overlay[ScreenResultType]):
    """A box over a screen, which stays in sight behind it."""


class KeyLine(Static, can_focus=True):
    """What keys do now, on the last line of a box; it holds the focus meanwhile."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyLine { dock: bottom; height: 1; padding: 0 1; background: $boost; text-style: bold; }
    """


class FramedBox(Box[ScreenResultType]):
    """A box with a frame around it: a title, where it has one, its `inside`, and a line of keys."""

    DEFAULT_CSS = """
    FramedBox { align: center middle; }
    FramedBox > Vertical {
        width: 94%; max-width: 110; height: auto; max-height: 100%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    FramedBox .box--title { height: 1; text-style: bold; }
    FramedBox .box--keys { height: auto; max-height: 2; color: $muted; }
    """

    def __init__(self, title: str = "", *, marks: Marks = UNICODE) -> None:
        super().__init__()
        self.asked = title
        self.marks = marks

    def compose(self) -> ComposeResult:
        with Vertical():
            if self.asked:
                yield Static(plain(self.asked), classes="box--title")
            yield from self.inside()
            yield Static(classes="box--keys", markup=False)

    def inside(self) -> Iterator[Widget]:
        """What is between the title and the keys."""
        yield from ()

    def say_keys(self, text: str) -> None:
        """Says below which keys act, or why one does not, with the person's keys."""
        shown = spelt(in_own_keys(text, self.app), self.marks)
        self.query_one(".box--keys", Static).update(plain(shown))
