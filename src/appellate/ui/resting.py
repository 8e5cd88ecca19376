"""Whether everything a key set off has been done.

A key passes through several widgets, each a task with messages of its own: a line tells its picker, that its list,
that the screen behind. Whoever types on must find all of them done.
"""

from collections.abc import Iterable

from textual.screen import Screen
from textual.widget import Widget


def at_rest(screens: Iterable[Screen[object]]) -> bool:
    """Whether every widget of these screens is there, has nothing to hear, and waits for nothing to be drawn."""
    return all(_rests(screen) for screen in screens)


def _rests(screen: Screen[object]) -> bool:
    if screen._callbacks:  # noqa: SLF001 - what `call_after_refresh` was given; nothing public tells of it
        return False
    widgets = screen.walk_children(Widget, with_self=True)
    return all(widget.is_mounted and not widget.message_queue_size for widget in widgets)
