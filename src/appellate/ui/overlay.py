"""Screens over another, which open whole and close once, whatever hands and judges do meanwhile."""

from collections.abc import Callable
from typing import Any

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, Screen, ScreenResultType


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


class Box(ModalScreen[ScreenResultType], Overlay[ScreenResultType]):
    """A box over a screen, which stays in sight behind it."""
