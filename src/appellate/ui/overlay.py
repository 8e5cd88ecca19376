"""Screens that are opened over another screen.

They take keys only once they are drawn completely, and they close only once, whatever keys and
judges do in the meantime.
"""

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
    """The answer that `open` returned; None before."""

    def open(self, app: App[Any]) -> PendingAnswer[ScreenResultType | None]:
        """Open over the present screen, and return the answer that is pending.

        The answer is the screen's result, or None if the person leaves it. It arrives in the call
        that closes the screen. A callback of Textual would come too late: keys typed in the
        meantime would act before it.
        """
        self.answered = PendingAnswer()
        app.push_screen(self)
        return self.answered

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close the screen, and give `result` to the coroutine that opened it within this call.

        Nothing happens if the screen is not open yet, is closed already, or is under another one.
        What is returned may be awaited until the screen is gone.
        """
        if not (self.is_mounted and self.is_active):
            return AwaitComplete()
        closing = super().dismiss(result)
        if self.answered is not None:
            self.answered.answer(result)
        return closing

    def call_after_refresh(
        self,
        callback: Callable[..., Any],
        *args: Any,
        **kwargs: Any,
    ) -> bool:
        """Call a function after the next drawing, unless the screen is closed by then.

        Returns at once whether the call was scheduled.
        """

        def unless_closed() -> object:
            """Call `callback` and return its result; if the screen is closed, only return None."""
            if not self.is_running:
                return None
            return callback(*args, **kwargs)

        return super().call_after_refresh(unless_closed)

    @on(KeyStrip.Pressed)
    def _strip_clicked(self, event: KeyStrip.Pressed) -> None:
        """Press the key of the hint that was clicked in the key strip, and use the message up.

        The app sends the key later, because the screen may end with it. No key is pressed for a
        hint without one that acts now.
        """
        event.stop()
        if key := self.key_of(event.action):
            self.app.call_later(self.app.simulate_key, key)

    def key_of(self, name: str) -> str:
        """Return the first key on which a binding with this id acts here now; "" if there is none.

        The key is as Textual names it.
        """
        return key_of(self, name)


class Box(ModalScreen[ScreenResultType], Overlay[ScreenResultType]):
    """A box over a screen that stays visible behind it."""


class KeyLine(Static, can_focus=True):
    """The last line of a box, which says what keys do now; it has the focus in the meantime."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyLine { dock: bottom; height: 1; padding: 0 1; background: $boost; text-style: bold; }
    """


class FramedBox(Box[ScreenResultType]):
    """A box with a frame: a title if there is one, its `inside`, and a line about keys."""

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
        """Yield a frame with the title, if there is one, what is `inside`, and the line about keys.

        The title is made inert. The line about keys is empty until `say_keys`.
        """
        with Vertical():
            if self.asked:
                yield Static(plain(self.asked), classes="box--title")
            yield from self.inside()
            yield Static(classes="box--keys", markup=False)

    def inside(self) -> Iterator[Widget]:
        """Yield the widgets between the title and the line about keys; a box overrides it."""
        yield from ()

    def say_keys(self, text: str) -> None:
        """Show a text in the last line of the box, which says what keys do or why one does not.

        `{id:usual key}` in the text becomes the key that the person has. The text stays until the
        next call.
        """
        in_persons_keys = in_own_keys(text, self.app)
        shown_text = spelt(in_persons_keys, self.marks)
        line = self.query_one(".box--keys", Static)
        line.update(plain(shown_text))
