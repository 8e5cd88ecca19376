"""Whether everything a key set off has been done.

A key passes through several widgets, each a task with messages of its own: a line tells its picker, that its list,
that the screen behind. Whoever types on must find all of them done.
"""

from collections.abc import Iterable

from textual.screen import Screen
from textual.widget import Widget


def at_rest(screens: Iterable[Screen[object]]) -> bool:
    """Whether every widget of these screens is there and has nothing to hear."""
    return all(_rests(widget) for screen in screens for widget in screen.walk_children(Widget, with_self=True))


def _rests(widget: Widget) -> bool:
    return widget.is_mounted and not widget.message_queue_size
