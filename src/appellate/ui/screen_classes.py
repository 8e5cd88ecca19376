"""Classes that a screen has for a while, each about a few widgets: only these are styled anew.

Textual styles every widget of a screen whose class changes: half of the time of a key that asks.
"""

from typing import Any

from textual.screen import Screen

ABOUT = {
    "-asking": "#keys, #said",
    "-focus": "#queue, #reading, #pane, #asked, #material",
    "-material": "#response",
    "-queue": "#queue",
}
"""The widgets that the rules of a class are about, by the class."""


def put(screen: Screen[Any], name: str, *, on: bool) -> None:
    """Gives the screen a class, or takes it."""
    if screen.has_class(name) == on:
        return
    screen.set_class(on, name, update=False)
    for widget in screen.query(ABOUT[name]):
        widget.update_node_styles()
