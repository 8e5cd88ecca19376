"""Screens over another, which open whole and close once, whatever hands and judges do meanwhile."""

from collections.abc import Callable
from typing import Any

from textual import on
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, Screen, ScreenResultType

from appellate.ui.bar import KeyStrip
from appellate.ui.own_keys import key_of


class Overlay(Screen[ScreenResultType]):
    """A screen that is opened over another."""

    @property
    def is_there(self) -> bool:
        """Whether it has opened and not closed, and nothing is open over it."""
        return self.is_mounted and self.is_active

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Closes, unless it is about to open or has closed already."""
        if not self.is_there:
            return AwaitComplete()
        return super().dismiss(result)

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
